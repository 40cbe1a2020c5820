"""The muscle model of Millard."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from motiform.motion.actuation.muscles.curves.bezier import BezierCurve, corners
from motiform.motion.actuation.muscles.curves.model import CompiledModel, check_above
from motiform.spatial.checks import Array

__all__ = ["Millard"]


@dataclass(frozen=True)
class Millard(CompiledModel):
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

    kind: ClassVar[str] = "millard"
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
        self.numbers  # noqa: B018, its checks belong here

    @cached_property
    def numbers(self) -> Array:
        """Where each of its curves begins, then the curves."""
        parts = [curve.numbers for curve in (self._active(), self._passive(), self._speed(), self._tendon())]
        return np.concatenate([np.cumsum([4, *map(len, parts[:3])]), *parts])

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
        check_above(e1 - e0, 0.0, "the strain at one greatest isometric force", "passive force of Millard's muscle")
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
        check_above(self.tendon_strain, 0.0, "tendon_strain", "Millard")
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
