"""The tree of a figure in its neutral posture: what files of humanoids need beside the motion of its segments."""

from dataclasses import dataclass, field
from typing import Any

from motiform.form.looks.plain import Plain

__all__ = ["Skeleton", "SkeletonSegment", "SkeletonTag"]


@dataclass(frozen=True, eq=False, kw_only=True)
class SkeletonSegment(Plain):
    """A segment in the neutral posture."""

    at: tuple[float, float, float]
    """Its origin in the world, at the joint to its parent [m]."""
    turn: tuple[float, float, float, float]
    """Its axes in the world as a quaternion (w, x, y, z)."""
    parent: str | None = None
    """The segment that carries it; None for a root."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SkeletonTag(Plain):
    """A tag in the frame of its segment."""

    segment: str
    at: tuple[float, float, float]
    """[m]"""


def _read_segments(plain: Any) -> dict[str, SkeletonSegment]:
    return {str(name): SkeletonSegment.from_plain(one) for name, one in plain.items()}


def _read_tags(plain: Any) -> dict[str, SkeletonTag]:
    return {str(name): SkeletonTag.from_plain(one) for name, one in plain.items()}


@dataclass(frozen=True, eq=False, kw_only=True)
class Skeleton(Plain):
    """Segments and tags of the figures of a recording, parents before children."""

    figure: str
    """Name of the figure."""
    segments: dict[str, SkeletonSegment] = field(metadata={"read": _read_segments})
    tags: dict[str, SkeletonTag] = field(metadata={"read": _read_tags})
