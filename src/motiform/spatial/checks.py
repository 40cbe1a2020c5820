"""Conversion of arguments to finite float64 arrays, or an error."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motiform.base.errors import InputError

__all__ = ["Array", "Words", "as_floats", "check_indices", "check_rotation", "check_shape", "check_turn", "generator"]

NUMBERS = "fiu"  # numpy kinds: float, int, unsigned; a bool or text is not a number
Array = NDArray[np.float64]

ROTATION_TOLERANCE = 1e-6  # entries of RᵀR − 1: a matrix printed with seven digits passes, a sheared one does not
LARGEST_TURN = 1e15  # [rad] neighbouring floats are 0.1 rad apart there


class Words(str):
    """A description of what was got, shown in an error without the quotes that a caller's own text gets."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def as_floats(
    value: ArrayLike | Any, *last: int, where: str, finite: bool = True, error: type[InputError] = InputError
) -> Array:
    """Return `value` as a float64 array whose last axes have the sizes `last`; leading axes are free."""
    try:
        raw = np.asarray(value)
    except (ValueError, TypeError, OverflowError) as problem:
        raise error(
            "the values must be an array of numbers", where=where, got=Words(_short(value)), allowed=_shape_text(last)
        ) from problem
    if raw.dtype.kind not in NUMBERS:
        raise error(
            "the values must be an array of numbers", where=where, got=Words(_short(value)), allowed=_shape_text(last)
        )
    if raw.shape[raw.ndim - len(last) :] != last or raw.ndim < len(last):
        raise error("the array has the wrong shape", where=where, got=raw.shape, allowed=_shape_text(last))
    with np.errstate(over="ignore", invalid="ignore"):
        array: Array = raw.astype(np.float64, copy=False)
    if finite and not np.isfinite(array).all():
        place = np.argwhere(~np.isfinite(array))[0].tolist()
        number = array[tuple(place)]
        raise error(f"the number at index {place} must be finite", where=where, got=number, allowed="finite numbers")
    return array


def check_shape(array: Any, shape: tuple[int, ...], key: str, where: str) -> None:
    """Refuse an array of another shape."""
    if np.shape(array) != shape:
        raise InputError(f"{key} has the wrong shape", where=where, got=np.shape(array), allowed=f"{shape}")


def check_indices(indices: Any, count: int, key: str, where: str) -> None:
    """Refuse indices of what is not there, of `count`: compiled functions check no bounds."""
    found = np.asarray(indices)
    if found.size and (found.dtype.kind not in "iu" or found.min() < 0 or found.max() >= count):
        got, allowed = f"{found.min()} to {found.max()}", f"whole numbers from 0 to {count - 1}"
        raise InputError(f"{key} is out of range", where=where, got=got, allowed=allowed)


def generator(seed: int | np.random.Generator, *further: int, where: str = "seed") -> np.random.Generator:
    """Return the generator of random numbers of a seed and of further numbers from 0; one that was given as it is."""
    if isinstance(seed, np.random.Generator):
        return seed
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError("a seed must be a whole number from 0", where=where, got=repr(seed)[:40])
    return np.random.default_rng([int(seed), *further] if further else int(seed))


def check_rotation(rotation: ArrayLike, *, where: str = "rotation", tolerance: float = ROTATION_TOLERANCE) -> Array:
    """Return (..., 3, 3) rotation matrices, or reject what is not orthogonal or mirrors."""
    R = as_floats(rotation, 3, 3, where=where)
    if R.size == 0:
        return R
    if np.abs(R).max() > 2.0:
        raise _not_orthogonal(where, float(np.abs(R).max()), tolerance)
    error = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max()
    if error > tolerance:
        raise _not_orthogonal(where, float(error), tolerance)
    if np.linalg.det(R).min() < 0:
        raise InputError(
            "the matrix must not mirror", where=where, got=Words("determinant -1"), allowed="determinant +1",
            remedy="Flip one axis.",
        )  # fmt: skip
    return R


def check_turn(vector: ArrayLike) -> Array:
    """Return rotation vectors [rad], (..., 3), or reject angles so large that no digit of the direction is left."""
    v = as_floats(vector, 3, where="rotation vector")
    if v.size and np.abs(v).max() > LARGEST_TURN:
        got = Words(f"{np.abs(v).max():.3g} rad")
        raise InputError(
            "the angle is too large", where="rotation vector", got=got, allowed=f"up to {LARGEST_TURN:g} rad"
        )
    return v


def _not_orthogonal(where: str, size: float, tolerance: float) -> InputError:
    return InputError(
        "the matrix must be a rotation", where=where, got=Words(f"|RᵀR − 1| up to {size:.3g}"),
        allowed=f"at most {tolerance:g}", remedy="Use nearest_rotation(R) if it only drifted.",
    )  # fmt: skip


def _shape_text(last: tuple[int, ...]) -> str:
    return f"numbers of shape ({', '.join(['...', *map(str, last)])})" if last else "numbers"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
