"""Elements of a DICOM file, walked before ITK reads it: lengths lie in the file, sizes fit its pixels [PS3.5 7, A]."""

import os
import re
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Literal

from motiform.base.errors import InputError
from motiform.base.files import plain_file
from motiform.base.machine import check_memory
from motiform.spatial.checks import Words

__all__ = ["check_dicom"]

Tag = tuple[int, int]
_LONG = (b"OB", b"OD", b"OF", b"OL", b"OV", b"OW", b"SQ", b"SV", b"UC", b"UN", b"UR", b"UT", b"UV")  # 4 bytes of length
_ITEM, _ITEM_END, _ITEMS_END, _PIXELS = (0xFFFE, 0xE000), (0xFFFE, 0xE00D), (0xFFFE, 0xE0DD), (0x7FE0, 0x0010)
_OPEN = 0xFFFFFFFF  # a length that an end tells
_DEEPEST, _MOST, _LONGEST = 16, 200_000, 4096  # nested sequences, elements, bytes of a value that is looked at
_SYNTAX, _PLAIN, _SWAPPED, _DEFLATED = (2, 0x10), "1.2.840.10008.1.2", "1.2.840.10008.1.2.2", "1.2.840.10008.1.2.1.99"
_COMPRESSED = ("1.2.840.10008.1.2.4", "1.2.840.10008.1.2.5")  # JPEG and its like, RLE
_ROWS, _COLUMNS, _BITS, _SAMPLES, _FRAMES = (40, 0x10), (40, 0x11), (40, 0x100), (40, 2), (40, 8)
_NUMBERS: dict[Tag, int | None] = {
    (0x20, 0x32): 3, (0x20, 0x37): 6, (40, 0x30): 2, (0x18, 0x50): 1, (0x18, 0x88): 1, (40, 0x1052): 1,
    (40, 0x1053): 1, _FRAMES: 1,
}  # fmt: skip
"""Texts of numbers, and how many: position, orientation, spacings, rescaling, frames."""
_NUMBER, _LARGEST = re.compile(r"[-+]?(\d++\.?+\d*+|\.\d++)([eE][-+]?\d{1,3})?"), 1e15


def check_dicom(place: Path) -> Literal["plain", "compressed"] | None:
    """Return how the pixels of a DICOM file are kept, None of another file; refuse what does not fit into it."""
    with plain_file(place).open("rb") as file:
        head = file.read(132)
        first = 132 if head[128:] == b"DICM" else 0
        if not first and head[:2] not in (b"\x08\x00", b"\x02\x00"):
            return None
        walk = _ElementReader(place, file, os.fstat(file.fileno()).st_size)
        try:
            walk.file_of(first)
        except struct.error:
            raise walk.damaged("an element that is cut", "whole elements") from None
    walk.check_pixels()
    return "compressed" if walk.pixels == -1 or walk.syntax.startswith(_COMPRESSED) else "plain"


@dataclass
class _ElementReader:
    place: Path
    file: BinaryIO
    size: int
    explicit: bool = True
    order: str = "<"
    values: dict[Tag, bytes] = field(default_factory=dict)
    pixels: int | None = None
    """Bytes of pixels; -1 where they are in items, compressed."""
    count: int = 0

    def damaged(self, got: str, allowed: str) -> InputError:
        return InputError("the head of the slice is damaged", where=str(self.place), got=Words(got), allowed=allowed)

    def file_of(self, at: int) -> None:
        """Walk the elements of the file: group 2 tells how the others are written."""
        begun = self.peek(at) != 2
        self.explicit = not begun or self.looks_explicit(at)
        while at < self.size and self.pixels is None:
            if not begun and self.peek(at) != 2:
                begun = True
                self.begin()
            at = self.element(at, self.size, 0)

    @property
    def syntax(self) -> str:
        """How the elements are written."""
        return self.values.get(_SYNTAX, b"").decode("latin-1").strip("\0 ")

    def peek(self, at: int) -> int:
        self.file.seek(at)
        return int(struct.unpack(f"{self.order}H", self.file.read(2))[0])

    def looks_explicit(self, at: int) -> bool:
        self.file.seek(at + 4)
        return self.file.read(2).isalpha()

    def begin(self) -> None:
        """Take up how the elements after group 2 are written."""
        name = self.syntax
        if name == _DEFLATED:
            raise InputError("a deflated DICOM file cannot be read", where=str(self.place), remedy="Convert it first.")
        self.explicit, self.order = name != _PLAIN, ">" if name == _SWAPPED else "<"

    def element(self, at: int, end: int, depth: int) -> int:
        """Walk an element and what is in it; return where it ends."""
        self.count += 1
        if self.count > _MOST or depth > _DEEPEST:
            raise self.damaged(f"{self.count} elements, {depth} deep", f"up to {_MOST}, {_DEEPEST} deep")
        self.file.seek(at)
        raw = self.file.read(12)
        tag: Tag = struct.unpack(f"{self.order}HH", raw[:4])
        kind = raw[4:6] if self.explicit and tag[0] != _ITEM[0] else b""
        if kind and not (kind.isalpha() and kind.isupper()):
            raise self.damaged(f"an element of kind {kind!r}", "two letters")
        if kind in _LONG:
            start, length = at + 12, struct.unpack(f"{self.order}I", raw[8:12])[0]
        elif kind:
            start, length = at + 8, struct.unpack(f"{self.order}H", raw[6:8])[0]
        else:
            start, length = at + 8, struct.unpack(f"{self.order}I", raw[4:8])[0]
        if length == _OPEN:
            if tag == _PIXELS and not depth:
                self.pixels = -1
            return self.items(start, end, depth + 1, plain=tag == _PIXELS)
        if start + length > end:
            raise self.damaged(f"an element of {length} bytes at {at}", f"up to {end - start}")
        if kind == b"SQ":
            self.items(start, start + length, depth + 1, plain=False)
        elif not depth and tag == _PIXELS:
            self.pixels = length
        elif not depth and tag in self.values:
            raise self.damaged(f"{tag[0]:04x},{tag[1]:04x} twice", "every element once")
        elif not depth and length <= _LONGEST:
            self.file.seek(start)
            self.values[tag] = self.file.read(length)
        return int(start + length)

    def items(self, at: int, end: int, depth: int, *, plain: bool) -> int:
        """Walk the items of a sequence, or the fragments of compressed pixels; return where they end."""
        while at < end:
            self.file.seek(at)
            raw = self.file.read(8)
            tag, length = struct.unpack(f"{self.order}HH", raw[:4]), struct.unpack(f"{self.order}I", raw[4:8])[0]
            at += 8
            if tag == _ITEMS_END:
                return at
            if tag != _ITEM:
                raise self.damaged(f"an element {tag[0]:04x},{tag[1]:04x} between items", "items")
            if length != _OPEN and at + length > end:
                raise self.damaged(f"an item of {length} bytes", f"up to {end - at}")
            at = at + length if plain and length != _OPEN else self.item(at, end, length, depth)
        return at

    def item(self, at: int, end: int, length: int, depth: int) -> int:
        """Walk the elements of an item; return where it ends."""
        last = end if length == _OPEN else at + length
        while at < last:
            self.file.seek(at)
            if length == _OPEN and struct.unpack(f"{self.order}HH", self.file.read(4)) == _ITEM_END:
                return at + 8
            at = self.element(at, last, depth)
        return at

    def check_pixels(self) -> None:
        """Refuse numbers that are none, and an image that its pixels do not fill."""
        for tag, count in _NUMBERS.items():
            parts = self.values.get(tag, b"").decode("latin-1").strip("\0 ").split("\\")
            right = (
                all(_NUMBER.fullmatch(x.strip()) and abs(float(x)) < _LARGEST for x in parts) and len(parts) == count
            )
            if parts != [""] and not right:
                got = " ".join(parts)[:60]
                raise self.damaged(f"{tag[0]:04x},{tag[1]:04x}: {got}", f"{count} finite numbers")
        if self.pixels is None:
            return  # a report, an index
        rows, columns, bits = (self.short(tag) for tag in (_ROWS, _COLUMNS, _BITS))
        frames = int(float(self.values.get(_FRAMES, b"").decode("latin-1").strip("\0 ") or 1))
        samples = self.short(_SAMPLES) if _SAMPLES in self.values else 1
        if not (rows and columns and 1 <= samples <= 4 and bits in (1, 8, 12, 16, 24, 32, 64) and frames >= 1):
            got = f"{rows} × {columns} pixels of {samples} × {bits} bits, {frames} frames"
            raise self.damaged(got, "at least a pixel, of whole bytes")
        needed = rows * columns * samples * frames * bits / 8
        if 0 <= self.pixels < int(needed):
            raise self.damaged(f"{self.pixels} bytes of pixels", f"{needed:.0f}")
        remedy = "Check the size that the file tells."
        check_memory(4 * needed, "a slice", got=f"{rows} × {columns} × {frames}", remedy=remedy, where=str(self.place))

    def short(self, tag: Tag) -> int:
        raw = self.values.get(tag, b"")
        return int(struct.unpack(f"{self.order}H", raw[:2])[0]) if len(raw) >= 2 else 0
