"""Fields of implicit surfaces: an element at a point, and all elements near a point.

An element has a skeleton, the line from one end to the other (a point where they are equal), a strength C and a kernel
of the squared distance s. Numbers of an element: see `columns`.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from numba import int32, uint64

from motiform.base.kernels import inline, kernel
from motiform.form.implicit.columns import BLINN, CONVOLUTION, END, SIZE, START, STRENGTH, WYVILL
from motiform.spatial.algebra import axpy, dot, load3, scale, sub

__all__ = ["element_at", "evaluate", "fill_blocks"]

_ROOT_PI = math.sqrt(math.pi)


@inline
def _row3(array, i, k):
    return array[i, k], array[i, k + 1], array[i, k + 2]


@inline
def _profile(kind, s, size):
    """Return N and dN/ds: exp(−a s), or 1 − 22/9 u + 17/9 u² − 4/9 u³ with u = s/R² up to 1  [Blinn82] [Wyvill86]."""
    if kind == BLINN:
        n = math.exp(-size * s)
        return n, -size * n
    u = s / (size * size)
    if u >= 1.0:
        return 0.0, 0.0
    n = 1.0 + u * (-22.0 / 9.0 + u * (17.0 / 9.0 - 4.0 / 9.0 * u))
    return n, (-22.0 / 9.0 + u * (34.0 / 9.0 - 12.0 / 9.0 * u)) / (size * size)


@inline
def _by_distance(kind, x, a, b, size):
    """Return N of the distance to the line from a to b, and its gradient  [BloomenthalWyvill90]."""
    along, away = sub(b, a), sub(x, a)
    length = dot(along, along)
    t = min(max(dot(away, along) / length, 0.0), 1.0) if length > 0.0 else 0.0
    r = axpy(-t, along, away)
    n, slope = _profile(kind, dot(r, r), size)
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
    a, b, size = _row3(elements, e, START), _row3(elements, e, END), elements[e, SIZE]
    if kind == CONVOLUTION:
        n, g = _by_convolution(x, a, b, size)
    else:
        n, g = _by_distance(kind, x, a, b, size)
    return elements[e, STRENGTH] * n, scale(elements[e, STRENGTH], g)


@inline
def _beyond(e, elements, x):
    """Return whether a point is beyond the ball around the middle of Wyvill's element outside of which that is 0."""
    a, b, size = _row3(elements, e, START), _row3(elements, e, END), elements[e, SIZE]
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
    low, high = 0, len(keys)
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
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


@kernel
def evaluate(i, points, kind, elements, skeleton, cells, grid, selective, starts, near, out):
    """Write Σ over skeletons of their strongest element (of their sum, by convolution), and its gradient.

    `cells`: keys, where the elements of each begin, elements by skeleton; `grid`: origin (3,), side, cells along axes.
    With `selective` only the strongest skeleton and its neighbours count  [OpalachMaddock93].
    """
    x = load3(points, i)
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
    out[i, 0] = value
    out[i, 1], out[i, 2], out[i, 3] = g


@inline
def _add_wyvill(row, base, low, high, across, z, strength, scaled):
    """Add Wyvill's field to nodes of a row; without branches, so that several nodes are computed at once."""
    for k in range(low, high):
        away = int32(base + k) - z
        u = (across + away * away) * scaled
        v = strength * (1.0 + u * (-22.0 / 9.0 + u * (17.0 / 9.0 - 4.0 / 9.0 * u)))
        row[uint64(k)] += v if u < 1.0 else 0.0


@kernel
def fill_blocks(b, blocks, side, spacing, kind, elements, places, reach, found, starts, listed, out):
    """Write the sum of points' fields at the nodes of block b, side + 1 along each axis.

    A point adds to the nodes that it reaches alone, instead of each node asking all points near it. `places` are in
    cells from the first node of block (0, 0, 0), so that a node of two blocks has one value; `found` is the list of the
    block; points are added in its order.
    """
    nodes = side + 1
    i0, j0, k0 = side * blocks[b, 0], side * blocks[b, 1], side * blocks[b, 2]
    for i in range(nodes):
        for j in range(nodes):
            for k in range(nodes):
                out[b, i, j, k] = 0.0
    for n in range(starts[found[b]], starts[found[b] + 1]):
        e = listed[n]
        far, strength, size = reach[e] / spacing, elements[e, STRENGTH], elements[e, SIZE]
        x, y, z = load3(places, e)
        low, high = max(0, math.ceil(z - far) - k0), min(nodes, math.floor(z + far) + 1 - k0)
        for i in range(max(0, math.ceil(x - far) - i0), min(nodes, math.floor(x + far) + 1 - i0)):
            for j in range(max(0, math.ceil(y - far) - j0), min(nodes, math.floor(y + far) + 1 - j0)):
                across = (i0 + i - x) * (i0 + i - x) + (j0 + j - y) * (j0 + j - y)
                if across >= far * far:
                    continue
                if kind == WYVILL:
                    _add_wyvill(out[b, i, j], k0, low, high, across, z, strength, spacing * spacing / (size * size))
                else:
                    for k in range(low, high):
                        s = (across + (k0 + k - z) * (k0 + k - z)) * spacing * spacing
                        out[b, i, j, k] += strength * math.exp(-size * s) if s < reach[e] * reach[e] else 0.0
