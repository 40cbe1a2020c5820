"""Handles of a network under construction: points, ends of links, inserted modules."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import InputError, closest

if TYPE_CHECKING:
    from motiform.motion.matter.laws.automaton_law import AutomatonLaw
    from motiform.motion.matter.laws.links import ZoneLaw
    from motiform.motion.matter.model.build.points import PointsBuilder

__all__ = ["LinkEnd", "OpenLink", "PlacedModule", "Points"]


@dataclass(frozen=True, eq=False)
class Points:
    """M points of a network that is being built: all of a group, or those that an index picks."""

    indices: np.ndarray
    owner: "PointsBuilder"

    def __getitem__(self, which: Any) -> "Points":
        try:
            return Points(np.atleast_1d(self.indices[which]), self.owner)
        except IndexError as error:
            raise InputError("no such point", got=which, allowed=f"0 to {len(self.indices) - 1}") from error

    def __len__(self) -> int:
        return len(self.indices)

    def __add__(self, other: "Points") -> "Points":
        if self.owner is not other.owner:
            raise InputError(
                "points to be joined must belong to one network", remedy="Add one network to the other as a module."
            )
        return Points(np.concatenate((np.ravel(self.indices), np.ravel(other.indices))), self.owner)

    @property
    def position(self) -> np.ndarray:
        """At the start [m], (points, 3)."""
        return self.owner.positions()[self.indices]

    @property
    def radius(self) -> np.ndarray:
        """Of the balls that they stand for [m], (points,)."""
        return np.concatenate([np.empty(0), *(group.radius for group in self.owner._groups)])[self.indices]


@dataclass(frozen=True, eq=False)
class LinkEnd:
    """The L point of a link whose other end is at a mass already: it waits for the one mass that it belongs to."""

    name: str
    owner: "PointsBuilder"


@dataclass(frozen=True, eq=False)
class PlacedModule:
    """A module inside another network: its exposed points by name."""

    name: str
    points: dict[str, Points]
    ends: dict[str, LinkEnd]

    def __getitem__(self, name: str) -> "Points | LinkEnd":
        if name in self.points:
            return self.points[name]
        if name in self.ends:
            return self.ends[name]
        known = [*self.points, *self.ends]
        raise InputError(
            "the module has no such point", where=self.name, got=name, allowed=", ".join(known),
            remedy=closest(name, known),
        )  # fmt: skip


@dataclass
class OpenLink:
    """A link with one end: at a mass, and waiting for another."""

    mass: int
    law: "ZoneLaw | AutomatonLaw"
    axis: int
    other: int | None = None
