"""Gait cycles: from a strike of a foot to its next, with angles, moments and powers over 0 to 100 % of each."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from motiform.motion.postures.gait.events import OFF, STRIKE, Walker
from motiform.motion.postures.gait.series import GROUPS, SideSeries, joint_series
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.record.channel import Event
from motiform.record.recording import Recording

__all__ = ["GaitCurves", "GaitCycle", "GaitQuantity", "cut_series", "cycle_curves", "gait_curves", "gait_cycles"]

POINTS = 101  # 0 to 100 %
_LONGEST = 3.0  # s: strikes farther apart have an unobserved step between


@dataclass(frozen=True)
class GaitCycle:
    """From a strike of a foot to its next one."""

    side: str
    """ "r" or "l"."""
    start: float
    """[s]"""
    end: float
    """[s]"""
    off: float = float("nan")
    """[s] When the foot leaves the ground; nan without an event."""

    @property
    def off_percent(self) -> float:
        """When the foot leaves the ground [% of the cycle]."""
        return 100.0 * (self.off - self.start) / (self.end - self.start)


def gait_cycles(events: Iterable[Event], *, longest: float = _LONGEST) -> list[GaitCycle]:
    """Return the cycles between strikes of `gait_events` of one foot, in the order of time.

    Strikes more than ``longest`` [s] apart, or without the foot's off and the other foot's strike between them where
    such events are known, are no cycle: something was not seen.
    """
    by: dict[tuple[str, str], list[float]] = {}
    for event in events:
        side, kind = (event.detail or {}).get("side"), (event.detail or {}).get("kind")
        if side and kind in (STRIKE, OFF):
            by.setdefault((side, kind), []).append(event.time)
    found = []
    sides = {side for side, _ in by}
    for side in sides:
        strikes = sorted(by.get((side, STRIKE), []))
        others = [t for other in sides - {side} for t in by.get((other, STRIKE), [])]
        for start, end in pairwise(strikes):
            offs = [t for t in by.get((side, OFF), []) if start < t < end]
            between = sum(start < t < end for t in others)
            if end - start <= longest and (not others or between == 1) and len(offs) <= 1:
                found.append(GaitCycle(side, start, end, offs[0] if offs else float("nan")))
    return sorted(found, key=lambda cycle: cycle.start)


def cycle_curves(times: ArrayLike, values: ArrayLike, cycles: Iterable[GaitCycle], points: int = POINTS) -> Array:
    """Return values (samples, …) over each cycle at evenly spaced parts of it, (cycles, points, …); nan in gaps."""
    t, y = np.asarray(times, float), np.asarray(values, float)
    flat = y.reshape(len(t), -1)
    out = []
    for cycle in cycles:
        at = np.linspace(cycle.start, cycle.end, points)
        rows = [np.interp(at, t, column, left=np.nan, right=np.nan) for column in flat.T]
        out.append(np.stack(rows, axis=-1).reshape(points, *y.shape[1:]))
    return np.stack(out) if out else np.zeros((0, points, *y.shape[1:]))


@dataclass(frozen=True)
class GaitQuantity:
    """One curve of a report."""

    group: str
    """ "angles", "moments" or "powers"."""
    title: str
    """Joint and direction: "knee flexion", "hip adduction moment", …"""
    unit: str
    """ "°", "N·m/kg", "W/kg"."""
    values: Mapping[str, Array] = field(default_factory=dict)
    """Over the cycles of each side, (cycles, points)."""
    marks: Mapping[str, Mapping[str, Array]] = field(default_factory=dict)
    """What is doubtful (`MARKS`), by side and kind, (cycles, points) bool."""


@dataclass(frozen=True)
class GaitCurves:
    """Quantities over gait cycles."""

    cycles: tuple[GaitCycle, ...]
    quantities: tuple[GaitQuantity, ...]
    undetermined: tuple[str, ...] = ()
    """Titles of angles that the markers never determine; they are left out."""
    convention: str = "isb"
    """Of the angles, one of `CONVENTIONS`."""

    def of(self, side: str) -> list[GaitCycle]:
        """Return the cycles of one side."""
        return [cycle for cycle in self.cycles if cycle.side == side]

    def rows(self) -> Iterable[dict[str, float | str]]:
        """Yield a row for each point of each cycle: side, cycle, percent, every quantity, and what is doubtful."""
        for side in ("l", "r"):
            for k, cycle in enumerate(self.of(side)):
                for n, percent in enumerate(np.linspace(0, 100, POINTS)):
                    row: dict[str, float | str] = {"side": side, "cycle": float(k + 1), "percent": float(percent)}
                    row["time [s]"] = cycle.start + (cycle.end - cycle.start) * float(percent) / 100
                    remarks: list[str] = []
                    for one in self.quantities:
                        if side in one.values:
                            row[f"{one.title} [{one.unit}]"] = float(one.values[side][k, n])
                            own = [kind for kind, mask in one.marks.get(side, {}).items() if mask[k, n]]
                            remarks += [f"{one.title.split()[0]} {kind}" for kind in own]
                    row["doubtful"] = "; ".join(dict.fromkeys(remarks))
                    yield row


def gait_curves(rec: Recording, figure: Figure, walker: Walker, convention: str | None = None) -> GaitCurves:
    """Return the quantities of `joint_series` over the cycles of a trial.

    ``rec`` is that of `motiform.reconstruct`; ``convention`` is that of its angles unless another is given.
    """
    used = rec.manifest.get("reconstruct", {}).get("angles", "isb")
    found = joint_series(rec, figure, walker, convention or used)
    cycles = tuple(gait_cycles(rec.events))
    return GaitCurves(cycles, cut_series(found.times, found.series, cycles), found.undetermined, found.convention)


def cut_series(
    times: ArrayLike, series: Iterable[SideSeries], cycles: Iterable[GaitCycle], units: Mapping[str, str] = GROUPS
) -> tuple[GaitQuantity, ...]:
    """Return series of both sides over the cycles of their side; ``units`` are those of their groups."""
    values: dict[tuple[str, str, str], dict[str, Array]] = {}
    marks: dict[tuple[str, str, str], dict[str, dict[str, Array]]] = {}
    whole = tuple(cycles)
    for one in series:
        own = [cycle for cycle in whole if cycle.side == one.side]
        if own:
            key = (one.group, one.title, units[one.group])
            values.setdefault(key, {})[one.side] = cycle_curves(times, one.values, own)
            cut = {kind: cycle_curves(times, mask, own) > 0 for kind, mask in one.marks.items()}
            marks.setdefault(key, {})[one.side] = {kind: mask for kind, mask in cut.items() if mask.any()}
    return tuple(GaitQuantity(*key, values=values[key], marks=marks[key]) for key in values)
