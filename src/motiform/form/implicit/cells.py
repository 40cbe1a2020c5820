"""Cells of several sizes that stand still in space, each divided into eight where that is asked for."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motiform.base.errors import ShapeError
from motiform.spatial.checks import Array

__all__ = ["Cells"]

Ints = NDArray[np.int64]
_SHIFT = 20  # bits of the units along an edge of a root cell: it can be halved so many times
_KEYS = 1 << 20  # root cells along an axis
_RING = np.stack(np.meshgrid(*[[-1, 0, 1]] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
_PARTS = np.stack(np.meshgrid(*[[0, 1]] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
_OFF = 0.2  # edges that the middle of a cell is kept off the surface, where several vertices would coincide


class Cells:
    """A tree of cells over space; a field has a value in the middle of each that is not divided."""

    def __init__(self, values: Callable[[Array], Array], edge: float, points: Array) -> None:
        """Begin with root cells of an edge [m] that hold points, and those around them."""
        self.values, self.unit = values, edge / (1 << _SHIFT)
        self.corner, self.size, self._child = np.empty((0, 3), np.int64), np.empty(0, np.int64), np.empty(0, np.int64)
        self.middle, self.value = np.empty((0, 3)), np.empty(0)
        self._roots, self._places = np.empty(0, np.int64), np.empty((0, 3), np.int64)
        self.add_roots((np.unique(np.floor(points / edge).astype(np.int64), axis=0)[:, None] + _RING).reshape(-1, 3))

    def add_roots(self, places: Ints) -> None:
        """Add root cells at places [edges], those that are not there yet."""
        known = set(map(tuple, self._places.tolist()))
        fresh = np.array(sorted(set(map(tuple, places.tolist())) - known), np.int64).reshape(-1, 3)
        first = len(self.size)
        self._append(fresh << _SHIFT, np.full(len(fresh), 1 << _SHIFT))
        self._roots = np.append(self._roots, np.arange(first, first + len(fresh)))
        self._places = np.concatenate([self._places, fresh])

    def divide(self, cells: Ints) -> None:
        """Divide undivided cells into eight parts each."""
        half = self.size[cells] >> 1
        self._child[cells] = len(self.size) + 8 * np.arange(len(cells))
        corner = self.corner[cells][:, None] + half[:, None, None] * _PARTS
        self._append(corner.reshape(-1, 3), np.repeat(half, 8))

    def _append(self, corner: Ints, size: Ints) -> None:
        middle = self.unit * (corner + 0.5 * size[:, None])
        value = self.values(middle)
        if not np.isfinite(value).all():
            raise ShapeError("the field must be finite", where="polygonise")
        self.corner, self.size = np.concatenate([self.corner, corner]), np.concatenate([self.size, size])
        self._child = np.concatenate([self._child, np.full(len(size), -1)])
        self.middle, self.value = np.concatenate([self.middle, middle]), np.append(self.value, value)

    @property
    def tree(self) -> tuple[Any, ...]:
        """What kernels read, see `cells_kernels`."""
        base = self._places.min(axis=0)
        i, j, k = (self._places - base).T
        keys = (i * _KEYS + j) * _KEYS + k
        order = np.argsort(keys)
        return self._roots[order], keys[order], base, _SHIFT, _KEYS, self.corner, self.size, self._child

    def holding(self, points: Array) -> Ints:
        """Return the undivided cell that holds each point [m], −1 for none."""
        from motiform.base.kernels import get_device
        from motiform.form.implicit.cells_kernels import find_cells

        out = np.empty(len(points), np.int64)
        units = np.floor(points / self.unit).astype(np.int64)
        get_device("cpu").launch(find_cells, len(points), units, self.tree, out)
        return out

    def around(self) -> Ints:
        """Return the eight undivided cells around each corner where cells on both sides of the surface meet, (n, 8).

        Root cells that are missing there are added.
        """
        from motiform.base.kernels import get_device
        from motiform.form.implicit.cells_kernels import find_cut_corners, write_around

        launch = get_device("cpu").launch
        while True:
            tree, leaves, inside = self.tree, np.flatnonzero(self._child < 0), (self.value < 0.0).astype(np.int64)
            found = np.empty((len(leaves), 8), bool)
            launch(find_cut_corners, len(leaves), leaves, inside, tree, found)
            at, octant = np.nonzero(found)
            around = np.empty((len(at), 8), np.int64)
            launch(write_around, len(at), leaves[at], octant, tree, around)
            open_at, side = np.nonzero(around < 0)
            if not len(open_at):
                return around
            own, way = leaves[at[open_at]], octant[open_at]
            unit = self.corner[own] + self.size[own][:, None] * _PARTS[way] - 1 + _PARTS[side]
            self.add_roots(unit >> _SHIFT)

    def move_off_surface(self, cells: Ints) -> None:
        """Move the middles of cells that the surface is near to off it, on their side."""
        edge, step = self.unit * self.size[cells], 1e-3 * self.unit * self.size[cells]
        shifts = np.concatenate([np.eye(3), -np.eye(3)])
        near = self.middle[cells][:, None] + step[:, None, None] * shifts
        values = self.values(near.reshape(-1, 3)).reshape(-1, 6)
        slope = (values[:, :3] - values[:, 3:]) / (2.0 * step[:, None])
        steep = np.linalg.norm(slope, axis=1)
        steep = np.where(steep > 0.0, steep, np.inf)
        value = self.value[cells]
        way = _OFF * edge - np.abs(value) / steep
        close = np.flatnonzero((way > 0.0) & (steep < np.inf))
        chosen = cells[close]
        way, side = way[close] / steep[close], np.where(value[close] < 0.0, -1.0, 1.0)
        moved = self.middle[chosen] + (side * way)[:, None] * slope[close]
        found = self.values(moved)
        kept = (found < 0.0) == (value[close] < 0.0)
        self.middle[chosen[kept]], self.value[chosen[kept]] = moved[kept], found[kept]
