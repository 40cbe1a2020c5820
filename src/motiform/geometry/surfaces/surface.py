"""The interface of contact surfaces, and their common algebra."""

from abc import ABC, abstractmethod
from math import inf
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import ShapeError
from motiform.spatial.checks import Array, Words, as_floats

__all__ = ["Bounds", "Surface", "around_axis", "in_basis", "outer", "unit"]

Bounds = tuple[float, float, float, float]


class Surface(ABC):
    """A surface in coordinates of its own."""

    kind: ClassVar[str]
    edge: ClassVar[bool] = False
    """Whether it is a sharp edge, whose normal is not a function of the point."""
    isotropic: ClassVar[bool] = False
    """Whether the curvature is the same in all directions, everywhere."""
    ruled: ClassVar[bool] = False
    """Whether a straight line of the surface goes through each point along which the normal does not change."""
    inside: bool = False
    """Whether the material is outside of the surface: a bowl, a tube."""

    @property
    def sign(self) -> float:
        """1, or −1 from inside."""
        return -1.0 if self.inside else 1.0

    def project(self, x: ArrayLike, normal: ArrayLike | None = None) -> tuple[Array, Array]:
        """Return the foot of points [m] on the surface and the outward normal there, both (..., 3).

        An edge also takes the normal that it has, and makes it perpendicular to itself.
        """
        point = as_floats(x, 3, where=f"point near {self!r}", error=ShapeError)
        with np.errstate(all="ignore"):
            foot, n = self._foot(point, None if normal is None else np.asarray(normal, float))
        if not (np.isfinite(foot).all() and np.isfinite(n).all()):
            raise self._no_foot(point)
        return foot, self.sign * n

    def normal(self, x: ArrayLike) -> Array:
        """Return the outward normal at points of the surface, (..., 3)."""
        return self.project(x)[1]

    def shape(self, x: ArrayLike, T: ArrayLike, normal: ArrayLike | None = None) -> Array:
        """Return the curvature K [1/m] at points of the surface in the basis T, (..., 2, 2).

        For an edge, which has no finite K, the radius tensor K⁻¹ [m]; it needs the outward normal.
        """
        return self.sign * self._shape(np.asarray(x, float), np.asarray(T, float))

    def moves(self, x: Array, T: Array, normal: Array) -> tuple[Array, Array]:
        """Return how the point, S y, and its normal, M y, move with two parameters y, each (..., 2, 2), in the basis T.

        On a smooth surface y is the shift itself and M the curvature. On an edge y along it moves the point, y across
        it tilts the normal.
        """
        K = self.shape(x, T)
        return np.broadcast_to(np.eye(2), K.shape), K

    def line(self, x: Array) -> Array:
        """Return the direction of the straight line through points of a ruled surface, (..., 3)."""
        raise ShapeError("the surface has no straight lines", got=self.kind, allowed="cylinder, cone, plane")

    @abstractmethod
    def anchor(self, up: bool = True) -> Array:
        """Return a point of the surface, (3,), whose outward normal is along +z, or +x, or with up=False along −."""

    def chart(self, x: ArrayLike) -> Array:
        """Return coordinates (u, v) of points of the surface, (..., 2); their poles matter to nothing else."""
        raise ShapeError("no coordinates are defined on this surface", where=repr(self))

    @property
    def bounds(self) -> Bounds:
        """Least and greatest smaller, least and greatest larger principal curvature [1/m] that occur anywhere."""
        lo, hi, low, high = self._bounds()
        return (-high, -low, -hi, -lo) if self.inside else (lo, hi, low, high)

    @abstractmethod
    def _foot(self, x: Array, normal: Array | None) -> tuple[Array, Array]:
        """Return foot and normal, seen from outside; not finite where there is none."""

    @abstractmethod
    def _shape(self, x: Array, T: Array) -> Array:
        """Return K, seen from outside."""

    def _bounds(self) -> Bounds:
        return -inf, inf, -inf, inf

    def _no_foot(self, x: Array) -> ShapeError:
        got = Words(np.array2string(x.reshape(-1, 3)[0], precision=6)) if x.size else None
        return ShapeError(
            "a point cannot be projected on the surface", where=repr(self), got=got, allowed="points near the surface",
            remedy="Give a point nearer to it, not a centre, an axis or an apex.",
        )  # fmt: skip


def unit(v: Array) -> Array:
    """Return vectors of length one along v, (..., n)."""
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def around_axis(x: Array) -> tuple[Array, Array, Array]:
    """Return the directions away from the z axis and around it, and the distance from it."""
    rho = np.hypot(x[..., 0], x[..., 1])
    c, s = x[..., 0] / rho, x[..., 1] / rho
    zero = np.zeros_like(c)
    return np.stack([c, s, zero], axis=-1), np.stack([-s, c, zero], axis=-1), rho


def in_basis(T: Array, direction: Array) -> Array:
    """Return Tᵀ direction, (..., 2)."""
    d: Array = (np.swapaxes(T, -1, -2) @ direction[..., None])[..., 0]
    return d


def outer(d: Array) -> Array:
    """Return d dᵀ, (..., n, n)."""
    return d[..., :, None] * d[..., None, :]
