"""Taut lines over a sphere and over a cylinder, in closed form. The cylinder's axis is z.

Whether and on which side a line wraps follows the rules of SIMM and OpenSim. With a `sign` other than 0 the line is to
pass on the side of the surface where ``sign · x[axis] ≥ 0``.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, routine
from motiform.geometry.paths.columns import CROSSED, FREE, INSIDE, WRAPPED
from motiform.spatial.algebra import add, axpy, cross, dot, norm, scale, sub

__all__ = ["across", "along_axis", "component", "cylinder", "on_side", "sphere"]

_ORIGIN = (0.0, 0.0, 0.0)
_THROUGH = 1e-10  # sine of the angle below which a line goes through the centre


@inline
def component(p, axis):
    """Return a coordinate of a point."""
    return p[0] if axis == 0 else (p[1] if axis == 1 else p[2])


@inline
def along_axis(axis, x):
    """Return a vector of length x along an axis."""
    return x if axis == 0 else 0.0, x if axis == 1 else 0.0, x if axis == 2 else 0.0


@inline
def on_side(p, axis, sign):
    """Return whether a point is on the side where the line is to pass."""
    return (component(p, axis) >= 0.0) == (sign > 0)


@inline
def across(u, axis, sign):
    """Return a unit vector at right angles to u: toward the side asked for, or along the axis that u has least of."""
    if sign == 0:
        x, y, z = math.fabs(u[0]), math.fabs(u[1]), math.fabs(u[2])
        axis = 0 if x <= y and x <= z else (1 if y <= z else 2)
    e = along_axis(axis, -1.0 if sign < 0 else 1.0)
    e = axpy(-dot(e, u) / dot(u, u), u, e)
    length = norm(e)
    if length < 1e-9:
        e = (u[1], u[2], u[0])
        e = axpy(-dot(e, u) / dot(u, u), u, e)
        length = norm(e)
    return scale(1.0 / length, e)


@routine
def sphere(radius, axis, sign, p1, p2):
    """Return what happens to the line from p1 to p2, its first and last point on the sphere, and the arc [m]."""
    d1, d2 = norm(p1), norm(p2)
    if d1 < radius or d2 < radius:
        return INSIDE, _ORIGIN, _ORIGIN, 0.0
    u = sub(p2, p1)
    squared = dot(u, u)
    s = -dot(p1, u) / squared if squared > 0.0 else 0.0
    near = axpy(s, u, p1)
    if not (0.0 < s < 1.0) or dot(near, near) >= radius * radius:
        return FREE, _ORIGIN, _ORIGIN, 0.0
    n = cross(p1, p2)
    sine = norm(n)
    if sine > _THROUGH * d1 * d2:
        n = scale(1.0 / sine, n)
    else:
        n = cross(p1, across(u, axis, sign))
        n = scale(1.0 / norm(n), n)
    opening = math.atan2(sine, dot(p1, p2))
    a1, a2 = math.acos(radius / d1), math.acos(radius / d2)
    r1, r2 = _tangents(radius, n, p1, d1, a1, p2, d2, a2)
    action, one, two = WRAPPED, on_side(p1, axis, sign), on_side(p2, axis, sign)
    if sign != 0:
        if one or two:
            action = CROSSED
        if not (one and two):  # the long way round, where it passes on the side asked for
            l1, l2 = _tangents(radius, scale(-1.0, n), p1, d1, a1, p2, d2, a2)
            toward = add(sub(l1, p1), sub(l2, p2))
            if sign * component(toward, axis) >= 0.0:
                return action, l1, l2, radius * (2.0 * math.pi - opening - a1 - a2)
    return action, r1, r2, radius * (opening - a1 - a2)


@inline
def _tangents(radius, n, p1, d1, a1, p2, d2, a2):
    """Return where the line leaves the tangent from p1, turning about n, and where it joins that to p2."""
    e1, e2 = scale(1.0 / d1, p1), scale(1.0 / d2, p2)
    r1 = add(scale(radius * math.cos(a1), e1), scale(radius * math.sin(a1), cross(n, e1)))
    r2 = add(scale(radius * math.cos(a2), e2), scale(-radius * math.sin(a2), cross(n, e2)))
    return r1, r2


@inline
def _nearest(p1, p2):
    """Return the point of the line that is nearest to the z axis, and where it is between p1 (0) and p2 (1)."""
    u = sub(p2, p1)
    flat = u[0] * u[0] + u[1] * u[1]
    s = -(p1[0] * u[0] + p1[1] * u[1]) / flat if flat > 0.0 else 0.5
    return axpy(s, u, p1), s


@inline
def _edges(radius, p, d):
    """Return the two points, seen along z, where lines from p touch: a on the left of p as seen from the axis, b."""
    c = radius / d
    s = math.sqrt(max(0.0, 1.0 - c * c))
    x, y = p[0] / d, p[1] / d
    return (radius * (c * x - s * y), radius * (c * y + s * x), p[2]), (
        radius * (c * x + s * y),
        radius * (c * y - s * x),
        p[2],
    )


@inline
def _turn(a, b):
    """Return the angle from a to b about z, from 0 to 2π."""
    angle = math.atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1])
    return angle if angle >= 0.0 else angle + 2.0 * math.pi


@inline
def _leftward(r1a, r1b, r2a, r2b, axis, sign):
    """Return whether the line is to go round to the left: over the tangent points on the side asked for."""
    a, b = on_side(r1a, axis, sign), on_side(r1b, axis, sign)
    if a and not b:
        return True
    if b and not a:
        return False
    if on_side(r2a, axis, sign):
        return False
    if a or on_side(r2b, axis, sign):
        return True
    left, right = _turn(r1a, r2b), _turn(r2a, r1b)
    return min(left, 2.0 * math.pi - left) > min(right, 2.0 * math.pi - right)


@routine
def cylinder(radius, half, axis, sign, p1, p2):
    """Return what happens to the line from p1 to p2, its first and last point on the cylinder, and the arc [m].

    Unrolled, the line is straight: seen along the axis it is tangent, arc, tangent, and z grows in proportion.
    """
    d1, d2 = math.sqrt(p1[0] * p1[0] + p1[1] * p1[1]), math.sqrt(p2[0] * p2[0] + p2[1] * p2[1])
    if d1 < radius or d2 < radius:
        return INSIDE, _ORIGIN, _ORIGIN, 0.0
    near, s = _nearest(p1, p2)
    crosses = near[0] * near[0] + near[1] * near[1] < radius * radius and 0.0 < s < 1.0
    action = CROSSED if crosses else WRAPPED
    one, two = on_side(p1, axis, sign), on_side(p2, axis, sign)
    if not crosses:
        if sign == 0:
            return FREE, _ORIGIN, _ORIGIN, 0.0
        if (one or two) and (one == two or on_side(near, axis, sign)):
            return FREE, _ORIGIN, _ORIGIN, 0.0
    elif sign != 0 and not (one or two):
        action = WRAPPED
    r1a, r1b = _edges(radius, p1, d1)
    r2a, r2b = _edges(radius, p2, d2)
    left, right = _turn(r1a, r2b), _turn(r2a, r1b)
    leftward = left <= right if sign == 0 else _leftward(r1a, r1b, r2a, r2b, axis, sign)
    r1, r2, turn = (r1a, r2b, left) if leftward else (r1b, r2a, right)
    t1, t2 = math.sqrt(max(0.0, d1 * d1 - radius * radius)), math.sqrt(max(0.0, d2 * d2 - radius * radius))
    arc = radius * turn
    whole = t1 + arc + t2
    rise = (p2[2] - p1[2]) / whole if whole > 0.0 else 0.0
    z1, z2 = p1[2] + rise * t1, p2[2] - rise * t2
    if math.fabs(z1) > half and math.fabs(z2) > half:
        return FREE, _ORIGIN, _ORIGIN, 0.0
    return action, (r1[0], r1[1], z1), (r2[0], r2[1], z2), arc * math.sqrt(1.0 + rise * rise)
