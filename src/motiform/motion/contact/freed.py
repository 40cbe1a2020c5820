"""Contact joints converted to contacts, which can slide, open and close."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.geometry import surfaces
from motiform.motion.contact.obstacles import from_surface
from motiform.motion.contact.points import ContactPoint, Contacts
from motiform.motion.tree import Figure, SegmentSurface, joints
from motiform.motion.tree.contact_joints.joint import ContactJoint
from motiform.motion.tree.contact_joints.leaving import LeavingContact
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.start import start

__all__ = ["ReleasedContacts", "release_contacts"]

_MOVABLE = (surfaces.SphereSurface, surfaces.TorusSurface, surfaces.CircleEdge, surfaces.EllipsoidSurface)


class ReleasedContacts(NamedTuple):
    """A figure whose contact joints have become contacts, and its state."""

    figure: Figure
    contacts: Contacts
    q: Array
    v: Array


def release_contacts(
    figure: Figure, q: ArrayLike | None = None, v: ArrayLike | None = None, *, restitution: float = 0.0
) -> ReleasedContacts:
    """Return the figure with free joints in place of its contact joints, the contacts that they were, and its state.

    A joint ends a run where its contact would slip or leave; contacts go on: they stick, slide, leave and land, and
    poses are recorded throughout. A child's sphere may be on a plane, a sphere (or the inside of one), a cylinder or a
    torus; a child's torus, circle or ellipsoid on a plane; and a child's plane on a segment's sphere, torus, circle or
    ellipsoid. A joint that does not slide takes its friction along, or does not slide at all; one that leaves and lands
    takes its own restitution.

    >>> freed = contact.release_contacts(ball_on_dome, q0)        # doctest: +SKIP
    >>> simulate(freed.figure, contacts=freed.contacts, q0=freed.q, v0=freed.v, t1=2.0)        # doctest: +SKIP
    """
    state = start(figure, q, v)
    points, obstacles = [], []
    changes: dict[str, dict[str, Any]] = {}
    for segment in figure.segments:
        joint = segment.joint
        if not isinstance(joint, ContactJoint):
            continue
        where = f"joint of segment {segment.name!r}"
        if not (joint.rolling and joint.spin):
            raise InputError(
                "a contact joint to be freed must not hold rotation", where=where, allowed="rolling and spin left free"
            )
        friction = 0.0 if joint.sliding and joint.friction is None else joint.friction
        placed = segment.placement @ joint.poses[0]
        sides = [(segment.name, joint.surfaces[1], joint.poses[1]), (segment.parent, joint.surfaces[0], placed)]
        if isinstance(joint.surfaces[1], surfaces.PlaneSurface):
            sides.reverse()
        (carrier, face, own), (under, ground, at) = sides
        if carrier is None or getattr(face, "inside", False) or not isinstance(face, _MOVABLE):
            raise InputError(
                "a contact joint of these surfaces cannot be freed",
                where=where,
                got=f"{joint.surfaces[1].kind} on {joint.surfaces[0].kind}"
                + (" of the world" if carrier is None else ""),
                allowed="a sphere on a plane, sphere, bowl, cylinder or torus; a torus, circle or ellipsoid on a plane",
            )
        points.append(
            ContactPoint(
                segment.name,
                carrier,
                tuple(float(x) for x in own.translation),  # type: ignore[arg-type]
                face.radius if isinstance(face, surfaces.SphereSurface) else 0.0,
                friction=friction,
                restitution=joint.restitution if isinstance(joint, LeavingContact) else restitution,
                surface=None if isinstance(face, surfaces.SphereSurface) else face,
                rotation=own.rotation,
            )
        )
        obstacles.append(from_surface(SegmentSurface(f"{segment.name} contact", under, ground, at)))  # type: ignore[arg-type]
        if np.any(segment.armature) or np.any(segment.damping):
            raise InputError(
                "a contact joint must have neither armature nor damping", where=where, allowed="none, to be freed"
            )
        changes[segment.name] = {"joint": joints.free(), "armature": 0.0, "damping": 0.0}
    if not points:
        raise InputError("the figure has no contact joint", where=repr(figure), remedy="There is nothing to free.")
    pairs = tuple((point.name, obstacle.name) for point, obstacle in zip(points, obstacles, strict=True))
    freed = figure.replace(segments=changes, order=None)
    return ReleasedContacts(
        freed, Contacts(tuple(points), tuple(obstacles), pairs), *_state(figure, freed, state.q, state.v)
    )


def _state(figure: Figure, freed: Figure, q: Array, v: Array) -> tuple[Array, Array]:
    """Return the state of the freed figure: poses and twists of its free joints are those of the contact joints."""
    q_new, v_new = freed.neutral(), np.zeros(freed.nv)
    for n, segment in enumerate(figure.segments):
        own_q, own_v = q[figure.layout.q[n]], v[figure.layout.v[n]]
        if isinstance(segment.joint, ContactJoint):
            T = segment.joint.transform(own_q)
            own_q = np.concatenate([T.translation, T.quaternion])
            own_v = segment.joint.subspace(q[figure.layout.q[n]]) @ own_v
        q_new[freed.layout.q[n]], v_new[freed.layout.v[n]] = own_q, own_v
    return q_new, v_new
