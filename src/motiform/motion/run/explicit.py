"""Explicit Runge–Kutta steps on a flat state vector, fixed or adaptive, and the march that finds events.

The state may live on a manifold embedded in the vector (rotation matrices): `repair` brings it back after each
accepted step, which keeps the order of the method.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from motiform.base.errors import InputError, RunError
from motiform.motion.run.functions import call, check_numbers
from motiform.motion.run.guards import Fired, Guard, Solution, earliest, jumped
from motiform.motion.run.headway import Headway
from motiform.motion.run.integrators import Tableau
from motiform.motion.run.options import DIVERGED

__all__ = [
    "GROW",
    "SAFETY",
    "SHRINK",
    "ExplicitStep",
    "Schedule",
    "SolutionSegment",
    "accepted_step",
    "march",
    "too_small",
]

Rate = Callable[[float, np.ndarray, np.ndarray], None]
"""rate(t, y, out) writes dy/dt into out."""


class Schedule(Protocol):
    """Instants at which a flat state changes by what acts on it."""

    def next_instant(self, t: float, y: np.ndarray) -> float:
        """Return the next instant at which something is due, or the rate jumps [s]."""
        ...

    def call(self, t: float, y: np.ndarray) -> np.ndarray:
        """Return the state after all that is due at an instant."""
        ...


SAFETY, SHRINK, GROW = 0.9, 0.2, 5.0
_STORM = 5  # firings of one guard in a row, each within a millionth of the one before, that are taken for endless


@dataclass(frozen=True)
class SolutionSegment:
    """A stretch of the solution between two steps or events."""

    t0: float
    t1: float
    end: np.ndarray
    """State at t1, before what an event does to it."""
    solution: Solution
    """State at any instant of the stretch."""
    fired: Fired | None
    after: np.ndarray
    """State that the next stretch starts from."""
    next_step: float
    """Step that the next stretch tries first [s]."""


class ExplicitStep:
    """One explicit Runge–Kutta method on one system, with its workspace."""

    power = 0.2
    """By which the length of a step follows its error."""

    def __init__(
        self,
        tableau: Tableau,
        rate: Rate,
        *,
        size: int,
        repair: Callable[[np.ndarray], None] | None = None,
        rtol: float = 1e-9,
        atol: float = 1e-12,
        counted: int | None = None,
    ) -> None:
        if not (rtol > 0 and atol >= 0):
            raise InputError(
                "rtol must be above 0 and atol 0 or more",
                got=f"rtol {rtol}, atol {atol}",
                allowed="rtol > 0 and atol ≥ 0",
            )
        self.tableau, self.rate, self.repair, self.rtol, self.atol = tableau, rate, repair, rtol, atol
        self.stages = np.empty((tableau.stages, size))
        self.headway = Headway()
        self.counted = slice(counted)
        """Numbers whose errors count: what comes after them changes at events only."""
        self.latest = np.inf
        """Rates are asked for up to this instant [s]: one that jumps at the end of a step counts from before it."""

    @property
    def adaptive(self) -> bool:
        """Whether it estimates its errors."""
        return self.tableau.error is not None

    @property
    def lands(self) -> bool:
        """Whether its steps are better than its dense output, and end on samples."""
        return self.tableau.dense is None

    def keep(self) -> dict[str, Any]:
        """Return the data that a resumed run needs: none."""
        return {}

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Continue from what was kept."""

    def renew(self) -> None:
        """Forget what is known of the rate: it has changed."""

    def step(self, t: float, y: np.ndarray, h: float) -> np.ndarray:
        """Return the state at t + h; the stages stay for the error and the dense output."""
        tableau, k = self.tableau, self.stages
        self._check(y)
        self.rate(t, y, k[0])
        for s in range(1, tableau.stages):
            self.rate(min(t + tableau.c[s] * h, self.latest), y + h * (tableau.a[s, :s] @ k[:s]), k[s])
        return y + h * (tableau.b @ k)

    def _check(self, y: np.ndarray) -> None:
        shape = self.stages.shape[1:]
        if not isinstance(y, np.ndarray) or y.shape != shape:
            allowed = f"an array of shape {shape}"
            raise InputError("the state must have the size of the system", got=repr(y)[:60], allowed=allowed)

    def error(self, y: np.ndarray, end: np.ndarray, h: float) -> float:
        """Return the error of the last step over the one allowed: a step is good up to 1."""
        assert self.tableau.error is not None
        error = h * (self.tableau.error @ self.stages)[self.counted]
        y, end = y[self.counted], end[self.counted]
        if self.tableau.norm == "largest":
            # scale_i = |q_i + q̇_i dt|, the largest ratio counts [Perez94, Dynamics]; atol tames those near 0
            scale = self.rtol * np.abs(y + h * self.stages[0, self.counted]) + self.atol
            return float(np.max(np.abs(_over(error, scale)), initial=0.0))
        scale = self.atol + self.rtol * np.maximum(np.abs(y), np.abs(end))
        return float(np.sqrt(np.mean(_over(error, scale) ** 2)))  # [Hairer93 II.4.11]

    def solution(self, t: float, y: np.ndarray, end: np.ndarray, h: float) -> Solution:
        """Return the solution inside the last step: the method's own dense output, or Hermite's cubic."""
        self._check(end)
        k = self.stages.copy()
        if self.tableau.dense is not None:
            polynomial = (self.tableau.dense.T @ k) * h

            def inside(instant: float) -> np.ndarray:
                theta = (instant - t) / h
                return y + theta * (
                    polynomial[0] + theta * (polynomial[1] + theta * (polynomial[2] + theta * polynomial[3]))
                )
        else:
            slope0, slope1 = h * k[0], np.empty_like(y)
            self.rate(min(t + h, self.latest), end, slope1)
            slope1 *= h

            def inside(instant: float) -> np.ndarray:
                u = (instant - t) / h
                v = 1 - u
                return v * v * ((1 + 2 * u) * y + u * slope0) + u * u * ((3 - 2 * u) * end - v * slope1)

        def repaired(instant: float) -> np.ndarray:
            if instant == t + h:
                return end.copy()
            state = inside(instant)
            if self.repair is not None:
                self.repair(state)
            return state

        return repaired

    def first_step(self, t: float, y: np.ndarray, longest: float) -> float:
        """Guess a first step from the size of the state and of its rate [Hairer93 II.4]."""
        self._check(y)
        k0, k1 = np.empty_like(y), np.empty_like(y)
        self.rate(t, y, k0)
        scale = self.atol + self.rtol * np.abs(y)
        weighed = scale > 0
        weighed[len(y[self.counted]) :] = False  # with atol = 0 a number that is zero tells nothing

        def size(v: np.ndarray) -> float:
            with np.errstate(over="ignore"):
                return float(np.sqrt(np.mean((v[weighed] / scale[weighed]) ** 2))) if weighed.any() else 0.0

        d0, d1 = size(y), size(k0)
        guess = 0.01 * d0 / d1 if min(d0, d1) > 1e-5 else 0.0
        h = guess if 0.0 < guess < np.inf else 1e-6  # sizes near the ends of floats tell nothing
        self.rate(t + h, y + h * k0, k1)
        d2 = size(k1 - k0) / h
        largest = max(d1, d2)
        h1 = (0.01 / largest) ** (1 / self.tableau.order) if 1e-15 < largest < np.inf else max(1e-6, h * 1e-3)
        return min(100 * h, h1, longest)


def _over(error: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Return error/scale; with atol = 0 a number that is zero and stays zero has no error."""
    with np.errstate(divide="ignore", over="ignore"):
        return np.divide(error, scale, out=np.zeros_like(error), where=error != 0)


def march(
    stepper: ExplicitStep,
    t0: float,
    y0: np.ndarray,
    t1: float,
    *,
    step: float | None = None,
    longest: float = np.inf,
    guards: Sequence[Guard] = (),
    fired: frozenset[int] = frozenset(),
    landings: float | None = None,
    origin: float = 0.0,
    jumps: Sequence[float] = (),
    schedule: Schedule | None = None,
) -> Iterator[SolutionSegment]:
    """Go from t0 to t1 by steps, adaptive where the method estimates its error, and stop at every event on the way.

    Fixed-step methods need `step`; adaptive ones take it as their first guess. All guards that are zero at the
    earliest root are reported together, and each one's `then` is applied in their order. `fired` tells which guards
    are zero at t0 because they have just fired there (a run that goes on from an event). With `landings` [Hz] steps end
    on the multiples of its period from `origin` on: for methods whose dense output is poorer than their steps. At
    `jumps` [s] the rate is not continuous: steps end there, so that none is taken across; so they do at the instants of
    a `schedule`.
    """
    adaptive = stepper.adaptive
    if not adaptive and not (step and step > 0):
        raise InputError("a fixed-step method needs a step", got=step, allowed="a positive number of seconds")
    t, y, stepper.headway.end = float(t0), np.array(y0, float), float(t1)
    h = min(step or stepper.first_step(t, y, min(longest, t1 - t0)), longest)
    fired_at_start = fired
    storm: dict[int, tuple[float, int]] = {}
    while t < t1:
        if schedule is not None:
            y = schedule.call(t, y)
        target = (
            t1
            if landings is None
            else min(t1, origin + (np.floor((t - origin) * landings * (1 + 1e-12)) + 1) / landings)
        )
        jump = min((instant for instant in jumps if instant > t), default=np.inf)
        jump = jump if schedule is None else min(jump, schedule.next_instant(t, y))
        target, stepper.latest = min(target, jump), np.nextafter(jump, -np.inf)
        end, used, h = accepted_step(stepper, t, y, min(h, target - t), h, adaptive, longest)
        t_end = target if t + used >= target - 1e-12 * abs(target) else t + used
        solution = stepper.solution(t, y, end, used)
        if stepper.repair is not None:
            stepper.repair(end)
        event = earliest(guards, solution, t, t_end, fired_at_start) if guards else None
        after, stop = end, False
        if event is not None:
            _count_firings(storm, event, guards)
            t_end, end = event.time, solution(event.time)
            event, after, stop = _happen(event, guards, end)
        fired_at_start = frozenset(event.guards) if event is not None else frozenset()
        yield SolutionSegment(t, t_end, end, solution, event, after, h)
        if stop:
            return
        t, y = t_end, after


def _happen(event: Fired, guards: Sequence[Guard], end: np.ndarray) -> tuple[Fired, np.ndarray, bool]:
    """Do what the guards that fired say, and those that are taken through zero by it; whether the run ends."""
    after, waiting, done = end.copy(), list(event.guards), []
    while waiting:
        guard = guards[waiting[0]]
        done.append(waiting.pop(0))
        if guard.then is not None:
            where = f"guard {guard.name!r} at t = {event.time:.9g} s"
            given = call(guard.then, event.time, after, what="an event", where=where)
            before, after = after, check_numbers(given, end.shape, what="an event", where=where)
            waiting += [k for k in jumped(guards, event.time, before, after) if k not in done and k not in waiting]
    return Fired(event.time, tuple(done)), after, any(guards[k].ends for k in done)


def _count_firings(storm: dict[int, tuple[float, int]], event: Fired, guards: Sequence[Guard]) -> None:
    """Keep when each guard fired last and how often in a row; refuse to follow one that fires without end."""
    for k in event.guards:
        last, times = storm.get(k, (-np.inf, 0))
        times = times + 1 if event.time - last <= 1e-6 * max(1.0, abs(event.time)) else 0
        storm[k] = event.time, times
        if times >= _STORM:
            raise RunError(
                "events follow one another without end",
                where=f"t = {event.time:.9g} s, guard {guards[k].name!r}",
                remedy="What happens at the event must move the state off the guard, or end the run.",
            )


def accepted_step(
    stepper: ExplicitStep, t: float, y: np.ndarray, h: float, planned: float, adaptive: bool, longest: float
) -> tuple[np.ndarray, float, float]:
    """Return the end of a step that is good enough, its length, and the length to try next."""
    smallest = 16 * float(np.spacing(max(abs(t), h)))
    cut = h < planned  # to a landing or the end of the run: that may be short, and the longer step is not forgotten
    while True:
        if adaptive and h < smallest and not cut:
            raise too_small(t, h)
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is seen below
            end = stepper.step(t, y, h)
        if not adaptive:
            _finite(end, t + h)
            return end, h, planned
        ratio = stepper.error(y, end, h) if np.isfinite(end).all() else np.inf
        # dt ← dt |Δ_wanted/Δ|^0.2 [Perez94, Dynamics], with the usual safety factor and bounds
        factor = min(GROW, max(SHRINK, SAFETY * ratio**-stepper.power)) if ratio > 0 else GROW
        if ratio <= 1:
            if not cut:
                stepper.headway.step(t)
            following = max(planned, h * factor) if cut and factor >= 1 else h * factor
            return end, h, min(following, longest)
        h, cut = h * (min(factor, 1.0) if np.isfinite(ratio) else SHRINK), False


def too_small(t: float, h: float) -> RunError:
    """Return the error of an adaptive step that cannot be taken."""
    remedy = "The state grows without bound or jumps there: check the forces, or ask for less (rtol, atol)."
    return RunError("the step is too small", where=f"t = {t:.9g} s", got=f"step {h:.3g} s", remedy=remedy)


def _finite(y: np.ndarray, t: float) -> None:
    if not np.isfinite(y).all():
        raise RunError(DIVERGED, where=f"t = {t:.9g} s", remedy="Take a smaller step.")
