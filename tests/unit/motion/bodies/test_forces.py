"""Forces and torques of the kernels against plain numpy, one state at a time."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from motiform.geometry import MassProperties
from motiform.motion.bodies import Bodies, Body, Drag, Environment, Load, RunOptions, Spring
from motiform.motion.bodies.drive import CoupledBodies
from runs import simulate_bodies

MASS, CENTER = 2.0, np.array([0.1, -0.2, 0.05])
INERTIA = Rotation.from_euler("xyz", [0.2, 0.5, -0.3]).as_matrix() @ np.diag([1.0, 2.0, 2.5])
INERTIA = INERTIA @ Rotation.from_euler("xyz", [0.2, 0.5, -0.3]).as_matrix().T
R = Rotation.from_euler("zyx", [0.7, -0.4, 1.1]).as_matrix()
VELOCITY, SPIN = np.array([1.0, -2.0, 0.5]), np.array([0.3, 1.5, -0.7])


def body(**more) -> Body:
    matter = MassProperties(MASS, CENTER, INERTIA)
    return Body(
        "x",
        matter,
        position=(1, 2, 3),
        rotation=R,
        velocity=VELOCITY if "pivot" not in more else (0, 0, 0),
        spin=SPIN,
        **more,
    )


def rates(model: Bodies, t: float = 0.0, forces=()) -> np.ndarray:
    """Return dx/dt, dR/dt, dP/dt, dL/dt of the start as (n, 18)."""
    rows = model.initial_state().rows()
    out = np.empty_like(rows)
    CoupledBodies(model, forces).rate(t, rows.ravel(), out.ravel())
    return out


def calm(**more) -> Environment:
    return Environment(**({"gravity": (0, 0, 0)} | more))


def test_free_body_moves_with_its_velocity_and_turns_with_its_spin():
    (out,) = rates(Bodies((body(),), environment=calm()))
    wx, wy, wz = R @ SPIN
    skew = np.array([[0, -wz, wy], [wz, 0, -wx], [-wy, wx, 0]])
    assert out[0:3] == pytest.approx(VELOCITY, abs=1e-15)
    assert out[3:12].reshape(3, 3) == pytest.approx(skew @ R, abs=1e-14)
    assert np.all(out[12:18] == 0)


def test_gravity_pulls_at_the_centre_of_mass_and_turns_nothing():
    (out,) = rates(Bodies((body(),), environment=Environment(gravity=(1.0, -9.81, 2.0))))
    assert out[12:15] == pytest.approx(MASS * np.array([1.0, -9.81, 2.0]))
    assert np.all(out[15:18] == 0)


@pytest.mark.parametrize("follows", [False, True])
def test_load_at_a_point(follows):
    force, torque, at = np.array([3.0, -1.0, 2.0]), np.array([0.5, 0.2, -0.1]), np.array([0.4, 0.1, -0.3])
    model = Bodies((body(),), loads=(Load("x", force, torque, at, follows, 1.0, 2.0),), environment=calm())
    f, q = (R @ force, R @ torque) if follows else (force, torque)
    (out,) = rates(model, 1.5)
    assert out[12:15] == pytest.approx(f, abs=1e-14)
    assert out[15:18] == pytest.approx(q + np.cross(R @ (at - CENTER), f), abs=1e-14)


@pytest.mark.parametrize(("t", "acts"), [(0.999, False), (1.0, True), (1.999, True), (2.0, False)])
def test_load_acts_from_its_start_until_before_its_end(t, acts):
    model = Bodies((body(),), loads=(Load("x", (1, 0, 0), start=1.0, until=2.0),), environment=calm())
    assert rates(model, t)[0, 12] == (1.0 if acts else 0.0)


def test_load_without_a_point_acts_at_the_centre_of_mass():
    model = Bodies((body(),), loads=(Load("x", (1, 2, 3)),), environment=calm())
    assert rates(model)[0, 15:18] == pytest.approx(np.zeros(3), abs=1e-16)


def test_drag_in_wind_and_gusts():
    area, spin, center = np.array([0.3, 0.1, 0.2]), np.array([0.01, 0.02, 0.03]), np.array([0.05, 0.02, -0.04])
    wind, gust, towards, length, period, t = (
        np.array([3.0, 0, 1]),
        np.array([0.5, 1, 0]),
        np.array([1.0, 0.2, 0.5]),
        6.0,
        2.5,
        0.8,
    )
    environment = calm(
        air_density=1.3, wind=wind, gust=gust, gust_direction=towards, gust_length=length, gust_period=period
    )
    (out,) = rates(Bodies((body(drag=Drag(area, center, spin)),), environment=environment), t)
    x, w, arm = np.array([1, 2, 3]) + R @ CENTER, R @ SPIN, R @ center
    n = towards / np.linalg.norm(towards)
    air = wind + gust * np.sin(2 * np.pi * (n @ (x + arm) / length - t / period))
    u = VELOCITY + np.cross(w, arm) - air
    force = -0.5 * 1.3 * np.linalg.norm(u) * R @ (area * (R.T @ u))
    torque = -0.5 * 1.3 * np.linalg.norm(w) * R @ (spin * (R.T @ w)) + np.cross(arm, force)
    assert out[12:15] == pytest.approx(force, rel=1e-13)
    assert out[15:18] == pytest.approx(torque, rel=1e-13)


def test_body_without_drag_does_not_feel_the_wind():
    model = Bodies(
        (body(), Body("y", MassProperties(1.0, np.zeros(3), np.eye(3)), drag=Drag(1.0))),
        environment=calm(wind=(5, 0, 0)),
    )
    out = rates(model)
    assert np.all(out[0, 12:18] == 0)
    assert out[1, 12] > 0


def test_spring_and_damper_pull_both_bodies_alike():
    other = Body(
        "y", MassProperties(1.0, np.zeros(3), np.eye(3)), position=(2, 3, 2), velocity=(0, 1, 0), spin=(1, 0, 2)
    )
    at_x, at_y, k, c, rest = np.array([0.3, 0, 0.1]), np.array([0.0, 0.5, 0]), 30.0, 2.0, 0.7
    model = Bodies((body(), other), springs=(Spring("x", "y", k, at_x, at_y, c, rest),), environment=calm())
    arm_x, arm_y = R @ (at_x - CENTER), at_y
    d = (np.array([2, 3, 2]) + arm_y) - (np.array([1, 2, 3]) + R @ at_x)
    u = np.array([0, 1, 0]) + np.cross((1, 0, 2), arm_y) - VELOCITY - np.cross(R @ SPIN, arm_x)
    length = np.linalg.norm(d)
    force = (k * (length - rest) + c * (u @ d) / length) * d / length
    out = rates(model)
    assert out[0, 12:15] == pytest.approx(force, rel=1e-13)
    assert out[0, 15:18] == pytest.approx(np.cross(arm_x, force), rel=1e-12)
    assert np.array_equal(out[1, 12:15], -out[0, 12:15])  # action and reaction to the last bit
    assert out[1, 15:18] == pytest.approx(-np.cross(arm_y, force), rel=1e-12)


def test_spring_of_no_length_pulls_nowhere():
    body = Body("x", MassProperties(1.0, np.zeros(3), np.eye(3)))
    model = Bodies((body,), springs=(Spring(None, "x", 9.0, rest=1.0, damping=1.0),), environment=calm())
    assert np.all(rates(model)[0, 12:18] == 0)


def test_pinned_body_feels_the_torque_about_its_pivot():
    pivot = np.array([0.3, 0.1, -0.2])
    load = Load("x", (1, 2, 3), torque=(0.1, 0, 0), at=(0.5, 0.5, 0))
    (out,) = rates(Bodies((body(pivot=pivot),), loads=(load,)))
    weight = np.cross(R @ (CENTER - pivot), (0, -9.81 * MASS, 0))
    push = np.cross(R @ (np.array([0.5, 0.5, 0]) - pivot), (1, 2, 3))
    assert out[15:18] == pytest.approx(weight + push + (0.1, 0, 0), rel=1e-13)
    assert out[0:3] == pytest.approx(np.cross(R @ SPIN, R @ (CENTER - pivot)), rel=1e-13)


def test_force_functions_add_to_the_rest():
    def push(t, state):
        assert state.position.shape == (1, 3)
        return np.array([[t, 0, 0]]), np.array([[0, 0, 2.0]])

    (out,) = rates(Bodies((body(),), environment=calm()), 3.0, [push, push])
    assert out[12:18] == pytest.approx([6, 0, 0, 0, 0, 4])


def test_force_function_makes_an_oscillator():
    """A user's spring to the origin: x = cos(3 t)."""

    def spring(t, state):
        return -9.0 * state.position, np.zeros((1, 3))

    model = Bodies((Body("x", MassProperties(1.0, np.zeros(3), np.eye(3)), position=(1, 0, 0)),), environment=calm())
    for integrator, tolerance in (("dormand-prince", 1e-9), ("rk4", 1e-9), ("lie-midpoint", 3**3 * 2e-3**2 / 12)):
        rec = simulate_bodies(model, RunOptions(1.0, 10, integrator, 2e-3, 1e-11, 1e-13), forces=[spring])
        # midpoint: the frequency is low by a factor (ω h)²/24, so the phase by ω t of it
        assert np.abs(rec["x.position"][:, 0] - np.cos(3 * rec.time("x.position"))).max() <= tolerance


def test_meters_are_those_of_the_state():
    other = Body(
        "y", MassProperties(1.0, np.zeros(3), np.eye(3)), position=(2, 3, 2), velocity=(0, 1, 0), spin=(1, 0, 2)
    )
    springs = (Spring("x", "y", 30.0, rest=0.7), Spring(None, "y", 10.0, rest=0.0))
    rec = simulate_bodies(Bodies((body(), other), springs=springs), RunOptions(1e-3, 1e3))
    x = np.array([1, 2, 3]) + R @ CENTER
    kinetic = 0.5 * (MASS * VELOCITY @ VELOCITY + SPIN @ INERTIA @ SPIN + 1.0 + 5.0)
    stretch = np.linalg.norm(np.array([2, 3, 2]) - (1, 2, 3)) - 0.7
    potential = 9.81 * (MASS * x[1] + 3.0) + 0.5 * 30 * stretch**2 + 0.5 * 10 * 17
    assert rec["energy.kinetic"][0] == pytest.approx(kinetic, rel=1e-14)
    assert rec["energy.potential"][0] == pytest.approx(potential, rel=1e-14)
    assert rec["energy"][0] == pytest.approx(kinetic + potential, rel=1e-14)
    assert rec["momentum"][0] == pytest.approx(MASS * VELOCITY + (0, 1, 0), rel=1e-14)
    angular = np.cross(x, MASS * VELOCITY) + R @ INERTIA @ SPIN + np.cross((2, 3, 2), (0, 1, 0)) + (1, 0, 2)
    assert rec["angular_momentum"][0] == pytest.approx(angular, rel=1e-13)


def test_recorded_orientation_and_spin_are_those_of_the_body():
    rec = simulate_bodies(Bodies((body(),)), RunOptions(1e-3, 1e3))
    assert Rotation.from_quat(rec["x.orientation"][0], scalar_first=True).as_matrix() == pytest.approx(R, abs=1e-15)
    assert rec["x.angular_velocity"][0] == pytest.approx(SPIN, abs=1e-14)
    assert (rec.unit("x.angular_velocity"), rec.unit("energy"), rec.unit("x.position")) == ("rad/s", "J", "m")


@pytest.mark.parametrize(
    "angles", [(np.pi, 0, 0), (0, np.pi, 0), (0, 0, np.pi), (3.0, 0.1, 0.2), (0.1, 3.0, -3.0), (0, 0, 0)]
)
def test_quaternions_of_half_turns(angles):
    turned = Rotation.from_euler("xyz", angles).as_matrix()
    matter = MassProperties(1.0, np.zeros(3), np.eye(3))
    (q,) = simulate_bodies(Bodies((Body("x", matter, rotation=turned),)), RunOptions(1e-3, 1e3))["x.orientation"][:1]
    assert np.linalg.norm(q) == pytest.approx(1, abs=1e-15)
    assert q[0] >= 0
    assert Rotation.from_quat(q, scalar_first=True).as_matrix() == pytest.approx(turned, abs=1e-14)
