"""Contacts with Coulomb's friction: A x + b = w, rows (tangent 1, normal, tangent 2) of each contact, then limits.

    0 ≤ x_n ⟂ w_n ≥ 0,   |x_t| ≤ μ (x_n + o),   x_t = −μ (x_n + o) w_t/|w_t| where w_t ≠ 0

The same problem gives accelerations from forces and velocities from impulses; o are normal impulses that have already
been given (the second half of an impact). A contact that slides already has its direction, whatever w_t is. Modes
are changed one by one until the laws hold; where that goes round in circles, sweeps of Gauss–Seidel [Jourdan98] find a
better beginning.
"""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import inline, routine
from motiform.motion.contact import columns as c
from motiform.motion.contact.solve_kernels import _ROUNDS, back, softness
from motiform.motion.tree.memory_kernels import ix

__all__ = ["linear", "polish", "share", "sweep"]

_STILL = 1e-14  # change of a sweep over the largest number that is taken for none
_NEARLY = 1e-7  # change of a sweep that is good enough where nothing better was found
_EDGE = 1e-9  # a force so near to its cone's edge counts as on it
_NARROW = 0.99  # cones that forces are brought into when they are shared, over the true ones
_NULL = 1e-7
_FINE = 1e-10  # what the laws are broken by, over the terms that make it, that is rounding


@inline
def _row(A, b, i, rows, x):
    """Return row i of A x + b."""
    total = b[ix(i)]
    for j in range(rows):
        total += A[ix(i), ix(j)] * x[ix(j)]
    return total


@inline
def _terms(A, b, i, rows, x):
    """Return the sum of the sizes of the terms of row i."""
    total = abs(b[ix(i)]) + 1e-300
    for j in range(rows):
        total += abs(A[ix(i), ix(j)] * x[ix(j)])
    return total


@inline
def _reach(mu, pressed):
    """Return the largest tangential force; infinite friction holds whatever presses at all."""
    return mu * pressed if pressed > 0.0 else 0.0


@inline
def _into_disk(p, q, reach):
    """Return a tangential force brought back into its disk."""
    size = math.hypot(p, q)
    if size <= reach:
        return p, q
    return p * (reach / size), q * (reach / size)


@inline
def _tangent_step(A, n, w1, w2, p, q, reach):
    """Return the tangential force that stops a contact, or the nearest that its cone allows."""
    a, d, e = A[ix(n - 1), ix(n - 1)], A[ix(n - 1), ix(n + 1)], A[ix(n + 1), ix(n + 1)]
    # what w would be without this force
    u, v = w1 - a * p - d * q, w2 - d * p - e * q
    det = a * e - d * d
    if det > 1e-14 * (a * e):
        sp, sq = (d * v - e * u) / det, (d * u - a * v) / det
        if sp * sp + sq * sq <= reach * reach:
            return sp, sq
    if reach == 0.0:
        return 0.0, 0.0
    rate = 0.5 * (a + e) + math.sqrt(0.25 * (a - e) * (a - e) + d * d)
    if rate == 0.0:
        return 0.0, 0.0
    for _ in range(8):
        p, q = _into_disk(p - (u + a * p + d * q) / rate, q - (v + d * p + e * q) / rate, reach)
    return p, q


@routine
def sweep(A, b, contacts, rows, mu, slides, along, given, x, sweeps):
    """Sweep until nothing changes; return the last change over the largest number."""
    change = math.inf
    for _ in range(sweeps):
        change, size = 0.0, 1e-300
        for i in range(contacts):
            n = 3 * i + 1
            p, z, q = x[ix(n - 1)], x[ix(n)], x[ix(n + 1)]
            friction, d1, d2 = mu[ix(i)], along[ix(i), 0], along[ix(i), 1]
            if slides[ix(i)] == 1:
                stiff = A[ix(n), ix(n)] - friction * (A[ix(n), ix(n - 1)] * d1 + A[ix(n), ix(n + 1)] * d2)
                stiff = stiff if stiff > 1e-3 * A[ix(n), ix(n)] else A[ix(n), ix(n)]
                new = max(0.0, z - _row(A, b, n, rows, x) / stiff)
                x[ix(n)] = new
                pressed = new + given[ix(i)]
                x[ix(n - 1)], x[ix(n + 1)] = -friction * pressed * d1, -friction * pressed * d2
            else:
                stiff = A[ix(n), ix(n)]
                new = max(0.0, z - _row(A, b, n, rows, x) / stiff) if stiff > 0.0 else 0.0
                x[ix(n)] = new
                w1, w2 = _row(A, b, n - 1, rows, x), _row(A, b, n + 1, rows, x)
                reach = _reach(friction, new + given[ix(i)])
                x[ix(n - 1)], x[ix(n + 1)] = _tangent_step(A, n, w1, w2, p, q, reach)
            change = max(change, abs(x[ix(n)] - z), abs(x[ix(n - 1)] - p), abs(x[ix(n + 1)] - q))
            size = max(size, abs(x[ix(n)]), abs(x[ix(n - 1)]), abs(x[ix(n + 1)]))
        for i in range(3 * contacts, rows):
            old = x[ix(i)]
            x[ix(i)] = max(0.0, old - _row(A, b, i, rows, x) / A[ix(i), ix(i)])
            change, size = max(change, abs(x[ix(i)] - old)), max(size, abs(x[ix(i)]))
        change /= size
        if change <= _STILL or not math.isfinite(change):
            break
    return change


@routine
def _lu_solve(B, count, pivots, r):
    """r ← B⁻¹ r in place by elimination with row exchanges; return the sign of the determinant."""
    sign = 1.0
    for k in range(count):
        best = k
        for i in range(k + 1, count):
            if abs(B[ix(i), ix(k)]) > abs(B[ix(best), ix(k)]):
                best = i
        pivots[ix(k)] = best
        if best != k:
            sign = -sign
            for j in range(count):
                B[ix(k), ix(j)], B[ix(best), ix(j)] = B[ix(best), ix(j)], B[ix(k), ix(j)]
        if B[ix(k), ix(k)] == 0.0:
            return 0.0
        sign = sign if B[ix(k), ix(k)] > 0.0 else -sign
        for i in range(k + 1, count):
            f = B[ix(i), ix(k)] / B[ix(k), ix(k)]
            B[ix(i), ix(k)] = f
            for j in range(k + 1, count):
                B[ix(i), ix(j)] -= f * B[ix(k), ix(j)]
    return sign


@inline
def _lu_back(B, count, pivots, r):
    for k in range(count):
        best = pivots[ix(k)]
        if best != k:
            r[ix(k)], r[ix(best)] = r[ix(best)], r[ix(k)]
    for i in range(count):
        for k in range(i):
            r[ix(i)] -= B[ix(i), ix(k)] * r[ix(k)]
    for i in range(count - 1, -1, -1):
        for k in range(i + 1, count):
            r[ix(i)] -= B[ix(i), ix(k)] * r[ix(k)]
        r[ix(i)] /= B[ix(i), ix(i)]


@inline
def _column(A, i, x_row, mode, mu, along, contacts):
    """Return the entry of row i that one unit of an unknown makes; sliding friction goes with its normal force."""
    value = A[ix(i), ix(x_row)]
    if x_row < 3 * contacts and x_row % 3 == 1:
        k = x_row // 3
        if mode[ix(k)] == c.SLIDE:
            value -= mu[ix(k)] * (A[ix(i), ix(x_row - 1)] * along[ix(k), 0] + A[ix(i), ix(x_row + 1)] * along[ix(k), 1])
    return value


@inline
def _unknown(mode, i, contacts):
    """Whether the force of row i is to be found: normals of what is closed, tangents of what sticks."""
    if i >= 3 * contacts:
        return mode[ix(contacts + i - 3 * contacts)] != c.FREE
    m = mode[ix(i // 3)]
    if i % 3 == 1:
        return m == c.STICK or m == c.SLIDE
    return m == c.STICK or m == c.STICK + c.OPEN


@routine
def linear(A, b, contacts, rows, mu, mode, along, given, x, B, K, r, unknown, pivots):
    """Solve the rows of contacts that stick or slide and of limits that press (mode of rows above zero) as equations.

    Return the sign of the determinant, zero where the numbers are not finite.
    """
    count = 0
    for i in range(rows):
        x[ix(i)] = 0.0
        if _unknown(mode, i, contacts):
            unknown[ix(count)] = i
            count += 1
    for k in range(contacts):  # friction on what has been given before
        if mode[ix(k)] == c.SLIDE or mode[ix(k)] == c.SLIDE + c.OPEN:
            x[ix(3 * k)], x[ix(3 * k + 2)] = (
                -mu[ix(k)] * given[ix(k)] * along[ix(k), 0],
                -mu[ix(k)] * given[ix(k)] * along[ix(k), 1],
            )
    for i in range(count):
        for j in range(count):
            value = _column(A, unknown[ix(i)], unknown[ix(j)], mode, mu, along, contacts)
            K[ix(i), ix(j)] = value
            B[ix(i), ix(j)] = value
        B[ix(i), ix(i)] += softness(A, unknown[ix(i)])
    sign = _lu_solve(B, count, pivots, r)
    last = math.inf
    for _ in range(_ROUNDS):
        left = 0.0
        for i in range(count):
            r[ix(i)] = -_row(A, b, unknown[ix(i)], rows, x)
            left = max(left, abs(r[ix(i)]))
        if left == 0.0 or not left < 0.5 * last:
            break
        last = left
        _lu_back(B, count, pivots, r)
        for i in range(count):
            row = unknown[ix(i)]
            x[ix(row)] += r[ix(i)]
            if row < 3 * contacts and row % 3 == 1 and mode[ix(row // 3)] == c.SLIDE:
                k = row // 3
                x[ix(row - 1)] -= mu[ix(k)] * r[ix(i)] * along[ix(k), 0]
                x[ix(row + 1)] -= mu[ix(k)] * r[ix(i)] * along[ix(k), 1]
    return sign if math.isfinite(last) or count == 0 else 0.0


@routine
def _sort_modes(contacts, rows, mu, slides, along, given, x, mode):
    """Say of each contact and limit what a solution of sweeps makes of it."""
    size = 1e-300
    for i in range(rows):
        size = max(size, abs(x[ix(i)]))
    for k in range(contacts):
        n = 3 * k + 1
        pressed = x[ix(n)] + given[ix(k)]
        if pressed <= 1e-11 * size:
            mode[ix(k)] = c.FREE
            continue
        t = math.hypot(x[ix(n - 1)], x[ix(n + 1)])
        if slides[ix(k)] == 1 or t >= _reach(mu[ix(k)], pressed) * (1.0 - _EDGE):
            mode[ix(k)] = c.SLIDE
            if slides[ix(k)] == 0:
                along[ix(k), 0], along[ix(k), 1] = (0.0, 0.0) if t == 0.0 else (-x[ix(n - 1)] / t, -x[ix(n + 1)] / t)
        else:
            mode[ix(k)] = c.STICK
        if x[ix(n)] <= 1e-11 * size:
            mode[ix(k)] += c.OPEN
    for i in range(3 * contacts, rows):
        mode[ix(contacts + i - 3 * contacts)] = c.STICK if x[ix(i)] > 1e-11 * size else c.FREE


@inline
def _next_normal(A, b, row, rows, x, m, size, parts, fine):
    """Return the mode that the normal row asks for, and how much it asks."""
    if m == c.FREE or m >= c.OPEN:
        ask = -_row(A, b, row, rows, x) / _terms(A, b, row, rows, x)
        if ask <= fine:
            return m, 0.0
        return (c.STICK if m == c.FREE else m - c.OPEN), ask
    ask = -x[ix(row)] / size
    if ask <= fine:
        return m, 0.0
    return (m + c.OPEN if parts else c.FREE), ask


@inline
def _next_tangent(A, b, k, rows, mu, given, x, m, along, size, fine):
    """Return the mode that the tangent rows ask for, how much, and the direction of slip."""
    n = 3 * k + 1
    p, q = x[ix(n - 1)], x[ix(n + 1)]
    if m % c.OPEN == c.STICK:
        t = math.hypot(p, q)
        ask = (t - _reach(mu[ix(k)], x[ix(n)] + given[ix(k)])) / size
        if ask <= fine:
            return m, 0.0, 0.0, 0.0
        return m + 1, ask, -p / t, -q / t
    w1, w2 = _row(A, b, n - 1, rows, x), _row(A, b, n + 1, rows, x)
    terms = _terms(A, b, n - 1, rows, x) + _terms(A, b, n + 1, rows, x)
    w = math.hypot(w1, w2)
    if -(w1 * along[ix(k), 0] + w2 * along[ix(k), 1]) / terms > fine:
        return m - 1, w / terms, 0.0, 0.0
    if w / terms <= fine:
        return m, 0.0, along[ix(k), 0], along[ix(k), 1]
    return m, 0.0, w1 / w, w2 / w


@routine
def pivot(A, b, contacts, rows, mu, slides, along, given, x, mode, B, K, r, unknown, pivots, fine):
    """Solve with the modes as they are, and change what the laws do not allow, until nothing is left to change.

    All changes at once at first, then the worst alone. Return 1 where it ends, −1 with a negative determinant, else 0.
    """
    for turn in range(80):
        sign = linear(A, b, contacts, rows, mu, mode, along, given, x, B, K, r, unknown, pivots)
        if sign == 0.0:
            return 0
        size = 1e-300
        for i in range(rows):
            size = max(size, abs(x[ix(i)]))
        changes, worst, worst_k, worst_m, turned = 0, 0.0, -1, 0, 0.0
        d1, d2 = 0.0, 0.0
        for k in range(contacts + rows - 3 * contacts):
            row = 3 * k + 1 if k < contacts else 3 * contacts + k - contacts
            new, ask = _next_normal(A, b, row, rows, x, mode[ix(k)], size, k < contacts and given[ix(k)] > 0.0, fine)
            if k < contacts and new == c.STICK and mode[ix(k)] == c.FREE and slides[ix(k)] == 1:
                new = c.SLIDE
            e1, e2 = 0.0, 0.0
            if k < contacts and ask == 0.0 and new != c.FREE and slides[ix(k)] == 0:
                new, ask, e1, e2 = _next_tangent(A, b, k, rows, mu, given, x, new, along, size, fine)
                if ask == 0.0 and new % c.OPEN == c.SLIDE:
                    turned = max(turned, abs(e1 - along[ix(k), 0]), abs(e2 - along[ix(k), 1]))
                    along[ix(k), 0], along[ix(k), 1] = e1, e2
            if ask > 0.0:
                changes += 1
                if turn < 12:
                    mode[ix(k)] = new
                    if new % c.OPEN == c.SLIDE and slides[ix(k)] == 0:
                        along[ix(k), 0], along[ix(k), 1] = e1, e2
                if ask > worst:
                    worst, worst_k, worst_m, d1, d2 = ask, k, new, e1, e2
        if changes == 0 and turned <= 1e-13:
            return 1 if sign > 0.0 else -1
        if changes > 0 and turn >= 12:
            mode[ix(worst_k)] = worst_m
            if worst_k < contacts and worst_m % c.OPEN == c.SLIDE and slides[ix(worst_k)] == 0:
                along[ix(worst_k), 0], along[ix(worst_k), 1] = d1, d2
    return 0


@inline
def _block(A, i, contacts):
    """Return one number for the three rows of a contact, so that a cone is nearest in the same sense as the forces."""
    if i >= 3 * contacts:
        return max(A[ix(i), ix(i)], 1e-300)
    n = 3 * (i // 3)
    return max((A[ix(n), ix(n)] + A[ix(n + 1), ix(n + 1)] + A[ix(n + 2), ix(n + 2)]) / 3.0, 1e-300)


@inline
def _into_cone(p, z, q, mu):
    """Return the force nearest to (p, z, q) that its cone allows, z the normal part."""
    t = math.hypot(p, q)
    if math.isinf(mu):
        return (p, z, q) if z >= 0.0 else (p, 0.0, q)
    if t <= mu * z:
        return p, z, q
    if mu * t <= -z:
        return 0.0, 0.0, 0.0
    z = (z + mu * t) / (1.0 + mu * mu)
    return (p * mu * z / t, z, q * mu * z / t) if t > 0.0 else (0.0, z, 0.0)


@routine
def share(A, b, contacts, rows, mu, x, F, r, turns):
    """Look for forces that hold every row and that all cones allow; return 1 where there are such.

    Where contacts are redundant forces can be shared in many ways. From the affine set of all that hold to cones a
    little narrower and back [Bauschke96].
    """
    for i in range(rows):
        for j in range(i + 1):
            F[ix(i), ix(j)] = A[ix(i), ix(j)]
        F[ix(i), ix(i)] += _NULL * _block(A, i, contacts)
        for j in range(i):
            total = F[ix(i), ix(j)]
            for k in range(j):
                total -= F[ix(i), ix(k)] * F[ix(j), ix(k)]
            F[ix(i), ix(j)] = total * F[ix(j), ix(j)]
        total = F[ix(i), ix(i)]
        for k in range(i):
            total -= F[ix(i), ix(k)] * F[ix(i), ix(k)]
        F[ix(i), ix(i)] = 1.0 / math.sqrt(max(total, 0.25 * _NULL * _block(A, i, contacts)))
    for _ in range(turns):
        size, outside = 1e-300, 0.0
        for i in range(rows):
            size = max(size, abs(x[ix(i)]))
        for k in range(contacts):
            n = 3 * k + 1
            t = math.hypot(x[ix(n - 1)], x[ix(n + 1)])
            outside = max(outside, -x[ix(n)], t - _reach(mu[ix(k)], x[ix(n)]) if not math.isinf(mu[ix(k)]) else 0.0)
        for i in range(3 * contacts, rows):
            outside = max(outside, -x[ix(i)])
        if outside <= 1e-12 * size:
            return 1
        for k in range(contacts):
            n = 3 * k + 1
            x[ix(n - 1)], x[ix(n)], x[ix(n + 1)] = _into_cone(x[ix(n - 1)], x[ix(n)], x[ix(n + 1)], _NARROW * mu[ix(k)])
        for i in range(3 * contacts, rows):
            x[ix(i)] = max(x[ix(i)], 0.0)
        for _twice in range(2):
            for i in range(rows):
                r[ix(i)] = -_row(A, b, i, rows, x)
            back(F, rows, r)
            for i in range(rows):
                x[ix(i)] += r[ix(i)]
    return 0


@inline
def _lonely(A, contacts, mu, slides, along):
    """Whether a single sliding contact is one that no force, or more than one, can hold [Genot99]."""
    if contacts != 1 or slides[0] == 0:
        return False
    return A[1, 1] - mu[0] * (A[1, 0] * along[0, 0] + A[1, 2] * along[0, 1]) <= 0.0


@inline
def _all_closed(contacts, rows, slides, along, given, mode):
    """Begin with everything held."""
    for k in range(contacts):
        mode[ix(k)] = c.SLIDE if slides[ix(k)] == 1 else c.STICK
        if slides[ix(k)] == 0:
            along[ix(k), 0] = along[ix(k), 1] = 0.0
        if given[ix(k)] > 0.0:
            mode[ix(k)] += c.OPEN
    for k in range(contacts, contacts + rows - 3 * contacts):
        mode[ix(k)] = c.STICK


@routine
def polish(A, b, contacts, rows, mu, slides, along, given, x, mode, B, K, r, y, unknown, pivots, attempts):
    """Find who sticks, slides and leaves, and the exact forces; return a status.

    `along` are the directions of slip of contacts that slide already (`slides`), and on return of all that slide; x is
    a guess at first. Sweeps begin with the third attempt.
    """
    if _lonely(A, contacts, mu, slides, along):
        return c.JAMMED
    fine = _FINE
    for attempt in range(attempts):
        if attempt < 3:  # at the very instant of an event forces are zero but for rounding, which may be told less well
            _all_closed(contacts, rows, slides, along, given, mode)
        ends = pivot(A, b, contacts, rows, mu, slides, along, given, y, mode, B, K, r, unknown, pivots, fine)
        if ends != 0:
            if ends < 0:
                return c.JAMMED
            for i in range(rows):
                x[ix(i)] = y[ix(i)]
            for k in range(contacts):
                if mode[ix(k)] >= c.OPEN:
                    mode[ix(k)] = c.FREE
            return c.OK
        fine = min(100.0 * fine, 1e-6)
        if attempt < 2:
            continue
        change = sweep(A, b, contacts, rows, mu, slides, along, given, x, 500 * (attempt - 1))
        if not math.isfinite(change):
            return c.JAMMED
        for k in range(contacts):  # the sweeps' own directions
            if slides[ix(k)] == 0:
                along[ix(k), 0] = along[ix(k), 1] = 0.0
        _sort_modes(contacts, rows, mu, slides, along, given, x, mode)
        if change <= _STILL or (attempt == attempts - 1 and change <= _NEARLY):
            for k in range(contacts):
                if mode[ix(k)] >= c.OPEN:
                    mode[ix(k)] = c.FREE
            return c.OK
    return c.NOT_SOLVED
