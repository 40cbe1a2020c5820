"""Matrices of one state beside the inertia matrix: Coriolis, centroidal, and the wrenches through the joints.

Spatial vectors are in world axes about the origin of the root segment, as in dynamics_kernels.
"""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import entry, inline, routine
from motiform.motion.tree.kernels.dynamics import inertia_of, momentum_of, recursive, world_inertias
from motiform.motion.tree.kernels.memory import get3, get6, ix, put3, put6
from motiform.motion.tree.kernels.motion import bias, column_velocity, rates
from motiform.motion.tree.kernels.place import place
from motiform.motion.tree.kernels.single import checked, finite, one_state, state_zero
from motiform.motion.tree.model import columns as tree_columns
from motiform.spatial.algebra import add, axpy, cross, dot, scale, sub

__all__ = [
    "add_rows", "apply_turning", "centroidal", "centroidal_bias", "coriolis", "finite_diagonal", "get_composite",
    "get_turning", "moving_inertia", "one_centroidal", "one_coriolis", "put_composite", "put_turning", "segment_force",
    "sym", "wrenches",
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
def _get_sym(work, row, w):
    return (
        work[ix(row), ix(w)],
        work[ix(row + 1), ix(w)],
        work[ix(row + 2), ix(w)],
        work[ix(row + 3), ix(w)],
        work[ix(row + 4), ix(w)],
        work[ix(row + 5), ix(w)],
    )


@inline
def _put_sym(work, row, w, m):
    for k in range(6):
        work[ix(row + k), ix(w)] = m[k]


@inline
def get_composite(ints, i, work, w):
    """Return mass, mass times centre and moments from the inertia rows of segment i."""
    row = ints[tree_columns.W_J] + tree_columns.INERTIA_ROWS * i
    return work[ix(row), ix(w)], get3(work, row + 1, w), _get_sym(work, row + 4, w)


@inline
def put_composite(ints, i, work, w, mass, h, moments):
    """Write the inertia rows of segment i."""
    row = ints[tree_columns.W_J] + tree_columns.INERTIA_ROWS * i
    work[ix(row), ix(w)] = mass
    put3(work, row + 1, w, h)
    _put_sym(work, row + 4, w, moments)


@inline
def add_rows(work, into, row, count, w):
    """Add rows of a state to others."""
    for k in range(count):
        work[ix(into + k), ix(w)] += work[ix(row + k), ix(w)]


# ---- how inertia turns with its velocity. With B = ½ (V×* I − I V× + (I V)×̄*) [Echeandia21] written out in blocks,
# 2 B (e, d) = (N e, −2 p × e), N = Y − [l]×, where (l, p) = I V and Y is symmetric: twelve numbers that simply add up.


@inline
def moving_inertia(h, moments, o, u):
    """Return Y = ω̂ J − J ω̂ − û ĥ − ĥ û, six numbers."""
    x, y, z = o
    xx, xy, xz, yy, yz, zz = moments
    hu = 2.0 * dot(h, u)
    return (
        2.0 * (y * xz - z * xy) + hu - 2.0 * h[0] * u[0],
        y * yz - z * yy + z * xx - x * xz - h[0] * u[1] - h[1] * u[0],
        y * zz - z * yz + x * xy - y * xx - h[0] * u[2] - h[2] * u[0],
        2.0 * (z * xy - x * yz) + hu - 2.0 * h[1] * u[1],
        z * xz - x * zz + x * yy - y * xy - h[1] * u[2] - h[2] * u[1],
        2.0 * (x * yz - y * xz) + hu - 2.0 * h[2] * u[2],
    )


@inline
def get_turning(ints, i, work, w):
    """Return Y and the momentum (l, p) of segment i."""
    row = ints[tree_columns.W_IA] + tree_columns.ARTICULATED_ROWS * i
    return _get_sym(work, row, w), get3(work, row + 6, w), get3(work, row + 9, w)


@inline
def put_turning(ints, i, work, w, Y, l, p):
    """Write Y and the momentum of segment i."""
    row = ints[tree_columns.W_IA] + tree_columns.ARTICULATED_ROWS * i
    _put_sym(work, row, w, Y)
    put6(work, row + 6, w, l, p)


@inline
def apply_turning(Y, l, p, e):
    """Return 2 B (e, ·) as moment and force."""
    return sub(sym(Y, e), cross(l, e)), scale(-2.0, cross(p, e))


@routine
def velocity_inertias(ints, floats, work, w):
    """Write inertia and turning rows of every segment from poses and twists."""
    for i in range(ints[tree_columns.SEGMENTS]):
        if ints[ix(tree_columns.HEADER + i * tree_columns.SEGMENT_INTS + tree_columns.HAS_MASS)] == 1:
            mass, h, moments = inertia_of(ints, floats, i, work, w)
            o, u = get6(work, ints[tree_columns.W_V] + 6 * i, w)
            l, p = momentum_of(mass, h, moments, o, u)
            put_composite(ints, i, work, w, mass, h, moments)
            put_turning(ints, i, work, w, moving_inertia(h, moments, o, u), l, p)
        else:
            for k in range(tree_columns.INERTIA_ROWS):
                work[ix(ints[tree_columns.W_J] + tree_columns.INERTIA_ROWS * i + k), ix(w)] = 0.0
            for k in range(12):
                work[ix(ints[tree_columns.W_IA] + tree_columns.ARTICULATED_ROWS * i + k), ix(w)] = 0.0


@routine
def coriolis(ints, floats, q, v, given, b, work, w, C):
    """Coriolis matrix [Echeandia21] as rows i·nv + j of C: Σ Jᵀ (I dJ/dt + B J) over the segments."""
    nv, at = ints[tree_columns.NV], ints[tree_columns.AT_COLUMNS]
    place(ints, floats, q, given, b, work, w)
    status = rates(ints, floats, q, v, given, b, work, w)
    velocity_inertias(ints, floats, work, w)
    for k in range(nv * nv):
        C[ix(k), ix(b)] = 0.0
    for i in range(ints[tree_columns.SEGMENTS] - 1, -1, -1):
        base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
        mass, h, moments = get_composite(ints, i, work, w)
        Y, l, p = get_turning(ints, i, work, w)
        first = ints[ix(base + tree_columns.FIRST)]
        for k in range(first, first + ints[ix(base + tree_columns.COUNT)]):
            e, d = get6(work, ints[tree_columns.W_S] + 6 * k, w)
            a, m = get6(work, ints[tree_columns.W_DS] + 6 * k, w)
            column = ints[ix(at + k * tree_columns.COLUMN_INTS + tree_columns.COLUMN_V)]
            n, f = momentum_of(mass, h, moments, a, m)
            tn, tf = apply_turning(Y, l, p, e)
            n, f = axpy(0.5, tn, n), axpy(0.5, tf, f)  # column k for all columns before it
            hn, hf = momentum_of(mass, h, moments, e, d)  # row k: S_kᵀ I and the angular part of S_kᵀ B
            turn = axpy(0.5, add(sym(Y, e), cross(l, e)), cross(p, d))
            C[ix(column * nv + column), ix(b)] = dot(e, n) + dot(d, f)
            j = ints[ix(at + k * tree_columns.COLUMN_INTS + tree_columns.BEFORE)]
            while j >= 0:
                ej, dj = get6(work, ints[tree_columns.W_S] + 6 * j, w)
                aj, mj = get6(work, ints[tree_columns.W_DS] + 6 * j, w)
                other = ints[ix(at + j * tree_columns.COLUMN_INTS + tree_columns.COLUMN_V)]
                C[ix(other * nv + column), ix(b)] = dot(ej, n) + dot(dj, f)
                C[ix(column * nv + other), ix(b)] = dot(hn, aj) + dot(hf, mj) + dot(turn, ej)
                j = ints[ix(at + j * tree_columns.COLUMN_INTS + tree_columns.BEFORE)]
        parent = ints[ix(base + tree_columns.PARENT)]
        if parent >= 0:
            I, B = ints[tree_columns.W_J], ints[tree_columns.W_IA]
            add_rows(
                work, I + tree_columns.INERTIA_ROWS * parent, I + tree_columns.INERTIA_ROWS * i,
                tree_columns.INERTIA_ROWS, w,
            )  # fmt: skip
            add_rows(work, B + tree_columns.ARTICULATED_ROWS * parent, B + tree_columns.ARTICULATED_ROWS * i, 12, w)
    return status


@inline
def finite_diagonal(M):
    """Return 0, or NaN where a number of the diagonal is not finite: then whole columns are not."""
    total = 0.0
    for k in range(M.shape[0]):
        total += 0.0 * M[k, k]
    return total


@entry("int64(int64[::1], float64[::1], float64[::1], float64[::1], float64[::1], float64[:, ::1])")
def one_coriolis(ints, floats, work, q, v, out):
    """Coriolis matrix of one state."""
    if q.shape[0] != ints[tree_columns.NQ] or v.shape[0] != ints[tree_columns.NV]:
        return tree_columns.WRONG_SIZE
    W, Q, V, b = one_state(work), one_state(q), one_state(v), state_zero(ints)
    status = coriolis(ints, floats, Q, V, W, b, W, b, one_state(out.reshape(out.size)))
    return checked(status, finite(Q, 0) + finite(V, 0) + finite_diagonal(out))


# ---- momentum of the whole figure about its centre of mass


@inline
def _center(ints, work, w):
    """Return the centre of mass of the figure, from the inertias of its segments."""
    total, center = 0.0, (0.0, 0.0, 0.0)
    for i in range(ints[tree_columns.SEGMENTS]):
        mass, h, _ = get_composite(ints, i, work, w)
        origin = get3(
            work,
            ints[tree_columns.W_ROOT]
            + 3 * ints[ix(tree_columns.HEADER + i * tree_columns.SEGMENT_INTS + tree_columns.ROOT)],
            w,
        )
        total += mass
        center = add(center, axpy(mass, origin, h))
    return scale(1.0 / total, center)


@inline
def _from_center(ints, i, center, work, w):
    """Return the way from the centre of mass to the origin of segment i's root."""
    return sub(
        get3(
            work,
            ints[tree_columns.W_ROOT]
            + 3 * ints[ix(tree_columns.HEADER + i * tree_columns.SEGMENT_INTS + tree_columns.ROOT)],
            w,
        ),
        center,
    )


@routine
def centroidal(ints, floats, q, given, b, work, w, out):
    """Centroidal matrix, rows 6·v: the momentum of what each column carries, about the centre [Orin13]."""
    place(ints, floats, q, given, b, work, w)
    world_inertias(ints, floats, work, w)
    center = _center(ints, work, w)
    for i in range(ints[tree_columns.SEGMENTS] - 1, -1, -1):
        base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
        mass, h, moments = get_composite(ints, i, work, w)
        arm = _from_center(ints, i, center, work, w)
        first = ints[ix(base + tree_columns.FIRST)]
        for k in range(first, first + ints[ix(base + tree_columns.COUNT)]):
            e, d = get6(work, ints[tree_columns.W_S] + 6 * k, w)
            l, p = momentum_of(mass, h, moments, e, d)
            column = ints[ix(ints[tree_columns.AT_COLUMNS] + k * tree_columns.COLUMN_INTS + tree_columns.COLUMN_V)]
            put6(out, 6 * column, b, add(l, cross(arm, p)), p)
        parent = ints[ix(base + tree_columns.PARENT)]
        if parent >= 0:
            I = ints[tree_columns.W_J]
            add_rows(
                work, I + tree_columns.INERTIA_ROWS * parent, I + tree_columns.INERTIA_ROWS * i,
                tree_columns.INERTIA_ROWS, w,
            )  # fmt: skip


@entry("int64(int64[::1], float64[::1], float64[::1], float64[::1], float64[:, ::1])")
def one_centroidal(ints, floats, work, q, out):
    """Centroidal matrix of one state by columns, (nv, 6)."""
    if q.shape[0] != ints[tree_columns.NQ]:
        return tree_columns.WRONG_SIZE
    W, Q, O, b = one_state(work), one_state(q), one_state(out.reshape(out.size)), state_zero(ints)
    centroidal(ints, floats, Q, W, b, W, b, O)
    return checked(tree_columns.OK, finite(Q, 0) + finite(O, 0))


@routine
def centroidal_bias(ints, floats, q, v, a, given, b, work, w, out):
    """Rate of the momentum about the centre at accelerations a, without gravity: Σ I A + V ×* I V."""
    place(ints, floats, q, given, b, work, w)
    status = bias(ints, floats, q, v, given, b, work, w)
    world_inertias(ints, floats, work, w)
    center = _center(ints, work, w)
    moment, force = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(ints[tree_columns.SEGMENTS]):
        base = tree_columns.HEADER + i * tree_columns.SEGMENT_INTS
        s, t = get6(work, ints[tree_columns.W_C] + 6 * i, w)
        if ints[ix(base + tree_columns.PARENT)] >= 0:
            sp, tp = get6(work, ints[tree_columns.W_A] + 6 * ints[ix(base + tree_columns.PARENT)], w)
            s, t = add(s, sp), add(t, tp)
        first = ints[ix(base + tree_columns.FIRST)]
        for k in range(first, first + ints[ix(base + tree_columns.COUNT)]):
            rate = column_velocity(ints, k, a, b)
            e, d = get6(work, ints[tree_columns.W_S] + 6 * k, w)
            s, t = axpy(rate, e, s), axpy(rate, d, t)
        put6(work, ints[tree_columns.W_A] + 6 * i, w, s, t)
        if ints[ix(base + tree_columns.HAS_MASS)] == 1:
            mass, h, moments = get_composite(ints, i, work, w)
            n, f = segment_force(mass, h, moments, get6(work, ints[tree_columns.W_V] + 6 * i, w), (s, t))
            arm = _from_center(ints, i, center, work, w)
            moment, force = add(moment, add(n, cross(arm, f))), add(force, f)
    put6(out, 0, b, moment, force)
    return status


@inline
def segment_force(mass, h, moments, V, A):
    """Return the wrench that moves a segment: I A + V ×* I V [Featherstone08 2.14]."""
    l, p = momentum_of(mass, h, moments, V[0], V[1])
    n, f = momentum_of(mass, h, moments, A[0], A[1])
    return add(n, add(cross(V[0], l), cross(V[1], p))), add(f, cross(V[0], p))


@routine
def wrenches(ints, floats, q, v, a, given, external, has_external, b, work, w, out):
    """Write tau, then from row nv on the wrench that each joint transmits to its segment, at its origin."""
    status = recursive(ints, floats, q, v, a, given, external, has_external, b, work, w, out)
    for i in range(ints[tree_columns.SEGMENTS]):
        n, f = get6(work, ints[tree_columns.W_F] + 6 * i, w)
        p = get3(work, ints[tree_columns.W_POSE] + i * tree_columns.POSE_ROWS + 9, w)
        put6(out, ints[tree_columns.NV] + 6 * i, b, sub(n, cross(p, f)), f)
    return status
