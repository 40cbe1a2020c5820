"""Contacts beside the tree: rows against differences, and rods, carts, feet and arms against formulas on paper.

Single evaluations are good to rounding: 1e-12 of the largest number, 1e-11 where a system of equations is solved.
Runs ask for rtol 1e-9 and are good to about a hundred times that.
"""

import numpy as np
import pytest

from motiform import FigureBuilder, Transform, joints
from motiform.base.errors import InputError
from motiform.geometry import surfaces as s
from motiform.motion import tree
from motiform.motion.run import Guard, RunOptions
from motiform.motion.tree.algorithms.closure_rows import contact_frames, contact_gap
from motiform.motion.tree.algorithms.closures import closure_forces
from motiform.motion.tree.algorithms.effort import effort
from motiform.motion.tree.algorithms.forward import loaded_dynamics
from motiform.motion.tree.algorithms.matrices import contact_wrench
from motiform.spatial import exp_rotation, quaternion_from_rotation
from runs import simulate_figure

G = 9.81
UP = Transform(exp_rotation(np.array([-np.pi / 2, 0, 0])), np.zeros(3))  # z of a surface along the world's y
ROUNDING, SOLVED, RUN = 1e-12, 1e-11, 1e-7
Z = np.array([0.0, 0.0, 1.0])
Y = np.array([0.0, 1.0, 0.0])


def near(found, expected, tolerance):
    expected = np.asarray(expected, float)
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * max(1.0, np.abs(expected).max(initial=0.0)))


def run(figure, duration, q, v=None, rtol=1e-9, **more):
    options = RunOptions(duration, rate=50.0, integrator="dormand-prince", rtol=rtol, atol=rtol * 1e-2)
    return simulate_figure(figure, options, q0=q, v0=v, **more)


def read(recording, name):
    return np.array(recording[name])


# ---- rows -----------------------------------------------------------------------------------------------------------
PAIRS = {
    "ball on plane": joints.contact(s.plane(), s.sphere(0.3)),
    "ball on plane, no spin": joints.contact(s.plane(), s.sphere(0.3), spin=False),
    "ball slides on plane": joints.contact(s.plane(), s.sphere(0.3), sliding=True),
    "egg on ball": joints.contact(s.sphere(1.0), s.ellipsoid((0.2, 0.3, 0.25))),
    "egg slides in bowl": joints.contact(s.sphere(1.0, inside=True), s.ellipsoid((0.2, 0.3, 0.25)), sliding=True),
    "egg on torus": joints.contact(s.torus(1.0, 0.3), s.ellipsoid((0.2, 0.15, 0.1))),
    "crossed cylinders": joints.contact(s.cylinder(0.5), s.cylinder(0.3)),
    "ball in tube": joints.contact(s.cylinder(1.0, inside=True), s.sphere(0.3)),
    "disk on plane": joints.contact(s.plane(), s.circle(0.3)),
    "disk on ball": joints.contact(s.sphere(1.0), s.circle(0.3), sliding=True),
    "cylinder on plane": joints.contact(s.plane(), s.cylinder(0.3)),
    "plane on cylinder": joints.contact(s.cylinder(0.3), s.plane(), spin=False),
    "plane slides on cylinder": joints.contact(s.cylinder(0.3), s.plane(), sliding=True),
    "cone on plane": joints.contact(s.plane(), s.cone(0.4), spin=False),
    "cone slides on plane": joints.contact(s.plane(), s.cone(0.4), sliding=True),
    "cylinder in tube": joints.contact(s.cylinder(0.5, inside=True), s.cylinder(0.3), sliding=True),
    "tube on cylinder": joints.contact(s.cylinder(0.3), s.cylinder(0.5, inside=True)),
    "cylinders side by side": joints.contact(s.cylinder(0.3), s.cylinder(0.5), line=True),
    "face on face": joints.contact(s.plane(), s.plane(), rolling=False, sliding=True),
}


def posed(joint):
    """The same contact with its surfaces somewhere in their bodies."""
    one = Transform(exp_rotation(np.array([0.3, -0.5, 0.2])), np.array([0.1, 0.2, -0.3]))
    two = Transform(exp_rotation(np.array([-0.4, 0.1, 0.6])), np.array([-0.2, 0.1, 0.05]))
    asked = {"rolling": joint.rolling, "spin": joint.spin, "sliding": joint.sliding, "line": joint.line}
    return joints.contact(*joint.surfaces, pose1=one, pose2=two, **asked)


def start_of(joint, rng):
    """A contact at which the surfaces bend away from each other; of a cone or cylinder, at the reference point."""

    def point(surface, first):
        if surface.kind == "cone":
            return np.array([np.sin(surface.half_angle), 0.0, np.cos(surface.half_angle)])
        x = rng.normal(size=3)
        flat = surface.kind == "plane" and not first
        return x * (1, 1, 0) if surface.kind == "cylinder" else 0.0 * x if flat else x

    for _ in range(500):
        try:
            yaw = 0.0 if joint.pair.both_lines else rng.uniform(-3, 3)
            normals = [rng.normal(size=3) if x.edge else None for x in joint.surfaces]
            p1, p2 = point(joint.surfaces[0], True), point(joint.surfaces[1], False)
            q = joint.configuration(p1, p2, yaw=yaw, normal1=normals[0], normal2=normals[1])
        except InputError:
            continue
        if joint.pair.contact != "point" or joint.relative_curvature(q)[0] > 0.5:
            return q
    raise AssertionError("no contact found")


BODY = {"mass": 1.3, "com": (0.02, -0.01, 0.03), "inertia": np.diag([0.02, 0.03, 0.025])}


def two_bodies(joint, carried):
    """Two bodies that touch: the second in the tree by the contact, or free and held by a closure alone."""
    b = FigureBuilder()
    b.segment("one", None, joints.free(), **BODY)
    b.segment("two", "one" if carried else None, joint if carried else joints.free(), **BODY)
    b.close_contact("touch", "one", "two", joint)
    return b.build()


@pytest.mark.parametrize("name", PAIRS)
def test_a_contact_that_the_tree_makes_is_a_closure_that_holds_nothing(name):
    joint, rng = posed(PAIRS[name]), np.random.default_rng(3)
    figure = two_bodies(joint, carried=True)
    q = figure.configuration(two=start_of(joint, rng), one=[0.1, -0.2, 0.3, 0.8, 0.2, -0.4, 0.4])
    v = rng.normal(size=figure.nv)
    value, J, bias = tree.constraint(figure, q, v)
    assert len(value) == 6 - joint.nv == len(figure.closures[0].rows)
    near(value, 0 * value, ROUNDING)
    near(J, 0 * J, ROUNDING)
    # velocity products are of the size of v² times the curvatures and lengths, here about ten
    near(bias, 0 * bias, 100 * ROUNDING)


@pytest.mark.parametrize("name", PAIRS)
def test_rows_against_differences_along_a_motion(name):
    joint, rng = posed(PAIRS[name]), np.random.default_rng(4)
    both, free = two_bodies(joint, carried=True), two_bodies(joint, carried=False)
    q0 = both.configuration(two=start_of(joint, rng), one=[0.1, -0.2, 0.3, 0.8, 0.2, -0.4, 0.4])
    v0 = rng.normal(size=both.nv)

    def freely(q):
        R, p = tree.forward_kinematics(both, q)
        return np.concatenate([np.r_[p[n], quaternion_from_rotation(R[n])] for n in (0, 1)])

    def velocity(q):
        R, twist = tree.forward_kinematics(both, q).rotation, tree.motion(both, q, v0).twists
        return np.concatenate([np.r_[R[n].T @ twist[n, :3], R[n].T @ twist[n, 3:]] for n in (0, 1)])

    v = velocity(q0)
    value, J, bias = tree.constraint(free, freely(q0), v)
    near(value, 0 * value, ROUNDING)
    near(J @ v, 0 * value, 10 * ROUNDING)
    # differences of sixth order: h⁶ f⁽⁷⁾/140 with derivatives that grow by 10 each, and ε/h
    h = 4e-3
    rate = 0.0
    for weight, k in ((45, 1), (-9, 2), (1, 3)):
        for side in (1, -1):
            at = freely(tree.advance(both, q0, v0, side * k * h))
            rate = rate + side * weight * tree.constraint(free, at, v).jacobian / (60 * h)
    near(bias, rate @ v, 1e-8)
    # and J a + dJ/dt v = 0 for the accelerations of the same motion
    change = sum(
        side * weight * velocity(tree.advance(both, q0, v0, side * k * h)) / (60 * h)
        for weight, k in ((45, 1), (-9, 2), (1, 3))
        for side in (1, -1)
    )
    near(J @ change + bias, 0 * value, 1e-8)


# ---- a rod on two balls ---------------------------------------------------------------------------------------------
RODS = {"even": (0.1, 0.1), "uneven": (0.1, 0.06)}
SPAN, ROD = 0.5, {"mass": 1.7, "inertia": np.diag([0.004, 0.05, 0.05])}


def rod_on_balls(radii, gravity=(0.0, -G, 0.0), com=(0.2, 0.01, -0.02)):
    """A rod along x with a ball at each end, the first at its origin; and its place, in contact at both."""
    first, second = (joints.contact(s.plane(), s.sphere(r), pose1=UP) for r in radii)
    b = FigureBuilder(gravity=gravity)
    b.segment("rod", None, first, com=com, **ROD)
    second = joints.contact(*second.surfaces, pose1=UP, pose2=Transform.translation_of((SPAN, 0, 0)))
    b.close_contact("second", None, "rod", second)
    lean = -np.arcsin((radii[0] - radii[1]) / SPAN)
    T = Transform(exp_rotation(np.array([0, 0, lean])), np.array([0.0, radii[0], 0.0]))
    return b.build(), first.touch(T), lean


def rod_by_multipliers(radii, R, w, load, com, gravity):
    """Newton–Euler of the rod, world axes, with the two balls' rolling conditions; acceleration of its origin."""
    m, I = ROD["mass"], R @ ROD["inertia"] @ R.T
    r = R @ com
    A, b = np.zeros((12, 12)), np.zeros(12)
    eye = np.eye(3)

    def skew(u):
        return np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])

    # unknowns: α, a (of the origin), the forces F1, F2 of the ground
    A[0:3, 0:3], A[0:3, 3:6] = -m * skew(r), m * eye  # m (a + α × r + ω × (ω × r)) = m g + F1 + F2 + load
    A[0:3, 6:9] = A[0:3, 9:12] = -eye
    b[0:3] = m * np.array(gravity) + load - m * np.cross(w, np.cross(w, r))
    A[3:6, 0:3] = I  # I α + ω × I ω = Σ (contact − com) × F + (−r) × load
    centres = [np.zeros(3), R @ [SPAN, 0, 0]]
    for n, (radius, d) in enumerate(zip(radii, centres, strict=True)):
        arm = d - radius * Y - r
        A[3:6, 6 + 3 * n : 9 + 3 * n] = -skew(arm)
        # a + α × d + ω × (ω × d) − radius α × y = 0: the point that touches is at rest and stays so
        A[6 + 3 * n : 9 + 3 * n, 3:6] = eye
        A[6 + 3 * n : 9 + 3 * n, 0:3] = -skew(d) + radius * skew(Y)
        b[6 + 3 * n : 9 + 3 * n] = -np.cross(w, np.cross(w, d))
    b[3:6] = -np.cross(w, I @ w) + np.cross(-r, load)
    x = np.linalg.lstsq(A, b, rcond=1e-10)[0]
    assert np.abs(A @ x - b).max() < 1e-11
    return x[:3], x[3:6], x[6:9], x[9:12]


@pytest.mark.parametrize("name", RODS)
def test_a_rod_on_two_balls_against_multipliers(name):
    radii, com, gravity = RODS[name], np.array([0.2, 0.01, -0.02]), (1.2, -9.0, 0.7)
    figure, q, _ = rod_on_balls(radii, gravity, com)
    R, p = tree.forward_kinematics(figure, q)
    points = [p[0] - radii[0] * Y, p[0] + R[0] @ [SPAN, 0, 0] - radii[1] * Y]
    near(np.array(points)[:, 1], [0, 0], ROUNDING)
    w = 3.0 * (points[1] - points[0]) / np.linalg.norm(points[1] - points[0])  # the line of rest
    v = np.linalg.solve(tree.jacobian(figure, q, "rod")[:3], w)
    near(tree.constraint(figure, q, v).jacobian @ v, np.zeros(3), ROUNDING)
    load = np.array([0.4, -2.0, 0.9])
    external = np.concatenate([np.zeros(3), load])[None]
    a = tree.forward_dynamics(figure, q, v, np.zeros(3), external)
    found = tree.motion(figure, q, v, a)
    turn, linear, first, second = rod_by_multipliers(radii, R[0], w, load, com, gravity)
    near(found.accelerations[0], np.concatenate([turn, linear]), 10 * SOLVED)
    # normal forces are unique; along the line of rest only the sum of the two is
    force = closure_forces(figure, q, v, np.zeros(3), external)["second"]
    assert force[2] == pytest.approx(second[1], abs=1e-10)
    _, loads = loaded_dynamics(figure, q, v, np.zeros(3), external)
    assert contact_wrench(figure, q, v, a, "rod", external=loads)[5] == pytest.approx(first[1], abs=1e-10)
    L = contact_frames(figure, q)["second"]
    near(L.translation, points[1], ROUNDING)
    whole = L.rotation @ force
    joint = figure.segments[0].joint
    tree_force = joint.frames(q)[0].rotation @ contact_wrench(figure, q, v, a, "rod", external=loads)[3:]
    near(whole + tree_force, first + second, 1e-10)


def test_an_even_rod_rolls_down_a_slope_like_a_cylinder():
    slope, radius = 0.3, 0.1
    # the slope falls along z, across the rod
    figure, q, _ = rod_on_balls((radius, radius), (0.0, -G * np.cos(slope), G * np.sin(slope)), (SPAN / 2, 0, 0))
    a = G * np.sin(slope) / (1 + ROD["inertia"][0, 0] / (ROD["mass"] * radius**2))
    done = run(figure, 0.6, q, watch=False)
    path = read(done, "rod.position")
    t = np.arange(len(path)) / 50.0
    near(path, path[0] + np.outer(a * t**2 / 2, Z), RUN)


def test_an_uneven_rod_rolls_in_a_circle_as_a_cone_does():
    radii = RODS["uneven"]
    figure, q, lean = rod_on_balls(radii, (0.0, -G, 0.0), (0.2, 0.0, 0.0))
    w = 5.0
    v = np.linalg.solve(tree.jacobian(figure, q, "rod")[:3], [w, 0, 0])
    apart = SPAN * np.cos(lean)
    out = apart * radii[0] / (radii[0] - radii[1])  # from the apex, where the axis meets the ground, to the big ball
    turn = w * radii[0] / out  # the ball's centre moves at w r along a circle of this radius
    path = read(run(figure, 0.5, q, v), "rod.position")
    angle = turn * np.arange(len(path)) / 50.0
    # ω along +x moves the centre (a height r above rest) along +z, about an apex at x = out
    expected = np.stack([out * (1 - np.cos(angle)), 0 * angle + radii[0], out * np.sin(angle)], axis=-1)
    near(path, expected, RUN)


# ---- a cart ---------------------------------------------------------------------------------------------------------
CHASSIS, WHEEL, SPIN, RADIUS, BASE, SLOPE = 3.0, 0.5, 0.004, 0.1, 0.6, 0.2
COM = np.array([-0.2, 0.15])  # of the chassis, from the front axle


def cart():
    b = FigureBuilder(gravity=(G * np.sin(SLOPE), -G * np.cos(SLOPE), 0))
    wheel = {"mass": WHEEL, "inertia": np.diag([SPIN / 2, SPIN / 2, SPIN])}
    roll = joints.contact(s.plane(), s.cylinder(RADIUS), pose1=UP, spin=False)
    b.segment("front", None, roll, **wheel)
    chassis = {"mass": CHASSIS, "com": (*COM, 0), "inertia": np.diag([0.1, 0.1, 0.2])}
    b.segment("chassis", "front", joints.revolute((0, 0, 1)), **chassis)
    behind = Transform.translation_of((-BASE, 0, 0))
    b.segment("rear", "chassis", joints.revolute((0, 0, 1)), placement=behind, **wheel)
    b.close_contact("road", None, "rear", roll)
    figure = b.build()
    return figure, figure.configuration(front=roll.configuration(p2=(0, -RADIUS, 0)))


def test_a_cart_rolls_down_a_slope():
    figure, q = cart()
    mass = CHASSIS + 2 * WHEEL
    a = mass * G * np.sin(SLOPE) / (mass + 2 * SPIN / RADIUS**2)
    found = tree.forward_dynamics(figure, q, np.zeros(3), np.zeros(3))
    near(found, a / RADIUS * np.array([-1, 1, -1]), SOLVED)
    # moments about the rear contact, and all normal forces together carry the weight
    x, y = BASE + COM[0], RADIUS + COM[1]
    down, along = G * np.cos(SLOPE), G * np.sin(SLOPE)
    rate = -CHASSIS * y * a - 2 * WHEEL * RADIUS * a - 2 * SPIN * a / RADIUS
    weight = -CHASSIS * (x * down + y * along) - WHEEL * BASE * down - 2 * WHEEL * RADIUS * along
    front = (rate - weight) / BASE
    rear = mass * down - front
    force = closure_forces(figure, q, np.zeros(3), np.zeros(3))["road"]
    assert figure.closures[0].rows[-1] == "vz"
    assert force[-1] == pytest.approx(rear, rel=SOLVED)
    # a wheel is turned by friction alone: I a/r = r T
    assert np.hypot(*force[-3:-1]) == pytest.approx(SPIN * a / RADIUS**2, rel=SOLVED)
    _, loads = loaded_dynamics(figure, q, np.zeros(3), np.zeros(3))
    assert contact_wrench(figure, q, np.zeros(3), found, "front", loads)[5] == pytest.approx(front, rel=SOLVED)
    done = run(figure, 2.0, q, watch=False)
    path = read(done, "chassis.position")
    near(read(done, "front.contact_force")[:, 2], np.full(len(path), front), RUN)
    t = np.arange(len(path)) / 50.0
    near(path, path[0] + np.outer(a * t**2 / 2, [1, 0, 0]), RUN)


# ---- a foot of three balls ------------------------------------------------------------------------------------------
HEEL, TOE = 0.03, 0.02
BALLS = {"heel": (0, HEEL, 0), "left": (0.2, TOE, -0.04), "right": (0.2, TOE, 0.04)}  # centres with the sole flat
FOOT = {"mass": 1.1, "com": (0.08, 0.05, 0), "inertia": np.diag([0.002, 0.004, 0.005])}


def ball_of_foot(name):
    return joints.contact(
        s.plane(), s.sphere(HEEL if name == "heel" else TOE), pose1=UP, pose2=Transform.translation_of(BALLS[name])
    )


def foot(first, *others):
    """The foot carried by one ball, other balls held to the ground too."""
    b = FigureBuilder()
    b.segment("foot", None, ball_of_foot(first), **FOOT)
    b.tag("ankle", "foot", (0.02, 0.08, 0))
    for name in others:
        b.close_contact(name, None, "foot", ball_of_foot(name))
    return b.build()


def gaps(figure, q, name):
    return contact_gap(figure, q, None, "foot", ball_of_foot(name))


def slip(figure, q, v, name):
    """Speed of the point of a ball that touches the ground."""
    R = tree.forward_kinematics(figure, q).rotation
    twist = tree.motion(figure, q, v).twists[0]
    arm = R[0] @ BALLS[name] - (HEEL if name == "heel" else TOE) * Y
    return np.linalg.norm(twist[3:] + np.cross(twist[:3], arm))


def rolled(centre, radius, point, x0, pitch):
    """Where a point of the foot is (x, y) when it has rolled on a ball from flat to a pitch about z."""
    c, n = np.cos(pitch), np.sin(pitch)
    d = np.asarray(point)[:2] - np.asarray(centre)[:2]
    turned = np.stack([c * d[0] - n * d[1], n * d[0] + c * d[1]], axis=-1)
    return turned + np.stack([x0 - radius * pitch, radius + 0 * pitch], axis=-1)


def pitch_of(R):
    return np.arctan2(R[..., 1, 0], R[..., 0, 0])


def test_a_foot_rolls_from_heel_to_toe():
    # heel strike: toes up by 0.4 rad, turning down
    on_heel = foot("heel")
    R = exp_rotation(np.array([0, 0, 0.4]))
    joint = on_heel.segments[0].joint
    q = joint.touch(Transform(R, np.array([0, HEEL, 0]) - R @ BALLS["heel"]))
    v = np.linalg.solve(tree.jacobian(on_heel, q, "foot")[:3], [0, 0, -1.0])
    landed = []

    def land(t, state):
        landed.append(state)
        return state

    down = Guard("toes land", lambda t, state: float(gaps(on_heel, state.q, "left")), "down", then=land, ends=True)
    first = run(on_heel, 1.0, q, v, guards=[down])
    assert [event.name for event in first.events] == ["toes land"]
    qs = read(first, "q")
    Rs = tree.forward_kinematics(on_heel, qs).rotation[:, 0]
    ankle = tree.tags(on_heel, qs)[:, 0]
    # rolling without slip: the path is a formula of the pitch; x is zero under the heel's centre at the start
    x0 = HEEL * 0.4
    near(ankle[:, :2], rolled(BALLS["heel"], HEEL, (0.02, 0.08), x0, pitch_of(Rs)), RUN)
    assert (gaps(on_heel, qs, "left") > 0).all()

    # flat: three balls on the ground leave no freedom, and rows that say the same twice do no harm
    q1 = landed[-1].q
    flat = foot("heel", "left", "right")
    q2, _ = tree.close_loops(flat, q1)
    near(tree.tags(flat, q2), tree.tags(on_heel, q1), RUN)
    assert abs(pitch_of(tree.forward_kinematics(flat, q2).rotation[0])) < RUN
    J = tree.constraint(flat, q2, np.zeros(3)).jacobian
    assert J.shape == (6, 3)
    assert np.linalg.matrix_rank(J, tol=1e-9) == 3
    near(tree.forward_dynamics(flat, q2, np.zeros(3), np.zeros(3)), np.zeros(3), 100 * ROUNDING)
    force = closure_forces(flat, q2, np.zeros(3), np.zeros(3))
    on_toes = FOOT["mass"] * G * 0.08 / 0.2  # moments about the heel
    assert force["left"][2] == pytest.approx(on_toes / 2, rel=1e-9)
    assert force["right"][2] == pytest.approx(on_toes / 2, rel=1e-9)

    # push-off: about the two toe balls, one in the tree and one beside it
    toes = foot("left", "right")
    R2, p2 = tree.forward_kinematics(flat, q2)
    q3 = toes.segments[0].joint.touch(Transform(R2[0], p2[0]))
    near(tree.tags(toes, q3), tree.tags(flat, q2), ROUNDING)
    v3 = np.linalg.solve(tree.jacobian(toes, q3, "foot")[:3], [0, 0, -8.0])
    lifted = run(toes, 0.1, q3, v3, watch=False)
    qs, vs = read(lifted, "q"), read(lifted, "v")
    pitch = pitch_of(tree.forward_kinematics(toes, qs).rotation[:, 0])
    assert pitch[-1] < -0.2
    assert (gaps(toes, qs[1:], "heel") > 0).all()
    for name in ("left", "right"):
        # samples lie between steps, on the dense output, and are repaired there: gaps and slips are rounding
        near(gaps(toes, qs, name), np.zeros(len(qs)), ROUNDING)
        near([slip(toes, *state, name) for state in zip(qs, vs, strict=True)], np.zeros(len(qs)), 10 * ROUNDING)
    start = (R2[0] @ BALLS["left"] + p2[0])[0]
    path = rolled(BALLS["left"], TOE, (0.02, 0.08), start, pitch)
    near(tree.tags(toes, qs)[:, 0, :2], path, RUN)
    energy = read(lifted, "energy")
    near(energy - energy[0], 0 * energy, RUN)


# ---- an arm that rolls a ball ---------------------------------------------------------------------------------------
UPPER, LOWER, HAND, BALL = 0.35, 0.3, 0.04, 0.15
SHOULDER = np.array([0.0, 0.5])
M1, M2, MB, I1, I2, IB = 1.2, 0.9, 2.0, 0.02, 0.012, 0.018
C1, C2 = 0.15, 0.17  # centres of mass along the segments


def arm_and_ball():
    b = FigureBuilder()
    b.segment("ball", None, joints.contact(s.plane(), s.sphere(BALL), pose1=UP), mass=MB, inertia=IB * np.eye(3))
    at = Transform.translation_of((*SHOULDER, 0))
    upper = {"mass": M1, "com": (C1, 0, 0), "inertia": np.diag([I1 / 2, I1 / 2, I1])}
    lower = {"mass": M2, "com": (C2, 0, 0), "inertia": np.diag([I2 / 2, I2 / 2, I2])}
    b.segment("upper", None, joints.revolute((0, 0, 1), name="shoulder"), placement=at, **upper)
    elbow = Transform.translation_of((UPPER, 0, 0))
    b.segment("lower", "upper", joints.revolute((0, 0, 1), name="elbow"), placement=elbow, **lower)
    hand = Transform.translation_of((LOWER, 0, 0))
    b.close_contact("hand", "ball", "lower", joints.contact(s.sphere(BALL), s.sphere(HAND), pose2=hand))
    return b.build()


def arm_state(x, beta, wb, ab):
    """Angles, rates and accelerations of arm and ball in the plane, as complex numbers, from those of the ball.

    The ball's centre is at x; the hand touches it in the direction beta; it turns at wb, faster by ab.
    """
    n = np.exp(1j * beta)
    c = x + 1j * BALL
    h = c + (BALL + HAND) * n
    d = h - complex(*SHOULDER)
    bend = np.arccos((abs(d) ** 2 - UPPER**2 - LOWER**2) / (2 * UPPER * LOWER))
    t1 = np.angle(d) - np.angle(UPPER + LOWER * np.exp(1j * bend))
    t2 = t1 + bend
    e1, e2 = UPPER * 1j * np.exp(1j * t1), LOWER * 1j * np.exp(1j * t2)

    def rates(right):
        """Solve w1 e1 + w2 (e2 − i HAND n) = right for real w1, w2."""
        k = e2 - 1j * HAND * n
        return np.linalg.solve([[e1.real, k.real], [e1.imag, k.imag]], [right.real, right.imag])

    vc = -BALL * wb
    w1, w2 = rates(vc + 1j * wb * BALL * n)  # the points that touch move alike
    vh = w1 * e1 + w2 * e2
    turn = ((vh - vc) / (1j * n)).real / (BALL + HAND)  # of the line of centres
    dn = 1j * turn * n
    ac = -BALL * ab
    # ah − i α2 HAND n − i ω2 HAND ṅ = ac + i αb BALL n + i ωb BALL ṅ, ah with its centripetal parts
    central = 1j * (w1**2 * e1 + w2**2 * e2)
    a1, a2 = rates(ac + 1j * ab * BALL * n + 1j * wb * BALL * dn + 1j * w2 * HAND * dn - central)
    return (t1, t2), (w1, w2), (a1, a2), (n, c, ac)


def planar_forces(angles, rates, accelerations, ball, ab, actuated):
    """Newton–Euler of three bodies in the plane: moments of the arm, the force of ball on hand, of ground on ball."""
    (t1, t2), (w1, w2), (a1, a2), (n, c, ac) = angles, rates, accelerations, ball
    u1, u2 = np.exp(1j * t1), np.exp(1j * t2)
    s0 = complex(*SHOULDER)
    elbow = s0 + UPPER * u1
    ae = UPPER * (1j * a1 - w1**2) * u1
    acc1, acc2 = C1 * (1j * a1 - w1**2) * u1, ae + C2 * (1j * a2 - w2**2) * u2
    g = -1j * G
    touch = c + BALL * n

    def moment(at, about):
        """Coefficients of the moment of a force (fx, fy) at a point about another."""
        r = at - about
        return [-r.imag, r.real]

    # unknowns: shoulder (2), elbow (2), hand (2), ground (2), tau1, tau2; elbow acts on the forearm
    A, b = np.zeros((9, 10)), np.zeros(9)
    com1, com2 = s0 + C1 * u1, elbow + C2 * u2
    for row, force in enumerate((M1 * (acc1 - g), M2 * (acc2 - g), MB * (ac - g))):
        b[2 * row], b[2 * row + 1] = force.real, force.imag
    for k in range(2):
        A[k, k], A[k, 2 + k] = 1, -1
        A[2 + k, 2 + k], A[2 + k, 4 + k] = 1, 1
        A[4 + k, 4 + k], A[4 + k, 6 + k] = -1, 1
    A[6, 0:2], A[6, 2:4] = moment(s0, com1), -np.array(moment(elbow, com1))
    A[7, 2:4], A[7, 4:6] = moment(elbow, com2), moment(touch, com2)
    A[8, 4:6], A[8, 6:8] = -np.array(moment(touch, c)), moment(c - 1j * BALL, c)
    A[6, 8], A[6, 9], A[7, 9] = 1, -1, 1
    b[6:] = I1 * a1, I2 * a2, IB * ab
    # the smallest moments: of all solutions x0 + N k, those whose last two numbers are least
    use = [*range(8), *(8 + k for k in actuated)]
    x0 = np.linalg.lstsq(A[:, use], b, rcond=1e-12)[0]
    assert np.abs(A[:, use] @ x0 - b).max() < 1e-11
    _, size, V = np.linalg.svd(A[:, use])
    N = V[(size > 1e-10).sum() :].T
    x = x0 - N @ np.linalg.lstsq(N[8:], x0[8:], rcond=1e-12)[0] if N.size else x0
    return x[8:], x[4:6], x[6:8]


@pytest.mark.parametrize("actuated", [(0, 1), (0,), (1,)], ids=["both", "shoulder", "elbow"])
def test_an_arm_that_rolls_a_ball(actuated):
    figure, names = arm_and_ball(), ["shoulder", "elbow"]
    x, beta, wb, ab = 0.3, 2.2, -1.5, 2.5
    angles, rates, accelerations, ball = arm_state(x, beta, wb, ab)
    roll = figure.segments[0].joint
    q = figure.configuration(
        ball=roll.touch(Transform.translation_of((x, BALL, 0))), shoulder=angles[0], elbow=angles[1] - angles[0]
    )
    axes = tree.jacobian(figure, q, "ball")[:3, :3]  # the axes of the contact frame stay: it rolls on a plane
    v = np.concatenate([np.linalg.solve(axes, wb * Z), [rates[0], rates[1] - rates[0]]])
    a = np.concatenate([np.linalg.solve(axes, ab * Z), [accelerations[0], accelerations[1] - accelerations[0]]])
    value, J, bias = tree.constraint(figure, q, v)
    near(value, np.zeros(3), ROUNDING)
    near(J @ v, np.zeros(3), 10 * ROUNDING)
    near(J @ a + bias, np.zeros(3), 10 * SOLVED)
    tau, hand, ground = planar_forces(angles, rates, accelerations, ball, ab, actuated)
    found = effort(figure, q, v, a, [names[k] for k in actuated])
    near(found.tau, tau, 10 * SOLVED)
    L = contact_frames(figure, q)["hand"].rotation
    near((L @ found.forces)[:2], hand, 10 * SOLVED)
    near(found.residual, np.zeros(5), 10 * SOLVED)
    # the motion comes back, and the contact of the ball with the ground carries what the plane figure says
    whole = np.zeros(5)
    whole[[3 + k for k in actuated]] = found.tau
    near(tree.forward_dynamics(figure, q, v, whole), a, 100 * SOLVED)
    back, loads = loaded_dynamics(figure, q, v, whole)
    force = contact_wrench(figure, q, v, back, "ball", loads)[3:]
    own = q[figure.coordinate_slices("ball")[0]]
    near((roll.frames(own)[0].rotation @ force)[:2], ground, 100 * SOLVED)
