"""The surface of a level of a field within a tolerance: large cells where it is flat, small ones where it bends.

A cell has a value in its middle. The eight cells around a corner of cells are the corners of a cube, some of which may
be one; the surface passes it as in marching cubes [SchaeferWarren04]. Cubes share their faces whatever the sizes of
cells are, so that the surface is closed.
"""

from collections.abc import Callable

import numpy as np

from motiform.base.errors import InputError, ShapeError
from motiform.form.implicit.cells import Cells, Ints
from motiform.form.implicit.onto import Net, between, onto_surface
from motiform.geometry.maps.cubes import EDGES, face_bits, loops
from motiform.geometry.search.bvh import mesh_tree
from motiform.geometry.solids.mesh import Mesh
from motiform.spatial.checks import Array

__all__ = ["refined"]

_ROOT = 32  # cells of the mesh along an edge of the largest cell
_SEEN = 8.0 / 9.0  # of the largest distance: the least that middles of triangles and edges show of a quadratic surface
_LEAST = 0.5  # tolerances: smaller cells are not divided, for the surface is between their middles
_EXACT = 1e-3  # tolerances that a vertex may be off the surface
_HALVINGS = 6  # of the distance at which the surface is looked for
_MOST = 1 << 24  # cells; bounds the memory
_ROUNDING = 1e-12  # of places: vertices cannot be within less


def refined(values: Callable[[Array], Array], net: Net, spacing: float, tolerance: float) -> Mesh:
    """Return the surface at which a field is 0, below it inside, which a net in cells of one spacing [m] shows.

    It is within the tolerance [m] of the field's surface, and all that the net shows is within the tolerance of it:
    cells are divided until that is so.
    """
    if not (np.isfinite(tolerance) and tolerance > 0.0):
        raise InputError("the tolerance must be above 0 m", where="polygonise", got=tolerance)
    shown = onto_surface(values, net.vertices, net.ends, _EXACT * tolerance)
    _check_cells(values, shown, net.faces, spacing, tolerance)
    cells = Cells(values, _ROOT * spacing, net.vertices)
    while True:
        vertices, faces, ends = _surface(cells, tolerance)
        far = _cells_to_divide(cells, ends, faces, *_far(values, vertices, faces, _SEEN * tolerance))
        lost = cells.holding(shown[_missed(shown, vertices, faces, tolerance)])
        torn = _largest(cells, ends[faces[_shared(faces)]])
        some = np.concatenate([far, lost])
        some = some[cells.unit * cells.size[some] > _LEAST * tolerance]
        some = np.unique(np.concatenate([some, torn]))
        if not len(some):
            return Mesh(vertices, faces)
        if len(cells.size) + 8 * len(some) > _MOST or cells.size[some].min() == 1:
            raise _too_many(tolerance)
        cells.divide(some)


def _check_cells(
    values: Callable[[Array], Array], points: Array, faces: Ints, spacing: float, tolerance: float
) -> None:
    """Refuse a tolerance for which there would be too many cells, before they are made.

    A triangle that is d off the surface is parted into d/tolerance, where the surface bends (d falls with the square of
    edges) as at an edge of it (with edges, but only along it).
    """
    for off in spacing / 4.0 ** np.arange(1, 6):
        if len(faces) * off <= tolerance * _MOST:
            return
        if len(np.unique(_far(values, points, faces, off)[0])) * off > tolerance * _MOST:
            raise _too_many(tolerance)
    if tolerance < _ROUNDING * np.abs(points).max(initial=0.0):
        raise _too_many(tolerance)


def _too_many(tolerance: float) -> ShapeError:
    allowed, remedy = f"{_MOST} cells", "Use a larger tolerance."
    return ShapeError(
        "cells for a tolerance must not be too many", where="polygonise", got=tolerance, allowed=allowed, remedy=remedy
    )


def _surface(cells: Cells, tolerance: float) -> tuple[Array, Ints, Ints]:
    """Return vertices [m], faces, and the cells inside and outside that each vertex is between, (vertices, 2)."""
    from motiform.form.implicit.cells_kernels import write_triangles

    around = cells.around()
    inside = cells.value < 0.0
    a, b = around[:, EDGES[:, 0]], around[:, EDGES[:, 1]]
    crossed = inside[a] != inside[b]
    pairs = np.stack([np.where(inside[a], a, b)[crossed], np.where(inside[a], b, a)[crossed]], axis=1)
    key, own = np.unique(pairs[:, 0] * len(inside) + pairs[:, 1], return_inverse=True)
    number = np.zeros(crossed.shape, np.int64)
    number[crossed] = own.reshape(-1)
    ends = np.stack([key // len(inside), key % len(inside)], axis=1)
    cells.move_off_surface(np.unique(ends))
    one, other = ends.T
    places = (cells.middle[one], cells.middle[other], cells.value[one], cells.value[other])
    vertices = between(cells.values, *places, _EXACT * tolerance)
    room = int(crossed.sum())  # of edges of loops: more than triangles, and than vertices in their middles
    more, faces = np.concatenate([vertices, np.empty((room, 3))]), np.empty((room, 3), np.int64)
    given = (around, inside.astype(np.int64), number, len(vertices), loops(), face_bits())
    made, count = write_triangles(*given, more, faces)
    middles = np.repeat(ends[:1], count - len(ends), axis=0)
    return more[:count], faces[:made], np.concatenate([ends, middles])


def _normals(vertices: Array, faces: Ints) -> Array:
    """Return unit vectors outward at vertices, by the areas of the triangles around each."""
    a, b, c = (vertices[faces[:, n]] for n in range(3))
    area = np.cross(b - a, c - a)
    total = [np.bincount(faces.ravel(), np.repeat(area[:, k], 3), len(vertices)) for k in range(3)]
    normal = np.stack(total, axis=1)
    size = np.linalg.norm(normal, axis=1, keepdims=True)
    return np.asarray(normal / np.where(size > 0.0, size, 1.0))


def _far(values: Callable[[Array], Array], vertices: Array, faces: Ints, distance: float) -> tuple[Ints, Array]:
    """Return triangles whose middle, or that of an edge, has no surface within a distance, and these places [m]."""
    normals = _normals(vertices, faces)
    ends = np.sort(np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1).reshape(-1, 2), axis=1)
    _, first = np.unique(ends[:, 0] * len(vertices) + ends[:, 1], return_index=True)
    place = np.concatenate([vertices[faces].mean(axis=1), vertices[ends[first]].mean(axis=1)])
    way = np.concatenate([normals[faces].sum(axis=1), normals[ends[first]].sum(axis=1)])
    size = np.linalg.norm(way, axis=1, keepdims=True)
    way *= distance / np.where(size > 0.0, size, 1.0)
    left = np.arange(len(place))
    for _ in range(_HALVINGS):  # a wall closer behind it than the distance hides it at first
        left = left[~((values(place[left] - way[left]) < 0.0) & (values(place[left] + way[left]) >= 0.0))]
        way *= 0.5
    return np.append(np.arange(len(faces)), first // 3)[left], place[left]


def _cells_to_divide(cells: Cells, ends: Ints, faces: Ints, triangles: Ints, places: Array) -> Ints:
    """Return the cells to divide for places of triangles: those that hold them, or larger ones at their vertices."""
    groups, holding = ends[faces[triangles]].reshape(-1, 6), cells.holding(places)
    size = cells.size[groups]
    small = cells.size[holding] < size.max(axis=1, initial=0)
    return np.concatenate([holding[~small], _largest(cells, groups[small])])


def _missed(points: Array, vertices: Array, faces: Ints, distance: float) -> Array:
    """Return which points have no triangle within a distance."""
    from motiform.base.kernels import get_device
    from motiform.form.implicit.cells_kernels import find_missed

    if not len(faces):
        return np.ones(len(points), bool)
    made, out = mesh_tree(Mesh(vertices, faces)), np.empty(len(points), bool)
    given = (points, distance, made.tree.boxes, made.tree.links, made.triangles)
    get_device("cpu").launch(find_missed, len(points), *given, out)
    return out


def _shared(faces: Ints) -> Array:
    """Return which triangles have an edge that more than two have, and so no side."""
    ends = np.sort(np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1).reshape(-1, 2), axis=1)
    key = ends[:, 0] * (faces.max(initial=0) + 1) + ends[:, 1]
    _, edge, count = np.unique(key, return_inverse=True, return_counts=True)
    return np.asarray((count[edge.reshape(-1, 3)] > 2).any(axis=1))


def _largest(cells: Cells, groups: Ints) -> Ints:
    """Return the largest cells that the vertices of each triangle are between, (n, 3, 2)."""
    groups = groups.reshape(-1, 6)
    size = cells.size[groups]
    return groups[size == size.max(axis=1, keepdims=True, initial=0)]
