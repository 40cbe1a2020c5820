"""Automata: links with memory, defined by a short text [Habibi97 1.12].

A link is in one of several *states*, each a spring and a damper with a rest length; *transitions* lead from one to
another when a condition holds, and may change what the link remembers.

    parameters stiffness, damping=0, limit, yield  # numbers that the law is given; a default may be an expression
    memory rest = start                            # what a link remembers, and how it begins
    state whole: stiffness, damping, rest          # k [N/m], z [N s/m], rest length [m]; links begin in the first state
    state broken final: free
    whole -> broken when d > limit
    whole -> whole when force > yield: rest = d - yield / stiffness
    reach limit                                    # optional: the law is free beyond this distance

Conditions and actions may use d (distance [m]), speed (of d [m/s]), force (the tension of the present state [N]), age
(samples since the state was entered), dt [s], parameters and memory; `start` is the distance when the link begins.

At each sample the tension of the present state is t = k (d − rest) + z speed, above 0 where it pulls the ends together.
Then the first of its transitions whose condition holds, in the order of the lines, fires: its actions run in order, the
state changes, and the tension is that of the new state. At most one fires at a sample; one that leads back to its own
state begins its age anew.

>>> breaking = Automaton("breaking", '''
...     parameters stiffness, limit
...     memory rest = start
...     state whole: stiffness, 0, rest
...     state broken final: free
...     whole -> broken when d > limit
... ''')
>>> breaking.law(stiffness=10.0, limit=1.5).respond([1.0, 1.4, 1.6, 1.0]).tension.round(3).tolist()
[0.0, 4.0, 0.0, 0.0]
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from motiform.base.errors import InputError, closest
from motiform.motion.matter.laws.expressions import FUNCTIONS, Tree, names_in, read_expression

if TYPE_CHECKING:
    from motiform.base.kernels import Kernel
    from motiform.motion.matter.laws.automaton_law import AutomatonLaw

__all__ = ["Automaton", "AutomatonState", "Transition"]

_SEEN = ("d", "speed", "force", "age", "dt")
_WORDS = {"parameters", "memory", "state", "final", "free", "when", "reach", "start", "strongest", "and", "or", "not"}
_RESERVED = {*_SEEN, *FUNCTIONS, *_WORDS}
_LINES = "parameters …, memory name = …, state name: …, a -> b when …, reach …"
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_ARROW = re.compile(r"((?:(?!->).)*+)->((?:(?!\swhen\b).)*+)\swhen\b([^:]*+)(?::(.*))?")
_LONGEST_LINE, _LONGEST_TEXT, _MOST = 500, 10_000, 64  # characters, characters, names of a kind


@dataclass(frozen=True)
class AutomatonState:
    """A state: a spring and a damper, whose numbers are expressions of parameters and memory."""

    name: str
    stiffness: Tree
    """[N/m]"""
    damping: Tree
    """[N s/m]"""
    rest: Tree
    """[m]"""
    final: bool = False
    """Whether it may be without exit."""


@dataclass(frozen=True)
class Transition:
    """A transition between two states, by number, and the memory that it changes."""

    source: int
    target: int
    when: Tree
    actions: tuple[tuple[str, Tree], ...] = ()


@dataclass(frozen=True)
class Automaton:
    """A law of links with states and a memory, as its text says."""

    name: str
    text: str
    parameters: dict[str, Tree | None] = field(init=False, compare=False, repr=False)
    """Name → default, an expression of the parameters before it and `start`, or None where it must be given."""
    memory: dict[str, Tree] = field(init=False, compare=False, repr=False)
    """Name → value at the beginning, an expression of parameters and `start`."""
    states: tuple[AutomatonState, ...] = field(init=False, compare=False, repr=False)
    """The first is where links begin."""
    transitions: tuple[Transition, ...] = field(init=False, compare=False, repr=False)
    reach: Tree | None = field(init=False, compare=False, repr=False)
    """Distance beyond which the law is free, an expression of parameters [m]; None: it acts everywhere."""

    def __post_init__(self) -> None:
        reader = _Reader(self.name, self.text)
        for key in ("parameters", "memory", "states", "transitions", "reach"):
            object.__setattr__(self, key, getattr(reader, key))

    @property
    def planes(self) -> int:
        """Numbers that a pair of masses in reach remembers: 0 or 1 + its state, the memory, and the age."""
        return len(self.memory) + 2

    @property
    def links_kernel(self) -> "Kernel":
        """The kernel of links between given ends, written from the text."""
        from motiform.motion.matter.laws.automaton_code import written

        return written(self).automaton_links

    @property
    def reach_kernel(self) -> "Kernel":
        """The kernel of pairs within reach, written from the text."""
        from motiform.motion.matter.laws.automaton_code import written

        return written(self).automaton_reach

    def law(
        self, /, *, strongest: tuple[ArrayLike, ArrayLike] | None = None, **values: ArrayLike | None
    ) -> "AutomatonLaw":
        """Return the law with its parameters: each one number, or one for each link; None is the default.

        `strongest` is the largest stiffness [N/m] and damping [N s/m] that a link can come to have, which is worked out
        where it is not given.
        """
        from motiform.motion.matter.laws.automaton_law import AutomatonLaw

        return AutomatonLaw(self, values, strongest)


class _Reader:
    """Reads the text of an automaton and checks it."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self.line = name, 0
        self.parameters: dict[str, Tree | None] = {}
        self.memory: dict[str, Tree] = {}
        self.reach: Tree | None = None
        self.lines_of: dict[str, int] = {}
        lines = self.sorted_lines(text)
        for self.line, rest in lines["parameters"]:
            self.read_parameters(rest)
        for self.line, rest in lines["memory"]:
            self.read_memory(rest)
        found = [self.read_state(rest) for self.line, rest in lines["state"]]
        self.states = tuple(found)
        self.numbers = {state.name: n for n, state in enumerate(found)}
        self.arrows: list[int] = []
        self.transitions = tuple(self.read_transition(rest) for self.line, rest in lines["->"])
        for self.line, rest in lines["reach"]:
            self.read_reach(rest)
        self.line = 0
        self.check_states()
        self.check_use()

    def fail(
        self, problem: str, got: object = None, allowed: str | None = None, remedy: str | None = None
    ) -> InputError:
        where = f"automaton {self.name!r}" + (f", line {self.line}" if self.line else "")
        return InputError(problem, where=where, got=got, allowed=allowed, remedy=remedy)

    def sorted_lines(self, text: str) -> dict[str, list[tuple[int, str]]]:
        """Return the lines of each kind with their numbers, comments and first words removed."""
        if not isinstance(text, str) or len(text) > _LONGEST_TEXT:
            got = f"{len(text)} characters" if isinstance(text, str) else text
            raise self.fail("an automaton must be a text of limited length", got, f"up to {_LONGEST_TEXT} characters")
        found: dict[str, list[tuple[int, str]]] = {k: [] for k in ("parameters", "memory", "state", "->", "reach")}
        for self.line, raw in enumerate(text.splitlines(), 1):
            line = raw.split("#")[0].strip()
            if len(line) > _LONGEST_LINE:
                raise self.fail("line is too long", f"{len(line)} characters", f"{_LONGEST_LINE}")
            first, *rest = line.split(maxsplit=1) or [""]
            if "->" in line:
                found["->"].append((self.line, line))
            elif first in found:
                found[first].append((self.line, "".join(rest)))
            elif line:
                raise self.fail("line cannot be read", line, _LINES, closest(first, found))
        self.line = 0
        return found

    def new_name(self, name: str) -> str:
        if not _NAME.fullmatch(name):
            raise self.fail("the name must begin with a letter or _", name, "letters, digits and _")
        if name in _RESERVED:
            raise self.fail("this name has a meaning of its own", name, remedy="Take another name.")
        if name in self.lines_of:
            raise self.fail("name is given twice", name, remedy=f"It is already in line {self.lines_of[name]}.")
        if len(self.lines_of) >= _MOST:
            raise self.fail("too many names", f"{len(self.lines_of) + 1}", f"{_MOST}")
        self.lines_of[name] = self.line
        return name

    def number(self, text: str, names: Iterable[str]) -> Tree:
        return read_expression(text, list(names), self.fail("").where)

    def read_parameters(self, rest: str) -> None:
        for part in _split(rest, ","):
            name, equals, default = part.partition("=")
            tree = self.number(default, [*self.parameters, "start"]) if equals else None
            self.parameters[self.new_name(name.strip())] = tree

    def read_memory(self, rest: str) -> None:
        for part in _split(rest, ","):
            name, equals, value = part.partition("=")
            if not equals:
                raise self.fail("memory must have a value at the beginning", part, "memory name = expression")
            tree = self.number(value, [*self.parameters, "start"])
            self.memory[self.new_name(name.strip())] = tree

    def read_state(self, rest: str) -> AutomatonState:
        head, colon, law = rest.partition(":")
        name, *words = head.split() or [""]
        if not colon or words not in ([], ["final"]):
            raise self.fail("state cannot be read", f"state {rest}", "state name: k, z, rest; state name final: free")
        self.new_name(name)
        if law.strip() == "free":
            return AutomatonState(name, 0.0, 0.0, 0.0, bool(words))
        parts = _split(law, ",")
        if len(parts) != 3:
            raise self.fail("a state has three numbers", law.strip(), "stiffness, damping, rest; or free")
        stiffness, damping, length = (self.number(part, [*self.parameters, *self.memory]) for part in parts)
        return AutomatonState(name, stiffness, damping, length, bool(words))

    def read_transition(self, line: str) -> Transition:
        parts = _ARROW.fullmatch(line)
        if parts is None:
            raise self.fail("transition cannot be read", line, "a -> b when condition: name = expression; …")
        source, target = self.state_number(parts[1].strip()), self.state_number(parts[2].strip())
        names = [*_SEEN, *self.parameters, *self.memory]
        tree = read_expression(parts[3], names, self.fail("").where, truth=True)
        actions = [] if parts[4] is None else _split(parts[4], ";")
        self.arrows.append(self.line)
        return Transition(source, target, tree, tuple(self.read_action(action, names) for action in actions))

    def state_number(self, name: str) -> int:
        if name not in self.numbers:
            raise self.fail("unknown state", name, ", ".join(self.numbers) or None, closest(name, self.numbers))
        return self.numbers[name]

    def read_action(self, action: str, names: list[str]) -> tuple[str, Tree]:
        name, equals, value = action.partition("=")
        name = name.strip()
        if not equals or not _NAME.fullmatch(name):
            raise self.fail("action cannot be read", action, "name = expression")
        if name not in self.memory:
            allowed = ", ".join(self.memory) or "there is no memory"
            raise self.fail("only memory can be changed", name, allowed, "Write a line `memory name = value`.")
        return name, self.number(value, names)

    def read_reach(self, rest: str) -> None:
        if self.reach is not None:
            raise self.fail("reach is given twice", rest)
        self.reach = self.number(rest, self.parameters)

    def check_states(self) -> None:
        if not self.states:
            raise self.fail(
                "an automaton must have states", remedy="Write a line `state name: stiffness, damping, rest`."
            )
        reached, waiting = {0}, [0]
        while waiting:
            here = waiting.pop()
            new = {t.target for t in self.transitions if t.source == here} - reached
            reached |= new
            waiting += new
        for n in sorted(set(range(len(self.states))) - reached):
            name = self.states[n].name
            self.line = self.lines_of[name]
            raise self.fail("state is never reached", name, remedy=f"Write a line `… -> {name} when …`.")
        for n, state in enumerate(self.states):
            self.line = self.lines_of[state.name]
            exits = [t for t in self.transitions if t.source == n and t.target != n]
            if state.final and any(t.source == n for t in self.transitions):
                raise self.fail("a final state has no transitions", state.name, remedy="Remove them, or `final`.")
            if len(self.states) > 1 and not exits and not state.final:
                remedy = f"Write a line `{state.name} -> … when …`, or `state {state.name} final: …`."
                raise self.fail("state has no exit", state.name, remedy=remedy)
        for n, one in enumerate(self.transitions):
            if any(one.source == t.source and one.when == t.when for t in self.transitions[:n]):
                self.line = self.arrows[n]
                raise self.fail("transition never fires: one before it has the same condition")

    def check_use(self) -> None:
        trees = [tree for s in self.states for tree in (s.stiffness, s.damping, s.rest)]
        trees += [tree for t in self.transitions for tree in (t.when, *(value for _, value in t.actions))]
        trees += [tree for tree in (*self.parameters.values(), *self.memory.values(), self.reach) if tree is not None]
        used = set().union(*map(names_in, trees))
        assigned = {name for t in self.transitions for name, _ in t.actions}
        for name in self.parameters:
            if name not in used:
                self.line = self.lines_of[name]
                raise self.fail("parameter is used nowhere", name, remedy="Remove it.")
        for name, value in self.memory.items():
            if name not in assigned and "start" not in names_in(value):  # one that only keeps `start` is of use
                self.line = self.lines_of[name]
                raise self.fail(
                    "memory is changed nowhere", name, remedy="Change it in an action, or make it a parameter."
                )


def _split(text: str, mark: str) -> list[str]:
    """Return what stands between marks that are in no brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == mark and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]
