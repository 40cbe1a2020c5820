"""Solids that touch one another: which can, their numbers for kernels, and the points at which two of them touch."""

from typing import NamedTuple

import numpy as np

from motiform.base.errors import InputError
from motiform.geometry.solids.columns import SIZES
from motiform.geometry.solids.endless_cylinder import EndlessCylinder
from motiform.geometry.solids.mesh import Mesh
from motiform.geometry.solids.register import NUMBERS
from motiform.geometry.solids.solid import Solid
from motiform.geometry.touch.columns import MOST, NORMAL, ROOM, SITE, TOUCH_FLOATS, WIDTH
from motiform.geometry.touch.hulls import hull_numbers
from motiform.spatial import Transform
from motiform.spatial.checks import Array, Words

__all__ = [
    "GROUNDS", "TOUCHING", "SolidContact", "can_touch", "listed_pairs", "reach_of", "touch_listed", "touch_numbers",
    "touch_points", "touch_room",
]  # fmt: skip

TOUCHING = ("ball", "box", "capsule", "cylinder", "ellipsoid", "torus", "cone", "mesh")
"""Kinds that touch as solids; a mesh as its convex hull."""
GROUNDS = ("plane", "face", "endless_cylinder")
"""Kinds on which they rest."""
_PARTS = 64  # of all pairs: those of one have the same room, which stays in the caches
_EACH = 128  # pairs of a part: fewer are looked at before other cores have begun
_ENDLESS = 1e4  # [m] half height that stands for no end


class SolidContact(NamedTuple):
    """How two solids touch, or how far they are apart."""

    gap: Array
    """Signed distance [m], (...): negative where they overlap, by the least shift that parts them."""
    number: np.ndarray
    """How many points there are, (...), 0 beyond the reach."""
    gaps: Array
    """Of each point along its normal [m], (..., 8); inf where there is none."""
    points: Array
    """Half-way between the surfaces, in the world [m], (..., 8, 3); NaN where there is none."""
    normals: Array
    """Unit normals from the second solid to the first, in the world, (..., 8, 3); NaN where there is none."""


def can_touch(solid: Solid, *, ground: bool = False) -> bool:
    """Return whether a solid touches others as a solid; with `ground` also whether others rest on it."""
    return getattr(solid, "kind", "") in (TOUCHING + GROUNDS if ground else TOUCHING)


def touch_numbers(solid: Solid) -> tuple[int, list[float]]:
    """Return the kind and the numbers of a solid as the kernels of `touch` read them."""
    if isinstance(solid, Mesh):
        return NUMBERS["mesh"], hull_numbers(solid)
    if isinstance(solid, EndlessCylinder):
        return NUMBERS["cylinder"], [solid.radius, _ENDLESS, 0.0, 0.0]
    return NUMBERS[solid.kind], [*solid.sizes, *[0.0] * (SIZES - len(solid.sizes))]


def reach_of(solid: Solid) -> float:
    """Return the radius of a ball about the origin of its frame that holds it [m], inf where it has no end."""
    center, radius = solid.ball_around()
    return float(np.linalg.norm(center)) + radius


def touch_points(
    first: Solid, second: Solid, pose: Transform, other: Transform, *, reach: float = np.inf
) -> SolidContact:
    """Return gap, normals and points of two solids whose frames are at T_world_first and T_world_second.

    Balls, boxes, capsules, cylinders, cones, ellipsoids, tori and the convex hulls of meshes touch; `second` may also
    be a plane, a face or an endless cylinder. Poses may be batches. Solids farther apart than `reach` [m] have no
    points. Two faces touch at the corners of their common part, eight at most.

    >>> from motiform.geometry import Box
    >>> up = Transform.translation_of((0.0, 0.1, 0.0))
    >>> found = touch_points(Box((0.2, 0.1, 0.2)), Box((0.2, 0.1, 0.2)), up, Transform.identity())
    >>> int(found.number), float(abs(found.gap).round(12))
    (4, 0.0)
    """
    for solid, ground in ((first, False), (second, True)):
        if not can_touch(solid, ground=ground):
            kind = getattr(solid, "kind", type(solid).__name__)
            allowed = ", ".join(TOUCHING + GROUNDS if ground else TOUCHING)
            raise InputError(
                "this solid does not touch as a solid", where="touch_points", got=Words(kind), allowed=allowed
            )
    batch = np.broadcast_shapes(pose.batch, other.batch)
    gaps, counts, out = touch_listed(*listed_pairs(first, second, pose, other), float(reach))
    left = np.arange(MOST) >= counts[:, None]
    out[left] = np.nan
    each = np.where(left, np.inf, out[..., 0]).reshape(*batch, MOST)
    points, normals = out[..., SITE : SITE + 3], out[..., NORMAL : NORMAL + 3]
    return SolidContact(
        gaps.reshape(batch), counts.reshape(batch), each, points.reshape(*batch, MOST, 3),
        normals.reshape(*batch, MOST, 3),
    )  # fmt: skip


def listed_pairs(
    first: Solid, second: Solid, pose: Transform, other: Transform
) -> tuple[Array, np.ndarray, Array, Array]:
    """Return two solids at their poses as `touch_listed` takes them."""
    (a, one), (b, two) = touch_numbers(first), touch_numbers(second)
    poses = _both(pose, other)
    n = len(poses)
    size = np.full(n, min(2 * reach_of(first), 2 * reach_of(second)))
    ints = np.tile(np.array([a, 0, b, len(one)], np.int64), (n, 1))
    return np.array([*one, *two, *[0.0] * SIZES]), ints, poses, size


def touch_room(count: int) -> Array:
    """Return room for so many pairs."""
    return np.empty((min(count, _PARTS), ROOM, WIDTH))


def touch_listed(
    F: Array, ints: np.ndarray, poses: Array, size: Array, reach: float, room: Array | None = None
) -> tuple[Array, np.ndarray, Array]:
    """Return gap, number of points and points (gap, site, normal) of pairs of solids.

    `ints` are kind and place of the numbers in F of both, (n, 4); `poses` rotation and origin of both and the load
    between them, (n, 27); `size` that of the smaller [m]; `room` of `touch_room`.
    """
    from motiform.base.kernels import get_device
    from motiform.geometry.touch.pair_kernels import many_touches

    n = len(ints)
    out, gaps, counts = np.empty((n, MOST, TOUCH_FLOATS)), np.empty(n), np.empty(n, np.int64)
    room = touch_room(n) if room is None else room
    parts = min(-(-n // _EACH), _PARTS)
    get_device("cpu").launch(many_touches, parts, parts, F, ints, poses, size, reach, room, out, gaps, counts)
    return gaps, counts, out


def _both(pose: Transform, other: Transform) -> Array:
    """Return both poses, of a common batch, and no load, as rows, (n, 27)."""
    batch = np.broadcast_shapes(pose.batch, other.batch)
    rows = [
        np.concatenate(
            [
                np.broadcast_to(T.rotation, (*batch, 3, 3)).reshape(-1, 9),
                np.broadcast_to(T.translation, (*batch, 3)).reshape(-1, 3),
            ],
            axis=1,
        )
        for T in (pose, other)
    ]
    return np.ascontiguousarray(np.concatenate([*rows, np.zeros((len(rows[0]), 3))], axis=1))
