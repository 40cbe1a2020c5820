"""A figure as two arrays, of integers and of floats, that kernels read (see `columns`)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from motiform.motion.tree.contact_joints.joint import ContactJoint
from motiform.motion.tree.joints import AxesJoint, Axis, BallJoint, FreeJoint, FunctionJoint
from motiform.motion.tree.model import columns as c
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array, Joint

__all__ = ["Packed", "pack"]


@dataclass(frozen=True, eq=False)
class Packed:
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
        return int(self.ints[c.ROWS])

    @cached_property
    def no_given(self) -> Array:
        """What stands for the answers where no joint is asked."""
        return np.zeros((1, 1))


def _kind(joint: Joint) -> int:
    if isinstance(joint, AxesJoint):
        return c.AXES
    if isinstance(joint, BallJoint):
        return c.BALL
    if isinstance(joint, FreeJoint):
        return c.FREE
    if isinstance(joint, FunctionJoint):
        return c.FUNCTION
    return c.CONTACT if isinstance(joint, ContactJoint) and joint.kernel else c.GIVEN


_PRINCIPAL = {(1.0, 0.0, 0.0): c.TURN_X, (0.0, 1.0, 0.0): c.TURN_Y, (0.0, 0.0, 1.0): c.TURN_Z}


def _axis(axis: Axis) -> tuple[int, float]:
    """Return the kind of an axis, and the sign that makes it one of the frame's own."""
    if axis.kind == "prismatic":
        return c.SHIFT, 1.0
    x, y, z = axis.direction
    own = _PRINCIPAL.get((abs(x), abs(y), abs(z)))
    if own is None or axis.pitch or any(axis.point):
        return c.SCREW, 1.0
    return own, float(sum(axis.direction))


def pack(figure: Figure) -> Packed:
    """Return a figure as arrays."""
    segments, layout = figure.segments, figure.layout
    ns, nv = len(segments), layout.nv
    ints = np.zeros(c.HEADER + ns * c.SEGMENT_INTS + nv * c.COLUMN_INTS, np.int64)
    at_columns, float_columns = c.HEADER + ns * c.SEGMENT_INTS, c.FLOAT_HEADER + ns * c.SEGMENT_FLOATS
    floats = np.zeros(float_columns + nv * c.COLUMN_FLOATS)
    floats[c.GRAVITY : c.GRAVITY + 3] = figure.gravity
    last = np.full(ns + 1, -1)  # last column on the way from the root to each segment; the world's at the end
    numbers: list[Array] = []
    asked: list[int] = []
    roots = column = given = 0
    start = len(floats)
    for n, segment in enumerate(segments):
        joint, parent = segment.joint, figure.parent_index(n)
        kind = _kind(joint)
        at_q, block = int(layout.q[n][0]) if joint.nq else 0, 0
        if kind in (c.FUNCTION, c.CONTACT):
            block = start
            numbers.append(joint.numbers())  # type: ignore[attr-defined]
            start += len(numbers[-1])
        elif kind == c.GIVEN:
            block, given = given, given + 12 + 12 * joint.nv
            asked.append(n)
        root = roots if parent < 0 else int(ints[c.HEADER + parent * c.SEGMENT_INTS + c.ROOT])
        roots += parent < 0
        at = c.HEADER + n * c.SEGMENT_INTS
        ints[at : at + 8] = (parent, kind, column, joint.nv, at_q, block, root, segment.mass > 0)
        _put_segment(floats, n, segment)
        last[n] = last[parent]
        for k in range(joint.nv):
            at = at_columns + column * c.COLUMN_INTS
            axis, sign = _axis(joint.axes[k]) if isinstance(joint, AxesJoint) else (c.NO_AXIS, 1.0)
            where = int(layout.q[n][k]) if joint.plain else at_q
            ints[at : at + 4] = (axis, where, layout.v[n][k], last[n])
            number = float_columns + column * c.COLUMN_FLOATS
            if isinstance(joint, AxesJoint):
                screw = joint.axes[k]
                floats[number : number + 9] = (*screw.direction, *screw.point, screw.pitch, screw.offset, sign)
            floats[number + c.ARMATURE], floats[number + c.DAMPING] = segment.armature[k], segment.damping[k]  # type: ignore[index]
            last[n], column = column, column + 1
    ints[[c.SEGMENTS, c.COLUMNS, c.NQ, c.NV]] = ns, nv, layout.nq, nv
    ints[[c.AT_COLUMNS, c.FLOAT_COLUMNS]] = at_columns, float_columns
    _lay_workspace(ints, ns, nv, roots)
    tags = np.array([figure.index(tag.segment) for tag in figure.tags], np.int64)
    points = np.array([tag.point for tag in figure.tags]).reshape(-1, 3)
    return Packed(ints, np.concatenate([floats, *numbers]), tuple(asked), max(given, 1), tags, points)


def _put_segment(floats: Array, n: int, segment: object) -> None:
    at = c.FLOAT_HEADER + n * c.SEGMENT_FLOATS
    floats[at : at + 9] = segment.placement.rotation.ravel()  # type: ignore[attr-defined]
    floats[at + c.PLACE_P : at + c.PLACE_P + 3] = segment.placement.translation  # type: ignore[attr-defined]
    floats[at + c.MASS], floats[at + c.COM : at + c.COM + 3] = segment.mass, segment.com  # type: ignore[attr-defined]
    I = segment.inertia  # type: ignore[attr-defined]
    floats[at + c.INERTIA : at + c.INERTIA + 6] = (I[0, 0], I[0, 1], I[0, 2], I[1, 1], I[1, 2], I[2, 2])


def _lay_workspace(ints: np.ndarray, ns: int, nv: int, roots: int) -> None:
    """Give every quantity its rows in the workspace."""
    sizes = {
        c.W_POSE: ns * c.POSE_ROWS,
        c.W_ROOT: roots * 3,
        c.W_ANGLE: 2 * nv,
        c.W_S: nv * 6,
        c.W_V: ns * 6,
        c.W_C: ns * 6,
        c.W_A: ns * 6,
        c.W_F: ns * 6,
        c.W_DS: nv * 6,
        c.W_U: nv * 6,
        c.W_D: 2 * nv,
        c.W_J: ns * c.INERTIA_ROWS,
        c.W_IA: ns * c.ARTICULATED_ROWS,
        c.W_G: nv * 6,
    }
    row = 0
    for name, size in sizes.items():
        ints[name] = row
        row += size
    ints[c.ROWS] = row
