"""The surface of a level of a field on a grid, by dual marching cubes.

Own code: a closed manifold with well-shaped triangles takes four short kernels, where marching cubes would bring a
library and slivers.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from motiform.base.errors import ShapeError
from motiform.geometry.maps.cubes import sheets
from motiform.geometry.maps.grid import Grid
from motiform.geometry.solids.mesh import Mesh
from motiform.spatial.checks import Array, Words, as_floats

__all__ = ["isosurface", "label_surface"]

Faces = NDArray[np.int64]


def isosurface(values: Any, grid: Grid, *, level: float = 0.0) -> Mesh:
    """Return the closed surface between values below `level` (inside) and above it, in metres.

    Each sheet of the surface in a cell of eight neighbouring voxels gets a vertex, at the mean of the crossings of the
    cell's edges by linear interpolation [Gibson98]; each edge between voxels on either side gets a quadrangle
    [Nielson04]. It is a manifold: an edge has two triangles, the triangles at a vertex are one fan [Wenger13]. A body
    that reaches the border of the grid is closed there.
    """
    field = as_floats(values, where="values", error=ShapeError)
    if field.shape != grid.shape:
        raise ShapeError("values must fit their grid", got=Words(str(field.shape)), allowed=str(grid.shape))
    found = field < level
    if not found.any():
        raise ShapeError("no value is below the level: there is no surface", got=level)
    beyond = max(abs(float(field.max()) - level), abs(float(field.min()) - level)) or 1.0
    return Mesh(*_nets(np.ascontiguousarray(field), found, float(level), beyond, grid))


def _nets(field: Array, found: Any, level: float, beyond: float, grid: Grid) -> tuple[Array, Faces]:
    """Return vertices [m] and faces; around the grid the field is `beyond` above the level."""
    from motiform.base.kernels import get_device
    from motiform.geometry.maps.isosurface_kernels import count_slab, mark_slab, write_quads, write_vertices

    device, slabs, tables = get_device("cpu"), field.shape[0] + 1, tuple(sheets())
    inside = np.zeros(tuple(n + 2 for n in field.shape), np.uint8)
    inside[1:-1, 1:-1, 1:-1] = found
    cases, counts = np.empty(tuple(n + 1 for n in field.shape), np.uint8), np.zeros((slabs, 2), np.int64)
    device.launch(mark_slab, slabs, inside, cases)
    device.launch(count_slab, slabs, cases, *tables[1:], counts)
    ends = np.cumsum(counts, axis=0)
    first, (count, edges) = ends - counts, ends[-1]
    number = np.empty(cases.shape, np.int64)  # of cells that the surface passes alone
    vertices, faces = np.empty((count, 3)), np.empty((2 * edges, 3), np.int64)
    device.launch(write_vertices, slabs, cases, field, level, beyond, tables, first, number, vertices)
    device.launch(write_quads, slabs, cases, tables, first, number, vertices, faces)
    return grid.points(vertices - 1), faces


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
