"""Contact joints that slide with Coulomb friction: slide, stick and slide again, against closed forms.

Runs ask for rtol 1e-12: a hundred or a thousand steps of motions of about 1 m and 1 m/s add up to 1e-10 to 1e-9, which
are the tolerances below unless something else is derived.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import simpson, solve_ivp

from models import stop_after
from motiform import FigureBuilder, Transform, contact, joints, simulate
from motiform.base.errors import InputError, RunError
from motiform.geometry import surfaces as s
from motiform.motion import tree
from motiform.motion.run import Guard
from motiform.motion.tree.prescribed import PrescribedMotion
from motiform.spatial import exp_rotation, quaternion_from_rotation

G, R, M = 9.81, 0.1, 2.0
TIGHT = {"rtol": 1e-12, "atol": 1e-14}


def turned(x=0.0, y=0.0, z=0.0, at=(0.0, 0.0, 0.0)):
    return Transform(exp_rotation(np.array([x, y, z], float)), np.array(at, float))


UP = turned(x=-np.pi / 2)  # z of a surface along the world's y, its x along the world's


def one_contact(joint, placement=UP, mass=M, com=(0.0, 0.0, 0.0), inertia=None):
    b = FigureBuilder()
    b.segment(
        "body", None, joint, placement=placement, mass=mass, com=com, inertia=np.eye(3) if inertia is None else inertia
    )
    return b.build()


def ball(mu, com=(0.0, 0.0, 0.0), moments=(2 / 5, 2 / 5, 2 / 5)):
    joint = joints.contact(s.plane(), s.sphere(R), sliding=True, friction=mu)
    figure = one_contact(joint, com=com, inertia=np.diag(moments) * M * R * R)
    return figure, joint.configuration((0, 0, 0), direction=(1, 0, 0))


def block(mu, slope):
    """A block on an incline that falls along the plane's x, at rest."""
    joint = joints.contact(s.plane(), s.plane(), sliding=True, rolling=False, spin=False, friction=mu)
    return one_contact(joint, turned(z=-slope) @ UP), joint.configuration((0, 0, 0), direction=(1, 0, 0))


# ---- slide to roll -------------------------------------------------------------------------------------------------
def test_sliding_ball_comes_to_roll():
    """V4b: from v0 without spin it rolls from t = 2 v0/(7 μ g) and x = 12 v0²/(49 μ g), at 5/7 v0 = ω r."""
    v0, mu, t1 = 1.7, 0.3, 1.0
    figure, q = ball(mu)
    rec = simulate(figure, t1=t1, rate=100, q0=q, v0=[0, 0, 0, v0, 0], **TIGHT)
    (event,) = rec.events
    at, far = 2 * v0 / (7 * mu * G), 12 * v0**2 / (49 * mu * G)
    assert event.name == "body sticks"
    assert event.time == pytest.approx(at, abs=1e-11)  # the slip of 1e-10 m/s changes by 7/2 μ g ~ 10 m/s²
    t, x = rec.time("q"), rec["body.position"][:, 0]
    path = np.where(t < at, v0 * t - 0.5 * mu * G * t**2, far + 5 / 7 * v0 * (t - at))
    assert np.abs(x - path).max() < 1e-10
    speed = np.where(t < at, v0 - mu * G * t, 5 / 7 * v0)
    assert np.abs(rec["momentum"][:, 0] / M - speed).max() < 1e-10
    spin = np.where(t < at, 2.5 * mu * G * t / R, 5 / 7 * v0 / R)  # about −z of the world
    centre = np.stack([x, 0 * x + R, 0 * x], axis=-1)
    own = rec["angular_momentum"] - np.cross(centre, rec["momentum"])
    assert np.abs(own[:, 2] / (0.4 * M * R**2) + spin).max() < 1e-9
    slides = t < at
    assert (rec["body.contact_mode"] == np.where(slides, 2, 1)).all()
    # rounding of the weight of 20 N, 1e4 of it at most
    assert np.abs(rec["body.contact_force"][:, 2] - M * G).max() < 1e-10
    assert np.abs(rec["body.friction_force"] - np.where(slides, -mu * M * G, 0.0)[:, None] * (1, 0)).max() < 1e-10
    assert (rec["body.slip_velocity"][~slides] == 0).all()
    # 2/7 of the energy is the work of friction, μ m g times the way of slip v0²/(7 μ g)
    assert rec["energy"][0] - rec["energy"][-1] == pytest.approx(M * v0**2 / 7, rel=1e-10)


def test_ball_with_side_spin_slips_along_a_line():
    """The slip of a ball keeps its direction, so its centre flies a parabola until |slip|/(7/2 μ g)."""
    mu, slip = 0.4, np.array([1.0, -0.7])
    figure, q = ball(mu)
    rec = simulate(figure, t1=0.3, rate=100, q0=q, v0=[6.0, 3.0, 2.0, *slip], **TIGHT)
    (event,) = rec.events
    at = np.hypot(*slip) / (3.5 * mu * G)
    assert event.time == pytest.approx(at, abs=1e-11)
    t = np.minimum(rec.time("q"), at)
    d = slip / np.hypot(*slip)
    v0 = rec["momentum"][0, [0, 2]] / M
    pull = -mu * G * np.array([d[0], -d[1]])  # t2 of the contact frame is −z of the world
    path = v0 * t[:, None] + 0.5 * pull * t[:, None] ** 2 + (v0 + pull * at) * (rec.time("q") - t)[:, None]
    assert np.abs(rec["body.position"][:, [0, 2]] - path).max() < 1e-10


# ---- inclines ------------------------------------------------------------------------------------------------------
def test_block_sticks_below_the_angle_of_friction():
    for slope in (0.0, 0.2, np.arctan(0.4) * (1 - 1e-9)):
        figure, q = block(0.4, slope)
        rec = simulate(figure, t1=0.5, rate=20, q0=q)
        assert rec.events == []
        assert (rec["q"] == rec["q"][0]).all()
        assert (rec["body.contact_mode"] == 1).all()
        assert rec["body.friction_force"][:, 0] == pytest.approx(-M * G * np.sin(slope), abs=1e-12)


@pytest.mark.parametrize("slope", [np.arctan(0.4) * (1 + 1e-9), 0.6, 1.2])
def test_block_slides_above_it(slope):
    """It slides from rest at a = g (sin α − μ cos α): constant, which steps integrate to rounding."""
    mu = 0.4
    figure, q = block(mu, slope)
    rec = simulate(figure, t1=1.0, rate=20, q0=q)
    a, t = G * (np.sin(slope) - mu * np.cos(slope)), rec.time("q")
    assert np.linalg.norm(rec["body.position"], axis=1) == pytest.approx(0.5 * a * t**2, abs=1e-13)
    assert (rec["body.contact_mode"] == 2).all()
    heat = rec["energy"][0] - rec["energy"]
    assert heat == pytest.approx(mu * M * G * np.cos(slope) * 0.5 * a * t**2, abs=1e-11)


@pytest.mark.parametrize(("slope", "comes_back"), [(0.3, False), (0.6, True)])
def test_block_shot_up_an_incline(slope, comes_back):
    """It stops after v0/(g (sin α + μ cos α)) and stays where tan α < μ, else it comes back."""
    mu, v0 = 0.4, 2.0
    figure, q = block(mu, slope)
    rec = simulate(figure, t1=1.0, rate=20, q0=q, v0=[-v0, 0])
    up, down = G * (np.sin(slope) + mu * np.cos(slope)), G * (np.sin(slope) - mu * np.cos(slope))
    top, at = v0**2 / (2 * up), v0 / up
    assert [event.name for event in rec.events] == ([] if comes_back else ["body sticks"])
    if not comes_back:
        assert rec.events[0].time == pytest.approx(at, abs=1e-13)
    end = -top + (0.5 * down * (1.0 - at) ** 2 if comes_back else 0.0)
    assert np.linalg.norm(rec["body.position"][-1]) == pytest.approx(abs(end), abs=1e-12)


@pytest.mark.parametrize("slope", [0.05, 0.3, 0.6])
def test_block_launched_across_an_incline(slope):
    """Its hodograph: |v| sin φ = c tan(φ/2)^(μ/tan α), φ from the line of fall; it stops where μ > tan α.

    From dv/dt = g (sin α cos φ − μ cos α), v dφ/dt = −g sin α sin φ. Of an error δ of the velocity across, the right
    side has k δ where φ is small, k = μ/tan α up to 8.
    """
    mu = 0.4
    k = mu / np.tan(slope)
    figure, q = block(mu, slope)
    rec = simulate(figure, t1=0.6, rate=50, q0=q, v0=[-0.5, 1.0], **TIGHT)
    slip = rec["body.slip_velocity"][rec["body.contact_mode"] == 2]
    speed, phi = np.hypot(*slip.T), np.arctan2(slip[:, 1], slip[:, 0])
    across = slip[0, 1] * (np.tan(phi / 2) / np.tan(phi[0] / 2)) ** k
    assert len(slip) > 10
    assert np.abs(slip[:, 1] - across).max() < (1 + k) * 1e-10
    assert [event.name for event in rec.events] == (["body sticks"] if k > 1 else [])
    if k > 1:  # dv cos φ and dv over its rates gives the time: v0 (k + cos φ0)/(g sin α (k² − 1))
        at = speed[0] * (k + np.cos(phi[0])) / (G * np.sin(slope) * (k**2 - 1))
        assert rec.events[0].time == pytest.approx(at, abs=1e-9)


def test_loose_tolerances_stop_it_too():
    """Errors of 1e-6 per step, some 30 of them, over a rate of 0.3 to 3 m/s² of the slip: 1e-4 s."""
    figure, q = block(0.4, 0.3)
    rec = simulate(figure, t1=0.6, rate=50, q0=q, v0=[-0.5, 1.0], rtol=1e-6, atol=1e-6)
    k, speed = 0.4 / np.tan(0.3), np.hypot(0.5, 1.0)
    (event,) = rec.events
    assert event.time == pytest.approx((speed * k - 0.5) / (G * np.sin(0.3) * (k**2 - 1)), abs=1e-4)


# ---- rolls, slips, leaves ------------------------------------------------------------------------------------------
def test_ball_on_a_dome_rolls_slips_and_leaves():
    """It rolls until 2 sin φ = μ (17 cos φ − 10 cos φ0), slides from there, and leaves at N = 0."""
    mu, phi0, length = 0.2, 0.3, 1.1
    joint = joints.contact(s.sphere(1.0), s.sphere(R), sliding=True, friction=mu)
    figure = one_contact(joint, Transform.identity(), 1.0, inertia=0.4 * R * R * np.eye(3))
    q = joint.touch(Transform(np.eye(3), length * np.array([np.sin(phi0), np.cos(phi0), 0])))
    rec = simulate(figure, t1=2.0, rate=200, q0=q, **TIGHT)
    slips, leaves = rec.events
    assert (slips.name, leaves.name) == ("body slips", "body lifts off")

    def rolling(t, y):
        return [y[1], 5 / 7 * G / length * np.sin(y[0])]

    def holds(t, y):
        return mu * (17 * np.cos(y[0]) - 10 * np.cos(phi0)) - 2 * np.sin(y[0])

    def pressing(t, y):
        return G * np.cos(y[0]) - length * y[1] ** 2

    def sliding(t, y):
        return [y[1], (G * np.sin(y[0]) - mu * pressing(t, y)) / length]

    holds.terminal = pressing.terminal = True
    options = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-14}
    first = solve_ivp(rolling, (0, 2), (phi0, 0.0), events=holds, **options)
    second = solve_ivp(sliding, (first.t[-1], 2), first.y[:, -1], events=pressing, **options)
    assert slips.time == pytest.approx(first.t[-1], abs=1e-9)
    assert leaves.time == pytest.approx(second.t[-1], abs=1e-9)


# ---- several directions at once ------------------------------------------------------------------------------------
def egg(mu=0.1):
    joint = joints.contact(s.plane(), s.ellipsoid((0.2, 0.15, 0.1)), sliding=True, friction=mu)
    figure = one_contact(joint, mass=1.0, com=(0.01, 0, 0), inertia=np.diag([0.005, 0.006, 0.01]))
    tilt = np.array([0.8, 0.5, 0.1, 0.3])
    q = joint.touch(Transform.from_quaternion(tilt / np.linalg.norm(tilt), (0, 0, 0.2)), tolerance=0.5)
    return figure, q, np.array([0.5, 2.0, 1.0, 0.6, 0.8])


def test_egg_loses_the_work_of_its_friction():
    """N and T change with each other: T = −μ N v/|v| with the N of inverse dynamics, and E falls by ∫ T·v.

    Simpson's rule errs by (ω h)⁴/180 of the work, ω ~ 20 rad/s of its rocking and h = 1 ms: 1e-9 of it.
    """
    figure, q, v = egg()
    rec = simulate(figure, t1=0.5, rate=1000, q0=q, v0=v, **TIGHT)
    assert rec.events == []
    force, slip, N = rec["body.friction_force"], rec["body.slip_velocity"], rec["body.contact_force"][:, 2]
    assert np.ptp(N) > 1.0
    expected = -0.1 * N[:, None] * slip / np.hypot(*slip.T)[:, None]
    assert np.abs(force - expected).max() < 1e-10  # N of 10 N, direction to 1e-12 m/s of slip
    assert np.abs(rec["body.contact_force"][:, :2] - force).max() < 1e-10  # of inverse dynamics
    work = simpson((force * slip).sum(-1), x=rec.time("q"))
    assert work < -0.1
    assert rec["energy"][-1] - rec["energy"][0] == pytest.approx(work, rel=1e-7)


def test_egg_slides_as_one_with_contacts_does():
    """Contacts are other coordinates, equations and search for forces."""
    figure, q, v = egg()
    rec = simulate(figure, t1=0.5, rate=50, q0=q, v0=v, **TIGHT)
    freed = contact.release_contacts(figure, q, v)
    other = simulate(freed.figure, contacts=freed.contacts, t1=0.5, rate=50, q0=freed.q, v0=freed.v, **TIGHT)
    assert rec["body.position"] == pytest.approx(other["body.position"], abs=1e-10)


def test_what_sticks_rolls_as_a_joint_that_cannot_slide():
    figure, q = ball(5.0, (0.02, 0.01, -0.015), (0.3, 0.35, 0.45))
    still = joints.contact(s.plane(), s.sphere(R))
    rolls = one_contact(still, com=(0.02, 0.01, -0.015), inertia=np.diag([0.3, 0.35, 0.45]) * M * R * R)
    one = simulate(figure, t1=0.5, rate=50, q0=q, v0=[5.0, 3.0, 2.0, 0, 0], **TIGHT)
    two = simulate(rolls, t1=0.5, rate=50, q0=q, v0=[5.0, 3.0, 2.0], **TIGHT)
    assert (one["body.contact_mode"] == 1).all()
    assert np.abs(one["q"] - two["q"]).max() < 1e-10
    assert np.abs(one["body.contact_force"] - two["body.contact_force"]).max() < 1e-8  # of 2 kg at 1e2 to 1e3 m/s³


# ---- several contacts ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("push", [5.0, 12.0, 19.5, 30.0])
def test_block_on_a_block_that_is_pushed(push):
    """Both rest up to μ₁ (m₁+m₂) g, go together up to (μ₁+μ₂)(m₁+m₂) g, and then the upper one lags behind."""
    m1, m2, mu1, mu2 = 3.0, 1.0, 0.2, 0.3
    free = {"sliding": True, "rolling": False, "spin": False}
    low = joints.contact(s.plane(), s.plane(), friction=mu1, **free)
    high = joints.contact(s.plane(), s.plane(), friction=mu2, pose1=turned(x=np.pi), **free)
    b = FigureBuilder()
    b.segment("lower", None, low, placement=UP, mass=m1, inertia=np.eye(3))
    b.segment("upper", "lower", high, mass=m2, inertia=np.eye(3))
    figure = b.build()
    start = {"lower": low, "upper": high}
    q = figure.configuration(**{k: j.configuration((0, 0, 0), direction=(1, 0, 0)) for k, j in start.items()})
    tau = figure.velocity(**{"lower.vx": push})
    rec = simulate(figure, t1=0.5, rate=20, q0=q, controls=lambda t, state: tau)
    together = max(push / (m1 + m2) - mu1 * G, 0.0)
    lags = push > (mu1 + mu2) * (m1 + m2) * G
    a1 = (push - mu1 * (m1 + m2) * G - mu2 * m2 * G) / m1 if lags else together
    a2 = mu2 * G if lags else together
    t = rec.time("q")
    assert rec["lower.position"][:, 0] == pytest.approx(0.5 * a1 * t**2, abs=1e-12)
    assert rec["upper.position"][:, 0] == pytest.approx(0.5 * a2 * t**2, abs=1e-12)
    modes = rec["lower.contact_mode"][-1], rec["upper.contact_mode"][-1]
    assert modes == (2 if push > mu1 * (m1 + m2) * G else 1, 2 if lags else 1)
    assert (rec["tau"] == tau).all()  # friction is not the controls'


def test_block_on_a_belt_sticks_and_slips():
    """From rest it is dragged by μ g to the belt's V, rides until its spring pulls by μ m g, and swings from there."""
    V, k, mu = 0.3, 50.0, 0.4
    b = FigureBuilder()
    b.segment("belt", None, joints.prismatic((1, 0, 0), name="x"), mass=1.0, inertia=np.eye(3))
    joint = joints.contact(s.plane(), s.plane(), sliding=True, rolling=False, spin=False, friction=mu)
    b.segment("block", "belt", joint, placement=UP, mass=M, inertia=np.eye(3))
    figure = b.build()
    q = figure.configuration(block=joint.configuration((0, 0, 0), direction=(1, 0, 0)))
    at_x, at_slip = figure.places("x", "v")[0], figure.places("block", "v")[0]

    def spring(t, state):
        tau = np.zeros(figure.nv)
        q = state.q[figure.places("block", "q")]
        x = state.q[figure.places("x", "q")][0] + joint.transform(q).translation[0]
        tau[[at_x, at_slip]] = -k * x
        return tau

    v = figure.velocity(x=V, block=(-V, 0.0))
    belt = PrescribedMotion("x", speed=V)
    rec = simulate(figure, t1=1.0, rate=50, q0=q, v0=v, controls=spring, prescribed=[belt], rtol=1e-11, atol=1e-13)
    w, far = np.sqrt(k / M), mu * M * G / k
    sticks = np.arcsin(V / (far * w)) / w  # x = far (1 − cos ω t) has V
    slips = sticks + (far - far * (1 - np.cos(w * sticks))) / V
    assert [event.name for event in rec.events] == ["block sticks", "block slips"]
    # the drive's inertia is 1e9 of what it moves: forces of 8 N change the belt's speed by 1e-8 m/s at most
    assert rec.events[0].time == pytest.approx(sticks, abs=1e-8)
    assert rec.events[1].time == pytest.approx(slips, abs=1e-7)
    t, x = rec.time("q"), rec["block.position"][:, 0]
    rides = far * (1 - np.cos(w * sticks)) + V * (t - sticks)
    swings = far + V / w * np.sin(w * (t - slips))
    path = np.where(t < sticks, far * (1 - np.cos(w * t)), np.where(t < slips, rides, swings))
    assert np.abs(x - path).max() < 1e-7
    effort = rec["drive.effort"][:, 0]  # what drags the block
    assert effort[t < sticks] == pytest.approx(mu * M * G, abs=1e-6)


# ---- runs ----------------------------------------------------------------------------------------------------------
def test_interrupted_runs_resume_to_the_same_bits(tmp_path):
    figure, q = ball(0.3, (0.02, 0.01, -0.015), (0.3, 0.35, 0.45))
    options = {"t1": 0.8, "rate": 100, "q0": q, "v0": [5.0, 3.0, 2.0, 1.0, -0.7]}
    whole = simulate(figure, **options)
    assert len(whole.events) > 0
    with pytest.raises(KeyboardInterrupt):
        simulate(figure, **options, out=tmp_path / "part", progress=stop_after(0.1))
    part = simulate(figure, **options, out=tmp_path / "part", resume=True)
    for name in whole.names:
        assert (whole[name] == part[name]).all(), name
    assert [(e.time, e.name) for e in whole.events] == [(e.time, e.name) for e in part.events]


def test_a_blow_sets_what_sticks_sliding():
    """A block at rest gets 0.5 m/s, and stops after v/(μ g)."""
    figure, q = block(0.4, 0.0)
    blow = Guard("blow", lambda t, state: t - 0.1, "up", lambda t, state: replace(state, v=np.array([0.3, -0.4])))
    rec = simulate(figure, t1=0.5, rate=50, q0=q, guards=[blow])
    assert [event.name for event in rec.events] == ["blow", "body slips", "body sticks"]
    assert rec.events[-1].time == pytest.approx(0.1 + 0.5 / (0.4 * G), abs=1e-12)


def test_loads_and_joints_in_python_give_the_same():
    """With loads the equations are those in Python: rounding, and what the motion makes of it in 0.1 s."""
    figure, q = ball(0.3, (0.02, 0.01, -0.015), (0.3, 0.35, 0.45))
    v = [5.0, 3.0, 2.0, 1.0, -0.7]
    one = simulate(figure, t1=0.1, rate=50, q0=q, v0=v)
    two = simulate(figure, t1=0.1, rate=50, q0=q, v0=v, loads=lambda t, state: np.zeros((1, 6)))
    assert np.abs(one["q"] - two["q"]).max() < 1e-11
    assert np.abs(one["body.friction_force"] - two["body.friction_force"]).max() < 1e-11


# ---- closures ------------------------------------------------------------------------------------------------------
def pinned(closed):
    """A ball that slides, with a rod that hangs from its middle: by a joint of the tree, or by a closure."""
    joint = joints.contact(s.plane(), s.sphere(R), sliding=True, friction=0.02)
    b = FigureBuilder()
    b.segment("body", None, joint, placement=UP, mass=M, inertia=0.4 * M * R * R * np.eye(3))
    parent, held = (
        (None, joints.free(start=Transform.translation_of((0, R, 0)))) if closed else ("body", joints.spherical())
    )
    b.segment("rod", parent, held, mass=0.7, com=(0, -0.4, 0), inertia=np.diag([0.02, 0.01, 0.02]))
    if closed:
        b.close("pin", "body", (0, 0, 0), "rod", (0, 0, 0))
    figure = b.build()
    at = joint.configuration((0, 0, 0), direction=(1, 0, 0))
    hangs = {} if closed else {"rod": quaternion_from_rotation((UP @ joint.transform(at)).rotation.T)}
    q = figure.configuration(body=at, **hangs)
    assert np.abs(tree.forward_kinematics(figure, q).rotation[1] - np.eye(3)).max() < 1e-14
    twists = [("body", [0, 0, 0, 0.3, 0, -0.1]), ("rod", [1, 0.5, 2, 0.3, 0, -0.1])]
    rows = np.concatenate([tree.jacobian(figure, q, name) for name, _ in twists])
    v = np.linalg.lstsq(rows, np.concatenate([twist for _, twist in twists]), rcond=None)[0]
    assert np.abs(rows @ v - np.concatenate([twist for _, twist in twists])).max() < 1e-13
    return figure, q, v


@pytest.mark.slow
def test_a_pin_of_a_closure_is_one_of_the_tree():
    """A ball with a rod slides, rolls and slides again alike, however the rod is pinned to it.

    Velocities err by 1e-9 m/s; where a slip is a thousandth of a metre a second, its direction does by 1e-6.
    """
    found = []
    for closed in (False, True):
        figure, q, v = pinned(closed)
        found.append(simulate(figure, t1=1.0, rate=40, q0=q, v0=v, rtol=1e-9, atol=1e-11))
    one, two = found
    told = [event.name for event in one.events]
    assert {"body sticks", "body slips"} <= set(told)
    assert told == [event.name for event in two.events]
    assert [e.time for e in two.events] == pytest.approx([e.time for e in one.events], abs=1e-8)
    for name in ("body.position", "rod.position", "body.friction_force", "body.contact_force", "energy"):
        assert np.abs(one[name] - two[name]).max() < (1e-6 if "force" in name else 1e-7), name


# ---- what is refused -----------------------------------------------------------------------------------------------
def test_what_cannot_be_is_said():
    figure, q = ball(0.3)
    with pytest.raises(InputError, match="must be watched"):
        simulate(figure, t1=0.1, q0=q, watch=False)
    for integrator in ("rk4", "cash-karp"):
        with pytest.raises(InputError, match="steps with error control and dense output"):
            simulate(figure, t1=0.1, q0=q, integrator=integrator)
    with pytest.raises(InputError, match="resolve the stop"):
        simulate(figure, t1=0.1, q0=q, atol=1e-5)
    with pytest.raises(InputError, match="contact joints of a run with contacts must not"):
        simulate(figure, t1=0.1, q0=q, contacts=contact.Contacts((), (contact.floor(),)))
    face = joints.contact(s.plane(), s.plane(), sliding=True, rolling=False, friction=0.3)
    with pytest.raises(InputError, match="all points must slide at one velocity"):
        one_contact(face)
    rubs = joints.contact(s.plane(), s.sphere(R), sliding=True, friction=0.3)
    b = FigureBuilder()
    b.segment("body", None, joints.free(), mass=1.0)
    b.close_contact("foot", None, "body", rubs)
    with pytest.raises(InputError, match="must not slide with friction"):
        b.build()


def test_painleves_paradox_is_refused():
    """A rod drawn by its tip has one force for it; pushed, with μ above 4/3 to 3 for its angle, it has none or two."""
    joint = joints.contact(s.plane(), s.sphere(0.01), sliding=True, friction=3.0)
    figure = one_contact(joint, mass=1.0, com=(0.5, 0, 0), inertia=np.diag([1e-4, 1 / 12, 1 / 12]))
    q = joint.touch(turned(y=-0.8, at=(0, 0, 0.01)))
    axes = joint.frames(q)[0].rotation
    for way, good in ((1.0, True), (-1.0, False)):
        v = np.concatenate([np.zeros(3), (axes.T @ (way, 0, 0))[:2]])
        if good:
            simulate(figure, t1=0.02, rate=100, q0=q, v0=v)
            continue
        with pytest.raises(RunError, match="Painlevé"):
            simulate(figure, t1=0.02, rate=100, q0=q, v0=v)
