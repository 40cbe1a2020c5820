"""Plots of a reconstructed trial as PNG bytes: residuals, coordinates with their standard deviations, efforts."""

import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

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


def error_plot(rec: "Recording") -> bytes:
    """Return root mean square and largest error of each sample [mm]."""
    page = blank(2.0)
    page.subplots_adjust(0.07, 0.23, 0.99, 0.95)
    axes, times, error = page.subplots(), rec.time("error"), 1e3 * np.asarray(rec["error"])
    largest = np.where(np.isfinite(error), error, -1.0).max(axis=1)
    axes.plot(times, np.where(largest < 0, np.nan, largest), color=_RED, linewidth=0.8, label="largest")
    axes.plot(times, 1e3 * rec["error.rms"], color=_BLUE, linewidth=1.0, label="rms")
    axes.set_xlabel("time [s]", fontsize=8)
    axes.set_ylabel("error [mm]", fontsize=8)
    axes.set_ylim(bottom=0)
    axes.legend(fontsize=7, frameon=False)
    quiet(axes)
    return png_of(page)


def residual_map(rec: "Recording") -> bytes:
    """Return the residual of each marker over time [mm] as colours; grey: not seen, red: left out or exchanged."""
    per_marker, labels = rec.manifest["reconstruct"]["per_marker"], rec.manifest["labels"]["tag"]
    rows = [k for k, tag in enumerate(labels) if tag in per_marker]
    times, chosen = rec.time("error"), _thinned(rec.count("error"))
    error = 1e3 * np.asarray(rec["error"])[chosen][:, rows].T
    tall = 0.75 + 0.14 * max(4, len(rows))
    page = blank(tall)
    page.subplots_adjust(0.17, 0.42 / tall, 1.05, 1 - 0.08 / tall)
    axes = page.subplots()
    last = times[-1] if times[-1] > times[0] else times[0] + 1e-3
    axes.set_facecolor("#dfe3e7")
    seen = error[np.isfinite(error)]
    shown = axes.imshow(
        np.ma.masked_invalid(error), aspect="auto", cmap="viridis", vmin=0.0, interpolation="nearest",
        vmax=max(float(np.percentile(seen, 99)) if len(seen) else 1.0, 1e-3),
        extent=(float(times[0]), float(last), len(rows) - 0.5, -0.5),
    )  # fmt: skip
    page.colorbar(shown, pad=0.01, aspect=30).ax.tick_params(labelsize=6)
    for event in rec.events:
        kind, _, names = event.name.partition(": ")
        if kind in ("left out", "swapped"):
            own = [n for n, k in enumerate(rows) if str(per_marker[labels[k]]["marker"]) in names.split(", ")]
            span = (event.time, max(event.detail.get("until", event.time), event.time + (last - times[0]) / 300))
            for n in own:
                axes.plot(span, (n, n), color="#d6001c", linewidth=2.2, solid_capstyle="butt")
    axes.set_xlim(float(times[0]), float(last))
    axes.set_yticks(range(len(rows)), [labels[k] for k in rows], fontsize=5.5, parse_math=False)
    axes.tick_params(axis="x", labelsize=7)
    axes.set_xlabel("time [s]; colour: residual [mm]", fontsize=7)
    return png_of(page)


def angle_plots(rec: "Recording", figure: "Figure") -> tuple[list[bytes], list[str]]:
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
    held = {name: _spans(rec, f"at its limit: {name}") for name in figure.coordinates}
    drawn = [k for k in range(figure.nv) if not (unseen[:, k] > 0.5).all() and np.ptp(q[:, k]) > 0]
    names = [f"{figure.coordinates[k]} [{'°' if turns[k] else 'm'}]" for k in drawn]

    def draw(axes: "Axes", n: int) -> None:
        k = drawn[n]
        axes.fill_between(times, q[:, k] - 2 * std[:, k], q[:, k] + 2 * std[:, k], color=_BLUE, alpha=0.25, linewidth=0)
        axes.plot(times, q[:, k], color=_BLUE, linewidth=0.9)
        low, high = _range(q[:, k], std[:, k])
        axes.fill_between(times, low, high, where=unseen[:, k] > 0.5, color=_GREY, alpha=0.6, linewidth=0, zorder=0)
        for first, last in held[figure.coordinates[k]]:
            axes.plot((first, last), (0.02, 0.02), color=_RED, linewidth=3, transform=axes.get_xaxis_transform(),
                      solid_capstyle="round")  # fmt: skip
        axes.set_ylim(low, high)

    left = [figure.coordinates[k] for k in range(figure.nv) if k not in drawn]
    return list(_pages(names, draw)), left


def _spans(rec: "Recording", name: str) -> list[tuple[float, float]]:
    """Return beginning and end of the events of a name [s]."""
    return [(one.time, one.detail.get("until", one.time)) for one in rec.events if one.name == name]


def _range(values: np.ndarray, std: np.ndarray) -> tuple[float, float]:
    """Return the limits of a plot: those of the line and of usual bands, so that no wild one hides the line."""
    usual = np.nanmedian(std) if np.isfinite(std).any() else 0.0
    low, high = np.nanmin(values) - 3 * usual, np.nanmax(values) + 3 * usual
    room = max(0.05 * (high - low), 1e-3 * max(1.0, abs(high)))
    return float(low - room), float(high + room)


def _plain_plots(rec: "Recording") -> Iterator[bytes]:
    """Give pages of the numbers of q, where these are not angles and shifts alone."""
    chosen = _thinned(rec.count("q"))
    times, q = rec.time("q")[chosen], np.asarray(rec["q"])[chosen]
    named = columns(rec.channel("q"), rec.manifest.get("labels"))
    names = [f"{name.removeprefix('q.')} [{unit or '1'}]" for name, unit in named]
    yield from _pages(names, lambda axes, k: _line(axes, times, q[:, k]))


def _line(axes: "Axes", times: np.ndarray, values: np.ndarray) -> None:
    axes.plot(times, values, color=_BLUE, linewidth=0.9)


def _pages(names: Sequence[str], draw: Any) -> Iterator[bytes]:
    """Give pages of small plots, each drawn by ``draw(axes, number)``."""
    per_page = _COLUMNS * _ROWS
    for first in range(0, len(names), per_page):
        some = range(first, min(first + per_page, len(names)))
        rows = -(-len(some) // _COLUMNS)
        tall = 1.55 * rows + 0.3
        page = blank(tall)  # laid out by hand: matplotlib's own layout takes most of the time
        page.subplots_adjust(0.045, 0.45 / tall, 0.99, 1 - 0.25 / tall, wspace=0.22, hspace=0.35)
        grid = page.subplots(rows, _COLUMNS, squeeze=False, sharex=True).ravel()
        for axes, k in zip(grid, some, strict=False):
            draw(axes, k)
            axes.set_title(names[k], fontsize=6.5, pad=2, parse_math=False)
            quiet(axes)
        for axes in grid[len(some) :]:
            axes.set_axis_off()
        for axes in grid[max(0, len(some) - _COLUMNS) : len(some)]:
            axes.tick_params(labelbottom=True)
            axes.set_xlabel("time [s]", fontsize=7)
        yield png_of(page)


def effort_plots(rec: "Recording", figure: "Figure") -> Iterator[bytes]:
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
    names = [f"{labels[k]} [{'N·m' if turns[k] else 'N'}]" for k in drawn]
    yield from _pages(names, lambda axes, n: _line(axes, times, effort[:, drawn[n]]))


def _residual(times: np.ndarray, residual: np.ndarray) -> bytes:
    page = blank(2.2)
    page.subplots_adjust(0.07, 0.2, 0.99, 0.88, wspace=0.16)
    for axes, part, name in zip(
        page.subplots(1, 2), (slice(3, 6), slice(0, 3)), ("force [N]", "moment [N·m]"), strict=True
    ):
        for k, axis in enumerate("xyz"):
            axes.plot(times, residual[:, part][:, k], color=AXES[axis], linewidth=0.9, label=axis)
        axes.set_title(f"left at the root: {name}", fontsize=8)
        axes.set_xlabel("time [s]", fontsize=7)
        axes.legend(fontsize=7, frameon=False)
        quiet(axes)
    return png_of(page)
