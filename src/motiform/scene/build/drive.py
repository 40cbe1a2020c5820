"""What drives the figures of a scene: controls on coordinates, postures and pushes, from its tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from motiform.base.errors import InputError, SceneError
from motiform.base.units import quantity
from motiform.motion.actuation import (
    CoordinateControl,
    CoordinateDrive,
    EffortTrajectory,
    Motor,
    PostureControl,
    PostureTrajectory,
    PrescribedMotion,
    SegmentPush,
    SegmentPushes,
    posture_control,
    standing_effort,
)
from motiform.motion.actuation.control import plain_places
from motiform.motion.bodies import Body
from motiform.motion.contact import Contacts
from motiform.motion.stepping import body_segments
from motiform.motion.tree import Actuator, Control, Figure
from motiform.motion.tree.prescribed import drive_figure
from motiform.scene.build.actuation import build_muscles, build_servos, build_support
from motiform.scene.build.common import at_table, placed
from motiform.scene.build.member import Member, full_names
from motiform.scene.read.load import Scene
from motiform.scene.tables.drive import LoadTable, PostureTable, PrescribedTable, Value
from motiform.scene.tables.schema import ForceTable

__all__ = ["build_controls", "build_motions", "build_pushes", "read_values"]

Array = np.ndarray


def build_controls(
    scene: Scene, figure: Figure, members: Sequence[Member], start: Array, contacts: Contacts | None,
    motors: Mapping[int, Sequence[Motor]],
) -> list[Control | Actuator] | None:  # fmt: skip
    """Return the controls, postures and actuators of a scene, or None."""
    parts: list[Control] = []
    actuators = build_muscles(scene, figure, members, _reflex_postures(scene, figure, members, start))
    drives: list[CoordinateDrive] = []
    for n, (table, member) in enumerate(zip(scene.document.figure, members, strict=True)):
        for k, control in enumerate(table.control):
            for name in full_names(figure, member.prefix, control.coordinate, "v"):
                drive = CoordinateDrive(name, **control.model_dump(exclude={"coordinate"}))
                placed(scene, lambda d=drive: CoordinateControl(figure, [d]), "figure", n, "control", k)
                drives.append(drive)
        if table.posture is not None:
            posture = _Posture(scene, n, table.posture, figure, member, start, contacts)
            if table.motors is not None:
                way = placed(scene, posture.way, "figure", n, "posture")
                actuators.append(build_servos(figure, table.motors, motors[n], way, member))
            else:
                parts.append(placed(scene, posture.control, "figure", n, "posture"))
            if table.support is not None:
                way, own = placed(scene, posture.way, "figure", n, "posture"), table.support
                help_ = placed(
                    scene, lambda t=own, w=way, m=member: build_support(figure, t, w, m), "figure", n, "support"
                )
                actuators.append(help_)
    if drives:
        parts.append(CoordinateControl(figure, drives))
    return [*parts, *actuators] or None


def _reflex_postures(scene: Scene, figure: Figure, members: Sequence[Member], start: Array) -> dict[int, Array]:
    """Return the postures of the reflexes of a scene, by the number of their figure."""
    found: dict[int, Array] = {}
    for n, (table, member) in enumerate(zip(scene.document.figure, members, strict=True)):
        if table.reflex is not None:
            found[n] = start.copy()
            read_values(scene, figure, table.reflex.q, "q", found[n], member.prefix, "figure", n, "reflex", "q")
    return found


def build_motions(scene: Scene, figure: Figure, members: Sequence[Member]) -> list[PrescribedMotion]:
    """Return the prescribed motions of the figures of a scene."""
    found: list[PrescribedMotion] = []
    for n, (table, member) in enumerate(zip(scene.document.figure, members, strict=True)):
        for k, own in enumerate(table.prescribed):
            motion = placed(scene, lambda t=own, m=member: _motion(t, m.prefix), "figure", n, "prescribed", k)
            placed(scene, lambda m=motion: drive_figure(figure, [m], figure.neutral()), "figure", n, "prescribed", k)
            found.append(motion)
    return found


def _motion(table: PrescribedTable, prefix: str) -> PrescribedMotion:
    name = prefix + table.coordinate
    if table.speed is not None:
        return PrescribedMotion(name, speed=table.speed)
    if table.speeds:
        return PrescribedMotion.through(name, table.times, table.speeds, of="speed")
    return PrescribedMotion.through(name, table.times, table.positions)


def build_pushes(
    scene: Scene, figure: Figure, members: Sequence[Member], bodies: Sequence[Body]
) -> SegmentPushes | None:
    """Return the loads of the figures and, with contacts, the forces on the bodies, or None."""
    found: list[SegmentPush] = []
    for n, (table, member) in enumerate(zip(scene.document.figure, members, strict=True)):
        for k, load in enumerate(table.load):
            push = _push(load, member.prefix + load.segment, load.at)
            placed(scene, lambda p=push: SegmentPushes(figure, [p]), "figure", n, "load", k, "segment")
            found.append(push)
    for n, force in enumerate(scene.document.force):
        body = next(body for body in bodies if body.name == force.body)
        at: Any = None if force.at is None else np.array(force.at) - body.properties.com
        for name in body_segments(body):
            found.append(placed(scene, lambda f=force, m=name, a=at: _push(f, m, a), "force", n))
    return SegmentPushes(figure, found) if found else None


def _push(table: LoadTable | ForceTable, segment: str, at: Any) -> SegmentPush:
    until = np.inf if table.until is None else table.until
    return SegmentPush(segment, table.force, table.torque, at, table.follows, table.start, until)


# -------------------------------------------------------------------- postures
@dataclass(frozen=True)
class _Posture:
    """How the posture of one figure becomes a control of all."""

    scene: Scene
    n: int
    table: PostureTable
    figure: Figure
    member: Member
    start: Array
    contacts: Contacts | None

    def control(self) -> PostureControl:
        """Return springs and dampers, and the efforts that hold the weight."""
        table, figure = self.table, self.figure
        if figure.couplings:
            raise InputError("a figure with a posture must not have coupled coordinates")
        times, postures = self._way()
        return posture_control(
            figure, PostureTrajectory(figure, times, postures), frequency=table.frequency, ratio=table.ratio,
            stiffness=self._named(table.stiffness), damping=self._named(table.damping), limit=self._named(table.limit),
            feedforward=self._static_efforts(times, postures) if table.stand else None, segments=self.member.segments,
        )  # fmt: skip

    def way(self) -> PostureTrajectory:
        """Return the way through the postures."""
        return PostureTrajectory(self.figure, *self._way())

    def _way(self) -> tuple[list[float], list[Array]]:
        """Return the instants and postures of the keys, or one posture."""
        first, place = self.start.copy(), ("figure", self.n, "posture")
        if not self.table.hold:
            first[plain_places(self.figure, self.member.segments)[0]] = 0.0
        if not self.table.key:
            self._read(self.table.q, first, *place, "q")
            return [0.0], [first]
        times, postures = ([0.0], [first]) if self.table.key[0].at > 0 else ([], [])
        for k, key in enumerate(self.table.key):
            posture = (postures[-1] if postures else first).copy()
            self._read(key.q, posture, *place, "key", k, "q")
            times.append(key.at)
            postures.append(posture)
        return times, postures

    def _read(self, given: dict[str, Value], out: Array, *place: str | int) -> None:
        read_values(self.scene, self.figure, given, "q", out, self.member.prefix, *place)

    def _named(self, given: float | Mapping[str, float] | None) -> Any:
        """Return gains with the full names of their coordinates."""
        if not isinstance(given, Mapping):
            return given
        prefix = self.member.prefix
        return {full: x for name, x in given.items() for full in full_names(self.figure, prefix, name, "v")}

    def _static_efforts(self, times: list[float], postures: list[Array]) -> EffortTrajectory:
        """Return the efforts that stand in every posture, and between them."""
        if self.contacts is None:
            raise InputError("to stand there must be contacts", where="stand", remedy="Give [[obstacle]].")
        keys: list[list[str] | None] = [key.stand for key in self.table.key]
        keys = [*[None] * (len(times) - len(keys)), *keys]
        efforts = []
        for posture, key in zip(postures, keys, strict=True):
            stand = self.table.stand if key is None else key
            points = None if isinstance(stand, bool) else [self.member.prefix + name for name in stand]
            found = standing_effort(self.figure, self.contacts, posture, points, segments=self.member.segments)
            efforts.append(found.tau)
        return EffortTrajectory(times, efforts)


# -------------------------------------------------------------------- numbers by name
def read_values(
    scene: Scene, figure: Figure, given: dict[str, Value], which: Any, out: Array, prefix: str, *keys: str | int
) -> None:
    """Write coordinates or velocities that are given by name into q or v."""
    for name, value in given.items():
        where = scene.place(*keys, name)
        with at_table(scene, *keys, name):
            found = [figure.places(full, which) for full in full_names(figure, prefix, name, which)]
        values = value if isinstance(value, list) else [value]
        for places in found:
            if len(values) != len(places):
                raise SceneError(f"{where}: {name} has {len(places)} numbers (got {len(values)})")
            out[places] = [_number(x, which, where) for x in values]


def _number(value: float | str, which: str, where: str) -> float:
    """Return a coordinate or velocity: a number, or text with a unit of an angle, a length, or a number."""
    for unit in ("rad", "m", "") if which == "q" else ("rad/s", "m/s"):
        try:
            number = quantity(value, unit)
        except InputError:
            continue
        if np.isfinite(number):
            return number
    allowed = "a finite number, or text with a unit like " + ("rad or m" if which == "q" else "rad/s or m/s")
    raise SceneError(
        "the coordinate must be of a joint" if which == "q" else "the velocity must be of a joint", where=where,
        got=value, allowed=allowed,
    )  # fmt: skip
