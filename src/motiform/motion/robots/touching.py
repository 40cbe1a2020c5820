"""Contacts of a robot from the solids of its file: its segments touch what the world carries."""

import warnings
from dataclasses import replace

from motiform.base.errors import InputError, MotiformError
from motiform.geometry import Ellipsoid, Plane, Shape, surfaces
from motiform.geometry.solids.register import has_distance
from motiform.geometry.touch.solids import can_touch
from motiform.motion.contact import ContactPoint, Contacts, Obstacle, plane, points_of_shape, solids_of_shape
from motiform.motion.robots.overlaps import moving_segments, overlap_note, overlapping_solids, points_inside
from motiform.motion.tree import Figure, Segment
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.read.model_file import FileSolid, ModelFile
from motiform.motion.tree.read.shared import ReaderWarning

__all__ = ["contacts_of_file"]

WORLD = "world"
_SHOWN = 5  # lost contacts in a warning


def contacts_of_file(
    file: ModelFile, start: Array, *, floor: bool, friction: float | None, touch: str
) -> tuple[Contacts, list[str]]:
    """Return contacts of the moving solids, and notes on what was left out.

    `start` is q of the first posture, of all coordinates: what overlaps there does not touch.

    With `touch` "points" corners, balls and ends of capsules touch the world; with "solids" solids touch it and one
    another. Where the world has no solid `floor` gives it a plane through the origin. `friction` replaces that of the
    file.
    """
    moving, bare = moving_segments(file.figure), ""
    world = [solid for solid in file.solids if solid.segment not in moving]
    lost = [_left(solid) for solid in world if not _can_be_touched(solid, touch)]
    world = [solid for solid in world if _can_be_touched(solid, touch)]
    if floor and not world:
        ground = plane(normal=file.figure.up, name="floor")
        world = [FileSolid("floor", None, Plane(), ground.placement, 0.0)]
    elif floor and all(solid.segment is not None for solid in world):
        names = ", ".join(dict.fromkeys(str(solid.segment) for solid in world))
        bare = f"no floor was added: the base of the robot, {names}, can be touched"
    own = [solid for solid in file.solids if solid.segment in moving]
    contacts, notes, more = (_as_solids if touch == "solids" else _as_points)(file, start, own, world, friction)
    lost += more
    if lost:
        more_shapes = "" if touch == "solids" else " (touch='solids' has contacts of more shapes)"
        warnings.warn(f"contacts are lost, {'; '.join(lost[:_SHOWN])}{more_shapes}", ReaderWarning, stacklevel=3)
    if own and not contacts.points and not lost:
        notes = [*notes, "nothing of the robot can touch anything: it has no contact points"]
    return contacts, [*lost, *([bare] if bare else []), *notes]


def _as_points(
    file: ModelFile, start: Array, own: list[FileSolid], world: list[FileSolid], friction: float | None
) -> tuple[Contacts, list[str], list[str]]:
    """Return points that touch the world, notes, and what is lost."""
    points: list[ContactPoint] = []
    pairs: list[tuple[str, str]] = []
    lost: list[str] = []
    for solid in own:
        found, omitted = _points(file.figure, solid, friction, file, world)
        points += [point for point, _ in found]
        pairs += [(point.name, name) for point, touched in found for name in touched]
        lost += omitted
    contacts = Contacts(tuple(points), tuple(map(_obstacle, world)), pairs=tuple(pairs))
    inside = points_inside(_tree(file), start, contacts)
    notes = ["contacts of segments with one another were left out (touch='solids' has them)"]
    notes += overlap_note(inside, "points")
    return contacts.replace(pairs=tuple(pair for pair in pairs if pair not in inside)), notes, lost


def _as_solids(
    file: ModelFile, start: Array, own: list[FileSolid], world: list[FileSolid], friction: float | None
) -> tuple[Contacts, list[str], list[str]]:
    """Return solids that touch the world and one another, but for pairs that overlap in the first posture."""
    lost = [_left(solid) for solid in own if not can_touch(solid.solid)]
    own = [solid for solid in own if can_touch(solid.solid)]
    touched: dict[str, list[FileSolid]] = {}
    for n, solid in enumerate(own):
        touched[solid.name] = [other for other in (*world, *own[n + 1 :]) if _meets(file, solid, other)]
    apart = overlapping_solids(_tree(file), start, own, touched)
    points, pairs = list[ContactPoint](), list[tuple[str, str]]()
    for solid in own:
        others = [other for other in touched[solid.name] if (solid.name, other.name) not in apart]
        rub = (
            friction
            if friction is not None
            else max((_friction_between(file, solid, other) for other in others), default=0.0)
        )
        (point,) = solids_of_shape(
            file.figure, str(solid.segment), shape=_shape(solid.solid), placement=solid.placement, friction=rub,
            solid=str(solid.segment),
        )  # fmt: skip
        points.append(replace(point, name=solid.name))
        pairs += [(solid.name, other.name) for other in others]
    notes = overlap_note(apart, "solids")
    used = {name for _, name in pairs}
    obstacles = tuple(_obstacle(solid) for solid in (*world, *own) if solid.name in used)
    return Contacts(tuple(points), obstacles, pairs=tuple(pairs)), notes, lost


def _can_be_touched(solid: FileSolid, touch: str) -> bool:
    """Whether a solid of the world can be touched by points, or by solids."""
    return can_touch(solid.solid, ground=True) if touch == "solids" else has_distance(solid.solid.kind)


def _tree(file: ModelFile) -> Figure:
    return file.figure.replace(couplings=(), closures=())


def _left(solid: FileSolid) -> str:
    return f"left out contacts with {solid.name!r}: a {solid.solid.kind}"


def _meets(file: ModelFile, solid: FileSolid, other: FileSolid) -> bool:
    """Whether two solids may touch: named as a pair, or by their bits if their segments are not joined or excluded."""
    if any({solid.name, other.name} == {a, b} for a, b, _ in file.paired):
        return True
    return solid.segment != other.segment and solid.may_touch(other) and not _excluded(file, solid, other)


def _friction_between(file: ModelFile, solid: FileSolid, other: FileSolid) -> float:
    """Return the friction of two solids."""
    given = [rub for a, b, rub in file.paired if {solid.name, other.name} == {a, b}]
    return given[0] if given else max(solid.friction, other.friction)


def _obstacle(solid: FileSolid) -> Obstacle:
    return Obstacle(solid.name, solid.solid, segment=solid.segment, placement=solid.placement)


def _points(
    figure: Figure, solid: FileSolid, friction: float | None, file: ModelFile, world: list[FileSolid]
) -> tuple[list[tuple[ContactPoint, list[str]]], list[str]]:
    """Return the contact points of a solid with the obstacles that each may touch, and notes."""
    touched = [w for w in world if _meets(file, solid, w)]
    if not touched:
        return [], []
    rub = max(_friction_between(file, solid, w) for w in touched) if friction is None else friction
    options = {"friction": rub, "solid": str(solid.segment)}
    shape, planes = solid.solid, [w.name for w in touched if isinstance(w.solid, Plane)]
    if isinstance(shape, Ellipsoid):  # touches planes only
        x, y, z = solid.placement.translation.tolist()
        face, turn = surfaces.ellipsoid(shape.radii), solid.placement.rotation
        point = ContactPoint(solid.name, str(solid.segment), (x, y, z), surface=face, rotation=turn, **options)  # type: ignore[arg-type]
        return [(point, planes)], []
    try:
        made = points_of_shape(figure, str(solid.segment), shape=_shape(shape), placement=solid.placement, **options)  # type: ignore[arg-type]
    except MotiformError as error:
        return [], [f"left out contacts of {solid.name!r}: {error.problem}"]
    names = [w.name for w in touched]
    head = len(str(solid.segment))
    return [(replace(point, name=solid.name + point.name[head:]), names) for point in made], []


def _shape(solid: object) -> Shape:
    if not isinstance(solid, Shape):
        raise InputError("contacts of a segment must be of a bounded shape", got=type(solid).__name__)
    return solid


def _excluded(file: ModelFile, solid: FileSolid, other: FileSolid) -> bool:
    """Whether the file excludes the segments of two solids, or they are joined, fixed ones counted as one."""
    if frozenset((solid.segment or WORLD, other.segment or WORLD)) in file.excluded:
        return True
    if solid.segment is None or other.segment is None:
        return False
    a, b = (_carrier(file.figure, segment) for segment in (solid.segment, other.segment))
    above = [None if parent is None else _carrier(file.figure, parent) for parent in (a.parent, b.parent)]
    return a is b or above[0] is b or above[1] is a


def _carrier(figure: Figure, segment: str) -> Segment:
    """Return the segment toward the root that moves with a segment as one, the last whose joint moves."""
    found = figure.segment(segment)
    while not found.joint.nv and found.parent is not None:
        found = figure.segment(found.parent)
    return found
