"""The half-space under a plane."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from motiform.geometry.solids.box import Box
from motiform.geometry.solids.compound import Compound
from motiform.geometry.solids.solid import Solid
from motiform.spatial import Transform

__all__ = ["Plane"]

_SLAB = 0.02  # thickness over width, as it is drawn


@dataclass(frozen=True)
class Plane(Solid):
    """All space below the plane y = 0 of its frame; the outward normal is +y."""

    kind: ClassVar[str] = "plane"
    ground: ClassVar[bool] = True

    def seen(self, extent: float) -> Compound:
        """Return a slab that is wider than the motion."""
        wide = 3.0 * max(extent, 1e-3)
        slab = Box((wide, _SLAB * wide, wide))
        return Compound(((slab, Transform.translation_of(np.array([0.0, -0.5 * _SLAB * wide, 0.0]))),))
