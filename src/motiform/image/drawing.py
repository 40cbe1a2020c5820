"""A form made ready for the ray caster: simple pieces, carried by bodies.

A compound is one piece per part, particles are one ball each, every mesh has its tree. This is done once; for each
picture only the pieces' frames and the tree over them are new.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.geometry.bvh import Bvh, MeshTree, build_bvh, mesh_tree
from motiform.image.look import linear_from_srgb

if TYPE_CHECKING:
    from motiform.form import Form, Part
    from motiform.geometry import Mesh, Shape

__all__ = ["Drawing", "Pieces", "Pose", "draw_form"]

_KINDS = ("ball", "box", "cylinder", "capsule", "ellipsoid", "mesh")  # numbered as in shape_kernels

#: Positions (count, 3) [m] and orientations (count, 4) of the bodies of one part.
Pose = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Piece:
    """One simple shape in the frame of a body."""

    kind: int
    mesh: int
    """Number of its mesh in the drawing; 0 for other kinds."""
    size: tuple[float, float, float]
    rotation: np.ndarray
    shift: np.ndarray
    box: np.ndarray
    """Lower and upper corner in the piece's own frame [m], (2, 3)."""


@dataclass(frozen=True)
class Pieces:
    """All pieces of one picture, placed in the world."""

    tree: Bvh
    frames: np.ndarray
    """Rotation by rows, then translation [m], world from piece, (pieces, 12)."""
    kinds: np.ndarray
    """Kind and number of the mesh, (pieces, 2) int32."""
    sizes: np.ndarray
    """Radius and half height, half edges or radii [m], (pieces, 3)."""
    colors: np.ndarray
    """Linear intensities, (pieces, 3)."""
    body: np.ndarray
    """Number of the part and of the body in it, (pieces, 2)."""


@dataclass(frozen=True)
class Drawing:
    """A form's pieces, part by part, and its meshes laid one after the other."""

    parts: tuple[tuple[tuple[Piece, ...], np.ndarray], ...]
    """Pieces and linear colors (count, 3) of each part."""
    meshes: tuple[np.ndarray, ...]
    """Boxes, links, bases (meshes, 2) of nodes and triangles, triangles and normals: see bvh_kernels."""

    def place(self, poses: Sequence[Pose]) -> Pieces:
        """Return the pieces where the bodies are; bodies at places that are not finite are left out."""
        placed = [_place_part(k, *self.parts[k], *poses[k]) for k in range(len(self.parts))]
        frames, kinds, sizes, colors, body, boxes = (
            np.concatenate([nothing, *(columns[k] for columns in placed)]) for k, nothing in enumerate(_NOTHING)
        )
        return Pieces(build_bvh(boxes), frames, kinds, sizes, colors, body)


_NOTHING = (
    np.empty((0, 12)),
    np.empty((0, 2), np.int32),
    np.empty((0, 3)),
    np.empty((0, 3)),
    np.empty((0, 2), np.int64),
    np.empty((0, 6)),
)


def draw_form(form: "Form") -> Drawing:
    """Return the drawing of a form."""
    meshes: list[Mesh] = []
    parts = []
    for part in form.parts:
        offset = np.asarray(part.offset, dtype=float)
        pieces = tuple(_pieces(part.shape, np.eye(3), offset, meshes))
        parts.append((pieces, np.broadcast_to(linear_from_srgb(part.color), (_count(part), 3))))
    return Drawing(tuple(parts), _lay_meshes(meshes))


def _count(part: "Part") -> int:
    return int(part.position.shape[1])


def _pieces(shape: "Shape", rotation: np.ndarray, shift: np.ndarray, meshes: list["Mesh"]) -> list[Piece]:
    """Return the pieces of a shape whose frame is placed so in the body; new meshes are added to the list."""
    from motiform.geometry import Ball, Compound, Mesh, Particles

    if isinstance(shape, Compound):
        return [
            piece
            for inner, pose in shape.parts
            for piece in _pieces(inner, rotation @ pose.rotation, shift + rotation @ pose.translation, meshes)
        ]
    if isinstance(shape, Particles):
        ball = Ball(float(shape.radius or 0.0))
        return [piece for point in shape.points for piece in _pieces(ball, rotation, shift + rotation @ point, meshes)]
    mesh = 0
    if isinstance(shape, Mesh):
        known = [k for k, other in enumerate(meshes) if other is shape]
        mesh = known[0] if known else len(meshes)
        if not known:
            meshes.append(shape)
    return [Piece(_KINDS.index(shape.kind), mesh, _size(shape), rotation, shift, np.asarray(shape.bounds, dtype=float))]


def _size(shape: Any) -> tuple[float, float, float]:
    if shape.kind == "ball":
        return shape.radius, 0.0, 0.0
    if shape.kind == "box":
        x, y, z = shape.size
        return 0.5 * x, 0.5 * y, 0.5 * z
    if shape.kind == "ellipsoid":
        x, y, z = shape.radii
        return x, y, z
    if shape.kind == "mesh":
        return 0.0, 0.0, 0.0
    return shape.radius, 0.5 * shape.height, 0.0


def _place_part(
    number: int, pieces: tuple[Piece, ...], colors: np.ndarray, position: np.ndarray, orientation: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Return frames, kinds, sizes, colors, bodies and boxes of one part's pieces, piece after piece of each body."""
    from motiform.spatial import rotation_from_quaternion

    sound = np.isfinite(position).all(1) & np.isfinite(orientation).all(1) & orientation.any(1)
    bodies = np.flatnonzero(sound)
    k, n = len(pieces), len(bodies)
    turn = rotation_from_quaternion(orientation[sound])
    rotation = turn[:, None] @ np.stack([piece.rotation for piece in pieces])
    shift = position[sound][:, None] + (turn[:, None] @ np.stack([piece.shift for piece in pieces])[..., None])[..., 0]
    frames = np.concatenate([rotation.reshape(n, k, 9), shift], axis=-1).reshape(-1, 12)
    low, high = np.stack([piece.box for piece in pieces], axis=1)
    middle = shift + (rotation @ (0.5 * (low + high))[..., None])[..., 0]
    half = (np.abs(rotation) @ (0.5 * (high - low))[..., None])[..., 0]
    slack = 1e-12 * (1.0 + np.abs(middle) + half)  # the rounding of all this must not cut a piece off
    boxes = np.concatenate([middle - half - slack, middle + half + slack], axis=-1).reshape(-1, 6)
    kinds = np.tile(np.array([(piece.kind, piece.mesh) for piece in pieces], np.int32), (n, 1))
    sizes = np.tile(np.array([piece.size for piece in pieces], float), (n, 1))
    body = np.stack([np.full(n * k, number), np.repeat(bodies, k)], axis=1)
    return frames, kinds, sizes, np.repeat(colors[bodies], k, axis=0), body, boxes


def _lay_meshes(meshes: list["Mesh"]) -> tuple[np.ndarray, ...]:
    """Return the trees of all meshes one after the other, with where each begins."""
    from motiform.image.shading import shaded

    if not meshes:  # one row that nothing points to: a GPU has no arrays without memory
        nodes_of_none = np.zeros((1, 6)), np.zeros((1, 4), np.int32), np.zeros((1, 2), np.int32)
        return (*nodes_of_none, np.zeros((1, 9)), np.zeros((1, 9)))
    trees: list[MeshTree] = [mesh_tree(mesh) for mesh in meshes]
    corners = []
    for mesh, held in zip(meshes, trees, strict=True):
        _, normals, faces = shaded(np.asarray(mesh.vertices), np.asarray(mesh.faces))
        corners.append(normals[faces[held.tree.order]].reshape(-1, 9))
    nodes = np.cumsum([0] + [len(held.tree.boxes) for held in trees])[:-1]
    slots = np.cumsum([0] + [len(held.triangles) for held in trees])[:-1]
    return (
        np.concatenate([held.tree.boxes for held in trees]),
        np.concatenate([held.tree.links for held in trees]),
        np.stack([nodes, slots], axis=1).astype(np.int32),
        np.concatenate([held.triangles for held in trees]),
        np.concatenate(corners),
    )
