"""Simulation of rigid bodies: a model in, a recording out."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.base.progress import Progress
from motiform.motion.bodies.drive import blocks_alone, blocks_by_march, blocks_by_steps, check_functions, with_start
from motiform.motion.bodies.model import Bodies, State
from motiform.motion.bodies.observe import Observer, channels
from motiform.motion.bodies.options import Force
from motiform.motion.run import BODY_METHODS, Guard, Options, get_method
from motiform.motion.run.functions import call, check_numbers
from motiform.motion.run.sampling import begin_recorder
from motiform.record import Recording

__all__ = ["simulate_bodies"]


def simulate_bodies(
    model: Bodies,
    options: Options,
    *,
    forces: Sequence[Force] = (),
    guards: Sequence[Guard] = (),
    out: str | Path | None = None,
    manifest: dict[str, Any] | None = None,
    statics: dict[str, np.ndarray] | None = None,
    overwrite: bool = False,
    resume: bool = False,
    progress: Progress | None = None,
) -> Recording:
    """Run a model of rigid bodies and return the recording, in memory or, with `out`, on disk.

    Functions of guards take and give a `State`, as force functions do.
    """
    method = get_method(options.integrator)
    if options.integrator not in BODY_METHODS:
        allowed = ", ".join(BODY_METHODS)
        remedy = "It is for figures with contacts; make each body a segment with a free joint."
        raise InputError("integrator of bodies", got=options.integrator, allowed=allowed, remedy=remedy)
    if guards and options.integrator != "dormand-prince":
        raise InputError("guards need dense output", got=options.integrator, allowed="'dormand-prince'")
    fused = not method.adaptive and model.packed.alone and not forces
    if options.device != "cpu" and not fused:
        raise InputError(
            "the GPU takes fixed steps of bodies that do not act on one another",
            got=f"{options.integrator} with {len(model.springs)} springs, {len(forces)} functions",
            remedy="Take device='cpu' for this model.",
        )
    if options.device != "cpu":
        from motiform.base.kernels import get_device

        get_device(options.device)  # one that is not there is told before a recording is begun
    check_functions(model, forces, guards)
    observe, guards = Observer(model), [_on_rows(guard) for guard in guards]
    recorder = begin_recorder(
        out, channels(model, options.rate), options.samples, manifest=manifest, statics=statics, overwrite=overwrite,
        resume=resume,
    )  # fmt: skip
    checkpoint = recorder.checkpoint
    if fused:
        blocks = blocks_alone(model, options, checkpoint)
    elif not method.adaptive:
        blocks = blocks_by_steps(model, options, forces, checkpoint)
    else:
        blocks = blocks_by_march(model, options, forces, guards, checkpoint)
    with recorder:
        for block in with_start(model, checkpoint, blocks):
            recorder.append(observe(block.rows))
            for t, name in block.events:
                recorder.event(t, name)
            recorder.commit(block.checkpoint, force=block.error is not None)
            if progress is not None:
                progress(min(1.0, block.checkpoint["sample"] / (options.samples - 1)) if options.samples > 1 else 1.0)
            if block.error is not None:
                raise block.error
        return recorder.finish()


def _on_rows(guard: Guard) -> Guard:
    """Return the guard as a function of the flat vector, from one whose functions take and give a State."""

    def state(y: np.ndarray) -> State:
        return State.from_rows(y.reshape(-1, 18))

    def then(t: float, y: np.ndarray) -> np.ndarray:
        before, where = state(y), f"guard {guard.name!r} at t = {t:.9g} s"
        after = call(guard.then, t, before, what="an event", where=where)  # type: ignore[arg-type]
        if not isinstance(after, State):
            allowed = "a State, such as dataclasses.replace(state, momentum=...)"
            raise InputError("an event gave something else", where=where, got=repr(after)[:80], allowed=allowed)
        found = {
            key: check_numbers(getattr(after, key), own.shape, what=f"an event's {key}", where=where)
            for key, own in vars(before).items()
        }
        return State(**found).rows().ravel()

    return replace(guard, zero=lambda t, y: guard.zero(t, state(y)), then=None if guard.then is None else then)
