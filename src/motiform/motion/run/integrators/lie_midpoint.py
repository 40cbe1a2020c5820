"""The energy–momentum midpoint on the rotation group."""

from motiform.motion.run.integrators.method import MOMENTA, Method

__all__ = ["METHOD"]

METHOD = Method(
    "lie-midpoint",
    2,
    adaptive=False,
    conserves=MOMENTA | {"energy", "orthogonality"},
    models=("bodies",),
    text="energy–momentum step on the group: implicit midpoint with the Cayley map",
)
