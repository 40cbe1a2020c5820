"""Signed distance of a cone, and rays on it; size: its lower radius, half height and upper radius."""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, routine
from motiform.geometry.solids.columns import MIDDLE
from motiform.geometry.solids.foot_kernels import NEAR, flat, revolved, side
from motiform.geometry.solids.ray_kernels import roots, slab
from motiform.spatial.algebra import axpy, dot

__all__ = ["distance", "interval"]


@inline
def distance(size, p):
    """Wall, ends and rims outside, the nearest of wall and ends inside (of equal ones the end)."""
    low, half, high = size[0], size[1], size[2]
    square = p[0] * p[0] + p[2] * p[2]
    rho = math.sqrt(square)
    ux, uz, bend = (p[0] / rho, p[2] / rho, 1.0 / rho) if square > NEAR else (1.0, 0.0, 0.0)
    length = math.sqrt((low - high) * (low - high) + 4.0 * half * half)
    c, s = 2.0 * half / length, (low - high) / length  # the wall's normal is c u + s e_y
    out, along = c * (rho - low) + s * (p[1] + half), c * (p[1] + half) - s * (rho - low)
    over, up = math.fabs(p[1]) - half, side(p[1])
    end = high if up > 0.0 else low
    if (over <= 0.0 and out <= 0.0 and over >= out) or (over > 0.0 and rho <= end and end > 0.0):
        return flat(over, (0.0, up, 0.0), MIDDLE + 3 * int(up))
    a, b, rim = (rho - high, p[1] - half, 1) if along > length else (rho - low, p[1] + half, -1)
    away = a * a + b * b
    if (over <= 0.0 and out <= 0.0) or 0.0 <= along <= length or away <= NEAR:
        return out, (c * ux, s, c * uz), revolved(c, s, 0.0, c * bend, ux, uz), MIDDLE
    r = math.sqrt(away)
    k = 1.0 / r
    m = k if rim > 0 and high == 0.0 else k * a * bend  # a point is bent alike all around
    return r, (k * a * ux, k * b, k * a * uz), revolved(k * a, k * b, k, m, ux, uz), MIDDLE + 1 + 3 * rim


@routine
def interval(size, o, d):
    """|y| ≤ half and x² + z² ≤ (m − b y)², m and b from the radii of both ends."""
    near = -dot(o, d)  # counted from the point next to the origin, where less cancels
    o = axpy(near, d, o)
    y0, y1 = slab(o[1], d[1], size[1])
    b = 0.5 * (size[0] - size[2]) / size[1]
    g, rate = 0.5 * (size[0] + size[2]) - b * o[1], b * d[1]
    A = d[0] * d[0] + d[2] * d[2] - rate * rate
    B, C = o[0] * d[0] + o[2] * d[2] + g * rate, o[0] * o[0] + o[2] * o[2] - g * g
    if A > 1e-12:
        enter, exit = roots(B / A, C / A, (B * B - A * C) / (A * A))
        return near + max(y0, enter), near + min(y1, exit)
    # Along the wall or steeper: inside of it before the first root or after the second; it passes both ends.
    first, second = _crossings(A, B, C)
    enter = y0 if (A * y0 + 2.0 * B) * y0 + C <= 0.0 else second
    exit = y1 if (A * y1 + 2.0 * B) * y1 + C <= 0.0 else first
    return near + enter, near + exit


@inline
def _crossings(A, B, C):
    """Return both roots of A t² + 2 B t + C, A ≤ 0, the lesser first; of a line, the root and an end far away."""
    if A > -1e-12:
        t = -0.5 * C / B if B != 0.0 else 0.0
        return t, t
    s = math.sqrt(max(B * B - A * C, 0.0))
    q = -B - s if B > 0.0 else -B + s
    one, other = q / A, (C / q if q != 0.0 else 0.0)
    return min(one, other), max(one, other)
