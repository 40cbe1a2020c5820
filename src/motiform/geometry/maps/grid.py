"""Where the voxels of a volume are."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import ShapeError
from motiform.geometry.checks import check_lengths, check_point, read_only
from motiform.spatial.checks import Array, Words, check_rotation

__all__ = ["Grid", "grid_around"]

MOST_VOXELS = 2**31  # of one grid


@dataclass(frozen=True, eq=False)
class Grid:
    """Voxels in a box. Voxel (i, j, k) has its centre at origin + axes · ((i, j, k) spacing).

    Attributes
    ----------
    shape : number of voxels along each axis, (nx, ny, nz).
    spacing : (3,) [m], between neighbouring centres along each axis.
    origin : (3,) [m], the centre of voxel (0, 0, 0).
    axes : (3, 3), a rotation whose columns are the directions in which i, j and k grow.
    """

    shape: tuple[int, int, int]
    spacing: Array
    origin: Array = field(default_factory=lambda: np.zeros(3))
    axes: Array = field(default_factory=lambda: np.eye(3))

    def __post_init__(self) -> None:
        shape = tuple(int(n) for n in self.shape)
        if len(shape) != 3 or min(shape) < 1 or np.prod(shape, dtype=float) > MOST_VOXELS:
            raise ShapeError(
                "a grid must have three positive numbers of voxels", got=Words(str(shape)),
                allowed=f"(nx, ny, nz), {MOST_VOXELS:g} voxels at most",
            )  # fmt: skip
        spacing = np.broadcast_to(np.asarray(self.spacing, float), 3) if np.ndim(self.spacing) == 0 else self.spacing
        object.__setattr__(self, "shape", shape)
        object.__setattr__(self, "spacing", read_only(np.array(check_lengths(spacing, "spacing"))))
        object.__setattr__(self, "origin", check_point(self.origin, "origin of a grid"))
        object.__setattr__(self, "axes", read_only(check_rotation(self.axes, where="axes of a grid")))

    @property
    def voxel(self) -> float:
        """The volume of a voxel [m³]."""
        return float(np.prod(self.spacing))

    @property
    def isotropic(self) -> bool:
        """Whether voxels are cubes, to one part in a thousand."""
        return bool(np.ptp(self.spacing) <= 1e-3 * self.spacing.max())

    @property
    def edge(self) -> float:
        """The edge of a voxel [m]; an error unless voxels are cubes."""
        if not self.isotropic:
            raise ShapeError(
                "voxels must be cubes", got=Words(f"spacing {(1e3 * self.spacing).tolist()} mm"),
                allowed="one spacing along all axes", remedy="Resample the volume to isotropic voxels first.",
            )  # fmt: skip
        return float(self.spacing.mean())

    def points(self, index: ArrayLike | Any) -> Array:
        """Return the points [m], (..., 3), of (fractional) indices (..., 3)."""
        steps, axes = np.asarray(index, float) * self.spacing, self.axes.T
        along = [steps[..., k, None] * axes[k] for k in range(3)]  # in an order that does not follow their number
        points: Array = self.origin + (along[0] + along[1] + along[2])
        return points

    def index(self, points: ArrayLike | Any) -> Array:
        """Return the fractional indices (..., 3) of points [m], (..., 3)."""
        index: Array = ((np.asarray(points, float) - self.origin) @ self.axes) / self.spacing
        return index

    def cut(self, low: ArrayLike, shape: tuple[int, int, int]) -> "Grid":
        """Return the grid of the box of that shape whose first voxel is at index `low`; it may lie outside."""
        return Grid(shape, self.spacing, self.points(low), self.axes)


def grid_around(low: ArrayLike, high: ArrayLike, spacing: float, *, margin: float = 0.0) -> Grid:
    """Return the grid of cubic voxels, of edge `spacing` [m], that holds a box [m] and a margin [m] around it."""
    low, high = check_point(low, "low") - margin, check_point(high, "high") + margin
    shape = np.maximum(np.ceil((high - low) / spacing).astype(int), 1) + 1
    origin = 0.5 * (low + high) - 0.5 * spacing * (shape - 1)
    return Grid(tuple(shape.tolist()), np.full(3, float(spacing)), origin)
