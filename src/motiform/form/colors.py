"""Colors of points and links: given, or by the numbers of a channel."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import RecordingError

if TYPE_CHECKING:
    from motiform.record import Recording

__all__ = ["RAMP", "Shades", "colors_of"]

#: From low to high: dark blue, blue, green, yellow, red, each lighter or warmer than the one before.
RAMP = ((0.19, 0.26, 0.58), (0.12, 0.51, 0.70), (0.42, 0.73, 0.48), (0.97, 0.79, 0.28), (0.84, 0.24, 0.16))


@dataclass(frozen=True)
class Shades:
    """Colors by numbers: from the first color of a ramp at `low` to the last at `high`, evenly."""

    values: np.ndarray
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


def colors_of(
    given: Any, recording: "Recording", samples: int, count: int, where: str
) -> tuple[np.ndarray, Shades | None]:
    """Return colors (3,) or (count, 3), and how they change where they follow a channel.

    Given are three numbers, a row of three for each thing, or {"channel", "map": [low, high], "axis", "pick",
    "colors"}: the channel's number (its component along `axis`, a number or a vector (3,), or else its length) in the
    columns `pick`, as a place between the first of the colors and the last.
    """
    if not isinstance(given, dict):
        found = np.asarray(given, float)
        if found.shape not in ((3,), (count, 3)) or not np.isfinite(found).all():
            raise RecordingError("colors", where=where, got=f"shape {found.shape}", allowed=f"(3,) or ({count}, 3)")
        return found, None
    values = _numbers(given, recording)
    if values.shape[1] == 1:
        values = np.broadcast_to(values, (len(values), count))
    if values.shape != (samples, count):
        raise RecordingError(
            "a channel of colors does not fit",
            where=where,
            got=f"{given['channel']!r} of shape {values.shape}",
            allowed=f"({samples}, {count})",
        )
    low, high = given.get("map") or _span(values)
    ramp = np.asarray(given.get("colors", RAMP), float)
    if not (np.isfinite([low, high]).all() and low != high) or ramp.ndim != 2 or ramp.shape[1] != 3:
        raise RecordingError("a map of colors", where=where, got=f"{low} to {high}", allowed="two different numbers")
    shades = Shades(values, float(low), float(high), ramp)
    return shades.at(0), shades


def _numbers(given: dict[str, Any], recording: "Recording") -> np.ndarray:
    """Return one number of the channel for each thing at each sample, (samples, things)."""
    values = np.asarray(recording[given["channel"]], float)
    if "pick" in given:
        values = values[:, np.asarray(given["pick"], int)]
    if values.ndim == 3:
        axis = given.get("axis")
        if axis is None:
            values = np.linalg.norm(values, axis=-1)
        else:
            values = values[..., int(axis)] if np.ndim(axis) == 0 else values @ np.asarray(axis, float)
    return values.reshape(len(values), -1)


def _span(values: np.ndarray) -> tuple[float, float]:
    """Return two numbers between which nearly all lie: a few that stick out must not take the colors of the rest."""
    sound = values[np.isfinite(values)]
    low, high = np.quantile(sound, (0.01, 0.99)).tolist() if len(sound) else (0.0, 1.0)
    return (low, high) if high > low else (low - 0.5, low + 0.5)
