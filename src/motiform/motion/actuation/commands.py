"""Commands of actuators: constant, functions of time, or a law that is called at a period and applied after a delay."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.actuation import command_columns as columns
from motiform.motion.run import check_number
from motiform.motion.run.functions import call, check_numbers
from motiform.motion.tree import Actuator, Control, Figure, FigureState
from motiform.motion.tree.model.actuation import PackedActuator
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import ready
from motiform.spatial.checks import as_floats

__all__ = ["Command", "CommandedActuator", "CommandedControl", "PulseTrain", "SampledLaw"]

_SHORTEST, _MOST = 1e-7, 1e6  # [s] between two calls of a law; calls that are due, or commands that wait, at once


@dataclass(frozen=True, eq=False)
class SampledLaw:
    """A law called at the begin of a run and every period after; each command applies `delay` later, until the next.

    law(t, state) gives the command  [HuMAnS 6.3]; state.z are the states of the actuator. With `memory`, law(t, state,
    memory) gives the command and the new memory: what a law keeps from call to call belongs there, so that a run can be
    resumed. With `variable_period` the last thing that it gives is the time until its next call  [HuMAnS 6.4.2].
    """

    law: Callable[..., Any]
    period: float
    """[s], at least 0.1 µs; with `variable_period` the shortest time between two calls."""
    delay: float = 0.0
    """[s]"""
    memory: ArrayLike | None = None
    """At the start, (n,)."""
    initial: ArrayLike | None = None
    """Command that holds until the first one applies, (commands,); None: zeros."""
    variable_period: bool = False
    """Whether the law tells the time until its next call [s]: (command, time), or (command, memory, time)."""

    def __post_init__(self) -> None:
        where = "sampled law"
        object.__setattr__(self, "period", check_number(self.period, "period", where, least=_SHORTEST))
        object.__setattr__(self, "delay", check_number(self.delay, "delay", where, least=0.0))
        if self.delay > _MOST * self.period:
            got, allowed = f"delay {self.delay:g} s, period {self.period:g} s", f"{_MOST:.0g} periods at most"
            raise InputError("too many commands would wait", where=where, got=got, allowed=allowed)
        if not callable(self.law):
            raise InputError("the law must be a function", where=where, got=repr(self.law), allowed="law(t, state)")
        if self.memory is not None:
            object.__setattr__(self, "memory", np.atleast_1d(as_floats(self.memory, where=f"{where}, memory")))
        if self.initial is not None:
            object.__setattr__(self, "initial", np.atleast_1d(as_floats(self.initial, where=f"{where}, initial")))

    @property
    def waiting(self) -> int:
        """Most commands that wait at once."""
        return int(self.delay / self.period) + 1

    def instant(self, k: int) -> float:
        """Return when the law is called for the k-th time after the begin of a run [s]."""
        return k * self.period


@dataclass(frozen=True, eq=False)
class PulseTrain:
    """Commands given at instants, each held from `delay` later until the next one arrives."""

    times: ArrayLike
    """[s], increasing, (n,)."""
    values: ArrayLike
    """(n, commands), or (n,) for one."""
    delay: float = 0.0
    """[s]"""

    def __post_init__(self) -> None:
        where = "pulse train"
        times, values = as_floats(self.times, where=f"{where}, times"), as_floats(self.values, where=f"{where}, values")
        if times.ndim != 1 or (np.diff(times) <= 0).any() or (times < 0).any():
            raise InputError("times must increase from 0 on", where=where, got=repr(self.times)[:80])
        if values.ndim not in (1, 2) or len(values) != len(times):
            allowed = f"{len(times)} rows"
            raise InputError("values must have a row for each time", where=where, got=values.shape, allowed=allowed)
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "values", values if values.ndim == 2 else values[:, None])
        object.__setattr__(self, "delay", check_number(self.delay, "delay", where, least=0.0))

    @property
    def waiting(self) -> int:
        """Most commands that wait at once."""
        times = np.asarray(self.times)
        return int((np.searchsorted(times, times + self.delay, side="right") - np.arange(len(times))).max(initial=0))

    def instant(self, k: int) -> float:
        """Return when command k is given [s]; inf after the last."""
        times = np.asarray(self.times)
        return float(times[k]) if k < len(times) else np.inf


Command = ArrayLike | Callable[[float, FigureState], ArrayLike] | SampledLaw | PulseTrain
"""Command of an actuator: numbers, a function of (t, state), a `SampledLaw` or a `PulseTrain`."""


class Commands:
    """The commands of one actuator.

    Those given at instants keep (given, applied, held, memory of the law, a ring of commands, the begin, a ring of
    instants). The begin is that of a law that is sampled, instants are kept where a law tells them. Before the first
    call −1 commands are given.
    """

    def __init__(self, command: Any, size: int, who: str) -> None:
        self.size, self.who = size, who
        self.timed = command if isinstance(command, SampledLaw | PulseTrain) else None
        self.function = command if self.timed is None and callable(command) else None
        law = getattr(self.timed, "law", self.function)
        self.law_name = str(getattr(law, "__name__", type(law).__name__))
        self.constant = np.zeros(size) if callable(law) else self._constant(command)
        kept = getattr(self.timed, "memory", None)
        self.kept = 0 if kept is None else np.size(kept)
        self.initial = self._initial(getattr(self.timed, "initial", None))
        self.ring = 0 if self.timed is None else self.timed.waiting + 1
        self.clock = self.ring if getattr(self.timed, "variable_period", False) else 0
        self.sampled = isinstance(command, SampledLaw)
        self.begin = 0 if self.timed is None else 2 + size + self.kept + self.ring * size
        self.length = self.begin + int(self.sampled) + self.clock

    def _constant(self, command: Any) -> Array:
        """Return a constant command, or zeros where those of a train have the right size."""
        train = isinstance(command, PulseTrain)
        found = as_floats(command.values if train else command, where=f"command of {self.who}")
        if found.shape[-1:] != (self.size,) and (train or found.shape != ()):
            raise InputError(
                "a command must have a number for each",
                where=self.who,
                got=f"shape {found.shape}",
                allowed=f"{self.size} numbers",
            )
        return np.zeros(self.size) if train else np.broadcast_to(found, (self.size,)).copy()

    def _initial(self, given: Any) -> Array:
        """Return the command that holds at the start."""
        if given is not None and np.shape(given) != (self.size,):
            got, allowed = f"shape {np.shape(given)}", f"{self.size} numbers"
            raise InputError("`initial` must have a number for each", where=self.who, got=got, allowed=allowed)
        return np.zeros(self.size) if given is None else np.asarray(given, float)

    def start(self) -> Array:
        """Return the memory at the start: nothing was commanded yet but what holds."""
        out = np.zeros(self.length)
        if self.timed is not None:
            out[0] = -1.0
            out[2 : 2 + self.size] = self.initial
        if self.kept:
            out[2 + self.size : 2 + self.size + self.kept] = self.timed.memory  # type: ignore[union-attr]
        return out

    def pack(self, part: PackedActuator) -> PackedActuator | None:
        """Return an actuator whose numbers begin with those of its command; None where the command is a function.

        Its kernel finds its own numbers where the integers at the head say, see `command_columns`.
        """
        if self.function is not None:
            return None
        law = getattr(getattr(self.timed, "law", None), "packed", None) if not (self.kept or self.clock) else None
        values = self.constant
        if isinstance(self.timed, PulseTrain):
            values = np.concatenate([np.asarray(self.timed.times), np.asarray(self.timed.values).ravel()])
        form = columns.CONSTANT if self.timed is None else columns.SAMPLED if self.sampled else columns.TRAIN
        timing = [getattr(self.timed, "delay", 0.0), getattr(self.timed, "period", 0.0)]
        head, numbers, space = np.zeros(columns.HEADER, np.int64), np.concatenate([timing, values]), np.zeros(0)
        calls: tuple[tuple[int, Any], ...] = ()
        head[columns.FORM : columns.LAW] = (
            form, self.size, self.kept, self.ring, self.begin, self.clock, self.length,
            np.size(self.timed.times) if isinstance(self.timed, PulseTrain) else 0,
        )  # fmt: skip
        if law is not None:
            head[[columns.LAW, columns.LAW_INT, columns.LAW_FLOAT]] = 1, len(head), len(numbers)
            _, head, numbers, space, _, calls = law.after(head, numbers, space, ((columns.LAW, law.function),))
        head[[columns.OWN_INT, columns.OWN_FLOAT, columns.OWN_WORK]] = len(head), len(numbers), len(space)
        return part.after(head, numbers, space, calls)

    def value(self, t: float, state: FigureState, memory: Array) -> Array:
        """Return the command that holds, (size,)."""
        if self.timed is not None:
            return memory[2 : 2 + self.size]
        return self.constant if self.function is None else self._asked(self.function, t, state)[0]

    def _asked(self, law: Callable[..., Any], t: float, state: FigureState, *kept: Array) -> tuple[Array, Array, float]:
        """Return the command of a law, its new memory, and the time until its next call [s]."""
        what, where = "a control law", f"{self.who}, law {self.law_name!r}, t = {t:.9g} s"
        copy = FigureState(state.q.copy(), state.v.copy(), state.z.copy())  # laws may write to it
        answer, memory, wait = call(law, t, copy, *(k.copy() for k in kept), what=what, where=where), np.zeros(0), 0.0
        parts = [
            "a command",
            *(["the new memory"] if kept else []),
            *(["the time until its next call"] if self.clock else []),
        ]
        if len(parts) > 1:
            if not isinstance(answer, tuple) or len(answer) != len(parts):
                allowed = ", ".join(parts)
                raise InputError(f"{what} returned a wrong value", where=where, got=repr(answer)[:80], allowed=allowed)
            answer, *more = answer
            if kept:
                memory = check_numbers(more[0], (self.kept,), what=f"{what}'s memory", where=where)
            if isinstance(self.timed, SampledLaw) and self.clock:
                wait = check_number(more[-1], f"the time until the next call of {what}", where, least=self.timed.period)
        return check_numbers(answer, (self.size,), what=what, where=where), memory, wait

    def _instant(self, k: int, memory: Array) -> float:
        """Return when command k was or will be given [s]: one that waits, or the next."""
        if self.clock:
            return float(memory[self.length - self.clock + k % self.clock])
        begin = float(memory[self.begin]) if self.sampled else 0.0
        return begin + self.timed.instant(k)  # type: ignore[union-attr]

    def next_instant(self, t: float, memory: Array) -> float:
        """Return the next instant at which a command is given or takes hold, or a function jumps [s]."""
        if self.timed is None:
            return min((float(x) for x in getattr(self.function, "jumps", ()) if x > t), default=np.inf)
        given, applied = int(memory[0]), int(memory[1])
        if given < 0:
            return t
        following = self._instant(given, memory)
        return min(following, self._instant(applied, memory) + self.timed.delay) if applied < given else following

    def _begin(self, t: float, memory: Array) -> None:
        """Begin at an instant: sampled laws are called now; of a train what has taken hold before holds."""
        memory[0] = 0.0
        if isinstance(self.timed, PulseTrain):
            gone = int(np.searchsorted(np.asarray(self.timed.times) + self.timed.delay, t))
            memory[:2] = gone
            if gone:
                memory[2 : 2 + self.size] = np.asarray(self.timed.values)[gone - 1]
        else:
            memory[self.begin :] = t

    def arrived(self, t: float, before: Array, after: Array) -> bool:
        """Whether a command has taken hold in a call."""
        begun = before.copy()
        if begun[0] < 0:
            self._begin(t, begun)
        return bool(after[1] > begun[1])

    def call(self, t: float, state: FigureState, memory: Array) -> Array:
        """Return the memory after the commands that are given, and those that take hold."""
        timed, n = self.timed, self.size
        if timed is None:
            return memory
        out = memory.copy()
        if out[0] < 0:
            self._begin(t, out)
        if isinstance(timed, SampledLaw) and t - self._instant(int(out[0]), out) > _MOST * timed.period:
            got = f"its next call was due at {self._instant(int(out[0]), out):.9g} s, t = {t:.9g} s"
            raise InputError("a law must not be called too often at once", where=self.who, got=got)
        held, own, clock = out[2 : 2 + n], out[2 + n : 2 + n + self.kept], out[self.length - self.clock :]
        ring = out[2 + n + self.kept : self.begin].reshape(-1, n)

        def apply() -> None:
            while out[1] < out[0] and self._instant(int(out[1]), out) + timed.delay <= t:
                held[:], out[1] = ring[int(out[1]) % self.ring], out[1] + 1

        apply()
        while (due := self._instant(k := int(out[0]), out)) <= t:
            if isinstance(timed, PulseTrain):
                ring[k % self.ring] = np.asarray(timed.values)[k]
            else:
                ring[k % self.ring], own[:], wait = self._asked(timed.law, t, state, *([own] if self.kept else []))
                if self.clock:
                    clock[(k + 1) % self.clock] = due + wait
            out[0] += 1
            apply()
        return out


class CommandedActuator(Actuator):
    """An actuator that takes commands. Its numbers are states, its own memory, and the memory of the commands."""

    command: Any
    size: int
    """Numbers of a command."""
    remembered: int = 0
    """Numbers of its own memory."""

    @cached_property
    def commands(self) -> Commands:
        """Its command."""
        return Commands(self.command, self.size, self.name)

    def own_start(self, state: FigureState) -> ArrayLike:
        """Return states and own memory at the start."""
        return np.zeros(len(self.states))

    def start(self, state: FigureState) -> ArrayLike:  # noqa: D102
        return np.concatenate([np.asarray(self.own_start(state), float), self.commands.start()])

    def command_at(self, t: float, state: FigureState) -> Array:
        """Return the command that holds, (size,)."""
        return self.commands.value(t, self._seen(state), self._memory(state.z))

    def _seen(self, state: FigureState) -> FigureState:
        return FigureState(state.q, state.v, state.z[: len(self.states)])

    def own(self, z: Array) -> Array:
        """Return its numbers, as compiled functions take them."""
        return ready(z, len(self.states) + self.remembered + self.commands.length, f"z of {self.name}")

    def _memory(self, z: Array) -> Array:
        return self.own(z)[len(z) - self.commands.length :]

    def next_instant(self, t: float, state: FigureState) -> float:  # noqa: D102
        return self.commands.next_instant(t, self._memory(state.z))

    def call(self, t: float, state: FigureState) -> ArrayLike:  # noqa: D102
        own = state.z[: len(state.z) - self.commands.length]
        return np.concatenate([own, self.commands.call(t, self._seen(state), self._memory(state.z))])


@dataclass(frozen=True, eq=False)
class CommandedControl(CommandedActuator):
    """A control law evaluated every `period` [s]; its command applies after `delay` [s] until the next one.

    law(t, state) gives generalised forces (nv,).  [HuMAnS 6.3]
    """

    figure: Figure
    law: Control
    period: float
    delay: float = 0.0
    name: str = "commanded control"
    command: SampledLaw = field(init=False, repr=False)

    def __post_init__(self) -> None:
        check_number(self.period, "period", "commanded control", above=0.0)
        check_number(self.delay, "delay", "commanded control", least=0.0)
        object.__setattr__(self, "command", SampledLaw(self.law, self.period, self.delay))

    @property
    def size(self) -> int:  # type: ignore[override]
        """One number for each velocity."""
        return self.figure.nv

    def act(self, t: float, state: FigureState) -> tuple[ArrayLike, ArrayLike]:  # noqa: D102
        return self.command_at(t, state), state.z[:0]

    @cached_property
    def packed(self) -> PackedActuator | None:
        """What it is commanded."""
        from motiform.motion.actuation.drive_kernels import commanded_efforts

        return self.commands.pack(PackedActuator(commanded_efforts, np.zeros(0, np.int64), np.zeros(0), np.zeros(0)))
