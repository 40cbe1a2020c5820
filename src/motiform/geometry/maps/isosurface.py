"""The surface of a level of a field on a grid, by surface nets.

Own code: a closed mesh with well-shaped triangles takes sixty lines of array operations, where marching cubes would
bring a library and slivers.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from motiform.base.errors import ShapeError
from motiform.geometry.maps.grid import Grid
from motiform.geometry.solids.mesh import Mesh
from motiform.spatial.checks import Array, Words, as_floats

__all__ = ["isosurface", "label_surface"]

Faces = NDArray[np.int64]
_OFF = 0.02  # voxels that a crossing is kept off voxel centres, where vertices of several cells would coincide


def isosurface(values: Any, grid: Grid, *, level: float = 0.0) -> Mesh:
    """Return the closed surface between values below `level` (inside) and above it, in metres.

    Each cell of eight neighbouring voxels that the surface passes gets a vertex, at the mean of the crossings of its
    edges by linear interpolation; each edge between voxels on either side gets a quadrangle [Gibson98]. A body that
    reaches the border of the grid is closed there.
    """
    field = as_floats(values, where="values", error=ShapeError)
    if field.shape != grid.shape:
        raise ShapeError("values must fit their grid", got=Words(str(field.shape)), allowed=str(grid.shape))
    above = max(abs(float(field.max()) - level), abs(float(field.min()) - level)) or 1.0
    padded = np.pad(field - level, 1, constant_values=above)
    inside = padded < 0
    if not inside.any():
        raise ShapeError("no value is below the level: there is no surface", got=level)
    number, vertices = _vertices(padded, inside)
    faces = np.concatenate([_quads(inside, number, axis, vertices) for axis in range(3)])
    return Mesh(grid.points(vertices - 1), faces)


def label_surface(inside: Any, grid: Grid, *, smooth: float = 1.0) -> Mesh:
    """Return the surface of a label, smoothed: a level of its signed distance after a Gaussian of so many voxels.

    The level is that below which as many voxels are as in the label, so that smoothing does not shrink it.
    """
    from scipy.ndimage import gaussian_filter

    from motiform.geometry.maps.euclid import signed_label_map

    mask = np.pad(np.asarray(inside) != 0, 4)
    if not mask.any():
        raise ShapeError("the label has no voxel", where="label_surface", allowed="at least one voxel inside")
    signed = signed_label_map(mask)
    field = gaussian_filter(signed.astype(float), smooth) if smooth > 0 else signed
    count = int(mask.sum())
    level = float(np.partition(field, [count - 1, count], axis=None)[count - 1 : count + 1].mean())
    return isosurface(field, grid.cut((-4, -4, -4), mask.shape), level=level)


def _vertices(values: Array, inside: Any) -> tuple[Faces, Array]:
    """Return the vertex number of each cell (−1: none) and the vertices [voxels]."""
    corners = inside.view(np.uint8)
    for axis in range(3):  # how many of the eight corners of a cell are inside
        body = np.moveaxis(corners, axis, 0)
        corners = np.moveaxis(body[:-1] + body[1:], 0, axis)
    index = np.argwhere((corners > 0) & (corners < 8))
    number = np.full(corners.shape, -1, np.int64)
    number[tuple(index.T)] = np.arange(len(index))
    total, crossings = np.zeros((len(index), 3)), np.zeros(len(index))
    for axis in range(3):
        one, other = (k for k in range(3) if k != axis)
        for a in (0, 1):
            for b in (0, 1):
                start = index.copy()
                start[:, one] += a
                start[:, other] += b
                low = values[tuple(start.T)]
                start[:, axis] += 1
                high = values[tuple(start.T)]
                mixed = (low < 0) != (high < 0)
                share = np.clip(low / np.where(mixed, low - high, 1.0), _OFF, 1 - _OFF)
                crossings += mixed
                total[:, axis] += np.where(mixed, share, 0.0)
                total[:, one] += a * mixed
                total[:, other] += b * mixed
    return number, index + total / crossings[:, None]


def _quads(inside: Any, number: Faces, axis: int, vertices: Array) -> Faces:
    """Return two outward triangles for each edge along an axis between voxels on either side, by the short diagonal."""
    body, cells = np.moveaxis(inside, axis, 0), np.moveaxis(number, axis, 0)
    if axis == 1:  # keep the order of axes even: x → y → z
        body, cells = np.swapaxes(body, 1, 2), np.swapaxes(cells, 1, 2)
    low, high = body[:-1, 1:-1, 1:-1], body[1:, 1:-1, 1:-1]
    i, j, k = np.nonzero(low != high)
    around = np.stack([cells[i, j + b, k + c] for b, c in ((0, 0), (1, 0), (1, 1), (0, 1))], axis=1)
    quads = np.where(low[i, j, k][:, None], around, around[:, ::-1])
    a, b, c, d = (vertices[quads[:, n]] for n in range(4))
    short = np.linalg.norm(a - c, axis=1) <= np.linalg.norm(b - d, axis=1)
    first = np.where(short[:, None], quads[:, [0, 1, 2]], quads[:, [0, 1, 3]])
    second = np.where(short[:, None], quads[:, [0, 2, 3]], quads[:, [1, 2, 3]])
    return np.concatenate([first, second])
