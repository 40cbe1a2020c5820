"""The paths and wrap objects of OpenSim models."""

import numpy as np

from motiform.base.errors import closest
from motiform.geometry.paths import WrapCylinder, WrapEllipsoid, WrapSphere, WrapSurface, WrapTorus
from motiform.geometry.paths.wrap import METHODS
from motiform.motion.actuation.muscles.paths.paths import (
    AnyPoint,
    MovingPoint,
    MusclePath,
    PathPoint,
    PathWrap,
    WrapObject,
)
from motiform.motion.tree.model.functions import Polynomial
from motiform.motion.tree.read.elements import located
from motiform.motion.tree.read.osim.elements import Node
from motiform.motion.tree.read.osim.frames import Frames, Place, connected, socket
from motiform.motion.tree.read.osim.functions import function_inside, read_function
from motiform.motion.tree.read.osim.joints import Coordinate
from motiform.motion.tree.read.shared import Report
from motiform.spatial import Transform

__all__ = ["PathReader"]

_SURFACES = ("WrapSphere", "WrapCylinder", "WrapEllipsoid", "WrapTorus")
_SIDES = {"all": "all", "unassigned": "all", "": "all"} | {
    f"{sign}{axis}": f"{sign or '+'}{axis}" for axis in "xyz" for sign in ("", "+", "-")
}


class PathReader:
    """Reads paths of one model."""

    def __init__(
        self,
        model: Node,
        components: list[tuple[str, Node]],
        coordinates: dict[str, Coordinate],
        held: dict[str, float],
        turn: Transform,
        report: Report,
    ) -> None:
        self.frames, self.coordinates, self.held, self.report = Frames(components), coordinates, held, report
        self.turn = turn
        """Of the world, for what is fixed to the ground."""
        self.idle: set[str] = set()
        """Names of wrap objects that are switched off."""
        self.objects = self._objects(components)
        self.names = [found.name for found in self.objects]

    def place(self, owner: str, text: str, node: Node) -> Place:
        """Return the segment and pose of a frame; what stands on the ground is turned with the world."""
        body, pose = self.frames.place(owner, text, node)
        return body, self.turn @ pose if body is None else pose

    # ---- surfaces
    def _objects(self, components: list[tuple[str, Node]]) -> tuple[WrapObject, ...]:
        found = []
        for path, node in components:
            for wrapped in node.inside("WrapObjectSet"):
                body, pose = self.place(path, path, node)
                if wrapped.tag not in _SURFACES:
                    raise wrapped.error("a wrap object of this kind is not supported", allowed=", ".join(_SURFACES))
                with located(wrapped):
                    own = pose @ wrapped.pose("translation", "xyz_body_rotation")
                    found.append(WrapObject(wrapped.named(), body, _surface(wrapped), own))
                if not wrapped.flag("active", True):
                    self.idle.add(wrapped.name)
                    self.report.leave(wrapped, "wrap objects that are switched off")
        return tuple(found)

    # ---- paths
    def path(self, node: Node, owner: str) -> MusclePath:
        """Return the path of a muscle, ligament or spring."""
        inner = node.field("GeometryPath")
        if inner is None and (wrapped := node.field("path")) is not None:
            inner = wrapped.field("GeometryPath") or (wrapped if wrapped.field("PathPointSet") else None)
        if inner is None:
            raise node.error("the muscle has no <GeometryPath>", remedy="Paths of other kinds are not supported.")
        with located(inner):
            points = [
                self._point(point, f"{owner}/geometrypath/{point.name}") for point in inner.inside("PathPointSet")
            ]
            numbers = np.cumsum([point is not None for point in points]) - 1  # points of held conditions may be gone
            wraps = [self._wrap(wrap, points, numbers) for wrap in inner.inside("PathWrapSet")]
            kept = tuple(point for point in points if point is not None)
            return MusclePath(node.named(), kept, tuple(wrap for wrap in wraps if wrap is not None))

    def _point(self, node: Node, owner: str) -> AnyPoint | None:
        frame = node.value("body") or connected(node, "parent_frame", "body") or socket(node, "parent_frame")
        body, pose = self.place(owner, frame, node)
        if node.tag == "PathPoint":
            return PathPoint(body, _triple(pose, node))
        if node.tag == "ConditionalPathPoint":
            return self._conditional(node, body, pose)
        if node.tag == "MovingPathPoint":
            return self._moving(node, body, pose)
        raise node.error(
            "a path point of this kind is not supported", allowed="PathPoint, Conditional…, MovingPathPoint"
        )

    def _conditional(self, node: Node, body: str | None, pose: Transform) -> PathPoint | None:
        name = self._coordinate(node, "coordinate")
        low, high = node.vector("range", 2).tolist()
        if name is None:
            raise node.error("the condition has no coordinate", remedy="Name it in <socket_coordinate>.")
        if name in self.held:
            active = low - 1e-5 <= self.held[name] <= high + 1e-5
            return PathPoint(body, _triple(pose, node)) if active else None
        return PathPoint(body, _triple(pose, node), (name, low, high))

    def _moving(self, node: Node, body: str | None, pose: Transform) -> AnyPoint:
        functions, names, ranges = [], [], []
        for axis in "xyz":
            inner = function_inside(node, f"{axis}_location")
            function = Polynomial((0.0,)) if inner is None else read_function(inner)
            name = self._coordinate(node, f"{axis}_coordinate")
            if name is None or name in self.held:
                low, high = (-np.inf, np.inf) if name is None else self.coordinates[name].range
                at = 0.0 if name is None else min(max(self.held[name], low), high)
                function, name = Polynomial((float(function.derivatives(at)[0]),)), None
            functions.append(function)
            names.append(name)
            ranges.append((-np.inf, np.inf) if name is None else self.coordinates[name].range)
        if not any(names):
            still = [float(function.derivatives(0.0)[0]) for function in functions]
            x, y, z = pose.point(np.array(still)).tolist()
            return PathPoint(body, (x, y, z))
        if not np.allclose(pose.matrix(), np.eye(4), atol=1e-14):
            raise node.error("a moving point must be in the frame of a body", got="an offset frame")
        return MovingPoint(
            body, (functions[0], functions[1], functions[2]), (names[0], names[1], names[2]), tuple(ranges)
        )

    def _coordinate(self, node: Node, field: str) -> str | None:
        text = connected(node, field)
        name = text.rstrip("/").rsplit("/", 1)[-1]
        if not name or name == "Unassigned":
            return None
        if name not in self.coordinates:
            raise node.error("unknown coordinate", got=name, remedy=closest(name, self.coordinates))
        return name

    def _wrap(self, node: Node, points: list[AnyPoint | None], numbers: np.ndarray) -> PathWrap | None:
        name = node.value("wrap_object").rstrip("/").rsplit("/", 1)[-1]
        if name not in self.names:
            raise node.error("unknown wrap object", got=name, remedy=closest(name, self.names))
        if name in self.idle:
            return None
        first, last = (int(k) for k in node.vector("range", 2, (-1.0, -1.0)))
        first, last = max(first - 1, 0), len(points) - 1 if last < 1 else last - 1
        if not 0 <= first <= last < len(points):
            allowed = f"1 to {len(points)}"
            raise node.error(
                "the range of a wrap must be of points of the path", got=node.value("range"), allowed=allowed
            )
        start = int(numbers[first]) + (points[first] is None)
        end = int(numbers[last])
        if end <= start:
            self.report.leave(node, "wraps over a single point")
            return None
        method = node.value("method", "hybrid").lower()
        if method not in METHODS:
            self.report.note(node, f"wrapping by the method {method!r} is taken as hybrid")
            method = "hybrid"
        return PathWrap(name, start, end, method)


def _triple(pose: Transform, node: Node) -> tuple[float, float, float]:
    x, y, z = pose.point(node.vector("location", 3)).tolist()
    return x, y, z


def _surface(node: Node) -> WrapSurface:
    side = _SIDES.get(node.value("quadrant", "all").lower())
    if side is None:
        raise node.error(
            "unknown quadrant", got=node.value("quadrant"), allowed=", ".join(sorted(set(_SIDES.values())))
        )
    if node.tag == "WrapSphere":
        return WrapSphere(side, node.scalar("radius", 0.05))
    if node.tag == "WrapCylinder":
        return WrapCylinder(side, node.scalar("radius", 0.05), node.scalar("length", 1.0))
    if node.tag == "WrapTorus":
        return WrapTorus(side, node.scalar("inner_radius", 0.01), node.scalar("outer_radius", 0.05))
    x, y, z = node.vector("dimensions", 3, (0.05, 0.05, 0.05)).tolist()
    return WrapEllipsoid(side, (x, y, z))
