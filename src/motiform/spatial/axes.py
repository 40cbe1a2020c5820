"""Directions: unit vectors, axes across one, the rotation from y to one."""

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.spatial.checks import Array, as_floats

__all__ = ["across_axes", "rotation_y_to", "unit_vector"]


def unit_vector(vector: ArrayLike, where: str = "direction") -> Array:
    """Return a vector (3,) of any length above 0 as a unit vector.

    >>> unit_vector((0.0, 0.0, 2.0)).tolist()
    [0.0, 0.0, 1.0]
    """
    found = as_floats(vector, 3, where=where)
    size = float(np.linalg.norm(found))
    if found.shape != (3,) or not size > 0:
        raise InputError("a direction must have a length above 0", where=where, got=found.tolist())
    return found / size


def across_axes(axis: ArrayLike, where: str = "axis") -> tuple[Array, Array]:
    """Return two unit vectors across an axis, such that first × second points along it: z and x for the axis y."""
    n = unit_vector(axis, where)
    seed = np.zeros(3)
    seed[(int(np.argmax(np.abs(n))) + 1) % 3] = 1.0
    first = seed - (seed @ n) * n
    first = first / np.linalg.norm(first)
    return first, np.cross(n, first)


def rotation_y_to(direction: ArrayLike, where: str = "direction") -> Array:
    """Return the rotation (3, 3) that takes y to a direction by the shortest way, from −y if that is nearer."""
    n = unit_vector(direction, where)
    flip = np.diag((1.0, -1.0, -1.0) if n[1] < 0.0 else (1.0, 1.0, 1.0))
    up = flip[:, 1]
    v = np.cross(up, n)
    skew = np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
    turned: Array = (np.eye(3) + skew + skew @ skew / (1.0 + up @ n)) @ flip
    return turned
