"""Interactive matter: a network runs in a thread, and a hand moved by the user pushes it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, MotiformError
from motiform.motion.matter.engine.engine import Engine
from motiform.motion.matter.laws.links import visco_elastic_buffer
from motiform.motion.matter.model.network import Group, Network, Reach, Signal, check_array
from motiform.motion.matter.observe import network_channels, observe_network
from motiform.motion.matter.sound import Listener, Sound
from motiform.motion.matter.watch import Watch
from motiform.record import Recorder, Recording
from motiform.spatial import up_against, upright
from motiform.studio.live_thread import FRAME, LiveThread
from motiform.studio.pull import Pull, PullSignal, record_pull
from motiform.studio.spool import Spool

__all__ = ["HAND", "LiveNetwork", "network_with_hand", "replayed"]

HAND = "hand"
"""Name of the group of one imposed point that is moved live, and of its channel in a gesture: hand.position."""
BLOCK = 0.01  # [s] of sound that are made at once
ALONE = 5000  # points: networks with fewer run on one core
COLOR = (0.92, 0.66, 0.50)


def network_with_hand(network: Network) -> Network:
    """Return the network with a hand: its own imposed point of this name, or else a new ball above all masses.

    A new hand pushes masses through a visco-elastic buffer by range, as stiff as the lightest mass bears.
    """
    found = next((group for group in network.groups if group.name == HAND), None)
    if found is not None:
        if found.kind != "imposed" or found.count != 1:
            raise InputError(
                "the hand must be one imposed point", got=f"{found.count} {found.kind}", allowed="one imposed point"
            )
        return network
    if not network.movable.any():
        raise InputError("the network must have movable masses", remedy="Add masses.")
    place, thick = network.initial_state().position[network.movable], network.radius[network.movable]
    axes = upright(up_against(network.gravity))
    place = place @ axes.T
    low, high = place.min(0) - thick.max(), place.max(0) + thick.max()
    size = max(float((high - low).max()), 1e-3)
    radius = 0.12 * size
    start = np.array([[0.5 * (low[0] + high[0]), high[1] + 1.5 * radius, 0.5 * (low[2] + high[2])]]) @ axes
    group = Group(
        HAND, "imposed", network.count, start, np.zeros((1, 3)), np.array([np.inf]), np.zeros(1, np.uint8), np.zeros(1),
        np.array([radius]), COLOR, Signal(start[None], network.frequency),
    )  # fmt: skip
    return _with_reach(network.replace(groups=(*network.groups, group)))


def _with_reach(network: Network) -> Network:
    """Return the network with a buffer between the hand and all masses, softened until it is known to be stable."""
    from motiform.motion.matter.stability.assessment import assess_network

    masses = np.flatnonzero(network.movable)
    points = np.append(masses, network.count - 1)
    role = np.append(np.full(len(masses), 2), 1).astype(np.uint8)
    stiffness = 0.2 * float(network.mass[masses].min()) * network.frequency**2
    for _ in range(12):
        law = visco_elastic_buffer(stiffness, 0.0, damping=0.3 * stiffness / network.frequency)
        reach = Reach("hand pushes", points, role, np.full(len(points), -1, np.int64), law)
        found = network.replace(reaches=(*network.reaches, reach))
        try:
            assess_network(found).check()
        except MotiformError:
            stiffness *= 0.5
        else:
            return found
    return found  # it was not stable without a hand: the run says so


def replayed(network: Network, gesture: Recording) -> Network:
    """Return the network whose hand does what a gesture holds: to the same bits as when it was live."""
    channel = f"{HAND}.position"
    samples, rate = np.array(gesture[channel], float).reshape(-1, 1, 3), gesture.channel(channel).rate
    return _moved(network_with_hand(network), Signal(samples, rate), samples[0])


def _moved(network: Network, motion: Signal, start: np.ndarray) -> Network:
    """Return the network whose hand moves so, from rest."""
    groups = tuple(
        replace(group, motion=motion, position=start, velocity=np.zeros((1, 3))) if group.name == HAND else group
        for group in network.groups
    )
    return network.replace(groups=groups)


class LiveNetwork(LiveThread):
    """A network on its way, in real time or slower, with a hand that may be moved from any thread.

    Parameters
    ----------
    network
        What runs; it is given a hand where it has none.
    on_frame
        Called some 30 times a second, in the thread of the run, with what a sample of a recording holds.
    on_end
        Called with the error that ended the run.
    sound
        What is listened to.
    on_sound
        Called some 100 times a second, in the thread of the run, with what was heard (samples, channels).
    """

    def __init__(
        self, network: Network, *, on_frame: Callable[[Mapping[str, np.ndarray]], None] = lambda frame: None,
        on_end: Callable[[BaseException], None] = lambda error: None, sound: Sound | None = None,
        on_sound: Callable[[np.ndarray], None] = lambda heard: None,
    ) -> None:  # fmt: skip
        self.network = network_with_hand(network)
        self._on_frame, self._on_sound, self._seen = on_frame, on_sound, -np.inf
        self._point = int(self.network.group(HAND).indices[0])
        self.on_turn: Callable[[], None] | None = None
        """Called after each turn of steps, in the thread of the run."""
        self.listener = None if sound is None else Listener(sound, self.network, None)
        """What hears it, None where it is silent."""
        self._watch = None if self.listener is None else Watch(self.listener, {})
        super().__init__(on_end)
        self.one_core = self.network.count < ALONE
        every = 1 if self.listener is None else self.listener.every
        self.steps = every * max(1, round(self.network.frequency * (FRAME if self.listener is None else BLOCK) / every))
        """Steps at once: from one picture to the next, with sound a hundredth of a second."""
        self.span = self.steps / self.network.frequency
        self.reset()

    def reset(self) -> None:
        """Restart: masses and hand return to their initial positions, and the gesture is discarded."""
        with self._lock:
            start = np.array(self.network.group(HAND).position)
            self._pull = Pull(start, self.network.frequency)
            self.engine = Engine(_moved(self.network, PullSignal(self._pull), start))
            if self._watch is not None:
                self._heard = Spool(self._watch.first(self.engine)["sound"])
            self._on_frame(observe_network(self.engine))

    def move(self, position: ArrayLike) -> None:
        """Pull the hand to a place [m], (3,)."""
        place = check_array(position, "position", HAND, (3,))
        with self._lock:
            self._pull.target = np.array(place)

    def advance(self, steps: int) -> None:
        """Take steps now, whatever the clock says; with sound they are whole samples of it."""
        with self._lock:
            if self._watch is None:
                self.engine.advance(steps)
                return
            if steps % self._watch.tick:
                raise InputError("steps must be whole samples of the sound", got=steps, allowed=f"{self._watch.tick} n")
            heard = self._watch.advance(self.engine, steps)["sound"]
            self._heard.append(heard)
            self._on_sound(heard)

    @property
    def hand(self) -> np.ndarray:
        """Where the hand is [m], (3,)."""
        return self._pull.place.copy()

    @property
    def force(self) -> np.ndarray:
        """What the matter does to the hand at the last step [N], (3,): the hand does the opposite to it."""
        with self._lock:
            return np.array(self.engine.forces()[self._point])

    @property
    def seconds(self) -> float:
        """Time of the run [s]."""
        return self.engine.sample / self.network.frequency

    def go_on(self) -> None:
        """Take the steps of one turn; show where all is at times."""
        self.advance(self.steps)
        if self.on_turn is not None:
            self.on_turn()
        if self.seconds - self._seen > FRAME - 0.5 * self.span or self.seconds < self._seen:
            self._seen = self.seconds
            self._on_frame(observe_network(self.engine))

    # ---- what was done ----------------------------------------------------------------------------------------------

    def gesture(self, path: str | Path | None = None, *, title: str = "Gesture", overwrite: bool = False) -> Recording:
        """Return the motion of the hand as a recording, in memory or on disk: hand.position [m] at every step.

        A scene replays it as the motion of its imposed point: `motion = { recording = { file = "gesture.mf", channel =
        "hand.position" } }`.
        """
        with self._lock:
            return record_pull(self._pull, self.engine.sample + 1, HAND, path, title=title, overwrite=overwrite)

    def heard(self) -> np.ndarray:
        """Return all that was heard from the start on [m/s or m], (samples, channels)."""
        if self.listener is None:
            raise InputError("the run must be listened to", remedy="Give the scene [sound].")
        with self._lock:
            return self._heard.all()

    def recording(self, frames: Sequence[Mapping[str, np.ndarray]], manifest: dict[str, Any]) -> Recording:
        """Return frames as a recording, which a form is made of."""
        channels = network_channels(self.network, 1 / FRAME)
        with Recorder(None, channels, manifest=manifest) as recorder:
            recorder.append({name: np.stack([frame[name] for frame in frames]) for name in frames[0]})
        return recorder.finish()
