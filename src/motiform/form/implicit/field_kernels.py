"""Fields of implicit surfaces: an element at a point, and all elements near a point.

An element has a skeleton, the line from one end to the other (a point where they are equal), a strength C and a kernel
of the squared distance s. Numbers of an element: see `columns`; those of `shape_kernels` have a metric of their own,
or are triangles and tetrahedra.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import fused, inline, kernel
from motiform.form.implicit.columns import CONVOLUTION, END, SHAPED, SIZE, START, STRENGTH, WYVILL
from motiform.form.implicit.shape_kernels import profile, row3, shaped_at
from motiform.geometry.search.neighbour_kernels import first_at_least
from motiform.spatial.algebra import axpy, dot, load3, scale, sub

__all__ = ["element_at", "evaluate", "fill_blocks", "list_cells", "move_onto"]

_ROOT_PI = math.sqrt(math.pi)
_STEPS = 4  # of Newton's method at most
_NEAR = 1e-3  # of the way allowed: after a step below it, what is left is a millionth of that way and less


@inline
def _by_distance(kind, x, a, b, size):
    """Return N of the distance to the line from a to b, and its gradient  [BloomenthalWyvill90]."""
    along, away = sub(b, a), sub(x, a)
    length = dot(along, along)
    t = min(max(dot(away, along) / length, 0.0), 1.0) if length > 0.0 else 0.0
    r = axpy(-t, along, away)
    n, slope = profile(kind, dot(r, r), size)
    return n, scale(2.0 * slope, r)


@inline
def _by_convolution(x, a, b, size):
    """Return ∫ exp(−c |σ − x|²) dσ along the line from a to b, and its gradient  [BloomenthalShoemake91].

    With y the place of x along the line and ρ its distance from it: exp(−c ρ²) √(π/c)/2 (erf(√c (l − y)) + erf(√c y)).
    """
    along, away = sub(b, a), sub(x, a)
    length = math.sqrt(dot(along, along))
    u = scale(1.0 / length, along)
    y = dot(away, u)
    r = axpy(-y, u, away)
    k = math.sqrt(size)
    side = math.exp(-size * dot(r, r))
    n = side * 0.5 * _ROOT_PI / k * (math.erf(k * (length - y)) + math.erf(k * y))
    ends = side * (math.exp(-size * y * y) - math.exp(-size * (length - y) * (length - y)))
    return n, axpy(ends, u, scale(-2.0 * size * n, r))


@inline
def element_at(e, kind, elements, x):
    """Return value and gradient of an element's field."""
    if kind >= SHAPED:
        return shaped_at(e, kind - SHAPED, elements, x)
    a, b, size = row3(elements, e, START), row3(elements, e, END), elements[e, SIZE]
    if kind == CONVOLUTION:
        n, g = _by_convolution(x, a, b, size)
    else:
        n, g = _by_distance(kind, x, a, b, size)
    return elements[e, STRENGTH] * n, scale(elements[e, STRENGTH], g)


@inline
def _beyond(e, elements, x):
    """Return whether a point is beyond the ball around the middle of Wyvill's element outside of which that is 0."""
    a, b, size = row3(elements, e, START), row3(elements, e, END), elements[e, SIZE]
    r, half = sub(x, scale(0.5, (a[0] + b[0], a[1] + b[1], a[2] + b[2]))), scale(0.5, sub(b, a))
    long = dot(half, half)
    far = size if long == 0.0 else size + math.sqrt(long)
    return dot(r, r) > 1.000001 * far * far


@inline
def _cell(x, origin, side, keys, most):
    """Return the number of the cell that holds a point among those that elements reach, −1 for none."""
    i, j = math.floor((x[0] - origin[0]) / side), math.floor((x[1] - origin[1]) / side)
    k = math.floor((x[2] - origin[2]) / side)
    if min(i, j, k) < 0 or max(i, j, k) >= most:
        return -1
    key = (int(i) * most + int(j)) * most + int(k)
    low = first_at_least(keys, 0, len(keys), key)
    return low if low < len(keys) and keys[low] == key else -1


@inline
def _blends(one, other, starts, near):
    """Return whether two skeletons blend: they are the same, or neighbours."""
    found = one == other
    for k in range(starts[one], starts[one + 1]):
        found = found or near[k] == other
    return found


@inline
def _strongest(found, kind, elements, skeleton, cells, x):
    """Return the skeleton whose element is strongest at a point."""
    best, which = -1.0, -1
    for n in range(cells[1][found], cells[1][found + 1]):
        v, _ = element_at(cells[2][n], kind, elements, x)
        if v > best:
            best, which = v, skeleton[cells[2][n]]
    return which


@inline
def _field_at(x, kind, elements, skeleton, cells, grid, selective, starts, near):
    """Return Σ over skeletons of their strongest element (of their sum, by convolution), and its gradient.

    `cells`: keys, where the elements of each begin, elements by skeleton; `grid`: origin (3,), side, cells along axes.
    With `selective` only the strongest skeleton and its neighbours count  [OpalachMaddock93].
    """
    found = _cell(x, grid[0], grid[1], cells[0], grid[2])
    value, g = 0.0, (0.0, 0.0, 0.0)
    if found >= 0:
        leader = _strongest(found, kind, elements, skeleton, cells, x) if selective else -1
        own, slope, last = 0.0, (0.0, 0.0, 0.0), -1
        for n in range(cells[1][found], cells[1][found + 1]):
            e = cells[2][n]
            if selective and not _blends(leader, skeleton[e], starts, near):
                continue
            if kind == WYVILL and _beyond(e, elements, x):
                continue
            v, d = element_at(e, kind, elements, x)
            if kind == CONVOLUTION:
                value, g = value + v, axpy(1.0, d, g)
            elif skeleton[e] != last:
                value, g = value + own, axpy(1.0, slope, g)
                own, slope, last = v, d, skeleton[e]
            elif v > own:
                own, slope = v, d
        value, g = value + own, axpy(1.0, slope, g)
    return value, g


@kernel
def evaluate(i, points, kind, elements, skeleton, cells, grid, selective, starts, near, out):
    """Write the field at a point, and its gradient."""
    x = load3(points, i)
    value, g = _field_at(x, kind, elements, skeleton, cells, grid, selective, starts, near)
    out[i, 0] = value
    out[i, 1], out[i, 2], out[i, 3] = g


@kernel
def move_onto(i, most, level, kind, elements, skeleton, cells, grid, selective, starts, near, points, there):
    """Move a point to the level along gradients by Newton's method, by `most` at most; write whether it came there."""
    start = load3(points, i)
    x, there[i] = start, False
    for _ in range(_STEPS):
        value, g = _field_at(x, kind, elements, skeleton, cells, grid, selective, starts, near)
        steep = dot(g, g)
        if steep == 0.0:
            break
        away = sub(axpy((level - value) / steep, g, x), start)
        long = math.sqrt(dot(away, away))
        last, x = x, axpy(min(1.0, most / long) if long > 0.0 else 1.0, away, start)
        step = sub(x, last)
        if dot(step, step) < (_NEAR * most) * (_NEAR * most):
            there[i] = long <= most
            break
    points[i, 0], points[i, 1], points[i, 2] = x


@kernel
def list_cells(e, first, last, ends, shape, keys, owner):
    """Write the keys of the cells of an element, whose last one is ahead of ends[e], and its number."""
    at = ends[e - 1] if e > 0 else 0
    for i in range(first[e, 0], last[e, 0] + 1):
        for j in range(first[e, 1], last[e, 1] + 1):
            for k in range(first[e, 2], last[e, 2] + 1):
                keys[at], owner[at] = (i * shape[1] + j) * shape[2] + k, e
                at += 1


@fused
def _add_wyvill(row, across, along, strength):
    """Add Wyvill's field, C (1 − u)² (1 − 4/9 u) with u = across + along, to a row of nodes, several at once."""
    for k in range(row.shape[0]):
        left = max(1.0 - across - along[k], 0.0)
        row[k] += left * left * (5.0 / 9.0 * strength + 4.0 / 9.0 * strength * left)


@kernel
def fill_blocks(b, blocks, spacing, kind, elements, places, reach, starts, listed, level, along, out):
    """Write the level less the sum of points' fields at the nodes of block b.

    A point adds to the nodes that it reaches alone, instead of each node asking all points near it. `places` are in
    cells from the first node of block (0, 0, 0), so that a node of two blocks has one value; points are added in the
    order of the block's list. `along` is room for squares of distances of the block's layers, in reaches.
    """
    nodes = out.shape[1]
    i0, j0, k0 = (nodes - 1) * blocks[b, 0], (nodes - 1) * blocks[b, 1], (nodes - 1) * blocks[b, 2]
    for i in range(nodes):
        for j in range(nodes):
            for k in range(nodes):
                out[b, i, j, k] = 0.0
    for n in range(starts[b], starts[b + 1]):
        e = listed[n]
        far, strength, size = reach[e] / spacing, elements[e, STRENGTH], elements[e, SIZE]
        x, y, z = load3(places, e)
        scaled, least = 1.0 / (far * far), 1.0
        for k in range(nodes):
            along[b, k] = (k0 + k - z) * (k0 + k - z) * scaled
            least = min(least, along[b, k])
        for i in range(max(0, math.ceil(x - far) - i0), min(nodes, math.floor(x + far) + 1 - i0)):
            for j in range(max(0, math.ceil(y - far) - j0), min(nodes, math.floor(y + far) + 1 - j0)):
                across = ((i0 + i - x) * (i0 + i - x) + (j0 + j - y) * (j0 + j - y)) * scaled
                if across + least >= 1.0:
                    continue
                if kind == WYVILL:
                    _add_wyvill(out[b, i, j], across, along[b], strength)
                else:
                    for k in range(nodes):
                        u = across + along[b, k]
                        if u < 1.0:
                            out[b, i, j, k] += strength * math.exp(-size * reach[e] * reach[e] * u)
    for i in range(nodes):
        for j in range(nodes):
            for k in range(nodes):
                out[b, i, j, k] = level - out[b, i, j, k]
