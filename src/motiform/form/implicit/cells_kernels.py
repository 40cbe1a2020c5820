"""Cells of several sizes: the eight around a corner, and the surface between their middles.

A tree of cells is a tuple: root cells in order of their keys, the keys, the least place of a root, bits of the units of
a root, base of the keys; and for each cell its lowest corner [units], edge [units], and first part, −1 if undivided.
"""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from motiform.base.kernels import compiled, inline, kernel
from motiform.geometry.search.closest_kernels import nearest_triangle
from motiform.geometry.search.neighbour_kernels import first_at_least
from motiform.spatial.algebra import dot, load3, sub

__all__ = ["find_cells", "find_cut_corners", "find_missed", "write_around", "write_triangles"]


@inline
def _cell_at(x, y, z, tree):
    """Return the undivided cell that holds a unit of space, −1 for none."""
    roots, keys, base, shift, most, corner, size, child = tree
    key = (((x >> shift) - base[0]) * most + (y >> shift) - base[1]) * most + (z >> shift) - base[2]
    low = first_at_least(keys, 0, len(keys), key)
    if low == len(keys) or keys[low] != key:
        return -1
    cell = roots[low]
    while child[cell] >= 0:
        half = size[cell] >> 1
        i, j, k = x - corner[cell, 0] >= half, y - corner[cell, 1] >= half, z - corner[cell, 2] >= half
        cell = child[cell] + 4 * i + 2 * j + k
    return cell


@kernel
def find_cells(i, units, tree, out):
    """Write the undivided cell that holds a unit of space, −1 for none."""
    x, y, z = load3(units, i)
    out[i] = _cell_at(x, y, z, tree)


@inline
def _corner(cell, octant, tree):
    """Return a corner of a cell [units]."""
    low, size = load3(tree[5], cell), tree[6][cell]
    return low[0] + (octant >> 2) * size, low[1] + (octant >> 1 & 1) * size, low[2] + (octant & 1) * size


@inline
def _around(p, m, tree):
    """Return the cell in direction m of a corner."""
    return _cell_at(p[0] - 1 + (m >> 2), p[1] - 1 + (m >> 1 & 1), p[2] - 1 + (m & 1), tree)


@inline
def _has_corner(cell, p, tree):
    corner, size, found = tree[5], tree[6], True
    for axis in range(3):
        away = p[axis] - corner[cell, axis]
        found = found and (away == 0 or away == size[cell])
    return found


@kernel
def find_cut_corners(n, leaves, inside, tree, found):
    """Write for the corners of an undivided cell whether cells on both sides of the surface meet there.

    Of the cells that have a corner the first one tells.
    """
    own = leaves[n]
    for octant in range(8):
        p = _corner(own, octant, tree)
        first, below, there = True, 0, 0
        for m in range(8):
            cell = _around(p, m, tree)
            if cell >= 0:
                there += 1
                below += inside[cell]
                first = first and (cell >= own or not _has_corner(cell, p, tree))
        found[n, octant] = first and 0 < below < there


@kernel
def write_around(n, owner, octant, tree, around):
    """Write the eight cells around a corner of a cell."""
    p = _corner(owner[n], octant[n], tree)
    for m in range(8):
        around[n, m] = _around(p, m, tree)


@inline
def _apart(places, a, b):
    r = sub(load3(places, a), load3(places, b))
    return dot(r, r)


@inline
def _joined(loop, own, bits, ring, sides):
    """Write the vertices of a loop, those that follow one another and are one joined, and their faces; return how many.

    Cells of several sizes are around a corner more than once, and so are the edges between them.
    """
    left = 0
    for k in range(1, loop[0] + 1):
        vertex, on = own[loop[k]], bits[loop[k]]
        if left > 0 and ring[left - 1] == vertex:
            sides[left - 1] |= on
        else:
            ring[left], sides[left] = vertex, on
            left += 1
    while left > 1 and ring[0] == ring[left - 1]:
        left -= 1
        sides[0] |= sides[left]
    return left


@inline
def _ear(left, ring, sides, places):
    """Return the corner of a loop to cut off by the shortest edge within the cube, −1 if there is none.

    An edge on a face of the cube may be one of the cube behind it, too.
    """
    best, cut = np.inf, -1
    for k in range(left):
        before, after = (k - 1) % left, (k + 1) % left
        long = _apart(places, ring[before], ring[after])
        if (left == 3 or sides[before] & sides[after] == 0) and long < best:
            best, cut = long, k
    return cut


@compiled
def write_triangles(around, inside, number, count, table, bits, places, faces):
    """Write the triangles of the loops around corners; return how many, and how many vertices there are then.

    A loop without an edge within its cube gets a vertex in its middle, after the `count` that there are.
    """
    made, ring, sides = 0, np.empty(table.shape[2], np.int64), np.empty(table.shape[2], np.int64)
    for n in range(len(around)):
        case = 0
        for m in range(8):
            case |= inside[around[n, m]] << m
        for loop in table[case]:
            left = _joined(loop, number[n], bits, ring, sides)
            while left > 2:
                cut = _ear(left, ring, sides, places)
                if cut < 0:
                    places[count] = 0.0
                    for k in range(left):
                        places[count] += places[ring[k]] / left
                        faces[made, 0], faces[made, 1], faces[made, 2] = ring[k], ring[(k + 1) % left], count
                        made += 1
                    count += 1
                    break
                faces[made, 0], faces[made, 1], faces[made, 2] = (
                    ring[(cut - 1) % left],
                    ring[cut],
                    ring[(cut + 1) % left],
                )
                made += 1
                left -= 1
                for k in range(cut, left):
                    ring[k], sides[k] = ring[k + 1], sides[k + 1]
    return made, count


@kernel
def find_missed(i, points, far, boxes, links, triangles, out):
    """Write whether no triangle is within a distance of a point."""
    _, hit, _, _, _ = nearest_triangle(boxes, links, 0, triangles, 0, load3(points, i), far * far)
    out[i] = hit < 0
