"""Signed distance of a ball, and rays on it; size: its radius."""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import inline, routine
from motiform.geometry.solids.columns import MIDDLE
from motiform.geometry.solids.foot_kernels import from_foot
from motiform.geometry.solids.ray_kernels import ball_interval

__all__ = ["distance", "interval"]


@inline
def distance(size, p):
    """|p| − r."""
    return from_foot(p, (1.0, 1.0, 1.0), size[0], MIDDLE)


@routine
def interval(size, o, d):
    """|o + t d| = r."""
    return ball_interval(o, d, size[0])
