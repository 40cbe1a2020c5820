"""The smooth union of placed solids: its value and gradient at points, and distances of groups of solids."""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, kernel
from motiform.geometry.solids.dispatch_kernels import distance, load_size
from motiform.spatial.algebra import add, axpy, load3, load9, norm, scale, sub, tmul, transform

__all__ = ["group_distances", "smooth_union"]

_FAR = 12.0  # blend lengths beyond the nearest solid at which another counts no more: exp(−12) = 6e-6


@inline
def _at(k, x, solids):
    """Return distance and gradient of solid k at a point of the world."""
    kinds, sizes, frames = solids[:3]
    R = load9(frames, k)
    d, n = distance(kinds[k], load_size(sizes, k, 0), tmul(R, sub(x, (frames[k, 9], frames[k, 10], frames[k, 11]))))
    return d, transform(R, n)


@inline
def _to_box(k, x, boxes):
    """Return how far a point is from the box around solid k [m], 0 inside."""
    return norm(
        (
            max(boxes[k, 0] - x[0], 0.0, x[0] - boxes[k, 3]),
            max(boxes[k, 1] - x[1], 0.0, x[1] - boxes[k, 4]),
            max(boxes[k, 2] - x[2], 0.0, x[2] - boxes[k, 5]),
        )
    )


@inline
def _joined(sums, d, n, blend):
    """Return the sums of a smooth union with one more distance: the least, Σ exp and Σ exp ∇d, over the least's."""
    least, total, g = sums
    if d < least:
        old = math.exp((d - least) / blend)  # all terms count from the least distance: none overflows
        return d, old * total + 1.0, add(scale(old, g), n)
    w = math.exp((least - d) / blend)
    return least, total + w, axpy(w, n, g)


@inline
def _value(sums, blend):
    """Return value and gradient of a smooth union by its sums."""
    least, total, g = sums
    return least - blend * math.log(total), scale(1.0 / total, g)


@kernel
def smooth_union(i, points, solids, group, blends, blend, out):
    """Write −h ln Σ exp(−d/h) and its gradient Σ w ∇d, w = exp(−d/h) over its sum.

    d are the smooth unions of groups of solids, each likewise with an h of its own; solids of a group are in a row.
    """
    x = load3(points, i)
    whole, own = (1e300, 0.0, (0.0, 0.0, 0.0)), (1e300, 0.0, (0.0, 0.0, 0.0))
    for k in range(len(group)):
        if _to_box(k, x, solids[3]) < min(whole[0], own[0]) + _FAR * blend:
            d, n = _at(k, x, solids)
            own = _joined(own, d, n, blends[group[k]])
        if (k + 1 == len(group) or group[k + 1] != group[k]) and own[1] > 0.0:
            d, n = _value(own, blends[group[k]])
            whole = _joined(whole, d, n, blend)
            own = (1e300, 0.0, (0.0, 0.0, 0.0))
    d, n = _value(whole, blend)
    out[i, 0] = d
    out[i, 1], out[i, 2], out[i, 3] = n


@kernel
def group_distances(i, points, solids, group, out):
    """Write the least signed distance to the solids of each group; `out` begins large."""
    x = load3(points, i)
    for k in range(len(solids[0])):
        if _to_box(k, x, solids[3]) < out[i, group[k]]:
            out[i, group[k]] = min(out[i, group[k]], _at(k, x, solids)[0])
