"""Forces in cones that are nearest to given ones."""

# mypy: disable-error-code="no-untyped-def"

import math

from motiform.base.kernels import compiled

__all__ = ["nearest_in_cones"]


@compiled
def nearest_in_cones(g, mu, pairs, f, D):
    """Write the forces in all cones of friction mu that are nearest to g, and their derivative D, (rows, rows).

    Without friction, or with friction without an end, only the normal force is bounded; limits press.
    """
    D[:] = 0.0
    for k in range(pairs):
        i, m = 3 * k, mu[k]
        p, n, q = g[i], g[i + 1], g[i + 2]
        t = math.sqrt(p * p + q * q)
        f[i], f[i + 1], f[i + 2] = p, n, q
        D[i, i] = D[i + 1, i + 1] = D[i + 2, i + 2] = 1.0
        if m == 0.0 or m == math.inf:
            f[i + 1], D[i + 1, i + 1] = max(n, 0.0), 1.0 if n > 0.0 else 0.0
        elif t > m * n and m * t <= -n:
            for r in range(i, i + 3):
                f[r], D[r, r] = 0.0, 0.0
        elif t > m * n:
            z, part = (n + m * t) / (1.0 + m * m), 1.0 / (1.0 + m * m)
            edge, side = (m * p / t, 1.0, m * q / t), (-q / t, 0.0, p / t)
            for r in range(3):
                f[i + r] = z * edge[r]
                for c in range(3):
                    D[i + r, i + c] = part * edge[r] * edge[c] + m * z / t * side[r] * side[c]
    for i in range(3 * pairs, g.shape[0]):
        f[i], D[i, i] = max(g[i], 0.0), 1.0 if g[i] > 0.0 else 0.0
