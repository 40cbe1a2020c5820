"""Transmission through a two-port, rigid links and geometric points [Habibi97 ch. 4]."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

from motiform.base.errors import InputError
from motiform.motion.matter.coupling import (
    GROUND,
    Band,
    LinearNetwork,
    chain_of_cells,
    constant_length,
    follows_neighbours,
    length_change,
    link_impedance,
    mass_impedance,
    nodal_matrix,
    non_dynamic,
    port_impedance,
    spring_transmission,
    stiff_enough,
    transmission,
    two_port,
)

W = np.geomspace(0.5, 50, 30)


def spring(k: float, sign: int = 1) -> np.ndarray:
    return sign * (k / (1j * W))[:, None, None] * np.array([[1, -1], [-1, 1]])


def test_general_solution_against_the_whole_network():
    """A and B as cells that forces drive, I a chain: both sides of (4.13)-(4.16), signs corrected."""
    rng = np.random.default_rng(6)
    inner = chain_of_cells(3, 0.7, stiffness=5.0, damping=0.2, between_stiffness=30.0, between_damping=0.3)
    K = inner.matrices
    whole = nodal_matrix(inner, W)
    Y_A, Y_B = mass_impedance(2.0, W) + 0.5, link_impedance(20.0, 0.4, W)
    V_A, V_B = rng.normal(size=(2, len(W))) + 1j * rng.normal(size=(2, len(W)))
    whole[:, 0, 0] += Y_A
    whole[:, 2, 2] += Y_B
    V = np.linalg.solve(whole, np.stack([Y_A * V_A, 0 * V_A, Y_B * V_B], axis=1)[..., None])[..., 0]
    Y = port_impedance(inner, [0, 2], W)
    found = two_port(Y, impedance_a=Y_A, impedance_b=Y_B, velocity_a=V_A, velocity_b=V_B)
    assert_allclose(found.V1, V[:, 0], atol=1e-11 * np.abs(V).max())
    assert_allclose(found.V2, V[:, 2], atol=1e-11 * np.abs(V).max())
    size = np.abs(found.F1).max()
    assert_allclose(found.F1, Y_A * (V_A - found.V1), atol=1e-10 * size)
    assert_allclose(found.F2, Y_B * (V_B - found.V2), atol=1e-10 * size)
    y, D = Y, (Y[:, 0, 0] + Y_A) * (Y[:, 1, 1] + Y_B) - Y[:, 0, 1] * Y[:, 1, 0]
    F1 = (Y_A * y[:, 0, 0] * (y[:, 1, 1] + Y_B) - Y_A * y[:, 0, 1] * y[:, 1, 0]) * V_A + y[:, 0, 1] * Y_A * Y_B * V_B
    assert_allclose(found.F1, F1 / D, atol=1e-10 * size)  # [Habibi97 4.15] with + on the cross term
    assert K[0].shape == (3, 3)


def test_ideal_sources_are_limits():
    """(4.18)-(4.20) and §4.1.4.4 with its off-diagonal terms: the thesis's Y_A = 0 is an infinite one."""
    Y, Y_B = spring(40.0) + 0.1 * np.eye(2), mass_impedance(0.3, W)
    V_A, V_B = 1.0, 0.2 - 0.4j
    found = two_port(Y, impedance_a=None, impedance_b=Y_B, velocity_a=V_A, velocity_b=V_B)
    limit = two_port(Y, impedance_a=1e12, impedance_b=Y_B, velocity_a=V_A, velocity_b=V_B)
    assert_allclose(found.V2, limit.V2, rtol=1e-8)  # |Y|/1e12 and its amplification near resonance
    assert_allclose(found.V2, (Y_B * V_B - Y[:, 1, 0] * V_A) / (Y[:, 1, 1] + Y_B), rtol=1e-12)  # [4.18]
    assert_allclose(found.F2, Y_B * (Y[:, 1, 0] * V_A + Y[:, 1, 1] * V_B) / (Y[:, 1, 1] + Y_B), rtol=1e-9)  # [4.20]
    swapped = two_port(Y, impedance_a=Y_B, impedance_b=None, velocity_a=V_B, velocity_b=V_A)
    assert_allclose(swapped.V1, found.V2, rtol=1e-12)
    assert_allclose(swapped.F2, found.F1, rtol=1e-9)
    both = two_port(Y, impedance_a=None, impedance_b=None, velocity_a=V_A, velocity_b=V_B)
    assert_allclose(both.F1, Y[:, 0, 0] * V_A + Y[:, 0, 1] * V_B, rtol=1e-12)
    free = two_port(Y, impedance_a=0.0, impedance_b=None, velocity_a=5.0, velocity_b=1.0)
    assert_allclose(free.F1, 0, atol=1e-12 * np.abs(free.F2).max())  # nothing is attached there


def test_sources_inside_the_two_port():
    """F = Y V + E [Habibi97 4.1]: a force on the middle mass, by the network solved whole."""
    net = LinearNetwork([1.0, 0.5, 2.0], [0, 1], [1, 2], [30.0, 20.0], [0.3, 0.2])
    whole = nodal_matrix(net, W)
    V = np.linalg.solve(whole, np.array([0, 1.0, 0])[:, None])[..., 0]
    Y = port_impedance(net, [0, 2], W)
    E = -np.einsum("nij,nj->ni", Y, V[:, [0, 2]])  # both ports free: F = 0
    found = two_port(Y, impedance_a=0.0, impedance_b=0.0, forces=E)
    assert_allclose(found.V1, V[:, 0], rtol=1e-7)


def test_source_spring_mass_of_the_thesis():
    """V2/V_A = q, Γ1 = jmωq, Γ2 = −jmωq², q = k/(k − mω²) [Habibi97 4.25-4.31], in the thesis's signs."""
    m, k = 0.2, 90.0
    q = k / (k - m * W**2)
    found = two_port(spring(k, -1), impedance_a=None, impedance_b=-mass_impedance(m, W), velocity_a=1.0)
    assert_allclose(found.V2, q, rtol=1e-9)
    assert_allclose(found.gamma1, 1j * m * W * q, rtol=1e-9)
    assert_allclose(found.gamma2, -1j * m * W * q**2, rtol=1e-9)
    first, second = spring_transmission(m, k, W)
    assert_allclose(np.abs(found.gamma / found.gamma1), first, rtol=1e-6)
    assert_allclose(np.abs(found.gamma / found.gamma2), second, rtol=1e-6)
    ours = two_port(spring(k), impedance_a=None, impedance_b=mass_impedance(m, W), velocity_a=1.0)
    assert_allclose(ours.ratio, found.ratio, rtol=1e-9)  # all signs turned: the same condition


def test_rule_of_a_hundred():
    """k = 100 mω² keeps 1 % of what reaches the mass, 1/99 of what enters."""
    k = stiff_enough(0.2, 50.0)
    assert k == pytest.approx(100 * 0.2 * 50.0**2)
    first, second = spring_transmission(0.2, k, 50.0)
    assert second == pytest.approx(0.01)
    assert first == pytest.approx(1 / 99)
    ends = {"impedance_a": None, "impedance_b": mass_impedance(0.2, W), "velocity_a": 1.0}
    assert transmission(spring(k * 1.01), W, threshold=0.0101, **ends).holds
    weak = transmission(spring(k / 20), W, threshold=0.0101, **ends)
    assert not weak.holds
    assert weak.worst == pytest.approx(0.2 / 0.8)
    assert "transmission does not hold" in str(weak)
    assert json.loads(json.dumps(weak.as_dict()))["holds"] is False
    assert np.isinf(spring_transmission(1.0, 4.0, 2.0)[0])


def test_transmission_of_a_link_is_constant_length():
    """|Γ| = |F1||V1 − V2| ⇒ the ratios are the same [Habibi97 4.34, 4.35]."""
    ends = {"impedance_a": None, "impedance_b": mass_impedance(0.2, W), "velocity_a": 1.0}
    found = two_port(spring(900.0), **ends)
    length = constant_length(found.V1, found.V2, W)
    assert_allclose(length.ratio, found.ratio, rtol=1e-6)
    assert np.isinf(constant_length(1.0, 0.0, [1.0]).worst)


def test_recorded_length():
    t = np.linspace(0, 6, 200)
    a = np.stack([np.cos(t), np.sin(t), t], axis=1)
    b = a + np.stack([np.cos(3 * t), np.sin(3 * t), 0 * t], axis=1)
    assert length_change(a, b) < 1e-15 * 8  # rounding of positions up to 8 m
    assert length_change(a, a + (b - a) * (1 + 0.02 * (-1) ** np.arange(200))[:, None]) == pytest.approx(0.02)
    with pytest.raises(InputError, match="always at one place"):
        length_change(a, a)
    with pytest.raises(InputError, match="two recorded points must"):
        length_change(a, b[:5])


def test_non_dynamic_dependence():
    """T_i/T_0 = 1/(1 + jmω/nY) [Habibi97 4.47] from the network; its condition is mω ≪ |nY| [4.48]."""
    m, n, k, z = 0.02, 4, 60.0, 0.5
    net = LinearNetwork([m], [0] * n, [GROUND] * n, k, z)
    Y = link_impedance(k, z, W)
    T = Y / nodal_matrix(net, W)[:, 0, 0]  # one neighbour moves at 1, three are held
    assert_allclose(T, (1 / n) / (1 + 1j * m * W / (n * Y)), rtol=1e-12)
    band = Band(W[0] / (2 * np.pi), W[-1] / (2 * np.pi))
    found = non_dynamic(m, links=n, stiffness=k, damping=z, band=band, threshold=0.1)
    assert found.worst == pytest.approx(m * W[-1] / (n * abs(Y[-1])), rel=1e-9)
    assert not found.holds
    assert non_dynamic(m / 10, links=n, stiffness=k, damping=z, band=band, threshold=0.1).holds
    assert follows_neighbours(net, band)[0] == pytest.approx(found.worst, rel=1e-9)
    assert np.isinf(follows_neighbours(LinearNetwork([1.0], [], [], [], []), band)[0])


def test_refusals():
    with pytest.raises(InputError, match="Y: a two-port must"):
        two_port(np.eye(3), impedance_a=1.0, impedance_b=1.0)
    with pytest.raises(InputError, match="the two-port is singular"):
        two_port(np.zeros((2, 2)), impedance_a=0.0, impedance_b=1.0)
    with pytest.raises(InputError, match="links is out of range"):
        non_dynamic(1.0, links=0, stiffness=1.0, band=Band(1, 2))
