"""Pairs of solids as kernels read them: which pairs they are, their numbers, and room for the points they have."""

from dataclasses import dataclass, field

import numpy as np

from motiform.base.errors import InputError
from motiform.geometry import Ball, Hollow, Mesh, Plane, Solid
from motiform.geometry.solids.columns import SIZES
from motiform.geometry.solids.register import has_distance
from motiform.geometry.touch.columns import MOST, TOUCH_FLOATS
from motiform.geometry.touch.solids import reach_of, touch_numbers
from motiform.motion.contact import columns as contact_columns
from motiform.motion.contact.obstacles import Obstacle
from motiform.motion.contact.points import ContactPoint, Contacts
from motiform.motion.tree import Figure

__all__ = ["MirroredPairs", "SolidPairs", "expanded", "pack_solids", "touch_as_solids"]


def touch_as_solids(point: ContactPoint, obstacle: Obstacle) -> bool:
    """Return whether a point and an obstacle touch as two solids; an error where they cannot touch at all."""
    hollow, where = isinstance(obstacle.solid, Hollow), f"contact point {point.name!r}"
    if point.kind == contact_columns.SOLID and hollow:
        raise InputError(
            "a solid cannot touch a bowl from inside",
            where=where,
            got=f"obstacle {obstacle.name!r}",
            remedy="Name the pairs that may touch (pairs=), and give points of its surface (points_of_shape).",
        )
    if point.kind in (contact_columns.RING, contact_columns.ELLIPSOID) and not isinstance(obstacle.solid, Plane):
        raise InputError(
            "a ring or an ellipsoid can touch planes only",
            where=where,
            got=f"obstacle {obstacle.name!r}",
            remedy="Name the pairs that may touch (pairs=), or give a solid in its place (shape=).",
        )
    return point.kind == contact_columns.SOLID or not (hollow or has_distance(obstacle.solid.kind))


@dataclass
class SolidPairs:
    """Numbers of the solids that touch as such, to stand in the floats from `first` on."""

    first: int
    numbers: list[float] = field(default_factory=list)
    ints: list[int] = field(default_factory=list)

    def place(self, numbers: list[float]) -> int:
        """Add numbers; return where they begin."""
        self.numbers += numbers
        return self.first + len(self.numbers) - len(numbers)


def _solid(point: ContactPoint) -> Solid:
    return point.shape or Ball(max(point.radius, 1e-12))


def pack_solids(contacts: Contacts, pairs: list[tuple[int, int]], first: int) -> SolidPairs:
    """Return the integers of pairs of solids, and the floats that they need from place `first` on.

    The last four floats are zeros: the sizes of a point.
    """
    out = SolidPairs(first)
    sides: dict[tuple[str, int], tuple[int, int, float]] = {}
    for n, m in pairs:
        for key, solid in (("point", n), _solid(contacts.points[n])), (("obstacle", m), contacts.obstacles[m].solid):
            if key not in sides:
                kind, numbers = touch_numbers(solid)
                sides[key] = kind, out.place(numbers), reach_of(solid)
        (a, at, own), (b, bt, other) = sides["point", n], sides["obstacle", m]
        table = out.place([0.0] * (MOST * (TOUCH_FLOATS + contact_columns.FEATURE_FLOATS)))
        sizes = out.place([2.0 * min(own, other), own + other, float(table), 0.0, 0.0, 0.0])
        out.ints += [n, m, a, at, b, bt, sizes]
    out.place([0.0] * SIZES)
    return out


def expanded(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return each pair of solids as many times as it has points at most."""
    return [pair for pair in pairs for _ in range(MOST)]


class MirroredPairs:
    """Points and obstacles that are one solid of a segment: of two such solids only one touches the other.

    The second pair would state the same contact twice. A ball touches what is not one; else the later segment touches
    the earlier, as what is built on the other.
    """

    def __init__(self, figure: Figure, contacts: Contacts) -> None:
        self.points, self.obstacles = contacts.points, contacts.obstacles
        self.order = {segment.name: n for n, segment in enumerate(figure.segments)}
        own = {_key(p.segment, p.point, p.rotation, _own_solid(p)): n for n, p in enumerate(contacts.points)}
        found = ((m, own.get(_key(o.segment, *_place(o), o.solid))) for m, o in enumerate(contacts.obstacles))
        self.point_of = {m: n for m, n in found if n is not None}
        self.known = set(self.point_of.values())

    def twin_touches(self, n: int, m: int) -> bool:
        """Return whether the twins of point n and obstacle m touch in its place."""
        if n not in self.known or m not in self.point_of:
            return False
        point, other = self.points[n], self.points[self.point_of[m]]
        round_one, round_other = point.shape is None, other.shape is None
        if round_one and round_other:
            return self.order[point.segment] > self.order[other.segment]
        if round_one or round_other:
            return round_other
        return self.order[point.segment] < self.order[other.segment]


def _place(obstacle: Obstacle) -> tuple[object, object]:
    return obstacle.placement.translation, obstacle.placement.rotation


def _own_solid(point: ContactPoint) -> object:
    return Ball(point.radius) if point.kind == contact_columns.ROUND and point.radius > 0 else point.shape


def _key(segment: str | None, point: object, rotation: object, solid: object) -> tuple[object, ...]:
    """Return what two solids that are the same have in common; how a ball is turned does not count."""
    shape = id(solid) if isinstance(solid, Mesh) else repr(solid)
    turn = () if isinstance(solid, Ball) else tuple(np.round(np.asarray(rotation, float).ravel(), 12).tolist())
    return segment, shape, tuple(np.round(np.asarray(point, float), 12).tolist()), turn
