"""Postures from markers: a trial of a walker with 37 coordinates and 45 markers, by motiform and by OpenSim's tool.

Both read the same model file and the same markers, 3 s at 100 Hz, each marker 5 mm beside its place and with 2 mm of
noise. Ours is `motiform.reconstruct` as users call it, certainty, velocities and poses included; OpenSim's is its
InverseKinematicsTool with its default accuracy, run as a whole.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from motiform.base.errors import InputError, RunError
from motiform.base.libraries import usable
from motiform.base.progress import Progress
from motiform.bench.reconstruct.model import RATE, walk, write_model
from motiform.bench.report import Report, Result

__all__ = ["PostureResult", "Trial", "make_trial", "measure", "run_opensim"]

_SAMPLES = 300
_ROUNDS = 5  # runs of ours; OpenSim takes two
_BESIDE, _NOISE = 0.005, 0.002  # [m]
_DEFAULT = 1e-5  # OpenSim's own accuracy


@dataclass(frozen=True)
class PostureResult(Result):
    """A trial: milliseconds a sample, and the markers' distance of each."""

    error: Mapping[str, float] = field(default_factory=dict)
    """Root of the mean square distance of markers [mm], ours under "ours"."""

    def as_dict(self) -> dict[str, Any]:
        """Return the result as the JSON report has it, with error_mm."""
        return super().as_dict() | {"error_mm": {who: float(f"{value:.6g}") for who, value in self.error.items()}}


@dataclass(frozen=True)
class Trial:
    """A model file, the figure read from it, and a trial of its markers."""

    folder: Path
    figure: Any
    markers: Any

    def distance(self, q: np.ndarray) -> float:
        """Return the root of the mean square distance of all markers [m]."""
        from motiform.motion.tree import tags

        return float(np.sqrt(((tags(self.figure, q) - self.markers["markers"]) ** 2).sum(-1).mean()))


def make_trial(folder: Path, samples: int = _SAMPLES, seed: int = 0) -> Trial:
    """Write walker.osim and walk.trc to a folder and return them as read."""
    from motiform.measure import write_trc
    from motiform.motion.tree import tags
    from motiform.motion.tree.read import read_osim
    from motiform.record import Channel, Recording

    write_model(folder / "walker.osim")
    figure = read_osim(folder / "walker.osim")
    rng = np.random.default_rng(seed)
    q = figure.neutral() + walk(figure.nv, samples, rng)
    for side in "rl":
        q[:, figure.coordinates.index(f"knee_angle_{side}")] -= 0.6
        q[:, figure.coordinates.index(f"elbow_flex_{side}")] += 0.7
    count = len(figure.tags)
    x = tags(figure, q) + _BESIDE * rng.normal(size=(1, count, 3)) + _NOISE * rng.normal(size=(samples, count, 3))
    channel = Channel("markers", unit="m", dims=("marker", "axis"), shape=(count, 3), rate=RATE)
    manifest = {"labels": {"marker": list(figure.tag_names)}, "up": "y"}
    markers = Recording.from_arrays([channel], {"markers": x}, manifest=manifest)
    write_trc(markers, folder / "walk.trc")
    return Trial(folder, figure, markers)


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


def measure(*, device: str, progress: Progress) -> Report:
    """Measure milliseconds a sample with one core and with all."""
    if device != "cpu":
        raise InputError("postures are fitted on the CPU", got=device, allowed="cpu")
    import numba

    most = numba.get_num_threads()
    with TemporaryDirectory() as folder:
        trial = make_trial(Path(folder))
        theirs, error = {}, {}
        if usable("opensim"):
            runs = [run_opensim(trial) for _ in range(2)]
            theirs["opensim"] = 1e3 * min(seconds for seconds, _ in runs) / _SAMPLES
            error["opensim"] = 1e3 * trial.distance(runs[0][1])
        progress(0.5)
        results = []
        for threads in sorted({1, most}):
            numba.set_num_threads(threads)
            best, q = _best(lambda: _ours(trial))
            results.append(
                PostureResult(
                    "ik/trial", "cpu", threads, "ms", "lower", 1e3 * best / _SAMPLES, theirs,
                    note="milliseconds a sample; error_mm: distance of the markers",
                    error={"ours": 1e3 * trial.distance(q)} | error,
                )
            )  # fmt: skip
        numba.set_num_threads(most)
    progress(1.0)
    return Report("reconstruct", tuple(results))


def _ours(trial: Trial) -> np.ndarray:
    from motiform.trials import reconstruct

    return np.asarray(reconstruct(trial.figure, trial.markers, dynamics=False)["q"])


def _best(run: Callable[[], np.ndarray]) -> tuple[float, np.ndarray]:
    """Return the shortest of several runs and what it gave; the first, which compiles, is not timed."""
    q, best = run(), np.inf
    for _ in range(_ROUNDS):
        begun = time.perf_counter()
        q = run()
        best = min(best, time.perf_counter() - begun)
    return best, q
