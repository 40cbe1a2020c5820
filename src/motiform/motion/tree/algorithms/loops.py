"""Configurations and velocities that satisfy the closures."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import RunError
from motiform.motion.tree.algorithms.batch import as_states
from motiform.motion.tree.algorithms.closures import assembled, moving_rows, weigh
from motiform.motion.tree.algorithms.configuration import advance
from motiform.motion.tree.algorithms.dynamics import inertia_matrix
from motiform.motion.tree.algorithms.single import entries
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array

__all__ = ["Usual", "close_loops"]

_ROUNDING = 8 * np.finfo(float).eps  # of places, over the size of the linkage
_ENOUGH = 1e4  # times the tolerance that is accepted where loops come no nearer
_SMALL = 1e-3  # [rad or m] a change whose square, times curvatures, the next round of close_loops puts right


class Usual(NamedTuple):
    """What rows of closures usually say."""

    rows: int
    """How many say something of their own."""
    places: int
    """How many of those that hold places do."""
    least: float
    """Smallest singular value that counts, over the largest."""


def close_loops(
    figure: Figure,
    q: ArrayLike,
    v: ArrayLike | None = None,
    *,
    tolerance: float = 1e-12,
    most: int = 50,
    usual: Usual | None = None,
) -> tuple[Array, Array]:
    """Return the nearest configuration and velocities that keep the closures.

    Distances are measured by the inertia matrix, so that light parts move first; coordinates that no closure holds
    stay. It fails where the loops cannot be closed. Rows of contacts that hold velocities alone (no slip, no spin) say
    nothing of the configuration. The tolerance is over the size of the linkage (`Figure.closure_sizes`), or in radians;
    rounding of places far from the origin is allowed besides. With `usual` the state is one of a run: where fewer rows
    say something it is near a singular position, and what the others would correct is left.
    """
    batch, (q, *_) = as_states(figure, [("q", q, figure.nq)] + ([] if v is None else [("v", v, figure.nv)]))
    q, sizes = q.copy(), figure.closure_sizes
    places = np.array([held for closure in figure.closures for held in closure.holonomic])
    best, turn = np.inf, 0
    while True:
        moving, rows = moving_rows(figure, q, None)
        value, J, _ = assembled(figure, q, rows)
        far = np.where(places, np.abs(value), 0.0).max(-1, keepdims=True, initial=0.0)
        off = np.where(places, np.abs(value) / sizes, 0.0).max(-1, initial=0.0)
        away = np.abs(moving.poses.position).max(axis=(-2, -1), initial=0.0)
        off = off / (tolerance + _ROUNDING * (1.0 + away / sizes.max(initial=1.0)))
        if off.max(initial=0.0) <= 1 or (turn > 8 and 0.5 * best <= off.max() <= _ENOUGH):
            break  # near a singular position rounding does not let it come nearer
        if turn == most:
            raise RunError(
                "the loops cannot be closed from here",
                where=f"figure {figure.name!r}",
                got=f"{float(far.max()):.3g} m or rad apart after {most} steps",
                remedy="Start nearer to a closed configuration, or check the lengths.",
            )
        best, turn = min(best, float(off.max())), turn + 1
        weighed = weigh(figure, _inertia(figure, q), np.where(places[:, None], J, 0.0))
        parts = weighed.parts(np.where(places, -value, 0.0))
        if usual is not None and int(weighed.strong.sum()) < usual.places:
            parts = np.where(weighed.strong, parts, 0.0)
            if np.abs(parts).max(initial=0.0) <= tolerance:
                break
        change = weighed.motion(np.where(np.abs(parts) > 0.1 * tolerance, parts, 0.0))
        moved = np.abs(change).max(-1, keepdims=True, initial=0.0)
        q = _moved(figure, q, change * np.minimum(1.0, np.maximum(1.0, far) / np.maximum(moved, 1e-300)))
    if v is None:
        return q.reshape(*batch, figure.nq), np.zeros((*batch, figure.nv))
    speeds = np.broadcast_to(np.asarray(v, float), (*batch, figure.nv)).reshape(len(q), figure.nv)
    kept = speeds + _fitted(figure, q, J, speeds, usual)
    return q.reshape(*batch, figure.nq), kept.reshape(*batch, figure.nv)


def _fitted(figure: Figure, q: Array, J: Array, v: Array, usual: Usual | None) -> Array:
    """Return the least change of velocities v that keeps the rows; what is rounding is left: weak rows magnify it."""
    weighed = weigh(figure, _inertia(figure, q), J)
    parts = weighed.parts(-(J @ v[..., None])[..., 0])
    if usual is not None and int(weighed.strong.sum()) < usual.rows:
        parts = np.where(weighed.strong, parts, 0.0)
    terms = (np.abs(J) @ np.abs(v)[..., None])[..., 0] * weighed.D
    noise = 8 * np.finfo(float).eps * terms.max(-1, keepdims=True, initial=0.0)
    return weighed.motion(np.where(np.abs(parts) > noise, parts, 0.0))


def _inertia(figure: Figure, q: Array) -> Array:
    return inertia_matrix(figure.opened, q[0])[None] if len(q) == 1 else inertia_matrix(figure.opened, q)


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
