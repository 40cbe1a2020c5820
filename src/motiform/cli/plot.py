"""`motiform plot`: channels of a recording over time."""

from pathlib import Path
from typing import Annotated

import typer

from motiform.base.errors import InputError
from motiform.cli.shared import Overwrite, RecordingPath, beside, open_for, report_done, written


def plot(
    recording: RecordingPath,
    channels: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CHANNEL...",
            help="Channels to plot, or parts of them such as q.right_knee_extension; the scene's choice if not given.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The plot (.png, .svg, .pdf), RECORDING-plot.png if not given.")
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Plot channels of a recording over time; a plot that is there is not made again."""
    from motiform.image.plot import plot_channels, plot_key
    from motiform.image.stamp import read_stamp

    shown = open_for("plot", recording)
    path = out or beside(recording, "-plot.png")
    before = written(path, overwrite)
    names = channels or shown.manifest.get("image", {}).get("plot") or []
    if not names:
        raise InputError(
            "a plot needs a channel", where=shown._where, allowed=", ".join(shown.names), remedy="Name channels."
        )
    title = shown.manifest.get("title")
    if overwrite or (stamp := read_stamp(path)) is None or stamp != plot_key(shown, names, title):
        plot_channels(shown, names, path=path, title=title, overwrite=overwrite)
    report_done("plot", path, before)
