"""Sides of features: the place of each nearest to a point outside, and its curvature.

A side is a point, a line or a circle with a skin, an ellipsoid, the wall of a cone or a flat face: its kind, place p,
direction d (half axes of an ellipsoid) and radius r of the skin, and two numbers more (see `columns`), in the world.
Curvature is that of the parallel surface at a distance s outside, so that edges and corners have one, too: with K that
of the side itself K (1 + s K)⁻¹.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, routine
from motiform.geometry.solids.ellipsoid_kernels import distance
from motiform.motion.contact import columns as contact_columns
from motiform.spatial.algebra import add, axpy, cross, dot, scale, sub, tmul, transform

__all__ = ["lowest", "nearest", "off_line", "outside_rim", "side_bend", "unit"]


@inline
def unit(a):
    """Return the direction and the length of a vector."""
    size = math.sqrt(dot(a, a))
    return (scale(1.0 / size, a) if size > 0.0 else a), size


@inline
def off_line(p, q, d):
    """Return the part of p − q across a direction d."""
    x = sub(p, q)
    return axpy(-dot(x, d), d, x)


@inline
def _slanted(e, d, sine):
    """Return the normal of a wall whose radial direction is e."""
    return add(scale(math.sqrt(1.0 - sine * sine), e), scale(sine, d))


@routine
def nearest(kind, p, d, r, more, R, y):
    """Return the place of a side nearest to a point y outside of it, and the normal there."""
    if kind == contact_columns.OVAL:
        off, n, _, _ = distance((d[0], d[1], d[2], 0.0), tmul(R, sub(y, p)))
        n = transform(R, n)
        return axpy(-off, n, y), n
    if kind == contact_columns.WALL:
        e, _ = unit(off_line(y, p, d))
        n = _slanted(e, d, more[1])
        return axpy(-dot(n, sub(y, p)), n, y), n
    core = p
    if kind == contact_columns.LINE:
        core = axpy(dot(sub(y, p), d), d, p)
    elif kind == contact_columns.CIRCLE:
        e, _ = unit(off_line(y, p, d))
        core = axpy(more[0], e, p)
    n, _ = unit(sub(y, core))
    return axpy(r, n, core), n


@routine
def lowest(kind, p, d, r, more, R, m):
    """Return the place of a convex side that is farthest along m, whose normal is m there."""
    if kind == contact_columns.OVAL:
        n = tmul(R, m)
        x = d[0] * d[0] * n[0], d[1] * d[1] * n[1], d[2] * d[2] * n[2]
        return add(p, transform(R, scale(1.0 / math.sqrt(dot(x, n)), x)))
    if kind == contact_columns.CIRCLE:
        e, _ = unit(axpy(-dot(m, d), d, m))
        p = axpy(more[0], e, p)
    return axpy(r, m, p)


@inline
def _squares(k, p, t1, t2):
    """Return k p pᵀ in two tangents."""
    x, y = dot(p, t1), dot(p, t2)
    return k * x * x, k * x * y, k * y * y


@inline
def _sum(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@inline
def _outward(k, s):
    """Return K (1 + s K)⁻¹ of a symmetric matrix xx xy yy."""
    whole = k[0] * k[2] - k[1] * k[1]
    det = 1.0 + s * (k[0] + k[2] + s * whole)
    return (k[0] + s * whole) / det, k[1] / det, (k[2] + s * whole) / det


@routine
def side_bend(kind, p, d, r, more, R, x, m, s, t1, t2):
    """Return the curvature of a side at its place x with normal m, s outside of it, in two tangents: xx, xy, yy."""
    k = 1.0 / (r + s)
    if kind == contact_columns.POINT:
        return k, 0.0, k
    if kind == contact_columns.LINE:
        across, _ = unit(cross(d, m))
        return _squares(k, across, t1, t2)
    if kind == contact_columns.CIRCLE:
        e, _ = unit(off_line(axpy(-r, m, x), p, d))
        along, level = cross(d, e), dot(m, e)
        around = level / (more[0] + (r + s) * level)
        return _sum(_squares(around, along, t1, t2), _squares(k, cross(along, m), t1, t2))
    if kind == contact_columns.WALL:
        e, far = unit(off_line(x, p, d))
        level = math.sqrt(1.0 - more[1] * more[1])
        return _squares(level / (far + s * level), cross(d, e), t1, t2)
    if kind == contact_columns.OVAL:  # of Σ (x/a)² = 1: the Hessian over the length of the gradient
        u, v, z = tmul(R, t1), tmul(R, t2), tmul(R, sub(x, p))
        a, b, h = 1.0 / (d[0] * d[0]), 1.0 / (d[1] * d[1]), 1.0 / (d[2] * d[2])
        _, slope = unit((a * z[0], b * z[1], h * z[2]))
        return _outward(
            (
                (a * u[0] * u[0] + b * u[1] * u[1] + h * u[2] * u[2]) / slope,
                (a * u[0] * v[0] + b * u[1] * v[1] + h * u[2] * v[2]) / slope,
                (a * v[0] * v[0] + b * v[1] * v[1] + h * v[2] * v[2]) / slope,
            ),
            s,
        )
    return 0.0, 0.0, 0.0


@routine
def outside_rim(kind, p, d, r, more, x, m, flat, least):
    """Return how far [m] a circle's normal m is beyond where its place x is nearest; −inf for other sides.

    On a flat face a circle must be tilted by the sine `least`; the sharp rim of a cylinder or a cone looks along what
    is between the normals of its end and of its wall.
    """
    if kind != contact_columns.CIRCLE:
        return -math.inf
    e, _ = unit(off_line(axpy(-r, m, x), p, d))
    if flat:
        return more[0] * (least - dot(m, e))
    if r > 0.0:
        return -math.inf
    beyond = sub(scale(math.sqrt(1.0 - more[1] * more[1]), d), scale(more[1], e))
    return -more[0] * min(dot(m, e), dot(m, beyond))
