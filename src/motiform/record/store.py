"""Recordings on disk: opening and reading parts. The layout is in layout.py, writing in writer.py and save.py."""

import json
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

import numpy as np

from motiform.base.errors import MotiformError, RecordingError, closest_file
from motiform.base.files import reads_file
from motiform.base.machine import check_memory
from motiform.record.channel import Event
from motiform.record.files import AnyPath, as_path, read_inside
from motiform.record.layout import (
    COMMIT,
    EVENTS,
    HEADER,
    HEADER_BYTES,
    Commit,
    StoredSeries,
    StoreLayout,
    check_format,
    checksum,
)
from motiform.record.manifest import check_manifest
from motiform.record.places import is_recording, restore
from motiform.record.plain import load_plain
from motiform.record.recording import Recording
from motiform.record.sinks import unpack_checkpoint
from motiform.record.sources import frozen

__all__ = [
    "DiskSource", "check_samples", "check_whole", "is_empty", "open_recording", "read_checkpoint", "read_events",
    "read_layout",
]  # fmt: skip

_CACHE_BYTES = 64 * 2**20  # of arrays that were read whole, and as much of chunks of which a part was read
_EVENT = 10  # bytes that an event takes in memory for each in its file
_BROKEN = (ValueError, TypeError, KeyError, AttributeError, IndexError, OverflowError, RecursionError, MemoryError)


@reads_file("a recording", RecordingError)
def open_recording(path: AnyPath) -> Recording:
    """Open the last commit of a recording on disk. ``rec.warning`` is set if the run did not reach its end."""
    folder = as_path(path)
    layout, commit = read_layout(folder)
    source = DiskSource(folder, layout, commit.upto.counts)
    events, _ = read_events(folder, commit)
    packed = read_checkpoint(folder, commit)
    check_manifest(layout.manifest, str(folder))
    return Recording(
        layout.channels, source, events=events, manifest=layout.manifest, complete=commit.complete, path=folder,
        checkpoint=None if packed is None else unpack_checkpoint(packed),
    )  # fmt: skip


def check_whole(rec: Recording) -> None:
    """Read all of a recording; RecordingError where part of it is missing or damaged."""
    for name in rec:
        for first, block in rec.blocks(name):
            rec.time(name, first, first + len(block))
    for name in rec.statics:
        rec.statics[name]


def is_empty(folder: Path) -> bool:
    """Return whether a folder is a recording without a sample whose run did not end: killed before its first commit."""
    if not is_recording(folder):
        return False
    try:
        _, commit = read_layout(folder)
    except RecordingError:
        return False  # it may have held something
    return not commit.complete and not any(commit.upto.counts.values()) and not commit.upto.event_count


def check_samples(rec: Recording) -> None:
    """Refuse a recording without a sample: there is nothing to show or to write elsewhere."""
    if rec.span is None:
        remedy = None if rec.complete else "Its run was stopped before the first sample: run it again under this name."
        where = "recording" if rec.path is None else str(rec.path)
        raise RecordingError("the recording holds no sample", where=where, remedy=remedy)


class _ChunkCache:
    """Arrays that were used last, up to a size together."""

    def __init__(self) -> None:
        self._arrays: OrderedDict[str, np.ndarray] = OrderedDict()
        self._lock = Lock()

    def get(self, key: str) -> np.ndarray | None:
        with self._lock:
            found = self._arrays.get(key)
            if found is not None:
                self._arrays.move_to_end(key)
            return found

    def put(self, key: str, array: np.ndarray) -> None:
        if array.nbytes > _CACHE_BYTES:
            return
        with self._lock:
            self._arrays[key] = array
            while sum(kept.nbytes for kept in self._arrays.values()) > _CACHE_BYTES:
                self._arrays.popitem(last=False)


class DiskSource:
    """Reads committed samples. A chunk that is missing or damaged is an error, never a guess."""

    def __init__(self, folder: Path, layout: StoreLayout, counts: dict[str, int]) -> None:
        self.counts = {channel.name: counts[channel.name] for channel in layout.channels}
        self._folder, self._layout = folder, layout
        self._kept, self._chunks = _ChunkCache(), _ChunkCache()
        for (_, name), series in layout.series.items():
            _check_metadata(folder, series, counts[name])
        for name, series in layout.static_series.items():
            _check_metadata(folder, series, _first(layout.statics[name][0]))

    def read(self, name: str, first: int, last: int) -> np.ndarray:
        """Return samples first to last (excluded) of a channel."""
        return self._part(self._layout.series["data", name], first, last, self.counts[name])

    def read_times(self, name: str, first: int, last: int) -> np.ndarray:
        """Return times [s] of samples first to last (excluded) of a channel without a rate."""
        return self._part(self._layout.series["times", name], first, last, self.counts[name])

    def static_names(self) -> list[str]:
        """Return the names of the arrays without time."""
        return list(self._layout.statics)

    def read_static(self, name: str) -> np.ndarray:
        """Return one array without time."""
        shape, _ = self._layout.statics[name]
        count = _first(shape)
        return self._part(self._layout.static_series[name], 0, count, count).reshape(shape)

    def _part(self, series: StoredSeries, first: int, last: int, count: int) -> np.ndarray:
        whole = self._kept.get(series.folder)
        if whole is not None:
            return whole[first:last]
        array = frozen(self._load(series, first, last))
        if first == 0 and last == count:  # ``rec["q"][k]`` in a loop reads once
            self._kept.put(series.folder, array)
        return array

    def _load(self, series: StoredSeries, first: int, last: int) -> np.ndarray:
        if first >= last or 0 in series.shape:
            return np.empty((max(0, last - first), *series.shape), series.dtype)
        check_memory(
            (last - first) * series.chunk_bytes / series.chunk, "what is read at once", error=RecordingError,
            where=str(self._folder / series.folder), got=f"{last - first} samples", remedy="Read it block by block.",
        )  # fmt: skip
        parts = []
        for index in range(first // series.chunk, (last - 1) // series.chunk + 1):
            start = index * series.chunk
            part = first > start or last < start + series.chunk
            chunk = self._cached_chunk(series, index) if part else self._chunk(series, index)
            parts.append(chunk[max(0, first - start) : last - start])
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _cached_chunk(self, series: StoredSeries, index: int) -> np.ndarray:
        """Return a chunk that is likely to be asked for again: pictures take a sample after the other."""
        name = f"{series.folder}/{index}"
        chunk = self._chunks.get(name)
        if chunk is None:
            chunk = self._chunk(series, index)
            self._chunks.put(name, chunk)
        return chunk

    def _chunk(self, series: StoredSeries, index: int) -> np.ndarray:
        name = f"{series.folder}/{series.chunk_file(index)}"
        try:
            # The compressor adds 16 bytes at most, the checksum 4.
            return series.decode(read_inside(self._folder, name, series.chunk_bytes + 20))
        except FileNotFoundError:
            raise _damaged(self._folder / name, "a committed chunk is missing") from None
        except RecordingError:
            raise
        except (OSError, ValueError, RuntimeError) as error:  # of the disk, its checksum and the compressor
            raise _damaged(self._folder / name, "a chunk cannot be read", error) from error


def _recording_inside(folder: Path) -> str | None:
    """Return what to say of a folder of results that holds a recording."""
    inside = sorted(path.name for path in folder.glob("*.mf") if (path / COMMIT).is_file())
    return f"It holds {', '.join(inside[:3])}: give {folder / inside[0]}." if inside else None


def read_layout(folder: Path) -> tuple[StoreLayout, Commit]:
    """Return what a recording holds and its last commit; RecordingError when there is none that can be trusted."""
    restore(folder)
    if not folder.exists():
        raise RecordingError("there is no such recording", where=str(folder), remedy=closest_file(folder))
    if not (folder / COMMIT).is_file() or not (folder / HEADER).is_file():
        raise RecordingError(
            "this is not a recording", where=str(folder), allowed=f"a folder with {HEADER} and {COMMIT}",
            remedy="Tables are read by read_csv." if folder.is_file() else _recording_inside(folder),
        )  # fmt: skip
    with _reading(folder / COMMIT):
        commit = Commit.load(load_plain(read_inside(folder, COMMIT, HEADER_BYTES)))
    with _reading(folder / HEADER):
        header = load_plain(read_inside(folder, HEADER, HEADER_BYTES))["attributes"]["motiform"]
        check_format(header)
        if checksum(header) != commit.header_crc32:
            raise ValueError("its checksum is wrong")
        layout = StoreLayout.from_header(header)
        for mark in (commit.upto, commit.resume):
            if mark.counts.keys() != layout.chunks.keys():
                raise ValueError("its channels are not those of the commit")
    return layout, commit


def read_events(folder: Path, commit: Commit) -> tuple[list[Event], list[bytes]]:
    """Return the committed events, and the lines that hold them."""
    mark = commit.upto
    if not mark.event_bytes:
        return [], []
    with _reading(folder / EVENTS):
        data = read_inside(folder, EVENTS, upto=mark.event_bytes, crc32=mark.event_crc32)
        if len(data) != mark.event_bytes:
            raise ValueError("it is cut")
        got, remedy = f"{len(data)} bytes", "Read it on a larger machine."
        check_memory(_EVENT * len(data), "events", got=got, remedy=remedy, error=RecordingError)
        lines = data.splitlines(keepends=True)
        found = [Event(float(one["time"]), str(one["name"]), dict(one["detail"])) for one in map(load_plain, lines)]
        if len(found) != mark.event_count:
            raise ValueError("events are missing")
    return found, lines


def read_checkpoint(folder: Path, commit: Commit) -> bytes | None:
    """Return the committed checkpoint as it is on disk, or None."""
    if commit.checkpoint is None:
        return None
    with _reading(folder / commit.checkpoint):
        packed = read_inside(folder, commit.checkpoint, commit.checkpoint_bytes, crc32=commit.checkpoint_crc32)
    return packed


def _check_metadata(folder: Path, series: StoredSeries, count: int) -> None:
    file = folder / series.folder / HEADER
    with _reading(file):
        wanted = series.metadata(count)
        most = 4 * len(json.dumps(wanted, indent=2)) + 2**12  # others may write it with more space
        found = json.loads(read_inside(folder, f"{series.folder}/{HEADER}", most))
        if found["shape"][0] < count:
            raise ValueError(f"it has {found['shape'][0]} samples where {count} were committed")
        for key in wanted:
            same = found[key][1:] == wanted[key][1:] if key == "shape" else found[key] == wanted[key]
            if not same:
                raise ValueError(f"{key} is not what was written")


@contextmanager
def _reading(file: Path) -> Iterator[None]:
    try:
        yield
    except MotiformError as error:
        if error.where:
            raise
        raise RecordingError(
            error.problem, where=str(file), got=error.got, allowed=error.allowed, remedy=error.remedy
        ) from error
    except OSError as error:
        raise _damaged(file, "cannot be read", error.strerror or error) from error
    except _BROKEN as error:
        raise _damaged(file, "is damaged", error) from error


def _damaged(file: Path, problem: str, got: object = None) -> RecordingError:
    remedy = "Take it from a backup, or run again."
    return RecordingError(problem, where=str(file), got=None if got is None else str(got)[:200], remedy=remedy)


def _first(shape: tuple[int, ...]) -> int:
    return shape[0] if shape else 1
