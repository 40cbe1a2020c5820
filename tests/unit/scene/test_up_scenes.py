"""Scenes whose gravity is along another axis: what is level and what stands follows it."""

import numpy as np
import pytest

from motiform.form import dress
from motiform.scene import parse_scene, simulate
from motiform.scene.build.figures import build_figures
from motiform.spatial import upright

HEAD = '[scene]\ntitle = "up"\nduration = {duration}\nrate = 50\n[environment]\ngravity = {gravity}\n'
OBSTACLES = """
[[obstacle]]
name = "ground"
floor = 0.25
[[obstacle]]
name = "hill"
slope = "20 deg"
pose = {{ at = {at} }}
[[obstacle]]
name = "road"
profile = {{ points = [[0, 0], [1, 0.2]], width = 1 }}
pose = {{ at = {at} }}
[[obstacle]]
name = "stairs"
stairs = {{ count = 2, rise = 0.2, run = 0.3, width = 1 }}
pose = {{ at = {at} }}
"""
BLOCK = '[[body]]\nname = "block"\nshape = {{ box = [0.2, 0.2, 0.2], density = 500 }}\npose = {{ at = {place} }}\n'
STEPS = '[motion]\nintegrator = "time-stepping"\nstep = 1e-3\n'
BALLS = """
[[network]]
name = "balls"
[[network.masses]]
name = "balls"
points = {points}
mass = 0.1
radius = 0.1
look = {{ color = "height", map = [0, 1] }}
[[network.solid]]
name = "ground"
floor = 0.25
law = "visco_elastic_buffer"
stiffness = 2000
damping = 20
[motion]
frequency = 2000
"""


def world(vector, up):
    """A vector of a world with y up in one with another axis up."""
    return (upright(up).T @ np.array(vector, float) + 0.0).tolist()


def scene(text, up, duration=0.1, **places):
    gravity = world((0, -9.81, 0), up)
    return parse_scene((HEAD + text).format(duration=duration, gravity=gravity, **places), name="up")


@pytest.mark.parametrize("up", ["y", "z", "-x"])
def test_floors_slopes_roads_and_stairs_stand_along_up(up):
    text = BLOCK + OBSTACLES + STEPS
    made = {}
    for axis in ("y", up):
        place, at = world((0, 5, 0), axis), world((1.0, 0.1, 0.2), axis)
        chosen = scene(text, axis, place=place, at=at)
        made[axis] = build_figures(chosen).contacts.obstacles
    R = upright(up).T
    assert {obstacle.name for obstacle in made[up]} >= {"ground", "hill", "road.0", "stairs.0", "stairs.1"}
    for here, there in zip(made["y"], made[up], strict=True):
        # Products of numbers of order one.
        assert there.placement.rotation == pytest.approx(R @ here.placement.rotation, abs=1e-15)
        assert there.placement.translation == pytest.approx(R @ here.placement.translation, abs=1e-15)
        assert there.solid == here.solid


@pytest.mark.parametrize("up", ["y", "z", "-x"])
def test_a_block_comes_to_rest_on_the_floor_that_is_the_ground_of_pictures(up):
    text = BLOCK + '[[obstacle]]\nname = "ground"\nfloor = 0.25\n' + STEPS
    rec = simulate(scene(text, up, duration=0.5, place=world((0, 0.4, 0), up)))
    form = dress(rec)
    # It falls 5 cm onto one face; a step lets it in by g·h·t, 9.81 · 1e-3 · 0.1.
    assert rec["block.position"][-1] == pytest.approx(world((0, 0.35, 0), up), abs=1e-3)
    assert form.image["ground_height"] == pytest.approx(0.25, abs=1e-15)
    assert [part.name for part in form.parts] == ["block"]


@pytest.mark.parametrize("up", ["y", "z", "-x"])
def test_matter_rests_on_its_floor_and_is_colored_by_height(up):
    points = [world(p, up) for p in ([0, 0.4, 0], [0.5, 0.5, 0.2])]
    rec = simulate(scene(BALLS, up, duration=1.0, points=points))
    form = dress(rec)
    height = rec["balls.position"] @ np.array(form.up)
    # A ball at rest sinks in by m g/k, 0.1 · 9.81/2000 = 0.49 mm.
    assert height[-1] == pytest.approx(0.35 - 4.9e-4, abs=1e-4)
    assert form.image["ground_height"] == pytest.approx(0.25, abs=1e-15)
    np.testing.assert_allclose(form.parts[0].shades.values, height, rtol=1e-15)


def test_gravity_that_leans_leaves_the_floor_where_it_is():
    # A floor under leaning gravity is an incline: the floor stays across the axis that is up most.
    lean = parse_scene(
        HEAD.format(duration=0.1, gravity=[3.0, -9.0, 0.0])
        + BLOCK.format(place=[0, 5, 0])
        + '[[obstacle]]\nname = "ground"\nfloor = 0.25\n'
        + STEPS,
        name="lean",
    )
    [floor] = build_figures(lean).contacts.obstacles
    assert floor.placement.rotation.tolist() == np.eye(3).tolist()
    form = dress(simulate(lean))
    assert form.up == pytest.approx(np.array([-3, 9, 0]) / np.hypot(3, 9), abs=1e-15)
    assert "obstacle ground" in [part.name for part in form.parts]  # not level, so drawn as what it is
