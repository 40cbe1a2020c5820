"""Contacts of a robot from the solids of its file: its segments touch what the world carries."""

from dataclasses import replace

from motiform.base.errors import MotiformError
from motiform.geometry import Ellipsoid, Plane, Shape, surfaces
from motiform.geometry.solids.register import has_distance
from motiform.motion.contact import ContactPoint, Contacts, Obstacle, plane, points_of_shape
from motiform.motion.tree import Figure
from motiform.motion.tree.read.model_file import FileSolid, ModelFile

__all__ = ["contacts_of_file"]

WORLD = "world"


def contacts_of_file(file: ModelFile, *, floor: bool, friction: float | None) -> tuple[Contacts, list[str]]:
    """Return contacts of the moving solids with those of the world, and notes on what was left out.

    Where the world has no solid `floor` gives it a plane through the origin. `friction` replaces that of the file.
    """
    figure, notes = file.figure, list[str]()
    moving = _moving(figure)
    world = [solid for solid in file.solids if solid.segment not in moving]
    if floor and not world:
        ground = plane(normal=figure.up, name="floor")
        world = [FileSolid("floor", None, Plane(), ground.placement, 0.0)]
    obstacles = {solid.name: _obstacle(solid) for solid in world if has_distance(solid.solid.kind)}
    notes += [
        f"left out contacts with {solid.name!r}: a {solid.solid.kind}" for solid in world if solid.name not in obstacles
    ]
    points: list[ContactPoint] = []
    pairs: list[tuple[str, str]] = []
    for solid in file.solids:
        if solid.segment in moving:
            found, told = _points(figure, solid, friction, file, [w for w in world if w.name in obstacles])
            points += [point for point, _ in found]
            pairs += [(point.name, name) for point, touched in found for name in touched]
            notes += told
    notes.append("contacts of segments with one another were left out")
    return Contacts(tuple(points), tuple(obstacles.values()), pairs=tuple(pairs)), notes


def _moving(figure: Figure) -> set[str | None]:
    """Return the segments that can move."""
    found: set[str | None] = set()
    for segment in figure.segments:
        if segment.joint.nv or segment.parent in found:
            found.add(segment.name)
    return found


def _obstacle(solid: FileSolid) -> Obstacle:
    return Obstacle(solid.name, solid.solid, segment=solid.segment, placement=solid.placement)


def _points(
    figure: Figure, solid: FileSolid, friction: float | None, file: ModelFile, world: list[FileSolid]
) -> tuple[list[tuple[ContactPoint, list[str]]], list[str]]:
    """Return the contact points of a solid with the obstacles that each may touch, and notes."""
    explicit = {other: rub for a, b, rub in file.paired for mine, other in ((a, b), (b, a)) if mine == solid.name}
    touched = [w for w in world if w.name in explicit or (solid.may_touch(w) and not _excluded(file, solid, w))]
    if not touched:
        return [], []
    rub = max(explicit.get(w.name, max(solid.friction, w.friction)) for w in touched) if friction is None else friction
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
    assert isinstance(solid, Shape)
    return solid


def _excluded(file: ModelFile, solid: FileSolid, other: FileSolid) -> bool:
    pair = frozenset((solid.segment or WORLD, other.segment or WORLD))
    parents = {segment.name: segment.parent for segment in file.figure.segments}
    return pair in file.excluded or (other.segment is not None and parents.get(str(solid.segment)) == other.segment)
