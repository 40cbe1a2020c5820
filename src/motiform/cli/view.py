"""`motiform view`: the web studio."""

from pathlib import Path
from typing import Annotated

import typer

from motiform.cli.shared import open_for


def view(
    recording: Annotated[
        str | None, typer.Argument(metavar="RECORDING|SCENE", help="A recording, a scene file, or a built-in scene.")
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
) -> None:
    """Open the studio: view, change parameters, run, export. Ctrl-C ends it."""
    from motiform.scene import list_scenes
    from motiform.studio import serve

    is_scene = recording is not None and (recording.endswith(".toml") or recording in {e.name for e in list_scenes()})
    if live and recording is None:
        recording, is_scene = "hand", True
    shown = None if recording is None or is_scene else open_for("view", Path(recording))
    serve(
        shown,
        scene=recording if is_scene else None,
        host=host,
        port=port,
        open_browser=browser,
        live=live,
        midi=midi,
        osc=osc,
    )
