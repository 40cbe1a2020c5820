"""What the kernel of task functions reads and writes."""

from motiform.base.layouts import Floats, Floats2, Ints, NamedTuple

__all__ = ["SegmentMotion", "TaskModel", "TaskRows"]


class TaskModel(NamedTuple):
    """What tasks read of a figure."""

    tags: Ints
    """Segment of each tag."""
    points: Floats2
    """Tags in their segments [m], (tags, 3)."""
    coms: Floats2
    """Centres of mass in their segments [m], (segments, 3)."""
    shares: Floats
    """Mass of each segment over that of the figure."""
    carried: Floats2
    """1 where a velocity moves a segment, (segments, nv)."""


class SegmentMotion(NamedTuple):
    """A state: how segments move at their origins, with accelerations that velocities alone make."""

    poses: Floats2
    """Rotation by rows and position, (segments, 12)."""
    twists: Floats2
    """(segments, 6)"""
    accelerations: Floats2
    """(segments, 6)"""
    axes: Floats2
    """Twist of each velocity about the world's origin, (nv, 6)."""
    q: Floats
    v: Floats


class TaskRows(NamedTuple):
    """What is written."""

    value: Floats
    jacobian: Floats2
    rate: Floats
    bias: Floats
