"""Rays on an ellipsoid; size: its half axes."""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import routine
from motiform.geometry.solids.ray_kernels import ball_interval
from motiform.spatial.algebra import norm, scale

__all__ = ["interval", "normal"]


@routine
def interval(size, o, d):
    """Divided by the radii an ellipsoid is the unit ball, and t grows by the length of the divided direction."""
    o = o[0] / size[0], o[1] / size[1], o[2] / size[2]
    d = d[0] / size[0], d[1] / size[1], d[2] / size[2]
    stretch = norm(d)
    enter, exit = ball_interval(o, scale(1.0 / stretch, d), 1.0)
    return enter / stretch, exit / stretch


@routine
def normal(size, p):
    """Return the outward unit normal at a point of the surface: along the gradient of Σ (x/r)²."""
    n = p[0] / (size[0] * size[0]), p[1] / (size[1] * size[1]), p[2] / (size[2] * size[2])
    length = norm(n)
    return scale(1.0 / length, n) if length > 0.0 else (0.0, 1.0, 0.0)
