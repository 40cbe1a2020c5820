"""Initial postures: the first posture of a trial, and restarts of samples in a wrong minimum."""

from itertools import product

import numpy as np

from motiform.motion.postures.fit import options as fit_options
from motiform.motion.postures.fit.fitter import BLOCK, FittedPostures, Fitter
from motiform.motion.postures.fit.hidden import fill_hidden
from motiform.motion.postures.fit.limits import release
from motiform.motion.postures.fit.unwind import find_turns, unwind
from motiform.motion.tree.algorithms.kinematics import forward_kinematics
from motiform.motion.tree.model.joint import Array

__all__ = ["fit_converged", "fit_trial", "outlier_samples", "retry_lost_samples"]

_TURNS = (0.0, 0.5 * np.pi, np.pi, -0.5 * np.pi)
_TRIED = 8  # root poses from which the whole posture is looked for
_SHAKEN, _SHAKE = 12, 0.5  # other beginnings of a sample, and their standard deviation [rad]
_FAR, _TINY = 3.0, fit_options.EXACT  # a sample is suspected where its distance is so many medians, and not exact
_ROUNDS = 3
_LOST, _COLD = 0.005, 100  # [m] distance of samples that are looked for as if they were the first, and how many at most
_ALIKE, _SAME = 1.01, 1.0001  # times the least cost: as good; the same
_SMALL = 5e-7  # [m] distances that count as none
_LEAP, _ASTRAY = 0.3, 4  # [rad, m] change from sample to sample that is looked at again; samples that may be astray
_KINK, _SUDDEN = 0.02, 20.0  # [rad, m] second difference that is looked at again, and how many medians of it
_APART = 1e-3  # [m] of markers that change at the border of two blocks though nothing moves
_WIDER = 10.0  # times the scale of the robust loss, to begin with


def fit_trial(fitter: Fitter, markers: Array, q0: Array | None = None) -> FittedPostures:
    """Fit all samples of a trial, (samples, tags, 3): the best seen first, then every 64th, then all between."""
    count = len(markers)
    seen = (np.isfinite(markers).all(-1) & (fitter.weights > 0)).sum(-1)
    anchor = int(np.argmax(seen))
    first = fitter.prior if q0 is None else fitter.expand(q0[None])[0]
    begun = fitter.reduce(first[None])
    wide = fitter.robust(
        _WIDER * np.sqrt(fitter.options[fit_options.ROBUST])
    )  # far from the answer every marker is far away
    fitter.options[fit_options.ALIGN] = wide.options[fit_options.ALIGN] = (
        fit_options.EVERY if _some_unseen(fitter, begun) else fit_options.NOWHERE
    )
    anchored = _first_posture(wide, markers[anchor], begun, given=q0 is not None)
    coarse = np.unique([*range(0, count, BLOCK), anchor])
    place = int(np.searchsorted(coarse, anchor))
    order = np.concatenate([np.arange(place, len(coarse)), np.arange(place - 1, -1, -1)])
    rough = wide.fit(
        markers[coarse], np.repeat(anchored.q, 2, 0), np.array([0, len(coarse) - place, len(coarse)]), order
    )
    turns = find_turns(fitter)
    release(wide, turns, markers[coarse], rough)
    retry_lost_samples(wide, markers[coarse], rough)
    starts = np.array([*range(0, count, BLOCK), count])
    begin = rough.q[np.searchsorted(coarse, starts[:-1])]
    found = fitter.fit(markers, begin, starts, spread=True)
    unwind(fitter, turns, found)
    _join(fitter, markers, found, starts)
    retry_lost_samples(fitter, markers, found, spread=True)
    release(fitter, turns, markers, found)
    return found


def _steady(fitter: Fitter, markers: Array, found: FittedPostures) -> None:
    """Fit samples anew that leap from those before and after, and need not; in place.

    A long search goes astray along free directions: joints with such a motion, and what leaps, begin as before.
    Of the same cost, the posture nearer to both neighbours in what leaps stays, where nothing else leaps farther.
    """
    plain, tried = fitter.plain_q, np.zeros(len(found.q), bool)
    for _ in range(_ROUNDS):
        leaps = _find_jumps(found.q[:, plain])
        at = np.flatnonzero(leaps.any(1) & ~tried)
        tried[at] = True
        loose = fitter.loose_joints(found.unseen[at])
        begin = np.where(loose | ~loose.any(1, keepdims=True), found.q[at - 1], found.q[at])
        begin[:, plain] = np.where(leaps[at], found.q[at - 1][:, plain], begin[:, plain])
        gained = _nearer(fitter, markers, found, at, begin, leaps[at])
        if not _nearer(fitter, markers, found, at, found.q[at - 1], leaps[at]) and not gained:
            return


def _nearer(
    fitter: Fitter, markers: Array, found: FittedPostures, at: np.ndarray, begin: Array, leaps: np.ndarray
) -> bool:
    """Fit samples from elsewhere, and keep what has the same cost and leaps less; in place. Return whether any does."""
    plain, again = fitter.plain_q, fitter.fit(markers[at], begin, spread=True)
    ends = found.q[at - 1][:, plain], found.q[np.minimum(at + _ASTRAY, len(found.q) - 1)][:, plain]
    gone = [[np.abs(q[:, plain] - end) for end in ends] for q in (found.q[at], again.q)]
    old, new = (sum(np.where(leaps, part, 0.0).max(1, initial=0.0) for part in parts) for parts in gone)
    better = (new < 0.5 * old) & (gone[1][0].max(1, initial=0.0) <= gone[0][0].max(1, initial=0.0))
    better &= again.cost <= _SAME * found.cost[at] + found.weight[at] * _SMALL**2
    found.put(at[better], again, np.flatnonzero(better))
    return bool(better.any())


def _find_jumps(q: Array) -> np.ndarray:
    """Return which coordinates of samples (samples, coordinates) leap, or go out of their way for one sample."""
    found = np.zeros(q.shape, bool)
    found[1:] = np.abs(np.diff(q, axis=0)) > _LEAP
    if len(q) > 2:
        bend = np.abs(np.diff(q, n=2, axis=0))
        found[1:-1] |= bend > np.maximum(_KINK, _SUDDEN * np.median(bend, axis=0))
    return found


def fit_converged(
    fitter: Fitter, markers: Array, found: FittedPostures, times: Array, *, lost_only: bool = False
) -> np.ndarray:
    """Take what is hidden from neighbours in time, and give postures continuous representations; in place.

    Return what `fill_hidden` does.
    """
    turns = find_turns(fitter)
    unwind(fitter, turns, found)
    _steady(fitter, markers, found)
    drawn = fill_hidden(fitter, markers, found, times, lost_only=lost_only)
    if drawn.any():
        unwind(fitter, turns, found)
        _steady(fitter, markers, found)
    return drawn


def _join(fitter: Fitter, markers: Array, found: FittedPostures, starts: np.ndarray) -> None:
    """Fit blocks anew that do not go on where the block before has ended, though they could; in place.

    Of several blocks in a row the first alone: those after it may go on from its new end.
    """
    for _ in range(len(starts)):
        borders = starts[1:-1]
        on = fitter.fit(markers[borders], found.q[borders - 1])
        # what a coordinate changes over what a metre of its markers would change it by
        spread_q = np.sqrt(fitter.per_q(found.inverse[borders]))
        apart = (np.abs(on.q - found.q[borders]) / spread_q).max(1, initial=0.0)
        broken = apart > np.maximum(_FAR * np.nan_to_num(found.rms[borders]), _APART)
        broken &= (on.cost <= _ALIKE * found.cost[borders] + _TINY**2) & (on.status != fit_options.LOST)
        first = np.flatnonzero(broken & ~np.append(False, broken[:-1]))
        if not len(first):
            return
        at = np.concatenate([np.arange(starts[k + 1], starts[k + 2]) for k in first])
        sizes = np.append(0, np.cumsum(starts[first + 2] - starts[first + 1]))
        again = fitter.fit(markers[at], on.q[first], sizes, spread=True)
        found.put(at, again, np.arange(len(at)))


def _first_posture(fitter: Fitter, sample: Array, begin: Array, given: bool) -> FittedPostures:
    """Return the best posture of one sample: the root from many sides first, then everything."""
    guesses = begin
    if not given:
        roots = _root_poses(fitter, begin)
        held = ~np.isin(fitter.column_v, np.concatenate([fitter.figure.layout.v[n] for n in fitter.figure.roots]))
        placed = fitter.fit(np.repeat(sample[None], len(roots), 0), roots, held=held)
        guesses = placed.q[np.argsort(placed.cost, kind="stable")[:_TRIED]]
    rng = np.random.default_rng(0)
    shaken = _perturb(fitter, np.repeat(guesses[:1], _TRIED, 0), rng)
    every = np.concatenate([guesses, shaken])
    found = fitter.fit(np.repeat(sample[None], len(every), 0), every)
    found.q[:] = fitter.reduce(_wrapped(fitter, fitter.expand(found.q)))
    # several angles make one and the same turn: those nearest to the prior are taken
    away = (fitter.expand(found.q)[:, fitter.column_q[fitter.plain]] - fitter.prior[fitter.column_q[fitter.plain]]) ** 2
    away = np.where(found.cost <= _ALIKE * found.cost.min() + _TINY**2, away.sum(1), np.inf)
    return found.pick(np.array([np.argmin(away)]))


def _wrapped(fitter: Fitter, q: Array) -> Array:
    """Return configurations with angles less than half a turn from the prior."""
    out = q.copy()
    for n, segment in enumerate(fitter.figure.segments):
        at = fitter.figure.layout.q[n][list(segment.joint.turns)]
        if len(at):
            turns = np.rint((out[:, at] - fitter.prior[at]) / (2.0 * np.pi))
            out[:, at] -= 2.0 * np.pi * turns
    return out


def _some_unseen(fitter: Fitter, q: Array) -> bool:
    """Whether there are motions that all markers together do not determine; a shaken posture has no others."""
    shaken = _perturb(fitter, np.repeat(q, 4, 0), np.random.default_rng(0))
    normal, _ = fitter.normal(np.zeros((4, len(fitter.weights), 3)), shaken)
    values = np.linalg.eigvalsh(normal)
    return bool((values[:, 0] < 1e-12 * values[:, -1]).all())


def _root_poses(fitter: Fitter, begin: Array) -> Array:
    """Return configurations whose roots look to all sides, (guesses, nq)."""
    figure, full = fitter.figure, fitter.expand(begin)
    for n in fitter.figure.roots:
        joint, at = figure.segments[n].joint, figure.layout.q[n]
        if len(joint.quaternions) == 1:
            from scipy.spatial.transform import Rotation

            turns = Rotation.create_group("O").as_quat()[:, [3, 0, 1, 2]]
            full = np.repeat(full, len(turns), 0)
            k = joint.quaternions[0]
            full[:, at[k : k + 4]] = np.tile(turns, (len(full) // len(turns), 1))
        elif joint.turns:
            angles = [at[k] for k in joint.turns[:3]]
            grid = np.array(list(product(_TURNS, repeat=len(angles))))
            grid = grid[_distinct_turns(fitter, n, full[:1], angles, grid)]
            own = np.tile(full[:, angles], (len(grid), 1)) + np.repeat(grid, len(full), 0)
            full = np.tile(full, (len(grid), 1))
            full[:, angles] = own
        if len(full) > 4096:
            break
    return fitter.reduce(full)


def _distinct_turns(fitter: Fitter, n: int, q: Array, angles: list[int], grid: Array) -> np.ndarray:
    """Return which turns of a grid turn a root differently: 24 of the 64 of three angles are."""
    turned = np.repeat(q, len(grid), 0)
    turned[:, angles] += grid
    R = forward_kinematics(fitter.figure, fitter.reduce(turned)).rotation[:, n].reshape(len(grid), 9)
    return np.sort(np.unique(np.round(R, 6) + 0.0, axis=0, return_index=True)[1])


def _perturb(fitter: Fitter, q: Array, rng: np.random.Generator) -> Array:
    """Return configurations moved at random in all plain coordinates but those of the roots."""
    full = fitter.expand(q).copy()
    own = fitter.plain & ~np.isin(
        fitter.column_v, np.concatenate([fitter.figure.layout.v[n] for n in fitter.figure.roots])
    )
    at = fitter.column_q[own]
    full[:, at] += _SHAKE * rng.normal(size=(len(full), len(at)))
    full[:, at] = np.clip(full[:, at], fitter.bounds[own, 0], fitter.bounds[own, 1])
    return fitter.reduce(full)


def _best(fitter: Fitter, samples: Array, guesses: Array, spread: bool = False) -> FittedPostures:
    """Return the best fit of each sample (samples, tags, 3) from several beginnings (samples, guesses, nq).

    Of those that are equal the first.
    """
    count, many = guesses.shape[:2]
    every = fitter.fit(np.repeat(samples, many, 0), guesses.reshape(count * many, -1), spread=spread)
    cost = np.where(every.status == fit_options.LOST, np.inf, every.cost).reshape(count, many)
    least = cost.min(1, keepdims=True)
    return every.pick(
        np.arange(count) * many + np.argmax(cost <= _SAME * least + every.weight.max() * _TINY**2, axis=1)
    )


def outlier_samples(found: FittedPostures, *, unsettled: bool = True) -> np.ndarray:
    """Return whether samples are so far off that another minimum is likely, or have not settled, (samples,)."""
    rms, seen = found.rms, found.status != fit_options.LOST
    if not seen.any():
        return np.zeros(len(rms), bool)
    far = np.nan_to_num(rms) > _FAR * np.median(rms[seen]) + _TINY
    return seen & (far | (unsettled & (found.status == fit_options.UNSETTLED)))


def retry_lost_samples(fitter: Fitter, markers: Array, found: FittedPostures, *, spread: bool = False) -> None:
    """Begin samples that have strayed again, from their neighbours and from elsewhere; in place.

    The same shakes each time: results do not depend on what was fitted before.
    """
    for turn in range(_ROUNDS):
        bad = np.flatnonzero(outlier_samples(found))
        good = np.flatnonzero(~outlier_samples(found) & (found.status != fit_options.LOST))
        if not len(bad) or not len(good):
            return
        right = np.searchsorted(good, bad)
        before, after = good[np.maximum(right - 1, 0)], good[np.minimum(right, len(good) - 1)]
        rng = np.random.default_rng(turn)
        shaken = _perturb(fitter, np.repeat(found.q[bad], _SHAKEN, 0), rng).reshape(len(bad), _SHAKEN, -1)
        guesses = np.concatenate([found.q[before][:, None], found.q[after][:, None], shaken], axis=1)
        again = _best(fitter, markers[bad], guesses, spread)
        better = again.cost < 0.99 * found.cost[bad] - found.weight[bad] * _TINY**2
        if not better.any():
            break
        found.put(bad[better], again, np.flatnonzero(better))
    for sample in np.flatnonzero(outlier_samples(found, unsettled=False) & (np.nan_to_num(found.rms) > _LOST))[:_COLD]:
        cold = _first_posture(fitter, markers[sample], fitter.reduce(fitter.prior[None]), given=False)
        if cold.cost[0] < 0.99 * found.cost[sample]:
            cold = fitter.fit(markers[[sample]], cold.q, spread=spread)
            found.put(np.array([sample]), cold, np.array([0]))
