"""A robot from a file, ready to run."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, check_keywords, closest
from motiform.motion.actuation import ControlSum, CoordinateControl, CoordinateDrive
from motiform.motion.contact import Contacts, contact_gaps
from motiform.motion.robots.actuators import Actuator, ActuatorControl, Command, WeightCompensation
from motiform.motion.robots.touching import contacts_of_file
from motiform.motion.tree import Control, Figure, joints
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.read.elements import read_xml
from motiform.motion.tree.read.mjcf import read_mjcf_file
from motiform.motion.tree.read.model_file import FilePosture, ModelFile
from motiform.motion.tree.read.urdf import read_urdf_file

__all__ = ["Robot", "read_robot"]


@dataclass(frozen=True, eq=False)
class Robot:
    """A figure with what its file says of contacts, actuators, springs and postures."""

    figure: Figure
    contacts: Contacts
    """Solids of the moving segments against those of the world."""
    actuators: tuple[Actuator, ...] = ()
    springs: tuple[CoordinateDrive, ...] = ()
    """Springs of joints."""
    postures: Mapping[str, FilePosture] = field(default_factory=dict)
    """q (nq,) and commands (actuators,) by name."""
    notes: tuple[str, ...] = ()
    """What was left out or mended, of the figure and beside it."""
    lifted: Mapping[str, float] = field(default_factory=dict)
    """Share of the weight of some segments that is compensated."""

    def posture(self, name: str | None = None) -> FilePosture:
        """Return a posture of the file, the first where no name is given; the neutral one where there is none."""
        if name is None:
            rest = FilePosture(self.figure.neutral(), np.zeros(len(self.actuators)))
            return next(iter(self.postures.values()), rest)
        if name not in self.postures:
            known = ", ".join(self.postures) or "none"
            raise InputError("no such posture", got=name, allowed=known, remedy=closest(name, self.postures))
        return self.postures[name]

    def grounded(self, q: ArrayLike) -> Array:
        """Return q with every free root moved along the vertical until the first of its points touches."""
        found = np.array(q, float)
        gaps = self.gaps(found)
        roots = [self._root(point.segment) for point in self.contacts.points]
        for n in self.figure.roots:
            own = [gap for gap, root in zip(gaps, roots, strict=True) if root == n and np.isfinite(gap)]
            if own and isinstance(self.figure.segments[n].joint, joints.FreeJoint):
                up = self.figure.segments[n].placement.rotation.T @ self.figure.up
                found[self.figure.layout.q[n][:3]] -= min(own) * up
        return found

    def gaps(self, q: ArrayLike) -> Array:
        """Return the distance from every contact point to its nearest obstacle [m], (points,); negative inside."""
        figure, at = self.figure, np.asarray(q, float)
        if not self.contacts.points:
            return np.zeros(0)
        tree = figure.replace(couplings=(), closures=()) if figure.couplings or figure.closures else figure
        return contact_gaps(tree, self.contacts, at if figure.coupled is None else figure.coupled.expand(at))

    def _root(self, segment: str) -> int:
        n = self.figure.index(segment)
        while self.figure.parent_index(n) >= 0:
            n = self.figure.parent_index(n)
        return n

    def control(self, command: Command | ArrayLike | None = None) -> Control:
        """Return actuators, springs and compensation of weight; `command` is (actuators,) or a function of time [s].

        Without one the actuators are told what the first posture says.
        """
        told = self.posture().command if command is None else command
        parts: list[Control] = [ActuatorControl(self.figure, self.actuators, told)]
        if self.springs:
            parts.append(CoordinateControl(self.figure, self.springs))
        if self.lifted:
            parts.append(WeightCompensation(self.figure, self.lifted))
        return parts[0] if len(parts) == 1 else ControlSum(self.figure, parts)


def read_robot(
    path: str | os.PathLike[str], *, floor: bool = True, friction: float | None = None, **options: Any
) -> Robot:
    """Return the robot of an MJCF or URDF file: figure, contacts with the world, actuators, springs and postures.

    Geoms that may touch, or collision shapes, become contact points against what the world of the file carries. Of URDF
    each joint has a motor, within the joint's effort.

    Parameters
    ----------
    floor : where the world of the file has nothing to touch, a plane through the origin.
    friction : in place of the coefficients of the file.
    options : those of `read_mjcf` or `read_urdf`; a URDF robot that walks has ``free=True``.

    """
    readers: dict[str, Any] = {"mujoco": read_mjcf_file, "robot": read_urdf_file}
    root = read_xml(path)
    if root.tag not in readers:
        raise root.error("not a robot that can be read", got=f"<{root.tag}>", allowed="<mujoco> (MJCF), <robot> (URDF)")
    file = check_keywords(readers[root.tag])(path, **options)
    contacts, notes = contacts_of_file(file, floor=floor, friction=friction)
    springs, lost = _springs(file)
    told = (*file.figure.notes, *notes, *lost)
    return Robot(file.figure, contacts, file.actuators, springs, file.postures, told, file.lifted)


def _springs(file: ModelFile) -> tuple[tuple[CoordinateDrive, ...], list[str]]:
    free = set(file.figure.coordinates)
    kept = [spring for spring in file.springs if spring.coordinate in free]
    drives = tuple(CoordinateDrive(s.coordinate, stiffness=s.stiffness, target=s.target) for s in kept)
    lost = len(file.springs) - len(kept)
    return drives, [f"left out springs of {lost} joints that follow others"] if lost else []
