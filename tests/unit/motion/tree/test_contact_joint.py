"""The contact joint: which velocities it keeps, where it begins, what it refuses, repair and forces."""

import numpy as np
import pytest

from motiform.base.errors import InputError, MotiformError, RunError
from motiform.geometry import surfaces as s
from motiform.motion.tree.contact_joints.contact import contact
from motiform.motion.tree.model.joint import Joint
from motiform.spatial import Transform, exp_rotation, random_rotation

RNG = np.random.default_rng(11)
EPS = np.finfo(float).eps
NAN = float("nan")


def pose():
    return Transform(random_rotation(RNG), RNG.normal(size=3))


def point(surface):
    """A random point near a surface, the cone's away from its apex."""
    return np.array([0.5, 0.1, 0.9]) if surface.kind == "cone" else RNG.normal(size=3)


def configuration(joint, tries=100):
    """A random contact of the two surfaces."""
    for _ in range(tries):
        try:
            return joint.configuration(
                point(joint.surfaces[0]),
                point(joint.surfaces[1]),
                yaw=0.0 if joint.pair.both_lines else RNG.uniform(-3, 3),
                normal1=RNG.normal(size=3) if joint.surfaces[0].edge else None,
                normal2=RNG.normal(size=3) if joint.surfaces[1].edge else None,
            )
        except InputError as error:
            problem = error
    raise problem


PAIRS = [
    (s.plane(), s.sphere(0.3)),
    (s.sphere(1.0, inside=True), s.sphere(0.3)),
    (s.sphere(0.3), s.sphere(1.0, inside=True)),
    (s.ellipsoid((1.0, 0.7, 0.5)), s.torus(0.4, 0.1)),
    (s.cylinder(0.4), s.cylinder(0.3)),
    (s.torus(1.0, 0.3, inside=True), s.sphere(0.2)),
    (s.plane(), s.circle(0.3)),
    (s.circle(0.3), s.sphere(0.2)),
    (s.circle(0.3), s.circle(0.4)),
    (s.plane(), s.cylinder(0.2)),
    (s.cone(0.5), s.plane()),
    (s.cylinder(1.0, inside=True), s.cylinder(0.3)),
    (s.plane(), s.plane()),
]
pairs = pytest.mark.parametrize("pair", PAIRS, ids=lambda p: f"{p[0].kind}-{p[1].kind}")


def joint_of(pair, **options):
    rolling = not pair[0].kind == pair[1].kind == "plane"
    return contact(*pair, pose1=pose(), pose2=pose(), sliding=True, rolling=rolling, **options)


# ---- which velocities ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("one", "two", "options", "names"),
    [
        (s.plane(), s.sphere(1.0), {}, "wx wy wz"),
        (s.plane(), s.sphere(1.0), {"spin": False}, "wx wy"),
        (s.plane(), s.sphere(1.0), {"sliding": True}, "wx wy wz vx vy"),
        (s.plane(), s.sphere(1.0), {"sliding": True, "rolling": False, "spin": False}, "vx vy"),
        (s.plane(), s.cylinder(1.0), {}, "wx wz"),
        (s.cylinder(1.0), s.plane(), {"sliding": True}, "wx wz vx vy"),
        (s.plane(), s.cone(0.3), {"spin": False}, "wx"),
        (s.plane(), s.plane(), {"sliding": True, "rolling": False}, "wz vx vy"),
        (s.cylinder(1.0), s.cylinder(0.5), {}, "wx wy wz"),
        (s.cylinder(1.0), s.cylinder(0.5), {"line": True}, "wx"),
        (s.cylinder(1.0, inside=True), s.cylinder(0.5), {"sliding": True}, "wx vx vy"),
    ],
)
def test_velocities_left_free(one, two, options, names):
    joint = contact(one, two, **options)
    assert isinstance(joint, Joint)
    assert joint.names == tuple(names.split())
    assert (joint.nq, joint.nv) == (14, len(joint.names))
    assert joint.subspace(joint.neutral()).shape == (6, joint.nv)
    joint.check("segment 'ball'")
    assert not joint.plain


def test_own_names():
    joint = contact(s.plane(), s.sphere(1.0), names=("a", "b", "c"))
    assert joint.names == ("a", "b", "c")
    assert joint.named
    with pytest.raises(InputError, match="3 names"):
        contact(s.plane(), s.sphere(1.0), names=("a",))


# ---- what is refused -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("one", "two", "options", "words"),
    [
        (s.plane(), s.plane(), {}, "two flat surfaces cannot roll"),
        (s.sphere(1.0, inside=True), s.sphere(1.0), {}, "conform"),
        (s.sphere(1.0, inside=True), s.sphere(1.0 - 1e-12), {}, "conform"),
        (s.sphere(1.0, inside=True), s.sphere(1.2), {}, "do not fit"),
        (s.sphere(1.0), s.cylinder(0.9, inside=True), {}, "do not fit"),
        (s.cylinder(0.5, inside=True), s.cylinder(0.5), {}, "conform"),
        (s.cylinder(0.5, inside=True), s.cylinder(0.7), {}, "do not fit"),
        (s.sphere(1.0, inside=True), s.ellipsoid((3.0, 2.0, 2.0)), {}, "do not fit"),
        (s.sphere(1.0, inside=True), s.sphere(2.0, inside=True), {}, "do not fit"),
        (s.plane(), s.sphere(1.0, inside=True), {}, "do not fit"),
        (s.plane(), s.cone(0.4, inside=True), {}, "conform"),
        (s.sphere(1.0, inside=True), s.circle(1.0), {}, "conform"),
        (s.plane(), s.sphere(1.0), {"rolling": False, "spin": False}, "leave a freedom"),
        (s.cylinder(1.0), s.cylinder(0.5), {"line": True, "rolling": False}, "leave a freedom"),
        (s.plane(), s.sphere(1.0), {"line": True}, "line"),
        (s.plane(), s.cylinder(1.0), {"gauge": 0.5}, "gauge"),
    ],
)
def test_pairs_that_cannot_be_are_refused_by_name(one, two, options, words):
    joint = contact(one, two, **options)
    with pytest.raises(InputError, match=words) as caught:
        joint.check("segment 'ball'")
    assert "segment 'ball'" in str(caught.value)
    with pytest.raises(InputError, match=words):
        joint.neutral()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: contact(s.plane(), 3.0), "surface 2 of a contact"),
        (lambda: contact(s.plane(), s.sphere(1.0), gauge=NAN), "gauge"),
        (lambda: contact(s.plane(), s.sphere(1.0), pose1=np.eye(4)), "pose of a surface"),
        (lambda: contact(s.plane(), s.sphere(1.0), friction=-0.1), "friction must not be negative"),
        (lambda: contact(s.plane(), s.sphere(1.0), sliding=True, friction=-0.1), "friction must not be negative"),
        (lambda: contact(s.plane(), s.sphere(1.0), friction=NAN), "must be finite"),
        (lambda: contact(s.plane(), s.sphere(1.0), friction=[0.1, 0.2]), "friction must be one number"),
        (lambda: contact(s.plane(), s.sphere(1.0)).configuration((0, 0, 0), (0, 0, 0)), "cannot be projected"),
        (lambda: contact(s.plane(), s.sphere(1.0)).configuration((NAN, 0, 0)), r"not finite|must be finite"),
        (lambda: contact(s.plane(), s.sphere(1.0)).configuration(yaw=NAN), "yaw"),
        (
            lambda: contact(s.plane(), s.sphere(1.0)).configuration(direction=(0, 0, 2)),
            "must not be normal to the surface",
        ),
        (
            lambda: contact(s.plane(), s.sphere(1.0)).configuration(direction=(0, 0, 0)),
            "must not be normal to the surface",
        ),
        (lambda: contact(s.cylinder(1.0), s.plane()).configuration(direction=(0, 1, 1)), "line of contact"),
        (lambda: contact(s.cylinder(1.0), s.cylinder(0.5), line=True).configuration(yaw=0.3), "no yaw"),
        (lambda: contact(s.plane(), s.torus(1.0, 0.3)).configuration((0, 0, 0), (0.8, 0, 0)), "cannot touch at these"),
        (lambda: contact(s.plane(), s.torus(1.0, 0.3)).configuration((0, 0, 0), (1, 0, 0.3)), "cannot touch at these"),
        (lambda: contact(s.plane(), s.sphere(1.0)).transform(np.full(14, NAN)), r"not finite|must be finite"),
        (lambda: contact(s.plane(), s.sphere(1.0)).transform(np.zeros(14)), "a quaternion must have a length above 0"),
        (lambda: contact(s.plane(), s.sphere(1.0)).transform(np.zeros(7)), "the array has the wrong shape"),
        (
            lambda: (j := contact(s.plane(), s.sphere(1.0))).rate(j.neutral(), (1.0, NAN, 0.0)),
            r"not finite|must be finite",
        ),
        (
            lambda: (j := contact(s.plane(), s.sphere(1.0))).rate(j.neutral(), (1.0, 0.0)),
            "the array has the wrong shape",
        ),
        (lambda: (j := contact(s.plane(), s.sphere(1.0))).advance(j.neutral(), (1, 0, 0), 0.1, "euler"), "method"),
        (lambda: (j := contact(s.plane(), s.circle(1.0))).advance(j.neutral(), (1, 0, 0), 0.1, "torus"), "edges"),
    ],
)
def test_wrong_input_is_refused(make, words):
    with pytest.raises(MotiformError, match=words):
        make()


def test_a_contact_that_becomes_conforming_stops_the_run():
    """A ball in a cone touches all around where the circle has its own radius: s tan α = r."""
    half, r = 0.5, 0.2
    joint = contact(s.cone(half, inside=True), s.sphere(r))
    at = r / np.tan(half)
    far = 1.5 * at * np.array([np.sin(half), 0, np.cos(half)])
    q = joint.configuration(far)
    assert joint.relative_curvature(q)[0] == pytest.approx((1 - 1 / 1.5) / r, rel=1e-13)
    joint.rate(q, np.ones(3))
    q[:3] = at * np.array([np.sin(half), 0, np.cos(half)])
    with pytest.raises(RunError, match="conform"):
        joint.rate(q, np.ones(3))


def test_neutral_is_crossed_where_straight_it_would_conform():
    for pair in ((s.cylinder(0.4), s.cylinder(0.3)), (s.circle(0.3), s.circle(0.3)), (s.cylinder(0.2), s.cone(0.3))):
        joint = contact(*pair)
        assert joint.relative_curvature(joint.neutral())[0] > 0.5
    deep = contact(s.cone(0.3, inside=True), s.sphere(0.5))  # does not fit where the default point is
    assert deep.gaps(deep.neutral()).max() < 4 * EPS


# ---- where it begins -------------------------------------------------------------------------------------------------
def test_neutral_ball_on_a_plane_stands_upright():
    T = contact(s.plane(), s.sphere(0.3)).transform(contact(s.plane(), s.sphere(0.3)).neutral())
    assert np.abs(T.rotation - np.eye(3)).max() < 4 * EPS
    assert np.abs(T.translation - (0, 0, 0.3)).max() < 4 * EPS


@pairs
def test_a_configuration_is_a_contact(pair):
    joint = joint_of(pair)
    q = configuration(joint)
    # a handful of roundings of numbers of size one
    assert joint.gaps(q).max() < 20 * EPS
    T_1_L, T_2_L = joint.frames(q)
    T = joint.transform(q)
    together = T @ T_2_L
    assert np.abs(together.translation - T_1_L.translation).max() < 50 * EPS
    assert np.abs(together.rotation - T_1_L.rotation).max() < 20 * EPS
    n = joint.poses[0].inverse().rotation @ T_1_L.rotation[:, 2]
    if not pair[0].edge:
        assert np.abs(pair[0].normal(q[:3]) - n).max() < 20 * EPS


def test_direction_and_yaw():
    joint = contact(s.plane(), s.ellipsoid((0.4, 0.3, 0.2)), pose1=pose(), pose2=pose())
    straight = joint.configuration((0.1, 0.2, 0), (0.1, 0.1, -0.2), direction=(1, 2, 3))
    turned = joint.configuration((0.1, 0.2, 0), (0.1, 0.1, -0.2), direction=(1, 2, 3), yaw=0.4)
    t1 = joint.frames(straight)[0].rotation[:, 0]
    assert np.abs(joint.poses[0].rotation.T @ t1 - np.array([1, 2, 0]) / np.sqrt(5)).max() < 20 * EPS
    n = joint.frames(straight)[0].rotation[:, 2]
    R, S = joint.transform(straight).rotation, joint.transform(turned).rotation
    assert np.abs(S - exp_rotation(0.4 * n) @ R).max() < 20 * EPS
    # turned as little as possible: the axis of R lies across the normal
    axis = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    assert abs(axis @ n) < 40 * EPS


def test_the_line_of_a_cylinder_is_laid_along_the_direction():
    joint = contact(s.plane(), s.cylinder(0.2))
    q = joint.configuration((0, 0, 0), (0.2, 0.1, 0.3), direction=(1, 1, 0))
    axis = joint.transform(q).rotation[:, 2]
    assert np.abs(axis - np.array([1, 1, 0]) / np.sqrt(2)).max() < 10 * EPS
    assert np.abs(joint.frames(q)[0].rotation[:, 0] - axis).max() < 10 * EPS


def test_batches_of_configurations():
    joint = contact(s.sphere(1.0), s.ellipsoid((0.4, 0.3, 0.2)), sliding=True, pose1=pose(), pose2=pose())
    p1, p2 = RNG.normal(size=(2, 3, 1, 3)), RNG.normal(size=(4, 3))
    q = joint.configuration(p1, p2, yaw=np.linspace(0, 1, 4))
    v = RNG.normal(size=(2, 3, 4, 5))
    assert q.shape == (2, 3, 4, 14)
    one = (1, 2, 3)
    for many, single in (
        (q, joint.configuration(p1[1, 2, 0], p2[3], yaw=1.0)),
        (joint.rate(q, v), joint.rate(q[one], v[one])),
        (joint.subspace_rate(q, v), joint.subspace_rate(q[one], v[one])),
        (joint.bias(q, v), joint.bias(q[one], v[one])),
        (joint.repair(q), joint.repair(q[one])),
        (joint.gaps(q), joint.gaps(q[one])),
        (joint.charts(q), joint.charts(q[one])),
        (joint.relative_curvature(q), joint.relative_curvature(q[one])),
        *((joint.advance(q, v, 0.1, m), joint.advance(q[one], v[one], 0.1, m)) for m in ("rkmk4", "rk4", "torus")),
    ):
        assert many.shape[:3] == (2, 3, 4)
        assert np.abs(many[one] - single).max() < 100 * EPS * max(1.0, np.abs(single).max())


@pairs
def test_touch_finds_the_contact_near_a_pose(pair):
    joint = joint_of(pair)
    q = configuration(joint)
    T = joint.transform(q)
    n = joint.frames(q)[0].rotation[:, 2]
    found = joint.touch(Transform(T.rotation, T.translation + 2e-4 * n))
    back = joint.transform(found)
    assert joint.gaps(found).max() < 20 * EPS
    assert np.abs(back.rotation - T.rotation).max() < 1e-8  # Newton ends below 1e-12; a line's frame within 1e-9
    # The pose was off by 2e-4 along the normal alone, so the contact closes that gap and moves nothing else.
    assert np.abs(back.translation - T.translation).max() < 1e-8


def test_touch_names_the_gap():
    joint = contact(s.plane(), s.ellipsoid((0.4, 0.3, 0.2)))
    with pytest.raises(InputError, match=r"do not touch \(got a gap of 0\.05 m"):
        joint.touch(Transform.translation_of((1.0, 2.0, 0.25)))
    with pytest.raises(InputError, match=r"overlap \(got a gap of -0\.05 m"):
        joint.touch(Transform.translation_of((1.0, 2.0, 0.15)))
    near = joint.touch(Transform.translation_of((1.0, 2.0, 0.15)), tolerance=0.06)
    assert np.abs(joint.transform(near).translation - (1.0, 2.0, 0.2)).max() < 1e-12
    with pytest.raises(InputError, match="must be a single Transform"):
        joint.touch(np.eye(4))
    tilted = contact(s.plane(), s.plane(), rolling=False, sliding=True)
    with pytest.raises(InputError, match="common normal"):
        tilted.touch(Transform.rotation_of(exp_rotation([np.pi - 0.1, 0, 0])))


# ---- repair and forces -----------------------------------------------------------------------------------------------
@pairs
def test_repair_brings_a_drifted_frame_back_and_leaves_a_good_one(pair):
    joint = joint_of(pair)
    q = configuration(joint)
    assert np.abs(joint.repair(q) - q).max() < 20 * EPS
    off = q + 1e-4 * RNG.normal(size=14)
    good = joint.repair(off)
    assert joint.gaps(off).max() > 1e-6
    assert joint.gaps(good).max() < 20 * EPS
    # It moves no further than the drift: 1e-4 in each of 14 numbers, twice for a quaternion's angle, 4 sigma.
    assert np.abs(good - off).max() < 1e-3
    if joint.pair.follow:
        line = joint.surfaces[joint.pair.follow - 1].line(good[7 * joint.pair.follow - 7 :][:3])
        t1 = joint._frames(good)[2 * joint.pair.follow - 1][:, 0]
        assert np.linalg.norm(np.cross(t1, line)) < 10 * EPS


def test_wrench_does_the_power_of_the_joint():
    joint = joint_of(PAIRS[3])
    q, v, f = configuration(joint), RNG.normal(size=5), RNG.normal(size=6)
    moment, force = joint.wrench(q, f)
    # τ = Sᵀ f are the free components of moment and force in L
    assert np.abs(joint.subspace(q).T @ f - np.concatenate([moment, force])[:5]).max() < 100 * EPS
    assert (joint.subspace(q) @ v) @ f == pytest.approx(np.concatenate([moment, force])[:5] @ v, abs=200 * EPS)


def test_a_weight_presses():
    """A ball that rests on a plane: what holds it, m g upwards at its centre, presses with m g."""
    joint = contact(s.plane(), s.sphere(0.3))
    moment, force = joint.wrench(joint.neutral(), (0, 0, 0, 0, 0, 9.81))
    assert np.abs(force - (0, 0, 9.81)).max() < 10 * EPS
    assert np.abs(moment).max() < 10 * EPS


def test_charts_are_an_output():
    joint = contact(s.sphere(1.0), s.cylinder(0.3))
    q = joint.configuration((0, 0.6, 0.8), (0.3, 0, 0.7))
    assert np.abs(joint.charts(q) - (np.arctan2(0.6, 0.8), np.pi / 2, 0.0, 0.7)).max() < 4 * EPS
    patch = contact(s.plane(), s.implicit(unit_sphere))
    q = patch.configuration((0, 0, 0), (0, 0, -1))
    with pytest.raises(InputError, match="no coordinates"):
        patch.charts(q)


def unit_sphere(x):
    return (x * x).sum(-1) - 1, 2 * x, np.broadcast_to(2 * np.eye(3), (*x.shape, 3))


def test_user_surfaces_have_no_kernel():
    assert not contact(s.plane(), s.implicit(unit_sphere)).kernel
    assert contact(s.plane(), s.sphere(1.0)).kernel
