"""Global settings of an MJCF file: includes, compiler settings, default classes, orientations in all their forms."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from motiform.base.errors import closest
from motiform.motion.tree.read.elements import Element, read_xml
from motiform.motion.tree.read.folders import Folders
from motiform.motion.tree.read.shared import Report, words
from motiform.spatial import Transform, exp_rotation, rotation_about, rotation_from_quaternion
from motiform.spatial.checks import Array

__all__ = ["ORIENTATIONS", "Compiler", "Defaults", "expand_includes", "turn_to"]

ORIENTATIONS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")
_HARMLESS = words(
    "conflict discardvisual fusestatic passthrough savecanonical savecompiled saveinertial texturedir "
    "usethread convexhull exactmeshinertia"
)
_USED = words(
    "alignfree angle assetdir autolimits balanceinertia boundinertia boundmass coordinate eulerseq fitaabb "
    "inertiafromgeom inertiagrouprange meshdir settotalmass strippath"
)

# Actuators of all kinds share one set of defaults in the format; these are meant alike by each.
_ACTUATORS = ("general", "motor", "position", "velocity")
_OF_ALL_ACTUATORS = words(
    "gear ctrlrange ctrllimited forcerange forcelimited joint tendon inheritrange gainprm biasprm"
)


def expand_includes(root: Element, folders: Folders) -> None:
    """Replace every <include> by what the root of its file holds; each file may be included once.

    A name is looked for from the folder of the model, then from the folder of the file that includes it.
    """
    seen = set[Path]()
    waiting = [(root, folders.own)]
    while waiting:
        element, base = waiting.pop()
        children: list[Element] = []
        queue = [(child, base) for child in reversed(element.children)]
        while queue:
            child, around = queue.pop()
            if child.tag == "include":
                found, place = _included(child, folders, around, seen)
                queue += [(inner, place) for inner in reversed(found.children)]
            else:
                child.folder = os.path.relpath(around, folders.own) if around != folders.own else ""
                children.append(child)
                waiting.append((child, around))
        element.children = children


def _included(element: Element, folders: Folders, base: Path, seen: set[Path]) -> tuple[Element, Path]:
    """Return the root of an included file, and its folder."""
    element.only(("file",))
    name = element.text("file")
    path = folders.find(name, element) or folders.find(name, element, base)
    if path is None:
        raise element.error("no such file", got=name[:200], remedy="Put it into the folder of the model.")
    if path in seen:
        raise element.error("a file must be included once", got=name[:200], allowed="once")
    seen.add(path)
    return read_xml(path, shown=name), path.parent


@dataclass
class Compiler:
    """The settings of <compiler>, later ones over earlier ones."""

    degrees: bool = True
    sequence: str = "xyz"
    autolimits: bool = True
    inertia: str = "auto"
    groups: tuple[float, float] = (0.0, 5.0)
    mass_bound: float = 0.0
    inertia_bound: float = 0.0
    balance: bool = False
    mesh_folder: str = ""
    strip_path: bool = False
    fit_bounds: bool = False
    total_mass: float = -1.0
    """[kg] that all bodies together are scaled to; none below zero."""

    def read(self, element: Element, report: Report) -> None:
        """Take the settings of one <compiler>."""
        element.only((*_USED, *_HARMLESS))
        self.degrees = element.word("angle", "degree" if self.degrees else "radian", ("degree", "radian")) == "degree"
        element.word("coordinate", "local", ("local",))
        self.sequence = element.text("eulerseq", self.sequence)
        if len(self.sequence) != 3 or set(self.sequence.lower()) - set("xyz"):
            raise element.error("eulerseq must be three axes", got=self.sequence, allowed="three of x, y, z, X, Y, Z")
        self.autolimits = element.flag("autolimits", self.autolimits)
        self.inertia = element.word("inertiafromgeom", self.inertia, ("auto", "true", "false"))
        low, high = element.numbers("inertiagrouprange", 2, self.groups).tolist()
        self.groups = (low, high)
        self.mass_bound = element.number("boundmass", self.mass_bound, least=0.0)
        self.inertia_bound = element.number("boundinertia", self.inertia_bound, least=0.0)
        self.balance = element.flag("balanceinertia", self.balance)
        self.mesh_folder = element.text("meshdir", element.text("assetdir", self.mesh_folder))
        self.strip_path = element.flag("strippath", self.strip_path)
        self.fit_bounds = element.flag("fitaabb", self.fit_bounds)
        self.total_mass = element.number("settotalmass", self.total_mass)
        if element.flag("alignfree", False):
            report.refuse(element, "alignfree", "alignment of free bodies with their inertia")
        for child in element.children:
            report.leave(child, f"<{child.tag}> of the compiler")

    # ---- angles and orientations
    def angle(self, value: float) -> float:
        """Return an angle of the file in radians."""
        return float(np.deg2rad(value)) if self.degrees else value

    def pose(self, element: Element) -> Transform:
        """Return the frame that pos and one of the orientations of an element describe."""
        return Transform(self.rotation(element), element.numbers("pos", 3, (0.0, 0.0, 0.0)))

    def rotation(self, element: Element) -> Array:
        """Return the rotation of an element, (3, 3)."""
        given = [name for name in ORIENTATIONS if name in element.attributes]
        if len(given) > 1:
            raise element.error(
                "an element has at most one orientation", got=" and ".join(given), allowed="one of them"
            )
        if not given:
            return np.eye(3)
        form = given[0]
        if form == "quat":
            return rotation_from_quaternion(element.numbers("quat", 4))
        if form == "axisangle":
            *axis, angle = element.numbers("axisangle", 4).tolist()
            probe = element.with_attributes({"axisangle": " ".join(map(repr, axis))})
            return exp_rotation(probe.direction("axisangle", None) * self.angle(angle))
        if form == "euler":
            return self._euler(element)
        if form == "xyaxes":
            return _from_xyaxes(element)
        return turn_to(element.direction("zaxis", None))

    def _euler(self, element: Element) -> Array:
        R = np.eye(3)
        for letter, value in zip(self.sequence, element.numbers("euler", 3).tolist(), strict=True):
            turn = rotation_about(letter.lower(), self.angle(value))
            R = R @ turn if letter.islower() else turn @ R  # capitals turn about the axes at rest
        return R


def _from_xyaxes(element: Element) -> Array:
    numbers = element.numbers("xyaxes", 6)
    size = np.abs(numbers).max()
    x, y = np.split(numbers / size if size > 0 else numbers, 2)
    if np.linalg.norm(x) < 1e-9 or np.linalg.norm(np.cross(x, y)) < 1e-9 * np.linalg.norm(x):
        raise element.error(
            "the directions of xyaxes must not be parallel",
            got=numbers.tolist(),
            allowed="two directions that are not parallel",
        )
    x = x / np.linalg.norm(x)
    y = y - x * (x @ y)
    y = y / np.linalg.norm(y)
    return np.stack([x, y, np.cross(x, y)], axis=1)


def turn_to(direction: Array) -> Array:
    """Return the smallest rotation that takes z to a direction of length 1, (3, 3); half a turn is about x."""
    axis = np.cross((0.0, 0.0, 1.0), direction)
    sine = float(np.linalg.norm(axis))
    if sine == 0.0:
        return np.eye(3) if direction[2] > 0 else np.diag([1.0, -1.0, -1.0])
    return exp_rotation(axis / sine * np.arctan2(sine, direction[2]))


class Defaults:
    """The default classes: attributes by class and tag, those of the classes around included."""

    def __init__(self) -> None:
        self.classes: dict[str, dict[str, dict[str, str]]] = {"main": {}}

    def read(self, section: Element) -> None:
        """Take one <default> section with the classes in it."""
        waiting: list[tuple[Element, str | None]] = [(section, None)]
        while waiting:
            element, parent = waiting.pop()
            element.only(("class",))
            name = element.text("class", "main" if parent is None else None)
            if parent is None:
                name = "main"  # the outermost class, whatever it is called, is what elements without a class take
                self.classes.setdefault(element.text("class", "main"), self.classes["main"])
            elif name in self.classes:
                raise element.error("every default class must have a name of its own", got=name, allowed="names once")
            own = self.classes[name] if parent is None else {k: dict(v) for k, v in self.classes[parent].items()}
            self.classes[name] = own
            for child in element.children:
                if child.tag != "default":
                    own[child.tag] = merged(own.get(child.tag, {}), child.attributes)
                for tag in _ACTUATORS if child.tag in _ACTUATORS else ():
                    common = {key: value for key, value in child.attributes.items() if key in _OF_ALL_ACTUATORS}
                    own[tag] = merged(own.get(tag, {}), common)
            waiting += [(child, name) for child in reversed(element.children) if child.tag == "default"]

    def apply(self, element: Element, around: str | None, tag: str | None = None) -> Element:
        """Return an element with the defaults of its class, or of the class around it, filled in."""
        name = element.attributes.get("class", around or "main")
        if name not in self.classes:
            raise element.error("unknown default class", got=name, remedy=closest(name, self.classes))
        own = {key: value for key, value in element.attributes.items() if key != "class"}
        return element.with_attributes(merged(self.classes[name].get(tag or element.tag, {}), own))

    def elements(self) -> Iterator[tuple[str, dict[str, str]]]:
        """Give every tag with its attributes in every class."""
        for by_tag in self.classes.values():
            yield from by_tag.items()


def merged(below: dict[str, str], above: dict[str, str]) -> dict[str, str]:
    """Return attributes over defaults; an orientation replaces one of any form, fewer sizes only the first ones."""
    if set(above) & set(ORIENTATIONS):
        below = {key: value for key, value in below.items() if key not in ORIENTATIONS}
    both = {**below, **above}
    if "size" in below and "size" in above:
        first = above["size"].split()
        both["size"] = " ".join([*first, *below["size"].split()[len(first) :]])
    return both
