"""How moment arms change with the posture."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.motion.actuation.muscles.paths.geometry import path_geometry
from motiform.motion.actuation.muscles.paths.paths import Paths
from motiform.motion.tree import advance
from motiform.motion.tree.algorithms.batch import as_states
from motiform.spatial.checks import Array

__all__ = ["ArmSlopes", "arm_slopes"]

_STEP = 2e-3  # [rad or m]: h⁶/140 of the seventh derivative and 1e-13 m of a settled wrap over h are both below 1e-10 m
_WEIGHTS = np.array([[0, 1 / 12, -2 / 3, 2 / 3, -1 / 12, 0], [-1 / 60, 3 / 20, -3 / 4, 3 / 4, -3 / 20, 1 / 60]])
_OFFSETS = np.array([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0])
_NUMBERS = 1 << 24  # moment arms at a time


class ArmSlopes(NamedTuple):
    """Derivatives of moment arms in some postures."""

    slope: Array
    """∂r_k/∂q_j = −∂²L/∂q_k∂q_j [m per rad² …], (..., paths, nv, nv), by moment arm k, then coordinate j."""
    error: Array
    """By how much formulas of order 4 and 6 differ: large where a surface is met or left within 0.006 rad."""


def arm_slopes(paths: Paths, q: ArrayLike, *, device: str = "cpu") -> ArmSlopes:
    """Return the derivatives of moment arms in postures q (..., nq).

    They are differences of order 6 of the arms, which are exact, along each velocity. A tension F adds the stiffness
    −F ∂r/∂q to the coordinates.
    """
    figure = paths.figure
    batch, (qs,) = as_states(figure, [("q", q, figure.nq)])
    m, nv = len(paths.paths), figure.nv
    out = np.zeros((2, len(qs), m, nv, nv))
    at_once = max(1, _NUMBERS // max(1, 6 * nv * m * nv))
    along = np.eye(nv)[:, None] * _OFFSETS[:, None]  # (nv, 6, nv)
    for start in range(0, len(qs), at_once):
        part = qs[start : start + at_once, None, None]
        near = advance(figure, np.broadcast_to(part, (len(part), nv, 6, figure.nq)), along[None], _STEP)
        arms = path_geometry(paths, near, device=device).arm
        out[:, start : start + at_once] = np.einsum("wo,sjomk->wsmkj", _WEIGHTS, arms) / _STEP
    slope = out[1].reshape(*batch, m, nv, nv)
    return ArmSlopes(slope, np.abs(out[1] - out[0]).reshape(*batch, m, nv, nv))
