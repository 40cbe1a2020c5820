"""`motiform form`: a recorded motion in another dress."""

from pathlib import Path
from typing import Annotated

import typer

from motiform.cli.shared import (
    Overwrite,
    Quiet,
    RecordingPath,
    Settings,
    beside,
    check_not_both,
    open_for,
    parse_settings,
    print_line,
    wrote,
)


def form(
    recording: RecordingPath,
    out: Annotated[Path | None, typer.Option(help="The recording to write; RECORDING-form.mf if not given.")] = None,
    set_: Settings = None,
    scene: Annotated[
        str | None, typer.Option(help="A scene of the same motion; the one of the recording if not given.")
    ] = None,
    overwrite: Overwrite = False,
    resume: Annotated[bool, typer.Option("--resume", help="Continue an incomplete recording.")] = False,
    quiet: Quiet = False,
) -> None:
    """Dress a recorded motion anew: screens and surfaces, without simulating it again."""
    from motiform.base.progress import bar
    from motiform.scene import redress

    check_not_both("a form", overwrite, resume)
    motion = open_for("form", recording)
    path = out or beside(recording, "-form.mf")
    before = path.stat().st_mtime_ns if path.exists() else None
    with bar(f"form of {motion.manifest.get('title') or recording.name}", quiet=quiet) as progress:
        made = redress(
            motion, path, scene=scene, settings=parse_settings(set_), overwrite=overwrite, resume=resume,
            progress=progress,
        )  # fmt: skip
    if before is not None and not overwrite and path.stat().st_mtime_ns == before:
        print_line(f"already done, nothing changed: {path}")
        return
    for note in made.manifest.get("notes", ()):
        print_line(f"motiform: {note}", err=True)
    wrote(f"form of {motion.manifest.get('title')!r} ({len(made.names)} channels)", path)
