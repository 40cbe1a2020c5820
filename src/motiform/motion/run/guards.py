"""Guards: functions of time and state whose zeros are events."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal

import numpy as np

from motiform.base.errors import InputError
from motiform.motion.run.functions import call, check_numbers

__all__ = ["Fired", "Guard", "earliest", "guard_value"]

Solution = Callable[[float], np.ndarray]


@dataclass(frozen=True)
class Guard:
    """An event: a name, the function whose zero it is, the sense of the crossing, and what happens then."""

    name: str
    zero: Callable[[float, Any], float]
    crossing: Literal["down", "up", "both"] = "both"
    then: Callable[[float, Any], Any] | None = None
    """Gives the state after the event from the one before it; None leaves it."""
    ends: bool = False
    """The run ends at this event."""

    def __post_init__(self) -> None:
        if not callable(self.zero) or not (self.then is None or callable(self.then)):
            got = repr(self.then if callable(self.zero) else self.zero)[:60]
            raise InputError("`zero` and `then` must be functions", where=f"guard {self.name!r}", got=got)
        if self.crossing not in ("down", "up", "both"):
            raise InputError(
                "`crossing` must be a known direction",
                where=f"guard {self.name!r}",
                got=self.crossing,
                allowed="down, up, both",
            )

    def leaves(self, after: float) -> bool:
        """Whether a guard that is zero has left in its sense; one that minds both senses has not crossed by leaving."""
        return after < 0 if self.crossing == "down" else after > 0 if self.crossing == "up" else False

    def crosses(self, before: float, after: float) -> bool:
        """Whether the guard passes zero, in its sense, between two values."""
        down, up = before > 0 >= after, before < 0 <= after
        return down if self.crossing == "down" else up if self.crossing == "up" else down or up


@dataclass(frozen=True)
class Fired:
    """The earliest root of a step, and every guard that is zero there."""

    time: float
    guards: tuple[int, ...]


_LOOKS = 8  # values of each guard looked at within a step, so that a guard that dips below zero and returns is seen
_HALVINGS = 20  # looks after an event, ever nearer to it, so that a guard that soon fires again is seen


def time_tolerance(t: float) -> float:
    """Return how near in time two roots are one event: rounding of the root search."""
    return 1e-12 + 8 * float(np.spacing(abs(t)))


def earliest(
    guards: Sequence[Guard], solution: Solution, t0: float, t1: float, fired_at_start: frozenset[int]
) -> Fired | None:
    """Find the earliest root of any guard in [t0, t1] and all guards that are zero there.

    A guard that fired at t0 is zero there by construction; it is looked at again from just after t0.
    """
    instants = np.linspace(t0, t1, _LOOKS + 1)
    if fired_at_start:
        near = t0 + (instants[1] - t0) * 0.5 ** np.arange(_HALVINGS, 0, -1)
        instants = np.concatenate([instants[:1], near, instants[1:]])
    looked = []
    for t in instants:
        y = solution(t)
        looked.append([guard_value(guard, t, y) for guard in guards])  # guards of one thing may share what they find
    roots: dict[int, float] = {}
    for k, guard in enumerate(guards):
        values = [row[k] for row in looked]
        if k in fired_at_start:
            values[0] = values[1]  # its own side is the one it has just left for
        elif values[0] == 0 and guard.leaves(values[1]):
            roots[k] = t0  # it begins on the guard and goes through it
            continue
        for n in range(len(instants) - 1):
            if guard.crosses(values[n], values[n + 1]):
                roots[k] = _root(guard, solution, float(instants[n]), float(instants[n + 1]), values[n + 1])
                break
    if not roots:
        return None
    first = min(roots.values())
    together = tuple(k for k, root in roots.items() if root <= first + time_tolerance(first))
    return Fired(max(roots[k] for k in together), together)


def jumped(guards: Sequence[Guard], t: float, before: np.ndarray, after: np.ndarray) -> tuple[int, ...]:
    """Return the guards that what happened at an event has taken through zero at once."""
    return tuple(k for k, g in enumerate(guards) if g.crosses(guard_value(g, t, before), guard_value(g, t, after)))


def guard_value(guard: Guard, t: float, state: Any) -> float:
    """Return a guard's function of time and state, checked: one finite number."""
    where = f"guard {guard.name!r} at t = {t:.9g} s"
    value = call(guard.zero, t, state, what="a guard", where=where)
    if isinstance(value, float) and isfinite(value):
        return float(value)
    return float(check_numbers(value, (), what="a guard", where=where, allowed="one number"))


def _root(guard: Guard, solution: Solution, lo: float, hi: float, at_hi: float) -> float:
    """Return the instant at which the guard is zero, to rounding (Brent)."""
    if at_hi == 0:
        return hi
    from scipy.optimize import brentq

    root = brentq(lambda t: guard_value(guard, t, solution(t)), lo, hi, xtol=1e-15, rtol=4 * np.finfo(float).eps)
    return float(root)
