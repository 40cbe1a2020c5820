"""Impulses of all contacts of a step, by sweeps over them [Jourdan98].

Rows may be redundant, or vanish: a joint that cannot move along a tangent has a row of zeros. What nothing moves
takes no impulse.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import entry, inline, routine
from motiform.motion.contact.solve_kernels import dot
from motiform.motion.tree.kernels.memory import ix

__all__ = ["solve_swept", "sweep"]

_STILL = 1e-11  # change of a sweep over the largest impulse that is taken for none
_NOTHING = 1e-18  # of the largest stiffness of a contact's rows: the square of rounding, times a hundred
_FLAT = 1e-12  # tangents whose determinant is below this share of their stiffness squared depend on each other


@inline
def _slide(a, e, h, u, w, p, q, reach):
    """Return tangential impulses nearer to those that oppose the slip (u, w) that (p, q) leave, by projected steps."""
    stiff = 0.5 * (a + h) + math.hypot(0.5 * (a - h), e)
    for _ in range(3):
        p1, q1 = p - u / stiff, q - w / stiff
        length = math.hypot(p1, q1)
        if length > reach:
            p1, q1 = p1 * reach / length, q1 * reach / length
        u, w = u + a * (p1 - p) + e * (q1 - q), w + e * (p1 - p) + h * (q1 - q)
        p, q = p1, q1
    return p, q


@inline
def _pressed(A, b, row, low, high, x, least):
    """Return the impulse that stops a row alone, none where it parts or where nothing moves it."""
    stiff = A[ix(row), ix(row)]
    return max(0.0, x[ix(row)] - (b[ix(row)] + dot(A, row, low, high, x)) / stiff) if stiff > least else 0.0


@inline
def _tangential_impulses(A, b, n, low, high, x, reach, least):
    """Return the tangential impulses of the contact whose normal row is n: those that hold it, or slow it."""
    a, e, h = A[ix(n - 1), ix(n - 1)], A[ix(n - 1), ix(n + 1)], A[ix(n + 1), ix(n + 1)]
    stiff = max(a, h)
    if not reach > 0.0 or not stiff > least:
        return 0.0, 0.0
    p, q = x[ix(n - 1)], x[ix(n + 1)]
    u, w = b[ix(n - 1)] + dot(A, n - 1, low, high, x), b[ix(n + 1)] + dot(A, n + 1, low, high, x)
    det = a * h - e * e
    if det > _FLAT * stiff * stiff:
        p1, q1 = p - (h * u - e * w) / det, q - (a * w - e * u) / det
        if math.hypot(p1, q1) <= reach:
            return p1, q1
    return _slide(a, e, h, u, w, p, q, reach)


@routine
def sweep(A, b, contacts, rows, mu, x, sweeps, lows, highs):
    """Change one contact after another, normal then tangents, until nothing changes; return whether it came to that.

    Row i of A has what is not zero from lows[i] up to highs[i].
    """
    for _ in range(sweeps):
        change, size = 0.0, 1e-300
        for k in range(contacts):
            n = 3 * k + 1
            p, z, q = x[ix(n - 1)], x[ix(n)], x[ix(n + 1)]
            least = _NOTHING * max(A[ix(n - 1), ix(n - 1)], A[ix(n), ix(n)], A[ix(n + 1), ix(n + 1)])
            low = min(lows[ix(n - 1)], lows[ix(n)], lows[ix(n + 1)])
            high = max(highs[ix(n - 1)], highs[ix(n)], highs[ix(n + 1)])
            x[ix(n)] = _pressed(A, b, n, low, high, x, least)
            reach = mu[ix(k)] * x[ix(n)] if x[ix(n)] > 0.0 else 0.0
            x[ix(n - 1)], x[ix(n + 1)] = _tangential_impulses(A, b, n, low, high, x, reach, least)
            change = max(change, abs(x[ix(n)] - z), abs(x[ix(n - 1)] - p), abs(x[ix(n + 1)] - q))
            size = max(size, abs(x[ix(n)]), abs(x[ix(n - 1)]), abs(x[ix(n + 1)]))
        for i in range(3 * contacts, rows):
            old = x[ix(i)]
            x[ix(i)] = _pressed(A, b, i, lows[ix(i)], highs[ix(i)], x, 0.0)
            change, size = max(change, abs(x[ix(i)] - old)), max(size, abs(x[ix(i)]))
        if not change > _STILL * size:
            return True
    return False


@entry("int64(float64[:, ::1], float64[::1], int64, int64, float64[::1], float64[::1], int64, int64[::1], int64[::1])")
def solve_swept(A, b, contacts, rows, mu, x, sweeps, lows, highs):
    """Sweeps as a call of their own; return 1 where they came to rest."""
    return 1 if sweep(A, b, contacts, rows, mu, x, sweeps, lows, highs) else 0
