"""Forms to export: every kind of shape, tumbling through whole turns."""

import numpy as np
import pytest

from motiform.form import Form, LinkParts, Part, Skin
from motiform.geometry import Ball, Box, Capsule, Compound, Cone, Cylinder, Ellipsoid, Mesh
from motiform.spatial import Transform, exp_quaternion, rotation_from_euler


def _tumble(samples, count=1, rate=60.0, seed=0):
    """Positions and orientations of bodies that turn steadily about random axes through several turns; random signs."""
    rng = np.random.default_rng(seed)
    times = np.arange(samples) / rate
    spin = rng.normal(size=(count, 3)) * 8.0
    position = rng.normal(size=(count, 3)) + times[:, None, None] * rng.normal(size=(count, 3))
    orientation = exp_quaternion(times[:, None, None] * spin)
    return times, position, orientation * rng.choice([-1.0, 1.0], size=(samples, count, 1))


def _one(shape, *, samples=90, count=1, offset=(0, 0, 0), color=(0.8, 0.2, 0.1), seed=0, name="body", rate=60.0):
    times, position, orientation = _tumble(samples, count, rate, seed)
    return Form(
        (Part(name, shape, np.array(offset, float), np.array(color), position, orientation),), times, "A <test>"
    )


SHAPES = {
    "box": Box((0.2, 0.4, 0.6)),
    "ball": Ball(0.3),
    "cylinder": Cylinder(0.1, 0.5),
    "capsule": Capsule(0.1, 0.5),
    "ellipsoid": Ellipsoid((0.1, 0.2, 0.3)),
    "cone": Cone(0.2, 0.5, 0.1),
    "mesh": Mesh(
        np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float),
        np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
    ),
    "compound": Compound(
        (
            (Box((0.1, 0.1, 0.5)), Transform.identity()),
            (Cylinder(0.05, 0.4), Transform(rotation_from_euler((0.0, 0.0, 1.0)), np.array([0.2, 0.0, 0.1]))),
        )
    ),
}


@pytest.fixture(scope="session")
def tumble():
    return _tumble


@pytest.fixture(scope="session")
def one():
    """Return the maker of a form with one part: one(shape, samples=, count=, offset=, color=, seed=, name=, rate=)."""
    return _one


@pytest.fixture(scope="session")
def shapes():
    return SHAPES


@pytest.fixture(params=SHAPES)
def form(request):
    return _one(SHAPES[request.param], offset=(0.01, 0.02, -0.03))


@pytest.fixture
def mixed():
    """Return three parts: one tumbling, one at rest, and two bodies of the first one's shape in their own colours."""
    times, position, orientation = _tumble(90, 1)
    still = np.broadcast_to([1.0, 2.0, 3.0], (90, 1, 3)), np.broadcast_to([1.0, 0, 0, 0], (90, 1, 4))
    _, positions, orientations = _tumble(90, 2, seed=1)
    red, green, zero = np.array([1.0, 0, 0]), np.array([[1.0, 0, 0], [0, 1.0, 0]]), np.zeros(3)
    parts = (
        Part("turning", Box((1, 2, 3)), zero, red, position, orientation),
        Part("still", Ball(0.5), zero, red, *still),
        Part("two boxes", Box((1, 2, 3)), zero, green, positions, orientations),
    )
    return Form(parts, times + 5.0, "mixed")


@pytest.fixture
def soft():
    """Return a skin of two colours that flaps, links of which one swings through hanging, and balls of three sizes."""
    times = np.arange(31) / 30.0
    sheet = np.array([[0, 1, 0], [0, 1, 1], [1, 1, 1], [1, 1, 0]], float)
    flap = np.tile(sheet, (31, 1, 1))
    flap[:, 2:, 1] += 0.3 * np.sin(3.0 * times)[:, None]
    faces = np.array([[0, 1, 2], [0, 2, 3]])
    skin = Skin("sheet", flap, faces, np.array([[0.8, 0.2, 0.2], [0.2, 0.2, 0.8]]))
    angle = 0.5 * np.cos(5.0 * times)
    swing = np.stack([np.sin(angle), -np.cos(angle), 0 * angle], -1)[:, None] * (1.0 + 0.2 * times[:, None, None])
    nail = np.zeros((31, 1, 3))
    ends, pairs = np.concatenate([swing, swing * 2], 1), np.array([[0, 0], [0, 1]])
    links = LinkParts("rope", nail, ends, pairs, np.array([0.01, 0.02]), np.array([0.3, 0.3, 0.3]))
    balls = Part(
        "balls", Ball(0.4), np.zeros(3), np.array([1.0, 0, 0]), np.tile(sheet[:3], (31, 1, 1)),
        np.broadcast_to([1.0, 0, 0, 0], (31, 3, 4)), points=True, scale=np.array([0.25, 0.5, 1.0]),
    )  # fmt: skip
    return Form((balls,), times, "soft", {}, (links,), (skin,))


@pytest.fixture(params=["z", "-x", (0.3, -0.2, 0.8)], ids=str)
def up(request):
    """Directions other than y that are up."""
    return request.param
