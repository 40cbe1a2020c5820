"""Signed distance of a cylinder, and rays on it; size: its radius and half height."""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from motiform.base.kernels import inline, routine
from motiform.geometry.solids.columns import MIDDLE
from motiform.geometry.solids.foot_kernels import NEAR, beyond, flat, revolved, side
from motiform.geometry.solids.ray_kernels import roots, slab

__all__ = ["distance", "interval"]


@inline
def distance(size, p):
    """Wall, ends and rims outside, the nearest of wall and ends inside (of equal ones the end)."""
    square = p[0] * p[0] + p[2] * p[2]
    rho = math.sqrt(square)
    out, over = rho - size[0], math.fabs(p[1]) - size[1]
    ux, uz, bend = (p[0] / rho, p[2] / rho, 1.0 / rho) if square > NEAR else (1.0, 0.0, 0.0)
    e, _, end = beyond(p[1], size[1])
    vx, vz = out * ux, out * uz
    away = vx * vx + e * e + vz * vz
    if out > 0.0 and over > 0.0 and away > NEAR:
        r = math.sqrt(away)
        k = 1.0 / r
        return r, (k * vx, k * e, k * vz), revolved(k * out, k * e, k, k * out * bend, ux, uz), MIDDLE + 1 + 3 * end
    if over >= out:
        return flat(over, (0.0, side(p[1]), 0.0), MIDDLE + 3 * int(side(p[1])))
    return out, (ux, 0.0, uz), revolved(1.0, 0.0, 0.0, bend, ux, uz), MIDDLE


@routine
def interval(size, o, d):
    """x² + z² ≤ r² and |y| ≤ half."""
    r = size[0]
    y0, y1 = slab(o[1], d[1], size[1])
    a = math.sqrt(d[0] * d[0] + d[2] * d[2])
    if a < 1e-150:  # along the axis
        return (y0, y1) if o[0] * o[0] + o[2] * o[2] <= r * r else (np.inf, -np.inf)
    u, w = d[0] / a, d[2] / a
    b, across = o[0] * u + o[2] * w, o[0] * w - o[2] * u
    enter, exit = roots(b, o[0] * o[0] + o[2] * o[2] - r * r, r * r - across * across)
    return max(y0, enter / a), min(y1, exit / a)
