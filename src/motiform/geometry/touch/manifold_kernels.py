"""The points at which two solids touch: the common part of two faces, of a face and an edge, of two edges, or one.

Faces are clipped by the sides of the other face [Sutherland74]. Results are rows of T: gap, site and N of `columns`, in
the frame of A. Points that are next to one another count once, and their order is that of their angle about the normal
in A's axes: a point keeps its place from step to step.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, routine
from motiform.geometry.touch.box_kernels import box_gap
from motiform.geometry.touch.columns import (
    AT_FIRST,
    AT_SECOND,
    AT_THIRD,
    BALL,
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    ELLIPSOID,
    FACE,
    MOST,
    PLANE,
    POLYGON,
)
from motiform.geometry.touch.distance_kernels import core_gap
from motiform.geometry.touch.segment_kernels import has_segment, segment_gap
from motiform.geometry.touch.support_kernels import edge_of, face_cosine, face_of, shows_wall, skin, support
from motiform.spatial.algebra import add, axpy, cross, dot, norm, scale, sub, tmul, transform

__all__ = ["ACROSS", "solid_gap", "touch_pair"]

_ALONG = 0.9998  # cosine from which on a face lies on the other solid
_LEVEL = 1e-3  # of the size: by so much its normal may be worse than the best one
ACROSS = 0.02  # sine up to which an edge lies on the other solid, and two edges are parallel
_EQUAL = 1e-5  # of the size: gaps that are taken for equal when points are chosen
_NEXT = 0.03  # of their extent: points so near to one another count once
_ROUNDED = 1e-4  # of the size: radius of edges, as it were; within it the normal of an edge on an edge is open
_OPEN = 0.02  # [rad] to either side from which on it is
_BISECTIONS = 12  # to 1e-4 of a right angle


@inline
def _get(P, k):
    return P[k, 0], P[k, 1], P[k, 2]


@inline
def _put(P, k, x):
    P[k, 0], P[k, 1], P[k, 2] = x


@routine
def _write(T, row, gap, site, n):
    T[row, 0] = gap
    T[row, 1], T[row, 2], T[row, 3] = site
    T[row, 4], T[row, 5], T[row, 6] = n


@routine
def solid_gap(F, pair, size, S):
    """Return gap, N and x_A of two convex solids."""
    if pair[0] == BOX and pair[2] == BOX:
        i, j = pair[1], pair[3]
        a, b = (F[i], F[i + 1], F[i + 2]), (F[j], F[j + 1], F[j + 2])
        gap, n = box_gap(a, b, pair[4], pair[5])
        if gap <= 1e-6 * size:
            return gap, n, _box_point(F, pair, n)
    if has_segment(pair[0]) and has_segment(pair[2]):
        apart, gap, n, a = segment_gap(F, pair, size)
        if apart:
            return gap, n, a
    return core_gap(F, pair, size, S)


@inline
def _box_point(F, pair, n):
    """Return where two boxes touch: on A where two edges cross, else its corner farthest against n."""
    p, q, off = edge_of(BOX, F, pair[1], scale(-1.0, n))
    r, s, other = edge_of(BOX, F, pair[3], tmul(pair[4], n))
    if off > ACROSS or other > ACROSS:
        return support(BOX, F, pair[1], scale(-1.0, n))
    r, s = add(transform(pair[4], r), pair[5]), add(transform(pair[4], s), pair[5])
    return _crossing(p, q, r, s)


@routine
def _crossing(p, q, r, s):
    """Return the point of the segment p q nearest to the line r s."""
    u, v, w = sub(q, p), sub(s, r), sub(p, r)
    a, b, c, d, e = dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w)
    det = a * c - b * b
    t = (b * e - c * d) / det if det > 1e-12 * a * c else 0.5
    t = 0.0 if t < 0.0 else 1.0 if t > 1.0 else t
    return axpy(t, u, p)


# -------------------------------------------------------------------- what a solid shows along a direction
@routine
def _shown(kind, F, at, m, P, row):
    """Write the corners of the face, edge or point of a solid that looks along m, in its frame; return how many."""
    if kind in (BALL, ELLIPSOID):
        _put(P, row, support(kind, F, at, m))
        return 1
    wall = kind == CAPSULE or ((kind in (CYLINDER, CONE)) and shows_wall(kind, F, at, m))
    if not wall:
        count, _ = face_of(kind, F, at, m, P, row)
        if count > 0:
            return count
    p, q, _ = edge_of(kind, F, at, m)
    if norm(sub(q, p)) > 0.0:
        _put(P, row, p)
        _put(P, row + 1, q)
        return 2
    _put(P, row, support(kind, F, at, m))
    return 1


@routine
def _place(P, row, count, R, o):
    for k in range(count):
        _put(P, row + k, add(transform(R, _get(P, row + k)), o))


# -------------------------------------------------------------------- clipping
@routine
def _clip_polygon(P, source, count, target, q, side):
    """Write the part of a polygon on the inner side of a plane through q; return how many corners it has."""
    kept = 0
    last = _get(P, source + count - 1)
    before = dot(side, sub(last, q))
    for k in range(count):
        p = _get(P, source + k)
        now = dot(side, sub(p, q))
        if (before <= 0.0) != (now <= 0.0) and kept < POLYGON:
            _put(P, target + kept, axpy(before / (before - now), sub(p, last), last))
            kept += 1
        if now <= 0.0 and kept < POLYGON:
            _put(P, target + kept, p)
            kept += 1
        last, before = p, now
    return kept


@routine
def _clip_segment(P, source, target, q, side):
    a, b = _get(P, source), _get(P, source + 1)
    da, db = dot(side, sub(a, q)), dot(side, sub(b, q))
    if da > 0.0 and db > 0.0:
        return 0
    if da > 0.0:
        a = axpy(da / (da - db), sub(b, a), a)
    elif db > 0.0:
        b = axpy(db / (db - da), sub(a, b), b)
    _put(P, target, a)
    _put(P, target + 1, b)
    return 2


@routine
def _clip(P, faces, count, n, shown, size):
    """Clip what is shown (at AT_SECOND) by the sides of a face (at AT_FIRST); return how many corners, and where."""
    source, target, kept = AT_SECOND, AT_THIRD, shown
    for k in range(count):
        q = _get(P, faces + k)
        side = cross(sub(_get(P, faces + (k + 1) % count), q), n)
        length = norm(side)
        if not length > 0.0:
            continue
        side = scale(1.0 / length, side)
        q = axpy(1e-9 * size, side, q)  # corners that lie on the edge stay
        if kept == 1:
            if dot(side, sub(_get(P, source), q)) > 0.0:
                return 0, source
            continue
        kept = (
            _clip_segment(P, source, target, q, side) if shown == 2 else _clip_polygon(P, source, kept, target, q, side)
        )
        if kept == 0:
            return 0, source
        source, target = target, source
    return kept, source


# -------------------------------------------------------------------- choosing points
@inline
def _away(P, k, j):
    d = sub(_get(P, k), _get(P, j))
    return dot(d, d)


@routine
def _lowest_beside(P, source, count, best, near, equal):
    """Return the lowest of the points next to one that is chosen, itself where none is lower: a thin edge is one."""
    lowest = best
    for k in range(count):
        beside = P[source + k, 4] == 0.0 and P[source + k, 5] > near and _away(P, source + k, source + best) <= near
        if beside and P[source + k, 3] < P[source + lowest, 3] - equal:
            lowest = k
    return lowest


@routine
def _choose(P, source, count, equal, first):
    """Mark the points to keep in column 4, MOST of them: the lowest, then again and again the farthest from those.

    Gaps are in column 3; of those about as low as the lowest the first is taken, so that the choice is steady. The
    `first` of the points go before the others. Points that are left are next to those, or there are too many.
    """
    least, widest, chosen = math.inf, 0.0, 0
    for k in range(count):
        P[source + k, 4], P[source + k, 5] = 0.0, math.inf
        least = min(least, P[source + k, 3])
        widest = max(widest, _away(P, source + k, source))
    for k in range(count):
        if P[source + k, 3] <= least + equal:
            chosen = k
            break
    for _ in range(MOST):
        P[source + chosen, 4] = 1.0
        best, far = chosen, -1.0
        for k in range(count):
            P[source + k, 5] = min(P[source + k, 5], _away(P, source + k, source + chosen))
            if P[source + k, 4] == 0.0 and P[source + k, 5] > _NEXT * _NEXT * widest:
                rank = P[source + k, 5] + (4.0 * widest if k < first else 0.0)
                if rank > far:
                    best, far = k, rank
        if far < 0.0:
            break
        chosen = _lowest_beside(P, source, count, best, _NEXT * _NEXT * widest, equal)


@inline
def _turn(T, row, x, y, center):
    """Return what grows with the angle of a point about the normal, from −2 to 2 instead of −π to π."""
    d = sub((T[row, 1], T[row, 2], T[row, 3]), center)
    s, c = dot(d, y), dot(d, x)
    long = math.fabs(s) + math.fabs(c)
    t = s / long if long > 0.0 else 0.0
    return t if c >= 0.0 else 2.0 - t if s >= 0.0 else -2.0 - t


@routine
def order_points(T, count):
    """Sort points by their angle about the mean, from an axis of A turned by some tenths so that no corner is on it."""
    if count < 3:
        return
    n, center = (T[0, 4], T[0, 5], T[0, 6]), (0.0, 0.0, 0.0)
    for k in range(count):
        center = axpy(1.0 / count, (T[k, 1], T[k, 2], T[k, 3]), center)
    e = (1.0, 0.0, 0.3) if math.fabs(n[0]) < 0.9 else (0.0, 1.0, 0.3)
    y = cross(n, e)
    x = cross(y, n)
    for k in range(1, count):
        j = k
        while j > 0 and _turn(T, j - 1, x, y, center) > _turn(T, j, x, y, center):
            for i in range(7):
                T[j, i], T[j - 1, i] = T[j - 1, i], T[j, i]
            j -= 1


@routine
def _points(P, source, count, q, n, skins, flip, size, T):
    """Write the points of what is shown over the plane through q with normal n; flip: the plane is A's."""
    for k in range(count):
        P[source + k, 3] = dot(n, sub(_get(P, source + k), q)) - skins
    _choose(P, source, count, _EQUAL * size, 0)
    normal = scale(-1.0, n) if flip else n
    kept = 0
    for k in range(count):
        if P[source + k, 4] > 0.0:
            gap = P[source + k, 3]
            site = axpy(-skins - 0.5 * gap, n, _get(P, source + k))
            _write(T, kept, gap, site, normal)
            kept += 1
    order_points(T, kept)
    return kept


@routine
def _on_face(F, pair, size, n, gap, first, S, T):
    """Let one solid's face (A's where first) carry what the other shows; return how many points, 0 where none."""
    R, o = pair[4], pair[5]
    own, at = (pair[0], pair[1]) if first else (pair[2], pair[3])
    other, there = (pair[2], pair[3]) if first else (pair[0], pair[1])
    m = scale(-1.0, n) if first else tmul(R, n)
    count, normal = face_of(own, F, at, m, S, AT_FIRST)
    if not first:
        normal = transform(R, normal)
        _place(S, AT_FIRST, count, R, o)
    skins = skin(other, F, there)
    down = scale(-1.0, normal)
    if first:
        x = add(transform(R, support(other, F, there, tmul(R, down))), o)
    else:
        x = support(other, F, there, down)
    level = dot(sub(x, _get(S, AT_FIRST)), normal)
    if level - skins < gap - _LEVEL * size:
        return 0
    shown = _shown(other, F, there, tmul(R, down) if first else down, S, AT_SECOND)
    if first:
        _place(S, AT_SECOND, shown, R, o)
    kept, source = _clip(S, AT_FIRST, count, normal, shown, size)
    return _points(S, source, kept, _get(S, AT_FIRST), normal, skins, first, size, T)


@routine
def _on_edges(F, pair, size, n, S, T):
    """Let parallel edges touch at the two ends of their common part; return 2, or 0 where there are none."""
    R, o = pair[4], pair[5]
    p, q, off = edge_of(pair[0], F, pair[1], scale(-1.0, n))
    r, s, other = edge_of(pair[2], F, pair[3], tmul(R, n))
    if off > ACROSS or other > ACROSS:
        return 0
    r, s = add(transform(R, r), o), add(transform(R, s), o)
    u, v = sub(q, p), sub(s, r)
    long, wide = norm(u), norm(v)
    c = dot(u, v) / (long * wide)
    if 1.0 - c * c > ACROSS * ACROSS:
        return 0
    u = scale(1.0 / long, u)
    a, b = dot(sub(r, p), u), dot(sub(s, p), u)
    low, high = max(0.0, min(a, b)), min(long, max(a, b))
    if not high - low > 1e-3 * size:
        return 0
    skins = skin(pair[0], F, pair[1]), skin(pair[2], F, pair[3])
    for k in range(2):
        x = axpy(low if k == 0 else high, u, p)
        t = dot(sub(x, r), v) / (wide * wide)
        y = axpy(t, v, r)
        gap = dot(n, sub(x, y)) - skins[0] - skins[1]
        _write(T, k, gap, axpy(-skins[0] - 0.5 * gap, n, x), n)
    return 2


# -------------------------------------------------------------------- normals that geometry leaves open
@routine
def _gap_along(F, pair, n):
    """Return the gap of two solids along a direction."""
    x = support(pair[0], F, pair[1], scale(-1.0, n))
    y = add(transform(pair[4], support(pair[2], F, pair[3], tmul(pair[4], n))), pair[5])
    return dot(n, sub(x, y)) - skin(pair[0], F, pair[1]) - skin(pair[2], F, pair[3])


@inline
def _turned(n, e, angle):
    return axpy(math.sin(angle), e, scale(math.cos(angle), n))


@routine
def _farthest_turn(F, pair, n, e, least):
    """Return the angle by which n may turn toward e before the gap along it is less than `least`."""
    if _gap_along(F, pair, _turned(n, e, _OPEN)) < least:
        return 0.0
    low, high = _OPEN, 0.5 * math.pi
    for _ in range(_BISECTIONS):
        angle = 0.5 * (low + high)
        if _gap_along(F, pair, _turned(n, e, angle)) < least:
            high = angle
        else:
            low = angle
    return low


@routine
def _open_normal(F, pair, load, size, kept, T):
    """Turn the normal of two points, the ends of a line at which solids touch.

    An edge on an edge may press along all directions between the faces beside them: along the load, as near as they
    allow; in the middle without any.
    """
    lowest = math.inf
    for k in range(kept):
        lowest = min(lowest, T[k, 0])
    one, two, low = -1, -1, lowest + _LEVEL * size
    for k in range(kept):
        if T[k, 0] <= low:
            if two >= 0:
                return
            one, two = (k, -1) if one < 0 else (one, k)
    if two < 0:
        return
    n = (T[one, 4], T[one, 5], T[one, 6])
    u = sub((T[two, 1], T[two, 2], T[two, 3]), (T[one, 1], T[one, 2], T[one, 3]))
    length = norm(u)
    if not length > 0.0:
        return
    e = cross(scale(1.0 / length, u), n)
    least = _gap_along(F, pair, n) - _ROUNDED * size
    forth, back = _farthest_turn(F, pair, n, e, least), _farthest_turn(F, pair, n, scale(-1.0, e), least)
    if forth + back == 0.0:
        return
    along, across = dot(load, n), dot(load, e)
    angle = math.atan2(across, along) if along != 0.0 or across != 0.0 else 0.5 * (forth - back)
    n = _turned(n, e, min(forth, max(-back, angle)))
    for k in (one, two):
        T[k, 4], T[k, 5], T[k, 6] = n


@routine
def touch_pair(F, pair, load, size, reach, S, T):
    """Write the points at which two convex solids touch, or may soon; return their number and the gap of both.

    Beyond `reach` [m] the number is 0. B may be a plane or a face, which hold nothing but what is above them.
    """
    if pair[2] == PLANE or pair[2] == FACE:
        return _on_ground(F, pair, size, S, T)
    gap, n, a = solid_gap(F, pair, size, S)
    if gap > reach:
        return 0, gap
    crossed = pair[0] != pair[2] or pair[0] == BALL or 1.0 - pair[4][4] * pair[4][4] > ACROSS * ACROSS
    if has_segment(pair[0]) and has_segment(pair[2]) and crossed:
        _write(T, 0, gap, axpy(-0.5 * gap, n, a), n)
        return 1, gap
    mine = face_cosine(pair[0], F, pair[1], scale(-1.0, n), _ALONG)
    theirs = face_cosine(pair[2], F, pair[3], tmul(pair[4], n), _ALONG)
    kept, first = 0, mine > theirs + 1e-6
    if max(mine, theirs) > _ALONG:
        kept = _on_face(F, pair, size, n, gap, first, S, T)
        if kept == 0 and min(mine, theirs) > _ALONG:
            kept = _on_face(F, pair, size, n, gap, not first, S, T)
    if kept == 0:
        kept = _on_edges(F, pair, size, n, S, T)
    if kept >= 2:
        _open_normal(F, pair, load, size, kept, T)
    lowest, highest = math.inf, 0
    for k in range(kept):
        lowest = min(lowest, T[k, 0])
        highest = k if T[k, 0] > T[highest, 0] else highest
    if lowest > gap + _LEVEL * size:  # none is where they are nearest
        _write(T, kept if kept < MOST else highest, gap, axpy(-0.5 * gap, n, a), n)
        kept = min(kept + 1, MOST)
    return kept, gap


@routine
def _on_ground(F, pair, size, S, T):
    """Let a plane or a face carry a solid."""
    R, o = pair[4], pair[5]
    n = (R[1], R[4], R[7])
    skins = skin(pair[0], F, pair[1])
    down = scale(-1.0, n)
    gap = dot(n, sub(support(pair[0], F, pair[1], down), o)) - skins
    shown = _shown(pair[0], F, pair[1], down, S, AT_SECOND)
    source = AT_SECOND
    if pair[2] == FACE:
        x, z = F[pair[3]], F[pair[3] + 1]
        _put(S, AT_FIRST, (-x, 0.0, -z))
        _put(S, AT_FIRST + 1, (-x, 0.0, z))
        _put(S, AT_FIRST + 2, (x, 0.0, z))
        _put(S, AT_FIRST + 3, (x, 0.0, -z))
        _place(S, AT_FIRST, 4, R, o)
        shown, source = _clip(S, AT_FIRST, 4, n, shown, size)
        if shown == 0:
            return 0, math.inf
    return _points(S, source, shown, o, n, skins, False, size, T), gap
