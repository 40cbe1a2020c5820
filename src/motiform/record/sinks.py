"""Where a recorder's samples go. This one is memory; writer.py is the disk."""

import io
import math
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.lib import format as npy

from motiform.base.errors import InputError, RecordingError
from motiform.record.channel import Channel, Event
from motiform.record.plain import dump_plain, load_plain
from motiform.record.recording import Recording
from motiform.record.sources import MemorySource

__all__ = ["CommitBatch", "Key", "MemorySink", "Sink", "pack_checkpoint", "unpack_checkpoint"]

#: ("data", name) for a channel's samples, ("times", name) for its times.
Key = tuple[str, str]


@dataclass(frozen=True)
class CommitBatch:
    """What one commit takes."""

    starts: Mapping[str, int]
    """Index of the first sample of each channel's block."""
    blocks: Mapping[Key, np.ndarray]
    ends: Mapping[str, float]
    """Last time [s] of each channel without a rate."""
    events: list[Event]
    """All events so far."""
    checkpoint: Mapping[str, Any] | None = None
    resumable: bool = False
    """Whether a resumed run goes on from here; else from where it did before."""
    complete: bool = False

    def fresh(self, known: Mapping[str, int]) -> Iterator[tuple[Key, np.ndarray]]:
        """Yield the samples of each block after those that are known."""
        for key, block in self.blocks.items():
            yield key, block[known[key[1]] - self.starts[key[1]] :]


class Sink(Protocol):
    """Takes samples by their index, so telling it the same samples twice changes nothing."""

    channels: list[Channel]
    manifest: dict[str, Any]
    path: Path | None

    @property
    def counts(self) -> dict[str, int]:
        """Committed samples of each channel."""

    @property
    def ends(self) -> dict[str, float]:
        """Last committed time [s] of each channel without a rate."""

    @property
    def events(self) -> list[Event]:
        """Committed events."""

    @property
    def checkpoint(self) -> bytes | None:
        """Committed checkpoint, packed."""

    def write(self, batch: CommitBatch) -> None:
        """Commit a batch: all of it, or nothing."""

    def publish(self) -> None:
        """Let the recording be found under its name: until then whatever has the name stays."""

    def close(self) -> Recording:
        """Let go of the recording and return it for reading."""

    def release(self) -> None:
        """Let go of the recording; one that was not published is removed."""


@dataclass(frozen=True)
class _State:
    counts: dict[str, int]
    ends: dict[str, float] = field(default_factory=dict)
    parts: dict[Key, tuple[np.ndarray, ...]] = field(default_factory=dict)
    events: tuple[Event, ...] = ()
    checkpoint: bytes | None = None
    complete: bool = False


class MemorySink:
    """Keeps blocks in memory and joins them at the end."""

    path: Path | None = None

    def __init__(self, channels: list[Channel], manifest: dict[str, Any], statics: Mapping[str, np.ndarray]) -> None:
        self.channels, self.manifest, self._statics = channels, manifest, statics
        self._state = _State({channel.name: 0 for channel in channels})

    @property
    def counts(self) -> dict[str, int]:
        """Samples of each channel."""
        return self._state.counts

    @property
    def ends(self) -> dict[str, float]:
        """Last time [s] of each channel without a rate."""
        return self._state.ends

    @property
    def events(self) -> list[Event]:
        """Events so far."""
        return list(self._state.events)

    @property
    def checkpoint(self) -> bytes | None:
        """Last checkpoint, packed."""
        return self._state.checkpoint

    def write(self, batch: CommitBatch) -> None:
        """Keep the blocks."""
        old = self._state
        counts, parts = dict(old.counts), dict(old.parts)
        for key, fresh in batch.fresh(old.counts):
            parts[key] = (*parts.get(key, ()), fresh)
            counts[key[1]] = old.counts[key[1]] + len(fresh)
        packed = old.checkpoint if batch.checkpoint is None else pack_checkpoint(batch.checkpoint)
        packed = None if batch.complete else packed
        self._state = _State(counts, dict(batch.ends), parts, tuple(batch.events), packed, batch.complete)

    def publish(self) -> None:
        """Nothing to find: it has no name."""

    def close(self) -> Recording:
        """Join the blocks."""
        arrays = {c.name: self._joined(("data", c.name), (0, *c.shape), c.dtype) for c in self.channels}
        times = {c.name: self._joined(("times", c.name), (0,), "float64") for c in self.channels if c.rate is None}
        state = self._state
        checkpoint = None if state.checkpoint is None else unpack_checkpoint(state.checkpoint)
        return Recording(
            self.channels, MemorySource(arrays, times, self._statics), events=state.events, manifest=self.manifest,
            complete=state.complete, checkpoint=checkpoint,
        )  # fmt: skip

    def release(self) -> None:
        """Nothing is held."""

    def _joined(self, key: Key, empty: tuple[int, ...], dtype: str) -> np.ndarray:
        parts = self._state.parts.get(key, ())
        return parts[0] if len(parts) == 1 else np.concatenate([np.empty(empty, dtype), *parts])


def pack_checkpoint(checkpoint: Mapping[str, Any]) -> bytes:
    """Return a checkpoint as the bytes of an npz file: arrays as they are, the rest as JSON that points to them."""
    if not isinstance(checkpoint, Mapping):
        raise InputError("a checkpoint must be a dict", got=type(checkpoint).__name__, allowed="a dict")
    arrays: list[np.ndarray] = []
    tree = dump_plain(_strip(checkpoint, arrays, "checkpoint")).encode()
    file = io.BytesIO()
    np.savez(file, tree=np.frombuffer(tree, np.uint8), **{f"a{k}": array for k, array in enumerate(arrays)})  # type: ignore[arg-type]
    return file.getvalue()


def unpack_checkpoint(packed: bytes) -> dict[str, Any]:
    """Return the checkpoint of `pack_checkpoint`, equal to what was given, bit by bit."""
    try:
        with zipfile.ZipFile(io.BytesIO(packed)) as file:
            arrays = _Arrays(file)
            return dict(_restore(load_plain(arrays.take("tree").tobytes()), arrays))
    except _BROKEN as error:
        raise RecordingError("the checkpoint cannot be read", got=str(error)[:200]) from error


_BROKEN = (
    ValueError, KeyError, TypeError, AttributeError, EOFError, OSError, OverflowError, RecursionError, RuntimeError,
    zipfile.BadZipFile,
)  # fmt: skip


class _Arrays:
    """Arrays of a checkpoint, each taken once: what it says cannot take more memory than its file."""

    def __init__(self, file: zipfile.ZipFile) -> None:
        self._file, self._names = file, {one.filename for one in file.infolist() if one.compress_type == 0}

    def take(self, name: str) -> np.ndarray:
        """Return an array; ValueError where it is none, is compressed, or was taken before."""
        if f"{name}.npy" not in self._names:
            raise ValueError(f"{name!r} is not an array of its own, as it was written")
        self._names.remove(f"{name}.npy")
        data = io.BytesIO(self._file.read(f"{name}.npy"))
        version = npy.read_magic(data)
        shape, _, kind = npy.read_array_header_1_0(data) if version == (1, 0) else npy.read_array_header_2_0(data)
        if math.prod(shape) * kind.itemsize > data.getbuffer().nbytes:
            raise ValueError(f"{name!r} is cut")
        data.seek(0)
        found: np.ndarray = npy.read_array(data, allow_pickle=False)
        return found


def _strip(value: Any, arrays: list[np.ndarray], where: str) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        if value.dtype.hasobject:
            raise InputError("an array must not hold objects", where=where, allowed="arrays of numbers, bools or text")
        arrays.append(np.asarray(value))
        return {"__array__" if isinstance(value, np.ndarray) else "__scalar__": len(arrays) - 1}
    if isinstance(value, bytes):
        arrays.append(np.frombuffer(value, np.uint8))
        return {"__bytes__": len(arrays) - 1}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping) and all(isinstance(key, str) and not key.startswith("__") for key in value):
        return {key: _strip(item, arrays, f"{where}.{key}") for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        items = [_strip(item, arrays, f"{where}[{k}]") for k, item in enumerate(value)]
        return items if isinstance(value, list) else {"__tuple__": items}
    raise InputError(
        "the value cannot be kept in a checkpoint", where=where, got=type(value).__name__,
        allowed="numbers, text, bytes, bools, None, arrays; lists, tuples and dicts of them, keys without leading __",
    )  # fmt: skip


def _restore(value: Any, file: _Arrays) -> Any:
    if isinstance(value, list):
        return [_restore(item, file) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((key, item),) = value.items()
        if key == "__tuple__":
            return tuple(_restore(part, file) for part in item)
        if key in ("__array__", "__scalar__", "__bytes__"):
            array = file.take(f"a{item}")
            return array if key == "__array__" else array[()] if key == "__scalar__" else array.tobytes()
    return {key: _restore(item, file) for key, item in value.items()}
