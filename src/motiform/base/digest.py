"""Digests: whether two pieces of work are the same work."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["Digest"]

_PLAIN = frozenset((float, int, bool, type(None)))


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
        out: list[bytes] = []
        for value in values:
            _write(value, out)
        self._sum.update(b"".join(out))
        return self

    def add_file(self, path: Path) -> "Digest":
        """Take in the bytes of a file, or the names and bytes of all files below a folder; of links only the names."""
        for one in sorted(path.rglob("*")) if path.is_dir() else [path]:
            self.add(one.name)
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


def _write(value: Any, out: list[bytes]) -> None:
    """Write a value as bytes, with its kind and size."""
    kind = type(value)
    if kind in _PLAIN:
        out.append(f"{kind.__name__}:{value!r};".encode())
    elif kind is np.ndarray and value.dtype != object:
        out += (f"{value.dtype.str}:{value.shape};".encode(), np.ascontiguousarray(value).tobytes())
    elif isinstance(value, np.generic):
        _write(value.item(), out)
    elif isinstance(value, Mapping):
        out.append(b"mapping:%d;" % len(value))
        for name in sorted(value, key=str):
            _write(name, out)
            _write(value[name], out)
    elif isinstance(value, list | tuple | np.ndarray):
        out.append(b"sequence:%d;" % len(value))
        for one in value:
            _write(one, out)
    else:
        data = value if kind is bytes else str(value).encode("utf-8", "surrogatepass")
        out += (f"{kind.__name__}:{len(data)};".encode(), data)
