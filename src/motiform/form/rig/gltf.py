"""Rigged meshes of other programs: the skins of a glTF 2.0 file as a `Rig`."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import InputError
from motiform.base.files import reads_file
from motiform.form.looks import Looks
from motiform.form.rig.fit import fit_mesh
from motiform.form.rig.gltf_file import GltfFile
from motiform.form.rig.rig import Rig
from motiform.spatial import nearest_rotation, quaternion_from_rotation, upright
from motiform.spatial.checks import Array

if TYPE_CHECKING:
    from motiform.motion.tree import Figure

__all__ = ["read_rig"]

_TRIANGLES = 4
_TONES = 32  # the triangles of a color are drawn together


@reads_file("a skinned mesh")
def read_rig(
    path: str | os.PathLike[str],
    *,
    segments: Mapping[str, str] | None = None,
    figure: "Figure | Looks | None" = None,
    rest: Any = None,
    up: Any = "y",
) -> Rig:
    """Return the skinned mesh of a glTF file (.glb, .gltf), which follows a figure by `dress(rec, skin=rig)`.

    The mesh is taken as it was bound, in metres, where the file places its first joint.

    Parameters
    ----------
    segments : which joint of the file moves with which segment of the figure, {joint: segment}; None: equal names. What
        other joints move goes with the nearest one above them that is named.
    figure : fit the mesh to this figure, or to its looks: joints of the file are moved to those of the figure at rest,
        and what they move is turned and scaled with them. For meshes of any size, posture and direction.
    rest : {segment: (origin [m], quaternion)}, frames of the segments in the posture of the mesh, which is not fitted
        then; None: those of the joints in the file, which is right where they are the segments' own.
    up : direction of the figure's world that points up, in which `rest` is; glTF has y up.
    """
    where = Path(path)
    if figure is not None and rest is not None:
        raise InputError("a mesh is fitted to a figure or has frames at rest, not both", where=str(where), got="rest")
    return _read(where, segments, figure, rest, up)


def _read(where: Path, segments: Mapping[str, str] | None, figure: Any, rest: Any, up: Any) -> Rig:
    file = _Rigged(where, segments)
    vertices, faces, table, color = file.bound()
    frames = {name: file.frames[name] for name in file.chosen}
    if figure is not None:
        places = {name: at for name, (at, _) in frames.items()}
        vertices, frames = fit_mesh(vertices, table, places, figure, str(where))
    else:
        turn = upright(up).T
        vertices = vertices @ turn.T
        frames = {n: (turn @ at, quaternion_from_rotation(turn @ axes)) for n, (at, axes) in frames.items()}
    weights = {name: table[:, k] for k, name in enumerate(file.chosen)}
    return Rig.bind(vertices, faces, frames if rest is None else rest, weights, color=color)


class _Rigged(GltfFile):
    """A file with skins, whose joints move with the segments of a figure."""

    def __init__(self, path: Path, segments: Mapping[str, str] | None) -> None:
        super().__init__(path)
        worn = [k for k, node in enumerate(self.nodes) if "skin" in node and "mesh" in node]
        if not worn:
            remedy = "Export it with its armature."
            raise InputError("the file has no skinned mesh", where=str(path), remedy=remedy)
        self.worn = worn
        self.spaces: dict[int, Array] = {}
        """From the space in which a skin was bound to the world, (4, 4), by its number."""
        self.bind: dict[int, Array] = {}
        """Places of joints as bound, in the world, (4, 4), by their node."""
        for node in worn:
            self._place(self.nodes[node]["skin"])
        names = {self.name(joint): joint for joint in self.bind}
        wrong = [name for name in segments or () if name not in names]
        if wrong:
            raise InputError("the file has no such joint", where=str(path), got=wrong[0], allowed=", ".join(names))
        self.own = {
            j: n if segments is None else segments[n] for n, j in names.items() if segments is None or n in segments
        }
        if not self.own:
            raise InputError("segments must name joints", where=str(path), got="none", allowed=", ".join(names))
        self.frames = {n: (self.bind[j][:3, 3], nearest_rotation(self.bind[j][:3, :3])) for j, n in self.own.items()}
        """Origin and axes of the joint of each segment, as bound."""
        moved = {self.owner(joint) for joint in self.bind}
        self.chosen = sorted({name for name in moved if name is not None})

    def _place(self, index: int) -> None:
        """Place a skin in the world: by a joint that is placed already, or its first one where its node is."""
        if index in self.spaces:
            return
        skin = self.json["skins"][index]
        joints = skin["joints"]
        inverse = np.tile(np.eye(4), (len(joints), 1, 1))
        if "inverseBindMatrices" in skin:
            inverse = self.numbers(skin["inverseBindMatrices"]).reshape(-1, 4, 4)[: len(joints)].transpose(0, 2, 1)
        k = next((k for k, joint in enumerate(joints) if joint in self.bind), 0)
        place = self.bind.get(joints[k], self.place(joints[k]))
        self.spaces[index] = place @ inverse[k]
        for joint, matrix in zip(joints, np.linalg.inv(inverse), strict=True):
            self.bind.setdefault(joint, self.spaces[index] @ matrix)

    def owner(self, node: int) -> str | None:
        """Return the segment that a node moves with: its own, or that of the nearest joint above."""
        return next((self.own[one] for one in self.ancestors(node) if one in self.own), None)

    def bound(self) -> tuple[Array, Any, Array, Array]:
        """Return vertices, faces, weights (points, segments) and colors (triangles, 3) of all that joints move."""
        places, faces, tables, colors, seen = [], [], [], [], {}
        start = 0
        for node, one in self._primitives():
            given, skin = one["attributes"], self.nodes[node].get("skin")
            key = (node if skin is None else -1, skin, given["POSITION"], given.get("JOINTS_0"), given.get("WEIGHTS_0"))
            if key not in seen:
                points = self.numbers(given["POSITION"])
                space = self._space(node)
                places.append(points @ space[:3, :3].T + space[:3, 3])
                tables.append(self._weights(node, given, len(points)))
                seen[key] = (start, len(points))
                start += len(points)
            first, count = seen[key]
            index = self.numbers(one["indices"]).astype(np.int64).ravel() if "indices" in one else np.arange(count)
            corners = index.reshape(-1, 3)
            mirrored = np.linalg.det(self._space(node)[:3, :3]) < 0.0
            faces.append(first + (corners[:, ::-1] if mirrored else corners))
            colors.append(self.colors(one, corners))
        return np.concatenate(places), np.concatenate(faces), np.concatenate(tables), _fewer(np.concatenate(colors))

    def _primitives(self) -> list[tuple[int, dict[str, Any]]]:
        """Return what skins move, and meshes without a skin that hang from joints, with their nodes."""
        hung = [
            k
            for k, node in enumerate(self.nodes)
            if "mesh" in node and "skin" not in node and any(one in self.bind for one in self.ancestors(k))
        ]
        found = [
            (k, one) for k in (*self.worn, *hung) for one in self.json["meshes"][self.nodes[k]["mesh"]]["primitives"]
        ]
        for k, one in found:
            joints = "skin" not in self.nodes[k] or "JOINTS_0" in one["attributes"]
            if one.get("mode", _TRIANGLES) != _TRIANGLES or not joints:
                raise InputError("a skinned mesh must have triangles with joints", where=str(self.path))
        return found

    def _space(self, node: int) -> Array:
        """Return the matrix from the space of a node's mesh to the world, as bound, (4, 4)."""
        if "skin" in self.nodes[node]:
            return self.spaces[self.nodes[node]["skin"]]
        joint = self._joint(node)
        return np.asarray(self.bind[joint] @ np.linalg.inv(self.place(joint)) @ self.place(node))

    def _joint(self, node: int) -> int:
        """Return the joint from which a node hangs."""
        return next(one for one in self.ancestors(node) if one in self.bind)

    def _weights(self, node: int, given: dict[str, int], count: int) -> Array:
        """Return the weights of segments at vertices; what joints without a segment move is shared by the others."""
        skin, width = self.nodes[node].get("skin"), len(self.chosen)
        joints = [self._joint(node)] if skin is None else self.json["skins"][skin]["joints"]
        owners = [self.owner(joint) for joint in joints]
        columns = np.array([width if name is None else self.chosen.index(name) for name in owners])
        table = np.zeros((count, width + 1))
        if skin is None:
            table[:, columns[0]] = 1.0
        else:
            for k in [k for k in range(8) if f"JOINTS_{k}" in given]:
                joint = columns[self.numbers(given[f"JOINTS_{k}"]).astype(np.int64)]
                weight = self.numbers(given[f"WEIGHTS_{k}"])
                for n in range(4):
                    np.add.at(table, (np.arange(count), joint[:, n]), weight[:, n])
        table = table[:, :width]  # the last column is of those without
        total = table.sum(axis=1, keepdims=True)
        if (total <= 0.0).any():
            movers = {self.name(joint) for joint, name in zip(joints, owners, strict=True) if name is None}
            remedy = "Name these joints, or one above them (segments=)."
            got = f"vertices that only {', '.join(sorted(movers)[:6])} move"
            raise InputError("each vertex must move with a segment", where=str(self.path), got=got, remedy=remedy)
        return np.asarray(table / total)


def _fewer(colors: Array) -> Array:
    """Return the nearest of a few colors where there are many, (n, 3)."""
    if len(np.unique(colors, axis=0)) <= _TONES:
        return colors
    from PIL import Image

    few = Image.fromarray(np.round(255.0 * colors).astype(np.uint8)[None]).quantize(_TONES, Image.Quantize.MEDIANCUT)
    return np.asarray(few.convert("RGB"), float)[0] / 255.0
