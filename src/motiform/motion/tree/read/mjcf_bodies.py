"""The bodies of MJCF with their joints, matter, sites and shapes, as segments."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import closest
from motiform.motion.tree.read.elements import Element, located
from motiform.motion.tree.read.mjcf_geoms import Geoms
from motiform.motion.tree.read.mjcf_settings import ORIENTATIONS, Compiler, Defaults
from motiform.motion.tree.read.mjcf_touch import Touch
from motiform.motion.tree.read.model_file import FileSpring
from motiform.motion.tree.read.shared import Report, words
from motiform.spatial import Transform

if TYPE_CHECKING:
    from motiform.motion.tree.build import FigureBuilder
    from motiform.motion.tree.model.joint import Joint

__all__ = ["Bodies"]

WORLD = "world"
_HERE = Transform.identity()
_JOINT = words(
    "name type pos axis ref range limited armature damping stiffness frictionloss springref springdamper springyield "
    "group margin user solreflimit solimplimit solreffriction solimpfriction actuatorfrclimited actuatorfrcrange "
    "actuatorgravcomp"
)
_BODY = ("name", "childclass", "pos", *ORIENTATIONS, "gravcomp", "mocap", "user", "sleep", "fuse", "simple")
_MAKERS = ("composite", "flexcomp", "replicate", "attach")


@dataclass
class _Content:
    """What one body holds, frames within it resolved: elements with their frame in the body and their class."""

    inertial: Element | None = None
    joints: list[tuple[Element, Transform]] = field(default_factory=list)
    geoms: list[tuple[Element, Transform]] = field(default_factory=list)
    sites: list[tuple[Element, Transform]] = field(default_factory=list)
    bodies: list[tuple[Element, Transform, str | None]] = field(default_factory=list)


@dataclass
class _Piece:
    """A joint of ours: some joints of the file, and the frame that it stands in."""

    joint: "Joint"
    placement: Transform
    name: str
    armature: list[float]
    damping: list[float]


class Bodies:
    """Adds bodies to a builder, parents first, in the order of the file."""

    def __init__(
        self,
        compiler: Compiler,
        defaults: Defaults,
        geoms: Geoms,
        report: Report,
        locked: dict[str, float],
        damped: bool,
        touch: Touch | None = None,
    ) -> None:
        self.compiler, self.defaults, self.geoms, self.report = compiler, defaults, geoms, report
        self.locked, self.damped, self.touch = locked, damped, touch
        self.references: dict[str, float] = {}
        self.frames: dict[str, Transform] = {}
        """Bodies in the world, at the reference."""
        self.moving: set[str] = set()
        self.sites: dict[str, tuple[str | None, Transform]] = {}
        self.joints: list[tuple[str, int, bool]] = []
        """Name, numbers in q, and whether it moves, of each joint in the order of the file."""
        self.ranges: dict[str, tuple[float, float]] = {}
        self.springs: list[FileSpring] = []
        self.count = self.joint_count = 0

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
        """Add what the world wears as a segment that is fixed, if there is something, or nothing else."""
        geoms = [geom for content in contents for geom in content.geoms]
        sites = [site for content in contents for site in content.sites]
        parts = [part for geom, at in geoms if (part := self.geoms.part(geom, at)) is not None]
        if self.touch is not None:
            self.touch.add(None, geoms)
        if parts or alone or any(site.attributes.get("name") for site, _ in sites):
            self._segment(builder, WORLD, None, _fixed(_HERE), shape=parts or None)
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
        if element.number("gravcomp", 0.0):
            self.report.refuse(element, "gravcomp", "compensation of gravity")
        content = self._content(element, around)
        pose = frame @ self.compiler.pose(element)
        self.frames[name] = self.frame(parent) @ pose
        pieces, rest = self._pieces(content.joints, pose, parent)
        if parent in self.moving or any(piece.joint.nv for piece in pieces):
            self.moving.add(name)
        for piece in pieces if rest is not None else pieces[:-1]:
            between = f"{name}/{piece.name}"
            self._segment(builder, between, parent, piece)
            parent = between
        last = pieces[-1] if rest is None else _fixed(rest)
        mass, center, inertia = self.geoms.matter(element, content.inertial, content.geoms)
        parts = [part for geom, at in content.geoms if (part := self.geoms.part(geom, at)) is not None]
        if self.touch is not None:
            self.touch.add(name, content.geoms)
        self._segment(builder, name, parent, last, mass=mass, com=center, inertia=inertia, shape=parts or None)
        for site, at in content.sites:
            self._tag(builder, name, site, at)
        return name, content

    def _segment(self, builder: Any, name: str, parent: str | None, piece: _Piece, **matter: Any) -> None:
        builder.segment(
            name,
            parent,
            piece.joint,
            placement=piece.placement,
            armature=np.array(piece.armature),
            damping=np.array(piece.damping),
            **matter,
        )

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

    # ---- joints
    def _pieces(
        self, joints: list[tuple[Element, Transform]], pose: Transform, parent: str | None
    ) -> tuple[list[_Piece], Transform | None]:
        """Return our joints in a row, and the body's frame behind the last where that is not its child frame."""
        pieces: list[_Piece] = []
        run: list[tuple[Element, Transform]] = []
        rest: Transform | None = pose
        for element, frame in joints:
            element.only(_JOINT)
            self._check_joint(element)
            kind = element.word("type", "hinge", ("hinge", "slide", "ball", "free"))
            if kind in ("hinge", "slide"):
                run.append((element, frame))
                continue
            if run:
                pieces.append(self._screws(run, rest or _HERE))
                run, rest = [], None
            if kind == "free":
                if len(joints) > 1 or parent is not None:
                    raise element.error("a free joint must be alone", allowed="alone, in a body of the world")
                pieces.append(self._quaternion(element, _HERE, pose))
                rest = None
            else:
                point = frame.point(element.numbers("pos", 3, (0.0, 0.0, 0.0)))
                there = Transform.translation_of(point)
                pieces.append(self._quaternion(element, (rest or _HERE) @ there))
                rest = there.inverse() if point.any() else None
        if run:
            pieces.append(self._screws(run, rest or _HERE))
            rest = None
        return pieces, rest

    def _screws(self, run: list[tuple[Element, Transform]], placement: Transform) -> _Piece:
        """Return hinges and slides in a row as one joint."""
        from motiform.motion.tree.joints import AxesJoint, Axis
        from motiform.motion.tree.read.tables import fold

        chain: list[Any] = []
        names, limits, armature, damping, start = [], [], [], [], []
        for element, frame in run:
            name, turns = self._name(element), element.text("type", "hinge") == "hinge"
            ref = element.number("ref", 0.0)
            ref = self.compiler.angle(ref) if turns else ref
            direction = frame.vector(element.direction("axis", (0.0, 0.0, 1.0))).tolist()
            point = frame.point(element.numbers("pos", 3, (0.0, 0.0, 0.0))).tolist()
            axis = Axis("revolute" if turns else "prismatic", tuple(direction), tuple(point) if turns else (0, 0, 0))
            self.references[name] = ref
            self.joints.append((name, 1, name not in self.locked))
            if name in self.locked:
                chain.append(axis.transform(np.array(self.locked[name])))
                continue
            chain.append(Axis(axis.kind, axis.direction, axis.point, offset=-ref))
            names.append(name)
            start.append(ref)
            limits.append(self._limits(element, turns))
            self.ranges[name] = limits[-1]
            self._spring(element, name, turns)
            armature.append(element.number("armature", 0.0, least=0.0))
            damping.append(self._damping(element))
        before, axes = fold(chain)
        joint = AxesJoint(axes, names, limits if np.isfinite(limits).any() else None, start=start)
        return _Piece(joint, placement @ before, "+".join(names) or "fixed", armature, damping)

    def _quaternion(self, element: Element, placement: Transform, start: Transform | None = None) -> _Piece:
        """Return a ball joint, or a free one that begins at a pose."""
        from motiform.motion.tree import joints

        name, joint = self._name(element), joints.free(start=start) if start is not None else joints.spherical()
        joint.names, joint.named = tuple(f"{name}.{part}" for part in joint.names), True
        self.joints.append((name, joint.nq, True))
        armature = element.number("armature", 0.0, least=0.0)
        if start is not None and armature:
            # It would weigh on velocities in the world's axes, ours are in the body's.
            self.report.refuse(element, "armature", "armature of a free joint")
            armature = 0.0
        if "range" in element.attributes:
            self.report.leave(element, "ranges of ball joints")
        return _Piece(joint, placement, name, [armature] * joint.nv, [self._damping(element)] * joint.nv)

    def _name(self, element: Element) -> str:
        self.joint_count += 1
        return element.attributes.get("name") or f"joint{self.joint_count}"

    def _limits(self, element: Element, turns: bool) -> tuple[float, float]:
        limited = element.word("limited", "auto", ("auto", "true", "false"))
        low, high = element.numbers("range", 2, (0.0, 0.0)).tolist()
        if limited == "false" or (limited == "auto" and (low == high or not self.compiler.autolimits)):
            return -np.inf, np.inf
        if low > high:
            raise element.error("the range is empty", got=(low, high), allowed="lower ≤ upper", remedy="Swap them.")
        return (self.compiler.angle(low), self.compiler.angle(high)) if turns else (low, high)

    def _damping(self, element: Element) -> float:
        first, *higher = element.numbers("damping", (1, 9), [0.0]).tolist()
        if any(higher):
            self.report.refuse(element, "damping", "damping that is not linear")
        if first < 0:
            raise element.error("damping must not be negative", got=first, allowed="zero or more")
        return first if self.damped else 0.0

    def _check_joint(self, element: Element) -> None:
        stiff, plain = element.numbers("stiffness", (1, 9), [0.0]), element.text("type", "hinge") in ("hinge", "slide")
        kept = self.touch is not None and plain and not stiff[1:].any()
        if (stiff.any() and not kept) or element.numbers("springdamper", 2, [0.0, 0.0]).any():
            self.report.refuse(element, "stiffness", "the spring of a joint")
        if element.number("frictionloss", 0.0):
            self.report.refuse(element, "frictionloss", "dry friction of a joint (frictionloss)")

    def _spring(self, element: Element, name: str, turns: bool) -> None:
        """Keep the linear spring of a hinge or slide."""
        stiffness = float(element.numbers("stiffness", (1, 9), [0.0])[0])
        if stiffness > 0.0:
            rest = element.number("springref", 0.0)
            self.springs.append(FileSpring(name, stiffness, self.compiler.angle(rest) if turns else rest))


def _fixed(placement: Transform) -> _Piece:
    from motiform.motion.tree.joints import fixed

    return _Piece(fixed(), placement, "fixed", [], [])
