"""Ways to share a load among redundant contacts: the least forces, and those that are farthest inside their cones."""

import numpy as np

from motiform.motion.tree.model.joint import Array

__all__ = ["cone_margin", "least_forces", "load_forces", "null_forces", "widest"]

_TURNS = 100
_DEPENDENT = 1e-10  # of a row, over the row: what is left of it when those before it are taken away
_CLOSE = 1e-12  # what is left of the load, over the load, when the least forces are found
_FAILED = 1e-8  # what is left of it where no forces in the cones carry it


def load_forces(A: Array) -> Array:
    """Return an orthonormal basis of the least forces that push, as columns, (rows, rank); none along idle rows.

    A = Y Yᵀ: its factor is found with pivots, and ends where nothing new moves. What is orthogonal to the basis pushes
    nothing, so that the part of forces within it is the least that pushes as they do.
    """
    from scipy.linalg.lapack import dpstrf

    moves = np.flatnonzero(np.diag(A) > 0)
    size = np.sqrt(np.diag(A)[moves])
    if not len(size):
        return np.zeros((len(A), 0))
    factor, order, rank, _ = dpstrf(A[np.ix_(moves, moves)] / np.outer(size, size), tol=_DEPENDENT, lower=1)
    own = np.empty((len(moves), rank))
    own[order - 1] = np.tril(factor)[:, :rank]
    found = np.zeros((len(A), rank))
    found[moves] = size[:, None] * own
    return np.asarray(np.linalg.qr(found)[0])


def null_forces(A: Array) -> Array:
    """Return an orthonormal basis of forces that together push nothing, (rows, n); none along rows that are idle."""
    moves = np.flatnonzero(np.diag(A) > 0)
    load = load_forces(A)[moves]
    rest = np.linalg.qr(load, mode="complete")[0][:, load.shape[1] :]
    found = np.zeros((len(A), rest.shape[1]))
    found[moves] = rest
    return found


def cone_margin(x: Array, pairs: int, mu: Array) -> float:
    """Return how far forces are inside all cones, and how hard limits press [N]."""
    p = x[: 3 * pairs].reshape(-1, 3)
    slippery = np.isfinite(mu)
    inside = mu[slippery] * p[slippery, 1] - np.hypot(p[slippery, 0], p[slippery, 2])
    return float(min(p[:, 1].min(initial=np.inf), inside.min(initial=np.inf), x[3 * pairs :].min(initial=np.inf)))


def least_forces(A: Array, x: Array, pairs: int, mu: Array | None = None, fixed: Array | None = None) -> Array:
    """Return the forces of least norm that push as x does, press, and are in their cones of friction mu.

    Without mu nothing slides. Pairs that are `fixed` (those that slide) keep their force. Where no way to share the
    load is in all cones, rows that press do not become negative by it.
    """
    if not len(x):
        return x
    mu = np.full(pairs, np.inf) if mu is None else mu
    own = np.ones(pairs, bool) if fixed is None else ~fixed
    if not own.all():
        rows = np.concatenate([np.repeat(own, 3), np.ones(len(x) - 3 * pairs, bool)])
        found = np.array(x)
        found[rows] = least_forces(A[np.ix_(rows, rows)], x[rows], int(own.sum()), mu[own])
        return found
    free = np.diag(A) > 0
    for side in (0, 2):
        free[side : 3 * pairs : 3] &= mu > 0
    found = np.where(free, x, 0.0)  # what moves nothing is not needed
    basis = load_forces(A[np.ix_(free, free)])
    if len(basis) == basis.shape[1]:
        return found
    load = np.zeros((len(x), basis.shape[1]))
    load[free] = basis
    least = load @ (load.T @ found)
    tiny = 1e-12 * np.abs(found).max()
    if cone_margin(least, pairs, mu) >= -tiny:
        return least
    if np.isfinite(mu).any():
        nearest = _least_in_cones(found, load, free, mu, pairs)
        if nearest is not None:
            return nearest
        if cone_margin(found, pairs, mu) >= -tiny:
            return found
    normal = np.concatenate([3 * np.arange(pairs) + 1, np.arange(3 * pairs, len(x))])
    return _least_pressing(found, load, free, normal)


def _least_in_cones(x: Array, load: Array, free: Array, mu: Array, pairs: int) -> Array | None:
    """Return the least forces in all cones that push as x does, or None where there are none.

    It is Π(Bᵀ y), the nearest in the cones to Bᵀ y, with B Π(Bᵀ y) = B x, B the loads that forces make: Newton's method
    on the gradient of the dual function ½ |Π(Bᵀ y)|² − y · B x, which is smooth and convex [Boyd04 5].
    """
    B = load.T
    wanted = B @ x
    scale = float(np.linalg.norm(wanted))
    y = wanted.copy()
    for _ in range(_TURNS):
        f, D = _nearest(y @ B, mu, pairs)
        gradient = B @ f - wanted
        if np.linalg.norm(gradient) <= _CLOSE * scale:
            break
        step = -np.linalg.solve(B @ D @ B.T + 1e-12 * np.eye(len(B)), gradient)
        value, slope, size = 0.5 * f @ f - y @ wanted, float(gradient @ step), 1.0
        while size > 1e-10:
            trial, _ = _nearest((y + size * step) @ B, mu, pairs)
            if 0.5 * trial @ trial - (y + size * step) @ wanted <= value + 1e-4 * size * slope + 1e-15 * abs(value):
                break
            size *= 0.5
        y = y + size * step
    left = np.linalg.norm(gradient)
    return np.where(free, f - B.T @ gradient, 0.0) if left <= _FAILED * scale else None


def _nearest(g: Array, mu: Array, pairs: int) -> tuple[Array, Array]:
    """Return the forces in all cones that are nearest to g, and their derivative."""
    from motiform.motion.contact.share_kernels import nearest_in_cones

    f, D = np.empty(len(g)), np.empty((len(g), len(g)))
    nearest_in_cones(g, mu, pairs, f, D)
    return f, D


def widest(A: Array, x: Array, pairs: int, friction: Array) -> tuple[float, Array]:
    """Return the largest margin [N] that forces sharing the load as x does can have in all cones, and those forces.

    max s subject to x + N z − s e_n in every cone, N the forces that push nothing: a second-order cone program, solved
    by Newton's method on its logarithmic barrier [Boyd04 11].
    """
    Q, rows = null_forces(A), len(x)
    scale = float(np.abs(x).max(initial=0.0))
    if not scale or not Q.size:
        return min(cone_margin(x, pairs, friction), 0.0), x
    base, count = x / scale, Q.shape[1]
    mu = np.minimum(friction, 1e6)
    normal = np.concatenate([3 * np.arange(pairs) + 1, np.arange(3 * pairs, rows)])

    def parts(point: Array) -> tuple[Array, Array, Array, Array]:
        f = base + Q @ point[:-1]
        n = f[normal] - point[-1]
        t = f[: 3 * pairs].reshape(-1, 3)[:, [0, 2]]
        return f, n, t, (mu * n[:pairs]) ** 2 - (t**2).sum(1)

    point = np.zeros(count + 1)
    _, n, t, _ = parts(point)
    point[-1] = min(np.min(n[:pairs] - np.hypot(*t.T) / np.maximum(mu, 1e-12), initial=np.inf), n.min()) - 1.0
    weight = 1.0
    Jn = np.column_stack([Q[normal], -np.ones(len(normal))])
    J1 = np.column_stack([Q[0 : 3 * pairs : 3], np.zeros(pairs)])
    J2 = np.column_stack([Q[2 : 3 * pairs : 3], np.zeros(pairs)])
    for _ in range(60):
        _, n, t, c2 = parts(point)
        k = mu**2 * n[:pairs]
        D = k[:, None] * Jn[:pairs] - t[:, :1] * J1 - t[:, 1:] * J2  # half the gradient of each cone's quadratic
        gradient = -2 * (D / c2[:, None]).sum(0) - (Jn[pairs:] / n[pairs:, None]).sum(0)
        gradient[-1] -= weight
        second = (mu**2 / c2)[:, None] * Jn[:pairs]
        H = 4 * (D / c2[:, None]).T @ (D / c2[:, None]) - 2 * (
            Jn[:pairs].T @ second - J1.T @ (J1 / c2[:, None]) - J2.T @ (J2 / c2[:, None])
        )
        H += (Jn[pairs:] / n[pairs:, None]).T @ (Jn[pairs:] / n[pairs:, None])
        step = -np.linalg.lstsq(H, gradient, rcond=1e-14)[0]
        decrement = float(-gradient @ step)
        size = 1.0
        while size > 1e-12:
            trial = parts(point + size * step)
            if (trial[1] > 0).all() and (trial[3] > 0).all():
                break
            size *= 0.5
        point = point + 0.9 * size * step if size < 1 else point + step
        if decrement < 1e-3:
            if point[-1] > 0 or weight > 1e12:
                break
            weight *= 20.0
    return float(point[-1]) * scale, (base + Q @ point[:-1]) * scale


def _least_pressing(x: Array, load: Array, free: Array, rows: Array) -> Array:
    """Return the least that pushes as x does with no pressing row negative: a quadratic program, by its active set."""
    base = load @ (load.T @ x)
    idle = np.diag(free.astype(float)) - load @ load.T  # onto forces that push nothing
    tiny = 1e-12 * np.abs(x).max()
    chosen: list[int] = []
    found = base
    for _ in range(10 * len(rows)):
        lowest = int(rows[np.argmin(found[rows])])
        if found[lowest] >= -tiny or lowest in chosen:
            break
        chosen.append(lowest)
        while True:
            m = np.linalg.lstsq(idle[np.ix_(chosen, chosen)], -base[chosen], rcond=1e-13)[0]
            if (m >= 0).all():
                break
            chosen.pop(int(np.argmin(m)))  # it would rather press
        found = base + idle[:, chosen] @ m
    return found if found[rows].min() >= -1e3 * tiny else x
