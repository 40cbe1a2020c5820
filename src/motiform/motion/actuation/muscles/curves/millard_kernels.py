"""Curves of Millard's muscle, values and slopes: quintic Bézier pieces, see `BezierCurve.numbers`.  [Millard13]"""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import inline, routine
from motiform.motion.actuation.muscles.curves.columns import CURVE, PIECE

__all__ = ["active", "balance", "passive", "speed", "tendon"]


@routine
def _poly(f, at, u):
    return ((((f[at + 5] * u + f[at + 4]) * u + f[at + 3]) * u + f[at + 2]) * u + f[at + 1]) * u + f[at]


@routine
def _slope(f, at, u):
    return (((5.0 * f[at + 5] * u + 4.0 * f[at + 4]) * u + 3.0 * f[at + 3]) * u + 2.0 * f[at + 2]) * u + f[at + 1]


@routine
def _place(f, at, inside):
    """Return where the piece of x begins and its parameter: x grows with it, Newton's method is kept between bounds."""
    piece = at + CURVE
    for k in range(1, int(f[at])):
        if inside >= f[at + CURVE + k * PIECE]:
            piece = at + CURVE + k * PIECE
    X, target = piece + 1, inside - f[piece]
    low, high = 0.0, 1.0
    u = min(max(target / _poly(f, X, 1.0), 0.0), 1.0)
    for _ in range(60):
        miss = _poly(f, X, u) - target
        if miss < 0.0:
            low = u
        else:
            high = u
        after = u - miss / max(_slope(f, X, u), 1e-300)
        if abs(after - u) < 1e-15:  # before bounds are looked at: one of them is u
            break
        u = after if low < after < high else 0.5 * (low + high)
    return piece, u


@inline
def _bezier(f, at, x):
    first, last = f[at + 1], f[at + 2]
    inside = min(max(x, first), last)
    piece, u = _place(f, at, inside)
    value = _poly(f, piece + 7, u)
    if x == inside:
        return value, _slope(f, piece + 7, u) / max(_slope(f, piece + 1, u), 1e-300)
    slope = f[at + 3] if x < first else f[at + 4]
    return value + slope * (x - inside), slope


@inline
def active(f, at, x):
    """Five corners."""
    return _bezier(f, at + int(f[at]), x)


@inline
def passive(f, at, x):
    """Two corners, then straight."""
    return _bezier(f, at + int(f[at + 1]), x)


@inline
def speed(f, at, x, activation):
    """Four corners through (−1, 0) and (0, 1)."""
    return _bezier(f, at + int(f[at + 2]), x)


@inline
def tendon(f, at, x):
    """Two corners, then straight."""
    return _bezier(f, at + int(f[at + 3]), x)


@routine
def balance(f, at, active, damping, rest):
    """Return the speed w at which active f_v(w) + damping w = rest: Newton's method on the parameter of one piece."""
    at += int(f[at + 2])
    pieces, first, last = int(f[at]), f[at + 1], f[at + 2]
    piece = at + CURVE
    before = active * f[piece + 7] + damping * first - rest
    if before >= 0.0:
        return first - before / max(active * f[at + 3] + damping, 1e-300)
    for k in range(pieces):
        piece = at + CURVE + k * PIECE
        X, Y = piece + 1, piece + 7
        after = active * _poly(f, Y, 1.0) + damping * (f[piece] + _poly(f, X, 1.0)) - rest
        if after >= 0.0:
            low, high, u = 0.0, 1.0, -before / (after - before)
            for _ in range(60):
                miss = active * _poly(f, Y, u) + damping * (f[piece] + _poly(f, X, u)) - rest
                if miss < 0.0:
                    low = u
                else:
                    high = u
                found = u - miss / max(active * _slope(f, Y, u) + damping * _slope(f, X, u), 1e-300)
                if abs(found - u) < 1e-15:
                    break
                u = found if low < found < high else 0.5 * (low + high)
            return f[piece] + _poly(f, X, u)
        before = after
    return last - before / max(active * f[at + 4] + damping, 1e-300)
