"""Numbers that grow for as long as a live run lasts: the last in memory, all before them in a temporary file."""

import tempfile
import threading

import numpy as np

__all__ = ["Spool"]

_BLOCK = 65536  # rows in memory


class Spool:
    """Rows of numbers, appended one after the other."""

    def __init__(self, rows: np.ndarray) -> None:
        self._file, self._lock = tempfile.TemporaryFile(), threading.Lock()  # noqa: SIM115 - it lives as long as this
        self._last = np.empty((_BLOCK, rows.shape[1]))
        self._begin = self._fill = 0  # rows in the file, and after them in memory
        self.append(rows)

    def __len__(self) -> int:
        return self._begin + self._fill

    @property
    def last(self) -> np.ndarray:
        """The last row, which may be changed."""
        return self._last[self._fill - 1]

    def append(self, rows: np.ndarray) -> None:
        """Add rows at the end."""
        while len(rows):
            if self._fill == _BLOCK:
                self._write()
                self._begin, self._fill = self._begin + _BLOCK, 0
            some = rows[: _BLOCK - self._fill]
            self._last[self._fill : self._fill + len(some)] = some
            self._fill += len(some)
            rows = rows[len(some) :]

    def rows(self, first: int, end: int) -> np.ndarray:
        """Return some rows."""
        if first < self._begin:
            return np.array(self.all()[first:end])
        return self._last[first - self._begin : end - self._begin].copy()

    def all(self) -> np.ndarray:
        """Return all rows as they are now, (rows, width): pages of the file, read where they are looked at."""
        self._write()
        return np.asarray(np.memmap(self._file, float, "r", shape=(len(self), self._last.shape[1])))

    def _write(self) -> None:
        """Write what is in memory behind what was written for good."""
        with self._lock:
            self._file.seek(self._begin * self._last[0].nbytes)
            self._file.write(self._last[: self._fill].tobytes())
            self._file.flush()
