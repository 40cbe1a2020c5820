"""Support points of convex solids, and the face, edge or point with which they look along a direction.

A solid is its kind and where its numbers begin in an array: the sizes of `Solid.sizes`, or a hull as `solids.py` packs
it. Balls and capsules are a point and a segment with a skin; what these functions return is the core.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, routine
from motiform.geometry.touch.columns import BALL, BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL
from motiform.spatial.algebra import dot, norm, scale, sub

__all__ = ["edge_of", "face_cosine", "face_of", "shows_wall", "skin", "support", "support_change"]

SIDES = 16  # of the polygon in a round face
FLAT = 1e-3  # sine of the tilt below which that polygon stays where it is
STEEP = 0.5  # cosine from which on a round face looks along a direction, not the wall
_TURN_COS, _TURN_SIN = math.cos(2.0 * math.pi / SIDES), math.sin(2.0 * math.pi / SIDES)


@inline
def _corner(F, at, k):
    i = at + 4 + 3 * k
    return F[i], F[i + 1], F[i + 2]


@inline
def _top_corner(F, at, m):
    best, most = 0, -math.inf
    for k in range(int(F[at])):
        reach = dot(_corner(F, at, k), m)
        if reach > most:
            best, most = k, reach
    return best


@inline
def skin(kind, F, at):
    """Return the radius about the core [m]."""
    return F[at] if kind in (BALL, CAPSULE) else 0.0


@routine
def support(kind, F, at, d):
    """Return the point of the core farthest along d, in the solid's frame."""
    if kind == BOX:
        return math.copysign(F[at], d[0]), math.copysign(F[at + 1], d[1]), math.copysign(F[at + 2], d[2])
    if kind == HULL:
        return _corner(F, at, _top_corner(F, at, d))
    if kind == BALL:
        return 0.0, 0.0, 0.0
    if kind == CAPSULE:
        return 0.0, math.copysign(F[at + 1], d[1]), 0.0
    if kind == ELLIPSOID:
        a, b, c = F[at], F[at + 1], F[at + 2]
        p = a * a * d[0], b * b * d[1], c * c * d[2]
        h = math.sqrt(dot(p, d))
        return scale(1.0 / h, p) if h > 0.0 else p
    rho = math.sqrt(d[0] * d[0] + d[2] * d[2])
    x, z = (d[0] / rho, d[2] / rho) if rho > 0.0 else (0.0, 0.0)
    if kind == CYLINDER:
        return F[at] * x, math.copysign(F[at + 1], d[1]), F[at] * z
    low, half, high = F[at], F[at + 1], F[at + 2]
    if low * rho - half * d[1] >= high * rho + half * d[1]:
        return low * x, -half, low * z
    return high * x, half, high * z


@routine
def support_change(kind, F, at, d, x, e):
    """Return by how much the support point x along d moves per change of d along e: the Hessian of its reach, times e.

    (A² − x xᵀ)/h of an ellipsoid with half axes A and reach h along d, (1 − u uᵀ) r/ρ of a rim; corners stay.
    """
    if kind == ELLIPSOID:
        h = dot(x, d)
        if not h > 0.0:
            return 0.0, 0.0, 0.0
        a, b, c, s = F[at], F[at + 1], F[at + 2], dot(x, e)
        return (a * a * e[0] - s * x[0]) / h, (b * b * e[1] - s * x[1]) / h, (c * c * e[2] - s * x[2]) / h
    if kind in (CYLINDER, CONE):
        square = d[0] * d[0] + d[2] * d[2]
        if not square > 0.0:
            return 0.0, 0.0, 0.0
        s = math.sqrt(x[0] * x[0] + x[2] * x[2]) * (d[0] * e[2] - d[2] * e[0]) / (square * math.sqrt(square))
        return -s * d[2], 0.0, s * d[0]
    return 0.0, 0.0, 0.0


@inline
def _put(P, row, x, y, z):
    P[row, 0], P[row, 1], P[row, 2] = x, y, z


@routine
def _round_face(radius, y, m, P, row):
    """Write the polygon in a round face at height y; where it is tilted its first corner is the lowest along m."""
    rho = math.hypot(m[0], m[2])
    c, s = (m[0] / rho, m[2] / rho) if rho > FLAT else (1.0, 0.0)
    turn = _TURN_SIN if y < 0.0 else -_TURN_SIN  # counterclockwise seen from outside
    for k in range(SIDES):
        _put(P, row + k, radius * c, y, radius * s)
        c, s = c * _TURN_COS - s * turn, s * _TURN_COS + c * turn
    return SIDES


@routine
def _box_face(F, at, m, P, row):
    x, y, z = F[at], F[at + 1], F[at + 2]
    ax, ay, az = math.fabs(m[0]), math.fabs(m[1]), math.fabs(m[2])
    if ay >= ax and ay >= az:
        s = math.copysign(1.0, m[1])
        _put(P, row, -x, s * y, -s * z)
        _put(P, row + 1, -x, s * y, s * z)
        _put(P, row + 2, x, s * y, s * z)
        _put(P, row + 3, x, s * y, -s * z)
        return 4, (0.0, s, 0.0)
    if ax >= az:
        s = math.copysign(1.0, m[0])
        _put(P, row, s * x, -s * y, -z)
        _put(P, row + 1, s * x, s * y, -z)
        _put(P, row + 2, s * x, s * y, z)
        _put(P, row + 3, s * x, -s * y, z)
        return 4, (s, 0.0, 0.0)
    s = math.copysign(1.0, m[2])
    _put(P, row, -s * x, -y, s * z)
    _put(P, row + 1, s * x, -y, s * z)
    _put(P, row + 2, s * x, y, s * z)
    _put(P, row + 3, -s * x, y, s * z)
    return 4, (0.0, 0.0, s)


@routine
def _hull_face(F, at, m, P, row):
    """Write the face that looks most along m of those at the corner farthest along it: others may be far from there."""
    top, faces = _top_corner(F, at, m), at + int(F[at + 2])
    best, most = faces, -math.inf
    for k in range(int(F[at + 1])):
        i = faces + 5 * k
        along = F[i] * m[0] + F[i + 1] * m[1] + F[i + 2] * m[2]
        if along > most:
            first = at + int(F[i + 3])
            for j in range(int(F[i + 4])):
                if int(F[first + j]) == top:
                    best, most = i, along
                    break
    first, count = at + int(F[best + 3]), int(F[best + 4])
    for k in range(count):
        x, y, z = _corner(F, at, int(F[first + k]))
        _put(P, row + k, x, y, z)
    return count, (F[best], F[best + 1], F[best + 2])


@routine
def face_of(kind, F, at, m, P, row):
    """Write the corners of the face that looks most along m, counterclockwise; return how many, and its normal.

    Cones look along their axis with their ends only; where there is no face the number is 0.
    """
    if kind == BOX:
        return _box_face(F, at, m, P, row)
    if kind == HULL:
        return _hull_face(F, at, m, P, row)
    up = math.copysign(1.0, m[1])
    if kind == CYLINDER:
        return _round_face(F[at], up * F[at + 1], m, P, row), (0.0, up, 0.0)
    if kind == CONE and (up < 0.0 or F[at + 2] > 0.0):
        return _round_face(F[at] if up < 0.0 else F[at + 2], up * F[at + 1], m, P, row), (0.0, up, 0.0)
    return 0, (0.0, 1.0, 0.0)


@routine
def _hull_cosine(F, at, m, least):
    """Return the greatest cosine above `least` of faces at the corner farthest along m, or −1."""
    best, faces, top = -1.0, at + int(F[at + 2]), -1
    for k in range(int(F[at + 1])):
        i = faces + 5 * k
        along = F[i] * m[0] + F[i + 1] * m[1] + F[i + 2] * m[2]
        if along > least and along > best:
            top = _top_corner(F, at, m) if top < 0 else top
            first = at + int(F[i + 3])
            for j in range(int(F[i + 4])):
                if int(F[first + j]) == top:
                    best = along
                    break
    return best


@routine
def face_cosine(kind, F, at, m, least):
    """Return the cosine between m and the normal of `face_of`, or −1 where it is at most `least` or there is none."""
    if kind == HULL:
        return _hull_cosine(F, at, m, least)
    cosine = -1.0
    if kind == BOX:
        cosine = max(math.fabs(m[0]), math.fabs(m[1]), math.fabs(m[2]))
    elif kind == CYLINDER or (kind == CONE and (m[1] < 0.0 or F[at + 2] > 0.0)):
        cosine = math.fabs(m[1])
    return cosine if cosine > least else -1.0


@routine
def shows_wall(kind, F, at, m):
    """Return whether a cylinder or a cone looks along m with its wall, not with the end that is farthest along it."""
    if kind == CYLINDER:
        return math.fabs(m[1]) < STEEP
    rho, low, half, high = math.hypot(m[0], m[2]), F[at], F[at + 1], F[at + 2]
    lower = low * rho - half * m[1] >= high * rho + half * m[1]
    end = -m[1] if lower else m[1]
    slope = math.hypot(low - high, 2.0 * half)
    wall = (2.0 * half * rho + (low - high) * m[1]) / slope
    return end < STEEP or end < wall or not (low if lower else high) > 0.0


@routine
def _hull_edge(F, at, m):
    """Return the edge at the corner farthest along m whose other end is farthest too."""
    top, faces = _top_corner(F, at, m), at + int(F[at + 2])
    other, most = top, -math.inf
    for k in range(int(F[at + 1])):
        first, count = at + int(F[faces + 5 * k + 3]), int(F[faces + 5 * k + 4])
        for j in range(count):
            a, b = int(F[first + j]), int(F[first + (j + 1) % count])
            if a == top:
                reach = dot(_corner(F, at, b), m)
                if reach > most:
                    other, most = b, reach
    return _corner(F, at, top), _corner(F, at, other)


@routine
def edge_of(kind, F, at, m):
    """Return the ends of the straight edge (of a wall: the line) that looks along m, and how far m is off its normal.

    The last is the sine of that angle; 1 where a kind has no straight edges.
    """
    p = q = (0.0, 0.0, 0.0)
    if kind == BOX:
        x, y, z = math.copysign(F[at], m[0]), math.copysign(F[at + 1], m[1]), math.copysign(F[at + 2], m[2])
        ax, ay, az = math.fabs(m[0]), math.fabs(m[1]), math.fabs(m[2])
        if ax <= ay and ax <= az:
            p, q = (-F[at], y, z), (F[at], y, z)
        elif ay <= az:
            p, q = (x, -F[at + 1], z), (x, F[at + 1], z)
        else:
            p, q = (x, y, -F[at + 2]), (x, y, F[at + 2])
    elif kind == CAPSULE:
        p, q = (0.0, -F[at + 1], 0.0), (0.0, F[at + 1], 0.0)
    elif kind in (CYLINDER, CONE):
        rho = math.hypot(m[0], m[2])
        if rho > 0.0:
            x, z, low, half = m[0] / rho, m[2] / rho, F[at], F[at + 1]
            high = low if kind == CYLINDER else F[at + 2]
            p, q = (low * x, -half, low * z), (high * x, half, high * z)
    elif kind == HULL:
        p, q = _hull_edge(F, at, m)
    u = sub(q, p)
    length = norm(u)
    if length > 0.0:
        return p, q, math.fabs(dot(u, m)) / length
    return p, q, 1.0
