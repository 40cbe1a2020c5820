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
from motiform.motion.contact import columns as contact_columns
from motiform.motion.contact.solve_kernels import _ROUNDS, ROUNDING, back, dot, eliminate, regularization
from motiform.motion.tree.kernels.memory import ix

__all__ = ["linear", "refine_active_set", "share", "sweep"]

_STILL = 1e-14  # change of a sweep over the largest number that is taken for none
_NEARLY = 1e-7  # change of a sweep that is good enough where nothing better was found
_ANGLES = 48  # directions in which a contact that slides is looked for
_BACK = 1e-2  # of its stiffness by which each row is held back in sweeps
_EDGE = 1e-9  # a force so near to its cone's edge counts as on it
_NARROW = 0.99  # cones that forces are brought into when they are shared, over the true ones
_NULL = 1e-7
_FINE = 1e-10  # what the laws are broken by, over the terms that make it, that is rounding


@inline
def _row(A, b, i, rows, x):
    """Return row i of A x + b."""
    return b[ix(i)] + dot(A, i, 0, rows, x)


@inline
def _terms(A, b, i, rows, x, least):
    """Return the sum of the sizes of the terms of row i, and what rounding of the largest row adds to them."""
    total = abs(b[ix(i)]) + least + 1e-300
    for j in range(rows):
        total += abs(A[ix(i), ix(j)] * x[ix(j)])
    return total


@inline
def _block(A, i, contacts):
    """Return one number for the three rows of a contact, so that a cone is nearest in the same sense as the forces."""
    if i >= 3 * contacts:
        return max(A[ix(i), ix(i)], 1e-300)
    n = 3 * (i // 3)
    return max((A[ix(n), ix(n)] + A[ix(n + 1), ix(n + 1)] + A[ix(n + 2), ix(n + 2)]) / 3.0, 1e-300)


@inline
def _friction_limit(mu, pressed):
    """Return the largest tangential force; infinite friction holds whatever presses at all."""
    return mu * pressed if pressed > 0.0 else 0.0


@inline
def _sticking_impulse(a, d, e, f, g, h, u, v, w):
    """Return minus the inverse of the matrix (a d e; d f g; e g h) times (u, v, w), and whether there is one."""
    m1, m2, m3 = f * h - g * g, e * g - d * h, d * g - e * f
    det = a * m1 + d * m2 + e * m3
    if not det > 1e-14 * a * f * h:
        return 0.0, 0.0, 0.0, False
    return (
        -(m1 * u + m2 * v + m3 * w) / det,
        -(m2 * u + (a * h - e * e) * v + (d * e - a * g) * w) / det,
        -(m3 * u + (d * e - a * g) * v + (a * f - d * d) * w) / det,
        True,
    )


@inline
def _sliding_force(a, d, e, f, g, h, u, v, w, mu, given, angle):
    """Return the normal force of a contact that slides toward an angle, its sideways velocity, and that along it."""
    c1, c2 = math.cos(angle), math.sin(angle)
    stiff = f - mu * (d * c1 + g * c2)
    z = -(v - mu * given * (d * c1 + g * c2)) / stiff if stiff > 0.0 else 0.0
    z = max(z, 0.0)
    t = mu * (z + given)
    w1, w2 = u + d * z - t * (a * c1 + e * c2), w + g * z - t * (e * c1 + h * c2)
    return z, c1 * w2 - c2 * w1, c1 * w1 + c2 * w2


@routine
def local(A, k, u, v, w, mu, given, soft):
    """Solve one contact alone; (u, v, w) are its velocities without its own force. Return the force.

    It sticks, parts, or slides toward the angle at which friction and slip are opposite, found by looking around.
    """
    n = 3 * k
    a, d, e = A[ix(n), ix(n)] + soft, A[ix(n), ix(n + 1)], A[ix(n), ix(n + 2)]
    f, g, h = A[ix(n + 1), ix(n + 1)] + soft, A[ix(n + 1), ix(n + 2)], A[ix(n + 2), ix(n + 2)] + soft
    if not f > 0.0 or (v >= 0.0 and given == 0.0):
        return 0.0, 0.0, 0.0
    p, z, q, ok = _sticking_impulse(a, d, e, f, g, h, u, v, w)
    if ok and z >= 0.0 and math.hypot(p, q) <= _friction_limit(mu, z + given):
        return p, z, q
    if given > 0.0:  # it may part while friction goes on
        det = a * h - e * e
        p, q = (e * w - h * u) / det, (e * u - a * w) / det
        if v + d * p + g * q >= 0.0 and math.hypot(p, q) <= _friction_limit(mu, given):
            return p, 0.0, q
    if math.isinf(mu):
        if given > 0.0:
            return p, 0.0, q
        return 0.0, 0.0, 0.0
    if mu == 0.0:
        return 0.0, max(0.0, -v / f), 0.0
    best, found, last = 0.0, math.inf, 0.0
    for i in range(_ANGLES + 1):
        angle = 2.0 * math.pi * i / _ANGLES
        z, side, forward = _sliding_force(a, d, e, f, g, h, u, v, w, mu, given, angle)
        if abs(side) <= 1e-14 * (abs(u) + abs(w)) and forward >= 0.0 and 0.0 < z < found:
            best, found = angle, z  # a plane problem: it lies on a direction that is looked at
        if i > 0 and last > 0.0 >= side:  # slip turns toward the direction from both sides
            lo, hi = angle - 2.0 * math.pi / _ANGLES, angle
            for _ in range(52):
                middle = 0.5 * (lo + hi)
                _, side_m, _ = _sliding_force(a, d, e, f, g, h, u, v, w, mu, given, middle)
                if side_m > 0.0:
                    lo = middle
                else:
                    hi = middle
            z, side_m, forward = _sliding_force(a, d, e, f, g, h, u, v, w, mu, given, hi)
            if forward >= -1e-12 * (abs(u) + abs(w)) and z < found:
                best, found = hi, z
        last = side
    if found == math.inf:
        return 0.0, 0.0, 0.0
    z, _, _ = _sliding_force(a, d, e, f, g, h, u, v, w, mu, given, best)
    t = mu * (z + given)
    return -t * math.cos(best), z, -t * math.sin(best)


@routine
def sweep(A, b, contacts, rows, mu, slides, along, given, x, center, rho, sweeps):
    """Sweep until nothing changes; return the last change over the largest number.

    With rho each row is held back toward `center` by rho times its stiffness.
    """
    change = math.inf
    for _ in range(sweeps):
        change, size = 0.0, 1e-300
        for i in range(contacts):
            n = 3 * i + 1
            p, z, q = x[ix(n - 1)], x[ix(n)], x[ix(n + 1)]
            friction, d1, d2 = mu[ix(i)], along[ix(i), 0], along[ix(i), 1]
            soft = rho * _block(A, n, contacts)
            if slides[ix(i)] == 1:
                stiff = A[ix(n), ix(n)] - friction * (A[ix(n), ix(n - 1)] * d1 + A[ix(n), ix(n + 1)] * d2)
                stiff = (stiff if stiff > 1e-3 * A[ix(n), ix(n)] else A[ix(n), ix(n)]) + soft
                new = max(0.0, z - (_row(A, b, n, rows, x) + soft * (z - center[ix(n)])) / stiff)
                x[ix(n)] = new
                pressed = new + given[ix(i)]
                x[ix(n - 1)], x[ix(n + 1)] = -friction * pressed * d1, -friction * pressed * d2
            else:
                a, d, e = A[ix(n - 1), ix(n - 1)], A[ix(n - 1), ix(n)], A[ix(n - 1), ix(n + 1)]
                f, g, h = A[ix(n), ix(n)], A[ix(n), ix(n + 1)], A[ix(n + 1), ix(n + 1)]
                u = _row(A, b, n - 1, rows, x) - a * p - d * z - e * q - soft * center[ix(n - 1)]
                v = _row(A, b, n, rows, x) - d * p - f * z - g * q - soft * center[ix(n)]
                w = _row(A, b, n + 1, rows, x) - e * p - g * z - h * q - soft * center[ix(n + 1)]
                x[ix(n - 1)], x[ix(n)], x[ix(n + 1)] = local(A, i, u, v, w, friction, given[ix(i)], soft)
            change = max(change, abs(x[ix(n)] - z), abs(x[ix(n - 1)] - p), abs(x[ix(n + 1)] - q))
            size = max(size, abs(x[ix(n)]), abs(x[ix(n - 1)]), abs(x[ix(n + 1)]))
        for i in range(3 * contacts, rows):
            old, soft = x[ix(i)], rho * _block(A, i, contacts)
            x[ix(i)] = max(
                0.0, old - (_row(A, b, i, rows, x) + soft * (old - center[ix(i)])) / (A[ix(i), ix(i)] + soft)
            )
            change, size = max(change, abs(x[ix(i)] - old)), max(size, abs(x[ix(i)]))
        change /= size
        if change <= _STILL or not math.isfinite(change):
            break
    return change


@routine
def damped_sweeps(A, b, contacts, rows, mu, slides, along, given, x, center, rounds):
    """Sweeps that are held back toward the last answer, so that redundant contacts do not slow them down.

    Return the change of the last round over the largest number.
    """
    moved = math.inf
    for _ in range(rounds):
        for i in range(rows):
            center[ix(i)] = x[ix(i)]
        change = sweep(A, b, contacts, rows, mu, slides, along, given, x, center, _BACK, 60)
        if not math.isfinite(change):
            return change
        moved, size = change, 1e-300
        for i in range(rows):
            size = max(size, abs(x[ix(i)]))
        for i in range(rows):
            moved = max(moved, abs(x[ix(i)] - center[ix(i)]) / size)
        if moved <= 1e-12:
            break
    return moved


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
        if mode[ix(k)] == contact_columns.SLIDE:
            value -= mu[ix(k)] * (A[ix(i), ix(x_row - 1)] * along[ix(k), 0] + A[ix(i), ix(x_row + 1)] * along[ix(k), 1])
    return value


@inline
def _unknown(mode, i, contacts):
    """Whether the force of row i is to be found: normals of what is closed, tangents of what sticks."""
    if i >= 3 * contacts:
        return mode[ix(contacts + i - 3 * contacts)] != contact_columns.FREE
    m = mode[ix(i // 3)]
    if i % 3 == 1:
        return m == contact_columns.STICK or m == contact_columns.SLIDE
    return m == contact_columns.STICK or m == contact_columns.STICK + contact_columns.OPEN


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
        if mode[ix(k)] == contact_columns.SLIDE or mode[ix(k)] == contact_columns.SLIDE + contact_columns.OPEN:
            x[ix(3 * k)], x[ix(3 * k + 2)] = (
                -mu[ix(k)] * given[ix(k)] * along[ix(k), 0],
                -mu[ix(k)] * given[ix(k)] * along[ix(k), 1],
            )
    for i in range(count):
        for j in range(count):
            value = _column(A, unknown[ix(i)], unknown[ix(j)], mode, mu, along, contacts)
            K[ix(i), ix(j)] = value
            B[ix(i), ix(j)] = value
        B[ix(i), ix(i)] += regularization(A, unknown[ix(i)])
    sign = _lu_solve(B, count, pivots, r)
    last = math.inf
    for _ in range(_ROUNDS):
        left = 0.0
        for i in range(count):
            row = unknown[ix(i)]
            r[ix(i)] = -_row(A, b, row, rows, x) if A[ix(row), ix(row)] > 0.0 else 0.0
            left = max(left, abs(r[ix(i)]))
        if not left < 0.5 * last:
            break
        last = left
        if left == 0.0:
            break
        _lu_back(B, count, pivots, r)
        for i in range(count):
            row = unknown[ix(i)]
            x[ix(row)] += r[ix(i)]
            if row < 3 * contacts and row % 3 == 1 and mode[ix(row // 3)] == contact_columns.SLIDE:
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
            mode[ix(k)] = contact_columns.FREE
            continue
        t = math.hypot(x[ix(n - 1)], x[ix(n + 1)])
        if slides[ix(k)] == 1 or t >= _friction_limit(mu[ix(k)], pressed) * (1.0 - _EDGE):
            mode[ix(k)] = contact_columns.SLIDE
            if slides[ix(k)] == 0:
                along[ix(k), 0], along[ix(k), 1] = (0.0, 0.0) if t == 0.0 else (-x[ix(n - 1)] / t, -x[ix(n + 1)] / t)
        else:
            mode[ix(k)] = contact_columns.STICK
        if x[ix(n)] <= 1e-11 * size:
            mode[ix(k)] += contact_columns.OPEN
    for i in range(3 * contacts, rows):
        mode[ix(contacts + i - 3 * contacts)] = (
            contact_columns.STICK if x[ix(i)] > 1e-11 * size else contact_columns.FREE
        )


@inline
def _next_normal(A, b, row, rows, x, m, size, least, parts, fine):
    """Return the mode that the normal row asks for, and how much it asks."""
    if m == contact_columns.FREE or m >= contact_columns.OPEN:
        ask = -_row(A, b, row, rows, x) / _terms(A, b, row, rows, x, least)
        if ask <= fine:
            return m, 0.0
        return (contact_columns.STICK if m == contact_columns.FREE else m - contact_columns.OPEN), ask
    ask = -x[ix(row)] / size
    if ask <= fine:
        return m, 0.0
    return (m + contact_columns.OPEN if parts else contact_columns.FREE), ask


@inline
def _free_slip(A, b, row, rows):
    """Return how a row that nothing moves slips, zero where it does not but for rounding."""
    if A[ix(row), ix(row)] > 0.0 or b[ix(row)] == 0.0:
        return 0.0
    size = 0.0
    for i in range(rows):
        size = max(size, abs(b[ix(i)]))
    return b[ix(row)] if abs(b[ix(row)]) > 1e-9 * size else 0.0


@inline
def _next_tangent(A, b, k, rows, mu, given, x, m, along, size, least, fine):
    """Return the mode that the tangent rows ask for, how much, and the direction of slip."""
    n = 3 * k + 1
    p, q = x[ix(n - 1)], x[ix(n + 1)]
    if m % contact_columns.OPEN == contact_columns.STICK:
        t = math.hypot(p, q)
        w1, w2 = _free_slip(A, b, n - 1, rows), _free_slip(A, b, n + 1, rows)
        if (w1 != 0.0 or w2 != 0.0) and not math.isinf(mu[ix(k)]):
            return m + 1, 1.0, w1 / math.hypot(w1, w2), w2 / math.hypot(w1, w2)
        ask = (t - _friction_limit(mu[ix(k)], x[ix(n)] + given[ix(k)])) / size
        if ask <= fine:
            return m, 0.0, 0.0, 0.0
        return m + 1, ask, -p / t, -q / t
    w1, w2 = _row(A, b, n - 1, rows, x), _row(A, b, n + 1, rows, x)
    terms = _terms(A, b, n - 1, rows, x, least) + _terms(A, b, n + 1, rows, x, least)
    w = math.hypot(w1, w2)
    if -(w1 * along[ix(k), 0] + w2 * along[ix(k), 1]) / terms > fine:
        return m - 1, w / terms, 0.0, 0.0
    if w / terms <= fine:
        return m, 0.0, along[ix(k), 0], along[ix(k), 1]
    # turned by what friction would change if it turned: slip that is slow beside it swings round otherwise
    hold = 0.5 * (A[ix(n - 1), ix(n - 1)] + A[ix(n + 1), ix(n + 1)]) * mu[ix(k)] * abs(x[ix(n)] + given[ix(k)])
    w1, w2 = w1 + hold * along[ix(k), 0], w2 + hold * along[ix(k), 1]
    w = math.hypot(w1, w2)
    if w == 0.0:
        return m, 0.0, along[ix(k), 0], along[ix(k), 1]
    return m, 0.0, w1 / w, w2 / w


@routine
def pivot(A, b, contacts, rows, mu, slides, along, given, x, mode, B, K, r, unknown, pivots, fine):
    """Solve with the modes as they are, and change what the laws do not allow, until nothing is left to change.

    All changes at once at first, then the worst alone. Return 1 where it ends, −1 with a negative determinant, else 0.
    """
    least = 0.0
    for i in range(rows):
        least = max(least, ROUNDING / _FINE * abs(b[ix(i)]))
    for turn in range(120):
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
            parts = k < contacts and given[ix(k)] > 0.0
            new, ask = _next_normal(A, b, row, rows, x, mode[ix(k)], size, least, parts, fine)
            if (
                k < contacts
                and new == contact_columns.STICK
                and mode[ix(k)] == contact_columns.FREE
                and slides[ix(k)] == 1
            ):
                new = contact_columns.SLIDE
            e1, e2 = 0.0, 0.0
            if k < contacts and ask == 0.0 and new != contact_columns.FREE and slides[ix(k)] == 0:
                new, ask, e1, e2 = _next_tangent(A, b, k, rows, mu, given, x, new, along, size, least, fine)
                if ask == 0.0 and new % contact_columns.OPEN == contact_columns.SLIDE:
                    turned = max(turned, abs(e1 - along[ix(k), 0]), abs(e2 - along[ix(k), 1]))
                    along[ix(k), 0], along[ix(k), 1] = e1, e2
            if ask > 0.0:
                changes += 1
                if turn < 12:
                    mode[ix(k)] = new
                    if new % contact_columns.OPEN == contact_columns.SLIDE and slides[ix(k)] == 0:
                        along[ix(k), 0], along[ix(k), 1] = e1, e2
                if ask > worst:
                    worst, worst_k, worst_m, d1, d2 = ask, k, new, e1, e2
        if changes == 0 and turned <= (1e-12 if turn < 40 else 1e-10 if turn < 80 else 1e-7):
            return 1 if sign > 0.0 else -1
        if changes > 0 and turn >= 12:
            mode[ix(worst_k)] = worst_m
            if (
                worst_k < contacts
                and worst_m % contact_columns.OPEN == contact_columns.SLIDE
                and slides[ix(worst_k)] == 0
            ):
                along[ix(worst_k), 0], along[ix(worst_k), 1] = d1, d2
    return 0


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
        for j in range(i, rows):
            F[ix(i), ix(j)] = A[ix(i), ix(j)]
        soft = _NULL * _block(A, i, contacts)
        F[ix(i), ix(i)] += soft
        r[ix(i)] = 0.25 * soft
    eliminate(F, rows, rows, r)
    for _ in range(turns):
        size, outside = 1e-300, 0.0
        for i in range(rows):
            size = max(size, abs(x[ix(i)]))
        for k in range(contacts):
            n = 3 * k + 1
            t = math.hypot(x[ix(n - 1)], x[ix(n + 1)])
            outside = max(
                outside, -x[ix(n)], t - _friction_limit(mu[ix(k)], x[ix(n)]) if not math.isinf(mu[ix(k)]) else 0.0
            )
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
def _single_slip_is_singular(A, contacts, mu, slides, along):
    """Whether a single sliding contact is one that no force, or more than one, can hold [Genot99]."""
    if contacts != 1 or slides[0] == 0:
        return False
    return A[1, 1] - mu[0] * (A[1, 0] * along[0, 0] + A[1, 2] * along[0, 1]) <= 0.0


@inline
def _all_closed(contacts, rows, slides, along, given, mode):
    """Begin with everything held."""
    for k in range(contacts):
        mode[ix(k)] = contact_columns.SLIDE if slides[ix(k)] == 1 else contact_columns.STICK
        if slides[ix(k)] == 0:
            along[ix(k), 0] = along[ix(k), 1] = 0.0
        if given[ix(k)] > 0.0:
            mode[ix(k)] += contact_columns.OPEN
    for k in range(contacts, contacts + rows - 3 * contacts):
        mode[ix(k)] = contact_columns.STICK


@routine
def refine_active_set(
    A, b, contacts, rows, mu, slides, along, given, x, mode, B, K, r, y, unknown, pivots, begun, attempts
):
    """Find who sticks, slides and leaves, and the exact forces; return a status.

    `along` are the directions of slip of contacts that slide already (`slides`), and on return of all that slide; x is
    a guess at first. Sweeps come after the third attempt. With
    `begun` modes and directions are a guess too.
    """
    if _single_slip_is_singular(A, contacts, mu, slides, along):
        return contact_columns.JAMMED
    fine = _FINE
    for attempt in range(attempts):
        if attempt < 3 and not (
            attempt == 0 and begun
        ):  # at the very instant of an event forces are zero but for rounding, which may be told less well
            _all_closed(contacts, rows, slides, along, given, mode)
        ends = pivot(A, b, contacts, rows, mu, slides, along, given, y, mode, B, K, r, unknown, pivots, fine)
        if ends != 0:
            if ends < 0:
                return contact_columns.JAMMED
            for i in range(rows):
                x[ix(i)] = y[ix(i)]
            for k in range(contacts):
                if mode[ix(k)] >= contact_columns.OPEN:
                    mode[ix(k)] = contact_columns.FREE
            return contact_columns.OK
        fine = min(100.0 * fine, 1e-6)
        if attempt < 2:
            continue
        change = damped_sweeps(A, b, contacts, rows, mu, slides, along, given, x, r, 40 * (attempt - 1))
        if not math.isfinite(change):
            return contact_columns.JAMMED
        for k in range(contacts):  # the sweeps' own directions
            if slides[ix(k)] == 0:
                along[ix(k), 0] = along[ix(k), 1] = 0.0
        _sort_modes(contacts, rows, mu, slides, along, given, x, mode)
        if change <= 1e-12 or (attempt == attempts - 1 and change <= _NEARLY):
            for k in range(contacts):
                if mode[ix(k)] >= contact_columns.OPEN:
                    mode[ix(k)] = contact_columns.FREE
            return contact_columns.OK
    return contact_columns.NOT_SOLVED
