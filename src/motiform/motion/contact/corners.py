"""Contact points of a shape: corners, balls, ends of capsules, rims of cylinders."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.geometry import Ball, Box, Capsule, Compound, Cylinder, Mesh, Shape
from motiform.geometry.touch.hulls import hull_corners
from motiform.spatial import Transform

__all__ = ["Corner", "corners_of_shape", "pieces_of_shape", "simple_shapes"]

_RIM = 12  # points about each end of a cylinder


class Corner(NamedTuple):
    """A ball of a shape, a point where its radius is zero."""

    label: str
    point: ArrayLike
    """Centre in the frame of the shape [m], (3,)."""
    radius: float = 0.0
    """[m]"""
    note: str = ""
    """What a person should know of how it was chosen."""


def pieces_of_shape(shape: Shape, placement: Transform) -> list[tuple[Shape, Transform]]:
    """Return the simple shapes that a shape is made of, and where they are."""
    if isinstance(shape, Compound):
        return [piece for inner, pose in shape.parts for piece in pieces_of_shape(inner, placement @ pose)]
    return [(shape, placement)]


def simple_shapes(shape: Shape) -> list[Shape]:
    """Return the simple shapes that a shape is made of."""
    return [piece for piece, _ in pieces_of_shape(shape, Transform.identity())]


def corners_of_shape(shape: Shape, where: str) -> list[Corner]:
    """Return the points that touch for a simple shape, in its frame."""
    if isinstance(shape, Ball):
        return [Corner("", (0.0, 0.0, 0.0), shape.radius)]
    if isinstance(shape, Capsule):
        half = 0.5 * shape.length
        return [Corner("top", (0.0, half, 0.0), shape.radius), Corner("bottom", (0.0, -half, 0.0), shape.radius)]
    if isinstance(shape, Box):
        half_sizes = 0.5 * np.asarray(shape.size)
        signs = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
        return [Corner("".join("-+"[(s + 1) // 2] for s in sign), half_sizes * sign) for sign in signs]
    if isinstance(shape, Cylinder):
        angle = 2 * np.pi * np.arange(_RIM) / _RIM
        rim = shape.radius * np.stack([np.cos(angle), np.zeros(_RIM), np.sin(angle)], axis=1)
        up = np.array([0.0, 0.5 * shape.height, 0.0])
        return [Corner(str(k), point) for k, point in enumerate(np.concatenate([rim + up, rim - up]))]
    if isinstance(shape, Mesh):
        points, note = hull_corners(shape)
        return [Corner(str(k), point, note=note and f"{where}: {note}") for k, point in enumerate(points)]
    raise InputError(
        "the shape must have a rule for contact points",
        where=where,
        got=type(shape).__name__.lower(),
        allowed="ball, box, capsule, cylinder, mesh, or parts of these",
        remedy="Give points of your own, or another shape.",
    )
