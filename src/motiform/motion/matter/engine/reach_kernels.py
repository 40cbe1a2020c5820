"""Kernels of links by range: pairs of neighbours, each worked out once, then gathered by their masses.

A pair's first end is the one that is sorted ahead of the other; its force is the one on that end, and the other feels
the opposite. Positions and moves are side by side in the sorted order. The rate of a distance is the projected relative
velocity, which needs no memory.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from numba import uint64 as ix

from motiform.base.kernels import inline, kernel
from motiform.geometry.search.neighbour_kernels import first_at_least
from motiform.motion.matter.engine.link_kernels import law_tension, load_law

__all__ = [
    "carry_memory", "carry_pairs", "count_pairs", "creeping_pairs", "find_backs", "gather_pairs", "line_up",
    "make_pairs", "rank_order", "smooth_pairs", "sticking_pairs",
]  # fmt: skip


@kernel
def line_up(c, width, order, x, before, places, strides, listed, slack, mark, moved):
    """Copy positions of masses and what they moved in the last step, side by side; tell who left the list's slack."""
    far = 0
    for n in range(c * width, min((c + 1) * width, order.shape[0])):
        i, m = ix(n), ix(order[ix(n)])
        off = 0.0
        for axis in range(3):
            place = x[axis, m]
            places[axis, i] = place
            strides[axis, i] = place - before[axis, m]
            off += (place - listed[axis, i]) * (place - listed[axis, i])
        far += 0 if off < slack * slack else 1
    if far > 0:
        moved[0] = mark  # all writers of this step write the same value


@kernel
def rank_order(i, order, rank):
    """Write where a mass is in an order."""
    rank[order[i]] = i


@kernel
def carry_memory(i, order, neighbours, found, old_order, old_rank, old_neighbours, old_found, old_memory, memory):
    """Copy what pairs remember from an old list to a new one; new pairs begin with zeros."""
    before = old_rank[order[i]]
    for slot in range(found[i]):
        other = order[neighbours[slot, i]]
        for k in range(memory.shape[0]):
            memory[k, slot, i] = 0.0
        for old in range(old_found[before]):
            if old_order[old_neighbours[old, before]] == other:
                for k in range(memory.shape[0]):
                    memory[k, slot, i] = old_memory[k, old, before]


# ---- the list of pairs ----------------------------------------------------------------------------------------------


@kernel
def count_pairs(i, neighbours, offsets, stride, found, counts):
    """Count the neighbours of a point that are sorted behind it: the pairs whose first end it is."""
    n = 0
    if i < found.shape[0]:
        for slot in range(found[i]):
            n += 1 if neighbours[offsets[i] + slot * stride] > i else 0
    counts[i] = n


@kernel
def make_pairs(i, neighbours, offsets, stride, found, firsts, ends, others):
    """Write the pairs whose first end a point is."""
    l = firsts[i]
    for slot in range(found[i]):
        j = neighbours[offsets[i] + slot * stride]
        if j > i:
            ends[l], others[l] = i, j
            l += 1


@inline
def _pair(firsts, others, i, j):
    """Return the number of the pair of points i < j, or −1: second ends rise from pair to pair."""
    place = first_at_least(others, firsts[i], firsts[i + 1], j)
    return place if place < firsts[i + 1] and others[place] == j else -1


@kernel
def find_backs(i, neighbours, offsets, stride, found, firsts, others, backs):
    """Write the numbers of the pairs whose second end a point is, one after another."""
    n = 0
    for slot in range(found[i]):
        j = neighbours[offsets[i] + slot * stride]
        if j < i:
            backs[offsets[i] + n * stride] = _pair(firsts, others, j, i)
            n += 1


@kernel
def carry_pairs(l, ends, others, order, old_order, old_rank, old_firsts, old_others, old_memory, memory):
    """Copy what a pair remembers from an old list, turned round where its ends have changed places, or zeros."""
    a, b = old_rank[order[ends[l]]], old_rank[order[others[l]]]
    first, second, sign = (a, b, 1.0) if a < b else (b, a, -1.0)
    for k in range(memory.shape[0]):
        memory[k, l] = 0.0
    old = _pair(old_firsts, old_others, first, second)
    if old >= 0:
        for k in range(memory.shape[0]):
            memory[k, l] = (sign if k < 6 else 1.0) * old_memory[k, old]  # torsion about a line has no sense of it


# ---- forces ---------------------------------------------------------------------------------------------------------
# The numbers of a run of pairs are first put side by side (`between`: line, relative move, sum of radii), then worked
# out without branches: the second loop runs in the vector units of a CPU.


@inline
def _line_up_pairs(first, last, ends, others, places, strides, radius, between):
    for n in range(first, last):
        l = ix(n)
        i, j = ix(ends[l]), ix(others[l])
        for axis in range(3):
            between[axis, l] = places[axis, j] - places[axis, i]
            between[3 + axis, l] = strides[axis, j] - strides[axis, i]
        between[6, l] = radius[i] + radius[j]


@inline
def _normal(between, l, law, per_step, cutoff):
    """Return the direction of a pair, its tension (0 out of range) and the part of its move across the direction."""
    dx, dy, dz = between[0, l], between[1, l], between[2, l]
    ex, ey, ez, apart = between[3, l], between[4, l], between[5, l], between[6, l]
    d = math.sqrt(dx * dx + dy * dy + dz * dz)
    near = d < cutoff + apart and d > 0.0
    inverse = 1.0 / d if near else 0.0
    ux, uy, uz = dx * inverse, dy * inverse, dz * inverse
    along = ex * ux + ey * uy + ez * uz
    t = law_tension(law, d - apart, along * per_step) if near else 0.0
    return ux, uy, uz, t, near, ex - along * ux, ey - along * uy, ez - along * uz


@kernel
def smooth_pairs(c, width, pair_count, ends, others, places, strides, radius, between, table, per_step, cutoff, pulls):
    """Write the forces of pairs: a zone law of the gap between them."""
    law = load_law(table, 0)
    first, last = c * width, min((c + 1) * width, pair_count)
    _line_up_pairs(first, last, ends, others, places, strides, radius, between)
    for n in range(first, last):
        l = ix(n)
        ux, uy, uz, t, _, _, _, _ = _normal(between, l, law, per_step, cutoff)
        pulls[0, l], pulls[1, l], pulls[2, l] = t * ux, t * uy, t * uz


@kernel
def creeping_pairs(
    c, width, pair_count, ends, others, places, strides, radius, between, table, per_step, cutoff, rub, pulls
):  # fmt: skip
    """Write the forces of pairs, with friction that does not hold: viscous, up to Coulomb's limit."""
    law, limit, damping = load_law(table, 0), rub[0], rub[2] * per_step
    first, last = c * width, min((c + 1) * width, pair_count)
    _line_up_pairs(first, last, ends, others, places, strides, radius, between)
    for n in range(first, last):
        l = ix(n)
        ux, uy, uz, t, near, ex, ey, ez = _normal(between, l, law, per_step, cutoff)
        size, most = math.sqrt(ex * ex + ey * ey + ez * ez), limit * abs(t)
        share = damping if damping * size <= most else most / size
        share = share if near else 0.0
        pulls[0, l], pulls[1, l], pulls[2, l] = t * ux + share * ex, t * uy + share * ey, t * uz + share * ez


@kernel
def sticking_pairs(
    c, width, pair_count, ends, others, places, strides, radius, between, table, per_step, cutoff, rub, memory, pulls
):  # fmt: skip
    """Write the forces of pairs that stick by a spring and slip at the limit [Cundall79]; those out of range forget."""
    law, limit, stiffness, damping = load_law(table, 0), rub[0], rub[1], rub[2] * per_step
    part = 1.0 / stiffness
    first, last = c * width, min((c + 1) * width, pair_count)
    _line_up_pairs(first, last, ends, others, places, strides, radius, between)
    for n in range(first, last):
        l = ix(n)
        ux, uy, uz, t, near, ex, ey, ez = _normal(between, l, law, per_step, cutoff)
        hx, hy, hz = memory[0, l] + ex, memory[1, l] + ey, memory[2, l] + ez
        along = hx * ux + hy * uy + hz * uz  # the contact turns: what was across is laid into the new plane
        hx, hy, hz = hx - along * ux, hy - along * uy, hz - along * uz
        fx, fy, fz = stiffness * hx + damping * ex, stiffness * hy + damping * ey, stiffness * hz + damping * ez
        size, most = math.sqrt(fx * fx + fy * fy + fz * fz), limit * abs(t)
        slips = size > most
        share = most / size if slips else 1.0
        share = share if near else 0.0
        fx, fy, fz = share * fx, share * fy, share * fz
        kept = 1.0 if near else 0.0
        memory[0, l] = part * (fx - damping * ex) if slips and near else kept * hx
        memory[1, l] = part * (fy - damping * ey) if slips and near else kept * hy
        memory[2, l] = part * (fz - damping * ez) if slips and near else kept * hz
        pulls[0, l], pulls[1, l], pulls[2, l] = t * ux + fx, t * uy + fy, t * uz + fz


@kernel
def gather_pairs(c, width, order, found, firsts, backs, offsets, stride, pulls, forces):
    """Add the forces of all of their pairs on masses: those that begin at them lie together, the others are found."""
    for n in range(c * width, min((c + 1) * width, order.shape[0])):
        i = ix(n)
        start, end = firsts[i], firsts[ix(n + 1)]
        fx, fy, fz = 0.0, 0.0, 0.0
        for l in range(start, end):
            fx, fy, fz = fx + pulls[0, ix(l)], fy + pulls[1, ix(l)], fz + pulls[2, ix(l)]
        k = offsets[i]
        for _ in range(found[i] - (end - start)):
            l = ix(backs[ix(k)])
            k += stride
            fx, fy, fz = fx - pulls[0, l], fy - pulls[1, l], fz - pulls[2, l]
        m = ix(order[i])
        forces[0, m] += fx
        forces[1, m] += fy
        forces[2, m] += fz
