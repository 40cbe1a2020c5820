"""Ways to share a load among redundant contacts: the least forces, and those that are farthest inside their cones."""

import numpy as np

from motiform.motion.tree.model.joint import Array

__all__ = ["least_forces", "null_forces", "widest"]

_STEEP = 1e6  # friction that is not told from infinite friction here
_SHARP = 1e13  # weight of what is minimised at which barriers end: forces are right to its inverse


def null_forces(A: Array) -> Array:
    """Return forces that together push nothing, as columns, (rows, n); none along rows that nothing moves."""
    moves = np.diag(A) > 0
    size = np.sqrt(np.diag(A)[moves])
    if not len(size):
        return np.zeros((len(A), 0))
    values, vectors = np.linalg.eigh(A[np.ix_(moves, moves)] / np.outer(size, size))
    own = vectors[:, values < 1e-11 * values[-1]] / size[:, None]
    found = np.zeros((len(A), own.shape[1]))
    found[moves] = own
    return found


def least_forces(A: Array, x: Array, pairs: int, mu: Array | None = None, fixed: Array | None = None) -> Array:
    """Return the forces of least norm that push as x does, press, and are in their cones of friction mu.

    Without mu nothing slides. Pairs that are `fixed` (those that slide) keep their force. Where no way to share the
    load is in all cones, rows that press do not become negative by it.
    """
    if not len(x):
        return x
    mu = np.full(pairs, np.inf) if mu is None else mu
    kept = np.zeros(len(x), bool) if fixed is None else np.concatenate([np.repeat(fixed, 3), np.zeros(len(x), bool)])
    free = ~kept[: len(x)] & (np.diag(A) > 0)
    for side in (0, 2):
        free[side : 3 * pairs : 3] &= mu > 0
    found = np.where(free | kept[: len(x)], x, 0.0)  # what moves nothing is not needed
    null = np.zeros((len(x), 0))
    if free.any():
        own = null_forces(A[np.ix_(free, free)])
        null = np.zeros((len(x), own.shape[1]))
        null[free] = own
    if not null.size:
        return found
    Q, _ = np.linalg.qr(null)
    least = found - Q @ (Q.T @ found)
    cones = _Cones(found, Q, mu, pairs, np.zeros(pairs, bool) if fixed is None else fixed)
    if cones.margin(least) >= 0:
        return least
    if np.isinf(mu[cones.own]).all():
        return _least_pressing(found, Q, cones.normal)
    margin, start = cones.widest(found)
    if margin > 0:
        return cones.least(start)
    return found if cones.margin(found) >= 0 else _least_pressing(found, Q, cones.normal)


def widest(A: Array, x: Array, pairs: int, mu: Array) -> tuple[float, Array]:
    """Return the largest margin [N] that forces sharing the load as x does can have in all cones, and those forces.

    max s subject to x + N z − s e_n in every cone, N the forces that push nothing: a second-order cone program.
    """
    null = null_forces(A)
    Q = np.linalg.qr(null)[0] if null.size else null
    cones = _Cones(x, Q, mu, pairs, np.zeros(pairs, bool))
    return cones.widest(x)


class _Cones:
    """Forces x + Q z with the barrier −Σ log(μ² n² − t²) of cones and −Σ log n of limits [Boyd04 11]."""

    def __init__(self, x: Array, Q: Array, mu: Array, pairs: int, fixed: Array) -> None:
        self.Q, self.scale = Q, float(np.abs(x).max(initial=0.0))
        self.own = np.flatnonzero(~fixed)
        self.mu = np.minimum(np.where(mu > 0, mu, 1.0), _STEEP)[self.own]  # without friction tangents are zero anyway
        self.true = mu[self.own]
        self.normal = np.concatenate([3 * self.own + 1, np.arange(3 * pairs, len(x))])

    def margin(self, f: Array) -> float:
        """Return how far forces are inside all cones [N], those on an edge but for rounding at zero."""
        n, t = f[self.normal], np.hypot(f[3 * self.own], f[3 * self.own + 2])
        inside = np.where(np.isinf(self.true), np.inf, np.where(self.true > 0, self.mu, np.inf) * n[: len(t)] - t)
        least = min(float(n.min(initial=np.inf)), float(inside.min(initial=np.inf)))
        return 0.0 if abs(least) <= 1e-12 * np.abs(f).max(initial=0.0) else least

    def _parts(self, base: Array, point: Array) -> tuple[Array, Array, Array]:
        """Return normal forces less s, tangential forces, and the quadratic of each cone at (z, s)."""
        f = base + self.Q @ point[:-1]
        n, t = f[self.normal] - point[-1], np.stack([f[3 * self.own], f[3 * self.own + 2]], -1)
        return n, t, (self.mu * n[: len(t)]) ** 2 - (t**2).sum(1)

    def _newton(self, base: Array, point: Array, gradient: Array, hessian: Array, free: slice) -> tuple[Array, float]:
        """Return the point after a step toward the least of gradient, hessian and barrier, and the decrement."""
        n, t, c2 = self._parts(base, point)
        count, Q = len(t), self.Q
        Jn = np.column_stack([Q[self.normal], -np.ones(len(self.normal))])[:, free]
        J1, J2 = (np.column_stack([Q[3 * self.own + k], np.zeros(count)])[:, free] for k in (0, 2))
        D = ((self.mu**2 * n[:count])[:, None] * Jn[:count] - t[:, :1] * J1 - t[:, 1:] * J2) / c2[:, None]
        slope = gradient[free] - 2 * D.sum(0) - (Jn[count:] / n[count:, None]).sum(0)
        second = Jn[:count].T @ ((self.mu**2 / c2)[:, None] * Jn[:count])
        second -= J1.T @ (J1 / c2[:, None]) + J2.T @ (J2 / c2[:, None])
        edges = Jn[count:] / n[count:, None]
        H = hessian[free, free] + 4 * D.T @ D - 2 * second + edges.T @ edges
        step = np.zeros_like(point)
        step[free] = -np.linalg.lstsq(H, slope, rcond=1e-14)[0]
        size = 1.0
        while size > 1e-12:
            trial = self._parts(base, point + size * step)
            if (trial[0] > 0).all() and (trial[2] > 0).all():
                break
            size *= 0.5
        return point + (step if size == 1 else 0.9 * size * step), float(-slope @ step[free])

    def widest(self, x: Array) -> tuple[float, Array]:
        """Return the largest margin, or one above zero, and forces that have it."""
        if not self.scale or not self.Q.size:
            return min(self.margin(x), 0.0), x
        base, point = x / self.scale, np.zeros(self.Q.shape[1] + 1)
        n, t, _ = self._parts(base, point)
        point[-1] = min((n[: len(t)] - np.hypot(*t.T) / self.mu).min(initial=np.inf), n.min()) - 1.0
        weight, pull, none = 1.0, np.zeros(len(point)), np.zeros((len(point), len(point)))
        for _ in range(60):
            pull[-1] = -weight
            point, decrement = self._newton(base, point, pull, none, slice(None))
            if decrement < 1e-3:
                if point[-1] > 0 or weight > 1e12:
                    break
                weight *= 20.0
        return float(point[-1]) * self.scale, (base + self.Q @ point[:-1]) * self.scale

    def least(self, start: Array) -> Array:
        """Return the forces of least norm in all cones, from some that are inside them."""
        base, point = start / self.scale, np.zeros(self.Q.shape[1] + 1)
        weight, free = 1.0, slice(0, len(point) - 1)
        for _ in range(200):
            pull = weight * np.append(self.Q.T @ (base + self.Q @ point[:-1]), 0.0)
            point, decrement = self._newton(base, point, pull, weight * np.eye(len(point)), free)
            if decrement < 1e-3:
                if weight > _SHARP:
                    break
                weight *= 20.0
        return (base + self.Q @ point[:-1]) * self.scale


def _least_pressing(x: Array, Q: Array, rows: Array) -> Array:
    """Return the least of x + Q z whose pressing rows are not negative: a quadratic program, by its active set."""
    base = x - Q @ (Q.T @ x)
    tiny = 1e-12 * np.abs(x).max()
    chosen: list[int] = []
    found = base
    for _ in range(10 * len(rows)):
        lowest = int(rows[np.argmin(found[rows])])
        if found[lowest] >= -tiny or lowest in chosen:
            break
        chosen.append(lowest)
        while True:
            G = Q[chosen]
            m = np.linalg.lstsq(G @ G.T, -base[chosen], rcond=1e-13)[0]
            if (m >= 0).all():
                break
            chosen.pop(int(np.argmin(m)))  # it would rather press
        found = base + Q @ (G.T @ m)
    return found if found[rows].min() >= -1e3 * tiny else x
