"""Rigid bodies with contacts: each is a segment of a figure, with a free joint at its centre of mass."""

from collections.abc import Sequence

import numpy as np

from motiform.base.errors import InputError
from motiform.motion.bodies import Body
from motiform.motion.tree import Figure, FigureBuilder, SegmentShape, joints
from motiform.spatial import Transform, quaternion_from_rotation

__all__ = ["add_body", "body_segments", "start_bodies"]


def body_segments(body: Body) -> list[str]:
    """Return the names of the segments that a body becomes: its own, or NAME.1, NAME.2, … of many alike."""
    return [f"{body.name}.{k + 1}" for k in range(body.count)] if body.many else [body.name]


def add_body(builder: FigureBuilder, body: Body) -> None:
    """Add a body, or each of many alike, to a figure: a segment in the shape's axes, at the centre of mass."""
    for key, remedy in (("drag", "Leave it out."), ("pivot", "Add a segment with a spherical joint.")):
        if getattr(body, key) is not None:
            raise InputError(f"a body with contacts has no {key}", where=f"body {body.name!r}", remedy=remedy)
    placed = Transform.translation_of(-body.properties.com)
    color: tuple[float, ...] = tuple(np.asarray(body.color, float).tolist())
    part = None if body.shape is None else SegmentShape(body.shape, placed, color)  # type: ignore[arg-type]
    for name in body_segments(body):
        builder.segment(
            name, None, joints.free(), mass=body.properties.mass, inertia=body.properties.inertia, shape=part
        )


def start_bodies(
    figure: Figure, bodies: Sequence[Body], q: np.ndarray | None = None, v: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return configuration and velocities of a figure with the bodies where they start, others as in q and v."""
    q, v = figure.neutral() if q is None else q.copy(), np.zeros(figure.nv) if v is None else v.copy()
    for body in bodies:
        n = body.count
        R = np.broadcast_to(body.rotation, (n, 3, 3))
        at = np.broadcast_to(body.position, (n, 3)) + R @ body.properties.com
        speed = np.einsum("nji,nj->ni", R, np.broadcast_to(body.velocity, (n, 3)))
        spin = np.broadcast_to(body.spin, (n, 3))
        for k, name in enumerate(body_segments(body)):
            q[figure.places(name, "q")] = [*at[k], *quaternion_from_rotation(R[k])]
            v[figure.places(name, "v")] = [*spin[k], *speed[k]]
    return q, v
