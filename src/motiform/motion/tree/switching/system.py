"""A figure whose contact joints leave and land, as a system that the run loop advances."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.run import Checkpoint, Guard, ModelKind, Run, RunOptions, System
from motiform.motion.run.kinds import check_integrator
from motiform.motion.run.sampling import AdaptiveSteps
from motiform.motion.tree.friction import leaving_contacts
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import Control, Controls, check_functions
from motiform.motion.tree.observe import channels, figure_labels
from motiform.motion.tree.start import start_open
from motiform.motion.tree.switching.equations import SwitchingEquations
from motiform.motion.tree.switching.events import guards_of_contacts, told
from motiform.motion.tree.switching.observe import contact_channels, observe_phases
from motiform.motion.tree.system import FORMS, FigureArguments, check_device, check_moves, check_resolved
from motiform.record import Channel, Event

__all__ = ["KIND", "SwitchingSystem"]


class LeavingArguments(FigureArguments, total=False):
    """What a run of a figure whose contacts leave and land takes: it is always watched, nothing is prescribed."""

    contacts: Any
    """Refused: contacts of solids cannot act beside those that leave and land."""


class SwitchingSystem(System):
    """A figure whose contact joints leave and land, under controls and loads; guards may mark instants and end it."""

    def __init__(
        self, figure: Figure, options: RunOptions, q0: ArrayLike | None = None, v0: ArrayLike | None = None,
        controls: Controls = None, loads: Control | None = None, guards: Sequence[Guard] = (), watch: bool = True,
        contacts: Any = None, prescribed: Sequence[Any] = (),
    ) -> None:  # fmt: skip
        check_integrator(options, "figure", "a figure")
        check_moves(figure)
        check_device(options)
        check_resolved(f"joint of segment {leaving_contacts(figure)[0]!r}", "a contact that leaves and lands", options)
        _refuse_others(watch, contacts, prescribed)
        changing = [guard.name for guard in guards if guard.then is not None]
        if changing:
            raise InputError(
                "guards must not change the state of a figure with release",
                where=f"guard {changing[0]!r}", allowed="guards that mark instants, or end the run",
            )  # fmt: skip
        begin = start_open(figure, q0, v0)
        self.equations = SwitchingEquations(figure, begin, controls, loads, at_rest=100 * options.atol)
        acting = self.equations.acting
        check_functions(figure, self.equations.first, acting, loads, guards)
        self.guards = guards_of_contacts(self.equations)
        self.guards += [replace(guard, zero=partial(self._zero, guard)) for guard in guards]
        switches = acting.guards(self.equations.split)
        self.guards += [replace(guard, then=partial(self.equations.switch, k)) for k, guard in enumerate(switches)]
        self.figure, self.options = figure, options
        self.gravity, self.vertical = figure.gravity, figure.vertical
        self.labels, self.facts = figure_labels(figure, loads) | acting.labels, {}

    def _zero(self, guard: Guard, t: float, y: Array) -> float:
        """Return a guard's function of a flat vector."""
        return guard.zero(t, self.equations.split(y))

    def channels(self) -> list[Channel]:  # noqa: D102
        own = channels(self.figure, self.options.rate, bool(self.equations.acting), self.equations.loads)
        own += contact_channels(self.equations, self.options.rate)
        return own + self.equations.acting.channels(self.options.rate)

    def begin(self, checkpoint: Checkpoint | None) -> Run:  # noqa: D102
        return _SwitchingRun(self.equations, self.options, self.guards, checkpoint)

    def observe(self, times: np.ndarray, states: Array) -> dict[str, np.ndarray]:  # noqa: D102
        return observe_phases(self.equations, times, states)


class _SwitchingRun(AdaptiveSteps):
    """Adaptive steps whose impacts are told with what they did."""

    def __init__(
        self, system: SwitchingEquations, options: RunOptions, guards: Sequence[Guard], checkpoint: Checkpoint | None
    ) -> None:
        super().__init__(system, options, guards, checkpoint, schedule=system)
        self.system = system

    def advance(self, samples: int) -> np.ndarray:
        """Take a step, or the part of one up to an event."""
        known = len(self.events)
        found = super().advance(samples)
        self.events[known:] = [self._told(event) for event in self.events[known:] if told(event.name)]
        parted = [e.name.removesuffix(" lifts off") for e in self.events[known:] if e.name.endswith(" lifts off")]
        drop = {f"{name} slips" for name in parted}  # where nothing presses nothing holds either
        self.events[known:] = [event for event in self.events[known:] if event.name not in drop]
        return found

    def _told(self, event: Event) -> Event:
        name = event.name.removesuffix(" lands")
        return event if name == event.name else Event(event.time, event.name, dict(self.system.details[name]))


def _refuse_others(watch: bool, contacts: Any, prescribed: Sequence[Any]) -> None:
    """Refuse what is for figures whose contacts last."""
    what = "a figure with release"
    if not watch:
        raise InputError(f"{what} is always watched", got="watch=False", remedy="Say release=False.")
    if contacts is not None:
        remedy = "Say release=False, or take contact.release_contacts."
        raise InputError(f"{what} must not have contacts of the other kind", got="contacts=", remedy=remedy)
    if prescribed:
        got, remedy = "prescribed=", "Move them with controls=."
        raise InputError(f"coordinates of {what} cannot be prescribed", got=got, remedy=remedy)


def _leaves(figure: Figure) -> bool:
    return bool(leaving_contacts(figure))


KIND = ModelKind(
    "figure", "a figure whose contacts leave and land", Figure, SwitchingSystem, LeavingArguments, "dormand-prince",
    only=_leaves, hints={"forces": "Give controls=, or loads= on its segments."}, forms=FORMS,
)  # fmt: skip
