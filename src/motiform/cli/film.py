"""`motiform film`: a film of a recording, made without a display."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from motiform.base.errors import InputError
from motiform.cli.shared import (
    Overwrite,
    Quiet,
    RecordingPath,
    Settings,
    Skin,
    beside,
    change_image,
    open_for,
    parse_size,
    say_done,
    wrote,
)

if TYPE_CHECKING:
    from motiform.form import Form


def film(
    recording: RecordingPath,
    out: Annotated[
        Path | None, typer.Option(help="The film (.mp4), or one picture (.png, .exr); RECORDING.mp4 if not given.")
    ] = None,
    size: Annotated[
        str, typer.Option(help="Width x height in pixels, or a print: A4, 'A4 portrait', 180x120mm.")
    ] = "1280x720",
    fps: Annotated[float, typer.Option(help="Pictures per second of film.")] = 25.0,
    speed: Annotated[
        float | None, typer.Option(help="Seconds of motion per second of film; the scene's if not given.")
    ] = None,
    at: Annotated[float | None, typer.Option(help="Time of a picture (s); the middle if not given.")] = None,
    flashes: Annotated[
        int | None, typer.Option("--strobe", min=1, help="Number of instants in one picture; the scene's if not given.")
    ] = None,
    bits: Annotated[
        int | None, typer.Option(help="Of a number in a picture: 8 or 16 (png), 16 or 32 (exr, linear light).")
    ] = None,
    dpi: Annotated[
        float | None, typer.Option(help="Pixels per inch of a picture; 300 for the size of a print.")
    ] = None,
    sequence: Annotated[
        bool, typer.Option("--sequence", help="All pictures of the film as files: x.exr gives x_0001.exr, ….")
    ] = False,
    skin: Skin = None,
    set_: Settings = None,
    overwrite: Overwrite = False,
    resume: Annotated[bool, typer.Option("--resume", help="Continue an interrupted film.")] = False,
    quiet: Quiet = False,
) -> None:
    """Write a film (mp4), a picture (png, exr), or the pictures of a film as a sequence of files."""
    from motiform.base.progress import bar
    from motiform.form import dress, strobe
    from motiform.image import film as make_film
    from motiform.image import film_pictures, picture

    pixels, dpi = parse_size(size, dpi)
    shown = open_for("film", recording)
    change_image(shown, set_)
    form = dress(shown, skin=skin)
    path = out or beside(recording, ".mp4")
    if not path.name:
        raise InputError("a film must have a name", where="--out", got=str(out), allowed="a file")
    before = None if overwrite or not path.is_file() else path.stat().st_mtime_ns
    pace = speed if speed is not None else float(form.image.get("speed", 1.0))
    if sequence:
        _refuse({"--at": at, "--strobe": flashes, "--dpi": dpi}, "one picture", path, "Leave out --sequence.")
        with bar(f"pictures of {form.title or recording.name}", quiet=quiet) as progress:
            files = film_pictures(
                form, path, size=pixels, fps=fps, speed=pace, bits=bits, progress=progress, overwrite=overwrite
            )
        wrote(f"{len(files)} pictures from", files[0])
        return
    if path.suffix.lower() in (".png", ".exr"):
        _check_instant(form, at, flashes)
        count = flashes or (1 if at is not None else int(form.image.get("strobe", 1)))
        if count > 1:
            form, at = strobe(form, count), float(form.times[0])
        middle = 0.5 * float(form.times[0] + form.times[-1])
        picture(form, path, time=middle if at is None else at, size=pixels, overwrite=overwrite, bits=bits, dpi=dpi)
        say_done("picture", path, before)
        return
    remedy = "Name a picture with --out, or leave the option out."
    _refuse({"--at": at, "--strobe": flashes, "--bits": bits}, "a picture (.png, .exr)", path, remedy)
    frames = path.with_name(f"{path.name}.frames")
    if frames.exists() and not resume:
        raise InputError(
            "the folder holds pictures of an interrupted film",
            where=str(frames),
            remedy="Go on with it (--resume), or remove the folder.",
        )
    with bar(f"film of {form.title or recording.name}", quiet=quiet) as progress:
        make_film(
            form,
            path,
            size=pixels,
            fps=fps,
            speed=pace,
            progress=progress,
            overwrite=overwrite,
            frames=frames,
            sound=shown if "sound" in shown else None,
        )
    say_done("film", path, before)


def _refuse(options: dict[str, object], things: str, path: Path, remedy: str) -> None:
    """Refuse options that are for other things than what is written."""
    for option, value in options.items():
        if value is not None:
            raise InputError(
                "this option is for pictures", where=str(path), got=option, allowed=f"with {things}", remedy=remedy
            )


def _check_instant(form: "Form", at: float | None, flashes: int | None) -> None:
    """Refuse an instant that is not in the recording, or that many instants leave no room for."""
    if at is None or not len(form.times):
        return
    if flashes is not None and flashes > 1:
        raise InputError(
            "one instant and several cannot be in one picture", got="--at and --strobe", remedy="Give one of them."
        )
    start, end = float(form.times[0]), float(form.times[-1])
    if not start <= at <= end:
        raise InputError(
            "the instant must lie within the recording",
            where="--at",
            got=f"{at:g} s",
            allowed=f"{start:g} to {end:g} s",
        )
