"""Plots of channels beside the view, each with a cursor at the time that is shown."""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from motiform.base.errors import MotiformError
from motiform.base.markup import html, join, page
from motiform.image.style import CURSOR, colors_of, pretty_unit
from motiform.studio.curves import ChartCurves, curves_of, element, element_names, elements_of, value_at, with_cursor

if TYPE_CHECKING:
    from viser import ViserServer

    from motiform.record import Recording

__all__ = ["Plots", "first_channels"]

NONE = "(none)"
SLOTS = 3
_FONT = "11px system-ui, sans-serif"
_AXIS: Any = {"font": _FONT, "labelFont": _FONT, "labelGap": 2, "gap": 3, "ticks": {"size": 4, "width": 1}}

Guard = Callable[[Callable[..., Any]], Callable[..., None]]


class Plots:
    """A column of plots: each one shows the channel chosen above it."""

    def __init__(self, server: "ViserServer", *, guard: Guard) -> None:
        self._lock = threading.RLock()
        self._slots = [_Slot(server, number + 1, self._lock, guard) for number in range(SLOTS)]

    @property
    def names(self) -> list[str]:
        """Names of what is shown: channels, or parts of them."""
        return [slot.name for slot in self._slots if slot.name]

    def load(self, recording: "Recording", hints: list[str]) -> None:
        """Offer the channels of a recording; keep those that were chosen if it has them too."""
        names = [name for name in recording.names if _plottable(recording, name)]
        picked = [slot.picked for slot in self._slots]
        parts = [name for name in (*picked, *hints) if name not in names and _plottable(recording, name)]
        names = [*dict.fromkeys(parts), *names]
        chosen = first_channels(names, picked, hints)
        with self._lock:
            for slot, name in zip(self._slots, chosen, strict=True):
                slot.load(recording, names, name)

    def move(self, instant: float) -> None:
        """Put the cursors at an instant [s]."""
        with self._lock:
            for slot in self._slots:
                slot.move(instant)


class _Slot:
    def __init__(self, server: "ViserServer", number: int, lock: Any, guard: Guard) -> None:
        self._server, self._lock = server, lock
        self._recording: Any = None
        self.name = self.picked = ""
        self._instant = 0.0
        self._curves: ChartCurves | None = None
        self._chart: Any = None
        self._turn = False
        gui = server.gui
        with gui.add_folder(None) as self._folder:
            hint = "Any channel of the recording. Drag over a plot to zoom in, double-click to see all."
            self._picker: Any = gui.add_dropdown(f"Plot {number}", (NONE,), hint=hint)
            hint = "The channel has many: the one to show."
            self._named: Any = gui.add_dropdown("Which one", (NONE,), visible=False, hint=hint)
            self._element = gui.add_number("Which one", 0, min=0, step=1, visible=False, hint=hint)
            self._values = gui.add_html("", visible=False)
        self._picker.on_update(guard(self._picked))
        self._named.on_update(guard(self._picked))
        self._element.on_update(guard(self._picked))

    def load(self, recording: Any, names: list[str], name: str) -> None:
        self._recording = None  # keeps the callbacks below quiet while the widgets are changed
        self._picker.options = (NONE, *names)
        self._picker.value = name or NONE
        self._recording, self._instant = recording, float(recording.time(names[0])[0]) if names else 0.0
        self._draw()

    def move(self, instant: float) -> None:
        self._instant = instant
        if self._curves is not None and self._chart is not None:
            # A chart loses the numbers of its time axis when it gets data in the moment that it is laid out, until the
            # axis changes: so it changes every time, by less than can be seen.
            self._turn = not self._turn
            self._chart.data = with_cursor(self._curves, instant, stretch=1e-6 * self._turn)
            self._values.content = _values_html(self._curves, instant)

    def _picked(self, event: Any) -> None:
        if event.client_id is not None:
            with self._lock:
                self._draw()

    def _draw(self) -> None:
        if self._chart is not None:
            self._chart.remove()
        self._chart, self._curves, self.name, self.picked = None, None, "", ""
        recording, name = self._recording, self._picker.value
        if recording is None or name == NONE:
            self._named.visible = self._element.visible = self._values.visible = False
            return
        self.picked, self.name = name, self._chosen(recording, name)
        self._curves = curves_of(recording, self.name)
        with self._folder:
            self._chart = _chart(self._server, self._curves, self._instant)
        self._values.content, self._values.visible = _values_html(self._curves, self._instant), True

    def _chosen(self, recording: Any, name: str) -> str:
        """Offer the elements of a channel that has many, and return the name of what is to be shown."""
        names, count = element_names(recording, name), elements_of(recording.channel(name).shape)
        self._named.visible, self._element.visible = bool(names), count > 1 and not names
        if names:
            kept = self._named.value
            self._named.options = names
            self._named.value = kept if kept in names else names[0]
            return f"{name}.{self._named.value}"
        self._element.max = max(count - 1, 0)
        return element(recording, name, int(self._element.value)) if count > 1 else name


def first_channels(names: list[str], chosen: list[str], hints: list[str]) -> list[str]:
    """Return the channel of each slot: what was chosen if it still exists, then hints, then energy, then the first."""
    hints = hints or _muscular(names)
    wanted = [*hints, "energy", *[n for n in names if n.endswith(("angular_velocity", "velocity"))], *names]
    kept = [name if name in names else "" for name in chosen]
    if any(kept):
        return kept
    offered = list(dict.fromkeys(name for name in wanted if name in names))
    count = min(max(2, len(hints)), len(chosen))
    return (offered[:count] + [""] * len(chosen))[: len(chosen)]


def _muscular(names: list[str]) -> list[str]:
    """Return activations, forces and torques of muscles, where a recording has them."""
    muscles = [name.removesuffix(".activation") for name in names if name.endswith(".activation")]
    return [name for one in muscles[:1] for name in (f"{one}.activation", f"{one}.force", "tau") if name in names]


def _plottable(recording: "Recording", name: str) -> bool:
    try:
        return recording.count(name) > 1
    except MotiformError:  # it has none of this name
        return False


def _chart(server: "ViserServer", curves: ChartCurves, instant: float) -> Any:
    series: list[dict[str, Any]] = [{"label": "t [s]"}]
    for name, color in zip(curves.names, colors_of(curves.names), strict=True):
        series.append({"label": name, "stroke": color, "width": 1.6, "points": {"show": False}})
    series.append({"label": "now", "stroke": CURSOR, "width": 1.4, "points": {"show": False}})
    return server.gui.add_uplot(
        data=with_cursor(curves, instant),
        series=tuple(series),  # type: ignore[arg-type]
        scales={"x": {"time": False}, "y": {"range": curves.span}},
        axes=(
            {"label": "time [s]", "labelSize": 16, "size": 30, **_AXIS},
            {"label": curves.label, "labelSize": 18, "size": 46, **_AXIS},
        ),
        legend={"show": False},
        height=200,
        padding=(10, 14, 0, 0),
    )


def _values_html(curves: ChartCurves, instant: float) -> str:
    """Return the values at the cursor, in the colours of the curves: it is the legend too."""
    units = [f" {pretty_unit(unit)}" if len(set(curves.units)) > 1 else "" for unit in curves.units]
    values = zip(curves.names, colors_of(curves.names), value_at(curves, instant), units, strict=True)
    cells = join(
        html(
            '<span style="white-space:nowrap"><span style="color:{};font-weight:700">{}</span>&nbsp;{:.6g}{}</span>',
            color, "●" if name == "value" else name, value, unit,
        )
        for name, color, value, unit in values
    )  # fmt: skip
    return page(
        '<div class="motiform-values" style="display:flex;flex-wrap:wrap;gap:0 1em;padding:0 .9em .4em;font-size:.8em;'
        'font-variant-numeric:tabular-nums">{}</div>',
        cells,
    )
