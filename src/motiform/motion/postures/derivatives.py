"""From configurations over time to velocities and accelerations: low-pass, splines, derivatives."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.base.splines import cubic_spline, spline_derivatives
from motiform.measure.filters import butterworth, filter_both_ways
from motiform.measure.gaps import runs
from motiform.motion.postures.floating_base import FloatingBase
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.spatial.checks import as_floats

__all__ = ["MotionSamples", "base_motion", "leave_motion", "smooth", "velocities"]

_DEGREE = 5  # of the splines
ORDER = 2  # of each of the two passes of the filter
_EVEN = 1e-3  # part of a step by which times may stray and still count as even
_FEWEST = 3  # samples that determine an acceleration


class MotionSamples(NamedTuple):
    """A motion: configurations, velocities and accelerations at the same times."""

    q: Array
    """Low-passed configurations, (samples, nq)."""
    v: Array
    """Velocities, (samples, nv): rad/s or m/s."""
    a: Array
    """Their rates, (samples, nv): rad/s² or m/s²."""


def velocities(figure: Figure, times: ArrayLike, q: ArrayLike, *, cutoff: float | None = 6.0) -> MotionSamples:
    """Return configurations low-passed at ``cutoff`` [Hz], and the velocities and accelerations of the result.

    q (samples, nq) at ``times`` [s]. The filter is Butterworth's of order 2, run forwards and backwards, with half
    power at the cutoff [Winter09 3.4]; None filters nothing. Derivatives are those of a quintic spline through the
    samples. Angles are unwrapped; of quaternions all four numbers are filtered alike and brought back to length one,
    which does not depend on the axes chosen. The velocity of a free joint is in its segment's axes.

    A root with three angles is taken by heading, list and tilt, and told in its own again: the result does not depend
    on where the axes of the room point (`FloatingBase`).

    Samples with nan are gaps: each stretch between them is treated by itself, and what lies in a gap is nan. So are
    velocities of stretches of fewer than three samples. Uneven times are filtered on an even grid.
    """
    base, moving = base_motion(figure, times, q, cutoff)
    return moving if base is None else leave_motion(base, moving, np.asarray(q, float))


def base_motion(
    figure: Figure, times: ArrayLike, q: ArrayLike, cutoff: float | None
) -> tuple[FloatingBase | None, MotionSamples]:
    """Return the base of a figure, and its motion in the coordinates of that; without one in those of the figure."""
    t, qs = _checked(figure, times, q)
    base = FloatingBase.of(figure)
    if base is None:
        return None, _velocities(figure, t, qs, cutoff)
    seen, inner = np.isfinite(qs).all(1), np.full_like(qs, np.nan)
    inner[seen] = base.enter(qs[seen])
    return base, _velocities(base.figure, t, inner, cutoff)


def leave_motion(base: FloatingBase, moving: MotionSamples, near: Array) -> MotionSamples:
    """Return a motion of the base's figure as one of the given figure, angles nearest to those given, (samples, nq)."""
    q, v, a = (np.full_like(x, np.nan) for x in moving)
    seen = np.isfinite(moving.q).all(1)
    q[seen] = base.leave(moving.q[seen], near[seen])
    moves = seen & np.isfinite(moving.a).all(1)
    v[moves], a[moves] = base.leave_rates(moving.q[moves], moving.v[moves], moving.a[moves], q[moves])
    return MotionSamples(q, v, a)


def _velocities(figure: Figure, t: Array, qs: Array, cutoff: float | None) -> MotionSamples:
    """Return the motion of checked configurations with the figure's own coordinates."""
    quaternions = _quaternions(figure)
    _check_cutoff(cutoff, t)
    found = MotionSamples(np.full_like(qs, np.nan), *(np.full((len(t), figure.nv), np.nan) for _ in range(2)))
    for first, last in runs(np.asarray(np.isfinite(qs).all(1))):
        part = slice(first, last)
        even = _continuous(figure, qs[part], quaternions)
        if last - first < _FEWEST:
            found.q[part] = _unit(even, quaternions)
            continue
        value, first_rate, second_rate = _derivatives(t[part], even, cutoff)
        found.q[part] = _unit(value, quaternions)
        found.v[part], found.a[part] = _in_joints(figure, value, first_rate, second_rate)
    return found


def smooth(values: Array, rate: float, cutoff: float | None, order: int = ORDER) -> Array:
    """Return columns (samples, n) without nan low-passed with zero phase: half power at ``cutoff`` [Hz].

    The line from the first to the last sample passes as it is, and the ends are continued by their point reflection
    over two periods of the cutoff, after which e⁻¹¹ of what the filter starts with is left.
    """
    if cutoff is None or len(values) < 2:
        return np.array(values, float)
    pad = min(len(values) - 1, math.ceil(2 * rate / cutoff))
    line = values[0] + np.linspace(0.0, 1.0, len(values))[:, None] * (values[-1] - values[0])
    return line + filter_both_ways(butterworth(cutoff, rate, order, 2), values - line, pad)


def even_rate(t: Array) -> float | None:
    """Return the samples per second [Hz] of even times, or None."""
    if len(t) < 2:
        return None
    step = (t[-1] - t[0]) / (len(t) - 1)
    strays = np.abs(t - (t[0] + step * np.arange(len(t)))).max()
    return float(1.0 / step) if strays <= _EVEN * step else None


def as_times(times: ArrayLike, count: int | None = None) -> Array:
    """Return times [s] that grow, (count,)."""
    t = as_floats(times, where="times")
    if t.ndim != 1 or len(t) == 0 or (count is not None and len(t) != count):
        allowed = "one for each sample" if count is None else f"({count},): one for each sample"
        raise InputError("times must be a row of numbers", got=f"shape {t.shape}", allowed=allowed)
    if (np.diff(t) <= 0).any():
        k = int(np.argmax(np.diff(t) <= 0))
        raise InputError("times must increase", got=f"{t[k]:g} s, then {t[k + 1]:g} s", where=f"sample {k + 1}")
    return t


def as_motion(figure: Figure, times: ArrayLike, q: ArrayLike) -> tuple[Array, Array]:
    """Return times [s] (samples,) and configurations (samples, nq), nan where they are not known."""
    t = as_times(times)
    qs = as_floats(q, where="q", finite=False)
    if qs.shape != (len(t), figure.nq):
        raise InputError(
            "q must have one row of nq numbers for each time",
            got=f"shape {qs.shape}",
            allowed=f"({len(t)}, {figure.nq})",
        )
    return t, qs


def _checked(figure: Figure, times: ArrayLike, q: ArrayLike) -> tuple[Array, Array]:
    qs = as_floats(q, where="q", finite=False)
    if qs.ndim != 2 or qs.shape[1] != figure.nq:
        raise InputError(
            "q must have nq numbers on its last axis", got=f"shape {qs.shape}", allowed=f"(samples, {figure.nq})"
        )
    return as_times(times, len(qs)), qs


def _check_cutoff(cutoff: float | None, t: Array) -> None:
    if cutoff is None or len(t) < 2:
        return
    highest = (len(t) - 1) / (t[-1] - t[0]) / 2
    if not (isinstance(cutoff, (int, float)) and 0 < cutoff < highest):
        raise InputError(
            "cutoff must be below half the rate",
            got=cutoff,
            allowed=f"0 to {highest:g} Hz, half of the samples per second; or None",
        )


def _quaternions(figure: Figure) -> list[Array]:
    """Return where in q the quaternions are."""
    return [figure.free_places(n)[0][k : k + 4] for n, s in enumerate(figure.segments) for k in s.joint.quaternions]


def _continuous(figure: Figure, q: Array, quaternions: list[Array]) -> Array:
    """Return q without jumps of a full turn or of a quaternion's sign."""
    out = q.copy()
    for n, segment in enumerate(figure.segments):
        joint = segment.joint
        if joint.turns:
            columns = figure.layout.q[n][list(joint.turns)]
            if figure.coupled is not None:  # a leading coordinate keeps its value: a full turn would move what follows
                leading = [int(figure.layout.places_q[c.leading][0]) for c in figure.couplings]
                columns = columns[np.isin(columns, figure.coupled.kept_q) & ~np.isin(columns, leading)]
                columns = np.searchsorted(figure.coupled.kept_q, columns)
            out[:, columns] = np.unwrap(out[:, columns], axis=0)
    for at in quaternions:
        same = np.where((out[1:, at] * out[:-1, at]).sum(-1) < 0, -1.0, 1.0)
        out[1:, at] *= np.cumprod(same)[:, None]
    return _unit(out, quaternions)


def _unit(q: Array, quaternions: list[Array]) -> Array:
    out = q.copy()
    for at in quaternions:
        size = np.linalg.norm(out[:, at], axis=-1, keepdims=True)
        if not (size > 0).all():
            raise InputError("a quaternion must have a length above 0", where=f"sample {int(np.argmin(size))}")
        out[:, at] /= size
    return out


def _derivatives(t: Array, q: Array, cutoff: float | None) -> tuple[Array, Array, Array]:
    """Return the low-passed values and their first two derivatives at the times t."""
    rate, grid, values = even_rate(t), t, q
    if cutoff is not None and rate is None:
        grid = np.linspace(t[0], t[-1], max(len(t), math.ceil((t[-1] - t[0]) / np.median(np.diff(t))) + 1))
        rate, values = (len(grid) - 1) / (t[-1] - t[0]), cubic_spline(t, q)(grid)
    if cutoff is not None:
        assert rate is not None
        values = smooth(values, rate, cutoff if cutoff < rate / 2 else None)
    if len(grid) > _DEGREE:
        value, first, second = spline_derivatives(grid, values, t, degree=_DEGREE, orders=2)
    else:
        from scipy.interpolate import make_interp_spline

        spline = make_interp_spline(grid, values, k=len(grid) - 1)
        value, first, second = (np.asarray(spline(t, nu)) for nu in range(3))
    return (values if grid is t else value), first, second


def _in_joints(figure: Figure, q: Array, dq: Array, ddq: Array) -> tuple[Array, Array]:
    """Return v and a from q and its derivatives; quaternions may have any length."""
    v, a = (np.empty((len(q), figure.nv)) for _ in range(2))
    for n, segment in enumerate(figure.segments):
        at_q, at_v = figure.free_places(n)
        try:
            v[:, at_v], a[:, at_v] = segment.joint.velocities(q[:, at_q], dq[:, at_q], ddq[:, at_q])
        except InputError as error:
            raise InputError(str(error), where=f"segment {segment.name!r}") from error
    return v, a
