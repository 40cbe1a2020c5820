"""Features of two solids that touch: a corner on a face, two edges that cross, with the radius of a skin about them.

Each side is a point, a line or a flat face of its solid; the gap of such a pair is smooth. With ρ the velocity of the
place of contact over the surface of a side, K the curvature of that surface, w = v_A − v_B at the place and n from B
to A [Montana88]

    w = ρ_B − ρ_A,    (ω_A − ω_B) × n = K_A ρ_A + K_B ρ_B,    u̇ = a_A − a_B + ω_A × ρ_A − ω_B × ρ_B,
    gap¨ = n · (a_A − a_B) + 2 n · (ω_A × ρ_A − ω_B × ρ_B) + ρ_A · K_A ρ_A + ρ_B · K_B ρ_B.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, routine
from motiform.geometry.touch.columns import MOST, TOUCH_FLOATS
from motiform.motion.contact import columns as c
from motiform.motion.contact.pose_kernels import obstacle_pose, point_pose
from motiform.motion.tree.kernels.memory import ix, row3
from motiform.spatial.algebra import add, axpy, cross, dot, scale, sub, transform

__all__ = ["feature_at", "feature_place", "feature_terms", "slot_place"]

_SHARP = 1e12  # [1/m] curvature that stands for an edge's
_ALONG = 1e-13  # sine of a tangent that is along a line


@inline
def slot_place(cints, cfloats, pair):
    """Return where the point of two solids that is this pair stands in the floats."""
    slot = pair - cints[c.FIRST_SLOT]
    block = cints[c.AT_SOLIDS] + c.SOLID_INTS * (slot // MOST)
    return int(cfloats[ix(cints[ix(block + 6)] + 2)]) + TOUCH_FLOATS * (slot % MOST)


@inline
def feature_place(cints, cfloats, pair):
    """Return where the feature of this pair stands in the floats: after the table of its solids."""
    slot = pair - cints[c.FIRST_SLOT]
    block = cints[c.AT_SOLIDS] + c.SOLID_INTS * (slot // MOST)
    table = int(cfloats[ix(cints[ix(block + 6)] + 2)])
    return table + MOST * TOUCH_FLOATS + c.FEATURE_FLOATS * (slot % MOST)


@inline
def _unit(a):
    size = math.sqrt(dot(a, a))
    return (scale(1.0 / size, a) if size > 0.0 else a), size


@inline
def _off_line(p, q, d):
    """Return the part of p − q across a direction d."""
    x = sub(p, q)
    return axpy(-dot(x, d), d, x)


@routine
def feature_at(ints, cints, cfloats, pair, work):
    """Return gap, place and normal of a feature, and the directions of its two sides, in the world."""
    at = feature_place(cints, cfloats, pair)
    own = cints[c.AT_PAIRS] + c.PAIR_INTS * pair
    RA, oA = point_pose(ints, cints, cfloats, cints[ix(own)], work)
    RB, oB = obstacle_pose(ints, cints, cfloats, cints[ix(own + 1)], work)
    a, b = int(cfloats[ix(at)]), int(cfloats[ix(at + 1)])
    first, second = at + c.SIDE_A, at + c.SIDE_B
    p, d = add(oA, transform(RA, row3(cfloats, first))), transform(RA, row3(cfloats, first + 3))
    q, e = add(oB, transform(RB, row3(cfloats, second))), transform(RB, row3(cfloats, second + 3))
    r, s = cfloats[ix(first + 6)], cfloats[ix(second + 6)]
    if b == c.FLAT:
        gap = dot(e, sub(p, q)) - r
        return gap, axpy(-r - 0.5 * gap, e, p), e, d, e
    if a == c.FLAT:
        n = scale(-1.0, d)
        gap = dot(n, sub(p, q)) - s
        return gap, axpy(s + 0.5 * gap, n, q), n, d, e
    if a == c.LINE and b == c.LINE:
        n, size = _unit(cross(d, e))
        n = scale(cfloats[ix(at + c.SENSE)], n)
        x = sub(p, q)
        gap = dot(n, x) - r - s
        foot = axpy(dot(cross(d, x), cross(d, e)) / (size * size), e, q)
        return gap, axpy(s + 0.5 * gap, n, foot), n, d, e
    x = _off_line(p, q, e) if b == c.LINE else _off_line(p, q, d) if a == c.LINE else sub(p, q)
    n, size = _unit(x)
    gap = size - r - s
    foot = sub(p, x) if b == c.LINE else q
    return gap, axpy(s + 0.5 * gap, n, foot), n, d, e


@inline
def _curvature(kind, radius, d, t1, t2):
    """Return K = k I + m p pᵀ of a side in two tangents as k, m, p: 1/r at a point, 1/r across d at a line."""
    k = 1.0 / radius if radius * _SHARP > 1.0 else _SHARP
    if kind == c.POINT:
        return k, 0.0, 0.0, 0.0
    x, y = dot(t1, d), dot(t2, d)
    # what is along the line is not bent at all
    return 0.0, (0.0 if kind == c.FLAT else k), (0.0 if math.fabs(y) < _ALONG else -y), x


@inline
def _bent(k, x, y):
    """Return x · K x."""
    across = k[2] * x + k[3] * y
    return k[0] * (x * x + y * y) + k[1] * across * across


@routine
def feature_terms(cints, cfloats, pair, n, d, e, oA, oB, w):
    """Return what u̇ has besides a_A − a_B, and gap¨ besides its part along n."""
    at = feature_place(cints, cfloats, pair)
    a, b = int(cfloats[ix(at)]), int(cfloats[ix(at + 1)])
    r, s = cfloats[ix(at + c.SIDE_A + 6)], cfloats[ix(at + c.SIDE_B + 6)]
    # a basis along the sharper of two lines: what its curvature is added to is not lost
    along = e if b == c.LINE and (a != c.LINE or s < r) else d
    if a != c.LINE and b != c.LINE:
        along = (1.0, 0.0, 0.0) if math.fabs(n[0]) < 0.9 else (0.0, 1.0, 0.0)
    t1, _ = _unit(axpy(-dot(n, along), n, along))
    t2 = cross(t1, n)
    ka, kb = _curvature(a, r, d, t1, t2), _curvature(b, s, e, t1, t2)
    turn, w1, w2 = cross(sub(oA, oB), n), dot(t1, w), dot(t2, w)
    across = kb[1] * (kb[2] * w1 + kb[3] * w2)
    y1 = dot(t1, turn) - kb[0] * w1 - kb[2] * across
    y2 = dot(t2, turn) - kb[0] * w2 - kb[3] * across
    m11 = ka[0] + kb[0] + ka[1] * ka[2] * ka[2] + kb[1] * kb[2] * kb[2]
    m12 = ka[1] * ka[2] * ka[3] + kb[1] * kb[2] * kb[3]
    m22 = ka[0] + kb[0] + ka[1] * ka[3] * ka[3] + kb[1] * kb[3] * kb[3]
    det = m11 * m22 - m12 * m12
    x1, x2 = 0.0, 0.0
    if det > 0.0:
        x1, x2 = (m22 * y1 - m12 * y2) / det, (m11 * y2 - m12 * y1) / det
    x, y = add(scale(x1, t1), scale(x2, t2)), add(scale(x1 + w1, t1), scale(x2 + w2, t2))
    shift = sub(cross(oA, x), cross(oB, y))
    return shift, 2.0 * dot(n, shift) + _bent(ka, x1, x2) + _bent(kb, x1 + w1, x2 + w2)
