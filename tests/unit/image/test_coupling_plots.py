"""Pictures of coupling: what they show."""

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.image.coupling_plots import plot_cut, plot_impedances, plot_influence, plot_scales, plot_schedule
from motiform.motion.matter import NetworkBuilder, links
from motiform.motion.matter.coupling import (
    Band,
    MarkerOnCell,
    ModelScale,
    Port,
    SignalScale,
    advise,
    compare_runs,
    separate,
)

ONE = MarkerOnCell(
    marker_mass=1.0, contact_stiffness=330.0, contact_damping=0.3, cell_mass=1e-3, cell_stiffness=0.1, cell_damping=2e-3
)
W = 2 * np.pi * np.geomspace(0.05, 500, 200)
PORTS = Port(W, ONE.marker_impedance(W), np.ones(len(W))), Port(W, ONE.cell_impedance(W))


def spans(axes):
    return sorted((patch.get_x(), patch.get_x() + patch.get_width()) for patch in axes.patches)


def test_impedances_with_the_band_and_the_verdict(tmp_path):
    path = tmp_path / "bode.png"
    figure = plot_impedances(*PORTS, names=("marker", "cell"), band=Band(0.5, 20.0), path=path)
    upper, lower = figure.axes[:2]
    assert path.stat().st_size > 10_000
    assert np.array_equal(upper.lines[0].get_ydata(), np.abs(PORTS[0].impedance))
    assert figure.get_suptitle().startswith("marker drives cell: cut cell → marker (0.5 to 20 Hz")
    kept, driven, fast = spans(upper)  # both kept, marker drives cell, both kept
    f = W / (2 * np.pi)
    quiet = f[np.abs(PORTS[1].impedance) <= 0.1 * np.abs(PORTS[0].impedance)]
    assert kept[1] == driven[0]
    assert driven[0] <= quiet[0] <= driven[0] * 1.05
    assert driven[1] == fast[0]
    edges = [line.get_xdata()[0] for line in lower.lines if np.ptp(line.get_xdata()) == 0]
    assert edges == [0.5, 20.0]


def test_a_band_in_which_both_are_kept_is_reported():
    figure = plot_impedances(
        *PORTS, band=Band(0.06, 20.0), asymptotes=(ONE.marker_asymptotes(W), ONE.cell_asymptotes(W))
    )
    assert "move one another" in figure.get_suptitle()
    assert len(figure.axes[0].lines) == 6  # two curves, their straight pieces, two edges of the band


@pytest.fixture(scope="module")
def compared():
    b = NetworkBuilder(gravity=(0, 0, 0))
    heavy = b.masses("heavy", [0, 0, 0], 10.0, velocity=[1.0, 0, 0])
    light = b.masses("light", [1.0, 0, 0], 0.01)
    b.link("tie", (heavy, light), links.spring(1.0, damping=0.1))
    net = b.build()
    advice = advise(net, {"heavy": "heavy", "light": "light"}, Band(1.0, 10.0), axes="x")
    return advice, compare_runs(net, advice, 0.5, rate=105.0)


def test_influences_of_a_network(compared, tmp_path):
    found = compared[0].pairs[0].influences["x"]
    figure = plot_influence(found, path=tmp_path / "influence.svg")
    assert np.array_equal(figure.axes[0].lines[0].get_ydata(), found.on_a)
    assert "heavy drives light" in figure.get_suptitle()


def test_errors_measured_and_foreseen(compared, tmp_path):
    runs = compared[1]
    figure = plot_cut(runs, title="heavy and light", path=tmp_path / "cut.png")
    left, right = figure.axes
    assert [line.get_label() for line in left.lines] == ["heavy", "light"]
    assert np.array_equal(left.lines[0].get_ydata(), runs.distances["heavy"])
    dots = [line.get_xdata()[0] for line in right.lines if len(line.get_xdata())]
    assert dots == [v for name in ("heavy", "light") for v in (runs[name].error, runs[name].predicted)]
    low, high = right.get_xlim()
    assert low < min(dots) < max(dots) < high


def test_schedule_names_groups_and_connections(tmp_path):
    found = separate("abcd", [("a", "b"), ("b", "a"), ("b", "c"), ("c", "d"), ("a", "d")])
    figure = plot_schedule(found, path=tmp_path / "runs.png")
    texts = {text.get_text() for text in figure.axes[0].texts}
    assert {"a, b", "c", "d", "b → c", "c → d", "a → d", "rank 0", "rank 2"} <= texts


def test_wrong_files_are_refused_before_the_work(tmp_path):
    with pytest.raises(InputError, match="unknown kind of figure file"):
        plot_impedances(*PORTS, path=tmp_path / "bode.jpeg")


def test_boxes_have_the_sides_of_what_they_show(tmp_path):
    model = ModelScale("image", 50.0, 32, points=2000, duration=10.0)
    signal = SignalScale("<seen>", time=(1.0, 10.0), space=(1.0, 100.0), range=(1.0, 2.0**16))
    figure = plot_scales([model], [signal], path=tmp_path / "boxes.png", title="boxes")
    axes = figure.axes[0]
    assert (tmp_path / "boxes.png").stat().st_size > 0
    assert axes.get_xlim() == pytest.approx((-1.0, np.log10(25.0)))
    assert axes.get_ylim() == pytest.approx((0.0, 3.0))
    assert axes.get_zlim() == pytest.approx((0.0, 32.0), abs=1e-8)
    assert [text.get_text() for text in axes.texts] == ["<seen>"]
    lone = plot_scales([ModelScale("sound", 44100.0, 16)], [])  # of time alone: flat
    assert lone.axes[0].get_ylim() == pytest.approx((-0.5, 0.5))
