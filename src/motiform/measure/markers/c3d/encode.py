"""The parameter section of a C3D file, encoded: what `read_parameters` decodes."""

import struct
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from motiform.base.errors import InputError
from motiform.measure.markers.c3d.parameters import BLOCK, INTEL

__all__ = ["Groups", "encode_parameters"]

Groups = Mapping[str, Mapping[str, "str | Sequence[str] | float | np.ndarray"]]

_MOST_BLOCKS = 255  # their count is one byte
_MOST_COLUMNS = 255  # and so is each dimension
_MOST_BYTES = 32767  # the way to the next entry is a signed word
_TEXT = -1


def encode_parameters(groups: Groups, where: str) -> bytes:
    """Return the parameter section in whole blocks, in Intel's byte order.

    Text, one or a list, is UTF-8. Whole numbers are words of 16 bits, or bytes where the array holds bytes; all others
    are floats of 32 bits. What has more than 255 columns (the last axis) goes on in NAME2, NAME3, …; what is empty is
    left out.
    """
    body = b"".join(_entries(groups, where))
    blocks = -(-(4 + len(body) + 2) // BLOCK)  # two zeros end the list
    if blocks > _MOST_BLOCKS:
        raise InputError(
            "names, units and events do not fit in the parameter section of a C3D file", where=where,
            got=f"{blocks} blocks", allowed=f"up to {_MOST_BLOCKS} blocks of {BLOCK} bytes",
            remedy="Shorten the names, or leave out markers, channels or events.",
        )  # fmt: skip
    return (bytes([1, 80, blocks, INTEL]) + body).ljust(blocks * BLOCK, b"\0")


def _entries(groups: Groups, where: str) -> Iterator[bytes]:
    """Yield each group, then its parameters; every one ends with an empty description."""
    for number, (group, values) in enumerate(groups.items(), start=1):
        yield _entry(group, -number, b"\0")
        for name, value in values.items():
            kind, array = _typed(value, f"{where}: {group}:{name}")
            for k, part in enumerate(_parts(array), start=1):
                shape = struct.pack("bB", kind, part.ndim) + bytes(part.shape)
                yield _entry(name + (str(k) if k > 1 else ""), number, shape + part.tobytes("F") + b"\0")


def _entry(name: str, number: int, body: bytes) -> bytes:
    return struct.pack("bb", len(name), number) + name.encode("ascii") + struct.pack("<h", 2 + len(body)) + body


def _typed(value: "str | Sequence[str] | float | np.ndarray", where: str) -> tuple[int, np.ndarray]:
    """Return the type of a parameter, and its numbers; a list of text becomes (width, count) bytes."""
    if isinstance(value, str):
        return _TEXT, np.frombuffer(_utf8(value, where), np.uint8)
    if isinstance(value, (list, tuple)):
        lines = [_utf8(text, where) for text in value]
        width = max(map(len, lines), default=1) or 1
        return _TEXT, np.frombuffer(b"".join(line.ljust(width) for line in lines), np.uint8).reshape(-1, width).T
    array = np.asarray(value)
    if array.dtype.kind not in "iu":
        return 4, array.astype("<f4")
    return (1, array) if array.itemsize == 1 else (2, array.astype("<u2"))


def _utf8(text: str, where: str) -> bytes:
    try:
        raw = text.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(
            "text must be encodable as UTF-8", where=where, got=repr(text)[:80], allowed="Unicode without surrogates"
        ) from None
    if len(raw) > _MOST_COLUMNS:
        got = f"{len(raw)} bytes, {text[:40]!r} and more"
        raise InputError("a text is too long for a C3D file", where=where, got=got, allowed="up to 255 bytes of UTF-8")
    return raw


def _parts(array: np.ndarray) -> Iterator[np.ndarray]:
    """Yield an array cut along its last axis into parts that one parameter can hold."""
    if array.ndim == 0:
        yield array
    elif array.size:
        room = _MOST_BYTES - 2 - 2 - array.ndim - 1  # the way itself, type and rank, dimensions, description
        columns = min(_MOST_COLUMNS, room * array.shape[-1] // array.nbytes)
        for first in range(0, array.shape[-1], columns):
            yield array[..., first : first + columns]
