"""The longest step at which a fixed-step method follows the modes of a figure at the start of a run."""

import warnings
from typing import NamedTuple

import numpy as np

from motiform.base.errors import MotiformError, MotiformWarning
from motiform.motion.run import RunOptions
from motiform.motion.run.integrators import Tableau, get_method
from motiform.motion.tree.equations import FigureEquations
from motiform.motion.tree.model.joint import Array

__all__ = ["StepLimitWarning", "step_limit", "warn_of_long_steps"]

_NUDGE = 1e-6  # [rad, m, rad/s, …] of central differences: errors of 1e-12 of truncation, 1e-10 of rounding
_SAME = 0.01  # part by which rates found with two nudges may differ: more at friction, stops and other kinks
_GROWS = 1e-3  # part by which a mode may grow in a step
_UNRESOLVED = 1.0  # step times rate of a mode, from which it is not followed


class StepLimitWarning(MotiformWarning):
    """Fixed steps are beyond the stability limit of a mode at the start."""


class StepLimit(NamedTuple):
    """The mode that limits a step."""

    rate: float
    """|λ| of the mode [1/s]."""
    growth: float
    """Factor by which it grows in a step, though it does not grow in the motion."""
    longest: float
    """Step at which it grows by less than a thousandth [s]."""


def warn_of_long_steps(equations: FigureEquations, options: RunOptions) -> None:
    """Warn where the fixed steps of a run are beyond the stability limit at its start."""
    method = get_method(options.integrator)
    if method.adaptive or method.tableau is None:
        return
    h = 1 / (options.rate * options.steps)
    found = step_limit(equations, method.tableau, h)
    if found is not None:
        text = (
            f"steps of {h:g} s with {options.integrator} are beyond the stability limit: a mode of {found.rate:.3g} "
            f"rad/s at the start grows {found.growth:.3g}-fold in a step. Take steps up to {found.longest:.3g} s, or "
            "integrator='dormand-prince'."
        )
        warnings.warn(text, StepLimitWarning, stacklevel=5)


def step_limit(equations: FigureEquations, tableau: Tableau, h: float) -> StepLimit | None:
    """Return what limits steps of h [s], or None where nothing does, or where it cannot be told.

    Modes are the eigenvalues λ of the rate's derivative at the start. Those that do not grow in the motion must not
    grow in a step, which multiplies them by R(hλ). Told are figures without quaternions, contact joints
    and closures, whose numbers are all free, and rates that have a derivative.
    """
    figure = equations.figure
    if figure.nq != figure.nv or figure.closures or not all(s.joint.plain for s in figure.segments if s.joint.nv):
        return None
    try:
        modes, again = (np.linalg.eigvals(_derivative(equations, e)) for e in (_NUDGE, 10 * _NUDGE))
    except (MotiformError, np.linalg.LinAlgError):
        return None
    if abs(np.abs(modes).max() - np.abs(again).max()) > _SAME * np.abs(modes).max():
        return None
    growth = np.abs(_factor(tableau, h * modes))
    bad = (np.abs(h * modes) > _UNRESOLVED) & (modes.real <= _SAME * np.abs(modes)) & (growth > 1 + _GROWS)
    if not bad.any():
        return None
    worst = int(np.argmax(np.where(bad, growth, 0.0)))
    longest = min(_longest(tableau, mode, h) for mode in modes[bad])
    return StepLimit(float(np.abs(modes[worst])), float(growth[worst]), longest)


def _derivative(equations: FigureEquations, nudge: float) -> Array:
    """Return the derivative of the rate of what is integrated, by central differences."""
    y, n = equations.initial(), equations.counted
    found, ends = np.empty((n, n)), np.empty((2, len(y)))
    for k in range(n):
        for end, sign in zip(ends, (1.0, -1.0), strict=True):
            x = y.copy()
            x[k] += sign * nudge
            equations.rate(0.0, x, end)
        found[:, k] = (ends[0] - ends[1])[:n] / (2 * nudge)
    return found


def _factor(tableau: Tableau, z: Array) -> Array:
    """Return R(z) = 1 + z bᵀ (1 − z A)⁻¹ 1, a polynomial of explicit methods."""
    out, power, stage = np.ones_like(z), z.copy(), np.ones(tableau.stages)
    for _ in range(tableau.stages):
        out = out + power * float(tableau.b @ stage)
        power, stage = power * z, tableau.a @ stage
    return out


def _longest(tableau: Tableau, mode: complex, h: float) -> float:
    """Return the step at which a mode begins to grow, below one at which it does [s]."""
    steps = h * 2.0 ** -np.arange(60)
    first = next((k for k, s in enumerate(steps) if abs(_factor(tableau, np.array([s * mode]))[0]) <= 1 + _GROWS), 59)
    low, high = float(steps[first]), float(steps[max(first - 1, 0)])
    for _ in range(40):
        middle = 0.5 * (low + high)
        grows = abs(_factor(tableau, np.array([middle * mode]))[0]) > 1 + _GROWS
        low, high = (low, middle) if grows else (middle, high)
    return low
