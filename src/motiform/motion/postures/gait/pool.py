"""Cycles of many trials of a subject in one pool, by side and condition, and what is left out of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from motiform.motion.postures.gait.cycles import POINTS, GaitCycle, GaitQuantity
from motiform.motion.postures.gait.spatial import StrideMeasures
from motiform.motion.tree.model.joint import Array

__all__ = ["CyclePool", "PoolRules", "PooledCycle", "PooledQuantity", "TrialCycles", "pool_cycles"]

_SWING = ("foot",)  # has no heading where it points down
_JUDGED = ("hip flexion", "knee flexion", "ankle dorsiflexion")  # curves by which a cycle is an outlier
_DOUBTS = ("not fitted", "hidden", "uncertain")  # marks that are no measurement; the others are of a less sure one
_THROUGHOUT = 0.5  # part of all samples of a quantity that are uncertain, from which on all of it is
_LEAST = {"angles": 3.0, "moments": 0.1, "powers": 0.3}  # distances from the median that are no outlier's
_FEWEST = 5  # cycles that tell what is usual


@dataclass(frozen=True)
class PoolRules:
    """By what a cycle, or one curve of it, is left out."""

    outliers: float = 3.0
    """Ranges between quartiles beyond the upper one, from which on a distance from the median curve is an outlier's."""
    duration: float = 0.25
    """Part of the median duration by which that of a cycle may differ: first and last steps differ by more."""
    doubtful: float = 0.1
    """Part of a curve that may be doubtful, or unknown."""


@dataclass(frozen=True)
class TrialCycles:
    """What one trial gives to the pool."""

    trial: str
    condition: str
    cycles: tuple[GaitCycle, ...] = ()
    quantities: tuple[GaitQuantity, ...] = ()
    strides: tuple[StrideMeasures, ...] = ()
    undetermined: tuple[str, ...] = ()
    """Titles of quantities that its markers never determine."""
    doubt: str = ""
    """Why none of its cycles counts."""
    notes: tuple[str, ...] = ()


class PooledCycle(NamedTuple):
    """One cycle of the pool."""

    trial: str
    condition: str
    side: str
    number: int
    """Of its side in its trial, from 1."""
    start: float
    """[s]"""
    end: float
    off: float
    """[s] When the foot leaves the ground; nan where it is not known."""
    left_out: str
    """Why it does not count; empty where it does."""


class PooledQuantity(NamedTuple):
    """One quantity over all cycles of the pool."""

    group: str
    title: str
    unit: str
    values: Array
    """(cycles, points); nan of the cycles that have none."""
    left_out: tuple[str, ...]
    """Why the curve of a cycle does not count; empty where it does."""
    doubtful: tuple[str, ...]
    """What is doubtful in curves that count (`MARKS`)."""
    uncertain: bool = False
    """Whether its standard deviation is above 5° most of the time: it is told as it is."""


@dataclass(frozen=True)
class CyclePool:
    """Cycles and their curves, in one order."""

    cycles: tuple[PooledCycle, ...] = ()
    quantities: Mapping[str, PooledQuantity] = field(default_factory=dict)
    """By title."""
    conditions: tuple[str, ...] = ()

    def of(self, condition: str | None, side: str | None) -> list[int]:
        """Return the places of the cycles of a condition and a side that count; None: all."""
        return [
            k for k, one in enumerate(self.cycles)
            if not one.left_out and condition in (None, one.condition) and side in (None, one.side)
        ]  # fmt: skip

    def curves(self, title: str, condition: str | None, side: str | None) -> Array:
        """Return the curves of a quantity that count, (cycles, points)."""
        own = self.quantities[title]
        return np.asarray(own.values[[k for k in self.of(condition, side) if not own.left_out[k]]])

    def group(self, group: str) -> list[PooledQuantity]:
        """Return the quantities of a group that any cycle has."""
        return [one for one in self.quantities.values() if one.group == group and np.isfinite(one.values).any()]


def pool_cycles(
    trials: Sequence[TrialCycles], conditions: Iterable[str] | None = None, rules: PoolRules | None = None
) -> CyclePool:
    """Return the cycles of trials in one pool. Nothing is dropped: what does not count says why.

    A cycle is left out where its trial is doubtful, where its duration is not that of the others of its condition, and
    where it is an outlier: its distance from the median curve of its side and condition, the mean over the cycle
    [SangeuxPolak15], is beyond the upper quartile by so many ranges between the quartiles, and 3° at least. Samples
    that are not fitted, hidden or uncertain are blank; one curve is left out where more than a tenth of it is blank,
    and, of moments and powers, where it is an outlier itself. A quantity that is uncertain most of the time is kept.
    """
    rules = rules or PoolRules()
    known = tuple(dict.fromkeys([*(conditions or ()), *(one.condition for one in trials)]))
    cycles = [cycle for one in trials for cycle in _cycles(one)]
    cycles = _by_duration(cycles, rules)
    quantities = _gathered(trials, len(cycles), rules)
    cycles = _outliers(cycles, quantities, rules)
    found = {title: _curve_outliers(one, cycles, rules) for title, one in quantities.items()}
    used = tuple(one for one in known if any(cycle.condition == one for cycle in cycles))
    return CyclePool(tuple(cycles), found, used)


def _cycles(trial: TrialCycles) -> list[PooledCycle]:
    count = {"l": 0, "r": 0}
    found = []
    for side in count:  # the order of the curves of a trial
        for cycle in (one for one in trial.cycles if one.side == side):
            count[side] += 1
            found.append(
                PooledCycle(trial.trial, trial.condition, side, count[side], cycle.start, cycle.end, cycle.off,
                            trial.doubt)
            )  # fmt: skip
    return found


def _sets(cycles: Sequence[PooledCycle]) -> list[list[int]]:
    """Return the places of the cycles that count, for each condition and side."""
    found: dict[tuple[str, str], list[int]] = {}
    for k, one in enumerate(cycles):
        if not one.left_out:
            found.setdefault((one.condition, one.side), []).append(k)
    return list(found.values())


def _by_duration(cycles: Sequence[PooledCycle], rules: PoolRules) -> list[PooledCycle]:
    found = list(cycles)
    for condition in dict.fromkeys(one.condition for one in cycles):
        own = [k for k, one in enumerate(cycles) if one.condition == condition and not one.left_out]
        if len(own) < _FEWEST:
            continue
        usual = float(np.median([cycles[k].end - cycles[k].start for k in own]))
        for k in own:
            part = (cycles[k].end - cycles[k].start) / usual - 1.0
            if abs(part) > rules.duration:
                words = f"its duration is {100 * abs(part):.0f} % {'above' if part > 0 else 'below'} the median"
                found[k] = cycles[k]._replace(left_out=words)
    return found


def _gathered(trials: Sequence[TrialCycles], count: int, rules: PoolRules) -> dict[str, PooledQuantity]:
    """Return all quantities over all cycles, without those that are incomplete or doubtful."""
    titles = dict.fromkeys((q.group, q.title, q.unit) for one in trials for q in one.quantities)
    values = {title: np.full((count, POINTS), np.nan) for _, title, _ in titles}
    left = {title: ["not measured"] * count for title in values}
    doubtful = {title: [""] * count for title in values}
    uncertain = {title for _, title, _ in titles if _uncertain_part(trials, title) > _THROUGHOUT}
    first = 0
    for one in trials:
        for side in ("l", "r"):
            own = sum(cycle.side == side for cycle in one.cycles)
            for q in one.quantities:
                if side in q.values:
                    rows = slice(first, first + own)
                    kinds = [kind for kind in _DOUBTS if not (kind == "uncertain" and q.title in uncertain)]
                    masks = {kind: q.marks[side][kind] for kind in kinds if kind in q.marks.get(side, {})}
                    left[q.title][rows] = [
                        _flaw(q.title, q.values[side][k], {kind: mask[k] for kind, mask in masks.items()}, rules)
                        for k in range(own)
                    ]
                    hidden = np.any(list(masks.values()), axis=0) if masks else False
                    values[q.title][rows] = np.where(hidden, np.nan, q.values[side])
                    doubtful[q.title][rows] = [
                        ", ".join(kind for kind, mask in q.marks.get(side, {}).items() if mask[k].any())
                        for k in range(own)
                    ]
            first += own
    return {
        title: PooledQuantity(
            group, title, unit, values[title], tuple(left[title]), tuple(doubtful[title]), title in uncertain
        )
        for group, title, unit in titles
    }


def _uncertain_part(trials: Sequence[TrialCycles], title: str) -> float:
    """Return the part of the samples of a quantity, over all trials and sides, that are uncertain."""
    found = [
        float(own.marks.get(side, {}).get("uncertain", np.zeros(1)).mean())
        for one in trials for own in one.quantities if own.title == title for side in own.values
    ]  # fmt: skip
    return float(np.mean(found)) if found else 0.0


def _flaw(title: str, curve: Array, doubts: Mapping[str, Array], rules: PoolRules) -> str:
    missing = ~np.isfinite(curve)
    if missing.all():
        return "not measured"
    if missing.mean() > (0.5 if title.startswith(_SWING) else rules.doubtful):
        return "incomplete"
    for kind, mask in doubts.items():
        if mask.mean() > rules.doubtful:
            return f"doubtful: {kind}"
    return ""


def _distances(values: Array) -> Array:
    """Return how far curves are from their median curve, the mean over the cycle, (cycles,)  [SangeuxPolak15]."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.nanmean(np.abs(values - np.nanmedian(values, axis=0)), axis=1))


def _far(values: Array, least: float, rules: PoolRules) -> list[tuple[int, float]]:
    """Return which curves are outliers, and how far they are from the median curve."""
    known = np.isfinite(values).any(0)
    if len(values) < _FEWEST or not known.any():
        return []
    distances = _distances(values[:, known])
    low, high = np.percentile(distances, (25, 75))
    border = max(high + rules.outliers * (high - low), least)
    return [(int(k), float(distances[k])) for k in np.flatnonzero(distances > border)]


def _outliers(
    cycles: Sequence[PooledCycle], quantities: Mapping[str, PooledQuantity], rules: PoolRules
) -> list[PooledCycle]:
    found = list(cycles)
    for title in (one for one in _JUDGED if one in quantities):
        one = quantities[title]
        for rows in _sets(cycles):
            own = [k for k in rows if not one.left_out[k]]
            for place, distance in _far(one.values[own], _LEAST["angles"], rules):
                k = own[place]
                if not found[k].left_out:
                    found[k] = found[k]._replace(left_out=f"outlier: {title} {distance:.0f}° from the median curve")
    return found


def _curve_outliers(one: PooledQuantity, cycles: Sequence[PooledCycle], rules: PoolRules) -> PooledQuantity:
    if one.group not in ("moments", "powers"):
        return one
    left = list(one.left_out)
    for rows in _sets(cycles):
        own = [k for k in rows if not left[k]]
        for place, distance in _far(one.values[own], _LEAST[one.group], rules):
            left[own[place]] = f"outlier: {distance:.2g} {one.unit} from the median curve"
    return one._replace(left_out=tuple(left))
