"""Closures on the way through singular positions, where branches of the motion meet and some rows say nothing.

A linkage that is flat may go on in several ways. Its motion goes on along the branch that it is on: near such a
position rows that have become weak are left alone, and the acceleration across them is interpolated between those a
little before and after on the branch. Around it rows magnify what inner stages of a step are off the closures by, so
that accelerations there are those of the nearest state that keeps them.
"""

from collections.abc import Callable

import numpy as np

from motiform.base.errors import RunError
from motiform.motion.tree.algorithms.closures import Weighed, all_rows, constrain_closures, weigh
from motiform.motion.tree.algorithms.configuration import advance
from motiform.motion.tree.algorithms.dynamics import inertia_matrix
from motiform.motion.tree.algorithms.loops import Usual, close_loops
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array

__all__ = ["constrain_on_branch", "usual_rows"]

_WAY = 2e-3  # [rad or m] before and after a singular position; interpolation is right to its fourth power
_NEAR = 0.03  # of what it usually is: a smallest singular value below it magnifies what is off
_ASIDE = 1e-2  # by which coordinates are moved to see what rows usually say
_LOOKS = 3


def usual_rows(figure: Figure, q: Array) -> Usual:
    """Return what the rows of the closures say near q."""
    rng, most = np.random.default_rng(0), Usual(0, 0, 0.0)
    places = np.array([held for closure in figure.closures for held in closure.holonomic])
    for n in range(_LOOKS + 1):
        try:
            near = q if n == 0 else close_loops(figure, advance(figure, q, rng.normal(0, _ASIDE, figure.nv)))[0]
        except RunError:
            continue
        J, M = all_rows(figure, near[None], None).jacobian, inertia_matrix(figure.opened, near)[None]
        weighed = weigh(figure, M, J)
        count = int(weighed.strong.sum())
        held = int(weigh(figure, M, np.where(places[:, None], J, 0.0)).strong.sum())
        least = float(weighed.s[0, count - 1] / weighed.s[0, 0]) if count else 1.0
        most = Usual(max(most.rows, count), max(most.places, held), least if count > most.rows else most.least)
    return most


def constrain_on_branch(
    figure: Figure, q: Array, v: Array, free: Array, free_at: Callable[[Array, Array], Array], usual: Usual
) -> Array:
    """Return the accelerations nearest to `free` that keep the closures, (nv,); `free_at(q, v)` are those elsewhere."""
    weighed, parts = _posed(figure, q, v, free)
    if not usual.rows or weighed.s[0, usual.rows - 1] > _NEAR * usual.least * weighed.s[0, 0]:
        return free + weighed.motion(parts)[0]
    try:
        q, v = close_loops(figure, q, v, usual=usual)
    except RunError:
        return free + weighed.motion(parts)[0]
    free = free_at(q, v)
    weighed, parts = _posed(figure, q, v, free)
    if int(weighed.strong.sum()) >= usual.rows:
        return free + weighed.motion(parts)[0]
    a = free + weighed.motion(np.where(weighed.strong, parts, 0.0))[0]
    near, far = (_around(figure, q, v, way, free_at, usual) for way in (_WAY, 2 * _WAY))
    if near is None or far is None:
        return a
    L, across = weighed.L[0], weighed.U[0][:, ~weighed.strong[0]]
    lacking = across @ (across.T @ (L.T @ ((4 * near - far) / 3 - a)))
    return a + np.linalg.solve(L.T, lacking)


def _posed(figure: Figure, q: Array, v: Array, free: Array) -> tuple[Weighed, Array]:
    """Return the rows of a state, and the parts that accelerations `free` lack."""
    _, J, bias = all_rows(figure, q[None], v[None])
    weighed = weigh(figure, inertia_matrix(figure.opened, q)[None], J)
    return weighed, -weighed.parts(J @ free + bias)


def _around(
    figure: Figure, q: Array, v: Array, way: float, free_at: Callable[[Array, Array], Array], usual: Usual
) -> Array | None:
    """Return the mean of the accelerations before and after on the branch, None where there is none."""
    fastest = float(np.abs(v).max(initial=0.0))
    sides = [_beside(figure, q, v, side * way / max(fastest, 1e-300), free_at, usual) for side in (-1.0, 1.0)]
    return None if sides[0] is None or sides[1] is None else 0.5 * (sides[0] + sides[1])


def _beside(
    figure: Figure, q: Array, v: Array, time: float, free_at: Callable[[Array, Array], Array], usual: Usual
) -> Array | None:
    """Return the accelerations a little before or after on the branch, None where there is no such place."""
    try:
        there, speeds = close_loops(figure, advance(figure, q, v, time), v)
    except RunError:
        return None
    J = all_rows(figure, there[None], None).jacobian
    if int(weigh(figure, inertia_matrix(figure.opened, there)[None], J).strong.sum()) < usual.rows:
        return None
    return constrain_closures(figure, there, speeds, free_at(there, speeds)).acceleration
