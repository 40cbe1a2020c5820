import numpy as np
import pytest
from marker_files import motion, recording
from numpy.testing import assert_allclose, assert_array_equal

from motiform.base.errors import InputError
from motiform.measure import fill_gaps, find_gaps, low_pass
from motiform.record import Channel, Recording


def holed(*holes, samples=200):
    points = motion(samples)
    whole = points.copy()
    for marker, first, last in holes:
        points[first:last, marker] = np.nan
    return recording(points), whole


def test_gaps_are_reported():
    rec, _ = holed((0, 0, 3), (1, 10, 15), (1, 40, 41), (3, 190, 200))
    gaps = find_gaps(rec)
    assert [(g.marker, g.first, g.last, g.length, g.inside) for g in gaps] == [
        ("LASI", 0, 2, 3, False),
        ("RASI", 10, 14, 5, True),
        ("RASI", 40, 40, 1, True),
        ("C7", 190, 199, 10, False),
    ]
    assert gaps.of("RASI")[0].start == pytest.approx(0.10)
    assert gaps.of("RASI")[0].duration == pytest.approx(0.06)
    assert gaps.missing == {"LASI": 0.015, "RASI": 0.03, "LTOE": 0.0, "C7": 0.05}
    assert "RASI" in str(gaps)
    assert "LTOE" not in str(gaps)
    assert len(gaps.to_pandas()) == 4
    assert str(find_gaps(recording())) == "no gap"
    with pytest.raises(InputError, match="no such marker"):
        gaps.of("nose")


def test_cubic_splines_give_cubics_back():
    t = np.arange(100)[:, None, None] / 100.0
    whole = np.concatenate([1 + 2 * t - 3 * t**2 + t**3, t**3, 0.5 - t], axis=2)
    whole = np.concatenate([whole, whole[:, :, ::-1]], axis=1)
    points = whole.copy()
    points[20:35, 0], points[60:61, 0], points[50:70, 1] = np.nan, np.nan, np.nan
    filled = fill_gaps(recording(points), longest=None)
    assert_allclose(filled["markers"], whole, atol=1e-12)  # not-a-knot splines are exact for cubics


def test_only_short_inner_gaps_are_filled():
    rec, whole = holed((0, 0, 3), (1, 10, 14), (1, 40, 60), (3, 195, 200))
    filled = fill_gaps(rec, longest=0.05)
    left = [(g.marker, g.first, g.last) for g in find_gaps(filled)]
    assert left == [("LASI", 0, 2), ("RASI", 40, 59), ("C7", 195, 199)]
    assert np.abs(filled["markers"][10:14, 1] - whole[10:14, 1]).max() < 1e-4
    seen = filled["seen"]
    assert seen.dtype == bool
    assert_array_equal(seen, np.isfinite(rec["markers"][..., 0]))
    counted = fill_gaps(rec, longest=0.05, count_as_seen=True)
    assert_array_equal(counted["seen"], np.isfinite(counted["markers"][..., 0]))
    again = fill_gaps(filled, longest=1.0)  # what was measured is still known
    assert_array_equal(again["seen"], seen)
    assert [g.marker for g in find_gaps(again)] == ["LASI", "C7"]


def test_a_gap_of_exactly_the_longest_is_filled():
    rec, _ = holed((1, 10, 14))  # from 0.09 to 0.14 s
    assert len(find_gaps(fill_gaps(rec, longest=0.05))) == 0
    assert len(find_gaps(fill_gaps(rec, longest=0.0499))) == 1


def test_some_markers_only_and_hopeless_ones():
    rec, _ = holed((0, 5, 8), (1, 5, 8), (2, 0, 200), (3, 1, 200))
    filled = fill_gaps(rec, markers=["LASI", "LTOE", "C7"])
    assert [g.marker for g in find_gaps(filled)] == ["RASI", "LTOE", "C7"]
    with pytest.raises(InputError, match="no such marker"):
        fill_gaps(rec, markers=["nose"])
    with pytest.raises(InputError, match="longest"):
        fill_gaps(rec, longest=-1)


def tone(frequency, rate=100.0, samples=2000):
    t = np.arange(samples) / rate
    values = np.sin(2 * np.pi * frequency * t)
    return recording(np.repeat(values, 3).reshape(-1, 1, 3), ["a"], rate=rate), values


def gain(rec, values):
    """Size and delay of a tone in the middle, where no end is felt."""
    middle = slice(len(values) // 4, 3 * len(values) // 4)
    return np.sqrt(np.mean(rec["markers"][middle, 0, 0] ** 2) / np.mean(values[middle] ** 2))


@pytest.mark.parametrize("order", [1, 2, 4])
@pytest.mark.parametrize("zero_phase", [True, False])
@pytest.mark.parametrize(("cutoff", "rate"), [(8.0, 100.0), (20.0, 50.0), (6.0, 1000.0)])
def test_power_is_halved_at_the_cutoff(order, zero_phase, cutoff, rate):
    rec, values = tone(cutoff, rate, samples=4000)
    # 1/√2 whatever the order and the passes; the tone's mean square over whole periods is 1/2 within 1/samples.
    assert gain(low_pass(rec, cutoff, order=order, zero_phase=zero_phase), values) == pytest.approx(2**-0.5, rel=2e-3)


def test_order_of_the_passes():
    slow, fast = tone(2.0), tone(32.0)
    assert gain(low_pass(slow[0]), slow[1]) > 0.99
    w = np.tan(np.pi * 0.32) / np.tan(np.pi * 0.08)
    shrink = (2**0.5 - 1) ** 0.25
    assert gain(low_pass(fast[0]), fast[1]) == pytest.approx(1 / (1 + (w * shrink) ** 4), rel=1e-2)
    assert gain(low_pass(fast[0], zero_phase=False), fast[1]) == pytest.approx((1 + w**4) ** -0.5, rel=1e-2)


def test_zero_phase_does_not_delay_and_the_causal_one_does():
    rec, values = tone(3.0)
    middle = slice(500, 1500)
    both = low_pass(rec)["markers"][middle, 0, 0]
    one = low_pass(rec, zero_phase=False)["markers"][:, 0, 0]
    assert abs(np.corrcoef(both, values[middle])[0, 1] - 1) < 1e-9
    assert np.corrcoef(one[503:1503], values[middle])[0, 1] > np.corrcoef(one[middle], values[middle])[0, 1] + 0.05


def test_causal_filter_never_looks_ahead():
    points = motion(100)
    changed = points.copy()
    changed[60:] += 1.0
    a, b = (low_pass(recording(p), zero_phase=False)["markers"] for p in (points, changed))
    assert_array_equal(a[:60], b[:60])
    assert np.abs(a[60:] - b[60:]).max() > 0.5


@pytest.mark.parametrize("zero_phase", [True, False])
def test_gaps_are_left_alone_and_do_not_spread(zero_phase):
    rec, _ = holed((0, 50, 60), (1, 0, 1), (1, 3, 199), (2, 100, 200))
    smooth = low_pass(rec, zero_phase=zero_phase)["markers"]
    assert_array_equal(np.isnan(smooth), np.isnan(rec["markers"]))
    alone = low_pass(recording(rec["markers"][60:, :1], ["a"]), zero_phase=zero_phase)["markers"]
    assert_array_equal(smooth[60:, :1], alone)


def test_a_constant_stays():
    rec = recording(np.full((50, 2, 3), 1.25), ["a", "b"])
    for zero_phase in (True, False):
        assert_allclose(low_pass(rec, zero_phase=zero_phase)["markers"], 1.25, rtol=1e-12)


def test_wrong_filters():
    rec = recording()
    for options in ({"cutoff": 50.0}, {"cutoff": 0}, {"cutoff": np.nan}, {"order": 0}, {"order": 2.5}):
        with pytest.raises(InputError):
            low_pass(rec, **options)
    uneven = Channel("markers", unit="m", dims=("marker", "axis"), shape=(1, 3))
    rec = Recording.from_arrays([uneven], {"markers": np.zeros((3, 1, 3))}, times=[0.0, 0.1, 0.3])
    with pytest.raises(InputError, match="resample"):
        low_pass(rec)
    with pytest.raises(InputError, match="no markers"):
        find_gaps(Recording.from_arrays({"x": (Channel("x", rate=1.0), [1.0])}))
