"""The points at which solids of a figure touch, in a table that the rows of contacts are written from.

It is filled before rows are written, by an entry of its own: what solids need is much code, and compiled once.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, typed_entry
from motiform.geometry.touch.columns import MOST, TOUCH_FLOATS
from motiform.geometry.touch.pair_kernels import touch_solids
from motiform.motion.contact import columns as c
from motiform.motion.contact.layouts import Head
from motiform.motion.contact.row_kernels import segment_pose
from motiform.motion.tree.kernels.memory import ix, row3, row9
from motiform.motion.tree.kernels.place import place
from motiform.motion.tree.kernels.single import one_state, state_zero
from motiform.spatial.algebra import add, matmul, norm, sub, transform

__all__ = ["find_touches"]


@inline
def _point_pose(ints, cints, cfloats, point, W):
    """Return axes and origin of a contact point's solid in the world."""
    own = cints[c.AT_POINTS] + c.POINT_INTS * point
    number = cints[c.FLOAT_POINTS] + c.POINT_FLOATS * point
    R, o = segment_pose(ints, cints[ix(own)], W)
    return matmul(R, row9(cfloats, number + 4)), add(o, transform(R, row3(cfloats, number)))


@inline
def _obstacle_pose(ints, cints, cfloats, obstacle, W):
    """Return axes and origin of an obstacle in the world."""
    block = cints[c.AT_OBSTACLES] + c.OBSTACLE_INTS * obstacle
    at = cints[c.FLOAT_OBSTACLES] + c.OBSTACLE_FLOATS * obstacle
    R, o = row9(cfloats, at), row3(cfloats, at + 9)
    if cints[ix(block)] >= 0:
        Rs, os = segment_pose(ints, cints[ix(block)], W)
        return matmul(Rs, R), add(os, transform(Rs, o))
    return R, o


@typed_entry("int64", Head, "float64[::1]", "float64", "float64[:, ::1]", "float64[:, ::1]")
def find_touches(head, q, reach, room, found):
    """Write the table of all pairs of solids nearer than reach [m]; return how many points are.

    `room` and `found` are for one pair.
    """
    ints, cints, cfloats = head.ints, head.cints, head.cfloats
    W, Q, b = one_state(head.work), one_state(q), state_zero(ints)
    place(ints, head.floats, Q, W, b, W, b)
    near = 0
    for k in range(cints[c.SOLIDS]):
        at = cints[c.AT_SOLIDS] + c.SOLID_INTS * k
        number = cints[ix(at + 6)]
        size, around, slot = cfloats[ix(number)], cfloats[ix(number + 1)], int(cfloats[ix(number + 2)])
        RA, oA = _point_pose(ints, cints, cfloats, cints[ix(at)], W)
        RB, oB = _obstacle_pose(ints, cints, cfloats, cints[ix(at + 1)], W)
        count = 0
        if norm(sub(oA, oB)) - around <= reach:
            count, _ = touch_solids(
                cfloats, cints[ix(at + 2)], cints[ix(at + 3)], RA, oA, cints[ix(at + 4)], cints[ix(at + 5)], RB, oB,
                size, reach, room, found,
            )  # fmt: skip
        for j in range(MOST):
            to = slot + TOUCH_FLOATS * j
            cfloats[ix(to)] = c.FAR  # where it was last stays
            if j < count and math.isfinite(found[j, 0]):
                for i in range(TOUCH_FLOATS):
                    cfloats[ix(to + i)] = found[j, i]
                near += found[j, 0] < reach
    return near
