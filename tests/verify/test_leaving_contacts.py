"""Contact joints that leave and land, in one run: against closed forms, independent equations, and contacts.

Runs ask for rtol 1e-12: a hundred or a thousand steps of motions of about 1 m and 1 m/s add up to 1e-10 to 1e-9, which
are the tolerances below unless something else is derived.
"""

import numpy as np
import pytest
from scipy.integrate import simpson, solve_ivp
from scipy.optimize import brentq

from models import stop_after
from motiform import FigureBuilder, Transform, contact, joints, simulate
from motiform.base.errors import InputError, RunError
from motiform.geometry import surfaces as s
from motiform.motion.actuation import CommandedControl
from motiform.motion.run import Guard
from motiform.motion.tree.prescribed import PrescribedMotion
from motiform.spatial import exp_rotation

G, R, M = 9.81, 0.1, 2.0
TIGHT = {"rtol": 1e-12, "atol": 1e-14}


def turned(x=0.0, y=0.0, z=0.0, at=(0.0, 0.0, 0.0)):
    return Transform(exp_rotation(np.array([x, y, z], float)), np.array(at, float))


UP = turned(x=-np.pi / 2)  # z of a surface along the world's y, its x along the world's


def one(joint, placement=UP, moments=(0.4, 0.4, 0.4), com=(0.0, 0.0, 0.0)):
    b = FigureBuilder()
    b.segment("body", None, joint, placement=placement, mass=M, com=com, inertia=np.diag(moments) * M * R * R)
    return b.build()


def thrown(joint, pose, linear=(0, 0, 0), angular=(0, 0, 0)):
    """Configuration and velocities of a child at a pose, with its twist in its own axes at its origin."""
    q = joint.apart(pose)
    return q, np.linalg.solve(joint.subspace(q), np.concatenate([angular, linear]).astype(float))


def names(rec):
    return [event.name for event in rec.events]


def spin(rec):
    """Angular momentum about the centre of mass."""
    return rec["angular_momentum"] - np.cross(rec["center_of_mass"], rec["momentum"])


# ---- off a dome ----------------------------------------------------------------------------------------------------
def off_the_dome(options, phi0=0.3, t1=1.2):
    joint = joints.contact(s.sphere(1.0), s.sphere(R), release=True, **options)
    figure = one(joint, Transform.identity())
    q = joint.touch(Transform(np.eye(3), 1.1 * np.array([np.sin(phi0), np.cos(phi0), 0])))
    return simulate(figure, t1=t1, rate=100, q0=q, **TIGHT)


def check_flight(rec, leaves):
    """A parabola whose constants are those of the first sample in the air, and a spin that stays."""
    t, mode = rec.time("q"), rec["body.contact_mode"]
    air = t > leaves
    assert ((mode == 0) == air).all()
    p, v, at = rec["body.position"][air], rec["momentum"][air] / M, t[air] - t[air][0]
    fall = 0.5 * G * at[:, None] ** 2 * (0, 1, 0)
    assert np.abs(p - (p[0] + v[0] * at[:, None] - fall)).max() < 1e-10
    assert np.abs(spin(rec)[air] - spin(rec)[air][0]).max() < 1e-11  # of 0.02 kg m²/s
    assert (rec["body.contact_force"][air] == 0).all()
    assert np.isnan(rec["body.contact_point"][air]).all()
    gap = np.linalg.norm(p, axis=1) - 1.1
    assert np.abs(rec["body.contact_gap"][air] - gap).max() < 1e-14 * 10
    assert (gap > 0).all()
    assert (rec["body.contact_gap"][~air] == 0).all()


def test_ball_rolls_slips_leaves_a_dome_and_flies():
    """2 sin φ = μ (17 cos φ − 10 cos φ0) begins the slip; N = 0 of the sliding equations, solved alone, ends it."""
    mu, phi0, length = 0.2, 0.3, 1.1
    rec = off_the_dome({"sliding": True, "friction": mu})
    assert names(rec) == ["body slips", "body lifts off"]

    def pressing(t, y):
        return G * np.cos(y[0]) - length * y[1] ** 2

    def sliding(t, y):
        turn = 2.5 * mu * pressing(t, y) / R  # friction turns the ball forward
        return [y[1], (G * np.sin(y[0]) - mu * pressing(t, y)) / length, turn]

    pressing.terminal = True
    phi = brentq(lambda x: mu * (17 * np.cos(x) - 10 * np.cos(phi0)) - 2 * np.sin(x), phi0, 1.2)
    rate = np.sqrt(10 * G / (7 * length) * (np.cos(phi0) - np.cos(phi)))
    alone = solve_ivp(
        sliding, (0, 1), (phi, rate, rate * length / R), events=pressing, method="DOP853", rtol=1e-13, atol=1e-14
    )
    slips, leaves = rec.events
    assert leaves.time - slips.time == pytest.approx(alone.t[-1], abs=1e-9)
    phi, rate, turn = alone.y[:, -1]
    t = rec.time("q")
    at = t[t > leaves.time] - leaves.time
    x = length * (np.sin(phi) + np.cos(phi) * rate * at)
    y = length * (np.cos(phi) - np.sin(phi) * rate * at) - 0.5 * G * at**2
    flown = rec["body.position"][t > leaves.time]
    assert np.abs(flown[:, 0] - x).max() < 1e-9
    assert np.abs(flown[:, 1] - y).max() < 1e-8  # at 10 m/s, from an instant known to 1e-9 s
    assert spin(rec)[-1, 2] == pytest.approx(-0.4 * M * R**2 * turn, abs=1e-11)  # of 0.3
    check_flight(rec, leaves.time)


@pytest.mark.parametrize(("options", "share"), [({}, 10 / 17), ({"sliding": True}, 2 / 3)])
def test_without_slip_and_without_friction(options, share):
    """V6: cos φ = 10/17 cos φ0 of what rolls, 2/3 cos φ0 of what slides; the speed there is √(g L cos φ)."""
    rec = off_the_dome(options)
    assert names(rec) == ["body lifts off"]
    (leaves,) = rec.events
    cosine, sine = share * np.cos(0.3), np.sqrt(1 - (share * np.cos(0.3)) ** 2)
    speed = np.sqrt(G * 1.1 * cosine)
    t = rec.time("q")
    at = t[t > leaves.time] - leaves.time
    x, y = 1.1 * sine + speed * cosine * at, 1.1 * cosine - speed * sine * at - 0.5 * G * at**2
    flown = rec["body.position"][t > leaves.time]
    assert np.abs(flown[:, 0] - x).max() < 1e-8
    assert np.abs(flown[:, 1] - y).max() < 1e-8
    assert rec["energy"] == pytest.approx(rec["energy"][0], abs=1e-9)
    check_flight(rec, leaves.time)


# ---- lands ---------------------------------------------------------------------------------------------------------
def ball(options, com=(0.0, 0.0, 0.0), moments=(0.4, 0.4, 0.4)):
    joint = joints.contact(s.plane(), s.sphere(R), release=True, **options)
    return one(joint, com=com, moments=moments), joint


@pytest.mark.parametrize(
    ("e", "mu", "backspin"),
    [
        pytest.param(0.0, 0.3, 60.0, marks=pytest.mark.slow),
        pytest.param(0.6, 0.2, 60.0, marks=pytest.mark.slow),
        (0.5, 0.3, 20.0),
    ],
)
def test_ball_with_backspin_lands_bounces_and_comes_to_roll(e, mu, backspin):
    """(5 v0 − 2 ω R)/7, whatever it does between: about the point of contact nothing changes its momentum.

    It falls for √(2 h/g), slows by μ (1 + e) √(2 g h) at the impact while it slips, and bounces e times as fast.
    """
    h, v0 = 0.3, 1.0
    figure, joint = ball({"sliding": True, "friction": mu, "restitution": e})
    q, v = thrown(joint, Transform(np.eye(3), (0, 0, R + h)), (v0, 0, 0), (0, -backspin, 0))
    rec = simulate(figure, t1=1.8, rate=50, q0=q, v0=v, **TIGHT)
    lands = [event for event in rec.events if event.name == "body lands"]
    fall, speed = np.sqrt(2 * h / G), np.sqrt(2 * G * h)
    assert lands[0].time == pytest.approx(fall, abs=1e-11)
    assert lands[0].detail["approach"] == pytest.approx(speed, abs=1e-10)
    assert lands[0].detail["impulse"] == pytest.approx((1 + e) * M * speed, abs=1e-9)
    if e:
        assert lands[1].time - lands[0].time == pytest.approx(2 * e * speed / G, abs=1e-10)
    slip = v0 + backspin * R
    slides = 3.5 * mu * (1 + e) * speed < slip  # else friction stops the slip within the impact
    after = v0 - (mu * (1 + e) * speed if slides else 2 / 7 * slip)
    t = rec.time("q")
    second = lands[1].time if e else t[-1]
    between = (t > fall) & (t < second) & (rec["body.contact_mode"] == 0)
    if e:
        assert np.abs(rec["momentum"][between, 0] / M - after).max() < 1e-10
    assert names(rec)[-1] == "body sticks"
    assert rec["body.contact_mode"][-1] == 1
    rolls = (5 * v0 - 2 * backspin * R) / 7
    assert rec["momentum"][-1, 0] / M == pytest.approx(rolls, abs=1e-9)
    assert spin(rec)[-1, 2] == pytest.approx(-0.4 * M * R * rolls, abs=1e-10)
    assert rec["body.position"][-1, 1] == pytest.approx(R, abs=1e-12)


@pytest.mark.slow
def test_energy_books_of_bounces_close():
    """What is lost is lost at impacts and by the friction of slides.

    A slide has constant force: Simpson's rule is exact between samples that lie in it, and the run of the second
    case, which slides from its last impact on, is sampled at 1 kHz: 2 samples at the ends miss μ m g v h of 1e-3 J.
    """
    figure, joint = ball({"restitution": 0.7})
    q, v = thrown(joint, Transform(np.eye(3), (0, 0, R + 0.2)), (1.0, 0.5, 0), (3.0, -9.0, 2.0))
    rec = simulate(figure, t1=2.5, rate=50, q0=q, v0=v, **TIGHT)
    lost = sum(event.detail["lost"] for event in rec.events)
    assert rec["energy"][0] - rec["energy"][-1] == pytest.approx(lost, abs=1e-9)  # of 6 J
    figure, joint = ball({"sliding": True, "friction": 0.2})
    q, v = thrown(joint, Transform(np.eye(3), (0, 0, R + 0.2)), (1.0, 0.5, 0), (3.0, -40.0, 2.0))
    rec = simulate(figure, t1=1.0, rate=1000, q0=q, v0=v, **TIGHT)
    assert names(rec) == ["body lands", "body sticks"]
    slides = rec["body.contact_mode"] == 2
    power = (rec["body.friction_force"] * rec["body.slip_velocity"]).sum(-1)[slides]
    work = simpson(power, x=rec.time("q")[slides])
    lost = rec.events[0].detail["lost"]
    assert rec["energy"][0] - rec["energy"][-1] == pytest.approx(lost - work, abs=2 * 0.2 * M * G * 3.5 * 1e-3)


def test_ball_in_a_loop_falls_through_it_and_lands_in_it_again():
    """Without friction: it leaves at v² = g L sin θ above the middle, and its parabola ends on the circle."""
    big, v0 = 1.0, 5.5
    joint = joints.contact(s.cylinder(big, inside=True), s.sphere(R), sliding=True, release=True)
    figure = one(joint, Transform.identity())  # the axis is the world's z
    length = big - R
    q = joint.touch(Transform(np.eye(3), (0, -length, 0)))
    twist = np.concatenate([np.zeros(3), (v0, 0, 0)])
    rec = simulate(figure, t1=1.2, rate=100, q0=q, v0=np.linalg.solve(joint.subspace(q), twist), **TIGHT)
    assert names(rec)[:2] == ["body lifts off", "body lands"]
    sine = (v0**2 / (G * length) - 2) / 3
    assert 0 < sine < 1
    speed, cosine = np.sqrt(G * length * sine), np.sqrt(1 - sine**2)
    # along the circle, upward: x = L cos θ, y = L sin θ, from there a parabola to |r| = L at t = 4 v/g cos θ
    leaves, lands = rec.events[:2]
    assert lands.time - leaves.time == pytest.approx(4 * speed * cosine / G, abs=1e-9)
    x = length * cosine - speed * sine * (lands.time - leaves.time)
    t = rec.time("q")
    k = int(np.searchsorted(t, lands.time))
    assert np.interp(lands.time, t[k - 1 : k + 1], rec["body.position"][k - 1 : k + 1, 0]) == pytest.approx(x, abs=1e-2)
    normal = rec.events[1].detail
    assert normal["lost"] == pytest.approx(0.5 * M * normal["approach"] ** 2, rel=1e-10)


# ---- cylinders, cones, blocks --------------------------------------------------------------------------------------
@pytest.mark.parametrize(("options", "share"), [({}, 4 / 7), ({"sliding": True}, 2 / 3)])
def test_cylinder_leaves_a_cylinder(options, share):
    """A table's rounded end: cos φ = 4/7 cos φ0 where it rolls (k = 1/2), 2/3 cos φ0 where it slides."""
    joint = joints.contact(s.cylinder(0.5), s.cylinder(R), line=True, release=True, **options)
    figure = one(joint, Transform.identity(), moments=(0.3, 0.3, 0.5))
    length, phi0 = 0.6, 0.2
    q = joint.touch(Transform(np.eye(3), length * np.array([np.sin(phi0), np.cos(phi0), 0])))
    rec = simulate(figure, t1=1.0, rate=100, q0=q, **TIGHT)
    assert names(rec) == ["body lifts off"]
    cosine = share * np.cos(phi0)
    sine, speed = np.sqrt(1 - cosine**2), np.sqrt(G * length * cosine)
    t = rec.time("q")
    at = t[t > rec.events[0].time] - rec.events[0].time
    flown = rec["body.position"][t > rec.events[0].time]
    assert np.abs(flown[:, 0] - length * sine - speed * cosine * at).max() < 1e-8
    assert np.abs(flown[:, 1] - length * cosine + speed * sine * at + 0.5 * G * at**2).max() < 1e-8


@pytest.mark.slow
def test_cylinder_lands_on_its_line_slides_and_rolls():
    """(2 v0 − ω R)/3 for k = 1/2, as of a ball 5/7 and 2/7."""
    joint = joints.contact(s.plane(), s.cylinder(R), sliding=True, spin=False, friction=0.2, release=True)
    figure = one(joint, moments=(0.3, 0.3, 0.5))
    lying = turned(x=np.pi / 2)  # its axis, z, along −y of the plane
    q, v = thrown(joint, Transform(lying.rotation, (0, 0, R + 0.2)), (1.0, 0, 0), (0, 0, 30.0))
    rec = simulate(figure, t1=1.5, rate=50, q0=q, v0=v, **TIGHT)
    assert names(rec) == ["body lands", "body sticks"]
    assert rec.events[0].time == pytest.approx(np.sqrt(0.4 / G), abs=1e-11)
    assert rec["momentum"][-1, 0] / M == pytest.approx((2 * 1.0 - 30.0 * R) / 3, abs=1e-9)
    assert rec["body.position"][-1, 1] == pytest.approx(R, abs=1e-12)


def test_cone_lands_on_its_line_and_slides_to_rest():
    """μ (1 + e) √(2 g h) less at the impact, and from there v/(μ g) to rest."""
    mu, h, v0, a = 0.3, 0.05, 1.0, 0.4
    joint = joints.contact(s.plane(), s.cone(a), sliding=True, spin=False, friction=mu, release=True)
    figure = one(joint, com=(0, 0, 0.5))
    flat = joint.held.transform(joint.neutral())
    q, v = thrown(joint, Transform(flat.rotation, flat.translation + np.array([0, 0, h])), flat.rotation.T @ (v0, 0, 0))
    rec = simulate(figure, t1=0.5, rate=50, q0=q, v0=v, **TIGHT)
    assert names(rec) == ["body lands", "body sticks"]
    left = v0 - mu * np.sqrt(2 * G * h)
    lands, sticks = rec.events
    assert lands.time == pytest.approx(np.sqrt(2 * h / G), abs=1e-11)
    assert sticks.time - lands.time == pytest.approx(left / (mu * G), abs=1e-9)
    assert np.abs(rec["momentum"][-1]).max() < 1e-12  # rounding of 2 kg m/s


def test_block_on_a_plate_that_shakes_jumps_and_lands():
    """A ω² sin ωt = g lifts it off; its fall meets the plate again at a root that is found alone.

    The plate, 1e9 times as heavy, is driven by its own inertia force and moves as sin ωt within 1e-9.
    """
    size, w, heavy = 0.02, 40.0, 1e9 * M
    joint = joints.contact(s.plane(), s.plane(), rolling=False, spin=False, sliding=True, friction=0.5, release=True)
    b = FigureBuilder()
    b.segment("plate", None, joints.prismatic((0, 1, 0), name="y"), mass=heavy, inertia=np.eye(3))
    b.segment("block", "plate", joint, placement=UP, mass=M, inertia=np.eye(3))
    figure = b.build()
    at = figure.places("y", "v")[0]

    def drive(t, state):
        tau = np.zeros(figure.nv)
        tau[at] = heavy * (G - size * w**2 * np.sin(w * t))
        return tau

    q = figure.configuration(block=joint.configuration((0, 0, 0), direction=(1, 0, 0)))
    v = figure.velocity(y=size * w, block=(0, 0, 0, 0, 0, 0))
    rec = simulate(figure, t1=0.2, rate=200, q0=q, v0=v, controls=drive, **TIGHT)
    leaves = np.arcsin(G / (size * w**2)) / w
    y0, v0 = size * np.sin(w * leaves), size * w * np.cos(w * leaves)

    def gap(t):
        return y0 + v0 * t - 0.5 * G * t * t - size * np.sin(w * (leaves + t))

    grid = np.linspace(0.01, 0.3, 3000)
    under = int(np.argmax(gap(grid) < 0))
    lands = brentq(gap, grid[under - 1], grid[under]) + leaves
    assert names(rec)[:2] == ["block lifts off", "block lands"]
    assert rec.events[0].time == pytest.approx(leaves, abs=1e-8)
    assert rec.events[1].time == pytest.approx(lands, abs=1e-8)


def test_a_hopper_lands_on_its_foot_and_takes_off():
    """A body on a spring: the foot stops, the body swings on, and the foot goes up where the spring pulls m g of it.

    From the rest length, y − l = −m₂ g/k (1 − cos ωt) − V/ω sin ωt until k (y − l) = m₁ g; the impact takes ½ m₁ V².
    """
    m1, m2, k, h = 0.5, 3.0, 900.0, 0.2
    face = {"rolling": False, "spin": False, "sliding": True, "friction": 0.5}
    joint = joints.contact(s.plane(), s.plane(), pose2=turned(x=np.pi), release=True, **face)
    b = FigureBuilder()
    b.segment("foot", None, joint, placement=UP, mass=m1, inertia=1e-3 * np.eye(3))
    b.segment("body", "foot", joints.prismatic((0, 0, 1), name="leg"), mass=m2, inertia=0.1 * np.eye(3))
    figure = b.build()
    at_q, at_v = figure.places("leg", "q")[0], figure.places("leg", "v")[0]

    def spring(t, state):
        tau = np.zeros(figure.nv)
        tau[at_v] = -k * (state.q[at_q] - 1.0)
        return tau

    q = figure.configuration(foot=joint.raised(joint.configuration((0, 0, 0), direction=(1, 0, 0)), h), leg=1.0)
    rec = simulate(figure, t1=0.6, rate=100, q0=q, controls=spring, **TIGHT)
    assert names(rec)[:3] == ["foot lands", "foot sticks", "foot lifts off"]
    V, w, fall = np.sqrt(2 * G * h), np.sqrt(k / m2), np.sqrt(2 * h / G)

    def over(t):
        return -m2 * G / k * (1 - np.cos(w * t)) - V / w * np.sin(w * t) - m1 * G / k

    up = brentq(over, 0.6 * np.pi / w, 1.4 * np.pi / w)
    assert rec.events[0].time == pytest.approx(fall, abs=1e-10)
    assert rec.events[0].detail["lost"] == pytest.approx(0.5 * m1 * V**2, abs=1e-9)
    assert rec.events[2].time - fall == pytest.approx(up, abs=1e-9)
    t = rec.time("q")
    air = (t > rec.events[2].time) & (t < (rec.events[3].time if len(rec.events) > 3 else 1.0))
    momentum = m2 * (-m2 * G / k * w * np.sin(w * up) - V * np.cos(w * up))  # the body's, all of it, where it leaves
    assert rec["momentum"][air, 1] == pytest.approx(momentum - (m1 + m2) * G * (t[air] - fall - up), abs=1e-8)
    assert rec["tau"][:, at_v] == pytest.approx(-k * (rec["q"][:, at_q] - 1.0), abs=1e-12)


def test_a_motor_with_a_state_and_a_law_with_a_clock_act_through_all_phases():
    """A slider on a block is driven by z, dz/dt = 1 from −0.1: force 10 z, and by a law that is called every 50 ms.

    Where the block is held the slider moves alone: m dv/dt = F(t), of which the momentum along it is the integral.
    """
    face = {"rolling": False, "spin": False, "sliding": True, "friction": 5.0}
    joint = joints.contact(s.plane(), s.plane(), release=True, **face)
    b = FigureBuilder()
    b.segment("body", None, joint, placement=UP, mass=M, inertia=np.eye(3))
    b.segment("slider", "body", joints.prismatic((1, 0, 0), name="x"), mass=0.5, inertia=1e-3 * np.eye(3))
    figure = b.build()
    at = figure.places("x", "v")[0]
    law = CommandedControl(figure, lambda t, state: 2.0 * t * (np.arange(figure.nv) == at), period=0.05)
    h = 0.05
    q = figure.configuration(body=joint.raised(joint.configuration((0, 0, 0), direction=(1, 0, 0)), h))
    rec = simulate(figure, t1=0.5, rate=40, q0=q, controls=[_Motor(figure.nv, at), law], **TIGHT)
    t = rec.time("q")
    steps = 2.0 * np.maximum(np.ceil(t / 0.05 - 1e-9) - 1, 0) * 0.05  # a sample at a call has the command before it
    assert rec["tau"][:, at] == pytest.approx(10 * (t - 0.1) + steps, abs=1e-9)
    assert names(rec) == ["body lands", "body sticks"]
    assert rec.events[0].time == pytest.approx(np.sqrt(2 * h / G), abs=1e-9)
    held = t > rec.events[0].time
    edges = np.arange(0, 0.5, 0.05)
    work = np.array([5 * ((x - 0.1) ** 2 - 0.01) + np.sum(2.0 * edges * np.clip(x - edges, 0, 0.05)) for x in t])
    v = rec["v"][held, at]
    assert 0.5 * (v - v[0]) == pytest.approx(work[held] - work[held][0], abs=1e-9)


class _Motor:
    z0 = (-0.1,)

    def __init__(self, nv, at):
        self.own = np.arange(nv) == at

    def __call__(self, t, state):
        return 10 * state.z[0] * self.own

    def rate(self, t, state):
        return np.ones(1)


# ---- against contacts, which are other coordinates, equations and impacts -------------------------------------------
@pytest.mark.parametrize(
    "face",
    [
        pytest.param(s.ellipsoid((0.2, 0.15, 0.1)), marks=pytest.mark.slow),
        pytest.param(s.torus(0.15, 0.05), marks=pytest.mark.slow),
        s.circle(0.15),
    ],
)
def test_lands_bounces_and_slides_as_contacts_do(face):
    """The same figure with contact points: 1e-8 of what impacts at 3 m/s make of errors of 1e-10."""
    joint = joints.contact(s.plane(), face, sliding=True, friction=0.3, release=True, restitution=0.4)
    figure = one(joint, com=(0.01, 0, 0), moments=(0.5, 0.6, 1.0))
    tilt = np.array([0.8, 0.5, 0.1, 0.3])
    pose = Transform.from_quaternion(tilt / np.linalg.norm(tilt), (0, 0, 0.4))
    q, v = thrown(joint, pose, (0.4, 0.2, 0.1), (0.5, 2.0, 1.0))
    rec = simulate(figure, t1=0.3, rate=50, q0=q, v0=v, **TIGHT)
    assert names(rec)[0] == "body lands"
    freed = contact.release_contacts(figure, q, v)
    other = simulate(freed.figure, contacts=freed.contacts, t1=0.3, rate=50, q0=freed.q, v0=freed.v, **TIGHT)
    hits = [event for event in other.events if event.name.startswith("impact")]
    lands = [event for event in rec.events if event.name == "body lands"]
    assert [e.time for e in lands] == pytest.approx([e.time for e in hits], abs=1e-8)
    assert np.abs(rec["body.position"] - other["body.position"]).max() < 1e-8


def test_ball_that_falls_on_a_ball_that_lies():
    """Impulses of both contacts at once: the lower one is pressed on the ground and stays, the upper one bounces."""
    low = joints.contact(s.plane(), s.sphere(R), release=True)
    high = joints.contact(s.sphere(R), s.sphere(R), release=True, restitution=0.5)
    b = FigureBuilder()
    b.segment("low", None, low, placement=UP, mass=M, inertia=0.4 * M * R * R * np.eye(3))
    b.segment("high", "low", high, mass=1.0, inertia=0.4 * R * R * np.eye(3))
    figure = b.build()
    q_low = low.configuration((0, 0, 0), direction=(1, 0, 0))
    above = low.transform(q_low).inverse() @ Transform(np.eye(3), (0, 0, 3 * R + 0.1))
    q = figure.configuration(low=q_low, high=high.apart(above))
    rec = simulate(figure, t1=0.3, rate=100, q0=q, **TIGHT)
    fall, speed = np.sqrt(0.2 / G), np.sqrt(0.2 * G)
    assert names(rec)[:2] == ["high lands", "high lands"]
    assert rec.events[0].time == pytest.approx(fall, abs=1e-11)
    assert rec.events[1].time - fall == pytest.approx(2 * 0.5 * speed / G, abs=1e-9)
    assert rec.events[0].detail["lost"] == pytest.approx(0.5 * speed**2 * 0.75, abs=1e-10)
    assert (rec["low.contact_mode"] == 1).all()


@pytest.mark.slow
@pytest.mark.parametrize("mu", [0.0, 0.3])
def test_figure_with_a_closure_has_contacts_that_leave(mu):
    """A ball at the end of a crank, joined by a closure: as a tree of crank and ball with a contact point."""
    arm = 0.5
    joint = joints.contact(s.plane(), s.sphere(R), release=True, sliding=True, friction=mu or None, restitution=0.3)
    b = FigureBuilder()
    b.segment("crank", None, joints.revolute((0, 0, 1), name="turn"), placement=Transform.translation_of((0, R, 0)),
              mass=0.3, com=(0.25, 0, 0), inertia=1e-3 * np.eye(3))  # fmt: skip
    b.segment("body", None, joint, placement=UP, mass=M, inertia=0.4 * M * R * R * np.eye(3))
    b.close("pin", "crank", (arm, 0, 0), "body", (0, 0, 0))
    figure = b.build()
    angle = 0.5
    centre = np.array([arm * np.cos(angle), R + arm * np.sin(angle), 0])
    q = figure.configuration(turn=angle, body=joint.apart(UP.inverse() @ Transform(np.eye(3), centre)))
    rec = simulate(figure, t1=0.6, rate=50, q0=q, **TIGHT)
    b = FigureBuilder()
    b.segment("crank", None, joints.revolute((0, 0, 1), name="turn"), placement=Transform.translation_of((0, R, 0)),
              mass=0.3, com=(0.25, 0, 0), inertia=1e-3 * np.eye(3))  # fmt: skip
    b.segment("body", "crank", joints.spherical(), placement=Transform.translation_of((arm, 0, 0)), mass=M,
              inertia=0.4 * M * R * R * np.eye(3))  # fmt: skip
    tree = b.build()
    point = contact.ContactPoint("body", "body", (0, 0, 0), R, friction=mu, restitution=0.3)
    other = simulate(tree, contacts=contact.Contacts((point,), (contact.floor(),), limits=False), t1=0.6, rate=50,
                     q0=tree.configuration(turn=angle), **TIGHT)  # fmt: skip
    hits = [event.time for event in other.events if event.name.startswith("impact")]
    lands = [event.time for event in rec.events if event.name == "body lands"]
    assert lands[:3] == pytest.approx(hits[:3], abs=1e-8)
    t = rec.time("q")
    before = t < 0.55  # impacts crowd together after
    assert np.abs(rec["body.position"] - other["body.position"])[before].max() < 1e-7


# ---- runs ----------------------------------------------------------------------------------------------------------
def test_interrupted_runs_resume_to_the_same_bits(tmp_path):
    figure, joint = ball({"sliding": True, "friction": 0.3, "restitution": 0.5}, (0.01, 0.005, 0), (0.3, 0.35, 0.45))
    q, v = thrown(joint, Transform(np.eye(3), (0, 0, R + 0.1)), (1.0, 0.5, 0), (3.0, -40.0, 2.0))
    options = {"t1": 0.8, "rate": 100, "q0": q, "v0": v}
    whole = simulate(figure, **options)
    assert {"body lands", "body sticks"} <= set(names(whole))
    for part in (0.1, 0.4, 0.7):
        out = tmp_path / f"{part}"
        with pytest.raises(KeyboardInterrupt):
            simulate(figure, **options, out=out, progress=stop_after(part))
        again = simulate(figure, **options, out=out, resume=True)
        for name in whole.names:
            assert np.array_equal(whole[name], again[name], equal_nan=True), name
        assert [(e.time, e.name, e.detail) for e in whole.events] == [(e.time, e.name, e.detail) for e in again.events]


def test_loads_controls_and_guards_act_in_the_air_and_on_the_ground():
    """A push upward of 1.5 m g for 0.2 s lifts the ball, which flies to v²/2g above and is told at its top."""
    figure, joint = ball({})
    q = joint.configuration((0, 0, 0), direction=(1, 0, 0))

    def push(t, state):
        assert state.v.shape == (6,)
        return np.array([[0, 0, 0, 0, 2.5 * M * G if t < 0.2 else 0.0, 0]])

    top = Guard("top", lambda t, state: (joint.subspace(state.q) @ state.v)[3:] @ _up(joint, state.q), "down")
    rec = simulate(figure, t1=0.8, rate=100, q0=q, loads=push, guards=[top])
    assert names(rec)[0] != "body lifts off"  # it is pulled off at the start
    assert rec["body.contact_mode"][1] == 0
    told = next(event for event in rec.events if event.name == "top")
    assert told.time == pytest.approx(0.2 + 1.5 * 0.2, abs=1e-6)  # the push jumps within a step, rtol 1e-9


def _up(joint, q):
    return joint.transform(q).rotation.T @ (0, 0, 1)


def test_what_cannot_be_is_said():
    with pytest.raises(InputError, match="must be able to slide"):
        ball({"friction": 0.3})
    with pytest.raises(InputError, match="must not hold rotation"):
        ball({"spin": False})
    with pytest.raises(InputError, match="restitution is out of range"):
        ball({"restitution": 1.5})
    with pytest.raises(InputError, match="belongs to contacts that leave and land"):
        joints.contact(s.plane(), s.sphere(R), restitution=0.5)
    figure, joint = ball({"sliding": True, "friction": 0.3})
    q = joint.configuration((0, 0, 0), direction=(1, 0, 0))
    with pytest.raises(InputError, match="must not have contacts of the other kind"):
        simulate(figure, t1=0.1, q0=q, contacts=contact.Contacts((), (contact.floor(),)))
    with pytest.raises(InputError, match="always watched"):
        simulate(figure, t1=0.1, q0=q, watch=False)
    with pytest.raises(InputError, match="cannot be prescribed"):
        simulate(figure, t1=0.1, q0=q, prescribed=[PrescribedMotion("body.wx", speed=1.0)])
    with pytest.raises(InputError, match="must have neither armature nor damping"):
        simulate(figure.replace(segments={"body": {"damping": 0.1}}), t1=0.1, q0=q)
    with pytest.raises(InputError, match="held velocity must be zero"):
        simulate(ball({})[0], t1=0.1, q0=q, v0=[0, 0, 0, 1.0, 0, 0])
    with pytest.raises(InputError, match="dormand-prince"):
        simulate(figure, t1=0.1, q0=q, integrator="rk4")
    with pytest.raises(InputError, match="must not change the state"):
        simulate(figure, t1=0.1, q0=q, guards=[Guard("blow", lambda t, y: t - 0.05, "up", lambda t, y: y)])
    with pytest.raises(InputError, match="must not approach"):
        simulate(figure, t1=0.1, q0=q, v0=[0, 0, 0, 0, 0, -1.0])
    with pytest.raises(InputError, match="overlap at the start"):
        simulate(figure, t1=0.1, q0=joint.apart(Transform(np.eye(3), (0, 0, 0.5 * R))))
    b = FigureBuilder()
    b.segment("body", None, joints.free(), mass=1.0)
    b.close_contact("foot", None, "body", joint)
    with pytest.raises(InputError, match="cannot leave and land"):
        b.build()


def test_a_cylinder_that_lands_on_one_end_is_refused():
    joint = joints.contact(s.plane(), s.cylinder(R), sliding=True, release=True)
    figure = one(joint)
    tilted = turned(x=np.pi / 2) @ turned(y=0.0) @ turned(x=0.05)
    q, v = thrown(joint, Transform(tilted.rotation, (0, 0, R + 0.2)))
    with pytest.raises(RunError, match="must land flat"):
        simulate(figure, t1=1.0, q0=q, v0=v)


def test_a_bouncing_line_that_turns_is_refused():
    joint = joints.contact(s.plane(), s.cylinder(R), sliding=True, release=True)
    q, v = thrown(joint, Transform(turned(x=np.pi / 2).rotation, (0, 0, R + 0.05)), angular=(2 * np.pi / 0.1, 0, 0))
    with pytest.raises(RunError, match="must land"):
        simulate(one(joint), t1=1.0, q0=q, v0=v)
