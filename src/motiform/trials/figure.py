"""The figure of a trial from command-line options: predefined or from a file; of a subject; optionally calibrated."""

from dataclasses import dataclass, field, fields
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import InputError, closest, closest_file
from motiform.motion.tree import Figure
from motiform.trials.subjects import other_subject, variants_of

if TYPE_CHECKING:
    from motiform.measure import Subject
    from motiform.motion.postures import Calibration
    from motiform.record import Recording

__all__ = ["FigureSpec", "calibrated", "choose_subject", "make_figure", "read_subject", "taken_from"]

MODELS = ("human36", "bip", "kondo")
MARKER_SD = 0.01
"""[m] Standard deviation of markers on skin for calibration, unless given."""

FOOT_SD = 0.3
"""[rad] Standard deviation of the angles of feet about those of standing, where markers are at sites."""


@dataclass(frozen=True)
class FigureSpec:
    """How figures of trials are made. Plain values, so that other processes can make them too."""

    figure: str = "human36"
    """Name of a ready figure, or a file: .osim, .urdf, .xml (MJCF), or a scene (.toml) with a figure."""
    measures: dict[str, Any] = field(default_factory=dict)
    """Height [m], mass [kg], sex: those given."""
    subjects: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Measures of subjects by name; those above go before."""
    subject: str | None = None
    """The one that all trials are of; None: found by each trial's own subject or folder."""
    options: dict[str, Any] = field(default_factory=dict)
    """More parameters of the ready figure, or of the reader of the file."""


def read_subject(given: str | None) -> tuple[dict[str, dict[str, Any]], str | None]:
    """Return measures of subjects, and the name of the one that is meant, from "TABLE.csv" or "TABLE.csv:NAME"."""
    if given is None:
        return {}, None
    from motiform.measure import read_subjects

    path, name = given, None
    if not Path(given).is_file() and ":" in given:
        path, _, name = given.rpartition(":")
    if not Path(path).is_file():
        allowed = "a table of subjects: TABLE.csv, or TABLE.csv:NAME"
        remedy = closest_file(Path(path))
        raise InputError("no such file", where="--subject", got=given, allowed=allowed, remedy=remedy)
    known: dict[str, Subject] = read_subjects(path)
    if name is not None and name not in known:
        raise InputError("no such subject", where=path, got=name, allowed=", ".join(known), remedy=closest(name, known))
    if len(known) == 1:
        name = next(iter(known))
    return {key: subject.measures for key, subject in known.items()}, name


def choose_subject(spec: FigureSpec, markers: "Recording", source: Path, column: str | None = None) -> str | None:
    """Return the subject of a trial: the given one, or that of its file, or that of its folder ("Subject01").

    `column` is that of the table which the folder tells.
    """
    if not spec.subjects or spec.subject is not None:
        return spec.subject
    stated = markers.manifest.get("subject")
    own = [stated] if isinstance(stated, str) else list(stated or [])
    found = [known for name in own for known in spec.subjects if name.lower() == known.lower()]
    if column is not None:
        if found and other_subject(column, found[0]):
            raise InputError(
                "the file and its folder must be of one subject", where=str(source), got=f"{found[0]} and {column}",
                remedy="Move the file, or say --subject TABLE.csv:NAME.",
            )  # fmt: skip
        return column
    tried = [*own, source.parent.name, source.stem]
    for name in tried:
        of_subject = variants_of(spec.subjects, name)
        exact = [known for known, variant in of_subject if not variant]
        if exact:
            return exact[0]
        if of_subject:
            raise InputError(
                "the subject has variants alone", where=str(source), got=", ".join(known for known, _ in of_subject),
                remedy="Say --subject TABLE.csv:NAME, or put the trial into a folder SubjectXX.",
            )  # fmt: skip
    raise InputError(
        "the subject of the trial is not known", where=str(source), got=", ".join(tried),
        allowed=", ".join(spec.subjects),
        remedy="Say --subject TABLE.csv:NAME, or put the trial into a folder of its name.",
    )  # fmt: skip


def make_figure(spec: FigureSpec, subject: str | None) -> Figure:
    """Return the figure, of a subject where there is one."""
    measures = {**(spec.subjects[subject] if subject is not None else {}), **spec.measures}
    if spec.figure in MODELS:
        return _ready(spec.figure, measures, spec.options)
    path = Path(spec.figure)
    if not path.is_file():
        from motiform.motion.tree.read import FORMATS

        endings = [ending for form in FORMATS for ending in form.extensions]
        raise InputError(
            "no such figure", where="--figure", got=spec.figure,
            allowed=f"{', '.join(MODELS)}, or a file {', '.join(endings)}, .toml",
            remedy=closest(spec.figure, MODELS) or closest_file(path),
        )  # fmt: skip
    made = _from_scene(path) if path.suffix.lower() == ".toml" else _from_file(path, spec.options)
    mass = measures.pop("mass", None)
    if measures:
        allowed = "--mass alone: calibrate it for its size (--static, --calibrate)"
        raise InputError(f"measures must suit {path.name}", got=", ".join(measures), allowed=allowed)
    if mass is None:
        return made
    from motiform.motion.postures import scale_figure

    return scale_figure(made, {}, mass=mass)


def _ready(name: str, measures: dict[str, Any], options: dict[str, Any]) -> Figure:
    from motiform.motion import figures

    make: Any = getattr(figures, name)
    known = list(signature(make).parameters)
    _check_names({**measures, **options}, known, f"figure {name}")
    for key, value in options.items():  # figure.lengths.L5 changes one length of a subject's, not all
        both = isinstance(value, dict) and isinstance(measures.get(key), dict)
        measures[key] = {**measures[key], **value} if both else value
    made: Figure = make(**measures)
    return made


def _from_file(path: Path, options: dict[str, Any]) -> Figure:
    from motiform.motion.tree.read.register import find_format

    form = find_format(path)
    _check_names(options, sorted({*signature(form.read).parameters} - {"path"}), f"figure {path.name}, {form.title}")
    return form.read(path, **options)


def _from_scene(path: Path) -> Figure:
    from motiform.scene import load_scene

    model = load_scene(path).build().model
    figure = getattr(model, "figure", model)  # of a figure in matter
    if not isinstance(figure, Figure):
        raise InputError("the scene has no figure", where=str(path), got=type(model).__name__)
    return figure


def _check_names(given: dict[str, Any], known: list[str], where: str) -> None:
    for name in given:
        if name not in known:
            raise InputError(
                "no such parameter", where=where, got=name, allowed=", ".join(known), remedy=closest(name, known)
            )


def upright(figure: Figure, markers: "Recording") -> "Recording":
    """Return the markers with the figure's up."""
    from motiform.measure import turn

    up = markers.manifest.get("up")
    stands = np.argmax(np.abs(figure.gravity)) == 1
    return turn(markers, up=up) if up not in (None, "y") and stands else markers


def calibrated(
    figure: Figure, markers: "Recording | None", static: "Recording | None", *, correspondence: Any, weights: Any,
    options: dict[str, Any], progress: Any = None,
) -> "Calibration":  # fmt: skip
    """Return the figure fitted to a standing trial, a moving one, or both."""
    from motiform.motion.figures.human36_figure import Human36
    from motiform.motion.figures.keypoint_sets import are_keypoints, keypoint_tasks
    from motiform.motion.figures.marker_sets import site_spreads
    from motiform.motion.postures import Estimator, Fit, Priors, calibrate
    from motiform.motion.postures.fit_trial import fit_markers

    known = ["correspondence", "q0", "frames", "lengths", "tags", "symmetric", "method"]
    _check_names(options, [*known, *(f.name for kind in (Priors, Estimator) for f in fields(kind))], "calibrate")
    sites = site_spreads(figure.recipe.markers) if isinstance(figure, Human36) else {}
    given = {"marker_sd": MARKER_SD, "correspondence": correspondence, "weights": weights}
    if sites:
        given |= {"tag_sd": sites, "neutral_sd": {name: FOOT_SD for name in figure.coordinates if "ankle" in name}}
    given |= options
    moving, still = (None if rec is None else upright(figure, rec) for rec in (markers, static))
    if (
        "q0" not in given
        and moving is not None
        and isinstance(figure, Human36)
        and are_keypoints(figure.recipe.markers)
    ):
        # a chain of joint centres has many postures near by: the search of the fit finds the best of them
        fit = Fit(correspondence=correspondence, weights=weights, tasks=keypoint_tasks(figure.coordinates))
        given["q0"] = fit_markers(figure, moving, fit).found.q
    priors, estimator = taken_from(given, Priors), taken_from(given, Estimator)
    return calibrate(figure, moving, static=still, priors=priors, estimator=estimator, progress=progress, **given)


def taken_from(options: dict[str, Any], kind: Any) -> Any:
    """Return the object made of the options that it has, which are removed from the others."""
    return kind(**{f.name: options.pop(f.name) for f in fields(kind) if f.name in options})
