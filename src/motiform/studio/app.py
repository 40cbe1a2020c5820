"""The studio: the page and the function that opens it."""

import logging
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from motiform.base.errors import MotiformError
from motiform.studio.access import Access
from motiform.studio.gallery import GalleryRoom
from motiform.studio.holding import hold_open
from motiform.studio.live_panel import LivePanel
from motiform.studio.panels import ExportPanel, ScenePanel, scene_of
from motiform.studio.parts import PartsPanel
from motiform.studio.player import Player
from motiform.studio.plots import Plots
from motiform.studio.rooms import Rooms
from motiform.studio.runs import Runner, plain
from motiform.studio.screen_room import ScreenRoom
from motiform.studio.server import close_server, open_server
from motiform.studio.stimulation import Later
from motiform.studio.timeline import Timeline
from motiform.studio.view import View

if TYPE_CHECKING:
    from motiform.record import Recording
    from motiform.studio.trial_panel import TrialPanel

__all__ = ["Studio", "serve"]

FRAME = 1 / 30  # [s] between two pictures
PLOT = 0.9 / 15  # [s] between two positions of the cursors while playing
log = logging.getLogger(__name__)


def serve(
    recording: "Recording | str | Path | None" = None,
    scene: Any = None,
    host: str = "127.0.0.1",
    port: int = 8080,
    open_browser: bool = True,
    block: bool = True,
    live: bool = False,
    midi: str | None = None,
    osc: int | None = None,
    osc_force: str | None = None,
    markers: str | Path | None = None,
) -> "Studio":
    """Open the studio.

    Parameters
    ----------
    recording
        What to show first, or its path.
    scene
        A scene, the name of a built-in one, or the path of a file: its parameters are offered, and it is run when there
        is no recording. Without either, a built-in scene is run.
    host
        Address to listen on: by default only this machine.
    port
        The next free one is taken when it is in use; 0 takes any.
    open_browser
        Show the page in the default browser.
    block
        Stay until Ctrl-C; otherwise return at once, and `Studio.close` ends it.
    live
        Run a scene of masses and links in real time with an interactive hand, instead of recording it.
    midi
        MIDI port that moves the hand of live runs, "first" for the first that is connected (with mido).
    osc
        UDP port of OSC messages that move the hand of live runs (with python-osc).
    osc_force
        Where OSC messages of what the hand of live runs feels go, "host:port" or a port of this machine.
    markers
        File of markers to reconstruct: its parameters are offered.
    """
    studio = Studio(host=host, port=port)
    studio.live.midi, studio.live.osc, studio.live.osc_force = midi, osc, osc_force
    begin = partial(studio.begin, recording, scene, live=live, markers=markers)
    hold_open(studio, begin, host=host, port=port, open_browser=open_browser, block=block)
    return studio


class Studio:
    """A web page with a view, a timeline, plots, scenes to run and files to take away.

    All open pages show the same: one recording, one time. Its parts may be used from any thread.
    """

    def __init__(self, *, host: str = "127.0.0.1", port: int = 8080) -> None:
        self.screens, rooms = ScreenRoom(), Rooms()
        rooms.add("gallery", GalleryRoom(self.open_scene))
        rooms.add("screen", self.screens)
        self.access = Access(host)
        self.server = open_server(self.access, port, rooms)
        self.url = self.access.url()
        self.recording: Recording | None = None
        self.trial: TrialPanel | None = None
        """The panel of a reconstruction, where the studio was opened with a file of markers."""
        self.player = Player()
        self._lock = threading.RLock()
        self._closed, self._wake = threading.Event(), threading.Event()
        self._drawn = self._plotted = -1
        self._plotted_at = 0.0
        self._notice = ("", "")
        self.runner = Runner(
            on_progress=lambda fraction: self.scenes.progress(fraction), on_done=self._ran, on_failed=self._failed,
            on_cancelled=lambda: self.scenes.idle("Cancelled."),
        )  # fmt: skip
        self.view = View(self.server)
        self._lay_out()
        self.view.show(None)
        self.server.on_client_connect(self.guard(self._on_connect))
        self._thread = threading.Thread(target=self._play, name="motiform-player", daemon=True)
        self._thread.start()

    def _lay_out(self) -> None:
        """Put scenes on the left, plots on the right, time under the view."""
        gui = self.server.gui
        self._rerun = Later(self.guard(self.run_again))
        self.scenes = ScenePanel(
            self.server, on_run=self.run, on_cancel=self.runner.cancel, on_slide=self._rerun.ask, guard=self.guard
        )
        self.exports = ExportPanel(self.server, self._file_source, guard=self.guard)
        self.live = LivePanel(self)
        with gui.add_folder("View"):
            everything = gui.add_button(
                "See the whole motion", color="gray", hint="Drag to turn, scroll to come closer."
            )
            paths = gui.add_checkbox("Paths", True, hint="The lines that the bodies follow.")
        self.parts = PartsPanel(self.server, self.view, guard=self.guard)
        everything.on_click(self.guard(lambda event: self.view.frame(event.client)))
        paths.on_update(self.guard(lambda event: self.view.show_paths(bool(event.target.value))))
        gui.main_panel.dock_left()
        gui.main_panel.set_width(330)
        right = gui.add_panel()
        with right.add_tab("Plots"):
            self.plots = Plots(self.server, guard=self.guard)
        right.dock_right()
        right.set_width(340)
        bottom = gui.add_panel()
        with bottom.add_tab("Timeline"):
            self.timeline = Timeline(self.server, self.player, self._wake.set, guard=self.guard)
        bottom.float(x=20, y=-20, width=420)

    def begin(
        self, recording: "Recording | str | Path | None", scene: Any, *, live: bool = False,
        markers: str | Path | None = None,
    ) -> None:  # fmt: skip
        """Show what the page opens with."""
        if markers is not None:
            from motiform.studio.trial_panel import TrialPanel

            self.trial = TrialPanel(self, Path(markers))
            return
        if live:
            self.scenes.choose(scene)
            self.live.toggle()
            if self.screens.live is not None:
                self.url = self.access.url("screen")
                print(f"Its screen is at {self.url}.")
            return
        if isinstance(recording, (str, Path)):
            from motiform.record import open_recording

            recording = open_recording(recording)
        if recording is not None:
            known = None if scene is not None else scene_of(recording)
            self.scenes.choose(*known if known else (scene,))
            self.show(recording)
            alone = scene is None and known is None
            self.scenes.idle("The recording is of no scene. Run shows the scene above in its place." if alone else "")
        else:
            self.scenes.choose(scene)
            self.run()

    def show(self, recording: "Recording") -> None:
        """Show a recording from its beginning."""
        from motiform.form import dress

        form, notice, times = None, ("", ""), _times(recording)
        if not len(times):
            times, notice = (0.0,), ("No samples yet", "The run ended before it kept its first samples.")
        else:
            try:
                form = dress(recording)
            except MotiformError as error:
                notice = ("Nothing to draw", str(error))
        self.live.end()
        with self._lock:
            same_scene = self.recording is not None and self.recording.manifest.get("title") == recording.manifest.get(
                "title"
            )
            self.recording, self._drawn, self._plotted = recording, -1, -1
            self._notice = notice
            self.player.load(form.times if form else times)
            self.view.show(form)
            self.parts.load()
            if form and not same_scene:
                self.view.set_cameras(form)
            hints = recording.manifest.get("image", {})
            self.plots.load(recording, list(hints.get("plot", [])))
            self.timeline.load(speed=None if same_scene else float(hints.get("speed", 1.0)))
        self._wake.set()
        if notice[0]:
            self.notify(*notice)

    def open_scene(self, name: str, how: str = "run") -> str:
        """Open a built-in scene as the gallery asks: "run", "live" (push it) or "mouse" (engrave its screen).

        Returns the address of the page that shows it.
        """
        if how == "mouse":
            self.screens.open(name)
            return "/screen"
        self.runner.cancel()
        self.runner.join()
        self.scenes.choose(name)
        if how == "live":
            self.live.end()
            self.live.toggle()
        else:
            self.run()
        return "/"

    def run(self) -> None:
        """Run the chosen scene with the parameters on the page, and show the result."""
        self.screens.hold()
        self.runner.start(self.scenes.work(), on_start=self.scenes.busy)

    def run_again(self) -> None:
        """Run the chosen scene with the parameters as they are now, instead of a run that is under way."""
        self.runner.cancel()
        self.runner.join()
        self.run()

    def notify(self, title: str, body: str) -> None:
        """Tell every open page something."""
        for client in self.server.get_clients().values():
            client.add_notification(title, body, color="red")

    def guard(self, action: Callable[..., Any]) -> Callable[..., None]:
        """Return the action such that its errors are shown on the page and never end it."""

        def guarded(*arguments: Any) -> None:
            try:
                action(*arguments)
            except Exception as error:
                log.debug("an action of the page failed", exc_info=True)
                self.notify("That did not work", plain(error))

        return guarded

    def wait(self) -> None:
        """Stay until the studio is closed or Ctrl-C is pressed."""
        while not self._closed.wait(0.5):
            pass

    def close(self) -> None:
        """End the page, its run and its threads."""
        if self._closed.is_set():
            return
        self._closed.set()
        self._wake.set()
        self.screens.close()
        self.live.end()
        self._rerun.stop()
        for runner in (self.runner, *([self.trial.runner] if self.trial is not None else [])):
            runner.cancel()
            runner.join(2.0)
        self._thread.join(2.0)
        close_server(self.server)

    def __enter__(self) -> "Studio":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _on_connect(self, client: Any) -> None:
        self.view.fit_view(client)
        if self._notice[0]:  # the recording is often there before the first page
            client.add_notification(*self._notice, color="red")

    def _ran(self, recording: "Recording") -> None:
        self.show(recording)
        self.scenes.idle("")
        self.player.play()
        self._wake.set()

    def _failed(self, text: str) -> None:
        self.scenes.idle(f"The run failed: {text}")
        self.notify("The run failed", text)

    def _file_source(self) -> tuple["Recording | None", list[str]]:
        return self.recording, self.plots.names

    def _play(self) -> None:
        """Draw the player's sample whenever it changes."""
        while not self._closed.is_set():
            self._wake.wait(FRAME if self.player.playing else 1.0)
            self._wake.clear()
            try:
                self._draw()
            except Exception as error:
                self.player.pause()
                self.notify("This sample cannot be drawn", plain(error))

    def _draw(self) -> None:
        if self.live.live is not None:
            return  # its own thread draws
        with self._lock:
            self.player.tick()
            sample = self.player.sample
            if sample != self._drawn:
                self._drawn = sample
                self.view.draw(sample)
            now = time.monotonic()
            if sample != self._plotted and (not self.player.playing or now - self._plotted_at > PLOT):
                self._plotted, self._plotted_at = sample, now
                self.plots.move(float(self.player.times[sample]))
            self.timeline.refresh()


def _times(recording: "Recording") -> Any:
    """Return the times [s] of the first channel with samples."""
    found = (recording.time(name) for name in recording.names if recording.count(name))
    return next(found, ())
