"""Heads of NIfTI files, versions 1 and 2, checked before ITK reads them: sizes that the file fills, numbers."""

import gzip
import math
import struct
import zlib
from pathlib import Path
from typing import Any

from motiform.base.errors import InputError
from motiform.base.files import plain_file
from motiform.base.machine import check_memory
from motiform.spatial.checks import Words

__all__ = ["check_nifti"]

_BITS = {2: 8, 4: 16, 8: 32, 16: 32, 64: 64, 128: 24, 256: 8, 512: 16, 768: 32, 1024: 64, 1280: 64, 32: 64, 1792: 128,
         2304: 32, 1536: 128, 2048: 256}  # fmt: skip
"""Bits of a voxel by the number of its type."""
_LARGEST = 1e30
_MAY_BE_NAN = (76, 104, 112, 176)  # spacings and scaling: ITK takes 0 for nan and inf
_FIRST = {348: ("8h", 40, "h", 70, 72, "f", 108, (("8f", 76), ("2f", 112), ("6f", 256), ("12f", 280)), 344, b"n+1\0"),
          540: ("8q", 16, "h", 12, 14, "q", 168, (("8d", 104), ("2d", 176), ("6d", 352), ("12d", 400)), 4, b"n+2\0"),
}  # fmt: skip
"""By the length of the head: sizes, type and bits, first voxel, floats, magic: formats and places."""


def check_nifti(place: Path) -> None:
    """Refuse a file whose head is not as the format says, or that ends before its last voxel."""
    try:
        plain_file(place)
        with gzip.open(place) if place.name.lower().endswith(".gz") else place.open("rb") as data:
            needed = _needed(place, data.read(540))
            check_memory(
                2.0 * needed, "the volume", got=f"{needed} bytes", remedy="Check the size that the file tells."
            )
            data.seek(0)
            found = 0
            while found < needed and (chunk := data.read(min(needed - found, 1 << 24))):
                found += len(chunk)
    except (EOFError, OSError, zlib.error, struct.error) as error:
        raise InputError("the file is cut short", where=str(place), got=Words(str(error))) from error
    if found < needed:
        got, allowed = Words(f"{found} bytes"), f"{needed} bytes"
        raise InputError("the file is cut short", where=str(place), got=got, allowed=allowed)


def _needed(place: Path, head: bytes) -> int:
    """Return the bytes up to the last voxel."""
    lengths = {order: struct.unpack(f"{order}i", head[:4])[0] for order in "<>"}
    order = next((one for one in "<>" if lengths[one] in _FIRST), None)
    if order is None:
        raise _damaged(place, f"a head of {lengths['<']} bytes", "348 or 540")

    def read(form: str, at: int) -> Any:
        return struct.unpack_from(order + form, head, at)

    sizes, at, short, kind_at, bits_at, offset, offset_at, floats, magic_at, magic = _FIRST[lengths[order]]
    if head[magic_at : magic_at + 4] != magic:
        raise _damaged(place, f"{head[magic_at : magic_at + 4]!r}", repr(magic))
    axes, *dims = read(sizes, at)
    if not 1 <= axes <= 7 or not all(1 <= n < 2**31 for n in dims[:axes]):
        raise _damaged(place, f"{axes} axes of {dims}", "1 to 7 axes, each of 1 or more")
    kind, bits = read(short, kind_at)[0], read(short, bits_at)[0]
    if _BITS.get(kind) != bits:
        raise _damaged(place, f"type {kind} of {bits} bits", "a type and its bits")
    start = read(offset, offset_at)[0]
    if not (math.isfinite(start) and lengths[order] <= start < 2**40):
        raise _damaged(place, f"the first voxel at {start}", f"{lengths[order]} or later")
    for form, place_of in floats:
        numbers = [x for x in read(form, place_of) if math.isfinite(x) or place_of not in _MAY_BE_NAN]
        if not all(abs(x) < _LARGEST for x in numbers):
            raise _damaged(place, f"{read(form, place_of)}", f"numbers up to {_LARGEST:g}")
    return int(start) + bits // 8 * math.prod(dims[:axes])


def _damaged(place: Path, got: str, allowed: str) -> InputError:
    return InputError("the head of the volume is damaged", where=str(place), got=Words(got), allowed=allowed)
