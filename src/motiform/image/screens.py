"""Pictures and films of the heights in a recording."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.digest import Digest
from motiform.base.errors import InputError, RecordingError, closest
from motiform.base.progress import Progress
from motiform.image.chroma import OPERATORS, Saturation, Tint, chroma_values, enlarge, relief_pixels
from motiform.image.exr import write_exr
from motiform.image.files import check_new, new_file
from motiform.image.films import check_bits, check_fps, encoder
from motiform.image.look import linear_from_srgb
from motiform.image.png import write_png
from motiform.image.stamp import NAME, append_checksum, read_stamp

if TYPE_CHECKING:
    from motiform.record import Recording

__all__ = ["screen_film", "screen_picture", "screen_saturation", "upright_field", "write_png"]


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
    entry = known.get(prefix, known) if prefix else known
    return channel, str(entry.get("axes", "xy")), float(entry.get("spacing", 1.0))


def _check_operator(operator: str) -> None:
    known = ("relief", *OPERATORS)
    if operator not in known:
        remedy = closest(str(operator), known)
        raise InputError("unknown operator", got=operator, allowed=", ".join(known), remedy=remedy)


def _key(recording: "Recording", channel: str, *settings: object) -> str:
    """Return a hash of all that pictures of a channel depend on: colours are fitted to all its samples."""
    from motiform import __version__

    return Digest(__version__, channel, settings).add_blocks(x for _, x in recording.blocks(channel)).text()


def _light(
    recording: "Recording", channel: str, operator: str, color: Any, enlarged: int, settings: dict[str, Any]
) -> Callable[[int], np.ndarray]:
    """Return the function that gives numbers without a range: w of an operator [m], or the linear light of a relief."""
    if operator == "relief":
        paint = _painter(recording, channel, operator, None, color, enlarged, 16, settings)
        return lambda k: linear_from_srgb(paint(k) / 65535.0)
    channel, axes, _ = _fields(recording, channel)
    return lambda k: enlarge(
        chroma_values(upright_field(recording.read(channel, k, k + 1)[0], axes), operator, **settings), enlarged
    )


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
    bits: int | None = None,
    dpi: float | None = None,
    overwrite: bool = False,
    **settings: Any,
) -> Path:
    """Write a picture of the heights at a sample: "relief", or one of `chroma.OPERATORS`; return its path.

    A PNG file has 8 bits if not given, or 16, which keep fine steps of brightness. An EXR file has 32 bits, or 16, and
    holds what has no range: w of the operator [m] as one channel, without a tint, or the linear light of a relief. The
    other settings are those of `relief_pixels` and `chroma_values`. A file that is this very picture is not made again.
    """
    path = check_new(path, suffixes=(".png", ".exr"), kind="picture", overwrite=True)
    deep = path.suffix.lower() == ".exr"
    bits = check_bits(path, 32 if deep and bits is None else bits)
    _fields(recording, channel)
    _check_operator(operator)
    count = recording.count(channel)
    if not -count <= sample < count:
        raise InputError("no such sample", got=sample, allowed=f"0 to {count - 1}")
    if deep and tint is not None:
        raise InputError("an EXR file has no tint", where=str(path), got=tint, remedy="Leave it out, or write a PNG.")
    shown = (operator, tint, color, enlarged, sample % count, path.suffix.lower(), bits, dpi, sorted(settings.items()))
    key = _key(recording, channel, *shown)
    if not overwrite and read_stamp(path) == key:
        return path
    if deep:
        light = _light(recording, channel, operator, color, enlarged, settings)(sample % count)
        with new_file(path, overwrite=overwrite) as part:
            write_exr(light, part, bits=bits, notes={NAME: key}, dpi=dpi)
            append_checksum(part)
        return path
    paint = _painter(recording, channel, operator, tint, color, enlarged, bits, settings)
    return write_png(paint(sample % count), path, overwrite=overwrite, key=key, dpi=dpi)


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

    `fps` is the rate of the recording if not given. Odd sides lose a pixel, which H.264 needs. A file that is this very
    film is not made again.
    """
    path = check_new(path, suffixes=(".mp4",), kind="film", overwrite=True)
    _fields(recording, channel)
    _check_operator(operator)
    count, rate = recording.count(channel), (recording.channel(channel).rate or 25.0) if fps is None else fps
    check_fps(rate)
    key = _key(recording, channel, operator, tint, color, enlarged, rate, sorted(settings.items()))
    if not overwrite and read_stamp(path) == key:
        return path
    paint = _painter(recording, channel, operator, tint, color, enlarged, 8, settings)
    rows, columns = (side - side % 2 for side in paint(0).shape[:2])
    if not rows or not columns:
        raise InputError("a film must have two pixels along each side", got=paint(0).shape[:2])
    with new_file(path, overwrite=overwrite) as part:
        part.touch()
        with encoder(part, (columns, rows), rate, key=key) as send:
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
