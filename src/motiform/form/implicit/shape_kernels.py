"""Elements of implicit surfaces with a metric and an exponent of their own: points, lines, triangles, tetrahedra.

With the rows of A the axes of an element, each divided by its radius, x is at ξ = A (x − start) in its metric. There
the shortest way r from the skeleton to the point is Euclidean; its Q = Σ |rᵢ|^e stands for the squared distance.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, routine
from motiform.form.implicit.columns import ARMS, BLINN, CORNERS, EXPONENT, METRIC, SIZE, START, STRENGTH
from motiform.spatial.algebra import axpy, cross, dot, scale, sub

__all__ = ["profile", "row3", "shaped_at"]

_FLAT = 1e-24  # squared area, or sixfold volume, over that of the longest edge: flatter ones are their edges or faces


@inline
def row3(array, i, k):
    """Return three numbers of a row from column k on."""
    return array[i, k], array[i, k + 1], array[i, k + 2]


@inline
def profile(kind, s, size):
    """Return N and dN/ds: exp(−a s), or 1 − 22/9 u + 17/9 u² − 4/9 u³ with u = s/R² up to 1  [Blinn82] [Wyvill86]."""
    if kind == BLINN:
        n = math.exp(-size * s)
        return n, -size * n
    u = s / (size * size)
    if u >= 1.0:
        return 0.0, 0.0
    n = 1.0 + u * (-22.0 / 9.0 + u * (17.0 / 9.0 - 4.0 / 9.0 * u))
    return n, (-22.0 / 9.0 + u * (34.0 / 9.0 - 12.0 / 9.0 * u)) / (size * size)


@inline
def _shorter(r, other):
    return other if dot(other, other) < dot(r, r) else r


@inline
def _off_line(r, b):
    """Return the shortest way to a point r from the line between 0 and b."""
    length = dot(b, b)
    return axpy(-min(max(dot(r, b) / length, 0.0), 1.0), b, r) if length > 0.0 else r


@routine
def _off_triangle(r, b, c):
    """Return the shortest way to a point r from the triangle 0, b, c: along its normal, or from its edges."""
    side, n = sub(c, b), cross(b, c)
    area, long = dot(n, n), max(dot(b, b), dot(c, c))
    from_b = sub(r, b)
    if area > _FLAT * long * long:
        inside = dot(cross(b, r), n) >= 0.0 and dot(cross(side, from_b), n) >= 0.0 and dot(cross(r, c), n) >= 0.0
        if inside:
            return scale(dot(r, n) / area, n)
    return _shorter(_shorter(_off_line(r, b), _off_line(r, c)), _off_line(from_b, side))


@routine
def _off_tetrahedron(r, b, c, d):
    """Return the shortest way to a point r from the tetrahedron 0, b, c, d: none within, or from its faces."""
    n = cross(c, d)
    six, long = dot(b, n), max(dot(b, b), max(dot(c, c), dot(d, d)))
    if six * six > _FLAT * long * long * long:
        u, v, w = dot(r, n) / six, dot(r, cross(d, b)) / six, dot(r, cross(b, c)) / six
        if min(u, min(v, w)) >= 0.0 and u + v + w <= 1.0:
            return 0.0, 0.0, 0.0
    near = _shorter(_shorter(_off_triangle(r, b, c), _off_triangle(r, c, d)), _off_triangle(r, d, b))
    return _shorter(near, _off_triangle(sub(r, b), sub(c, b), sub(d, b)))


@inline
def _power(r, exponent):
    """Return |r|^e and its derivative."""
    size = abs(r)
    less = size ** (exponent - 1.0)
    return less * size, math.copysign(exponent * less, r)


@routine
def shaped_at(e, kind, elements, x):
    """Return value and gradient of the field of an element with a metric: N(Q), and Aᵀ dQ/dr dN/dQ."""
    one, two, three = row3(elements, e, METRIC), row3(elements, e, METRIC + 3), row3(elements, e, METRIC + 6)
    away = sub(x, row3(elements, e, START))
    r, corners, exponent = (
        (dot(one, away), dot(two, away), dot(three, away)),
        elements[e, CORNERS],
        elements[e, EXPONENT],
    )
    if corners == 2.0:
        r = _off_line(r, row3(elements, e, ARMS))
    elif corners == 3.0:
        r = _off_triangle(r, row3(elements, e, ARMS), row3(elements, e, ARMS + 3))
    elif corners == 4.0:
        r = _off_tetrahedron(r, row3(elements, e, ARMS), row3(elements, e, ARMS + 3), row3(elements, e, ARMS + 6))
    q, slope = dot(r, r), scale(2.0, r)
    if exponent != 2.0:
        u, v, w = _power(r[0], exponent), _power(r[1], exponent), _power(r[2], exponent)
        q, slope = u[0] + v[0] + w[0], (u[1], v[1], w[1])
    n, per_q = profile(kind, q, elements[e, SIZE])
    if n == 0.0:  # where a power overflows there is no slope, rather than 0 · ∞
        return 0.0, (0.0, 0.0, 0.0)
    g = scale(elements[e, STRENGTH] * per_q, slope)
    return elements[e, STRENGTH] * n, axpy(g[0], one, axpy(g[1], two, scale(g[2], three)))
