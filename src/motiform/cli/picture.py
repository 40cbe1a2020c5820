"""`motiform picture`: one picture of a recording, of its form or of the heights of a screen."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from motiform.base.errors import InputError
from motiform.cli.shared import (
    Bits,
    Chroma,
    Enlarged,
    HeightsChannel,
    Overwrite,
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
)

if TYPE_CHECKING:
    from motiform.record import Recording


def picture(
    recording: RecordingPath,
    out: Annotated[
        Path | None,
        typer.Option(help="The picture (.png, .exr); RECORDING.png, or RECORDING-heights.png, if not given."),
    ] = None,
    size: Size = "1280x720",
    at: Annotated[float | None, typer.Option(help="Its time (s); the middle if not given, the end of heights.")] = None,
    flashes: Annotated[
        int | None, typer.Option("--strobe", min=1, help="Number of instants in it; the scene's if not given.")
    ] = None,
    bits: Bits = None,
    dpi: Annotated[float | None, typer.Option(help="Pixels per inch; 300 for the size of a print.")] = None,
    skin: Skin = None,
    set_: Settings = None,
    chroma: Chroma = None,
    channel: HeightsChannel = None,
    enlarged: Enlarged = 1,
    overwrite: Overwrite = False,
) -> None:
    """Write a picture (png, exr) of what moves, or with --chroma of heights over a grid."""
    from motiform.form import dress, strobe
    from motiform.image import picture as make_picture

    pixels, dpi = parse_size(size, dpi)
    shown = open_for("picture", recording)
    path = out or beside(recording, ".png" if chroma is None else "-heights.png")
    if path.suffix.lower() not in (".png", ".exr"):
        raise InputError(
            "a picture must be a .png or .exr file", where="--out", got=str(path), remedy="motiform film makes films."
        )
    before = written(path, overwrite)
    if chroma is not None:
        refuse_options({"--strobe": flashes, "--dpi": dpi}, "pictures of forms", path, "Leave out --chroma.")
        _heights(shown, path, chroma, channel, at, bits, enlarged, overwrite)
        report_done("picture", path, before)
        return
    refuse_heights_options(channel, enlarged, path)
    change_image(shown, set_)
    form = dress(shown, skin=skin)
    if at is not None and len(form.times):
        if flashes is not None and flashes > 1:
            raise InputError(
                "one instant and several cannot be in one picture", got="--at and --strobe", remedy="Give one of them."
            )
        _check_instant(at, float(form.times[0]), float(form.times[-1]))
    count = flashes or (1 if at is not None else int(form.image.get("strobe", 1)))
    if count > 1:
        form, at = strobe(form, count), float(form.times[0])
    middle = 0.5 * float(form.times[0] + form.times[-1])
    make_picture(form, path, time=middle if at is None else at, size=pixels, overwrite=overwrite, bits=bits, dpi=dpi)
    report_done("picture", path, before)


def _heights(
    shown: "Recording", path: Path, operator: str, channel: str | None, at: float | None, bits: int | None,
    enlarged: int, overwrite: bool,
) -> None:  # fmt: skip
    import numpy as np

    from motiform.image.screens import screen_picture

    name, sample = heights_channel(shown, channel), -1
    if at is not None:
        times = shown.time(name)
        _check_instant(at, float(times[0]), float(times[-1]))
        sample = int(np.abs(times - at).argmin())
    screen_picture(
        shown, path, channel=name, sample=sample, operator=operator, bits=bits, enlarged=enlarged, overwrite=overwrite
    )


def _check_instant(at: float, start: float, end: float) -> None:
    if not start <= at <= end:
        raise InputError(
            "the instant must lie within the recording", where="--at", got=f"{at:g} s",
            allowed=f"{start:g} to {end:g} s",
        )  # fmt: skip
