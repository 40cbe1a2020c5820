"""Limits of joints: samples that a limit has stopped on the way, and samples that one holds."""

import numpy as np

from motiform.measure.gaps import runs
from motiform.motion.postures.fit import options as fit_options
from motiform.motion.postures.fit.fitter import FittedPostures, Fitter
from motiform.motion.postures.fit.unwind import Turns, wrap_inside_limits
from motiform.motion.tree.model.joint import Array
from motiform.record import Event

__all__ = ["at_limits", "limit_events", "release"]

_AT = 1e-9  # [rad, m] from a limit: at it
_WORTH = 0.8  # of the cost that is left without limits: there may be more to gain within them
_BETTER = 0.99
_ABOVE = 2.0  # times the distance of samples nearby that no limit holds
_JOINED = 5  # samples off a limit that do not end a stretch at it


def at_limits(fitter: Fitter, q: Array) -> np.ndarray:
    """Return which columns are at a limit, (samples, columns); a coordinate that cannot move is not."""
    own = fitter.expand(q)[:, fitter.column_q]
    low, high = fitter.bounds[:, :2].T
    return np.asarray(((own <= low + _AT) | (own >= high - _AT)) & (high > low) & fitter.plain)


def release(fitter: Fitter, turns: list[Turns], markers: Array, found: FittedPostures) -> None:
    """Fit samples at a limit once more, from where they go without limits and from samples nearby; in place.

    A limit is a wall in the middle of a search: beyond it the same posture may have other angles within.
    """
    if not np.isfinite(fitter.bounds[:, :2]).any():
        return
    free, fitted = fitter.unlimited(), found.status != fit_options.LOST
    held = at_limits(fitter, found.q).any(1) & fitted
    at = np.flatnonzero(held)
    _retry_samples(fitter, markers, found, at, _inside(fitter, turns, free.fit(markers[at], found.q[at]), found, at))
    at, off = np.flatnonzero(held), np.flatnonzero(fitted & ~held)
    if not len(off) or not len(at):
        return
    right = np.searchsorted(off, at)
    for near in (off[np.maximum(right - 1, 0)], off[np.minimum(right, len(off) - 1)]):
        above = found.rms[at] > _ABOVE * found.rms[near] + _AT
        _retry_samples(fitter, markers, found, at[above], found.q[near[above]])
        beyond = free.fit(markers[at[above]], found.q[near[above]])
        _retry_samples(fitter, markers, found, at[above], wrap_inside_limits(fitter, turns, beyond.q))


def _inside(fitter: Fitter, turns: list[Turns], beyond: FittedPostures, found: FittedPostures, at: np.ndarray) -> Array:
    """Return where to begin: the same posture within the limits, or as near to it as they allow."""
    worth = beyond.cost < _WORTH * found.cost[at]
    return np.where(worth[:, None], wrap_inside_limits(fitter, turns, beyond.q), found.q[at])


def _retry_samples(fitter: Fitter, markers: Array, found: FittedPostures, at: np.ndarray, begin: Array) -> None:
    """Begin samples elsewhere, and keep what is better; in place."""
    new = (begin != found.q[at]).any(1)
    at, begin = at[new], begin[new]
    if not len(at):
        return
    again = fitter.fit(markers[at], begin, spread=True)
    better = again.cost < _BETTER * found.cost[at]
    found.put(at[better], again, np.flatnonzero(better))


def limit_events(fitter: Fitter, found: FittedPostures, times: Array) -> list[Event]:
    """Return an event for each stretch in which a coordinate is at a limit."""
    events, names = [], fitter.figure.layout.names
    held = at_limits(fitter, found.q) & (found.status != fit_options.LOST)[:, None]
    own = fitter.expand(found.q)[:, fitter.column_q]
    for k in np.flatnonzero(held.any(0)):
        mask = held[:, k].copy()
        for first, end in runs(~mask):
            if first > 0 and end < len(mask) and end - first < _JOINED:
                mask[first:end] = True
        for first, end in runs(mask):
            detail = {
                "until": float(times[end - 1]), "samples": int(held[first:end, k].sum()), "limit": float(own[first, k]),
            }  # fmt: skip
            events.append(Event(float(times[first]), f"at its limit: {names[fitter.column_v[k]]}", detail))
    return events
