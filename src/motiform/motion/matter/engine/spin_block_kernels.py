"""Kernels of balls that rotate, for a CPU: contacts in blocks that its vector units take abreast.

Of the pairs that are listed those are picked, once in a while, that may touch before the next time. They are taken in
the order of the list, so many abreast: loops without branches work them out on a desk, a row for each number and a
column for each pair, and what they do is added to sums of the chunk of balls that they belong to. The sums of a chunk
reach as far as the second ends of its pairs; every ball then adds up what the chunks know of it, in their order. The
law is that of `spin_kernels`.

Loops run over whole blocks, whose last one is filled up with pairs of a ball and itself, which do nothing: vector units
and what follows them round differently, and results must not depend on how pairs fall into blocks.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from numba import uint64 as ix

from motiform.base.kernels import fused, inline, kernel
from motiform.motion.matter.engine.link_kernels import law_tension, load_law
from motiform.motion.matter.engine.spin_lanes import add_to_ends, lay_differences, lay_totals

__all__ = ["BLOCK", "DESK", "add_sums", "find_reaches", "friction_chunks", "pick_pairs", "store_memory"]

BLOCK = 64
"""Pairs that are worked out abreast; a power of two."""
_D, _E, _W, _FORCE, _FIRST, _SECOND = 0, 3 * BLOCK, 6 * BLOCK, 9 * BLOCK, 12 * BLOCK, 15 * BLOCK
_LONG, _TENSION, _TAKEN, _SLIPS, _KEPT = 18 * BLOCK, 19 * BLOCK, 20 * BLOCK, 21 * BLOCK, 22 * BLOCK
_BOTH, _LESS, _ROLL = 23 * BLOCK, 24 * BLOCK, 25 * BLOCK
_1, _2 = BLOCK, 2 * BLOCK
DESK = 28 * BLOCK
"""Numbers on the desk of a chunk."""


@kernel
def find_reaches(c, bounds, firsts, others, tops):
    """Write behind which ball the pairs of a chunk of balls end."""
    top = bounds[c + 1]
    for i in range(bounds[c], bounds[c + 1]):
        if firsts[i + 1] > firsts[i]:
            top = max(top, others[firsts[i + 1] - 1] + 1)
    tops[c] = top


@kernel
def pick_pairs(
    c, bounds, firsts, ends, others, places, radius, reach, memory, starts, counts, first, second, which, held
):
    """Pick the pairs of a chunk whose gap is below `reach`, with what they remember, and fill up the last block."""
    at, count = starts[c], 0
    for n in range(firsts[bounds[c]], firsts[bounds[c + 1]]):
        l, p = ix(n), ix(at + count)
        i, j = ix(ends[l]), ix(others[l])
        dx, dy, dz = places[0, j] - places[0, i], places[1, j] - places[1, i], places[2, j] - places[2, i]
        most = reach + (radius[i] + radius[j])
        first[p], second[p], which[p] = ends[l], others[l], n
        for k in range(held.shape[0]):
            held[ix(k), p] = memory[ix(k), l]
        count += 1 if dx * dx + dy * dy + dz * dz < most * most else 0
    counts[c] = count
    for n in range(at + count, at + (count + BLOCK - 1) // BLOCK * BLOCK):
        first[n], second[n] = bounds[c], bounds[c]
        for k in range(held.shape[0]):
            held[k, n] = 0.0


@kernel
def store_memory(c, starts, counts, which, held, memory):
    """Write what the picked pairs of a chunk remember where it is kept for all."""
    for n in range(starts[c], starts[c] + counts[c]):
        for k in range(held.shape[0]):
            memory[k, which[n]] = held[k, n]


@inline
def _load_pairs(desk, o, p, first, second, balls, differ):
    """Put the lines of a block of pairs on the desk, how their ends moved against each other, and their mean turns."""
    for n in range(0, BLOCK, 2):
        b, l, r = ix(o + n), ix(p + n), ix(p + n + 1)
        i, j, k, m = ix(10 * first[l]), ix(10 * second[l]), ix(10 * first[r]), ix(10 * second[r])
        for at in range(0, 6, 2):
            lay_differences(desk, b + ix(_D + at * _1), ix(_1), balls, i + ix(at), j + ix(at), k + ix(at), m + ix(at))
        lay_totals(desk, b + ix(_W), ix(_1), balls, i + ix(6), j + ix(6), k + ix(6), m + ix(6))
        lay_totals(desk, b + ix(_W + _2), ix(_BOTH - _W - _2), balls, i + ix(8), j + ix(8), k + ix(8), m + ix(8))
    if differ:
        for n in range(BLOCK):
            b, l = ix(o + n), ix(p + n)
            i, j = ix(first[l]), ix(second[l])
            desk[b + ix(_LESS)] = balls[9, i] - balls[9, j]
            desk[b + ix(_ROLL)] = balls[6, j] - balls[6, i]
            desk[b + ix(_ROLL + _1)] = balls[7, j] - balls[7, i]
            desk[b + ix(_ROLL + _2)] = balls[8, j] - balls[8, i]


@fused
def _less_cross(x, y, z, ax, ay, az, bx, by, bz):
    """Return x − a × b."""
    return x - ay * bz + az * by, y - az * bx + ax * bz, z - ax * by + ay * bx


@inline
def _row(desk, b, row):
    """Return a vector of a pair on the desk."""
    return desk[b + ix(row)], desk[b + ix(row + _1)], desk[b + ix(row + _2)]


@inline
def _put(desk, b, row, x, y, z):
    """Put a vector of a pair on the desk."""
    desk[b + ix(row)], desk[b + ix(row + _1)], desk[b + ix(row + _2)] = x, y, z


@fused
def _hold(desk, o, p, held):
    """Stretch what pairs hold: it turns with the pair, is laid into the plane across u, and takes up what slid."""
    for n in range(BLOCK):
        b, l = ix(o + n), ix(p + n)
        ux, uy, uz = _row(desk, b, _D)
        wx, wy, wz = _row(desk, b, _W)
        ex, ey, ez = _row(desk, b, _E)
        hx, hy, hz, kept = held[0, l], held[1, l], held[2, l], desk[b + ix(_KEPT)]
        hx, hy, hz = _less_cross(hx, hy, hz, hx, hy, hz, wx, wy, wz)
        off = hx * ux + hy * uy + hz * uz
        held[0, l] = (kept * hx - off * ux) + ex
        held[1, l] = (kept * hy - off * uy) + ey
        held[2, l] = (kept * hz - off * uz) + ez


def _blocks(differ):
    """Return the loops over pairs of equal balls that act in one zone, or of any: loops with branches are not abreast.

    Equal balls move by −w × D against each other where they touch, w = Te (ω₁ + ω₂)/2 the turn of the pair in a step.
    """

    @fused
    def pair_tensions(desk, o, law, both, cutoff, per_step):
        """Work out directions and tensions of pairs, and how their surfaces slid; all is 0 where they do not touch."""
        for n in range(BLOCK):
            b = ix(o + n)
            dx, dy, dz = _row(desk, b, _D)
            wx, wy, wz = _row(desk, b, _W)
            ex, ey, ez = _row(desk, b, _E)
            apart = desk[b + ix(_BOTH)] if differ else both
            square, reach = dx * dx + dy * dy + dz * dz, cutoff + apart
            d = math.sqrt(square)
            near = (square < reach * reach) & (square > 0.0)
            inverse, kept = (1.0 / d if near else 0.0), (1.0 if near else 0.0)
            ux, uy, uz = inverse * dx, inverse * dy, inverse * dz
            ex, ey, ez = _less_cross(ex, ey, ez, wx, wy, wz, dx, dy, dz)
            along = ux * ex + uy * ey + uz * ez
            gap, rate = d - apart, along * per_step
            t = law_tension(law, gap, rate) if differ else law[3] * (gap - law[5]) + law[4] * rate
            ex, ey, ez = kept * ex - along * ux, kept * ey - along * uy, kept * ez - along * uz
            if differ:  # their surfaces touch off the middle
                less = desk[b + ix(_LESS)]
                rx, ry, rz = _row(desk, b, _ROLL)
                ex, ey, ez = _less_cross(ex, ey, ez, ux, uy, uz, less * rx, less * ry, less * rz)
            desk[b + ix(_TENSION)], desk[b + ix(_LONG)], desk[b + ix(_KEPT)] = (t if near else 0.0), d, kept
            _put(desk, b, _D, ux, uy, uz)
            _put(desk, b, _E, ex, ey, ez)

    @inline
    def write_pair(desk, b, ex, ey, ez, fx, fy, fz):
        """Write force and torques of a pair with friction f at arms (d ± less)/2, and the energy that it takes."""
        ux, uy, uz = _row(desk, b, _D)
        t, arm = desk[b + ix(_TENSION)], 0.5 * desk[b + ix(_LONG)]
        desk[b + ix(_TAKEN)] = fx * ex + fy * ey + fz * ez
        _put(desk, b, _FORCE, t * ux + fx, t * uy + fy, t * uz + fz)
        qx, qy, qz = uy * fz - uz * fy, uz * fx - ux * fz, ux * fy - uy * fx
        if differ:
            less = 0.5 * desk[b + ix(_LESS)]
            other = arm - less
            arm += less
            _put(desk, b, _SECOND, other * qx, other * qy, other * qz)
        _put(desk, b, _FIRST, arm * qx, arm * qy, arm * qz)

    @fused
    def stick_pairs(desk, o, p, held, limit, stiffness, damping):
        """Work out what pairs do if none slips, and tell which do."""
        for n in range(BLOCK):
            b, l = ix(o + n), ix(p + n)
            ex, ey, ez = _row(desk, b, _E)
            fx, fy = stiffness * held[0, l] + damping * ex, stiffness * held[1, l] + damping * ey
            fz, most = stiffness * held[2, l] + damping * ez, limit * desk[b + ix(_TENSION)]
            desk[b + ix(_SLIPS)] = (fx * fx + fy * fy + fz * fz) - most * most
            write_pair(desk, b, ex, ey, ez, fx, fy, fz)

    @fused
    def slip(desk, o, p, held, limit, stiffness, damping, part):
        """Let those pairs slip whose springs and dampers would do more than friction can."""
        for n in range(BLOCK):
            b, l = ix(o + n), ix(p + n)
            if desk[b + ix(_SLIPS)] > 0.0:
                ex, ey, ez = _row(desk, b, _E)
                fx, fy = stiffness * held[0, l] + damping * ex, stiffness * held[1, l] + damping * ey
                fz = stiffness * held[2, l] + damping * ez
                size = math.sqrt(fx * fx + fy * fy + fz * fz)
                share = limit * abs(desk[b + ix(_TENSION)]) / size if size > 0.0 else 0.0
                fx, fy, fz = share * fx, share * fy, share * fz
                held[0, l], held[1, l] = part * (fx - damping * ex), part * (fy - damping * ey)
                held[2, l] = part * (fz - damping * ez)
                write_pair(desk, b, ex, ey, ez, fx, fy, fz)

    return pair_tensions, stick_pairs, slip


_press_equal, _rub_equal, _slip_equal = _blocks(differ=False)
_press_any, _rub_any, _slip_any = _blocks(differ=True)


@fused
def _roll(desk, o, p, held, rolling, torsion, stiffness, damping, part):
    """Add the couples that resist rolling and torsion of pairs."""
    for n in range(BLOCK):
        b, l = ix(o + n), ix(p + n)
        ux, uy, uz = _row(desk, b, _D)
        wx, wy, wz = _row(desk, b, _W)
        rx, ry, rz = _row(desk, b, _ROLL)
        both, less, t = desk[b + ix(_BOTH)], desk[b + ix(_LESS)], abs(desk[b + ix(_TENSION)])
        kept = desk[b + ix(_KEPT)]
        arm = 0.25 * (both - less * less / both) if both > 0.0 else 0.0  # r₁ r₂/(r₁ + r₂)
        by = 2.0 * kept * arm
        rx, ry, rz = by * rx, by * ry, by * rz
        along = rx * ux + ry * uy + rz * uz
        ex, ey, ez = rx - along * ux, ry - along * uy, rz - along * uz
        hx, hy, hz = kept * held[3, l], kept * held[4, l], kept * held[5, l]
        hx, hy, hz = _less_cross(hx, hy, hz, hx, hy, hz, wx, wy, wz)
        off = hx * ux + hy * uy + hz * uz
        hx, hy, hz = (hx - off * ux) + ex, (hy - off * uy) + ey, (hz - off * uz) + ez
        fx, fy, fz = stiffness * hx + damping * ex, stiffness * hy + damping * ey, stiffness * hz + damping * ez
        size, most = math.sqrt(fx * fx + fy * fy + fz * fz), rolling * t
        slips = size > most
        share = most / size if slips else 1.0
        fx, fy, fz = share * fx, share * fy, share * fz
        held[3, l] = part * (fx - damping * ex) if slips else hx
        held[4, l] = part * (fy - damping * ey) if slips else hy
        held[5, l] = part * (fz - damping * ez) if slips else hz
        turned, most = kept * held[6, l] + along, torsion * t
        q = stiffness * turned + damping * along
        twist = min(max(q, -most), most)
        held[6, l] = part * (twist - damping * along) if twist != q else turned
        fx, fy, fz = fx + twist * ux, fy + twist * uy, fz + twist * uz
        desk[b + ix(_TAKEN)] += fx * rx + fy * ry + fz * rz
        mx, my, mz = arm * fx, arm * fy, arm * fz
        px, py, pz = _row(desk, b, _FIRST)
        qx, qy, qz = _row(desk, b, _SECOND)
        _put(desk, b, _FIRST, px + mx, py + my, pz + mz)
        _put(desk, b, _SECOND, qx - mx, qy - my, qz - mz)


@inline
def _file(desk, o, p, count, base, first, second, torques, sums):
    """Add what the pairs on the desk do to the sums of their ends; return the energy that was taken."""
    taken = 0.0
    for n in range(0, count, 2):
        b, l, r = ix(o + n), ix(p + n), ix(p + n + 1)
        i, j = ix(base + 6 * int(first[l])), ix(base + 6 * int(second[l]))
        k, m = ix(base + 6 * int(first[r])), ix(base + 6 * int(second[r]))
        taken = taken + desk[b + ix(_TAKEN)] + desk[b + ix(_TAKEN + 1)]
        add_to_ends(desk, b + ix(_FORCE), b + ix(_FIRST), b + ix(torques), ix(_1), sums, i, j, k, m)
    return taken


@kernel
def friction_chunks(
    c, bounds, tops, bases, starts, counts, first, second, order, balls, table, per_step, cutoff, rub, unequal, held,
    desk, sums, lost,
):  # fmt: skip
    """Work out the picked pairs whose first ends are in a chunk of balls; those out of range forget.

    The energy that friction takes in all of them is noted at the first ball.
    """
    law, planes, keeps = load_law(table, 0), held.shape[0], rub[1] > 0.0
    limit, stiffness, damping = rub[0], rub[1], rub[2] * per_step
    part, differ = (1.0 / stiffness if keeps else 0.0), unequal or law[0] < cutoff
    base, o, both, taken = bases[c] - 6 * bounds[c], c * DESK, 2.0 * balls[9, 0], 0.0
    for n in range(bases[c], bases[c] + 6 * (tops[c] - bounds[c])):
        sums[ix(n)] = 0.0
    for p in range(starts[c], starts[c] + counts[c], BLOCK):
        _load_pairs(desk, o, p, first, second, balls, differ)
        if differ:
            _press_any(desk, o, law, both, cutoff, per_step)
        else:
            _press_equal(desk, o, law, both, cutoff, per_step)
        _hold(desk, o, p, held)
        if differ:
            _rub_any(desk, o, p, held, limit, stiffness, damping)
            _slip_any(desk, o, p, held, limit, stiffness, damping, part)
        else:
            _rub_equal(desk, o, p, held, limit, stiffness, damping)
            _slip_equal(desk, o, p, held, limit, stiffness, damping, part)
        if planes > 3:
            _roll(desk, o, p, held, rub[3], rub[4], stiffness, damping, part)
        if not keeps:
            for k in range(planes):
                for l in range(p, p + BLOCK):
                    held[ix(k), ix(l)] = 0.0
        count = min(BLOCK, starts[c] + counts[c] - p)
        if differ:
            taken += _file(desk, o, p, count, base, first, second, _SECOND, sums)
        else:
            taken += _file(desk, o, p, count, base, first, second, _FIRST, sums)
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
