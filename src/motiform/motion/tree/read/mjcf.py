"""MJCF: the tree of bodies, with the file's own axes and gravity, in the order and with the q of the format.

Read: includes, compiler, option gravity, default classes, bodies and frames, hinge, slide, ball and free joints with
ref, range, armature and damping, inertials or inertia from geoms, sites as tags, geoms as shapes, equality of joints.
Left out: actuators, sensors, contacts, keyframes and all that is only seen or tunes a solver.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from motiform.base.errors import closest
from motiform.motion.tree.read.elements import Element, located, read_xml
from motiform.motion.tree.read.folders import Folders
from motiform.motion.tree.read.mjcf_bodies import Bodies
from motiform.motion.tree.read.mjcf_geoms import Geoms
from motiform.motion.tree.read.mjcf_settings import Compiler, Defaults, expand_includes
from motiform.motion.tree.read.shared import MESHES, Report, check_choice, stand, words

if TYPE_CHECKING:
    from motiform.motion.tree.build import FigureBuilder
    from motiform.motion.tree.model.figure import Figure

__all__ = ["read_mjcf"]

FEATURES = words(
    "stiffness frictionloss damping armature tendon equality fluid gravcomp settotalmass alignfree actuator deformable"
)
_HARMLESS = ("size", "statistic", "visual", "contact", "sensor", "keyframe", "custom")
_SECTIONS = (
    "compiler",
    "option",
    "default",
    "asset",
    "worldbody",
    "equality",
    "tendon",
    "actuator",
    "deformable",
    "extension",
    *_HARMLESS,
)
_OPTIONS = words(
    "actuatorgroupdisable ccd_iterations ccd_tolerance cone impratio integrator iterations jacobian ls_iterations "
    "ls_tolerance magnetic noslip_iterations noslip_tolerance o_friction o_margin o_solimp o_solref sdf_initpoints "
    "sdf_iterations sleep_tolerance solver timestep tolerance apirate collision mpr_iterations mpr_tolerance"
)


def read_mjcf(
    path: str | os.PathLike[str],
    *,
    meshes: str = "found",
    roots: Iterable[str | os.PathLike[str]] | str | os.PathLike[str] = (),
    strict: bool = False,
    skip: Iterable[str] = (),
    up: str | None = None,
) -> "Figure":
    """Return the figure of an MJCF file, a segment for each body in the order of the file.

    q is that of the format: in the order of its joints, the position and quaternion of a free body in the world, `ref`
    included. v differs for free bodies, see `joints.free`. A body whose joints are not all hinges and slides hangs on
    massless segments named "body/joint". Equality of joints is exact here, while the format lets it give way a little.

    Parameters
    ----------
    meshes : "found" draws those whose file lies in the folder of the model, "skip" none, "all" fails if one is missing.
    skip : features to leave out knowingly: stiffness, frictionloss, damping (beyond the linear), armature (of free
        joints), tendon, equality, fluid, gravcomp, settotalmass, alignfree, deformable, actuator (its armature and
        damping).
    up : axis that points up in the figure ("y", "z", …): gravity and the placements of the roots are turned, q stays
        as it is in the file. None keeps the axes of the file.

    """
    check_choice(meshes, MESHES, "meshes")
    root = read_xml(path)
    if root.tag != "mujoco":
        raise root.error("not an MJCF model", got=f"<{root.tag}>", allowed="<mujoco>")
    folders = Folders(Path(path).parent, roots)
    expand_includes(root, folders)
    return stand(_Mjcf(root, folders, Report(FEATURES, skip, strict), meshes).figure(), up)


class _Mjcf:
    """The sections of a file on their way into a figure."""

    def __init__(self, root: Element, folders: Folders, report: Report, meshes: str) -> None:
        self.root, self.report = root, report
        self.compiler, self.defaults = Compiler(), Defaults()
        self.gravity, self.damped, self.coupled = (0.0, 0.0, -9.81), True, True
        for section in root.children:
            if section.tag not in _SECTIONS:
                raise section.error(
                    "unknown section", allowed=", ".join(_SECTIONS), remedy=closest(section.tag, _SECTIONS)
                )
            if section.tag in _HARMLESS:
                self.report.leave(section, f"<{section.tag}>")
        for section in root.all("compiler"):
            self.compiler.read(section, report)
        for section in root.all("default"):
            self.defaults.read(section)
        for section in root.all("option"):
            self._read_option(section)
        self.geoms = Geoms(self.compiler, self.defaults, folders, meshes, report)
        for section in root.all("asset"):
            self.geoms.read_assets(section)

    def figure(self) -> "Figure":
        from motiform.motion.tree.build import FigureBuilder

        self._refuse_sections()
        with located(self.root):
            builder = FigureBuilder(gravity=self.gravity, name=self.root.text("model", ""), vertical="z")
            equalities = self._equalities()
            locked = {e.text("joint1"): float(_coefficients(e)[0]) for e in equalities if "joint2" not in e.attributes}
            bodies = Bodies(self.compiler, self.defaults, self.geoms, self.report, locked, self.damped)
            bodies.add(builder, self.root.all("worldbody"))
            for element in equalities:
                self._couple(builder, element, bodies.references)
            builder.notes += self.report.notes()
            return builder.build()

    # ---- sections
    def _read_option(self, section: Element) -> None:
        section.only(("gravity", "density", "viscosity", "wind", *_OPTIONS))
        x, y, z = section.numbers("gravity", 3, self.gravity).tolist()
        self.gravity = (x, y, z)
        if section.number("density", 0.0) or section.number("viscosity", 0.0):
            self.report.refuse(section, "fluid", "a fluid around the bodies")
        if set(section.attributes) & set(_OPTIONS):
            self.report.leave(section, "solver settings of <option>")
        for flag in section.all("flag"):
            state = ("enable", "disable")
            if flag.word("gravity", "enable", state) == "disable":
                self.gravity = (0.0, 0.0, 0.0)
            names = ("damper", "passive")
            self.damped &= all(flag.word(name, "enable", state) == "enable" for name in names)
            names = ("equality", "constraint")
            self.coupled &= all(flag.word(name, "enable", state) == "enable" for name in names)

    def _refuse_sections(self) -> None:
        for section in self.root.children:
            for child in section.children:
                if section.tag == "tendon":
                    self.report.refuse(child, "tendon", f"a tendon (<{child.tag}>)")
                elif section.tag == "deformable" and child.tag != "skin":
                    self.report.refuse(child, "deformable", f"<{child.tag}>")
                elif section.tag == "extension":
                    raise child.error("extensions are not supported", remedy="Remove them.")
                elif section.tag == "actuator":
                    self._check_actuator(child)

    def _check_actuator(self, child: Element) -> None:
        actuator = self.defaults.apply(child, None)
        for name in ("armature", "damping"):
            if actuator.numbers(name, (1, 9), [0.0]).any():
                self.report.refuse(child, "actuator", f"{name} of an actuator")
        self.report.leave(child, "actuators")

    # ---- equality
    def _equalities(self) -> list[Element]:
        """Return those that tie joints together and are active."""
        found = []
        for child in [child for section in self.root.all("equality") for child in section.children]:
            element = self.defaults.apply(child, None, "equality")
            if not self.coupled or not element.flag("active", True):
                self.report.leave(child, "equalities that are not active")
            elif child.tag != "joint" or "equality" in self.report.skip:
                self.report.refuse(child, "equality", f"equality of kind <{child.tag}>")
            else:
                element.only(("name", "active", "joint1", "joint2", "polycoef", "solref", "solimp"))
                found.append(element)
        return found

    def _couple(self, builder: "FigureBuilder", element: Element, references: dict[str, float]) -> None:
        """(y − y0) = a0 + a1 (x − x0) + a2 (x − x0)² + …, with the references x0, y0 of the joints."""
        from motiform.motion.tree.model.functions import Polynomial

        names = [element.text(name) for name in ("joint1", "joint2") if name in element.attributes or name == "joint1"]
        for name in names:
            if name not in references:
                remedy = closest(name, references)
                raise element.error("no such hinge or slide", got=name, remedy=remedy)
        if len(names) == 1:
            return  # held at a constant: it was taken out of the tree
        y0, x0 = (references[name] for name in names)
        shift = np.polynomial.Polynomial([-x0, 1.0])
        expanded = np.polynomial.Polynomial(_coefficients(element))(shift) + y0
        with located(element):
            builder.couple(names[0], names[1], Polynomial(tuple(expanded.coef.tolist())))


def _coefficients(element: Element) -> np.ndarray:
    given = element.numbers("polycoef", (1, 5), (0.0, 1.0, 0.0, 0.0, 0.0))
    full = np.array([0.0, 1.0, 0.0, 0.0, 0.0])
    full[: len(given)] = given
    return full
