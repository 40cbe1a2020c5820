"""Surface nets of a field on a grid: slabs of cells are counted, then write their vertices and quadrangles."""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import inline, kernel

__all__ = ["cell_vertex", "count_slab", "write_quad", "write_quads", "write_vertices"]

OFF = 0.02  # voxels that a crossing is kept off voxel centres, where vertices of several cells would coincide


@inline
def _corners(inside, i, j, k):
    """Return how many of four nodes of a cell are inside: those with the lower k."""
    return (inside[i, j, k] + inside[i + 1, j, k]) + (inside[i, j + 1, k] + inside[i + 1, j + 1, k])


@kernel
def count_slab(i, inside, counts):
    """Count the cells of slab i that the surface passes, and the crossed edges that begin in it."""
    cells = edges = 0
    for j in range(inside.shape[1] - 1):
        last = _corners(inside, i, j, 0)
        for k in range(inside.shape[2] - 1):
            following = _corners(inside, i, j, k + 1)
            here = inside[i, j, k]
            cells += 0 < last + following < 8
            edges += (here != inside[i + 1, j, k]) + (here != inside[i, j + 1, k]) + (here != inside[i, j, k + 1])
            last = following
    counts[i, 0] = cells
    counts[i, 1] = edges


@inline
def _value(field, i, j, k, level, beyond):
    """Return the field less the level at a node of the padded grid."""
    if 0 < i <= field.shape[0] and 0 < j <= field.shape[1] and 0 < k <= field.shape[2]:
        return field[i - 1, j - 1, k - 1] - level
    return beyond


@inline
def cell_vertex(at):
    """Return the mean of the crossings of a cell's edges, from its first node [cells]; values at its nodes, z first."""
    x = y = z = 0.0
    crossings = 0
    for axis in range(3):
        up = 4 >> axis
        for n in range(8):
            if n & up == 0 and (at[n] < 0.0) != (at[n + up] < 0.0):
                share = min(max(at[n] / (at[n] - at[n + up]), OFF), 1.0 - OFF)
                x += share if axis == 0 else float(n >> 2)
                y += share if axis == 1 else float(n >> 1 & 1)
                z += share if axis == 2 else float(n & 1)
                crossings += 1
    return x / crossings, y / crossings, z / crossings


@inline
def _row(field, i, j, k, level, beyond):
    """Return the field less the level at two nodes of the padded grid, one after the other along z."""
    return _value(field, i, j, k, level, beyond), _value(field, i, j, k + 1, level, beyond)


@inline
def _vertex(field, level, beyond, i, j, k):
    """Return the vertex of a cell of the padded grid, from its first node [voxels]."""
    a, b = _row(field, i, j, k, level, beyond), _row(field, i, j + 1, k, level, beyond)
    c, d = _row(field, i + 1, j, k, level, beyond), _row(field, i + 1, j + 1, k, level, beyond)
    return cell_vertex((a[0], a[1], b[0], b[1], c[0], c[1], d[0], d[1]))


@kernel
def write_vertices(i, inside, field, level, beyond, first, number, vertices):
    """Number the cells of slab i that the surface passes, and write their vertices [voxels of the padded grid]."""
    at = first[i, 0]
    for j in range(inside.shape[1] - 1):
        last = _corners(inside, i, j, 0)
        for k in range(inside.shape[2] - 1):
            following = _corners(inside, i, j, k + 1)
            if 0 < last + following < 8:
                x, y, z = _vertex(field, level, beyond, i, j, k)
                vertices[at, 0], vertices[at, 1], vertices[at, 2] = i + x, j + y, k + z
                number[i, j, k] = at
                at += 1
            last = following


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


@kernel
def write_quads(i, inside, first, number, vertices, faces):
    """Write the quadrangles of the crossed edges that begin in slab i; cells around an edge go x → y → z."""
    at = 2 * first[i, 1]
    for j in range(inside.shape[1] - 1):
        for k in range(inside.shape[2] - 1):
            here = inside[i, j, k]
            if here != inside[i + 1, j, k]:
                a, b, c, d = number[i, j - 1, k - 1], number[i, j, k - 1], number[i, j, k], number[i, j - 1, k]
                write_quad(vertices, a, b, c, d, here != 0, at, faces)
                at += 2
            if here != inside[i, j + 1, k]:
                a, b, c, d = number[i - 1, j, k - 1], number[i - 1, j, k], number[i, j, k], number[i, j, k - 1]
                write_quad(vertices, a, b, c, d, here != 0, at, faces)
                at += 2
            if here != inside[i, j, k + 1]:
                a, b, c, d = number[i - 1, j - 1, k], number[i, j - 1, k], number[i, j, k], number[i - 1, j, k]
                write_quad(vertices, a, b, c, d, here != 0, at, faces)
                at += 2
