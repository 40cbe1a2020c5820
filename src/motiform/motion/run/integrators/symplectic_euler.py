"""Symplectic Euler on the rotation group."""

from motiform.motion.run.integrators.method import MOMENTA, Method

__all__ = ["METHOD"]

METHOD = Method(
    "symplectic-euler",
    1,
    adaptive=False,
    conserves=MOMENTA | {"orthogonality"},
    models=("bodies",),
    text="kick, then variational drift on the group: energy stays near for ever",
)
