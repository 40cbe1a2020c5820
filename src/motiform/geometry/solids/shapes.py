"""Shapes of bodies: primitives, closed meshes, particles, and several of them fixed together.

Each primitive is centred at the origin of its own frame; cylinders and capsules stand along y.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, ShapeError, closest
from motiform.geometry.checks import check_amount, check_length, check_point, check_points, read_only
from motiform.geometry.mass import MassProperties, particle_mass_properties
from motiform.geometry.meshes import tessellate as tess
from motiform.geometry.solids.primitives import Ball, Box, Capsule, Cylinder, Ellipsoid
from motiform.geometry.solids.shape import Integrals, Mesh, Shape
from motiform.spatial import Transform
from motiform.spatial.checks import Array, Words, as_floats

__all__ = ["Ball", "Box", "Capsule", "Compound", "Cylinder", "Ellipsoid", "Mesh", "Particles", "Shape", "shape_from"]

DEEPEST = 16  # compounds within compounds; a description nested deeper is a mistake


@dataclass(frozen=True, eq=False)
class Particles(Shape):
    """Point masses fixed to one another: they have mass and inertia but no volume.

    Attributes
    ----------
    points : (N, 3) [m].
    masses : (N,) [kg]; one number stands for all.
    radius : [m], of the balls that are drawn; None chooses one from the spread of the points.
    """

    kind: ClassVar[str] = "particles"
    points: Array
    masses: Array
    radius: float | None = None

    def __post_init__(self) -> None:
        points = check_points(self.points, "particle points")
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "masses", _check_masses(self.masses, len(points)))
        radius = _drawn_radius(points) if self.radius is None else check_length(self.radius, "particle radius")
        object.__setattr__(self, "radius", radius)

    @property
    def volume(self) -> float:
        """Zero: points have no volume."""
        return 0.0

    def integrals(self) -> Integrals:
        """Reject: points have no volume."""
        raise ShapeError("particles have no volume to fill", remedy="Use mass_properties(), or a mesh or primitive.")

    def mass_properties(self, *, density: float | None = None, mass: float | None = None) -> MassProperties:
        """Return the mass properties of the points, with their own masses or scaled to the whole `mass` [kg]."""
        if density is not None:
            raise ShapeError(
                "particles carry their own masses", got=Words(f"density {density}"), remedy="Give mass= or nothing."
            )
        scale = 1.0 if mass is None else check_amount(mass, "mass", "kg") / self.masses.sum()
        return particle_mass_properties(self.points, self.masses * scale)

    def bounds_in(self, transform: Transform) -> Array:  # noqa: D102
        points = transform.point(self.points)
        return np.stack([points.min(axis=0) - self.radius, points.max(axis=0) + self.radius])

    def to_mesh(self, detail: int = 32) -> Mesh:
        """Return a small ball around each point, with a quarter of the detail."""
        sides = tess.check_detail(max(tess.check_detail(detail) // 4, 6))
        vertices, faces = tess.revolve(tess.sphere_profile(sides), sides)
        ball = vertices * float(self.radius or 0.0)  # never None: chosen when the shape was made
        return Mesh(*tess.join_surfaces([(point + ball, faces) for point in self.points]))

    def describe(self) -> dict[str, Any]:  # noqa: D102
        return {"kind": self.kind, "points": self.points, "masses": self.masses, "radius": self.radius}

    def __repr__(self) -> str:
        return f"Particles({len(self.points)} points, {self.masses.sum():.6g} kg)"


@dataclass(frozen=True, eq=False)
class Compound(Shape):
    """Shapes fixed to one another: pairs of a shape and its pose T_compound_part. Where parts overlap both count."""

    kind: ClassVar[str] = "compound"
    parts: tuple[tuple[Shape, Transform], ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", _check_parts(self.parts))

    def integrals(self) -> Integrals:  # noqa: D102
        seen = []
        for shape, pose in self.parts:
            volume, center, second = shape.integrals()
            seen.append((volume, pose.point(center), pose.rotation @ second @ pose.rotation.T))
        volumes, centers = np.array([v for v, _, _ in seen]), np.array([c for _, c, _ in seen])
        total = volumes.sum()
        center = centers[0] + volumes @ (centers - centers[0]) / total
        apart = centers - center
        second = sum((s for _, _, s in seen), start=(apart * volumes[:, None]).T @ apart)
        return float(total), center, second

    def bounds_in(self, transform: Transform) -> Array:  # noqa: D102
        boxes = np.stack([shape.bounds_in(transform @ pose) for shape, pose in self.parts])
        return np.stack([boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)])

    def to_mesh(self, detail: int = 32) -> Mesh:  # noqa: D102
        meshes = [shape.to_mesh(detail).moved(pose) for shape, pose in self.parts]
        return Mesh(*tess.join_surfaces([(mesh.vertices, mesh.faces) for mesh in meshes]))

    def describe(self) -> dict[str, Any]:  # noqa: D102
        parts = [
            {"shape": shape.describe(), "at": pose.translation.tolist(), "rotation": pose.rotation.tolist()}
            for shape, pose in self.parts
        ]
        return {"kind": self.kind, "parts": parts}


def shape_from(description: Mapping[str, Any]) -> Shape:
    """Return the shape of a description, as `describe` gives it: its kind and the numbers of that kind."""
    return _shape_from(description, 0)


def _shape_from(description: Any, depth: int) -> Shape:
    if not isinstance(description, Mapping):
        raise ShapeError(
            "not a shape", got=Words(type(description).__name__), allowed="a mapping with 'kind' and its numbers"
        )
    kind = description.get("kind")
    if not isinstance(kind, str) or kind not in _KINDS:
        remedy = closest(kind, _KINDS) if isinstance(kind, str) else None
        raise ShapeError("unknown kind of shape", got=kind, allowed=", ".join(_KINDS), remedy=remedy)
    if depth > DEEPEST:
        raise ShapeError("compounds nested too deep", allowed=f"{DEEPEST} levels")
    cls, needed, optional = _KINDS[kind]
    given = {key: value for key, value in description.items() if key != "kind"}
    wrong = [str(key) for key in given if key not in needed + optional]
    missing = [key for key in needed if key not in given]
    if wrong or missing:
        got = Words(f"unknown {', '.join(wrong)}" if wrong else f"no {', '.join(missing)}")
        raise ShapeError("the description does not fit", where=kind, got=got, allowed=", ".join(needed + optional))
    if cls is Compound:
        return Compound(_parts_from(given["parts"], depth))
    return cls(**given)


def _parts_from(parts: Any, depth: int) -> tuple[tuple[Shape, Transform], ...]:
    if not isinstance(parts, (list, tuple)):
        raise ShapeError("not a list of parts", where="compound", got=Words(type(parts).__name__))
    found = []
    for part in parts:
        if not isinstance(part, Mapping) or "shape" not in part or not set(part) <= {"shape", "at", "rotation"}:
            raise ShapeError(
                "not a part", where="compound", got=Words(type(part).__name__), allowed="shape, at, rotation"
            )
        try:
            pose = Transform(part.get("rotation", np.eye(3)), part.get("at", np.zeros(3)))
        except InputError as error:
            raise ShapeError(str(error), where="compound part") from error
        found.append((_shape_from(part["shape"], depth + 1), pose))
    return tuple(found)


_KINDS: dict[str, tuple[type[Shape], tuple[str, ...], tuple[str, ...]]] = {
    "box": (Box, ("size",), ()),
    "ball": (Ball, ("radius",), ()),
    "cylinder": (Cylinder, ("radius", "height"), ()),
    "capsule": (Capsule, ("radius", "height"), ()),
    "ellipsoid": (Ellipsoid, ("radii",), ()),
    "mesh": (Mesh, ("vertices", "faces"), ()),
    "particles": (Particles, ("points", "masses"), ("radius",)),
    "compound": (Compound, ("parts",), ()),
}


def _check_masses(masses: ArrayLike, count: int) -> Array:
    array = as_floats(masses, where="particle masses", error=ShapeError)
    if array.ndim == 0:
        array = np.full(count, float(array))
    if array.shape != (count,):
        raise ShapeError("wrong shape", where="particle masses", got=array.shape, allowed=f"({count},) as the points")
    if not (array > 0).all():
        n = int((array <= 0).argmax())
        raise ShapeError("an impossible mass", where=f"particle {n}", got=array[n], allowed="above zero")
    check_amount(array.max(), "mass", "kg")
    check_amount(array.min(), "mass", "kg")
    array_read_only: Array = read_only(array)
    return array_read_only


def _drawn_radius(points: Array) -> float:
    """A quarter of the spacing that as many points would have if they filled their box's diagonal cube."""
    spread = float(np.linalg.norm(np.ptp(points, axis=0)))
    return max(0.25 * spread / len(points) ** (1.0 / 3.0), 1e-3 if spread == 0 else 1e-30)


def _check_parts(parts: Iterable[Any]) -> tuple[tuple[Shape, Transform], ...]:
    try:
        pairs = tuple((shape, pose) for shape, pose in parts)
    except (TypeError, ValueError) as error:
        raise ShapeError(
            "not pairs of shape and Transform", where="compound", allowed="((shape, pose), ...)"
        ) from error
    if not pairs:
        raise ShapeError("a compound without parts", allowed="at least one")
    for shape, pose in pairs:
        if not isinstance(shape, Shape) or not isinstance(pose, Transform) or pose.batch:
            got = Words(f"({type(shape).__name__}, {type(pose).__name__})")
            raise ShapeError("not a shape and its pose", where="compound", got=got, allowed="(Shape, single Transform)")
        check_point(pose.translation, "compound part")
    return pairs
