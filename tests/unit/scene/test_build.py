"""From scenes to models."""

import numpy as np
import pytest

from motiform.base.errors import SceneError
from motiform.scene import parse_scene
from motiform.scene.build.common import build_bodies

HEAD = '[scene]\ntitle = "t"\nduration = 2\nrate = 50\nseed = 5\n'


def build(text: str):
    return build_bodies(parse_scene(HEAD + text))


def one(text: str):
    return build(f'[[body]]\nname = "b"\n{text}\n').bodies[0]


@pytest.mark.parametrize(
    ("shape", "mass", "moments"),
    [
        ("{ box = [1, 2, 3], density = 2 }", 12.0, [13.0, 10.0, 5.0]),
        ("{ ball = 0.5, mass = 2 }", 2.0, [0.2, 0.2, 0.2]),
        ("{ cylinder = { radius = 1, height = 2 }, mass = 12 }", 12.0, [7.0, 6.0, 7.0]),
        ("{ ellipsoid = [1, 2, 3], mass = 5 }", 5.0, [13.0, 10.0, 5.0]),
        ('{ box = ["100 cm", "2 m", 3], density = "0.002 g/cm^3" }', 12.0, [13.0, 10.0, 5.0]),
    ],
)
def test_shapes_have_the_mass_of_the_textbook(shape, mass, moments):
    body = one(f"shape = {shape}")
    assert body.properties.mass == pytest.approx(mass)
    assert body.properties.inertia == pytest.approx(np.diag(moments), abs=1e-12)


def test_capsule_is_a_cylinder_and_two_halves():
    body = one("shape = { capsule = { radius = 1, length = 2 }, density = 1 }")
    assert body.properties.mass == pytest.approx(np.pi * (2 + 4 / 3))


def test_parts_add_up_about_their_common_centre():
    body = one(
        "shape = { parts = [ { ball = 0.1, mass = 1, pose = { at = [-1, 0, 0] } }, "
        "{ ball = 0.1, mass = 3, pose = { at = [1, 0, 0] } } ] }"
    )
    assert body.properties.mass == 4
    assert body.properties.com == pytest.approx([0.5, 0, 0])
    own = 4 * 0.4 * 0.01
    assert body.properties.inertia == pytest.approx(np.diag([own, own + 3, own + 3]))  # reduced mass 3/4 at distance 2


def test_stated_mass_properties_replace_those_of_the_shape():
    body = one("shape = { ball = 1 }\nmass = 2\ncom = [0, 0.1, 0]\ninertia = [0.3, 0.4, 0.5]")
    assert (body.properties.mass, body.properties.com.tolist()) == (2, [0, 0.1, 0])
    assert body.properties.inertia == pytest.approx(np.diag([0.3, 0.4, 0.5]))
    heavier = one("shape = { ball = 1, mass = 1 }\nmass = 2")
    assert heavier.properties.inertia == pytest.approx(np.diag([0.8] * 3))  # the shape's own, scaled with the mass
    matrix = one("shape = { ball = 1, mass = 1 }\ninertia = [[2, 0.1, 0], [0.1, 3, 0], [0, 0, 4]]")
    assert matrix.properties.inertia[0, 1] == 0.1


def test_some_parts_without_mass_are_refused():
    with pytest.raises(SceneError, match="some parts have a mass and some have none"):
        one("shape = { parts = [ { ball = 1, mass = 1 }, { ball = 1 } ] }")


def test_pose_turns_about_x_then_y_then_z():
    body = one('shape = { ball = 1, mass = 1 }\npose = { at = [1, 2, 3], turn = { x = "90 deg", z = "90 deg" } }')
    assert body.position.tolist() == [1, 2, 3]
    assert body.rotation @ (0, 1, 0) == pytest.approx([0, 0, 1], abs=1e-15)  # y → z by x, and z stays by z
    assert body.rotation @ (1, 0, 0) == pytest.approx([0, 1, 0], abs=1e-15)


def test_pose_by_quaternion_is_normalised():
    body = one("shape = { ball = 1, mass = 1 }\npose = { quaternion = [2, 0, 0, 2] }")
    assert body.rotation @ (1, 0, 0) == pytest.approx([0, 1, 0], abs=1e-15)


def test_copies_are_drawn_from_the_seed_alone():
    text = '[[body]]\nname = "b"\nshape = { ball = 1, mass = 1 }\npose = { at = [1, 0, 0] }\n'
    text += "copies = { count = 50, box = [2, 4, 6], turned = true, velocity = 1, spin = 3 }\n"
    body = build(text).bodies[0]
    assert body.count == 50
    assert np.all(np.abs(body.position - (1, 0, 0)) <= (1, 2, 3))
    assert np.ptp(body.position, axis=0) == pytest.approx([2, 4, 6], rel=0.2)
    assert np.abs(body.velocity).max() <= 1
    assert np.abs(body.spin).max() <= 3
    again = build(text).bodies[0]
    assert np.array_equal(again.rotation, body.rotation)
    other = build_bodies(parse_scene(HEAD.replace("seed = 5", "seed = 6") + text)).bodies[0]
    assert not np.array_equal(other.position, body.position)


def test_springs_forces_and_air():
    text = """
[[body]]
name = "b"
shape = { ball = 1, mass = 1 }
drag = { area = ["1 cm^2", 2, 3], center = [0, 0.1, 0], spin = 0.5 }
[[spring]]
between = ["world", "b"]
at = [[0, 3, 0], [0, 1, 0]]
stiffness = "2 N/mm"
damping = 0.5
[[force]]
body = "b"
force = [1, 2, 3]
follows = true
start = 0.5
[environment]
gravity = [0, -1.62, 0]
air_density = 1
wind = [1, 0, 0]
gust = { amplitude = [1, 2, 3], direction = [0, 0, 1], length = 4, period = 2 }
"""
    model = build(text)
    (spring,), (load,) = model.springs, model.loads
    assert (spring.a, spring.b, spring.stiffness, spring.damping, spring.rest) == (None, "b", 2000.0, 0.5, None)
    assert (load.force, load.follows, load.start, load.until) == ((1, 2, 3), True, 0.5, np.inf)
    assert model.bodies[0].drag.area == (1e-4, 2, 3)
    assert (model.environment.gust, model.environment.gust_period) == ((1, 2, 3), 2)


def test_options_are_those_of_the_scene():
    text = '[[body]]\nname = "b"\nshape = { ball = 1, mass = 1 }\n'
    text += '[motion]\nintegrator = "rk4"\nstep = "5 ms"\nrtol = 1e-7\n'
    options = parse_scene(HEAD + text).build().options
    assert tuple(options[name] for name in ("t1", "rate", "integrator", "step", "rtol")) == (2, 50, "rk4", 0.005, 1e-7)
