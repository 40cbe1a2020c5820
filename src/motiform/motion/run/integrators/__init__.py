"""The integrators: one file each, one register."""

from motiform.base.errors import InputError, closest
from motiform.motion.run.integrators import (
    cash_karp,
    central_difference,
    dormand_prince,
    euler,
    lie_midpoint,
    radau,
    rk4,
    symplectic_euler,
    time_stepping,
)
from motiform.motion.run.integrators.cash_karp import CASH_KARP
from motiform.motion.run.integrators.dormand_prince import DORMAND_PRINCE
from motiform.motion.run.integrators.euler import EULER
from motiform.motion.run.integrators.method import Method, Tableau
from motiform.motion.run.integrators.radau import RADAU
from motiform.motion.run.integrators.rk4 import RK4

__all__ = [
    "CASH_KARP",
    "DORMAND_PRINCE",
    "EULER",
    "METHODS",
    "RADAU",
    "RK4",
    "Method",
    "Tableau",
    "get_method",
    "get_tableau",
    "integrators_of",
]

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        euler.METHOD,
        symplectic_euler.METHOD,
        rk4.METHOD,
        lie_midpoint.METHOD,
        cash_karp.METHOD,
        dormand_prince.METHOD,
        radau.METHOD,
        time_stepping.METHOD,
        central_difference.METHOD,
    )
}
"""The register: a new integrator is its own file and a line here."""


def get_method(name: str) -> Method:
    """Return the integrator of that name."""
    if name not in METHODS:
        raise InputError("unknown integrator", got=name, allowed=", ".join(METHODS), remedy=closest(name, METHODS))
    return METHODS[name]


def get_tableau(name: str) -> Tableau:
    """Return the tableau of a Runge–Kutta method."""
    found = get_method(name).tableau
    if found is None:
        allowed = ", ".join(method.name for method in METHODS.values() if method.tableau)
        raise InputError("the integrator must be a Runge–Kutta method", got=name, allowed=allowed)
    return found


def integrators_of(kind: str) -> tuple[str, ...]:
    """Return the names of the integrators that take a kind of model."""
    return tuple(method.name for method in METHODS.values() if kind in method.models)
