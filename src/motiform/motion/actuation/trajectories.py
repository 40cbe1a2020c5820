"""Postures and efforts over time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.base.splines import cubic_spline
from motiform.motion.run.functions import call, check_numbers
from motiform.motion.tree import Figure, FigureState
from motiform.motion.tree.model.actuation import PackedActuator
from motiform.motion.tree.model.joint import Array
from motiform.spatial.checks import as_floats

__all__ = ["EffortTrajectory", "PackedTrajectory", "Posture", "PostureTrajectory"]

Posture = Callable[[float], tuple[Array, Array]]
"""posture(t) gives a configuration (nq,) and its rates (nv,)."""


def _check_times(times: ArrayLike, values: ArrayLike, size: int | None, where: str, what: str) -> tuple[Array, Array]:
    """Return increasing times (n,) and as many rows of numbers (n, size)."""
    t, rows = as_floats(times, where=f"{where}, times"), as_floats(values, where=f"{where}, {what}")
    if t.ndim != 1 or not len(t) or (np.diff(t) <= 0).any():
        raise InputError("times must increase", where=where, got=repr(times), allowed="one or more")
    if rows.ndim != 2 or len(rows) != len(t) or (size is not None and rows.shape[1] != size):
        allowed = f"({len(t)}, {size or 'nv'})"
        raise InputError(
            f"{what} must have one row for each time", where=where, got=f"shape {rows.shape}", allowed=allowed
        )
    return t, rows


@dataclass(frozen=True, eq=False)
class PostureTrajectory:
    """A smooth trajectory through postures: cubic splines, at rest at both ends and beyond; of one, a posture held.

    Called with a time [s] it gives q (nq,) and its rates (nv,).
    """

    figure: Figure
    times: Sequence[float]
    """[s], (n,), increasing."""
    postures: Sequence[ArrayLike]
    """(n, nq)"""

    def __post_init__(self) -> None:
        where = "posture trajectory"
        t, q = _check_times(self.times, self.postures, self.figure.nq, where, "postures")  # type: ignore[arg-type]
        if len(t) > 1 and self.figure.nq != self.figure.nv:
            remedy = "Trajectories go through plain coordinates."
            raise InputError("postures must not have quaternions", where=repr(self.figure), remedy=remedy)
        object.__setattr__(self, "times", t)
        object.__setattr__(self, "postures", q)

    @cached_property
    def _splines(self) -> tuple[Any, Any, Any]:
        spline = cubic_spline(self.times, np.asarray(self.postures), "clamped")
        return spline, spline.derivative(), spline.derivative(2)

    @cached_property
    def pieces(self) -> Array:
        """Coefficients of the cubic pieces, the highest power first, (n − 1, 4, nq); of one posture, that posture."""
        if len(self.times) == 1:
            found = np.zeros((1, 4, self.figure.nq))
            found[0, 3] = self.postures[0]
            return found
        return np.ascontiguousarray(np.swapaxes(self._splines[0].c, 0, 1))

    def acceleration(self, t: float) -> Array:
        """Return the second derivative of the posture at a time [s], (nv,)."""
        inside = len(self.times) > 1 and self.times[0] < t < self.times[-1]
        return np.asarray(self._splines[2](t)) if inside else np.zeros(self.figure.nv)

    def __call__(self, t: float) -> tuple[Array, Array]:
        """Return the posture and its rates at a time [s]."""
        times, still = self.times, np.zeros(self.figure.nv)
        if len(times) == 1:
            return self.postures[0], still  # type: ignore[return-value]
        spline, rate, _ = self._splines
        return spline(np.clip(t, times[0], times[-1])), rate(t) if times[0] < t < times[-1] else still


class PackedTrajectory:
    """A posture over time as kernels of laws take it: cubic pieces, or what a user's function gives at each instant."""

    def __init__(self, figure: Figure, posture: Posture) -> None:
        self.nq, self.nv = figure.nq, figure.nv
        self._function, self.times, self.pieces = posture, np.zeros(0), np.zeros((0, 4, 0))
        self._acceleration = getattr(posture, "acceleration", None)
        self.wanted = np.zeros((3, max(self.nq, self.nv)))
        if isinstance(posture, PostureTrajectory):
            if posture.figure.nq != self.nq:
                got = f"{posture.figure.nq} numbers"
                raise InputError(
                    "a posture must be one of the figure", where=repr(figure), got=got, allowed=f"{self.nq}"
                )
            self.times, self.pieces = np.asarray(posture.times), posture.pieces

    def at(self, t: float) -> tuple[float, Array, Array, Array]:
        """Return the instant, times and pieces of a trajectory, and posture, rates and accelerations where given."""
        self.ask(t, self.wanted)
        return t, self.times, self.pieces, self.wanted

    def ask(self, t: float, wanted: Array) -> None:
        """Write what a user's function gives at an instant."""
        if len(self.times):
            return
        given = call(self._function, t, what="a posture", where=f"t = {t:.9g} s")
        if not isinstance(given, tuple) or len(given) != 2:
            allowed = f"q ({self.nq},) and v ({self.nv},)"
            raise InputError("a posture returned a wrong value", where=f"t = {t:.9g} s", got=given, allowed=allowed)
        rows = [given[0], given[1], *([] if self._acceleration is None else [self._acceleration(t)])]
        names = ("a posture", "the rates of a posture", "the acceleration of a posture")
        for row, values, n, what in zip(wanted, rows, (self.nq, self.nv, self.nv), names, strict=False):
            row[:n] = check_numbers(values, (n,), what=what, where=f"t = {t:.9g} s")


@dataclass(frozen=True, eq=False)
class EffortTrajectory:
    """Efforts given at instants, linear between them, or held until the next, and constant outside: a control."""

    times: Sequence[float]
    """[s], (n,), increasing."""
    efforts: Sequence[ArrayLike]
    """[N·m or N], (n, nv)"""
    hold: bool = False
    """Whether each is held until the next instant, at which efforts jump."""

    def __post_init__(self) -> None:
        t, tau = _check_times(self.times, self.efforts, None, "effort trajectory", "efforts")  # type: ignore[arg-type]
        object.__setattr__(self, "times", t)
        object.__setattr__(self, "efforts", tau)

    @property
    def jumps(self) -> tuple[float, ...]:
        """Instants at which efforts jump [s]: steps of the simulation end there."""
        return tuple(float(t) for t in self.times[1:]) if self.hold else ()

    @cached_property
    def packed(self) -> PackedActuator:
        """The efforts as compiled steps take them."""
        from motiform.motion.actuation.pack import LawArrays, flatten_laws, pack_efforts, pack_laws

        nv = np.asarray(self.efforts).shape[1]
        return flatten_laws(pack_laws(nv, nv, [LawArrays(*pack_efforts(self, nv))]), limited=False)

    def __call__(self, t: float, state: FigureState) -> Array:
        """Return the efforts at an instant, (nv,)."""
        times: Any = self.times
        efforts: Any = self.efforts
        if len(times) == 1:
            return np.asarray(efforts[0])
        if self.hold:
            return np.asarray(efforts[max(int(np.searchsorted(times, t, "right")) - 1, 0)])
        k = int(np.clip(np.searchsorted(times, t) - 1, 0, len(times) - 2))
        part = np.clip((t - times[k]) / (times[k + 1] - times[k]), 0.0, 1.0)
        return np.asarray((1 - part) * efforts[k] + part * efforts[k + 1])
