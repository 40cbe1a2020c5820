"""Forces and winds that vary in time."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.matter.motions.moves import as_vector
from motiform.motion.run import check_number

__all__ = ["Gusts", "Push"]


@dataclass(frozen=True)
class Push:
    """A force on each of some points [N], (3,), between two instants: force · sin(2π frequency t + phase)."""

    force: ArrayLike
    """[N], (3,), in the world."""
    start: float = 0.0
    """[s]"""
    until: float = np.inf
    """[s]; the force is 0 from then on."""
    frequency: float | None = None
    """[Hz]; None: the force is constant."""
    phase: float = 0.0
    """[rad]"""

    def __post_init__(self) -> None:
        object.__setattr__(self, "force", as_vector(self.force, "Push.force"))
        for key in ("start", "phase", *(() if self.frequency is None else ("frequency",))):
            check_number(getattr(self, key), key, "Push")
        if not self.until > self.start:
            raise InputError("`until` must be after `start`", where="Push", got=self.until)

    def __call__(self, t: float) -> np.ndarray:
        """Return the force at a time [s]."""
        if t < self.start or t >= self.until:
            return np.zeros(3)
        force = np.array(self.force)
        return force if self.frequency is None else force * np.sin(2 * np.pi * self.frequency * t + self.phase)


@dataclass(frozen=True)
class Gusts:
    """Wind [m/s], (3,): the mean and gusts that come and go, the same everywhere: w + a sin(−2π t/period)."""

    wind: ArrayLike
    """Mean wind w [m/s], (3,)."""
    amplitude: ArrayLike
    """Of the gusts, a [m/s], (3,)."""
    period: float
    """[s]"""

    def __post_init__(self) -> None:
        object.__setattr__(self, "wind", as_vector(self.wind, "Gusts.wind"))
        object.__setattr__(self, "amplitude", as_vector(self.amplitude, "Gusts.amplitude"))
        check_number(self.period, "period", "Gusts", above=0.0)

    def __call__(self, t: float) -> np.ndarray:
        """Return the wind at a time [s]."""
        return np.asarray(np.array(self.wind) + np.array(self.amplitude) * np.sin(-2 * np.pi * t / self.period))
