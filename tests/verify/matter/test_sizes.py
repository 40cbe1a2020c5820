"""Balls of very different sizes by range: the same forces as of all pairs, and lists no longer than they must be."""

import numpy as np
import pytest

from motiform.motion.matter import Engine, Network, NetworkBuilder, links

K = 50.0


def mixed(count: int = 400, octaves: float = 7.0, largest: float = 0.5) -> Network:
    """Balls of sizes over some octaves, overlapping at random."""
    rng = np.random.default_rng(5)
    b = NetworkBuilder(gravity=(0, 0, 0), frequency=1000.0)
    r = largest * 2.0 ** -rng.uniform(0, octaves, count)
    r[0] = largest
    balls = b.masses("balls", rng.uniform(0, 1.5, (count, 3)), mass=1.0, radius=r)
    b.reach("touch", balls, law=links.elastic_buffer(K, 0.0))
    return b.build()


def test_forces_are_those_of_all_pairs() -> None:
    network = mixed()
    engine = Engine(network)
    place, r = network.initial_state().position, network.radius
    for _ in range(3):  # the list is made anew on the way
        engine.advance(1)
        line = place[None] - place[:, None]
        d = np.linalg.norm(line, axis=2) + np.eye(len(r))
        sink = np.where(np.eye(len(r)) > 0, 0.0, np.maximum(r[:, None] + r - d, 0.0))
        expected = -(K * sink / d)[:, :, None] * line
        # sums of some hundred forces of up to K r, each rounded by eps
        assert np.abs(engine.forces() - expected.sum(1)).max() < 400 * np.finfo(float).eps * K
        engine.advance(60)
        place = engine.state().position
        assert (sink > 0).sum() > 2 * len(r)


@pytest.mark.parametrize("large", [5.0, 20.0])
def test_one_large_ball_does_not_lengthen_the_lists_of_small_ones(large: float) -> None:
    b = NetworkBuilder(gravity=(0, 0, 0), frequency=1000.0)
    grid = np.indices((12, 12, 12)).reshape(3, -1).T * 0.1
    small = b.masses("small", grid, mass=1.0, radius=0.05)
    one = b.masses("large", [0.55, 1.16 + 0.05 * large, 0.55], mass=100.0, radius=0.05 * large)
    b.reach("touch", small + one, law=links.elastic_buffer(K, 0.0))
    engine = Engine(b.build())
    engine.advance(2)
    # small ones list those within 1.3 diameters: 6 neighbours, half of them as pairs, and 144 are below the large one
    assert engine._ranges[0].pair_count <= 3 * 12**3 + 144
