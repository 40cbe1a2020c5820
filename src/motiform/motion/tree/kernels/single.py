"""The algorithms on one state, called from Python with few arguments, and on many states at once.

Both run the same compiled routines on the same kind of arrays, so their results have the same bits.
"""

# mypy: disable-error-code="no-untyped-def"

import numba
from numba import int64

from motiform.base.kernels import entry, inline, typed_kernel
from motiform.motion.tree.kernels.dynamics import articulated, composite, recursive
from motiform.motion.tree.kernels.memory import get3, get6, get9, ix, put3, put6, put9
from motiform.motion.tree.kernels.motion import bias
from motiform.motion.tree.kernels.place import place
from motiform.motion.tree.model import columns as tree_columns
from motiform.spatial.algebra import add, axpy, cross

__all__ = ["first_of", "many_states", "one_articulated", "one_axes", "one_composite", "one_motion", "one_recursive"]

_1 = "float64[::1]"
_HEAD = "int64(int64[::1], float64[::1], float64[::1], "  # integers and floats of the figure, workspace


@inline
def finite(x, b):
    """Return 0, or NaN where a number of the state is not finite; four sums that do not wait for one another."""
    n, s0, s1, s2, s3 = x.shape[0], 0.0, 0.0, 0.0, 0.0
    for k in range(0, n - 3, 4):
        s0 += 0.0 * x[ix(k), ix(b)]
        s1 += 0.0 * x[ix(k + 1), ix(b)]
        s2 += 0.0 * x[ix(k + 2), ix(b)]
        s3 += 0.0 * x[ix(k + 3), ix(b)]
    for k in range(n - n % 4, n):
        s0 += 0.0 * x[ix(k), ix(b)]
    return (s0 + s1) + (s2 + s3)


@inline
def checked(status, total):
    """Return the status, of which numbers that are not finite are the first reason."""
    return tree_columns.NOT_FINITE if total != 0.0 else status


@inline
def write_axes(ints, b, work, w, out):
    """Write the twist of every velocity about the world's origin: rows 6·v."""
    at = ints[tree_columns.AT_COLUMNS]
    for i in range(ints[tree_columns.SEGMENTS]):
        base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
        origin = get3(work, ints[tree_columns.W_ROOT] + 3 * ints[base + tree_columns.ROOT], w)
        first = ints[base + tree_columns.FIRST]
        for k in range(first, first + ints[base + tree_columns.COUNT]):
            row, column = (
                ints[tree_columns.W_S] + 6 * k,
                6 * ints[at + k * tree_columns.COLUMN_INTS + tree_columns.COLUMN_V],
            )
            e = get3(work, row, w)
            d = add(get3(work, row + 3, w), cross(origin, e))
            out[column, b] = e[0]
            out[column + 1, b] = e[1]
            out[column + 2, b] = e[2]
            out[column + 3, b] = d[0]
            out[column + 4, b] = d[1]
            out[column + 5, b] = d[2]


@numba.njit(inline="always")
def one_state(x):
    """Return a one-dimensional array as the rows of one state."""
    return x.reshape(1, x.shape[0]).T


@numba.njit(inline="always")
def state_zero(ints):
    """Return 0 as a number and not as a literal, for which all routines would be compiled again."""
    return ints.shape[0] - ints.shape[0]


@entry(_HEAD + f"{_1}, float64[:, ::1])")
def one_axes(ints, floats, work, q, out):
    """Twists of all velocities of one state."""
    if q.shape[0] != ints[tree_columns.NQ]:
        return tree_columns.WRONG_SIZE
    W, Q = one_state(work), one_state(q)
    b = state_zero(ints)
    place(ints, floats, Q, W, b, W, b)
    O = one_state(out.reshape(out.size))
    write_axes(ints, b, W, b, O)
    return checked(tree_columns.OK, finite(Q, 0) + finite(O, 0))


@entry(_HEAD + f"{_1}, {_1}, {_1}, {_1})")
def one_recursive(ints, floats, work, q, v, a, out):
    """Inverse dynamics of one state."""
    nv = ints[tree_columns.NV]
    if q.shape[0] != ints[tree_columns.NQ] or v.shape[0] != nv or a.shape[0] != nv:
        return tree_columns.WRONG_SIZE
    W, Q, V, A, O = one_state(work), one_state(q), one_state(v), one_state(a), one_state(out)
    b = state_zero(ints)
    status = recursive(ints, floats, Q, V, A, W, W, b != b, b, W, b, O)
    return checked(status, finite(Q, 0) + finite(V, 0) + finite(A, 0) + finite(O, 0))


@entry(_HEAD + f"{_1}, float64[:, ::1])")
def one_composite(ints, floats, work, q, out):
    """Inertia matrix of one state."""
    if q.shape[0] != ints[tree_columns.NQ]:
        return tree_columns.WRONG_SIZE
    W, Q = one_state(work), one_state(q)
    b = state_zero(ints)
    composite(ints, floats, Q, W, b, W, b, one_state(out.reshape(out.size)))
    total = finite(Q, 0)
    for k in range(out.shape[0]):
        total += 0.0 * out[k, k]
    return checked(tree_columns.OK, total)


@entry(_HEAD + f"{_1}, {_1}, {_1}, {_1})")
def one_articulated(ints, floats, work, q, v, tau, out):
    """Forward dynamics of one state."""
    nv = ints[tree_columns.NV]
    if q.shape[0] != ints[tree_columns.NQ] or v.shape[0] != nv or tau.shape[0] != nv:
        return tree_columns.WRONG_SIZE
    W, Q, V, T, O = one_state(work), one_state(q), one_state(v), one_state(tau), one_state(out)
    b = state_zero(ints)
    status = articulated(ints, floats, Q, V, T, W, W, b != b, b, W, b, O)
    return checked(status, finite(Q, 0) + finite(V, 0) + finite(T, 0) + finite(O, 0))


@inline
def first_of(w, count, slots):
    """Return the first state of a slot; states are dealt out in runs of neighbours."""
    return w * count // slots


@inline
def write_pose(ints, i, b, work, w, out):
    """Write the pose of segment i in the world: rows 12·i."""
    pose = ints[tree_columns.W_POSE] + i * tree_columns.POSE_ROWS
    root = ints[tree_columns.W_ROOT] + 3 * ints[tree_columns.HEADER + i * tree_columns.SEGMENT_INTS + tree_columns.ROOT]
    put9(out, 12 * i, b, get9(work, pose, w))
    put3(out, 12 * i + 9, b, add(get3(work, root, w), get3(work, pose + 9, w)))


@inline
def write_motion(ints, floats, a, b, work, w, out):
    """Write pose, twist and acceleration of every segment at its origin, in world axes: rows 12·i, then 6·i each."""
    n = ints[tree_columns.SEGMENTS]
    for i in range(n):
        base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
        s, t = get6(work, ints[tree_columns.W_C] + 6 * i, w)
        if ints[base + tree_columns.PARENT] >= 0:
            sp, tp = get6(work, ints[tree_columns.W_A] + 6 * ints[base + tree_columns.PARENT], w)
            s, t = add(s, sp), add(t, tp)
        first = ints[base + tree_columns.FIRST]
        for k in range(first, first + ints[base + tree_columns.COUNT]):
            rate = a[ints[ints[tree_columns.AT_COLUMNS] + k * tree_columns.COLUMN_INTS + tree_columns.COLUMN_V], b]
            e, d = get6(work, ints[tree_columns.W_S] + 6 * k, w)
            s, t = axpy(rate, e, s), axpy(rate, d, t)
        put6(work, ints[tree_columns.W_A] + 6 * i, w, s, t)
        o, u = get6(work, ints[tree_columns.W_V] + 6 * i, w)
        p = get3(work, ints[tree_columns.W_POSE] + i * tree_columns.POSE_ROWS + 9, w)
        u = add(u, cross(o, p))
        write_pose(ints, i, b, work, w, out)
        put6(out, 12 * n + 6 * i, b, o, u)
        put6(out, 18 * n + 6 * i, b, s, add(add(t, cross(s, p)), cross(o, u)))


@entry(_HEAD + f"{_1}, {_1}, {_1}, {_1})")
def one_motion(ints, floats, work, q, v, a, out):
    """Poses, twists and accelerations of all segments of one state."""
    nv = ints[tree_columns.NV]
    if q.shape[0] != ints[tree_columns.NQ] or v.shape[0] != nv or a.shape[0] != nv:
        return tree_columns.WRONG_SIZE
    W, Q, V, A, O = one_state(work), one_state(q), one_state(v), one_state(a), one_state(out)
    b = state_zero(ints)
    place(ints, floats, Q, W, b, W, b)
    status = bias(ints, floats, Q, V, W, b, W, b)
    write_motion(ints, floats, A, b, W, b, O)
    return checked(status, finite(Q, 0) + finite(V, 0) + finite(A, 0) + finite(O, 0))


ROWS = "float64[::1, :]"  # rows of states


@typed_kernel("int64", "int64[::1]", "float64[::1]", *[ROWS] * 6, "boolean", "int64", ROWS, "int64[::1]")
def many_states(w, slots, ints, floats, work, given, q, v, a, external, has_external, what, out, status):
    """One algorithm on the states of slot w. They are one kernel so that their common parts are compiled once."""
    w = int64(w)
    for b in range(first_of(w, q.shape[1], slots), first_of(w + 1, q.shape[1], slots)):
        found = tree_columns.OK
        if what == tree_columns.RECURSIVE:
            found = recursive(ints, floats, q, v, a, given, external, has_external, b, work, w, out)
        elif what == tree_columns.ARTICULATED:
            found = articulated(ints, floats, q, v, a, given, external, has_external, b, work, w, out)
        elif what == tree_columns.COMPOSITE:
            composite(ints, floats, q, given, b, work, w, out)
        else:
            place(ints, floats, q, given, b, work, w)
            if what == tree_columns.TWISTS:
                write_axes(ints, b, work, w, out)
            elif what == tree_columns.POSES:
                for i in range(ints[tree_columns.SEGMENTS]):
                    write_pose(ints, i, b, work, w, out)
            else:
                found = bias(ints, floats, q, v, given, b, work, w)
                write_motion(ints, floats, a, b, work, w, out)
        status[b] = found
