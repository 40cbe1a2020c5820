"""Parts of solids at a place where they touch: corners, edges, rims, walls, faces, rings and ellipsoids.

A part is a side of a feature (`features`, `side_kernels`) with the limits within which it is the nearest of its solid.
Round solids, cylinders, cones, ellipsoids and tori, give theirs here; those of flat faces with a skin are looked up.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import hypot
from typing import Protocol

import numpy as np

from motiform.geometry import Cone, Cylinder, Ellipsoid, Solid, Torus
from motiform.geometry.solids.endless_cylinder import EndlessCylinder
from motiform.motion.contact import columns as contact_columns
from motiform.motion.contact.features import Flat, flat_of
from motiform.motion.tree.model.joint import Array

__all__ = ["FeatureSide", "Parts", "parts_of"]

_ALIGNED = 0.99  # cosine: a place with such a normal may be on a face or a wall
_STRAIGHT = 1e-9  # sine of a cone's wall that is a cylinder's


@dataclass(frozen=True, eq=False)
class FeatureSide:
    """A side of a feature: kind, number in its solid, place, direction and radius, and two numbers more."""

    kind: int
    number: int
    side: tuple[float, ...]
    more: tuple[float, float] = (0.0, 0.0)
    limits: tuple[tuple[float, ...], ...] = ()
    """Rows of `solid_kernels`, of the first solid; those of the second one are of the next place."""
    length: float = np.inf
    """Radius [m] that parallel surfaces must be nearer than."""

    @property
    def sharp(self) -> bool:
        """Whether it is an edge or a corner, without a skin."""
        return (
            self.kind in (contact_columns.POINT, contact_columns.LINE, contact_columns.CIRCLE) and self.side[6] == 0.0
        )

    def way(self, x: Array) -> Array | None:
        """Return the direction along which it is straight, or a sharp rim runs, at a place in its frame, or None."""
        p, d = np.array(self.side[:3]), np.array(self.side[3:6])
        if self.kind == contact_columns.LINE:
            return d
        if self.kind == contact_columns.WALL or (self.kind == contact_columns.CIRCLE and self.sharp):
            e = x - p - (d @ (x - p)) * d
            e /= max(float(np.linalg.norm(e)), 1e-300)
            sine = self.more[1]
            return np.cross(d, e) if self.kind == contact_columns.CIRCLE else np.sqrt(1 - sine * sine) * d - sine * e
        return None


class Parts(Protocol):
    """A solid as parts."""

    @property
    def skin(self) -> float:
        """Radius [m] about its corners, edges or circle."""

    def at(self, x: Array, m: Array, near: float) -> Iterator[FeatureSide]:
        """Yield the parts at a place x of its surface with outward normal m, sharp ones first."""


@dataclass(frozen=True, eq=False)
class FlatParts:
    """Corners, edges and faces with a skin."""

    flat: Flat

    @property
    def skin(self) -> float:
        """Radius [m] about corners and edges."""
        return self.flat.skin

    def at(self, x: Array, m: Array, near: float) -> Iterator[FeatureSide]:
        flat, core = self.flat, x - self.flat.skin * m
        corner, (face, along) = flat.corner_at(core, near), flat.face_along(m)
        if along > _ALIGNED:
            yield self._part(contact_columns.FLAT, face)
        if corner >= 0:
            yield self._part(contact_columns.POINT, corner)
        for edge in flat.edges_at(core, near):
            yield self._part(contact_columns.LINE, int(edge))

    def _part(self, kind: int, number: int) -> FeatureSide:
        flat = self.flat
        rows = flat.limits(kind, number)
        if flat.skin > 0 and kind == contact_columns.POINT:
            rows = flat.outer(kind, number)
        return FeatureSide(kind, number, tuple(flat.side(kind, number)), limits=tuple((*row, 0.0) for row in rows))


@dataclass(frozen=True, eq=False)
class Single:
    """A solid of one part: a torus, an ellipsoid, an endless cylinder."""

    part: FeatureSide

    @property
    def skin(self) -> float:
        """Radius [m] of the tube of a torus or of an endless cylinder."""
        return self.part.side[6]

    def at(self, x: Array, m: Array, near: float) -> Iterator[FeatureSide]:
        yield self.part


@dataclass(frozen=True, eq=False)
class Turned:
    """A cylinder or a cone: radii [m] of the lower and the upper end, half its height [m]."""

    radii: tuple[float, float]
    half: float
    sine: float = field(init=False)
    """By which its wall looks upward."""

    def __post_init__(self) -> None:
        a, b = self.radii
        object.__setattr__(self, "sine", (a - b) / hypot(a - b, 2 * self.half))

    @property
    def skin(self) -> float:
        """It has none [m]."""
        return 0.0

    def end(self, k: int) -> FeatureSide:
        """Return the flat lower (0) or upper (1) end."""
        up = 2.0 * k - 1
        return FeatureSide(
            contact_columns.FLAT,
            k,
            (0.0, up * self.half, 0.0, 0.0, up, 0.0, 0.0),
            limits=((1.0, 0.0, 0.0, self.radii[k], 4.0),),
        )

    def rim(self, k: int) -> FeatureSide:
        """Return the rim of an end, or its point."""
        up, radius = 2.0 * k - 1, self.radii[k]
        if radius == 0:
            return FeatureSide(contact_columns.POINT, k, (0.0, up * self.half, 0.0, 0.0, 0.0, 0.0, 0.0))
        side = (0.0, up * self.half, 0.0, 0.0, up, 0.0, 0.0)
        return FeatureSide(contact_columns.CIRCLE, k, side, (radius, up * self.sine), length=radius)

    def wall(self) -> FeatureSide:
        """Return the wall, between both ends."""
        limits, (a, b) = ((0.0, 1.0, 0.0, self.half, 2.0), (0.0, -1.0, 0.0, self.half, 2.0)), self.radii
        if abs(self.sine) < _STRAIGHT:
            return FeatureSide(contact_columns.LINE, 0, (0.0, 0.0, 0.0, 0.0, 1.0, 0.0, a), limits=limits)
        apex = self.half * (2 * a / (a - b) - 1)
        return FeatureSide(
            contact_columns.WALL, 0, (0.0, apex, 0.0, 0.0, 1.0, 0.0, 0.0), (0.0, self.sine), limits, max(a, b)
        )

    def at(self, x: Array, m: Array, near: float) -> Iterator[FeatureSide]:
        far, across = hypot(x[0], x[2]), (x[0] * m[0] + x[2] * m[2])
        for k in range(2):
            up = 2.0 * k - 1
            if abs(x[1] - up * self.half) > near:
                continue
            if up * m[1] > _ALIGNED and self.radii[k] > 0:
                yield self.end(k)
            if abs(far - self.radii[k]) < near:
                yield self.rim(k)
        if far > 0 and np.sqrt(1 - self.sine**2) * across / far + self.sine * m[1] > _ALIGNED:
            yield self.wall()


def parts_of(solid: Solid) -> Parts | None:
    """Return a solid as parts; None where it is none that can touch in event-driven runs."""
    if isinstance(solid, Cylinder):
        return Turned((solid.radius, solid.radius), 0.5 * solid.height)
    if isinstance(solid, Cone):
        return Turned((solid.radius, solid.top), 0.5 * solid.height)
    if isinstance(solid, EndlessCylinder):
        return Single(FeatureSide(contact_columns.LINE, 0, (0.0, 0.0, 0.0, 0.0, 1.0, 0.0, solid.radius)))
    if isinstance(solid, Torus):
        side = (0.0, 0.0, 0.0, 0.0, 1.0, 0.0, solid.tube)
        return Single(FeatureSide(contact_columns.CIRCLE, 0, side, (solid.ring, 0.0), length=solid.ring - solid.tube))
    if isinstance(solid, Ellipsoid):
        axes = tuple(float(one) for one in solid.sizes[:3])
        return Single(FeatureSide(contact_columns.OVAL, 0, (0.0, 0.0, 0.0, *axes, 0.0), length=min(axes)))
    flat = flat_of(solid)
    return None if flat is None else FlatParts(flat)
