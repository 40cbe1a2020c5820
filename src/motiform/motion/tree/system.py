"""A figure as a system that the run loop advances."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.run import Checkpoint, Guard, ModelKind, Run, RunArguments, RunOptions, System, integrate
from motiform.motion.run.integrators import get_tableau
from motiform.motion.run.kinds import check_integrator, one_or_several, several_guards
from motiform.motion.run.sampling import AdaptiveSteps
from motiform.motion.tree.equations import FigureEquations
from motiform.motion.tree.friction import SlidingFriction, check_no_sliding_friction, leaving_contacts, sliding_contacts
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import Control, Controls, check_functions, state_after
from motiform.motion.tree.observe import channels, drive_channel, drive_labels, figure_labels, observe, undriven
from motiform.motion.tree.prescribed import PrescribedFigure, PrescribedMotion, drive_figure
from motiform.motion.tree.start import start
from motiform.motion.tree.step_limit import warn_of_long_steps
from motiform.motion.tree.watch import watch_contacts
from motiform.record import Channel, Event

__all__ = [
    "FORMS",
    "KIND",
    "ActingArguments",
    "FigureArguments",
    "FigureSystem",
    "check_device",
    "check_moves",
    "check_resolved",
]


class ActingArguments(RunArguments, total=False):
    """What every run of a figure takes, alone, with contacts or in matter."""

    q0: ArrayLike | None
    """Configuration at the start (nq,); neutral where it is not given."""
    v0: ArrayLike | None
    """Velocities at the start (nv,); at rest where they are not given."""
    controls: Controls
    """Functions control(t, state) of generalised forces (nv,), actuators with states of their own, or a list of both,
    see `motiform.actuation`."""
    loads: Control | None
    """A function load(t, state) of wrenches on the segments (segments, 6) about their origins, see
    `motiform.motion.tree`."""
    prescribed: PrescribedMotion | Sequence[PrescribedMotion] | None
    """Coordinates that move as functions of time; the efforts that this takes are recorded."""


class FigureArguments(ActingArguments, total=False):
    """What a run of a figure takes."""

    guards: Guard | Sequence[Guard] | None
    """What marks events, ends the run or changes the state at them; with dense output ("dormand-prince")."""
    watch: bool | None
    """Whether the run ends where a contact joint would have to pull, or to hold more than its friction."""


FORMS: Mapping[str, Callable[[Any], Any]] = {
    "guards": several_guards,
    "prescribed": one_or_several(lambda one: isinstance(one, PrescribedMotion), "PrescribedMotion"),
}
"""How arguments of figures are brought into one form."""


def check_moves(figure: Figure) -> None:
    """Refuse a figure without freedoms."""
    if not figure.nv:
        where = f"figure {figure.name!r}"
        raise InputError("a figure must be able to move", where=where, remedy="All its joints are fixed.")


def check_device(options: RunOptions) -> None:
    """Refuse the GPU."""
    if options.device != "cpu":
        raise InputError("figures are simulated on the CPU", got=options.device, remedy="Take device='cpu'.")


_LOOSEST = 1e-6  # [m/s] of atol: with more, errors of slips that come to rest are as large as the slips


def check_resolved(where: str, what: str, options: RunOptions) -> None:
    """Refuse integrators and tolerances that do not resolve events of contacts."""
    tableau = get_tableau(options.integrator)
    if tableau.error is None or tableau.dense is None:
        raise InputError(
            f"{what} needs steps with error control and dense output of their own",
            where=where,
            got=options.integrator,
            allowed="dormand-prince",
        )
    if options.atol > _LOOSEST:
        raise InputError(
            f"{what} needs steps that resolve the stop",
            where=where,
            got=f"atol {options.atol:g}",
            allowed=f"at most {_LOOSEST:g} (m/s of the slip)",
        )


def _check_friction(figure: Figure, options: RunOptions, watch: bool) -> None:
    """Refuse runs in which contact joints cannot slide with friction."""
    found = sliding_contacts(figure)
    if not found:
        return
    where = f"joint of segment {found[0]!r}"
    if not watch:
        raise InputError(
            "sliding with friction must be watched: it needs a normal force that presses",
            where=where,
            got="watch=False",
            allowed="watch=True",
        )
    check_resolved(where, "sliding with friction", options)


class FigureSystem(System):
    """A figure under controls and loads; functions of guards take and give a `FigureState`.

    With `watch`, a contact joint whose surfaces would have to pull, or whose friction would have to be more than its
    coefficient allows, ends the run with an event. `prescribed` coordinates move as functions of time.
    """

    def __init__(
        self,
        figure: Figure,
        options: RunOptions,
        q0: ArrayLike | None = None,
        v0: ArrayLike | None = None,
        controls: Controls = None,
        loads: Control | None = None,
        guards: Sequence[Guard] = (),
        watch: bool = True,
        prescribed: Sequence[PrescribedMotion] = (),
    ) -> None:
        check_integrator(options, "figure", "a figure")
        check_moves(figure)
        check_device(options)
        if leaving_contacts(figure):
            check_no_sliding_friction(figure, "such a run")
        _check_friction(figure, options, watch)
        begin = start(figure, q0, v0)
        self.drive: PrescribedFigure | None = None
        model = figure
        if prescribed:
            self.drive = drive_figure(figure, prescribed, begin.q)
            model, begin = self.drive.heavy, self.drive.begin(begin, options.t0)
            begin = start(model, begin.q, begin.v)
        self.equations = FigureEquations(
            model, begin, controls, loads, self.drive, at_rest=100 * options.atol, t0=options.t0
        )
        self.controls = self.equations.controls
        check_functions(figure, self.equations.state, self.controls, loads, guards, options.t0)
        warn_of_long_steps(self.equations, options)
        friction = self.equations.friction
        own = [] if friction is None else friction.guards()
        guards = [*guards, *(watch_contacts(self.equations) if watch else ())]
        self.figure, self.options = figure, options
        self.guards = [_on_vector(guard, self.equations) for guard in own]
        self.guards += [_on_vector(guard, self.equations, chosen=True) for guard in guards] + _switches(self.equations)
        self.gravity, self.vertical = figure.gravity, figure.vertical
        self.labels, self.facts = figure_labels(figure, loads) | drive_labels(self.drive) | self.controls.labels, {}

    def channels(self) -> list[Channel]:  # noqa: D102
        own = channels(self.figure, self.options.rate, bool(self.controls), self.equations.loads)
        own += [] if self.drive is None else [drive_channel(self.drive, self.options.rate)]
        own += [] if self.equations.friction is None else self.equations.friction.channels(self.options.rate)
        return own + self.controls.channels(self.options.rate)

    def begin(self, checkpoint: Checkpoint | None) -> Run:  # noqa: D102
        if self.equations.friction is not None:
            return _SlidingRun(self.equations, self.options, self.guards, checkpoint, schedule=self.equations)
        schedule = self.equations if self.controls.timed else None
        return integrate(self.equations, self.options, self.guards, checkpoint, schedule)

    def observe(self, times: np.ndarray, states: Array) -> dict[str, np.ndarray]:  # noqa: D102
        friction = self.equations.friction
        found = observe(self.equations, times, states)
        acted = self.controls or self.drive is not None or friction is not None
        split = [self.equations.split(row) for row in states] if acted else []
        found |= self.controls.measure(times, split)
        if friction is None and self.drive is None:
            return found
        tau = np.array([self.equations.control_forces(t, s) for t, s in zip(times, split, strict=True)])
        if friction is not None:
            found |= friction.measure(times, split) | ({"tau": tau} if self.controls else {})
        if self.drive is not None:
            rubbing = tau if friction is None else tau + friction.all_efforts(times, split)
            found["drive.effort"] = np.array([
                self.drive.efforts(t, s.q, s.v, own, self.equations.wrenches(t, s))
                for t, s, own in zip(times, split, rubbing, strict=True)
            ])  # fmt: skip
            found |= undriven(self.drive, states) | {"tau": tau}
            if not self.controls:
                found.pop("tau")
        return found


class _SlidingRun(AdaptiveSteps):
    """Adaptive steps that do not tell the events that are only those of the equations of friction."""

    def take_events(self) -> list[Event]:
        return [event for event in super().take_events() if SlidingFriction.told(event.name)]


def _on_vector(guard: Guard, equations: FigureEquations, chosen: bool = False) -> Guard:
    """Return a guard as a function of the flat vector; with `chosen`, contacts choose their modes after its event."""

    def then(t: float, y: Array) -> Array:
        after = state_after(guard, t, equations.split(y))
        if chosen and equations.friction is not None:
            after = equations.friction.choose(t, after)
        return np.concatenate([after.q, after.v, equations.controls.settle(t, after)])

    return replace(
        guard, zero=lambda t, y: guard.zero(t, equations.split(y)), then=None if guard.then is None else then
    )


def _switches(equations: FigureEquations) -> list[Guard]:
    """Return the events of actuators as guards of the flat vector."""

    def then(k: int) -> Callable[[float, Array], Array]:
        def switch(t: float, y: Array) -> Array:
            state = equations.split(y)
            return np.concatenate([state.q, state.v, equations.controls.switch(t, state, k)])

        return switch

    return [replace(guard, then=then(k)) for k, guard in enumerate(equations.controls.guards(equations.split))]


KIND = ModelKind(
    "figure",
    "a figure",
    Figure,
    FigureSystem,
    FigureArguments,
    "dormand-prince",
    anytime=True,
    hints={"forces": "Give controls=, or loads= on its segments."},
    forms=FORMS,
)
