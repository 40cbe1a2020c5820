"""What a robot knows of itself: sensors with noise, bias, sampling and delay, and an observer of its base."""

from motiform.motion.actuation.sensing.observer import BaseObserver, FootMarks
from motiform.motion.actuation.sensing.sensors import (
    FootForceSensor,
    InertialSensor,
    JointSensor,
    PressureSensor,
    Reading,
    Sensed,
    Sensor,
)

__all__ = [
    "BaseObserver",
    "FootForceSensor",
    "FootMarks",
    "InertialSensor",
    "JointSensor",
    "PressureSensor",
    "Reading",
    "Sensed",
    "Sensor",
]
