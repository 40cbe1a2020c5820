"""Actuators: what drives a figure and may have states of its own, integrated with those of the figure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.motion.tree.model.actuation import PackedActuator
from motiform.motion.tree.model.state import FigureState

__all__ = ["Actuator", "ActuatorChannel"]


@dataclass(frozen=True)
class ActuatorChannel:
    """Something of an actuator that is recorded: channel `actuator.name`, one number for each label, or places."""

    name: str
    unit: str
    labels: tuple[str, ...]
    description: str = ""
    points: int = 0
    """Above 0: it is places instead, (points, 3), in the world."""


class Actuator:
    """Drives a figure. A subclass gives `act`, and of the rest what it needs.

    The state that its methods get has in `z` the numbers of this actuator alone: first its states, whose rates `act`
    gives; then its memory, which changes at events only. All of it is part of the state of the run: nothing that
    changes may be kept elsewhere, or a run that is resumed goes another way.
    """

    name: str = "actuator"
    """Begins the names of its channels."""
    states: Sequence[str] = ()
    """Names of the states."""
    sums: int = 0
    """How many of the states, the last ones, are sums that nothing depends on, such as energies."""
    events: Sequence[str] = ()
    """Names of the events of `margins`."""
    quantities: Sequence[ActuatorChannel] = ()
    """What is recorded of it."""
    stiffness: ArrayLike = 0.0
    """About −∂τ/∂q, one number or (nv,): time-stepping takes it at a step's end, which keeps stiff drives stable."""
    damping: ArrayLike = 0.0
    """About −∂τ/∂v, likewise."""

    def start(self, state: FigureState) -> ArrayLike:
        """Return states and memory at the start of a run, in which the figure has this state."""
        return np.zeros(len(self.states))

    def act(self, t: float, state: FigureState) -> tuple[ArrayLike, ArrayLike]:
        """Return forces on the coordinates [N·m or N], (nv,), and the rates of the states."""
        raise NotImplementedError

    @property
    def limited(self) -> bool:
        """Whether its force has a limit at which it is not stiff: `saturated` is asked in every step then."""
        return type(self).saturated is not Actuator.saturated

    def saturated(self, t: float, state: FigureState) -> ArrayLike:
        """Return where its force on a coordinate is at its limit, one or (nv,): it is not stiff there."""
        return False

    @property
    def packed(self) -> PackedActuator | None:
        """The actuator as compiled steps take it, or None: they ask it in Python."""
        return None

    def margins(self, t: float, state: FigureState) -> ArrayLike:
        """Return one number for each of `events`: it happens where the number falls through zero."""
        return np.zeros(0)

    def switch(self, t: float, state: FigureState, which: int) -> ArrayLike:
        """Return states and memory after an event, whose margin must then no longer be negative."""
        return state.z

    def next_instant(self, t: float, state: FigureState) -> float:
        """Return the next instant at which `call` is due [s]; one in the past is due at once."""
        return np.inf

    def call(self, t: float, state: FigureState) -> ArrayLike:
        """Return states and memory after all that is due at an instant."""
        return state.z

    def settle(self, t: float, state: FigureState) -> ArrayLike:
        """Return states and memory after velocities have jumped (an impact)."""
        return state.z

    def measure(self, t: float, state: FigureState) -> Mapping[str, ArrayLike]:
        """Return the values of `quantities` by their names."""
        return {}

    def measure_all(self, times: np.ndarray, states: Sequence[FigureState]) -> Mapping[str, ArrayLike]:
        """Return the same of several states, stacked."""
        values = [self.measure(float(t), state) for t, state in zip(times, states, strict=True)]
        return {q.name: np.array([v[q.name] for v in values], float) for q in self.quantities}


@dataclass(frozen=True, eq=False)
class PlainControl(Actuator):
    """A control as an actuator: a function of time and state, perhaps with `z0` and `rate`, and with `jumps`."""

    control: Any

    @property
    def name(self) -> str:  # type: ignore[override]
        """That of the function."""
        return str(getattr(self.control, "__name__", "control"))

    @property
    def states(self) -> Sequence[str]:  # type: ignore[override]
        """As many as `z0` has."""
        return [f"z[{k}]" for k in range(np.size(getattr(self.control, "z0", ())))]

    @property
    def stiffness(self) -> ArrayLike:  # type: ignore[override]
        """That of the control, if it has one."""
        return getattr(self.control, "stiffness", 0.0)

    @property
    def damping(self) -> ArrayLike:  # type: ignore[override]
        """That of the control, if it has one."""
        return getattr(self.control, "damping", 0.0)

    @property
    def limited(self) -> bool:
        return hasattr(self.control, "saturated") and self.control.limit is not None

    def saturated(self, t: float, state: FigureState) -> ArrayLike:
        return self.control.saturated(t, state)

    @property
    def packed(self) -> PackedActuator | None:
        return getattr(self.control, "packed", None)

    def start(self, state: FigureState) -> ArrayLike:
        return np.array(getattr(self.control, "z0", ()), float)

    def act(self, t: float, state: FigureState) -> tuple[ArrayLike, ArrayLike]:
        return self.control(t, state), self.control.rate(t, state) if len(state.z) else state.z

    def next_instant(self, t: float, state: FigureState) -> float:
        return min((float(when) for when in getattr(self.control, "jumps", ()) if when > t), default=np.inf)


def as_actuators(controls: Any) -> list[Actuator]:
    """Return what acts, from a control, an actuator, or several."""
    given: list[Any] = [] if controls is None else list(controls) if isinstance(controls, list | tuple) else [controls]
    return [one if isinstance(one, Actuator) else PlainControl(one) for one in given]
