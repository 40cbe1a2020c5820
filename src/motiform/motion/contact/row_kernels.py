"""Rows of contacts: where balls touch obstacles, the Jacobian C, and the velocity-product terms s.

The obstacle's frame B may move. With w the velocity of the ball's centre and ω that of its segment, both relative to B,
n the normal, H the Hessian of the distance and r the ball's radius

    gap¨ = n · p̈ + w · H w,        u̇ = p̈ + ω̇ × (−r n) + ω × (−r H w)

where p̈ = a − a_B − 2 ω_B × w and ω̇ are accelerations seen in B, and u is the velocity of the points that touch.

Rings and ellipsoids touch planes where their support function h(m), m = −Rᵀn, has its gradient: p is then the point of
the segment that touches, and it moves along the surface by R ∇∇h Rᵀ (ω × n), so that u̇ = p̈ + ω × R ∇∇h Rᵀ (ω × n).
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, routine
from motiform.geometry.solids.columns import MIDDLE
from motiform.geometry.solids.dispatch_kernels import curved_distance
from motiform.geometry.touch.columns import NORMAL, SITE
from motiform.motion.contact import columns as contact_columns
from motiform.motion.contact.feature_kernels import feature_at, feature_place, feature_terms, slot_place
from motiform.motion.contact.pose_kernels import obstacle_pose, root_of, segment_pose
from motiform.motion.tree.kernels.memory import get6, ix, row3, row9
from motiform.motion.tree.model import columns as tree_columns
from motiform.spatial.algebra import add, axpy, cross, dot, matmul, scale, sub, tmul, transform

__all__ = ["candidate_rows", "clear_rows", "gap_of", "tangents"]

_AXES = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)

_NOISE = 8e-16  # of the terms of a velocity: rounding of a few sums


@inline
def tangents(n):
    """Return two tangents that make (tangent 1, normal, tangent 2) right-handed: x, y, z on flat ground."""
    if abs(n[0]) < 0.9:
        e = (1.0 - n[0] * n[0], -n[0] * n[1], -n[0] * n[2])
    else:
        e = (-n[1] * n[0], 1.0 - n[1] * n[1], -n[1] * n[2])
    e = scale(1.0 / math.sqrt(dot(e, e)), e)
    return e, cross(e, n)


@inline
def _sym(m, a):
    """Return M a for a symmetric matrix xx xy xz yy yz zz."""
    return (
        m[0] * a[0] + m[1] * a[1] + m[2] * a[2],
        m[1] * a[0] + m[3] * a[1] + m[4] * a[2],
        m[2] * a[0] + m[4] * a[1] + m[5] * a[2],
    )


@inline
def _support(kind, cfloats, number, m):
    """Return the point of a ring or an ellipsoid that lies farthest along m, from its centre and in its axes."""
    a, b, d = row3(cfloats, number + 13)
    if kind == contact_columns.RING:
        flat = math.sqrt(m[0] * m[0] + m[1] * m[1])
        x, y = (m[0] / flat, m[1] / flat) if flat > 0.0 else (1.0, 0.0)  # lying flat it touches all around
        tube = cfloats[ix(number + 3)]
        return (a * x + tube * m[0], a * y + tube * m[1], tube * m[2])
    along = (a * a * m[0], b * b * m[1], d * d * m[2])
    return scale(1.0 / math.sqrt(dot(m, along)), along)


@inline
def _support_rate(kind, cfloats, number, m, t):
    """Return how fast that point moves over the surface where m changes at a rate t: ∇∇h t."""
    a, b, d = row3(cfloats, number + 13)
    if kind == contact_columns.RING:
        square = m[0] * m[0] + m[1] * m[1]
        tube = scale(cfloats[ix(number + 3)], t)
        if square <= 0.0:
            return tube
        turn = a * (m[0] * t[1] - m[1] * t[0]) / (square * math.sqrt(square))
        return (tube[0] - turn * m[1], tube[1] + turn * m[0], tube[2])
    along, spread = (a * a * m[0], b * b * m[1], d * d * m[2]), (a * a * t[0], b * b * t[1], d * d * t[2])
    square = dot(m, along)
    h = math.sqrt(square)
    return axpy(-dot(along, t) / (square * h), along, scale(1.0 / h, spread))


@inline
def touching(ints, cints, cfloats, pair, work):
    """Return gap, centre, radius, normal, Hessian and region of a pair, and the obstacle's rotation, in the world."""
    if pair >= cints[contact_columns.FIRST_SLOT]:
        none = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        if cfloats[ix(feature_place(cints, cfloats, pair))] != contact_columns.NONE:
            gap, site, n = feature_at(ints, cints, cfloats, pair, work)
            return gap, site, 0.0, n, none, MIDDLE, _AXES
        slot = slot_place(cints, cfloats, pair)
        return cfloats[ix(slot)], row3(cfloats, slot + SITE), 0.0, row3(cfloats, slot + NORMAL), none, MIDDLE, _AXES
    at = cints[contact_columns.AT_PAIRS] + contact_columns.PAIR_INTS * pair
    point, obstacle = cints[ix(at)], cints[ix(at + 1)]
    number = cints[contact_columns.FLOAT_POINTS] + contact_columns.POINT_FLOATS * point
    own = cints[contact_columns.AT_POINTS] + contact_columns.POINT_INTS * point
    R, o = segment_pose(ints, cints[ix(own)], work)
    x = add(o, transform(R, row3(cfloats, number)))
    radius = cfloats[ix(number + 3)]
    block = cints[contact_columns.AT_OBSTACLES] + contact_columns.OBSTACLE_INTS * obstacle
    RB, oB = obstacle_pose(ints, cints, cfloats, obstacle, work)
    y = tmul(RB, sub(x, oB))
    at = cints[ix(block + 2)]
    size = cfloats[ix(at)], cfloats[ix(at + 1)], cfloats[ix(at + 2)], cfloats[ix(at + 3)]
    d, normal, hessian, region = curved_distance(cints[ix(block + 1)], size, y)
    normal = transform(RB, normal)
    kind = cints[ix(own + 1)]
    if kind != contact_columns.ROUND:
        Q = matmul(R, row9(cfloats, number + 4))
        foot = transform(Q, _support(kind, cfloats, number, scale(-1.0, tmul(Q, normal))))
        return d + dot(normal, foot), add(x, foot), 0.0, normal, hessian, region, RB
    return d - radius, x, radius, normal, hessian, region, RB


@routine
def gap_of(ints, cints, cfloats, candidate, q, work):
    """Return the gap of a candidate [m or rad]; places are in the workspace."""
    pairs = cints[contact_columns.PAIRS]
    if candidate < pairs and candidate >= cints[contact_columns.FIRST_SLOT]:
        kind = cfloats[ix(feature_place(cints, cfloats, candidate))]
        if kind == contact_columns.NONE:
            return cfloats[ix(slot_place(cints, cfloats, candidate))]
        return (
            contact_columns.FAR
            if kind == contact_columns.GONE
            else feature_at(ints, cints, cfloats, candidate, work)[0]
        )
    if candidate < pairs:
        return touching(ints, cints, cfloats, candidate, work)[0]
    at = cints[contact_columns.AT_LIMITS] + contact_columns.LIMIT_INTS * (candidate - pairs)
    bound = cfloats[ix(cints[contact_columns.FLOAT_LIMITS] + contact_columns.LIMIT_FLOATS * (candidate - pairs))]
    return cints[ix(at + 2)] * (q[ix(cints[ix(at + 1)]), 0] - bound)


@inline
def _sum(old, new, noise):
    """Return old + new, exactly zero where it is rounding: a row that nothing moves must be told from one that is."""
    total = old + new
    return 0.0 if abs(total) <= noise + _NOISE * abs(old) else total


@inline
def _fill(ints, last, origin, site, e1, e2, e3, sign, work, row, C, used):
    """Add sign × the velocity of a point of a segment, along three directions, to rows of C [column, row]."""
    k = last
    arm = sub(site, origin)
    while k >= 0:
        e, d = get6(work, ints[tree_columns.W_S] + 6 * k, 0)
        turned = cross(e, arm)
        velocity = add(d, turned)
        noise = _NOISE * (abs(d[0]) + abs(d[1]) + abs(d[2]) + abs(turned[0]) + abs(turned[1]) + abs(turned[2]))
        C[ix(k), ix(row)] = _sum(C[ix(k), ix(row)], sign * dot(e1, velocity), noise)
        C[ix(k), ix(row + 1)] = _sum(C[ix(k), ix(row + 1)], sign * dot(e2, velocity), noise)
        C[ix(k), ix(row + 2)] = _sum(C[ix(k), ix(row + 2)], sign * dot(e3, velocity), noise)
        used[ix(k)] = 1
        k = ints[ix(ints[tree_columns.AT_COLUMNS] + k * tree_columns.COLUMN_INTS + tree_columns.BEFORE)]


@inline
def _motion(ints, floats, i, x, work):
    """Return ω, velocity at x, ω̇ and acceleration at x of a segment whose joints do not accelerate."""
    arm = sub(x, root_of(ints, i, work))
    o, u = get6(work, ints[tree_columns.W_V] + 6 * i, 0)
    s, m = get6(work, ints[tree_columns.W_A] + 6 * i, 0)
    velocity = add(u, cross(o, arm))
    falling = add(add(m, cross(s, arm)), cross(o, velocity))
    return o, velocity, s, add(falling, row3(floats, tree_columns.GRAVITY))  # the tree's world falls upward


@routine
def pair_rows(ints, floats, cints, cfloats, pair, work, row, C, used, s, sites, k):
    """Write the three rows of a pair, their velocity-product terms, and what is known of the place."""
    at = cints[contact_columns.AT_PAIRS] + contact_columns.PAIR_INTS * pair
    own = cints[contact_columns.AT_POINTS] + contact_columns.POINT_INTS * cints[ix(at)]
    segment, kind = cints[ix(own)], cints[ix(own + 1)]
    carrier = cints[ix(cints[contact_columns.AT_OBSTACLES] + contact_columns.OBSTACLE_INTS * cints[ix(at + 1)])]
    gap, x, radius, n, H, region, RB = touching(ints, cints, cfloats, pair, work)
    e1, e3 = tangents(n)
    site = axpy(-radius, n, x)
    last = cints[contact_columns.AT_LAST]
    _fill(ints, cints[ix(last + segment)], root_of(ints, segment, work), site, e1, n, e3, 1.0, work, row, C, used)
    o, w, alpha, a = _motion(ints, floats, segment, x, work)
    oA, oB = o, (0.0, 0.0, 0.0)
    accelerated = a
    if carrier >= 0:
        _fill(ints, cints[ix(last + carrier)], root_of(ints, carrier, work), site, e1, n, e3, -1.0, work, row, C, used)
        oB, wB, alphaB, aB = _motion(ints, floats, carrier, x, work)
        w, accelerated = sub(w, wB), sub(a, aB)
        a = sub(sub(a, aB), scale(2.0, cross(oB, w)))
        alpha = sub(sub(alpha, alphaB), cross(oB, o))
        o = sub(o, oB)
    turn = transform(RB, _sym(H, tmul(RB, w)))  # ṅ seen in B
    u = add(w, cross(o, scale(-radius, n)))
    du = add(a, add(cross(alpha, scale(-radius, n)), cross(o, scale(-radius, turn))))
    rise = dot(n, a) + dot(w, turn)
    if (kind == contact_columns.RING or kind == contact_columns.ELLIPSOID) and pair < cints[contact_columns.FIRST_SLOT]:
        number = cints[contact_columns.FLOAT_POINTS] + contact_columns.POINT_FLOATS * cints[ix(at)]
        R, _ = segment_pose(ints, segment, work)
        Q = matmul(R, row9(cfloats, number + 4))
        wander = _support_rate(kind, cfloats, number, scale(-1.0, tmul(Q, n)), tmul(Q, cross(o, n)))
        du = add(du, cross(o, transform(Q, wander)))
        rise = dot(n, du)
    if (
        pair >= cints[contact_columns.FIRST_SLOT]
    ):  # where solids touch the point goes over both surfaces: a step finds it anew
        du, rise = (0.0, 0.0, 0.0), 0.0
        if cfloats[ix(feature_place(cints, cfloats, pair))] != contact_columns.NONE:
            shift, bend = feature_terms(ints, cints, cfloats, pair, work, n, site, oA, oB, w)
            du, rise = add(accelerated, shift), dot(n, accelerated) + bend
    s[ix(row)], s[ix(row + 1)], s[ix(row + 2)] = dot(e1, du), rise, dot(e3, du)
    sites[ix(k), contact_columns.GAP] = gap
    sites[ix(k), contact_columns.REGION] = region
    for j in range(3):
        sites[ix(k), ix(contact_columns.SITE + j)] = site[j]
        sites[ix(k), ix(contact_columns.NORMAL + j)] = n[j]
        sites[ix(k), ix(contact_columns.TANGENT + j)] = e1[j]
    (
        sites[ix(k), contact_columns.SLIP],
        sites[ix(k), ix(contact_columns.SLIP + 1)],
        sites[ix(k), ix(contact_columns.SLIP + 2)],
    ) = dot(e1, u), dot(n, u), dot(e3, u)


@routine
def clear_rows(C, used, rows):
    """Write zeros to so many rows of all columns, none of them used."""
    for i in range(used.shape[0]):
        used[ix(i)] = 0
        for r in range(rows):
            C[ix(i), ix(r)] = 0.0


@routine
def candidate_rows(ints, floats, cints, cfloats, active, pairs, count, q, v, work, C, used, s, sites):
    """Write the rows of all active candidates, pairs first, to C that is clear; return how many rows.

    Places, velocities and the accelerations of joints that do not accelerate are in the workspace.
    """
    rows = 3 * pairs + count - pairs
    for k in range(pairs):
        pair_rows(ints, floats, cints, cfloats, active[ix(k)], work, 3 * k, C, used, s, sites, k)
    for k in range(pairs, count):
        limit = active[ix(k)] - cints[contact_columns.PAIRS]
        at, row = cints[contact_columns.AT_LIMITS] + contact_columns.LIMIT_INTS * limit, 3 * pairs + k - pairs
        column, side = cints[ix(at)], float(cints[ix(at + 2)])
        C[ix(column), ix(row)] = side
        j = column
        while j >= 0:
            used[ix(j)] = 1
            j = ints[ix(ints[tree_columns.AT_COLUMNS] + j * tree_columns.COLUMN_INTS + tree_columns.BEFORE)]
        s[ix(row)] = 0.0
        sites[ix(k), contact_columns.GAP] = gap_of(ints, cints, cfloats, active[ix(k)], q, work)
        rate = v[
            ix(ints[ix(ints[tree_columns.AT_COLUMNS] + column * tree_columns.COLUMN_INTS + tree_columns.COLUMN_V)]), 0
        ]
        sites[ix(k), ix(contact_columns.SLIP + 1)] = side * rate
    return rows
