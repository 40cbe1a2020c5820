"""The surface of a level of a field, by surface nets in the blocks of a grid that it can pass.

Own code, as `geometry.maps.isosurface`: libraries take a whole grid, here only blocks near the surface have values.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from motiform.base.errors import InputError, ShapeError
from motiform.geometry.solids.mesh import Mesh
from motiform.spatial.checks import Array

__all__ = ["SIDE", "check_cells", "polygonise", "standing_corner", "surface_of_blocks"]

Ints = NDArray[np.int64]
SIDE = 4  # cells along an edge of a block
_NODES = 1 << 21  # evaluated in one go; bounds the memory
_OFF = 0.02  # cells that a crossing is kept off nodes, where vertices of several cells would coincide
_MOST = 1 << 20  # cells along an axis: three numbers below it make one of 64 bits


def polygonise(
    field: Callable[[Array], Array], boxes: Array, *, spacing: float, level: float = 0.0, slope: float | None = None
) -> Mesh:
    """Return the closed surface between places where a field is below `level` (inside) and above it, in metres.

    Parameters
    ----------
    field : values (n,) at points (n, 3) [m].
    boxes : lowest and highest corners [m], (m, 2, 3): the surface lies within them.
    spacing : edge of a cell [m].
    slope : the field nowhere changes faster than this per metre, so that blocks far from the surface can be left out;
        None: all blocks are looked at.

    Each cell that the surface passes gets a vertex, at the mean of the crossings of its edges by linear interpolation;
    each edge that crosses it gets a quadrangle [Gibson98]. Cells stand still in space: of a field that moves in one
    place, the triangles stay as they are in others.
    """
    corners = np.asarray(boxes, float)
    if corners.ndim != 3 or corners.shape[1:] != (2, 3) or not len(corners) or not np.isfinite(corners).all():
        got = f"shape {corners.shape}"
        raise InputError("boxes must be finite corners of shape (n, 2, 3)", where="polygonise", got=got)
    check_cells(corners[:, 1].max(axis=0) - corners[:, 0].min(axis=0), spacing)
    origin = standing_corner(corners[:, 0], SIDE * spacing)
    blocks = _blocks(corners, origin, spacing)
    if slope is not None:
        middle = np.asarray(field(origin + SIDE * spacing * (blocks + 0.5)), float)
        blocks = blocks[np.abs(middle - level) <= slope * 0.5 * np.sqrt(3.0) * SIDE * spacing]
    local = np.stack(np.meshgrid(*[np.arange(SIDE + 1)] * 3, indexing="ij"), axis=-1)

    def at_nodes(some: Ints) -> Array:
        nodes = (SIDE * some)[:, None, None, None] + local
        return np.asarray(field(origin + spacing * nodes.reshape(-1, 3)), float).reshape(nodes.shape[:-1]) - level

    return surface_of_blocks(at_nodes, blocks, origin, spacing)


def standing_corner(corners: Array, side: float) -> Array:
    """Return the corner below all corners of the blocks of a side [m] that fill space from its origin on."""
    return np.asarray(side * np.floor(corners.min(axis=0) / side))


def check_cells(extent: Array, spacing: float) -> None:
    """Refuse cells without an edge, and more of them along an axis than numbers have room for."""
    if not (np.isfinite(spacing) and spacing > 0.0):
        raise InputError("the edge of a cell must be above 0 m", where="polygonise", got=spacing)
    if extent.max() / spacing > _MOST - 2 * SIDE:
        raise InputError("the boxes hold too many cells", where="polygonise", got=spacing, remedy="Use larger cells.")


def surface_of_blocks(
    at_nodes: Callable[[Ints], Array], blocks: Ints, origin: Array, spacing: float, side: int = SIDE
) -> Mesh:
    """Return the closed surface at which a field in blocks (n, 3) of side³ cells is 0; below it is inside.

    `at_nodes` gives the field at the nodes of blocks, side + 1 along each axis; block (0, 0, 0) begins at the origin
    [m].
    """
    blocks, values = _evaluate(at_nodes, blocks, side)
    cells, vertices = _vertices(blocks, values)
    faces = _faces(blocks, values, cells, vertices)
    return Mesh(origin + spacing * vertices, faces)


def _blocks(corners: Array, origin: Array, spacing: float) -> Ints:
    """Return the blocks that a box meets, each once, (n, 3), in a fixed order."""
    first, last = (np.floor((corners[:, k] - origin) / (SIDE * spacing)).astype(np.int64) for k in (0, 1))
    spans = last - first + 1
    found = []
    for span in np.unique(spans, axis=0):
        own = first[(spans == span).all(axis=1)]
        steps = np.stack(np.meshgrid(*(np.arange(n) for n in span), indexing="ij"), axis=-1).reshape(-1, 3)
        found.append(np.unique(_key(own), return_index=True)[1])
        found[-1] = np.unique(_key((own[found[-1]][:, None] + steps).reshape(-1, 3)))
    return _unkey(np.unique(np.concatenate(found)))


def _key(index: Ints) -> Ints:
    """Return one number for each row of three, from −1 on."""
    i, j, k = (index + 1).T
    return np.asarray((i * (_MOST + 2) + j) * (_MOST + 2) + k)


def _unkey(key: Ints) -> Ints:
    base = _MOST + 2
    return np.stack([key // base**2, key // base % base, key % base], axis=1) - 1


def _evaluate(at_nodes: Callable[[Ints], Array], blocks: Ints, side: int) -> tuple[Ints, Array]:
    """Return the blocks that the surface passes, and the values at their nodes."""
    step, kept, found = max(1, _NODES // (side + 1) ** 3), [], []
    for n in range(0, len(blocks), step):
        some = blocks[n : n + step]
        values = at_nodes(some)
        inside = values < 0.0
        passed = inside.any(axis=(1, 2, 3)) & ~inside.all(axis=(1, 2, 3))
        kept.append(some[passed])
        found.append(values[passed])
    values = np.concatenate(found) if found else np.empty((0, 1, 1, 1))
    if not len(values):
        raise ShapeError("the field has one side only: there is no surface", where="polygonise")
    if not np.isfinite(values).all():
        raise ShapeError("the field must be finite", where="polygonise")
    return np.concatenate(kept), values


def _vertices(blocks: Ints, values: Array) -> tuple[Ints, Array]:
    """Return the cells that the surface passes, (n, 3), and their vertices [cells], (n, 3)."""
    side = values.shape[1] - 1
    total, crossings = np.zeros((len(values), side, side, side, 3)), np.zeros((len(values), *[side] * 3), np.int8)
    for axis in range(3):
        low, high = (np.moveaxis(values, axis + 1, 1)[:, part] for part in (slice(None, -1), slice(1, None)))
        mixed = (low < 0) != (high < 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(mixed, np.clip(low / (low - high), _OFF, 1 - _OFF), 0.0)
        mixed, share = np.moveaxis(mixed, 1, axis + 1), np.moveaxis(share, 1, axis + 1)
        one, other = (k for k in range(3) if k != axis)
        for a in (0, 1):
            for b in (0, 1):
                part = [slice(None)] * 4
                part[one + 1], part[other + 1] = slice(a, side + a), slice(b, side + b)
                here = mixed[tuple(part)]
                crossings += here
                total[..., axis] += share[tuple(part)]
                total[..., one] += a * here
                total[..., other] += b * here
    at = np.nonzero(crossings)
    cells = side * blocks[at[0]] + np.stack(at[1:], axis=1)
    return cells, cells + total[at] / crossings[at][:, None]


def _faces(blocks: Ints, values: Array, cells: Ints, vertices: Array) -> Ints:
    """Return two outward triangles for each edge that crosses the surface, by the shorter diagonal."""
    side = values.shape[1] - 1
    keys = _key(cells)
    order = np.argsort(keys)
    inside = values < 0.0
    quads = []
    for axis in range(3):
        one, other = (axis + 1) % 3, (axis + 2) % 3
        part = [slice(None), *[slice(0, side)] * 3]
        up = list(part)
        up[axis + 1] = slice(1, side + 1)
        low, high = inside[tuple(part)], inside[tuple(up)]
        at = np.nonzero(low != high)
        node = side * blocks[at[0]] + np.stack(at[1:], axis=1)
        around = []
        for b, c in ((1, 1), (0, 1), (0, 0), (1, 0)):
            cell = node.copy()
            cell[:, one] -= b
            cell[:, other] -= c
            around.append(_find(_key(cell), keys, order))
        quad = np.stack(around, axis=1)
        quads.append(np.where(low[at][:, None], quad, quad[:, ::-1]))
    return _triangles(np.concatenate(quads), vertices)


def _find(wanted: Ints, keys: Ints, order: Ints) -> Ints:
    """Return the numbers of cells by their keys."""
    at = order[np.minimum(np.searchsorted(keys, wanted, sorter=order), len(order) - 1)]
    if (keys[at] != wanted).any():
        raise ShapeError("the surface must lie within the boxes", where="polygonise", remedy="Use larger boxes.")
    return np.asarray(at)


def _triangles(quads: Ints, vertices: Array) -> Ints:
    a, b, c, d = (vertices[quads[:, n]] for n in range(4))
    short = (np.linalg.norm(a - c, axis=1) <= np.linalg.norm(b - d, axis=1))[:, None]
    first = np.where(short, quads[:, [0, 1, 2]], quads[:, [0, 1, 3]])
    second = np.where(short, quads[:, [0, 2, 3]], quads[:, [1, 2, 3]])
    return np.concatenate([first, second])
