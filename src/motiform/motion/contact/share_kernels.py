"""The least forces in their cones that push as given ones do."""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from motiform.base.kernels import inline, routine, typed_entry
from motiform.base.layouts import Floats, Floats2, Ints, NamedTuple
from motiform.motion.tree.kernels.memory import ix

__all__ = ["FOUND", "NO_CONES", "ShareWorkspace", "find_least", "least_in_cones", "load_basis", "share_workspace"]

FOUND, NO_CONES = 0, 1
"""Whether the least forces are in `f`, or the load cannot be shared within the cones."""
_TURNS = 100
_DEPENDENT = 1e-10  # of a row, over the row: what is left of it when those before it are taken away
_CLOSE = 1e-12  # what is left of the load, over the load, when the least forces are found
_FAILED = 1e-8  # what is left of it where no forces in the cones carry it
_INSIDE = 1e-12  # of the largest force by which one may be outside its cone
_RIDGE = 1e-12  # keeps Newton's equations solvable


class ShareWorkspace(NamedTuple):
    """A load on some rows, and room to share it."""

    A: Floats2
    x: Floats
    """Forces that push as wanted."""
    mu: Floats
    fixed: Ints
    """Pairs that keep their force."""
    given: Floats
    """x without what moves nothing."""
    f: Floats
    """The least forces."""
    B: Floats2
    """An orthonormal basis of what the forces push, by rows."""
    D: Floats2
    """Derivative of the projection onto the cones, in blocks of three rows."""
    H: Floats2
    T: Floats2
    g: Floats
    wanted: Floats
    y: Floats
    tried: Floats
    gradient: Floats
    step: Floats
    left: Floats
    free: Ints
    """Rows that take part."""
    counts: Ints
    """Rank of the basis, and how many rows take part."""


def share_workspace(rows: int) -> ShareWorkspace:
    """Return room for a load on so many rows."""
    n = max(rows, 1)
    A, B, H, T = np.zeros((4, n, n))
    x, mu, given, f, g, wanted, y, tried, gradient, step, left = np.zeros((11, n))
    fixed, free = np.zeros((2, n), np.int64)
    D, counts = np.zeros((n, 3)), np.zeros(2, np.int64)
    return ShareWorkspace(
        A, x, mu, fixed, given, f, B, D, H, T, g, wanted, y, tried, gradient, step, left, free, counts
    )


@routine
def load_basis(A, free, count, B, size, left):
    """Write an orthonormal basis of the least forces that push, by rows of all rows of A; return how many.

    A = Y Yᵀ on the free rows: its factor is found with pivots, and ends where nothing new moves. What is orthogonal to
    the basis pushes nothing, so that the part of forces within it is the least that pushes as they do.
    """
    for m in range(count):
        i = ix(free[ix(m)])
        size[ix(m)], left[ix(m)] = math.sqrt(A[i, i]), 1.0
    rank = 0
    while rank < count:
        pivot = 0
        for m in range(1, count):
            if left[ix(m)] > left[ix(pivot)]:
                pivot = m
        if not left[ix(pivot)] > _DEPENDENT:
            break
        p, root = ix(free[ix(pivot)]), math.sqrt(left[ix(pivot)])
        for i in range(A.shape[0]):
            B[ix(rank), ix(i)] = 0.0
        for m in range(count):
            i = ix(free[ix(m)])
            value = 0.0
            if left[ix(m)] > 0.0:
                value = A[p, i] / (size[ix(pivot)] * size[ix(m)])
                for r in range(rank):
                    value -= B[ix(r), i] * B[ix(r), p]
                value /= root
            B[ix(rank), i] = value
        B[ix(rank), p] = root
        for m in range(count):
            left[ix(m)] -= B[ix(rank), ix(free[ix(m)])] ** 2
        left[ix(pivot)] = 0.0
        rank += 1
    for r in range(rank):
        for m in range(count):
            B[ix(r), ix(free[ix(m)])] *= size[ix(m)]
    for r in range(rank):
        for _ in range(2):  # once leaves what rounding makes of nearly dependent rows
            for s in range(r):
                part = _dot(B, r, s, free, count)
                for m in range(count):
                    B[ix(r), ix(free[ix(m)])] -= part * B[ix(s), ix(free[ix(m)])]
        norm = math.sqrt(_dot(B, r, r, free, count))
        for m in range(count):
            B[ix(r), ix(free[ix(m)])] /= norm
    return rank


@inline
def _dot(B, r, s, free, count):
    total = 0.0
    for m in range(count):
        i = ix(free[ix(m)])
        total += B[ix(r), i] * B[ix(s), i]
    return total


@routine
def _project(g, mu, fixed, pairs, rows, f, D):
    """Write the forces in all cones that are nearest to g, and their derivative, in blocks of three rows.

    Without friction, or with friction without an end, only the normal force is bounded; limits press.
    """
    for k in range(pairs):
        i, m = 3 * k, mu[ix(k)]
        p, n, q = g[ix(i)], g[ix(i + 1)], g[ix(i + 2)]
        t = math.sqrt(p * p + q * q)
        for r in range(3):
            f[ix(i + r)] = g[ix(i + r)]
            for c in range(3):
                D[ix(i + r), ix(c)] = 1.0 if r == c else 0.0
        if fixed[ix(k)] != 0:
            continue
        if m == 0.0 or m == math.inf:
            f[ix(i + 1)], D[ix(i + 1), 1] = max(n, 0.0), 1.0 if n > 0.0 else 0.0
        elif t > m * n and m * t <= -n:
            for r in range(3):
                f[ix(i + r)], D[ix(i + r), ix(r)] = 0.0, 0.0
        elif t > m * n:
            z, part = (n + m * t) / (1.0 + m * m), 1.0 / (1.0 + m * m)
            edge, side = (m * p / t, 1.0, m * q / t), (-q / t, 0.0, p / t)
            for r in range(3):
                f[ix(i + r)] = z * edge[r]
                for c in range(3):
                    D[ix(i + r), ix(c)] = part * edge[r] * edge[c] + m * z / t * side[r] * side[c]
    for i in range(3 * pairs, rows):
        f[ix(i)], D[ix(i), 0] = max(g[ix(i)], 0.0), 1.0 if g[ix(i)] > 0.0 else 0.0


@routine
def _margin(x, mu, fixed, pairs, rows):
    """Return how far the forces that are not fixed are inside their cones, and how hard limits press."""
    least = math.inf
    for k in range(pairs):
        if fixed[ix(k)] == 0:
            n = x[ix(3 * k + 1)]
            least = min(least, n)
            if mu[ix(k)] < math.inf:
                least = min(least, mu[ix(k)] * n - math.hypot(x[ix(3 * k)], x[ix(3 * k + 2)]))
    for i in range(3 * pairs, rows):
        least = min(least, x[ix(i)])
    return least


@inline
def _push(B, y, rank, free, count, rows, g):
    """Write Bᵀ y."""
    for i in range(rows):
        g[ix(i)] = 0.0
    for r in range(rank):
        for m in range(count):
            i = ix(free[ix(m)])
            g[i] += y[ix(r)] * B[ix(r), i]


@routine
def _value(room, y, rank, count, pairs, rows):
    """Write Π(Bᵀ y) to f; return ½ |Π(Bᵀ y)|² − y · B x."""
    _push(room.B, y, rank, room.free, count, rows, room.g)
    _project(room.g, room.mu, room.fixed, pairs, rows, room.f, room.D)
    value = 0.0
    for i in range(rows):
        if i >= 3 * pairs or room.fixed[ix(i // 3)] == 0:
            value += 0.5 * room.f[ix(i)] * room.f[ix(i)]
    for r in range(rank):
        value -= y[ix(r)] * room.wanted[ix(r)]
    return value


@routine
def _gradient(room, rank, count):
    """Write B f − B x; return its norm."""
    square = 0.0
    for r in range(rank):
        total = -room.wanted[ix(r)]
        for m in range(count):
            i = ix(room.free[ix(m)])
            total += room.B[ix(r), i] * room.f[i]
        room.gradient[ix(r)] = total
        square += total * total
    return math.sqrt(square)


@routine
def _newton_step(room, rank, count, pairs, rows):
    """Write the step −(B D Bᵀ)⁻¹ gradient; return the slope along it."""
    B, D, H, T, step = room.B, room.D, room.H, room.T, room.step
    for r in range(rank):
        for k in range(pairs):
            a, b, c = B[ix(r), ix(3 * k)], B[ix(r), ix(3 * k + 1)], B[ix(r), ix(3 * k + 2)]
            for j in range(3):
                T[ix(r), ix(3 * k + j)] = (
                    a * D[ix(3 * k), ix(j)] + b * D[ix(3 * k + 1), ix(j)] + c * D[ix(3 * k + 2), ix(j)]
                )
        for i in range(3 * pairs, rows):
            T[ix(r), ix(i)] = B[ix(r), ix(i)] * D[ix(i), 0]
    for r in range(rank):
        for s in range(r + 1):
            total = _RIDGE if r == s else 0.0
            for m in range(count):
                i = ix(room.free[ix(m)])
                total += T[ix(r), i] * B[ix(s), i]
            H[ix(r), ix(s)] = total
    for r in range(rank):  # H = L Lᵀ
        for s in range(r):
            total = H[ix(r), ix(s)]
            for j in range(s):
                total -= H[ix(r), ix(j)] * H[ix(s), ix(j)]
            H[ix(r), ix(s)] = total / H[ix(s), ix(s)]
        pivot = H[ix(r), ix(r)]
        for j in range(r):
            pivot -= H[ix(r), ix(j)] * H[ix(r), ix(j)]
        H[ix(r), ix(r)] = math.sqrt(max(pivot, _RIDGE))
    for r in range(rank):
        total = -room.gradient[ix(r)]
        for j in range(r):
            total -= H[ix(r), ix(j)] * step[ix(j)]
        step[ix(r)] = total / H[ix(r), ix(r)]
    slope = 0.0
    for r in range(rank - 1, -1, -1):
        total = step[ix(r)]
        for j in range(r + 1, rank):
            total -= H[ix(j), ix(r)] * step[ix(j)]
        step[ix(r)] = total / H[ix(r), ix(r)]
        slope += room.gradient[ix(r)] * step[ix(r)]
    return slope


@routine
def _find_in_cones(room, rank, count, pairs, rows):
    """Write the least forces in all cones that push as x does to f; return whether there are any.

    It is Π(Bᵀ y), the nearest in the cones to Bᵀ y, with B Π(Bᵀ y) = B x, B the loads that forces make: Newton's method
    on the gradient of the dual function ½ |Π(Bᵀ y)|² − y · B x, which is smooth and convex [Boyd04 5].
    """
    y, scale = room.y, 0.0
    for r in range(rank):
        y[ix(r)] = room.wanted[ix(r)]
        scale += y[ix(r)] * y[ix(r)]
    scale = math.sqrt(scale)
    value = _value(room, y, rank, count, pairs, rows)
    left = _gradient(room, rank, count)
    for _ in range(_TURNS):
        if left <= _CLOSE * scale:
            break
        slope, size = _newton_step(room, rank, count, pairs, rows), 1.0
        while True:
            for r in range(rank):
                room.tried[ix(r)] = y[ix(r)] + size * room.step[ix(r)]
            found = _value(room, room.tried, rank, count, pairs, rows)
            if size <= 1e-10 or found <= value + 1e-4 * size * slope + 1e-15 * abs(value):
                break
            size *= 0.5
        value = found
        for r in range(rank):
            y[ix(r)] = room.tried[ix(r)]
        left = _gradient(room, rank, count)
    if not left <= _FAILED * scale:
        return False
    for i in range(rows):
        room.g[ix(i)] = 0.0
    for m in range(count):
        i = ix(room.free[ix(m)])
        room.g[i] = room.f[i]
        for r in range(rank):
            room.g[i] -= room.B[ix(r), i] * room.gradient[ix(r)]
    return True


@routine
def find_least(room, pairs, rows):
    """Write the least forces that push as x does within their cones to f; return FOUND, or why not.

    Where no way to share the load is in all cones but x is, x stays.
    """
    A, x, mu, fixed, given = room.A, room.x, room.mu, room.fixed, room.given
    count, slippery = 0, False
    for i in range(rows):
        k = i // 3
        pair = i < 3 * pairs
        if pair and fixed[ix(k)] != 0:
            given[ix(i)] = 0.0
            continue
        slippery = slippery or (pair and mu[ix(k)] < math.inf)
        if A[ix(i), ix(i)] > 0.0 and not (pair and i % 3 != 1 and mu[ix(k)] <= 0.0):
            room.free[ix(count)], given[ix(i)] = i, x[ix(i)]
            count += 1
        else:
            given[ix(i)] = 0.0  # what moves nothing is not needed
    for i in range(rows):
        room.f[ix(i)] = given[ix(i)]
    rank = load_basis(A[:rows], room.free, count, room.B, room.tried, room.left)
    room.counts[0], room.counts[1] = rank, count
    status = FOUND
    if rank < count:
        tiny = 0.0
        for i in range(rows):
            tiny = max(tiny, _INSIDE * abs(given[ix(i)]))
        for r in range(rank):
            room.wanted[ix(r)] = 0.0
            for m in range(count):
                i = ix(room.free[ix(m)])
                room.wanted[ix(r)] += room.B[ix(r), i] * given[i]
        _push(room.B, room.wanted, rank, room.free, count, rows, room.f)
        if not _margin(room.f, mu, fixed, pairs, rows) >= -tiny:
            if slippery and _find_in_cones(room, rank, count, pairs, rows):
                for i in range(rows):
                    room.f[ix(i)] = room.g[ix(i)]
            else:
                for i in range(rows):
                    room.f[ix(i)] = given[ix(i)]
                if not (slippery and _margin(given, mu, fixed, pairs, rows) >= -tiny):
                    status = NO_CONES
    for k in range(pairs):
        if fixed[ix(k)] != 0:
            for i in range(3 * k, 3 * k + 3):
                room.f[ix(i)] = x[ix(i)]
    return status


@typed_entry("int64", ShareWorkspace, "int64", "int64")
def least_in_cones(room, pairs, rows):
    """Share the load of a workspace, from Python."""
    return find_least(room, pairs, rows)
