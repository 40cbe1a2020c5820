"""Shapes between two points, for the visual geometry of figures."""

import numpy as np
from numpy.typing import ArrayLike

from motiform.geometry import Box, Capsule, Ellipsoid
from motiform.motion.tree.model.segment import SegmentShape
from motiform.spatial import Transform, exp_rotation

__all__ = ["Color", "between", "box", "egg", "limb"]

Color = tuple[float, float, float]


def between(a: ArrayLike, b: ArrayLike) -> tuple[Transform, float]:
    """Return the frame in the middle of two points, y along the line from a to b, and their distance [m]."""
    start, end = np.asarray(a, float), np.asarray(b, float)
    length = float(np.linalg.norm(end - start))
    up = (end - start) / length
    axis = np.cross((0.0, 1.0, 0.0), up)
    turn = np.arctan2(np.linalg.norm(axis), up[1])
    size = np.linalg.norm(axis)
    direction = axis / size if size > 1e-12 else np.array([1.0, 0.0, 0.0])
    return Transform(exp_rotation(direction * turn), (start + end) / 2), length


def limb(a: ArrayLike, b: ArrayLike, radius: float, color: Color) -> SegmentShape:
    """Return a capsule from a to b, its round ends about these points."""
    placement, length = between(a, b)
    return SegmentShape(Capsule(radius, length), placement, color)


def egg(center: ArrayLike, radii: tuple[float, float, float], color: Color, lean: float = 0.0) -> SegmentShape:
    """Return an ellipsoid, turned about z by `lean` [rad]."""
    return SegmentShape(
        Ellipsoid(radii), Transform(exp_rotation(np.array([0.0, 0.0, lean])), np.asarray(center, float)), color
    )


def box(center: ArrayLike, size: tuple[float, float, float], color: Color) -> SegmentShape:
    """Return a box with its edges along the axes."""
    return SegmentShape(Box(size), Transform.translation_of(np.asarray(center, float)), color)
