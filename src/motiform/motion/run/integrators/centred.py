"""The centred scheme of networks."""

from motiform.motion.run.integrators.method import Method

__all__ = ["METHOD"]

METHOD = Method(
    "centred",
    1,
    adaptive=False,
    conserves=frozenset({"momentum"}),
    models=("network",),
    text="for networks: centred acceleration, velocity of the step before [Habibi97 1.2, 1.3]",
)
