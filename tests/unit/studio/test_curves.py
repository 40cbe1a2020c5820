import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from motiform.record import Channel, Recording
from motiform.studio.curves import BUCKETS, curves_of, elements_of, value_at, with_cursor


def recording(name, values, *, unit="m", dims=(), rate=100.0):
    values = np.asarray(values, dtype=float)
    channel = Channel(name, unit=unit, dims=dims, shape=values.shape[1:], rate=rate)
    return Recording.from_arrays({name: (channel, values)})


def test_components_are_named_and_carry_the_unit():
    rec = recording("hand.position", np.random.default_rng(0).normal(size=(50, 3)), dims=("axis",))
    curves = curves_of(rec, "hand.position")
    assert curves.names == ("x", "y", "z")
    assert curves.label == "m"
    np.testing.assert_array_equal(np.stack(curves.values, 1), rec["hand.position"])


def test_one_element_of_many_is_shown():
    values = np.arange(4 * 1000 * 3.0).reshape(4, 1000, 3)
    rec = recording("flock.velocity", values, dims=("body", "axis"), unit="m/s")
    assert elements_of(values.shape[1:]) == 1000
    curves = curves_of(rec, "flock.velocity", 17)
    scaled = np.stack(curves.values, 1) * curves.scale + curves.offset
    # Scaling by a power of ten and back costs two roundings.
    np.testing.assert_allclose(scaled, values[:, 17], rtol=4 * np.finfo(float).eps)
    assert curves_of(rec, "flock.velocity", 10**9).names == ("x", "y", "z")  # too high: the last one


def test_long_recordings_are_thinned_but_keep_their_peaks():
    values = np.zeros(200_000)
    values[123_456], values[77_777] = 5.0, -3.0
    curves = curves_of(recording("force", values, unit="N"), "force")
    assert curves.time.size <= 2 * BUCKETS + 2
    assert curves.values[0].max() == 5.0
    assert curves.values[0].min() == -3.0


def test_a_small_drift_of_a_large_number_can_be_read():
    values = 12.5 + 5e-9 * np.sin(np.linspace(0, 9, 400))
    curves = curves_of(recording("energy", values, unit="J"), "energy")
    assert "10⁻⁹ J from 12.5" in curves.label
    assert 0.5 < np.ptp(curves.values[0]) < 1000
    # The value at an instant is in the channel's own unit; both roads round once at 12.5.
    assert value_at(curves, 2.0)[0] == pytest.approx(values[200], abs=4 * np.spacing(12.5))


def test_rounding_alone_looks_flat():
    values = 36.3 + np.spacing(36.3) * np.random.default_rng(0).integers(-4, 5, size=300)
    curves = curves_of(recording("energy", values, unit="J"), "energy")
    assert curves.label == "J"
    assert np.ptp(curves.values[0]) < 1e-9 * (curves.span[1] - curves.span[0])


def test_the_cursor_stands_at_the_instant():
    curves = curves_of(recording("angle", np.sin(np.linspace(0, 6, 601)), unit="rad"), "angle")
    time, value, cursor = with_cursor(curves, 2.345)
    at = np.flatnonzero(cursor > curves.span[0])
    assert at.size == 1
    assert time[at[0]] == 2.345
    assert cursor[at[0]] == curves.span[1]
    assert (np.diff(time) >= 0).all()
    assert value[at[0]] == pytest.approx(np.interp(2.345, curves.time, curves.values[0]))


@given(
    hnp.arrays(float, st.tuples(st.integers(1, 40), st.integers(1, 5)), elements=st.floats(allow_nan=True, width=64)),
    st.floats(-10, 10),
)
def test_any_numbers_give_a_plot(values, instant):
    with np.errstate(all="ignore"):
        curves = curves_of(recording("any", values, dims=("what",)), "any")
        data = with_cursor(curves, min(max(instant, curves.time[0]), curves.time[-1]))
    assert np.isfinite(curves.span).all()
    assert curves.span[0] < curves.span[1]
    assert len({len(line) for line in data}) == 1


def test_no_samples_are_no_curves():
    curves = curves_of(recording("p", np.empty((0, 7, 3)), dims=("body", "axis")), "p", 5)
    assert [v.size for v in curves.values] == [0, 0, 0]
    assert np.isnan(value_at(curves, 0.0)).all()
    assert all(len(line) == 3 for line in with_cursor(curves, 0.0))
