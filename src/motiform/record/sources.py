"""Where a recording's numbers come from: memory, or a window of another source. Disk is in store.py."""

from collections.abc import Mapping
from typing import Protocol

import numpy as np

__all__ = ["MemorySource", "Source", "WindowSource", "frozen"]


class Source(Protocol):
    """Gives parts of the channels; indices are checked by the caller."""

    counts: dict[str, int]

    def read(self, name: str, first: int, last: int) -> np.ndarray:
        """Return samples first to last (excluded) of a channel, (last - first, *shape)."""

    def read_times(self, name: str, first: int, last: int) -> np.ndarray:
        """Return the times [s] of samples first to last (excluded) of a channel without a rate."""

    def static_names(self) -> list[str]:
        """Return the names of the arrays without time."""

    def read_static(self, name: str) -> np.ndarray:
        """Return one array without time."""


def frozen(array: np.ndarray) -> np.ndarray:
    """Return a view that cannot be written: what a recording hands out is shared."""
    view = array.view()
    view.flags.writeable = False
    return view


class MemorySource:
    """Arrays in memory."""

    def __init__(
        self, arrays: Mapping[str, np.ndarray], times: Mapping[str, np.ndarray], statics: Mapping[str, np.ndarray],
    ) -> None:  # fmt: skip
        self._arrays, self._times, self._statics = dict(arrays), dict(times), dict(statics)
        self.counts = {name: len(array) for name, array in self._arrays.items()}

    def read(self, name: str, first: int, last: int) -> np.ndarray:
        """Return samples of a channel."""
        return frozen(self._arrays[name][first:last])

    def read_times(self, name: str, first: int, last: int) -> np.ndarray:
        """Return times [s] of a channel."""
        return frozen(self._times[name][first:last])

    def static_names(self) -> list[str]:
        """Return the names of the arrays without time."""
        return list(self._statics)

    def read_static(self, name: str) -> np.ndarray:
        """Return one array without time."""
        return frozen(self._statics[name])


class WindowSource:
    """Samples first to last (excluded) of each channel of another source; reads nothing until asked."""

    def __init__(self, source: Source, ranges: Mapping[str, tuple[int, int]]) -> None:
        self._source = source
        self._first = {name: first for name, (first, _) in ranges.items()}
        self.counts = {name: last - first for name, (first, last) in ranges.items()}

    def read(self, name: str, first: int, last: int) -> np.ndarray:
        """Return samples of a channel."""
        shift = self._first[name]
        return self._source.read(name, shift + first, shift + last)

    def read_times(self, name: str, first: int, last: int) -> np.ndarray:
        """Return times [s] of a channel."""
        shift = self._first[name]
        return self._source.read_times(name, shift + first, shift + last)

    def static_names(self) -> list[str]:
        """Return the names of the arrays without time."""
        return self._source.static_names()

    def read_static(self, name: str) -> np.ndarray:
        """Return one array without time."""
        return self._source.read_static(name)
