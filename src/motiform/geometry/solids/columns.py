"""Numbers that solids and their kernels share."""

__all__ = ["AWAY", "FAR", "MIDDLE", "OPEN", "SIZES"]

SIZES = 4
"""How many sizes of a solid kernels read; those that a kind does not have are 0."""
MIDDLE = 13
"""Region of what has no faces; others are MIDDLE + sx + 3 sy + 9 sz, with the side of each axis (−1, 0, 1)."""
AWAY = -1
"""Region of a point that belongs to another face."""
FAR = 1e30
"""Distance [m] from a face of a point that belongs to the face joined to it."""
OPEN = 1e30
"""Slant of an end of a face to which nothing is joined."""
