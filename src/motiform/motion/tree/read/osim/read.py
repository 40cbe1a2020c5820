"""OpenSim models (.osim of versions 1.9 to 4): bodies, joints with their coordinates, markers, couplings, closures.

q is that of the format: the coordinates of the joints in the order of the file, under their names, with turns about
x-y-z in place of quaternions. Muscles and other forces, contacts, wrapping, controllers and meshes are left out.
"""

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from motiform.base.errors import closest
from motiform.base.files import reads_file
from motiform.motion.tree.model.functions import CoordinateFunction
from motiform.motion.tree.read.elements import located
from motiform.motion.tree.read.osim.constraints import add_closure
from motiform.motion.tree.read.osim.elements import Node, read_document
from motiform.motion.tree.read.osim.frames import CONSTRAINTS, Frames, components_of
from motiform.motion.tree.read.osim.functions import constant_value, function_inside, read_function, scaled
from motiform.motion.tree.read.osim.joints import Coordinate, assemble, coordinates_of, idle_coordinates
from motiform.motion.tree.read.osim.markers import add_markers
from motiform.motion.tree.read.osim.tree import Link, links_of, outward
from motiform.motion.tree.read.shared import Report, check_choice, orient
from motiform.spatial.checks import Array

if TYPE_CHECKING:
    from motiform.motion.tree.build import FigureBuilder
    from motiform.motion.tree.model.figure import Figure

__all__ = ["read_osim"]

FEATURES = ("constraints", "prescribed")
LOCKED = ("hold", "free")
_GRAVITY = (0.0, -9.80665, 0.0)
_LEFT = ("ForceSet", "ContactGeometrySet", "ControllerSet", "ProbeSet", "ComponentSet", "components")
_READ = ("Body", "Marker", "PhysicalOffsetFrame", "OffsetFrame", "Station", "StationDefinedFrame")


@reads_file("an OpenSim model")
def read_osim(
    path: str | os.PathLike[str],
    *,
    markers: str | os.PathLike[str] | None = None,
    locked: str = "hold",
    skip: Iterable[str] = (),
    up: str | None = None,
) -> "Figure":
    """Return the figure of an OpenSim model, a segment for each body, from the ground outward.

    q is that of the format: coordinates in the order of the file, [rad, m]; `neutral()` gives their default values.
    Ranges are limits where the coordinate is clamped. What was left out is listed in `notes`.

    Parameters
    ----------
    markers : a marker set file (.xml) whose markers join those of the model, in place of those of the same name.
    locked : "hold" keeps locked coordinates at their default value, out of q; "free" lets them go.
    skip : features to leave out knowingly: "constraints" (all of them, couplers too), "prescribed" (coordinates that
        are functions of time are free then).
    up : axis that points up in the figure ("y", "z", …): gravity and the placements of the roots are turned, q stays
        as it is in the file. None keeps the axes of the file.

    """
    check_choice(locked, LOCKED, "locked")
    model = read_document(path, ("Model",))
    more = None if markers is None else read_document(markers, ("MarkerSet",))
    return orient(OsimModel(model, Report(FEATURES, skip, strict=True), locked == "hold").figure(more), up)


class OsimModel:
    """The parts of a model on their way into a figure."""

    def __init__(self, model: Node, report: Report, hold: bool) -> None:
        self.model, self.report = model, report
        self.components = components_of(model)
        self.frames = Frames(self.components)
        self.bodies = {node.name: node for _, node in self.components if node.tag == "Body"}
        self.links = links_of(self.components, self.frames)
        self.coordinates = self._coordinates()
        self.closed: list[Node] = []
        self.idle: set[str] = set()
        self.held = self._held(hold)
        self.couplings = self._couplings()

    def figure(self, more: Node | None) -> "Figure":
        from motiform.motion.tree.build import FigureBuilder

        with located(self.model):
            builder = FigureBuilder(self.model.vector("gravity", 3, _GRAVITY), self.model.name)
            for link, reverse in outward(self.links, self.bodies, self.model):
                self._add(builder, link, reverse)
            for dependent, (leading, function) in self.couplings.items():
                builder.couple(dependent, leading, function)
            for number, node in enumerate(self.closed, start=1):
                add_closure(builder, node, self.frames, number)
            add_markers(builder, self.model, more, self.components, self.frames, self.report)
            self._list_left()
            builder.notes += self._held_notes() + self.report.notes()
            return builder.build([name for name in self.coordinates if name not in self.held])

    def _add(self, builder: "FigureBuilder", link: Link, reverse: bool) -> None:
        (inner, before), (outer, after) = (link.child, link.parent) if reverse else (link.parent, link.child)
        body = self.bodies[str(outer)]
        with located(link.node):
            placement, joint, _ = assemble(link.node, before, after, self.held, reverse=reverse)
        with located(body):
            mass, center, inertia = self._matter(body)
            builder.segment(str(outer), inner, joint, placement=placement, mass=mass, com=center, inertia=inertia)

    def _matter(self, body: Node) -> tuple[float, Array, Array]:
        mass = body.scalar("mass")
        center = body.vector("mass_center", 3, (0.0, 0.0, 0.0))
        if body.field("inertia") is not None:
            moments = body.vector("inertia", 6)
        else:
            moments = np.array([body.scalar(f"inertia_{k}", 0.0) for k in ("xx", "yy", "zz", "xy", "xz", "yz")])
        xx, yy, zz, xy, xz, yz = moments.tolist()
        if mass == 0.0 and moments.any():
            self.report.leave(body, "inertia of bodies without mass")
            xx = yy = zz = xy = xz = yz = 0.0
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        possible = _possible(inertia)
        if possible is not inertia:
            self.report.leave(body, f"the excess of the impossible inertia of body {body.name!r}")
        return mass, center, possible

    # ---- coordinates
    def _coordinates(self) -> dict[str, Coordinate]:
        found: dict[str, Coordinate] = {}
        for link in self.links:
            for coordinate in coordinates_of(link.node):
                if coordinate.name in found:
                    first = found[coordinate.name].node.where
                    raise coordinate.node.error(
                        "every coordinate must have a name of its own", got=first, allowed="names once"
                    )
                found[coordinate.name] = coordinate
        return found

    def _held(self, hold: bool) -> dict[str, float]:
        """Return the coordinates that stand still and their values."""
        held = {c.name: c.default for c in self.coordinates.values() if c.locked and hold}
        for link in self.links:
            idle = [c for c in idle_coordinates(link.node) if c.name not in held]
            self.idle |= {c.name for c in idle}
            held |= {c.name: c.default for c in idle}
        for coordinate in self.coordinates.values():
            node = coordinate.node
            if coordinate.name in held or node.tag != "Coordinate" or not node.flag("prescribed", False):
                continue
            inner = function_inside(node, "prescribed_function")
            value = constant_value(read_function(inner)) if inner is not None and inner.tag == "Constant" else None
            if value is None:
                self.report.refuse(node, "prescribed", "a coordinate that is a function of time")
            else:
                held[coordinate.name] = value
        return held

    def _held_notes(self) -> list[str]:
        why = {name: " as it is locked" for name, c in self.coordinates.items() if c.locked}
        why |= dict.fromkeys(self.idle, ", as it moves nothing")
        return [f"coordinate {name!r} is held at {value:g}{why.get(name, '')}" for name, value in self.held.items()]

    def _couplings(self) -> dict[str, tuple[str, CoordinateFunction]]:
        """Return the coordinates that follow others; those led by one that is held are held, too."""
        found: dict[str, tuple[str, CoordinateFunction]] = {}
        for node in self.model.inside("ConstraintSet"):
            if node.flag("isDisabled", False) or not node.flag("isEnforced", True):
                self.report.leave(node, "constraints that are switched off")
            elif node.tag in CONSTRAINTS and "constraints" not in self.report.skip:
                self.closed.append(node)
            elif node.tag != "CoordinateCouplerConstraint" or "constraints" in self.report.skip:
                self.report.refuse(node, "constraints", f"a constraint of kind {node.tag}")
            else:
                dependent, leading, function = self._coupling(node)
                if dependent in found or dependent in self.held:
                    problem = "a coordinate is coupled twice" if dependent in found else "a coupled coordinate is held"
                    raise node.error(problem, got=dependent, remedy="Unlock it, or switch the constraint off.")
                found[dependent] = (leading, function)
        for dependent, (leading, function) in list(found.items()):
            if leading in self.idle:
                remedy = "Let an axis of its joint follow it, lock it, or switch the couplers off that it leads."
                raise self.coordinates[leading].node.error(
                    "a coordinate must move an axis to lead others", got=dependent, remedy=remedy
                )
            if leading in self.held:
                self.held[dependent] = float(function.derivatives(self.held[leading])[0])
                del found[dependent]
        return found

    def _coupling(self, node: Node) -> tuple[str, str, CoordinateFunction]:
        """dependent = scale × f(independent)"""
        leading = node.value("independent_coordinate_names").split()
        dependent = node.value("dependent_coordinate_name")
        if len(leading) != 1:
            raise node.error(
                "a coupler of several coordinates is not supported", got=" ".join(leading), allowed="one that leads"
            )
        for name in (dependent, leading[0]):
            if name not in self.coordinates:
                raise node.error("unknown coordinate", got=name, remedy=closest(name, self.coordinates))
        inner = function_inside(node, "coupled_coordinates_function")
        if inner is None:
            raise node.error("the coupler has no <coupled_coordinates_function>", remedy="Add one.")
        return dependent, leading[0], scaled(read_function(inner), node.scalar("scale_factor", 1.0))

    # ---- what is left out
    def _list_left(self) -> None:
        for tag in _LEFT:
            for node in self.model.inside(tag):
                if node.tag not in _READ and not node.tag.endswith("Joint"):
                    self.report.leave(node, f"{node.tag} of <{tag}>")
        for body in self.bodies.values():
            for node in body.inside("WrapObjectSet"):
                self.report.leave(node, "wrap objects")
            shown = body.field("VisibleObject")  # version 3
            for node in body.inside("attached_geometry") + ([] if shown is None else shown.inside("GeometrySet")):
                self.report.leave(node, "geometry of bodies")


def _possible(inertia: Array) -> Array:
    """Return the inertia, made possible where one moment exceeds the sum of the others, as in published models.

    The greatest moment stays. The second moment of mass along its axis, which is below zero, becomes zero.
    """
    moments, axes = np.linalg.eigh(inertia)
    a, b, c = moments.tolist()
    if c <= a + b or c + a < b:
        return inertia
    found: Array = axes @ np.diag([(c + a - b) / 2, (c + b - a) / 2, c]) @ axes.T
    return (found + found.T) / 2
