"""`motiform image`: plots of a recording's channels, and pictures of heights."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from motiform.base.errors import InputError
from motiform.cli.shared import Overwrite, Quiet, RecordingPath, beside, open_for, say_done

if TYPE_CHECKING:
    from motiform.record import Recording


def image(
    recording: RecordingPath,
    channels: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CHANNEL...",
            help="Channels to plot, or parts of them such as q.right_knee_extension; the scene's choice if not given.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="The plot (.png, .svg, .pdf), RECORDING-plot.png if not given; with --chroma a picture (.png, .exr) or"
            " a film (.mp4), RECORDING-heights.png if not given."
        ),
    ] = None,
    chroma: Annotated[
        str | None,
        typer.Option(metavar="OPERATOR", help="Show heights over a grid: relief, or one of Chroma_w's operators."),
    ] = None,
    at: Annotated[float | None, typer.Option(help="Time of a picture of heights (s); the end if not given.")] = None,
    bits: Annotated[
        int | None, typer.Option(help="Of a number in a picture of heights: 8 or 16 (png), 32 or 16 (exr).")
    ] = None,
    enlarged: Annotated[int, typer.Option(min=1, help="Pixels along each side for a pin.")] = 1,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
) -> None:
    """Plot channels of a recording over time, or show heights as a picture or film; what is there is not made again.

    Pictures in space, films of them and their pictures as PNG or EXR files (--sequence) are made by motiform film.
    """
    shown = open_for("image", recording)
    if chroma is not None:
        path = out or beside(recording, "-heights.png")
        before = _written(path, overwrite)
        _heights(shown, channels or [], path, chroma, at, bits, enlarged, overwrite, quiet)
        say_done("film" if path.suffix.lower() == ".mp4" else "picture", path, before)
        return
    for name, value, usual in (("--at", at, None), ("--bits", bits, None), ("--enlarged", enlarged, 1)):
        if value != usual:
            raise InputError("this option is for heights", got=name, allowed="with --chroma OPERATOR")
    path = out or beside(recording, "-plot.png")
    before = _written(path, overwrite)
    _plot(shown, channels, path, overwrite)
    say_done("plot", path, before)


def _written(path: Path, overwrite: bool) -> int | None:
    """Return when a file that may be kept was written; None where there is none."""
    return None if overwrite or not path.is_file() else path.stat().st_mtime_ns


def _plot(shown: "Recording", channels: list[str] | None, path: Path, overwrite: bool) -> None:
    from motiform.image.plot import plot_channels, plot_key
    from motiform.image.stamp import read_stamp

    names = channels or shown.manifest.get("image", {}).get("plot") or []
    if not names:
        raise InputError(
            "a plot needs a channel", where=shown._where, allowed=", ".join(shown.names), remedy="Name channels."
        )
    title = shown.manifest.get("title")
    if overwrite or (told := read_stamp(path)) is None or told != plot_key(shown, names, title):
        plot_channels(shown, names, path=path, title=title, overwrite=overwrite)


def _heights(
    shown: "Recording", channels: list[str], path: Path, operator: str, at: float | None, bits: int | None,
    enlarged: int, overwrite: bool, quiet: bool,
) -> None:  # fmt: skip
    """Write the picture or film of one channel of heights."""
    import numpy as np

    from motiform.base.progress import bar
    from motiform.image.screens import screen_film, screen_picture

    fields = [name for name in shown.names if name.split(".")[-1] == "heights"]
    names = channels or fields
    if len(names) != 1:
        raise InputError(
            "heights of one channel can be shown", got=", ".join(names) or "none", allowed=", ".join(fields) or "none",
            remedy="Name the channel." if fields else "Record a screen.",
        )  # fmt: skip
    if path.suffix.lower() == ".mp4":
        if at is not None or bits is not None:
            raise InputError("this option is for pictures", got="--at" if at is not None else "--bits")
        with bar(f"film of {names[0]}", quiet=quiet) as progress:
            screen_film(
                shown, path, channel=names[0], operator=operator, enlarged=enlarged, overwrite=overwrite,
                progress=progress,
            )  # fmt: skip
        return
    sample = -1
    if at is not None:
        times = shown.time(names[0])
        if not times[0] <= at <= times[-1]:
            allowed = f"{times[0]:g} to {times[-1]:g} s"
            raise InputError(
                "the instant must lie within the recording", where="--at", got=f"{at:g} s", allowed=allowed
            )
        sample = int(np.abs(times - at).argmin())
    screen_picture(
        shown, path, channel=names[0], sample=sample, operator=operator, bits=bits, enlarged=enlarged,
        overwrite=overwrite,
    )  # fmt: skip
