"""The centred scheme of networks and screens."""

from motiform.motion.run.integrators.method import Method

__all__ = ["METHOD"]

METHOD = Method(
    "centred",
    1,
    adaptive=False,
    conserves=frozenset({"momentum"}),
    models=("network", "screen"),
    text="for networks and screens: centred acceleration, velocity of the step before [Habibi97 1.2, 1.3]",
)
