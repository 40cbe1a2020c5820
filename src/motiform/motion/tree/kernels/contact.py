"""The contact joint for kernels: pose, rates and repair of one contact, on tuples.

A configuration is q = (p1, quaternion1, p2, quaternion2): the contact frame L in the coordinates of either surface.
L has its third axis along the outward normal of surface 1. The constants of a joint are a block, laid out in `columns`.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, routine
from motiform.geometry.surfaces.kernels import (
    CIRCLE,
    PLANE,
    surface_foot,
    surface_line,
    surface_line_turn,
    surface_rim,
    surface_shape,
)
from motiform.motion.tree.contact_joints import columns as block
from motiform.motion.tree.kernels.memory import row9
from motiform.spatial.algebra import add, cross, dot, matmul, rotation_of_quaternion, scale, sub, transform

__all__ = ["contact_column", "contact_place", "contact_qdot", "contact_rates", "contact_repair"]

SINGULAR = 1e-9  # a relative curvature or an angle of edges below this share counts as none


# ---- frames ---------------------------------------------------------------------------------------------------------
@inline
def _frame(q, i, b):
    """Return the point and the rotation of L in one surface's coordinates."""
    turn = rotation_of_quaternion(q[i + 3, b], q[i + 4, b], q[i + 5, b], q[i + 6, b])
    return (q[i, b], q[i + 1, b], q[i + 2, b]), turn


@inline
def _in_body(numbers, at, p, r):
    """Return the pose of L in the body from its pose in the surface's coordinates."""
    a = row9(numbers, at)
    return add(transform(a, p), (numbers[at + 9], numbers[at + 10], numbers[at + 11])), matmul(a, r)


@inline
def _product(a, b):
    """Return Hamilton's product of two quaternions."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@inline
def _unit4(a):
    s = 1.0 / math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3])
    return s * a[0], s * a[1], s * a[2], s * a[3]


@inline
def _between(a, b):
    """Return the quaternion of the smallest rotation from one direction to another, not opposite, of length one."""
    c = cross(a, b)
    return _unit4((1.0 + dot(a, b), c[0], c[1], c[2]))


@routine
def contact_place(numbers, at, q, iq, b):
    """Return the child in the joint's frame (R, p) and the contact frame in the child (RL, pL).  [ContactJoints 5]"""
    p1, r1 = _frame(q, iq, b)
    p2, r2 = _frame(q, iq + 7, b)
    at1, turn1 = _in_body(numbers, at + block.POSE[0], p1, r1)
    at2, turn2 = _in_body(numbers, at + block.POSE[1], p2, r2)
    back = (turn2[0], turn2[3], turn2[6], turn2[1], turn2[4], turn2[7], turn2[2], turn2[5], turn2[8])
    turn = matmul(turn1, back)
    return turn, sub(at1, transform(turn, at2)), turn2, at2


@inline
def contact_column(numbers, at, j):
    """Return which of (wx, wy, wz, vx, vy, vz), 0 to 5, the joint's j-th velocity is."""
    return int(numbers[at + block.COLUMNS + j])


# ---- the contact equations  [ContactJoints 4] -----------------------------------------------------------------------
# s1 − s2 = v and K1 s1 + K2 s2 = w = (ωy, −ωx); each returns (s1, s2, K1 s1, ok) as seven numbers.


@inline
def _smooth_pair(k1, k2, w1, w2, v1, v2):
    a, b, c = k1[0] + k2[0], k1[1] + k2[1], k1[2] + k2[2]
    f1 = w1 - k1[0] * v1 - k1[1] * v2
    f2 = w2 - k1[1] * v1 - k1[2] * v2
    det = a * c - b * b
    x, y = (c * f1 - b * f2) / det, (a * f2 - b * f1) / det
    sx, sy = x + v1, y + v2
    size = max(math.fabs(k1[0]) + math.fabs(k1[2]), math.fabs(k2[0]) + math.fabs(k2[2]))
    least = 0.5 * (a + c) - math.sqrt(0.25 * (a - c) ** 2 + b * b)
    ok = 1 if least > SINGULAR * size else 0
    return sx, sy, x, y, k1[0] * sx + k1[1] * sy, k1[1] * sx + k1[2] * sy, ok


@inline
def _edge_on_2(k1, rim, w1, w2, v1, v2):
    """The contact point moves along the edge of body 2 only: s2 = d (d·(w − K1 v))/(κ + d·K1 d)."""
    d1, d2, bend = rim
    f1 = w1 - k1[0] * v1 - k1[1] * v2
    f2 = w2 - k1[1] * v1 - k1[2] * v2
    least = bend + k1[0] * d1 * d1 + 2.0 * k1[1] * d1 * d2 + k1[2] * d2 * d2
    s = (d1 * f1 + d2 * f2) / least
    x, y = d1 * s, d2 * s
    sx, sy = x + v1, y + v2
    ok = 1 if least > SINGULAR * (math.fabs(bend) + math.fabs(k1[0]) + math.fabs(k1[2])) else 0
    return sx, sy, x, y, k1[0] * sx + k1[1] * sy, k1[1] * sx + k1[2] * sy, ok


@inline
def _edge_on_1(rim, k2, w1, w2, v1, v2):
    y1, y2, x1, x2, m1, m2, ok = _edge_on_2(k2, rim, w1, w2, -v1, -v2)  # the bodies in turn
    return x1, x2, y1, y2, w1 - m1, w2 - m2, ok


@inline
def _two_edges(rim1, rim2, w1, w2, v1, v2):
    """The crossing a d1 − b d2 = v of two edges; what turns the normal, m, follows from m·d1 = κ1 a and d2."""
    a1, a2, bend1 = rim1
    b1, b2, bend2 = rim2
    wedge = a1 * b2 - a2 * b1
    a, b = (v1 * b2 - v2 * b1) / wedge, (v1 * a2 - v2 * a1) / wedge
    f, g = bend1 * a, w1 * b1 + w2 * b2 - bend2 * b
    ok = 1 if math.fabs(wedge) > SINGULAR else 0
    return a * a1, a * a2, b * b1, b * b2, (b2 * f - a2 * g) / wedge, (a1 * g - b1 * f) / wedge, ok


@inline
def _line_or_face(contact, k1, k2, w2, v1, v2):
    """A line along t1 leaves one curvature, across it; on faces the contact point rests in body 2."""
    if contact == block.FACE:
        return v1, v2, 0.0, 0.0, 0.0, 0.0, 1
    y = (w2 - k1[2] * v2) / (k1[2] + k2[2])
    ok = 1 if k1[2] + k2[2] > SINGULAR * (math.fabs(k1[2]) + math.fabs(k2[2])) else 0
    return v1, y + v2, 0.0, y, 0.0, k1[2] * (y + v2), ok


@routine
def contact_rates(numbers, at, q, iq, b, t):
    """Return the twists of L in body 1 and body 2 (O1, s1, O2, s2), in L, and 1, or 0 where the surfaces conform.

    t = (ωx, ωy, ωz, vx, vy, vz) is the motion of body 2 relative to body 1 at the contact, in L. Bodies apart carry L
    in body 2.
    """
    contact = int(numbers[at + block.CONTACT])
    if contact == block.APART:
        return (t[0], t[1], t[2]), (t[3], t[4], t[5]), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 1
    p1, r1 = _frame(q, iq, b)
    p2, r2 = _frame(q, iq + 7, b)
    one, two = at + block.SURFACE[0], at + block.SURFACE[1]
    edge1, edge2 = int(numbers[one]) == CIRCLE, int(numbers[two]) == CIRCLE
    k1, k2, rim1, rim2 = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if edge1:
        rim1 = surface_rim(numbers, one, p1, r1, 1.0)
    else:
        k1 = surface_shape(numbers, one, p1, (r1[0], r1[3], r1[6]), (r1[1], r1[4], r1[7]))
    if edge2:
        rim2 = surface_rim(numbers, two, p2, r2, -1.0)
    else:
        k2 = surface_shape(numbers, two, p2, (r2[0], r2[3], r2[6]), (r2[1], r2[4], r2[7]))
    if contact != block.POINT:
        x1, y1, x2, y2, m1, m2, ok = _line_or_face(contact, k1, k2, -t[0], t[3], t[4])
    elif edge1 and edge2:
        x1, y1, x2, y2, m1, m2, ok = _two_edges(rim1, rim2, t[1], -t[0], t[3], t[4])
    elif edge1:
        x1, y1, x2, y2, m1, m2, ok = _edge_on_1(rim1, k2, t[1], -t[0], t[3], t[4])
    elif edge2:
        x1, y1, x2, y2, m1, m2, ok = _edge_on_2(k1, rim2, t[1], -t[0], t[3], t[4])
    else:
        x1, y1, x2, y2, m1, m2, ok = _smooth_pair(k1, k2, t[1], -t[0], t[3], t[4])
    follow = int(numbers[at + block.FOLLOW])
    spin = numbers[at + block.GAUGE] * t[2]
    if follow == 1:
        spin = surface_line_turn(numbers, one, p1, (r1[0], r1[3], r1[6]), y1)
    elif follow == 2:
        spin = t[2] + surface_line_turn(numbers, two, p2, (r2[0], r2[3], r2[6]), y2)
    turn1 = (-m2, m1, spin)
    return turn1, (x1, y1, 0.0), sub(turn1, (t[0], t[1], t[2])), (x2, y2, 0.0), ok


@inline
def _put_rate(q, i, b, omega, s, dq, row):
    """Write ṗ = R ṡ and the quaternion's rate ½ q (0, Ω)."""
    _, r = _frame(q, i, b)
    moved = transform(r, s)
    turned = _product(
        (q[i + 3, b], q[i + 4, b], q[i + 5, b], q[i + 6, b]), (0.0, 0.5 * omega[0], 0.5 * omega[1], 0.5 * omega[2])
    )
    for k in range(3):
        dq[row + k, b] = moved[k]
    for k in range(4):
        dq[row + 3 + k, b] = turned[k]


@routine
def contact_qdot(numbers, at, q, iq, b, t, dq, row0):
    """Write dq/dt in 14 rows from row0 on; return 1, or 0 where the surfaces conform."""
    turn1, s1, turn2, s2, ok = contact_rates(numbers, at, q, iq, b, t)
    _put_rate(q, iq, b, turn1, s1, dq, row0)
    _put_rate(q, iq + 7, b, turn2, s2, dq, row0 + 7)
    return ok


@routine
def _repair_frame(numbers, at, line, q, i, b, sign):
    """Put L back on one surface: its point, its normal by the smallest rotation, its first axis on the line if any."""
    p, r = _frame(q, i, b)
    n = (r[2], r[5], r[8])
    foot, m = surface_foot(numbers, at, p, scale(sign, n))
    m = scale(sign, m)
    turn = _product(_between(n, m), _unit4((q[i + 3, b], q[i + 4, b], q[i + 5, b], q[i + 6, b])))
    if line:
        r = rotation_of_quaternion(turn[0], turn[1], turn[2], turn[3])
        t1, g = (r[0], r[3], r[6]), surface_line(numbers, at, foot)
        turn = _product(_between(t1, scale(math.copysign(1.0, dot(t1, g)), g)), turn)
    for k in range(3):
        q[i + k, b] = foot[k]
    for k in range(4):
        q[i + 3 + k, b] = turn[k]


@routine
def contact_repair(numbers, at, q, iq, b):
    """Put the contact frame back on both surfaces, in place; apart, its quaternions to length 1.  [ContactJoints 6]"""
    if int(numbers[at + block.CONTACT]) == block.APART:
        for i in (iq + 3, iq + 10):
            turn = _unit4((q[i, b], q[i + 1, b], q[i + 2, b], q[i + 3, b]))
            for k in range(4):
                q[i + k, b] = turn[k]
        return
    one, two = at + block.SURFACE[0], at + block.SURFACE[1]
    line = int(numbers[at + block.CONTACT]) == block.LINE
    _repair_frame(numbers, one, line and int(numbers[one]) != PLANE, q, iq, b, 1.0)
    _repair_frame(numbers, two, line and int(numbers[two]) != PLANE, q, iq + 7, b, -1.0)
