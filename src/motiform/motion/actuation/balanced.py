"""Postures that can stand: feet on the ground, and the centre of mass above them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, RunError
from motiform.motion.actuation.control import plain_places
from motiform.motion.actuation.standing import chosen_points
from motiform.motion.actuation.tasks.function import prioritized
from motiform.motion.contact import Contacts
from motiform.motion.contact import columns as contact_columns
from motiform.motion.contact.problem import ContactProblem
from motiform.motion.run import check_number
from motiform.motion.tree import Figure, advance, centers_of_mass, centroidal_matrix
from motiform.motion.tree.model.joint import Array
from motiform.spatial.checks import as_floats

__all__ = ["balanced_posture"]

_LONGEST = 0.1  # [rad or m] of a step of Newton's method
_MOST = 200  # steps
_SETTLED = 1e-11  # [rad or m] of a step that changes nothing
_CLOSE = 1e-7  # [m] by which gaps and the centre of mass may miss


class _Support(NamedTuple):
    """Where the points touch: gaps (n,) [m] and their Jacobian, how far the centre is from above their middle."""

    gaps: Array
    closing: Array
    """(n, nv)"""
    off: Array
    """From the centre of mass to the middle of the support, (2,) level with the ground."""
    shifting: Array
    """(2, nv)"""


def balanced_posture(
    figure: Figure, contacts: Contacts, q: ArrayLike, points: Sequence[str] | None = None, *, reach: float = 5e-3
) -> Array:
    """Return the posture near q, within limits, whose points touch and whose centre of mass is above their middle.

    Points are those named, or contact solids with all of theirs; without names those at most `reach` [m] above the
    lowest of all. The middle is that of the points of each segment, then of the segments. Gaps come first, then the
    centre of mass, by Newton steps of least length; `standing_effort` gives the efforts of the result.
    """
    check_number(reach, "reach", "balanced posture", least=0.0)
    posture = as_floats(q, where="balanced posture, q").copy()
    if posture.shape != (figure.nq,):
        got = f"shape {posture.shape}"
        raise InputError("a balanced posture needs one configuration", where="q", got=got, allowed=f"({figure.nq},)")
    problem = ContactProblem(figure, contacts)
    gaps, point_of = problem.gaps(posture)[: problem.packed.pairs], problem.packed.point_of
    given = chosen_points(contacts, points)
    own = np.flatnonzero(gaps <= gaps.min(initial=np.inf) + reach if given is None else np.isin(point_of, given))
    if not len(own):
        raise InputError("a posture must stand on points", where="balanced posture", got="no contact points")
    for _ in range(_MOST):
        now = _support(figure, problem, posture, own)
        change = _step(figure, posture, now)
        longest = float(np.abs(change).max(initial=0.0))
        posture = advance(figure, posture, change * min(1.0, _LONGEST / max(longest, 1e-300)))
        if longest < _SETTLED:
            break
    return _checked(_support(figure, problem, posture, own), posture, contacts, point_of[own])


def _support(figure: Figure, problem: ContactProblem, q: Array, own: np.ndarray) -> _Support:
    y = np.concatenate([q, np.zeros(figure.nv)])
    problem.gaps(q)
    problem.activate(own)
    problem.pose(y, problem.head.zeros)
    rows, sites = problem.jacobian(y).reshape(-1, 3, figure.nv), problem.sites[: len(problem.active)]
    n, e = (
        sites[:, contact_columns.NORMAL : contact_columns.NORMAL + 3],
        sites[:, contact_columns.TANGENT : contact_columns.TANGENT + 3],
    )
    axes = np.stack([e, n, np.cross(e, n)], axis=1)
    moving = np.einsum("kia,kin->kan", axes, rows)
    segments = [problem.contacts.points[k].segment for k in problem.packed.point_of[problem.active]]
    share = np.array([1.0 / segments.count(segment) for segment in segments])
    share /= share.sum()
    up = np.asarray(figure.up)
    level = np.linalg.svd(up[None])[2][1:]
    middle, center = share @ sites[:, contact_columns.SITE : contact_columns.SITE + 3], centers_of_mass(figure, q)[-1]
    J = centroidal_matrix(figure, q)[3:] / figure.mass
    shifting = J - np.einsum("k,kan->an", share, moving)
    return _Support(
        sites[:, contact_columns.GAP].copy(), rows[:, 1].copy(), level @ (middle - center), level @ shifting
    )


def _step(figure: Figure, q: Array, now: _Support) -> Array:
    """Return the step of least length that closes the gaps, then brings the centre above; limits hold coordinates."""
    at_q, at_v = plain_places(figure)
    low, high = figure.limits[at_v].T
    free, held = np.ones(figure.nv, bool), np.zeros(figure.nv)
    damping = 1e-2 * float(np.linalg.norm([*now.gaps, *now.off]))
    for _ in range(figure.nv + 1):
        levels = [(J * free, b - J @ held) for J, b in ((now.closing, -now.gaps), (now.shifting, now.off))]
        change = np.where(free, prioritized(levels, damping), held)
        end = q[at_q] + change[at_v]
        beyond = free[at_v] & ((end > high) | (end < low))
        if not beyond.any():
            break
        free[at_v[beyond]] = False
        held[at_v[beyond]] = (np.clip(end, low, high) - q[at_q])[beyond]
    return change


def _checked(found: _Support, posture: Array, contacts: Contacts, own: np.ndarray) -> Array:
    gap, off = float(np.abs(found.gaps).max()), float(np.linalg.norm(found.off))
    if max(gap, off) > _CLOSE:
        names = list(dict.fromkeys(contacts.points[k].segment for k in own))
        raise RunError(
            "a posture near this one must stand on its points",
            where=", ".join(names[:6]),
            got=f"gaps of {1e3 * gap:.3g} mm, the centre of mass {1e3 * off:.3g} mm beside their middle",
            remedy="Begin nearer to one that stands, or name other points.",
        )
    return posture
