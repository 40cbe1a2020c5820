"""`motiform demo`: every built-in scene, from file to picture, and a trial of markers."""

import os
import sys
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motiform.cli.shared import Quiet, wrote

if TYPE_CHECKING:
    from motiform.scene import Entry

_WATCHED = "sit-to-stand"  # scene whose man wears the markers


def demo(
    out: Annotated[Path, typer.Option(help="Folder of the results.")] = Path("demo"),
    view: Annotated[
        bool | None, typer.Option(help="Show the studio at the end; if not said, where there is a display.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Run the built-in scenes, write recordings, pictures, plots and a film, and show the studio (given a display)."""
    from motiform.scene import gallery

    out.mkdir(parents=True, exist_ok=True)
    rows = [_show(entry, out, quiet) for entry in gallery()]
    page = out / "index.html"
    page.write_text(_page([*rows, _measure(out, quiet)]), "utf-8")
    wrote(f"{len(rows)} scenes and a trial of markers, start with", page)
    if view if view is not None else _has_display():
        from motiform.record import open_recording
        from motiform.studio import serve

        serve(open_recording(out / "handle.mf"), scene="handle")


def _show(entry: "Entry", out: Path, quiet: bool) -> dict[str, Any]:
    """Take one scene through the whole chain: recording, picture, plot, film and model."""
    from motiform.base.progress import bar
    from motiform.form import dress, strobe
    from motiform.image import film, picture, plot_channels
    from motiform.image.export import export
    from motiform.scene import load_scene, simulate

    scene = load_scene(entry.name)
    stem = out / entry.name
    with bar(f"{entry.title}: motion", quiet=quiet) as progress:
        recording = simulate(scene, out=stem.with_suffix(".mf"), overwrite=True, progress=progress)
    form = dress(recording)
    files = {"picture": stem.with_suffix(".png"), "plot": out / f"{entry.name}-plot.png"}
    flashes = scene.document.image.strobe
    shown, instant = (strobe(form, flashes), 0.0) if flashes > 1 else (form, 0.4 * float(form.times[-1]))
    picture(shown, files["picture"], time=instant, size=(960, 540), overwrite=True)
    plot_channels(recording, scene.document.image.plot, path=files["plot"], title=scene.title, overwrite=True)
    if entry.name == "handle":
        files["film"], files["model"] = stem.with_suffix(".mp4"), stem.with_suffix(".glb")
        with bar(f"{entry.title}: film", quiet=quiet) as progress:
            short = dress(recording.slice(0, 6))
            film(short, files["film"], size=(480, 270), samples_per_pixel=1, progress=progress, overwrite=True)
        export(recording, files["model"], overwrite=True, rate=30)
    return {"title": entry.title, "text": scene.document.scene.description, "files": files}


def _measure(out: Path, quiet: bool) -> dict[str, Any]:
    """Watch the man of a scene with cameras that err by 2 mm and lose markers, and find his postures again."""
    from motiform.base.progress import bar
    from motiform.form import dress
    from motiform.image import picture, plot_channels
    from motiform.measure import read_markers, write_c3d
    from motiform.motion.figures import human36
    from motiform.motion.reconstruct import virtual_markers
    from motiform.record import open_recording
    from motiform.scene import reconstruct

    man, truth = human36(height=1.75, mass=72.0), open_recording(out / f"{_WATCHED}.mf")
    rate = truth.channel("q").rate
    assert rate is not None
    trial = virtual_markers(man, truth["q"], rate=rate, noise=0.002, hidden=0.05)
    write_c3d(trial, out / "trial.c3d", overwrite=True)
    with bar("Markers: postures", quiet=quiet) as progress:
        found = reconstruct(man, read_markers(out / "trial.c3d"), progress=progress)
    found.save(out / "trial.mf", overwrite=True)
    files = {"picture": out / "trial.png", "plot": out / "trial-plot.png"}
    picture(dress(found), files["picture"], time=0.4 * found.duration, size=(960, 540), overwrite=True)
    plot_channels(
        found, ["error.rms", "center_of_mass"], path=files["plot"], title="Postures from markers", overwrite=True
    )
    text = (
        "Cameras watch the man who stands up: noise of 2 mm, one marker in twenty hidden. "
        "His postures are found again from the C3D file."
    )
    return {"title": "Postures from markers", "text": text, "files": files}


def _page(rows: list[dict[str, Any]]) -> str:
    """Return a page that shows what was made."""
    parts = []
    for row in rows:
        names = {kind: escape(path.name) for kind, path in row["files"].items()}
        pictures = "".join(f'<img src="{names[kind]}" alt="{kind}">' for kind in ("picture", "plot"))
        film = f'<video src="{names["film"]}" controls loop muted></video>' if "film" in names else ""
        parts.append(f"<h2>{escape(row['title'])}</h2><p>{escape(row['text'])}</p><div>{pictures}{film}</div>")
    style = (
        "body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#222}"
        "img,video{max-width:100%;width:34rem;margin:0 .5rem .5rem 0;vertical-align:top;border-radius:4px}"
    )
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>motiform demo</title><style>{style}</style>'
    return f"{head}<h1>motiform demo</h1>{''.join(parts)}</html>"


def _has_display() -> bool:
    if os.environ.get("CI"):
        return False
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
