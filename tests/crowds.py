"""Matter that several tests share: clouds of points, among solids too, and heaps of grains."""

import numpy as np

from motiform.geometry import Ball, Box, Hollow
from motiform.motion.matter import Friction, NetworkBuilder, links
from motiform.spatial import Transform, exp_rotation

HERE = Transform.identity()
BUFFER = links.visco_elastic_buffer(400.0, 0.0, damping=3.0)


def cloud(count=300, seed=1, gravity=(0.0, 0.0, 0.0), speed=0.5):
    rng = np.random.default_rng(seed)
    b = NetworkBuilder(gravity=gravity)
    place, velocity = rng.uniform(-1, 1, (count, 3)), speed * rng.normal(size=(count, 3))
    return b, b.masses(
        "cloud", place, rng.uniform(0.01, 0.1, count), velocity=velocity, radius=rng.uniform(0, 0.1, count)
    )


def moved(t):
    """A pose that turns and slides at once."""
    return Transform(
        exp_rotation((0.4 + 0.9 * t) * np.array([0.36, 0.48, 0.8])), np.array([0.1 + 0.3 * t, -0.2 * t, 0.05])
    )


def crowd():
    """Points of many kinds among solids that stand, move and hold by friction."""
    b, points = cloud(1500, gravity=(0, -9.81, 0))
    b.solid("bowl", Hollow(Ball(1.3)), HERE, points, law=BUFFER, friction=Friction(0.5, stiffness=200.0, damping=0.1))
    b.solid("box", Box((0.8, 0.5, 1.1)).to_mesh(), HERE, points[:1000], law=BUFFER, motion=moved)
    b.solid("ball", Ball(0.4), HERE, points[500:], law=BUFFER, friction=Friction(0.3, damping=0.5))
    return b.build()


def pressed(count: int = 150):
    """Grains that are pressed together and at rest."""
    from bench.matter.heap import Heap

    n = np.arange(count)
    x = (np.stack([n % 5, n // 25, n // 5 % 5], axis=1) + 0.5) * 0.047
    x += np.random.default_rng(0).uniform(-0.005, 0.005, (count, 3))
    return Heap(x, x, (0.25, 0.25))
