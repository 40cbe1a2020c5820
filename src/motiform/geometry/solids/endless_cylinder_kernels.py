"""Signed distance of an endless cylinder; size: its radius."""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import inline
from motiform.geometry.solids.columns import MIDDLE
from motiform.geometry.solids.foot_kernels import from_foot

__all__ = ["distance"]


@inline
def distance(size, p):
    """√(x² + z²) − r."""
    return from_foot((p[0], 0.0, p[2]), (1.0, 0.0, 1.0), size[0], MIDDLE)
