"""`motiform film`: a film of a recording, made without a display."""

from pathlib import Path
from typing import Annotated

import typer

from motiform.base.errors import InputError
from motiform.cli.shared import Overwrite, Quiet, RecordingPath, open_for, parse_size, wrote


def film(
    recording: RecordingPath,
    out: Annotated[
        Path | None, typer.Option(help="The film (.mp4), or one picture (.png); RECORDING.mp4 if not given.")
    ] = None,
    size: Annotated[str, typer.Option(help="Width x height in pixels.")] = "1280x720",
    fps: Annotated[float, typer.Option(help="Pictures per second of film.")] = 25.0,
    speed: Annotated[
        float | None, typer.Option(help="Seconds of motion per second of film; the scene's if not given.")
    ] = None,
    at: Annotated[float | None, typer.Option(help="Instant of a picture [s]; the middle if not given.")] = None,
    flashes: Annotated[
        int | None, typer.Option("--strobe", min=1, help="Instants shown at once in a picture; else as the scene says.")
    ] = None,
    overwrite: Overwrite = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with an interrupted film.")] = False,
    quiet: Quiet = False,
) -> None:
    """Write a film (mp4) or a picture (png) of a recording."""
    from motiform.base.progress import bar
    from motiform.form import dress, strobe
    from motiform.image import film as make_film
    from motiform.image import picture

    shown = open_for("film", recording)
    form = dress(shown)
    path = out or recording.with_suffix(".mp4")
    if path.suffix == ".png":
        count = flashes or (1 if at is not None else int(form.image.get("strobe", 1)))
        if count > 1:
            form, at = strobe(form, count), float(form.times[0])
        middle = 0.5 * float(form.times[0] + form.times[-1])
        picture(form, path, time=middle if at is None else at, size=parse_size(size), overwrite=overwrite)
        wrote("picture", path)
        return
    pace = speed if speed is not None else float(form.image.get("speed", 1.0))
    frames = path.with_name(f"{path.name}.frames")
    if frames.exists() and not resume:
        raise InputError(
            "pictures of an interrupted film are there",
            where=str(frames),
            remedy="Go on with it (--resume), or remove the folder.",
        )
    with bar(f"film of {form.title or recording.name}", quiet=quiet) as progress:
        make_film(
            form,
            path,
            size=parse_size(size),
            fps=fps,
            speed=pace,
            progress=progress,
            overwrite=overwrite,
            frames=frames,
        )
    wrote("film", path)
