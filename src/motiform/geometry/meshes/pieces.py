"""Surfaces in small pieces, and points thinned out."""

from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.geometry.solids.mesh import Mesh
from motiform.spatial.checks import Array

__all__ = ["check_pieces", "small_triangles", "thinned"]

_MOST = 4_000_000  # pieces: of all bones of a hand at 0.1 mm there are some hundred thousand
_SPLITS = 30  # a triangle is halved at most so often: its edges shrink 30 000 times


def small_triangles(mesh: Mesh, longest: float) -> tuple[Array, Any]:
    """Return centroids (n, 3) [m] and areas (n,) [m²] of triangles, halved until no edge is above `longest` [m]."""
    corners, done = mesh.vertices[mesh.faces], []
    sides = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
    check_pieces(float((np.maximum(sides.max(axis=1) / longest, 1) * np.maximum(sides.min(axis=1) / longest, 1)).sum()))
    for _ in range(_SPLITS):
        edges = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
        long = edges.max(axis=1) > longest
        done.append(corners[~long])
        if not long.any():
            break
        cut, which = corners[long], edges[long].argmax(axis=1)
        a, b, c = (cut[np.arange(len(cut)), (which + k) % 3] for k in range(3))
        middle = 0.5 * (a + b)
        corners = np.concatenate([np.stack([a, middle, c], 1), np.stack([middle, b, c], 1)])
    else:
        done.append(corners)
    small = np.concatenate(done)
    normal = np.cross(small[:, 1] - small[:, 0], small[:, 2] - small[:, 0])
    return np.asarray(small.mean(axis=1)), 0.5 * np.linalg.norm(normal, axis=1)


def check_pieces(count: float) -> None:
    """Refuse a surface in more pieces than can be worked with."""
    if not count <= _MOST:
        raise InputError(
            "a surface is cut into too many pieces", got=f"about {count:.3g}", allowed=f"up to {_MOST:.0e}",
            remedy="Choose a wider spacing, or a smaller surface.",
        )  # fmt: skip


def thinned(points: Array, cell: float) -> Array:
    """Return one point of each cubic cell of that size [m], (n, 3)."""
    cells = np.floor((points - points.min(axis=0)) / cell).astype(np.int64)
    size = cells.max(axis=0) + 1
    _, first = np.unique((cells[:, 0] * size[1] + cells[:, 1]) * size[2] + cells[:, 2], return_index=True)
    return np.asarray(points[first])
