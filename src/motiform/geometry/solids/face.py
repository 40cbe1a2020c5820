"""What is under a rectangle."""

from dataclasses import dataclass
from typing import ClassVar

from motiform.base.errors import ShapeError
from motiform.geometry.checks import check_length
from motiform.geometry.solids.columns import OPEN
from motiform.geometry.solids.solid import Solid
from motiform.spatial.checks import as_floats

__all__ = ["Face"]


@dataclass(frozen=True)
class Face(Solid):
    """A rectangle of `size` (x, z) [m] about the origin, solid below: +y is its outside.

    A point under it, however deep, is in it. Points beside it have their distance from its edges. `slants` belong to
    its ends at −x and +x: the tangent of half the angle by which the face joined there turns up, OPEN for none.
    """

    kind: ClassVar[str] = "face"
    size: tuple[float, float]
    slants: tuple[float, float] = (OPEN, OPEN)

    def __post_init__(self) -> None:
        for name in ("size", "slants"):
            numbers = as_floats(getattr(self, name), 2, where=f"face {name}", error=ShapeError)
            if numbers.ndim != 1:
                raise ShapeError(
                    "the array has the wrong shape", where=f"face {name}", got=numbers.shape, allowed="2 numbers"
                )
            object.__setattr__(self, name, tuple(numbers.tolist()))
        for edge in self.size:
            check_length(edge, "face size")

    @property
    def sizes(self) -> tuple[float, ...]:
        """The half edges along x and z [m], then the slants."""
        return 0.5 * self.size[0], 0.5 * self.size[1], *self.slants
