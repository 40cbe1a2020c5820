"""Kernels of balls that rotate, for a CPU: contacts in blocks that its vector units take abreast.

Pairs are taken in the order of their list. Those that touch are put side by side on a desk, a row for each number and
a column for each pair; loops without branches work them out, and what they do is added to sums of the chunk of balls
that they belong to. The sums of a chunk reach as far as the second ends of its pairs; every ball then adds up what the
chunks know of it, in their order. The law is that of `spin_kernels`.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from numba import uint64 as ix

from motiform.base.kernels import fused, inline, kernel
from motiform.motion.matter.engine.link_kernels import law_tension, load_law

__all__ = ["BLOCK", "DESK", "add_sums", "find_reaches", "rub_chunks"]

BLOCK = 64
"""Pairs that are worked out abreast; a power of two."""
_D, _SQUARE, _E, _BOTH, _LESS = 0, 3 * BLOCK, 4 * BLOCK, 7 * BLOCK, 8 * BLOCK
_SPIN, _ROLL, _HELD, _FORCE, _FIRST = 9 * BLOCK, 12 * BLOCK, 15 * BLOCK, 18 * BLOCK, 21 * BLOCK
_SECOND, _TENSION, _TAKEN, _ROLLED, _TWIST = 24 * BLOCK, 27 * BLOCK, 28 * BLOCK, 29 * BLOCK, 32 * BLOCK
_ALONG, _2 = 33 * BLOCK, 2 * BLOCK
DESK = 34 * BLOCK
"""Numbers on the desk of a chunk."""


@kernel
def find_reaches(c, bounds, firsts, others, tops):
    """Write behind which ball the pairs of a chunk of balls end."""
    top = bounds[c + 1]
    for i in range(bounds[c], bounds[c + 1]):
        if firsts[i + 1] > firsts[i]:
            top = max(top, others[firsts[i + 1] - 1] + 1)
    tops[c] = top


@inline
def _ball(balls, i):
    """Return place, radius, stride and angular velocity of a ball."""
    return (
        balls[0, i], balls[1, i], balls[2, i], balls[3, i], balls[4, i], balls[5, i], balls[6, i], balls[7, i],
        balls[8, i], balls[9, i],
    )  # fmt: skip


@inline
def _lay(desk, o, balls, a, j, dx, dy, dz, square, both):
    """Put a pair that touches on the desk: its line, and what its ends do against each other."""
    b = ix(o)
    desk[b + ix(_D)], desk[b + ix(_D + BLOCK)], desk[b + ix(_D + _2)] = dx, dy, dz
    desk[b + ix(_SQUARE)], desk[b + ix(_BOTH)], desk[b + ix(_LESS)] = square, both, a[3] - balls[3, j]
    desk[b + ix(_E)], desk[b + ix(_E + BLOCK)] = balls[4, j] - a[4], balls[5, j] - a[5]
    desk[b + ix(_E + _2)] = balls[6, j] - a[6]
    qx, qy, qz = balls[7, j], balls[8, j], balls[9, j]
    desk[b + ix(_SPIN)], desk[b + ix(_SPIN + BLOCK)], desk[b + ix(_SPIN + _2)] = a[7] + qx, a[8] + qy, a[9] + qz
    desk[b + ix(_ROLL)], desk[b + ix(_ROLL + BLOCK)], desk[b + ix(_ROLL + _2)] = qx - a[7], qy - a[8], qz - a[9]


@inline
def _recall(desk, o, memory, l, planes):
    """Put what a pair remembers on the desk."""
    for axis in range(3):
        desk[ix(o + _HELD + axis * BLOCK)] = memory[ix(axis), l]
    if planes > 3:
        for k in range(4):
            desk[ix(o + _ROLLED + k * BLOCK)] = memory[ix(3 + k), l]


@inline
def _forget(memory, l, planes):
    """Let a pair forget."""
    memory[0, l], memory[1, l], memory[2, l] = 0.0, 0.0, 0.0
    if planes > 3:
        memory[3, l], memory[4, l], memory[5, l], memory[6, l] = 0.0, 0.0, 0.0, 0.0


@inline
def _fill(desk, notes, o, m, k, last, firsts, ends, others, balls, memory, planes, farthest):
    """Put pairs from the k-th on on the desk until it is full; return how many, and the next one."""
    count = 0
    while count < BLOCK and k < last:
        i = ix(ends[ix(k)])
        a, end = _ball(balls, i), min(firsts[i + ix(1)], k + BLOCK - count)
        for n in range(k, end):
            l = ix(n)
            j = ix(others[l])
            dx, dy, dz, both = balls[0, j] - a[0], balls[1, j] - a[1], balls[2, j] - a[2], a[3] + balls[3, j]
            square, reach = dx * dx + dy * dy + dz * dz, farthest + both
            if square < reach * reach and square > 0.0:
                notes[ix(m + count)] = n
                _lay(desk, o + count, balls, a, j, dx, dy, dz, square, both)
                _recall(desk, o + count, memory, l, planes)
                count += 1
            else:
                _forget(memory, l, planes)
        k = end
    return count, k


@fused
def _press_block(desk, o, count, law, one_zone, per_step):
    """Work out directions and tensions of pairs abreast."""
    for n in range(count):
        b = ix(o + n)
        square = desk[b + ix(_SQUARE)]
        d = math.sqrt(square)
        inverse = d * (1.0 / square)
        ux, uy, uz = inverse * desk[b + ix(_D)], inverse * desk[b + ix(_D + BLOCK)], inverse * desk[b + ix(_D + _2)]
        along = ux * desk[b + ix(_E)] + uy * desk[b + ix(_E + BLOCK)] + uz * desk[b + ix(_E + _2)]
        desk[b + ix(_D)], desk[b + ix(_D + BLOCK)], desk[b + ix(_D + _2)] = ux, uy, uz
        desk[b + ix(_SQUARE)], desk[b + ix(_ALONG)] = d, along
        desk[b + ix(_TENSION)] = law[3] * ((d - desk[b + ix(_BOTH)]) - law[5]) + law[4] * (along * per_step)
    if not one_zone:
        for n in range(count):
            b = ix(o + n)
            gap, rate = desk[b + ix(_SQUARE)] - desk[b + ix(_BOTH)], desk[b + ix(_ALONG)] * per_step
            desk[b + ix(_TENSION)] = law_tension(law, gap, rate)


@fused
def _hold_block(desk, o, count, per_step, limit, stiffness, damping):
    """Work out what springs and dampers across the lines of pairs would do if none slipped."""
    half = 0.5 / per_step
    for n in range(count):
        b = ix(o + n)
        ux, uy, uz = desk[b + ix(_D)], desk[b + ix(_D + BLOCK)], desk[b + ix(_D + _2)]
        sx, sy, sz = desk[b + ix(_SPIN)], desk[b + ix(_SPIN + BLOCK)], desk[b + ix(_SPIN + _2)]
        d, less, along = half * desk[b + ix(_SQUARE)], half * desk[b + ix(_LESS)], desk[b + ix(_ALONG)]
        # the surfaces move by e less its part along u, less Te (a₁ ω₁ + a₂ ω₂) × u with the arms a = (d ± less)/2
        px = d * sx - less * desk[b + ix(_ROLL)]
        py = d * sy - less * desk[b + ix(_ROLL + BLOCK)]
        pz = d * sz - less * desk[b + ix(_ROLL + _2)]
        ex = (desk[b + ix(_E)] - along * ux) - (py * uz - pz * uy)
        ey = (desk[b + ix(_E + BLOCK)] - along * uy) - (pz * ux - px * uz)
        ez = (desk[b + ix(_E + _2)] - along * uz) - (px * uy - py * ux)
        desk[b + ix(_E)], desk[b + ix(_E + BLOCK)], desk[b + ix(_E + _2)] = ex, ey, ez
        # what is held turns with the pair and is laid into the plane across u
        gx, gy, gz = desk[b + ix(_HELD)] + ex, desk[b + ix(_HELD + BLOCK)] + ey, desk[b + ix(_HELD + _2)] + ez
        hx, hy = gx + half * (sy * gz - sz * gy), gy + half * (sz * gx - sx * gz)
        hz = gz + half * (sx * gy - sy * gx)
        off = hx * ux + hy * uy + hz * uz
        hx, hy, hz = hx - off * ux, hy - off * uy, hz - off * uz
        desk[b + ix(_HELD)], desk[b + ix(_HELD + BLOCK)], desk[b + ix(_HELD + _2)] = hx, hy, hz
        fx, fy, fz = stiffness * hx + damping * ex, stiffness * hy + damping * ey, stiffness * hz + damping * ez
        most = limit * desk[b + ix(_TENSION)]
        desk[b + ix(_FORCE)], desk[b + ix(_FORCE + BLOCK)], desk[b + ix(_FORCE + _2)] = fx, fy, fz
        desk[b + ix(_TAKEN)] = (fx * fx + fy * fy + fz * fz) - most * most


@inline
def _slip_block(desk, o, count, limit, damping, part):
    """Let those pairs slip whose springs and dampers would do more than friction can."""
    for n in range(count):
        b = o + n
        if desk[ix(b + _TAKEN)] > 0.0:
            fx, fy, fz = desk[ix(b + _FORCE)], desk[ix(b + _FORCE + BLOCK)], desk[ix(b + _FORCE + _2)]
            size, most = math.sqrt(fx * fx + fy * fy + fz * fz), limit * abs(desk[ix(b + _TENSION)])
            share = most / size if size > 0.0 else 0.0
            for axis in range(0, 3 * BLOCK, BLOCK):
                f = share * desk[ix(b + _FORCE + axis)]
                desk[ix(b + _FORCE + axis)] = f
                desk[ix(b + _HELD + axis)] = part * (f - damping * desk[ix(b + _E + axis)])


@fused
def _sum_block(desk, o, count):
    """Add tension and friction of pairs, and work out their torques about both ends and the energy that is taken."""
    for n in range(count):
        b = ix(o + n)
        ux, uy, uz = desk[b + ix(_D)], desk[b + ix(_D + BLOCK)], desk[b + ix(_D + _2)]
        fx, fy, fz = desk[b + ix(_FORCE)], desk[b + ix(_FORCE + BLOCK)], desk[b + ix(_FORCE + _2)]
        d, less, t = 0.5 * desk[b + ix(_SQUARE)], 0.5 * desk[b + ix(_LESS)], desk[b + ix(_TENSION)]
        one, two = d + less, d - less
        taken = fx * desk[b + ix(_E)] + fy * desk[b + ix(_E + BLOCK)] + fz * desk[b + ix(_E + _2)]
        qx, qy, qz = uy * fz - uz * fy, uz * fx - ux * fz, ux * fy - uy * fx
        desk[b + ix(_TAKEN)] = taken
        desk[b + ix(_FORCE)], desk[b + ix(_FORCE + BLOCK)] = t * ux + fx, t * uy + fy
        desk[b + ix(_FORCE + _2)] = t * uz + fz
        desk[b + ix(_FIRST)], desk[b + ix(_SECOND)] = one * qx, two * qx
        desk[b + ix(_FIRST + BLOCK)], desk[b + ix(_SECOND + BLOCK)] = one * qy, two * qy
        desk[b + ix(_FIRST + _2)], desk[b + ix(_SECOND + _2)] = one * qz, two * qz


@fused
def _roll_block(desk, o, count, per_step, rolling, torsion, stiffness, damping, part):
    """Add the couples that resist rolling and torsion of pairs abreast."""
    step = 1.0 / per_step
    half = 0.5 * step
    for n in range(count):
        b = ix(o + n)
        ux, uy, uz = desk[b + ix(_D)], desk[b + ix(_D + BLOCK)], desk[b + ix(_D + _2)]
        sx, sy, sz = desk[b + ix(_SPIN)], desk[b + ix(_SPIN + BLOCK)], desk[b + ix(_SPIN + _2)]
        both, less, t = desk[b + ix(_BOTH)], desk[b + ix(_LESS)], abs(desk[b + ix(_TENSION)])
        arm = 0.25 * (both - less * less / both) if both > 0.0 else 0.0  # r₁ r₂/(r₁ + r₂)
        by = arm * step
        rx, ry, rz = by * desk[b + ix(_ROLL)], by * desk[b + ix(_ROLL + BLOCK)], by * desk[b + ix(_ROLL + _2)]
        along = rx * ux + ry * uy + rz * uz
        ex, ey, ez = rx - along * ux, ry - along * uy, rz - along * uz
        hx, hy, hz = (
            desk[b + ix(_ROLLED)] + ex, desk[b + ix(_ROLLED + BLOCK)] + ey, desk[b + ix(_ROLLED + _2)] + ez
        )  # fmt: skip
        hx, hy, hz = (
            hx + half * (sy * hz - sz * hy), hy + half * (sz * hx - sx * hz), hz + half * (sx * hy - sy * hx)
        )  # fmt: skip
        off = hx * ux + hy * uy + hz * uz
        hx, hy, hz = hx - off * ux, hy - off * uy, hz - off * uz
        fx, fy, fz = stiffness * hx + damping * ex, stiffness * hy + damping * ey, stiffness * hz + damping * ez
        size, most = math.sqrt(fx * fx + fy * fy + fz * fz), rolling * t
        slips = size > most
        share = most / size if slips else 1.0
        fx, fy, fz = share * fx, share * fy, share * fz
        desk[b + ix(_ROLLED)] = part * (fx - damping * ex) if slips else hx
        desk[b + ix(_ROLLED + BLOCK)] = part * (fy - damping * ey) if slips else hy
        desk[b + ix(_ROLLED + _2)] = part * (fz - damping * ez) if slips else hz
        turned, most = desk[b + ix(_TWIST)] + along, torsion * t
        q = stiffness * turned + damping * along
        held = min(max(q, -most), most)
        desk[b + ix(_TWIST)] = part * (held - damping * along) if held != q else turned
        fx, fy, fz = fx + held * ux, fy + held * uy, fz + held * uz
        desk[b + ix(_TAKEN)] += fx * rx + fy * ry + fz * rz
        mx, my, mz = arm * fx, arm * fy, arm * fz
        desk[b + ix(_FIRST)] += mx
        desk[b + ix(_FIRST + BLOCK)] += my
        desk[b + ix(_FIRST + _2)] += mz
        desk[b + ix(_SECOND)] -= mx
        desk[b + ix(_SECOND + BLOCK)] -= my
        desk[b + ix(_SECOND + _2)] -= mz


@inline
def _file(desk, notes, o, m, count, base, ends, others, memory, planes, keeps, sums):
    """Add what the pairs on the desk do to the sums of their ends, keep what they remember; return what was taken."""
    taken = 0.0
    for n in range(count):
        b, l = ix(o + n), ix(notes[ix(m + n)])
        i, j = ix(base + 6 * int(ends[l])), ix(base + 6 * int(others[l]))
        fx, fy, fz = desk[b + ix(_FORCE)], desk[b + ix(_FORCE + BLOCK)], desk[b + ix(_FORCE + _2)]
        px, py, pz = desk[b + ix(_FIRST)], desk[b + ix(_FIRST + BLOCK)], desk[b + ix(_FIRST + _2)]
        qx, qy, qz = desk[b + ix(_SECOND)], desk[b + ix(_SECOND + BLOCK)], desk[b + ix(_SECOND + _2)]
        taken += desk[b + ix(_TAKEN)]
        sums[i], sums[i + ix(1)], sums[i + ix(2)] = sums[i] + fx, sums[i + ix(1)] + fy, sums[i + ix(2)] + fz
        sums[i + ix(3)], sums[i + ix(4)], sums[i + ix(5)] = (
            sums[i + ix(3)] + px, sums[i + ix(4)] + py, sums[i + ix(5)] + pz
        )  # fmt: skip
        sums[j], sums[j + ix(1)], sums[j + ix(2)] = sums[j] - fx, sums[j + ix(1)] - fy, sums[j + ix(2)] - fz
        sums[j + ix(3)], sums[j + ix(4)], sums[j + ix(5)] = (
            sums[j + ix(3)] + qx, sums[j + ix(4)] + qy, sums[j + ix(5)] + qz
        )  # fmt: skip
        if keeps:
            for k in range(3):
                memory[ix(k), l] = desk[ix(o + n + _HELD + k * BLOCK)]
            if planes > 3:
                for k in range(4):
                    memory[ix(3 + k), l] = desk[ix(o + n + _ROLLED + k * BLOCK)]
    return taken


@kernel
def rub_chunks(
    c, bounds, tops, bases, firsts, ends, others, order, balls, table, per_step, farthest, rub, memory, desk, notes,
    sums, lost,
):  # fmt: skip
    """Work out the pairs whose first ends are in a chunk of balls; those out of range forget.

    The energy that friction takes in all of them is noted at the first ball.
    """
    law, planes, keeps = load_law(table, 0), memory.shape[0], rub[1] > 0.0
    limit, stiffness, damping = rub[0], rub[1], rub[2] * per_step
    part, one_zone = (1.0 / stiffness if keeps else 0.0), law[0] >= farthest
    base, o, m = bases[c] - 6 * bounds[c], c * DESK, c * BLOCK
    for n in range(bases[c], bases[c] + 6 * (tops[c] - bounds[c])):
        sums[ix(n)] = 0.0
    k, last, taken = firsts[bounds[c]], firsts[bounds[c + 1]], 0.0
    while k < last:
        count, k = _fill(desk, notes, o, m, k, last, firsts, ends, others, balls, memory, planes, farthest)
        _press_block(desk, o, count, law, one_zone, per_step)
        _hold_block(desk, o, count, per_step, limit, stiffness, damping)
        _slip_block(desk, o, count, limit, damping, part)
        _sum_block(desk, o, count)
        if planes > 3:
            _roll_block(desk, o, count, per_step, rub[3], rub[4], stiffness, damping, part)
        taken += _file(desk, notes, o, m, count, base, ends, others, memory, planes, keeps, sums)
    lost[order[bounds[c]]] += taken


@kernel
def add_sums(c, width, order, bounds, tops, bases, sums, forces, torques):
    """Add up what the chunks know of balls, in the order of the chunks."""
    low, high = c * width, min((c + 1) * width, order.shape[0])
    for k in range(tops.shape[0]):
        base = bases[k] - 6 * bounds[k]
        for i in range(max(low, bounds[k]), min(high, tops[k])):
            m, b = ix(order[ix(i)]), ix(base + 6 * i)
            for axis in range(3):
                forces[axis, m] += sums[b + ix(axis)]
                torques[axis, m] += sums[b + ix(3 + axis)]
