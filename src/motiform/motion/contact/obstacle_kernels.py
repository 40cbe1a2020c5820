"""Signed distance of points from the obstacles, with its gradient and its Hessian.

All in the obstacle's own frame. Coordinates up to 1e150 m do not overflow.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import entry, inline, routine
from motiform.motion.contact.obstacles import (
    AWAY,
    BALL,
    BOX,
    CAPSULE,
    CYLINDER,
    FACE,
    FAR,
    HOLLOW_BALL,
    MIDDLE,
    NUMBERS,
    OPEN,
    PLANE,
    TORUS,
)
from motiform.motion.tree.kernels.memory import ix

__all__ = [
    "AWAY",
    "BALL",
    "BOX",
    "CAPSULE",
    "CYLINDER",
    "FACE",
    "FAR",
    "HOLLOW_BALL",
    "MIDDLE",
    "NUMBERS",
    "OPEN",
    "PLANE",
    "TORUS",
    "distance",
    "many_distances",
]

TOP = MIDDLE + 3  # region whose outward direction is +y
_NEAR = 1e-280  # [m²] below this square a direction is lost to underflow, and 1/distance would be of no use


@inline
def side(x):
    """Return 1 where x ≥ 0, else −1."""
    return 1.0 if x >= 0.0 else -1.0


@inline
def flat(d, nx, ny, nz, region):
    """Return a distance without curvature."""
    return d, nx, ny, nz, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, region


@inline
def from_foot(x, y, z, ax, ay, az, radius, region):
    """Return the distance |v| − radius of a point at v = (x, y, z) from its foot on a point, a line or a plane.

    a is 1 along the axes in which the foot stays where it is while the point moves, else 0 (v is 0 there):
    H = (diag a − n nᵀ)/|v|. At the foot itself the normal is y where the foot is fixed along y, else x, else z.
    """
    square = x * x + y * y + z * z
    if square <= _NEAR:
        if ay != 0.0:
            return flat(-radius, 0.0, side(y), 0.0, region)
        if ax != 0.0:
            return flat(-radius, side(x), 0.0, 0.0, region)
        return flat(-radius, 0.0, 0.0, side(z), region)
    r = math.sqrt(square)
    k = 1.0 / r
    nx, ny, nz = k * x, k * y, k * z
    return (
        r - radius,
        nx,
        ny,
        nz,
        k * (ax - nx * nx),
        -k * nx * ny,
        -k * nx * nz,
        k * (ay - ny * ny),
        -k * ny * nz,
        k * (az - nz * nz),
        region,
    )


@inline
def beyond(x, half):
    """Return by how much x is beyond ±half, with its sign, and 1.0 and the side where it is, else zeros."""
    if x > half:
        return x - half, 1.0, 1
    if x < -half:
        return x + half, 1.0, -1
    return 0.0, 0.0, 0


@inline
def box_distance(hx, hy, hz, x, y, z):
    """Box with those half edges: faces, edges and corners outside, the nearest face inside (of equal ones y, x, z)."""
    ex, ax, sx = beyond(x, hx)
    ey, ay, sy = beyond(y, hy)
    ez, az, sz = beyond(z, hz)
    if sx != 0 or sy != 0 or sz != 0:
        return from_foot(ex, ey, ez, ax, ay, az, 0.0, MIDDLE + sx + 3 * sy + 9 * sz)
    dx, dy, dz = math.fabs(x) - hx, math.fabs(y) - hy, math.fabs(z) - hz
    if dy >= dx and dy >= dz:
        return flat(dy, 0.0, side(y), 0.0, MIDDLE + 3 * int(side(y)))
    if dx >= dz:
        return flat(dx, side(x), 0.0, 0.0, MIDDLE + int(side(x)))
    return flat(dz, 0.0, 0.0, side(z), MIDDLE + 9 * int(side(z)))


@inline
def past_joint(e, y, slant):
    """Return whether a point, e beyond the end of a face and y above it, belongs to the face that is joined there.

    The border is the plane that halves the joint; above a hollow joint, which has no edge to touch, the end itself.
    """
    if slant == OPEN:
        return False
    return e > -slant * y if (slant < 0.0 or y < 0.0) else e > 0.0


@inline
def face_distance(hx, hz, left, right, x, y, z):
    """One-sided rectangle: y over and under it, else the distance from its edges and corners."""
    if past_joint(x - hx, y, right) or past_joint(-x - hx, y, left):
        return flat(FAR, 0.0, 1.0, 0.0, AWAY)
    ex, ax, sx = beyond(x, hx)
    ez, az, sz = beyond(z, hz)
    if y < 0.0 and ((sx > 0 and right != OPEN) or (sx < 0 and left != OPEN)):
        ex, ax, sx = 0.0, 0.0, 0  # under a hollow joint the face reaches on to the border
    if sx == 0 and sz == 0:
        return flat(y, 0.0, 1.0, 0.0, TOP)
    return from_foot(ex, y, ez, ax, 1.0, az, 0.0, TOP + sx + 9 * sz)


@inline
def torus_distance(ring, tube, x, y, z):
    """Tube bent to a ring about y."""
    square = x * x + z * z
    rho = math.sqrt(square)
    onaxis = square <= _NEAR
    ux, uz = (1.0, 0.0) if onaxis else (x / rho, z / rho)
    a = rho - ring
    length2 = a * a + y * y
    if length2 <= _NEAR:
        return flat(-tube, 0.0, 1.0, 0.0, MIDDLE)
    s = math.sqrt(length2)
    c, n = a / s, y / s  # the normal is c u + n e_y; tangents −n u + c e_y and (−uz, 0, ux)
    k, m = 1.0 / s, 0.0 if onaxis else c / rho
    return (
        s - tube,
        c * ux,
        n,
        c * uz,
        k * n * n * ux * ux + m * uz * uz,
        -k * n * c * ux,
        (k * n * n - m) * ux * uz,
        k * c * c,
        -k * n * c * uz,
        k * n * n * uz * uz + m * ux * ux,
        MIDDLE,
    )


@inline
def negated(f):
    """Return the distance seen from the other side."""
    return -f[0], -f[1], -f[2], -f[3], -f[4], -f[5], -f[6], -f[7], -f[8], -f[9], f[10]


@routine
def distance(kind, floats, at, x, y, z):
    """Return (d, nx, ny, nz, hxx, hxy, hxz, hyy, hyz, hzz, region) at a point of the obstacle's frame.

    d [m] is the signed distance from the solid, negative inside; n its gradient, the outward unit normal; h its
    Hessian [1/m]. The obstacle's numbers begin at floats[at]. A ball of radius r touches where d = r.
    `region` is the nearest feature, MIDDLE + sx + 3 sy + 9 sz with the side (−1, 0, 1) of each axis on which it lies:
    one side for a face, two for an edge, three for a corner; MIDDLE alone for what is round. AWAY: a face to which
    the point does not belong, because the face joined to it has it; d is FAR then. Where directions are not defined
    (centres, axes) the normal is one of the axes, and the Hessian has zeros in place of what would be infinite.
    """
    if kind == PLANE:
        return flat(y, 0.0, 1.0, 0.0, TOP)
    a = floats[ix(at)]
    if kind == BALL:
        return from_foot(x, y, z, 1.0, 1.0, 1.0, a, MIDDLE)
    if kind == HOLLOW_BALL:
        return negated(from_foot(x, y, z, 1.0, 1.0, 1.0, a, MIDDLE))
    if kind == CYLINDER:
        return from_foot(x, 0.0, z, 1.0, 0.0, 1.0, a, MIDDLE)
    b = floats[ix(at + 1)]
    if kind == BOX:
        return box_distance(a, b, floats[ix(at + 2)], x, y, z)
    if kind == FACE:
        return face_distance(a, b, floats[ix(at + 2)], floats[ix(at + 3)], x, y, z)
    if kind == CAPSULE:
        e, cap, end = beyond(y, b)
        return from_foot(x, e, z, 1.0, cap, 1.0, a, MIDDLE + 3 * end)
    return torus_distance(a, b, x, y, z)


@entry("void(int64, float64[::1], float64[:, ::1], float64[:, ::1], int64[::1])")
def many_distances(kind, numbers, points, out, regions):
    """Write d, n and the Hessian (xx, xy, xz, yy, yz, zz) of points (n, 3) to out (n, 10), and their regions."""
    zero = regions.shape[0] - regions.shape[0]  # not a literal, for which the routine would be compiled again
    for i in range(points.shape[0]):
        d, nx, ny, nz, xx, xy, xz, yy, yz, zz, region = distance(
            kind, numbers, zero, points[i, 0], points[i, 1], points[i, 2]
        )
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = d, nx, ny, nz
        out[i, 4], out[i, 5], out[i, 6], out[i, 7], out[i, 8], out[i, 9] = xx, xy, xz, yy, yz, zz
        regions[i] = region
