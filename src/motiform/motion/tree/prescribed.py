"""Coordinates whose motion is given as a function of time, and the efforts that make it.

In the equations such a coordinate has a drive whose inertia is 1e9 times what it moves, under the force that gives this
inertia the acceleration asked for, with a correction toward the motion. What else acts moves it by a billionth.
The effort that the motion takes follows from the figure without that inertia.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, closest
from motiform.base.splines import cubic_spline
from motiform.motion.run.functions import call, check_numbers
from motiform.motion.tree.algorithms.dynamics import inertia_matrix, inverse_dynamics
from motiform.motion.tree.algorithms.forward import loaded_dynamics
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import FigureState
from motiform.spatial.checks import as_floats

__all__ = ["PrescribedFigure", "PrescribedMotion", "drive_figure"]

Function = Callable[[float], float]
_HEAVY = 1e9  # inertia of a drive over what it moves
_RETURN = 20.0  # [1/s] at which a coordinate goes back to its motion
_DELTA = 1e-3  # [s] of differences: their error is its fourth power
_FIRST = np.array([1.0, -8.0, 0.0, 8.0, -1.0]) / 12
_SECOND = np.array([-1.0, 16.0, -30.0, 16.0, -1.0]) / 12


@dataclass(frozen=True, eq=False)
class PrescribedMotion:
    """A coordinate that moves as a function of time says, whatever acts on it.

    Give `position(t)` [rad or m], or `speed(t)` [rad/s or m/s] alone: then it starts where the run starts. Derivatives
    that are not given are differences over 1 ms, so functions must be smooth, and defined from 0 on.
    """

    coordinate: str
    position: Function | None = None
    speed: Function | float | None = None
    acceleration: Function | None = None
    """[rad/s² or m/s²]"""

    def __post_init__(self) -> None:
        where = f"prescribed motion of {self.coordinate!r}"
        if self.position is None and self.speed is None:
            raise InputError("a position or a speed must be given", where=where)
        for name in ("position", "speed", "acceleration"):
            given = getattr(self, name)
            if given is not None and not callable(given) and not (name == "speed" and np.isscalar(given)):
                raise InputError(f"{name} must be a function of time", where=where, got=repr(given))

    @classmethod
    def through(
        cls, coordinate: str, times: ArrayLike, values: ArrayLike, *, of: Literal["position", "speed"] = "position"
    ) -> "PrescribedMotion":
        """Return a motion through positions or speeds at times [s]: a cubic spline, level at both ends and beyond."""
        where = f"prescribed motion of {coordinate!r}"
        t, x = as_floats(times, where=f"times of {where}"), as_floats(values, where=f"values of {where}")
        if t.ndim != 1 or len(t) < 2 or x.shape != t.shape or (np.diff(t) <= 0).any():
            allowed = "two or more increasing times, and a value for each"
            raise InputError("times and values do not fit", where=where, got=f"{t.shape}, {x.shape}", allowed=allowed)
        spline = cubic_spline(t, x, "clamped")
        first, last = float(t[0]), float(t[-1])

        def at(order: int) -> Function:
            def value(time: float) -> float:
                inside = first <= time <= last
                return float(spline(min(max(time, first), last), order)) if inside or order == 0 else 0.0

            return value

        if of == "speed":
            return cls(coordinate, speed=at(0), acceleration=at(1))
        return cls(coordinate, at(0), at(1), at(2))

    def _evaluate(self, name: str, t: float) -> float:
        function = getattr(self, name)
        if not callable(function):
            return float(function)
        where = f"{name} of {self.coordinate!r} at t = {t:.9g} s"
        value = call(function, t, what="a prescribed motion", where=where)
        return float(check_numbers(value, (), what="a prescribed motion", where=where, allowed="one number"))

    def _differences(self, name: str, t: float, weights: Array, order: int) -> float:
        middle = max(t, 2 * _DELTA)
        values = [self._evaluate(name, middle + k * _DELTA) for k in range(-2, 3)]
        if middle == t:
            return float(weights @ values) / _DELTA**order
        fit = np.polynomial.Polynomial.fit(_DELTA * np.arange(-2, 3), values, 4)  # before 0 there may be nothing
        return float(fit.deriv(order)(t - middle))

    def at(self, t: float) -> tuple[float, float, float]:
        """Return position (NaN where only a speed is given), speed and acceleration at a time [s]."""
        speed = self._speed(t)
        if self.acceleration is not None:
            a = self._evaluate("acceleration", t)
        elif self.speed is not None:
            a = self._differences("speed", t, _FIRST, 1) if callable(self.speed) else 0.0
        else:
            a = self._differences("position", t, _SECOND, 2)
        return (self._evaluate("position", t) if self.position is not None else np.nan), speed, a

    def _speed(self, t: float) -> float:
        return self._evaluate("speed", t) if self.speed is not None else self._differences("position", t, _FIRST, 1)

    def demand(self, t: float, q: float, v: float, h: float) -> float:
        """Return the acceleration to ask for at a state; with h [s] that which ends a step of h on the motion."""
        if h and self.position is not None:
            return (self._evaluate("position", t + h) - q - h * v) / h**2
        if h:
            return (self._speed(t + 0.5 * h) - v) / h
        x, speed, a = self.at(t)
        back = 0.0 if self.position is None else _RETURN**2 * (x - q)
        return a + 2 * _RETURN * (speed - v) + back


@dataclass(eq=False)
class PrescribedFigure:
    """A figure some of whose coordinates move as prescribed."""

    figure: Figure
    heavy: Figure
    """With the inertia of the drives."""
    motions: tuple[PrescribedMotion, ...]
    places: tuple[tuple[int, int], ...]
    """Of each in q and in v."""
    inertia: Array
    """Of the drives [kg·m² or kg]."""
    step: float = 0.0
    """[s] of fixed steps that end on the motion; 0: there are none."""

    @property
    def names(self) -> list[str]:
        """Of the coordinates."""
        return [motion.coordinate for motion in self.motions]

    def force(self, t: float, q: Array, v: Array, *, step: bool = True) -> Array:
        """Return the forces of the drives, their own inertia included, (nv,)."""
        out, h = np.zeros(self.figure.nv), self.step if step else 0.0
        for motion, (at_q, at_v), inertia in zip(self.motions, self.places, self.inertia, strict=True):
            out[at_v] = inertia * motion.demand(t, float(q[at_q]), float(v[at_v]), h)
        return out

    def begin(self, state: FigureState, t: float = 0.0) -> FigureState:
        """Return a state with the coordinates where they are at an instant."""
        q, v = state.q.copy(), state.v.copy()
        for motion, (at_q, at_v) in zip(self.motions, self.places, strict=True):
            x, v[at_v], _ = motion.at(t)
            q[at_q] = q[at_q] if motion.position is None else x
        return FigureState(q, v, state.z)

    def efforts(self, t: float, q: Array, v: Array, tau: Array, external: Array | None) -> Array:
        """Return the efforts that make the motions, (motions,), under controls tau, wrenches and closures."""
        a, loads = loaded_dynamics(self.heavy, q, v, tau + self.force(t, q, v, step=False), external)
        own = [place for _, place in self.places]
        return np.asarray((inverse_dynamics(self.figure.opened, q, v, a, loads) - tau)[own])


def drive_figure(figure: Figure, motions: Sequence[PrescribedMotion], q: Array) -> PrescribedFigure:
    """Return a figure with prescribed motions; the inertia of its drives is that of a configuration."""
    moved = np.diag(inertia_matrix(figure.opened, q))
    places, inertia = [], []
    armature: dict[str, Array] = {}
    for motion in motions:
        if not isinstance(motion, PrescribedMotion):
            raise InputError("motions must be prescribed motions", got=repr(motion), allowed="PrescribedMotion")
        segment, k = _joint_of(figure, motion.coordinate)
        at = figure.coordinates.index(motion.coordinate)
        heavy = _HEAVY * float(max(moved[at], 1e-12))
        own = armature.setdefault(segment.name, np.array(np.broadcast_to(segment.armature, (segment.joint.nv,)), float))
        own[k] += heavy
        places.append((int(figure.places(motion.coordinate, "q")[0]), at))
        inertia.append(heavy)
    if len(set(places)) < len(places):
        raise InputError("a coordinate must have one motion", got=", ".join(m.coordinate for m in motions))
    heavier = figure.replace(segments={name: {"armature": own} for name, own in armature.items()})
    return PrescribedFigure(figure, heavier, tuple(motions), tuple(places), np.array(inertia))


def _joint_of(figure: Figure, coordinate: str) -> tuple[Any, int]:
    """Return the segment whose joint has a coordinate, and its number there; it must be a plain one."""
    if coordinate not in figure.coordinates:
        raise InputError(
            "no such coordinate", where="prescribed motion", got=coordinate, allowed=", ".join(figure.coordinates),
            remedy=closest(coordinate, figure.coordinates),
        )  # fmt: skip
    for n, segment in enumerate(figure.segments):
        names = [figure.layout.names[place] for place in figure.layout.v[n]]
        if coordinate in names and segment.joint.plain:
            return segment, names.index(coordinate)
    raise InputError(
        "only coordinates of plain joints can be prescribed",
        where=f"coordinate {coordinate!r}",
        allowed="joints of axes: revolute, prismatic, cardan, …",
    )
