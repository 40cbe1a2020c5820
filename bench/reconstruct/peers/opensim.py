"""Postures by OpenSim's InverseKinematicsTool, run as a whole."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from bench.reconstruct.synthetic_trial import Trial
from motiform.base.errors import RunError

__all__ = ["run_opensim", "tool"]

_DEFAULT = 1e-5  # OpenSim's own accuracy


def tool(trial: Trial) -> Callable[[], tuple[float, np.ndarray]]:
    """Return a run of the tool: its seconds and its coordinates."""
    return lambda: run_opensim(trial)


def run_opensim(trial: Trial, accuracy: float = _DEFAULT) -> tuple[float, np.ndarray]:
    """Run OpenSim's tool on the trial; return its seconds and its coordinates, (samples, nv)."""
    import opensim

    from motiform.measure import read_sto

    opensim.Logger.setLevelString("off")
    times = trial.markers.time("markers")
    before = Path.cwd()
    os.chdir(trial.folder)  # the tool writes beside where it stands
    try:
        model = opensim.Model("walker.osim")  # the tool does not keep it
        tool = opensim.InverseKinematicsTool()
        tool.setModel(model)
        tool.setMarkerDataFileName("walk.trc")
        tool.setStartTime(float(times[0]))
        tool.setEndTime(float(times[-1]))
        tool.setOutputMotionFileName("opensim.mot")
        tool.set_accuracy(accuracy)
        for name in trial.figure.tag_names:
            task = opensim.IKMarkerTask()
            task.setName(name)
            task.setApply(True)
            task.setWeight(1.0)
            tool.getIKTaskSet().cloneAndAppend(task)
        with _silence():
            begun = time.perf_counter()
            done = tool.run()
            seconds = time.perf_counter() - begun
        if not done:
            raise RunError("OpenSim's tool failed")
        found = read_sto("opensim.mot")
    finally:
        os.chdir(before)
    return seconds, np.stack([np.asarray(found[name]) for name in trial.figure.coordinates], axis=1)


@contextmanager
def _silence() -> Iterator[None]:
    """Send what compiled code prints nowhere: the report alone goes to stdout."""
    sys.stdout.flush()
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)
