"""Plots of a study that suit its design: curves, heat maps, main effects, points over samples."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from motiform.image.report.chart import Chart, Curve, Heat, Panel, Signs
from motiform.image.style import COLORS

__all__ = ["StudyColumns", "study_charts"]

_RATIO = 50.0  # of the largest to the smallest value, from which an axis is logarithmic
_MEASURES, _LEVELS, _POINTS = 12, 9, 3000  # that are drawn at most
_CASE = "#9aa5b1"
_BINS = 8  # of a sampled parameter, whose means are drawn


@dataclass(frozen=True)
class StudyColumns:
    """Columns of the table: of the cases that are done, values of parameters and numbers of measures."""

    parameters: dict[str, list[Any]]
    measures: dict[str, np.ndarray]
    sampled: frozenset[str] = field(default_factory=frozenset)
    units: Mapping[str, str] = field(default_factory=dict)
    """Of parameters and measures, where they are known."""

    def title(self, name: str) -> str:
        """Return a parameter or a measure with its unit."""
        unit = self.units.get(name)
        return f"{name} [{unit}]" if unit else name

    def varying(self) -> list[str]:
        """Return the parameters that have several values."""
        return [name for name, values in self.parameters.items() if len({repr(value) for value in values}) > 1]

    def numbers(self, name: str) -> np.ndarray | None:
        """Return the values of a parameter, None where they are no numbers."""
        values = self.parameters[name]
        if not values or any(isinstance(value, bool) or not isinstance(value, int | float) for value in values):
            return None
        return np.asarray(values, float)


@dataclass(frozen=True)
class _Axis:
    """Values of a parameter or measure as they are drawn."""

    name: str
    log: bool

    def at(self, values: Any) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log10(values) if self.log else np.asarray(values, float)


def study_charts(columns: StudyColumns) -> list[Chart]:
    """Return the charts of a study, a panel for each measure."""
    varying = columns.varying()
    numeric = [name for name in varying if columns.numbers(name) is not None]
    named = [name for name in varying if name not in numeric]
    measures = [name for name, y in columns.measures.items() if np.isfinite(y).any()][:_MEASURES]
    if not varying or not measures:
        return []
    if len(numeric) == 2 and not named and not columns.sampled:
        panels = [_heat(columns, name, *numeric) for name in measures]
        return [_chart(panels, "heat map", columns=1, left=1.1, right=0.75)]
    if len(numeric) == 1 and len(named) <= 1:
        by = named[0] if named else None
        if by is None or len({repr(value) for value in columns.parameters[by]}) <= _LEVELS:
            return [_chart([_curves(columns, name, numeric[0], by) for name in measures], "curves")]
    if len(varying) == 1:
        return [_chart([_levels(columns, name, varying[0]) for name in measures], "values", left=0.62)]
    return [
        _chart([_effect(columns, name, path) for path in varying], "main effects", columns=min(3, len(varying)))
        for name in measures
    ]


def _chart(panels: list[Panel], words: str, *, columns: int = 2, left: float = 0.62, right: float = 0.12) -> Chart:
    columns = min(columns, len(panels))
    wide = {1: 6.6, 2: 9.2, 3: 9.2}[columns]
    alt = f"{words}: {', '.join(dict.fromkeys(panel.title for panel in panels))}"
    return Chart(panels, alt, columns=columns, tall=3.0 if columns < 3 else 2.3, wide=wide, left=left, right=right)


def _axis(name: str, values: np.ndarray) -> _Axis:
    """Return an axis, logarithmic where the values are above 0 and far apart, or each a factor from the next."""
    known = np.unique(values[np.isfinite(values)])
    if not len(known) or known[0] <= 0:
        return _Axis(name, log=False)
    ratios = known[1:] / known[:-1]
    return _Axis(name, bool(known[-1] >= _RATIO * known[0] or (len(ratios) > 1 and np.ptp(ratios) < 1e-6 * ratios[0])))


def _both(columns: StudyColumns, measure: str, path: str) -> tuple[_Axis, _Axis, np.ndarray, np.ndarray]:
    """Return the axes of a parameter and a measure, and their values."""
    x, y = columns.numbers(path), columns.measures[measure]
    assert x is not None
    across, up = _axis(path, x), _axis(measure, y)
    return across, up, across.at(x), up.at(y)


def _curves(columns: StudyColumns, measure: str, path: str, by: str | None) -> Panel:
    """Return a measure over a parameter, a curve for each value of another one."""
    across, up, x, y = _both(columns, measure, path)
    panel = Panel(xlabel=columns.title(path), title=columns.title(measure), xlog=across.log, ylog=up.log)
    groups = [""] * len(x) if by is None else [str(value) for value in columns.parameters[by]]
    for n, group in enumerate(dict.fromkeys(groups)):
        own = np.array([one == group for one in groups])
        order = np.argsort(x[own], kind="stable")
        color = COLORS[n % len(COLORS)]
        panel.add(Curve(x[own][order], y[own][order], color, width=1.2, label=group or None))
        panel.add(Signs(x[own][order][:_POINTS], y[own][order][:_POINTS], "o", color, size=3.4))
    return panel


def _heat(columns: StudyColumns, measure: str, across: str, up: str) -> Panel:
    """Return a measure over two parameters; where several cases meet, their mean."""
    x, y, z = columns.numbers(across), columns.numbers(up), columns.measures[measure]
    assert x is not None
    assert y is not None
    xs, ys = np.unique(x), np.unique(y)[::-1]
    sums, counts = np.zeros((len(ys), len(xs))), np.zeros((len(ys), len(xs)))
    places = len(ys) - 1 - np.searchsorted(ys[::-1], y), np.searchsorted(xs, x)
    known = np.isfinite(z)
    np.add.at(sums, (places[0][known], places[1][known]), z[known])
    np.add.at(counts, (places[0][known], places[1][known]), 1.0)
    values = np.divide(sums, counts, out=np.full_like(sums, math.nan), where=counts > 0)
    least, most = float(np.nanmin(values)), float(np.nanmax(values))
    most = most if most > least else least + (abs(least) or 1.0) * 1e-9
    heat = Heat(values, 0.0, float(len(xs)), most, [f"{v:.4g}" for v in ys], least, [f"{v:.4g}" for v in xs])
    return Panel(
        [heat], title=columns.title(measure), xlabel=columns.title(across), ylabel=columns.title(up),
        ylim=(len(ys) - 0.5, -0.5), xlim=(0.0, len(xs)),
    )  # fmt: skip


def _levels(columns: StudyColumns, measure: str, path: str) -> Panel:
    """Return a measure for each value of a parameter that is no number."""
    levels = list(dict.fromkeys(map(str, columns.parameters[path])))[:_LEVELS]
    y = columns.measures[measure]
    up = _axis(measure, y)
    panel = Panel(xlabel=columns.title(path), title=columns.title(measure), ylog=up.log, xnames=levels)
    means = list[float]()
    for n, level in enumerate(levels):
        own = up.at(y[[str(value) == level for value in columns.parameters[path]]])
        panel.add(Signs(np.full(len(own), float(n)), own, "o", _CASE, size=2.4))
        known = own[np.isfinite(own)]
        means.append(float(known.mean()) if len(known) else math.nan)
    panel.add(Signs(np.arange(float(len(levels))), means, "D", COLORS[0], size=5.0))
    panel.xlim = (-0.5, len(levels) - 0.5)
    return panel


def _effect(columns: StudyColumns, measure: str, path: str) -> Panel:
    """Return the main effect of a parameter: the mean of a measure over all other parameters, and every case."""
    x = columns.numbers(path)
    if x is None:
        return _levels(columns, measure, path)
    across, up, x, y = _both(columns, measure, path)
    panel = Panel(xlabel=columns.title(path), title=columns.title(measure), xlog=across.log, ylog=up.log)
    some = slice(None, None, -(-len(x) // _POINTS))
    panel.add(Signs(x[some], y[some], "o", _CASE, size=2.4))
    panel.add(Curve(*_means(x, y, binned=path in columns.sampled), COLORS[0], width=1.6))
    return panel


def _means(x: np.ndarray, y: np.ndarray, *, binned: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean of y at each x, or in bins with as many cases each."""
    known = np.isfinite(x) & np.isfinite(y)
    x, y = x[known], y[known]
    if not binned:
        at = np.unique(x)
        return at, np.array([y[x == one].mean() for one in at])
    parts: Sequence[np.ndarray] = np.array_split(np.argsort(x, kind="stable"), min(_BINS, max(1, len(x) // 4)))
    return np.array([x[part].mean() for part in parts]), np.array([y[part].mean() for part in parts])
