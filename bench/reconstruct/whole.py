"""A trial from its files to written results, as a person runs it: the command, and a script of OpenSim's tools.

Both scale the model by a set-up of OpenSim, fit the postures and compute the efforts of all coordinates, each in a
process of its own that begins with nothing loaded; compiled kernels are on disk.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from bench.reconstruct.synthetic_trial import Trial
from motiform.base.errors import RunError

__all__ = ["run_command", "timed", "write_scale_setup"]

_PAIRS = {
    "pelvis": (0, 1),
    "torso": (0, 4),
    **{f"{bone}_{side}": (0, 1) for bone in ("femur", "tibia") for side in "rl"},
}


def write_scale_setup(trial: Trial) -> Path:
    """Write a set-up that stretches pelvis, trunk and legs by the distances of two markers on each; return its path."""
    end = float(trial.markers.time("markers")[-1])
    measurements = "".join(
        f'<Measurement name="{body}"><apply>true</apply><MarkerPairSet><objects><MarkerPair>'
        f"<markers> {body}.{a} {body}.{b}</markers></MarkerPair></objects></MarkerPairSet>"
        f'<BodyScaleSet><objects><BodyScale name="{body}">'
        "<axes> X Y Z</axes></BodyScale></objects></BodyScaleSet></Measurement>"
        for body, (a, b) in _PAIRS.items()
    )
    path = trial.folder / "scale.xml"
    path.write_text(
        '<?xml version="1.0" encoding="UTF-8" ?>\n<OpenSimDocument Version="30000"><ScaleTool name="walker">'
        f"<mass>{trial.figure.mass}</mass>"
        "<GenericModelMaker><model_file>walker.osim</model_file></GenericModelMaker>"
        "<ModelScaler><apply>true</apply><scaling_order> measurements</scaling_order>"
        f"<MeasurementSet><objects>{measurements}</objects></MeasurementSet><marker_file>walk.trc</marker_file>"
        f"<time_range> 0 {end}</time_range><preserve_mass_distribution>true</preserve_mass_distribution>"
        "<output_model_file>scaled.osim</output_model_file></ModelScaler>"
        "<MarkerPlacer><apply>false</apply></MarkerPlacer></ScaleTool></OpenSimDocument>\n",
        encoding="utf-8",
    )
    return path


def timed(command: Sequence[str], folder: Path) -> float:
    """Run a program in a folder; return its seconds."""
    begun = time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - begun
    if done.returncode:
        raise RunError(f"{' '.join(command[:4])} failed: {done.stderr[-500:]}")
    return seconds


def run_command(trial: Trial) -> Callable[[], tuple[float, float]]:
    """Return a run of `motiform reconstruct`: its seconds, and the root mean square distance of the markers [m]."""
    command = [
        sys.executable, "-m", "motiform", "reconstruct", "walk.trc", "--scale-setup", "scale.xml", "--no-report",
        "--set", "reconstruct.dynamics=true", "--out", "ours", "--overwrite", "--quiet",
    ]  # fmt: skip

    def run() -> tuple[float, float]:
        from motiform.record import open_recording

        seconds = timed(command, trial.folder)
        error = np.asarray(open_recording(trial.folder / "ours" / "walk" / "walk.mf")["error"])
        return seconds, float(np.sqrt(np.nanmean(error**2)))

    return run
