"""A torus and another solid: where the distance of its middle line from the other is least.

The distance of a circle from a solid may have several minima, so that links of a chain and rings on a bar touch at all
their places. Points that are spread over the ring hold one that lies flat.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, routine
from motiform.geometry.solids.dispatch_kernels import curved_distance
from motiform.geometry.touch.columns import AT_SECOND, BALL, ELLIPSOID, HULL
from motiform.geometry.touch.distance_kernels import core_gap
from motiform.geometry.touch.manifold_kernels import _choose, _write
from motiform.spatial.algebra import axpy, dot, sub, tmul, transform

__all__ = ["touch_ring"]

_LOOKS = 16  # places around the ring
_HALVINGS = 50


@inline
def _circle(radius, angle):
    s, c = math.sin(angle), math.cos(angle)
    return (radius * s, 0.0, radius * c), (radius * c, 0.0, -radius * s)


@routine
def _probe(F, pair, size, S, angle):
    """Return distance of the middle line at an angle from B, N there, and the slope by the angle."""
    x, along = _circle(F[pair[1]], angle)
    kind, at, R = pair[2], pair[3], pair[4]
    if kind in (HULL, ELLIPSOID):  # at the end of the array a ball without a radius is kept
        gap, n, _ = core_gap(F, (BALL, F.shape[0] - 4, kind, at, R, sub(pair[5], x)), size, S)
        return gap, n, dot(n, along)
    y = tmul(R, sub(x, pair[5]))
    gap, n, _, _ = curved_distance(kind, (F[at], F[at + 1], F[at + 2], F[at + 3]), y)
    n = transform(R, n)
    return gap, n, dot(n, along)


@routine
def _least(F, pair, size, S, low, high):
    """Return the angle between two where the slope changes its sign."""
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if _probe(F, pair, size, S, middle)[2] < 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@routine
def touch_ring(F, pair, size, reach, S, T):
    """Write the points at which a torus A and B touch, in A's frame; return their number and the gap of both."""
    step, tube, row = 2.0 * math.pi / _LOOKS, F[pair[1] + 1], AT_SECOND
    for k in range(_LOOKS):
        gap, _, slope = _probe(F, pair, size, S, step * k)
        S[row + k, 6], S[row + k, 7] = gap - tube, slope
    count, minima, first = 0, 0, row + _LOOKS
    least = math.inf
    for j in range(2 * _LOOKS):  # minima, then the other places
        k = j % _LOOKS
        angle, between = step * k, S[row + k, 7] < 0.0 and S[row + (k + 1) % _LOOKS, 7] > 0.0
        if between != (j < _LOOKS):
            continue
        if between:
            angle = _least(F, pair, size, S, angle, angle + step)
        gap, n, _ = _probe(F, pair, size, S, angle)
        gap -= tube
        least = min(least, gap)
        if gap <= reach:
            x, _ = _circle(F[pair[1]], angle)
            site = axpy(-tube - 0.5 * gap, n, x)
            S[first + count, 0], S[first + count, 1], S[first + count, 2] = site
            S[first + count, 3], S[first + count, 6] = gap, angle
            count += 1
            minima += between
    _choose(S, first, count, 1e-5 * size, minima)
    kept = 0
    for k in range(count):
        if S[first + k, 4] > 0.0:
            _, n, _ = _probe(F, pair, size, S, S[first + k, 6])
            _write(T, kept, S[first + k, 3], (S[first + k, 0], S[first + k, 1], S[first + k, 2]), n)
            kept += 1
    return kept, least
