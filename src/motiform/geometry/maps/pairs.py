"""Pairs of balls of two covers that overlap."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from motiform.base.errors import InputError
from motiform.geometry.maps.cover import Cover
from motiform.geometry.maps.signed import SignedMap
from motiform.spatial import Transform
from motiform.spatial.checks import Array, Words, as_floats

__all__ = ["ball_pairs"]

Indices = NDArray[np.int64]


def ball_pairs(
    one: Cover, other: Cover, *, pose: Transform | None = None, margin: float = 0.0,
    map: SignedMap | None = None, other_map: SignedMap | None = None,
) -> tuple[Indices, Array]:  # fmt: skip
    """Return the pairs of balls that overlap, (n, 2), and by how much, r₁ + r₂ + margin − |c₁ − c₂| [m], (n,).

    Parameters
    ----------
    pose : T_one_other, where the other body stands in the frame of the first; by default they share a frame.
    margin : [m] added to the sum of the radii, e.g. two layers of cartilage.
    map, other_map : signed distances of the bodies of both covers. A ball that is further from the other body than its
        radius, the margin and what balls may stick out (`beyond`), touches no ball of it and is dropped before the
        search; without maps, balls outside of the other's box are.

    Overlapping balls are found in a grid of cells of several sizes, each ball in the cell of its centre [Perez94 5.6
    asks the same of projected cubes]. The order of pairs does not depend on threads.
    """
    more = as_floats(margin, where="margin")
    if more.ndim or more < 0:
        raise InputError("margin must not be negative", got=Words(str(margin)), allowed="zero or a length in m")
    T = pose if pose is not None else Transform.identity()
    a = np.column_stack([one.centers, one.radii + float(more)])
    b = np.column_stack([T.point(other.centers), other.radii])
    near_a = _near(a, b, other_map, T.inverse(), other.beyond)
    near_b = _near(b, a, map, Transform.identity(), one.beyond + float(more))
    if not (near_a.any() and near_b.any()):
        return np.zeros((0, 2), np.int64), np.zeros(0)
    pairs = _overlaps(a[near_a], b[near_b])
    pairs = np.column_stack([np.flatnonzero(near_a)[pairs[:, 0]], np.flatnonzero(near_b)[pairs[:, 1]]])
    apart = np.linalg.norm(a[pairs[:, 0], :3] - b[pairs[:, 1], :3], axis=1)
    return pairs, a[pairs[:, 0], 3] + b[pairs[:, 1], 3] - apart


def _near(balls: Array, others: Array, map: SignedMap | None, pose: Transform, beyond: float) -> Any:
    """Return which balls may touch the others: by their box, then by the map of their body."""
    low = (others[:, :3] - others[:, 3:]).min(axis=0)
    high = (others[:, :3] + others[:, 3:]).max(axis=0)
    near = ((balls[:, :3] + balls[:, 3:] > low) & (balls[:, :3] - balls[:, 3:] < high)).all(axis=1)
    if map is None or not near.any():
        return near
    distance = map.distance(pose.point(balls[near, :3]))[0]
    # Outside of the map nothing is known: such a ball stays. A quarter of a node is left to interpolation.
    near[near] = ~np.isfinite(distance) | (distance < balls[near, 3] + beyond + 0.25 * map.spacing)
    return near


def _overlaps(a: Array, b: Array) -> Indices:
    """Return all overlapping pairs: each ball of either looks for those of the other that are no smaller."""
    room = min(float(np.prod(np.ptp(balls[:, :3], axis=0))) / len(balls) for balls in (a, b))
    base = max(2 * min(a[:, 3].min(), b[:, 3].min()), np.cbrt(room))  # about as many of the smallest cells as balls
    forward = _search(a, b, base, False)
    back = _search(b, a, base, True)[:, ::-1]
    pairs = np.concatenate([forward, back])
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def _level(balls: Array, base: float) -> Indices:
    return np.maximum(np.ceil(np.log2(np.maximum(2 * balls[:, 3] / base, 1)) - 1e-12), 0).astype(np.int64)


def _search(balls: Array, others: Array, base: float, strict: bool) -> Indices:
    from motiform.base.kernels import get_device
    from motiform.geometry.maps.pair_kernels import find_pairs

    level = _level(others, base)
    sizes = base * 2.0 ** np.arange(level.max() + 1)
    low = others[:, :3].min(axis=0)
    counts = np.floor((others[:, :3].max(axis=0) - low) / sizes[:, None]).astype(np.int64) + 1
    offsets = np.concatenate([[0], np.cumsum(counts.prod(axis=1))])
    cell = np.minimum(np.floor((others[:, :3] - low) / sizes[level, None]).astype(np.int64), counts[level] - 1)
    key = offsets[level] + (cell[:, 0] * counts[level, 1] + cell[:, 1]) * counts[level, 2] + cell[:, 2]
    order = np.argsort(key, kind="stable")
    cell_starts = np.concatenate([[0], np.cumsum(np.bincount(key, minlength=int(offsets[-1])))])
    device, starts = get_device("cpu"), np.zeros(len(balls), np.int64)
    own = _level(balls, base)
    sorted_others = np.ascontiguousarray(others[order].T)
    given = (np.ascontiguousarray(balls), own, *sorted_others, strict, sizes, counts, offsets, low, cell_starts, starts)
    device.launch(find_pairs, len(balls), *given, False, np.zeros((0, 2), np.int64))
    total = int(starts.sum())
    starts[:] = np.cumsum(starts) - starts
    found = np.empty((total, 2), np.int64)
    device.launch(find_pairs, len(balls), *given, True, found)
    found[:, 1] = order[found[:, 1]]
    return found
