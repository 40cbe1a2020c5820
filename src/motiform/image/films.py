"""Pictures and films of a form, rendered off-screen to files."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import IO, TYPE_CHECKING, Unpack

import numpy as np

from motiform.base.digest import Digest
from motiform.base.errors import InputError, RunError
from motiform.base.progress import Progress
from motiform.image.cast.raycast import Painter, RenderArguments, check_size, choose_moment
from motiform.image.exr import write_exr
from motiform.image.files import check_new, new_file
from motiform.image.frames import FrameFolder, film_key
from motiform.image.look import linear_from_srgb
from motiform.image.playback import moment_at_time
from motiform.image.png import png_bytes
from motiform.image.stamp import NAME as STAMP
from motiform.image.stamp import append_checksum, read_stamp
from motiform.record.sound import write_sound

if TYPE_CHECKING:
    from motiform.form import Form
    from motiform.record import Recording

__all__ = ["encoder", "film", "film_pictures", "film_times", "picture", "write_title"]

_STILLS = {".png": (8, 16), ".exr": (16, 32)}  # bits of a number, the usual first
_INK = (60, 66, 74)  # of titles, sRGB
_QUALITY = 18  # constant rate factor of H.264: 18 is taken as free of visible loss
_MOST = 1_000_000  # pictures; more is a slip in fps or speed


def picture(
    source: "Form | Recording",
    path: str | os.PathLike[str],
    *,
    sample: int | None = None,
    time: float | None = None,
    title: str | None = None,
    overwrite: bool = False,
    bits: int | None = None,
    dpi: float | None = None,
    **view: Unpack[RenderArguments],
) -> Path:
    """Write a picture (.png, .exr) of a form or recording and return its path.

    It shows a sample or a time [s], the last sample if neither is given. `bits` of a number are 8 (if not given) or 16
    in PNG, which holds sRGB, and 16 (if not given) or 32 in EXR, which holds linear light, neither compressed nor
    clipped. `dpi` tells a printer the size of a pixel; see `print_size`. The other parameters are those of
    `render`, with 16 samples per pixel. A file that is this very picture is not made again.
    """
    from motiform.form import form_of

    form, path = form_of(source), check_new(path, suffixes=tuple(_STILLS), kind="picture", overwrite=True)
    bits = check_bits(path, bits)
    view.setdefault("samples_per_pixel", 16)
    painter = Painter.of(form, **view)
    depth = () if bits == 8 and dpi is None else (path.suffix.lower(), bits, dpi)
    key = _content(form, painter, title, sample, time, *depth)
    if not overwrite and read_stamp(path) == key:
        return path
    check_new(path, overwrite=overwrite)
    moment = choose_moment(form, sample, time)
    _write_still(path, lambda depth: write_title(painter.paint(moment, depth), title), bits, key, dpi, overwrite)
    return path


def _write_still(
    path: Path, paint: Callable[[int], np.ndarray], bits: int, key: str, dpi: float | None, overwrite: bool
) -> None:
    """Write one picture, whose pixels `paint` gives in a depth."""
    with new_file(path, overwrite=overwrite) as part:
        part.touch()  # an unwritable folder is an error before the work, not after
        if path.suffix.lower() == ".exr":
            write_exr(paint(32), part, bits=bits, notes={STAMP: key}, dpi=dpi)
            append_checksum(part)
        else:
            with part.open("wb") as file:
                file.writelines(png_bytes(paint(bits), key=key, dpi=dpi))


def film_pictures(
    source: "Form | Recording",
    path: str | os.PathLike[str],
    *,
    fps: float = 25.0,
    speed: float = 1.0,
    title: str | None = None,
    progress: Progress | None = None,
    overwrite: bool = False,
    bits: int | None = None,
    **view: Unpack[RenderArguments],
) -> list[Path]:
    """Write the pictures of a film as files (.png, .exr) and return their paths: walk.exr gives walk_0001.exr, ….

    Instants are those of `film`, `bits` those of `picture`. Pictures that are there already and are these very ones are
    not made again: an interrupted sequence is continued by calling it again.
    """
    from motiform.form import form_of

    form, path = form_of(source), check_new(path, suffixes=tuple(_STILLS), kind="picture", overwrite=True)
    bits, times = check_bits(path, bits), film_times(form, fps=fps, speed=speed)
    painter = Painter.of(form, **view)
    shown = _content(form, painter, title, path.suffix.lower(), bits)
    digits = max(4, len(str(len(times))))
    files = [path.with_name(f"{path.stem}_{k + 1:0{digits}d}{path.suffix}") for k in range(len(times))]
    keys = [Digest(shown, float(time)).text() for time in times]
    left = [k for k, file in enumerate(files) if overwrite or read_stamp(file) != keys[k]]
    for k in left:
        check_new(files[k], overwrite=overwrite)  # told before the work, not after
    for n, k in enumerate(left):
        paint = partial(_paint, painter, form, float(times[k]), title)
        _write_still(files[k], paint, bits, keys[k], None, overwrite)
        if progress is not None:
            progress((n + 1) / len(left))
    return files


def check_bits(path: Path, bits: int | None) -> int:
    """Return the bits of a number in a picture file, or raise an error."""
    allowed = _STILLS[path.suffix.lower()]
    if bits is not None and bits not in allowed:
        words = " or ".join(map(str, allowed))
        raise InputError(f"bits of a {path.suffix} file must be {words}", where=str(path), got=bits, allowed=words)
    return allowed[0] if bits is None else bits


def film(
    source: "Form | Recording",
    path: str | os.PathLike[str],
    *,
    fps: float = 25.0,
    speed: float = 1.0,
    title: str | None = None,
    progress: Progress | None = None,
    overwrite: bool = False,
    frames: str | os.PathLike[str] | None = None,
    sound: "Recording | None" = None,
    **view: Unpack[RenderArguments],
) -> Path:
    """Write an mp4 film (H.264) of the whole motion of a form or recording and return its path.

    Parameters
    ----------
    fps : pictures per second of the film.
    speed : seconds of motion per second of film; 0.1 is slow motion.
    title : text in the lower left corner; None for none.
    progress : called with the fraction done; raising in it stops the film and leaves no file.
    frames : folder in which pictures are kept until the film is complete; an interrupted film that is called again with
        the same folder paints only those that are missing. None keeps none.
    sound : a recording whose channel "sound" the film gets (AAC), as much slower and lower as the film is.
    **view : those of `render`; width and height of `size` are even.

    The file appears under its name when it is complete, not before; one that is this very film is not made again.
    """
    from motiform.form import form_of

    form, path = form_of(source), check_new(path, suffixes=(".mp4",), kind="film", overwrite=True)
    size = view.get("size", (1280, 720))
    width, height = check_size(size)
    if width % 2 or height % 2:
        even = (width - width % 2 or 2, height - height % 2 or 2)
        raise InputError(
            "width and height of a film must be even", got=size, allowed="even numbers (H.264, yuv420p)",
            remedy=f"Take {even}.",
        )  # fmt: skip
    times = film_times(form, fps=fps, speed=speed)
    painter = Painter.of(form, **view)
    _ffmpeg()  # told before the work, not after
    heard_key = None if sound is None else Digest(np.asarray(sound["sound"])).text()
    shown = _content(form, painter, title, times.tobytes())
    key = film_key(replace(form, parts=(), links=(), skins=(), surfaces=()), shown, fps, speed, heard_key)
    if not overwrite and read_stamp(path) == key:
        return path
    check_new(path, overwrite=overwrite)
    kept = None if frames is None else FrameFolder(Path(frames), shown)
    remedy = kept.remedy if kept is not None else None
    with new_file(path, overwrite=overwrite, remedy=remedy) as part:
        part.touch()
        with _sound_file(sound, speed) as heard, encoder(part, (width, height), fps, heard, key) as send:
            for k, time in enumerate(times):
                paint = partial(_paint, painter, form, float(time), title)
                send(paint() if kept is None else kept.get(k, paint))
                if progress is not None:
                    progress((k + 1) / len(times))
    if kept is not None:
        kept.remove()
    return path


@contextmanager
def _sound_file(recording: "Recording | None", speed: float) -> Iterator[Path | None]:
    """Give a WAV file of what is heard, which is gone afterwards."""
    if recording is None:
        yield None
        return
    with TemporaryDirectory() as folder:
        path = Path(folder) / "sound.wav"
        write_sound(recording, path, speed=speed)
        yield path


def _content(form: "Form", painter: Painter, *settings: object) -> str:
    """Return a hash of all that pictures of a form depend on."""
    from motiform import __version__

    fixed = painter.view.tobytes(), painter.plan.tobytes(), painter.exposure, painter.path
    return film_key(form, __version__, *fixed, *settings)


def _paint(painter: Painter, form: "Form", time: float, title: str | None, bits: int = 8) -> np.ndarray:
    return write_title(painter.paint(moment_at_time(form, time), bits), title)


def check_fps(fps: float) -> None:
    """Refuse rates that no film has."""
    if not 0.01 <= fps <= 1000.0:
        raise InputError("fps must be 0.01 to 1000", got=fps)


def film_times(form: "Form", *, fps: float = 25.0, speed: float = 1.0) -> np.ndarray:
    """Return the instants of the motion [s] that a film shows: from its start on, speed/fps apart, to its end."""
    check_fps(fps)
    if not (np.isfinite(speed) and speed > 0.0):
        raise InputError("speed must be above 0", got=speed, allowed="a positive number; 1 is real time")
    if not len(form.times):
        raise InputError("a form must have samples to make a film", where=form.title or None)
    start, end = float(form.times[0]), float(form.times[-1])
    steps = (end - start) * fps / speed
    if not steps < _MOST:
        allowed = f"fewer than {_MOST}"
        raise InputError(
            "the film has too many pictures", got=f"{steps:.3g}", allowed=allowed, remedy="Raise the speed."
        )
    return start + np.arange(int(steps + 1e-9) + 1) * (speed / fps)


def write_title(pixels: np.ndarray, title: str | None) -> np.ndarray:
    """Return the picture, of any depth (`render`), with a line of text in its lower left corner."""
    if not title:
        return pixels
    from PIL import Image, ImageDraw, ImageFont

    deep = pixels.dtype != np.uint8
    image = Image.new("L", pixels.shape[1::-1]) if deep else Image.fromarray(pixels)
    height = max(10, pixels.shape[0] // 28)
    place, font = (height, pixels.shape[0] - 1.2 * height), ImageFont.load_default(height)
    ImageDraw.Draw(image).text(place, title, fill=255 if deep else _INK, font=font, anchor="ls")
    if not deep:
        return np.asarray(image)
    cover = np.asarray(image)[..., None] / 255.0
    ink = np.array(_INK) / 255.0
    ink = 65535.0 * ink if pixels.dtype == np.uint16 else linear_from_srgb(ink)
    mixed = (1.0 - cover) * pixels + cover * ink
    return (np.round(mixed) if pixels.dtype == np.uint16 else mixed).astype(pixels.dtype)


@contextmanager
def encoder(
    path: Path, size: tuple[int, int], fps: float, sound: Path | None = None, key: str | None = None
) -> Iterator[Callable[[np.ndarray], None]]:
    """Give a function that appends a picture to the film; on the way out the film is closed, or stopped by an error.

    `sound` is a WAV file that goes into the film.

    What ffmpeg says is kept from the terminal; its first complaint is the text of the OSError that tells its failure.
    """
    rate = Fraction(fps).limit_denominator()
    taken = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}", "-r", str(rate), "-i", "-"]
    taken += [] if sound is None else ["-i", f"file:{sound}"]
    heard = ["-an"] if sound is None else ["-map", "0:v", "-map", "1:a", "-c:a", "aac", "-b:a", "192k"]
    made = [*heard, "-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", str(_QUALITY), "-preset", "medium"]
    made += [] if key is None else ["-metadata", f"comment=motiform {key}"]
    command = [_ffmpeg(), "-y", "-v", "error", *taken, *made, "-movflags", "+faststart", f"file:{path}"]
    pipe = subprocess.PIPE
    # A session of its own: Ctrl-C is for us, who then stop it.
    encoder = subprocess.Popen(command, stdin=pipe, stdout=subprocess.DEVNULL, stderr=pipe, start_new_session=True)
    assert encoder.stdin is not None
    assert encoder.stderr is not None
    said: list[bytes] = []
    listener = Thread(target=said.extend, args=(encoder.stderr,), daemon=True)  # a full pipe would block ffmpeg
    listener.start()
    try:
        whole = True
        try:
            yield partial(_send, encoder.stdin)
            with suppress(BrokenPipeError):
                encoder.stdin.close()
        except _Ended:
            whole = False  # it ended before its time: its code and words tell more
        code = encoder.wait()
        listener.join()
        if code or not whole:
            reason = said[0].decode(errors="replace").strip() if said else f"it ended with code {code}"
            raise OSError("ffmpeg: " + re.sub(r"^(\[[^]]*\] *)+", "", reason))  # less the addresses in brackets
        if key is not None:
            append_checksum(path)
    finally:
        encoder.kill()
        encoder.wait()
        listener.join()
        encoder.stderr.close()
        with suppress(OSError):
            encoder.stdin.close()


class _Ended(Exception):
    """The encoder takes no more pictures. Not a BrokenPipeError, which a progress callback may raise as well."""


def _send(stream: IO[bytes], pixels: np.ndarray) -> None:
    try:
        stream.write(np.ascontiguousarray(pixels).data)
    except BrokenPipeError as error:
        raise _Ended from error


def _ffmpeg() -> str:
    """Return the program that encodes films."""
    from imageio_ffmpeg import get_ffmpeg_exe

    try:
        found = get_ffmpeg_exe()
    except RuntimeError as error:
        raise _no_ffmpeg("none was found") from error
    if shutil.which(found) is None:
        raise _no_ffmpeg(found)
    return str(found)


def _no_ffmpeg(got: str) -> RunError:
    remedy = "Install imageio-ffmpeg, which brings it, or name one in IMAGEIO_FFMPEG_EXE."
    return RunError("ffmpeg is needed to encode the film", got=got, remedy=remedy)
