"""Plots of coupling analysis: impedances over frequency with the verdict, errors of cuts, and the graph of drivers."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.image.plot import _save, check_figure
from motiform.image.style import COLORS as _COLORS
from motiform.image.style import DASHES as _DASHES
from motiform.image.style import as_text
from motiform.motion.matter.coupling import (
    Band,
    CutComparison,
    Influence,
    ModelScale,
    Port,
    Separation,
    SignalScale,
    influence,
)
from motiform.spatial.checks import Array, as_floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_cut", "plot_impedances", "plot_influence", "plot_scales", "plot_schedule"]

_Path = str | os.PathLike[str] | None
_A, _B = _COLORS[0], _COLORS[1]
_INK, _SOFT = "#30343a", "#6b7178"
_SHADE = {"a drives b": "#cfe3f2", "b drives a": "#f7dac6", "independent": "#d6ecd9", "both kept": "#ececee"}


def plot_impedances(
    a: Port,
    b: Port,
    *,
    names: tuple[str, str] = ("a", "b"),
    band: Band | None = None,
    threshold: float = 0.1,
    asymptotes: tuple[ArrayLike, ArrayLike] | None = None,
    path: _Path = None,
    title: str | None = None,
    size: tuple[float, float] = (8.0, 5.6),
    overwrite: bool = False,
) -> "Figure":
    """Draw |Y_A| and |Y_B| over frequency, below them the influences, with verdicts shaded and the band marked.

    Parameters
    ----------
    band : frequencies that the motion holds; the verdict over all of it is the title's.
    asymptotes : straight pieces of |Y_A| and |Y_B| at the ports' frequencies, drawn thin.
    path : file to write; .svg, .pdf or .png (200 dpi).
    """
    check_figure(path, overwrite)
    found = influence(a, b, threshold=threshold, names=names)
    figure, (upper, lower) = _panels(size, title or _headline(found, band))
    f = found.omega / (2 * np.pi)
    for n, (port, name, color) in enumerate(((a, names[0], _A), (b, names[1], _B))):
        upper.loglog(f, _finite(np.abs(port.impedance)), color=color, label=f"|Y| of {as_text(name)}")
        if asymptotes is not None:
            line = as_floats(asymptotes[n], where="asymptotes")
            upper.loglog(f, line, color=color, linewidth=0.9, linestyle=(0, (3, 2)))
    upper.set_ylabel("impedance F/V [N s/m]", fontsize=9)
    upper.legend(fontsize=8, frameon=False)
    _draw_influence(lower, found)
    for axes in (upper, lower):
        _shade(axes, found)
        _mark_band(axes, band, named=axes is upper)
    _add_shades(lower, found)
    _save(figure, path, overwrite)
    return figure


def plot_influence(
    found: Influence,
    *,
    band: Band | None = None,
    path: _Path = None,
    title: str | None = None,
    size: tuple[float, float] = (8.0, 3.4),
    overwrite: bool = False,
) -> "Figure":
    """Draw what two models do to one another over frequency, with verdicts shaded."""
    check_figure(path, overwrite)
    figure, (axes,) = _panels(size, title or _headline(found, band), count=1)
    _draw_influence(axes, found)
    _shade(axes, found)
    _mark_band(axes, band)
    _add_shades(axes, found)
    _save(figure, path, overwrite)
    return figure


def plot_cut(
    found: CutComparison,
    *,
    path: _Path = None,
    title: str | None = None,
    size: tuple[float, float] = (8.6, 3.4),
    overwrite: bool = False,
) -> "Figure":
    """Draw how far each model of a cut run is from the coupled one over time, and the errors with those foreseen."""
    check_figure(path, overwrite)
    figure, (left, right) = _panels(size, title, beside=True)
    for n, (name, apart) in enumerate(found.distances.items()):
        left.plot(
            found.times, apart, color=_COLORS[n % 8], linestyle=_DASHES[n % 4], linewidth=1.1, label=as_text(name)
        )
    left.set_xlabel("time [s]", fontsize=9)
    left.set_ylabel("distance of cut from coupled [m]", fontsize=9)
    left.set_ylim(bottom=0)
    left.ticklabel_format(axis="y", style="sci", scilimits=(-2, 3))
    left.yaxis.get_offset_text().set_fontsize(8)
    left.legend(fontsize=8, frameon=False, loc="best")
    _draw_errors(right, found)
    _save(figure, path, overwrite)
    return figure


def plot_schedule(
    found: Separation,
    *,
    path: _Path = None,
    title: str | None = None,
    size: tuple[float, float] | None = None,
    overwrite: bool = False,
) -> "Figure":
    """Draw the groups of a separation as boxes, by rank from left to right, and the connections that they record."""
    check_figure(path, overwrite)
    ranks = [[k for k, r in enumerate(found.ranks) if r == rank] for rank in range(max(found.ranks) + 1)]
    tall = max(len(column) for column in ranks)
    spots = {k: (2.2 * rank, 1.2 * ((len(column) - 1) / 2 - n)) for rank, column in enumerate(ranks)
             for n, k in enumerate(column)}  # fmt: skip
    edge = 0.6 * tall + 0.35
    figure, (axes,) = _panels(size or (2.2 * len(ranks) + 0.2, 2 * edge + 0.4), title, count=1)
    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.set(xlim=(-1.0, 2.2 * len(ranks) - 1.2), ylim=(-edge, edge))
    boxes = {k: _draw_group(axes, spots[k], found.groups[k]) for k in spots}
    for rank in range(len(ranks)):
        axes.text(2.2 * rank, 0.06 - edge, f"rank {rank}", ha="center", va="bottom", fontsize=8.5, color=_SOFT)
    figure.canvas.draw()  # boxes have no size before
    _draw_arrows(axes, found, spots, boxes)
    _save(figure, path, overwrite)
    return figure


def plot_scales(
    models: Sequence[ModelScale],
    signals: Sequence[SignalScale],
    *,
    path: _Path = None,
    title: str | None = None,
    size: tuple[float, float] = (6.4, 5.4),
    overwrite: bool = False,
    axes: Any = None,
) -> "Figure":
    """Draw models as boxes of lines and the signals that they shall hold as grey ones, in frequency, space and bits.

    [Habibi97 §2.3.2, figs. 2.1 to 2.6]. Frequencies and waves over the extent are in decades; numbers of signals are
    written beside the names.

    Parameters
    ----------
    axes : three-dimensional axes of a figure to draw into; otherwise a figure is made.
    """
    check_figure(path, overwrite)
    if axes is None:
        from matplotlib.figure import Figure

        figure = Figure(figsize=size, layout="constrained")
        axes = figure.add_subplot(projection="3d")
    figure = axes.figure
    boxes = []
    for n, model in enumerate(models):
        color = _COLORS[n % len(_COLORS)]
        boxes.append(_decades(model.spectrum()))
        _draw_box(axes, boxes[-1], color, 0.0)
        many = f" × {model.count:g}" if model.count > 1 else ""
        axes.plot([], [], [], color=color, label=as_text(f"{model.name}{many}"))
    for signal in signals:
        low, high = signal.space
        space = (1.0, 1.0) if low == high else (1.0, high / low)
        found = {"time": signal.time, "space": space, "range": (1.0, 2.0 ** signal.box[2])}
        boxes.append(_decades(found))
        _draw_box(axes, boxes[-1], _SOFT, 0.25)
        x, y, z = (np.mean(side) for side in boxes[-1])
        axes.text(x, y, z, as_text(signal.name), fontsize=8, color=_INK, ha="center")
    ends = [(min(np.min(box[k]) for box in boxes), max(np.max(box[k]) for box in boxes)) for k in range(3)]
    (x0, x1), (y0, y1), (z0, z1) = (end if end[1] > end[0] else (end[0] - 0.5, end[1] + 0.5) for end in ends)
    axes.set(xlim=(x0, x1), ylim=(y0, y1), zlim=(z0, z1))
    axes.set(xlabel="time [log₁₀ Hz]", ylabel="space [log₁₀ waves]", zlabel="range [bit]")
    axes.legend(fontsize=8, frameon=False, loc="upper left")
    if title:
        axes.set_title(title, fontsize=10, loc="left")
    _save(figure, path, overwrite)
    return figure


def _decades(spectrum: Mapping[str, tuple[float, float]]) -> list[Array]:
    """Return the sides of a box: decades of time and space, bits."""
    time, space, values = (np.asarray(spectrum[key], float) for key in ("time", "space", "range"))
    return [np.log10(time), np.log10(space), np.log2(values)]


def _draw_box(axes: Any, sides: Sequence[Array], color: Any, fill: float) -> None:
    """Draw a box with these two ends along each axis; one without an extent along an axis is flat."""
    low, high = (np.array([side[end] for side in sides], float) for end in (0, 1))
    if fill > 0.0:
        axes.bar3d(*low, *(high - low), color=color, alpha=fill, shade=False)
    corners = np.stack(np.meshgrid(*sides, indexing="ij"), -1)
    for axis in range(3):
        for edge in np.moveaxis(corners, axis, 0).reshape(2, 4, 3).swapaxes(0, 1):
            axes.plot(*edge.T, color=color, linewidth=1.0)


def _draw_group(axes: "Axes", spot: tuple[float, float], models: Sequence[Any]) -> Any:
    """Draw a group and return its box."""
    box: Any = {"boxstyle": "round,pad=0.5", "facecolor": _SHADE["a drives b"], "edgecolor": _A, "linewidth": 1.2}
    text = as_text(_wrapped([str(model) for model in models]))
    return axes.text(*spot, text, ha="center", va="center", fontsize=9, color=_INK, bbox=box, zorder=3).get_bbox_patch()


def _draw_arrows(
    axes: "Axes", found: Separation, spots: Mapping[int, tuple[float, float]], boxes: Mapping[int, Any]
) -> None:
    for (one, two), some in found.links.items():
        (x0, y0), (x1, y1) = spots[one], spots[two]
        far = found.ranks[two] - found.ranks[one] > 1  # it would pass through the boxes between
        bend = -0.28 if far else 0.0
        how: Any = {"arrowstyle": "-|>,head_width=0.28,head_length=0.5", "color": _INK, "linewidth": 1.1,
                    "patchA": boxes[one], "patchB": boxes[two], "shrinkA": 2, "shrinkB": 2,
                    "connectionstyle": f"arc3,rad={bend}"}  # fmt: skip
        axes.annotate("", (x1, y1), (x0, y0), arrowprops=how, zorder=2)
        text = "\n".join(f"{as_text(a)} → {as_text(b)}" for a, b in some)
        middle = (x0 + x1) / 2 + bend * (y1 - y0) / 2, (y0 + y1) / 2 - bend * (x1 - x0) / 2  # of the arc
        look: Any = {"facecolor": "white", "edgecolor": "none", "pad": 1.2}
        axes.text(*middle, text, ha="center", va="center", fontsize=7.5, color=_SOFT, bbox=look, zorder=4)


def _wrapped(names: Sequence[str], most: int = 12) -> str:
    lines = [""]
    for name in names:
        longer = f"{lines[-1]}, {name}" if lines[-1] else name
        if len(longer) > most and lines[-1]:
            lines[-1] += ","
            lines.append(name)
        else:
            lines[-1] = longer
    return "\n".join(lines)


def _draw_errors(axes: "Axes", found: CutComparison) -> None:
    names = [one.model for one in found.errors]
    for n, one in enumerate(found.errors):
        if one.error > 0:
            axes.plot(one.error, n, "o", color=_COLORS[n % 8], markersize=7, zorder=3)
        if one.predicted:
            axes.plot(one.predicted, n, "|", color=_INK, markersize=16, markeredgewidth=1.6, zorder=4)
    axes.plot([], [], "o", color=_SOFT, label="measured")
    axes.plot([], [], "|", color=_INK, markersize=10, markeredgewidth=1.6, label="foreseen")
    axes.set_xscale("log")
    axes.set_yticks(range(len(names)), names, fontsize=8.5)
    axes.set_ylim(len(names) - 0.4, -0.9)
    axes.set_xlabel("relative error of displacements", fontsize=9)
    axes.legend(fontsize=8, frameon=False, loc="upper right", ncols=2)
    shown = [v for one in found.errors for v in (one.error, one.predicted) if v and np.isfinite(v)]
    if shown:  # whole decades
        axes.set_xlim(10 ** np.floor(np.log10(0.9 * min(shown))), 10 ** np.ceil(np.log10(1.1 * max(shown))))


def _panels(
    size: tuple[float, float], title: str | None, *, count: int = 2, beside: bool = False
) -> tuple["Figure", list["Axes"]]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    shape: Any = {"nrows": 1, "ncols": count} if beside else {"nrows": count, "ncols": 1, "sharex": True}
    axes = list(np.atleast_1d(figure.subplots(**shape)))
    for one in axes:
        one.spines[["top", "right"]].set_visible(False)
        one.tick_params(labelsize=8)
        one.grid(alpha=0.2)
    if title:
        figure.suptitle(as_text(title), fontsize=10.5, x=0.01, ha="left")
    return figure, axes


def _headline(found: Influence, band: Band | None) -> str:
    inside = np.ones(len(found.omega), bool)
    if band is not None:
        f = found.omega / (2 * np.pi)
        inside = (f >= band.low * (1 - 1e-9)) & (f <= band.high * (1 + 1e-9))
    if not inside.any():
        return "the band holds none of the frequencies shown"
    part = Influence(found.a, found.b, found.omega[inside], found.on_a[inside], found.on_b[inside], found.threshold)
    words = str(part).splitlines()[0].partition(" (")[0]
    return f"{words} ({band or _span(part)}, threshold {found.threshold:g})"


def _span(found: Influence) -> Band:
    return Band(float(found.omega[0] / (2 * np.pi)), float(found.omega[-1] / (2 * np.pi)))


def _draw_influence(axes: "Axes", found: Influence) -> None:
    f = found.omega / (2 * np.pi)
    axes.loglog(f, _finite(found.on_a), color=_A, label=as_text(f"{found.b} on {found.a}"))
    axes.loglog(f, _finite(found.on_b), color=_B, label=as_text(f"{found.a} on {found.b}"))
    axes.axhline(found.threshold, color=_INK, linewidth=0.9, linestyle=(0, (5, 2)))
    under: Any = {"textcoords": "offset points", "ha": "right", "va": "top", "fontsize": 7.5, "color": _INK}
    axes.annotate(f"threshold {found.threshold:g}", (f[-1], found.threshold), (-4, -2), **under)
    axes.set_xlabel("frequency [Hz]", fontsize=9)
    axes.set_ylabel("influence", fontsize=9)
    axes.set_xlim(f[0], f[-1])
    axes.add_artist(axes.legend(fontsize=8, frameon=False, loc="best"))


def _verdicts(found: Influence) -> np.ndarray:
    free_a, free_b = found.on_a <= found.threshold, found.on_b <= found.threshold
    names = np.where(free_a & free_b, "independent", np.where(free_a, "a drives b", "b drives a"))
    return np.where(free_a | free_b, names, "both kept")


def _shade(axes: "Axes", found: Influence) -> None:
    """Shade stretches of one verdict."""
    f, verdicts = found.omega / (2 * np.pi), _verdicts(found)
    first = 0
    for n in range(1, len(f) + 1):
        if n == len(f) or verdicts[n] != verdicts[first]:
            start = f[first] if first == 0 else np.sqrt(f[first - 1] * f[first])
            end = f[-1] if n == len(f) else np.sqrt(f[n - 1] * f[n])
            axes.axvspan(start, end, color=_SHADE[str(verdicts[first])], linewidth=0, zorder=0)
            first = n


def _add_shades(axes: "Axes", found: Influence) -> None:
    from matplotlib.patches import Patch

    words = {
        "a drives b": f"{found.a} drives {found.b}",
        "b drives a": f"{found.b} drives {found.a}",
        "independent": "independent",
        "both kept": "both kept",
    }
    seen = [Patch(facecolor=_SHADE[key], label=words[key]) for key in words if key in set(_verdicts(found).tolist())]
    place: Any = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.2), "ncols": 4, "frameon": False, "fontsize": 8}
    axes.legend(handles=seen, **place)


def _mark_band(axes: "Axes", band: Band | None, *, named: bool = False) -> None:
    for edge in () if band is None else (band.low, band.high):
        axes.axvline(edge, color=_INK, linewidth=1.1, zorder=1)
    if band is not None and named:
        at: Any = axes.get_xaxis_transform()
        axes.annotate("band", (band.low, 0.93), (4, 0), xycoords=at, textcoords="offset points", fontsize=8, color=_INK)


def _finite(values: Array) -> Array:
    return np.where(np.isfinite(values) & (values > 0), values, np.nan)
