import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from motiform.record import Channel, Recording
from motiform.studio.curves import BUCKETS, curves_of, element, element_names, elements_of, value_at, with_cursor
from motiform.studio.plots import _values_html


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
    assert element_names(rec, "flock.velocity") == ()  # a thousand are chosen by number
    assert element(rec, "flock.velocity", 17) == "flock.velocity.17"
    curves = curves_of(rec, "flock.velocity.17")
    scaled = np.stack(curves.values, 1) * curves.scale + curves.offset
    # Scaling by a power of ten and back costs two roundings.
    np.testing.assert_allclose(scaled, values[:, 17], rtol=4 * np.finfo(float).eps)
    assert curves.names == ("x", "y", "z")
    assert element(rec, "flock.velocity", 10**9) == "flock.velocity.999"  # too high: the last one


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
    curves = curves_of(recording("p", np.empty((0, 7, 3)), dims=("body", "axis")), "p.5")
    assert [v.size for v in curves.values] == [0, 0, 0]
    assert np.isnan(value_at(curves, 0.0)).all()
    assert all(len(line) == 3 for line in with_cursor(curves, 0.0))


def named(labels, values, dims=("coordinate",), units=()):
    values = np.asarray(values, float)
    channel = Channel("q", dims=dims, shape=values.shape[1:], rate=10.0, units=units)
    return Recording.from_arrays({"q": (channel, values)}, manifest={"labels": labels})


def test_coordinates_are_chosen_by_name_and_have_their_units():
    labels = {"coordinate": [f"hip {k}" for k in range(9)] + ["pelvis.x"]}
    rec = named(labels, np.arange(30.0).reshape(3, 10), units=("rad",) * 9 + ("m",))
    assert element_names(rec, "q") == tuple(labels["coordinate"])
    curves = curves_of(rec, "q.pelvis.x")
    assert (curves.names, curves.units, curves.label) == (("value",), ("m",), "m")
    assert value_at(curves, 0.1) == pytest.approx([19.0])
    few = curves_of(named({"coordinate": ["hip", "x"]}, np.ones((3, 2)), units=("rad", "m")), "q")
    assert (few.names, few.units, few.label) == (("hip", "x"), ("rad", "m"), "rad, m")
    assert "rad" in _values_html(few, 0.0)
    assert ">hip<" in _values_html(few, 0.0)


def test_solids_are_chosen_by_name_and_give_their_components():
    rec = named({"solid": ["left", "right"]}, np.ones((3, 2, 6)), dims=("solid", "component"))
    assert element_names(rec, "q") == ("left", "right")
    assert curves_of(rec, "q.left").names[3:] == ("force_x", "force_y", "force_z")


@given(st.text(max_size=20))
def test_names_are_text_on_the_page_whatever_they_hold(name):
    labels = {"coordinate": ["<img src=x onerror=alert(1)>", name, "a&b", '"quoted"']}
    shown = _values_html(curves_of(named(labels, np.ones((2, 4)), units=("<b>", "m", "", "")), "q"), 0.0)
    bare = shown.replace("<span", "").replace("</span>", "").replace("<div", "").replace("</div>", "")
    assert "<" not in bare
    assert "&lt;img src=x onerror=alert(1)&gt;" in shown
    assert "&lt;b&gt;" in shown
    assert "a&amp;b" in shown


def test_axes_have_the_same_colours_in_the_studio_and_on_paper():
    from motiform.image.plot import plot_channels
    from motiform.image.style import AXES

    rec = recording("hand.position", np.random.default_rng(0).normal(size=(50, 3)), dims=("axis",))
    lines = plot_channels(rec, "hand.position").axes[0].lines
    assert [line.get_color() for line in lines] == [AXES[axis] for axis in "xyz"]
    shown = _values_html(curves_of(rec, "hand.position"), 0.0)
    assert [part[:7] for part in shown.split("color:")[1:]] == [AXES[axis] for axis in "xyz"]
