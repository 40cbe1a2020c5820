"""OpenEXR files: pixels of linear light or of any numbers, 16 or 32 bits each.

One part of scanlines, 16 to a chunk, compressed by zlib, as the file layout of OpenEXR 2 says
(https://openexr.com/en/latest/OpenEXRFileLayout.html).
"""

import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from motiform.base.errors import InputError

__all__ = ["exr_attributes", "write_exr"]

_MAGIC = b"\x76\x2f\x31\x01\x02\x00\x00\x00"  # version 2, scanlines, names of up to 31 letters
_ZIP = 3
_ROWS = 16  # scanlines of a chunk
_HALF_MOST = 65504.0  # largest finite number of 16 bits


def write_exr(
    pixels: np.ndarray, path: str | os.PathLike[str], *, bits: int = 16, notes: dict[str, str] | None = None,
    dpi: float | None = None,
) -> None:  # fmt: skip
    """Write pixels (rows, columns, 3) as channels R, G, B, or (rows, columns) as Y, of 16 or 32 bits.

    Numbers are written as they are: light is linear (Rec. 709 primaries, which the format takes where a file says
    nothing). `notes` are text attributes. A file that exists is replaced.
    """
    found = np.asarray(pixels)
    if found.ndim not in (2, 3) or not found.size or found.shape[2:] not in ((), (3,)):
        allowed = "(rows, columns) or (rows, columns, 3)"
        raise InputError("pixels of a picture have the wrong form", got=f"shape {found.shape}", allowed=allowed)
    if bits not in (16, 32):
        raise InputError("bits of an EXR file must be 16 or 32", where=str(path), got=bits, allowed="16, 32")
    if bits == 16 and np.abs(found, dtype=float).max() > _HALF_MOST:
        raise InputError(
            "16 bits hold numbers up to 65504", where=str(path), got=float(np.abs(found).max()), remedy="Take 32 bits."
        )
    values = found[..., None] if found.ndim == 2 else found[..., ::-1]  # channels in alphabetical order
    numbers = np.ascontiguousarray(values.transpose(0, 2, 1).astype("<f2" if bits == 16 else "<f4"))
    header = _header(values.shape, bits, "Y" if found.ndim == 2 else "BGR", notes or {}, dpi)
    chunks = list(_chunks(numbers))
    first = len(_MAGIC) + len(header) + 8 * len(chunks)
    places = np.cumsum([first, *(len(chunk) for chunk in chunks[:-1])]).astype("<u8")
    with Path(path).open("wb") as file:
        file.write(_MAGIC + header + places.tobytes())
        file.writelines(chunks)


def _header(shape: tuple[int, ...], bits: int, names: str, notes: dict[str, str], dpi: float | None) -> bytes:
    """Return the attributes, ended by a zero."""
    rows, columns = shape[:2]
    kind = 1 if bits == 16 else 2  # HALF, FLOAT
    channels = b"".join(name.encode() + b"\0" + struct.pack("<iB3xii", kind, 0, 1, 1) for name in names) + b"\0"
    window = struct.pack("<iiii", 0, 0, columns - 1, rows - 1)
    entries = [
        ("channels", "chlist", channels), ("compression", "compression", bytes([_ZIP])),
        ("dataWindow", "box2i", window), ("displayWindow", "box2i", window), ("lineOrder", "lineOrder", b"\0"),
        ("pixelAspectRatio", "float", struct.pack("<f", 1.0)),
        ("screenWindowCenter", "v2f", struct.pack("<ff", 0.0, 0.0)),
        ("screenWindowWidth", "float", struct.pack("<f", 1.0)),
        *([] if dpi is None else [("xDensity", "float", struct.pack("<f", dpi))]),
        *((name, "string", text.encode()) for name, text in notes.items()),
    ]  # fmt: skip
    texts = [name.encode() + b"\0" + kind.encode() + b"\0" + struct.pack("<i", len(v)) + v for name, kind, v in entries]
    return b"".join(texts) + b"\0"


def _chunks(numbers: np.ndarray) -> Iterator[bytes]:
    """Give the scanlines (rows, channels, columns) in compressed chunks, each with its first row and its length."""
    for first in range(0, len(numbers), _ROWS):
        plain = np.frombuffer(numbers[first : first + _ROWS].tobytes(), np.uint8)
        halves = np.concatenate([plain[0::2], plain[1::2]])  # low bytes together, high bytes together
        steps = halves.copy()
        steps[1:] = halves[1:] - halves[:-1] + np.uint8(128)  # modulo 256: the format's predictor
        packed = zlib.compress(steps.tobytes())
        data = packed if len(packed) < len(plain) else plain.tobytes()  # a chunk that does not shrink is kept plain
        yield struct.pack("<ii", first, len(data)) + data


def exr_attributes(path: str | os.PathLike[str]) -> dict[str, bytes]:
    """Return the attributes of an EXR file as their bytes; none where it is no such file."""
    with Path(path).open("rb") as file:
        data = file.read(1 << 16)
    found: dict[str, bytes] = {}
    at = len(_MAGIC)
    while data[:4] == _MAGIC[:4] and at < len(data) and data[at]:
        name, kind, rest = data[at:].split(b"\0", 2)
        at += len(name) + len(kind) + 2
        size = int.from_bytes(rest[:4], "little")
        found[name.decode(errors="replace")] = rest[4 : 4 + size]
        at += 4 + size
    return found
