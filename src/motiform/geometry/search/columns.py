"""Numbers that the search for closest points shares with its kernels."""

__all__ = ["HOLLOW", "ONE_SIDED", "SOLID", "TWO_SIDED"]

# Sides: a solid; all space but that solid; a sheet with matter behind it; a sheet to be met from both sides.
SOLID, HOLLOW, ONE_SIDED, TWO_SIDED = range(4)
