"""Automata with parameter values, as used by networks."""

from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, closest
from motiform.motion.matter.laws.automaton import Automaton
from motiform.motion.matter.laws.expressions import Range, Tree, bounds, evaluate, names_in, parts_in
from motiform.motion.matter.laws.links import _numbers, _spread

__all__ = ["METER", "AutomatonLaw", "Response", "begin_meter"]

_ANY: Range = (np.asarray(-np.inf), np.asarray(np.inf))
_POSITIVE: Range = (np.asarray(0.0), np.asarray(np.inf))
_ROUNDS = 4  # of bounding the memory, before a bound that still moves is taken for infinite


METER = ("tension", "distance", "distance before", "work", "flow")
"""What is metered of each link of an automaton; the first three are those of the last sample."""


def begin_meter(length: np.ndarray) -> np.ndarray:
    """Return the meter of links of these lengths at the start, (5, links)."""
    found = np.zeros((len(METER), len(length)))
    found[[1, 2]] = length
    return found


@dataclass(frozen=True)
class Response:
    """The response of one link along a sequence of distances."""

    distance: np.ndarray
    """[m], (samples,)"""
    tension: np.ndarray
    """[N], (samples,); positive pulls the ends together."""
    state: np.ndarray
    """Number of the state after each sample, (samples,)."""
    memory: dict[str, np.ndarray]
    """Name → value after each sample, (samples,)."""
    states: tuple[str, ...]
    """Names of the states."""

    @property
    def work(self) -> np.ndarray:
        """Work that was put into the link up to each sample [J], by the rule of trapezia."""
        parts = 0.5 * (self.tension[1:] + self.tension[:-1]) * np.diff(self.distance)
        return np.concatenate([[0.0], np.cumsum(parts)])

    @property
    def visited(self) -> list[str]:
        """Names of the states in the order in which they were entered."""
        new = np.flatnonzero(np.diff(self.state, prepend=-1))
        return [self.states[n] for n in self.state[new]]


@dataclass(frozen=True, eq=False)
class AutomatonLaw:
    """An automaton and the numbers of its parameters. Made by `Automaton.law`."""

    automaton: Automaton
    values: dict[str, Any] = field(default_factory=dict)
    """Name of a parameter → one number, or one for each link."""
    given: tuple[ArrayLike, ArrayLike] | None = None
    """Largest stiffness [N/m] and damping [N s/m] if the user gives them."""

    def __post_init__(self) -> None:
        given, known = {k: v for k, v in self.values.items() if v is not None}, self.automaton.parameters
        for name in given:
            if name not in known:
                allowed = ", ".join(known) or "no parameters"
                raise self._fail(f"unknown parameter {name!r}", allowed=allowed, remedy=closest(name, known))
        missing = [name for name, default in known.items() if default is None and name not in given]
        if missing:
            raise self._fail(
                "parameters are missing", got=", ".join(given) or "none", remedy=f"Give {', '.join(missing)}."
            )
        object.__setattr__(self, "values", {k: _numbers(v, k, self._where) for k, v in given.items()})
        if self.given is not None:
            self._check_given()
        self._check(self._known())

    @property
    def name(self) -> str:
        """Name of the automaton."""
        return self.automaton.name

    @property
    def _where(self) -> str:
        return f"law {self.name!r}"

    def _fail(self, problem: str, **facts: Any) -> InputError:
        return InputError(problem, where=self._where, **facts)

    def _check_given(self) -> None:
        try:
            k, z = (_numbers(v, "strongest", self._where) for v in cast(Any, self.given))
        except InputError:
            raise
        except (TypeError, ValueError) as error:
            raise self._fail("strongest must be a pair", got=self.given, allowed="(stiffness, damping)") from error
        if not (np.isfinite(k).all() and np.isfinite(z).all() and (k >= 0).all() and (z >= 0).all()):
            raise self._fail(
                "strongest must be finite and not negative", got=self.given, allowed="finite numbers, 0 or more"
            )
        object.__setattr__(self, "given", (k, z))

    def _known(self, start: np.ndarray | None = None) -> dict[str, np.ndarray]:
        """Return the parameters whose values are known, those that depend on `start` only where it is given."""
        found: dict[str, np.ndarray] = {} if start is None else {"start": start}
        for name, default in self.automaton.parameters.items():
            if name in self.values:
                found[name] = self.values[name]
            elif names_in(cast(Tree, default)) <= found.keys():
                found[name] = evaluate(cast(Tree, default), found)
        found.pop("start", None)
        return found

    def _check(self, known: dict[str, np.ndarray]) -> None:
        """Refuse parameters with which the automaton has no sense: it divides by zero, or feeds energy."""
        automaton = self.automaton
        for name, value in known.items():
            if np.isnan(value).any():
                raise self._fail(f"{name} must be a number", got=value)
        trees = [tree for t in automaton.transitions for tree in (t.when, *(value for _, value in t.actions))]
        trees += [tree for s in automaton.states for tree in (s.stiffness, s.damping, s.rest)]
        trees += [*automaton.memory.values(), *([] if automaton.reach is None else [automaton.reach])]
        parts = [part for tree in trees for part in parts_in(tree)]
        for divisor in [part[2] for part in parts if isinstance(part, tuple) and part[0] == "/"]:
            if names_in(divisor) <= known.keys() and (evaluate(divisor, known) == 0).any():
                self._refuse_zero(divisor, known)
        for state in automaton.states:
            for key, tree in (("stiffness", state.stiffness), ("damping", state.damping)):
                if names_in(tree) <= known.keys():
                    self._check_state(f"{key} of state {state.name!r}", key, evaluate(tree, known))

    def _refuse_zero(self, divisor: Tree, known: dict[str, np.ndarray]) -> None:
        got = ", ".join(f"{name} = {known[name]}" for name in sorted(names_in(divisor)))
        raise self._fail("the automaton divides by zero", got=got, allowed="values that make no divisor zero")

    def _check_state(self, what: str, key: str, value: np.ndarray) -> None:
        if not np.isfinite(value).all():
            raise self._fail(f"{what} is not finite", got=value)
        if key == "damping" and (value < 0).any():
            raise self._fail(f"{what} is below zero, which feeds energy", got=value.min(), allowed="0 or more")

    def rows(self, count: int, start: np.ndarray | None = None) -> np.ndarray:
        """Return the parameters of so many links, (count, parameters), in the order of the automaton.

        `start` [m] are the links' distances at the start; without it no default may depend on them.
        """
        known = self._known(start)
        missing = [name for name in self.automaton.parameters if name not in known]
        if missing:
            remedy = f"Give {', '.join(missing)}: its default is the distance at the start, which these links lack."
            raise self._fail("parameter is missing", got=None, remedy=remedy)
        self._check(known)
        found = np.zeros((count, len(known)))
        for k, value in enumerate(known[name] for name in self.automaton.parameters):
            found[:, k] = _spread(value, count, self.name)
        return found

    def begin(self, count: int, start: np.ndarray) -> np.ndarray:
        """Return what so many links remember at the beginning, (memory + 1, count); the last row is the age.

        `start` [m] are the links' distances at the start.
        """
        rows = self.rows(count, start)
        values = {name: rows[:, k] for k, name in enumerate(self.automaton.parameters)} | {"start": start}
        found = np.zeros((len(self.automaton.memory) + 1, count))
        for k, (name, tree) in enumerate(self.automaton.memory.items()):
            found[k] = evaluate(tree, values)
            if np.isnan(found[k]).any():
                raise self._fail(f"memory {name!r} does not begin with a number", got=found[k])
        return found

    def strongest(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the largest stiffness [N/m] and damping [N s/m] over the states, one number or one for each link."""
        if self.given is not None:
            return cast(tuple[np.ndarray, np.ndarray], self.given)
        ranges, found = self._ranges(), []
        for key in ("stiffness", "damping"):
            highs = [bounds(getattr(state, key), ranges)[1] for state in self.automaton.states]
            found.append(np.max(np.broadcast_arrays(*highs), axis=0))
            if not np.isfinite(found[-1]).all():
                remedy = "Give strongest=(stiffness, damping) beside the parameters: the largest that links will have."
                raise self._fail(f"the largest {key} is not known: it depends on memory without bounds", remedy=remedy)
        return found[0], found[1]

    def _ranges(self) -> dict[str, Range]:
        """Return what parameters are and between what the memory stays: rounds of all actions, until no bound moves."""
        known = self._known()
        ranges = {name: (known[name],) * 2 if name in known else _ANY for name in self.automaton.parameters}
        ranges |= {"start": _ANY, "d": _ANY, "speed": _ANY, "force": _ANY, "age": _POSITIVE, "dt": _POSITIVE}
        ranges |= {name: bounds(tree, ranges) for name, tree in self.automaton.memory.items()}
        actions = [action for t in self.automaton.transitions for action in t.actions]
        for round in range(_ROUNDS + len(actions)):
            for name, tree in actions:
                (low, high), (least, most) = ranges[name], bounds(tree, ranges)
                lower, higher = np.minimum(low, least), np.maximum(high, most)
                if round >= _ROUNDS:
                    lower, higher = np.where(lower < low, -np.inf, low), np.where(higher > high, np.inf, high)
                ranges[name] = (lower, higher)
        return ranges

    @property
    def cutoff(self) -> float:
        """Distance beyond which the law is given to be free [m]; infinite where its text has no line `reach`."""
        if self.automaton.reach is None:
            return np.inf
        known = self._known()
        if not names_in(self.automaton.reach) <= known.keys():
            raise self._fail("reach depends on the distance at the start", remedy="Give those parameters as numbers.")
        return float(np.max(evaluate(self.automaton.reach, known)))

    def stored(self, rows: np.ndarray, memory: np.ndarray, now: np.ndarray, before: np.ndarray) -> np.ndarray:
        """Return the energy of links in the first state [J], (links,): ½ k (d − rest)(d₋ − rest), kept by the scheme.

        `rows` are parameters, `memory` what links remember, as `rows` and `begin` give them.
        """
        known = {name: rows[:, k] for k, name in enumerate(self.automaton.parameters)}
        known |= {name: memory[k] for k, name in enumerate(self.automaton.memory)}
        first = self.automaton.states[0]
        k, rest = (evaluate(tree, known) for tree in (first.stiffness, first.rest))
        found: np.ndarray = 0.5 * k * (now - rest) * (before - rest)
        return found

    def taken(self, chosen: Any) -> "AutomatonLaw":
        """Return the law of some of its links, where it has one for each."""
        values = {k: v[chosen] if np.ndim(v) else v for k, v in self.values.items()}
        given = self.given and tuple(np.asarray(v)[chosen] if np.ndim(v) else v for v in self.given)
        return AutomatonLaw(self.automaton, values, cast(Any, given))

    def respond(
        self, distances: ArrayLike, dt: float = 1 / 1050, *, start: float | None = None, device: str = "cpu"
    ) -> Response:
        """Return the response of one link along a sequence of distances [m], (samples,), with time step dt [s].

        It begins at the distance `start`, or else at the first of the path, at rest there.
        """
        from motiform.base.kernels import get_device
        from motiform.motion.matter.laws.automaton_code import written

        path = np.asarray(distances, float)
        if path.ndim != 1 or not len(path) or not np.isfinite(path).all():
            raise self._fail(
                "distances must be a row of finite numbers",
                got=f"shape {path.shape}",
                allowed="a row of finite numbers",
            )
        if not (np.isfinite(dt) and dt > 0):
            raise self._fail("dt must be above 0", got=dt, allowed="above 0 s")
        first = np.array([path[0] if start is None else start], float)
        table, to = self.rows(1, first), get_device(device)
        memory = to.array(self.begin(1, first))
        state, length = to.array(np.zeros(1, np.int32)), to.array(path[:1])
        tensions, states = to.empty((len(path), 1)), to.empty((len(path), 1), np.int32)
        memories = to.empty((len(path), *memory.shape))
        to.launch(
            written(self.automaton).automaton_paths, 1, to.array(path[:, None]), to.array(np.zeros(1, np.int64)),
            to.array(table), 1.0 / dt, length, state, memory, tensions, states, memories,
        )  # fmt: skip
        kept = to.host(memories)
        found = {name: kept[:, k, 0] for k, name in enumerate(self.automaton.memory)}
        names = tuple(one.name for one in self.automaton.states)
        return Response(path, to.host(tensions)[:, 0], to.host(states)[:, 0], found, names)
