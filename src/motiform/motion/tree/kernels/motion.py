"""Velocities: the twist of every segment, and the accelerations that velocities alone make."""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import inline, routine
from motiform.motion.tree.kernels.contact import contact_column, contact_place, contact_rates
from motiform.motion.tree.kernels.memory import get3, get6, get9, ix, put6
from motiform.motion.tree.kernels.place import axis_move, function_value, segment_base
from motiform.motion.tree.model import columns as tree_columns
from motiform.spatial.algebra import add, axpy, cross, matmul, scale, transform

__all__ = ["bias", "cross_twist", "rates"]


@inline
def cross_twist(w, v, a, d):
    """Return the motion product (w, v) × (a, d) [Featherstone08 2.31]."""
    return cross(w, a), add(cross(w, d), cross(v, a))


@inline
def velocity_of(ints, i, work, w):
    """Return the twist of a segment; the world's, at rest, for −1."""
    if i < 0:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    return get6(work, ints[tree_columns.W_V] + 6 * i, w)


@inline
def column_velocity(ints, k, v, b):
    """Return the velocity of column k."""
    return v[ix(ints[ix(ints[tree_columns.AT_COLUMNS] + k * tree_columns.COLUMN_INTS + tree_columns.COLUMN_V)]), ix(b)]


@inline
def joint_twist(ints, i, v, b, work, w):
    """Return the twist of segment i from that of its parent and its own columns."""
    base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
    o, u = velocity_of(ints, ints[ix(base + tree_columns.PARENT)], work, w)
    first = ints[ix(base + tree_columns.FIRST)]
    for k in range(first, first + ints[ix(base + tree_columns.COUNT)]):
        rate = column_velocity(ints, k, v, b)
        e, d = get6(work, ints[tree_columns.W_S] + 6 * k, w)
        o, u = axpy(rate, e, o), axpy(rate, d, u)
    return o, u


@inline
def contact_velocity(ints, floats, i, v, b):
    """Return (ωx, ωy, ωz, vx, vy, vz) of a contact joint, zero where they are not free."""
    base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
    at, first = ints[ix(base + tree_columns.AT_NUMBERS)], ints[ix(base + tree_columns.FIRST)]
    t0, t1, t2, t3, t4, t5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(ints[ix(base + tree_columns.COUNT)]):
        which, rate = contact_column(floats, at, j), column_velocity(ints, first + j, v, b)
        t0 = rate if which == 0 else t0
        t1 = rate if which == 1 else t1
        t2 = rate if which == 2 else t2
        t3 = rate if which == 3 else t3
        t4 = rate if which == 4 else t4
        t5 = rate if which == 5 else t5
    return t0, t1, t2, t3, t4, t5


@routine
def contact_frame_twist(ints, floats, i, q, v, b, work, w):
    """Return the twist of the contact frame of segment i, whose own is in the workspace, and 1 where there is one."""
    base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
    at = ints[ix(base + tree_columns.AT_NUMBERS)]
    _, _, turn, slide, ok = contact_rates(
        floats, at, q, ints[ix(base + tree_columns.AT_Q)], b, contact_velocity(ints, floats, i, v, b)
    )
    _, _, RL, pL = contact_place(floats, at, q, ints[ix(base + tree_columns.AT_Q)], b)
    R, p = (
        get9(work, ints[tree_columns.W_POSE] + i * tree_columns.POSE_ROWS, w),
        get3(work, ints[tree_columns.W_POSE] + i * tree_columns.POSE_ROWS + 9, w),
    )
    RL = matmul(R, RL)
    turn = transform(RL, turn)
    slide = add(transform(RL, slide), cross(add(p, transform(R, pL)), turn))
    o, u = velocity_of(ints, i, work, w)
    return add(o, turn), add(u, slide), ok


@routine
def _rates_function(ints, floats, i, q, v, b, work, w):
    """Write dS/dt of the columns of a function joint: its axes move with those before them, and their slopes change."""
    base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
    first, at = ints[ix(base + tree_columns.FIRST)], ints[ix(base + tree_columns.AT_NUMBERS)]
    out = ints[tree_columns.W_DS]
    for k in range(first, first + ints[ix(base + tree_columns.COUNT)]):
        put6(work, out + 6 * k, w, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    R, p = segment_base(ints, floats, i, work, w)
    if ints[ix(base + tree_columns.PARENT)] < 0:
        # the root's axes were described from the place of its joint, its columns are from its own origin
        Rr, pr = R, p
        for n in range(int(floats[ix(at)])):
            axis = at + 1 + 11 * n
            k = first + int(floats[ix(axis + 9)])
            x, _, _ = function_value(
                floats,
                at + int(floats[ix(axis + 10)]),
                q[
                    ix(ints[ix(ints[tree_columns.AT_COLUMNS] + k * tree_columns.COLUMN_INTS + tree_columns.COLUMN_Q)]),
                    ix(b),
                ],
            )
            Rr, pr, _, _ = axis_move(floats, axis, Rr, pr, x)
        p = scale(-1.0, pr)
    o, u = velocity_of(ints, ints[ix(base + tree_columns.PARENT)], work, w)
    for n in range(int(floats[ix(at)])):
        axis = at + 1 + 11 * n
        k = first + int(floats[ix(axis + 9)])
        rate = column_velocity(ints, k, v, b)
        x, slope, curve = function_value(
            floats,
            at + int(floats[ix(axis + 10)]),
            q[
                ix(ints[ix(ints[tree_columns.AT_COLUMNS] + k * tree_columns.COLUMN_INTS + tree_columns.COLUMN_Q)]),
                ix(b),
            ],
        )
        R, p, e, d = axis_move(floats, axis, R, p, x)
        a, m = cross_twist(o, u, e, d)
        a, m = axpy(curve * rate, e, scale(slope, a)), axpy(curve * rate, d, scale(slope, m))
        before = get6(work, out + 6 * k, w)
        put6(work, out + 6 * k, w, add(before[0], a), add(before[1], m))
        o, u = axpy(slope * rate, e, o), axpy(slope * rate, d, u)


@routine
def _rates_given(ints, i, given, b, work, w):
    """Write dS/dt of the columns of a joint that was asked: those seen in the child, and the child's own motion."""
    base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
    at, first, count = (
        ints[ix(base + tree_columns.AT_NUMBERS)],
        ints[ix(base + tree_columns.FIRST)],
        ints[ix(base + tree_columns.COUNT)],
    )
    R, p = (
        get9(work, ints[tree_columns.W_POSE] + i * tree_columns.POSE_ROWS, w),
        get3(work, ints[tree_columns.W_POSE] + i * tree_columns.POSE_ROWS + 9, w),
    )
    o, u = velocity_of(ints, i, work, w)
    for j in range(count):
        row = at + 12 + 6 * count + 6 * j
        a = transform(R, get3(given, row, b))
        m = add(transform(R, get3(given, row + 3, b)), cross(p, a))
        e, d = get6(work, ints[tree_columns.W_S] + 6 * (first + j), w)
        turned, moved = cross_twist(o, u, e, d)
        put6(work, ints[tree_columns.W_DS] + 6 * (first + j), w, add(turned, a), add(moved, m))


@routine
def _rates_other(ints, floats, i, q, v, given, b, work, w):
    """Write the twist of a segment that is not carried by plain axes, and dS/dt of its columns."""
    base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
    kind, first = ints[ix(base + tree_columns.KIND)], ints[ix(base + tree_columns.FIRST)]
    o, u = joint_twist(ints, i, v, b, work, w)
    put6(work, ints[tree_columns.W_V] + 6 * i, w, o, u)
    ok = 1
    if kind == tree_columns.FUNCTION:
        _rates_function(ints, floats, i, q, v, b, work, w)
        return ok
    if kind == tree_columns.GIVEN:
        _rates_given(ints, i, given, b, work, w)
        return ok
    if kind == tree_columns.CONTACT:
        o, u, ok = contact_frame_twist(ints, floats, i, q, v, b, work, w)
    for k in range(first, first + ints[ix(base + tree_columns.COUNT)]):  # fixed in the child, or in the contact frame
        e, d = get6(work, ints[tree_columns.W_S] + 6 * k, w)
        a, m = cross_twist(o, u, e, d)
        put6(work, ints[tree_columns.W_DS] + 6 * k, w, a, m)
    return ok


@routine
def rates(ints, floats, q, v, given, b, work, w):
    """Write the twist of every segment and dS/dt of every column; return a status."""
    status = tree_columns.OK
    for i in range(ints[tree_columns.SEGMENTS]):
        base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
        if ints[ix(base + tree_columns.KIND)] != tree_columns.AXES:
            if _rates_other(ints, floats, i, q, v, given, b, work, w) != 1:
                status = tree_columns.CONFORMING + tree_columns.WHERE * i
            continue
        o, u = velocity_of(ints, ints[ix(base + tree_columns.PARENT)], work, w)
        first = ints[ix(base + tree_columns.FIRST)]
        for k in range(first, first + ints[ix(base + tree_columns.COUNT)]):
            e, d = get6(work, ints[tree_columns.W_S] + 6 * k, w)
            rate = column_velocity(ints, k, v, b)
            a, m = cross_twist(o, u, e, d)
            put6(work, ints[tree_columns.W_DS] + 6 * k, w, a, m)
            o, u = axpy(rate, e, o), axpy(rate, d, u)
        put6(work, ints[tree_columns.W_V] + 6 * i, w, o, u)
    return status


@routine
def bias(ints, floats, q, v, given, b, work, w):
    """Write the twist of every segment and Σ dS/dt v of its columns; return a status."""
    status = tree_columns.OK
    for i in range(ints[tree_columns.SEGMENTS]):
        base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
        first = ints[ix(base + tree_columns.FIRST)]
        a, m = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if ints[ix(base + tree_columns.KIND)] != tree_columns.AXES:
            if _rates_other(ints, floats, i, q, v, given, b, work, w) != 1:
                status = tree_columns.CONFORMING + tree_columns.WHERE * i
            for k in range(first, first + ints[ix(base + tree_columns.COUNT)]):
                rate = column_velocity(ints, k, v, b)
                e, d = get6(work, ints[tree_columns.W_DS] + 6 * k, w)
                a, m = axpy(rate, e, a), axpy(rate, d, m)
        else:
            o, u = velocity_of(ints, ints[ix(base + tree_columns.PARENT)], work, w)
            for k in range(first, first + ints[ix(base + tree_columns.COUNT)]):
                rate = column_velocity(ints, k, v, b)
                e, d = get6(work, ints[tree_columns.W_S] + 6 * k, w)
                e, d = scale(rate, e), scale(rate, d)
                a, m = add(a, cross(o, e)), add(m, add(cross(o, d), cross(u, e)))
                o, u = add(o, e), add(u, d)
            put6(work, ints[tree_columns.W_V] + 6 * i, w, o, u)
        put6(work, ints[tree_columns.W_C] + 6 * i, w, a, m)
    return status
