"""BipOneStep: the robot Bip shifts its weight, swings one leg forward, puts it down and shifts back.  [HuMAnS 8]"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np

from motiform.base.errors import InputError, RunError
from motiform.motion.actuation.motors import Motor, with_rotors
from motiform.motion.actuation.sensing import BaseObserver, FootForceSensor, FootMarks, JointSensor, Reading
from motiform.motion.actuation.tasks import (
    CenterTask,
    OrientationTask,
    PostureTask,
    TagTask,
    Task,
    TaskControl,
    TaskFunction,
    TaskTrajectory,
)
from motiform.motion.actuation.walking import WalkingMotors
from motiform.motion.contact import Contacts, floor, points_of_tags
from motiform.motion.figures import bip
from motiform.motion.figures.bip_table import CONTACTS, FEET, SUSPENSION
from motiform.motion.run import check_number
from motiform.motion.tree import Figure, tags
from motiform.motion.tree.model.joint import Array

__all__ = ["BipStep", "bip_motors", "bip_step", "bip_tasks"]

Layout = Literal["turns", "humans"]
_BASE = ("pelvis_forward", "pelvis_upward", "pelvis_rightward", "pelvis_roll", "pelvis_yaw", "pelvis_pitch")
_REACHED = 1e-8  # [m or rad] error of a pose that is reached
_BENT = {"hip_pitch": -0.35, "knee": 0.7, "ankle_pitch": -0.35}  # rad, to start from


def bip_tasks(figure: Figure, layout: Layout = "turns") -> TaskFunction:
    """Return the document's task function of Bip, of 21 numbers  [HuMAnS Table 8.1].

    Centre of mass from the right and from the left ankle in the axes of the pelvis, turn of the trunk in the axes of
    the right and of the left foot, then q13 to q21. With the layout "turns" turns are sines × axis; "humans" is the
    table as it is printed: differences of places of the trunk's tags 16, 17 and 18 along axes of the foot [m], and
    components in its order and with its signs, so that the numbers of its .traj3 files mean the same. (Its ninth and
    twelfth number are printed z18 − x16; they are z18 − z16.)
    """
    if layout not in get_args(Layout):
        raise InputError("no such layout", where="bip_tasks", got=layout, allowed=" or ".join(get_args(Layout)))
    feet, posture = ("right_foot", "left_foot"), PostureTask(figure.coordinates[12:])
    if layout == "turns":
        centers = [CenterTask(f"{side}_ankle", "pelvis") for side in ("right", "left")]
        return TaskFunction(figure, [*centers, *(OrientationTask("trunk", foot) for foot in feet), posture])
    right, left, high = "trunk_low_right", "trunk_low_left", "trunk_high_right"
    tasks: list[Task] = [CenterTask(f"{side}_ankle", "pelvis", "z-yx") for side in ("right", "left")]
    for foot in feet:
        tasks += [TagTask(right, left, foot, "x"), TagTask(left, right, foot, "z"), TagTask(high, right, foot, "z")]
    return TaskFunction(figure, [*tasks, posture])


def bip_motors(figure: Figure) -> list[Motor]:
    """Return motors of the fifteen joints. (The document prints no numbers: these lift the robot with a margin.)"""
    return [
        Motor(name, constant=0.06, resistance=0.6, gear=120.0, rotor_inertia=2e-5, voltage=48.0)
        for name in figure.coordinates[:15]
    ]


class BipStep(NamedTuple):
    """A robot ready to take a step: give it to `simulate`."""

    figure: Figure
    contacts: Contacts
    controls: WalkingMotors
    q0: Array
    """Posture at the start."""
    trajectory: TaskTrajectory
    postures: Array
    """Of the trajectory's poses, (poses, nq)."""


@dataclass(frozen=True)
class _Stance:
    """Where feet and centre of mass are along the ground [m]."""

    right: tuple[float, float, float]
    left: tuple[float, float, float]
    center: tuple[float, float]


def _posture(figure: Figure, stance: _Stance, height: float, guess: Array) -> Array:
    """Return the posture with level feet at places, an upright pelvis at a height, the centre of mass above a point."""
    function = TaskFunction(
        figure,
        [
            TagTask("right_foot_center"), OrientationTask("right_foot"), TagTask("left_foot_center"),
            OrientationTask("left_foot"), CenterTask(axes="xz"),
            PostureTask(("pelvis_upward", *_BASE[3:], *figure.coordinates[12:15])),
        ],
    )  # fmt: skip
    target = np.concatenate([stance.right, np.zeros(3), stance.left, np.zeros(3), stance.center, [height], np.zeros(6)])
    found = function.inverse(target, guess)
    if not found.settled or np.abs(found.error).max() > _REACHED:
        worst = max(found.errors, key=found.errors.__getitem__)
        raise RunError(
            "the robot cannot reach a pose of its step",
            where=worst,
            got=f"{found.errors[worst]:.3g} m or rad",
            remedy="Take a shorter or lower step.",
        )
    return found.q


def _stances(length: float, lift: float, feet: tuple[Array, Array]) -> list[tuple[_Stance, int | None]]:
    """Return the poses of a step in turn, intermediate ones with the contact code of their phase."""
    right, left = (tuple(foot.tolist()) for foot in feet)
    far = (left[0] + length, left[1], left[2])
    up = (left[0] + length / 2, left[1] + lift, left[2])

    def middle(a: Sequence[float], b: Sequence[float]) -> tuple[float, float]:
        return ((a[0] + b[0]) / 2, (a[2] + b[2]) / 2)

    start, above, end = middle(right, left), (right[0], right[2]), middle(right, far)
    half = ((start[0] + above[0]) / 2, (start[1] + above[1]) / 2)
    back = ((above[0] + end[0]) / 2, (above[1] + end[1]) / 2)
    return [
        (_Stance(right, left, start), None), (_Stance(right, left, half), 3), (_Stance(right, left, above), None),
        (_Stance(right, up, above), 1), (_Stance(right, far, above), None),
        (_Stance(right, far, back), 3), (_Stance(right, far, end), None),
    ]  # fmt: skip


def bip_step(
    *,
    length: float = 0.15,
    lift: float = 0.05,
    lower: float = 0.05,
    times: Sequence[float] = (0.2, 1.4, 2.6, 3.8),
    period: float = 0.005,
    delay: float = 0.001,
    noise: float = 2e-5,
    force_noise: float = 1.0,
    seed: int = 0,
    frequency: float = 1.5,
    cutoff: float = 5.0,
    friction: float = 0.8,
    layout: Layout = "turns",
    trajectory: TaskTrajectory | None = None,
    robot: Figure | None = None,
    contacts: Contacts | None = None,
) -> BipStep:
    """Return Bip with all that it needs for one step of its left foot.

    Parameters
    ----------
    length, lift : of the step [m].
    lower : by which the pelvis is below its height with straight legs [m].
    times : of the four stable poses [s]: at rest, above the right foot, left foot down, at rest between the feet.
    period, delay : of the control [s].
    noise, force_noise : standard deviations of joint positions [rad] and of each of the six forces [N, N·m].
    frequency : of the control [Hz].
    cutoff : of the low-pass filter of velocities, which are differences of joint positions [Hz].
    friction : of the soles.
    layout : of the task function, see `bip_tasks`.
    trajectory : of that function, such as `read_traj3` gives; length, lift, lower and times are then not used.
    robot, contacts : a `bip` that carries the rotors of `bip_motors`, and what its feet may touch; None: level ground.

    """
    for name, value in (("length", length), ("lift", lift), ("lower", lower), ("friction", friction)):
        check_number(value, name, "bip_step", above=0.0)
    if len(times) != 4:
        raise InputError("a step has four stable poses", where="bip_step", got=f"{len(times)} times")
    figure = with_rotors(plain := bip(), bip_motors(plain)) if robot is None else robot
    ground = contacts or Contacts(points_of_tags(figure, CONTACTS, friction=friction), (floor(),))
    function = bip_tasks(figure, layout)
    if trajectory is None:
        poses, codes = _poses(figure, length, lift, lower)
        trajectory = TaskTrajectory(times, codes, [function(q) for q in poses])
    postures = _postures(function, trajectory)
    right, left = FEET.values()
    both = (*right, *left)
    control = TaskControl(
        function, trajectory, figure.coordinates[:15], {1: right, 2: left, 3: both, 4: SUSPENSION, 5: both},
        frequency=frequency, friction=0.75 * friction,
    )  # fmt: skip
    marks = [FootMarks(foot[0], foot[1], foot[3]) for foot in (right, left)]
    hung = FootMarks(SUSPENSION[0], SUSPENSION[1], SUSPENSION[3])
    walker = WalkingMotors(
        figure, bip_motors(figure), control=control, contacts=ground,
        observer=BaseObserver(figure, _BASE, marks, hung, cutoff=cutoff),
        q0=postures[0], joints=Reading(JointSensor(figure, figure.coordinates[:15]), noise, seed=seed),
        forces=Reading(FootForceSensor(figure, ground, tuple(FEET)), force_noise, seed=seed + 1),
        period=period, delay=delay,
    )  # fmt: skip
    return BipStep(figure, ground, walker, postures[0], trajectory, np.array(postures))


def _bent(figure: Figure, lower: float) -> Array:
    """Return a posture with bent knees."""
    guess = figure.neutral()
    for name, value in _BENT.items():
        for side in ("right", "left"):
            guess[figure.coordinates.index(f"{side}_{name}")] = value
    guess[figure.coordinates.index("pelvis_upward")] = -lower
    return guess


def _postures(function: TaskFunction, trajectory: TaskTrajectory) -> list[Array]:
    """Return the postures of the poses of a trajectory."""
    poses, found = np.asarray(trajectory.poses), list[Array]()
    if poses.shape[1] != function.size:
        got, allowed = f"{poses.shape[1]} numbers a pose", f"{function.size}"
        raise InputError("the trajectory must be of the task function", where="bip_step", got=got, allowed=allowed)
    for n, pose in enumerate(poses):
        made = function.inverse(pose, found[-1] if found else _bent(function.figure, 0.05))
        if not made.settled or np.abs(made.error).max() > _REACHED:
            worst = max(made.errors, key=made.errors.__getitem__)
            raise InputError(
                "a pose of the trajectory cannot be reached", where=f"bip_step, pose {n + 1}, {worst}",
                got=f"{made.errors[worst]:.3g} m or rad off",
                remedy="Say of which task function its numbers are: layout 'turns' or 'humans'.",
            )  # fmt: skip
        found.append(made.q)
    return found


def _poses(figure: Figure, length: float, lift: float, lower: float) -> tuple[list[Array], list[int]]:
    """Return the postures of a step, stable and intermediate in turn, and the contact codes of its phases."""
    guess = _bent(figure, lower)
    at_rest = tags(figure, figure.neutral())
    right, left = (at_rest[figure.tag_names.index(f"{side}_foot_center")] for side in ("right", "left"))
    postures, codes = list[Array](), list[int]()
    for stance, code in _stances(length, lift, (right, left)):
        postures.append(_posture(figure, stance, -lower, postures[-1] if postures else guess))
        codes += [] if code is None else [code]
    return postures, codes
