"""Couplings of matter and a figure: shapes of segments that points can touch, and points carried by segments."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, closest
from motiform.motion.matter.laws.links import Friction, ZoneLaw
from motiform.motion.matter.model.checks import check_rolls
from motiform.motion.matter.model.network import Bundle, Group, Network, NetworkSolid, check_array
from motiform.motion.tree import Figure
from motiform.motion.tree.model.joint import Array
from motiform.spatial import Transform

if TYPE_CHECKING:
    from motiform import geometry
    from motiform.motion.matter.laws.automaton_law import AutomatonLaw

__all__ = ["Attachment", "FigureInMatter", "Joined", "SegmentSolid", "join"]


@dataclass(frozen=True, eq=False)
class SegmentSolid:
    """A shape that a segment carries and points of a network push against."""

    name: str
    segment: str
    shape: "geometry.Solid"
    """A shape, `geometry.Plane` or `Hollow`."""
    points: Any
    """Name of a group, points of the builder, or indices."""
    law: ZoneLaw
    """Of the gap between a point's ball and the surface; it ends at some distance."""
    friction: Friction | None = None
    placement: Transform = field(default_factory=Transform.identity)
    """In the segment's frame."""
    color: tuple[float, float, float] | None = None


@dataclass(frozen=True, eq=False)
class Attachment:
    """Points of a network at places of a segment: linked to them by a law, or, without one, carried.

    Carried points are fixed or imposed ones of the network; whatever pulls them pulls the segment.
    """

    name: str
    segment: str
    points: Any
    """Name of a group, points of the builder, or indices."""
    places: ArrayLike | str | Sequence[str] | None = None
    """In the segment's frame [m], (points, 3) or (3,), or names of its tags; None: where the points start."""
    law: "ZoneLaw | AutomatonLaw | None" = None
    record: bool = False
    """Whether lengths and tensions of the links are kept."""


@dataclass(frozen=True, eq=False)
class FigureInMatter:
    """A figure and a network in one model: points push against what segments carry, and hang on segments."""

    figure: Figure
    network: Network
    contacts: tuple[SegmentSolid, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    reaction: bool = True
    """Whether the figure feels matter; otherwise it moves as if matter were not there."""

    def __post_init__(self) -> None:
        if not isinstance(self.network, Network) or not isinstance(self.figure, Figure):
            got = f"{type(self.figure).__name__}, {type(self.network).__name__}"
            raise InputError("the model is made of a Figure and a Network", where="FigureInMatter", got=got)
        object.__setattr__(self, "contacts", tuple(self.contacts))
        object.__setattr__(self, "attachments", tuple(self.attachments))


@dataclass(frozen=True, eq=False)
class Joined:
    """A network with the points and solids carried by a figure."""

    network: Network
    solids: np.ndarray
    """Numbers of the solids that segments carry, (solids,)."""
    solid_segments: np.ndarray
    placements: tuple[Array, Array]
    """Rotation (solids, 3, 3) and shift (solids, 3) of these solids in their segments' frames."""
    points: np.ndarray
    """Points that segments carry, (points,)."""
    point_segments: np.ndarray
    places: Array
    """In their segments' frames [m], (points, 3)."""

    def solid_rows(self, R: Array, p: Array) -> Array:
        """Return the poses of the carried solids, (solids, 12), from the frames of all segments."""
        turn, shift = self.placements
        own = R[self.solid_segments]
        at = (own @ shift[:, :, None])[..., 0] + p[self.solid_segments]
        return np.concatenate([(own @ turn).reshape(-1, 9), at], axis=1)

    def point_places(self, R: Array, p: Array) -> Array:
        """Return the places of the carried points in the world [m], (points, 3)."""
        return (R[self.point_segments] @ self.places[:, :, None])[..., 0] + p[self.point_segments]


Frames = tuple[Array, Array]
"""Rotations (segments, 3, 3) and origins (segments, 3) of all segments."""


def join(
    network: Network, figure: Figure, contacts: Sequence[SegmentSolid], attachments: Sequence[Attachment],
    now: Frames, before: Frames,
) -> Joined:  # fmt: skip
    """Return the network with the solids and points of a figure, from its frames now and a step before."""
    _check_names(network, [*contacts, *attachments])
    solids, rows = list(network.solids), []
    for one in contacts:
        n = _segment(figure, one.segment, one.name)
        where = f"solid {one.name!r}"
        if not isinstance(one.law, ZoneLaw) or not np.isfinite(one.law.cutoff):
            got, allowed = getattr(one.law, "name", one.law), "a zone law that ends at some distance"
            raise InputError(
                "the law of a solid must be a zone law of finite range", where=where, got=got, allowed=allowed
            )
        frame = Transform(now[0][n], now[1][n]) @ one.placement
        points = _points(network, one.points, where)
        solids.append(NetworkSolid(one.name, one.shape, frame, points, one.law, one.friction, one.color))
        rows.append((len(solids) - 1, n, one.placement.rotation, one.placement.translation))
    groups, bundles = list(network.groups), list(network.bundles)
    carried: list[tuple[np.ndarray, int, Array]] = []
    for held in attachments:
        carried.append(_attach(network, figure, held, groups, bundles, now))
    points = np.concatenate([np.zeros(0, np.int64), *[c[0] for c in carried]])
    if len(np.unique(points)) != len(points):
        double = network.point_name(int(next(k for k in points if (points == k).sum() > 1)))
        raise InputError(
            "a point belongs to one segment at most", got=double, remedy="Link it to one of them by a law."
        )
    joined = Joined(
        network, np.array([r[0] for r in rows], np.int64), np.array([r[1] for r in rows], np.int64),
        (np.array([r[2] for r in rows]).reshape(-1, 3, 3), np.array([r[3] for r in rows]).reshape(-1, 3)),
        points, np.concatenate([np.zeros(0, np.int64), *[np.full(len(c[0]), c[1]) for c in carried]]),
        np.concatenate([np.zeros((0, 3)), *[c[2] for c in carried]]),
    )  # fmt: skip
    place, old = joined.point_places(*now), joined.point_places(*before)
    groups = [_placed(group, points, place, (place - old) * network.frequency) for group in groups]
    whole = network.replace(groups=tuple(groups), bundles=tuple(bundles), solids=tuple(solids))
    for solid in whole.solids:
        check_rolls(solid, whole)
    return replace(joined, network=whole)


def _attach(
    network: Network, figure: Figure, held: Attachment, groups: list[Group], bundles: list[Bundle], now: Frames
) -> tuple[np.ndarray, int, Array]:
    """Add the points and links of an attachment; return what is carried: points, segment, places in it."""
    where = f"attachment {held.name!r}"
    n, points = _segment(figure, held.segment, held.name), _points(network, held.points, where)
    start = network.initial_state().position[points]
    places = _places(figure, held, where, (start - now[1][n]) @ now[0][n])
    if held.law is None:
        if network.movable[points].any():
            loose = network.point_name(int(points[network.movable[points]][0]))
            raise InputError(
                "a mass cannot be carried", where=where, got=loose, allowed="fixed or imposed points",
                remedy="Give a law to link it by, or make it a fixed point.",
            )  # fmt: skip
        return points, n, places
    if not all(hasattr(held.law, key) for key in ("rows", "strongest", "cutoff")):
        raise InputError("not a law of links", where=where, got=repr(held.law)[:80], allowed="links.spring(...), …")
    held.law.rows(len(points), np.ones(len(points)))  # its numbers fit, or it says why not
    first, count = groups[-1].first + groups[-1].count, len(points)
    still, none = np.zeros((count, 3)), np.zeros(count)
    group = Group(
        held.name, "imposed", first, still, still, np.full(count, np.inf), np.zeros(count, np.uint8), none, none,
        (0.85, 0.55, 0.3),
    )  # fmt: skip
    groups.append(group)
    pairs = np.stack([group.indices, points], axis=1)
    bundles.append(Bundle(held.name, pairs, held.law, record=held.record))
    return group.indices, n, places


def _placed(group: Group, points: np.ndarray, place: Array, velocity: Array) -> Group:
    """Return a group whose carried points are where their segments put them."""
    mine = (points >= group.first) & (points < group.first + group.count)
    if not mine.any():
        return group
    at = points[mine] - group.first
    where, speed = np.array(group.position), np.array(group.velocity)
    where[at], speed[at] = place[mine], velocity[mine]
    return replace(group, position=where, velocity=speed)


def _places(figure: Figure, held: Attachment, where: str, start: Array) -> Array:
    """Return the places of an attachment in its segment's frame."""
    given = held.places
    if given is None:
        return start
    names: list[str] | None = None
    if isinstance(given, str):
        names = [given]
    elif isinstance(given, list | tuple) and given and all(isinstance(one, str) for one in given):
        names = [str(one) for one in given]
    if names is None:
        return np.array(check_array(given, "places", where, start.shape))
    tags = {tag.name: tag for tag in figure.tags if tag.segment == held.segment}
    for name in names:
        if name not in tags:
            allowed = ", ".join(tags) or f"none: {held.segment!r} has no tags"
            raise InputError("no such tag of the segment", where=where, got=name, allowed=allowed,
                             remedy=closest(name, tags))  # fmt: skip
    return np.array(check_array([tags[name].point for name in names], "places", where, start.shape))


def _points(network: Network, points: Any, where: str) -> np.ndarray:
    """Return indices of points of the network."""
    if isinstance(points, str):
        return network.points(points)
    found = np.atleast_1d(np.asarray(getattr(points, "indices", points)))
    if found.dtype.kind not in "iu" or found.ndim != 1 or not found.size:
        raise InputError(
            "points must be a handle, a name or indices", where=where, got=repr(points)[:80],
            allowed="a group's name, Points, or indices",
        )  # fmt: skip
    if found.min() < 0 or found.max() >= network.count:
        raise InputError("no such point", where=where, got=int(found.max()), allowed=f"0 to {network.count - 1}")
    return found.astype(np.int64)


def _segment(figure: Figure, name: str, owner: str) -> int:
    if name not in figure.names:
        raise InputError("no such segment", where=owner, got=name, allowed=", ".join(figure.names),
                         remedy=closest(name, figure.names))  # fmt: skip
    return figure.index(name)


def _check_names(network: Network, added: Sequence[Any]) -> None:
    kinds = (network.groups, network.bundles, network.pistons, network.reaches, network.solids, network.inputs)
    taken = {thing.name for kind in kinds for thing in kind}
    for one in added:
        if not isinstance(one, SegmentSolid | Attachment):
            raise InputError("not a part of a coupled run", got=repr(one)[:80], allowed="SegmentSolid, Attachment")
        if not isinstance(one.name, str) or not one.name or one.name in taken:
            raise InputError("two things have one name", got=one.name, remedy="Choose another name.")
        taken.add(one.name)
