"""`motiform export`: a recording for other programs."""

from pathlib import Path
from typing import Annotated

import typer

from motiform.cli.shared import Overwrite, RecordingPath, Skin, open_for, wrote


def export(
    recording: RecordingPath,
    out: Annotated[
        Path,
        typer.Option(
            help="A file .glb, .gltf, .x3d, .wrl, .csv, .usd (with the extra usd), .ply, .obj (one for each instant)."
        ),
    ],
    rate: Annotated[float | None, typer.Option(help="Samples per second to write; all if not given.")] = None,
    points: Annotated[bool, typer.Option("--points", help="Of .ply: points with velocities, no triangles.")] = False,
    skin: Skin = None,
    humanoid: Annotated[
        bool, typer.Option("--humanoid", help="Of .x3d and .wrl: the figure as H-Anim's humanoid, with its markers.")
    ] = False,
    resolution: Annotated[
        str | None, typer.Option(metavar="high|medium|low", help="Of a humanoid: shapes, hulls, or sticks.")
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Write a recording as glTF with animation, X3D, VRML97, CSV, USD, or a sequence of PLY or OBJ files."""
    from motiform.image.export import export as write

    first = write(
        open_for("export", recording), out, overwrite=overwrite, rate=rate, skin=skin, points=points,
        humanoid=humanoid, resolution=resolution,
    )  # fmt: skip
    wrote("export" if first == out else "export, a file for each instant from", first)
