"""`simulate`: from a scene or a model to a recording."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, Unpack, overload

import numpy as np

from motiform.base.errors import InputError, RecordingError, RunError, SceneError, outside_data
from motiform.base.machine import machine
from motiform.base.progress import Progress
from motiform.form import Looks, looks_of
from motiform.motion.actuation import HillMuscles, StimulatedMuscles
from motiform.motion.bodies import Bodies
from motiform.motion.bodies.system import KIND as BODIES
from motiform.motion.bodies.system import BodiesArguments
from motiform.motion.coupled import FigureInMatter
from motiform.motion.coupled.system import KIND as FIGURES_IN_MATTER
from motiform.motion.coupled.system import CoupledArguments
from motiform.motion.matter import Network
from motiform.motion.matter.system import KIND as NETWORKS
from motiform.motion.matter.system import NetworkArguments
from motiform.motion.run import ModelKind, RunOptions, System, record
from motiform.motion.run.identity import identify
from motiform.motion.run.kinds import find_kind, split_arguments
from motiform.motion.run.loop import with_instant
from motiform.motion.screens import Screen, Screens
from motiform.motion.screens.screens import KIND as SETS_OF_SCREENS
from motiform.motion.screens.screens import ScreensArguments
from motiform.motion.screens.system import KIND as SCREENS
from motiform.motion.screens.system import ScreenArguments
from motiform.motion.stepping.system import KIND as CONTACTS
from motiform.motion.stepping.system import ContactArguments
from motiform.motion.tree import Figure
from motiform.motion.tree.model.actuator import as_actuators
from motiform.motion.tree.switching.system import KIND as LEAVING
from motiform.motion.tree.system import KIND as FIGURES
from motiform.motion.tree.system import FigureArguments
from motiform.record import Recording, open_recording
from motiform.record.places import restore
from motiform.record.save import renew_manifest
from motiform.record.store import check_whole, is_empty
from motiform.scene.build.forms import dress_scene
from motiform.scene.build.scene import Built
from motiform.scene.read.load import Scene, load_scene, parse_scene
from motiform.spatial import up_against, up_name

__all__ = [
    "KINDS", "BodiesArguments", "ContactArguments", "CoupledArguments", "FigureArguments", "NetworkArguments",
    "ScreenArguments", "ScreensArguments", "check_motion", "check_not_both", "earlier", "looks_of_run", "run_key",
    "run_recorded", "scene_looks", "shown_keys", "simulate",
]  # fmt: skip

KINDS: tuple[ModelKind, ...] = (
    BODIES, FIGURES, LEAVING, CONTACTS, NETWORKS, FIGURES_IN_MATTER, SCREENS, SETS_OF_SCREENS,
)  # fmt: skip
"""The register of models: what `simulate` takes, with which arguments and integrators."""

Model = Bodies | Figure | Network | FigureInMatter | Screen | Screens


@overload
def simulate(what: Bodies, **arguments: Unpack[BodiesArguments]) -> Recording: ...
@overload
def simulate(what: Figure, **arguments: Unpack[FigureArguments]) -> Recording: ...
@overload
def simulate(what: Figure, **arguments: Unpack[ContactArguments]) -> Recording: ...
@overload
def simulate(what: Network, **arguments: Unpack[NetworkArguments]) -> Recording: ...
@overload
def simulate(what: FigureInMatter, **arguments: Unpack[CoupledArguments]) -> Recording: ...
@overload
def simulate(what: Screen, **arguments: Unpack[ScreenArguments]) -> Recording: ...
@overload
def simulate(what: Screens, **arguments: Unpack[ScreensArguments]) -> Recording: ...
@overload
def simulate(
    what: str | Path | Scene,
    *,
    settings: Mapping[str, Any] | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
    resume: bool = False,
    progress: Progress | None = None,
    **arguments: Any,
) -> Recording: ...
def simulate(
    what: str | Path | Scene | Model,
    *,
    settings: Mapping[str, Any] | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
    resume: bool = False,
    progress: Progress | None = None,
    **arguments: Any,
) -> Recording:
    """Simulate a scene or a model and return its recording.

    Parameters
    ----------
    what
        A scene file, the name of a built-in scene, a `Scene`, or a model (`Bodies`, `Figure`, `Network`,
        `FigureInMatter`, `Screen`, `Screens`).
    settings
        Parameters of a scene to change, such as ``{"motion.step": 5e-4}``.
    out
        Folder to write the recording to while it grows; None keeps it in memory.
    overwrite, resume
        What to do where `out` exists: replace it, or continue from its last commit. Otherwise it is refused, unless it
        is the finished recording of this very scene, which is then opened, or has no sample: it is then begun anew. A
        run that is refused writes nothing and replaces nothing.
    progress
        Called with the fraction done; raising in it stops the run, and what is recorded stays.
    **arguments
        Of a model: `t0`, `t1`, `rate`, `integrator`, `step`, `rtol`, `atol`, `device` (`RunArguments`); a scene has its
        own, change them with `settings`. Of each kind of model, those of its table: `BodiesArguments`,
        `FigureArguments`, `ContactArguments` (a figure with contacts), `NetworkArguments`, `CoupledArguments` (a figure
        in matter), `ScreenArguments`, `ScreensArguments`. A scene takes those of the model that it makes, too.

    """
    check_not_both(overwrite, resume)
    given, options = split_arguments(KINDS, arguments)
    keep: dict[str, Any] = {"out": out, "overwrite": overwrite, "resume": resume, "progress": progress}
    if isinstance(what, str | Path | Scene):
        return _simulate_scene(what, settings, given, options, keep)
    if not isinstance(what, tuple(kind.model for kind in KINDS)):
        allowed = ", ".join(dict.fromkeys(kind.model.__name__ for kind in KINDS))
        allowed = f"a scene file, a built-in scene, a Scene, or a model: {allowed}"
        raise InputError("only a scene or a model can be simulated", got=what, allowed=allowed)
    if settings:
        remedy = "Give t1, rate, step, … of a model directly."
        raise InputError("settings belong to scenes", got=settings, remedy=remedy)
    kind = find_kind(KINDS, what, given)
    given = kind.checked(given, options, KINDS)
    run = kind.options(what, options)
    key, functions = identify(what, given, run)
    looks = looks_of_run(what, given)
    return _run(kind, what, given, run, {"title": "", "key": run_key(key, functions)}, looks, bool(functions), **keep)


def _simulate_scene(
    what: str | Path | Scene, settings: Mapping[str, Any] | None, given: dict[str, Any], options: dict[str, Any],
    keep: dict[str, Any],
) -> Recording:  # fmt: skip
    if "t0" in options:
        raise InputError("a scene must begin at 0 s", got=f"t0 = {options['t0']} s")
    if options:
        keys = ", ".join(f"'{_SETTINGS[name]}': …" for name in options)
        raise InputError("a scene has its own options", got=", ".join(options), remedy=f"Use settings={{{keys}}}.")
    scene = what if isinstance(what, Scene) else load_scene(what, settings)
    if isinstance(what, Scene) and settings:
        changed = {**what.settings, **settings}
        scene = parse_scene(what.text, name=what.name, folder=what.folder, settings=changed)
    built = scene.build()
    kind = find_kind(KINDS, built.model, {**built.arguments, **given})
    given = kind.checked(given, kinds=KINDS)
    arguments = {**built.arguments, **given}
    if "contacts" in given:
        arguments.pop("watch", None)
    key, functions = identify(scene.key, given) if given else (scene.key, [])
    manifest = {"scene": scene.name, "seed": scene.document.scene.seed, "key": run_key(key, functions)}
    manifest["motion_key"] = run_key(scene.motion_key, functions)
    if isinstance(given.get("motion"), Recording) and isinstance(built.model, Screens):
        check_motion(given["motion"], scene)
        manifest["motion_key"] = scene.motion_key
    try:
        run = kind.options(built.model, built.options)
    except InputError as error:
        raise SceneError(f"{scene.place('scene')}: {error}") from error
    keep["boundary"] = outside_data(scene.place("motion"), "the scene cannot be run", SceneError)
    try:
        looks = scene_looks(scene, built)
        return _run(kind, built.model, arguments, run, manifest | shown_keys(scene), looks, bool(functions), **keep)
    except (SceneError, RecordingError):
        raise
    except InputError as error:
        located = SceneError(f"{scene.place('motion')}: {error}")
        located.recording = error.recording
        raise located from error


_SETTINGS = {"t1": "scene.duration", "rate": "scene.rate"} | {
    name: f"motion.{name}" for name in ("integrator", "step", "rtol", "atol", "device")
}
"""Names of the options of a run, and the keys of scenes for them."""


def check_not_both(overwrite: bool, resume: bool) -> None:
    """Refuse to resume what is to be overwritten."""
    if overwrite and resume:
        remedy = "Give one of the two."
        raise InputError("a run is resumed or overwritten", got="overwrite=True and resume=True", remedy=remedy)


_SHOWN = ("title", "image", "scene_text", "settings")


def shown_keys(scene: Scene) -> dict[str, Any]:
    """Return what the motion does not depend on: it may change without a new run."""
    image = scene.document.image.model_dump(mode="json", by_alias=True, exclude_none=True)
    return {"title": scene.title, "image": image, "scene_text": scene.text, "settings": dict(scene.settings)}


def run_key(content: str, functions: Sequence[str]) -> str:
    """Return the key of a run: what it is made of, and the names of the functions that act in it."""
    return f"{content}:{','.join(functions)}" if functions else content


def _run(
    kind: ModelKind,
    model: Any,
    given: dict[str, Any],
    options: RunOptions,
    manifest: dict[str, Any],
    looks: Looks,
    functions: bool,
    **keep: Any,
) -> Recording:
    """Return the recording of one model."""
    return run_recorded(
        lambda: kind.system(model, options, **given), options, manifest, looks, functions,
        lambda: _posture_warnings(model, given), lambda rec: _jumps(rec, given), **keep,
    )  # fmt: skip


def run_recorded(
    make: Callable[[], System], options: RunOptions, manifest: dict[str, Any], looks: Looks, functions: bool,
    warnings: Callable[[], list[str]] = list, seen: Callable[[Recording], list[str]] = lambda rec: [], *,
    out: str | Path | None, overwrite: bool, resume: bool, progress: Progress | None,
    boundary: AbstractContextManager[None] | None = None,
) -> Recording:  # fmt: skip
    """Return the recording of the system that is made, one that is there already, or the rest of one.

    `warnings` are known before the run; `seen` gives notes on its recording.
    """
    path = None if out is None else Path(out)
    if path is not None:
        restore(path)
    begun = path is not None and path.exists() and not is_empty(path)
    if path is not None and begun and not overwrite:
        done = earlier(path, manifest, looks, resume, functions)
        if done is not None:
            return done
    try:
        with boundary or nullcontext():
            system = make()
    except RunError as error:
        raise with_instant(error, "t = 0 s") from error
    gravity = np.asarray(system.gravity, float)
    world = {"gravity": gravity.tolist(), "up": up_name(up_against(gravity, system.vertical))}
    shown: dict[str, Any] = {**looks.manifest(), "labels": dict(system.labels)}
    notes = [*system.notes, *warnings()]
    shown |= {"notes": notes} if notes else {}
    rec = record(
        system, out=out, manifest={**manifest, **_origin(options), **world, **shown}, statics=looks.statics(),
        overwrite=overwrite, resume=resume and begun, progress=progress,
    )  # fmt: skip
    more = seen(rec)
    if not more:
        return rec
    if path is not None:
        return renew_manifest(path, {"notes": [*notes, *more]})
    rec.manifest["notes"] = [*notes, *more]
    return rec


def _jumps(rec: Recording, given: dict[str, Any]) -> list[str]:
    """Return which muscles jump in a run."""
    muscles = [one for one in as_actuators(given.get("controls")) if isinstance(one, HillMuscles)]
    found = [(one, f"{one.name}.warning") for one in muscles]
    return [text for one, name in found if name in rec for text in one.jumps(rec.time(name), rec[name])]


def looks_of_run(model: Any, given: dict[str, Any]) -> Looks:
    """Return how a model is drawn."""
    touched = [given["contacts"]] if "contacts" in given else []
    touched += [one for one in as_actuators(given.get("controls")) if isinstance(one, HillMuscles | StimulatedMuscles)]
    if isinstance(model, FigureInMatter):
        return looks_of(model.figure, model.network, *model.contacts, *touched)
    return looks_of(model, *touched)


def _posture_warnings(model: Any, given: dict[str, Any]) -> list[str]:
    """Return what is doubtful of the muscles of a figure in its first posture."""
    figure = model.figure if isinstance(model, FigureInMatter) else model
    muscles = [one for one in as_actuators(given.get("controls")) if isinstance(one, HillMuscles)]
    q0 = given.get("q0")
    return [text for one in muscles for text in one.posture_warnings(figure.neutral() if q0 is None else q0)]


def scene_looks(scene: Scene, built: Built) -> Looks:
    """Return how a scene is drawn: as its model is, with the surfaces of [[form]]."""
    return dress_scene(scene, looks_of_run(built.model, built.arguments), _network(built.model))


def _network(model: Any) -> Network | None:
    """Return the network of a model."""
    found = model if isinstance(model, Network) else getattr(model, "network", None)
    return found if isinstance(found, Network) else None


def check_motion(recording: Recording, scene: Scene) -> None:
    """Refuse a recording whose motion is not that of a scene."""
    recorded = recording.manifest.get("motion_key")
    if recorded is not None and str(recorded).partition(":")[0] != scene.motion_key:
        raise SceneError(
            "the motion of the scene is not the recorded one", where=recording._where, got=scene.name,
            allowed="changes of [[screen]], [[form]], [image], look and color",
            remedy="Leave out what moves otherwise, or run the scene.",
        )  # fmt: skip


def earlier(
    out: Path, manifest: dict[str, Any], looks: Looks, resume: bool, functions: bool
) -> Recording | None:  # fmt: skip
    """Return the finished recording of the same run at `out`; None: go on with it. Anything else is refused."""
    found = open_recording(out)
    same = found.manifest.get("key") == manifest["key"]
    if same and found.complete and (resume or not functions):  # what functions do cannot be compared
        check_whole(found)
        shown = {key: value for key, value in manifest.items() if key in _SHOWN} | looks.manifest()
        changed = any(found.manifest.get(key) != value for key, value in shown.items())
        return renew_manifest(out, shown, looks.statics()) if changed or _redrawn(found, looks) else found
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


def _redrawn(found: Recording, looks: Looks) -> bool:
    """Return whether looks have other arrays than a recording keeps."""
    now = looks.statics()
    return set(now) != set(found.statics) or any(not np.array_equal(now[key], found.statics[key]) for key in now)


def _origin(options: RunOptions) -> dict[str, Any]:
    """Return by what and how the recording was made."""
    names = ("integrator", "step", "rtol", "atol", "device")
    motion = {name: getattr(options, name) for name in names} | {"steps_per_sample": options.steps}
    return {**machine(), "motion": motion}
