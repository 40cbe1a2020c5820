"""Input checks of geometry: lengths, points, masses."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import ShapeError
from motiform.spatial.checks import Array, Words, as_floats

__all__ = [
    "LONGEST", "SHORTEST", "check_amount", "check_length", "check_lengths", "check_one_amount", "check_point",
    "check_points", "read_only",
]  # fmt: skip

# [m] Lengths enter inertias in the fifth power: within these bounds nothing over- or underflows in float64.
SHORTEST, LONGEST = 1e-30, 1e30
LEAST, MOST = 1e-100, 1e100  # the same for masses [kg] and densities [kg/m³]


def check_length(value: Any, where: str) -> float:
    """Return a length [m] above zero."""
    return _lengths(value, (), where).item()


def check_lengths(value: Any, where: str) -> tuple[float, float, float]:
    """Return three lengths [m] above zero."""
    x, y, z = _lengths(value, (3,), where).tolist()
    return x, y, z


def _lengths(value: Any, shape: tuple[int, ...], where: str) -> Array:
    array = as_floats(value, *shape, where=where, error=ShapeError)
    if array.shape != shape:
        allowed = "three numbers" if shape else "one number"
        raise ShapeError("the array has the wrong shape", where=where, got=array.shape, allowed=allowed)
    if not ((array >= SHORTEST) & (array <= LONGEST)).all():
        allowed = f"above zero, from {SHORTEST:g} to {LONGEST:g} m"
        raise ShapeError("a length must be positive", where=where, got=array.tolist(), allowed=allowed)
    return array


def check_points(value: ArrayLike | Any, where: str) -> Array:
    """Return points [m] as a read-only (n, 3) copy; at least one."""
    points = as_floats(value, 3, where=where, error=ShapeError)
    if points.ndim != 2 or len(points) == 0:
        raise ShapeError(
            "the array has the wrong shape", where=where, got=points.shape, allowed="(n, 3) with n of at least 1"
        )
    size = np.abs(points).max()
    if size > LONGEST:
        raise ShapeError("a point is too far away", where=where, got=size, allowed=f"coordinates up to {LONGEST:g} m")
    return read_only(points)


def check_point(value: ArrayLike | Any, where: str) -> Array:
    """Return one point [m] as a read-only (3,) copy."""
    point = as_floats(value, 3, where=where, error=ShapeError)
    if point.shape != (3,):
        raise ShapeError("the array has the wrong shape", where=where, got=point.shape, allowed="(3,)")
    return check_points(point[None], where)[0]


def check_amount(value: Any, where: str, unit: str) -> float:
    """Return a mass or density above zero."""
    number = as_floats(value, where=where, error=ShapeError, finite=False)
    if number.ndim != 0 or not LEAST <= number <= MOST:
        got = number.item() if number.ndim == 0 else Words(f"shape {number.shape}")
        raise ShapeError(f"{where} must be positive", got=got, allowed=f"above zero, from {LEAST:g} to {MOST:g} {unit}")
    return number.item()


def check_one_amount(density: Any, mass: Any, where: str) -> tuple[float | None, float | None]:
    """Return (density [kg/m³], mass [kg]) of which exactly one is given."""
    if (density is None) == (mass is None):
        got = Words("neither" if density is None else "both")
        raise ShapeError("give either density= or mass=", where=where, got=got, allowed="exactly one of them")
    if mass is None:
        return check_amount(density, "density", "kg/m³"), None
    return None, check_amount(mass, "mass", "kg")


def read_only(array: Any) -> Any:
    """Return a read-only copy."""
    copy = np.array(array, order="C")
    copy.flags.writeable = False
    return copy
