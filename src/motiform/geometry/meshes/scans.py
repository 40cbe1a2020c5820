"""Meshes of formats that scans of bones come in: Open Inventor and VRML as text, VTK's legacy polygons.

trimesh reads neither; VTK itself, which reads both, has no wheels for all platforms.
"""

import itertools
import re
from typing import Any

import numpy as np

from motiform.spatial.checks import Array

__all__ = ["parse_inventor", "parse_vtk"]


def parse_inventor(data: bytes) -> tuple[Array, Any]:
    """Return vertices and triangles of all faces of an Inventor or VRML file, polygons as fans."""
    if not re.match(rb"#(Inventor|VRML) V[\d.]+ (ascii|utf8)", data):
        raise ValueError("it must begin with '#Inventor V2.1 ascii', '#VRML V1.0 ascii' or '#VRML V2.0 utf8'")
    text = re.sub(r"#[^\n]*", "", data.decode("utf-8", "replace"))
    places = [_numbers(block, float).reshape(-1, 3) for block in re.findall(r"\bpoint\s*+\[([^\[\]]*+)\]", text)]
    orders = [_numbers(block, int) for block in re.findall(r"\bcoordIndex\s*+\[([^\[\]]*+)\]", text)]
    if len(places) != len(orders):
        raise ValueError(f"points and faces must be as many sets, not {len(places)} and {len(orders)}")
    starts = np.cumsum([0, *map(len, places)])
    faces = [start + _inside(_fans(order), len(own)) for start, order, own in zip(starts, orders, places, strict=False)]
    return np.concatenate([np.zeros((0, 3)), *places]), np.concatenate([np.zeros((0, 3), np.int64), *faces])


def _numbers(block: str, kind: type) -> Any:
    return np.array(block.replace(",", " ").split(), dtype=kind)


def _fans(order: Any) -> Any:
    """Return triangles (n, 3) of polygons that −1 ends."""
    polygons = np.split(order, np.flatnonzero(order < 0) + 1)
    rows = [polygon[polygon >= 0] for polygon in polygons]
    return _triangles([row for row in rows if len(row) > 2])


def _triangles(polygons: list[Any]) -> Any:
    """Return triangles of polygons, each as a fan from its first corner."""
    if polygons and all(len(row) == 3 for row in polygons):
        return np.stack(polygons)
    found = [(row[0], b, c) for row in polygons for b, c in itertools.pairwise(row)]
    return np.array(found, np.int64).reshape(-1, 3)


def _inside(faces: Any, count: int) -> Any:
    if len(faces) and faces.max() >= count:
        raise ValueError(f"corner {faces.max()} is not among {count}")
    return faces


def parse_vtk(data: bytes) -> tuple[Array, Any]:
    """Return vertices and triangles of a legacy VTK file with polygons, text or binary, of version 5 or before."""
    match = re.match(rb"# vtk DataFile Version [\d.]+\r?\n[^\n]*\n(ASCII|BINARY)\r?\nDATASET POLYDATA\r?\n", data)
    if match is None:
        raise ValueError("it must be a legacy file of POLYDATA")
    read = _Blocks(data, match[1] == b"BINARY")
    count, kind = read.head(rb"POINTS (\d+) (\w+)")
    vertices = read.values(3 * int(count), kind).astype(np.float64).reshape(-1, 3)
    first, second = (int(n) for n in read.head(rb"POLYGONS (\d+) (\d+)"))
    if read.has(rb"OFFSETS (\w+)"):  # version 5: where each polygon begins, then all corners
        ends = read.values(first, read.head(rb"OFFSETS (\w+)")[0])
        corners = read.values(second, read.head(rb"CONNECTIVITY (\w+)")[0])
    else:  # before: the number of corners, then they, polygon after polygon
        flat = read.values(second, b"int")
        starts = [0]
        while starts[-1] < len(flat):
            starts.append(starts[-1] + 1 + int(flat[starts[-1]]))
        keep = np.ones(len(flat), bool)
        keep[starts[:-1]] = False
        corners, ends = flat[keep], np.array(starts) - np.arange(len(starts))
    polygons = [corners[a:b].astype(np.int64) for a, b in itertools.pairwise(ends)]
    return vertices, _inside(_triangles([row for row in polygons if len(row) > 2]), len(vertices))


class _Blocks:
    """A legacy VTK file, read block after block."""

    _KINDS = {b"float": "f4", b"double": "f8", b"int": "i4", b"long": "i8", b"vtktypeint64": "i8"}  # noqa: RUF012

    def __init__(self, data: bytes, binary: bool) -> None:
        self.data, self.binary, self.at = data, binary, 0

    def has(self, pattern: bytes) -> bool:
        return re.compile(rb"\s*" + pattern).match(self.data, self.at) is not None

    def head(self, pattern: bytes) -> tuple[bytes, ...]:
        """Return the words of the next line of this form, which need not be the very next one."""
        match = re.compile(pattern).search(self.data, self.at)
        end = -1 if match is None else self.data.find(b"\n", match.end())
        if match is None or end < 0:
            raise ValueError(f"a line {pattern.decode().split()[0]} must be there")
        self.at = end + 1
        return match.groups()

    def values(self, count: int, kind: bytes) -> Any:
        if kind not in self._KINDS:
            raise ValueError(f"numbers of the type {kind.decode()} cannot be read")
        code = self._KINDS[kind]
        if self.binary:  # big-endian
            found = np.frombuffer(self.data, ">" + code, count, self.at)
            self.at += found.nbytes
            return found
        words = []
        pattern = re.compile(rb"\S+")
        for _ in range(count):
            match = pattern.search(self.data, self.at)
            if match is None:
                raise ValueError("it must not end before its last number")
            words.append(match[0])
            self.at = match.end()
        return np.array(words).astype(code)
