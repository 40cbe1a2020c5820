"""Chamfer distance maps: whole numbers, by two sweeps of a small mask."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motiform.base.errors import InputError, ShapeError, closest
from motiform.spatial.checks import Words

__all__ = ["MASKS", "ChamferMask", "chamfer_map", "read_mask"]

_FAR = 2**29  # of voxels that no background reaches


@dataclass(frozen=True)
class ChamferMask:
    """Weights of the steps to the neighbours of a voxel; distances divided by `axis` are in voxels."""

    axis: int
    edge: int
    """Across an edge, √2 voxels."""
    corner: int
    """Across a corner, √3 voxels; 0: a mask of the plane."""
    further: tuple[tuple[int, int, int], ...] = ()
    """Steps beyond the neighbours, in the plane: voxels along and across, along > across > 0, and the weight."""

    def __post_init__(self) -> None:
        for along, across, weight in self.further:
            if not (along > across > 0 and weight > 0) or self.corner:
                got, allowed = Words(f"{(along, across, weight)}"), "along > across > 0, in the plane"
                raise InputError("a step beyond the neighbours must be one of the plane", got=got, allowed=allowed)

    @property
    def reach(self) -> int:
        """Voxels by which a step goes at most."""
        return max([1, *(along for along, _, _ in self.further)])

    @property
    def error(self) -> tuple[float, float]:
        """The least and greatest relative error against Euclid over all directions, of distances over `axis`.

        In x ≥ y ≥ z the distance is a linear function of direction between steps that can follow one another, so that
        the extremes are at these steps (least) and at the gradients of the linear pieces (greatest).
        """
        a, b, c = float(self.axis), float(self.edge), float(self.corner)
        if not c:
            around = sorted([(1, 0, a), (1, 1, b), *self.further], key=lambda step: step[1] / step[0])
            steps = [(weight, float(x * x + y * y)) for x, y, weight in around]
            slopes = [
                ((w * v - z * y) / (x * v - u * y), (x * z - u * w) / (x * v - u * y), 0.0)
                for (x, y, w), (u, v, z) in pairwise(around)
            ]
        elif a + c <= 2 * b:
            steps, slopes = [(a, 1.0), (b, 2.0), (c, 3.0)], [(a, b - a, c - b)]
        else:  # two edges beat an axis and a corner: beyond x = y + z only edges are used
            steps = [(a, 1.0), (b, 2.0), (2 * b, 6.0), (3 * b / 2, 3.0)]
            slopes = [(a, b - a, b - a), (b / 2, b / 2, b / 2)]
        least = min(weight / (a * np.sqrt(square)) for weight, square in steps)
        greatest = max(float(np.linalg.norm(slope)) / a for slope in slopes)
        return float(least - 1), float(greatest - 1)


MASKS = {
    "D4": ChamferMask(1, 2, 0),
    "D8": ChamferMask(1, 1, 0),
    "3-4": ChamferMask(3, 4, 0),
    "5x5": ChamferMask(5, 7, 0, ((2, 1, 11),)),  # [Borgefors86]
    "7x7": ChamferMask(12, 17, 0, ((2, 1, 27), (3, 1, 38), (3, 2, 43))),  # [Borgefors86]
    "3-4-5": ChamferMask(3, 4, 5),
    "5-7-9": ChamferMask(5, 7, 9),
    "5-7-11": ChamferMask(5, 7, 11),  # [Perez94]; the usual one is 5-7-9
}
"""Masks by name: "D4", "D8", "3-4", "5x5", "7x7" of the plane, the others of space."""


def chamfer_map(
    inside: Any, *, mask: str | ChamferMask | None = None, border: bool = True, device: str = "cpu"
) -> NDArray[np.int32]:
    """Return the chamfer distance of each voxel inside to the nearest voxel outside, in weights of the mask.

    `inside` is (nx, ny, nz), or (ny, nz) with a mask of the plane; anything but 0 is inside. `border` says whether
    voxels beyond the volume are outside. Divided by the mask's `axis` the distances are in voxels, with the errors of
    `ChamferMask.error` against Euclid: they are no radii of round balls.
    """
    from motiform.base.kernels import get_device

    given = np.asarray(inside)
    if given.ndim not in (2, 3) or given.dtype.kind not in "biu" or min(given.shape) == 0:
        got = Words(f"{given.dtype} of shape {given.shape}")
        raise ShapeError("what is inside must be whole numbers on a grid", got=got, allowed="(nx, ny, nz) or (ny, nz)")
    weights = read_mask(mask, given.ndim)
    if weights.further:
        return _plane_map(given != 0, weights, border)
    body = given[None] if given.ndim == 2 else given
    padded = np.full([n + 2 for n in body.shape], 0 if border else _FAR, np.int32)
    if given.ndim == 2:
        padded[[0, -1]] = _FAR
    padded[1:-1, 1:-1, 1:-1] = np.where(body != 0, _FAR, 0)
    target = get_device(device)
    distance = target.array(padded)
    for forward in (True, False):
        _sweep(target, distance, body.shape, forward, weights)
    found: NDArray[np.int32] = target.host(distance)[1:-1, 1:-1, 1:-1]
    return found[0] if given.ndim == 2 else found


def _plane_map(inside: NDArray[np.bool_], mask: ChamferMask, border: bool) -> NDArray[np.int32]:
    """Return the map of a mask with steps beyond the neighbours, by one sweep forward and one back."""
    from motiform.geometry.maps.chamfer_kernels import sweep_plane

    around = [(1, 0, mask.axis), (1, 1, mask.edge), *mask.further]
    both = {(x, y, w) for u, v, w in around for x, y in ((u, v), (v, u), (u, -v), (v, -u))}
    steps = np.array(sorted((x, y, w) for x, y, w in both if (x, y) > (0, 0)), np.int64)
    padded = np.full([n + 2 * mask.reach for n in inside.shape], 0 if border else _FAR, np.int32)
    own = tuple(slice(mask.reach, -mask.reach) for _ in range(2))
    padded[own] = np.where(inside, _FAR, 0)
    for sense in (1, -1):
        sweep_plane(padded, mask.reach, steps, sense)
    return padded[own].copy()


def read_mask(mask: str | ChamferMask | None, dimensions: int) -> ChamferMask:
    """Return a mask by its name, or that of so many dimensions without one."""
    plane = dimensions == 2
    if mask is None:
        return MASKS["3-4" if plane else "3-4-5"]
    if isinstance(mask, str) and mask not in MASKS:
        raise InputError("unknown mask", got=mask, allowed=", ".join(MASKS), remedy=closest(mask, MASKS))
    weights = MASKS[mask] if isinstance(mask, str) else mask
    if (weights.corner == 0) != plane:
        raise InputError(
            "the mask must be of as many dimensions as the map", got=Words(f"{mask} for {dimensions} dimensions"),
            allowed=", ".join(name for name, one in MASKS.items() if (one.corner == 0) == plane),
        )  # fmt: skip
    return weights


def _sweep(target: Any, distance: Any, shape: tuple[int, ...], forward: bool, mask: ChamferMask) -> None:
    from motiform.geometry.maps.chamfer_kernels import TILE, sweep_wave

    wide, high = shape[0] // TILE, (shape[0] + shape[1]) // TILE  # last tiles along x and x + y
    weights = (mask.axis, mask.edge, mask.corner or _FAR)  # in the plane nothing comes from the layers beside it
    for wave in range(wide + high + 1):
        lowest, highest = max(0, wave - high), min(wide, wave)
        target.launch(sweep_wave, highest - lowest + 1, distance, wave, lowest, forward, *weights, least=2)
