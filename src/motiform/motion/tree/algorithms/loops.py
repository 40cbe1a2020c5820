"""Configurations and velocities that satisfy the closures."""

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import RunError
from motiform.motion.tree.algorithms.batch import as_states
from motiform.motion.tree.algorithms.closures import all_rows, pseudo_inverse, solve_inertia
from motiform.motion.tree.algorithms.configuration import advance
from motiform.motion.tree.algorithms.dynamics import inertia_matrix
from motiform.motion.tree.algorithms.single import entries
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array

__all__ = ["close_loops"]

_SMALL = 1e-3  # [rad or m] a change whose square, times curvatures, the next round of close_loops puts right


def close_loops(
    figure: Figure, q: ArrayLike, v: ArrayLike | None = None, *, tolerance: float = 1e-12, most: int = 50
) -> tuple[Array, Array]:
    """Return the nearest configuration and velocities that keep the closures.

    Distances are measured by the inertia matrix, so that light parts move first; coordinates that no closure holds
    stay. It fails where the loops cannot be closed. Rows of contacts that hold velocities alone (no slip, no spin) say
    nothing of the configuration.
    """
    batch, (q, *_) = as_states(figure, [("q", q, figure.nq)] + ([] if v is None else [("v", v, figure.nv)]))
    q = q.copy()
    places = np.flatnonzero([held for closure in figure.closures for held in closure.holonomic])
    for _ in range(most):
        value, J, _ = all_rows(figure, q, None)
        far = np.abs(value).max(-1, keepdims=True, initial=0.0)
        if far.max(initial=0.0) <= tolerance:
            break
        change = -_correction(figure, q, J[..., places, :], value[..., places])
        moved = np.abs(change).max(-1, keepdims=True, initial=0.0)
        q = _moved(figure, q, change * np.minimum(1.0, np.maximum(1.0, far) / np.maximum(moved, 1e-300)))
    else:
        raise RunError(
            "the loops cannot be closed from here",
            where=f"figure {figure.name!r}",
            got=f"{float(far.max()):.3g} m or rad apart after {most} steps",
            remedy="Start nearer to a closed configuration, or check the lengths.",
        )
    if v is None:
        return q.reshape(*batch, figure.nq), np.zeros((*batch, figure.nv))
    speeds = np.broadcast_to(np.asarray(v, float), (*batch, figure.nv)).reshape(len(q), figure.nv)
    kept = speeds - _correction(figure, q, J, (J @ speeds[..., None])[..., 0])
    return q.reshape(*batch, figure.nq), kept.reshape(*batch, figure.nv)


def _moved(figure: Figure, q: Array, change: Array) -> Array:
    """Return a configuration moved by a change of its velocities' kind; small ones need no exact path."""
    single = figure.opened.single
    if single is None or len(q) > 1 or np.abs(change).max(initial=0.0) > _SMALL:
        return advance(figure, q, change)
    rate = np.empty(figure.nq)
    entries.configuration_rate(single.ints, single.floats, q[0], np.ascontiguousarray(change[0]), rate)
    rate += q[0]
    entries.repair(single.ints, single.floats, rate)
    return rate[None]


def _correction(figure: Figure, q: Array, J: Array, value: Array) -> Array:
    """Return the smallest change of velocity, by the inertia matrix, that makes J v equal to the value."""
    M = inertia_matrix(figure.opened, q[0])[None] if len(q) == 1 else inertia_matrix(figure.opened, q)
    Y = solve_inertia(figure, M, np.swapaxes(J, -1, -2))
    return (Y @ (pseudo_inverse(J @ Y) @ value[..., None]))[..., 0]
