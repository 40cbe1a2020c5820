"""Measures of strides from events whose times are known, walking and running."""

import numpy as np
import pytest

from motiform.motion.postures.gait.events import Walker
from motiform.motion.postures.gait.spatial import MEASURES, stays, stride_measures, summarise
from motiform.record import Event

T = np.arange(0, 6.0, 0.01)
CYCLE, SPEED = 1.0, 1.4  # s, m/s


def walker():
    """Heels that go with the body: lengths are those of its way."""
    way = np.outer(SPEED * T, [1.0, 0.0, 0.0])
    aside, ahead = np.array([0.0, 0.0, 0.05]), np.array([0.2, 0.0, 0.0])
    heels = {"r": way + aside, "l": way - aside}
    return Walker(T, heels, {side: heel + ahead for side, heel in heels.items()}, way, np.array([0.0, 1.0, 0.0]))


def events(stance):
    """Strikes of the right at 0, 1, …, of the left half a cycle later; each foot leaves `stance` s after its strike."""
    found = []
    for side, late in (("r", 0.0), ("l", 0.5 * CYCLE)):
        for k in range(5):
            start = late + k * CYCLE + 0.01
            for time, kind in ((start, "foot strike"), (start + stance, "foot off")):
                found.append(Event(time, f"{side} {kind}", {"side": side, "kind": kind}))
    return sorted(found, key=lambda event: event.time)


def test_a_walk_has_supports_and_no_flight():
    """Stance of 0.62 s: both feet are down 0.12 s twice in a cycle of 1 s, one foot 0.38 s."""
    found = summarise(stride_measures(walker(), events(0.62)))
    for name, value in (("stance", 62.0), ("swing", 38.0), ("single_support", 38.0), ("double_support", 24.0),
                        ("stride_time", 1.0), ("step_time", 0.5), ("speed", SPEED), ("cadence", 120.0),
                        ("stride_length", SPEED)):  # fmt: skip
        assert found[name].mean == pytest.approx(value, rel=1e-9), name
        assert found[name].sd == pytest.approx(0.0, abs=1e-9)
    assert found["flight"].strides == 0
    assert set(found) == set(MEASURES)


def test_a_run_has_flight_and_no_double_support():
    """Stance of 0.35 s: no foot is down 0.15 s twice in a cycle."""
    found = summarise(stride_measures(walker(), events(0.35)), "r")
    assert found["flight"].mean == pytest.approx(30.0, rel=1e-9)
    assert found["double_support"].strides == found["single_support"].strides == 0


def test_no_strides_have_no_mean():
    found = summarise([])
    assert all(one.strides == 0 and np.isnan(one.mean) for one in found.values())


@pytest.mark.parametrize(("speed", "expected"), [(1.2, False), (0.02, True), (-0.05, True), (float("nan"), False)])
def test_who_stays_where_they_are(speed, expected):
    assert stays(speed, 0.7, 0.55) == expected
