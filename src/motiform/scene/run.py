"""`simulate`: from a scene or a model to a recording."""

import hashlib
import os
import platform
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from motiform.base.errors import InputError, RecordingError, closest
from motiform.base.progress import Progress
from motiform.motion.bodies import Bodies, Force, Options, simulate_bodies
from motiform.motion.integrate import Guard
from motiform.record import Recording, open_recording
from motiform.record.places import restore
from motiform.record.store import renew_manifest
from motiform.scene.build import build_bodies, build_options, links, wardrobe
from motiform.scene.load import Scene, load_scene

__all__ = ["simulate"]


def simulate(
    what: str | Path | Scene | Bodies,
    *,
    settings: Mapping[str, Any] | None = None,
    forces: Force | Sequence[Force] = (),
    guards: Guard | Sequence[Guard] = (),
    out: str | Path | None = None,
    overwrite: bool = False,
    resume: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Recording:
    """Simulate a scene or a model and return its recording.

    Parameters
    ----------
    what
        A scene file, the name of a built-in scene, a `Scene`, or a model (`Bodies`).
    settings
        Parameters of a scene to change, such as ``{"motion.step": 5e-4}``.
    forces, guards
        Functions of time and state that push, and that mark events; see `motiform.motion.bodies`.
    out
        Folder to write the recording to while it grows; None keeps it in memory.
    overwrite, resume
        What to do where `out` exists: replace it, or go on from its last commit. Otherwise it is refused, unless it is
        the finished recording of this very scene, which is then opened.
    progress
        Called with the fraction done; raising in it stops the run, and what is recorded stays.
    options
        For a model: ``t1`` [s], ``rate`` [Hz], ``integrator``, ``step`` [s], ``rtol``, ``atol``, ``device``.

    """
    forces, guards = _several(forces, callable, "force(t, state)"), _several(guards, _is_guard, "Guard")
    if not isinstance(what, str | Path | Scene | Bodies):
        raise InputError("nothing to simulate", got=what, allowed="a scene file, a built-in scene, a Scene, or Bodies")
    if isinstance(what, Bodies):
        if settings:
            raise InputError(
                "settings belong to scenes", got=settings, remedy="Give t1, rate, step, … of a model directly."
            )
        return _simulate_model(what, forces, guards, out, overwrite, resume, progress, **options)
    if options:
        raise InputError(
            "a scene has its own options", got=", ".join(options), remedy="Use settings={'motion.step': …}."
        )
    if isinstance(what, Scene):
        scene = what if not settings else _changed(what, settings)
    else:
        scene = load_scene(what, settings)
    manifest = {
        "scene": scene.name,
        "seed": scene.document.scene.seed,
        "key": _key(scene.key, forces, guards),
        **_shown(scene),
    }
    return _run(build_bodies(scene), build_options(scene), manifest, forces, guards, out, overwrite, resume, progress)


def _is_guard(one: Any) -> bool:
    return isinstance(one, Guard)


def _several(given: Any, fits: Callable[[Any], bool], allowed: str) -> list[Any]:
    """Return a list of functions or guards, from one or several."""
    found = [given] if fits(given) else list(given) if isinstance(given, Iterable) else [given]
    for one in found:
        if not fits(one):
            raise InputError("not a function of the run", got=one, allowed=f"{allowed}, one or several")
    return found


_SHOWN = ("title", "image", "scene_text", "settings")


def _shown(scene: Scene) -> dict[str, Any]:
    """Return what the motion does not depend on: it may change without a new run."""
    image = scene.document.image.model_dump(mode="json", by_alias=True, exclude_none=True)
    return {"title": scene.title, "image": image, "scene_text": scene.text, "settings": dict(scene.settings)}


def _key(content: str, forces: Sequence[Force], guards: Sequence[Guard]) -> str:
    """Return the key of a run: what it is made of, and the names of the functions that act in it."""
    names = [getattr(f, "__qualname__", type(f).__name__) for f in forces] + [guard.name for guard in guards]
    return f"{content}:{','.join(names)}" if names else content


def _simulate_model(
    model: Bodies,
    forces: Sequence[Force],
    guards: Sequence[Guard],
    out: str | Path | None,
    overwrite: bool,
    resume: bool,
    progress: Progress | None,
    **options: Any,
) -> Recording:
    if "t1" not in options:
        raise InputError("how long?", remedy="Give t1, the end of the run in seconds.")
    known = {"t1": "duration"} | {name: name for name in ("rate", "integrator", "step", "rtol", "atol", "device")}
    for name in options:
        if name not in known:
            raise InputError("unknown option", got=name, allowed=", ".join(known), remedy=closest(name, known))
    run = Options(**{known[name]: value for name, value in options.items()})
    digest = hashlib.sha256(repr(run).encode())
    digest.update(model.initial_state().rows().tobytes())
    for array in vars(model.packed).values():
        digest.update(array.tobytes())
    manifest = {"title": "", "key": _key(digest.hexdigest()[:24], forces, guards)}
    return _run(model, run, manifest, forces, guards, out, overwrite, resume, progress)


def _run(
    model: Bodies,
    options: Options,
    manifest: dict[str, Any],
    forces: Sequence[Force],
    guards: Sequence[Guard],
    out: str | Path | None,
    overwrite: bool,
    resume: bool,
    progress: Progress | None,
) -> Recording:
    if out is not None:
        restore(Path(out))
    if out is not None and not overwrite and Path(out).exists():
        done = _earlier(Path(out), manifest, resume, functions=bool(forces or guards))
        if done is not None:
            return done
    form, statics = wardrobe(model)
    manifest = {**manifest, **_origin(options), "form": form, "links": links(model)}
    return simulate_bodies(
        model,
        options,
        forces=forces,
        guards=guards,
        out=out,
        manifest=manifest,
        statics=statics,
        overwrite=overwrite,
        resume=resume and out is not None and Path(out).exists(),
        progress=progress,
    )


def _changed(scene: Scene, settings: Mapping[str, Any]) -> Scene:
    from motiform.scene.load import parse_scene

    return parse_scene(scene.text, name=scene.name, folder=scene.folder, settings={**scene.settings, **settings})


def _earlier(out: Path, manifest: dict[str, Any], resume: bool, functions: bool) -> Recording | None:
    """Return the finished recording of the same run at `out`; None: go on with it. Anything else is refused."""
    found = open_recording(out)
    same = found.manifest.get("key") == manifest["key"]
    if same and found.complete and (resume or not functions):  # what functions do cannot be compared
        shown = {key: value for key, value in manifest.items() if key in _SHOWN}
        changed = any(found.manifest.get(key) != value for key, value in shown.items())
        return renew_manifest(out, shown) if changed else found
    if same and resume:
        return None
    if resume:
        raise RecordingError(
            "it holds another run and cannot be resumed by this one",
            where=str(out),
            remedy="Give what it was begun with (scene, settings, functions), or another --out.",
        )
    ways = (
        "Resume it (--resume), overwrite it (--overwrite)"
        if same and not found.complete
        else "Overwrite it (--overwrite)"
    )
    raise RecordingError("there is a recording already", where=str(out), remedy=f"{ways}, or give another --out.")


def _origin(options: Options) -> dict[str, Any]:
    """Return by what and how the recording was made."""
    import numba
    import numpy

    from motiform import __version__

    return {
        "version": __version__,
        "motion": {
            "integrator": options.integrator,
            "step": options.step,
            "steps_per_sample": options.steps,
            "rtol": options.rtol,
            "atol": options.atol,
            "device": options.device,
        },
        "machine": {
            "system": platform.system(),
            "processor": platform.machine(),
            "cores": os.cpu_count(),
            "python": sys.version.split()[0],
            "numpy": numpy.__version__,
            "numba": numba.__version__,
        },
    }
