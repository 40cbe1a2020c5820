"""All that acts on a figure from within, as one: forces, rates of states, events, instants at which it is called."""

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from motiform.base.errors import InputError, RunError
from motiform.motion.run import Guard
from motiform.motion.run.functions import call, check_numbers
from motiform.motion.tree.model import actuation_columns
from motiform.motion.tree.model.actuation import Actuation, PackedActuator, join_actuators
from motiform.motion.tree.model.actuator import Actuator, ActuatorChannel, PlainControl, as_actuators
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import FigureState, call_checked, ready
from motiform.record import Channel

__all__ = ["Acting"]

_NONE = np.zeros(0)


class Acting:
    """Controls and actuators of a figure. z holds the states of all of them, then the memory of all."""

    def __init__(self, figure: Figure, controls: Any = None) -> None:
        self.figure, self.nv = figure, figure.nv
        self.parts: list[Actuator] = as_actuators(controls)
        for part in self.parts:
            if isinstance(part, PlainControl) and not callable(part.control):
                allowed = "a function of (t, state), an Actuator, or several"
                raise InputError("controls must be functions", got=repr(part.control), allowed=allowed)
        named = [part.name for part in self.parts if part.quantities]
        twice = [name for name in named if named.count(name) > 1]
        if twice:
            raise InputError("actuators must have names of their own", got=twice[0], remedy="Give each a name=.")
        self.z0 = _NONE
        self._counts = [len(part.states) for part in self.parts]
        self.nx = sum(self._counts)
        self._own: list[np.ndarray] = [np.zeros(0, np.int64)] * len(self.parts)
        self._still = np.zeros(self.nv)
        only = self.parts[0] if len(self.parts) == 1 else None
        self._only = only.control if isinstance(only, PlainControl) and not self.nx else None

    def __getstate__(self) -> dict[str, Any]:
        return {key: own for key, own in vars(self).items() if key not in ("actuation", "_compiled")}  # addresses

    def __bool__(self) -> bool:
        return bool(self.parts)

    def begin(self, state: FigureState, t: float = 0.0) -> Array:
        """Return z at the start of a run; what is due then is done."""
        parts, memory, at_x = [], self.nx, 0
        for k, part in enumerate(self.parts):
            where, n = f"{part.name}, t = 0 s", len(part.states)
            got = np.atleast_1d(np.asarray(call(part.start, state, what="the start of an actuator", where=where)))
            if got.ndim != 1 or len(got) < n:
                allowed = f"{n} states, and memory"
                raise InputError("an actuator must start with its states", where=where, got=repr(got), allowed=allowed)
            z = check_numbers(got, got.shape, what="the start of an actuator", where=where)
            self._own[k] = np.concatenate([np.arange(at_x, at_x + n), np.arange(memory, memory + len(z) - n)])
            at_x, memory = at_x + n, memory + len(z) - n
            parts.append(z)
        self.z0 = np.zeros(memory)
        for own, z in zip(self._own, parts, strict=True):
            self.z0[own] = z
        for name in ("actuation", "_compiled"):  # of another start
            self.__dict__.pop(name, None)
        self.z0 = self.call(t, FigureState(state.q, state.v, self.z0))
        return self.z0

    @cached_property
    def actuation(self) -> Actuation | None:
        """All as compiled steps take it, from `begin` on; None where a function of the user's acts."""
        packed = [_packed(part, self.figure) for part in self.parts]
        if any(one is None for one in packed):
            return None
        K, D = np.zeros(self.nv), np.zeros(self.nv)
        for part in self.parts:
            if not part.limited:
                K, D = K + np.asarray(part.stiffness, float), D + np.asarray(part.damping, float)
        jumps = [t for p in self.parts if isinstance(p, PlainControl) for t in getattr(p.control, "jumps", ())]
        return join_actuators([one for one in packed if one is not None], self._places, jumps, (K, D))

    @property
    def _places(self) -> list[tuple[int, ...]]:
        """Where states, memory and events of each begin and end."""
        x, m, e = 0, self.nx, 0
        found: list[tuple[int, ...]] = []
        for part, own, n in zip(self.parts, self._own, self._counts, strict=True):
            found.append((x, x + n, m, m + len(own) - n, e, e + len(part.events)))
            x, m, e = x + n, m + len(own) - n, e + len(part.events)
        return found

    @cached_property
    def _compiled(self) -> Any:
        """The compiled functions of all, or None."""
        if self.actuation is None or self._only is not None:
            return None
        from motiform.motion.tree.model import actuation_kernels

        return actuation_kernels

    def _numbers_of(self, state: FigureState) -> tuple[Array, Array, Array]:
        """Return a state as compiled functions take it."""
        q, v = ready(state.q, self.figure.nq, "q"), ready(state.v, self.nv, "v")
        return q, v, ready(state.z[: len(self.z0)], len(self.z0), "z")  # others may keep more behind it

    @property
    def dynamic(self) -> bool:
        """Whether it has states, memory, or instants at which it is called."""
        own = [type(part) for part in self.parts if not isinstance(part, PlainControl)]
        return len(self.z0) > 0 or any(kind.next_instant is not Actuator.next_instant for kind in own)

    @cached_property
    def summed(self) -> bool:
        """Whether nothing depends on any state: a figure that stands still has the same forces until the next call."""
        return all(part.sums == n and not part.events for part, n in zip(self.parts, self._counts, strict=True))

    @property
    def timed(self) -> bool:
        """Whether forces may jump at instants that are known, or more."""
        return self.dynamic or any(getattr(p.control, "jumps", ()) for p in self.parts if isinstance(p, PlainControl))

    @property
    def state_names(self) -> list[str]:
        """Names of the states."""
        return [f"{part.name}.{name}" for part in self.parts for name in part.states]

    # ---------------------------------------------------------------- between events
    def forces(self, t: float, state: FigureState) -> Array:
        """Return the generalised forces of all, (nv,)."""
        if self._only is not None:
            return call_checked(self._only, t, state, (self.nv,), "control")
        return self.act(t, state)[0]

    def act(self, t: float, state: FigureState) -> tuple[Array, Array]:
        """Return the generalised forces of all, (nv,), and the rates of their states, (nx,)."""
        if self._only is not None:
            return call_checked(self._only, t, state, (self.nv,), "control"), _NONE
        if self._compiled is not None:
            tau, rates, given = np.empty(self.nv), np.empty(self.nx), (t, self.actuation, *self._numbers_of(state))
            if self._compiled.actuator_rates_at.function(*given, tau, rates) == actuation_columns.OK:
                return tau, rates
        return self._act_each(t, state)

    def refuse(self, t: float, state: FigureState) -> None:
        """Raise the error of a state that compiled actuators refuse."""
        self._act_each(t, state)
        raise RunError("forces of actuators must be finite", where=f"t = {t:.9g} s")

    def _act_each(self, t: float, state: FigureState) -> tuple[Array, Array]:
        """Return the same from one after another, in Python, with what is wrong in what they return."""
        tau, rates = (self._still.copy() if len(self.parts) != 1 else self._still), np.zeros(self.nx)
        for part, own, n in zip(self.parts, self._own, self._counts, strict=True):
            where = f"{part.name}, t = {t:.6g} s"
            answer = call(part.act, t, self._for(state, own), what="an actuator", where=where)
            if not isinstance(answer, tuple) or len(answer) != 2:
                allowed = "forces (nv,) and rates of the states"
                raise InputError("an actuator returned a wrong value", where=where, got=repr(answer), allowed=allowed)
            force = _numbers(answer[0], (self.nv,), "the force of an actuator", where)
            tau = force if len(self.parts) == 1 else tau + force
            if n:
                rates[own[:n]] = _numbers(answer[1], (n,), "the rates of an actuator", where)
        return tau, rates

    def _for(self, state: FigureState, own: np.ndarray) -> FigureState:
        return FigureState(state.q, state.v, state.z[own])

    @cached_property
    def stiffness(self) -> Array:
        """Of the springs among them, (nv,)."""
        return self._summed("stiffness")

    @cached_property
    def damping(self) -> Array:
        """Of the dampers among them, (nv,)."""
        return self._summed("damping")

    def gains(self, t: float, state: FigureState) -> tuple[Array, Array]:
        """Return stiffness and damping at a state, (nv,) each: those of drives at their limits do not count."""
        K, D = self.stiffness, self.damping
        for part, own in self._limited:
            full = part.saturated(t, self._for(state, own))
            if np.any(full):
                K = K - np.where(full, part.stiffness, 0.0)
                D = D - np.where(full, part.damping, 0.0)
        return K, D

    @cached_property
    def _limited(self) -> list[tuple[Actuator, np.ndarray]]:
        """Those that may be at a limit."""
        return [pair for pair in zip(self.parts, self._own, strict=True) if pair[0].limited]

    def _summed(self, key: str) -> Array:
        found = np.zeros(self.nv)
        for part in self.parts:
            found = found + np.asarray(getattr(part, key), float)
        return found

    # ---------------------------------------------------------------- events
    def guards(self, split: Callable[[Array], FigureState]) -> list[Guard]:
        """Return the guards of all events of actuators, as functions of a flat vector; what happens is `switch`."""
        last: dict[str, Any] = {"y": None}

        def zero(t: float, y: Array, k: int) -> float:
            if last["y"] is not y or last["t"] != t:  # all guards look at one state after another
                last["y"], last["t"], last["margins"] = y, t, self.margins(t, split(y))
            return float(last["margins"][k])

        names = [f"{part.name}: {event}" for part in self.parts for event in part.events]
        return [Guard(name, partial(zero, k=k), "down") for k, name in enumerate(names)]

    def margins(self, t: float, state: FigureState) -> Array:
        """Return the margins of all events."""
        if self._compiled is not None:
            out, given = np.empty(sum(len(part.events) for part in self.parts)), self._numbers_of(state)
            self._compiled.actuator_margins_at.function(t, self.actuation, *given, np.empty(self.nv), out)
            if np.isfinite(out).all():
                return out
        found = []
        for part, own in zip(self.parts, self._own, strict=True):
            if part.events:
                where = f"{part.name}, t = {t:.9g} s"
                answer = call(part.margins, t, self._for(state, own), what="the margins of an actuator", where=where)
                found.append(_numbers(answer, (len(part.events),), "the margins of an actuator", where))
        return np.concatenate(found) if found else _NONE

    def switch(self, t: float, state: FigureState, which: int) -> Array:
        """Return z after an event, by its number among all."""
        for k, part in enumerate(self.parts):
            if which < len(part.events):
                return self._changed(k, t, state, "switch", which)
            which -= len(part.events)
        raise IndexError(which)

    def next_instant(self, t: float, state: FigureState) -> float:
        """Return the next instant at which something is due [s]."""
        if self._compiled is not None:
            given = self._numbers_of(state)
            return float(self._compiled.next_actuator_instant_at.function(t, self.actuation, *given, np.empty(1)))
        return min(
            (float(p.next_instant(t, self._for(state, own))) for p, own in zip(self.parts, self._own, strict=True)),
            default=np.inf,
        )

    def call(self, t: float, state: FigureState) -> Array:
        """Return z after all that is due at an instant."""
        for k, (part, own) in enumerate(zip(self.parts, self._own, strict=True)):
            if part.next_instant(t, self._for(state, own)) <= t:
                state = FigureState(state.q, state.v, self._changed(k, t, state, "call"))
                again = part.next_instant(t, self._for(state, own))
                if not again > t:
                    raise RunError(
                        "an actuator must not ask to be called without end",
                        where=f"{part.name}, t = {t:.9g} s",
                        got=f"next instant {again:.9g} s",
                        remedy="After `call`, `next_instant` must be later.",
                    )
        return state.z

    def settle(self, t: float, state: FigureState) -> Array:
        """Return z after velocities have jumped."""
        for k, part in enumerate(self.parts):
            if type(part).settle is not Actuator.settle:
                state = FigureState(state.q, state.v, self._changed(k, t, state, "settle"))
        return state.z

    def _changed(self, k: int, t: float, state: FigureState, name: str, *given: Any) -> Array:
        part, own, what = self.parts[k], self._own[k], f"`{name}` of an actuator"
        where = f"{part.name}, t = {t:.9g} s"
        answer = call(getattr(part, name), t, self._for(state, own), *given, what=what, where=where)
        z = state.z.copy()
        z[own] = _numbers(answer, own.shape, what, where)
        return z

    # ---------------------------------------------------------------- what is recorded
    @property
    def quantities(self) -> list[tuple[str, ActuatorChannel]]:
        """Name of the actuator and quantity of each channel."""
        return [(part.name, quantity) for part in self.parts for quantity in part.quantities]

    def channels(self, rate: float) -> list[Channel]:
        """Return the channels of states and quantities."""
        found = [_channel("z", "", "state", len(self.state_names), rate, "states of the actuation")] if self.nx else []
        for name, q in self.quantities:
            found.append(_quantity_channel(name, q, rate))
        return found

    @property
    def labels(self) -> dict[str, list[str]]:
        """Names of the elements of the channels' dimensions."""
        own = {name: list(quantity.labels) for name, quantity in self.quantities}
        return ({"state": self.state_names} if self.nx else {}) | own

    def measure(self, times: Array, states: Sequence[FigureState]) -> dict[str, Array]:
        """Return the samples of the channels."""
        found: dict[str, Array] = {"z": np.array([s.z[: self.nx] for s in states])} if self.nx else {}
        for part, own in zip(self.parts, self._own, strict=True):
            if part.quantities:
                values = part.measure_all(times, [self._for(s, own) for s in states])
                for q in part.quantities:
                    found[f"{part.name}.{q.name}"] = np.asarray(values[q.name], float)
        return found


_ASKED = ("act", "margins", "switch", "settle", "next_instant")


def _packed(part: Actuator, figure: Figure) -> PackedActuator | None:
    """Return an actuator as compiled steps take it; None where it is none, or a subclass acts otherwise."""
    own = part.control if isinstance(part, PlainControl) else part
    of = getattr(own, "figure", figure)
    if (of.nq, of.nv) != (figure.nq, figure.nv) or np.size(getattr(own, "z0", ())):
        return None
    order = type(part).__mro__
    made = next(n for n, kind in enumerate(order) if "packed" in vars(kind))
    changed = (next(n for n, kind in enumerate(order) if name in vars(kind)) for name in _ASKED)
    return None if any(n < made for n in changed) else part.packed


def _numbers(answer: Any, shape: tuple[int, ...], what: str, where: str) -> Array:
    fits = type(answer) is np.ndarray and answer.shape == shape and answer.dtype == np.float64
    if fits and np.isfinite(answer).all():
        return answer
    return check_numbers(answer, shape, what=what, where=where)


def _quantity_channel(name: str, q: ActuatorChannel, rate: float) -> Channel:
    full = f"{name}.{q.name}"
    if not q.points:
        return _channel(full, q.unit, name, len(q.labels), rate, q.description)
    dims, shape = (f"{full}.point", "axis"), (q.points, 3)
    return Channel(full, unit=q.unit, dims=dims, shape=shape, rate=rate, description=q.description)


def _channel(name: str, unit: str, dim: str, count: int, rate: float, text: str) -> Channel:
    return Channel(name, unit=unit, dims=(dim,), shape=(count,), rate=rate, description=text)
