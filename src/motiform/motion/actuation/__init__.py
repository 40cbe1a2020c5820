"""Actuation of figures: controls, actuators with states (motors, muscles), laws called at a period, pushes."""

from motiform.motion.actuation.commands import CommandedActuator, CommandedControl, PulseTrain, SampledLaw
from motiform.motion.actuation.control import PostureControl, posture_control
from motiform.motion.actuation.drives import ControlSum, CoordinateControl, CoordinateDrive
from motiform.motion.actuation.laws import ComputedTorque, ServoLaw
from motiform.motion.actuation.motors import Motor, Motors, TorqueDrives, with_rotors
from motiform.motion.actuation.muscles.acting import HillMuscles
from motiform.motion.actuation.pushes import SegmentPush, SegmentPushes
from motiform.motion.actuation.standing import StandingEffort, standing_effort
from motiform.motion.actuation.stimulation import (
    HAMSTRINGS,
    QUADRICEPS,
    KneeGeometry,
    PathArms,
    StimulatedMuscle,
    StimulatedMuscles,
    recruitment,
)
from motiform.motion.actuation.trajectories import EffortTrajectory, PostureTrajectory
from motiform.motion.tree import Actuator, Quantity
from motiform.motion.tree.prescribed import PrescribedMotion

__all__ = [
    "HAMSTRINGS",
    "QUADRICEPS",
    "Actuator",
    "CommandedActuator",
    "CommandedControl",
    "ComputedTorque",
    "ControlSum",
    "CoordinateControl",
    "CoordinateDrive",
    "EffortTrajectory",
    "HillMuscles",
    "KneeGeometry",
    "Motor",
    "Motors",
    "PathArms",
    "PostureControl",
    "PostureTrajectory",
    "PrescribedMotion",
    "PulseTrain",
    "Quantity",
    "SampledLaw",
    "SegmentPush",
    "SegmentPushes",
    "ServoLaw",
    "StandingEffort",
    "StimulatedMuscle",
    "StimulatedMuscles",
    "TorqueDrives",
    "posture_control",
    "recruitment",
    "standing_effort",
    "with_rotors",
]
