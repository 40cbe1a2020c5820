"""Robots from files: a figure with its contacts, actuators, springs and postures."""

from motiform.motion.robots.actuators import ActuatorControl, FileActuator, WeightCompensation
from motiform.motion.robots.models import MODELS, robot_file
from motiform.motion.robots.robot import Robot, read_robot
from motiform.motion.robots.ties import TieControl

__all__ = [
    "MODELS",
    "ActuatorControl",
    "FileActuator",
    "Robot",
    "TieControl",
    "WeightCompensation",
    "read_robot",
    "robot_file",
]  # fmt: skip
