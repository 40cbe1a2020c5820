"""Gap and normal of two convex solids: distance by simplices [Gilbert88], depth by a growing polytope [Bergen01].

All is in the frame of the first solid, A. A pair is (kind of A, its place, kind of B, its place, R, o) with B's axes R
and origin o; `F` holds the numbers of both. N points from B to A, and x_A − x_B = gap N.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, routine
from motiform.geometry.touch.columns import (
    AT_EDGES,
    AT_FACES,
    BALL,
    CONE,
    CORNERS,
    CYLINDER,
    EDGES,
    ELLIPSOID,
    FACES,
    HULL,
)
from motiform.geometry.touch.portal_kernels import portal_normal
from motiform.geometry.touch.refine_kernels import any_normal, difference, polished, refined
from motiform.geometry.touch.support_kernels import skin
from motiform.spatial.algebra import add, axpy, cross, dot, norm, scale, sub

__all__ = ["core_gap"]

_STEPS = 64
_NONE = 1e-7  # of the size: distances whose direction would be lost to rounding
_CLOSE, _COARSE = 1e-13, 5e-2  # of the square of a distance: what simplices leave; where the normal is refined
_TIGHT, _LOOSE = 1e-9, 2e-4  # of the size: what a polytope leaves; where the normal is refined
_TILT, _SIN_60 = 0.02, math.sin(math.pi / 3.0)  # [rad] of directions about a normal, in which a polytope begins
_SHALLOW = 2e-5  # of the size: so much less the least overlap may be than one that is the least nearby


@inline
def _get(S, k):
    return S[k, 0], S[k, 1], S[k, 2]


@inline
def _own(S, k):
    return S[k, 3], S[k, 4], S[k, 5]


@routine
def _add(F, pair, d, S, k):
    w, a = difference(F, pair, d)
    S[k, 0], S[k, 1], S[k, 2] = w
    S[k, 3], S[k, 4], S[k, 5] = a
    return w


@inline
def _of_segment(a, b):
    """Return the weights of the point of a segment nearest to the origin."""
    e = sub(b, a)
    length = dot(e, e)
    t = -dot(a, e) / length if length > 0.0 else 0.0
    t = 0.0 if t < 0.0 else 1.0 if t > 1.0 else t
    return 1.0 - t, t


@routine
def _of_triangle(a, b, c):
    """Return the weights of the point of a triangle nearest to the origin [Ericson05 §5.1.5]."""
    e, f = sub(b, a), sub(c, a)
    d1, d2 = -dot(e, a), -dot(f, a)
    if d1 <= 0.0 and d2 <= 0.0:
        return 1.0, 0.0, 0.0
    d3, d4 = -dot(e, b), -dot(f, b)
    if d3 >= 0.0 and d4 <= d3:
        return 0.0, 1.0, 0.0
    d5, d6 = -dot(e, c), -dot(f, c)
    if d6 >= 0.0 and d5 <= d6:
        return 0.0, 0.0, 1.0
    n = cross(e, f)
    u, v, w = dot(n, cross(b, c)), dot(n, cross(c, a)), dot(n, cross(a, b))
    if w <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        t = d1 / (d1 - d3)
        return 1.0 - t, t, 0.0
    if v <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        t = d2 / (d2 - d6)
        return 1.0 - t, 0.0, t
    if u <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        t = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return 0.0, 1.0 - t, t
    whole = u + v + w
    if whole > 0.0:
        return u / whole, v / whole, w / whole
    return 1.0, 0.0, 0.0


@inline
def _outside(n, det, d, across):
    """Return whether a face through d with normal n has the origin on its other side, or all is flat.

    det is six times the volume with its sign, `across` the edge from d to the corner that is not on the face.
    """
    return -dot(n, d) * det < 0.0 or det * det <= 1e-28 * dot(n, n) * dot(across, across)


@routine
def _of_tetrahedron(a, b, c, d):
    """Return the weights of its point nearest to the origin, and whether that is inside.

    d is the corner that came last, on the side of a, b, c where the origin is: that face is not looked at.
    """
    best, found = math.inf, (0.0, 0.0, 0.0, 0.0)
    inside = True
    e, f, g = sub(a, d), sub(b, d), sub(c, d)
    ef, fg, ge = cross(e, f), cross(f, g), cross(g, e)
    det = dot(ef, g)
    for k in range(3):
        n, across = (ge, f) if k == 0 else (ef, g) if k == 1 else (fg, e)
        if not _outside(n, det, d, across):
            continue
        p, q, r = (a, c, d) if k == 0 else (a, d, b) if k == 1 else (b, d, c)
        inside = False
        u, v, w = _of_triangle(p, q, r)
        x = add(scale(u, p), add(scale(v, q), scale(w, r)))
        square = dot(x, x)
        if square < best:
            best = square
            if k == 0:
                found = (u, 0.0, v, w)
            elif k == 1:
                found = (u, w, 0.0, v)
            else:
                found = (0.0, u, w, v)
    return found, inside


@routine
def _nearest(S, count):
    """Return the weights of the simplex' point nearest to the origin, and whether the origin is inside of it."""
    if count == 1:
        return (1.0, 0.0, 0.0, 0.0), False
    if count == 2:
        u, v = _of_segment(_get(S, 0), _get(S, 1))
        return (u, v, 0.0, 0.0), False
    if count == 3:
        u, v, w = _of_triangle(_get(S, 0), _get(S, 1), _get(S, 2))
        return (u, v, w, 0.0), False
    return _of_tetrahedron(_get(S, 0), _get(S, 1), _get(S, 2), _get(S, 3))


@routine
def _keep(S, count, weights):
    """Drop the corners without weight; write those of the others; return how many are left."""
    left = 0
    for k in range(count):
        weight = weights[0] if k == 0 else weights[1] if k == 1 else weights[2] if k == 2 else weights[3]
        if weight > 0.0:
            for j in range(6):
                S[left, j] = S[k, j]
            S[left, 6] = weight
            left += 1
    return left


@routine
def _weighted(S, count):
    v, a = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(count):
        v, a = axpy(S[k, 6], _get(S, k), v), axpy(S[k, 6], _own(S, k), a)
    return v, a


@routine
def _first(F, pair, S):
    """Begin with a simplex of one corner; return x_A − x_B and x_A."""
    o = pair[5]
    _add(F, pair, o if norm(o) > 0.0 else (1.0, 0.0, 0.0), S, 0)
    S[0, 6] = 1.0
    return _weighted(S, 1)


@routine
def _apart(F, pair, size, S, close, v, a, count):
    """Return whether cores are apart, x_A − x_B, x_A, and of how many corners the simplex in S is.

    `close` is what may be left of the square of the distance, as a part of it. The simplex in S, of `count` corners,
    goes on from v and a.
    """
    square = dot(v, v)
    tiny = _NONE * _NONE * size * size
    for _ in range(_STEPS):
        if square <= tiny:
            return False, v, a, count
        w = _add(F, pair, scale(-1.0, v), S, count)
        if square - dot(v, w) <= close * square:
            return True, v, a, count
        again = False
        for k in range(count):
            again = again or (S[k, 0] == w[0] and S[k, 1] == w[1] and S[k, 2] == w[2])
        if again:
            return True, v, a, count
        weights, inside = _nearest(S, count + 1)
        if inside:
            return False, v, a, count + 1
        count = _keep(S, count + 1, weights)
        v1, a1 = _weighted(S, count)
        less = dot(v1, v1)
        if less >= square:
            return True, v, a, count
        v, a, square = v1, a1, less
    return True, v, a, count


# -------------------------------------------------------------------- depth
@routine
def _blow_up(F, pair, size, S, count):
    """Add corners until the simplex is a tetrahedron; return how many there are, and a normal where A − B is flat."""
    flat = 1e-10 * size
    n = (0.0, 1.0, 0.0)
    if count == 4:
        e = cross(sub(_get(S, 1), _get(S, 0)), sub(_get(S, 2), _get(S, 0)))
        if math.fabs(dot(e, sub(_get(S, 3), _get(S, 0)))) > flat * norm(e) and norm(e) > flat * flat:
            return 4, n
        count = 3
    if count == 3 and norm(cross(sub(_get(S, 1), _get(S, 0)), sub(_get(S, 2), _get(S, 0)))) <= flat * flat:
        count = 2
    if count == 2 and norm(sub(_get(S, 1), _get(S, 0))) <= flat:
        count = 1
    if count == 1:
        for k in range(6):
            side = 1.0 if k % 2 == 0 else -1.0
            d = (side, 0.0, 0.0) if k < 2 else (0.0, side, 0.0) if k < 4 else (0.0, 0.0, side)
            if norm(sub(_add(F, pair, d, S, 1), _get(S, 0))) > flat:
                count = 2
                break
    if count == 2:
        u = sub(_get(S, 1), _get(S, 0))
        u = scale(1.0 / norm(u), u)
        n = any_normal(u)
        m = cross(u, n)
        for k in range(8):
            d = add(scale(math.cos(0.25 * math.pi * k), n), scale(math.sin(0.25 * math.pi * k), m))
            if norm(cross(u, sub(_add(F, pair, d, S, 2), _get(S, 0)))) > flat:
                count = 3
                break
    if count == 3:
        n = cross(sub(_get(S, 1), _get(S, 0)), sub(_get(S, 2), _get(S, 0)))
        n = scale(1.0 / norm(n), n)
        for k in range(2):
            w = _add(F, pair, n if k == 0 else scale(-1.0, n), S, 3)
            if math.fabs(dot(n, sub(w, _get(S, 0)))) > flat:
                return 4, n
    return count, n


@routine
def _face(S, row, i, j, k):
    """Write a face of the polytope: corners, outward normal, distance of its plane."""
    a = _get(S, i)
    n = cross(sub(_get(S, j), a), sub(_get(S, k), a))
    length = norm(n)
    S[row, 0], S[row, 1], S[row, 2] = i, j, k
    if length > 0.0:
        n = scale(1.0 / length, n)
        S[row, 3], S[row, 4], S[row, 5] = n
        S[row, 6] = dot(n, a)
    else:
        S[row, 3], S[row, 4], S[row, 5] = n
        S[row, 6] = math.inf
    S[row, 7] = 1.0


@routine
def _horizon(S, edges, i, j):
    """Add an edge of a face that is taken away; one that two of them share goes."""
    for k in range(edges):
        if S[AT_EDGES + k, 0] == j and S[AT_EDGES + k, 1] == i:
            S[AT_EDGES + k, 0], S[AT_EDGES + k, 1] = S[AT_EDGES + edges - 1, 0], S[AT_EDGES + edges - 1, 1]
            return edges - 1
    if edges < EDGES:
        S[AT_EDGES + edges, 0], S[AT_EDGES + edges, 1] = i, j
        return edges + 1
    return edges


@routine
def _start(S):
    """Write the four faces of a tetrahedron, outward."""
    e = cross(sub(_get(S, 1), _get(S, 0)), sub(_get(S, 2), _get(S, 0)))
    if dot(e, sub(_get(S, 3), _get(S, 0))) > 0.0:
        for j in range(6):
            S[1, j], S[2, j] = S[2, j], S[1, j]
    _face(S, AT_FACES, 0, 1, 2)
    _face(S, AT_FACES + 1, 0, 3, 1)
    _face(S, AT_FACES + 2, 1, 3, 2)
    _face(S, AT_FACES + 3, 2, 3, 0)


@routine
def _closest_face(S, faces):
    best, least = -1, math.inf
    for k in range(faces):
        if S[AT_FACES + k, 7] > 0.0 and S[AT_FACES + k, 6] < least:
            best, least = AT_FACES + k, S[AT_FACES + k, 6]
    return best


@inline
def _grow(S, faces, corner, size):
    """Take a new corner into the polytope; return how many faces it has, or −1 where it can grow no more."""
    w, edges = _get(S, corner), 0
    for k in range(faces):
        row = AT_FACES + k
        if S[row, 7] > 0.0 and dot((S[row, 3], S[row, 4], S[row, 5]), w) > S[row, 6] + 1e-14 * size:
            S[row, 7] = 0.0
            i, j, m = int(S[row, 0]), int(S[row, 1]), int(S[row, 2])
            edges = _horizon(S, edges, i, j)
            edges = _horizon(S, edges, j, m)
            edges = _horizon(S, edges, m, i)
    free = 0
    for k in range(edges):
        while free < faces and S[AT_FACES + free, 7] > 0.0:
            free += 1
        if free == FACES:
            return -1
        _face(S, AT_FACES + free, int(S[AT_EDGES + k, 0]), int(S[AT_EDGES + k, 1]), corner)
        faces = max(faces, free + 1)
    return faces if edges > 0 else -1


@routine
def _foot(S, row, n, depth):
    """Return x_A under the foot of the origin on a face."""
    i, j, k = int(S[row, 0]), int(S[row, 1]), int(S[row, 2])
    p = scale(depth, n)
    u, v, w = _of_triangle(sub(_get(S, i), p), sub(_get(S, j), p), sub(_get(S, k), p))
    return add(scale(u, _own(S, i)), add(scale(v, _own(S, j)), scale(w, _own(S, k))))


@routine
def _seed(F, pair, n, S):
    """Begin a polytope with three corners about the one farthest against n, and the one opposite."""
    e = any_normal(n)
    f = cross(n, e)
    for k in range(3):
        c, s = (1.0, 0.0) if k == 0 else (-0.5, _SIN_60) if k == 1 else (-0.5, -_SIN_60)
        _add(F, pair, axpy(_TILT * c, e, axpy(_TILT * s, f, scale(-1.0, n))), S, k)
    _add(F, pair, n, S, 3)


@routine
def _inside(F, pair, size, S, count, curved, known, normal, place):
    """Return gap, N and x_A of cores that overlap; `known` is the gap along a normal that may be the answer, or −inf.

    It is so if no shift that is shorter by more than what a rough polytope leaves parts them.
    """
    count, n = _blow_up(F, pair, size, S, count)
    if count < 4:
        w, a = difference(F, pair, n)
        return -dot(n, w), scale(-1.0, n), a
    _start(S)
    faces, row = 4, AT_FACES
    for corner in range(4, CORNERS):
        row = _closest_face(S, faces)
        n = S[row, 3], S[row, 4], S[row, 5]
        if S[row, 6] >= -known - _LOOSE * size:
            return known, normal, place
        w = _add(F, pair, n, S, corner)
        left = dot(n, w) - S[row, 6]
        if curved and left <= _LOOSE * size:
            gap, m, a, good = refined(F, pair, size, scale(-1.0, n))
            if good:
                return gap, m, a
            curved = False
        if left <= _TIGHT * size:
            break
        more = _grow(S, faces, corner, size)
        if more < 0:
            break
        faces = more
    row = _closest_face(S, faces)
    n = S[row, 3], S[row, 4], S[row, 5]
    w, _ = difference(F, pair, n)
    return -dot(n, w), scale(-1.0, n), _foot(S, row, n, S[row, 6])


@inline
def _is_curved(kind):
    return kind in (CYLINDER, CONE, ELLIPSOID)


@routine
def _roundness(kind, F, at):
    """Return the least radius of curvature of a solid [m]: an overlap below it is the least where it is locally so."""
    if kind != ELLIPSOID:
        return 0.0
    least, most = min(F[at], F[at + 1], F[at + 2]), max(F[at], F[at + 1], F[at + 2])
    return least * least / most


@inline
def _is_smooth(kind):
    return kind in (BALL, ELLIPSOID)


@routine
def core_gap(F, pair, size, S):
    """Return gap, N and x_A of two convex solids with their skins; size [m] is a length of both together."""
    gap, n, a, good = 0.0, (0.0, 1.0, 0.0), (0.0, 0.0, 0.0), False
    if _is_smooth(pair[0]) and _is_smooth(pair[2]) and dot(pair[5], pair[5]) > 0.0:
        gap, n, a, good = polished(F, pair, size, scale(-1.0 / norm(pair[5]), pair[5]))
        good = good and gap > -max(_roundness(pair[0], F, pair[1]), _roundness(pair[2], F, pair[3]))
    if not good:
        gap, n, a = _by_simplices(F, pair, size, S)
    skins = skin(pair[0], F, pair[1]), skin(pair[2], F, pair[3])
    return gap - skins[0] - skins[1], n, axpy(-skins[0], n, a)


@routine
def _by_portal(F, pair, size, S, least):
    """Return gap, N and x_A of two cores that are curved, and whether they are found; below `least` a gap is proved."""
    n, good = portal_normal(F, pair, size)
    if not good:
        return 0.0, n, n, False
    gap, n, a, good = refined(F, pair, size, n)
    if good and gap <= least:
        _seed(F, pair, n, S)
        gap, n, a = _inside(F, pair, size, S, 4, True, gap, n, a)
    return gap, n, a, good


@routine
def _by_simplices(F, pair, size, S):
    """Return gap, N and x_A of two cores."""
    curved, good = _is_curved(pair[0]) or _is_curved(pair[2]), False
    least = -max(_SHALLOW * size, _roundness(pair[0], F, pair[1]), _roundness(pair[2], F, pair[3]))
    if curved and pair[0] != HULL and pair[2] != HULL:
        gap, n, a, good = _by_portal(F, pair, size, S, least)
        if good:
            return gap, n, a
    v, a = _first(F, pair, S)
    apart, v, a, count = _apart(F, pair, size, S, _COARSE if curved else _CLOSE, v, a, 1)
    gap, n = 0.0, (0.0, 1.0, 0.0)
    if curved and dot(v, v) > 0.0:
        gap, n, x, good = refined(F, pair, size, scale(1.0 / norm(v), v))
        good = good and (apart or gap > least)
        if good:
            a = x
        elif apart:
            apart, v, a, count = _apart(F, pair, size, S, _CLOSE, v, a, count)
    if not apart and not good:
        gap, n, a = _inside(F, pair, size, S, count, curved, -math.inf, n, a)
    elif not good:
        gap = norm(v)
        n = scale(1.0 / gap, v)
    return gap, n, a
