"""A session of one subject: its pooled cycles and strides, and what they tell."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from motiform.base.errors import InputError
from motiform.motion.postures.gait.cycle_statistics import (
    CurveDifference,
    MeanCurve,
    compare_cycles,
    mean_curve,
    measurement_error,
    multiple_correlation,
    range_asymmetry,
)
from motiform.motion.postures.gait.indices import PROFILE, movement_profile, profile_score
from motiform.motion.postures.gait.pool import CyclePool, PooledQuantity, TrialCycles
from motiform.motion.postures.gait.reference import GaitReference
from motiform.motion.postures.gait.series import GROUPS
from motiform.motion.postures.gait.spatial import StrideMeasures

__all__ = ["UNITS", "PooledGait", "PooledStride", "SessionIndices", "normalise_emg", "pool_strides"]

UNITS = {**GROUPS, "forces": "body weights", "emg": "% of the peak"}
"""Units of the groups of quantities of a session."""
_SIDES = ("l", "r")


class PooledStride(NamedTuple):
    """A row of the table of strides."""

    trial: str
    condition: str
    measures: StrideMeasures
    left_out: str
    """Why it does not count; empty where it does."""


class SessionIndices(NamedTuple):
    """Indices of one condition against the reference."""

    condition: str
    profile: Mapping[str, Mapping[str, float]]
    """Gait Variable Scores [°] by side and title."""
    score: Mapping[str, float]
    """Gait Profile Score [°] of "l", "r" and "both"; nan where a curve is missing."""
    deviation: Mapping[str, float]
    """Gait Deviation Index by side; empty where the reference does not tell it."""


@dataclass(frozen=True)
class PooledGait:
    """A session: what was measured, and what was made of it."""

    title: str
    subject: str
    header: Mapping[str, str]
    """More that the head of a report tells: date, diagnosis, …"""
    trials: tuple[Mapping[str, Any], ...]
    """What became of each file: trial, condition, role, status, rms [m], cycles, …"""
    pool: CyclePool
    strides: tuple[PooledStride, ...]
    convention: str = "isb"
    reference: GaitReference | None = None
    notes: tuple[str, ...] = ()
    """What was assumed and left out."""
    warnings: tuple[str, ...] = ()
    """What a reader must not overlook."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """By what cycles were left out, and signals filtered."""

    @property
    def conditions(self) -> tuple[str, ...]:
        """Conditions that have cycles."""
        return self.pool.conditions

    def mean(self, title: str, condition: str, side: str) -> MeanCurve:
        """Return mean and deviation of a quantity over the cycles that count."""
        return mean_curve(self.pool.curves(title, condition, side))

    def sets(self) -> Iterator[tuple[PooledQuantity, str, str, np.ndarray]]:
        """Yield quantity, condition, side and curves (cycles, 101) of all that has a cycle that counts."""
        for one in self.pool.quantities.values():
            for condition in self.conditions:
                for side in _SIDES:
                    curves = self.pool.curves(one.title, condition, side)
                    if len(curves):
                        yield one, condition, side, curves

    def consistency(self) -> list[dict[str, Any]]:
        """Return how alike the cycles of each quantity are: cmc [Kadaba89], sem (of one cycle) and sem_mean."""
        return [
            {"title": one.title, "unit": one.unit, "condition": condition, "side": side, "cycles": len(curves),
             "cmc": multiple_correlation(curves), "sem": (error := measurement_error(curves)),
             "sem_mean": error / np.sqrt(len(curves))}
            for one, condition, side, curves in self.sets()
        ]  # fmt: skip

    def sides_compared(self) -> list[dict[str, Any]]:
        """Return left less right of each quantity and condition, and the asymmetry of their ranges [%]."""
        return [
            {"title": one.title, "unit": one.unit, "condition": condition, **_row(compare_cycles(left, right)),
             "range_asymmetry": range_asymmetry(left, right)}
            for one, condition in self._each()
            if one.group != "emg"  # each side has its own electrodes
            and len(left := self.pool.curves(one.title, condition, "l"))
            and len(right := self.pool.curves(one.title, condition, "r"))
        ]  # fmt: skip

    def conditions_compared(self) -> list[dict[str, Any]]:
        """Return each later condition less the first, of each quantity and side."""
        if len(self.conditions) < 2:
            return []
        first, *others = self.conditions
        return [
            {"title": one.title, "unit": one.unit, "side": side, "condition": other, "less": first,
             **_row(compare_cycles(more, less))}
            for one in self.pool.quantities.values() for other in others for side in _SIDES
            if len(more := self.pool.curves(one.title, other, side))
            and len(less := self.pool.curves(one.title, first, side))
        ]  # fmt: skip

    def _each(self) -> Iterator[tuple[PooledQuantity, str]]:
        for one in self.pool.quantities.values():
            for condition in self.conditions:
                yield one, condition

    def strides_of(self, condition: str) -> list[StrideMeasures]:
        """Return the strides of a condition that count."""
        return [one.measures for one in self.strides if one.condition == condition and not one.left_out]

    def indices(self) -> list[SessionIndices]:
        """Return Movement Analysis Profile, Gait Profile Score and Gait Deviation Index of each condition.

        None without a reference that has the means of the nine curves' quantities.
        """
        against = {} if self.reference is None else self.reference.profile_means()
        if self.reference is None or not against:
            return []
        found = []
        for condition in self.conditions:
            own = {side: self._profile_means(condition, side) for side in _SIDES}
            profile = {side: movement_profile(own[side], against) for side in _SIDES}
            score = {side: profile_score(profile[side], None) for side in _SIDES}
            score["both"] = profile_score(profile["l"], profile["r"])
            found.append(SessionIndices(condition, profile, score, self._deviations(own)))
        return found

    def _profile_means(self, condition: str, side: str) -> dict[str, np.ndarray]:
        titles = [title for title in PROFILE if title in self.pool.quantities]
        means = {title: self.mean(title, condition, side) for title in titles}
        return {title: one.mean for title, one in means.items() if one.cycles}

    def _deviations(self, own: Mapping[str, Mapping[str, np.ndarray]]) -> dict[str, float]:
        assert self.reference is not None
        if self.no_deviation_index():
            return {}
        index = self.reference.deviation_index()
        return {side: index.of(own[side]) for side in _SIDES}

    def no_deviation_index(self) -> str:
        """Return why the reference tells no Gait Deviation Index; empty where it does."""
        if self.reference is None:
            return "there is no reference"
        try:
            self.reference.deviation_index()
        except InputError as error:
            return str(error)
        return ""


def _row(found: CurveDifference) -> dict[str, float]:
    return {"mean": found.mean, "low": found.low, "high": found.high, "rms": found.rms, "largest": found.largest,
            "percent": found.percent}  # fmt: skip


def pool_strides(trials: Iterable[TrialCycles], pool: CyclePool) -> tuple[PooledStride, ...]:
    """Return the strides of trials; one of a cycle that is left out does not count either."""
    left = {(one.trial, one.side, one.start): one.left_out for one in pool.cycles}
    return tuple(
        PooledStride(one.trial, one.condition, row, one.doubt or left.get((one.trial, row.side, row.start), ""))
        for one in trials
        for row in one.strides
    )


def normalise_emg(pool: CyclePool) -> CyclePool:
    """Return the pool with envelopes as parts of the largest of their means over all conditions [%], side by side."""
    found = dict(pool.quantities)
    for one in pool.group("emg"):
        values = one.values.copy()
        for side in _SIDES:
            means = [mean_curve(pool.curves(one.title, condition, side)).mean for condition in pool.conditions]
            known = np.concatenate([mean[np.isfinite(mean)] for mean in means] or [np.zeros(0)])
            rows = [k for k, cycle in enumerate(pool.cycles) if cycle.side == side]
            values[rows] *= 100.0 / known.max() if len(known) and known.max() > 0 else np.nan
        found[one.title] = one._replace(values=values)
    return CyclePool(pool.cycles, found, pool.conditions)
