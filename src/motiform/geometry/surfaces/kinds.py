"""Surfaces with closed forms: plane, sphere, cylinder, cone, torus, ellipsoid, and the circle, an edge."""

from dataclasses import dataclass
from math import inf, pi
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import ShapeError
from motiform.geometry.checks import check_length, check_lengths
from motiform.geometry.surfaces.surface import Bounds, Surface, around_axis, in_basis, outer, unit
from motiform.spatial.checks import Array, Words, as_floats

__all__ = [
    "CircleEdge", "ConeSurface", "CylinderSurface", "EllipsoidSurface", "PlaneSurface", "SphereSurface", "TorusSurface",
    "circle", "cone", "cylinder", "ellipsoid", "plane", "sphere", "torus",
]  # fmt: skip


def _revolved(x: Array, T: Array, even: float, ring: Array | float) -> Array:
    """Return K = even 1 + ring d dᵀ of a surface of revolution, d the direction around its axis."""
    d = in_basis(T, around_axis(x)[1])
    return even * np.eye(2) + np.asarray(ring)[..., None, None] * outer(d)


@dataclass(frozen=True)
class PlaneSurface(Surface):
    """The plane z = 0 with its outward normal along +z."""

    kind: ClassVar[str] = "plane"
    isotropic: ClassVar[bool] = True
    ruled: ClassVar[bool] = True

    def _foot(self, x: Array, normal: Array | None) -> tuple[Array, Array]:
        return x * (1.0, 1.0, 0.0), np.broadcast_to((0.0, 0.0, 1.0), x.shape)

    def _shape(self, x: Array, T: Array) -> Array:
        return np.zeros((*np.broadcast_shapes(x.shape[:-1], T.shape[:-2]), 2, 2))

    def anchor(self, up: bool = True) -> Array:  # noqa: D102
        return np.zeros(3)

    def chart(self, x: ArrayLike) -> Array:
        """Return (x, y) [m]."""
        return np.asarray(x, float)[..., :2]

    def _bounds(self) -> Bounds:
        return 0.0, 0.0, 0.0, 0.0


@dataclass(frozen=True)
class SphereSurface(Surface):
    """A sphere about the origin."""

    kind: ClassVar[str] = "sphere"
    isotropic: ClassVar[bool] = True
    radius: float
    inside: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", check_length(self.radius, "radius of a sphere"))

    def _foot(self, x: Array, normal: Array | None) -> tuple[Array, Array]:
        n = unit(x)
        return self.radius * n, n

    def _shape(self, x: Array, T: Array) -> Array:
        return np.broadcast_to(np.eye(2) / self.radius, (*np.broadcast_shapes(x.shape[:-1], T.shape[:-2]), 2, 2))

    def anchor(self, up: bool = True) -> Array:  # noqa: D102
        return np.array([0.0, 0.0, self.sign * (self.radius if up else -self.radius)])

    def chart(self, x: ArrayLike) -> Array:
        """Return the angle from +z and the angle around z [rad]."""
        return _polar(np.asarray(x, float))

    def _bounds(self) -> Bounds:
        k = 1.0 / self.radius
        return k, k, k, k


@dataclass(frozen=True)
class CylinderSurface(Surface):
    """An endless cylinder along z."""

    kind: ClassVar[str] = "cylinder"
    ruled: ClassVar[bool] = True
    radius: float
    inside: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", check_length(self.radius, "radius of a cylinder"))

    def _foot(self, x: Array, normal: Array | None) -> tuple[Array, Array]:
        out, _, _ = around_axis(x)
        return self.radius * out + x * (0.0, 0.0, 1.0), out

    def _shape(self, x: Array, T: Array) -> Array:
        return _revolved(x, T, 0.0, 1.0 / self.radius)

    def line(self, x: Array) -> Array:  # noqa: D102
        return np.broadcast_to((0.0, 0.0, 1.0), x.shape)

    def anchor(self, up: bool = True) -> Array:  # noqa: D102
        return np.array([self.sign * (self.radius if up else -self.radius), 0.0, 0.0])

    def chart(self, x: ArrayLike) -> Array:
        """Return the angle around z [rad] and z [m]."""
        x = np.asarray(x, float)
        return np.stack([np.arctan2(x[..., 1], x[..., 0]), x[..., 2]], axis=-1)

    def _bounds(self) -> Bounds:
        return 0.0, 0.0, 1.0 / self.radius, 1.0 / self.radius


@dataclass(frozen=True)
class ConeSurface(Surface):
    """An endless cone that opens along +z from its apex at the origin."""

    kind: ClassVar[str] = "cone"
    ruled: ClassVar[bool] = True
    half_angle: float
    inside: bool = False

    def __post_init__(self) -> None:
        angle = as_floats(self.half_angle, where="half angle of a cone", finite=False, error=ShapeError)
        if angle.ndim or not 1e-9 <= angle <= pi / 2 - 1e-9:
            raise ShapeError(
                "the half angle must be between 0 and π/2", where="cone", got=Words(f"{angle}"),
                allowed="between 0 and pi/2 rad (90 degrees), both excluded",
            )  # fmt: skip
        object.__setattr__(self, "half_angle", angle.item())

    def _foot(self, x: Array, normal: Array | None) -> tuple[Array, Array]:
        sine, cosine = np.sin(self.half_angle), np.cos(self.half_angle)
        out, _, rho = around_axis(x)
        s = sine * rho + cosine * x[..., 2]
        s = np.where(s > 0, s, np.nan)[..., None]  # behind the apex there is no foot
        up = np.array([0.0, 0.0, 1.0])
        return s * (sine * out + cosine * up), cosine * out - sine * up

    def _shape(self, x: Array, T: Array) -> Array:
        return _revolved(x, T, 0.0, np.cos(self.half_angle) / np.hypot(x[..., 0], x[..., 1]))

    def line(self, x: Array) -> Array:  # noqa: D102
        return unit(x)

    def anchor(self, up: bool = True) -> Array:  # noqa: D102
        side = self.sign * (1.0 if up else -1.0)
        return np.array([side * np.sin(self.half_angle), 0.0, np.cos(self.half_angle)])

    def chart(self, x: ArrayLike) -> Array:
        """Return the angle around z [rad] and the distance from the apex [m]."""
        x = np.asarray(x, float)
        return np.stack([np.arctan2(x[..., 1], x[..., 0]), np.linalg.norm(x, axis=-1)], axis=-1)

    def _bounds(self) -> Bounds:
        return 0.0, 0.0, 0.0, inf


@dataclass(frozen=True)
class TorusSurface(Surface):
    """A tube bent to a ring about z; its inner side is a saddle."""

    kind: ClassVar[str] = "torus"
    ring: float
    tube: float
    inside: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "ring", check_length(self.ring, "ring radius of a torus"))
        object.__setattr__(self, "tube", check_length(self.tube, "tube radius of a torus"))
        if self.tube >= self.ring:
            raise ShapeError(
                "a torus must not meet itself", got=self.tube, allowed=f"a tube radius below the ring's {self.ring} m"
            )

    def _foot(self, x: Array, normal: Array | None) -> tuple[Array, Array]:
        centre = self.ring * around_axis(x)[0]
        n = unit(x - centre)
        return centre + self.tube * n, n

    def _shape(self, x: Array, T: Array) -> Array:
        ring = -self.ring / (self.tube * np.hypot(x[..., 0], x[..., 1]))  # cos v/(R + r cos v) − 1/r
        return _revolved(x, T, 1.0 / self.tube, ring)

    def anchor(self, up: bool = True) -> Array:  # noqa: D102
        side = self.sign * (1.0 if up else -1.0)
        return np.array([side * (self.ring + self.tube), 0.0, 0.0])

    def chart(self, x: ArrayLike) -> Array:
        """Return the angle around z and the angle around the tube from its outermost circle [rad]."""
        x = np.asarray(x, float)
        across = np.hypot(x[..., 0], x[..., 1]) - self.ring
        return np.stack([np.arctan2(x[..., 1], x[..., 0]), np.arctan2(x[..., 2], across)], axis=-1)

    def _bounds(self) -> Bounds:
        return -1.0 / (self.ring - self.tube), 1.0 / (self.ring + self.tube), 1.0 / self.tube, 1.0 / self.tube


@dataclass(frozen=True)
class EllipsoidSurface(Surface):
    """An ellipsoid about the origin with half axes `radii` (x, y, z) [m]."""

    kind: ClassVar[str] = "ellipsoid"
    radii: tuple[float, float, float]
    inside: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "radii", check_lengths(self.radii, "radii of an ellipsoid"))

    @property
    def _weights(self) -> Array:
        return 1.0 / np.square(self.radii)

    def _foot(self, x: Array, normal: Array | None) -> tuple[Array, Array]:
        d = self._weights
        for _ in range(50):  # down the gradient of ½ (Σ d x² − 1), quadratic
            g = d * x
            step = 0.5 * ((g * x).sum(-1, keepdims=True) - 1.0) / (g * g).sum(-1, keepdims=True) * g
            x = x - step
            if not (np.linalg.norm(step, axis=-1) > 1e-15 * np.linalg.norm(x, axis=-1)).any():
                break
        return x, unit(d * x)

    def _shape(self, x: Array, T: Array) -> Array:
        d = self._weights
        size = np.linalg.norm(d * x, axis=-1)[..., None, None]
        return np.swapaxes(T, -1, -2) @ (d[:, None] * T) / size

    def anchor(self, up: bool = True) -> Array:  # noqa: D102
        return np.array([0.0, 0.0, self.sign * (self.radii[2] if up else -self.radii[2])])

    def chart(self, x: ArrayLike) -> Array:
        """Return the angles [rad] from +z and around z of the point stretched to a unit sphere."""
        return _polar(np.asarray(x, float) / self.radii)

    def _bounds(self) -> Bounds:
        c, b, a = sorted(self.radii)
        return c / a**2, a / b**2, c / b**2, a / c**2  # at the ends of the shortest and the longest axis


@dataclass(frozen=True)
class CircleEdge(Surface):
    """The sharp edge of a thin disk about z; a torus whose tube has shrunk to nothing."""

    kind: ClassVar[str] = "circle"
    edge: ClassVar[bool] = True
    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", check_length(self.radius, "radius of a circle"))

    def _foot(self, x: Array, normal: Array | None) -> tuple[Array, Array]:
        out, around, _ = around_axis(x)
        n = out if normal is None else normal
        return self.radius * out, unit(n - around * (n * around).sum(-1, keepdims=True))

    def bend(self, x: Array, T: Array, normal: Array) -> tuple[Array, Array]:
        """Return the edge's direction in the basis T, (..., 2), and its curvature n·r̂/a [1/m] along it."""
        out, around, _ = around_axis(x)
        return unit(in_basis(T, around)), (normal * out).sum(-1) / self.radius

    def shape(self, x: ArrayLike, T: ArrayLike, normal: ArrayLike | None = None) -> Array:
        """Return the radius tensor K⁻¹ = a/(n·r̂) d dᵀ [m], (..., 2, 2), for the outward normal n (radial if None)."""
        x = np.asarray(x, float)
        n = around_axis(x)[0] if normal is None else np.asarray(normal, float)
        d, curvature = self.bend(x, np.asarray(T, float), n)
        return outer(d) / curvature[..., None, None]

    def moves(self, x: Array, T: Array, normal: Array) -> tuple[Array, Array]:  # noqa: D102
        d, curvature = self.bend(x, T, normal)
        along = outer(d)
        across = outer(np.stack([-d[..., 1], d[..., 0]], axis=-1))
        return along, curvature[..., None, None] * along + across

    def _shape(self, x: Array, T: Array) -> Array:
        return self.shape(x, T)

    def anchor(self, up: bool = True) -> Array:  # noqa: D102
        return np.array([self.radius if up else -self.radius, 0.0, 0.0])

    def chart(self, x: ArrayLike) -> Array:
        """Return the angle around z [rad], and zero."""
        x = np.asarray(x, float)
        angle = np.arctan2(x[..., 1], x[..., 0])
        return np.stack([angle, np.zeros_like(angle)], axis=-1)

    def _bounds(self) -> Bounds:
        return -1.0 / self.radius, 1.0 / self.radius, inf, inf


def _polar(x: Array) -> Array:
    return np.stack([np.arctan2(np.hypot(x[..., 0], x[..., 1]), x[..., 2]), np.arctan2(x[..., 1], x[..., 0])], axis=-1)


def plane() -> PlaneSurface:
    """Return the plane z = 0, its outward normal along +z."""
    return PlaneSurface()


def sphere(radius: float, *, inside: bool = False) -> SphereSurface:
    """Return a sphere about the origin; `inside`, a bowl."""
    return SphereSurface(radius, inside)


def cylinder(radius: float, *, inside: bool = False) -> CylinderSurface:
    """Return an endless cylinder along z; `inside`, a tube."""
    return CylinderSurface(radius, inside)


def cone(half_angle: float, *, inside: bool = False) -> ConeSurface:
    """Return a cone with its apex at the origin that opens along +z; `half_angle` [rad] from its axis."""
    return ConeSurface(half_angle, inside)


def torus(ring: float, tube: float, *, inside: bool = False) -> TorusSurface:
    """Return a torus about z: radius [m] of the ring's middle line and of the tube."""
    return TorusSurface(ring, tube, inside)


def ellipsoid(radii: tuple[float, float, float], *, inside: bool = False) -> EllipsoidSurface:
    """Return an ellipsoid with half axes [m] along x, y, z."""
    return EllipsoidSurface(radii, inside)


def circle(radius: float) -> CircleEdge:
    """Return the sharp edge of a thin disk about z."""
    return CircleEdge(radius)
