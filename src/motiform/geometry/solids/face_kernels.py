"""Signed distance of a face; size: its half edges along x and z, the slants of its ends at −x and +x."""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import inline
from motiform.geometry.solids.columns import AWAY, FAR, OPEN
from motiform.geometry.solids.foot_kernels import TOP, beyond, flat, from_foot

__all__ = ["distance"]


@inline
def _past_joint(e, y, slant):
    """Return whether a point, e beyond the end of a face and y above it, belongs to the face that is joined there.

    The border is the plane that halves the joint; above a hollow joint, which has no edge to touch, the end itself.
    """
    if slant == OPEN:
        return False
    return e > -slant * y if (slant < 0.0 or y < 0.0) else e > 0.0


@inline
def distance(size, p):
    """y over and under it, else the distance from its edges and corners.

    Where the point belongs to the face joined to this one d is FAR and the region AWAY.
    """
    x, y, z = p
    hx, hz, left, right = size
    if _past_joint(x - hx, y, right) or _past_joint(-x - hx, y, left):
        return flat(FAR, (0.0, 1.0, 0.0), AWAY)
    ex, ax, sx = beyond(x, hx)
    ez, az, sz = beyond(z, hz)
    if y < 0.0 and ((sx > 0 and right != OPEN) or (sx < 0 and left != OPEN)):
        ex, ax, sx = 0.0, 0.0, 0  # under a hollow joint the face reaches on to the border
    if sx == 0 and sz == 0:
        return flat(y, (0.0, 1.0, 0.0), TOP)
    return from_foot((ex, y, ez), (ax, 1.0, az), 0.0, TOP + sx + 9 * sz)
