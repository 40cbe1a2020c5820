"""A bone that is broken in two by a plane."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from motiform.base.errors import InputError, ShapeError
from motiform.geometry import Mesh
from motiform.motion.bones.axes import long_axis
from motiform.motion.bones.bone import Bone
from motiform.motion.bones.ligaments import Ligament
from motiform.motion.bones.mend import hole_rims, open_edges
from motiform.spatial.checks import Array, Words

__all__ = ["break_bone", "break_ligaments", "fracture_plane"]

_ON = 1e-9  # [m] from the plane: vertices that are nearer count as distal
_LEAST = 0.02  # of the area of a bone that each fragment must have


def break_bone(bone: Bone, point: Array, normal: Array, gap: float) -> tuple[Bone, Bone]:
    """Return the fragments before and beyond a plane [m], each half a gap [m] away from it."""
    found = []
    for sign, part in ((-1.0, "proximal"), (1.0, "distal")):
        mesh = _beyond(bone.mesh, point + 0.5 * sign * gap * normal, sign * normal, bone.name)
        found.append(replace(bone, name=f"{bone.name}_{part}", mesh=mesh))
    return found[0], found[1]


def _beyond(mesh: Mesh, point: Array, normal: Array, name: str) -> Mesh:
    """Return the part of a closed mesh on the side of a plane to which the normal points, closed by the plane."""
    height = (mesh.vertices - point) @ normal
    height = np.where(np.abs(height) < _ON, _ON, height)
    above = height > 0
    count = above[mesh.faces].sum(axis=1)
    whole, one, two = (mesh.faces[count == k] for k in (3, 1, 2))
    one, two = _first(one, above[one]), _first(two, ~above[two])  # the corner that is alone on its side comes first
    edges = np.concatenate([one[:, [0, 1]], one[:, [0, 2]], two[:, [0, 1]], two[:, [0, 2]]])
    ends, place = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True)
    share = height[ends[:, 0]] / (height[ends[:, 0]] - height[ends[:, 1]])
    cuts = mesh.vertices[ends[:, 0]] + share[:, None] * (mesh.vertices[ends[:, 1]] - mesh.vertices[ends[:, 0]])
    a, b, c, d = np.split(len(mesh.vertices) + place.reshape(-1), np.cumsum([len(one), len(one), len(two)]))
    faces = [
        whole, np.stack([one[:, 0], a, b], 1), np.stack([c, two[:, 1], two[:, 2]], 1), np.stack([c, two[:, 2], d], 1),
    ]  # fmt: skip
    return _capped(np.concatenate([mesh.vertices, cuts]), np.concatenate(faces), normal, mesh.area, name)


def _first(faces: Any, alone: Any) -> Any:
    """Return faces turned so that the one corner that is marked comes first."""
    turn = (alone.argmax(axis=1)[:, None] + np.arange(3)) % 3
    return np.take_along_axis(faces, turn, axis=1)


def _capped(vertices: Array, faces: Any, normal: Array, area: float, name: str) -> Mesh:
    """Return the mesh of the faces with a fan of triangles about the middle of each rim that the plane left."""
    caps: list[Any] = []
    middles: list[Array] = []
    for rim in hole_rims(open_edges(faces)):
        middle, ahead = vertices[rim].mean(axis=0), np.roll(rim, -1)
        turned = np.cross(vertices[ahead] - middle, vertices[rim] - middle) @ normal
        if (turned > 1e-3 * np.abs(turned).max()).any():
            raise ShapeError(
                "the plane must cut a bone in sections that are seen whole from their middles", where=name,
                remedy="Take another plane, or give the fragments as meshes of their own.",
            )  # fmt: skip
        caps.append(np.stack([ahead, rim, np.full(len(rim), len(vertices) + len(middles))], axis=1))
        middles.append(middle)
    if caps:
        vertices, faces = np.concatenate([vertices, middles]), np.concatenate([faces, *caps])
    used, inverse = np.unique(faces, return_inverse=True)
    found = Mesh(vertices[used], inverse.reshape(-1, 3)) if len(faces) else None
    if found is None or not caps or found.area < _LEAST * area:
        got = Words("nothing" if found is None else f"{found.area / area:.1%} of its surface")
        raise ShapeError(
            "each fragment must be a part of the bone", where=name, got=got,
            allowed=f"{_LEAST:.0%} of its surface or more",
        )  # fmt: skip
    return found


def break_ligaments(
    ligaments: Sequence[Ligament], bone: str, fragments: tuple[Bone, Bone], point: Array, normal: Array
) -> tuple[Ligament, ...]:
    """Return ligaments with their fibres on the fragment on whose side they end; those of both sides become two."""
    names, found = tuple(one.name for one in fragments), []
    for ligament in ligaments:
        middle = 0.5 * (ligament.starts.mean(axis=0) + ligament.ends.mean(axis=0))
        near = names[int((middle - point) @ normal > 0)]
        over = tuple(near if other == bone else other for other in ligament.over)
        if bone not in ligament.bones:
            found.append(replace(ligament, over=over))
            continue
        end = ligament.bones.index(bone)
        points = (ligament.starts, ligament.ends)[end]
        beyond = (points - point) @ normal > 0
        for side, some in ((0, ~beyond), (1, beyond)):
            if some.any():
                bones = (names[side], ligament.bones[1]) if end == 0 else (ligament.bones[0], names[side])
                title = ligament.name if some.all() else f"{ligament.name}_{('proximal', 'distal')[side]}"
                found.append(
                    replace(
                        ligament, name=title, bones=bones, starts=ligament.starts[some], ends=ligament.ends[some],
                        stiffness=ligament.stiffness * some.mean(), over=tuple(o for o in over if o not in bones),
                    )
                )  # fmt: skip
    return tuple(found)


def fracture_plane(bone: Bone, through: Any, normal: Any, toward: Array) -> tuple[Array, Array]:
    """Return point [m] and unit normal of a plane: a share of the bone's length from proximal, or a point."""
    axis = long_axis(bone.mesh, toward) if normal is None else np.asarray(normal, float)
    if axis.shape != (3,) or not np.isfinite(axis).all() or not axis.any():
        raise InputError("normal must be a direction", where="fracture", got=Words(str(normal)), allowed="(3,), not 0")
    axis = axis / np.linalg.norm(axis) * (1.0 if axis @ toward >= 0 else -1.0)
    given = np.asarray(through, float)
    if given.shape == (3,) and np.isfinite(given).all():
        return given, axis
    if given.shape or not 0.0 < given < 1.0:
        raise InputError(
            "a fracture must go through the bone", where="fracture", got=Words(str(through)),
            allowed="a share of its length, above 0 and below 1, or a point (3,) [m]",
        )  # fmt: skip
    along = bone.mesh.vertices @ axis
    return (along.min() + float(given) * np.ptp(along)) * axis, axis
