"""Curves of muscle models at published points, fibre and tendon in equilibrium, activation."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from motiform.base.errors import InputError
from motiform.motion.actuation.muscles import (
    DeGrooteFregly,
    Millard,
    Muscle,
    MusclePath,
    PathPoint,
    Thelen,
    activation_rate,
    fibre_equilibrium,
    fibre_forces,
    fibre_speed,
    muscle_force,
)

MODELS = [DeGrooteFregly(), Thelen(), Millard()]
PATH = MusclePath("m", (PathPoint(None, (0, 0, 0)), PathPoint(None, (1, 0, 0))))


def muscle(model, **changes):
    return Muscle(
        PATH,
        **({"max_force": 1000.0, "fibre_length": 0.1, "slack_length": 0.2, "pennation": 0.3, "model": model} | changes),
    )


def at(curve, x):
    return float(curve(np.array(x))[0])


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_slopes_are_derivatives(model):
    """Central differences with h = 1e-6 err by h² f‴/6 and by 1e-16/h: 1e-8 of curves with f‴ up to 1e4."""
    ranges = {"active": (0.5, 1.7), "passive": (0.5, 1.6), "speed": (-0.98, 0.98), "tendon": (1.002, 1.05)}
    for name, (low, high) in ranges.items():
        x = np.linspace(low, high, 401) + 1e-4 * np.sqrt(2)
        curve = getattr(model, name)
        numeric = (curve(x + 1e-6)[0] - curve(x - 1e-6)[0]) / 2e-6
        slope = curve(x)[1]
        error = np.abs(numeric - slope) / (1 + np.abs(slope))
        assert np.quantile(error, 0.98) < 1e-7  # the others are next to joints of pieces


def test_degroote_and_fregly_at_published_points():
    """Normalised curves of the supplement: through (1, 1), (0, 1), (−1, 0), one force at the given strains; and the
    printed coefficients to their three digits."""
    model = DeGrooteFregly()
    assert at(model.active, 1.0) == pytest.approx(1.0, abs=1e-12)
    assert at(model.speed, 0.0) == pytest.approx(1.0, abs=1e-12)
    assert at(model.speed, -1.0) == pytest.approx(0.0, abs=1e-12)
    assert at(model.speed, 1.0) == pytest.approx(1.794, abs=5e-4)  # range of the curve as stated in OpenSim
    assert at(model.passive, 1.6) == pytest.approx(1.0, abs=1e-12)
    assert at(model.tendon, 1.049) == pytest.approx(1.0, abs=1e-12)
    from motiform.motion.actuation.muscles.curves import degroote_kernels

    assert pytest.approx(0.815, abs=5e-4) == degroote_kernels._HEIGHT
    assert pytest.approx(-0.318, abs=5e-3) == degroote_kernels._D1
    assert pytest.approx(0.886, abs=5e-3) == degroote_kernels._D4


def test_thelen_solves_its_equation():
    """[Thelen03 6, 7]: v = (¼ + ¾ a)(F − a f)/b, b = a f + F/A_f or (2 + 2/A_f)(a f F_len − F)/(F_len − 1)."""
    model = Thelen()
    for a in (0.2, 1.0):
        v = np.linspace(-0.2, 0.05, 31) * (0.25 + 0.75 * a)
        F = model.speed(v, a)[0]
        A, top = model.speed_shape, model.lengthening_force
        b = np.where(F <= 1, 1 + F / A, (2 + 2 / A) * (top - F) / (top - 1))
        np.testing.assert_allclose((0.25 + 0.75 * a) * (F - 1) / b, v, atol=1e-14)
    assert at(model.passive, 1.6) == pytest.approx(1.0)
    assert at(model.tendon, 1.04) == pytest.approx(1.0)
    assert at(model.active, 1.0) == 1.0
    toe = 0.609 * 0.04  # the paper's rounded end of the toe
    assert at(model.tendon, 1 + toe) == pytest.approx(0.33, abs=2e-3)


def test_millard_at_published_points():
    """[Millard13 appendix]: fits through (1, 1) and (0, 1) with the stated slopes, one force at the stated strains."""
    model = Millard()
    assert at(model.active, 1.0) == pytest.approx(1.0, abs=1e-12)
    assert at(model.active, 1.8123) == pytest.approx(0.1, abs=1e-12)
    value, slope = model.speed(np.array(-1e-12))
    assert (float(value), float(slope)) == pytest.approx((1.0, 5.0), abs=1e-9)
    assert at(model.speed, -1.0) == 0.0
    assert at(model.speed, 1.0) == pytest.approx(1.4)
    value, slope = model.tendon(np.array(1.049))
    assert (float(value), float(slope)) == pytest.approx((1.0, 1.375 / 0.049), rel=1e-9)
    value, slope = model.passive(np.array(1.7))
    assert (float(value), float(slope)) == pytest.approx((1.0, 2.0 / 0.7), rel=1e-9)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_fibre_and_tendon_pull_alike_in_equilibrium(model):
    muscles = [muscle(model)]
    a, L = np.array([[0.01], [0.3], [1.0]]), np.full((3, 1), 0.31)
    fibre = fibre_equilibrium(muscles, a, L)
    tendon = muscle_force(muscles, a, L, np.zeros_like(L), fibre)
    cosine = np.sqrt(1 - (0.1 * np.sin(0.3) / fibre) ** 2)
    l = fibre / 0.1
    own = 1000 * (a * model.active(l)[0] * model.speed(np.zeros_like(l))[0] + model.passive(l)[0]) * cosine
    # 60 halvings of a range of 0.1 m leave rounding, 1e-17 m, times a stiffness of 1e6 N/m
    np.testing.assert_allclose(own, tendon, atol=1e-8)
    assert (np.diff(tendon[:, 0]) > 0).all()
    assert np.abs(fibre_speed(muscles, a, L, fibre)).max() < 1e-9


def test_the_fibre_goes_to_its_equilibrium():
    """A fibre that starts too long shortens to where it pulls like its tendon."""
    muscles = [muscle(DeGrooteFregly())]
    a, L = np.array([0.5]), np.array([0.31])
    rate = lambda t, y: fibre_speed(muscles, a, L, y)  # noqa: E731
    end = solve_ivp(rate, (0, 0.5), [0.105], rtol=1e-7, atol=1e-9).y[:, -1]
    assert end == pytest.approx(fibre_equilibrium(muscles, a, L), abs=1e-7)


def test_a_stiff_tendon_is_a_rigid_one():
    """The tendon's stretch is below strain · slack length, and the force changes by that over the fibre length."""
    strain = 1e-5
    stiff = [muscle(DeGrooteFregly(tendon_strain=strain))]
    a, L = np.array([0.6]), np.array([0.29])
    elastic = muscle_force(stiff, a, L, 0 * L, fibre_equilibrium(stiff, a, L))
    rigid = muscle_force(stiff, a, L, 0 * L)
    assert elastic == pytest.approx(rigid, rel=5 * strain * 0.2 / 0.1)


def test_damping_takes_from_the_force_of_a_fibre_that_shortens():
    """F₀ (a f_l f_v + f_p + β v) cos α with α = 0 and l = l₀, where f_l = 1 and f_p = 0; and never below 0."""
    model, v = Millard(damping=0.2), -0.3
    own = [muscle(model, pennation=0.0)]
    factor = float(model.speed(np.array(v))[0])
    for a in (1.0, 0.4):
        force = muscle_force(own, [a], [0.3], [v * 10.0 * 0.1])[0]
        assert force == pytest.approx(1000.0 * (a * factor + 0.2 * v), rel=1e-12)
    assert muscle_force(own, [0.05], [0.3], [v])[0] == 0.0


def test_width_stays_and_short_paths_are_slack():
    muscles = [muscle(Thelen())]
    found = fibre_forces(muscles, [[0.3], [0.19]], [[0.0], [0.0]])
    assert found.length[0, 0] * 0.1 == pytest.approx(np.hypot(0.1, 0.1 * np.sin(0.3)))
    assert found.slack[:, 0].tolist() == [False, True]
    assert found.active[1, 0] == found.passive[1, 0] == 0.0


def test_activation_follows_excitation():
    """Rising from 0: da/dt = u/(τ_a/2); falling from 1: −2/τ_d. Blends have their shares of 1/τ: half each at b = 0."""
    muscles = [muscle(Thelen(), activation_time=0.01, deactivation_time=0.04)]
    assert activation_rate(muscles, [0.0], [1.0])[0] == pytest.approx(200.0)
    assert activation_rate(muscles, [1.0], [0.0])[0] == pytest.approx(-50.0)
    steep, flat = (muscle(Thelen(), activation_time=0.01, deactivation_time=0.04, smoothing=b) for b in (100.0, 1e-12))
    assert activation_rate([steep], [1.0], [0.0])[0] == pytest.approx(-50.0)
    assert activation_rate([flat], [0.0], [1.0])[0] == pytest.approx(0.5 / (0.01 * 0.5) + 0.5 * 0.5 / 0.04)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: muscle(Thelen(), max_force=-1), "max_force must be above 0"),
        (lambda: muscle(Thelen(), fibre_length=0), "fibre_length must be above 0"),
        (lambda: muscle(Thelen(), slack_length=-0.1), "slack_length must not be negative"),
        (lambda: muscle(Thelen(), pennation=1.5), "pennation is out of range"),
        (lambda: muscle(Thelen(), activations=(0.5, 0.2)), "activations are out of range"),
        (lambda: muscle(Thelen(), smoothing=0), "smoothing must be above 0"),
        (lambda: muscle("thelen"), "unknown muscle model"),
        (lambda: Thelen(lengthening_force=0.9), "lengthening_force must be above 1"),
        (lambda: DeGrooteFregly(tendon_strain=0), "tendon_strain must be above 0"),
        (lambda: Millard(speed_slopes=(0.0, 0.25, 0.5, 0.15, 0.0)), "must form a corner"),
        (lambda: fibre_forces([muscle(Thelen())], [0.3, 0.3], [0, 0]), "one number for each muscle"),
        (lambda: muscle_force([muscle(Thelen(), slack_length=0)], [1], [0.1], [0], [0.1]), "elastic tendon"),
    ],
)
def test_wrong_input_is_named(make, text):
    with pytest.raises(InputError, match=text):
        make()
