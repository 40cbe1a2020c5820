"""What a plot draws: the curves of one channel, thinned and scaled so that they can be read, and a time cursor."""

import re
from dataclasses import dataclass
from math import floor, log10, prod
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from motiform.record import Recording

__all__ = ["Curves", "curves_of", "elements_of", "pretty", "value_at", "with_cursor"]

BUCKETS = 300  # a plot is a few hundred pixels wide: the extremes of so many time slices look the same as all samples
COMPONENTS = 9  # a last axis up to this long is drawn as that many curves, a longer one is chosen from
NOISE = 16 * np.finfo(float).eps  # relative: less than this is rounding, not a curve worth zooming in on
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Curves:
    """Curves over time, ready to draw."""

    time: np.ndarray
    """Instants [s], (points,)."""
    values: tuple[np.ndarray, ...]
    """One array (points,) per curve: (channel − offset) / scale."""
    names: tuple[str, ...]
    """Name of each curve: x, y, z, …"""
    label: str
    """What the vertical axis shows: the unit, and what was subtracted."""
    span: tuple[float, float]
    """Lowest and highest value to show."""
    offset: float
    """Subtracted from the values, in the channel's unit."""
    scale: float
    """The values were divided by it: a power of ten."""


def elements_of(shape: tuple[int, ...]) -> int:
    """Return how many elements one has to choose from before there are few enough curves: 1 when no choice is needed.

    >>> elements_of((3,)), elements_of((10000, 3)), elements_of((500,))
    (1, 10000, 500)
    """
    few = shape and shape[-1] <= COMPONENTS
    return int(np.prod(shape[:-1] if few else shape, dtype=int))


def curves_of(recording: "Recording", name: str, element: int = 0) -> Curves:
    """Return the curves of a channel, of one of its elements when it has many (bodies of a flock)."""
    channel = recording.channel(name)
    time, values = np.asarray(recording.time(name), dtype=float), np.asarray(recording[name])
    count = elements_of(values.shape[1:])
    element = min(max(int(element), 0), count - 1)
    values = values.reshape(len(values), count, prod(values.shape[1:]) // count)[:, element].astype(float)
    labels = recording.manifest.get("labels", {}).get(channel.dims[-1] if channel.dims else "", ())
    names = tuple(labels) if len(labels) == values.shape[1] > 1 else _names(values.shape[1], tuple(channel.dims))
    kept = _extremes(values)
    offset, scale = _readable(values)
    values = (values[kept] - offset) / scale
    return Curves(time[kept], tuple(values.T), names, _label(channel.unit, offset, scale), _span(values), offset, scale)


def with_cursor(curves: Curves, instant: float, *, stretch: float = 0.0) -> tuple[np.ndarray, ...]:
    """Return time, the curves and the cursor, (points + 3,) each.

    All curves of a chart share their instants, so the cursor is a curve too: flat along the bottom, and straight up and
    down at the instant, where the others are interpolated. `stretch` moves the last instant on, as a part of the span.
    """
    at = int(np.searchsorted(curves.time, instant))
    low, high = curves.span
    time = np.insert(curves.time, at, (instant,) * 3)
    time[-1] += stretch * (time[-1] - time[0])
    lines = [np.insert(v, at, (_at(curves, v, instant),) * 3) for v in curves.values]
    cursor = np.full(time.size, low)
    cursor[at + 1] = high
    return (time, *lines, cursor)


def value_at(curves: Curves, instant: float) -> list[float]:
    """Return the values of the curves at an instant, in the channel's unit."""
    return [_at(curves, v, instant) * curves.scale + curves.offset for v in curves.values]


def _at(curves: Curves, values: np.ndarray, instant: float) -> float:
    return float(np.interp(instant, curves.time, values)) if curves.time.size else float("nan")


def _names(count: int, dims: tuple[Any, ...]) -> tuple[str, ...]:
    if count == 1:
        return ("value",)
    if count == 4 and dims and dims[-1] == "quaternion":
        return tuple("wxyz")
    return tuple("xyz") if count == 3 else tuple(str(i) for i in range(count))


def _extremes(values: np.ndarray) -> np.ndarray:
    """Return the indices to keep: all when few, else the lowest and highest of each curve in each slice of time."""
    samples = len(values)
    if samples <= 4 * BUCKETS:
        return np.arange(samples)
    kept = {0, samples - 1}
    for slice_ in np.array_split(np.arange(samples), BUCKETS):
        block = np.nan_to_num(values[slice_])
        kept.update(slice_[block.argmin(axis=0)].tolist())
        kept.update(slice_[block.argmax(axis=0)].tolist())
    return np.array(sorted(kept))


def _readable(values: np.ndarray) -> tuple[float, float]:
    """Return an offset and a power of ten that leave numbers a person can read on an axis (it shows three decimals)."""
    finite = values[np.isfinite(values)]
    if not finite.size:
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    middle, spread = low / 2 + high / 2, high / 2 - low / 2  # in an order that cannot overflow
    offset = 0.0
    if NOISE * abs(middle) < spread < 1e-3 * abs(middle):
        offset = float(f"{middle:.6g}") if spread > 1e-6 * abs(middle) else float(finite[0])
    size = max(abs(low - offset), abs(high - offset))
    if size < 1e-290:
        return offset, 1.0
    power = floor(log10(size))
    return offset, 1.0 if -2 <= power <= 3 else 10.0 ** (3 * floor(power / 3))


def _label(unit: str, offset: float, scale: float) -> str:
    factor = "" if scale == 1 else f"10{str(round(log10(scale))).translate(_SUPERSCRIPT)}"
    shown = " ".join(part for part in (factor, pretty(unit)) if part) or "1"
    return f"{shown} from {offset:.7g}" if offset else shown


def pretty(unit: str) -> str:
    """Return a unit as it is printed.

    >>> pretty("kg m^2/s")
    'kg m²/s'
    """
    return "" if unit == "1" else re.sub(r"\^(-?\d+)", lambda found: found[1].translate(_SUPERSCRIPT), unit)


def _span(values: np.ndarray) -> tuple[float, float]:
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (-1.0, 1.0)
    room = 0.06 * (high - low) if high - low > 2 * NOISE * max(abs(low), abs(high)) else 0.1 * abs(high) or 1.0
    return low - room, high + room
