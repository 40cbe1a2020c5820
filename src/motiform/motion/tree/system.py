"""A figure as a system that the run loop advances."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.run import Block, Checkpoint, Guard, Kind, Options, System, sampled
from motiform.motion.run.kinds import check_integrator
from motiform.motion.tree.equations import FigureEquations
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import Control, check_functions, state_after
from motiform.motion.tree.observe import (
    channels,
    drive_channel,
    drive_labels,
    figure_labels,
    observe,
    undriven,
)
from motiform.motion.tree.prescribed import DrivenFigure, PrescribedMotion, drive_figure
from motiform.motion.tree.start import start
from motiform.motion.tree.watch import watch_contacts
from motiform.record import Channel

__all__ = ["KIND", "FigureSystem", "check_device", "check_moves"]


def check_moves(figure: Figure) -> None:
    """Refuse a figure without freedoms."""
    if not figure.nv:
        where = f"figure {figure.name!r}"
        raise InputError("a figure must be able to move", where=where, remedy="All its joints are fixed.")


def check_device(options: Options) -> None:
    """Refuse the GPU."""
    if options.device != "cpu":
        raise InputError("figures are simulated on the CPU", got=options.device, remedy="Take device='cpu'.")


class FigureSystem(System):
    """A figure under controls and loads; functions of guards take and give a `FigureState`.

    With `watch`, a contact joint whose surfaces would have to pull, or whose friction would have to be more than its
    coefficient allows, ends the run with an event. `prescribed` coordinates move as functions of time.
    """

    def __init__(
        self,
        figure: Figure,
        options: Options,
        q0: ArrayLike | None = None,
        v0: ArrayLike | None = None,
        controls: Control | None = None,
        loads: Control | None = None,
        guards: Sequence[Guard] = (),
        watch: bool = True,
        prescribed: Sequence[PrescribedMotion] = (),
    ) -> None:
        check_integrator(options, "figure", "a figure")
        check_moves(figure)
        check_device(options)
        begin = start(figure, q0, v0)
        check_functions(figure, begin, controls, loads, guards)
        self.controls: Control | None = controls
        self.drive: DrivenFigure | None = None
        model = figure
        if prescribed:
            self.drive = drive_figure(figure, prescribed, begin.q)
            model, controls, begin = self.drive.heavy, self.drive.control(controls), self.drive.begin(begin)
            begin = start(model, begin.q, begin.v)
        self.equations = FigureEquations(model, begin, controls, loads)
        guards = [*guards, *(watch_contacts(self.equations) if watch else ())]
        self.figure, self.options = figure, options
        self.guards = [_on_vector(guard, self.equations) for guard in guards]
        self.gravity, self.vertical = figure.gravity, figure.vertical
        self.labels, self.facts = figure_labels(figure) | drive_labels(self.drive), {}

    def channels(self) -> list[Channel]:  # noqa: D102
        own = channels(self.figure, self.options.rate, self.controls is not None)
        return own if self.drive is None else [*own, drive_channel(self.drive, self.options.rate)]

    def blocks(self, checkpoint: Checkpoint | None) -> Iterator[Block]:  # noqa: D102
        return sampled(self.equations, self.options, self.guards, checkpoint)

    def observe(self, times: np.ndarray, states: Array) -> dict[str, np.ndarray]:  # noqa: D102
        found = observe(self.equations, times, states)
        if self.drive is not None:
            split = [self.equations.split(row) for row in states]
            tau = np.array([self.drive.forces_of(self.controls, t, s) for t, s in zip(times, split, strict=True)])
            found["drive.effort"] = np.array([
                self.drive.efforts(t, s.q, s.v, own, self.equations.wrenches(t, s))
                for t, s, own in zip(times, split, tau, strict=True)
            ])  # fmt: skip
            found |= undriven(self.drive, states) | {"tau": tau}
            if self.controls is None:
                found.pop("tau")
        return found


def _on_vector(guard: Guard, equations: FigureEquations) -> Guard:
    """Return a guard as a function of the flat vector."""

    def then(t: float, y: Array) -> Array:
        after = state_after(guard, t, equations.split(y))
        return np.concatenate([after.q, after.v])

    return replace(
        guard, zero=lambda t, y: guard.zero(t, equations.split(y)), then=None if guard.then is None else then
    )


KIND = Kind(
    "figure",
    "a figure",
    Figure,
    FigureSystem,
    "dormand-prince",
    hints={"forces": "Give controls=, or loads= on its segments."},
)
