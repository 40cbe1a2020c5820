"""Phases of a figure whose contacts leave and land: the figure with some of them held, and its equations."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from motiform.base.errors import RunError
from motiform.motion.run import Guard
from motiform.motion.tree.equations import FigureEquations
from motiform.motion.tree.friction import SlidingFriction
from motiform.motion.tree.model.acting import Acting
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import Control, FigureState
from motiform.motion.tree.watch import watch_contacts

__all__ = ["Phase"]


class Phase:
    """A figure with some contacts held, in the numbers of the whole one: (q, v, z, modes of friction, …).

    Configurations are the same numbers. Velocities are those of the contact; the others are zero.
    """

    def __init__(
        self, whole: Figure, held: Sequence[str], rubbing: Sequence[str], state: FigureState, controls: Acting,
        loads: Control | None, at_rest: float,
    ) -> None:  # fmt: skip
        self.held, self.nq, self.nv = list(held), whole.nq, whole.nv
        changes = {
            name: {"joint": whole.segment(name).joint.held, "armature": 0.0, "damping": 0.0}  # type: ignore[attr-defined]
            for name in held
        }
        self.figure = whole.replace(segments=changes) if changes else whole
        own = np.zeros(self.figure.nv, np.int64)
        for segment, mine, places in zip(whole.segments, self.figure.layout.v, whole.layout.v, strict=True):
            free = segment.joint.held.columns if segment.name in held else range(len(places))  # type: ignore[attr-defined]
            own[mine] = places[list(free)]
        self.still = np.setdiff1d(np.arange(whole.nv), own)
        """Velocities that the contacts hold at zero, by their places in v."""
        at, nz = self.nq + whole.nv, len(controls.z0)
        moving = np.concatenate([np.arange(self.nq), self.nq + own, np.arange(at, at + nz)])
        first = at + nz
        modes = [np.arange(first + 3 * k, first + 3 * k + 3) for k, name in enumerate(rubbing) if name in held]
        self.own = np.concatenate([moving, *modes]).astype(np.int64)
        """Places of its numbers among those of the whole."""
        acts = _Restricted(controls, own, self.still) if controls else None
        pushes = None if loads is None else _Loads(loads, own, whole.nv)
        begin = FigureState(state.q, state.v[own])
        self.equations = FigureEquations(self.figure, begin, acts, pushes, at_rest=at_rest, choose=False)
        self._rates = np.empty(self.equations.size)

    @property
    def friction(self) -> SlidingFriction | None:
        """Of the contacts that slide with friction."""
        return self.equations.friction

    def part(self, y: Array) -> Array:
        """Return its own numbers."""
        return y[self.own]

    def state(self, y: Array) -> FigureState:
        """Return its own state."""
        return self.equations.split(y[self.own])

    def put(self, y: Array, own: Array) -> Array:
        """Return the whole's numbers with its own."""
        y = y.copy()
        y[self.own] = own
        y[self.nq + self.still] = 0.0
        return y

    def put_state(self, y: Array, state: FigureState) -> Array:
        """Return the whole's numbers with those of its state."""
        return self.put(y, np.concatenate([state.q, state.v, state.z]))

    def rate(self, t: float, y: Array, out: Array) -> None:
        """Write the rate of the whole's numbers."""
        self.equations.rate(t, self.part(y), self._rates)
        out.fill(0.0)
        out[self.own] = self._rates

    def repair(self, y: Array) -> None:
        """Put contacts, quaternions and closures back, in place."""
        own = self.part(y)
        self.equations.repair(own)
        y[self.own] = own

    @cached_property
    def lasting(self) -> list[Guard]:
        """Guards of the contacts that do not leave and land."""
        return watch_contacts(self.equations, started=False, without=self.held)

    @cached_property
    def rubbing(self) -> dict[str, list[Guard]]:
        """Guards of the friction of each contact that is held."""
        if self.friction is None:
            return {}
        guards = self.friction.guards()
        return {name: guards[4 * k : 4 * k + 4] for k, name in enumerate(self.friction.names)}


class _Restricted(Acting):
    """Controls and actuators of the whole figure, acting on one with held contacts."""

    def __init__(self, whole: Acting, own: np.ndarray, still: np.ndarray) -> None:
        self.whole, self.own, self.still = whole, own, still
        self.parts, self.nx, self.z0 = whole.parts, whole.nx, whole.z0
        self.actuation = None  # what is packed acts on the whole figure

    def forces(self, t: float, state: FigureState) -> Array:
        """Return the generalised forces of all, (nv,)."""
        return self.act(t, state)[0]

    def act(self, t: float, state: FigureState) -> tuple[Array, Array]:
        """Return the generalised forces of all, (nv,), and the rates of their states, (nx,)."""
        tau, rates = self.whole.act(t, _widened(state, self.own, self.whole.nv))
        if tau[self.still].any():
            name = self.whole.figure.coordinates[int(self.still[np.flatnonzero(tau[self.still])[0]])]
            raise RunError(
                "a control must have no effort along what a contact holds", where=f"{name}, t = {t:.9g} s",
                got=f"{np.abs(tau[self.still]).max():.6g}", remedy="Push with loads= instead.",
            )  # fmt: skip
        return tau[self.own], rates


class _Loads:
    """Loads on the whole figure as those on one with held contacts."""

    def __init__(self, loads: Control, own: np.ndarray, nv: int) -> None:
        self.loads, self.own, self.nv = loads, own, nv
        self.recorded = getattr(loads, "recorded", None)
        self.__name__ = getattr(loads, "__name__", "load")

    def __call__(self, t: float, state: FigureState) -> Array:
        return np.asarray(self.loads(t, _widened(state, self.own, self.nv)))


def _widened(state: FigureState, own: np.ndarray, nv: int) -> FigureState:
    v = np.zeros(nv)
    v[own] = state.v
    return FigureState(state.q.copy(), v, state.z)
