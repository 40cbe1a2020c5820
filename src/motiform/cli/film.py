"""`motiform film`: a film of a recording, made without a display."""

from pathlib import Path
from typing import Annotated

import typer

from motiform.base.errors import InputError
from motiform.cli.shared import (
    Bits,
    Chroma,
    Enlarged,
    HeightsChannel,
    Overwrite,
    Quiet,
    RecordingPath,
    Settings,
    Size,
    Skin,
    beside,
    change_image,
    heights_channel,
    open_for,
    parse_size,
    refuse_heights_options,
    refuse_options,
    report_done,
    written,
    wrote,
)


def film(
    recording: RecordingPath,
    out: Annotated[Path | None, typer.Option(help="The film (.mp4); RECORDING.mp4 if not given.")] = None,
    size: Size = "1280x720",
    fps: Annotated[float, typer.Option(help="Pictures per second of film.")] = 25.0,
    speed: Annotated[
        float | None, typer.Option(help="Seconds of motion per second of film; the scene's if not given.")
    ] = None,
    sequence: Annotated[
        bool, typer.Option("--sequence", help="All pictures as files instead: --out x.exr gives x_0001.exr, ….")
    ] = False,
    bits: Bits = None,
    skin: Skin = None,
    set_: Settings = None,
    chroma: Chroma = None,
    channel: HeightsChannel = None,
    enlarged: Enlarged = 1,
    overwrite: Overwrite = False,
    resume: Annotated[bool, typer.Option("--resume", help="Continue an interrupted film.")] = False,
    quiet: Quiet = False,
) -> None:
    """Write a film (mp4) of what moves, or with --chroma of heights over a grid; or its pictures as files."""
    from motiform.base.progress import bar
    from motiform.form import dress
    from motiform.image import film as make_film
    from motiform.image import film_pictures
    from motiform.image.screens import screen_film

    pixels, _ = parse_size(size, None)
    shown = open_for("film", recording)
    path = out or beside(recording, ".mp4")
    if not path.name:
        raise InputError("a film must have a name", where="--out", got=str(out), allowed="a file")
    if not sequence:
        if path.suffix.lower() in (".png", ".exr"):
            raise InputError(
                "a film must be a .mp4 file", where="--out", got=str(path),
                remedy="motiform picture makes one picture, --sequence all pictures of a film.",
            )  # fmt: skip
        refuse_options({"--bits": bits}, "--sequence", path, "Leave it out.")
    before = written(path, overwrite)
    if chroma is not None:
        name = heights_channel(shown, channel)
        with bar(f"film of {name}", quiet=quiet) as progress:
            screen_film(
                shown, path, channel=name, operator=chroma, enlarged=enlarged, overwrite=overwrite, progress=progress
            )
        report_done("film", path, before)
        return
    refuse_heights_options(channel, enlarged, path)
    change_image(shown, set_)
    form = dress(shown, skin=skin)
    pace = speed if speed is not None else float(form.image.get("speed", 1.0))
    if sequence:
        with bar(f"pictures of {form.title or recording.name}", quiet=quiet) as progress:
            files = film_pictures(
                form, path, size=pixels, fps=fps, speed=pace, bits=bits, progress=progress, overwrite=overwrite
            )
        wrote(f"{len(files)} pictures from", files[0])
        return
    frames = path.with_name(f"{path.name}.frames")
    if frames.exists() and not resume:
        raise InputError(
            "the folder holds pictures of an interrupted film",
            where=str(frames),
            remedy="Go on with it (--resume), or remove the folder.",
        )
    with bar(f"film of {form.title or recording.name}", quiet=quiet) as progress:
        make_film(
            form, path, size=pixels, fps=fps, speed=pace, progress=progress, overwrite=overwrite, frames=frames,
            sound=shown if "sound" in shown else None,
        )  # fmt: skip
    report_done("film", path, before)
