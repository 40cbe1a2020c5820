"""Plots: what is drawn, that extremes survive, that files are whole, that wrong names are told."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from motiform.base.errors import InputError, RunError
from motiform.image.plot import compare_plot, plot_channels
from motiform.record import Channel, Event, Recording


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


def labels(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()] if axes.get_legend() else []


def test_a_panel_per_channel_with_labelled_components():
    rec = recording()
    figure = plot_channels(rec, ["hand.position", "hand.orientation", "energy"], title="Hand")
    position, orientation, energy = figure.axes
    assert labels(position) == ["x", "y", "z", "event: hit", "event: stop"]
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
    assert "$^{2}$" in many.get_ylabel()


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


def test_one_and_no_samples_can_be_plotted():
    for values in ([1.0], []):
        rec = Recording.from_arrays({"x": (Channel("x", rate=1.0), np.array(values))})
        figure = plot_channels(rec, "x")
        figure.canvas.draw()
        assert len(figure.axes[0].lines[0].get_xdata()) == len(values)


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
def test_a_full_disk_is_told_and_leaves_nothing(tmp_path, monkeypatch, suffix):
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


def test_wrong_input_is_told(tmp_path):
    rec = recording()
    with pytest.raises(InputError, match=r"unknown channel .*Did you mean 'energy'\?"):
        plot_channels(rec, "enrgy")
    with pytest.raises(InputError, match="no channel"):
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
    with pytest.raises(InputError, match="unknown channel"):
        compare_plot({"a": rec, "b": other}, "hand.position")
    with pytest.raises(InputError, match="no recording"):
        compare_plot({}, "energy")
    wide = Recording.from_arrays({"energy": (Channel("energy", "J", ("axis",), (3,), 1.0), np.ones((3, 3)))})
    with pytest.raises(InputError, match="another shape"):
        compare_plot({"a": rec, "b": wide}, "energy")


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
