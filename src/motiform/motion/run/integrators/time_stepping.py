"""Time-stepping of contacts."""

from motiform.motion.run.integrators.method import MOMENTA, Method

__all__ = ["METHOD"]

METHOD = Method(
    "time-stepping",
    1,
    adaptive=False,
    conserves=MOMENTA | {"orthogonality"},
    models=("contacts",),
    text="for contacts: all that happens within a step is solved together as impulses",
)
