"""Models that are written and read again have the same figure and the same muscles."""

import numpy as np
import pytest

from bench.act.model import postures, write_model
from motiform import FigureBuilder, Transform, joints, read_muscles
from motiform.base.errors import MotiformError
from motiform.geometry.paths import WrapEllipsoid, WrapSphere, WrapTorus
from motiform.motion.actuation.muscles import (
    CoordinateActuator,
    DeGrooteFregly,
    LigamentForce,
    Millard,
    MovingPoint,
    Muscle,
    MusclePath,
    Muscles,
    PathPoint,
    PathWrap,
    Thelen,
    WrapObject,
    path_geometry,
    write_osim,
)
from motiform.motion.figures import human36
from motiform.motion.tree import forward_kinematics, inertia_matrix, tags
from motiform.motion.tree.model.functions import Polynomial, Spline, linear
from motiform.motion.tree.read import read_osim
from motiform.motion.tree.read.osim.functions import SimmSpline
from squat import write_model as write_legs


def arm(knots=SimmSpline):
    """Two segments: shift and turns about a point beside the frame; a coordinate that drives a turn and a shift."""
    b = FigureBuilder(name="arm", gravity=(0, 0, -9.81))
    turn = Transform.from_euler([0.3, -0.2, 0.5], "xyz", [0.1, 0.2, -0.1])
    first = joints.AxesJoint(
        [joints.Axis("prismatic", (0, 1, 0), offset=0.02), joints.Axis("revolute", (1, 0, 0), (0.1, 0, 0.05)),
         joints.Axis("revolute", (0, 0.6, 0.8), (0.1, 0, 0.05), offset=-0.4)], ["slide", "tip", "roll"],
        [(-1, 1), (-np.inf, np.inf), (-2, 2)],
    )  # fmt: skip
    b.segment("upper", None, first, placement=turn, mass=2.0, com=(0, -0.1, 0), inertia=np.diag([0.02, 0.01, 0.02]))
    knee = joints.FunctionJoint(
        [joints.Axis("prismatic", (1, 0, 0)), joints.Axis("revolute", (0, 0, 1))],
        [knots(np.array([-2.0, 0.0, 1.0, 2.0]), np.array([0.0, 0.01, 0.02, 0.0])), Polynomial((0.1, 1.0, 0.2))],
        [0, 0], ["bend"],
    )  # fmt: skip
    place = Transform(np.eye(3), np.array([0, -0.3, 0]))
    b.segment(
        "lower", "upper", knee, placement=place, mass=1.0, com=(0, -0.1, 0.01), inertia=np.diag([0.01, 0.01, 0.01])
    )
    b.segment("watch", "lower", joints.fixed(), placement=turn, mass=0.1, com=(0, 0.01, 0), inertia=np.eye(3) * 1e-5)
    b.tag("hand", "lower", (0.01, -0.25, 0.02))
    return b.build()


def same_figure(one, other, count=4, seed=0):
    """Poses, tags and inertia at random postures; rounding of Euler angles and sums, some 1e-15 of metres."""
    rng = np.random.default_rng(seed)
    q = one.neutral() + 0.3 * rng.normal(size=(count, one.nq))
    order = [one.coordinates.index(name) for name in other.coordinates]
    p = q[:, order]
    np.testing.assert_allclose(tags(one, q), tags(other, p), atol=1e-12)
    segments = [one.index(name) for name in other.names]
    np.testing.assert_allclose(
        forward_kinematics(one, q).rotation[:, segments], forward_kinematics(other, p).rotation, atol=1e-12
    )
    M = inertia_matrix(one, q)[:, order][:, :, order]
    np.testing.assert_allclose(M, inertia_matrix(other, p), atol=1e-10)
    np.testing.assert_array_equal(one.gravity, other.gravity)
    np.testing.assert_allclose(one.neutral()[order], other.neutral(), atol=1e-15)
    np.testing.assert_array_equal(one.limits[order], other.limits)


def test_a_figure_comes_back(tmp_path):
    figure = arm()
    assert write_osim(figure, tmp_path / "arm.osim") == ()
    same_figure(figure, read_osim(tmp_path / "arm.osim"))


def test_human36_comes_back(tmp_path):
    man = human36(1.8, 80.0)
    notes = write_osim(man, tmp_path / "man.osim")
    assert notes == ("man.osim does not hold looks of segments",)
    again = read_osim(tmp_path / "man.osim")
    assert set(again.coordinates) == set(man.coordinates)
    same_figure(man, again, 2)


def moving_muscles():
    """Every kind of point, surface, model, ligament and actuator."""
    figure = arm()
    still = PathPoint("upper", (0.03, -0.05, 0.0))
    moving = MovingPoint("lower", (SimmSpline(np.array([-1.0, 0.0, 1.0]), np.array([0.02, 0.03, 0.02])),
                                   linear(0.01, -0.03), Polynomial((0.0,))), ("bend", "bend", None),
                         ((-99999.9, 99999.9), (-99999.9, 99999.9), (-np.inf, np.inf)))  # fmt: skip
    where = PathPoint("upper", (0.04, -0.2, 0.0), ("bend", -0.2, 2.0))
    end = PathPoint("lower", (0.02, -0.1, 0.01))
    turned = Transform.from_euler([0.1, 0.2, 0.3], "xyz", [0, -0.25, 0])
    objects = (
        WrapObject("ball", "upper", WrapSphere("+x", 0.02), turned),
        WrapObject("egg", "upper", WrapEllipsoid("all", (0.02, 0.03, 0.025)), turned),
        WrapObject("ring", "upper", WrapTorus("all", 0.004, 0.05), turned),
    )
    shape = Millard(passive_slopes=(0.2, 3.0, 0.7), tendon_shape=(28.0, 0.6, 0.5), active_least=0.05, damping=0.2)
    muscles = (
        Muscle(MusclePath("a", (still, end), (PathWrap("ball"),)), 500.0, 0.1, 0.12, 0.2, 9.0, Thelen(0.5, 0.7),
               activations=(0.01, 1.0)),
        Muscle(MusclePath("b", (still, moving)), 600.0, 0.11, 0.13, 0.1, 8.0, shape, activations=(0.02, 0.9)),
        Muscle(MusclePath("c", (still, where, end), (PathWrap("egg", 0, 1, "midpoint"),)), 700.0, 0.09, 0.1, 0.0, 10.0,
               DeGrooteFregly(1.1, 0.5, 0.04, 0.01), True, 0.01, 0.04, smoothing=0.2),
    )  # fmt: skip
    band = LigamentForce(MusclePath("band", (PathPoint(None, (0.1, 0.4, 0)), end)), 0.3, 90.0, linear(2.0, -2.0))
    return Muscles(figure, muscles, objects, (band,), (CoordinateActuator("motor", "bend", 50.0, -1.0, 1.0),))


def test_muscles_come_back(tmp_path):
    mine = moving_muscles()
    write_osim(mine, tmp_path / "arm.osim")
    again = read_muscles(tmp_path / "arm.osim")
    assert again.names == mine.names
    keys = ("max_force", "fibre_length", "slack_length", "pennation", "max_speed", "model", "rigid_tendon",
            "activation_time", "deactivation_time", "activations", "smoothing")  # fmt: skip
    for one, other in zip(mine.muscles, again.muscles, strict=True):
        for key in keys:
            assert getattr(one, key) == getattr(other, key), (one.name, key)
        assert [wrap.object for wrap in one.path.wraps] == [wrap.object for wrap in other.path.wraps]
    assert again.actuators == mine.actuators
    band, was = again.ligaments[0], mine.ligaments[0]
    assert (band.rest_length, band.force, band.tension(0.4)) == (was.rest_length, was.force, was.tension(0.4))
    assert [(o.name, o.segment, o.surface) for o in again.objects] == [
        (o.name, o.segment, o.surface) for o in mine.objects
    ]
    q = np.random.default_rng(1).uniform(-0.4, 0.8, (20, 4))
    order = [mine.figure.coordinates.index(name) for name in again.figure.coordinates]
    ours, theirs = path_geometry(mine.paths, q), path_geometry(again.paths, q[:, order])
    np.testing.assert_allclose(theirs.length, ours.length, atol=1e-12)
    np.testing.assert_allclose(theirs.arm, ours.arm[:, :, order], atol=1e-9)


def test_models_that_were_read_come_back(tmp_path):
    """Two legs with 92 muscles over cylinders, and planar legs with markers: read, written, read."""
    write_model(tmp_path / "legs.osim")
    write_legs(tmp_path / "planar.osim")
    for name in ("legs", "planar"):
        first = read_muscles(tmp_path / f"{name}.osim")
        write_osim(first, tmp_path / f"{name}2.osim")
        second = read_muscles(tmp_path / f"{name}2.osim")
        q = postures(first.figure.coordinates, 5)
        lengths = [path_geometry(one.paths, q).length for one in (first, second)]
        np.testing.assert_allclose(*lengths, atol=1e-12)
        same_figure(first.figure, second.figure)


def test_opensim_reads_it(tmp_path):
    osim = pytest.importorskip("opensim", reason="opensim has no wheel here")
    mine = moving_muscles()
    write_osim(mine, tmp_path / "arm.osim")
    model = osim.Model(str(tmp_path / "arm.osim"))
    state = model.initSystem()
    assert model.getMuscles().getSize() == 3
    lengths = [model.getMuscles().get(k).getLength(state) for k in range(3)]
    ours = path_geometry(mine.paths, mine.figure.neutral()).length
    np.testing.assert_allclose(lengths, ours, atol=5e-4)  # OpenSim's tangents on surfaces are approximate


def test_what_opensim_does_not_hold_of_muscles_is_reported(tmp_path):
    """Thelen's muscles have a least activation there, and no rigid tendon; only one model blends its times."""
    path = MusclePath("m", (PathPoint(None, (0, 0.4, 0)), PathPoint("lower", (0.02, -0.1, 0.01))))
    one = Muscle(path, 500.0, 0.1, 0.12, model=Thelen(), smoothing=0.1)
    notes = write_osim(Muscles(arm(), (one,)), tmp_path / "a.osim")
    assert notes == ("a.osim does not hold the smoothing of m",
                     "a.osim does not hold activations below 0.01 of Thelen's muscles m")  # fmt: skip
    stiff = Muscle(path, 500.0, 0.1, 0.12, model=Thelen(), rigid_tendon=True)
    with pytest.raises(MotiformError, match="no Thelen muscle with a rigid tendon"):
        write_osim(Muscles(arm(), (stiff,)), tmp_path / "b.osim")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: arm(Spline), "no counterpart"),
        (lambda: chained(joints.free()), "cannot be written"),
        (lambda: chained(joints.helical((0, 0, 1), 0.1)), "without pitch"),
        (lambda: chained(joints.AxesJoint([joints.Axis("revolute", (0, 0, 1)), joints.Axis("prismatic", (1, 0, 0))])),
         "three shifts, then"),
        (lambda: chained(joints.revolute((0, 0, 1)), "a name"), "without blanks"),
        (lambda: 7, "a figure or muscles"),
    ],
)  # fmt: skip
def test_what_cannot_be_written_is_refused(make, words, tmp_path):
    with pytest.raises(MotiformError, match=words):
        write_osim(make(), tmp_path / "x.osim")
    assert not (tmp_path / "x.osim").exists()


def chained(joint, name="body"):
    b = FigureBuilder()
    b.segment(name, None, joint, mass=1.0, inertia=np.eye(3))
    return b.build()


def test_files_are_not_replaced_unasked(tmp_path):
    write_osim(arm(), tmp_path / "arm.osim")
    with pytest.raises(MotiformError, match="exists already"):
        write_osim(arm(), tmp_path / "arm.osim")
    write_osim(arm(), tmp_path / "arm.osim", overwrite=True)
