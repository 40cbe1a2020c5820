"""Inverse dynamics, inertia matrix and forward dynamics of one state.

All spatial vectors are in world axes about the origin of the root segment, so that passing from child to parent is a
plain sum [Featherstone08 5.3, 6.2, 7.3].
"""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import inline, routine
from motiform.motion.tree.kernels.memory import get3, get6, get9, ix, put6, row3
from motiform.motion.tree.kernels.motion import bias
from motiform.motion.tree.kernels.place import place
from motiform.motion.tree.model import columns as tree_columns
from motiform.spatial.algebra import add, axpy, cross, dot, scale, sub, tmul, transform

__all__ = [
    "articulated", "composite", "external_forces", "get_inertia", "inertia_of", "momentum_of", "own_inertia",
    "placed_composite", "recursive", "sym",
]  # fmt: skip


@inline
def sym(m, a):
    """Return M a for a symmetric matrix xx xy xz yy yz zz."""
    return (
        m[0] * a[0] + m[1] * a[1] + m[2] * a[2],
        m[1] * a[0] + m[3] * a[1] + m[4] * a[2],
        m[2] * a[0] + m[4] * a[1] + m[5] * a[2],
    )


@inline
def own_inertia(floats, at):
    """Return the six moments of a segment about its centre of mass, in its own axes."""
    k = at + tree_columns.INERTIA
    return floats[ix(k)], floats[ix(k + 1)], floats[ix(k + 2)], floats[ix(k + 3)], floats[ix(k + 4)], floats[ix(k + 5)]


@inline
def inertia_of(ints, floats, i, work, w):
    """Return mass, mass times centre, and the six moments of segment i about the root's origin, in world axes."""
    at = tree_columns.FLOAT_HEADER + i * tree_columns.SEGMENT_FLOATS
    mass = floats[ix(at + tree_columns.MASS)]
    pose = ints[tree_columns.W_POSE] + i * tree_columns.POSE_ROWS
    R = get9(work, pose, w)
    x, y, z = add(get3(work, pose + 9, w), transform(R, row3(floats, at + tree_columns.COM)))
    own = own_inertia(floats, at)
    # R I Rᵀ by the rows of R
    ra, rb, rd = (R[0], R[1], R[2]), (R[3], R[4], R[5]), (R[6], R[7], R[8])
    ta, tb, td = sym(own, ra), sym(own, rb), sym(own, rd)
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
    return add(sym(moments, o), cross(h, u)), sub(scale(mass, u), cross(h, o))


@inline
def _body_force(ints, floats, i, o, a, m, work, w):
    """Return the wrench that moves segment i: Newton's law at its centre, Euler's about it, then about the root.

    (a, m) is its spatial acceleration; in the body's own axes the inertia is constant, so vectors turn, not it.
    """
    at = tree_columns.FLOAT_HEADER + i * tree_columns.SEGMENT_FLOATS
    pose = ints[tree_columns.W_POSE] + i * tree_columns.POSE_ROWS
    R = get9(work, pose, w)
    center = add(get3(work, pose + 9, w), transform(R, row3(floats, at + tree_columns.COM)))
    own = own_inertia(floats, at)
    turning = tmul(R, o)
    moment = transform(R, add(sym(own, tmul(R, a)), cross(turning, sym(own, turning))))
    u = get3(work, ints[tree_columns.W_V] + 6 * i + 3, w)
    velocity = add(u, cross(o, center))
    force = scale(floats[ix(at + tree_columns.MASS)], add(add(m, cross(a, center)), cross(o, velocity)))
    return add(moment, cross(center, force)), force


@inline
def external_forces(ints, external, i, b, work, w):
    """Return the wrench given on segment i (world axes, about its origin) about the root's origin."""
    moment, force = get6(external, 6 * i, b)
    p = get3(work, ints[tree_columns.W_POSE] + i * tree_columns.POSE_ROWS + 9, w)
    return add(moment, cross(p, force)), force


@routine
def recursive(ints, floats, q, v, a, given, external, has_external, b, work, w, tau):
    """Inverse dynamics [Featherstone08 5.3]; the wrench through every joint stays in work (W_F)."""
    place(ints, floats, q, given, b, work, w)
    status = bias(ints, floats, q, v, given, b, work, w)
    gravity = row3(floats, tree_columns.GRAVITY)
    for i in range(ints[tree_columns.SEGMENTS]):
        base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
        parent = ints[ix(base + tree_columns.PARENT)]
        s, t = get6(work, ints[tree_columns.W_C] + 6 * i, w)
        if parent >= 0:
            sp, tp = get6(work, ints[tree_columns.W_A] + 6 * parent, w)
            s, t = add(s, sp), add(t, tp)
        else:
            t = sub(t, gravity)  # a world that falls upward is a world with gravity
        first = ints[ix(base + tree_columns.FIRST)]
        for k in range(first, first + ints[ix(base + tree_columns.COUNT)]):
            rate = a[
                ix(ints[ix(ints[tree_columns.AT_COLUMNS] + k * tree_columns.COLUMN_INTS + tree_columns.COLUMN_V)]),
                ix(b),
            ]
            e, d = get6(work, ints[tree_columns.W_S] + 6 * k, w)
            s, t = axpy(rate, e, s), axpy(rate, d, t)
        put6(work, ints[tree_columns.W_A] + 6 * i, w, s, t)
        n, f = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if ints[ix(base + tree_columns.HAS_MASS)] == 1:
            o = get3(work, ints[tree_columns.W_V] + 6 * i, w)
            n, f = _body_force(ints, floats, i, o, s, t, work, w)
        if has_external:
            given_n, given_f = external_forces(ints, external, i, b, work, w)
            n, f = sub(n, given_n), sub(f, given_f)
        put6(work, ints[tree_columns.W_F] + 6 * i, w, n, f)
    for i in range(ints[tree_columns.SEGMENTS] - 1, -1, -1):
        base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
        n, f = get6(work, ints[tree_columns.W_F] + 6 * i, w)
        first = ints[ix(base + tree_columns.FIRST)]
        for k in range(first, first + ints[ix(base + tree_columns.COUNT)]):
            column = ints[ix(ints[tree_columns.AT_COLUMNS] + k * tree_columns.COLUMN_INTS + tree_columns.COLUMN_V)]
            number = ints[tree_columns.FLOAT_COLUMNS] + k * tree_columns.COLUMN_FLOATS
            e, d = get6(work, ints[tree_columns.W_S] + 6 * k, w)
            drive = floats[ix(number + tree_columns.ARMATURE)] * a[ix(column), ix(b)]
            drag = floats[ix(number + tree_columns.DAMPING)] * v[ix(column), ix(b)]
            tau[ix(column), ix(b)] = dot(e, n) + dot(d, f) + drive + drag
        parent = ints[ix(base + tree_columns.PARENT)]
        if parent >= 0:
            row = ints[tree_columns.W_F] + 6 * parent
            np_, fp = get6(work, row, w)
            put6(work, row, w, add(np_, n), add(fp, f))
    return status


@inline
def _put_inertia(ints, i, mass, h, moments, work, w):
    row = ints[tree_columns.W_J] + tree_columns.INERTIA_ROWS * i
    work[ix(row), ix(w)] = mass
    work[ix(row + 1), ix(w)] = h[0]
    work[ix(row + 2), ix(w)] = h[1]
    work[ix(row + 3), ix(w)] = h[2]
    for k in range(6):
        work[ix(row + 4 + k), ix(w)] = moments[k]


@inline
def get_inertia(ints, i, work, w):
    """Return what `inertia_of` does, from the workspace: of segment i, or of all that it carries."""
    row = ints[tree_columns.W_J] + tree_columns.INERTIA_ROWS * i
    h = get3(work, row + 1, w)
    m = (
        work[ix(row + 4), ix(w)],
        work[ix(row + 5), ix(w)],
        work[ix(row + 6), ix(w)],
        work[ix(row + 7), ix(w)],
        work[ix(row + 8), ix(w)],
        work[ix(row + 9), ix(w)],
    )
    return work[ix(row), ix(w)], h, m


@routine
def world_inertias(ints, floats, work, w):
    """Write the inertia of every segment about the root's origin."""
    for i in range(ints[tree_columns.SEGMENTS]):
        if ints[ix(tree_columns.HEADER + i * tree_columns.SEGMENT_INTS + tree_columns.HAS_MASS)] == 1:
            mass, h, moments = inertia_of(ints, floats, i, work, w)
            _put_inertia(ints, i, mass, h, moments, work, w)
        else:
            _put_inertia(ints, i, 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), work, w)


@routine
def composite(ints, floats, q, given, b, work, w, M):
    """Inertia matrix [Featherstone08 6.2] as rows i·nv + j of M. Momenta of the columns stay in work (W_U)."""
    place(ints, floats, q, given, b, work, w)
    placed_composite(ints, floats, b, work, w, M)


@routine
def placed_composite(ints, floats, b, work, w, M):
    """Inertia matrix of a figure whose places are in the workspace; inertias of all that segments carry stay there."""
    nv = ints[tree_columns.NV]
    world_inertias(ints, floats, work, w)
    for k in range(nv * nv):
        M[ix(k), ix(b)] = 0.0
    at_columns, twists = ints[tree_columns.AT_COLUMNS], ints[tree_columns.W_S]
    for i in range(ints[tree_columns.SEGMENTS] - 1, -1, -1):
        base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
        mass, h, moments = get_inertia(ints, i, work, w)
        parent = ints[ix(base + tree_columns.PARENT)]
        if parent >= 0:
            row = ints[tree_columns.W_J] + tree_columns.INERTIA_ROWS * parent
            work[ix(row), ix(w)] += mass
            for k in range(3):
                work[ix(row + 1 + k), ix(w)] += h[k]
            for k in range(6):
                work[ix(row + 4 + k), ix(w)] += moments[k]
        first = ints[ix(base + tree_columns.FIRST)]
        for k in range(first + ints[ix(base + tree_columns.COUNT)] - 1, first - 1, -1):
            e, d = get6(work, twists + 6 * k, w)
            n, f = momentum_of(mass, h, moments, e, d)
            put6(work, ints[tree_columns.W_U] + 6 * k, w, n, f)
            column = ints[ix(at_columns + k * tree_columns.COLUMN_INTS + tree_columns.COLUMN_V)]
            armature = floats[
                ix(ints[tree_columns.FLOAT_COLUMNS] + k * tree_columns.COLUMN_FLOATS + tree_columns.ARMATURE)
            ]
            M[ix(column * nv + column), ix(b)] = dot(e, n) + dot(d, f) + armature
            j = ints[ix(at_columns + k * tree_columns.COLUMN_INTS + tree_columns.BEFORE)]
            while j >= 0:
                e, d = get6(work, twists + 6 * j, w)
                value = dot(e, n) + dot(d, f)
                other = ints[ix(at_columns + j * tree_columns.COLUMN_INTS + tree_columns.COLUMN_V)]
                M[ix(column * nv + other), ix(b)] = value
                M[ix(other * nv + column), ix(b)] = value
                j = ints[ix(at_columns + j * tree_columns.COLUMN_INTS + tree_columns.BEFORE)]


# ---- forward dynamics: articulated inertias as three blocks: angular A (sym), angular–linear B, linear C (sym)


@inline
def _get_articulated(work, row, w):
    A = (
        work[ix(row), ix(w)],
        work[ix(row + 1), ix(w)],
        work[ix(row + 2), ix(w)],
        work[ix(row + 3), ix(w)],
        work[ix(row + 4), ix(w)],
        work[ix(row + 5), ix(w)],
    )
    B = get9(work, row + 6, w)
    r = row + 15
    C = (
        work[ix(r), ix(w)],
        work[ix(r + 1), ix(w)],
        work[ix(r + 2), ix(w)],
        work[ix(r + 3), ix(w)],
        work[ix(r + 4), ix(w)],
        work[ix(r + 5), ix(w)],
    )
    return A, B, C


@inline
def _put_articulated(work, row, w, A, B, C):
    for k in range(6):
        work[ix(row + k), ix(w)] = A[k]
        work[ix(row + 15 + k), ix(w)] = C[k]
    for k in range(9):
        work[ix(row + 6 + k), ix(w)] = B[k]


@inline
def _add_articulated(work, row, w, A, B, C):
    for k in range(6):
        work[ix(row + k), ix(w)] += A[k]
        work[ix(row + 15 + k), ix(w)] += C[k]
    for k in range(9):
        work[ix(row + 6 + k), ix(w)] += B[k]


@inline
def _apply(A, B, C, e, d):
    """Return the wrench of an acceleration."""
    return add(sym(A, e), transform(B, d)), add(tmul(B, e), sym(C, d))


@inline
def _less_outer(m, s, a):
    """Return M − s a aᵀ for a symmetric matrix."""
    x, y, z = scale(s, a)
    return (m[0] - x * a[0], m[1] - x * a[1], m[2] - x * a[2], m[3] - y * a[1], m[4] - y * a[2], m[5] - z * a[2])


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
    row, scale_row = (
        ints[tree_columns.W_IA] + tree_columns.ARTICULATED_ROWS * i,
        ints[tree_columns.W_J] + tree_columns.INERTIA_ROWS * i,
    )
    n, f = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    work[ix(scale_row), ix(w)] = 0.0
    work[ix(scale_row + 1), ix(w)] = 0.0
    if ints[ix(tree_columns.HEADER + i * tree_columns.SEGMENT_INTS + tree_columns.HAS_MASS)] == 1:
        mass, h, moments = inertia_of(ints, floats, i, work, w)
        B = (0.0, -h[2], h[1], h[2], 0.0, -h[0], -h[1], h[0], 0.0)
        _put_articulated(work, row, w, moments, B, (mass, 0.0, 0.0, mass, 0.0, mass))
        work[ix(scale_row), ix(w)] = moments[0] + moments[3] + moments[5]
        work[ix(scale_row + 1), ix(w)] = mass
        o, u = get6(work, ints[tree_columns.W_V] + 6 * i, w)
        angular, linear = momentum_of(mass, h, moments, o, u)
        n, f = add(cross(o, angular), cross(u, linear)), cross(o, linear)
    else:
        zero = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        _put_articulated(work, row, w, zero, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), zero)
    if has_external:
        given_n, given_f = external_forces(ints, external, i, b, work, w)
        n, f = sub(n, given_n), sub(f, given_f)
    put6(work, ints[tree_columns.W_F] + 6 * i, w, n, f)


@routine
def articulated(ints, floats, q, v, tau, given, external, has_external, b, work, w, acceleration):
    """Forward dynamics [Featherstone08 7.3]; columns of one joint are eliminated one after the other."""
    place(ints, floats, q, given, b, work, w)
    status = bias(ints, floats, q, v, given, b, work, w)
    for i in range(ints[tree_columns.SEGMENTS]):
        _begin_articulated(ints, floats, i, external, has_external, b, work, w)
    at_columns = ints[tree_columns.AT_COLUMNS]
    for i in range(ints[tree_columns.SEGMENTS] - 1, -1, -1):
        base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
        A, B, C = _get_articulated(work, ints[tree_columns.W_IA] + tree_columns.ARTICULATED_ROWS * i, w)
        # rounding is measured by what the inertia was before any elimination
        scale_row = ints[tree_columns.W_J] + tree_columns.INERTIA_ROWS * i
        turning, moving = work[ix(scale_row), ix(w)], work[ix(scale_row + 1), ix(w)]
        n, f = get6(work, ints[tree_columns.W_F] + 6 * i, w)
        first = ints[ix(base + tree_columns.FIRST)]
        for k in range(first + ints[ix(base + tree_columns.COUNT)] - 1, first - 1, -1):
            number = ints[tree_columns.FLOAT_COLUMNS] + k * tree_columns.COLUMN_FLOATS
            column = ints[ix(at_columns + k * tree_columns.COLUMN_INTS + tree_columns.COLUMN_V)]
            e, d = get6(work, ints[tree_columns.W_S] + 6 * k, w)
            nu, fu = _apply(A, B, C, e, d)
            along = dot(e, nu) + dot(d, fu)
            D = along + floats[ix(number + tree_columns.ARMATURE)]
            if status == tree_columns.OK and not tree_columns.LEAST * (turning * dot(e, e) + moving * dot(d, d)) < D:
                status = tree_columns.SINGULAR + tree_columns.WHERE * i
            inverse = 1.0 / D
            u = (
                tau[ix(column), ix(b)]
                - floats[ix(number + tree_columns.DAMPING)] * v[ix(column), ix(b)]
                - dot(e, n)
                - dot(d, f)
            )
            A, C = _less_outer(A, inverse, nu), _less_outer(C, inverse, fu)
            B = _less_outer_mixed(B, inverse, nu, fu)
            n, f = axpy(u * inverse, nu, n), axpy(u * inverse, fu, f)
            put6(work, ints[tree_columns.W_U] + 6 * k, w, nu, fu)
            work[ix(ints[tree_columns.W_D] + 2 * k), ix(w)] = inverse
            work[ix(ints[tree_columns.W_D] + 2 * k + 1), ix(w)] = u
        parent = ints[ix(base + tree_columns.PARENT)]
        if parent >= 0:
            s, t = get6(work, ints[tree_columns.W_C] + 6 * i, w)
            nc, fc = _apply(A, B, C, s, t)
            row = ints[tree_columns.W_F] + 6 * parent
            np_, fp = get6(work, row, w)
            put6(work, row, w, add(np_, add(n, nc)), add(fp, add(f, fc)))
            _add_articulated(work, ints[tree_columns.W_IA] + tree_columns.ARTICULATED_ROWS * parent, w, A, B, C)
            scale_row = ints[tree_columns.W_J] + tree_columns.INERTIA_ROWS * parent
            work[ix(scale_row), ix(w)] += turning
            work[ix(scale_row + 1), ix(w)] += moving
    _accelerate(ints, floats, b, work, w, acceleration)
    return status


@inline
def _accelerate(ints, floats, b, work, w, acceleration):
    """From the root outward: the acceleration of each column, then of the segment."""
    gravity = row3(floats, tree_columns.GRAVITY)
    for i in range(ints[tree_columns.SEGMENTS]):
        base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
        parent = ints[ix(base + tree_columns.PARENT)]
        s, t = get6(work, ints[tree_columns.W_C] + 6 * i, w)
        if parent >= 0:
            sp, tp = get6(work, ints[tree_columns.W_A] + 6 * parent, w)
            s, t = add(s, sp), add(t, tp)
        else:
            t = sub(t, gravity)
        first = ints[ix(base + tree_columns.FIRST)]
        for k in range(first, first + ints[ix(base + tree_columns.COUNT)]):
            nu, fu = get6(work, ints[tree_columns.W_U] + 6 * k, w)
            D = ints[tree_columns.W_D] + 2 * k
            rate = work[ix(D), ix(w)] * (work[ix(D + 1), ix(w)] - dot(nu, s) - dot(fu, t))
            acceleration[
                ix(ints[ix(ints[tree_columns.AT_COLUMNS] + k * tree_columns.COLUMN_INTS + tree_columns.COLUMN_V)]),
                ix(b),
            ] = rate
            e, d = get6(work, ints[tree_columns.W_S] + 6 * k, w)
            s, t = axpy(rate, e, s), axpy(rate, d, t)
        put6(work, ints[tree_columns.W_A] + 6 * i, w, s, t)
