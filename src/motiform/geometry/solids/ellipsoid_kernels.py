"""Signed distance of an ellipsoid, and rays on it; size: its half axes."""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, routine
from motiform.geometry.solids.columns import MIDDLE
from motiform.geometry.solids.ray_kernels import ball_interval
from motiform.spatial.algebra import cross, dot, norm, scale

__all__ = ["distance", "interval", "normal"]

_FLOOR = 1e-20  # of the shortest half axis: a point on the plane across it is taken so far off that plane
_ROUNDS, _EXACT = 60, 1e-16
_FLAT = 1e-9  # det(1 + d S) below which the point is a centre of curvature


@inline
def _foot(size, a, b):
    """Return s of the foot r² p/(b + s), where Σ (a/(b + s))² = 1, a = r |p|, b = r² − r_min², and s > 0 the largest.

    Newton's method on 1/|w| − 1, concave and nearly a line far out [MoreSorensen83], comes to it from below.
    """
    s = max(a[0] - b[0], a[1] - b[1], a[2] - b[2])
    for _ in range(_ROUNDS):
        u, v, w = a[0] / (b[0] + s), a[1] / (b[1] + s), a[2] / (b[2] + s)
        g = u * u + v * v + w * w
        step = g * (math.sqrt(g) - 1.0) / (u * u / (b[0] + s) + v * v / (b[1] + s) + w * w / (b[2] + s))
        s += step
        if not step > _EXACT * s:
            break
    return s


@inline
def _bend(size, q, n, d):
    """Return the Hessian S (1 + d S)⁻¹, S the shape operator at the foot, whose gradient is q = foot/r²."""
    e = (n[1], -n[0], 0.0) if abs(n[2]) < 0.7 else (0.0, n[2], -n[1])
    e = scale(1.0 / norm(e), e)
    f = cross(n, e)
    k = 1.0 / norm(q)
    i, j, m = k / (size[0] * size[0]), k / (size[1] * size[1]), k / (size[2] * size[2])
    a = i * e[0] * e[0] + j * e[1] * e[1] + m * e[2] * e[2]
    b = i * e[0] * f[0] + j * e[1] * f[1] + m * e[2] * f[2]
    c = i * f[0] * f[0] + j * f[1] * f[1] + m * f[2] * f[2]
    whole = a * c - b * b
    det = 1.0 + d * (a + c + d * whole)
    if not abs(det) > _FLAT:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    a, b, c = (a + d * whole) / det, b / det, (c + d * whole) / det
    x, y, z = e
    u, v, w = f
    return (
        a * x * x + 2.0 * b * x * u + c * u * u, a * x * y + b * (x * v + y * u) + c * u * v,
        a * x * z + b * (x * w + z * u) + c * u * w, a * y * y + 2.0 * b * y * v + c * v * v,
        a * y * z + b * (y * w + z * v) + c * v * w, a * z * z + 2.0 * b * z * w + c * w * w,
    )  # fmt: skip


@routine
def distance(size, p):
    """Distance along the normal through the foot; of two or more feet, inside, that on the side where the point is."""
    x, y, z = size[0], size[1], size[2]
    least = min(x, y, z)
    px, py, pz = abs(p[0]), abs(p[1]), abs(p[2])
    if least == x:
        px = max(px, _FLOOR * x)
    elif least == y:
        py = max(py, _FLOOR * y)
    else:
        pz = max(pz, _FLOOR * z)
    b = (x - least) * (x + least), (y - least) * (y + least), (z - least) * (z + least)
    s = _foot(size, (x * px, y * py, z * pz), b)
    q = px / (b[0] + s), py / (b[1] + s), pz / (b[2] + s)
    q = math.copysign(q[0], p[0]), math.copysign(q[1], p[1]), math.copysign(q[2], p[2])
    n = scale(1.0 / norm(q), q)
    d = dot(n, (p[0] - x * x * q[0], p[1] - y * y * q[1], p[2] - z * z * q[2]))
    return d, n, _bend(size, q, n, d), MIDDLE


@routine
def interval(size, o, d):
    """Divided by the radii an ellipsoid is the unit ball, and t grows by the length of the divided direction."""
    o = o[0] / size[0], o[1] / size[1], o[2] / size[2]
    d = d[0] / size[0], d[1] / size[1], d[2] / size[2]
    stretch = norm(d)
    enter, exit = ball_interval(o, scale(1.0 / stretch, d), 1.0)
    return enter / stretch, exit / stretch


@routine
def normal(size, p):
    """Return the outward unit normal at a point of the surface: along the gradient of Σ (x/r)²."""
    n = p[0] / (size[0] * size[0]), p[1] / (size[1] * size[1]), p[2] / (size[2] * size[2])
    length = norm(n)
    return scale(1.0 / length, n) if length > 0.0 else (0.0, 1.0, 0.0)
