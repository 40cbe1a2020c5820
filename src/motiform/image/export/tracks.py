"""Numbers of bodies over the keys of a file: computed key by key, written body by body."""

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np

from motiform.record.samples import WHOLE_BYTES

__all__ = ["KeyTracks", "gathered"]


class KeyTracks:
    """Numbers of bodies over keys, (bodies, keys, width), put in by blocks of keys and taken out body by body.

    Many wait in a file without a name in a folder, where the file that they are for is written too.
    """

    def __init__(self, shape: tuple[int, int, int], dtype: Any, folder: Path) -> None:
        self.shape, self.dtype = shape, np.dtype(dtype)
        self.moves = np.zeros(shape[0], bool)
        """Which bodies have other numbers at a later key, (bodies,)."""
        self.first = np.zeros((shape[0], shape[2]), self.dtype)
        """Numbers at the first key, (bodies, width)."""
        self._row = shape[2] * self.dtype.itemsize
        small = shape[0] * shape[1] * self._row <= WHOLE_BYTES
        self._held = np.empty(shape, self.dtype) if small else None
        self._file = None if small else TemporaryFile(buffering=0, dir=folder)  # noqa: SIM115, closed with the object

    @property
    def body_bytes(self) -> int:
        """Size of the numbers of one body."""
        return self.shape[1] * self._row

    def put(self, key: int, block: np.ndarray) -> None:
        """Take the numbers of all bodies at some keys from one on, (bodies, some, width)."""
        block = np.ascontiguousarray(block, self.dtype)
        if key == 0:
            self.first = block[:, 0].copy()
        self.moves |= (block != self.first[:, None]).any(axis=(1, 2))
        if self._held is not None:
            self._held[:, key : key + block.shape[1]] = block
            return
        assert self._file is not None
        for body, rows in enumerate(block):
            self._file.seek(body * self.body_bytes + key * self._row)
            data = memoryview(rows).cast("B")
            while data:
                data = data[self._file.write(data) :]

    def __getitem__(self, body: int) -> np.ndarray:
        """Return the numbers of a body, (keys, width)."""
        if self._held is not None:
            return self._held[body]
        assert self._file is not None
        self._file.seek(body * self.body_bytes)
        found = bytearray()
        while len(found) < self.body_bytes:
            found += self._file.read(self.body_bytes - len(found))
        return np.frombuffer(found, self.dtype).reshape(self.shape[1:])


def gathered(
    blocks: Iterable[tuple[int, tuple[np.ndarray, ...]]], count: int, keys: int, folder: Path, dtype: Any = np.float64
) -> list[KeyTracks]:  # fmt: skip
    """Return the tracks of several quantities that come together: key, then (count, some, width) of each."""
    found: list[KeyTracks] = []
    for key, parts in blocks:
        found = found or [KeyTracks((count, keys, part.shape[2]), dtype, folder) for part in parts]
        for tracks, part in zip(found, parts, strict=True):
            tracks.put(key, part)
    return found
