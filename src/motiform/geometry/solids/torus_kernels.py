"""Signed distance of a torus; size: the radii of its ring and of its tube."""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline
from motiform.geometry.solids.columns import MIDDLE
from motiform.geometry.solids.foot_kernels import NEAR, flat, revolved

__all__ = ["distance"]


@inline
def distance(size, p):
    """Distance from the circle in the middle of the tube, less the tube's radius."""
    x, y, z = p
    square = x * x + z * z
    rho = math.sqrt(square)
    on_axis = square <= NEAR
    ux, uz = (1.0, 0.0) if on_axis else (x / rho, z / rho)
    a = rho - size[0]
    length2 = a * a + y * y
    if length2 <= NEAR:
        return flat(-size[1], (0.0, 1.0, 0.0), MIDDLE)
    s = math.sqrt(length2)
    c, n = a / s, y / s
    return s - size[1], (c * ux, n, c * uz), revolved(c, n, 1.0 / s, 0.0 if on_axis else c / rho, ux, uz), MIDDLE
