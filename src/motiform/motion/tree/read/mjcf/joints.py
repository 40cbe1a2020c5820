"""The joints of MJCF bodies: hinges, slides, balls and free joints in a row."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.motion.tree.read.elements import Element
from motiform.motion.tree.read.mjcf.settings import Compiler
from motiform.motion.tree.read.model_file import FileSpring
from motiform.motion.tree.read.shared import Report, words
from motiform.spatial import Transform

if TYPE_CHECKING:
    from motiform.motion.tree.model.joint import Joint

__all__ = ["JointPiece", "Joints", "fixed_piece"]

_HERE = Transform.identity()
_TURNS, _SHIFTS = ("wx", "wy", "wz"), ("vx", "vy", "vz")
_JOINT = words(
    "name type pos axis ref range limited armature damping stiffness frictionloss springref springdamper springyield "
    "group margin user solreflimit solimplimit solreffriction solimpfriction actuatorfrclimited actuatorfrcrange "
    "actuatorgravcomp"
)


@dataclass
class JointPiece:
    """A joint of ours: some joints of the file, and the frame that it stands in."""

    joint: "Joint"
    placement: Transform
    name: str
    armature: list[float]
    damping: list[float]


@dataclass
class Joints:
    """The joints of a file as they are met."""

    compiler: Compiler
    report: Report
    locked: dict[str, float]
    """Joints that stand still, and how far from their reference [rad or m]."""
    damped: bool
    springs: list[FileSpring] | None = None
    """Linear springs of hinges and slides; None where they are left out."""
    references: dict[str, float] = field(default_factory=dict)
    """Of hinges and slides by name [rad or m]."""
    ranges: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Limits of hinges and slides that move [rad or m]."""
    order: list[tuple[str, int, bool]] = field(default_factory=list)
    """Name, numbers in q, and whether it moves, of each joint in the order of the file."""
    count: int = 0

    def pieces(
        self, joints: list[tuple[Element, Transform]], pose: Transform, *, top: bool
    ) -> tuple[list[JointPiece], Transform | None]:
        """Return our joints in a row, and the body's frame behind the last where that is not its child frame."""
        pieces: list[JointPiece] = []
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
                if len(joints) > 1 or not top:
                    raise element.error("a free joint must be alone", allowed="alone, in a body of the world")
                pieces += self._free(element, pose)
                rest = None
            else:
                point = frame.point(element.numbers("pos", 3, (0.0, 0.0, 0.0)))
                there = Transform.translation_of(point)
                pieces.append(self._ball(element, (rest or _HERE) @ there))
                rest = there.inverse() if point.any() else None
        if run:
            pieces.append(self._screws(run, rest or _HERE))
            rest = None
        return pieces, rest

    def _screws(self, run: list[tuple[Element, Transform]], placement: Transform) -> JointPiece:
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
            self.order.append((name, 1, name not in self.locked))
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
        return JointPiece(joint, placement @ before, "+".join(names) or "fixed", armature, damping)

    def _ball(self, element: Element, placement: Transform) -> JointPiece:
        from motiform.motion.tree import joints

        name = self._name(element)
        self.order.append((name, 4, True))
        if "range" in element.attributes:
            self.report.leave(element, "ranges of ball joints")
        return self._smooth(element, joints.spherical(names=[f"{name}.{part}" for part in _TURNS]), placement, name)

    def _free(self, element: Element, start: Transform) -> list[JointPiece]:
        """Return a free joint that begins at a pose.

        With armature it is three slides in the world's axes and a ball: armature weighs on these velocities.
        """
        from motiform.motion.tree import joints

        name = self._name(element)
        self.order.append((name, 7, True))
        turns, shifts = ([f"{name}.{part}" for part in parts] for parts in (_TURNS, _SHIFTS))
        if not element.number("armature", 0.0):
            return [self._smooth(element, joints.free(names=[*turns, *shifts], start=start), _HERE, name)]
        self.report.note(element, "a free joint with armature is three slides in the world's axes and a ball joint")
        axes = [joints.Axis("prismatic", unit) for unit in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]
        slides = joints.AxesJoint(axes, shifts, start=start.translation)
        ball = joints.spherical(names=turns, start=start.rotation)
        return [self._smooth(element, joint, _HERE, name) for joint in (slides, ball)]

    def _smooth(self, element: Element, joint: "Joint", placement: Transform, name: str) -> JointPiece:
        """Return a joint whose velocities have the same armature and damping."""
        armature, damping = element.number("armature", 0.0, least=0.0), self._damping(element)
        return JointPiece(joint, placement, name, [armature] * joint.nv, [damping] * joint.nv)

    def _name(self, element: Element) -> str:
        self.count += 1
        return element.attributes.get("name") or f"joint{self.count}"

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
        kept = self.springs is not None and plain and not stiff[1:].any()
        if (stiff.any() and not kept) or element.numbers("springdamper", 2, [0.0, 0.0]).any():
            self.report.refuse(element, "stiffness", "the spring of a joint")
        if element.number("frictionloss", 0.0):
            self.report.refuse(element, "frictionloss", "dry friction of a joint (frictionloss)")

    def _spring(self, element: Element, name: str, turns: bool) -> None:
        """Keep the linear spring of a hinge or slide."""
        stiffness = float(element.numbers("stiffness", (1, 9), [0.0])[0])
        if stiffness > 0.0 and self.springs is not None:
            rest = element.number("springref", 0.0)
            self.springs.append(FileSpring(name, stiffness, self.compiler.angle(rest) if turns else rest))


def fixed_piece(placement: Transform) -> JointPiece:
    """Return a joint without freedom."""
    from motiform.motion.tree.joints import fixed

    return JointPiece(fixed(), placement, "fixed", [], [])
