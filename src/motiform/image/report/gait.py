"""Gait of a trial for its report: curves over the cycle, both sides, and a table with symmetry."""

import io
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import MotiformError
from motiform.image import style
from motiform.image.report.chart import Chart, Curve, CurveBand, Panel, Signs

if TYPE_CHECKING:
    from motiform.motion.postures.gait.cycles import GaitCurves, GaitQuantity
    from motiform.motion.postures.gait.normative import Normative
    from motiform.motion.postures.gait.series import GaitSeries, SideSeries
    from motiform.motion.tree import Figure
    from motiform.record import Recording

__all__ = [
    "SIDES", "curve_pages", "cycles_csv", "find_walker", "marks_in", "series_pages", "spatio_temporal", "turned_by",
]  # fmt: skip

SIDES = {word[0]: (word, color) for word, color in style.SIDES.items()}
"""Word and colour of each side."""
_COLUMNS = 3
_GROUPS = {"angles": "Joint angles [°]", "moments": "{} moments [N·m/kg]", "powers": "Joint powers [W/kg]"}
_SIGNS = {"not fitted": "x", "hidden": "s", "uncertain": "D", "limit": "^", "left out": "v"}  # of marks


def find_walker(rec: "Recording", figure: "Figure") -> Any:
    """Return the walker of a trial, or None where nothing walks."""
    from motiform.motion.postures import walker_of

    try:
        walker = walker_of(figure, rec.time("q"), rec["q"])
        walker.forward  # noqa: B018  # raises where feet have no direction
    except MotiformError:
        return None
    return walker


def turned_by(rec: "Recording", figure: "Figure") -> float:
    """Return by how much the feet turn in a trial [rad], of the samples whose markers tell where both are."""
    from motiform.motion.postures import find_feet, walker_of
    from motiform.motion.postures.gait.series import sample_where_defined

    defined = np.all([sample_where_defined(figure, foot.name, rec["unseen"]) for foot in find_feet(figure)], axis=0)
    defined &= np.asarray(rec["status"]) == 0
    try:
        return float(walker_of(figure, rec.time("q"), np.where(defined[:, None], rec["q"], np.nan)).turned)
    except MotiformError:  # never both
        return 0.0


# ---------------------------------------------------------------- curves
def curve_pages(curves: "GaitCurves", normative: "Normative | None" = None) -> list[tuple[str, Chart]]:
    """Return title and chart of each group of quantities, left and right overlaid; none for a group of nothing."""
    found = []
    for group, title in _GROUPS.items():
        own = [one for one in curves.quantities if one.group == group and _shown(one)]
        if own:
            words = title.format(_seen_by(curves.convention))
            panels = [_draw(one, curves, None if normative is None else normative.of(one)) for one in own]
            found.append((words, Chart(panels, words, columns=_COLUMNS, tall=1.75)))
    return found


def series_pages(found: "GaitSeries") -> list[tuple[str, Chart]]:
    """Return title and chart of each group of quantities over time, left and right overlaid."""
    pages = []
    for group, title in _GROUPS.items():
        own: dict[str, list[SideSeries]] = {}
        for one in found.series:
            if one.group == group and np.isfinite(one.values).any() and np.nanmax(np.abs(one.values)) > 1e-9:
                own.setdefault(one.title, []).append(one)
        if own:
            words = title.format(_seen_by(found.convention))
            panels = [_draw_series(found.times, both) for both in own.values()]
            pages.append((words, Chart(panels, words, columns=_COLUMNS, tall=1.75)))
    return pages


def _seen_by(convention: str) -> str:
    return "External" if convention == "plug-in-gait" else "Internal"


def marks_in(kinds: Iterable[str]) -> dict[str, str]:
    """Return the signs of these kinds of doubt, {kind: sign}."""
    words, seen = {"x": "×", "s": "■", "D": "◆", "^": "▲", "v": "▼"}, set(kinds)
    return {kind: words[sign] for kind, sign in _SIGNS.items() if kind in seen}


def _shown(one: "GaitQuantity") -> bool:
    """Tell whether a quantity has a curve that is not zero throughout."""
    values = [v for v in one.values.values() if v.size and np.isfinite(v).any()]
    return bool(values) and max(float(np.nanmax(np.abs(v))) for v in values) > 1e-9


def _draw(one: "GaitQuantity", curves: "GaitCurves", band: Any) -> Panel:
    percent = np.linspace(0, 100, 101)
    panel = Panel(title=one.title, xlabel="cycle [%]", xlim=(0.0, 100.0), zero=True)
    if band is not None:
        low, high = band
        panel.add(CurveBand(percent, low, high, "#b9bec4", 0.55, label="normative"))
    for side, (word, color) in SIDES.items():
        values = one.values.get(side)
        if values is None or not np.isfinite(values).any():
            continue
        panel.add(*(Curve(percent, curve, color, 0.4, 0.45) for curve in values))
        with np.errstate(invalid="ignore"):
            seen = np.isfinite(values).sum(0)
            mean = np.where(seen > 0, np.nansum(values, axis=0) / np.maximum(seen, 1), np.nan)
            sd = np.sqrt(np.nansum((values - mean) ** 2, axis=0) / np.maximum(seen - 1, 1))
        sd[seen < 2] = np.nan
        if len(values) > 1:
            panel.add(CurveBand(percent, mean - sd, mean + sd, color, 0.18))
        count = int(np.isfinite(values).any(1).sum())
        panel.add(Curve(percent, mean, color, 1.5, label=f"{word}, {count} cycle{'s' * (count != 1)}"))
        offs = [cycle.off_percent for cycle in curves.of(side)]
        if np.isfinite(offs).any():
            panel.uprights.append((float(np.nanmean(offs)), color))
        panel.add(*_marks(percent, one.marks.get(side, {}), color, 0.03 if side == "l" else 0.09))
    return panel


def _draw_series(times: np.ndarray, both: "list[SideSeries]") -> Panel:
    panel = Panel(title=both[0].title, xlabel="time [s]", zero=True)
    for one in both:
        word, color = SIDES[one.side]
        panel.add(Curve(times, one.values, color, 1.1, label=word))
        some = np.unique(np.linspace(0, len(times) - 1, min(len(times), 101)).round().astype(int))
        marks = {kind: mask[None, some] for kind, mask in one.marks.items()}
        panel.add(*_marks(times[some], marks, color, 0.03 if one.side == "l" else 0.09))
    return panel


def _marks(places: np.ndarray, marks: Any, color: str, level: float) -> Iterator[Signs]:
    """Give signs for the foot of a plot at every second place in which something is doubtful in a cycle."""
    for kind, mask in marks.items():
        yield Signs(places[mask.any(0)][::2], level, _SIGNS[kind], color, foot=True)


# ---------------------------------------------------------------- table
def spatio_temporal(table: Any) -> tuple[list[str], list[list[str]]]:
    """Return heads and rows of means and standard deviations of both sides, with the symmetry 2 (L − R)/(L + R)."""
    units = {
        "stride_time": ("stride time [s]", 3), "stride_length": ("stride length [m]", 3),
        "step_time": ("step time [s]", 3), "step_length": ("step length [m]", 3),
        "step_width": ("step width [m]", 3), "stance": ("stance [s]", 3),
        "part": ("stance [% of the stride]", 1), "support": ("double support before the other foot's strike [s]", 3),
        "flight": ("flight after the stance [s]", 3), "speed": ("speed [m/s]", 3),
        "cadence": ("cadence [steps/min]", 1),
    }  # fmt: skip
    rows = []
    for name, (words, digits) in units.items():
        cells, means = [], []
        for side in SIDES:
            values = np.array([_measure(s, name) for s in table.strides if s.side == side], float)
            values = values[np.isfinite(values)]
            means.append(float(values.mean()) if len(values) else np.nan)
            spread = f" ± {values.std(ddof=1):.{digits}f}" if len(values) > 1 else ""
            cells.append(f"{values.mean():.{digits}f}{spread} ({len(values)})" if len(values) else "–")
        if not np.isfinite(means).any() and name in ("support", "flight"):
            continue  # walking and running exclude each other
        symmetry = (
            200.0 * (means[0] - means[1]) / (means[0] + means[1])
            if np.isfinite(means).all() and means[0] + means[1]
            else np.nan
        )
        rows.append([words, *cells, f"{symmetry:+z.1f}" if np.isfinite(symmetry) else "–"])
    return ["", "left, mean ± sd (n)", "right, mean ± sd (n)", "asymmetry [%]"], rows


def _measure(stride: Any, name: str) -> float:
    """Return a measure of a stride; a flight below zero is double support."""
    if name == "part":
        return 100.0 * float(stride.stance) / float(stride.stride_time)
    if name in ("support", "flight"):
        time = float(stride.flight) * (1.0 if name == "flight" else -1.0)
        return time if time > 0 else float("nan")
    return float(getattr(stride, name))


def cycles_csv(curves: "GaitCurves") -> str:
    """Return every point of every cycle as CSV."""
    import csv

    rows = list(curves.rows())
    heads = list(dict.fromkeys(key for row in rows for key in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, heads, lineterminator="\n", restval="")
    writer.writeheader()
    for row in rows:
        writer.writerow({key: value if value == value else "" for key, value in row.items()})
    return out.getvalue()
