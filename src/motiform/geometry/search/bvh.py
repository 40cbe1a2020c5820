"""Bounding volume hierarchies: ray intersection with many boxes or triangles.

The build runs on one core in a fixed order, so the same boxes always give the same tree.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from motiform.base.errors import InputError, ShapeError

if TYPE_CHECKING:
    from motiform.geometry.solids.mesh import Mesh

__all__ = ["Bvh", "MeshTree", "build_bvh", "cast_rays", "mesh_tree"]


@dataclass(frozen=True)
class Bvh:
    """A binary tree of axis-aligned boxes."""

    boxes: np.ndarray
    """Lower and upper corner of each node, (nodes, 6)."""
    links: np.ndarray
    """Parent, first child or slot, number of items (−1: has children), axis of the cut, (nodes, 4) int32."""
    order: np.ndarray
    """Item in each slot, (items,) int32."""


@dataclass(frozen=True)
class MeshTree:
    """The triangles of a mesh, sorted by the tree over them."""

    tree: Bvh
    triangles: np.ndarray
    """Corner and the two edges from it [m], in the order of the tree's slots, (faces, 9)."""


def build_bvh(boxes: np.ndarray, *, leaf: int = 2) -> Bvh:
    """Return the tree over boxes (n, 6), lower corner then upper, with at most ``leaf`` boxes in its last nodes."""
    boxes = np.ascontiguousarray(boxes, dtype=float)
    if boxes.ndim != 2 or boxes.shape[1] != 6:
        raise InputError(
            "boxes must have two corners each", got=f"shape {boxes.shape}", allowed="(n, 6): lower corner, upper corner"
        )
    if not np.isfinite(boxes).all() or (boxes[:, :3] > boxes[:, 3:]).any():
        bad = int(np.argmin(np.isfinite(boxes).all(1) & (boxes[:, :3] <= boxes[:, 3:]).all(1)))
        raise InputError(
            f"box {bad} of {len(boxes)} must have its corners in order",
            got=boxes[bad],
            allowed="finite numbers, lower ≤ upper",
        )
    if leaf < 1:
        raise InputError("a last node must hold items", got=leaf, allowed="1 or more")
    from motiform.geometry.search import bvh_kernels

    room = max(1, 2 * len(boxes))
    tree, links = np.empty((room, 6)), np.empty((room, 4), np.int32)
    order = np.empty(len(boxes), np.int32)
    used = bvh_kernels.build(boxes, leaf, tree, links, order)
    return Bvh(tree[:used].copy(), links[:used].copy(), order)


def mesh_tree(mesh: "Mesh") -> MeshTree:
    """Return the triangles of a mesh with the tree over them."""
    corners = np.asarray(mesh.vertices, dtype=float)[np.asarray(mesh.faces)]
    if not len(corners):
        raise ShapeError("a mesh must have triangles", got="0 faces", allowed="1 or more")
    tree = build_bvh(np.hstack([corners.min(1), corners.max(1)]), leaf=4)
    a, b, c = np.moveaxis(corners[tree.order], 1, 0)
    return MeshTree(tree, np.hstack([a, b - a, c - a]))


def cast_rays(mesh: "Mesh | MeshTree", origins: np.ndarray, directions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distance of the first intersection of each ray with the mesh, and the face there.

    Parameters
    ----------
    mesh : a mesh, or `mesh_tree` of it when many calls follow.
    origins, directions : (rays, 3) in the frame of the mesh; distances count in lengths of the direction.

    Returns
    -------
    distance : (rays,), inf where nothing is met.
    face : (rays,) index into the faces of the mesh, −1 where nothing is met.
    """
    from motiform.base.kernels import get_device
    from motiform.geometry.search import bvh_kernels

    held = mesh if isinstance(mesh, MeshTree) else mesh_tree(mesh)
    origins, directions = (np.ascontiguousarray(a, dtype=float) for a in np.broadcast_arrays(origins, directions))
    if origins.ndim != 2 or origins.shape[1] != 3:
        raise InputError("rays must have three coordinates", got=f"shape {origins.shape}", allowed="(rays, 3)")
    distance, slot = np.empty(len(origins)), np.empty(len(origins), np.int32)
    tree = held.tree
    arguments = (origins, directions, tree.boxes, tree.links, held.triangles, distance, slot)
    get_device("cpu").launch(bvh_kernels.cast_rays, len(origins), *arguments)
    return distance, np.where(slot >= 0, tree.order[slot], -1)
