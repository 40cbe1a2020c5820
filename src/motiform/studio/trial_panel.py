"""The panel of a reconstruction: subject, lengths, tags, correspondence, options, launch.  [HuMAnS 9.6.2]"""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import InputError
from motiform.base.libraries import load_library
from motiform.base.markup import page
from motiform.form.looks import LinksLook, Looks, PointsLook
from motiform.measure.changes import changed
from motiform.motion.figures.marker_sets import MARKER_SETS
from motiform.record import Channel
from motiform.studio.runs import Runner
from motiform.trials.convert import FRAMES
from motiform.trials.setup import TAGS, TrialSetup, marker_lines

if TYPE_CHECKING:
    from motiform.record import Recording
    from motiform.studio.app import Studio

__all__ = ["TrialPanel", "beside"]

_NONE = "(no marker)"
_SMALL = "padding:0 .9em .6em;font-size:.85em;opacity:.75"
_MEASURED = "measured"
_BLACK, _BLUE = (0.06, 0.06, 0.08), (0.05, 0.35, 0.85)


def beside(rec: "Recording", away: float) -> "Recording":
    """Return a reconstruction with its measured markers once more, joined by lines, so far [m] along z beside it.

    The comparison of [HuMAnS 9.6.7, fig. 9.3]; 0 draws them onto the model.
    """
    shift = np.array([0.0, 0.0, away])
    own = rec.channel("markers")
    when: dict[str, Any] = {"rate": own.rate, "start": own.start} if own.rate is not None else {}
    channel = Channel(
        _MEASURED, unit="m", dims=own.dims, shape=own.shape, description="markers beside the model", **when
    )
    size = float(np.nanmax(np.ptp(np.asarray(rec["tags"][:1]), axis=1))) or 1.0
    pairs = marker_lines(rec.manifest["skeleton"])
    lines = LinksLook(links=(_MEASURED, _MEASURED), pairs=pairs, radius=0.003 * size, color=_BLACK)
    balls = PointsLook(points=_MEASURED, radius=0.006 * size, color=_BLUE)
    looks = Looks({"measured markers": balls, "measured lines": lines})
    manifest = {"form": {**rec.manifest["form"], **looks.manifest()["form"]}}
    measured = np.asarray(rec["markers"]) + shift
    return changed(rec, {_MEASURED: (channel, measured)}, manifest=manifest, statics=looks.statics())


class TrialPanel:
    """The folder "Reconstruction" of a studio that was opened with a file of markers."""

    def __init__(self, studio: "Studio", source: Path) -> None:
        self._studio, self._gui, self._guard = studio, studio.server.gui, studio.guard
        self.setup = TrialSetup(source)
        self.table: bytes | None = None
        """The table of subjects that was loaded, to which a column is added."""
        self.recording: Recording | None = None
        self.runner = Runner(
            on_progress=self._progress, on_done=self._ran, on_failed=self._failed,
            on_cancelled=lambda: self._idle("Cancelled."),
        )  # fmt: skip
        self._lay_out()
        self._show()

    # ---------------------------------------------------------------- the folder
    def _lay_out(self) -> None:
        viser, gui = load_library("viser"), self._gui
        with gui.add_folder("Reconstruction", order=-1):
            self._about = gui.add_html("")
            self._launch: Any = gui.add_button("Launch the reconstruction", icon=viser.Icon.WALK)
            self._cancel: Any = gui.add_button(
                "Cancel the reconstruction", icon=viser.Icon.X, color="red", visible=False
            )
            self._bar: Any = gui.add_progress_bar(0.0, visible=False, animated=True)
            self._status: Any = gui.add_html("", visible=False)
            self._beside: Any = gui.add_number(
                "Markers beside [m]", 0.8, step=0.1,
                hint="How far from the model the markers joined by lines are drawn.",
            )  # fmt: skip
            self._subject()
            self._lengths()
            self._tags()
            self._correspondence()
            self._options()
        self._launch.on_click(self._guard(lambda _: self.launch()))
        self._cancel.on_click(self._guard(lambda _: self.runner.cancel()))
        self._beside.on_update(self._guard(lambda _: self._draw()))

    def _subject(self) -> None:
        gui = self._gui
        with gui.add_folder("Subject"):
            self._name: Any = gui.add_text("Subject", self.setup.name, hint="Number XX, or XXYY with a variant.")
            self._height: Any = gui.add_number("Height [m]", self.setup.height, min=0.3, max=3.0, step=0.01)
            self._mass: Any = gui.add_number("Mass [kg]", self.setup.mass, min=1.0, max=500.0, step=0.5)
            mean = gui.add_button("Mean body of this height", color="gray", hint="Lengths and tags of the mean body.")
            load = gui.add_upload_button("Load a table of subjects", color="gray", mime_type=".csv")
            save = gui.add_button("Save the table of subjects", color="gray", hint="With this subject as a column.")
        mean.on_click(self._guard(lambda _: self._mean_body()))
        load.on_upload(self._guard(lambda event: self.load(bytes(event.target.value.content))))
        save.on_click(self._guard(self._send_table))

    def _lengths(self) -> None:
        with self._gui.add_folder("Lengths", expand_by_default=False):
            self._length: dict[str, Any] = {
                name: self._gui.add_number(f"{name} [m]", value, step=1e-4)
                for name, value in self.setup.lengths.items()
            }

    def _tags(self) -> None:
        hint = "x forward, y up, z to the right, from the joint of its segment [m]."
        with self._gui.add_folder("Tags", expand_by_default=False):
            self._tag: dict[str, Any] = {
                name: self._gui.add_vector3(name, place, step=1e-4, hint=hint)
                for name, place in self.setup.tags.items()
            }

    def _correspondence(self) -> None:
        gui, names = self._gui, self.setup.marker_names
        with gui.add_folder("Correspondence", expand_by_default=False):
            hint = "A marker set has tags of its own; 'tags' are those of the subject, by the markers below."
            self._set: Any = gui.add_dropdown("Markers", (TAGS, *MARKER_SETS), hint=hint)
            self._marker: dict[str, Any] = {
                tag: gui.add_dropdown(tag, (_NONE, *names)) for tag in self.setup.correspondence
            }

    def _options(self) -> None:
        gui = self._gui
        with gui.add_folder("Options", expand_by_default=False):
            self._fill: Any = gui.add_number("Fill gaps up to [s]", 0.0, min=0.0, step=0.05, hint="0: gaps stay.")
            self._filter: Any = gui.add_number("Low-pass [Hz]", 0.0, min=0.0, step=1.0, hint="Of markers; 0: none.")
            self._frame: Any = gui.add_dropdown("Frame", FRAMES)
            self._calibrate: Any = gui.add_checkbox("Calibrate", self.setup.calibrate)
            self._limits: Any = gui.add_checkbox("Limits of joints", True)
            self._iterations: Any = gui.add_number("Iterations", 200, min=1, step=1)
            self._threshold: Any = gui.add_number("Threshold [mm]", 0.0, min=0.0, step=0.1, hint="0: that of rounding.")

    def _show(self) -> None:
        """Put the parameters into the inputs."""
        setup = self.setup
        self._name.value, self._height.value, self._mass.value = setup.name, setup.height, setup.mass
        for name, box in self._length.items():
            box.value = setup.lengths[name]
        for name, box in self._tag.items():
            box.value = setup.tags[name]
        self._set.value = setup.marker_set
        for tag, box in self._marker.items():
            box.value = setup.correspondence[tag] or _NONE
        matched = sum(marker is not None for marker in setup.correspondence.values())
        known = f"{matched} of {len(setup.correspondence)} tags have a marker"
        words = known if setup.marker_set == TAGS else f"marker set {setup.marker_set}"
        count = len(setup.marker_names)
        text = f"{setup.source.name}: {count} markers, {setup.markers.count('markers')} samples; {words}"
        self._about.content = page('<div style="{}">{}</div>', _SMALL, text)

    def _take(self) -> None:
        """Take the parameters from the inputs."""
        setup = self.setup
        setup.name = str(self._name.value).strip()
        setup.height, setup.mass = float(self._height.value), float(self._mass.value)
        setup.lengths = {name: float(box.value) for name, box in self._length.items()}
        setup.tags = {name: (*map(float, box.value),) for name, box in self._tag.items()}  # type: ignore[misc]
        setup.marker_set, setup.calibrate = str(self._set.value), bool(self._calibrate.value)
        chosen = {tag: str(box.value) for tag, box in self._marker.items()}
        setup.correspondence = {tag: None if name == _NONE else name for tag, name in chosen.items()}
        fill, cutoff, frame = float(self._fill.value), float(self._filter.value), str(self._frame.value)
        setup.options = {
            "fill": {"longest": fill} if fill > 0 else None, "filter": {"cutoff": cutoff} if cutoff > 0 else None,
            "frame": None if frame == "file" else {"to": frame},
        }  # fmt: skip
        threshold = 1e-3 * float(self._threshold.value)
        setup.reconstruct = {"limits": bool(self._limits.value), "max_iterations": int(self._iterations.value)}
        setup.reconstruct |= {"threshold": threshold} if threshold > 0 else {}

    # ---------------------------------------------------------------- what the buttons do
    def launch(self) -> None:
        """Reconstruct with the parameters on the page, in a thread of its own."""
        self._take()
        if self._studio.runner.busy:
            raise InputError("a run is under way", remedy="Wait for it, or press Cancel first.")
        self.runner.start(self.setup.work(), on_start=self._busy)

    def load(self, content: bytes) -> None:
        """Take the measures of a table: of the subject that is named on the page, else of its first."""
        self._take()
        names = self._in_file(content, lambda path: self.setup.load(path, self._known_name(path)))
        self.table = content
        self._show()
        self._tell(f"Subjects of the table: {', '.join(names)}. Name another and load it again.")

    def _known_name(self, path: Path) -> str | None:
        from motiform.measure import read_subjects

        return self.setup.name if self.setup.name in read_subjects(path) else None

    def _mean_body(self) -> None:
        self._take()
        self.setup.take_body()
        self._show()

    def table_with_subject(self) -> bytes:
        """Return the table that was loaded with the subject as a column, a new one where none was."""
        self._take()

        def write(path: Path) -> bytes:
            self.setup.save(path, path)
            return path.read_bytes()

        self.table = self._in_file(self.table, write)
        return self.table

    def _send_table(self, event: Any) -> None:
        event.client.send_file_download("subjects.csv", self.table_with_subject(), save_immediately=True)

    def _in_file(self, content: bytes | None, work: Callable[[Path], Any]) -> Any:
        with tempfile.TemporaryDirectory(prefix="motiform-") as folder:
            path = Path(folder) / "subjects.csv"
            if content is not None:
                path.write_bytes(content)
            return work(path)

    # ---------------------------------------------------------------- the run
    def _busy(self) -> None:
        self._bar.value, self._bar.visible = 0.0, True
        self._launch.visible, self._cancel.visible = False, True
        self._tell("Getting ready …")

    def _progress(self, fraction: float) -> None:
        self._bar.value = round(100 * fraction, 1)
        self._tell(f"Reconstructing: {100 * fraction:.0f} %")

    def _idle(self, text: str) -> None:
        self._launch.visible, self._cancel.visible, self._bar.visible = True, False, False
        self._tell(text)

    def _failed(self, text: str) -> None:
        self._idle(f"The reconstruction failed: {text}")
        self._studio.notify("The reconstruction failed", text)

    def _ran(self, recording: "Recording") -> None:
        self.recording = recording
        self._draw()
        found = recording.manifest["reconstruct"]
        worst: Any = max(found["per_marker"].items(), key=lambda item: item[1]["rms"] or 0.0)
        iterations = found["iterations"]
        self._idle(
            f"rms {1e3 * found['rms']:.2f} mm, worst {worst[0]} {1e3 * (worst[1]['rms'] or 0.0):.1f} mm; "
            f"{found['not_settled']} of {found['samples']} samples not converged, {found['lost']} without markers; "
            f"{iterations['mean']:.1f} iterations a sample, {iterations['most']} at most. " + ". ".join(found["notes"])
        )
        self._studio.player.play()
        self._studio._wake.set()

    def _draw(self) -> None:
        if self.recording is not None:
            self._studio.show(beside(self.recording, float(self._beside.value)))

    def _tell(self, text: str) -> None:
        self._status.content = page('<div id="motiform-trial" style="{}">{}</div>', _SMALL, text)
        self._status.visible = bool(text)
