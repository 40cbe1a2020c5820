"""A screen on its way: its law is changed while it runs, and a pointer engraves it."""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from motiform.base.errors import InputError
from motiform.motion.matter import Engine
from motiform.motion.matter.stability.cell import PROTOTYPES, modal_segment
from motiform.motion.run import check_number
from motiform.motion.screens import Engraver, ModeSegment, Screen, ScreenEngine, Screens, assess_screen
from motiform.motion.screens.follow import follow_network
from motiform.record import Recording
from motiform.studio.live_thread import FRAME, LiveThread
from motiform.studio.pull import Pull, record_pull

__all__ = ["POINTER", "LiveScreen", "Pointer"]

POINTER = "pointer"
"""Name of the engraver that the mouse moves."""
IDLE = 2.0  # [s] after which a run that nobody looks at is held
SHARES = (
    0.35,
    0.6,
)  # of the room that the free screen leaves up to K + 2Z = 4: for the pointer, for engravers of a scene
STIFFEST = 0.8  # K of the pointer where there is room enough
LIFTED, PRESSED = 3.0, 0.3  # reaches that the pointer is away from the level of rest


class Pointer(Pull):
    """A point that follows the mouse as a hand does, and leaps from stroke to stroke while it is lifted."""

    def leap(self, place: np.ndarray) -> None:
        """Be at a place [m], (3,), at once."""
        self.target, self.middle = place.copy(), place.copy()
        self.place[:] = place


class LiveScreen(LiveThread):
    """A screen of two axes in real time or slower, with the network that engraves it and a pointer.

    Parameters
    ----------
    model
        The screen, or those of a scene with their network.
    name
        Which of several screens runs, the first if not given.
    seconds
        After which the network begins anew, while the screen keeps its heights; never if not given.
    on_end
        Called with the error that stopped the run.
    """

    def __init__(
        self, model: Screens | Screen, name: str | None = None, *, seconds: float | None = None,
        on_end: Callable[[BaseException], None] = lambda error: None,
    ) -> None:  # fmt: skip
        self.model = model if isinstance(model, Screens) else Screens({"screen": model})
        self.name = next(iter(self.model.screens)) if name is None else name
        if self.name not in self.model.screens:
            raise InputError("no such screen", got=self.name, allowed=", ".join(self.model.screens))
        self.screen = self.model.screens[self.name]
        """As it was given, without a pointer."""
        if self.screen.dimensions != 2:
            raise InputError("a screen must have two axes to be engraved by mouse", got=self.screen.shape)
        self.seconds = seconds
        found = [follow_network(one, self.model.network, self.screen.step) for one in self.screen.engravers]
        self._given, self._live = [one for one, _ in found], [live for _, live in found if live is not None]
        super().__init__(on_end)
        self._turn = max(1, round(self.screen.frequency * FRAME))
        self.span = self._turn / self.screen.frequency
        self._looked = time.monotonic()
        self.reach = 5 * self.screen.spacing
        """Of the pointer [m]."""
        self.pressed = False
        """Whether a stroke is under way."""
        self.softened = 1.0
        """Stiffness of the scene's engravers, over what the scene gives: they must not add more than the scheme can
        step."""
        self.begin()

    # ---- what is changed while it runs ------------------------------------------------------------------------------

    def begin(self) -> None:
        """Put the screen to its start, and begin its motion anew, with the law that was given."""
        with self._lock:
            s = self.screen
            self.pressed, self.law = False, s.links
            self.segment: ModeSegment = modal_segment(*self.law, mass=s.mass, step=s.step, dimensions=2)
            self.pointer = Pointer(self._place(0.0, 0.0, LIFTED * self.reach)[None], s.frequency)
            self._begin_motion(0.0)
            self.engine = ScreenEngine(self._dressed())

    def level(self) -> None:
        """Put all pins to rest."""
        with self._lock:
            kept = self.engine.checkpoint()
            kept |= {key: np.zeros_like(kept[key]) for key in ("now", "before")}
            if "pistons" in kept:
                kept["pistons"] = {key: [np.zeros_like(a) for a in kept["pistons"][key]] for key in kept["pistons"]}
            self.engine = ScreenEngine.resume(self.engine.screen, kept)

    def shape(self, law: ModeSegment | str) -> None:
        """Go on with another law: a segment of the plane (K, Z), or the name of a prototype."""
        with self._lock:
            bare = self.screen.replace(law=law, engravers=())
            assess_screen(bare).check()
            self.law = bare.links
            self.segment = PROTOTYPES[law] if isinstance(law, str) else law
            self._renew()

    def widen(self, reach: float) -> None:
        """Give the pointer another reach [m]."""
        with self._lock:
            self.reach = check_number(reach, "reach", POINTER, above=0.0)
            self._renew()

    def press(self, row: float, column: float, *, below: bool = False) -> None:
        """Press the pin at a place of the grid, in pins, from above or from below; strokes go on until `lift`."""
        row, column = (check_number(one, key, POINTER) for one, key in ((row, "row"), (column, "column")))
        sign = -1.0 if below else 1.0
        with self._lock:
            place = self._place(row, column, sign * PRESSED * self.reach)
            if not self.pressed:
                self.pointer.leap(place)
            self.pressed, self.pointer.target = True, place

    def lift(self) -> None:
        """End the stroke."""
        with self._lock:
            if self.pressed:
                n = "xyz".index(str(self.screen.normal))
                level = self.screen.origin[n] + self.screen.rest
                away = self.pointer.target.copy()
                away[n] = level + np.sign(away[n] - level) * LIFTED * self.reach
                self.pointer.target = away
            self.pressed = False

    # ---- time -------------------------------------------------------------------------------------------------------

    def advance(self, steps: int) -> None:
        """Take steps of the screen now, and those of the network that go with them."""
        with self._lock:
            network = self.network
            if network is None:
                self.engine.advance(steps)
            else:
                for _ in range(steps):
                    places = network.state().position
                    for live in self._live:
                        live.move(places, self.engine.time)
                    self.engine.advance(1)
                    network.advance(self._every)
                    if self.seconds is not None and network.sample >= self.seconds * network.network.frequency:
                        self._begin_motion(self.engine.time)
                        network = self.network
                        assert network is not None
            self.engine.check()

    def heights(self) -> np.ndarray:
        """Return the heights of all pins now [m]."""
        with self._lock:
            self._looked = time.monotonic()
            return self.engine.heights()

    def points(self) -> np.ndarray:
        """Return the places of the network's points now [m], (points, 3)."""
        with self._lock:
            return np.zeros((0, 3)) if self.network is None else self.network.state().position

    def strokes(self, path: str | Path | None = None, *, title: str = "Strokes", overwrite: bool = False) -> Recording:
        """Return where the pointer was as a recording, in memory or on disk: pointer.position [m] at every step.

        An engraver repeats it, `Engraver.recorded(rec, "pointer.position", …)`, or one of a scene. Laws that were
        changed on the way are not part of it.
        """
        with self._lock:
            return record_pull(self.pointer, self.engine.sample + 1, POINTER, path, title=title, overwrite=overwrite)

    def start(self) -> None:
        """Let time go on."""
        self._looked = time.monotonic()
        super().start()

    def go_on(self) -> None:
        """Take the steps of one turn."""
        self.advance(self._turn)

    def idle(self) -> bool:  # noqa: D102
        return time.monotonic() - self._looked > IDLE

    # ---- inside -----------------------------------------------------------------------------------------------------

    def _begin_motion(self, now: float) -> None:
        model = self.model
        self.network: Engine | None = None if model.network is None else Engine(model.network)
        if self.network is not None:
            self._every = round(self.network.network.frequency / self.screen.frequency)
            places = self.network.state().position
            for live in self._live:
                live.now = live.before = places[live.indices]
                live.time = now

    def _renew(self) -> None:
        """Go on from the heights as they are with the law and the engravers as they are now."""
        self.engine = ScreenEngine.resume(self._dressed(), self.engine.checkpoint())

    def _dressed(self) -> Screen:
        """Return the screen with its law and engravers of now; what these add must fit under K + 2Z = 4."""
        bare = self.screen.replace(law=self.law, engravers=())
        left = max(0.0, 4.0 - assess_screen(bare).bound)
        asked = assess_screen(bare.replace(engravers=tuple(self._given))).marked if self._given else (0.0, 0.0)
        total = asked[0] + 2 * asked[1]
        part = self.softened = min(1.0, SHARES[1] * left / total) if total > 0 else 1.0
        soft = [replace(one, stiffness=part * one.stiffness, damping=part * one.damping) for one in self._given]
        stiffness = min(STIFFEST, SHARES[0] * left) * bare.mass * bare.frequency**2
        mine = Engraver(name=POINTER, points=self.pointer, stiffness=stiffness, reach=self.reach, height=None)
        return bare.replace(engravers=(*soft, mine))

    def _place(self, row: float, column: float, away: float) -> np.ndarray:
        """Return the place [m] over a pin, so far from the level of rest along the normal [m]."""
        s, place = self.screen, np.array(self.screen.origin)
        for letter, n in zip(s.axes, (row, column), strict=True):
            place["xyz".index(letter)] += n * s.spacing
        place["xyz".index(str(s.normal))] += s.rest + away
        return place
