"""Which voxels are bone: two thresholds with growth from the high one to the low one, and holes filled."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from motiform.base.errors import InputError
from motiform.measure.volume.volume import Volume
from motiform.spatial.checks import Words

__all__ = ["choose_thresholds", "fill_holes", "grow"]

Mask = NDArray[np.bool_]
HIGH, LOW = 500.0, 250.0  # [HU] cortical bone; bone of any kind, above soft tissue, its noise and its blurred border
_TOUCHING = np.ones((3, 3, 3), bool)


def choose_thresholds(volume: Volume, low: float | None, high: float | None) -> tuple[float, float, str]:
    """Return both thresholds and how they were chosen, for the notes.

    Values down to −200 and less are taken for Hounsfield units. Others are split in two classes of least variance
    [Otsu79]: the border is the high threshold, half-way from it to the mean of the dark class the low one.
    """
    if low is not None and high is not None:
        if not low <= high:
            raise InputError("the low threshold must not be above the high one", got=Words(f"{low:g} and {high:g}"))
        return float(low), float(high), f"thresholds {low:g} and {high:g}, as given"
    if volume.values.min() <= -200:
        known, why = (LOW, HIGH), "values are taken for Hounsfield units"
    else:
        border, dark = _otsu(volume.values)
        known, why = (0.5 * (border + dark), border), "values are no Hounsfield units: by their two classes"
    a, b = known[0] if low is None else float(low), known[1] if high is None else float(high)
    a, b = min(a, b) if low is None else a, max(a, b) if high is None else b
    return a, b, f"thresholds {a:.4g} and {b:.4g}: {why}"


def _otsu(values: Any) -> tuple[float, float]:
    """Return the border of two classes and the mean of the darker one."""
    counts, edges = np.histogram(values, 1024)
    middle = 0.5 * (edges[1:] + edges[:-1])
    below, above = np.cumsum(counts), counts.sum() - np.cumsum(counts)
    total = np.cumsum(counts * middle)
    with np.errstate(divide="ignore", invalid="ignore"):
        dark, light = total / below, (total[-1] - total) / above
        between = np.where((below > 0) & (above > 0), below * above * (dark - light) ** 2.0, -1)
    n = int(between.argmax())
    if between[n] <= 0:
        raise InputError("the volume has one value only: there is nothing to segment", got=float(values.flat[0]))
    return float(edges[n + 1]), float(dark[n])


def grow(values: Any, low: float, high: float) -> Mask:
    """Return the voxels above `low` that are connected to one above `high`."""
    from scipy.ndimage import label

    pieces, count = label(values > low, _TOUCHING)
    kept = np.zeros(count + 1, bool)
    kept[pieces[values > high]] = True
    kept[0] = False
    return kept[pieces]


def fill_holes(mask: Mask) -> Mask:
    """Return the mask with closed holes filled; where a bone is cut by the volume's border, in that face too."""
    from scipy.ndimage import binary_fill_holes

    filled = mask.copy()
    for axis in range(3):
        for end in (0, -1):
            face = np.moveaxis(filled, axis, 0)[end]  # a view
            face[...] = binary_fill_holes(face)
    # Air around the body must stay reachable: the faces are open where they hold no bone.
    return np.asarray(binary_fill_holes(np.pad(filled, 1))[1:-1, 1:-1, 1:-1] if not filled.all() else filled)
