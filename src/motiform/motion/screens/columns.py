"""Columns of the arrays that kernels of screens read."""

__all__ = ["AT", "BEFORE", "HEIGHT", "HEIGHT_BEFORE", "REACH", "WIDTH", "K", "Z"]

# Of a point that engraves: its place now and a step before [pins], (3,) each; its height from rest [m] now and before;
# stiffness and damping times Te²/m and Te/m; reach [m].
AT, BEFORE, HEIGHT, HEIGHT_BEFORE, K, Z, REACH, WIDTH = 0, 3, 6, 7, 8, 9, 10, 11
