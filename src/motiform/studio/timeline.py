"""The controls of time on the page: play, pause, scrub, speed, loop."""

from collections.abc import Callable
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any

from motiform.base.libraries import load_library
from motiform.base.markup import page
from motiform.studio.player import Player

if TYPE_CHECKING:
    from viser import ViserServer

__all__ = ["SPEEDS", "Timeline", "readout", "slider_step"]

SPEEDS = {"1/8 ×": 0.125, "1/4 ×": 0.25, "1/2 ×": 0.5, "1 ×": 1.0, "2 ×": 2.0, "4 ×": 4.0, "8 ×": 8.0}
STEPS = {"|◀": -(10**12), "◀": -1, "▶": 1, "▶|": 10**12}


class Timeline:
    """Widgets over a player. They change the player; `refresh` makes them show it."""

    def __init__(self, server: "ViserServer", player: Player, on_change: Callable[[], None], *, guard: Any) -> None:
        self._server, self._player, self._on_change = server, player, on_change
        self._shown: tuple[Any, ...] = ()
        self._build(guard)
        self._add_keys(guard)

    def _build(self, guard: Any) -> None:
        viser = load_library("viser")

        gui, player = self._server.gui, self._player
        self._readout = gui.add_html(readout(player))
        self._slider: Any = gui.add_slider(
            "Time [s]", 0.0, 1.0, 0.001, 0.0, hint="Drag to any instant of the recording."
        )
        self._play = gui.add_button("Play", icon=viser.Icon.PLAYER_PLAY_FILLED, hint="Play or pause (space bar).")
        self._steps = gui.add_button_group(
            "Step", tuple(STEPS), hint="First sample, one back, one forward, last sample (arrow keys)."
        )
        self._speed: Any = gui.add_dropdown(
            "Speed", tuple(SPEEDS), initial_value="1 ×", hint="Seconds of the recording per second of your life."
        )
        self._loop = gui.add_checkbox("Loop", player.loop, hint="Begin again at the end.")
        self._slider.on_update(guard(self._scrubbed))
        self._play.on_click(guard(lambda _: self._do(player.toggle)))
        self._steps.on_click(guard(lambda event: self._do(lambda: player.step(STEPS[event.target.value]))))
        self._speed.on_update(guard(lambda event: self._do(lambda: player.set_speed(SPEEDS[event.target.value]))))
        self._loop.on_update(guard(lambda event: setattr(player, "loop", bool(event.target.value))))

    def _add_keys(self, guard: Any) -> None:
        keys = {
            "Play or pause": ("space", self._player.toggle),
            "One sample forward": ("arrowright", lambda: self._player.step(1)),
            "One sample back": ("arrowleft", lambda: self._player.step(-1)),
        }
        for label, (key, action) in keys.items():
            command = self._server.gui.add_command(label, hotkey=key)  # type: ignore[arg-type]
            command.on_trigger(guard(lambda _, action=action: self._do(action)))

    def load(self, speed: float | None = None) -> None:
        """Fit the slider to the player's recording; choose the speed nearest to one that is asked for."""
        if speed is not None:
            self._speed.value = min(SPEEDS, key=lambda name: abs(log10(SPEEDS[name] / speed)))
            self._player.set_speed(SPEEDS[self._speed.value])
        step = slider_step(self._player.start, self._player.end)
        digits = max(0, -floor(log10(step) + 1e-9))
        low, high = floor(self._player.start / step + 1e-6) * step, ceil(self._player.end / step - 1e-6) * step
        with self._server.atomic():
            self._slider.min, self._slider.max = round(low, digits), round(max(high, low + step), digits)
            self._slider.step, self._slider.precision = step, digits
        self._shown = ()
        self.refresh()

    def refresh(self) -> None:
        """Show the player's state; nothing is sent when nothing changed."""
        viser = load_library("viser")

        player = self._player
        state = (player.time, player.sample, player.playing)
        if state == self._shown:
            return
        self._shown = state
        self._readout.content = readout(player)
        self._slider.value = round(player.time / self._slider.step) * self._slider.step
        label = "Pause" if player.playing else "Play"
        if self._play.label != label:
            self._play.label = label
            self._play.icon = viser.Icon.PLAYER_PAUSE_FILLED if player.playing else viser.Icon.PLAYER_PLAY_FILLED

    def _scrubbed(self, event: Any) -> None:
        if event.client_id is not None:  # None: we moved the slider ourselves
            self._do(lambda: self._player.seek(float(event.target.value), hold=True))

    def _do(self, action: Callable[[], Any]) -> None:
        action()
        self._on_change()


def readout(player: Player) -> str:
    """Return the time and sample shown, as HTML."""
    digits = max(2, -floor(log10(slider_step(player.start, player.end)) + 1e-9))
    return page(
        '<div id="motiform-time" style="padding:0 .75em .6em;display:flex;justify-content:space-between;'
        'align-items:baseline;font-variant-numeric:tabular-nums">'
        '<span><b style="font-size:1.35em">{:.{digits}f}</b> <span style="opacity:.65">/ {:.{digits}f} s</span></span>'
        '<span style="opacity:.65;font-size:.85em">sample {} of {}</span></div>',
        player.time, player.end, player.sample + 1, player.times.size, digits=digits,
    )  # fmt: skip


def slider_step(start: float, end: float) -> float:
    """Return a power of ten [s] that cuts the slider in a thousand steps or more; of one instant, that of a second.

    >>> slider_step(0, 60), slider_step(0, 1), slider_step(0, 0)
    (0.01, 0.001, 0.001)
    """
    return 10.0 ** floor(log10(max(end - start, 1e-9) if end > start else 1.0) - 3 + 1e-9)
