"""The bodies and offset frames of an OpenSim model, and which one a path or a name means."""

from collections.abc import Collection
from posixpath import normpath

import numpy as np

from motiform.base.errors import closest
from motiform.motion.tree.read.osim.elements import Node
from motiform.motion.tree.read.osim.joints import JOINTS
from motiform.spatial import Transform
from motiform.spatial.checks import Array

__all__ = ["CONSTRAINTS", "Frames", "Place", "components_of", "connected", "socket"]

Place = tuple[str | None, Transform]
"""A body (None: the ground) and a frame in it."""

CONSTRAINTS = ("WeldConstraint", "PointConstraint", "PointOnLineConstraint", "ConstantDistanceConstraint")
"""Constraints that are closures; they may hold frames of their own."""
_SETS = ("BodySet", "FrameSet", "JointSet", "MarkerSet", "ComponentSet", "ConstraintSet")
_LISTS = ("objects", "components", "frames", "ground")
_OFFSETS = ("PhysicalOffsetFrame", "OffsetFrame")
_STATIONS = ("Station", "Marker")
_COMPONENTS = ("Body", "Ground", "StationDefinedFrame", *_STATIONS, *_OFFSETS, *JOINTS)
_FLAT = 1e-9  # sine of the least angle of a triangle
_CORNERS = ("point_a", "point_b", "point_c", "origin_point")


def components_of(model: Node) -> list[tuple[str, Node]]:
    """Return the bodies, joints, frames and markers of a model with their paths, in the order of the file."""
    found: list[tuple[str, Node]] = []
    waiting = [("", node) for node in reversed(model.nodes)]
    while waiting:
        path, node = waiting.pop()
        if node.tag in _COMPONENTS or (node.tag.endswith("Joint") and path.startswith("/jointset")):
            path = f"{path}/{node.named() if node.tag != 'Ground' else 'ground'}"
            found.append((path, node))
        elif node.tag in CONSTRAINTS:
            path = f"{path}/{node.name or node.tag}"
        elif node.tag in _SETS:
            path = f"{path}/{node.tag.lower()}"
        elif node.tag not in _LISTS:
            continue
        waiting += [(path, child) for child in reversed(node.nodes)]
    return found


class Frames:
    """Finds the body that a frame belongs to."""

    def __init__(self, components: list[tuple[str, Node]]) -> None:
        self.offsets = {path: node for path, node in components if node.tag in _OFFSETS}
        self.defined = {path: node for path, node in components if node.tag == "StationDefinedFrame"}
        self.stations = {path: node for path, node in components if node.tag in _STATIONS}
        bodies = {path: node.name for path, node in components if node.tag == "Body"}
        self.bodies = {path: name for path, name in bodies.items() if name.lower() != "ground"}
        self.paths = {"/ground", *self.bodies, *self.offsets, *self.defined}

    def place(self, owner: str, text: str, node: Node) -> Place:
        """Return the body and the pose of a frame that an element at the path `owner` names."""
        seen: list[str] = []
        pose = Transform.identity()
        while True:
            path = self._path(owner, text, node)
            if path in seen:
                raise node.error("frames must not form a circle", got=" → ".join([*seen, path][:9]))
            seen.append(path)
            if path in self.defined:
                body, corner = self._by_stations(path, self.defined[path])
                return body, corner @ pose
            if path not in self.offsets:
                return self.bodies.get(path), pose
            node = self.offsets[path]
            pose = node.pose("translation", "orientation") @ pose
            owner, text = path, socket(node, "parent")

    def _path(self, owner: str, text: str, node: Node) -> str:
        """Return the path of a frame: absolute, from the owner on, or the only one of that name."""
        last = text.rstrip("/").rsplit("/", 1)[-1]
        if last.lower() == "ground":  # also the body of that name in versions 2 and 3
            return "/ground"
        return _found(owner, text, node, self.paths, "body or frame", self.offsets)

    def _by_stations(self, path: str, node: Node) -> Place:
        """Return the body and the pose of a frame that points define: ab along one axis, ab × ac along another."""
        corners = []
        for name in _CORNERS:
            where = _found(path, socket(node, name), node, self.stations, "station")
            station = self.stations[where]
            body, pose = self.place(where, station.value("body") or socket(station, "parent_frame"), station)
            corners.append((body, pose.point(station.vector("location", 3, (0.0, 0.0, 0.0)))))
        if len({body for body, _ in corners}) > 1:
            raise node.error("the stations of a frame must be on one body", got=[str(body) for body, _ in corners])
        a, b, c, origin = (point for _, point in corners)
        along, normal = b - a, np.cross(b - a, c - a)
        if not np.linalg.norm(normal) > _FLAT * np.linalg.norm(along) * np.linalg.norm(c - a):
            raise node.error("the stations of a frame must form a triangle", got=[a.tolist(), b.tolist(), c.tolist()])
        axes = np.array([_direction(node, tag, default) for tag, default in (("ab_axis", "x"), ("ab_x_ac_axis", "y"))])
        if axes[0] @ axes[1]:
            raise node.error("ab_axis and ab_x_ac_axis must be different axes", got=node.value("ab_axis", "+x"))
        made, stated = (np.stack([u, w, np.cross(u, w)], axis=1) for u, w in ((_unit(along), _unit(normal)), axes))
        return corners[0][0], Transform(made @ stated.T, origin)


def _unit(vector: Array) -> Array:
    return np.asarray(vector / np.linalg.norm(vector))


def _direction(node: Node, tag: str, default: str) -> Array:
    """Return the axis that a text names: "+x", "-z", "y"."""
    text = (node.value(tag) or default).lower()
    letter = text.lstrip("+-")
    if letter not in ("x", "y", "z"):
        raise node.error(f"<{tag}> must be an axis", got=text, allowed="+x, -x, +y, -y, +z, -z")
    return np.eye(3)["xyz".index(letter)] * (-1.0 if text.startswith("-") else 1.0)


def _found(owner: str, text: str, node: Node, among: Collection[str], what: str, last: Collection[str] = ()) -> str:
    """Return the path that a text means: absolute, from the owner on, or the only one of that name, `last` at last."""
    path = normpath(text if text.startswith("/") else f"{owner}/{text}")
    if path in among:
        return path
    name = text.rstrip("/").rsplit("/", 1)[-1]
    same = [p for p in among if p.rsplit("/", 1)[-1] == name]
    whole = [p for p in same if p not in last] or same
    if len(whole) != 1:
        problem = f"the name must stand for one {what.split()[-1]}" if whole else f"unknown {what}"
        remedy = "Give its path, as /bodyset/NAME." if whole else closest(text, among)
        raise node.error(problem, got=text, remedy=remedy)
    return whole[0]


def connected(node: Node, *names: str) -> str:
    """Return what a socket of one of these names is connected to, "" without one.

    Version 4 has ``<socket_NAME>``, 3.5 ``<connectors>`` with a ``<connectee_name>`` each, 3 a field of that name.
    """
    for name in names:
        for tag in (f"socket_{name}", f"socket_{name}_connectee_name", name):
            if text := node.value(tag):
                return text
        for connector in node.inside("connectors"):
            if connector.name == name:
                return connector.value("connectee_name")
    return ""


def socket(node: Node, name: str) -> str:
    """Return what a socket is connected to."""
    if text := connected(node, name):
        return text
    raise node.error(f"the <{node.tag}> has no <socket_{name}>", remedy="Say which frame it is connected to.")
