"""Task functions: derivatives, inverse, priorities; trajectories and their files; computed task control."""

import numpy as np
import pytest

from motiform import FigureBuilder, Transform, joints
from motiform.base.errors import InputError
from motiform.motion.actuation.bip_stepping import bip_tasks
from motiform.motion.actuation.tasks import (
    CenterTask,
    OrientationTask,
    PostureTask,
    TagTask,
    TaskControl,
    TaskFunction,
    TaskTrajectory,
    prioritized,
    read_traj3,
    write_traj3,
)
from motiform.motion.contact import Contacts, contact_dynamics, floor, points_of_tags
from motiform.motion.figures import bip
from motiform.motion.figures.bip_table import SUSPENSION
from motiform.motion.tree import centers_of_mass, forward_dynamics, tags
from motiform.motion.tree import forward_kinematics as poses_of
from motiform.motion.tree.model.functions import Polynomial


@pytest.fixture(scope="module")
def robot():
    return bip()


@pytest.fixture(scope="module")
def whole(robot):
    tasks = [
        CenterTask("right_ankle", "pelvis"), CenterTask(axes="xz"), OrientationTask("trunk", "right_foot"),
        OrientationTask("left_foot"), TagTask("left_knee", "lumbar", "trunk"), TagTask("right_knee"),
        PostureTask(robot.coordinates[12:]),
    ]  # fmt: skip
    return TaskFunction(robot, tasks)


def arm():
    """Two links of 0.4 and 0.3 m in a plane."""
    b = FigureBuilder(name="arm")
    body = {"mass": 1.0, "com": (0.15, 0, 0), "inertia": np.diag([1e-3, 1e-2, 1e-2])}
    b.segment("upper", None, joints.revolute((0, 0, 1)), **body)
    place = Transform(np.eye(3), np.array([0.4, 0, 0]))
    b.segment("lower", "upper", joints.revolute((0, 0, 1)), placement=place, **body)
    b.tag("hand", "lower", (0.3, 0, 0))
    return b.build()


def test_jacobian_and_bias_by_differences(robot, whole):
    """Central differences: h² q''' of the value, and its rounding over h and h²."""
    rng = np.random.default_rng(0)
    q, v = 0.2 * rng.normal(size=21), rng.normal(size=21)
    found = whole.at(q, v)
    h = 1e-6
    slopes = np.stack([(whole(q + h * e) - whole(q - h * e)) / (2 * h) for e in np.eye(21)], axis=1)
    np.testing.assert_allclose(found.jacobian, slopes, atol=1e-8)
    h = 1e-4
    bend = (whole(q + h * v) - 2 * whole(q) + whole(q - h * v)) / h**2
    np.testing.assert_allclose(found.bias, bend, atol=1e-5)
    np.testing.assert_allclose(found.rate, found.jacobian @ v)


def test_tasks_of_coordinates_that_follow_others():
    """A coordinate that is a function of another one: by differences, as above; axes in the order asked for."""
    b = FigureBuilder(name="leg")
    body = {"mass": 1.0, "com": (0.1, 0.02, 0.03), "inertia": np.diag([1e-3, 1e-2, 1e-2])}
    place = Transform(np.eye(3), np.array([0.4, 0, 0.1]))
    for name, parent, axis in (("hip", None, (0, 0, 1)), ("knee", "hip", (0, 0.6, 0.8)), ("foot", "knee", (1, 0, 0))):
        b.segment(name, parent, joints.revolute(axis), placement=place, **body)
    b.tag("toe", "foot", (0.2, 0.1, 0))
    b.couple("foot", "knee", Polynomial((0.1, 0.5, 0.2)))
    leg = b.build()
    tasks = [CenterTask(), TagTask("toe", frame="hip", axes="zx"), OrientationTask("foot"), PostureTask(("knee",))]
    function = TaskFunction(leg, tasks)
    q, v = np.array([0.3, 0.5]), np.array([0.7, -0.4])
    found, h = function.at(q, v), 1e-6
    slopes = np.stack([(function(q + h * e) - function(q - h * e)) / (2 * h) for e in np.eye(2)], axis=1)
    np.testing.assert_allclose(found.jacobian, slopes, atol=1e-8)
    np.testing.assert_allclose(found.rate, slopes @ v, atol=1e-8)
    h = 1e-4
    bend = (function(q + h * v) - 2 * function(q) + function(q - h * v)) / h**2
    np.testing.assert_allclose(found.bias, bend, atol=1e-5)
    plain = TaskFunction(leg, [TagTask("toe", frame="hip")])(q)
    assert found.value[3:5] == pytest.approx(plain[[2, 0]])


@pytest.mark.parametrize("layout", ["turns", "humans"])
def test_the_function_of_the_document_has_an_inverse(robot, layout):
    """21 numbers of 21 coordinates [HuMAnS Table 8.1]: Newton finds a bent posture again."""
    function = bip_tasks(robot, layout)
    assert function.size == 21
    rng = np.random.default_rng(1)
    bent = dict.fromkeys(("right_knee", "left_knee"), 0.6) | dict.fromkeys(("right_hip_pitch", "left_hip_pitch"), -0.3)
    q = robot.configuration(**bent) + 0.05 * rng.normal(size=21)
    found = function.inverse(function(q), robot.configuration(**bent))
    assert found.settled
    assert found.steps < 15
    np.testing.assert_allclose(found.q, q, atol=1e-8)
    assert max(found.errors.values()) < 1e-10


def test_the_printed_table_of_the_task_function(robot):
    """Q1 to Q12 from places of the tags, the centre of mass and frames, number by number [HuMAnS Table 8.1]."""
    q = robot.configuration(right_knee=0.6, left_knee=0.4, lumbar_roll=0.2, right_ankle_roll=0.1, pelvis_yaw=0.3)
    R, p = poses_of(robot, q)
    places, center = tags(robot, q), centers_of_mass(robot, q)[-1]

    def seen(tag, frame):
        x = center if tag == "G" else places[tag - 1]
        return R[robot.index(frame)].T @ (x - p[robot.index(frame)])

    wanted = []
    for ankle in (5, 10):
        (x, y, z), (xa, ya, za) = seen("G", "pelvis"), seen(ankle, "pelvis")
        wanted += [z - za, ya - y, x - xa]
    for foot in ("right_foot", "left_foot"):
        low_right, low_left, high = (seen(tag, foot) for tag in (16, 17, 18))
        wanted += [low_right[0] - low_left[0], low_left[2] - low_right[2], high[2] - low_right[2]]
    function = bip_tasks(robot, "humans")
    np.testing.assert_allclose(function(q), [*wanted, *q[12:]], atol=1e-14)
    rng = np.random.default_rng(3)
    v, h = rng.normal(size=21), 1e-6
    slope = (function(q + h * v) - function(q - h * v)) / (2 * h)
    np.testing.assert_allclose(function.at(q, v).rate, slope, atol=1e-8)
    np.testing.assert_allclose(function.at(q, v).jacobian @ v, function.at(q, v).rate, atol=1e-12)
    with pytest.raises(InputError, match="no such layout"):
        bip_tasks(robot, "human")


def test_an_arm_reaches_by_the_law_of_cosines():
    figure = arm()
    x, y = 0.45, 0.2
    bend = np.arccos((x**2 + y**2 - 0.4**2 - 0.3**2) / (2 * 0.4 * 0.3))
    lift = np.arctan2(y, x) - np.arctan2(0.3 * np.sin(bend), 0.4 + 0.3 * np.cos(bend))
    found = TaskFunction(figure, [TagTask("hand", axes="xy")]).inverse([x, y], [0.1, 0.5])
    np.testing.assert_allclose(found.q, [lift, bend], atol=1e-9)


def test_what_is_out_of_reach_is_reported():
    """The hand comes as near as it can, 0.7 m toward the target; of two tasks the second is given up, not the hand.

    The last of the way to a straight arm is slow: its reach falls with the square of the bend.
    """
    figure = arm()
    far = TaskFunction(figure, [TagTask("hand", axes="xy")]).inverse([0.9, 0.0], [0.2, 0.3], most=300)
    assert not far.settled
    assert far.errors["hand.x"] == pytest.approx(0.2, abs=0.02)
    both = TaskFunction(figure, [PostureTask(("upper",), priority=1), TagTask("hand", axes="xy")])
    found = both.inverse([0.0, 0.45, 0.2], [0.1, 0.5], most=500)
    assert found.errors["hand.x"] < 1e-8
    assert found.errors["upper"] > 0.05


def test_priorities_are_constrained_least_squares():
    """min |J₂ x − b₂| with J₁ x = b₁, by the null space of J₁ from a QR decomposition."""
    rng = np.random.default_rng(2)
    J1, b1, J2, b2 = rng.normal(size=(3, 7)), rng.normal(size=3), rng.normal(size=(6, 7)), rng.normal(size=6)
    x = prioritized([(J1, b1), (J2, b2)])
    Z = np.linalg.qr(J1.T, mode="complete")[0][:, 3:]
    one = np.linalg.lstsq(J1, b1, rcond=None)[0]
    other = one + Z @ np.linalg.lstsq(J2 @ Z, b2 - J2 @ one, rcond=None)[0]
    np.testing.assert_allclose(x, other, atol=1e-12)


# ---------------------------------------------------------------- trajectories
def way():
    poses = np.array([[0.0, 1.0], [0.4, 1.5], [1.0, 1.0], [1.0, 0.0], [0.5, 0.0]])
    return TaskTrajectory([0.5, 1.5, 3.5], [3, 1], poses)


def test_a_trajectory_rests_at_stable_poses_and_passes_the_others():
    path = way()
    poses = np.asarray(path.poses)
    for k, t in enumerate((0.5, 1.5, 3.5)):
        for at in (path(t), path(t - 1e-12)):
            np.testing.assert_allclose(at.value, poses[2 * k], atol=1e-12)
            np.testing.assert_allclose([at.rate, at.acceleration], np.zeros((2, 2)), atol=1e-9)
    np.testing.assert_allclose(path(1.0).value, poses[1], atol=1e-15)
    np.testing.assert_allclose(path(2.5).value, poses[3], atol=1e-15)
    assert [path(t).contact for t in (0.0, 1.0, 1.6, 9.0)] == [3, 3, 1, 1]
    h = 1e-5
    for t in (0.8, 1.31, 2.2):
        np.testing.assert_allclose(path(t).rate, (path(t + h).value - path(t - h).value) / (2 * h), atol=1e-8)
        np.testing.assert_allclose(path(t).acceleration, (path(t + h).rate - path(t - h).rate) / (2 * h), atol=1e-8)


def test_traj3_files(tmp_path):
    write_traj3(way(), tmp_path / "one.traj3")
    again = read_traj3(tmp_path / "one.traj3")
    np.testing.assert_array_equal(again.poses, way().poses)
    np.testing.assert_array_equal(again.times, way().times)
    assert list(again.contacts) == [3, 1]
    text = (tmp_path / "one.traj3").read_text()
    assert text.splitlines()[:4] == ["Nombre de points", "5", "Temps et contacts", "0.5 3 1.5 1 3.5"]
    for old, new, words in (("0.5 3 1.5", "0.5 3.5 1.5", "whole numbers"), ("\n5\n", "\n6\n", "do not fit"),
                            ("Temps et contacts", "Zeiten", ".traj3 file must"), ("1.0", "one", "must hold numbers"),
                            ("0.5 3 1.5", "0.5 9 1.5", "known codes")):  # fmt: skip
        (tmp_path / "bad.traj3").write_text(text.replace(old, new))
        with pytest.raises(InputError, match=words):
            read_traj3(tmp_path / "bad.traj3")


# ---------------------------------------------------------------- control
def test_tasks_accelerate_as_commanded():
    """A driven arm: H a + h = Q̈* + 2 ζ ω (Q̇* − Q̇) + ω² (Q* − Q), with a of forward dynamics under the efforts."""
    figure = arm()
    function = TaskFunction(figure, [TagTask("hand", axes="xy")])
    path = TaskTrajectory([0.0, 1.0], [3], [[0.4, 0.2], [0.5, 0.3], [0.3, 0.4]])
    control = TaskControl(function, path, ["upper", "lower"], {3: ()}, frequency=1.0, ratio=0.7)
    q, v, t = np.array([0.3, 0.9]), np.array([0.5, -1.0]), 0.4
    a = forward_dynamics(figure, q, v, control(t, q, v).efforts)
    at, wanted, w = function.at(q, v), path(t), 2 * np.pi
    drawn = wanted.acceleration + 1.4 * w * (wanted.rate - at.rate) + w**2 * (wanted.value - at.value)
    np.testing.assert_allclose(at.jacobian @ a + at.bias, drawn, atol=1e-9)


def test_a_robot_on_one_foot_moves_as_the_control_counts_on(robot):
    """Contact dynamics with the efforts of the control has its accelerations: two roads to one motion."""
    names = dict.fromkeys(("right_knee", "left_knee"), 0.6) | dict.fromkeys(
        ("right_hip_pitch", "left_hip_pitch", "right_ankle_pitch", "left_ankle_pitch"), -0.3
    )
    q = robot.configuration(**names, right_hip_roll=0.05, pelvis_rightward=0.1)
    function, foot = bip_tasks(robot), robot.contact_solids["right_foot"]
    value = function(q)
    path = TaskTrajectory([0.0, 1.0], [1], [value, value, value])
    control = TaskControl(function, path, robot.coordinates[:15], {1: foot}, frequency=1.0, friction=2.0)
    found = control(0.5, q, np.zeros(21))
    contacts = Contacts(points_of_tags(robot, robot.contact_solids), (floor(),))
    tau = np.zeros(21)
    tau[:15] = found.efforts
    if found.missing < 0.1:  # within the feet
        real = contact_dynamics(robot, contacts, q, np.zeros(21), tau, active=foot)
        np.testing.assert_allclose(real.acceleration, found.acceleration, atol=1e-2)
    assert found.forces[:, 1].min() >= 0.0
    assert found.forces[:, 1].sum() == pytest.approx(robot.mass * 9.81, rel=0.05)


def test_a_robot_that_hangs_moves_as_commanded(robot, tmp_path):
    """Code 4: with its trunk welded to the world, the tasks have the accelerations asked for, and nothing is missing.

    The weld is the suspension: two roads to one motion, forward dynamics with a closure and the control's forces.
    """
    builder = FigureBuilder(name="hung")
    builder.add(robot, "")
    builder.close("suspension", None, (0, 0, 0), "trunk", tuple(_trunk_in_world(robot)), "weld")
    hung = builder.build()
    own = robot.coordinates[:15]
    function = TaskFunction(robot, [PostureTask(own)])
    poses = np.array([np.zeros(15), 0.1 * np.ones(15), 0.2 * np.ones(15)])
    write_traj3(TaskTrajectory([0.0, 1.0], [4], poses), tmp_path / "hung.traj3")
    path = read_traj3(tmp_path / "hung.traj3")
    control = TaskControl(function, path, own, {4: SUSPENSION}, frequency=1.0)
    q = robot.neutral()
    found = control(0.3, q, np.zeros(21))
    assert found.missing < 1e-8
    assert found.forces.sum(0)[1] == pytest.approx(robot.mass * 9.81, rel=0.2)  # its parts accelerate
    tau = np.zeros(21)
    tau[:15] = found.efforts
    a = forward_dynamics(hung, q, np.zeros(21), tau)
    wanted, w = path(0.3), 2 * np.pi
    np.testing.assert_allclose(a[:15], wanted.acceleration + 2 * w * wanted.rate + w**2 * wanted.value, atol=1e-6)


def _trunk_in_world(robot):
    """Return the point of the trunk that is at the world's origin."""
    at = poses_of(robot, robot.neutral())
    n = robot.names.index("trunk")
    return -at.rotation[n].T @ at.position[n]


def reach(figure, axes):
    return TaskFunction(figure, [TagTask("hand", axes=axes)])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda f: TaskFunction(f, []), "must have tasks"),
        (lambda f: TaskFunction(f, [TagTask("nose")]), "no such tag"),
        (lambda f: TaskFunction(f, [TagTask("hand", axes="xw")]), "axes must be"),
        (lambda f: TaskFunction(f, [OrientationTask("hip")]), "no such segment"),
        (lambda f: TaskFunction(f, [PostureTask(("hip",))]), "no such coordinate"),
        (lambda f: TaskFunction(f, [TagTask("hand")]).inverse([0.1]), "all numbers of Q"),
        (lambda f: TaskFunction(f, [TagTask("hand")])([0.1]), "q of a task function must have 2 numbers"),
        (lambda f: TaskTrajectory([0, 1], [7], np.zeros((3, 1))), "known codes"),
        (lambda f: TaskTrajectory([0, 1], [3], np.zeros((2, 1))), "must fit the times"),
        (lambda f: TaskTrajectory([1, 0], [3], np.zeros((3, 1))), "must increase"),
        (lambda f: TaskControl(reach(f, "xyz"), way(), ["upper"], {3: (), 1: ()}), "of the task function"),
        (lambda f: TaskControl(reach(f, "xy"), way(), ["upper"], {3: ()}), "contact code 1"),
    ],
)  # fmt: skip
def test_wrong_input_is_named(make, words):
    with pytest.raises(InputError, match=words):
        make(arm())


FIT_NOT = ([], [(np.zeros(3), 0.0)], [(np.eye(3), np.zeros(2))], [(np.eye(3), np.zeros(3)), (np.eye(2), np.zeros(2))])


@pytest.mark.parametrize("levels", FIT_NOT)
def test_levels_that_do_not_fit_are_refused(levels):
    with pytest.raises(InputError, match="same columns in all"):
        prioritized(levels)
