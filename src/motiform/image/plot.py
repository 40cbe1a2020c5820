"""Plots of channels over time, ready to publish; no window, no global state."""

import io
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import InputError, closest
from motiform.image.files import check_new, new_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from motiform.record import Recording

__all__ = ["compare_plot", "plot_channels"]

# Okabe and Ito's palette, told apart with any colour vision and in order of contrast on white.
_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D1F")
_DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1.5, 1)), (0, (5, 1, 1, 1)))
_COMPONENTS = {"quaternion": "wxyz", "axis": "xyz"}
_FORMATS = (".svg", ".pdf", ".png")
_FEW = 8  # bodies drawn one by one; more are drawn as median and band
_LINES = 12  # lines whose names fit beside the axes
_BUCKETS = 1500  # columns of a page-wide figure at 200 dpi: more samples cannot be seen
_EVENTS = 5  # kinds of events named in the legend


def plot_channels(
    rec: "Recording",
    names: str | Sequence[str],
    *,
    path: str | os.PathLike[str] | None = None,
    title: str | None = None,
    size: tuple[float, float] | None = None,
    cursor: float | None = None,
    overwrite: bool = False,
) -> "Figure":
    """Plot channels over a shared time axis, one panel each, and save the figure if ``path`` is given.

    Components are labelled lines; a channel of many bodies is drawn as median and 5 to 95 % band. Long
    recordings are drawn by the extremes of each column of the picture, so no peak is lost. Events are thin lines.

    Parameters
    ----------
    path : file to write; .svg, .pdf or .png (200 dpi).
    size : width and height [inch]; chosen by the number of panels when None.
    cursor : instant to mark [s].
    """
    _check_path(path, overwrite)
    names = [names] if isinstance(names, str) else list(names)
    if not names:
        raise InputError("no channel to plot", allowed=", ".join(rec.names) or "none: the recording is empty")
    for name in names:
        _check_name(rec, name)
    figure, panels = _new_figure(len(names), title, size)
    for axes, name in zip(panels, names, strict=True):
        count = _draw_channel(axes, rec, name)
        _draw_events(axes, rec, named=axes is panels[0])
        if cursor is not None:
            axes.axvline(cursor, color="#B22222", linewidth=1.0, gid="cursor")
        axes.set_ylabel(_axis_label(name, rec.unit(name)), fontsize=9)
        _flatten(axes)
        _add_legend(axes, count)
    panels[-1].set_xlabel("time [s]", fontsize=9)
    _save(figure, path, overwrite)
    return figure


def compare_plot(
    recordings: Mapping[str, "Recording"],
    name: str,
    *,
    path: str | os.PathLike[str] | None = None,
    title: str | None = None,
    size: tuple[float, float] | None = None,
    log: bool = False,
    drift: bool = False,
    overwrite: bool = False,
) -> "Figure":
    """Overlay one channel of several recordings, one line and colour per recording, one panel per component.

    Parameters
    ----------
    recordings : label of each recording and the recording.
    log : logarithmic axis; magnitudes are drawn, zeros are gaps.
    drift : draw the distance of each sample from the first one (one panel), e.g. the error of a conserved quantity.
    """
    _check_path(path, overwrite)
    if not recordings:
        raise InputError("no recording to compare", allowed="one or more labels with their recordings")
    for rec in recordings.values():
        _check_name(rec, name)
    curves = {label: _bodies(rec, name, drift=drift) for label, rec in recordings.items()}
    components = next(iter(curves.values())).components
    for label, curve in curves.items():
        if curve.components != components:
            raise InputError(
                f"channel {name!r} has another shape",
                where=label,
                got=len(curve.components),
                allowed=str(len(components)),
            )
    figure, panels = _new_figure(len(components), title, size)
    for k, (axes, component) in enumerate(zip(panels, components, strict=True)):
        for i, (label, curve) in enumerate(curves.items()):
            _draw_summary(axes, curve, k, label, _COLORS[i % 8], _DASHES[i % 4], log=log)
        if log:
            axes.set_yscale("log")
        shown = f"{name} {component}".strip()
        axes.set_ylabel(_axis_label(f"drift of {shown}" if drift else shown, _unit_of(recordings, name)), fontsize=9)
    _add_legend(panels[0], _split(rec, name)[0])
    panels[-1].set_xlabel("time [s]", fontsize=9)
    _save(figure, path, overwrite)
    return figure


@dataclass(frozen=True)
class _Curves:
    """A channel as curves, (samples, 1, components), or low, middle, high of many bodies, (samples, 3, components)."""

    times: np.ndarray
    values: np.ndarray
    components: tuple[str, ...]


def _check_name(rec: "Recording", name: str) -> None:
    if name not in rec:
        allowed = ", ".join(rec.names) or "none: the recording is empty"
        raise InputError("unknown channel", got=name, allowed=allowed, remedy=closest(name, rec.names))


def _new_figure(count: int, title: str | None, size: tuple[float, float] | None) -> tuple["Figure", list["Axes"]]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    size = size or (7.0, 0.7 + 1.7 * count)
    if not all(np.isfinite(side) and 0.5 <= side <= 200 for side in size):
        raise InputError("wrong size of figure", got=size, allowed="width and height from 0.5 to 200 inches")
    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    panels = list(figure.subplots(count, 1, sharex=True, squeeze=False)[:, 0])
    for axes in panels:
        axes.tick_params(labelsize=8)
        axes.yaxis.get_offset_text().set_fontsize(8)
        axes.grid(alpha=0.25, linewidth=0.5)
        axes.spines[["top", "right"]].set_visible(False)
        axes.margins(x=0.01)
    if title:
        figure.suptitle(title, fontsize=11)
    figure.align_ylabels(panels)
    return figure, panels


def _split(rec: "Recording", name: str) -> tuple[int, tuple[str, ...]]:
    """Return how many bodies a channel has, and the labels of the components of each."""
    channel = rec.channel(name)
    shape, dims = channel.shape, channel.dims
    if not shape:
        return 1, ("",)
    letters = _COMPONENTS.get(dims[-1]) or rec.manifest.get("labels", {}).get(dims[-1], "")
    if len(letters) == shape[-1] and len(letters) <= _FEW:
        return math.prod(shape[:-1]), tuple(letters)
    if len(shape) == 1 and shape[0] <= _FEW and dims[0] != "body":
        return 1, tuple(str(i) for i in range(shape[0]))
    return math.prod(shape), ("",)


def _draw_channel(axes: "Axes", rec: "Recording", name: str) -> int:
    """Draw the lines of a channel; return how many bodies each stands for."""
    count, components = _split(rec, name)
    if count > _FEW or count * len(components) > _LINES:
        curves = _bodies(rec, name)
        for k, component in enumerate(components):
            _draw_summary(axes, curves, k, component or "median", _COLORS[k % 8], "-")
        return count
    times, values = rec.time(name), np.asarray(rec[name]).reshape(-1, count, len(components))
    for i in range(count):
        for k, component in enumerate(components):
            color, dash = (_COLORS[k % 8], "-") if count == 1 else (_COLORS[i], _DASHES[k % 4])
            label = component if count == 1 else f"{i} {component}".strip()
            _draw_line(axes, times, values[:, i, k], label=label or None, color=color, linestyle=dash)
    return 1


def _bodies(rec: "Recording", name: str, *, drift: bool = False) -> _Curves:
    """Return the channel itself for one body, or its 5, 50 and 95 % quantiles over many, read block by block."""
    count, components = _split(rec, name)
    times = rec.time(name)
    each = (-1, count, len(components))
    start = np.asarray(rec.read(name, 0, 1), dtype=float).reshape(each)
    blocks = []
    for _, block in rec.blocks(name):
        block = np.asarray(block, dtype=float).reshape(each)
        if drift:
            block = np.linalg.norm(block - start, axis=-1, keepdims=True)
        blocks.append(block if count == 1 else np.moveaxis(np.quantile(block, (0.05, 0.5, 0.95), axis=1), 0, 1))
    values = np.concatenate(blocks) if blocks else np.empty((0, 1, 1 if drift else len(components)))
    return _Curves(times, values, ("",) if drift else components)


def _draw_summary(
    axes: "Axes", curves: _Curves, k: int, label: str, color: str, dash: Any, *, log: bool = False
) -> None:
    """Draw component k: the line of one body, or the median of many in its band."""
    values = curves.values[:, :, k]
    if log:
        values = np.where(values == 0, np.nan, np.abs(values))
    middle = values.shape[1] // 2
    _draw_line(axes, curves.times, values[:, middle], label=label or None, color=color, linestyle=dash)
    if values.shape[1] == 3:
        low, high = np.minimum(values[:, 0], values[:, 2]), np.maximum(values[:, 0], values[:, 2])
        times, low, high = _band(curves.times, low, high)
        axes.fill_between(times, low, high, color=color, alpha=0.2, linewidth=0)


def _draw_line(axes: "Axes", times: np.ndarray, values: np.ndarray, **look: Any) -> None:
    keep = _extremes(values)
    mark: dict[str, Any] = {"marker": ".", "markersize": 4} if len(times) == 1 else {}
    axes.plot(times[keep], values[keep], linewidth=1.1, **mark, **look)


def _flatten(axes: "Axes") -> None:
    """Show what is constant to six digits as a level line, not as its rounding."""
    low, high = axes.get_ylim()
    middle, least = 0.5 * (low + high), 1e-6 * max(abs(low), abs(high))
    if high - low < least:
        axes.set_ylim(middle - 0.05 * abs(middle), middle + 0.05 * abs(middle))


def _extremes(values: np.ndarray) -> np.ndarray:
    """Return the samples to draw: all, or the lowest and highest of each of many equal stretches, first and last."""
    count = len(values)
    width = -(-count // _BUCKETS)
    if width <= 2:
        return np.arange(count)
    whole = count // width * width
    starts = np.arange(0, whole, width)
    stretch = values[:whole].reshape(-1, width)
    gap = np.isnan(stretch)
    low = starts + np.argmin(np.where(gap, np.inf, stretch), axis=1)
    high = starts + np.argmax(np.where(gap, -np.inf, stretch), axis=1)
    return np.unique(np.concatenate([[0], low, high, np.arange(whole, count), [count - 1]]))


def _band(times: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the band by the extremes of many equal stretches, at their first instants."""
    width = -(-len(times) // _BUCKETS)
    if width <= 2:
        return times, low, high
    starts = np.arange(0, len(times), width)
    low, high = np.fmin.reduceat(low, starts), np.fmax.reduceat(high, starts)
    return np.append(times[starts], times[-1]), np.append(low, low[-1]), np.append(high, high[-1])


def _draw_events(axes: "Axes", rec: "Recording", *, named: bool) -> None:
    """Draw events as thin lines over the height of the panel, one dash pattern per name."""
    by_name: dict[str, list[float]] = {}
    for event in rec.events:
        by_name.setdefault(event.name, []).append(event.time)
    for i, (name, times) in enumerate(by_name.items()):
        shown = np.asarray(times)[_extremes(np.asarray(times))]  # of a hail of events only what a page can show
        label = f"event: {name}" if named and i < _EVENTS else "_"
        height = axes.get_xaxis_transform()
        axes.vlines(
            shown, 0, 1, transform=height, colors="0.45", linewidth=0.6, linestyles=_DASHES[(i + 1) % 4], label=label
        )


def _add_legend(axes: "Axes", count: int) -> None:
    """Name the lines beside the panel; say what stands for many bodies."""
    if axes.get_legend_handles_labels()[1]:
        beside: dict[str, Any] = {
            "loc": "upper left",
            "bbox_to_anchor": (1.0, 1.0),
            "borderaxespad": 0.0,
        }  # never over the data
        title = f"median, 5–95 % of {count}" if count > 1 else None
        axes.legend(fontsize=8, title=title, title_fontsize=8, frameon=False, handlelength=1.6, **beside)


def _axis_label(name: str, unit: str) -> str:
    """Return "name [unit]", in two lines when long, exponents raised."""
    raised = re.sub(r"(?:\^|\*\*)(-?\d+)", r"$^{\1}$", unit)
    name = name.replace(".", ".\n", 1) if len(name) > 16 else name
    return f"{name}\n[{raised}]" if raised and len(name) > 10 else f"{name} [{raised}]" if raised else name


def _unit_of(recordings: Mapping[str, "Recording"], name: str) -> str:
    units = {rec.unit(name) for rec in recordings.values()}
    if len(units) > 1:
        raise InputError(f"channel {name!r} has different units", got=", ".join(sorted(units)), allowed="one unit")
    return units.pop()


def _check_path(path: str | os.PathLike[str] | None, overwrite: bool) -> None:
    """Refuse a wrong path before the work is done."""
    if path is None:
        return
    if Path(path).suffix.lower() not in _FORMATS:
        allowed = ", ".join(_FORMATS)
        raise InputError("unknown format of figure", where=str(path), got=Path(path).suffix, allowed=allowed)
    check_new(path, overwrite=overwrite)


def _save(figure: "Figure", path: str | os.PathLike[str] | None, overwrite: bool) -> None:
    if path is None:
        return
    import matplotlib

    suffix = Path(path).suffix.lower()
    # Editable text for journals, and the same bytes for the same plot.
    style: Any = {"pdf.fonttype": 42, "svg.fonttype": "none", "svg.hashsalt": "motiform"}
    undated: dict[str, dict[str, None]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}
    drawn = io.BytesIO()  # matplotlib's writers fail in their own ways on a full disk
    with matplotlib.rc_context(style):
        figure.savefig(drawn, format=suffix[1:], dpi=200, metadata=undated[suffix])
    with new_file(path, overwrite=overwrite) as temporary:
        temporary.write_bytes(drawn.getbuffer())
