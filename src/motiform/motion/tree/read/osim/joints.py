"""The joints of OpenSim as screws in sequence, with the coordinates of the format in place of quaternions."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from motiform.base.errors import closest
from motiform.motion.tree.joints import AxesJoint, Axis, FunctionJoint
from motiform.motion.tree.model.functions import CoordinateFunction, Polynomial, linear
from motiform.motion.tree.model.joint import Array, Joint
from motiform.motion.tree.read.osim.curvature import CurvatureJoint
from motiform.motion.tree.read.osim.elements import Node
from motiform.motion.tree.read.osim.functions import as_line, constant_value, function_inside, read_function
from motiform.motion.tree.read.tables import fold
from motiform.spatial import Transform

__all__ = [
    "JOINTS", "Coordinate", "CoordinateStep", "OsimAxesJoint", "OsimFunctionJoint", "assemble", "coordinates_of",
    "idle_coordinates", "steps_of",
]  # fmt: skip

Kind = Literal["revolute", "prismatic"]
_UNITS = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}

# In the order in which they act: shift or turn, axis, number of the coordinate.
_CHAINS = {
    "WeldJoint": (),
    "PinJoint": ("rz0",),
    "SliderJoint": ("tx0",),
    "UniversalJoint": ("rx0", "ry1"),
    "BallJoint": ("rx0", "ry1", "rz2"),
    "GimbalJoint": ("rx0", "ry1", "rz2"),
    "PlanarJoint": ("tx1", "ty2", "rz0"),
    "FreeJoint": ("tx3", "ty4", "tz5", "rx0", "ry1", "rz2"),
}
# A point of an ellipsoid, (a sin q1, −b sin q0 cos q1, c cos q0 cos q1), by turns alone: sums of circles.
_ELLIPSOID = ("rx0", "ry1", "rz2")
_COUNTS = {"EllipsoidJoint": 3, "ScapulothoracicJoint": 4, "ConstantCurvatureJoint": 3} | {
    kind: len(chain) for kind, chain in _CHAINS.items()
}
JOINTS = (*_COUNTS, "CustomJoint")
_AXES = ("translation1", "translation2", "translation3", "rotation1", "rotation2", "rotation3")


@dataclass(frozen=True, eq=False)
class Coordinate:
    """A coordinate of the file."""

    name: str
    node: Node
    default: float
    range: tuple[float, float]
    clamped: bool
    locked: bool


@dataclass(frozen=True, eq=False)
class CoordinateStep:
    """An axis that stands at a function of a coordinate; of none where the function is constant."""

    axis: Axis
    function: CoordinateFunction
    coordinate: str | None


class _Started:
    """A joint that begins where the file says, and knows the ranges that are no limits."""

    start: Array
    """Default values [rad, m], (nq,)."""
    ranges: Array
    """Ranges of the file [rad, m], (nv, 2), of coordinates that are clamped and of those that are not."""

    def neutral(self) -> Array:
        """Return the default values."""
        return self.start.copy()

    def _begin(self, coordinates: list[Coordinate]) -> None:
        self.start = np.array([c.default for c in coordinates], float)
        self.ranges = np.array([c.range for c in coordinates], float).reshape(-1, 2)


class OsimAxesJoint(_Started, AxesJoint):
    """Screws in sequence, with the default values and ranges of the file."""

    def __init__(self, axes: list[Axis], coordinates: list[Coordinate]) -> None:
        super().__init__(axes, [c.name for c in coordinates], _limits(coordinates))
        self._begin(coordinates)


class OsimFunctionJoint(_Started, FunctionJoint):
    """Screws that are functions of coordinates, with the default values and ranges of the file."""

    def __init__(self, steps: list[CoordinateStep], axes: list[Axis], coordinates: list[Coordinate]) -> None:
        names = [c.name for c in coordinates]
        drivers = [names.index(str(step.coordinate)) for step in steps]
        super().__init__(axes, [step.function for step in steps], drivers, names, _limits(coordinates))
        self._begin(coordinates)


def _limits(coordinates: list[Coordinate]) -> Array | None:
    found = np.array([c.range if c.clamped else (-np.inf, np.inf) for c in coordinates]).reshape(-1, 2)
    return found if np.isfinite(found).any() else None


# ---- coordinates
def coordinates_of(node: Node) -> list[Coordinate]:
    """Return the coordinates of a joint in their order."""
    listed = [n for tag in ("coordinates", "CoordinateSet") for n in node.inside(tag) if n.tag == "Coordinate"]
    found = [_coordinate(n) for n in listed]
    if node.tag == "CustomJoint":  # in the order of the axes; some are named by them alone
        known = {c.name: c for c in found}
        named = [known.pop(name) if name in known else _coordinate(node, name) for name in _driving(node)]
        return named + list(known.values())
    count = _COUNTS[node.tag]
    if len(found) > count:
        got = ", ".join(c.name for c in found)
        raise node.error("too many coordinates", got=got, allowed=f"{count} for a {node.tag}")
    found += [_coordinate(node, f"{node.name}_coord_{k}") for k in range(len(found), count)]
    return found


def _coordinate(node: Node, name: str | None = None) -> Coordinate:
    if name is not None:  # not written: the format's defaults
        return Coordinate(name, node, 0.0, (-np.inf, np.inf), False, False)
    low, high = node.vector("range", 2, (-np.inf, np.inf), infinite=True).tolist()
    if low > high:
        raise node.error("the range is empty", got=(low, high), allowed="lower ≤ upper", remedy="Swap them.")
    default = node.scalar("default_value", node.scalar("initial_value", 0.0))
    clamped, locked = node.flag("clamped", False), node.flag("locked", False)
    default = min(max(default, low), high) if clamped else default
    return Coordinate(node.named(), node, default, (low, high), clamped, locked)


def _driving(node: Node) -> list[str]:
    axes = sorted(_transform_axes(node), key=lambda found: found[0])  # turns before shifts
    return list(dict.fromkeys(name for _, axis in axes for name in _named(axis)))


def _named(axis: Node) -> list[str]:
    """Return the coordinates of an axis; documents of version 1.9 name one in another field."""
    return (axis.value("coordinates") or axis.value("coordinate")).split()


# ---- axes
def steps_of(node: Node, coordinates: list[Coordinate]) -> list[CoordinateStep]:
    """Return the axes of a joint from its frame in the parent to its frame in the child."""
    names = [c.name for c in coordinates]
    if node.tag == "CustomJoint":
        return [_custom(node, key, axis, names) for key, axis in _transform_axes(node)]
    if node.tag == "ScapulothoracicJoint":
        return _scapula(node, names)
    steps = _ellipsoid(node.vector("radii_x_y_z", 3), names) if node.tag == "EllipsoidJoint" else []
    return steps + _turns(_CHAINS.get(node.tag, _ELLIPSOID), names)


def _turns(chain: tuple[str, ...], names: list[str]) -> list[CoordinateStep]:
    return [CoordinateStep(_axis(step[0], step[1]), linear(), names[int(step[2])]) for step in chain]


def _axis(kind: str, letter: str, point: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Axis:
    return Axis("revolute" if kind == "r" else "prismatic", _UNITS[letter], point)


def _scapula(node: Node, names: list[str]) -> list[CoordinateStep]:
    """Return a scapula on the thorax: abduction, elevation, upward rotation on an ellipsoid, and winging.

    The ellipsoid stands a quarter turn about z against the joint's frames, so that abduction and elevation are
    positive; its radii are those of the thorax's axes.
    """
    x, y, z = node.vector("thoracic_ellipsoid_radii_x_y_z", 3).tolist()
    angle = node.scalar("scapula_winging_axis_direction", 0.0)
    origin = node.vector("scapula_winging_axis_origin", 2, (0.0, 0.0)).tolist()
    wing = Axis("revolute", (-float(np.sin(angle)), float(np.cos(angle)), 0.0), (origin[0], origin[1], 0.0))
    there, back = (CoordinateStep(_axis("r", "z"), Polynomial((s * np.pi / 2,)), None) for s in (1, -1))
    turns = [*_ellipsoid(np.array([y, x, z]), names), *_turns(_ELLIPSOID, names)]
    return [there, *turns, back, CoordinateStep(wing, linear(), names[3])]


def _ellipsoid(radii: Array, names: list[str]) -> list[CoordinateStep]:
    """Return turns that carry a point along an ellipsoid and leave the axes as they were.

    In the plane y, z the point is cos q1 (−b sin q0, c cos q0): four circles of the angles ±q0 ± q1, each carried by
    the one before it. Along x it is a sin q1: two circles in the plane x, z that turn against one another.
    """
    a, b, c = radii.tolist()
    steps: list[CoordinateStep] = []

    def turn(letter: str, point: tuple[float, float, float], angles: tuple[float, float]) -> None:
        for k, factor in enumerate(angles):
            if factor:
                steps.append(CoordinateStep(_axis("r", letter, point), linear(factor), names[k]))

    near, far = (c + b) / 4, (c - b) / 4
    z, angle = 0.0, (0.0, 0.0)
    for length, wanted in ((near, (1.0, 1.0)), (near, (1.0, -1.0)), (far, (-1.0, -1.0)), (far, (-1.0, 1.0))):
        turn("x", (0.0, 0.0, z), (wanted[0] - angle[0], wanted[1] - angle[1]))
        z, angle = z + length, wanted
    turn("x", (0.0, 0.0, z), (-angle[0], -angle[1]))
    # a sin q1 along x: circles of radius a/2 from +z and from −z
    turn("y", (0.0, 0.0, z), (0.0, 1.0))
    turn("y", (0.0, 0.0, z + a / 2), (0.0, -2.0))
    turn("y", (0.0, 0.0, z), (0.0, 1.0))
    steps.append(CoordinateStep(Axis("prismatic", _UNITS["z"]), Polynomial((z,)), None))
    return steps


def _transform_axes(node: Node) -> list[tuple[str, Node]]:
    """Return the axes of a custom joint: the shifts, then the turns."""
    transform = node.field("SpatialTransform")
    if transform is None and node.field("TransformAxisSet") is not None:
        return _unnamed_axes(node)
    if transform is None:
        raise node.error("the joint has no <SpatialTransform>", remedy="Add one to the CustomJoint.")
    found = {}
    for axis in transform.nodes:
        if axis.tag == "TransformAxis":
            if axis.name not in _AXES:
                remedy = closest(axis.name, _AXES)
                raise axis.error("unknown axis", got=axis.name, allowed=", ".join(_AXES), remedy=remedy)
            found[axis.name] = axis
    return [(key, found[key]) for key in _AXES if key in found]


def _unnamed_axes(node: Node) -> list[tuple[str, Node]]:
    """Return the axes of a custom joint of version 1.9: a list, in which each says whether it is a turn."""
    axes = node.inside("TransformAxisSet")
    turns = [axis.flag("is_rotation", False) for axis in axes]
    found: dict[str, Node] = {}
    for kind, wanted in (("translation", False), ("rotation", True)):
        chosen = [axis for axis, turn in zip(axes, turns, strict=True) if turn == wanted]
        if len(chosen) > 3:
            raise node.error(f"a joint must have three axes of {kind} at most", got=len(chosen))
        found |= {f"{kind}{k}": axis for k, axis in enumerate(chosen, start=1)}
    return [(key, found[key]) for key in _AXES if key in found]


def _custom(node: Node, key: str, axis: Node, names: list[str]) -> CoordinateStep:
    driving = _named(axis)
    if len(driving) > 1:
        raise axis.error("an axis of several coordinates is not supported", got=" ".join(driving), allowed="one")
    unknown = [name for name in driving if name not in names]
    if unknown:
        raise axis.error("unknown coordinate", got=unknown[0], remedy=closest(unknown[0], names))
    inner = function_inside(axis, "function")
    plain = linear() if driving else Polynomial((0.0,))  # what the format takes where none is written
    function = plain if inner is None else read_function(inner)
    if not driving and constant_value(function) is None:
        raise axis.error("the function needs a coordinate", remedy=f"Name one in <coordinates>: {', '.join(names)}.")
    direction = axis.vector("axis", 3, _UNITS["x"])
    if not direction.any():
        raise axis.error("an axis must have a direction", got=direction.tolist(), allowed="not all zero")
    kind: Kind = "revolute" if key.startswith("rotation") else "prismatic"
    return CoordinateStep(Axis(kind, tuple(direction.tolist())), function, driving[0] if driving else None)


# ---- the joint
def assemble(
    node: Node, before: Transform, after: Transform, held: dict[str, float], *, reverse: bool
) -> tuple[Transform, Joint, list[Coordinate]]:
    """Return the placement and the joint of a segment, and its coordinates that move, in the order of the file.

    `before` is the joint's frame in the inner body, `after` that in the outer one; `reverse`: the file says how the
    inner body moves in the outer one. Coordinates in `held` stand at their values.
    """
    coordinates = coordinates_of(node)
    moving = [c for c in coordinates if c.name not in held]
    if node.tag == "ConstantCurvatureJoint":
        return before, _curved(node, coordinates, after, held, reverse), moving
    chain: list[Transform | CoordinateStep] = []
    for step in steps_of(node, coordinates):
        value = constant_value(step.function)
        if value is None and step.coordinate in held:
            value = float(step.function.derivatives(held[str(step.coordinate)])[0])
        chain.append(step if value is None else step.axis.transform(np.array(value)))
    if reverse:
        chain = [_inverse(item) for item in reversed(chain)]
    steps = [item for item in chain if isinstance(item, CoordinateStep)]
    frames = [item.axis if isinstance(item, CoordinateStep) else item for item in chain]
    placement, axes = fold([before, *frames, after.inverse()])
    return placement, _joint(steps, axes, moving), moving


def _curved(
    node: Node, coordinates: list[Coordinate], after: Transform, held: dict[str, float], reverse: bool
) -> Joint:
    if reverse:
        raise node.error("a curved joint must be told from its inner body", remedy="Exchange its frames.")
    moving = [c for c in coordinates if c.name not in held]
    still = {k: held[c.name] for k, c in enumerate(coordinates) if c.name in held}
    angles, start = node.vector("neutral_angle_x_z_y", 3, (0.0, 0.0, 0.0)), np.array([c.default for c in moving])
    names = [c.name for c in moving]
    return CurvatureJoint(node.scalar("length", 1.0), angles, after.inverse(), names, start, _limits(moving), still)


def _inverse(item: Transform | CoordinateStep) -> Transform | CoordinateStep:
    if isinstance(item, Transform):
        return item.inverse()
    axis = item.axis
    x, y, z = axis.direction
    return CoordinateStep(Axis(axis.kind, (-x, -y, -z), axis.point), item.function, item.coordinate)


def idle_coordinates(node: Node) -> list[Coordinate]:
    """Return the coordinates of a joint that move no axis."""
    coordinates = coordinates_of(node)
    if node.tag == "ConstantCurvatureJoint":
        return []
    steps = steps_of(node, coordinates)
    driven = {step.coordinate for step in steps if constant_value(step.function) is None}
    return [c for c in coordinates if c.name not in driven]


def _joint(steps: list[CoordinateStep], axes: list[Axis], coordinates: list[Coordinate]) -> Joint:
    """Return plain axes where each coordinate is the angle or shift of one, functions otherwise."""
    lines = [as_line(step.function) for step in steps]
    simple = len(steps) == len(coordinates) and all(line is not None and abs(line[0]) == 1.0 for line in lines)
    if not simple:
        return OsimFunctionJoint(steps, axes, coordinates)
    by_name = {c.name: c for c in coordinates}
    screws = []
    for axis, line in zip(axes, lines, strict=True):
        assert line is not None
        x, y, z = (line[0] * u for u in axis.direction)
        screws.append(Axis(axis.kind, (x, y, z), axis.point, 0.0, line[0] * line[1]))
    return OsimAxesJoint(screws, [by_name[str(step.coordinate)] for step in steps])
