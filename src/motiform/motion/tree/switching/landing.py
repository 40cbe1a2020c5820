"""Surfaces that land: the contact frame at their nearest points, and the velocities after the impact."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motiform.base.errors import RunError
from motiform.motion.tree.algorithms.closures import constraint
from motiform.motion.tree.algorithms.dynamics import inertia_matrix
from motiform.motion.tree.contact_joints.leaving import LeavingContact
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.switching.impact import collide

__all__ = ["FLAT", "SETTLE", "Landing", "check_flat", "land"]

SETTLE = 1e-3  # [m/s] slower impacts restore nothing: what bounces without end comes to rest
FLAT = 1e-6  # [rad, rad/s] by which lines and faces may land tilted
_STILL = 1e-12  # share of the speeds of the impact below which a contact does not open


class Landing(NamedTuple):
    """What an impact did."""

    v: Array
    """Velocities after it, (nv,)."""
    leaves: Array
    """Whether each contact opens, (contacts,)."""
    lost: float
    """Kinetic energy lost [J]."""
    impulses: Array
    """Of the contacts, in their frames [N·s], (contacts, 3)."""


def check_flat(joint: LeavingContact, q: Array, where: str) -> None:
    """Refuse lines and faces that land tilted: one end of a real body would land first."""
    tilt = float(np.abs(joint.nearest(q[None]).off[0, :3]).max())
    if tilt > FLAT:
        raise RunError(
            f"a {joint.pair.contact} must land flat: surfaces have no ends", where=where,
            got=f"tilted by {tilt:.3g} rad", allowed=f"{FLAT:g} rad",
            remedy="Take contacts of solids (simulate(…, contacts=…)), which have ends.",
        )  # fmt: skip


def land(figure: Figure, names: Sequence[str], q: Array, v: Array, where: str) -> Landing:
    """Return the impact of contacts that touch, at velocities whose normal parts may approach.

    M dv = Jᵀ P: the rows of a contact are its own vx, vy, vz. What the contacts and closures hold stays held, by
    impulses of their own.
    """
    joints: list[LeavingContact] = [figure.segment(name).joint for name in names]  # type: ignore[misc]
    places = [figure.places(name, "v") for name in names]
    kept = [place[k] for joint, place in zip(joints, places, strict=True) for k in joint.forbidden]
    _check_turns(figure, kept, v, where)
    inverse = np.linalg.inv(inertia_matrix(figure.opened, q))
    E = np.eye(figure.nv)[kept]
    E = np.concatenate([E, constraint(figure, q, v).jacobian]) if figure.closures else E
    onto = np.linalg.pinv(E @ inverse @ E.T, hermitian=True) if len(E) else np.zeros((0, 0))
    before = v - inverse @ E.T @ (onto @ (E @ v))
    response = inverse - inverse @ E.T @ onto @ E @ inverse
    rows = np.concatenate([place[3:] for place in places])
    A, u = response[np.ix_(rows, rows)], before[rows]
    mu = np.array([joint.bound for joint in joints])
    e = np.array([joint.restitution for joint in joints]) * (-u[2::3] > SETTLE)
    P = collide(A, u, mu, e, where)
    after = before + response[:, rows] @ P.ravel()
    speeds = after[rows[2::3]]
    leaves = speeds > _STILL * max(1e-3, float(np.abs(u).max()))
    for place, joint, opens in zip(places, joints, leaves, strict=True):
        if not opens:  # not by rounding
            after[[place[k] for k in range(6) if k not in joint.held.columns]] = 0.0
    lost = -float(P.ravel() @ (u + after[rows])) / 2
    return Landing(after, leaves, lost, P)


def _check_turns(figure: Figure, kept: Sequence[int], v: Array, where: str) -> None:
    """Refuse lines and faces that turn while they land."""
    for place in kept:
        if abs(v[place]) > FLAT:
            raise RunError(
                "a line or face must land without turning about what it then holds", where=where,
                got=f"{figure.coordinates[place]} {v[place]:.3g} rad/s", allowed=f"{FLAT:g} rad/s",
                remedy="Take contacts of solids (simulate(…, contacts=…)), which have ends.",
            )  # fmt: skip
