"""Kernels of balls that rotate: friction at their surfaces, rolling and torsional resistance, and their rotation.

A contact is one point for both balls: with u the line of centres of length d, it is (d + r₁ − r₂)/2 from the first. The
force there and the couple of rolling and torsion are opposite for the two, so that every pair keeps its momentum and
its angular momentum to rounding.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from numba import uint64 as ix

from motiform.base.kernels import fused, inline, kernel
from motiform.motion.matter.engine.link_kernels import tension

__all__ = ["gather_spins", "held_couple", "line_up_balls", "rolling_pairs", "spinning_pairs", "turn_masses"]

_S1, _S2, _S3, _S4, _S5, _S6 = (1.0 / math.factorial(n) for n in range(3, 14, 2))
_C2, _C3, _C4, _C5, _C6, _C7 = (1.0 / math.factorial(n) for n in range(4, 15, 2))


@kernel
def line_up_balls(c, width, order, x, before, rates, half, radius, listed, slack, mark, moved, balls):
    """Copy place, stride, half the turn Te ω and radius of balls side by side; tell who left the list's slack."""
    far = 0
    for n in range(c * width, min((c + 1) * width, order.shape[0])):
        i, m = ix(n), ix(order[ix(n)])
        off = 0.0
        for axis in range(3):
            place = x[axis, m]
            balls[axis, i] = place
            balls[3 + axis, i] = place - before[axis, m]
            balls[6 + axis, i] = half * rates[axis, m]
            off += (place - listed[axis, i]) * (place - listed[axis, i])
        balls[9, i] = radius[i]
        far += 0 if off < slack * slack else 1
    if far > 0:
        moved[0] = mark  # all writers of this step write the same value


@inline
def _cross(ax, ay, az, bx, by, bz):
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@inline
def _held(hx, hy, hz, ex, ey, ez, most, stiffness, damping):
    """Return the force of a spring and a damper that slips at `most`, and how far the spring is stretched."""
    fx, fy, fz = stiffness * hx + damping * ex, stiffness * hy + damping * ey, stiffness * hz + damping * ez
    square = fx * fx + fy * fy + fz * fz
    if square > most * most:
        share = most / math.sqrt(square)
        fx, fy, fz = share * fx, share * fy, share * fz
        if stiffness > 0.0:
            part = 1.0 / stiffness
            hx, hy, hz = part * (fx - damping * ex), part * (fy - damping * ey), part * (fz - damping * ez)
    return fx, fy, fz, hx, hy, hz


@inline
def _across(hx, hy, hz, ux, uy, uz, spin):
    """Return a vector turned by a small angle and laid into the plane across u."""
    cx, cy, cz = _cross(spin[0], spin[1], spin[2], hx, hy, hz)
    hx, hy, hz = hx + cx, hy + cy, hz + cz
    along = hx * ux + hy * uy + hz * uz
    return hx - along * ux, hy - along * uy, hz - along * uz


@inline
def _ball(balls, i):
    """Return place, stride, half the turn and radius of a ball."""
    return (
        (balls[0, i], balls[1, i], balls[2, i]), (balls[3, i], balls[4, i], balls[5, i]),
        (balls[6, i], balls[7, i], balls[8, i]), balls[9, i],
    )  # fmt: skip


@inline
def _contact(a, b, dx, dy, dz, d, table, per_step):
    """Return the direction of a pair that touches, its tension, how its surfaces moved, its arms and its mean turn."""
    p, q, less = a[2], b[2], a[3] - b[3]
    inverse = 1.0 / d
    ux, uy, uz = dx * inverse, dy * inverse, dz * inverse
    ex, ey, ez = b[1][0] - a[1][0], b[1][1] - a[1][1], b[1][2] - a[1][2]
    along = ex * ux + ey * uy + ez * uz
    t = tension(table, 0, d - (a[3] + b[3]), along * per_step)
    one, two = d + less, d - less
    wx, wy, wz = _cross(one * p[0] + two * q[0], one * p[1] + two * q[1], one * p[2] + two * q[2], ux, uy, uz)
    ex, ey, ez = ex - along * ux - wx, ey - along * uy - wy, ez - along * uz - wz
    spin = p[0] + q[0], p[1] + q[1], p[2] + q[2]
    return ux, uy, uz, t, ex, ey, ez, 0.5 * one, 0.5 * two, spin


@inline
def _friction_force(memory, l, ux, uy, uz, t, ex, ey, ez, spin, limit, stiffness, damping):
    """Return the force of friction on the first end, and keep how far it is held off [Cundall79]."""
    hx, hy, hz = _across(memory[0, l], memory[1, l], memory[2, l], ux, uy, uz, spin)
    fx, fy, fz, hx, hy, hz = _held(hx + ex, hy + ey, hz + ez, ex, ey, ez, limit * abs(t), stiffness, damping)
    if stiffness > 0.0:
        memory[0, l], memory[1, l], memory[2, l] = hx, hy, hz
    return fx, fy, fz


@kernel
def spinning_pairs(
    c, width, order, firsts, others, balls, table, per_step, cutoff, rub, memory, pulls, forces, torques, lost
):
    """Work out the pairs whose first end balls are: friction at the surfaces; those out of range forget.

    What they do to the first end is added up at once, with the energy that friction takes; force and torque of the
    second end are written for it.
    """
    limit, stiffness, damping = rub[0], rub[1], rub[2] * per_step
    for n in range(c * width, min((c + 1) * width, order.shape[0])):
        i = ix(n)
        a = _ball(balls, i)
        sx, sy, sz, wx, wy, wz, taken = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(firsts[i], firsts[ix(n + 1)]):
            l = ix(k)
            b = _ball(balls, ix(others[l]))
            dx, dy, dz = b[0][0] - a[0][0], b[0][1] - a[0][1], b[0][2] - a[0][2]
            square, reach = dx * dx + dy * dy + dz * dz, cutoff + (a[3] + b[3])
            if square < reach * reach and square > 0.0:
                d = math.sqrt(square)
                ux, uy, uz, t, ex, ey, ez, one, two, spin = _contact(a, b, dx, dy, dz, d, table, per_step)
                fx, fy, fz = _friction_force(memory, l, ux, uy, uz, t, ex, ey, ez, spin, limit, stiffness, damping)
                qx, qy, qz = _cross(ux, uy, uz, fx, fy, fz)
                taken += fx * ex + fy * ey + fz * ez
                fx, fy, fz = t * ux + fx, t * uy + fy, t * uz + fz
                sx, sy, sz = sx + fx, sy + fy, sz + fz
                wx, wy, wz = wx + one * qx, wy + one * qy, wz + one * qz
                pulls[0, l], pulls[1, l], pulls[2, l] = fx, fy, fz
                pulls[3, l], pulls[4, l], pulls[5, l] = two * qx, two * qy, two * qz
            else:
                for row in range(6):
                    pulls[row, l] = 0.0
                memory[0, l], memory[1, l], memory[2, l] = 0.0, 0.0, 0.0
        _add(forces, torques, lost, ix(order[i]), sx, sy, sz, wx, wy, wz, taken)


@inline
def _add(forces, torques, lost, m, sx, sy, sz, wx, wy, wz, taken):
    """Add force, torque and what friction took to those of a mass."""
    forces[0, m] += sx
    forces[1, m] += sy
    forces[2, m] += sz
    torques[0, m] += wx
    torques[1, m] += wy
    torques[2, m] += wz
    lost[m] += taken


@inline
def held_couple(h, twist, ux, uy, uz, sx, sy, sz, spin, most, torsion, stiffness, damping):
    """Return the couple over its arm [N] that resists rolling and torsion, and what their springs hold.

    s is the relative rotation of a step times the arm [m]; `most` and `torsion` are the limits of rolling and torsion.
    """
    along = sx * ux + sy * uy + sz * uz
    ex, ey, ez = sx - along * ux, sy - along * uy, sz - along * uz
    hx, hy, hz = _across(h[0], h[1], h[2], ux, uy, uz, spin)
    mx, my, mz, hx, hy, hz = _held(hx + ex, hy + ey, hz + ez, ex, ey, ez, most, stiffness, damping)
    turned = twist + along
    q = stiffness * turned + damping * along
    held = min(max(q, -torsion), torsion)
    if held != q and stiffness > 0.0:
        turned = (held - damping * along) / stiffness
    return (mx + held * ux, my + held * uy, mz + held * uz), (hx, hy, hz), turned


@kernel
def rolling_pairs(
    c, width, order, firsts, others, balls, table, per_step, cutoff, rub, memory, pulls, forces, torques, lost
):
    """Work out the same of pairs that resist rolling and torsion, too [Luding08]."""
    limit, stiffness, damping = rub[0], rub[1], rub[2] * per_step
    for n in range(c * width, min((c + 1) * width, order.shape[0])):
        i = ix(n)
        a = _ball(balls, i)
        sx, sy, sz, wx, wy, wz, taken = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(firsts[i], firsts[ix(n + 1)]):
            l = ix(k)
            b = _ball(balls, ix(others[l]))
            dx, dy, dz = b[0][0] - a[0][0], b[0][1] - a[0][1], b[0][2] - a[0][2]
            square, reach = dx * dx + dy * dy + dz * dz, cutoff + (a[3] + b[3])
            if square < reach * reach and square > 0.0:
                d = math.sqrt(square)
                ux, uy, uz, t, ex, ey, ez, one, two, spin = _contact(a, b, dx, dy, dz, d, table, per_step)
                fx, fy, fz = _friction_force(memory, l, ux, uy, uz, t, ex, ey, ez, spin, limit, stiffness, damping)
                qx, qy, qz = _cross(ux, uy, uz, fx, fy, fz)
                both = a[3] + b[3]
                arm = a[3] * b[3] / both if both > 0.0 else 0.0
                by = 2.0 * arm
                rx, ry, rz = by * (b[2][0] - a[2][0]), by * (b[2][1] - a[2][1]), by * (b[2][2] - a[2][2])
                m, h, twist = held_couple(
                    (memory[3, l], memory[4, l], memory[5, l]), memory[6, l], ux, uy, uz, rx, ry, rz, spin,
                    rub[3] * abs(t), rub[4] * abs(t), stiffness, damping,
                )  # fmt: skip
                if stiffness > 0.0:
                    memory[3, l], memory[4, l], memory[5, l], memory[6, l] = h[0], h[1], h[2], twist
                taken += fx * ex + fy * ey + fz * ez + (m[0] * rx + m[1] * ry + m[2] * rz)
                mx, my, mz = arm * m[0], arm * m[1], arm * m[2]
                fx, fy, fz = t * ux + fx, t * uy + fy, t * uz + fz
                sx, sy, sz = sx + fx, sy + fy, sz + fz
                wx, wy, wz = wx + (one * qx + mx), wy + (one * qy + my), wz + (one * qz + mz)
                pulls[0, l], pulls[1, l], pulls[2, l] = fx, fy, fz
                pulls[3, l], pulls[4, l], pulls[5, l] = two * qx - mx, two * qy - my, two * qz - mz
            else:
                for row in range(6):
                    pulls[row, l] = 0.0
                for row in range(7):
                    memory[row, l] = 0.0
        _add(forces, torques, lost, ix(order[i]), sx, sy, sz, wx, wy, wz, taken)


@kernel
def gather_spins(c, width, order, found, firsts, backs, offsets, stride, pulls, forces, torques):
    """Add the forces and torques of those pairs whose second end balls are."""
    for n in range(c * width, min((c + 1) * width, order.shape[0])):
        i = ix(n)
        fx, fy, fz, tx, ty, tz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        k = offsets[i]
        for _ in range(found[i] - (firsts[ix(n + 1)] - firsts[i])):
            l = ix(backs[ix(k)])
            k += stride
            fx, fy, fz = fx - pulls[0, l], fy - pulls[1, l], fz - pulls[2, l]
            tx, ty, tz = tx + pulls[3, l], ty + pulls[4, l], tz + pulls[5, l]
        m = ix(order[i])
        forces[0, m] += fx
        forces[1, m] += fy
        forces[2, m] += fz
        torques[0, m] += tx
        torques[1, m] += ty
        torques[2, m] += tz


@fused
def _turned(turns, i, s, q, ax, ay, az):
    """Turn an orientation by a quaternion (q, s a), and keep its length."""
    ax, ay, az = s * ax, s * ay, s * az
    w0, x0, y0, z0 = turns[0, i], turns[1, i], turns[2, i], turns[3, i]
    w1 = q * w0 - ax * x0 - ay * y0 - az * z0
    x1 = q * x0 + ax * w0 + ay * z0 - az * y0
    y1 = q * y0 + ay * w0 + az * x0 - ax * z0
    z1 = q * z0 + az * w0 + ax * y0 - ay * x0
    size = 1.5 - 0.5 * (w1 * w1 + x1 * x1 + y1 * y1 + z1 * z1)
    turns[0, i], turns[1, i], turns[2, i], turns[3, i] = size * w1, size * x1, size * y1, size * z1


@fused
def _few_terms(x2):
    """Return sin(x)/x and cos(x) by Taylor's series, to rounding for x² up to 1e-3."""
    return 1.0 - x2 * (_S1 - x2 * (_S2 - x2 * _S3)), 1.0 - x2 * (0.5 - x2 * (_C2 - x2 * _C3))


@fused
def _more_terms(x2):
    """Return the same to rounding for x² up to 1/4."""
    s = _S2 - x2 * (_S3 - x2 * (_S4 - x2 * (_S5 - x2 * _S6)))
    q = _C2 - x2 * (_C3 - x2 * (_C4 - x2 * (_C5 - x2 * (_C6 - x2 * _C7))))
    return 1.0 - x2 * (_S1 - x2 * s), 1.0 - x2 * (0.5 - x2 * q)


@fused
def _apply_torque(rates, torques, i, by, half):
    """Change an angular velocity by a torque, which is used up; return half its turn squared."""
    wx, wy, wz = rates[0, i] + by * torques[0, i], rates[1, i] + by * torques[1, i], rates[2, i] + by * torques[2, i]
    rates[0, i], rates[1, i], rates[2, i] = wx, wy, wz
    torques[0, i], torques[1, i], torques[2, i] = 0.0, 0.0, 0.0
    return half * half * (wx * wx + wy * wy + wz * wz)


@kernel
def turn_masses(c, width, first, last, step, mobility, torques, rates, turns):
    """Take a step of rotation: angular velocities by torques, then orientations (w, x, y, z) by the exponential."""
    low, high = first + c * width, min(first + (c + 1) * width, last)
    half, wide, wider = 0.5 * step, 0, 0
    for n in range(low, high):
        x2 = _apply_torque(rates, torques, ix(n), mobility[ix(n)], half)
        wide += 0 if x2 <= 1e-3 else 1
        wider += 0 if x2 <= 0.25 else 1
    for n in range(low, high):
        i = ix(n)
        ax, ay, az = half * rates[0, i], half * rates[1, i], half * rates[2, i]
        x2 = ax * ax + ay * ay + az * az
        if wide == 0:
            s, q = _few_terms(x2)
        elif wider == 0:
            s, q = _more_terms(x2)
        else:
            x = math.sqrt(x2)
            s, q = math.sin(x) / x if x > 0.0 else 1.0, math.cos(x)
        _turned(turns, i, s, q, ax, ay, az)
