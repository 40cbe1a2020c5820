"""What is not known where some moments are not: muscles that share them, and joints that these muscles cross."""

import numpy as np

from motiform.motion.actuation.muscles.paths.paths import Paths
from motiform.motion.tree.model.figure import Figure

__all__ = ["depending", "joints_crossed", "subtrees"]


def depending(moves: np.ndarray, unknown: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return which actuators (samples, actuators) and which moments (samples, moments) hang on unknown moments.

    ``moves`` (actuators, moments) bool: which actuator moves which coordinate. Coordinates with a common actuator share
    it, so that all of a connected group hang together; groups do not.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    together = moves.T.astype(int) @ moves.astype(int) > 0
    _, group = connected_components(csr_array(together), directed=False)
    same = group[:, None] == group
    lost = (unknown.astype(float) @ same) > 0
    return (lost.astype(float) @ moves.T) > 0, lost


def subtrees(figure: Figure) -> np.ndarray:
    """Return which segments each segment carries, itself included, (segments, segments) bool."""
    found = np.eye(len(figure.segments), dtype=bool)
    for n in reversed(range(len(figure.segments))):
        parent = figure.parent_index(n)
        if parent >= 0:
            found[parent] |= found[n]
    return found


def joints_crossed(paths: Paths) -> np.ndarray:
    """Return which joints each path crosses, (paths, segments) bool: some of its points are beyond the joint, not all.

    The joint of a segment is the one that carries it.
    """
    figure = paths.figure
    beyond = subtrees(figure)
    found = np.zeros((len(paths.paths), len(figure.segments)), bool)
    for k, path in enumerate(paths.paths):
        held = [point.segment for point in path.points]
        on = np.stack([np.zeros(len(beyond), bool) if name is None else beyond[:, figure.index(name)] for name in held])
        found[k] = on.any(axis=0) & ~on.all(axis=0)
    return found
