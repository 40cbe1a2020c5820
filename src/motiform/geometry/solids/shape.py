"""What every shape can do, and the mesh that every shape can become."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import ShapeError
from motiform.geometry.checks import check_one_amount, check_points, read_only
from motiform.geometry.mass import MassProperties, inertia_of_moments, volume_integrals
from motiform.geometry.meshes.topology import check_closed_surface, check_outward, surface_area
from motiform.spatial import Transform
from motiform.spatial.checks import Array, Words

__all__ = ["Integrals", "Mesh", "Shape"]

Integrals = tuple[float, Array, Array]
_HERE = Transform.identity()


class Shape(ABC):
    """A solid of uniform density in its own frame, unless it says otherwise."""

    kind: ClassVar[str]

    @abstractmethod
    def integrals(self) -> Integrals:
        """Return (volume [m³], centroid [m] (3,), ∫ r rᵀ dV [m⁵] about the centroid (3, 3))."""

    @abstractmethod
    def bounds_in(self, transform: Transform) -> Array:
        """Return the lowest and highest corner [m], (2, 3), of the tightest box along the axes of a, with T_a_b."""

    @abstractmethod
    def to_mesh(self, detail: int = 32) -> "Mesh":
        """Return a closed surface of outward triangles; round parts get `detail` sides and are inscribed."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """Return the kind and the numbers that shape_from turns back into the shape."""

    @property
    def volume(self) -> float:
        """The volume [m³]."""
        return self.integrals()[0]

    @property
    def bounds(self) -> Array:
        """The lowest and highest corner [m], (2, 3), of the tightest box along the shape's axes."""
        return self.bounds_in(_HERE)

    def mass_properties(self, *, density: float | None = None, mass: float | None = None) -> MassProperties:
        """Return mass, centre of mass and inertia from either the density [kg/m³] or the whole mass [kg]."""
        rho, total = check_one_amount(density, mass, self.kind)
        volume, center, second = self.integrals()
        rho = rho if rho is not None else (total or 0.0) / volume
        return MassProperties(total or rho * volume, center, inertia_of_moments(rho * second))


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

    def bounds_in(self, transform: Transform) -> Array:  # noqa: D102
        points = transform.point(self.vertices)
        return np.stack([points.min(axis=0), points.max(axis=0)])

    def to_mesh(self, detail: int = 32) -> "Mesh":  # noqa: D102
        return self

    def describe(self) -> dict[str, Any]:  # noqa: D102
        return {"kind": self.kind, "vertices": self.vertices, "faces": self.faces}

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
        raise ShapeError("a corner that is not there", where=f"mesh face {n}", got=array[n].tolist(), allowed=allowed)
    return read_only(array.astype(np.int64))
