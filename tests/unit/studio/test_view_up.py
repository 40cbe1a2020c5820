"""The 3-D view of worlds with another axis up: page, light, ground and camera stand along it."""

from dataclasses import replace

import numpy as np
import pytest

from motiform.form import Form, Part
from motiform.geometry import Box
from motiform.motion.matter import NetworkBuilder
from motiform.spatial import rotation_from_quaternion, up_vector, upright
from motiform.studio.live import HAND, network_with_hand
from motiform.studio.view import View


@pytest.fixture
def shown(server, monkeypatch):
    """A view, and the directions that its page was told to have up."""
    directions = []
    monkeypatch.setattr(server.scene, "set_up_direction", directions.append)
    return View(server), directions


def standing(up, image=None):
    """A box that goes from 0.4 m below the world's origin up to 1 m."""
    u = up_vector(up)
    position = np.stack([-0.4 * u, 1.0 * u])[:, None]
    turns = np.broadcast_to([1.0, 0, 0, 0], (2, 1, 4))
    part = Part("box", Box((0.2, 0.2, 0.2)), np.zeros(3), np.array([1.0, 0, 0]), position, turns)
    return Form((part,), np.array([0.0, 1.0]), "standing", image or {}, up=tuple(u))


@pytest.mark.parametrize("up", ["y", "z", "-x", (0.3, -0.2, 0.8)])
def test_all_of_the_page_stands_along_up(shown, server, up):
    view, directions = shown
    form, u = standing(up), up_vector(up)
    view.show(form)
    view.set_cameras(form)
    assert directions == [form.up]
    level = rotation_from_quaternion(view._level.wxyz)
    assert level[:, 1] == pytest.approx(u, abs=1e-12)  # y of light and ground is up
    grid = next(handle for handle in view._handles if handle.name == "/level/ground")
    # Under the lowest corner of a box of 0.2 m: its half edges along up.
    assert grid.position == pytest.approx((0, -0.4 - 0.1 * np.abs(u).sum(), 0), abs=1e-12)
    start = server.initial_camera
    assert tuple(start.up) == form.up
    assert (np.array(start.position) - start.look_at) @ u > 0  # it looks down a little


def test_a_camera_of_the_scene_stands_along_up(shown, server):
    view, _ = shown
    form = standing("z", {"camera": {"from": [3.0, 1.0, 2.0], "to": [0.0, 0.0, 0.5]}})
    view.show(form)
    view.set_cameras(form)
    assert tuple(server.initial_camera.position) == (3.0, 1.0, 2.0)  # in the world's axes, as the scene's
    assert tuple(server.initial_camera.up) == (0.0, 0.0, 1.0)


def test_the_page_turns_only_where_up_changes_and_looks_anew_then(shown, server):
    view, directions = shown
    view.show(None)
    view.show(standing("y"))
    assert directions == [(0.0, 1.0, 0.0)]
    before = tuple(server.initial_camera.position)
    view.show(standing("z"))
    assert directions == [(0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    assert tuple(server.initial_camera.position) != before
    view.show(replace(standing("z"), title="another"))
    assert len(directions) == 2


def test_what_has_the_same_name_is_replaced_and_the_rest_removed(shown, server):
    view, _ = shown
    one = standing("y")
    view.show(replace(one, parts=(*one.parts, replace(one.parts[0], name="lid"))))
    before = {handle.name: handle for handle in view._handles}
    removed = []
    for name, handle in before.items():
        handle.remove = lambda name=name: removed.append(name)
    view.show(one)
    assert removed == ["/bodies/lid/shape", "/bodies/lid"]
    assert {handle.name for handle in view._handles} == {"/level/ground", "/bodies/box", "/bodies/box/shape"}


def test_parts_are_hidden_and_shown_until_others_come(shown):
    view, _ = shown
    one = standing("y")
    two = replace(one, parts=(*one.parts, replace(one.parts[0], name="lid")))
    view.show(two)
    assert view.parts == {"box": True, "lid": True}
    view.show_part("lid", False)
    assert view.parts == {"box": True, "lid": False}
    assert [root.visible for root in view._roots["lid"]] == [False]
    view.show(replace(two, title="run again"))
    assert [root.visible for root in view._roots["lid"]] == [False]  # the same parts keep their choice
    view.show_part("lid", True)
    assert view.parts["lid"]
    view.show_part("box", False)
    view.show(one)
    assert view.parts == {"box": True}


@pytest.mark.parametrize("up", ["y", "z", "-x"])
def test_a_new_hand_is_above_the_masses(up):
    R = upright(up).T
    builder = NetworkBuilder(gravity=R @ (0, -9.81, 0), frequency=1000)
    places = np.array([[0.0, 0.5, 0.0], [1.0, 0.5, 0.0], [0.0, 0.5, 0.4]])
    builder.masses("sheet", places @ R.T, mass=0.1, radius=0.05)
    hand = network_with_hand(builder.build()).group(HAND).position[0]
    # Above the middle of all by 1.5 radii of 0.12 of the size, which is 1.1 m with the balls.
    assert hand == pytest.approx(R @ (0.5, 0.55 + 1.5 * 0.12 * 1.1, 0.2), abs=1e-12)
