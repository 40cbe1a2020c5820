"""Robots from files: a figure with its contacts, actuators, springs and postures."""

from motiform.motion.robots.actuators import Actuator, ActuatorControl, WeightCompensation
from motiform.motion.robots.robot import Robot, read_robot

__all__ = ["Actuator", "ActuatorControl", "Robot", "WeightCompensation", "read_robot"]
