"""Sensors of a figure: joint positions, forces under the feet, inertial units, centre of pressure.

A sensor tells the truth of an instant; a `Reading` of it has noise, bias, its own sampling and a delay. Its noise is a
function of the seed and of the number of the sample, so that a run that is resumed gets the same.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, closest
from motiform.motion.contact import Contacts
from motiform.motion.contact.dynamics import ContactForces, contact_dynamics, contact_gaps
from motiform.motion.run import check_number
from motiform.motion.tree import Figure, forward_dynamics, forward_kinematics, motion
from motiform.motion.tree.model.joint import Array
from motiform.spatial.checks import as_floats, generator

__all__ = ["FootForceSensor", "InertialSensor", "JointSensor", "PressureSensor", "Reading", "Sensed", "Sensor"]

_NEAR = 2e-4  # [m] of a point from its obstacle that counts as touching: steps of a run leave less
_LEAST = 1.0  # [N] below which there is no centre of pressure


@dataclass(frozen=True, eq=False)
class Sensed:
    """An instant: the state of a figure and the efforts that act on it; forces of contacts follow from them."""

    figure: Figure
    t: float
    """[s]"""
    q: Array
    v: Array
    efforts: Array
    """On the coordinates [N·m or N], (nv,)."""
    contacts: Contacts | None = None

    @cached_property
    def touching(self) -> ContactForces | None:
        """Accelerations and forces of points that touch and stick; None without contacts."""
        if self.contacts is None:
            return None
        numbers = (np.ascontiguousarray(x, float).tobytes() for x in (self.q, self.v, self.efforts))
        return _touching(self.figure, self.contacts, *numbers)

    @property
    def acceleration(self) -> Array:
        """(nv,)"""
        if self.touching is None:
            return forward_dynamics(self.figure, self.q, self.v, self.efforts)
        return self.touching.acceleration


@lru_cache(64)  # what a law has sensed is observed at the sample of the same instant
def _touching(figure: Figure, contacts: Contacts, *numbers: bytes) -> ContactForces:
    """Return accelerations and forces of points that touch and stick; none of it is written to."""
    q, v, efforts = (np.frombuffer(one) for one in numbers)
    near = contact_gaps(figure, contacts, q) <= _NEAR
    names = [name for name, close in zip(contacts.point_names, near, strict=True) if close]
    return contact_dynamics(figure, contacts, q, v, efforts, active=names)


class Sensor(ABC):
    """What is measured."""

    figure: Figure

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """Names of its numbers."""

    @abstractmethod
    def truth(self, now: Sensed) -> Array:
        """Return what it would tell without any error, (n,)."""


@dataclass(frozen=True, eq=False)
class JointSensor(Sensor):
    """Positions of plain coordinates [rad or m]."""

    figure: Figure
    coordinates: Sequence[str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "coordinates", tuple(self.coordinates))
        for name in self.coordinates:
            if name not in self.figure.coordinates:
                known = self.figure.coordinates
                raise InputError("no such coordinate", where="joint sensor", got=name, remedy=closest(name, known))

    @property
    def labels(self) -> tuple[str, ...]:  # noqa: D102
        return tuple(self.coordinates)

    @cached_property
    def _places(self) -> list[int]:
        return [int(self.figure.places(name, "q")[0]) for name in self.coordinates]

    def truth(self, now: Sensed) -> Array:  # noqa: D102
        return now.q[self._places]


@dataclass(frozen=True, eq=False)
class FootForceSensor(Sensor):
    """Six forces under each contact solid: moment [N·m] about its segment's origin and force [N], in segment axes."""

    figure: Figure
    contacts: Contacts
    solids: Sequence[str] | None = None
    """The contact solids that are feet; None: all."""

    def __post_init__(self) -> None:
        known = self.contacts.solids
        object.__setattr__(self, "solids", known if self.solids is None else tuple(self.solids))
        for solid in self.feet:
            if solid not in known:
                remedy = closest(solid, known)
                raise InputError("no such contact solid", where="FootForceSensor", got=solid, remedy=remedy)

    @property
    def feet(self) -> tuple[str, ...]:
        """The contact solids that are measured."""
        return tuple(self.solids or ())

    @property
    def labels(self) -> tuple[str, ...]:  # noqa: D102
        parts = ("moment_x", "moment_y", "moment_z", "force_x", "force_y", "force_z")
        return tuple(f"{solid}.{part}" for solid in self.feet for part in parts)

    @cached_property
    def segments(self) -> list[int]:
        """Segment of each solid."""
        first = [next(p for p in self.contacts.points if p.solid == solid) for solid in self.feet]
        return [self.figure.index(point.segment) for point in first]

    def truth(self, now: Sensed) -> Array:  # noqa: D102
        if now.touching is None:
            raise InputError("forces on feet need contacts", where="FootForceSensor", got="a moment without any")
        R = forward_kinematics(self.figure, now.q).rotation[self.segments]
        at = [self.contacts.solids.index(solid) for solid in self.feet]
        own = now.touching.wrenches[at].reshape(-1, 2, 3) @ R  # Rᵀ times each
        return own.reshape(-1)


@dataclass(frozen=True, eq=False)
class InertialSensor(Sensor):
    """Angular velocity [rad/s] and specific force a − g [m/s²] at a point of a segment, in the segment's axes."""

    figure: Figure
    segment: str
    point: ArrayLike = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        self.figure.index(self.segment)
        object.__setattr__(self, "point", as_floats(self.point, 3, where="point of an inertial sensor"))

    @property
    def labels(self) -> tuple[str, ...]:  # noqa: D102
        return tuple(f"{self.segment}.{part}_{axis}" for part in ("spin", "pull") for axis in "xyz")

    def truth(self, now: Sensed) -> Array:  # noqa: D102
        n = self.figure.index(self.segment)
        moving = motion(self.figure, now.q, now.v, now.acceleration)
        R, o, rate = moving.poses.rotation[n], moving.twists[n, :3], moving.accelerations[n]
        r = R @ np.asarray(self.point)
        a = rate[3:] + np.cross(rate[:3], r) + np.cross(o, np.cross(o, r)) - np.asarray(self.figure.gravity)
        return np.concatenate([R.T @ o, R.T @ a])


@dataclass(frozen=True, eq=False)
class PressureSensor(Sensor):
    """Centre of pressure on a level ground in the world: two numbers across the vertical [m], nan in the air."""

    figure: Figure
    contacts: Contacts
    height: float = 0.0
    """Of the ground [m]."""

    @cached_property
    def axes(self) -> tuple[int, int]:
        """Axes of the world along the ground."""
        up = int(np.argmax(np.abs(self.figure.up)))
        first, second = (k for k in range(3) if k != up)
        return first, second

    @property
    def labels(self) -> tuple[str, ...]:  # noqa: D102
        return tuple(f"pressure_{'xyz'[k]}" for k in self.axes)

    def truth(self, now: Sensed) -> Array:  # noqa: D102
        if now.touching is None:
            raise InputError("the instant must have contacts", got="contacts=None")
        feet = FootForceSensor(self.figure, self.contacts)
        p = forward_kinematics(self.figure, now.q).position[feet.segments]
        wrench, up = now.touching.wrenches, self.figure.up
        force = wrench[:, 3:].sum(0)
        if force @ up < _LEAST:
            return np.full(2, np.nan)
        moment = (wrench[:, :3] + np.cross(p - self.height * up, wrench[:, 3:])).sum(0)
        return np.asarray(np.cross(up, moment) / (force @ up))[list(self.axes)]


@dataclass(frozen=True, eq=False)
class Reading:
    """A sensor as it is: sampled at a period, late, with bias and noise."""

    sensor: Sensor
    noise: ArrayLike = 0.0
    """Standard deviation, one number or one for each of the sensor's."""
    bias: ArrayLike = 0.0
    period: float = 0.0
    """From sample to sample [s]; 0: whenever it is read."""
    delay: int = 0
    """Samples by which it is late: delay × period [s], however often it is read."""
    seed: int = 0

    def __post_init__(self) -> None:
        n, where = len(self.sensor.labels), f"reading of {type(self.sensor).__name__}"
        for name in ("noise", "bias"):
            value = as_floats(getattr(self, name), where=f"{where}, {name}")
            if value.shape not in ((), (n,)) or (name == "noise" and (value < 0).any()):
                raise InputError(
                    f"{name} is out of range", where=where, got=repr(value)[:60], allowed=f"one number or {n}"
                )
            object.__setattr__(self, name, np.array(np.broadcast_to(value, (n,))))
        check_number(self.period, "period", where, least=0.0)
        generator(self.seed, where=f"{where}, seed")
        if not (isinstance(self.delay, int) and self.delay >= 0):
            raise InputError("delay must be a number of samples", where=where, got=self.delay, allowed="0, 1, 2, …")

    @property
    def memory(self) -> Array:
        """At the start, before anything is measured: samples taken, time and truth of the last read, last samples."""
        return np.zeros(2 + (self.delay + 2) * len(self.sensor.labels))

    def read(self, now: Sensed, memory: Array) -> tuple[Array, Array]:
        """Return what it tells at an instant, (n,), and its new memory; before the first late sample the first one.

        Samples are taken at multiples of the period, however seldom it is read: those since the last read are of the
        line from the truth then to the truth now.
        """
        n, taken, before = len(self.sensor.labels), int(memory[0]), float(memory[1])
        last, kept = memory[2 : 2 + n], memory[2 + n :].reshape(self.delay + 1, n)
        count = taken + 1 if self.period == 0.0 else int(np.floor(now.t / self.period + 1e-9)) + 1
        truth = self.sensor.truth(now)
        if taken == 0:
            kept = np.repeat(self._sample(truth, count - 1)[None], self.delay + 1, axis=0)
        for k in range(max(taken, count - self.delay - 1), count) if taken else ():
            share = 1.0 if self.period == 0.0 else (k * self.period - before) / (now.t - before)
            kept = np.concatenate([kept[1:], self._sample(last + min(share, 1.0) * (truth - last), k)[None]])
        return kept[0].copy(), np.concatenate([[float(max(taken, count)), now.t], truth, kept.ravel()])

    def _sample(self, truth: Array, number: int) -> Array:
        error = generator(self.seed, number).standard_normal(len(truth))
        return np.asarray(truth + np.asarray(self.bias, float) + np.asarray(self.noise, float) * error)
