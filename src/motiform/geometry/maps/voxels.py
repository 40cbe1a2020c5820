"""Voxels inside a mesh."""

import numpy as np
from numpy.typing import NDArray

from motiform.geometry.maps.grid import Grid
from motiform.geometry.meshes.fill import cells_inside
from motiform.geometry.solids.mesh import Mesh
from motiform.spatial import Transform

__all__ = ["mesh_voxels"]

_AT_ONCE = 8_000_000  # voxels that are looked at together


def mesh_voxels(mesh: Mesh, grid: Grid) -> NDArray[np.bool_]:
    """Return which voxels of a grid have their centres inside a closed mesh, (nx, ny, nz)."""
    own = mesh.moved(Transform(grid.axes, grid.origin).inverse())
    x, y, z = (np.arange(n) * h for n, h in zip(grid.shape, grid.spacing, strict=True))
    slabs = np.array_split(z, max(1, len(x) * len(y) * len(z) // _AT_ONCE))
    return np.concatenate([cells_inside(own, [x, y, slab]) for slab in slabs], axis=2)
