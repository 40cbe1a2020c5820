"""The surface of a level of a field, by dual marching cubes in the blocks of a grid that it can pass.

Own code, as `geometry.maps.isosurface`: libraries take a whole grid, here only blocks near the surface have values.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from motiform.base.errors import InputError, ShapeError
from motiform.form.implicit.adaptive import refined
from motiform.form.implicit.onto import EXACT, Net, onto_surface
from motiform.geometry.maps.cubes import sheets
from motiform.geometry.solids.mesh import Mesh
from motiform.spatial.checks import Array

__all__ = ["SIDE", "check_cells", "net_in_boxes", "polygonise", "standing_corner", "surface_of_blocks"]

Ints = NDArray[np.int64]
SIDE = 4  # cells along an edge of a block
_NODES = 1 << 21  # evaluated in one go; bounds the memory
_MOST = 1 << 20  # cells along an axis: three numbers below it make one of 64 bits


def polygonise(
    field: Callable[[Array], Array],
    boxes: Array,
    *,
    spacing: float,
    level: float = 0.0,
    slope: float | None = None,
    tolerance: float | None = None,
) -> Mesh:
    """Return the closed surface between places where a field is below `level` (inside) and above it, in metres.

    Parameters
    ----------
    field : values (n,) at points (n, 3) [m].
    boxes : lowest and highest corners [m], (m, 2, 3): the surface lies within them.
    spacing : edge of a cell [m].
    slope : the field nowhere changes faster than this per metre, so that blocks far from the surface can be left out;
        None: all blocks are looked at.
    tolerance : largest distance of the triangles from the surface [m]. Cells are then of several sizes, small where the
        surface bends, and what cells of `spacing` show is there within it, too; None: all cells are of one size.

    Each sheet of the surface in a cell gets a vertex: the mean of the crossings of the cell's edges by linear
    interpolation, moved onto the surface towards a node on its other side. Each edge that crosses the surface gets a
    quadrangle [Nielson04]. It is a manifold: an edge has two triangles, the triangles at a vertex are one fan
    [Wenger13]. Cells stand still in space: where a field does not move, the triangles stay as they are.
    """
    net, depths = net_in_boxes(field, boxes, spacing, level, slope), lambda x: np.asarray(field(x), float) - level
    if tolerance is not None:
        return refined(depths, net, spacing, tolerance)
    return Mesh(onto_surface(depths, net.vertices, net.ends, EXACT * spacing), net.faces)


def net_in_boxes(
    field: Callable[[Array], Array], boxes: Array, spacing: float, level: float = 0.0, slope: float | None = None
) -> Net:
    """Return the triangles of `polygonise` before their vertices are moved onto the surface."""
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

    def at_nodes(some: slice) -> Array:
        nodes = (SIDE * blocks[some])[:, None, None, None] + local
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
    at_nodes: Callable[[slice], Array], blocks: Ints, origin: Array, spacing: float, side: int = SIDE
) -> Net:
    """Return the closed surface at which a field in blocks (n, 3) of side³ cells is 0; below it is inside.

    `at_nodes` gives the field at the nodes of some of the blocks, side + 1 along each axis; block (0, 0, 0) begins at
    the origin [m].
    """
    from motiform.base.kernels import get_device
    from motiform.form.implicit.nets_kernels import count_block, mark_block, write_faces, write_vertices

    blocks, values = _evaluate(at_nodes, blocks, side)
    near = _near(blocks)
    _check_whole(values, near)
    launch, some, tables = get_device("cpu").launch, len(blocks), tuple(sheets())
    cases, counts = np.empty((some, side, side, side), np.uint8), np.empty((some, 2), np.int64)
    launch(mark_block, some, values, cases)
    launch(count_block, some, cases, near, *tables[1:], counts)
    sums = np.cumsum(counts, axis=0)
    first, (count, edges) = sums - counts, sums[-1]
    number = np.empty(cases.shape, np.int64)  # of cells that the surface passes alone
    vertices, faces, ends = np.empty((count, 3)), np.empty((2 * edges, 3), np.int64), np.empty((count, 2, 4))
    given = (cases, near, tables, first, number, vertices)
    launch(write_vertices, some, values, blocks, origin, spacing, *given, ends)
    launch(write_faces, some, *given, faces)
    return Net(vertices, faces, ends)


def _near(blocks: Ints) -> Ints:
    """Return for blocks in order of their keys the numbers of those around each, −1 for none, see `nets_kernels`."""
    keys, found = _key(blocks), np.empty((len(blocks), 11), np.int64)
    below = [(-(n >> 2), -(n >> 1 & 1), -(n & 1)) for n in range(8)]
    for n, step in enumerate([*below, (1, 0, 0), (0, 1, 0), (0, 0, 1)]):
        wanted = _key(blocks + step)
        at = np.searchsorted(keys, wanted)
        found[:, n] = np.where(keys[np.minimum(at, len(keys) - 1)] == wanted, at, -1)
    return found


def _check_whole(values: Array, near: Ints) -> None:
    """Refuse a surface that passes a face of a block beyond which there is none."""
    for axis in range(3):
        for node, block in ((0, 4 >> axis), (-1, 8 + axis)):
            inside = np.take(values[near[:, block] < 0], node, axis=axis + 1) < 0.0
            if (inside.any(axis=(1, 2)) & ~inside.all(axis=(1, 2))).any():
                remedy = "Use larger boxes."
                raise ShapeError("the surface must lie within the boxes", where="polygonise", remedy=remedy)


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


def _evaluate(at_nodes: Callable[[slice], Array], blocks: Ints, side: int) -> tuple[Ints, Array]:
    """Return the blocks that the surface passes, and the values at their nodes."""
    from motiform.base.kernels import get_device
    from motiform.form.implicit.nets_kernels import PASSED, UNFIT, classify_block

    step, kept, values = max(1, _NODES // (side + 1) ** 3), [], []
    for n in range(0, len(blocks), step):
        some = blocks[n : n + step]
        field, found = at_nodes(slice(n, n + step)), np.empty(len(some), np.int8)
        get_device("cpu").launch(classify_block, len(some), field, found)
        if (found == UNFIT).any():
            raise ShapeError("the field must be finite", where="polygonise")
        kept.append(some[found == PASSED])
        values.append(field[found == PASSED])
    if not sum(map(len, kept)):
        raise ShapeError("the field has one side only: there is no surface", where="polygonise")
    return np.concatenate(kept), np.concatenate(values)
