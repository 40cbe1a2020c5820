"""Measures of recordings whose numbers are known."""

import math

import numpy as np
import pytest

from motiform.base.errors import InputError, MotiformError
from motiform.record import Channel, Event, Recording
from motiform.studies.measures import check_channels, parse_measure, parse_measures

X = np.array([1.0, 3.0, -2.0, 2.0])


def recording():
    channels = {
        "x": (Channel("x", unit="m", rate=2.0), X),
        "own": (Channel("own"), X),
        "v": (Channel("v", dims=("axis",), shape=(3,), rate=2.0), np.ones((4, 3))),
    }
    events = [Event(0.75, "impact of a"), Event(1.0, "impact of b"), Event(1.2, "end")]
    return Recording.from_arrays(channels, times={"own": [0.0, 1.0, 1.5, 3.0]}, events=events)


@pytest.mark.parametrize(
    ("given", "value"),
    [
        (("x", "max"), 3.0),
        (("x", "min"), -2.0),
        (("x", "first"), 1.0),
        (("x", "final"), 2.0),
        (("x", "mean"), 1.0),
        (("x", "rms"), math.sqrt(18 / 4)),
        (("x", "range"), 5.0),
        (("x", "percentile", 50), 1.5),
        (("x", "percentile 100"), 3.0),
        (("x", "crosses", 2.0), 0.25),
        (("x", "crosses 0"), 0.5 + 0.5 * 3 / 5),
        (("x", "crosses", 1), 0.0),
        (("x", "crosses", 9), math.nan),
        (("x", "at", "impact of a"), 0.5),
        (("x", "at impact*"), 0.5),
        (("x", "at", "never"), math.nan),
        (("own", "mean"), (2.0 * 1.0 + 0.5 * 0.5 + 0.0 * 1.5) / 3.0),
        (("impact*", "count"), 2.0),
        (("end", "count"), 1.0),
        (("never", "count"), 0.0),
        (("v.y", "max"), 1.0),
        (lambda rec: len(rec.names), 3.0),
    ],
)
def test_reductions(given, value):
    found = parse_measure("m", given).value(recording())
    assert found == pytest.approx(value, rel=1e-15, nan_ok=True)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (("x", "maxx"), "Did you mean 'max'"),
        (("x",), "a channel with a reduction"),
        ("x", "a channel with a reduction"),
        (("x", "percentile"), "what it needs"),
        (("x", "percentile", 101), "what it needs"),
        (("x", "crosses", "up"), "what it needs"),
        (("x", "max", 3), "nothing more"),
        (3, "a channel with a reduction"),
        ("no_such_module_here:f", "the module failed"),
        ("math:no_such", "no such function"),
    ],
)
def test_measures_that_are_refused(given, text):
    with pytest.raises(InputError, match=text):
        parse_measure("m", given)


def test_channels_are_checked_before_a_run():
    units = check_channels(
        parse_measures({"a": ("x", "max"), "b": ("x", "crosses", 1), "c": ("*", "count")}), recording()
    )
    assert units == {"a": "m", "b": "s"}
    with pytest.raises(InputError, match="measure 'm': no such channel"):
        check_channels(parse_measures({"m": ("y", "max")}), recording())
    with pytest.raises(InputError, match=r"Choose one, such as v\.x"):
        check_channels(parse_measures({"m": ("v", "max")}), recording())


def test_a_function_of_a_module_beside_the_study(tmp_path):
    (tmp_path / "own.py").write_text("def top(rec):\n    return rec['x'].max()\n\ndef text(rec):\n    return 'a'\n")
    measure = parse_measure("m", "own:top", tmp_path)
    assert measure.value(recording()) == 3.0
    with pytest.raises(MotiformError, match="must be a number"):
        parse_measure("m", "own:text", tmp_path).value(recording())


def test_numbers_of_a_function_model():
    found = {"a": 2.0, "b": [1.0, 5.0]}
    assert parse_measure("m", ("a", "final")).value(found) == 2.0
    assert parse_measure("m", ("b", "max")).value(found) == 5.0
    with pytest.raises(MotiformError, match="must give what is measured"):
        parse_measure("m", ("c", "max")).value(found)
