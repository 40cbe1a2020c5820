"""Equalities of MJCF: joints and fixed tendons as couplings, connect and weld as closures."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.polynomial import Polynomial as Series

from motiform.base.errors import closest
from motiform.motion.tree.read.elements import Element, located
from motiform.motion.tree.read.mjcf.settings import Defaults
from motiform.motion.tree.read.shared import Report
from motiform.spatial import Transform, rotation_from_quaternion

if TYPE_CHECKING:
    from motiform.motion.tree.build import FigureBuilder
    from motiform.motion.tree.read.mjcf.bodies import MjcfBodies

__all__ = ["Equalities"]

_COMMON = ("name", "active", "solref", "solimp")
_KINDS = {
    "joint": ("joint1", "joint2", "polycoef"),
    "tendon": ("tendon1", "tendon2", "polycoef"),
    "connect": ("body1", "body2", "anchor", "site1", "site2"),
    "weld": ("body1", "body2", "anchor", "site1", "site2", "relpose", "torquescale"),
}
_ACTS = ("stiffness", "damping", "frictionloss", "armature", "springlength")


@dataclass
class _Follower:
    """A joint whose departure from its reference is a polynomial of another's."""

    element: Element
    leading: str
    series: Series


@dataclass
class Equalities:
    """What ties joints and bodies of a file together, and is active."""

    sections: list[Element]
    tendon_sections: list[Element]
    defaults: Defaults
    report: Report
    active: bool
    locked: dict[str, float] = field(default_factory=dict)
    """Joints that stand still, and how far from their reference [rad or m]."""
    followers: dict[str, _Follower] = field(default_factory=dict)
    closing: list[Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tendons = self._tendons()
        for child in [child for section in self.sections for child in section.children]:
            element = self.defaults.apply(child, None, "equality")
            if not self.active or not element.flag("active", True):
                self.report.leave(child, "equalities that are not active")
            elif child.tag not in _KINDS or "equality" in self.report.skip:
                self.report.refuse(child, "equality", f"equality of kind <{child.tag}>")
            else:
                element.only((*_COMMON, *_KINDS[child.tag]))
                with located(element):
                    self._sort(element)
        self._settle()

    def _sort(self, element: Element) -> None:
        if element.tag in ("connect", "weld"):
            self.closing.append(element)
        elif element.tag == "joint":
            self._tie(element, element.text("joint1"), element.attributes.get("joint2"), Series(_coefficients(element)))
        else:
            self._tie_tendons(element)

    # ---- joints
    def _tie(self, element: Element, name: str, leading: str | None, series: Series) -> None:
        """Let a joint follow another, or stand still; where it follows already the other follows, if that is linear."""
        if leading is None:
            self.locked[name] = float(series.coef[0])
            return
        if name in self.followers or name in self.locked:
            slope = series.coef[1] if len(series.coef) > 1 else 0.0
            if leading in self.followers or leading in self.locked or series.coef[2:].any() or slope == 0.0:
                self.report.refuse(element, "equality", f"a second equality of joint {name!r}")
                return
            name, leading, series = leading, name, Series([-series.coef[0] / slope, 1.0 / slope])
        self.followers[name] = _Follower(element, leading, series)

    def _settle(self) -> None:
        """Lead chains to the joint that leads them all; what follows a joint that stands still stands still, too."""
        for name in list(self.followers):
            follower, seen = self.followers[name], {name}
            while follower.leading in self.followers:
                above = self.followers[follower.leading]
                if follower.leading in seen:
                    raise follower.element.error("joints must not follow in a circle", got=", ".join(sorted(seen)))
                seen.add(follower.leading)
                follower = _Follower(follower.element, above.leading, follower.series(above.series))
            self.followers[name] = follower
        for name, follower in list(self.followers.items()):
            if follower.leading in self.locked:
                self.locked[name] = float(follower.series(self.locked[follower.leading]))
                del self.followers[name]

    # ---- tendons
    def _tendons(self) -> dict[str, list[tuple[str, float]]]:
        """Return the fixed tendons: joints with their coefficients."""
        found: dict[str, list[tuple[str, float]]] = {}
        for child in [child for section in self.tendon_sections for child in section.children]:
            tendon = self.defaults.apply(child, None, "tendon")
            limited = tendon.word("limited", "auto", ("auto", "true", "false"))
            bounded = limited == "true" or (limited == "auto" and "range" in tendon.attributes)
            if bounded or any(tendon.numbers(key, (1, 9), [0.0]).any() for key in _ACTS if key != "springlength"):
                self.report.refuse(child, "tendon", f"forces and bounds of a tendon (<{child.tag}>)")
            else:
                self.report.leave(child, f"tendons without force of their own (<{child.tag}>)")
            if child.tag == "fixed" and child.attributes.get("name"):
                found[child.text("name")] = [(j.text("joint"), j.number("coef")) for j in child.all("joint")]
        return found

    def _tie_tendons(self, element: Element) -> None:
        """Lengths of fixed tendons, from the reference: L1 = p(L2), with at most two joints in all."""
        names = [element.text(key) for key in ("tendon1", "tendon2") if key in element.attributes]
        parts = [self.tendons.get(name) for name in names]
        series = Series(_coefficients(element))
        if None in parts or not names:
            self.report.refuse(element, "equality", "equality of tendons that are not fixed")
            return
        first, *second = [part or [] for part in parts]
        if not second and len(first) in (1, 2) and first[0][1]:
            (name, a), rest = first[0], first[1:]
            leading, b = rest[0] if rest else (None, 0.0)
            self._tie(element, name, leading, Series([series.coef[0] / a, -b / a]))
        elif second and len(first) == len(second[0]) == 1 and first[0][1]:
            (name, a), (leading, b) = first[0], second[0][0]
            self._tie(element, name, leading, series(Series([0.0, b])) / a)
        else:
            self.report.refuse(element, "equality", "equality of tendons with more than two joints")

    # ---- onto the figure
    def apply(self, builder: "FigureBuilder", bodies: "MjcfBodies") -> None:
        """Add couplings and closures."""
        from motiform.motion.tree.model.functions import Polynomial

        for name in (*self.locked, *(n for f in self.followers for n in (f, self.followers[f].leading))):
            if name not in bodies.joints.references:
                at = self.followers[name].element if name in self.followers else self.sections[0]
                raise at.error("no such hinge or slide", got=name, remedy=closest(name, bodies.joints.references))
        for name, follower in self.followers.items():
            y0, x0 = bodies.joints.references[name], bodies.joints.references[follower.leading]
            expanded = follower.series(Series([-x0, 1.0])) + y0
            with located(follower.element):
                builder.couple(name, follower.leading, Polynomial(tuple(expanded.coef.tolist())))
        for number, element in enumerate(self.closing):
            with located(element):
                self._close(builder, bodies, element, element.attributes.get("name") or f"{element.tag}{number + 1}")

    def _close(self, builder: "FigureBuilder", bodies: "MjcfBodies", element: Element, name: str) -> None:
        a, b, frame_a, frame_b = self._ends(bodies, element)
        if a == b or (bodies.still(a) and bodies.still(b)):
            self.report.leave(element, "equalities of bodies that cannot move against each other")
            return
        options: Any = {}
        if element.tag == "weld":
            options = {"rows": "weld", "turn": frame_a.rotation @ frame_b.rotation.T}
        builder.close(name, a, frame_a.translation, b, frame_b.translation, **options)

    def _ends(self, bodies: "MjcfBodies", element: Element) -> tuple[str | None, str | None, Transform, Transform]:
        """Return the two bodies, and the frames in them that are held together."""
        if "site1" in element.attributes:
            (a, frame_a), (b, frame_b) = (bodies.site(element, key) for key in ("site1", "site2"))
            return a, b, frame_a, frame_b
        a, b = (bodies.body(element, key) for key in ("body1", "body2"))
        between = bodies.frame(a).inverse() @ bodies.frame(b)  # of b in a, at the reference
        anchor = Transform.translation_of(element.numbers("anchor", 3, (0.0, 0.0, 0.0)))
        if element.tag == "connect":
            return a, b, anchor, between.inverse() @ anchor
        pose = element.numbers("relpose", 7, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
        if pose[3:].any():  # where the anchor of b lies in a, and how b is turned
            return a, b, Transform(rotation_from_quaternion(pose[3:]), pose[:3]), anchor
        return a, b, between @ anchor, anchor


def _coefficients(element: Element) -> np.ndarray:
    given = element.numbers("polycoef", (1, 5), (0.0, 1.0, 0.0, 0.0, 0.0))
    full = np.array([0.0, 1.0, 0.0, 0.0, 0.0])
    full[: len(given)] = given
    return full
