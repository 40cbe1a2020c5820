"""Ways to share a load among redundant contacts: the least forces, and those that are farthest inside their cones."""

from typing import TYPE_CHECKING

import numpy as np

from motiform.motion.tree.model.joint import Array

if TYPE_CHECKING:
    from motiform.motion.contact.share_kernels import ShareWorkspace

__all__ = ["cone_margin", "least_forces", "load_forces", "null_forces", "press_least", "widest"]


def load_forces(A: Array) -> Array:
    """Return an orthonormal basis of the least forces that push, as columns, (rows, rank); none along idle rows."""
    from motiform.motion.contact.share_kernels import least_in_cones, share_workspace

    room = share_workspace(len(A))
    room.A[: len(A), : len(A)] = A
    least_in_cones.function(room, 0, len(A))
    return np.ascontiguousarray(room.B[: int(room.counts[0]), : len(A)].T)


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
    from motiform.motion.contact.share_kernels import FOUND, least_in_cones, share_workspace

    rows, room = len(x), share_workspace(len(x))
    if not rows:
        return x
    room.A[:rows, :rows], room.x[:rows] = A, x
    room.mu[:pairs] = np.inf if mu is None else mu
    room.fixed[:pairs] = 0 if fixed is None else fixed
    if least_in_cones.function(room, pairs, rows) != FOUND:
        press_least(room, pairs, rows)
    return room.f[:rows].copy()


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


def press_least(room: "ShareWorkspace", pairs: int, rows: int) -> None:
    """Write the least that pushes as x does with no pressing row negative: a quadratic program, by its active set."""
    rank, free = room.counts.tolist()
    load, x, moves = room.B[:rank, :rows].T, room.given[:rows].copy(), np.zeros(rows)
    moves[room.free[:free]] = 1.0
    fixed = room.fixed[:pairs] != 0
    normal = np.concatenate([3 * np.flatnonzero(~fixed) + 1, np.arange(3 * pairs, rows)])
    base = load @ (load.T @ x)
    idle = np.diag(moves) - load @ load.T  # onto forces that push nothing
    tiny = 1e-12 * np.abs(x).max()
    chosen: list[int] = []
    found = base
    for _ in range(10 * len(normal)):
        lowest = int(normal[np.argmin(found[normal])])
        if found[lowest] >= -tiny or lowest in chosen:
            break
        chosen.append(lowest)
        while True:
            m = np.linalg.lstsq(idle[np.ix_(chosen, chosen)], -base[chosen], rcond=1e-13)[0]
            if (m >= 0).all():
                break
            chosen.pop(int(np.argmin(m)))  # it would rather press
        found = base + idle[:, chosen] @ m
    free_rows = np.concatenate([np.repeat(~fixed, 3), np.ones(rows - 3 * pairs, bool)])
    if found[normal].min() >= -1e3 * tiny:
        room.f[:rows][free_rows] = found[free_rows]
