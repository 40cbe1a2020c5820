"""Impacts: velocity jumps such that closed contacts do not approach.

Two laws [HuMAnS 1]. "held": C v₊ = 0 on all that touches, in all directions; contacts do not open. "leaving": points
may leave, friction has its cone, and what is restored is Poisson's e times the normal impulse of the compression.
Energy does not grow: with one coefficient this is a theorem, with several they are lowered together until it holds.
"""

from dataclasses import dataclass

import numpy as np

from motiform.base.errors import RunError
from motiform.motion.contact import columns as contact_columns
from motiform.motion.contact.modes import all_held, cone_margins, refuse
from motiform.motion.contact.problem import ContactProblem, ContactSolution, terms_of
from motiform.motion.tree.model.joint import Array

__all__ = ["Impact", "apart", "collide", "project_velocities", "stop_approach", "velocity_jump"]


_PATIENT = 10  # attempts where fewer have not found impulses
_FINE = 1e-9  # impulses that break the laws by more are looked for in another way
_CLOSE = 1e-6  # impulses of a step over many events may break the laws by so much
_SWEEPS = 5000, 100_000  # for these; the latter take a second at twenty contacts, pivoting four
_APART = 1e-2  # [m/s] at which what overlaps is moved apart at most
_ROUGH = 1e-3  # impulses that break the laws by less are taken where none that keep them were found


@dataclass(frozen=True)
class Impact:
    """What an impact did."""

    v: Array
    """Velocities after it, (nv,)."""
    x: Array
    """Impulses of the rows [N·s]."""
    lost: float
    """Kinetic energy lost [J]."""


def project_velocities(problem: ContactProblem, v: Array, modes: np.ndarray) -> tuple[Array, Array]:
    """Return the velocities nearest (in kinetic energy) that keep the active contacts in their modes, and the impulses
    of the rows [N·s] that make them.
    """
    wanted = problem.velocities
    sliding = np.flatnonzero(modes[: problem.pairs] == contact_columns.SLIDE)
    x = np.zeros(problem.rows)
    if len(sliding):
        rows = np.setdiff1d(np.arange(problem.rows), np.concatenate([3 * sliding, 3 * sliding + 2]))
        A = problem.A[np.ix_(rows, rows)]
        x[rows] = np.linalg.lstsq(A, -wanted[rows], rcond=1e-12)[0]
    else:
        x, _ = problem.hold(wanted)
    return v + problem.jumps(x), x


def collide(problem: ContactProblem, v: Array, restitution: Array, *, held: bool) -> Impact:
    """Return what an impact of the active candidates does to velocities v; the problem is that of the state."""
    before = problem.velocities
    if held:
        x, left = problem.hold(before)
        if left > 1e-6:
            raise RunError("the contacts cannot all be held", where=problem.describe_contacts())
        return _impact(problem, v, x, before)
    first = _compress(problem, before)
    pressed = first.x.copy()
    normal = np.concatenate([pressed[1 : 3 * problem.pairs : 3], pressed[3 * problem.pairs :]])
    given = restitution * np.maximum(normal, 0.0)
    if not given.any():
        return _impact(problem, v, first.x, before)
    share = 1.0
    for _ in range(60):
        found = _impact(problem, v, first.x + _restore(problem, before, first, share * given), before)
        if found.lost >= -1e-13 * max(1.0, abs(float(before @ found.x))):
            return found
        share *= 0.9
    return _impact(problem, v, first.x, before)


def velocity_jump(problem: ContactProblem, v: Array, h: float) -> Impact:
    """Return the velocities after impulses that keep contacts closed or open over a flight of h: there always are such
    [Stewart96].
    """
    pairs = problem.pairs
    gaps = np.maximum(problem.sites[: len(problem.active), contact_columns.GAP], 0.0)
    mean = problem.velocities + 0.5 * h * problem.b[: problem.rows]  # over the flight; velocity products are in b
    mean[1 : 3 * pairs : 3] += gaps[:pairs] / h
    mean[3 * pairs :] += gaps[pairs:] / h
    return _impact(problem, v, _compress(problem, mean, sweeping=True).x, problem.velocities)


def stop_approach(problem: ContactProblem, v: Array) -> Impact:
    """Return the velocities after impulses that stop what approaches, as exactly as those of `leap`."""
    return _impact(problem, v, _compress(problem, problem.velocities, sweeping=True).x, problem.velocities)


def apart(problem: ContactProblem, h: float) -> Array:
    """Return the smallest displacement (in the metric of M) that moves overlapping solids apart, at most 1 cm/s."""
    gaps, normals, pairs = (
        problem.sites[: len(problem.active), contact_columns.GAP],
        np.zeros(problem.rows),
        problem.pairs,
    )
    gaps = np.maximum(gaps, -_APART * h)
    normals[1 : 3 * pairs : 3], normals[3 * pairs :] = gaps[:pairs], gaps[pairs:]
    return problem.jumps(problem.solve_normals(normals))


def _compress(problem: ContactProblem, b: Array, *, sweeping: bool = False) -> ContactSolution:
    """Return the impulses that stop what approaches; with `sweeping` pivoting is only for what sweeps do not solve."""
    no, none = np.zeros(problem.pairs, np.int64), np.zeros((problem.pairs, 2))
    x, guess = all_held(problem, b)
    if x is not None:
        alone = None if sweeping else _struck_alone(problem, b)
        return ContactSolution(x, np.full(len(problem.active), contact_columns.STICK), none) if alone is None else alone
    # what cannot slide is held where it touches, though nothing presses: cones choose that
    x = problem.newton(b) if np.isfinite(problem.mu).all() else None
    if x is not None and misfit(problem, b, x) <= _FINE:
        return ContactSolution(x, np.full(len(problem.active), contact_columns.STICK), none)
    for sweeps in _SWEEPS if sweeping else ():
        x = problem.swept(b, sweeps)
        if misfit(problem, b, x) <= _CLOSE:
            return ContactSolution(x, np.full(len(problem.active), contact_columns.STICK), none)
    status, answer = problem.cones(b, no, none, guess=guess)
    if status != contact_columns.OK:
        # what cannot slide may have no answer: then its tangents are held whether or not it parts
        parts = np.where(np.isinf(problem.mu), np.finfo(float).tiny, 0.0)
        status, answer = problem.cones(b, no, none, given=parts, attempts=_PATIENT)
    if status != contact_columns.OK and misfit(problem, b, answer.x) > _FINE:
        swept = ContactSolution(problem.swept(b), answer.modes, answer.along)
        answer = min(answer, swept, key=lambda one: misfit(problem, b, one.x))
        if misfit(problem, b, answer.x) > _ROUGH:
            refuse(problem, status, no, none)
    return answer


def _struck_alone(problem: ContactProblem, b: Array) -> ContactSolution | None:
    """Return impulses of what approaches alone, or None where they let something else approach or slip.

    With much friction contacts can be wedged: holding all of them obeys the laws too, and nothing would go on.
    """
    rows, pairs = problem.rows, problem.pairs
    normal = np.concatenate([3 * np.arange(pairs) + 1, np.arange(3 * pairs, rows)])
    speed = float(np.abs(b[:rows]).max(initial=0.0))
    rest = b[normal] >= -_FINE * speed
    if rest.all() or not rest.any():
        return None
    away = np.array(b)
    away[normal[rest]] += 1e3 * speed
    status, answer = problem.cones(away, np.zeros(pairs, np.int64), np.zeros((pairs, 2)))
    A = problem.A[:rows, :rows]
    w, least = A @ answer.x + b[:rows], _FINE * terms_of(A, b[:rows], answer.x)
    parts = w[normal] > least[normal]
    slips = np.hypot(w[0 : 3 * pairs : 3], w[2 : 3 * pairs : 3]) > least[1 : 3 * pairs : 3] + _FINE * speed
    dragged = (slips & np.isinf(problem.mu) & ~parts[:pairs])[rest[:pairs]].any()
    fits = status == contact_columns.OK and not dragged and (w[normal] >= -least[normal]).all()
    return answer if fits and not answer.x[normal[rest]].any() else None


def misfit(problem: ContactProblem, b: Array, x: Array) -> float:
    """Return by how much impulses break the laws: approach over the terms that make it, impulses over the largest."""
    rows, pairs = problem.rows, problem.pairs
    A = problem.A[:rows, :rows]
    w, terms = A @ x + b[:rows], terms_of(A, b[:rows], x) + 1e-300
    normal = np.concatenate([3 * np.arange(pairs) + 1, np.arange(3 * pairs, rows)])
    size = np.abs(x).max(initial=0.0) + 1e-300
    slippery = np.isfinite(problem.mu)
    outside = -cone_margins(problem, x)[:pairs][slippery] / size
    together = np.minimum(w[normal] / terms[normal], x[normal] / size)
    return float(max((-w[normal] / terms[normal]).max(), outside.max(initial=0.0), together.max()))


def _restore(problem: ContactProblem, before: Array, first: ContactSolution, given: Array) -> Array:
    """Return the impulses of restitution: `given` along the normals, friction with them, and what keeps others out."""
    pairs, rows = problem.pairs, problem.rows
    extra = np.zeros(rows)
    extra[1 : 3 * pairs : 3], extra[3 * pairs :] = given[:pairs], given[pairs:]
    b = problem.A[:rows, :rows] @ (first.x + extra) + before
    no, none = np.zeros(pairs, np.int64), np.zeros((pairs, 2))
    status, answer = problem.cones(b, no, none, given=np.ascontiguousarray(given[:pairs]))
    # friction that no answer was found with stays as the compression left it
    return extra + (answer.x if status == contact_columns.OK else problem.solve_normals(b))


def _impact(problem: ContactProblem, v: Array, x: Array, before: Array) -> Impact:
    rows = problem.rows
    # T₊ − T₋ = x · (w₋ + w₊)/2, w the velocities of the rows
    lost = -float(x @ (before + 0.5 * problem.A[:rows, :rows] @ x))
    return Impact(v + problem.jumps(x), x, lost)
