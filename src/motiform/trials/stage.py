"""Reconstruction of a motion from measured markers."""

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import MotiformError, MotiformWarning
from motiform.base.machine import machine
from motiform.base.progress import Progress
from motiform.form import looks_of, marker_looks
from motiform.measure.names import Correspondence
from motiform.measure.poses import holds_poses
from motiform.motion.postures.doubts import find_doubts
from motiform.motion.postures.dynamics.efforts import residuals_beyond
from motiform.motion.postures.fit_trial import FittedTrial, fit_markers, observe_fit
from motiform.motion.postures.gait.cycles import gait_cycles
from motiform.motion.postures.gait.events import walker_of
from motiform.motion.postures.gait.series import joint_series
from motiform.motion.postures.poses import pose_markers
from motiform.motion.postures.settings import Fit
from motiform.motion.tree import Figure
from motiform.record import Channel, Recording
from motiform.trials.poses import with_limits
from motiform.trials.recognise import recognise

__all__ = ["FAR", "DoubtfulWarning", "complete_fit", "describe_fit", "reconstruct"]

FAR = 0.02
"""[m, rms] Distance of markers from their tags that skin over bones stays below."""
_WALKED = ("hip.flexion", "knee.flexion", "ankle.dorsiflexion")  # plotted first where somebody walks


class DoubtfulWarning(MotiformWarning):
    """Postures were found that must not be trusted, or that lie far from their markers."""


def reconstruct(
    figure: Figure,
    markers: Recording,
    *,
    correspondence: Correspondence = None,
    q0: ArrayLike | None = None,
    weights: Mapping[str, float] | ArrayLike | None = None,
    limits: bool | None = None,
    smooth: float | None = None,
    fit: Fit | None = None,
    cutoff: float | None = 6.0,
    dynamics: Literal["auto"] | bool = "auto",
    reduce_residuals: bool = False,
    progress: Progress | None = None,
) -> Recording:
    """Return the postures of a figure that put its tags where the markers are, and what follows from them.

    Every sample is fitted by itself, from its neighbour's posture; angles are continuous over the trial. Coordinates
    that depend on hidden markers follow from the samples before and after; those that no marker determines are the
    prior's; both are reported (``unseen``, ``nullity``).

    Where a Human36 has no tag of a marker's name, and the names are of a marker set or say their sites, it gets markers
    there and is calibrated by the trial (``manifest["taken"]``). It is warned of markers that lie more than 20 mm from
    their tags (rms), of a pelvis that they do not determine, and of joints outside what a living one does.

    The recording has q, v, a, tags, markers, error, error.rms, error.weighted, std, unseen, nullity, status, poses of
    the segments and centres of mass; with plates effort, residual and power; clinical angles of figures with feet, with
    moments and powers (knee.flexion, knee.flexion_moment, …: left and right); gait, swaps, markers left out,
    coordinates at their limits and doubtful samples as events.

    Parameters
    ----------
    figure : with tags; one of `motiform.figures`, built, or read from an OpenSim model.
    markers : as `motiform.read_markers` gives them, or orientations and poses of segments as
        `motiform.measure.read_poses` does. Axes are turned where the file's up is not the figure's.
    correspondence, q0, weights, limits, smooth : as in `fit`, before which they go: which marker is which tag, the
        posture near that of the best seen sample, the weights of tags, whether joints stay within their limits, and
        the usual size of accelerations [rad/s², m/s²] for postures fitted over the whole trial at once.
    fit : all options of the fit.
    cutoff : of the filter before velocities and accelerations [Hz]; None: no filter.
    dynamics : whether efforts are computed; "auto": where there are force plates.
    reduce_residuals : whether the motion and the mass centre of the trunk are changed, within what markers allow, so
        that efforts and plates agree; ``manifest["reconstruct"]["residual_reduction"]`` tells by how much.

    >>> rec = reconstruct(figures.human36(height=1.8), read_markers("walk.c3d"))        # doctest: +SKIP

    """
    common: dict[str, Any] = {
        "correspondence": correspondence,
        "q0": q0,
        "weights": weights,
        "limits": limits,
        "smooth": smooth,
    }
    fit = replace(fit or Fit(), **{name: value for name, value in common.items() if value is not None})
    if holds_poses(markers):
        figure, markers, assumed = pose_markers(with_limits(figure), markers)
    else:
        figure, fit, assumed = recognise(figure, markers, fit)
    fitted = fit_markers(figure, markers, fit, progress)
    rec = describe_fit(fitted, figure, cutoff=cutoff, dynamics=dynamics, reduce_residuals=reduce_residuals)
    if assumed:
        rec.manifest["taken"] = {name: [value, why] for name, (why, value) in assumed.items()}
    for words in (*_far(rec), *(f"doubtful: {words}" for words in rec.manifest["reconstruct"]["doubts"])):
        warnings.warn(words, DoubtfulWarning, stacklevel=2)
    return rec


def describe_fit(
    fitted: FittedTrial, figure: Figure, *, cutoff: float | None = 6.0, dynamics: Literal["auto"] | bool = "auto",
    reduce_residuals: bool = False,
) -> Recording:  # fmt: skip
    """Return the recording of a fitted trial: of its figure, or of the same with other masses."""
    rec = observe_fit(fitted, figure, cutoff=cutoff, dynamics=dynamics, reduce_residuals=reduce_residuals)
    return complete_fit(rec, fitted, figure)


def complete_fit(rec: Recording, fitted: FittedTrial, figure: Figure) -> Recording:
    """Return what `observe_fit` gave with clinical angles, looks and plots, and what is doubtful in it."""
    doubts = find_doubts(figure, rec, fitted.fit.correspondence)
    rec.manifest["reconstruct"]["doubts"] = doubts
    beyond = residuals_beyond(rec.manifest["reconstruct"].get("residual"))
    rec.manifest["reconstruct"]["residual_beyond"] = beyond
    rec.manifest["reconstruct"]["notes"] += [f"efforts are uncertain: {words}" for words in beyond]
    rec.manifest["reconstruct"]["notes"] += [*_far(rec), *(f"doubtful: {words}" for words in doubts)]
    looks = looks_of(figure) | marker_looks(figure)
    channels = [rec.channel(name) for name in rec.names]
    arrays = {name: np.asarray(rec[name]) for name in rec.names}
    times = {name: rec.time(name) for name in rec.names if rec.channel(name).rate is None}
    joints = _joints(rec, figure, fitted.fit.angles)
    channels += [channel for channel, _ in joints.values()]
    arrays |= {name: values for name, (_, values) in joints.items()}
    times |= {name: rec.time("q") for name in joints if "q" in times}
    walks = [name for name in _WALKED if name in joints] if gait_cycles(rec.events) else []
    plots = walks or [name for name in ("error.rms", "center_of_mass", "effort") if name in rec]
    rec.manifest["reconstruct"]["angles"] = fitted.fit.angles
    return Recording.from_arrays(
        channels, arrays, times=times, events=rec.events, statics=looks.statics(),
        manifest={
            **rec.manifest, **machine(), **looks.manifest(),
            "image": {"plot": plots, "paths": False},
            "labels": rec.manifest["labels"] | ({"side": ["left", "right"]} if joints else {}),
        },
    )  # fmt: skip


def _far(rec: Recording) -> list[str]:
    """Return a note where markers lie farther from their tags than those on skin do."""
    rms = rec.manifest["reconstruct"]["rms"]
    words = (
        f"markers lie {1e3 * rms:.0f} mm from their tags (rms): above {1e3 * FAR:.0f} mm the marker set, the unit or"
    )
    return [f"{words} the subject's measures may be others"] if rms > FAR else []


def _joints(rec: Recording, figure: Figure, convention: str) -> dict[str, tuple[Channel, np.ndarray]]:
    """Return channels of the clinical angles, moments and powers of a figure with feet; none of another."""
    own = rec.channel("q")
    try:
        walker = walker_of(figure, rec.time("q"), rec["q"])
        found = joint_series(rec, figure, walker, convention)
    except MotiformError:  # no feet, or feet without a direction
        return {}
    return found.channels(**({} if own.rate is None else {"rate": own.rate, "start": own.start}))
