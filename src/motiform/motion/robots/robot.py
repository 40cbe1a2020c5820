"""A robot from a file, ready to run."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, closest, outside_data
from motiform.motion.actuation import CoordinateControl, CoordinateDrive
from motiform.motion.contact import Contacts, contact_gaps
from motiform.motion.robots.actuators import ActuatorControl, Command, FileActuator, WeightCompensation
from motiform.motion.robots.overlaps import moving_segments
from motiform.motion.robots.ties import TieControl
from motiform.motion.robots.touching import contacts_of_file
from motiform.motion.tree import Control, Figure, joints
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.read.model_file import FilePosture, ModelFile
from motiform.motion.tree.read.register import FORMATS, find_format
from motiform.motion.tree.read.shared import check_choice

__all__ = ["Robot", "read_robot"]


@dataclass(frozen=True, eq=False)
class Robot:
    """A figure with what its file says of contacts, actuators, springs and postures."""

    figure: Figure
    contacts: Contacts
    """Solids of the moving segments against those of the world."""
    actuators: tuple[FileActuator, ...] = ()
    springs: tuple[CoordinateDrive, ...] = ()
    """Springs of joints."""
    postures: Mapping[str, FilePosture] = field(default_factory=dict)
    """q (nq,) and commands (actuators,) by name."""
    notes: tuple[str, ...] = ()
    """What was left out or mended, of the figure and beside it."""
    lifted: Mapping[str, float] = field(default_factory=dict)
    """Share of the weight of some segments that is compensated."""
    ties: TieControl | None = None
    """What holds couplings and closures that the figure does not have; part of `control`."""
    step: float = 2e-3
    """Time step that the file is made for [s]."""

    def posture(self, name: str | None = None) -> FilePosture:
        """Return a posture of the file, the first where no name is given; the neutral one where there is none.

        Coordinates are within their limits.
        """
        if name is None:
            neutral = _in_range(self.figure, _neutral(self.figure, self.ties))
            return next(iter(self.postures.values()), FilePosture(neutral, np.zeros(len(self.actuators))))
        if name not in self.postures:
            known = ", ".join(self.postures) or "none"
            raise InputError("no such posture", got=name, allowed=known, remedy=closest(name, self.postures))
        return self.postures[name]

    def grounded(self, q: ArrayLike) -> Array:
        """Return q with every free root moved along the vertical until the first of its points touches the world."""
        found = np.array(q, float)
        moving = moving_segments(self.figure)
        still = {o.name: o for o in self.contacts.obstacles if o.segment not in moving}
        pairs = self.contacts.pairs
        ground = None if pairs is None else tuple(pair for pair in pairs if pair[1] in still)
        gaps = self._gaps(found, self.contacts.replace(obstacles=tuple(still.values()), pairs=ground))
        roots = [self._root(point.segment) for point in self.contacts.points]
        for n in self.figure.roots:
            own = [gap for gap, root in zip(gaps, roots, strict=True) if root == n and np.isfinite(gap)]
            if own and isinstance(self.figure.segments[n].joint, joints.FreeJoint):
                up = self.figure.segments[n].placement.rotation.T @ self.figure.up
                found[self.figure.layout.q[n][:3]] -= min(own) * up
        return found

    def gaps(self, q: ArrayLike) -> Array:
        """Return the distance from every contact point to its nearest obstacle [m], (points,); negative inside."""
        return self._gaps(q, self.contacts)

    def _gaps(self, q: ArrayLike, contacts: Contacts) -> Array:
        if not contacts.points:
            return np.zeros(0)
        figure, at = self.figure, np.asarray(q, float)
        tree = figure.replace(couplings=(), closures=())
        return contact_gaps(tree, contacts, at if figure.coupled is None else figure.coupled.expand(at))

    def _root(self, segment: str) -> int:
        n = self.figure.index(segment)
        while self.figure.parent_index(n) >= 0:
            n = self.figure.parent_index(n)
        return n

    def controls(self, command: Command | ArrayLike | None = None) -> list[Control]:
        """Return actuators, springs, ties, compensation of weight; `command` is (actuators,) or a function of time [s].

        Without one the actuators take the command of the first posture.
        """
        wanted = self.posture().command if command is None else command
        parts: list[Control] = [ActuatorControl(self.figure, self.actuators, wanted)]
        if self.springs:
            parts.append(CoordinateControl(self.figure, self.springs))
        if self.ties is not None:
            parts.append(self.ties)
        if self.lifted:
            parts.append(WeightCompensation(self.figure, self.lifted))
        return parts


def read_robot(
    path: str | os.PathLike[str],
    *,
    floor: bool = True,
    friction: float | None = None,
    touch: Literal["points", "solids"] = "points",
    ties: Literal["forces", "exact"] = "forces",
    **options: Any,
) -> Robot:
    """Return the robot of an MJCF or URDF file: figure, contacts with the world, actuators, springs and postures.

    Geoms that may touch, or collision shapes, become contact points against what the world of the file carries. Of URDF
    each joint has a motor, within the joint's effort.

    Parameters
    ----------
    floor : where the world of the file has nothing to touch, a plane through the origin.
    friction : in place of the coefficients of the file.
    touch : "points": corners, balls and ends of capsules touch the world, in all runs; "solids": solids touch the world
        and, but for joined and excluded ones, one another, in time-stepping.
    ties : couplings and closures, which contacts exclude, are held by "forces" of the control (see `TieControl`), or
        are "exact" parts of the figure, for runs without contacts.
    options : those of `read_mjcf` or `read_urdf`; a URDF robot that walks has ``free=True``.

    """
    for name, value, allowed in (("ties", ties, ("forces", "exact")), ("touch", touch, ("points", "solids"))):
        check_choice(value, allowed, name)
    read_file = find_format(path, tuple(form for form in FORMATS if form.read_file is not None)).read_file
    assert read_file is not None
    file = read_file(path, **options)
    with outside_data(str(path), "the file cannot be read as a robot"):
        return _robot(file, floor, friction, touch, ties)


def _robot(file: ModelFile, floor: bool, friction: float | None, touch: str, ties: str) -> Robot:
    held, lost = (None, list[str]()) if ties == "exact" else _hold(file.figure)
    if held is not None:
        file = replace(file, figure=held.tree, postures=_expanded(file))
    neutral = _neutral(file.figure, held)
    file, moved = _within_limits(file, neutral)
    first = next((own.q for own in file.postures.values()), _in_range(file.figure, neutral))
    start = first if file.figure.coupled is None else file.figure.coupled.expand(first)
    contacts, notes = contacts_of_file(file, start, floor=floor, friction=friction, touch=touch)
    springs, more = _springs(file)
    remarks = (*file.figure.notes, *lost, *moved, *notes, *more)
    return Robot(file.figure, contacts, file.actuators, springs, file.postures, remarks, file.lifted, held, file.step)


def _hold(figure: Figure) -> tuple[TieControl | None, list[str]]:
    """Return what holds the couplings and closures of a figure, and a note."""
    count = len(figure.couplings) + len(figure.closures)
    if not count:
        return None, []
    control = TieControl(figure)
    note = f"{count} couplings and closures are held by forces of {control.frequency:g} Hz (ties='exact' keeps them)"
    return control, [note]


def _expanded(file: ModelFile) -> dict[str, FilePosture]:
    """Return the postures with all coordinates."""
    coupled = file.figure.coupled
    if coupled is None:
        return dict(file.postures)
    return {name: FilePosture(coupled.expand(posture.q), posture.command) for name, posture in file.postures.items()}


def _neutral(figure: Figure, ties: TieControl | None) -> Array:
    """Return the neutral q of a figure, in which what ties hold follows what leads it."""
    coupled = None if ties is None else ties.figure.coupled
    return figure.neutral() if ties is None or coupled is None else coupled.expand(ties.figure.neutral())


def _within_limits(file: ModelFile, neutral: Array) -> tuple[ModelFile, list[str]]:
    """Return the postures with coordinates within their limits, and notes; a run begins nowhere else."""
    figure, notes = file.figure, list[str]()
    kept = {name: FilePosture(_in_range(figure, own.q), own.command) for name, own in file.postures.items()}
    given = {f"posture {name!r}": own.q for name, own in file.postures.items()} or {"neutral": neutral}
    for name, q in given.items():
        by = np.abs(_in_range(figure, q) - q)
        if by.any():
            where = next(key for key, place in figure.layout.places_q.items() if np.argmax(by) in np.atleast_1d(place))
            notes.append(f"{name}: {np.count_nonzero(by)} coordinates moved to their limits, {where} by {by.max():.3g}")
    return replace(file, postures=kept), notes


def _in_range(figure: Figure, q: Array) -> Array:
    at_q, at_v = figure.plain_places(figure.names)
    found = np.array(q, float)
    found[at_q] = np.clip(found[at_q], *figure.limits[at_v].T)
    return found


def _springs(file: ModelFile) -> tuple[tuple[CoordinateDrive, ...], list[str]]:
    free = set(file.figure.coordinates)
    kept = [spring for spring in file.springs if spring.coordinate in free]
    drives = tuple(CoordinateDrive(s.coordinate, stiffness=s.stiffness, target=s.target) for s in kept)
    lost = len(file.springs) - len(kept)
    return drives, [f"left out springs of {lost} joints that follow others"] if lost else []
