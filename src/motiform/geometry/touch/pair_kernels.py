"""Any two solids that may touch, at their places in the world."""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, kernel, routine
from motiform.geometry.touch.columns import CAPSULE, GAP, NORMAL, SITE, TORUS
from motiform.geometry.touch.manifold_kernels import ACROSS, touch_pair
from motiform.geometry.touch.ring_kernels import touch_ring
from motiform.geometry.touch.segment_kernels import NONE, has_segment, nearest_places
from motiform.spatial.algebra import add, axpy, dot, load9, matmul, scale, sub, tmul, transform

__all__ = ["many_touches", "touch_solids"]


@inline
def _turned(m):
    """Return the transpose."""
    return m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]


@routine
def _touch_segments(F, a, at, RA, oA, b, bt, RB, oB, size, reach, T):
    """Write the one point of balls and capsules, as `touch_solids`; −1 of them where they are parallel or meet."""
    u, e = (RA[1], RA[4], RA[7]), (RB[1], RB[4], RB[7])
    c = dot(u, e)
    if a == CAPSULE and b == CAPSULE and 1.0 - c * c <= ACROSS * ACROSS:
        return -1, 0.0
    half, other = F[at + 1] if a == CAPSULE else 0.0, F[bt + 1] if b == CAPSULE else 0.0
    s, _, v = nearest_places(u, half, e, other, sub(oB, oA))
    far = math.sqrt(dot(v, v))
    if far <= NONE * size:
        return -1, 0.0
    gap = far - F[at] - F[bt]
    if gap > reach:
        return 0, gap
    n = scale(1.0 / far, v)
    T[0, GAP] = gap
    T[0, SITE], T[0, SITE + 1], T[0, SITE + 2] = axpy(-F[at] - 0.5 * gap, n, axpy(s, u, oA))
    T[0, NORMAL], T[0, NORMAL + 1], T[0, NORMAL + 2] = n
    return 1, gap


@routine
def touch_solids(F, a, at, RA, oA, b, bt, RB, oB, load, size, reach, S, T):
    """Write the points at which two solids at their places touch, in the world; return their number and the gap.

    a and b are kinds, `at` and `bt` where their numbers begin in F. N points from B to A. `load` is the force on A, or
    none: a normal that is open follows it.
    """
    if has_segment(a) and has_segment(b):
        count, gap = _touch_segments(F, a, at, RA, oA, b, bt, RB, oB, size, reach, T)
        if count >= 0:
            return count, gap
    swap = b == TORUS and a != TORUS
    if swap:
        a, at, RA, oA, b, bt, RB, oB, load = b, bt, RB, oB, a, at, RA, oA, scale(-1.0, load)
    pair = (a, at, b, bt, matmul(_turned(RA), RB), tmul(RA, sub(oB, oA)))
    if a == TORUS:
        count, gap = touch_ring(F, pair, size, reach, S, T)
    else:
        count, gap = touch_pair(F, pair, tmul(RA, load), size, reach, S, T)
    for k in range(count):
        site = add(transform(RA, (T[k, SITE], T[k, SITE + 1], T[k, SITE + 2])), oA)
        n = transform(RA, (T[k, NORMAL], T[k, NORMAL + 1], T[k, NORMAL + 2]))
        n = scale(-1.0, n) if swap else n
        T[k, SITE], T[k, SITE + 1], T[k, SITE + 2] = site
        T[k, NORMAL], T[k, NORMAL + 1], T[k, NORMAL + 2] = n
    return count, gap


@routine
def _touch_row(i, F, ints, poses, size, reach, S, out, gaps, counts):
    RA, oA = load9(poses, i), (poses[i, 9], poses[i, 10], poses[i, 11])
    RB = (
        poses[i, 12], poses[i, 13], poses[i, 14], poses[i, 15], poses[i, 16], poses[i, 17], poses[i, 18], poses[i, 19],
        poses[i, 20],
    )  # fmt: skip
    oB, load = (poses[i, 21], poses[i, 22], poses[i, 23]), (poses[i, 24], poses[i, 25], poses[i, 26])
    counts[i], gaps[i] = touch_solids(
        F, ints[i, 0], ints[i, 1], RA, oA, ints[i, 2], ints[i, 3], RB, oB, load, size[i], reach, S, out[i]
    )


@kernel
def many_touches(k, parts, F, ints, poses, size, reach, room, out, gaps, counts):
    """Touch the pairs of part k, one after the other in the same room: ints (kind, place, kind, place), poses (27)."""
    n = ints.shape[0]
    for i in range(k * n // parts, (k + 1) * n // parts):
        _touch_row(i, F, ints, poses, size, reach, room[k], out, gaps, counts)
