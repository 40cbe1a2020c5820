"""A capsule."""

from dataclasses import dataclass
from math import pi
from typing import ClassVar

import numpy as np

from motiform.geometry.checks import check_length
from motiform.geometry.meshes import tessellate as tess
from motiform.geometry.solids.mesh import Mesh
from motiform.geometry.solids.shape import Integrals, Shape, centred
from motiform.geometry.solids.solid import CIRCLE, tube_outlines
from motiform.spatial.checks import Array

__all__ = ["Capsule"]


@dataclass(frozen=True)
class Capsule(Shape):
    """A cylinder along y with half balls on its ends: `radius` [m], `length` [m] between the centres of these."""

    kind: ClassVar[str] = "capsule"
    radius: float
    length: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", check_length(self.radius, "capsule radius"))
        object.__setattr__(self, "length", check_length(self.length, "capsule length"))

    @property
    def sizes(self) -> tuple[float, ...]:
        """Radius and half length [m]."""
        return self.radius, 0.5 * self.length

    def integrals(self) -> Integrals:  # noqa: D102
        r, h = self.radius, self.length
        tube, caps = pi * r**2 * h, 4.0 / 3.0 * pi * r**3
        across = tube * r**2 / 4.0 + caps * r**2 / 5.0
        # A half ball has its centroid 3r/8 from its flat side, which is h/2 from the middle.
        along = tube * h**2 / 12.0 + caps * (r**2 / 5.0 + 3.0 * r * h / 8.0 + h**2 / 4.0)
        volume = tube + caps
        return centred(volume, np.array([across, along, across]) / volume)

    def reach(self, directions: Array) -> Array:  # noqa: D102
        return np.abs(directions[:, 1]) * self.length / 2.0 + self.radius

    def ball_around(self) -> tuple[Array, float]:  # noqa: D102
        return np.zeros(3), self.radius + 0.5 * self.length

    def to_mesh(self, detail: int = 32) -> Mesh:  # noqa: D102
        sides = tess.check_detail(detail)
        return Mesh(*tess.revolve(tess.capsule_profile(self.radius, self.length, sides), sides))

    def outlines(self) -> list[Array]:  # noqa: D102
        found, up = tube_outlines(self.radius, self.length), np.array([0.0, 0.5 * self.length, 0.0])
        for order in ((0, 2, 1), (1, 2, 0)):
            cap = (self.radius * CIRCLE[:17])[:, list(order)]
            found += [cap + up, cap * np.array([1.0, -1.0, 1.0]) - up]
        return found

    def stretched(self, stretch: Array) -> "Capsule":
        """Return the capsule of the mapped length and cross section."""
        x, y, z = np.linalg.norm(stretch, axis=0).tolist()
        return Capsule(self.radius * (x * z) ** 0.5, self.length * y)
