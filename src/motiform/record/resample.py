"""Recordings at other times, and two recordings side by side."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from motiform.base.errors import InputError
from motiform.record.channel import Channel
from motiform.record.recording import Recording

__all__ = ["Comparison", "Difference", "compare", "resample"]

Method = Literal["linear", "cubic", "previous"]


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
        raise InputError("method", got=method, allowed=", ".join(get_args(Method)))
    chosen = [rec.channel(name) for name in (rec.names if names is None else names)]
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
        raise InputError("times", got=repr(times)[:80], allowed="numbers [s]") from None
    if wanted.ndim != 1 or not np.isfinite(wanted).all() or (np.diff(wanted) < 0).any():
        raise InputError("times", got=f"shape {wanted.shape}", allowed="one axis of finite times that do not decrease")
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
        samples = int(np.floor((end - start) * rate * (1 + 4 * np.finfo(float).eps))) + 1
        return np.minimum(start + np.arange(samples) / rate, end), changed
    assert wanted is not None
    if len(wanted):
        first, last = rec._ends(channel.name) if count else (np.nan, np.nan)
        if not first <= wanted[0] <= wanted[-1] <= last:
            raise InputError(
                "times outside the recording", where=f"channel {channel.name!r}", got=f"{wanted[0]} to {wanted[-1]} s",
                allowed=f"{first} to {last} s" if count else "none, it has no sample",
            )  # fmt: skip
    return wanted, replace(channel, rate=None, start=0.0)


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
    return np.where(share == 0, a, (1 - share) * a + share * b)


def _arc(a: np.ndarray, b: np.ndarray, share: np.ndarray) -> np.ndarray:
    from motiform.spatial import slerp

    known = (np.isfinite(a) & np.isfinite(b)).all(-1) & a.any(-1) & b.any(-1)
    found = np.full(a.shape, np.nan)  # a gap stays a gap
    found[known] = slerp(a[known], b[known], np.broadcast_to(share[..., 0], known.shape)[known])
    return np.where(share == 0, a, found)


def _spline(times: np.ndarray, values: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """Interpolate by cubic splines, one between each two repeated times."""
    from scipy.interpolate import CubicSpline

    found = np.empty((len(goal), *values.shape[1:]))
    breaks = np.flatnonzero(np.diff(times) == 0) + 1
    for first, last in zip([0, *breaks], [*breaks, len(times)], strict=True):
        low = np.searchsorted(goal, times[first], "left") if len(times) else 0
        high = len(goal) if last == len(times) else np.searchsorted(goal, times[last - 1], "left")
        if high > low:
            alone = last - first == 1
            part = goal[low:high]
            found[low:high] = values[first] if alone else CubicSpline(times[first:last], values[first:last])(part)
    return found


@dataclass(frozen=True)
class Difference:
    """How one channel differs between two recordings."""

    name: str
    unit: str
    largest: float
    """Largest |a − b| over the samples that both have; inf where one is nan and the other not."""
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
            size = "identical" if row.identical else "" if row.remark.startswith("missing") else f"{row.largest:.3g}"
            rows.append((row.name, f"{size} {row.unit}".strip() if size != "identical" else size, row.remark))
        rows.append(("events", "identical" if self.events_equal else "differ", ""))
        widths = [max(len(row[k]) for row in rows) for k in (0, 1)]
        return "\n".join(f"{a:<{widths[0]}}  {b:<{widths[1]}}  {c}".rstrip() for a, b, c in rows)


def compare(a: Recording, b: Recording, names: Iterable[str] | None = None) -> Comparison:
    """Set two recordings side by side, channel by channel, block by block."""
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
    remarks += [f"units {one.unit!r} and {two.unit!r}"] if one.unit != two.unit else []
    remarks += [f"types {one.dtype} and {two.dtype}"] if one.dtype != two.dtype else []
    remarks += [] if np.array_equal(a.time(name, 0, count), b.time(name, 0, count)) else ["other times"]
    largest, same = 0.0, True
    for first, x in a.blocks(name):
        y = b.read(name, first, min(first + len(x), count))
        x = x[: len(y)]
        same = same and _bits(x) == _bits(y)
        largest = max(largest, _largest(x, y))
    return Difference(name, one.unit, largest, same and not remarks, ", ".join(remarks))


def _bits(x: np.ndarray) -> bytes:
    return np.ascontiguousarray(x).tobytes()


def _largest(x: np.ndarray, y: np.ndarray) -> float:
    if not x.size:
        return 0.0
    x, y = x.astype(np.float64), y.astype(np.float64)
    with np.errstate(invalid="ignore"):
        gap = np.where((x == y) | (np.isnan(x) & np.isnan(y)), 0.0, np.abs(x - y))
    return float(np.where(np.isnan(gap), np.inf, gap).max())
