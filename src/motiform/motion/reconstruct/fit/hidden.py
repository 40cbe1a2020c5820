"""Coordinates that the markers of a sample do not tell, from the samples before and after it.

Each coordinate is the smoothest curve through the samples that give it, Σ (q − y)² / s² + Σ (q̈ / α)² + (q̇ / (α τ))²,
s its standard deviation [Eilers03]: cubic in short gaps, straight in those much longer than τ. Before the first and
after the last sample that gives it a coordinate comes to rest, q₁ + q̇₁ τ₁ (1 − exp(−t/τ₁)). Samples go there along
what their markers do not determine; the rest stays the minimum. Where the noise of markers turns a coordinate 0.3 rad
and more that is better known elsewhere, as near a gimbal lock, that curve counts as one more measurement with this
standard deviation.
"""

import numpy as np

from motiform.motion.reconstruct.fit import options as o
from motiform.motion.reconstruct.fit.fitter import Fit, Fitter
from motiform.motion.tree import advance, tags
from motiform.motion.tree.model.joint import Array

__all__ = ["fill_hidden"]

_HIDDEN = 0.05  # part of a coordinate that is not told, beyond what never is
_ACCELERATION = 50.0  # [rad/s², m/s²] α, of quick limbs
_LONG, _ENDS = 0.3, 0.05  # [s] τ, τ₁: a knee that bends at 400°/s goes on by 20° at an end, not to its limit
_LEAST = 1e-6  # [m] standard deviation of markers, where they have none
_FAINT, _STEPS = 0.3, 10  # [rad, m] standard deviation of a coordinate that is hardly told; steps to its place
_WORSE = 1.0001  # times the cost: the same minimum


def fill_hidden(fitter: Fitter, markers: Array, found: Fit, times: Array) -> bool:
    """Take coordinates that are hidden from their neighbours in time, in place; samples without markers whole.

    Return whether there are any.
    """
    lost = found.status == o.LOST
    gaps = np.asarray(np.isnan(markers[:, fitter.weights > 0]).any((1, 2)))
    hidden = (found.unseen - _never(fitter, found, gaps) > _HIDDEN) & gaps[:, None]
    hidden[lost] = True
    faint = (found.std > _FAINT) & (np.median(found.std, 0) < 0.5 * _FAINT) & ~hidden
    if len(times) < 3 or not (hidden | faint).any() or lost.all():
        return False
    aims = _between(fitter, found, hidden, faint, times)
    found.q[lost] = aims[lost]
    at = np.flatnonzero(hidden.any(1) & ~lost)
    begin = np.where(fitter.per_q(hidden[at]), aims[at], found.q[at])
    again = fitter.fit(markers[at], begin, spread=True, aims=aims[at])
    same = again.cost <= _WORSE * found.cost[at] + found.weight[at] * _LEAST**2
    found.put(at[same], again, np.flatnonzero(same))
    at = np.flatnonzero(faint.any(1) & ~lost)
    if len(at):
        _blend(fitter, markers[at], found, at, aims[at])
    return True


def _never(fitter: Fitter, found: Fit, some: np.ndarray) -> Array:
    """Return the part of each coordinate that all markers together would not tell in samples, (samples, nv)."""
    out = found.unseen.copy()
    at = np.flatnonzero(some)
    normal, _ = fitter.normal(tags(fitter.figure, found.q[at]), found.q[at])
    eye = fitter.options[o.SPREAD] * np.eye(normal.shape[-1])
    out[at] = eye[0, 0] * np.diagonal(np.linalg.inv(normal + eye), axis1=1, axis2=2)
    return out


def _blend(fitter: Fitter, markers: Array, found: Fit, at: np.ndarray, aims: Array) -> None:
    """Minimise Σ w ρ(|x − m|²) + σ² |q − aim|² / s² of some samples, s that of coordinates hardly told; in place."""
    weight = float(np.median(found.rms[found.weight > 0]) / _FAINT) ** 2
    here = np.flatnonzero(fitter.plain_q)
    columns = fitter.per_v(here)
    low, high = fitter.limits_q[here].T

    def cost(q: Array) -> Array:
        return fitter.costs(markers, q) + weight * ((q - aims)[:, here] ** 2).sum(1)

    q, least = found.q[at], cost(found.q[at])
    for _ in range(_STEPS):
        normal, gradient = fitter.normal(markers, q)
        normal[:, range(normal.shape[1]), range(normal.shape[1])] += weight
        gradient[:, columns] += weight * (q - aims)[:, here]
        step = np.clip(-np.linalg.solve(normal, gradient[..., None])[..., 0], -_FAINT, _FAINT)
        there = advance(fitter.figure, q, step)
        there[:, here] = np.clip(there[:, here], low, high)
        better = cost(there) < least
        q[better] = there[better]
        least = cost(q)
    found.q[at], found.cost[at] = q, fitter.costs(markers, q)


def _between(fitter: Fitter, found: Fit, hidden: np.ndarray, faint: np.ndarray, times: Array) -> Array:
    """Return configurations with plain coordinates that are hidden somewhere replaced by smooth ones, (samples, nq)."""
    from scipy.linalg import solveh_banded

    told = found.status != o.LOST
    variance = max(float(np.median(found.cost[told] / found.weight[told])), _LEAST**2)
    stiff = variance / _ACCELERATION**2 * _stiffness(times)
    gone, inverse, out = fitter.per_q(hidden), fitter.per_q(found.inverse), found.q.copy()
    wanted = fitter.per_q(hidden | faint).any(0) & ~gone.all(0) & fitter.plain_q
    for k in np.flatnonzero(wanted):
        weight = np.where(gone[:, k], 0.0, 1.0 / np.maximum(inverse[:, k], 1e-12))
        band = stiff.copy()
        band[0] += weight
        out[:, k] = _at_rest(solveh_banded(band, weight * found.q[:, k], lower=True), ~gone[:, k], times)
    return out


def _at_rest(curve: Array, given: np.ndarray, t: Array) -> Array:
    """Return the curve with ends that come to rest where no sample gives it any more, (samples,)."""
    first, last = np.flatnonzero(given)[[0, -1]]
    for at, inward, ends in ((first, 1, slice(None, first)), (last, -1, slice(last + 1, None))):
        if 0 <= at + inward < len(t):
            slope = (curve[at + inward] - curve[at]) / (t[at + inward] - t[at])
            gone = t[ends] - t[at]
            curve[ends] = curve[at] + slope * np.sign(gone) * _ENDS * (1 - np.exp(-np.abs(gone) / _ENDS))
    return curve


def _stiffness(t: Array) -> Array:
    """Return the matrix of Σ q̈² + (q̇ / τ)² at times t as its three diagonals at and below the main one."""
    h, band = np.diff(t), np.zeros((3, len(t)))
    a, c = (2.0 / (side * (h[:-1] + h[1:])) for side in (h[:-1], h[1:]))
    b = -(a + c)
    band[0, :-2] += a * a
    band[0, 1:-1] += b * b
    band[0, 2:] += c * c
    band[1, :-2] += a * b
    band[1, 1:-1] += b * c
    band[2, :-2] += a * c
    slope = 1.0 / (h * _LONG) ** 2
    band[0, :-1] += slope
    band[0, 1:] += slope
    band[1, :-1] -= slope
    return band
