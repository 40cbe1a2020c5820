"""Recorders: write a recording sample by sample, to disk or to memory, so that a killed run loses little."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any

import numpy as np

from motiform.base.errors import InputError, MotiformError, closest
from motiform.record.channel import Channel, Event
from motiform.record.files import AnyPath
from motiform.record.manifest import check_manifest
from motiform.record.plain import to_plain
from motiform.record.recording import Recording
from motiform.record.sinks import CommitBatch, Key, MemorySink, Sink, unpack_checkpoint

__all__ = ["Recorder"]

_CHUNK_BYTES = 4 * 2**20
_COMMIT_SECONDS = 2.0
_COMMIT_SHARE = 10  # a write that took s seconds is not followed by one for its age alone before 10 s have passed

_Checkpoint = Mapping[str, Any] | Callable[[], Mapping[str, Any]] | None


@dataclass(frozen=True)
class _Entry:
    """One call of append, with the counts, last times and waiting bytes after it."""

    blocks: dict[Key, np.ndarray]
    counts: dict[str, int]
    ends: dict[str, float]
    waiting: int


class Recorder:
    """Writes a recording: append samples, commit now and then, finish.

    As a context manager it finishes at the end of the block; when an exception (or Ctrl-C) leaves the block, every
    appended sample is committed and the recording stays incomplete. The folder appears with the first commit: a run
    that ends before it has appended anything leaves nothing, and a recording that was to be replaced is still there.

    >>> with Recorder(None, [Channel("x", unit="m", rate=100.0)], manifest={"title": "fall"}) as recorder:
    ...     for k in range(3):
    ...         recorder.append({"x": [-9.81 * (k / 100) ** 2 / 2]})
    ...         _ = recorder.commit({"step": k})
    >>> recorder.finish().count("x")
    3

    Parameters
    ----------
    path : folder to write, by custom ``name.mf``; None keeps everything in memory, with the same interface
    channels : what is recorded
    manifest : how it is made, JSON-able
    statics : arrays without time by name
    overwrite : whether a recording that is there already may be replaced; one without a sample, left by a run that was
        killed, always is
    whole : whether the folder appears only when the recording is finished or closed; an exception then leaves nothing
    chunk_bytes : largest size of a chunk before compression, and about how much waits in memory for a commit
    """

    def __init__(
        self, path: AnyPath | None, channels: Iterable[Channel], *, manifest: Mapping[str, Any] | None = None,
        statics: Mapping[str, Any] | None = None, overwrite: bool = False, whole: bool = False,
        chunk_bytes: int = _CHUNK_BYTES,
    ) -> None:  # fmt: skip
        channels = _check_channels(channels)
        for name, table in (("manifest", manifest), ("statics", statics)):
            if table is not None and not isinstance(table, Mapping):
                raise InputError(f"{name} must be a table", got=repr(table)[:60], allowed="a dict with text as keys")
        plain = to_plain(dict(manifest or {}), "manifest")
        arrays = {str(name): _check_static(str(name), value) for name, value in (statics or {}).items()}
        if not isinstance(chunk_bytes, int) or chunk_bytes < 1:
            raise InputError(
                "chunk_bytes must be above 0", got=repr(chunk_bytes), allowed="a whole number of bytes above 0"
            )
        if path is None:
            sink: Sink = MemorySink(channels, plain, arrays)
        else:
            from motiform.record.writer import create_sink

            check_manifest(plain, str(path))  # or it could not be opened
            sink = create_sink(path, channels, plain, arrays, overwrite=overwrite, chunk_bytes=chunk_bytes)
        self._begin(sink, chunk_bytes, whole)

    @classmethod
    def resume(cls, path: AnyPath, *, discard: bool = False, chunk_bytes: int = _CHUNK_BYTES) -> "Recorder":
        """Open an incomplete recording to continue it.

        It is cut back to its last checkpoint, so a run that starts again from ``.checkpoint`` writes the same bits as
        one that was never interrupted; a recording whose commits had no checkpoint goes on after its last sample. When
        the run was killed before its first commit, ``.checkpoint`` is None and ``.counts`` are 0: samples that were
        written before (the recorder does so when many wait, or when an exception ends the run) are thrown away only
        with ``discard=True``, right for a run that makes them again.
        """
        from motiform.record.writer import resume_sink

        recorder = cls.__new__(cls)
        recorder._begin(resume_sink(path, discard=discard), chunk_bytes)
        return recorder

    def _begin(self, sink: Sink, chunk_bytes: int, whole: bool = False) -> None:
        self._sink, self._limit, self._whole = sink, chunk_bytes, whole
        # The first entry is what the sink has; the others wait to be written.
        self._pending = [_Entry({}, dict(sink.counts), dict(sink.ends), 0)]
        self._events = list(sink.events)
        self._channels = {channel.name: channel for channel in sink.channels}
        self._result: Recording | None = None
        self._closed = False
        self._free = any(sink.counts.values())  # commits had no checkpoint: a resumed run goes on anywhere
        self._next_commit = monotonic() + _COMMIT_SECONDS

    @property
    def path(self) -> Path | None:
        """The folder that is written, or None."""
        return self._sink.path

    @property
    def channels(self) -> list[Channel]:
        """What is recorded."""
        return list(self._channels.values())

    @property
    def manifest(self) -> dict[str, Any]:
        """How it is made."""
        return dict(self._sink.manifest)

    @property
    def counts(self) -> dict[str, int]:
        """Number of samples of each channel so far, committed or waiting."""
        return dict(self._pending[-1].counts)

    @property
    def checkpoint(self) -> dict[str, Any] | None:
        """The last checkpoint that was committed, as given; after `resume`, what to start from."""
        packed = self._sink.checkpoint
        return None if packed is None else unpack_checkpoint(packed)

    @property
    def result(self) -> Recording | None:
        """The recording, once it is finished or closed, also by an exception; None before, or where it has nothing."""
        return self._result

    def append(self, blocks: Mapping[str, Any], times: Any = None) -> None:
        """Add samples: ``{name: block (k, *shape)}``, k may differ from channel to channel.

        ``times`` [s] are those of the channels without a rate: an array (k,) for all of them or ``{name: (k,)}``. They
        do not decrease. Either all of the blocks are taken or, when one is wrong, none.
        """
        self._check_open()
        last = self._pending[-1]
        arrays: dict[Key, np.ndarray] = {}
        counts, ends = dict(last.counts), dict(last.ends)
        for name, block in blocks.items():
            channel = self._channel(name)
            array = _check_block(channel, block)
            arrays["data", name] = array
            counts[name] += len(array)
            if channel.rate is None and len(array):
                stamps = _check_times(channel, times, len(array), ends.get(name, -np.inf))
                arrays["times", name] = stamps
                ends[name] = float(stamps[-1])
        waiting = last.waiting + sum(array.nbytes for array in arrays.values())
        self._pending.append(_Entry(arrays, counts, ends, waiting))  # one step: Ctrl-C leaves all of the blocks or none
        if waiting >= 4 * self._limit:
            self._write()

    def event(self, time: float, name: str, /, **detail: Any) -> None:
        """Note that something happened at a time [s]."""
        self.add_events([Event(time, name, detail)])

    def add_events(self, events: Iterable[Event]) -> None:
        """Note events that were made elsewhere."""
        self._check_open()
        self._events += [_check_event(event) for event in events]

    def commit(self, checkpoint: _Checkpoint = None, *, force: bool = False) -> bool:
        """Make what was appended safe, when it is time to: cheap, so call it often. Return whether it was written.

        It is time when enough has been appended for a write to be worth it, or 2 s after the last one; ``force=True``
        writes now. ``checkpoint`` is all that a resumed run needs to go on from exactly here (numbers, text, arrays, in
        dicts and lists), or a function that gives it, called only when it is written. Without one the last stays.
        """
        self._check_open()
        if not force and self._pending[-1].waiting < self._limit and monotonic() < self._next_commit:
            return False
        value = checkpoint() if callable(checkpoint) else checkpoint
        self._free = self._free or value is None
        self._write(value)
        return True

    def finish(self) -> Recording:
        """Write the remaining samples, mark the recording as complete and return it."""
        if self._result is None:
            self._check_open()
            self._write(complete=True)
            self._closed = True
            self._result = self._sink.close()
        return self._result

    def close(self) -> Recording:
        """Write the remaining samples and return the recording, which stays incomplete and can be resumed."""
        if self._result is None:
            self._check_open()
            self._free, self._whole = True, False
            self._write()
            self._closed = True
            self._result = self._sink.close()
        return self._result

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._closed:
            return
        if error is None:
            self.finish()
            return
        try:
            if not self._whole and (any(self.counts.values()) or self._events):
                self._write()
                self._result = self._sink.close()
        except MotiformError as second:  # the first error is the one to tell
            error.add_note(f"What was not yet committed is lost: {second}")
        finally:
            self._closed = True
            self._sink.release()

    def _write(self, checkpoint: Mapping[str, Any] | None = None, *, complete: bool = False) -> None:
        began = monotonic()
        last, taken = self._pending[-1], len(self._pending)
        blocks = _join([entry.blocks for entry in self._pending])
        resumable = checkpoint is not None or (self._free and self._sink.checkpoint is None)
        starts = self._pending[0].counts
        self._sink.write(CommitBatch(starts, blocks, last.ends, self._events, checkpoint, resumable, complete))
        if complete or not self._whole:
            self._sink.publish()
        # After Ctrl-C between these lines the sink gets the same samples again and skips them by their index.
        self._pending = [replace(last, blocks={}, waiting=0), *self._pending[taken:]]
        now = monotonic()
        self._next_commit = now + max(_COMMIT_SECONDS, _COMMIT_SHARE * (now - began))

    def _channel(self, name: str) -> Channel:
        if name not in self._channels:
            known = ", ".join(self._channels) or "none"
            raise InputError(
                "no such channel", got=repr(name), allowed=known, remedy=closest(str(name), self._channels)
            )
        return self._channels[name]

    def _check_open(self) -> None:
        if self._closed:
            raise InputError("this recorder is closed", remedy="Make another one, or open the recording.")


def _join(entries: list[dict[Key, np.ndarray]]) -> dict[Key, np.ndarray]:
    parts: dict[Key, list[np.ndarray]] = {}
    for blocks in entries:
        for key, block in blocks.items():
            parts.setdefault(key, []).append(block)
    return {key: blocks[0] if len(blocks) == 1 else np.concatenate(blocks) for key, blocks in parts.items()}


def _check_channels(channels: Iterable[Channel]) -> list[Channel]:
    if not isinstance(channels, Iterable):
        raise InputError(
            "channels must be Channel objects", got=repr(channels)[:80], allowed="a list of Channel objects"
        )
    channels, seen = list(channels), set()
    for channel in channels:
        if not isinstance(channel, Channel):
            raise InputError("channels must be Channel objects", got=type(channel).__name__, allowed="Channel objects")
        if channel.name in seen:
            raise InputError("two channels have the same name", got=channel.name)
        seen.add(channel.name)
    return channels


def _check_block(channel: Channel, block: Any) -> np.ndarray:
    """Return a copy of the samples in the channel's type; a type that would lose values is refused."""
    where, dtype = f"channel {channel.name!r}", np.dtype(channel.dtype)
    try:
        given = np.asarray(block)
    except ValueError as error:
        raise InputError("samples must be an array", where=where, got=str(error)) from None
    if given.ndim != 1 + len(channel.shape) or given.shape[1:] != channel.shape:
        allowed = f"(k, {', '.join(map(str, channel.shape))})" if channel.shape else "(k,)"
        raise InputError(
            "samples must have the shape of the channel after the first axis", where=where, got=given.shape,
            allowed=allowed,
        )  # fmt: skip
    whole = given.dtype.kind in "iu" and dtype.kind in "iu"
    if given.dtype != dtype and given.size and not whole and not np.can_cast(given.dtype, dtype, "same_kind"):
        raise InputError(
            "samples must have a type that casts to that of the channel", where=where, got=given.dtype,
            allowed=channel.dtype,
        )  # fmt: skip
    array = np.array(given, dtype=dtype, order="C")
    if whole and given.dtype != dtype and not np.array_equal(array, given):
        raise InputError("samples are too large for their type", where=where, got=given.max(), allowed=channel.dtype)
    return array


def _check_event(event: Event) -> Event:
    where = f"event {event.name!r}"
    if not isinstance(event.time, (int, float, np.number)) or not np.isfinite(event.time):
        raise InputError(
            "the time of an event must be finite", where=where, got=repr(event.time),
            allowed="a finite number of seconds",
        )  # fmt: skip
    return Event(float(event.time), str(event.name), to_plain(event.detail, where))


def _check_times(channel: Channel, times: Any, count: int, after: float) -> np.ndarray:
    where = f"channel {channel.name!r}"
    given = times.get(channel.name) if isinstance(times, Mapping) else times
    if given is None:
        raise InputError("times are missing", where=where, remedy="Pass times=, or give the channel a rate.")
    try:
        stamps = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("times must be numbers", where=where, got=repr(given)[:80], allowed="numbers [s]") from None
    if stamps.shape != (count,):
        raise InputError(
            "times must have one entry for each sample", where=where, got=stamps.shape,
            allowed=f"({count},), one for each sample",
        )  # fmt: skip
    if not np.isfinite(stamps).all():
        raise InputError("times are not finite", where=where, got=stamps[~np.isfinite(stamps)][0])
    steps = np.diff(stamps, prepend=after if np.isfinite(after) else stamps[0])
    if (steps < 0).any():
        k = int(np.argmax(steps < 0))
        raise InputError("times must not decrease", where=where, got=f"{stamps[k]} s after {stamps[k] - steps[k]} s")
    return stamps


def _check_static(name: str, value: Any) -> np.ndarray:
    Channel(name)  # the same rule for names
    array = np.array(value, order="C")
    if array.dtype.kind not in "biuf" or array.dtype.name == "longdouble" or array.dtype.itemsize > 8:
        raise InputError(
            "a static array must be numeric", where=name, got=array.dtype, allowed="bool, whole and floating numbers",
            remedy="Put text into the manifest.",
        )  # fmt: skip
    return array.astype(array.dtype.newbyteorder("="))
