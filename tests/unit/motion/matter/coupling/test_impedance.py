"""Impedances against closed forms, and two ways to one number."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from motiform.base.errors import InputError
from motiform.motion.matter.coupling import (
    GROUND,
    LinearNetwork,
    cell,
    chain_of_cells,
    impedance,
    link_impedance,
    mass_impedance,
    modes,
    nodal,
    nodal_matrix,
    open_velocity,
    parallel,
    port_impedance,
    seen_from,
    series,
    state_matrix,
    velocities,
)

W = np.geomspace(0.3, 300, 40)
STEP = 1 / 1050
STEPS = pytest.mark.parametrize("step", [None, STEP])


def random_network(rng: np.random.Generator, n: int, links: int) -> LinearNetwork:
    a = rng.integers(0, n, links)
    b = np.where(rng.random(links) < 0.2, GROUND, (a + rng.integers(1, n, links)) % n)
    spine = np.arange(n - 1)
    ends = np.concatenate([a, spine]), np.concatenate([b, spine + 1])
    k, z = rng.uniform(1, 100, len(ends[0])), rng.uniform(0.1, 1, len(ends[0]))
    return LinearNetwork(rng.uniform(0.1, 2, n), *ends, k, z)


@STEPS
def test_cell_is_its_parts_in_parallel(step):
    found = impedance(cell(2.0, 50.0, 3.0), 0, W, step)
    parts = parallel(mass_impedance(2.0, W, step), link_impedance(50.0, 3.0, W, step))
    assert_allclose(found, parts, rtol=1e-13)  # a sum of three terms
    if step is None:
        assert_allclose(found, 50 / (1j * W) + 3 + 2j * W, rtol=1e-13)  # [Habibi97 3.32]


@STEPS
def test_three_chained_cells_by_hand(step):
    """[Habibi97 fig. 3.13]: series and parallel rules alone, from the far end inwards."""
    net = chain_of_cells(3, 1.5, stiffness=40.0, damping=0.4, between_stiffness=90.0, between_damping=0.7)
    y = parallel(mass_impedance(1.5, W, step), link_impedance(40.0, 0.4, W, step))
    v = link_impedance(90.0, 0.7, W, step)
    middle = parallel(y, series(v, parallel(y, v)), series(v, parallel(y, v)))
    end = parallel(y, v, series(v, parallel(y, series(v, parallel(y, v)))))
    # Cancellation near resonances: 1e-11 leaves a condition of 1e4 to the rounding of a few operations.
    assert_allclose(impedance(net, 1, W, step), middle, rtol=1e-11)
    assert_allclose(impedance(net, 0, W, step), end, rtol=1e-11)
    assert_allclose(impedance(net, 2, W, step), end, rtol=1e-11)


def test_swapped_rules_of_the_thesis_would_be_wrong():
    """Masses that share a velocity weigh their sum; springs that share a force are softer than each."""
    assert parallel(mass_impedance(1, 2.0), mass_impedance(3, 2.0)) == mass_impedance(4, 2.0)
    assert series(link_impedance(6, 0, 2.0), link_impedance(3, 0, 2.0)) == pytest.approx(link_impedance(2, 0, 2.0))


def test_series_at_its_limits():
    assert series(0.0, 5.0) == 0
    assert np.isinf(series(2j, -2j))
    assert_allclose(series([0.0, 2.0], 2.0), [0, 1])


@STEPS
def test_inverse_of_the_nodal_matrix(step):
    rng = np.random.default_rng(1)
    net = random_network(rng, 9, 20)
    G = np.linalg.inv(nodal_matrix(net, W, step))
    for point in (0, 4):
        assert_allclose(impedance(net, point, W, step), 1 / G[:, point, point], rtol=1e-9)
    ports = [7, 2, 3]
    wanted = np.linalg.inv(G[:, ports][:, :, ports])
    found = port_impedance(net, ports, W, step)
    assert_allclose(found, wanted, atol=1e-9 * np.abs(wanted).max())
    assert_allclose(found, np.swapaxes(found, 1, 2), atol=1e-11 * np.abs(wanted).max())  # reciprocity


@STEPS
def test_sources_seen_from_a_point(step):
    rng = np.random.default_rng(2)
    net = random_network(rng, 8, 15)
    f = rng.normal(size=(len(W), 8)) + 1j * rng.normal(size=(len(W), 8))
    V = np.linalg.solve(nodal_matrix(net, W, step), f[..., None])[..., 0]
    assert_allclose(open_velocity(net, 3, W, f, step), V[:, 3], atol=1e-9 * np.abs(V).max())
    port = seen_from(net, 3, W, step, forces=f)
    assert_allclose(port.force, -port.impedance * V[:, 3], atol=1e-9 * np.abs(port.force).max())
    assert seen_from(net, 3, W, step).force is None


def test_imposed_velocity_is_the_limit_of_a_heavy_mass():
    """A mass of 1e9 kg that a force 1e9 jω V drives moves at V: the rest sees an imposed motion."""
    net = LinearNetwork([1.0, 2.0, 1e9], [0, 1], [1, 2], [30.0, 50.0], [1.0, 2.0])
    V = 0.3 + 0.1j
    moved = seen_from(net, 0, W, imposed={2: V})
    forces = np.zeros((len(W), 3), complex)
    forces[:, 2] = 1e9 * 1j * W * V
    driven = seen_from(net, 0, W, forces=forces)
    # The neighbour loads the heavy mass by at most its own impedance, about 1e3 of 3e8: 1e-5 of the motion.
    assert_allclose(moved.open_velocity, driven.open_velocity, rtol=1e-4)
    assert_allclose(moved.impedance, driven.impedance, rtol=1e-4)


@STEPS
def test_all_velocities_with_some_imposed(step):
    """Rows of held masses are taken out of 𝒴 V = f; their columns load the rest."""
    rng = np.random.default_rng(11)
    net = random_network(rng, 6, 12)
    Y = nodal_matrix(net, W, step)
    f = rng.normal(size=6)
    assert_allclose(np.einsum("nij,nj->ni", Y, velocities(net, W, f, step)), np.broadcast_to(f, (len(W), 6)), atol=1e-9)
    moved = {1: 2.0, 4: 1j * W}
    V = velocities(net, W, f, step, imposed=moved)
    assert_allclose(V[:, 1], 2.0)
    assert_allclose(V[:, 4], 1j * W)
    free = [0, 2, 3, 5]
    balance = np.einsum("nij,nj->ni", Y, V)[:, free] - f[free]
    assert np.abs(balance).max() < 1e-12 * np.abs(Y).max() * np.abs(V).max()
    port = seen_from(net, 0, W, step, forces=f, imposed=moved)
    assert_allclose(port.open_velocity, V[:, 0], atol=1e-9 * np.abs(V).max())
    assert velocities(net, W[0], f, imposed=dict.fromkeys(range(6), 1.0)).tolist() == [1] * 6


def test_velocity_is_finite_where_the_impedance_is_not():
    """The other mass blocks the point at √(k/m): a force on the point moves the other mass alone."""
    net = LinearNetwork([1.0, 1.0], [0], [1], [4.0], [0.0])
    assert_allclose(velocities(net, 2.0, [1.0, 0.0]), [0, -0.5j], atol=1e-15)  # the spring pulls −1: x = −1/4
    assert np.isinf(velocities(cell(1.0, 4.0), 2.0, [1.0])).all()
    blocked = seen_from(net, 0, 2.0, forces=[1.0, 0.0])
    assert np.isinf(blocked.impedance[0])
    assert np.isnan(blocked.open_velocity[0])


def test_large_networks_are_solved_alike():
    net = random_network(np.random.default_rng(3), 150, 400)
    many = impedance(net, 5, W)
    G = np.linalg.inv(nodal_matrix(net, W))
    assert net.size - 1 > nodal._DENSE
    assert_allclose(many, 1 / G[:, 5, 5], rtol=1e-7)
    f = np.eye(150)[17]
    assert_allclose(open_velocity(net, 5, W, f), G[:, 5, 17], atol=1e-9 * np.abs(G).max())


def test_frequencies_may_have_any_shape():
    grid = W.reshape(4, 10)
    assert_allclose(impedance(cell(1, 2, 3), 0, grid), impedance(cell(1, 2, 3), 0, W).reshape(4, 10))
    assert impedance(cell(1, 2, 3), 0, 5.0).shape == ()


def test_resonance_is_zero_and_antiresonance_infinite():
    """Two free masses on a spring: the pair swings at √(k/μ) with Y = 0; seen from one, the other blocks at √(k/m)."""
    net = LinearNetwork([1.0, 1.0], [0], [1], [4.0], [0.0])
    assert abs(impedance(net, 0, np.sqrt(8.0))) < 1e-14
    assert np.isinf(impedance(net, 0, 2.0))


def test_a_mode_that_the_point_cannot_see_is_no_pole():
    """Two like masses hang on the point: they can swing against one another while it rests, at √(k/m)."""
    net = LinearNetwork([1.0, 1.0, 1.0], [0, 0, 1, 2], [1, 2, GROUND, GROUND], [2.0, 2.0, 2.0, 2.0], 0.0)
    below, at = impedance(net, 0, [1.9999999, 2.0])
    assert np.isinf(at)  # both together are a pole
    tied = LinearNetwork([1.0, 1.0, 1.0], [0, 0, 1], [1, 2, 2], [2.0, 2.0, 1.0], 0.0)
    before, seen, after = impedance(tied, 0, [1.9999999, 2.0, 2.0000001])  # 2 rad/s: the odd mode, k + 2·1 = 4
    assert seen == pytest.approx((before + after) / 2, rel=1e-6)
    assert abs(below) > 1e5


def test_what_is_not_connected_is_not_seen():
    net = LinearNetwork([1.0, 3.0, 0.0], [0, 1], [GROUND, GROUND], [2.0, 5.0], 0.0)
    assert_allclose(impedance(net, 0, W), impedance(cell(1.0, 2.0), 0, W))


def test_modes_of_chained_cells():
    """ω² = (k_s + λ k_v)/m with λ = 2 − 2cos(jπ/(n + 1)): held ends [Habibi97 §8.4.1]."""
    n, m, k, v = 7, 1.5, 40.0, 90.0
    net = chain_of_cells(n, m, stiffness=k, damping=3.0, between_stiffness=v)
    exact = (k + v * (2 - 2 * np.cos(np.arange(1, n + 1) * np.pi / (n + 1)))) / m
    found = modes(net)
    assert_allclose(found.squared, exact, rtol=1e-12)
    assert_allclose(found.shapes.T @ (m * found.shapes), np.eye(n), atol=1e-12)
    assert_allclose(found.frequency, np.sqrt(exact) / (2 * np.pi), rtol=1e-12)


def test_scheme_swings_at_the_roots_of_its_matrix():
    net = chain_of_cells(4, 1.0, stiffness=2e4, between_stiffness=1e5)
    roots = np.linalg.eigvals(state_matrix(net, STEP))
    assert_allclose(np.abs(roots), 1, rtol=1e-12)  # no damper: nothing grows or decays
    swing = np.sort(np.abs(np.angle(roots)))[::2] / STEP
    assert_allclose(modes(net, step=STEP).omega, swing, rtol=1e-9)
    assert (modes(net, step=STEP).omega > modes(net).omega).all()


def test_few_modes_of_a_large_network():
    net = chain_of_cells(600, 1.0, stiffness=3.0, between_stiffness=500.0)
    exact = 3.0 + 500.0 * (2 - 2 * np.cos(np.arange(1, 5) * np.pi / 601))
    assert_allclose(modes(net, count=4).squared, exact, rtol=1e-9)
    free = chain_of_cells(400, 1.0, stiffness=0.0, between_stiffness=500.0, held_ends=False)
    assert modes(free, count=2).squared[0] == pytest.approx(0, abs=1e-9 * 2000)  # the whole moves; rounding of 4k/m


def test_bare_ends_follow_and_bad_modes_are_reported():
    """A massless point between two springs: they act as one of half the stiffness."""
    net = LinearNetwork([2.0, 0.0], [0, 1], [1, GROUND], [10.0, 10.0], 0.0)
    found = modes(net)
    assert_allclose(found.squared, [2.5], rtol=1e-14)
    assert_allclose(found.shapes[1], found.shapes[0] / 2, rtol=1e-14)
    grows = modes(LinearNetwork([1.0], [0], [GROUND], [-4.0], 0.0))
    assert grows.squared[0] == pytest.approx(-4)
    assert np.isnan(grows.omega[0])
    with pytest.raises(InputError, match="held by a spring"):
        modes(LinearNetwork([1.0, 0.0], [0], [1], [0.0], [1.0]))
    with pytest.raises(InputError, match="without mass has no modes"):
        modes(LinearNetwork([0.0], [0], [GROUND], [1.0], 0.0))
    with pytest.raises(InputError, match="count: no such number of modes"):
        modes(net, count=3)


@pytest.mark.parametrize(
    ("omega", "step", "text"),
    [
        ([1.0, 0.0], None, r"omega: a pulsation must be > 0 \(got 0.0"),
        ([-1.0], None, "must be > 0"),
        ([np.nan], None, r"not finite|must be finite"),
        ([4000.0], STEP, r"a frequency must not exceed half the sampling rate \(got 4000 rad/s at a step of"),
        ([1.0], -1.0, "step is out of range"),
    ],
)
def test_bad_frequencies_are_refused(omega, step, text):
    with pytest.raises(InputError, match=text):
        impedance(cell(1, 1), 0, omega, step)


def test_bad_ports_and_sources_are_refused():
    net = chain_of_cells(3, 1.0, stiffness=1.0, between_stiffness=1.0)
    with pytest.raises(InputError, match="no such mass"):
        impedance(net, 3, 1.0)
    with pytest.raises(InputError, match="a port is named twice"):
        port_impedance(net, [1, 1], 1.0)
    with pytest.raises(InputError, match="ports are a list"):
        port_impedance(net, [], 1.0)
    with pytest.raises(InputError, match="forces: there must be one force for each mass"):
        open_velocity(net, 0, 1.0, [1.0, 2.0])
    with pytest.raises(InputError, match="a port must not be an imposed point"):
        seen_from(net, 0, 1.0, imposed={0: 1.0})
    with pytest.raises(InputError, match="one value for each frequency"):
        seen_from(net, 0, [1.0, 2.0, 3.0], imposed={1: [1.0, 2.0]})
    with pytest.raises(InputError, match="forces: numbers must not be nan"):
        open_velocity(net, 0, 1.0, [1.0, 2.0, np.nan])
