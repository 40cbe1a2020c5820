"""Derivatives of inverse and forward dynamics of one state, from the world-aligned columns [Singh22].

A small motion along column k carries all that the column carries by the twist S_k. Seen from the moved segments only
the velocity and acceleration of what stays behind change: by Ψ̇_k = U × S_k and Ψ̈_k = A × S_k + U × Ψ̇_k, with U and A
those before the column. Axes stand on those before them; the columns of a ball or free joint are all fixed in the
child, and stand on the parent together. Columns of other joints are found by differences (see derivatives.py); all
other columns of a figure that has such joints are right.
"""

# mypy: disable-error-code="no-untyped-def"

from numba import int64

from motiform.base.kernels import entry, inline, routine, typed_kernel
from motiform.motion.tree.kernels.dynamics import articulated, external_forces, inertia_of, momentum_of
from motiform.motion.tree.kernels.matrix import (
    add_rows,
    apply_turning,
    centroidal,
    centroidal_bias,
    coriolis,
    finite_diagonal,
    get_composite,
    get_turning,
    moving_inertia,
    put_composite,
    put_turning,
    segment_force,
    sym,
    wrenches,
)
from motiform.motion.tree.kernels.memory import get3, get6, get9, ix, put3, put6, put9, row3
from motiform.motion.tree.kernels.motion import column_velocity, cross_twist, rates, velocity_of
from motiform.motion.tree.kernels.place import place
from motiform.motion.tree.kernels.single import ROWS, checked, finite, first_of, one_state, state_zero
from motiform.motion.tree.model import columns as tree_columns
from motiform.spatial.algebra import add, axpy, cross, dot, scale, sub, tmul, transform

__all__ = ["many_matrices", "one_forward", "one_inverse"]

INVERSE, FORWARD, CORIOLIS, CENTROIDAL, CENTROIDAL_BIAS, WRENCHES = range(6)
"""Algorithms of `many_matrices`."""

_EXTERNAL = 12  # where the turning of loads begins among the articulated rows, behind that of inertia


@inline
def _before(ints, floats, i, work, w):
    """Return velocity and acceleration of what carries segment i: its parent, or a world that falls upward."""
    parent = ints[ix(tree_columns.HEADER + i * tree_columns.SEGMENT_INTS + tree_columns.PARENT)]
    if parent < 0:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), scale(-1.0, row3(floats, tree_columns.GRAVITY))
    o, u = velocity_of(ints, parent, work, w)
    s, t = get6(work, ints[tree_columns.W_A] + 6 * parent, w)
    return o, u, s, t


@inline
def _put_column(ints, k, O, S, work, w, pa, pm, ta, tm):
    """Write Ψ̇ (in place of dS/dt), Ψ̇ + dS/dt and Ψ̈ of column k."""
    put6(work, ints[tree_columns.W_DS] + 6 * k, w, pa, pm)
    put6(work, ints[tree_columns.W_U] + 6 * k, w, ta, tm)
    xa, xm = cross_twist(O[2], O[3], S[0], S[1])
    ya, ym = cross_twist(O[0], O[1], pa, pm)
    put6(work, ints[tree_columns.W_G] + 6 * k, w, add(xa, ya), add(xm, ym))


@inline
def _segment_rates(ints, floats, i, v, a, b, work, w):
    """Write the rates of the columns of segment i; return its acceleration."""
    base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
    o, u, s, t = _before(ints, floats, i, work, w)
    first, axes = ints[ix(base + tree_columns.FIRST)], ints[ix(base + tree_columns.KIND)] == tree_columns.AXES
    ro, ru, rs, rt = o, u, s, t
    for k in range(first, first + ints[ix(base + tree_columns.COUNT)]):
        rate, second = column_velocity(ints, k, v, b), column_velocity(ints, k, a, b)
        e, d = get6(work, ints[tree_columns.W_S] + 6 * k, w)
        da, dm = get6(work, ints[tree_columns.W_DS] + 6 * k, w)
        if axes:
            _put_column(ints, k, (ro, ru, rs, rt), (e, d), work, w, da, dm, scale(2.0, da), scale(2.0, dm))
            ro, ru = axpy(rate, e, ro), axpy(rate, d, ru)
        else:
            pa, pm = cross_twist(o, u, e, d)
            _put_column(ints, k, (o, u, s, t), (e, d), work, w, pa, pm, add(pa, da), add(pm, dm))
        rs, rt = axpy(second, e, axpy(rate, da, rs)), axpy(second, d, axpy(rate, dm, rt))
    put6(work, ints[tree_columns.W_A] + 6 * i, w, rs, rt)
    return rs, rt


@inline
def _segment(ints, floats, i, A, external, has_external, b, work, w):
    """Write inertia, turning and wrench of segment i alone."""
    n, f = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if ints[ix(tree_columns.HEADER + i * tree_columns.SEGMENT_INTS + tree_columns.HAS_MASS)] == 1:
        mass, h, moments = inertia_of(ints, floats, i, work, w)
        V = get6(work, ints[tree_columns.W_V] + 6 * i, w)
        l, p = momentum_of(mass, h, moments, V[0], V[1])
        put_composite(ints, i, work, w, mass, h, moments)
        put_turning(ints, i, work, w, moving_inertia(h, moments, V[0], V[1]), l, p)
        n, f = segment_force(mass, h, moments, V, A)
    else:
        for k in range(tree_columns.INERTIA_ROWS):
            work[ix(ints[tree_columns.W_J] + tree_columns.INERTIA_ROWS * i + k), ix(w)] = 0.0
        for k in range(_EXTERNAL):
            work[ix(ints[tree_columns.W_IA] + tree_columns.ARTICULATED_ROWS * i + k), ix(w)] = 0.0
    if has_external:
        n, f = _load(ints, i, external, b, work, w, n, f)
    put6(work, ints[tree_columns.W_F] + 6 * i, w, n, f)


@inline
def _load(ints, i, external, b, work, w, n, f):
    """Take a load from the wrench of segment i; write how it turns in the segment's axes when these turn by e.

    A load keeps its axes in the world and acts at the segment's origin p, so there it turns by −e:
    (E e, f × e), E = f pᵀ − (p·f) 1 + [m]× for the moment m and the force f.
    """
    m, g = get6(external, 6 * i, b)
    x, y, z = get3(work, ints[tree_columns.W_POSE] + i * tree_columns.POSE_ROWS + 9, w)
    along = x * g[0] + y * g[1] + z * g[2]
    put9(
        work,
        ints[tree_columns.W_IA] + tree_columns.ARTICULATED_ROWS * i + _EXTERNAL,
        w,
        (
            g[0] * x - along,
            g[0] * y - m[2],
            g[0] * z + m[1],
            g[1] * x + m[2],
            g[1] * y - along,
            g[1] * z - m[0],
            g[2] * x - m[1],
            g[2] * y + m[0],
            g[2] * z - along,
        ),
    )
    put3(work, ints[tree_columns.W_C] + 6 * i, w, g)
    moment, force = external_forces(ints, external, i, b, work, w)
    return sub(n, moment), sub(f, force)


@inline
def _to_parent(ints, i, parent, has_external, work, w):
    """Add inertia, turning, wrench and loads of segment i and all it carries to those of its parent."""
    I, B, F, C = ints[tree_columns.W_J], ints[tree_columns.W_IA], ints[tree_columns.W_F], ints[tree_columns.W_C]
    add_rows(
        work, I + tree_columns.INERTIA_ROWS * parent, I + tree_columns.INERTIA_ROWS * i, tree_columns.INERTIA_ROWS, w
    )
    add_rows(work, B + tree_columns.ARTICULATED_ROWS * parent, B + tree_columns.ARTICULATED_ROWS * i, _EXTERNAL, w)
    add_rows(work, F + 6 * parent, F + 6 * i, 6, w)
    if has_external:
        at = tree_columns.ARTICULATED_ROWS
        add_rows(work, B + at * parent + _EXTERNAL, B + at * i + _EXTERNAL, at - _EXTERNAL, w)
        add_rows(work, C + 6 * parent, C + 6 * i, 3, w)


@routine
def inverse_derivatives(ints, floats, q, v, a, given, external, has_external, b, work, w, out, row0):
    """Write the derivatives of tau along motions, velocities and accelerations, from row0 on.

    Rows are i·nv + j: of tau_i along velocity j.
    """
    nv, at = ints[tree_columns.NV], ints[tree_columns.AT_COLUMNS]
    dq, dv, da = row0, row0 + nv * nv, row0 + 2 * nv * nv
    place(ints, floats, q, given, b, work, w)
    status = rates(ints, floats, q, v, given, b, work, w)
    for i in range(ints[tree_columns.SEGMENTS]):
        A = _segment_rates(ints, floats, i, v, a, b, work, w)
        _segment(ints, floats, i, A, external, has_external, b, work, w)
    for k in range(row0, row0 + 3 * nv * nv):
        out[ix(k), ix(b)] = 0.0
    for i in range(ints[tree_columns.SEGMENTS] - 1, -1, -1):
        base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
        mass, h, moments = get_composite(ints, i, work, w)
        Y, l, p = get_turning(ints, i, work, w)
        n, f = get6(work, ints[tree_columns.W_F] + 6 * i, w)
        first, axes = ints[ix(base + tree_columns.FIRST)], ints[ix(base + tree_columns.KIND)] == tree_columns.AXES
        for k in range(first, first + ints[ix(base + tree_columns.COUNT)]):
            column = ints[ix(at + k * tree_columns.COLUMN_INTS + tree_columns.COLUMN_V)]
            number = ints[tree_columns.FLOAT_COLUMNS] + k * tree_columns.COLUMN_FLOATS
            e, d = get6(work, ints[tree_columns.W_S] + 6 * k, w)
            # row k: tau_k along columns before it; the angular part of S_kᵀ 2B, and S_kᵀ I
            hn, hf = momentum_of(mass, h, moments, e, d)
            turn = add(add(sym(Y, e), cross(l, e)), scale(2.0, cross(p, d)))
            # column k: wrenches that a small motion and a small velocity along it add, for tau of columns before it
            xa, xm = get6(work, ints[tree_columns.W_G] + 6 * k, w)
            yn, yf = momentum_of(mass, h, moments, xa, xm)
            tn, tf = apply_turning(Y, l, p, get3(work, ints[tree_columns.W_DS] + 6 * k, w))
            yn, yf = add(yn, tn), add(yf, tf)
            ta, tm = get6(work, ints[tree_columns.W_U] + 6 * k, w)
            zn, zf = momentum_of(mass, h, moments, ta, tm)
            tn, tf = apply_turning(Y, l, p, e)
            zn, zf = add(zn, tn), add(zf, tf)
            load = (0.0, 0.0, 0.0)
            if has_external:
                E = get9(work, ints[tree_columns.W_IA] + tree_columns.ARTICULATED_ROWS * i + _EXTERNAL, w)
                g = get3(work, ints[tree_columns.W_C] + 6 * i, w)
                load = sub(cross(g, d), tmul(E, e))
                yn, yf = sub(yn, transform(E, e)), sub(yf, cross(g, e))
            sn, sf = add(cross(e, n), cross(d, f)), cross(e, f)  # S ×* F: the wrench moves with the column
            own = column * nv + column
            out[ix(da + own), ix(b)] = dot(e, hn) + dot(d, hf) + floats[ix(number + tree_columns.ARMATURE)]
            out[ix(dq + own), ix(b)] = dot(e, yn) + dot(d, yf)
            out[ix(dv + own), ix(b)] = dot(e, zn) + dot(d, zf) + floats[ix(number + tree_columns.DAMPING)]
            moved = axes
            if axes:
                yn, yf = add(yn, sn), add(yf, sf)
            j = ints[ix(at + k * tree_columns.COLUMN_INTS + tree_columns.BEFORE)]
            while j >= 0:
                if not moved and j < first:  # columns of one ball or free joint move together, those before stay
                    yn, yf = add(yn, sn), add(yf, sf)
                    moved = True
                other = ints[ix(at + j * tree_columns.COLUMN_INTS + tree_columns.COLUMN_V)]
                ej, dj = get6(work, ints[tree_columns.W_S] + 6 * j, w)
                pj = get3(work, ints[tree_columns.W_DS] + 6 * j, w)
                xj, mj = get6(work, ints[tree_columns.W_G] + 6 * j, w)
                tj, uj = get6(work, ints[tree_columns.W_U] + 6 * j, w)
                row, cell = column * nv + other, other * nv + column
                inertia = dot(ej, hn) + dot(dj, hf)
                out[ix(da + row), ix(b)] = inertia
                out[ix(da + cell), ix(b)] = inertia
                out[ix(dq + row), ix(b)] = dot(turn, pj) + dot(hn, xj) + dot(hf, mj) + dot(load, ej)
                out[ix(dq + cell), ix(b)] = dot(ej, yn) + dot(dj, yf)
                out[ix(dv + row), ix(b)] = dot(turn, ej) + dot(hn, tj) + dot(hf, uj)
                out[ix(dv + cell), ix(b)] = dot(ej, zn) + dot(dj, zf)
                j = ints[ix(at + j * tree_columns.COLUMN_INTS + tree_columns.BEFORE)]
        parent = ints[ix(base + tree_columns.PARENT)]
        if parent >= 0:
            _to_parent(ints, i, parent, has_external, work, w)
    return status


# ---- forward dynamics: da/dq = −M⁻¹ dtau/dq at the accelerations that the forces make


@routine
def factor(ints, b, X, M):
    """Replace the matrix from row M on by its factors Lᵀ D L, zero where it is zero [Featherstone08 6.5]."""
    nv, at = ints[tree_columns.NV], ints[tree_columns.AT_COLUMNS]
    for k in range(ints[tree_columns.COLUMNS] - 1, -1, -1):
        column = ints[ix(at + k * tree_columns.COLUMN_INTS + tree_columns.COLUMN_V)]
        row = M + column * nv
        inverse = 1.0 / X[ix(row + column), ix(b)]
        i = ints[ix(at + k * tree_columns.COLUMN_INTS + tree_columns.BEFORE)]
        while i >= 0:
            vi = ints[ix(at + i * tree_columns.COLUMN_INTS + tree_columns.COLUMN_V)]
            share = X[ix(row + vi), ix(b)] * inverse
            j = i
            while j >= 0:
                vj = ints[ix(at + j * tree_columns.COLUMN_INTS + tree_columns.COLUMN_V)]
                X[ix(M + vi * nv + vj), ix(b)] -= share * X[ix(row + vj), ix(b)]
                j = ints[ix(at + j * tree_columns.COLUMN_INTS + tree_columns.BEFORE)]
            X[ix(row + vi), ix(b)] = share
            i = ints[ix(at + i * tree_columns.COLUMN_INTS + tree_columns.BEFORE)]


@inline
def _less_row(X, count, b, into, share, row):
    for k in range(count):
        X[ix(into + k), ix(b)] -= share * X[ix(row + k), ix(b)]


@routine
def solve_rows(ints, b, X, M, sign, B):
    """Replace the matrix B from row B on by sign M⁻¹ B, with M factored; whole rows at a time."""
    nv, at = ints[tree_columns.NV], ints[tree_columns.AT_COLUMNS]
    for k in range(ints[tree_columns.COLUMNS] - 1, -1, -1):
        row = ints[ix(at + k * tree_columns.COLUMN_INTS + tree_columns.COLUMN_V)]
        j = ints[ix(at + k * tree_columns.COLUMN_INTS + tree_columns.BEFORE)]
        while j >= 0:
            vj = ints[ix(at + j * tree_columns.COLUMN_INTS + tree_columns.COLUMN_V)]
            _less_row(X, nv, b, B + vj * nv, X[ix(M + row * nv + vj), ix(b)], B + row * nv)
            j = ints[ix(at + j * tree_columns.COLUMN_INTS + tree_columns.BEFORE)]
    for k in range(ints[tree_columns.COLUMNS]):
        row = ints[ix(at + k * tree_columns.COLUMN_INTS + tree_columns.COLUMN_V)]
        inverse = sign / X[ix(M + row * nv + row), ix(b)]
        for n in range(nv):
            X[ix(B + row * nv + n), ix(b)] *= inverse
        j = ints[ix(at + k * tree_columns.COLUMN_INTS + tree_columns.BEFORE)]
        while j >= 0:
            vj = ints[ix(at + j * tree_columns.COLUMN_INTS + tree_columns.COLUMN_V)]
            _less_row(X, nv, b, B + row * nv, X[ix(M + row * nv + vj), ix(b)], B + vj * nv)
            j = ints[ix(at + j * tree_columns.COLUMN_INTS + tree_columns.BEFORE)]


@routine
def forward_derivatives(ints, floats, q, v, tau, given, external, has_external, b, work, w, out):
    """Write accelerations, their derivatives along motions and velocities, the factors of M, and M⁻¹."""
    nv = ints[tree_columns.NV]
    status = articulated(ints, floats, q, v, tau, given, external, has_external, b, work, w, out)
    if status != tree_columns.OK:
        return status
    n = nv * nv
    dq, dv, M, dtau = nv, nv + n, nv + 2 * n, nv + 3 * n
    status = inverse_derivatives(ints, floats, q, v, out, given, external, has_external, b, work, w, out, dq)
    for k in range(n):
        out[ix(dtau + k), ix(b)] = 0.0
    for k in range(nv):
        out[ix(dtau + k * nv + k), ix(b)] = 1.0
    factor(ints, b, out, M)
    solve_rows(ints, b, out, M, -1.0, dq)
    solve_rows(ints, b, out, M, -1.0, dv)
    solve_rows(ints, b, out, M, 1.0, dtau)
    return status


# ---- from Python


@inline
def _not_here(ints, q, v, x):
    """Return whether sizes are wrong or a joint has columns that are found by differences."""
    wrong = (
        q.shape[0] != ints[tree_columns.NQ]
        or v.shape[0] != ints[tree_columns.NV]
        or x.shape[0] != ints[tree_columns.NV]
    )
    for i in range(ints[tree_columns.SEGMENTS]):
        wrong = (
            wrong
            or ints[ix(tree_columns.HEADER + i * tree_columns.SEGMENT_INTS + tree_columns.KIND)] > tree_columns.FREE
        )
    return wrong


_ONE = "int64(int64[::1], float64[::1], float64[::1], float64[::1], float64[::1], float64[::1], "


@entry(_ONE + "float64[:, :, ::1])")
def one_inverse(ints, floats, work, q, v, a, out):
    """Derivatives of inverse dynamics of one state, (3, nv, nv)."""
    if _not_here(ints, q, v, a):
        return tree_columns.WRONG_SIZE
    W, Q, V, A, b = one_state(work), one_state(q), one_state(v), one_state(a), state_zero(ints)
    flat = one_state(out.reshape(out.size))
    status = inverse_derivatives(ints, floats, Q, V, A, W, W, b != b, b, W, b, flat, b)
    return checked(status, finite(Q, 0) + finite(V, 0) + finite(A, 0) + finite_diagonal(out[2]))


@entry(_ONE + "float64[::1])")
def one_forward(ints, floats, work, q, v, tau, out):
    """Derivatives of forward dynamics of one state, nv + 4 nv² numbers as `forward_derivatives` writes them."""
    if _not_here(ints, q, v, tau):
        return tree_columns.WRONG_SIZE
    W, Q, V, T, O, b = one_state(work), one_state(q), one_state(v), one_state(tau), one_state(out), state_zero(ints)
    status = forward_derivatives(ints, floats, Q, V, T, W, W, b != b, b, W, b, O)
    total = finite(Q, 0) + finite(V, 0) + finite(T, 0)
    for k in range(ints[tree_columns.NV]):
        total += 0.0 * out[k]
    return checked(status, total)


@typed_kernel("int64", "int64[::1]", "float64[::1]", *[ROWS] * 6, "boolean", "int64", ROWS, "int64[::1]")
def many_matrices(w, slots, ints, floats, work, given, q, v, a, external, has_external, what, out, status):
    """One algorithm on the states of slot w. They are one kernel so that their common parts are compiled once."""
    w = int64(w)
    for b in range(first_of(w, q.shape[1], slots), first_of(w + 1, q.shape[1], slots)):
        found = tree_columns.OK
        if what == INVERSE:
            row0 = w - w  # 0, but not a literal
            found = inverse_derivatives(ints, floats, q, v, a, given, external, has_external, b, work, w, out, row0)
        elif what == FORWARD:
            found = forward_derivatives(ints, floats, q, v, a, given, external, has_external, b, work, w, out)
        elif what == CORIOLIS:
            found = coriolis(ints, floats, q, v, given, b, work, w, out)
        elif what == CENTROIDAL:
            centroidal(ints, floats, q, given, b, work, w, out)
        elif what == CENTROIDAL_BIAS:
            found = centroidal_bias(ints, floats, q, v, a, given, b, work, w, out)
        else:
            found = wrenches(ints, floats, q, v, a, given, external, has_external, b, work, w, out)
        status[b] = found
