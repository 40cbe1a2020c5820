"""Bounded solids: they have a volume, a mass, and a mesh."""

from abc import abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from motiform.geometry.checks import check_one_amount
from motiform.geometry.mass import MassProperties, inertia_of_moments
from motiform.geometry.solids.solid import Solid
from motiform.spatial import Transform
from motiform.spatial.checks import Array

if TYPE_CHECKING:
    from motiform.geometry.solids.mesh import Mesh

__all__ = ["Integrals", "Shape", "centred", "furthest"]

Integrals = tuple[float, Array, Array]
_HERE = Transform.identity()
_ENTRIES = 4_000_000  # of one table of points and directions; bounds the memory


class Shape(Solid):
    """A solid of uniform density in its own frame, unless stated otherwise."""

    @abstractmethod
    def integrals(self) -> Integrals:
        """Return (volume [m³], centroid [m] (3,), ∫ r rᵀ dV [m⁵] about the centroid (3, 3))."""

    @abstractmethod
    def reach(self, directions: Array) -> Array:
        """Return max d·x over its points x [m], (n,), for directions d of its frame, (n, 3): the support function."""

    @abstractmethod
    def to_mesh(self, detail: int = 32) -> "Mesh":
        """Return a closed surface of outward triangles; round parts get `detail` sides and are inscribed."""

    def stretched(self, stretch: Array) -> "Shape":
        """Return the shape under a linear map (3, 3) of its own axes.

        A kind that the map does not keep takes the lengths of the mapped axes, or becomes a mesh.
        """
        return self.to_mesh().stretched(stretch)

    def seen(self, extent: float) -> "Shape":  # noqa: D102
        return self

    def pieces(self, placement: Transform) -> list[tuple["Shape", Transform]]:
        """Return the simple shapes that it is made of and where they are, for a shape at T_a_shape in frame a."""
        return [(self, placement)]

    @property
    def volume(self) -> float:
        """The volume [m³]."""
        return self.integrals()[0]

    @property
    def bounds(self) -> Array:
        """The lowest and highest corner [m], (2, 3), of the tightest box along the shape's axes."""
        return self.bounds_in(_HERE)

    def bounds_in(self, transform: Transform) -> Array:
        """Return the lowest and highest corner [m], (2, 3), of the tightest box along the axes of a, with T_a_b."""
        R, p = transform.rotation, transform.translation
        return np.stack([p - self.reach(-R), p + self.reach(R)])

    def ball_around(self) -> tuple[Array, float]:
        """Return the centre [m] (3,) and the radius [m] of a ball around it."""
        low, high = self.bounds
        return 0.5 * (low + high), 0.5 * float(np.linalg.norm(high - low))

    def mass_properties(self, *, density: float | None = None, mass: float | None = None) -> MassProperties:
        """Return mass, centre of mass and inertia from either the density [kg/m³] or the whole mass [kg]."""
        rho, total = check_one_amount(density, mass, self.kind)
        volume, center, second = self.integrals()
        rho = rho if rho is not None else (total or 0.0) / volume
        return MassProperties(total or rho * volume, center, inertia_of_moments(rho * second))


def centred(volume: float, spread: Array) -> Integrals:
    """Return the integrals of a body symmetric about its three planes, from the mean squares of x, y, z [m²]."""
    return volume, np.zeros(3), np.diag(volume * spread)


def furthest(points: Array, directions: Array) -> Array:
    """Return max d·x over points x [m] (m, 3), (n,), for directions d (n, 3)."""
    step = max(1, _ENTRIES // len(points))
    starts = range(0, len(directions), step)
    return np.concatenate([(directions[i : i + step] @ points.T).max(axis=1) for i in starts])
