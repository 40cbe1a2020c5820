"""Fifteen bones packed like a wrist, and the contact problem of the bench."""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from bench.contact.shapes import wrist_shapes
from motiform.geometry import Mesh
from motiform.geometry.maps import SignedMap, grid_around, mesh_voxels, signed_map
from motiform.geometry.maps.cover import Cover, cover_labels
from motiform.motion.bones.bone import Bone, BoneResolution
from motiform.motion.bones.pack import PackedBones, pack_wrist

__all__ = ["LAYER", "Bones", "bones", "inflated"]

LAYER = 0.5e-3  # [m] of cartilage on each bone: they touch where bones are nearer than 1 mm
_GAP = 0.95e-3  # [m] between neighbours
_FINE, _COARSE = 0.4e-3, 1.13e-3  # [m] for about 16 000 and 2 000 triangles a bone
_NODES, _VOXEL = 0.5e-3, 0.28e-3  # [m] of maps and of labels


@dataclass(frozen=True, eq=False)
class Bones:
    """What contenders are given."""

    fine: list[Mesh]
    coarse: list[Mesh]

    @cached_property
    def near(self) -> list[tuple[int, int]]:
        """The pairs of bones whose boxes, with their layers, overlap."""
        low = [mesh.bounds[0] - LAYER for mesh in self.fine]
        high = [mesh.bounds[1] + LAYER for mesh in self.fine]
        every = [(a, b) for a in range(len(low)) for b in range(a + 1, len(low))]
        return [(a, b) for a, b in every if (low[a] < high[b]).all() and (low[b] < high[a]).all()]

    @cached_property
    def gaps(self) -> np.ndarray:
        """The distances of those pairs between vertices [m]: what a verdict on touching is held against."""
        from scipy.spatial import cKDTree

        trees = [cKDTree(mesh.vertices) for mesh in self.fine]
        return np.array([trees[a].query(self.fine[b].vertices)[0].min() for a, b in self.near])

    @cached_property
    def maps(self) -> list[SignedMap]:
        """Signed maps."""
        return [signed_map(mesh, _NODES, margin=2e-3, band=1.6e-3) for mesh in self.fine]

    @cached_property
    def voxels(self) -> list[Any]:
        """(inside, grid) of each bone."""
        boxes = [mesh.bounds for mesh in self.fine]
        grids = [grid_around(low, high, _VOXEL, margin=2 * _VOXEL) for low, high in boxes]
        return [(mesh_voxels(mesh, grid), grid) for mesh, grid in zip(self.fine, grids, strict=True)]

    @cached_property
    def axes(self) -> list[Cover]:
        """Covers by all balls of the medial axes."""
        return [cover_labels(*one) for one in self.voxels]

    def packed(self, resolution: BoneResolution) -> PackedBones:
        """The bones as a wrist reads them, all of them free, with layers that do not harden."""
        bones = {str(n): Bone(str(n), mesh, resolution) for n, mesh in enumerate(self.fine)}
        bodies = [(), (), *((name,) for name in bones)]  # nothing is fixed or driven
        reaches = {(str(a), str(b)): 2 * LAYER for a, b in self.near}
        return pack_wrist(bones, bodies, (), reaches, np.zeros(3), 1e10, np.inf, 1e-6)


@cache
def bones() -> Bones:
    """Return the bones of the bench."""
    return Bones(*(list(wrist_shapes(h, gap=_GAP).values()) for h in (_FINE, _COARSE)))


def inflated(mesh: Mesh, layer: float) -> Mesh:
    """Return a mesh with its vertices moved outward by a layer [m]."""
    a, b, c = np.moveaxis(mesh.vertices[mesh.faces], 1, 0)
    normal = np.zeros_like(mesh.vertices)
    for corner in range(3):
        np.add.at(normal, mesh.faces[:, corner], np.cross(b - a, c - a))
    return Mesh(mesh.vertices + layer * normal / np.linalg.norm(normal, axis=1, keepdims=True), mesh.faces)
