"""Cubic splines through given numbers, whose slopes must be finite."""

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from motiform.base.errors import InputError

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline

__all__ = ["cubic_spline"]


def cubic_spline(at: ArrayLike, values: ArrayLike, ends: Any = "not-a-knot") -> "CubicSpline":
    """Return SciPy's spline; numbers near the ends of floats, whose slopes are none, are refused."""
    import numpy as np
    from scipy.interpolate import CubicSpline

    try:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            found = CubicSpline(at, values, bc_type=ends)
    except ValueError as error:
        raise InputError("the slopes of a spline must be finite", got=str(error)) from error
    if not np.isfinite(found.c).all():
        raise InputError("the slopes of a spline must be finite", got="numbers near the ends of floats")
    return found
