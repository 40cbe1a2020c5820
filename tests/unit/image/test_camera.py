"""Cameras: axes, projection, and a frame that holds the whole motion."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stills import moving, part, still

from motiform.base.errors import InputError
from motiform.geometry import Ball, Box
from motiform.image import Camera


def test_right_up_and_forward():
    # From the right of the world (+z) one looks along −z, and x (forward) runs to the right of the picture.
    camera = Camera((0, 0, 5), (0, 0, 0))
    assert camera.axes == pytest.approx(np.array([[1, 0, 0], [0, 1, 0], [0, 0, -1]]))
    right, up, forward = Camera((3, 2, 1), (-1, 0, 4)).axes
    assert np.cross(forward, up) == pytest.approx(right)
    assert up[1] > 0.0
    assert right[1] == pytest.approx(0.0, abs=1e-15)


def test_from_above_x_points_up_in_the_picture():
    assert Camera((0, 5, 0), (0, 0, 0)).axes[1] == pytest.approx((1, 0, 0))


def test_a_point_is_seen_along_the_ray_of_its_pixel():
    camera, size = Camera((3, 2, 1), (-1, 0, 4), fov=0.9), (320, 200)
    points = np.random.default_rng(0).normal(size=(50, 3)) + camera.target
    column, row, depth = camera.project(points, size).T
    corner, right, down = camera.rays(size)
    directions = corner + column[:, None] * right + row[:, None] * down
    # Directions end at depth one, so the point is `depth` of them away. A few roundings of coordinates below 10.
    assert camera.position + depth[:, None] * directions == pytest.approx(points, abs=32 * 10 * np.finfo(float).eps)
    assert camera.project(np.array(camera.target), size)[:2] == pytest.approx((160, 100))


def test_the_upper_edge_is_half_the_angle_above_the_middle():
    camera = Camera((0, 0, 0), (0, 0, -1), fov=0.8)
    assert camera.project(np.array([0, np.tan(0.4), -1.0]), (64, 36))[1] == pytest.approx(0.0, abs=1e-13)


def gaps(camera, centers, radius, aspect):
    """How far balls stay inside the four edges of the picture [m]: the distance to each plane, less the radius."""
    x, y, z = ((np.asarray(centers) - camera.position) @ camera.axes.T).T
    tangent = np.tan(0.5 * camera.fov)
    planes = [(z * k - s * w) / np.hypot(1.0, k) for w, k in ((x, tangent * aspect), (y, tangent)) for s in (-1, 1)]
    return np.array(planes).min(1) - radius


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(*[st.floats(-50, 50)] * 3), min_size=1, max_size=12),
    st.floats(0.01, 5.0),
    st.tuples(st.floats(-1, 1), st.floats(-1, 1), st.floats(0.1, 1)),
    st.floats(0.2, 1.5),
    st.floats(0.4, 3.0),
)
def test_the_frame_holds_every_sample_and_no_more(path, radius, direction, fov, aspect):
    form = moving(Ball(radius), path, [(1, 0, 0, 0)] * len(path), np.arange(len(path)))
    camera = Camera.framing(form, direction, fov=fov, aspect=aspect, margin=0.0)
    room = gaps(camera, path, radius, aspect)
    # A few roundings of distances below 50 · 2 √3 / tan(0.1) m.
    slack = 1e-9
    assert room.min() > -slack
    # It stands as near as it can: two opposite edges touch.
    assert max(room[0], room[1]) < slack or max(room[2], room[3]) < slack
    assert camera.axes[2] == pytest.approx(-np.array(direction) / np.linalg.norm(direction), abs=1e-6)


def test_the_frame_follows_offset_and_turn():
    # The shape hangs two metres below the body's origin, which is turned upside down: it is two metres above.
    form = still(part("pendulum", Box((0.2, 0.2, 0.2)), (0, 0, 0), (0, 1, 0, 0), offset=(0, -2, 0)))
    camera = Camera.framing(form)
    column, row, _ = camera.project(np.array([0, 2, 0]), (160, 90))
    assert (column, row) == pytest.approx((80, 45), abs=1e-9)


def test_a_form_at_no_place_has_no_frame():
    with pytest.raises(InputError, match="no body at a finite place"):
        Camera.framing(still(part("ball", Ball(1.0), (np.nan, 0, 0))))
    with pytest.raises(InputError, match="0 parts"):
        Camera.framing(still())


def test_hints_of_a_scene():
    camera = Camera.from_hints({"from": [2, 1.5, 2], "to": [0, 1, 0], "fov": "40 deg"})
    assert camera.position == (2.0, 1.5, 2.0)
    assert camera.fov == pytest.approx(np.deg2rad(40))


@pytest.mark.parametrize(
    ("hints", "text"),
    [
        ({"from": [1, 2, 3]}, "'to' is missing"),
        ({"from": [1, 2, 3], "to": [1, 2, 3]}, "position and target must differ"),
        ({"from": [1, 2], "to": [0, 0, 0]}, "three finite numbers"),
        ({"from": [1, 2, float("nan")], "to": [0, 0, 0]}, "three finite numbers"),
        ({"from": [1, 2, 3], "to": 5}, "three finite numbers"),
        ({"from": [1, 2, 3], "to": [0, 0, 0], "fov": 4}, "between 0 and π"),
        ({"from": [1, 2, 3], "to": [0, 0, 0], "fob": 1}, "Did you mean 'fov'"),
        ({"from": [1, 2, 3], "to": [0, 0, 0], "up": [0, 0, 0]}, "not zero"),
    ],
)
def test_wrong_hints_are_named(hints, text):
    with pytest.raises(InputError, match=text):
        Camera.from_hints(hints)


def test_a_camera_stands_where_lengths_have_squares():
    with pytest.raises(InputError, match=r"camera: target must be a point .*up to 1e\+30"):
        Camera((0, 0, 1), (0, 1e308, 0))
