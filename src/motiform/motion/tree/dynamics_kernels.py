"""Inverse dynamics, inertia matrix and forward dynamics of one state.

All spatial vectors are in world axes about the origin of the root segment, so that passing from child to parent is a
plain sum [Featherstone08 5.3, 6.2, 7.3].
"""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import inline, routine
from motiform.motion.tree import columns as c
from motiform.motion.tree.memory_kernels import get3, get6, get9, put6, row3
from motiform.motion.tree.motion_kernels import bias
from motiform.motion.tree.place_kernels import place
from motiform.spatial.algebra import add, axpy, cross, dot, scale, sub, tmul, transform

__all__ = ["articulated", "composite", "external_forces", "inertia_of", "recursive"]


@inline
def _sym(m, a):
    """Return M a for a symmetric matrix xx xy xz yy yz zz."""
    return (
        m[0] * a[0] + m[1] * a[1] + m[2] * a[2],
        m[1] * a[0] + m[3] * a[1] + m[4] * a[2],
        m[2] * a[0] + m[4] * a[1] + m[5] * a[2],
    )


@inline
def _own_inertia(floats, at):
    k = at + c.INERTIA
    return floats[k], floats[k + 1], floats[k + 2], floats[k + 3], floats[k + 4], floats[k + 5]


@inline
def inertia_of(ints, floats, i, work, w):
    """Return mass, mass times centre, and the six moments of segment i about the root's origin, in world axes."""
    at = c.FLOAT_HEADER + i * c.SEGMENT_FLOATS
    mass = floats[at + c.MASS]
    pose = ints[c.W_POSE] + i * c.POSE_ROWS
    R = get9(work, pose, w)
    x, y, z = add(get3(work, pose + 9, w), transform(R, row3(floats, at + c.COM)))
    own = _own_inertia(floats, at)
    # R I Rᵀ by the rows of R
    ra, rb, rd = (R[0], R[1], R[2]), (R[3], R[4], R[5]), (R[6], R[7], R[8])
    ta, tb, td = _sym(own, ra), _sym(own, rb), _sym(own, rd)
    h = (mass * x, mass * y, mass * z)
    moments = (
        dot(ta, ra) + h[1] * y + h[2] * z,
        dot(ta, rb) - h[0] * y,
        dot(ta, rd) - h[0] * z,
        dot(tb, rb) + h[0] * x + h[2] * z,
        dot(tb, rd) - h[1] * z,
        dot(td, rd) + h[0] * x + h[1] * y,
    )
    return mass, h, moments


@inline
def momentum_of(mass, h, moments, o, u):
    """Return the angular and linear momentum of a twist: (I ω + h × u, m u − h × ω)."""
    return add(_sym(moments, o), cross(h, u)), sub(scale(mass, u), cross(h, o))


@inline
def _body_force(ints, floats, i, o, a, m, work, w):
    """Return the wrench that moves segment i: Newton's law at its centre, Euler's about it, then about the root.

    (a, m) is its spatial acceleration; in the body's own axes the inertia is constant, so vectors turn, not it.
    """
    at = c.FLOAT_HEADER + i * c.SEGMENT_FLOATS
    pose = ints[c.W_POSE] + i * c.POSE_ROWS
    R = get9(work, pose, w)
    center = add(get3(work, pose + 9, w), transform(R, row3(floats, at + c.COM)))
    own = _own_inertia(floats, at)
    turning = tmul(R, o)
    moment = transform(R, add(_sym(own, tmul(R, a)), cross(turning, _sym(own, turning))))
    u = get3(work, ints[c.W_V] + 6 * i + 3, w)
    velocity = add(u, cross(o, center))
    force = scale(floats[at + c.MASS], add(add(m, cross(a, center)), cross(o, velocity)))
    return add(moment, cross(center, force)), force


@inline
def external_forces(ints, external, i, b, work, w):
    """Return the wrench given on segment i (world axes, about its origin) about the root's origin."""
    moment, force = get6(external, 6 * i, b)
    p = get3(work, ints[c.W_POSE] + i * c.POSE_ROWS + 9, w)
    return add(moment, cross(p, force)), force


@routine
def recursive(ints, floats, q, v, a, given, external, has_external, b, work, w, tau):
    """Inverse dynamics [Featherstone08 5.3]: tau of the motion (q, v, a). The wrench through every joint stays in work."""
    place(ints, floats, q, given, b, work, w)
    status = bias(ints, floats, q, v, given, b, work, w)
    gravity = row3(floats, c.GRAVITY)
    for i in range(ints[c.SEGMENTS]):
        base = c.HEADER + i * c.SEGMENT_INTS
        parent = ints[base + c.PARENT]
        s, t = get6(work, ints[c.W_C] + 6 * i, w)
        if parent >= 0:
            sp, tp = get6(work, ints[c.W_A] + 6 * parent, w)
            s, t = add(s, sp), add(t, tp)
        else:
            t = sub(t, gravity)  # a world that falls upward is a world with gravity
        first = ints[base + c.FIRST]
        for k in range(first, first + ints[base + c.COUNT]):
            rate = a[ints[ints[c.AT_COLUMNS] + k * c.COLUMN_INTS + c.COLUMN_V], b]
            e, d = get6(work, ints[c.W_S] + 6 * k, w)
            s, t = axpy(rate, e, s), axpy(rate, d, t)
        put6(work, ints[c.W_A] + 6 * i, w, s, t)
        n, f = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if ints[base + c.HAS_MASS] == 1:
            o = get3(work, ints[c.W_V] + 6 * i, w)
            n, f = _body_force(ints, floats, i, o, s, t, work, w)
        if has_external:
            given_n, given_f = external_forces(ints, external, i, b, work, w)
            n, f = sub(n, given_n), sub(f, given_f)
        put6(work, ints[c.W_F] + 6 * i, w, n, f)
    for i in range(ints[c.SEGMENTS] - 1, -1, -1):
        base = c.HEADER + i * c.SEGMENT_INTS
        n, f = get6(work, ints[c.W_F] + 6 * i, w)
        first = ints[base + c.FIRST]
        for k in range(first, first + ints[base + c.COUNT]):
            column = ints[ints[c.AT_COLUMNS] + k * c.COLUMN_INTS + c.COLUMN_V]
            number = ints[c.FLOAT_COLUMNS] + k * c.COLUMN_FLOATS
            e, d = get6(work, ints[c.W_S] + 6 * k, w)
            drive = floats[number + c.ARMATURE] * a[column, b] + floats[number + c.DAMPING] * v[column, b]
            tau[column, b] = dot(e, n) + dot(d, f) + drive
        parent = ints[base + c.PARENT]
        if parent >= 0:
            row = ints[c.W_F] + 6 * parent
            np_, fp = get6(work, row, w)
            put6(work, row, w, add(np_, n), add(fp, f))
    return status


@inline
def _put_inertia(ints, i, mass, h, moments, work, w):
    row = ints[c.W_J] + c.INERTIA_ROWS * i
    work[row, w] = mass
    work[row + 1, w] = h[0]
    work[row + 2, w] = h[1]
    work[row + 3, w] = h[2]
    for k in range(6):
        work[row + 4 + k, w] = moments[k]


@inline
def _get_inertia(ints, i, work, w):
    row = ints[c.W_J] + c.INERTIA_ROWS * i
    h = get3(work, row + 1, w)
    m = (work[row + 4, w], work[row + 5, w], work[row + 6, w], work[row + 7, w], work[row + 8, w], work[row + 9, w])
    return work[row, w], h, m


@routine
def world_inertias(ints, floats, work, w):
    """Write the inertia of every segment about the root's origin."""
    for i in range(ints[c.SEGMENTS]):
        if ints[c.HEADER + i * c.SEGMENT_INTS + c.HAS_MASS] == 1:
            mass, h, moments = inertia_of(ints, floats, i, work, w)
            _put_inertia(ints, i, mass, h, moments, work, w)
        else:
            _put_inertia(ints, i, 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), work, w)


@routine
def composite(ints, floats, q, given, b, work, w, M):
    """Inertia matrix [Featherstone08 6.2] as rows i·nv + j of M. Momenta of the columns stay in work (W_U)."""
    nv = ints[c.NV]
    place(ints, floats, q, given, b, work, w)
    world_inertias(ints, floats, work, w)
    for k in range(nv * nv):
        M[k, b] = 0.0
    at_columns, twists = ints[c.AT_COLUMNS], ints[c.W_S]
    for i in range(ints[c.SEGMENTS] - 1, -1, -1):
        base = c.HEADER + i * c.SEGMENT_INTS
        mass, h, moments = _get_inertia(ints, i, work, w)
        parent = ints[base + c.PARENT]
        if parent >= 0:
            row = ints[c.W_J] + c.INERTIA_ROWS * parent
            work[row, w] += mass
            for k in range(3):
                work[row + 1 + k, w] += h[k]
            for k in range(6):
                work[row + 4 + k, w] += moments[k]
        first = ints[base + c.FIRST]
        for k in range(first + ints[base + c.COUNT] - 1, first - 1, -1):
            e, d = get6(work, twists + 6 * k, w)
            n, f = momentum_of(mass, h, moments, e, d)
            put6(work, ints[c.W_U] + 6 * k, w, n, f)
            column = ints[at_columns + k * c.COLUMN_INTS + c.COLUMN_V]
            armature = floats[ints[c.FLOAT_COLUMNS] + k * c.COLUMN_FLOATS + c.ARMATURE]
            M[column * nv + column, b] = dot(e, n) + dot(d, f) + armature
            j = ints[at_columns + k * c.COLUMN_INTS + c.BEFORE]
            while j >= 0:
                e, d = get6(work, twists + 6 * j, w)
                value = dot(e, n) + dot(d, f)
                other = ints[at_columns + j * c.COLUMN_INTS + c.COLUMN_V]
                M[column * nv + other, b] = value
                M[other * nv + column, b] = value
                j = ints[at_columns + j * c.COLUMN_INTS + c.BEFORE]


# ---- forward dynamics: articulated inertias as three blocks: angular A (sym), angular–linear B, linear C (sym)


@inline
def _get_articulated(work, row, w):
    A = (work[row, w], work[row + 1, w], work[row + 2, w], work[row + 3, w], work[row + 4, w], work[row + 5, w])
    B = get9(work, row + 6, w)
    r = row + 15
    C = (work[r, w], work[r + 1, w], work[r + 2, w], work[r + 3, w], work[r + 4, w], work[r + 5, w])
    return A, B, C


@inline
def _put_articulated(work, row, w, A, B, C):
    for k in range(6):
        work[row + k, w] = A[k]
        work[row + 15 + k, w] = C[k]
    for k in range(9):
        work[row + 6 + k, w] = B[k]


@inline
def _add_articulated(work, row, w, A, B, C):
    for k in range(6):
        work[row + k, w] += A[k]
        work[row + 15 + k, w] += C[k]
    for k in range(9):
        work[row + 6 + k, w] += B[k]


@inline
def _apply(A, B, C, e, d):
    """Return the wrench of an acceleration."""
    return add(_sym(A, e), transform(B, d)), add(tmul(B, e), _sym(C, d))


@inline
def _less_outer(m, s, a):
    """Return M − s a aᵀ for a symmetric matrix."""
    x, y, z = scale(s, a)
    return (
        m[0] - x * a[0],
        m[1] - x * a[1],
        m[2] - x * a[2],
        m[3] - y * a[1],
        m[4] - y * a[2],
        m[5] - z * a[2],
    )


@inline
def _less_outer_mixed(m, s, a, b):
    """Return M − s a bᵀ."""
    x, y, z = scale(s, a)
    return (
        m[0] - x * b[0],
        m[1] - x * b[1],
        m[2] - x * b[2],
        m[3] - y * b[0],
        m[4] - y * b[1],
        m[5] - y * b[2],
        m[6] - z * b[0],
        m[7] - z * b[1],
        m[8] - z * b[2],
    )


@inline
def _begin_articulated(ints, floats, i, external, has_external, b, work, w):
    """Write the inertia of a segment and the wrench that its velocity and loads ask for."""
    row = ints[c.W_IA] + c.ARTICULATED_ROWS * i
    n, f = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if ints[c.HEADER + i * c.SEGMENT_INTS + c.HAS_MASS] == 1:
        mass, h, moments = inertia_of(ints, floats, i, work, w)
        B = (0.0, -h[2], h[1], h[2], 0.0, -h[0], -h[1], h[0], 0.0)
        _put_articulated(work, row, w, moments, B, (mass, 0.0, 0.0, mass, 0.0, mass))
        o, u = get6(work, ints[c.W_V] + 6 * i, w)
        angular, linear = momentum_of(mass, h, moments, o, u)
        n, f = add(cross(o, angular), cross(u, linear)), cross(o, linear)
    else:
        zero = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        _put_articulated(work, row, w, zero, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), zero)
    if has_external:
        given_n, given_f = external_forces(ints, external, i, b, work, w)
        n, f = sub(n, given_n), sub(f, given_f)
    put6(work, ints[c.W_F] + 6 * i, w, n, f)


@routine
def articulated(ints, floats, q, v, tau, given, external, has_external, b, work, w, acceleration):
    """Forward dynamics [Featherstone08 7.3]; columns of one joint are eliminated one after the other."""
    place(ints, floats, q, given, b, work, w)
    status = bias(ints, floats, q, v, given, b, work, w)
    for i in range(ints[c.SEGMENTS]):
        _begin_articulated(ints, floats, i, external, has_external, b, work, w)
    at_columns = ints[c.AT_COLUMNS]
    for i in range(ints[c.SEGMENTS] - 1, -1, -1):
        base = c.HEADER + i * c.SEGMENT_INTS
        A, B, C = _get_articulated(work, ints[c.W_IA] + c.ARTICULATED_ROWS * i, w)
        n, f = get6(work, ints[c.W_F] + 6 * i, w)
        first = ints[base + c.FIRST]
        for k in range(first + ints[base + c.COUNT] - 1, first - 1, -1):
            number = ints[c.FLOAT_COLUMNS] + k * c.COLUMN_FLOATS
            column = ints[at_columns + k * c.COLUMN_INTS + c.COLUMN_V]
            e, d = get6(work, ints[c.W_S] + 6 * k, w)
            nu, fu = _apply(A, B, C, e, d)
            along = dot(e, nu) + dot(d, fu)
            D = along + floats[number + c.ARMATURE]
            if not D > c.LEAST * (_size(A, e) + _size(C, d)):
                status = c.SINGULAR + c.WHERE * i
            inverse = 1.0 / D
            u = tau[column, b] - floats[number + c.DAMPING] * v[column, b] - dot(e, n) - dot(d, f)
            A, C = _less_outer(A, inverse, nu), _less_outer(C, inverse, fu)
            B = _less_outer_mixed(B, inverse, nu, fu)
            n, f = axpy(u * inverse, nu, n), axpy(u * inverse, fu, f)
            put6(work, ints[c.W_U] + 6 * k, w, nu, fu)
            work[ints[c.W_D] + 2 * k, w] = inverse
            work[ints[c.W_D] + 2 * k + 1, w] = u
        parent = ints[base + c.PARENT]
        if parent >= 0:
            s, t = get6(work, ints[c.W_C] + 6 * i, w)
            nc, fc = _apply(A, B, C, s, t)
            row = ints[c.W_F] + 6 * parent
            np_, fp = get6(work, row, w)
            put6(work, row, w, add(np_, add(n, nc)), add(fp, add(f, fc)))
            _add_articulated(work, ints[c.W_IA] + c.ARTICULATED_ROWS * parent, w, A, B, C)
    _accelerate(ints, floats, b, work, w, acceleration)
    return status


@inline
def _size(m, a):
    """Return the largest that a·M a could be."""
    return (m[0] + m[3] + m[5]) * dot(a, a)


@inline
def _accelerate(ints, floats, b, work, w, acceleration):
    """From the root outward: the acceleration of each column, then of the segment."""
    gravity = row3(floats, c.GRAVITY)
    for i in range(ints[c.SEGMENTS]):
        base = c.HEADER + i * c.SEGMENT_INTS
        parent = ints[base + c.PARENT]
        s, t = get6(work, ints[c.W_C] + 6 * i, w)
        if parent >= 0:
            sp, tp = get6(work, ints[c.W_A] + 6 * parent, w)
            s, t = add(s, sp), add(t, tp)
        else:
            t = sub(t, gravity)
        first = ints[base + c.FIRST]
        for k in range(first, first + ints[base + c.COUNT]):
            nu, fu = get6(work, ints[c.W_U] + 6 * k, w)
            D = ints[c.W_D] + 2 * k
            rate = work[D, w] * (work[D + 1, w] - dot(nu, s) - dot(fu, t))
            acceleration[ints[ints[c.AT_COLUMNS] + k * c.COLUMN_INTS + c.COLUMN_V], b] = rate
            e, d = get6(work, ints[c.W_S] + 6 * k, w)
            s, t = axpy(rate, e, s), axpy(rate, d, t)
        put6(work, ints[c.W_A] + 6 * i, w, s, t)
