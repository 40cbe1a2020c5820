"""Convex hulls as kernels read them: corners, flat faces and the corners around each."""

import numpy as np

from motiform.base.errors import ShapeError
from motiform.geometry.solids.mesh import Mesh
from motiform.spatial.checks import Array

__all__ = ["MOST_CORNERS", "hull_corners", "hull_faces", "hull_numbers"]

MOST_CORNERS = 64
"""Corners of one mesh that may touch."""
_FLAT = 1e-7  # of the size: corners so near to a plane are on it


def hull_corners(mesh: Mesh, most: int = MOST_CORNERS) -> tuple[Array, str]:
    """Return the corners of a mesh's convex hull [m], (corners, 3), and a note where `most` of them were chosen.

    Those farthest along each axis are taken first, then again and again the one that is farthest from all that are.
    """
    corners = np.asarray(mesh.vertices)[_hull(mesh.vertices).vertices]
    if len(corners) <= most:
        return corners, ""
    chosen, left = _spread(corners, most)
    note = f"{most} of {len(corners)} corners of its mesh may touch; the others are within {left:.3g} m of them"
    return corners[chosen], note


def _hull(points: Array) -> "ConvexHull":  # type: ignore[name-defined]  # noqa: F821
    from scipy.spatial import ConvexHull, QhullError

    try:
        return ConvexHull(points)
    except QhullError as error:
        raise ShapeError("a mesh must have a volume to touch", where="mesh", got="a flat hull") from error


def _spread(points: Array, count: int) -> tuple[np.ndarray, float]:
    """Return which points were chosen, rising, and the distance of the farthest other one from its nearest [m]."""
    ends = [int(end(points[:, axis])) for axis in range(3) for end in (np.argmin, np.argmax)]
    chosen = list(dict.fromkeys(ends))[:count]
    off = np.min([_squares(points, k) for k in chosen], axis=0)
    while len(chosen) < count:
        chosen.append(int(np.argmax(off)))
        off = np.minimum(off, _squares(points, chosen[-1]))
    return np.sort(chosen), float(np.sqrt(off.max()))


def _squares(points: Array, k: int) -> Array:
    """Return the squared distances of all points from one of them."""
    x, y, z = (points - points[k]).T
    return np.asarray(x * x + y * y + z * z)


def hull_faces(mesh: Mesh) -> tuple[Array, list[tuple[Array, list[int]]]]:
    """Return corners, and normal and corners in order of each face, of a mesh's hull; found once and kept."""
    kept = mesh.__dict__.get("_hull_faces")
    if kept is None:
        corners, _ = hull_corners(mesh)
        mesh.__dict__["_hull_faces"] = kept = corners, _flat_faces(corners)
    return kept


def hull_numbers(mesh: Mesh) -> list[float]:
    """Return the hull of a mesh: how many corners and faces, where faces and loops begin, corners, faces, loops.

    A face is its outward normal, where its loop begins, and of how many corners it is, counterclockwise.
    """
    corners, faces = hull_faces(mesh)
    first = 4 + 3 * len(corners)
    at = first + 5 * len(faces)
    rows: list[float] = []
    loops: list[float] = []
    for normal, loop in faces:
        rows += [*normal.tolist(), float(at + len(loops)), float(len(loop))]
        loops += [float(k) for k in loop]
    return [float(len(corners)), float(len(faces)), float(first), float(at), *corners.ravel().tolist(), *rows, *loops]


def _flat_faces(corners: Array) -> list[tuple[Array, list[int]]]:
    """Return normal and corners of the flat faces of points all of which are corners of their hull."""
    size = float(np.ptp(corners, axis=0).max())
    found: list[tuple[Array, list[int]]] = []
    for equation in _hull(corners).equations:
        normal = equation[:3]
        if any(float(normal @ other) > 1 - 1e-12 for other, _ in found):
            continue
        heights = corners @ normal
        own = np.flatnonzero(heights >= heights.max() - _FLAT * size)
        found.append((normal, _loop(corners, own, normal)))
    return found


def _loop(corners: Array, own: np.ndarray, normal: Array) -> list[int]:
    """Return corners of a face in the order around it, counterclockwise seen from outside, the lowest number first."""
    points = corners[own] - corners[own].mean(axis=0)
    u = points[int(np.argmax(np.linalg.norm(points, axis=1)))]
    u = u / np.linalg.norm(u)
    order = own[np.argsort(np.arctan2(points @ np.cross(normal, u), points @ u), kind="stable")]
    start = int(np.argmin(order))
    return [int(k) for k in np.roll(order, -start)]
