"""Volumes: grey values on a grid; labels: bones on a grid."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motiform.base.errors import InputError, ShapeError, closest
from motiform.geometry.checks import check_length, read_only
from motiform.geometry.maps import Grid
from motiform.geometry.maps.euclid import check_labels
from motiform.spatial.checks import Words, as_floats

__all__ = ["Labels", "Side", "Volume"]

Side = Literal["left", "right"]


@dataclass(frozen=True, eq=False)
class Volume:
    """Grey values on a grid.

    Attributes
    ----------
    values : (nx, ny, nz) float32 at the voxel centres; Hounsfield units for a calibrated CT.
    grid : where the voxels are [m]. Of medical files the axes are the patient's: x to the left, y to the back, z up.
    notes : what was repaired or is doubtful in the file.
    """

    values: NDArray[np.float32] = field(repr=False)
    grid: Grid
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        values = as_floats(self.values, where="values of a volume", error=ShapeError)
        if values.shape != self.grid.shape:
            raise ShapeError("values must fit their grid", got=Words(str(values.shape)), allowed=str(self.grid.shape))
        object.__setattr__(self, "values", read_only(values.astype(np.float32)))

    def resampled(self, spacing: float | None = None) -> "Volume":
        """Return the volume with cubic voxels of edge `spacing` [m]; without it, of the smallest spacing it has.

        Cubic B-splines interpolate: the values at old voxel centres are kept where a new one falls on them
        [Unser93]. Coarser voxels are smoothed first, with the standard deviation of a box of the new width
        less that of the old one.
        """
        from scipy.ndimage import gaussian_filter, spline_filter

        old = self.grid
        h = check_length(spacing, "spacing") if spacing is not None else float(old.spacing.min())
        if np.allclose(old.spacing, h, rtol=1e-9):
            return self
        shape = np.maximum(np.floor((np.array(old.shape) - 1) * old.spacing / h + 1e-6).astype(int) + 1, 1)
        grid = Grid(tuple(shape.tolist()), np.full(3, h), old.origin, old.axes)
        wide = np.sqrt(np.maximum(h**2 - old.spacing**2, 0) / 12) / old.spacing
        smooth = gaussian_filter(self.values, wide) if wide.any() else self.values
        values = smooth.astype(np.float64)
        orders = tuple(min(3, n - 1) for n in old.shape)
        if min(orders) < 3:
            raise ShapeError(
                "a volume must have four slices to be interpolated", got=Words(str(old.shape)),
                allowed="4 voxels along each axis",
            )  # fmt: skip
        coefficients = spline_filter(values, order=3, mode="mirror")
        return replace(self, values=_interpolate(coefficients, shape, h / old.spacing), grid=grid)

    def cropped(self, low: ArrayLike, high: ArrayLike) -> "Volume":
        """Return the part between two corners of indices (3,), the second not included."""
        first = np.clip(np.asarray(low, int), 0, self.grid.shape)
        last = np.clip(np.asarray(high, int), 0, self.grid.shape)
        if not (last > first).all():
            raise ShapeError("the part must hold a voxel", where="cropped", got=Words(f"{first} to {last}"))
        part = self.values[tuple(slice(a, b) for a, b in zip(first, last, strict=True))]
        return replace(self, values=part, grid=self.grid.cut(first, part.shape))


def _interpolate(coefficients: Any, shape: Any, ratio: Any) -> NDArray[np.float32]:
    """Return the spline at new places, one axis after the other: 4 values each instead of 64."""
    values = coefficients
    for axis in range(3):
        values = _along(values, axis, np.arange(shape[axis]) * ratio[axis])
    return values.astype(np.float32)


def _along(values: Any, axis: int, places: Any) -> Any:
    last = values.shape[axis] - 1
    at = np.minimum(np.floor(places + 1e-9).astype(int), last)
    t = places - at
    s = 1 - t
    weights = (s**3 / 6, (4 - 6 * t**2 + 3 * t**3) / 6, (4 - 6 * s**2 + 3 * s**3) / 6, t**3 / 6)
    lined = [-1 if k == axis else 1 for k in range(3)]
    total = 0.0
    for step, weight in enumerate(weights):
        index = np.abs(at - 1 + step)
        index = np.where(index > last, 2 * last - index, index)  # mirrored at the ends, as the coefficients are
        total = total + np.take(values, index, axis) * weight.reshape(lined)
    return total


@dataclass(frozen=True, eq=False)
class Labels:
    """Bones on a grid: a whole number for each voxel, and their names.

    Attributes
    ----------
    values : (nx, ny, nz) int32; 0 is no bone.
    grid : where the voxels are [m].
    names : name of each number above 0 that occurs, {number: name}.
    side : "left", "right", or None where it is not known.
    notes : what was repaired, left out or is doubtful.
    """

    values: NDArray[np.int32] = field(repr=False)
    grid: Grid
    names: Mapping[int, str] = field(default_factory=dict)
    side: Side | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        values = check_labels(self.values)
        if values.shape != self.grid.shape:
            raise ShapeError("labels must fit their grid", got=Words(str(values.shape)), allowed=str(self.grid.shape))
        if self.side not in (None, "left", "right"):
            raise InputError("unknown side", got=self.side, allowed="'left', 'right', None")
        present = [int(n) for n in np.unique(values) if n]
        if present and present[0] < 0:
            raise ShapeError("labels must not be negative", got=present[0], allowed="0 and above")
        names = {n: str(self.names.get(n, f"bone {n}")) for n in present}
        twice = {name for name in names.values() if list(names.values()).count(name) > 1}
        if twice:
            raise InputError("a name must belong to one label", where="labels", got=", ".join(sorted(twice)))
        object.__setattr__(self, "values", read_only(values))
        object.__setattr__(self, "names", MappingProxyType(names))

    def number(self, name: str) -> int:
        """Return the number of a bone."""
        for number, own in self.names.items():
            if own == name:
                return number
        known = list(self.names.values())
        raise InputError("no label has this name", got=name, allowed=", ".join(known), remedy=closest(name, known))

    def inside(self, name: str) -> NDArray[np.bool_]:
        """Return the voxels of a bone, (nx, ny, nz)."""
        mask: NDArray[np.bool_] = self.values == self.number(name)
        return mask

    def renamed(self, names: Mapping[Any, str]) -> "Labels":
        """Return the labels with other names, given by number or by the name so far."""
        given = {(key if isinstance(key, int) else self.number(key)): name for key, name in names.items()}
        for number in given:
            if number not in self.names:
                raise InputError("no voxel has this label", got=number, allowed=", ".join(map(str, self.names)))
        return replace(self, names=dict(self.names) | given)
