"""Contact problems by PIQP."""

from collections.abc import Callable

import numpy as np

from bench.hybrid.problems import Laid

__all__ = ["solver"]

Array = np.ndarray
_TOLERANCE = 1e-4  # the loosest power of ten with which both sizes are accurate enough


def solver(first: Laid) -> Callable[[Laid], Array]:
    """Return PIQP; its scaling of the problem off, which is faster and as accurate here."""
    import piqp

    solver = piqp.DenseSolver()
    solver.settings.eps_abs = solver.settings.eps_duality_gap_abs = _TOLERANCE
    solver.settings.eps_rel = solver.settings.eps_duality_gap_rel = 0.0
    solver.settings.preconditioner_iter = 0
    solver.setup(*first)

    def solve(problem: Laid) -> Array:
        solver.update(*problem)
        solver.solve()
        return np.array(solver.result.x)

    return solve
