"""Kernels that find the points near one another: cells of a grid, sorted, then lists of neighbours.

Points are places[axis, point]. A cell's key counts cells along z first; points are sorted by key, so three cells in a
row along z are one run of points. Where a run begins is in a table of cells or, where points are spread so wide that it
would be too long, found by bisection.
"""

# mypy: disable-error-code="no-untyped-def"

from numba import uint64 as ix

from motiform.base.kernels import inline, kernel

__all__ = ["RUN", "cell_keys", "cell_starts", "find_bounds", "find_neighbours", "find_tops", "pick_members"]

RUN = 1024
"""Elements that one thread looks through for a least or a largest."""


@kernel
def find_bounds(r, x, members, lows, highs):
    """Write the box around a run of members."""
    for axis in range(3):
        low = high = x[axis, members[r * RUN]]
        for i in range(r * RUN + 1, min((r + 1) * RUN, members.shape[0])):
            low, high = min(low, x[axis, members[i]]), max(high, x[axis, members[i]])
        lows[axis, r], highs[axis, r] = low, high


@kernel
def find_tops(r, values, tops):
    """Write the largest of a run of values."""
    top = values[r * RUN]
    for i in range(r * RUN + 1, min((r + 1) * RUN, values.shape[0])):
        top = max(top, values[i])
    tops[r] = top


@kernel
def pick_members(i, picked, x, members, roles, owners, radii, order, role, owner, radius, places):
    """Put what is known of members in the order in which they were picked."""
    n = picked[i]
    order[i], role[i], owner[i], radius[i] = members[n], roles[n], owners[n], radii[n]
    for axis in range(3):
        places[axis, i] = x[axis, members[n]]


@inline
def _cell(place, low, size, count):
    return min(max(int((place - low) / size), 0), count - 1)


@kernel
def cell_keys(i, x, members, grid, counts, keys, order):
    """Write the key of the cell that a member is in."""
    n = members[i]
    a = _cell(x[0, n], grid[0], grid[3], counts[0])
    b = _cell(x[1, n], grid[1], grid[3], counts[1])
    c = _cell(x[2, n], grid[2], grid[3], counts[2])
    keys[i] = (a * counts[1] + b) * counts[2] + c
    order[i] = i


@kernel
def cell_starts(i, keys, starts):
    """Write the number of keys below each cell after that of point i − 1, up to that of point i, or to the end."""
    first = 0 if i == 0 else keys[i - 1] + 1
    last = starts.shape[0] - 1 if i == keys.shape[0] else keys[i]
    for cell in range(first, last + 1):
        starts[cell] = i


@inline
def _first_at_least(keys, starts, tabled, key):
    """Return the number of keys below one."""
    if tabled != 0:
        return starts[ix(key)]
    low, high = 0, keys.shape[0]
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def find_neighbours(i, places, grid, counts, keys, starts, tabled, role, owner, near, neighbours, found):
    """List the points within `near` of point i that it may act on; count all, also those that there is no room for.

    Roles: bit 1 is in the first set, bit 2 in the second; one of each makes a pair. Points of one owner (not −1) make
    none.
    """
    x, y, z = places[0, i], places[1, i], places[2, i]
    a, b = _cell(x, grid[0], grid[3], counts[0]), _cell(y, grid[1], grid[3], counts[1])
    c = _cell(z, grid[2], grid[3], counts[2])
    n, mine = 0, role[i]
    for p in range(max(a - 1, 0), min(a + 2, counts[0])):
        for q in range(max(b - 1, 0), min(b + 2, counts[1])):
            row = (p * counts[1] + q) * counts[2]
            start = _first_at_least(keys, starts, tabled, row + max(c - 1, 0))
            end = _first_at_least(keys, starts, tabled, row + min(c + 1, counts[2] - 1) + 1)
            for m in range(start, end):
                j = ix(m)
                dx, dy, dz = places[0, j] - x, places[1, j] - y, places[2, j] - z
                if dx * dx + dy * dy + dz * dz < near * near and m != i:
                    other = role[j]
                    pair = ((mine & 1) != 0 and (other & 2) != 0) or ((mine & 2) != 0 and (other & 1) != 0)
                    if pair and (owner[i] < 0 or owner[i] != owner[j]):
                        if n < neighbours.shape[0]:
                            neighbours[n, i] = j
                        n += 1
    found[i] = n
