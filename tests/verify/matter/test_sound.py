"""Sound of networks against closed forms: strings with the dispersion of the scheme, plates."""

import numpy as np
import pytest
from scipy.linalg import eigvalsh

from motiform.motion.matter import NetworkBuilder, Sound, links, presets, topology
from motiform.motion.run import RunOptions
from runs import simulate_network

RATE = 44100.0


def heard(network, duration, **sound):
    options = RunOptions(duration, rate=25.0, integrator="central-difference")
    return simulate_network(network, options, sound=Sound(**sound))


def string(count=40, start=None, k=300.0, m=1e-6):
    """Masses in a row that springs across it hold: K = k Te²/m; fixed at both ends."""
    b = NetworkBuilder(gravity=(0, 0, 0), frequency=RATE)
    places = np.zeros((count + 2, 3))
    places[:, 0] = np.linspace(0.0, 0.5, count + 2)
    places[1:-1, 1] = start
    left = b.fixed("left", places[:1])
    masses = b.masses("string", places[1:-1], m)
    right = b.fixed("right", places[-1:])
    pairs = topology.chain(np.concatenate([left.indices, masses.indices, right.indices]))
    b.link("strand", pairs, links.spring(k, rest=0.0), axis="y")
    return b.build(), k / (m * RATE**2)


def test_partials_of_a_plucked_string():
    """Partials at 2 asin(√K sin(pπ/2(N+1))) a step: a pluck's sound is the sum of all of them, and nothing else.

    At rest one step before the start: phases (n + ½) ω. Rounding of 5293 steps of numbers below 1 mm.
    """
    count, at = 40, 9
    pluck = 1e-3 * np.interp(np.arange(1, count + 1), [0, 14, count + 1], [0, 1, 0])
    network, K = string(count, pluck)
    found = heard(network, 0.12, points=[f"string[{at}]"], of="position")["sound"][:, 0]
    p, i = np.arange(1, count + 1), np.arange(1, count + 1)
    shapes = np.sin(np.pi * np.outer(p, i) / (count + 1))
    parts = 2 / (count + 1) * shapes @ pluck * shapes[:, at]
    omega = 2 * np.arcsin(np.sqrt(K) * np.sin(np.pi * p / (2 * (count + 1))))
    n = np.arange(len(found))
    expected = (parts * np.cos(np.outer(n + 0.5, omega)) / np.cos(0.5 * omega)).sum(1) - pluck[at]
    assert len(found) == 5293
    np.testing.assert_allclose(found, expected, atol=1e-3 * 5293 * 40 * np.finfo(float).eps)


def test_velocity_is_the_change_of_position():
    pluck = 1e-3 * np.interp(np.arange(1, 41), [0, 14, 41], [0, 1, 0])
    network, _ = string(40, pluck)
    place = heard(network, 0.04, points=["string[5]", "string"], of="position")["sound"]
    speed = heard(network, 0.04, points=["string[5]", "string"])["sound"]
    np.testing.assert_allclose(speed[1:], np.diff(place, axis=0) * RATE, atol=1e-9)
    slow = heard(network, 0.04, points=["string[5]", "string"], of="position", rate=RATE / 4)["sound"]
    np.testing.assert_array_equal(slow, place[::4])


def plate(shape, m, k, w):
    b = NetworkBuilder(gravity=(0, 0, 0), frequency=RATE)
    inner = np.zeros(shape, bool)
    inner[1:-1, 1:-1] = True
    places = topology.block_positions(shape, 0.02, axes="xz")
    order = np.empty(inner.size, np.int64)
    places[inner.ravel(), 1] = w[inner]
    masses = b.masses("plate", places[inner.ravel()], m)
    rim = b.fixed("rim", places[~inner.ravel()])
    order[inner.ravel()], order[~inner.ravel()] = masses.indices, rim.indices
    pairs, weights = topology.plate(order, shape, free=False)
    moves = np.isin(pairs, masses.indices).any(1)
    b.link("bend", pairs[moves], links.spring(k * weights[moves], rest=0.0), axis="y")
    return b.build()


def test_modes_of_a_supported_plate():
    """Mode (p, q): k/m (λp + λq)², λp = 4 sin²(pπ/2(n+1)): Kirchhoff's π⁴ (p²/a² + q²/b²)² where the grid is fine."""
    shape, m, k = (9, 12), 1e-4, 2000.0
    x, z = (np.arange(n) / (n - 1) for n in shape)
    modes = [(1, 1), (2, 1), (3, 4)]
    w = sum(1e-4 * np.outer(np.sin(p * np.pi * x), np.sin(q * np.pi * z)) for p, q in modes)
    found = heard(plate(shape, m, k, w), 0.04, points=["plate[0]"], of="position")["sound"][:, 0]
    n, expected = np.arange(len(found)), 0.0
    for p, q in modes:
        lam = sum(4 * np.sin(c * np.pi / 2 / (s - 1)) ** 2 for c, s in zip((p, q), shape, strict=True))
        K = k / m * lam**2 / RATE**2
        omega = 2 * np.arcsin(0.5 * np.sqrt(K))
        part = 1e-4 * np.sin(p * np.pi * x[1]) * np.sin(q * np.pi * z[1])
        expected = expected + part * (np.cos((n + 0.5) * omega) / np.cos(0.5 * omega) - 1)
    # Rounding of 1765 steps of forces that are sums of 12 terms, 64 times the smallest stiffness apart.
    np.testing.assert_allclose(found, expected, atol=1e-4 * 1765 * 64 * 12 * np.finfo(float).eps)


@pytest.mark.parametrize(("count", "within"), [(13, 0.04), (25, 0.02)])
def test_modes_of_a_free_plate(count, within):
    """ω a² √(ρh/D) = 13.49, 19.79, 24.43 for ν = 0.3 [Leissa73]; errors shrink with the spacing."""
    pairs, weights = topology.plate(np.arange(count**2), (count, count))
    K = np.zeros((count**2,) * 2)
    for (a, b), k in zip(pairs, weights, strict=True):
        K[a, a] += k
        K[b, b] += k
        K[a, b] -= k
        K[b, a] -= k
    edge = np.ones(count)
    edge[[0, -1]] = 0.5  # of a cell
    mass = np.outer(edge, edge).ravel()
    root = 1 / np.sqrt(mass)
    found = np.sqrt(np.abs(eigvalsh(root[:, None] * K * root, subset_by_index=(0, 5)))) * (count - 1) ** 2
    np.testing.assert_allclose(found[:3], 0.0, atol=1e-3)  # it moves and turns freely
    np.testing.assert_allclose(found[3:], [13.489, 19.789, 24.432], rtol=within)


@pytest.mark.parametrize(("position", "limit"), [(0.1, 1.2), (0.15, 0.8)])
def test_a_bowed_string_moves_as_helmholtz_says(position, limit):
    """Once a period of 2 L/c the string slips, for the share β of it where it is bowed; it sticks at the bow's speed.

    Mean speed over a period is none: the speed of slipping is v (1 − β)/β. The limit is between the least and the
    largest bow force, 2 √(k m) v/β [Schelleng73], near which the pitch flattens: 2 to 3 % at half of it.
    """
    count, speed = 60, 0.2
    b = NetworkBuilder(gravity=(0, 0, 0), frequency=RATE)
    x = np.linspace(0.0, 0.6, count + 2)
    left = b.fixed("left", [[0, 0, 0]])
    masses = b.masses("string", np.stack([x[1:-1], 0 * x[1:-1], 0 * x[1:-1]], 1), 2e-5)
    right = b.fixed("right", [[0.6, 0, 0]])
    strand = topology.chain(np.concatenate([left.indices, masses.indices, right.indices]))
    b.link("strand", strand, links.spring(14000.0, rest=0.0, damping=0.02), axis="y")
    at = round(position * (count + 1)) - 1
    hair = b.imposed("bow", lambda t: [[x[at + 1], speed * t, 0.1]], velocity=(0, speed, 0))
    b.link("grip", (hair, masses[at]), presets.bow(2e4, limit, damping=0.5, sliding=0.02), axis="y")
    period = 2 * (count + 1) / np.sqrt(14000.0 / 2e-5) * RATE
    found = heard(b.build(), 0.48, points=[f"string[{at}]"])["sound"][-8 * round(period) :, 0]
    slips = found < 0.5 * speed - 0.5 * speed * (1 - position) / position
    begins = np.flatnonzero(~slips[:-1] & slips[1:])
    assert np.diff(begins).mean() == pytest.approx(period, rel=0.03)
    assert slips.mean() == pytest.approx(position, rel=0.1)
    assert np.median(found[~slips]) == pytest.approx(speed, rel=0.05)
