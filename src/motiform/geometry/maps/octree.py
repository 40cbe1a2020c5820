"""Octrees: a volume as cubes of several sizes, and the balls around them.  [Perez94 5.3.2]"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from motiform.base.errors import ShapeError
from motiform.geometry.maps.cover import Cover, check_same_shape
from motiform.geometry.maps.euclid import check_labels
from motiform.geometry.maps.grid import Grid

__all__ = ["octree_cover", "octree_cubes"]

Indices = NDArray[np.int64]


def octree_cubes(inside: Any) -> tuple[Indices, Indices]:
    """Return the full cubes of the octree of a volume: their first voxels (n, 3) and how many these are along an edge.

    The volume is the first corner of a cube with a power of two along its edge. A cube is divided in eight until it is
    full or empty; the full ones are disjoint, and their union is the volume.
    """
    given = check_labels(inside) != 0
    side = 1 << int(max(given.shape) - 1).bit_length()
    full = np.zeros([side] * 3, bool)
    full[tuple(slice(n) for n in given.shape)] = given
    firsts, edges, edge = [], [], 1
    while len(full) > 1:
        half = len(full) // 2
        parents = np.asarray(full.reshape(half, 2, half, 2, half, 2).all(axis=(1, 3, 5)))
        alone = full & ~parents.repeat(2, 0).repeat(2, 1).repeat(2, 2)
        firsts.append(edge * np.argwhere(alone))
        edges.append(np.full(len(firsts[-1]), edge))
        full, edge = parents, 2 * edge
    firsts.append(edge * np.argwhere(full))
    edges.append(np.full(len(firsts[-1]), edge))
    return np.concatenate(firsts).astype(np.int64), np.concatenate(edges).astype(np.int64)


def octree_cover(inside: Any, grid: Grid) -> Cover:
    """Return the balls around the full cubes of the octree of a volume: radius √3/2 of a cube's edge.

    Every voxel is in a ball (`short` 0). A ball passes the voxel centres beside the faces of its cube: those of n
    voxels by ((√3 − 1) n − 1)/2 of a voxel, of which the greatest is `beyond`. Balls of `cover_labels` pass none.
    """
    h, mask = grid.edge, check_same_shape(inside, grid)
    firsts, edges = octree_cubes(mask)
    if len(firsts) == 0:
        raise ShapeError("the volume is empty", where="octree", allowed="at least one voxel inside")
    centers, radii = firsts + 0.5 * (edges - 1)[:, None], 0.5 * np.sqrt(3.0) * edges
    beyond = 0.5 * ((3.0**0.5 - 1.0) * int(edges.max()) - 1.0)
    return Cover(grid.points(centers), radii * h, 0.0, max(0.0, beyond * h))
