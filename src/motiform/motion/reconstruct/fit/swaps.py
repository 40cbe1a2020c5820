"""Temporarily swapped markers."""

from itertools import combinations

import numpy as np

from motiform.motion.reconstruct.fit.fitter import Fit, Fitter
from motiform.motion.reconstruct.fit.search import rescue, stray
from motiform.motion.tree import tags
from motiform.motion.tree.model.joint import Array
from motiform.record import Event

__all__ = ["mend_swaps"]

_SCALE = 0.03  # [m] of the robust loss that looks past markers in wrong places
_LEAST = 0.01  # [m] distance below which a swap cannot be told from noise
_BETTER = 0.25  # of the squared distances that must be left after the exchange
_NOWHERE, _FAR = 0.05, 10.0  # [m], and of the usual distance: a marker farther from its tag is no marker of it
_SOME = 0.25  # of all tags: where more are lost the posture is wrong, not the markers


def mend_swaps(fitter: Fitter, markers: Array, found: Fit, times: Array, names: tuple[str | None, ...]) -> list[Event]:
    """Exchange swapped markers and remove outliers, in place. Return the changes.

    Suspected samples are fitted with a robust loss, which looks past markers in wrong places.
    """
    away = np.linalg.norm(tags(fitter.figure, found.q) - markers, axis=-1)[:, fitter.weights > 0]
    usual = _FAR * np.nanmedian(away)
    suspected = (stray(found) & (found.rms > _LEAST)) | (np.nan_to_num(away) > max(usual, _NOWHERE)).any(1)
    suspects, good = np.flatnonzero(suspected), np.flatnonzero(~suspected)
    if not len(suspects) or not len(good):
        return []
    nearest = good[np.argmin(np.abs(good[None] - suspects[:, None]), axis=1)]
    posture = fitter.robust(_SCALE).fit(markers[suspects], found.q[nearest])
    x = tags(fitter.figure, posture.q)
    done: dict[str, list[int]] = {}
    for n, sample in enumerate(suspects):
        for i, j in _exchanged(x[n], markers[sample], fitter.weights):
            markers[sample, [i, j]] = markers[sample, [j, i]]
            done.setdefault(f"swapped: {names[min(i, j)]}, {names[max(i, j)]}", []).append(int(sample))
        lost = np.linalg.norm(x[n] - markers[sample], axis=-1) > max(usual, _NOWHERE)
        for i in np.flatnonzero(lost & (fitter.weights > 0)).tolist() if lost.sum() <= _SOME * len(lost) else ():
            markers[sample, i] = np.nan
            done.setdefault(f"left out: {names[i]}", []).append(int(sample))
    changed = np.unique([sample for samples in done.values() for sample in samples]).astype(int)
    if not len(changed):
        return []
    again = fitter.fit(markers[changed], posture.q[np.searchsorted(suspects, changed)], spread=True)
    found.put(changed, again, np.arange(len(changed)))
    rescue(fitter, markers, found, spread=True)
    return [
        Event(float(times[part[0]]), name, {"until": float(times[part[-1]]), "samples": len(part)})
        for name, samples in done.items()
        for part in np.split(samples, np.flatnonzero(np.diff(samples) > 1) + 1)
    ]


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
