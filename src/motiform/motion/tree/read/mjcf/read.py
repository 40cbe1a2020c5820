"""MJCF: the tree of bodies, with the file's own axes and gravity, in the order and with the q of the format.

Read: includes, compiler, option gravity, default classes, bodies and frames, hinge, slide, ball and free joints with
ref, range, armature and damping, inertials or inertia from geoms, sites as tags, geoms as shapes, equality of joints
and fixed tendons as couplings, connect and weld as closures. Left out: actuators, sensors, contacts, keyframes and all
that is only seen or tunes a solver.
"""

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from motiform.base.files import reads_file
from motiform.motion.tree.read.elements import Element, located, read_xml
from motiform.motion.tree.read.folders import Folders
from motiform.motion.tree.read.mjcf.actuators import Actuators
from motiform.motion.tree.read.mjcf.bodies import MjcfBodies
from motiform.motion.tree.read.mjcf.equalities import Equalities
from motiform.motion.tree.read.mjcf.geoms import Geoms
from motiform.motion.tree.read.mjcf.joints import Joints
from motiform.motion.tree.read.mjcf.replicas import expand_replicas
from motiform.motion.tree.read.mjcf.settings import Compiler, Defaults, expand_includes
from motiform.motion.tree.read.mjcf.touch import MjcfContacts
from motiform.motion.tree.read.model_file import FileActuator, FilePosture, ModelFile, orient_file
from motiform.motion.tree.read.shared import MESHES, Report, check_choice, words

if TYPE_CHECKING:
    from motiform.motion.tree.build import FigureBuilder
    from motiform.motion.tree.model.figure import Figure

__all__ = ["read_mjcf", "read_mjcf_file"]

FEATURES = words(
    "stiffness frictionloss damping tendon equality fluid gravcomp alignfree actuator deformable extension"
)
_HARMLESS = ("size", "statistic", "visual", "sensor", "custom")
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
    "contact",
    "keyframe",
    *_HARMLESS,
)
_OPTIONS = words(
    "actuatorgroupdisable ccd_iterations ccd_tolerance cone impratio integrator iterations jacobian ls_iterations "
    "ls_tolerance magnetic noslip_iterations noslip_tolerance o_friction o_margin o_solimp o_solref sdf_initpoints "
    "sdf_iterations sleep_tolerance solver timestep tolerance apirate collision mpr_iterations mpr_tolerance"
)


@reads_file("MJCF")
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
    massless segments named "body/joint". `neutral()` is the reference posture of the file. Equalities are exact here,
    while the format lets them give way a little. Geometry of the world is a fixed segment "world".

    Parameters
    ----------
    meshes : "found" draws those whose file is there, "skip" none, "all" fails if one is missing. Files lie in the
        folder of the model or under `roots`. Meshes that weigh are read in any case.
    roots : folders to look for files in.
    strict : refuse what would be left out or mended, with file and line.
    skip : features to leave out knowingly: stiffness, frictionloss, damping (beyond the linear), tendon, equality,
        fluid, gravcomp, alignfree, deformable, extension, actuator (its armature and damping).
    up : axis that points up in the figure ("y", "z", …): gravity and the placements of the roots are turned, q stays
        as it is in the file. None keeps the axes of the file.

    """
    return read_mjcf_file(path, meshes=meshes, roots=roots, strict=strict, skip=skip, up=up, whole=False).figure


@reads_file("MJCF")
def read_mjcf_file(
    path: str | os.PathLike[str], *, meshes: str = "found",
    roots: Iterable[str | os.PathLike[str]] | str | os.PathLike[str] = (), strict: bool = False,
    skip: Iterable[str] = (), up: str | None = None, whole: bool = True,
) -> ModelFile:  # fmt: skip
    """Return the figure of an MJCF file and, if `whole`, what touches, actuators, springs and postures."""
    check_choice(meshes, MESHES, "meshes")
    root = read_xml(path)
    if root.tag != "mujoco":
        raise root.error("the root must be that of an MJCF model", got=f"<{root.tag}>", allowed="<mujoco>")
    folders = Folders(Path(path).parent, roots)
    expand_includes(root, folders)
    report = Report(FEATURES, skip, strict, searched=folders.searched)
    return orient_file(_Mjcf(root, folders, report, meshes, whole).read(), up)


class _Mjcf:
    """The sections of a file on their way into a figure."""

    def __init__(self, root: Element, folders: Folders, report: Report, meshes: str, whole: bool) -> None:
        self.root, self.report, self.whole = root, report, whole
        self.compiler, self.defaults = Compiler(), Defaults()
        self.gravity, self.damped, self.coupled, self.step = (0.0, 0.0, -9.81), True, True, 2e-3
        for section in root.children:
            if section.tag not in _SECTIONS:
                self.report.unknown(section, "section", section.tag, _SECTIONS)
            elif section.tag in _HARMLESS:
                self.report.leave(section, f"<{section.tag}>")
        for section in root.all("compiler"):
            self.compiler.read(section, report)
        expand_replicas(root, self.compiler)
        for section in root.all("default"):
            self.defaults.read(section)
        for section in root.all("option"):
            self._read_option(section)
        self.geoms = Geoms(self.compiler, self.defaults, folders, meshes, report)
        for section in root.all("asset"):
            self.geoms.read_assets(section)

    def read(self) -> ModelFile:
        from motiform.motion.tree.build import FigureBuilder

        self._leave_sections()
        touch = MjcfContacts(self.geoms, self.defaults, self.report) if self.whole else None
        if touch is not None:
            touch.read(self.root.all("contact"))
        with located(self.root):
            builder = FigureBuilder(gravity=self.gravity, name=self.root.text("model", ""), vertical="z")
            sections = self.root.all("equality"), self.root.all("tendon")
            ties = Equalities(*sections, self.defaults, self.report, self.coupled)
            joints = Joints(self.compiler, self.report, ties.locked, self.damped, [] if self.whole else None)
            bodies = MjcfBodies(self.compiler, self.defaults, self.geoms, self.report, joints, touch)
            bodies.add(builder, self.root.all("worldbody"))
            ties.apply(builder, bodies)
            self._scale_mass(builder)
            actuators = self._actuators(joints, ties) if self.whole else []
            builder.notes += self.report.notes()
            figure = builder.build()
        if touch is None:
            return ModelFile(figure)
        kept = tuple(actuator for actuator in actuators if actuator is not None)
        postures = self._postures(figure, joints, [actuator is not None for actuator in actuators])
        pairs = frozenset(touch.excluded), tuple(touch.paired)
        return ModelFile(
            figure, tuple(touch.solids), *pairs, kept, tuple(joints.springs or ()), postures, bodies.lifted, self.step
        )

    def _actuators(self, joints: Joints, ties: Equalities) -> list[FileActuator | None]:
        reader = Actuators(self.defaults, self.compiler, self.report, joints.ranges, ties.tendons)
        return reader.read(self.root.all("actuator"))

    def _postures(self, figure: "Figure", joints: Joints, kept: list[bool]) -> dict[str, FilePosture]:
        """Return the keyframes, in the order of q of the figure."""
        found: dict[str, FilePosture] = {}
        size = sum(count for _, count, _ in joints.order)
        moves = np.repeat([moving for _, _, moving in joints.order], [count for _, count, _ in joints.order])
        for key in [key for section in self.root.all("keyframe") for key in section.all("key")]:
            with located(key):
                start = figure.neutral()
                command = key.numbers("ctrl", len(kept), np.zeros(len(kept)))[kept]
                if "qpos" in key.attributes and size:
                    given = key.numbers("qpos", size)[moves.astype(bool)]
                    start = given if figure.coupled is None else given[figure.coupled.kept_q]
                    _turn_by_nothing(figure, start)
                found[key.attributes.get("name") or f"key{len(found) + 1}"] = FilePosture(start, command)
        return found

    def _scale_mass(self, builder: "FigureBuilder") -> None:
        total = sum(segment.mass for segment in builder.segments)
        if self.compiler.total_mass > 0.0 and total > 0.0:
            factor = self.compiler.total_mass / total
            builder.segments = [replace(s, mass=factor * s.mass, inertia=factor * s.inertia) for s in builder.segments]

    # ---- sections
    def _read_option(self, section: Element) -> None:
        section.only(("gravity", "density", "viscosity", "wind", *_OPTIONS))
        x, y, z = section.numbers("gravity", 3, self.gravity).tolist()
        self.gravity = (x, y, z)
        self.step = section.number("timestep", self.step)
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

    def _leave_sections(self) -> None:
        for section in self.root.children:
            for child in section.children:
                if section.tag == "deformable" and child.tag != "skin":
                    self.report.refuse(child, "deformable", f"<{child.tag}>")
                elif section.tag == "extension":
                    self.report.refuse(child, "extension", "an extension")
                elif section.tag == "actuator":
                    self._check_actuator(child)
        if self.whole:
            return
        for section in self.root.children:
            if section.tag in ("contact", "keyframe"):
                self.report.leave(section, f"<{section.tag}>")

    def _check_actuator(self, child: Element) -> None:
        actuator = self.defaults.apply(child, None)
        for name in ("armature", "damping"):
            if actuator.numbers(name, (1, 9), [0.0]).any():
                self.report.refuse(child, "actuator", f"{name} of an actuator")
        if not self.whole:
            self.report.leave(child, "actuators")


def _turn_by_nothing(figure: "Figure", q: np.ndarray) -> None:
    """Give quaternions that are zero no rotation, as the format does."""
    for n, segment in enumerate(figure.segments):
        places, _ = figure.free_places(n)
        for first in segment.joint.quaternions:
            if not q[places[first : first + 4]].any():
                q[places[first]] = 1.0
