"""From the markers of a trial to postures with standard deviations, velocities and efforts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, MotiformError, closest
from motiform.base.progress import Progress
from motiform.measure import Matching, match_names
from motiform.measure.changes import measured_markers
from motiform.measure.frames import turn
from motiform.measure.gaps import runs
from motiform.measure.names import Correspondence
from motiform.motion.postures.derivatives import MotionSamples, base_motion, leave_motion
from motiform.motion.postures.dynamics.efforts import efforts, residual_report
from motiform.motion.postures.dynamics.plates import PlateAssignment, assign_plates
from motiform.motion.postures.dynamics.residual_reduction import describe_reduction, move_mass_center, reduce_residual
from motiform.motion.postures.feet import find_feet
from motiform.motion.postures.fit import options as fit_options
from motiform.motion.postures.fit.fitter import FittedPostures, Fitter
from motiform.motion.postures.fit.limits import limit_events
from motiform.motion.postures.fit.search import fit_converged, fit_trial, outlier_samples
from motiform.motion.postures.fit.smooth import smooth_trial
from motiform.motion.postures.fit.swaps import Mended, mend_swaps, swap_events
from motiform.motion.postures.floating_base import FloatingBase, about_vertical, heading_apart
from motiform.motion.postures.gait.events import Walker, gait_events, walker_of
from motiform.motion.postures.gait.series import sample_where_defined
from motiform.motion.postures.settings import Fit
from motiform.motion.run import check_number
from motiform.motion.tree import Figure, centers_of_mass, forward_kinematics, tags
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.segment import velocity_names
from motiform.motion.tree.observe import (
    FIGURE_CHANNELS,
    SEGMENT_CHANNELS,
    configuration_units,
    effort_units,
    figure_labels,
    velocity_units,
)
from motiform.record import Channel, Event, Recording
from motiform.record.labels import WRENCH_UNITS
from motiform.spatial import quaternion_from_rotation, up_name

__all__ = ["CHANNELS", "FittedTrial", "fit_markers", "observe_fit"]

_UNSEEN = 0.5  # part of a root's coordinate not determined by markers, beyond which the position of the body is unknown
_CHUNK = 1024  # samples whose covariances are held at once
_LEAST_SD = 1e-3  # [m] skin markers are never nearer to what they tell
_USUAL = 5e-3  # [m] of markers from tags in a good trial
_GLIMPSE = 0.1  # [s] hidden markers beyond which a foot has no steps of its own

CHANNELS = {
    "q": "configuration, in the order of figure.coordinates",
    "v": "velocities of the low-passed configuration",
    "a": "their rates",
    "tags": "tags of the figure, world axes",
    "markers": "marker of each tag, world axes; nan where it was not seen",
    "error": "distance of each marker from its tag; nan where it was not seen",
    "error.rms": "root of the mean square of the distances of a sample, each marker counted alike",
    "error.weighted": "the same with the weights of the fit",
    "std": "standard deviation of each coordinate, from the residuals of the whole trial",
    "unseen": "part of each coordinate that the markers do not determine, 0 to 1",
    "interpolated": "1: the markers of the sample do not determine the coordinate, it is between those before and"
    " after; 2: their noise alone does, it is drawn to the curve through the others; 0: it is that of the sample",
    "nullity": "number of directions in which no marker moves",
    "status": "0: converged, 1: not converged, 2: no marker was seen, the posture is between those before and after",
    "iterations": "of the search for the posture, up to its limit",
    "center_of_mass": FIGURE_CHANNELS["center_of_mass"],
    "centers_of_mass": "of each segment and of the whole, world axes",
    "effort": "generalised forces of the joints; at the root what is left unexplained",
    "residual": "moment about the root segment's origin and force on it that nothing explains, world axes",
    "joint_moment": "moment that the joint of each segment transmits to it, about the segment's origin, world axes:"
    " with the parts that bones and ligaments take up",
    "power": "effort times velocity of each coordinate",
    "effort.known": "1 where a foot is in the air or on a usable plate: efforts of its leg hold there",
}
"""Channels of a reconstructed trial and what they hold."""


@dataclass(frozen=True)
class _Trial:
    """Markers in the order of the figure's tags, (samples, tags, 3), and their times."""

    rec: Recording
    markers: Array
    names: tuple[str | None, ...]
    times: Array
    notes: tuple[str, ...] = ()
    unmatched: int = 0
    """Markers of the file that are of no tag."""


@dataclass(frozen=True)
class FittedTrial:
    """The postures of a figure that were found for the markers of a trial; of its masses they do not depend."""

    fit: Fit
    fitter: Fitter
    trial: _Trial
    markers: Array
    """As they were taken, (samples, tags, 3): without those that were left out, exchanged ones in their places."""
    found: FittedPostures
    drawn: np.ndarray
    """HIDDEN or WEAK where a coordinate is not that of the sample alone, (samples, nv)."""
    marker_sd: float
    nullity: Array
    events: tuple[Event, ...]
    mended: tuple[Mended, ...]


def fit_markers(
    figure: Figure, markers: Recording, fit: Fit | None = None, progress: Progress | None = None
) -> FittedTrial:
    """Fit a figure to every sample of a trial."""
    fit = fit or Fit()
    trial = _read(figure, markers, fit.correspondence)
    prior = _configuration(figure, fit.prior, "prior", figure.neutral())
    first = None if fit.q0 is None else _configuration(figure, fit.q0, "q0", None)
    weights = _weights(figure, trial, fit.weights)
    base = None if _told_where(figure, fit) else FloatingBase.of(figure)
    turn = 0.0
    if base is not None:  # in axes of its own, so that results do not depend on those of the room
        most = int(np.argmax(np.isfinite(trial.markers[:, weights > 0]).all(-1).sum(1)))
        turn = heading_apart(figure, prior, trial.markers[most])
        prior = base.enter(prior)
        first = first if first is None else base.turned(base.enter(first), -turn)
    fitter = Fitter(
        figure if base is None else base.figure, weights, prior,
        robust=np.inf if fit.robust is None else float(fit.robust), limits=fit.limits, accuracy=float(fit.accuracy),
        tasks=fit.tasks, most=fit.max_iterations, threshold=fit.threshold or 0.0,
    )  # fmt: skip
    measured = trial.markers @ about_vertical(figure, turn)
    seen, events, mended = measured.copy(), list[Event](), list[Mended]()
    found = fit_trial(fitter, seen, first)
    if progress is not None:
        progress(0.6)
    if fit.swaps:
        mended = mend_swaps(fitter, seen, found)
        events += swap_events(mended, trial.times, trial.names)
    sigma = _sigma(found)  # of samples fitted alone, whose degrees of freedom are known
    drawn = fit_converged(fitter, seen, found, trial.times, lost_only=not fit.interpolate)
    nullity = _nullity(found)
    if fit.smooth is not None:
        smooth_trial(fitter, seen, found, trial.times, float(fit.smooth), sigma)
    _count_exact(fitter, seen, found)
    events += _wrong_minima(found, trial.times) + limit_events(fitter, found, trial.times)
    events += [Event(float(trial.times[0]), note) for note in trial.notes]
    if base is not None:
        _leave(base, fitter, seen, found, turn)
        drawn[:, base.v] = drawn[:, base.v].max(1, keepdims=True)
    kept = (seen == measured) | np.isnan(measured) & np.isnan(seen)
    seen = np.where(kept, trial.markers, seen @ about_vertical(figure, -turn))
    if progress is not None:
        progress(1.0)
    return FittedTrial(fit, fitter, trial, seen, found, drawn, sigma, nullity, tuple(events), tuple(mended))


def _told_where(figure: Figure, fit: Fit) -> bool:
    """Whether a task says where the root is, in the axes of the room."""
    own = {name for n in figure.roots for name in velocity_names(figure.segments[n])}
    return bool(own & set(fit.tasks or ()))


def _leave(base: FloatingBase, fitter: Fitter, markers: Array, found: FittedPostures, turn: float) -> None:
    """Tell postures that were found in axes turned about the vertical in the given figure's coordinates, in place."""
    for first in range(0, len(found.q), _CHUNK):
        part = slice(first, first + _CHUNK)
        covariance = fitter.covariance(markers[part], found.q[part], base.v)
        found.inverse[part, base.v] = base.leave_covariance(found.q[part], covariance, turn)
    std = found.std[:, base.v[3:]]
    found.q = base.leave_path(base.turned(found.q, turn), std, base.given.neutral())


def _count_exact(fitter: Fitter, markers: Array, found: FittedPostures) -> None:
    """Count samples as converged whose tags are on their markers: nothing tells where along it a posture should be."""
    threshold = max(fitter.options[fit_options.THRESHOLD], fit_options.EXACT)
    exact = found.rms <= np.maximum(threshold, fitter.rounding(markers))
    found.status[(found.status == fit_options.UNSETTLED) & exact] = fit_options.FINE


def observe_fit(
    fitted: FittedTrial, figure: Figure, *, cutoff: float | None = 6.0, dynamics: Literal["auto"] | bool = "auto",
    reduce_residuals: bool = False,
) -> Recording:  # fmt: skip
    """Return postures, their errors and certainty, motion and effort of a fitted trial.

    `figure` is the one that was fitted, or the same with other masses. Reduced residuals change the postures and the
    trunk's mass centre (`reduce_residual`); the manifest tells by how much, or a note why not.
    """
    events = list(fitted.events)
    moving = _motion(figure, fitted, cutoff)
    reduced: dict[str, Any] | None = None
    note: list[str] = []
    if reduce_residuals:
        try:
            figure, fitted, moving, reduced = _reduced(figure, fitted, moving, cutoff)
            note = describe_reduction(reduced)
        except InputError as error:
            note = [f"residuals are not reduced: {error}"]
    data, summary = _observe(figure, fitted, moving, cutoff, dynamics, events)
    if reduce_residuals:
        summary["residual_reduction"] = reduced
        summary["notes"] += note
    _count_mended(figure, summary["per_marker"], fitted.mended)
    return _recording(figure, fitted.trial, data, events, summary)


# ---------------------------------------------------------------- what goes in
def _read(figure: Figure, rec: Recording, correspondence: Correspondence) -> _Trial:
    if not isinstance(figure, Figure):
        raise InputError(
            "the figure must be a Figure", got=repr(figure), allowed="a Figure with tags, such as figures.human36()"
        )
    if not figure.tags:
        raise InputError("a figure must have tags", where=repr(figure), remedy="Add tags where the markers are.")
    measured = measured_markers(rec)
    up = rec.manifest.get("up")
    if up is not None and up != "y" and np.argmax(np.abs(figure.gravity)) == 1:
        rec = turn(rec, up=up)  # files keep their own axes; the figure stands along y
        measured = measured_markers(rec)
    matching = match_names(rec, figure.tag_names, correspondence)
    points = np.full((len(measured), len(figure.tags), 3), np.nan)
    for k, place in enumerate(matching.indices):
        if place >= 0:
            points[:, k] = measured[:, place]
    if not len(points):
        raise InputError("the recording must have samples", where=rec._where, allowed="one sample at least")
    points[~np.isfinite(points).all(-1)] = np.nan
    if not np.isfinite(points).any():
        remedy = "Look at the file's names and occlusions."
        raise InputError("no marker of a tag is ever seen", where=rec._where, got="nan only", remedy=remedy)
    _check_size(figure, points, rec._where)
    times, left = np.asarray(rec.time("markers"), float), len(matching.unmatched_markers)
    return _Trial(rec, points, matching.markers, times, _few_matched(matching), left)


def _few_matched(matching: Matching) -> tuple[str, ...]:
    """Return a note where most markers of the file are of no tag."""
    left = matching.unmatched_markers
    used = sum(name is not None for name in matching.markers)
    if used >= len(left):
        return ()
    some = ", ".join(left[:8]) + (", …" if len(left) > 8 else "")
    return (f"only {used} of {used + len(left)} markers have a tag; a correspondence can name those of {some}",)


def _check_size(figure: Figure, points: Array, where: str) -> None:
    """Refuse markers that lie a hundred times farther apart, or nearer, than the tags: units are wrong."""
    own = tags(figure, figure.neutral())
    together = np.asarray(np.isfinite(points).all(-1))
    best = int(np.argmax(together.sum(1)))
    known = together[best]
    if known.sum() < 2:
        return
    sizes = [float(np.linalg.norm(some.max(0) - some.min(0))) for some in (points[best, known], own[known])]
    ratio = sizes[0] / max(sizes[1], 1e-9)
    if not 0.05 < ratio < 20.0:
        raise InputError(
            "markers and figure differ in size", where=where, got=f"{ratio:.3g} times as far apart",
            remedy="Say the units: read_markers(path, units='mm'); or scale the figure.",
        )  # fmt: skip


def _weights(figure: Figure, trial: _Trial, weights: Mapping[str, float] | ArrayLike | None) -> Array:
    """Return the weight of each tag; those without a marker have none."""
    found = np.ones(len(figure.tags))
    if isinstance(weights, Mapping):
        for name, value in weights.items():
            if name not in figure.tag_names:
                raise InputError("weights must be those of tags", got=name, remedy=closest(name, figure.tag_names))
            found[figure.tag_names.index(name)] = check_number(value, "weight", f"tag {name!r}", least=0.0)
    elif weights is not None:
        found = np.array(weights, float)
        if found.shape != (len(figure.tags),) or not (np.isfinite(found) & (found >= 0)).all():
            raise InputError(
                "weights must be one number for each tag",
                got=repr(weights)[:80],
                allowed=f"({len(figure.tags)},) numbers from 0",
            )
    found[[name is None for name in trial.names]] = 0.0
    if not found.any():
        raise InputError("every weight is zero", allowed="one above zero at least")
    return found


def _configuration(figure: Figure, q: ArrayLike | None, what: str, default: Array | None) -> Array:
    found = np.asarray(default if q is None else q, float)
    if found.shape != (figure.nq,) or not np.isfinite(found).all():
        raise InputError(
            f"{what} must be a finite configuration",
            got=f"shape {found.shape}",
            allowed=f"({figure.nq},) finite numbers",
        )
    return found


# ---------------------------------------------------------------- what comes out
def _wrong_minima(found: FittedPostures, times: Array) -> list[Event]:
    """Return an event for each run of samples that stay far from their markers."""
    return [
        Event(
            float(times[first]),
            "wrong minimum?",
            {"until": float(times[end - 1]), "rms": float(found.rms[first:end].max())},
        )
        for first, end in runs(outlier_samples(found, unsettled=False))
    ]


def _nullity(found: FittedPostures) -> Array:
    """Return the count of free directions, (samples,)."""
    return np.rint(found.unseen.sum(1)).astype(int)


def _sigma(found: FittedPostures) -> float:
    """Return the standard deviation of a marker's coordinate [m]."""
    good = (found.status == fit_options.FINE) & ~outlier_samples(found)
    free = 3.0 * found.weight - (found.q.shape[1] - _nullity(found))
    use = good & (free > 0)
    return float(np.sqrt(found.cost[use].sum() / free[use].sum())) if use.any() else np.nan


class _Motion(NamedTuple):
    """The low-passed motion of a trial, in the coordinates of its figure and in those of its base."""

    base: FloatingBase | None
    inner: MotionSamples
    own: MotionSamples


def _motion(figure: Figure, fitted: FittedTrial, cutoff: float | None) -> _Motion | None:
    """Return the motion of a trial; None of a single sample."""
    times, q = fitted.trial.times, fitted.found.q
    if len(times) < 2:
        return None
    known = np.where(_root_determined(fitted.fitter, fitted.found)[:, None], q, np.nan)
    base, inner = base_motion(figure, times, known, _usable(cutoff, times))
    return _Motion(base, inner, inner if base is None else leave_motion(base, inner, known))


def _reduced(
    figure: Figure, fitted: FittedTrial, moving: _Motion | None, cutoff: float | None
) -> tuple[Figure, FittedTrial, _Motion, dict[str, Any]]:
    """Return a trial with less residual: its figure, postures and motion, and what was changed."""
    trial, q = fitted.trial, fitted.found.q
    used = _usable(cutoff, trial.times) if moving is not None else None
    if moving is None or used is None:
        raise InputError("residual reduction needs a motion that is low-passed", got=f"cutoff {cutoff}")
    if "plate.force" not in trial.rec:
        raise InputError("residual reduction needs force plates", where=trial.rec._where)
    base, inner, own = moving
    assignment = assign_plates(figure, trial.times, own.q, trial.rec, cutoff=used)
    known = np.asarray(_known_feet(figure, assignment, fitted.found.unseen).all(1))
    usable, sigma = np.asarray(np.isfinite(inner.a).all(1)), max(fitted.marker_sd, _LEAST_SD)
    normal = np.zeros((len(q), figure.nv, figure.nv))
    told = q[usable] if base is None else base.enter(q[usable])
    if fitted.fitter.figure.nv != figure.nv:
        raise InputError("residual reduction needs the figure that was fitted", where=repr(figure))
    normal[usable] = fitted.fitter.normal(fitted.markers[usable], told)[0] / sigma**2
    inside = figure if base is None else base.figure
    found = reduce_residual(inside, trial.times, inner, assignment, known, normal, cutoff=used)
    changed = found.change.any(1)
    moved = q.copy()
    moved[changed] = q[changed] + found.change[changed] if base is None else \
        base.leave(base.enter(q[changed]) + found.change[changed], q[changed])  # fmt: skip
    figure = move_mass_center(figure, found.report)
    base = FloatingBase.of(figure)
    own = found.motion if base is None else leave_motion(base, found.motion, moved)
    shift = np.linalg.norm(tags(figure, moved) - tags(figure, q), axis=-1)[changed]
    shift = shift[np.isfinite(fitted.markers[changed]).all(-1)]
    report = found.report | {
        "tags_rms": float(np.sqrt((shift**2).mean())), "tags_peak": float(shift.max()),
    }  # fmt: skip
    return figure, replace(fitted, found=replace(fitted.found, q=moved)), _Motion(base, found.motion, own), report


def _known_feet(figure: Figure, assignment: PlateAssignment, unseen: Array) -> np.ndarray:
    """Return whether what acts on each foot is known, (samples, feet): one that no marker tells may stand anywhere."""
    seen = [sample_where_defined(figure, foot.name, unseen) for foot in assignment.feet]
    return np.asarray(assignment.known_feet & np.stack(seen, axis=1))


def _observe(
    figure: Figure, fitted: FittedTrial, moving: _Motion | None, cutoff: float | None, dynamics: Any,
    events: list[Event],
) -> tuple[dict[str, tuple[Channel, Array]], dict[str, Any]]:  # fmt: skip
    """Return all channels, and what the manifest states."""
    fitter, trial, seen, found = fitted.fitter, fitted.trial, fitted.markers, fitted.found
    sigma, nullity = fitted.marker_sd, fitted.nullity
    q = found.q
    R, p = forward_kinematics(figure, q)
    turned = quaternion_from_rotation(R)
    x = tags(figure, q)
    error = np.linalg.norm(x - seen, axis=-1)
    error[:, fitter.weights == 0.0] = np.nan
    coms = centers_of_mass(figure, q)
    measured = trial.rec.channel("markers")
    when: dict[str, Any] = {} if measured.rate is None else {"rate": measured.rate, "start": measured.start}
    data: dict[str, tuple[Channel, Array]] = {}

    def add(
        name: str, value: Array, unit: str | tuple[str, ...] = "", dims: tuple[str, ...] = (), dtype: str = "float64"
    ) -> None:
        text = CHANNELS.get(name) or SEGMENT_CHANNELS[name.rsplit(".", 1)[-1]]
        units: dict[str, Any] = {"unit": unit} if isinstance(unit, str) else {"units": unit}
        shape = np.shape(value)[1:]
        data[name] = (Channel(name, dims=dims, shape=shape, dtype=dtype, description=text, **units, **when), value)

    add("q", q, configuration_units(figure), ("coordinate",))
    for n, name in enumerate(figure.names):
        add(f"{name}.position", p[:, n], "m", ("axis",))
        add(f"{name}.orientation", turned[:, n], "", ("quaternion",))
    add("tags", x, "m", ("tag", "axis"))
    add("markers", seen, "m", ("tag", "axis"))
    add("error", error, "m", ("tag",))
    seen_error = np.nan_to_num(error**2)
    for name, weights in (("error.rms", (fitter.weights > 0).astype(float)), ("error.weighted", fitter.weights)):
        with np.errstate(invalid="ignore"):
            add(name, np.sqrt(seen_error @ weights / (np.isfinite(error) @ weights)), "m")
    add("std", sigma * np.sqrt(found.inverse), velocity_units(figure, per=""), ("velocity",))
    add("unseen", found.unseen, "", ("velocity",))
    add("interpolated", fitted.drawn, "", ("velocity",), "int8")
    add("nullity", nullity.astype("int16"), dtype="int16")
    add("status", found.status, dtype="int8")
    add("iterations", found.steps, dtype="int32")
    if figure.mass > 0:
        add("center_of_mass", coms[:, -1], "m", ("axis",))
        add("centers_of_mass", coms, "m", ("mass", "axis"))
    summary: dict[str, Any] = {
        "marker_sd": sigma, "rms": float(np.sqrt(np.nanmean(error**2))), "notes": list(trial.notes),
        "rms_weighted": float(np.sqrt(np.average(seen_error, weights=np.isfinite(error) * fitter.weights))),
        "per_marker": _per_marker(figure, trial, seen, error), "samples": len(q), "unmatched": trial.unmatched,
        "not_settled": int((found.status == fit_options.UNSETTLED).sum()),
        "lost": int((found.status == fit_options.LOST).sum()),
        "iterations": _iterations(fitted), "cutoff": cutoff,
    }  # fmt: skip
    if moving is not None:
        moved = summary["filtered"] = _filtered(figure, np.where(np.isfinite(seen), x, np.nan), moving.own.q)
        if moved is not None and cutoff is not None and moved["rms"] > max(summary["rms"], _USUAL):
            summary["notes"].append(
                f"the low-pass filter of {cutoff:g} Hz moves tags by {1e3 * moved['rms']:.1f} mm (rms), more than "
                "markers lie from them: the motion is faster; give a higher cutoff"
            )
        add("v", moving.own.v, velocity_units(figure), ("velocity",))
        add("a", moving.own.a, velocity_units(figure, per="/s^2"), ("velocity",))
        _add_efforts(figure, trial, moving, found.unseen, dynamics, cutoff, add, events, summary)
    return data, summary


def _filtered(figure: Figure, x: Array, q: Array) -> dict[str, Any] | None:
    """Return how far the low-pass filter moves the tags of seen markers [m, rms], and which farthest."""
    known = np.isfinite(q).all(1)
    square = ((tags(figure, q[known]) - x[known]) ** 2).sum(-1)
    count = np.isfinite(square).sum(0)
    if not count.any():
        return None
    each = np.sqrt(np.nansum(square, axis=0) / np.maximum(count, 1))
    most = int(np.argmax(each))
    return {"rms": float(np.sqrt(np.nanmean(square))), "tag": figure.tag_names[most], "largest": float(each[most])}


def _iterations(fitted: FittedTrial) -> dict[str, Any]:
    """Return the limits of the search, and what it reached."""
    fit, found = fitted.fit, fitted.found
    rounding = fitted.fitter.rounding(fitted.markers)
    return {
        "limit": fit.max_iterations, "mean": float(found.steps.mean()), "most": int(found.steps.max()),
        "at_limit": int(((found.steps >= fit.max_iterations) & (found.status == fit_options.UNSETTLED)).sum()),
        "accuracy": float(fit.accuracy), "threshold": None if fit.threshold is None else float(fit.threshold),
        "rounding": float(rounding.max()), "worst_rms": float(np.nanmax(found.rms)),
    }  # fmt: skip


def _root_determined(fitter: Fitter, found: FittedPostures) -> np.ndarray:
    """Return whether the markers of a sample determine the root: elsewhere there is no motion, and no effort."""
    figure = fitter.figure
    columns = np.concatenate([figure.layout.v[n] for n in figure.roots]).astype(int)
    if figure.coupled is not None:
        columns = np.flatnonzero(np.isin(figure.coupled.kept_v, columns))
    return np.asarray((found.status != fit_options.LOST) & (found.unseen[:, columns].max(1, initial=0.0) < _UNSEEN))


def _usable(cutoff: float | None, times: Array) -> float | None:
    """Return the cutoff, or None where the samples are too slow for it."""
    half = 0.5 * (len(times) - 1) / (times[-1] - times[0])
    return cutoff if cutoff is not None and cutoff < half else None


def _seen_feet(walker: Walker, figure: Figure, unseen: Array) -> Walker:
    """Return the walker without feet that markers do not tell for 0.1 s or more: what is filled in has no step."""
    for foot in find_feet(figure):
        for first, end in runs(~sample_where_defined(figure, foot.name, unseen)):
            if walker.times[end - 1] - walker.times[first] > _GLIMPSE:
                for points in (walker.heels, walker.toes):
                    points[foot.side or foot.name][first:end] = np.nan
    return walker


def _add_efforts(
    figure: Figure, trial: _Trial, motion: _Motion, unseen: Array, dynamics: Any, cutoff: float | None,
    add: Callable[..., None], events: list[Event], summary: dict[str, Any],
) -> None:  # fmt: skip
    """Add efforts where there are plates or where they are asked for, and gait events where there are feet."""
    base, inner, moving = motion
    plates = trial.rec if "plate.force" in trial.rec else None
    assignment = None
    if dynamics is True or (dynamics == "auto" and plates is not None):
        if plates is not None:
            assignment = assign_plates(figure, trial.times, moving.q, plates, cutoff=_usable(cutoff, trial.times))
        needed = efforts(figure if base is None else base.figure, trial.times, *inner, assignment)
        effort = needed.effort
        if base is not None:
            effort = np.full_like(needed.effort, np.nan)
            moves = np.isfinite(needed.effort).all(1)
            effort[moves] = base.leave_efforts(inner.q[moves], needed.effort[moves], moving.q[moves])
        add("effort", effort, effort_units(figure), ("velocity",))
        add("residual", needed.residual, WRENCH_UNITS, ("component",))
        add("joint_moment", needed.moments, "N m", ("segment", "axis"))
        add("power", effort * moving.v, "W", ("velocity",))
        known: Array | None = None
        if assignment is not None:
            feet = _known_feet(figure, assignment, unseen)
            known = np.asarray(feet.all(1))
            add("effort.known", feet.astype("int8"), dims=("foot",), dtype="int8")
            summary["feet"] = [foot.name for foot in assignment.feet]
        summary["residual"] = residual_report(figure, moving.q, needed.residual, known)
    try:
        walker = _seen_feet(walker_of(figure, trial.times, moving.q), figure, unseen)
        events += gait_events(walker, assignment, stated=trial.rec.events)
    except MotiformError as error:  # a figure without feet, or one that does not walk
        summary["gait"] = str(error)


def _per_marker(figure: Figure, trial: _Trial, seen: Array, error: Array) -> dict[str, dict[str, Any]]:
    """Return name, mean, largest distance [m] and how often it was seen, of each tag that has a marker."""
    found = {}
    for k, name in enumerate(trial.names):
        own = error[np.isfinite(error[:, k]), k]
        if name is not None:
            found[figure.tag_names[k]] = {
                "marker": name, "seen": float(np.isfinite(seen[:, k, 0]).mean()),
                "rms": float(np.sqrt((own**2).mean())) if len(own) else None,
                "largest": float(own.max()) if len(own) else None,
            }  # fmt: skip
    return found


def _count_mended(figure: Figure, per_marker: dict[str, dict[str, Any]], mended: Sequence[Mended]) -> None:
    """Add the number of samples in which each marker was left out or exchanged, in place."""
    for row in per_marker.values():
        row["left_out"] = row["swapped"] = 0
    for one in mended:
        for k in one.tags:
            per_marker[figure.tag_names[k]][one.kind.replace(" ", "_")] += len(one.samples)


def _recording(
    figure: Figure, trial: _Trial, data: dict[str, tuple[Channel, Array]], events: list[Event], summary: dict[str, Any]
) -> Recording:
    own = trial.rec.channel("markers")
    labels = figure_labels(figure) | {"mass": [*figure.names, "whole"], "segment": list(figure.names)}
    labels["foot"] = summary.pop("feet", [])
    manifest = {
        "kind": "reconstruction", "source": trial.rec.manifest.get("source"), "figure": figure.name,
        "subject": trial.rec.manifest.get("subject"), "labels": labels, "reconstruct": summary,
        "gravity": list(figure.gravity), "up": up_name(figure.up),
    }  # fmt: skip
    times = None if own.rate is not None else trial.times
    ordered = sorted([*trial.rec.events, *events], key=lambda event: event.time)
    return Recording.from_arrays(data, times=times, events=ordered, manifest=manifest)
