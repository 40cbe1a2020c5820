"""glTF 2.0 with animation, as one binary file (.glb) or one text file (.gltf).

Written by hand with json and struct: few lines, and accessors can be shared, which keeps a flock of bodies small.
"""

import base64
import json
import struct
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import InputError
from motiform.form.upright import stand_upright
from motiform.image.export.keys import (
    Track,
    body_colors,
    body_names,
    camera_track,
    key_times,
    poses,
    shape_key,
    viewpoint,
)
from motiform.image.export.soft import rods, shells, skin_times, skin_track
from motiform.image.export.tracks import KeyTracks, gathered
from motiform.image.look import linear_from_srgb
from motiform.image.shading import shaded, skin_split, vertex_normals

if TYPE_CHECKING:
    from motiform.form import AnimatedSurface, Form, LinkParts, Part, Skin
    from motiform.form.rig import Posed
    from motiform.geometry import Shape

__all__ = ["write_gltf"]

_FLOAT, _UINT16, _UINT32 = 5126, 5123, 5125
_VERTICES, _INDICES = 34962, 34963  # what a bufferView is for
_URI = "data:application/octet-stream;base64,"
_LARGEST = 2**32 - 1  # [bytes] GLB counts lengths in 32 bits


def write_gltf(form: "Form", path: Path, *, rate: float | None = None) -> None:
    """Write the form to ``path``: a mesh per distinct shape and colour, a node per body, one animation.

    A link is a rod whose node is moved, turned and scaled. A skin has a morph target for each of its shapes after the
    first, of which the animation blends two at a time; there are at most `soft.MOST_SHAPES` shapes. A rigged surface is
    a skin of glTF: viewers blend the frames of its segments linearly, pictures of motiform by dual quaternions. A
    surface whose triangles change has a node for each instant, of size 1 while it is shown and else of size 0.

    The axes of glTF are right-handed with y up, in metres; a form with another up is turned. Times start at 0, as glTF
    demands; the time of the first sample is kept in the extras of the animation.
    """
    form = stand_upright(form)
    scene = _Document(form, key_times(form, rate), path.parent)
    form.write_to(scene)
    scene.add_camera()
    document, chunks = scene.finish()
    if path.suffix.lower() == ".glb":
        _write_binary(path, document, chunks)
    else:
        _write_text(path, document, chunks)


Chunk = np.ndarray | Callable[[], np.ndarray]
"""Part of the buffer of a file, or what gives it when it is written."""


class _Document:
    """The JSON of a glTF file and the binary chunks that it points into, as they grow."""

    def __init__(self, form: "Form", times: np.ndarray, folder: Path) -> None:
        self.form, self.times, self.folder = form, times, folder
        self.chunks: list[Chunk] = []
        self.size = 0
        self.json: dict[str, list[Any]] = {
            name: [] for name in ("nodes", "meshes", "materials", "skins", "accessors", "bufferViews", "cameras")
        }
        self.samplers: list[dict[str, Any]] = []
        self.channels: list[dict[str, Any]] = []
        self.roots: list[int] = []
        self.geometries: dict[str, dict[str, Any]] = {}
        self.meshes: dict[tuple[str, tuple[float, ...]], int] = {}
        self.materials: dict[tuple[tuple[float, ...], bool], int] = {}
        self.inputs: dict[bytes, int] = {}

    def add_part(self, part: "Part") -> None:
        """Add the bodies of a part: under one node of the part's name when there are several."""
        tracks = self._gathered(poses(self.form, part, self.times), part.count)
        size = None if part.scale is None else np.repeat(part.scale.astype(np.float32)[:, None], 3, axis=1)
        self._add_bodies(part, part.shape, part.offset, shape_key(part), tracks, size)

    def add_links(self, links: "LinkParts") -> None:
        """Add links as rods: cylinders of radius and length 1 that are scaled."""
        from motiform.geometry import Cylinder

        tracks = self._gathered(rods(self.form, links, self.times), links.count)
        self._add_bodies(links, Cylinder(1.0, 1.0), np.zeros(3), "rod", tracks, tracks[2].first)

    def _gathered(self, blocks: Iterable[tuple[int, tuple[np.ndarray, ...]]], count: int) -> list[KeyTracks]:
        """Return the tracks of positions, turns and, where there are some, sizes."""
        ordered = ((k, (at, turn[..., [1, 2, 3, 0]], *size)) for k, (at, turn, *size) in blocks)  # glTF: (x, y, z, w)
        return gathered(ordered, count, len(self.times), self.folder, np.float32)

    def _add_bodies(
        self, part: "Part | LinkParts", shape: "Shape", offset: np.ndarray, key: str, tracks: list[KeyTracks],
        size: np.ndarray | None,
    ) -> None:  # fmt: skip
        meshes = [self._mesh(part.name, shape, offset, key, tuple(color)) for color in body_colors(part).tolist()]
        first = len(self.json["nodes"])
        for i, name in enumerate(body_names(part)):
            node = {"name": name, "mesh": meshes[i]}
            node |= {"translation": tracks[0].first[i].tolist(), "rotation": tracks[1].first[i].tolist()}
            self.json["nodes"].append(node if size is None else {**node, "scale": size[i].tolist()})
        for path, track in zip(("translation", "rotation", "scale"), tracks, strict=False):
            self._animate(first, path, track)
        bodies = list(range(first, len(self.json["nodes"])))
        if len(bodies) > 1:
            self.json["nodes"].append({"name": part.name, "children": bodies})
            bodies = [len(self.json["nodes"]) - 1]
        self.roots += bodies

    def add_skin(self, skin: "Skin") -> None:
        """Add a skin: its first shape as a mesh, the others as morph targets, a primitive for each colour."""
        from motiform.form.rig import Posed

        if isinstance(skin.vertices, Posed):
            self.add_rig(skin, skin.vertices)
            return
        times = skin_times(self.times)
        source, faces = skin_split(skin)
        shapes = skin_track(self.form, skin, times, source)

        def shaped(k: int) -> tuple[np.ndarray, np.ndarray]:
            places = shapes[k]
            shape, normals = places.astype(np.float32), vertex_normals(places, faces).astype(np.float32)
            return (shape, normals) if k == 0 else (shape - first[0], normals - first[1])

        first = shaped(0)
        attributes = self._attributes(*first)
        targets = [
            self._attributes(*shaped(k), again=(partial(_one_of, shaped, k, 0), partial(_one_of, shaped, k, 1)))
            for k in range(1, len(shapes))
        ]
        mesh = self._add_mesh(skin, attributes, faces)
        if targets:
            mesh["weights"] = [0.0] * len(targets)
            for primitive in mesh["primitives"]:
                primitive["targets"] = targets
        self.json["nodes"].append({"name": skin.name, "mesh": len(self.json["meshes"]) - 1})
        self.roots.append(len(self.json["nodes"]) - 1)
        if targets:
            weights = np.eye(len(shapes), dtype=np.float32)[:, 1:].reshape(-1)
            self._add_channel(
                times, self._accessor(self._view([weights], weights.nbytes), weights), self.roots[-1], "weights"
            )

    def add_surface(self, surface: "AnimatedSurface") -> None:
        """Add a surface: a mesh for each instant, shown from it to the next."""
        times = skin_times(self.times)
        nodes = []
        for k, (skin, normals) in enumerate(shells(self.form, surface, times)):
            if not len(skin.faces):
                continue
            attributes = self._attributes(np.asarray(skin.vertices[0], np.float32), normals.astype(np.float32))
            self._add_mesh(skin, attributes, skin.faces)
            node = {"name": f"{surface.name} {k + 1}", "mesh": len(self.json["meshes"]) - 1}
            self.json["nodes"].append(node if k == 0 else {**node, "scale": [0.0, 0.0, 0.0]})
            nodes.append(len(self.json["nodes"]) - 1)
            if len(times) > 1:
                keys = np.unique([0, k, min(k + 1, len(times) - 1)])
                size = np.repeat((keys == k)[:, None], 3, axis=1).astype(np.float32)
                shown = self._accessor(self._view([size], size.nbytes), size)
                self._add_channel(times[keys], shown, nodes[-1], "scale", "STEP")
        self.json["nodes"].append({"name": surface.name, "children": nodes} if nodes else {"name": surface.name})
        self.roots.append(len(self.json["nodes"]) - 1)

    def add_rig(self, skin: "Skin", posed: "Posed") -> None:
        """Add a rigged surface as a skin of glTF: a mesh at rest, and a node for each segment that moves it."""
        rig = posed.rig
        track = Track(skin.name, posed.position, posed.orientation)
        position, turn = self._gathered(poses(self.form, track, self.times), len(rig.segments))
        first = len(self.json["nodes"])
        for name, at, way in zip(rig.segments, position.first.tolist(), turn.first.tolist(), strict=True):
            self.json["nodes"].append({"name": name, "translation": at, "rotation": way})
        self._animate(first, "translation", position)
        self._animate(first, "rotation", turn)
        joints = list(range(first, first + len(rig.segments)))
        inverse = _inverse_frames(rig.position, rig.orientation)
        binding = self._accessor(self._view([inverse], inverse.nbytes), inverse)
        self.json["skins"].append({"name": skin.name, "joints": joints, "skeleton": first + len(joints),
                                   "inverseBindMatrices": binding})  # fmt: skip
        normals = vertex_normals(rig.vertices, skin.faces).astype(np.float32)
        attributes = self._attributes(rig.vertices.astype(np.float32), normals)
        for name, data in (("JOINTS_0", rig.joint.astype(np.uint16)), ("WEIGHTS_0", rig.weight.astype(np.float32))):
            attributes[name] = self._accessor(self._view([data], data.nbytes, _VERTICES), data)
        self._add_mesh(skin, attributes, skin.faces)
        root = {"name": f"{skin.name} segments", "children": joints}
        mesh = {"name": skin.name, "mesh": len(self.json["meshes"]) - 1, "skin": len(self.json["skins"]) - 1}
        self.json["nodes"] += [root, mesh]
        self.roots += [first + len(joints), first + len(joints) + 1]

    def _add_mesh(self, skin: "Skin", attributes: dict[str, int], faces: np.ndarray) -> dict[str, Any]:
        """Add the mesh of a skin, a primitive for each colour."""
        primitives = []
        for color, own in skin.tones:
            corners = self._corners(faces[own], int(faces.max()) + 1)
            material = self._material(tuple((np.round(color * 255) / 255).tolist()), skin.two_sided)
            primitives.append({"attributes": attributes, "indices": corners, "material": material})
        self.json["meshes"].append({"name": skin.name, "primitives": primitives})
        mesh: dict[str, Any] = self.json["meshes"][-1]
        return mesh

    def add_camera(self) -> None:
        """Add the camera; as ours, it looks along its −z axis and its angle is between the lower and upper edge."""
        camera, turn = viewpoint(self.form)
        reach = float(np.linalg.norm(np.subtract(camera.target, camera.position)))
        lens = {"yfov": camera.fov, "znear": 0.01 * reach}
        self.json["cameras"].append({"type": "perspective", "perspective": lens})
        place = {"translation": list(camera.position), "rotation": turn[[1, 2, 3, 0]].tolist()}
        self.json["nodes"].append({"name": "camera", "camera": 0, **place})
        node = len(self.json["nodes"]) - 1
        self.roots.append(node)
        track = camera_track(self.form, self.times)
        if track is not None:
            places, turns = np.array([one.position for one in track[0]]), track[1][:, [1, 2, 3, 0]]
            for path, values in (("translation", places), ("rotation", turns)):
                tracks = KeyTracks((1, *values.shape), np.float32, self.folder)
                tracks.put(0, values[None])
                self._animate(node, path, tracks)

    def _animate(self, node: int, path: str, tracks: KeyTracks) -> None:
        """Animate one property of the nodes that follow; the tracks of bodies at rest in it are left out."""
        moving = np.flatnonzero(tracks.moves).tolist()
        if not moving:
            return
        view = self._view([partial(tracks.__getitem__, i) for i in moving], len(moving) * tracks.body_bytes)
        like = tracks[moving[0]]
        for k, i in enumerate(moving):
            self._add_channel(self.times, self._accessor(view, like, k * tracks.body_bytes), node + i, path)

    def _add_channel(self, times: np.ndarray, output: int, node: int, path: str, way: str = "LINEAR") -> None:
        self.samplers.append({"input": self._input(times), "output": output, "interpolation": way})
        self.channels.append({"sampler": len(self.samplers) - 1, "target": {"node": node, "path": path}})

    def _input(self, times: np.ndarray) -> int:
        """Return the accessor of instants, shared by all samplers that have them."""
        key = times.tobytes()
        if key not in self.inputs:
            seconds = (times - self.times[0]).astype(np.float32)
            if np.any(np.diff(seconds) <= 0):
                raise InputError(
                    "samples lie too close for the single precision of glTF", where=self.form.title or None,
                    got=f"{len(seconds)} samples in {self.times[-1] - self.times[0]:g} s", remedy="Give a lower rate.",
                )  # fmt: skip
            self.inputs[key] = self._accessor(self._view([seconds], seconds.nbytes), seconds, bounds=True)
        return self.inputs[key]

    def _mesh(self, name: str, shape: "Shape", offset: np.ndarray, key: str, color: tuple[float, ...]) -> int:
        """Return the mesh of a shape in a colour; meshes of one shape share their accessors."""
        if (key, color) not in self.meshes:
            if key not in self.geometries:
                self.geometries[key] = self._geometry(shape, offset)
            primitive = {**self.geometries[key], "material": self._material(color)}
            self.json["meshes"].append({"name": name, "primitives": [primitive]})
            self.meshes[key, color] = len(self.json["meshes"]) - 1
        return self.meshes[key, color]

    def _geometry(self, shape: "Shape", offset: np.ndarray) -> dict[str, Any]:
        mesh = shape.to_mesh()
        vertices, normals, faces = shaded(np.asarray(mesh.vertices) + offset, np.asarray(mesh.faces))
        attributes = self._attributes(vertices.astype(np.float32), normals.astype(np.float32))
        return {"attributes": attributes, "indices": self._corners(faces, len(vertices))}

    def _attributes(
        self, vertices: np.ndarray, normals: np.ndarray, again: "tuple[Chunk, Chunk] | None" = None
    ) -> dict[str, int]:
        """Return the accessors of a shape; with `again`, what gives its arrays anew, they are not kept until then."""
        place, side = (vertices, normals) if again is None else again
        return {
            "POSITION": self._accessor(self._view([place], vertices.nbytes, _VERTICES), vertices, bounds=True),
            "NORMAL": self._accessor(self._view([side], normals.nbytes, _VERTICES), normals),
        }

    def _corners(self, faces: np.ndarray, vertices: int) -> int:
        # The largest index of a type is reserved, so 16 bits reach to 65 534.
        corners = faces.reshape(-1).astype(np.uint16 if vertices < 65536 else np.uint32)
        return self._accessor(self._view([corners], corners.nbytes, _INDICES), corners)

    def _material(self, color: tuple[float, ...], two_sided: bool = False) -> int:
        key = color, two_sided
        if key not in self.materials:
            rgba = [*linear_from_srgb(np.array(color)).tolist(), 1.0]
            shine = {"baseColorFactor": rgba, "metallicFactor": 0.0, "roughnessFactor": 0.7}
            material: dict[str, Any] = {"pbrMetallicRoughness": shine}
            self.json["materials"].append({**material, "doubleSided": True} if two_sided else material)
            self.materials[key] = len(self.json["materials"]) - 1
        return self.materials[key]

    def _view(self, arrays: "list[Chunk]", size: int, target: int | None = None) -> int:
        """Lay arrays of so many bytes together, or what gives them, one after the other into the buffer."""
        view = {"buffer": 0, "byteOffset": self.size, "byteLength": size}
        self.json["bufferViews"].append(view if target is None else {**view, "target": target})
        self.chunks += [*arrays, *([np.zeros(-size % 4, np.uint8)] if size % 4 else [])]
        self.size += size + -size % 4
        return len(self.json["bufferViews"]) - 1

    def _accessor(self, view: int, data: np.ndarray, offset: int = 0, *, bounds: bool = False) -> int:
        kind = {np.dtype(np.float32): _FLOAT, np.dtype(np.uint16): _UINT16, np.dtype(np.uint32): _UINT32}[data.dtype]
        entry: dict[str, Any] = {"bufferView": view, "componentType": kind, "count": len(data)}
        kinds = {1: "SCALAR", 2: f"VEC{data.shape[-1]}", 3: f"MAT{data.shape[-1]}"}
        entry["type"] = kinds[data.ndim]
        if offset:
            entry["byteOffset"] = offset
        if bounds:
            entry["min"] = np.atleast_1d(data.min(axis=0)).tolist()
            entry["max"] = np.atleast_1d(data.max(axis=0)).tolist()
        self.json["accessors"].append(entry)
        return len(self.json["accessors"]) - 1

    def finish(self) -> "tuple[dict[str, Any], list[Chunk]]":
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


def _inverse_frames(position: np.ndarray, orientation: np.ndarray) -> np.ndarray:
    """Return the inverses of frames as glTF stores them, by columns, (n, 4, 4)."""
    from motiform.spatial import rotation_from_quaternion

    turn = rotation_from_quaternion(orientation)
    found = np.zeros((len(turn), 4, 4), np.float32)
    found[:, :3, :3], found[:, 3, 3] = turn, 1.0  # Rᵀ by rows is R by columns
    found[:, 3, :3] = -np.einsum("nji,nj->ni", turn, position)
    return found


def _one_of(give: Callable[[int], tuple[np.ndarray, ...]], k: int, which: int) -> np.ndarray:
    return give(k)[which]


def _packed(chunks: "list[Chunk]") -> Iterator[bytes]:
    """Give the chunks as little-endian bytes, one after the other."""
    for chunk in chunks:
        data = chunk() if callable(chunk) else chunk
        yield data.astype(data.dtype.newbyteorder("<"), copy=False).tobytes()


def _json(document: dict[str, Any], **how: Any) -> str:
    try:
        return json.dumps(document, allow_nan=False, **how)
    except ValueError:
        raise InputError("glTF has numbers of single precision", got="places or sizes beyond 3.4e38") from None


def _write_binary(path: Path, document: dict[str, Any], chunks: "list[Chunk]") -> None:
    text = _json(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    size = document["buffers"][0]["byteLength"]
    total = 12 + 8 + len(text) + 8 + size
    if total > _LARGEST:
        raise InputError(
            "the form is too large for a .glb file", got=f"{total / 2**30:.1f} GiB", allowed="less than 4 GiB",
            remedy="Give a lower rate.",
        )  # fmt: skip
    with path.open("wb") as out:
        out.write(struct.pack("<4sII", b"glTF", 2, total))
        out.write(struct.pack("<I4s", len(text), b"JSON") + text)
        out.write(struct.pack("<I4s", size, b"BIN\0"))
        out.writelines(_packed(chunks))


def _write_text(path: Path, document: dict[str, Any], chunks: "list[Chunk]") -> None:
    document["buffers"][0]["uri"] = _URI
    text = _json(document, indent=1)
    place = text.index(f'"uri": "{_URI}') + len(f'"uri": "{_URI}')  # a quotation mark in a title is escaped
    with path.open("w", encoding="utf-8") as out:
        out.write(text[:place])
        rest = b""
        for data in _packed(chunks):
            rest += data
            whole = len(rest) // 3 * 3
            out.write(base64.b64encode(rest[:whole]).decode("ascii"))
            rest = rest[whole:]
        out.write(base64.b64encode(rest).decode("ascii") + text[place:])
