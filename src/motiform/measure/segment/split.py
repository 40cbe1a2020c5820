"""Bones that touch, told apart: basins of the distance map, joined where no neck parts them; or growth from seeds."""

from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motiform.base.libraries import load_library
from motiform.geometry.maps import euclidean_map

__all__ = ["basins", "flood", "join_basins", "seeds_to_maxima"]

Numbers = NDArray[np.int32]
_LONG, _SHAFT = 1.5, 1.6  # times the sum of widths, from which a neck counts so many times: the shaft of a long bone
_SHALLOW = 1.0  # voxels: basins less deep than this are noise of the map


def flood(mask: Any, markers: Any) -> Numbers:
    """Return a mask divided among markers: a watershed of the distance map, deepest voxels first [MeyerBeucher90]."""
    SimpleITK = load_library("SimpleITK")

    box = _box(mask)
    body = np.ascontiguousarray(mask[box])
    image = SimpleITK.GetImageFromArray(-euclidean_map(body))
    marks = SimpleITK.GetImageFromArray(np.ascontiguousarray(markers[box], np.int32))
    found = SimpleITK.MorphologicalWatershedFromMarkers(image, marks, markWatershedLine=False, fullyConnected=True)
    numbers = np.zeros(mask.shape, np.int32)
    numbers[box] = np.where(body, SimpleITK.GetArrayFromImage(found), 0)
    return numbers


def seeds_to_maxima(mask: Any, seeds: Any) -> Numbers:
    """Return seeds as markers that go on to the deepest place of their basins, where floods begin.

    From a seed near a surface a neighbour's flood, which is deeper, would otherwise come first. Seeds are (number,
    index) in order; a path ends where it meets another's.
    """
    from scipy.ndimage import gaussian_filter

    depth = gaussian_filter(euclidean_map(mask), 1.0)
    markers = np.zeros(mask.shape, np.int32)
    for number, index in seeds:
        markers[tuple(index)] = number
    for number, index in seeds:
        at = np.array(index)
        while True:
            low, high = np.maximum(at - 1, 0), np.minimum(at + 2, mask.shape)
            near = depth[tuple(slice(a, b) for a, b in zip(low, high, strict=True))]
            best = low + np.unravel_index(near.argmax(), near.shape)
            if depth[tuple(best)] <= depth[tuple(at)] or markers[tuple(best)] not in (0, number):
                break
            at = best
            markers[tuple(at)] = number
    return markers


def basins(mask: Any, neck: float) -> Numbers:
    """Return a mask divided where it is narrower than `neck` of the width of what is on either side."""
    SimpleITK = load_library("SimpleITK")

    box = _box(mask)
    body = np.ascontiguousarray(mask[box])
    depth = euclidean_map(body)
    image = SimpleITK.GetImageFromArray(-depth)
    found = SimpleITK.MorphologicalWatershed(image, level=_SHALLOW, markWatershedLine=False, fullyConnected=True)
    numbers = np.zeros(mask.shape, np.int32)
    numbers[box] = join_basins(np.where(body, SimpleITK.GetArrayFromImage(found), 0).astype(np.int32), depth, neck)
    return numbers


def _box(mask: Any) -> tuple[slice, ...]:
    """Return the part of a volume that a mask takes: floods take time for every voxel."""
    from scipy.ndimage import find_objects

    (box,) = find_objects(mask.astype(np.int8))
    return tuple(box)


def join_basins(numbers: Any, depth: Any, neck: float) -> Numbers:
    """Return basins with neighbours joined, widest necks first, until every neck is below `neck` of the narrower side.

    The width of a basin is its greatest depth, that of a neck the greatest depth on the border of two basins. Two bones
    that touch have their widest places about the sum of their widths apart; where they are much further apart the neck
    is rather the shaft of one long bone, and counts more.
    """
    count = int(numbers.max()) + 1
    order = np.lexsort((depth.ravel(), numbers.ravel()))  # the last of each basin is its deepest voxel
    deepest = np.zeros(count, np.int64)
    deepest[numbers.ravel()[order]] = order
    width = depth.ravel()[deepest].astype(float)
    place = np.stack(np.unravel_index(deepest, numbers.shape), axis=1).astype(float)
    near: dict[int, dict[int, float]] = {}
    for (a, b), saddle in _passes(numbers, depth).items():
        near.setdefault(a, {})[b] = near.setdefault(b, {})[a] = saddle

    def share(a: int, b: int) -> float:
        long = np.linalg.norm(place[a] - place[b]) > _LONG * (width[a] + width[b])
        return near[a][b] / min(width[a], width[b]) * (_SHAFT if long else 1.0)

    owner = np.arange(count)
    queue = [(-share(a, b), a, b) for a in near for b in near[a] if a < b]
    heapify(queue)
    while queue:
        known, a, b = heappop(queue)
        if b not in near.get(a, {}) or -known != share(a, b):
            continue  # out of date
        if -known < neck:
            break
        owner[owner == b] = a
        if width[b] > width[a]:
            width[a], place[a] = width[b], place[b]
        for other, value in near.pop(b).items():
            near[other].pop(b)
            if other != a:
                near[a][other] = near[other][a] = max(near[a].get(other, 0.0), value)
        for other in near[a]:
            heappush(queue, (-share(min(a, other), max(a, other)), min(a, other), max(a, other)))
    return owner[numbers].astype(np.int32)


def _passes(numbers: Any, depth: Any) -> dict[tuple[int, int], float]:
    """Return the widest pass between each two basins that touch."""
    found: dict[tuple[int, int], float] = {}
    for axis in range(3):
        one, two = (np.moveaxis(numbers, axis, 0)[part] for part in (slice(None, -1), slice(1, None)))
        deep = np.minimum(*(np.moveaxis(depth, axis, 0)[part] for part in (slice(None, -1), slice(1, None))))
        meet = (one != two) & (one > 0) & (two > 0)
        low, high = np.minimum(one[meet], two[meet]), np.maximum(one[meet], two[meet])
        key = low.astype(np.int64) * (int(numbers.max()) + 1) + high
        pairs, index = np.unique(key, return_inverse=True)
        widest = np.zeros(len(pairs))
        np.maximum.at(widest, index, deep[meet])
        for pair, value in zip(pairs, widest, strict=True):
            ends = (int(pair) // (int(numbers.max()) + 1), int(pair) % (int(numbers.max()) + 1))
            found[ends] = max(found.get(ends, 0.0), float(value))
    return found
