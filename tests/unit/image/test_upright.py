"""Worlds with another axis up than y are drawn upright: the same picture as with y up."""

from dataclasses import replace

import numpy as np
import pytest
import robots
from stills import part, still

from motiform.form import Form, LinkParts, Part, Skin, dress, stand_upright
from motiform.geometry import Ball, Box, Capsule, Cylinder
from motiform.image import Camera, render
from motiform.image.extent import lowest_height
from motiform.spatial import quaternion_from_rotation, rotation_from_quaternion, up_vector, upright
from motiform.spatial.up_axis import AXES

SIZE = (160, 90)
TILTED = (0.3, -0.2, 0.8)


def world(image=None):
    """A form with y up of all that is drawn: bodies, points, links and a skin, with holes; two samples."""
    turns = np.array([[0.9, 0.3, 0.2, 0.1], [0.8, -0.2, 0.5, 0.3]])
    at = np.array([[0.0, 0.5, 0.1], [0.2, 0.6, 0.0]])
    body = Part("box", Box((0.3, 0.5, 0.2)), np.array([0.1, 0.0, 0.0]), np.array([0.8, 0.3, 0.2]), at[:, None],
                (turns / np.linalg.norm(turns, axis=1)[:, None])[:, None])  # fmt: skip
    points = np.tile([[-0.6, 0.2, 0.3], [-0.6, 0.9, -0.2], [np.nan] * 3], (2, 1, 1))
    balls = Part("balls", Ball(0.1), np.zeros(3), np.array([0.2, 0.5, 0.8]), points,
                 np.broadcast_to([1.0, 0, 0, 0], (2, 3, 4)), points=True)  # fmt: skip
    rope = LinkParts(
        "rope", points[:, :1], points[:, 1:2], np.array([[0, 0]]), np.array([0.03]), np.array([0.4, 0.3, 0.3])
    )
    sheet = np.tile([[0.5, 0.3, -0.4], [0.5, 0.8, -0.4], [0.9, 0.9, 0.1], [0.9, 0.3, 0.1]], (2, 1, 1))
    skin = Skin("sheet", sheet, np.array([[0, 1, 2], [0, 2, 3]]), np.array([0.3, 0.7, 0.4]))
    return Form((body, balls), np.array([0.0, 1.0]), "world", image or {}, (rope,), (skin,))


def turned(form, up):
    """The form in a world in which another direction is up: all of it turned from y to there."""
    R = upright(up).T

    def turn(x):
        return np.einsum("ij,...j->...i", R, x)

    def turn_axes(q):
        return quaternion_from_rotation(R @ rotation_from_quaternion(q))

    parts = [replace(p, position=turn(p.position), orientation=turn_axes(p.orientation)) for p in form.parts]
    links = [replace(k, first=turn(k.first), second=turn(k.second)) for k in form.links]
    skins = [replace(s, vertices=turn(s.vertices)) for s in form.skins]
    camera = {key: turn(np.array(value)).tolist() for key, value in form.image.get("camera", {}).items()}
    image = {**form.image, **({"camera": camera} if camera else {})}
    return replace(
        form, parts=tuple(parts), links=tuple(links), skins=tuple(skins), image=image, up=tuple(up_vector(up))
    )


def check_same(one, other):
    """Rounding moves a code by one at most, but where a ray passes the edge of something within rounding."""
    off = np.abs(one.astype(int) - other.astype(int)).max(-1)
    assert (off > 1).mean() <= 1e-3


@pytest.mark.parametrize("up", [*AXES, TILTED])
@pytest.mark.parametrize(
    "image", [{}, {"camera": {"from": [2.0, 1.5, 2.0], "to": [0.1, 0.4, 0.0]}}, {"ground_height": 0.1}]
)
def test_any_direction_may_be_up(up, image):
    form = world(image)
    there = turned(form, up)
    for options in ({"sample": 0}, {"time": 0.4}):  # at a sample, and between two
        check_same(render(there, size=SIZE, **options), render(form, size=SIZE, **options))
    assert lowest_height(there) == pytest.approx(lowest_height(form), abs=1e-14)
    # And lying on its side it is another picture.
    side = render(replace(there, up=(0.0, 0.6, 0.8) if up == "y" else (0.0, 1.0, 0.0)), 0, size=SIZE)
    off = np.abs(side.astype(int) - render(form, 0, size=SIZE).astype(int)).max(-1)
    assert (off > 10).mean() > 0.05


@pytest.mark.parametrize("up", ["z", "-x"])
def test_a_camera_without_up_stands_as_the_world_does(up):
    form, R = world(), upright(up).T
    place, target = np.array([2.0, 1.0, 1.5]), np.array([0.1, 0.4, 0.0])
    here = render(form, 0, size=SIZE, camera=Camera(tuple(place), tuple(target)))
    there = turned(form, up)
    check_same(render(there, 0, size=SIZE, camera=Camera(tuple(R @ place), tuple(R @ target))), here)
    lean = np.array([0.2, 1.0, 0.1])  # an up of its own counts
    here = render(form, 0, size=SIZE, camera=Camera(tuple(place), tuple(target), tuple(lean)))
    rotated = Camera(tuple(R @ place), tuple(R @ target), tuple(R @ lean))
    check_same(render(there, 0, size=SIZE, camera=rotated), here)


@pytest.mark.parametrize("up", AXES)
def test_what_is_higher_is_higher_in_the_picture(up):
    u = up_vector(up)
    form = replace(still(part("pole", Ball(0.1), [0.5 * u, 1.5 * u])), up=tuple(u))
    camera = Camera.framing(form)
    low, high = camera.project(np.stack([0.5 * u, 1.5 * u]), SIZE)
    assert high[1] < low[1] - 20
    assert abs(high[0] - low[0]) < 1e-6  # and straight above
    assert camera.position @ u > 0.5  # it looks down on the motion


@pytest.mark.parametrize("up", ["z", "-y", TILTED])
def test_the_ground_sinks_along_up(up):
    for shape in (Box((0.3, 0.5, 0.9)), Cylinder(0.2, 0.8), Capsule(0.1, 0.7), Ball(0.4)):
        form = still(part("body", shape, (0.3, 0.1, -0.2), (0.8, 0.4, 0.4, 0.2), offset=(0.1, 0.2, 0.0)))
        assert lowest_height(turned(form, up)) == pytest.approx(lowest_height(form), abs=1e-14)
        assert lowest_height(form) < -0.02


@pytest.mark.parametrize("robot", [robots.walker, robots.pendulum])
def test_a_robot_looks_the_same_whichever_axis_of_its_file_is_up(robot, tmp_path):
    own, raised = dress(robot(tmp_path)), dress(robot(tmp_path, up="y"))
    assert (own.up, raised.up) == ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0))
    here, there = (render(form, -1, size=SIZE) for form in (own, raised))
    check_same(here, there)
    lying = render(replace(own, up=(0.0, 1.0, 0.0)), -1, size=SIZE)  # as if y were up
    assert (np.abs(here.astype(int) - lying.astype(int)).max(-1) > 10).mean() > 0.05


def test_the_walker_stands_on_the_ground_of_the_picture(tmp_path):
    form = dress(robots.walker(tmp_path))
    assert form.image["ground_height"] == 0.0
    assert "obstacle floor" not in [p.name for p in form.parts]  # the ground of the picture stands for it
    # Its feet end at the floor; a contact by steps lets them in by what they fall in one, 9.81·1e-3·0.04.
    assert abs(lowest_height(form)) <= 4e-4
    # Seen from the side and level, the head is above the trunk, the feet below.
    camera = Camera.framing(form, (0, 0, 1))
    rows = {p.name: camera.project(p.position[-1, 0], SIZE)[1] for p in form.parts if p.name in ("head", "trunk")}
    assert rows["head"] < rows["trunk"]


def test_a_pendulum_without_gravity_stands_as_its_file_does(tmp_path):
    form = dress(robots.pendulum(tmp_path, gravity=(0, 0, 0)))
    assert form.up == (0.0, 0.0, 1.0)


def test_an_upright_form_is_left_as_it_is():
    form = world()
    assert stand_upright(form) is form


@pytest.mark.parametrize("up", ["z", TILTED])
def test_a_form_is_turned_upright(up):
    form = world({"camera": {"from": [2.0, 1.5, 2.0], "to": [0.1, 0.4, 0.0]}})
    back = stand_upright(turned(form, up))
    assert back.up == (0.0, 1.0, 0.0)
    close = {"rtol": 0, "atol": 4e-16 * 8}  # two rotations of numbers of order one
    for a, b in zip(back.parts, form.parts, strict=True):
        np.testing.assert_allclose(a.position, b.position, **close)
        sign = np.sign((a.orientation * b.orientation).sum(-1, keepdims=True))
        np.testing.assert_allclose(a.orientation * sign, b.orientation, **close)
    np.testing.assert_allclose(back.links[0].second, form.links[0].second, **close)
    np.testing.assert_allclose(back.skins[0].vertices, form.skins[0].vertices, **close)
    for key in ("from", "to"):
        np.testing.assert_allclose(back.image["camera"][key], form.image["camera"][key], **close)
