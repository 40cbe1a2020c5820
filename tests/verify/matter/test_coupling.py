"""Impedances and cuts against networks that are really stepped by the scheme of the masses, from rest."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from motiform.motion.matter.coupling import (
    Band,
    LinearNetwork,
    MarkerOnCell,
    chain_of_cells,
    cut_error,
    impedance,
    influence_of_parts,
    join,
    open_velocity,
    rigid_prototypes,
    state_matrix,
)

STEP = 1 / 1050


def march(network: LinearNetwork, forces: np.ndarray, step: float, *, cut: tuple[int, ...] = ()) -> np.ndarray:
    """Positions (steps + 1, masses) from rest, by X_{n+1} = 2X_n − X_{n−1} + (Te²/m) F_n [Habibi97 1.6].

    Link by link, so that nothing is shared with the matrices under test. Links in `cut` act on their second end alone.
    """
    ends = np.stack([network.a, network.b], axis=1)
    kept = [link not in cut for link in range(network.links)]
    x = np.zeros((len(forces) + 2, network.size + 1))  # the last column is the ground
    for n in range(1, len(forces) + 1):
        total = np.append(forces[n - 1], 0.0)
        for (a, b), k, z, back in zip(ends, network.stiffness, network.damping, kept, strict=True):
            d, before = x[n, b] - x[n, a], x[n - 1, b] - x[n - 1, a]
            force = -(k * d + z * (d - before) / step)  # on b [Habibi97 1.10, 1.11]
            total[b] += force
            total[a] -= force if back else 0.0
        total[-1] = 0.0
        x[n + 1, :-1] = 2 * x[n, :-1] - x[n - 1, :-1] + step**2 / network.mass * total[:-1]
    return x[1:, :-1]


def phasor(signal: np.ndarray, omega: float, step: float, last: int) -> np.ndarray:
    """Complex amplitude of e^{jωnTe} in the last samples, by least squares: Re(A e^{jωnTe})."""
    n = np.arange(len(signal) - last, len(signal))
    basis = np.stack([np.cos(omega * n * step), -np.sin(omega * n * step)], axis=1)
    real, imag = np.linalg.lstsq(basis, signal[-last:], rcond=None)[0]
    return real + 1j * imag


def damped_chain() -> LinearNetwork:
    return chain_of_cells(3, 0.5, stiffness=2e4, damping=25.0, between_stiffness=3e4, between_damping=15.0)


@pytest.mark.parametrize("frequency", [7.0, 45.0, 130.0, 400.0])
@pytest.mark.parametrize("point", [0, 1])
def test_stepped_network_has_the_impedance_of_the_scheme(frequency, point):
    net, omega, steps = damped_chain(), 2 * np.pi * frequency, 2500
    forces = np.zeros((steps, 3))
    forces[:, point] = np.cos(omega * STEP * np.arange(steps))
    x = march(net, forces, STEP)
    V = phasor(np.diff(x[:-1], axis=0)[:, point], omega, STEP, 1000) / STEP * np.exp(-1j * omega * STEP)
    radius = np.abs(np.linalg.eigvals(state_matrix(net, STEP))).max()
    # The start decays as radius^1500; differences of positions keep 1e-16·|x|/|VTe| ≈ 1e-14 and the fit averages them.
    assert radius**1500 < 1e-14
    Y = impedance(net, point, omega, STEP)
    assert_allclose(1 / V, Y, rtol=1e-9)
    continuous = impedance(net, point, omega)
    assert abs(Y / continuous - 1) > 1e-3  # the scheme and continuous time do differ


def test_scheme_tends_to_continuous_time():
    """First order in Te, for the damper and the phase of V are half a step late: halving the step halves the error."""
    net, omega = damped_chain(), np.array([100.0, 300.0])
    exact = impedance(net, 0, omega)
    errors = [np.abs(impedance(net, 0, omega, h) / exact - 1) for h in (1e-5, 5e-6)]
    assert_allclose(errors[0] / errors[1], 2, rtol=1e-2)


@pytest.mark.parametrize("frequency", [12.0, 60.0])
def test_source_elsewhere_moves_the_open_point(frequency):
    net, omega, steps = damped_chain(), 2 * np.pi * frequency, 2500
    forces = np.zeros((steps, 3))
    forces[:, 2] = np.cos(omega * STEP * np.arange(steps))
    x = march(net, forces, STEP)
    V = phasor(np.diff(x[:-1], axis=0)[:, 0], omega, STEP, 1000) / STEP * np.exp(-1j * omega * STEP)
    assert_allclose(V, open_velocity(net, 0, omega, [0, 0, 1.0], STEP), rtol=1e-9)  # as above


def body_and_cloth(ratio: float) -> LinearNetwork:
    """A heavy chain and one like it, `ratio` times as heavy, stiff and viscous, tied to it at every mass."""
    body = damped_chain()
    cloth = LinearNetwork(ratio * body.mass, body.a[3:5], body.b[3:5], ratio * 4e3, ratio * 20.0)
    return join(body, cloth, range(3), range(3), stiffness=ratio * 4e3, damping=ratio * 20.0)


@pytest.mark.parametrize("frequency", [10.0, 35.0])
def test_cut_run_errs_as_predicted(frequency):
    """The driver's error of a stepped, cut run is what both nodal matrices say, to the decay of the start."""
    net, omega, steps = body_and_cloth(0.05), 2 * np.pi * frequency, 4000
    forces = np.zeros((steps, 6))
    forces[:, 1] = np.cos(omega * STEP * np.arange(steps))
    links = tuple(range(net.links - 3, net.links))  # from the body (a) to the cloth (b)
    amplitudes = [phasor(march(net, forces, STEP, cut=cut)[:, :3], omega, STEP, 1000) for cut in ((), links)]
    error = np.linalg.norm(amplitudes[1] - amplitudes[0]) / np.linalg.norm(amplitudes[0])
    predicted = cut_error(net, [0, 1, 2], [3, 4, 5], omega, [0, 1.0, 0, 0, 0, 0], STEP)[0]
    radius = np.abs(np.linalg.eigvals(state_matrix(net, STEP))).max()
    assert radius**3000 < 1e-12
    assert error == pytest.approx(predicted, rel=1e-8)


def test_error_falls_with_the_ratio_of_impedances():
    """All of the cloth scaled by r: Y_B ∝ r, and so are influence and error."""
    band = Band(2, 60)
    worst = [influence_of_parts(body_and_cloth(r), range(3), range(3, 6), band).worst_a for r in (0.1, 0.01, 0.001)]
    assert_allclose(np.array(worst[:-1]) / worst[1:], 10, rtol=0.01)  # the modes added to the grid differ a little
    omega = 2 * np.pi * 20.0
    errors = [cut_error(body_and_cloth(r), range(3), range(3, 6), omega, [1.0] * 3 + [0] * 3)[0] for r in (1e-3, 1e-4)]
    assert errors[0] / errors[1] == pytest.approx(10, rel=0.01)  # first order in r, r² is next


@pytest.mark.parametrize(
    ("cell_mass", "error", "longest"), [(0.1, 1.89, 1.0), (0.01, 0.83, 3.1), (1e-3, 0.073, 9.9), (1e-4, 0.0071, 31.0)]
)
def test_marker_on_a_cell(cell_mass, error, longest):
    """Cut against coupled marker: M = 1 kg, cos at 5 Hz, 2 s, k = 100m, z = 2m, K̂ = Ẑ = 0.3 at 1050 Hz.

    The errors were measured once with another program and are given to two or three digits.
    """
    m = cell_mass
    one = MarkerOnCell(
        marker_mass=1.0,
        contact_stiffness=0.3 * m / STEP**2,
        contact_damping=0.3 * m / STEP,
        cell_mass=m,
        cell_stiffness=100 * m,
        cell_damping=2 * m,
    )
    assert one.longest == pytest.approx(longest, rel=0.02)
    steps = 2100
    forces = np.zeros((steps, 2))
    forces[:, 0] = np.cos(2 * np.pi * 5.0 * STEP * np.arange(steps))
    coupled, cut = (march(one.network(), forces, STEP, cut=links)[:, 0] for links in ((), (0,)))
    found = np.linalg.norm(cut - coupled) / np.linalg.norm(coupled)
    assert found == pytest.approx(error, rel=0.01)
    assert (found < 0.1) == (one.longest > 4.9 * 2.0)  # a margin of about five on the duration


def test_soft_and_stiff_bodies_as_prototypes():
    """Masses on springs thrown with a spin: six prototypes tell more the stiffer they are, and never all."""
    corners = np.array([[i, j, k] for i in (0.0, 1.0) for j in (0.0, 1.0) for k in (0.0, 1.0)])
    pairs = [(a, b) for a in range(8) for b in range(a)]
    shares = []
    for stiffness in (20.0, 200.0, 2000.0):
        x = corners.copy()
        before = x - np.cross([0, 3.0, 1.0], x - 0.5) / 500 - np.array([1.0, 0, 0]) / 500
        samples = []
        for _ in range(500):
            force = np.zeros_like(x)
            for a, b in pairs:
                gap = x[b] - x[a]
                d = np.linalg.norm(gap)
                pull = stiffness * (d - np.linalg.norm(corners[b] - corners[a])) * gap / d
                force[a] += pull
                force[b] -= pull
            x, before = 2 * x - before + force / 500**2, x
            samples.append(x)
        shares.append(rigid_prototypes(np.array(samples)).share)
    lost = 1 - np.array(shares)
    assert (lost > 0).all()
    # A spin stretches by mω²r/k: amplitude ∝ 1/k, energy ∝ 1/k².
    assert_allclose(np.log10(lost[1] / lost[2]), 2, atol=0.3)
    assert lost[0] > 10 * lost[1]
