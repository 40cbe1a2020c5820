"""The left side of the page: choose a scene, change its parameters, run it, download files."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from motiform.base.errors import MotiformError, RunError
from motiform.base.libraries import load_library
from motiform.base.markup import page
from motiform.base.progress import Progress
from motiform.studio.export import FORMATS, make_file
from motiform.studio.parameters import ParameterInputs

if TYPE_CHECKING:
    from viser import ViserServer

    from motiform.record import Recording
    from motiform.scene import Scene

__all__ = ["ExportPanel", "ScenePanel", "scene_of"]

FIRST = "handle"  # the built-in scene that a page opens with: short, and moves at once

Guard = Callable[[Callable[..., Any]], Callable[..., None]]


class ScenePanel:
    """Scenes, their parameters and the Run button."""

    def __init__(
        self, server: "ViserServer", *, on_run: Callable[[], None], on_cancel: Callable[[], None],
        on_slide: Callable[[], None], guard: Guard,
    ) -> None:  # fmt: skip
        viser = load_library("viser")

        from motiform.scene import list_scenes

        self._server = server
        self._sources: dict[str, Any] = {entry.title: entry.name for entry in list_scenes()}
        self._scene: Scene | None = None
        gui = server.gui
        with gui.add_folder("Scene"):
            gui.add_html(_LINKS)
            self._picker: Any = gui.add_dropdown("Built in", tuple(self._sources), hint="What to simulate.")
            self._about = gui.add_html("")
            self._run = gui.add_button("Run", icon=viser.Icon.REFRESH, hint="Simulate with the parameters below.")
            self._cancel = gui.add_button("Cancel", icon=viser.Icon.X, color="red", visible=False)
            self._bar: Any = gui.add_progress_bar(0.0, visible=False, animated=True)
            self._status = gui.add_html("", visible=False)
        with gui.add_folder("Parameters"):
            self.parameters = ParameterInputs(server, on_slide=on_slide)
            self._reset = gui.add_button("Reset to the scene's values", icon=viser.Icon.ARROW_BACK_UP, color="gray")
        self._picker.on_update(guard(self._picked))
        self._run.on_click(guard(lambda _: on_run()))
        self._cancel.on_click(guard(lambda _: self._cancelled(on_cancel)))
        self._reset.on_click(guard(lambda _: self.parameters.reset()))

    def choose(self, source: "str | Path | Scene | None", values: "Scene | None" = None) -> None:
        """Offer a scene, a built-in one by its name (None: the first to show), or a file by its path.

        Its parameters stand at its own values, or at those of another state of it.
        """
        if source is None:
            source = FIRST if FIRST in self._sources.values() else next(iter(self._sources.values()))
        self._load(source, values)
        title = next((title for title, known in self._sources.items() if known == source), None)
        if title is None:
            title = f"{self._scene.title} ({self._scene.name})" if self._scene else str(source)
            self._sources[title] = source
            self._picker.options = tuple(self._sources)
        self._picker.value = title

    def work(self) -> Callable[[Progress], Any]:
        """Return the run of the chosen scene with the parameters as they are now."""
        scene, settings = self._scene, self.parameters.changed()
        if scene is None:
            raise RunError("no scene is chosen", remedy="Choose one under Scene.")

        def run(progress: Progress) -> Any:
            from motiform.scene import simulate

            return simulate(scene, settings=settings, progress=progress)

        return run

    def busy(self) -> None:
        """Show that a run is under way."""
        self._bar.value, self._bar.visible = 0.0, True
        self._run.visible, self._cancel.visible = False, True
        self._say("Getting ready …")

    def progress(self, fraction: float) -> None:
        """Show how far the run is, 0 to 1."""
        self._bar.value = round(100 * fraction, 1)
        self._say(f"Running: {100 * fraction:.0f} %")

    def idle(self, text: str) -> None:
        """Show that no run is under way, and why the last one ended."""
        self._run.visible, self._cancel.visible, self._bar.visible = True, False, False
        self._say(text)

    def _picked(self, event: Any) -> None:
        if event.client_id is not None:
            self._load(self._sources[event.target.value])

    def _load(self, source: Any, values: Any = None) -> None:
        from motiform.scene import load_scene

        scene = load_scene(source) if isinstance(source, (str, Path)) else source
        shown = {parameter.path: parameter.value for parameter in (values or scene).parameters()}
        self.parameters.load(scene.parameters(), shown)
        self._scene = scene
        self._about.content = _about(scene)

    def _cancelled(self, on_cancel: Callable[[], None]) -> None:
        self._say("Cancelling …")
        on_cancel()

    def _say(self, text: str) -> None:
        self._status.content = page('<div id="motiform-status" style="{}">{}</div>', _SMALL, text)
        self._status.visible = bool(text)


class ExportPanel:
    """Files of the recording that is shown, as downloads of the browser."""

    def __init__(
        self, server: "ViserServer", source: Callable[[], tuple["Recording | None", list[str]]], *, guard: Guard
    ) -> None:
        viser = load_library("viser")

        self._source = source
        gui = server.gui
        with gui.add_folder("Export", expand_by_default=False):
            self._format = gui.add_dropdown("Format", tuple(FORMATS), hint="The recording that is shown now.")
            button = gui.add_button("Download", icon=viser.Icon.DOWNLOAD)
        button.on_click(guard(self._download))

    def _download(self, event: Any) -> None:
        recording, plotted = self._source()
        if recording is None:
            raise RunError("there is no recording yet", remedy="Run a scene first.")
        name, content = make_file(recording, FORMATS[self._format.value], plotted=plotted)
        if event.client is not None:
            event.client.send_file_download(name, content, save_immediately=True)


_LINKS = (
    '<div style="padding:.2em .9em;font-size:.9em"><a href="/gallery">Gallery of all scenes</a> · '
    '<a href="/screen">Screens by mouse</a></div>'
)
_SMALL = "padding:0 .9em .6em;font-size:.85em;opacity:.75"


def scene_of(recording: "Recording") -> "tuple[str | Scene, Scene] | None":
    """Return the scene that a recording was made from, and the same with the settings of that run; None: unknown."""
    from motiform.scene import list_scenes, load_scene, parse_scene

    text, name = recording.manifest.get("scene_text"), str(recording.manifest.get("scene", "scene"))
    if not isinstance(text, str):
        return None
    settings = recording.manifest.get("settings") or {}
    try:
        if name in {entry.name for entry in list_scenes()} and load_scene(name).text == text:
            return name, load_scene(name, settings)
        return parse_scene(text, name=name), parse_scene(text, name=name, settings=settings)
    except MotiformError:
        return None  # written by another version: it can be shown, not run again


def _about(scene: Any) -> str:
    return page('<div style="{}">{}</div>', _SMALL, scene.document.scene.description or scene.title)
