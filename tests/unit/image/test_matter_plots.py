"""The plane of cells: what is drawn, and where."""

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.image.matter_plots import plot_triangle
from motiform.motion.matter.stability.cell import PROTOTYPES
from motiform.motion.matter.stability.criterion import assess


def labels(axes):
    return [text.get_text() for text in (axes.artists[0] if axes.artists else axes.get_legend()).get_texts()]


def network(scale=1.0, count=40):
    a = np.arange(count - 1)
    k, z = scale * np.linspace(500, 9000, count - 1), scale * np.linspace(0.1, 4, count - 1)
    movable = np.arange(count) > 0
    return assess(np.full(count, 0.01), a, a + 1, k, z, 0.001, movable=movable)


def test_the_empty_plane_names_regimes_and_points():
    axes = plot_triangle().axes[0]
    assert labels(axes) == ["oscillating", "critical (C)", "overdamped", "without a continuous\ncounterpart"]
    assert {"O", "L", "S", "C", "unstable"} <= {text.get_text() for text in axes.texts}
    assert axes.get_xlim()[1] > 4
    assert axes.get_ylim()[1] > 2


def test_masses_are_dots_by_group_and_fixed_ones_are_left_out():
    found = network()
    axes = plot_triangle(found, groups=["skin"] * 20 + ["bone"] * 20).axes[0]
    assert labels(axes) == ["skin (19)", "bone (20)"]
    drawn = np.concatenate(
        [np.asarray(dots.get_offsets()) for dots in axes.collections if dots.get_label() in labels(axes)]
    )
    places = np.unique(np.round(found.stiffest[1:] * 400), axis=0)
    assert len(drawn) == len(places)
    np.testing.assert_allclose(drawn.max(axis=0), found.stiffest.max(axis=0), atol=1 / 400)
    shades = [text.get_text() for text in axes.get_legend().get_texts()]
    assert "overdamped" in shades


def test_what_is_far_outside_is_an_arrow_with_its_number():
    axes = plot_triangle([(0.5, 0.5), (40.0, 1.0), (50.0, 2.0)]).axes[0]
    assert labels(axes) == ["masses (3)", "masses: 2 beyond,\nup to K + 2Z = 54"]
    assert axes.get_xlim()[1] <= 6


def test_a_soft_network_is_enlarged():
    assert len(plot_triangle(network(0.01)).axes[0].child_axes) == 1
    assert not plot_triangle(network()).axes[0].child_axes


def test_segments_and_their_marked_zone():
    axes = plot_triangle(segments=PROTOTYPES, marked=(0.5, 0.3)).axes[0]
    assert labels(axes) == list(PROTOTYPES)
    line = next(line for line in axes.lines if line.get_label() == "III")
    np.testing.assert_array_equal(line.get_xydata(), [(1, 0), (1, 1)])
    assert sum(patch.get_hatch() == "////" for patch in axes.patches) == len(PROTOTYPES)


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_files_are_whole_and_the_same_each_time(tmp_path, suffix):
    path = tmp_path / f"plane.{suffix}"
    plot_triangle(network(), title="A network", path=path)
    first = path.read_bytes()
    plot_triangle(network(), title="A network", path=path, overwrite=True)
    assert path.read_bytes() == first
    with pytest.raises(InputError, match="exists"):
        plot_triangle(network(), path=path)


def test_a_million_masses_are_few_dots():
    points = np.random.default_rng(0).uniform(0, 0.5, (1_000_000, 2)) ** 2
    axes = plot_triangle(points).axes[0]
    dots = next(dots for dots in axes.collections if dots.get_label() == "masses (1000000)")
    assert len(dots.get_offsets()) <= 101 * 101


def test_wrong_input_is_reported(tmp_path):
    with pytest.raises(InputError, match="a group for each mass"):
        plot_triangle([(0.5, 0.5)], groups=["a", "b"])
    with pytest.raises(InputError, match="points of the plane"):
        plot_triangle([0.5, 0.5])
    with pytest.raises(InputError, match="unknown kind of figure file"):
        plot_triangle(path=tmp_path / "plane.gif")
    with pytest.raises(InputError, match="size must be"):
        plot_triangle(size=(0, 3))
