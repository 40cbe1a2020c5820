"""Markers in the order of a figure's tags, and the samples for calibration: many markers, different postures."""

from itertools import combinations
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.measure.changes import measured_markers
from motiform.measure.names import Correspondence, match_names
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.record.recording import Recording

__all__ = ["choose_samples", "marker_distances", "tag_points"]

LEAST = 3  # markers of a sample: fewer tell not even where the figure is


def tag_points(
    figure: Figure, markers: Any, correspondence: Correspondence = None, where: str = "markers"
) -> tuple[Array, Array]:
    """Return points (samples, tags, 3) [m], nan where not seen, in the order of the tags, and their times [s].

    `markers` is a recording with the channel "markers", or an array already in that order, whose times are 0, 1, 2, …
    """
    if not figure.tags:
        raise InputError("a figure without tags cannot be calibrated", where=f"figure {figure.name!r}")
    if isinstance(markers, Recording):
        found, matching = measured_markers(markers), match_names(markers, figure.tag_names, correspondence)
        points = np.where((matching.indices >= 0)[None, :, None], found[:, matching.indices], np.nan)
        times = markers.time("markers")
    else:
        points, times = _as_points(figure, markers, where)
    points = np.where(np.isfinite(points).all(axis=-1, keepdims=True), points, np.nan)
    if not np.isfinite(points).any():
        raise InputError("no marker is seen in any sample", where=where, got=f"{len(points)} samples of nothing")
    return points, times


def _as_points(figure: Figure, markers: Any, where: str) -> tuple[Array, Array]:
    allowed = f"a Recording of markers, or numbers (samples, {len(figure.tags)}, 3) [m] in the order of the tags"
    try:
        points = np.array(markers, float)
    except (TypeError, ValueError):
        raise InputError(
            "markers must be a recording or an array", where=where, got=type(markers).__name__, allowed=allowed
        ) from None
    if points.ndim == 2:
        points = points[None]
    if points.ndim != 3 or points.shape[1:] != (len(figure.tags), 3) or not len(points):
        raise InputError(
            "markers must have one point for each tag", where=where, got=f"shape {points.shape}", allowed=allowed
        )
    return points, np.arange(len(points), dtype=float)


def choose_samples(points: Array, count: int) -> Array:
    """Return numbers of up to `count` samples, increasing: each next one differs most from those chosen before.

    Samples differ by the distances between their markers, which no turn or shift of the whole body changes. Samples
    with less than three quarters of the markers that others have are not chosen, nor any with less than three.
    """
    seen = np.isfinite(points[..., 0])
    enough = seen.sum(axis=1) >= max(LEAST, 0.75 * np.quantile(seen.sum(axis=1), 0.9))
    able = np.flatnonzero(enough)
    if not len(able):
        return able
    if len(able) <= count:
        return able
    able = able[:: max(1, len(able) // 4000)]  # more candidates tell no more
    shapes = marker_distances(points[able])
    first = int(np.argmin(((shapes - shapes.mean(axis=0)) ** 2).sum(axis=1)))
    chosen, apart = [first], ((shapes - shapes[first]) ** 2).sum(axis=1)
    for _ in range(count - 1):
        chosen.append(int(np.argmax(apart)))
        apart = np.minimum(apart, ((shapes - shapes[chosen[-1]]) ** 2).sum(axis=1))
    return np.asarray(np.sort(able[np.unique(chosen)]))


def marker_distances(points: Array) -> Array:
    """Return the distances between markers [m], (samples, pairs); the mean where a marker is not seen."""
    often = np.flatnonzero(np.isfinite(points[..., 0]).any(axis=0))
    pairs = list(combinations(often, 2))
    pairs = pairs[:: max(1, len(pairs) // 400)]
    a, b = (np.array([pair[k] for pair in pairs], int) for k in (0, 1))
    d = np.linalg.norm(points[:, a] - points[:, b], axis=-1)
    known = np.isfinite(d)
    mean = np.where(known, d, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return np.where(known, d, mean)
