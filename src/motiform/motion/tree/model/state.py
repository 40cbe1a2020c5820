"""The state of a figure, and what acts on it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.run import Guard
from motiform.motion.run.functions import call, check_numbers
from motiform.motion.run.guards import guard_value
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.spatial.checks import as_floats

if TYPE_CHECKING:
    from motiform.motion.tree.model.acting import Acting

__all__ = ["Control", "Controls", "FigureState", "call_checked", "check_functions", "ready", "state_after"]

Control = Callable[[float, "FigureState"], ArrayLike]
"""control(t, state) gives generalised forces [N·m or N], (nv,); a load gives wrenches on segments, (segments, 6)."""


Controls = Any
"""A control, an `Actuator`, or a list of them, which add up; None: nothing acts."""


@dataclass(frozen=True)
class FigureState:
    """Configuration and velocity of a figure at an instant."""

    q: Array
    """(nq,)"""
    v: Array
    """(nv,)"""
    z: Array = field(default_factory=lambda: np.zeros(0))
    """States of actuators, where they have some (muscles, motors), and what they remember."""


def ready(x: ArrayLike, size: int, what: str) -> Array:
    """Return `size` numbers for compiled functions, which check no bounds: the array itself where it fits."""
    if type(x) is np.ndarray and x.dtype == np.float64 and x.shape == (size,) and x.flags.carray:
        return x
    found = as_floats(x, where=what, finite=False)
    if found.shape != (size,):
        raise InputError(f"{what} must have {size} numbers", got=f"shape {found.shape}", allowed=f"({size},)")
    return np.array(found)


def call_checked(function: Control, t: float, state: FigureState, shape: tuple[int, ...], what: str) -> Array:
    """Return the checked result of a user function."""
    where = f"{getattr(function, '__name__', what)}, t = {t:.6g} s"
    answer = call(function, t, state, what=f"a {what}", where=where)
    fits = type(answer) is np.ndarray and answer.shape == shape and answer.dtype == np.float64 and answer.flags.carray
    if fits and np.isfinite(answer).all():  # ready for compiled functions
        return answer
    return check_numbers(answer, shape, what=f"a {what}", where=where)


def check_functions(
    figure: Figure, state: FigureState, controls: "Acting", loads: Control | None, guards: Sequence[Guard] = (),
    t: float = 0.0,
) -> None:  # fmt: skip
    """Call the functions of a run once at its start, so that wrong results raise an error before recording begins."""
    if loads is not None and not callable(loads):
        raise InputError("loads must be a function", got=repr(loads), allowed="a function of (t, state)")
    here = FigureState(state.q.copy(), state.v.copy(), state.z.copy())  # they may write to it
    controls.act(t, here)
    controls.margins(t, here)
    if loads is not None:
        call_checked(loads, t, here, (len(figure.segments), 6), "load")
    for guard in guards:
        guard_value(guard, t, here)


def state_after(guard: Guard, t: float, state: FigureState) -> FigureState:
    """Return the state that a guard's event gives, checked; without z it keeps the one before."""
    where = f"guard {guard.name!r} at t = {t:.9g} s"
    after = call(guard.then, t, state, what="an event", where=where)  # type: ignore[arg-type]
    if not isinstance(after, FigureState):
        allowed = "a FigureState, such as dataclasses.replace(state, v=...)"
        raise InputError("an event returned a wrong value", where=where, got=repr(after)[:80], allowed=allowed)
    parts = {"q": state.q, "v": state.v} | ({"z": state.z} if np.size(after.z) else {})
    found = {
        key: check_numbers(getattr(after, key), own.shape, what=f"an event's {key}", where=where)
        for key, own in parts.items()
    }
    return FigureState(**{"z": state.z} | found)
