"""The part of a long bone that other bones can touch."""

from collections.abc import Mapping

import numpy as np

from motiform.geometry import Mesh
from motiform.geometry.meshes.pieces import thinned
from motiform.motion.bones.names import CARPALS
from motiform.spatial.checks import Array

__all__ = ["crop_long"]

_REACH = 15e-3  # [m] from the nearest carpal bone


def crop_long(name: str, mesh: Mesh, meshes: Mapping[str, Mesh]) -> Array | None:
    """Return the box (2, 3) [m] of the part of a bone of forearm or hand near the carpus, None where that is all."""
    if name in CARPALS:
        return None
    from scipy.spatial import cKDTree

    carpus = cKDTree(thinned(np.concatenate([meshes[n].vertices for n in CARPALS if n in meshes]), 1e-3))
    middles = thinned(np.concatenate([mesh.vertices, mesh.vertices[mesh.faces].mean(axis=1)]), 1e-3)
    near = np.isfinite(carpus.query(middles, distance_upper_bound=_REACH)[0])
    if near.all() or not near.any():
        return None
    return np.stack([middles[near].min(axis=0), middles[near].max(axis=0)])
