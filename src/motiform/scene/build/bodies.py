"""Rigid bodies of a scene with contacts: each is a segment of a figure with a free joint."""

import numpy as np

from motiform.base.errors import SceneError
from motiform.motion.bodies import Body
from motiform.motion.tree import Figure, FigureBuilder, Part, joints
from motiform.scene.build.common import build_bodies
from motiform.scene.read.load import Scene
from motiform.scene.tables.schema import BodyTable
from motiform.spatial import Transform, quaternion_from_rotation

__all__ = ["add_bodies", "body_names", "start_bodies"]


def body_names(table: BodyTable) -> list[str]:
    """Return the names of the segments that a body, or each of its copies, becomes."""
    return [table.name] if table.copies is None else [f"{table.name}.{k + 1}" for k in range(table.copies.count)]


def add_bodies(scene: Scene, builder: FigureBuilder) -> list[Body]:
    """Add the bodies of a scene to a figure, their frames at their centres of mass in the shape's axes."""
    tables = scene.document.body
    for n, table in enumerate(tables):
        for key in ("drag", "pinned"):
            if getattr(table, key) is not None:
                raise SceneError(
                    f"a body with {key} in a scene with contacts",
                    where=scene.place("body", n, key),
                    remedy="Write a [[figure]] with a spherical joint." if key == "pinned" else "Leave it out.",
                )
    found = list(build_bodies(scene).bodies) if tables else []
    for table, body in zip(tables, found, strict=True):
        placed = Transform.translation_of(-body.properties.center)
        part = None if body.shape is None else Part(body.shape, placed, table.color)
        for name in body_names(table):
            builder.segment(
                name, None, joints.free(), mass=body.properties.mass, inertia=body.properties.inertia, shape=part
            )
    return found


def start_bodies(scene: Scene, bodies: list[Body], figure: Figure, q: np.ndarray, v: np.ndarray) -> None:
    """Write where the bodies start into q and v."""
    for table, body in zip(scene.document.body, bodies, strict=True):
        n = body.count
        R = np.broadcast_to(body.rotation, (n, 3, 3))
        at = np.broadcast_to(body.position, (n, 3)) + R @ body.properties.center
        speed = np.einsum("nji,nj->ni", R, np.broadcast_to(body.velocity, (n, 3)))
        spin = np.broadcast_to(body.spin, (n, 3))
        for k, name in enumerate(body_names(table)):
            q[figure.places(name, "q")] = [*at[k], *quaternion_from_rotation(R[k])]
            v[figure.places(name, "v")] = [*spin[k], *speed[k]]
