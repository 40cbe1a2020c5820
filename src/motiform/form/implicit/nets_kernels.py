"""Dual marching cubes in blocks of cells: each block is looked at, counts, and writes its vertices and quadrangles.

Cases, rows and tables of cells are those of `geometry.maps.isosurface_kernels`. `near` are the blocks at b and one
below it, numbered by 4 for x + 2 for y + 1 for z, and those one above along x, y and z; −1 where there is none, which
is so where the surface does not pass the face between them.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, kernel
from motiform.geometry.maps.isosurface_kernels import case_of, crossings, edge_of, loop_vertex, row_of, write_quad

__all__ = ["OUTSIDE", "PASSED", "UNFIT", "classify_block", "count_block", "mark_block", "write_faces", "write_vertices"]

OUTSIDE, PASSED, UNFIT = 0, 1, 2


@kernel
def classify_block(b, values, found):
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
def _bits(field, i, j, k):
    """Return bits 0, 2, 4, 6 of the four nodes of a cell with the lower k: whether they are inside."""
    one, other = int(field[i, j, k] < 0.0) | int(field[i, j + 1, k] < 0.0) << 2, int(field[i + 1, j, k] < 0.0) << 4
    return one | other | int(field[i + 1, j + 1, k] < 0.0) << 6


@kernel
def mark_block(b, values, cases):
    """Write the cases of the cells of block b."""
    field = values[b]
    for i in range(cases.shape[1]):
        for j in range(cases.shape[2]):
            last = _bits(field, i, j, 0)
            for k in range(cases.shape[3]):
                following = _bits(field, i, j, k + 1)
                cases[b, i, j, k] = case_of(last, following)
                last = following


@inline
def _row(b, i, j, k, near, cases, twin):
    """Return the row of the tables for a cell."""
    case = int(cases[b, i, j, k])
    face = twin[case]
    if face < 0:
        return case
    step, axis, side = 1 - 2 * (face & 1), face >> 1, cases.shape[1]
    i, j, k = i + step * (axis == 0), j + step * (axis == 1), k + step * (axis == 2)
    block = near[b, 8 + axis] if max(i, j, k) == side else (near[b, 4 >> axis] if min(i, j, k) < 0 else b)
    return row_of(case, int(cases[block, i % side, j % side, k % side]), twin)


@kernel
def count_block(b, cases, near, count, twin, counts):
    """Count the vertices of block b, and the crossed edges that begin in it."""
    vertices = edges = 0
    for i in range(cases.shape[1]):
        for j in range(cases.shape[2]):
            for k in range(cases.shape[3]):
                if 0 < cases[b, i, j, k] < 255:
                    vertices += count[_row(b, i, j, k, near, cases, twin)]
                    edges += crossings(int(cases[b, i, j, k]))
    counts[b, 0], counts[b, 1] = vertices, edges


@inline
def _deepest(at, of_edge, loop):
    """Return the nodes of a loop's edges that are furthest inside and furthest outside."""
    low = high = -1
    edge = 0
    for axis in range(3):
        up = 4 >> axis
        for n in range(8):
            if n & up == 0:
                if of_edge[edge] == loop:
                    inner, outer = (n, n + up) if at[n] < 0.0 else (n + up, n)
                    low = inner if low < 0 or at[inner] < at[low] else low
                    high = outer if high < 0 or at[outer] > at[high] else high
                edge += 1
    return low, high


@kernel
def write_vertices(b, values, blocks, origin, spacing, cases, near, tables, first, number, vertices, ends):
    """Number the first vertices of the cells of block b, and write the vertices [m].

    `ends` are two nodes of a vertex's cell, inside and outside, (2, 4): place [m] and value.
    """
    of_edge, count, twin = tables
    field, side, at = values[b], cases.shape[1], first[b, 0]
    for i in range(side):
        for j in range(side):
            for k in range(side):
                if 0 < cases[b, i, j, k] < 255:
                    row = _row(b, i, j, k, near, cases, twin)
                    nodes = (
                        field[i, j, k], field[i, j, k + 1], field[i, j + 1, k], field[i, j + 1, k + 1],
                        field[i + 1, j, k], field[i + 1, j, k + 1], field[i + 1, j + 1, k], field[i + 1, j + 1, k + 1],
                    )  # fmt: skip
                    number[b, i, j, k] = at
                    for loop in range(count[row]):
                        x, y, z = loop_vertex(nodes, of_edge[row], loop)
                        vertices[at, 0] = origin[0] + spacing * (side * blocks[b, 0] + i + x)
                        vertices[at, 1] = origin[1] + spacing * (side * blocks[b, 1] + j + y)
                        vertices[at, 2] = origin[2] + spacing * (side * blocks[b, 2] + k + z)
                        deep = _deepest(nodes, of_edge[row], loop)
                        for n in range(2):
                            ends[at, n, 0] = origin[0] + spacing * (side * blocks[b, 0] + i + (deep[n] >> 2))
                            ends[at, n, 1] = origin[1] + spacing * (side * blocks[b, 1] + j + (deep[n] >> 1 & 1))
                            ends[at, n, 2] = origin[2] + spacing * (side * blocks[b, 2] + k + (deep[n] & 1))
                            ends[at, n, 3] = nodes[deep[n]]
                        at += 1


@inline
def _vertex(b, i, j, k, axis, corner, near, cases, tables, number):
    """Return the vertex of an edge from a node along an axis, in the cell whose corner the node is."""
    i, j, k, side = i - (corner >> 2), j - (corner >> 1 & 1), k - (corner & 1), cases.shape[1]
    block = near[b, 4 * (i < 0) + 2 * (j < 0) + (k < 0)]
    i, j, k = i % side, j % side, k % side
    loop = tables[0][_row(block, i, j, k, near, cases, tables[2]), edge_of(axis, corner)]
    return number[block, i, j, k] + loop


@kernel
def write_faces(b, cases, near, tables, first, number, vertices, faces):
    """Write the quadrangles of the crossed edges that begin in block b; cells around an edge go x → y → z."""
    side, at = cases.shape[1], 2 * first[b, 1]
    for i in range(side):
        for j in range(side):
            for k in range(side):
                case = int(cases[b, i, j, k])
                if not 0 < case < 255:
                    continue
                for axis in range(3):
                    if (case ^ case >> (4 >> axis)) & 1:
                        one, other = 4 >> (axis + 1) % 3, 4 >> (axis + 2) % 3
                        p = _vertex(b, i, j, k, axis, one + other, near, cases, tables, number)
                        q = _vertex(b, i, j, k, axis, other, near, cases, tables, number)
                        r = _vertex(b, i, j, k, axis, 0, near, cases, tables, number)
                        s = _vertex(b, i, j, k, axis, one, near, cases, tables, number)
                        write_quad(vertices, p, q, r, s, case & 1 != 0, at, faces)
                        at += 2
