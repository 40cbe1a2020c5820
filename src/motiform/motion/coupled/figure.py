"""Steps of a figure coupled with matter: those of time-stepping at the network's frequency, or a prescribed motion."""

from collections.abc import Callable
from typing import Any

import numpy as np

from motiform.base.errors import InputError, RunError
from motiform.motion.run.functions import call
from motiform.motion.stepping.system import ContactSystem
from motiform.motion.stepping.time_stepping import Stepper, first_snapshot
from motiform.motion.tree import (
    Control,
    Figure,
    FigureState,
    advance,
    close_loops,
    configuration_rate,
    forward_kinematics,
    inertia_matrix,
    joint_axes,
    repair,
)
from motiform.motion.tree.equations import FigureEquations
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import call_checked
from motiform.motion.tree.observe import RecordedLoads, observe, recorded_loads
from motiform.record import Recording

__all__ = ["ContactFigure", "Felt", "KinematicFigure", "MovedFigure", "SteppedFigure", "given_motion"]

Given = Callable[[float], tuple[Array, Array]]
"""given(t) gives configuration and velocities of a figure, (nq,) and (nv,)."""

_HUGE = 1e9  # [m, rad] nothing that is simulated goes so far in a step: the run has diverged


class Felt:
    """Loads of a figure: what matter does to its segments in a step, and the loads of its own."""

    def __init__(self, figure: Figure, own: Control | None) -> None:
        self.own, self.matter = own, np.zeros((len(figure.segments), 6))

    @property
    def recorded(self) -> RecordedLoads | None:
        """What is recorded of its own."""
        return recorded_loads(self.own)

    def __call__(self, t: float, state: FigureState) -> Array:
        """Return the wrenches on the segments, (segments, 6)."""
        return (
            self.matter
            if self.own is None
            else self.matter + call_checked(self.own, t, state, self.matter.shape, "load")
        )


class MovedFigure:
    """A figure at a sample and at the one before it."""

    q: Array
    v: Array
    q_before: Array

    def __init__(self, figure: Figure, rate: float) -> None:
        self.figure, self.rate = figure, rate

    def step(self, sample: int, wrenches: Array) -> None:
        """Advance by a sample under wrenches on the segments, (segments, 6), as `forward_dynamics` has them."""
        raise NotImplementedError

    def state(self) -> FigureState:
        """Return configuration and velocities."""
        return FigureState(self.q.copy(), self.v.copy())

    def seen(self, t: float, wrenches: Array) -> dict[str, Array]:
        """Return what a sample holds, by channel; wrenches of matter are those of the step before it."""
        raise NotImplementedError

    def checkpoint(self) -> dict[str, Any]:
        """Return all that the next steps depend on."""
        return {"q": self.q.copy(), "v": self.v.copy(), "q_before": self.q_before.copy()}

    def restore(self, kept: dict[str, Any]) -> None:
        """Continue from a checkpoint."""
        self.q, self.v, self.q_before = (np.array(kept[key], float) for key in ("q", "v", "q_before"))


class ContactFigure(MovedFigure):
    """A figure that moves by its own dynamics, by the steps of `Stepper`: its contacts and limits act as they do alone.

    Springs and dampers of its posture control are taken at the end of a step. Momenta of trees on free joints change by
    the impulses that act on them and nothing else, to rounding.
    """

    def __init__(self, system: ContactSystem, felt: Felt, rate: float) -> None:
        super().__init__(system.figure, rate)
        self.system, self.felt, self.stepper = system, felt, Stepper(system.equations, 1.0 / rate)
        self.y = system.first.copy()
        self.events = system.equations.begin(self.y)
        self.look: Array | None = None
        self._split()
        self.q_before = advance(self.figure, self.q, self.v, -1.0 / rate)

    def _split(self) -> None:
        nq = self.figure.nq
        self.q, self.v = self.y[:nq].copy(), self.y[nq : nq + self.figure.nv].copy()

    def step(self, sample: int, wrenches: Array) -> None:
        """Take a step under the forces of this sample, and what contacts add to them within it."""
        self.felt.matter = wrenches
        t, h = sample / self.rate, 1.0 / self.rate
        try:
            self.stepper.step(t, self.y)
        except RunError as error:
            raise self._diverged(t) if "has diverged" in str(error) else error from error
        self.q_before, before = self.q, (self.q, self.v)
        self._split()
        self.look = None
        if not (np.abs(self.v) * h < _HUGE).all():
            self.q, self.v = before
            raise self._diverged(t)

    def _diverged(self, t: float) -> RunError:
        """Return the error of a run whose velocities have grown without end: it names what drove them."""
        figure, h = self.figure, 1.0 / self.rate
        p = forward_kinematics(figure, self.q)[1]
        pushes, axes = self.felt.matter, joint_axes(figure, self.q)
        moments = pushes[:, :3] + np.cross(p, pushes[:, 3:])
        matter = (axes * (figure.carried.T @ np.concatenate([moments, pushes[:, 3:]], axis=1))).sum(1)
        forces = {"matter": matter, "its controls": self.stepper.tau}
        inertia = inertia_matrix(figure, self.q)
        with np.errstate(all="ignore"):
            gained = {name: np.abs(h * np.linalg.solve(inertia, np.nan_to_num(f))) for name, f in forces.items()}
        worst = max(gained, key=lambda name: float(gained[name].max(initial=0.0)))
        remedies = {
            "matter": "Lower the stiffness of the laws between it and matter, or raise the network's frequency.",
            "its controls": "Lower their gains, give them as a PostureControl, or raise the network's frequency.",
        }
        k = int(np.argmax(gained[worst]))
        got = f"{worst} changed the velocity of {figure.coordinates[k]!r} by {gained[worst][k]:.3g} in the last step"
        return RunError("the run has diverged", where=f"figure, t = {t + h:.6g} s", got=got, remedy=remedies[worst])

    def seen(self, t: float, wrenches: Array) -> dict[str, Array]:
        """Return what a sample holds, contacts included."""
        if self.look is None:
            stepper, system = self.stepper, self.system.equations
            self.look = stepper.look(self.y) if t > 0 else first_snapshot(system, stepper.h, self.y)
        found = self.system.observe(np.array([t]), self.look)
        return {key: value[0] for key, value in found.items()}

    def checkpoint(self) -> dict[str, Any]:
        """Return all that the next steps depend on."""
        return {"q_before": self.q_before.copy(), **self.stepper.keep(self.y)}

    def restore(self, kept: dict[str, Any]) -> None:
        """Continue from a checkpoint."""
        self.y, self.q_before = self.stepper.restore(kept), np.array(kept["q_before"], float)
        self._split()


class SteppedFigure(MovedFigure):
    """A figure with closures, couplings or joints written in Python: V₊ = V + Te a, then X₊ = X + Te V₊."""

    def __init__(self, system: FigureEquations, felt: Felt, rate: float) -> None:
        super().__init__(system.figure, rate)
        self.system, self.felt = system, felt
        self.q, self.v = system.state.q.copy(), system.state.v.copy()
        self.q_before = advance(self.figure, self.q, self.v, -1.0 / rate)

    def step(self, sample: int, wrenches: Array) -> None:
        """Take the accelerations of this sample, then move at the new velocities."""
        self.felt.matter = wrenches
        h, t = 1.0 / self.rate, sample / self.rate
        v = self.v + h * self.system.acceleration(t, self.state())
        if not (np.abs(v) * h < _HUGE).all():
            raise RunError(
                "the run has diverged", where=f"t = {t + h:.6g} s", got="the figure's velocities are no longer finite",
                remedy="Lower the stiffness of its controls and of the laws between it and matter, or raise the "
                "network's frequency.",
            )  # fmt: skip
        q = repair(self.figure, advance(self.figure, self.q, v, h))
        if self.figure.closures:
            q, v = close_loops(self.figure, q, v)
        self.q_before, self.q, self.v = self.q, q, v

    def seen(self, t: float, wrenches: Array) -> dict[str, Array]:
        """Return what a sample holds."""
        self.felt.matter = wrenches
        return _seen(self.system, t, self)


def _seen(system: FigureEquations, t: float, moved: MovedFigure) -> dict[str, Array]:
    row = np.concatenate([moved.q, moved.v])
    return {key: value[0] for key, value in observe(system, np.array([t]), row[None]).items()}


class KinematicFigure(MovedFigure):
    """A figure on a motion that is given: matter does nothing to it."""

    def __init__(self, figure: Figure, given: Given, rate: float) -> None:
        super().__init__(figure, rate)
        self.given = given
        self.q_before, _ = given(-1.0 / rate)
        self.q, self.v = given(0.0)

    def step(self, sample: int, wrenches: Array) -> None:
        """Go where the motion is at the next sample."""
        self.q_before = self.q
        self.q, self.v = self.given((sample + 1) / self.rate)

    def seen(self, t: float, wrenches: Array) -> dict[str, Array]:
        """Return what a sample holds."""
        return _seen(FigureEquations(self.figure, self.state()), t, self)


# ---- motions that are given ------------------------------------------------------------------------------------------


def given_motion(figure: Figure, what: Any) -> Given:
    """Return a motion as a function of time, from a recording of the figure or a function that gives q, or (q, v)."""
    if isinstance(what, Recording):
        return _played(figure, what)
    if not callable(what):
        allowed = "a Recording with q and v, or a function of time"
        raise InputError(
            "the motion of a figure must be a recording or a function", got=type(what).__name__, allowed=allowed
        )
    return lambda t: _asked(figure, what, t)


def _played(figure: Figure, recording: Recording) -> Given:
    """Return the motion of a recording: exactly its samples at their instants, cubics between, rest after the end."""
    from scipy.interpolate import CubicHermiteSpline

    for name, size in (("q", figure.nq), ("v", figure.nv)):
        if name not in recording or recording.channel(name).shape != (size,):
            got = recording.channel(name).shape if name in recording else "none"
            raise InputError(f"the recording's {name} does not fit", where=repr(figure), got=got, allowed=f"({size},)")
    times, q, v = recording.time("q"), recording["q"], recording["v"]
    if len(times) < 2:
        raise InputError("the recording is too short to follow", got=f"{len(times)} samples", allowed="2 or more")
    path = CubicHermiteSpline(times, q, configuration_rate(figure, q, v))
    near = 1e-6 * float(np.diff(times).min())

    def given(t: float) -> tuple[Array, Array]:
        n = int(np.clip(np.searchsorted(times, t - near), 0, len(times) - 1))
        if abs(times[n] - t) <= near:
            return q[n].copy(), v[n].copy()
        if t > times[-1]:
            return q[-1].copy(), np.zeros(figure.nv)
        if t < times[0]:
            return advance(figure, q[0], v[0], t - float(times[0])), v[0].copy()
        part = (t - times[n - 1]) / (times[n] - times[n - 1])
        return repair(figure, path(t)), (1 - part) * v[n - 1] + part * v[n]

    return given


_SHORT = 1e-5  # [s] over which the rate of a function of time is taken, forth and back


def _asked(figure: Figure, function: Callable[[float], Any], t: float) -> tuple[Array, Array]:
    """Return configuration and velocities that a function gives; velocities from the change of q where it does not."""
    found = _call(figure, function, t)
    if isinstance(found, tuple):
        return found
    ends = [_call(figure, function, t + s * _SHORT) for s in (1, -1)]
    rate = (ends[0] - ends[1]) / (2 * _SHORT)  # type: ignore[operator]
    columns = configuration_rate(figure, np.tile(found, (figure.nv, 1)), np.eye(figure.nv)).T
    return found, np.linalg.lstsq(columns, rate, rcond=None)[0]


def _call(figure: Figure, function: Callable[[float], Any], t: float) -> Array | tuple[Array, Array]:
    where = f"{getattr(function, '__name__', 'motion')}, t = {t:.6g} s"
    answer = call(function, t, what="a motion", where=where)
    pair = isinstance(answer, tuple) and len(answer) == 2 and np.ndim(answer[0]) == 1
    try:
        arrays = [np.array(part, float) for part in (answer if pair else (answer,))]
    except (TypeError, ValueError):
        arrays = []
    sizes = [(figure.nq,), (figure.nv,)][: len(arrays)]
    if not arrays or [array.shape for array in arrays] != sizes:
        allowed = f"q ({figure.nq},), or a pair of it and v ({figure.nv},)"
        raise InputError("a motion returned a wrong value", where=where, got=repr(answer)[:80], allowed=allowed)
    if not all(np.isfinite(array).all() for array in arrays):
        raise RunError("a motion returned numbers that are not finite", where=where)
    return (arrays[0], arrays[1]) if pair else arrays[0]
