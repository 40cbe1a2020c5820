"""Rigid bodies as a system that the run loop advances."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from motiform.base.errors import InputError
from motiform.motion.bodies.drive import BodiesAlone, check_functions, coupled_run
from motiform.motion.bodies.model import Bodies, BodiesState, Force
from motiform.motion.bodies.observe import Observer, channels
from motiform.motion.run import Checkpoint, Guard, ModelKind, Run, RunArguments, RunOptions, System, get_method
from motiform.motion.run.functions import call, check_numbers
from motiform.motion.run.kinds import check_integrator, one_or_several, several_guards
from motiform.record import Channel

__all__ = ["KIND", "BodiesArguments", "BodiesSystem"]


class BodiesArguments(RunArguments, total=False):
    """What a run of rigid bodies takes."""

    forces: Force | Sequence[Force] | None
    """Functions force(t, state) that push, see `motiform.motion.bodies`."""
    guards: Guard | Sequence[Guard] | None
    """What marks events, ends the run or changes the state at them; with the integrator "dormand-prince"."""


class BodiesSystem(System):
    """Rigid bodies under forces; functions of forces and guards take and give a `BodiesState`."""

    def __init__(
        self, model: Bodies, options: RunOptions, forces: Sequence[Force] = (), guards: Sequence[Guard] = ()
    ) -> None:
        check_integrator(options, "bodies", "rigid bodies")
        if guards and options.integrator != "dormand-prince":
            raise InputError("guards need dense output", got=options.integrator, allowed="'dormand-prince'")
        self.adaptive = get_method(options.integrator).adaptive
        self.alone = not self.adaptive and model.packed.alone and not forces
        if options.device != "cpu" and not self.alone:
            raise InputError(
                "the GPU takes fixed steps of bodies that do not act on one another",
                got=f"{options.integrator} with {len(model.springs)} springs, {len(forces)} functions",
                remedy="Take device='cpu' for this model.",
            )
        check_functions(model, forces, guards)
        self.model, self.options, self.forces = model, options, forces
        self.guards = [_on_rows(guard) for guard in guards]
        self.gravity, self.labels, self.facts = model.environment.gravity, {}, {}
        self._observer = Observer(model)

    def channels(self) -> list[Channel]:  # noqa: D102
        return channels(self.model, self.options.rate)

    def begin(self, checkpoint: Checkpoint | None) -> Run:  # noqa: D102
        if self.alone:
            return BodiesAlone(self.model, self.options, checkpoint)
        return coupled_run(self.model, self.options, self.forces, self.guards, checkpoint)

    def observe(self, times: np.ndarray, states: np.ndarray) -> dict[str, np.ndarray]:  # noqa: D102
        return self._observer(states.reshape(-1, self.model.count, 18))


def _on_rows(guard: Guard) -> Guard:
    """Return the guard as a function of the flat vector, from one whose functions take and give a State."""

    def state(y: np.ndarray) -> BodiesState:
        return BodiesState.from_rows(y.reshape(-1, 18))

    def then(t: float, y: np.ndarray) -> np.ndarray:
        before, where = state(y), f"guard {guard.name!r} at t = {t:.9g} s"
        after = call(guard.then, t, before, what="an event", where=where)  # type: ignore[arg-type]
        if not isinstance(after, BodiesState):
            allowed = "a State, such as dataclasses.replace(state, momentum=...)"
            raise InputError("an event returned a wrong value", where=where, got=repr(after)[:80], allowed=allowed)
        found = {
            key: check_numbers(getattr(after, key), own.shape, what=f"an event's {key}", where=where)
            for key, own in vars(before).items()
        }
        return BodiesState(**found).rows().ravel()

    return replace(guard, zero=lambda t, y: guard.zero(t, state(y)), then=None if guard.then is None else then)


_START = "The bodies of the model have their start."
KIND = ModelKind(
    "bodies",
    "a model of rigid bodies",
    Bodies,
    BodiesSystem,
    BodiesArguments,
    "lie-midpoint",
    hints={
        "q0": _START,
        "v0": _START,
        "controls": "Give forces=.",
        "loads": "Give forces=, or loads of the model.",
        "contacts": "Make each body a segment with a free joint; contacts are those of figures.",
    },
    forms={"forces": one_or_several(callable, "force(t, state)"), "guards": several_guards},
)
