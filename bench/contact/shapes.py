"""Fifteen smooth shapes packed like the bones of a wrist, with triangles of one size: what contenders are given."""

import numpy as np

from motiform.geometry.checks import check_length
from motiform.geometry.maps import grid_around
from motiform.geometry.maps.isosurfaces import isosurface
from motiform.geometry.solids.mesh import Mesh
from motiform.spatial.checks import Array

__all__ = ["wrist_shapes"]

# Centre and half axes [mm]; x from ulnar to radial, y from palmar to dorsal, z from proximal to distal; right hand.
_BONES: dict[str, tuple[tuple[float, float, float], tuple[float, float, float]]] = {
    "radius": ((9, 0, -16), (14, 10, 14)),
    "ulna": ((-13, 1, -16), (8, 8, 13)),
    "scaphoid": ((11, -1, 4), (8, 7, 10)),
    "lunate": ((-1, 0, 2), (8, 9, 8)),
    "triquetrum": ((-11, 1, 5), (8, 7, 8)),
    "pisiform": ((-13, -10, 6), (5, 5, 6)),
    "trapezium": ((18, -4, 16), (8, 8, 7)),
    "trapezoid": ((9, 2, 17), (6, 8, 6)),
    "capitate": ((1, 1, 15), (7, 8, 11)),
    "hamate": ((-9, 0, 16), (8, 9, 9)),
    "metacarpal1": ((26, -9, 32), (7, 7, 14)),
    "metacarpal2": ((11, 2, 36), (7, 8, 17)),
    "metacarpal3": ((0, 2, 37), (6.5, 8, 17)),
    "metacarpal4": ((-8, 1, 36), (6, 7, 16)),
    "metacarpal5": ((-17, 0, 33), (7, 7, 15)),
}
_ROUND = 1.2  # [mm] radius of the edges between facing sides


def wrist_shapes(spacing: float = 0.5e-3, *, gap: float = 0.8e-3) -> dict[str, Mesh]:
    """Return closed meshes [m] of fifteen bones by name, with triangles of about `spacing` [m].

    Each bone is an ellipsoid cut back to half the `gap` [m] before the surface at equal (scaled) distance from it and
    each of its neighbours, with rounded edges: neighbours face each other at the gap, as in a wrist.
    """
    h, half = check_length(spacing, "spacing"), 0.5 * check_length(gap, "gap")
    meshes = {}
    for name, (center, axes) in _BONES.items():
        low, high = 1e-3 * (np.array(center) - axes), 1e-3 * (np.array(center) + axes)
        grid = grid_around(low, high, h, margin=2 * h)
        points = grid.points(np.moveaxis(np.indices(grid.shape), 0, -1))
        own = _ellipsoid(points, center, axes)
        field = own
        for other, (place, sizes) in _BONES.items():
            if other != name:  # the surface of equal distance, moved back by half the gap
                field = _round_max(field, 0.5 * (own - _ellipsoid(points, place, sizes)) + half, 1e-3 * _ROUND)
        meshes[name] = isosurface(field, grid)
    return meshes


def _ellipsoid(points: Array, center: tuple[float, ...], axes: tuple[float, ...]) -> Array:
    """Return about the distance [m] to an ellipsoid: (|u| − 1) over the gradient of |u|, with u scaled by half axes."""
    sizes = 1e-3 * np.array(axes)
    u = (points - 1e-3 * np.array(center)) / sizes
    length = np.maximum(np.linalg.norm(u, axis=-1), 1e-9)
    slope = np.linalg.norm(u / sizes, axis=-1) / length
    distance: Array = (length - 1) / np.maximum(slope, 0.5 / sizes.max())
    return distance


def _round_max(a: Array, b: Array, radius: float) -> Array:
    """Return the larger of two fields, with the edge between them rounded."""
    mixed = np.maximum(radius - np.abs(a - b), 0) / radius
    rounded: Array = np.maximum(a, b) + 0.25 * radius * mixed**2
    return rounded
