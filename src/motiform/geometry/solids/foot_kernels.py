"""Signed distances from feet: what the kinds of solids share.

A distance is (d, n, h, region) at a point of the solid's frame: d [m], negative inside; its gradient n, the outward
unit normal; its Hessian h = (xx, xy, xz, yy, yz, zz) [1/m]; and the nearest feature, MIDDLE + sx + 3 sy + 9 sz with
the side (−1, 0, 1) of each axis on which it lies: one side for a face, two for an edge, three for a corner; MIDDLE
alone for what is round. Where directions are not defined (centres, axes) the normal is one of the axes, and the
Hessian has zeros in place of what would be infinite. Coordinates up to 1e150 m do not overflow.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline
from motiform.geometry.solids.columns import MIDDLE

__all__ = ["NEAR", "TOP", "beyond", "flat", "from_foot", "negated", "revolved", "side"]

TOP = MIDDLE + 3  # region whose outward direction is +y
NEAR = 1e-280  # [m²] below this square a direction is lost to underflow, and 1/distance would be of no use


@inline
def side(x):
    """Return 1 where x ≥ 0, else −1."""
    return 1.0 if x >= 0.0 else -1.0


@inline
def beyond(x, half):
    """Return by how much x is beyond ±half, with its sign, and 1.0 and the side where it is, else zeros."""
    if x > half:
        return x - half, 1.0, 1
    if x < -half:
        return x + half, 1.0, -1
    return 0.0, 0.0, 0


@inline
def flat(d, n, region):
    """Return a distance without curvature."""
    return d, n, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), region


@inline
def from_foot(v, fixed, radius, region):
    """Return the distance |v| − radius of a point at v from its foot on a point, a line or a plane.

    `fixed` is 1 along the axes in which the foot stays where it is while the point moves, else 0 (v is 0 there):
    H = (diag fixed − n nᵀ)/|v|. At the foot itself the normal is y where the foot is fixed along y, else x, else z.
    """
    x, y, z = v
    ax, ay, az = fixed
    square = x * x + y * y + z * z
    if square <= NEAR:
        if ay != 0.0:
            return flat(-radius, (0.0, side(y), 0.0), region)
        if ax != 0.0:
            return flat(-radius, (side(x), 0.0, 0.0), region)
        return flat(-radius, (0.0, 0.0, side(z)), region)
    r = math.sqrt(square)
    k = 1.0 / r
    nx, ny, nz = k * x, k * y, k * z
    h = k * (ax - nx * nx), -k * nx * ny, -k * nx * nz, k * (ay - ny * ny), -k * ny * nz, k * (az - nz * nz)
    return r - radius, (nx, ny, nz), h, region


@inline
def revolved(c, s, k, m, ux, uz):
    """Return the Hessian of a distance that is the same all around y, where the normal is c u + s e_y.

    u = (ux, 0, uz) points away from the axis; k [1/m] is the curvature in the plane of u and y, m = c/ρ around y.
    """
    xx, zz = k * s * s * ux * ux + m * uz * uz, k * s * s * uz * uz + m * ux * ux
    return xx, -k * s * c * ux, (k * s * s - m) * ux * uz, k * c * c, -k * s * c * uz, zz


@inline
def negated(found):
    """Return a distance seen from the other side."""
    d, n, h, region = found
    return -d, (-n[0], -n[1], -n[2]), (-h[0], -h[1], -h[2], -h[3], -h[4], -h[5]), region
