"""Integrators: fixed and adaptive steps, dense output, guards and the location of events."""

from motiform.motion.integrate.explicit import ExplicitStep, march
from motiform.motion.integrate.guards import Fired, Guard
from motiform.motion.integrate.methods import METHODS, Method, get_method
from motiform.motion.integrate.tableaux import CASH_KARP, DORMAND_PRINCE, EULER, RK4, Tableau

__all__ = [
    "CASH_KARP",
    "DORMAND_PRINCE",
    "EULER",
    "METHODS",
    "RK4",
    "ExplicitStep",
    "Fired",
    "Guard",
    "Method",
    "Tableau",
    "get_method",
    "march",
]
