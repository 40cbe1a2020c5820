"""The points at which solids of a figure touch, in a table that the rows of contacts are written from.

It is filled before rows are written: the pairs that are near are listed, looked at by the kernel of `geometry.touch`,
which is much code and compiled once, and their points kept.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import entry, typed_entry
from motiform.geometry.touch.columns import MOST, TOUCH_FLOATS
from motiform.motion.contact import columns as c
from motiform.motion.contact.feature_kernels import feature_at, feature_place
from motiform.motion.contact.layouts import Head
from motiform.motion.contact.pose_kernels import obstacle_pose, point_pose
from motiform.motion.tree.kernels.memory import ix
from motiform.motion.tree.kernels.place import place
from motiform.motion.tree.kernels.single import one_state, state_zero
from motiform.spatial.algebra import axpy, norm, sub, tmul

__all__ = ["feature_sites", "keep_touches", "near_solids"]


@typed_entry("int64", Head, "float64[::1]", "float64", "int64[::1]", "int64[:, ::1]", "float64[:, ::1]", "float64[::1]")
def near_solids(head, q, reach, chosen, kinds, poses, sizes):
    """List the pairs of solids whose balls about them are nearer than reach [m]; return how many.

    `kinds` are kind and place of the numbers of both, `poses` (24) rotation and origin of both; others' points go.
    """
    ints, cints, cfloats = head.ints, head.cints, head.cfloats
    W, Q, b = one_state(head.work), one_state(q), state_zero(ints)
    place(ints, head.floats, Q, W, b, W, b)
    near = 0
    for k in range(cints[c.SOLIDS]):
        at = cints[c.AT_SOLIDS] + c.SOLID_INTS * k
        number = cints[ix(at + 6)]
        RA, oA = point_pose(ints, cints, cfloats, cints[ix(at)], W)
        RB, oB = obstacle_pose(ints, cints, cfloats, cints[ix(at + 1)], W)
        if norm(sub(oA, oB)) - cfloats[ix(number + 1)] > reach:
            slot = int(cfloats[ix(number + 2)])
            for j in range(MOST):
                cfloats[ix(slot + TOUCH_FLOATS * j)] = c.FAR  # where it was last stays
            continue
        chosen[near], sizes[near] = k, cfloats[ix(number)]
        for i in range(4):
            kinds[near, i] = cints[ix(at + 2 + i)]
        for i in range(9):
            poses[near, i], poses[near, 12 + i] = RA[i], RB[i]
        for i in range(3):
            poses[near, 9 + i], poses[near, 21 + i] = oA[i], oB[i]
        near += 1
    return near


@typed_entry("void", Head, "float64[::1]", "int64[::1]", "int64[::1]", "float64[:, ::1]", "float64[:, ::1]")
def feature_sites(head, q, slots, firsts, limits, out):
    """Write gap, place, normal and how far outside its limits [m] each feature is, (n, 8).

    Limits of slot k begin at firsts[k]: normal and offset, of which solid (0 or 1), in its frame; inside is negative.
    """
    ints, cints, cfloats = head.ints, head.cints, head.cfloats
    W, Q, b = one_state(head.work), one_state(q), state_zero(ints)
    place(ints, head.floats, Q, W, b, W, b)
    for k in range(slots.shape[0]):
        pair = cints[c.FIRST_SLOT] + slots[k]
        gap, site, n, _, _ = feature_at(ints, cints, cfloats, pair, W)
        out[k, 0], out[k, 7] = gap, -math.inf
        for i in range(3):
            out[k, 1 + i], out[k, 4 + i] = site[i], n[i]
        own, at = cints[c.AT_PAIRS] + c.PAIR_INTS * pair, feature_place(cints, cfloats, pair)
        RA, oA = point_pose(ints, cints, cfloats, cints[ix(own)], W)
        RB, oB = obstacle_pose(ints, cints, cfloats, cints[ix(own + 1)], W)
        core = axpy(0.5 * gap + cfloats[ix(at + c.SIDE_A + 6)], n, site)
        other = axpy(-0.5 * gap - cfloats[ix(at + c.SIDE_B + 6)], n, site)
        x, y = tmul(RA, sub(other, oA)), tmul(RB, sub(core, oB))
        for j in range(firsts[slots[k]], firsts[slots[k] + 1]):
            z = x if limits[j, 4] == 0.0 else y
            off = limits[j, 0] * z[0] + limits[j, 1] * z[1] + limits[j, 2] * z[2] - limits[j, 3]
            out[k, 7] = max(out[k, 7], off)


@entry("int64(int64[::1], float64[::1], int64[::1], int64, float64, int64[::1], float64[:, :, ::1])")
def keep_touches(cints, cfloats, chosen, near, reach, counts, found):
    """Write the points of the listed pairs to their table; return how many are nearer than reach."""
    total = 0
    for m in range(near):
        slot = int(cfloats[ix(cints[ix(cints[c.AT_SOLIDS] + c.SOLID_INTS * chosen[m] + 6)] + 2)])
        for j in range(MOST):
            to = slot + TOUCH_FLOATS * j
            cfloats[ix(to)] = c.FAR
            if j < counts[m] and math.isfinite(found[m, j, 0]):
                for i in range(TOUCH_FLOATS):
                    cfloats[ix(to + i)] = found[m, j, i]
                total += found[m, j, 0] < reach
    return total
