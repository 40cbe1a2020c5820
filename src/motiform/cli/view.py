"""`motiform view`: the web studio."""

from pathlib import Path
from typing import Annotated

import typer

from motiform.base.errors import InputError, closest_file
from motiform.cli.shared import open_for, print_line


def view(
    recording: Annotated[
        str | None,
        typer.Argument(
            metavar="RECORDING|SCENE|MARKERS|VOLUME|STUDY",
            help="A recording, a scene, markers to reconstruct, a CT to segment, or the folder of a study.",
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on; by default only this machine.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port; the next free one is taken if it is in use.")
    ] = 8080,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
    live: Annotated[bool, typer.Option("--live", help="Manipulate a scene of matter while it runs.")] = False,
    midi: Annotated[
        str | None, typer.Option(metavar="PORT", help='With --live: MIDI port that moves the hand, or "first".')
    ] = None,
    osc: Annotated[
        int | None, typer.Option(min=1, max=65535, metavar="PORT", help="With --live: UDP port for OSC messages.")
    ] = None,
    osc_force: Annotated[
        str | None,
        typer.Option(metavar="HOST:PORT", help="With --live: where OSC messages of the force on the hand go."),
    ] = None,
    seeds: Annotated[Path | None, typer.Option(help="Marks of a CT to begin with (.toml).")] = None,
    spacing: Annotated[float | None, typer.Option(help="Of voxels of a CT (mm), for TIFF.")] = None,
) -> None:
    """Open the studio: view, change parameters, run, export. Ctrl-C ends it."""
    if recording is not None and _is_volume(Path(recording)):
        _mark(Path(recording), seeds, spacing, host, port, browser)
        return
    if recording is not None and (Path(recording) / "study.json").is_file():
        _open_study(Path(recording), browser)
        return
    if seeds is not None or spacing is not None:
        option = "--seeds" if seeds is not None else "--spacing"
        raise InputError(f"{option} is for a CT", got=recording, allowed="a file or folder of one")
    from motiform.measure.markers.register import is_marker_file
    from motiform.scene import list_scenes
    from motiform.studio import serve

    if recording is not None and not live and is_marker_file(Path(recording)):
        serve(markers=recording, host=host, port=port, open_browser=browser)
        return
    is_scene = recording is not None and (recording.endswith(".toml") or recording in {e.name for e in list_scenes()})
    if live and recording is None:
        recording, is_scene = "hand", True
    shown = None if recording is None or is_scene else open_for("view", Path(recording))
    serve(
        shown, scene=recording if is_scene else None, host=host, port=port, open_browser=browser, live=live, midi=midi,
        osc=osc, osc_force=osc_force,
    )  # fmt: skip


def _open_study(folder: Path, browser: bool) -> None:
    """Open the page of a study: a file that needs no server."""
    import webbrowser

    from motiform.studies.folder import StudyFolder

    page = StudyFolder(folder).page
    if not page.is_file():
        remedy = f"Finish the study: motiform study FILE --out {folder} --resume."
        raise InputError("the study has no page yet", where=str(folder), remedy=remedy)
    address = page.absolute().as_uri()
    print_line(f"the page of the study: {address}")
    if browser:
        webbrowser.open(address)


def _is_volume(path: Path) -> bool:
    """Return whether a file, or one of a folder, is of an image."""
    from motiform.measure.volume import VOLUME_SUFFIXES

    if path.is_dir() and path.suffix != ".mf":
        return any(child.name.lower().endswith(VOLUME_SUFFIXES) for child in path.iterdir())
    return path.is_file() and path.name.lower().endswith(VOLUME_SUFFIXES)


def _mark(path: Path, seeds: Path | None, spacing: float | None, host: str, port: int, browser: bool) -> None:
    """Open the page on which bones of a CT are marked."""
    from motiform.measure import read_volume
    from motiform.studio.seeding import serve_volume

    if seeds is not None and not seeds.is_file():
        raise InputError("no such file", where="--seeds", got=str(seeds), remedy=closest_file(seeds))
    volume = read_volume(path, spacing=None if spacing is None else 1e-3 * spacing)
    serve_volume(volume, seeds, host=host, port=port, open_browser=browser)
