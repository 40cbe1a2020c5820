"""Curves of quintic Bézier corners, as Millard's muscle has them.  [Millard13]"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np

from motiform.base.errors import InputError
from motiform.spatial.checks import Array

__all__ = ["BezierCurve", "corners"]

# Bernstein's polynomials of degree 5 by powers of u: row i are those of control point i.
_TO_POWERS = np.array(
    [[comb(5, k) * comb(k, i) * (-1.0) ** (k - i) if k >= i else 0.0 for k in range(6)] for i in range(6)]
)

_ROUNDING = 2.0**-52  # of a piece's length in x

Knot = tuple[float, float, float]
"""x, y, slope."""


@dataclass(frozen=True, eq=False)
class BezierCurve:
    """y(x) of Bézier pieces, straight beyond its ends."""

    x: Array
    """Control points, (pieces, 6)."""
    y: Array
    ends: tuple[float, float]
    """Slopes beyond the first and the last point."""

    @cached_property
    def powers(self) -> tuple[Array, Array]:
        """Coefficients of u⁰ to u⁵, x from the first point of each piece."""
        return (self.x - self.x[:, :1]) @ _TO_POWERS, self.y @ _TO_POWERS

    def __call__(self, at: Array) -> tuple[Array, Array]:
        """Return the value and the slope."""
        at = np.asarray(at, float)
        first, last = self.x[0, 0], self.x[-1, -1]
        inside = np.clip(at, first, last)
        k = np.clip(np.searchsorted(self.x[:, 0], inside, side="right") - 1, 0, len(self.x) - 1)
        X, Y = self.powers[0][k], self.powers[1][k]
        u = _parameter(X, inside - self.x[k, 0])
        value, slope = _value(Y, u), _slope(Y, u) / np.maximum(_slope(X, u), 1e-300)
        slope = np.where(at < first, self.ends[0], np.where(at > last, self.ends[1], slope))
        return np.where(at == inside, value, value + slope * (at - inside)), slope


def _value(C: Array, u: Array) -> Array:
    found = C[..., 5]
    for k in (4, 3, 2, 1, 0):
        found = found * u + C[..., k]
    return np.asarray(found)


def _slope(C: Array, u: Array) -> Array:
    found = 5.0 * C[..., 5]
    for k in (4, 3, 2, 1):
        found = found * u + k * C[..., k]
    return np.asarray(found)


def _parameter(X: Array, x: Array) -> Array:
    """Return u with X(u) = x by Newton's method kept between bounds: x grows with u."""
    low, high = np.zeros_like(x), np.ones_like(x)
    whole = _value(X, high)
    u = np.clip(x / whole, 0.0, 1.0)
    for _ in range(60):
        miss = _value(X, u) - x
        low, high = np.where(miss < 0, u, low), np.where(miss >= 0, u, high)
        step = u - miss / np.maximum(_slope(X, u), 1e-300)
        after = np.where((step > low) & (step < high), step, 0.5 * (low + high))
        after = np.where(np.abs(miss) <= _ROUNDING * whole, u, after)
        if np.abs(after - u).max(initial=0.0) < 1e-15:
            return after
        u = after
    return u


def corners(knots: Sequence[Knot], curviness: Sequence[float], name: str) -> BezierCurve:
    """Return the curve through points with given slopes, each piece bent toward the crossing of its end tangents."""
    xs, ys = [], []
    for (x0, y0, s0), (x1, y1, s1), bend in zip(knots[:-1], knots[1:], curviness, strict=True):
        c = 0.1 + 0.8 * bend
        xc = (y1 - y0 - x1 * s1 + x0 * s0) / (s0 - s1) if abs(s0 - s1) > 1.5e-8 else (x0 + x1) / 2
        yc = (xc - x1) * s1 + y1
        if not (x0 < x1 and x0 <= xc <= x1 and 0.0 <= bend <= 1.0):
            raise InputError(
                "the slopes of a muscle curve must form a corner",
                where=name,
                got=f"from {x0:g} with slope {s0:g} to {x1:g} with slope {s1:g}, curviness {bend:g}",
                remedy="Take slopes whose lines cross between both points, and a curviness between 0 and 1.",
            )
        a, b = (x0 + c * (xc - x0), y0 + c * (yc - y0)), (x1 + c * (xc - x1), y1 + c * (yc - y1))
        xs.append((x0, a[0], a[0], b[0], b[0], x1))
        ys.append((y0, a[1], a[1], b[1], b[1], y1))
    return BezierCurve(np.array(xs), np.array(ys), (knots[0][2], knots[-1][2]))
