"""Curves of quintic Bézier corners, as Millard's muscle has them.  [Millard13]"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from motiform.base.errors import InputError
from motiform.spatial.checks import Array

__all__ = ["BezierCurve", "corners"]

# Bernstein's polynomials of degree 5 by powers of u: row i are those of control point i.
_TO_POWERS = np.array(
    [[comb(5, k) * comb(k, i) * (-1.0) ** (k - i) if k >= i else 0.0 for k in range(6)] for i in range(6)]
)

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

    @property
    def numbers(self) -> Array:
        """What kernels read (see `columns`): coefficients by powers of the parameter, x from where its piece begins."""
        start = self.x[:, :1]
        pieces = np.column_stack([start, (self.x - start) @ _TO_POWERS, self.y @ _TO_POWERS])
        return np.array([len(self.x), self.x[0, 0], self.x[-1, -1], *self.ends, *pieces.ravel()])


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
