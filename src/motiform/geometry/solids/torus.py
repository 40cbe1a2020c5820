"""A torus."""

from dataclasses import dataclass
from math import pi
from typing import ClassVar

import numpy as np

from motiform.base.errors import ShapeError
from motiform.geometry.checks import check_length
from motiform.geometry.meshes import tessellate as tess
from motiform.geometry.solids.mesh import Mesh
from motiform.geometry.solids.shape import Integrals, Shape, centred
from motiform.spatial.checks import Array

__all__ = ["Torus"]


@dataclass(frozen=True)
class Torus(Shape):
    """A torus about y: `ring` [m], the radius of its middle line, and `tube` [m], the smaller radius of its tube."""

    kind: ClassVar[str] = "torus"
    ring: float
    tube: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "ring", check_length(self.ring, "torus ring"))
        object.__setattr__(self, "tube", check_length(self.tube, "torus tube"))
        if self.tube >= self.ring:
            raise ShapeError(
                "the tube of a torus must be thinner than its ring", where="torus", got=self.tube,
                allowed=f"a radius below {self.ring} m",
            )  # fmt: skip

    @property
    def sizes(self) -> tuple[float, ...]:
        """Radii of ring and tube [m]."""
        return self.ring, self.tube

    def integrals(self) -> Integrals:  # noqa: D102
        R2, r2 = self.ring**2, self.tube**2
        across = R2 / 2.0 + 3.0 * r2 / 8.0
        return centred(2.0 * pi**2 * self.ring * r2, np.array([across, r2 / 4.0, across]))

    def reach(self, directions: Array) -> Array:  # noqa: D102
        return self.ring * np.hypot(directions[:, 0], directions[:, 2]) + self.tube * np.linalg.norm(directions, axis=1)

    def to_mesh(self, detail: int = 32) -> Mesh:
        """Return a closed surface with twice `detail` sides around the ring, three quarters of it around the tube."""
        around, across = 2 * tess.check_detail(detail), 3 * tess.check_detail(detail) // 4
        a, b = (2.0 * pi * np.arange(n) / n for n in (around, across))
        rho = self.ring + self.tube * np.cos(b)
        height = np.broadcast_to(self.tube * np.sin(b), (around, across))
        vertices = np.stack([np.outer(np.sin(a), rho), height, np.outer(np.cos(a), rho)], axis=-1).reshape(-1, 3)
        i, j = (n.ravel() for n in np.meshgrid(np.arange(around), np.arange(across), indexing="ij"))
        far, up = (i + 1) % around, (j + 1) % across
        p, q, r, s = i * across + j, far * across + j, far * across + up, i * across + up
        return Mesh(vertices, np.concatenate([np.stack([p, q, r], axis=1), np.stack([p, r, s], axis=1)]))
