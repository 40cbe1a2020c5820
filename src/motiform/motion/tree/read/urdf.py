"""URDF: links and joints. The file's own axes are kept (z is up by habit) together with its gravity.

Read: inertials, visuals (box, sphere, cylinder, capsule, mesh), joints fixed, revolute, continuous, prismatic, floating
and planar with axis, limit, damping and mimic. Left out: collision geometry, by rule, for it changes no free motion;
materials beyond one colour, effort and velocity bounds, transmissions, simulator extensions.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import closest
from motiform.motion.tree.read.elements import Element, file_inside, located, read_xml
from motiform.motion.tree.read.shared import ALONG_Z, MESHES, Report, check_choice, load_mesh, stand
from motiform.spatial import Transform
from motiform.spatial.checks import Array

if TYPE_CHECKING:
    from motiform.geometry import Shape
    from motiform.motion.tree.build import FigureBuilder
    from motiform.motion.tree.model.figure import Figure
    from motiform.motion.tree.model.joint import Joint
    from motiform.motion.tree.model.segment import Part

__all__ = ["read_urdf"]

FEATURES = ("friction",)
_TYPES = ("fixed", "revolute", "continuous", "prismatic", "floating", "planar")
_SINGLE = ("revolute", "continuous", "prismatic")
_EXTENSIONS = ("gazebo", "transmission", "sensor", "ros2_control", "mujoco", "group", "disable_collisions", "version")
Color = tuple[float, float, float]


def read_urdf(
    path: str | os.PathLike[str],
    *,
    gravity: ArrayLike = (0.0, 0.0, -9.81),
    free: bool = False,
    meshes: str = "found",
    skip: Iterable[str] = (),
    up: str | None = None,
) -> "Figure":
    """Return the figure of a URDF file, a segment for each link, from the root outward in the order of the joints.

    Parameters
    ----------
    gravity : [m/s²] in the file's axes. Without gravity z is up.
    free : give the root link a free joint; otherwise it is fixed to the world.
    meshes : "found" draws those whose file lies in the folder of the model, "skip" none, "all" fails if one is missing.
        ``package://name/…`` is looked for in the folder with and without ``name``.
    skip : features to leave out knowingly: "friction" (dry friction of joints).
    up : axis that points up in the figure ("y", "z", …): gravity and the placements of the roots are turned, q stays
        as it is in the file. None keeps the axes of the file.

    """
    check_choice(meshes, MESHES, "meshes")
    root = read_xml(path)
    if root.tag != "robot":
        raise root.error("not a URDF model", got=f"<{root.tag}>", allowed="<robot>")
    return stand(_Urdf(root, Path(path).parent, Report(FEATURES, skip), meshes).figure(gravity, free), up)


class _Urdf:
    """The links and joints of a file on their way into a figure."""

    def __init__(self, root: Element, folder: Path, report: Report, meshes: str) -> None:
        self.root, self.folder, self.report, self.meshes = root, folder, report, meshes
        for child in root.children:
            self._check_kind(child)
        self.links = _by_name(root.all("link"))
        self.joints = _by_name(root.all("joint"))
        self.colors = {m.text("name"): _rgba(m) for m in root.all("material")}

    def _check_kind(self, child: Element) -> None:
        if child.tag in ("link", "joint", "material"):
            return
        if child.tag.startswith("xacro:"):
            raise child.error("macros must be expanded", remedy="Expand the file with xacro first.")
        if child.tag not in _EXTENSIONS:
            known = ("link", "joint", "material", *_EXTENSIONS)
            raise child.error("unknown element", allowed=", ".join(known), remedy=closest(child.tag, known))
        self.report.leave(child, f"<{child.tag}>")

    # ---- the tree
    def figure(self, gravity: ArrayLike, free: bool) -> "Figure":
        from motiform.motion.tree import joints
        from motiform.motion.tree.build import FigureBuilder

        with located(self.root):
            builder = FigureBuilder(gravity=gravity, name=self.root.text("name", ""), vertical="z")
            for name, joint in self._outward():
                self._add(builder, name, joint, joints.free() if free else joints.fixed())
            self._couple(builder)
            builder.notes += self.report.notes()
            return builder.build()

    def _outward(self) -> list[tuple[str, Element | None]]:
        """Return the links with the joints that carry them, parents first, children in the order of the file."""
        if not self.links:
            raise self.root.error("the model has no <link>", remedy="A model has at least one link.")
        carried: dict[str, Element] = {}
        children: dict[str, list[str]] = {name: [] for name in self.links}
        for joint in self.joints.values():
            parent, child = (self._link_of(joint.need(end)) for end in ("parent", "child"))
            if child in carried:
                raise joint.error(
                    f"link {child!r} is carried by more than one joint", got=carried[child].where, allowed="a tree"
                )
            carried[child] = joint
            children[parent].append(child)
        roots = [name for name in self.links if name not in carried]
        if len(roots) != 1:
            problem = (
                "the joints must not form a loop" if not roots else "more than one link has no joint that carries it"
            )
            raise self.root.error(
                problem, got=", ".join(roots[:9]) or None, allowed="one root, joints that form a tree"
            )
        order, waiting = [], roots
        while waiting:
            name = waiting.pop()
            order.append((name, carried.get(name)))
            waiting += reversed(children[name])
        lost = [name for name in self.links if name not in {found for found, _ in order}]
        if lost:
            raise self.links[lost[0]].error(
                "links must not form a loop", got=", ".join(lost[:9]), allowed="joints that form a tree"
            )
        return order

    def _link_of(self, element: Element) -> str:
        name = element.text("link")
        if name not in self.links:
            raise element.error("unknown link", got=name, remedy=closest(name, self.links))
        return name

    def _add(self, builder: "FigureBuilder", name: str, element: Element | None, base: "Joint") -> None:
        link = self.links[name]
        parent = None if element is None else element.need("parent").text("link")
        with located(link if element is None else element):
            joint = base if element is None else self._joint(element)
            damping = 0.0 if element is None else self._damping(element)
            placement = Transform.identity() if element is None else _origin(element)
            shape: Any = self._parts(link)
        with located(link):
            mass, center, inertia = self._inertial(link)
            builder.segment(
                name,
                parent,
                joint,
                placement=placement,
                mass=mass,
                com=center,
                inertia=inertia,
                damping=damping if joint.nv else 0.0,
                shape=shape,
            )

    # ---- joints
    def _joint(self, element: Element) -> "Joint":
        from motiform.motion.tree import joints

        element.only(("name", "type"))
        self._check_parts(element)
        kind = element.word("type", "", _TYPES)
        name = element.text("name")
        if kind == "fixed":
            return joints.fixed()
        if kind == "floating":
            return joints.free(names=[f"{name}.{part}" for part in joints.free().names])
        at = element.one("axis")
        axis = np.array([1.0, 0.0, 0.0]) if at is None else at.direction("xyz", None)
        if kind == "planar":
            return joints.planar(axis, names=[f"{name}.{part}" for part in ("t1", "t2", "r")])
        make = joints.prismatic if kind == "prismatic" else joints.revolute
        return make(axis, limits=self._limits(element, kind), name=name)

    def _check_parts(self, element: Element) -> None:
        used = ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic")
        harmless = ("calibration", "safety_controller", "hardwareInterface")
        for child in element.children:
            if child.tag in harmless:
                self.report.leave(child, f"<{child.tag}> of joints")
            elif child.tag not in used:
                known = used + harmless
                raise child.error("unknown element", allowed=", ".join(known), remedy=closest(child.tag, known))

    def _limits(self, element: Element, kind: str) -> tuple[float, float] | None:
        limit = element.one("limit")
        if limit is None:
            if kind == "continuous":
                return None
            raise element.error(f"a {kind} joint must have a <limit>", remedy="Add it, or make the joint continuous.")
        limit.only(("lower", "upper", "effort", "velocity", "acceleration", "deceleration", "jerk"))
        for name in ("effort", "velocity"):
            if name in limit.attributes:
                self.report.leave(limit, f"{name} bounds of joints")
        if kind == "continuous" or not {"lower", "upper"} & set(limit.attributes):
            return None  # a bound that is not written is no bound
        lower, upper = (float(limit.numbers(n, 1, [0.0], infinite=True)[0]) for n in ("lower", "upper"))
        if lower > upper:
            raise limit.error("the range is empty", got=(lower, upper), allowed="lower ≤ upper", remedy="Swap them.")
        return lower, upper

    def _damping(self, element: Element) -> float:
        dynamics = element.one("dynamics")
        if dynamics is None:
            return 0.0
        dynamics.only(("damping", "friction"))
        if dynamics.number("friction", 0.0, least=0.0):
            self.report.refuse(dynamics, "friction", "dry friction of a joint")
        return dynamics.number("damping", 0.0, least=0.0)

    def _couple(self, builder: "FigureBuilder") -> None:
        from motiform.motion.tree.model.functions import linear

        for name, element in self.joints.items():
            if element.one("mimic") is not None:
                leader, slope, offset = self._leader(element)
                builder.couple(name, leader, linear(slope, offset))

    def _leader(self, element: Element) -> tuple[str, float, float]:
        """Follow a chain of mimics to the joint that leads: value = slope × leader + offset."""
        slope, offset, seen, at = 1.0, 0.0, [element.text("name")], element
        while (mimic := at.one("mimic")) is not None:
            mimic.only(("joint", "multiplier", "offset"))
            leader = mimic.text("joint")
            if at.text("type") not in _SINGLE:
                raise mimic.error("only joints with one coordinate can mimic", allowed=", ".join(_SINGLE))
            if leader not in self.joints or self.joints[leader].text("type") not in _SINGLE:
                singles = [n for n, j in self.joints.items() if j.attributes.get("type") in _SINGLE]
                raise mimic.error("no such joint to mimic", got=leader, remedy=closest(leader, singles))
            if leader in seen:
                raise mimic.error("joints must not mimic in a circle", got=" → ".join([*seen, leader][:9]))
            offset += slope * mimic.number("offset", 0.0)
            slope *= mimic.number("multiplier", 1.0)
            seen.append(leader)
            at = self.joints[leader]
        return seen[-1], slope, offset

    # ---- links
    def _inertial(self, link: Element) -> tuple[float, Array, Array]:
        inertial = link.one("inertial")
        if inertial is None:
            return 0.0, np.zeros(3), np.zeros((3, 3))
        pose = _origin(inertial)
        mass = inertial.need("mass").number("value", least=0.0)
        given = inertial.one("inertia")
        if given is None:
            return mass, pose.translation, np.zeros((3, 3))
        names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        given.only(names)
        xx, yy, zz = (given.number(name) for name in names[:3])
        xy, xz, yz = (given.number(name, 0.0) for name in names[3:])
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        return mass, pose.translation, pose.rotation @ J @ pose.rotation.T

    def _parts(self, link: Element) -> "list[Part] | None":
        from motiform.motion.tree.model.segment import Part

        parts = []
        for child in link.children:
            if child.tag == "collision":
                self.report.leave(child, "<collision> geometry")
            elif child.tag in ("contact", "self_collision_checking"):
                self.report.leave(child, f"<{child.tag}> of links")
            elif child.tag == "visual":
                shape, along_z = self._shape(child.need("geometry"))
                if shape is not None:
                    placement = _origin(child) @ ALONG_Z if along_z else _origin(child)
                    parts.append(Part(shape, placement, self._color(child)))
            elif child.tag != "inertial":
                known = ("inertial", "visual", "collision")
                raise child.error("unknown element", allowed=", ".join(known), remedy=closest(child.tag, known))
        return parts or None

    def _shape(self, geometry: Element) -> "tuple[Shape | None, bool]":
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
                return self._mesh(solid), False
        known = ("box", "sphere", "cylinder", "capsule", "mesh")
        raise solid.error("unknown shape", allowed=", ".join(known), remedy=closest(solid.tag, known))

    def _mesh(self, element: Element) -> "Shape | None":
        name, scale = element.text("filename"), element.numbers("scale", 3, (1.0, 1.0, 1.0))
        package, _, below = name.removeprefix("package://").partition("/")
        if name.startswith("package://"):
            name = below if file_inside(self.folder, below, element) else f"{package}/{below}"
        return load_mesh(element, self.folder, name.removeprefix("file://"), scale, self.meshes, self.report)

    def _color(self, visual: Element) -> Color | None:
        material = visual.one("material")
        if material is None:
            return None
        return _rgba(material) or self.colors.get(material.attributes.get("name", ""))


def _by_name(elements: list[Element]) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for element in elements:
        name = element.text("name")
        if name in found:
            raise element.error(
                f"every <{element.tag}> must have a name of its own", got=found[name].where, allowed="names once"
            )
        found[name] = element
    return found


def _origin(element: Element) -> Transform:
    origin = element.one("origin")
    if origin is None:
        return Transform.identity()
    origin.only(("xyz", "rpy"))
    zero = (0.0, 0.0, 0.0)
    return Transform.from_euler(origin.numbers("rpy", 3, zero), "xyz", origin.numbers("xyz", 3, zero), fixed=True)


def _rgba(material: Element) -> Color | None:
    color = material.one("color")
    if color is None:
        return None
    red, green, blue, _ = np.clip(color.numbers("rgba", 4), 0.0, 1.0).tolist()
    return red, green, blue
