"""Impulses of contacts that all hold, at once: what sweeps come to slowly where many bodies lie on one another.

Sweeps pass an error on from body to body, so that a stack of n needs some n² of them. Where they have not ended, the
rows of all contacts that press are solved as equations, by the least change of the impulses found so far, else by the
least impulses: changes add up along what redundant contacts share. An answer counts where it presses, is inside its
cones and lets nothing else approach.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import routine
from motiform.base.layouts import Floats, Floats2, Ints, NamedTuple
from motiform.motion.contact.solve_kernels import dot, eliminate, load, refine
from motiform.motion.tree.kernels.memory import ix

__all__ = ["Rest", "rest"]

_MOST = 480  # rows up to which equations are tried: their cost grows by the third power
_ROUNDS = 6
_LEFT = 1e-11  # of the velocity that the largest impulse makes in a row: what may be left of it
_FINE = (
    1e-9  # of the largest impulse by which one may pull or leave its cone; of the terms, by which a row may approach
)


class Rest(NamedTuple):
    """Room for the equations."""

    F: Floats2
    first: Floats
    """Impulses before any sweep: those of the last step."""
    y: Floats
    s: Floats
    r: Floats
    chosen: Ints


@routine
def _chosen(contacts, rows, x, chosen):
    """Write the rows of what presses; return how many."""
    count = 0
    for k in range(contacts):
        if x[ix(3 * k + 1)] > 0.0:
            for i in range(3):
                chosen[ix(count + i)] = 3 * k + i
            count += 3
    for i in range(3 * contacts, rows):
        if x[ix(i)] > 0.0:
            chosen[ix(count)] = i
            count += 1
    return count


@routine
def _allowed(A, b, contacts, rows, mu, x, y):
    """Return whether impulses y press, are inside their cones, and leave nothing that approaches where x is none."""
    size = 0.0
    for i in range(rows):
        size = max(size, abs(y[ix(i)]))
    for k in range(contacts):
        n = 3 * k + 1
        press, rub = y[ix(n)], math.hypot(y[ix(n - 1)], y[ix(n + 1)])
        if press < 0.0 or (rub > 0.0 and rub > mu[ix(k)] * press + _FINE * size):
            return False
    for i in range(3 * contacts, rows):
        if y[ix(i)] < 0.0:
            return False
    for k in range(contacts + rows - 3 * contacts):
        i = 3 * k + 1 if k < contacts else 2 * contacts + k
        if not x[ix(i)] > 0.0:
            speed = b[ix(i)] + dot(A, i, 0, rows, y)
            if speed < -_FINE * (abs(b[ix(i)]) + A[ix(i), ix(i)] * size):
                return False
    return True


@routine
def _held(A, b, rows, room, count):
    """Return whether the chosen rows hold but for rounding."""
    size = 0.0
    for i in range(rows):
        size = max(size, abs(room.y[ix(i)]))
    for k in range(count):
        i = room.chosen[ix(k)]
        left = b[ix(i)] + dot(A, i, 0, rows, room.y)
        if not abs(left) <= _LEFT * (abs(b[ix(i)]) + A[ix(i), ix(i)] * size):
            return False
    return True


@routine
def rest(A, b, contacts, rows, mu, x, room):
    """Let all contacts that press hold, if the laws allow it; return whether they do."""
    count = _chosen(contacts, rows, x, room.chosen)
    if count == 0 or count > _MOST:
        return False
    load(A, room.chosen, count, room.F, room.r)
    eliminate(room.F, count, count, room.r)
    for turn in range(2):
        keep = 1.0 - turn
        for i in range(rows):
            room.s[ix(i)] = b[ix(i)] + keep * dot(A, i, 0, rows, x)
        refine(A, room.s, rows, room.chosen, count, room.F, room.y, room.r, _ROUNDS)
        for i in range(rows):
            room.y[ix(i)] += keep * x[ix(i)]
        if _held(A, b, rows, room, count) and _allowed(A, b, contacts, rows, mu, x, room.y):
            for i in range(rows):
                x[ix(i)] = room.y[ix(i)]
            return True
    return False
