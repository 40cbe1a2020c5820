"""Repairs of a bone's mesh, each with a note: doubled corners, holes, winding, loose pieces."""

from typing import Any

import numpy as np

from motiform.base.errors import MotiformError, ShapeError
from motiform.geometry import Mesh, merge_vertices
from motiform.geometry.mass import volume_integrals
from motiform.geometry.meshes.fill import winding_counts
from motiform.geometry.meshes.topology import check_closed_surface, flat_faces
from motiform.spatial.checks import Words

__all__ = ["erode_mesh", "mend_mesh"]

_LOOSE = 0.05  # of the area of the largest piece: smaller ones are left out
_HOLE = 0.4  # of the area of the mesh: larger holes are not closed
_TWICE = 0.05  # of the volume that may be inside of the mesh twice


def mend_mesh(mesh: Mesh, name: str) -> tuple[Mesh, list[str]]:
    """Return a closed outward mesh [m], and what was mended; raise an error where that is not possible."""
    notes: list[str] = []
    try:
        mesh = _joined(mesh)
        mesh = _largest(mesh, name, notes)
        mesh = _orient_faces(mesh, name, notes)
        mesh = _closed(mesh, name, notes)
        check_closed_surface(mesh.vertices, mesh.faces, name)
        if volume_integrals(mesh.vertices, mesh.faces)[0] < 0:
            mesh = Mesh(mesh.vertices, mesh.faces[:, ::-1])
            notes.append(f"{name}: the mesh was inside out; its faces were turned.")
        _check_once(mesh, name, notes)
    except MotiformError as error:
        text = str(error)
        raise ShapeError(text if text.startswith(name) else f"{name}: {text}") from error
    return mesh, notes


def _joined(mesh: Mesh) -> Mesh:
    """Join equal corners, and those of triangles without area."""
    mesh = merge_vertices(mesh)
    size = float(np.ptp(mesh.vertices, axis=0).max())
    for tolerance in (1e-7, 1e-6, 1e-5, 1e-4):
        if not flat_faces(mesh.vertices, mesh.faces).any() and not open_edges(mesh.faces).size:
            break
        joined = merge_vertices(mesh, tolerance * size)
        if len(open_edges(joined.faces)) > len(open_edges(mesh.faces)):
            break
        mesh = joined
    flat = flat_faces(mesh.vertices, mesh.faces)
    return Mesh(mesh.vertices, mesh.faces[~flat]) if flat.any() and not flat.all() else mesh


def _edges(faces: Any) -> Any:
    return np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])


def open_edges(faces: Any) -> Any:
    """Return the directed edges (n, 2) without a partner."""
    edges = _edges(faces)
    low, high = edges.min(axis=1), edges.max(axis=1)
    _, index, used = np.unique(low * (int(faces.max()) + 1) + high, return_inverse=True, return_counts=True)
    return edges[used[index.reshape(-1)] == 1]


def _pieces(mesh: Mesh) -> Any:
    """Return the number of the connected piece of each face."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    edges, n = _edges(mesh.faces), len(mesh.vertices)
    links = coo_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n))
    return connected_components(links, directed=False)[1][mesh.faces[:, 0]]


def _largest(mesh: Mesh, name: str, notes: list[str]) -> Mesh:
    """Leave out loose pieces, such as specks and shells of cavities, that are small beside the bone."""
    piece = _pieces(mesh)
    corners = mesh.vertices[mesh.faces]
    area = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    areas = np.bincount(piece, area)
    kept = areas >= _LOOSE * areas.max()
    count = int((areas > 0).sum() - kept.sum())
    if count:
        notes.append(f"{name}: {count} loose pieces of the mesh, small beside the bone, were left out.")
        return merge_vertices(Mesh(mesh.vertices, mesh.faces[kept[piece]]))
    return mesh


def _orient_faces(mesh: Mesh, name: str, notes: list[str]) -> Mesh:
    """Turn faces so that neighbours are wound alike."""
    edges = _edges(mesh.faces)
    if len(np.unique(edges[:, 0] * len(mesh.vertices) + edges[:, 1])) == len(edges):
        return mesh
    turned = _flipped_faces(mesh.faces, len(mesh.vertices))
    if turned.any():
        notes.append(f"{name}: {int(turned.sum())} faces that were wound against their neighbours were turned.")
    return Mesh(mesh.vertices, np.where(turned[:, None], mesh.faces[:, ::-1], mesh.faces))


def _flipped_faces(faces: Any, count: int) -> Any:
    """Return which faces are wound against the first one of their piece, walking from neighbour to neighbour."""
    edges, owner = _edges(faces), np.tile(np.arange(len(faces)), 3)
    key = edges.min(axis=1) * count + edges.max(axis=1)
    order = np.argsort(key, kind="stable")
    same = np.nonzero(key[order][1:] == key[order][:-1])[0]
    a, b = order[same], order[same + 1]
    alike = edges[a, 0] == edges[b, 0]  # walked the same way by both: one of them is turned
    links: dict[int, list[tuple[int, bool]]] = {}
    for f, g, odd in zip(owner[a].tolist(), owner[b].tolist(), alike.tolist(), strict=True):
        links.setdefault(f, []).append((g, odd))
        links.setdefault(g, []).append((f, odd))
    turned, seen = np.zeros(len(faces), bool), np.zeros(len(faces), bool)
    for start in range(len(faces)):
        if seen[start]:
            continue
        seen[start], todo = True, [start]
        while todo:
            face = todo.pop()
            for other, odd in links.get(face, ()):
                if not seen[other]:
                    seen[other], turned[other] = True, turned[face] ^ odd
                    todo.append(other)
    return turned


def _closed(mesh: Mesh, name: str, notes: list[str]) -> Mesh:
    """Close holes, as where the field of view cuts a bone, each by a fan of triangles about its middle."""
    loops = hole_rims(open_edges(mesh.faces))
    if not loops:
        return mesh
    vertices, faces, added = [mesh.vertices], [mesh.faces], 0.0
    for n, loop in enumerate(loops):
        rim, middle = mesh.vertices[loop], mesh.vertices[loop].mean(axis=0)
        ahead = np.roll(loop, -1)
        faces.append(np.stack([ahead, loop, np.full(len(loop), len(mesh.vertices) + n)], axis=1))
        vertices.append(middle[None])
        added += float(0.5 * np.linalg.norm(np.cross(rim - middle, np.roll(rim, -1, axis=0) - middle), axis=1).sum())
    if added > _HOLE * mesh.area:
        raise ShapeError(
            "the mesh is open", where=name, got=Words(f"holes of {added * 1e6:.0f} mm², {len(loops)} in all"),
            allowed=f"up to {_HOLE:.0%} of its area", remedy="Close it, or segment the whole bone.",
        )  # fmt: skip
    notes.append(f"{name}: {len(loops)} holes of the mesh, {added * 1e6:.1f} mm² in all, were closed.")
    return Mesh(np.concatenate(vertices), np.concatenate(faces))


def hole_rims(edges: Any) -> list[Any]:
    """Return the rims of holes as runs of corners; edges that make no simple rim are left to the check of the mesh."""
    follow: dict[int, list[int]] = {}
    for a, b in edges.tolist():
        follow.setdefault(a, []).append(b)
    loops = []
    for start in list(follow):
        while follow[start]:
            path = [start]
            while follow.get(path[-1]):
                after = follow[path[-1]].pop()
                if after in path:  # a rim closes here, maybe before the start where two holes share a corner
                    at = path.index(after)
                    loops.append(np.array(path[at:]))
                    path = path[: at + 1]
                    if at == 0:
                        break
                else:
                    path.append(after)
    return [loop for loop in loops if len(loop) > 2]


def _check_once(mesh: Mesh, name: str, notes: list[str]) -> None:
    """Reject a mesh that encloses much of its volume twice, as one that cuts itself does."""
    counts = winding_counts(mesh, max(1e-3, float(np.ptp(mesh.vertices, axis=0).max()) / 60))
    inside, twice = int((counts != 0).sum()), int(((counts > 1) | (counts < 0)).sum())
    if twice > _TWICE * inside:
        raise ShapeError(
            "the mesh must not cut itself", where=name, got=Words(f"{twice / inside:.0%} of its volume inside twice"),
            allowed=f"up to {_TWICE:.0%}", remedy="Make one outer surface of it.",
        )  # fmt: skip
    if twice:
        notes.append(f"{name}: the mesh cuts itself; {twice / inside:.1%} of its volume is inside twice.")


def erode_mesh(mesh: Mesh, depth: float) -> Mesh:
    """Return a closed mesh with its corners moved inwards by a depth [m], along the mean normals of their faces."""
    corners = mesh.vertices[mesh.faces]
    ahead, back = np.roll(corners, -1, axis=1) - corners, np.roll(corners, 1, axis=1) - corners
    turn = np.cross(ahead, back)
    angle = np.arctan2(np.linalg.norm(turn, axis=2), np.einsum("fij,fij->fi", ahead, back))
    rows = angle[..., None] * turn / np.maximum(np.linalg.norm(turn, axis=2, keepdims=True), 1e-300)
    normals = np.zeros_like(mesh.vertices)
    np.add.at(normals, mesh.faces.reshape(-1), rows.reshape(-1, 3))
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    return Mesh(mesh.vertices - depth * normals, mesh.faces)
