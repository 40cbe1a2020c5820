"""Gait of a trial for its report: curves over the cycle, both sides, forces of the ground, a table with symmetry."""

import io
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import MotiformError
from motiform.image.report.plots import _figure, _png, _quiet
from motiform.image.style import COLORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from motiform.motion.reconstruct.gait.cycles import Curves, Quantity
    from motiform.motion.tree import Figure
    from motiform.record import Recording

__all__ = ["curve_pages", "cycles_csv", "force_plots", "spatio_temporal", "walk_of"]

_SIDES = {"l": ("left", COLORS[1]), "r": ("right", COLORS[0])}
_COLUMNS = 3
_ARROWS = 60  # of a butterfly diagram
_GROUPS = {
    "angles": "Joint angles [°]",
    "moments": "Internal moments [N·m/kg]",
    "powers": "Joint powers [W/kg]",
}


def walk_of(rec: "Recording", figure: "Figure") -> Any:
    """Return the walker of a trial, or None where nothing walks."""
    from motiform.motion.reconstruct import walker_of

    try:
        walker = walker_of(figure, rec.time("q"), rec["q"])
        walker.forward  # noqa: B018  # raises where feet have no direction
    except MotiformError:
        return None
    return walker


# ---------------------------------------------------------------- curves
def curve_pages(curves: "Curves") -> list[tuple[str, bytes]]:
    """Return title and picture of each group of quantities, left and right overlaid; none for a group of nothing."""
    found = []
    for group, title in _GROUPS.items():
        own = [one for one in curves.quantities if one.group == group and _shown(one)]
        if own:
            found.append((title, _page(own, curves)))
    return found


def _shown(one: "Quantity") -> bool:
    """Tell whether a quantity has a curve that is not zero throughout."""
    values = [v for v in one.values.values() if v.size and np.isfinite(v).any()]
    return bool(values) and max(float(np.nanmax(np.abs(v))) for v in values) > 1e-9


def _page(quantities: "list[Quantity]", curves: "Curves") -> bytes:
    rows = -(-len(quantities) // _COLUMNS)
    tall = 1.9 * rows + 0.6
    page = _figure(10.5, tall)
    page.subplots_adjust(0.06, 0.45 / tall, 0.99, 1 - 0.5 / tall, wspace=0.2, hspace=0.42)
    grid = page.subplots(rows, _COLUMNS, squeeze=False).ravel()
    for axes, one in zip(grid, quantities, strict=False):
        _draw(axes, one, curves)
    for axes in grid[len(quantities) :]:
        axes.set_axis_off()
    handles, labels = grid[0].get_legend_handles_labels()
    page.legend(handles, labels, fontsize=7.5, frameon=False, loc="upper right", ncol=2)
    return _png(page)


def _draw(axes: "Axes", one: "Quantity", curves: "Curves") -> None:
    percent = np.linspace(0, 100, 101)
    for side, (word, color) in _SIDES.items():
        values = one.values.get(side)
        if values is None or not np.isfinite(values).any():
            continue
        for curve in values:
            axes.plot(percent, curve, color=color, linewidth=0.4, alpha=0.45)
        with np.errstate(invalid="ignore"):
            seen = np.isfinite(values).sum(0)
            mean = np.where(seen > 0, np.nansum(values, axis=0) / np.maximum(seen, 1), np.nan)
            sd = np.sqrt(np.nansum((values - mean) ** 2, axis=0) / np.maximum(seen - 1, 1))
        if len(values) > 1:
            axes.fill_between(percent, mean - sd, mean + sd, color=color, alpha=0.18, linewidth=0)
        axes.plot(
            percent, mean, color=color, linewidth=1.5, label=f"{word}, {len(values)} cycle{'s' * (len(values) != 1)}"
        )
        offs = [cycle.off_percent for cycle in curves.of(side)]
        if np.isfinite(offs).any():
            axes.axvline(float(np.nanmean(offs)), color=color, linewidth=0.8, linestyle="--")
        doubtful = curves.doubtful.get(side)
        if doubtful is not None and doubtful.any():
            level = 0.02 if side == "l" else 0.05
            axes.plot(percent[doubtful.any(0)], np.full(int(doubtful.any(0).sum()), level), "s", color=color, ms=2.5,
                      transform=axes.get_xaxis_transform(), clip_on=False)  # fmt: skip
    axes.axhline(0.0, color="#888", linewidth=0.5)
    axes.set_xlim(0, 100)
    axes.set_title(one.title, fontsize=8, pad=2)
    axes.set_xlabel("cycle [%]", fontsize=7, labelpad=1)
    _quiet(axes)


# ---------------------------------------------------------------- forces
def force_plots(
    rec: "Recording", figure: "Figure", markers: "Recording | None", walker: Any
) -> list[tuple[str, bytes]]:
    """Return forces of the ground on each foot over its stance, and the butterfly diagram, where plates carry feet."""
    if markers is None or "plate.force" not in markers or not figure.mass > 0:
        return []
    from motiform.motion.reconstruct import assign_plates, read_loads

    try:
        given = assign_plates(figure, rec.time("q"), rec["q"], markers, cutoff=None)
        loads = read_loads(markers, walker.up)
    except MotiformError:
        return []
    whole = [c for c in given.contacts if c.usable and c.foot >= 0 and c.begins and c.ends]
    contacts = [c for c in whole if given.feet[c.foot].side in _SIDES]
    if not contacts:
        return []
    ahead, up = walker.forward, walker.up
    axes_of = np.stack([up, ahead, np.cross(ahead, up)])
    weight = figure.mass * float(np.linalg.norm(figure.gravity))
    pieces = []
    for c in contacts:
        inside = (loads.times >= c.start) & (loads.times <= c.end)
        force = loads.wrench[inside, c.plate, 3:]
        moment = loads.wrench[inside, c.plate, :3]
        press = force @ up
        with np.errstate(invalid="ignore", divide="ignore"):
            place = np.cross(up, moment) / press[:, None]
        good = press > 0.05 * weight
        pieces.append((given.feet[c.foot].side, force @ axes_of.T / weight, np.where(good[:, None], place, np.nan)))
    return [
        ("Force of the ground over the stance [body weights]", _stances(pieces)),
        ("Butterfly diagram: force from the centre of pressure, seen from the right", _butterfly(pieces, ahead)),
    ]


def _stances(pieces: list[tuple[str, np.ndarray, np.ndarray]]) -> bytes:
    page = _figure(10.5, 2.4)
    page.subplots_adjust(0.06, 0.2, 0.99, 0.88, wspace=0.2)
    names = ("upward", "forward", "to the right")
    for k, (axes, name) in enumerate(zip(page.subplots(1, 3), names, strict=True)):
        told = set()
        for side, force, _ in pieces:
            word, color = _SIDES[side]
            label = word if side not in told else None
            told.add(side)
            axes.plot(np.linspace(0, 100, len(force)), force[:, k], color=color, linewidth=1.1, label=label)
        axes.axhline(0.0, color="#888", linewidth=0.5)
        axes.set_title(name, fontsize=8)
        axes.set_xlabel("stance [%]", fontsize=7)
        _quiet(axes)
        if k == 0:
            axes.legend(fontsize=7, frameon=False)
    return _png(page)


def _butterfly(pieces: list[tuple[str, np.ndarray, np.ndarray]], ahead: np.ndarray) -> bytes:
    page = _figure(10.5, 3.0)
    page.subplots_adjust(0.06, 0.16, 0.99, 0.97)
    axes = page.subplots()
    for side, force, place in pieces:
        at = place @ ahead
        good = np.flatnonzero(np.isfinite(at))
        for k in good[:: max(1, len(good) // _ARROWS)]:
            axes.plot([at[k], at[k] + 0.5 * force[k, 1]], [0, 0.5 * force[k, 0]], color=_SIDES[side][1], linewidth=0.6)
        axes.plot(at[good], np.zeros(len(good)), ".", color=_SIDES[side][1], markersize=2)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel("along the way [m]", fontsize=8)
    axes.set_ylabel("force [0.5 m a body weight]", fontsize=8)
    _quiet(axes)
    return _png(page)


# ---------------------------------------------------------------- table
def spatio_temporal(table: Any) -> tuple[list[str], list[list[str]]]:
    """Return heads and rows of means and standard deviations of both sides, with the symmetry 2 (L − R)/(L + R)."""
    units = {
        "stride_time": ("stride time [s]", 3), "stride_length": ("stride length [m]", 3),
        "step_time": ("step time [s]", 3), "step_length": ("step length [m]", 3), "stance": ("stance [s]", 3),
        "speed": ("speed [m/s]", 3), "cadence": ("cadence [steps/min]", 1),
    }  # fmt: skip
    rows = []
    for name, (words, digits) in units.items():
        cells, means = [], []
        for side in _SIDES:
            values = np.array([getattr(s, name) for s in table.strides if s.side == side], float)
            values = values[np.isfinite(values)]
            means.append(float(values.mean()) if len(values) else np.nan)
            spread = f" ± {values.std(ddof=1):.{digits}f}" if len(values) > 1 else ""
            cells.append(f"{values.mean():.{digits}f}{spread} ({len(values)})" if len(values) else "–")
        symmetry = 200.0 * (means[0] - means[1]) / (means[0] + means[1]) if np.isfinite(means).all() else np.nan
        rows.append([escape(words), *cells, f"{symmetry:+.1f}" if np.isfinite(symmetry) else "–"])
    return ["", "left, mean ± sd (n)", "right, mean ± sd (n)", "asymmetry [%]"], rows


def cycles_csv(curves: "Curves") -> str:
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
