"""A frequency band, and the frequencies at which a condition is evaluated."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from motiform.base.errors import InputError
from motiform.motion.run.options import check_number
from motiform.spatial.checks import Array, Words

__all__ = ["Band", "check_threshold", "intervals"]


@dataclass(frozen=True)
class Band:
    """Frequencies that a motion holds."""

    low: float
    """[Hz], above zero."""
    high: float
    """[Hz]"""
    duration: float | None = None
    """Of the run that the band was made for [s], if any."""

    def __post_init__(self) -> None:
        for key in ("low", "high"):
            object.__setattr__(self, key, check_number(getattr(self, key), key, "band", above=0.0))
        if self.high <= self.low:
            got = Words(f"{self.low:g} to {self.high:g} Hz")
            raise InputError(
                "a band must have low below high", where="band", got=got, allowed="low below high",
                remedy="Swap the bounds.",
            )  # fmt: skip

    @classmethod
    def of_run(cls, duration: float, rate: float) -> "Band":
        """Return all that a run of a duration [s] at a rate [Hz] can hold: 1/ΔT to F/2 [Habibi97 2.1, 2.2]."""
        low = 1 / check_number(duration, "duration", "band", above=0.0)
        return cls(low, check_number(rate, "rate", "band", above=0.0) / 2, duration)

    @classmethod
    def from_rest(cls, duration: float, high: float) -> "Band":
        """Return what a run of a duration [s] that begins at rest tells apart, up to a frequency [Hz].

        It begins at √(2√5)/(2πT) = 0.34/T and not at 1/T: a displacement c that stays pulls by a neglected spring k on
        a mass M, which errs by c k t²/2M, of the relative norm k T²/(2√5 M); a swing of that pulsation has k/(M ω²).
        """
        low = float(np.sqrt(2 * np.sqrt(5))) / (2 * np.pi * check_number(duration, "duration", "band", above=0.0))
        return cls(low, high, duration)

    def omega(self, count: int = 400, *, also: Iterable[float] = ()) -> Array:
        """Return pulsations [rad/s] spread evenly in logarithm over the band, both ends included.

        `also` adds pulsations of special interest, such as modes, where they lie within.
        """
        low, high = 2 * np.pi * self.low, 2 * np.pi * self.high
        even = np.geomspace(low, high, max(2, int(count)))
        even[[0, -1]] = low, high
        more = np.array([w for w in also if low <= w <= high], float)
        return np.unique(np.concatenate([even, more]))

    def __str__(self) -> str:
        return f"{self.low:.4g} to {self.high:.4g} Hz"


def check_threshold(threshold: float) -> float:
    """Return the threshold ε of "much less": above 0, below 1."""
    value = check_number(threshold, "threshold", "coupling", above=0.0)
    if value >= 1:
        raise InputError("the threshold must be a fraction", where="coupling", got=value, allowed="above 0, below 1")
    return value


def intervals(omega: Array, holds: np.ndarray) -> list[tuple[float, float]]:
    """Return the stretches [Hz] over which a condition holds at every pulsation looked at."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], holds, [False]]).astype(int)))
    return [(float(omega[i] / (2 * np.pi)), float(omega[j - 1] / (2 * np.pi))) for i, j in edges.reshape(-1, 2)]
