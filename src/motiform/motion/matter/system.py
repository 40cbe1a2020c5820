"""A network as a system that the run loop advances."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from motiform.base.errors import InputError, RunError
from motiform.motion.matter.engine.engine import Engine
from motiform.motion.matter.model.network import Network
from motiform.motion.matter.observe import choose_channels, network_channels, observe_network
from motiform.motion.matter.sound import Listener, Sound
from motiform.motion.matter.watch import Watch
from motiform.motion.run import Checkpoint, ModelKind, Run, RunArguments, RunOptions, System
from motiform.motion.run.kinds import check_integrator
from motiform.record import Channel, Event

__all__ = [
    "KIND", "EngineRun", "NetworkArguments", "NetworkSystem", "check_functions", "check_stability", "describe",
    "film_rate",
]  # fmt: skip

_CALL = 16384  # steps in one call: a third of a second of sound, and signals of as many steps in memory

Samples = list[dict[str, Any]]
"""What is observed at consecutive samples, by channel."""


class NetworkArguments(RunArguments, total=False):
    """What a run of a network takes."""

    unstable: bool | None
    """Whether it is run although its parameters make it diverge."""
    record: Sequence[str] | Mapping[str, float | None] | None
    """Names of the channels to keep, or of single points such as "string[100].position", with their rates [Hz] where it
    is a mapping; all where it is None. Small networks of which only positions are kept run many times faster."""
    sound: Sound | None
    """The points that are listened to, see `motiform.matter.Sound`; the channel "sound" has a rate of its own."""


class NetworkSystem(System):
    """A network of masses and links.

    Parameters that would make it diverge are refused before the first step, with the remedy; `unstable` runs them.
    `record` names the channels that are kept, all where it is None; without meters a small network is much faster. As
    a mapping it has their rates [Hz], None for that of the run.
    `sound` is what is listened to, at a rate of its own.
    """

    def __init__(
        self, network: Network, options: RunOptions, unstable: bool = False,
        record: Sequence[str] | Mapping[str, float | None] | None = None, sound: Sound | None = None,
    ) -> None:  # fmt: skip
        check_integrator(options, "network", "a network")
        self.steps = steps_per_sample(network, options.rate)
        check_functions(network)
        self.network, self.options = network, options
        self.gravity, self.labels = network.gravity, {}
        self.facts = {"network": describe(network), "stability": check_stability(network, unstable)}
        self._channels, self._points = self._choose(record)
        self.listener = None if sound is None else Listener(sound, network, options)
        if self.listener is not None:
            self.facts["sound"] = self.listener.facts()
        rates = {channel.name: channel.rate or options.rate for channel in self._channels}
        frequency = network.frequency
        fine = {n: (self._points[n], round(frequency / r)) for n, r in rates.items() if r > options.rate}
        self.watch = Watch(self.listener, fine) if fine or self.listener is not None else None
        self._seldom = {n: round(options.rate / r) for n, r in rates.items() if n not in fine}
        """Samples of the run from one of a channel to the next, of those that are not looked at in between."""

    def _choose(self, record: Any) -> tuple[list[Channel], dict[str, Any]]:
        """Return the channels that are kept, and which points those of positions are, where they are chosen."""
        network, rate = self.network, self.options.rate
        return (network_channels(network, rate), {}) if record is None else choose_channels(network, rate, record)

    def channels(self) -> list[Channel]:  # noqa: D102
        return self._channels if self.listener is None else [*self._channels, self.listener.channel()]

    def begin(self, checkpoint: Checkpoint | None) -> Run:  # noqa: D102
        engine, last = Engine.resume(self.network, checkpoint, device=self.options.device), self.options.samples - 1
        plain = self.watch is None and set(self._seldom.values()) == {1}
        if engine.small and len(self._points) == len(self._channels) and plain:
            points = np.unique(np.concatenate([np.atleast_1d(which) for which in self._points.values()]))
            self._columns = {name: np.searchsorted(points, which) for name, which in self._points.items()}
            return PointsRun(engine, points, self.steps, last)
        return EngineRun(engine, self._sample, self.steps, last, self.watch, size=6 * self.network.count)

    def _sample(self, engine: Engine) -> dict[str, np.ndarray]:
        """Return what is recorded at this sample, but for what is looked at in between."""
        sample = engine.sample // self.steps
        due = [name for name, every in self._seldom.items() if sample % every == 0]
        places = [name for name in due if name in self._points]
        found: dict[str, np.ndarray] = {}
        if places:
            place = engine.state().position
            found = {name: place[self._points[name]] for name in places}
        if len(found) < len(due):
            found = observe_network(engine, due) | found
        return {name: found[name] for name in due}

    def observe(self, times: np.ndarray, states: Any) -> dict[str, np.ndarray]:  # noqa: D102
        if isinstance(states, np.ndarray):
            return {name: states[:, column] for name, column in self._columns.items()}
        return stack(states)


def stack(samples: Samples) -> dict[str, np.ndarray]:
    """Return consecutive samples as one array per channel; what is looked at in between has some of its own in each."""
    found: dict[str, np.ndarray] = {}
    for key in dict.fromkeys(key for one in samples for key in one):
        own = [one[key] for one in samples if key in one]
        found[key] = np.concatenate([a.values for a in own]) if isinstance(own[0], Several) else np.stack(own)
    return found


@dataclass(frozen=True)
class Several:
    """Samples of a channel that is looked at between the samples of the run."""

    values: np.ndarray


class EngineRun(Run):
    """An engine on its way; each sample is observed at once, because the engine keeps one state."""

    def __init__(
        self, engine: Any, observe: Callable[[Any], dict[str, np.ndarray]], steps: int, last: int,
        watch: Watch | None = None, *, size: int,
    ) -> None:  # fmt: skip
        super().__init__(last)
        self.engine, self.steps, self._observe, self._watch = engine, steps, observe, watch
        self._matter = getattr(engine, "matter", engine)
        self.sample, self.size = engine.sample // steps, size
        self._feeding = self._feeds()

    def start(self) -> Samples:  # noqa: D102
        self.events += getattr(self.engine, "events", ())
        return [self._observe(self.engine) | ({} if self._watch is None else _several(self._watch.first(self.engine)))]

    def advance(self, samples: int) -> Samples:  # noqa: D102
        engine, heard = self.engine, dict[str, Several]()
        if self._watch is None:
            engine.advance(self.steps)
        else:
            heard = _several(self._watch.advance(engine, self.steps))
        self._matter.check()
        self.sample += 1
        for name in [one for one in self._feeds() if one not in self._feeding]:
            self._feeding.append(name)
            self.events.append(Event(engine.sample / engine.network.frequency, f"feeds energy: links {name!r}"))
        return [self._observe(engine) | heard]

    def _feeds(self) -> list[str]:
        return list(getattr(self._matter, "feeding", ()))

    def checkpoint(self) -> Checkpoint:  # noqa: D102
        found: Checkpoint = self.engine.checkpoint()
        return found


class PointsRun(Run):
    """A small network of which only positions are recorded: many samples in one compiled call."""

    def __init__(self, engine: Engine, points: np.ndarray, steps: int, last: int) -> None:
        super().__init__(last)
        self.engine, self.points, self.steps = engine, points, steps
        self.sample, self.size = engine.sample // steps, max(1, 3 * len(points))

    def start(self) -> np.ndarray:
        return self.engine.state().position[None, self.points]

    def advance(self, samples: int) -> np.ndarray:
        samples = max(1, min(samples, _CALL // self.steps))
        found = self.engine.watch(samples, self.steps, self.points)
        try:
            self.engine.check()
        except RunError as error:
            self.failure, samples = error, max(0, (self.engine.lost_step - 1) // self.steps - self.sample)
        self.sample += samples
        return found[:samples]

    def checkpoint(self) -> Checkpoint:
        return self.engine.checkpoint()


def _several(found: dict[str, np.ndarray]) -> dict[str, Several]:
    return {name: Several(values) for name, values in found.items()}


def steps_per_sample(model: Any, rate: float, noun: str = "network") -> int:
    """Return the whole number of steps of a model with a frequency from one sample to the next."""
    frequency = model.frequency
    steps = round(frequency / rate)
    if steps < 1 or abs(steps * rate - frequency) > 1e-9 * frequency:
        fits = [frequency / n for n in range(max(1, steps - 1), steps + 2)]
        raise InputError(
            f"samples must fall on steps of the {noun}", got=f"{rate:g} Hz at {frequency:g} steps a second",
            allowed="a rate that divides the steps", remedy=f"Take {' or '.join(f'{f:g}' for f in fits)} Hz.",
        )  # fmt: skip
    return steps


def check_functions(network: Network) -> None:
    """Call the functions of a network once at its start: wrong results raise an error before recording begins."""
    from motiform.motion.matter.model.solids import asked_pose

    for group in network.groups:
        if group.motion is not None:
            group.motion.at(0, network.frequency, group.count, spread=False)
    for pushed in network.inputs:
        pushed.signal.at(0, network.frequency, len(pushed.points))
    network.wind.at(0, network.frequency, 1)
    for solid in network.solids:
        if solid.motion is not None:
            asked_pose(solid, 0.0)


def check_stability(network: Network, unstable: bool) -> dict[str, Any]:
    """Raise an error for a network that would diverge, unless `unstable`; return its stability for the manifest.

    Warn where collisions gain energy that is seen (at three times the largest step 1e-4 of it in the mean), and where
    negative stiffness makes motion grow.
    """
    from motiform.motion.matter.stability.assessment import StabilityWarning, assess_network

    found = assess_network(network)
    if not unstable:
        found.check()
        if found.grows or (found.verdict == "gains energy" and network.step > 3 * found.largest_step):
            warnings.warn(str(found), StabilityWarning, stacklevel=2)
    return found.to_dict()


def describe(network: Network) -> dict[str, Any]:
    """Return a summary of a network for a recording's manifest."""
    return {
        "frequency": network.frequency,
        "groups": {group.name: {"kind": group.kind, "points": group.count} for group in network.groups},
        "links": {bundle.name: {"law": bundle.law.name, "links": bundle.count} for bundle in network.bundles},
        "reaches": {reach.name: {"law": reach.law.name, "points": len(reach.points)} for reach in network.reaches},
        "solids": [solid.name for solid in network.solids],
    }


def film_rate(rate: float) -> float:
    """Return the samples per second that a network keeps by default: those of film where they divide its steps."""
    return 25.0 if rate % 25.0 == 0 else rate


def _defaults(network: Network) -> dict[str, Any]:
    return {"rate": film_rate(network.frequency), "step": network.step}


_ACTS = "Give a network imposed points, pushes and solids when it is built."
KIND = ModelKind(
    "network",
    "a network",
    Network,
    NetworkSystem,
    NetworkArguments,
    "central-difference",
    defaults=_defaults,
    hints={
        "step": "The step of a network is its own: build it with NetworkBuilder(frequency=…).",
        **dict.fromkeys(("forces", "guards", "q0", "v0", "controls", "loads", "contacts"), _ACTS),
    },
)
