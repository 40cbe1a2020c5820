"""Fixed steps of rigid bodies: one file per integrator.

Each has a kernel `advance`: many samples of bodies that do not act on one another, in registers. Sample n of its
history is `steps` steps after the one before it; times follow from its number alone, so that blocks of any length give
the same bits. A step on the rotation group also has a function `step` for bodies that do; Runge–Kutta steps follow from
their tableau.
"""

from importlib import import_module
from types import ModuleType

from motiform.base.errors import InputError

__all__ = ["get_steps"]


def get_steps(integrator: str) -> ModuleType:
    """Return the file of an integrator."""
    try:
        return import_module(f"{__name__}.{integrator.replace('-', '_')}_kernels")
    except ModuleNotFoundError as error:
        raise InputError("no fixed steps of bodies have this name", where="integrator", got=integrator) from error
