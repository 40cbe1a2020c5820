"""Geodesics of an ellipsoid and of a torus that join two tangent lines.  [Scholz15]

A geodesic is shot from a point x of the surface along t; two Jacobi fields tell how its end moves with its start.
Newton's method finds the start, the direction and the length for which the lines from p1 and to p2 go on straight.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, routine
from motiform.geometry.paths.columns import ELLIPSOID
from motiform.spatial.algebra import add, axpy, cross, dot, norm, scale, sub

__all__ = ["geodesic", "on_surface"]

_STEP = 0.12  # of a geodesic, in smallest radii of curvature: errors of a sixth-order step are below 1e-10 of it
_MOST_STEPS = 400
_EXACT = 1e-12  # angle [rad] by which the lines may miss the tangent: rounding is a few 1e-16 times their condition
_GOOD = 1e-9  # accepted where rounding keeps it from getting better
_ITERATIONS = 40


@inline
def _unit(a):
    return scale(1.0 / max(norm(a), 1e-300), a)


@inline
def _normal(kind, size, x):
    """Return the outward unit normal at a point of the surface."""
    if kind == ELLIPSOID:
        return _unit((x[0] / (size[0] * size[0]), x[1] / (size[1] * size[1]), x[2] / (size[2] * size[2])))
    rho = max(math.sqrt(x[0] * x[0] + x[1] * x[1]), 1e-300)
    out = rho - size[1]
    return _unit((out * x[0] / rho, out * x[1] / rho, x[2]))


@routine
def _bend(kind, size, x, n, v):
    """Return how the normal turns while the point moves by a tangent vector v: the shape operator."""
    if kind == ELLIPSOID:
        a, b, c = 1.0 / (size[0] * size[0]), 1.0 / (size[1] * size[1]), 1.0 / (size[2] * size[2])
        w = scale(1.0 / norm((a * x[0], b * x[1], c * x[2])), (a * v[0], b * v[1], c * v[2]))
        return axpy(-dot(w, n), n, w)
    rho = max(math.sqrt(x[0] * x[0] + x[1] * x[1]), 1e-300)
    around = (-x[1] / rho, x[0] / rho, 0.0)
    along = cross(n, around)
    return add(
        scale(dot(v, along) / size[0], along), scale(dot(v, around) * (n[0] * x[0] + n[1] * x[1]) / (rho * rho), around)
    )


@inline
def on_surface(kind, size, x):
    """Return a point near the surface moved onto it."""
    if kind == ELLIPSOID:
        return scale(1.0 / norm((x[0] / size[0], x[1] / size[1], x[2] / size[2])), x)
    rho = max(math.sqrt(x[0] * x[0] + x[1] * x[1]), 1e-300)
    centre = (size[1] * x[0] / rho, size[1] * x[1] / rho, 0.0)
    return axpy(size[0], _unit(sub(x, centre)), centre)


@inline
def _smallest_radius(kind, size):
    if kind == ELLIPSOID:
        low, high = min(size[0], size[1], size[2]), max(size[0], size[1], size[2])
        return low * low / high
    return min(size[0], size[1] - size[0])


@routine
def _rate(kind, size, y):
    """Rate of point, direction and the two Jacobi fields: x″ = −κ n, f″ = −K f."""
    x, t = (y[0], y[1], y[2]), (y[3], y[4], y[5])
    n = _normal(kind, size, x)
    b = cross(n, t)
    wt, wb = _bend(kind, size, x, n, t), _bend(kind, size, x, n, b)
    k, g, m = dot(t, wt), dot(b, wb), dot(b, wt)
    gauss = k * g - m * m
    return t[0], t[1], t[2], -k * n[0], -k * n[1], -k * n[2], y[7], -gauss * y[6], y[9], -gauss * y[8]


@inline
def _along(y, h, k):
    return (
        y[0] + h * k[0],
        y[1] + h * k[1],
        y[2] + h * k[2],
        y[3] + h * k[3],
        y[4] + h * k[4],
        y[5] + h * k[5],
        y[6] + h * k[6],
        y[7] + h * k[7],
        y[8] + h * k[8],
        y[9] + h * k[9],
    )


@routine
def _step(kind, size, y, h):
    """Butcher's method of order 6 with seven stages.  [Hairer93 II.5]"""
    k1 = _rate(kind, size, y)
    k2 = _rate(kind, size, _along(y, h / 3.0, k1))
    k3 = _rate(kind, size, _along(y, h * 2.0 / 3.0, k2))
    k4 = _rate(kind, size, _along(_along(_along(y, h / 12.0, k1), h / 3.0, k2), -h / 12.0, k3))
    z = _along(_along(y, -h / 16.0, k1), h * 9.0 / 8.0, k2)
    k5 = _rate(kind, size, _along(_along(z, -h * 3.0 / 16.0, k3), -h * 3.0 / 8.0, k4))
    z = _along(_along(y, h * 9.0 / 8.0, k2), -h * 3.0 / 8.0, k3)
    k6 = _rate(kind, size, _along(_along(z, -h * 3.0 / 4.0, k4), h / 2.0, k5))
    z = _along(_along(_along(y, h * 9.0 / 44.0, k1), -h * 9.0 / 11.0, k2), h * 63.0 / 44.0, k3)
    k7 = _rate(kind, size, _along(_along(z, h * 18.0 / 11.0, k4), -h * 16.0 / 11.0, k6))
    y = _along(_along(_along(y, h * 11.0 / 120.0, k1), h * 27.0 / 40.0, k3), h * 27.0 / 40.0, k4)
    return _along(_along(_along(y, -h * 4.0 / 15.0, k5), -h * 4.0 / 15.0, k6), h * 11.0 / 120.0, k7)


@routine
def _integrate_geodesic(kind, size, x, t, length):
    """Return the end of a geodesic, its direction there, and both Jacobi fields with their rates."""
    y = (x[0], x[1], x[2], t[0], t[1], t[2], 1.0, 0.0, 0.0, 1.0)
    steps = min(_MOST_STEPS, max(4, 1 + int(length / (_STEP * _smallest_radius(kind, size)))))
    for _ in range(steps):
        y = _step(kind, size, y, length / steps)
    return (y[0], y[1], y[2]), (y[3], y[4], y[5]), y[6], y[7], y[8], y[9]


@inline
def _miss(kind, size, x, t, e):
    """Return normal, binormal, and how a straight line along e misses the tangent t: e·n, e·b."""
    n = _normal(kind, size, x)
    b = _unit(cross(n, t))
    return n, b, dot(e, n), dot(e, b)


@routine
def geodesic(kind, size, p1, p2, x, t, length):
    """Return whether one was found, its first and last point, and its length, from a guess (x, t, length)."""
    small = _smallest_radius(kind, size)
    last = 1e300
    x2 = x
    for _ in range(_ITERATIONS):
        x = on_surface(kind, size, x)
        n1 = _normal(kind, size, x)
        t = _unit(axpy(-dot(t, n1), n1, t))
        x2, t2, a, da, r, dr = _integrate_geodesic(kind, size, x, t, length)
        s1, s2 = sub(x, p1), sub(p2, x2)
        l1, l2 = max(norm(s1), 1e-9 * small), max(norm(s2), 1e-9 * small)
        e1, e2 = scale(1.0 / l1, s1), scale(1.0 / l2, s2)
        n1, b1, f1, g1 = _miss(kind, size, x, t, e1)
        n2, b2, f2, g2 = _miss(kind, size, x2, t2, e2)
        miss = max(math.fabs(f1), math.fabs(g1), math.fabs(f2), math.fabs(g2))
        forward = dot(e1, t) > 0.0 and dot(e2, t2) > 0.0
        if miss < _EXACT or (miss < _GOOD and miss >= last):
            return forward and length >= 0.0, x, x2, length
        last = miss
        # the start moves by s along t and β along b and turns by θ; the end by σ along t and w = a β + r θ along b
        wt, wb = _bend(kind, size, x, n1, t), _bend(kind, size, x, n1, b1)
        f1_s, f1_b = dot(e1, wt) - f1 * dot(e1, t) / l1, dot(e1, wb) - f1 * g1 / l1
        g1_s = -g1 * dot(e1, t) / l1 - dot(b1, wt) * f1
        g1_b = (1.0 - g1 * g1) / l1 - dot(b1, wb) * f1
        g1_q = -dot(e1, t)
        wt, wb = _bend(kind, size, x2, n2, t2), _bend(kind, size, x2, n2, b2)
        f2_s, f2_w = dot(e2, wt) + f2 * dot(e2, t2) / l2, dot(e2, wb) + f2 * g2 / l2
        g2_s = g2 * dot(e2, t2) / l2 - dot(b2, wt) * f2
        g2_w = -(1.0 - g2 * g2) / l2 - dot(b2, wb) * f2
        g2_q = -dot(e2, t2)
        if f1_s == 0.0 or f2_s == 0.0:
            return False, x, x2, length
        # s and σ out of the first and third equation; two equations remain for β and θ
        c11, c12 = g1_b - g1_s * f1_b / f1_s, g1_q
        h1 = -g1 + g1_s * f1 / f1_s
        w = g2_w - g2_s * f2_w / f2_s
        c21, c22 = w * a + g2_q * da, w * r + g2_q * dr
        h2 = -g2 + g2_s * f2 / f2_s
        det = c11 * c22 - c12 * c21
        if det == 0.0:
            return False, x, x2, length
        beta, theta = (h1 * c22 - c12 * h2) / det, (c11 * h2 - h1 * c21) / det
        s = -(f1 + f1_b * beta) / f1_s
        sigma = -(f2 + f2_w * (a * beta + r * theta)) / f2_s
        most = max(math.fabs(s) / small, math.fabs(beta) / small, 1.5 * math.fabs(theta), math.fabs(sigma) / small)
        damp = min(1.0, 0.6 / most) if most > 0.0 else 1.0
        x = axpy(damp * s, t, axpy(damp * beta, b1, x))
        t = axpy(damp * theta, b1, t)
        length = max(length + damp * (sigma - s), -0.5 * small)
        if not (math.fabs(length) < 1e6 * small):
            return False, x, x2, length
    return False, x, x2, length
