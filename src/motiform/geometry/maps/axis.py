"""The medial axis of a volume: the centres of balls that no neighbour's ball contains."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from motiform.base.errors import InputError
from motiform.geometry.maps.chamfer import ChamferMask, chamfer_map, read_mask
from motiform.geometry.maps.euclid import check_labels, squared_map

__all__ = ["chamfer_axis", "euclidean_axis", "inclusion_tables"]

Indices = NDArray[np.int64]


def euclidean_axis(inside: Any, *, device: str = "cpu") -> tuple[Indices, Indices]:
    """Return the medial axis by Euclidean balls: indices of centres (n, 3) and their squared radii in voxels (n,).

    The ball of a centre p with D² holds the voxels q with |q − p|² < D². A voxel is on the axis unless the ball of one
    of its 26 neighbours holds all voxels of its ball, which tables decide exactly [RemyThiel02]. The union of the balls
    is the object.
    """
    mask = check_labels(inside) != 0
    squared = squared_map(mask, device=device)
    return _chosen(squared, inclusion_tables(int(squared.max())), device=device)


def chamfer_axis(inside: Any, *, mask: str | ChamferMask | None = None, device: str = "cpu") -> tuple[Indices, Indices]:
    """Return the medial axis by chamfer balls: indices of centres (n, 3) and radii in weights of the mask (n,).

    A voxel M is on the axis if and only if no neighbour P has D(P) − D(M) ≥ d(M, P)  [Perez94 5.5.4]. The ball of a
    centre holds the voxels nearer than D by the mask; the union of the balls is the object. The mask is "3-4-5" without
    another one, "3-4" in the plane, where indices are (n, 2).
    """
    weights = read_mask(mask, np.ndim(inside))
    if weights.further:
        raise InputError("the mask of an axis must have steps to neighbours only", got=str(mask), allowed='"3-4"')
    distance = chamfer_map(inside, mask=weights, device=device)
    steps = np.array([weights.axis, weights.edge, weights.corner])
    tables = (np.arange(distance.max() + 1) + steps[:, None]).astype(np.int32)  # D(P) − D(M) ≥ d(M, P) [Perez94 5.5.4]
    return _chosen(distance, tables, device=device)


def _chosen(distance: NDArray[Any], tables: NDArray[np.int32], *, device: str) -> tuple[Indices, Indices]:
    """Return indices and distances of the voxels on the axis."""
    body = distance[None] if distance.ndim == 2 else distance
    padded = np.zeros([n + 2 for n in body.shape], np.int32)
    padded[1:-1, 1:-1, 1:-1] = body
    on = _launch(padded, body.shape, tables, device=device)
    on = on[0] if distance.ndim == 2 else on
    return np.argwhere(on), distance[on].astype(np.int64)


def _launch(padded: Any, shape: tuple[int, ...], tables: NDArray[np.int32], *, device: str) -> NDArray[np.bool_]:
    from motiform.base.kernels import get_device
    from motiform.geometry.maps import axis_kernels

    target = get_device(device)
    chosen = target.empty(shape, np.uint8)
    given = target.array(padded), target.array(tables)
    target.launch(axis_kernels.axis_by_tables, shape[0] * shape[1], *given, chosen, least=8)
    return target.host(chosen) != 0


def inclusion_tables(most: int) -> NDArray[np.int32]:
    """Return, for a step to a neighbour over a face, an edge, a corner (3) and D² up to `most`, the least D² there.

    A ball of the neighbour at g holds all voxels |q|² < D² of the own ball if its D² exceeds the largest |q − g|².
    """
    side = int(np.sqrt(most)) + 1
    q = np.arange(side + 1)
    x, y, z = (axis.ravel() for axis in np.meshgrid(q, q, q, indexing="ij", sparse=False))
    square = x * x + y * y + z * z
    near = (square <= most) & (x >= y) & (y >= z)  # the furthest corner of each shell by symmetry
    x, y, z, square = x[near], y[near], z[near], square[near]
    tables = np.zeros((3, most + 1), np.int32)
    for steps, along in enumerate((x, x + y, x + y + z)):
        furthest = np.zeros(most + 2, np.int64)
        np.maximum.at(furthest, square + 1, square + 2 * along + steps + 1)  # it counts for every D² above |q|²
        tables[steps] = np.maximum.accumulate(furthest)[: most + 1] + 1
    return tables
