"""Geoms of MJCF: visual shapes of a body and their mass."""

from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.geometry import Ball, Box, Capsule, Cylinder, Ellipsoid, MassProperties, Shape
from motiform.motion.tree.read.elements import Element, located
from motiform.motion.tree.read.folders import Folders
from motiform.motion.tree.read.mjcf.meshes import MjcfMeshes
from motiform.motion.tree.read.mjcf.settings import ORIENTATIONS, Compiler, Defaults, turn_to
from motiform.motion.tree.read.repair import possible_inertia
from motiform.motion.tree.read.shared import ALONG_Z, Report, words
from motiform.spatial import Transform
from motiform.spatial.checks import Array

if TYPE_CHECKING:
    from motiform.motion.tree.model.segment import SegmentShape

__all__ = ["Geoms", "kind_of"]

_KNOWN = words(
    "name class type size pos fromto mass density group rgba material mesh hfield shellinertia fitscale "
    "contype conaffinity condim priority friction solmix solref solimp margin gap fluidshape fluidcoef user adhesion "
    "surfacevel castshadow"
)
_SIZES = {"sphere": 1, "capsule": 2, "ellipsoid": 3, "cylinder": 2, "box": 3}
_TYPES = ("plane", "hfield", "mesh", "sdf", *_SIZES)
_DRAWN_GROUPS = 2  # groups above hold the shapes of collisions, by habit of the format


class Geoms:
    """The geoms of a file, with the meshes and materials that they name."""

    def __init__(self, compiler: Compiler, defaults: Defaults, folders: Folders, meshes: str, report: Report) -> None:
        self.compiler, self.defaults = compiler, defaults
        self.choice, self.report = meshes, report
        self.meshes = MjcfMeshes(compiler, folders, meshes, report)
        self.colors: dict[str, Element] = {}

    def read_assets(self, section: Element) -> None:
        """Remember meshes and materials."""
        for child in section.children:
            if child.tag == "mesh":
                self.meshes.add(self.defaults.apply(child, None))
            elif child.tag == "material":
                material = self.defaults.apply(child, None)
                self.colors[material.text("name")] = material
            else:
                self.report.leave(child, f"<{child.tag}> of assets")

    def parts(self, geoms: list[tuple[Element, Transform]]) -> "list[SegmentShape]":
        """Return the visual parts of a body with these geoms in their frames.

        Where none of its meshes can be had it is drawn by the geoms of the other groups, its shapes of collisions.
        """
        seen = [(geom, at) for geom, at in geoms if geom.number("group", 0.0) <= _DRAWN_GROUPS]
        rest = [(geom, at) for geom, at in geoms if geom.number("group", 0.0) > _DRAWN_GROUPS]
        found = [part for geom, at in seen if (part := self._part(geom, at)) is not None]
        hidden = self.choice == "found" and any(kind_of(geom) == "mesh" for geom, _ in seen)
        if rest and hidden and not found:
            found = [part for geom, at in rest if (part := self._part(geom, at)) is not None]
            self.report.note(rest[0][0], "bodies are drawn by their collision shapes")
        elif rest:
            self.report.leave(rest[0][0], f"the look of geoms in groups above {_DRAWN_GROUPS}")
        return found

    def _part(self, geom: Element, frame: Transform) -> "SegmentShape | None":
        """Return the visual part of the body, or None; `frame` is the geom's frame in the body."""
        from motiform.motion.tree.model.segment import SegmentShape

        kind = kind_of(geom)
        if kind in ("plane", "hfield", "sdf"):
            self.report.leave(geom, f"the look of {kind} geoms")
            return None
        with self.report.leave_visual(geom, needed=self.choice == "all"), located(geom):
            shape, pose = self.solid(geom, kind, needed=False)
            return None if shape is None else SegmentShape(shape, frame @ pose, self._color(geom))
        return None

    def mass(self, geom: Element, frame: Transform) -> MassProperties | None:
        """Return the contribution of a geom to the mass of its body, or None."""
        geom.only((*_KNOWN, *ORIENTATIONS))
        kind = kind_of(geom)
        low, high = self.compiler.groups
        if kind in ("plane", "hfield") or not low <= geom.number("group", 0.0) <= high:
            return None
        amount = "mass" if "mass" in geom.attributes else "density"
        value = geom.number(amount, 1000.0, least=0.0)
        if value == 0.0:
            return None
        if geom.word("shellinertia", "false", ("true", "false")) == "true":
            raise geom.error("matter in a shell is not supported", remedy="Give the body an <inertial> instead.")
        with located(geom):
            if kind in ("mesh", "sdf"):
                solid, pose = self.meshes.get(geom, needed=True), self.compiler.pose(geom)
                properties = None if solid is None else solid.matter(**{amount: value})
            else:
                shape, pose = self.solid(geom, kind, needed=True)
                properties = None if shape is None else shape.mass_properties(**{amount: value})
            if properties is None:
                raise geom.error("the mesh has no file", remedy="Give the body an <inertial>, or the geom mass 0.")
            return properties.moved(frame @ pose)

    # ---- matter
    def matter(
        self, body: Element, inertial: Element | None, geoms: list[tuple[Element, Transform]]
    ) -> tuple[float, Array, Array]:
        """Return mass, centre of mass and inertia about it of a body with these geoms in their frames."""
        rule = self.compiler.inertia
        if inertial is not None and rule != "true":
            mass, center, inertia = self._inertial(inertial)
        else:
            mass, center, inertia = self._from_geoms(geoms) if rule != "false" else _nothing()
        mass, inertia = max(mass, self.compiler.mass_bound), self._bounded(inertia)
        return mass, center, possible_inertia(body, mass, inertia, self.report)

    def _from_geoms(self, geoms: list[tuple[Element, Transform]]) -> tuple[float, Array, Array]:
        found = [p for geom, at in geoms if (p := self.mass(geom, at)) is not None]
        if not found:
            return _nothing()
        total = found[0]
        for properties in found[1:]:
            total = total + properties
        return total.mass, total.com, total.inertia

    def _inertial(self, element: Element) -> tuple[float, Array, Array]:
        element.only(("mass", "pos", "diaginertia", "fullinertia", *ORIENTATIONS))
        mass, center = element.number("mass", least=0.0), element.numbers("pos", 3)
        if "fullinertia" in element.attributes:
            if set(element.attributes) & {"diaginertia", *ORIENTATIONS}:
                raise element.error(
                    "fullinertia excludes other settings", allowed="without orientation and diaginertia"
                )
            xx, yy, zz, xy, xz, yz = element.numbers("fullinertia", 6).tolist()
            return mass, center, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        R = self.compiler.rotation(element)
        return mass, center, R @ np.diag(element.numbers("diaginertia", 3, (0.0, 0.0, 0.0))) @ R.T

    def _bounded(self, inertia: Array) -> Array:
        """Return an inertia whose moments keep the bounds of the compiler."""
        bound = self.compiler.inertia_bound
        if not bound and not self.compiler.balance:
            return inertia
        moments, axes = np.linalg.eigh(inertia)
        moments = np.maximum(moments, bound)
        if self.compiler.balance and 2.0 * moments.max() > moments.sum():
            moments = np.full(3, moments.mean())
        bounded: Array = axes @ np.diag(moments) @ axes.T
        return bounded

    # ---- shapes
    def solid(self, geom: Element, kind: str, needed: bool) -> tuple[Shape | None, Transform]:
        """Return the shape and its pose in the frame that holds the geom."""
        if kind == "mesh":
            found = self.meshes.get(geom, needed=needed)
            return None if found is None else found.mesh, self.compiler.pose(geom)
        if "mesh" in geom.attributes:
            return self._fitted(geom, kind, needed)
        size = geom.numbers("size", (1, 3), [0.0])
        if "fromto" in geom.attributes:
            size, pose = _stretched(geom, kind, size)
        else:
            pose = self.compiler.pose(geom)
        if len(size) < _SIZES[kind]:
            raise geom.error(
                f"the size of a {kind} has the wrong number of values",
                got=size.tolist(),
                allowed=f"{_SIZES[kind]} numbers",
            )
        shape, along_z = _primitive(kind, size)
        return shape, pose @ ALONG_Z if along_z else pose

    def _fitted(self, geom: Element, kind: str, needed: bool) -> tuple[Shape | None, Transform]:
        """Return a primitive with the sizes of the box that has the inertia of a mesh."""
        if self.compiler.fit_bounds:
            raise geom.error("shapes fitted by fitaabb are not supported", remedy="Give the geom a size.")
        found = self.meshes.get(geom, needed=needed)
        if found is None:
            return None, Transform.identity()
        (a, b, c), frame = found.box
        radius = 0.5 * (a + b)
        sizes = {
            "sphere": [(a + b + c) / 3.0],
            "capsule": [radius, max(0.0, c - 0.5 * radius)],
            "cylinder": [radius, c],
        }
        size = geom.number("fitscale", 1.0) * np.array(sizes.get(kind, [a, b, c]))
        shape, along_z = _primitive(kind, size)
        pose = self.compiler.pose(geom) @ frame
        return shape, pose @ ALONG_Z if along_z else pose

    def _color(self, geom: Element) -> tuple[float, float, float] | None:
        if not geom.attributes.get("rgba"):
            material = self.colors.get(geom.attributes.get("material", ""))
            if material is None or not material.attributes.get("rgba"):
                return None
            geom = material
        red, green, blue = np.clip(geom.numbers("rgba", 4)[:3], 0.0, 1.0).tolist()
        return red, green, blue


def kind_of(geom: Element) -> str:
    """Return the type of a geom."""
    return geom.word("type", "sphere", _TYPES)


def _nothing() -> tuple[float, Array, Array]:
    return 0.0, np.zeros(3), np.zeros((3, 3))


def _primitive(kind: str, size: Array) -> tuple[Shape, bool]:
    """Return the shape of half sizes, and whether it stands along z."""
    if kind == "sphere":
        return Ball(float(size[0])), False
    if kind == "box":
        return Box(tuple((2.0 * size).tolist())), False
    if kind == "ellipsoid":
        return Ellipsoid(tuple(size.tolist())), False
    make: Any = Cylinder if kind == "cylinder" else Capsule
    return make(float(size[0]), 2.0 * float(size[1])), True


def _stretched(geom: Element, kind: str, size: Array) -> tuple[Array, Transform]:
    """Return sizes and pose of a geom given by the two ends of its long axis."""
    clash = set(geom.attributes) & {"pos", *ORIENTATIONS}
    if kind == "sphere" or clash:
        raise geom.error(
            "fromto must suit the shape",
            got=", ".join(sorted(clash)) or kind,
            allowed="a long shape, no pos, no orientation",
        )
    ends = geom.numbers("fromto", 6)
    start, end = ends[:3], ends[3:]
    along = start - end
    length = float(np.linalg.norm(along))
    if length < 1e-14:
        raise geom.error("the points of fromto must differ", got=ends.tolist(), allowed="two points that differ")
    across = [size[0]] if kind in ("capsule", "cylinder") else [size[0], size[0]]
    return np.array([*across, 0.5 * length]), Transform(turn_to(along / length), 0.5 * (start + end))
