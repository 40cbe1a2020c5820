"""Legends and event marks that fit the page without narrowing the axes."""

import textwrap
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import InputError
from motiform.image.curves import extremes
from motiform.image.style import DASHES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

    from motiform.record import Event

__all__ = ["CURVE", "EventKind", "draw_events", "event_kinds", "place_legends"]

CURVE = "curve"
"""Mark of a line that is a channel's."""
_KINDS = 7  # kinds of events with colours of their own
_LONG = 44  # characters of an event's name that is written out
_WIDE = 60  # characters of a line of a legend
_FULL = 40  # events drawn over the height of a panel; more are ticks at its lower edge
_TICK = 0.035  # height of such a tick, of the panel; each kind has a row
# Darker than the curves' colours, and dashed: an event is not taken for a curve.
_COLORS = ("#4D4D4D", "#7B3294", "#8C510A", "#01665E", "#B2182B", "#2166AC", "#999999")
_TEXT: dict[str, Any] = {"fontsize": 8, "title_fontsize": 8, "frameon": False, "handlelength": 1.8, "borderpad": 0.0}
_TEXT |= {"labelspacing": 0.25, "columnspacing": 1.4, "borderaxespad": 0.3, "alignment": "left"}


@dataclass(frozen=True)
class EventKind:
    """Events that are drawn alike."""

    label: str
    times: np.ndarray
    """Instants [s], in their order."""
    color: str
    dash: Any
    row: int | None
    """Row of ticks at the lower edge of a panel, from 0, or None: a line over its height."""


def event_kinds(events: Sequence["Event"]) -> list[EventKind]:
    """Return events by name, or where the names are many or long by what comes before their colon, with counts.

    The rarest of many kinds are put together.
    """
    times: dict[str, list[float]] = {}
    for event in events:
        times.setdefault(event.name, []).append(event.time)
    if len(times) > _KINDS or any(len(name) > _LONG for name in times):
        times = {}
        for event in events:
            times.setdefault(event.name.split(":")[0].strip() or event.name, []).append(event.time)
    common = [name for name, _ in Counter({name: len(some) for name, some in times.items()}).most_common()]
    rest = common[_KINDS - 1 :] if len(common) > _KINDS else []
    named = {name: some for name, some in times.items() if name not in rest}
    if rest:
        named[f"{len(rest)} other kinds"] = [time for name in rest for time in times[name]]
    many = len(events) > _FULL
    return [
        EventKind(
            _counted(name, len(some)), np.sort(some), _COLORS[k], *(("-", k) if many else (DASHES[1 + k % 3], None))
        )
        for k, (name, some) in enumerate(named.items())
    ]


def _counted(name: str, count: int) -> str:
    return f"{name} ({count})" if count > 1 else name


def draw_events(axes: "Axes", kinds: Sequence[EventKind]) -> None:
    """Draw events as thin lines over the height of a panel, or where they are many as ticks at its lower edge."""
    for kind in kinds:
        shown = kind.times[extremes(kind.times)]  # of a hail of events only what a page can show
        low, high = (0.0, 1.0) if kind.row is None else (kind.row * _TICK, (kind.row + 0.9) * _TICK)
        axes.vlines(
            shown, low, high, transform=axes.get_xaxis_transform(), colors=kind.color, linestyles=kind.dash,
            linewidth=0.7 if kind.row is None else 0.9, zorder=1,
        )  # fmt: skip


def place_legends(
    figure: "Figure", legends: Sequence[tuple["Axes", str | None]], kinds: Sequence[EventKind], *, grow: bool
) -> None:
    """Put a legend over each panel that has named lines, one of events under all, each as wide as the panels at most.

    With `grow` the figure becomes higher by what they take. A figure that is too small for them is refused.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        figure.draw_without_rendering()  # what numbers and names of the axes leave
        wide = min(axes.get_window_extent().width for axes, _ in legends)
        made = [one for axes, title in legends if (one := _panel_legend(axes, title, wide))]
        made += [_event_legend(figure, kinds, wide)] if kinds else []
        if grow and made:
            taken = sum(legend.get_window_extent().height / figure.dpi + 0.06 for legend in made)
            figure.set_size_inches(figure.get_figwidth(), figure.get_figheight() + taken)
        figure.draw_without_rendering()
    if any("constrained_layout" in str(one.message) for one in caught):
        width, height = figure.get_size_inches()
        got = f"{width:g} × {height:g} inches"
        raise InputError("the figure is too small for its panels and legends", got=got, remedy="Make it larger.")


def _panel_legend(axes: "Axes", title: str | None, wide: float) -> "Legend | None":
    lines = [line for line in axes.lines if line.get_gid() == CURVE]
    labels = [str(line.get_label()) for line in lines]
    if labels in ([], [" "]):
        return None
    left = _beside_offset(axes)
    place: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (left, 1.0), "title": title}
    return _fitted(axes, lines, labels, wide * (1.0 - left), place)


def _beside_offset(axes: "Axes") -> float:
    """Return where the factor of the numbers ends that is written over an axis (1e−9), as a part of the width."""
    offset, panel = axes.yaxis.get_offset_text(), axes.get_window_extent()
    if not offset.get_text():
        return 0.0
    return float((offset.get_window_extent().x1 - panel.x0) / panel.width) + 0.01


def _event_legend(figure: "Figure", kinds: Sequence[EventKind], wide: float) -> "Legend":
    from matplotlib.lines import Line2D

    lines = [Line2D([], [], color=kind.color, linestyle=kind.dash, linewidth=1.0) for kind in kinds]
    place = {"loc": "outside lower center", "title": "events"}
    return _fitted(figure, lines, [kind.label for kind in kinds], wide, place)


def _fitted(owner: Any, lines: Sequence[Any], labels: Sequence[str], wide: float, place: dict[str, Any]) -> "Legend":
    """Return a legend in as many columns as fit into a width [pixel]."""
    texts = [textwrap.fill(label, _WIDE) for label in labels]
    for columns in range(len(lines), 0, -1):
        legend: Legend = owner.legend(lines, [" "] * len(lines), ncols=columns, **place, **_TEXT)
        for shown, text in zip(legend.get_texts(), texts, strict=True):
            shown.set(text=text, parse_math=False)  # a name is a name, whatever it has in it
        if legend.get_window_extent().width <= wide or columns == 1:
            break
        legend.remove()
    return legend
