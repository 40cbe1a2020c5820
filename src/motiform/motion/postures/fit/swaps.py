"""Markers that have exchanged their names for a while, and markers that are elsewhere for a while.

Both are claims about the cameras, so that the model's misfit is no evidence. Each marker has a usual place in its
segment, the median over the trial, from which its distance is taken; and what is mended begins or ends with a jump of
the marker itself, relative to its segment, in one sample.
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np

from motiform.measure.gaps import runs
from motiform.motion.postures.fit.fitter import FittedPostures, Fitter
from motiform.motion.postures.fit.search import outlier_samples, retry_lost_samples
from motiform.motion.tree import forward_kinematics
from motiform.motion.tree.model.joint import Array
from motiform.record import Event

__all__ = ["Mended", "mend_swaps", "swap_events"]

_SCALE = 0.03  # [m] of the robust loss that looks past markers in wrong places
_LEAST = 0.01  # [m] distance below which a swap cannot be told from noise
_BETTER = 0.25  # of the squared distances that must be left after the exchange
_NOWHERE, _FAR = 0.05, 10.0  # [m], and of the usual distance: a marker farther from its usual place is elsewhere
_SOME = 0.25  # of all tags: where more are lost the posture is wrong, not the markers
_LONG = 25  # samples of a gap over which a jump is looked for
_JUMP = 0.5  # of the distance to be explained, that the marker must go in one sample


class Mended(NamedTuple):
    """Markers that were changed over some samples."""

    kind: str
    """"swapped" or "left out"."""
    tags: tuple[int, ...]
    """Numbers of their tags."""
    samples: np.ndarray


def mend_swaps(fitter: Fitter, markers: Array, found: FittedPostures) -> list[Mended]:
    """Exchange swapped markers and leave out those that are elsewhere, in place. Return the changes.

    Suspected samples are fitted with a robust loss, which looks past markers in wrong places.
    """
    astray = outlier_samples(found)
    if not astray.any() and not _some_stray(fitter, markers, found.q):
        return []
    usual = _usual_places(fitter, markers, found.q[~astray], ~astray)
    far, away = _far(fitter, markers, _places(fitter, found.q, usual))
    suspected = (astray & (found.rms > _LEAST)) | (np.nan_to_num(away) > far).any(1)
    good = np.flatnonzero(~suspected)
    if not suspected.any() or not len(good):
        return []
    order = np.arange(len(markers))
    right = np.searchsorted(good, order)
    ends = good[np.maximum(right - 1, 0)], good[np.minimum(right, len(good) - 1)]  # itself, where it is good
    begin = found.q[np.where(np.abs(ends[0] - order) < np.abs(ends[1] - order), *ends)]
    posture = fitter.robust(_SCALE).fit(markers, begin)  # of all samples: one kind of posture tells what jumps
    usual = _usual_places(fitter, markers, posture.q[~suspected], ~suspected)
    places = _places(fitter, posture.q, usual)
    far, away = _far(fitter, markers, places)
    suspects = np.flatnonzero(suspected)
    done = _swapped(fitter, markers, places, suspects)
    done += _elsewhere(fitter, markers, places, suspects, far)
    changed = np.unique(np.concatenate([one.samples for one in done])) if done else suspects[:0]
    if len(changed):
        again = fitter.fit(markers[changed], posture.q[changed], spread=True)
        found.put(changed, again, np.arange(len(changed)))
        retry_lost_samples(fitter, markers, found, spread=True)
    return done


def swap_events(done: list[Mended], times: Array, names: tuple[str | None, ...]) -> list[Event]:
    """Return an event for each change."""
    return [
        Event(
            float(times[one.samples[0]]),
            f"{one.kind}: {', '.join(str(names[k]) for k in one.tags)}",
            {"until": float(times[one.samples[-1]]), "samples": len(one.samples)},
        )
        for one in done
    ]


# ---------------------------------------------------------------- where markers are expected
def _usual_places(fitter: Fitter, markers: Array, q: Array, good: np.ndarray) -> Array:
    """Return the median place of each marker in its segment's axes [m], (tags, 3), over good samples at postures q."""
    own = _in_segments(fitter, markers[good], q)
    usual = np.array(fitter.figure.packed.tag_points, float)
    seen = np.isfinite(own[..., 0])
    for k in np.flatnonzero(seen.any(0)):
        usual[k] = np.median(own[seen[:, k], k], axis=0)
    return usual


def _in_segments(fitter: Fitter, markers: Array, q: Array) -> Array:
    """Return markers in the axes of their segments [m], (samples, tags, 3)."""
    at = fitter.figure.packed.tags
    R, p = forward_kinematics(fitter.figure, q)
    return np.asarray(np.einsum("tkji,tkj->tki", R[:, at], markers - p[:, at]))


def _some_stray(fitter: Fitter, markers: Array, q: Array) -> bool:
    """Whether a marker can be elsewhere at all: its median place is within the range of all places that it has."""
    own = _in_segments(fitter, markers, q)[:, fitter.weights > 0]
    ranges = np.fmax.reduce(own, axis=0) - np.fmin.reduce(own, axis=0)
    return bool((np.linalg.norm(ranges, axis=-1) > _NOWHERE).any())


def _far(fitter: Fitter, markers: Array, places: Array) -> tuple[float, Array]:
    """Return from which distance on a marker is elsewhere, and the distance of each from its place, (samples, tags)."""
    away = np.where(fitter.weights > 0, np.linalg.norm(places - markers, axis=-1), np.nan)
    usual = float(np.nanmedian(away)) if np.isfinite(away).any() else 0.0
    return max(_FAR * usual, _NOWHERE), away


def _places(fitter: Fitter, q: Array, usual: Array) -> Array:
    """Return where markers with these places in their segments would be, (samples, tags, 3)."""
    at = fitter.figure.packed.tags
    R, p = forward_kinematics(fitter.figure, q)
    return (R[:, at] @ usual[:, :, None])[..., 0] + p[:, at]


def _jumps(markers: Array, places: Array, k: int, first: int, end: int, least: Array) -> bool:
    """Whether marker k jumps into samples first … end − 1 or out of them by a part of `least`, and does not glide.

    It jumps relative to its place, and by itself: against where it was going. After a gap the first alone can be told.
    """
    points, off = markers[:, k], markers[:, k] - places[:, k]
    seen, score = np.asarray(np.isfinite(off).all(-1)), 0.0
    for inside, way in ((first, -1), (end - 1, 1)):
        beyond = [n for n in range(inside + way, inside + way * _LONG, way) if 0 <= n < len(seen) and seen[n]]
        if not beyond:
            continue
        there, near = beyond[0], beyond[0] == inside + way
        leap = np.linalg.norm(off[inside] - off[there])
        if near:
            on = points[there] - points[there + way] if len(beyond) > 1 and beyond[1] == there + way else 0.0
            leap = min(leap, np.linalg.norm(points[inside] - points[there] - on))
        score += (1.0 if near else 0.5) if leap > _JUMP * least[inside - first] else -1.0
    return score > 0.0


# ---------------------------------------------------------------- exchanges
def _swapped(fitter: Fitter, markers: Array, places: Array, suspects: np.ndarray) -> list[Mended]:
    """Exchange markers that lie far better the other way round, where both have jumped; in place."""
    at: dict[tuple[int, int], list[int]] = {}
    for sample in suspects:
        for i, j in _exchanged(places[sample], markers[sample], fitter.weights):
            at.setdefault((min(i, j), max(i, j)), []).append(int(sample))
    done = []
    for (i, j), samples in at.items():
        mask = np.zeros(len(markers), bool)
        mask[samples] = True
        for first, end in runs(mask):
            apart = np.linalg.norm(places[first:end, i] - places[first:end, j], axis=-1)
            if all(_jumps(markers, places, k, first, end, apart) for k in (i, j) if _some(markers[first:end, k])):
                markers[first:end, [i, j]] = markers[first:end, [j, i]]
                done.append(Mended("swapped", (i, j), np.arange(first, end)))
    return done


def _some(points: Array) -> bool:
    return bool(np.isfinite(points).all(-1).any())


def _exchanged(x: Array, m: Array, weights: Array) -> list[tuple[int, int]]:
    """Return pairs of tags whose markers lie far better the other way round, each tag in one pair at most."""
    square = ((x[:, None] - m[None]) ** 2).sum(-1)  # tag, marker
    own = np.diag(square)
    far = np.flatnonzero((own > _LEAST**2) & (weights > 0))
    hidden = np.flatnonzero(np.isnan(own) & (weights > 0))
    found: list[tuple[float, int, int]] = []
    for i, j in combinations(far.tolist(), 2):
        before, after = own[i] + own[j], square[i, j] + square[j, i]
        if after < _BETTER * before:
            found.append((after - before, i, j))
    for i in far.tolist():  # of two that were swapped one may be hidden
        for j in hidden.tolist():
            if square[j, i] < min(_BETTER * own[i], _SCALE**2):
                found.append((square[j, i] - own[i], i, j))
    taken: set[int] = set()
    pairs = []
    for _, i, j in sorted(found):
        if not taken & {i, j}:
            pairs.append((i, j))
            taken |= {i, j}
    return pairs


# ---------------------------------------------------------------- strays
def _elsewhere(fitter: Fitter, markers: Array, places: Array, suspects: np.ndarray, far: float) -> list[Mended]:
    """Leave out markers that have jumped away from their usual places; in place."""
    off = np.zeros(markers.shape[:2], bool)
    off[suspects] = np.linalg.norm(markers[suspects] - places[suspects], axis=-1) > far
    off &= fitter.weights > 0
    off[off.sum(1) > _SOME * len(fitter.weights)] = False
    done, before = [], markers.copy()
    for k in np.flatnonzero(off.any(0)):
        for first, end in runs(off[:, k]):
            least = np.linalg.norm(before[first:end, k] - places[first:end, k], axis=-1)
            if _jumps(before, places, int(k), first, end, least):
                markers[first:end, k] = np.nan
                done.append(Mended("left out", (int(k),), np.arange(first, end)))
    return done
