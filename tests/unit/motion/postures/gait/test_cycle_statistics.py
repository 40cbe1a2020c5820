"""Means, consistency and differences of curves, against formulas written out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import ttest_ind

from motiform.base.errors import InputError
from motiform.motion.postures.gait.cycle_statistics import (
    compare_cycles,
    mean_curve,
    measurement_error,
    multiple_correlation,
    range_asymmetry,
)

T = np.linspace(0, 1, 101)


def cycles(seed=3, count=7, noise=2.0):
    return 20 * np.sin(2 * np.pi * T) + np.random.default_rng(seed).normal(0, noise, (count, 101))


def test_mean_and_deviation_of_what_is_known():
    y = cycles()
    y[:3, 10] = np.nan  # four of seven are left: a mean of four
    y[:4, 20] = np.nan  # three of seven: none
    found = mean_curve(y)
    assert found.cycles == 7
    assert_allclose(found.mean[10], y[3:, 10].mean(), rtol=1e-12)
    assert_allclose(found.sd[10], y[3:, 10].std(ddof=1), rtol=1e-12)
    assert np.isnan(found.mean[20])
    assert np.isnan(found.sd[20])
    assert np.isnan(mean_curve(y[:1]).sd).all()


def test_cycles_that_are_alike_have_correlation_one():
    assert multiple_correlation(np.tile(np.sin(T), (4, 1))) == pytest.approx(1.0)
    assert measurement_error(np.tile(np.sin(T), (4, 1))) == 0.0


def test_cycles_without_a_pattern_have_no_correlation():
    """Offsets alone: the variance about the mean curve is above that about the mean of all."""
    y = np.array([[1.0], [2.0], [4.0]]) * np.ones(101)
    assert np.isnan(multiple_correlation(y))
    assert np.isnan(multiple_correlation(y[:1]))


def test_points_that_a_cycle_does_not_know_are_left_out():
    y = cycles()
    holed = y.copy()
    holed[2, 40:50] = np.nan
    kept = np.r_[0:40, 50:101]
    assert multiple_correlation(holed) == pytest.approx(multiple_correlation(y[:, kept]), rel=1e-12)
    assert measurement_error(holed) == pytest.approx(measurement_error(y[:, kept]), rel=1e-12)


def test_difference_of_two_sets_and_its_interval():
    """A known offset; the interval is SciPy's of Welch's test of the cycles' means."""
    a, b = cycles(3, 7), cycles(4, 5) - 3.0
    found = compare_cycles(a, b)
    gap = a.mean(0) - b.mean(0)
    assert found.mean == pytest.approx(gap.mean(), rel=1e-12)
    assert found.rms == pytest.approx(np.sqrt((gap**2).mean()), rel=1e-12)
    assert abs(found.largest) == pytest.approx(np.abs(gap).max(), rel=1e-12)
    assert gap[round(found.percent)] == found.largest
    other = ttest_ind(a.mean(1), b.mean(1), equal_var=False).confidence_interval(0.95)
    assert_allclose([found.low, found.high], [other.low, other.high], rtol=1e-9)
    assert found.low < 3.0 < found.high
    alone = compare_cycles(a, b[:1])
    assert np.isfinite(alone.mean)
    assert np.isnan(alone.low)


def test_asymmetry_of_ranges():
    left, right = 30 * np.sin(2 * np.pi * T), 20 * np.sin(2 * np.pi * T) + 7
    assert range_asymmetry([left], [right]) == pytest.approx(200 * 10 / 50, rel=1e-9)
    assert range_asymmetry([right], [left]) == pytest.approx(-40, rel=1e-9)
    assert np.isnan(range_asymmetry([np.zeros(101)], [np.zeros(101)]))


def test_curves_have_two_dimensions():
    with pytest.raises(InputError, match="cycles must be curves"):
        mean_curve(np.zeros(101))
