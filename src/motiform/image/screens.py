"""Pictures and films of the heights in a recording, and PNG files of 8 and 16 bits."""

import os
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import InputError, RecordingError
from motiform.base.progress import Progress
from motiform.image.chroma import Saturation, Tint, chroma_values, enlarge, relief_pixels
from motiform.image.files import new_file
from motiform.image.film import _check_path, encoder

if TYPE_CHECKING:
    from motiform.record import Recording

__all__ = ["screen_film", "screen_picture", "screen_saturation", "upright_field", "write_png"]


def write_png(pixels: np.ndarray, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
    """Write a PNG file of pixels (rows, columns) or (rows, columns, 3), uint8 or uint16, and return its path.

    Pillow cannot write colours of 16 bits, so the file is written here (PNG, ISO/IEC 15948).
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
    path = _check_path(path, ".png", overwrite)
    rows, columns = found.shape[:2]
    bits = 8 * found.dtype.itemsize
    lines = found.astype(found.dtype.newbyteorder(">")).reshape(rows, -1).view(np.uint8).reshape(rows, -1)
    data = np.concatenate([np.zeros((rows, 1), np.uint8), lines], axis=1).tobytes()
    head = struct.pack(">IIBBBBB", columns, rows, bits, 2 if found.ndim == 3 else 0, 0, 0, 0)
    with new_file(path, overwrite=overwrite) as part, part.open("wb") as file:
        file.write(
            b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(data)) + _chunk(b"IEND", b"")
        )
    return path


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def upright_field(field: np.ndarray, axes: str) -> np.ndarray:
    """Return heights (n, m) along two axes of the world as rows and columns of a picture.

    y points up; where there is no y, the grid is seen from above with x to the right and z down.
    """
    if axes[0] == "y":
        return field[::-1]
    turned = field.T
    return turned[::-1] if axes[1] == "y" else turned


def _fields(recording: "Recording", channel: str) -> tuple[str, str, float]:
    """Return the channel of heights, the axes of its grid and its spacing [m]."""
    if channel not in recording:
        raise RecordingError(
            "the recording has no such channel of heights", where=recording.manifest.get("title") or None, got=channel,
            allowed=", ".join(name for name in recording.names if name.endswith("heights")) or "none",
            remedy="Give channel=, or simulate a Screen.",
        )  # fmt: skip
    if len(recording.channel(channel).shape) != 2:
        raise RecordingError(
            "a picture needs heights along two axes", where=f"channel {channel!r}", got=recording.channel(channel).shape
        )
    known = recording.manifest.get("screen", {})
    prefix = channel.removesuffix("heights").rstrip(".")
    told = known.get(prefix, known) if prefix else known
    return channel, str(told.get("axes", "xy")), float(told.get("spacing", 1.0))


def _painter(
    recording: "Recording", channel: str, operator: str, tint: Tint | None, color: Any, enlarged: int, bits: int,
    settings: dict[str, float],
) -> Callable[[int], np.ndarray]:  # fmt: skip
    """Return the function that paints a sample; a tint is fitted to all samples, so that colours mean the same."""
    channel, axes, spacing = _fields(recording, channel)
    if operator == "relief":
        given: dict[str, Any] = {"color": color, **settings} if color is not None else dict(settings)
        return lambda k: enlarge(
            relief_pixels(upright_field(recording.read(channel, k, k + 1)[0], axes), spacing, bits=bits, **given),
            enlarged,
        )
    shade = color or (255.0, 255.0, 255.0)

    def values(k: int) -> np.ndarray:
        return chroma_values(upright_field(recording.read(channel, k, k + 1)[0], axes), operator, **settings)

    chosen = tint or Tint.fitted(_span(values, recording.count(channel)), shade)
    return lambda k: enlarge(chosen.pixels(values(k), bits=bits), enlarged)


def _span(values: Callable[[int], np.ndarray], count: int) -> np.ndarray:
    """Return the least and the largest number of all samples."""
    ends = [(float(w.min()), float(w.max())) for w in map(values, range(count))]
    return np.array(ends)


def screen_picture(
    recording: "Recording",
    path: str | os.PathLike[str],
    *,
    channel: str = "heights",
    sample: int = -1,
    operator: str = "relief",
    tint: Tint | None = None,
    color: tuple[float, float, float] | None = None,
    enlarged: int = 1,
    bits: int = 8,
    overwrite: bool = False,
    **settings: Any,
) -> Path:
    """Write a PNG picture of the heights at a sample: "relief", or one of `chroma.OPERATORS`; return its path.

    The other settings are those of `relief_pixels` and `chroma_values`. `bits` 16 keeps fine steps of brightness.
    """
    paint = _painter(recording, channel, operator, tint, color, enlarged, bits, settings)
    count = recording.count(channel)
    if not -count <= sample < count:
        raise InputError("no such sample", got=sample, allowed=f"0 to {count - 1}")
    return write_png(paint(sample % count), path, overwrite=overwrite)


def screen_film(
    recording: "Recording",
    path: str | os.PathLike[str],
    *,
    channel: str = "heights",
    operator: str = "relief",
    tint: Tint | None = None,
    color: tuple[float, float, float] | None = None,
    enlarged: int = 1,
    fps: float | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
    **settings: Any,
) -> Path:
    """Write an mp4 film of the heights, one picture for each sample, and return its path.

    `fps` is the rate of the recording if not given. Odd sides lose a pixel, which H.264 needs.
    """
    path = _check_path(path, ".mp4", overwrite)
    paint = _painter(recording, channel, operator, tint, color, enlarged, 8, settings)
    count, rate = recording.count(channel), fps or recording.channel(channel).rate or 25.0
    rows, columns = (side - side % 2 for side in paint(0).shape[:2])
    if not rows or not columns:
        raise InputError("a film must have two pixels along each side", got=paint(0).shape[:2])
    with new_file(path, overwrite=overwrite) as part:
        part.touch()
        with encoder(part, (columns, rows), rate) as send:
            for k in range(count):
                send(np.ascontiguousarray(paint(k)[:rows, :columns]))
                if progress is not None:
                    progress((k + 1) / count)
    return path


def screen_saturation(
    recording: "Recording", tint: Tint, *, channel: str = "heights", operator: str = "identity", **settings: float
) -> Saturation:
    """Return how much of all samples a tint cannot show."""
    channel, axes, _ = _fields(recording, channel)
    each = [
        tint.saturation(chroma_values(upright_field(recording.read(channel, k, k + 1)[0], axes), operator, **settings))
        for k in range(recording.count(channel))
    ]
    return Saturation(*np.mean(each, axis=0).tolist())
