"""Markers that have exchanged their names for a while."""

from itertools import combinations

import numpy as np

from motiform.motion.reconstruct.fit import Fit, Fitter
from motiform.motion.reconstruct.search import stray
from motiform.motion.tree import tags
from motiform.motion.tree.joint import Array
from motiform.record import Event

__all__ = ["mend_swaps"]

_SCALE = 0.03  # [m] of the robust loss that looks past markers in wrong places
_LEAST = 0.01  # [m] distance below which a swap cannot be told from noise
_BETTER = 0.25  # of the squared distances that must be left after the exchange


def mend_swaps(fitter: Fitter, markers: Array, found: Fit, times: Array, names: tuple[str | None, ...]) -> list[Event]:
    """Exchange markers whose names were swapped, fit those samples anew (in place), and return what was done."""
    suspects = np.flatnonzero(stray(found) & (found.rms > _LEAST))
    good = np.flatnonzero(~stray(found))
    if not len(suspects) or not len(good):
        return []
    nearest = good[np.argmin(np.abs(good[None] - suspects[:, None]), axis=1)]
    robust = _robust(fitter)
    posture = robust.fit(markers[suspects], found.q[nearest])
    x = tags(fitter.figure, posture.q)
    swapped: dict[tuple[int, int], list[int]] = {}
    for n, sample in enumerate(suspects):
        for pair in _exchanged(x[n], markers[sample], fitter.weights):
            i, j = pair
            markers[sample, [i, j]] = markers[sample, [j, i]]
            swapped.setdefault(pair, []).append(int(sample))
    changed = np.unique([sample for samples in swapped.values() for sample in samples]).astype(int)
    if not len(changed):
        return []
    again = fitter.fit(markers[changed], posture.q[np.searchsorted(suspects, changed)], spread=True)
    found.put(changed, again, np.arange(len(changed)))
    return [
        Event(
            float(times[part[0]]),
            f"swapped: {names[i]}, {names[j]}",
            {"until": float(times[part[-1]]), "samples": len(part)},
        )
        for (i, j), samples in swapped.items()
        for part in np.split(samples, np.flatnonzero(np.diff(samples) > 1) + 1)
    ]


def _robust(fitter: Fitter) -> Fitter:
    from copy import copy

    from motiform.motion.reconstruct import options as o

    other = copy(fitter)
    other.options = fitter.options.copy()
    other.options[o.ROBUST] = _SCALE**2
    return other


def _exchanged(x: Array, m: Array, weights: Array) -> list[tuple[int, int]]:
    """Return pairs of tags whose markers lie far better the other way round, each tag in one pair at most."""
    square = ((x[:, None] - m[None]) ** 2).sum(-1)  # tag, marker
    own = np.diag(square)
    far = np.flatnonzero((own > _LEAST**2) & (weights > 0))
    found: list[tuple[float, int, int]] = []
    for i, j in combinations(far.tolist(), 2):
        before, after = own[i] + own[j], square[i, j] + square[j, i]
        if after < _BETTER * before:
            found.append((after - before, i, j))
    taken: set[int] = set()
    pairs = []
    for _, i, j in sorted(found):
        if not taken & {i, j}:
            pairs.append((i, j))
            taken |= {i, j}
    return pairs
