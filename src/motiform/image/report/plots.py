"""Plots of a reconstructed trial: residuals, coordinates with their standard deviations, efforts."""

import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.image.report.chart import Chart, Curve, CurveBand, Heat, Panel
from motiform.image.style import AXES, COLORS
from motiform.record.labels import columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from motiform.motion.tree import Figure
    from motiform.record import Recording

__all__ = ["DPI", "WIDE", "angle_plots", "blank", "effort_plots", "error_plot", "png_of", "quiet", "residual_map"]

WIDE, DPI = 9.2, 130  # inch: letters of 7 points are readable on a page of paper, too

_BLUE, _RED, _GREY = COLORS[0], COLORS[1], "#c9ced4"
_COLUMNS, _ROWS = 4, 6
_MOST = 1500  # samples drawn: more cannot be seen


def _thinned(count: int) -> np.ndarray:
    return np.unique(np.linspace(0, count - 1, min(count, _MOST)).round().astype(int))


def blank(height: float, width: float = WIDE) -> Any:
    """Return an empty figure of matplotlib [inch]."""
    from matplotlib.figure import Figure as Page

    return Page(figsize=(width, height), dpi=DPI)


def png_of(page: Any) -> bytes:
    """Return a figure of matplotlib as PNG."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    stream = io.BytesIO()
    FigureCanvasAgg(page).print_png(stream)
    return stream.getvalue()


def quiet(axes: "Axes") -> None:
    """Make axes small and unobtrusive."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=7)
    axes.grid(alpha=0.3, linewidth=0.5)


def error_plot(rec: "Recording") -> Chart:
    """Return root mean square and largest error of each sample [mm]."""
    times, error = rec.time("error"), 1e3 * np.asarray(rec["error"])
    largest = np.where(np.isfinite(error), error, -1.0).max(axis=1)
    largest = np.where(largest < 0, np.nan, largest)
    rms = 1e3 * np.asarray(rec["error.rms"])
    most = float(np.nanmax(largest)) if np.isfinite(largest).any() else 1.0
    panel = Panel(xlabel="time [s]", ylabel="error [mm]", ylim=(0.0, max(1.05 * most, 1e-6)))
    panel.add(Curve(times, largest, _RED, 0.8, label="largest"), Curve(times, rms, _BLUE, 1.0, label="rms"))
    words = "Of each sample: root mean square, and the largest of a marker."
    return Chart([panel], "residuals", tall=2.0, caption=words)


def residual_map(rec: "Recording") -> Chart:
    """Return the residual of each marker over time [mm] as colours; grey: not seen, red: left out or exchanged."""
    per_marker, labels = rec.manifest["reconstruct"]["per_marker"], rec.manifest["labels"]["tag"]
    rows = [k for k, tag in enumerate(labels) if tag in per_marker]
    times, chosen = rec.time("error"), _thinned(rec.count("error"))
    error = 1e3 * np.asarray(rec["error"])[chosen][:, rows].T
    first, last = float(times[0]), float(times[-1] if times[-1] > times[0] else times[0] + 1e-3)
    seen = error[np.isfinite(error)]
    most = max(float(np.percentile(seen, 99)) if len(seen) else 1.0, 1e-3)
    panel = Panel(xlabel="time [s]; colour: residual [mm]", xlim=(first, last), ylim=(len(rows) - 0.5, -0.5))
    panel.add(Heat(error, first, last, most, [labels[k] for k in rows]))
    for event in rec.events:
        kind, _, names = event.name.partition(": ")
        if kind in ("left out", "swapped"):
            span = (event.time, max(event.detail.get("until", event.time), event.time + (last - first) / 300))
            panel.add(*(
                Curve(span, (n, n), "#d6001c", 2.2)
                for n, k in enumerate(rows) if str(per_marker[labels[k]]["marker"]) in names.split(", ")
            ))  # fmt: skip
    words = "Of each marker over time. Grey: not seen. Red line: left out or exchanged."
    tall = 0.75 + 0.14 * max(4, len(rows))
    return Chart([panel], "residual of each marker over time", tall=tall, caption=words, left=1.5, right=0.5)


def angle_plots(rec: "Recording", figure: "Figure") -> tuple[list[Chart], list[str]]:
    """Return pages of coordinates over time in degrees or metres, with bands of two standard deviations.

    And the names of coordinates that are not drawn: those that the markers never determine, and those that cannot move.
    """
    from motiform.motion.tree import joint_axes

    if figure.nq != figure.nv:
        return list(_plain_plots(rec)), []
    turns = np.linalg.norm(joint_axes(figure, figure.neutral())[:, :3], axis=1) > 1e-9
    scale = np.where(turns, 180 / np.pi, 1.0)
    chosen = _thinned(rec.count("q"))
    times, q = rec.time("q")[chosen], np.asarray(rec["q"])[chosen] * scale
    std, unseen = np.asarray(rec["std"])[chosen] * scale, np.asarray(rec["unseen"])[chosen]
    std[unseen > 0.5] = np.nan  # nothing is known there: grey says so
    drawn = [k for k in range(figure.nv) if not (unseen[:, k] > 0.5).all() and np.ptp(q[:, k]) > 0]
    panels = []
    for k in drawn:
        low, high = _range(q[:, k], std[:, k])
        hidden = np.where(unseen[:, k] > 0.5, low, np.nan)
        panel = Panel(title=f"{figure.coordinates[k]} [{'°' if turns[k] else 'm'}]", ylim=(low, high))
        panel.add(
            CurveBand(times, hidden, hidden + (high - low), _GREY, 0.6),
            CurveBand(times, q[:, k] - 2 * std[:, k], q[:, k] + 2 * std[:, k], _BLUE),
            Curve(times, q[:, k], _BLUE),
        )
        for span in _spans(rec, f"at its limit: {figure.coordinates[k]}"):
            panel.add(Curve(span, (0.02, 0.02), _RED, 3.0, foot=True))
        panels.append(panel)
    left = [figure.coordinates[k] for k in range(figure.nv) if k not in drawn]
    return list(_pages(panels, "coordinates")), left


def _spans(rec: "Recording", name: str) -> list[tuple[float, float]]:
    """Return beginning and end of the events of a name [s]."""
    return [(one.time, one.detail.get("until", one.time)) for one in rec.events if one.name == name]


def _range(values: np.ndarray, std: np.ndarray) -> tuple[float, float]:
    """Return the limits of a plot: those of the line and of usual bands, so that no wild one hides the line."""
    usual = np.nanmedian(std) if np.isfinite(std).any() else 0.0
    low, high = np.nanmin(values) - 3 * usual, np.nanmax(values) + 3 * usual
    room = max(0.05 * (high - low), 1e-3 * max(1.0, abs(high)))
    return float(low - room), float(high + room)


def _plain_plots(rec: "Recording") -> Iterator[Chart]:
    """Give pages of the numbers of q, where these are not angles and shifts alone."""
    chosen = _thinned(rec.count("q"))
    times, q = rec.time("q")[chosen], np.asarray(rec["q"])[chosen]
    named = columns(rec.channel("q"), rec.manifest.get("labels"))
    names = [f"{name.removeprefix('q.')} [{unit or '1'}]" for name, unit in named]
    panels = [Panel([Curve(times, q[:, k], _BLUE)], title=name) for k, name in enumerate(names)]
    yield from _pages(panels, "coordinates")


def _pages(panels: Sequence[Panel], what: str) -> Iterator[Chart]:
    """Give pages of small plots over time."""
    per_page = _COLUMNS * _ROWS
    for number, first in enumerate(range(0, len(panels), per_page), start=1):
        some = panels[first : first + per_page]
        for panel in some[-_COLUMNS:]:
            panel.xlabel = "time [s]"
        yield Chart(some, f"{what} {number}", columns=_COLUMNS, tall=1.55)


def effort_plots(rec: "Recording", figure: "Figure") -> Iterator[Chart]:
    """Give pages of efforts [N·m or N] of coordinates that the markers determine, and the residual at the root."""
    from motiform.motion.tree import joint_axes

    turns = np.linalg.norm(joint_axes(figure, figure.neutral())[:, :3], axis=1) > 1e-9
    chosen = _thinned(rec.count("effort"))
    times, effort = rec.time("effort")[chosen], np.asarray(rec["effort"])[chosen]
    if "residual" in rec:
        yield _residual(times, np.asarray(rec["residual"])[chosen])
    labels = [name.removeprefix("effort.") for name, _ in columns(rec.channel("effort"), rec.manifest.get("labels"))]
    effort = np.where(np.asarray(rec["unseen"])[chosen] > 0.5, np.nan, effort)
    drawn = [k for k in range(effort.shape[1]) if (np.abs(effort[:, k]) > 0).any()]
    panels = [
        Panel([Curve(times, effort[:, k], _BLUE)], title=f"{labels[k]} [{'N·m' if turns[k] else 'N'}]") for k in drawn
    ]
    yield from _pages(panels, "efforts")


def _residual(times: np.ndarray, residual: np.ndarray) -> Chart:
    panels = []
    for part, name in ((slice(3, 6), "force [N]"), (slice(0, 3), "moment [N·m]")):
        panel = Panel(title=f"left at the root: {name}", xlabel="time [s]")
        panel.add(*(Curve(times, residual[:, part][:, k], AXES[axis], label=axis) for k, axis in enumerate("xyz")))
        panels.append(panel)
    return Chart(panels, "residual at the root", columns=2, tall=2.2)
