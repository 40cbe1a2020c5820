"""PNG files of 8 and 16 bits. Pillow cannot write colours of 16 bits, so they are written here (ISO/IEC 15948)."""

import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from motiform.base.errors import InputError
from motiform.image.files import check_new, new_file
from motiform.image.stamp import NAME

__all__ = ["png_bytes", "write_png"]

_ROWS = 256  # lines that are compressed at once, so that a large picture is not held three times


def write_png(
    pixels: np.ndarray, path: str | os.PathLike[str], *, overwrite: bool = False, key: str | None = None,
    dpi: float | None = None,
) -> Path:  # fmt: skip
    """Write a PNG file of pixels (rows, columns) or (rows, columns, 3), uint8 or uint16, and return its path.

    Parameters
    ----------
    key : by which the file is known again.
    dpi : pixels per inch, which a printer heeds.
    """
    found = np.asarray(pixels)
    if (
        found.dtype not in (np.uint8, np.uint16)
        or found.ndim not in (2, 3)
        or not found.size
        or found.shape[2:] not in ((), (3,))
    ):
        got, allowed = f"{found.dtype} of shape {found.shape}", "uint8 or uint16, (rows, columns) or (rows, columns, 3)"
        raise InputError("pixels of a picture have the wrong form", got=got, allowed=allowed)
    path = check_new(path, suffixes=(".png",), kind="picture", overwrite=overwrite)
    with new_file(path, overwrite=overwrite) as part, part.open("wb") as file:
        file.writelines(png_bytes(found, key=key, dpi=dpi))
    return path


def png_bytes(found: np.ndarray, *, key: str | None = None, dpi: float | None = None) -> Iterator[bytes]:
    """Give the bytes of a PNG file, some lines at a time."""
    rows, columns = found.shape[:2]
    head = struct.pack(">IIBBBBB", columns, rows, 8 * found.dtype.itemsize, 2 if found.ndim == 3 else 0, 0, 0, 0)
    yield b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head)
    if dpi is not None:
        per_metre = round(dpi / 0.0254)
        yield _chunk(b"pHYs", struct.pack(">IIB", per_metre, per_metre, 1))
    if key is not None:
        yield _chunk(b"tEXt", NAME.encode() + b"\0" + key.encode())
    packer = zlib.compressobj()
    for first in range(0, rows, _ROWS):
        yield from _data(packer.compress(_lines(found[first : first + _ROWS])))
    yield from _data(packer.flush())
    yield _chunk(b"IEND", b"")


def _lines(some: np.ndarray) -> bytes:
    """Return lines as the format has them: big-endian numbers, each line filtered by differences to the left (Sub)."""
    rows, step = len(some), some.dtype.itemsize * (3 if some.ndim == 3 else 1)
    plain = some.astype(some.dtype.newbyteorder(">")).reshape(rows, -1).view(np.uint8).reshape(rows, -1)
    filtered = plain.copy()
    filtered[:, step:] -= plain[:, :-step]
    return np.concatenate([np.ones((rows, 1), np.uint8), filtered], axis=1).tobytes()


def _data(packed: bytes) -> Iterator[bytes]:
    if packed:
        yield _chunk(b"IDAT", packed)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
