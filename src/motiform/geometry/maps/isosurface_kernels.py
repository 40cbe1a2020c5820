"""Dual marching cubes of a field on a grid: slabs of cells are counted, then write their vertices and quadrangles.

A cell has a case, bit n of which says that its corner n is inside (corner 4 i + 2 j + k is at (i, j, k)); a row of the
tables of `cubes.sheets` is a case, or that with the inside joined on one face. Each loop in a cell has a vertex.
"""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import inline, kernel

__all__ = [
    "case_of", "count_slab", "crossings", "edge_of", "loop_vertex", "mark_slab", "row_of", "write_quad", "write_quads",
    "write_vertices",
]  # fmt: skip

OFF = 0.02  # voxels that a crossing is kept off voxel centres, where vertices of several cells would coincide


@inline
def case_of(lower, upper):
    """Return the case of a cell by the bits 0, 2, 4, 6 of its four nodes with the lower k, and of those above."""
    return lower | upper << 1


@inline
def _bits(inside, i, j, k):
    """Return bits 0, 2, 4, 6 of the four nodes of a cell with the lower k."""
    return inside[i, j, k] | inside[i, j + 1, k] << 2 | inside[i + 1, j, k] << 4 | inside[i + 1, j + 1, k] << 6


@kernel
def mark_slab(i, inside, cases):
    """Write the cases of the cells of slab i."""
    for j in range(cases.shape[1]):
        last = _bits(inside, i, j, 0)
        for k in range(cases.shape[2]):
            following = _bits(inside, i, j, k + 1)
            cases[i, j, k] = case_of(last, following)
            last = following


@inline
def crossings(case):
    """Return how many of the three edges from the first node of a cell the surface crosses."""
    here = case & 1
    return (here != case >> 4 & 1) + (here != case >> 2 & 1) + (here != case >> 1 & 1)


@inline
def edge_of(axis, corner):
    """Return the number of an edge of a cell, see `cubes.EDGES`, by its axis and first corner."""
    up = 4 >> axis
    return 4 * axis + (corner // (2 * up) * up | corner % up)


@inline
def row_of(case, beyond, twin):
    """Return the row of the tables for a cell by the case of the one beyond the face that its loop passes twice."""
    return case + 256 if twin[beyond] == twin[case] ^ 1 else case


@inline
def _row(cases, i, j, k, twin):
    """Return the row of the tables for a cell."""
    case = cases[i, j, k]
    face = twin[case]
    if face < 0:
        return int(case)
    step, axis = 1 - 2 * (face & 1), face >> 1
    return row_of(int(case), cases[i + step * (axis == 0), j + step * (axis == 1), k + step * (axis == 2)], twin)


@kernel
def count_slab(i, cases, count, twin, counts):
    """Count the vertices of slab i, and the crossed edges that begin in it."""
    vertices = edges = 0
    for j in range(cases.shape[1]):
        for k in range(cases.shape[2]):
            if 0 < cases[i, j, k] < 255:
                vertices += count[_row(cases, i, j, k, twin)]
                edges += crossings(int(cases[i, j, k]))
    counts[i, 0] = vertices
    counts[i, 1] = edges


@inline
def _value(field, i, j, k, level, beyond):
    """Return the field less the level at a node of the padded grid."""
    if 0 < i <= field.shape[0] and 0 < j <= field.shape[1] and 0 < k <= field.shape[2]:
        return field[i - 1, j - 1, k - 1] - level
    return beyond


@inline
def loop_vertex(at, of_edge, loop):
    """Return the mean of the crossings of a loop's edges, from the cell's first node [cells]; values at its nodes."""
    x = y = z = 0.0
    crossed = edge = 0
    for axis in range(3):
        up = 4 >> axis
        for n in range(8):
            if n & up == 0:
                if of_edge[edge] == loop:
                    share = min(max(at[n] / (at[n] - at[n + up]), OFF), 1.0 - OFF)
                    x += share if axis == 0 else float(n >> 2)
                    y += share if axis == 1 else float(n >> 1 & 1)
                    z += share if axis == 2 else float(n & 1)
                    crossed += 1
                edge += 1
    return x / crossed, y / crossed, z / crossed


@inline
def _pair(field, i, j, k, level, beyond):
    """Return the field less the level at two nodes of the padded grid, one after the other along z."""
    return _value(field, i, j, k, level, beyond), _value(field, i, j, k + 1, level, beyond)


@inline
def _nodes(field, level, beyond, i, j, k):
    """Return the field less the level at the eight nodes of a cell of the padded grid."""
    a, b = _pair(field, i, j, k, level, beyond), _pair(field, i, j + 1, k, level, beyond)
    c, d = _pair(field, i + 1, j, k, level, beyond), _pair(field, i + 1, j + 1, k, level, beyond)
    return a[0], a[1], b[0], b[1], c[0], c[1], d[0], d[1]


@kernel
def write_vertices(i, cases, field, level, beyond, tables, first, number, vertices):
    """Number the first vertices of the cells of slab i, and write the vertices [voxels of the padded grid]."""
    of_edge, count, twin = tables
    at = first[i, 0]
    for j in range(cases.shape[1]):
        for k in range(cases.shape[2]):
            if 0 < cases[i, j, k] < 255:
                row, nodes = _row(cases, i, j, k, twin), _nodes(field, level, beyond, i, j, k)
                number[i, j, k] = at
                for loop in range(count[row]):
                    x, y, z = loop_vertex(nodes, of_edge[row], loop)
                    vertices[at, 0], vertices[at, 1], vertices[at, 2] = i + x, j + y, k + z
                    at += 1


@inline
def _apart(vertices, a, b):
    x, y, z = vertices[a, 0] - vertices[b, 0], vertices[a, 1] - vertices[b, 1], vertices[a, 2] - vertices[b, 2]
    return x * x + y * y + z * z


@inline
def write_quad(vertices, a, b, c, d, outward, at, faces):
    """Write two outward triangles, by the short diagonal."""
    if not outward:
        a, b, c, d = d, c, b, a
    if _apart(vertices, a, c) <= _apart(vertices, b, d):
        faces[at, 0], faces[at, 1], faces[at, 2] = a, b, c
        faces[at + 1, 0], faces[at + 1, 1], faces[at + 1, 2] = a, c, d
    else:
        faces[at, 0], faces[at, 1], faces[at, 2] = a, b, d
        faces[at + 1, 0], faces[at + 1, 1], faces[at + 1, 2] = b, c, d


@inline
def _vertex(i, j, k, axis, corner, cases, tables, number):
    """Return the vertex of an edge from node (i, j, k) along an axis, in the cell whose corner that node is."""
    i, j, k = i - (corner >> 2), j - (corner >> 1 & 1), k - (corner & 1)
    return number[i, j, k] + tables[0][_row(cases, i, j, k, tables[2]), edge_of(axis, corner)]


@kernel
def write_quads(i, cases, tables, first, number, vertices, faces):
    """Write the quadrangles of the crossed edges that begin in slab i; cells around an edge go x → y → z."""
    at = 2 * first[i, 1]
    for j in range(cases.shape[1]):
        for k in range(cases.shape[2]):
            case = int(cases[i, j, k])
            if not 0 < case < 255:
                continue
            for axis in range(3):
                if (case ^ case >> (4 >> axis)) & 1:
                    one, other = 4 >> (axis + 1) % 3, 4 >> (axis + 2) % 3
                    a = _vertex(i, j, k, axis, one + other, cases, tables, number)
                    b = _vertex(i, j, k, axis, other, cases, tables, number)
                    c = _vertex(i, j, k, axis, 0, cases, tables, number)
                    d = _vertex(i, j, k, axis, one, cases, tables, number)
                    write_quad(vertices, a, b, c, d, case & 1 != 0, at, faces)
                    at += 2
