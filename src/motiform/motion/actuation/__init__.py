"""Actuation of figures: posture control, springs on coordinates, gravity compensation, pushes, commands."""

from motiform.motion.actuation.commands import CommandedControl
from motiform.motion.actuation.control import PostureControl, posture_control
from motiform.motion.actuation.drives import ControlSum, CoordinateControl, CoordinateDrive
from motiform.motion.actuation.pushes import SegmentPush, SegmentPushes
from motiform.motion.actuation.standing import StandingEffort, standing_effort
from motiform.motion.actuation.trajectories import EffortTrajectory, PostureTrajectory
from motiform.motion.tree.prescribed import PrescribedMotion

__all__ = [
    "CommandedControl",
    "ControlSum",
    "CoordinateControl",
    "CoordinateDrive",
    "EffortTrajectory",
    "PostureControl",
    "PostureTrajectory",
    "PrescribedMotion",
    "SegmentPush",
    "SegmentPushes",
    "StandingEffort",
    "posture_control",
    "standing_effort",
]
