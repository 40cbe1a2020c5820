"""Curves of Hill-type muscles: force by length and speed of the fibre, and by strain of the tendon.

Lengths are in optimal fibre lengths (tendon: in slack lengths), speeds in greatest shortening speeds with lengthening
positive, forces in greatest isometric forces. Each curve gives its value and its slope.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np

from motiform.base.errors import InputError
from motiform.motion.actuation.muscles.bezier import BezierCurve, corners
from motiform.spatial.checks import Array

__all__ = ["DeGrooteFregly", "Millard", "MuscleModel", "Thelen"]

Curve = tuple[Array, Array]
_BIG = 300.0  # exponents beyond which curves do not grow: forces there have no meaning, and would overflow


@runtime_checkable
class MuscleModel(Protocol):
    """What a muscle's curves give."""

    @property
    def damping(self) -> float:
        """Force of the fibre at the greatest shortening speed."""
        ...

    @property
    def shortest(self) -> float:
        """Length at which the fibre goes slack."""
        ...

    def active(self, length: Array) -> Curve:
        """Return the active force at full activation without motion."""
        ...

    def passive(self, length: Array) -> Curve:
        """Return the force of the stretched fibre."""
        ...

    def speed(self, speed: Array, activation: Array | float = 1.0) -> Curve:
        """Return the factor of the active force."""
        ...

    def tendon(self, length: Array) -> Curve:
        """Return the force of the stretched tendon."""
        ...


def _above(value: float, least: float, name: str, where: str) -> None:
    if not (np.isfinite(value) and value > least):
        raise InputError(f"{name} must be above {least:g}", where=where, got=value, allowed=f"above {least:g}")


def _bump(l: Array, b: tuple[float, float, float, float]) -> Curve:
    width = b[2] + b[3] * l
    z = (l - b[1]) / width
    f = b[0] * np.exp(-0.5 * z * z)
    return f, -f * z * (1.0 - z * b[3]) / width


_BUMPS = (  # [DeGroote16], with the digits of the authors' code
    (1.0, 1.055033428970575, 0.162384573599574, 0.063303448465465),
    (0.433004984392647, 0.716775413397760, -0.029947116970696, 0.200356847296188),
    (0.1, 1.0, 0.5 * np.sqrt(0.5), 0.0),
)
_ONE = np.array(1.0)
# The printed height of the first bump and d1, d4 of the speed are rounded: from f(1) = 1 and from (−1, 0), (0, 1).
_HEIGHT = float((1.0 - _bump(_ONE, _BUMPS[1])[0] - _bump(_ONE, _BUMPS[2])[0]) / _bump(_ONE, _BUMPS[0])[0])
_D2, _D3 = -8.149, -0.374
_D1 = float(1.0 / (np.arcsinh(_D3) - np.arcsinh(_D3 - _D2)))
_D4 = float(-_D1 * np.arcsinh(_D3 - _D2))


@dataclass(frozen=True)
class DeGrooteFregly:
    """Smooth curves for optimisation.  [DeGroote16 supplement]

    Attributes
    ----------
    width : of the active curve, over that of the paper.
    passive_strain : of the fibre at one greatest isometric force.
    tendon_strain : of the tendon at one greatest isometric force.
    damping : force of the fibre at the greatest shortening speed, in greatest isometric forces.

    """

    width: float = 1.0
    passive_strain: float = 0.6
    tendon_strain: float = 0.049
    damping: float = 0.0

    def __post_init__(self) -> None:
        for name in ("width", "passive_strain", "tendon_strain"):
            _above(getattr(self, name), 0.0, name, "DeGrooteFregly")

    @property
    def shortest(self) -> float:
        """Where the passive force is zero."""
        return 0.2

    def active(self, length: Array) -> Curve:
        """Sum of three bumps."""
        x = (np.asarray(length, float) - 1.0) / self.width + 1.0
        parts = [_bump(x, bump) for bump in _BUMPS]
        first = _HEIGHT * parts[0][0] + parts[1][0] + parts[2][0], _HEIGHT * parts[0][1] + parts[1][1] + parts[2][1]
        return first[0], first[1] / self.width

    def passive(self, length: Array) -> Curve:
        """Exponential that is zero at 0.2 optimal lengths."""
        k, shift = 4.0 / self.passive_strain, np.exp(-3.2 / self.passive_strain)
        grown = np.exp(np.minimum(k * (np.asarray(length, float) - 1.0), _BIG)) / (np.exp(4.0) - shift)
        return grown - shift / (np.exp(4.0) - shift), k * grown

    def speed(self, speed: Array, activation: Array | float = 1.0) -> Curve:
        """Inverse hyperbolic sine through (−1, 0) and (0, 1)."""
        z = _D2 * np.asarray(speed, float) + _D3
        return _D1 * np.arcsinh(z) + _D4, _D1 * _D2 / np.sqrt(z * z + 1.0)

    def tendon(self, length: Array) -> Curve:
        """Exponential that is zero at the slack length."""
        k = np.log(6.0) / self.tendon_strain
        grown = 0.2 * np.exp(np.minimum(k * (np.asarray(length, float) - 1.0), _BIG))
        return grown - 0.2, k * grown


@dataclass(frozen=True)
class Thelen:
    """Curves of [Thelen03], with the numbers of OpenSim where none are given.

    Attributes
    ----------
    active_shape : width of the active curve, γ.
    passive_strain, passive_shape : strain at one greatest isometric force, and shape factor.
    tendon_strain : at one greatest isometric force.
    speed_shape, lengthening_force : A_f, and the force at fast lengthening.
    linear_from : share of the lengthening force from which the curve goes on straight.

    """

    active_shape: float = 0.45
    passive_strain: float = 0.6
    passive_shape: float = 5.0
    tendon_strain: float = 0.04
    speed_shape: float = 0.25
    lengthening_force: float = 1.4
    linear_from: float = 0.95
    damping: float = 0.0

    def __post_init__(self) -> None:
        for name in ("active_shape", "passive_strain", "passive_shape", "tendon_strain", "speed_shape"):
            _above(getattr(self, name), 0.0, name, "Thelen")
        _above(self.lengthening_force, 1.0, "lengthening_force", "Thelen")

    @property
    def shortest(self) -> float:
        """A hundredth of the optimal length."""
        return 0.01

    def active(self, length: Array) -> Curve:
        """Gaussian."""
        x = np.asarray(length, float) - 1.0
        f = np.exp(-x * x / self.active_shape)
        return f, -2.0 * x * f / self.active_shape

    def passive(self, length: Array) -> Curve:
        """Exponential above the optimal length."""
        x = np.asarray(length, float) - 1.0
        k = self.passive_shape / self.passive_strain
        grown = np.exp(np.minimum(k * x, _BIG)) / np.expm1(self.passive_shape)
        return np.where(x > 0, grown - 1.0 / np.expm1(self.passive_shape), 0.0), np.where(x > 0, k * grown, 0.0)

    def speed(self, speed: Array, activation: Array | float = 1.0) -> Curve:
        """Hyperbolas [Thelen03 6, 7] solved for the force; the speed scales with ¼ + ¾ activation."""
        v, s = np.asarray(speed, float), 0.25 + 0.75 * np.asarray(activation, float)
        v, s = np.broadcast_arrays(v, s)
        A, F = self.speed_shape, self.lengthening_force
        c = (2.0 + 2.0 / A) / (F - 1.0)  # v = s (f − 1)/(c (F − f)) while lengthening
        edge = self.linear_from * F
        start = s * (edge - 1.0) / (c * (F - edge))
        rate = c * (F - edge) ** 2 / (s * (F - 1.0))
        down, slow = np.maximum(v, -s), np.clip(v, 0.0, start)
        shorter, longer = (s + down) / (s - down / A), (c * slow * F + s) / (s + c * slow)
        f = np.where(v <= 0, shorter, np.where(v < start, longer, edge + rate * (v - start)))
        up = c * s * (F - 1.0) / (s + c * slow) ** 2
        slope = np.where(v <= 0, s * (1 + 1 / A) / (s - down / A) ** 2, np.where(v < start, up, rate))
        return f, np.where(v < -s, 0.0, slope)

    def tendon(self, length: Array) -> Curve:
        """Exponential toe up to a third of the force, then straight; the toe's end without the paper's rounding."""
        x, e = np.asarray(length, float) - 1.0, np.exp(3.0)
        toe = 99.0 * self.tendon_strain * e / (166.0 * e - 67.0)
        k = 0.67 / (self.tendon_strain - toe)
        grown = 0.33 / (e - 1.0) * np.exp(3.0 * np.clip(x, 0.0, toe) / toe)
        value = np.where(x > toe, k * (x - toe) + 0.33, np.where(x > 0, grown - 0.33 / (e - 1.0), 0.0))
        return value, np.where(x > toe, k, np.where(x > 0, 3.0 / toe * grown, 0.0))


@dataclass(frozen=True)
class Millard:
    """Curves of quintic Bézier corners  [Millard13], with the numbers of OpenSim where none are given.

    Attributes
    ----------
    active_lengths : where the steep limb begins, where it becomes shallow, where the descending limb ends.
    active_slope, active_least : slope of the shallow limb; least value.
    passive_strains : at zero and at one greatest isometric force.
    passive_slopes : at low force and at one, and curviness; None: 0.2, 2/(difference of the strains), 0.75.
    speed_slopes : at and near the greatest shortening speed, at rest, near and at the greatest lengthening speed.
    lengthening_force : at the greatest lengthening speed.
    speed_curviness : shortening, lengthening.
    tendon_strain : at one greatest isometric force.
    tendon_shape : slope at one, force where it becomes straight, curviness; None: 1.375/strain, 2/3, 0.5.
    damping : force of the fibre at the greatest shortening speed, in greatest isometric forces.

    """

    active_lengths: tuple[float, float, float] = (0.4441, 0.73, 1.8123)
    active_slope: float = 0.8616
    active_least: float = 0.1
    passive_strains: tuple[float, float] = (0.0, 0.7)
    passive_slopes: tuple[float, float, float] | None = None
    speed_slopes: tuple[float, float, float, float, float] = (0.0, 0.25, 5.0, 0.15, 0.0)
    lengthening_force: float = 1.4
    speed_curviness: tuple[float, float] = (0.6, 0.9)
    tendon_strain: float = 0.049
    tendon_shape: tuple[float, float, float] | None = None
    damping: float = 0.1

    def __post_init__(self) -> None:
        self._curves  # noqa: B018, its checks belong here

    @cached_property
    def _curves(self) -> tuple[BezierCurve, BezierCurve, BezierCurve, BezierCurve]:
        return self._active(), self._passive(), self._speed(), self._tendon()

    def _active(self) -> BezierCurve:
        (x0, x1, x3), slope, low = self.active_lengths, self.active_slope, self.active_least
        shoulder = 0.95
        y1 = 1.0 - slope * (shoulder - x1)
        steep = 1.25 * y1 / (x1 - x0)
        knots = [
            (x0, low, 0.0),
            ((x0 + x1) / 2, y1 / 2, steep),
            ((x1 + shoulder) / 2, (1.0 + y1) / 2, slope),
            (1.0, 1.0, 0.0),
            ((1.05 + x3) / 2, 0.5, -1.0 / (x3 - 1.1)),
            (x3, low, 0.0),
        ]
        return corners(knots, [1.0] * 5, "active force of Millard's muscle")

    def _passive(self) -> BezierCurve:
        e0, e1 = self.passive_strains
        _above(e1 - e0, 0.0, "the strain at one greatest isometric force", "passive force of Millard's muscle")
        low, high, bend = self.passive_slopes or (0.2, 2.0 / (e1 - e0), 0.75)
        width = min(0.1 / high, 0.1 * (e1 - e0))
        foot = (1.0 + e0 + width, low * width / 2, low)
        knots = [(1.0 + e0, 0.0, 0.0), foot, (1.0 + e1, 1.0, high)]
        return corners(knots, [bend] * 2, "passive force of Millard's muscle")

    def _speed(self) -> BezierCurve:
        (c, near_c, rest, near_e, e), top = self.speed_slopes, self.lengthening_force
        short, long = self.speed_curviness
        knots = [
            (-1.0, 0.0, c),
            (-0.9, 0.05 * (near_c + c), near_c),
            (0.0, 1.0, rest),
            (0.9, top - 0.05 * (near_e + e), near_e),
            (1.0, top, e),
        ]
        return corners(knots, [short, short, long, long], "force and speed of Millard's muscle")

    def _tendon(self) -> BezierCurve:
        _above(self.tendon_strain, 0.0, "tendon_strain", "Millard")
        slope, toe, bend = self.tendon_shape or (1.375 / self.tendon_strain, 2.0 / 3.0, 0.5)
        x = 1.0 + self.tendon_strain + (toe - 1.0) / slope
        middle = 1.0 + self.tendon_strain + (toe / 2 - 1.0) / slope
        foot = 1.0 + (x - 1.0) / 10.0
        rise = toe / 2 / (middle - foot)
        at = foot + (middle - foot) / 2
        return corners([(1.0, 0.0, 0.0), (at, rise * (at - foot), rise), (x, toe, slope)], [bend] * 2, "tendon")

    @property
    def shortest(self) -> float:
        """Where the active force ends."""
        return self.active_lengths[0]

    def active(self, length: Array) -> Curve:
        """Five corners."""
        return self._curves[0](length)

    def passive(self, length: Array) -> Curve:
        """Two corners, then straight."""
        return self._curves[1](length)

    def speed(self, speed: Array, activation: Array | float = 1.0) -> Curve:
        """Four corners through (−1, 0) and (0, 1)."""
        return self._curves[2](speed)

    def tendon(self, length: Array) -> Curve:
        """Two corners, then straight."""
        return self._curves[3](length)
