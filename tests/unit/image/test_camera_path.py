"""Cameras that move: the curve through their keys, in pictures, films and scenes."""

import numpy as np
import pytest
from stills import moving, part, still

from motiform.base.errors import InputError, SceneError
from motiform.form.upright import stand_upright
from motiform.geometry import Ball, Box
from motiform.image import Camera, CameraPath, film, render
from motiform.image.path import camera_of
from motiform.scene.read.load import parse_scene
from motiform.spatial import exp_quaternion, rotation_from_quaternion

SIZE = (64, 36)
KEYS = (Camera((0, 1, 5), (0, 0, 0)), Camera((4, 2, 3), (1, 0, 0), fov=0.5), Camera((5, 1, -2), (1, 1, 0)))
EPS = np.finfo(float).eps


def numbers(camera):
    return np.array([*camera.position, *camera.target, camera.fov])


def test_two_keys_are_joined_by_the_cubic_that_rests_at_both():
    path, a, b = CameraPath((1.0, 3.0), KEYS[:2]), numbers(KEYS[0]), numbers(KEYS[1])
    for s in np.linspace(0.0, 1.0, 9):
        # The one cubic with the two values and no velocity at the ends: s² (3 − 2s).
        expected = a + (b - a) * s * s * (3 - 2 * s)
        assert numbers(path.at(1.0 + 2.0 * s)) == pytest.approx(expected, abs=32 * 5 * EPS)
    assert path.at(-7.0) == KEYS[0]
    assert path.at(99.0) == KEYS[1]


def test_three_keys_are_passed_without_a_jump_of_acceleration():
    path, h = CameraPath((0.0, 1.0, 3.0), KEYS), 1e-3
    for time, key in zip(path.times, KEYS, strict=True):
        assert path.at(time) == key
    at = {k: numbers(path.at(1.0 + k * h)) for k in (-2, -1, 0, 1, 2)}
    # Second differences on both sides of the key: pieces are cubics, so they differ by h (|x‴|₋ + |x‴|₊) at most, and
    # third derivatives of curves over numbers below 10 with intervals of 1 s and more are below 12·10·3.
    before, after = (at[-2] - 2 * at[-1] + at[0]) / h**2, (at[0] - 2 * at[1] + at[2]) / h**2
    assert np.abs(after - before).max() < h * 2 * 360
    assert np.abs(after).max() > 0.5
    rest = (numbers(path.at(h)) - numbers(path.at(0.0))) / h
    assert np.abs(rest).max() < h * 60  # x' = 0 at the end: half of the largest acceleration, times h


def test_between_equal_keys_it_stands_and_comes_to_rest_before():
    path = CameraPath((0.0, 1.0, 2.0, 3.0), (KEYS[0], KEYS[1], KEYS[1], KEYS[2]))
    for time in (1.0, 1.2, 1.77, 2.0):
        assert path.at(time) == KEYS[1]
    alone = CameraPath((0.0, 1.0), KEYS[:2])
    assert path.at(0.3) == alone.at(0.3)


def test_lines_and_one_key():
    path = CameraPath((0.0, 2.0), KEYS[:2], smooth=False)
    assert numbers(path.at(0.5)) == pytest.approx(0.75 * numbers(KEYS[0]) + 0.25 * numbers(KEYS[1]), abs=8 * EPS)
    assert CameraPath((4.0,), KEYS[:1]).at(0.0) == KEYS[0]


def test_a_turned_path_is_the_path_turned():
    turn = rotation_from_quaternion(exp_quaternion(np.array([0.3, -1.2, 0.7])))
    path = CameraPath((0.0, 1.0, 3.0), KEYS)
    assert numbers(path.turned(turn).at(1.7)) == pytest.approx(numbers(path.at(1.7).turned(turn)), abs=256 * EPS)


@pytest.fixture(scope="module")
def flight():
    return moving(Box((0.5, 0.3, 0.2)), [(0, 0.5, 0), (1, 0.5, 0)], [(1, 0, 0, 0)] * 2, [0.0, 1.0])


def test_stills_and_films_are_seen_by_it(flight, tmp_path):
    path = CameraPath((0.0, 1.0), (Camera((0, 1, 3), (0, 0.5, 0)), Camera((3, 1, 0), (1, 0.5, 0))))
    for time in (0.0, 0.4, 1.0):
        assert np.array_equal(
            render(flight, time=time, camera=path, size=SIZE, ground=False),
            render(flight, time=time, camera=path.at(time), size=SIZE, ground=False),
        )
    made = film(flight, tmp_path / "a.mp4", camera=path, size=SIZE, fps=4)
    written = made.stat().st_mtime_ns
    film(flight, made, camera=path, size=SIZE, fps=4)  # this very film: not made again
    assert made.stat().st_mtime_ns == written
    with pytest.raises(InputError, match="exists already"):
        film(flight, made, camera=CameraPath(path.times, path.cameras, smooth=False), size=SIZE, fps=4)


SCENE = """
[scene]
title = "ball"
duration = 1
[[body]]
name = "ball"
shape.ball = "10 cm"
mass = 1
[image.camera]
to = [0, 1, 0]
path = [{ time = 0, from = [0, 1, 3] }, { time = "500 ms", from = [2, 1, 2], fov = "30 deg" }]
"""


def test_a_scene_says_the_same():
    image = parse_scene(SCENE, name="a.toml").document.image.model_dump(mode="json", by_alias=True, exclude_none=True)
    form = still(part("ball", Ball(0.1)))
    object.__setattr__(form, "image", image)
    expected = CameraPath((0.0, 0.5), (Camera((0, 1, 3), (0, 1, 0)), Camera((2, 1, 2), (0, 1, 0), fov=np.pi / 6)))
    assert camera_of(form) == expected.over((0.0, 1.0, 0.0))
    assert Camera.of(form) == expected.over((0.0, 1.0, 0.0)).at(0.0)
    object.__setattr__(form, "up", (0.0, 0.0, 1.0))
    turned = camera_of(stand_upright(form))
    assert turned.at(0.0).position == pytest.approx((0, 3, -1))  # z up becomes y up, y becomes −z


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (("time = 0,", "time = 2,"), "must increase"),
        (("to = [0, 1, 0]", ""), "'to' of the key at 0 s is missing"),
        (("from = [0, 1, 3]", "from = [0, 1, 0]"), "one point"),
        (("to = [0, 1, 0]", "to = [0, 1, 0]\nsmooth = 3"), "smooth"),
        (("path = [{ time = 0, from = [0, 1, 3] }, {", "path = [{ when = 1 }, {"), "when"),
        (("path = ", "route = "), "route"),
        (("path = [{ time = 0, from = [0, 1, 3] }, ", "smooth = true\nplace = ["), "place"),
    ],
)
def test_bad_paths_of_scenes_are_refused(change, text):
    with pytest.raises(SceneError, match=text):
        parse_scene(SCENE.replace(*change), name="a.toml")


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: CameraPath((0.0, 0.0), KEYS[:2]), "increase"),
        (lambda: CameraPath((0.0, np.nan), KEYS[:2]), "finite"),
        (lambda: CameraPath((0.0,), KEYS[:2]), "a time for each camera"),
        (lambda: CameraPath((), ()), "a time for each camera"),
        (lambda: CameraPath((0.0, 1.0), (KEYS[0], Camera((0, 1, 5), (0, 0, 0), up=(0, 1, 0)))), "up direction"),
        (lambda: CameraPath.from_hints({"path": [{"from": [0, 1, 2], "to": [0, 0, 0]}]}), "keys with times"),
        (lambda: CameraPath.from_hints({"path": 3}), "keys with times"),
        (lambda: CameraPath((0.0, 1.0), (KEYS[0], Camera((0, -1, -5), (0, 0, 0)))).at(0.5), "differ"),
    ],
)
def test_bad_paths_are_refused(make, text):
    with pytest.raises(InputError, match=text):
        make()
