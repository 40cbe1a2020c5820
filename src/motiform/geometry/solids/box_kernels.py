"""Signed distance of a box, and rays on it; size: its half edges."""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, routine
from motiform.geometry.solids.columns import MIDDLE
from motiform.geometry.solids.foot_kernels import beyond, flat, from_foot, side
from motiform.geometry.solids.ray_kernels import slab

__all__ = ["distance", "interval"]


@inline
def distance(size, p):
    """Faces, edges and corners outside, the nearest face inside (of equal ones y, x, z)."""
    x, y, z = p
    ex, ax, sx = beyond(x, size[0])
    ey, ay, sy = beyond(y, size[1])
    ez, az, sz = beyond(z, size[2])
    if sx != 0 or sy != 0 or sz != 0:
        return from_foot((ex, ey, ez), (ax, ay, az), 0.0, MIDDLE + sx + 3 * sy + 9 * sz)
    dx, dy, dz = math.fabs(x) - size[0], math.fabs(y) - size[1], math.fabs(z) - size[2]
    if dy >= dx and dy >= dz:
        return flat(dy, (0.0, side(y), 0.0), MIDDLE + 3 * int(side(y)))
    if dx >= dz:
        return flat(dx, (side(x), 0.0, 0.0), MIDDLE + int(side(x)))
    return flat(dz, (0.0, 0.0, side(z)), MIDDLE + 9 * int(side(z)))


@routine
def interval(size, o, d):
    """|x| ≤ hx, |y| ≤ hy, |z| ≤ hz: three slabs."""
    x0, x1 = slab(o[0], d[0], size[0])
    y0, y1 = slab(o[1], d[1], size[1])
    z0, z1 = slab(o[2], d[2], size[2])
    return max(x0, max(y0, z0)), min(x1, min(y1, z1))
