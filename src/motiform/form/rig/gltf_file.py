"""What a glTF 2.0 file holds: its nodes, numbers, colors and pictures."""

import base64
import binascii
import io
import json
import struct
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from motiform.base.errors import InputError
from motiform.base.files import named_file, plain_file
from motiform.spatial import rotation_from_quaternion
from motiform.spatial.checks import Array

__all__ = ["GltfFile"]

_KINDS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_PICTURES = ("PNG", "JPEG", "WEBP")  # of glTF and its extension; Pillow would run programs for others (EPS)
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class GltfFile:
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
            raise InputError("the file must be glTF 2.0", where=str(path), got=str(error)[:60]) from error
        packed = [name for name in self.json.get("extensionsRequired", ()) if "compression" in name]
        if packed:
            remedy = "Export it without compression."
            raise InputError("compressed meshes are not read", where=str(path), got=packed[0], remedy=remedy)
        self.above = {child: k for k, node in enumerate(self.nodes) for child in node.get("children", ())}

    def name(self, node: int) -> str:
        """Return the name of a node, or its number."""
        return str(self.nodes[node].get("name", node))

    def ancestors(self, node: int) -> list[int]:
        """Return a node and those above it."""
        found, at = [], node
        for _ in self.nodes:  # no more steps than nodes, whatever the file says
            found.append(at)
            if at not in self.above:
                break
            at = self.above[at]
        return found

    def place(self, node: int) -> Array:
        """Return the matrix from a node's space to the world, (4, 4)."""
        found = np.eye(4)
        for one in self.ancestors(node):
            found = _local(self.nodes[one]) @ found
        return found

    def numbers(self, index: int) -> Array:
        """Return the numbers of an accessor, (count, width); whole ones that stand for 0 to 1 as such."""
        accessor = self.json["accessors"][index]
        if "sparse" in accessor or "bufferView" not in accessor:
            raise InputError(
                "sparse and compressed numbers are not read", where=str(self.path), remedy="Export it plain."
            )
        view, width = self.json["bufferViews"][accessor["bufferView"]], _WIDTHS[accessor["type"]]
        kind = np.dtype(_KINDS[accessor["componentType"]])
        data, start = self._data(self.json["buffers"][view["buffer"]]), view.get("byteOffset", 0)
        start += accessor.get("byteOffset", 0)
        step, count = view.get("byteStride", width * kind.itemsize), accessor["count"]
        if start + (count - 1) * step + width * kind.itemsize > len(data):
            raise InputError("the numbers of the file must be whole", where=str(self.path))
        rows = np.ndarray((count, width), kind, data, start, (step, kind.itemsize)).astype(float)
        return rows / np.iinfo(kind).max if accessor.get("normalized") else rows

    def colors(self, primitive: dict[str, Any], faces: Any) -> Array:
        """Return the display color of each triangle: of its material, times that of its picture at the middle."""
        if "material" not in primitive:
            return np.tile([0.8, 0.6, 0.48], (len(faces), 1))
        material = self.json["materials"][primitive["material"]].get("pbrMetallicRoughness", {})
        factor = np.array(material.get("baseColorFactor", (1.0, 1.0, 1.0, 1.0)), float)[:3]
        color = np.tile(np.clip(factor, 0.0, 1.0), (len(faces), 1))
        texture = material.get("baseColorTexture")
        if texture is not None:
            at = self.numbers(primitive["attributes"][f"TEXCOORD_{texture.get('texCoord', 0)}"])
            pixels = self._picture(self.json["textures"][texture["index"]]["source"])
            height, width = pixels.shape[:2]
            u, v = (at[faces].mean(axis=1) % 1.0).T
            seen = pixels[
                np.minimum((v * height).astype(int), height - 1), np.minimum((u * width).astype(int), width - 1)
            ]
            color *= np.where(seen <= 0.04045, seen / 12.92, ((seen + 0.055) / 1.055) ** 2.4)
        return np.where(color <= 0.0031308, 12.92 * color, 1.055 * color ** (1.0 / 2.4) - 0.055)  # IEC 61966-2-1

    def _picture(self, index: int) -> Array:
        """Return the pixels of a picture from 0 to 1, (height, width, 3)."""
        from PIL import Image

        image = self.json["images"][index]
        if "bufferView" in image:
            view = self.json["bufferViews"][image["bufferView"]]
            start = view.get("byteOffset", 0)
            data = self._data(self.json["buffers"][view["buffer"]])[start : start + view["byteLength"]]
        else:
            data = self._data(image)
        try:
            return np.asarray(Image.open(io.BytesIO(data), formats=_PICTURES).convert("RGB"), float) / 255.0
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
            name = str(image.get("name", index))
            raise InputError("a picture of the file cannot be read", where=str(self.path), got=name[:60]) from error

    def _data(self, source: dict[str, Any]) -> bytes:
        """Return the bytes of a buffer or picture: in the file itself, or where it says."""
        uri = source.get("uri")
        if uri is None:
            return self.binary
        try:
            if uri.startswith("data:"):
                return base64.b64decode(uri.partition(",")[2], validate=True)
            found = named_file(unquote(uri), self.path.parent, reader="a rig", where=str(self.path))
            if found is None:
                raise FileNotFoundError(uri)
            return found.read_bytes()
        except (OSError, binascii.Error) as error:
            raise InputError("a buffer of the file cannot be read", where=str(self.path), got=uri[:60]) from error


def _local(node: dict[str, Any]) -> Array:
    """Return the matrix of a node in the space of the one above it, (4, 4)."""
    if "matrix" in node:
        return np.array(node["matrix"], float).reshape(4, 4).T  # by columns
    found = np.eye(4)
    x, y, z, w = node.get("rotation", (0.0, 0.0, 0.0, 1.0))
    found[:3, :3] = rotation_from_quaternion(np.array([w, x, y, z], float)) * np.array(
        node.get("scale", (1, 1, 1)), float
    )
    found[:3, 3] = node.get("translation", (0.0, 0.0, 0.0))
    return found
