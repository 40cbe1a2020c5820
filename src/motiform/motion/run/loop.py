"""The run loop: record, commit, checkpoint, resume, report progress, keep the samples before an error."""

import os
from pathlib import Path
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.base.progress import Progress
from motiform.motion.run.system import System
from motiform.record import Recorder, Recording

__all__ = ["check_memory", "record"]


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

    A run that fails raises its error after the samples before it are written.
    """
    options = system.options
    if options.device != "cpu":
        from motiform.base.kernels import get_device

        get_device(options.device)  # a missing device raises before a recording is begun
    with _recorder(system, out, {**(manifest or {}), **system.facts}, statics, overwrite, resume) as recorder:
        for block in system.blocks(recorder.checkpoint):
            count = len(block.states)
            if count:
                times = np.arange(block.sample - count + 1, block.sample + 1) / options.rate
                recorder.append(system.observe(times, block.states))
            recorder.add_events(block.events)
            if block.checkpoint is not None:
                recorder.commit(block.checkpoint, force=block.error is not None)
            if progress is not None:
                progress(min(1.0, block.sample / (options.samples - 1)))
            if block.error is not None:
                raise block.error
        return recorder.finish()


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
    channels = system.channels()
    if out is None:
        rate = system.options.rate
        check_memory(system.options.samples, sum(c.sample_bytes * round((c.rate or rate) / rate) for c in channels))
    return Recorder(out, channels, manifest=manifest, statics=statics, overwrite=overwrite)


def check_memory(samples: int, sample_bytes: int) -> None:
    """Refuse a recording that would not fit into half of the machine's memory."""
    needed = samples * sample_bytes
    if hasattr(os, "sysconf") and needed > 0.5 * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"):
        raise InputError(
            "the recording must fit into half of the memory",
            got=f"{samples} samples, {needed / 1e9:.3g} GB",
            remedy="Write it to disk (out=), lower rate, or shorten the run.",
        )
