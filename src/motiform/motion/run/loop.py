"""The run loop: record, commit, checkpoint, resume, report progress, keep the samples before an error."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from motiform.base.errors import InputError, MotiformError, RunError
from motiform.base.machine import check_memory
from motiform.base.progress import Progress
from motiform.base.signals import check_end
from motiform.motion.run.blocks import run_blocks
from motiform.motion.run.system import Block, Checkpoint, System
from motiform.record import Recorder, Recording

__all__ = ["check_recording_size", "record", "with_instant"]


def record(
    system: System,
    *,
    out: str | Path | None = None,
    manifest: dict[str, Any] | None = None,
    statics: dict[str, np.ndarray] | None = None,
    overwrite: bool = False,
    resume: bool = False,
    progress: Progress | None = None,
) -> Recording:
    """Run a system and return the recording, in memory or, with `out`, on disk.

    A run that fails raises its error after the samples before it are written; `error.recording` has them.
    """
    if system.device != "cpu":
        from motiform.base.kernels import get_device

        get_device(system.device)  # a missing device raises before a recording is begun
    recorder = _recorder(system, out, {**(manifest or {}), **system.facts}, statics, overwrite, resume)
    try:
        return _recorded(system, recorder, progress)
    except MotiformError as error:
        error.recording = recorder.result
        raise


def _recorded(system: System, recorder: Recorder, progress: Progress | None) -> Recording:
    """Return the recording of a run that is written to the end."""
    with recorder:
        for block in _timed(system, recorder.checkpoint):
            check_end()
            count = len(block.states)
            if count:
                times = system.times(block.sample - count + 1, block.sample + 1)
                try:
                    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is seen below
                        found = system.observe(times, block.states)
                except RunError as error:
                    raise with_instant(error, f"from t = {times[0]:.6g} s on") from error
                lost = system.first_lost(found)
                if lost is not None:
                    kept = {name: values[: int(lost[0] * len(values))] for name, values in found.items()}
                    recorder.append(kept, times[: int(lost[0] * count)])
                    raise _diverged(float(times[int(lost[0] * count)]), lost[1])
                recorder.append(found, times)
            recorder.add_events(block.events)
            if block.checkpoint is not None:
                recorder.commit(block.checkpoint)
            if progress is not None:
                progress(min(1.0, block.sample / max(1, system.samples - 1)))
            if block.error is not None:
                raise block.error
        return recorder.finish()


def _diverged(instant: float, name: str) -> RunError:
    remedy = "Take a smaller step, or check masses, stiffness and gravity; the samples before this instant are kept."
    got = f"{name} is no longer finite"
    return RunError("the run has diverged", where=f"t = {instant:.6g} s", got=got, remedy=remedy)


def _timed(system: System, checkpoint: Checkpoint | None) -> Iterator[Block]:
    """Give the blocks of a run; an error without an instant gets that of the last sample."""
    last = 0
    try:
        for block in run_blocks(system, checkpoint):
            last = block.sample
            if block.error is not None:
                block.error = with_instant(block.error, f"after t = {system.times(last, last + 1)[0]:.6g} s")
            yield block
    except RunError as error:
        raise with_instant(error, f"after t = {system.times(last, last + 1)[0]:.6g} s") from error


def with_instant(error: MotiformError, instant: str) -> MotiformError:
    """Return an error that tells its instant, "t = … s": its own, else the given one."""
    if "t = " in (error.where or ""):
        return error
    where = f"{error.where}, {instant}" if error.where else instant
    return type(error)(error.problem, where=where, got=error.got, allowed=error.allowed, remedy=error.remedy)


def _recorder(
    system: System,
    out: str | Path | None,
    manifest: dict[str, Any],
    statics: dict[str, np.ndarray] | None,
    overwrite: bool,
    resume: bool,
) -> Recorder:
    """Return what records a run; its checkpoint is where to continue, None at the beginning."""
    if resume and out is None:
        raise InputError("only a recording on disk can be resumed", remedy="Give the recording with out=.")
    if resume:
        return Recorder.resume(str(out), discard=True)  # samples after the last checkpoint are made again
    begin = float(system.times(0, 1)[0])
    channels = [replace(c, start=c.start + begin) if c.rate and begin else c for c in system.channels()]
    if out is None:
        often = [1 if c.rate is None else round(c.rate / system.options.rate) for c in channels]
        check_recording_size(system.samples, sum(c.sample_bytes * n for c, n in zip(channels, often, strict=True)))
    return Recorder(out, channels, manifest=manifest, statics=statics, overwrite=overwrite)


def check_recording_size(samples: int, sample_bytes: int) -> None:
    """Refuse a recording that would not fit into half of the machine's memory."""
    remedy = "Write it to disk (out=), lower rate, or shorten the run."
    check_memory(samples * sample_bytes, "the recording", got=f"{samples} samples", remedy=remedy)
