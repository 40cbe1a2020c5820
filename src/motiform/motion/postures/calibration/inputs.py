"""Inputs of calibration: checked, sorted by tag, reduced to the samples used."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.measure.names import Correspondence
from motiform.motion.postures.calibration.samples import choose_samples, tag_points
from motiform.motion.postures.settings import check_count
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array

__all__ = ["METHODS", "check", "gather", "tag_weights"]

METHODS = ("joint", "alternating")
_STATIC_FRAMES = 5  # of a standing trial: more of the same posture tell no more but of its noise


def check(figure: Any, markers: Any, static: Any, frames: Any, method: Any) -> None:
    """Refuse what cannot be calibrated."""
    if not isinstance(figure, Figure):
        raise InputError("calibration needs a Figure", where="calibrate", got=type(figure).__name__, allowed="a Figure")
    if markers is None and static is None:
        raise InputError("calibration needs markers", where="calibrate", allowed="markers, static, or both")
    if figure.closures or not figure.packed.kernel_only:
        what = "closed loops" if figure.closures else "joints of its own kind"
        raise InputError(f"a figure with {what} cannot be calibrated", where=f"figure {figure.name!r}")
    check_count("frames", frames)
    if method not in METHODS:
        raise InputError("method must be a known one", where="calibrate", got=repr(method), allowed=", ".join(METHODS))


def tag_weights(figure: Figure, weights: Any) -> Array:
    """Return the weight of each tag."""
    if weights is None:
        return np.ones(len(figure.tags))
    if isinstance(weights, Mapping):
        unknown = [str(name) for name in weights if name not in figure.tag_names]
        if unknown:
            raise InputError("no such tag", where="weights", got=unknown[0], allowed=", ".join(figure.tag_names))
        weights = [weights.get(name, 1.0) for name in figure.tag_names]
    try:
        found = np.array(weights, float)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape != (len(figure.tags),) or not (np.isfinite(found) & (found >= 0)).all() or not found.any():
        allowed = f"{len(figure.tags)} numbers, zero or more, not all zero"
        raise InputError(
            "weights must be one number for each tag", where="calibrate", got=repr(weights)[:80], allowed=allowed
        )
    return found


def gather(
    figure: Figure, markers: Any, static: Any, correspondence: Correspondence, q0: Any, frames: int
) -> tuple[Array, Array, Array | None, Array]:
    """Return points, times, postures to begin with and which samples stand still, of the samples chosen."""
    points, times, still = [], [], []
    for given, count, where in ((static, min(frames, _STATIC_FRAMES), "static trial"), (markers, frames, "markers")):
        if given is None:
            continue
        found, when = tag_points(figure, given, correspondence, where)
        chosen = choose_samples(found, count)
        if not len(chosen):
            raise InputError("no sample has three markers", where=where, got=f"{len(found)} samples")
        points.append(found[chosen])
        times.append(when[chosen])
        still.append(np.full(len(chosen), given is static))
        samples = len(found)
    start = None if q0 is None else _starts(figure, q0, samples, chosen, sum(map(len, points)) - len(chosen))
    return np.concatenate(points), np.concatenate(times), start, np.concatenate(still)


def _starts(figure: Figure, q0: Any, samples: int, chosen: Array, before: int) -> Array:
    """Return a posture for each sample; those of a static trial before take the first."""
    try:
        q = np.array(q0, float)
    except (TypeError, ValueError):
        q = np.empty(0)
    if q.shape not in ((figure.nq,), (samples, figure.nq)) or not np.isfinite(q).all():
        allowed = f"finite numbers ({figure.nq},), or ({samples}, {figure.nq})"
        raise InputError(
            "q0 must be a configuration, or one for each sample", where="calibrate", got=f"shape {q.shape}",
            allowed=allowed,
        )  # fmt: skip
    own = q[chosen] if q.ndim == 2 else np.broadcast_to(q, (len(chosen), figure.nq))
    return np.concatenate([np.broadcast_to(own[0], (before, figure.nq)), own])
