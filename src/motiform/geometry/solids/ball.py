"""A ball."""

from dataclasses import dataclass
from math import pi
from typing import ClassVar

import numpy as np

from motiform.geometry.checks import check_length
from motiform.geometry.meshes import tessellate as tess
from motiform.geometry.solids.mesh import Mesh
from motiform.geometry.solids.shape import Integrals, Shape, centred
from motiform.geometry.solids.solid import CIRCLE
from motiform.spatial.checks import Array

__all__ = ["Ball"]


@dataclass(frozen=True)
class Ball(Shape):
    """A solid ball of that radius [m]."""

    kind: ClassVar[str] = "ball"
    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", check_length(self.radius, "ball radius"))

    @property
    def sizes(self) -> tuple[float, ...]:
        """The radius [m]."""
        return (self.radius,)

    def integrals(self) -> Integrals:  # noqa: D102
        radii = np.full(3, self.radius)
        return centred(4.0 / 3.0 * pi * float(np.prod(radii)), np.square(radii) / 5.0)

    def reach(self, directions: Array) -> Array:  # noqa: D102
        return np.full(len(directions), self.radius)

    def ball_around(self) -> tuple[Array, float]:  # noqa: D102
        return np.zeros(3), self.radius

    def to_mesh(self, detail: int = 32) -> Mesh:  # noqa: D102
        sides = tess.check_detail(detail)
        vertices, faces = tess.revolve(tess.sphere_profile(sides), sides)
        return Mesh(vertices * self.radius, faces)

    def outlines(self) -> list[Array]:  # noqa: D102
        return [self.radius * CIRCLE[:, list(order)] for order in ((0, 1, 2), (1, 0, 2), (0, 2, 1))]

    def stretched(self, stretch: Array) -> "Ball":
        """Return the ball of the volume that the lengths of the mapped axes give."""
        x, y, z = np.linalg.norm(stretch, axis=0).tolist()
        return Ball(self.radius * (x * y * z) ** (1 / 3))
