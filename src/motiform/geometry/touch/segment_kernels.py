"""Balls and capsules: the places of two segments that are nearest to one another [Ericson05 §5.1.9]."""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, routine
from motiform.geometry.touch.columns import BALL, CAPSULE
from motiform.spatial.algebra import axpy, dot, scale, sub

__all__ = ["NONE", "has_segment", "nearest_places", "segment_gap"]

NONE = 1e-7  # of the size: distances whose direction would be lost to rounding


@inline
def has_segment(kind):
    """Return whether a kind is a skin about a segment or a point."""
    return kind in (BALL, CAPSULE)


@inline
def _inside(t, half):
    return -half if t < -half else half if t > half else t


@inline
def nearest_places(u, half, e, other, o):
    """Return s and t within the half lengths for which |u s − o − e t| is least, and that vector; u and e are unit."""
    c, d, f = dot(u, e), dot(u, o), dot(o, e)
    det = 1.0 - c * c
    s = _inside((d - c * f) / det, half) if det > 1e-12 else 0.0
    t = _inside(c * s - f, other)
    s = _inside(d + c * t, half)
    t = _inside(c * s - f, other)
    return s, t, sub(axpy(-t, e, scale(s, u)), o)


@routine
def segment_gap(F, pair, size):
    """Return whether cores are apart, and then gap, N and x_A of two balls or capsules.

    A's segment is along y, B's along the second column of R, both about their origins.
    """
    i, j, R, o = pair[1], pair[3], pair[4], pair[5]
    half = F[i + 1] if pair[0] == CAPSULE else 0.0
    other = F[j + 1] if pair[2] == CAPSULE else 0.0
    e = R[1], R[4], R[7]
    s, _, v = nearest_places((0.0, 1.0, 0.0), half, e, other, o)
    far = math.sqrt(dot(v, v))
    if far <= NONE * size:
        return False, 0.0, v, v
    n = scale(1.0 / far, v)
    return True, far - F[i] - F[j], n, axpy(-F[i], n, (0.0, s, 0.0))
