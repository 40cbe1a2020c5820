"""Contact problems by quadprog."""

from collections.abc import Callable

import numpy as np

from bench.hybrid.problems import Laid

__all__ = ["solver"]

Array = np.ndarray


def solver(first: Laid) -> Callable[[Laid], Array]:
    """Return quadprog on rows without the redundant equalities, which it refuses: what pivoted QR keeps of them."""
    import quadprog
    from scipy.linalg import qr

    def solve(problem: Laid) -> Array:
        M, g, A, b, G, h = problem
        R, order = qr(A.T, mode="r", pivoting=True, check_finite=False)
        sizes = np.abs(np.diag(R))
        kept = order[: int((sizes > 1e-9 * sizes[0]).sum())]
        rows, least = np.vstack([A[kept], G]), np.concatenate([b[kept], h])
        found: Array = quadprog.solve_qp(M, -g, rows.T, least, len(kept))[0]
        return found

    return solve
