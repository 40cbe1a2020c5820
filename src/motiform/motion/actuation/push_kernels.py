"""Pushes on segments at one instant."""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import routine
from motiform.motion.tree.kernels.memory import get9, ix, row3
from motiform.motion.tree.model import columns as tree_columns
from motiform.spatial.algebra import add, cross, transform

__all__ = ["write_pushes"]


@routine
def write_pushes(ints, pushes, t, W, loads):
    """Write the wrenches on all segments that are placed in W: moments about their origins, forces, in world axes."""
    for i in range(loads.shape[0]):
        for j in range(6):
            loads[ix(i), ix(j)] = 0.0
    for k in range(pushes.shape[0]):
        row = pushes[ix(k)]
        if row[1] <= t < row[2]:
            i = int(row[0])
            R = get9(W, ints[tree_columns.W_POSE] + i * tree_columns.POSE_ROWS, 0)
            force, torque = row3(row, 7), row3(row, 10)
            if row[3] != 0.0:
                force, torque = transform(R, force), transform(R, torque)
            moment = add(torque, cross(transform(R, row3(row, 4)), force))
            for j in range(3):
                loads[ix(i), ix(j)] += moment[j]
                loads[ix(i), ix(3 + j)] += force[j]
