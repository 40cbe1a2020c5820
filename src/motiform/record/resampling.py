"""Recordings at other times, and two recordings side by side."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from motiform.base.errors import InputError
from motiform.base.splines import cubic_spline
from motiform.record.channel import Channel
from motiform.record.recording import Recording, check_recording, chosen_channels

__all__ = ["Comparison", "Difference", "compare", "resample"]

Method = Literal["linear", "cubic", "previous"]
_MOST_NUMBERS = 10**9  # of one resampled channel: 8 GB, all in memory


def resample(
    rec: Recording,
    *,
    rate: float | None = None,
    times: Any = None,
    method: Method = "linear",
    names: Iterable[str] | None = None,
) -> Recording:
    """Return the recording in memory with its channels at a rate [Hz] or at given times [s].

    With a rate, each channel runs from its first sample as far as its last. Times lie inside every channel: nothing is
    extrapolated. Unit quaternions (last axis "quaternion") go along the shorter arc at constant speed for "linear" and
    "cubic"; whole numbers and bools always keep the previous value. Where two samples have the same time (before and
    after an event) the later one holds from there on.
    """
    if (rate is None) == (times is None):
        raise InputError("resample takes either rate= or times=", got="both" if times is not None else "none")
    if method not in get_args(Method):
        raise InputError("method must be a known one", got=method, allowed=", ".join(get_args(Method)))
    chosen = chosen_channels(rec, names)
    wanted = None if times is None else _check_times(times)
    channels, arrays, stamps = [], {}, {}
    for channel in chosen:
        goal, changed = _goal(rec, channel, rate, wanted)
        arrays[channel.name] = _interpolate(rec, channel, goal, method)
        channels.append(changed)
        if changed.rate is None:
            stamps[channel.name] = goal
    return Recording.from_arrays(
        channels, arrays, times=stamps, events=rec.events, manifest=rec.manifest, statics=dict(rec.statics)
    )


def _check_times(times: Any) -> np.ndarray:
    try:
        wanted = np.array(times, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("times must be numbers", got=repr(times)[:80], allowed="numbers [s]") from None
    if wanted.ndim != 1 or not np.isfinite(wanted).all() or (np.diff(wanted) < 0).any():
        raise InputError(
            "times must be finite and must not decrease",
            got=f"shape {wanted.shape}",
            allowed="one axis of finite times that do not decrease",
        )
    return wanted


def _goal(
    rec: Recording, channel: Channel, rate: float | None, wanted: np.ndarray | None
) -> tuple[np.ndarray, Channel]:
    """Return the times that a channel is wanted at, and its new description."""
    count = rec.count(channel.name)
    if rate is not None:
        start = float(rec.time(channel.name, 0, 1)[0]) if count else channel.start
        changed = replace(channel, rate=rate, start=start)
        if not count:
            return np.empty(0), changed
        end = float(rec.time(channel.name, -1)[0])
        # A grid that meets the last sample but for rounding includes it; `_interpolate` never looks past it.
        whole = np.floor((end - start) * float(rate) * (1 + 4 * np.finfo(float).eps))
        _check_size(whole + 1, channel, rate)
        samples = int(whole) + 1
        return np.minimum(start + np.arange(samples) / rate, end), changed
    assert wanted is not None
    if len(wanted):
        first, last = rec._ends(channel.name) if count else (np.nan, np.nan)
        if not first <= wanted[0] <= wanted[-1] <= last:
            raise InputError(
                "times must lie within the recording", where=f"channel {channel.name!r}",
                got=f"{wanted[0]} to {wanted[-1]} s",
                allowed=f"{first} to {last} s" if count else "none, it has no sample",
            )  # fmt: skip
    return wanted, replace(channel, rate=None, start=0.0)


def _check_size(samples: float, channel: Channel, rate: float) -> None:
    most = _MOST_NUMBERS // math.prod(channel.shape)
    if samples > most:
        raise InputError(
            "too many samples", where=f"channel {channel.name!r}", got=f"rate {rate:g} Hz, {samples:.3g} samples",
            allowed=f"up to {most} samples", remedy="Choose a lower rate, or a part of it by rec.slice(t0, t1).",
        )  # fmt: skip


def _interpolate(rec: Recording, channel: Channel, goal: np.ndarray, method: Method) -> np.ndarray:
    if np.dtype(channel.dtype).kind != "f":
        method = "previous"
    if method == "previous":
        between: Callable[..., np.ndarray] = _previous
    elif channel.dims[-1:] == ("quaternion",) and channel.shape[-1] == 4:
        between = _arc
    elif method == "linear":
        between = _line
    else:
        return _spline(rec.time(channel.name), rec[channel.name], goal).astype(channel.dtype)
    found = np.empty((len(goal), *channel.shape), channel.dtype)
    done = 0
    for first, block in rec.blocks(channel.name):  # one block at a time, with the first sample of the next
        here = rec.time(channel.name, first, first + len(block) + 1)
        upto = len(goal) if len(here) == len(block) else int(np.searchsorted(goal, here[-1], "left"))
        if upto > done:
            if len(here) > len(block):
                block = np.concatenate([block, rec.read(channel.name, first + len(block), first + len(block) + 1)])
            part = goal[done:upto]
            left = np.clip(np.searchsorted(here, part, "right") - 1, 0, len(here) - 1)
            right = np.minimum(left + 1, len(here) - 1)
            step = here[right] - here[left]
            share = np.divide(part - here[left], step, out=np.zeros(len(part)), where=step > 0)
            found[done:upto] = between(block[left], block[right], share.reshape(-1, *(1 for _ in channel.shape)))
            done = upto
    return found


def _previous(a: np.ndarray, b: np.ndarray, share: np.ndarray) -> np.ndarray:
    return a


def _line(a: np.ndarray, b: np.ndarray, share: np.ndarray) -> np.ndarray:
    # Not a + share (b - a): at share 0 a missing b (nan) must not reach a, and the ends come out exactly.
    with np.errstate(invalid="ignore"):  # 0 · inf
        return np.where(share == 0, a, (1 - share) * a + share * b)


def _arc(a: np.ndarray, b: np.ndarray, share: np.ndarray) -> np.ndarray:
    from motiform.spatial import slerp

    known = (np.isfinite(a) & np.isfinite(b)).all(-1) & a.any(-1) & b.any(-1)
    found = np.full(a.shape, np.nan)  # a gap stays a gap
    found[known] = slerp(a[known], b[known], np.broadcast_to(share[..., 0], known.shape)[known])
    return np.where(share == 0, a, found)


def _spline(times: np.ndarray, values: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """Interpolate by cubic splines, one between each two repeated times."""
    found = np.empty((len(goal), *values.shape[1:]))
    breaks = np.flatnonzero(np.diff(times) == 0) + 1
    for first, last in zip([0, *breaks], [*breaks, len(times)], strict=True):
        low = np.searchsorted(goal, times[first], "left") if len(times) else 0
        high = len(goal) if last == len(times) else np.searchsorted(goal, times[last - 1], "left")
        if high > low:
            alone = last - first == 1
            part = goal[low:high]
            found[low:high] = values[first] if alone else cubic_spline(times[first:last], values[first:last])(part)
    return found


@dataclass(frozen=True)
class Difference:
    """How one channel differs between two recordings."""

    name: str
    unit: str
    largest: float
    """Largest |a − b| over the instants that both have; inf where one is nan and the other not, nan without any."""
    identical: bool
    """Every bit is the same: samples, times, counts, unit."""
    remark: str = ""
    """What else differs: missing, other counts, units, shapes or times."""


@dataclass(frozen=True)
class Comparison:
    """How two recordings differ; ``str()`` is a table."""

    channels: tuple[Difference, ...]
    events_equal: bool

    @property
    def identical(self) -> bool:
        """Every bit of the channels and events is the same."""
        return self.events_equal and all(row.identical for row in self.channels)

    @property
    def missing(self) -> list[str]:
        """Names of the channels that one of the two lacks."""
        return [row.name for row in self.channels if row.remark.startswith("missing")]

    def __getitem__(self, name: str) -> Difference:
        for row in self.channels:
            if row.name == name:
                return row
        raise InputError("no such channel", got=name, allowed=", ".join(row.name for row in self.channels))

    def __str__(self) -> str:
        rows = [("channel", "largest |Δ|", "")]
        for row in self.channels:
            size = "" if np.isnan(row.largest) else f"{row.largest:.3g} {row.unit}".strip()
            rows.append((row.name, "identical" if row.identical else size, row.remark))
        rows.append(("events", "identical" if self.events_equal else "differ", ""))
        widths = [max(len(row[k]) for row in rows) for k in (0, 1)]
        return "\n".join(f"{a:<{widths[0]}}  {b:<{widths[1]}}  {c}".rstrip() for a, b, c in rows)


def compare(a: Recording, b: Recording, names: Iterable[str] | None = None) -> Comparison:
    """Set two recordings side by side, channel by channel, block by block.

    Samples are compared at the instants that both have; where their times differ the remark says how many these are.
    """
    check_recording(a)
    check_recording(b)
    wanted = [*a, *(name for name in b if name not in a)] if names is None else list(names)
    return Comparison(tuple(_difference(a, b, name) for name in wanted), a.events == b.events)


def _difference(a: Recording, b: Recording, name: str) -> Difference:
    if name not in a or name not in b:
        if name not in a and name not in b:
            a.channel(name)  # says what is known
        where = "first" if name not in a else "second"
        return Difference(name, (b if name not in a else a).unit(name), np.nan, False, f"missing in the {where}")
    one, two = a.channel(name), b.channel(name)
    if one.shape != two.shape:
        return Difference(name, one.unit, np.nan, False, f"shapes {one.shape} and {two.shape}")
    count = min(a.count(name), b.count(name))
    remarks = [f"{a.count(name)} and {b.count(name)} samples"] if a.count(name) != b.count(name) else []
    units = [channel.units or channel.unit for channel in (one, two)]
    remarks += [f"units {units[0]!r} and {units[1]!r}"] if units[0] != units[1] else []
    remarks += [f"types {one.dtype} and {two.dtype}"] if one.dtype != two.dtype else []
    if not np.array_equal(a.time(name, 0, count), b.time(name, 0, count)):
        largest, remark = _at_common_instants(a, b, name)
        return Difference(name, one.unit, largest, False, ", ".join([*remarks, remark]))
    largest, same = 0.0 if count or not remarks else np.nan, True
    for first, x in a.blocks(name):
        y = b.read(name, first, min(first + len(x), count))
        x = x[: len(y)]
        same = same and _bits(x) == _bits(y)
        largest = max(largest, _largest(x, y)) if len(y) else largest
    return Difference(name, one.unit, largest, same and not remarks, ", ".join(remarks))


def _at_common_instants(a: Recording, b: Recording, name: str) -> tuple[float, str]:
    """Return the largest difference over the instants that two channels share, nan without any, and how many."""
    if a.count(name) < b.count(name):
        a, b = b, a  # blocks of the longer one: those of the other are shorter
    here, there = _common(a.time(name), b.time(name))
    if not len(here):
        return np.nan, "other times, none in common"
    largest = 0.0
    for first, x in a.blocks(name):
        low, high = np.searchsorted(here, (first, first + len(x)))
        if high > low:
            y = b.read(name, int(there[low]), int(there[high - 1]) + 1)
            largest = max(largest, _largest(x[here[low:high] - first], y[there[low:high] - there[low]]))
    return largest, f"other times, compared at {len(here)} common instant{'s' if len(here) > 1 else ''}"


def _common(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices in both of the instants that they share, but for rounding.

    Times that repeat (before and after an event) are left out: which belongs to which is not known.
    """
    if not len(a) or not len(b):
        return np.empty(0, int), np.empty(0, int)
    # start + i / rate: three roundings on either side, and one of the rate itself.
    tolerance = 8 * np.finfo(float).eps * max(np.abs(a[[0, -1]]).max(), np.abs(b[[0, -1]]).max())
    right = np.clip(np.searchsorted(a, b), 1, max(1, len(a) - 1)) if len(a) > 1 else np.zeros(len(b), int)
    left = np.maximum(right - 1, 0)
    near = np.where(np.abs(b - a[left]) <= np.abs(a[right] - b), left, right)
    found = (np.abs(a[near] - b) <= tolerance) & _single(a, tolerance)[near] & _single(b, tolerance)
    return near[found], np.flatnonzero(found)


def _single(times: np.ndarray, tolerance: float) -> np.ndarray:
    """Tell which times stand alone."""
    apart = np.diff(times) > tolerance
    return np.concatenate([[True], apart]) & np.concatenate([apart, [True]])


def _bits(x: np.ndarray) -> bytes:
    return np.ascontiguousarray(x).tobytes()


def _largest(x: np.ndarray, y: np.ndarray) -> float:
    if not x.size:
        return 0.0
    x, y = x.astype(np.float64), y.astype(np.float64)
    with np.errstate(invalid="ignore"):
        gap = np.where((x == y) | (np.isnan(x) & np.isnan(y)), 0.0, np.abs(x - y))
    return float(np.where(np.isnan(gap), np.inf, gap).max())
