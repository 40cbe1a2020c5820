"""How a recording lies on disk: folders, chunks and their metadata. docs/record.md describes it for other readers."""

import math
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import quote

import numpy as np

from motiform.base.errors import RecordingError
from motiform.record.channel import Channel
from motiform.record.plain import dump_plain

__all__ = [
    "COMMIT", "EVENTS", "FORMAT", "HEADER", "HEADER_BYTES", "Commit", "Mark", "StoreLayout", "StoredSeries", "checksum",
]  # fmt: skip

FORMAT = 1
HEADER, COMMIT, EVENTS = "zarr.json", "commit.json", "events.jsonl"
HEADER_BYTES = 64 * 2**20  # of zarr.json and commit.json; a manifest holds the text of its scene
_CHUNK_SAMPLES = 2**15  # a partial last chunk is written again at each commit, so those of small channels stay small
_CHUNK_LIMIT = 2**31 - 1  # [byte] of the compressor


def checksum(value: Any) -> int:
    """Return the CRC-32 of bytes, or of a plain value as sorted JSON."""
    return zlib.crc32(value if isinstance(value, bytes) else dump_plain(value, sort=True).encode())


@dataclass(frozen=True)
class StoredSeries:
    """One array on disk, growing along its first axis."""

    folder: str
    shape: tuple[int, ...]
    """Sizes of the axes after the first."""
    dtype: str
    chunk: int
    """Samples in a chunk."""
    dims: tuple[str, ...] | None = None
    attributes: dict[str, Any] = field(default_factory=dict)

    def chunk_file(self, index: int) -> str:
        """Return the name of a chunk's file in the folder."""
        return ".".join(["c", str(index), *("0" for _ in self.shape)])

    def encode(self, samples: np.ndarray) -> bytes:
        """Return the bytes of a chunk that holds these samples, filled up where they are fewer.

        Done here and not by zarr, whose writes go on in another thread after Ctrl-C: an old chunk could land on a new.
        """
        import google_crc32c
        from numcodecs import Blosc

        whole = np.full((self.chunk, *self.shape), self._fill, np.dtype(self.dtype).newbyteorder("<"))
        whole[: len(samples)] = samples
        packed = bytes(Blosc("lz4", 5, Blosc.SHUFFLE).encode(whole))
        return packed + google_crc32c.value(packed).to_bytes(4, "little")

    def decode(self, packed: bytes) -> np.ndarray:
        """Return the samples of a chunk as it is on disk; ValueError when it is damaged."""
        import google_crc32c
        from numcodecs import Blosc

        body, kind = packed[:-4], np.dtype(self.dtype)
        if google_crc32c.value(body) != int.from_bytes(packed[-4:], "little"):
            raise ValueError("its checksum is wrong")
        sizes = body[4:8], body[12:16]  # of the compressor's header; the compressor itself reads as far as they say
        if len(body) < 16 or [int.from_bytes(one, "little") for one in sizes] != [self.chunk_bytes, len(body)]:
            raise ValueError("it does not hold a chunk of this array")
        whole = np.frombuffer(Blosc().decode(body), kind.newbyteorder("<")).reshape(self.chunk, *self.shape)
        return whole.astype(kind, copy=False)

    @property
    def chunk_bytes(self) -> int:
        """Size of a chunk before compression [byte]."""
        return self.chunk * math.prod(self.shape) * np.dtype(self.dtype).itemsize

    def metadata(self, count: int) -> dict[str, Any]:
        """Return zarr's description of the array with so many samples."""
        item = np.dtype(self.dtype).itemsize
        blosc = {"typesize": item, "cname": "lz4", "clevel": 5, "shuffle": "shuffle", "blocksize": 0}
        names = {} if self.dims is None else {"dimension_names": list(self.dims)}
        return names | {
            "zarr_format": 3,
            "node_type": "array",
            "shape": [count, *self.shape],
            "data_type": self.dtype,
            "chunk_grid": {
                "name": "regular",
                "configuration": {"chunk_shape": [self.chunk, *(max(1, n) for n in self.shape)]},
            },
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "."}},
            "fill_value": "NaN" if isinstance(self._fill, float) else self._fill,
            "codecs": [
                {"name": "bytes", "configuration": {"endian": "little"}} if item > 1 else {"name": "bytes"},
                {"name": "blosc", "configuration": blosc},
                {"name": "crc32c"},
            ],
            "attributes": self.attributes,
        }

    @property
    def _fill(self) -> float | int | bool:
        kind = np.dtype(self.dtype).kind
        return math.nan if kind == "f" else False if kind == "b" else 0


@dataclass(frozen=True)
class StoreLayout:
    """What a recording holds and where, fixed when it is made."""

    channels: tuple[Channel, ...]
    statics: dict[str, tuple[tuple[int, ...], str]]
    """Shape and dtype by name."""
    manifest: dict[str, Any]
    chunks: dict[str, int]
    """Samples in a chunk of each channel."""
    writer: str = ""

    @classmethod
    def plan(
        cls, channels: Iterable[Channel], manifest: dict[str, Any], statics: Mapping[str, np.ndarray], chunk_bytes: int
    ) -> "StoreLayout":
        """Choose chunks of about so many bytes."""
        from motiform import __version__

        channels = tuple(channels)
        chunks = {c.name: max(1, min(_CHUNK_SAMPLES, chunk_bytes // c.sample_bytes)) for c in channels}
        shapes = {name: (array.shape, array.dtype.name) for name, array in statics.items()}
        return cls(channels, shapes, manifest, chunks, f"motiform {__version__}")

    @cached_property
    def series(self) -> dict[tuple[str, str], StoredSeries]:
        """Arrays on disk that grow with time, by ("data" | "times", name of the channel)."""
        found: dict[tuple[str, str], StoredSeries] = {}
        for channel, folder in zip(self.channels, _folders(c.name for c in self.channels), strict=True):
            chunk, dims = self.chunks[channel.name], ("time", *channel.dims)
            attributes = channel.describe()
            found["data", channel.name] = StoredSeries(
                f"data/{folder}", channel.shape, channel.dtype, chunk, dims, attributes
            )
            if channel.rate is None:
                attributes = {"name": f"time of {channel.name}", "unit": "s"}
                found["times", channel.name] = StoredSeries(
                    f"times/{folder}", (), "float64", chunk, ("time",), attributes
                )
        return found

    @cached_property
    def static_series(self) -> dict[str, StoredSeries]:
        """Arrays on disk without time. Their first axis is chunked; one without axes is held as one element."""
        found = {}
        for (name, (shape, dtype)), folder in zip(self.statics.items(), _folders(self.statics), strict=True):
            rest = shape[1:]
            bytes_each = max(1, math.prod(rest) * np.dtype(dtype).itemsize)
            chunk = max(1, min(shape[0] if shape else 1, 4 * 2**20 // bytes_each))
            found[name] = StoredSeries(f"statics/{folder}", rest, dtype, chunk, None, {"name": name})
        return found

    def header(self) -> dict[str, Any]:
        """Return the description kept in the root group's attributes, as plain values."""
        return {
            "format": FORMAT,
            "writer": self.writer,
            "manifest": self.manifest,
            "channels": [c.describe() | {"chunk": self.chunks[c.name]} for c in self.channels],
            "statics": [
                {"name": name, "shape": list(shape), "dtype": dtype} for name, (shape, dtype) in self.statics.items()
            ],
        }

    @classmethod
    def from_header(cls, header: Mapping[str, Any]) -> "StoreLayout":
        """Return the layout that a header describes; ValueError, TypeError or KeyError when it describes none."""
        channels = tuple(Channel.from_description(one) for one in header["channels"])
        chunks = {one["name"]: _whole(one["chunk"]) for one in header["channels"]}
        if len(chunks) != len(channels) or any(
            chunks[c.name] < 1 or chunks[c.name] * c.sample_bytes > _CHUNK_LIMIT for c in channels
        ):
            raise ValueError("channels must have different names and chunks of an allowed size")
        statics = {
            Channel(one["name"]).name: (tuple(_whole(n) for n in one["shape"]), Channel("x", dtype=one["dtype"]).dtype)
            for one in header["statics"]
        }
        for shape, dtype in statics.values():
            np.broadcast_to(np.empty((), dtype), shape)  # ValueError where there is no such array
        return cls(channels, statics, dict(header["manifest"]), chunks, str(header["writer"]))


@dataclass(frozen=True)
class Mark:
    """A point in a recording: samples of each channel, and the part of the events' file."""

    counts: dict[str, int]
    event_count: int = 0
    event_bytes: int = 0
    event_crc32: int = 0


@dataclass(frozen=True)
class Commit:
    """What is in place, whole: the content of commit.json."""

    number: int
    upto: Mark
    """What can be read."""
    resume: Mark
    """Where a resumed run goes on."""
    complete: bool = False
    header_crc32: int = 0
    checkpoint: str | None = None
    """File of the checkpoint that a resumed run starts from."""
    checkpoint_crc32: int = 0
    checkpoint_bytes: int | None = None
    """Size of the checkpoint's file; None where the writer did not tell it."""

    def dump(self) -> bytes:
        """Return the content of commit.json."""
        body = {
            "format": FORMAT,
            "number": self.number,
            "complete": self.complete,
            "header_crc32": self.header_crc32,
            "upto": vars(self.upto),
            "resume": vars(self.resume),
            "checkpoint": self.checkpoint
            and {"file": self.checkpoint, "crc32": self.checkpoint_crc32, "bytes": self.checkpoint_bytes},
        }
        return dump_plain({"commit": body, "crc32": checksum(body)}, indent=1).encode()

    @classmethod
    def load(cls, value: Any) -> "Commit":
        """Return the commit of a parsed commit.json; ValueError, TypeError or KeyError when it is none."""
        body = value["commit"]
        check_format(body)
        if value["crc32"] != checksum(body):
            raise ValueError("its checksum is wrong")
        point = body["checkpoint"]
        if point is not None and not re.fullmatch(r"checkpoint-\d+\.npz", point["file"]):
            raise ValueError("its checkpoint has another name than a checkpoint")
        size = None if point is None else point.get("bytes")
        return cls(
            _whole(body["number"]), _mark(body["upto"]), _mark(body["resume"]), body["complete"] is True,
            _whole(body["header_crc32"]),
            None if point is None else str(point["file"]), 0 if point is None else _whole(point["crc32"]),
            None if size is None else _whole(size),
        )  # fmt: skip


def check_format(value: Mapping[str, Any]) -> None:
    """Refuse what a later version wrote."""
    number = _whole(value["format"])
    if number > FORMAT:
        remedy = "Update motiform to read it."
        raise RecordingError(
            "the format is newer than this version reads", got=f"format {number}", allowed=f"up to {FORMAT}",
            remedy=remedy,
        )  # fmt: skip


def _mark(value: Mapping[str, Any]) -> Mark:
    counts = {str(name): _whole(count) for name, count in value["counts"].items()}
    return Mark(counts, *(_whole(value[key]) for key in ("event_count", "event_bytes", "event_crc32")))


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
        raise ValueError(f"{value!r} is not a whole number from 0")
    return value


def _folders(names: Iterable[str]) -> list[str]:
    """Return a folder for each name: letters, digits and ``_.-~`` stay, the rest is %XX; no two alike in any case."""
    found: list[str] = []
    taken: set[str] = set()
    for name in names:
        folder = quote(name, safe="")
        if folder[0] in "._":  # hidden, or zarr's own
            folder = f"%{ord(folder[0]):02X}" + folder[1:]
        if folder[-1] == ".":
            folder = folder[:-1] + "%2E"
        base = folder if len(folder) <= 120 else f"{folder[:100]}~{zlib.crc32(name.encode()):08x}"
        folder, k = base, 1
        while folder.lower() in taken:
            k += 1
            folder = f"{base}~{k}"
        taken.add(folder.lower())
        found.append(folder)
    return found
