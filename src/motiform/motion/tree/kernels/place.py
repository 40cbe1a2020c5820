"""Kinematics: the pose of every segment and the twist of every column, in world axes about the root's origin."""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, routine
from motiform.motion.tree.kernels.contact import contact_column, contact_place
from motiform.motion.tree.kernels.memory import get3, get9, ix, put3, put6, put9, row3, row9
from motiform.motion.tree.model import columns as tree_columns
from motiform.spatial.algebra import add, axpy, cross, matmul, rodrigues, rotation_of_quaternion, sub, transform

__all__ = ["place", "screw_move", "segment_base"]

# sin and cos on |x| ≤ π/4 as minimax polynomials, π/2 in three parts (the public-domain constants of fdlibm)
_S1, _S2, _S3 = -1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04
_S4, _S5, _S6 = 2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10
_C1, _C2, _C3 = 4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05
_C4, _C5, _C6 = -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11
_PART1, _PART2, _PART3 = 1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624879595063154e-21
_INVERSE, _ROUND = 6.36619772367581382433e-01, 6755399441055744.0  # 2/π; 1.5·2⁵²: adding it rounds to an integer
_FAR = 1e5  # [rad] beyond it k·π/2 would need more parts


@inline
def sine_cosine(x):
    """Return sin x and cos x to rounding, |x| below 1e5: without branches, so that loops use vector registers."""
    k = (x * _INVERSE + _ROUND) - _ROUND
    r = ((x - k * _PART1) - k * _PART2) - k * _PART3
    z = r * r
    s = r + r * z * (_S1 + z * (_S2 + z * (_S3 + z * (_S4 + z * (_S5 + z * _S6)))))
    h = 0.5 * z
    w = 1.0 - h
    o = w + (((1.0 - w) - h) + z * z * (_C1 + z * (_C2 + z * (_C3 + z * (_C4 + z * (_C5 + z * _C6))))))
    m = k - 4.0 * ((k * 0.25 - 0.375 + _ROUND) - _ROUND)  # the quadrant, 0 to 3
    odd = m == 1.0 or m == 3.0
    sine, cosine = (o if odd else s), (s if odd else o)
    return (sine if m < 2.0 else -sine), (-cosine if (m == 1.0 or m == 2.0) else cosine)


@inline
def screw_move(R, p, direction, point, pitch, x, sine, cosine):
    """Return the pose (R, p) after the screw by the angle x, and the screw's twist in world axes."""
    e = transform(R, direction)
    through = add(p, transform(R, point))
    R = matmul(R, rodrigues(direction, sine, 1.0 - cosine))
    p = axpy(pitch * x, e, sub(through, transform(R, point)))
    return R, p, e, axpy(pitch, e, cross(through, e))


@inline
def _turn_x(R, s, o):
    return (
        R[0],
        o * R[1] + s * R[2],
        o * R[2] - s * R[1],
        R[3],
        o * R[4] + s * R[5],
        o * R[5] - s * R[4],
        R[6],
        o * R[7] + s * R[8],
        o * R[8] - s * R[7],
    )


@inline
def _turn_y(R, s, o):
    return (
        o * R[0] - s * R[2],
        R[1],
        o * R[2] + s * R[0],
        o * R[3] - s * R[5],
        R[4],
        o * R[5] + s * R[3],
        o * R[6] - s * R[8],
        R[7],
        o * R[8] + s * R[6],
    )


@inline
def _turn_z(R, s, o):
    return (
        o * R[0] + s * R[1],
        o * R[1] - s * R[0],
        R[2],
        o * R[3] + s * R[4],
        o * R[4] - s * R[3],
        R[5],
        o * R[6] + s * R[7],
        o * R[7] - s * R[6],
        R[8],
    )


@inline
def segment_base(ints, floats, i, work, w):
    """Return the joint's frame of segment i: its rotation in the world, its origin from the root segment's."""
    base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
    at = tree_columns.FLOAT_HEADER + i * tree_columns.SEGMENT_FLOATS
    parent = ints[ix(base + tree_columns.PARENT)]
    R, p = row9(floats, at + tree_columns.PLACE_R), row3(floats, at + tree_columns.PLACE_P)
    if parent >= 0:
        pose = ints[tree_columns.W_POSE] + parent * tree_columns.POSE_ROWS
        Rp = get9(work, pose, w)
        p = add(get3(work, pose + 9, w), transform(Rp, p))
        R = matmul(Rp, R)
    else:
        p = (0.0, 0.0, 0.0)  # a root measures from its own origin, found when its joint is done
    return R, p


@inline
def _angles(ints, floats, q, b, work, w):
    """Write sine and cosine of every turn: rows W_ANGLE + k and W_ANGLE + columns + k."""
    n, at, fl = ints[tree_columns.COLUMNS], ints[tree_columns.AT_COLUMNS], ints[tree_columns.FLOAT_COLUMNS]
    first = ints[tree_columns.W_ANGLE]
    far = False
    for k in range(n):
        x = 0.0
        if ints[ix(at + k * tree_columns.COLUMN_INTS + tree_columns.AXIS)] <= tree_columns.SCREW:
            value = q[ix(ints[ix(at + k * tree_columns.COLUMN_INTS + tree_columns.COLUMN_Q)]), ix(b)]
            x = floats[ix(fl + k * tree_columns.COLUMN_FLOATS + tree_columns.SIGN)] * (
                value + floats[ix(fl + k * tree_columns.COLUMN_FLOATS + tree_columns.OFFSET)]
            )
            far = far or math.fabs(x) > _FAR
        work[ix(first + k), ix(w)] = x
    if far:
        for k in range(n):
            x = work[ix(first + k), ix(w)]
            work[ix(first + k), ix(w)] = math.sin(x)
            work[ix(first + n + k), ix(w)] = math.cos(x)
    else:
        for k in range(n):
            s, o = sine_cosine(work[ix(first + k), ix(w)])
            work[ix(first + k), ix(w)] = s
            work[ix(first + n + k), ix(w)] = o


@inline
def _place_axes(ints, floats, i, q, b, work, w):
    """Place a segment carried by screws in sequence."""
    base, n = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS, ints[tree_columns.COLUMNS]
    R, p = segment_base(ints, floats, i, work, w)
    first = ints[ix(base + tree_columns.FIRST)]
    angle, twist = ints[tree_columns.W_ANGLE], ints[tree_columns.W_S]
    for k in range(first, first + ints[ix(base + tree_columns.COUNT)]):
        axis = ints[ix(ints[tree_columns.AT_COLUMNS] + k * tree_columns.COLUMN_INTS + tree_columns.AXIS)]
        number = ints[tree_columns.FLOAT_COLUMNS] + k * tree_columns.COLUMN_FLOATS
        sine, cosine = work[ix(angle + k), ix(w)], work[ix(angle + n + k), ix(w)]
        sign = floats[ix(number + tree_columns.SIGN)]
        if axis == tree_columns.TURN_X:
            e = (sign * R[0], sign * R[3], sign * R[6])
            R = _turn_x(R, sine, cosine)
            put6(work, twist + 6 * k, w, e, cross(p, e))
        elif axis == tree_columns.TURN_Y:
            e = (sign * R[1], sign * R[4], sign * R[7])
            R = _turn_y(R, sine, cosine)
            put6(work, twist + 6 * k, w, e, cross(p, e))
        elif axis == tree_columns.TURN_Z:
            e = (sign * R[2], sign * R[5], sign * R[8])
            R = _turn_z(R, sine, cosine)
            put6(work, twist + 6 * k, w, e, cross(p, e))
        else:
            x = (
                q[
                    ix(ints[ix(ints[tree_columns.AT_COLUMNS] + k * tree_columns.COLUMN_INTS + tree_columns.COLUMN_Q)]),
                    ix(b),
                ]
                + floats[ix(number + tree_columns.OFFSET)]
            )
            direction = row3(floats, number + tree_columns.DIRECTION)
            if axis == tree_columns.SHIFT:
                e = transform(R, direction)
                p = axpy(x, e, p)
                put6(work, twist + 6 * k, w, (0.0, 0.0, 0.0), e)
            else:
                point, pitch = row3(floats, number + tree_columns.POINT), floats[ix(number + tree_columns.PITCH)]
                R, p, e, moment = screw_move(R, p, direction, point, pitch, x, sine, cosine)
                put6(work, twist + 6 * k, w, e, moment)
    pose = ints[tree_columns.W_POSE] + i * tree_columns.POSE_ROWS
    put9(work, pose, w, R)
    put3(work, pose + 9, w, p)


@inline
def _column_of(R, j):
    """Return axis j of a frame."""
    return (R[0], R[3], R[6]) if j == 0 else ((R[1], R[4], R[7]) if j == 1 else (R[2], R[5], R[8]))


@inline
def _put_frame_columns(ints, first, R, p, work, w, count):
    """Write the twists of a frame's own axes: three turns at p, then three shifts."""
    at = ints[tree_columns.W_S] + 6 * first
    for j in range(count):
        e = _column_of(R, j % 3)
        if j < 3:
            put6(work, at + 6 * j, w, e, cross(p, e))
        else:
            put6(work, at + 6 * j, w, (0.0, 0.0, 0.0), e)


@routine
def _place_function(ints, floats, i, q, b, work, w):
    """Place a segment carried by screws that are functions of coordinates."""
    base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
    first, at = ints[ix(base + tree_columns.FIRST)], ints[ix(base + tree_columns.AT_NUMBERS)]
    twist = ints[tree_columns.W_S]
    for k in range(first, first + ints[ix(base + tree_columns.COUNT)]):
        put6(work, twist + 6 * k, w, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    R, p = segment_base(ints, floats, i, work, w)
    for n in range(int(floats[ix(at)])):
        axis = at + 1 + 11 * n
        k = first + int(floats[ix(axis + 9)])
        x, slope, _ = function_value(
            floats,
            at + int(floats[ix(axis + 10)]),
            q[
                ix(ints[ix(ints[tree_columns.AT_COLUMNS] + k * tree_columns.COLUMN_INTS + tree_columns.COLUMN_Q)]),
                ix(b),
            ],
        )
        R, p, e, moment = axis_move(floats, axis, R, p, x)
        work[ix(twist + 6 * k), ix(w)] += slope * e[0]
        work[ix(twist + 6 * k + 1), ix(w)] += slope * e[1]
        work[ix(twist + 6 * k + 2), ix(w)] += slope * e[2]
        work[ix(twist + 6 * k + 3), ix(w)] += slope * moment[0]
        work[ix(twist + 6 * k + 4), ix(w)] += slope * moment[1]
        work[ix(twist + 6 * k + 5), ix(w)] += slope * moment[2]
    pose = ints[tree_columns.W_POSE] + i * tree_columns.POSE_ROWS
    put9(work, pose, w, R)
    put3(work, pose + 9, w, p)


@inline
def axis_move(floats, axis, R, p, x):
    """Return the pose after one axis of a function joint stands at x, and its twist."""
    x += floats[ix(axis + 8)]
    direction = row3(floats, axis + 1)
    if floats[ix(axis)] == 1.0:
        e = transform(R, direction)
        return R, axpy(x, e, p), (0.0, 0.0, 0.0), e
    return screw_move(R, p, direction, row3(floats, axis + 4), floats[ix(axis + 7)], x, math.sin(x), math.cos(x))


@routine
def function_value(floats, at, x):
    """Return a function of a coordinate and its first two derivatives."""
    n = int(floats[ix(at + 1)])
    if floats[ix(at)] == 0.0:
        f, f1, f2 = 0.0, 0.0, 0.0
        for k in range(n - 1, -1, -1):
            f2 = f2 * x + 2.0 * f1
            f1 = f1 * x + f
            f = f * x + floats[ix(at + 2 + k)]
        return f, f1, f2
    xs, pieces = at + 2, at + 2 + n
    inside = min(max(x, floats[ix(xs)]), floats[ix(xs + n - 1)])
    lo, hi = 0, n - 1  # the piece with x[lo] ≤ x < x[lo + 1]
    while hi - lo > 1:
        mid = (lo + hi) // 2
        if inside >= floats[ix(xs + mid)]:
            lo = mid
        else:
            hi = mid
    s = inside - floats[ix(xs + lo)]
    c0, c1 = floats[ix(pieces + 4 * lo)], floats[ix(pieces + 4 * lo + 1)]
    c2, c3 = floats[ix(pieces + 4 * lo + 2)], floats[ix(pieces + 4 * lo + 3)]
    f1 = c1 + s * (2.0 * c2 + 3.0 * s * c3)
    f2 = 2.0 * c2 + 6.0 * s * c3 if inside == x else 0.0
    return c0 + s * (c1 + s * (c2 + s * c3)) + f1 * (x - inside), f1, f2


@routine
def _place_contact(ints, floats, i, q, b, work, w):
    """Place a segment in contact; its columns are turns about and shifts along the axes of the contact frame."""
    base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
    at, first = ints[ix(base + tree_columns.AT_NUMBERS)], ints[ix(base + tree_columns.FIRST)]
    R, p = segment_base(ints, floats, i, work, w)
    Rj, pj, RL, pL = contact_place(floats, at, q, ints[ix(base + tree_columns.AT_Q)], b)
    p = add(p, transform(R, pj))
    R = matmul(R, Rj)
    pose = ints[tree_columns.W_POSE] + i * tree_columns.POSE_ROWS
    put9(work, pose, w, R)
    put3(work, pose + 9, w, p)
    pL = add(p, transform(R, pL))
    RL = matmul(R, RL)
    for j in range(ints[ix(base + tree_columns.COUNT)]):
        which = contact_column(floats, at, j)
        e = _column_of(RL, which % 3)
        row = ints[tree_columns.W_S] + 6 * (first + j)
        if which < 3:
            put6(work, row, w, e, cross(pL, e))
        else:
            put6(work, row, w, (0.0, 0.0, 0.0), e)


@routine
def _place_given(ints, floats, i, given, b, work, w):
    """Place a segment whose joint was asked beforehand: pose, then S by columns, in the child's axes at its origin."""
    base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
    at, first = ints[ix(base + tree_columns.AT_NUMBERS)], ints[ix(base + tree_columns.FIRST)]
    R, p = segment_base(ints, floats, i, work, w)
    p = add(p, transform(R, get3(given, at + 9, b)))
    R = matmul(R, get9(given, at, b))
    pose = ints[tree_columns.W_POSE] + i * tree_columns.POSE_ROWS
    put9(work, pose, w, R)
    put3(work, pose + 9, w, p)
    for j in range(ints[ix(base + tree_columns.COUNT)]):
        e = transform(R, get3(given, at + 12 + 6 * j, b))
        d = transform(R, get3(given, at + 15 + 6 * j, b))
        put6(work, ints[tree_columns.W_S] + 6 * (first + j), w, e, add(d, cross(p, e)))


@inline
def _place_quaternion(ints, floats, i, kind, q, b, work, w):
    """Place a segment carried by a ball joint or a free one."""
    base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
    at = ints[ix(base + tree_columns.AT_Q)]
    R, p = segment_base(ints, floats, i, work, w)
    if kind == tree_columns.FREE:
        p = add(p, transform(R, get3(q, at, b)))
        at += 3
    R = matmul(
        R, rotation_of_quaternion(q[ix(at), ix(b)], q[ix(at + 1), ix(b)], q[ix(at + 2), ix(b)], q[ix(at + 3), ix(b)])
    )
    pose = ints[tree_columns.W_POSE] + i * tree_columns.POSE_ROWS
    put9(work, pose, w, R)
    put3(work, pose + 9, w, p)
    _put_frame_columns(ints, ints[ix(base + tree_columns.FIRST)], R, p, work, w, ints[ix(base + tree_columns.COUNT)])


@inline
def _begin_root(ints, floats, i, work, w):
    """Take the root's own origin as the point about which its tree is described."""
    base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
    at = tree_columns.FLOAT_HEADER + i * tree_columns.SEGMENT_FLOATS
    pose = ints[tree_columns.W_POSE] + i * tree_columns.POSE_ROWS + 9
    p = get3(work, pose, w)
    put3(
        work, ints[tree_columns.W_ROOT] + 3 * ints[ix(base + tree_columns.ROOT)], w,
        add(row3(floats, at + tree_columns.PLACE_P), p),
    )  # fmt: skip
    put3(work, pose, w, (0.0, 0.0, 0.0))
    first = ints[ix(base + tree_columns.FIRST)]
    for k in range(first, first + ints[ix(base + tree_columns.COUNT)]):
        row = ints[tree_columns.W_S] + 6 * k
        e = get3(work, row, w)
        put3(work, row + 3, w, add(get3(work, row + 3, w), cross(e, p)))


@routine
def place(ints, floats, q, given, b, work, w):
    """Write the pose of every segment and the twist of every column of state b to slot w of the workspace."""
    _angles(ints, floats, q, b, work, w)
    for i in range(ints[tree_columns.SEGMENTS]):
        kind = ints[ix(tree_columns.HEADER + i * tree_columns.SEGMENT_INTS + tree_columns.KIND)]
        if kind == tree_columns.AXES:
            _place_axes(ints, floats, i, q, b, work, w)
        elif kind <= tree_columns.FREE:
            _place_quaternion(ints, floats, i, kind, q, b, work, w)
        elif kind == tree_columns.FUNCTION:
            _place_function(ints, floats, i, q, b, work, w)
        elif kind == tree_columns.CONTACT:
            _place_contact(ints, floats, i, q, b, work, w)
        else:
            _place_given(ints, floats, i, given, b, work, w)
        if ints[ix(tree_columns.HEADER + i * tree_columns.SEGMENT_INTS + tree_columns.PARENT)] < 0:
            _begin_root(ints, floats, i, work, w)
