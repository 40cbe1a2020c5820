"""A trial by OpenSim's tools in a process of their own: scale, inverse kinematics, inverse dynamics."""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bench.reconstruct.synthetic_trial import Trial
from bench.reconstruct.whole import timed

__all__ = ["tools"]

_SCRIPT = """
import opensim
opensim.Logger.setLevelString("off")
opensim.ScaleTool("scale.xml").run()
model = opensim.Model("scaled.osim")
ik = opensim.InverseKinematicsTool()
ik.setModel(model)
ik.setMarkerDataFileName("walk.trc")
ik.setStartTime(0.0)
ik.setEndTime({end})
ik.setOutputMotionFileName("ik.mot")
for marker in model.getMarkerSet():
    task = opensim.IKMarkerTask()
    task.setName(marker.getName())
    task.setApply(True)
    task.setWeight(1.0)
    ik.getIKTaskSet().cloneAndAppend(task)
assert ik.run()
id = opensim.InverseDynamicsTool()
id.setModelFileName("scaled.osim")
id.setCoordinatesFileName("ik.mot")
id.setLowpassCutoffFrequency(6.0)
id.setStartTime(0.0)
id.setEndTime({end})
id.setResultsDir(".")
id.setOutputGenForceFileName("id.sto")
assert id.run()
"""


def tools(trial: Trial) -> Callable[[], tuple[float, float]]:
    """Return a run of the three tools: seconds, and the root mean square distance of the markers [m]."""
    import opensim  # noqa: F401  # where it is not there, it is no peer

    script = _SCRIPT.format(end=float(trial.markers.time("markers")[-1]))

    def run() -> tuple[float, float]:
        seconds = timed([sys.executable, "-c", script], trial.folder)
        return seconds, _distance(trial, trial.folder / "scaled.osim", trial.folder / "ik.mot")

    return run


def _distance(trial: Trial, model: Path, motion: Path) -> float:
    from motiform.measure import read_sto
    from motiform.motion.tree import tags
    from motiform.motion.tree.read import read_osim

    figure, found = read_osim(model), read_sto(motion)
    q = np.stack([np.asarray(found[name]) for name in figure.coordinates], axis=1)
    x = tags(figure, q)[:, [figure.tag_names.index(name) for name in trial.figure.tag_names]]
    return float(np.sqrt(((x - trial.markers["markers"]) ** 2).sum(-1).mean()))
