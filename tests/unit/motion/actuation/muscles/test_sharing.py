"""Shares of moments: closed forms, SciPy, and a lever whose statics are known."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear, minimize

from motiform import FigureBuilder, joints
from motiform.base.errors import InputError
from motiform.base.kernels import threads
from motiform.motion.actuation.muscles import (
    CoordinateActuator,
    DeGrooteFregly,
    LigamentForce,
    Muscle,
    MusclePath,
    Muscles,
    PathPoint,
    path_geometry,
    share_moments,
    static_optimization,
)
from motiform.motion.tree import inverse_dynamics
from motiform.motion.tree.model.functions import linear


def problems(count=6, n=9, k=3, seed=0):
    rng = np.random.default_rng(seed)
    gain = rng.normal(size=(count, n, k)) * rng.uniform(5, 60, (1, n, 1)) * (rng.random((1, n, k)) < 0.7)
    return gain, 30 * rng.normal(size=(count, k))


@pytest.mark.parametrize("power", [2.0, 3.0, 1.5])
def test_shares_are_the_least_of_scipy(power):
    """SLSQP comes within 1e-6 of the least cost (ours is lower); near zero an activation is then off by 1e-6^(1/p)."""
    gain, moment = problems()
    reserve = np.array([1.0, 2.0, 0.5])
    found = share_moments(gain, moment, 0.0, 1.0, power=power, reserve=reserve)
    assert found.settled.all()
    np.testing.assert_allclose(np.einsum("si,sik->sk", found.activation, gain) + found.reserve, moment, atol=1e-9)
    for s in range(len(moment)):
        cost = lambda x: (x**power).sum() + (((moment[s] - x @ gain[s]) / reserve) ** 2).sum()  # noqa: B023, E731
        slope = lambda x: power * x ** (power - 1) - 2 * gain[s] @ ((moment[s] - x @ gain[s]) / reserve**2)  # noqa: B023, E731
        theirs = minimize(cost, np.full(9, 0.3), jac=slope, bounds=[(0, 1)] * 9, method="SLSQP",
                          options={"ftol": 1e-14, "maxiter": 500})  # fmt: skip
        assert cost(found.activation[s]) <= theirs.fun * (1 + 1e-9)
        np.testing.assert_allclose(found.activation[s], theirs.x, atol=3 * 1e-6 ** (1 / power))


def test_two_muscles_share_by_their_strength():
    """min a² + b² with 30 a + 10 b = 15: (a, b) = 15 (30, 10)/1000; with a at its bound the other takes the rest."""
    gain = np.array([[[30.0], [10.0]]] * 2)
    found = share_moments(gain, [[15.0], [36.0]], 0.0, 1.0, reserve=1e-4)
    np.testing.assert_allclose(found.activation, [[0.45, 0.15], [1.0, 0.6]], atol=1e-9)


def test_what_is_out_of_reach_is_in_the_reserve():
    found = share_moments(np.array([[[30.0], [10.0]]]), [[55.0]], 0.0, 1.0, reserve=1e-2)
    np.testing.assert_allclose(found.activation, [[1.0, 1.0]])
    assert found.reserve[0, 0] == pytest.approx(15.0)


@pytest.mark.parametrize("size", [3.0, 30.0, 300.0])
@pytest.mark.parametrize("reserve", [0.01, 1.0, 100.0])
def test_all_settle_within_reach_and_out_of_it(size, reserve):
    """Against bounded least squares by active sets, exact but for rounding times the squared condition of its matrix:
    1e-16 (60 √12 / 0.01)² is 4e-8. Ours stops at products of 1e-18, a distance of 1e-8 where a bound has no
    force."""
    rng = np.random.default_rng(4)
    gain, moment = 30 * rng.normal(size=(300, 12, 4)), size * rng.normal(size=(300, 4))
    found = share_moments(gain, moment, 0.0, 1.0, reserve=reserve)
    assert found.settled.all()
    for s in range(0, 300, 15):
        rows, right = np.vstack([np.eye(12), gain[s].T / reserve]), np.r_[np.zeros(12), moment[s] / reserve]
        theirs = lsq_linear(rows, right, (0.0, 1.0), method="bvls", tol=1e-14, max_iter=1000)
        np.testing.assert_allclose(found.activation[s], theirs.x, atol=1e-7)


def test_held_and_unbounded_actuators():
    """A muscle that is held at 0.2 gives 6 of 20 N·m; one without bounds, 10 x, takes all of the rest."""
    found = share_moments(np.array([[[30.0], [10.0]]]), [[20.0]], [0.2, -np.inf], [0.2, np.inf], reserve=1e-3)
    np.testing.assert_allclose(found.activation, [[0.2, 1.4]], atol=1e-7)


def test_threads_do_not_change_bits():
    gain, moment = problems(200, 40, 7)
    many = share_moments(gain, moment, 0.0, 1.0)
    with threads(1):
        one = share_moments(gain, moment, 0.0, 1.0)
    np.testing.assert_array_equal(many.activation, one.activation)


def forearm(**changes):
    """A forearm of 2 kg at 0.2 m, held out level by a flexor at 0.04 m that pulls upward; and an extensor."""
    b = FigureBuilder(name="forearm")
    b.segment(
        "forearm", None, joints.revolute((0, 0, 1)), mass=2.0, com=(0.2, 0, 0), inertia=np.diag([1e-3, 1e-2, 1e-2])
    )
    figure = b.build()
    flexor = MusclePath("flexor", (PathPoint(None, (0.04, 0.3, 0)), PathPoint("forearm", (0.04, 0, 0))))
    extensor = MusclePath("extensor", (PathPoint(None, (-0.02, 0.3, 0)), PathPoint("forearm", (-0.02, 0, 0))))
    sizes = {"max_force": 1500.0, "fibre_length": 0.1, "slack_length": 0.2, "model": DeGrooteFregly()}
    muscles = tuple(Muscle(path, **sizes) for path in (flexor, extensor))
    return Muscles(figure, muscles, **changes)


def still(muscles, q):
    q = np.atleast_2d(q)
    zero = np.zeros((len(q), 1))
    return np.arange(len(q)) * 0.01, q, zero, inverse_dynamics(muscles.figure, q, zero, zero)


def test_a_held_forearm():
    """Moments about the elbow: 0.04 F = 0.2 · 2 · 9.81; the elbow is pressed with the rest of F above the weight."""
    muscles = forearm()
    motion = still(muscles, [[0.0]])
    rec = static_optimization(muscles, motion, passive=False, reserve=1e-4, acceleration=motion[2])
    force = 0.2 * 2 * 9.81 / 0.04
    assert rec["force.flexor"][0] == pytest.approx(force, rel=1e-6)
    assert rec["activation.extensor"][0] == 0.0
    assert rec["reaction"][0, 0, 4] == pytest.approx(2 * 9.81 - force, rel=1e-6)
    assert np.abs(rec["reaction"][0, 0, :3]).max() < 1e-6  # a hinge takes no moment
    assert rec.events == []
    assert rec.unit("force") == "N"
    assert rec.unit("reserve") == "N m"


def test_passive_fibres_and_ligaments_take_their_part():
    band = MusclePath("band", (PathPoint(None, (0.03, 0.3, 0)), PathPoint("forearm", (0.03, 0, 0))))
    muscles = forearm(ligaments=(LigamentForce(band, 0.25, 100.0, linear(1.0, -1.0)),))
    motion = still(muscles, [[0.0], [-0.2]])
    rec = static_optimization(muscles, motion, reserve=1e-4)
    arms = path_geometry(muscles.paths, motion[1]).arm[:, :, 0]
    bands = path_geometry(muscles.bands, motion[1])
    whole = (arms * rec["force"]).sum(1) + bands.arm[:, 0, 0] * rec["ligament.force"][:, 0] + rec["reserve"][:, 0]
    np.testing.assert_allclose(whole, motion[3][:, 0], atol=1e-9)
    assert rec["ligament.force"][0, 0] == pytest.approx(100 * 0.05 / 0.25)
    assert (rec["force"] > rec["activation"] * 0).all()


def test_weak_muscles_are_reported_and_an_actuator_helps():
    muscles = forearm()
    t, q, v, tau = still(muscles, np.zeros((5, 1)))
    rec = static_optimization(muscles, (t, q, v, tau * 50))
    assert [event.name for event in rec.events] == ["moment out of reach"]
    assert rec.events[0].detail["coordinate"] == "forearm"
    assert np.abs(rec["reserve"]).min() > 10
    motor = forearm(actuators=(CoordinateActuator("motor", "forearm", 100.0),))
    helped = static_optimization(motor, (t, q, v, tau * 50))
    assert helped.events == []
    assert helped["control"].min() > 0.5


def test_smoothing_leaves_the_difference_in_the_reserve():
    muscles = forearm()
    t, q, v, tau = still(muscles, np.linspace(0, -0.3, 60)[:, None])
    rough = tau * (1 + 0.3 * (np.arange(60)[:, None] % 2))
    plain, calm = (static_optimization(muscles, (t, q, v, rough), passive=False, cutoff=c) for c in (None, 6.0))
    assert np.abs(np.diff(calm["activation.flexor"])).max() < 0.2 * np.abs(np.diff(plain["activation.flexor"])).max()
    arms = path_geometry(muscles.paths, q).arm[:, :, 0]
    np.testing.assert_allclose((arms * calm["force"]).sum(1) + calm["reserve"][:, 0], rough[:, 0], atol=1e-9)


def test_samples_without_a_motion_are_nan():
    muscles = forearm()
    t, q, v, tau = still(muscles, np.zeros((3, 1)))
    tau = tau.copy()
    tau[1] = np.nan
    rec = static_optimization(muscles, (t, q, v, tau))
    assert np.isnan(rec["activation"][1]).all()
    assert np.isfinite(rec["activation"][[0, 2]]).all()


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda m, motion: static_optimization(m, motion[:3]), "times, q, v, effort"),
        (lambda m, motion: static_optimization(m, (*motion[:3], motion[3][:, :0])), "effort must have one row"),
        (lambda m, motion: static_optimization(m, motion, power=1.0), "power must be above 1"),
        (lambda m, motion: static_optimization(m, motion, reserve=0.0), "reserve must be above 0"),
        (lambda m, motion: static_optimization(m, motion, reserve={"elbow": 1.0}), "no such coordinate"),
        (lambda m, motion: static_optimization(m, motion, coordinates=["elbow"]), "no such coordinate"),
        (lambda m, motion: static_optimization(m, (*motion[:3], motion[3] * np.nan)), "no sample"),
        (lambda m, motion: forearm(actuators=(CoordinateActuator("a", "elbow"),)), "no such coordinate"),
        (lambda m, motion: CoordinateActuator("a", "forearm", 0.0), "force must not be 0"),
        (lambda m, motion: share_moments(np.zeros((2, 3, 1)), np.zeros((3, 1)), 0, 1), "gain and moment must match"),
    ],
)
def test_wrong_input_is_named(make, text):
    muscles = forearm()
    with pytest.raises(InputError, match=text):
        make(muscles, still(muscles, np.zeros((2, 1))))
