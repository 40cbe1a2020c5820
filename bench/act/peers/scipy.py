"""Shares of moments by SciPy: a bounded least-squares problem for each sample."""

from collections.abc import Callable

import numpy as np

from bench.act.cases import Shared

__all__ = ["bounded"]


def bounded(shared: Shared) -> Callable[[int], np.ndarray]:
    """Return a run of `lsq_linear`: the same problem, as the squares of the reserves and of the activations."""
    from scipy.optimize import lsq_linear

    n = shared.gain.shape[1]

    def run(count: int) -> np.ndarray:
        found = []
        for gain, moment in zip(shared.gain[:count], shared.moment[:count], strict=True):
            A, b = np.vstack([gain.T, np.eye(n)]), np.concatenate([moment, np.zeros(n)])
            found.append(lsq_linear(A, b, (0.01, 1.0), method="bvls", tol=1e-10).x)
        return np.array(found)

    return run
