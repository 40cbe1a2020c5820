"""Curves of a channel for a plot: selected components as lines or as median and band, reduced to the resolution."""

import math
import warnings
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from motiform.base.errors import InputError
from motiform.record.labels import axis_names

if TYPE_CHECKING:
    from motiform.record import Recording

__all__ = [
    "LINES", "ChannelPart", "PlotCurves", "check_samples", "extremes", "extremes_of_band", "largest_range", "parts",
    "read_curves",
]  # fmt: skip

_FEW = 8  # elements or components that are drawn each by itself
LINES = 12  # lines whose names fit beside the axes
_LARGEST = 1e307  # beyond it matplotlib's sums overflow: it is not drawn, as what is infinite is not
_BUCKETS = 1500  # columns of a page-wide figure at 200 dpi: more samples cannot be seen


@dataclass(frozen=True)
class ChannelPart:
    """Numbers of a channel that share a unit: (elements, components) of each sample."""

    name: str
    """What is plotted: a channel, or a part of one that is chosen by name."""
    unit: str
    elements: tuple[str, ...]
    components: tuple[str, ...]
    columns: tuple[int, ...]
    """Which of the last axis; () for all."""

    @property
    def spread(self) -> bool:
        """Whether there are so many elements that they are drawn as median and band."""
        elements, components = len(self.elements), len(self.components)
        return elements > _FEW or (elements > 1 and elements * components > LINES)

    @property
    def labels(self) -> list[str]:
        """What each line is called, the components of an element after one another; "" where there is but one."""
        return [" ".join(part for part in pair if part) for pair in product(self.elements, self.components)]


@dataclass(frozen=True)
class PlotCurves:
    """Numbers over time."""

    times: np.ndarray
    """[s], (samples,)."""
    values: np.ndarray
    """(samples, elements, components), or low, middle and high of many elements, (samples, 3, components)."""


def check_samples(rec: "Recording", name: str) -> None:
    """Refuse a channel without a course over time."""
    count = rec.count(name)
    if count < 2:
        raise InputError(
            "a plot over time needs more samples", where=rec._where, got=f"{count} of {name!r}", allowed="2 or more",
            remedy=None if rec.complete else "The run that wrote it did not reach its end.",
        )  # fmt: skip


def parts(rec: "Recording", name: str) -> list[ChannelPart]:
    """Return what is plotted of a channel: a part for each unit."""
    channel = rec.channel(name)
    if not channel.shape:
        return [ChannelPart(name, channel.unit, ("",), ("",), ())]
    *outer, last = rec.labels(name)
    named = axis_names(channel, rec.manifest.get("labels"))[-1] is not None
    elements = tuple(".".join(one) for one in product(*outer))
    if not named or (len(elements) > 1 and len(last) > _FEW):  # one is like the other
        elements, last = tuple(".".join(pair).lstrip(".") for pair in product(elements, last)), ("",)
    units = channel.units or (channel.unit,) * len(last)
    if len(units) != len(last):  # all numbers are elements, with units of their own
        return [ChannelPart(name, "", elements, last, ())]
    found = []
    for unit in dict.fromkeys(units):
        columns = tuple(k for k, own in enumerate(units) if own == unit)
        found.append(ChannelPart(name, unit, elements, tuple(last[k] for k in columns), columns))
    return found


def read_curves(rec: "Recording", part: ChannelPart, *, band: bool, drift: bool = False) -> PlotCurves:
    """Return a part of a channel over time, read block by block.

    Parameters
    ----------
    band : whether the elements are summed up by quantiles.
    drift : take the distance from the first sample, over all components.
    """
    found, start = [], None
    for _, block in rec.blocks(part.name):
        some = np.asarray(block, dtype=float).reshape(len(block), len(part.elements), -1)
        some = some[..., list(part.columns)] if part.columns else some
        start = some[:1] if start is None else start
        with np.errstate(over="ignore", invalid="ignore"):  # a distance that is too large, or of what is infinite
            some = np.linalg.norm(some - start, axis=-1, keepdims=True) if drift else some
        some = np.where(np.abs(some) > _LARGEST, np.nan, some)
        found.append(_quantiles(some) if band else some)
    return PlotCurves(rec.time(part.name), np.concatenate(found))


def largest_range(curves: PlotCurves, most: int = LINES) -> list[int]:
    """Return which components of a single element vary the most over time, in their order."""
    values = curves.values[:, 0]
    known = np.where(np.isfinite(values), values, np.nan)
    span = np.fmax.reduce(known) - np.fmin.reduce(known)
    return sorted(np.argsort(-np.nan_to_num(span), kind="stable")[:most].tolist())


def _quantiles(block: np.ndarray) -> np.ndarray:
    """Return the 5, 50 and 95 % quantiles over the elements; gaps do not count."""
    quantile = np.nanquantile if np.isnan(block).any() else np.quantile
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of samples without any: they stay gaps
        return np.moveaxis(quantile(block, (0.05, 0.5, 0.95), axis=1), 0, 1)


def extremes(values: np.ndarray) -> np.ndarray:
    """Return the samples to draw: all, or the lowest and highest of each of many equal stretches, first and last."""
    count = len(values)
    width = math.ceil(count / _BUCKETS)
    if width <= 2:
        return np.arange(count)
    whole = count // width * width
    starts = np.arange(0, whole, width)
    stretch = values[:whole].reshape(-1, width)
    gap = np.isnan(stretch)
    low = starts + np.argmin(np.where(gap, np.inf, stretch), axis=1)
    high = starts + np.argmax(np.where(gap, -np.inf, stretch), axis=1)
    return np.unique(np.concatenate([[0], low, high, np.arange(whole, count), [count - 1]]))


def extremes_of_band(times: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the band by the extremes of many equal stretches, at their first instants."""
    width = math.ceil(len(times) / _BUCKETS)
    if width <= 2:
        return times, low, high
    starts = np.arange(0, len(times), width)
    low, high = np.fmin.reduceat(low, starts), np.fmax.reduceat(high, starts)
    return np.append(times[starts], times[-1]), np.append(low, low[-1]), np.append(high, high[-1])
