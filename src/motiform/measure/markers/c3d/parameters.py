"""The parameter section of a C3D file.

C3D is read and written by our own code: ezc3d has no wheels for Linux on ARM, ends the whole process on some damaged
files and stops at 65535 samples. The tests compare with it, where it is installed, and with the package c3d.
"""

import struct
from collections.abc import Iterator
from itertools import count, takewhile
from typing import Any

import numpy as np

from motiform.base.errors import InputError

__all__ = ["BLOCK", "INTEL", "C3dParameters", "NumberFormat", "read_parameters"]

BLOCK = 512  # [byte]
INTEL, _DEC, _MIPS = 84, 85, 86
_WIDEST = 2**24  # numbers in one parameter; more is a damaged file


class NumberFormat:
    """How numbers are written: byte order, and DEC's own floats."""

    def __init__(self, processor: int, where: str) -> None:
        if processor not in (INTEL, _DEC, _MIPS):
            raise InputError(
                "the C3D file must state its processor", where=where, got=f"processor type {processor}",
                allowed="84 (Intel), 85 (DEC), 86 (MIPS)",
            )  # fmt: skip
        self.order = ">" if processor == _MIPS else "<"
        self.dec = processor == _DEC

    def floats(self, data: bytes | np.ndarray) -> np.ndarray:
        """Return bytes as float32 of this machine."""
        raw = np.frombuffer(data, np.uint8) if isinstance(data, bytes) else data
        if not self.dec:
            return raw.view(self.order + "f4").astype(np.float32, copy=False)
        words = np.ascontiguousarray(raw.view("<u2").reshape(-1, 2)[:, ::-1])
        return words.view("<f4").ravel() / np.float32(4)  # VAX: words swapped, exponent 2 more

    def words(self, data: bytes | np.ndarray) -> np.ndarray:
        """Return bytes as int16 of this machine."""
        raw = np.frombuffer(data, np.uint8) if isinstance(data, bytes) else data
        return raw.view(self.order + "i2").astype(np.int16, copy=False)


class C3dParameters:
    """Parameters by group and name, both in capitals."""

    def __init__(self, values: dict[tuple[str, str], Any]) -> None:
        self._values = values

    def array(self, group: str, name: str) -> np.ndarray:
        """Return a parameter's numbers, Fortran order undone, with those of name2, name3, … that continue it.

        They continue along the last axis. Empty where it is absent or is text.
        """
        parts = [part for part in self._parts(group, name) if isinstance(part, np.ndarray)]
        if not parts:
            return np.empty(0)
        rows = parts[0].shape[:-1]
        same = list(takewhile(lambda part: part.ndim and part.shape[:-1] == rows, parts))
        return np.concatenate(same, axis=-1) if len(same) > 1 else parts[0]

    def number(self, group: str, name: str) -> float | None:
        """Return a parameter's first number, or None."""
        value = self.array(group, name).ravel(order="F")
        return float(value[0]) if value.size else None

    def texts(self, group: str, name: str) -> list[str]:
        """Return a parameter's texts, with those of name2, name3, … that continue it."""
        return [text for part in self._parts(group, name) if isinstance(part, list) for text in part]

    def text(self, group: str, name: str) -> str:
        """Return a parameter's first text, "" where there is none."""
        return (self.texts(group, name) or [""])[0]

    def _parts(self, group: str, name: str) -> Iterator[Any]:
        """Yield a parameter and those that continue it, as long as they are there."""
        for number in count(1):
            value = self._values.get((group, name + (str(number) if number > 1 else "")))
            if value is None:
                return
            yield value


def read_parameters(data: bytes, block: int, where: str) -> tuple[C3dParameters, NumberFormat]:
    """Return the parameters of a file that begin at a block (counted from 1), and how it writes numbers."""
    at = (block - 1) * BLOCK
    if block < 1 or len(data) < at + 4:
        raise InputError("the C3D file is cut before its parameters", where=where, got=f"{len(data)} bytes")
    numbers = NumberFormat(data[at + 3], where)
    try:
        start = BLOCK * (int(numbers.words(data[16:18])[0]) - 1)  # of the samples
        return _iterate_groups(data, at + 4, start if start > at else len(data), numbers), numbers
    except InputError:
        raise
    except (struct.error, IndexError, ValueError) as error:
        raise InputError("the parameters of the C3D file are damaged", where=where, got=str(error)[:80]) from None


def _iterate_groups(data: bytes, at: int, end: int, numbers: NumberFormat) -> C3dParameters:
    groups: dict[int, str] = {}
    found: list[tuple[int, str, Any]] = []
    while at + 2 <= len(data):
        length, group = struct.unpack_from("bb", data, at)
        length = abs(length)
        if length == 0 or group == 0:
            break
        name = _text(data[at + 2 : at + 2 + length]).upper()
        place = at + 2 + length
        offset = _offset(data, place, end, numbers.order)
        if group < 0:
            groups[-group] = name
        else:
            found.append((group, name, _value(data, place + 2, numbers)))
        if offset <= 0:
            break
        at = place + offset
    return C3dParameters({(groups.get(group, f"GROUP {group}"), name): value for group, name, value in found})


def _offset(data: bytes, place: int, end: int, order: str) -> int:
    """Return the way to the next entry; in the other byte order where only that does not lead into the samples.

    Converted files have such an entry: that of c3d.org for SGI is one.
    """
    stated, other = (int(struct.unpack_from(o + "h", data, place)[0]) for o in (order, "<" if order == ">" else ">"))
    return other if stated and not 0 < stated <= end - place and 0 < other <= end - place else stated


def _value(data: bytes, at: int, numbers: NumberFormat) -> Any:
    kind, rank = struct.unpack_from("bB", data, at)
    shape = tuple(data[at + 2 : at + 2 + rank])
    size = int(np.prod(shape, dtype=object)) if rank else 1
    width = abs(kind)
    if kind not in (-1, 1, 2, 4) or size > _WIDEST or len(shape) != rank:
        raise ValueError(f"a parameter must be of a known type, not {kind} of shape {shape}")
    raw = data[at + 2 + rank : at + 2 + rank + size * width]
    if len(raw) < size * width:
        raise ValueError("it is cut inside a parameter")
    if kind == -1:
        line = shape[0] if rank > 1 else size
        return [_text(raw[k * line : (k + 1) * line]) for k in range(size // line)] if line else []
    if kind == 1:
        flat = np.frombuffer(raw, np.int8)
    else:
        flat = numbers.words(raw) if kind == 2 else numbers.floats(raw)
    return flat.reshape(shape, order="F")


def _text(raw: bytes) -> str:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    return text.replace("\0", " ").strip()
