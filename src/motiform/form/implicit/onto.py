"""Places of a surface between two that are on either side of it."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from motiform.base.errors import ShapeError
from motiform.form.implicit.cells import Ints
from motiform.spatial.checks import Array

__all__ = ["EXACT", "Net", "between", "onto_surface"]

EXACT = 1e-4  # cells: the last step of a vertex to the surface; what is left is less
_STEPS = 60  # of finding it; halving alone would take fewer


class Net(NamedTuple):
    """Triangles in cells that a surface passes: each vertex is near it, between two nodes of its cell."""

    vertices: Array
    """[m], (n, 3)"""
    faces: Ints
    ends: Array
    """The nodes inside and outside, (n, 2, 4): place [m] and value."""


def onto_surface(values: Callable[[Array], Array], points: Array, ends: Array, exact: float) -> Array:
    """Return points on the surface at which a field is 0, each between one given and its node on the other side [m].

    There is one wherever the field does not jump: points stay within their cells.
    """
    found = np.asarray(values(points))
    if not np.isfinite(found).all():
        raise ShapeError("the field must be finite", where="polygonise")
    inside = found < 0.0
    low, high = (np.where(own[:, None], points, ends[:, n, :3]) for n, own in enumerate((inside, ~inside)))
    a, b = (np.where(own, found, ends[:, n, 3]) for n, own in enumerate((inside, ~inside)))
    return between(values, low, high, a, b, exact)


def between(values: Callable[[Array], Array], low: Array, high: Array, a: Array, b: Array, exact: float) -> Array:
    """Return where a field is 0 between places inside and outside, by false position [DowellJarratt71], to `exact`."""
    low, high, a, b = low.copy(), high.copy(), a.copy(), b.copy()
    found, side, active = 0.5 * (low + high), np.zeros(len(low)), np.arange(len(low))
    for _ in range(_STEPS):
        share = np.clip(a[active] / (a[active] - b[active]), 0.01, 0.99)[:, None]
        place = low[active] + share * (high[active] - low[active])
        value = values(place)
        below = value < 0.0
        inner, outer = active[below], active[~below]
        b[inner[side[inner] < 0.0]] *= 0.5  # the other end was kept twice: it counts half
        a[outer[side[outer] > 0.0]] *= 0.5
        low[inner], a[inner], side[inner] = place[below], value[below], -1.0
        high[outer], b[outer], side[outer] = place[~below], value[~below], 1.0
        step = np.linalg.norm(place - found[active], axis=1)
        found[active] = place
        active = active[step > exact]
        if not len(active):
            break
    return found
