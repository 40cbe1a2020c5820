"""Frames of segments at rest, by which one surface can be drawn over all of them."""

from dataclasses import dataclass

from motiform.form.looks.plain import Plain

__all__ = ["RestSegment"]


@dataclass(frozen=True, eq=False, kw_only=True)
class RestSegment(Plain):
    """A segment at rest: in a posture in which only segments that are joined touch."""

    parts: tuple[str, ...]
    """Looks of its shapes, by name; each moves by the channels of the segment."""
    at: tuple[float, float, float]
    """Its origin in the world, where it is joined to its parent [m]."""
    turn: tuple[float, float, float, float]
    """Its axes in the world as a quaternion (w, x, y, z)."""
    parent: str | None = None
    """The segment that carries it."""
