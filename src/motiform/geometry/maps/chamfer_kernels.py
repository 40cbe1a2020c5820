# mypy: disable-error-code="no-untyped-def"
"""Two sweeps of a chamfer mask. Tiles of one wave do not depend on one another, so each wave runs on all cores."""

import numpy as np

from motiform.base.kernels import compiled, inline, kernel

__all__ = ["TILE", "sweep_plane", "sweep_wave"]

TILE = 8
"""Rows along each side of a tile."""


@kernel
def sweep_wave(n, distance, wave, lowest, forward, a, b, c):
    """Sweep tile n of a wave.

    With u = x + y a row (x, u) needs rows with x and u no larger than its own, so a tile (X, U) needs tiles of earlier
    waves X + U alone. `distance` has a border of one voxel. The way back counts from the other corner.
    """
    nx, ny = distance.shape[0] - 2, distance.shape[1] - 2
    left, low = (lowest + n) * TILE, (wave - lowest - n) * TILE
    for x in range(max(left, 1), min(left + TILE, nx + 1)):
        for y in range(max(low - x, 1), min(low + TILE - x, ny + 1)):
            if forward:
                _row(distance, x, y, 1, a, b, c)
            else:
                _row(distance, nx + 1 - x, ny + 1 - y, -1, a, b, c)


@inline
def _row(distance, x, y, step, a, b, c):
    row = distance[x, y]
    _from_rows(row, distance[x - step, y], distance[x, y - step], a, b)
    _from_rows(row, distance[x - step, y - step], distance[x - step, y + step], b, c)
    last = row.shape[0] - 1
    if step > 0:
        for k in range(1, last):
            row[k] = min(row[k], np.int32(row[k - 1] + a))
    else:
        for k in range(last - 1, 0, -1):
            row[k] = min(row[k], np.int32(row[k + 1] + a))


@inline
def _from_rows(row, one, two, straight, aslant):
    """Take what is nearer over two neighbouring rows: straight across, or by one voxel along them."""
    for k in range(1, row.shape[0] - 1):
        across = np.int32(min(one[k], two[k]) + straight)
        along = np.int32(min(min(one[k - 1], one[k + 1]), min(two[k - 1], two[k + 1])) + aslant)
        row[k] = min(row[k], min(across, along))


@compiled
def sweep_plane(distance, reach, steps, sense):
    """Sweep a map of the plane, with a border of `reach`: steps (n, 3) come from voxels that are swept before."""
    nx, ny = distance.shape[0] - 2 * reach, distance.shape[1] - 2 * reach
    for i in range(nx):
        x = reach + (i if sense > 0 else nx - 1 - i)
        for j in range(ny):
            y = reach + (j if sense > 0 else ny - 1 - j)
            least = distance[x, y]
            for n in range(steps.shape[0]):
                least = min(least, np.int32(distance[x - sense * steps[n, 0], y - sense * steps[n, 1]] + steps[n, 2]))
            distance[x, y] = least
