"""Recordings: channels over time with a manifest, in memory or on disk."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from motiform.base.errors import InputError, RecordingError
from motiform.base.machine import check_memory
from motiform.record.channel import Channel, Event
from motiform.record.files import AnyPath
from motiform.record.labels import Selection, labels, select
from motiform.record.samples import BLOCK_BYTES, WHOLE_BYTES, Samples
from motiform.record.sources import Source, WindowSource, frozen

if TYPE_CHECKING:
    import pandas
    import xarray

__all__ = ["Recording", "check_recording", "chosen_channels"]


class Writers(Protocol):
    """What makes other things of a recording. `motiform.record` sets it, so that imports point one way."""

    def record_arrays(
        self, channels: Sequence[Channel], arrays: Mapping[str, Any], times: Any, events: Iterable[Event],
        manifest: Mapping[str, Any] | None, statics: Mapping[str, Any] | None,
    ) -> "Recording":  # fmt: skip
        """Return a recording in memory."""

    def save_recording(self, rec: "Recording", path: AnyPath, *, overwrite: bool = False) -> "Recording":
        """Write a recording to a folder and return it as read from there."""

    def to_pandas(self, rec: "Recording", names: Iterable[str] | None = None) -> "pandas.DataFrame":
        """Return a DataFrame with one column per number."""

    def to_xarray(self, rec: "Recording", names: Iterable[str] | None = None) -> "xarray.Dataset":
        """Return a Dataset with a variable per channel."""


class Recording:
    """Channels over time, events and a manifest. Passed from stage to stage, and what is on disk.

    ``rec["q"]`` is an array (samples, *shape) that cannot be written; copy it to change it. A recording on disk reads
    what is asked for, when it is asked. Wherever a channel is asked for, so can a part of it be, by the labels of its
    axes: ``rec["q.right_knee_extension"]`` (samples,), ``rec.unit("solid.wrench.right_foot.force_y")``.
    """

    _writers: ClassVar[Writers]

    def __init__(
        self, channels: Iterable[Channel], source: Source, *, events: Iterable[Event] = (),
        manifest: Mapping[str, Any] | None = None, complete: bool = True, checkpoint: Mapping[str, Any] | None = None,
        path: Path | None = None,
    ) -> None:  # fmt: skip
        self._channels = {channel.name: channel for channel in channels}
        self._source = source
        self.events: list[Event] = list(events)
        """What happened at instants, in the order in which it was told."""
        self.manifest: dict[str, Any] = dict(manifest or {})
        """How it was made: scene, version, seed, parameters, machine. JSON-able."""
        self.complete = complete
        """False when the run that wrote it did not reach its end."""
        self.checkpoint = None if checkpoint is None else dict(checkpoint)
        """What a resumed run starts from, where the writer left one."""
        self.path = path
        """The folder that it is read from, or None in memory."""

    @classmethod
    def from_arrays(
        cls,
        data: Mapping[str, tuple[Any, ...]] | Sequence[Channel],
        arrays: Mapping[str, Any] | None = None,
        *,
        times: Any = None,
        events: Iterable[Event] = (),
        manifest: Mapping[str, Any] | None = None,
        statics: Mapping[str, Any] | None = None,
    ) -> "Recording":
        """Make a recording in memory from ``{name: (Channel, array)}``, or from channels and ``{name: array}``.

        Channels without a rate take their times [s] from ``times``: one array for all, or ``{name: times}``.

        >>> rec = Recording.from_arrays({"x": (Channel("x", unit="m", rate=10.0), [0.0, 1.0, 4.0])})
        >>> rec["x"], rec.time("x"), rec.unit("x")
        (array([0., 1., 4.]), array([0. , 0.1, 0.2]), 'm')
        """
        if isinstance(data, Mapping):
            channels = [_named(name, pair) for name, pair in data.items()]
            arrays = {name: pair[1] for name, pair in data.items()}
        else:
            channels = list(data)
        return cls._writers.record_arrays(channels, arrays or {}, times, events, manifest, statics)

    @property
    def names(self) -> list[str]:
        """Names of the channels."""
        return list(self._channels)

    def __iter__(self) -> Iterator[str]:
        return iter(self._channels)

    def __len__(self) -> int:
        return len(self._channels)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._channels

    def channel(self, name: str) -> Channel:
        """Return the description of a channel, or of a part of one."""
        return self.select(name).channel

    def select(self, name: str) -> Selection:
        """Return the channel, or part of one by the labels of its axes, that a name refers to."""
        return select(name, self._channels, self.manifest.get("labels"), self._where)

    def unit(self, name: str) -> str:
        """Return the unit of a channel; "" where its numbers have several (``rec.channel(name).units``)."""
        return self.channel(name).unit

    def labels(self, name: str) -> tuple[tuple[str, ...], ...]:
        """Return the labels along each axis of a channel after time: names, or numbers from 0 where there are none."""
        return labels(self.channel(name), self.manifest.get("labels"))

    def count(self, name: str) -> int:
        """Return the number of samples of a channel."""
        return self._source.counts[self.select(name).whole]

    def __getitem__(self, name: str) -> np.ndarray:
        return self.read(name)

    def read(self, name: str, first: int = 0, last: int | None = None) -> np.ndarray:
        """Return samples first to last (excluded, None: the end) of a channel; only these are read from disk.

        Indices count from the end where negative and are cut to what is there, as in a slice of an array.
        """
        chosen = self.select(name)
        whole, count = self._channels[chosen.whole], self._source.counts[chosen.whole]
        first, last = self._range(count, first, last)
        if not chosen.index or count * whole.sample_bytes <= WHOLE_BYTES:
            block = self._source.read(chosen.whole, first, max(first, last))
            return block[(slice(None), *chosen.index)] if chosen.index else block
        samples = Samples(partial(self._source.read, chosen.whole), (count, *whole.shape), whole.dtype)
        return frozen(samples[(slice(first, last), *chosen.index)])

    def samples(self, name: str) -> "np.ndarray | Samples":
        """Return a channel as it can be drawn: an array, or of a large recording on disk `Samples`, read when used."""
        held = sum(self.count(own) * channel.sample_bytes for own, channel in self._channels.items())
        if self.path is None or held <= WHOLE_BYTES:
            return self[name]
        channel = self.channel(name)
        return Samples(partial(self.read, name), (self.count(name), *channel.shape), channel.dtype)

    def _range(self, count: int, first: Any, last: Any) -> tuple[int, int]:
        """Return the indices of a range of samples, cut to the number that is there."""
        try:
            low, high, _ = slice(first, last).indices(count)
        except TypeError:
            got = f"{first!r} to {last!r}"[:60]
            raise InputError("samples must be whole numbers", where=self._where, got=got, allowed="indices") from None
        return low, high

    def time(self, name: str, first: int = 0, last: int | None = None) -> np.ndarray:
        """Return the times [s] of samples first to last (excluded, None: the end) of a channel."""
        chosen = self.select(name)
        channel = chosen.channel
        first, last = self._range(self._source.counts[chosen.whole], first, last)
        if channel.rate is None:
            return self._source.read_times(chosen.whole, first, max(first, last))
        check_memory(
            8.0 * (last - first), "times that are read at once", where=self._where, got=f"{last - first} samples",
            error=RecordingError, remedy="Read them block by block.",
        )  # fmt: skip
        return channel.start + np.arange(first, max(first, last)) / channel.rate

    def blocks(self, name: str, samples: int | None = None) -> Iterator[tuple[int, np.ndarray]]:
        """Walk through a channel: (index of the first sample, block), a few MiB at a time, or so many samples."""
        whole = self._channels[self.select(name).whole]
        size = max(1, samples or BLOCK_BYTES // whole.sample_bytes)
        for first in range(0, self.count(name), size):
            yield first, self.read(name, first, first + size)

    @property
    def statics(self) -> Mapping[str, np.ndarray]:
        """Arrays without time by name, such as the vertices of a mesh."""
        return _Statics(self._source)

    @property
    def span(self) -> tuple[float, float] | None:
        """Times [s] of the first and the last sample over all channels, or None when there is no sample."""
        ends = [self._ends(name) for name in self if self.count(name)]
        return (min(a for a, _ in ends), max(b for _, b in ends)) if ends else None

    @property
    def duration(self) -> float:
        """Time from the first to the last sample over all channels [s]; 0 when there is no sample."""
        return 0.0 if self.span is None else self.span[1] - self.span[0]

    @property
    def warning(self) -> str | None:
        """A warning that the run did not reach its end, or None."""
        if self.complete:
            return None
        upto = "no sample" if self.span is None else f"samples up to t = {self.span[1]:g} s"
        return (
            f"{self._where} is incomplete: the run that wrote it was interrupted, or is still running. "
            f"It holds {upto}, the last that were committed."
        )

    def slice(self, t0: float | None = None, t1: float | None = None) -> "Recording":
        """Return the part with t0 ≤ t ≤ t1 [s]; None leaves an end open. Nothing is read until it is asked for."""
        low = -np.inf if t0 is None else _seconds(t0, "t0", self._where)
        high = np.inf if t1 is None else _seconds(t1, "t1", self._where)
        if not low <= high:
            raise RecordingError(
                "the slice is empty", where=self._where, got=f"t0 = {t0}, t1 = {t1}", allowed="t0 ≤ t1"
            )
        ranges = {name: (self._find(name, low, False), self._find(name, high, True)) for name in self}
        channels = [
            replace(channel, start=channel.start + ranges[channel.name][0] / channel.rate) if channel.rate else channel
            for channel in self._channels.values()
        ]
        events = [event for event in self.events if low <= event.time <= high]
        window = WindowSource(self._source, ranges)
        return Recording(
            channels, window, events=events, manifest=self.manifest, complete=self.complete, path=self.path
        )

    def save(self, path: AnyPath, *, overwrite: bool = False) -> "Recording":
        """Write it to a folder, block by block, and return it as read from there."""
        return self._writers.save_recording(self, path, overwrite=overwrite)

    def to_xarray(self, names: Iterable[str] | None = None) -> "xarray.Dataset":
        """Return an xarray Dataset: a variable per channel with its unit, time as a coordinate."""
        return self._writers.to_xarray(self, names)

    def to_pandas(self, names: Iterable[str] | None = None) -> "pandas.DataFrame":
        """Return a pandas DataFrame with one column per number, indexed by time; the channels share their times."""
        return self._writers.to_pandas(self, names)

    def __repr__(self) -> str:
        state = "complete" if self.complete else "INCOMPLETE"
        lines = [f"<{self._where}: {len(self)} channels, {self.duration:g} s, {state}>"]
        width = max((len(name) for name in self), default=0)
        for name, channel in self._channels.items():
            when = "own times" if channel.rate is None else f"{channel.rate:g} Hz"
            axes = " × ".join(f"{dim} {size}" for dim, size in zip(channel.dims, channel.shape, strict=True))
            parts = (
                f"{self.count(name)} samples",
                when,
                axes,
                channel.unit and f"[{channel.unit}]",
                channel.units and f"[{', '.join(dict.fromkeys(unit or '1' for unit in channel.units))}]",
                channel.description,
            )
            lines.append(f"  {name:<{width}}  " + ", ".join(part for part in parts if part))
        lines += [f"  statics: {', '.join(self.statics)}"] if len(self.statics) else []
        lines += [f"  events: {len(self.events)}"] if self.events else []
        return "\n".join(lines + ([f"  {self.warning}"] if self.warning else []))

    @property
    def _where(self) -> str:
        title = self.manifest.get("title")
        return str(self.path) if self.path else f"Recording {title!r}" if title else "Recording in memory"

    def _ends(self, name: str) -> tuple[float, float]:
        return float(self.time(name, 0, 1)[0]), float(self.time(name, -1)[0])

    def _find(self, name: str, t: float, after: bool) -> int:
        """Return the index of the first sample at t or later (after: later than t), by halving."""
        low, high = 0, self.count(name)
        while low < high:
            middle = (low + high) // 2
            sample = self.time(name, middle, middle + 1)[0]
            if sample < t or (after and sample == t):
                low = middle + 1
            else:
                high = middle
        return low


class _Statics(Mapping[str, np.ndarray]):
    def __init__(self, source: Source) -> None:
        self._source = source

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._source.static_names():
            known = ", ".join(self) or "there is none"
            raise RecordingError("no such static array", got=repr(name), allowed=known)
        return self._source.read_static(name)

    def __contains__(self, name: object) -> bool:
        return name in self._source.static_names()

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self else default  # noqa: SIM401, this is what it means

    def __iter__(self) -> Iterator[str]:
        return iter(self._source.static_names())

    def __len__(self) -> int:
        return len(self._source.static_names())

    def __repr__(self) -> str:
        return f"<statics: {', '.join(self) or 'none'}>"


def chosen_channels(rec: Recording, names: Iterable[str] | None) -> list[Channel]:
    """Return the channels of these names, or all; say so where this is no recording or these are no names."""
    check_recording(rec)
    if names is not None and (isinstance(names, str) or not isinstance(names, Iterable)):
        raise RecordingError(
            "names must be a list of channels", got=repr(names)[:80], allowed="a list of names of channels"
        )
    return [rec.channel(name) for name in (rec.names if names is None else names)]


def check_recording(value: Any) -> None:
    """Refuse what is not a recording."""
    if not isinstance(value, Recording):
        remedy = "Open it by open_recording(path)." if isinstance(value, (str, os.PathLike)) else None
        raise RecordingError("a recording is needed", got=repr(value)[:80], allowed="a Recording", remedy=remedy)


def _seconds(value: Any, what: str, where: str) -> float:
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        return float(value)
    except (TypeError, ValueError, OverflowError):
        got = value[:80] if isinstance(value, str) else repr(value)[:80]
        raise RecordingError(f"{what} must be a number", where=where, got=got, allowed="a time [s], or None") from None


def _named(name: str, pair: Any) -> Channel:
    if not (isinstance(pair, (tuple, list)) and len(pair) == 2 and isinstance(pair[0], Channel)):
        raise RecordingError(
            "data of a channel must be a pair", where=repr(name), got=type(pair).__name__, allowed="(Channel, array)"
        )
    if pair[0].name != name:
        raise RecordingError("the key is not the channel's name", got=name, allowed=repr(pair[0].name))
    return pair[0]
