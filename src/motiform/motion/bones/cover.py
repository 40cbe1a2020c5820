"""A bone as a union of balls of its medial axis, and which of them may be nearest where. [Perez94 5, 6.4]"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from motiform.base.errors import ShapeError
from motiform.geometry import Mesh
from motiform.geometry.maps import Cover, SignedMap, cover_labels, grid_around, mesh_voxels
from motiform.geometry.search.closest import PackedSolids, signed_distance
from motiform.spatial.checks import Array, Words

__all__ = ["BLEND", "NearestBalls", "cover_bone", "nearest_balls", "on_balls"]

_BLOCK = 4  # cells along an edge that share their candidates
_OUTSIDE, _INSIDE = 2e-3, 1e-3  # [m] from the surface: cells between have lists; in others all balls are looked at
_AT_ONCE = 4_000_000  # distances that are computed together
_HIDDEN = 0.1  # voxels that a ball may pass another, which holds it else, and is left out
BLEND = 0.05
"""Voxels over which balls that meet are blended."""

NearestBalls = tuple[NDArray[np.int32], NDArray[np.int32]]
"""Where the list of each cell of a map begins (cells + 1), and the balls of all lists."""


def cover_bone(name: str, mesh: Mesh, solids: PackedSolids, voxel: float, bounds: Array | None) -> Cover:
    """Return the balls of the medial axis of a bone's voxels, as large as they fit into its surface.

    No ball passes the surface, and `short` is how far a voxel inside may be from the balls. Balls that lie in another,
    but for a tenth of a voxel, are left out.
    """
    from motiform.motion.bones.cover_kernels import hide_balls

    low, high = mesh.bounds if bounds is None else bounds
    if not (high - low).min() > 4.0 * voxel:
        got = Words(f"voxels of {1e3 * voxel:g} mm in a bone of {1e3 * (high - low).min():.3g} mm")
        raise ShapeError("voxels must be smaller than the bone", where=name, got=got, allowed="a quarter of it")
    grid = grid_around(low, high, voxel)
    rough = cover_labels(mesh_voxels(mesh, grid), grid)
    radii = -signed_distance(solids, rough.centers)[0]
    balls, shown = np.column_stack([rough.centers, radii]), radii > 0.0
    hide_balls(np.argsort(-radii, kind="stable"), balls, _HIDDEN * voxel, shown)
    return Cover(rough.centers[shown], radii[shown], rough.short + (0.5 + _HIDDEN) * voxel, 0.0)


def on_balls(points: Array, cover: Cover) -> Array:
    """Return points of a surface moved onto the balls of a cover that they are nearest to, (n, 3)."""
    out = np.empty_like(points)
    for part in _parts(len(points), len(cover)):
        x = points[part]
        apart = np.linalg.norm(x[:, None] - cover.centers, axis=2)
        k = (apart - cover.radii).argmin(axis=1)
        away = x - cover.centers[k]
        out[part] = cover.centers[k] + (cover.radii[k] / np.linalg.norm(away, axis=1))[:, None] * away
    return out


def nearest_balls(cover: Cover, map: SignedMap, blend: float) -> NearestBalls:
    """Return, for each cell of a map near the surface, the balls of a cover that count at any point of it."""
    from motiform.motion.bones.cover_kernels import LATEST

    h, n = map.spacing, np.array(map.coefficients.shape)
    balls, more = np.column_stack([cover.centers, cover.radii]), LATEST * blend
    blocks = _near_surface(_corners(*(range(0, k - 1, _BLOCK) for k in n)), _BLOCK, map)
    everything = np.array([0, len(balls)]), np.arange(len(balls), dtype=np.int32)
    middles = map.origin + h * (blocks + 0.5 * _BLOCK)
    coarse = _listed(middles, _BLOCK * h, np.zeros(len(blocks), np.int64), everything, balls, more)
    cells = (blocks[:, None] + _corners(*[range(_BLOCK)] * 3)).reshape(-1, 3)
    cells = _near_surface(cells[(cells < n - 1).all(axis=1)], 1, map)
    cells = cells[np.argsort(np.ravel_multi_index(tuple(cells.T), tuple(n)))]
    owner = np.zeros(tuple(n // _BLOCK + 1), np.int64)
    owner[tuple(blocks.T // _BLOCK)] = np.arange(len(blocks))
    starts, lists = _listed(map.origin + h * (cells + 0.5), h, owner[tuple(cells.T // _BLOCK)], coarse, balls, more)
    counts = np.zeros(int(n.prod()), np.int32)
    counts[np.ravel_multi_index(tuple(cells.T), tuple(n))] = np.diff(starts)
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int32), lists


def _corners(x: range, y: range, z: range) -> Any:
    return np.stack(np.meshgrid(x, y, z, indexing="ij"), axis=-1).reshape(-1, 3)


def _near_surface(boxes: Any, edge: int, map: SignedMap) -> Any:
    """Return the boxes, first cells of `edge` along each axis, that may have points near the surface."""
    middle = np.minimum(boxes + (edge + 1) // 2, np.array(map.coefficients.shape) - 1)
    level, room = map.coefficients[tuple(middle.T)], np.sqrt(3.0) * edge * map.spacing
    return boxes[(level > -_INSIDE - room) & (level < _OUTSIDE + room)]


def _listed(
    middles: Array, edge: float, owners: Any, held: tuple[Any, Any], balls: Array, more: float
) -> tuple[Any, NDArray[np.int32]]:
    """Return where the list of each box begins (boxes + 1), and the balls of all lists, from those `held` by owners."""
    from motiform.base.kernels import get_device
    from motiform.motion.bones.cover_kernels import list_balls

    device, counts = get_device("cpu"), np.zeros(len(middles), np.int64)
    given = np.ascontiguousarray(middles), 0.5 * np.sqrt(3.0) * edge, owners, *held, balls, more
    device.launch(list_balls, len(middles), *given, counts, False, np.zeros(0, np.int32))
    starts = np.concatenate([[0], np.cumsum(counts)])
    lists = np.empty(int(starts[-1]), np.int32)
    device.launch(list_balls, len(middles), *given, starts, True, lists)
    return starts, lists


def _parts(count: int, balls: int) -> list[Any]:
    size = max(1, _AT_ONCE // balls)
    return [slice(start, start + size) for start in range(0, count, size)]
