"""The bodies of MJCF with their joints, matter, sites and shapes, as segments."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import closest
from motiform.motion.tree.read.elements import Element, located
from motiform.motion.tree.read.mjcf.geoms import Geoms
from motiform.motion.tree.read.mjcf.joints import JointPiece, Joints, fixed_piece
from motiform.motion.tree.read.mjcf.settings import ORIENTATIONS, Compiler, Defaults
from motiform.motion.tree.read.mjcf.touch import MjcfContacts
from motiform.motion.tree.read.shared import Report
from motiform.spatial import Transform

if TYPE_CHECKING:
    from motiform.motion.tree.build import FigureBuilder

__all__ = ["MjcfBodies"]

WORLD = "world"
_HERE = Transform.identity()
_BODY = ("name", "childclass", "pos", *ORIENTATIONS, "gravcomp", "mocap", "user", "sleep", "fuse", "simple")
_MAKERS = ("composite", "flexcomp", "attach")


@dataclass
class _Content:
    """What one body holds, frames within it resolved: elements with their frame in the body and their class."""

    inertial: Element | None = None
    joints: list[tuple[Element, Transform]] = field(default_factory=list)
    geoms: list[tuple[Element, Transform]] = field(default_factory=list)
    sites: list[tuple[Element, Transform]] = field(default_factory=list)
    bodies: list[tuple[Element, Transform, str | None]] = field(default_factory=list)


class MjcfBodies:
    """Adds bodies to a builder, parents first, in the order of the file."""

    def __init__(
        self, compiler: Compiler, defaults: Defaults, geoms: Geoms, report: Report, joints: Joints,
        touch: MjcfContacts | None = None,
    ) -> None:  # fmt: skip
        self.compiler, self.defaults, self.geoms, self.report = compiler, defaults, geoms, report
        self.joints, self.touch = joints, touch
        self.frames: dict[str, Transform] = {}
        """Bodies in the world, at the reference."""
        self.moving: set[str] = set()
        self.lifted: dict[str, float] = {}
        """Share of its weight that is taken from a body, where that is asked for."""
        self.sites: dict[str, tuple[str | None, Transform]] = {}
        self.count = 0

    def add(self, builder: "FigureBuilder", worlds: list[Element]) -> None:
        """Add all bodies of the worldbody sections."""
        waiting: list[tuple[Element, Transform, str | None, str | None]] = []
        contents = [self._content(world, None) for world in worlds]
        for world, content in zip(worlds, contents, strict=True):
            if content.joints or content.inertial:
                raise world.error("the world cannot move or weigh", remedy="Put joint and inertial into a <body>.")
            waiting += [(*body, None) for body in content.bodies]
        self._add_world(builder, contents, alone=not waiting)
        waiting.reverse()
        while waiting:
            element, frame, around, parent = waiting.pop()
            with located(element):
                name, content = self._add_body(builder, element, frame, around, parent)
            waiting += [(*body, name) for body in reversed(content.bodies)]

    def _add_world(self, builder: "FigureBuilder", contents: list[_Content], alone: bool) -> None:
        """Add the geometry of the world as a fixed segment, if there is any or no other body."""
        geoms = [geom for content in contents for geom in content.geoms]
        sites = [site for content in contents for site in content.sites]
        parts = self.geoms.parts(geoms)
        if self.touch is not None:
            self.touch.add(None, geoms)
        if parts or alone or any(site.attributes.get("name") for site, _ in sites):
            self._segment(builder, WORLD, None, fixed_piece(_HERE), shape=parts or None)
            for site, at in sites:
                self._tag(builder, None, site, at)

    # ---- where things are
    def body(self, element: Element, key: str) -> str | None:
        """Return the body that an element names, None for the world."""
        name = element.attributes.get(key) or WORLD
        if name == WORLD:
            return None
        if name not in self.frames:
            raise element.error("unknown body", got=name, remedy=closest(name, self.frames))
        return name

    def frame(self, body: str | None) -> Transform:
        """Return the frame of a body in the world, at the reference."""
        return _HERE if body is None else self.frames[body]

    def site(self, element: Element, key: str) -> tuple[str | None, Transform]:
        """Return the body of a site that an element names, and the site's frame in it."""
        name = element.text(key)
        if name not in self.sites:
            raise element.error("unknown site", got=name, remedy=closest(name, self.sites))
        return self.sites[name]

    def still(self, body: str | None) -> bool:
        """Whether a body cannot move."""
        return body is None or body not in self.moving

    def _content(self, body: Element, around: str | None) -> _Content:
        content = _Content()
        around = body.attributes.get("childclass", around)
        waiting = [(child, _HERE, around) for child in reversed(body.children)]
        while waiting:
            child, frame, inherited = waiting.pop()
            if child.tag == "frame":
                child.only(("name", "childclass", "pos", *ORIENTATIONS))
                inner = frame @ self.compiler.pose(child)
                inherited = child.attributes.get("childclass", inherited)
                waiting += [(inside, inner, inherited) for inside in reversed(child.children)]
            else:
                self._sort(content, child, frame, inherited)
        return content

    def _sort(self, content: _Content, child: Element, frame: Transform, around: str | None) -> None:
        """Put a child of a body where it belongs."""
        if child.tag == "body":
            content.bodies.append((child, frame, around))
        elif child.tag == "joint":
            content.joints.append((self.defaults.apply(child, around), frame))
        elif child.tag == "freejoint":
            child.only(("name", "group", "align"))
            kept = {key: value for key, value in child.attributes.items() if key == "name"}
            content.joints.append((child.with_attributes({**kept, "type": "free"}), frame))
        elif child.tag == "geom":
            content.geoms.append((self.defaults.apply(child, around), frame))
        elif child.tag == "site":
            content.sites.append((self.defaults.apply(child, around), frame))
        elif child.tag == "inertial":
            if content.inertial is not None or frame is not _HERE:
                raise child.error("a body has at most one <inertial>", allowed="one in a body, not within a <frame>")
            content.inertial = child
        elif child.tag in ("camera", "light"):
            self.report.leave(child, "cameras and lights")
        elif child.tag == "plugin":
            self.report.refuse(child, "extension", "a plugin")
        else:
            known = ("body", "frame", "joint", "freejoint", "inertial", "geom", "site", "camera", "light")
            problem = f"<{child.tag}> is not supported" if child.tag in _MAKERS else "unknown element"
            raise child.error(problem, allowed=", ".join(known), remedy=closest(child.tag, known))

    # ---- one body
    def _add_body(
        self, builder: "FigureBuilder", element: Element, frame: Transform, around: str | None, parent: str | None
    ) -> tuple[str, _Content]:
        element.only(_BODY)
        self.count += 1
        name = element.attributes.get("name") or f"body{self.count}"
        if element.flag("mocap", False):
            self.report.note(element, "mocap bodies, which are moved from outside, are fixed to the world")
        lifted = element.number("gravcomp", 0.0)
        if lifted > 0.0 and self.touch is not None:
            self.lifted[name] = lifted
        elif lifted:
            self.report.refuse(element, "gravcomp", "compensation of gravity")
        content = self._content(element, around)
        pose = frame @ self.compiler.pose(element)
        self.frames[name] = self.frame(parent) @ pose
        pieces, rest = self.joints.pieces(content.joints, pose, top=parent is None)
        if parent in self.moving or any(piece.joint.nv for piece in pieces):
            self.moving.add(name)
        for piece in pieces if rest is not None else pieces[:-1]:
            between = f"{name}/{piece.name}"
            self._segment(builder, between, parent, piece)
            parent = between
        last = pieces[-1] if rest is None else fixed_piece(rest)
        mass, center, inertia = self.geoms.matter(element, content.inertial, content.geoms)
        parts = self.geoms.parts(content.geoms)
        if self.touch is not None:
            self.touch.add(name, content.geoms)
        self._segment(builder, name, parent, last, mass=mass, com=center, inertia=inertia, shape=parts or None)
        for site, at in content.sites:
            self._tag(builder, name, site, at)
        return name, content

    def _segment(self, builder: Any, name: str, parent: str | None, piece: JointPiece, **matter: Any) -> None:
        builder.segment(
            name, parent, piece.joint, placement=piece.placement, armature=np.array(piece.armature),
            damping=np.array(piece.damping), **matter,
        )  # fmt: skip

    def _tag(self, builder: Any, body: str | None, site: Element, frame: Transform) -> None:
        if not site.attributes.get("name"):
            self.report.leave(site, "sites without name")
            return
        if "fromto" in site.attributes:
            ends = site.numbers("fromto", 6)
            point = 0.5 * (ends[:3] + ends[3:])
        else:
            point = site.numbers("pos", 3, (0.0, 0.0, 0.0))
        name, pose = site.text("name"), frame @ Transform(self._turn(site), point)
        self.sites[name] = body, pose
        builder.tag(name, body or WORLD, pose.translation)

    def _turn(self, site: Element) -> Any:
        return np.eye(3) if "fromto" in site.attributes else self.compiler.rotation(site)
