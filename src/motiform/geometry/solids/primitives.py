"""Box, ball, cylinder, capsule and ellipsoid, with their integrals in closed form."""

from dataclasses import dataclass
from math import pi
from typing import Any, ClassVar

import numpy as np

from motiform.geometry.checks import check_length, check_lengths
from motiform.geometry.meshes import tessellate as tess
from motiform.geometry.solids.shape import Integrals, Mesh, Shape
from motiform.spatial import Transform
from motiform.spatial.checks import Array

__all__ = ["Ball", "Box", "Capsule", "Cylinder", "Ellipsoid"]


@dataclass(frozen=True)
class Box(Shape):
    """A box with edges along the axes; `size` (x, y, z) [m] are its whole edges."""

    kind: ClassVar[str] = "box"
    size: tuple[float, float, float]

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", check_lengths(self.size, "box size"))

    def integrals(self) -> Integrals:  # noqa: D102
        return _centred(float(np.prod(self.size)), np.square(self.size) / 12.0)

    def bounds_in(self, transform: Transform) -> Array:  # noqa: D102
        return _around(transform, np.abs(transform.rotation) @ np.array(self.size) / 2.0)

    def to_mesh(self, detail: int = 32) -> Mesh:  # noqa: D102
        tess.check_detail(detail)
        return Mesh(*tess.box_surface(self.size))

    def describe(self) -> dict[str, Any]:  # noqa: D102
        return {"kind": self.kind, "size": list(self.size)}


@dataclass(frozen=True)
class Ellipsoid(Shape):
    """An ellipsoid with half axes `radii` (x, y, z) [m] along the axes."""

    kind: ClassVar[str] = "ellipsoid"
    radii: tuple[float, float, float]

    def __post_init__(self) -> None:
        object.__setattr__(self, "radii", check_lengths(self.radii, "ellipsoid radii"))

    def integrals(self) -> Integrals:  # noqa: D102
        return _centred(4.0 / 3.0 * pi * float(np.prod(self.radii)), np.square(self.radii) / 5.0)

    def bounds_in(self, transform: Transform) -> Array:  # noqa: D102
        return _around(transform, np.linalg.norm(transform.rotation * np.array(self.radii), axis=1))

    def to_mesh(self, detail: int = 32) -> Mesh:  # noqa: D102
        sides = tess.check_detail(detail)
        vertices, faces = tess.revolve(tess.sphere_profile(sides), sides)
        return Mesh(vertices * self.radii, faces)

    def describe(self) -> dict[str, Any]:  # noqa: D102
        return {"kind": self.kind, "radii": list(self.radii)}


@dataclass(frozen=True)
class Ball(Shape):
    """A solid ball of that radius [m]."""

    kind: ClassVar[str] = "ball"
    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", check_length(self.radius, "ball radius"))

    def integrals(self) -> Integrals:  # noqa: D102
        return self._ellipsoid().integrals()

    def bounds_in(self, transform: Transform) -> Array:  # noqa: D102
        return _around(transform, np.full(3, self.radius))

    def to_mesh(self, detail: int = 32) -> Mesh:  # noqa: D102
        return self._ellipsoid().to_mesh(detail)

    def describe(self) -> dict[str, Any]:  # noqa: D102
        return {"kind": self.kind, "radius": self.radius}

    def _ellipsoid(self) -> Ellipsoid:
        return Ellipsoid((self.radius, self.radius, self.radius))


@dataclass(frozen=True)
class Cylinder(Shape):
    """A cylinder along y: `radius` [m], whole `height` [m]."""

    kind: ClassVar[str] = "cylinder"
    radius: float
    height: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", check_length(self.radius, "cylinder radius"))
        object.__setattr__(self, "height", check_length(self.height, "cylinder height"))

    def integrals(self) -> Integrals:  # noqa: D102
        r2, h = self.radius**2, self.height
        return _centred(pi * r2 * h, np.array([r2 / 4.0, h**2 / 12.0, r2 / 4.0]))

    def bounds_in(self, transform: Transform) -> Array:  # noqa: D102
        axis = transform.rotation[:, 1]
        rim = self.radius * np.hypot(transform.rotation[:, 0], transform.rotation[:, 2])
        return _around(transform, np.abs(axis) * self.height / 2.0 + rim)

    def to_mesh(self, detail: int = 32) -> Mesh:  # noqa: D102
        return Mesh(*tess.revolve(tess.cylinder_profile(self.radius, self.height), tess.check_detail(detail)))

    def describe(self) -> dict[str, Any]:  # noqa: D102
        return {"kind": self.kind, "radius": self.radius, "height": self.height}


@dataclass(frozen=True)
class Capsule(Shape):
    """A cylinder along y with half balls on its ends: `radius` [m], `height` [m] between the centres of these."""

    kind: ClassVar[str] = "capsule"
    radius: float
    height: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", check_length(self.radius, "capsule radius"))
        object.__setattr__(self, "height", check_length(self.height, "capsule height"))

    def integrals(self) -> Integrals:  # noqa: D102
        r, h = self.radius, self.height
        tube, caps = pi * r**2 * h, 4.0 / 3.0 * pi * r**3
        across = tube * r**2 / 4.0 + caps * r**2 / 5.0
        # A half ball has its centroid 3r/8 from its flat side, which is h/2 from the middle.
        along = tube * h**2 / 12.0 + caps * (r**2 / 5.0 + 3.0 * r * h / 8.0 + h**2 / 4.0)
        volume = tube + caps
        return _centred(volume, np.array([across, along, across]) / volume)

    def bounds_in(self, transform: Transform) -> Array:  # noqa: D102
        return _around(transform, np.abs(transform.rotation[:, 1]) * self.height / 2.0 + self.radius)

    def to_mesh(self, detail: int = 32) -> Mesh:  # noqa: D102
        sides = tess.check_detail(detail)
        return Mesh(*tess.revolve(tess.capsule_profile(self.radius, self.height, sides), sides))

    def describe(self) -> dict[str, Any]:  # noqa: D102
        return {"kind": self.kind, "radius": self.radius, "height": self.height}


def _centred(volume: float, spread: Array) -> Integrals:
    """Integrals of a body symmetric about its three planes, from the mean squares of x, y, z."""
    return volume, np.zeros(3), np.diag(volume * spread)


def _around(transform: Transform, half: Array) -> Array:
    return np.stack([transform.translation - half, transform.translation + half])
