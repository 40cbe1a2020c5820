"""An ellipsoid."""

from dataclasses import dataclass
from math import pi
from typing import ClassVar

import numpy as np

from motiform.geometry.checks import check_lengths
from motiform.geometry.meshes import tessellate as tess
from motiform.geometry.solids.mesh import Mesh
from motiform.geometry.solids.shape import Integrals, Shape, centred
from motiform.spatial.checks import Array

__all__ = ["Ellipsoid"]


@dataclass(frozen=True)
class Ellipsoid(Shape):
    """An ellipsoid with half axes `radii` (x, y, z) [m] along the axes."""

    kind: ClassVar[str] = "ellipsoid"
    radii: tuple[float, float, float]

    def __post_init__(self) -> None:
        object.__setattr__(self, "radii", check_lengths(self.radii, "ellipsoid radii"))

    @property
    def sizes(self) -> tuple[float, ...]:
        """The half axes [m]."""
        return self.radii

    def integrals(self) -> Integrals:  # noqa: D102
        return centred(4.0 / 3.0 * pi * float(np.prod(self.radii)), np.square(self.radii) / 5.0)

    def reach(self, directions: Array) -> Array:  # noqa: D102
        return np.linalg.norm(directions * np.array(self.radii), axis=1)

    def to_mesh(self, detail: int = 32) -> Mesh:  # noqa: D102
        sides = tess.check_detail(detail)
        vertices, faces = tess.revolve(tess.sphere_profile(sides), sides)
        return Mesh(vertices * self.radii, faces)

    def stretched(self, stretch: Array) -> "Ellipsoid":
        """Return the ellipsoid with half axes of the lengths of the mapped ones."""
        x, y, z = np.linalg.norm(stretch, axis=0).tolist()
        return Ellipsoid((x * self.radii[0], y * self.radii[1], z * self.radii[2]))
