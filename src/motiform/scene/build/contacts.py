"""From the contacts of a scene to what is simulated: obstacles, contact points, free bodies that touch."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from motiform.base.errors import InputError, MotiformError, SceneError, closest
from motiform.geometry import Ball, Box, Capsule, Shape, surfaces
from motiform.motion import contact
from motiform.motion.contact import ContactPoint, Contacts, Obstacle
from motiform.motion.contact.corners import pieces_of_shape
from motiform.motion.contact.obstacles import up_to
from motiform.motion.tree import Figure
from motiform.scene.build.bodies import body_names
from motiform.scene.build.common import build_pose
from motiform.scene.read.load import Scene
from motiform.scene.tables.contact import BodyContactTable, FigureContactTable, ObstacleTable, PointTable
from motiform.spatial import Transform, up_name, upright

__all__ = ["build_contacts"]


def build_contacts(scene: Scene, figure: Figure) -> Contacts | None:
    """Return what may touch what, or None where a scene has no contacts."""
    document = scene.document
    if not document.touching:
        return None
    obstacles: list[Obstacle] = []
    for n, table in enumerate(document.obstacle):
        obstacles += _placed(scene, lambda t=table: build_obstacle(t, figure), "obstacle", n)
    points: list[ContactPoint] = []
    for n, own in enumerate(document.figure):
        prefix = f"{own.name}." if len(document.figure) > 1 else ""
        for k, touch in enumerate(own.contact):
            model = own.model
            points += _placed(
                scene, lambda t=touch, m=model, p=prefix: _points(figure, t, m, p), "figure", n, "contact", k
            )
    bodies = _bodies(scene, figure, points, obstacles)
    law = {} if document.contact is None else document.contact.model_dump()
    if law.get("pairs") is None:
        law["pairs"] = _pairs(figure, points, obstacles, bodies)
    return _placed(scene, lambda: Contacts(tuple(points), tuple(obstacles), **law), "contact")


def _placed(scene: Scene, make: Any, *keys: str | int) -> Any:
    """Return what a function makes; its errors get the file and line."""
    try:
        return make()
    except SceneError:
        raise
    except MotiformError as error:
        raise SceneError(f"{scene.place(*keys)}: {error}") from error


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
        return (_moved(contact.floor(table.floor, name, **options), stand),)
    if table.plane is not None:
        return (contact.plane(name, point=table.plane.at, normal=table.plane.normal, **options),)
    if table.slope is not None:
        return (_moved(contact.slope(table.slope, name, **options), pose @ stand),)
    options["placement"] = pose
    if table.profile is not None:
        options["placement"] = pose @ stand
        return contact.profile(table.profile.points, table.profile.width, name, **options)
    if table.stairs is not None:
        options["placement"] = pose @ stand
        return contact.stairs(**table.stairs.model_dump(), name=name, **options)
    solid = table.solid()
    if solid is not None:
        return (Obstacle(name, solid, **options),)
    if table.endless_cylinder is not None:
        return (contact.cylinder(table.endless_cylinder, name, **options),)
    if table.hollow_ball is not None:
        return (contact.hollow_ball(table.hollow_ball, name, **options),)
    return (contact.face(table.face or (), name, **options),)


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
        return tuple(
            ContactPoint(
                prefix + point.name, prefix + point.segment, point.at, solid=solid, **_form(point, table), **options
            )
            for point in table.points
        )
    if table.tags is not None:
        return contact.points_of_tags(
            figure, {solid: [prefix + tag for tag in table.tags]}, radius=table.radius, **options
        )
    groups = {prefix + name: [prefix + tag for tag in tags] for name, tags in _solids(model).items()}
    return contact.points_of_tags(figure, groups, radius=table.radius, **options)


def _form(point: PointTable, table: FigureContactTable) -> dict[str, Any]:
    """Return what a point is: a ball, a ring or an ellipsoid."""
    radius = table.radius if point.radius is None else point.radius
    if point.ellipsoid is not None:
        return {"surface": surfaces.ellipsoid(point.ellipsoid)}
    if point.ring is None:
        return {"radius": radius}
    ring = surfaces.torus(point.ring, radius) if radius else surfaces.circle(point.ring)
    size = float(np.linalg.norm(point.axis))
    if not size > 0:
        raise InputError("an axis without direction", where=f"contact point {point.name!r}", got=point.axis)
    axes = up_to(np.asarray(point.axis) / size)[:, [2, 0, 1]]  # a surface turns about its z
    return {"surface": ring, "rotation": axes}


def _solids(model: str | None) -> dict[str, tuple[str, ...]]:
    """Return the contact solids of a model."""
    from motiform.motion.figures import bip_table, human36_table, kondo_table

    if model is None:
        raise InputError("a figure without contact solids of its own", remedy="Give tags, points or a segment.")
    return dict({"bip": bip_table, "human36": human36_table, "kondo": kondo_table}[model].CONTACTS)


# -------------------------------------------------------------------- bodies
def _bodies(scene: Scene, figure: Figure, points: list[ContactPoint], obstacles: list[Obstacle]) -> set[str]:
    """Add the points of the free bodies, and the obstacles that they are to one another; return these obstacles."""
    tables = [
        (n, table) for n, table in enumerate(scene.document.body) if table.contact is None or table.contact.touches
    ]
    alone = len(points) == 0 and len(tables) == 1 and tables[0][1].copies is None
    found: set[str] = set()
    for n, table in tables:
        law = BodyContactTable() if table.contact is None else table.contact
        laws: Any = {"friction": law.friction, "restitution": law.restitution}
        for name in body_names(table):
            points += _placed(scene, lambda m=name, o=laws: contact.points_of_shape(figure, m, **o), "body", n)
            parts = figure.segment(name).parts if law.solid and not alone else ()
            pieces = [piece for part in parts for piece in pieces_of_shape(part.shape, part.placement)]
            for k, (shape, placement) in enumerate(pieces):
                made = _solid(shape, f"{name}.solid{k or ''}", segment=name, placement=placement, **laws)
                if made is not None:
                    found.add(made.name)
                    obstacles.append(made)
    return found


def _solid(shape: Shape, name: str, **options: Any) -> Obstacle | None:
    """Return what a body is to the others; None where it cannot be touched."""
    return Obstacle(name, shape, **options) if isinstance(shape, Box | Ball | Capsule) else None


def _pairs(
    figure: Figure, points: list[ContactPoint], obstacles: list[Obstacle], bodies: set[str]
) -> tuple[tuple[str, str], ...] | None:
    """Return all pairs but those that would say one thing twice: of two balls one touches the other."""
    balls = {o.segment for o in obstacles if o.name in bodies and isinstance(o.solid, Ball)}
    if len(balls) < 2:
        return None
    order = {name: n for n, name in enumerate(figure.names)}
    parents = {segment.name: segment.parent for segment in figure.segments}
    found = []
    for point in points:
        for obstacle in obstacles:
            other = obstacle.segment
            if other is not None:
                if other in (point.segment, parents[point.segment]) or parents[other] == point.segment:
                    continue
                both = obstacle.name in bodies and {point.segment, other} <= balls
                if both and order[point.segment] > order[other]:
                    continue
            found.append((point.name, obstacle.name))
    return tuple(found)
