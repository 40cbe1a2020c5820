"""Where a ray meets a shape, and the outward normal there; all in the frame of the shape.

Each convex shape is met along an interval (enter, exit) of the ray o + t d, |d| = 1; enter > exit where it is missed.
"""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from motiform.base.kernels import routine
from motiform.geometry.search.bvh_kernels import inverse
from motiform.spatial.algebra import axpy, dot, norm, scale

__all__ = ["BALL", "BOX", "CAPSULE", "CYLINDER", "ELLIPSOID", "MESH", "first_hit", "shape_interval", "shape_normal"]

BALL, BOX, CYLINDER, CAPSULE, ELLIPSOID, MESH = range(6)


@routine
def first_hit(enter, exit):
    """Return the first positive t of the interval, or inf."""
    if enter > exit or not exit > 0.0:
        return np.inf
    return enter if enter > 0.0 else exit


@routine
def _roots(b, c, square):
    """Return both roots −b ∓ √square of t² + 2bt + c, each without cancellation."""
    if square < 0.0:
        return np.inf, -np.inf
    s = math.sqrt(square)
    if b < 0.0:
        return c / (s - b), s - b
    q = -b - s
    return q, (c / q if q < 0.0 else 0.0)


@routine
def ball_interval(o, d, r):
    """|o + t d| = r: t² + 2 (o·d) t + o·o − r² = 0; the discriminant from the distance between ray and centre."""
    b = dot(o, d)
    away = axpy(-b, d, o)
    return _roots(b, dot(o, o) - r * r, r * r - dot(away, away))


@routine
def ellipsoid_interval(o, d, radii):
    """Divided by the radii an ellipsoid is the unit ball, and t grows by the length of the divided direction."""
    o = o[0] / radii[0], o[1] / radii[1], o[2] / radii[2]
    d = d[0] / radii[0], d[1] / radii[1], d[2] / radii[2]
    stretch = norm(d)
    enter, exit = ball_interval(o, scale(1.0 / stretch, d), 1.0)
    return enter / stretch, exit / stretch


@routine
def _slab(o, d, half):
    n = inverse(d)
    a, b = (-half - o) * n, (half - o) * n
    return min(a, b), max(a, b)


@routine
def box_interval(o, d, half):
    """|x| ≤ hx, |y| ≤ hy, |z| ≤ hz: three slabs."""
    x0, x1 = _slab(o[0], d[0], half[0])
    y0, y1 = _slab(o[1], d[1], half[1])
    z0, z1 = _slab(o[2], d[2], half[2])
    return max(x0, max(y0, z0)), min(x1, min(y1, z1))


@routine
def cylinder_interval(o, d, r, half):
    """x² + z² ≤ r² and |y| ≤ half."""
    y0, y1 = _slab(o[1], d[1], half)
    a = math.sqrt(d[0] * d[0] + d[2] * d[2])
    if a < 1e-150:  # along the axis
        return (y0, y1) if o[0] * o[0] + o[2] * o[2] <= r * r else (np.inf, -np.inf)
    u, w = d[0] / a, d[2] / a
    b, across = o[0] * u + o[2] * w, o[0] * w - o[2] * u
    enter, exit = _roots(b, o[0] * o[0] + o[2] * o[2] - r * r, r * r - across * across)
    return max(y0, enter / a), min(y1, exit / a)


@routine
def capsule_interval(o, d, r, half):
    """A cylinder and a ball around each end: their union is convex, so it is one interval too."""
    enter, exit = cylinder_interval(o, d, r, half)
    if enter > exit:
        enter, exit = np.inf, -np.inf
    for end in (-half, half):
        a, b = ball_interval((o[0], o[1] - end, o[2]), d, r)
        if a <= b:
            enter, exit = min(enter, a), max(exit, b)
    return enter, exit


@routine
def shape_interval(kind, size, o, d):
    """Return where the ray is inside the shape: (enter, exit)."""
    if kind == BALL:
        return ball_interval(o, d, size[0])
    if kind == BOX:
        return box_interval(o, d, size)
    if kind == CYLINDER:
        return cylinder_interval(o, d, size[0], size[1])
    if kind == CAPSULE:
        return capsule_interval(o, d, size[0], size[1])
    return ellipsoid_interval(o, d, size)


@routine
def _box_normal(p, half):
    x, y, z = abs(p[0]) - half[0], abs(p[1]) - half[1], abs(p[2]) - half[2]
    if x >= y and x >= z:
        return math.copysign(1.0, p[0]), 0.0, 0.0
    if y >= z:
        return 0.0, math.copysign(1.0, p[1]), 0.0
    return 0.0, 0.0, math.copysign(1.0, p[2])


@routine
def _cylinder_normal(p, r, half):
    if abs(p[1]) - half > math.sqrt(p[0] * p[0] + p[2] * p[2]) - r:
        return 0.0, math.copysign(1.0, p[1]), 0.0
    return p[0], 0.0, p[2]


@routine
def shape_normal(kind, size, p):
    """Return the unit outward normal at a point of the surface."""
    n = p
    if kind == BOX:
        n = _box_normal(p, size)
    elif kind == CYLINDER:
        n = _cylinder_normal(p, size[0], size[1])
    elif kind == CAPSULE:
        n = p[0], p[1] - min(max(p[1], -size[1]), size[1]), p[2]
    elif kind == ELLIPSOID:  # the gradient of Σ (x/r)²
        n = p[0] / (size[0] * size[0]), p[1] / (size[1] * size[1]), p[2] / (size[2] * size[2])
    length = norm(n)
    return scale(1.0 / length, n) if length > 0.0 else (0.0, 1.0, 0.0)
