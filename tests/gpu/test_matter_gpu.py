"""Networks step alike on a CPU and on a GPU."""

import numpy as np
import pytest

from crowds import crowd
from motiform.motion.matter import Engine, Friction, NetworkBuilder, links, presets, topology


def cloth(size=40, graph=False):
    b = NetworkBuilder(wind=(1.0, 0, 0))
    spots = topology.block_positions((size, size), (0.02, 0.02))
    sheet = b.masses("sheet", spots, 1e-3, drag=1e-4)
    grid = topology.grid(sheet, (size, size), bends=True)
    b.link("threads", grid.pairs() if graph else grid, links.spring(50.0, damping=0.01))
    nails = b.fixed("nails", spots[[0, size - 1]] + [0, 0.02, 0])
    b.link("hang", (sheet[[0, size - 1]], nails), links.spring(200.0, damping=0.05))
    return b.build()


def cloud(friction, inertia=None):
    rng = np.random.default_rng(1)
    b = NetworkBuilder(gravity=(0, 0, 0))
    spots = topology.block_positions((10, 6, 5), 0.045) + rng.normal(0, 0.004, (300, 3))
    balls = b.masses(
        "balls", spots, rng.uniform(0.5, 1.5, 300), velocity=rng.normal(0, 1, (300, 3)), radius=0.023, inertia=inertia
    )
    b.reach("touch", balls, law=links.visco_elastic_buffer(3e4, 0.0, damping=20.0), friction=friction)
    return b.build()


def mixed():
    b = NetworkBuilder()
    rng = np.random.default_rng(2)
    block = b.masses("block", topology.block_positions((4, 4, 4), 0.1) + rng.normal(0, 2e-3, (64, 3)), 0.1)
    b.link("plastic", topology.grid(block, (4, 4, 4)).pairs(), presets.plasticity(800.0, 2.0, damping=0.3))
    ground = b.fixed("ground", [0, 0, 0])
    b.link("floor", (ground, block), links.visco_elastic_buffer(500.0, 0.0, damping=0.5), axis="y")
    b.imposed("hand", lambda t: [0.2, 0.6 - 0.5 * t, 0.2])
    b.reach("push", block, "hand", law=links.elastic_buffer(900.0, 0.3))
    b.push("wind", block[:10], [0.5, 0, 0])
    return b.build()


@pytest.mark.parametrize(
    "make",
    [
        cloth,
        lambda: cloth(graph=True),
        lambda: cloud(None),
        lambda: cloud(Friction(0.4, stiffness=8e3)),
        lambda: cloud(Friction(0.4, stiffness=8e3), "ball"),
        lambda: cloud(Friction(0.4, stiffness=8e3, damping=5.0, rolling=0.1, torsion=0.1), "ball"),
        mixed,
    ],
)
def test_gpu_steps_as_the_cpu_does(make):
    network = make()
    cpu, gpu = Engine(network), Engine(network, device="cuda")
    for engine in (cpu, gpu):
        engine.advance(100)
    apart = np.abs(cpu.state().position - gpu.state().position).max()
    # a GPU fuses products and sums: a rounding more or less in each of 100 steps, which stiff links feel
    assert apart < 100**2 * 64 * np.finfo(float).eps


def test_gpu_goes_on_from_a_checkpoint():
    network = cloud(Friction(0.4, stiffness=8e3))
    whole, part = Engine(network, device="cuda"), Engine(network, device="cuda")
    whole.advance(60)
    part.advance(25)
    again = Engine.resume(network, part.checkpoint(), device="cuda")
    again.advance(35)
    np.testing.assert_array_equal(whole.state().position, again.state().position)


def test_solids_push_alike():
    """The GPU contracts a·b + c to one rounding: forces differ by some hundred roundings of k · 2 m, places by less.

    In 20 steps of Te²/m = 9e-5 m/N a difference of 100 · 2.2e-16 · (400 · 2 + 3 · 2 · 1050) N = 1.6e-10 N grows to at
    most 20²/2 · 1.6e-10 · 9e-5 = 3e-12 m.
    """
    found = []
    for device in ("cpu", "cuda"):
        engine = Engine(crowd(), device=device)
        engine._solids.wrenches = True
        engine.advance(20)
        found.append((engine.state().position, engine._solids.solid_wrenches()))
    np.testing.assert_allclose(found[0][0], found[1][0], atol=3e-12)
    np.testing.assert_allclose(found[0][1], found[1][1], atol=1500 * 4 * 1.6e-10)
