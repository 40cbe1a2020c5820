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
from motiform.motion.contact import columns as c
from motiform.motion.tree.memory_kernels import ix

__all__ = ["accelerate", "back", "factor", "gram", "hold", "press", "press_quickly", "project", "project_vector"]

_SOFT = 1e-7  # ε: far above rounding, far below stiffness that matters
_ROUNDS = 12  # refinements at most; each one shrinks the error by ε over the smallest stiffness
_CLEAN = 4e-15  # residual over the terms that make it that is rounding


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
            for r in range(rows):
                total += Y[ix(i), ix(r)] * x[ix(r)]
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
def softness(A, row):
    """Return ε times the diagonal; for a row that nothing moves a number that keeps its force at zero."""
    stiff = A[ix(row), ix(row)]
    return _SOFT * stiff if stiff > 0.0 else 1.0


@routine
def cholesky(A, chosen, count, F):
    """F Fᵀ = A + ε diag A on the chosen rows; the diagonal of F holds inverses. Rows that nothing moves stay out."""
    for i in range(count):
        row = chosen[ix(i)]
        for j in range(i + 1):
            F[ix(i), ix(j)] = A[ix(row), ix(chosen[ix(j)])]
        F[ix(i), ix(i)] += softness(A, row)
    for i in range(count):
        for j in range(i):
            total = F[ix(i), ix(j)]
            for k in range(j):
                total -= F[ix(i), ix(k)] * F[ix(j), ix(k)]
            F[ix(i), ix(j)] = total * F[ix(j), ix(j)]
        total = F[ix(i), ix(i)]
        for k in range(i):
            total -= F[ix(i), ix(k)] * F[ix(i), ix(k)]
        F[ix(i), ix(i)] = 1.0 / math.sqrt(max(total, 0.25 * softness(A, chosen[ix(i)])))


@inline
def back(F, count, r):
    """r ← (F Fᵀ)⁻¹ r."""
    for i in range(count):
        total = r[ix(i)]
        for k in range(i):
            total -= F[ix(i), ix(k)] * r[ix(k)]
        r[ix(i)] = total * F[ix(i), ix(i)]
    for i in range(count - 1, -1, -1):
        total = r[ix(i)] * F[ix(i), ix(i)]
        r[ix(i)] = total
        for k in range(i):  # by rows of F, which lie together
            r[ix(k)] -= F[ix(i), ix(k)] * total


@routine
def refine(A, b, chosen, count, F, x, r, rounds):
    """Solve A x = −b on the chosen rows, x elsewhere zero; return the residual left, each row's over its size."""
    for i in range(count):
        x[ix(chosen[ix(i)])] = 0.0
    last = math.inf
    largest = 0.0
    for turn in range(rounds):
        left = 0.0
        for i in range(count):
            row = ix(chosen[ix(i)])
            total = -b[row]
            if turn > 0:
                for j in range(count):
                    total -= A[row, ix(chosen[ix(j)])] * x[ix(chosen[ix(j)])]
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
def hold(A, b, rows, F, x, r, chosen):
    """Solve A x = −b on all rows: every row holds. Return the residual left."""
    for i in range(rows):
        chosen[ix(i)] = i
    cholesky(A, chosen, rows, F)
    return refine(A, b, chosen, rows, F, x, r, _ROUNDS)


@routine
def _soft_solve(A, b, chosen, count, F, x, r):
    """Solve (A + ε diag A) x = −b on the chosen rows."""
    for i in range(count):
        r[ix(i)] = -b[ix(chosen[ix(i)])]
    back(F, count, r)
    for i in range(count):
        x[ix(chosen[ix(i)])] = r[ix(i)]


@routine
def _pivot(A, b, rows, presses, shut, F, x, r, chosen, wrong, soft):
    """Change which rows press until all laws hold; return a status. With `soft` ε stays, and it ends in any case."""
    best, credit, rounds = rows + 1, 10, _ROUNDS
    for _ in range(100 + 10 * rows):
        count = 0
        for i in range(rows):
            x[ix(i)] = 0.0
            if presses[ix(i)] == 0 or shut[ix(i)] == 1:
                chosen[ix(count)] = i
                count += 1
        cholesky(A, chosen, count, F)
        if soft:
            _soft_solve(A, b, chosen, count, F, x, r)
        else:
            refine(A, b, chosen, count, F, x, r, rounds)
        size = 0.0
        for i in range(rows):
            size = max(size, abs(x[ix(i)]))
        bad, last = 0, -1
        fine = 1e-11 if rounds == _ROUNDS else 1e-8
        for i in range(rows):
            wrong[ix(i)] = 0
            if presses[ix(i)] == 0:
                continue
            if shut[ix(i)] == 1:
                if x[ix(i)] < (0.0 if soft else -fine * size):
                    wrong[ix(i)] = 1
            else:
                w, terms = b[ix(i)], abs(b[ix(i)])
                for k in range(count):
                    term = A[ix(i), ix(chosen[ix(k)])] * x[ix(chosen[ix(k)])]
                    w, terms = w + term, terms + abs(term)
                if w < (0.0 if soft else -fine * terms):
                    wrong[ix(i)] = 1
            if wrong[ix(i)] == 1:
                bad, last = bad + 1, i
        if bad == 0 and (soft or rounds == _ROUNDS):
            return c.OK
        if bad == 0:
            rounds = _ROUNDS  # exact forces of the set that has been found
            continue
        if bad < best:
            best, credit = bad, 10
        else:
            credit -= 1
        for i in range(rows):
            if wrong[ix(i)] == 1 and (credit >= 0 or i == last):
                shut[ix(i)] = 1 - shut[ix(i)]
    return c.NOT_SOLVED


@routine
def _guess(A, b, rows, presses, shut, F, r, chosen, wrong):
    """Find which rows press on the Schur complement of those that hold: cheap, and right but for rounding.

    F is left with the factor of the rows that hold, and below it the complement S = A_pp − A_ph A_hh⁻¹ A_hp.
    """
    held, count = 0, 0
    for i in range(rows):
        if presses[ix(i)] == 0:
            chosen[ix(held)] = i
            held += 1
    cholesky(A, chosen, held, F)
    for i in range(rows):
        if presses[ix(i)] == 1:
            wrong[ix(count)] = i
            count += 1
    for p in range(count):  # rows of L⁻¹ A_hp, then S
        row = ix(wrong[ix(p)])
        at = ix(held + p)
        for i in range(held):
            total = A[row, ix(chosen[ix(i)])]
            for k in range(i):
                total -= F[ix(i), ix(k)] * F[at, ix(k)]
            F[at, ix(i)] = total * F[ix(i), ix(i)]
        for q in range(p + 1):
            other = ix(held + q)
            total = A[row, ix(wrong[ix(q)])]
            for k in range(held):
                total -= F[at, ix(k)] * F[other, ix(k)]
            F[at, ix(held + q)] = total
            F[other, ix(held + p)] = total
        F[at, at] += softness(A, wrong[ix(p)])
    for i in range(held):  # L⁻¹ b_h, then the right-hand side of S
        total = b[ix(chosen[ix(i)])]
        for k in range(i):
            total -= F[ix(i), ix(k)] * r[ix(k)]
        r[ix(i)] = total * F[ix(i), ix(i)]
    for p in range(count):
        total = b[ix(wrong[ix(p)])]
        for k in range(held):
            total -= F[ix(held + p), ix(k)] * r[ix(k)]
        r[ix(held + p)] = total
    return held, count


@routine
def _small_pivot(F, held, count, r, wrong, shut, G, z, t):
    """Pivot on the complement in F; `shut` says at the end who presses. Return whether it ended."""
    best, credit = count + 1, 10
    for _ in range(20 + 5 * count):
        m = 0
        for p in range(count):
            if shut[ix(wrong[ix(p)])] == 1:
                t[ix(m)] = p
                m += 1
        for i in range(m):  # Cholesky of the rows that press, and their forces
            for j in range(i + 1):
                total = F[ix(held + t[ix(i)]), ix(held + t[ix(j)])]
                for k in range(j):
                    total -= G[ix(i), ix(k)] * G[ix(j), ix(k)]
                if j < i:
                    G[ix(i), ix(j)] = total * G[ix(j), ix(j)]
                elif total > 0.0:
                    G[ix(i), ix(i)] = 1.0 / math.sqrt(total)
                else:
                    return False
            total = -r[ix(held + t[ix(i)])]
            for k in range(i):
                total -= G[ix(i), ix(k)] * z[ix(k)]
            z[ix(i)] = total * G[ix(i), ix(i)]
        for i in range(m - 1, -1, -1):
            total = z[ix(i)] * G[ix(i), ix(i)]
            z[ix(i)] = total
            for k in range(i):
                z[ix(k)] -= G[ix(i), ix(k)] * total
        bad, last, at = 0, -1, 0
        for p in range(count):
            row = ix(wrong[ix(p)])
            broken = False
            if shut[row] == 1:
                broken = z[ix(at)] < 0.0
                at += 1
            else:
                w = r[ix(held + p)]
                for i in range(m):
                    w += F[ix(held + p), ix(held + t[ix(i)])] * z[ix(i)]
                broken = w < 0.0
            t[ix(count + p)] = 1 if broken else 0
            if broken:
                bad, last = bad + 1, p
        if bad == 0:
            return True
        if bad < best:
            best, credit = bad, 10
        else:
            credit -= 1
        for p in range(count):
            if t[ix(count + p)] == 1 and (credit >= 0 or p == last):
                row = ix(wrong[ix(p)])
                shut[row] = 1 - shut[row]
    return False


@routine
def press_quickly(A, b, rows, presses, shut, F, G, x, r, z, chosen, wrong, t):
    """As `press`, with who presses guessed on the Schur complement first; G, z and t are workspace."""
    held, count = _guess(A, b, rows, presses, shut, F, r, chosen, wrong)
    if not _small_pivot(F, held, count, r, wrong, shut, G, z, t):
        for i in range(rows):
            shut[ix(i)] = presses[ix(i)]
    return press(A, b, rows, presses, shut, F, x, r, chosen, wrong)


@routine
def press(A, b, rows, presses, shut, F, x, r, chosen, wrong):
    """Solve A x + b = w with x ≥ 0, w ≥ 0, x w = 0 on rows that only press, and w = 0 on the others.

    Block pivoting that falls back to one pivot at a time [Judice94]; where redundant rows lead it round in circles,
    with ε, where it must end. `shut` says which rows press at the start, and at the end. Returns a status.
    """
    status = _pivot(A, b, rows, presses, shut, F, x, r, chosen, wrong, False)
    if status != c.OK:
        for i in range(rows):
            shut[ix(i)] = presses[ix(i)]
        status = _pivot(A, b, rows, presses, shut, F, x, r, chosen, wrong, True)
        count = 0
        for i in range(rows):
            x[ix(i)] = 0.0
            if presses[ix(i)] == 0 or shut[ix(i)] == 1:
                chosen[ix(count)] = i
                count += 1
        cholesky(A, chosen, count, F)
        refine(A, b, chosen, count, F, x, r, _ROUNDS)
    for i in range(rows):
        if presses[ix(i)] == 1:
            x[ix(i)] = max(x[ix(i)], 0.0)
        if not math.isfinite(x[ix(i)]):
            status = c.NOT_FINITE
    return status
