"""All but the inside of a shape: a container."""

from dataclasses import dataclass
from typing import ClassVar

from motiform.base.errors import ShapeError
from motiform.geometry.solids.endless_cylinder import EndlessCylinder
from motiform.geometry.solids.mesh import Mesh
from motiform.geometry.solids.register import SHAPES, has_distance
from motiform.geometry.solids.shape import Shape
from motiform.geometry.solids.solid import Solid
from motiform.spatial.checks import Words

__all__ = ["Hollow"]


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

    @property
    def sizes(self) -> tuple[float, ...]:
        """The sizes of the shape [m]."""
        return self.shape.sizes
