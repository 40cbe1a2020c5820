"""The joint of two surfaces that may part: a free joint in the numbers of a contact, and the impulses of impacts."""

import numpy as np
import pytest

from motiform import FigureBuilder, Transform, joints
from motiform.base.errors import InputError
from motiform.geometry import surfaces as s
from motiform.motion.tree import energy, forward_dynamics, inertia_matrix, inverse_dynamics
from motiform.motion.tree.switching.impact import collide
from motiform.scene.simulate import simulate

FREE = joints.contact(s.plane(), s.ellipsoid((0.2, 0.15, 0.1)), sliding=True, friction=0.3, release=True)
POSE = Transform.from_quaternion(np.array([0.8, 0.5, 0.1, 0.3]) / np.linalg.norm([0.8, 0.5, 0.1, 0.3]), (0.3, 0.1, 0.5))


def figure_of(joint):
    b = FigureBuilder()
    b.segment("egg", None, joint, mass=1.5, com=(0.02, 0, 0.01), inertia=np.diag([0.01, 0.02, 0.025]))
    return b.build()


def test_any_pose_is_a_configuration():
    q = FREE.apart(POSE)
    assert FREE.transform(q).matrix() == pytest.approx(POSE.matrix(), abs=1e-14)
    gap = POSE.translation[2] - np.linalg.norm(
        np.array([0.2, 0.15, 0.1]) * POSE.rotation[2]
    )  # support of the ellipsoid
    assert FREE.nearest(q[None]).off[0, 5] == pytest.approx(gap, abs=1e-12)
    up = FREE.raised(FREE.configuration((0.1, 0, 0)), 0.25)
    assert FREE.nearest(up[None]).off[0, 5] == pytest.approx(0.25, abs=1e-12)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (s.plane(), s.sphere(0.1)),
        (s.sphere(0.5), s.sphere(0.1)),
        (s.sphere(0.5, inside=True), s.sphere(0.1)),
        (s.cylinder(0.5), s.sphere(0.1)),
        (s.cone(0.4), s.sphere(0.1)),
        (s.torus(0.5, 0.2), s.sphere(0.1)),
        (s.sphere(0.1), s.plane()),
        (s.plane(), s.ellipsoid((0.2, 0.15, 0.1))),
        (s.ellipsoid((0.2, 0.15, 0.1)), s.plane()),
        (s.plane(), s.torus(0.15, 0.05)),
        (s.plane(), s.circle(0.15)),
        (s.plane(), s.plane()),
        (s.ellipsoid((0.5, 0.4, 0.3)), s.ellipsoid((0.2, 0.15, 0.1))),
        (s.sphere(0.2), s.ellipsoid((0.2, 0.15, 0.1))),
    ],
)
def test_gap_is_that_of_the_nearest_points(one, two):
    """Of balls it is found from the centre alone; quaternions need not have length 1."""
    joint = joints.contact(one, two, rolling=(one.kind, two.kind) != ("plane", "plane"), release=True)
    q = joint.raised(joint.configuration(), 0.03)
    moved = joint.apart(joint.transform(q) @ Transform.from_quaternion(POSE.quaternion, (0.01, 0.02, -0.01)))
    for state in (q, moved):
        assert joint.gap(state) == pytest.approx(float(joint.nearest(state[None]).off[0, 5]), abs=1e-12)
    moved[3:7] *= 1.001
    assert joint.gap(moved) == pytest.approx(float(joint.nearest(moved[None]).off[0, 5]), abs=1e-12)


def test_a_wide_gap_is_at_least_what_is_certain():
    joint = joints.contact(s.ellipsoid((0.5, 0.4, 0.3)), s.torus(0.15, 0.05), release=True)
    for height in (0.8, 1.5, 6.0):
        q = joint.apart(Transform.from_quaternion(POSE.quaternion, (0.2, 0.1, height)))
        exact = float(joint.nearest(q[None]).off[0, 5])
        assert 0 < joint.gap(q) <= exact
        assert joint.gap(q, exact=True) == exact
    assert joint.gap(joint.raised(joint.configuration(), 1e-4)) == pytest.approx(1e-4, abs=1e-12)


def test_it_is_a_free_joint():
    """Equations of motion are those of a free joint: other coordinates of the same twist."""
    own, plain = figure_of(FREE), figure_of(joints.free())
    q, q_free = FREE.apart(POSE), np.concatenate([POSE.translation, POSE.quaternion])
    v = np.array([0.7, -1.1, 0.4, 0.3, 0.9, -0.6])
    X = FREE.subspace(q)
    assert energy(own, q, v).total == pytest.approx(energy(plain, q_free, X @ v).total, rel=1e-13)
    a = forward_dynamics(own, q, v, np.zeros(6))
    assert pytest.approx(forward_dynamics(plain, q_free, X @ v, np.zeros(6)), abs=1e-11) == X @ a
    assert inverse_dynamics(own, q, v, a) == pytest.approx(np.zeros(6), abs=1e-12)
    assert inertia_matrix(own, q) == pytest.approx(X.T @ inertia_matrix(plain, q_free) @ X, abs=1e-12)


def test_its_rate_is_that_of_the_pose():
    """d(pose)/dt by differences, whose error is h²: 1e-8."""
    q, v, h = FREE.apart(POSE), np.array([0.7, -1.1, 0.4, 0.3, 0.9, -0.6]), 1e-4
    after, before = (FREE.transform(FREE.repair(q + sign * h * FREE.rate(q, v))) for sign in (1, -1))
    R = POSE.rotation
    spin = R.T @ (after.rotation - before.rotation) / (2 * h)
    found = np.array([spin[2, 1], spin[0, 2], spin[1, 0], *(R.T @ (after.translation - before.translation) / (2 * h))])
    assert found == pytest.approx(FREE.subspace(q) @ v, abs=1e-6)
    assert (FREE.rate(q, v)[7:] == 0).all()  # the contact frame rests in the child


def test_landing_keeps_pose_and_twist():
    q = FREE.apart(POSE)
    q[:7] = np.concatenate([q[:3] + np.array([0.1, 0, 0]), q[3:7]])
    v = np.array([0.7, -1.1, 0.4, 0.3, 0.9, -0.6])
    touching = FREE.raised(q, -FREE.nearest(q[None]).off[0, 5])
    q1, v1 = FREE.landed(touching, v)
    assert FREE.transform(q1).matrix() == pytest.approx(FREE.transform(touching).matrix(), abs=1e-12)
    assert FREE.subspace(q1) @ v1 == pytest.approx(FREE.subspace(touching) @ v, abs=1e-12)
    assert FREE.gaps(q1).max() < 1e-12


def test_velocities_are_named():
    assert FREE.names == ("wx", "wy", "wz", "vx", "vy", "vz")
    assert FREE.held.names == ("wx", "wy", "wz", "vx", "vy")
    named = joints.contact(s.plane(), s.sphere(0.1), release=True, names=list("abcdef"))
    assert named.held.names == ("a", "b", "c")
    with pytest.raises(InputError, match="a name for each velocity"):
        joints.contact(s.plane(), s.sphere(0.1), release=True, names=["a", "b", "c"])
    with pytest.raises(InputError, match="must be a single Transform"):
        FREE.apart(np.eye(4))


def test_other_runs_refuse_it():
    from motiform import contact
    from motiform.motion.run import RunOptions
    from motiform.motion.stepping.system import ContactSystem
    from motiform.motion.tree.system import FigureSystem

    options = RunOptions(0.1, integrator="dormand-prince")
    with pytest.raises(InputError, match="must not leave and land"):
        FigureSystem(figure_of(FREE), options)
    with pytest.raises(InputError, match="must not leave and land"):
        ContactSystem(figure_of(FREE), options, contact.Contacts((), (contact.floor(),)))
    with pytest.raises(InputError, match="neither armature nor damping"):
        simulate(figure_of(FREE).replace(segments={"egg": {"armature": 0.1}}), t1=0.1)


# ---- impulses ------------------------------------------------------------------------------------------------------
def response(seed):
    a = np.random.default_rng(seed).normal(size=(3, 3))
    return a @ a.T + 0.5 * np.eye(3)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize(("mu", "e"), [(0.0, 0.0), (0.2, 0.0), (0.2, 0.7), (np.inf, 0.3)])
def test_impulses_obey_the_laws(seed, mu, e):
    """Signorini's and Coulomb's: no approach, impulses in the cone, slip against friction; energy does not grow."""
    A = response(seed)
    u = np.random.default_rng(seed + 100).normal(size=3)
    u[2] = -abs(u[2])
    (P,) = collide(A, u, np.array([mu]), np.array([e]), "")
    after = u + A @ P
    assert after[2] >= -1e-12
    assert e > 0 or after[2] == pytest.approx(0, abs=1e-12)
    gained = P @ (u + after) / 2
    assert gained <= 1e-12
    if np.isinf(mu):
        return
    assert np.hypot(*P[:2]) <= mu * P[2] * (1 + 1e-12)
    slip = np.hypot(*after[:2])
    if slip > 1e-9 and e == 0:
        assert P[:2] == pytest.approx(-mu * P[2] * after[:2] / slip, abs=1e-11 / min(slip, 1.0))


def test_what_is_struck_presses_on_what_it_lies_on():
    """A body of 1 kg at 3 m/s strikes one of 2 kg on the ground: both contacts take 3 N s, nothing moves after."""
    A = np.eye(6)
    A[2, 2], A[2, 5], A[5, 2], A[5, 5] = 1 / 2, -1 / 2, -1 / 2, 1 + 1 / 2
    P = collide(A, np.array([0, 0, 0, 0, 0, -3.0]), np.zeros(2), np.zeros(2), "")
    assert P[:, 2] == pytest.approx([3.0, 3.0], abs=1e-12)
