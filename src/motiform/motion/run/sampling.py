"""Runs of flat state vectors, by fixed or adaptive steps."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from motiform.base.errors import RunError
from motiform.motion.run.explicit import ExplicitStep, Schedule, march
from motiform.motion.run.guards import Guard
from motiform.motion.run.integrators import get_tableau
from motiform.motion.run.options import DIVERGED, RunOptions
from motiform.motion.run.system import Checkpoint, Run
from motiform.record import Event

__all__ = ["AdaptiveSteps", "Equations", "FixedSteps", "integrate", "make_stepper"]


class FlatEquations(Protocol):
    """A flat state vector with a rate."""

    size: int

    def rate(self, t: float, y: np.ndarray, out: np.ndarray) -> None:
        """Write dy/dt into out."""
        ...

    def repair(self, y: np.ndarray) -> None:
        """Bring a state back to where states are allowed, in place."""
        ...


class Equations(FlatEquations, Protocol):
    """Equations of motion: a flat state vector with a rate and a start."""

    def initial(self) -> np.ndarray:
        """Return the state at the start, (size,)."""
        ...


def integrate(
    system: Equations,
    options: RunOptions,
    guards: Sequence[Guard],
    checkpoint: Checkpoint | None,
    schedule: Schedule | None = None,
) -> Run:
    """Return a run by the integrator of the options, from the start or from a checkpoint."""
    tableau = get_tableau(options.integrator)
    if tableau.implicit or tableau.error is not None or guards or schedule is not None:
        return AdaptiveSteps(system, options, guards, checkpoint, schedule=schedule)
    stepper = ExplicitStep(tableau, system.rate, size=system.size)

    def step(t: float, y: np.ndarray, h: float) -> np.ndarray:
        end = stepper.step(t, y, h)
        system.repair(end)
        return end

    return FixedSteps(step, system.initial(), options, checkpoint)


def make_stepper(system: FlatEquations, options: RunOptions) -> ExplicitStep:
    """Return the steps of the integrator of the options."""
    tableau, counted = get_tableau(options.integrator), getattr(system, "counted", None)
    own: dict[str, Any] = {"size": system.size, "repair": system.repair, "rtol": options.rtol, "atol": options.atol}
    if tableau.implicit:
        from motiform.motion.run.implicit import ImplicitStep

        return ImplicitStep(system.rate, counted=counted, **own)
    return ExplicitStep(tableau, system.rate, counted=counted, **own)


def _reached(instant: float, t: float) -> bool:
    """Whether an instant is not after another, but for rounding."""
    return instant <= t + 1e-15 * abs(t)


class FixedSteps(Run):
    """Steps of one length, a whole number of them from sample to sample: step(t, y, h) gives the state at t + h."""

    def __init__(
        self, step: Callable[[float, np.ndarray, float], np.ndarray], first: np.ndarray, options: RunOptions,
        checkpoint: Checkpoint | None,
    ) -> None:  # fmt: skip
        super().__init__(options.samples - 1)
        self.step, self.y, self.options, self.size = step, first, options, first.size
        if checkpoint is not None:
            self.sample, self.y = int(checkpoint["sample"]), np.array(checkpoint["rows"]).reshape(first.shape)

    def start(self) -> np.ndarray:  # noqa: D102
        return self.y[None]

    def advance(self, samples: int) -> np.ndarray:  # noqa: D102
        options, y = self.options, self.y
        t, h = options.instant(self.sample), 1 / (options.rate * options.steps)
        for n in range(options.steps):
            y = self.step(t + n * h, y, h)
        if not np.isfinite(y).all():
            where, got = f"t = {t + 1 / options.rate:.6g} s", f"step {h:.3g} s with {options.integrator}"
            remedy = "Take a smaller step; the samples before this instant are kept."
            raise RunError(DIVERGED, where=where, got=got, remedy=remedy)
        self.sample, self.y = self.sample + 1, y
        return y[None]

    def checkpoint(self) -> Checkpoint:  # noqa: D102
        return {"sample": self.sample, "rows": self.y}


class AdaptiveSteps(Run):
    """Adaptive steps, or fixed ones with guards; samples are read off the dense output.

    Fixed steps land on samples; within them guards see Hermite's cubic.
    """

    def __init__(
        self, system: Equations, options: RunOptions, guards: Sequence[Guard], checkpoint: Checkpoint | None,
        jumps: Sequence[float] = (), schedule: Schedule | None = None,
    ) -> None:  # fmt: skip
        super().__init__(options.samples - 1)
        self.stepper = stepper = make_stepper(system, options)
        self.size, self.options, self.guards = system.size, options, guards
        self._state: Checkpoint = {"sample": 0, "rows": system.initial()} if checkpoint is None else checkpoint
        self.sample, first = int(self._state["sample"]), np.array(self._state["rows"]).reshape(system.size)
        self.t = float(self._state.get("t", options.instant(self.sample)))
        self.end = self.t if self._state.get("ended") else options.t1
        h = float(self._state["step"]) if "step" in self._state else None
        stepper.restore(self._state.get("stepper") or {})
        self._segments = march(
            stepper, self.t, first, self.end,
            step=h if stepper.adaptive else 1 / (options.rate * options.steps),
            longest=1 / options.rate if guards else np.inf,  # guards are looked at eight times from sample to sample
            guards=guards, fired=frozenset(int(k) for k in self._state.get("fired", ())),
            landings=options.rate if stepper.lands else None, origin=options.t0, jumps=sorted(jumps), schedule=schedule,
        )  # fmt: skip

    @property
    def finished(self) -> bool:  # noqa: D102
        return self.t >= self.end

    def start(self) -> np.ndarray:  # noqa: D102
        return np.array(self._state["rows"])[None]

    def advance(self, samples: int) -> np.ndarray:
        """Take a step, or the part of one up to an event."""
        segment = next(self._segments)
        passed = []
        while self.sample < self.last and _reached(self.options.instant(self.sample + 1), segment.t1):
            self.sample += 1
            passed.append(segment.solution(self.options.instant(self.sample)))
        self.t, fired = segment.t1, () if segment.fired is None else segment.fired.guards
        self.events += [Event(self.t, self.guards[k].name) for k in fired]
        ended = any(self.guards[k].ends for k in fired)
        self.end = self.t if ended else self.end
        self._state = {
            "sample": self.sample, "rows": segment.after, "t": self.t, "step": segment.next_step,
            "fired": sorted(set(fired)), "ended": ended, "stepper": self.stepper.keep(),
        }  # fmt: skip
        return np.array(passed).reshape(len(passed), self.size)

    def checkpoint(self) -> Checkpoint:  # noqa: D102
        return self._state
