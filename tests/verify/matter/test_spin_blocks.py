"""Contacts of balls that rotate in blocks and chunks come to what pairs one by one do, on any number of threads."""

import numba
import numpy as np
import pytest

from motiform.base.kernels import threads
from motiform.motion.matter import Engine, Friction, Network, NetworkBuilder, links
from motiform.motion.matter.engine import spin_ranges

STEPS = 40


def shaken(rolling: float, cohesion: bool = False, count: int = 300) -> Network:
    """Return balls of sizes between 8 and 12 mm that are thrown about in a loose heap, spinning."""
    rng = np.random.default_rng(3)
    b = NetworkBuilder(gravity=(0, -9.81, 0), frequency=4000.0)
    n = np.arange(count)
    place = np.stack([n % 6, n // 36, n // 6 % 6], axis=1) * 0.0195 + rng.uniform(-1e-3, 1e-3, (count, 3))
    balls = b.masses(
        "balls", place, 0.004, radius=rng.uniform(0.008, 0.012, count), inertia="ball",
        velocity=rng.normal(0, 0.3, (count, 3)), angular_velocity=rng.normal(0, 20, (count, 3)),
    )  # fmt: skip
    law = (
        links.cohesion(2000.0, 20.0, inner=1e-4, outer=0.002, damping=0.2)
        if cohesion
        else links.visco_elastic_buffer(2000.0, 0.0, damping=0.2)
    )
    b.reach(
        "touch",
        balls,
        law=law,
        friction=Friction(0.4, stiffness=600.0, damping=0.1, rolling=rolling, torsion=rolling / 2),
    )
    return b.build()


def run(network: Network) -> Engine:
    engine = Engine(network)
    engine.advance(STEPS)
    return engine


@pytest.mark.parametrize(("rolling", "cohesion"), [(0.0, False), (0.1, False), (0.1, True)])
def test_blocks_do_what_pairs_do(rolling: float, cohesion: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    network = shaken(rolling, cohesion)
    blocks = run(network)
    (used,) = blocks._ranges
    assert used._chunks is not None  # type: ignore[attr-defined]
    monkeypatch.setattr(spin_ranges, "_OVERLAP", 0)
    pairs = run(network)
    (used,) = pairs._ranges
    assert used._chunks is None  # type: ignore[attr-defined]
    one, two = blocks.state(), pairs.state()
    assert one.angular_velocity is not None
    assert two.angular_velocity is not None
    moved = np.abs(one.position - network.initial_state().position).max()
    assert moved > 1e-3
    # A rounding of places of 0.2 m is taken for a slip of as much, which both springs answer: it grows by less than
    # 1 + (k + 2 z/Te) Te²/m = 1.24 a step for each of a dozen contacts, whose roundings do not agree.
    eps = np.finfo(float).eps
    assert np.abs(one.position - two.position).max() < 12 * STEPS**2 * 1.24**STEPS * 0.2 * eps
    spin = np.abs(one.angular_velocity).max()
    assert np.abs(one.angular_velocity - two.angular_velocity).max() < 12 * STEPS**2 * 1.24**STEPS * spin * eps
    assert one.friction_loss == pytest.approx(two.friction_loss, rel=1e-9)


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="one core")
def test_the_bits_do_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spin_ranges, "_FEW", 0)
    network, found = shaken(0.1, count=600), []
    for count in (1, 2):
        with threads(count):
            found.append(run(network).state())
    assert np.array_equal(found[0].position, found[1].position)
    assert np.array_equal(found[0].angular_velocity, found[1].angular_velocity)
    assert found[0].friction_loss == found[1].friction_loss


def test_momentum_is_kept() -> None:
    network = shaken(0.1)
    network = network.replace(gravity=(0.0, 0.0, 0.0))
    mass = 0.004
    states = [network.initial_state(), run(network).state()]
    drift = [(mass * s.velocity(network.frequency)).sum(axis=0) for s in states]
    # places of 0.2 m round to eps, so a velocity to 2 eps 0.2 f; forces are opposite to the bit but for their sums
    assert np.abs(drift[1] - drift[0]).max() < 300 * STEPS * mass * 2 * 0.2 * np.finfo(float).eps * network.frequency
