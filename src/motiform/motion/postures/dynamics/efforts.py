"""Joint efforts of a motion: inverse dynamics with force plates, and the residual at the root."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.postures.derivatives import as_times
from motiform.motion.postures.dynamics.loads import THRESHOLD
from motiform.motion.postures.dynamics.plates import PlateAssignment, assign_plates
from motiform.motion.postures.feet import Feet, up_of
from motiform.motion.tree.algorithms.dynamics import inverse_dynamics
from motiform.motion.tree.algorithms.kinematics import centers_of_mass, forward_kinematics
from motiform.motion.tree.algorithms.matrices import joint_wrenches
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.record.recording import Recording
from motiform.spatial.checks import as_floats

__all__ = ["RESIDUAL_LIMITS", "Efforts", "efforts", "residual_at_root", "residual_report", "residuals_beyond"]

RESIDUAL_LIMITS = {"force": 0.05, "moment": 0.01}
"""Peaks of the residual beyond which efforts are not believed, relative to the weight, and to weight times height of
the centre of mass.  [Hicks15]"""
_BASES = {"force": "the weight", "moment": "the weight times the height of the centre of mass"}


class Efforts(NamedTuple):
    """Joint efforts of a motion, and the residual at the root."""

    effort: Array
    """Generalised forces of the joints [N·m or N], (samples, nv). At the root they are the residual."""
    residual: Array
    """Moment [N·m] about the root segment's origin and force [N], in world axes, (samples, 6): what would have to act
    on the root beside gravity and the plates."""
    moments: Array
    """Moment [N·m] that each joint transmits to its segment, about the segment's origin, in world axes, (samples,
    segments, 3): with those parts that no coordinate of the joint takes up."""
    external: Array
    """Wrenches of the plates on the segments, (samples, segments, 6): moment about the segment's origin, force, in
    world axes."""
    foot_of_plate: Array
    """Number of the foot that each plate carries, (samples, plates) int8; −1: none, −2: not usable."""
    powers: Array
    """Effort times velocity of each coordinate [W], (samples, nv)."""
    assignment: PlateAssignment | None
    """Which foot each plate carries, or None without plates."""
    report: dict[str, float]
    """Size of the residual, see `residual_report`."""


def efforts(
    figure: Figure,
    times: ArrayLike,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    plates: Recording | PlateAssignment | None = None,
    feet: Feet | None = None,
    *,
    threshold: float = THRESHOLD,
    cutoff: float | None = 6.0,
) -> Efforts:
    """Return the efforts of a motion, with the ground's forces from plates put on the feet.

    tau = M(q) a + h(q, v) − Σ Jᵀ f over the plates [Featherstone08 5.3]. q, v, a (samples, nq or nv) as `velocities`
    gives them; ``plates`` is a recording with the channels ``plate.force`` and ``plate.moment`` (about the world's
    origin) in the figure's axes, or what `assign_plates` made of it. ``feet``, ``threshold`` [N] and ``cutoff`` [Hz]
    are for `assign_plates`; the cutoff should be that of the motion.

    Without plates, and where somebody stands beside them, the residual holds what the ground does. Samples with nan
    give nan.
    """
    if figure.closures:
        raise InputError(
            "efforts of a figure with loops are not unique", where=f"figure {figure.name!r}",
            remedy="Use motiform.motion.tree.algorithms.effort.",
        )  # fmt: skip
    qs, vs, as_ = _motion(figure, q, v, a)
    t = as_times(times, len(qs))
    seen: Array = np.isfinite(np.concatenate([qs, vs, as_], axis=1)).all(axis=1)
    position = np.zeros((len(t), len(figure.segments), 3))
    if seen.any():
        position[seen] = forward_kinematics(figure, qs[seen]).position
    assignment, external = None, np.zeros((len(t), len(figure.segments), 6))
    if isinstance(plates, PlateAssignment):
        assignment = plates
    elif plates is not None:
        assignment = assign_plates(figure, t, qs, plates, feet, threshold=threshold, cutoff=cutoff)
    if assignment is not None:
        if len(assignment.foot) != len(t):
            raise InputError(
                "the assignment must have the samples of the motion",
                got=len(assignment.foot),
                allowed=f"{len(t)} samples",
            )
        external = assignment.external(figure, position)
    effort, residual = np.full((len(t), figure.nv), np.nan), np.full((len(t), 6), np.nan)
    moments = np.full((len(t), len(figure.segments), 3), np.nan)
    if seen.any():
        state = qs[seen], vs[seen], as_[seen], external[seen]
        effort[seen] = inverse_dynamics(figure, *state)
        wrenches = joint_wrenches(figure, *state)
        moments[seen] = wrenches[..., :3]
        residual[seen] = _at_root(figure, wrenches, position[seen])
    foot = np.full((len(t), 0), -1, np.int8) if assignment is None else assignment.foot
    known: Array = seen if assignment is None else seen & assignment.known
    report = residual_report(figure, qs, residual, known)
    return Efforts(effort, residual, moments, external, foot, effort * vs, assignment, report)


def _motion(figure: Figure, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> tuple[Array, Array, Array]:
    arrays = [as_floats(x, where=name, finite=False) for name, x in (("q", q), ("v", v), ("a", a))]
    count = arrays[0].shape[0] if arrays[0].ndim else 0
    for name, array, size in zip("qva", arrays, (figure.nq, figure.nv, figure.nv), strict=True):
        if array.shape != (count, size):
            raise InputError(
                f"{name} must have one row for each sample", got=f"shape {array.shape}", allowed=f"(samples, {size})"
            )
    return arrays[0], arrays[1], arrays[2]


def residual_at_root(figure: Figure, q: Array, v: Array, a: Array) -> Array:
    """Return the moment about the root's origin and the force that a motion needs there in all, (samples, 6)."""
    return _at_root(figure, joint_wrenches(figure, q, v, a), forward_kinematics(figure, q).position)


def _at_root(figure: Figure, wrenches: Array, position: Array) -> Array:
    """Return what the joints of all roots transmit, about the origin of the first root, (samples, 6)."""
    roots = figure.roots
    total = wrenches[:, roots[0]].copy()
    for n in roots[1:]:
        arm = position[:, n] - position[:, roots[0]]
        total[:, :3] += wrenches[:, n, :3] + np.cross(arm, wrenches[:, n, 3:])
        total[:, 3:] += wrenches[:, n, 3:]
    return total


def residual_report(figure: Figure, q: Array, residual: Array, known: Array | None = None) -> dict[str, float]:
    """Return root mean squares and peaks of the residual over the ``known`` samples (samples,), absolute and relative.

    Forces are relative to the body's weight; moments to the weight times the mean height of the centre of mass above
    the lowest point of the tags, or of the segments' origins where there are no tags. Rules of thumb for a good trial:
    peaks of 5 % and 1 % [Hicks15].
    """
    chosen = np.isfinite(residual).all(1) & (True if known is None else np.asarray(known, bool))
    names = ("force_rms", "force_peak", "moment_rms", "moment_peak")
    out = {"samples": float(chosen.sum())}
    if not chosen.any():
        return out
    force, moment = (np.linalg.norm(residual[chosen][:, part], axis=1) for part in (slice(3, 6), slice(0, 3)))
    sizes = [np.sqrt((force**2).mean()), force.max(), np.sqrt((moment**2).mean()), moment.max()]
    out |= {name: float(size) for name, size in zip(names, sizes, strict=True)}
    weight = figure.mass * float(np.linalg.norm(figure.gravity))
    if not weight > 0:
        return out
    height = _height(figure, q[chosen])
    units = (weight, weight, weight * height, weight * height)
    out |= {f"{name}_relative": out[name] / unit for name, unit in zip(names, units, strict=True) if unit > 0}
    return out | {"weight": weight, "height": height}


def residuals_beyond(report: Mapping[str, float] | None) -> list[str]:
    """Return in words which peaks of a `residual_report` are beyond `RESIDUAL_LIMITS`."""
    found = []
    for what, limit in RESIDUAL_LIMITS.items():
        peak = (report or {}).get(f"{what}_peak_relative")
        if peak is not None and peak > limit:
            found.append(
                f"the residual {what} at the root must be at most {100 * limit:g} % of {_BASES[what]}: its peak is "
                f"{100 * peak:.1f} %"
            )
    return found


def _height(figure: Figure, q: Array) -> float:
    """Return the mean height of the centre of mass above the lowest point of the figure [m]."""
    from motiform.motion.tree.algorithms.kinematics import tags

    up = up_of(figure)
    points = tags(figure, q) if figure.tags else forward_kinematics(figure, q).position
    return float((centers_of_mass(figure, q)[:, -1] @ up).mean() - (points @ up).min())
