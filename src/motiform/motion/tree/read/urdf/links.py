"""The links of URDF: matter, shapes, colours."""

from typing import TYPE_CHECKING

import numpy as np

from motiform.base.errors import closest
from motiform.motion.tree.read.elements import Element, located
from motiform.motion.tree.read.folders import Folders
from motiform.motion.tree.read.model_file import FileSolid
from motiform.motion.tree.read.repair import possible_inertia
from motiform.motion.tree.read.shared import ALONG_Z, Report, load_mesh
from motiform.spatial import Transform
from motiform.spatial.checks import Array

if TYPE_CHECKING:
    from motiform.geometry import Shape
    from motiform.motion.tree.model.segment import SegmentShape

__all__ = ["UrdfLinks", "origin"]

Color = tuple[float, float, float]
_KNOWN = ("inertial", "visual", "collision")
_MOMENTS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


class UrdfLinks:
    """What the links of a file hold."""

    def __init__(self, root: Element, folders: Folders, meshes: str, report: Report, whole: bool) -> None:
        self.folders, self.meshes, self.report, self.whole = folders, meshes, report, whole
        self.solids: list[FileSolid] = []
        """Collision shapes of the links, where they are asked for."""
        self.colors: dict[str, Color | None] = {}
        for material in root.all("material"):
            with report.leave_visual(material):
                self.colors[material.text("name")] = _rgba(material)

    # ---- matter
    def inertial(self, link: Element) -> tuple[float, Array, Array]:
        """Return mass, centre of mass and inertia about it, in the link's axes."""
        inertial = link.one("inertial")
        if inertial is None:
            return 0.0, np.zeros(3), np.zeros((3, 3))
        pose, mass = origin(inertial, self.report), inertial.need("mass").number("value", least=0.0)
        given = inertial.one("inertia")
        J = np.zeros((3, 3))
        if given is not None:
            self.report.only(given, _MOMENTS)
            xx, yy, zz = (given.number(name) for name in _MOMENTS[:3])
            xy, xz, yz = (given.number(name, 0.0) for name in _MOMENTS[3:])
            J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        J = possible_inertia(link, mass, J, self.report)
        return mass, pose.translation, pose.rotation @ J @ pose.rotation.T

    # ---- shapes
    def parts(self, link: Element) -> "list[SegmentShape] | None":
        """Return what a link is drawn as."""
        parts, hidden = list["SegmentShape"](), False
        for child in link.children:
            if child.tag == "collision" and self.whole:
                with self.report.touches(child):
                    self.solids += self._solid(link, child)
            elif child.tag == "collision":
                self.report.leave(child, "<collision> geometry")
            elif child.tag == "contact" and self.whole and child.one("lateral_friction") is not None:
                continue  # the friction of its collision shapes
            elif child.tag in ("contact", "self_collision_checking"):
                self.report.leave(child, f"<{child.tag}> of links")
            elif child.tag == "visual":
                found: list[SegmentShape] = []
                with self.report.leave_visual(child, needed=self.meshes == "all"):
                    found = self._part(child)
                parts += found
                hidden |= not found
            elif child.tag != "inertial":
                self.report.unknown(child, "element", child.tag, _KNOWN)
        if hidden and not parts and self.meshes == "found":
            parts = self._substitute_shapes(link)
        return parts or None

    def _substitute_shapes(self, link: Element) -> "list[SegmentShape]":
        """Return the collision shapes of a link that cannot be drawn by its own."""
        parts: list[SegmentShape] = []
        for collision in link.all("collision"):
            with self.report.leave_visual(collision):
                parts += self._part(collision)
        if parts:
            self.report.note(link, "links are drawn by their collision shapes")
        return parts

    def _solid(self, link: Element, collision: Element) -> list[FileSolid]:
        shape, along_z = self._shape(collision.need("geometry"), "all")
        name = link.text("name")
        if shape is None:
            return []
        contact = link.one("contact")
        lateral = None if contact is None else contact.one("lateral_friction")
        friction = 1.0 if lateral is None else lateral.number("value", 1.0, least=0.0)
        pose = origin(collision, self.report)
        label = f"{name}.collision{1 + sum(solid.segment == name for solid in self.solids)}"
        return [FileSolid(label, name, shape, pose @ ALONG_Z if along_z else pose, friction)]

    def _part(self, visual: Element) -> "list[SegmentShape]":
        from motiform.motion.tree.model.segment import SegmentShape

        shape, along_z = self._shape(visual.need("geometry"), self.meshes)
        if shape is None:
            return []
        placement = origin(visual, self.report)
        return [SegmentShape(shape, placement @ ALONG_Z if along_z else placement, self._color(visual))]

    def _shape(self, geometry: Element, meshes: str) -> "tuple[Shape | None, bool]":
        """Return the shape, and whether it stands along z."""
        from motiform.geometry import Ball, Box, Capsule, Cylinder

        if len(geometry.children) != 1:
            raise geometry.error("a geometry must have one shape", got=len(geometry.children), allowed="one")
        (solid,) = geometry.children
        with located(solid):
            if solid.tag == "box":
                return Box(tuple(solid.numbers("size", 3).tolist())), False
            if solid.tag == "sphere":
                return Ball(solid.number("radius")), False
            if solid.tag in ("cylinder", "capsule"):
                make = Cylinder if solid.tag == "cylinder" else Capsule
                return make(solid.number("radius"), solid.number("length")), True
            if solid.tag == "mesh":
                return self._mesh(solid, meshes), False
        known = ("box", "sphere", "cylinder", "capsule", "mesh")
        raise solid.error("unknown shape", allowed=", ".join(known), remedy=closest(solid.tag, known))

    def _mesh(self, element: Element, meshes: str) -> "Shape | None":
        name, scale = element.text("filename"), element.numbers("scale", (1, 3), (1.0, 1.0, 1.0))
        return load_mesh(element, self.folders, name, np.broadcast_to(scale, 3), meshes, self.report)

    def _color(self, visual: Element) -> Color | None:
        material = visual.one("material")
        if material is None:
            return None
        return _rgba(material) or self.colors.get(material.attributes.get("name", ""))


def origin(element: Element, report: Report) -> Transform:
    """Return the frame that the <origin> of an element describes."""
    found = element.one("origin")
    if found is None:
        return Transform.identity()
    report.only(found, ("xyz", "rpy"))
    zero = (0.0, 0.0, 0.0)
    return Transform.from_euler(found.numbers("rpy", 3, zero), "xyz", found.numbers("xyz", 3, zero), fixed=True)


def _rgba(material: Element) -> Color | None:
    color = material.one("color")
    if color is None:
        return None
    red, green, blue, _ = np.clip(color.numbers("rgba", 4), 0.0, 1.0).tolist()
    return red, green, blue
