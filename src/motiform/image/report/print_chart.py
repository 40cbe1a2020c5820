"""Charts of a report as pictures for a PDF file, drawn by matplotlib."""

from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.image.report.blocks import Picture
from motiform.image.report.chart import VIRIDIS, Chart, Curve, CurveBand, Heat, Panel, Signs, axis_ticks, column_ticks
from motiform.image.report.plots import blank, png_of, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["chart_picture"]


def chart_picture(chart: Chart) -> Picture:
    """Return a chart as a picture."""
    page = blank(chart.height, chart.wide)
    legend = chart.legend()
    rows = -(-len(chart.panels) // chart.columns)
    head = chart.height - rows * chart.tall
    drawn: dict[str, Any] = {}
    for n, panel in enumerate(chart.panels):
        wide = chart.wide / chart.columns
        left = wide * (n % chart.columns) + chart.left
        bottom = chart.height - head - chart.tall * (n // chart.columns + 1) + 0.4
        size = wide - chart.left - chart.right, chart.tall - 0.62
        axes = page.add_axes((left / chart.wide, bottom / chart.height, size[0] / chart.wide, size[1] / chart.height))
        _draw(axes, panel, size)
        drawn |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    if legend:
        handles = [drawn[label] for label in legend]
        page.legend(handles, list(legend), fontsize=7, frameon=False, loc="upper right", ncol=4, borderaxespad=0.1)
    return Picture(png_of(page), chart.alt, chart.caption, wide=chart.columns > 1 or chart.wide > 5)


def _draw(axes: "Axes", panel: Panel, size: tuple[float, float]) -> None:
    for one in panel.items:
        _item(axes, one)
    if panel.zero:
        axes.axhline(0.0, color="#888", linewidth=0.5)
    for x, color in panel.uprights:
        axes.axvline(x, color=color, linewidth=0.8, linestyle="--")
    xlim, ylim = panel.limits(*size)
    axes.set(xlim=xlim, ylim=ylim)
    axes.set_title(panel.title, fontsize=7, pad=2, parse_math=False, y=1.0)  # a place given is not looked for
    axes.set_xlabel(panel.xlabel, fontsize=7, labelpad=1)
    axes.set_ylabel(panel.ylabel, fontsize=7)
    quiet(axes)
    for ends, log, place in ((xlim, panel.xlog, axes.set_xticks), (ylim, panel.ylog, axes.set_yticks)):
        names = panel.xnames if ends is xlim else ()
        if log or names:
            place(*axis_ticks(ends, log, names))


def _item(axes: "Axes", one: Curve | CurveBand | Signs | Heat) -> None:
    across = axes.get_xaxis_transform() if getattr(one, "foot", False) else axes.transData
    if isinstance(one, Curve):
        if one.fill is not None:
            axes.fill(one.x, one.y, facecolor=one.fill, linewidth=0)
        axes.plot(one.x, one.y, color=one.color, linewidth=one.width, alpha=one.alpha, label=one.label,
                  linestyle="--" if one.dashed else "-", transform=across)  # fmt: skip
    elif isinstance(one, CurveBand):
        axes.fill_between(one.x, one.low, one.high, color=one.color, alpha=one.alpha, linewidth=0, label=one.label)
    elif isinstance(one, Signs):
        y = np.broadcast_to(one.y, np.shape(one.x))
        axes.plot(one.x, y, one.sign, color=one.color, ms=one.size, transform=across, linestyle="none")
    else:
        _heat(axes, one)


def _heat(axes: "Axes", one: Heat) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    axes.set_facecolor("#dfe3e7")
    shown = axes.imshow(
        np.ma.masked_invalid(one.values), aspect="auto", cmap=LinearSegmentedColormap.from_list("values", VIRIDIS),
        vmin=one.least, vmax=one.most, interpolation="nearest", extent=(one.start, one.end, len(one.rows) - 0.5, -0.5),
    )  # fmt: skip
    scale = axes.inset_axes((1.01, 0.0, 0.015, 1.0))
    axes.get_figure().colorbar(shown, cax=scale).ax.tick_params(labelsize=6)  # type: ignore[union-attr]
    axes.set_yticks(range(len(one.rows)), list(one.rows), fontsize=5.5, parse_math=False)
    if one.columns:
        axes.set_xticks(*column_ticks(one))
