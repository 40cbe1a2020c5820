"""Normals of a mesh for viewers: smooth where the surface is, sharp at its creases."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from motiform.form import Skin

__all__ = ["shaded", "skin_split", "vertex_normals"]

_CREASE = np.cos(np.deg2rad(35.0))  # sharper edges stay visible; balls of our usual detail stay smooth
_SKIN_CREASE = np.cos(np.deg2rad(60.0))  # coarse balloons stay smooth, bricks keep their edges
_MANY = 200_000  # faces above which normals are only smoothed: scans have no meant edges, and pairs of faces are many


def shaded(vertices: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return vertices (V', 3), unit normals (V', 3) and faces (F, 3): the same triangles, split along creases."""
    area = _areas(vertices, faces)
    if len(faces) > _MANY:
        return vertices, vertex_normals(vertices, faces), faces
    source, normals, split = _split(faces, area, _CREASE)
    return vertices[source], normals, split


def _split(faces: np.ndarray, area: np.ndarray, crease: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return for vertices split along creases which one each was (V',), their normals (V', 3), and the faces (F, 3)."""
    normals = _unit(_corner_normals(faces, area, crease))
    # Corners of one vertex with one normal are one vertex of the file.
    label = np.concatenate([faces.reshape(-1, 1), np.round(normals * 1e4)], axis=1)
    _, first, number = np.unique(label, axis=0, return_index=True, return_inverse=True)
    return faces.reshape(-1)[first], normals[first], number.reshape(faces.shape)


def skin_split(skin: "Skin") -> tuple[np.ndarray, np.ndarray]:
    """Return which vertex of a skin each vertex to draw is (V',), and its triangles in these, (F, 3).

    There is one for each side of a crease of the first whole sample, and one for each triangle where all are flat.
    """
    faces = skin.faces
    if not skin.smooth:
        return faces.reshape(-1), np.arange(faces.size).reshape(-1, 3)
    from motiform.form.rig import Posed

    if isinstance(skin.vertices, Posed):  # a body has no sharp edges
        return np.arange(skin.vertices.shape[1]), faces
    whole = next((x for x in skin.vertices if np.isfinite(x).all()), np.nan_to_num(skin.vertices[0]))
    if len(faces) > _MANY:
        return np.arange(len(whole)), faces
    source, _, split = _split(faces, _areas(np.asarray(whole, float), faces), _SKIN_CREASE)
    return source, split


def vertex_normals(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Return unit normals (V, 3): the mean of those of the triangles around a vertex, by their areas."""
    area = np.nan_to_num(_areas(vertices, faces))  # a triangle that is not there turns nothing
    return _unit(_sum_at(faces.reshape(-1), np.repeat(area, 3, axis=0), len(vertices)))


def _areas(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Return twice the area of each triangle along its normal, (F, 3)."""
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    return np.cross(b - a, c - a)


def _corner_normals(faces: np.ndarray, area: np.ndarray, crease: float) -> np.ndarray:
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
    blends = np.einsum("ij,ij->i", flat[corner // 3], flat[other]) >= crease
    return _sum_at(corner[blends], area[other[blends]], len(vertex))


def _sum_at(index: np.ndarray, values: np.ndarray, count: int) -> np.ndarray:
    return np.stack([np.bincount(index, weights=values[:, k], minlength=count) for k in range(3)], axis=1)


def _unit(vectors: np.ndarray) -> np.ndarray:
    """Return unit vectors; (0, 1, 0) for those without length, as of triangles without area."""
    size = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.where(size > 1e-300, vectors / np.where(size > 1e-300, size, 1.0), (0.0, 1.0, 0.0))
