"""All paths of a figure in one posture, in one call from Python.

The same routines as for many postures run on the same kind of arrays, so the results have the same bits.
"""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import entry
from motiform.motion.actuation.muscles.paths import columns as path_columns
from motiform.motion.actuation.muscles.paths.kernels import path_line
from motiform.motion.tree.kernels.place import place
from motiform.motion.tree.kernels.single import one_state, state_zero, write_axes, write_pose
from motiform.motion.tree.model import columns as tree

__all__ = ["one_path_state"]

_1, _2 = "float64[::1]", "float64[:, ::1]"


@entry(
    f"void(int64[::1], {_1}, int64[::1], {_1}, {_2}, {_1}, {_2}, {_2}, {_2}, {_2}, float64[:, :, ::1], int64[:, ::1])"
)
def one_path_state(body, numbers, ints, floats, q, work, poses, twists, lines, lengths, arms, reports):
    """Write lines, lengths, moment arms and reports of all paths; `body` and `numbers` are those of the figure."""
    W, b = one_state(work), state_zero(body)
    place(body, numbers, q.T, W, b, W, b)
    P, T = poses.T, twists.T
    for i in range(body[tree.SEGMENTS]):
        write_pose(body, i, b, W, b, P)
    write_axes(body, b, W, b, T)
    for m in range(ints[path_columns.PATHS]):
        path_line(ints, floats, poses, twists, q, b, m, lines, m, lengths, arms, reports)
