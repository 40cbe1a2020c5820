"""Cycles of many trials in one pool: what counts, and why something does not."""

from dataclasses import replace

import numpy as np
import pytest

from motiform.motion.postures.gait.cycles import GaitCycle, GaitQuantity
from motiform.motion.postures.gait.pool import PoolRules, TrialCycles, pool_cycles
from motiform.motion.postures.gait.pooled import normalise_emg, pool_strides
from motiform.motion.postures.gait.spatial import StrideMeasures

P = np.linspace(0, 2 * np.pi, 101)


def trial(name, condition="", count=3, shift=0.0, **more):
    """A trial of right cycles of 1.1 s, with a knee that differs by 1° from cycle to cycle."""
    cycles = tuple(GaitCycle("r", 1.1 * k, 1.1 * (k + 1), 1.1 * k + 0.66) for k in range(count))
    knee = np.array([30 + shift + k + 30 * np.sin(P) for k in range(count)])
    return TrialCycles(name, condition, cycles, (GaitQuantity("angles", "knee flexion", "°", {"r": knee}),), **more)


def with_knee(one, k, values, marks=None):
    knee = one.quantities[0].values["r"].copy()
    knee[k] = values
    marked = {} if marks is None else {"r": marks}
    return replace(one, quantities=(replace(one.quantities[0], values={"r": knee}, marks=marked),))


def test_conditions_and_sides_stay_apart():
    pool = pool_cycles([trial("a", "before"), trial("b", "after", 4)], ["before", "after"])
    assert pool.conditions == ("before", "after")
    assert [len(pool.of(one, "r")) for one in ("before", "after", None)] == [3, 4, 7]
    assert pool.of(None, "l") == []
    assert pool.curves("knee flexion", "after", "r").shape == (4, 101)


def test_an_outlier_is_left_out_and_says_why():
    """Distances of 0 to 1° from the median are usual, 20° are not; with four cycles nobody knows what is usual."""
    odd = with_knee(trial("b"), 1, 50 + 30 * np.sin(P))
    pool = pool_cycles([trial("a"), odd])
    assert [one.left_out for one in pool.cycles].count("") == 5
    assert pool.cycles[4].left_out.startswith("outlier: knee flexion 1")
    assert len(pool.curves("knee flexion", None, "r")) == 5
    assert not any(one.left_out for one in pool_cycles([replace(odd), trial("a", count=1)]).cycles)


def test_differences_below_three_degrees_are_no_outliers():
    odd = with_knee(trial("b"), 1, 33.9 + 30 * np.sin(P))
    assert not any(one.left_out for one in pool_cycles([trial("a"), odd]).cycles)


def test_a_step_of_another_duration_is_left_out():
    slow = trial("b", count=1)
    slow = replace(slow, cycles=(GaitCycle("r", 0.0, 1.1 * 1.4, 0.7),))
    pool = pool_cycles([trial("a", count=5), slow])
    assert pool.cycles[-1].left_out == "its duration is 40 % above the median"
    kept = pool_cycles([trial("a", count=5), slow], rules=PoolRules(duration=0.5))
    assert not any(one.left_out for one in kept.cycles)


def test_a_doubtful_trial_does_not_count():
    pool = pool_cycles([trial("a"), trial("b", doubt="the trial is doubtful")])
    assert [one.left_out for one in pool.cycles] == [""] * 3 + ["the trial is doubtful"] * 3


@pytest.mark.parametrize(
    ("hidden", "expected"), [(5, ""), (20, "doubtful: hidden"), (0, "")], ids=["few samples", "many", "none"]
)
def test_hidden_samples_are_blank_and_many_leave_the_curve_out(hidden, expected):
    mask = np.zeros((3, 101), bool)
    mask[1, :hidden] = True
    one = with_knee(trial("a"), 1, 30 + 30 * np.sin(P), {"hidden": mask})
    found = pool_cycles([one]).quantities["knee flexion"]
    assert found.left_out[1] == expected
    assert np.isnan(found.values[1]).sum() == hidden
    assert bool(found.doubtful[1]) == bool(hidden)


def test_what_is_uncertain_throughout_is_told_as_it_is():
    mask = np.ones((3, 101), bool)
    found = pool_cycles([with_knee(trial("a"), 1, 30 + 30 * np.sin(P), {"uncertain": mask})]).quantities["knee flexion"]
    assert found.uncertain
    assert np.isfinite(found.values).all()
    mask[:2] = False
    found = pool_cycles([with_knee(trial("a"), 1, 30 + 30 * np.sin(P), {"uncertain": mask})]).quantities["knee flexion"]
    assert not found.uncertain
    assert found.left_out == ("", "", "doubtful: uncertain")


def test_incomplete_curves_and_trials_without_a_quantity():
    gap = 30 + 30 * np.sin(P)
    gap[40:60] = np.nan
    power = GaitQuantity("powers", "knee power", "W/kg", {"r": np.ones((3, 101))})
    one = with_knee(trial("a"), 2, gap)
    pool = pool_cycles([one, replace(trial("b"), quantities=(*trial("b").quantities, power))])
    assert pool.quantities["knee flexion"].left_out[2] == "incomplete"
    assert pool.quantities["knee power"].left_out == ("not measured",) * 3 + ("",) * 3


def test_strides_of_cycles_that_are_left_out_do_not_count():
    row = StrideMeasures("r", 1.1, *[1.0] * 12)
    trials = [trial("a", strides=(row,), doubt="the trial is doubtful"), trial("b", strides=(row,))]
    assert [one.left_out for one in pool_strides(trials, pool_cycles(trials))] == ["the trial is doubtful", ""]


def test_envelopes_are_parts_of_the_peak_of_the_session():
    """Means of 2 and 4 V in two conditions: 100 % is the second."""
    both = []
    for name, size in (("a", 2.0), ("b", 4.0)):
        emg = GaitQuantity("emg", "soleus EMG", "% of the peak", {"r": np.tile(size * np.sin(P / 2) ** 2, (3, 1))})
        both.append(replace(trial(name, name), quantities=(emg,)))
    pool = normalise_emg(pool_cycles(both))
    assert pool.curves("soleus EMG", "b", "r").max() == pytest.approx(100.0, rel=1e-12)
    assert pool.curves("soleus EMG", "a", "r").max() == pytest.approx(50.0, rel=1e-12)
