"""`simulate`: from a scene or a model to a recording."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, RecordingError, SceneError, closest
from motiform.base.machine import machine
from motiform.base.progress import Progress
from motiform.form import Looks, looks_of
from motiform.motion.bodies import Bodies, Force, simulate_bodies
from motiform.motion.contact import Contacts
from motiform.motion.hybrid import simulate_hybrid
from motiform.motion.matter import Network
from motiform.motion.matter.run import simulate_network
from motiform.motion.run import Guard, Options
from motiform.motion.tree import Control, Figure, simulate_figure
from motiform.motion.tree.observe import figure_labels
from motiform.record import Recording, open_recording
from motiform.record.places import restore
from motiform.record.save import renew_manifest
from motiform.record.store import is_empty
from motiform.scene.build.common import build_bodies, build_options
from motiform.scene.build.figures import build_figures
from motiform.scene.build.matter import build_matter, build_networks
from motiform.scene.read.load import DEFAULTS, Scene, film_rate, load_scene
from motiform.spatial import up_against, up_name

__all__ = ["simulate"]


def simulate(
    what: str | Path | Scene | Bodies | Figure | Network,
    *,
    settings: Mapping[str, Any] | None = None,
    forces: Force | Sequence[Force] = (),
    guards: Guard | Sequence[Guard] = (),
    q0: ArrayLike | None = None,
    v0: ArrayLike | None = None,
    controls: Control | None = None,
    loads: Control | None = None,
    contacts: Contacts | None = None,
    watch: bool | None = None,
    unstable: bool = False,
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
        A scene file, the name of a built-in scene, a `Scene`, or a model (`Bodies`, `Figure`,
        `Network`).
    settings
        Parameters of a scene to change, such as ``{"motion.step": 5e-4}``.
    forces, guards
        Functions of time and state that push, and that mark events; see `motiform.motion.bodies`.
    q0, v0
        Of a figure: configuration and velocities at the start; neutral and at rest where they are not given.
    controls, loads
        Of a figure: functions of time and state that give generalised forces (nv,), and wrenches on the segments
        (segments, 6); see `motiform.motion.tree`.
    contacts
        Of a figure: what may touch what, see `motiform.contact`. Contacts are made and broken at exact instants
        (integrator "dormand-prince") or by fixed steps ("time-stepping"); limits of joints then act too.
    watch
        Of a figure: whether the run ends where a contact joint would have to pull, or to hold more than its friction.
    unstable
        Of a network: whether it is run although it is known that it would diverge.
    out
        Folder to write the recording to while it grows; None keeps it in memory.
    overwrite, resume
        What to do where `out` exists: replace it, or go on from its last commit. Otherwise it is refused, unless it is
        the finished recording of this very scene, which is then opened, or has no sample: it is then begun anew. A
        run that is refused writes nothing and replaces nothing.
    progress
        Called with the fraction done; raising in it stops the run, and what is recorded stays.
    options
        For a model: ``t1`` [s], ``rate`` [Hz], ``integrator``, ``step`` [s], ``rtol``, ``atol``, ``device``.

    """
    _check_names(options)
    if overwrite and resume:
        remedy = "Give one of the two."
        raise InputError("a run is resumed or overwritten", got="overwrite=True and resume=True", remedy=remedy)
    forces, guards = _several(forces, callable, "force(t, state)"), _several(guards, _is_guard, "Guard")
    if not isinstance(what, str | Path | Scene | Bodies | Figure | Network):
        allowed = "a scene file, a built-in scene, a Scene, Bodies, a Figure, or a Network"
        raise InputError("nothing to simulate", got=what, allowed=allowed)
    start = {"q0": q0, "v0": v0, "controls": controls, "loads": loads, "contacts": contacts, "watch": watch}
    if isinstance(what, Bodies | Figure | Network):
        if settings:
            raise InputError(
                "settings belong to scenes", got=settings, remedy="Give t1, rate, step, … of a model directly."
            )
        kind = "body" if isinstance(what, Bodies) else "figure" if isinstance(what, Figure) else "network"
        if isinstance(what, Network):
            if "step" in options:
                remedy = "Build it with NetworkBuilder(rate=…)."
                raise InputError("the step of a network is its own", got=options["step"], remedy=remedy)
            options = {"rate": film_rate(what.rate), "step": what.step} | options
        run = _options(options, DEFAULTS[kind])
        if isinstance(what, Bodies):
            job = _bodies_job(what, forces, guards, start)
        elif isinstance(what, Figure):
            job = _figure_job(what, guards, start, forces)
        else:
            job = _network_job(what, unstable, [*forces, *guards, *(v for v in start.values() if v is not None)])
        head = {"title": "", "key": _key(job.digest(run), job.functions)}
        return _run(job, run, head, out, overwrite, resume, progress)
    if options:
        keys = ", ".join(f"'{_OPTIONS[name]}': …" for name in options)
        raise InputError("a scene has its own options", got=", ".join(options), remedy=f"Use settings={{{keys}}}.")
    if isinstance(what, Scene):
        scene = what if not settings else _changed(what, settings)
    else:
        scene = load_scene(what, settings)
    job = _scene_job(scene, forces, guards, start, unstable)
    manifest: dict[str, Any] = {
        "scene": scene.name,
        "seed": scene.document.scene.seed,
        "key": _key(scene.key, job.functions),
        **_shown(scene),
    }
    try:
        return _run(job, build_options(scene), manifest, out, overwrite, resume, progress)
    except (SceneError, RecordingError):
        raise
    except InputError as error:
        raise SceneError(f"{scene.place('motion')}: {error}") from error


@dataclass
class _Job:
    """What is simulated: a function that runs it, how it looks, and what its result depends on."""

    go: Callable[..., Recording]
    looks: Looks
    functions: list[str]
    """Names of the user's functions that act in it."""
    content: list[np.ndarray]
    gravity: Any
    """[m/s²] in the world's axes, (3,)."""
    vertical: Any = "y"
    """What is up without gravity."""
    labels: dict[str, list[str]] = field(default_factory=dict)
    """Names of the elements of a channel's dimensions."""
    notes: list[str] = field(default_factory=list)
    """What a person should know of how the model was made."""

    def digest(self, options: Options) -> str:
        """Return a key of the model and the way that it is run."""
        found = hashlib.sha256(repr(options).encode())
        for array in self.content:
            found.update(np.ascontiguousarray(array).tobytes())
        return found.hexdigest()[:24]


def _names(functions: Sequence[Any]) -> list[str]:
    return [getattr(f, "__qualname__", type(f).__name__) for f in functions]


def _bodies_job(model: Bodies, forces: list[Force], guards: list[Guard], start: dict[str, Any]) -> _Job:
    given = [name for name, value in start.items() if value is not None]
    if given:
        remedy = "Bodies take forces= and guards=, and have their start."
        raise InputError("options of a figure", got=", ".join(given), remedy=remedy)
    content = [model.initial_state().rows(), *vars(model.packed).values()]
    go = partial(simulate_bodies, model, forces=forces, guards=guards)
    acting = _names(forces) + [guard.name for guard in guards]
    return _Job(go, looks_of(model), acting, content, model.environment.gravity)


def _figure_job(figure: Figure, guards: list[Guard], start: dict[str, Any], forces: list[Force] = ()) -> _Job:  # type: ignore[assignment]
    if forces:
        raise InputError("forces belong to bodies", remedy="Give a figure controls=, or loads= on its segments.")
    names = ("q0", "v0", "controls", "loads", "contacts", "watch")
    q0, v0, controls, loads, contacts, watch = (start[name] for name in names)
    if contacts is not None and not isinstance(contacts, Contacts):
        raise InputError("contacts", got=repr(contacts), allowed="motiform.contact.Contacts")
    looks = looks_of(figure) if contacts is None else looks_of(figure, contacts)
    functions = [f for f in (controls, loads) if f is not None and not getattr(f, "of_scene", False)]
    given: dict[str, Any] = {"q0": q0, "v0": v0, "controls": controls, "loads": loads, "guards": guards}
    if contacts is None:
        go = partial(simulate_figure, figure, **given, watch=watch is None or bool(watch))
    else:
        go = partial(simulate_hybrid, figure, contacts, **given)
    content = np.frombuffer(_told((figure, contacts, q0, v0, watch)).encode(), np.uint8)
    acting = _names(functions) + [guard.name for guard in guards]
    labels = figure_labels(figure)
    if contacts is not None:
        labels |= {"point": list(contacts.point_names), "solid": list(contacts.solids)}
    notes = dict.fromkeys(point.note for point in (contacts.points if contacts else ()) if point.note)
    return _Job(go, looks, acting, [content], figure.gravity, figure.vertical, labels, list(notes))


def _network_job(network: Network, unstable: bool, given: list[Any]) -> _Job:
    if given:
        remedy = "Give a network imposed points, pushes and solids when it is built."
        raise InputError("forces, guards and starts belong to bodies and figures", remedy=remedy)
    content = np.frombuffer(_told(network).encode(), np.uint8)
    signals = [g.motion for g in network.groups] + [i.signal for i in network.inputs] + [network.wind]
    functions = [s.values for s in signals if s is not None and callable(s.values)]
    functions += [solid.motion for solid in network.solids if solid.motion is not None]
    acting = _names([f for f in functions if not getattr(f, "of_scene", False)])
    go = partial(simulate_network, network, unstable=unstable)
    return _Job(go, looks_of(network), acting, [content], network.gravity)


def _coupled_job(scene: Scene, unwanted: list[Any], start: dict[str, Any], unstable: bool) -> _Job:
    """Return the run of networks together with figures and bodies."""
    from motiform.motion.hybrid.matter.run import simulate_coupled

    if unwanted or start["contacts"] is not None:
        remedy = "Give controls= and loads= of the figure, and the network solids and pushes."
        raise InputError("forces, guards and contacts in a scene with networks", remedy=remedy)
    motion, made = scene.document.motion, build_figures(scene)
    own: dict[str, Any] = {"q0": made.q, "v0": made.v, "controls": made.controls, "loads": made.loads}
    own |= {name: start[name] for name in own if start[name] is not None}
    matter = build_matter(scene, made.figure, np.asarray(own["q0"], float))
    functions = [f for f in (own["controls"], own["loads"]) if f is not None and not getattr(f, "of_scene", False)]
    if motion.replay is not None:
        own = {"motion": open_recording(scene.file(motion.replay, folder=True))}
    looks = looks_of(made.figure, matter.network, *matter.contacts)
    go = partial(
        simulate_coupled, matter.network, made.figure, contacts=matter.contacts, attachments=matter.attachments,
        reaction=motion.two_way is not False, unstable=unstable or bool(motion.unstable), **own,
    )  # fmt: skip
    labels = figure_labels(made.figure) | {"segment": list(made.figure.names)}
    world = made.figure.gravity, made.figure.vertical
    return _Job(go, looks, _names(functions), [], *world, labels)


def _told(what: Any) -> str:
    """Return all that a value is made of, as text: the same for the same model in another process."""
    if isinstance(what, np.ndarray):
        return f"{what.shape}{hashlib.sha256(np.ascontiguousarray(what).tobytes()).hexdigest()}"
    if isinstance(what, dict):
        return "{" + ",".join(f"{key}:{_told(value)}" for key, value in what.items()) + "}"
    if isinstance(what, list | tuple):
        return "[" + ",".join(_told(value) for value in what) + "]"
    if callable(what) and hasattr(what, "__qualname__"):
        return f"{what.__module__}.{what.__qualname__}"
    if is_dataclass(what) and not isinstance(what, type):
        inside = {f.name: getattr(what, f.name) for f in fields(what)}
        return f"{type(what).__name__}{_told(inside)}"
    if type(what).__module__ not in ("builtins", "numpy"):
        return f"{type(what).__name__}{_told(vars(what))}"
    return repr(what)


def _scene_job(
    scene: Scene, forces: list[Force], guards: list[Guard], start: dict[str, Any], unstable: bool = False
) -> _Job:
    if scene.document.coupled:
        return _coupled_job(scene, [*forces, *guards], start, unstable)
    if scene.document.network:
        unwanted = [*forces, *guards, *(v for v in start.values() if v is not None)]
        return _network_job(build_networks(scene), unstable or bool(scene.document.motion.unstable), unwanted)
    if not scene.document.figure and not scene.document.touching:
        return _bodies_job(build_bodies(scene), forces, guards, start)
    made = build_figures(scene)
    own: dict[str, Any] = {"q0": made.q, "v0": made.v, "controls": made.controls, "loads": made.loads}
    own |= {"contacts": made.contacts, "watch": all(table.watch for table in scene.document.figure)}
    given = {name: value for name, value in start.items() if value is not None}
    return _figure_job(made.figure, guards, {**own, **given}, forces)


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


def _key(content: str, names: Sequence[str]) -> str:
    """Return the key of a run: what it is made of, and the names of the functions that act in it."""
    return f"{content}:{','.join(names)}" if names else content


_OPTIONS = {"t1": "scene.duration", "rate": "scene.rate"} | {
    name: f"motion.{name}" for name in ("integrator", "step", "rtol", "atol", "device")
}
"""Names of the options of a run, and the keys of scenes that they are."""


def _check_names(options: Iterable[str]) -> None:
    """Refuse arguments of `simulate` that it has not, with the nearest that it has."""
    own = [name for name in signature(simulate).parameters if name not in ("what", "options")]
    for name in options:
        if name not in _OPTIONS:
            allowed, remedy = ", ".join([*_OPTIONS, *own]), closest(name, [*_OPTIONS, *own])
            raise InputError("unknown argument", where="simulate()", got=name, allowed=allowed, remedy=remedy)


def _options(options: dict[str, Any], integrator: str) -> Options:
    """Return how a model is run."""
    if "t1" not in options:
        raise InputError("the end of the run is not given", remedy="Give t1, in seconds, such as t1=2.0.")
    named = {"duration" if name == "t1" else name: value for name, value in options.items()}
    return Options(**{"integrator": integrator} | named)


def _run(
    job: _Job,
    options: Options,
    manifest: dict[str, Any],
    out: str | Path | None,
    overwrite: bool,
    resume: bool,
    progress: Progress | None,
) -> Recording:
    path = None if out is None else Path(out)
    if path is not None:
        restore(path)
    begun = path is not None and path.exists() and not is_empty(path)
    if path is not None and begun and not overwrite:
        done = _earlier(path, manifest, resume, functions=bool(job.functions))
        if done is not None:
            return done
    world = {"gravity": [float(g) for g in job.gravity], "up": up_name(up_against(job.gravity, job.vertical))}
    shown: dict[str, Any] = {**job.looks.manifest(), "labels": job.labels}
    shown |= {"notes": job.notes} if job.notes else {}
    return job.go(
        options,
        out=out,
        manifest={**manifest, **_origin(options), **world, **shown},
        statics=job.looks.statics(),
        overwrite=overwrite,
        resume=resume and begun,
        progress=progress,
    )


def _changed(scene: Scene, settings: Mapping[str, Any]) -> Scene:
    from motiform.scene.read.load import parse_scene

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
    names = ("integrator", "step", "rtol", "atol", "device")
    motion = {name: getattr(options, name) for name in names} | {"steps_per_sample": options.steps}
    return {**machine(), "motion": motion}
