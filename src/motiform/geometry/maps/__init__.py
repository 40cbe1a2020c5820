"""Distance maps of labelled volumes and of meshes, medial axes, covers by balls, and surfaces."""

from motiform.geometry.maps.axis import chamfer_axis, euclidean_axis
from motiform.geometry.maps.chamfer import MASKS, ChamferMask, chamfer_map
from motiform.geometry.maps.cover import Cover, cover_labels, reduce_cover
from motiform.geometry.maps.euclid import euclidean_map, signed_label_map, squared_map
from motiform.geometry.maps.grid import Grid, grid_around
from motiform.geometry.maps.isosurfaces import isosurface, label_surface
from motiform.geometry.maps.mass import label_mass
from motiform.geometry.maps.octree import octree_cover, octree_cubes
from motiform.geometry.maps.pairs import ball_pairs
from motiform.geometry.maps.signed import SignedMap, signed_map
from motiform.geometry.maps.voxels import mesh_voxels

__all__ = [
    "MASKS", "ChamferMask", "Cover", "Grid", "SignedMap", "ball_pairs", "chamfer_axis", "chamfer_map", "cover_labels",
    "euclidean_axis", "euclidean_map", "grid_around", "isosurface", "label_mass", "label_surface", "mesh_voxels",
    "octree_cover", "octree_cubes", "reduce_cover", "signed_label_map", "signed_map", "squared_map",
]  # fmt: skip
