"""Actuation of figures: controls, actuators with states (motors, muscles), laws called at a period, pushes."""

from motiform.motion.actuation.balance import BalanceDrives, BalanceLaw, capture_impulse
from motiform.motion.actuation.balanced import balanced_posture
from motiform.motion.actuation.bip_stepping import BipStep, bip_motors, bip_step, bip_tasks
from motiform.motion.actuation.commands import CommandedActuator, CommandedControl, PulseTrain, SampledLaw
from motiform.motion.actuation.control import PostureControl, posture_control
from motiform.motion.actuation.drives import CoordinateControl, CoordinateDrive
from motiform.motion.actuation.laws import ComputedTorque, ServoLaw
from motiform.motion.actuation.motors import Motor, Motors, TorqueDrives, freeze_gears, with_rotors
from motiform.motion.actuation.muscles.acting import HillMuscles
from motiform.motion.actuation.muscles.reflex import StretchReflex
from motiform.motion.actuation.pushes import SegmentPush, SegmentPushes
from motiform.motion.actuation.sensing import (
    BaseObserver,
    FootForceSensor,
    FootMarks,
    InertialSensor,
    JointSensor,
    PressureSensor,
    Reading,
    Sensed,
    Sensor,
)
from motiform.motion.actuation.standing import StandingEffort, standing_effort
from motiform.motion.actuation.stimulation import (
    HAMSTRINGS,
    QUADRICEPS,
    JoinedGeometry,
    KneeGeometry,
    KneeSwing,
    PathArms,
    StimulatedMuscle,
    StimulatedMuscles,
    pulse_intensity,
    recruitment,
)
from motiform.motion.actuation.support import ArmSupport
from motiform.motion.actuation.tasks import (
    CONTACT_CODES,
    CenterTask,
    OrientationTask,
    PostureTask,
    TagTask,
    Task,
    TaskControl,
    TaskEfforts,
    TaskFunction,
    TaskInverse,
    TaskTrajectory,
    TaskValues,
    prioritized,
    read_traj3,
    write_traj3,
)
from motiform.motion.actuation.trajectories import EffortTrajectory, PostureTrajectory
from motiform.motion.actuation.walking import WalkingMotors, motor_voltages
from motiform.motion.tree import Actuator, ActuatorChannel
from motiform.motion.tree.prescribed import PrescribedMotion

__all__ = [
    "CONTACT_CODES",
    "HAMSTRINGS",
    "QUADRICEPS",
    "Actuator",
    "ActuatorChannel",
    "ArmSupport",
    "BalanceDrives",
    "BalanceLaw",
    "BaseObserver",
    "BipStep",
    "CenterTask",
    "CommandedActuator",
    "CommandedControl",
    "ComputedTorque",
    "CoordinateControl",
    "CoordinateDrive",
    "EffortTrajectory",
    "FootForceSensor",
    "FootMarks",
    "HillMuscles",
    "InertialSensor",
    "JoinedGeometry",
    "JointSensor",
    "KneeGeometry",
    "KneeSwing",
    "Motor",
    "Motors",
    "OrientationTask",
    "PathArms",
    "PostureControl",
    "PostureTask",
    "PostureTrajectory",
    "PrescribedMotion",
    "PressureSensor",
    "PulseTrain",
    "Reading",
    "SampledLaw",
    "SegmentPush",
    "SegmentPushes",
    "Sensed",
    "Sensor",
    "ServoLaw",
    "StandingEffort",
    "StimulatedMuscle",
    "StimulatedMuscles",
    "StretchReflex",
    "TagTask",
    "Task",
    "TaskControl",
    "TaskEfforts",
    "TaskFunction",
    "TaskInverse",
    "TaskTrajectory",
    "TaskValues",
    "TorqueDrives",
    "WalkingMotors",
    "balanced_posture",
    "bip_motors",
    "bip_step",
    "bip_tasks",
    "capture_impulse",
    "freeze_gears",
    "motor_voltages",
    "posture_control",
    "prioritized",
    "pulse_intensity",
    "read_traj3",
    "recruitment",
    "standing_effort",
    "with_rotors",
    "write_traj3",
]
