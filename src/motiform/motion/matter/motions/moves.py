"""Paths, waves, circles and rotations, and the points and solids that they move."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.base.splines import cubic_spline
from motiform.geometry.checks import LONGEST
from motiform.motion.run import check_number
from motiform.spatial import Transform, across_axes, exp_rotation, unit_vector
from motiform.spatial.checks import as_floats

__all__ = ["Circle", "Move", "MovedPoints", "MovedSolid", "Path", "Spin", "Swing", "Wave"]

Vector = tuple[float, float, float]
_LATEST = 1e9  # [s] a nanosecond is still resolved there


def as_vector(value: ArrayLike, where: str) -> Vector:
    """Return three finite numbers."""
    x, y, z = as_floats(value, 3, where=where).reshape(3).tolist()
    return x, y, z


@dataclass(frozen=True)
class Path:
    """A displacement that is given at instants, with cubic interpolation between them."""

    times: Sequence[float]
    """[s], (n,), increasing by a nanosecond or more."""
    points: Sequence[Sequence[float]]
    """Displacement at each of the times [m], (n, 3)."""
    between: Literal["linear", "smooth", "spline"] = "smooth"
    """Straight lines; at rest at each point; or one spline, at rest at both ends."""
    repeat: bool = False
    """Whether it begins again after the last time. Otherwise it stays at the first and last points outside."""

    def __post_init__(self) -> None:
        times, points = as_floats(self.times, where="Path.times"), as_floats(self.points, 3, where="Path.points")
        if self.between not in ("linear", "smooth", "spline"):
            allowed = "'linear', 'smooth', 'spline'"
            raise InputError("unknown interpolation", where="Path.between", got=self.between, allowed=allowed)
        if times.ndim != 1 or points.shape != (len(times), 3) or len(times) < 2:
            raise InputError("a path needs two or more times, and a point for each", where="Path")
        if any(b - a < 1e-9 for a, b in pairwise(times)) or np.abs(times).max() > _LATEST:
            raise InputError("times must rise, by a nanosecond or more, and stay below 1e9 s", where="Path")
        if np.abs(points).max() > LONGEST:
            raise InputError(f"points must stay below {LONGEST:g} m", where="Path")
        object.__setattr__(self, "times", tuple(times.tolist()))
        object.__setattr__(self, "points", tuple(map(tuple, points.tolist())))

    @cached_property
    def _cubic(self) -> np.ndarray:
        """Coefficients of the cubics from each point to the next, highest power first, (4, n − 1, 3)."""
        from scipy.interpolate import CubicHermiteSpline

        times, points = np.array(self.times), np.array(self.points)
        if self.between == "linear":
            slope = np.diff(points, axis=0) / np.diff(times)[:, None]
            return np.stack([np.zeros_like(slope), np.zeros_like(slope), slope, points[:-1]])
        if self.between == "smooth":
            return np.asarray(CubicHermiteSpline(times, points, np.zeros_like(points)).c)
        closed = self.repeat and self.points[0] == self.points[-1] and len(points) > 2
        return np.asarray(cubic_spline(times, points, "periodic" if closed else "clamped").c)

    def shift(self, t: float) -> np.ndarray:
        """Return the displacement at a time [m], (3,)."""
        first, last = self.times[0], self.times[-1]
        t = first + (t - first) % (last - first) if self.repeat else min(max(t, first), last)
        k = min(int(np.searchsorted(self.times, t, side="right")) - 1, len(self.times) - 2)
        s = t - self.times[k]
        a, b, c, d = self._cubic[:, k]
        return np.asarray(((a * s + b) * s + c) * s + d)


@dataclass(frozen=True)
class Wave:
    """The displacement direction · amplitude · sin(2π frequency t + phase)."""

    amplitude: float
    """[m]"""
    frequency: float
    """[Hz]"""
    direction: Vector = (0.0, 1.0, 0.0)
    """Its length does not matter."""
    phase: float = 0.0
    """[rad]"""

    def __post_init__(self) -> None:
        _check(self, "amplitude", "frequency", "phase")
        object.__setattr__(self, "direction", as_vector(self.direction, "Wave.direction"))
        unit_vector(self.direction, "Wave.direction")

    @cached_property
    def _unit(self) -> np.ndarray:
        return unit_vector(self.direction)

    def shift(self, t: float) -> np.ndarray:
        """Return the displacement at a time [m], (3,)."""
        phase = 2 * np.pi * self.frequency * t + self.phase
        return np.asarray(self._unit * (self.amplitude * np.sin(phase)))


@dataclass(frozen=True)
class Circle:
    """A displacement around a circle, without rotation."""

    radius: float
    """[m]"""
    frequency: float
    """Rounds per second [Hz], counter-clockwise about the axis; negative: clockwise."""
    axis: Vector = (0.0, 1.0, 0.0)
    """Normal of its plane; the length does not matter."""
    phase: float = 0.0
    """[rad]"""

    def __post_init__(self) -> None:
        check_number(self.radius, "radius", "Circle", above=0.0)
        _check(self, "frequency", "phase")
        object.__setattr__(self, "axis", as_vector(self.axis, "Circle.axis"))
        unit_vector(self.axis, "Circle.axis")

    @cached_property
    def _across(self) -> tuple[np.ndarray, np.ndarray]:
        return across_axes(self.axis)

    def shift(self, t: float) -> np.ndarray:
        """Return the displacement at a time [m], (3,)."""
        phase = 2 * np.pi * self.frequency * t + self.phase
        first, second = self._across
        return np.asarray(self.radius * (np.cos(phase) * first + np.sin(phase) * second))


class _Turn:
    """What rotations share: an axis of unit length, and a point of it."""

    axis: Vector
    at: Vector | None

    def _check_axis(self) -> None:
        where = type(self).__name__
        object.__setattr__(self, "axis", as_vector(self.axis, f"{where}.axis"))
        unit_vector(self.axis, f"{where}.axis")
        if self.at is not None:
            object.__setattr__(self, "at", as_vector(self.at, f"{where}.at"))

    @cached_property
    def unit(self) -> np.ndarray:
        """Direction of the axis, (3,)."""
        return unit_vector(self.axis)


@dataclass(frozen=True)
class Spin(_Turn):
    """A steady rotation about an axis: angle = speed · t + phase."""

    speed: float
    """[rad/s]"""
    axis: Vector = (0.0, 1.0, 0.0)
    """Its length does not matter."""
    at: Vector | None = None
    """A point of the axis [m]; None: the origin of a solid's frame, or of the frame of the points."""
    phase: float = 0.0
    """[rad]"""

    def __post_init__(self) -> None:
        _check(self, "speed", "phase")
        self._check_axis()

    def angle(self, t: float) -> float:
        """Return the angle at a time [rad]."""
        return self.speed * t + self.phase


@dataclass(frozen=True)
class Swing(_Turn):
    """A rotation to and fro about an axis: angle = amplitude · sin(2π frequency t + phase)."""

    amplitude: float
    """[rad]"""
    frequency: float
    """[Hz]"""
    axis: Vector = (0.0, 1.0, 0.0)
    """Its length does not matter."""
    at: Vector | None = None
    """A point of the axis [m]; None: the origin of a solid's frame, or of the frame of the points."""
    phase: float = 0.0
    """[rad]"""

    def __post_init__(self) -> None:
        _check(self, "amplitude", "frequency", "phase")
        self._check_axis()

    def angle(self, t: float) -> float:
        """Return the angle at a time [rad]."""
        return self.amplitude * float(np.sin(2 * np.pi * self.frequency * t + self.phase))


Move = Path | Wave | Circle | Spin | Swing
_SHIFTS, _TURNS = (Path, Wave, Circle), (Spin, Swing)


def _check(move: Any, *keys: str) -> None:
    for key in keys:
        check_number(getattr(move, key), key, type(move).__name__)


def _as_moves(moves: "Move | Sequence[Move]", where: str) -> tuple[Move, ...]:
    found = (moves,) if isinstance(moves, Move) else tuple(moves)
    for move in found:
        if not isinstance(move, Move):
            allowed = "Path, Wave, Circle, Spin, Swing"
            raise InputError("unknown move", where=where, got=repr(move), allowed=allowed)
    if not found or sum(isinstance(move, _TURNS) for move in found) > 1:
        raise InputError("moves must be one or more, with at most one Spin or Swing", where=where, got=len(found))
    return found


def _displacement(moves: tuple[Move, ...], center: ArrayLike, t: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the rotation and translation that take the start to its place at a time; shifts add up."""
    shift, turn = np.zeros(3), None
    for move in moves:
        if isinstance(move, _SHIFTS):
            shift = shift + move.shift(t)
        else:
            turn = move
    if turn is None:
        return np.eye(3), shift
    R = exp_rotation(turn.unit * turn.angle(t))
    at = np.asarray(center if turn.at is None else turn.at, float)
    return R, shift + at - R @ at


@dataclass(frozen=True, eq=False)
class MovedPoints:
    """Points that are moved together: called with a time [s] it gives positions [m], (points, 3), in the world."""

    start: ArrayLike
    """Positions without the moves [m], (points, 3), in `frame`."""
    moves: Sequence[Move]
    """Displacements, which add up, and at most one rotation; one alone or several."""
    frame: Transform = field(default_factory=Transform.identity)
    """Frame of the positions and moves, in the world."""
    center: Vector = (0.0, 0.0, 0.0)
    """Point of the axis of a rotation without `at` [m], in `frame`."""

    def __post_init__(self) -> None:
        points = np.atleast_2d(as_floats(self.start, 3, where="MovedPoints.start"))
        object.__setattr__(self, "start", points)
        object.__setattr__(self, "moves", _as_moves(self.moves, "MovedPoints.moves"))
        object.__setattr__(self, "center", as_vector(self.center, "MovedPoints.center"))

    def __call__(self, t: float) -> np.ndarray:
        """Return where the points are at a time [s]."""
        R, p = _displacement(self.moves, self.center, t)  # type: ignore[arg-type]
        return np.asarray((self.start @ R.T + p) @ self.frame.rotation.T + self.frame.translation)

    def velocity_before(self, frequency: float) -> np.ndarray:
        """Return the mean velocity in the step before t = 0 [m/s], (points, 3), at so many steps per second.

        It is the `velocity` of `NetworkBuilder.imposed`: links with dampers then feel the motion from the first step.
        """
        step = 1 / check_number(frequency, "frequency", "MovedPoints", above=0.0)
        return np.asarray((self(0.0) - self(-step)) / step)


@dataclass(frozen=True, eq=False)
class MovedSolid:
    """A solid that is moved: called with a time [s] it gives its placement in the world."""

    start: Transform
    """Placement without the moves, in `frame`; a rotation without `at` is about its origin."""
    moves: Sequence[Move]
    """Displacements, which add up, and at most one rotation; one alone or several."""
    frame: Transform = field(default_factory=Transform.identity)
    """Frame of the placement and moves, in the world."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "moves", _as_moves(self.moves, "MovedSolid.moves"))

    def __call__(self, t: float) -> Transform:
        """Return where the solid is at a time [s]."""
        R, p = _displacement(self.moves, self.start.translation, t)  # type: ignore[arg-type]
        return self.frame @ (Transform(R, p) @ self.start)
