"""Places of segments, contact points and obstacles in the world, from a figure's workspace."""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import inline
from motiform.motion.contact import columns as contact_columns
from motiform.motion.tree.kernels.memory import get3, get9, ix, row3, row9
from motiform.motion.tree.model import columns as tree_columns
from motiform.spatial.algebra import add, matmul, transform

__all__ = ["obstacle_pose", "point_pose", "root_of", "segment_pose"]


@inline
def segment_pose(ints, i, work):
    """Return rotation and origin of a segment in the world."""
    pose = ints[tree_columns.W_POSE] + i * tree_columns.POSE_ROWS
    root = (
        ints[tree_columns.W_ROOT]
        + 3 * ints[ix(tree_columns.HEADER + i * tree_columns.SEGMENT_INTS + tree_columns.ROOT)]
    )
    return get9(work, pose, 0), add(get3(work, root, 0), get3(work, pose + 9, 0))


@inline
def root_of(ints, i, work):
    """Return the origin about which the spatial vectors of a segment are."""
    return get3(
        work,
        ints[tree_columns.W_ROOT]
        + 3 * ints[ix(tree_columns.HEADER + i * tree_columns.SEGMENT_INTS + tree_columns.ROOT)],
        0,
    )


@inline
def point_pose(ints, cints, cfloats, point, work):
    """Return axes and origin of a contact point's solid in the world."""
    own = cints[contact_columns.AT_POINTS] + contact_columns.POINT_INTS * point
    number = cints[contact_columns.FLOAT_POINTS] + contact_columns.POINT_FLOATS * point
    R, o = segment_pose(ints, cints[ix(own)], work)
    return matmul(R, row9(cfloats, number + 4)), add(o, transform(R, row3(cfloats, number)))


@inline
def obstacle_pose(ints, cints, cfloats, obstacle, work):
    """Return axes and origin of an obstacle in the world."""
    block = cints[contact_columns.AT_OBSTACLES] + contact_columns.OBSTACLE_INTS * obstacle
    at = cints[contact_columns.FLOAT_OBSTACLES] + contact_columns.OBSTACLE_FLOATS * obstacle
    R, o = row9(cfloats, at), row3(cfloats, at + 9)
    if cints[ix(block)] >= 0:
        Rs, os = segment_pose(ints, cints[ix(block)], work)
        return matmul(Rs, R), add(os, transform(Rs, o))
    return R, o
