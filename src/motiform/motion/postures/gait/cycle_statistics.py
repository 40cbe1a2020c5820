"""Means, deviations and consistency of curves over the gait cycle, and how two sets of them differ."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.tree.model.joint import Array

__all__ = [
    "CurveDifference", "MeanCurve", "compare_cycles", "mean_curve", "measurement_error", "multiple_correlation",
    "range_asymmetry",
]  # fmt: skip

_KNOWN = 0.5  # of the cycles that must know a point, for its mean to be told
_LEVEL = 0.975  # quantile of the two-sided 95 % interval


class MeanCurve(NamedTuple):
    """Mean and standard deviation over cycles, at each point of the cycle."""

    mean: Array
    """(points,); nan where fewer than half of the cycles know the point."""
    sd: Array
    """Of the sample (n − 1), (points,); nan for one cycle."""
    cycles: int
    """How many."""


class CurveDifference(NamedTuple):
    """What the mean of a first set of cycles has more than that of a second one."""

    mean: float
    """Over the cycle."""
    rms: float
    """Root mean square over the cycle."""
    largest: float
    """Of the largest size, with its sign."""
    percent: float
    """Where in the cycle that is [%]."""
    low: float
    """Lower end of the 95 % confidence interval of ``mean`` [Welch47]; nan with fewer than two cycles in a set."""
    high: float


def _checked(cycles: ArrayLike) -> Array:
    values = np.asarray(cycles, float)
    if values.ndim != 2:
        raise InputError("cycles must be curves", got=f"shape {values.shape}", allowed="(cycles, points)")
    return values


def mean_curve(cycles: ArrayLike) -> MeanCurve:
    """Return mean and standard deviation of curves (cycles, points)."""
    values = _checked(cycles)
    known = np.isfinite(values)
    count = known.sum(0)
    told = (count > 0) & (count >= _KNOWN * len(values))
    mean = np.where(told, np.where(known, values, 0.0).sum(0) / np.maximum(count, 1), np.nan)
    squares = (np.where(known, values - np.where(told, mean, 0.0), 0.0) ** 2).sum(0)
    sd = np.where(told & (count > 1), np.sqrt(squares / np.maximum(count - 1, 1)), np.nan)
    return MeanCurve(mean, sd, len(values))


def _whole(values: Array) -> Array:
    """Return the points that all cycles know."""
    return np.asarray(values[:, np.isfinite(values).all(0)])


def multiple_correlation(cycles: ArrayLike) -> float:
    """Return the coefficient of multiple correlation within a day of curves (cycles, points)  [Kadaba89].

    R = √(1 − V/W), V the variance about the mean curve, V = Σ (y_jt − ȳ_t)² / (T (N − 1)), and W that about the mean of
    all, W = Σ (y_jt − ȳ)² / (N T − 1). One where all cycles are alike. nan with fewer than two cycles, and where
    V > W: cycles that differ more among them than over the cycle have no R.
    """
    y = _whole(_checked(cycles))
    N, T = y.shape
    if N < 2 or T < 2:
        return float("nan")
    within = ((y - y.mean(0)) ** 2).sum() / (T * (N - 1))
    whole = ((y - y.mean()) ** 2).sum() / (N * T - 1)
    if not whole > 0 or within > whole:
        return float("nan")
    return float(np.sqrt(1.0 - within / whole))


def measurement_error(cycles: ArrayLike) -> float:
    """Return the standard error of measurement of curves (cycles, points): of one cycle, not of their mean.

    The root of the mean over the cycle of the variance between cycles, in the unit of the curves; nan with fewer than
    two cycles. That of the mean of n cycles is this over √n.
    """
    y = _whole(_checked(cycles))
    if len(y) < 2 or not y.shape[1]:
        return float("nan")
    return float(np.sqrt(y.var(0, ddof=1).mean()))


def compare_cycles(first: ArrayLike, second: ArrayLike) -> CurveDifference:
    """Return the difference of the means of two sets of curves, (cycles, points) each.

    The interval is that of the difference of the cycles' own means over the cycle, by Welch's t: two sets of any sizes
    and variances [Welch47]. It is about these cycles of one subject, not about a population.
    """
    a, b = _checked(first), _checked(second)
    gap = mean_curve(a).mean - mean_curve(b).mean
    known = np.flatnonzero(np.isfinite(gap))
    if not len(known):
        return CurveDifference(*[float("nan")] * 6)
    at = int(known[np.argmax(np.abs(gap[known]))])
    percent = 100.0 * at / max(len(gap) - 1, 1)
    low, high = _interval(a[:, known], b[:, known])
    own = gap[known]
    return CurveDifference(
        float(own.mean()), float(np.sqrt((own**2).mean())), float(gap[at]), percent, low, high
    )  # fmt: skip


def _interval(a: Array, b: Array) -> tuple[float, float]:
    from scipy.special import stdtrit

    with np.errstate(invalid="ignore"):
        one, two = (values.mean(1)[np.isfinite(values).all(1)] for values in (a, b))
    if len(one) < 2 or len(two) < 2:
        return float("nan"), float("nan")
    parts = np.array([one.var(ddof=1) / len(one), two.var(ddof=1) / len(two)])
    middle, size = float(one.mean() - two.mean()), float(np.sqrt(parts.sum()))
    if not size > 0:
        return middle, middle
    freedom = parts.sum() ** 2 / (parts**2 / np.array([len(one) - 1, len(two) - 1])).sum()
    reach = float(stdtrit(freedom, _LEVEL)) * size
    return middle - reach, middle + reach


def range_asymmetry(left: ArrayLike, right: ArrayLike) -> float:
    """Return how the ranges of the left and the right mean curve differ, 200 (L − R)/(L + R) [%]  [Robinson87]."""
    means = [mean_curve(side).mean for side in (left, right)]
    if not all(np.isfinite(mean).any() for mean in means):
        return float("nan")
    L, R = (float(np.nanmax(mean) - np.nanmin(mean)) for mean in means)
    return 200.0 * (L - R) / (L + R) if L + R > 0 else float("nan")
