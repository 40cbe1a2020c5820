"""Curves of one channel for a plot, reduced and scaled, with a time cursor."""

from dataclasses import dataclass
from itertools import product
from math import floor, log10, prod
from typing import TYPE_CHECKING

import numpy as np

from motiform.image.style import SUPERSCRIPT, pretty_unit
from motiform.record.labels import axis_names

if TYPE_CHECKING:
    from motiform.record import Recording

__all__ = ["ChartCurves", "curves_of", "element", "element_names", "elements_of", "value_at", "with_cursor"]

BUCKETS = 300  # a plot is a few hundred pixels wide: the extremes of so many time slices look the same as all samples
COMPONENTS = 8  # a last axis up to this long is drawn as that many curves, a longer one is chosen from
NAMED = 500  # elements that are chosen by name; more by number
NOISE = 16 * np.finfo(float).eps  # relative: less than this is rounding, not a curve worth zooming in on


@dataclass(frozen=True)
class ChartCurves:
    """Curves over time, ready to draw."""

    time: np.ndarray
    """Instants [s], (points,)."""
    values: tuple[np.ndarray, ...]
    """One array (points,) per curve: (channel − offset) / scale."""
    names: tuple[str, ...]
    """Name of each curve: x, y, z, a coordinate, …"""
    units: tuple[str, ...]
    """Unit of each curve."""
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
    return prod(_chosen(shape))


def element_names(recording: "Recording", name: str) -> tuple[str, ...]:
    """Return the names of the elements to choose from; () where they have none, are too many, or need no choice."""
    shape = recording.channel(name).shape
    chosen = len(_chosen(shape))
    names_of = axis_names(recording.channel(name), recording.manifest.get("labels"))[:chosen]
    if not 1 < elements_of(shape) <= NAMED or all(names is None for names in names_of):
        return ()
    return tuple(".".join(labels) for labels in product(*recording.labels(name)[:chosen]))


def element(recording: "Recording", name: str, number: int) -> str:
    """Return the name of one element of a channel, by its number; one that is too high is the last."""
    shape = _chosen(recording.channel(name).shape)
    number = min(max(int(number), 0), prod(shape) - 1)
    labels = [axis[k] for axis, k in zip(recording.labels(name), np.unravel_index(number, shape), strict=False)]
    return ".".join([name, *labels])


def _chosen(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the axes along which an element is chosen."""
    few = not shape or shape[-1] <= COMPONENTS
    return shape[:-1] if few else shape


def curves_of(recording: "Recording", name: str) -> ChartCurves:
    """Return the curves of a channel, or of a part of one that is chosen by name; its last axis gives the curves."""
    channel = recording.channel(name)
    time, values = np.asarray(recording.time(name), dtype=float), np.asarray(recording[name], dtype=float)
    values = values.reshape(len(values), prod(channel.shape))
    names = recording.labels(name)[-1] if channel.shape else ("value",)
    units = channel.units or (channel.unit,) * len(names)
    kept = _extremes(values)
    offset, scale = _readable(values)
    values = (values[kept] - offset) / scale
    label = _label(units, offset, scale)
    return ChartCurves(time[kept], tuple(values.T), names, units, label, _span(values), offset, scale)


def with_cursor(curves: ChartCurves, instant: float, *, stretch: float = 0.0) -> tuple[np.ndarray, ...]:
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


def value_at(curves: ChartCurves, instant: float) -> list[float]:
    """Return the values of the curves at an instant, in the channel's unit."""
    return [_at(curves, v, instant) * curves.scale + curves.offset for v in curves.values]


def _at(curves: ChartCurves, values: np.ndarray, instant: float) -> float:
    return float(np.interp(instant, curves.time, values)) if curves.time.size else float("nan")


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


def _label(units: tuple[str, ...], offset: float, scale: float) -> str:
    factor = "" if scale == 1 else f"10{str(round(log10(scale))).translate(SUPERSCRIPT)}"
    unit = ", ".join(dict.fromkeys(pretty_unit(unit) or "1" for unit in units))
    shown = " ".join(part for part in (factor, unit if unit != "1" or not factor else "") if part)
    return f"{shown} from {offset:.7g}" if offset else shown


def _span(values: np.ndarray) -> tuple[float, float]:
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (-1.0, 1.0)
    room = 0.06 * (high - low) if high - low > 2 * NOISE * max(abs(low), abs(high)) else 0.1 * abs(high) or 1.0
    return low - room, high + room
