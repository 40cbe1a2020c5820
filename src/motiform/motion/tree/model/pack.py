"""A figure as two arrays, of integers and of floats, that kernels read (see `columns`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from motiform.motion.tree.model import columns as tree_columns
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.layout import CoordinateLayout
from motiform.motion.tree.model.segment import Segment

__all__ = ["PackedFigure", "Workspace", "pack"]


@dataclass(frozen=True, eq=False)
class PackedFigure:
    """The arrays of a figure, dependent coordinates included."""

    ints: np.ndarray
    floats: Array
    asked: tuple[int, ...]
    """Segments whose joints no kernel knows: they are asked for every state."""
    given_rows: int
    """Rows that their answers take."""
    tags: np.ndarray
    """Segment of each tag, (tags,)."""
    tag_points: Array
    """(tags, 3)"""

    @property
    def kernel_only(self) -> bool:
        """Whether kernels know every joint."""
        return not self.asked

    @property
    def rows(self) -> int:
        """Rows of the workspace of one state."""
        return int(self.ints[tree_columns.ROWS])

    @cached_property
    def no_given(self) -> Array:
        """What stands for the answers where no joint is asked."""
        return np.zeros((1, 1))


class Workspace:
    """A figure's arrays, and what the compiled functions of one state write into.

    These functions keep Python's lock while they run, so that two threads do not meet here.
    """

    def __init__(self, packed: PackedFigure) -> None:
        self.ints, self.floats = packed.ints, packed.floats
        self.work = np.zeros(packed.rows)
        self.zeros = np.zeros(int(packed.ints[tree_columns.NV]))


def pack(
    segments: Sequence[Segment], parents: Sequence[int], layout: CoordinateLayout, gravity: tuple[float, float, float],
    of_tags: Sequence[int], points: Sequence[tuple[float, float, float]],
) -> PackedFigure:  # fmt: skip
    """Return a figure as arrays; `parents` and `of_tags` are numbers of segments, −1 for the world."""
    ns, nv = len(segments), layout.nv
    ints = np.zeros(tree_columns.HEADER + ns * tree_columns.SEGMENT_INTS + nv * tree_columns.COLUMN_INTS, np.int64)
    at_columns, float_columns = (
        tree_columns.HEADER + ns * tree_columns.SEGMENT_INTS,
        tree_columns.FLOAT_HEADER + ns * tree_columns.SEGMENT_FLOATS,
    )
    floats = np.zeros(float_columns + nv * tree_columns.COLUMN_FLOATS)
    floats[tree_columns.GRAVITY : tree_columns.GRAVITY + 3] = gravity
    last = np.full(ns + 1, -1)  # last column on the way from the root to each segment; the world's at the end
    numbers: list[Array] = []
    asked: list[int] = []
    roots = column = given = 0
    start = len(floats)
    for n, segment in enumerate(segments):
        joint, parent, kind = segment.joint, parents[n], segment.joint.code
        at_q, block = int(layout.q[n][0]) if joint.nq else 0, 0
        if kind in (tree_columns.FUNCTION, tree_columns.CONTACT):
            block = start
            numbers.append(joint.numbers())
            start += len(numbers[-1])
        elif kind == tree_columns.GIVEN:
            block, given = given, given + 12 + 12 * joint.nv
            asked.append(n)
        root = (
            roots
            if parent < 0
            else int(ints[tree_columns.HEADER + parent * tree_columns.SEGMENT_INTS + tree_columns.ROOT])
        )
        roots += parent < 0
        at = tree_columns.HEADER + n * tree_columns.SEGMENT_INTS
        ints[at : at + 8] = (parent, kind, column, joint.nv, at_q, block, root, segment.mass > 0)
        _put_segment(floats, n, segment)
        last[n] = last[parent]
        for k in range(joint.nv):
            at = at_columns + column * tree_columns.COLUMN_INTS
            axis, screw = joint.column(k)
            where = int(layout.q[n][k]) if joint.plain else at_q
            ints[at : at + 4] = (axis, where, layout.v[n][k], last[n])
            number = float_columns + column * tree_columns.COLUMN_FLOATS
            floats[number : number + tree_columns.ARMATURE] = screw
            floats[number + tree_columns.ARMATURE] = np.asarray(segment.armature)[k]
            floats[number + tree_columns.DAMPING] = np.asarray(segment.damping)[k]
            last[n], column = column, column + 1
    ints[[tree_columns.SEGMENTS, tree_columns.COLUMNS, tree_columns.NQ, tree_columns.NV]] = ns, nv, layout.nq, nv
    ints[[tree_columns.AT_COLUMNS, tree_columns.FLOAT_COLUMNS]] = at_columns, float_columns
    _layout_workspace(ints, ns, nv, roots)
    tags, places = np.array(of_tags, np.int64), np.array(points).reshape(-1, 3)
    return PackedFigure(ints, np.concatenate([floats, *numbers]), tuple(asked), max(given, 1), tags, places)


def _put_segment(floats: Array, n: int, segment: Segment) -> None:
    at = tree_columns.FLOAT_HEADER + n * tree_columns.SEGMENT_FLOATS
    floats[at : at + 9] = segment.placement.rotation.ravel()
    floats[at + tree_columns.PLACE_P : at + tree_columns.PLACE_P + 3] = segment.placement.translation
    floats[at + tree_columns.MASS], floats[at + tree_columns.COM : at + tree_columns.COM + 3] = (
        segment.mass,
        segment.com,
    )
    I = segment.inertia
    floats[at + tree_columns.INERTIA : at + tree_columns.INERTIA + 6] = (
        I[0, 0],
        I[0, 1],
        I[0, 2],
        I[1, 1],
        I[1, 2],
        I[2, 2],
    )


def _layout_workspace(ints: np.ndarray, ns: int, nv: int, roots: int) -> None:
    """Give every quantity its rows in the workspace."""
    sizes = {
        tree_columns.W_POSE: ns * tree_columns.POSE_ROWS,
        tree_columns.W_ROOT: roots * 3,
        tree_columns.W_ANGLE: 2 * nv,
        tree_columns.W_S: nv * 6,
        tree_columns.W_V: ns * 6,
        tree_columns.W_C: ns * 6,
        tree_columns.W_A: ns * 6,
        tree_columns.W_F: ns * 6,
        tree_columns.W_DS: nv * 6,
        tree_columns.W_U: nv * 6,
        tree_columns.W_D: 2 * nv,
        tree_columns.W_J: ns * tree_columns.INERTIA_ROWS,
        tree_columns.W_IA: ns * tree_columns.ARTICULATED_ROWS,
        tree_columns.W_G: nv * 6,
    }
    row = 0
    for name, size in sizes.items():
        ints[name] = row
        row += size
    ints[tree_columns.ROWS] = row
