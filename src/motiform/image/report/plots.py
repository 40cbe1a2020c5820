"""Plots of a reconstructed trial as PNG bytes: errors, gaps, coordinates with their standard deviations, efforts."""

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

__all__ = ["angle_plots", "effort_plots", "error_plot", "seen_plot"]

_BLUE, _RED, _GREY = COLORS[0], COLORS[1], "#c9ced4"
_COLUMNS, _ROWS = 4, 6
_DPI = 100
_MOST = 1500  # samples drawn: more cannot be seen


def _thinned(count: int) -> np.ndarray:
    return np.unique(np.linspace(0, count - 1, min(count, _MOST)).round().astype(int))


def _figure(width: float, height: float) -> Any:
    from matplotlib.figure import Figure as Page

    return Page(figsize=(width, height), dpi=_DPI)


def _png(page: Any) -> bytes:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    stream = io.BytesIO()
    FigureCanvasAgg(page).print_png(stream)
    return stream.getvalue()


def _quiet(axes: "Axes") -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=7)
    axes.grid(alpha=0.3, linewidth=0.5)


def error_plot(rec: "Recording") -> bytes:
    """Return root mean square and largest error of each sample [mm]."""
    page = _figure(12, 2.2)
    page.subplots_adjust(0.05, 0.2, 0.99, 0.95)
    axes, times, error = page.subplots(), rec.time("error"), 1e3 * np.asarray(rec["error"])
    largest = np.where(np.isfinite(error), error, -1.0).max(axis=1)
    axes.plot(times, np.where(largest < 0, np.nan, largest), color=_RED, linewidth=0.8, label="largest")
    axes.plot(times, 1e3 * rec["error.rms"], color=_BLUE, linewidth=1.0, label="rms")
    axes.set_xlabel("time [s]", fontsize=8)
    axes.set_ylabel("error [mm]", fontsize=8)
    axes.set_ylim(bottom=0)
    axes.legend(fontsize=7, frameon=False)
    _quiet(axes)
    return _png(page)


def seen_plot(rec: "Recording") -> bytes:
    """Return a map of the markers seen over time, a row for each tag that has a marker."""
    told = rec.manifest["reconstruct"]["per_marker"]
    labels = rec.manifest["labels"]["tag"]
    rows = [k for k, tag in enumerate(labels) if tag in told]
    seen = np.isfinite(rec["markers"][:, rows, 0])
    times = rec.time("markers")
    tall = 0.6 + 0.16 * max(4, len(rows))
    page = _figure(12, tall)
    page.subplots_adjust(0.16, 0.45 / tall, 0.99, 1 - 0.08 / tall)
    axes = page.subplots()
    last = times[-1] if times[-1] > times[0] else times[0] + 1e-3
    axes.imshow(
        ~seen.T, aspect="auto", cmap="gray", vmin=-0.6, vmax=1.0, interpolation="nearest",
        extent=(float(times[0]), float(last), len(rows) - 0.5, -0.5),
    )  # fmt: skip
    axes.set_yticks(range(len(rows)), [labels[k] for k in rows], fontsize=6)
    axes.tick_params(axis="x", labelsize=7)
    axes.set_xlabel("time [s]", fontsize=8)
    return _png(page)


def angle_plots(rec: "Recording", figure: "Figure") -> Iterator[bytes]:
    """Give pages of coordinates over time in degrees or metres, with bands of two standard deviations."""
    from motiform.motion.tree import joint_axes

    if figure.nq != figure.nv:
        yield from _plain_plots(rec)
        return
    turns = np.linalg.norm(joint_axes(figure, figure.neutral())[:, :3], axis=1) > 1e-9
    scale = np.where(turns, 180 / np.pi, 1.0)
    chosen = _thinned(rec.count("q"))
    times, q = rec.time("q")[chosen], np.asarray(rec["q"])[chosen] * scale
    std, unseen = np.asarray(rec["std"])[chosen] * scale, np.asarray(rec["unseen"])[chosen]
    std[unseen > 0.5] = np.nan  # nothing is known there: grey says so
    names = [f"{name} [{'°' if turn else 'm'}]" for name, turn in zip(figure.coordinates, turns, strict=True)]

    def draw(axes: "Axes", k: int) -> None:
        axes.fill_between(times, q[:, k] - 2 * std[:, k], q[:, k] + 2 * std[:, k], color=_BLUE, alpha=0.25, linewidth=0)
        axes.plot(times, q[:, k], color=_BLUE, linewidth=0.9)
        low, high = _range(q[:, k], std[:, k])
        axes.fill_between(times, low, high, where=unseen[:, k] > 0.5, color=_GREY, alpha=0.6, linewidth=0, zorder=0)
        axes.set_ylim(low, high)

    yield from _pages(names, draw)


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
    told = columns(rec.channel("q"), rec.manifest.get("labels"))
    names = [f"{name.removeprefix('q.')} [{unit or '1'}]" for name, unit in told]
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
        page = _figure(12, tall)  # laid out by hand: matplotlib's own layout takes most of the time
        page.subplots_adjust(0.04, 0.45 / tall, 0.99, 1 - 0.25 / tall, wspace=0.18, hspace=0.35)
        grid = page.subplots(rows, _COLUMNS, squeeze=False, sharex=True).ravel()
        for axes, k in zip(grid, some, strict=False):
            draw(axes, k)
            axes.set_title(names[k], fontsize=7.5, pad=2)
            _quiet(axes)
        for axes in grid[len(some) :]:
            axes.set_axis_off()
        for axes in grid[max(0, len(some) - _COLUMNS) : len(some)]:
            axes.tick_params(labelbottom=True)
            axes.set_xlabel("time [s]", fontsize=7)
        yield _png(page)


def effort_plots(rec: "Recording", figure: "Figure") -> Iterator[bytes]:
    """Give pages of efforts [N·m or N], and the residual at the root."""
    from motiform.motion.tree import joint_axes

    turns = np.linalg.norm(joint_axes(figure, figure.neutral())[:, :3], axis=1) > 1e-9
    chosen = _thinned(rec.count("effort"))
    times, effort = rec.time("effort")[chosen], np.asarray(rec["effort"])[chosen]
    if "residual" in rec:
        yield _residual(times, np.asarray(rec["residual"])[chosen])
    names = [f"{name} [{'N·m' if turn else 'N'}]" for name, turn in zip(figure.coordinates, turns, strict=True)]
    yield from _pages(names, lambda axes, k: _line(axes, times, effort[:, k]))


def _residual(times: np.ndarray, residual: np.ndarray) -> bytes:
    page = _figure(12, 2.4)
    page.subplots_adjust(0.05, 0.18, 0.99, 0.88, wspace=0.12)
    for axes, part, name in zip(
        page.subplots(1, 2), (slice(3, 6), slice(0, 3)), ("force [N]", "moment [N·m]"), strict=True
    ):
        for k, axis in enumerate("xyz"):
            axes.plot(times, residual[:, part][:, k], color=AXES[axis], linewidth=0.9, label=axis)
        axes.set_title(f"left at the root: {name}", fontsize=8)
        axes.set_xlabel("time [s]", fontsize=7)
        axes.legend(fontsize=7, frameon=False)
        _quiet(axes)
    return _png(page)
