"""The points at which solids of a figure touch, in a table that the rows of contacts are written from.

It is filled before rows are written: the pairs that are near are listed, looked at by the kernel of `geometry.touch`,
which is much code and compiled once, and their points kept.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import entry, inline, routine, typed_entry
from motiform.geometry.touch.columns import MOST, TOUCH_FLOATS
from motiform.motion.contact import columns as contact_columns
from motiform.motion.contact.feature_kernels import beyond_rims, feature_gap, feature_place
from motiform.motion.contact.layouts import ContactModel
from motiform.motion.contact.pose_kernels import obstacle_pose, point_pose
from motiform.motion.tree.kernels.memory import ix, row3, row9
from motiform.motion.tree.kernels.place import place
from motiform.motion.tree.kernels.single import one_state, state_zero
from motiform.spatial.algebra import axpy, norm, sub, tmul

__all__ = ["feature_sites", "near_solids", "try_feature", "write_contact_points"]


@typed_entry(
    "int64", ContactModel, "float64[::1]", "float64", "int64[::1]", "int64[:, ::1]", "float64[:, ::1]", "float64[::1]"
)
def near_solids(head, q, reach, chosen, kinds, poses, sizes):
    """List the pairs of solids whose balls about them are nearer than reach [m]; return how many.

    `kinds` are kind and place of the numbers of both, `poses` (27) rotation and origin of both and the load between
    them; points of others go.
    """
    ints, cints, cfloats = head.ints, head.cints, head.cfloats
    W, Q, b = one_state(head.work), one_state(q), state_zero(ints)
    place(ints, head.floats, Q, W, b, W, b)
    near = 0
    for k in range(cints[contact_columns.SOLIDS]):
        at = cints[contact_columns.AT_SOLIDS] + contact_columns.SOLID_INTS * k
        number = cints[ix(at + 6)]
        RA, oA = point_pose(ints, cints, cfloats, cints[ix(at)], W)
        RB, oB = obstacle_pose(ints, cints, cfloats, cints[ix(at + 1)], W)
        if norm(sub(oA, oB)) - cfloats[ix(number + 1)] > reach:
            slot = int(cfloats[ix(number + 2)])
            for j in range(MOST):
                cfloats[ix(slot + TOUCH_FLOATS * j)] = contact_columns.FAR  # where it was last stays
            continue
        chosen[near], sizes[near] = k, cfloats[ix(number)]
        for i in range(4):
            kinds[near, i] = cints[ix(at + 2 + i)]
        for i in range(9):
            poses[near, i], poses[near, 12 + i] = RA[i], RB[i]
        for i in range(3):
            poses[near, 9 + i], poses[near, 21 + i] = oA[i], oB[i]
            poses[near, 24 + i] = cfloats[ix(number + contact_columns.LOAD + i)]
        near += 1
    return near


@inline
def _outside(limits, j, x, y, site, other):
    """Return how far [m] a place is outside a limit; x and y are the cores of B and A in the frames of A and B.

    A limit is four numbers and of which places: 0 and 1, those in the frames of A and B, 2 and 3, the place of contact
    there: half-spaces, normal and offset. 4 and 5 are those of 0 and 1 within a radius about y: sign and radius.
    """
    place = int(limits[j, 4])
    z = x if place in (0, 4) else y if place in (1, 5) else site if place == 2 else other
    if place >= 4:
        return limits[j, 0] * (math.hypot(z[0], z[2]) - limits[j, 3])
    return limits[j, 0] * z[0] + limits[j, 1] * z[1] + limits[j, 2] * z[2] - limits[j, 3]


@typed_entry("void", ContactModel, "float64[::1]", "int64[::1]", "int64[::1]", "float64[:, ::1]", "float64[:, ::1]")
def feature_sites(head, q, slots, firsts, limits, out):
    """Write gap, place, normal and how far outside its limits [m] each feature is, (n, 8).

    Limits of slot k begin at firsts[k]; inside is negative.
    """
    ints, cints, cfloats = head.ints, head.cints, head.cfloats
    W, Q, b = one_state(head.work), one_state(q), state_zero(ints)
    place(ints, head.floats, Q, W, b, W, b)
    for k in range(slots.shape[0]):
        pair = cints[contact_columns.FIRST_SLOT] + slots[k]
        own, at = (
            cints[contact_columns.AT_PAIRS] + contact_columns.PAIR_INTS * pair,
            feature_place(cints, cfloats, pair),
        )
        A = point_pose(ints, cints, cfloats, cints[ix(own)], W)
        B = obstacle_pose(ints, cints, cfloats, cints[ix(own + 1)], W)
        _write_site(cfloats, at, A, B, limits, firsts[slots[k]], firsts[slots[k] + 1], out, k)


@routine
def _write_site(F, at, A, B, limits, first, last, out, k):
    (RA, oA), (RB, oB) = A, B
    gap, site, n = feature_gap(F, at, RA, oA, RB, oB)
    out[k, 0], out[k, 7] = gap, beyond_rims(F, at, RA, oA, RB, oB, gap, site, n)
    for i in range(3):
        out[k, 1 + i], out[k, 4 + i] = site[i], n[i]
    core = axpy(0.5 * gap + F[ix(at + contact_columns.SIDE_A + 6)], n, site)
    other = axpy(-0.5 * gap - F[ix(at + contact_columns.SIDE_B + 6)], n, site)
    x, y = tmul(RA, sub(other, oA)), tmul(RB, sub(core, oB))
    for j in range(first, last):
        off = _outside(limits, j, x, y, tmul(RA, sub(site, oA)), tmul(RB, sub(site, oB)))
        out[k, 7] = max(out[k, 7], off)


@entry("void(float64[::1], float64[::1], float64[:, ::1], float64[:, ::1])")
def try_feature(numbers, poses, limits, out):
    """Write gap, place, normal and how far outside its limits a feature is at a pose of both solids, (1, 8)."""
    A, B = (row9(poses, 0), row3(poses, 9)), (row9(poses, 12), row3(poses, 21))
    _write_site(numbers, 0, A, B, limits, 0, limits.shape[0], out, 0)


@entry("int64(int64[::1], float64[::1], int64[::1], int64, float64, int64[::1], float64[:, :, ::1])")
def write_contact_points(cints, cfloats, chosen, near, reach, counts, found):
    """Write the points of the listed pairs to their table; return how many are nearer than reach."""
    total = 0
    for m in range(near):
        slot = int(
            cfloats[ix(cints[ix(cints[contact_columns.AT_SOLIDS] + contact_columns.SOLID_INTS * chosen[m] + 6)] + 2)]
        )
        for j in range(MOST):
            to = slot + TOUCH_FLOATS * j
            cfloats[ix(to)] = contact_columns.FAR
            if j < counts[m] and math.isfinite(found[m, j, 0]):
                for i in range(TOUCH_FLOATS):
                    cfloats[ix(to + i)] = found[m, j, i]
                total += found[m, j, 0] < reach
    return total
