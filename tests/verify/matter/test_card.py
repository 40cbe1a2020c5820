"""Kernels for a GPU, run here: they do what those for a CPU do."""

import numpy as np
import pytest

from motiform.motion.matter import Engine, Friction, NetworkBuilder, links, topology


def cloud(friction):
    rng = np.random.default_rng(1)
    b = NetworkBuilder(gravity=(0, 0, 0))
    spots = topology.block_positions((10, 6, 5), 0.045) + rng.normal(0, 0.004, (300, 3))
    balls = b.masses("balls", spots, rng.uniform(0.5, 1.5, 300), velocity=rng.normal(0, 1, (300, 3)), radius=0.023)
    b.reach("touch", balls, law=links.visco_elastic_buffer(3e4, 0.0, damping=20.0), friction=friction)
    return b.build()


@pytest.mark.parametrize("friction", [None, Friction(0.4, damping=30.0)])
def test_masses_alone_feel_what_pairs_do(friction):
    network = cloud(friction)
    pairs, alone = Engine(network), Engine(network)
    alone._ranges[0].alone = True
    for engine in (pairs, alone):
        engine.advance(100)
    assert np.abs(pairs.state().position - network.initial_state().position).max() > 0.05
    apart = np.abs(pairs.state().position - alone.state().position).max()
    # sums in another order: a rounding more or less in each of 100 steps, which stiff links feel
    assert apart < 100**2 * 64 * np.finfo(float).eps


def test_masses_of_a_grid_alone_feel_what_links_do():
    b = NetworkBuilder()
    rng = np.random.default_rng(2)
    spots = topology.block_positions((5, 6, 7), 0.1)
    held = spots[:, 1] == spots[:, 1].min()
    block = b.masses("block", spots + rng.normal(0, 2e-3, spots.shape) * ~held[:, None], 0.1, held=held)
    b.link("threads", topology.grid(block, (5, 6, 7)), links.spring(800.0, rest=0.1, damping=0.3))
    b.push("wind", block[:10], [0.5, 0, 0])
    network = b.build()
    kept, alone = Engine(network), Engine(network)
    assert len(alone._stencils.bundles) >= 3
    alone._alone, alone._after = True, alone._padded(network.initial_state().position)
    for engine in (kept, alone):
        engine.advance(100)
    assert np.abs(kept.state().position - network.initial_state().position).max() > 0.01
    # sums in another order: a rounding more or less in each of 100 steps, which stiff links feel
    apart = 100**2 * 64 * np.finfo(float).eps
    assert np.abs(kept.state().position - alone.state().position).max() < apart
    assert np.abs(kept.forces() - alone.forces()).max() < 800.0 * apart
    again = Engine.resume(network, kept.checkpoint())
    again._alone, again._after = True, again._padded(network.initial_state().position)
    again.advance(10)
    alone.advance(10)
    assert np.abs(again.state().position - alone.state().position).max() < apart
