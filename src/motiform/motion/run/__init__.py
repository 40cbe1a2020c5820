"""Integrators: fixed and adaptive steps, dense output, guards and the location of events."""

from motiform.motion.run.explicit import ExplicitStep, accepted_step, march
from motiform.motion.run.guards import Fired, Guard
from motiform.motion.run.methods import BODY_METHODS, METHODS, Method, get_method
from motiform.motion.run.options import Options, check_number
from motiform.motion.run.sampling import (
    TABLEAUX,
    Block,
    Pace,
    System,
    check_memory,
    sampled_march,
    sampled_steps,
)
from motiform.motion.run.tableaux import CASH_KARP, DORMAND_PRINCE, EULER, RK4, Tableau

__all__ = [
    "BODY_METHODS",
    "CASH_KARP",
    "DORMAND_PRINCE",
    "EULER",
    "METHODS",
    "RK4",
    "TABLEAUX",
    "Block",
    "ExplicitStep",
    "Fired",
    "Guard",
    "Method",
    "Options",
    "Pace",
    "System",
    "Tableau",
    "accepted_step",
    "check_memory",
    "check_number",
    "get_method",
    "march",
    "sampled_march",
    "sampled_steps",
]
