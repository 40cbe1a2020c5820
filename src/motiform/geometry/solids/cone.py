"""A cone, or a part of one between two levels."""

from dataclasses import dataclass
from math import pi
from typing import ClassVar

import numpy as np

from motiform.geometry.checks import check_length
from motiform.geometry.meshes import tessellate as tess
from motiform.geometry.solids.mesh import Mesh
from motiform.geometry.solids.shape import Integrals, Shape
from motiform.spatial.checks import Array

__all__ = ["Cone"]


@dataclass(frozen=True)
class Cone(Shape):
    """A cone along y: `radius` [m] of its lower end, whole `height` [m], `top` [m], the radius of its upper end.

    The origin is half-way up. A top of 0 is a point.
    """

    kind: ClassVar[str] = "cone"
    radius: float
    height: float
    top: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", check_length(self.radius, "cone radius"))
        object.__setattr__(self, "height", check_length(self.height, "cone height"))
        object.__setattr__(self, "top", 0.0 if self.top == 0.0 else check_length(self.top, "cone top"))

    @property
    def sizes(self) -> tuple[float, ...]:
        """Lower radius, half height, upper radius [m]."""
        return self.radius, 0.5 * self.height, self.top

    def integrals(self) -> Integrals:  # noqa: D102
        a, b, h = self.radius, self.top, self.height
        volume = pi * h * (a**2 + a * b + b**2) / 3.0
        middle = h * (a**2 + 2.0 * a * b + 3.0 * b**2) / (4.0 * (a**2 + a * b + b**2))  # above the lower end
        across = pi * h * (a**4 + a**3 * b + a**2 * b**2 + a * b**3 + b**4) / 20.0
        along = pi * h**3 * (a**2 + 3.0 * a * b + 6.0 * b**2) / 30.0 - volume * middle**2
        return volume, np.array([0.0, middle - 0.5 * h, 0.0]), np.diag([across, along, across])

    def reach(self, directions: Array) -> Array:  # noqa: D102
        rim, up = np.hypot(directions[:, 0], directions[:, 2]), 0.5 * self.height * directions[:, 1]
        return np.maximum(self.radius * rim - up, self.top * rim + up)

    def to_mesh(self, detail: int = 32) -> Mesh:  # noqa: D102
        h = 0.5 * self.height
        profile = [[0.0, -h], [self.radius, -h], [self.top, h], [0.0, h]]
        return Mesh(*tess.revolve(np.array(profile if self.top else profile[:3]), tess.check_detail(detail)))

    def stretched(self, stretch: Array) -> "Cone":
        """Return the cone of the mapped height and cross sections."""
        x, y, z = np.linalg.norm(stretch, axis=0).tolist()
        across = (x * z) ** 0.5
        return Cone(self.radius * across, self.height * y, self.top * across)
