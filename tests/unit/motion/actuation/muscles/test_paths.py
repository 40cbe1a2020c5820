"""Muscle paths on figures: pulleys, moving and conditional points, coupled coordinates, −dL/dq, wrenches."""

import numpy as np
import pytest

from motiform import FigureBuilder, Transform, joints, simulate
from motiform.base.errors import InputError
from motiform.base.kernels import threads
from motiform.geometry.paths import WrapCylinder, WrapEllipsoid, WrapSphere, WrapTorus
from motiform.motion.actuation.muscles import (
    HillMuscles,
    MovingPoint,
    Muscle,
    MusclePath,
    Muscles,
    PathPoint,
    Paths,
    PathWrap,
    WrapObject,
    arm_slopes,
    path_geometry,
    path_jumps,
    path_outlines,
    path_wrenches,
)
from motiform.motion.actuation.muscles.paths.geometry import path_state
from motiform.motion.tree import inverse_dynamics
from motiform.motion.tree.model.functions import Polynomial, Spline, linear


def arm(coupled=False):
    b = FigureBuilder(name="arm")
    b.segment(
        "upper",
        None,
        joints.universal((1, 0, 0), (0, 0, 1)),
        mass=2.0,
        com=(0, -0.15, 0),
        inertia=np.diag([0.02, 0.003, 0.02]),
    )
    b.segment("lower", "upper", joints.revolute((0, 0, 1)), placement=Transform(np.eye(3), np.array([0, -0.3, 0])),
              mass=1.5, com=(0, -0.12, 0), inertia=np.diag([0.01, 0.002, 0.01]))  # fmt: skip
    b.segment("hand", "lower", joints.revolute((1, 0, 0)), placement=Transform(np.eye(3), np.array([0, -0.25, 0])),
              mass=0.4, com=(0, -0.05, 0), inertia=np.diag([0.001, 0.001, 0.001]))  # fmt: skip
    if coupled:
        b.couple("hand", "lower", Spline([-2.0, 0.0, 1.0, 2.0], [-0.4, 0.0, 0.3, 0.2]))
    return b.build()


def shifted(x, y, z):
    return Transform(np.eye(3), np.array([x, y, z]))


def over(name, start, end, *wraps):
    return MusclePath(name, (PathPoint(*start), PathPoint(*end)), tuple(map(PathWrap, wraps)))


def all_kinds(figure):
    """A path over each kind of surface, one over three of them, one that moves, one with a condition."""
    objects = (
        WrapObject("elbow", "upper", WrapCylinder(radius=0.025), shifted(0, -0.3, 0)),
        WrapObject("head", "upper", WrapSphere(radius=0.03), shifted(0, -0.05, 0)),
        WrapObject("belly", "lower", WrapEllipsoid(radii=(0.03, 0.07, 0.02)), shifted(0, -0.13, 0)),
        WrapObject(
            "ring",
            "lower",
            WrapTorus(tube=0.006, ring=0.03),
            Transform.from_euler((np.pi / 2, 0, 0), "xyz", (0.01, -0.23, 0)),
        ),
    )
    slides = (Spline([-2.0, 0.0, 2.0], [-0.02, -0.03, -0.02]), linear(0.01, -0.05), Polynomial((0.0,)))
    moving = MovingPoint("lower", slides, ("lower", "lower", None), ((-1.0, 1.5),) * 3)
    from_, to = PathPoint("upper", (0.0, -0.1, 0.001)), PathPoint("lower", (0.005, -0.1, 0.002))
    three = (
        PathPoint(None, (0.04, 0.06, 0.0)),
        PathPoint("upper", (-0.04, -0.16, 0.01)),
        PathPoint("hand", (-0.03, -0.05, 0.01)),
    )
    paths = (
        over("pulley", ("upper", (-0.05, -0.1, 0)), ("lower", (-0.05, -0.15, 0.01)), "elbow"),
        over("sphere", (None, (0.04, 0.06, 0.0)), ("upper", (-0.04, -0.16, 0.0)), "head"),
        over("ellipsoid", ("upper", (0.01, -0.2, 0.03)), ("hand", (0.0, -0.04, -0.02)), "belly"),
        over("torus", ("upper", (0.08, -0.25, 0)), ("hand", (0.09, -0.1, 0)), "ring"),
        MusclePath("many", three, (PathWrap("head", 0, 1), PathWrap("elbow"), PathWrap("belly", 1, 2))),
        MusclePath("moving", (from_, moving, PathPoint("hand", (0.0, -0.02, 0)))),
        MusclePath("conditional", (from_, PathPoint("lower", (0.03, -0.02, 0), ("lower", 0.5, 2.0)), to)),
    )
    return Paths(figure, paths, objects)


def postures(figure, count=24):
    rng = np.random.default_rng(4)
    return rng.uniform(-0.6, 1.2, (count, figure.nq)), rng.normal(size=(count, figure.nv))


@pytest.mark.parametrize("coupled", [False, True])
def test_speeds_are_the_derivatives_of_lengths(coupled):
    """Along q + h v. Richardson's differences err by h⁴ times the fifth derivative, 1e-10 at h = 1e-4; the error where
    they disagree is that of a line that meets or leaves a surface between the postures."""
    figure = arm(coupled)
    paths = all_kinds(figure)
    q, v = postures(figure)
    found = path_geometry(paths, q, v)
    assert not found.planar.any()
    assert not found.unsettled.any()

    def difference(h):
        return (path_geometry(paths, q + h * v).length - path_geometry(paths, q - h * v).length) / (2 * h)

    wide, near, nearer = (difference(h) for h in (2e-4, 1e-4, 5e-5))
    one, two = (4 * near - wide) / 3, (4 * nearer - near) / 3
    smooth = np.abs(one - two) < 1e-7
    assert smooth.mean() > 0.95
    assert np.abs(found.speed - two)[smooth].max() < 1e-8


def test_a_pulley_has_its_radius_as_moment_arm():
    figure = arm()
    paths = all_kinds(figure)
    q = np.array([0.1, 0.2, 0.3, 0.0])
    found = path_geometry(paths, q)
    k, j = paths.names.index("pulley"), figure.coordinates.index("lower")
    outline = path_outlines(paths, q)[k]
    assert len(outline) == 4
    # the line crosses the axis at an angle: its arm is the radius times the cosine of its rise
    z = outline[-1] - outline[-2]
    from motiform.motion.tree import forward_kinematics

    axis = forward_kinematics(figure, q).rotation[1] @ np.array([0, 0, 1.0])
    rise = abs(z @ axis) / np.linalg.norm(z)
    assert abs(found.arm[k, j]) == pytest.approx(0.025 * np.sqrt(1 - rise**2), rel=1e-12)


def test_a_conditional_point_is_there_within_its_range():
    figure = arm()
    paths = all_kinds(figure)
    k = paths.names.index("conditional")
    inside, outside = (path_outlines(paths, figure.configuration(lower=x))[k] for x in (1.0, 0.4))
    assert (len(inside), len(outside)) == (3, 2)


def test_wrenches_do_the_work_of_the_moment_arms():
    """Inverse dynamics with the wrenches as external loads is less by arms times tensions, to rounding: sums of some
    hundred terms of 100 N·m, 1e-12."""
    figure = arm()
    paths = all_kinds(figure)
    fixed = Paths(figure, tuple(p for p in paths.paths if p.name != "moving"), paths.objects)
    q, v = postures(figure)
    tension = np.random.default_rng(0).uniform(10, 300, (len(q), len(fixed.paths)))
    a = np.zeros_like(v)
    loads = path_wrenches(fixed, q, tension)
    done = inverse_dynamics(figure, q, v, a) - inverse_dynamics(figure, q, v, a, loads)
    wanted = np.einsum("sm,smk->sk", tension, path_geometry(fixed, q).arm)
    np.testing.assert_allclose(done, wanted, rtol=0, atol=1e-10)


def test_threads_do_not_change_bits_and_single_postures_are_rows_of_a_batch():
    paths = all_kinds(arm())
    q, v = postures(paths.figure, 100)
    many = path_geometry(paths, q, v)
    with threads(1):
        one = path_geometry(paths, q, v)
    np.testing.assert_array_equal(many.arm, one.arm)
    np.testing.assert_array_equal(path_geometry(paths, q[7]).length, many.length[7])
    assert path_geometry(paths, q.reshape(4, 25, -1)).arm.shape == (4, 25, 7, 4)


def test_slopes_of_moment_arms_are_second_derivatives_of_lengths():
    """A straight line over a hinge has L² = a² + b² − 2 a b cos θ; over a pulley the arm is constant.

    With L L' = a b sin θ:  L'' = a b cos θ/L − L'²/L. Rounding of arms of 0.1 m over steps of 2e-3 is below 1e-12.
    """
    b = FigureBuilder()
    b.segment("rod", None, joints.revolute((0, 0, 1)), mass=1.0, com=(0, -0.2, 0), inertia=np.eye(3) * 1e-3)
    figure, a, c = b.build(), 0.3, 0.1
    straight = MusclePath("straight", (PathPoint(None, (a, 0, 0)), PathPoint("rod", (c, 0, 0))))
    around = MusclePath(
        "around", (PathPoint(None, (-0.2, 0.03, 0)), PathPoint("rod", (0.2, 0.03, 0))), (PathWrap("p"),)
    )
    paths = Paths(figure, (straight, around), (WrapObject("p", None, WrapCylinder(radius=0.05), shifted(0, 0, 0)),))
    theta = np.array([[[0.4], [1.1]], [[1.9], [-0.4]]])
    found = arm_slopes(paths, theta)
    length = np.sqrt(a * a + c * c - 2 * a * c * np.cos(theta))
    first = a * c * np.sin(theta) / length
    assert found.slope.shape == (2, 2, 2, 1, 1)
    np.testing.assert_allclose(found.slope[..., 0, 0, 0], (-a * c * np.cos(theta) / length + first**2 / length)[..., 0],
                               rtol=0, atol=1e-11)  # fmt: skip
    np.testing.assert_allclose(found.slope[1, 1, 1], 0.0, atol=1e-12)  # at −0.4 rad it lies on the pulley


def test_slopes_over_all_surfaces_are_symmetric():
    paths = all_kinds(arm())
    found = arm_slopes(paths, postures(paths.figure, 20)[0])
    smooth = found.error.max(axis=(-1, -2)) < 1e-8  # nothing is met or left close by
    assert smooth.mean() > 0.9
    crossed = np.swapaxes(found.slope, -1, -2)
    np.testing.assert_allclose(found.slope[smooth], crossed[smooth], rtol=0, atol=1e-8)
    assert np.abs(found.slope[smooth]).max() > 1e-2


@pytest.mark.parametrize("coupled", [False, True])
def test_the_compiled_call_of_one_posture_gives_the_rows_of_a_batch(coupled):
    paths = all_kinds(arm(coupled))
    q, _ = postures(paths.figure, 5)
    many = path_geometry(paths, q)
    for k in range(5):
        length, arms, _ = path_state(paths, q[k])
        np.testing.assert_array_equal(length, many.length[k])
        np.testing.assert_allclose(arms, many.arm[k], rtol=0, atol=1e-16 if coupled else 0)


def test_points_buried_in_a_surface_are_reported():
    paths = all_kinds(arm())
    assert paths.buried == ()
    inside = MusclePath(
        "in", (PathPoint("upper", (0.0, -0.31, 0)), PathPoint("lower", (0.1, 0, 0))), (PathWrap("elbow"),)
    )
    assert "point 0 of path 'in' is inside wrap object 'elbow'" in Paths(paths.figure, (inside,), paths.objects).buried


P, Q = PathPoint("upper", (0, 0, 0)), PathPoint("lower", (0, 0, 0))


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda f: Paths(f, (MusclePath("a", (P,)),)), "two points or more"),
        (lambda f: Paths(f, (MusclePath("a", (P, PathPoint("lwoer", (0, 0, 0)))),)), "unknown segment.*lower"),
        (lambda f: Paths(f, (MusclePath("a", (P, Q), (PathWrap("bone"),)),)), "unknown wrap object"),
        (lambda f: Paths(f, (MusclePath("a", (P, Q), (PathWrap("bone", 1, 0),)),)), "points of the path"),
        (
            lambda f: Paths(f, (MusclePath("a", (P, PathPoint("lower", (0, 0, 0), ("elbow", 0, 1)))),)),
            "plain coordinate",
        ),
        (lambda f: Paths(f, (MusclePath("a", (P, Q)), MusclePath("a", (P, Q)))), "a name of its own"),
        (lambda f: PathPoint("upper", (0, 0)), "three numbers"),
        (lambda f: PathPoint("upper", (0, 0, 0), ("lower", 1, 0)), "range is empty"),
        (lambda f: WrapObject("a", "upper", WrapCylinder(radius=-0.1)), "radius must be above 0"),
    ],
)
def test_wrong_input_is_named(make, text):
    with pytest.raises(InputError, match=text):
        make(arm())


def elbow_over_an_ellipsoid():
    """Two links and a path over an ellipsoid at the joint, which changes sides at 0.6044 rad."""
    down = Transform(np.eye(3), np.array([0, -0.3, 0]))
    b = FigureBuilder()
    moments = {"com": (0, -0.15, 0), "inertia": np.diag([0.02, 0.003, 0.02])}
    b.segment("upper", None, joints.revolute((0, 0, 1)), mass=2.0, **moments)
    b.segment("lower", "upper", joints.revolute((0, 0, 1)), placement=down, mass=1.5, **moments)
    tilt = Transform(np.array([[1, 0, 0], [0, 0.96, -0.28], [0, 0.28, 0.96]]), np.array([0, -0.3, 0]))
    thing = WrapObject("ball", "upper", WrapEllipsoid(radii=(0.025, 0.04, 0.06)), tilt)
    ends = PathPoint("upper", (-0.03, -0.08, 0.01)), PathPoint("lower", (-0.03, -0.06, -0.012))
    return b.build(), MusclePath("p", ends, (PathWrap("ball"),)), thing


def test_a_path_that_changes_sides_is_found():
    """The jump of the length is that of lengths a nanoradian apart, and there is none elsewhere."""
    figure, path, thing = elbow_over_an_ellipsoid()
    paths = Paths(figure, (path,), (thing,))
    q, v = np.array([0.3, 0.6]), np.array([0.0, 1.0])
    (jump,) = path_jumps(paths, q, v, 0.01)
    low, high = 0.6, 0.61
    for _ in range(30):
        middle = 0.5 * (low + high)
        arm = path_geometry(paths, np.array([0.3, middle])).arm[0, 1]
        low, high = (middle, high) if arm < 0 else (low, middle)
    length = path_geometry(paths, np.array([[0.3, low], [0.3, high]])).length[:, 0]
    assert abs(jump) > 5e-4
    assert jump == pytest.approx(length[1] - length[0], abs=1e-9)
    assert path_jumps(paths, q, 0.1 * v, 0.01) == 0
    assert path_jumps(paths, np.array([0.3, 0.3]), v, 0.2) == 0


def test_a_run_tells_that_a_path_has_changed_sides():
    figure, path, thing = elbow_over_an_ellipsoid()
    muscle = Muscle(path, max_force=1.0, fibre_length=0.1, slack_length=0.2, rigid_tendon=True)
    acting = HillMuscles(Muscles(figure, (muscle,), (thing,)))
    given = {"q0": (0.3, 0.3), "v0": (0.0, 3.0), "controls": acting, "rate": 100}
    rec = simulate(figure.replace(gravity=(0, 0, 0)), t1=0.2, **given)
    angle, jumps = rec["q"][:, 1], rec["muscles.warning"][:, 0] == 8
    assert jumps.any()
    assert np.abs(angle[jumps] - 0.6044).max() < 0.04  # 10 ms at 3 rad/s, and some
    assert any("muscle 'p': its length or moment arm jumps near t = " in note for note in rec.manifest["notes"])


@pytest.mark.parametrize("surface", [WrapSphere(radius=0.05), WrapCylinder(radius=0.05)])
def test_a_run_tells_that_an_arm_jumps_where_both_ways_around_are_of_one_length(surface):
    """The ends lie 3 mm above the diameter, 0.2 m from its middle: both ways are alike at −0.03 rad."""
    b = FigureBuilder(gravity=(0, 0, 0))
    b.segment("base", None, joints.fixed())
    b.segment("arm", "base", joints.revolute((0, 0, 1)), mass=1.0, com=(0.1, 0, 0), inertia=0.01 * np.eye(3))
    figure, thing = b.build(), WrapObject("ball", "base", surface)
    ends = PathPoint("base", (-0.2, 0.003, 0)), PathPoint("arm", (0.2, 0.003, 0))
    path = MusclePath("p", ends, (PathWrap("ball"),))
    turn = -2 * np.arctan(0.003 / 0.2)
    muscle = Muscle(path, max_force=1.0, fibre_length=0.1, slack_length=0.3, rigid_tendon=True)
    given = {"q0": (-0.5,), "v0": (3.0,), "controls": HillMuscles(Muscles(figure, (muscle,), (thing,))), "rate": 100}
    rec = simulate(figure, t1=0.3, **given)
    jumps = rec["muscles.warning"][:, 0] == 8
    assert 1 <= jumps.sum() <= 4
    assert np.abs(rec["q"][jumps, 0] - turn).max() < 0.05
    assert any("length or moment arm jumps near t = " in note for note in rec.manifest["notes"])
    assert path_jumps(Paths(figure, (path,), (thing,)), np.array([turn]), np.array([3.0]), 0.01) == 0
