"""Figures written as OpenSim models (version 4): bodies, joints with their coordinates, couplers, markers."""

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.tree.joints import AxesJoint, Axis, FunctionJoint
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.functions import CoordinateFunction, Polynomial, linear
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.segment import Segment
from motiform.motion.tree.read.osim.functions import BrokenLine, SimmSpline
from motiform.spatial import Transform, euler_from_rotation

__all__ = ["element", "function_text", "model_text", "numbers", "place_text"]

_FREE = (-99999.9, 99999.9)  # range of the format for a coordinate without one
_NAME = re.compile(r"[^\s/<>&\"']+")
_SAME = 1e-12  # [m] of points that are the same


def numbers(values: ArrayLike) -> str:
    """Return numbers as they are read again to the same bits."""
    return " ".join(repr(float(x)) for x in np.ravel(np.asarray(values, float)))


def element(tag: str, inside: str | float = "", name: str | None = None) -> str:
    """Return an element; a name must be one of the format."""
    if name is not None and not _NAME.fullmatch(name):
        raise InputError(
            "the name cannot be written to an OpenSim model", got=repr(name), allowed="names without blanks and slashes"
        )
    from xml.sax.saxutils import quoteattr  # which loads the network's modules

    attribute = "" if name is None else f" name={quoteattr(name)}"
    return f"<{tag}{attribute}>{inside if isinstance(inside, str) else repr(float(inside))}</{tag}>"


def place_text(pose: Transform, shift: str, turn: str) -> str:
    """Return a frame as a shift [m] and body-fixed x-y-z angles [rad]."""
    return element(shift, numbers(pose.translation)) + element(turn, numbers(euler_from_rotation(pose.rotation, "xyz")))


def function_text(function: CoordinateFunction, where: str) -> str:
    """Return a function of a coordinate."""
    if isinstance(function, Polynomial):
        c = function.coefficients
        if len(c) == 1:
            return element("Constant", element("value", c[0]))
        if len(c) == 2:
            return element("LinearFunction", element("coefficients", numbers([c[1], c[0]])))
        return element("PolynomialFunction", element("coefficients", numbers(c[::-1])))
    for kind, tag in ((SimmSpline, "SimmSpline"), (BrokenLine, "PiecewiseLinearFunction")):
        if type(function) is kind:
            return element(tag, element("x", numbers(function.x)) + element("y", numbers(function.y)))
    raise InputError(
        "the function has no counterpart in OpenSim", where=where, got=type(function).__name__,
        allowed="polynomials, SIMM's splines, straight pieces",
    )  # fmt: skip


def model_text(figure: Figure, forces: Sequence[str] = (), wraps: Mapping[str | None, str] | None = None) -> str:
    """Return the document of a figure, with elements of its ForceSet and wrap objects by segment."""
    if figure.closures:
        raise InputError(
            "closures cannot be written to an OpenSim model", where=f"figure {figure.name!r}",
            got=", ".join(closure.name for closure in figure.closures), remedy="figure.replace(closures=()).",
        )  # fmt: skip
    own = wraps or {}
    start = dict(zip(figure.coordinates, figure.neutral(), strict=False)) if figure.nq == figure.nv else {}
    ground = element("Ground", _set("WrapObjectSet", own.get(None, "")), "ground")
    bodies = "\n".join(_body(segment, own.get(segment.name, "")) for segment in figure.segments)
    joints = "\n".join(_joint(figure, n, segment, start) for n, segment in enumerate(figure.segments))
    markers = "\n".join(
        element("Marker", _frame_of(tag.segment) + element("location", numbers(tag.point)), tag.name)
        for tag in figure.tags
    )
    model = "\n".join([
        element("gravity", numbers(figure.gravity)), ground, _set("BodySet", bodies, "bodyset"),
        _set("JointSet", joints, "jointset"), _set("ConstraintSet", _couplers(figure), "constraintset"),
        _set("ForceSet", "\n".join(forces), "forceset"), _set("MarkerSet", markers, "markerset"),
    ])  # fmt: skip
    name = (_NAME.match(figure.name) and figure.name.replace(" ", "_")) or "figure"
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<OpenSimDocument Version="40000">\n'
    return f"{head}{element('Model', model, name)}\n</OpenSimDocument>\n"


def _set(tag: str, inside: str, name: str | None = None) -> str:
    return element(tag, element("objects", inside), name)


def _frame_of(segment: str | None) -> str:
    return element("socket_parent_frame", "/ground" if segment is None else f"/bodyset/{segment}")


def _body(segment: Segment, wraps: str) -> str:
    i = np.asarray(segment.inertia, float)
    moments = numbers([i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]])
    inside = element("mass", segment.mass) + element("mass_center", numbers(segment.com)) + element("inertia", moments)
    return element("Body", inside + _set("WrapObjectSet", wraps), segment.name)


# ---------------------------------------------------------------- joints
def _joint(figure: Figure, n: int, segment: Segment, start: Mapping[str, float]) -> str:
    """Return a custom joint: shifts in the frame of the parent, then turns about axes through one point; or a weld."""
    joint, where = segment.joint, f"segment {segment.name!r}"
    if not isinstance(joint, AxesJoint | FunctionJoint):
        raise InputError(
            "the joint cannot be written to an OpenSim model", where=where, got=type(joint).__name__,
            allowed="joints of axes with plain coordinates: turns and shifts, functions of them",
        )  # fmt: skip
    shifts = [k for k, axis in enumerate(joint.axes) if axis.kind == "prismatic"]
    turns = [k for k, axis in enumerate(joint.axes) if axis.kind == "revolute"]
    center = _center([joint.axes[k] for k in turns], where)
    if [*shifts, *turns] != list(range(len(joint.axes))) or len(shifts) > 3 or len(turns) > 3:
        raise InputError(
            "the axes of the joint cannot be written to an OpenSim model", where=where,
            got=", ".join(axis.kind for axis in joint.axes), allowed="up to three shifts, then up to three turns",
            remedy="Split the joint by segments without mass.",
        )  # fmt: skip
    names = [figure.layout.names[place] for place in figure.layout.v[n]]
    axes = _axes(joint, shifts, "translation", names, where) + _axes(joint, turns, "rotation", names, where)
    still = Transform(np.eye(3), center)
    inner, outer = segment.placement @ still, still
    name = f"{segment.name}_joint"
    frames = _offset(f"{name}_in", segment.parent, inner) + _offset(f"{name}_out", segment.name, outer)
    ends = element("socket_parent_frame", f"{name}_in") + element("socket_child_frame", f"{name}_out")
    if not names:  # OpenSim crashes on a custom joint without coordinates
        return element("WeldJoint", ends + element("frames", frames), name)
    coordinates = element("coordinates", "".join(_coordinate(joint, k, one, start) for k, one in enumerate(names)))
    return element(
        "CustomJoint", ends + coordinates + element("frames", frames) + element("SpatialTransform", axes), name
    )


def _center(turns: Sequence[Axis], where: str) -> Array:
    """Return the point that all turns go through."""
    points = np.array([axis.point for axis in turns]).reshape(-1, 3)
    if any(axis.pitch for axis in turns) or (len(points) and np.abs(points - points[0]).max() > _SAME):
        raise InputError(
            "the turns of the joint cannot be written to an OpenSim model", where=where, got=points.tolist(),
            allowed="axes through one point, without pitch",
        )  # fmt: skip
    return points[0] if len(points) else np.zeros(3)


def _offset(name: str, segment: str | None, pose: Transform) -> str:
    parent = element("socket_parent", "/ground" if segment is None else f"/bodyset/{segment}")
    return element("PhysicalOffsetFrame", parent + place_text(pose, "translation", "orientation"), name)


def _axes(joint: AxesJoint | FunctionJoint, own: Sequence[int], kind: str, names: Sequence[str], where: str) -> str:
    """Return three axes of a kind; those that nothing drives stand still, across the others."""
    directions = [np.array(joint.axes[k].direction) for k in own]
    found = ""
    for k, axis in zip(own, directions, strict=True):
        if isinstance(joint, FunctionJoint):
            function, driver = joint.functions[k], joint.drivers[k]
            if joint.axes[k].offset:
                raise InputError("an axis of a function must have no offset", where=where, got=joint.axes[k].offset)
        else:
            function, driver = linear(1.0, joint.axes[k].offset), k
        inside = element("coordinates", names[driver]) + element("axis", numbers(axis))
        inside += element("function", function_text(function, where))
        found += element("TransformAxis", inside, f"{kind}{own.index(k) + 1}")
    for number in range(len(own) + 1, 4):
        spare = _across(directions)
        directions.append(spare)
        still = element("function", element("Constant", element("value", 0.0)))
        inside = element("coordinates") + element("axis", numbers(spare)) + still
        found += element("TransformAxis", inside, f"{kind}{number}")
    return found


def _across(directions: Sequence[Array]) -> Array:
    """Return a unit vector as independent of some directions as one of the axes is."""
    taken = np.array(directions).reshape(-1, 3)
    return np.eye(3)[int(np.argmin(np.abs(taken).max(axis=0)))] if len(taken) else np.eye(3)[0]


def _coordinate(joint: AxesJoint | FunctionJoint, k: int, name: str, start: Mapping[str, float]) -> str:
    limits = joint.limits
    low, high = _FREE if limits is None else np.asarray(limits)[k].tolist()
    clamped = bool(np.isfinite([low, high]).all() and (low, high) != _FREE)
    if not clamped:
        ranges = getattr(joint, "ranges", None)
        low, high = _FREE if ranges is None or not np.isfinite(ranges[k]).all() else np.asarray(ranges)[k].tolist()
    inside = element("default_value", float(start.get(name, 0.0))) + element("range", numbers([low, high]))
    return element("Coordinate", inside + element("clamped", "true" if clamped else "false"), name)


def _couplers(figure: Figure) -> str:
    found = []
    for k, one in enumerate(figure.couplings):
        function = element(
            "coupled_coordinates_function", function_text(one.function, f"coupling of {one.dependent!r}")
        )
        names = element("independent_coordinate_names", one.leading)
        names += element("dependent_coordinate_name", one.dependent)
        found.append(element("CoordinateCouplerConstraint", function + names, f"coupler_{k + 1}"))
    return "\n".join(found)
