"""URDF: links and joints. The file's own axes are kept (z is up by habit) together with its gravity.

Read: inertials, visuals (box, sphere, cylinder, capsule, mesh), joints fixed, revolute, continuous, prismatic,
floating, planar and spherical with axis, limit, damping and mimic. Left out: collision geometry, by rule, for it
changes no free motion; materials beyond one colour, effort and velocity bounds, transmissions, simulator extensions.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import closest
from motiform.base.files import reads_file
from motiform.motion.tree.read.elements import Element, is_number, located, read_xml
from motiform.motion.tree.read.folders import Folders
from motiform.motion.tree.read.model_file import FileActuator, ModelFile, orient_file
from motiform.motion.tree.read.shared import MESHES, Report, check_choice
from motiform.motion.tree.read.urdf.links import UrdfLinks, origin
from motiform.spatial import Transform

if TYPE_CHECKING:
    from motiform.motion.tree.build import FigureBuilder
    from motiform.motion.tree.model.figure import Figure
    from motiform.motion.tree.model.joint import Joint

__all__ = ["read_urdf", "read_urdf_file"]

FEATURES = ("friction",)
_TYPES = ("fixed", "revolute", "continuous", "prismatic", "floating", "planar", "spherical")
_SINGLE = ("revolute", "continuous", "prismatic")
_EXTENSIONS = ("gazebo", "transmission", "sensor", "ros2_control", "mujoco", "group", "disable_collisions", "version")


@reads_file("URDF")
def read_urdf(
    path: str | os.PathLike[str],
    *,
    gravity: ArrayLike = (0.0, 0.0, -9.81),
    free: bool = False,
    meshes: str = "found",
    roots: Iterable[str | os.PathLike[str]] | str | os.PathLike[str] = (),
    strict: bool = False,
    skip: Iterable[str] = (),
    up: str | None = None,
) -> "Figure":
    """Return the figure of a URDF file, a segment for each link, from the root outward in the order of the joints.

    What a figure cannot have is left out, what no matter can have is mended; `figure.notes` lists it, and one warning
    names what changes the motion. Unknown elements and attributes are noted.

    Parameters
    ----------
    gravity : [m/s²] in the file's axes. Without gravity z is up.
    free : give the root link a free joint; otherwise it is fixed to the world.
    meshes : "found" draws those whose file is there, "skip" none, "all" fails if one is missing. Files lie in the
        folder of the model or under `roots`.
    roots : folders to look for meshes in. ``package://NAME/…`` and ``model://NAME/…`` are looked for as ROS does, see
        `Folders`: in the model's folder and in the roots, in folders and packages above and beside the model, in
        ROS_PACKAGE_PATH and AMENT_PREFIX_PATH.
    strict : refuse what would be left out or mended, with file and line.
    skip : features to leave out knowingly: "friction" (dry friction of joints).
    up : axis that points up in the figure ("y", "z", …): gravity and the placements of the roots are turned, q stays
        as it is in the file. None keeps the axes of the file.

    """
    return read_urdf_file(
        path, gravity=gravity, free=free, meshes=meshes, roots=roots, strict=strict, skip=skip, up=up, whole=False
    ).figure


@reads_file("URDF")
def read_urdf_file(
    path: str | os.PathLike[str], *, gravity: ArrayLike = (0.0, 0.0, -9.81), free: bool = False, meshes: str = "found",
    roots: Iterable[str | os.PathLike[str]] | str | os.PathLike[str] = (), strict: bool = False,
    skip: Iterable[str] = (), up: str | None = None, whole: bool = True,
) -> ModelFile:  # fmt: skip
    """Return the figure of a URDF file and, if `whole`, its collision shapes and a motor for each joint."""
    check_choice(meshes, MESHES, "meshes")
    root = read_xml(path)
    if root.tag != "robot":
        raise root.error("the root must be that of a URDF model", got=f"<{root.tag}>", allowed="<robot>")
    report = Report(FEATURES, skip, strict)
    _leave_macros(root, report)
    _clean_numbers(root, report)
    folders = Folders(Path(path).parent, roots)
    report.searched = folders.searched
    links = UrdfLinks(root, folders, meshes, report, whole)
    return orient_file(_Urdf(root, links, report).read(gravity, free), up)


class _Urdf:
    """The links and joints of a file on their way into a figure."""

    def __init__(self, root: Element, content: UrdfLinks, report: Report) -> None:
        self.root, self.content, self.report = root, content, report
        for child in root.children:
            self._check_kind(child)
        self.links = _by_name(root.all("link"))
        self.joints = _by_name(root.all("joint"))
        self.motors: dict[str, FileActuator] = {}

    def _check_kind(self, child: Element) -> None:
        if child.tag in ("link", "joint", "material"):
            return
        if child.tag in _EXTENSIONS:
            self.report.leave(child, f"<{child.tag}>")
        else:
            self.report.unknown(child, "element", child.tag, ("link", "joint", "material", *_EXTENSIONS))

    # ---- the tree
    def read(self, gravity: ArrayLike, free: bool) -> ModelFile:
        from motiform.motion.tree import joints
        from motiform.motion.tree.build import FigureBuilder

        with located(self.root):
            builder = FigureBuilder(gravity=gravity, name=self.root.text("name", ""), vertical="z")
            for name, joint in self._outward():
                self._add(builder, name, joint, joints.free() if free else joints.fixed())
            self._couple(builder)
            builder.notes += self.report.notes()
            return ModelFile(builder.build(), tuple(self.content.solids), actuators=tuple(self.motors.values()))

    def _outward(self) -> list[tuple[str, Element | None]]:
        """Return the links with the joints that carry them, parents first, children in the order of the file."""
        if not self.links:
            remedy = "Expand a file with macros first: name it .xacro, with the package xacro installed."
            raise self.root.error("the model has no <link>", allowed="at least one link", remedy=remedy)
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
        self.report.only(link, ("name", "type"))
        parent = None if element is None else element.need("parent").text("link")
        with located(link if element is None else element):
            joint = base if element is None else self._joint(element)
            damping = 0.0 if element is None else self._damping(element)
            placement = Transform.identity() if element is None else origin(element, self.report)
            shape: Any = self.content.parts(link)
        with located(link):
            mass, center, inertia = self.content.inertial(link)
            builder.segment(
                name, parent, joint, placement=placement, mass=mass, com=center, inertia=inertia,
                damping=damping if joint.nv else 0.0, shape=shape,
            )  # fmt: skip

    # ---- joints
    def _joint(self, element: Element) -> "Joint":
        from motiform.motion.tree import joints

        self.report.only(element, ("name", "type"))
        self._check_parts(element)
        kind = element.word("type", "", _TYPES)
        name = element.text("name")
        if kind == "fixed":
            return joints.fixed()
        if kind == "floating":
            return joints.free(names=[f"{name}.{part}" for part in joints.free().names])
        if kind == "spherical":
            return joints.spherical(names=[f"{name}.{part}" for part in joints.spherical().names])
        at = self._axis(element)
        axis = np.array([1.0, 0.0, 0.0]) if at is None else at.direction("xyz", None)
        if kind == "planar":
            return joints.planar(axis, names=[f"{name}.{part}" for part in ("t1", "t2", "r")])
        if self.content.whole:
            self.motors[name] = FileActuator(name, ((name, 1.0),), forces=_effort(element))
        make = joints.prismatic if kind == "prismatic" else joints.revolute
        return make(axis, limits=self._limits(element, kind), name=name)

    def _check_parts(self, element: Element) -> None:
        used = ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic")
        harmless = ("calibration", "safety_controller", "hardwareInterface")
        for child in element.children:
            if child.tag in harmless:
                self.report.leave(child, f"<{child.tag}> of joints")
            elif child.tag not in used:
                self.report.unknown(child, "element", child.tag, used + harmless)

    def _axis(self, element: Element) -> Element | None:
        given = element.all("axis")
        if len(given) > 1:
            self.report.mend(given[1], "a <joint> has at most one <axis>", "the first was taken", allowed="one")
        return given[0] if given else None

    def _limits(self, element: Element, kind: str) -> tuple[float, float] | None:
        limit = element.one("limit")
        if limit is None:
            if kind != "continuous":
                problem = f"a {kind} joint must have a <limit>"
                self.report.mend(element, problem, "it has none", remedy="Add it, or make the joint continuous.")
            return None
        self.report.only(limit, ("lower", "upper", "effort", "velocity", "acceleration", "deceleration", "jerk"))
        for name in ("velocity",) if self.content.whole else ("effort", "velocity"):
            if name in limit.attributes:
                self.report.leave(limit, f"{name} bounds of joints")
        if kind == "continuous" or not {"lower", "upper"} & set(limit.attributes):
            return None  # a bound that is not written is no bound
        lower, upper = (float(limit.numbers(n, 1, [0.0], infinite=True)[0]) for n in ("lower", "upper"))
        if lower > upper:
            facts: Any = {"got": (lower, upper), "allowed": "lower ≤ upper", "remedy": "Swap them."}
            self.report.mend(limit, "the range is empty", "the joint has no limits", **facts)
            return None
        return lower, upper

    def _damping(self, element: Element) -> float:
        dynamics = element.one("dynamics")
        if dynamics is None:
            return 0.0
        self.report.only(dynamics, ("damping", "friction"))
        if dynamics.number("friction", 0.0):
            self.report.refuse(dynamics, "friction", "dry friction of a joint")
        damping = dynamics.number("damping", 0.0)
        if damping < 0.0:
            self.report.mend(dynamics, f"damping must be 0 or more, but is {damping:g}", "it became 0")
        return max(damping, 0.0)

    def _couple(self, builder: "FigureBuilder") -> None:
        from motiform.motion.tree.model.functions import linear

        followers = {name: mimic for name, element in self.joints.items() if (mimic := self._mimic(element))}
        for name in followers:
            leader, slope, offset = _leader(name, followers)
            builder.couple(name, leader, linear(slope, offset))
            self.motors.pop(name, None)

    def _mimic(self, element: Element) -> Element | None:
        """Return the mimic of a joint that can follow another that can lead it."""
        mimic = element.one("mimic")
        if mimic is None:
            return None
        self.report.only(mimic, ("joint", "multiplier", "offset"))
        singles = [n for n, j in self.joints.items() if j.attributes.get("type") in _SINGLE]
        leader, done = mimic.text("joint"), f"the mimic of joint {element.text('name')!r} was left out"
        if element.text("name") not in singles:
            self.report.mend(mimic, "only joints with one coordinate can mimic", done, allowed=", ".join(_SINGLE))
            return None
        if leader not in singles:
            self.report.mend(mimic, "no such joint to mimic", done, got=leader, remedy=closest(leader, singles))
            return None
        return mimic


def _leader(name: str, followers: dict[str, Element]) -> tuple[str, float, float]:
    """Follow a chain of mimics to the joint that leads: value = slope × leader + offset."""
    slope, offset, seen = 1.0, 0.0, [name]
    while (mimic := followers.get(seen[-1])) is not None:
        leader = mimic.text("joint")
        if leader in seen:
            raise mimic.error("joints must not mimic in a circle", got=" → ".join([*seen, leader][:9]))
        offset += slope * mimic.number("offset", 0.0)
        slope *= mimic.number("multiplier", 1.0)
        seen.append(leader)
    return seen[-1], slope, offset


def _effort(element: Element) -> tuple[float, float]:
    """Return the range of the force of a joint [N·m or N]; a bound of zero is none."""
    limit = element.one("limit")
    bound = 0.0 if limit is None else abs(float(limit.numbers("effort", 1, [0.0], infinite=True)[0]))
    return (-bound, bound) if bound else (-np.inf, np.inf)


def _leave_macros(root: Element, report: Report) -> None:
    """Leave out what is for xacro alone, and is left over in files that it has expanded; if strict refuse it."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        for child in element.children:
            if child.tag.startswith("xacro:"):
                if report.strict:
                    raise child.error("macros must be expanded", remedy="Expand the file with xacro first.")
                report.leave(child, f"<{child.tag}>, which xacro did not expand", warn=True)
        element.children = [child for child in element.children if not child.tag.startswith("xacro:")]
        waiting += element.children


def _clean_numbers(root: Element, report: Report) -> None:
    """Take stray marks behind numbers away, as in "0.07, 0 1": readers in C let them pass."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        waiting += element.children
        for key, text in element.attributes.items():
            found = [word if is_number(word) else word[:-1] for word in text.split()]
            if found != text.split() and all(map(is_number, found)):
                report.mend(element, f"attribute {key!r} is not a number", f"{text[:60]!r} was taken as its numbers")
                element.attributes[key] = " ".join(found)


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
