"""COLLADA (.dae): the triangles of a scene, each geometry where its nodes put it, in metres.

Read: triangles, polygons, strips and fans of positions, the tree of nodes with all its transforms, nodes and skins that
are used elsewhere, the unit. Axes are the file's own: what it says to be up is for programs that show it, and readers
of robots (RViz, Gazebo, coal) do not turn by it either. Lines, materials, textures, lights and motion are left out.
"""

import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motiform.spatial.checks import Array

__all__ = ["parse_collada"]

_MOST_NODES = 100_000  # of a scene, those counted each time they are used
_MOST_FACES = 20_000_000
_Faces = NDArray[np.int64]


def parse_collada(data: bytes) -> tuple[Array, _Faces]:
    """Return corners [m] (n, 3) and triangles (m, 3) of a document. ValueError says what is wrong with it."""
    return _Document(data).triangles()


class _Plain(ET.TreeBuilder):
    """Elements under names without a namespace; document types, and so entities, are refused."""

    def start(self, tag: Any, attrs: Any) -> Any:
        return super().start(tag.rpartition("}")[2], attrs)

    def end(self, tag: Any) -> Any:
        return super().end(tag.rpartition("}")[2])

    def doctype(self, *_: Any) -> None:
        raise ValueError("a document type (<!DOCTYPE …>) is not read")


class _Document:
    def __init__(self, data: bytes) -> None:
        parser = ET.XMLParser(target=_Plain())
        parser.feed(data)
        self.root = parser.close()
        if self.root.tag != "COLLADA":
            raise ValueError(f"the root is <{self.root.tag[:40]}>, not <COLLADA>")
        self.by_id = {element.attrib["id"]: element for element in self.root.iter() if "id" in element.attrib}
        self.meshes: dict[str, tuple[Array, _Faces]] = {}

    def triangles(self) -> tuple[Array, _Faces]:
        unit = self.root.find("asset/unit")
        metre = 1.0 if unit is None else float(unit.get("meter", "1"))
        placed = list(self._placed()) or [(name, np.eye(4)) for name in self._names()]
        corners, faces, count = [np.zeros((0, 3))], [np.zeros((0, 3), np.int64)], 0
        for name, place in placed:
            points, table = self._mesh(name)
            mirrored = np.linalg.det(place[:3, :3]) < 0
            faces.append((table[:, ::-1] if mirrored else table) + count)
            corners.append(points @ place[:3, :3].T + place[:3, 3])
            count += len(points)
            if sum(map(len, faces)) > _MOST_FACES:
                raise ValueError(f"the scene has more than {_MOST_FACES} triangles")
        return metre * np.concatenate(corners), np.concatenate(faces)

    # ---- the scene
    def _placed(self) -> Iterator[tuple[str, Array]]:
        """Yield the geometries of the scene with their placement in it, (4, 4)."""
        scene = self.root.find("scene/instance_visual_scene")
        if scene is None:
            return
        waiting = [(node, np.eye(4)) for node in self._of(scene).findall("node")]
        for count, (node, above) in enumerate(waiting):  # it grows
            if count > _MOST_NODES:
                raise ValueError(f"the scene has more than {_MOST_NODES} nodes")
            place = above @ _transform(node)
            waiting += [(child, place) for child in node.findall("node")]
            waiting += [(self._of(one), place) for one in node.findall("instance_node")]
            yield from ((_name(one, "url"), place) for one in node.findall("instance_geometry"))
            for one in node.findall("instance_controller"):
                yield self._skin(self._of(one), place)

    def _skin(self, controller: ET.Element, place: Array) -> tuple[str, Array]:
        """Return the geometry of a skin or a morph as it is bound."""
        for _ in range(9):  # a skin of a morph of a geometry
            skin = controller.find("skin")
            skin = controller.find("morph") if skin is None else skin
            if skin is None:
                break
            bound = skin.find("bind_shape_matrix")
            place = place if bound is None else place @ _numbers(bound, 16).reshape(4, 4)
            name = _name(skin, "source")
            if self.by_id[name].tag == "geometry":
                return name, place
            controller = self.by_id[name]
        raise ValueError("a controller has no geometry")

    def _of(self, element: ET.Element) -> ET.Element:
        """Return what an instance is of."""
        name = _name(element, "url")
        if name not in self.by_id:
            raise ValueError(f"there is nothing of the id {name[:60]!r}")
        return self.by_id[name]

    def _names(self) -> list[str]:
        return [one.attrib["id"] for one in self.root.iterfind("library_geometries/geometry") if "id" in one.attrib]

    # ---- geometries
    def _mesh(self, name: str) -> tuple[Array, _Faces]:
        """Return corners and triangles of a geometry, in its own frame and unit."""
        if name not in self.meshes:
            if name not in self.by_id:
                raise ValueError(f"there is no geometry {name[:60]!r}")
            mesh = self.by_id[name].find("mesh")
            parts = [] if mesh is None else [self._part(one) for one in mesh if one.tag in _KINDS]
            corners, faces, count = [np.zeros((0, 3))], [np.zeros((0, 3), np.int64)], 0
            for points, table in parts:
                corners, faces = [*corners, points], [*faces, table + count]
                count += len(points)
            self.meshes[name] = np.concatenate(corners), np.concatenate(faces)
        return self.meshes[name]

    def _part(self, part: ET.Element) -> tuple[Array, _Faces]:
        """Return the corners that triangles, polygons or strips refer to, and their triangles."""
        inputs = {one.get("semantic", ""): one for one in part.findall("input")}
        if "VERTEX" not in inputs:
            return np.zeros((0, 3)), np.zeros((0, 3), np.int64)
        stride = 1 + max(int(one.get("offset", "0")) for one in part.findall("input"))
        vertices = self.by_id[_name(inputs["VERTEX"], "source")]
        source = next(one for one in vertices.findall("input") if one.get("semantic") == "POSITION")
        points = _positions(self.by_id[_name(source, "source")])
        if part.find("ph") is not None:
            raise ValueError("polygons with holes are not read")
        first = int(inputs["VERTEX"].get("offset", "0"))
        rings = [_whole(ring).reshape(-1, stride)[:, first] for ring in part.findall("p")]
        faces = np.concatenate([np.zeros((0, 3), np.int64), *_KINDS[part.tag](part, rings)])
        if faces.size and not (faces.min() >= 0 and faces.max() < len(points)):
            raise ValueError("a face must refer to corners that are there")
        return points, faces


def _triangles(part: ET.Element, rings: list[_Faces]) -> list[_Faces]:
    return [ring.reshape(-1, 3) for ring in rings]


def _polylist(part: ET.Element, rings: list[_Faces]) -> list[_Faces]:
    sizes = [_whole(one) for one in part.findall("vcount")]
    if not sizes or not rings:
        return []
    if sizes[0].sum() != len(rings[0]) or (sizes[0] < 0).any():
        raise ValueError("the corners of polygons are not as many as it says")
    starts = np.concatenate(([0], np.cumsum(sizes[0])[:-1])).astype(np.int64)
    found = []
    for size in np.unique(sizes[0][sizes[0] >= 3]):
        table = rings[0][starts[sizes[0] == size][:, None] + np.arange(size)]
        found += [table[:, [0, k, k + 1]] for k in range(1, size - 1)]
    return found


def _fans(part: ET.Element, rings: list[_Faces]) -> list[_Faces]:
    """Return triangles around the first corner of each ring."""
    rings = [ring for ring in rings if len(ring) >= 3]
    return [np.stack([np.full(len(ring) - 2, ring[0]), ring[1:-1], ring[2:]], axis=1) for ring in rings]


def _strips(part: ET.Element, rings: list[_Faces]) -> list[_Faces]:
    """Return triangles of three corners in a row, every second one turned."""
    found = [np.stack([ring[:-2], ring[1:-1], ring[2:]], axis=1) for ring in rings if len(ring) >= 3]
    for table in found:
        table[1::2] = table[1::2, ::-1]
    return found


_KINDS: dict[str, Callable[[ET.Element, list[_Faces]], list[_Faces]]] = {
    "triangles": _triangles,
    "polylist": _polylist,
    "polygons": _fans,
    "trifans": _fans,
    "tristrips": _strips,
}


def _positions(source: ET.Element) -> Array:
    """Return the points of a source."""
    accessor, array = source.find("technique_common/accessor"), source.find("float_array")
    if array is None:
        raise ValueError("positions must be in the file, in a <float_array>")
    numbers = _numbers(array)
    step, start = 3, 0
    if accessor is not None:
        step, start = int(accessor.get("stride", "1")), int(accessor.get("offset", "0"))
    count = (len(numbers) - start) // step if step > 0 else 0
    if step < 3 or start < 0 or count < 1:
        raise ValueError("positions must have three numbers each")
    return numbers[start : start + count * step].reshape(count, step)[:, :3]


def _transform(node: ET.Element) -> Array:
    """Return the transforms of a node, in their order, (4, 4)."""
    found = np.eye(4)
    for one in node:
        if one.tag in _TRANSFORMS:
            found = found @ _TRANSFORMS[one.tag](one)
    return found


def _matrix(element: ET.Element) -> Array:
    return _numbers(element, 16).reshape(4, 4)


def _translate(element: ET.Element) -> Array:
    found = np.eye(4)
    found[:3, 3] = _numbers(element, 3)
    return found


def _scale(element: ET.Element) -> Array:
    return np.diag([*_numbers(element, 3), 1.0])


def _rotate(element: ET.Element) -> Array:
    *axis, angle = _numbers(element, 4)
    return _turn(np.array(axis), np.radians(angle))


def _turn(axis: Array, angle: float) -> Array:
    found = np.eye(4)
    length = np.linalg.norm(axis)
    if length > 0:
        x, y, z = axis / length
        K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        found[:3, :3] += np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K)
    return found


def _lookat(element: ET.Element) -> Array:
    """Return the frame of one that looks along its negative z, y up."""
    eye, at, up = _numbers(element, 9).reshape(3, 3)
    found = np.eye(4)
    z = (eye - at) / np.linalg.norm(eye - at)
    x = np.cross(up, z)
    x /= np.linalg.norm(x)
    found[:3, :3], found[:3, 3] = np.stack([x, np.cross(z, x), z], axis=1), eye
    return found


def _refuse_skew(element: ET.Element) -> Array:
    raise ValueError("<skew> is not read")


_TRANSFORMS: dict[str, Callable[[ET.Element], Array]] = {
    "matrix": _matrix,
    "translate": _translate,
    "scale": _scale,
    "rotate": _rotate,
    "lookat": _lookat,
    "skew": _refuse_skew,
}


def _name(element: ET.Element, key: str) -> str:
    """Return the id that an attribute refers to, in this file."""
    text = element.get(key, "")
    if not text.startswith("#"):
        raise ValueError(f"{key} must refer to this file, not to {text[:60]!r}")
    return text[1:]


def _numbers(element: ET.Element, count: int | None = None) -> Array:
    found = np.array((element.text or "").split(), float)
    if count is not None and len(found) != count:
        raise ValueError(f"<{element.tag}> must have {count} numbers")
    return found


def _whole(element: ET.Element) -> _Faces:
    return np.array((element.text or "").split(), np.int64)
