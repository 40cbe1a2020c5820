"""From the contacts of a scene to what is simulated: obstacles, contact points, free bodies that touch."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from motiform.base.errors import InputError, closest
from motiform.geometry import Hollow, Shape, surfaces
from motiform.geometry.touch.solids import can_touch
from motiform.motion import contact
from motiform.motion.bodies import Body
from motiform.motion.contact import ContactPoint, Contacts, Obstacle
from motiform.motion.contact.corners import simple_shapes
from motiform.motion.contact.features import is_flat
from motiform.motion.contact.pack import pairs_by_name
from motiform.motion.figures import FIGURES
from motiform.motion.stepping import body_segments
from motiform.motion.tree import Figure
from motiform.scene.build.common import build_pose, placed
from motiform.scene.read.load import Scene
from motiform.scene.tables.contact import BodyContactTable, FigureContactTable, ObstacleTable, PointTable
from motiform.spatial import Transform, up_name, upright

__all__ = ["build_contacts"]


def build_contacts(scene: Scene, figure: Figure, bodies: Sequence[Body]) -> Contacts | None:
    """Return what may touch what, or None where a scene has no contacts; the bodies are segments of the figure."""
    document = scene.document
    if not document.touching:
        return None
    obstacles: list[Obstacle] = []
    for n, table in enumerate(document.obstacle):
        obstacles += placed(scene, lambda t=table: build_obstacle(t, figure), "obstacle", n)
    points: list[ContactPoint] = []
    for n, own in enumerate(document.figure):
        prefix = f"{own.name}." if len(document.figure) > 1 else ""
        for k, touch in enumerate(own.contact):
            model = own.model
            points += placed(
                scene, lambda t=touch, m=model, p=prefix: _points(figure, t, m, p), "figure", n, "contact", k
            )
    _bodies(scene, figure, bodies, points, obstacles)
    law = {} if document.contact is None else document.contact.model_dump()
    found: Contacts = placed(scene, lambda: Contacts(tuple(points), tuple(obstacles), **law), "contact")
    if found.pairs is None and any(isinstance(obstacle.solid, Hollow) for obstacle in obstacles):
        return found.replace(pairs=_bowl_pairs(figure, found))
    return found


def _bowl_pairs(figure: Figure, contacts: Contacts) -> tuple[tuple[str, str], ...]:
    """Return the pairs that may touch: bowls by the corners of solids, all else by the solids themselves."""
    solids = {point.name for point in contacts.points if point.shape is not None}

    def allowed(point: ContactPoint, obstacle: Obstacle) -> bool:
        if isinstance(obstacle.solid, Hollow):
            return point.shape is None
        return point.corner_of is None or point.corner_of.name not in solids

    return pairs_by_name(figure, contacts, allowed)


def _known(name: str, known: Iterable[str], what: str) -> str:
    """Return a name that must be known."""
    names = tuple(known)
    if name not in names:
        raise InputError(f"no such {what}", got=name, allowed=", ".join(names), remedy=closest(name, names))
    return name


# -------------------------------------------------------------------- obstacles
def build_obstacle(table: ObstacleTable, figure: Figure) -> tuple[Obstacle, ...]:
    """Return the obstacles of a table: stairs and profiles are several.

    Floors, slopes, profiles and stairs of the world stand along the axis that is up, those of a segment along its y.
    """
    name, pose = table.name, build_pose(table.pose)
    options: Any = {"friction": table.friction, "restitution": table.restitution, "color": table.color}
    world = table.on == "world"
    if not world:
        options["segment"] = _known(table.on, figure.names, "segment")
    stand = Transform(upright(up_name(figure.up) if world else "y").T, np.zeros(3))  # from axes with y up
    if table.floor is not None:
        return (_moved(contact.floor(table.floor, name=name, **options), stand),)
    if table.plane is not None:
        return (contact.plane(name=name, point=table.plane.at, normal=table.plane.normal, **options),)
    if table.slope is not None:
        return (_moved(contact.slope(table.slope, name=name, **options), pose @ stand),)
    options["placement"] = pose
    if table.profile is not None:
        options["placement"] = pose @ stand
        return contact.profile(table.profile.points, table.profile.width, name=name, **options)
    if table.stairs is not None:
        options["placement"] = pose @ stand
        return contact.stairs(**table.stairs.model_dump(), name=name, **options)
    solid = table.solid()
    if solid is not None:
        return (Obstacle(name, solid, **options),)
    if table.endless_cylinder is not None:
        return (contact.cylinder(table.endless_cylinder, name=name, **options),)
    if table.hollow_ball is not None:
        return (contact.hollow_ball(table.hollow_ball, name=name, **options),)
    if table.tube is not None:
        return (contact.tube(table.tube, name=name, **options),)
    if table.hollow_box is not None:
        return contact.hollow_box(table.hollow_box, name=name, **options)
    return (contact.face(table.face or (), name=name, **options),)


def _moved(obstacle: Obstacle, by: Transform) -> Obstacle:
    return replace(obstacle, placement=by @ obstacle.placement)


# -------------------------------------------------------------------- points
def _points(figure: Figure, table: FigureContactTable, model: str | None, prefix: str) -> tuple[ContactPoint, ...]:
    """Return the contact points of one table."""
    options: Any = {"friction": table.friction, "restitution": table.restitution}
    solid = "" if table.solid is None else prefix + table.solid
    if table.segment is not None:
        name = _known(prefix + table.segment, figure.names, "segment")
        return contact.points_of_shape(figure, name, solid=solid, **options)
    if table.points is not None:
        for point in table.points:
            _known(prefix + point.segment, figure.names, "segment")
        return tuple(_point(point, table, solid, prefix, options) for point in table.points)
    if table.tags is not None:
        return contact.points_of_tags(
            figure, {solid: [prefix + tag for tag in table.tags]}, radius=table.radius, **options
        )
    if model is None:
        raise InputError("the figure has no contact solids of its own", remedy="Give tags, points or a segment.")
    solids = FIGURES[model].contact_solids
    groups = {prefix + name: [prefix + tag for tag in tags] for name, tags in solids.items()}
    return contact.points_of_tags(figure, groups, radius=table.radius, **options)


def _point(point: PointTable, table: FigureContactTable, solid: str, prefix: str, options: Any) -> ContactPoint:
    """Return one point: a ball, a ring or an ellipsoid."""
    name, segment = prefix + point.name, prefix + point.segment
    radius = table.radius if point.radius is None else point.radius
    if point.ring is not None:
        return contact.ring_point(name, segment, point.at, point.ring, point.axis, tube=radius, solid=solid, **options)
    surface = None if point.ellipsoid is None else surfaces.ellipsoid(point.ellipsoid)
    size = radius if surface is None else 0.0
    return ContactPoint(name, segment, point.at, size, solid, surface=surface, **options)


# -------------------------------------------------------------------- bodies
def _bodies(
    scene: Scene, figure: Figure, bodies: Sequence[Body], points: list[ContactPoint], obstacles: list[Obstacle]
) -> None:
    """Add the free bodies, and the obstacles that they are to one another.

    They touch as solids in time-stepping, and in event-driven runs where there are several or one is round; one of
    flat faces by points of its surface.
    """
    bowls = any(isinstance(obstacle.solid, Hollow) for obstacle in obstacles)
    laws = [table.contact or BodyContactTable() for table in scene.document.body]
    touching = [(n, body, law) for n, (body, law) in enumerate(zip(bodies, laws, strict=True)) if law.touches]
    alone = len(points) == 0 and len(touching) == 1 and not touching[0][1].many
    shapes = _shapes(figure, [name for _, body, _ in touching for name in body_segments(body)])
    solids = scene.document.motion.integrator == "time-stepping" or (
        (not alone or not all(map(is_flat, shapes))) and _can_touch(shapes, obstacles)
    )
    for n, body, law in touching:
        options: Any = {"friction": law.friction, "restitution": law.restitution}
        for name in body_segments(body):
            if solids:
                points += placed(scene, lambda m=name, o=options: contact.solids_of_shape(figure, m, **o), "body", n)
            if bowls or not solids:
                corners = placed(scene, lambda m=name, o=options: contact.points_of_shape(figure, m, **o), "body", n)
                points += [point for point in corners if point.corner_of is not None or not solids]
            own = contact.obstacles_of_shape(figure, name, every=solids, **options)
            obstacles += own if law.solid and not alone else ()


def _shapes(figure: Figure, segments: Sequence[str]) -> list[Shape]:
    return [shape for name in segments for part in figure.segment(name).parts for shape in simple_shapes(part.shape)]


def _can_touch(shapes: Sequence[Shape], obstacles: Sequence[Obstacle]) -> bool:
    """Return whether all can touch as solids; bowls are touched by points in any case."""
    grounds = [obstacle.solid for obstacle in obstacles if not isinstance(obstacle.solid, Hollow)]
    return all(map(can_touch, shapes)) and all(can_touch(solid, ground=True) for solid in grounds)
