"""Kernels of solids: every point gathers over the solids that it meets; what they feel is summed in a fixed order.

The force of a solid acts at the point itself, or on a ball that rotates at the surface below it: what the point loses
in momentum, linear and angular, the solid gains to rounding.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from numba import uint64 as ix

from motiform.base.kernels import inline, kernel, routine
from motiform.geometry.search.closest_kernels import carried_point, solid_distance
from motiform.motion.matter.engine.columns import CAPPED, NO_FRICTION, STICKING
from motiform.motion.matter.engine.link_kernels import tension
from motiform.motion.matter.engine.spin_kernels import held_couple
from motiform.spatial.algebra import cross, dot, load9, sub, tmul, transform

__all__ = ["BLOCK", "pick_forces", "solid_forces", "sum_parts", "wrench_parts"]

BLOCK = 256  # points, or sums of points, that are summed from left to right
_RESTS = 1000  # times its move in a step that a point is deep inside of a solid, and not looked at
_HALVES = 48  # times that a step is halved where a normal turns over: to rounding of its length


@inline
def _turned(poses, before, s, h):
    """Return a vector of solid s turned as the solid was in the last step."""
    return transform(load9(poses, s), tmul(load9(before, s), h))


@inline
def _held(memory, s, i, h, n, e, normal, limit, stiffness, damping, per_step):
    """Return the tangential force on a point held by a spring, stretched by h, that slips at the limit [Cundall79]."""
    hx, hy, hz = h[0] + e[0], h[1] + e[1], h[2] + e[2]
    along = hx * n[0] + hy * n[1] + hz * n[2]  # the surface turns: what was tangential is laid into the new plane
    hx, hy, hz = hx - along * n[0], hy - along * n[1], hz - along * n[2]
    drag = damping * per_step
    fx, fy, fz = -stiffness * hx - drag * e[0], -stiffness * hy - drag * e[1], -stiffness * hz - drag * e[2]
    size, most = math.sqrt(fx * fx + fy * fy + fz * fz), limit * abs(normal)
    if size > most:
        share, part = most / size, -1.0 / stiffness
        fx, fy, fz = share * fx, share * fy, share * fz
        hx, hy, hz = part * (fx + drag * e[0]), part * (fy + drag * e[1]), part * (fz + drag * e[2])
    memory[0, s, i], memory[1, s, i], memory[2, s, i] = hx, hy, hz
    return fx, fy, fz


@inline
def _capped(e, normal, limit, damping, per_step):
    """Return the tangential force on a point that creeps: viscous, up to the limit."""
    speed = math.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]) * per_step
    q = -min(limit * abs(normal), damping * speed) / speed * per_step if speed > 0.0 else 0.0
    return q * e[0], q * e[1], q * e[2]


@inline
def _behind(p, e, t):
    """Return where a point that came to p by a move e was after a part t of it."""
    return p[0] - (1.0 - t) * e[0], p[1] - (1.0 - t) * e[1], p[2] - (1.0 - t) * e[2]


@routine
def _passes(s, p, e, reach, end, out, poses, solids):
    """Return whether a point passed through a solid by a move e to p, at distance `end` with the normal `out`.

    One that is inside before or after the move has passed the middle where it moves against the normal before it, and
    along the opposite one after it: it is pushed out on the other side. One that is outside passed if it was inside on
    its way. It is followed by its distance, but by a 64th of the way at least. Where the normal turns over within such
    a step, the place is found by halving: inside of a plate, however thin, or outside, above an edge or between two
    walls.
    """
    way = math.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2])
    low = 0.0
    if end < 0.0 and dot(e, out) <= 0.0:
        return False
    d, n = solid_distance(s, _behind(p, e, 0.0), reach, poses, solids)
    if d < 0.0 or end < 0.0:
        return dot(n, out) < 0.0 and dot(e, n) < 0.0 and dot(e, out) > 0.0
    while low < 1.0:
        high = min(low + max(d / way, 1.0 / 64.0), 1.0)
        far, m = solid_distance(s, _behind(p, e, high), reach, poses, solids)
        if far < 0.0:
            return high < 1.0
        if n[0] * m[0] + n[1] * m[1] + n[2] * m[2] < 0.0:
            first, last = low, high
            for _ in range(_HALVES):
                t = 0.5 * (first + last)
                d, q = solid_distance(s, _behind(p, e, t), reach, poses, solids)
                if d < 0.0:
                    return True
                if n[0] * q[0] + n[1] * q[1] + n[2] * q[2] < 0.0:
                    last = t
                else:
                    first = t
        low, d, n = high, far, m
    return False


@inline
def _slid(p, m, before, d, n, moved, spin, poses, poses_before, s, per_step):
    """Return how the surface of a ball moved across the normal, against the place of the solid that it touches."""
    q = p[0] - d * n[0], p[1] - d * n[1], p[2] - d * n[2]
    ex, ey, ez = p[0] - before[0, m], p[1] - before[1, m], p[2] - before[2, m]
    if moved != 0:
        c = carried_point(poses, poses_before, s, q)
        ex, ey, ez = ex - (q[0] - c[0]), ey - (q[1] - c[1]), ez - (q[2] - c[2])
    w = cross(spin, n)
    arm = d / per_step
    ex, ey, ez = ex - arm * w[0], ey - arm * w[1], ez - arm * w[2]
    along = ex * n[0] + ey * n[1] + ez * n[2]
    return ex - along * n[0], ey - along * n[1], ez - along * n[2]


@inline
def _turn_of(poses, before, s):
    """Return by what a solid turned in its last step [rad], a vector in the world, to the third order of the angle."""
    a, b = load9(poses, s), load9(before, s)
    x, y, z = 0.0, 0.0, 0.0
    for k in range(3):  # half the sum of the crosses of its axes before and now
        w = cross((b[k], b[3 + k], b[6 + k]), (a[k], a[3 + k], a[6 + k]))
        x, y, z = x + 0.5 * w[0], y + 0.5 * w[1], z + 0.5 * w[2]
    return x, y, z


@inline
def _resisted(memory, s, i, n, spin, moved, poses, before, r, normal, rub, per_step):
    """Return the couple on a ball that resists rolling and torsion on a solid [N m], and the energy that it takes."""
    turn = spin[0] / per_step, spin[1] / per_step, spin[2] / per_step
    holds = rub[s, 1] > 0.0
    h, twist = (0.0, 0.0, 0.0), 0.0
    if holds:
        h, twist = (memory[3, s, i], memory[4, s, i], memory[5, s, i]), memory[6, s, i]
    if moved != 0:
        turn, h = sub(turn, _turn_of(poses, before, s)), _turned(poses, before, s, h)
    m, h, twist = held_couple(
        h, twist, n[0], n[1], n[2], r * turn[0], r * turn[1], r * turn[2], (0.0, 0.0, 0.0), rub[s, 3] * abs(normal),
        rub[s, 4] * abs(normal), rub[s, 1], rub[s, 2] * per_step,
    )  # fmt: skip
    if holds:
        memory[3, s, i], memory[4, s, i], memory[5, s, i], memory[6, s, i] = h[0], h[1], h[2], twist
    taken = r * (m[0] * turn[0] + m[1] * turn[1] + m[2] * turn[2])
    return (-r * m[0], -r * m[1], -r * m[2]), taken


@kernel
def solid_forces(i, step, x, before, touching, placed, solids, spins, memory, kept, own, passed, forces):
    """Add the forces of all solids on point i: a zone law of the gap along the normal, and friction across it.

    On a ball that rotates friction acts at its surface, with torques. Where `kept` is not 0, the force of each solid is
    written to own[solid, axis, point], and the torque behind it. The first step in which a point passed through a solid
    is noted.
    """
    m, per_step = ix(touching.members[i]), touching.per_step
    meets, radius, cutoff, rubs, rub = touching.meets, touching.radius, touching.cutoff, touching.rubs, touching.rub
    moving, poses, poses_before = placed.moving, placed.poses, placed.before
    p = x[0, m], x[1, m], x[2, m]
    rolls = spins.any != 0 and touching.turns[i] != 0
    bx, by, bz = p[0] - before[0, m], p[1] - before[1, m], p[2] - before[2, m]
    stride = math.sqrt(bx * bx + by * by + bz * bz)
    sx, sy, sz, qx, qy, qz, taken = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for s in range(meets.shape[0]):
        fx, fy, fz = 0.0, 0.0, 0.0
        tx, ty, tz = 0.0, 0.0, 0.0
        touches = False
        if meets[s, i] != 0:
            # How the point moved against the place of the solid that is where it is now.
            mx, my, mz, way = bx, by, bz, stride
            if moving[s] != 0:
                c = carried_point(poses, poses_before, s, p)
                mx, my, mz = c[0] - before[0, m], c[1] - before[1, m], c[2] - before[2, m]
                way = math.sqrt(mx * mx + my * my + mz * mz)
            reach = max(cutoff[s] + radius[i], way)
            d, n = solid_distance(s, p, reach, poses, solids)
            gap = d - radius[i]
            # Its middle may be before a plate at one sample and behind it at the next; one that rests is not looked at.
            looked_at = -_RESTS * way < d < way and passed[s] < 0
            if looked_at and _passes(s, p, (mx, my, mz), reach, d, n, poses, solids):
                passed[s] = step  # all writers of this step write the same value
            touches = gap < cutoff[s]
            if touches:
                ex, ey, ez = mx, my, mz
                along = ex * n[0] + ey * n[1] + ez * n[2]
                t = tension(touching.table, s, gap, along * per_step)
                fx, fy, fz = -t * n[0], -t * n[1], -t * n[2]
                if rubs[s] != NO_FRICTION:
                    e = ex - along * n[0], ey - along * n[1], ez - along * n[2]
                    spin = 0.0, 0.0, 0.0
                    if rolls:
                        spin = spins.rates[0, m], spins.rates[1, m], spins.rates[2, m]
                        e = _slid(p, m, before, d, n, moving[s], spin, poses, poses_before, s, per_step)
                    if rubs[s] == CAPPED:
                        hx, hy, hz = _capped(e, t, rub[s, 0], rub[s, 2], per_step)
                    else:
                        h = memory[0, s, i], memory[1, s, i], memory[2, s, i]
                        if moving[s] != 0:
                            h = _turned(poses, poses_before, s, h)
                        hx, hy, hz = _held(memory, s, i, h, n, e, t, rub[s, 0], rub[s, 1], rub[s, 2], per_step)
                    fx, fy, fz = fx + hx, fy + hy, fz + hz
                    if rolls:
                        w = cross(n, (hx, hy, hz))
                        tx, ty, tz = -d * w[0], -d * w[1], -d * w[2]
                        taken -= hx * e[0] + hy * e[1] + hz * e[2]
                        if rub[s, 3] > 0.0 or rub[s, 4] > 0.0:
                            w, k = _resisted(
                                memory, s, i, n, spin, moving[s], poses, poses_before, radius[i], t, rub, per_step
                            )
                            tx, ty, tz, taken = tx + w[0], ty + w[1], tz + w[2], taken + k
        if rubs[s] == STICKING and not touches:
            for k in range(memory.shape[0]):
                memory[k, s, i] = 0.0
        if kept != 0:
            own[s, 0, i], own[s, 1, i], own[s, 2, i] = fx, fy, fz
            if rolls:
                own[s, 3, i], own[s, 4, i], own[s, 5, i] = tx, ty, tz
        sx, sy, sz = sx + fx, sy + fy, sz + fz
        qx, qy, qz = qx + tx, qy + ty, qz + tz
    forces[0, m] += sx
    forces[1, m] += sy
    forces[2, m] += sz
    if rolls:
        spins.torques[0, m] += qx
        spins.torques[1, m] += qy
        spins.torques[2, m] += qz
        spins.lost[m] += taken


@kernel
def wrench_parts(k, x, members, own, poses, parts):
    """Write the wrench that a block of points puts on a solid; element k is solid k // blocks, block k % blocks."""
    s, b = k // parts.shape[1], k % parts.shape[1]
    ox, oy, oz = poses[s, 9], poses[s, 10], poses[s, 11]
    mx, my, mz, sx, sy, sz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for n in range(b * BLOCK, min((b + 1) * BLOCK, members.shape[0])):
        i, m = ix(n), ix(members[n])
        fx, fy, fz = -own[s, 0, i], -own[s, 1, i], -own[s, 2, i]
        rx, ry, rz = x[0, m] - ox, x[1, m] - oy, x[2, m] - oz
        mx, my, mz = mx + (ry * fz - rz * fy), my + (rz * fx - rx * fz), mz + (rx * fy - ry * fx)
        if own.shape[1] == 6:  # on balls the force acts at the surface: what turns them turns the solid back
            mx, my, mz = mx - own[s, 3, i], my - own[s, 4, i], mz - own[s, 5, i]
        sx, sy, sz = sx + fx, sy + fy, sz + fz
    parts[s, b, 0], parts[s, b, 1], parts[s, b, 2] = mx, my, mz
    parts[s, b, 3], parts[s, b, 4], parts[s, b, 5] = sx, sy, sz


@kernel
def sum_parts(k, parts, sums):
    """Write the sums of blocks of parts, likewise."""
    s, b = k // sums.shape[1], k % sums.shape[1]
    for j in range(parts.shape[2]):
        total = parts[s, b * BLOCK, j]
        for n in range(b * BLOCK + 1, min((b + 1) * BLOCK, parts.shape[1])):
            total += parts[s, n, j]
        sums[s, b, j] = total


@kernel
def pick_forces(i, forces, where, picked):
    """Copy the forces on some points: picked[point, axis]."""
    for axis in range(3):
        picked[i, axis] = forces[axis, where[i]]
