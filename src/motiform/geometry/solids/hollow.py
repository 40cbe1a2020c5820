"""All but the inside of a shape: a container."""

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from motiform.base.errors import ShapeError
from motiform.geometry.solids.capsule import Capsule
from motiform.geometry.solids.compound import Compound
from motiform.geometry.solids.endless_cylinder import EndlessCylinder
from motiform.geometry.solids.mesh import Mesh
from motiform.geometry.solids.register import SHAPES, has_distance
from motiform.geometry.solids.shape import Shape
from motiform.geometry.solids.solid import Solid
from motiform.spatial import Transform
from motiform.spatial.checks import Array, Words

__all__ = ["Hollow"]

_WIRE = 0.003  # radius of a wire over the size of what it shows


@dataclass(frozen=True, eq=False)
class Hollow(Solid):
    """All space but the inside of one simple shape, of an endless cylinder or of a closed mesh: no thickness."""

    kind: ClassVar[str] = "hollow"
    shape: Shape | EndlessCylinder

    def __post_init__(self) -> None:
        kind = getattr(self.shape, "kind", type(self.shape).__name__)
        known = isinstance(self.shape, Mesh | EndlessCylinder)
        if not known and not (isinstance(self.shape, Shape) and has_distance(kind)):
            allowed = ", ".join([*(name for name in SHAPES if has_distance(name)), EndlessCylinder.kind, Mesh.kind])
            raise ShapeError("cannot be hollow", got=Words(kind), allowed=allowed)

    def seen(self, extent: float) -> Compound | None:
        """Return the shape as a wireframe; None for an endless one, and for kinds without outlines."""
        if not isinstance(self.shape, Shape):
            return None
        radius = _WIRE * float(np.linalg.norm(np.ptp(np.asarray(self.shape.bounds, float), axis=0)))
        rods = [_rod(a, b, radius) for line in self.shape.outlines() for a, b in pairwise(line)]
        return Compound(tuple(rods)) if rods else None

    @property
    def sizes(self) -> tuple[float, ...]:
        """The sizes of the shape [m]."""
        return self.shape.sizes


def _rod(a: Array, b: Array, radius: float) -> tuple[Shape, Transform]:
    """Return a rod with round ends from one point to another."""
    length = float(np.linalg.norm(b - a))
    y = (b - a) / length
    x = np.cross(y, (1.0, 0.0, 0.0) if abs(y[0]) < 0.7 else (0.0, 0.0, 1.0))
    x /= np.linalg.norm(x)
    return Capsule(radius, length), Transform(np.stack((x, y, np.cross(x, y)), axis=1), 0.5 * (a + b))
