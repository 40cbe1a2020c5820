"""`motiform export`: a recording for other programs."""

from pathlib import Path
from typing import Annotated

import typer

from motiform.cli.shared import Overwrite, RecordingPath, Skin, open_for, wrote


def export(
    recording: RecordingPath,
    out: Annotated[Path, typer.Option(help="The file: .glb or .gltf, .x3d, .csv, .usd (with the extra usd).")],
    rate: Annotated[float | None, typer.Option(help="Samples per second to write; all if not given.")] = None,
    skin: Skin = None,
    overwrite: Overwrite = False,
) -> None:
    """Write a recording as glTF with animation, X3D, CSV or USD."""
    from motiform.image.export import export as write

    write(open_for("export", recording), out, overwrite=overwrite, rate=rate, skin=skin)
    wrote("export", out)
