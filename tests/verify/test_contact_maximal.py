"""Contact joints against an independent formulation: free bodies held together by multipliers.

Each body has six velocities of its own (angular and linear at its centre of mass, world axes). Rows say that pins stay
together and that the points of two surfaces that touch have one velocity, or one velocity along the normal; M a = f +
Jᵀ λ and J a + dJ/dt v = 0 are solved at once. Surfaces are known here by their support functions: the point whose
outward normal is a given direction. Nothing of motiform but poses and velocities at the start is used.
"""

from dataclasses import dataclass, field

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from motiform import FigureBuilder, Transform, forward_dynamics, inverse_dynamics, joints, simulate
from motiform.geometry import surfaces as s
from motiform.motion import tree
from motiform.motion.tree.algorithms.matrices import contact_wrench
from motiform.spatial import exp_rotation, random_rotation, rotation_from_quaternion

G = np.array([0.0, -9.81, 0.0])


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


# ---- surfaces by their support: the point for an outward normal m, and its derivative with m ------------------------
@dataclass
class Ellipsoid:
    half: tuple

    def point(self, m):
        b = np.square(self.half) * m
        return b / np.sqrt(m @ b)

    def slope(self, m):
        B = np.diag(np.square(self.half))
        size = np.sqrt(m @ B @ m)
        return B / size - np.outer(B @ m, B @ m) / size**3


@dataclass
class Rim:
    radius: float

    def point(self, m):
        return self.radius * np.array([m[0], m[1], 0.0]) / np.hypot(m[0], m[1])

    def slope(self, m):
        e = np.array([-m[1], m[0], 0.0]) / np.hypot(m[0], m[1])
        return self.radius * np.outer(e, e) / np.hypot(m[0], m[1])


class Hollow:
    """The inside of a sphere: the point that presses outward at the far side, seen from its centre."""

    def __init__(self, radius):
        self.radius = radius

    def point(self, m):
        return -self.radius * m

    def slope(self, m):
        return -self.radius * (np.eye(3) - np.outer(m, m))


class Flat:
    """The plane z = 0 of its body: the normal is the body's own."""


@dataclass
class Body:
    mass: float
    inertia: np.ndarray
    """About the centre of mass, the body's axes."""
    com: np.ndarray
    """In the frame of the body."""


@dataclass
class Pin:
    """A point of a and one of b stay together; with an axis (given in a and b alike) b turns about it alone."""

    a: int
    b: int
    at_a: np.ndarray
    at_b: np.ndarray
    axis: np.ndarray | None = None


@dataclass
class Touch:
    """Body b touches body a (None: the world), by surfaces with poses in their bodies."""

    a: int | None
    b: int
    one: object
    two: object
    pose1: tuple = (np.eye(3), np.zeros(3))
    pose2: tuple = (np.eye(3), np.zeros(3))
    slides: bool = False
    spins: bool = True


@dataclass
class Scene:
    bodies: list[Body]
    pins: list[Pin] = field(default_factory=list)
    touches: list[Touch] = field(default_factory=list)
    gravity: np.ndarray = field(default_factory=lambda: G)

    def split(self, y):
        """Axes, centres of mass, angular and linear velocities of the bodies."""
        n = len(self.bodies)
        return (
            y[: 9 * n].reshape(n, 3, 3),
            y[9 * n : 12 * n].reshape(n, 3),
            y[12 * n : 15 * n].reshape(n, 3),
            y[15 * n :].reshape(n, 3),
        )

    def place(self, body, point, R, x):
        """World position of a point given in a body's frame, and its arm from the centre of mass."""
        if body is None:
            return point, None
        arm = R[body] @ (point - self.bodies[body].com)
        return x[body] + arm, arm

    def normal(self, touch, R, x):
        """Outward normal of surface 1 at the contact, in the world: Newton on the two supports meeting."""
        R1 = touch.pose1[0] if touch.a is None else R[touch.a] @ touch.pose1[0]
        R2 = R[touch.b] @ touch.pose2[0]
        if isinstance(touch.one, Flat):
            return R1[:, 2], R1, R2
        o1 = self.place(touch.a, touch.pose1[1], R, x)[0]
        o2 = self.place(touch.b, touch.pose2[1], R, x)[0]
        n = (o2 - o1) * (-1 if isinstance(touch.one, Hollow) else 1)
        n = n / np.linalg.norm(n)
        for _ in range(50):
            miss = o1 + R1 @ touch.one.point(R1.T @ n) - o2 - R2 @ touch.two.point(-R2.T @ n)
            A = R1 @ touch.one.slope(R1.T @ n) @ R1.T + R2 @ touch.two.slope(-R2.T @ n) @ R2.T
            along = n * (n @ miss)  # what is left along n is the gap
            step = np.linalg.solve(A + np.outer(n, n), miss - along)
            n = n - (step - n * (n @ step))
            n = n / np.linalg.norm(n)
            if np.abs(step).max() < 1e-15:
                break
        return n, R1, R2

    def rows(self, y):
        """J, and dJ/dt v, of all rows."""
        R, x, w, v = self.split(y)
        J, bias = [], []

        def add(parts, b):
            row = np.zeros((len(b), 6 * len(self.bodies)))
            for body, angular, linear in parts:
                if body is not None:
                    row[:, 6 * body : 6 * body + 3] += angular
                    row[:, 6 * body + 3 : 6 * body + 6] += linear
            J.append(row)
            bias.append(b)

        for pin in self.pins:
            ra, rb = (self.place(n, p, R, x)[1] for n, p in ((pin.a, pin.at_a), (pin.b, pin.at_b)))
            b = np.cross(w[pin.b], np.cross(w[pin.b], rb)) - np.cross(w[pin.a], np.cross(w[pin.a], ra))
            add([(pin.b, -skew(rb), np.eye(3)), (pin.a, skew(ra), -np.eye(3))], b)
            if pin.axis is not None:
                axis = R[pin.a] @ pin.axis
                across = np.linalg.svd(axis[None])[2][1:]
                # ωb − ωa has no part across the axis, which turns with a
                relative = w[pin.b] - w[pin.a]
                turning = np.cross(w[pin.a], across)
                add([(pin.b, across, 0), (pin.a, -across, 0)], turning @ relative)
        for touch in self.touches:
            self._touch_rows(touch, R, x, w, v, add)
        return np.concatenate(J), np.concatenate(bias)

    def _touch_rows(self, touch, R, x, w, v, add):
        n, R1, R2 = self.normal(touch, R, x)
        c = self.place(touch.b, touch.pose2[0] @ touch.two.point(-R2.T @ n) + touch.pose2[1], R, x)[0]
        zero = np.zeros(3)
        wa, va, ra = (zero, zero, zero) if touch.a is None else (w[touch.a], v[touch.a], c - x[touch.a])
        wb, vb, rb = w[touch.b], v[touch.b], c - x[touch.b]
        slip = vb + np.cross(wb, rb) - va - np.cross(wa, ra)
        M2 = R2 @ touch.two.slope(-R2.T @ n) @ R2.T
        # the contact point moves in body a by u1 = M1 (ṅ − ωa × n), in b by u2 = −M2 (ṅ − ωb × n), u1 = u2 + slip
        if isinstance(touch.one, Flat):
            dn = np.cross(wa, n)
        else:
            M1 = R1 @ touch.one.slope(R1.T @ n) @ R1.T
            right = slip + M1 @ np.cross(wa, n) + M2 @ np.cross(wb, n)
            dn = np.linalg.solve(M1 + M2 + np.outer(n, n), right - n * (n @ right))
            dn = dn - n * (n @ dn)
        dc = vb + np.cross(wb, rb) - M2 @ (dn - np.cross(wb, n))
        bias = np.cross(wb, dc - vb) - np.cross(wa, dc - va)
        parts = [(touch.b, -skew(rb), np.eye(3)), (touch.a, skew(ra), -np.eye(3))]
        if touch.slides:
            add([(k, (n @ P)[None], (n @ Q)[None]) for k, P, Q in parts], np.array([n @ bias + dn @ slip]))
        else:
            add(parts, bias)
        if not touch.spins:
            add([(touch.b, n[None], 0), (touch.a, -n[None], 0)], np.array([dn @ (wb - wa)]))

    def solve(self, y, loads=None):
        """Accelerations of all bodies, (bodies, 6), and multipliers."""
        R, _, w, _ = self.split(y)
        n = len(self.bodies)
        mass, f = np.zeros((6 * n, 6 * n)), np.zeros(6 * n)
        for k, body in enumerate(self.bodies):
            I = R[k] @ body.inertia @ R[k].T
            mass[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = I
            mass[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = body.mass * np.eye(3)
            f[6 * k : 6 * k + 3] = -np.cross(w[k], I @ w[k])
            f[6 * k + 3 : 6 * k + 6] = body.mass * self.gravity
        if loads is not None:
            f += loads.ravel()
        J, bias = self.rows(y)
        m = len(J)
        A = np.block([[mass, -J.T], [J, np.zeros((m, m))]])
        found = np.linalg.solve(A, np.concatenate([f, -bias]))
        return found[: 6 * n].reshape(n, 6), found[6 * n :]

    def rate(self, t, y):
        R, _, w, v = self.split(y)
        a, _ = self.solve(y)
        return np.concatenate([*(skew(w[k]) @ R[k] for k in range(len(R))), v, a[:, :3], a[:, 3:]], axis=None)


# ---- the same scenes as figures ------------------------------------------------------------------------------------
def some_inertia(rng, scale):
    R, moments = random_rotation(rng), scale * rng.uniform(0.8, 1.2, 3)
    return R @ np.diag(moments) @ R.T


def chain(one, two, support1, support2, **options):
    """Two links; the first stands on something fixed by its foot, the second hangs on it by a hinge."""
    rng = np.random.default_rng(3)
    pose2 = Transform(random_rotation(rng), np.array([0.02, -0.3, 0.01]))
    joint = joints.contact(one, two, pose2=pose2, **options)
    axis = np.array([0.3, -0.2, 0.9]) / np.linalg.norm([0.3, -0.2, 0.9])
    bodies = [Body(1.4, some_inertia(rng, 0.03), np.array([0.02, -0.05, 0.01]))]
    bodies.append(Body(0.9, some_inertia(rng, 0.02), np.array([-0.03, 0.2, 0.04])))
    b = FigureBuilder()
    first, second = bodies
    b.segment("lower", None, joint, mass=first.mass, com=first.com, inertia=first.inertia)
    at = np.array([0.05, 0.25, -0.02])
    b.segment(
        "upper", "lower", joints.revolute(axis), placement=Transform.translation_of(at),
        mass=second.mass, com=second.com, inertia=second.inertia,
    )  # fmt: skip
    touch = Touch(
        None, 0, support1, support2, pose2=(pose2.rotation, pose2.translation),
        slides=joint.sliding, spins=joint.spin,
    )  # fmt: skip
    return b.build(), "lower", Scene(bodies, [Pin(0, 1, at, np.zeros(3), axis)], [touch])


def ball_foot(**options):
    return chain(s.sphere(0.8), s.sphere(0.1), Ellipsoid((0.8,) * 3), Ellipsoid((0.1,) * 3), **options)


def ellipsoid_foot(**options):
    half = (0.12, 0.08, 0.1)
    return chain(s.sphere(0.8), s.ellipsoid(half), Ellipsoid((0.8,) * 3), Ellipsoid(half), **options)


def ellipsoid_in_bowl(**options):
    half = (0.12, 0.08, 0.1)
    return chain(s.sphere(1.5, inside=True), s.ellipsoid(half), Hollow(1.5), Ellipsoid(half), **options)


def disk_with_pendulum(**options):
    """A disk rolls on its rim on a tilted plane; a pendulum hangs on its axle, a little aside."""
    rng = np.random.default_rng(4)
    plane = Transform(exp_rotation(np.array([-np.pi / 2 + 0.1, 0.05, 0.0])), np.array([0.1, 0.2, 0.3]))
    joint = joints.contact(s.plane(), s.circle(0.3), pose1=plane, **options)
    bodies = [Body(1.0, np.diag([0.0225, 0.0225, 0.045]), np.array([0.01, 0.0, 0.005]))]
    bodies.append(Body(0.5, some_inertia(rng, 0.004), np.array([0.02, -0.15, 0.01])))
    b = FigureBuilder()
    disk, bob = bodies
    b.segment("disk", None, joint, mass=disk.mass, com=disk.com, inertia=disk.inertia)
    at = np.array([0.0, 0.0, 0.04])
    b.segment(
        "bob", "disk", joints.revolute((0, 0, 1)), placement=Transform.translation_of(at),
        mass=bob.mass, com=bob.com, inertia=bob.inertia,
    )  # fmt: skip
    touch = Touch(
        None, 0, Flat(), Rim(0.3), pose1=(plane.rotation, plane.translation), slides=joint.sliding, spins=joint.spin
    )
    return b.build(), "disk", Scene(bodies, [Pin(0, 1, at, np.zeros(3), np.array([0.0, 0, 1]))], [touch])


def two_stones(**options):
    """Two ellipsoids afloat that roll on each other: the one that carries moves too."""
    rng = np.random.default_rng(5)
    half1, half2 = (0.3, 0.5, 0.4), (0.2, 0.15, 0.25)
    pose1 = Transform(random_rotation(rng), np.array([0.05, 0.02, -0.03]))
    pose2 = Transform(random_rotation(rng), np.array([-0.01, 0.03, 0.02]))
    joint = joints.contact(s.ellipsoid(half1), s.ellipsoid(half2), pose1=pose1, pose2=pose2, **options)
    bodies = [
        Body(2.0, some_inertia(rng, 0.15), np.array([0.03, 0.0, 0.02])),
        Body(0.7, some_inertia(rng, 0.01), np.array([0.01, -0.02, 0.0])),
    ]
    b = FigureBuilder()
    one, two = bodies
    b.segment("big", None, joints.free(), mass=one.mass, com=one.com, inertia=one.inertia)
    b.segment("small", "big", joint, mass=two.mass, com=two.com, inertia=two.inertia)
    touch = Touch(
        0, 1, Ellipsoid(half1), Ellipsoid(half2), (pose1.rotation, pose1.translation),
        (pose2.rotation, pose2.translation), joint.sliding, joint.spin,
    )  # fmt: skip
    return b.build(), "small", Scene(bodies, [], [touch])


SCENES = {
    "ball foot": (ball_foot, {}),
    "ball foot without spin": (ball_foot, {"spin": False}),
    "ball foot that slides": (ball_foot, {"sliding": True}),
    "ellipsoid foot": (ellipsoid_foot, {}),
    "ellipsoid foot, other gauge": (ellipsoid_foot, {"gauge": 1.0}),
    "ellipsoid foot without spin": (ellipsoid_foot, {"spin": False}),
    "ellipsoid foot that slides": (ellipsoid_foot, {"sliding": True, "gauge": 0.3}),
    "ellipsoid foot in a bowl": (ellipsoid_in_bowl, {}),
    "disk with a pendulum": (disk_with_pendulum, {}),
    "disk without spin": (disk_with_pendulum, {"spin": False}),
    "disk that slides": (disk_with_pendulum, {"sliding": True}),
    "two stones": (two_stones, {}),
    "two stones without spin": (two_stones, {"spin": False, "gauge": 0.5}),
    "two stones that slide": (two_stones, {"sliding": True}),
}


def random_state(figure, rng, speed=1.0):
    """Any contact, turned any way; joints and velocities of about one."""
    q = np.zeros(figure.nq)
    for n, segment in enumerate(figure.segments):
        joint = segment.joint
        if isinstance(joint, joints.ContactJoint):
            one = joint.surfaces[0].kind
            p1 = rng.normal(size=3) * (1, 1, 0) if one == "plane" else rng.normal(size=3)
            p2 = rng.normal(size=3)
            edge = None
            if joint.surfaces[1].kind == "circle":  # its normal lies between outward and along the axis
                edge = p2 * (1, 1, 0) / np.hypot(p2[0], p2[1]) + np.array([0, 0, rng.uniform(-1.5, 1.5)])
            own = joint.configuration(p1, p2, yaw=rng.uniform(-3, 3), normal2=edge)
        else:
            own = joint.neutral() + rng.normal(size=joint.nq)
            own = joint.repair(own)
        q[figure.layout.q[n]] = own
    return q, speed * rng.normal(size=figure.nv)


def maximal(figure, scene, q, v):
    """The state of the free bodies."""
    moving = tree.motion(figure, q, v)
    R, p, w, u = moving.poses.rotation, moving.poses.position, moving.twists[:, :3], moving.twists[:, 3:]
    arms = np.array([R[k] @ body.com for k, body in enumerate(scene.bodies)])
    return np.concatenate([R, p + arms, w, u + np.cross(w, arms)], axis=None)


@pytest.mark.parametrize("name", SCENES)
def test_accelerations_and_contact_forces_at_random_states(name):
    make, options = SCENES[name]
    figure, segment, scene = make(**options)
    n = figure.index(segment)
    joint = figure.segments[n].joint
    rng = np.random.default_rng(11)
    for _ in range(12):
        q, v = random_state(figure, rng)
        y = maximal(figure, scene, q, v)
        J, _ = scene.rows(y)
        speeds = np.concatenate(scene.split(y)[2:], axis=1).ravel()
        # velocities of the joints keep the rows: rounding of numbers of a few metres per second
        assert np.abs(J @ speeds).max() < 1e-13 * max(10.0, np.abs(speeds).max())
        tau = np.zeros(figure.nv)
        a = forward_dynamics(figure, q, v, tau)
        moving = tree.motion(figure, q, v, a)
        found = moving.accelerations
        R, w = moving.poses.rotation, moving.twists[:, :3]
        arms = np.array([R[k] @ body.com for k, body in enumerate(scene.bodies)])
        at_com = found[:, 3:] + np.cross(found[:, :3], arms) + np.cross(w, np.cross(w, arms))
        expected, multipliers = scene.solve(y)
        size = max(1.0, np.abs(expected).max())
        # rounding times the condition of the system of multipliers, about 1e3
        assert np.abs(found[:, :3] - expected[:, :3]).max() < 1e-12 * size
        assert np.abs(at_com - expected[:, 3:]).max() < 1e-12 * size
        # the force of the contact, in the world
        wrench = contact_wrench(figure, q, v, a, segment)
        L = R[n] @ joint.frames(q[figure.layout.q[n]])[1].rotation
        normal = scene.normal(scene.touches[0], *scene.split(y)[:2])[0]
        assert np.abs(L[:, 2] - normal).max() < 1e-12
        mine = multipliers[sum(3 + 2 * (pin.axis is not None) for pin in scene.pins) :]
        force = mine[0] * normal if joint.sliding else mine[:3]
        most = max(1.0, np.abs(multipliers).max())
        assert np.abs(L @ wrench[3:] - force).max() < 1e-11 * most
        moment = np.zeros(3) if joint.spin else mine[-1] * normal
        assert np.abs(L @ wrench[:3] - moment).max() < 1e-11 * most
        # and back: the motion that the multipliers give needs no force of the free velocities
        assert np.abs(inverse_dynamics(figure, q, v, a)).max() < 1e-11 * most


def test_wrenches_from_outside_do_the_same():
    figure, _, scene = ellipsoid_foot()
    rng = np.random.default_rng(12)
    for _ in range(5):
        q, v = random_state(figure, rng)
        y = maximal(figure, scene, q, v)
        at_origin = rng.normal(size=(2, 6))
        moving = tree.motion(figure, q, v)
        arms = np.array([moving.poses.rotation[k] @ body.com for k, body in enumerate(scene.bodies)])
        loads = at_origin.copy()
        loads[:, :3] -= np.cross(arms, at_origin[:, 3:])
        a = forward_dynamics(figure, q, v, np.zeros(figure.nv), external=at_origin)
        found = tree.motion(figure, q, v, a).accelerations
        expected, multipliers = scene.solve(y, loads)
        assert np.abs(found[:, :3] - expected[:, :3]).max() < 1e-10 * max(1.0, np.abs(expected).max())
        wrench = contact_wrench(figure, q, v, a, "lower", external=at_origin)
        force = np.linalg.norm(multipliers[5:8])
        assert np.linalg.norm(wrench[3:]) == pytest.approx(force, rel=1e-9)


RUNS = {
    "ball foot": (ball_foot, {}, 0.5),
    "ellipsoid foot": (ellipsoid_foot, {}, 0.5),
    "ellipsoid foot that slides": (ellipsoid_foot, {"sliding": True}, 0.3),
    "disk with a pendulum": (disk_with_pendulum, {}, 1.0),
    "two stones": (two_stones, {}, 1.0),
}


def run_start(figure, name, scale):
    """A contact from which a second of motion stays moderate: feet on the top, the disk almost upright."""
    rng = np.random.default_rng(21)
    joint = next(segment.joint for segment in figure.segments if isinstance(segment.joint, joints.ContactJoint))
    segment = next(segment.name for segment in figure.segments if segment.joint is joint)
    if "disk" in name:
        own = joint.configuration((0.1, 0.0, 0), (0.3, 0, 0), normal2=(1.0, 0.2, 0.3))
    elif "foot" in name:
        own = joint.configuration((0.02, 0.8, 0.01), joint.poses[1].rotation.T @ (0.01, -0.1, 0.02))
    else:
        own = joint.configuration((0.1, 0.5, 0.1), (0.1, -0.1, 0.1))
    q = figure.configuration(**{segment: own})
    return q, scale * rng.normal(size=figure.nv)


@pytest.mark.parametrize("name", RUNS)
def test_a_second_of_motion(name):
    make, options, scale = RUNS[name]
    figure, segment, scene = make(**options)
    q, v = run_start(figure, name, scale)
    rec = simulate(figure, t1=1.0, rate=20, q0=q, v0=v, rtol=1e-11, atol=1e-13, watch=False)
    times = rec.time("q")
    run = solve_ivp(scene.rate, (0, 1.0), maximal(figure, scene, q, v), "DOP853", t_eval=times, rtol=1e-10, atol=1e-12)
    assert run.success
    worst = 0.0
    for k, y in enumerate(run.y.T):
        R, x, _, _ = scene.split(y)
        for n, body in enumerate(scene.bodies):
            turn = rotation_from_quaternion(rec[f"{figure.names[n]}.orientation"][k])
            origin = x[n] - R[n] @ body.com
            worst = max(worst, np.abs(turn - R[n]).max(), np.abs(rec[f"{figure.names[n]}.position"][k] - origin).max())
    moved = rec[f"{segment}.position"] - rec[f"{segment}.position"][0]
    assert np.abs(moved).max() > 0.05  # it does go somewhere
    assert worst < 1e-8
    # forces at the end of the run, from the free bodies' own state
    _, multipliers = scene.solve(run.y[:, -1])
    mine = multipliers[sum(3 + 2 * (pin.axis is not None) for pin in scene.pins) :]
    force = rec[f"{segment}.contact_force"][-1]
    most = max(1.0, np.abs(multipliers).max())
    if options.get("sliding"):
        assert np.abs(force - (0, 0, mine[0])).max() < 1e-6 * most
    else:
        assert np.linalg.norm(force) == pytest.approx(np.linalg.norm(mine[:3]), abs=1e-6 * most)
