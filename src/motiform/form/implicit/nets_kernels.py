"""Surface nets in blocks of cells: each block is looked at, counts, and writes its vertices and quadrangles."""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, kernel
from motiform.geometry.maps.isosurface_kernels import cell_vertex, write_quad

__all__ = ["OUTSIDE", "PASSED", "UNFIT", "count_block", "look_at", "write_faces", "write_vertices"]

OUTSIDE, PASSED, UNFIT = 0, 1, 2


@kernel
def look_at(b, values, found):
    """Write whether the surface passes block b, or a value of it is not finite."""
    below = bad = 0
    for i in range(values.shape[1]):
        for j in range(values.shape[2]):
            for k in range(values.shape[3]):
                below += values[b, i, j, k] < 0.0
                bad += not math.isfinite(values[b, i, j, k])
    passed = 0 < below < values.shape[1] * values.shape[2] * values.shape[3]
    found[b] = UNFIT if bad > 0 else (PASSED if passed else OUTSIDE)


@inline
def _corners(field, i, j, k):
    """Return how many of four nodes of a cell are inside: those with the lower k."""
    return ((field[i, j, k] < 0.0) + (field[i + 1, j, k] < 0.0)) + (
        (field[i, j + 1, k] < 0.0) + (field[i + 1, j + 1, k] < 0.0)
    )


@kernel
def count_block(b, values, counts):
    """Count the cells of block b that the surface passes, and the crossed edges that begin in it."""
    field, side = values[b], values.shape[1] - 1
    cells = edges = 0
    for i in range(side):
        for j in range(side):
            last = _corners(field, i, j, 0)
            for k in range(side):
                following = _corners(field, i, j, k + 1)
                if 0 < last + following < 8:
                    here = field[i, j, k] < 0.0
                    cells += 1
                    edges += (here != (field[i + 1, j, k] < 0.0)) + (here != (field[i, j + 1, k] < 0.0))
                    edges += here != (field[i, j, k + 1] < 0.0)
                last = following
    counts[b, 0], counts[b, 1] = cells, edges


@kernel
def write_vertices(b, values, blocks, origin, spacing, first, number, vertices):
    """Number the cells of block b that the surface passes, and write their vertices [m]."""
    field, side, at = values[b], values.shape[1] - 1, first[b, 0]
    for i in range(side):
        for j in range(side):
            last = _corners(field, i, j, 0)
            for k in range(side):
                following = _corners(field, i, j, k + 1)
                if 0 < last + following < 8:
                    x, y, z = cell_vertex((
                        field[i, j, k], field[i, j, k + 1], field[i, j + 1, k], field[i, j + 1, k + 1],
                        field[i + 1, j, k], field[i + 1, j, k + 1], field[i + 1, j + 1, k], field[i + 1, j + 1, k + 1],
                    ))  # fmt: skip
                    vertices[at, 0] = origin[0] + spacing * (side * blocks[b, 0] + i + x)
                    vertices[at, 1] = origin[1] + spacing * (side * blocks[b, 1] + j + y)
                    vertices[at, 2] = origin[2] + spacing * (side * blocks[b, 2] + k + z)
                    number[b, i, j, k] = at
                    at += 1
                last = following


@inline
def _vertex(b, i, j, k, near, number):
    """Return the number of the vertex of a cell of block b or of those one below it; −1 where there is none."""
    block = near[b, 4 * (i < 0) + 2 * (j < 0) + (k < 0)]
    side = number.shape[1]
    return -1 if block < 0 else number[block, i % side, j % side, k % side]


@inline
def _write_around(b, i, j, k, axis, near, number, vertices, inside, at, faces):
    """Write the quadrangle of an edge along an axis, and return whether all four cells are there."""
    one, other = (axis + 1) % 3, (axis + 2) % 3
    i1, j1, k1 = i - (one == 0), j - (one == 1), k - (one == 2)
    i2, j2, k2 = (other == 0), (other == 1), (other == 2)
    p, q = _vertex(b, i1 - i2, j1 - j2, k1 - k2, near, number), _vertex(b, i - i2, j - j2, k - k2, near, number)
    r, s = _vertex(b, i, j, k, near, number), _vertex(b, i1, j1, k1, near, number)
    if min(p, q, s) < 0:
        return False
    write_quad(vertices, p, q, r, s, inside, at, faces)
    return True


@kernel
def write_faces(b, values, near, first, number, vertices, faces, torn):
    """Write the quadrangles of the crossed edges that begin in block b.

    `torn` says whether a cell around one of them is not there; `near` are the blocks at b and one below it, numbered
    by 4 for x + 2 for y + 1 for z.
    """
    field, side, at, whole = values[b], values.shape[1] - 1, 2 * first[b, 1], True
    for i in range(side):
        for j in range(side):
            for k in range(side):
                here = field[i, j, k] < 0.0
                for axis in range(3):
                    if here != (field[i + (axis == 0), j + (axis == 1), k + (axis == 2)] < 0.0):
                        whole &= _write_around(b, i, j, k, axis, near, number, vertices, here, at, faces)
                        at += 2
    torn[b] = not whole
