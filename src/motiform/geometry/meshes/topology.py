"""Checks of triangle surfaces: closed, oriented outward; number and location of defective edges and faces."""

import numpy as np
from numpy.typing import NDArray

from motiform.base.errors import ShapeError
from motiform.geometry.checks import SHORTEST
from motiform.geometry.mass import volume_integrals
from motiform.spatial.checks import Array, Words

__all__ = ["check_closed_surface", "check_no_slivers", "check_outward", "flat_faces", "surface_area"]

Faces = NDArray[np.int64]
SLIVER = 1e-14  # height over longest edge under which a triangle is flat: rounding of its corners


def check_closed_surface(vertices: Array, faces: Faces, where: str = "mesh") -> None:
    """Reject a surface with faces that repeat a corner, with open edges or with neighbours wound against each other.

    Closed means that every edge is walked as often one way as the other. Then the volume integrals are exact whatever
    point they are taken from, also where several sheets meet at one edge.
    """
    repeats = (faces == np.roll(faces, 1, axis=1)).any(axis=1)
    if repeats.any():
        raise ShapeError(
            f"{_count(repeats.sum(), 'face repeats', 'faces repeat')} a corner", where=where,
            got=Words(f"face {repeats.argmax()} = {faces[repeats.argmax()].tolist()}"),
            allowed="three different corners", remedy="Remove these faces.",
        )  # fmt: skip
    edges, used, balance = _edges(faces, len(vertices))
    open_edges = used % 2 == 1
    if open_edges.any():
        raise ShapeError(
            f"the mesh is open: {_count(open_edges.sum(), 'edge has', 'edges have')} no partner", where=where,
            got=Words(_place(vertices, edges[open_edges.argmax()])), allowed="every edge shared by two faces",
            remedy="Fill the holes, or join doubled corners with merge_vertices.",
        )  # fmt: skip
    twisted = balance != 0
    if twisted.any():
        raise ShapeError(
            f"the winding is inconsistent at {_count(twisted.sum(), 'edge', 'edges')}",
            where=where,
            got=Words(_place(vertices, edges[twisted.argmax()])),
            allowed="neighbours that walk their common edge in opposite ways",
            remedy="Flip the faces on one side of the edge.",
        )


def check_no_slivers(vertices: Array, faces: Faces, where: str = "mesh") -> None:
    """Reject triangles without area."""
    flat = flat_faces(vertices, faces)
    if flat.any():
        n = int(flat.argmax())
        raise ShapeError(
            f"{_count(flat.sum(), 'face has', 'faces have')} no area", where=where,
            got=Words(f"face {n} with corners {vertices[faces[n]].tolist()}"), allowed="triangles that are not a line",
        )  # fmt: skip


def check_outward(vertices: Array, faces: Faces, where: str = "mesh") -> float:
    """Return the volume [m³] inside a closed surface; reject a surface that encloses none or is inside out."""
    volume = volume_integrals(vertices, faces)[0]
    # A sheet folded on itself leaves only rounding of terms as large as its area times its width.
    rounding = 1e-14 * np.ptp(vertices, axis=0).max() * surface_area(vertices, faces)
    if abs(volume) <= max(rounding, SHORTEST**3):
        raise ShapeError(
            "the mesh encloses no volume", where=where, got=Words(f"{volume:.3g} m³"), allowed="a solid body"
        )
    if volume < 0:
        raise ShapeError(
            "the mesh is inside out", where=where, got=Words(f"volume {volume:.6g} m³"),
            allowed="faces counterclockwise seen from outside",
            remedy="Reverse the corners of every face: Mesh(vertices, faces[:, ::-1]).",
        )  # fmt: skip
    return volume


def surface_area(vertices: Array, faces: Faces) -> float:
    """Return the area [m²] of a surface."""
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    return float(0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())


def flat_faces(vertices: Array, faces: Faces) -> NDArray[np.bool_]:
    """Return which triangles have no area beyond rounding, (F,)."""
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    longest = np.maximum(np.maximum(np.abs(b - a), np.abs(c - b)), np.abs(a - c)).max(axis=1)
    safe = np.where(longest > 0, longest, 1.0)[:, None]
    twice_area = np.linalg.norm(np.cross((b - a) / safe, (c - a) / safe), axis=1)
    flat: NDArray[np.bool_] = (twice_area <= SLIVER) | (longest == 0)
    return flat


def _edges(faces: Faces, count: int) -> tuple[Faces, Faces, Faces]:
    """Return the edges (E, 2), how often each is used (E,), and how much more often forward than back (E,)."""
    ends = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    low, high = ends.min(axis=1), ends.max(axis=1)
    key, index, used = np.unique(low * count + high, return_inverse=True, return_counts=True)
    forward = np.bincount(index, weights=np.where(ends[:, 0] == low, 1.0, -1.0), minlength=len(key))
    return np.stack([key // count, key % count], axis=1), used, forward.astype(np.int64)


def _place(vertices: Array, edge: Faces) -> str:
    a, b = (", ".join(f"{x:.6g}" for x in vertices[i]) for i in edge)
    return f"the first from corner {edge[0]} at ({a}) to corner {edge[1]} at ({b})"


def _count(number: int, one: str, many: str) -> str:
    return f"1 {one}" if number == 1 else f"{number} {many}"
