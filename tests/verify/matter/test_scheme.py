"""What the scheme keeps, and that ways to one result agree."""

import numpy as np
import pytest

from motiform.base.kernels import threads
from motiform.motion.matter import Engine, Friction, NetworkBuilder, links, topology
from motiform.motion.matter.engine.meters import angular_momentum, invariant, momentum

EPS = np.finfo(float).eps


def chain_of_axial_springs(n=20, seed=5):
    rng = np.random.default_rng(seed)
    b = NetworkBuilder(gravity=(0, -9.81, 0))
    wall = b.fixed("wall", [0, 0, 0])
    row = b.masses(
        "row",
        np.stack((np.arange(1, n + 1) * 0.1, rng.normal(0, 0.02, n), np.zeros(n)), -1),
        rng.uniform(1, 2, n),
        axes="y",
    )
    b.link("string", topology.chain(wall + row), links.spring(rng.uniform(2e4, 4e4, n), rest=0.0), axis="y")
    b.link("ground", (wall, row), links.spring(500.0, rest=0.1), axis="y")
    return b.build()


def test_invariant_is_kept_to_rounding():
    network = chain_of_axial_springs()
    engine = Engine(network)
    first = invariant(network, engine.state())
    scale, worst = abs(first) + 50.0, 0.0
    for _ in range(50):
        engine.advance(100)
        worst = max(worst, abs(invariant(network, engine.state()) - first))
    # each of 5000 steps rounds positions of some 0.1 m, which springs of 4e4 N/m stretched by some cm feel
    assert worst <= 5000 * EPS * scale * 20
    assert worst > 0


def test_energy_itself_is_not_what_is_kept():
    from motiform.motion.matter.engine.meters import kinetic_energy, potential_energy

    network = chain_of_axial_springs()
    engine = Engine(network)
    energies = []
    for _ in range(50):
        engine.advance(3)
        energies.append(kinetic_energy(network, engine.state()) + potential_energy(network, engine.state()))
    assert np.ptp(energies) > 1e-3  # it swings about the invariant with the size of a step


def cloud(friction=None, n=300, seed=1):
    rng = np.random.default_rng(seed)
    b = NetworkBuilder(gravity=(0, 0, 0))
    spots = topology.block_positions((10, 6, 5), 0.045) + rng.normal(0, 0.004, (n, 3))
    balls = b.masses(
        "balls",
        spots,
        rng.uniform(0.5, 1.5, n),
        velocity=rng.normal(0, 1.0, (n, 3)),
        radius=rng.uniform(0.02, 0.026, n),
    )
    b.reach("touch", balls, law=links.visco_elastic_buffer(3e4, 0.0, damping=20.0), friction=friction)
    return b.build()


def brute_force(network, friction, x, p, held):
    """Take a step of the cloud by all pairs in NumPy; return the positions and what pairs remember."""
    te, m, radius = network.step, network.mass, network.radius
    r = x[None] - x[:, None]
    d = np.linalg.norm(r, axis=-1)
    np.fill_diagonal(d, np.inf)
    gap = d - radius[:, None] - radius[None]
    u = r / d[..., None]
    e = (x - p)[None] - (x - p)[:, None]
    along = (e * u).sum(-1)
    touch = gap < 0
    t = np.where(touch, 3e4 * gap + 20.0 * along / te, 0.0)
    force = t[..., None] * u
    if friction is not None:
        e = e - along[..., None] * u
        held = np.where(touch[..., None], held + e, 0.0)
        held -= (held * u).sum(-1, keepdims=True) * u
        f = friction.stiffness * held + friction.damping * e / te
        size, most = np.linalg.norm(f, axis=-1), friction.limit * np.abs(t)
        slip = touch & (size > most)
        f = np.where(slip[..., None], f * (most / np.where(size > 0, size, 1))[..., None], f)
        held = np.where(slip[..., None], (f - friction.damping * e / te) / friction.stiffness, held)
        force = force + np.where(touch[..., None], f, 0.0)
    return 2 * x - p + te**2 / m[:, None] * force.sum(1), held


@pytest.mark.parametrize("friction", [None, Friction(0.4, stiffness=8e3, damping=5.0)])
def test_neighbours_by_list_are_those_of_all_pairs(friction):
    network = cloud(friction)
    engine, held = Engine(network), np.zeros((network.count, network.count, 3))
    for _ in range(60):
        state = engine.state()
        exact, held = brute_force(network, friction, state.position, state.previous, held)
        engine.advance()
        # a step rounds places of 1 m a few times, and sums of a dozen forces of up to 600 N that a step makes 1e-3 m of
        assert np.abs(engine.state().position - exact).max() < 16 * EPS + 60 * 16 * EPS * 1e-3
    assert engine._ranges[0].lists > 1  # the list was made anew on the way, and what pairs remember was carried over


def test_momenta_are_kept_in_collisions():
    network = cloud()
    engine = Engine(network)
    p, ell = momentum(network, engine.state()), angular_momentum(network, engine.state())
    engine.advance(200)
    assert np.abs(momentum(network, engine.state()) - p).max() < 200 * 300 * EPS * 50
    # forces along the lines between points turn nothing: X_n × V_n changes by V × V only
    assert np.abs(angular_momentum(network, engine.state()) - ell).max() < 200 * 300 * EPS * 50


def cloth(size=24, graph=False):
    b = NetworkBuilder()
    spots = topology.block_positions((size, size), (0.02, 0.02))[:, [0, 2, 1]]
    sheet = b.masses("sheet", spots, 1e-3, drag=1e-4)
    nails = b.fixed("nails", spots[[0, size - 1]] + [0, 0.02, 0])
    grid = topology.grid(sheet, (size, size), bends=True)
    rest = np.concatenate([np.full(len(grid.pairs_along(o)), 0.02 * np.linalg.norm(o)) for o in grid.offsets])
    b.link("threads", grid.pairs() if graph else grid, links.spring(50.0, rest=rest, damping=0.01))
    b.link("hang", (sheet[[0, size - 1]], nails), links.spring(200.0, damping=0.05))
    return b.build()


def test_stencil_and_graph_agree():
    a, b = Engine(cloth()), Engine(cloth(graph=True))
    assert a._stencils.bundles
    assert not b._stencils.bundles
    a.advance(300)
    b.advance(300)
    # the same sums in another order: rounding of 300 steps in a sheet that moves by some cm
    assert np.abs(a.state().position - b.state().position).max() < 1e-11
    assert np.ptp(a.state().position[:, 1]) > 0.01


@pytest.mark.parametrize("make", [cloth, cloud, lambda: cloud(Friction(0.4, stiffness=8e3))])
def test_same_bits_on_any_number_of_threads(make, monkeypatch):
    from motiform.motion.matter.engine import engine, ranges

    monkeypatch.setattr(engine, "_WIDTH", 32)  # many elements, so that threads do share them
    for module in (engine, ranges):
        monkeypatch.setattr(module, "_FEW", 1)
    found = []
    for count in (1, 2):
        with threads(count):
            run = Engine(make())
            run.advance(80)
            found.append(run.state().position)
    np.testing.assert_array_equal(found[0], found[1])


@pytest.mark.parametrize("make", [cloth, lambda: cloud(Friction(0.4, stiffness=8e3))])
def test_goes_on_from_a_checkpoint_to_the_same_bits(make):
    network = make()
    whole = Engine(network)
    whole.advance(70)
    part = Engine(network)
    part.advance(33)
    again = Engine.resume(network, part.checkpoint())
    again.advance(37)
    np.testing.assert_array_equal(again.state().position, whole.state().position)
    np.testing.assert_array_equal(again.state().previous, whole.state().previous)


def pair_of_oscillators(rate, *, nested):
    module = NetworkBuilder(frequency=210, gravity=(0, 0, 0))
    wall = module.fixed("wall", [0, 0, 0])
    ball = module.masses("ball", [0.15, 0, 0], 0.5, velocity=[0.4, 0, 0])
    module.link("spring", (wall, ball), links.spring(80.0, rest=0.1, damping=0.3))
    if not nested:
        return module.build()
    b = NetworkBuilder(frequency=rate, gravity=(0, 0, 0))
    b.add("slow", module)
    return b.build()


def test_module_at_a_sub_rate_is_the_module_alone():
    alone, nested = Engine(pair_of_oscillators(210, nested=False)), Engine(pair_of_oscillators(1050, nested=True))
    alone.advance(100)
    nested.advance(500)
    # the same numbers at common instants: five even moves for one, each rounded
    assert np.abs(alone.state().position - nested.state().position).max() < 500**2 * EPS


def test_rates_share_one_momentum():
    slow = NetworkBuilder(frequency=210, gravity=(0, 0, 0))
    a = slow.masses("a", [[0, 0, 0], [0.1, 0, 0]], 1.0)
    slow.link("s", topology.chain(a), links.spring(50.0, rest=0.08, damping=0.1))
    b = NetworkBuilder(frequency=1050, gravity=(0, 0, 0))
    placed = b.add("slow", slow)
    light = b.masses("light", [[0.2, 0, 0], [0.3, 0, 0]], 0.01, velocity=[0.5, 0, 0])
    b.link("fast", topology.chain(placed["a"][1:] + light), links.spring(400.0, rest=0.1, damping=0.01))
    network = b.build()
    engine = Engine(network)
    before = momentum(network, engine.state())
    engine.advance(1001)
    assert np.abs(momentum(network, engine.state()) - before).max() < 1001 * EPS * 10
