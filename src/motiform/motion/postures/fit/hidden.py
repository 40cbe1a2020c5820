"""Coordinates that the markers of a sample do not tell, from the samples before and after it.

Each coordinate is the smoothest curve through the samples that give it, Σ (q − y)² / s² + Σ (q̈ / α)² + (q̇ / (α τ))²,
s its standard deviation [Eilers03]: cubic in short gaps, straight in those much longer than τ. Before the first and
after the last sample that gives it a coordinate comes to rest, q₁ + q̇₁ τ₁ (1 − exp(−t/τ₁)). Samples go there along
what their markers do not determine; the rest stays the minimum. Where the noise of markers turns a coordinate 0.3 rad
and more, as near a gimbal lock or by a marker near the axis, that curve without the sample's own value counts as one
more measurement, with the standard deviation that such a curve has.
"""

from typing import NamedTuple

import numpy as np

from motiform.motion.postures.fit import options as fit_options
from motiform.motion.postures.fit.fitter import FittedPostures, Fitter
from motiform.motion.tree import advance, tags
from motiform.motion.tree.model.joint import Array

__all__ = ["fill_hidden"]

_HIDDEN = 0.05  # part of a coordinate that is not told, beyond what never is
_ACCELERATION = 50.0  # [rad/s², m/s²] α, of quick limbs
_LONG, _ENDS = 0.3, 0.05  # [s] τ, τ₁: a knee that bends at 400°/s goes on by 20° at an end, not to its limit
_LEAST = 1e-6  # [m] standard deviation of markers, where they have none
_FAINT, _STEPS = 0.3, 40  # [rad, m] standard deviation of a coordinate that is hardly told; steps to its place
_ASIDE = 0.1  # [rad, m] from its curve: a coordinate that is hardly told is looked at
_ROUNDING, _SETTLED = 1e-12, 1e-6  # of a cost
_WORSE = 1.0001  # times the cost: the same minimum


def fill_hidden(fitter: Fitter, markers: Array, found: FittedPostures, times: Array) -> bool:
    """Take coordinates that are hidden from their neighbours in time, in place; samples without markers whole.

    Return whether there are any.
    """
    lost = found.status == fit_options.LOST
    gaps = np.asarray(np.isnan(markers[:, fitter.weights > 0]).any((1, 2)))
    hidden = (found.unseen - _never(fitter, found, gaps) > _HIDDEN) & gaps[:, None]
    hidden[lost] = True
    faint = _poorly_determined(found) & ~hidden
    if len(times) < 3 or not (hidden | faint).any() or lost.all():
        return False
    curves = _between(fitter, found, hidden, faint, times)
    found.q[lost] = curves.q[lost]
    at = np.flatnonzero(hidden.any(1) & ~lost)
    begin = np.where(fitter.per_q(hidden[at]), curves.q[at], found.q[at])
    again = fitter.fit(markers[at], begin, spread=True, aims=curves.q[at])
    same = again.cost <= _WORSE * found.cost[at] + found.weight[at] * _LEAST**2
    found.put(at[same], again, np.flatnonzero(same))
    weak = fitter.per_q(_poorly_determined(found)) & np.isfinite(curves.std)
    at = np.flatnonzero((weak & (np.abs(found.q - curves.q) > _ASIDE)).any(1) & ~lost)
    if len(at):
        _blend(fitter, markers[at], found, at, curves.q[at], np.where(weak[at], curves.std[at], np.inf))
    return bool(hidden.any() or len(at))


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


def _poorly_determined(found: FittedPostures) -> np.ndarray:
    """Return which coordinates are hardly told, in a sample or usually: turned aside, another may seem to be told."""
    return np.asarray(np.maximum(found.std, np.median(found.std, 0)) > _FAINT)


def _blend(fitter: Fitter, markers: Array, found: FittedPostures, at: np.ndarray, aims: Array, std: Array) -> None:
    """Minimise Σ w ρ(|x − m|²) + σ² Σ (q − aim)² / std² of some samples, in place; from where they are and from there.

    Levenberg–Marquardt, every sample with its own damping.
    """
    here = np.flatnonzero(fitter.plain_q)
    columns, goal = fitter.per_v(here), aims[:, here]
    low, high = fitter.limits_q[here].T
    pull = _variance(found) / std[:, here] ** 2

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


def _variance(found: FittedPostures) -> float:
    """Return the mean square distance of markers and tags in usual samples [m²]."""
    fitted = found.status != fit_options.LOST
    return max(float(np.median(found.cost[fitted] / found.weight[fitted])), _LEAST**2)


class SmoothedMotion(NamedTuple):
    """Configurations with plain coordinates that are hidden somewhere replaced by smooth ones, (samples, nq)."""

    q: Array
    std: Array
    """[rad, m] inf where a coordinate was not replaced, or is nowhere told."""


def _between(
    fitter: Fitter, found: FittedPostures, hidden: np.ndarray, faint: np.ndarray, times: Array
) -> SmoothedMotion:
    """Return these curves; each sample's value and standard deviation without its own."""
    variance = _variance(found)
    stiff = variance / _ACCELERATION**2 * _stiffness(times)
    gone, inverse, out = fitter.per_q(hidden), fitter.per_q(found.inverse), found.q.copy()
    std = np.full(out.shape, np.inf)
    wanted = np.flatnonzero(fitter.per_q(hidden | faint).any(0) & ~gone.all(0) & fitter.plain_q)
    least = np.maximum(np.median(inverse, 0), 1e-12)  # no sample counts more than usual ones: it may be astray
    weight = np.where(gone, 0.0, 1.0 / np.maximum(inverse, least))[:, wanted]
    value = out[:, wanted]
    curve, spread = _smooth(stiff, weight, value)
    # of a curve y with the variance v from data with the weight w at a sample: what it would be without them
    rest = np.maximum(1.0 - weight * spread, _ROUNDING)
    alone = np.where(weight * spread < 0.5, (curve - weight * spread * value) / rest, curve)
    std[:, wanted] = np.minimum(np.sqrt(variance * spread / np.where(weight * spread < 0.5, rest, 1.0)), _ASIDE)
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
