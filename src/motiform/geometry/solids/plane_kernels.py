"""Signed distance of a plane."""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import inline
from motiform.geometry.solids.foot_kernels import TOP, flat

__all__ = ["distance"]


@inline
def distance(size, p):
    """y, along +y."""
    return flat(p[1], (0.0, 1.0, 0.0), TOP)
