"""Many copies of a system in one run, each with what is its own: they are advanced side by side on all cores."""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from motiform.base.errors import InputError, MotiformError
from motiform.motion.run.integrators import get_method
from motiform.motion.run.system import Checkpoint, Run, System
from motiform.record import Channel, Event
from motiform.record.copies import COPY_AXIS

__all__ = ["CopiesRun", "CopiesSystem"]

_STEPPED = "Give integrator=, or of a scene load_scene(name, {'motion.integrator': 'time-stepping'})."
_BLOCK = 16  # times the states of a usual block are kept before they are observed


class CopiesSystem(System):
    """Systems of one kind that differ in numbers alone; all their samples are in one recording.

    Each gives the bits of a run of its own. One that fails ends alone: its numbers are NaN from then on, whole ones −1,
    and `failures` says why.
    """

    def __init__(self, systems: Sequence[System], record: Iterable[str] | None = None, threads: int = 1) -> None:
        first = systems[0]
        self.systems, self.threads, self.options = list(systems), threads, first.options
        self.gravity, self.vertical, self.labels, self.facts = first.gravity, first.vertical, first.labels, first.facts
        self.notes = list(dict.fromkeys(note for system in systems for note in system.notes))
        self.failures: dict[int, tuple[float, MotiformError]] = {}
        """When each copy that failed did [s], and why."""
        if get_method(self.options.integrator).adaptive:
            got, allowed = self.options.integrator, "one of fixed steps, such as 'time-stepping'"
            raise InputError("copies must go on together, by fixed steps", got=got, allowed=allowed, remedy=_STEPPED)
        own = {channel.name: channel for channel in first.channels()}
        differ: dict[str, int] = {}
        for k, system in enumerate(systems[1:], 1):
            if first.observed_as is not None and system.observed_as == first.observed_as:
                continue
            shapes = {channel.name: channel.shape for channel in system.channels()}
            for name in own.keys() | shapes.keys():
                if name not in own or shapes.get(name) != own[name].shape:
                    differ.setdefault(name, k)
        own = {name: channel for name, channel in own.items() if name not in differ}
        self._names = list(own) if record is None else list(record)
        if record is None:
            self.notes += [
                f"{name} is not recorded: it is not the same in copies 0 and {k}" for name, k in differ.items()
            ]
        for name in self._names:
            if name not in own:
                raise InputError("a channel must be one that all copies have", got=name, allowed=", ".join(own))
            if own[name].rate != self.options.rate:
                raise InputError("channels of copies have the rate of the run", where="record", got=name)
        self._channels = [own[name] for name in self._names]
        keys = [system.observed_as for system in systems]
        self._alike = keys[0] is not None and all(key == keys[0] for key in keys)

    def channels(self) -> list[Channel]:  # noqa: D102
        n = len(self.systems)
        return [replace(c, dims=(COPY_AXIS, *c.dims), shape=(n, *c.shape)) for c in self._channels]

    def begin(self, checkpoint: Checkpoint | None) -> Run:  # noqa: D102
        return CopiesRun(self, checkpoint)

    def part(self, states: np.ndarray) -> np.ndarray:
        """Return what the channels need of the states of a copy."""
        return np.asarray(self.systems[0].state_part(states, self._names))

    def observe(self, times: np.ndarray, states: np.ndarray) -> dict[str, np.ndarray]:  # noqa: D102
        count, n = states.shape[:2]
        found: dict[str, np.ndarray] = {}
        together = np.ascontiguousarray(states.reshape(count * n, *states.shape[2:]))
        whole = self.systems[0].state_channels(together, self._names)
        if whole is None and self._alike:
            whole = self.systems[0].observe(np.repeat(times, n), together)
        if whole is not None:
            found = {name: np.reshape(whole[name], (count, n, *whole[name].shape[1:])) for name in self._names}
        else:
            for k, system in enumerate(self.systems):
                own = system.observe(times, np.ascontiguousarray(states[:, k]))
                for name in self._names:
                    room = found.setdefault(name, np.empty((count, n, *own[name].shape[1:]), own[name].dtype))
                    room[:, k] = own[name]
        for k, (instant, _) in self.failures.items():
            gone = times > instant
            for values in found.values():
                values[gone, k] = np.nan if values.dtype.kind == "f" else -1
        return found

    def first_lost(self, found: dict[str, np.ndarray]) -> None:
        """Go on: a copy that fails is NaN from then on."""


class CopiesRun(Run):
    """Runs of all copies, advanced to the same sample; on several threads where kernels let go of Python's lock."""

    pace = 10.0  # a block costs every copy some 0.2 ms in Python

    def __init__(self, system: CopiesSystem, checkpoint: Checkpoint | None) -> None:
        super().__init__(system.options.samples - 1)
        self.system, self.rate = system, system.options.rate
        self.runs: list[Run | None] = []
        kept = None if checkpoint is None else checkpoint["copies"]
        self._ended = {} if checkpoint is None else {int(k): str(why) for k, why in checkpoint["failed"]}
        for k, one in enumerate(system.systems):
            own = None if kept is None or k in self._ended else {name: part[k] for name, part in kept.items()}
            self.runs.append(None if k in self._ended else one.begin(own))
        self.sample = 0 if checkpoint is None else int(checkpoint["sample"])
        for k, why in self._ended.items():
            system.failures[k] = (float(checkpoint["instants"][k]), MotiformError(why))  # type: ignore[index]
        self.size = max(1, sum(run.size for run in self.runs if run is not None) // _BLOCK)

    @property
    def alive(self) -> list[tuple[int, Run]]:
        """The runs that go on, with their numbers."""
        return [(k, run) for k, run in enumerate(self.runs) if run is not None]

    @property
    def finished(self) -> bool:  # noqa: D102
        return self.sample >= self.last or not self.alive

    def start(self) -> np.ndarray:  # noqa: D102
        states = []
        for k, run in self.alive:
            try:
                states.append(self.system.part(np.asarray(run.start())))
            except MotiformError as error:
                raise InputError(f"copy {k} cannot begin: {error}") from error
            self._take_events(k, run)
        return np.stack(states, axis=1)

    def advance(self, samples: int) -> np.ndarray:  # noqa: D102
        alive = self.alive
        threads = min(self.system.threads, len(alive)) if all(run.parallel for _, run in alive) else 1
        parts = [alive[i::threads] for i in range(threads)]
        if len(parts) == 1:
            made = [self._advance_part(parts[0], samples)]
        else:
            with ThreadPoolExecutor(len(parts)) as pool:
                made = list(pool.map(lambda part: self._advance_part(part, samples), parts))
        own = {k: found for part in made for k, found in part.items()}
        longest = max((found for found, _ in own.values()), key=len)
        states = np.repeat(longest[:, None], len(self.runs), axis=1)  # in place of those that have failed
        for k, run in alive:
            found, error = own[k]
            states[: len(found), k] = found[: len(states)]
            self._take_events(k, run)
            if error is not None:
                instant = (self.sample + len(found)) / self.rate  # of its last sample
                self.system.failures[k], self.runs[k] = (instant, error), None
                self.events.append(Event(instant, f"copy {k} ends", {"copy": k, "reason": str(error)}))
        self.sample += len(states)
        return states

    def _advance_part(
        self, part: list[tuple[int, Run]], samples: int
    ) -> dict[int, tuple[np.ndarray, MotiformError | None]]:
        """Return the states of each run of a part, and why there are fewer than asked for."""
        return {k: self._advance_one(run, samples) for k, run in part}

    def _advance_one(self, run: Run, samples: int) -> tuple[np.ndarray, MotiformError | None]:
        """Advance a run by so many samples; return their states, and why there are fewer."""
        made: list[np.ndarray] = []
        count, error = 0, None
        while count < samples and error is None:
            try:
                made.append(self.system.part(np.asarray(run.advance(samples - count))))
                count += len(made[-1])
                error = run.failure
            except MotiformError as caught:
                error = caught
        return np.concatenate(made) if made else np.zeros(0), error

    def _take_events(self, k: int, run: Run) -> None:
        self.events += [replace(event, detail={**event.detail, "copy": k}) for event in run.take_events()]

    def checkpoint(self) -> Checkpoint:  # noqa: D102
        kept = {k: run.checkpoint() for k, run in self.alive}
        copies: dict[str, np.ndarray] = {}
        for k, own in kept.items():
            for name, value in own.items():
                value = np.asarray(value)
                room = copies.setdefault(name, np.zeros((len(self.runs), *value.shape), value.dtype))
                room[k] = value
        instants = np.zeros(len(self.runs))
        for k, (instant, _) in self.system.failures.items():
            instants[k] = instant
        failed = [[k, str(error)] for k, (_, error) in self.system.failures.items()]
        return {"sample": self.sample, "copies": copies, "failed": failed, "instants": instants}
