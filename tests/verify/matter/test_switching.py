"""Energy of links that switch: closed forms of one collision, and crowds of undamped grains."""

import numpy as np
import pytest

import motiform as mf
from grains import bound, energies, grains, kinetic
from motiform.motion.matter import Engine, NetworkBuilder, assess_network, links
from motiform.motion.matter.stability.assessment import StabilityWarning
from motiform.motion.matter.stability.switching import GAIN, collision_gains


@pytest.mark.parametrize("K", [3.0, 2.3, 0.7, 0.5, 0.3, 0.04, 0.01])
def test_an_undamped_collision_stays_between_its_bounds(K):
    """ΔE = (k/2)(|x_L| x_{L+1} − |x_F| x_{F−1}): the factor is in [1 − K/4, 1/(1 − K/4)], and its mean above 1."""
    gains = collision_gains(K, 0.0, 2001)
    assert gains.max() <= 1 / (1 - K / 4) * (1 + 1e-12)
    assert gains.min() >= (1 - K / 4) * (1 - 1e-12)
    assert 0 < gains.mean() - 1 < max((K / 4) ** 2, 0.34 * K)


@pytest.mark.parametrize("K", np.geomspace(1e-3, 1.0, 13))
def test_a_damper_of_an_eighth_removes_the_gain(K):
    for share in (1 / 8, 1 / 4, 1.0):
        assert collision_gains(K, share * K, 501).max() <= 1


def test_a_collision_of_the_engine_is_that_of_the_cell():
    """A ball of 10 g at 1 m/s against a wall, at K = 0.5, from each of seven phases."""
    step, k = 1e-3, 0.5 * 0.01 / 1e-6
    expected = collision_gains(0.5, 0.0, 7)
    for n, phase in enumerate((np.arange(7) + 0.5) / 7):
        b = NetworkBuilder(gravity=(0, 0, 0), frequency=1 / step)
        ball = b.masses("ball", [phase * step, 0, 0], 0.01, velocity=(-1, 0, 0))
        b.link("stop", (b.fixed("wall", [0, 0, 0]), ball), links.elastic_buffer(k, 0.0), axis="x")
        engine = Engine(b.build())
        engine.advance(30)
        assert engine.state().velocity(1 / step)[0, 0] ** 2 == pytest.approx(expected[n], rel=1e-9)


@pytest.mark.parametrize("count", [60, pytest.param(1000, marks=pytest.mark.slow)])
def test_undamped_grains_keep_their_energy_at_the_largest_step(count):
    """Sums of random factors: the mean growth, and three standard deviations of all collisions."""
    longest = assess_network(grains(count, 1e-4)).largest_step
    network, steps = grains(count, 0.98 * longest), 2000 if count == 60 else 100_000
    assert assess_network(network).verdict == "marginal"
    K = 2 * 1e3 * network.step**2 / 0.01
    assert 4 * GAIN / (1 + GAIN) * 0.9 < K < 4 * GAIN
    assert 0.8 < max(energies(network, steps)) < bound(network, steps)


def test_grains_above_the_largest_step_gain_energy_and_it_is_reported():
    found = assess_network(grains(60, 1.5e-3))
    assert found.verdict == "gains energy"
    assert found.bounded
    assert found.largest_step < 2.5e-4
    assert "one collision may multiply its kinetic energy by" in str(found)
    with pytest.warns(StabilityWarning, match="gains energy"):
        mf.simulate(grains(8, 1.5e-3), t1=3e-3, rate=1 / 1.5e-3)
    damped = assess_network(grains(60, 5e-4, damping=1e3 * 5e-4 / 8))
    assert damped.verdict == "stable"
    assert damped.largest_step >= 5e-4


def test_springs_that_may_turn_are_stable_in_their_directions_alone():
    """Four springs at right angles on one mass: along any axis two act, but turned together all four would."""
    b = NetworkBuilder(gravity=(0, 0, 0), frequency=1000.0)
    nails = b.fixed("nails", [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]])
    mass = b.masses("mass", [0, 0, 0], 1.0)
    b.link("ties", [(int(n), int(mass.indices[0])) for n in nails.indices], links.spring(1.5e6, damping=1.0))
    found = assess_network(b.build())
    assert found.verdict == "stable at the start"
    assert found.largest == pytest.approx(2 * (1.5 + 2e-3), rel=1e-9)
    assert found.largest_step < found.step
    assert "directions that links have at the start" in str(found)


def tumbling(seed, speed, step):
    """A free web of springs in space that turns as a whole, at a speed of each component [rad/s]."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(3, 9))
    place, spin = 0.3 * rng.normal(size=(count, 3)), speed * rng.normal(size=3)
    b = NetworkBuilder(gravity=(0, 0, 0), frequency=1 / step)
    b.masses("web", place, 10 ** rng.uniform(-2, 0, count), velocity=np.cross(spin, place))
    pairs = [(i, j) for i in range(count) for j in range(i) if rng.random() < 0.6] or [(1, 0)]
    b.link("springs", pairs, links.spring(10 ** rng.uniform(1, 3, len(pairs)), damping=10 ** rng.uniform(-3, -1)))
    return b.build()


def test_webs_that_tumble_do_not_grow_up_to_the_largest_step():
    """Energy falls but for what a step of the scheme is off by; beyond that step the verdict is not "stable"."""
    for seed in range(12):
        for speed in (6.0, 20.0):
            longest = assess_network(tumbling(seed, speed, 1e-4)).largest_step
            still = assess_network(tumbling(seed, 0.0, 1e-4)).largest_step
            assert longest < 0.99 * still
            engine = Engine(tumbling(seed, speed, 0.99 * longest))
            begin = kinetic(engine)
            for _ in range(4):
                engine.advance(500)
                assert kinetic(engine) < 1.1 * begin, (seed, speed)
            found = assess_network(tumbling(seed, speed, 1.05 * still))
            assert found.verdict in ("stable at the start", "may be unstable", "unstable")
