"""Lengths and moment arms by OpenSim's muscles, and its static optimisation."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from bench.act.cases import Legs, Shared
from bench.act.model import PERIOD, swing
from motiform.base.errors import RunError

__all__ = ["paths", "shares"]

_AROUND = 50  # samples before the first and after the last: splines are poor at the ends


def paths(legs: Legs) -> Callable[[int], tuple[np.ndarray, np.ndarray]]:
    """Return a run: the state of each posture, then the length of each muscle and its arms where it has any."""
    import opensim

    opensim.Logger.setLevelString("off")
    model = opensim.Model(str(legs.path))
    state = model.initSystem()
    names = legs.muscles.figure.coordinates
    coordinates = [model.getCoordinateSet().get(name) for name in names]
    muscles = [model.getMuscles().get(name) for name in legs.muscles.names]
    from motiform.motion.actuation.muscles import path_geometry

    arms = path_geometry(legs.muscles.paths, legs.q[:50]).arm
    spans = [np.flatnonzero(np.abs(arms[:, m]).max(axis=0) > 1e-9) for m in range(len(muscles))]

    def run(count: int) -> tuple[np.ndarray, np.ndarray]:
        length, arm = np.zeros((count, len(muscles))), np.zeros((count, len(muscles), len(names)))
        for s in range(count):
            for coordinate, value in zip(coordinates, legs.q[s], strict=True):
                coordinate.setValue(state, float(value), False)
            model.realizePosition(state)
            for m, muscle in enumerate(muscles):
                length[s, m] = muscle.getLength(state)
                for k in spans[m]:
                    arm[s, m, k] = muscle.computeMomentArm(state, coordinates[k])
        return length, arm

    return run


def shares(shared: Shared) -> Callable[[int], np.ndarray]:
    """Return a run of the AnalyzeTool with a StaticOptimization on a file of the motion."""
    import opensim

    from motiform.measure import read_sto

    assert shared.legs is not None
    muscles, folder = shared.legs.muscles, shared.legs.path.parent
    names = muscles.figure.coordinates
    opensim.Logger.setLevelString("off")
    model = opensim.Model(str(shared.legs.path))
    for name in names:
        reserve = opensim.CoordinateActuator(name)
        reserve.setName(f"reserve_{name}")
        reserve.setOptimalForce(1.0)
        reserve.setMinControl(-1e4)
        reserve.setMaxControl(1e4)
        model.addForce(reserve)
    model.finalizeConnections()
    model.printToXML(str(folder / "reserved.osim"))

    def run(count: int) -> np.ndarray:
        _write_motion(folder / "swing.mot", names, count)
        first, last = _AROUND * 0.01, (_AROUND + count - 1) * 0.01
        work = opensim.StaticOptimization()
        work.setName("shares")
        work.setStartTime(first)
        work.setEndTime(last)
        work.setUseModelForceSet(True)
        tool = opensim.AnalyzeTool()
        tool.setName("legs")
        tool.setModelFilename(str(folder / "reserved.osim"))
        tool.setCoordinatesFileName(str(folder / "swing.mot"))
        tool.setInitialTime(first)
        tool.setFinalTime(last)
        tool.setResultsDir(str(folder))
        tool.updAnalysisSet().cloneAndAppend(work)
        tool.printToXML(str(folder / "tool.xml"))
        if not opensim.AnalyzeTool(str(folder / "tool.xml")).run():
            raise RunError("OpenSim's tool failed")
        found = read_sto(folder / "legs_shares_activation.sto", rotations=())
        return np.stack([np.asarray(found[name]) for name in muscles.names], axis=1)[:count]

    return run


def _write_motion(path: Path, names: tuple[str, ...], count: int) -> None:
    """Write the swing with some samples more on either side, so that the first that counts is at its own phase."""
    t = np.arange(count + 2 * _AROUND) * 0.01
    table = np.column_stack([t, np.roll(swing(names, PERIOD)[1], _AROUND, axis=0)[np.arange(len(t)) % PERIOD]])
    head = f"swing\nversion=1\nnRows={len(t)}\nnColumns={len(names) + 1}\ninDegrees=no\nendheader\n"
    rows = ["\t".join(map(repr, row)) for row in table.tolist()]
    path.write_text(head + "\t".join(["time", *names]) + "\n" + "\n".join(rows) + "\n")
