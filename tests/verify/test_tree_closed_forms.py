"""Trees against formulas on paper: pendulums (V3), linkages, Andrews' mechanism (V19), gears and other couplings.

Tolerances of V3 and V19 are those of the table of known answers. Runs of scipy at rtol 1e-11 are good to about 1e-9;
single evaluations to rounding, 1e-12 of the largest number.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipk

from models import flat, pendulum, shifted, two_links
from motiform import FigureBuilder, Transform, joints
from motiform.base.errors import InputError, RunError
from motiform.motion import tree
from motiform.motion.run import DORMAND_PRINCE, ExplicitStep, march
from motiform.motion.tree.joints import AxesJoint, Axis, Polynomial, Spline, linear

G = 9.81
Z = (0.0, 0.0, 1.0)
ROUNDING = 1e-12
TIGHT = {"method": "DOP853", "rtol": 1e-11, "atol": 1e-13}


def close(found, expected, tolerance=ROUNDING):
    expected = np.asarray(expected, float)
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * max(1.0, np.abs(expected).max(initial=0.0)))


def rate_of(figure, tau=None, external=None):
    """dy/dt of y = (q, v); tau and external are functions of (t, q, v)."""
    nq = figure.nq

    def rate(t, y):
        q, v = y[:nq], y[nq:]
        drive = np.zeros(figure.nv) if tau is None else tau(t, q, v)
        load = None if external is None else external(t, q, v)
        a = tree.forward_dynamics(figure, q, v, drive, load)
        return np.concatenate([tree.configuration_rate(figure, q, v), a])

    return rate


# ---- pendulums -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("moment", [0.0, 0.4], ids=["simple", "compound"])
@pytest.mark.parametrize("amplitude", [1e-3, 1.0, 3.0])
def test_period_of_a_pendulum(moment, amplitude):
    length, mass = 0.7, 1.3
    figure = pendulum(length, mass, flat(moment))
    omega = np.sqrt(mass * G * length / (moment + mass * length**2))
    period = 4 * ellipk(np.sin(amplitude / 2) ** 2) / omega

    def bottom(t, y):
        return y[0]

    run = solve_ivp(rate_of(figure), (0, 1.01 * period), [amplitude, 0.0], events=bottom, **TIGHT)
    crossings = run.t_events[0]
    # through the lowest point at a quarter and at three quarters; scipy's dense output is poorer than its steps
    assert crossings[0] == pytest.approx(period / 4, rel=1e-8)
    assert crossings[1] - crossings[0] == pytest.approx(period / 2, rel=1e-8)


M1, M2, L1, L2, A1, A2, I1, I2 = 1.1, 0.7, 0.6, 0.5, 0.3, 0.2, 0.05, 0.02


def double_pendulum():
    """Angles: the first from the vertical, the second from the first."""
    return two_links(L1, masses=(M1, M2), centers=(A1, A2), inertias=(flat(I1), flat(I2)), end=L2)


def test_double_pendulum_by_its_formulas():
    figure = double_pendulum()
    rng = np.random.default_rng(0)
    for _ in range(5):
        (p, r), (u, w) = rng.normal(size=2), rng.normal(size=2)
        c, s = np.cos(r), np.sin(r)
        m22 = M2 * A2**2 + I2
        m12 = m22 + M2 * L1 * A2 * c
        m11 = M1 * A1**2 + I1 + I2 + M2 * (L1**2 + A2**2 + 2 * L1 * A2 * c)
        close(tree.inertia_matrix(figure, [p, r]), [[m11, m12], [m12, m22]])
        k = M2 * L1 * A2 * s
        g2 = M2 * G * A2 * np.sin(p + r)
        g1 = (M1 * A1 + M2 * L1) * G * np.sin(p) + g2
        close(tree.nonlinear_effects(figure, [p, r], [u, w]), [-k * (2 * u * w + w * w) + g1, k * u * u + g2])
        end = [L1 * np.sin(p) + L2 * np.sin(p + r), -L1 * np.cos(p) - L2 * np.cos(p + r), 0]
        close(tree.tags(figure, [p, r])[0], end)
        speed = [
            L1 * np.cos(p) * u + L2 * np.cos(p + r) * (u + w),
            L1 * np.sin(p) * u + L2 * np.sin(p + r) * (u + w),
            0,
        ]
        close(tree.tag_velocities(figure, [p, r], [u, w])[0], speed)
        close(tree.tag_jacobians(figure, [p, r])[0] @ [u, w], speed)


def test_v3_energy_of_a_double_pendulum():
    figure = double_pendulum()
    rate = rate_of(figure)

    def write(t, y, out):
        out[:] = rate(t, y)

    start = np.array([2.0, 1.0, 0.0, 0.0])
    stepper = ExplicitStep(DORMAND_PRINCE, write, size=4, rtol=1e-11, atol=1e-13)
    states = np.array([start, *(step.end for step in march(stepper, 0.0, start, 10.0))])
    energy = tree.energy(figure, states[:, :2], states[:, 2:])
    size = np.ptp(energy.kinetic)  # what goes to and fro; the total depends on where zero is
    assert size > 5.0
    assert np.abs(energy.total - energy.total[0]).max() <= 1e-9 * size


def test_a_spherical_pendulum_keeps_its_angular_momentum_about_the_vertical():
    b = FigureBuilder()
    b.segment("bob", None, joints.spherical(), mass=2.0, com=(0, -0.8, 0), inertia=np.diag([0.02, 0.03, 0.025]))
    figure = b.build()
    y0 = np.concatenate([[np.cos(0.5), np.sin(0.5), 0, 0], [0.3, 1.0, -2.0]])
    run = solve_ivp(rate_of(figure), (0, 3.0), y0, **TIGHT)
    q, v = run.y[:4].T, run.y[4:].T
    momentum, energy = tree.momentum(figure, q, v)[:, 1], tree.energy(figure, q, v).total
    # |quaternion| drifts with the error of the run and scales nothing but itself
    assert np.abs(momentum - momentum[0]).max() <= 1e-9 * abs(momentum[0])
    assert np.abs(energy - energy[0]).max() <= 1e-9 * np.ptp(tree.energy(figure, q, v).kinetic)


def test_a_nut_on_a_screw_falls_slower():
    pitch, mass, moment = 0.05, 0.4, 3e-3
    b = FigureBuilder()
    b.segment("nut", None, joints.helical((0, 1, 0), pitch), mass=mass, inertia=np.diag([moment, moment, moment]))
    # (I + m h²) φ̈ = −m g h
    expected = -mass * G * pitch / (moment + mass * pitch**2)
    close(tree.forward_dynamics(b.build(), [0.3], [2.0], [0.0]), [expected])


def test_a_bead_in_a_turning_tube_feels_the_coriolis_moment():
    b = FigureBuilder(gravity=(0, 0, 0))
    b.segment("tube", None, joints.revolute(Z))
    b.segment("bead", "tube", joints.prismatic((1, 0, 0)), mass=0.3)
    r, u, w = 0.8, 0.5, 2.0
    # m r̈ = m r ω², and the moment 2 m r ṙ ω that keeps ω constant
    tau = tree.inverse_dynamics(b.build(), [0.4, r], [w, u], [0.0, 0.0])
    close(tau, [2 * 0.3 * r * u * w, -0.3 * r * w * w])


# ---- four-bar linkage ----------------------------------------------------------------------------------------------

CRANK, COUPLER, ROCKER, GROUND = 0.2, 0.5, 0.4, 0.55


def four_bar(rows="xy"):
    b = FigureBuilder()
    rod = {"mass": 1.0, "inertia": flat(0.01)}
    b.segment("crank", None, joints.revolute(Z), com=(CRANK / 2, 0, 0), **rod)
    b.segment("coupler", "crank", joints.revolute(Z), placement=shifted(CRANK), com=(0.2, 0.1, 0), **rod)
    b.segment("rocker", None, joints.revolute(Z), placement=shifted(GROUND), com=(ROCKER / 2, 0, 0), **rod)
    b.close("pin", "coupler", (COUPLER, 0, 0), "rocker", (ROCKER, 0, 0), rows=rows)
    return b.build()


def four_bar_angles(crank):
    """The angles of coupler and rocker from the x axis: where two circles meet (the upper one)."""
    p = np.array([CRANK * np.cos(crank), CRANK * np.sin(crank)])
    d = np.array([GROUND, 0.0]) - p
    length = np.linalg.norm(d)
    along = (length**2 + COUPLER**2 - ROCKER**2) / (2 * length)
    up = np.sqrt(COUPLER**2 - along**2)
    meet = p + along * d / length + up * np.array([-d[1], d[0]]) / length
    return (np.arctan2(meet[1] - p[1], meet[0] - p[0]), np.arctan2(meet[1], meet[0] - GROUND))


def four_bar_state(crank, speed):
    """q and v of the figure: the coupler's angle is from the crank."""
    coupler, rocker = four_bar_angles(crank)
    w3 = CRANK * speed * np.sin(rocker - crank) / (COUPLER * np.sin(coupler - rocker))
    w4 = CRANK * speed * np.sin(crank - coupler) / (ROCKER * np.sin(rocker - coupler))
    return np.array([crank, coupler - crank, rocker]), np.array([speed, w3 - speed, w4])


@pytest.mark.parametrize("rows", ["xy", "xyz", "yx"])
def test_four_bar_positions_and_velocities(rows):
    figure = four_bar(rows)
    for crank in np.linspace(-3, 3, 7):
        q, v = four_bar_state(crank, 1.7)
        value, J, _ = tree.constraint(figure, q, v)
        close(value, np.zeros(len(rows)))
        close(J @ v, np.zeros(len(rows)))
        found, moving = tree.close_loops(figure, q + np.array([0.02, -0.05, 0.03]), v + np.array([0.3, 0.1, -0.2]))
        expected, velocity = four_bar_state(found[0], moving[0])
        close(found, expected, 1e-10)  # tolerance of close_loops over the sine at which the bars meet
        close(moving, velocity, 1e-10)


@pytest.mark.parametrize("rows", ["xy", "xyz"])
def test_four_bar_dynamics_against_one_equation_of_the_crank(rows):
    figure = four_bar(rows)
    crank, speed, drive = 0.7, 3.0, 0.9

    def reduced(x):
        """Inertia against the crank, and potential energy."""
        q, v = four_bar_state(x, 1.0)
        energy = tree.energy(figure, q, v)
        return 2 * energy.kinetic, energy.potential

    # M θ̈ + ½ M' θ̇² + V' = τ, with differences of sixth order: h⁶ f⁽⁷⁾/140 ≈ 1e-12·f⁽⁷⁾, ε/h ≈ 1e-14
    h = 1e-2
    slope = [
        sum(w * (reduced(crank + k * h)[n] - reduced(crank - k * h)[n]) for w, k in ((45, 1), (-9, 2), (1, 3)))
        / (60 * h)
        for n in range(2)
    ]
    expected = (drive - slope[0] * speed**2 / 2 - slope[1]) / reduced(crank)[0]
    q, v = four_bar_state(crank, speed)
    found = tree.constrained_dynamics(figure, q, v, [drive, 0.0, 0.0])
    assert found.acceleration[0] == pytest.approx(expected, rel=1e-8)
    close(tree.forward_dynamics(figure, q, v, [drive, 0.0, 0.0]), found.acceleration)
    # the accelerations keep the loop closed, and the forces are those of the equation of motion
    _, J, bias = tree.constraint(figure, q, v)
    close(J @ found.acceleration + bias, np.zeros(len(rows)), 1e-10)
    tau = tree.inverse_dynamics(figure, q, v, found.acceleration)
    close(tau, J.T @ found.forces + [drive, 0, 0], 1e-11)


def test_four_bar_turns_without_losing_energy():
    figure = four_bar()
    q, v = four_bar_state(0.3, 12.0)
    run = solve_ivp(rate_of(figure), (0, 0.5), np.concatenate([q, v]), **TIGHT)
    qs, vs = run.y[:3].T, run.y[3:].T
    assert qs[-1, 0] > 2 * np.pi * 0.7
    expected = np.array([four_bar_state(x, w) for x, w in zip(qs[:, 0], vs[:, 0], strict=True)])
    turns = np.round((qs - expected[:, 0]) / (2 * np.pi)) * 2 * np.pi
    close(qs - turns, expected[:, 0], 1e-9)
    close(vs, expected[:, 1], 1e-8)
    energy = tree.energy(figure, qs, vs)
    assert np.ptp(energy.total) <= 1e-9 * np.ptp(energy.kinetic)


def test_loops_that_cannot_be_closed_are_reported():
    b = FigureBuilder(name="far")
    b.segment("arm", None, joints.revolute(Z), mass=1.0, com=(0.5, 0, 0))
    b.close("pin", "arm", (1, 0, 0), None, (3, 0, 0), rows="xy")
    with pytest.raises(RunError, match="cannot be closed"):
        tree.close_loops(b.build(), [0.3])


def test_batches_of_closed_loops():
    figure = four_bar()
    cranks = np.linspace(-1, 1, 6).reshape(2, 3)
    states = np.array([four_bar_state(x, 2.0) for x in cranks.ravel()]).reshape(2, 3, 2, 3)
    q, v = states[..., 0, :], states[..., 1, :]
    many = tree.constrained_dynamics(figure, q, v, [0.3, 0.0, 0.0])
    assert many.acceleration.shape == (2, 3, 3)
    assert many.forces.shape == (2, 3, 2)
    rough, _ = tree.close_loops(figure, q + 0.01)
    for at in np.ndindex(2, 3):
        one = tree.constrained_dynamics(figure, q[at], v[at], [0.3, 0.0, 0.0])
        close(many.acceleration[at], one.acceleration)
        close(many.forces[at], one.forces)
        close(rough[at], tree.close_loops(figure, q[at] + 0.01)[0], 1e-9)


# ---- other closures ------------------------------------------------------------------------------------------------


def test_a_free_body_held_at_a_point_is_a_spherical_pendulum():
    body = {"mass": 2.0, "com": (0.1, -0.8, 0.2), "inertia": np.diag([0.02, 0.03, 0.025])}
    b = FigureBuilder()
    b.segment("bob", None, joints.free(), **body)
    b.close("hook", None, (0.3, 0.1, -0.2), "bob", (0.2, 0.1, 0.0))
    held = b.build()
    b = FigureBuilder()
    b.segment("hook", None, joints.spherical(), placement=shifted(0.3, 0.1, -0.2))
    b.segment("bob", "hook", joints.fixed(), placement=shifted(-0.2, -0.1, 0), **body)
    pinned = b.build()
    quaternion = np.array([0.8, 0.2, -0.4, 0.4])
    w, drive = np.array([0.3, -1.0, 2.0]), np.array([0.2, 0.3, -0.1])
    R, p = tree.forward_kinematics(pinned, quaternion)
    q = np.concatenate([p[1], quaternion])
    v = np.concatenate([w, np.cross(w, [-0.2, -0.1, 0])])
    found = tree.constrained_dynamics(held, q, v, np.concatenate([drive, np.zeros(3)]))
    a = tree.forward_dynamics(pinned, quaternion, w, drive)
    close(found.acceleration[:3], a, 1e-11)
    # the hook carries what the body's momentum asks for: m (a_com − g)
    motion = tree.motion(pinned, quaternion, w, a)
    r = R[1] @ body["com"]
    o, s = motion.twists[1, :3], motion.accelerations[1]
    force = 2.0 * (s[3:] + np.cross(s[:3], r) + np.cross(o, np.cross(o, r)) + [0, G, 0])
    close(found.forces, force, 1e-10)  # from a, the world, on b


def test_a_distance_is_a_massless_rod():
    b = FigureBuilder()
    b.segment("bob", None, joints.planar(), mass=1.3, inertia=flat(0.1))
    b.close("rod", None, (0, 0, 0), "bob", (0, 0, 0), rows="distance", length=0.7)
    figure, simple = b.build(), pendulum(0.7)
    angle, speed = 0.9, 2.2
    a = tree.forward_dynamics(simple, [angle], [speed], [0.0])[0]
    s, c = np.sin(angle), np.cos(angle)
    q, v = [0.7 * s, -0.7 * c, 0.0], [0.7 * c * speed, 0.7 * s * speed, 0.0]
    found = tree.constrained_dynamics(figure, q, v, np.zeros(3))
    close(found.acceleration, [0.7 * (c * a - s * speed**2), 0.7 * (s * a + c * speed**2), 0], 1e-11)
    tension = 1.3 * (G * c + 0.7 * speed**2)
    assert found.forces[0] == pytest.approx(-tension)
    rough, _ = tree.close_loops(figure, [0.5, -0.6, 0.3])
    assert np.hypot(*rough[:2]) == pytest.approx(0.7, abs=1e-11)


def test_a_slot_in_a_turning_arm_is_a_slider():
    block = {"mass": 0.6, "inertia": flat(0.01)}
    arm = {"mass": 1.0, "inertia": flat(0.05)}
    b = FigureBuilder()
    b.segment("arm", None, joints.revolute(Z), **arm)
    b.segment("block", None, joints.planar(), **block)
    b.close("slot", "arm", (0, 0.1, 0), "block", (0, 0, 0), rows="y")
    slotted = b.build()
    b = FigureBuilder()
    b.segment("arm", None, joints.revolute(Z), **arm)
    b.segment("cart", "arm", joints.prismatic((1, 0, 0)), placement=shifted(y=0.1))
    b.segment("block", "cart", joints.revolute(Z), **block)
    slider = b.build()
    q, v = np.array([0.6, 0.8, 0.2]), np.array([1.5, 0.4, -0.3])
    a = tree.forward_dynamics(slider, q, v, [0.7, 0.2, 0.1])
    moving = tree.motion(slider, q, v, a)
    p, twist, accelerate = moving.poses.position[2], moving.twists[2], moving.accelerations[2]
    R = moving.poses.rotation[0]
    q2, v2 = np.array([q[0], p[0], p[1], q[0] + q[2]]), np.array([v[0], *twist[3:5], twist[2]])
    # the same drives: a couple between arm and block, a force along the slot that presses back on the arm
    along = R @ [0.2, 0, 0]
    drive = [0.7 - 0.1 - np.cross(p, along)[2], *along[:2], 0.1]
    found = tree.constrained_dynamics(slotted, q2, v2, drive)
    close(found.acceleration, [a[0], *accelerate[3:5], accelerate[2]], 1e-10)


def test_a_weld_makes_one_body_of_two():
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    one, two = np.diag([0.02, 0.03, 0.04]), np.diag([0.05, 0.06, 0.03])
    b = FigureBuilder()
    b.segment("a", None, joints.free(), mass=1.0, inertia=one)
    b.segment("b", None, joints.free(), mass=2.0, inertia=two)
    b.close("glue", "a", (0.3, 0, 0), "b", (0, 0.2, 0), rows="weld", turn=turn)
    welded = b.build()
    b = FigureBuilder()
    b.segment("a", None, joints.free(), mass=1.0, inertia=one)
    offset = np.array([0.3, 0, 0]) - turn @ [0, 0.2, 0]
    b.segment("b", "a", joints.fixed(), placement=Transform(turn, offset), mass=2.0, inertia=two)
    solid = b.build()
    q = np.array([0.1, 0.2, 0.3, 0.8, 0.2, -0.4, 0.4])
    v, wrench = np.array([0.3, -1.0, 2.0, 0.5, 0.1, -0.2]), np.array([[0.1, 0.2, 0.3, 1.0, -2.0, 0.5], [0.0] * 6])
    R, p = tree.forward_kinematics(solid, q)
    q2 = np.concatenate([q, p[1], Transform(R[1], p[1]).quaternion])
    twist = tree.motion(solid, q, v).twists[1]
    v2 = np.concatenate([v, R[1].T @ twist[:3], R[1].T @ twist[3:]])
    found = tree.constrained_dynamics(welded, q2, v2, np.zeros(12), wrench)
    close(found.acceleration[:6], tree.forward_dynamics(solid, q, v, np.zeros(6), wrench), 1e-10)
    rough, moving = tree.close_loops(welded, q2 + 0.02, v2 + 0.1)
    value, J, _ = tree.constraint(welded, rough, moving)
    assert np.abs(value).max() <= 1e-12
    close(J @ moving, np.zeros(6), 1e-11)


# ---- V19: Andrews' squeezing mechanism ------------------------------------------------------------------------------


def andrews():
    """Seven bodies in a plane, three loops that meet in one point [Hairer96 VII.7, IVP test set]; angles as there."""
    mass = {1: 0.04325, 2: 0.00365, 3: 0.02373, 4: 0.00706, 5: 0.07050, 6: 0.00706, 7: 0.05498}
    moment = {1: 2.194e-6, 2: 4.410e-7, 3: 5.255e-6, 4: 5.667e-7, 5: 1.169e-5, 6: 5.667e-7, 7: 1.912e-5}
    A, B = shifted(-0.06934, -0.00227), shifted(-0.03635, 0.03273)
    b = FigureBuilder(gravity=(0, 0, 0), name="Andrews")

    def body(n, name, parent, place, com):
        joint = joints.revolute(Z, name=name)
        b.segment(f"K{n}", parent, joint, placement=place, mass=mass[n], com=(*com, 0), inertia=flat(moment[n]))

    body(1, "beta", None, shifted(), (0.00092, 0))
    body(2, "theta", "K1", shifted(0.007), (-0.0115, 0))
    body(3, "gamma", None, B, (0.01043, -0.01874))
    body(5, "delta", None, A, (0.02308, 0.00916))
    body(4, "phi", "K5", shifted(0.04), (0, -(0.02 - 0.01421)))
    body(7, "epsilon", None, A, (0.00449, -0.01228))
    body(6, "omega", "K7", shifted(0, -0.04), (0.02 - 0.01421, 0))
    b.close("K2-K3", "K2", (-0.028, 0, 0), "K3", (0, -0.035, 0), rows="xy")
    b.close("K2-K4", "K2", (-0.028, 0, 0), "K4", (0, -0.02, 0), rows="xy")
    b.close("K2-K6", "K2", (-0.028, 0, 0), "K6", (0.02, 0, 0), rows="xy")
    b.tag("spring", "K3", (0.02, -0.018, 0))
    return b.build(coordinates=("beta", "theta", "gamma", "phi", "delta", "omega", "epsilon"))


ANDREWS_START = np.array(
    [
        -0.0617138900142764496358948458001,
        0.0,
        0.455279819163070380255912382449,
        0.222668390165885884674473185609,
        0.487364979543842550225598953530,
        -0.222668390165885884674473185609,
        1.23054744454982119249735015568,
    ]
)
ANDREWS_END = np.array(
    [
        15.81077119629904,
        -15.75637105984298,
        0.04082224013073101,
        -0.5347301163226948,
        0.5244099658805304,
        0.5347301163226948,
        1.048080741042263,
    ]
)
ANDREWS_DRIVE = 0.033 * np.eye(7)[0]  # [N·m] on the first body


def andrews_spring(figure, q):
    """The spring from the third body to a point of the frame, as wrenches on the segments."""
    pull = tree.tags(figure, q)[0] - [0.014, 0.072, 0.0]
    length = np.linalg.norm(pull)
    force = -4530.0 * (length - 0.07785) / length * pull
    out = np.zeros((7, 6))
    arm = tree.tags(figure, q)[0] - [-0.03635, 0.03273, 0.0]
    out[figure.index("K3")] = np.concatenate([np.cross(arm, force), force])
    return out


def test_v19_andrews_mechanism_begins_as_published():
    figure = andrews()
    assert np.abs(tree.constraint(figure, ANDREWS_START, np.zeros(7)).value).max() <= 1e-16
    spring = andrews_spring(figure, ANDREWS_START)
    found = tree.constrained_dynamics(figure, ANDREWS_START, np.zeros(7), ANDREWS_DRIVE, spring)
    expected = [14222.4439199541138705911625887, -10666.8329399655854029433719415, 0, 0, 0, 0, 0]
    close(found.acceleration, expected, 1e-10)
    # multipliers of the published equations act on the whole loop constraints: ours are the forces at the pins,
    # the first pin's is (98.57, −6.12) N turned into the axes of the second body
    beta = ANDREWS_START[0] + ANDREWS_START[1]
    R = np.array([[np.cos(beta), -np.sin(beta)], [np.sin(beta), np.cos(beta)]])
    close(np.abs(R @ found.forces[:2]), [98.5668703962410896, 6.12268834425566265], 1e-10)
    close(found.forces[2:], np.zeros(4), 1e-9)


@pytest.mark.slow
def test_v19_andrews_mechanism():
    figure = andrews()
    rate = rate_of(figure, lambda t, q, v: ANDREWS_DRIVE, lambda t, q, v: andrews_spring(figure, q))
    # stretches of 1 ms, closed again after each: velocities of 1e3 rad/s let the loops drift
    y = np.concatenate([ANDREWS_START, np.zeros(7)])
    for t in np.arange(30) * 1e-3:
        run = solve_ivp(rate, (t, t + 1e-3), y, method="DOP853", rtol=1e-10, atol=1e-11)
        y = np.concatenate(tree.close_loops(figure, run.y[:7, -1], run.y[7:, -1], tolerance=1e-14))
    assert np.abs(y[:7] - ANDREWS_END).max() <= 1e-6


# ---- couplings -----------------------------------------------------------------------------------------------------


def test_a_pair_of_gears_has_the_inertia_of_both():
    ratio, i1, i2, armature, damping = -2.5, 0.03, 0.004, 0.002, 0.01
    b = FigureBuilder()
    b.segment("wheel", None, joints.revolute(Z, name="wheel"), mass=1.0, inertia=flat(i1))
    b.segment(
        "pinion",
        None,
        joints.revolute(Z, name="pinion"),
        placement=shifted(0.3),
        mass=0.2,
        com=(0, -0.02, 0),
        inertia=flat(i2),
        armature=armature,
        damping=damping,
    )
    b.couple("pinion", "wheel", linear(ratio, 0.4))
    figure = b.build()
    assert figure.coordinates == ("wheel",)
    assert (figure.nq, figure.nv) == (1, 1)
    inertia = i1 + ratio**2 * (i2 + 0.2 * 0.02**2 + armature)
    close(tree.inertia_matrix(figure, [0.3]), [[inertia]])
    angle = 0.4 + ratio * 0.3
    force = ratio * (0.2 * G * 0.02 * np.sin(angle) + damping * ratio * 1.5)
    close(tree.nonlinear_effects(figure, [0.3], [1.5]), [force])
    close(tree.forward_dynamics(figure, [0.3], [1.5], [0.7]), [(0.7 - force) / inertia])
    close(tree.inverse_dynamics(figure, [0.3], [1.5], [2.0]), [inertia * 2 + force])
    energy = tree.energy(figure, [0.3], [1.5])
    assert energy.kinetic == pytest.approx(0.5 * inertia * 1.5**2)
    close(tree.advance(figure, [0.3], [1.5], 0.1), [0.45])


KNEE = Spline([-2.1, -1.2, -0.4, 0.3], [0.0032, 0.0041, -0.005, 0.002])
HEIGHT = Polynomial((-0.4, 0.01, 0.02, -0.005))


def knees():
    """The same knee twice: as a function joint, and as an axes joint with coupled shifts."""
    turn, x, y = Axis("revolute", Z), Axis("prismatic", (1, 0, 0)), Axis("prismatic", (0, 1, 0))
    figures = []
    for coupled in (False, True):
        b = FigureBuilder()
        thigh = {"mass": 8.0, "com": (0, -0.17, 0), "inertia": np.diag([0.13, 0.03, 0.14])}
        b.segment("thigh", None, joints.cardan("zxy", names=("flexion", "adduction", "rotation")), **thigh)
        if coupled:
            knee = AxesJoint([x, y, turn], names=("knee_x", "knee_y", "knee"))
            b.couple("knee_x", "knee", KNEE)
            b.couple("knee_y", "knee", HEIGHT)
        else:
            knee = joints.function([(x, KNEE, "knee"), (y, HEIGHT, "knee"), (turn, linear(), "knee")])
        shank = {"mass": 3.7, "com": (0, -0.18, 0), "inertia": np.diag([0.05, 0.005, 0.051])}
        b.segment("shank", "thigh", knee, damping=[0, 0, 0.3] if coupled else 0.3, **shank)
        b.segment(
            "foot", "shank", joints.revolute(Z, name="ankle"), placement=shifted(0, -0.4, 0), mass=1.0, com=(0.1, 0, 0)
        )
        b.tag("toe", "foot", (0.2, -0.03, 0.01))
        figures.append(b.build())
    return figures


@pytest.mark.parametrize("knee", [-2.5, -1.7, -0.4, 0.1, 0.8])
def test_a_coupled_knee_is_a_function_joint(knee):
    plain, coupled = knees()
    assert plain.coordinates == coupled.coordinates
    rng = np.random.default_rng(2)
    q, v, a = rng.normal(size=(3, 5))
    q[3] = knee
    external = rng.normal(size=(3, 6))
    for name in ("forward_kinematics", "joint_axes", "tags", "tag_jacobians", "inertia_matrix", "centers_of_mass"):
        function = getattr(tree, name)
        one, other = function(plain, q), function(coupled, q)
        for x, y in zip(one, other, strict=True) if name == "forward_kinematics" else [(one, other)]:
            close(y, x)
    for name in ("nonlinear_effects", "tag_velocities", "tag_accelerations", "momentum", "energy"):
        close(getattr(tree, name)(coupled, q, v), getattr(tree, name)(plain, q, v))
    close(tree.motion(coupled, q, v, a).accelerations, tree.motion(plain, q, v, a).accelerations)
    close(tree.inverse_dynamics(coupled, q, v, a, external), tree.inverse_dynamics(plain, q, v, a, external))
    condition = np.linalg.cond(tree.inertia_matrix(plain, q))
    expected = tree.forward_dynamics(plain, q, v, a, external)
    close(tree.forward_dynamics(coupled, q, v, a, external), expected, 100 * np.finfo(float).eps * condition)
    close(tree.jacobian(coupled, q, "shank", (0.1, 0.2, 0.3)), tree.jacobian(plain, q, "shank", (0.1, 0.2, 0.3)))


def test_coupled_figures_in_batches_and_by_name():
    plain, coupled = knees()
    rng = np.random.default_rng(3)
    q, v, tau = rng.normal(size=(3, 4, 2, 5))
    close(tree.inertia_matrix(coupled, q), tree.inertia_matrix(plain, q))
    close(tree.energy(coupled, q, v[0, 0]).total, tree.energy(plain, q, v[0, 0]).total)
    close(tree.energy(coupled, q[0, 0], v).total, tree.energy(plain, q[0, 0], v).total)
    close(tree.forward_dynamics(coupled, q, v, tau), tree.forward_dynamics(plain, q, v, tau), 1e-10)
    assert coupled.configuration(knee=0.3, ankle=0.1).tolist() == [0, 0, 0, 0.3, 0.1]
    with pytest.raises(InputError, match="must not follow another"):
        coupled.configuration(knee_x=0.1)


def test_a_coupled_figure_with_a_loop():
    """A slider-crank whose slider is geared to a wheel, against the equation of the crank."""
    b = FigureBuilder(gravity=(0, 0, 0))
    b.segment("crank", None, joints.revolute(Z, name="crank"), mass=1.0, inertia=flat(0.02))
    b.segment("rod", "crank", joints.revolute(Z, name="rod"), placement=shifted(0.2), mass=0.5, com=(0.3, 0, 0))
    b.segment("slider", None, joints.prismatic((1, 0, 0), name="slider"), mass=0.8)
    b.segment("wheel", None, joints.revolute(Z, name="wheel"), placement=shifted(2.0), mass=0.1, inertia=flat(0.003))
    b.couple("wheel", "slider", linear(4.0))
    b.close("pin", "rod", (0.6, 0, 0), "slider", (0, 0, 0), rows="xy")
    figure = b.build()
    assert figure.coordinates == ("crank", "rod", "slider")

    def state(x, w):
        """Crank, rod from the crank, slider; the rod's angle from x is −arcsin(sin x/3)."""
        lean, turn = -np.arcsin(np.sin(x) / 3), -np.cos(x) / (3 * np.sqrt(1 - np.sin(x) ** 2 / 9))
        q = np.array([x, lean - x, 0.2 * np.cos(x) + 0.6 * np.cos(lean)])
        return q, w * np.array([1.0, turn - 1, -0.2 * np.sin(x) - 0.6 * np.sin(lean) * turn])

    def inertia(x):
        _, v = state(x, 1.0)
        lean, turn = -np.arcsin(np.sin(x) / 3), v[1] + 1
        middle = 0.2 * np.array([-np.sin(x), np.cos(x)]) + 0.3 * turn * np.array([-np.sin(lean), np.cos(lean)])
        return 0.02 + 0.5 * middle @ middle + (0.8 + 0.003 * 16) * v[2] ** 2

    x, w, h = 0.8, 2.0, 1e-2
    slope = sum(c * (inertia(x + k * h) - inertia(x - k * h)) for c, k in ((45, 1), (-9, 2), (1, 3))) / (60 * h)
    expected = (0.5 - slope * w**2 / 2) / inertia(x)
    q, v = state(x, w)
    assert tree.forward_dynamics(figure, q, v, [0.5, 0, 0])[0] == pytest.approx(expected, rel=1e-9)
    close(tree.constraint(figure, q, v).value, np.zeros(2))
