"""Splines through given numbers: of SciPy, and without loading it."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline

__all__ = ["cubic_spline", "spline_derivatives"]


def cubic_spline(at: ArrayLike, values: ArrayLike, ends: Any = "not-a-knot") -> "CubicSpline":
    """Return SciPy's spline; numbers near the ends of floats, whose slopes are none, are refused."""
    from scipy.interpolate import CubicSpline

    try:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            found = CubicSpline(at, values, bc_type=ends)
    except ValueError as error:
        raise InputError("the slopes of a spline must be finite", got=str(error)) from error
    if not np.isfinite(found.c).all():
        raise InputError("the slopes of a spline must be finite", got="numbers near the ends of floats")
    return found


def spline_derivatives(
    x: np.ndarray, values: np.ndarray, at: np.ndarray, *, degree: int, orders: int
) -> list[np.ndarray]:
    """Return the spline through values (samples, n) at x and its first derivatives, as many as told, at other places.

    Of odd degree, with more samples than that; knots are the samples without those next to the ends. Derivatives of
    B-splines are B-splines of lower degree, with differences of the coefficients over the distances of their knots
    [Boor78 X].
    """
    from scipy.linalg import solve_banded

    count, left_out = len(x), (degree + 1) // 2
    knots = np.concatenate([np.full(degree + 1, x[0]), x[left_out:-left_out], np.full(degree + 1, x[-1])])
    place = _place(knots, x, degree)
    columns, rows = place[:, None] + np.arange(-degree, 1), np.arange(count)[:, None]
    band = np.zeros((2 * degree + 1, count))
    band[degree + rows - columns, columns] = _bases(knots, x, place, degree)
    c = solve_banded((degree, degree), band, values, check_finite=False)
    place, found = _place(knots, at, degree), []
    with np.errstate(over="ignore", invalid="ignore"):
        for order in range(orders + 1):
            k = degree - order
            own = c[place[:, None] - order + np.arange(-k, 1)]
            found.append(np.einsum("sj,sjn->sn", _bases(knots, at, place, k), own))
            apart = knots[degree + 1 : count + k] - knots[order + 1 : count]
            c = k * np.diff(c, axis=0) / apart[:, None]
    if not all(np.isfinite(one).all() for one in found):
        raise InputError("the slopes of a spline must be finite", got="numbers near the ends of floats")
    return found


def _place(knots: np.ndarray, x: np.ndarray, degree: int) -> np.ndarray:
    """Return the number of the knot on the left of each x."""
    return np.clip(np.searchsorted(knots, x, side="right") - 1, degree, len(knots) - degree - 2)


def _bases(knots: np.ndarray, x: np.ndarray, place: np.ndarray, degree: int) -> np.ndarray:
    """Return the B-splines that are not zero at x, (samples, degree + 1), by their recursion [Boor78 X]."""
    found = np.ones((len(x), 1))
    for k in range(1, degree + 1):
        left = knots[place[:, None] + np.arange(1 - k, 1)]
        right = knots[place[:, None] + np.arange(1, k + 1)]
        part = found / (right - left)
        found = np.zeros((len(x), k + 1))
        found[:, :-1] += part * (right - x[:, None])
        found[:, 1:] += part * (x[:, None] - left)
    return found
