"""Integrators: their measured order, what each keeps to rounding, and what explicit Euler does not keep."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ellipj

from motiform import simulate
from motiform.geometry import MassProperties
from motiform.motion.bodies import Bodies, Body, Environment, Spring
from motiform.motion.run import CASH_KARP, DORMAND_PRINCE, EULER, METHODS, RK4, ExplicitStep, integrators_of, march

EPS = np.finfo(float).eps
WEIGHTLESS = Environment(gravity=(0.0, 0.0, 0.0))
BODY_METHODS = integrators_of("bodies")
FIXED = ["euler", "symplectic-euler", "rk4", "lie-midpoint"]
CONTROL = {"rtol": 1e-8, "atol": 1e-11}


def make(name="body", mass=1.0, inertia=(1.0, 1.0, 1.0), **more) -> Body:
    return Body(name, MassProperties(mass, np.zeros(3), np.diag(inertia)), **more)


def on_springs(environment=WEIGHTLESS, hang=False) -> Bodies:
    """Two bodies that tumble and hold one another by two springs; with `hang` one also hangs from the world."""
    a = make("a", 1.0, (0.02, 0.05, 0.06), position=(0, 1, 0), velocity=(0.5, 0.2, 0), spin=(3, 1, -2))
    b = make("b", 2.0, (0.1, 0.04, 0.12), position=(0.6, 0.8, 0.2), spin=(-1, 2, 4))
    springs = (
        Spring("a", "b", 40.0, at_a=(-0.1, 0, 0.05), at_b=(0.0, 0.12, -0.04), rest=0.4),
        Spring("a", "b", 25.0, at_a=(0.1, 0.1, 0.0), at_b=(0.1, 0.0, 0.1), rest=0.5),
    )
    ceiling = (Spring(None, "a", 60.0, at_a=(0, 1.5, 0), at_b=(0.05, 0.1, 0.0), rest=0.3),)
    return Bodies((a, b), springs=springs + ceiling * hang, environment=environment)


def states(rec) -> np.ndarray:
    """The last sample: positions, velocities and spins of all bodies, and their quaternions."""
    keys = ("position", "velocity", "angular_velocity", "orientation")
    return np.hstack([rec[f"{name}.{key}"][-1] for name in "ab" for key in keys])


# ---- order ---------------------------------------------------------------------------------------


def slope(steps, errors) -> float:
    """The order between the two finest steps."""
    return float(np.log(errors[-2] / errors[-1]) / np.log(steps[-2] / steps[-1]))


@pytest.fixture(scope="module")
def truth():
    model = on_springs(Environment(), hang=True)
    return model, states(simulate(model, t1=0.5, rate=2, integrator="dormand-prince", rtol=1e-13, atol=1e-15))


@pytest.mark.parametrize(("integrator", "steps"), [
    ("euler", (1 / 4096, 1 / 8192)),
    ("symplectic-euler", (1 / 1024, 1 / 2048)),
    ("lie-midpoint", (1 / 256, 1 / 512)),
    ("rk4", (1 / 64, 1 / 128)),
])  # fmt: skip
def test_order_on_bodies_with_springs(integrator, steps, truth):
    """e = C h^p (1 + c h): the slope differs from p by c h/(2 ln 2), c at most Λ ≈ 30 rad/s here."""
    model, exact = truth
    errors = [
        np.abs(states(simulate(model, t1=0.5, rate=2, integrator=integrator, step=h)) - exact).max() for h in steps
    ]
    assert errors[-1] > 1e-9  # far from rounding, so it is the order that is seen
    band = min(30 * steps[0] / np.log(2), 0.35)  # twice that, for safety
    assert slope(steps, errors) == pytest.approx(METHODS[integrator].order, abs=band)


@pytest.mark.parametrize("integrator", FIXED)
def test_order_of_bodies_alone(integrator):
    """The same for the kernels that take many steps at once, on V1's body with its closed form."""
    p, m = np.sqrt((3 - 2) * (11.53 - 4.27) / 6), (2 - 1) * (4.27 * 3 - 11.53) / ((3 - 2) * (11.53 - 4.27))
    sn, cn, dn, _ = ellipj(p * 1.0, m)
    exact = np.array([0.8 * cn, np.sqrt((4.27 * 3 - 11.53) / 2) * sn, 1.1 * dn])
    model = Bodies((make(inertia=(1, 2, 3), spin=(0.8, 0, 1.1)),), environment=WEIGHTLESS)
    steps = (1 / 32, 1 / 64) if integrator in ("rk4", "lie-midpoint") else (1 / 512, 1 / 1024)
    errors = []
    for h in steps:
        rec = simulate(model, t1=1.0, rate=1, integrator=integrator, step=h)
        errors.append(np.abs(rec["body.angular_velocity"][-1] - exact).max())
    # Λ ≈ 3 rad/s here: the slope is p ± 3 h/(2 ln 2), and twice that for safety
    # Without load nothing kicks, and what remains of symplectic Euler is its drift: a symmetric step, of order 2.
    order = 2 if integrator == "symplectic-euler" else METHODS[integrator].order
    assert slope(steps, errors) == pytest.approx(order, abs=2 * 3 * steps[0] / np.log(2))


def euler_equations(t, w, out):
    """Iω̇ = Iω × ω for I = (1, 2, 3)."""
    out[:] = (w[1] * w[2] * (2 - 3), w[2] * w[0] * (3 - 1) / 2, w[0] * w[1] * (1 - 2) / 3)


@pytest.mark.parametrize("tableau", [EULER, RK4, CASH_KARP, DORMAND_PRINCE], ids=lambda tableau: tableau.name)
def test_order_of_the_tableau_with_forced_steps(tableau):
    p, m = np.sqrt((11.53 - 4.27) / 6), (4.27 * 3 - 11.53) / (11.53 - 4.27)
    sn, cn, dn, _ = ellipj(p * 2.0, m)
    exact = np.array([0.8 * cn, np.sqrt((4.27 * 3 - 11.53) / 2) * sn, 1.1 * dn])
    steps = (1 / 1024, 1 / 2048) if tableau.order == 1 else (1 / 16, 1 / 32)
    errors = []
    for h in steps:
        stepper = ExplicitStep(replace(tableau, error=None), euler_equations, size=3)  # no estimate: no control
        *_, last = march(stepper, 0.0, np.array([0.8, 0.0, 1.1]), 2.0, step=h)
        errors.append(np.abs(last.end - exact).max())
    # e = C h^p (1 + c h), c ≲ 3 rad/s: slope p ± 3 h/(2 ln 2); twice that for safety
    assert slope(steps, errors) == pytest.approx(tableau.order, abs=2 * 3 * steps[0] / np.log(2))


@pytest.mark.parametrize("integrator", ["cash-karp", "dormand-prince"])
def test_error_of_adaptive_methods_follows_the_tolerance(integrator, truth):
    """The step takes the estimated error, h^5, to the tolerance; the result is of order 5."""
    model, exact = truth
    tolerances = np.array([1e-6, 1e-7, 1e-8, 1e-9, 1e-10])
    errors = []
    for r in tolerances:
        rec = simulate(model, t1=0.5, rate=2, integrator=integrator, rtol=r, atol=r * 1e-2)
        errors.append(np.abs(states(rec) - exact).max())
    fit = np.polyfit(np.log(tolerances), np.log(errors), 1)[0]
    assert fit == pytest.approx(
        1.0, abs=0.15
    )  # the 5th-order error of a step is h^6 ∝ tol^1.2 over h: between 1 and 1.1
    assert np.all(np.array(errors) <= 100 * tolerances)


@pytest.mark.parametrize("tableau", [CASH_KARP, DORMAND_PRINCE], ids=lambda tableau: tableau.name)
def test_error_estimate_is_of_fifth_order(tableau):
    """A step's estimate is the difference of orders 5 and 4: it falls as h^5."""
    sizes = []
    for h in (1 / 8, 1 / 16):
        stepper = ExplicitStep(tableau, euler_equations, size=3)
        stepper.step(0.0, np.array([0.8, 0.1, 1.1]), h)
        sizes.append(np.abs(h * tableau.error @ stepper.stages).max())
    assert np.log2(sizes[0] / sizes[1]) == pytest.approx(5, abs=0.4)


def test_dense_output_of_dormand_prince_is_of_fourth_order():
    p, m = np.sqrt((11.53 - 4.27) / 6), (4.27 * 3 - 11.53) / (11.53 - 4.27)
    errors = []
    for h in (1 / 4, 1 / 8):
        stepper, start = ExplicitStep(DORMAND_PRINCE, euler_equations, size=3), np.array([0.8, 0.0, 1.1])
        end = stepper.step(0.0, start, h)
        inside = stepper.solution(0.0, start, end, h)
        theta = np.linspace(0.1, 0.9, 9) * h
        sn, cn, dn, _ = ellipj(p * theta, m)
        exact = np.stack([0.8 * cn, np.sqrt((4.27 * 3 - 11.53) / 2) * sn, 1.1 * dn], axis=1)
        errors.append(np.abs([inside(t) for t in theta] - exact).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(5, abs=0.5)  # local error of a 4th-order formula: h^5


# ---- what is kept to rounding --------------------------------------------------------------------


@pytest.fixture(scope="module")
def runs():
    """Every method on the bodies that hold one another, nothing from outside: 1 s, 512 steps."""
    return {
        name: simulate(on_springs(), t1=1.0, rate=64, integrator=name, step=1 / 512, **CONTROL) for name in BODY_METHODS
    }


ROUNDING = 512 * 16 * EPS  # 512 steps, some 16 roundings of the size of the largest term in each


def spread(rec, name: str) -> float:
    return float(np.abs(rec[name] - rec[name][0]).max())


@pytest.mark.parametrize("name", BODY_METHODS)
def test_momentum_is_kept_to_rounding(name, runs):
    assert "momentum" in METHODS[name].conserves
    largest = np.abs(np.hstack([1.0 * runs[name]["a.velocity"], 2.0 * runs[name]["b.velocity"]])).max()
    assert spread(runs[name], "momentum") <= ROUNDING * largest


@pytest.mark.parametrize("name", BODY_METHODS)
def test_angular_momentum_is_kept_to_rounding_where_published_and_drifts_elsewhere(name, runs):
    drift, largest = spread(runs[name], "angular_momentum"), np.abs(runs[name]["angular_momentum"]).max()
    if "angular_momentum" in METHODS[name].conserves:
        assert drift <= ROUNDING * largest
    else:
        assert drift > 100 * ROUNDING * largest  # a Runge–Kutta method does not keep what is quadratic in the state


@pytest.mark.parametrize("name", BODY_METHODS)
def test_angular_momentum_of_a_free_body_is_kept_to_rounding(name):
    assert "free_angular_momentum" in METHODS[name].conserves
    model = Bodies(
        (make(inertia=(1, 2, 3), position=(1, 2, 3), velocity=(1, -1, 2), spin=(1, 2, 1)),), environment=WEIGHTLESS
    )
    rec = simulate(model, t1=1.0, rate=64, integrator=name, step=1 / 512, **CONTROL)
    assert spread(rec, "angular_momentum") <= ROUNDING * np.abs(rec["angular_momentum"]).max()


@pytest.mark.parametrize("name", BODY_METHODS)
def test_rotations_stay_rotations_where_published_and_swell_elsewhere(name, runs):
    off = runs[name]["orthogonality"].max()
    if "orthogonality" in METHODS[name].conserves:
        assert off <= 16 * EPS  # put right in every step: nothing gathers
    else:
        assert off > 1e-3


@pytest.mark.parametrize("name", BODY_METHODS)
def test_energy_is_kept_to_rounding_where_published_and_drifts_elsewhere(name):
    """With gravity, springs to the world and between bodies, and tumbling: potentials that are linear or springs."""
    rec = simulate(on_springs(Environment(), hang=True), t1=1.0, rate=64, integrator=name, step=1 / 512, **CONTROL)
    scale = max(np.abs(rec["energy.kinetic"]).max(), np.abs(rec["energy.potential"]).max())
    if "energy" in METHODS[name].conserves:
        assert spread(rec, "energy") <= ROUNDING * scale
    else:
        assert spread(rec, "energy") > 10 * ROUNDING * scale


def test_energy_momentum_step_keeps_the_energy_of_a_pinned_body():
    properties = MassProperties(1.0, np.array([0, 0.1, 0]), np.diag([0.01, 0.008, 0.006]))
    model = Bodies((Body("body", properties, pivot=(0, 0, 0), spin=(2.0, 30.0, 1.0)),))
    rec = simulate(model, t1=1.0, rate=64, integrator="lie-midpoint", step=1 / 512)
    assert np.ptp(rec["energy.kinetic"]) > 0.01  # energy goes to and fro
    assert spread(rec, "energy") <= ROUNDING * rec["energy.kinetic"].max()


# ---- what Euler does, in closed form -------------------------------------------------------------


def test_explicit_euler_swells_a_rotation_by_its_closed_form():
    """About a principal axis Ṙ = [ω]R with constant ω: columns across grow by √(1 + h²ω²) a step."""
    h, spin = 1 / 128, 10.0
    model = Bodies((make(inertia=(1, 2, 3), spin=(0, 0, spin)),), environment=WEIGHTLESS)
    rec = simulate(model, t1=1.0, rate=128, integrator="euler", step=h)
    n = np.arange(129)
    exact = np.sqrt(2) * ((1 + (h * spin) ** 2) ** n - 1)
    assert rec["orthogonality"] == pytest.approx(exact, rel=1e-12)
    assert rec["orthogonality"][-1] > 1


def oscillator() -> Bodies:
    """A mass on a spring of no rest length: a linear oscillator, k/m = 9."""
    return Bodies((make(mass=2.0, position=(0.3, -0.2, 0.1)),), springs=(Spring(None, "body", 18.0, rest=0.0),),
                  environment=WEIGHTLESS)  # fmt: skip


def test_explicit_euler_feeds_an_oscillator_by_its_closed_form():
    """Energy grows by 1 + h² k/m a step."""
    rec = simulate(oscillator(), t1=2.0, rate=128, integrator="euler", step=1 / 128)
    exact = rec["energy"][0] * (1 + 9.0 / 128**2) ** np.arange(257)
    assert rec["energy"] == pytest.approx(exact, rel=1e-12)


def test_symplectic_euler_keeps_the_energy_of_its_own_oscillator():
    """½ m v² + ½ k x² − ½ h k x·v is exactly kept by v ← v − h k/m x, x ← x + h v."""
    h = 1 / 128
    rec = simulate(oscillator(), t1=20.0, rate=128, integrator="symplectic-euler", step=h)
    x, v = rec["body.position"], rec["body.velocity"]
    own = 0.5 * 2.0 * (v * v).sum(1) + 0.5 * 18.0 * (x * x).sum(1) - 0.5 * h * 18.0 * (x * v).sum(1)
    assert np.abs(own - own[0]).max() <= 2560 * 16 * EPS * own[0]


def test_symplectic_euler_stays_near_the_energy_for_many_periods_without_drift():
    """Tumbling bodies on springs, 40 s (some 60 swings): the error is of the size of h, and does not grow."""
    model = on_springs()
    rec = simulate(model, t1=40.0, rate=50, integrator="symplectic-euler", step=1 / 400)
    error = rec["energy"] - rec["energy"][0]
    first, last = error[:1000], error[1000:]
    swing = np.abs(first).max()
    assert swing < 0.05 * rec["energy.kinetic"].max()  # h Λ = 0.0025 · 20 rad/s of it
    assert np.abs(last).max() <= 1.5 * swing
    assert abs(last.mean() - first.mean()) <= 0.2 * swing
    euler = simulate(model, t1=4.0, rate=50, integrator="euler", step=1 / 400)["energy"]
    assert euler[-1] - euler[0] > 3 * swing  # in a tenth of the time
