"""User functions: their results are checked for shape and finiteness."""

from collections.abc import Callable
from typing import Any

import numpy as np

from motiform.base.errors import InputError, MotiformError, RunError
from motiform.spatial.checks import Words

__all__ = ["call", "check_numbers"]


def call(function: Callable[..., Any], *arguments: Any, what: str, where: str) -> Any:
    """Return the result of a user function; its failures raise errors that name it."""
    try:
        return function(*arguments)
    except MotiformError:
        raise
    except Exception as error:
        raise RunError(f"{what} failed: {type(error).__name__}: {error}", where=where) from error


def check_numbers(
    answer: Any, shape: tuple[int, ...], *, what: str, where: str, allowed: str | None = None
) -> np.ndarray:
    """Return finite numbers of exactly this shape, as a new array; of one row, or one number, the axis may be missing.

    Results are not broadcast: one number in place of several is usually a mistake.
    """
    try:
        given = np.asarray(answer)
    except ValueError:  # rows of different lengths
        given = np.asarray(None)
    numbers = given.dtype.kind in "biuf"
    if not numbers or given.shape not in ((shape, shape[1:]) if shape[:1] == (1,) else (shape,)):
        big = numbers and (given.ndim > 1 or given.size > 6)
        got = Words(f"shape {given.shape}" if big else " ".join(repr(answer).split())[:80])
        allowed = allowed or f"numbers of shape {shape}"
        raise InputError(f"{what} returned a wrong value", where=where, got=got, allowed=allowed)
    found = given.astype(float).reshape(shape)
    if not np.isfinite(found).all():
        raise RunError(f"{what} returned numbers that are not finite", where=where, got=_first(found))
    return found


def _first(found: np.ndarray) -> str:
    """Return the first number that is not finite and its place."""
    at = np.argwhere(~np.isfinite(found))[0].tolist()
    return Words(f"{found[tuple(at)]}" + (f" at {at}" if at else ""))
