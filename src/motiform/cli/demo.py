"""`motiform demo`: a tour of the chain in nine built-in scenes, or the whole gallery."""

import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from motiform.cli.shared import Quiet, print_line, wrote

if TYPE_CHECKING:
    from motiform.base.progress import Progress
    from motiform.record import Recording

#: One or two scenes a part. Neighbours are of different parts, so that two processes compile different kernels.
TOUR = ("sit-to-stand", "handle", "cloth", "rattleback", "sand-heap", "bouncing", "ripples", "pendulum", "fes-swing-up")
_FILMED = ("handle", "sit-to-stand", "cloth")
_WATCHED = "sit-to-stand"  # scene whose figure carries the markers
_PICTURE = (640, 360)  # pixels
_FRAME, _FILM, _FPS = (480, 270), 2.0, 12  # pixels, seconds, pictures a second
_RAYS = 4  # through each pixel of a picture: a quarter of the usual


@dataclass(frozen=True)
class Stop:
    """One scene of the tour: its position, and the folder of its results."""

    name: str
    number: int
    count: int
    out: Path
    quiet: bool = False


@dataclass(frozen=True)
class Shown:
    """The results of a scene."""

    title: str
    part: str
    text: str
    files: dict[str, Path] = field(default_factory=dict)
    """Picture, plot, film, model: paths of what was written."""


def demo(
    out: Annotated[Path, typer.Option(help="Folder of the results.")] = Path("demo"),
    everything: Annotated[bool, typer.Option("--all", help="Run the whole gallery instead of nine scenes.")] = False,
    view: Annotated[
        bool | None, typer.Option(help="Open the studio at the end. By default, if there is a display.")
    ] = None,
    jobs: Annotated[int | None, typer.Option(help="Number of processes. By default, one per core.")] = None,
    quiet: Quiet = False,
) -> None:
    """Run a tour of built-in scenes, write pictures, films and plots on one page, and open the studio."""
    from importlib.util import find_spec

    from motiform.base.libraries import OPTIONAL
    from motiform.cli.demo_page import page
    from motiform.record.files import make_folder
    from motiform.scene import list_scenes
    from motiform.studio.holding import has_display

    begun = time.perf_counter()
    names = [*TOUR, *sorted({entry.name for entry in list_scenes()} - set(TOUR))] if everything else list(TOUR)
    make_folder(out)
    if not quiet:
        print_line(f"{len(names)} scenes, from file to picture, into {out}/.")
        print_line("The first run also compiles kernels, for some minutes.")
    shown = _take(names, out, jobs, quiet)
    index = out / "index.html"
    index.write_text(page(shown, out), "utf-8")
    wrote(f"{len(names)} scenes and a trial of markers in {time.perf_counter() - begun:.0f} s, start with", index)
    if view is None and has_display() and find_spec("viser") is None:
        print_line(f"The studio would show them: {OPTIONAL['viser'].command}")
    elif view if view is not None else has_display():
        from motiform.record import open_recording
        from motiform.studio import serve

        serve(open_recording(out / "handle.mf"), scene="handle")


def _take(names: list[str], out: Path, jobs: int | None, quiet: bool) -> list[Shown]:
    """Process all scenes; return the results in the order of the names."""
    from motiform.base.errors import RunError
    from motiform.studies import run_tasks

    stops = [Stop(name, number, len(names), out, quiet) for number, name in enumerate(names, 1)]
    found: dict[int, list[Shown]] = {}
    for result in run_tasks(show, stops, jobs=jobs):
        if result.error is not None:
            raise RunError("the scene could not be shown", where=names[result.number], got=result.error)
        found[result.number] = result.value
    return [one for number in sorted(found) for one in found[number]]


def show(stop: Stop, progress: "Progress") -> list[Shown]:
    """Process one scene: recording, picture, plot, film; and a marker trial if it is captured."""
    from motiform.form import dress, strobe
    from motiform.image import picture, plot_channels
    from motiform.scene import load_scene, simulate

    scene = load_scene(stop.name)
    if not stop.quiet:
        print(f"scene {stop.number} of {stop.count}: {scene.title}", file=sys.stderr, flush=True)
    stem = stop.out / stop.name
    recording = simulate(scene, out=stem.with_suffix(".mf"), overwrite=True, progress=lambda done: progress(0.7 * done))
    form = dress(recording)
    files = {"picture": stem.with_suffix(".png")}
    flashes = scene.document.image.strobe
    drawn, instant = (strobe(form, flashes), 0.0) if flashes > 1 else (form, 0.4 * float(form.times[-1]))
    picture(drawn, files["picture"], time=instant, size=_PICTURE, samples_per_pixel=_RAYS, overwrite=True)
    if scene.document.image.plot:
        files["plot"] = stop.out / f"{stop.name}-plot.png"
        plot_channels(recording, scene.document.image.plot, path=files["plot"], title=scene.title, overwrite=True)
    if stop.name in _FILMED:
        files |= _film(recording, stem)
    text, part = scene.document.scene.description, scene.document.scene.part
    shown = [Shown(scene.title, part, text, files)]
    return [_measure(stop.out), *shown] if stop.name == _WATCHED else shown


def _film(recording: "Recording", stem: Path) -> dict[str, Path]:
    """Write a short film, and the model for other programs."""
    from motiform.form import dress
    from motiform.image import film
    from motiform.image.export import export

    files = {"film": stem.with_suffix(".mp4"), "model": stem.with_suffix(".glb")}
    short = dress(recording.slice(0, min(_FILM, recording.duration)))
    film(short, files["film"], size=_FRAME, fps=_FPS, samples_per_pixel=1, overwrite=True)
    export(recording, files["model"], overwrite=True, rate=30)
    return files


def _measure(out: Path) -> Shown:
    """Simulate marker capture of the man of a scene with 2 mm noise and occlusion, and reconstruct his postures."""
    from motiform.form import dress
    from motiform.image import picture, plot_channels
    from motiform.measure import read_markers, write_c3d
    from motiform.motion.figures import human36
    from motiform.motion.postures import virtual_markers
    from motiform.record import open_recording
    from motiform.trials import reconstruct

    man, truth = human36(height=1.75, mass=72.0), open_recording(out / f"{_WATCHED}.mf")
    rate = truth.channel("q").rate
    assert rate is not None
    trial = virtual_markers(man, truth["q"], rate=rate, noise=0.002, hidden=0.05)
    write_c3d(trial, out / "trial.c3d", overwrite=True)
    found = reconstruct(man, read_markers(out / "trial.c3d"))
    found.save(out / "trial.mf", overwrite=True)
    files = {"picture": out / "trial.png", "plot": out / "trial-plot.png"}
    picture(
        dress(found), files["picture"], time=0.4 * found.duration, size=_PICTURE, samples_per_pixel=_RAYS,
        overwrite=True,
    )  # fmt: skip
    plot_channels(
        found, ["error.rms", "center_of_mass"], path=files["plot"], title="Postures from markers", overwrite=True
    )
    text = (
        "Cameras observe the man who rises from his chair, with 2 mm of noise and one marker in twenty hidden. "
        "His postures are reconstructed from the C3D file."
    )
    return Shown("Postures from markers", "measure", text, files)
