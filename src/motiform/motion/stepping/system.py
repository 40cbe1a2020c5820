"""A figure with contacts as a system that the run loop advances."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Required

import numpy as np
from numpy.lib.recfunctions import repack_fields
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.contact.points import Contacts
from motiform.motion.run import Checkpoint, Guard, ModelKind, Run, RunOptions, System
from motiform.motion.run.kinds import check_integrator
from motiform.motion.stepping.equations import ContactEquations
from motiform.motion.stepping.event_driven import EventDrivenRun
from motiform.motion.stepping.observe import contact_channels, observe_contacts
from motiform.motion.stepping.time_stepping import TimeSteppingRun
from motiform.motion.tree import Control, Figure, FigureState
from motiform.motion.tree.friction import check_no_sliding_friction
from motiform.motion.tree.model.acting import Acting
from motiform.motion.tree.model.state import Controls, check_functions
from motiform.motion.tree.observe import channels, drive_channel, drive_labels, figure_labels, observe, undriven
from motiform.motion.tree.observe import contacts as joints_with_contacts
from motiform.motion.tree.prescribed import PrescribedMotion, drive_figure
from motiform.motion.tree.singular import EXACT, STEPPED, fold_armature, gimbal_armature
from motiform.motion.tree.start import start
from motiform.motion.tree.system import FORMS, ActingArguments, check_device, check_moves
from motiform.record import Channel

__all__ = ["KIND", "ContactArguments", "ContactSystem", "check_contacts"]

_IN_STATE = frozenset(("q", "v", "tau"))
"""Channels that are parts of a state."""


class ContactArguments(ActingArguments, total=False):
    """What a run of a figure with contacts takes."""

    contacts: Required[Contacts]
    """Contact points and obstacles, see `motiform.contact`: contacts are made and broken at exact instants
    ("dormand-prince") or by fixed steps ("time-stepping"); limits of joints then act too."""
    guards: Guard | Sequence[Guard] | None
    """What marks events, ends the run or changes the state at them; with the integrator "dormand-prince"."""


def check_contacts(contacts: Contacts) -> Contacts:
    """Return contacts, or refuse what is none."""
    if not isinstance(contacts, Contacts):
        raise InputError("contacts must be a Contacts", got=repr(contacts)[:80], remedy="See motiform.contact.")
    return contacts


class ContactSystem(System):
    """A figure with contacts.

    With the integrator "dormand-prince" contacts are made and broken at exact instants; with "time-stepping" all
    within one step happens together at its end, however much it is.
    """

    def __init__(
        self,
        figure: Figure,
        options: RunOptions,
        contacts: Contacts,
        q0: ArrayLike | None = None,
        v0: ArrayLike | None = None,
        controls: Controls = None,
        loads: Control | None = None,
        guards: Sequence[Guard] = (),
        prescribed: Sequence[PrescribedMotion] = (),
    ) -> None:
        check_contacts(contacts)
        check_integrator(options, "contacts", "a figure with contacts")
        check_moves(figure)
        check_device(options)
        check_no_sliding_friction(figure, "a run with contacts")
        if guards and options.integrator == "time-stepping":
            names = ", ".join(guard.name for guard in guards)
            raise InputError("guards need dense output", got=f"time-stepping with {names}", allowed="'dormand-prince'")
        state = start(figure, q0, v0)
        stepping = options.integrator == "time-stepping"
        figure, armatures = _with_armatures(figure, stepping)
        drive, model = None, figure
        if prescribed:
            drive = drive_figure(figure, prescribed, state.q)
            state = drive.begin(state, options.t0)
            drive.step = 1 / (options.rate * options.steps) if stepping else 0.0
            model = drive.heavy
        self.controls = Acting(model, controls)
        state = FigureState(state.q, state.v, self.controls.begin(state, options.t0))
        check_functions(figure, state, self.controls, loads, guards, options.t0)
        self.equations = ContactEquations(model, contacts, self.controls, loads, events=not stepping, drive=drive)
        self.figure, self.options = figure, options
        self.guards = [replace(guard, zero=partial(self._zero, guard)) for guard in guards]
        none = np.zeros(self.equations.size - self.equations.acting)
        self.first = np.concatenate([state.q, state.v, state.z, none])
        self.gravity, self.vertical = figure.gravity, figure.vertical
        named = {"point": list(contacts.point_names), "solid": list(contacts.solids)}
        self.labels, self.facts = figure_labels(figure, loads) | named | drive_labels(drive) | self.controls.labels, {}
        self._measures = bool(self.controls.channels(options.rate))
        if drive is None and not self._measures and not joints_with_contacts(figure):
            solids = tuple(point.solid for point in contacts.points)
            self.observed_as = (id(figure), contacts.point_names, solids, bool(controls), id(loads))
        self.notes = list(armatures) + list(dict.fromkeys(point.note for point in contacts.points if point.note))

    def _zero(self, guard: Guard, t: float, y: np.ndarray) -> float:
        """Return a guard's function of a flat vector."""
        return guard.zero(t, self.equations.split(y))

    def channels(self) -> list[Channel]:  # noqa: D102
        own = channels(self.figure, self.options.rate, bool(self.controls), self.equations.loads)
        drive = self.equations.drive
        own += [] if drive is None else [drive_channel(drive, self.options.rate)]
        own += contact_channels(self.equations, self.options.rate)
        return own + self.controls.channels(self.options.rate)

    def begin(self, checkpoint: Checkpoint | None) -> Run:  # noqa: D102
        if self.options.integrator == "time-stepping":
            return TimeSteppingRun(self.equations, self.options, self.first, checkpoint)
        return EventDrivenRun(self.equations, self.options, self.guards, self.first, checkpoint)

    def observe(self, times: np.ndarray, states: np.ndarray) -> dict[str, np.ndarray]:  # noqa: D102
        rows = np.ascontiguousarray(states["y"])
        found = observe(self.equations, times, rows, states["tau"])
        origins = {name: found[f"{name}.position"] for name in self.figure.names}
        drive = self.equations.drive
        if drive is not None:
            found |= undriven(drive, rows) | {"drive.effort": states["drives"]}
        found |= observe_contacts(self.equations, states, origins)
        if self._measures:
            found |= self.controls.measure(times, [self.equations.split(row) for row in rows])
        return found

    def state_part(self, states: np.ndarray, names: Sequence[str]) -> np.ndarray:  # noqa: D102
        return repack_fields(states[["y", "tau"]]) if set(names) <= _IN_STATE else states

    def state_channels(self, states: np.ndarray, names: Sequence[str]) -> dict[str, np.ndarray] | None:  # noqa: D102
        if not set(names) <= _IN_STATE:
            return None
        nq, end = self.equations.nq, self.equations.moving
        return {"q": states["y"][:, :nq], "v": states["y"][:, nq:end], "tau": states["tau"]}


@lru_cache(8)
def _with_armatures(figure: Figure, stepping: bool) -> tuple[Figure, tuple[str, ...]]:
    """Return a figure with the armatures that steps need, and what was added: the same one for the same figure."""
    made, notes = fold_armature(figure, STEPPED if stepping else EXACT)
    return gimbal_armature(made) if stepping else made, tuple(notes)


KIND = ModelKind(
    "contacts",
    "a figure with contacts",
    Figure,
    ContactSystem,
    ContactArguments,
    "dormand-prince",
    needs=("contacts",),
    anytime=True,
    hints={"forces": "Give controls=, or loads= on its segments."},
    forms={**FORMS, "contacts": check_contacts},
)
