"""What drives the figures of a scene: controls on coordinates and postures."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from motiform.base.errors import InputError, MotiformError, SceneError, closest
from motiform.base.units import quantity
from motiform.motion.actuation import PostureControl, posture_trajectory, standing_effort
from motiform.motion.actuation.control import plain_places
from motiform.motion.contact import Contacts
from motiform.motion.tree import Control, Figure, FigureState, inertia_matrix
from motiform.scene.read.load import Scene
from motiform.scene.tables.drive import ControlTable, PostureTable, Value

__all__ = ["Array", "Member", "build_controls", "read_values"]

Array = np.ndarray
_ENDLESS = 1e300  # effort of a drive that is as strong as need be


class SceneControl:
    """All that acts on the coordinates of a scene's figures, together."""

    of_scene = True  # it is in the scene's key already

    def __init__(self, parts: Sequence[Any], nv: int) -> None:
        self.parts, self.nv = tuple(parts), nv
        self.stiffness, self.damping = (
            sum((getattr(p, k) for p in parts), np.zeros(nv)) for k in ("stiffness", "damping")
        )

    def __call__(self, t: float, state: FigureState) -> Array:
        tau = np.zeros(self.nv)
        for part in self.parts:
            tau += part(t, state)
        return tau


class _Springs:
    """A constant force, a spring and a damper on each of some coordinates."""

    def __init__(self, controls: list[tuple[int, int, ControlTable]], nv: int) -> None:
        self.controls, self.nv = controls, nv
        self.stiffness, self.damping = np.zeros(nv), np.zeros(nv)
        for _, v, table in controls:
            self.stiffness[v] += table.stiffness
            self.damping[v] += table.damping

    def __call__(self, t: float, state: FigureState) -> Array:
        tau = np.zeros(self.nv)
        for q, v, table in self.controls:
            tau[v] += table.force - table.damping * state.v[v]
            if table.stiffness:
                tau[v] -= table.stiffness * (state.q[q] - table.target)
        return tau


@dataclass(frozen=True)
class Member:
    """One figure of a scene among all that are simulated as one."""

    prefix: str
    """What its names begin with."""
    segments: tuple[str, ...]


def build_controls(
    scene: Scene, figure: Figure, members: Sequence[Member], start: Array, contacts: Contacts | None
) -> Control | None:
    """Return what the controls and postures of a scene make together, or None."""
    parts: list[Any] = []
    springs: list[tuple[int, int, ControlTable]] = []
    for n, (table, member) in enumerate(zip(scene.document.figure, members, strict=True)):
        for k, control in enumerate(table.control):
            springs.append((*_places(figure, control, member.prefix, scene.place("figure", n, "control", k)), control))
        if table.posture is not None:
            parts.append(_Posture(scene, n, table.posture, figure, member, start, contacts).control())
    if springs:
        parts.append(_Springs(springs, figure.nv))
    return SceneControl(parts, figure.nv) if parts else None


def _places(figure: Figure, control: ControlTable, prefix: str, where: str) -> tuple[int, int]:
    """Return where a plain coordinate is in q and v."""
    name = prefix + control.coordinate
    if name not in figure.coordinates:
        raise SceneError(
            "no such coordinate",
            where=where,
            got=name,
            allowed=", ".join(figure.coordinates),
            remedy=closest(name, figure.coordinates),
        )
    q = int(figure.places(name, "q")[0]) if name in figure.layout.places_q else -1
    if q < 0 and (control.stiffness or control.target):
        raise SceneError(
            "a spring on a velocity that has no coordinate of its own",
            where=where,
            got=control.coordinate,
            remedy="Give force or damping; springs act on plain coordinates.",
        )
    return q, int(figure.places(name, "v")[0])


# -------------------------------------------------------------------- postures
class _Posture:
    """How the posture of one figure becomes a control of all."""

    def __init__(
        self,
        scene: Scene,
        n: int,
        table: PostureTable,
        figure: Figure,
        member: Member,
        start: Array,
        contacts: Contacts | None,
    ) -> None:
        if figure.couplings:
            raise SceneError(f"{scene.place('figure', n, 'posture')}: a posture of a figure with coupled coordinates")
        self.scene, self.n, self.table, self.figure = scene, n, table, figure
        self.prefix, self.segments, self.start, self.contacts = member.prefix, member.segments, start, contacts
        at_q, at_v = plain_places(figure)
        own = np.isin(at_v, [k for name in member.segments for k in figure.layout.v[figure.index(name)]])
        self.driven_q, self.driven = at_q[own], at_v[own]

    def place(self, *keys: str | int) -> str:
        """Return the line of a key of the table."""
        return self.scene.place("figure", self.n, "posture", *keys)

    def control(self) -> PostureControl:
        """Return springs and dampers, and the efforts that hold the weight."""
        try:
            return self._control()
        except SceneError:
            raise
        except MotiformError as error:
            raise SceneError(f"{self.place()}: {error}") from error

    def _control(self) -> PostureControl:
        table, figure = self.table, self.figure
        times, postures = self._way()
        omega, carried = 2 * np.pi * table.frequency, np.diag(inertia_matrix(figure, postures[0]))
        stiffness = self._gains("stiffness", omega**2 * carried)
        damping = self._gains("damping", 2 * table.ratio * omega * carried)
        limit = None if table.limit is None else self._gains("limit", np.full(figure.nv, _ENDLESS))
        forward = self._forward(times, postures) if table.stand else None
        if len(times) > 1:
            way: Any = posture_trajectory(figure, times, np.array(postures))
        else:
            still = np.zeros(figure.nv)

            def way(at: float) -> tuple[Array, Array]:
                return postures[0], still

        return PostureControl(figure, way, stiffness, damping, feedforward=forward, limit=limit)

    def _way(self) -> tuple[list[float], list[Array]]:
        """Return the instants and postures of the keys, or one posture."""
        first = self.start.copy()
        if not self.table.hold:
            first[self.driven_q] = 0.0
        if not self.table.key:
            read_values(
                self.scene, self.figure, self.table.q, "q", first, self.prefix, "figure", self.n, "posture", "q"
            )
            return [0.0], [first]
        times, postures = ([0.0], [first]) if self.table.key[0].at > 0 else ([], [])
        for k, key in enumerate(self.table.key):
            posture = (postures[-1] if postures else first).copy()
            place = ("figure", self.n, "posture", "key", k, "q")
            read_values(self.scene, self.figure, key.q, "q", posture, self.prefix, *place)
            times.append(key.at)
            postures.append(posture)
        return times, postures

    def _gains(self, key: str, usual: Array) -> Array:
        """Return one number for each velocity, zero where nothing of this figure drives."""
        given, out = getattr(self.table, key), np.zeros(self.figure.nv)
        out[self.driven] = usual[self.driven] if given is None or isinstance(given, dict) else given
        for name, value in given.items() if isinstance(given, dict) else ():
            places = np.concatenate(_coordinates(self.figure, self.prefix, name, "v"))
            if not np.isin(places, self.driven).all():
                raise InputError("not a coordinate that a joint drives", where=key, got=name)
            out[places] = value
        return out

    def _forward(self, times: list[float], postures: list[Array]) -> Control:
        """Return the efforts that stand in every posture, and between them."""
        if self.contacts is None:
            raise InputError("to stand there must be contacts", where="stand", remedy="Give [[obstacle]].")
        figure, contacts, at_q, at_v = _alone(self.figure, self.contacts, self.segments)
        stands: list[list[str] | None] = [key.stand for key in self.table.key]
        stands = [*[None] * (len(times) - len(stands)), *stands]
        efforts = np.zeros((len(times), self.figure.nv))
        for row, posture, stand in zip(efforts, postures, stands, strict=True):
            points = self._carrying(self.table.stand if stand is None else stand, contacts)
            row[at_v] = standing_effort(figure, contacts, posture[at_q], points).tau

        def forward(t: float, state: FigureState) -> Array:
            k = int(np.clip(np.searchsorted(times, t) - 1, 0, max(0, len(times) - 2)))
            if len(times) == 1:
                return efforts[0]
            part = np.clip((t - times[k]) / (times[k + 1] - times[k]), 0.0, 1.0)
            return (1 - part) * efforts[k] + part * efforts[k + 1]

        return forward

    def _carrying(self, stand: bool | list[str], contacts: Contacts) -> list[str] | None:
        """Return the points that carry, from names of points and solids; None: those that touch."""
        if isinstance(stand, bool):
            return None
        found: list[str] = []
        known = (*contacts.solids, *contacts.point_names)
        for name in (self.prefix + own for own in stand):
            if name not in known:
                allowed, remedy = ", ".join(known), closest(name, known)
                raise InputError("no such contact point", where="stand", got=name, allowed=allowed, remedy=remedy)
            found += [point.name for point in contacts.points if name in (point.name, point.solid)]
        return list(dict.fromkeys(found))


def _alone(figure: Figure, contacts: Contacts, segments: Sequence[str]) -> tuple[Figure, Contacts, Array, Array]:
    """Return one of several figures with what it can stand on, and where its numbers are in q and v."""
    if len(segments) == len(figure.segments):
        return figure, contacts, np.arange(figure.nq), np.arange(figure.nv)
    own = set(segments)
    kept = tuple(segment for segment in figure.segments if segment.name in own)
    alone = Figure(kept, gravity=figure.gravity, name=figure.name)
    points = tuple(point for point in contacts.points if point.segment in own)
    obstacles = tuple(o for o in contacts.obstacles if o.segment is None or o.segment in own)
    at_q = np.concatenate([figure.layout.q[figure.index(segment.name)] for segment in kept])
    at_v = np.concatenate([figure.layout.v[figure.index(segment.name)] for segment in kept])
    return alone, contacts.replace(points=points, obstacles=obstacles, pairs=None), at_q, at_v


# -------------------------------------------------------------------- numbers by name
def read_values(
    scene: Scene, figure: Figure, given: dict[str, Value], which: Any, out: Array, prefix: str, *keys: str | int
) -> None:
    """Write coordinates or velocities that are given by name into q or v."""
    for name, value in given.items():
        where = scene.place(*keys, name)
        try:
            found = _coordinates(figure, prefix, name, which)
        except MotiformError as error:
            raise SceneError(f"{where}: {error}") from error
        values = value if isinstance(value, list) else [value]
        for places in found:
            if len(values) != len(places):
                raise SceneError(f"{where}: {name} has {len(places)} numbers (got {len(values)})")
            out[places] = [_number(x, which, where) for x in values]


def _coordinates(figure: Figure, prefix: str, name: str, which: Any) -> list[Array]:
    """Return where a coordinate is in q or v; a name without a side, such as "knee", is that of both sides."""
    known = figure.layout.places_q if which == "q" else figure.layout.places_v
    sides = [f"{prefix}{side}_{name}" for side in ("right", "left")]
    if prefix + name not in known and all(side in known for side in sides):
        return [figure.places(side, which) for side in sides]
    return [figure.places(prefix + name, which)]


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
    raise SceneError("not a coordinate" if which == "q" else "not a velocity", where=where, got=value, allowed=allowed)
