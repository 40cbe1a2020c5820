"""Triangles between the points of regular grids, by which cloths and blocks are drawn."""

import numpy as np

__all__ = ["grid_faces", "hull_faces"]

_CHECKS = 8  # squares along the longer side of a cloth: folds are seen by them


def grid_faces(index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the triangles of a sheet of points (n, m), two for each cell, and the tone 0 or 1 of a checkerboard on it.

    Diagonals alternate, so that the sheet folds alike in both directions.
    """
    i, j = np.meshgrid(*(np.arange(n - 1) for n in index.shape), indexing="ij")
    a, b, c, d = index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]
    even = ((i + j) % 2 == 0)[..., None, None]
    one = np.stack((np.stack((a, b, c), -1), np.stack((a, c, d), -1)), -2)
    other = np.stack((np.stack((a, b, d), -1), np.stack((b, c, d), -1)), -2)
    step = max(1, round((max(index.shape) - 1) / _CHECKS))
    square = (i // step + j // step) % 2
    return np.where(even, one, other).reshape(-1, 3), np.repeat(square.ravel(), 2)


def hull_faces(index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the triangles around a block of points (nx, ny, nz), seen from outside, and one tone for all."""
    found = []
    for axis in range(3):
        for side in (0, -1):
            faces, _ = grid_faces(index.take(side, axis=axis))
            outward = (side == -1) == (axis != 1)  # y × z and x × y point along the axis, x × z against it
            found.append(faces if outward else faces[:, ::-1])
    faces = np.concatenate(found)
    return faces, np.zeros(len(faces), int)
