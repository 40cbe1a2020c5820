"""Gait of a trial for its report: curves over the cycle, both sides, and a table with symmetry."""

import io
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import MotiformError
from motiform.image import style
from motiform.image.report.plots import blank, png_of, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from motiform.motion.postures.gait.cycles import GaitCurves, GaitQuantity
    from motiform.motion.postures.gait.normative import Normative
    from motiform.motion.postures.gait.series import GaitSeries, SideSeries
    from motiform.motion.tree import Figure
    from motiform.record import Recording

__all__ = [
    "SIDES",
    "curve_pages",
    "cycles_csv",
    "find_walker",
    "marks_in",
    "series_pages",
    "spatio_temporal",
    "turned_by",
]

SIDES = {word[0]: (word, color) for word, color in style.SIDES.items()}
"""Word and colour of each side."""
_COLUMNS = 3
_GROUPS = {
    "angles": "Joint angles [°]",
    "moments": "{} moments [N·m/kg]",
    "powers": "Joint powers [W/kg]",
}
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
def curve_pages(curves: "GaitCurves", normative: "Normative | None" = None) -> list[tuple[str, bytes]]:
    """Return title and picture of each group of quantities, left and right overlaid; none for a group of nothing."""
    found = []
    for group, title in _GROUPS.items():
        own = [one for one in curves.quantities if one.group == group and _shown(one)]
        if own:
            drawn = [partial(_draw, one=one, curves=curves, band=None if normative is None else normative.of(one))
                     for one in own]  # fmt: skip
            found.append((title.format(_seen_by(curves.convention)), _page(drawn)))
    return found


def series_pages(found: "GaitSeries") -> list[tuple[str, bytes]]:
    """Return title and picture of each group of quantities over time, left and right overlaid."""
    pages = []
    for group, title in _GROUPS.items():
        own: dict[str, list[SideSeries]] = {}
        for one in found.series:
            if one.group == group and np.isfinite(one.values).any() and np.nanmax(np.abs(one.values)) > 1e-9:
                own.setdefault(one.title, []).append(one)
        if own:
            drawn = [partial(_draw_series, times=found.times, both=both) for both in own.values()]
            pages.append((title.format(_seen_by(found.convention)), _page(drawn)))
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


def _page(drawn: "Sequence[Callable[[Axes], None]]") -> bytes:
    rows = -(-len(drawn) // _COLUMNS)
    tall = 1.75 * rows + 0.6
    page = blank(tall)
    page.subplots_adjust(0.06, 0.45 / tall, 0.99, 1 - 0.5 / tall, wspace=0.22, hspace=0.46)
    grid = page.subplots(rows, _COLUMNS, squeeze=False).ravel()
    legend: dict[str, Any] = {}
    for axes, draw in zip(grid, drawn, strict=False):
        draw(axes)
        legend |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    for axes in grid[len(drawn) :]:
        axes.set_axis_off()
    page.legend(legend.values(), legend.keys(), fontsize=7, frameon=False, loc="upper right", ncol=3)
    return png_of(page)


def _draw(axes: "Axes", one: "GaitQuantity", curves: "GaitCurves", band: Any) -> None:
    percent = np.linspace(0, 100, 101)
    if band is not None:
        axes.fill_between(percent, *band, color="#b9bec4", alpha=0.55, linewidth=0, label="normative", zorder=0)
    for side, (word, color) in SIDES.items():
        values = one.values.get(side)
        if values is None or not np.isfinite(values).any():
            continue
        for curve in values:
            axes.plot(percent, curve, color=color, linewidth=0.4, alpha=0.45)
        with np.errstate(invalid="ignore"):
            seen = np.isfinite(values).sum(0)
            mean = np.where(seen > 0, np.nansum(values, axis=0) / np.maximum(seen, 1), np.nan)
            sd = np.sqrt(np.nansum((values - mean) ** 2, axis=0) / np.maximum(seen - 1, 1))
        sd[seen < 2] = np.nan
        if len(values) > 1:
            axes.fill_between(percent, mean - sd, mean + sd, color=color, alpha=0.18, linewidth=0)
        count = int(np.isfinite(values).any(1).sum())
        axes.plot(percent, mean, color=color, linewidth=1.5, label=f"{word}, {count} cycle{'s' * (count != 1)}")
        offs = [cycle.off_percent for cycle in curves.of(side)]
        if np.isfinite(offs).any():
            axes.axvline(float(np.nanmean(offs)), color=color, linewidth=0.8, linestyle="--")
        _draw_marks(axes, percent, one.marks.get(side, {}), color, 0.03 if side == "l" else 0.09)
    axes.axhline(0.0, color="#888", linewidth=0.5)
    axes.set_xlim(0, 100)
    axes.set_title(one.title, fontsize=8, pad=2, parse_math=False)
    axes.set_xlabel("cycle [%]", fontsize=7, labelpad=1)
    quiet(axes)


def _draw_series(axes: "Axes", times: np.ndarray, both: "list[SideSeries]") -> None:
    for one in both:
        word, color = SIDES[one.side]
        axes.plot(times, one.values, color=color, linewidth=1.1, label=word)
        some = np.unique(np.linspace(0, len(times) - 1, min(len(times), 101)).round().astype(int))
        marks = {kind: mask[None, some] for kind, mask in one.marks.items()}
        _draw_marks(axes, times[some], marks, color, 0.03 if one.side == "l" else 0.09)
    axes.axhline(0.0, color="#888", linewidth=0.5)
    axes.set_title(both[0].title, fontsize=8, pad=2, parse_math=False)
    axes.set_xlabel("time [s]", fontsize=7, labelpad=1)
    quiet(axes)


def _draw_marks(axes: "Axes", places: np.ndarray, marks: Any, color: str, level: float) -> None:
    """Put a sign at the foot of a plot at every second place in which something is doubtful in a cycle."""
    for kind, mask in marks.items():
        at = places[mask.any(0)][::2]
        axes.plot(at, np.full(len(at), level), _SIGNS[kind], color=color, ms=2.6, transform=axes.get_xaxis_transform(),
                  clip_on=False, linestyle="none")  # fmt: skip


# ---------------------------------------------------------------- table
def spatio_temporal(table: Any) -> tuple[list[str], list[list[str]]]:
    """Return heads and rows of means and standard deviations of both sides, with the symmetry 2 (L − R)/(L + R)."""
    units = {
        "stride_time": ("stride time [s]", 3), "stride_length": ("stride length [m]", 3),
        "step_time": ("step time [s]", 3), "step_length": ("step length [m]", 3), "stance": ("stance [s]", 3),
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
        symmetry = 200.0 * (means[0] - means[1]) / (means[0] + means[1]) if np.isfinite(means).all() else np.nan
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
