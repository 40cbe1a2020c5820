"""Rigged meshes of other programs: the skin of a glTF 2.0 file as a `Rig`."""

import base64
import binascii
import json
import os
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from motiform.base.errors import InputError, MotiformError
from motiform.base.files import plain_file
from motiform.form.rig.rig import Rig
from motiform.spatial import quaternion_from_rotation, upright
from motiform.spatial.checks import Array

__all__ = ["read_rig"]

_KINDS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
_TRIANGLES = 4


def read_rig(
    path: str | os.PathLike[str], *, segments: Mapping[str, str] | None = None, rest: Any = None, up: Any = "y"
) -> Rig:
    """Return the skinned mesh of a glTF file (.glb, .gltf), which follows a figure by `dress(rec, skin=rig)`.

    Parameters
    ----------
    segments : which joint of the file moves with which segment of the figure, {joint: segment}; None: equal names. What
        other joints move goes with the nearest one above them that is named.
    rest : {segment: (origin [m], quaternion)}, frames of the segments in the posture that the mesh was made in; None:
        those of the joints in the file, which is right where they are the segments' own.
    up : direction of the figure's world that points up; glTF has y up.
    """
    where = Path(path)
    try:
        return _read(where, segments, rest, up)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError, np.linalg.LinAlgError) as error:
        if isinstance(error, MotiformError):
            raise
        got = f"{type(error).__name__}: {error}"[:80]
        raise InputError("a glTF file must be as its specification says", where=str(where), got=got) from error


def _read(where: Path, segments: Mapping[str, str] | None, rest: Any, up: Any) -> Rig:
    file = _Gltf(where)
    skin, meshes = file.skin()
    names = file.owners(skin, segments)
    chosen = sorted({name for name in names if name is not None})
    if not chosen:
        known = ", ".join(file.joint_names(skin)[:12])
        raise InputError("no joint of the file is a segment", where=str(where), allowed=known, remedy="Give segments=.")
    vertices, faces, table, color = file.bound(meshes, names, chosen)
    turn = upright(up).T
    frames = file.frames(skin, segments, turn) if rest is None else rest
    weights = {name: table[:, k] for k, name in enumerate(chosen)}
    return Rig.bind(vertices @ turn.T, faces, frames, weights, color=color)


class _Gltf:
    """A glTF file: its structure and its numbers."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            data = plain_file(path).read_bytes()
        except OSError as error:
            raise InputError(f"cannot read the file: {error.strerror or error}", where=str(path)) from error
        self.binary = b""
        try:
            if data[:4] == b"glTF":
                size = struct.unpack("<I", data[12:16])[0]
                text, rest = data[20 : 20 + size], data[20 + size :]
                self.binary = rest[8 : 8 + struct.unpack("<I", rest[:4])[0]] if len(rest) >= 8 else b""
            else:
                text = data
            self.json: dict[str, Any] = json.loads(text)
            self.nodes = self.json["nodes"]
        except (ValueError, KeyError, TypeError, struct.error) as error:
            raise InputError("not a glTF 2.0 file", where=str(path), got=str(error)[:60]) from error

    def skin(self) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Return the first skin, and the meshes that it moves."""
        worn = [node for node in self.nodes if "skin" in node and "mesh" in node]
        if not worn:
            remedy = "Export it with its armature."
            raise InputError("the file has no skinned mesh", where=str(self.path), remedy=remedy)
        first = worn[0]["skin"]
        return self.json["skins"][first], [self.json["meshes"][node["mesh"]] for node in worn if node["skin"] == first]

    def joint_names(self, skin: dict[str, Any]) -> list[str]:
        """Return the names of a skin's joints."""
        return [str(self.nodes[k].get("name", k)) for k in skin["joints"]]

    def owners(self, skin: dict[str, Any], segments: Mapping[str, str] | None) -> list[str | None]:
        """Return the segment that each joint moves with: its own, or that of the nearest joint above."""
        names = self.joint_names(skin)
        wrong = [name for name in segments or () if name not in names]
        if wrong:
            raise InputError(
                "the file has no such joint", where=str(self.path), got=wrong[0], allowed=", ".join(names[:40])
            )
        own = {
            k: name if segments is None else segments.get(name) for k, name in zip(skin["joints"], names, strict=True)
        }
        above = {child: k for k, node in enumerate(self.nodes) for child in node.get("children", ())}
        found = []
        for joint in skin["joints"]:
            at: int | None = joint
            for _ in self.nodes:  # no more steps than nodes, whatever the file says
                if at is None or own.get(at) is not None:
                    break
                at = above.get(at)
            found.append(None if at is None else own.get(at))
        return found

    def frames(self, skin: dict[str, Any], segments: Mapping[str, str] | None, turn: Array) -> dict[str, Any]:
        """Return the frames of joints in the posture of the mesh, by the names of their segments."""
        count = len(skin["joints"])
        inverse = np.tile(np.eye(4), (count, 1, 1))
        if "inverseBindMatrices" in skin:
            inverse = self.numbers(skin["inverseBindMatrices"]).reshape(count, 4, 4).transpose(0, 2, 1)  # by columns
        found = {}
        for name, matrix in zip(self.joint_names(skin), np.linalg.inv(inverse), strict=True):
            segment = name if segments is None else segments.get(name)
            if segment is not None:
                u, _, vt = np.linalg.svd(matrix[:3, :3])  # less scale
                found[segment] = (turn @ matrix[:3, 3], quaternion_from_rotation(turn @ u @ vt))
        return found

    def bound(
        self, meshes: list[dict[str, Any]], names: list[str | None], chosen: list[str]
    ) -> tuple[Array, Any, Array, Array]:
        """Return vertices, faces, weights (points, segments) and colors (triangles, 3) of all primitives."""
        columns = np.array([-1 if name is None else chosen.index(name) for name in names])
        places, faces, tables, colors, seen = [], [], [], [], {}
        start = 0
        for one in (one for mesh in meshes for one in mesh["primitives"]):
            if one.get("mode", _TRIANGLES) != _TRIANGLES or "JOINTS_0" not in one["attributes"]:
                raise InputError("a skinned mesh must have triangles with joints", where=str(self.path))
            given = one["attributes"]
            key = (given["POSITION"], given["JOINTS_0"], given["WEIGHTS_0"])
            if key not in seen:
                points = self.numbers(key[0])
                places.append(points)
                tables.append(self._weights(given, len(points), columns, len(chosen)))
                seen[key] = (start, len(points))
                start += len(points)
            first, count = seen[key]
            index = self.numbers(one["indices"]).astype(np.int64).ravel() if "indices" in one else np.arange(count)
            faces.append(first + index.reshape(-1, 3))
            colors.append(np.tile(self._color(one), (len(faces[-1]), 1)))
        return np.concatenate(places), np.concatenate(faces), np.concatenate(tables), np.concatenate(colors)

    def _weights(self, given: dict[str, int], count: int, columns: Any, width: int) -> Array:
        """Return the weights of segments at vertices; what joints without a segment move is shared by the others."""
        table = np.zeros((count, width + 1))
        sets = [k for k in range(8) if f"JOINTS_{k}" in given]
        for k in sets:
            joint = columns[self.numbers(given[f"JOINTS_{k}"]).astype(np.int64)]
            weight = self.numbers(given[f"WEIGHTS_{k}"])
            for n in range(4):
                np.add.at(table, (np.arange(count), joint[:, n]), weight[:, n])
        table = table[:, :width]  # the last column is of those without
        total = table.sum(axis=1, keepdims=True)
        if (total <= 0.0).any():
            lost = int((total[:, 0] <= 0.0).argmax())
            got = f"vertex {lost}"
            remedy = "Name a joint above those that move it (segments=)."
            raise InputError("each vertex must move with a segment", where=str(self.path), got=got, remedy=remedy)
        return np.asarray(table / total)

    def _color(self, primitive: dict[str, Any]) -> Array:
        """Return the display color of a primitive's material."""
        if "material" not in primitive:
            return np.array([0.8, 0.6, 0.48])
        material = self.json["materials"][primitive["material"]].get("pbrMetallicRoughness", {})
        c = np.clip(np.array(material.get("baseColorFactor", (1.0, 1.0, 1.0, 1.0)), float)[:3], 0.0, 1.0)
        return np.where(c <= 0.0031308, 12.92 * c, 1.055 * c ** (1.0 / 2.4) - 0.055)  # IEC 61966-2-1

    def numbers(self, index: int) -> Array:
        """Return the numbers of an accessor, (count, width); whole ones that stand for 0 to 1 as such."""
        accessor = self.json["accessors"][index]
        if "sparse" in accessor or "bufferView" not in accessor:
            raise InputError(
                "sparse and compressed numbers are not read", where=str(self.path), remedy="Export it plain."
            )
        view, width = self.json["bufferViews"][accessor["bufferView"]], _WIDTHS[accessor["type"]]
        kind = np.dtype(_KINDS[accessor["componentType"]])
        data, start = self._buffer(view["buffer"]), view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        step, count = view.get("byteStride", width * kind.itemsize), accessor["count"]
        if start + (count - 1) * step + width * kind.itemsize > len(data):
            raise InputError("the numbers of the file must be whole", where=str(self.path))
        rows = np.ndarray((count, width), kind, data, start, (step, kind.itemsize)).astype(float)
        return rows / np.iinfo(kind).max if accessor.get("normalized") else rows

    def _buffer(self, index: int) -> bytes:
        uri = self.json["buffers"][index].get("uri")
        if uri is None:
            return self.binary
        try:
            if uri.startswith("data:"):
                return base64.b64decode(uri.partition(",")[2], validate=True)
            return plain_file(self.path.parent / uri).read_bytes()
        except (OSError, binascii.Error) as error:
            raise InputError("a buffer of the file cannot be read", where=str(self.path), got=uri[:60]) from error
