"""Plots: what is drawn, that extremes survive, that files are whole, that wrong names are told."""

import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from motiform.base.errors import InputError, RunError
from motiform.image.plot import compare_plot, plot_channels
from motiform.image.style import AXES
from motiform.record import Channel, Event, Recording
from motiform.record.labels import WRENCH_UNITS


def recording(samples=200, rate=100.0, seed=0):
    rng = np.random.default_rng(seed)
    data = {
        "energy": (Channel("energy", unit="J", rate=rate), 1 + 0.1 * rng.random(samples)),
        "hand.position": (
            Channel("hand.position", unit="m", dims=("axis",), shape=(3,), rate=rate),
            rng.random((samples, 3)),
        ),
        "hand.orientation": (
            Channel("hand.orientation", dims=("quaternion",), shape=(4,), rate=rate),
            rng.random((samples, 4)),
        ),
        "pair.position": (
            Channel("pair.position", unit="m", dims=("body", "axis"), shape=(2, 3), rate=rate),
            rng.random((samples, 2, 3)),
        ),
        "flock.speed": (
            Channel("flock.speed", unit="m/s^2", dims=("body",), shape=(50,), rate=rate),
            rng.random((samples, 50)),
        ),
    }
    return Recording.from_arrays(data, events=[Event(0.5, "hit"), Event(1.0, "hit"), Event(1.2, "stop")])


def labels(owner):
    """Texts of the legend of a panel, or of the events under all panels."""
    legend = owner.get_legend() if hasattr(owner, "get_legend") else next(iter(owner.legends), None)
    return [text.get_text() for text in legend.get_texts()] if legend else []


def named(count, labels=None, units=(), samples=50, dims=("coordinate",), shape=None, events=()):
    """A recording of numbers that grow with their place, so that the last vary the most."""
    shape = shape or (count,)
    slopes = np.arange(np.prod(shape)).reshape(shape)
    values = np.linspace(0, 1, samples).reshape(-1, *(1 for _ in shape)) * slopes
    channel = Channel("q", dims=dims, shape=shape, rate=100.0, units=units)
    names = {"coordinate": labels or [f"hip_{k}" for k in range(count)], "solid": ["left", "right"]}
    return Recording.from_arrays({"q": (channel, values)}, manifest={"labels": names}, events=events)


def test_a_panel_per_channel_with_labelled_components():
    rec = recording()
    figure = plot_channels(rec, ["hand.position", "hand.orientation", "energy"], title="Hand")
    position, orientation, energy = figure.axes
    assert labels(position) == ["x", "y", "z"]
    assert labels(figure) == ["hit (2)", "stop"]
    assert labels(orientation) == list("wxyz")
    assert labels(energy) == []
    assert energy.get_ylabel() == "energy [J]"
    assert "[m]" in position.get_ylabel()
    assert energy.get_xlabel() == "time [s]"
    assert position.get_xlabel() == ""
    assert figure.get_suptitle() == "Hand"
    np.testing.assert_array_equal(position.lines[1].get_ydata(), rec["hand.position"][:, 1])
    np.testing.assert_array_equal(position.lines[1].get_xdata(), rec.time("hand.position"))
    assert position.get_shared_x_axes().joined(position, energy)


def test_events_and_cursor_are_vertical_lines_on_every_panel():
    figure = plot_channels(recording(), ["energy", "hand.position"], cursor=0.75)
    for axes in figure.axes:
        times = sorted(segment[0][0] for lines in axes.collections for segment in lines.get_segments())
        assert times == [0.5, 1.0, 1.2]
        [cursor] = [line for line in axes.lines if line.get_gid() == "cursor"]
        assert list(cursor.get_xdata()) == [0.75, 0.75]


def test_few_bodies_are_lines_and_many_are_a_band():
    rec = recording()
    few, many = plot_channels(rec, ["pair.position", "flock.speed"]).axes
    assert labels(few)[:6] == ["0 x", "0 y", "0 z", "1 x", "1 y", "1 z"]
    assert len({(line.get_color(), str(line.get_linestyle()), line.get_label()) for line in few.lines}) == 6
    assert len(many.lines) == 1
    assert labels(many) == ["median"]
    assert many.get_legend().get_title().get_text() == "median, 5–95 % of 50"
    np.testing.assert_allclose(many.lines[0].get_ydata(), np.median(rec["flock.speed"], axis=1))
    low, high = np.quantile(rec["flock.speed"], [0.05, 0.95], axis=1)
    band = many.collections[0].get_paths()[0].vertices[:, 1]
    assert band.min() == pytest.approx(low.min())
    assert band.max() == pytest.approx(high.max())
    assert "m/s²" in many.get_ylabel()


def test_a_million_samples_draw_few_points_and_show_their_extremes():
    values = np.sin(np.linspace(0, 300, 1_000_000))
    values[123_456], values[777_777], values[500_000:500_010] = 9.0, -7.0, np.nan
    rec = Recording.from_arrays({"x": (Channel("x", rate=1000.0), values)})
    line = plot_channels(rec, "x").axes[0].lines[0]
    assert (
        len(line.get_xdata()) <= 2 * 1500 + 667
    )  # two of each of 1500 stretches, and what is left of a stretch of 667
    drawn = dict(zip(line.get_xdata().tolist(), line.get_ydata().tolist(), strict=True))
    assert drawn[123.456] == 9.0
    assert drawn[777.777] == -7.0
    assert 0.0 in drawn
    assert max(drawn) == 999.999


def test_gaps_stay_gaps_in_long_recordings():
    values = np.ones(30_000)
    values[10_000:20_000] = np.nan
    line = plot_channels(Recording.from_arrays({"x": (Channel("x", rate=1.0), values)}), "x").axes[0].lines[0]
    times, drawn = line.get_xdata(), line.get_ydata()
    assert np.isnan(drawn[(times > 10_100) & (times < 19_900)]).all()
    assert (drawn[(times < 9_900) | (times > 20_100)] == 1).all()


def test_band_of_a_long_recording_keeps_its_extremes():
    values = np.random.default_rng(1).random((20_000, 12))
    values[4321] = 50.0
    rec = Recording.from_arrays({"x": (Channel("x", dims=("body",), shape=(12,), rate=1.0), values)})
    axes = plot_channels(rec, "x").axes[0]
    assert axes.lines[0].get_ydata().max() == 50.0
    assert axes.collections[0].get_paths()[0].vertices[:, 1].max() == 50.0


def test_numbers_are_chosen_by_name():
    rec = recording()
    one, pair, all_x = plot_channels(rec, ["hand.position.y", "pair.position.1", "pair.position.*.x"]).axes
    np.testing.assert_array_equal(one.lines[0].get_ydata(), rec["hand.position"][:, 1])
    assert (labels(one), one.get_ylabel()) == ([], "hand.position.y\n[m]")
    assert labels(pair) == ["x", "y", "z"]
    np.testing.assert_array_equal(pair.lines[2].get_ydata(), rec["pair.position"][:, 1, 2])
    assert labels(all_x) == ["0", "1"]
    with pytest.raises(InputError, match=r"no such component of 'hand\.position' \(got 'q'; allowed: x, y, z"):
        plot_channels(rec, "hand.position.q")


def test_numbers_of_several_units_have_panels_of_their_own():
    rec = named(5, units=("rad", "rad", "m", "m", ""))
    angles, shifts, bare = plot_channels(rec, "q").axes
    assert [axes.get_ylabel() for axes in (angles, shifts, bare)] == ["q [rad]", "q [m]", "q"]
    assert (labels(angles), labels(shifts), labels(bare)) == (["hip_0", "hip_1"], ["hip_2", "hip_3"], ["hip_4"])
    np.testing.assert_array_equal(shifts.lines[1].get_ydata(), rec["q"][:, 3])
    wrench = named(0, units=WRENCH_UNITS, dims=("solid", "component"), shape=(2, 6))
    moments, forces = plot_channels(wrench, "q").axes
    assert labels(forces)[0], labels(forces)[3] == ("left force_x", "right force_x")
    assert "[N m]" in moments.get_ylabel()
    np.testing.assert_array_equal(forces.lines[4].get_ydata(), wrench["q.right.force_y"])
    # An axis has its colour; the solids are told apart by dashes.
    assert [line.get_color() for line in forces.lines] == [AXES[axis] for axis in "xyzxyz"]
    assert len({(line.get_color(), str(line._dash_pattern)) for line in forces.lines}) == 6


def test_of_many_coordinates_those_that_vary_the_most_are_drawn():
    rec = named(40)
    [axes] = plot_channels(rec, "q").axes
    assert labels(axes) == [f"hip_{k}" for k in range(28, 40)]
    assert axes.get_legend().get_title().get_text() == "12 of 40, those that vary the most"
    np.testing.assert_array_equal(axes.lines[-1].get_ydata(), rec["q"][:, 39])
    looks = {(line.get_color(), str(line._dash_pattern)) for line in axes.lines}
    assert len(looks) == 12


def test_gaps_of_some_do_not_hide_the_others_in_a_band():
    values = np.arange(40.0).reshape(2, 20) * np.ones((2, 20))
    values[0, :19], values[1] = np.nan, np.nan
    rec = Recording.from_arrays({"x": (Channel("x", dims=("body",), shape=(20,), rate=1.0), values)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drawn = plot_channels(rec, "x").axes[0].lines[0].get_ydata()
    assert drawn[0] == 19.0
    assert np.isnan(drawn[1])


@pytest.mark.parametrize("values", [[], [1.0]])
def test_no_course_is_no_plot(tmp_path, values):
    rec = Recording.from_arrays({"x": (Channel("x", rate=1.0), np.array(values))})
    for draw in (plot_channels, lambda rec, name, path: compare_plot({"a": rec}, name, path=path)):
        with pytest.raises(InputError, match=rf"needs more samples .*got \"{len(values)} of 'x'\"; allowed: 2 or more"):
            draw(rec, "x", path=tmp_path / "a.png")
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_finite_is_reported():
    gaps = {"x": (Channel("x", rate=1.0), np.full(9, np.nan)), "y": (Channel("y", rate=1.0), np.ones(9))}
    rec = Recording.from_arrays(gaps)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InputError, match="no value is finite"):
            plot_channels(rec, "x")
        empty, full = plot_channels(rec, ["x", "y"]).axes
    assert [text.get_text() for text in empty.texts] == ["no value is finite"]
    assert not full.texts


@pytest.mark.parametrize("size", [5e-324, 1e-300, 1e300, 1e307, 1.7e308, np.inf])
def test_any_size_of_numbers_is_drawn_or_left_out(size):
    rec = Recording.from_arrays({"x": (Channel("x", rate=1.0), [0.0, -size, size, 1.0])})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = plot_channels(rec, "x")
        figure.canvas.draw()
        compare_plot({"a": rec}, "x", log=True, drift=True).canvas.draw()
    assert np.isfinite(figure.axes[0].lines[0].get_ydata()).sum() == (4 if size <= 1e307 else 2)


# ---- what is beside the curves --------------------------------------------------------------------------------------
LONG = "impact: " + ", ".join(f"the {k}th ball on the ground" for k in range(9))


def boxes(figure):
    """Extents [inch] of panels, legends, labels and title, and of the figure."""
    renderer = figure.canvas.get_renderer()
    legends = [legend for axes in figure.axes if (legend := axes.get_legend())] + list(figure.legends)
    texts = [axes.yaxis.label for axes in figure.axes] + [figure.axes[-1].xaxis.label]
    texts += [offset for axes in figure.axes if (offset := axes.yaxis.get_offset_text()).get_text()]
    found = [one.get_window_extent(renderer) for one in (*figure.axes, *legends, *texts)]
    return [box.transformed(figure.dpi_scale_trans.inverted()) for box in found], legends


@pytest.mark.parametrize("count", [1, pytest.param(7, marks=pytest.mark.slow), 40])
@pytest.mark.parametrize("kinds", ["none", "few", "long", "many", "hail"])
@pytest.mark.parametrize("length", [3, 90])
def test_legends_take_no_width_and_nothing_is_cut_or_covered(count, kinds, length):
    events = {
        "none": [],
        "few": [Event(0.1, "hit"), Event(0.3, "leaves")],
        "long": [Event(0.1, LONG), Event(0.2, LONG.replace("impact", "rests"))],
        "many": [Event(0.01 * k, f"kind {k}: of something") for k in range(30)],
        "hail": [Event(0.0005 * k, f"{'impact' if k % 3 else 'sticks'}: ball {k % 17}") for k in range(800)],
    }[kinds]
    names = [f"{k:02}{'abcdefghi_' * 9}"[:length] for k in range(count)]
    rec = named(count, labels=names, events=events)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = plot_channels(rec, ["q", "q"], title="A title that is long " * 6)
    found, legends = boxes(figure)
    width, height = figure.get_size_inches()
    assert width == 7.0
    for box in found:  # within a pixel of 100 to the inch
        assert min(box.x0, box.y0) > -0.01
        assert box.x1 < width + 0.01
        assert box.y1 < height + 0.01
    panels, around = found[:2], found[2:]
    assert all(panel.width > 5.5 and panel.height > 0.8 for panel in panels)
    for n, one in enumerate(around):
        for other in (*panels, *around[n + 1 :]):
            over = [min(one.x1, other.x1) - max(one.x0, other.x0), min(one.y1, other.y1) - max(one.y0, other.y0)]
            assert min(over) < 0.01
    assert len(legends) == 2 + bool(events)
    shown = [text.get_text().replace("\n", "") for legend in legends for text in legend.get_texts()]
    assert all(name in shown for name in names[-12:])


@pytest.mark.parametrize("scale", [1e-9, 1e12])
def test_factors_of_numbers_are_not_covered_by_legends(scale):
    rec = recording()
    small = Recording.from_arrays([rec.channel("hand.position")], {"hand.position": scale * rec["hand.position"]})
    found, _ = boxes(plot_channels(small, "hand.position"))
    legend, offset = found[1], found[-1]
    assert offset.x1 < legend.x0
    assert offset.y0 < legend.y1  # beside one another: else this tells nothing


def test_events_are_kept_apart_or_put_together():
    rec = named(2, events=[Event(0.1, "hit: a"), Event(0.2, "hit: a"), Event(0.3, "leaves: a")])
    assert labels(plot_channels(rec, "q")) == ["hit: a (2)", "leaves: a"]
    rec = named(2, events=[Event(0.01 * k, f"{'hit' if k % 2 else 'leaves'}: ball {k}") for k in range(10)])
    assert labels(plot_channels(rec, "q")) == ["leaves (5)", "hit (5)"]
    rec = named(2, events=[Event(0.01 * k, f"kind {k}") for k in range(20) for _ in range(1 + (k == 19))])
    figure = plot_channels(rec, "q")
    assert len(labels(figure)) == 7
    assert {"kind 19 (2)", "14 other kinds (14)"} <= set(labels(figure))
    lines = figure.axes[0].collections
    assert len({tuple(line.get_color()[0]) for line in lines}) == 7
    assert sum(len(line.get_segments()) for line in lines) == 21


def test_many_events_leave_the_curves_to_be_seen():
    few = named(2, events=[Event(0.01 * k, "hit") for k in range(40)])
    many = named(2, events=[Event(0.005 * k, "hit" if k % 2 else "leaves") for k in range(80)])
    heights = [
        [segment[:, 1] for line in plot_channels(rec, "q").axes[0].collections for segment in line.get_segments()]
        for rec in (few, many)
    ]
    assert all((ends == (0, 1)).all() for ends in heights[0])
    assert max(ends.max() for ends in heights[1]) < 0.1
    assert len({tuple(ends) for ends in heights[1]}) == 2  # a row for each kind


def test_names_are_text_whatever_they_hold():
    names = ["_hidden", "$x^$", "a$b", "\\alpha", "<b>", "x" * 90]
    rec = named(6, labels=names)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = plot_channels(rec, ["q", *(f"q.{name}" for name in names)], title="$ of _all_ $^")
        figure.canvas.draw()
    assert [text.replace("\n", "").strip() for text in labels(figure.axes[0])] == names


def test_a_figure_that_is_too_small_is_reported():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InputError, match=r"too small .*1 × 0\.5 inches"):
            plot_channels(named(12), "q", size=(1, 0.5))
        assert tuple(plot_channels(named(12), "q", size=(5, 3)).get_size_inches()) == (5, 3)


@pytest.mark.parametrize(("suffix", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_files_by_suffix_whole_reproducible_and_never_over_another(tmp_path, suffix, magic):
    path = tmp_path / f"energy.{suffix}"
    plot_channels(recording(), "energy", path=path)
    first = path.read_bytes()
    assert first.startswith(magic)
    with pytest.raises(InputError, match="exists"):
        plot_channels(recording(seed=1), "energy", path=path)
    assert path.read_bytes() == first
    plot_channels(recording(), "energy", path=path, overwrite=True)
    assert path.read_bytes() == first
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_a_full_disk_is_reported_and_leaves_nothing(tmp_path, monkeypatch, suffix):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(RunError, match=f"a.{suffix}: cannot write the file: No space left on device"):
        plot_channels(recording(), "energy", path=tmp_path / f"a.{suffix}")
    assert list(tmp_path.iterdir()) == []


def test_png_has_200_dots_per_inch(tmp_path):
    plot_channels(recording(), "energy", path=tmp_path / "a.png", size=(4, 2))
    header = (tmp_path / "a.png").read_bytes()[16:24]
    assert (int.from_bytes(header[:4], "big"), int.from_bytes(header[4:], "big")) == (800, 400)


def test_wrong_input_is_reported(tmp_path):
    rec = recording()
    with pytest.raises(InputError, match=r"no such channel .*Did you mean 'energy'\?"):
        plot_channels(rec, "enrgy")
    with pytest.raises(InputError, match="a plot needs a channel"):
        plot_channels(rec, [])
    with pytest.raises(InputError, match=r"\.svg, \.pdf, \.png"):
        plot_channels(rec, "energy", path=tmp_path / "a.docx")
    with pytest.raises(InputError, match="folder"):
        plot_channels(rec, "energy", path=tmp_path / "none" / "a.png")
    with pytest.raises(InputError, match="size"):
        plot_channels(rec, "energy", size=(0, 3))


def test_compare_overlays_recordings():
    recs = {"euler": recording(seed=1), "rk4": recording(seed=2, samples=50, rate=25.0)}
    figure = compare_plot(recs, "energy", log=True)
    [axes] = figure.axes
    assert labels(axes) == ["euler", "rk4"]
    assert axes.get_yscale() == "log"
    np.testing.assert_array_equal(axes.lines[1].get_ydata(), recs["rk4"]["energy"])
    assert len(compare_plot(recs, "hand.position").axes) == 3


def test_compare_draws_the_drift_as_distance_from_the_start():
    rec = recording()
    [axes] = compare_plot({"a": rec}, "hand.position", drift=True, log=True).axes
    expected = np.linalg.norm(rec["hand.position"] - rec["hand.position"][0], axis=1)
    drawn = axes.lines[0].get_ydata()
    assert np.isnan(drawn[0])  # no drift at the start: a gap on a logarithmic axis
    np.testing.assert_allclose(drawn[1:], expected[1:])
    assert axes.get_ylabel().startswith("drift of hand")


def test_compare_refuses_what_does_not_compare():
    rec = recording()
    other = Recording.from_arrays({"energy": (Channel("energy", unit="kJ", rate=1.0), np.ones(3))})
    with pytest.raises(InputError, match="units"):
        compare_plot({"a": rec, "b": other}, "energy")
    with pytest.raises(InputError, match="no such channel"):
        compare_plot({"a": rec, "b": other}, "hand.position")
    with pytest.raises(InputError, match="a comparison needs a recording"):
        compare_plot({}, "energy")
    wide = Recording.from_arrays({"energy": (Channel("energy", "J", ("axis",), (3,), 1.0), np.ones((3, 3)))})
    with pytest.raises(InputError, match="another shape"):
        compare_plot({"a": rec, "b": wide}, "energy")
    mixed = named(2, units=("rad", "m"))
    with pytest.raises(InputError, match=r"several units .*rad, m.*such as q\.hip_0"):
        compare_plot({"a": mixed}, "q")
    assert compare_plot({"a": mixed}, "q.hip_1").axes[0].get_ylabel() == "q.hip_1 [m]"


def test_neither_matplotlib_at_import_nor_pyplot_ever():
    code = """
import sys
from motiform.image.plot import plot_channels
assert "matplotlib" not in sys.modules
from motiform.record import Channel, Recording
plot_channels(Recording.from_arrays({"x": (Channel("x", rate=1.0), [1.0, 2.0])}), "x")
assert "matplotlib" in sys.modules and "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
