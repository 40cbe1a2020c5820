"""Where a line wraps an ellipsoid or a torus: whether and on which side, by the rules of SIMM and OpenSim.

An ellipsoid's first guess is the section by a plane through both ends and one point of the surface. Divided by the
radii the ellipsoid is a unit sphere and the section a circle, whose tangents stay tangents.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, routine
from motiform.geometry.paths.columns import AXIAL, CROSSED, ELLIPSOID, FREE, INSIDE, MIDPOINT, PLANAR, TORUS, WRAPPED
from motiform.geometry.paths.geodesic_kernels import geodesic, on_surface
from motiform.geometry.paths.round_kernels import across, along_axis, component, cylinder, on_side
from motiform.spatial.algebra import add, axpy, cross, dot, norm, scale, sub

__all__ = ["ellipsoid", "torus"]

_ORIGIN = (0.0, 0.0, 0.0)
_FAN = 12  # points of the chord whose nearest surface points are averaged
_WEAK, _STRONG = 0.7073, 0.9  # cosines between which the plane goes over from the fan's to the most parallel axis's
_EDGE = 0.3  # share of the chord near its ends where the axis counts less
_ARC = 64  # pieces of the planar section
_SAMPLES = 32  # of a line, to look for the nearest point of a ring
_BEYOND = 1e30  # [m] a cylinder without ends


@inline
def _times(a, b):
    return a[0] * b[0], a[1] * b[1], a[2] * b[2]


@inline
def _over(a, b):
    return a[0] / b[0], a[1] / b[1], a[2] / b[2]


@inline
def _clear_coordinate(p, skip):
    """Return the point with one coordinate zero."""
    return 0.0 if skip == 0 else p[0], 0.0 if skip == 1 else p[1], 0.0 if skip == 2 else p[2]


@routine
def _nearest_point(a, p, skip):
    """Return the nearest point of the ellipsoid to a point inside; of its section where coordinate `skip` is zero.

    x_i = a_i² p_i/(t + a_i²) with Σ x_i²/a_i² = 1, a decreasing function of t above −min a².
    """
    p = _clear_coordinate(p, skip)
    low = 1e300
    narrow = 0
    for k in range(3):
        radius = component(a, k)
        if k != skip and radius < low:
            low, narrow = radius, k
    if math.fabs(component(p, narrow)) < 1e-9 * low:  # on the plane between two sides: take the positive one
        shift = 1e-9 * low if component(p, narrow) >= 0.0 else -1e-9 * low
        p = add(p, along_axis(narrow, shift))
    below, above = -low * low, norm(_times(a, p))
    for _ in range(80):
        t = 0.5 * (below + above)
        total = 0.0
        for k in range(3):
            radius = component(a, k)
            if k != skip:
                share = radius * component(p, k) / (t + radius * radius)
                total += share * share
        if total > 1.0:
            below = t
        else:
            above = t
    a2 = _times(a, a)
    t = 0.5 * (below + above)
    x = a2[0] * p[0] / (t + a2[0]), a2[1] * p[1] / (t + a2[1]), a2[2] * p[2] / (t + a2[2])
    return on_surface(ELLIPSOID, a, _clear_coordinate(x, skip))


@routine
def _top(a, axis, sign, method, first, last, u):
    """Return the point of the surface that the plane goes through; first to last is the chord, u its direction."""
    chord = sub(last, first)
    middle = axpy(0.5, chord, first)
    if method == MIDPOINT:
        return _flipped(a, axis, sign, _nearest_point(a, middle, -1))
    best, most = 0, math.fabs(u[0])
    for k in range(1, 3):
        if math.fabs(component(u, k)) > most:
            best, most = k, math.fabs(component(u, k))
    along = component(chord, best)
    s = -component(first, best) / along if along != 0.0 else 0.5
    top = _nearest_point(a, axpy(s, chord, first), best)
    if method == AXIAL:
        return _flipped(a, axis, sign, top)
    strength = 0.0 if s < 0.0 or s > 1.0 else min(1.0, s / _EDGE, (1.0 - s) / _EDGE)
    if most > _WEAK:
        most = _WEAK + strength * (most - _WEAK)
    weight = min(1.0, max(0.0, (most - _WEAK) / (_STRONG - _WEAK)))
    if weight < 1.0:
        fan = _ORIGIN
        for k in range(1, _FAN):
            p = axpy(k / _FAN, chord, first)
            blade = sub(_nearest_point(a, p, -1), p)
            fan = axpy(1.0 / max(norm(blade), 1e-300), blade, fan)
        length = norm(fan)
        spread = top if length == 0.0 else on_surface(ELLIPSOID, a, axpy(norm(a) / length, fan, middle))
        top = on_surface(ELLIPSOID, a, add(scale(weight, top), scale(1.0 - weight, spread)))
    return _flipped(a, axis, sign, top)


@inline
def _flipped(a, axis, sign, top):
    if sign != 0 and not on_side(top, axis, sign):
        top = axpy(-2.0, _times(top, along_axis(axis, 1.0)), top)
    return top


@inline
def _angle(e, f, v):
    """Return the angle of v from e toward f, from 0 to 2π."""
    angle = math.atan2(dot(f, v), dot(e, v))
    return angle if angle >= 0.0 else angle + 2.0 * math.pi


@routine
def _section(a, p1, p2, top):
    """Return first and last point and length of the planar section over `top` between the tangents from both ends."""
    q1, q2, c = _over(p1, a), _over(p2, a), _over(top, a)
    n = cross(sub(q2, q1), sub(c, q1))
    size = norm(n)
    if size < 1e-12 * norm(sub(q2, q1)):
        n = cross(sub(q2, q1), across(sub(q2, q1), 0, 0))
        size = norm(n)
    n = scale(1.0 / size, n)
    centre = scale(dot(n, c), n)
    rho = math.sqrt(max(1e-18, 1.0 - dot(centre, centre)))
    v1, v2 = sub(q1, centre), sub(q2, centre)
    d1, d2 = max(norm(v1), rho), max(norm(v2), rho)
    e = scale(1.0 / norm(v1), v1)
    f = cross(n, e)
    a1, a2 = math.acos(rho / d1), math.acos(rho / d2)
    at, to = _angle(e, f, sub(c, centre)), _angle(e, f, v2)
    # to the left from +a1 to to − a2, or to the right from −a1 to to + a2 − 2π; the arc that holds the top
    begin, end = a1, to - a2
    if not (begin <= at <= end):
        begin, end = 2.0 * math.pi - a1, to + a2
        if end > begin:  # the top is beyond a tangent point: the shorter of both arcs
            if math.fabs(to - a1 - a2) < math.fabs(2.0 * math.pi - to - a1 - a2):
                begin, end = a1, to - a2
            else:
                end = begin
    length = 0.0
    first = axpy(rho * math.cos(begin), e, axpy(rho * math.sin(begin), f, centre))
    start, before = _times(first, a), _times(first, a)
    for k in range(1, _ARC + 1):
        at = begin + (end - begin) * k / _ARC
        x = _times(axpy(rho * math.cos(at), e, axpy(rho * math.sin(at), f, centre)), a)
        length += norm(sub(x, before))
        before = x
    return start, before, length


@routine
def ellipsoid(a, axis, sign, method, p1, p2):
    """Return what happens to the line from p1 to p2, its first and last point on the ellipsoid, and the arc [m]."""
    q1, q2 = _over(p1, a), _over(p2, a)
    if dot(q1, q1) < 1.0 or dot(q2, q2) < 1.0:
        return INSIDE, _ORIGIN, _ORIGIN, 0.0
    u = sub(q2, q1)
    squared = dot(u, u)
    s = -dot(q1, u) / squared if squared > 0.0 else 0.0
    near = axpy(s, u, q1)
    room = 1.0 - dot(near, near)
    if not (0.0 < s < 1.0) or room <= 0.0:
        return FREE, _ORIGIN, _ORIGIN, 0.0
    half = math.sqrt(room / squared)
    line = sub(p2, p1)
    first, last = axpy(s - half, line, p1), axpy(s + half, line, p1)
    top = _top(a, axis, sign, method, first, last, scale(1.0 / norm(line), line))
    r1, r2, length = _section(a, p1, p2, top)
    found, x1, x2, exact = geodesic(ELLIPSOID, a, p1, p2, r1, sub(r1, p1), length)
    if found:
        return CROSSED, x1, x2, exact
    return PLANAR, r1, r2, length


@inline
def _ring_gap(p1, line, s, radius):
    """Return the squared distance from a point of the line to the circle of that radius around z, and the point."""
    p = axpy(s, line, p1)
    out = math.sqrt(p[0] * p[0] + p[1] * p[1]) - radius
    return out * out + p[2] * p[2], p


@routine
def _ring_nearest(p1, p2, radius, axis, sign):
    """Return whether there is one, and the point of a ring around z nearest to the line, on the side asked for."""
    line = sub(p2, p1)
    best, place = 1e300, -1
    for k in range(_SAMPLES + 1):
        gap, p = _ring_gap(p1, line, k / _SAMPLES, radius)
        if gap < best and (sign == 0 or on_side(p, axis, sign)):
            best, place = gap, k
    low, high = max(0, place - 1) / _SAMPLES, min(_SAMPLES, place + 1) / _SAMPLES
    for _ in range(100):
        third = (high - low) / 3.0
        if _ring_gap(p1, line, low + third, radius)[0] < _ring_gap(p1, line, high - third, radius)[0]:
            high -= third
        else:
            low += third
    p = axpy(0.5 * (low + high), line, p1)
    rho = math.sqrt(p[0] * p[0] + p[1] * p[1])
    return place >= 0 and rho > 0.0, (radius * p[0] / max(rho, 1e-300), radius * p[1] / max(rho, 1e-300), 0.0)


@routine
def torus(tube, ring, axis, sign, p1, p2):
    """Return what happens to a line that is to pass through a ring around z, and its first and last point and arc.

    A cylinder along the ring where it is nearest to the line says whether it wraps, and gives the guess.
    """
    there, c = _ring_nearest(p1, p2, ring, axis, sign)
    if not there:
        return FREE, _ORIGIN, _ORIGIN, 0.0
    x = scale(-1.0 / ring, c)  # toward the middle of the ring
    y = (0.0, 0.0, -1.0)
    z = cross(x, y)
    v1, v2 = sub(p1, c), sub(p2, c)
    q1, q2 = (dot(x, v1), dot(y, v1), dot(z, v1)), (dot(x, v2), dot(y, v2), dot(z, v2))
    action, r1, r2, length = cylinder(tube, _BEYOND, 0, 1, q1, q2)
    if action < WRAPPED:
        return action, _ORIGIN, _ORIGIN, 0.0
    size = (tube, ring, 0.0)
    r1 = on_surface(TORUS, size, add(c, add(scale(r1[0], x), add(scale(r1[1], y), scale(r1[2], z)))))
    r2 = on_surface(TORUS, size, add(c, add(scale(r2[0], x), add(scale(r2[1], y), scale(r2[2], z)))))
    found, x1, x2, exact = geodesic(TORUS, size, p1, p2, r1, sub(r1, p1), length)
    if found:
        return action, x1, x2, exact
    return PLANAR, r1, r2, length
