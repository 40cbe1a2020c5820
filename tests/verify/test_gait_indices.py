"""Consistency and indices of gait against their papers' formulas, written out sum by sum on synthetic cycles."""

import math

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.motion.postures.gait.cycle_statistics import multiple_correlation
from motiform.motion.postures.gait.indices import (
    FEATURES,
    FIDELITY,
    PROFILE,
    DeviationIndex,
    gait_vector,
    movement_profile,
    profile_score,
)

T = np.linspace(0, 2 * np.pi, 101)


def test_coefficient_of_multiple_correlation_is_kadabas():
    """[Kadaba89] for one day: sums over cycles j and points t as they are printed."""
    y = np.random.default_rng(1).normal(0, 3, (5, 101)) + 25 * np.sin(T)
    N, P = y.shape
    within = whole = 0.0
    grand = sum(y[j][t] for j in range(N) for t in range(P)) / (N * P)
    for t in range(P):
        at = sum(y[j][t] for j in range(N)) / N
        for j in range(N):
            within += (y[j][t] - at) ** 2
            whole += (y[j][t] - grand) ** 2
    expected = math.sqrt(1 - (within / (P * (N - 1))) / (whole / (N * P - 1)))
    assert multiple_correlation(y) == pytest.approx(expected, rel=1e-12)


def test_profile_and_score_are_bakers():
    """[Baker09]: constant gaps of 1° … 9° have these scores; of both sides fifteen, the pelvis once."""
    reference = {title: 10 * np.sin(T + k) for k, title in enumerate(PROFILE)}
    left = movement_profile({title: reference[title] + k + 1 for k, title in enumerate(PROFILE)}, reference)
    right = movement_profile({title: reference[title] - 2.0 for title in PROFILE}, reference)
    assert [left[title] for title in PROFILE] == pytest.approx(list(range(1, 10)), rel=1e-12)
    assert profile_score(left, None) == pytest.approx(math.sqrt(sum(k**2 for k in range(1, 10)) / 9), rel=1e-12)
    assert profile_score(right, None) == pytest.approx(2.0, rel=1e-12)
    both = math.sqrt((sum(k**2 for k in range(1, 10)) + 6 * 2.0**2) / 15)
    assert profile_score(left, right) == pytest.approx(both, rel=1e-12)


def test_a_missing_curve_leaves_no_score():
    curves = {title: np.sin(T) for title in PROFILE[:-1]}
    assert len(movement_profile(curves, curves)) == 8
    assert math.isnan(profile_score(movement_profile(curves, curves), None))


def controls(count=40, seed=5):
    """Gaits of few shapes: mean curves with random sizes of ten patterns, which the features hold."""
    rng = np.random.default_rng(seed)
    mean = np.concatenate([20 * np.sin(T[::2] + k) for k in range(9)])
    patterns = rng.normal(size=(10, len(mean)))
    return mean + rng.normal(0, 2, (count, len(patterns))) @ patterns


def curves_of(gait):
    """Return nine curves that have this vector at every second point."""
    return {
        title: np.interp(range(101), range(0, 101, 2), gait[51 * k : 51 * k + 51]) for k, title in enumerate(PROFILE)
    }


def test_deviation_index_of_the_controls_is_a_hundred_and_ten():
    """[SchwartzRozumalski08]: by its scale the controls have the mean 100 and the standard deviation 10."""
    gaits = controls()
    index = DeviationIndex(gaits, 20)
    assert np.array_equal(gait_vector(curves_of(gaits[3])), gaits[3])
    found = np.array([index.of(curves_of(gait)) for gait in gaits])
    assert found.mean() == pytest.approx(100.0, abs=1e-9)
    assert found.std(ddof=1) == pytest.approx(10.0, rel=1e-9)


def test_a_gait_that_the_features_do_not_hold_has_no_index():
    """A constant offset of 30° is no pattern of these controls: without it in the features it would cost nothing."""
    gaits = controls()
    far = curves_of(gaits[0] + 30.0)
    index = DeviationIndex(gaits, 20)
    assert index.fidelity(gaits[0] + 30.0) < FIDELITY < index.fidelity(gaits[0])
    assert math.isnan(index.of(far))
    assert DeviationIndex(gaits, 20, controls(3, 6) + 30.0).of(far) < 80.0


def test_twice_the_distance_costs_ln_two_deviations():
    gaits = controls()
    index, middle = DeviationIndex(gaits, 20), gaits.mean(0)
    way = index.features[:, 0]
    near, far = (index.of(curves_of(middle + size * way)) for size in (30.0, 60.0))
    logs = [math.log(np.linalg.norm((gait - middle) @ index.features)) for gait in gaits]
    assert near - far == pytest.approx(10 * math.log(2) / np.std(logs, ddof=1), rel=1e-9)


def test_an_index_needs_controls():
    with pytest.raises(InputError, match="must have the curves of controls"):
        DeviationIndex(controls(FEATURES), 10)
    with pytest.raises(InputError, match="of 1 subject"):
        DeviationIndex(controls(), 1)
    assert math.isnan(DeviationIndex(controls(), 2).of({}))
