"""Bounding volume hierarchies: how one is built, how a ray walks through it, and what it meets in a mesh.

A tree is two arrays. ``boxes`` (nodes, 6) holds the lower and upper corner of each node; ``links`` (nodes, 4) holds its
parent, the first of its two children (or the first slot of its items), how many items it has (−1 for a node with
children) and the axis along which the children lie. Children sit side by side at an odd and an even index, so that the
sibling of a node is found without asking. Several trees may lie one after the other; ``base`` is where one begins.
"""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from motiform.base.kernels import compiled, inline, kernel, routine
from motiform.spatial.algebra import cross, dot, load3, sub

__all__ = ["build", "cast_rays", "cast_tree", "direction_signs", "hit_box", "inverse", "leave", "near_child"]

PARENT, FIRST, COUNT, AXIS = 0, 1, 2, 3
_BINS = 16
# Widens a box beyond the rounding of its three operations, so that no ray slips between two.
_FAR = 1.0 + 8.0 * 2.0**-53
_EDGE = 1e-12  # barycentric slack: a ray along the edge of two triangles meets one of them


@inline
def _empty(box):
    """Make a box (6,) that any other one enlarges."""
    for k in range(3):
        box[k], box[3 + k] = np.inf, -np.inf


@inline
def _enlarge(box, boxes, j):
    for k in range(3):
        box[k], box[3 + k] = min(box[k], boxes[j, k]), max(box[3 + k], boxes[j, 3 + k])


@inline
def _cost(box, items):
    """Half the surface of a box times the items in it: how often a ray meets it times what it then costs."""
    x, y, z = box[3] - box[0], box[4] - box[1], box[5] - box[2]
    return items * (x * y + y * z + z * x) if items else 0.0


@inline
def _widest(boxes, order, first, count, mids):
    """Return (axis, start, width) of the longest side of the bounds of the items' doubled centres."""
    _empty(mids)
    for s in range(first, first + count):
        for k in range(3):
            mid = boxes[order[s], k] + boxes[order[s], 3 + k]
            mids[k], mids[3 + k] = min(mids[k], mid), max(mids[3 + k], mid)
    axis = 0
    for k in range(1, 3):
        if mids[3 + k] - mids[k] > mids[3 + axis] - mids[axis]:
            axis = k
    return axis, mids[axis], mids[3 + axis] - mids[axis]


@inline
def _bin(boxes, j, axis, start, width):
    return min(_BINS - 1, int(_BINS * ((boxes[j, axis] + boxes[j, 3 + axis] - start) / width)))


@inline
def _fill_bins(boxes, order, first, count, axis, start, width, tally, bins):
    for b in range(_BINS):
        tally[b] = 0
        _empty(bins[b])
    for s in range(first, first + count):
        b = _bin(boxes, order[s], axis, start, width)
        tally[b] += 1
        _enlarge(bins[b], boxes, order[s])


@inline
def _best_cut(tally, bins, below, sweep):
    """Return the bin before which to cut: the least sum of both sides' costs (surface area heuristic)."""
    _empty(sweep)
    items = 0
    for b in range(_BINS - 1):
        items += tally[b]
        _enlarge(sweep, bins, b)
        below[b] = _cost(sweep, items)
    _empty(sweep)
    items, best, cut = 0, np.inf, 1
    for b in range(_BINS - 1, 0, -1):
        items += tally[b]
        _enlarge(sweep, bins, b)
        cost = below[b - 1] + _cost(sweep, items)
        if cost < best:
            best, cut = cost, b
    return cut


@inline
def _partition(boxes, order, first, count, axis, start, width, cut):
    """Bring the items below the cut to the front and return how many they are."""
    front, back = first, first + count - 1
    while front <= back:
        if _bin(boxes, order[front], axis, start, width) < cut:
            front += 1
        else:
            order[front], order[back] = order[back], order[front]
            back -= 1
    return front - first


@inline
def _link(links, node, parent, first, count):
    links[node, PARENT], links[node, FIRST], links[node, COUNT], links[node, AXIS] = parent, first, count, 0


@compiled
def build(boxes, leaf, tree, links, order):
    """Write the tree over boxes (n, 6) with at most ``leaf`` items in a node without children; return its nodes' count.

    One core, fixed order: the same boxes give the same tree. Cuts lie between 16 bins along the longest axis.
    """
    tally, below = np.empty(_BINS, np.int64), np.empty(_BINS)
    bins, sweep = np.empty((_BINS, 6)), np.empty(6)
    for s in range(boxes.shape[0]):
        order[s] = s
    _link(links, 0, -1, 0, boxes.shape[0])
    node, used = 0, 1
    while node < used:
        first, count = links[node, FIRST], links[node, COUNT]
        _empty(tree[node])
        for s in range(first, first + count):
            _enlarge(tree[node], boxes, order[s])
        if count > leaf:
            axis, start, width = _widest(boxes, order, first, count, sweep)
            front = 0
            if width > 0.0:
                _fill_bins(boxes, order, first, count, axis, start, width, tally, bins)
                cut = _best_cut(tally, bins, below, sweep)
                front = _partition(boxes, order, first, count, axis, start, width, cut)
            if front == 0 or front == count:
                front = count // 2  # all centres in one place: any halves do
            _link(links, used, node, first, front)
            _link(links, used + 1, node, first + front, count - front)
            links[node, FIRST], links[node, COUNT], links[node, AXIS] = used, -1, axis
            used += 2
        node += 1
    return used


@routine
def inverse(x):
    """1/x, finite for x = 0 so that 0·(1/x) is 0."""
    return 1.0 / x if abs(x) > 1e-300 else math.copysign(1e300, x)


@routine
def direction_signs(d):
    """Return a bit per axis: set where the direction is negative."""
    return (1 if d[0] < 0.0 else 0) | (2 if d[1] < 0.0 else 0) | (4 if d[2] < 0.0 else 0)


@routine
def hit_box(boxes, i, o, n, reach):
    """Say whether the ray from o with inverse direction n meets box i before ``reach``."""
    x0, x1 = (boxes[i, 0] - o[0]) * n[0], (boxes[i, 3] - o[0]) * n[0]
    y0, y1 = (boxes[i, 1] - o[1]) * n[1], (boxes[i, 4] - o[1]) * n[1]
    z0, z1 = (boxes[i, 2] - o[2]) * n[2], (boxes[i, 5] - o[2]) * n[2]
    enter = max(max(min(x0, x1), min(y0, y1)), min(z0, z1))
    leave = min(min(max(x0, x1), max(y0, y1)), max(z0, z1))
    return max(enter, 0.0) <= leave * _FAR and enter <= reach


@routine
def near_child(links, base, node, signs):
    """Return the child that the ray meets first."""
    return links[base + node, FIRST] + ((signs >> links[base + node, AXIS]) & 1)


@routine
def leave(links, base, node, far, signs):
    """Return the node to visit after this one and whether it is the far child; −1 at the end.

    Walking back through the parents replaces a stack [Hapala11], which neither device would keep in registers.
    """
    while node > 0:
        if not far:
            return ((node - 1) ^ 1) + 1, True
        node = links[base + node, PARENT]
        far = node > 0 and node != near_child(links, base, links[base + node, PARENT], signs)
    return -1, False


@routine
def hit_triangle(triangles, i, o, d):
    """Return (t, u, v) where the ray meets triangle i, (corner, edge, edge) in a row of 9; t is inf if it does not.

    The point is corner + u edge₁ + v edge₂ [Moller97].
    """
    corner = load3(triangles, i)
    e1 = triangles[i, 3], triangles[i, 4], triangles[i, 5]
    e2 = triangles[i, 6], triangles[i, 7], triangles[i, 8]
    p = cross(d, e2)
    det = dot(e1, p)
    if det == 0.0:
        return np.inf, 0.0, 0.0
    s = sub(o, corner)
    q = cross(s, e1)
    u, v, t = dot(s, p) / det, dot(d, q) / det, dot(e2, q) / det
    if u < -_EDGE or v < -_EDGE or u + v > 1.0 + _EDGE or not t > 0.0:
        return np.inf, 0.0, 0.0
    return t, u, v


@routine
def cast_tree(boxes, links, base, triangles, slot, o, d, reach, any_hit):
    """Return (t, triangle, u, v) of the first triangle that the ray meets before ``reach``; triangle −1 for none.

    Triangles lie from ``slot`` on in the order of the tree. With ``any_hit`` the first one found is enough.
    """
    n = inverse(d[0]), inverse(d[1]), inverse(d[2])
    signs = direction_signs(d)
    best, hit_u, hit_v, hit = reach, 0.0, 0.0, -1
    node, far = 0, False
    while node >= 0:
        if hit_box(boxes, base + node, o, n, best):
            count = links[base + node, COUNT]
            if count < 0:
                node, far = near_child(links, base, node, signs), False
                continue
            first = slot + links[base + node, FIRST]
            for k in range(first, first + count):
                t, u, v = hit_triangle(triangles, k, o, d)
                if t < best:
                    best, hit_u, hit_v, hit = t, u, v, k
            if any_hit and hit >= 0:
                break
        node, far = leave(links, base, node, far, signs)
    return best, hit, hit_u, hit_v


@kernel
def cast_rays(i, origins, directions, boxes, links, triangles, distance, triangle):
    """Write how far ray i goes, in lengths of its direction, and the slot of the triangle it meets."""
    t, hit, _, _ = cast_tree(boxes, links, 0, triangles, 0, load3(origins, i), load3(directions, i), np.inf, False)
    distance[i], triangle[i] = t, hit
