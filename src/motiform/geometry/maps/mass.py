"""Mass properties of the voxels of a label."""

from typing import Any

import numpy as np

from motiform.base.errors import ShapeError
from motiform.geometry.checks import check_amount
from motiform.geometry.maps.grid import Grid
from motiform.geometry.mass import MassProperties, inertia_of_moments

__all__ = ["label_mass"]


def label_mass(inside: Any, grid: Grid, *, density: float) -> MassProperties:
    """Return mass, centre of mass and inertia of the voxels inside, as boxes of one density [kg/m³], in grid's frame.

    Second moments are those of the centres and, for each voxel, its own h²/12 along each axis.
    """
    rho = check_amount(density, "density", "kg/m³")
    index = np.argwhere(np.asarray(inside))
    if len(index) == 0:
        raise ShapeError("the label has no voxel", where="mass", allowed="at least one voxel inside")
    middle = index.mean(axis=0)
    r = (index - middle) * grid.spacing
    second = (r.T @ r + np.diag(len(index) * grid.spacing**2 / 12)) * (rho * grid.voxel)
    second = grid.axes @ second @ grid.axes.T
    return MassProperties(rho * grid.voxel * len(index), grid.points(middle), inertia_of_moments(second))
