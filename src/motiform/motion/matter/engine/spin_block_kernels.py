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

__all__ = ["BLOCK", "DESK", "NOTES", "add_sums", "find_reaches", "rub_chunks"]

BLOCK = 64
"""Pairs that are worked out abreast; a power of two."""
_D, _SQUARE, _E, _BOTH, _LESS = 0, 3 * BLOCK, 4 * BLOCK, 7 * BLOCK, 8 * BLOCK
_SPIN, _ROLL, _HELD, _FORCE, _FIRST = 9 * BLOCK, 12 * BLOCK, 15 * BLOCK, 18 * BLOCK, 21 * BLOCK
_SECOND, _TENSION, _TAKEN, _ROLLED, _TWIST = 24 * BLOCK, 27 * BLOCK, 28 * BLOCK, 29 * BLOCK, 32 * BLOCK
_ALONG, _SLIPS, _2 = 33 * BLOCK, 34 * BLOCK, 2 * BLOCK
DESK = 35 * BLOCK
"""Numbers on the desk of a chunk."""
NOTES = 2 * BLOCK
"""Notes of a chunk: pairs that touch, and those that do not."""


@kernel
def find_reaches(c, bounds, firsts, others, tops):
    """Write behind which ball the pairs of a chunk of balls end."""
    top = bounds[c + 1]
    for i in range(bounds[c], bounds[c + 1]):
        if firsts[i + 1] > firsts[i]:
            top = max(top, others[firsts[i + 1] - 1] + 1)
    tops[c] = top


@inline
def _find(desk, notes, o, m, k, last, ends, others, balls, farthest):
    """Put the lines of those of the next pairs that touch on the desk, and note which they are; return how many.

    Those that do not are noted behind them. There are no branches: which pairs touch cannot be foreseen.
    """
    count, apart = 0, 0
    for n in range(k, last):
        l, b = ix(n), ix(o + count)
        i, j = ix(ends[l]), ix(others[l])
        dx, dy, dz = balls[0, j] - balls[0, i], balls[1, j] - balls[1, i], balls[2, j] - balls[2, i]
        both = balls[3, i] + balls[3, j]
        square, reach = dx * dx + dy * dy + dz * dz, farthest + both
        desk[b + ix(_D)], desk[b + ix(_D + BLOCK)], desk[b + ix(_D + _2)] = dx, dy, dz
        desk[b + ix(_SQUARE)], desk[b + ix(_BOTH)] = square, both
        notes[ix(m + count)] = n
        notes[ix(m + BLOCK + apart)] = n
        touch = int(square < reach * reach) & int(square > 0.0)
        count, apart = count + touch, apart + (1 - touch)
    return count


@inline
def _lay(desk, notes, o, m, count, ends, others, balls, memory, planes, differ):
    """Put on the desk what the ends of pairs do against each other, and what the pairs remember."""
    for n in range(count):
        b, l = ix(o + n), ix(notes[ix(m + n)])
        i, j = ix(ends[l]), ix(others[l])
        desk[b + ix(_E)], desk[b + ix(_E + BLOCK)] = balls[4, j] - balls[4, i], balls[5, j] - balls[5, i]
        desk[b + ix(_E + _2)] = balls[6, j] - balls[6, i]
        px, py, pz, qx, qy, qz = balls[7, i], balls[8, i], balls[9, i], balls[7, j], balls[8, j], balls[9, j]
        desk[b + ix(_SPIN)], desk[b + ix(_SPIN + BLOCK)], desk[b + ix(_SPIN + _2)] = px + qx, py + qy, pz + qz
        if differ:
            desk[b + ix(_LESS)] = balls[3, i] - balls[3, j]
            desk[b + ix(_ROLL)], desk[b + ix(_ROLL + BLOCK)], desk[b + ix(_ROLL + _2)] = qx - px, qy - py, qz - pz
        desk[b + ix(_HELD)], desk[b + ix(_HELD + BLOCK)] = memory[0, l], memory[1, l]
        desk[b + ix(_HELD + _2)] = memory[2, l]
        if planes > 3:
            for k in range(4):
                desk[ix(o + n + _ROLLED + k * BLOCK)] = memory[ix(3 + k), l]


@inline
def _forget(notes, m, count, memory, planes):
    """Let pairs forget."""
    for n in range(count):
        l = ix(notes[ix(m + n)])
        memory[0, l], memory[1, l], memory[2, l] = 0.0, 0.0, 0.0
        if planes > 3:
            memory[3, l], memory[4, l], memory[5, l], memory[6, l] = 0.0, 0.0, 0.0, 0.0


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
def _shift_block(desk, o, count, per_step):
    """Let the surfaces of unequal balls touch where they do: arms (d ± less)/2 move them by Te less/2 (ω₂ − ω₁) × u."""
    half = 0.5 / per_step
    for n in range(count):
        b = ix(o + n)
        ux, uy, uz, less = (
            desk[b + ix(_D)], desk[b + ix(_D + BLOCK)], desk[b + ix(_D + _2)], half * desk[b + ix(_LESS)]
        )  # fmt: skip
        rx, ry, rz = less * desk[b + ix(_ROLL)], less * desk[b + ix(_ROLL + BLOCK)], less * desk[b + ix(_ROLL + _2)]
        desk[b + ix(_E)] += ry * uz - rz * uy
        desk[b + ix(_E + BLOCK)] += rz * ux - rx * uz
        desk[b + ix(_E + _2)] += rx * uy - ry * ux


@fused
def _share_block(desk, o, count):
    """Share torques among unequal ends: by their arms (d ± less)/2."""
    for n in range(count):
        b = ix(o + n)
        part = desk[b + ix(_LESS)] / desk[b + ix(_SQUARE)]
        qx, qy, qz = desk[b + ix(_FIRST)], desk[b + ix(_FIRST + BLOCK)], desk[b + ix(_FIRST + _2)]
        more, less = 1.0 + part, 1.0 - part
        desk[b + ix(_FIRST)], desk[b + ix(_SECOND)] = more * qx, less * qx
        desk[b + ix(_FIRST + BLOCK)], desk[b + ix(_SECOND + BLOCK)] = more * qy, less * qy
        desk[b + ix(_FIRST + _2)], desk[b + ix(_SECOND + _2)] = more * qz, less * qz


@fused
def _move_block(desk, o, count, per_step):
    """Work out how the surfaces of equal balls moved: e less its part along u, less Te (ω₁ + ω₂) × u d/2."""
    half = 0.5 / per_step
    for n in range(count):
        b = ix(o + n)
        ux, uy, uz = desk[b + ix(_D)], desk[b + ix(_D + BLOCK)], desk[b + ix(_D + _2)]
        d, along = half * desk[b + ix(_SQUARE)], desk[b + ix(_ALONG)]
        px, py, pz = d * desk[b + ix(_SPIN)], d * desk[b + ix(_SPIN + BLOCK)], d * desk[b + ix(_SPIN + _2)]
        desk[b + ix(_E)] = (desk[b + ix(_E)] - along * ux) - (py * uz - pz * uy)
        desk[b + ix(_E + BLOCK)] = (desk[b + ix(_E + BLOCK)] - along * uy) - (pz * ux - px * uz)
        desk[b + ix(_E + _2)] = (desk[b + ix(_E + _2)] - along * uz) - (px * uy - py * ux)


@fused
def _hold_block(desk, o, count, per_step):
    """Stretch what pairs hold: it turns with the pair and is laid into the plane across u."""
    half = 0.5 / per_step
    for n in range(count):
        b = ix(o + n)
        ux, uy, uz = desk[b + ix(_D)], desk[b + ix(_D + BLOCK)], desk[b + ix(_D + _2)]
        sx, sy, sz = desk[b + ix(_SPIN)], desk[b + ix(_SPIN + BLOCK)], desk[b + ix(_SPIN + _2)]
        gx, gy = desk[b + ix(_HELD)] + desk[b + ix(_E)], desk[b + ix(_HELD + BLOCK)] + desk[b + ix(_E + BLOCK)]
        gz = desk[b + ix(_HELD + _2)] + desk[b + ix(_E + _2)]
        hx, hy = gx + half * (sy * gz - sz * gy), gy + half * (sz * gx - sx * gz)
        hz = gz + half * (sx * gy - sy * gx)
        off = hx * ux + hy * uy + hz * uz
        desk[b + ix(_HELD)], desk[b + ix(_HELD + BLOCK)] = hx - off * ux, hy - off * uy
        desk[b + ix(_HELD + _2)] = hz - off * uz


@inline
def _sum_up(desk, b, fx, fy, fz):
    """Add tension and friction of a pair, and work out its torque about equal ends and the energy that is taken."""
    ux, uy, uz = desk[b + ix(_D)], desk[b + ix(_D + BLOCK)], desk[b + ix(_D + _2)]
    half, t = 0.5 * desk[b + ix(_SQUARE)], desk[b + ix(_TENSION)]
    desk[b + ix(_TAKEN)] = fx * desk[b + ix(_E)] + fy * desk[b + ix(_E + BLOCK)] + fz * desk[b + ix(_E + _2)]
    desk[b + ix(_FORCE)], desk[b + ix(_FORCE + BLOCK)] = t * ux + fx, t * uy + fy
    desk[b + ix(_FORCE + _2)] = t * uz + fz
    qx, qy, qz = uy * fz - uz * fy, uz * fx - ux * fz, ux * fy - uy * fx
    desk[b + ix(_FIRST)], desk[b + ix(_FIRST + BLOCK)], desk[b + ix(_FIRST + _2)] = half * qx, half * qy, half * qz


@inline
def _sprung(desk, b, axis, stiffness, damping):
    """Return what spring and damper of a pair do along an axis."""
    return stiffness * desk[b + ix(_HELD + axis)] + damping * desk[b + ix(_E + axis)]


@fused
def _sum_block(desk, o, count, limit, stiffness, damping):
    """Work out what springs and dampers of pairs do if none slips, and tell which do."""
    for n in range(count):
        b = ix(o + n)
        fx, fy = _sprung(desk, b, 0, stiffness, damping), _sprung(desk, b, BLOCK, stiffness, damping)
        fz = _sprung(desk, b, _2, stiffness, damping)
        most = limit * desk[b + ix(_TENSION)]
        desk[b + ix(_SLIPS)] = (fx * fx + fy * fy + fz * fz) - most * most
        _sum_up(desk, b, fx, fy, fz)


@fused
def _slip_block(desk, o, count, limit, stiffness, damping, part):
    """Let those pairs slip whose springs and dampers would do more than friction can."""
    for n in range(count):
        b = ix(o + n)
        if desk[b + ix(_SLIPS)] > 0.0:
            fx, fy = _sprung(desk, b, 0, stiffness, damping), _sprung(desk, b, BLOCK, stiffness, damping)
            fz = _sprung(desk, b, _2, stiffness, damping)
            size, most = math.sqrt(fx * fx + fy * fy + fz * fz), limit * abs(desk[b + ix(_TENSION)])
            share = most / size if size > 0.0 else 0.0
            fx, fy, fz = share * fx, share * fy, share * fz
            desk[b + ix(_HELD)] = part * (fx - damping * desk[b + ix(_E)])
            desk[b + ix(_HELD + BLOCK)] = part * (fy - damping * desk[b + ix(_E + BLOCK)])
            desk[b + ix(_HELD + _2)] = part * (fz - damping * desk[b + ix(_E + _2)])
            _sum_up(desk, b, fx, fy, fz)


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
def _file(desk, notes, o, m, count, base, ends, others, memory, planes, keeps, differ, sums):
    """Add what the pairs on the desk do to the sums of their ends, keep what they remember; return what was taken."""
    taken = 0.0
    for n in range(count):
        b, l = ix(o + n), ix(notes[ix(m + n)])
        i, j = ix(base + 6 * int(ends[l])), ix(base + 6 * int(others[l]))
        fx, fy, fz = desk[b + ix(_FORCE)], desk[b + ix(_FORCE + BLOCK)], desk[b + ix(_FORCE + _2)]
        px, py, pz = desk[b + ix(_FIRST)], desk[b + ix(_FIRST + BLOCK)], desk[b + ix(_FIRST + _2)]
        qx, qy, qz = px, py, pz
        if differ:
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
    c, bounds, tops, bases, firsts, ends, others, order, balls, table, per_step, farthest, rub, differ, memory, desk,
    notes, sums, lost,
):  # fmt: skip
    """Work out the pairs whose first ends are in a chunk of balls; those out of range forget.

    The energy that friction takes in all of them is noted at the first ball.
    """
    law, planes, keeps = load_law(table, 0), memory.shape[0], rub[1] > 0.0
    limit, stiffness, damping = rub[0], rub[1], rub[2] * per_step
    part, one_zone = (1.0 / stiffness if keeps else 0.0), law[0] >= farthest
    base, o, m = bases[c] - 6 * bounds[c], c * DESK, c * NOTES
    for n in range(bases[c], bases[c] + 6 * (tops[c] - bounds[c])):
        sums[ix(n)] = 0.0
    k, last, taken = firsts[bounds[c]], firsts[bounds[c + 1]], 0.0
    while k < last:
        end = min(k + BLOCK, last)
        count = _find(desk, notes, o, m, k, end, ends, others, balls, farthest)
        _lay(desk, notes, o, m, count, ends, others, balls, memory, planes, differ)
        _forget(notes, m + BLOCK, end - k - count, memory, planes)
        k = end
        _press_block(desk, o, count, law, one_zone, per_step)
        if differ:
            _shift_block(desk, o, count, per_step)
        _move_block(desk, o, count, per_step)
        _hold_block(desk, o, count, per_step)
        _sum_block(desk, o, count, limit, stiffness, damping)
        _slip_block(desk, o, count, limit, stiffness, damping, part)
        if differ:
            _share_block(desk, o, count)
        if planes > 3:
            _roll_block(desk, o, count, per_step, rub[3], rub[4], stiffness, damping, part)
        taken += _file(desk, notes, o, m, count, base, ends, others, memory, planes, keeps, differ, sums)
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
