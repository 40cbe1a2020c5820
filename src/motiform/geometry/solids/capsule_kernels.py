"""Signed distance of a capsule, and rays on it; size: its radius and half height."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from motiform.base.kernels import inline, routine
from motiform.geometry.solids import cylinder_kernels
from motiform.geometry.solids.columns import MIDDLE
from motiform.geometry.solids.foot_kernels import beyond, from_foot
from motiform.geometry.solids.ray_kernels import ball_interval

__all__ = ["distance", "interval"]


@inline
def distance(size, p):
    """Distance from the line between the centres of its caps, less the radius."""
    e, cap, end = beyond(p[1], size[1])
    return from_foot((p[0], e, p[2]), (1.0, cap, 1.0), size[0], MIDDLE + 3 * end)


@routine
def interval(size, o, d):
    """A cylinder and a ball around each end: their union is convex, so it is one interval too."""
    enter, exit = cylinder_kernels.interval(size, o, d)
    if enter > exit:
        enter, exit = np.inf, -np.inf
    for end in (-size[1], size[1]):
        a, b = ball_interval((o[0], o[1] - end, o[2]), d, size[0])
        if a <= b:
            enter, exit = min(enter, a), max(exit, b)
    return enter, exit
