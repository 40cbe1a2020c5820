"""Triangle meshes prepared for signed distances: a tree, and normals of faces, edges and vertices."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from motiform.base.errors import ShapeError
from motiform.geometry.checks import read_only
from motiform.geometry.meshes.files import merge_vertices
from motiform.geometry.meshes.topology import check_no_slivers, check_outward
from motiform.geometry.search.bvh import MeshTree, mesh_tree
from motiform.geometry.solids.mesh import Mesh
from motiform.spatial.checks import Array, Words

__all__ = ["DistanceMesh", "feature_normals", "join_surfaces", "make_surface"]


@dataclass(frozen=True, eq=False)
class DistanceMesh:
    """A mesh prepared for signed distances."""

    vertices: Array
    """Corners [m], equal ones joined, (V, 3)."""
    tree: MeshTree
    features: Array
    """Unit normals of the face, its edges and its corners, in the order of the tree's triangles, (F, 21)."""
    open: bool
    """Whether it has an edge without a partner."""


def make_surface(mesh: Mesh, where: str, one_sided: bool) -> DistanceMesh:
    """Return a mesh with its tree and normals, or raise an error if its interior is not defined."""
    mesh = merge_vertices(mesh)
    check_no_slivers(mesh.vertices, mesh.faces, where)
    ends = np.stack([mesh.faces, np.roll(mesh.faces, -1, axis=1)], axis=-1).reshape(-1, 2)
    key = ends.min(axis=1) * len(mesh.vertices) + ends.max(axis=1)
    _, edge, used = np.unique(key, return_inverse=True, return_counts=True)
    edge = edge.reshape(-1)
    is_open = bool((used % 2 == 1).any())
    if one_sided or not is_open:
        forward = np.bincount(edge, weights=np.where(ends[:, 0] < ends[:, 1], 1.0, -1.0))
        _check_sides(used, forward, where)
    if not is_open:
        check_outward(mesh.vertices, mesh.faces, where)
    tree = mesh_tree(mesh)
    features = feature_normals(mesh.vertices, mesh.faces, edge.reshape(-1, 3))
    return DistanceMesh(mesh.vertices, tree, features[tree.tree.order], is_open)


def _check_sides(used: Any, forward: Any, where: str) -> None:
    """Reject edges at which a side is not told by the faces: more than two of them, or two wound against each other."""
    if (used > 2).any():
        got = Words(f"{(used > 2).sum()} edges with more than two faces")
        remedy = "Make several solids of the mesh."
        raise ShapeError("a mesh must have an inside and an outside", where=where, got=got, remedy=remedy)
    twisted = int(((used == 2) & (forward != 0)).sum())
    if twisted:
        allowed = "neighbours that walk their common edge in opposite ways"
        raise ShapeError("the winding is inconsistent", where=where, got=Words(f"{twisted} edges"), allowed=allowed)


def feature_normals(vertices: Array, faces: Any, edge: Any) -> Array:
    """Return unit normals of faces, edges ab, bc, ca and corners a, b, c, (F, 21).

    Those of edges and corners are sums over the faces there, weighted by their angles; they tell the side of every
    point to which the edge or corner is nearest [Baerentzen05].
    """
    corners = vertices[faces]
    ahead, back = np.roll(corners, -1, axis=1) - corners, np.roll(corners, 1, axis=1) - corners
    turn = np.cross(ahead, back)
    size = np.linalg.norm(turn, axis=2)
    angle = np.arctan2(size, np.einsum("fij,fij->fi", ahead, back))
    face = turn[:, 0] / size[:, :1]
    thrice = np.repeat(face, 3, axis=0)
    edges = _summed(edge.reshape(-1), thrice)[edge]
    tips = _summed(faces.reshape(-1), angle.reshape(-1, 1) * thrice)[faces]
    normals = np.concatenate([edges, tips], axis=1)
    length = np.linalg.norm(normals, axis=2, keepdims=True)
    folded = length < 1e-12  # faces that lie on one another: each speaks for itself
    normals = np.where(folded, face[:, None], normals / np.where(folded, 1.0, length))
    return np.concatenate([face, normals.reshape(-1, 18)], axis=1)


def _summed(index: Any, rows: Array) -> Array:
    """Return the sums (n, 3) of the rows with the same index, added in their order."""
    return np.stack([np.bincount(index, weights=rows[:, k]) for k in range(3)], axis=1)


def join_surfaces(surfaces: list[DistanceMesh]) -> tuple[Any, ...]:
    """Return boxes, links, triangles and normals of all meshes one after the other."""
    if not surfaces:  # one row that nothing points to: a GPU has no arrays without memory
        return tuple(
            read_only(a) for a in (np.zeros((1, 6)), np.zeros((1, 4), np.int32), np.zeros((1, 9)), np.zeros((1, 21)))
        )
    return tuple(
        read_only(np.concatenate(arrays))
        for arrays in zip(
            *((s.tree.tree.boxes, s.tree.tree.links, s.tree.triangles, s.features) for s in surfaces), strict=True
        )
    )
