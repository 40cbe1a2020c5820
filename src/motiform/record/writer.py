"""Writing recordings to disk, in an order that leaves a readable recording at any instant.

Data first, then commit.json, each file whole or not there. A commit is the only thing that makes data count.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from motiform.base.errors import RecordingError
from motiform.record.channel import Channel, Event
from motiform.record.files import PARTIAL, AnyPath, as_path, disk, lock_folder, read_inside, sync_folder, write_file
from motiform.record.layout import (
    COMMIT,
    EVENTS,
    HEADER,
    HEADER_BYTES,
    Commit,
    Mark,
    StoredSeries,
    StoreLayout,
    checksum,
)
from motiform.record.plain import dump_plain
from motiform.record.recording import Recording
from motiform.record.sinks import CommitBatch, Key, pack_checkpoint
from motiform.record.site import Site
from motiform.record.store import DiskSource, open_recording, read_checkpoint, read_events, read_layout

__all__ = ["DiskSink", "create_sink", "resume_sink"]


def create_sink(
    path: AnyPath, channels: list[Channel], manifest: dict[str, Any], statics: Mapping[str, np.ndarray], *,
    overwrite: bool, chunk_bytes: int,
) -> "DiskSink":  # fmt: skip
    """Make a recording without samples, hidden until it is put in place, and return what writes to it."""
    layout = StoreLayout.plan(channels, manifest, statics, chunk_bytes)
    nothing = Mark({channel.name: 0 for channel in channels})
    commit = Commit(0, nothing, nothing, header_crc32=checksum(layout.header()))
    site = Site.begin(as_path(path), overwrite=overwrite)
    try:
        with disk(site.name):
            _write_skeleton(site.folder, layout, statics, commit)
    except BaseException:
        site.release()
        raise
    tails = {key: np.empty((0, *series.shape), series.dtype) for key, series in layout.series.items()}
    return DiskSink(site, layout, _State(commit, tails, {}, (), None))


def resume_sink(path: AnyPath, *, discard: bool) -> "DiskSink":
    """Cut an incomplete recording back to where it can be resumed and return what writes on."""
    folder = as_path(path)
    read_layout(folder)  # first of all: is it one?
    site = Site(folder, lock_folder(folder))
    try:
        layout, commit = read_layout(folder)
        if commit.complete:
            raise RecordingError(
                "the recording is complete", where=str(path), remedy="Open it, or run again under another name."
            )
        lost = any(commit.upto.counts.values()) and not any(commit.resume.counts.values())
        if lost and commit.checkpoint is None and not discard:
            raise RecordingError(
                "the run has samples but no point to resume from", where=str(path),
                remedy="Run again from the beginning with overwrite or discard=True, or keep it and write elsewhere.",
            )  # fmt: skip
        state = _cut(folder, layout, commit)
        with disk(folder):
            write_file(folder / COMMIT, state.commit.dump())  # from here on the samples after the cut do not count
            sync_folder(folder)
            _clear(folder, layout, state)
    except BaseException:
        site.release()
        raise
    return DiskSink(site, layout, state)


@dataclass(frozen=True)
class _State:
    """All that changes with a commit, replaced in one step."""

    commit: Commit
    tails: dict[Key, np.ndarray]
    """Samples of each array's last, partial chunk."""
    ends: dict[str, float]
    events: tuple[Event, ...]
    checkpoint: bytes | None


class DiskSink:
    """Takes samples by their index and commits them to a folder."""

    def __init__(self, site: Site, layout: StoreLayout, state: _State) -> None:
        self.path: Path | None = site.name
        self.channels, self.manifest = list(layout.channels), layout.manifest
        self._site, self._layout, self._state = site, layout, state

    @property
    def counts(self) -> dict[str, int]:
        """Committed samples of each channel."""
        return self._state.commit.upto.counts

    @property
    def ends(self) -> dict[str, float]:
        """Last committed time [s] of each channel without a rate."""
        return self._state.ends

    @property
    def events(self) -> list[Event]:
        """Committed events."""
        return list(self._state.events)

    @property
    def checkpoint(self) -> bytes | None:
        """Committed checkpoint, packed."""
        return self._state.checkpoint

    def write(self, batch: CommitBatch) -> None:
        """Commit a batch."""
        old, folder = self._state, self._site.folder
        packed = None if batch.checkpoint is None else pack_checkpoint(batch.checkpoint)
        with disk(self.path):
            counts, tails = self._write_blocks(folder, old, batch)
            upto = _write_events(folder, old.commit.upto, counts, batch.events)
            commit = replace(old.commit, number=old.commit.number + 1, upto=upto, complete=batch.complete)
            if batch.resumable or batch.complete:
                commit = replace(commit, resume=upto)
            if batch.complete:
                commit, packed = replace(commit, checkpoint=None, checkpoint_crc32=0, checkpoint_bytes=None), None
            elif packed is not None:
                commit = _write_checkpoint(folder, commit, packed)
            else:
                packed = old.checkpoint
            sync_folder(folder)  # names of new files, before the commit that counts on them
            write_file(folder / COMMIT, commit.dump())
            sync_folder(folder)
        self._state = _State(commit, tails, dict(batch.ends), tuple(batch.events), packed)
        if old.commit.checkpoint not in (None, commit.checkpoint):
            with suppress(OSError):
                os.unlink(folder / str(old.commit.checkpoint))

    def publish(self) -> None:
        """Let the recording be found under its name."""
        self._site.put()

    def close(self) -> Recording:
        """Let go of the recording and open it."""
        self.release()
        return open_recording(self._site.name)

    def release(self) -> None:
        """Let go of the recording; one that was not published is removed."""
        self._site.release()

    def _write_blocks(
        self, folder: Path, old: _State, batch: CommitBatch
    ) -> tuple[dict[str, int], dict[Key, np.ndarray]]:
        known = old.commit.upto.counts
        counts, tails = dict(known), dict(old.tails)
        for key, fresh in batch.fresh(known):
            if len(fresh):
                tails[key] = _write_samples(folder, self._layout.series[key], known[key[1]], tails[key], fresh)
                counts[key[1]] = known[key[1]] + len(fresh)
        return counts, tails


def _write_events(folder: Path, mark: Mark, counts: dict[str, int], events: list[Event]) -> Mark:
    """Write the events after a mark; return the mark after them."""
    fresh = b"".join(map(_event_line, events[mark.event_count :]))
    if fresh:
        handle = os.open(folder / EVENTS, os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        with open(handle, "wb") as file:
            file.seek(mark.event_bytes)
            file.write(fresh)
            file.truncate()
            file.flush()
            os.fsync(handle)
    return Mark(counts, len(events), mark.event_bytes + len(fresh), _crc_more(mark.event_crc32, fresh))


def _write_checkpoint(folder: Path, commit: Commit, packed: bytes) -> Commit:
    file = f"checkpoint-{commit.number}.npz"
    write_file(folder / file, packed)
    return replace(commit, checkpoint=file, checkpoint_crc32=checksum(packed), checkpoint_bytes=len(packed))


def _write_samples(folder: Path, series: StoredSeries, known: int, tail: np.ndarray, fresh: np.ndarray) -> np.ndarray:
    """Write the chunks that fresh samples touch, then the array's metadata; return the samples of the partial chunk."""
    place = folder / series.folder
    samples = np.concatenate([tail, fresh]) if len(tail) else fresh
    index = (known - len(tail)) // series.chunk
    for first in range(0, len(samples), series.chunk):
        chunk = samples[first : first + series.chunk]
        write_file(place / series.chunk_file(index + first // series.chunk), series.encode(chunk))
    _write_metadata(place, series, known + len(fresh))
    sync_folder(place)
    return samples[len(samples) - len(samples) % series.chunk :].copy()


def _write_metadata(place: Path, series: StoredSeries, count: int) -> None:
    write_file(place / HEADER, dump_plain(series.metadata(count), indent=1).encode())


def _event_line(event: Event) -> bytes:
    return (dump_plain({"time": event.time, "name": event.name, "detail": event.detail}) + "\n").encode()


def _crc_more(crc: int, data: bytes) -> int:
    import zlib

    return zlib.crc32(data, crc)


def _write_skeleton(folder: Path, layout: StoreLayout, statics: Mapping[str, np.ndarray], commit: Commit) -> None:
    group: dict[str, Any] = {"zarr_format": 3, "node_type": "group", "attributes": {}}
    for part in ("data", "times", "statics"):
        (folder / part).mkdir()
        write_file(folder / part / HEADER, dump_plain(group, indent=1).encode())
    for series in layout.series.values():
        (folder / series.folder).mkdir()
        _write_metadata(folder / series.folder, series, 0)
    for name, series in layout.static_series.items():
        (folder / series.folder).mkdir()
        array = statics[name].reshape(-1, *series.shape) if statics[name].ndim == 0 else statics[name]
        if array.size:
            _write_samples(folder, series, 0, array[:0], array)
        else:
            _write_metadata(folder / series.folder, series, len(array))
    group["attributes"] = {"motiform": layout.header()}
    header = dump_plain(group, indent=1).encode()
    if len(header) > HEADER_BYTES:
        remedy = "Keep large arrays as statics."
        raise RecordingError("a manifest must be small enough to be read", where="manifest", got=f"{len(header)} bytes",
                             allowed=f"up to {HEADER_BYTES} bytes", remedy=remedy)  # fmt: skip
    write_file(folder / HEADER, header)
    write_file(folder / COMMIT, commit.dump())
    for part in ("data", "times", "statics", "."):
        sync_folder(folder / part)


def _cut(folder: Path, layout: StoreLayout, commit: Commit) -> _State:
    """Return the state of a recording where it can be resumed."""
    mark = commit.resume
    if any(count > commit.upto.counts[name] for name, count in mark.counts.items()):
        raise RecordingError("the checkpoint is ahead of the samples", where=str(folder / COMMIT))
    packed = read_checkpoint(folder, commit)
    events, lines = read_events(folder, commit)
    if checksum(b"".join(lines[: mark.event_count])) != mark.event_crc32:
        raise RecordingError("the checkpoint's events are not those of the file", where=str(folder / COMMIT))
    source = DiskSource(folder, layout, commit.upto.counts)
    tails = {}
    for (kind, name), series in layout.series.items():
        count = mark.counts[name]
        read = source.read if kind == "data" else source.read_times
        tails[kind, name] = read(name, count - count % series.chunk, count).copy()
    ends = {
        name: float(source.read_times(name, mark.counts[name] - 1, mark.counts[name])[0])
        for kind, name in layout.series
        if kind == "times" and mark.counts[name]
    }
    commit = replace(commit, number=commit.number + 1, upto=mark)
    return _State(commit, tails, ends, tuple(events[: mark.event_count]), packed)


def _clear(folder: Path, layout: StoreLayout, state: _State) -> None:
    """Remove what a killed run left after the cut."""
    mark = state.commit.upto
    for (_, name), series in layout.series.items():
        place, count = folder / series.folder, mark.counts[name]
        for entry in os.scandir(place):
            parts = entry.name.split(".")
            past = parts[0] == "c" and parts[1:2] and parts[1].isdecimal() and int(parts[1]) * series.chunk >= count
            if past or entry.name.endswith(PARTIAL):
                os.unlink(entry)
        _write_metadata(place, series, count)
    if os.path.lexists(folder / EVENTS):
        # Written anew: a file outside that shares its content by a hard link stays as it is.
        write_file(folder / EVENTS, read_inside(folder, EVENTS, upto=mark.event_bytes))
    for entry in os.scandir(folder):
        stray = entry.name.startswith("checkpoint-") and entry.name != state.commit.checkpoint
        if stray or entry.name.endswith(PARTIAL):
            os.unlink(entry)
