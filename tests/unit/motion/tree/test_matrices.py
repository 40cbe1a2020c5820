"""Coriolis and centroidal matrices and the wrenches of joints: identities that hold for every kind of joint."""

import numpy as np
import pytest

from motiform import FigureBuilder, joints
from motiform.base.errors import InputError
from motiform.geometry import surfaces
from motiform.motion.tree import (
    advance,
    centers_of_mass,
    forward_dynamics,
    forward_kinematics,
    inertia_matrix,
    inverse_dynamics,
    jacobian,
    momentum,
    nonlinear_effects,
)
from motiform.motion.tree.algorithms.matrices import (
    centroidal_bias,
    centroidal_matrix,
    contact_wrench,
    coriolis_matrix,
    gravity_effects,
    joint_wrenches,
)
from motiform.spatial import Transform, exp_rotation, random_rotation

H = 0.01
DIFFERENCES = 1e-10  # H⁶/140 times seventh derivatives of at most 3⁷, and 2 eps/H
ROUNDING = 1e-13  # some hundred operations, each good to 2e-16
G = 9.81

KNEE = joints.function(
    [
        (joints.Axis("revolute", (0, 0, 1)), joints.linear(), "knee"),
        (joints.Axis("prismatic", (1, 0, 0)), joints.Polynomial((0.1, 0.3, -0.2, 0.5)), "knee"),
    ]
)
COUPLED = [joints.free(), joints.revolute((0, 0, 1), name="lead"), joints.revolute((0, 1, 0), name="follow")]
KINDS = {
    "axes": [joints.universal((1, 2, 0), (0, 0, 1)), joints.helical((1, 1, 0), 0.1), joints.planar((1, 2, 3))],
    "free": [joints.free(), joints.spherical(), joints.universal((1, 2, 0), (0, 0, 1)), joints.spherical()],
    "function": [joints.spherical(), KNEE, joints.revolute((1, 1, 0))],
    "contact": [joints.revolute((0, 0, 1)), joints.contact(surfaces.plane(), surfaces.sphere(0.3)), joints.spherical()],
    "slide": [joints.free(), joints.contact(surfaces.sphere(1.0, inside=True), surfaces.sphere(0.4), sliding=True)],
    "coupled": [*COUPLED, joints.universal((1, 0, 0), (0, 1, 0))],
}
kinds = pytest.mark.parametrize("kind", KINDS)


def tree(kind, seed=1, damping=0.3):
    """A tree and a second root, of random segments; the coupled one has a dependent coordinate."""
    rng = np.random.default_rng(seed)
    b = FigureBuilder(gravity=(1.0, -9.0, 3.0))
    for n, joint in enumerate([*KINDS[kind], joints.cardan()]):
        points = rng.normal(size=(8, 3)) * 0.2
        points -= points.mean(0)
        parent = None if n in (0, len(KINDS[kind])) else f"s{rng.integers(max(0, n - 2), n)}"
        inertia = np.eye(3) * (points**2).sum() - points.T @ points
        place, com = Transform(random_rotation(rng), rng.normal(size=3) * 0.3), rng.normal(size=3) * 0.2
        b.segment(
            f"s{n}", parent, joint, placement=place, mass=8.0, com=com, inertia=inertia, armature=0.2, damping=damping
        )
    if kind == "coupled":
        b.couple("follow", "lead", joints.Polynomial((0.1, 0.5, 0.4, -0.2)))
    figure = b.build()
    q = advance(figure, figure.neutral(), rng.normal(size=figure.nv) * 0.2)
    return figure, q, rng.normal(size=figure.nv), rng.normal(size=figure.nv)


def along(f, figure, q, v):
    """The rate of f(q) along v, by sixth-order differences."""
    parts = [
        c * (f(advance(figure, q, m * H * v)) - f(advance(figure, q, -m * H * v)))
        for m, c in ((1, 0.75), (2, -0.15), (3, 1 / 60))
    ]
    return sum(parts) / H


def close(found, expected, tolerance):
    assert np.abs(found - expected).max() <= tolerance * max(np.abs(expected).max(), 1.0)


@kinds
def test_coriolis_matrix(kind):
    """C v + G = nonlinear effects, and dM/dt − 2 C is skew-symmetric, which says that C conserves energy."""
    figure, q, v, _ = tree(kind, damping=0.0)
    C = coriolis_matrix(figure, q, v)
    close(C @ v + gravity_effects(figure, q), nonlinear_effects(figure, q, v), ROUNDING)
    rate = along(lambda x: inertia_matrix(figure, x), figure, q, v)
    close(C + C.T, rate, DIFFERENCES)


def test_damping_is_not_in_the_coriolis_matrix():
    damped, free = tree("free", damping=0.3), tree("free", damping=0.0)
    assert np.array_equal(coriolis_matrix(*damped[:3]), coriolis_matrix(*free[:3]))


@kinds
def test_centroidal_matrix(kind):
    """Its momentum is that about the world's origin, moved to the centre of mass."""
    figure, q, v, _ = tree(kind)
    found, whole = centroidal_matrix(figure, q) @ v, momentum(figure, q, v)
    center = centers_of_mass(figure, q)[-1]
    close(found[3:], whole[3:], ROUNDING)
    close(found[:3], whole[:3] - np.cross(center, whole[3:]), ROUNDING)


@kinds
def test_centroidal_bias(kind):
    figure, q, v, _ = tree(kind)
    close(centroidal_bias(figure, q, v), along(lambda x: centroidal_matrix(figure, x) @ v, figure, q, v), DIFFERENCES)


@kinds
def test_wrenches_of_the_joints_balance_the_momentum(kind):
    """What the world's joints transmit, loads and gravity are the rate of the momentum: A a + dA/dt v."""
    figure, q, v, a = tree(kind)
    loads = np.random.default_rng(2).normal(size=(len(figure.segments), 6))
    wrenches = joint_wrenches(figure, q, v, a, loads)
    center, origins = centers_of_mass(figure, q)[-1], forward_kinematics(figure, q).position
    roots = [n for n in range(len(figure.segments)) if figure.parent_index(n) < 0]
    outer = [(wrenches[n], origins[n] - center) for n in roots]
    outer += [(load, origin - center) for load, origin in zip(loads, origins, strict=True)]
    moment = sum(w[:3] + np.cross(arm, w[3:]) for w, arm in outer)
    force = sum(w[3:] for w, _ in outer) + figure.mass * np.array(figure.gravity)
    rate = centroidal_matrix(figure, q) @ a + centroidal_bias(figure, q, v)
    close(np.concatenate([moment, force]), rate, ROUNDING)


@pytest.mark.parametrize("kind", ["axes", "free"])
def test_forces_of_drives_are_the_wrenches_along_the_axes(kind):
    figure, q, v, a = tree(kind)
    tau, wrenches = inverse_dynamics(figure, q, v, a), joint_wrenches(figure, q, v, a)
    for n, segment in enumerate(figure.segments):
        at = figure.layout.v[n]
        along_axes = jacobian(figure, q, segment.name)[:, at].T @ wrenches[n]
        close(tau[at] - segment.armature * a[at] - segment.damping * v[at], along_axes, ROUNDING)


@kinds
def test_one_state_and_many(kind):
    figure, q, v, a = tree(kind)
    loads = np.random.default_rng(2).normal(size=(3, len(figure.segments), 6))
    qs, vs = np.stack([q, advance(figure, q, v, 0.1), q]), np.stack([v, 2 * v, -v])
    for function, arguments in (
        (coriolis_matrix, (qs, vs)),
        (centroidal_matrix, (qs,)),
        (centroidal_bias, (qs, vs)),
        (gravity_effects, (qs,)),
        (joint_wrenches, (qs, vs, np.stack([a] * 3), loads)),
    ):
        many = function(figure, *arguments)
        for n in range(3):
            close(many[n], function(figure, *(x[n] for x in arguments)), ROUNDING)
    assert coriolis_matrix(figure, qs[:, None], v).shape == (3, 1, figure.nv, figure.nv)


# ---- closed forms


def test_a_pendulum_hangs_and_swings():
    """At the bottom the hinge holds m g + m l ω²; the moment about it is that of the drive."""
    b = FigureBuilder()
    b.segment(
        "bob", None, joints.revolute((0, 0, 1)), placement=Transform(np.eye(3), (1, 2, 3)), mass=2.0, com=(0, -0.5, 0)
    )
    figure = b.build()
    found = joint_wrenches(figure, np.zeros(1), np.array([3.0]), np.zeros(1))
    assert found == pytest.approx(np.array([[0, 0, 0, 0, 2.0 * (G + 0.5 * 9.0), 0]]), abs=1e-14)


def ball(slope, radius=0.2, mass=3.0):
    """A uniform ball on a plane that falls toward x by the slope; the plane's normal is its z axis."""
    b = FigureBuilder(name="slope")
    joint = joints.contact(surfaces.plane(), surfaces.sphere(radius))
    tilt = exp_rotation(np.array([0.0, 0.0, -slope])) @ exp_rotation(np.array([-np.pi / 2, 0.0, 0.0]))
    b.segment(
        "ball",
        None,
        joint,
        placement=Transform(tilt, np.zeros(3)),
        mass=mass,
        inertia=0.4 * mass * radius**2 * np.eye(3),
    )
    b.segment("rider", "ball", joints.spherical())
    return b.build()


def test_a_ball_rolls_down_a_slope():
    """N = m g cos s, and the friction that turns it is 2/7 m g sin s, uphill."""
    slope, mass = 0.3, 3.0
    figure = ball(slope, mass=mass).replace(segments={"rider": {"mass": 0.0, "armature": 1.0}})
    q, v = figure.neutral(), np.zeros(figure.nv)
    a = forward_dynamics(figure, q, v, np.zeros(figure.nv))
    found = contact_wrench(figure, q, v, a, "ball")
    assert found[:3] == pytest.approx(np.zeros(3), abs=1e-14)  # rolling without resistance: no moment at the contact
    assert found[5] == pytest.approx(mass * G * np.cos(slope), rel=1e-14)
    assert np.hypot(*found[3:5]) == pytest.approx(2 / 7 * mass * G * np.sin(slope), rel=1e-14)
    uphill = (
        forward_kinematics(figure, q).rotation[0]
        @ figure.segments[0].joint.frames(q[:14])[1].rotation
        @ np.append(found[3:5], 0.0)
    )
    assert uphill[0] < 0 < uphill[1]


def test_a_pull_lifts_the_ball():
    figure = ball(0.0)
    v = np.zeros(figure.nv)
    loads = np.zeros((2, 6))
    loads[0, 4] = 3.0 * G + 1.0
    found = contact_wrench(figure, figure.neutral(), v, v, "ball", loads)
    assert found[5] == pytest.approx(-1.0, abs=1e-13)
    many = contact_wrench(figure, np.stack([figure.neutral()] * 4), v, v, "ball", loads)
    assert many == pytest.approx(np.stack([found] * 4), abs=1e-14)


def test_what_is_refused():
    figure = ball(0.1)
    q, v = figure.neutral(), np.zeros(figure.nv)
    with pytest.raises(InputError, match=r"rider.*allowed: ball"):
        contact_wrench(figure, q, v, v, "rider")
    with pytest.raises(InputError, match="no such segment"):
        contact_wrench(figure, q, v, v, "bal")
    light = figure.replace(segments={"ball": {"mass": 0.0, "inertia": np.zeros((3, 3))}})
    for function, arguments in ((centroidal_matrix, (q,)), (centroidal_bias, (q, v))):
        with pytest.raises(InputError, match="without mass"):
            function(light, *arguments)
    with pytest.raises(InputError, match="v must have"):
        coriolis_matrix(figure, q, np.zeros(2))
