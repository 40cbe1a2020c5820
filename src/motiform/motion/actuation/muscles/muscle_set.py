"""The muscles of a figure, with its ligaments and the actuators of its coordinates."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError, closest
from motiform.motion.actuation.muscles.hill import Muscle
from motiform.motion.actuation.muscles.paths.paths import MusclePath, Paths, WrapObject
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.functions import CoordinateFunction
from motiform.spatial.checks import Array

__all__ = ["CoordinateActuator", "LigamentForce", "Muscles"]


@dataclass(frozen=True, eq=False)
class LigamentForce:
    """A band that pulls with force · curve(length/rest_length) where it is longer than its rest length.

    `force` [N], `rest_length` [m], `curve` a function of the relative length.
    """

    path: MusclePath
    rest_length: float
    force: float
    curve: CoordinateFunction

    def __post_init__(self) -> None:
        for name in ("rest_length", "force"):
            value = getattr(self, name)
            if not (np.isfinite(value) and value > 0.0):
                raise InputError(
                    f"{name} must be above 0", where=f"ligament {self.name!r}", got=value, allowed="a number above 0"
                )

    @property
    def name(self) -> str:
        """That of its path."""
        return self.path.name

    def tension(self, length: ArrayLike) -> Array:
        """Return the force [N] at lengths [m]."""
        x = np.asarray(length, float) / self.rest_length
        return np.where(x > 1.0, np.maximum(self.force * self.curve.derivatives(x)[0], 0.0), 0.0)


@dataclass(frozen=True)
class CoordinateActuator:
    """A drive of one coordinate: `force` [N·m or N] times a control between `low` and `high`."""

    name: str
    coordinate: str
    force: float = 1.0
    low: float = -np.inf
    high: float = np.inf

    def __post_init__(self) -> None:
        where = f"actuator {self.name!r}"
        if not (np.isfinite(self.force) and self.force != 0.0):
            raise InputError("force must not be 0", where=where, got=self.force, allowed="a number other than 0")
        if not self.low <= self.high:
            raise InputError("the range of the control is empty", where=where, got=(self.low, self.high))


@dataclass(frozen=True, eq=False)
class Muscles:
    """What moves a figure: muscles over wrap objects; ligaments; actuators of coordinates."""

    figure: Figure
    muscles: tuple[Muscle, ...]
    objects: tuple[WrapObject, ...] = ()
    ligaments: tuple[LigamentForce, ...] = ()
    actuators: tuple[CoordinateActuator, ...] = ()
    notes: tuple[str, ...] = ()
    """What a reader left out or took for something else."""

    def __post_init__(self) -> None:
        for name in ("muscles", "objects", "ligaments", "actuators"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        self.paths, self.bands  # noqa: B018, their checks belong here
        for actuator in self.actuators:
            if actuator.coordinate not in self.figure.coordinates:
                raise InputError(
                    "no such coordinate", where=f"actuator {actuator.name!r}", got=actuator.coordinate,
                    remedy=closest(actuator.coordinate, self.figure.coordinates),
                )  # fmt: skip

    @cached_property
    def paths(self) -> Paths:
        """Paths of the muscles."""
        return Paths(self.figure, tuple(muscle.path for muscle in self.muscles), self.objects)

    @cached_property
    def bands(self) -> Paths:
        """Paths of the ligaments."""
        return Paths(self.figure, tuple(ligament.path for ligament in self.ligaments), self.objects)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the muscles."""
        return tuple(muscle.name for muscle in self.muscles)

    def muscle(self, name: str) -> Muscle:
        """Return a muscle by its name."""
        if name not in self.names:
            raise InputError("no such muscle", got=name, remedy=closest(name, self.names))
        return self.muscles[self.names.index(name)]

    def of(self, figure: Figure) -> "Muscles":
        """Return the same muscles on another figure with the same segments; points and lengths are not scaled."""
        return replace(self, figure=figure)

    def __repr__(self) -> str:
        return (
            f"Muscles({len(self.muscles)} muscles, {len(self.objects)} wrap objects, {len(self.ligaments)} ligaments, "
            f"{len(self.actuators)} actuators of figure {self.figure.name!r})"
        )
