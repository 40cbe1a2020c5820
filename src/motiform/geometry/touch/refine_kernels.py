"""From a direction that is about the normal of two solids to the normal itself: faces, edges, curved surfaces.

g(N) = N · (x_A − x_B)(N), with the points of both farthest against and along N, is the gap where it is greatest. It is
so where x_A − x_B is along N for some of these points: a place on a face, the crossing of two straight lines, a
place along one, or single points. Solids that are apart have one such normal only.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, routine
from motiform.geometry.touch.columns import BOX, CAPSULE, CONE, CYLINDER
from motiform.geometry.touch.support_kernels import edge_of, support, support_change
from motiform.spatial.algebra import add, axpy, cross, dot, norm, scale, sub, tmul, transform

__all__ = ["any_normal", "difference", "polished", "refined"]

_NEARLY = 0.9  # cosine within which a face or two lines may be what the direction is about
_STRAIGHT = 0.4  # sine by which the direction may be off the normal of a line
_EXACT = 1e-9  # sine by which a normal is off a line that is across it
_ROUNDS = 8
_LEFT = 1e-7  # of the size: x_A − x_B may be so far off N; at a kink of g steps end early
_FARTHEST = 0.4  # [rad] a step of Newton's method
_DONE = 1e-6  # [rad] of a step of Newton's method: what is left of the gap is its square times a radius


@routine
def difference(F, pair, d):
    """Return the point of A − B farthest along d, and the point of A that it comes from."""
    a = support(pair[0], F, pair[1], d)
    R = pair[4]
    b = support(pair[2], F, pair[3], tmul(R, scale(-1.0, d)))
    return sub(a, add(transform(R, b), pair[5])), a


@routine
def _change(F, pair, n, w, a, e):
    """Return by how much w = x_A − x_B moves per change of N along e."""
    R = pair[4]
    m, b = tmul(R, n), tmul(R, sub(sub(a, w), pair[5]))
    own = support_change(pair[0], F, pair[1], scale(-1.0, n), a, e)
    other = support_change(pair[2], F, pair[3], m, b, tmul(R, e))
    return scale(-1.0, add(own, transform(R, other)))


@routine
def any_normal(u):
    """Return a unit vector across u."""
    ax, ay, az = math.fabs(u[0]), math.fabs(u[1]), math.fabs(u[2])
    e = (1.0, 0.0, 0.0) if ax <= ay and ax <= az else (0.0, 1.0, 0.0) if ay <= az else (0.0, 0.0, 1.0)
    n = cross(u, e)
    return scale(1.0 / norm(n), n)


@routine
def _moved(n, e, by):
    m = axpy(by, e, n)
    return scale(1.0 / norm(m), m)


# -------------------------------------------------------------------- faces
@routine
def _face(kind, F, at, m):
    """Return normal and height of the flat face that looks most along m; a height below 0 where there is none."""
    if kind == BOX:
        ax, ay, az = math.fabs(m[0]), math.fabs(m[1]), math.fabs(m[2])
        if ay >= ax and ay >= az:
            return (0.0, math.copysign(1.0, m[1]), 0.0), F[at + 1]
        if ax >= az:
            return (math.copysign(1.0, m[0]), 0.0, 0.0), F[at]
        return (0.0, 0.0, math.copysign(1.0, m[2])), F[at + 2]
    up = math.copysign(1.0, m[1])
    if kind == CYLINDER or (kind == CONE and (up < 0.0 or F[at + 2] > 0.0)):
        return (0.0, up, 0.0), F[at + 1]
    return (0.0, up, 0.0), -1.0


@routine
def _over(kind, F, at, n, y):
    """Return whether y is over the flat face with normal n."""
    if kind == BOX:
        return (
            (n[0] != 0.0 or math.fabs(y[0]) <= F[at])
            and (n[1] != 0.0 or math.fabs(y[1]) <= F[at + 1])
            and (n[2] != 0.0 or math.fabs(y[2]) <= F[at + 2])
        )
    radius = F[at + 2] if kind == CONE and n[1] > 0.0 else F[at]
    return y[0] * y[0] + y[2] * y[2] <= radius * radius


@routine
def _flat(F, pair, n):
    """Return gap, N and x_A where a face of one carries a single point of the other, and whether it is so."""
    R, o = pair[4], pair[5]
    m = tmul(R, n)
    f, height = _face(pair[2], F, pair[3], m)
    if height >= 0.0 and dot(f, m) > _NEARLY:
        across = transform(R, f)
        x = support(pair[0], F, pair[1], scale(-1.0, across))
        y = tmul(R, sub(x, o))
        if _over(pair[2], F, pair[3], f, y):
            return dot(f, y) - height, across, x, True
    f, height = _face(pair[0], F, pair[1], scale(-1.0, n))
    if height >= 0.0 and -dot(f, n) > _NEARLY:
        x = add(transform(R, support(pair[2], F, pair[3], tmul(R, scale(-1.0, f)))), o)
        if _over(pair[0], F, pair[1], f, x):
            gap = dot(f, x) - height
            return gap, scale(-1.0, f), axpy(-gap, f, x), True
    return 0.0, n, n, False


# -------------------------------------------------------------------- straight lines
@inline
def _has_line(kind):
    return kind in (BOX, CAPSULE, CYLINDER, CONE)


@routine
def _line(F, pair, n, first):
    """Return the ends of the straight edge or line of a wall of A (first) or B that looks along the other solid."""
    if first:
        return edge_of(pair[0], F, pair[1], scale(-1.0, n))
    p, q, off = edge_of(pair[2], F, pair[3], tmul(pair[4], n))
    return add(transform(pair[4], p), pair[5]), add(transform(pair[4], q), pair[5]), off


@routine
def _circle(F, pair, n, first):
    """Return unit e and s: normals of the straight line near n have N · e = s, which is not 0 on the wall of a cone."""
    kind, at = (pair[0], pair[1]) if first else (pair[2], pair[3])
    e, s = (0.0, 1.0, 0.0), 0.0
    if kind == BOX:
        m = n if first else tmul(pair[4], n)
        ax, ay, az = math.fabs(m[0]), math.fabs(m[1]), math.fabs(m[2])
        e = (1.0, 0.0, 0.0) if ax <= ay and ax <= az else (0.0, 1.0, 0.0) if ay <= az else (0.0, 0.0, 1.0)
    elif kind == CONE:
        wide, high = F[at] - F[at + 2], 2.0 * F[at + 1]
        s = wide / math.sqrt(wide * wide + high * high)
    return (e, -s) if first else (transform(pair[4], e), s)


@routine
def _crossed(F, pair, n):
    """Return gap, N and x_A where two straight lines cross, and whether it is so.

    N = (p e + q f) ± r e × f with N · e = s, N · f = z and |N| = 1.
    """
    if not (_has_line(pair[0]) and _has_line(pair[2])):
        return 0.0, n, n, False
    _, _, off = _line(F, pair, n, True)
    _, _, other = _line(F, pair, n, False)
    if off > _STRAIGHT or other > _STRAIGHT:
        return 0.0, n, n, False
    e, s = _circle(F, pair, n, True)
    f, z = _circle(F, pair, n, False)
    m, c = cross(e, f), dot(e, f)
    square, left = dot(m, m), 1.0 - s * s - z * z - c * (c - 2.0 * s * z)  # left: r² square²
    if not (square > 1e-6 and left > 0.0):
        return 0.0, n, n, False
    r = math.copysign(math.sqrt(left), dot(m, n))
    m = scale(1.0 / square, axpy(s - c * z, e, axpy(z - c * s, f, scale(r, m))))
    if not dot(m, n) > _NEARLY:
        return 0.0, n, n, False
    p, q, off = _line(F, pair, m, True)
    r, s, other = _line(F, pair, m, False)
    u, v, w = sub(q, p), sub(s, r), sub(p, r)
    a, b, c, d, e = dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w)
    det = a * c - b * b
    if not (off < _EXACT and other < _EXACT and det > 1e-6 * a * c):
        return 0.0, n, n, False
    t, z = (b * e - c * d) / det, (a * e - b * d) / det
    return dot(m, w), m, axpy(t, u, p), t >= 0.0 and t <= 1.0 and z >= 0.0 and z <= 1.0


@routine
def _onto(n, e, s):
    """Return the unit vector nearest to n with n · e = s."""
    m = axpy(-dot(n, e), e, n)
    return axpy(s, e, scale(math.sqrt((1.0 - s * s) / dot(m, m)), m))


@routine
def _along(F, pair, size, n, first):
    """Return gap, N and x_A where a straight line of A (first) or B touches a corner, a rim or a curved surface.

    Also whether it is so. N stays a normal of the line, turned about e; Newton's method finds the greatest g of those.
    """
    if not _has_line(pair[0] if first else pair[2]):
        return 0.0, n, n, False
    p, q, off = _line(F, pair, n, first)
    if off > _STRAIGHT:
        return 0.0, n, n, False
    e, s = _circle(F, pair, n, first)
    n = _onto(n, e, s)
    for _ in range(_ROUNDS):
        f = cross(e, n)
        w, a = difference(F, pair, scale(-1.0, n))
        bend = dot(w, axpy(-s, e, n)) - dot(f, _change(F, pair, n, w, a, f))
        slope = dot(w, f)
        if not bend > 0.0 or not math.fabs(slope) < 0.3 * bend:
            return 0.0, n, a, False
        n = _onto(axpy(slope / bend, f, n), e, s)
        if math.fabs(slope) < _DONE * bend:
            w, a = difference(F, pair, scale(-1.0, n))
            p, q, off = _line(F, pair, n, first)
            u = sub(q, p)
            long = norm(u)
            t = dot(sub(sub(a, w) if first else a, p), u) / long
            good = off < _EXACT and t >= 0.0 and t <= long
            good = good and (s != 0.0 or math.fabs(dot(u, e)) > (1.0 - _EXACT) * long)
            good = good and math.fabs(dot(w, cross(e, n))) <= _LEFT * size
            return dot(w, n), n, axpy(t / long, u, p) if first else a, good
    return 0.0, n, n, False


# -------------------------------------------------------------------- curved surfaces
@routine
def polished(F, pair, size, n):
    """Return gap, N and x_A with g(N) the greatest nearby, and whether it is found; it ends where g is not smooth."""
    w, a = difference(F, pair, scale(-1.0, n))
    gap, good = dot(w, n), False
    for _ in range(_ROUNDS):
        r = axpy(-gap, n, w)
        e1 = any_normal(n)
        e2 = cross(n, e1)
        w1, w2 = _change(F, pair, n, w, a, e1), _change(F, pair, n, w, a, e2)
        a11, a12, a22 = gap - dot(e1, w1), -dot(e2, w1), gap - dot(e2, w2)
        det = a11 * a22 - a12 * a12
        if not (det > 0.0 and a11 > 0.0):
            break
        b1, b2 = dot(r, e1), dot(r, e2)
        x, y = (a22 * b1 - a12 * b2) / det, (a11 * b2 - a12 * b1) / det
        step = math.hypot(x, y)
        if step > _FARTHEST:
            x, y = x * _FARTHEST / step, y * _FARTHEST / step
        good = step < _DONE
        m = _moved(_moved(n, e1, x), e2, y)
        w1, own = difference(F, pair, scale(-1.0, m))
        better = dot(w1, m)
        if better > gap:
            gap, n, w, a = better, m, w1, own
        elif not good:
            break
        if good:
            break
    return gap, n, a, good and norm(axpy(-gap, n, w)) <= _LEFT * size


@routine
def refined(F, pair, size, n):
    """Return gap, N and x_A of the normal that a direction is about, and whether it is found."""
    gap, m, a, good = _flat(F, pair, n)
    if not good:
        gap, m, a, good = _crossed(F, pair, n)
    if not good:
        gap, m, a, good = _along(F, pair, size, n, True)
    if not good:
        gap, m, a, good = _along(F, pair, size, n, False)
    if not good:
        gap, m, a, good = polished(F, pair, size, n)
    return gap, m, a, good
