"""Gait parameters from events: steps, strides, cadence, speed."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from motiform.base.libraries import load_library
from motiform.motion.postures.gait.events import OFF, STRIKE, Walker
from motiform.motion.tree.model.joint import Array
from motiform.record.channel import Event

if TYPE_CHECKING:
    import pandas

__all__ = ["GaitTable", "Stride", "gait_table"]

_STRIDE = 0.3  # [m] shorter ways of a heel tell no direction
_NEXT = 1.5  # s, in which the other foot's strike follows: later ones have unobserved steps between


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
    flight: float = float("nan")
    """[s] From the foot's off to the next strike of the other foot; below zero: double support."""
    step_width: float = float("nan")
    """[m] From the other heel at its strike across to the line through this heel's two; below zero: feet cross."""


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
        pandas = load_library("pandas")
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
    later = min(
        (x for s in walker.heels if s != side for x in times[s][STRIKE] if start < x < start + _NEXT), default=nan
    )
    stride = end - start
    step_length = place(walker.heels[side], start) - place(walker.heels[other], start) if others else nan
    return Stride(
        side, start, stride, place(walker.heels[side], end) - place(walker.heels[side], start), start - before,
        step_length, offs[0] - start if offs else nan,
        (place(walker.pelvis, end) - place(walker.pelvis, start)) / stride, 120.0 / stride,
        later - offs[0] if offs else nan, _step_width(walker, times, side, start, end),
    )  # fmt: skip


def _step_width(
    walker: Walker, times: Mapping[str, Mapping[str, list[float]]], side: str, start: float, end: float
) -> float:
    between = [(x, s) for s in walker.heels if s != side for x in times[s][STRIKE] if start < x < end]
    if not between:
        return float("nan")
    time, other = between[0]

    def place(own: str, at: float) -> Array:
        return np.array([np.interp(at, walker.times, column) for column in walker.heels[own].T])

    first, last, across = place(side, start), place(side, end), place(other, time)
    way = last - first
    way -= (way @ walker.up) * walker.up
    length = float(np.linalg.norm(way))
    ahead = way / length if length > _STRIDE else walker.forward  # on a treadmill the heel strikes where it did before
    right = np.cross(ahead, walker.up)
    return float((first - across) @ right) * (1.0 if side == "r" else -1.0)
