"""Central differences (Verlet), the scheme of networks and screens."""

from motiform.motion.run.integrators.method import Method

__all__ = ["METHOD"]

METHOD = Method(
    "central-difference",
    1,
    adaptive=False,
    conserves=frozenset({"momentum"}),
    models=("network", "screen"),
    text="for networks and screens: central differences (Verlet), velocity of the step before [Habibi97 1.2, 1.3]",
)
