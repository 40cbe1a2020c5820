"""The algorithms of the tree bench, their inputs, and motiform's own functions on the tree of `human42`."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from bench.agreement import check_same, difference
from bench.tree import human42
from bench.tree.human42 import Manner

__all__ = ["ALGORITHMS", "Contender", "States", "check_agreement", "contender", "ours"]

Array = np.ndarray
_ALIKE = 1e-9  # of the largest number
#: Kinematics with the Jacobian, inverse dynamics, inertia matrix, forward dynamics.
ALGORITHMS = ("fk", "rnea", "crba", "aba")


class Contender(NamedTuple):
    """A call to be timed, and its answer in the order of our own function on the figure that it stands beside."""

    call: Callable[[], Any]
    answer: Callable[[], Array]
    beside: Manner
    note: str = ""
    """How the work is done, where a row has to say it."""


class States(NamedTuple):
    """Inputs of the algorithms in the coordinates of a manner of writing the tree; the last is a or tau."""

    manner: Manner
    q: Array
    v: Array
    a: Array

    @staticmethod
    def make(manner: Manner, count: int) -> "States":
        """Return so many random states, (count, …)."""
        q, v, a = human42.states(count)
        return States(manner, human42.native_states(q) if manner == "native" else q, v, a)

    @property
    def first(self) -> "States":
        """The first state alone, (…,)."""
        return States(self.manner, *(np.ascontiguousarray(x[0]) for x in self[1:]))

    def inputs(self, algorithm: str) -> tuple[Array, ...]:
        """Return what an algorithm takes."""
        return (self.q, self.v, self.a) if algorithm in ("rnea", "aba") else (self.q,)


def ours(algorithm: str, states: States, threads: int | None = None, device: str = "cpu") -> Contender:
    """Return our public function; on so many threads if given."""
    import motiform
    from motiform.base import kernels
    from motiform.motion.tree import joint_axes

    functions: dict[str, Callable[..., Array]] = {
        "fk": joint_axes,
        "rnea": motiform.inverse_dynamics,
        "crba": motiform.inertia_matrix,
        "aba": motiform.forward_dynamics,
    }
    function, figure, inputs = functions[algorithm], human42.figure(states.manner), states.inputs(algorithm)
    if device != "cpu":
        return contender(lambda: function(figure, *inputs, device=device), states.manner)
    if threads is None:
        return contender(lambda: function(figure, *inputs), states.manner)

    def call() -> Array:
        with kernels.threads(threads):
            return function(figure, *inputs)

    return contender(call, states.manner)


def contender(
    call: Callable[[], Any], beside: Manner, answer: Callable[[Any], Array] = lambda found: found, note: str = ""
) -> Contender:
    """Return a contender whose answer is made of what its call gives."""
    return Contender(call, lambda: answer(call()), beside, note)


def check_agreement(case: str, contenders: dict[str, Contender]) -> None:
    """Refuse to time a peer whose answer is not ours, to 1e-9 of its largest number."""
    mine = {one.beside: one.answer() for name, one in contenders.items() if name.startswith("ours")}
    for name, one in contenders.items():
        check_same(f"tree, {case}, {name}", difference(one.answer(), mine[one.beside]), _ALIKE)
