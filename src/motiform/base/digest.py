"""Digests: whether two pieces of work are the same work."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["Digest"]


class Digest:
    """SHA-256 of values in order, the same in every process.

    Every value goes in with its kind and size, so that no two sequences of values read alike. Arrays count with their
    shape and type, mappings in the order of their keys' names, anything else by its text.

    >>> Digest([1, 2], 3).text() == Digest([1], 2, 3).text()
    False
    """

    def __init__(self, *values: Any) -> None:
        self._sum = hashlib.sha256()
        self.add(*values)

    def add(self, *values: Any) -> "Digest":
        """Take in values."""
        for value in values:
            self._add(value)
        return self

    def add_file(self, path: Path) -> "Digest":
        """Take in the bytes of a file, or the names and bytes of all files below a folder; of links only the names."""
        for one in sorted(path.rglob("*")) if path.is_dir() else [path]:
            self._head("file", one.name)
            if one.is_file() and not (path.is_dir() and one.is_symlink()):
                with one.open("rb") as stream:
                    self._sum.update(hashlib.file_digest(stream, "sha256").digest())
        return self

    def add_blocks(self, blocks: Iterable[Any]) -> "Digest":
        """Take in the numbers of an array in blocks, however it is cut."""
        for block in blocks:
            self._sum.update(np.ascontiguousarray(block).tobytes())
        return self

    def text(self, length: int = 64) -> str:
        """Return the first hexadecimal digits."""
        return self._sum.hexdigest()[:length]

    def _head(self, kind: str, size: object) -> None:
        self._sum.update(f"{kind}:{size};".encode())

    def _add(self, value: Any) -> None:
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, np.ndarray) and value.dtype != object:
            self._head(value.dtype.str, value.shape)
            self._sum.update(np.ascontiguousarray(value).tobytes())
        elif isinstance(value, Mapping):
            self._head("mapping", len(value))
            for name in sorted(value, key=str):
                self.add(name, value[name])
        elif isinstance(value, list | tuple | np.ndarray):
            self._head("sequence", len(value))
            self.add(*value)
        else:
            data = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
            self._head(type(value).__name__, len(data))
            self._sum.update(data)
