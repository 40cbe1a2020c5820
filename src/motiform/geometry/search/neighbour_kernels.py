"""Kernels that find the points near one another: cells of a grid, sorted, then lists of neighbours.

Points are places[axis, point]. Balls of each class of size have cells of their own, as large as two of them reach: a
small one is not looked for among all that a large one reaches. A cell's key counts cells along z first; points are
sorted by key, so cells in a row along z are one run of points, and lists of neighbours rise. Where a run begins is in a
table of cells or, where points are spread so wide that it would be too long, found by bisection.

Rows of `grid` are classes: lowest corner, size of cells, largest radius; of `counts`: cells along x, y, z, first key.
The neighbours of a point are neighbours[offsets[i] + slot · stride]: on a CPU one after another.
"""

# mypy: disable-error-code="no-untyped-def"

from numba import uint64 as ix

from motiform.base.kernels import inline, kernel

__all__ = [
    "RUN", "cell_keys", "cell_starts", "find_bounds", "find_neighbours", "find_tops", "first_at_least",
    "pick_capacities", "pick_members",
]  # fmt: skip

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
def cell_keys(i, x, members, kinds, grid, counts, keys, order):
    """Write the key of the cell that a member is in."""
    n, k = members[i], kinds[i]
    a = _cell(x[0, n], grid[k, 0], grid[k, 3], counts[k, 0])
    b = _cell(x[1, n], grid[k, 1], grid[k, 3], counts[k, 1])
    c = _cell(x[2, n], grid[k, 2], grid[k, 3], counts[k, 2])
    keys[i] = (a * counts[k, 1] + b) * counts[k, 2] + c + counts[k, 3]
    order[i] = i


@kernel
def pick_capacities(i, picked, rooms, offsets):
    """Write for how many neighbours each point has room, in the order in which they were picked."""
    offsets[i] = rooms[picked[i]] if i < picked.shape[0] else 0


@kernel
def cell_starts(i, keys, starts):
    """Write the number of keys below each cell after that of point i − 1, up to that of point i, or to the end."""
    first = 0 if i == 0 else keys[i - 1] + 1
    last = starts.shape[0] - 1 if i == keys.shape[0] else keys[i]
    for cell in range(first, last + 1):
        starts[cell] = i


@inline
def first_at_least(keys, low, high, key):
    """Return the place of the first of the sorted keys[low:high] that is not below one, or `high`."""
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low


@inline
def _cell_start(keys, starts, tabled, key):
    """Return the number of keys below one, from a table where there is one."""
    return starts[ix(key)] if tabled != 0 else first_at_least(keys, 0, keys.shape[0], key)


@kernel
def find_neighbours(
    i, places, radius, grid, counts, keys, starts, tabled, role, owner, near, offsets, stride, neighbours, found, lacks
):
    """List the points within `near` and both radii of point i that it may act on, and count those without room.

    Roles: bit 1 is in the first set, bit 2 in the second; one of each makes a pair. Points of one owner (not −1) make
    none.
    """
    x, y, z = places[0, i], places[1, i], places[2, i]
    n, mine, r, first = 0, role[i], near + radius[i], offsets[i]
    room = (neighbours.shape[0] - first - 1) // stride + 1 if stride > 1 else offsets[i + 1] - first
    for k in range(grid.shape[0]):
        reach, size = r + grid[k, 4], grid[k, 3]
        a, a2 = _cell(x - reach, grid[k, 0], size, counts[k, 0]), _cell(x + reach, grid[k, 0], size, counts[k, 0])
        b, b2 = _cell(y - reach, grid[k, 1], size, counts[k, 1]), _cell(y + reach, grid[k, 1], size, counts[k, 1])
        c, c2 = _cell(z - reach, grid[k, 2], size, counts[k, 2]), _cell(z + reach, grid[k, 2], size, counts[k, 2])
        for p in range(a, a2 + 1):
            for q in range(b, b2 + 1):
                row = (p * counts[k, 1] + q) * counts[k, 2] + counts[k, 3]
                start = _cell_start(keys, starts, tabled, row + c)
                end = _cell_start(keys, starts, tabled, row + c2 + 1)
                for m in range(start, end):
                    j = ix(m)
                    dx, dy, dz, both = places[0, j] - x, places[1, j] - y, places[2, j] - z, r + radius[j]
                    if dx * dx + dy * dy + dz * dz < both * both and m != i:
                        other = role[j]
                        pair = ((mine & 1) != 0 and (other & 2) != 0) or ((mine & 2) != 0 and (other & 1) != 0)
                        if pair and (owner[i] < 0 or owner[i] != owner[j]):
                            if n < room:
                                neighbours[first + n * stride] = j
                            n += 1
    found[i], lacks[i] = n, n - room
