"""Surfaces as points with areas: from meshes and from covers."""

import numpy as np
from numpy.typing import NDArray

from motiform.geometry.checks import check_length
from motiform.geometry.maps.cover import Cover
from motiform.geometry.meshes.pieces import check_pieces
from motiform.geometry.solids.mesh import Mesh
from motiform.spatial.checks import Array

__all__ = ["along_curve", "surface_elements"]


def surface_elements(surface: Mesh | Cover, spacing: float) -> Array:
    """Return points of a surface [m] and their areas [m²], (m, 4), about `spacing` [m] apart.

    Of a mesh: triangles are cut where they are longer than half the spacing and joined where they share a cell of
    that edge and face the same way; an element is their mean point, with their area. Of a cover: points of the
    spheres that no other ball holds.
    """
    h = check_length(spacing, "spacing")
    return _of_mesh(surface, h) if isinstance(surface, Mesh) else _of_cover(surface, h)


def _of_mesh(mesh: Mesh, h: float) -> Array:
    a, b, c = np.moveaxis(mesh.vertices[mesh.faces], 1, 0)
    longest = np.max([np.linalg.norm(p - q, axis=1) for p, q in ((a, b), (b, c), (c, a))], axis=0)
    twice = np.cross(b - a, c - a)
    area = 0.5 * np.linalg.norm(twice, axis=1)
    way = np.abs(twice).argmax(axis=1)
    way = 2 * way + (twice[np.arange(len(way)), way] < 0)
    check_pieces(float((np.maximum(longest / (0.5 * h), 1) ** 2).sum()))
    parts = np.maximum(np.ceil(longest / (0.5 * h)).astype(int), 1)
    points, areas, ways = [], [], []
    for k in np.unique(parts):
        own = parts == k
        up = [(i + 1 / 3, j + 1 / 3) for i in range(k) for j in range(k - i)]
        down = [(i + 2 / 3, j + 2 / 3) for i in range(k - 1) for j in range(k - 1 - i)]
        uv = np.array(up + down) / k
        found = a[own][:, None] + uv[:, :1] * (b - a)[own][:, None] + uv[:, 1:] * (c - a)[own][:, None]
        points.append(found.reshape(-1, 3))
        areas.append(np.repeat(area[own] / k**2, k * k))
        ways.append(np.repeat(way[own], k * k))
    return _joined(np.concatenate(points), np.concatenate(areas), np.concatenate(ways), h)


def _joined(points: Array, areas: Array, ways: NDArray[np.int64], h: float) -> Array:
    cells = np.floor((points - points.min(axis=0)) / h).astype(np.int64)
    _nx, ny, nz = cells.max(axis=0) + 1
    key = ((cells[:, 0] * ny + cells[:, 1]) * nz + cells[:, 2]) * 6 + ways
    _, index = np.unique(key, return_inverse=True)
    total = np.bincount(index, areas)
    kept = total > 0
    middle = [np.bincount(index, areas * points[:, axis])[kept] / total[kept] for axis in range(3)]
    return np.column_stack([*middle, total[kept]])


def _of_cover(cover: Cover, h: float) -> Array:
    from scipy.spatial import cKDTree

    check_pieces(float((4 * np.pi * (cover.radii / h) ** 2).sum()))
    counts = np.maximum(np.ceil(4 * np.pi * (cover.radii / h) ** 2).astype(int), 12)
    ball = np.repeat(np.arange(len(cover)), counts)
    n = np.arange(len(ball)) - np.repeat(np.cumsum(counts) - counts, counts)
    z = 1 - (2 * n + 1) / counts[ball]  # points of a spiral, evenly spread
    turn = np.pi * (1 + np.sqrt(5)) * n
    flat = np.sqrt(1 - z * z)
    way = np.column_stack([flat * np.cos(turn), flat * np.sin(turn), z])
    points = cover.centers[ball] + cover.radii[ball, None] * way
    hidden = np.zeros(len(points), bool)
    tree = cKDTree(points)
    for k, (center, radius) in enumerate(zip(cover.centers, cover.radii, strict=True)):
        inside = np.array(tree.query_ball_point(center, radius * (1 - 1e-9)), dtype=np.int64)
        hidden[inside[ball[inside] != k]] = True
    areas = (4 * np.pi * cover.radii**2 / counts)[ball]
    return np.column_stack([points, areas])[~hidden]


def along_curve(points: Array) -> NDArray[np.int64]:
    """Return an order of points (n, 3) that keeps neighbours together: by the bits of the three coordinates in turn."""
    size = np.ptp(points, axis=0).max() or 1.0
    cells = ((points - points.min(axis=0)) / size * 1023).astype(np.int64)
    keys = np.zeros(len(points), np.int64)
    for bit in range(10):
        for axis in range(3):
            keys |= ((cells[:, axis] >> bit) & 1) << (3 * bit + axis)
    return np.argsort(keys, kind="stable")
