"""A form made ready for the ray caster: simple pieces, carried by bodies.

A compound is one piece per part, particles are one ball each, every mesh has its tree. This is done once; for each
picture only the pieces' frames, the trees of skins and surfaces and the tree over all are new. A link is a capsule, a
skin or a surface one mesh for each of its colors.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from motiform.form.clouds import Puffs
from motiform.form.implicit.blocks import Blocks
from motiform.geometry import Mesh
from motiform.geometry.search.bvh import Bvh, MeshTree, build_bvh, mesh_tree
from motiform.geometry.solids.columns import SIZES
from motiform.geometry.solids.register import NUMBERS, has_ray
from motiform.image.cast.fields import Fields
from motiform.image.look import linear_from_srgb
from motiform.spatial import Transform

if TYPE_CHECKING:
    from motiform.form import Form, LinkParts, Part, Shell
    from motiform.geometry import Shape
    from motiform.image.playback import Moment

__all__ = ["Drawing", "Pieces", "Pose", "draw_form"]

#: Positions (count, 3) [m] and orientations (count, 4) of the bodies of one part.
Pose = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Primitive:
    """One simple shape in the frame of a body."""

    kind: int
    mesh: int
    """Number of its mesh in the drawing; 0 for other kinds."""
    size: tuple[float, ...]
    """SIZES numbers [m]."""
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
    """Radius and half height, half edges or radii [m], (pieces, SIZES)."""
    colors: np.ndarray
    """Linear intensities, (pieces, 3)."""
    body: np.ndarray
    """Number of the part and of the body in it, (pieces, 2); sets of links, then skins, then surfaces count on."""
    meshes: tuple[np.ndarray, ...]
    """Boxes, links, bases (meshes, 2) of nodes and triangles, triangles and normals: see bvh_kernels."""
    fields: np.ndarray
    """Blocks of implicit surfaces, then the elements in each: see field_kernels."""


@dataclass(frozen=True)
class Drawing:
    """A form's pieces, part by part, and its meshes laid one after the other."""

    form: "Form"
    parts: tuple[tuple[Primitive, ...], ...]
    """Pieces of each part."""
    meshes: tuple["Laid", ...]
    skins: tuple["Worn", ...]

    def place(self, moment: "Moment") -> Pieces:
        """Return the pieces where all is; bodies, links and triangles at places that are not finite are left out."""
        parts, links = self.form.parts, self.form.links
        placed = [
            _place_part(k, part, self.parts[k], linear_colors(part, moment.sample), *moment.poses[k])
            for k, part in enumerate(parts)
        ]
        placed += [
            _place_links(len(parts) + k, some, linear_colors(some, moment.sample), moment.links[k])
            for k, some in enumerate(links)
        ]
        meshes = list(self.meshes)
        for k, skin in enumerate(self.skins):
            for color, laid in skin.lay(moment.skins[k]):
                placed.append(_place_skin(len(parts) + len(links) + k, color, len(meshes), laid))
                meshes.append(laid)
        fields = Fields()
        for k, shell in enumerate(moment.surfaces):
            if isinstance(shell, Puffs):  # they let light through: `clouds.composite_cloud`
                continue
            number = len(parts) + len(links) + len(self.form.skins) + k
            if isinstance(shell, Blocks):
                placed.append(fields.add(number, shell, sum(len(one[0]) for one in placed)))
                continue
            for color, laid in _build_shell(shell):
                placed.append(_place_skin(number, color, len(meshes), laid))
                meshes.append(laid)
        frames, kinds, sizes, colors, body, boxes = (
            np.concatenate([nothing, *(columns[k] for columns in placed)]) for k, nothing in enumerate(_NOTHING)
        )
        return Pieces(build_bvh(boxes), frames, kinds, sizes, colors, body, _join(meshes), fields.joined())


#: Boxes and links of a mesh's tree, its triangles and the normals of their corners.
Laid = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Worn:
    """A skin, as it is laid again for each picture."""

    source: np.ndarray
    """Vertex of the skin that each vertex to shade is."""
    faces: np.ndarray
    """Its triangles in these vertices."""
    tones: tuple[tuple[np.ndarray, np.ndarray], ...]
    """Linear colors (3,), and which triangles have them."""

    def lay(self, vertices: np.ndarray) -> Iterator[tuple[np.ndarray, Laid]]:
        """Give each color and the tree of those of its triangles that are there, where the vertices are now."""
        from motiform.image.shading import vertex_normals

        place = vertices[self.source]
        normals = vertex_normals(place, self.faces)  # triangles of all colors turn them
        there = np.isfinite(place).all(axis=1)[self.faces].all(axis=1)
        for color, own in self.tones:
            if there[own].any():
                yield color, _build_tree(place, self.faces[own[there[own]]], normals)


def _build_tree(vertices: np.ndarray, faces: np.ndarray, normals: np.ndarray) -> Laid:
    """Return the tree of triangles."""
    corners = vertices[faces]
    tree = build_bvh(np.hstack([corners.min(1), corners.max(1)]), leaf=4)
    a, b, c = np.moveaxis(corners[tree.order], 1, 0)
    return tree.boxes, tree.links, np.hstack([a, b - a, c - a]), normals[faces[tree.order]].reshape(-1, 9)


def _build_shell(shell: "Shell") -> Iterator[tuple[np.ndarray, Laid]]:
    """Give the linear color and the tree of the triangles of each color of a surface."""
    from motiform.image.shading import vertex_normals

    if not len(shell.faces):
        return
    normals = shell.normals if shell.normals is not None else vertex_normals(shell.vertices, shell.faces)
    tones, number = np.unique(np.atleast_2d(shell.color), axis=0, return_inverse=True)
    number = np.broadcast_to(number.ravel(), len(shell.faces))
    for k, color in enumerate(tones):
        yield linear_from_srgb(color), _build_tree(shell.vertices, shell.faces[number == k], normals)


_NOTHING = (
    np.empty((0, 12)),
    np.empty((0, 2), np.int32),
    np.empty((0, SIZES)),
    np.empty((0, 3)),
    np.empty((0, 2), np.int64),
    np.empty((0, 6)),
)


def draw_form(form: "Form") -> Drawing:
    """Return the drawing of a form."""
    from motiform.image.shading import skin_split

    meshes: list[Mesh] = []
    parts = []
    for part in form.parts:
        offset = np.asarray(part.offset, dtype=float)
        parts.append(tuple(_pieces(part.shape, offset, meshes)))
    skins = []
    for skin in form.skins:
        source, faces = skin_split(skin)
        skins.append(Worn(source, faces, tuple((linear_from_srgb(color), own) for color, own in skin.tones)))
    return Drawing(form, tuple(parts), _build_mesh_trees(meshes), tuple(skins))


def linear_colors(part: "Part | LinkParts", sample: int) -> np.ndarray:
    """Return the linear colors of bodies or links at a sample, (count, 3)."""
    color = part.color if part.shades is None else part.shades.at(sample)
    return np.broadcast_to(linear_from_srgb(color), (part.count, 3))


def _pieces(shape: "Shape", shift: np.ndarray, meshes: list[Mesh]) -> list[Primitive]:
    """Return the pieces of a shape that is shifted so in the body; new meshes are added to the list."""
    found = []
    for simple, pose in shape.pieces(Transform.translation_of(shift)):
        drawn = simple if has_ray(simple.kind) else simple.to_mesh()
        mesh = 0
        if isinstance(drawn, Mesh):
            known = [k for k, other in enumerate(meshes) if other is drawn]
            mesh = known[0] if known else len(meshes)
            if not known:
                meshes.append(drawn)
        sizes = (*drawn.sizes, *[0.0] * (SIZES - len(drawn.sizes)))
        found.append(Primitive(NUMBERS[drawn.kind], mesh, sizes, pose.rotation, pose.translation, drawn.bounds))
    return found


def _place_part(
    number: int, part: "Part", pieces: tuple[Primitive, ...], colors: np.ndarray, position: np.ndarray,
    orientation: np.ndarray,
) -> tuple[np.ndarray, ...]:  # fmt: skip
    """Return frames, kinds, sizes, colors, bodies and boxes of one part's pieces, piece after piece of each body."""
    from motiform.spatial import rotation_from_quaternion

    sound = np.isfinite(position).all(1) & np.isfinite(orientation).all(1) & orientation.any(1) & (part.scales > 0)
    bodies = np.flatnonzero(sound)
    grown = part.scales[bodies][:, None, None]
    k, n = len(pieces), len(bodies)
    turn = rotation_from_quaternion(orientation[sound])
    rotation = turn[:, None] @ np.stack([piece.rotation for piece in pieces])
    shift = (
        position[sound][:, None]
        + (turn[:, None] @ (grown * np.stack([piece.shift for piece in pieces]))[..., None])[..., 0]
    )
    frames = np.concatenate([rotation.reshape(n, k, 9), shift], axis=-1).reshape(-1, 12)
    low, high = np.stack([piece.box for piece in pieces], axis=1)
    middle = shift + (rotation @ (grown * 0.5 * (low + high))[..., None])[..., 0]
    half = (np.abs(rotation) @ (grown * 0.5 * (high - low))[..., None])[..., 0]
    slack = 1e-12 * (1.0 + np.abs(middle) + half)  # the rounding of all this must not cut a piece off
    boxes = np.concatenate([middle - half - slack, middle + half + slack], axis=-1).reshape(-1, 6)
    kinds = np.tile(np.array([(piece.kind, piece.mesh) for piece in pieces], np.int32), (n, 1))
    sizes = (grown * np.array([piece.size for piece in pieces], float)).reshape(-1, SIZES)
    body = np.stack([np.full(n * k, number), np.repeat(bodies, k)], axis=1)
    return frames, kinds, sizes, np.repeat(colors[bodies], k, axis=0), body, boxes


def _place_links(number: int, links: "LinkParts", colors: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return frames, kinds, sizes, colors, bodies and boxes of links: capsules along y from end to end."""
    there = np.flatnonzero(np.isfinite(ends).all(axis=(1, 2)) & (links.radius > 0))
    a, b = np.moveaxis(ends[there], 1, 0)
    n, radius = len(there), links.radius[there]
    length = np.linalg.norm(b - a, axis=1)
    y = np.where(length[:, None] > 0, (b - a) / np.where(length > 0, length, 1.0)[:, None], (0.0, 1.0, 0.0))
    x = np.cross(y, np.where(np.abs(y[:, :1]) < 0.7, (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    rotation = np.stack((x, y, np.cross(x, y)), axis=-1)
    frames = np.concatenate([rotation.reshape(n, 9), 0.5 * (a + b)], axis=1)
    slack = radius[:, None] + 1e-12 * (1.0 + np.abs(a) + np.abs(b))
    boxes = np.concatenate([np.minimum(a, b) - slack, np.maximum(a, b) + slack], axis=1)
    kinds = np.tile(np.array([NUMBERS["capsule"], 0], np.int32), (n, 1))
    sizes = np.stack((radius, 0.5 * length, *np.zeros((SIZES - 2, n))), axis=1)
    return frames, kinds, sizes, colors[there], np.stack([np.full(n, number), there], axis=1), boxes


def _place_skin(number: int, color: np.ndarray, mesh: int, laid: Laid) -> tuple[np.ndarray, ...]:
    """Return frame, kind, size, color, body and box of the triangles of one color: a mesh in the frame of the world."""
    frames = np.concatenate([np.eye(3).reshape(1, 9), np.zeros((1, 3))], axis=1)
    kinds = np.array([[NUMBERS["mesh"], mesh]], np.int32)
    return frames, kinds, np.zeros((1, SIZES)), color[None], np.array([[number, 0]]), laid[0][:1]


def _build_mesh_trees(meshes: list[Mesh]) -> tuple[Laid, ...]:
    """Return the trees of meshes that keep their shape."""
    from motiform.image.shading import shaded

    trees: list[MeshTree] = [mesh_tree(mesh) for mesh in meshes]
    laid = []
    for mesh, held in zip(meshes, trees, strict=True):
        _, normals, faces = shaded(np.asarray(mesh.vertices), np.asarray(mesh.faces))
        corners = normals[faces[held.tree.order]].reshape(-1, 9)
        laid.append((held.tree.boxes, held.tree.links, held.triangles, corners))
    return tuple(laid)


def _join(meshes: list[Laid]) -> tuple[np.ndarray, ...]:
    """Return the trees of all meshes one after the other, with where each begins."""
    if not meshes:  # one row that nothing points to: a GPU has no arrays without memory
        nodes_of_none = np.zeros((1, 6)), np.zeros((1, 4), np.int32), np.zeros((1, 2), np.int32)
        return (*nodes_of_none, np.zeros((1, 9)), np.zeros((1, 9)))
    boxes, links, triangles, normals = (np.concatenate(column) for column in zip(*meshes, strict=True))
    nodes = np.cumsum([0] + [len(laid[0]) for laid in meshes])[:-1]
    slots = np.cumsum([0] + [len(laid[2]) for laid in meshes])[:-1]
    return boxes, links, np.stack([nodes, slots], axis=1).astype(np.int32), triangles.astype(float, copy=False), normals
