"""Numbers over time that are read by blocks: all that uses a recording which need not fit into memory goes this way."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from motiform.base.errors import RecordingError
from motiform.base.machine import check_memory

__all__ = ["BLOCK_BYTES", "WHOLE_BYTES", "Samples", "by_samples", "in_blocks"]

BLOCK_BYTES = 8 * 2**20
"""What is read at once [byte]."""
WHOLE_BYTES = 64 * 2**20
"""Recordings on disk up to here are read whole where they are drawn [byte]."""


class Samples:
    """Numbers over time (samples, …) that are read when they are asked for, with the bits of the whole array.

    Indexed as an array: ``values[k]``, ``values[a:b]``, ``values[[3, 5], :, 0]``. A part of every sample is taken block
    by block.
    """

    def __init__(self, read: Callable[[int, int], np.ndarray], shape: tuple[int, ...], dtype: Any) -> None:
        """Take what reads samples first to last (excluded)."""
        self._read, self.shape, self.dtype = read, shape, np.dtype(dtype)

    @property
    def ndim(self) -> int:
        """Number of axes, time included."""
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        """Size of the whole [byte]."""
        return _sample_bytes(self) * len(self)

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[np.ndarray]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, key: Any) -> Any:
        first, *others = key if isinstance(key, tuple) else (key,)
        if isinstance(first, int | np.integer):
            k = range(len(self))[first]
            return self._read(k, k + 1)[(0, *others)]
        wanted = np.arange(len(self))[first]
        flat, out = wanted.ravel(), None
        for start, run in self._runs(flat):
            part = self._some(run)[(slice(None), *others)]
            if len(run) == len(flat):
                return part.reshape(*wanted.shape, *part.shape[1:])
            if out is None:
                out = self._buffer((len(flat), *part.shape[1:]), part.dtype)
            out[start : start + len(run)] = part
        assert out is not None
        return out.reshape(*wanted.shape, *out.shape[1:])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self[:], dtype)

    def _runs(self, flat: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
        """Give the numbers of samples in runs that lie in one block each, and where the runs begin."""
        block = np.flatnonzero(np.diff(flat // _samples_in_block(self))) + 1
        starts = [0, *block.tolist()]
        for start, end in zip(starts, [*starts[1:], len(flat)], strict=True):
            yield start, flat[start:end]

    def _some(self, run: np.ndarray) -> np.ndarray:
        if not len(run):
            return self._read(0, 0)
        low, high = int(run.min()), int(run.max()) + 1
        block = self._read(low, high)
        return block if np.array_equal(run, np.arange(low, high)) else block[run - low]

    def _buffer(self, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        size = float(np.prod(shape, dtype=float)) * np.dtype(dtype).itemsize
        check_memory(size, "what is read at once", got=f"{shape[0]} samples", error=RecordingError,
                   remedy="Take a part of it (slice), or resample it at a lower rate first.")  # fmt: skip
        return np.empty(shape, dtype)


def by_samples(function: Callable[..., np.ndarray], *sources: Any) -> Any:
    """Return ``function(*sources)`` of what has samples along its first axis, each of which it changes by itself.

    It is computed at once for arrays, and where one of the sources is `Samples`, when it is asked for.
    """
    if not any(isinstance(source, Samples) for source in sources):
        return function(*sources)

    def read(first: int, last: int) -> np.ndarray:
        return function(*(source[first:last] for source in sources))

    one = read(0, 1)
    return Samples(read, (len(sources[0]), *one.shape[1:]), one.dtype)


def in_blocks(values: Any) -> Iterator[np.ndarray]:
    """Walk through an array or `Samples`, a few MiB at a time."""
    size = _samples_in_block(values)
    for first in range(0, len(values), size):
        yield values[first : first + size]


def _samples_in_block(values: Any) -> int:
    return max(1, BLOCK_BYTES // max(1, _sample_bytes(values)))


def _sample_bytes(values: Any) -> int:
    return int(np.prod(values.shape[1:], dtype=np.int64)) * int(values.dtype.itemsize)
