"""Contact problems by ProxQP."""

from collections.abc import Callable

import numpy as np

from bench.hybrid.problems import Laid

__all__ = ["solver"]

Array = np.ndarray
_TOLERANCE = 1e-6  # the loosest power of ten with which both sizes are accurate enough


def solver(first: Laid) -> Callable[[Laid], Array]:
    """Return ProxQP; its scaling of the problem off, which is faster and as accurate here."""
    import proxsuite

    solver = proxsuite.proxqp.dense.QP(len(first.g), len(first.b), len(first.h))
    solver.settings.eps_abs, solver.settings.eps_rel = _TOLERANCE, 0.0
    solver.settings.initial_guess = proxsuite.proxqp.InitialGuess.NO_INITIAL_GUESS
    most = np.full(len(first.h), 1e20)
    solver.init(*first, most, False)

    def solve(problem: Laid) -> Array:
        solver.update(*problem, most, False)
        solver.solve()
        return np.array(solver.results.x)

    return solve
