"""The acceleration problem on the Delassus matrix A = C M⁻¹ Cᵀ.

    min ½ aᵀM a + aᵀg   subject to   C a + s = 0 (rows that hold),   C a + s ≥ 0 (rows that only press)

Rows are redundant as a rule (three or more points under a rigid foot). The solution of (A + ε diag A) x = r is refined
with the residual of A itself, which leaves the null space of A alone: multipliers are the least of all in the norm of
the diagonal, which takes rows of any scale.
M = LᵀL keeps the zeros of the tree [Featherstone08 6.5].
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, routine
from motiform.motion.contact import columns as contact_columns
from motiform.motion.tree.kernels.memory import ix

__all__ = [
    "ROUNDING",
    "accelerate",
    "back",
    "dot",
    "eliminate",
    "factor",
    "gram",
    "hold",
    "hold_chosen",
    "project",
    "project_vector",
    "solve_lcp",
    "solve_lcp_eliminated",
]  # fmt: skip

_SOFT = 1e-7  # ε: far above rounding, far below stiffness that matters
_ROUNDS = 12  # refinements at most; each one shrinks the error by ε over the smallest stiffness
_CLEAN = 4e-15  # residual over the terms that make it that is rounding
_FINE = 1e-11  # of what it is made of by which a row may pull or approach
ROUNDING = 1e-14  # of the largest row: a row that changes by less does not change


@inline
def dot(F, row, first, last, x):
    """Return Σ F[row, j] x[j] in four sums, which do not wait for one another."""
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    j = first
    while j + 3 < last:
        s0 += F[ix(row), ix(j)] * x[ix(j)]
        s1 += F[ix(row), ix(j + 1)] * x[ix(j + 1)]
        s2 += F[ix(row), ix(j + 2)] * x[ix(j + 2)]
        s3 += F[ix(row), ix(j + 3)] * x[ix(j + 3)]
        j += 4
    while j < last:
        s0 += F[ix(row), ix(j)] * x[ix(j)]
        j += 1
    return (s0 + s1) + (s2 + s3)


@routine
def factor(H, before):
    """M = LᵀL in place; H holds, below its diagonal, the entries of columns and those before them in the tree."""
    for k in range(before.shape[0] - 1, -1, -1):
        root = math.sqrt(H[ix(k), ix(k)])
        H[ix(k), ix(k)] = root
        inverse = 1.0 / root
        i = before[ix(k)]
        while i >= 0:
            H[ix(k), ix(i)] *= inverse
            i = before[ix(i)]
        i = before[ix(k)]
        while i >= 0:
            x, j = H[ix(k), ix(i)], i
            while j >= 0:
                H[ix(i), ix(j)] -= x * H[ix(k), ix(j)]
                j = before[ix(j)]
            i = before[ix(i)]


@routine
def project(H, before, used, Y, rows):
    """Y ← L⁻ᵀ Y on the columns that some row uses; Y is [column, row]."""
    for i in range(before.shape[0] - 1, -1, -1):
        if used[ix(i)] == 0:
            continue
        inverse = 1.0 / H[ix(i), ix(i)]
        for r in range(rows):
            Y[ix(i), ix(r)] *= inverse
        j = before[ix(i)]
        while j >= 0:
            x = H[ix(i), ix(j)]
            for r in range(rows):
                Y[ix(j), ix(r)] -= x * Y[ix(i), ix(r)]
            j = before[ix(j)]


@routine
def project_vector(H, before, u):
    """u ← L⁻ᵀ u."""
    for i in range(before.shape[0] - 1, -1, -1):
        x = u[ix(i)] / H[ix(i), ix(i)]
        u[ix(i)] = x
        j = before[ix(i)]
        while j >= 0:
            u[ix(j)] -= H[ix(i), ix(j)] * x
            j = before[ix(j)]


@routine
def accelerate(H, before, used, Y, rows, x, u, a):
    """a ← L⁻¹ (Y x − u)."""
    for i in range(before.shape[0]):
        total = -u[ix(i)]
        if used[ix(i)] != 0:
            total += dot(Y, i, 0, rows, x)
        j = before[ix(i)]
        while j >= 0:
            total -= H[ix(i), ix(j)] * a[ix(j)]
            j = before[ix(j)]
        a[ix(i)] = total / H[ix(i), ix(i)]


@routine
def gram(used, Y, rows, A):
    """A ← Yᵀ Y, both halves."""
    for i in range(rows):
        for j in range(i + 1):
            A[ix(i), ix(j)] = 0.0
    for k in range(used.shape[0]):
        if used[ix(k)] != 0:
            for i in range(rows):
                x = Y[ix(k), ix(i)]
                if x != 0.0:
                    for j in range(i + 1):
                        A[ix(i), ix(j)] += x * Y[ix(k), ix(j)]
    for i in range(rows):
        for j in range(i):
            A[ix(j), ix(i)] = A[ix(i), ix(j)]


@inline
def regularization(A, row):
    """Return ε times the diagonal; for a row that nothing moves a number that keeps its force at zero."""
    stiff = A[ix(row), ix(row)]
    return _SOFT * stiff if stiff > 0.0 else 1.0


@routine
def eliminate(F, last, count, least):
    """Write the first `last` rows of U, UᵀU = F, over those of F; the rows below become the complement of the rest.

    Only the upper half is used; the diagonal of U is inverted, its squares are at least `least`. Four rows at a time.
    """
    for i in range(count):
        k, above = 0, min(i, last)
        while k + 3 < above:
            w, x, y, z = F[ix(k), ix(i)], F[ix(k + 1), ix(i)], F[ix(k + 2), ix(i)], F[ix(k + 3), ix(i)]
            for j in range(i, count):
                F[ix(i), ix(j)] -= (w * F[ix(k), ix(j)] + x * F[ix(k + 1), ix(j)]) + (
                    y * F[ix(k + 2), ix(j)] + z * F[ix(k + 3), ix(j)]
                )
            k += 4
        while k < above:
            x = F[ix(k), ix(i)]
            for j in range(i, count):
                F[ix(i), ix(j)] -= x * F[ix(k), ix(j)]
            k += 1
        if i < last:
            inverse = 1.0 / math.sqrt(max(F[ix(i), ix(i)], least[ix(i)]))
            F[ix(i), ix(i)] = inverse
            for j in range(i + 1, count):
                F[ix(i), ix(j)] *= inverse


@routine
def load(A, chosen, count, F, least):
    """F ← A + ε diag A on the chosen rows, upper half; `least`: pivots below which a row is redundant."""
    for i in range(count):
        row = chosen[ix(i)]
        for j in range(i, count):
            F[ix(i), ix(j)] = A[ix(row), ix(chosen[ix(j)])]
        soft = regularization(A, row)
        F[ix(i), ix(i)] += soft
        least[ix(i)] = 0.25 * soft


@inline
def back(F, count, r):
    """r ← (UᵀU)⁻¹ r."""
    for i in range(count):
        x = r[ix(i)] * F[ix(i), ix(i)]
        r[ix(i)] = x
        for j in range(i + 1, count):
            r[ix(j)] -= F[ix(i), ix(j)] * x
    for i in range(count - 1, -1, -1):
        r[ix(i)] = (r[ix(i)] - dot(F, i, i + 1, count, r)) * F[ix(i), ix(i)]


@routine
def refine(A, b, rows, chosen, count, F, x, r, rounds):
    """Solve A x = −b on the chosen rows, x elsewhere zero; return the residual left, each row's over its size."""
    for i in range(rows):
        x[ix(i)] = 0.0
    last = math.inf
    largest = 0.0
    for turn in range(rounds):
        left = 0.0
        for i in range(count):
            row = ix(chosen[ix(i)])
            total = -b[row] if A[row, row] > 0.0 else 0.0  # what nothing moves takes no force
            if turn > 0:
                total -= dot(A, row, 0, rows, x)
            r[ix(i)] = total
            size = abs(b[row]) + A[row, row] * largest
            if size > 0.0:
                left = max(left, abs(total) / size)
        if left <= _CLEAN or not left < 0.5 * last:
            last = min(left, last)
            break
        last = left
        back(F, count, r)
        largest = 0.0
        for i in range(count):
            x[ix(chosen[ix(i)])] += r[ix(i)]
            largest = max(largest, abs(x[ix(chosen[ix(i)])]))
    return last


@routine
def hold_chosen(A, b, rows, count, F, x, r, chosen):
    """Solve A x = −b on the first chosen rows, x elsewhere zero; return the residual left."""
    load(A, chosen, count, F, r)
    eliminate(F, count, count, r)
    return refine(A, b, rows, chosen, count, F, x, r, _ROUNDS)


@routine
def hold(A, b, rows, F, x, r, chosen):
    """Solve A x = −b on all rows: every row holds. Return the residual left."""
    for i in range(rows):
        chosen[ix(i)] = i
    return hold_chosen(A, b, rows, rows, F, x, r, chosen)


@routine
def _soft_solve(A, b, chosen, count, F, x, r):
    """Solve (A + ε diag A) x = −b on the chosen rows."""
    for i in range(count):
        row = ix(chosen[ix(i)])
        r[ix(i)] = -b[row] if A[row, row] > 0.0 else 0.0
    back(F, count, r)
    for i in range(count):
        x[ix(chosen[ix(i)])] = r[ix(i)]


@routine
def _choose(rows, presses, shut, x, chosen):
    """Write the rows that hold or press; return their number. Forces are set to zero."""
    count = 0
    for i in range(rows):
        x[ix(i)] = 0.0
        if presses[ix(i)] == 0 or shut[ix(i)] == 1:
            chosen[ix(count)] = i
            count += 1
    return count


@routine
def _find_wrong(A, b, rows, presses, shut, x, wrong, fine):
    """Mark the rows that pull or that approach, by more than `fine` of what they are made of. Return number, last.

    Rows of what takes no part are made of the rounding of the others.
    """
    size, least, bad, last = 0.0, 0.0, 0, -1
    for i in range(rows):
        size, least = max(size, abs(x[ix(i)])), max(least, ROUNDING * abs(b[ix(i)]))
    for i in range(rows):
        wrong[ix(i)] = 0
        if presses[ix(i)] == 0:
            continue
        if shut[ix(i)] == 1:
            if x[ix(i)] < -fine * size:
                wrong[ix(i)] = 1
        else:
            w, terms = b[ix(i)], abs(b[ix(i)])
            for k in range(rows):
                term = A[ix(i), ix(k)] * x[ix(k)]
                w, terms = w + term, terms + abs(term)
            if w < -fine * (terms + least / _FINE):
                wrong[ix(i)] = 1
        if wrong[ix(i)] == 1:
            bad, last = bad + 1, i
    return bad, last


@routine
def _pivot(A, b, rows, presses, shut, F, x, r, chosen, wrong, soft):
    """Change which rows press until all laws hold; return a status. With `soft` ε stays, and it ends in any case."""
    best, credit = rows + 1, 10
    for _ in range(100 + 10 * rows):
        count = _choose(rows, presses, shut, x, chosen)
        load(A, chosen, count, F, r)
        eliminate(F, count, count, r)
        if soft:
            _soft_solve(A, b, chosen, count, F, x, r)
        else:
            refine(A, b, rows, chosen, count, F, x, r, _ROUNDS)
        bad, last = _find_wrong(A, b, rows, presses, shut, x, wrong, 0.0 if soft else _FINE)
        if bad == 0:
            return contact_columns.OK
        if bad < best:
            best, credit = bad, 10
        else:
            credit -= 1
        for i in range(rows):
            if wrong[ix(i)] == 1 and (credit >= 0 or i == last):
                shut[ix(i)] = 1 - shut[ix(i)]
    return contact_columns.NOT_SOLVED


@routine
def _small_pivot(F, held, count, r, shut, G, z, least, t):
    """Pivot on the complement that F has below the rows that hold; t[:m] are at the end those that press, G their U.

    Return m, or −1 where it goes round in circles.
    """
    best, credit = count + 1, 10
    for _ in range(20 + 5 * count):
        m = 0
        for p in range(count):
            if shut[ix(p)] == 1:
                t[ix(m)] = p
                m += 1
        for i in range(m):
            row = held + t[ix(i)]
            for j in range(i, m):
                G[ix(i), ix(j)] = F[ix(row), ix(held + t[ix(j)])]
            z[ix(i)], least[ix(i)] = r[ix(row)], 0.0
        eliminate(G, m, m, least)
        back(G, m, z)
        bad, last, at = 0, -1, 0
        for p in range(count):
            broken = False
            if shut[ix(p)] == 1:
                broken = not z[ix(at)] >= 0.0
                at += 1
            else:
                w = -r[ix(held + p)]
                for i in range(m):
                    low, high = min(p, t[ix(i)]), max(p, t[ix(i)])
                    w += F[ix(held + low), ix(held + high)] * z[ix(i)]
                broken = w < 0.0
            t[ix(count + p)] = 1 if broken else 0
            if broken:
                bad, last = bad + 1, p
        if bad == 0:
            return m
        if bad < best:
            best, credit = bad, 10
        else:
            credit -= 1
        for p in range(count):
            if t[ix(count + p)] == 1 and (credit >= 0 or p == last):
                shut[ix(p)] = 1 - shut[ix(p)]
    return -1


@routine
def solve_lcp_eliminated(A, b, rows, presses, shut, F, G, x, r, z, chosen, wrong, t):
    """As `press`, but rows that hold are eliminated once, and who presses is found on their Schur complement.

    G, z, wrong and t are workspace.
    """
    held, count = 0, 0
    for i in range(rows):
        if presses[ix(i)] == 0:
            chosen[ix(held)] = i
            held += 1
    for i in range(rows):
        if presses[ix(i)] == 1:
            chosen[ix(held + count)] = i
            wrong[ix(count)] = shut[ix(i)]
            count += 1
    load(A, chosen, rows, F, r)
    eliminate(F, held, rows, r)
    for i in range(rows):
        row = ix(chosen[ix(i)])
        r[ix(i)] = -b[row] if A[row, row] > 0.0 else 0.0
    for i in range(held):
        x0 = r[ix(i)] * F[ix(i), ix(i)]
        r[ix(i)] = x0
        for j in range(i + 1, rows):
            r[ix(j)] -= F[ix(i), ix(j)] * x0
    m = _small_pivot(F, held, count, r, wrong, G, z, x, t)
    if m < 0:
        for i in range(rows):
            shut[ix(i)] = presses[ix(i)]
        return solve_lcp(A, b, rows, presses, shut, F, x, r, chosen, wrong)
    for p in range(count):
        shut[ix(chosen[ix(held + p)])] = wrong[ix(p)]
    if m < count:
        for i in range(held):
            for p in range(m):
                F[ix(i), ix(held + p)] = F[ix(i), ix(held + t[ix(p)])]
    for p in range(m):
        chosen[ix(held + p)] = chosen[ix(held + t[ix(p)])]
        for j in range(p, m):
            F[ix(held + p), ix(held + j)] = G[ix(p), ix(j)]
    refine(A, b, rows, chosen, held + m, F, x, r, _ROUNDS)
    bad, _ = _find_wrong(A, b, rows, presses, shut, x, wrong, _FINE)
    if bad > 0:
        return solve_lcp(A, b, rows, presses, shut, F, x, r, chosen, wrong)
    return _ended(rows, presses, x, contact_columns.OK)


@routine
def _ended(rows, presses, x, status):
    """Clear forces that pull by rounding; return the status, or that something is not finite."""
    for i in range(rows):
        if presses[ix(i)] == 1:
            x[ix(i)] = max(x[ix(i)], 0.0)
        if not math.isfinite(x[ix(i)]):
            status = contact_columns.NOT_FINITE
    return status


@routine
def solve_lcp(A, b, rows, presses, shut, F, x, r, chosen, wrong):
    """Solve A x + b = w with x ≥ 0, w ≥ 0, x w = 0 on rows that only press, and w = 0 on the others.

    Block pivoting that falls back to one pivot at a time [Judice94]; where redundant rows lead it round in circles,
    with ε, where it must end. `shut` says which rows press at the start, and at the end. Returns a status.
    """
    status = _pivot(A, b, rows, presses, shut, F, x, r, chosen, wrong, False)
    if status != contact_columns.OK:
        for i in range(rows):
            shut[ix(i)] = presses[ix(i)]
        status = _pivot(A, b, rows, presses, shut, F, x, r, chosen, wrong, True)
        count = _choose(rows, presses, shut, x, chosen)
        load(A, chosen, count, F, r)
        eliminate(F, count, count, r)
        refine(A, b, rows, chosen, count, F, x, r, _ROUNDS)
    return _ended(rows, presses, x, status)
