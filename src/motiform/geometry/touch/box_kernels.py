"""Two boxes: the axis along which they overlap least, of 15 [Gottschalk96]."""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, routine
from motiform.spatial.algebra import dot, scale

__all__ = ["box_gap"]

_PARALLEL = 1e-12  # square of the sine of two edges that have no normal in common
_EDGE = 1e-9  # of the size: by so much the normal of two edges must be better than that of a face


@inline
def _reach(h, n):
    return h[0] * math.fabs(n[0]) + h[1] * math.fabs(n[1]) + h[2] * math.fabs(n[2])


@routine
def box_gap(a, b, R, o):
    """Return the greatest gap over the 15 axes, negative where boxes overlap, and N from B to A, in A's frame.

    a and b are half edges, B has axes R (columns) and centre o. Apart, this is at most the distance.
    """
    C = (
        (math.fabs(R[0]), math.fabs(R[1]), math.fabs(R[2])),
        (math.fabs(R[3]), math.fabs(R[4]), math.fabs(R[5])),
        (math.fabs(R[6]), math.fabs(R[7]), math.fabs(R[8])),
    )
    best, n = -math.inf, (0.0, 1.0, 0.0)
    for j in range(3):  # y first, as elsewhere
        k = 1 if j == 0 else 0 if j == 1 else 2
        row = C[0] if k == 0 else C[1] if k == 1 else C[2]
        shift = o[0] if k == 0 else o[1] if k == 1 else o[2]
        half = a[0] if k == 0 else a[1] if k == 1 else a[2]
        gap = math.fabs(shift) - half - dot(b, row)
        if gap > best:
            best, s = gap, math.copysign(1.0, -shift)
            n = (s, 0.0, 0.0) if k == 0 else (0.0, s, 0.0) if k == 1 else (0.0, 0.0, s)
    for j in range(3):
        k = 1 if j == 0 else 0 if j == 1 else 2
        e = (R[0], R[3], R[6]) if k == 0 else (R[1], R[4], R[7]) if k == 1 else (R[2], R[5], R[8])
        half = b[0] if k == 0 else b[1] if k == 1 else b[2]
        shift = dot(o, e)
        gap = math.fabs(shift) - half - _reach(a, e)
        if gap > best + _EDGE * half:
            best, n = gap, scale(math.copysign(1.0, -shift), e)
    least = best + _EDGE * (a[0] + a[1] + a[2] + b[0] + b[1] + b[2])
    for k in range(3):
        e = (R[0], R[3], R[6]) if k == 0 else (R[1], R[4], R[7]) if k == 1 else (R[2], R[5], R[8])
        for i in range(3):
            m = (0.0, -e[2], e[1]) if i == 0 else (e[2], 0.0, -e[0]) if i == 1 else (-e[1], e[0], 0.0)
            square = dot(m, m)
            if square <= _PARALLEL:
                continue
            m = scale(1.0 / math.sqrt(square), m)
            shift = dot(o, m)
            other = (
                m[0] * R[0] + m[1] * R[3] + m[2] * R[6],
                m[0] * R[1] + m[1] * R[4] + m[2] * R[7],
                m[0] * R[2] + m[1] * R[5] + m[2] * R[8],
            )
            gap = math.fabs(shift) - _reach(a, m) - _reach(b, other)
            if gap > least:
                least = best = gap
                n = scale(math.copysign(1.0, -shift), m)
    return best, n
