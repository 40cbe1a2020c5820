"""A direction that is about the normal of two solids near one another: where a ray leaves their difference [Snethen08].

The ray goes from the difference of both middles, inside A − B, through the origin. Three points of the surface whose
triangle it pierces, the portal, are replaced one by one by farther ones. The sign of the gap does not matter.
"""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import inline, routine
from motiform.geometry.touch.refine_kernels import difference
from motiform.spatial.algebra import cross, dot, norm, scale, sub

__all__ = ["portal_normal"]

_SEARCH, _PUSH = 8, 6
_ROUGH = 0.02  # of the size: by so much the surface may be beyond the portal


@inline
def _triple(a, b, c):
    return dot(cross(a, b), c)


@routine
def portal_normal(F, pair, size):
    """Return a direction that is about N, and whether it is found; middles of both are inside of them."""
    v = scale(-1.0, pair[5])
    if not dot(v, v) > 0.0:
        return v, False
    a, _ = difference(F, pair, pair[5])
    d = cross(a, v)
    if dot(d, d) <= 1e-12 * dot(a, a) * dot(v, v):
        return scale(1.0 / norm(v), v), True
    b, _ = difference(F, pair, d)
    d = cross(sub(a, v), sub(b, v))
    if dot(d, v) > 0.0:
        a, b, d = b, a, scale(-1.0, d)
    c, found = a, False
    for _ in range(_SEARCH):
        c, _ = difference(F, pair, d)
        if _triple(a, c, v) < 0.0:
            b = c
        elif _triple(c, b, v) < 0.0:
            a = c
        else:
            found = True
            break
        d = cross(sub(a, v), sub(b, v))
    if not found:
        return v, False
    for _ in range(_PUSH):
        d = cross(sub(b, a), sub(c, a))
        length = norm(d)
        if not length > 0.0:
            return v, False
        d = scale(1.0 / length, d)
        w, _ = difference(F, pair, d)
        if dot(sub(w, c), d) <= _ROUGH * size:
            break
        side = cross(w, v)
        if dot(a, side) > 0.0:
            if dot(b, side) > 0.0:
                a = w
            else:
                c = w
        elif dot(c, side) > 0.0:
            b = w
        else:
            a = w
    return scale(-1.0, d), True
