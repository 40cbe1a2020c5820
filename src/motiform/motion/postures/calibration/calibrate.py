"""Segment lengths and tag positions of a figure from markers of a static or dynamic trial."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.base.progress import Progress
from motiform.measure.names import Correspondence
from motiform.motion.postures.calibration.inputs import check, gather, tag_weights
from motiform.motion.postures.calibration.lengths import measured_lengths
from motiform.motion.postures.calibration.parameters import FigureParameters, make_parameters
from motiform.motion.postures.calibration.postures import fit_postures, posture_places, retry_postures, start_postures
from motiform.motion.postures.calibration.scale import has_lengths
from motiform.motion.postures.calibration.solve import (
    CalibrationProblem,
    Loss,
    Solution,
    solve_alternating,
    solve_joint,
)
from motiform.motion.postures.floating_base import FloatingBase, about_vertical, heading_apart
from motiform.motion.postures.settings import TAG_SD, Estimator, Priors, check_spread
from motiform.motion.tree.algorithms.kinematics import tags as tags_of
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array

__all__ = ["Calibration", "calibrate"]

_METHODS = {"joint": solve_joint, "alternating": solve_alternating}
_HOLD = 0.05  # [m/rad] draws joints to where they begin while nothing is calibrated yet
_KEEP = 1e-4  # [m/rad] and what the markers do not determine, always: a foot with two markers does not turn over
_AGAIN = 3  # times samples that fit badly are begun anew
_FITS = 3  # times marker_sd is estimated anew where it is not told


@dataclass(frozen=True, eq=False)
class Calibration:
    """A figure that fits its subject, and how well what was changed is known."""

    figure: Figure
    """The calibrated figure."""
    q: Array
    """Postures of the samples used, (samples, nq), of the calibrated figure."""
    times: Array
    """[s], (samples,); those of a static trial come first."""
    static: Array
    """Which of the samples are of the static trial, (samples,)."""
    lengths: dict[str, float]
    """Lengths [m] of a Human36 by name; of other figures the factor of each segment."""
    tag_offsets: dict[str, Array]
    """Shift of each tag that was free [m], (3,), in its segment's axes, from where the lengths alone would put it."""
    std: dict[str, float | Array]
    """Standard deviation of each length (same unit) and of each shift [m], by the same names."""
    determined: dict[str, float | Array]
    """How well the markers determine each number: 1 all, 0 nothing (it keeps what was assumed)."""
    error_before: float
    """Root mean square distance [m] of markers and tags of the figure given, in postures fitted to it."""
    error_after: float
    tag_errors: dict[str, tuple[float, float]]
    """The same for each tag that has a marker, before and after."""
    marker_sd: float
    """[m] Standard deviation of each coordinate of a marker, as told or as found."""
    variance: float
    """Mean square of the residuals over that of marker_sd: 1 where this is right."""
    iterations: int
    settled: bool
    before: dict[str, float] = field(default_factory=dict)
    """Lengths or factors of the figure given."""

    def report(self) -> str:
        """Return tables of lengths, tags and errors as text."""
        from motiform.motion.postures.calibration.report import report

        return report(self)

    def __repr__(self) -> str:
        state = "" if self.settled else ", NOT SETTLED"
        errors = f"{1e3 * self.error_before:.1f} mm → {1e3 * self.error_after:.1f} mm"
        return f"<Calibration of {self.figure.name!r}: {len(self.q)} samples, {errors}{state}>"


def calibrate(
    figure: Figure,
    markers: Any = None,
    *,
    static: Any = None,
    correspondence: Correspondence = None,
    q0: ArrayLike | None = None,
    frames: int = 80,
    lengths: bool | Sequence[str] = True,
    tags: bool = True,
    symmetric: bool = False,
    method: str = "joint",
    priors: Priors | None = None,
    estimator: Estimator | None = None,
    progress: Progress | None = None,
) -> Calibration:
    """Fit lengths and places of tags, together with the postures of chosen samples, to markers.

    Minimises Σ ‖marker − tag(q_f, p)‖² / marker_sd² + the squares of what p (lengths, tags) departs from the figure
    given over their variances: parameters that the markers do not determine stay unchanged, which `determined` reports.

    Parameters
    ----------
    markers, static : recordings of a moving and of a standing subject, or points (samples, tags, 3) [m] in the order
        of the tags, nan where not seen; one of them, or both. A standing trial also gives the first estimate, which
        takes its posture for the neutral one.
    correspondence : which marker is which tag, as in `match_names`.
    q0 : posture to begin with, (nq,) or one for each sample of `markers`; None: found from the markers.
    frames : how many samples of `markers` are used, chosen to differ most from one another.
    lengths : True, False, or names of those to fit: L1 … L31 of a Human36, segments of other figures.
    tags : whether tags may shift.
    symmetric : left and right lengths change by the same factor.
    method : "joint", or "alternating" between postures and parameters.
    priors : standard deviations of lengths, tags, markers and postures, and which tags may not shift.
    estimator : weights of tags, and how markers far from their tags count.
    """
    check(figure, markers, static, frames, method)
    priors, estimator = priors or Priors(), estimator or Estimator()
    points, times, start, still = gather(figure, markers, static, correspondence, q0, int(frames))
    base, turns = FloatingBase.of(figure), np.zeros(len(points))
    if base is not None:  # each sample seen from its front: what is found does not depend on the room
        turns = np.array([heading_apart(figure, figure.neutral(), sample) for sample in points])
        points = points @ about_vertical(figure, turns)
        start = None if start is None else base.turned_given(start, -turns)
    seen: Array = np.asarray(np.isfinite(points[..., 0]))
    model = make_parameters(
        figure, priors, lengths=lengths, tags=tags, seen=np.asarray(seen.any(axis=0)), symmetric=symmetric
    )
    w = np.where(seen, tag_weights(figure, estimator.weights), 0.0)
    loss, marker_sd = Loss(estimator.robust, estimator.robust_scale), priors.marker_sd or 0.01
    q, before = _fitted(figure, points, start, w * _tag_weights(figure, priors.tag_sd, marker_sd), loss)
    known = np.where(seen[..., None], points, 0.0)
    problem = CalibrationProblem(model, known, w, marker_sd, loss, *_assumed(figure, q, priors))
    first = _first_guess(model, priors, static, correspondence)
    limit, estimate = int(estimator.max_iterations), priors.marker_sd is None
    found = _solved(problem, q, first, method, limit, estimate, progress)
    result = _result(found[0], found[1], before, seen, times, still)
    base = FloatingBase.of(result.figure)
    return result if base is None else replace(result, q=base.turned_given(result.q, turns))


# ---------------------------------------------------------------- fitting
def _fitted(figure: Figure, points: Array, start: Array | None, w: Array, loss: Loss) -> tuple[Array, Array]:
    """Return postures of the figure as given, and distances of its tags from the markers (samples, tags) [m]."""
    q = start_postures(figure, points) if start is None else start
    first = q
    q = fit_postures(figure, points, q, weights=w, hold=_HOLD)
    for _ in range(3 if loss.kind else 0):  # reweighted least squares
        again = w * loss.weight(np.nan_to_num(_distances(figure, points, q)) ** 2)
        q = fit_postures(figure, points, q, weights=again, hold=_HOLD / 10, max_iterations=20)
    q = fit_postures(figure, points, q, weights=w, hold=_KEEP, toward=first)
    q = retry_postures(figure, points, q, w, hold=_KEEP, toward=first)
    return q, _distances(figure, points, q)


def _assumed(figure: Figure, q: Array, priors: Priors) -> tuple[Array, Array]:
    """Return postures about which coordinates are assumed to lie, and the spread of each plain coordinate."""
    at_q, at_v = posture_places(figure)
    names = [figure.coordinates[k] for k in at_v]
    center, spreads = q.copy(), np.full(len(at_q), float(priors.posture_sd))
    for name, value in (priors.neutral_sd or {}).items():
        check_spread(f"neutral_sd of {name!r}", value)
        if name not in names:
            raise InputError("no such coordinate", where="neutral_sd", got=name, allowed=", ".join(names[:40]))
        place = at_q[names.index(name)]
        center[:, place] = figure.neutral()[place]
        spreads[at_q == place] = value
    return center, spreads


def _tag_weights(figure: Figure, tag_sd: float | Mapping[str, float], marker_sd: float) -> Array:
    """Return the weight of each tag before anything is calibrated: less where its place is hardly known, (tags,)."""
    own = [tag_sd.get(tag.name, TAG_SD) if isinstance(tag_sd, Mapping) else TAG_SD for tag in figure.tags]
    return np.asarray((TAG_SD**2 + marker_sd**2) / (np.square(own) + marker_sd**2))


def _distances(figure: Figure, points: Array, q: Array) -> Array:
    return np.asarray(np.linalg.norm(points - tags_of(figure, q), axis=-1))


def _first_guess(model: FigureParameters, priors: Priors, static: Any, correspondence: Correspondence) -> Array:
    """Return parameters to begin with: from the distances of a standing trial, or none."""
    p = np.zeros(model.count)
    if static is None or not model.groups:
        return p
    found = measured_lengths(model.figure, static, correspondence=correspondence, priors=priors, distance_sd=2 * TAG_SD)
    for k, group in enumerate(model.groups):
        p[k] = np.mean([found[name] for name in group]) - 1.0
    return p


def _solved(
    problem: CalibrationProblem, q: Array, p: Array, method: str, limit: int, estimate: bool, progress: Progress | None
) -> tuple[CalibrationProblem, Solution]:
    rounds, done = _FITS if estimate else 1, 0.0

    def report(part: float) -> None:
        nonlocal done
        done = max(done, min(1.0, (n + part) / rounds))  # what is begun again must not go back
        if progress is not None:
            progress(done)

    for n in range(rounds):
        found = _METHODS[method](problem, q, p, limit, report)
        for _ in range(_AGAIN):  # samples in a wrong minimum, seen only now that the others fit
            q = problem.retry(found.q, found.p)
            if q is found.q:
                break
            other = (q != found.q).any(axis=1)[:, None]
            problem, spent = replace(problem, posture=np.where(other, q, problem.posture)), found.iterations
            found = _METHODS[method](problem, q, found.p, limit, report)
            found = replace(found, iterations=spent + found.iterations)
        q, p = found.q, found.p
        if estimate and np.isfinite(found.variance) and n + 1 < rounds:
            sd = max(problem.marker_sd * found.variance**0.5, 1e-5)
            problem = replace(problem, marker_sd=sd)
    if progress is not None:
        progress(1.0)
    return problem, found


# ---------------------------------------------------------------- what is found
def _result(
    problem: CalibrationProblem, found: Solution, before: Array, seen: Array, times: Array, still: Array
) -> Calibration:
    model = problem.parameters
    figure = model.figure_at(found.p)
    after = np.where(seen, _distances(figure, problem.points, found.q), np.nan)
    own = np.sqrt(np.maximum(np.diag(found.covariance), 0.0))
    determined = np.clip(1.0 - (own / model.prior_std) ** 2, 0.0, 1.0)
    wide = max(1.0, found.variance**0.5) if np.isfinite(found.variance) else 1.0
    spread = np.minimum(wide * own, model.prior_std)
    base = _named_lengths(model, model.figure, np.zeros(model.count))
    n, names = len(model.groups), [name for group in model.groups for name in group]
    of = {name: k for k, group in enumerate(model.groups) for name in group}
    std: dict[str, Any] = {name: float(spread[of[name]] * base[name]) for name in names}
    known: dict[str, Any] = {name: float(determined[of[name]]) for name in names}
    offsets = model.shifts(found.p)
    for i, name in enumerate(offsets):
        at = slice(n + 3 * i, n + 3 * i + 3)
        std[name], known[name] = spread[at], determined[at]
    per_tag = {t.name: (_rms(before[:, k]), _rms(after[:, k])) for k, t in enumerate(figure.tags) if seen[:, k].any()}
    return Calibration(
        figure, found.q, times, still, _named_lengths(model, figure, found.p), offsets, std, known, _rms(before),
        _rms(after), per_tag, problem.marker_sd, found.variance, found.iterations, found.settled, base,
    )  # fmt: skip


def _rms(distances: Array) -> float:
    return float(np.sqrt(np.nanmean(distances**2)))


def _named_lengths(model: FigureParameters, figure: Figure, p: Array) -> dict[str, float]:
    of = {name: 1.0 + float(p[k]) for k, group in enumerate(model.groups) for name in group}
    if has_lengths(figure):
        return {name: float(figure.lengths[name]) for name in of}
    return of
