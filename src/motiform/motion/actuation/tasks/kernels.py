"""Rows of a task function at one state: Q, dQ/dt = H v and d²Q/dt² = H a + h, in one call.  [HuMAnS 8.1]"""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import inline, typed_entry
from motiform.motion.actuation.tasks import columns as task_columns
from motiform.motion.actuation.tasks.layouts import SegmentMotion, TaskModel, TaskRows
from motiform.spatial.algebra import add, axpy, cross, load3, load9, matmul, scale, sub, tmul, transform

__all__ = ["task_rows"]


_ZERO = (0.0, 0.0, 0.0)


@inline
def _high(a, i):
    return a[i, 3], a[i, 4], a[i, 5]


@inline
def _place(now, n):
    return now.poses[n, 9], now.poses[n, 10], now.poses[n, 11]


@inline
def _point(now, n, point):
    """Return place, velocity and acceleration of a point of segment n."""
    r, o, e = transform(load9(now.poses, n), point), load3(now.twists, n), load3(now.accelerations, n)
    speed = add(_high(now.twists, n), cross(o, r))
    return add(_place(now, n), r), speed, add(add(_high(now.accelerations, n), cross(e, r)), cross(o, cross(o, r)))


@inline
def _center(body, now):
    """Return place, velocity and acceleration of the centre of mass."""
    x, u, a = _ZERO, _ZERO, _ZERO
    for n in range(body.shares.shape[0]):
        own, speed, rate = _point(now, n, load3(body.coms, n))
        m = body.shares[n]
        x, u, a = axpy(m, own, x), axpy(m, speed, u), axpy(m, rate, a)
    return x, u, a


@inline
def _point_column(body, now, n, x, k):
    """Return how velocity k moves the point of segment n that is at x."""
    column = add(_high(now.axes, k), cross(load3(now.axes, k), x))
    return scale(body.carried[n, k], column)


@inline
def _center_column(body, now, k):
    """Return how velocity k moves the centre of mass."""
    carried, x = 0.0, _ZERO
    for n in range(body.shares.shape[0]):
        m = body.shares[n] * body.carried[n, k]
        if m != 0.0:
            carried += m
            x = axpy(m, add(_place(now, n), transform(load9(now.poses, n), load3(body.coms, n))), x)
    return add(scale(carried, _high(now.axes, k)), cross(load3(now.axes, k), x))


@inline
def _spin_column(body, now, n, k):
    """Return how velocity k turns segment n; none is the world."""
    return _ZERO if n < 0 else scale(body.carried[n, k], load3(now.axes, k))


@inline
def _part(a, axis):
    return a[0] if axis == 0 else (a[1] if axis == 1 else a[2])


@inline
def _along(a, digit):
    """Return the part along an axis, or against it, by its digit."""
    axis = digit - 1 if digit < 4 else digit - 5
    return _part(a, axis) if digit < 4 else -_part(a, axis)


@inline
def _place_rows(task, body, now, row, out):
    """Write the place of a tag or the centre of mass, from another tag and in the axes of a segment.

    y = Rᵀ r:  dy/dt = Rᵀ (ṙ − ω × r),  d²y/dt² = Rᵀ (r̈ − ω̇ × r − ω × (ω × r) − 2 ω × (ṙ − ω × r)).
    """
    center, what, origin, n = (
        task[task_columns.KIND] == task_columns.CENTER,
        task[task_columns.WHAT],
        task[task_columns.FROM],
        task[task_columns.FRAME],
    )
    if center:
        x, u, a = _center(body, now)
    else:
        x, u, a = _point(now, body.tags[what], load3(body.points, what))
    x0, r, dr, ddr = _ZERO, x, u, a
    if origin >= 0:
        x0, u, a = _point(now, body.tags[origin], load3(body.points, origin))
        r, dr, ddr = sub(r, x0), sub(dr, u), sub(ddr, a)
    R = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    y, speed, rate = r, dr, ddr
    if n >= 0:
        R, o, e = load9(now.poses, n), load3(now.twists, n), load3(now.accelerations, n)
        slow = sub(dr, cross(o, r))
        turn = add(add(cross(e, r), cross(o, cross(o, r))), scale(2.0, cross(o, slow)))
        y, speed, rate = tmul(R, r), tmul(R, slow), tmul(R, sub(ddr, turn))
    at, left = row, task[task_columns.AXES]
    while left > 0:
        digit = left % 8
        out.value[at], out.rate[at], out.bias[at] = _along(y, digit), _along(speed, digit), _along(rate, digit)
        at, left = at + 1, left // 8
    for k in range(now.v.shape[0]):
        column = _center_column(body, now, k) if center else _point_column(body, now, body.tags[what], x, k)
        if origin >= 0:
            column = sub(column, _point_column(body, now, body.tags[origin], x0, k))
        if n >= 0:
            column = tmul(R, add(column, cross(r, _spin_column(body, now, n, k))))
        at, left = row, task[task_columns.AXES]
        while left > 0:
            out.jacobian[at, k] = _along(column, left % 8)
            at, left = at + 1, left // 8
    return at


@inline
def _axial(a):
    """Return the vector of the antisymmetric part of a matrix."""
    return 0.5 * (a[7] - a[5]), 0.5 * (a[2] - a[6]), 0.5 * (a[3] - a[1])


@inline
def _skew(w):
    return 0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0


@inline
def _half(E, w):
    """Return half the antisymmetric part of [w] E, ½ (tr E − E) w."""
    return scale(0.5, sub(scale(E[0] + E[4] + E[8], w), transform(E, w)))


@inline
def _turn_rows(task, neutral, body, now, row, out):
    """Write the turn of a segment: E = R_frameᵀ R R₀ᵀ, dE/dt = [w] E."""
    own, n = task[task_columns.WHAT], task[task_columns.FRAME]
    R, base, turn = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), _ZERO, _ZERO
    if n >= 0:
        R, base, turn = load9(now.poses, n), load3(now.twists, n), load3(now.accelerations, n)
    A, N = load9(now.poses, own), neutral
    Rt = (R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8])
    E = matmul(matmul(Rt, A), (N[0], N[3], N[6], N[1], N[4], N[7], N[2], N[5], N[8]))
    apart = sub(load3(now.twists, own), base)
    w = tmul(R, apart)
    dw = tmul(R, sub(sub(load3(now.accelerations, own), turn), cross(base, apart)))
    value, rate = _axial(E), _half(E, w)
    bias = add(_half(E, dw), _axial(matmul(matmul(_skew(w), _skew(w)), E)))
    for axis in range(3):
        out.value[row + axis], out.rate[row + axis] = _part(value, axis), _part(rate, axis)
        out.bias[row + axis] = _part(bias, axis)
    for k in range(now.v.shape[0]):
        spin = sub(_spin_column(body, now, own, k), _spin_column(body, now, n, k))
        column = _half(E, tmul(R, spin))
        for axis in range(3):
            out.jacobian[row + axis, k] = _part(column, axis)
    return row + 3


@typed_entry("int64", "int64[:, ::1]", "float64[:, ::1]", TaskModel, SegmentMotion, TaskRows)
def task_rows(tasks, turns, body, now, out):
    """Write the rows of all tasks; return how many."""
    row = 0
    for m in range(tasks.shape[0]):
        task = tasks[m]
        if task[task_columns.KIND] == task_columns.TURN:
            row = _turn_rows(task, load9(turns, m), body, now, row, out)
        elif task[task_columns.KIND] == task_columns.POSTURE:
            for k in range(now.v.shape[0]):
                out.jacobian[row, k] = 0.0
            out.jacobian[row, task[task_columns.AXES]] = 1.0
            out.value[row], out.rate[row], out.bias[row] = (
                now.q[task[task_columns.WHAT]],
                now.v[task[task_columns.AXES]],
                0.0,
            )
            row += 1
        else:
            row = _place_rows(task, body, now, row, out)
    return row
