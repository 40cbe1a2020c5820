"""Features of two solids that touch: a corner on a face, edges that cross, curved surfaces (`side_kernels`).

The gap of such a pair is smooth. Where no face is flat its places are found by Newton's method: normals that are
opposite, and a connecting line along them. With ρ the velocity of the place of contact over the surface of a side, K
the curvature of that surface, w = v_A − v_B at the place and n from B to A [Montana88]

    w = ρ_B − ρ_A,    (ω_A − ω_B) × n = K_A ρ_A + K_B ρ_B,    u̇ = a_A − a_B + ω_A × ρ_A − ω_B × ρ_B,
    gap¨ = n · (a_A − a_B) + 2 n · (ω_A × ρ_A − ω_B × ρ_B) + ρ_A · K_A ρ_A + ρ_B · K_B ρ_B.

Edges and corners have no K. All is taken on the parallel surfaces at a distance s outside, with K' = K (1 + s K)⁻¹ and
ρ = (1 − s K') ρ', K ρ = K' ρ': these overlap by 2 s, and the gap changes as theirs does.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, routine
from motiform.geometry.touch.columns import MOST, TOUCH_FLOATS
from motiform.motion.contact import columns as contact_columns
from motiform.motion.contact.pose_kernels import obstacle_pose, point_pose
from motiform.motion.contact.side_kernels import lowest, nearest, off_line, outside_rim, side_bend, unit
from motiform.motion.tree.kernels.memory import ix, row3
from motiform.spatial.algebra import add, axpy, cross, dot, scale, sub, transform

__all__ = ["beyond_rims", "feature_at", "feature_gap", "feature_place", "feature_terms", "slot_place"]

_ROUNDS = 30
_EXACT = 1e-15  # of the offset: a step of Newton's method that changes nothing
_STRIDE = 0.5  # of the offset: its longest step


@inline
def slot_place(cints, cfloats, pair):
    """Return where the point of two solids that is this pair stands in the floats."""
    slot = pair - cints[contact_columns.FIRST_SLOT]
    block = cints[contact_columns.AT_SOLIDS] + contact_columns.SOLID_INTS * (slot // MOST)
    return int(cfloats[ix(cints[ix(block + 6)] + 2)]) + TOUCH_FLOATS * (slot % MOST)


@inline
def feature_place(cints, cfloats, pair):
    """Return where the feature of this pair stands in the floats: after the table of its solids."""
    slot = pair - cints[contact_columns.FIRST_SLOT]
    block = cints[contact_columns.AT_SOLIDS] + contact_columns.SOLID_INTS * (slot // MOST)
    table = int(cfloats[ix(cints[ix(block + 6)] + 2)])
    return table + MOST * TOUCH_FLOATS + contact_columns.FEATURE_FLOATS * (slot % MOST)


@inline
def _side(F, at, more, kind, R, o):
    """Return place, direction, radius and more of a side, in the world."""
    d = row3(F, at + 3)
    if kind != contact_columns.OVAL:
        d = transform(R, d)
    return add(o, transform(R, row3(F, at))), d, F[ix(at + 6)], (F[ix(more)], F[ix(more + 1)])


@inline
def _tangents(n):
    e = (1.0, 0.0, 0.0) if math.fabs(n[0]) < 0.9 else (0.0, 1.0, 0.0)
    t1, _ = unit(axpy(-dot(n, e), n, e))
    return t1, cross(t1, n)


@inline
def _times(k, x, y):
    return k[0] * x + k[1] * y, k[1] * x + k[2] * y


@inline
def _meet(ka, kb, s, gap, f1, f2, g1, g2):
    """Return a, b with K'_A a + K'_B b = f and (1 − s K'_A) a − (1 − s K'_B) b − gap K'_B b = g, in two tangents.

    They are how far the places go over both parallel surfaces.
    """
    e11, e12, e22 = 1.0 + (gap - 2.0 * s) * kb[0], (gap - 2.0 * s) * kb[1], 1.0 + (gap - 2.0 * s) * kb[2]
    c1, c2 = g1 + s * f1, g2 + s * f2
    m11, m12 = ka[0] * e11 + ka[1] * e12 + kb[0], ka[0] * e12 + ka[1] * e22 + kb[1]
    m21, m22 = ka[1] * e11 + ka[2] * e12 + kb[1], ka[1] * e12 + ka[2] * e22 + kb[2]
    k1, k2 = _times(ka, c1, c2)
    y1, y2 = f1 - k1, f2 - k2
    det = m11 * m22 - m12 * m21
    b1, b2 = 0.0, 0.0
    if det != 0.0:
        b1, b2 = (m22 * y1 - m12 * y2) / det, (m11 * y2 - m21 * y1) / det
    return e11 * b1 + e12 * b2 + c1, e12 * b1 + e22 * b2 + c2, b1, b2


@routine
def _search(a, b, A, B, RA, RB, s, n, x, y):
    """Return gap, place and normal where two curved sides are nearest to one another, from places x and y on."""
    (p, d, r, more), (q, e, t, less) = A, B
    x, y = axpy(-s, n, x), axpy(s, n, y)
    done = False
    for _ in range(_ROUNDS):
        xa, ma = nearest(a, p, d, r, more, RA, x)
        xb, mb = nearest(b, q, e, t, less, RB, y)
        n, _ = unit(sub(mb, ma))
        if done:
            break
        t1, t2 = _tangents(n)
        ka = side_bend(a, p, d, r, more, RA, xa, ma, s, t1, t2)
        kb = side_bend(b, q, e, t, less, RB, xb, mb, s, t1, t2)
        w, z = sub(xb, xa), scale(-1.0, add(ma, mb))
        a1, a2, b1, b2 = _meet(ka, kb, s, -dot(n, w), dot(t1, z), dot(t2, z), dot(t1, w), dot(t2, w))
        step = math.sqrt(a1 * a1 + a2 * a2 + b1 * b1 + b2 * b2)
        done = step <= _EXACT * s
        size = min(1.0, _STRIDE * s / step) if step > 0.0 else 1.0
        x = add(axpy(s, ma, xa), scale(size, add(scale(a1, t1), scale(a2, t2))))
        y = add(axpy(s, mb, xb), scale(size, add(scale(b1, t1), scale(b2, t2))))
    gap = dot(n, sub(xa, xb))
    return gap, scale(0.5, add(xa, xb)), n


@routine
def feature_gap(F, at, RA, oA, RB, oB):
    """Return gap, place and normal of a feature of two solids in the world."""
    a, b = int(F[ix(at)]), int(F[ix(at + 1)])
    A = _side(F, at + contact_columns.SIDE_A, at + contact_columns.MORE_A, a, RA, oA)
    B = _side(F, at + contact_columns.SIDE_B, at + contact_columns.MORE_B, b, RB, oB)
    p, d, r, more = A
    q, e, s, less = B
    if b == contact_columns.FLAT:
        x = lowest(a, p, d, r, more, RA, scale(-1.0, e))
        gap = dot(e, sub(x, q))
        return gap, axpy(-0.5 * gap, e, x), e
    if a == contact_columns.FLAT:
        n = scale(-1.0, d)
        x = lowest(b, q, e, s, less, RB, n)
        gap = dot(n, sub(p, x))
        return gap, axpy(0.5 * gap, n, x), n
    if a > contact_columns.GONE or b > contact_columns.GONE:
        n, i = row3(F, at + contact_columns.ANCHOR), at + contact_columns.ANCHOR
        return _search(
            a, b, A, B, RA, RB, F[ix(at + contact_columns.OFFSET)], n, add(oA, row3(F, i + 3)), add(oB, row3(F, i + 6))
        )
    if a == contact_columns.LINE and b == contact_columns.LINE:
        n, size = unit(cross(d, e))
        n = scale(F[ix(at + contact_columns.SENSE)], n)
        x = sub(p, q)
        gap = dot(n, x) - r - s
        foot = axpy(dot(cross(d, x), cross(d, e)) / (size * size), e, q)
        return gap, axpy(s + 0.5 * gap, n, foot), n
    x = (
        off_line(p, q, e)
        if b == contact_columns.LINE
        else off_line(p, q, d)
        if a == contact_columns.LINE
        else sub(p, q)
    )
    n, size = unit(x)
    gap = size - r - s
    foot = sub(p, x) if b == contact_columns.LINE else q
    return gap, axpy(s + 0.5 * gap, n, foot), n


@inline
def _poses(ints, cints, cfloats, pair, work):
    own = cints[contact_columns.AT_PAIRS] + contact_columns.PAIR_INTS * pair
    RA, oA = point_pose(ints, cints, cfloats, cints[ix(own)], work)
    RB, oB = obstacle_pose(ints, cints, cfloats, cints[ix(own + 1)], work)
    return RA, oA, RB, oB


@routine
def feature_at(ints, cints, cfloats, pair, work):
    """Return gap, place and normal of the feature of a pair, in the world."""
    RA, oA, RB, oB = _poses(ints, cints, cfloats, pair, work)
    return feature_gap(cfloats, feature_place(cints, cfloats, pair), RA, oA, RB, oB)


@routine
def beyond_rims(F, at, RA, oA, RB, oB, gap, site, n):
    """Return how far [m] the normal is beyond those of the rims that touch; negative inside."""
    a, b = int(F[ix(at)]), int(F[ix(at + 1)])
    p, d, r, more = _side(F, at + contact_columns.SIDE_A, at + contact_columns.MORE_A, a, RA, oA)
    q, e, s, less = _side(F, at + contact_columns.SIDE_B, at + contact_columns.MORE_B, b, RB, oB)
    own = outside_rim(
        a, p, d, r, more, axpy(0.5 * gap, n, site), scale(-1.0, n), b == contact_columns.FLAT, contact_columns.TILT
    )
    return max(
        own,
        outside_rim(b, q, e, s, less, axpy(-0.5 * gap, n, site), n, a == contact_columns.FLAT, contact_columns.TILT),
    )


@routine
def feature_terms(ints, cints, cfloats, pair, work, n, site, oA, oB, w):
    """Return what u̇ has besides a_A − a_B, and gap¨ besides its part along n; the gap is zero."""
    at = feature_place(cints, cfloats, pair)
    RA, pA, RB, pB = _poses(ints, cints, cfloats, pair, work)
    a, b, s = int(cfloats[ix(at)]), int(cfloats[ix(at + 1)]), cfloats[ix(at + contact_columns.OFFSET)]
    p, d, r, more = _side(cfloats, at + contact_columns.SIDE_A, at + contact_columns.MORE_A, a, RA, pA)
    q, e, t, less = _side(cfloats, at + contact_columns.SIDE_B, at + contact_columns.MORE_B, b, RB, pB)
    t1, t2 = _tangents(n)
    ka = side_bend(a, p, d, r, more, RA, site, scale(-1.0, n), s, t1, t2)
    kb = side_bend(b, q, e, t, less, RB, site, n, s, t1, t2)
    turn = cross(sub(oA, oB), n)
    f1, f2, w1, w2 = dot(t1, turn), dot(t2, turn), dot(t1, w), dot(t2, w)
    a1, a2, b1, b2 = _meet(ka, kb, s, 0.0, f1, f2, -w1, -w2)
    (i1, i2), (j1, j2) = _times(ka, a1, a2), _times(kb, b1, b2)
    x1, x2, y1, y2 = a1 - s * i1, a2 - s * i2, b1 - s * j1, b2 - s * j2
    x, y = add(scale(x1, t1), scale(x2, t2)), add(scale(y1, t1), scale(y2, t2))
    shift = sub(cross(oA, x), cross(oB, y))
    return shift, 2.0 * dot(n, shift) + x1 * i1 + x2 * i2 + y1 * j1 + y2 * j2
