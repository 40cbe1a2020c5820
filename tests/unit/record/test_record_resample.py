"""Other times, and two recordings side by side."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motiform.base.errors import InputError
from motiform.record import Channel, Event, Recording, compare, resample


def uniform(values, rate=10.0, **options):
    values = np.asarray(values)
    dims = ("a", "b", "c")[: values.ndim - 1]
    channel = Channel("x", unit="m", rate=rate, **({"dims": dims, "shape": values.shape[1:]} | options))
    return Recording.from_arrays({"x": (channel, values)}, manifest={"title": "t"}, events=[Event(0.1, "e")])


@settings(deadline=None)
@given(st.floats(1.0, 100.0), st.floats(-3, 3), st.integers(1, 50), st.floats(0.5, 300.0))
def test_a_line_stays_a_line(rate, slope, count, wanted):
    """x = slope t: linear interpolation is exact but for rounding."""
    rec = uniform(slope * np.arange(count) / rate, rate)
    for method in ("linear", "cubic"):
        new = resample(rec, rate=wanted, method=method)
        t = new.time("x")
        assert t[0] == 0
        assert t[-1] <= (count - 1) / rate * (1 + 1e-15)
        assert t[-1] + 1 / wanted > (count - 1) / rate
        # A few roundings of numbers up to |slope| T; the spline solves a well-conditioned system (factor 4).
        room = 32 * np.finfo(float).eps * (abs(slope) * count / rate + 1e-300)
        assert np.abs(new["x"] - slope * t).max() <= room


def test_same_rate_gives_the_same_bits():
    x = np.random.default_rng(0).normal(size=(101, 3))
    for rate in (10.0, 3.0, 0.1, 240.0):
        for method in ("linear", "previous"):
            assert compare(uniform(x, rate), resample(uniform(x, rate), rate=rate, method=method)).identical


def test_cubic_has_order_four():
    """Halving the step of a sine divides the error by 16 (not-a-knot spline, inside the interval)."""
    goal = np.linspace(2.0, 4.0, 777)
    errors = [
        np.abs(
            resample(uniform(np.sin(np.arange(6 * r + 1) / r), float(r)), times=goal, method="cubic")["x"]
            - np.sin(goal)
        ).max()
        for r in (20, 40)
    ]
    assert errors[0] / errors[1] == pytest.approx(16, rel=0.05)


def test_previous_holds():
    new = resample(uniform([1.0, 2.0, 3.0]), times=[0.0, 0.05, 0.1, 0.19, 0.2], method="previous")
    assert new["x"].tolist() == [1, 1, 2, 2, 3]


def test_whole_numbers_are_never_mixed():
    rec = uniform(np.array([0, 10, 20]), dtype="int32")
    assert resample(rec, times=[0.05, 0.15])["x"].tolist() == [0, 10]


def test_quaternions_go_along_the_shorter_arc():
    """A turn about x at constant speed, with signs flipped: halfway the angle is half."""
    angles = np.array([0.0, 0.4, 0.8])
    q = np.stack([np.cos(angles / 2), np.sin(angles / 2), 0 * angles, 0 * angles], axis=1)
    q[1] *= -1
    rec = uniform(np.stack([q, q], axis=1), dims=("body", "quaternion"))
    for method in ("linear", "cubic"):
        new = resample(rec, times=[0.05, 0.1, 0.175], method=method)["x"][:, 1]
        turned = 2 * np.arctan2(np.abs(new[:, 1]), np.abs(new[:, 0]))
        # arctan2 and the slerp round a few times; angles are near 1
        assert np.allclose(turned, [0.2, 0.4, 0.7], rtol=0, atol=1e-14)
        assert np.allclose(np.linalg.norm(new, axis=1), 1, rtol=0, atol=4e-16)


def test_gaps_stay_gaps():
    x = np.array([0.0, np.nan, 2.0, 3.0])
    new = resample(uniform(x), times=[0.0, 0.05, 0.15, 0.2, 0.25])["x"]
    assert np.isnan(new).tolist() == [False, True, True, False, False]
    q = np.array([[1.0, 0, 0, 0], [np.nan] * 4, [1, 0, 0, 0], [1, 0, 0, 0]])
    new = resample(uniform(q, dims=("quaternion",)), times=[0.0, 0.05, 0.15, 0.2, 0.25])["x"]
    assert np.isnan(new).any(axis=1).tolist() == [False, True, True, False, False]


@pytest.mark.parametrize("method", ["linear", "cubic", "previous"])
def test_jump_at_a_repeated_time(method):
    """Before and after an impact at t = 1: each side keeps to itself, from 1 on the later holds."""
    times = [0.0, 0.5, 1.0, 1.0, 1.5, 2.0]
    rec = Recording.from_arrays([Channel("x")], {"x": [0.0, 0.0, 0.0, 5.0, 5.0, 5.0]}, times=times)
    assert resample(rec, times=[0.0, 0.9, 1.0, 1.1, 2.0], method=method)["x"].tolist() == [0, 0, 5, 5, 5]


def test_blocks_do_not_show(monkeypatch):
    """The same bits whether a channel is read in one block or in many."""
    times = np.sort(np.random.default_rng(1).uniform(0, 1, 50).round(2))
    x = np.random.default_rng(0).normal(size=(50, 2))
    rec = Recording.from_arrays([Channel("x", dims=("a",), shape=(2,))], {"x": x}, times=times)
    goal = np.sort(np.concatenate([times, np.linspace(times[0], times[-1], 99)]))
    whole = resample(rec, times=goal)
    for size in (16, 48, 160):
        monkeypatch.setattr("motiform.record.recording.BLOCK_BYTES", size)
        assert compare(resample(rec, times=goal), whole).identical
        assert compare(rec, rec).identical


def test_the_rest_is_kept():
    rec = resample(uniform([1.0, 2.0]), rate=100)
    assert rec.manifest == {"title": "t"}
    assert rec.events == [Event(0.1, "e")]
    assert rec.channel("x").rate == 100.0
    assert resample(uniform(np.zeros(0)), rate=5).count("x") == 0


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "either"),
        ({"rate": 1, "times": [0]}, "either"),
        ({"rate": -1}, "rate"),
        ({"rate": 1, "method": "sinc"}, "linear, cubic, previous"),
        ({"times": [0.3]}, r"within .*allowed: 0\.0 to 0\.2"),
        ({"times": [-0.1, 0.1]}, "within"),
        ({"times": [0.1, 0.0]}, "decrease"),
        ({"times": [np.nan]}, "finite"),
        ({"times": "now"}, "numbers"),
        ({"rate": 1, "names": ["y"]}, "no such channel"),
    ],
)
def test_wrong_wishes(options, text):
    with pytest.raises(InputError, match=text):
        resample(uniform([1.0, 2.0, 3.0]), **options)


def test_compare_tells_what_differs():
    a = Recording.from_arrays(
        {
            "same": (Channel("same", unit="m", rate=1.0), [1.0, np.nan, np.inf]),
            "off": (Channel("off", unit="m", rate=1.0), [1.0, 2.0]),
            "zero": (Channel("zero", rate=1.0), [0.0]),
            "short": (Channel("short", rate=1.0), [1.0, 2.0]),
            "time": (Channel("time", rate=1.0), [1.0, 2.0]),
            "unit": (Channel("unit", unit="m", rate=1.0), [1.0]),
            "nan": (Channel("nan", rate=1.0), [np.nan]),
            "shape": (Channel("shape", rate=1.0), [1.0]),
            "gone": (Channel("gone", rate=1.0), [1.0]),
        }
    )
    b = Recording.from_arrays(
        {
            "same": (Channel("same", unit="m", rate=1.0), [1.0, np.nan, np.inf]),
            "off": (Channel("off", unit="m", rate=1.0), [1.5, 2.0]),
            "zero": (Channel("zero", rate=1.0), [-0.0]),
            "short": (Channel("short", rate=1.0), [1.0]),
            "time": (Channel("time", rate=2.0), [1.0, 2.0]),
            "unit": (Channel("unit", unit="mm", rate=1.0), [1.0]),
            "nan": (Channel("nan", rate=1.0), [1.0]),
            "shape": (Channel("shape", dims=("a",), shape=(1,), rate=1.0), [[1.0]]),
            "new": (Channel("new", rate=1.0), [1.0]),
        }
    )
    found = compare(a, b)
    assert not found.identical
    assert [row.name for row in found.channels if row.identical] == ["same"]
    assert found["off"].largest == 0.5
    assert found["zero"].largest == 0
    assert found["nan"].largest == np.inf
    assert found["short"].remark == "2 and 1 samples"
    assert found["time"].remark == "other times, compared at 1 common instant"
    assert found["unit"].remark == "units 'm' and 'mm'"
    assert found["shape"].remark == "shapes () and (1,)"
    assert found.missing == ["gone", "new"]
    lines = str(found).splitlines()
    assert lines[1].split() == ["same", "identical"]
    assert lines[2].split() == ["off", "0.5", "m"]
    assert compare(a, a).identical
    with pytest.raises(InputError, match="no such channel"):
        compare(a, b, ["x"])
    with pytest.raises(InputError, match="no such channel"):
        found["x"]


def ramp(count, **channel):
    return Recording.from_arrays({"x": (Channel("x", unit="m", **channel), np.arange(float(count)) ** 2)})


def test_only_common_instants_are_compared():
    rec = ramp(101, rate=100.0)
    for rate in (25.0, 50.0):
        for found in (compare(rec, resample(rec, rate=rate)), compare(resample(rec, rate=rate), rec)):
            assert found["x"].largest == 0  # the samples themselves
            assert not found.identical
            assert f"compared at {int(rate) + 1} common instants" in str(found)
    part = compare(rec.slice(0.105, 0.5), rec)["x"]
    assert (part.largest, "40 common instants" in part.remark) == (0, True)


def test_without_common_instants_there_is_no_number():
    for other in (ramp(9, rate=100.0, start=0.005), ramp(1, rate=1.0, start=-1.0)):
        found = compare(ramp(9, rate=100.0), other)
        assert np.isnan(found["x"].largest)
        assert "none in common" in found["x"].remark
        assert str(found).splitlines()[1].split()[1] != "0"
    assert np.isnan(compare(ramp(9, rate=100.0), ramp(0, rate=100.0))["x"].largest)


def test_repeated_times_are_not_paired_by_guess():
    times = [0.0, 1.0, 1.0, 2.0]
    a = Recording.from_arrays([Channel("x")], {"x": [0.0, 1, 5, 6]}, times={"x": times})
    b = Recording.from_arrays([Channel("x")], {"x": [0.0, 5, 6.5]}, times={"x": [0.0, 1.0, 2.0]})
    assert compare(a, b)["x"].largest == 0.5
    assert "2 common instants" in compare(a, b)["x"].remark


@pytest.mark.parametrize("rate", [1e15, 1e300])
def test_a_rate_that_fills_the_memory_is_refused(rate):
    with pytest.raises(InputError, match=r"too many samples .*lower rate"):
        resample(ramp(9, rate=1.0), rate=rate)


def test_what_is_not_a_recording():
    rec = ramp(3, rate=1.0)
    for use in (
        lambda: compare(rec, 3),
        lambda: compare("x.mf", rec),
        lambda: resample(None, rate=1.0),
        lambda: resample(rec, rate=1.0, names=3),
        lambda: rec.slice("a", 6),
        lambda: rec.slice(0, [1]),
    ):
        with pytest.raises(InputError):
            use()


@pytest.mark.filterwarnings("error")
def test_infinity_passes_without_a_warning():
    found = resample(uniform([0.0, np.inf, 1.0, 2.0]), rate=20.0)["x"]
    np.testing.assert_array_equal(found[[0, 2, 4, 5, 6]], [0, np.inf, 1, 1.5, 2])
