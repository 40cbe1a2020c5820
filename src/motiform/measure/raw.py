"""The result of a reader of one format: data in the file's units and axes, and the metadata of the file."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from motiform.record.channel import Event

__all__ = ["OPTOTRAK_MISSING", "Raw", "even_times", "forget_occluded"]

OPTOTRAK_MISSING = -3.6973e28
"""What NDI's Optotrak writes for a coordinate that it did not see."""
_HIDDEN = 1e27  # beyond every measured coordinate, in any unit


@dataclass
class Raw:
    """Markers of one file, before units, axes and names are settled."""

    format: str
    points: np.ndarray
    """(samples, markers, 3), in the file's units and axes; nan where occluded."""
    names: list[str]
    rate: float | None = None
    """[Hz], or None where ``times`` are uneven."""
    start: float = 0.0
    """Time of the first sample [s]."""
    times: np.ndarray | None = None
    """[s], where they are uneven."""
    first_frame: int | None = None
    units: str | None = None
    """Unit of length as the file states it, or None."""
    up: str | None = None
    """Axis that points up as the file states it, or None."""
    subjects: list[str] = field(default_factory=list)
    residuals: np.ndarray | None = None
    """(samples, markers), in the file's units."""
    analog: np.ndarray | None = None
    """(analog samples, channels), in the file's units."""
    analog_names: list[str] = field(default_factory=list)
    analog_units: list[str] = field(default_factory=list)
    analog_rate: float = 0.0
    plates: list[dict[str, Any]] = field(default_factory=list)
    """Force plates: type, corners, origin (file's units), channels (indices of analog), matrix."""
    zero: tuple[int, int] | None = None
    """First and last sample of the markers, from 1, in which the force plates are empty."""
    events: list[Event] = field(default_factory=list)
    body: dict[str, float] = field(default_factory=dict)
    """Mass [kg] and height [m] of the subject, where the file tells them."""
    confidence: dict[str, float] = field(default_factory=dict)
    """Mean confidence of each keypoint where it was seen, 0 to 1, where the file tells it."""
    notes: list[str] = field(default_factory=list)
    """What a person should know of how the file was read."""


def forget_occluded(points: np.ndarray, residuals: np.ndarray | None = None) -> np.ndarray:
    """Return points (..., 3) with nan for every occluded marker.

    Not seen are those with a coordinate that is nan or infinite, with Optotrak's number, at exactly (0, 0, 0), or with
    a negative residual.
    """
    with np.errstate(invalid="ignore"):
        hidden = ~(np.abs(points) < _HIDDEN).all(-1) | (points == 0).all(-1)
        if residuals is not None:
            hidden |= residuals < 0
    return np.where(hidden[..., None], np.nan, points) if hidden.any() else points


def even_times(times: np.ndarray, rate: float | None) -> tuple[float, float] | None:
    """Return (rate [Hz], start [s]) where the times are even but for the digits that they are written with, or None.

    A rate that the file states is kept where the times agree with it; else it is taken from them.
    """
    count = len(times)
    if count < 2:
        return (rate, float(times[0])) if rate and count else None
    span = float(times[-1] - times[0])
    if not span > 0:
        return None
    estimate = (count - 1) / span
    if not np.isfinite(estimate):  # times that differ by next to nothing
        return None
    digits = _digits(times)
    for guess in (rate, float(round(estimate)), estimate):
        if guess and guess > 0:
            ideal = times[0] + np.arange(count) / guess
            # Each time is rounded to its digits, the first of them too.
            if np.abs(ideal - times).max() <= 1.01 * digits + 1e-9 * np.abs(times).max():
                return float(guess), float(times[0])
    return None


def _digits(times: np.ndarray) -> float:
    """Return the smallest of 1e-2 … 1e-9 s of which all of the times are multiples."""
    sample = times[:: max(1, len(times) // 1000)]
    for n in range(2, 9):
        step = 10.0**-n
        if np.abs(sample / step - np.round(sample / step)).max() < 1e-6 * max(1.0, np.abs(sample).max() / step * 1e-6):
            return step
    return 1e-9
