"""The acceleration problem given as matrices: rows are sorted by the limb that they act on, to skip zeros."""

# mypy: disable-error-code="no-untyped-def"

from motiform.base.kernels import entry, inline, routine
from motiform.motion.contact.solve_kernels import accelerate, factor, project_vector, solve_lcp_eliminated
from motiform.motion.tree.kernels.memory import ix

__all__ = ["one_solve"]

_1, _2, _I = "float64[::1]", "float64[:, ::1]", "int64[::1]"


@routine
def _sort_rows(Cn, Ct, order, place, keys, counts):
    """Write the place of every row, tangents first in number, in the order of the last column that it acts on."""
    n, m = order.shape[0], Ct.shape[0]
    rows = m + Cn.shape[0]
    for i in range(n + 1):
        counts[ix(i)] = 0
    for q in range(rows):
        last = 0
        for i in range(n - 1, -1, -1):
            if (Ct[ix(q), ix(order[ix(i)])] if q < m else Cn[ix(q - m), ix(order[ix(i)])]) != 0.0:
                last = i
                break
        keys[ix(q)] = last
        counts[ix(last + 1)] += 1
    for i in range(n):
        counts[ix(i + 1)] += counts[ix(i)]
    for q in range(rows):
        key = keys[ix(q)]
        place[ix(q)] = counts[ix(key)]
        counts[ix(key)] += 1


@inline
def _put(C, q, p, order, Y, low, high):
    """Write row q of C as row p of the problem, and widen the range of rows of the columns that it acts on."""
    for i in range(order.shape[0]):
        value = C[ix(q), ix(order[ix(i)])]
        Y[ix(i), ix(p)] = value
        if value != 0.0:
            low[ix(i)], high[ix(i)] = min(low[ix(i)], p), max(high[ix(i)], p + 1)


@routine
def _fill(M, g, Cn, sn, Ct, st, before, order, place, H, Y, u, b, low, high, presses, shut):
    """Write matrices in the order of the columns and sorted rows, and the range of rows that each column has."""
    n, m, rows = g.shape[0], st.shape[0], st.shape[0] + sn.shape[0]
    for i in range(n):
        row = ix(order[ix(i)])
        j = i
        while j >= 0:
            H[ix(i), ix(j)] = M[row, ix(order[ix(j)])]
            j = before[ix(j)]
        u[ix(i)] = g[row]
        low[ix(i)], high[ix(i)] = rows, 0
    for q in range(m):
        _put(Ct, q, place[ix(q)], order, Y, low, high)
    for q in range(m, rows):
        _put(Cn, q - m, place[ix(q)], order, Y, low, high)
    for i in range(n - 1, -1, -1):  # what a column has, those before it will have
        j = before[ix(i)]
        if j >= 0:
            low[ix(j)], high[ix(j)] = min(low[ix(j)], low[ix(i)]), max(high[ix(j)], high[ix(i)])
    for q in range(rows):
        p = ix(place[ix(q)])
        b[p] = st[ix(q)] if q < m else sn[ix(q - m)]
        presses[p] = 0 if q < m else 1
        shut[p] = presses[p]


@routine
def _project(H, before, low, high, Y):
    """Y ← L⁻ᵀ Y, each column on its own rows."""
    for i in range(before.shape[0] - 1, -1, -1):
        first, last = low[ix(i)], high[ix(i)]
        if first >= last:
            continue
        inverse = 1.0 / H[ix(i), ix(i)]
        for r in range(first, last):
            Y[ix(i), ix(r)] *= inverse
        j = before[ix(i)]
        while j >= 0:
            x = H[ix(i), ix(j)]
            for r in range(first, last):
                Y[ix(j), ix(r)] -= x * Y[ix(i), ix(r)]
            j = before[ix(j)]


@routine
def _gram(low, high, Y, rows, u, A, b):
    """A ← Yᵀ Y, both halves, and b ← b − Yᵀ u."""
    for i in range(rows):
        for j in range(i + 1):
            A[ix(i), ix(j)] = 0.0
    n, k = low.shape[0], 0
    while k < n:  # three columns at a time where they have the same rows: a joint's, or a root's
        first, last, y = low[ix(k)], high[ix(k)], u[ix(k)]
        if (
            k + 2 < n
            and low[ix(k + 2)] == first
            and high[ix(k + 2)] == last
            and low[ix(k + 1)] == first
            and high[ix(k + 1)] == last
        ):
            y1, y2 = u[ix(k + 1)], u[ix(k + 2)]
            for i in range(first, last):
                x, x1, x2 = Y[ix(k), ix(i)], Y[ix(k + 1), ix(i)], Y[ix(k + 2), ix(i)]
                b[ix(i)] -= x * y + x1 * y1 + x2 * y2
                for j in range(first, i + 1):
                    A[ix(i), ix(j)] += x * Y[ix(k), ix(j)] + x1 * Y[ix(k + 1), ix(j)] + x2 * Y[ix(k + 2), ix(j)]
            k += 3
            continue
        for i in range(first, last):
            x = Y[ix(k), ix(i)]
            b[ix(i)] -= x * y
            for j in range(first, i + 1):
                A[ix(i), ix(j)] += x * Y[ix(k), ix(j)]
        k += 1
    for i in range(rows):
        for j in range(i):
            A[ix(j), ix(i)] = A[ix(i), ix(j)]


@entry(f"int64({_2}, {_1}, {_2}, {_1}, {_2}, {_1}, {_I}, {_1}, {_I}, {_1}, {_1})")
def one_solve(M, g, Cn, sn, Ct, st, tree, space, whole, out, x):
    """Solve a problem given as matrices; multipliers are the tangents', then the normals'. Return a status.

    tree: the next column toward the root, then the place in v, of each column. The other arrays are workspace.
    """
    n, rows = g.shape[0], st.shape[0] + sn.shape[0]
    before, order = tree[:n], tree[n:]
    wide = max(n, rows)
    u, a, b, y = space[:n], space[n : 2 * n], space[2 * n : 2 * n + rows], space[2 * n + rows : 2 * n + 2 * rows]
    at = 2 * n + 2 * rows
    r = space[at : at + wide]
    at += wide
    H = space[at : at + n * n].reshape(n, n)
    at += n * n
    Y = space[at : at + n * rows].reshape(n, rows)
    at += n * rows
    A, F = space[at : at + rows * rows].reshape(rows, rows), space[at + rows * rows : at + 2 * rows * rows]
    F = F.reshape(rows, rows)
    at += 2 * rows * rows
    G, z = space[at : at + rows * rows].reshape(rows, rows), space[at + rows * rows :]
    low, high, place, keys = (
        whole[:n],
        whole[n : 2 * n],
        whole[2 * n : 2 * n + rows],
        whole[2 * n + rows : 2 * n + 2 * rows],
    )
    at = 2 * n + 2 * rows
    presses, shut, chosen = (
        whole[at : at + rows],
        whole[at + rows : at + 2 * rows],
        whole[at + 2 * rows : at + 3 * rows],
    )
    wrong, t = whole[at + 3 * rows : at + 4 * rows], whole[at + 4 * rows : at + 6 * rows]
    counts = whole[at + 6 * rows :]
    _sort_rows(Cn, Ct, order, place, keys, counts)
    _fill(M, g, Cn, sn, Ct, st, before, order, place, H, Y, u, b, low, high, presses, shut)
    factor(H, before)
    project_vector(H, before, u)
    _project(H, before, low, high, Y)
    _gram(low, high, Y, rows, u, A, b)
    status = solve_lcp_eliminated(A, b, rows, presses, shut, F, G, y, r, z, chosen, wrong, t)
    for i in range(n):
        low[ix(i)] = 1 if low[ix(i)] < high[ix(i)] else 0  # whether a row acts on the column at all
    accelerate(H, before, low, Y, rows, y, u, a)
    for i in range(n):
        out[ix(order[ix(i)])] = a[ix(i)]
    for q in range(rows):
        x[ix(q)] = y[ix(place[ix(q)])]
    return status
