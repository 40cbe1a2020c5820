"""Time-stepping: momenta of free flight to rounding, energy bounded, rolling in closed form."""

import numpy as np
import pytest

from models import DOWN, WEIGHTLESS, G, free_body, on_floor, shifted
from motiform import FigureBuilder, contact, figures, joints, simulate
from motiform.geometry import Ball, Box

EPS = np.finfo(float).eps
RADIUS = 0.05


def stepped(figure, contacts, step, **more):
    return simulate(figure, contacts=contacts, integrator="time-stepping", step=step, **more)


def far_below(figure):
    """A contact that nothing comes near to."""
    return contact.Contacts([contact.ContactPoint("p", figure.names[-1], (0, 0, 0))], contact.floor(-100.0))


def tumbler(joint):
    """A body with three different moments whose centre of mass is not at the origin of its joint."""
    b = FigureBuilder(gravity=WEIGHTLESS)
    b.segment("body", None, joint, mass=1.0, com=(0.1, 0.05, -0.03), inertia=np.diag([0.01, 0.02, 0.03]))
    return b.build()


def flying():
    """Figures in free flight with the velocities that they begin with."""
    man = figures.human36(1.80, 80.0).replace(gravity=WEIGHTLESS)
    limbs = np.random.default_rng(1).normal(0, 0.7, man.nv)
    chain = FigureBuilder(gravity=WEIGHTLESS)
    for n in range(3):
        joint = joints.spherical() if n else joints.free()
        chain.segment(
            f"s{n}", f"s{n - 1}" if n else None, joint, placement=shifted(0, -0.3 if n else 0.0), mass=1.0,
            com=(0.02, -0.15, 0), inertia=np.diag([0.01, 0.004, 0.012]),
        )  # fmt: skip
    return {
        "free": (tumbler(joints.free()), [1.0, 8.0, 0.5, 1.0, 2.0, 3.0]),
        "cardan": (tumbler(joints.free("cardan")), [1.0, 2.0, 3.0, 1.0, 1.5, 0.5]),
        "chain": (chain.build(), [1.0, 5.0, 2.0, 0.3, 0.2, 0.1, 3.0, -2.0, 4.0, 0.0, 1.0, -6.0]),
        "man": (man, limbs),
    }


@pytest.mark.parametrize("name", ["free", "cardan", "chain", "man"])
def test_free_flight_keeps_momenta_to_rounding_and_energy_to_second_order(name):
    """Momenta are handed on from step to step, energy of a symplectic step stays near its own: both for any joint."""
    figure, v0 = flying()[name]
    energies = []
    for step in (2e-3, 1e-3):
        rec = stepped(figure, far_below(figure), step, v0=v0, t1=0.4, rate=50)
        steps = round(0.4 / step)
        # some 64 roundings a step, of the size of the largest of the numbers that are added up
        speed, reach = np.sqrt(2 * rec["energy"][0] / figure.mass), 2.0 + np.abs(rec["center_of_mass"]).max()
        close = 64 * steps * EPS * figure.mass * speed
        assert np.abs(rec["momentum"] - rec["momentum"][0]).max() <= close
        assert np.abs(rec["angular_momentum"] - rec["angular_momentum"][0]).max() <= close * reach
        energies.append(np.ptp(rec["energy"]) / rec["energy"][0])
    assert energies[1] < 1e-5  # (h ω)²/12 at some 10 rad/s
    assert energies[0] / energies[1] == pytest.approx(4.0, rel=0.1)


@pytest.mark.parametrize("joint", [joints.free(), joints.free("cardan")], ids=["quaternion", "cardan"])
@pytest.mark.parametrize("spin", [30.0, 100.0, 1000.0])
def test_a_spinning_ball_flies_straight(joint, spin):
    """Its spin is steady and its centre goes straight, to rounding, at 1.5 rad a step and more."""
    b = FigureBuilder(gravity=WEIGHTLESS)
    b.segment("ball", None, joint, mass=Ball(0.1).mass_properties(mass=1.0))
    figure = b.build()
    quaternion = figure.nq == 7
    v0 = [0, 0, -spin, 5, 0, 0] if quaternion else [5, 0, 0, 0, 0, -spin]
    rec = stepped(figure, far_below(figure), 1e-3, v0=v0, t1=1.0, rate=10)
    assert rec["ball.position"][-1] == pytest.approx((5, 0, 0), abs=1e-11)
    assert rec["energy"] == pytest.approx(rec["energy"][0], rel=1e-11)
    assert rec["momentum"][-1] == pytest.approx((5, 0, 0), abs=1e-11)


def test_energy_of_spherical_joints_stays():
    """A pendulum of three spherical joints on the ceiling for 20 s: energy swings with the step and goes nowhere."""
    b = FigureBuilder(gravity=DOWN)
    for n in range(3):
        b.segment(
            f"s{n}", f"s{n - 1}" if n else None, joints.spherical(), placement=shifted(0, -0.3 if n else 0.0),
            mass=1.0, com=(0, -0.15, 0), inertia=np.diag([0.01, 0.002, 0.01]),
        )  # fmt: skip
    figure, swings = b.build(), []
    for step in (2e-3, 1e-3):
        rec = stepped(figure, far_below(figure), step, v0=[1, 5, 2, 0, 3, -2, 4, 0, 1.0], t1=20.0, rate=50)
        off = np.abs(rec["energy"] - rec["energy"][0])
        assert off[500:].max() <= 1.5 * off[:500].max()
        swings.append(off.max())
    assert swings[0] / swings[1] == pytest.approx(2.0, rel=0.1)  # forces are those at the beginning of a step
    assert swings[1] < 0.01 * rec["energy.kinetic"].max()


# ---- rolling --------------------------------------------------------------------------------------------------------
def on_turntable(rate):
    """A ball on a table that is too heavy to be slowed down, and the state in which it rolls."""
    b = FigureBuilder(gravity=DOWN)
    b.segment("table", None, joints.revolute((0, 1, 0)), mass=1e9, inertia=np.eye(3) * 1e12)
    b.segment("ball", None, joints.free(), mass=Ball(RADIUS).mass_properties(mass=1.0), shape=Ball(RADIUS))
    figure = b.build()
    table = contact.plane(point=(0, 0, 0), normal=(0, 1, 0), segment="table")
    point = contact.ContactPoint("p", "ball", (0, 0, 0), radius=RADIUS, friction=2.0)
    start, velocity = np.array([0.5, RADIUS, 0.0]), np.array([0.0, 0.0, 0.2])
    slower = (velocity - np.cross((0, rate, 0), start)) / RADIUS
    spin = np.cross((0, 1, 0), slower)
    q0 = figure.configuration(ball=(*start, 1, 0, 0, 0))
    return figure, contact.Contacts([point], [table]), q0, figure.velocity(table=[rate], ball=(*spin, *velocity))


def test_a_ball_on_a_turntable_goes_round():
    """Its centre goes round at 2/7 of the table's rate [Earnshaw], whatever its velocity is: v̇ = 2/7 Ω × v."""
    rate = 6.0
    figure, contacts, q0, v0 = on_turntable(rate)
    turn, velocity = 2 / 7 * rate, np.array([0.0, 0.0, 0.2])
    radius, errors = 0.2 / turn, []
    for step in (2e-3, 1e-3):
        rec = stepped(figure, contacts, step, q0=q0, v0=v0, t1=3.6, rate=20)
        t = rec.time("q")[:, None]
        sideways = np.cross((0, 1, 0), velocity)
        exact = (0.5, RADIUS, 0) + (np.sin(turn * t) * velocity + (1 - np.cos(turn * t)) * sideways) / turn
        errors.append(np.abs(rec["ball.position"] - exact).max() / radius)
        assert np.abs(rec["contact.gap"]).max() < 1e-12
    assert errors[1] < 1e-4
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)  # rolling is of the second order


@pytest.mark.parametrize("speed", [3.0, 30.0])
@pytest.mark.parametrize("step", [1e-3, 5e-3])
def test_a_ball_rolls_on(speed, step):
    figure = free_body(Ball(RADIUS), name="ball")
    rec = stepped(
        figure, on_floor(figure, 0.5), step, q0=figure.configuration(ball=(0, RADIUS, 0, 1, 0, 0, 0)),
        v0=figure.velocity(ball=(0, 0, -speed / RADIUS, speed, 0, 0)), t1=2.0, rate=20,
    )  # fmt: skip
    assert rec["ball.position"][-1] == pytest.approx((2 * speed, RADIUS, 0), abs=1e-9 * speed)
    assert rec["energy"] == pytest.approx(rec["energy"][0], rel=1e-9)
    assert rec["contact.force"][1:, 0] == pytest.approx(np.tile([0, G, 0], (40, 1)), abs=1e-6)
    assert np.abs(rec["solid.wrench"][:, 0, :3]).max() < 1e-6  # about the centre, which is above the place of contact


def test_a_rod_that_turns_about_its_stuck_tip_keeps_energy():
    """Contact rows are taken in the middle of a step: taken at its beginning, they would cost h ω a turn."""
    b = FigureBuilder(gravity=DOWN)
    b.segment("rod", None, joints.free(), mass=1.0, inertia=np.diag([1 / 12, 1e-3, 1 / 12]))
    figure = b.build()
    tip = contact.Contacts([contact.ContactPoint("tip", "rod", (0, -0.5, 0), radius=0.0)], contact.floor())
    swings = []
    for step in (2e-3, 1e-3):
        v0 = figure.velocity(rod=(0, 0, -1.0, 0.5, 0, 0))  # falls over, slowly at first
        rec = stepped(figure, tip, step, q0=figure.configuration(rod=(0, 0.5, 0, 1, 0, 0, 0)), v0=v0, t1=0.5, rate=100)
        swings.append(np.abs(rec["energy"] - rec["energy"][0]).max())
        assert rec["rod.position"][-1, 1] > 0.1  # still on its way down
    assert swings[1] < 0.02 * rec["energy.kinetic"].max()
    assert swings[0] / swings[1] > 1.8


# ---- bouncing -------------------------------------------------------------------------------------------------------
def _double_pendulum():
    b = FigureBuilder(gravity=WEIGHTLESS)
    rod = np.diag([1 / 12, 0.0, 1 / 12])
    for name, parent in (("upper", None), ("lower", "upper")):
        place = shifted(0, -1.0 if parent else 0.0)
        b.segment(name, parent, joints.revolute((0, 0, 1)), placement=place, mass=1, com=(0, -0.5, 0), inertia=rod)
    return b.build()


@pytest.mark.parametrize("seed", range(3))
def test_a_pendulum_that_strikes_the_floor_gains_nothing(seed):
    """Approach turned round with friction adds energy to a double pendulum: restitution is reduced until not."""
    figure, rng, struck = _double_pendulum(), np.random.default_rng(seed), 0
    while struck < 8:
        q = np.array([rng.uniform(0.1, 1.2), rng.uniform(-1.2, 1.2)])
        v = np.array([-rng.uniform(0, 3), rng.uniform(-6, 6)])
        down = np.sin(q[0]) * v[0] + np.sin(q.sum()) * v.sum()
        if down > -0.5:
            continue
        tip = contact.ContactPoint(
            "tip", "lower", (0, -1, 0), friction=rng.uniform(0.3, 1.5), restitution=rng.uniform(0.4, 1.0)
        )
        floor = contact.floor(-np.cos(q[0]) - np.cos(q.sum()) - 2e-3)
        rec = stepped(figure, contact.Contacts([tip], floor), 1e-3, q0=q, v0=v, t1=0.02, rate=500)
        # no weight: E is T, and a step may add 3e-4 of it
        assert (np.diff(rec["energy"]) <= 2 * 3e-4 * rec["energy"][:-1]).all()
        assert rec["energy"].min() < rec["energy"][0]
        struck += 1


@pytest.mark.parametrize("speed", [2.0, 8.0, 20.0])
def test_a_fast_hinge_stops_at_its_limit(speed):
    """Its way turns in the step of the impact, so that impulses are found twice: for the same velocities of the row."""
    b = FigureBuilder()
    rod = Box((0.05, 0.3, 0.05)).mass_properties(mass=0.4)
    b.segment("arm", None, joints.revolute((0, 0, 1), point=(0, 0.15, 0), limits=(-0.5, 0.5)), mass=rod)
    rec = simulate(b.build(), contacts=contact.Contacts(), v0=[speed], t1=0.3, rate=1000, integrator="time-stepping")
    # impulses miss the laws by 1e-8 of the largest, velocities by 1e-8 of its jump: 1e-8 · 20 rad/s in a step of 1 ms
    assert rec["q"].max() <= 0.5 + 1e-9
    assert not [e for e in rec.events if e.name.startswith("steps in parts")]
