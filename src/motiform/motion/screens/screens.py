"""Several screens in one run, alone or with the network whose points engrave them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.motion.matter import Engine, Network
from motiform.motion.matter.observe import network_channels, observe_network
from motiform.motion.matter.system import (
    Several,
    check_functions,
    check_stability,
    describe,
    film_rate,
    stack,
    steps_per_sample,
)
from motiform.motion.run import Checkpoint, ModelKind, Run, RunOptions, System
from motiform.motion.run.kinds import check_integrator
from motiform.motion.screens.engine import ScreenEngine
from motiform.motion.screens.engraver import Engraver
from motiform.motion.screens.follow import LivePoints, PointTrajectory, follow_network
from motiform.motion.screens.model import Screen
from motiform.motion.screens.replay import Recorded, Replay
from motiform.motion.screens.system import (
    OTHERS,
    ScreenArguments,
    check_reach,
    screen_channels,
    screen_facts,
    screen_sample,
)
from motiform.record import Channel, Recording

__all__ = ["KIND", "Screens", "ScreensArguments", "ScreensSystem"]


@dataclass(frozen=True, eq=False)
class Screens:
    """Screens by name, and a network whose points may engrave them (`Follow`): motion and its dress in one run.

    Screens do not act on the network. Their frequencies divide that of the network; channels are NAME.heights.
    """

    screens: Mapping[str, Screen]
    network: Network | None = None
    colors: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    """Red, green, blue from 0 to 1 of surfaces, by name."""
    scales: Mapping[str, float] = field(default_factory=dict)
    """Drawn over recorded heights, by name."""
    levels: Mapping[str, float] = field(default_factory=dict)
    """Heights [m] whose surface is drawn, of screens of three axes, by name; half-way to an engraver if not given."""

    def __post_init__(self) -> None:
        if not self.screens or not all(isinstance(one, Screen) for one in self.screens.values()):
            raise InputError("Screens must have a Screen for each name", got=list(self.screens), allowed="one or more")
        for name, screen in self.screens.items():
            if self.network is not None:
                ratio = self.network.frequency / screen.frequency
                if abs(ratio - round(ratio)) > 1e-9 * ratio or round(ratio) < 1:
                    raise InputError(
                        "the frequency of a screen must divide that of the network", where=f"screen {name!r}",
                        got=f"{screen.frequency:g} of {self.network.frequency:g} Hz",
                        remedy=f"Take {self.network.frequency / max(1, round(ratio)):g} Hz.",
                    )  # fmt: skip


class ScreensArguments(ScreenArguments, total=False):
    """What a run of a set of screens takes."""

    motion: Recording | None
    """A recording of the network that engraves the screens, which is then read and not run."""


class ScreensSystem(System):
    """Screens and the network that engraves them; what would diverge is refused, `unstable` runs it.

    With `motion`, a recording of the network, the network is read and not run: the same motion in another dress.
    """

    def __init__(
        self, model: Screens, options: RunOptions, unstable: bool = False, motion: Recording | None = None
    ) -> None:
        check_integrator(options, "screen", "screens")
        self.model, self.options = model, options
        self.labels = {} if motion is None else dict(motion.manifest.get("labels") or {})
        self.gravity = (0.0, -9.81, 0.0) if model.network is None else model.network.gravity
        self.replay = None if motion is None else Replay(motion, model, options)
        self.screens: dict[str, Screen] = {}
        self.live: dict[str, list[LivePoints]] = {}
        for name, screen in model.screens.items():
            found = [follow_network(one, model.network, screen.step) for one in screen.engravers]
            self.live[name] = [live for _, live in found if live is not None]
            if self.replay is not None:
                found = [
                    (replace(e, points=self.replay.follow(e, name, live)), live) if live else (e, None)
                    for e, live in found
                ]
                self.live[name] = []
            self.screens[name] = screen.replace(engravers=tuple(one for one, _ in found))
        self.notes = [note for one in self._fixed() for note in check_reach(one, options.t1)]
        self.notes += [] if self.replay is None else self.replay.notes
        self.facts = self._facts(unstable)
        self.steps = {name: steps_per_sample(screen, options.rate, "screen") for name, screen in self.screens.items()}

    def _fixed(self) -> Iterator[Screen]:
        """Yield the screens with those engravers whose motion is known beforehand."""
        for screen in self.screens.values():
            known = tuple(one for one in screen.engravers if not isinstance(one.points, LivePoints))
            yield screen.replace(engravers=known)

    def _facts(self, unstable: bool) -> dict[str, Any]:
        found: dict[str, Any] = {"screen": {}, "stability": {}}
        network = self.model.network
        if network is not None:
            found |= {"network": describe(network)}
            if self.replay is None:
                steps_per_sample(network, self.options.rate)
                check_functions(network)
                found["stability"]["network"] = check_stability(network, unstable)
        for name, screen in self.screens.items():
            try:
                facts = screen_facts(screen, self.options.t1, unstable)
            except InputError as error:
                raise InputError(f"screen {name!r}: {error}") from error
            found["screen"][name], found["stability"][name] = facts["screen"], facts["stability"]
        return found

    def channels(self) -> list[Channel]:  # noqa: D102
        network, rate = self.model.network, self.options.rate
        found = [] if network is None else network_channels(network, rate)
        found = found if self.replay is None else list(self.replay.channels)
        for name, screen in self.screens.items():
            often = {f"{name}.{one.name}.position" for one in screen.engravers if followed(one)}
            own = screen_channels(screen, rate, f"{name}.")
            found += [replace(one, rate=screen.frequency) if one.name in often else one for one in own]
        return found

    def begin(self, checkpoint: Checkpoint | None) -> Run:  # noqa: D102
        return ScreensRun(self, checkpoint)

    def observe(self, times: np.ndarray, states: Any) -> dict[str, np.ndarray]:  # noqa: D102
        return stack(states)


def followed(engraver: Engraver) -> bool:
    """Return whether an engraver follows a network, so that its points are recorded at each step of the screen."""
    return isinstance(engraver.points, PointTrajectory)


class ScreensRun(Run):
    """Engines of the network and of all screens, advanced together from sample to sample."""

    def __init__(self, system: ScreensSystem, checkpoint: Checkpoint | None) -> None:
        super().__init__(system.options.samples - 1)
        self.system, self.size = system, sum(screen.count for screen in system.screens.values())
        device, kept = system.options.device, checkpoint or {}
        self.sample = int(kept.get("sample", 0))
        self.network: Engine | None = None
        if system.model.network is not None and system.replay is None:
            self.network = Engine.resume(system.model.network, kept.get("network"), device=device)
        self.screens = {
            name: ScreenEngine.resume(screen, kept.get("screens", {}).get(name), device)
            for name, screen in system.screens.items()
        }
        self.trail: dict[str, list[np.ndarray]] = {}
        """Places of points that are followed, at the steps of their screens since the last sample."""
        for name, trail in kept.get("live", {}).items():
            for live, one in zip(system.live[name], trail, strict=True):
                live.now, live.before = np.asarray(one["places"], float).reshape(2, -1, 3)
                live.time = float(one["time"])

    def start(self) -> list[dict[str, Any]]:
        replay = self.system.replay
        self.events += () if replay is None else replay.recording.events
        return [self._observe()]

    def advance(self, samples: int) -> list[dict[str, Any]]:
        """Take all steps to the next sample; a screen steps when the network is where the step begins."""
        network, system = self.network, self.system
        self.trail = {}
        if network is None:
            for name, engine in self.screens.items():
                begun = engine.sample
                engine.advance(system.steps[name])
                engine.check()
                self._follow_record(name, begun, engine.sample)
        else:
            self._advance_together(network)
        self.sample += 1
        return [self._observe()]

    def _follow_record(self, name: str, begun: int, now: int) -> None:
        """Keep the recorded places at the steps after one up to another."""
        screen = self.system.screens[name]
        for one in screen.engravers:
            if isinstance(one.points, Recorded):
                places = [one.points(k / screen.frequency) for k in range(begun + 1, now + 1)]
                self.trail[f"{name}.{one.name}.position"] = places

    def _keep(self, names: Iterable[str], places: np.ndarray) -> None:
        """Keep the places of points that screens follow."""
        for name in names:
            for one in self.system.screens[name].engravers:
                if isinstance(one.points, LivePoints):
                    self.trail.setdefault(f"{name}.{one.name}.position", []).append(places[one.points.indices])

    def _advance_together(self, network: Engine) -> None:
        end = network.sample + steps_per_sample(network.network, self.system.options.rate)
        every = {
            name: round(network.network.frequency / screen.frequency) for name, screen in self.system.screens.items()
        }
        begun = network.sample
        while network.sample < end:
            due = [name for name, steps in every.items() if network.sample % steps == 0]
            if due:
                places = network.state().position
                self._keep(due if network.sample > begun else (), places)
                for name in due:
                    for live in self.system.live[name]:
                        live.move(places, self.screens[name].time)
                    self.screens[name].advance(1)
            ahead = min([end, *(network.sample - network.sample % steps + steps for steps in every.values())])
            network.advance(ahead - network.sample)
        self._keep(every, network.state().position)
        for engine in self.screens.values():
            engine.check()

    def _observe(self) -> dict[str, Any]:
        """Return the values of all channels now; of points that are followed, since the sample before."""
        found: dict[str, Any] = {} if self.network is None else dict(observe_network(self.network))
        found |= {} if self.system.replay is None else self.system.replay.rows(self.sample)
        for name, engine in self.screens.items():
            found |= screen_sample(engine, f"{name}.")
            for one in engine.screen.engravers:
                channel = f"{name}.{one.name}.position"
                if followed(one):
                    found[channel] = Several(np.stack(self.trail.get(channel) or [found[channel]]))
        return found

    def checkpoint(self) -> Checkpoint:
        found: Checkpoint = {"sample": self.sample}
        if self.network is not None:
            found["network"] = self.network.checkpoint()
        found["screens"] = {name: engine.checkpoint() for name, engine in self.screens.items()}
        found["live"] = {
            name: [{"places": np.stack([one.now, one.before]), "time": one.time} for one in lives]
            for name, lives in self.system.live.items()
        }
        return found


def _defaults(model: Screens) -> dict[str, Any]:
    slowest = min(screen.frequency for screen in model.screens.values())
    return {"rate": film_rate(slowest), "step": 1.0 / slowest}


_ACTS = "Give screens engravers and networks their own motion when they are built."
KIND = ModelKind(
    "screen",
    "a set of screens",
    Screens,
    ScreensSystem,
    ScreensArguments,
    "central-difference",
    defaults=_defaults,
    hints={
        "step": "The steps of screens are their own: frequency=….",
        **dict.fromkeys((one for one in OTHERS if one != "motion"), _ACTS),
    },
)
