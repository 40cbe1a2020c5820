"""Contacts of a figure: balls and points of its segments, the obstacles that they may touch, and its joints' limits."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Self, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, closest
from motiform.geometry import Ball, Box, Capsule, Mesh, Shape, surfaces
from motiform.geometry.touch.hulls import hull_corners
from motiform.geometry.touch.solids import TOUCHING, can_touch
from motiform.motion.contact import columns as contact_columns
from motiform.motion.contact.corners import corners_of_shape, pieces_of_shape
from motiform.motion.contact.obstacles import Obstacle
from motiform.motion.run import check_number
from motiform.motion.tree import Figure
from motiform.spatial import Transform, rotation_y_to
from motiform.spatial.checks import Words

__all__ = [
    "ContactPoint",
    "Contacts",
    "obstacles_of_shape",
    "points_of_shape",
    "points_of_tags",
    "ring_point",
    "solid_contacts",
    "solids_of_shape",
]

Law = Literal["leaving", "held"]
_LAWS = ("leaving", "held")


@dataclass(frozen=True)
class ContactPoint:
    """A ball of a segment that may touch obstacles; a point where its radius is zero; a ring, an ellipsoid or a solid.

    Attributes
    ----------
    point : centre [m], in the segment's frame.
    radius : of a ball [m].
    surface : in place of a ball a circle (the edge of a disk), a torus (a wheel) or an ellipsoid of
        `motiform.surfaces`, touched from outside. It touches planes only.
    shape : in place of a ball a solid that touches others as a solid: a box, capsule, cylinder, cone, ellipsoid, torus
        or ball, or a mesh as its convex hull. Two faces touch at the corners of their common part, edges where they
        cross.
    rotation : of the surface's or the shape's axes in the segment's frame, (3, 3); a circle and a torus of
        `motiform.surfaces` turn about its z.
    solid : name of the contact solid that it belongs to; that of the segment where it is not given.
    friction : Coulomb's coefficient; None where nothing slides, as long as the obstacle does not say otherwise.
    restitution : Poisson's coefficient, 0 to 1.
    note : a remark on how it was chosen; recordings store it.
    corner_of : the solid whose surface it is a point of. An event-driven run ends with an error where that solid enters
        an obstacle between its points.

    """

    name: str
    segment: str
    point: tuple[float, float, float]
    radius: float = 0.0
    solid: str = ""
    friction: float | None = None
    restitution: float = 0.0
    surface: surfaces.Surface | None = None
    rotation: ArrayLike | None = None
    shape: Shape | None = None
    note: str = ""
    corner_of: "ContactPoint | None" = None

    def __post_init__(self) -> None:
        where = f"contact point {self.name!r}"
        _check_surface(self.surface, where)
        turn = np.eye(3) if self.rotation is None else Transform.rotation_of(self.rotation).rotation
        object.__setattr__(self, "rotation", tuple(map(tuple, turn.tolist())))
        try:
            x, y, z = (float(value) for value in self.point)
        except (TypeError, ValueError):
            x = y = z = np.nan
        if not np.isfinite([x, y, z]).all():
            raise InputError(
                "point must be finite", where=where, got=repr(self.point), allowed="three finite numbers [m]"
            )
        object.__setattr__(self, "point", (x, y, z))
        object.__setattr__(self, "radius", check_number(self.radius, "radius", where, least=0.0))
        object.__setattr__(self, "solid", self.solid or self.segment)
        if self.friction is not None:
            _within(self.friction, "friction", where, np.inf)
        _within(self.restitution, "restitution", where, 1.0)
        if (self.radius > 0) + (self.surface is not None) + (self.shape is not None) > 1:
            raise InputError(
                "a contact point has either a radius or a surface or a shape", where=where, allowed="one of them"
            )
        if self.shape is not None and not can_touch(self.shape):
            raise InputError(
                "this shape does not touch as a solid",
                where=where,
                got=Words(getattr(self.shape, "kind", type(self.shape).__name__)),
                allowed=", ".join(TOUCHING),
                remedy="Give its parts one by one.",
            )

    @property
    def kind(self) -> int:
        """ROUND, RING, ELLIPSOID or SOLID of `columns`."""
        if self.shape is not None:
            return contact_columns.SOLID
        if self.surface is None:
            return contact_columns.ROUND
        return (
            contact_columns.ELLIPSOID if isinstance(self.surface, surfaces.EllipsoidSurface) else contact_columns.RING
        )

    @property
    def numbers(self) -> list[float]:
        """The floats that kernels read: place, radius, rotation, sizes."""
        face, radius, sizes = self.surface, self.radius, (0.0, 0.0, 0.0)
        if isinstance(face, surfaces.TorusSurface):
            radius, sizes = face.tube, (face.ring, 0.0, 0.0)
        elif isinstance(face, surfaces.CircleEdge):
            sizes = (face.radius, 0.0, 0.0)
        elif isinstance(face, surfaces.EllipsoidSurface):
            sizes = face.radii
        return [*self.point, radius, *np.ravel(self.rotation).tolist(), *sizes]  # type: ignore[arg-type]


def _check_surface(surface: Any, where: str) -> None:
    known = (surfaces.TorusSurface, surfaces.CircleEdge, surfaces.EllipsoidSurface)
    if surface is not None and (not isinstance(surface, known) or getattr(surface, "inside", False)):
        allowed = "a circle, a torus or an ellipsoid, touched from outside"
        raise InputError(
            "surface must be of an allowed kind",
            where=where,
            got=repr(surface),
            allowed=allowed,
            remedy="A ball is given by radius.",
        )


def _within(value: Any, what: str, where: str, most: float) -> None:
    try:
        good = 0 <= float(value) <= most
    except (TypeError, ValueError):
        good = False
    if not good:
        raise InputError(
            f"{what} is out of range", where=where, got=repr(value), allowed=f"a number from 0 to {most:g}"
        )


@dataclass(frozen=True, eq=False)
class Contacts:
    """What may touch what, and by which laws.

    Attributes
    ----------
    points : see `ContactPoint`.
    obstacles : see `motiform.contact`.
    pairs : names (point, obstacle) that may touch; None: every point and every obstacle, but for obstacles carried by
        the point's own segment or by one that is joined to it. Of two balls of segments, each a point and an obstacle,
        one touches the other.
    impact : "leaving": points may leave in an impact; "held": those that touch stay.  [HuMAnS 1]
    limits : whether the limits of the joints act.
    limit_restitution : of an impact at a limit, 0 to 1.
    settle : impacts slower than this are held and lose all: what bounces without end comes to rest [m/s].
    paradox : what is done where no forces obey the laws of rigid contact with friction (Painlevé): "impulse": an
        impulse over some microseconds finds the way out, and is reported as an event; "stop": the run stops.

    """

    points: tuple[ContactPoint, ...] = ()
    obstacles: tuple[Obstacle, ...] = ()
    pairs: tuple[tuple[str, str], ...] | None = None
    impact: Law = "leaving"
    limits: bool = True
    limit_restitution: float = 0.0
    settle: float = 1e-6
    paradox: Literal["impulse", "stop"] = "impulse"

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", tuple(self.points))
        object.__setattr__(self, "obstacles", tuple(_flat(self.obstacles)))
        for point in self.points:
            if not isinstance(point, ContactPoint):
                raise InputError(
                    "contact points must be ContactPoint objects",
                    where="contacts",
                    got=repr(point),
                    allowed="a ContactPoint",
                )
        for what, names in (("point", self.point_names), ("obstacle", self.obstacle_names)):
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                raise InputError(f"every {what} must have a name of its own", where="contacts", got=", ".join(twice))
        if self.impact not in _LAWS:
            raise InputError("impact must be a known law", where="contacts", got=self.impact, allowed=", ".join(_LAWS))
        if self.paradox not in ("impulse", "stop"):
            raise InputError(
                "paradox must be a known rule", where="contacts", got=self.paradox, allowed="impulse, stop"
            )
        _within(self.limit_restitution, "restitution", "limits", 1.0)
        check_number(self.settle, "settle", "contacts", above=0.0)
        if self.pairs is not None:
            object.__setattr__(self, "pairs", tuple((str(a), str(b)) for a, b in self.pairs))
            for a, b in self.pairs:
                for name, known in ((a, self.point_names), (b, self.obstacle_names)):
                    if name not in known:
                        raise InputError(
                            "no such point or obstacle",
                            where=f"contact pair {(a, b)}",
                            got=name,
                            allowed=", ".join(known),
                            remedy=closest(name, known),
                        )

    @cached_property
    def point_names(self) -> tuple[str, ...]:
        """Names of the points."""
        return tuple(point.name for point in self.points)

    @cached_property
    def obstacle_names(self) -> tuple[str, ...]:
        """Names of the obstacles."""
        return tuple(obstacle.name for obstacle in self.obstacles)

    @cached_property
    def solids(self) -> tuple[str, ...]:
        """Names of the contact solids, in the order of their first points."""
        return tuple(dict.fromkeys(point.solid for point in self.points))

    def replace(self, **changes: Any) -> Self:
        """Return contacts with some fields changed."""
        return replace(self, **changes)

    def __repr__(self) -> str:
        return f"Contacts({len(self.points)} points of {len(self.solids)} solids, {len(self.obstacles)} obstacles)"


def _flat(obstacles: Iterable[Any]) -> Iterable[Obstacle]:
    """Yield obstacles; stairs and profiles are several."""
    for item in obstacles if isinstance(obstacles, list | tuple) else (obstacles,):
        if isinstance(item, list | tuple):
            yield from _flat(item)
        elif isinstance(item, Obstacle):
            yield item
        else:
            raise InputError(
                "obstacles must be Obstacle objects",
                where="contacts",
                got=repr(item),
                allowed="one of motiform.contact",
            )


def points_of_tags(
    figure: Figure, solids: Mapping[str, Sequence[str]] | Sequence[str] | None = None, **options: Any
) -> tuple[ContactPoint, ...]:
    """Return contact points at tags of a figure, grouped in contact solids.

    `solids` maps the name of a solid to its tags, or is a list of tags; where it is not given the figure's own
    `contact_solids`. `options` are radius, friction and restitution.
    """
    chosen: Any = getattr(figure, "contact_solids", None) if solids is None else solids
    if chosen is None:
        raise InputError(
            "the figure has no contact solids",
            where=repr(figure),
            remedy="Name tags: points_of_tags(figure, ['heel', 'toe']).",
        )
    groups = chosen.items() if isinstance(chosen, Mapping) else [("", chosen)]
    known = {tag.name: tag for tag in figure.tags}
    found = []
    for solid, names in groups:
        for name in names:
            if name not in known:
                raise InputError(
                    "no such tag", where=repr(figure), got=name, allowed=", ".join(known), remedy=closest(name, known)
                )
            tag = known[name]
            found.append(ContactPoint(name, tag.segment, tag.point, solid=solid, **options))
    return tuple(found)


class Laws(TypedDict, total=False):
    """Common properties of the points and obstacles of a shape."""

    friction: float | None
    restitution: float


class PointLaws(Laws, total=False):
    """And the contact solid that the points make."""

    solid: str


def ring_point(
    name: str,
    segment: str,
    point: ArrayLike,
    radius: float,
    axis: ArrayLike = (0.0, 0.0, 1.0),
    *,
    tube: float = 0.0,
    **options: Unpack[PointLaws],
) -> ContactPoint:
    """Return a ring of a segment that touches planes: the rim of a disk, or of a wheel whose `tube` has a radius [m].

    `point` is its centre, `radius` that of the ring [m]; `axis` may have any length. All are in the segment's frame.
    """
    ring = surfaces.torus(radius, tube) if tube else surfaces.circle(radius)
    axes = rotation_y_to(axis, f"axis of contact point {name!r}")[:, [2, 0, 1]]  # a surface turns about its z
    return ContactPoint(name, segment, point, surface=ring, rotation=axes, **options)  # type: ignore[arg-type]


def _pieces(figure: Figure, segment: str) -> list[tuple[Shape, Transform]]:
    """Return the primitive shapes of a segment and their poses."""
    parts = figure.segment(segment).parts
    return [piece for part in parts for piece in pieces_of_shape(part.shape, part.placement)]


def obstacles_of_shape(
    figure: Figure, segment: str, *, every: bool = False, **options: Unpack[Laws]
) -> tuple[Obstacle, ...]:
    """Return the boxes, balls and capsules of a segment as obstacles to the points of others.

    With `every` those of all other shapes too: what touches as solids (`solids_of_shape`) can touch them. They are
    called SEGMENT.solid, SEGMENT.solid1 and so on.
    """
    return tuple(
        Obstacle(f"{segment}.solid{k or ''}", shape, placement=placement, segment=segment, **options)
        for k, (shape, placement) in enumerate(_pieces(figure, segment))
        if isinstance(shape, Box | Ball | Capsule) or every
    )


def solids_of_shape(
    figure: Figure, segment: str, *, shape: Shape | None = None, placement: Transform | None = None,
    **options: Unpack[PointLaws],
) -> tuple[ContactPoint, ...]:  # fmt: skip
    """Return the shapes of a segment as solids that touch obstacles and, where these are obstacles, other segments.

    Boxes, cylinders, cones, capsules, balls, ellipsoids, tori and the convex hulls of meshes touch as solids: face to
    face at the corners of their common part, edge to edge where they cross. Of a compound each part is one.
    Event-driven runs take boxes, hulls, capsules and balls; time-stepping takes all. `options` are solid, friction and
    restitution.
    """
    pieces = _pieces(figure, segment) if shape is None else pieces_of_shape(shape, placement or Transform.identity())
    if not pieces:
        raise InputError("the segment has no shape", where=f"segment {segment!r}", remedy="Give shape=.")
    return tuple(
        _solid_point(segment if len(pieces) == 1 else f"{segment}.{k}", segment, form, where, options)
        for k, (form, where) in enumerate(pieces)
    )


def _solid_point(name: str, segment: str, shape: Shape, where: Transform, options: Any) -> ContactPoint:
    """Return a shape of a segment as a solid; a ball is one anyway."""
    x, y, z = where.translation.tolist()
    if isinstance(shape, Ball):
        return ContactPoint(name, segment, (x, y, z), shape.radius, **options)
    note = _hull_note(shape, segment)
    return ContactPoint(name, segment, (x, y, z), shape=shape, rotation=where.rotation, note=note, **options)


def _hull_note(shape: Shape, segment: str) -> str:
    note = hull_corners(shape)[1] if isinstance(shape, Mesh) else ""
    return note and f"segment {segment!r}: {note}"


def solid_contacts(
    figure: Figure,
    obstacles: Any = (),
    *,
    segments: Sequence[str] | None = None,
    exclude: Iterable[tuple[str, str]] = (),
    friction: float | None = None,
    restitution: float = 0.0,
    **options: Any,
) -> Contacts:
    """Return contacts in which segments touch one another and obstacles as solids.

    `segments` are those that touch (all that have a shape). Segments joined to one another do not touch, nor do those
    in `exclude`, pairs of names. `options` are further fields of `Contacts`.
    """
    names = [s.name for s in figure.segments if s.parts] if segments is None else list(segments)
    law: Any = {"friction": friction, "restitution": restitution}
    points = [point for name in names for point in solids_of_shape(figure, name, **law)]
    own = [solid for name in names for solid in obstacles_of_shape(figure, name, every=True, **law)]
    apart = {frozenset(pair) for pair in exclude}
    for name in (name for pair in apart for name in pair):
        figure.index(name)
    found = Contacts(tuple(points), (*_flat(obstacles), *own), **options)
    if not apart:
        return found
    from motiform.motion.contact.pack import pairs_by_name

    kept = pairs_by_name(figure, found, lambda a, b: frozenset((a.segment, b.segment)) not in apart)
    return found.replace(pairs=kept)


def points_of_shape(
    figure: Figure, segment: str, *, shape: Shape | None = None, placement: Any = None, **options: Unpack[PointLaws]
) -> tuple[ContactPoint, ...]:
    """Return the contact points of the shapes of a segment.

    They are corners of boxes and meshes, balls, the two ends of capsules and twelve points about each rim of a
    cylinder. Of a mesh with many corners 64 are chosen, spread over its convex hull; each point's `note` tells so.
    `options` are solid, friction and restitution.
    """
    if shape is None:
        pieces = _pieces(figure, segment)
    else:
        pieces = pieces_of_shape(shape, placement or Transform.identity())
    found: list[ContactPoint] = []
    for number, (form, where) in enumerate(pieces):
        head = segment if len(pieces) == 1 else f"{segment}.{number}"
        corners = corners_of_shape(form, f"segment {segment!r}")
        whole = None if isinstance(form, Ball) else _solid_point(head, segment, form, where, {})
        for corner in corners:
            name, place = f"{head}.{corner.label}" if corner.label else head, tuple(where.point(corner.point))
            found.append(
                ContactPoint(name, segment, place, corner.radius, note=corner.note, corner_of=whole, **options)
            )
    if not found:
        raise InputError("the segment has no shape", where=f"segment {segment!r}", remedy="Give shape=.")
    return tuple(found)
