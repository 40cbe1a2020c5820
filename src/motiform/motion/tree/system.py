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
from motiform.motion.tree.observe import channels, figure_labels, observe
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
    coefficient allows, ends the run with an event.
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
    ) -> None:
        check_integrator(options, "figure", "a figure")
        check_moves(figure)
        check_device(options)
        begin = start(figure, q0, v0)
        check_functions(figure, begin, controls, loads, guards)
        self.equations = FigureEquations(figure, begin, controls, loads)
        guards = [*guards, *(watch_contacts(self.equations) if watch else ())]
        if guards and options.integrator != "dormand-prince":
            names = ", ".join(guard.name for guard in guards)
            raise InputError(
                "guards need dense output",
                got=f"{options.integrator} with {names}",
                allowed="'dormand-prince'",
                remedy="Contacts are watched for lift-off; watch=False leaves that out.",
            )
        self.figure, self.options = figure, options
        self.guards = [_on_vector(guard, self.equations) for guard in guards]
        self.gravity, self.vertical = figure.gravity, figure.vertical
        self.labels, self.facts = figure_labels(figure), {}

    def channels(self) -> list[Channel]:  # noqa: D102
        return channels(self.figure, self.options.rate, self.equations.controls is not None)

    def blocks(self, checkpoint: Checkpoint | None) -> Iterator[Block]:  # noqa: D102
        return sampled(self.equations, self.options, self.guards, checkpoint)

    def observe(self, times: np.ndarray, states: Array) -> dict[str, np.ndarray]:  # noqa: D102
        return observe(self.equations, times, states)


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
