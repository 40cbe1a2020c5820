"""A box."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from motiform.geometry.checks import check_lengths
from motiform.geometry.meshes import tessellate as tess
from motiform.geometry.solids.mesh import Mesh
from motiform.geometry.solids.shape import Integrals, Shape, centred
from motiform.spatial.checks import Array

__all__ = ["Box"]


@dataclass(frozen=True)
class Box(Shape):
    """A box with edges along the axes; `size` (x, y, z) [m] are its whole edges."""

    kind: ClassVar[str] = "box"
    flat: ClassVar[bool] = True
    size: tuple[float, float, float]

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", check_lengths(self.size, "box size"))

    @property
    def sizes(self) -> tuple[float, ...]:
        """The half edges [m]."""
        return tuple(0.5 * edge for edge in self.size)

    def integrals(self) -> Integrals:  # noqa: D102
        return centred(float(np.prod(self.size)), np.square(self.size) / 12.0)

    def reach(self, directions: Array) -> Array:  # noqa: D102
        return np.abs(directions) @ np.array(self.size) / 2.0

    def to_mesh(self, detail: int = 32) -> Mesh:  # noqa: D102
        tess.check_detail(detail)
        return Mesh(*tess.box_surface(self.size))

    def outlines(self) -> list[Array]:  # noqa: D102
        signs = np.array(np.meshgrid(*[[-0.5, 0.5]] * 3)).reshape(3, -1).T
        near = [(a, b) for a in signs for b in signs if (a <= b).all() and np.abs(a - b).sum() == 1]
        return [np.array(pair) * np.array(self.size) for pair in near]

    def stretched(self, stretch: Array) -> "Box":
        """Return the box with edges of the lengths of the mapped ones."""
        x, y, z = np.linalg.norm(stretch, axis=0).tolist()
        return Box((x * self.size[0], y * self.size[1], z * self.size[2]))
