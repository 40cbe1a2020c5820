"""Normals of a mesh for viewers: smooth where the surface is, sharp at its creases."""

import numpy as np

__all__ = ["shaded"]

_CREASE = np.cos(np.deg2rad(35.0))  # sharper edges stay visible; balls of our usual detail stay smooth
_MANY = 200_000  # faces above which normals are only smoothed: scans have no meant edges, and pairs of faces are many


def shaded(vertices: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return vertices (V', 3), unit normals (V', 3) and faces (F, 3): the same triangles, split along creases."""
    corners = vertices[faces]
    area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    if len(faces) > _MANY:
        return vertices, _unit(_sum_at(faces.reshape(-1), np.repeat(area, 3, axis=0), len(vertices))), faces
    normals = _unit(_corner_normals(faces, area))
    # Corners of one vertex with one normal are one vertex of the file.
    label = np.concatenate([faces.reshape(-1, 1), np.round(normals * 1e4)], axis=1)
    _, first, number = np.unique(label, axis=0, return_index=True, return_inverse=True)
    return vertices[faces.reshape(-1)[first]], normals[first], number.reshape(faces.shape)


def _corner_normals(faces: np.ndarray, area: np.ndarray) -> np.ndarray:
    """Return for each corner of each face, (3 F, 3), the summed area of the faces around it that it blends with."""
    vertex = faces.reshape(-1)
    order = np.argsort(vertex, kind="stable")
    degree = np.bincount(vertex)
    start = np.concatenate([[0], np.cumsum(degree)[:-1]])
    each = degree[vertex]  # faces around the vertex of each corner
    corner = np.repeat(np.arange(len(vertex)), each)
    step = np.arange(len(corner)) - np.repeat(np.cumsum(each) - each, each)
    other = order[start[vertex[corner]] + step] // 3
    flat = _unit(area)
    blends = np.einsum("ij,ij->i", flat[corner // 3], flat[other]) >= _CREASE
    return _sum_at(corner[blends], area[other[blends]], len(vertex))


def _sum_at(index: np.ndarray, values: np.ndarray, count: int) -> np.ndarray:
    return np.stack([np.bincount(index, weights=values[:, k], minlength=count) for k in range(3)], axis=1)


def _unit(vectors: np.ndarray) -> np.ndarray:
    """Return unit vectors; (0, 1, 0) for those without length, as of triangles without area."""
    size = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.where(size > 1e-300, vectors / np.where(size > 1e-300, size, 1.0), (0.0, 1.0, 0.0))
