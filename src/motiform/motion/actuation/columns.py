"""Columns of the tables that kernels of laws and drives read."""

__all__ = [
    "CONSTANT",
    "DAMPING",
    "EFFORTS",
    "END_PLACE",
    "FIRST_EFFORT",
    "FIRST_PIECE",
    "FIRST_PLACE",
    "FIRST_TIME",
    "FORCE",
    "FRICTION",
    "FRICTION_SPEED",
    "GEAR",
    "INDUCTANCE",
    "MOTOR",
    "RESISTANCE",
    "STIFFNESS",
    "TARGET",
    "TIMES",
    "VISCOUS",
    "VOLTAGE",
]

MOTOR = ("constant", "resistance", "gear", "inductance", "viscous", "friction", "friction_speed", "voltage")
"""Numbers of a motor, in the order of its columns."""
CONSTANT, RESISTANCE, GEAR, INDUCTANCE, VISCOUS, FRICTION, FRICTION_SPEED, VOLTAGE = range(8)
FORCE, STIFFNESS, DAMPING, TARGET = range(4)
"""Of a drive of one coordinate."""
FIRST_TIME, TIMES, FIRST_PIECE, FIRST_EFFORT, EFFORTS, FIRST_PLACE, END_PLACE = range(7)
"""Of a posture control: where its trajectories, its efforts and its coordinates stand in the arrays of all."""
