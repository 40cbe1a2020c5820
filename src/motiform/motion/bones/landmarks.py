"""Where ligaments insert, found on the bones of any wrist.

A place is given in the anatomical directions (distal, radial, palmar), each from −1 to 1 over a box: that of the whole
bone, or that of the patch which faces another bone. The insertion is the surface point nearest to that place.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from motiform.motion.bones.axes import Axes
from motiform.motion.bones.bone import Bone
from motiform.spatial.checks import Array

__all__ = ["Place", "find_place", "spread_fibres"]

_FACING = 2.5e-3  # [m] beyond the least gap: what faces another bone
_AROUND = 1e-3  # [m] by which an insertion may miss its distance from the joint
_FAR = 12e-3  # [m] up to which distances between surfaces count
_END = 20e-3  # [m] of a long bone counts


@dataclass(frozen=True)
class Place:
    """A place on a bone: coordinates from −1 to 1 along (distal, radial, palmar); None leaves a direction open."""

    bone: str
    at: tuple[float | None, float | None, float | None]
    facing: str | None = None
    """The bone towards which the patch lies whose box counts; None: the box of the whole bone."""
    back: float = 2e-3
    """How much farther than the joint the insertion is from the bone that it faces [m]."""
    near: str | None = None
    """The bone to which the point shall be near, where a direction is open."""


def find_place(place: Place, bones: Mapping[str, Bone], axes: Axes, gaps: dict[tuple[str, str], Array]) -> Array:
    """Return the insertion [m], (3,). `gaps` keeps the distances between surfaces for the next place."""
    points = _candidates(bones[place.bone], axes)

    def gap_to(other: str) -> Array:
        key = place.bone, other
        if key not in gaps:
            found = bones[other].tree.query(points, distance_upper_bound=_FAR)[0]
            gaps[key] = np.minimum(found, _FAR)
        return gaps[key]

    along = points @ axes.of(place.bone).T
    box = chosen = np.ones(len(points), bool)
    if place.facing is not None:
        gap = gap_to(place.facing) - gap_to(place.facing).min()
        box, chosen = gap < _FACING, np.abs(gap - place.back) < _AROUND
    low, high = along[box].min(axis=0), along[box].max(axis=0)
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    cost = np.zeros(len(points))
    for k, t in enumerate(place.at):
        if t is not None:
            cost += (along[:, k] - middle[k] - t * half[k]) ** 2
    if place.near is not None:
        cost += gap_to(place.near) ** 2
    cost[~chosen] = np.inf
    return np.asarray(points[cost.argmin()])


def _candidates(bone: Bone, axes: Axes) -> Array:
    """Return points of the surface: of long bones only the end that takes part."""
    points = np.asarray(bone.tree.data)
    along = points @ axes.of(bone.name)[0]
    if bone.name in ("radius", "ulna"):
        return np.asarray(points[along > along.max() - _END])
    if bone.name.startswith("metacarpal"):
        return np.asarray(points[along < along.min() + _END])
    return points


def spread_fibres(a: Array, b: Array, first: Bone, second: Bone, width: float, count: int, outward: Array) -> Any:
    """Return the ends of fibres side by side over a width [m], each on the surface, (count, 2, 3) [m]."""
    across = np.cross(b - a, outward)
    length = np.linalg.norm(across)
    if length < 1e-12:
        across = np.cross(b - a, outward[[1, 2, 0]])
    across = across / max(float(np.linalg.norm(across)), 1e-300)
    offsets = width * (np.arange(count) / max(count - 1, 1) - 0.5)
    ends = []
    for point, bone in ((a, first), (b, second)):
        index = bone.tree.query(point + offsets[:, None] * across)[1]
        ends.append(bone.tree.data[index])
    return np.stack(ends, axis=1)
