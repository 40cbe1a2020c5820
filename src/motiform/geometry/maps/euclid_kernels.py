# mypy: disable-error-code="no-untyped-def"
"""Squared Euclidean distances, one axis after the other: the lower envelope of parabolas [Felzenszwalb12]."""

import math

from motiform.base.kernels import inline, kernel

__all__ = ["BLOCKS", "sweep_lines"]

BLOCKS = 256
"""Blocks of neighbouring lines that share a workspace; their number does not change results."""


@kernel
def sweep_lines(block, labels, squared, axis, first, weight, border, heights, places, bounds):
    """Sweep the lines of a block along an axis; `weight` is the squared spacing, `first` the first of three sweeps."""
    nx, ny, nz = labels.shape
    count = ny * nz if axis == 0 else (nx * nz if axis == 1 else nx * ny)
    lines = (count + BLOCKS - 1) // BLOCKS
    for line in range(block * lines, min((block + 1) * lines, count)):
        if axis == 0:
            _sweep(labels[:, line // nz, line % nz], squared[:, line // nz, line % nz], first, weight, border,
                   heights[block], places[block], bounds[block])  # fmt: skip
        elif axis == 1:
            _sweep(labels[line // nz, :, line % nz], squared[line // nz, :, line % nz], first, weight, border,
                   heights[block], places[block], bounds[block])  # fmt: skip
        else:
            _sweep(labels[line // ny, line % ny, :], squared[line // ny, line % ny, :], first, weight, border,
                   heights[block], places[block], bounds[block])  # fmt: skip


@inline
def _sweep(label, squared, first, weight, border, height, place, bound):
    """Sweep one line: within each run of one label, the least of own parabolas and those at its ends."""
    count, start = label.shape[0], 0
    while start < count:
        end = start + 1
        while end < count and label[end] == label[start]:
            end += 1
        if label[start] != 0:
            low = start > 0 or border
            high = end < count or border
            if first:
                _ends(squared, start, end, low, high, weight)
            else:
                _envelope(squared, start, end, low, high, weight, height, place, bound)
        else:
            for k in range(start, end):
                squared[k] = 0.0
        start = end


@inline
def _ends(squared, start, end, low, high, weight):
    for k in range(start, end):
        near = math.inf
        if low:
            near = weight * (k - start + 1.0) ** 2
        if high:
            near = min(near, weight * (end - k + 0.0) ** 2)
        squared[k] = near


@inline
def _envelope(squared, start, end, low, high, weight, height, place, bound):
    """Keep parabolas height + weight (k − place)² with the bound from which each is the lowest; then read them off."""
    last = -1
    for k in range(start, end):
        f = squared[k]
        if f == math.inf:
            continue
        meet = -math.inf
        while last >= 0:
            apart = float(k - place[last])
            meet = 0.5 * ((f - height[last]) / (weight * apart) + (k + place[last]))
            if meet > bound[last]:
                break
            last -= 1
        last += 1
        height[last], place[last], bound[last] = f, k, (meet if last > 0 else -math.inf)
    at = 0
    for k in range(start, end):
        near = math.inf
        if last >= 0:
            while at < last and bound[at + 1] < k:
                at += 1
            near = height[at] + weight * float(k - place[at]) ** 2
        if low:
            near = min(near, weight * (k - start + 1.0) ** 2)
        if high:
            near = min(near, weight * (end - k + 0.0) ** 2)
        squared[k] = near
