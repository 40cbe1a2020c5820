"""Muscles of a trial in its report: activations and forces over the gait cycle, reserves, contact forces of joints."""

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.image.report.blocks import Block, Heading, Picture, ReportTable, Text
from motiform.image.report.gait import SIDES
from motiform.image.report.plots import blank, png_of, quiet
from motiform.motion.postures.feet import side_of
from motiform.motion.postures.gait.cycles import GaitCurves, GaitQuantity, cycle_curves, gait_cycles

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from motiform.record import Recording

__all__ = ["muscle_blocks", "muscle_curves", "warnings_of"]

_COLUMNS, _ROWS = 5, 8
_LARGE = 0.05  # of the greatest moment: reserves above it are a muscle that is missing or too weak [Hicks15]
_TITLES = {
    "activations": "Activations",
    "forces": "Muscle forces [N]",
    "contacts": "Contact forces of joints [body weights]",
}
_WORDS = (
    "Static optimisation of each sample: the least sum of powers of activations whose moments, together with reserves, "
    "are those of inverse dynamics; tendons keep their slack length. Over the cycle of the muscle's own side; nothing "
    "is drawn where the force on the foot is not known."
)
_ONE_SIDED = "No cycle of the {} foot is whole: its muscles are in the tables over time alone."
_CONTACT = (
    "Contact forces: size of the force between both segments of a joint, by the segment that it carries; forces of "
    "muscles are part of it, cartilage and ligaments that the model does not have are not apart from it."
)


def muscle_curves(rec: "Recording") -> GaitCurves | None:
    """Return activations, forces and contact forces over the gait cycles of a trial; None where there is no cycle."""
    cycles = tuple(gait_cycles(rec.events))
    if not cycles or "muscle.force" not in rec:
        return None
    t, found = rec.time("muscle.force"), []
    for group, title, unit, rows in _series(rec):
        values = {}
        for side in SIDES:
            own = [cycle for cycle in cycles if cycle.side == side]
            if side in rows and own:
                values[side] = cycle_curves(t, rows[side], own)
        found.append(GaitQuantity(group, title, unit, values))
    return GaitCurves(cycles, tuple(found))


def _series(rec: "Recording") -> list[tuple[str, str, str, dict[str, np.ndarray]]]:
    """Return group, title, unit and the values over time by side of each quantity; one without a side is of both."""
    summary, labels = rec.manifest["muscles"], rec.manifest["labels"]
    sources: list[tuple[str, str, str, list[str], np.ndarray]] = [
        ("activations", "activation", "1", labels["muscle"], np.asarray(rec["muscle.activation"])),
        ("forces", "force", "N", labels["muscle"], np.asarray(rec["muscle.force"])),
    ]
    if "joint.contact" in rec and summary["weight"] > 0:
        chosen = [labels["segment"].index(name) for name in summary["joints"]]
        size = np.linalg.norm(np.asarray(rec["joint.contact"])[:, chosen, 3:], axis=-1) / summary["weight"]
        sources.append(("contacts", "contact force", "body weights", summary["joints"], size))
    found = []
    for group, word, unit, names, values in sources:
        rows: dict[str, dict[str, np.ndarray]] = {}
        for k, name in enumerate(names):
            side = side_of(name)
            for one in [side] if side else list(SIDES):
                rows.setdefault(_without_side(name, side), {})[one] = values[:, k]
        found += [(group, f"{title} {word}", unit, own) for title, own in rows.items()]
    return found


def _without_side(name: str, side: str) -> str:
    if not side:
        return name
    word = {"l": "left", "r": "right"}[side]
    return re.sub(rf"^({word}|{side})[_ .]|[_ .]({word}|{side})$|^{word}", "", name, flags=re.IGNORECASE) or name


# ---------------------------------------------------------------- blocks
def muscle_blocks(rec: "Recording") -> list[Block]:
    """Return the section of muscles of a report; nothing where they were not asked for."""
    if "muscle.force" not in rec:
        return []
    summary = rec.manifest["muscles"]
    found: list[Block] = [Heading("Muscles"), Text(_WORDS)]
    found += warnings_of(rec, summary)
    found.append(_reserves(summary))
    curves = muscle_curves(rec)
    if curves is not None:
        found += [Text(_ONE_SIDED.format(word)) for side, (word, _) in SIDES.items() if not curves.of(side)]
    for group, title in _TITLES.items():
        pages = _cycle_pages(curves, group) if curves is not None else _time_pages(rec, group)
        if pages:
            found.append(Heading(title, 3))
            found += [Picture(png, f"{title} {n + 1}") for n, png in enumerate(pages)]
            if group == "contacts":
                found.append(Text(_CONTACT))
    return found


def _reserves(summary: dict[str, Any]) -> ReportTable:
    sizes = [f"{what}, {size}" for what in ("reserve", "moment") for size in ("rms", "peak")]
    heads = ["coordinate [N·m, or N of slides]", *sizes, "largest reserve [% of the largest moment]"]
    rows = []
    for name, reserve in summary["reserve_peak"].items():
        sizes = [summary[f"{what}_{size}"][name] for what in ("reserve", "moment") for size in ("rms", "peak")]
        moment = summary["moment_peak"][name]
        part = f"{100 * reserve / moment:.1f}" if reserve is not None and moment else "–"
        rows.append([name, *("–" if x is None else f"{x:.2f}" for x in sizes), part])
    return ReportTable(heads, rows)


def warnings_of(rec: "Recording", summary: dict[str, Any]) -> list[Text]:
    """Return what a reader of the section must know: large reserves, what is not known or doubtful."""
    found: list[Text] = []
    large = [
        name for name, reserve in summary["reserve_peak"].items()
        if reserve is not None and summary["moment_peak"][name] and reserve > _LARGE * summary["moment_peak"][name]
    ]  # fmt: skip
    if large:
        words = "Reserves above 5 % of the largest moment, which muscles of the model cannot reach: "
        found.append(Text(f"{words}{', '.join(large)}.", bad=True))
    unknown = 100 * float(np.isnan(np.asarray(rec["muscle.force"])).mean())
    if unknown:
        found.append(Text(f"Forces of {unknown:.0f} % of muscles and samples are not known."))
    if summary["not_settled"]:
        found.append(Text(f"The search did not settle in {summary['not_settled']} samples.", bad=True))
    for key, words in (("inside", "points inside a surface that they wrap"), ("slack", "fibres that go slack"),
                       ("unsettled", "wraps that do not settle"), ("planar", "wraps taken for planar")):  # fmt: skip
        if summary[key]:
            some = [f"{name} in {count}" for name, count in list(summary[key].items())[:12]]
            found.append(Text(f"Muscles with {words}: {', '.join(some)}{' samples, …' * (len(summary[key]) > 12)}."))
    return found + [Text(str(note)) for note in summary["notes"]]


# ---------------------------------------------------------------- plots
def _cycle_pages(curves: GaitCurves, group: str) -> list[bytes]:
    percent = np.linspace(0, 100, 101)
    own = [one for one in curves.quantities if one.group == group and any(v.size for v in one.values.values())]
    rows = [(one.title, {side: (percent, values) for side, values in one.values.items()}) for one in own]
    offs = {side: np.array([cycle.off_percent for cycle in curves.of(side)]) for side in SIDES}
    return _pages(rows, "cycle [%]", offs, _tops(group))


def _time_pages(rec: "Recording", group: str) -> list[bytes]:
    t = rec.time("muscle.force")
    rows = [
        (title, {side: (t, values[None]) for side, values in own.items()})
        for kind, title, _, own in _series(rec) if kind == group
    ]  # fmt: skip
    return _pages(rows, "time [s]", {}, _tops(group))


def _tops(group: str) -> float | None:
    """Return the upper end of all axes; None: each has its own."""
    return 1.02 if group == "activations" else None


def _pages(
    rows: list[tuple[str, dict[str, Any]]], below: str, offs: dict[str, np.ndarray], top: float | None
) -> list[bytes]:
    """Return pages of small plots, both sides overlaid."""
    found = []
    for first in range(0, len(rows), _COLUMNS * _ROWS):
        some = rows[first : first + _COLUMNS * _ROWS]
        lines = -(-len(some) // _COLUMNS)
        tall = 1.15 * lines + 0.6
        page = blank(tall)
        page.subplots_adjust(0.045, 0.4 / tall, 0.99, 1 - 0.35 / tall, wspace=0.3, hspace=0.5)
        grid = page.subplots(lines, _COLUMNS, squeeze=False, sharex=True).ravel()
        for axes, (title, sides) in zip(grid, some, strict=False):
            _draw(axes, title, sides, offs)
            axes.set_ylim(0.0, top)
        for axes in grid[len(some) :]:
            axes.set_axis_off()
        for axes in grid[max(0, len(some) - _COLUMNS) : len(some)]:
            axes.tick_params(labelbottom=True)
            axes.set_xlabel(below, fontsize=6.5, labelpad=1)
        handles = {label: line for axes in grid for line, label in zip(*axes.get_legend_handles_labels(), strict=True)}
        page.legend(handles.values(), handles.keys(), fontsize=7, frameon=False, loc="upper right", ncol=2)
        found.append(png_of(page))
    return found


def _draw(axes: "Axes", title: str, sides: dict[str, Any], offs: dict[str, np.ndarray]) -> None:
    for side, (word, color) in SIDES.items():
        if side not in sides:
            continue
        x, values = sides[side]
        for curve in values if len(values) > 1 else ():
            axes.plot(x, curve, color=color, linewidth=0.4, alpha=0.45)
        seen = np.isfinite(values).sum(0)
        mean = np.where(seen > 0, np.nansum(values, axis=0) / np.maximum(seen, 1), np.nan)
        axes.plot(x, mean, color=color, linewidth=1.3, label=word)
        if side in offs and np.isfinite(offs[side]).any():
            axes.axvline(float(np.nanmean(offs[side])), color=color, linewidth=0.7, linestyle="--")
    axes.margins(x=0.0)
    axes.set_title(title.rsplit(" ", 2 if title.endswith("contact force") else 1)[0], fontsize=6.5, pad=2,
                   parse_math=False)  # fmt: skip
    quiet(axes)
