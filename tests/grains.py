"""Undamped grains in a box, and whether they keep their energy within the stated bound.

python tests/grains.py [COUNT] [STEPS] [KEPT]

KEPT is a file from which a run that was ended goes on, with the same bits.
"""

import pickle
import sys
import time
from pathlib import Path

import numpy as np

from motiform.geometry import Plane
from motiform.motion.matter import Engine, NetworkBuilder, assess_network, links
from motiform.motion.matter.stability.switching import energy_growth
from motiform.spatial import Transform

WALLS = [[0, 0, -np.pi / 2], [0, 0, np.pi / 2], [0, 0, 0], [np.pi, 0, 0], [np.pi / 2, 0, 0], [-np.pi / 2, 0, 0]]


def grains(count, step, *, damping=0.0):
    """Undamped balls of 10 g with random velocities of 1 m/s in a box of planes."""
    rng, radius = np.random.default_rng(4), 0.05
    side = int(np.ceil(count ** (1 / 3)))
    width = side * 3 * radius
    b = NetworkBuilder(gravity=(0, 0, 0), frequency=1 / step)
    place = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3)[:count]
    balls = b.masses("balls", (place + 0.5) * 3 * radius, 0.01, radius=radius, velocity=rng.normal(size=(count, 3)))
    law = links.elastic_buffer(1e3, 0.0) if not damping else links.visco_elastic_buffer(1e3, 0.0, damping=damping)
    b.reach("touch", balls, law=law)
    for n, angles in enumerate(WALLS):
        turned = Transform.from_euler(angles, "xyz")
        low = turned.rotation[:, 1].sum() > 0  # the normal points into the box
        b.solid(
            f"wall-{n}", Plane(), Transform(turned.rotation, np.zeros(3) if low else np.full(3, width)), balls, law=law
        )
    return b.build()


def kinetic(engine):
    network = engine.network
    return float(0.5 * (network.mass[:, None] * engine.state().velocity(network.frequency) ** 2).sum())


def bound(network, steps):
    """The kinetic energy that may be reached: the mean growth, and three standard deviations of all collisions.

    A ball has at most 2 √K/(2π) steps collisions one after the other, and touches 6 others at once at most in the mean.
    """
    K = 2 * 1e3 * network.step**2 / 0.01
    spread = 3 * (K / 4) * np.sqrt(steps * np.sqrt(K) / np.pi / network.count)
    return energy_growth(K, steps, 6) * (1 + spread)


def energies(network, steps, pieces=100, kept=None):
    """Yield the kinetic energy after each piece of a run, relative to that of its start, at which nothing touches."""
    engine, done, found, begin = Engine(network), 0, [], 0.0
    if kept is not None and kept.exists():
        done, found, begin, checkpoint = pickle.loads(kept.read_bytes())
        engine.restore(checkpoint)
    begin = begin or kinetic(engine)
    yield from found
    for n in range(done, pieces):
        engine.advance(steps // pieces)
        found.append(kinetic(engine) / begin)
        if kept is not None:
            kept.write_bytes(pickle.dumps((n + 1, found, begin, engine.checkpoint())))
        yield found[-1]


def main(count=1000, steps=1_000_000, kept=None):
    longest = assess_network(grains(count, 1e-4)).largest_step
    network, begun, found = grains(count, 0.98 * longest), time.process_time(), []
    for n, energy in enumerate(energies(network, steps, kept=kept)):
        found.append(energy)
        if n % 10 == 9:
            took = time.process_time() - begun
            print(f"{(n + 1) * steps // 100} steps: {min(found):.6f} to {max(found):.6f}, {took:.0f} s", flush=True)
    most = bound(network, steps)
    print(f"{count} grains at 0.98 of the largest step: at most {max(found):.6f} of the first energy, bound {most:.6f}")
    return int(max(found) > most)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:3]]
    sys.exit(main(*numbers, **({"kept": Path(sys.argv[3])} if len(sys.argv) > 3 else {})))
