"""Colors by numbers, over time."""

from dataclasses import dataclass

import numpy as np

from motiform.record.samples import Samples

__all__ = ["RAMP", "Shades"]

#: From low to high: dark blue, blue, green, yellow, red, each lighter or warmer than the one before.
RAMP = ((0.19, 0.26, 0.58), (0.12, 0.51, 0.70), (0.42, 0.73, 0.48), (0.97, 0.79, 0.28), (0.84, 0.24, 0.16))


@dataclass(frozen=True)
class Shades:
    """Colors by numbers: from the first color of a ramp at `low` to the last at `high`, evenly."""

    values: np.ndarray | Samples
    """(samples, count)"""
    low: float
    high: float
    ramp: np.ndarray
    """sRGB from 0 to 1, (colors, 3)."""

    def at(self, sample: int) -> np.ndarray:
        """Return the colors at a sample, (count, 3); grey where the number is nan."""
        values = np.asarray(self.values[sample], float)
        place = np.clip((values - self.low) / (self.high - self.low), 0.0, 1.0) * (len(self.ramp) - 1)
        found = [np.interp(np.nan_to_num(place), np.arange(len(self.ramp)), self.ramp[:, k]) for k in range(3)]
        return np.where(np.isfinite(values)[:, None], np.stack(found, axis=-1), 0.5)
