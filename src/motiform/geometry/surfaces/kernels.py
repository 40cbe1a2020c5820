"""Surfaces for kernels: foot, normal and curvature on tuples.

A surface is five numbers from `at` on: its kind, its sign (−1 from inside) and three lengths. A vector is (x, y, z).
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, routine
from motiform.spatial.algebra import axpy, dot, norm, scale, sub

__all__ = ["KINDS", "surface_foot", "surface_line", "surface_line_turn", "surface_rim", "surface_shape"]

PLANE, SPHERE, CYLINDER, CONE, TORUS, ELLIPSOID, CIRCLE = 0, 1, 2, 3, 4, 5, 6
KINDS = {
    "plane": PLANE,
    "sphere": SPHERE,
    "cylinder": CYLINDER,
    "cone": CONE,
    "torus": TORUS,
    "ellipsoid": ELLIPSOID,
    "circle": CIRCLE,
}
"""Surfaces that kernels know; the cone's lengths are sine and cosine of its half angle."""
_SWEEPS = 50  # Newton steps of a projection on an ellipsoid; a handful is used


@inline
def _around(x):
    """Return the directions away from the z axis and around it, and the distance from it."""
    rho = math.sqrt(x[0] * x[0] + x[1] * x[1])
    c, s = x[0] / rho, x[1] / rho
    return (c, s, 0.0), (-s, c, 0.0), rho


@inline
def _on_ellipsoid(a, b, c, x):
    """Go down the gradient of F = ½ (Σ x²/a² − 1) to F = 0: quadratic.  [ContactJoints 3]"""
    g = (x[0] / (a * a), x[1] / (b * b), x[2] / (c * c))
    for _ in range(_SWEEPS):
        step = 0.5 * (dot(g, x) - 1.0) / dot(g, g)
        x = axpy(-step, g, x)
        moved = math.fabs(step) * norm(g)
        g = (x[0] / (a * a), x[1] / (b * b), x[2] / (c * c))
        if not moved > 1e-9 * norm(x):  # the next step would be its square
            step = 0.5 * (dot(g, x) - 1.0) / dot(g, g)
            x = axpy(-step, g, x)
            g = (x[0] / (a * a), x[1] / (b * b), x[2] / (c * c))
            break
    return x, scale(1.0 / norm(g), g)


@routine
def surface_foot(numbers, at, x, n):
    """Return the foot of a point on a surface and the outward normal there; only an edge asks for the normal n."""
    kind, sign = int(numbers[at]), numbers[at + 1]
    a, b, c = numbers[at + 2], numbers[at + 3], numbers[at + 4]
    if kind == PLANE:
        return (x[0], x[1], 0.0), (0.0, 0.0, 1.0)
    if kind == SPHERE:
        m = scale(1.0 / norm(x), x)
        return scale(a, m), scale(sign, m)
    if kind == ELLIPSOID:
        foot, m = _on_ellipsoid(a, b, c, x)
        return foot, scale(sign, m)
    out, around, rho = _around(x)
    if kind == CYLINDER:
        return (a * out[0], a * out[1], x[2]), scale(sign, out)
    if kind == CONE:
        s = a * rho + b * x[2]  # along the generator; a, b are sine and cosine
        return (s * a * out[0], s * a * out[1], s * b), (sign * b * out[0], sign * b * out[1], -sign * a)
    if kind == TORUS:
        ring = scale(a, out)
        m = sub(x, ring)
        m = scale(1.0 / norm(m), m)
        return axpy(b, m, ring), scale(sign, m)
    m = axpy(-dot(n, around), around, n)
    return scale(a, out), scale(1.0 / norm(m), m)


@routine
def surface_shape(numbers, at, x, t1, t2):
    """Return the curvature (K11, K12, K22) of a smooth surface in the basis t1, t2.  [ContactJoints 3]"""
    kind, sign = int(numbers[at]), numbers[at + 1]
    a, b, c = numbers[at + 2], numbers[at + 3], numbers[at + 4]
    if kind == PLANE:
        return 0.0, 0.0, 0.0
    if kind == SPHERE:
        return sign / a, 0.0, sign / a
    if kind == ELLIPSOID:
        d = (1.0 / (a * a), 1.0 / (b * b), 1.0 / (c * c))
        s = sign / norm((d[0] * x[0], d[1] * x[1], d[2] * x[2]))
        e1 = (d[0] * t1[0], d[1] * t1[1], d[2] * t1[2])
        return s * dot(e1, t1), s * dot(e1, t2), s * (d[0] * t2[0] ** 2 + d[1] * t2[1] ** 2 + d[2] * t2[2] ** 2)
    _, around, rho = _around(x)  # surfaces of revolution: K = even 1 + ring d dᵀ, d the direction around the axis
    if kind == CYLINDER:
        even, ring = 0.0, sign / a
    elif kind == CONE:
        even, ring = 0.0, sign * b / rho
    else:
        even, ring = sign / b, -sign * a / (b * rho)
    d1, d2 = dot(around, t1), dot(around, t2)
    return even + ring * d1 * d1, ring * d1 * d2, even + ring * d2 * d2


@inline
def surface_rim(numbers, at, x, r, sign):
    """Return the direction (d1, d2) of an edge in L and its curvature n·r̂/a, with the normal sign·L's third axis."""
    out, around, _ = _around(x)
    d1 = r[0] * around[0] + r[3] * around[1]
    d2 = r[1] * around[0] + r[4] * around[1]
    size = math.sqrt(d1 * d1 + d2 * d2)
    return d1 / size, d2 / size, sign * (r[2] * out[0] + r[5] * out[1]) / numbers[at + 2]


@inline
def surface_line_turn(numbers, at, x, t1, across):
    """Return how fast the line of a cylinder or cone turns about the normal as the contact moves across it."""
    if int(numbers[at]) == CONE:
        return across / dot(t1, x)
    return 0.0


@inline
def surface_line(numbers, at, x):
    """Return the direction of the straight line of a cylinder or cone at a point."""
    if int(numbers[at]) == CONE:
        return scale(1.0 / norm(x), x)
    return 0.0, 0.0, 1.0
