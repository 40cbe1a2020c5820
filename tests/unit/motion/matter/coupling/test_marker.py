"""The marker and the cell: closed forms of the thesis, with what had to be corrected."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

from motiform.base.errors import InputError
from motiform.motion.matter.coupling import Band, LinearNetwork, MarkerOnCell, impedance, link_impedance, state_matrix

W = np.geomspace(1e-4, 1e6, 200)


def case(**change: float) -> MarkerOnCell:
    given = {"marker_mass": 1.0, "contact_stiffness": 1e4, "contact_damping": 10.0, "cell_mass": 1e-3}
    return MarkerOnCell(**(given | {"cell_stiffness": 0.1, "cell_damping": 1e-3} | change))


@pytest.mark.parametrize("step", [None, 1e-6])
def test_closed_forms_are_what_the_nodal_solver_finds(step):
    """A bare end behind the buffer sees 1/(1/jMω + 1/(K/jω + Z)) [Habibi97 3.24]; (3.32) is a cell."""
    one = case()
    marker = LinearNetwork([1.0, 0.0], [0], [1], [1e4], [10.0])
    # Far below resonance the nodal solver finds Mω as a difference of two numbers as large as K/ω.
    lost = 1e-15 * np.abs(link_impedance(1e4, 10.0, W, step))
    error = np.abs(impedance(marker, 1, W, step) - one.marker_impedance(W, step))
    assert (error <= 4 * lost + 1e-12 * np.abs(one.marker_impedance(W, step))).all()
    alone = one.network().part(["cell"])
    assert_allclose(impedance(alone, "cell", W, step), one.cell_impedance(W, step), rtol=1e-9)


def test_asymptotes():
    """Corners K/M, K/Z; with Z² > MK only Z/M: (3.29)-(3.31) of the thesis are wrong there."""
    far = np.array([1e-3, 1.0, 3e6])
    light = case(contact_damping=1.0)  # Z² = 1 ≪ MK = 1e4
    for w, value in ((1.0, 1.0), (1e3, 10.0), (1e6, 1.0)):  # Mω, K/ω, Z
        assert light.marker_asymptotes(w) == pytest.approx(value)
        # Corners a factor 10 away or more: 1/(1 − 0.1²) by the resonance and √(1 + 0.1²) by the damper.
        assert abs(light.marker_impedance(w)) == pytest.approx(value, rel=0.016)
    heavy = MarkerOnCell(marker_mass=1, contact_stiffness=1, contact_damping=100, cell_mass=1e-3, cell_stiffness=1e-3)
    assert_allclose(np.abs(heavy.marker_impedance(far)), heavy.marker_asymptotes(far), rtol=1e-3)
    assert_allclose(heavy.marker_asymptotes(far), [1e-3, 1.0, 100.0])
    # The thesis has K ω²/(MZ) between K/Z = 0.01 and √(K/M) = 1 rad/s: 1e-4 at 0.1 rad/s where the truth is Mω = 0.1.
    assert abs(heavy.marker_impedance(0.1)) == pytest.approx(0.1, rel=1e-3)
    assert_allclose(np.abs(case().cell_impedance(far)), case().cell_asymptotes(far), rtol=0.01)


@pytest.mark.parametrize("Z", [0.0, 10.0])
def test_band_of_influence(Z):
    """|Y_A| and |Y_B| cross at √(k/M) and at Z/m, or √(K/m) [Habibi97 3.36], for a light and soft cell."""
    one = case(contact_damping=Z, cell_damping=0.0, cell_mass=1e-5, cell_stiffness=1e-3)
    w = np.geomspace(one.omega_min / 30, one.omega_max * 30, 20001)
    within = np.abs(one.cell_impedance(w)) < np.abs(one.marker_impedance(w))
    edges = w[np.flatnonzero(np.diff(within.astype(int)))]
    # Grid 1e-3; the mass of the marker lowers K/ω by (ω_K/ω)² = 1e-5 and the spring Z by (K/Zω)² = 1e-6.
    assert_allclose([edges[0], edges[-1]], [one.omega_min, one.omega_max], rtol=2e-3)
    assert one.longest == pytest.approx(np.pi * np.sqrt(1.0 / 1e-3))
    assert one.fastest == pytest.approx(Z / (np.pi * 1e-5) if Z else np.sqrt(1e4 / 1e-5) / np.pi)


@pytest.mark.parametrize("Z", [0.0, 10.0])
def test_no_stable_run_meets_the_condition_on_the_rate(Z):
    """Below the highest rate of (3.37), Ẑ > π or K̂ > π²: outside the triangle K̂ + 2Ẑ < 4."""
    one = case(contact_damping=Z)
    rate = 0.999 * one.fastest
    stiff, damped = one.reduced(rate)
    assert (damped > np.pi) if Z else (stiff > np.pi**2)
    assert not one.stable(rate)
    cell_in_contact = one.network().part(["cell"], others="held")  # the marker held
    assert np.abs(np.linalg.eigvals(state_matrix(cell_in_contact, 1 / rate))).max() > 1
    assert one.stable(100 * one.fastest)
    assert np.abs(np.linalg.eigvals(state_matrix(cell_in_contact, 0.01 / one.fastest))).max() < 1


def test_no_parameters_do_for_all_frequencies():
    """[Habibi97 3.35]: below and above the band the cell moves the marker, whatever the parameters."""
    rng = np.random.default_rng(5)
    for _ in range(50):
        M, K, Z, m, k, z = 10.0 ** rng.uniform(-4, 4, 6)
        one = MarkerOnCell(
            marker_mass=M, contact_stiffness=K, contact_damping=Z, cell_mass=m, cell_stiffness=k, cell_damping=z
        )
        ends = np.array([1e-12, 1e12])
        assert (np.abs(one.cell_impedance(ends)) > 100 * np.abs(one.marker_impedance(ends))).all()


def test_reported_and_refused():
    one = case()
    assert json.loads(json.dumps(one.as_dict(1050)))["stable"] is False
    assert "0.05033 to 1592 Hz" in str(one)
    assert one.influence(Band(1, 100)).verdict == "a drives b"
    assert one.influence(Band(1, 100), step=1e-4).verdict == "a drives b"
    with pytest.raises(InputError, match="marker_mass is out of range"):
        case(marker_mass=0)
    with pytest.raises(InputError, match="contact_damping is out of range"):
        case(contact_damping=-1)
