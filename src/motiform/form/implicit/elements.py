"""Elements of implicit surfaces as numbers: corners, metrics, exponents, and how far each reaches."""

from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.form.implicit import columns
from motiform.spatial.checks import Array
from motiform.spatial.quaternion import rotation_from_quaternion

__all__ = ["MOST_EXPONENT", "check_corners", "check_exponent", "check_metric", "half_extents", "shaped_columns"]

MOST_EXPONENT = 64.0
"""Of an element: beyond it a superellipsoid is a box, but for rounding."""


def check_corners(*given: Any) -> list[Array]:
    """Return the corners of elements [m], (n, 3) each; a corner that is not given is the one before it."""
    corners = [np.asarray(given[0], float)]
    for corner in given[1:]:
        corners.append(corners[-1] if corner is None else np.asarray(corner, float))
    shape = corners[0].shape
    if len(shape) != 2 or shape[1] != 3 or not shape[0] or any(corner.shape != shape for corner in corners):
        got = " and ".join(str(corner.shape) for corner in corners[: 1 + sum(one is not None for one in given[1:])])
        raise InputError("ends of elements must be of one shape (n, 3)", where="Implicit", got=got)
    if not all(np.isfinite(corner).all() for corner in corners):
        raise InputError("ends of elements must be finite", where="Implicit")
    return corners


def check_metric(radii: Any, turn: Any, count: int) -> Array:
    """Return the metrics of elements, (n, 3, 3): rows are their axes in the world, each divided by its radius."""
    sizes, turns = (np.asarray(given, float) for given in (radii, turn))
    if sizes.shape not in ((3,), (count, 3)) or not (np.isfinite(sizes).all() and (sizes > 0.0).all()):
        got = np.round(sizes.reshape(-1, sizes.shape[-1] if sizes.ndim else 1)[:1], 6)
        allowed = f"(3,) or ({count}, 3)"
        raise InputError(
            "`radii` must be above 0 m, three or three for each element", where="Implicit", got=got, allowed=allowed
        )
    if not (turns.shape in ((4,), (count, 4)) and np.isfinite(turns).all() and turns.any(axis=-1).all()):
        shape, fits = f"shape {turns.shape}", f"(4,) or ({count}, 4), not all 0"
        raise InputError("`turn` must be a quaternion (w, x, y, z)", where="Implicit", got=shape, allowed=fits)
    axes = np.swapaxes(rotation_from_quaternion(turns), -1, -2)
    return np.array(np.broadcast_to(axes / sizes[..., :, None], (count, 3, 3)))


def check_exponent(exponent: Any, corners: list[Array]) -> Array:
    """Return the exponents of elements, (n,)."""
    given = np.asarray(exponent, float)
    if given.shape not in ((), (len(corners[0]),)) or not ((given >= 2.0) & (given <= MOST_EXPONENT)).all():
        allowed = f"from 2 to {MOST_EXPONENT:g}"
        raise InputError(
            "`exponent` must be 2 or more, one or one for each", where="Implicit", got=given, allowed=allowed
        )
    found = np.array(np.broadcast_to(given, len(corners[0])))
    long = np.any([(corner != corners[0]).any(axis=1) for corner in corners[1:]], axis=0)
    if (found[long] != 2.0).any():
        raise InputError("an exponent other than 2 must go with a point", where="Implicit", got=found[long].max())
    return found


def half_extents(metric: Array, exponent: Array, reach: Array) -> Array:
    """Return half the edges of the boxes around {x: Σ |(A x)ᵢ|^e ≤ reach^e} [m], (n, 3).

    A plane across the unit vector n touches it at reach ‖A⁻ᵀ n‖_q, with 1/e + 1/q = 1.
    """
    dual = (exponent / (exponent - 1.0))[:, None, None]
    rows = np.abs(np.linalg.inv(metric)) ** dual
    return np.asarray(reach[:, None] * rows.sum(axis=2) ** (1.0 / dual[..., 0]))


def shaped_columns(elements: Array, corners: list[Array], metric: Array, exponent: Array, kind: int) -> Array:
    """Return the wide columns of elements, see `columns`, from the plain ones."""
    wide = np.zeros((len(elements), columns.WIDE))
    wide[:, : columns.WIDTH] = elements
    arms = np.stack(corners[1:], axis=1) - corners[0][:, None]
    wide[:, columns.ARMS : columns.ARMS + 9] = (arms @ np.swapaxes(metric, 1, 2)).reshape(-1, 9)
    wide[:, columns.METRIC : columns.METRIC + 9] = metric.reshape(-1, 9)
    wide[:, columns.EXPONENT] = exponent
    apart = np.stack([(arms[:, n] != (arms[:, n - 1] if n else 0.0)).any(axis=1) for n in range(3)], axis=1)
    wide[:, columns.CORNERS] = 1 + np.where(apart, np.arange(1, 4), 0).max(axis=1)
    if kind == columns.WYVILL:
        wide[:, columns.SIZE] **= 0.5 * exponent
    return wide
