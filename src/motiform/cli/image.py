"""`motiform image`: plots of a recording's channels."""

from pathlib import Path
from typing import Annotated

import typer

from motiform.base.errors import InputError
from motiform.cli.shared import Overwrite, RecordingPath, beside, open_for, wrote


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
        Path | None, typer.Option(help="The plot (.png, .svg, .pdf); RECORDING-plot.png if not given.")
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Plot channels of a recording over time."""
    from motiform.image import plot_channels

    shown = open_for("image", recording)
    names = channels or shown.manifest.get("image", {}).get("plot") or []
    if not names:
        raise InputError(
            "a plot needs a channel", where=str(recording), allowed=", ".join(shown.names), remedy="Name channels."
        )
    path = out or beside(recording, "-plot.png")
    plot_channels(shown, names, path=path, title=shown.manifest.get("title"), overwrite=overwrite)
    wrote("plot", path)
