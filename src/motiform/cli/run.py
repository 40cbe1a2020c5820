"""`motiform run`: simulate a scene."""

import filecmp
import importlib.util
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motiform.base.errors import InputError, closest, closest_file
from motiform.cli.shared import Overwrite, Quiet, Settings, check_not_both, parse_settings, print_line, wrote

if TYPE_CHECKING:
    from motiform.record import Recording


def run(
    scene: Annotated[str, typer.Argument(metavar="SCENE", help="A scene file, or the name of a built-in scene.")],
    out: Annotated[Path | None, typer.Option(help="Where to write the recording; SCENE.mf here if not given.")] = None,
    set_: Settings = None,
    functions: Annotated[
        Path | None,
        typer.Option(
            help="A Python file that is executed and may define force(t, state) and guards; no other user code is run."
        ),
    ] = None,
    overwrite: Overwrite = False,
    resume: Annotated[bool, typer.Option("--resume", help="Continue an incomplete recording.")] = False,
    quiet: Quiet = False,
) -> None:
    """Simulate a scene and write its recording."""
    from motiform.base.progress import bar
    from motiform.image.files import check_new
    from motiform.scene import load_scene, simulate

    check_not_both("a run", overwrite, resume)
    loaded = load_scene(scene, parse_settings(set_))
    path = out or Path(f"{loaded.name}.mf")
    given = _functions(functions) if functions else {}
    if loaded.document.sound is not None and not path.exists():  # told before the work, not after
        check_new(path.with_suffix(".wav"), overwrite=overwrite)
    before = path.stat().st_mtime_ns if path.exists() else None
    with bar(loaded.title, quiet=quiet) as progress:
        recording = simulate(loaded, out=path, overwrite=overwrite, resume=resume, progress=progress, **given)
    if before is not None and not overwrite and path.stat().st_mtime_ns == before:
        if "sound" in recording and not _is_heard(recording, path.with_suffix(".wav")):
            _write_sound(recording, path.with_suffix(".wav"))
        print_line(f"already done, nothing changed: {path}")
        return
    for note in recording.manifest.get("notes", ()):
        print_line(f"motiform: {note}", err=True)
    if "sound" in recording:
        _write_sound(recording, path.with_suffix(".wav"))
    ended = _end(recording, loaded.document.scene.duration)
    wrote(f"{recording.duration:.6g} s of {loaded.title!r} ({len(recording.names)} channels{ended})", path)


def _is_heard(recording: "Recording", path: Path) -> bool:
    """Tell whether the sound of a recording is in its file; another file in its place is refused."""
    from motiform.record import write_sound

    if not path.exists():
        return False
    with tempfile.TemporaryDirectory() as folder:
        write_sound(recording, Path(folder) / "sound.wav")
        if not filecmp.cmp(path, Path(folder) / "sound.wav", shallow=False):
            remedy = "Move it, or run with --overwrite."
            raise InputError("the file is not the sound of the recording", where=str(path), remedy=remedy)
    return True


def _write_sound(recording: "Recording", path: Path) -> None:
    """Write what is heard beside the recording."""
    from motiform.record import write_sound

    heard = write_sound(recording, path, overwrite=True)
    seconds = len(heard.numbers) / (recording.channel("sound").rate or 1.0)
    wrote(f"{seconds:.6g} s of sound", path)
    if heard.clipped:
        print_line(f"motiform: {heard.clipped} values of the sound were beyond its peak", err=True)


def _end(recording: "Recording", planned: float) -> str:
    """Return the reason if a run ended early."""
    last = recording.events[-1] if recording.events else None
    if last is None or not recording.duration <= last.time < planned:
        return ""
    return f"; ended at {last.time:.6g} s: {last.name}"


def _renamed(module: Any) -> str | None:
    """Return a remedy where a file defines something by nearly the right name."""
    known = ("force", "control", "load", "guards")
    near = [(name, closest(name, known)) for name in vars(module) if not name.startswith("_")]
    return next((f"It defines {name!r}. {remedy}" for name, remedy in near if remedy), None)


def _functions(path: Path) -> dict[str, Any]:
    """Execute a Python file named by the user and return its force functions and guards."""
    spec = importlib.util.spec_from_file_location("motiform_functions", path)
    if not path.is_file():
        raise InputError("no such file", where="--functions", got=str(path), remedy=closest_file(path))
    if spec is None or spec.loader is None:
        raise InputError(
            "the functions must be in a Python file", where="--functions", got=str(path),
            allowed="a file that ends in .py",
        )  # fmt: skip
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever the file does wrong is the file's
        raise InputError(f"the file failed: {type(error).__name__}: {error}", where=str(path)) from error
    force, guards = getattr(module, "force", None), getattr(module, "guards", ())
    acting = {name: getattr(module, name, None) for name in ("control", "load")}
    if force is None and guards == () and not any(acting.values()):
        allowed = (
            "a function force(t, state) for bodies, control(t, state) or load(t, state) for figures, a list guards"
        )
        raise InputError(
            "the file must define a function or guards", where=str(path), allowed=allowed, remedy=_renamed(module)
        )
    given = {"forces": force, "guards": guards or None, **{f"{name}s": value for name, value in acting.items()}}
    return {name: value for name, value in given.items() if value is not None}  # a kind of model takes its own alone
