"""Sums whose order is fixed: numpy's own depends on the lengths of other axes, and so on how a run is cut in blocks."""

from typing import Any

import numpy as np

__all__ = ["sum_over"]


def sum_over(values: Any, axis: int) -> np.ndarray:
    """Return the sum along an axis, one element after the other; of none it is 0.

    >>> sum_over([[1.0, 2.0], [3.0, 4.0]], -1)
    array([3., 7.])
    """
    values = np.asarray(values)
    if values.shape[axis] == 0:
        return np.asarray(values.sum(axis))
    return np.add.accumulate(values, axis=axis).take(-1, axis=axis)
