"""Plots of channels over time in publication quality; no window, no global state."""

import io
import os
import re
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.digest import Digest
from motiform.base.errors import InputError
from motiform.image.curves import (
    LINES,
    ChannelPart,
    PlotCurves,
    check_samples,
    extremes,
    extremes_of_band,
    largest_range,
    parts,
    read_curves,
)
from motiform.image.files import check_new, new_file
from motiform.image.legends import CURVE, draw_events, event_kinds, place_legends
from motiform.image.stamp import NAME, append_checksum
from motiform.image.style import COLORS, CURSOR, DASHES, axis_of, colors_of, pretty_unit
from motiform.record.recording import check_recording

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from motiform.record import Recording

__all__ = ["compare_plot", "plot_channels", "plot_key"]

_FORMATS = (".svg", ".pdf", ".png")
_TALL = 18  # characters of a name along the vertical axis


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
    """Plot channels over a shared time axis, a panel for each and its unit; save the figure if ``path`` is given.

    A name is a channel or a part of one by the labels of its axes: "q", "q.right_knee_extension",
    "solid.wrench.right_foot". Up to 12 numbers are lines with their names; of more coordinates those 12 that vary the
    most are drawn, and many bodies or points as median and 5 to 95 % band. Long recordings are drawn by the extremes of
    each column of the picture, so no peak is lost. Events are thin lines, or ticks at the lower edge where there are
    many, told apart by colour in the legend under the panels.

    Parameters
    ----------
    path : file to write; .svg, .pdf or .png (200 dpi).
    size : width and height [inch]; chosen by the number of panels and their legends when None.
    cursor : instant to mark [s].
    """
    check_recording(rec)
    check_figure(path, overwrite)
    names = [names] if isinstance(names, str) else list(names)
    if not names:
        raise InputError("a plot needs a channel", allowed=", ".join(rec.names) or "none: the recording is empty")
    shown = [part for name in names for part in parts(rec, name)]
    for name in names:
        check_samples(rec, name)
    figure, panels = _new_figure(len(shown), title, size)
    kinds = event_kinds(rec.events)
    legends = []
    for axes, part in zip(panels, shown, strict=True):
        legends.append((axes, _draw_part(axes, rec, part)))
        draw_events(axes, kinds)
        if cursor is not None:
            axes.axvline(cursor, color=CURSOR, linewidth=1.0, gid="cursor")
        _set_label(axes, part.name, part.unit)
        _flatten(axes)
    _finish(figure, panels, ", ".join(names), rec._where)
    place_legends(figure, legends, kinds, grow=size is None)
    _save(figure, path, overwrite, None if path is None else plot_key(rec, names, title, size, cursor))
    return figure


def plot_key(
    rec: "Recording", names: Sequence[str], title: str | None, size: object = None, cursor: float | None = None
) -> str:
    """Return a hash of all that a plot of channels depends on."""
    from motiform import __version__

    digest = Digest(__version__, list(names), title, size, cursor, rec.events)
    for name in names:
        digest.add(rec.unit(name), rec.labels(name))
        digest.add_blocks(part for k, x in rec.blocks(name) for part in (x, rec.time(name, k, k + len(x))))
    return digest.text()


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
    name : a channel, or a part of one by the labels of its axes.
    log : logarithmic axis; magnitudes are drawn, zeros are gaps.
    drift : draw the distance of each sample from the first one (one panel), e.g. the error of a conserved quantity.
    """
    check_figure(path, overwrite)
    if not recordings:
        raise InputError("a comparison needs a recording", allowed="one or more labels with their recordings")
    wholes = {label: _whole(rec, name) for label, rec in recordings.items()}
    whole = next(iter(wholes.values()))
    for label, other in wholes.items():
        check_samples(recordings[label], name)
        _check_alike(whole, other, name, label)
    count = len(whole.elements)
    curves = [read_curves(rec, whole, band=count > 1, drift=drift) for rec in recordings.values()]
    components = ("",) if drift else whole.components
    figure, panels = _new_figure(len(components), title, size)
    for k, (axes, component) in enumerate(zip(panels, components, strict=True)):
        for i, (label, one) in enumerate(zip(recordings, curves, strict=True)):
            _draw_summary(axes, _magnitude(one) if log else one, k, label, COLORS[i % 8], DASHES[i % 4])
        if log:
            axes.set_yscale("log")
        shown = f"{name}.{component}" if component else name
        _set_label(axes, f"drift of {shown}" if drift else shown, whole.unit)
    _finish(figure, panels, name, ", ".join(recordings))
    title_of_band = f"median, 5–95 % of {count}" if count > 1 else None
    place_legends(figure, [(panels[0], title_of_band)], [], grow=size is None)
    _save(figure, path, overwrite)
    return figure


def _whole(rec: "Recording", name: str) -> ChannelPart:
    """Return a channel whose numbers share a unit."""
    found = parts(rec, name)
    if len(found) > 1:
        units = ", ".join(part.unit or "1" for part in found)
        remedy = f"Choose some by name, such as {name}.{rec.labels(name)[-1][0]}."
        raise InputError(f"channel {name!r} has several units", where=rec._where, got=units, remedy=remedy)
    return found[0]


def _check_alike(one: ChannelPart, other: ChannelPart, name: str, label: str) -> None:
    if (other.elements, other.components) != (one.elements, one.components):
        got, allowed = (f"{len(p.elements)} × {len(p.components)} numbers" for p in (other, one))
        raise InputError(f"channel {name!r} has another shape", where=label, got=got, allowed=allowed)
    if other.unit != one.unit:
        raise InputError(f"channel {name!r} has different units", where=label, got=other.unit, allowed=one.unit)


def empty_figure(size: tuple[float, float]) -> "Figure":
    """Return a figure of that width and height [inches] that needs no display."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    if not all(np.isfinite(side) and 0.5 <= side <= 200 for side in size):
        raise InputError(
            "size must be a width and a height within bounds",
            got=size,
            allowed="width and height from 0.5 to 200 inches",
        )
    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _new_figure(count: int, title: str | None, size: tuple[float, float] | None) -> tuple["Figure", list["Axes"]]:
    figure = empty_figure(size or (7.0, 0.7 + 1.7 * count))
    panels = list(figure.subplots(count, 1, sharex=True, squeeze=False)[:, 0])
    for axes in panels:
        axes.tick_params(labelsize=8)
        axes.yaxis.get_offset_text().set_fontsize(8)
        axes.grid(alpha=0.25, linewidth=0.5)
        axes.spines[["top", "right"]].set_visible(False)
        axes.margins(x=0.01)
    if title:
        figure.suptitle(textwrap.fill(title, 70), fontsize=11, parse_math=False)
    figure.align_ylabels(panels)
    return figure, panels


def _draw_part(axes: "Axes", rec: "Recording", part: ChannelPart) -> str | None:
    """Draw the lines of a part; return what is said over their names."""
    curves = read_curves(rec, part, band=part.spread)
    if part.spread:
        for k, (component, color) in enumerate(zip(part.components, colors_of(part.components), strict=True)):
            _draw_summary(axes, curves, k, component or "median", color, "-")
        return f"median, 5–95 % of {len(part.elements)}"
    chosen = list(range(len(part.labels)))
    if len(chosen) > LINES:
        chosen = largest_range(curves)
    labels = [part.labels[k] for k in chosen]
    lines = curves.values.reshape(len(curves.times), -1)[:, chosen].T
    for values, label, (color, dash) in zip(lines, labels, _looks(part, labels), strict=True):
        _draw_line(axes, curves.times, values, label, color, dash)
    return f"{LINES} of {len(part.labels)}, those that vary the most" if len(part.labels) > LINES else None


def _looks(part: ChannelPart, labels: list[str]) -> list[tuple[str, Any]]:
    """Return colour and dash of each line: axes have their colours, and elements differ in the other."""
    components, many = part.components, len(part.elements) > 1
    if many and len(components) > 1 and all(axis_of(one) for one in components):
        colors = colors_of(components)
        return [(color, DASHES[i % 4]) for i in range(len(part.elements)) for color in colors]
    if many and len(components) > 1:
        return [(COLORS[i % 8], DASHES[k % 4]) for i in range(len(part.elements)) for k in range(len(components))]
    return [(color, DASHES[n // 8 % 4]) for n, color in enumerate(colors_of(labels))]


def _draw_summary(axes: "Axes", curves: PlotCurves, k: int, label: str, color: str, dash: Any) -> None:
    """Draw component k: the line of one body, or the median of many in its band."""
    values = curves.values[:, :, k]
    _draw_line(axes, curves.times, values[:, values.shape[1] // 2], label, color, dash)
    if values.shape[1] == 3:
        low, high = np.minimum(values[:, 0], values[:, 2]), np.maximum(values[:, 0], values[:, 2])
        times, low, high = extremes_of_band(curves.times, low, high)
        axes.fill_between(times, low, high, color=color, alpha=0.2, linewidth=0)


def _magnitude(curves: PlotCurves) -> PlotCurves:
    return PlotCurves(curves.times, np.where(curves.values == 0, np.nan, np.abs(curves.values)))


def _draw_line(axes: "Axes", times: np.ndarray, values: np.ndarray, label: str, color: str, dash: Any) -> None:
    keep = extremes(values)
    # A label that is empty, or begins with an underscore, has a meaning of its own to matplotlib.
    label = label if label and not label.startswith("_") else f" {label}"
    axes.plot(times[keep], values[keep], linewidth=1.1, label=label, color=color, linestyle=dash, gid=CURVE)


def _flatten(axes: "Axes") -> None:
    """Show what is constant to six digits as a level line, not as its rounding."""
    low, high = axes.get_ylim()
    middle, least = 0.5 * (low + high), 1e-6 * max(abs(low), abs(high))
    if high - low < least:
        axes.set_ylim(middle - 0.05 * abs(middle), middle + 0.05 * abs(middle))


def _finish(figure: "Figure", panels: list["Axes"], what: str, where: str) -> None:
    """Name the time axis; say in the panel, or where all are so refuse, that there is nothing to draw."""
    panels[-1].set_xlabel("time [s]", fontsize=9)
    empty = [axes for axes in panels if not any(np.isfinite(line.get_ydata()).any() for line in _curves(axes))]
    if len(empty) == len(panels):
        raise InputError("no value is finite", where=where, got=what)
    for axes in empty:
        axes.text(0.5, 0.5, "no value is finite", transform=axes.transAxes, ha="center", fontsize=9, color="0.4")


def _curves(axes: "Axes") -> list[Any]:
    return [line for line in axes.lines if line.get_gid() == CURVE]


def _set_label(axes: "Axes", name: str, unit: str) -> None:
    """Name the vertical axis: "name [unit]", in lines that are no longer than the axis."""
    parted = [part for part in re.split(r"(?<=[._ ])", name) if part]
    lines = [""]
    for part in parted:
        lines = [*lines[:-1], lines[-1] + part] if len(lines[-1] + part) <= _TALL else [*lines, part]
    shown = "\n".join(line.strip() for line in lines if line.strip())
    unit = f"[{pretty_unit(unit)}]" if pretty_unit(unit) else ""
    apart = "\n" if len(lines[-1] + unit) > _TALL - 2 else " "
    axes.set_ylabel(f"{shown}{apart}{unit}".strip(), fontsize=9, parse_math=False)


def check_figure(path: str | os.PathLike[str] | None, overwrite: bool) -> None:
    """Refuse a wrong path of a figure before the work is done."""
    if path is not None:
        check_new(path, suffixes=_FORMATS, kind="figure", overwrite=overwrite)


def _save(figure: "Figure", path: str | os.PathLike[str] | None, overwrite: bool, key: str | None = None) -> None:
    """Write the figure, with the key by which it is known again."""
    if path is None:
        return
    import matplotlib

    suffix = Path(path).suffix.lower()
    # Editable text for journals, and the same bytes for the same plot.
    style: Any = {"pdf.fonttype": 42, "svg.fonttype": "none", "svg.hashsalt": "motiform"}
    undated: dict[str, dict[str, Any]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}
    if key is not None:
        undated[".png"][NAME] = key
        undated[".svg"]["Keywords"] = undated[".pdf"]["Keywords"] = f"{NAME} {key}"
    drawn = io.BytesIO()  # matplotlib's writers fail in their own ways on a full disk
    with matplotlib.rc_context(style):
        figure.savefig(drawn, format=suffix[1:], dpi=200, metadata=undated[suffix])
    with new_file(path, overwrite=overwrite) as temporary:
        # Not getbuffer(): Python 3.12.1 crashes when it collects one that an error's frames hold.
        temporary.write_bytes(drawn.getvalue())
        if key is not None and suffix != ".png":  # which has sums of its own
            append_checksum(temporary)
