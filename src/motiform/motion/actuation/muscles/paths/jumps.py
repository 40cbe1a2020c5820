"""Where the length or the moment arm of a path jumps: it changes sides of a surface, or a point of it comes or goes."""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.motion.actuation.muscles.paths.geometry import path_geometry, path_state
from motiform.motion.actuation.muscles.paths.paths import Paths
from motiform.motion.run import check_number
from motiform.motion.tree import advance
from motiform.motion.tree.model.joint import Array
from motiform.spatial.checks import as_floats

__all__ = ["jumping", "path_jumps"]

_LEAST = 1e-6  # [m] jumps that count, and what lengths may differ from their trapezoidal rule before one is looked for
_LEAST_ARM = 1e-3  # [m] jumps of moment arms that count
_HALVES = 40  # of the way, until nothing but a jump is left of a difference of lengths


def path_jumps(paths: Paths, q: ArrayLike, v: ArrayLike, time: float) -> Array:
    """Return by how much the length of each path jumps [m], (paths,), on the way from −time to time [s] at v; else 0.

    Along a continuous path L(b) − L(a) = −½ (arm(a) + arm(b))·v (b − a) but for what vanishes with (b − a)²: the half
    of the way that differs more is halved until a jump alone is left of it.
    """
    return _jumps(paths, q, v, time)[0]


def jumping(paths: Paths, q: ArrayLike, v: ArrayLike, time: float) -> Any:
    """Return for each path whether its length or its moment arm jumps, (..., paths), on the way from −time to time [s].

    q and v are one state or several, (..., nq) and (..., nv).

    Where a path changes sides of a ball or of a cylinder both ways around it are of the same length: its arm jumps
    alone.
    """
    q, v = np.asarray(q, float), np.asarray(v, float)
    if q.ndim == 1:
        return jumping(paths, q[None], v[None], time)[0]
    found = np.zeros((len(q), len(paths.paths)), bool)
    for k in np.flatnonzero(_suspect(paths, q, v, time)):
        lengths, rates = _jumps(paths, q[k], v[k], time)
        found[k] = (lengths != 0) | (np.abs(rates) > _LEAST_ARM * np.abs(v[k]).max(initial=0.0))
    return found


def _suspect(paths: Paths, q: Array, v: Array, time: float) -> Array:
    """Return at which states any path is not as long as its rates on the way tell, (states,) bool."""
    moves = np.flatnonzero(v.any(axis=1))
    found = np.zeros(len(q), bool)
    if len(moves) and len(paths.paths):
        own, ends = v[moves], []
        for s in (-time, 0.0, time):
            way = path_geometry(paths, advance(paths.figure, q[moves], own, s), own)
            ends.append((s, way.length, np.asarray(way.speed)))
        gaps = [np.abs(_gaps(a, b)) for a, b in pairwise(ends)]
        found[moves] = (np.maximum(*gaps) > 0.5 * _LEAST).any(axis=1)
    return found


def _jumps(paths: Paths, q: ArrayLike, v: ArrayLike, time: float) -> tuple[Array, Array]:
    """Return by how much the length of each path jumps [m], and the rate of its length [m/s], (paths,) each."""
    q, v = as_floats(q, paths.figure.nq, where="q"), as_floats(v, paths.figure.nv, where="v")
    check_number(time, "time", "path_jumps", least=0.0)

    def at(s: float) -> tuple[float, Array, Array]:
        length, arm, _ = path_state(paths, np.ascontiguousarray(advance(paths.figure, q, v, s)))
        return s, length, -(arm @ v)

    ends = (at(-time), at(0.0), at(time))
    found, rates = np.zeros((2, len(paths.paths)))
    for low, high in (ends[:2], ends[1:]):
        for k in np.flatnonzero(np.abs(_gaps(low, high)) > _LEAST):
            a, b = low, high
            for halves in range(_HALVES):
                if halves == _HALVES // 2:  # where both ways are equal to rounding, balls leave open which one it is
                    turn = b[2][k] - a[2][k]
                middle = at(0.5 * (a[0] + b[0]))
                a, b = (a, middle) if _unlike(a, middle)[k] > _unlike(middle, b)[k] else (middle, b)
            jump = b[1][k] - a[1][k]
            found[k] = jump if abs(jump) > max(_LEAST, abs(found[k])) else found[k]
            rates[k] = turn if abs(turn) > abs(rates[k]) else rates[k]
    return found, rates


def _gaps(a: tuple[float, Array, Array], b: tuple[float, Array, Array]) -> Array:
    """Return the difference of lengths less that of the trapezoidal rule, (paths,)."""
    return np.asarray(b[1] - a[1] - 0.5 * (a[2] + b[2]) * (b[0] - a[0]))


def _unlike(a: tuple[float, Array, Array], b: tuple[float, Array, Array]) -> Array:
    """Return how much ends differ, (paths,): also where the rule is right because rates jump in the middle."""
    return np.abs(_gaps(a, b)) + 0.5 * np.abs(b[2] - a[2]) * (b[0] - a[0])
