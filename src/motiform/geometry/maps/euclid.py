"""Exact Euclidean distance maps of labels."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from motiform.base.errors import ShapeError
from motiform.geometry.checks import check_lengths
from motiform.spatial.checks import Array, Words

__all__ = ["check_labels", "euclidean_map", "signed_label_map", "squared_map"]

Distances = NDArray[np.float32]


def euclidean_map(labels: Any, *, spacing: float | Array = 1.0, border: bool = True, device: str = "cpu") -> Distances:
    """Return the distance of each voxel's centre to the nearest centre of a voxel with another label; 0 where it is 0.

    Parameters
    ----------
    labels : (nx, ny, nz) whole numbers or truth values; 0 is the background. Labels get their maps in one sweep.
    spacing : one number or (3,); distances have its unit.
    border : whether voxels beyond the volume are background.
    device : "cpu" or "cuda".

    The map is exact [Felzenszwalb12]: as float32 it is rounded once. Time is linear in the number of voxels.
    """
    return np.sqrt(squared_map(labels, spacing=spacing, border=border, device=device))


def squared_map(labels: Any, *, spacing: float | Array = 1.0, border: bool = True, device: str = "cpu") -> Distances:
    """Return the squares of `euclidean_map`: whole numbers, exact up to 2²⁴, where the spacing is 1."""
    from motiform.base.kernels import get_device
    from motiform.geometry.maps.euclid_kernels import BLOCKS, sweep_lines

    checked = check_labels(labels)
    h = check_lengths(np.broadcast_to(np.asarray(spacing, float), 3), "spacing")
    target = get_device(device)
    given, squared = target.array(checked), target.empty(checked.shape, np.float32)
    longest = max(checked.shape)
    room = [target.empty((BLOCKS, longest), kind) for kind in (np.float64, np.int64, np.float64)]
    for first, axis in ((True, 2), (False, 1), (False, 0)):
        target.launch(sweep_lines, BLOCKS, given, squared, axis, first, h[axis] ** 2, bool(border), *room, least=2)
    found: Distances = target.host(squared)
    return found


def signed_label_map(inside: Any, *, spacing: float | Array = 1.0, device: str = "cpu") -> Distances:
    """Return signed distances of voxel centres to the surface of a label, below zero inside.

    The surface passes half-way between neighbouring centres on either side, so half a voxel is taken from both maps;
    it is known to about a third of a voxel, where a map from a mesh has no such steps.
    """
    mask = check_labels(inside) != 0
    half = 0.5 * float(np.mean(spacing))
    deep = euclidean_map(mask, spacing=spacing, device=device)
    far = euclidean_map(~mask, spacing=spacing, border=False, device=device)
    return np.where(mask, half - deep, far - half).astype(np.float32)


def check_labels(labels: Any) -> NDArray[np.int32]:
    """Return labels as C-ordered int32 (nx, ny, nz)."""
    array = np.asarray(labels)
    if array.ndim != 3 or array.dtype.kind not in "biu" or min(array.shape) == 0:
        got = Words(f"{array.dtype} of shape {array.shape}")
        raise ShapeError("labels must be whole numbers on a grid", got=got, allowed="whole numbers (nx, ny, nz)")
    return np.ascontiguousarray(array, np.int32)
