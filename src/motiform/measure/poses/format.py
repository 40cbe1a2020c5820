"""The description of a format of poses; the register is in register.py."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

__all__ = ["PoseFormat", "RawPoses"]


@dataclass
class RawPoses:
    """Orientations of one file, and positions where it has them, before axes are settled."""

    names: list[str]
    orientations: np.ndarray
    """(samples, segments, 3, 3): the axes of a segment or sensor in the world are the columns; nan where unknown."""
    times: np.ndarray
    """[s], (samples,)"""
    up: str
    """Axis of the world that points up."""
    positions: np.ndarray | None = None
    """Origins of the segments (samples, segments, 3) [m]; None where only orientations are measured."""
    sensors: bool = False
    """Whether these are sensors somewhere on the segments: a static posture must tell how they lie there."""
    axes: tuple[str, str, str] | None = None
    """Axes of the segments that point forward, up and to the right of a body that stands; None for sensors."""
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class PoseFormat:
    """One way in which motion is measured that gives orientations, or one that is refused."""

    name: str
    title: str
    endings: tuple[str, ...]
    about: str
    """What is read, or why it is not, for the documentation."""
    recognises: Callable[[Path, bytes], bool]
    """Whether a file, of which the first 4096 bytes are given, has this format."""
    read: Callable[[Path], RawPoses]
