"""Muscle paths: their points, the surfaces they wrap, their length and moment arms.

An element is one path in one posture. Its line is a list of entries in the workspace: place in the world and a code,
k for point k of the path, −1 − 2w and −2 − 2w for the first and last point on the surface of wrap w. Along a geodesic
with tangent ends the length is stationary, so that points on surfaces move with their segments, and the moment arms
are −dL/dq = Σ u · dx/dq over the ends x of the straight parts  [Sherman13].
"""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import inline, kernel, routine
from motiform.geometry.paths import columns as wrapping
from motiform.geometry.paths.wrap_kernels import wrap
from motiform.motion.actuation.muscles.paths import columns as path_columns
from motiform.motion.tree.kernels.place import function_value
from motiform.spatial.algebra import add, cross, dot, matmul, norm, scale, sub, tmul, transform

__all__ = ["path_line", "path_lines", "path_pulls"]

_SWEEPS = 200  # over the surfaces of a path, each with the line that the others leave
_STILL = 1e-13  # [m] movement of the points on surfaces at which they have settled
_TURNS = 12  # sweeps after which a surface that is met or left again ends them
_GONE, _FAR = 1e299, 1e-4  # [m] movement of points that come or go; of those that do not settle
_MARGIN = 1e-5  # [rad or m] by which conditions hold beyond their range, as in OpenSim


@inline
def _row3(a, k):
    return a[k], a[k + 1], a[k + 2]


@inline
def _pose(poses, s, segment):
    """Return rotation and origin of a segment; of the world for −1."""
    if segment < 0:
        return (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
    k = 12 * segment
    r = (
        poses[s, k],
        poses[s, k + 1],
        poses[s, k + 2],
        poses[s, k + 3],
        poses[s, k + 4],
        poses[s, k + 5],
        poses[s, k + 6],
        poses[s, k + 7],
        poses[s, k + 8],
    )
    return r, (poses[s, k + 9], poses[s, k + 10], poses[s, k + 11])


@inline
def _moved(ints, floats, point, at, axis, q, s):
    """Return a coordinate of a moving point and its slope."""
    place = ints[point + path_columns.POINT_Q + axis]
    x = q[s, place] if place >= 0 else 0.0
    low, high = floats[at + path_columns.POINT_CLAMP + 2 * axis], floats[at + path_columns.POINT_CLAMP + 2 * axis + 1]
    f, slope, _ = function_value(floats, ints[point + path_columns.POINT_FUNCTION + axis], min(max(x, low), high))
    return f, slope if low <= x <= high else 0.0


@inline
def _local(ints, floats, k, q, s):
    """Return the place of point k in its segment."""
    point, at = ints[path_columns.AT_POINTS] + k * path_columns.POINT_INTS, k * path_columns.POINT_FLOATS
    if ints[point + path_columns.POINT_MOVES] == 0:
        return _row3(floats, at)
    x, _ = _moved(ints, floats, point, at, 0, q, s)
    y, _ = _moved(ints, floats, point, at, 1, q, s)
    z, _ = _moved(ints, floats, point, at, 2, q, s)
    return x, y, z


@inline
def _is_active(ints, floats, k, q, s):
    place = ints[ints[path_columns.AT_POINTS] + k * path_columns.POINT_INTS + path_columns.POINT_IF]
    if place < 0:
        return True
    at = k * path_columns.POINT_FLOATS
    return (
        floats[at + path_columns.POINT_LOW] - _MARGIN <= q[s, place] <= floats[at + path_columns.POINT_HIGH] + _MARGIN
    )


@inline
def _entry(work, w, j):
    return work[w, 4 * j + 1], work[w, 4 * j + 2], work[w, 4 * j + 3]


@inline
def _code(work, w, j):
    return int(work[w, 4 * j + 4])


@inline
def _put(work, w, j, x, code):
    work[w, 4 * j + 1], work[w, 4 * j + 2], work[w, 4 * j + 3] = x
    work[w, 4 * j + 4] = code


@inline
def _wrap_of(code):
    """Return the number of the wrap that an entry belongs to, −1 for a point of the path."""
    return (-1 - code) // 2 if code < 0 else -1


@inline
def _object_of(ints, first, code):
    """Return the surface that an entry is on, −1 for a point of the path."""
    own = _wrap_of(code)
    return (
        ints[ints[path_columns.AT_WRAPS] + (first + own) * path_columns.WRAP_INTS + path_columns.WRAP_OBJECT]
        if own >= 0
        else -1
    )


@routine
def _begin(ints, floats, path, poses, q, s, work, w):
    """Write the active points of a path; return how many."""
    n = 0
    first = ints[path + path_columns.PATH_POINT]
    for k in range(first, first + ints[path + path_columns.PATH_POINTS]):
        if _is_active(ints, floats, k, q, s):
            R, p = _pose(
                poses, s, ints[ints[path_columns.AT_POINTS] + k * path_columns.POINT_INTS + path_columns.POINT_SEGMENT]
            )
            _put(work, w, n, add(p, transform(R, _local(ints, floats, k, q, s))), k - first)
            n += 1
    return n


@routine
def _take_out(work, w, n, own):
    """Take the points of a wrap out of the line; return how many entries remain and where they were, −1 for nowhere."""
    for j in range(n):
        if _wrap_of(_code(work, w, j)) == own:
            for i in range(j, n - 2):
                _put(work, w, i, _entry(work, w, i + 2), _code(work, w, i + 2))
            return n - 2, j
    return n, -1


@routine
def _put_in(work, w, n, j, r1, r2, own):
    """Put the points of a wrap into the line before entry j."""
    for i in range(n - 1, j - 1, -1):
        _put(work, w, i + 2, _entry(work, w, i), _code(work, w, i))
    _put(work, w, j, r1, -1 - 2 * own)
    _put(work, w, j + 1, r2, -2 - 2 * own)


@routine
def _wrap_one(ints, floats, first, own, poses, s, work, w, n):
    """Wrap the line over one surface where it fits best.

    Return the number of entries, how far its points moved, the last action, and what is to be reported.
    """
    row = ints[path_columns.AT_WRAPS] + (first + own) * path_columns.WRAP_INTS
    which = ints[row + path_columns.WRAP_OBJECT]
    thing = ints[path_columns.AT_OBJECTS] + which * path_columns.OBJECT_INTS
    at = _object_floats(ints) + which * path_columns.OBJECT_FLOATS
    Rs, ps = _pose(poses, s, ints[thing + path_columns.OBJECT_SEGMENT])
    k = at + path_columns.OBJECT_R
    R = matmul(
        Rs,
        (
            floats[k],
            floats[k + 1],
            floats[k + 2],
            floats[k + 3],
            floats[k + 4],
            floats[k + 5],
            floats[k + 6],
            floats[k + 7],
            floats[k + 8],
        ),
    )
    p = add(ps, transform(Rs, _row3(floats, at + path_columns.OBJECT_P)))
    before = n
    old1, old2 = p, p
    for j in range(n - 1):
        if _code(work, w, j) == -1 - 2 * own:
            old1, old2 = _entry(work, w, j), _entry(work, w, j + 1)
    n, _ = _take_out(work, w, n, own)
    begin, end = n, -1
    for j in range(n):
        code = _code(work, w, j)
        if ints[row + path_columns.WRAP_FIRST] <= code <= ints[row + path_columns.WRAP_LAST]:
            begin, end = min(begin, j), j
    action, report, place, least = wrapping.FREE, 0, -1, 1e300
    b1, b2, barc = p, p, 0.0
    for j in range(begin, end):
        one, two = _object_of(ints, first, _code(work, w, j)), _object_of(ints, first, _code(work, w, j + 1))
        if one >= 0 and one == two:
            continue
        x1, x2 = _entry(work, w, j), _entry(work, w, j + 1)
        q1, q2 = tmul(R, sub(x1, p)), tmul(R, sub(x2, p))
        action, r1, r2, arc = wrap(
            ints[thing + path_columns.OBJECT_KIND],
            _row3(floats, at),
            ints[thing + path_columns.OBJECT_AXIS],
            ints[thing + path_columns.OBJECT_SIGN],
            ints[row + path_columns.WRAP_METHOD],
            q1,
            q2,
        )
        if action == wrapping.INSIDE:
            report |= path_columns.INSIDE
        if action >= wrapping.WRAPPED:
            change = norm(sub(r1, q1)) + arc + norm(sub(q2, r2)) - norm(sub(q2, q1))
            if action != wrapping.WRAPPED or change < least:
                least, place, b1, b2, barc = change, j + 1, r1, r2, arc
                report = (report & ~path_columns.PLANAR) | (path_columns.PLANAR if action == wrapping.PLANAR else 0)
            if action != wrapping.WRAPPED:
                break
    moved = 0.0 if before == n else 1e300
    if place >= 0:
        new1, new2 = add(p, transform(R, b1)), add(p, transform(R, b2))
        _put_in(work, w, n, place, new1, new2, own)
        moved = max(norm(sub(new1, old1)), norm(sub(new2, old2))) if before != n else 1e300
        n += 2
    work[w, 1 + 4 * ints[path_columns.ENTRIES] + own] = barc
    return n, moved, action, report


@inline
def _object_floats(ints):
    """Return where the numbers of the surfaces begin: after those of all points."""
    return (
        (ints[path_columns.AT_WRAPS] - ints[path_columns.AT_POINTS])
        // path_columns.POINT_INTS
        * path_columns.POINT_FLOATS
    )


@routine
def _settle(ints, floats, path, poses, s, work, w, n):
    """Wrap the line over its surfaces in turn until it stays; return how many entries it has, and a report."""
    first, count = ints[path + path_columns.PATH_WRAP], ints[path + path_columns.PATH_WRAPS]
    order = 1 + 4 * ints[path_columns.ENTRIES] + ints[path_columns.WRAPS]
    for k in range(count):
        work[w, order + k] = k
    report = 0
    for sweep in range(1 if count == 1 else _SWEEPS):
        report, moved = 0, 0.0
        one, two = wrapping.WRAPPED, wrapping.WRAPPED
        for k in range(count):
            n, shift, action, said = _wrap_one(ints, floats, first, int(work[w, order + k]), poses, s, work, w, n)
            moved, report = max(moved, shift), report | said
            one, two = action if k == 0 else one, action if k == 1 else two
        if moved <= _STILL:
            return n, report
        if (sweep >= _TURNS and moved > _GONE) or (sweep >= 5 * _TURNS and moved > _FAR):
            break  # surfaces take the line from one another
        if sweep == 0 and count > 1 and one == wrapping.FREE and two == wrapping.INSIDE:
            work[w, order], work[w, order + 1] = 1.0, 0.0
            n, _ = _take_out(work, w, n, 0)
    return n, report if count == 1 else report | path_columns.UNSETTLED


@inline
def _carrier(ints, path, code):
    """Return the segment that an entry is fixed to."""
    if code >= 0:
        return ints[
            ints[path_columns.AT_POINTS]
            + (ints[path + path_columns.PATH_POINT] + code) * path_columns.POINT_INTS
            + path_columns.POINT_SEGMENT
        ]
    which = _object_of(ints, ints[path + path_columns.PATH_WRAP], code)
    return ints[ints[path_columns.AT_OBJECTS] + which * path_columns.OBJECT_INTS + path_columns.OBJECT_SEGMENT]


@inline
def _pull(ints, twists, s, one, two, x, u, arms, m):
    """Add the moment arms of a straight part along u through x: unit force on segment one, its opposite on two."""
    a = ints[ints[path_columns.AT_SEGMENTS] + one] if one >= 0 else -1
    b = ints[ints[path_columns.AT_SEGMENTS] + two] if two >= 0 else -1
    moment = cross(x, u)
    while a != b:  # columns between each segment and the common one, outermost first
        k = max(a, b)
        row = ints[path_columns.AT_COLUMNS] + k * path_columns.COLUMN_INTS
        v = ints[row + path_columns.COLUMN_V]
        turn, shift = (
            (twists[s, 6 * v], twists[s, 6 * v + 1], twists[s, 6 * v + 2]),
            (twists[s, 6 * v + 3], twists[s, 6 * v + 4], twists[s, 6 * v + 5]),
        )
        arm = dot(turn, moment) + dot(shift, u)
        if a > b:
            arms[s, m, v] += arm
            a = ints[row + path_columns.COLUMN_BEFORE]
        else:
            arms[s, m, v] -= arm
            b = ints[row + path_columns.COLUMN_BEFORE]


@inline
def _push(ints, floats, path, code, poses, q, s, u, sign, arms, m):
    """Add what a moving point's own motion in its segment changes."""
    k = ints[path + path_columns.PATH_POINT] + code
    point, at = ints[path_columns.AT_POINTS] + k * path_columns.POINT_INTS, k * path_columns.POINT_FLOATS
    if code >= 0 and ints[point + path_columns.POINT_MOVES] != 0:
        R, _ = _pose(poses, s, ints[point + path_columns.POINT_SEGMENT])
        own = tmul(R, u)
        for axis in range(3):
            v = ints[point + path_columns.POINT_V + axis]
            if v >= 0:
                _, slope = _moved(ints, floats, point, at, axis, q, s)
                arms[s, m, v] += sign * slope * (own[0] if axis == 0 else (own[1] if axis == 1 else own[2]))


@routine
def _line(ints, floats, path, poses, q, s, work, w):
    """Write the entries of a path in one posture; return how many, and a report."""
    n, report = _begin(ints, floats, path, poses, q, s, work, w), 0
    if ints[path + path_columns.PATH_WRAPS] > 0:
        n, report = _settle(ints, floats, path, poses, s, work, w, n)
    work[w, 0] = n
    return n, report


@inline
def _on_surface(one, two):
    """Return whether the line from one entry to the next lies on a surface."""
    return one < 0 and _wrap_of(one) == _wrap_of(two)


@inline
def path_line(ints, floats, poses, twists, q, s, m, work, w, lengths, arms, reports):
    """Write length [m], moment arms [m] and report of path m in posture s."""
    path = ints[path_columns.AT_PATHS] + m * path_columns.PATH_INTS
    n, report = _line(ints, floats, path, poses, q, s, work, w)
    length = 0.0
    for j in range(n - 1):
        one, two = _code(work, w, j), _code(work, w, j + 1)
        if _on_surface(one, two):
            length += work[w, 1 + 4 * ints[path_columns.ENTRIES] + _wrap_of(one)]
            continue
        x = _entry(work, w, j)
        u = sub(_entry(work, w, j + 1), x)
        part = norm(u)
        length += part
        if part > 0.0:
            u = scale(1.0 / part, u)
            _pull(ints, twists, s, _carrier(ints, path, one), _carrier(ints, path, two), x, u, arms, m)
            _push(ints, floats, path, one, poses, q, s, u, 1.0, arms, m)
            _push(ints, floats, path, two, poses, q, s, u, -1.0, arms, m)
    lengths[s, m], reports[s, m] = length, report


@kernel
def path_lines(i, slots, count, ints, floats, poses, twists, q, work, lengths, arms, reports):
    """Run of elements i: length [m], moment arms [m] and report of each path in each posture."""
    for e in range(i * count // slots, (i + 1) * count // slots):
        s, m = e // ints[path_columns.PATHS], e % ints[path_columns.PATHS]
        path_line(ints, floats, poses, twists, q, s, m, work, i, lengths, arms, reports)


@inline
def _load(poses, s, segment, x, f, wrenches):
    """Add a force at x to the wrench on a segment, about its origin."""
    if segment >= 0:
        _, p = _pose(poses, s, segment)
        moment = cross(sub(x, p), f)
        k = 6 * segment
        wrenches[s, k] += moment[0]
        wrenches[s, k + 1] += moment[1]
        wrenches[s, k + 2] += moment[2]
        wrenches[s, k + 3] += f[0]
        wrenches[s, k + 4] += f[1]
        wrenches[s, k + 5] += f[2]


@kernel
def path_pulls(s, ints, poses, lines, tensions, wrenches):
    """Posture s: the wrench of all paths under tensions [N] on each segment; `lines` are those of `path_lines`."""
    for m in range(ints[path_columns.PATHS]):
        path, e = ints[path_columns.AT_PATHS] + m * path_columns.PATH_INTS, s * ints[path_columns.PATHS] + m
        for j in range(int(lines[e, 0]) - 1):
            one, two = _code(lines, e, j), _code(lines, e, j + 1)
            x = _entry(lines, e, j)
            u = sub(_entry(lines, e, j + 1), x)
            part = norm(u)
            if part > 0.0 and not _on_surface(one, two):
                f = scale(tensions[s, m] / part, u)
                _load(poses, s, _carrier(ints, path, one), x, f, wrenches)
                _load(poses, s, _carrier(ints, path, two), x, scale(-1.0, f), wrenches)
