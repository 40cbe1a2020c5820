"""Points of a channel and lines between two channels, hidden where nothing was measured."""

import numpy as np
import pytest

from motiform.form import dress, strobe
from motiform.image import Camera, cast_form, film, render
from motiform.image.export import export
from motiform.image.extent import form_bounds
from motiform.record import Channel, Recording

BLUE, RED = [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]


@pytest.fixture
def compared():
    """A box that stands still, two markers of which the second is not seen at the second of three samples, two tags."""
    markers = np.tile([[0.0, 2.0, 0.0], [1.0, 2.0, 0.0]], (3, 1, 1))
    markers[1, 1] = np.nan
    markers[:, 0, 1] += [0.0, 0.1, 0.2]
    tags = np.tile([[0.0, 1.0, 0.0], [1.0, 1.5, 0.0]], (3, 1, 1))
    still = np.zeros((3, 3))
    turn = np.tile([1.0, 0.0, 0.0, 0.0], (3, 1))
    data = {
        "box.position": (Channel("box.position", unit="m", dims=("axis",), shape=(3,), rate=10.0), still),
        "box.orientation": (Channel("box.orientation", dims=("quaternion",), shape=(4,), rate=10.0), turn),
    }
    for name, values in (("markers", markers), ("tags", tags)):
        data[name] = (Channel(name, unit="m", dims=("tag", "axis"), shape=(2, 3), rate=10.0), values)
    box = {"shape": {"kind": "box", "size": [0.5, 0.5, 0.5]}, "offset": [0.0, 0.0, 0.0], "color": [0.5, 0.5, 0.5]}
    form = {
        "box": {**box, "position": "box.position", "orientation": "box.orientation"},
        "markers": {"points": "markers", "radius": 0.1, "color": BLUE},
        "errors": {"lines": ["markers", "tags"], "radius": 0.02, "color": RED},
    }
    return Recording.from_arrays(data, manifest={"form": form})


def test_points_are_balls_at_the_places_of_a_channel(compared):
    points, lines = (
        next(part for part in dress(compared).parts if part.name == name) for name in ("markers", "errors")
    )
    np.testing.assert_array_equal(points.position, compared["markers"])
    assert points.shape.radius == 0.1
    assert points.points
    beads = lines.position.reshape(3, 2, -1, 3)
    np.testing.assert_array_equal(beads[:, :, 0], compared["markers"])
    np.testing.assert_array_equal(beads[0, :, -1], compared["tags"][0])
    assert np.isnan(beads[1, 1]).any(axis=-1).all()  # no line to a marker that was not seen


def test_rays_pass_where_a_marker_was_not_seen(compared):
    form = dress(compared)
    down = np.array([[0.0, -1.0, 0.0]])
    above = np.array([[1.0, 5.0, 0.0]])
    distance = [cast_form(form, k, above, down)[0][0] for k in range(3)]
    assert distance[0] == pytest.approx(5.0 - 2.1, abs=1e-12)  # the top of the ball
    assert distance[2] == distance[0]
    assert distance[1] == np.inf


def test_a_ghost_does_not_move_the_camera(compared):
    form = dress(compared)
    np.testing.assert_allclose(form_bounds(form)[1], 0.25 * np.sqrt(3), atol=1e-12)  # the ball around the box alone


def test_pictures_films_strobes_and_files_work(compared, tmp_path):
    form = dress(compared)
    camera = Camera((0.5, 1.5, 6.0), (0.5, 1.5, 0.0))
    seen = [_blue(render(form, k, camera=camera, size=(96, 64), samples_per_pixel=4)) for k in range(3)]
    assert seen[1] < 0.75 * seen[0]  # one of two markers is gone
    assert seen[2] > 0.75 * seen[0]
    assert _blue(render(strobe(form, 3), 0, camera=camera, size=(96, 64))) > 0
    assert film(form, tmp_path / "a.mp4", size=(64, 48)).exists()
    for name in ("a.glb", "a.x3d"):
        assert export(compared, tmp_path / name).exists()  # less the marker that was not always seen


def _blue(pixels):
    values = pixels.astype(int)
    return int(((values[..., 2] > 90) & (values[..., 0] < 0.6 * values[..., 2])).sum())
