"""Actuators of MJCF whose force is linear: motors, position and velocity servos, and what general says of these."""

from dataclasses import dataclass, replace

import numpy as np

from motiform.base.errors import closest
from motiform.motion.tree.read.elements import Element, located
from motiform.motion.tree.read.mjcf.settings import Compiler, Defaults
from motiform.motion.tree.read.model_file import FileActuator
from motiform.motion.tree.read.shared import Report

__all__ = ["Actuators"]

KINDS = ("motor", "position", "velocity", "general")
_STATES = ("filter", "filterexact")
Tendons = dict[str, list[tuple[str, float]]]


@dataclass
class Actuators:
    """The actuators of a file, each with the joints that it drives."""

    defaults: Defaults
    compiler: Compiler
    report: Report
    ranges: dict[str, tuple[float, float]]
    """Limits of the hinges and slides of the file by name [rad or m]."""
    tendons: Tendons
    """Fixed tendons: joints with their coefficients."""

    def read(self, sections: list[Element]) -> list[FileActuator | None]:
        """Return the actuators in the order of the file, None for what is left out."""
        return [self._read(child) for section in sections for child in section.children]

    def _read(self, child: Element) -> FileActuator | None:
        actuator = self.defaults.apply(child, None)
        dynamics = actuator.text("dyntype", "none")
        if child.tag not in KINDS or (dynamics not in ("none", *_STATES) and child.tag == "general"):
            self.report.leave(child, f"actuators of kind <{child.tag}> ({dynamics})", warn=True)
            return None
        if dynamics in _STATES or actuator.number("timeconst", 0.0):
            self.report.leave(child, "states of actuators, whose commands act at once", warn=True)
        with located(actuator):
            joints = self._joints(actuator)
            found = None if joints is None else self._law(actuator, joints)
            return found and replace(found, commands=self._commands(actuator, found), forces=self._forces(actuator))

    def _joints(self, actuator: Element) -> tuple[tuple[str, float], ...] | None:
        gear = float(actuator.numbers("gear", (1, 6), [1.0])[0])
        if actuator.attributes.get("joint"):
            name = actuator.text("joint")
            if name in self.ranges:
                return ((name, gear),)
            self.report.leave(
                actuator, f"actuators of joint {name!r}, which is no hinge or slide that moves", warn=True
            )
            return None
        if actuator.attributes.get("tendon") in self.tendons:
            pairs = self.tendons[actuator.text("tendon")]
            for name, _ in pairs:
                if name not in self.ranges:
                    raise actuator.error("no such hinge or slide", got=name, remedy=closest(name, self.ranges))
            return tuple((name, gear * factor) for name, factor in pairs)
        kinds = ("tendon", "jointinparent", "site", "body", "cranksite", "slidersite", "refsite")
        found = next((kind for kind in kinds if kind in actuator.attributes), "nothing")
        self.report.leave(actuator, f"actuators on a {found}", warn=True)
        return None

    def _law(self, actuator: Element, joints: tuple[tuple[str, float], ...]) -> FileActuator | None:
        name = actuator.attributes.get("name", "") or "+".join(joint for joint, _ in joints)
        if actuator.tag == "motor":
            return FileActuator(name, joints)
        gain = float(actuator.numbers("gainprm", (1, 10), [1.0])[0])
        bias = np.zeros(3)
        given = actuator.numbers("biasprm", (1, 10), [0.0])[:3]
        bias[: len(given)] = given
        if actuator.tag == "velocity":
            kv = actuator.number("kv", gain, least=0.0)
            return FileActuator(name, joints, kv, (0.0, 0.0, -kv))
        if actuator.tag == "position":
            kp = actuator.number("kp", gain, least=0.0)
            rate = actuator.number("dampratio", -actuator.number("kv", -float(bias[2])))
            return _servo(FileActuator(name, joints, kp, (0.0, -kp, rate)))
        kinds = actuator.text("gaintype", "fixed"), actuator.text("biastype", "none")
        if kinds[0] != "fixed" or kinds[1] not in ("none", "affine"):
            self.report.leave(actuator, f"actuators with {kinds[0]} gain and {kinds[1]} bias", warn=True)
            return None
        linear = (float(bias[0]), float(bias[1]), float(bias[2])) if kinds[1] == "affine" else (0.0, 0.0, 0.0)
        return _servo(FileActuator(name, joints, gain, linear))

    # ---- ranges
    def _commands(self, actuator: Element, found: FileActuator) -> tuple[float, float]:
        inherit = actuator.number("inheritrange", 0.0, least=0.0)
        if inherit and len(found.joints) == 1:
            low, high = self.ranges[found.joints[0][0]]
            middle, half = 0.5 * (low + high), 0.5 * (high - low) * inherit
            return middle - half, middle + half
        return self._range(actuator, "ctrl")

    def _forces(self, actuator: Element) -> tuple[float, float]:
        return self._range(actuator, "force")

    def _range(self, actuator: Element, what: str) -> tuple[float, float]:
        limited = actuator.word(f"{what}limited", "auto", ("auto", "true", "false"))
        low, high = actuator.numbers(f"{what}range", 2, (0.0, 0.0)).tolist()
        if limited == "false" or (limited == "auto" and (low == high or not self.compiler.autolimits)):
            return -np.inf, np.inf
        return low, high


def _servo(found: FileActuator) -> FileActuator:
    """Return an actuator whose third bias, where it is above zero in a position servo, is a ratio of damping."""
    b0, b1, b2 = found.bias
    return replace(found, bias=(b0, b1, 0.0), damping_ratio=b2) if b2 > 0.0 and b1 == -found.gain else found
