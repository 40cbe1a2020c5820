"""A cylinder."""

from dataclasses import dataclass
from math import pi
from typing import ClassVar

import numpy as np

from motiform.geometry.checks import check_length
from motiform.geometry.meshes import tessellate as tess
from motiform.geometry.solids.mesh import Mesh
from motiform.geometry.solids.shape import Integrals, Shape, centred
from motiform.geometry.solids.solid import tube_outlines
from motiform.spatial.checks import Array

__all__ = ["Cylinder"]


@dataclass(frozen=True)
class Cylinder(Shape):
    """A cylinder along y: `radius` [m], whole `height` [m]."""

    kind: ClassVar[str] = "cylinder"
    radius: float
    height: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", check_length(self.radius, "cylinder radius"))
        object.__setattr__(self, "height", check_length(self.height, "cylinder height"))

    @property
    def sizes(self) -> tuple[float, ...]:
        """Radius and half height [m]."""
        return self.radius, 0.5 * self.height

    def integrals(self) -> Integrals:  # noqa: D102
        r2, h = self.radius**2, self.height
        return centred(pi * r2 * h, np.array([r2 / 4.0, h**2 / 12.0, r2 / 4.0]))

    def reach(self, directions: Array) -> Array:  # noqa: D102
        d = directions
        return np.abs(d[:, 1]) * self.height / 2.0 + self.radius * np.hypot(d[:, 0], d[:, 2])

    def to_mesh(self, detail: int = 32) -> Mesh:  # noqa: D102
        return Mesh(*tess.revolve(tess.cylinder_profile(self.radius, self.height), tess.check_detail(detail)))

    def outlines(self) -> list[Array]:  # noqa: D102
        return tube_outlines(self.radius, self.height)

    def stretched(self, stretch: Array) -> "Cylinder":
        """Return the cylinder of the mapped height and cross section."""
        x, y, z = np.linalg.norm(stretch, axis=0).tolist()
        return Cylinder(self.radius * (x * z) ** 0.5, self.height * y)
