"""Turbulent wind: no divergence, its mean square, the force on masses, and how far it carries smoke."""

import numpy as np
import pytest

from motiform.base.errors import MotiformError
from motiform.motion.matter import Engine, NetworkBuilder, motions

AIR = motions.Eddies(0.3, 2.0, wind=(0.5, 0, 0), waves=20, seed=3)


def test_the_wind_has_no_divergence_and_its_mean_square():
    place = np.random.default_rng(1).uniform(-50, 50, (4000, 3))
    step = 1e-4 * np.eye(3)
    slopes = [(AIR.at(place + s, 0.7) - AIR.at(place - s, 0.7))[:, n] / 2e-4 for n, s in enumerate(step)]
    steepest = np.abs(slopes).max()
    assert np.abs(np.sum(slopes, axis=0)).max() < 1e-6 * steepest  # differences of second order: (k h)²/6
    square = ((AIR.at(place, 0.7) - (0.5, 0, 0)) ** 2).sum(axis=1)
    assert abs(square.mean() - 3 * 0.3**2) < 4 * square.std() / len(square) ** 0.5
    k, a, b, _ = np.split(AIR.table, [3, 6, 9], axis=1)
    assert 0.5 * ((a**2).sum() + (b**2).sum()) == pytest.approx(3 * 0.3**2)  # exactly, over all space
    assert np.linalg.norm(k, axis=1).min() > 2 * np.pi / 2.0


def drifting(count=300, frequency=1000.0, drag=0.05):
    b = NetworkBuilder(gravity=(0, 0, 0), frequency=frequency, wind=AIR)
    place = np.random.default_rng(2).uniform(-20, 20, (count, 3))
    b.masses("smoke", place, mass=1e-4, drag=drag, velocity=AIR.at(place, 0.0))
    return b.build(), place


def test_masses_are_pushed_by_the_wind_at_their_places():
    network, place = drifting()
    engine = Engine(network)
    engine.advance(1)
    moved = network.initial_state()
    wanted = 0.05 * (AIR.at(place, 0.0) - moved.velocity(1000.0))
    np.testing.assert_allclose(engine.forces(), wanted, atol=1e-12)
    engine.advance(40)
    again = Engine.resume(network, engine.checkpoint())
    for one in (engine, again):
        one.advance(5)
    assert (engine.state().position == again.state().position).all()


def test_smoke_is_carried_as_far_as_its_velocity_at_first():
    """Taylor: σ = u' t for times short against the turning over of eddies, and less later."""
    network, place = drifting()
    engine, t = Engine(network), 0.04
    engine.advance(round(t * 1000))
    gone = engine.state().position - place - np.array([0.5, 0, 0]) * t
    u = AIR.at(place, 0.0) - (0.5, 0, 0)
    assert np.sqrt((gone**2).mean()) == pytest.approx(np.sqrt((u**2).mean()) * t, rel=0.02)
    far = []
    for _ in range(2):
        engine.advance(480)
        t += 0.48
        gone = engine.state().position - place - np.array([0.5, 0, 0]) * t
        far.append(np.sqrt((gone**2).mean()))
        assert far[-1] < np.sqrt((u**2).mean()) * t
    assert far[0] < far[1] < 2 * far[0]


def module_at_half_the_rate():
    outer, inner = NetworkBuilder(frequency=1000.0, wind=AIR), NetworkBuilder(frequency=500.0)
    inner.masses("slow", [0, 0, 0], mass=1.0, drag=1.0)
    outer.masses("fast", [1, 0, 0], mass=1.0)
    outer.add("part", inner)
    outer.build()


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: motions.Eddies(0.0, 1.0), "speed"),
        (lambda: motions.Eddies(1.0, 1.0, waves=0), "waves"),
        (lambda: motions.Eddies(1.0, 1.0, finest=0.5), "finest"),
        (module_at_half_the_rate, "full rate"),
    ],
)
def test_winds_that_are_refused(make, text):
    with pytest.raises(MotiformError, match=text):
        make()
