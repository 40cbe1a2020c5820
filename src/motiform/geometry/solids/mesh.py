"""A surface of triangles, and the volume inside a closed one."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import ShapeError
from motiform.geometry.checks import check_points, read_only
from motiform.geometry.mass import volume_integrals
from motiform.geometry.meshes.topology import check_closed_surface, check_outward, surface_area
from motiform.geometry.solids.shape import Integrals, Shape, furthest
from motiform.spatial import Transform
from motiform.spatial.checks import Array, Words

__all__ = ["Mesh"]


@dataclass(frozen=True, eq=False)
class Mesh(Shape):
    """A surface of triangles. It may be open to be looked at, but must be closed and outward to have a volume.

    Attributes
    ----------
    vertices : (V, 3) [m], finite.
    faces : (F, 3) indices of corners, counterclockwise seen from outside.
    """

    kind: ClassVar[str] = "mesh"
    vertices: Array
    faces: Any

    def __post_init__(self) -> None:
        vertices = check_points(self.vertices, "mesh vertices")
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", _check_faces(self.faces, len(vertices)))

    @cached_property
    def _integrals(self) -> Integrals:
        check_closed_surface(self.vertices, self.faces)
        check_outward(self.vertices, self.faces)
        volume, center, second = volume_integrals(self.vertices, self.faces)
        return volume, read_only(center), read_only(second)

    def integrals(self) -> Integrals:
        """Return (volume, centroid, ∫ r rᵀ dV about it), exact; reject a mesh that is open, twisted or inside out."""
        return self._integrals

    @property
    def area(self) -> float:
        """The area of the surface [m²]."""
        return surface_area(self.vertices, self.faces)

    def moved(self, transform: Transform) -> "Mesh":
        """Return the mesh with its corners in frame a, with T_a_b."""
        return Mesh(transform.point(self.vertices), self.faces)

    def reach(self, directions: Array) -> Array:  # noqa: D102
        return furthest(self.vertices, directions)

    def ball_around(self) -> tuple[Array, float]:  # noqa: D102
        center = 0.5 * self.bounds.sum(axis=0)
        return center, float(np.linalg.norm(self.vertices - center, axis=1).max())

    def to_mesh(self, detail: int = 32) -> "Mesh":  # noqa: D102
        return self

    def stretched(self, stretch: Array) -> "Mesh":  # noqa: D102
        return Mesh(self.vertices @ stretch.T, self.faces)

    def __repr__(self) -> str:
        return f"Mesh({len(self.vertices)} vertices, {len(self.faces)} faces)"


def _check_faces(faces: ArrayLike, count: int) -> Any:
    try:
        array = np.asarray(faces)
    except (ValueError, TypeError, OverflowError) as error:
        raise ShapeError("not a table of indices", where="mesh faces", allowed="whole numbers (F, 3)") from error
    if array.dtype.kind not in "iu" or array.ndim != 2 or array.shape[1] != 3 or len(array) == 0:
        got = Words(f"{array.dtype} of shape {array.shape}")
        raise ShapeError("not a table of indices", where="mesh faces", got=got, allowed="whole numbers (F, 3), F ≥ 1")
    outside = ((array < 0) | (array >= count)).any(axis=1)
    if outside.any():
        n = int(outside.argmax())
        allowed = f"0 to {count - 1}"
        raise ShapeError(
            "the corners of a face must be vertices", where=f"mesh face {n}", got=array[n].tolist(), allowed=allowed
        )
    return read_only(array.astype(np.int64))
