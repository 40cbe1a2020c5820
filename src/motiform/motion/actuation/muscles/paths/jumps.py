"""Where the length of a path jumps: it changes sides of a surface, or a point of it comes or goes."""

import numpy as np
from numpy.typing import ArrayLike

from motiform.motion.actuation.muscles.paths.geometry import path_state
from motiform.motion.actuation.muscles.paths.paths import Paths
from motiform.motion.run import check_number
from motiform.motion.tree import advance
from motiform.motion.tree.model.joint import Array
from motiform.spatial.checks import as_floats

__all__ = ["path_jumps"]

_LEAST = 1e-6  # [m] jumps that count, and what lengths may differ from their trapezoidal rule before one is looked for
_HALVES = 40  # of the way, until nothing but a jump is left of a difference of lengths


def path_jumps(paths: Paths, q: ArrayLike, v: ArrayLike, time: float) -> Array:
    """Return by how much the length of each path jumps [m], (paths,), on the way from −time to time [s] at v; else 0.

    Along a continuous path L(b) − L(a) = −½ (arm(a) + arm(b))·v (b − a) but for what vanishes with (b − a)²: the half
    of the way that differs more is halved until a jump alone is left of it.
    """
    q, v = as_floats(q, paths.figure.nq, where="q"), as_floats(v, paths.figure.nv, where="v")
    check_number(time, "time", "path_jumps", least=0.0)

    def at(s: float) -> tuple[float, Array, Array]:
        length, arm, _ = path_state(paths, np.ascontiguousarray(advance(paths.figure, q, v, s)))
        return s, length, -(arm @ v)

    ends, found = (at(-time), at(0.0), at(time)), np.zeros(len(paths.paths))
    for low, high in (ends[:2], ends[1:]):
        for k in np.flatnonzero(np.abs(_gaps(low, high)) > _LEAST):
            a, b = low, high
            for _ in range(_HALVES):
                middle = at(0.5 * (a[0] + b[0]))
                first = abs(_gaps(a, middle)[k]) > abs(_gaps(middle, b)[k])
                a, b = (a, middle) if first else (middle, b)
            jump = b[1][k] - a[1][k]
            found[k] = jump if abs(jump) > max(_LEAST, abs(found[k])) else found[k]
    return found


def _gaps(a: tuple[float, Array, Array], b: tuple[float, Array, Array]) -> Array:
    """Return the difference of lengths less that of the trapezoidal rule, (paths,)."""
    return np.asarray(b[1] - a[1] - 0.5 * (a[2] + b[2]) * (b[0] - a[0]))
