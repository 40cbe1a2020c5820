"""Gait events, from force plates and from feet, and what follows from them: steps, strides, cadence, speed."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.measure.gaps import runs
from motiform.motion.reconstruct.efforts.motion import as_times, even_rate, smooth
from motiform.motion.reconstruct.efforts.plates import PlateAssignment
from motiform.motion.reconstruct.gait.feet import Feet, find_feet, foot_points, up_of
from motiform.motion.tree.algorithms.kinematics import poses
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.record.channel import Event
from motiform.spatial.checks import as_floats

if TYPE_CHECKING:
    import pandas

__all__ = ["GaitTable", "Stride", "Walker", "gait_events", "gait_table", "plate_events", "walker_of"]

STRIKE, OFF = "foot strike", "foot off"
METHODS = ("zeni", "velocity")
SHORTEST = 0.4
"""[s] Least time between two strikes of one foot: runners reach 0.55 s."""
_PROMINENT = 0.3  # of the range of a signal: lower peaks are no steps
_LOW = 0.35  # of the range of its height: how low a heel is when it strikes  [OConnor07]
_CUTOFF = 6.0  # Hz, before peaks are sought


class Walker(NamedTuple):
    """The points that tell gait events, over time, in world axes [m]."""

    times: Array
    """[s], (samples,)"""
    heels: dict[str, Array]
    """{"r": (samples, 3), "l": …}"""
    toes: dict[str, Array]
    pelvis: Array
    """(samples, 3): the sacrum, or the middle of the hips."""
    up: Array
    """(3,)"""

    @property
    def forward(self) -> Array:
        """Horizontal direction from the heels to the toes, (3,): that of walking, on a treadmill too."""
        ways = [self.toes[side] - self.heels[side] for side in self.heels]
        means = [way[np.isfinite(way).all(1)].mean(0) for way in ways if np.isfinite(way).all(1).any()]
        mean = np.mean(means, axis=0) if means else np.zeros(3)
        ahead = mean - (mean @ self.up) * self.up
        size = np.linalg.norm(ahead)
        if not size > 0:
            raise InputError("which way the feet point is not known", got=f"toes less heels {mean.tolist()} m")
        return ahead / size


def walker_of(figure: Figure, times: ArrayLike, q: ArrayLike, feet: Feet | None = None) -> Walker:
    """Return the walker of a motion q (samples, nq): the hindmost and foremost point of each sole, and the root."""
    t = as_times(times)
    qs = as_floats(q, where="q", finite=False)
    if qs.shape != (len(t), figure.nq):
        raise InputError("size of q", got=f"shape {qs.shape}", allowed=f"({len(t)}, {figure.nq})")
    seen = np.isfinite(qs).all(1)
    if not seen.any():
        raise InputError("no posture is known", where="q", got="nan only")
    R, p = poses(figure, qs[seen])
    heels, toes, pelvis = {}, {}, np.full((len(t), 3), np.nan)
    pelvis[seen] = p[:, 0]
    for foot in find_feet(figure, feet):
        points = np.full((len(t), len(foot.points), 3), np.nan)
        points[seen] = foot_points(foot, R, p)
        key = foot.side or foot.name
        heels[key], toes[key] = points[:, 0], points[:, -1]
    return Walker(t, heels, toes, pelvis, up_of(figure))


def plate_events(assignment: PlateAssignment) -> list[Event]:
    """Return "r foot strike", "l foot off" … of the contacts whose foot is known, in the order of time.

    Contacts that are not usable are left out: beside the edge of a plate it does not tell when the foot touches.
    """
    found = []
    for c in assignment.contacts:
        if c.foot >= 0 and c.usable:
            foot = assignment.feet[c.foot]
            for time, what in ((c.start, STRIKE), (c.end, OFF)):
                found.append(_event(time, foot.side or foot.name, what, "plate", plate=c.plate))
    return sorted(found, key=lambda event: event.time)


def gait_events(
    walker: Walker, assignment: PlateAssignment | None = None, *, method: str = "zeni", shortest: float = SHORTEST
) -> list[Event]:
    """Return foot strikes and offs in the order of time, named "r foot strike", "l foot off" ….

    From the feet: "zeni" takes the instants at which the heel is foremost and the toes hindmost from the pelvis
    [Zeni08]; "velocity" those at which the middle of the foot, when low, sinks fastest, and rises fastest [OConnor07].
    ``shortest`` [s] is the least time between two strikes of a foot. Times lie between samples, at the tip of the
    parabola through the three highest.

    Events of plates (``assignment``) are surer: they take the place of those of the feet within ``shortest`` / 2.
    ``event.detail`` tells side, kind and source.
    """
    if method not in METHODS:
        raise InputError("method", got=method, allowed=", ".join(METHODS))
    found = []
    for side in walker.heels:
        signals = _zeni(walker, side) if method == "zeni" else _velocity(walker, side)
        for what, signal in zip((STRIKE, OFF), signals, strict=True):
            found += [_event(time, side, what, method) for time in _peaks(walker.times, signal, shortest)]
    sure = plate_events(assignment) if assignment is not None else []
    found = [e for e in found if not any(e.name == s.name and abs(e.time - s.time) < shortest / 2 for s in sure)]
    return sorted(found + sure, key=lambda event: event.time)


def _event(time: float, side: str, what: str, source: str, **more: Any) -> Event:
    return Event(float(time), f"{side} {what}", {"side": side, "kind": what, "source": source, **more})


def _zeni(walker: Walker, side: str) -> tuple[Array, Array]:
    """Return signals that peak at strike and off: how far the heel is before the pelvis, the toes behind it."""
    ahead = walker.forward
    return (walker.heels[side] - walker.pelvis) @ ahead, (walker.pelvis - walker.toes[side]) @ ahead


def _velocity(walker: Walker, side: str) -> tuple[Array, Array]:
    """Return signals that peak at strike and off: how fast the foot sinks with its heel low, rises with it high."""
    height = ((walker.heels[side] + walker.toes[side]) / 2) @ walker.up
    rate = np.gradient(_smoothed(walker.times, height), walker.times)
    heel = walker.heels[side] @ walker.up
    seen = heel[np.isfinite(heel)] if np.isfinite(heel).any() else np.zeros(1)
    border = seen.min() + _LOW * np.ptp(seen)
    idle = np.where(np.isfinite(rate), 0.0, np.nan)
    return np.where(heel < border, -rate, idle), np.where(heel > border, rate, idle)


def _smoothed(times: Array, signal: Array) -> Array:
    """Return a signal low-passed between its gaps, where its times are even."""
    rate, out = even_rate(times), signal.copy()
    if rate is not None and rate > 2 * _CUTOFF:
        for first, last in runs(np.asarray(np.isfinite(signal))):
            out[first:last] = smooth(signal[first:last, None], rate, _CUTOFF)[:, 0]
    return out


def _peaks(times: Array, signal: Array, shortest: float) -> list[float]:
    """Return the times of the peaks of a signal, apart from one another, high, and not at the end of a gap."""
    from scipy.signal import find_peaks

    if not np.isfinite(signal).any() or len(times) < 3:
        return []
    smoothed = _smoothed(times, signal)
    least = _PROMINENT * (np.nanmax(smoothed) - np.nanmin(smoothed))
    if not least > 0:
        return []
    step = float(np.median(np.diff(times)))
    found = []
    for first, last in runs(np.asarray(np.isfinite(smoothed))):
        part = smoothed[first:last]
        tops, _ = find_peaks(part, distance=max(1, round(shortest / step)), prominence=least)
        found += [_tip(times[first:last], part, int(k)) for k in tops]
    return found


def _tip(times: Array, signal: Array, k: int) -> float:
    """Return the time of the tip of the parabola through three samples around k."""
    a, b, c = signal[k - 1 : k + 2]
    bend = a - 2 * b + c
    shift = 0.5 * (a - c) / bend if bend < 0 else 0.0
    return float(times[k] + shift * (times[k + 1] - times[k - 1]) / 2)


@dataclass(frozen=True)
class Stride:
    """From a strike of a foot to its next one; nan where an event is missing."""

    side: str
    start: float
    """[s] Time of the strike."""
    stride_time: float
    """[s]"""
    stride_length: float
    """[m] Of the heel, along the direction of walking."""
    step_time: float
    """[s] From the strike of the other foot before this one."""
    step_length: float
    """[m] From the other heel to this one at the strike."""
    stance: float
    """[s] From the strike to the foot's off."""
    speed: float
    """[m/s] Of the pelvis over the stride."""
    cadence: float
    """Steps a minute: two in a stride."""


@dataclass(frozen=True)
class GaitTable:
    """Strides in the order of time; ``str()`` is a table, the last line its means."""

    strides: tuple[Stride, ...]

    def mean(self, side: str | None = None) -> dict[str, float]:
        """Return the means over the strides, or over those of one side; nan where there is none."""
        rows = [asdict(s) for s in self.strides if side in (None, s.side)]
        names = [name for name in Stride.__dataclass_fields__ if name not in ("side", "start")]
        found = {name: np.array([row[name] for row in rows]) for name in names}
        return {
            name: float(values[np.isfinite(values)].mean()) if np.isfinite(values).any() else float("nan")
            for name, values in found.items()
        }

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a DataFrame with a row for each stride."""
        import pandas

        return pandas.DataFrame([asdict(s) for s in self.strides], columns=list(Stride.__dataclass_fields__))

    def __str__(self) -> str:
        names = list(Stride.__dataclass_fields__)
        rows = [names, *([s.side, *(f"{x:.3f}" for x in list(asdict(s).values())[1:])] for s in self.strides)]
        rows.append(["mean", "", *(f"{x:.3f}" for x in self.mean().values())])
        return "\n".join("  ".join(f"{x:>{len(name)}}" for x, name in zip(row, names, strict=True)) for row in rows)


def gait_table(walker: Walker, events: Iterable[Event]) -> GaitTable:
    """Return the strides that events of `gait_events` bound; lengths along the direction from heels to toes.

    The last strike of each foot is a row too, without a stride, when a step of the other foot leads to it.
    """
    times = _by_side(walker, events)
    rows = [_stride(walker, times, side, k) for side in walker.heels for k in range(len(times[side][STRIKE]))]
    kept = [row for row in rows if np.isfinite([row.stride_time, row.step_time]).any()]
    return GaitTable(tuple(sorted(kept, key=lambda row: row.start)))


def _by_side(walker: Walker, events: Iterable[Event]) -> Mapping[str, Mapping[str, list[float]]]:
    found: dict[str, dict[str, list[float]]] = {side: {STRIKE: [], OFF: []} for side in walker.heels}
    for event in sorted(events, key=lambda e: e.time):
        side, kind = event.detail.get("side"), event.detail.get("kind")
        if side in found and kind in (STRIKE, OFF):
            found[side][kind].append(event.time)
    return found


def _stride(walker: Walker, times: Mapping[str, Mapping[str, list[float]]], side: str, k: int) -> Stride:
    strikes, nan = times[side][STRIKE], float("nan")
    start = strikes[k]
    end = strikes[k + 1] if k + 1 < len(strikes) else nan
    earlier = strikes[k - 1] if k else -np.inf
    ahead = walker.forward

    def place(points: Array, time: float) -> float:
        """Return where a point is along the way [m], nan beside the samples and in gaps."""
        return float(np.interp(time, walker.times, points @ ahead, left=nan, right=nan)) if time == time else nan

    offs = [x for x in times[side][OFF] if start < x and not x >= end]
    others = [(x, s) for s in walker.heels if s != side for x in times[s][STRIKE] if earlier < x < start]
    before, other = max(others, default=(nan, side))
    stride = end - start
    step_length = place(walker.heels[side], start) - place(walker.heels[other], start) if others else nan
    return Stride(
        side, start, stride, place(walker.heels[side], end) - place(walker.heels[side], start), start - before,
        step_length, offs[0] - start if offs else nan,
        (place(walker.pelvis, end) - place(walker.pelvis, start)) / stride, 120.0 / stride,
    )  # fmt: skip
