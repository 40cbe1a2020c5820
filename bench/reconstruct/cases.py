"""Postures from markers: a trial of a walker with 37 coordinates and 45 markers, by motiform and by OpenSim's tool.

Both read the same model file and the same markers, 3 s at 100 Hz, each marker 5 mm beside its place and with 2 mm of
noise. Ours is `motiform.reconstruct` as users call it, certainty, velocities and poses included. A peer is made of the
trial: a call that gives its seconds and its coordinates, (samples, coordinates).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from bench.reconstruct.synthetic_trial import Trial, make_trial
from bench.reconstruct.whole import run_command, write_scale_setup
from bench.register import made_peers
from bench.report import Report, Result
from bench.turns import best_runs
from motiform.base.errors import InputError
from motiform.base.progress import Progress

__all__ = ["PostureResult", "measure"]

_ROUNDS, _WHOLE = 5, 3  # runs of ours, where peers take two; of whole commands


@dataclass(frozen=True)
class PostureResult(Result):
    """A trial: milliseconds a sample, and the markers' distance of each."""

    error: Mapping[str, float] = field(default_factory=dict)
    """Root of the mean square distance of markers [mm], ours under "ours"."""

    def as_dict(self) -> dict[str, Any]:
        """Return the result as the JSON report has it, with error_mm."""
        return super().as_dict() | {"error_mm": {who: float(f"{value:.6g}") for who, value in self.error.items()}}


def measure(*, device: str, progress: Progress) -> Report:
    """Measure milliseconds a sample with one core and with all."""
    if device != "cpu":
        raise InputError("postures are fitted on the CPU", got=device, allowed="cpu")
    import numba

    most = numba.get_num_threads()
    with TemporaryDirectory() as folder:
        trial = make_trial(Path(folder))
        theirs, error = {}, {}
        for name, run in made_peers("reconstruct", "ik/trial", trial):
            runs = [run() for _ in range(2)]
            theirs[name] = 1e3 * min(seconds for seconds, _ in runs) / len(trial)
            error[name] = 1e3 * trial.distance(runs[0][1])
        progress(0.5)
        results = []
        for threads in sorted({1, most}):
            numba.set_num_threads(threads)
            q = _ours(trial)  # compiles
            best = best_runs({"ours": lambda: _ours(trial)}, rounds=_ROUNDS)["ours"]
            results.append(
                PostureResult(
                    "ik/trial", "cpu", threads, "ms", "lower", 1e3 * best / len(trial), theirs,
                    note="milliseconds a sample; error_mm: distance of the markers",
                    error={"ours": 1e3 * trial.distance(q)} | error,
                )
            )  # fmt: skip
        numba.set_num_threads(most)
        progress(0.7)
        results.append(_whole(trial, most))
    progress(1.0)
    return Report("reconstruct", tuple(results))


def _whole(trial: Trial, threads: int) -> PostureResult:
    """Return seconds of a trial from its files to written results."""
    write_scale_setup(trial)
    command = run_command(trial)
    command()  # compiles
    runs = {name: [run() for _ in range(_WHOLE)] for name, run in
            [("ours", command), *made_peers("reconstruct", "trial/whole", trial)]}  # fmt: skip
    best = {name: min(seconds for seconds, _ in own) for name, own in runs.items()}
    return PostureResult(
        "trial/whole", "cpu", threads, "s", "lower", best.pop("ours"), best,
        note="seconds of a command, from files to written results; error_mm: distance of the markers",
        error={name: 1e3 * own[0][1] for name, own in runs.items()},
    )  # fmt: skip


def _ours(trial: Trial) -> np.ndarray:
    from motiform.trials import reconstruct

    return np.asarray(reconstruct(trial.figure, trial.markers, dynamics=False)["q"])
