"""Each law of links against its formula, in the engine that runs them."""

import numpy as np
import pytest

from motiform.motion.matter import Engine, NetworkBuilder, links, topology

TE = 1 / 1050
EPS = np.finfo(float).eps


def two_points(law, d, rate, axis=None):
    """Return the force on the second of two points at a distance that changes at a rate."""
    b = NetworkBuilder(gravity=(0, 0, 0))
    one = b.fixed("one", [0.3, -0.2, 0.1])
    u = np.array([1.0, 0.0, 0.0]) if axis else np.array([2.0, -1.0, 2.0]) / 3
    two = b.masses("two", one.position + d * u, mass=1.0, velocity=rate * u)
    b.link("link", (one, two), law, axis=axis)
    engine = Engine(b.build())
    engine.advance()
    return engine.forces()[1], u


# law, distance, rate, the seed's F¹² with the signed difference [Habibi97 1.10–1.15, signs corrected]
CASES = [
    (links.spring(40.0, rest=0.5), 0.8, 0.0, -40 * 0.3),
    (links.spring(40.0, rest=0.5), 0.3, 0.0, 40 * 0.2),
    (links.damper(3.0), 0.8, 0.7, -3 * 0.7),
    (links.elastic_buffer(40.0, 0.5), 0.3, 0.0, 40 * 0.2),
    (links.elastic_buffer(40.0, 0.5), 0.7, 0.0, 0.0),
    (links.hollow_buffer(40.0, 0.5), 0.7, 0.0, -40 * 0.2),
    (links.hollow_buffer(40.0, 0.5), 0.3, 0.0, 0.0),
    (links.viscosity(3.0, 0.5), 0.3, 0.7, -3 * 0.7),
    (links.viscosity(3.0, 0.5), 0.7, 0.7, 0.0),
    (links.visco_elastic_buffer(40.0, 0.5, damping=3.0), 0.3, -0.7, 40 * 0.2 + 3 * 0.7),
    (links.visco_elastic_buffer(40.0, 0.5, damping=3.0), 0.6, -0.7, 0.0),
    # cohesion: at rest at 0.5 − 8·0.25/40 = 0.45; attraction 8 (0.75 − d) between 0.5 and 0.75, nothing beyond
    (links.cohesion(40.0, 8.0, 0.5, 0.75), 0.4, 0.0, 40 * 0.05),
    (links.cohesion(40.0, 8.0, 0.5, 0.75), 0.6, 0.0, -8 * 0.15),
    (links.cohesion(40.0, 8.0, 0.5, 0.75), 0.8, 0.0, 0.0),
]


@pytest.mark.parametrize(("law", "d", "rate", "expected"), CASES)
def test_force_is_that_of_the_formula(law, d, rate, expected):
    force, u = two_points(law, d, rate)
    # d and its difference are rounded; a difference of lengths is divided by Te
    bound = 50 * EPS * (40 + 3 * 1050) * 2
    assert np.abs(force - expected * u).max() <= bound


@pytest.mark.parametrize(("law", "d", "rate", "expected"), CASES)
def test_along_an_axis_the_distance_is_a_signed_difference(law, d, rate, expected):
    force, u = two_points(law, d, rate, axis="x")
    assert np.abs(force - expected * u).max() <= 50 * EPS * (40 + 3 * 1050) * 2
    backward, u = two_points(links.spring(40.0, rest=0.5), -0.2, 0.0, axis="x")
    assert backward[0] == pytest.approx(-40 * (-0.2 - 0.5), abs=1e-12)


def test_forces_inside_sum_to_zero():
    rng = np.random.default_rng(3)
    b = NetworkBuilder(gravity=(0, 0, 0))
    cloud = b.masses("cloud", rng.normal(size=(60, 3)), mass=rng.uniform(0.5, 2, 60), velocity=rng.normal(size=(60, 3)))
    b.link("all", topology.agglomerate(cloud), links.cohesion(40.0, 8.0, 0.9, 1.6, damping=0.3))
    b.link("some", topology.chain(cloud), links.spring(30.0, damping=1.0))
    b.reach("near", cloud, law=links.visco_elastic_buffer(50.0, 0.8, damping=1.0), friction=0.5)
    engine = Engine(b.build())
    engine.advance(5)
    forces = engine.forces()
    assert np.abs(forces).max() > 1
    # every pair adds opposite numbers: what is left is the rounding of 60 sums of some 150 terms
    assert np.abs(forces.sum(axis=0)).max() <= 60 * 150 * EPS * np.abs(forces).max()


def test_free_fall_is_half_a_step_ahead():
    b = NetworkBuilder(gravity=(0.0, -9.81, 0.0))
    b.masses("stone", [0, 2, 0], mass=0.7, velocity=[1.0, 3.0, 0.0])
    engine = Engine(b.build())
    engine.advance(1050)
    t, place = 1.0, engine.state().position[0]
    # X_n = X_0 + V_0 t − ½ g t (t + Te): the difference equation (1.6), summed
    assert place[1] == pytest.approx(2 + 3 * t - 0.5 * 9.81 * t * (t + TE), abs=1050**2 * EPS * 4)
    assert place[0] == pytest.approx(t, abs=1050**2 * EPS)
    assert abs(place[1] - (2 + 3 * t - 0.5 * 9.81 * t**2)) <= 1.001 * 9.81 * TE * t / 2


def test_cell_moves_as_its_closed_form():
    m, k, z = 0.01, 300.0, 0.4
    b = NetworkBuilder(gravity=(0, 0, 0))
    ground = b.fixed("ground", [0, 0, 0])
    pin = b.masses("pin", [0, 0.05, 0], mass=m, axes="y")
    b.link("cell", (ground, pin), links.spring(k, rest=0.0, damping=z), axis="y")
    engine = Engine(b.build())
    K, Z = k * TE**2 / m, z * TE / m
    theta = np.arccos((2 - Z - K) / (2 * np.sqrt(1 - Z)))
    phase = np.arctan((np.cos(theta) - np.sqrt(1 - Z)) / np.sin(theta))
    for n in range(1, 200):
        engine.advance()
        # X = λ (1 − Z)^{n/2} cos(nθ − φ) [Habibi97 8.24] with X_0 = X_{−1}
        exact = 0.05 / np.cos(phase) * (1 - Z) ** (n / 2) * np.cos(n * theta - phase)
        assert engine.state().position[1, 1] == pytest.approx(exact, abs=0.05 * 200**2 * EPS * 4)


def test_triple_piston_pushes_all_of_its_pairs():
    b = NetworkBuilder(gravity=(0, 0, 0))
    floor = b.fixed("floor", [0, 0, 0])
    a = b.masses("a", [0.3, 0, 0], mass=1.0, axes="x")
    c = b.masses("c", [0, 0.4, 0], mass=1.0, axes="y")
    e = b.masses("e", [0, 0, 0.5], mass=1.0, axes="z")
    b.piston("piston", [(floor, a), (floor, c), (floor, e)], ["x", "y", "z"], stiffness=10.0, rest=1.0)
    engine = Engine(b.build())
    engine.advance()
    # P = −k (X + Y + Z − L0) on the second ends, the opposite on the first [Habibi97 7.64]
    push = -10 * (0.3 + 0.4 + 0.5 - 1.0)
    np.testing.assert_allclose(engine.forces()[1:], np.diag([push] * 3), atol=1e-14)
    np.testing.assert_allclose(engine.forces()[0], [-push] * 3, atol=1e-14)
