"""Simulation of a figure with contacts: from a state to a recording."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.base.progress import Progress
from motiform.motion.contact.points import Contacts
from motiform.motion.hybrid.march import HybridBlock, hybrid_march
from motiform.motion.hybrid.observe import contact_channels, observe_contacts
from motiform.motion.hybrid.stepping import step_march
from motiform.motion.hybrid.system import HybridSystem
from motiform.motion.run import Guard, Options
from motiform.motion.run.sampling import begin_recorder
from motiform.motion.tree import Control, Figure, FigureState
from motiform.motion.tree.model.state import check_functions
from motiform.motion.tree.observe import channels, observe
from motiform.motion.tree.start import start
from motiform.record import Recorder, Recording

__all__ = ["simulate_hybrid"]

_WAYS = ("dormand-prince", "time-stepping")


def simulate_hybrid(
    figure: Figure,
    contacts: Contacts,
    options: Options,
    *,
    q0: ArrayLike | None = None,
    v0: ArrayLike | None = None,
    controls: Control | None = None,
    loads: Control | None = None,
    guards: Sequence[Guard] = (),
    out: str | Path | None = None,
    manifest: dict[str, Any] | None = None,
    statics: dict[str, np.ndarray] | None = None,
    overwrite: bool = False,
    resume: bool = False,
    progress: Progress | None = None,
) -> Recording:
    """Run a figure with contacts and return the recording, in memory or, with `out`, on disk.

    With the integrator "dormand-prince" contacts are made and broken at exact instants; with "time-stepping" all
    within one step happens together at its end, however much it is.
    """
    _check(figure, options, guards)
    system = HybridSystem(figure, contacts, controls, loads)
    state = start(figure, q0, v0)
    check_functions(figure, FigureState(state.q, state.v, system.z0), controls, loads, guards)
    first = np.concatenate([state.q, state.v, system.z0])
    recorder = begin_recorder(
        out, channels(figure, options.rate, controls is not None) + contact_channels(system, options.rate),
        options.samples, manifest=manifest, statics=statics, overwrite=overwrite, resume=resume,
    )  # fmt: skip
    checkpoint, restore = recorder.checkpoint, getattr(controls, "restore", None)
    if checkpoint is not None and restore is not None:
        restore(checkpoint["control"])
    if options.integrator == "time-stepping":
        blocks = step_march(system, options, first, checkpoint)
    else:
        blocks = hybrid_march(system, options, list(guards), first, checkpoint)
    with recorder:
        for block in blocks:
            _keep(recorder, system, options, block)
            if progress is not None:
                progress(min(1.0, int(block.checkpoint["sample"]) / (options.samples - 1)))
            if block.error is not None:
                raise block.error
        return recorder.finish()


def _check(figure: Figure, options: Options, guards: Sequence[Guard]) -> None:
    if not figure.nv:
        raise InputError("a figure that cannot move", where=repr(figure), remedy="All its joints are fixed.")
    if options.integrator not in _WAYS:
        raise InputError(
            "integrator of a figure with contacts",
            got=options.integrator,
            allowed=", ".join(_WAYS),
            remedy="Events need dense output: take dormand-prince.",
        )
    if guards and options.integrator == "time-stepping":
        names = ", ".join(guard.name for guard in guards)
        raise InputError("guards need dense output", got=f"time-stepping with {names}", allowed="'dormand-prince'")
    if options.device != "cpu":
        raise InputError("figures are simulated on the CPU", got=options.device, remedy="Take device='cpu'.")


def _keep(recorder: Recorder, system: HybridSystem, options: Options, block: HybridBlock) -> None:
    """Write the samples and events of a block."""
    if block.rows:
        last = int(block.checkpoint["sample"])
        times = np.arange(last - len(block.rows) + 1, last + 1) / options.rate
        rows = np.array(block.rows)
        found = observe(system, times, rows)  # type: ignore[arg-type]
        origins = {name: found[f"{name}.position"] for name in system.figure.names}
        recorder.append(found | observe_contacts(system, rows, block.looks, origins))
    for event in block.events:
        recorder.event(event.time, event.name, **event.detail)
    recorder.commit(block.checkpoint, force=block.error is not None)
