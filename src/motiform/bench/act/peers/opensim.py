"""Lengths and moment arms by OpenSim's muscles."""

from collections.abc import Callable

import numpy as np

from motiform.bench.act.cases import Legs

__all__ = ["paths"]


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
