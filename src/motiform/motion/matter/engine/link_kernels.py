"""Kernels of links: one scalar a link, from the distance of its ends.

A link pulls its ends together with a *tension* t = k (d − d0) + z (d − d₋)/Te; the seed's F¹² is −t [Habibi97 1.12,
sign corrected]. What is kept is s = t/d, so that the end at x is pulled by s (y − x) toward the one at y. Elements are
runs of `width` links: many on a CPU, whose vector units take them abreast, one on a GPU. Positions are x[axis, mass].
"""

# mypy: disable-error-code="no-untyped-def"

import math

from numba import uint64 as ix  # an index that is never negative: no branch for wrapping it round

from motiform.base.kernels import inline, kernel
from motiform.motion.matter.engine.columns import CUTS

__all__ = [
    "axial_links", "law_range", "law_tension", "load_law", "piston_links", "scale_links", "stencil_links", "tension",
    "zone_links",
]  # fmt: skip


@inline
def tension(table, row, d, rate):
    """Return the tension of a zone law at a distance [Habibi97 1.10–1.15]: linear within each zone."""
    if d < table[row, 0]:  # most links have one zone, or are in their first
        return table[row, CUTS] * (d - table[row, CUTS + 2]) + table[row, CUTS + 1] * rate
    zone = 0
    for cut in range(CUTS):
        if d >= table[row, cut]:
            zone = cut + 1
    column = CUTS + 3 * zone
    return table[row, column] * (d - table[row, column + 2]) + table[row, column + 1] * rate


@inline
def load_law(table, row):
    """Return the cuts of a law and the stiffness, damping and rest of its zones, to be kept in registers."""
    return (
        table[row, 0], table[row, 1], table[row, 2],
        table[row, 3], table[row, 4], table[row, 5], table[row, 6], table[row, 7], table[row, 8],
        table[row, 9], table[row, 10], table[row, 11], table[row, 12], table[row, 13], table[row, 14],
    )  # fmt: skip


@inline
def law_range(law):
    """Return the distance from which on a law does nothing."""
    far = math.inf
    if law[12] == 0.0 and law[13] == 0.0:
        far = law[2]
        if law[9] == 0.0 and law[10] == 0.0:
            far = law[1]
            if law[6] == 0.0 and law[7] == 0.0:
                far = law[0]
    return far


@inline
def law_tension(law, d, rate):
    """Return what `tension` does, without a branch, for loops over many links of one law."""
    k, z, rest = law[12], law[13], law[14]
    k, z, rest = (law[9], law[10], law[11]) if d < law[2] else (k, z, rest)
    k, z, rest = (law[6], law[7], law[8]) if d < law[1] else (k, z, rest)
    k, z, rest = (law[3], law[4], law[5]) if d < law[0] else (k, z, rest)
    return k * (d - rest) + z * rate


@kernel
def zone_links(c, width, x, ends, others, material, table, per_step, length, pull, first):
    """Write s of links along the line between their ends."""
    for l in range(c * width, min((c + 1) * width, ends.shape[0])):
        i, j = ix(ends[ix(l)]), ix(others[ix(l)])
        dx, dy, dz = x[0, j] - x[0, i], x[1, j] - x[1, i], x[2, j] - x[2, i]
        d = math.sqrt(dx * dx + dy * dy + dz * dz)
        t = tension(table, ix(material[ix(l)]), d, (d - length[ix(l)]) * per_step)
        pull[ix(first + l)] = t / d if d > 0.0 else 0.0
        length[ix(l)] = d


@kernel
def axial_links(l, x, ends, others, axis, material, table, per_step, length, pull, first):
    """Write the tension of links along one axis, whose distance is the signed difference of positions."""
    d = x[axis[l], others[l]] - x[axis[l], ends[l]]
    pull[first + l] = tension(table, material[l], d, (d - length[l]) * per_step)
    length[l] = d


@kernel
def scale_links(l, pull, first, gain):
    """Scale what a link pulls: more for one that works seldom, nothing between its turns."""
    pull[first + l] *= gain


@kernel
def piston_links(l, x, starts, ends, others, axis, material, table, per_step, length, pull, first):
    """Write the tension that a piston puts on all of its pairs: of their lengths' sum [Habibi97 7.64]."""
    total = 0.0
    for p in range(starts[l], starts[l + 1]):
        total += x[axis[p], others[p]] - x[axis[p], ends[p]]
    t = tension(table, material[l], total, (total - length[l]) * per_step)
    for p in range(starts[l], starts[l + 1]):
        pull[first + p] = t
    length[l] = total


# A stencil is the links of one direction of a regular grid: mass i with mass i + offset, where `there` says so. Its s
# of mass i is at start + i; ahead of its first mass there are as many zeros as the offset.


@kernel
def stencil_links(c, width, pad, x, whole, real, there, length, pull):
    """Write s of the links of stencils, each with one stiffness, damping and rest length."""
    low, high = pad + c * width, pad + (c + 1) * width
    for q in range(whole.shape[0]):
        offset, start = whole[q, 2], whole[q, 3]
        stiffness, damping, rest = real[q, 0], real[q, 1], real[q, 2]
        for n in range(max(low, whole[q, 0]), min(high, whole[q, 1])):
            i, j, l = ix(n), ix(n + offset), ix(start + n)
            dx, dy, dz = x[0, j] - x[0, i], x[1, j] - x[1, i], x[2, j] - x[2, i]
            d = math.sqrt(dx * dx + dy * dy + dz * dz)
            s = (stiffness * (d - rest) + damping * (d - length[l])) / d
            pull[l] = s if there[l] != 0 else 0.0
            length[l] = d
