# mypy: disable-error-code="no-untyped-def"
"""Pairs of balls that overlap, by cells of several sizes."""

import math

from motiform.base.kernels import inline, kernel
from motiform.spatial.algebra import load3

__all__ = ["find_pairs"]


@inline
def _cells(x, low, size, reach, count):
    """Return the first and last cell along an axis that a ball of so much reach comes to."""
    first = math.floor((x - reach - low) / size)
    last = math.floor((x + reach - low) / size)
    return max(first, 0), min(last, count - 1)


@inline
def _overlap(p, r, x_of, y_of, z_of, r_of, j):
    dx, dy, dz, both = p[0] - x_of[j], p[1] - y_of[j], p[2] - z_of[j], r + r_of[j]
    return dx * dx + dy * dy + dz * dz < both * both


@kernel
def find_pairs(
    i, balls, levels, x_of, y_of, z_of, r_of, strict, sizes, counts, offsets, low, cell_starts, starts, write, found
):
    """Count the other balls that ball i overlaps, or write them: (own, other) from starts[i] on.

    Other balls are sorted by level, the size of their cells being their diameters at least, and by cell. A ball looks
    at levels from its own on (from the next, if strict): small balls look for large ones, not the other way.
    """
    p, r = load3(balls, i), balls[i, 3]
    place = 0
    for level in range(levels[i] + (1 if strict else 0), sizes.shape[0]):
        size = sizes[level]
        nx, ny, nz = counts[level, 0], counts[level, 1], counts[level, 2]
        reach = r + 0.5 * size
        x0, x1 = _cells(p[0], low[0], size, reach, nx)
        y0, y1 = _cells(p[1], low[1], size, reach, ny)
        z0, z1 = _cells(p[2], low[2], size, reach, nz)
        if z1 < z0:
            continue
        for x in range(x0, x1 + 1):
            for y in range(y0, y1 + 1):
                row = offsets[level] + (x * ny + y) * nz
                first, last = cell_starts[row + z0], cell_starts[row + z1 + 1]
                if write:
                    for j in range(first, last):
                        if _overlap(p, r, x_of, y_of, z_of, r_of, j):
                            found[starts[i] + place, 0], found[starts[i] + place, 1] = i, j
                            place += 1
                else:
                    for j in range(first, last):  # without branches: several at once
                        place += _overlap(p, r, x_of, y_of, z_of, r_of, j)
    if not write:
        starts[i] = place
