"""The one figure of a session: calibrated by its static trials, else by samples of all its trials."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from motiform.base.digest import Digest
from motiform.base.errors import MotiformError
from motiform.base.progress import Progress
from motiform.measure import marker_names
from motiform.measure.poses.register import find_pose_format
from motiform.motion.figures.human36_figure import Human36
from motiform.motion.postures.skeletons import is_bvh
from motiform.record import Channel, Recording
from motiform.record.files import disk, make_folder, write_file
from motiform.trials.defaults import settle_defaults
from motiform.trials.figure import FigureSpec, calibrated, choose_subject, make_figure, upright
from motiform.trials.inputs import read_trial
from motiform.trials.sessions.layout import GAIT, STATIC, SessionFile, SessionLayout
from motiform.trials.trial import MarkerTrial, TrialOptions, plain, reconstruct_trial, trial_key

__all__ = ["FIGURE", "SessionFigure", "settle_figure", "still_trials"]

FIGURE = "figure.json"
"""Of the figure of a session, in its folder of results."""
_KIND = "motiform session figure"
_SAMPLES = 2000  # of all trials together, of which calibration chooses
_TRIALS = 12  # that they are taken from
_STILL = 0.03  # [m] range that the markers of somebody who stands stay within
_WEIGHED = 2  # trials that the mass is found by
_PARTS = (
    "height",
    "mass",
    "sex",
    "table",
    "lengths",
    "masses",
    "tags",
    "centers",
    "radii",
    "limits",
    "markers",
    "knee",
)


@dataclass(frozen=True)
class SessionFigure:
    """How all trials of a session are reconstructed, and how that was found."""

    options: TrialOptions
    calibration: Mapping[str, Any] = field(default_factory=dict)
    """by, trials, samples, error_before and error_after [m], settled, report; empty without a calibration."""
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def still_trials(layout: SessionLayout, options: TrialOptions) -> list[str]:
    """Return the places of gait trials in which nobody moves: their markers stay within 30 mm."""
    found = []
    for one in layout.of(GAIT):
        markers = _markers_of(one, options)
        if markers is not None:
            points = np.asarray(markers["markers"])
            points = points[:, np.isfinite(points).all(-1).any(0)]
            ways = np.nanmax(points, axis=0) - np.nanmin(points, axis=0) if points.size else np.full((1, 3), np.inf)
            if float(np.median(ways.max(axis=1))) < _STILL:
                found.append(one.place)
    return found


def _markers_of(one: SessionFile, options: TrialOptions) -> Recording | None:
    """Return the markers of a file; None where it cannot be read, or has poses instead."""
    if find_pose_format(one.path) is not None or is_bvh(one.path):
        return None
    try:
        found = read_trial(one.path, options)
    except MotiformError:
        return None  # its own row says why
    return found if "markers" in found else None


def settle_figure(
    layout: SessionLayout, options: TrialOptions, out: Path, progress: Progress | None = None
) -> SessionFigure:
    """Return the figure of a session. One that was found from the same files and options is taken again."""
    statics, walks = layout.of(STATIC), layout.of(GAIT)
    if options.figure.figure != "human36":
        return _as_it_is(statics, options)
    key = _key(layout, options)
    known = _read(out / FIGURE, key)
    if known is None:
        known = _found(layout, options, statics, walks, progress)
        if known is None:
            return _as_it_is(statics, options)
        known = json.loads(json.dumps({"kind": _KIND, "key": key, **known}))  # as it is when it is read again
        with disk(out):
            write_file(make_folder(out) / FIGURE, (json.dumps(known, indent=1) + "\n").encode())
    spec = FigureSpec(measures=known["measures"])
    chosen = replace(options, figure=spec, static=None, calibrate=False)
    return SessionFigure(chosen, known["calibration"], tuple(known["notes"]), tuple(known["warnings"]))


def _as_it_is(statics: Sequence[SessionFile], options: TrialOptions) -> SessionFigure:
    """Return options with which each trial makes the same figure: of a file, or of poses, by one static trial."""
    if options.static is not None or not statics:
        return SessionFigure(options)
    more = f"of {len(statics)} static trials {statics[0].place} alone is used" if len(statics) > 1 else ""
    return SessionFigure(replace(options, static=str(statics[0].path.absolute())), notes=(more,) if more else ())


def _key(layout: SessionLayout, options: TrialOptions) -> str:
    """Return a hash of what the figure depends on: with static trials of these and the options, else of all files."""
    digest = Digest(_KIND, trial_key("", options), layout.subject)
    statics = layout.of(STATIC)
    weighed = statics if _has_mass(options) else [*statics, *layout.of(GAIT)]
    for one in weighed if statics else layout.of(GAIT):
        if one.path.is_file():
            digest.add(one.place).add_file(one.path)
    return digest.text(32)


def _has_mass(options: TrialOptions) -> bool:
    spec = options.figure
    return bool({*spec.measures, *spec.options} & {"mass", "masses"} or spec.subjects)


def _read(path: Path, key: str) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and found.get("kind") == _KIND and found.get("key") == key else None


def _found(
    layout: SessionLayout, options: TrialOptions, statics: Sequence[SessionFile], walks: Sequence[SessionFile],
    progress: Progress | None,
) -> dict[str, Any] | None:  # fmt: skip
    """Return measures, calibration, notes and warnings of the figure; None where no trial has markers."""
    notes, warnings = list[str](), list[str]()
    stood = {one.place: _markers_of(one, options) for one in statics}
    still = [rec for rec in stood.values() if rec is not None]
    unread = [place for place, rec in stood.items() if rec is None]
    if unread:
        warnings.append(f"static trials that cannot be read: {', '.join(unread)}")
    asked = options.calibrate is True
    moving = [] if still and not asked else _spread(walks)
    pooled = _pooled([rec for one in moving if (rec := _markers_of(one, options)) is not None])
    standing = _pooled(still)
    first = standing or pooled
    if first is None:
        return None
    subject = choose_subject(options.figure, first, (statics or walks)[0].path)
    settled, assumed = settle_defaults(replace(options, static=None), first, subject)
    figure = make_figure(settled.figure, subject)
    assert isinstance(figure, Human36)
    calibration: dict[str, Any] = {}
    if options.calibrate is not False:
        found = calibrated(
            figure, pooled, standing, correspondence=options.reconstruct.get("correspondence"),
            weights=settled.reconstruct.get("weights"), options=dict(settled.calibration), progress=progress,
        )  # fmt: skip
        made = found.figure
        assert isinstance(made, Human36)
        figure = made
        by = "static trials" if standing is not None else "samples of the trials, since no static trial is there"
        by += " and samples of the trials" * (standing is not None and pooled is not None)
        used = [*(one.place for one in statics if one.place not in unread), *(one.place for one in moving)]
        calibration = {
            "by": by, "trials": used, "samples": len(found.q), "error_before": found.error_before,
            "error_after": found.error_after, "settled": bool(found.settled), "report": found.report(),
        }  # fmt: skip
        if standing is None:
            warnings.append("no static trial: zeros of angles are known to some degrees only")
    figure, words = _weighed(figure, settled, statics, walks)
    notes += [f"{name}: {_short(value)} ({why})" for name, (why, value) in assumed.items() if name != "calibrate"]
    (warnings if words.startswith("the mass is not") else notes).append(words)
    return {
        "measures": plain(_measures(figure)),
        "calibration": plain(calibration),
        "notes": notes,
        "warnings": warnings,
    }


def _measures(figure: Human36) -> dict[str, Any]:
    """Return the parameters that make the figure again, those that are given."""
    found = {name: getattr(figure.recipe, name) for name in _PARTS}
    return {name: dict(x) if isinstance(x, Mapping) else x for name, x in found.items() if x not in (None, {})}


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _spread(walks: Sequence[SessionFile]) -> list[SessionFile]:
    """Return the trials that samples are taken from: of all conditions, evenly."""
    places = np.linspace(0, len(walks) - 1, min(len(walks), _TRIALS)).round().astype(int)
    return [walks[k] for k in dict.fromkeys(places.tolist())]


def _pooled(recs: Sequence[Recording]) -> Recording | None:
    """Return samples of several trials as one trial with the markers that any of them has."""
    if not recs:
        return None
    names = list(dict.fromkeys(name for rec in recs for name in marker_names(rec)))
    human = make_figure(FigureSpec(), None)
    parts = []
    for rec in (upright(human, one) for one in recs):
        points = np.asarray(rec["markers"])
        some = np.unique(np.linspace(0, len(points) - 1, min(len(points), _SAMPLES // len(recs))).round().astype(int))
        own = np.full((len(some), len(names), 3), np.nan)
        own[:, [names.index(name) for name in marker_names(rec)]] = points[some]
        parts.append(own)
    whole = np.concatenate(parts)
    rate = recs[0].channel("markers").rate or 1.0
    channel = Channel("markers", unit="m", dims=("marker", "axis"), shape=whole.shape[1:], rate=rate)
    told = recs[0].manifest
    kept: dict[str, Any] = {name: told[name] for name in ("source", "subject", "body", "confidence") if name in told}
    manifest = {**kept, "labels": {"marker": names, "axis": ["x", "y", "z"]}, "up": "y"}
    return Recording.from_arrays({"markers": (channel, whole)}, manifest=manifest)


def _weighed(
    figure: Human36, options: TrialOptions, statics: Sequence[SessionFile], walks: Sequence[SessionFile]
) -> tuple[Human36, str]:
    """Return the figure with the mass of the subject, and how it is known."""
    if figure.recipe.mass is not None or figure.recipe.masses:
        return figure, f"mass: {figure.mass:.1f} kg (given)"
    alone = replace(options, figure=FigureSpec(measures=_measures(figure)), static=None, calibrate=False, muscles=None)
    found: list[float] = []
    for one in [*statics, *walks]:
        if len(found) == _WEIGHED:
            break
        markers = _markers_of(one, options)
        if markers is None or ("plate.force" not in markers and options.forces is None):
            continue
        try:
            rec = reconstruct_trial(MarkerTrial(str(one.path), "", "", alone), lambda part: None)[0]
        except MotiformError:
            continue  # its own row says why
        found += [rec.manifest["taken"]["mass"][0]] if "mass" in rec.manifest["taken"] else []
    if not found:
        kind = figure.replace(mass=figure.mass)
        words = (
            f"the mass is not given, and no plate tells it: efforts are those of a mean body of {figure.mass:.0f} kg"
        )
        return kind, words
    mass = round(float(np.mean(found)), 1)
    return figure.replace(
        mass=mass
    ), f"mass: {mass:g} kg (forces of the plates in {len(found)} trial{'s' * (len(found) > 1)})"
