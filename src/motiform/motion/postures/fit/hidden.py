"""Coordinates that the markers of a sample do not tell, from the samples before and after it.

Each coordinate is the smoothest curve through the samples that give it, Σ (q − y)² / s² + Σ (q̈ / α)² + (q̇ / (α τ))²,
s its standard deviation [Eilers03]: cubic in short gaps, straight in those much longer than τ. Before the first and
after the last sample that gives it a coordinate comes to rest, q₁ + q̇₁ τ₁ (1 − exp(−t/τ₁)). Samples go there along
what their markers do not determine; the rest stays the minimum. Where the noise of markers turns a coordinate 0.3 rad
and more, as near a gimbal lock or by a marker near the axis, that curve without the sample's own value counts as one
more measurement, with the standard deviation that such a curve has. Noise is what third differences of the markers
tell: a misfit that is there in all samples is of the model, and moves no coordinate aside. α is 50 rad/s², that of
quick limbs, or what the coordinates have that markers determine, where that is more.
"""

from typing import NamedTuple

import numpy as np

from motiform.motion.postures.fit import options as fit_options
from motiform.motion.postures.fit.fitter import FittedPostures, Fitter
from motiform.motion.tree import advance, tags
from motiform.motion.tree.model.joint import Array

__all__ = ["HIDDEN", "WEAK", "fill_hidden"]

HIDDEN, WEAK = 1, 2
"""Markers do not determine a coordinate in a sample; their noise decides it."""

_HIDDEN = 0.05  # part of a coordinate that is not told, beyond what never is
_ACCELERATION = 50.0  # [rad/s², m/s²] α at least
_SURE = 0.05  # [rad, m] standard deviation of coordinates whose accelerations are believed
_THIRD = 20.0  # variance of third differences of noise, 1 + 9 + 9 + 1, over that of the noise
_SECOND = 6.0  # and of second differences, 1 + 4 + 1
_MEDIAN = 0.6745  # of |x| over the standard deviation, normal distribution
_LONG, _ENDS = 0.3, 0.05  # [s] τ, τ₁: a knee that bends at 400°/s goes on by 20° at an end, not to its limit
_LEAST = 1e-6  # [m] standard deviation of markers, where they have none
_FAINT, _STEPS = 0.3, 40  # [rad, m] standard deviation of a coordinate that is hardly told; steps to its place
_ASIDE = 0.1  # [rad, m] from its curve: a coordinate that is hardly told is looked at
_ROUNDING, _SETTLED = 1e-12, 1e-6  # of a cost
_WORSE = 1.0001  # times the cost: the same minimum


def fill_hidden(
    fitter: Fitter, markers: Array, found: FittedPostures, times: Array, *, lost_only: bool = False
) -> np.ndarray:
    """Take coordinates that are hidden from their neighbours in time, in place; samples without markers whole.

    Return which velocities were, (samples, nv): HIDDEN, WEAK, or 0. ``lost_only``: samples without markers alone.
    """
    lost = found.status == fit_options.LOST
    gaps = np.asarray(np.isnan(markers[:, fitter.weights > 0]).any((1, 2)))
    hidden = (found.unseen - _never(fitter, found, gaps) > _HIDDEN) & gaps[:, None] & (not lost_only)
    hidden[lost] = True
    noise = _noise(fitter, markers, found)
    std = noise * np.sqrt(found.inverse)
    weak = np.maximum(std, np.median(std, 0)) > _FAINT  # turned aside, another may seem to be told
    weak &= ~hidden & (not lost_only)
    drawn = np.zeros(hidden.shape, np.int8)
    if len(times) < 3 or not (hidden | weak).any() or lost.all():
        return drawn
    curves = _between(fitter, found, hidden, weak, times, noise)
    found.q[lost], drawn[lost] = curves.q[lost], HIDDEN
    at = np.flatnonzero(hidden.any(1) & ~lost)
    begin = np.where(fitter.per_q(hidden[at]), curves.q[at], found.q[at])
    again = fitter.fit(markers[at], begin, spread=True, aims=curves.q[at])
    same = again.cost <= _WORSE * found.cost[at] + found.weight[at] * _LEAST**2
    found.put(at[same], again, np.flatnonzero(same))
    drawn[at[same]] = np.where(hidden[at[same]], HIDDEN, 0)
    pulled = fitter.per_q(weak) & np.isfinite(curves.std)
    at = np.flatnonzero((pulled & (np.abs(found.q - curves.q) > _ASIDE)).any(1) & ~lost)
    if len(at):
        _blend(fitter, markers[at], found, at, curves.q[at], np.where(pulled[at], curves.std[at], np.inf), noise)
        drawn[at] = np.where(weak[at], WEAK, drawn[at])
    return drawn


def _noise(fitter: Fitter, markers: Array, found: FittedPostures) -> float:
    """Return the standard deviation of a marker's coordinate that changes from sample to sample [m].

    By third differences, which leave little of a motion; not more than the distance of markers and tags.
    """
    fitted = found.status != fit_options.LOST
    misfit = np.sqrt(np.median(found.cost[fitted] / found.weight[fitted])) if fitted.any() else 0.0
    changes = np.diff(markers[:, fitter.weights > 0], n=3, axis=0)
    changes = np.abs(changes[np.isfinite(changes)])
    told = np.median(changes) / (_MEDIAN * np.sqrt(_THIRD)) if len(changes) else np.inf
    return max(float(min(told, misfit)), _LEAST)


def _usual_acceleration(fitter: Fitter, found: FittedPostures, times: Array, noise: float) -> float:
    """Return the largest root mean square of the accelerations of coordinates that markers determine [rad/s²].

    What the noise adds to second differences is taken off.
    """
    step = float(np.median(np.diff(times)))
    std = noise * np.sqrt(fitter.per_q(found.inverse))
    sure = fitter.plain_q & (std.max(0) < _SURE)
    if not sure.any():
        return _ACCELERATION
    bend = np.diff(found.q[:, sure], n=2, axis=0)
    own = (bend**2).mean(0) - _SECOND * (std[:, sure] ** 2).mean(0)
    return max(_ACCELERATION, float(np.sqrt(max(own.max(), 0.0))) / step**2)


def _never(fitter: Fitter, found: FittedPostures, some: np.ndarray) -> Array:
    """Return the part of each coordinate that all markers together would not tell in samples, (samples, nv)."""
    out = found.unseen.copy()
    at = np.flatnonzero(some)
    out[at] = fitter.options[fit_options.SPREAD] * _inverse(fitter, tags(fitter.figure, found.q[at]), found.q[at])
    return out


def _inverse(fitter: Fitter, markers: Array, q: Array) -> Array:
    """Return the diagonal of (JᵀWJ + ε)⁻¹, (samples, nv)."""
    normal, _ = fitter.normal(markers, q)
    eye = fitter.options[fit_options.SPREAD] * np.eye(normal.shape[-1])
    return np.diagonal(np.linalg.inv(normal + eye), axis1=1, axis2=2)


def _blend(
    fitter: Fitter, markers: Array, found: FittedPostures, at: np.ndarray, aims: Array, std: Array, noise: float
) -> None:
    """Minimise Σ w ρ(|x − m|²) + σ² Σ (q − aim)² / std² of some samples, in place; from where they are and from there.

    Levenberg–Marquardt, every sample with its own damping.
    """
    here = np.flatnonzero(fitter.plain_q)
    columns, goal = fitter.per_v(here), aims[:, here]
    low, high = fitter.limits_q[here].T
    pull = noise**2 / std[:, here] ** 2

    def cost(q: Array, of: np.ndarray) -> Array:
        return fitter.costs(markers[of], q) + (pull[of] * (q[:, here] - goal[of]) ** 2).sum(1)

    def descend(q: Array) -> tuple[Array, Array]:
        q, least = q.copy(), cost(q, all_of)
        damping, active = np.full(len(q), 1e-6), all_of
        for _ in range(_STEPS):
            if not len(active):
                break
            normal, gradient = fitter.normal(markers[active], q[active])
            every = range(normal.shape[1])
            normal[:, columns, columns] += pull[active]
            gradient[:, columns] += pull[active] * (q[active][:, here] - goal[active])
            normal[:, every, every] += damping[active, None] + fitter.options[fit_options.KEEP]
            step = np.clip(-np.linalg.solve(normal, gradient[..., None])[..., 0], -_FAINT, _FAINT)
            there = advance(fitter.figure, q[active], step)
            there[:, here] = np.clip(there[:, here], low, high)
            new = cost(there, active)
            better, gain = new < least[active], least[active] - new
            damping[active] = np.clip(np.where(better, 0.1, 10.0) * damping[active], 1e-12, 1e3)
            q[active[better]], least[active[better]] = there[better], new[better]
            done = better & (gain < _SETTLED * new) | (damping[active] >= 1e3)
            active = active[~done]
        return q, least

    all_of = np.arange(len(at))
    (stays, first), (goes, second) = (
        descend(begin) for begin in (found.q[at], np.where(np.isfinite(std), aims, found.q[at]))
    )
    found.q[at] = np.where((second < first)[:, None], goes, stays)
    found.cost[at] = fitter.costs(markers, found.q[at])
    found.inverse[at] = _inverse(fitter, markers, found.q[at])


class SmoothedMotion(NamedTuple):
    """Configurations with plain coordinates that are hidden somewhere replaced by smooth ones, (samples, nq)."""

    q: Array
    std: Array
    """[rad, m] inf where a coordinate was not replaced, or is nowhere told."""


def _between(
    fitter: Fitter, found: FittedPostures, hidden: np.ndarray, weak: np.ndarray, times: Array, noise: float
) -> SmoothedMotion:
    """Return these curves; each sample's value and standard deviation without its own."""
    stiff = (noise / _usual_acceleration(fitter, found, times, noise)) ** 2 * _stiffness(times)
    gone, inverse, out = fitter.per_q(hidden), fitter.per_q(found.inverse), found.q.copy()
    std = np.full(out.shape, np.inf)
    wanted = np.flatnonzero(fitter.per_q(hidden | weak).any(0) & ~gone.all(0) & fitter.plain_q)
    least = np.maximum(np.median(inverse, 0), 1e-12)  # no sample counts more than usual ones: it may be astray
    weight = np.where(gone, 0.0, 1.0 / np.maximum(inverse, least))[:, wanted]
    value = out[:, wanted]
    curve, spread = _smooth(stiff, weight, value)
    # of a curve y with the variance v from data with the weight w at a sample: what it would be without them
    rest = np.maximum(1.0 - weight * spread, _ROUNDING)
    alone = np.where(weight * spread < 0.5, (curve - weight * spread * value) / rest, curve)
    std[:, wanted] = np.minimum(noise * np.sqrt(spread / np.where(weight * spread < 0.5, rest, 1.0)), _ASIDE)
    for n, k in enumerate(wanted):
        out[:, k] = _at_rest(alone[:, n], ~gone[:, k], times)
    return SmoothedMotion(out, std)


def _smooth(stiff: Array, weight: Array, value: Array) -> tuple[Array, Array]:
    """Return the minimum x of Σ weight (x − value)² + xᵀ stiff x for columns, and the diagonal of the inverse matrix.

    `stiff` is its diagonals at and below the main one, (3, samples). L D Lᵀ with two diagonals below, and the inverse
    from the last row backwards [Meurant92].
    """
    n = len(weight)
    d, e, f, x = (np.zeros((n + 2, weight.shape[1])) for _ in range(4))
    d[:2] = 1.0
    for k in range(n):  # rows k + 2 of d and x; e, f couple row k to the two before it
        f[k + 2] = (stiff[2, k - 2] if k > 1 else 0.0) / d[k]
        e[k + 2] = ((stiff[1, k - 1] if k > 0 else 0.0) - f[k + 2] * d[k] * e[k + 1]) / d[k + 1]
        d[k + 2] = stiff[0, k] + weight[k] - e[k + 2] ** 2 * d[k + 1] - f[k + 2] ** 2 * d[k]
        x[k + 2] = weight[k] * value[k] - e[k + 2] * x[k + 1] - f[k + 2] * x[k]
    x, d, e, f = x[2:] / d[2:], d[2:], np.append(e[3:], 0 * e[:1], 0), np.append(f[4:], 0 * f[:2], 0)
    own, next1, next2 = (np.zeros((n + 2, weight.shape[1])) for _ in range(3))  # of the inverse: at, right of it
    for k in range(n - 1, -1, -1):
        if k + 1 < n:
            x[k] -= e[k] * x[k + 1] + (f[k] * x[k + 2] if k + 2 < n else 0.0)
        next1[k] = -e[k] * own[k + 1] - f[k] * next1[k + 1]
        next2[k] = -e[k] * next1[k + 1] - f[k] * own[k + 2]
        own[k] = 1.0 / d[k] - e[k] * next1[k] - f[k] * next2[k]
    return x, own[:n]


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
