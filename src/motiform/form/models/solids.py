"""Looks of unbounded solids: planes as slabs, containers as wireframes."""

from itertools import pairwise
from typing import Any

import numpy as np

from motiform.geometry import Box, Capsule, Compound, Hollow, Plane, Shape
from motiform.spatial import Transform

__all__ = ["seen_shape"]

_SLAB = 0.02  # thickness of a plane over its width
_WIRE = 0.003  # radius of a wire over the size of what it shows
_CORNERS = 32  # of a circle


def seen_shape(shape: Any, extent: float) -> Shape | None:
    """Return the shape to draw for a solid, in its frame, where motion takes `extent` [m]; None for none."""
    if isinstance(shape, Plane):
        wide = 3.0 * max(extent, 1e-3)
        slab = Box((wide, _SLAB * wide, wide))
        return Compound(((slab, Transform.translation_of(np.array([0.0, -0.5 * _SLAB * wide, 0.0]))),))
    if isinstance(shape, Hollow) and isinstance(shape.shape, Shape):
        lines = _outlines(shape.shape)
        radius = _WIRE * float(np.linalg.norm(np.ptp(np.asarray(shape.shape.bounds, float), axis=0)))
        rods = [_rod(a, b, radius) for line in lines for a, b in pairwise(line)]
        return Compound(tuple(rods)) if rods else None
    return shape if isinstance(shape, Shape) else None


def _outlines(shape: Any) -> list[np.ndarray]:
    """Return lines (points, 3) that show a hollow shape [m]: edges of a box, circles of round ones; none for a mesh."""
    turn = np.linspace(0.0, 2.0 * np.pi, _CORNERS + 1)
    circle = np.stack((np.cos(turn), 0 * turn, np.sin(turn)), axis=1)
    match shape.kind:
        case "box":
            signs = np.array(np.meshgrid(*[[-0.5, 0.5]] * 3)).reshape(3, -1).T
            near = [(a, b) for a in signs for b in signs if (a <= b).all() and np.abs(a - b).sum() == 1]
            return [np.array(pair) * np.array(shape.size) for pair in near]
        case "ball":
            return [shape.radius * circle[:, list(order)] for order in ((0, 1, 2), (1, 0, 2), (0, 2, 1))]
        case "cylinder" | "capsule":
            up = np.array([0.0, 0.5 * (shape.height if shape.kind == "cylinder" else shape.length), 0.0])
            found = [shape.radius * circle + side * up for side in (-1.0, 1.0)]
            found += [np.array([p - up, p + up]) for p in shape.radius * circle[: -1 : _CORNERS // 4]]
            if shape.kind == "capsule":
                arc = shape.radius * circle[: _CORNERS // 2 + 1]
                for order in ((0, 2, 1), (1, 2, 0)):
                    cap = arc[:, list(order)]
                    found += [cap + up, cap * np.array([1.0, -1.0, 1.0]) - up]
            return found
    return []


def _rod(a: np.ndarray, b: np.ndarray, radius: float) -> tuple[Shape, Transform]:
    """Return a rod with round ends from one point to another."""
    length = float(np.linalg.norm(b - a))
    y = (b - a) / length
    x = np.cross(y, (1.0, 0.0, 0.0) if abs(y[0]) < 0.7 else (0.0, 0.0, 1.0))
    x /= np.linalg.norm(x)
    return Capsule(radius, length), Transform(np.stack((x, y, np.cross(x, y)), axis=1), 0.5 * (a + b))
