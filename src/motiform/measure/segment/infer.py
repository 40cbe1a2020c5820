"""Slices inferred between those of a scanner."""

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from motiform.base.errors import InputError
from motiform.geometry.maps import Grid
from motiform.measure.segment.splines import smooth_planes
from motiform.measure.volume.volume import Labels
from motiform.spatial.checks import Words

__all__ = ["infer_slices"]

Way = Literal["distance", "spline"]
_MARGIN = 4  # pixels around a bone


def infer_slices(labels: Labels, between: int = 3, *, by: Way = "distance", rho: float = 1e-2) -> Labels:
    """Return labels with so many more slices between each two of the third axis: three make 0.25 mm of 1 mm.

    A bone that ends between two slices ends about half-way.

    Parameters
    ----------
    by : "distance": the signed distance to the border in the slice, linear between slices, and zero on the new border
        [RayaUdupa90]; slices that are there are kept. "spline": filled contours, 1 inside and 0 outside, smoothed in
        the slice with `rho` and interpolated by a cubic spline between slices; bone is where it is above ½
        [Perez94 5.3.1].
    rho : of "spline": how near the values are kept [1/pixel⁶] (`smoothing_spline`); with 0.01, ripples of 8 pixels
        at 45° to the axes are halved.
    """
    if not isinstance(labels, Labels):
        got = Words(type(labels).__name__)
        raise InputError("labels must be Labels", where="infer_slices", got=got, allowed="Labels")
    if isinstance(between, bool) or not isinstance(between, int | np.integer) or between < 1:
        raise InputError("slices between must be a number of them", got=between, allowed="1 or more")
    if by not in get_args(Way):
        raise InputError("the way to infer slices must be a known one", got=by, allowed=", ".join(get_args(Way)))
    old, parts = labels.grid, int(between) + 1
    grid = Grid((*old.shape[:2], (old.shape[2] - 1) * parts + 1), old.spacing / [1, 1, parts], old.origin, old.axes)
    values = np.zeros(grid.shape, np.int32)
    best = np.zeros(grid.shape, np.float32)
    for number in labels.names:
        _add(values, best, labels, number, parts, by, rho)
    return Labels(values, grid, labels.names, labels.side, labels.notes)


def _add(
    values: NDArray[np.int32], best: NDArray[np.float32], labels: Labels, number: int, parts: int, by: Way, rho: float
) -> None:
    """Write a bone where its field is above zero and above those of the bones before."""
    mask = labels.values == number
    where = [np.flatnonzero(mask.any(axis=tuple(k for k in range(3) if k != axis))) for axis in range(3)]
    low = [max(0, w[0] - m) for w, m in zip(where, (_MARGIN, _MARGIN, 1), strict=True)]
    high = [min(n, w[-1] + 1 + m) for n, w, m in zip(mask.shape, where, (_MARGIN, _MARGIN, 1), strict=True)]
    own = mask[tuple(slice(a, b) for a, b in zip(low, high, strict=True))]
    room = [(_MARGIN, _MARGIN), (_MARGIN, _MARGIN), (0, 0)]  # a bone cut by the volume ends at its border
    own = np.pad(own, room)
    field = _distances(own, labels.grid, parts) if by == "distance" else _indicator(own, parts, rho)
    field = field[_MARGIN:-_MARGIN, _MARGIN:-_MARGIN].astype(np.float32)
    box = (slice(low[0], high[0]), slice(low[1], high[1]), slice(low[2] * parts, (high[2] - 1) * parts + 1))
    better = field > best[box]
    values[box][better] = number
    best[box][better] = field[better]


def _distances(mask: NDArray[np.bool_], grid: Grid, parts: int) -> Any:
    """Return signed distances to the border in the slice [m], above zero inside, linear between slices."""
    from scipy.ndimage import distance_transform_edt

    h, slices = grid.spacing[:2], np.empty(mask.shape)
    for k in range(mask.shape[2]):
        one = mask[..., k]
        if one.any():
            slices[..., k] = distance_transform_edt(one, h) - distance_transform_edt(~one, h)
            slices[..., k] -= np.sign(slices[..., k]) * 0.5 * h.min()
    full: list[bool] = [bool(one.any()) for one in np.moveaxis(mask, 2, 0)]
    for k in range(len(full)):
        if full[k]:
            continue
        beside = [j for j in (k - 1, k + 1) if 0 <= j < len(full) and full[j]]
        # A cone to ¾ of the way has the volume of a round end half-way.
        slices[..., k] = -max([slices[..., j].max() for j in beside], default=0.0) / 3.0
    return _between(slices, parts, 1)


def _indicator(mask: NDArray[np.bool_], parts: int, rho: float) -> Any:
    """Return the smoothed indicator less ½, by a cubic spline between slices."""
    slices = smooth_planes(np.moveaxis(mask, 2, 0).astype(float), rho, 1.0)
    return _between(np.moveaxis(slices, 0, 2) - 0.5, parts, 3)


def _between(slices: Any, parts: int, order: int) -> Any:
    """Return values of a spline of that order between slices, which go on as they end."""
    from scipy.interpolate import make_interp_spline

    count = slices.shape[2]
    new = np.arange((count - 1) * parts + 1) / parts
    held = np.pad(slices, [(0, 0), (0, 0), (order, order)], mode="edge")
    return make_interp_spline(np.arange(-order, count + order), held, k=order, axis=2)(new)
