"""glTF 2.0 with animation, as one binary file (.glb) or one text file (.gltf).

Written by hand with json and struct: few lines, and accessors can be shared, which keeps a flock of bodies small.
"""

import base64
import json
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import InputError
from motiform.image.export.keys import body_colors, body_names, key_times, poses, shape_key, viewpoint
from motiform.image.look import linear_from_srgb
from motiform.image.shading import shaded

if TYPE_CHECKING:
    from motiform.form import Form, Part

__all__ = ["write_gltf"]

_FLOAT, _UINT16, _UINT32 = 5126, 5123, 5125
_VERTICES, _INDICES = 34962, 34963  # what a bufferView is for
_LARGEST = 2**32 - 1  # [bytes] GLB counts lengths in 32 bits


def write_gltf(form: "Form", path: Path, *, rate: float | None = None) -> None:
    """Write the form to ``path``: a mesh per distinct shape and colour, a node per body, one animation.

    The axes of glTF are ours (right-handed, y up, metres). Times start at 0, as glTF demands; the time of the first
    sample is kept in the extras of the animation.
    """
    scene = _Document(form, key_times(form, rate))
    for part in form.parts:
        scene.add_part(part)
    scene.add_camera()
    document, chunks = scene.finish()
    if path.suffix.lower() == ".glb":
        _write_binary(path, document, chunks)
    else:
        _write_text(path, document, chunks)


class _Document:
    """The JSON of a glTF file and the binary chunks that it points into, as they grow."""

    def __init__(self, form: "Form", times: np.ndarray) -> None:
        self.form, self.times = form, times
        self.chunks: list[np.ndarray] = []
        self.size = 0
        self.json: dict[str, list[Any]] = {
            name: [] for name in ("nodes", "meshes", "materials", "accessors", "bufferViews", "cameras")
        }
        self.samplers: list[dict[str, Any]] = []
        self.channels: list[dict[str, Any]] = []
        self.roots: list[int] = []
        self.geometries: dict[str, dict[str, Any]] = {}
        self.meshes: dict[tuple[str, tuple[float, ...]], int] = {}
        self.materials: dict[tuple[float, ...], int] = {}
        self.input: int | None = None

    def add_part(self, part: "Part") -> None:
        """Add the bodies of a part: under one node of the part's name when there are several."""
        position, turn = (track.astype(np.float32) for track in poses(self.form, part, self.times))
        turn = turn[..., [1, 2, 3, 0]]  # glTF orders quaternions (x, y, z, w)
        key = shape_key(part)
        meshes = [self._mesh(part, key, tuple(color)) for color in body_colors(part).tolist()]
        first = len(self.json["nodes"])
        for i, name in enumerate(body_names(part)):
            translation, rotation = position[i, 0].tolist(), turn[i, 0].tolist()
            self.json["nodes"].append(
                {"name": name, "mesh": meshes[i], "translation": translation, "rotation": rotation}
            )
        self._animate(first, "translation", position)
        self._animate(first, "rotation", turn)
        bodies = list(range(first, len(self.json["nodes"])))
        if len(bodies) > 1:
            self.json["nodes"].append({"name": part.name, "children": bodies})
            bodies = [len(self.json["nodes"]) - 1]
        self.roots += bodies

    def add_camera(self) -> None:
        """Add the camera; as ours, it looks along its −z axis and its angle is between the lower and upper edge."""
        camera, turn = viewpoint(self.form)
        reach = float(np.linalg.norm(np.subtract(camera.target, camera.position)))
        lens = {"yfov": camera.fov, "znear": 0.01 * reach}
        self.json["cameras"].append({"type": "perspective", "perspective": lens})
        place = {"translation": list(camera.position), "rotation": turn[[1, 2, 3, 0]].tolist()}
        self.json["nodes"].append({"name": "camera", "camera": 0, **place})
        self.roots.append(len(self.json["nodes"]) - 1)

    def _animate(self, node: int, path: str, tracks: np.ndarray) -> None:
        """Animate one property of the nodes that follow; the tracks of bodies at rest in it are left out."""
        moving = np.flatnonzero(np.any(tracks != tracks[:, :1], axis=(1, 2)))
        if not len(moving):
            return
        view = self._view(tracks[moving])
        each = tracks[0].nbytes
        for k, i in enumerate(moving.tolist()):
            output = self._accessor(view, tracks[i], k * each)
            self.samplers.append({"input": self._input(), "output": output, "interpolation": "LINEAR"})
            self.channels.append({"sampler": len(self.samplers) - 1, "target": {"node": node + i, "path": path}})

    def _input(self) -> int:
        """Return the accessor of the instants, shared by all samplers."""
        if self.input is None:
            seconds = (self.times - self.times[0]).astype(np.float32)
            if np.any(np.diff(seconds) <= 0):
                raise InputError(
                    "samples lie too close for the single precision of glTF",
                    where=self.form.title or None,
                    got=f"{len(seconds)} samples in {self.times[-1] - self.times[0]:g} s",
                    remedy="Give a lower rate.",
                )
            self.input = self._accessor(self._view(seconds), seconds, bounds=True)
        return self.input

    def _mesh(self, part: "Part", key: str, color: tuple[float, ...]) -> int:
        """Return the mesh of a shape in a colour; meshes of one shape share their accessors."""
        if (key, color) not in self.meshes:
            if key not in self.geometries:
                self.geometries[key] = self._geometry(part)
            primitive = {**self.geometries[key], "material": self._material(color)}
            self.json["meshes"].append({"name": part.name, "primitives": [primitive]})
            self.meshes[key, color] = len(self.json["meshes"]) - 1
        return self.meshes[key, color]

    def _geometry(self, part: "Part") -> dict[str, Any]:
        mesh = part.shape.to_mesh()
        vertices, normals, faces = shaded(np.asarray(mesh.vertices) + part.offset, np.asarray(mesh.faces))
        vertices, normals = vertices.astype(np.float32), normals.astype(np.float32)
        # The largest index of a type is reserved, so 16 bits reach to 65 534.
        corners = faces.reshape(-1).astype(np.uint16 if len(vertices) < 65536 else np.uint32)
        attributes = {
            "POSITION": self._accessor(self._view(vertices, _VERTICES), vertices, bounds=True),
            "NORMAL": self._accessor(self._view(normals, _VERTICES), normals),
        }
        return {"attributes": attributes, "indices": self._accessor(self._view(corners, _INDICES), corners)}

    def _material(self, color: tuple[float, ...]) -> int:
        if color not in self.materials:
            rgba = [*linear_from_srgb(np.array(color)).tolist(), 1.0]
            shine = {"baseColorFactor": rgba, "metallicFactor": 0.0, "roughnessFactor": 0.7}
            self.json["materials"].append({"pbrMetallicRoughness": shine})
            self.materials[color] = len(self.json["materials"]) - 1
        return self.materials[color]

    def _view(self, data: np.ndarray, target: int | None = None) -> int:
        view = {"buffer": 0, "byteOffset": self.size, "byteLength": data.nbytes}
        self.json["bufferViews"].append(view if target is None else {**view, "target": target})
        self.chunks.append(data)
        self.size += data.nbytes + -data.nbytes % 4
        return len(self.json["bufferViews"]) - 1

    def _accessor(self, view: int, data: np.ndarray, offset: int = 0, *, bounds: bool = False) -> int:
        kind = {np.dtype(np.float32): _FLOAT, np.dtype(np.uint16): _UINT16, np.dtype(np.uint32): _UINT32}[data.dtype]
        entry: dict[str, Any] = {"bufferView": view, "componentType": kind, "count": len(data)}
        entry["type"] = "SCALAR" if data.ndim == 1 else f"VEC{data.shape[1]}"
        if offset:
            entry["byteOffset"] = offset
        if bounds:
            entry["min"] = np.atleast_1d(data.min(axis=0)).tolist()
            entry["max"] = np.atleast_1d(data.max(axis=0)).tolist()
        self.json["accessors"].append(entry)
        return len(self.json["accessors"]) - 1

    def finish(self) -> tuple[dict[str, Any], list[np.ndarray]]:
        """Return the JSON document, without its buffer's uri, and the chunks of the buffer in order."""
        from motiform import __version__

        title = self.form.title or "motiform"
        document: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": f"motiform {__version__}"},
            "scene": 0,
            "scenes": [{"name": title, "nodes": self.roots}],
            "buffers": [{"byteLength": self.size}],
        }
        if self.channels:
            extras = {"start": float(self.times[0])}
            moves = {"name": title, "channels": self.channels, "samplers": self.samplers, "extras": extras}
            document["animations"] = [moves]
        return document | {name: list_ for name, list_ in self.json.items() if list_}, self.chunks


def _packed(chunks: list[np.ndarray]) -> list[bytes]:
    """Return the chunks as little-endian bytes, each padded to a multiple of four."""
    raw = [chunk.astype(chunk.dtype.newbyteorder("<"), copy=False).tobytes() for chunk in chunks]
    return [data + bytes(-len(data) % 4) for data in raw]


def _write_binary(path: Path, document: dict[str, Any], chunks: list[np.ndarray]) -> None:
    text = json.dumps(document, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    size = document["buffers"][0]["byteLength"]
    total = 12 + 8 + len(text) + 8 + size
    if total > _LARGEST:
        raise InputError(
            "too large for a .glb file",
            got=f"{total / 2**30:.1f} GiB",
            allowed="less than 4 GiB",
            remedy="Give a lower rate.",
        )
    with path.open("wb") as out:
        out.write(struct.pack("<4sII", b"glTF", 2, total))
        out.write(struct.pack("<I4s", len(text), b"JSON") + text)
        out.write(struct.pack("<I4s", size, b"BIN\0"))
        out.writelines(_packed(chunks))


def _write_text(path: Path, document: dict[str, Any], chunks: list[np.ndarray]) -> None:
    data = base64.b64encode(b"".join(_packed(chunks))).decode()
    document["buffers"][0]["uri"] = f"data:application/octet-stream;base64,{data}"
    path.write_text(json.dumps(document, indent=1, allow_nan=False), encoding="utf-8")
