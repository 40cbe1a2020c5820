"""Columns of the tables that kernels of laws and drives read."""

__all__ = [
    "CONSTANT",
    "DAMPING",
    "FORCE",
    "FRICTION",
    "FRICTION_SPEED",
    "GEAR",
    "INDUCTANCE",
    "MOTOR",
    "RESISTANCE",
    "STIFFNESS",
    "TARGET",
    "VISCOUS",
    "VOLTAGE",
]

MOTOR = ("constant", "resistance", "gear", "inductance", "viscous", "friction", "friction_speed", "voltage")
"""Numbers of a motor, in the order of its columns."""
CONSTANT, RESISTANCE, GEAR, INDUCTANCE, VISCOUS, FRICTION, FRICTION_SPEED, VOLTAGE = range(8)
FORCE, STIFFNESS, DAMPING, TARGET = range(4)
"""Of a drive of one coordinate."""
