"""Gravity compensation: the efforts that hold a posture at rest on its contacts."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, RunError, closest
from motiform.motion.actuation.control import plain_places
from motiform.motion.contact import Contacts
from motiform.motion.contact.problem import ContactProblem
from motiform.motion.tree import Figure, gravity_effects
from motiform.motion.tree.model.joint import Array
from motiform.spatial.checks import as_floats

__all__ = ["StandingEffort", "standing_effort"]

_CLOSE = 1e-6  # [m] of a gap that is contact


class StandingEffort(NamedTuple):
    """Efforts of the joints that hold a posture at rest on contacts."""

    tau: Array
    """(nv,); zero on a floating base."""
    forces: Array
    """Of the contact points along (tangent 1, normal, tangent 2) [N], (points, 3); of solids the sum."""


def standing_effort(
    figure: Figure,
    contacts: Contacts,
    q: ArrayLike,
    points: Sequence[str] | None = None,
    *,
    segments: Sequence[str] | None = None,
) -> StandingEffort:
    """Return the efforts that hold a posture at rest on contact points, with the least contact forces that press.

    Of a figure that floats, contact forces must balance its weight; what is left is for the joints. Points are those
    that touch, or those named: points, or contact solids with all of theirs. With `segments`, which hang together and
    not on others, these alone stand, on what the world and they themselves carry.
    """
    posture = as_floats(q, figure.nq, where="standing effort, q")
    if posture.ndim != 1:
        got = f"shape {posture.shape}"
        raise InputError("a standing effort needs one configuration", where="q", got=got, allowed=f"({figure.nq},)")
    if segments is not None and len(segments) < len(figure.segments):
        return _alone(figure, contacts, posture, points, segments)
    return _balanced(figure, contacts, posture, chosen_points(contacts, points))


def chosen_points(contacts: Contacts, given: Sequence[str] | None) -> np.ndarray | None:
    """Return the places of points from names of points and of contact solids."""
    names = contacts.point_names
    return None if given is None else np.array([names.index(p) for p in _named(contacts, given)], np.int64)


def _named(contacts: Contacts, given: Sequence[str]) -> list[str]:
    """Return the names of points, from names of points and of contact solids."""
    known = (*contacts.solids, *contacts.point_names)
    found: list[str] = []
    for name in given:
        if name not in known:
            allowed, remedy = ", ".join(known), closest(str(name), known)
            raise InputError("no such contact point", where="stand", got=name, allowed=allowed, remedy=remedy)
        found += [point.name for point in contacts.points if name in (point.name, point.solid)]
    return list(dict.fromkeys(found))


def _alone(
    figure: Figure, contacts: Contacts, q: Array, points: Sequence[str] | None, segments: Sequence[str]
) -> StandingEffort:
    """Return the efforts of one of several figures, (nv,) of all of them."""
    own = set(segments)
    kept = tuple(segment for segment in figure.segments if segment.name in own)
    alone = Figure(kept, gravity=figure.gravity, name=figure.name)
    mine = [n for n, point in enumerate(contacts.points) if point.segment in own]
    touched = tuple(o for o in contacts.obstacles if o.segment is None or o.segment in own)
    at_q = np.concatenate([figure.layout.q[figure.index(segment.name)] for segment in kept])
    at_v = np.concatenate([figure.layout.v[figure.index(segment.name)] for segment in kept])
    part = contacts.replace(points=tuple(contacts.points[n] for n in mine), obstacles=touched, pairs=None)
    found = standing_effort(alone, part, q[at_q], points)
    tau, forces = np.zeros(figure.nv), np.zeros((len(contacts.points), 3))
    tau[at_v], forces[mine] = found.tau, found.forces
    return StandingEffort(tau, forces)


def _balanced(figure: Figure, contacts: Contacts, posture: Array, chosen: np.ndarray | None) -> StandingEffort:
    from scipy.optimize import lsq_linear

    rows, own = _touching(figure, contacts, posture, chosen)
    names = contacts.point_names
    weight = gravity_effects(figure, posture)
    driven = plain_places(figure)[1]
    free = np.setdiff1d(np.arange(figure.nv), driven)
    J, carried = rows.reshape(-1, figure.nv), np.zeros(3 * len(own))
    if len(free):
        lower = np.tile([-np.inf, 0.0, -np.inf], len(own))
        small = 1e-6 * np.eye(len(J))  # of all forces that balance the weight the least
        found = lsq_linear(
            np.vstack([J[:, free].T, small]), np.concatenate([weight[free], np.zeros(len(J))]), (lower, np.inf)
        )
        left = np.abs(J[:, free].T @ found.x - weight[free]).max() if len(J) else np.abs(weight[free]).max()
        if left > 1e-3 * max(1.0, np.abs(weight[free]).max()):
            raise RunError(
                "the posture cannot stand on its contacts",
                where=", ".join(dict.fromkeys(names[k] for k in own[:6])) or "no contact point touches",
                got=f"{left:.4g} N or N m of the weight is not carried",
                remedy="Bring the centre of mass above the points that touch (balanced_posture), or name others.",
            )
        carried = found.x
    tau = weight - J.T @ carried
    tau[free] = 0.0
    forces = np.zeros((len(names), 3))
    np.add.at(forces, own, carried.reshape(-1, 3))
    return StandingEffort(tau, forces)


def _touching(
    figure: Figure, contacts: Contacts, posture: Array, chosen: np.ndarray | None
) -> tuple[Array, np.ndarray]:
    """Return the rows of where points touch, (n, 3, nv), and which points these are; a solid touches at several."""
    problem = ContactProblem(figure, contacts)
    gaps, point_of = problem.gaps(posture)[: problem.packed.pairs], problem.packed.point_of
    near = np.full(len(contacts.points), _CLOSE)
    if chosen is not None:
        near[:] = -np.inf
        for point in chosen:
            near[point] = gaps[point_of == point].min(initial=np.inf) + _CLOSE
    problem.activate(np.flatnonzero(gaps <= near[point_of]))
    y = np.concatenate([posture, np.zeros(figure.nv)])
    problem.pose(y, problem.head.zeros)
    return problem.jacobian(y).reshape(-1, 3, figure.nv), point_of[problem.active]
