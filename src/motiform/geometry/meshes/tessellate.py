"""Closed triangle surfaces of the primitives: corners (V, 3) [m] and outward triangles (F, 3)."""

import numpy as np
from numpy.typing import NDArray

from motiform.base.errors import ShapeError
from motiform.spatial.checks import Array

__all__ = [
    "box_surface", "capsule_profile", "check_detail", "cylinder_profile", "join_surfaces", "revolve", "sphere_profile",
]  # fmt: skip

Faces = NDArray[np.int64]
Surface = tuple[Array, Faces]
COARSEST, FINEST = 4, 2048


def check_detail(detail: int) -> int:
    """Return the number of sides of a round shape, even, so that it is the same seen from both ends of each axis."""
    if isinstance(detail, bool) or not isinstance(detail, (int, np.integer)) or not COARSEST <= detail <= FINEST:
        raise ShapeError(
            "detail is out of range", got=detail, allowed=f"a whole number of sides, {COARSEST} to {FINEST}"
        )
    return int(detail) + int(detail) % 2


def box_surface(size: tuple[float, float, float]) -> Surface:
    """Return the 8 corners and 12 triangles of a box of that size, centred."""
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * size
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    faces = np.array([[q[0], q[i], q[i + 1]] for q in quads for i in (1, 2)], dtype=np.int64)
    return corners, faces


def revolve(profile: Array, sides: int) -> Surface:
    """Return the surface that a profile of (radius, y), (m, 2), sweeps about the y axis, rising from pole to pole.

    The corners lie on the swept surface and the sides are flat, so that of a convex body it is inscribed.
    """
    angle = 2.0 * np.pi * np.arange(sides) / sides
    ring = np.stack([np.sin(angle), np.cos(angle)], axis=1)
    inner = profile[1:-1]
    rings = np.empty((len(inner), sides, 3))
    rings[..., 0] = inner[:, :1] * ring[:, 0]
    rings[..., 1] = inner[:, 1:]
    rings[..., 2] = inner[:, :1] * ring[:, 1]
    poles = np.array([[0.0, profile[0, 1], 0.0], [0.0, profile[-1, 1], 0.0]])
    vertices = np.concatenate([rings.reshape(-1, 3), poles])
    here = np.arange(sides)
    there = (here + 1) % sides
    bottom, top = len(vertices) - 2, len(vertices) - 1
    last = (len(inner) - 1) * sides
    faces = [np.stack([there, here, np.full(sides, bottom)], axis=1)]
    for start in range(0, last, sides):
        a, b, c, d = start + here, start + there, start + sides + there, start + sides + here
        faces += [np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)]
    faces.append(np.stack([last + here, last + there, np.full(sides, top)], axis=1))
    return vertices, np.concatenate(faces).astype(np.int64)


def sphere_profile(sides: int) -> Array:
    """Return the half circle of radius 1 from (0, −1) to (0, 1), in sides/2 steps."""
    angle = np.linspace(-0.5 * np.pi, 0.5 * np.pi, sides // 2 + 1)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def cylinder_profile(radius: float, height: float) -> Array:
    """Return the outline of a cylinder as (radius, y) [m]."""
    h = 0.5 * height
    return np.array([[0.0, -h], [radius, -h], [radius, h], [0.0, h]])


def capsule_profile(radius: float, height: float, sides: int) -> Array:
    """Return the outline of a capsule as (radius, y) [m]; `height` is between the centres of its caps."""
    quarter = np.linspace(0.0, 0.5 * np.pi, max(sides // 4, 1) + 1)
    cap = radius * np.stack([np.cos(quarter), np.sin(quarter)], axis=1)
    cap[:, 1] += 0.5 * height
    return np.concatenate([cap[::-1] * (1.0, -1.0), cap])


def join_surfaces(surfaces: list[Surface]) -> Surface:
    """Return several surfaces as one, unmerged."""
    starts = np.cumsum([0] + [len(vertices) for vertices, _ in surfaces[:-1]])
    faces = [faces + start for (_, faces), start in zip(surfaces, starts, strict=True)]
    return np.concatenate([vertices for vertices, _ in surfaces]), np.concatenate(faces)
