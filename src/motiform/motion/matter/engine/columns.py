"""How laws of links are laid out as rows of numbers, for kernels."""

__all__ = ["CAPPED", "CUTS", "NO_FRICTION", "ROW", "STICKING", "ZONES"]

ZONES = 4
"""Zones of distance that a law may have."""
CUTS = ZONES - 1
"""Distances where one zone ends and the next begins: the first columns of a row."""
ROW = CUTS + 3 * ZONES
"""Numbers of a law: its cuts, then stiffness, damping and rest length of each zone."""

NO_FRICTION, CAPPED, STICKING = 0, 1, 2
"""How grains rub: not at all; viscous up to Coulomb's limit; held by a spring that slips at the limit."""
