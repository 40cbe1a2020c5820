"""X3D 4.0 as XML, with animation and exact primitives."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from motiform.base.digest import Digest
from motiform.form.upright import stand_upright
from motiform.image.export.keys import (
    axis_angles,
    body_colors,
    body_names,
    camera_track,
    key_times,
    poses,
    shape_key,
    viewpoint,
)
from motiform.image.export.soft import rods, shells, skin_times, skin_track
from motiform.image.export.tracks import KeyTracks, gathered
from motiform.image.shading import skin_split

if TYPE_CHECKING:
    from motiform.form import AnimatedSurface, Form, LinkParts, Part, Skin
    from motiform.form.parts import Series
    from motiform.geometry import Shape
    from motiform.image.export.humanoid import Humanoid
    from motiform.spatial import Transform

__all__ = ["LATER", "X3DScene", "number_texts", "numbers_text", "write_x3d", "x3d_document"]

LATER = "\0"  # XML knows no such sign: between two of them is the number of what is written there
_ROWS = 2**15  # of numbers that become text at once
_SCHEMA = "http://www.w3.org/2001/XMLSchema-instance"


def write_x3d(
    form: "Form", path: Path, *, rate: float | None = None, humanoid: "Humanoid | None" = None,
    rest: "Form | None" = None,
) -> None:  # fmt: skip
    """Write the form to ``path``: a Transform per body, driven by interpolators and one clock that loops.

    The axes of X3D are right-handed with y up, in metres; a form with another up is turned. Keys are fractions of the
    duration. A link is a cylinder that is scaled, the vertices of a skin follow a CoordinateInterpolator. A humanoid
    is written beside the ``rest`` of the form.
    """
    root, scene = x3d_document(form, path.parent, rate=rate, humanoid=humanoid, rest=rest)
    ElementTree.indent(root, space=" ")
    with path.open("wb") as out:
        for k, piece in enumerate(ElementTree.tostring(root, "UTF-8", xml_declaration=True).split(LATER.encode())):
            out.writelines([piece] if k % 2 == 0 else number_texts(scene.later[int(piece)]()))


def x3d_document(
    form: "Form", folder: Path, *, rate: float | None = None, humanoid: "Humanoid | None" = None,
    rest: "Form | None" = None,
) -> tuple[Element, "X3DScene"]:  # fmt: skip
    """Return the document, and the scene that holds the long lists of numbers whose places it has."""
    form = stand_upright(form)
    times = key_times(form, rate)
    ElementTree.register_namespace("xsd", _SCHEMA)
    schema = "https://www.web3d.org/specifications/x3d-4.0.xsd"
    profile = "Interchange" if humanoid is None else "Immersive"
    root = Element("X3D", profile=profile, version="4.0", attrib={f"{{{_SCHEMA}}}noNamespaceSchemaLocation": schema})
    _add_head(root, form, humanoid is not None)
    scene = X3DScene(SubElement(root, "Scene"), form, times, folder)
    scene.build(form if rest is None else stand_upright(rest), humanoid)
    return root, scene


def _add_head(root: Element, form: "Form", humanoid: bool) -> None:
    from motiform import __version__

    head = SubElement(root, "head")
    if humanoid:
        SubElement(head, "component", name="HAnim", level="1")
    SubElement(head, "meta", name="title", content=_clean(form.title or "motiform"))
    SubElement(head, "meta", name="generator", content=f"motiform {__version__}")


class X3DScene:
    """The scene element as it grows, with the names already given in it."""

    def __init__(self, element: Element, form: "Form", times: np.ndarray, folder: Path) -> None:
        self.element, self.form, self.times, self.folder = element, form, times, folder
        self.later: list[Callable[[], Series]] = []
        """What gives long lists of numbers, which are written where they belong and not held."""
        self.names: set[str] = set()
        self.again: dict[str, int] = {}  # how often a name was wished for, so that many equal wishes stay fast
        self.geometries: dict[str, list[str]] = {}
        self.looks: dict[tuple[str, tuple[float, ...]], str] = {}
        self.routes: list[tuple[str, str, str, str]] = []
        self.span = float(times[-1] - times[0])
        self.keys = self._later(lambda: (times - times[0]) / self.span) if self.span > 0 else ""

    def build(self, form: "Form", humanoid: "Humanoid | None" = None) -> None:
        """Add title, clock, the bodies of a form, then the routes between them."""
        SubElement(self.element, "WorldInfo", title=_clean(self.form.title or "motiform"))
        if self.span > 0:
            clock = SubElement(self.element, "TimeSensor", DEF=self.name("clock"))
            clock.attrib |= {"cycleInterval": f"{self.span:.9g}", "loop": "true"}
        self._add_viewpoint()
        form.write_to(self)
        if humanoid is not None:
            from motiform.image.export.hanim import add_humanoid

            add_humanoid(self, humanoid)
        for source, field, target, entry in self.routes:
            ends = {"fromNode": source, "fromField": field, "toNode": target, "toField": entry}
            SubElement(self.element, "ROUTE", attrib=ends)

    def _add_viewpoint(self) -> None:
        """Add the camera; one that moves is driven by the clock."""
        track = camera_track(self.form, self.times)
        camera, turn = viewpoint(self.form) if track is None else (track[0][0], track[1][0])
        view = SubElement(
            self.element, "Viewpoint", DEF=self.name("camera"), position=numbers_text(camera.position),
            orientation=numbers_text(axis_angles(turn[None])), fieldOfView=numbers_text(camera.fov),
            centerOfRotation=numbers_text(camera.target), description="camera",
        )  # fmt: skip
        if track is not None:
            cameras, turns = track
            for field, kind, values in (
                ("position", "PositionInterpolator", [one.position for one in cameras]),
                ("orientation", "OrientationInterpolator", axis_angles(turns)),
                ("centerOfRotation", "PositionInterpolator", [one.target for one in cameras]),
                ("fieldOfView", "ScalarInterpolator", [one.fov for one in cameras]),
            ):
                self.animate(view, field, kind, partial(np.asarray, values))

    def add_part(self, part: "Part") -> None:
        """Add each body as a Transform."""
        position, turn = gathered(poses(self.form, part, self.times), part.count, len(self.times), self.folder)
        key, colors = shape_key(part), body_colors(part).tolist()
        for i, name in enumerate(body_names(part)):
            body = SubElement(self.element, "Transform", DEF=self.name(name))
            body.attrib |= {
                "translation": numbers_text(position.first[i]),
                "rotation": numbers_text(axis_angles(turn[i])[0]),
            }
            if part.scale is not None:
                body.attrib["scale"] = numbers_text(np.full(3, part.scale[i]))
            self._add_look(body, part.name, part.shape, part.offset, key, tuple(colors[i]))
            self.animate(body, "translation", "PositionInterpolator", partial(position.__getitem__, i))
            self.animate(body, "rotation", "OrientationInterpolator", partial(_turns, turn, i))

    def add_links(self, links: "LinkParts") -> None:
        """Add links as cylinders of radius and height 1 that are scaled."""
        from motiform.geometry import Cylinder

        tracks = gathered(rods(self.form, links, self.times), links.count, len(self.times), self.folder)
        middle, turn, size = tracks
        colors, rod = body_colors(links).tolist(), Cylinder(1.0, 1.0)
        for i, name in enumerate(body_names(links)):
            body = SubElement(self.element, "Transform", DEF=self.name(name))
            body.attrib |= {
                "translation": numbers_text(middle.first[i]),
                "rotation": numbers_text(axis_angles(turn[i])[0]),
            }
            body.attrib["scale"] = numbers_text(size.first[i])
            self._add_look(body, links.name, rod, np.zeros(3), "rod", tuple(colors[i]))
            self.animate(body, "translation", "PositionInterpolator", partial(middle.__getitem__, i))
            self.animate(body, "rotation", "OrientationInterpolator", partial(_turns, turn, i))
            self.animate(body, "scale", "PositionInterpolator", partial(size.__getitem__, i))

    def add_skin(self, skin: "Skin") -> None:
        """Add a skin: a shape for each of its colours on the same moving points."""
        source, faces = skin_split(skin)
        times = skin_times(self.times)
        shapes = skin_track(self.form, skin, times, source)
        place = self.name(f"{skin.name}_points")
        for k, (color, own) in enumerate(skin.tones):
            shape = SubElement(self.element, "Shape", DEF=self.name(skin.name))
            look = SubElement(shape, "Appearance")
            SubElement(look, "Material", diffuseColor=numbers_text(np.round(color * 255) / 255), shininess="0.1")
            index = " ".join(map(str, faces[own].reshape(-1).tolist()))
            solid, smooth = str(not skin.two_sided).lower(), str(skin.smooth).lower()
            surface = SubElement(shape, "IndexedTriangleSet", index=index, solid=solid, normalPerVertex=smooth)
            if k == 0:
                SubElement(surface, "Coordinate", DEF=place, point=numbers_text(shapes[0]))
            else:
                SubElement(surface, "Coordinate", USE=place)
        if self.span > 0 and len(shapes) > 1:
            name, keys = self.name(f"{skin.name}_shapes"), numbers_text((times - times[0]) / self.span)
            SubElement(self.element, "CoordinateInterpolator", DEF=name, key=keys, keyValue=self._later(lambda: shapes))
            self.routes.append(("clock", "fraction_changed", name, "set_fraction"))
            self.routes.append((name, "value_changed", place, "set_point"))

    def add_surface(self, surface: "AnimatedSurface") -> None:
        """Add a surface: a switch between the triangles of each instant."""
        times, name = skin_times(self.times), self.name(surface.name)
        switch = SubElement(self.element, "Switch", DEF=name, whichChoice="0")
        for skin, _ in shells(self.form, surface, times):
            group = SubElement(switch, "Group")
            for color, own in skin.tones if len(skin.faces) else ():
                used, index = np.unique(skin.faces[own], return_inverse=True)
                shape = SubElement(group, "Shape")
                look = SubElement(shape, "Appearance")
                SubElement(look, "Material", diffuseColor=numbers_text(np.round(color * 255) / 255), shininess="0.1")
                numbers = " ".join(map(str, index.ravel().tolist()))
                faces = SubElement(shape, "IndexedTriangleSet", index=numbers, solid="true", normalPerVertex="true")
                SubElement(faces, "Coordinate", point=numbers_text(np.asarray(skin.vertices[0])[used]))
        if self.span > 0 and len(times) > 1:
            self.switch(switch, (times - times[0]) / self.span, np.arange(len(times)))

    def switch(self, switch: Element, keys: np.ndarray, choices: np.ndarray) -> None:
        """Drive a switch by the clock: each choice holds from its key (part of the duration) to the next."""
        turn, name = self.name(f"{switch.attrib['DEF']}_instants"), switch.attrib["DEF"]
        numbers = " ".join(map(str, choices.tolist()))
        SubElement(self.element, "IntegerSequencer", DEF=turn, key=numbers_text(keys), keyValue=numbers)
        self.routes.append(("clock", "fraction_changed", turn, "set_fraction"))
        self.routes.append((turn, "value_changed", name, "set_whichChoice"))

    def add_shape(self, body: Element, name: str, shape: "Shape", offset: np.ndarray, color: np.ndarray) -> None:
        """Add a shape in a colour to a body, written once and used again by name."""
        key = Digest(offset, shape.describe()).text()
        self._add_look(body, name, shape, offset, key, tuple(np.clip(color, 0.0, 1.0).tolist()))

    def add_ball(self, body: Element, radius: float, color: tuple[float, float, float]) -> None:
        """Add a ball in a colour to a body."""
        from motiform.geometry import Ball

        self.add_shape(body, "ball", Ball(radius), np.zeros(3), np.array(color))

    def animate(self, body: Element, field: str, kind: str, give: Callable[[], np.ndarray]) -> None:
        """Drive one field of a body by the clock, unless it is at rest."""
        values = give()
        if self.span == 0 or not np.any(values != values[0]):
            return
        name = self.name(f"{body.attrib['DEF']}_{field}")
        SubElement(self.element, kind, DEF=name, key=self.keys, keyValue=self._later(give))
        self.routes.append(("clock", "fraction_changed", name, "set_fraction"))
        self.routes.append((name, "value_changed", body.attrib["DEF"], f"set_{field}"))

    def _add_look(
        self, body: Element, name: str, seen: "Shape", offset: np.ndarray, key: str, color: tuple[float, ...]
    ) -> None:
        """Add the shape in its colour: written once, used again by name."""
        if (key, color) in self.looks:
            SubElement(body, "Transform", USE=self.looks[key, color])
            return
        self.looks[key, color] = self.name(f"{name}_shape")
        group = SubElement(body, "Transform", DEF=self.looks[key, color], translation=numbers_text(offset))
        first = key not in self.geometries
        names = self.geometries.setdefault(key, [])
        for k, (parent, geometry) in enumerate(_pieces(group, seen)):
            shape = SubElement(parent, "Shape")
            SubElement(
                SubElement(shape, "Appearance"), "Material", diffuseColor=numbers_text(np.array(color)), shininess="0.1"
            )
            if first:
                names.append(self.name(f"{name}_geometry"))
                geometry.attrib = {"DEF": names[k], **geometry.attrib}
                shape.append(geometry)
            else:
                SubElement(shape, geometry.tag, USE=names[k])

    def _later(self, give: "Callable[[], Series]") -> str:
        """Return what stands for a long list of numbers until the file is written."""
        self.later.append(give)
        return f"{LATER}{len(self.later) - 1}{LATER}"

    def name(self, wish: str) -> str:
        """Return a name near the wish that is new in the file and that XML allows."""
        base = re.sub(r"[^A-Za-z0-9_-]", "_", wish)
        base = base if base[:1].isalpha() else f"n_{base}"
        name = base
        while name in self.names:
            self.again[base] = self.again.get(base, 1) + 1
            name = f"{base}_{self.again[base]}"
        self.names.add(name)
        return name


def _pieces(parent: Element, shape: "Shape") -> Iterator[tuple[Element, Element]]:
    """Give the geometry nodes of a shape, each with the element that places it: exact primitives where X3D has them."""
    from motiform.geometry import Ball, Box, Capsule, Compound, Cylinder, Ellipsoid, Particles

    match shape:
        case Box():
            yield parent, Element("Box", size=numbers_text(shape.size))
        case Ball():
            yield parent, _sphere(shape.radius)
        case Cylinder():
            yield parent, _cylinder(shape.radius, shape.height)
        case Ellipsoid():
            yield SubElement(parent, "Transform", scale=numbers_text(shape.radii)), _sphere(1.0)
        case Capsule():
            yield parent, _cylinder(shape.radius, shape.length, bottom="false", top="false")
            for side in (-0.5, 0.5):
                yield (
                    SubElement(parent, "Transform", translation=numbers_text((0, side * shape.length, 0))),
                    _sphere(shape.radius),
                )
        case Particles():
            radius = cast(float, shape.radius)  # the shape chose one where none was given
            for point in shape.points:
                yield SubElement(parent, "Transform", translation=numbers_text(point)), _sphere(radius)
        case Compound():
            for piece, placement in shape.parts:
                yield from _pieces(_placed(parent, placement), piece)
        case _:
            yield parent, _triangles(shape)


def _placed(parent: Element, placement: "Transform") -> Element:
    from motiform.spatial import quaternion_from_rotation

    turn = axis_angles(np.asarray(quaternion_from_rotation(placement.rotation))[None])[0]
    return SubElement(parent, "Transform", translation=numbers_text(placement.translation), rotation=numbers_text(turn))


def _sphere(radius: float) -> Element:
    return Element("Sphere", radius=f"{radius:.9g}")


def _cylinder(radius: float, height: float, **caps: str) -> Element:
    return Element("Cylinder", radius=f"{radius:.9g}", height=f"{height:.9g}", attrib=caps)


def _triangles(shape: "Shape") -> Element:
    mesh = shape.to_mesh()
    index = " ".join(map(str, np.asarray(mesh.faces).reshape(-1).tolist()))
    triangles = Element("IndexedTriangleSet", index=index, normalPerVertex="false")
    SubElement(triangles, "Coordinate", point=numbers_text(mesh.vertices))
    return triangles


def numbers_text(values: object) -> str:
    """Return numbers as X3D lists them; nine digits keep every bit of its single precision."""
    flat = np.asarray(values, dtype=float).reshape(-1)
    return ("%.9g " * len(flat) % tuple(flat.tolist())).rstrip()


def number_texts(values: "Series") -> Iterator[bytes]:
    """Give numbers as text, some rows at a time."""
    for first in range(0, len(values), _ROWS):
        yield (b" " if first else b"") + numbers_text(values[first : first + _ROWS]).encode("ascii")


def _turns(turn: KeyTracks, body: int) -> np.ndarray:
    return axis_angles(turn[body])


def _clean(text: str) -> str:
    """Return text without the control characters that XML cannot hold."""
    return re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "", text)
