"""The half-space under a plane."""

from dataclasses import dataclass
from typing import ClassVar

from motiform.geometry.solids.solid import Solid

__all__ = ["Plane"]


@dataclass(frozen=True)
class Plane(Solid):
    """All space below the plane y = 0 of its frame; the outward normal is +y."""

    kind: ClassVar[str] = "plane"
