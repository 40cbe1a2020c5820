"""A cylinder without ends."""

from dataclasses import dataclass
from typing import ClassVar

from motiform.geometry.checks import check_length
from motiform.geometry.solids.solid import Solid

__all__ = ["EndlessCylinder"]


@dataclass(frozen=True)
class EndlessCylinder(Solid):
    """A cylinder along y without ends: `radius` [m]."""

    kind: ClassVar[str] = "endless_cylinder"
    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", check_length(self.radius, "endless cylinder radius"))

    @property
    def sizes(self) -> tuple[float, ...]:
        """The radius [m]."""
        return (self.radius,)
