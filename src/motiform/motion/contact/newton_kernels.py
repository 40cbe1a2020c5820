"""Impulses of contacts with Coulomb's friction, by Newton's method on the laws as equations [AlartCurnier91].

With w = A x + b the velocities of a contact's rows under impulses x, z = x_n − ρ w_n and y = x_t − ρ_t w_t,

    x_n = max(0, z),    x_t = y where |y| ≤ μ z, else μ z y/|y|

say all laws: a contact is open (z ≤ 0), holds, or slides against y. Each iteration solves the equations of the present
modes, linear where they are exact and for sliding with the turn of its direction. Rows may be redundant: ε of their
diagonal times the change of x is added, so that x changes least and the answer, to which x no longer changes, has no ε.
From the impulses of the last step one or two iterations do, where sweeps take hundreds to let bodies slide.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, routine
from motiform.motion.contact.solve_kernels import dot
from motiform.motion.tree.kernels.memory import ix

__all__ = ["MOST_ROWS", "solve_newton"]

MOST_ROWS = 72
"""Rows up to which equations, whose cost grows with the cube, are cheaper than sweeps."""

_ITERATIONS = 12
_SOFT = 1e-7  # ε
_NOTHING = 1e-18  # of the largest stiffness of a contact's rows: the square of rounding, times a hundred
_LIGHT = 1e-3  # of the largest impulse: what is less is measured beside it
_OPEN, _HOLDS, _SLIDES, _NORMAL = range(4)
"""Modes of a contact; the last: its tangents cannot move."""


@inline
def _tangent_stiffness(A, n):
    """Return the largest eigenvalue of the tangents of the contact whose normal row is n."""
    a, e, h = A[ix(n - 1), ix(n - 1)], A[ix(n - 1), ix(n + 1)], A[ix(n + 1), ix(n + 1)]
    return 0.5 * (a + h) + math.hypot(0.5 * (a - h), e)


@inline
def _least_stiffness(A, n):
    """Return the stiffness below which nothing moves a row of the contact whose normal row is n."""
    return _NOTHING * max(A[ix(n - 1), ix(n - 1)], A[ix(n), ix(n)], A[ix(n + 1), ix(n + 1)])


@inline
def _contact_mode(A, n, mu, x, w, away):
    """Return the mode of the contact whose normal row is n, by how much its law is missed, and the size of its
    impulses; write y/|y|, μ z/|y|.
    """
    p, q = x[ix(n - 1)], x[ix(n + 1)]
    least, own = _least_stiffness(A, n), max(abs(x[ix(n)]), abs(p), abs(q))
    asked = w[ix(n)] / A[ix(n), ix(n)] if A[ix(n), ix(n)] > least else 0.0
    z = x[ix(n)] - asked if A[ix(n), ix(n)] > least else 0.0
    own = max(own, abs(asked)) if z > 0.0 else own
    if not z > 0.0:
        return _OPEN, max(abs(x[ix(n)]), abs(p), abs(q)), own
    missed, stiff = abs(asked), _tangent_stiffness(A, n)
    if not stiff > least:
        return _NORMAL, max(missed, abs(p), abs(q)), own
    y0, y1 = p - w[ix(n - 1)] / stiff, q - w[ix(n + 1)] / stiff
    size, reach = math.hypot(y0, y1), mu * z
    if size <= reach:
        return _HOLDS, max(missed, abs(p - y0), abs(q - y1)), own
    away[ix(n - 1)], away[ix(n)], away[ix(n + 1)] = y0 / size, reach / size, y1 / size
    return _SLIDES, max(missed, abs(p - reach * y0 / size), abs(q - reach * y1 / size)), own


@routine
def _find_modes(A, b, pairs, rows, mu, x, w, mode, away, low, high):
    """Write velocities and the mode of every candidate; return by how much laws are missed, over the impulses.

    What is light counts by its own impulses, down to a thousandth of the largest. Not finite: inf.
    """
    missed, size = 0.0, 1e-300
    for i in range(rows):
        w[ix(i)] = b[ix(i)] + dot(A, i, low[ix(i)], high[ix(i)], x)
        if not abs(w[ix(i)]) < math.inf:
            return math.inf
        size = max(size, abs(x[ix(i)]))
    for k in range(pairs):
        mode[ix(k)], error, own = _contact_mode(A, 3 * k + 1, mu[ix(k)], x, w, away)
        missed = max(missed, error / (own + _LIGHT * size))
    for i in range(3 * pairs, rows):
        asked = w[ix(i)] / A[ix(i), ix(i)] if A[ix(i), ix(i)] > 0.0 else 0.0
        z = x[ix(i)] - asked if A[ix(i), ix(i)] > 0.0 else 0.0
        mode[ix(i - 2 * pairs)] = _HOLDS if z > 0.0 else _OPEN
        own = max(abs(x[ix(i)]), abs(asked) if z > 0.0 else 0.0)
        missed = max(missed, abs(x[ix(i)] - max(z, 0.0)) / (own + _LIGHT * size))
    return missed


@inline
def _choose_rows(pairs, rows, mode, chosen):
    """Write the rows of what is not open; return how many."""
    count = 0
    for k in range(pairs):
        if mode[ix(k)] == _NORMAL:
            chosen[ix(count)] = 3 * k + 1
            count += 1
        elif mode[ix(k)] != _OPEN:
            for i in range(3):
                chosen[ix(count + i)] = 3 * k + i
            count += 3
    for i in range(3 * pairs, rows):
        if mode[ix(i - 2 * pairs)] != _OPEN:
            chosen[ix(count)] = i
            count += 1
    return count


@inline
def _held_row(A, b, x, i, least, chosen, count, low, high, out):
    """Write ρ w_i + ε (x − x₀) = 0 as a row of equations; return its right-hand side.

    A row that is less stiff than `least` is moved by nothing: it takes what it has.
    """
    scale = 1.0 / A[ix(i), ix(i)] if A[ix(i), ix(i)] > least else 0.0
    for k in range(count):
        j = chosen[ix(k)]
        out[ix(k)] = (scale * A[ix(i), ix(j)] if low[ix(i)] <= j < high[ix(i)] else 0.0) + (_SOFT if i == j else 0.0)
    return _SOFT * x[ix(i)] - scale * b[ix(i)]


@inline
def _sliding_row(A, b, n, own, mu, away, first, chosen, count, low, high, out):
    """Write the row of a sliding contact's tangent (`own` 0 or 1), whose normal row is n; return its right-hand side.

    x_t − μ d x_n − κ P (x_t − ρ_t w_t) = 0 with d = y/|y|, κ = μ z/|y| and P = 1 − d dᵀ; `first`: place of its rows.
    """
    d0, kappa, d1 = away[ix(n - 1)], away[ix(n)], away[ix(n + 1)]
    d = d0 if own == 0 else d1
    P0, P1 = (1.0 if own == 0 else 0.0) - d * d0, (1.0 if own == 1 else 0.0) - d * d1
    part = kappa / _tangent_stiffness(A, n)
    for k in range(count):
        j = chosen[ix(k)]
        one = A[ix(n - 1), ix(j)] if low[ix(n - 1)] <= j < high[ix(n - 1)] else 0.0
        two = A[ix(n + 1), ix(j)] if low[ix(n + 1)] <= j < high[ix(n + 1)] else 0.0
        out[ix(k)] = part * (P0 * one + P1 * two)
    out[ix(first)] -= kappa * P0
    out[ix(first + 1)] -= mu * d
    out[ix(first + 2)] -= kappa * P1
    out[ix(first + 2 * own)] += 1.0
    return -part * (P0 * b[ix(n - 1)] + P1 * b[ix(n + 1)])


@routine
def _load_equations(A, b, pairs, mu, x, mode, away, chosen, count, low, high, F, r):
    """Write the equations of the present modes."""
    for k in range(count):
        i = chosen[ix(k)]
        n, own = i // 3 * 3 + 1, i % 3
        if i < 3 * pairs and own != 1 and mode[ix(i // 3)] == _SLIDES:
            r[ix(k)] = _sliding_row(
                A, b, n, own // 2, mu[ix(i // 3)], away, k - own, chosen, count, low, high, F[ix(k)]
            )
        else:
            least = _least_stiffness(A, n) if i < 3 * pairs else 0.0
            r[ix(k)] = _held_row(A, b, x, i, least, chosen, count, low, high, F[ix(k)])


@routine
def _solve_equations(F, r, count):
    """Solve F y = r in place, by elimination with the largest pivot of each column; return whether there is one."""
    for k in range(count):
        p = k
        for i in range(k + 1, count):
            if abs(F[ix(i), ix(k)]) > abs(F[ix(p), ix(k)]):
                p = i
        if not abs(F[ix(p), ix(k)]) > 0.0:
            return False
        if p != k:
            for j in range(k, count):
                F[ix(k), ix(j)], F[ix(p), ix(j)] = F[ix(p), ix(j)], F[ix(k), ix(j)]
            r[ix(k)], r[ix(p)] = r[ix(p)], r[ix(k)]
        inverse = 1.0 / F[ix(k), ix(k)]
        for i in range(k + 1, count):
            part = F[ix(i), ix(k)] * inverse
            if part != 0.0:
                for j in range(k + 1, count):
                    F[ix(i), ix(j)] -= part * F[ix(k), ix(j)]
                r[ix(i)] -= part * r[ix(k)]
    for k in range(count - 1, -1, -1):
        r[ix(k)] = (r[ix(k)] - dot(F, k, k + 1, count, r)) / F[ix(k), ix(k)]
    return True


@routine
def solve_newton(A, b, pairs, rows, mu, x, close, F, w, away, r, chosen, mode, low, high):
    """Find the impulses of all rows from x on; return whether laws hold. Where they do not, x is of no use.

    Laws may be missed by `close` of the impulses. Row i of A has what is not zero from low[i] up to high[i].
    The arrays from F to mode are workspace.
    """
    for turn in range(_ITERATIONS + 1):
        missed = _find_modes(A, b, pairs, rows, mu, x, w, mode, away, low, high)
        if missed <= close:
            return True
        if turn == _ITERATIONS or not missed < math.inf:
            return False
        count = _choose_rows(pairs, rows, mode, chosen)
        _load_equations(A, b, pairs, mu, x, mode, away, chosen, count, low, high, F, r)
        if not _solve_equations(F, r, count):
            return False
        for i in range(rows):
            x[ix(i)] = 0.0
        for k in range(count):
            x[ix(chosen[ix(k)])] = r[ix(k)]
    return False
