"""The panel of interactive matter: buttons, a hand to drag, and the view of the running simulation."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import floor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import RunError
from motiform.base.libraries import load_library
from motiform.base.markup import Html, escape, html, page
from motiform.studio.audio import PageSound
from motiform.studio.control import Instrument, listen_midi, listen_osc, send_force
from motiform.studio.export import file_stem
from motiform.studio.live import HAND, LiveNetwork, replayed
from motiform.studio.moving import Changing, Deforming, MovingPart
from motiform.studio.runs import plain

if TYPE_CHECKING:
    from motiform.form import Form, Looks
    from motiform.scene import Scene
    from motiform.studio.app import Studio

__all__ = ["LivePanel"]

_SMALL = "padding:0 .9em .6em;font-size:.85em;opacity:.75"
_SAID = 0.2  # [s] of the run between two readings of its clock


class LivePanel:
    """The folder "Live": a network scene runs in real time, and a dragged ball pushes it."""

    def __init__(self, studio: "Studio") -> None:
        viser = load_library("viser")

        self._studio, self._server = studio, studio.server
        self.live: LiveNetwork | None = None
        """The run that the page shows, None while it shows a recording."""
        self.instrument: Instrument | None = None
        """What messages of players go to."""
        self.midi: str | None = None
        """MIDI port that plays live runs, "first" for the first."""
        self.osc: int | None = None
        """UDP port of OSC messages that play live runs."""
        self.osc_force: str | None = None
        """Where OSC messages of the force on the hand go: host:port, or a port."""
        self._follower: _Follower | None = None
        self._control: Any = None
        self._sound: PageSound | None = None
        self._listening: list[Callable[[], None]] = []
        self._said = -1.0
        gui, guard = self._server.gui, studio.guard
        below = studio.scenes._status.order + 0.5  # between the scene and its many parameters
        with gui.add_folder("Live", expand_by_default=False, order=below):
            hint = "Let the chosen scene of masses and links go on in real time, and push it."
            self._go = gui.add_button("Live", icon=viser.Icon.HAND_STOP, hint=hint)
            self._reset = gui.add_button("Begin anew", icon=viser.Icon.REFRESH, color="gray", visible=False)
            hint = "Run what you did once more: the same bits, with a timeline and plots."
            self._again = gui.add_button("Replay the gesture", color="gray", visible=False, hint=hint)
            hint = "Keep what the hand did as a recording in the folder that the studio was started in."
            self._save = gui.add_button("Save the gesture", color="gray", visible=False, hint=hint)
            self._hear = gui.add_checkbox(
                "Sound", True, visible=False, hint="Hear the points that the scene listens to."
            )
            self._status = gui.add_html("", visible=False)
        self._hear.on_update(guard(lambda event: self.hear(bool(event.target.value))))
        self._go.on_click(guard(lambda _: self.toggle()))
        self._reset.on_click(guard(lambda _: self.reset()))
        self._again.on_click(guard(lambda _: self.replay()))
        self._save.on_click(guard(lambda _: self.save()))

    # ---- what the buttons do ----------------------------------------------------------------------------------------

    def toggle(self) -> None:
        """Begin with the chosen scene, or hold and go on."""
        if self.live is None:
            self.begin(self._chosen())
        elif self.live.running:
            self.live.pause()
            self._labels()
        else:
            self.live.start()
            self._labels()

    def begin(self, scene: "Scene") -> None:
        """Let a scene of masses and links go on."""
        from motiform.form import looks_of
        from motiform.motion.matter import Network
        from motiform.motion.screens import Screens

        built = scene.build()
        network, sound = built.model, built.arguments.get("sound")
        if isinstance(network, Screens):
            self._studio.screens.open(scene)
            self._tell(html('Engrave it by mouse: <a href="/screen">{} as motion, form and image</a>.', scene.title))
            return
        if not isinstance(network, Network):
            remedy = "Choose a scene of matter under Scene."
            raise RunError("only masses and links can be pushed live", got=scene.title, remedy=remedy)
        if self._studio.runner.busy:
            raise RunError("a run is under way", remedy="Wait for it, or press Cancel first.")
        self.end()
        live = LiveNetwork(network, on_end=self._failed, sound=sound)
        from motiform.motion.matter.system import check_stability

        check_stability(live.network, bool(scene.document.motion.unstable))
        image = scene.document.image.model_dump(mode="json", by_alias=True, exclude_none=True)
        manifest: dict[str, Any] = {"title": scene.title, "image": image, "labels": {}}
        manifest["gravity"] = list(live.network.gravity)
        self._follower = _Follower(self._studio, live, manifest, looks_of(live.network))
        live._on_frame = self._frame
        self.live, self._scene, self._manifest = live, scene, manifest
        self._add_hand(live)
        if live.listener is not None:
            heard = live.listener
            peak = heard.sound.peak
            self._sound = PageSound(self._server, rate=heard.rate, channels=len(heard.names), peak=peak)
            self._sound.on = bool(self._hear.value)
            live._on_sound = self._sound.play
        self._listen(live)
        live.start()
        self._labels()

    def hear(self, on: bool) -> None:
        """Let the sound be heard, or not."""
        if self._sound is not None:
            self._sound.on = on

    def reset(self) -> None:
        """Put everything back where it began."""
        live = self._running()
        self._control.position = tuple(live.network.group(HAND).position[0])
        live.reset()
        self._said = -1.0

    def save(self) -> Path:
        """Keep the gesture in the folder that the studio was started in."""
        live = self._running()
        stem = file_stem(self._scene.name)  # it may come from a recording: a name, not a way to elsewhere
        names = (f"{stem}-gesture{n}.mf" for n in ("", *range(2, 1000)))
        path = next(p for p in map(Path, names) if not p.exists() and not p.with_suffix(".wav").exists())
        live.gesture(path, title=f"Gesture on {self._scene.title!r}")
        said = f"Saved as {path.name}."
        if live.listener is not None:
            from motiform.record.sound import FADE, write_wav

            sound, rate = live.listener.sound, live.listener.rate
            write_wav(live.heard(), path.with_suffix(".wav"), rate=rate, form=sound.form, peak=sound.peak, fade=FADE)
            said = f"Saved as {path.name} and {path.with_suffix('.wav').name}."
        self._say(said)
        return path

    def replay(self) -> None:
        """Run the gesture again from the start, and show the recording."""
        live, manifest = self._running(), self._manifest
        live.pause()
        self._labels()
        gesture, network = live.gesture(), live.network

        def work(progress: Callable[[float], None]) -> Any:
            from motiform.motion.matter.system import film_rate
            from motiform.scene import simulate

            rate = film_rate(network.frequency)
            seconds = floor((gesture.count(f"{HAND}.position") - 1) / network.frequency * rate) / rate
            t1, sound = max(seconds, 1 / rate), None if live.listener is None else live.listener.sound
            found = simulate(replayed(network, gesture), t1=t1, rate=rate, progress=progress, sound=sound)
            found.manifest.update({key: manifest[key] for key in ("title", "image")})
            return found

        self._studio.runner.start(work, on_start=self._studio.scenes.busy)

    def end(self) -> None:
        """Give the page back to recordings."""
        live, self.live, self._follower = self.live, None, None
        if live is not None:
            live.close()
        for stop in self._listening:
            stop()
        self._listening, self.instrument = [], None
        if self._sound is not None:
            self._sound.close()
            self._sound = None
        if self._control is not None:
            self._control.remove()
            self._control = None
        self._said = -1.0
        self._labels()

    # ---- inside -----------------------------------------------------------------------------------------------------

    def _chosen(self) -> "Scene":
        from motiform.scene import parse_scene

        scene, settings = self._studio.scenes._scene, self._studio.scenes.parameters.changed()
        if scene is None:
            raise RunError("no scene is chosen", remedy="Choose one under Scene.")
        settings = {**scene.settings, **settings}
        return parse_scene(scene.text, name=scene.name, folder=scene.folder, settings=settings)

    def _running(self) -> LiveNetwork:
        if self.live is None:
            raise RunError("nothing is live", remedy="Press Live first.")
        return self.live

    def _add_hand(self, live: LiveNetwork) -> None:
        """Add arrows at the hand: dragging them pulls it."""
        group = live.network.group(HAND)
        size = float(max(group.radius[0], 1e-3))
        self._control = self._server.scene.add_transform_controls(
            "/hand", scale=3.5 * size, disable_rotations=True, position=tuple(group.position[0]), depth_test=False
        )
        self._control.on_update(self._studio.guard(lambda event: live.move(np.array(event.target.position, float))))

    def _listen(self, live: LiveNetwork) -> None:
        """Let players move the hand, and its arrows with it."""
        control = self._control

        def move(place: np.ndarray) -> None:
            live.move(place)
            control.position = tuple(place)

        self.instrument = Instrument(live.network, move)
        if self.midi is not None:
            self._listening.append(listen_midi(self.instrument, None if self.midi == "first" else self.midi))
        if self.osc is not None:
            told = lambda error: self._studio.notify("OSC", plain(error))  # noqa: E731
            self._listening.append(listen_osc(self.instrument, self.osc, on_error=told)[1])
        if self.osc_force is not None:
            self._listening.append(send_force(live, self.osc_force))

    def _frame(self, frame: Mapping[str, np.ndarray]) -> None:
        follower, live = self._follower, self.live
        if follower is None or live is None:
            return
        follower.draw(frame)
        if abs(live.seconds - self._said) >= _SAID:
            self._said = live.seconds
            self._say(f"{live.seconds:.1f} s. Drag the arrows at the hand.")

    def _failed(self, error: BaseException) -> None:
        self._labels()
        self._say(f"It stopped: {plain(error)}")
        self._studio.notify("The live run stopped", plain(error))

    def _labels(self) -> None:
        live = self.live
        self._go.label = "Live" if live is None else "Hold" if live.running else "Go on"
        for button in (self._reset, self._again, self._save):
            button.visible = live is not None
        self._hear.visible = live is not None and live.listener is not None
        if live is None:
            self._say("")

    def _say(self, text: str) -> None:
        self._tell(escape(text))

    def _tell(self, text: Html) -> None:
        self._status.content = page('<div id="motiform-live" style="{}">{}</div>', _SMALL, text)
        self._status.visible = bool(text)


class _Follower:
    """Moves what the view shows to frames of a live run: forms made alike, a sample each."""

    def __init__(self, studio: "Studio", live: LiveNetwork, manifest: dict[str, Any], looks: "Looks") -> None:
        from motiform.motion.matter.observe import observe_network

        self._server, self._live, self._manifest, self._looks = studio.server, live, manifest, looks
        first = observe_network(live.engine)
        # All points count as moving: a second sample is a hair away from the first.
        hair = {key: value + (1e-6 if key.endswith(".position") else 0) for key, value in first.items()}
        form = self._form(first, hair)
        studio.view.show(form)
        studio.view.set_cameras(form)
        self._moving = list(studio.view._moving)
        places = [id(skin.vertices) for skin in form.skins]
        self._skins = {n: places.index(id(m.places)) for n, m in enumerate(self._moving) if isinstance(m, Deforming)}

    def draw(self, frame: Mapping[str, np.ndarray]) -> None:
        """Send where things are now."""
        form = self._form(frame)
        parts, links = {part.name: part for part in form.parts}, {one.name: one for one in form.links}
        surfaces = {one.name: one for one in form.surfaces}
        with self._server.atomic():
            for n, moving in enumerate(self._moving):
                if isinstance(moving, Deforming):
                    now: Any = replace(moving, places=form.skins[self._skins[n]].vertices)
                elif isinstance(moving, MovingPart):
                    now = replace(moving, part=parts[moving.part.name])
                elif isinstance(moving, Changing):
                    now = replace(moving, surface=surfaces[moving.surface.name])
                else:
                    now = replace(moving, links=links[moving.links.name])
                now.draw(0)

    def _form(self, *frames: Mapping[str, np.ndarray]) -> "Form":
        from motiform.form import dress

        return dress(self._live.recording(frames, self._manifest), self._looks)
