"""Steps of pins: the free screen and what engraves it in one pass, by tiles, without atomics.

Heights [m] are from rest, in rows with a rim of one pin: zero where edges are fixed, the value of the outermost pin
where they are free. Each axis that a grid lacks has one plane, one row, and no rim. A tile is a range of rows and of
columns; lists say which points may touch it, in the order of their numbers, so that a pin gets the same bits in any
tiling.
"""

# mypy: disable-error-code="no-untyped-def"

from math import ceil, floor, sqrt

from numba import int32
from numba import uint64 as ix

from motiform.base.kernels import fused, inline, kernel
from motiform.motion.screens.columns import AT, BEFORE, HEIGHT, HEIGHT_BEFORE, REACH, K, Z

__all__ = ["list_tiles", "press_back", "step_pins"]

_TINY = 1e-300  # a pin at the very place of a point is pushed nowhere: 0/tiny


@inline
def padded_row(r, rows, dimensions):
    """Return the row, rim counted, of row r of the pins; rows is how many a plane has."""
    if dimensions == 1:
        return 0
    if dimensions == 2:
        return r + 1
    return (r // rows + 1) * (rows + 2) + r % rows + 1


@fused
def _step_line(R, left, right, w, p, q, a, b, c, d):
    """One dimension: q = a w + b p + c Σw + d Σp over the neighbours [Habibi97 8.21]."""
    for j in range(left + 1, right + 1):
        J, L, N = ix(j), ix(j - 1), ix(j + 1)
        q[R, J] = a * w[R, J] + b * p[R, J] + c * (w[R, L] + w[R, N]) + d * (p[R, L] + p[R, N])


@fused
def _step_elastic(R, left, right, w, p, q, a, b, c):
    """Two dimensions, no dampers between pins."""
    U, D = ix(R - 1), ix(R + 1)
    for j in range(left + 1, right + 1):
        J = ix(j)
        q[R, J] = a * w[R, J] + b * p[R, J] + c * ((w[R, ix(j - 1)] + w[R, ix(j + 1)]) + (w[U, J] + w[D, J]))


@fused
def _step_plane(R, left, right, w, p, q, a, b, c, d):
    """Two dimensions."""
    U, D = ix(R - 1), ix(R + 1)
    for j in range(left + 1, right + 1):
        J, L, N = ix(j), ix(j - 1), ix(j + 1)
        near = (w[R, L] + w[R, N]) + (w[U, J] + w[D, J])
        old = (p[R, L] + p[R, N]) + (p[U, J] + p[D, J])
        q[R, J] = a * w[R, J] + b * p[R, J] + c * near + d * old


@fused
def _step_space(R, stride, left, right, w, p, q, a, b, c, d):
    """Three dimensions; stride is how many rows a plane takes."""
    U, D, A, B = ix(R - 1), ix(R + 1), ix(R - stride), ix(R + stride)
    for j in range(left + 1, right + 1):
        J, L, N = ix(j), ix(j - 1), ix(j + 1)
        near = (w[R, L] + w[R, N]) + (w[U, J] + w[D, J]) + (w[A, J] + w[B, J])
        old = (p[R, L] + p[R, N]) + (p[U, J] + p[D, J]) + (p[A, J] + p[B, J])
        q[R, J] = a * w[R, J] + b * p[R, J] + c * near + d * old


@fused
def _press(m, b, table, planes, rows, dimensions, spacing, first, last, left, right, w, p, q):
    """Add what point m does to the pins of a tile: (K (S − d) − Z (d − d₋)) h/d, where d < S."""
    g0, g1, g2 = table[b, m, AT], table[b, m, AT + 1], table[b, m, AT + 2]
    o0, o1, o2 = table[b, m, BEFORE], table[b, m, BEFORE + 1], table[b, m, BEFORE + 2]
    top, top_before = table[b, m, HEIGHT], table[b, m, HEIGHT_BEFORE]
    stiff, damp, S = table[b, m, K], table[b, m, Z], table[b, m, REACH]
    reach, SS, area = S / spacing, S * S, spacing * spacing
    # rows of one length, though some pins are out of reach: processors foresee when they end
    begin, end = max(left, ceil(g2 - reach)), min(right, floor(g2 + reach) + 1)
    for i0 in range(max(0, ceil(g0 - reach)), min(planes, floor(g0 + reach) + 1)):
        low = max(max(0, ceil(g1 - reach)), first - i0 * rows)
        high = min(min(rows, floor(g1 + reach) + 1), last - i0 * rows)
        for i1 in range(low, high):
            R = ix(padded_row(i0 * rows + i1, rows, dimensions))
            across = ((i0 - g0) * (i0 - g0) + (i1 - g1) * (i1 - g1)) * area
            if across >= SS:
                continue
            was = ((i0 - o0) * (i0 - o0) + (i1 - o1) * (i1 - o1)) * area
            if damp > 0.0:
                for j in range(begin, end):  # without branches, so that several pins are computed at once
                    J, now, old = ix(j + 1), int32(j) - g2, int32(j) - o2
                    h, u = w[R, J] - top, p[R, J] - top_before
                    dd = across + now * now * area + h * h
                    d = sqrt(dd)
                    push = stiff * (S - d) - damp * (d - sqrt(was + old * old * area + u * u))
                    q[R, J] += push * (h / max(d, _TINY)) if dd < SS else 0.0
            else:
                for j in range(begin, end):
                    J, now = ix(j + 1), int32(j) - g2
                    h = w[R, J] - top
                    dd = across + now * now * area + h * h
                    d = sqrt(dd)
                    q[R, J] += stiff * (S - d) * (h / max(d, _TINY)) if dd < SS else 0.0


@inline
def _mirror(r, rows, planes, dimensions, left, right, columns, q):
    """Put the values of outermost pins on the rim beside them."""
    R = padded_row(r, rows, dimensions)
    if left == 0:
        q[R, 0] = q[R, 1]
    if right == columns:
        q[R, columns + 1] = q[R, columns]
    if dimensions >= 2:
        if r % rows == 0:
            for j in range(left + 1, right + 1):
                q[R - 1, j] = q[R, j]
        if r % rows == rows - 1:
            for j in range(left + 1, right + 1):
                q[R + 1, j] = q[R, j]
    if dimensions == 3:
        if r // rows == 0:
            for j in range(left + 1, right + 1):
                q[R - rows - 2, j] = q[R, j]
        if r // rows == planes - 1:
            for j in range(left + 1, right + 1):
                q[R + rows + 2, j] = q[R, j]


@kernel
def step_pins(e, grid, law, b, w, p, q, force, starts, listed, table):
    """Step a tile: q from the heights w now and p a step before, with the points of row b of the table.

    grid: planes, rows, columns, dimensions, free, rows and columns of a tile, those of a list, lists across.
    law: the coefficients a, b, c, d, and the spacing.
    """
    planes, rows, columns, dimensions, free = grid[0], grid[1], grid[2], grid[3], grid[4]
    height, width = grid[5], grid[6]
    ca, cb, cc, cd, spacing = law[0], law[1], law[2], law[3], law[4]
    across = (columns + width - 1) // width
    first, left = (e // across) * height, (e % across) * width
    last, right = min(first + height, planes * rows), min(left + width, columns)
    for r in range(first, last):
        R = ix(padded_row(r, rows, dimensions))
        if dimensions == 1:
            _step_line(R, left, right, w, p, q, ca, cb, cc, cd)
        elif cd == 0.0 and dimensions == 2:
            _step_elastic(R, left, right, w, p, q, ca, cb, cc)
        elif dimensions == 2:
            _step_plane(R, left, right, w, p, q, ca, cb, cc, cd)
        else:
            _step_space(R, rows + 2, left, right, w, p, q, ca, cb, cc, cd)
        if force.shape[0] > 0:
            for j in range(left, right):
                q[R, ix(j + 1)] += force[ix(r), ix(j)]
    tile = (first // grid[7]) * grid[9] + left // grid[8]
    for k in range(starts[b, tile], starts[b, tile + 1]):
        _press(listed[b, k], b, table, planes, rows, dimensions, spacing, first, last, left, right, w, p, q)
    if free == 1:
        for r in range(first, last):
            _mirror(r, rows, planes, dimensions, left, right, columns, q)


@kernel
def list_tiles(b, grid, spacing, table, starts, listed, needed):
    """Fill lists of the points that may touch each tile at step b, and write how many entries they have or would have.

    Points are listed in the order of their numbers. Where the lists are too short, they are not filled.
    """
    tiles = starts.shape[1] - 1
    planes, rows, columns = grid[0], grid[1], grid[2]
    tall, wide, across = grid[7], grid[8], grid[9]
    for tile in range(tiles + 1):
        starts[b, tile] = 0
    for turn in range(2):
        for m in range(table.shape[1]):
            g0, g1, g2 = table[b, m, AT], table[b, m, AT + 1], table[b, m, AT + 2]
            reach, seen = table[b, m, REACH] / spacing, -1
            low2, high2 = max(0, ceil(g2 - reach)), min(columns - 1, floor(g2 + reach))
            low1, high1 = max(0, ceil(g1 - reach)), min(rows - 1, floor(g1 + reach))
            if low2 > high2 or low1 > high1:
                continue
            for i0 in range(max(0, ceil(g0 - reach)), min(planes, floor(g0 + reach) + 1)):
                begin, end = (i0 * rows + low1) // tall, (i0 * rows + high1) // tall
                for row in range(max(begin, seen + 1), end + 1):
                    for column in range(low2 // wide, high2 // wide + 1):
                        tile = row * across + column
                        if turn == 1:
                            listed[b, starts[b, tile]] = m
                        starts[b, tile if turn == 1 else tile + 1] += 1
                seen = max(seen, end)
        if turn == 0:
            for tile in range(tiles):
                starts[b, tile + 1] += starts[b, tile]
            needed[b] = starts[b, tiles]
            if needed[b] > listed.shape[1]:
                return
    for tile in range(tiles, 0, -1):  # each is at its end by now
        starts[b, tile] = starts[b, tile - 1]
    starts[b, 0] = 0


@kernel
def press_back(m, grid, spacing, b, w, p, table, found):
    """Sum what all pins do to point m along the grid's axes, times Te²/m of a pin, (3,)."""
    planes, rows, columns, dimensions = grid[0], grid[1], grid[2], grid[3]
    g0, g1, g2 = table[b, m, AT], table[b, m, AT + 1], table[b, m, AT + 2]
    o0, o1, o2 = table[b, m, BEFORE], table[b, m, BEFORE + 1], table[b, m, BEFORE + 2]
    S = table[b, m, REACH]
    reach, area = S / spacing, spacing * spacing
    f0, f1, f2 = 0.0, 0.0, 0.0
    for i0 in range(max(0, ceil(g0 - reach)), min(planes, floor(g0 + reach) + 1)):
        for i1 in range(max(0, ceil(g1 - reach)), min(rows, floor(g1 + reach) + 1)):
            R = ix(padded_row(i0 * rows + i1, rows, dimensions))
            for j in range(max(0, ceil(g2 - reach)), min(columns, floor(g2 + reach) + 1)):
                h, u = w[R, ix(j + 1)] - table[b, m, HEIGHT], p[R, ix(j + 1)] - table[b, m, HEIGHT_BEFORE]
                dd = ((i0 - g0) * (i0 - g0) + (i1 - g1) * (i1 - g1) + (j - g2) * (j - g2)) * area + h * h
                if dd < S * S and dd > 0.0:
                    d = sqrt(dd)
                    old = sqrt(((i0 - o0) * (i0 - o0) + (i1 - o1) * (i1 - o1) + (j - o2) * (j - o2)) * area + u * u)
                    push = (table[b, m, K] * (S - d) - table[b, m, Z] * (d - old)) * spacing / d
                    f0, f1, f2 = f0 + push * (g0 - i0), f1 + push * (g1 - i1), f2 + push * (g2 - j)
    found[m, 0], found[m, 1], found[m, 2] = f0, f1, f2
