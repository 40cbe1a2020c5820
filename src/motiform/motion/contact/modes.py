"""Contact modes (sticking, sliding, opening) and the forces of closed contacts."""

import numpy as np

from motiform.base.errors import RunError
from motiform.motion.contact import columns as contact_columns
from motiform.motion.contact.problem import ContactProblem, ContactSolution, terms_of
from motiform.motion.contact.shares import widest
from motiform.motion.tree.model.joint import Array

__all__ = ["NoForces", "all_held", "decide", "held_margins", "refuse"]

_SAME = 1e-9  # what is so small beside the terms that make it is taken for zero


class NoForces(RunError):
    """No forces obey the laws of contact, or more than one motion does."""


def decide(problem: ContactProblem, slides: np.ndarray, along: Array, attempts: int = 6) -> ContactSolution:
    """Return forces and modes of the active candidates of the problem's state, whose velocities they keep.

    Pairs that slide already (`slides`) go on along their directions; the others stick where the cone of friction
    allows it, begin to slide or leave.  [HuMAnS 1]
    """
    rows, pairs = problem.rows, problem.pairs
    if not rows:
        return ContactSolution(np.zeros(0), np.zeros(0, np.int64), np.zeros((0, 2)))
    guess = None
    if not slides.any():
        held, guess = all_held(problem, problem.b)
        if held is not None:
            modes = np.full(len(problem.active), contact_columns.STICK)
            return _frictionless(problem, ContactSolution(held, modes, np.zeros((pairs, 2))))
    status, answer = problem.cones(problem.b, slides, along, guess=guess, attempts=attempts)
    if status != contact_columns.OK:
        refuse(problem, status, slides, along)
    return _touching(problem, answer, slides)


def all_held(problem: ContactProblem, b: Array) -> tuple[Array | None, ContactSolution | None]:
    """Return forces that hold every row and that the laws allow, or None; then, if there is one, a guess who slides."""
    x, _ = problem.solve_lcp(b)
    if opening(problem, b, x).any() or _dragged(problem, b):
        return None, None
    if allowed(problem, x):
        return x, None
    if (problem.mu == 0).any():  # what has no friction is not held
        return None, None
    found = problem.share(x, b)
    if found is not None:
        return found, None
    margin, best = widest(problem.A[: problem.rows, : problem.rows], x, problem.pairs, problem.mu)
    if margin >= 0:
        return best, None
    # those that reach their cone first in the best of all ways to share the load will slide
    t = best[: 3 * problem.pairs].reshape(-1, 3)[:, [0, 2]]
    size = np.hypot(t[:, 0], t[:, 1])
    edge = size >= (1 - 1e-3) * np.where(np.isinf(problem.mu), np.inf, problem.mu * best[1 : 3 * problem.pairs : 3])
    modes = np.full(len(problem.active), contact_columns.STICK)
    modes[: problem.pairs][edge] = contact_columns.SLIDE
    along = np.where(edge[:, None], -t / np.where(size > 0, size, 1.0)[:, None], 0.0)
    return None, ContactSolution(best, modes, along)


def _dragged(problem: ContactProblem, b: Array) -> bool:
    """Whether a contact slips along a tangent along which nothing can hold it."""
    rows, tangents = problem.rows, np.flatnonzero(np.isfinite(np.repeat(problem.mu, 3)))
    own = tangents[(tangents % 3 != 1) & (np.diag(problem.A[:rows, :rows])[tangents] == 0)]
    return bool((np.abs(b[own]) > _SAME * np.abs(b[:rows]).max(initial=0.0)).any())


def opening(problem: ContactProblem, b: Array, x: Array) -> Array:
    """Return which active candidates open under forces x."""
    rows, pairs = problem.rows, problem.pairs
    A = problem.A[:rows, :rows]
    opens = A @ x + b[:rows] > _SAME * terms_of(A, b[:rows], x)
    return np.concatenate([opens[1 : 3 * pairs : 3], opens[3 * pairs :]])


def allowed(problem: ContactProblem, x: Array) -> bool:
    """Whether all forces are in their cones."""
    return bool((cone_margins(problem, x) >= -1e-12 * np.abs(x).max(initial=0.0)).all())


def _frictionless(problem: ContactProblem, answer: ContactSolution) -> ContactSolution:
    """Let what has no friction slide where it would stick."""
    own = answer.modes[: problem.pairs]
    own[(problem.mu == 0) & (own == contact_columns.STICK)] = contact_columns.SLIDE
    return answer


def _touching(problem: ContactProblem, answer: ContactSolution, slides: np.ndarray) -> ContactSolution:
    """Keep contacts that press nothing but do not open either, and hold those at the edge of their cone that stay."""
    rows, pairs, x = problem.rows, problem.pairs, answer.x
    w = problem.A[:rows, :rows] @ x + problem.b[:rows]
    sizes = terms_of(problem.A[:rows, :rows], problem.b[:rows], x)
    for k in np.flatnonzero(answer.modes[:pairs] == contact_columns.SLIDE):
        own = [3 * k, 3 * k + 2]
        if slides.any() and not slides[k] and problem.mu[k] > 0 and np.hypot(*w[own]) <= _SAME * sizes[own].max():
            answer.modes[k], answer.along[k] = contact_columns.STICK, 0.0
    for k in np.flatnonzero(answer.modes == contact_columns.FREE):
        row = 3 * k + 1 if k < pairs else 3 * pairs + k - pairs
        if w[row] > _SAME * sizes[row]:
            continue
        if k >= pairs:
            answer.modes[k] = contact_columns.STICK
            continue
        slip = w[[row - 1, row + 1]]
        if slides[k]:
            answer.modes[k] = contact_columns.SLIDE
        elif np.hypot(*slip) <= _SAME * max(sizes[row - 1], sizes[row + 1]):
            answer.modes[k] = contact_columns.STICK
        elif np.isfinite(problem.mu[k]):
            answer.modes[k], answer.along[k] = contact_columns.SLIDE, slip / np.hypot(*slip)
    return _frictionless(problem, answer)


def cone_margins(problem: ContactProblem, x: Array) -> Array:
    """Return how far the force of each active pair is inside its cone [N], and of each limit how hard it presses."""
    pairs = problem.pairs
    p = np.asarray(x)[: 3 * pairs].reshape(-1, 3)
    slippery = np.isfinite(problem.mu)
    inside = np.full(pairs, np.inf)
    inside[slippery] = problem.mu[slippery] * p[slippery, 1] - np.hypot(p[slippery, 0], p[slippery, 2])
    return np.concatenate([np.minimum(p[:, 1], inside), np.asarray(x)[3 * pairs : problem.rows]])


def held_margins(problem: ContactProblem, x: Array, modes: np.ndarray) -> Array:
    """Return how far forces are from what their modes allow [N]: sticking in the cone, sliding and limits pressing."""
    pairs = problem.pairs
    margins = cone_margins(problem, x)
    sliding = modes[:pairs] == contact_columns.SLIDE
    margins[:pairs][sliding] = np.asarray(x)[1 : 3 * pairs : 3][sliding]
    return margins


def refuse(problem: ContactProblem, status: int, slides: np.ndarray, along: Array) -> None:
    """Raise an error with the reason why no forces were found."""
    if status == contact_columns.JAMMED:
        found = []
        for k in np.flatnonzero(slides):
            n = 3 * k + 1
            pull = problem.A[n, n - 1] * along[k, 0] + problem.A[n, n + 1] * along[k, 1]
            if pull > 0:
                found.append(f"{problem.packed.names[problem.active[k]]}: above {problem.A[n, n] / pull:.6g}")
        raise NoForces(
            "the sliding contact has no force, or more than one, with so much friction (Painlevé's paradox)",
            where=problem.describe_contacts(),
            got=f"friction {', '.join(f'{mu:.6g}' for mu in problem.mu[np.flatnonzero(slides)])}",
            allowed="critical coefficients here: " + ("; ".join(found) or "unknown"),
            remedy="Lower the friction; a rigid body has no single motion there.",
        )
    raise NoForces(
        "no contact forces were found",
        where=problem.describe_contacts(),
        remedy="The contacts contradict one another, or are nearly so: leave some points out, or give them friction.",
    )
