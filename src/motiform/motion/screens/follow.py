"""Engravers that follow the points of a network while both are run."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from motiform.base.errors import InputError

if TYPE_CHECKING:
    from motiform.motion.matter import Network
    from motiform.motion.screens.engraver import Engraver

__all__ = ["Follow", "LivePoints", "PointTrajectory", "follow_network"]


@dataclass(frozen=True)
class Follow:
    """Points of a network, by names such as "sand" or "wheel[3]": those that an engraver of `Screens` follows."""

    points: str | tuple[str, ...]


class PointTrajectory:
    """Places of points as a function of time [s], which is known before 0, too: (points, 3) [m]."""

    indices: np.ndarray

    def __call__(self, t: float) -> np.ndarray:
        """Return the places [m], (points, 3)."""
        raise NotImplementedError


class LivePoints(PointTrajectory):
    """Places of points now and a step before [m], (points, 3): called with a time [s] it gives those of that time."""

    def __init__(self, indices: np.ndarray, start: np.ndarray, before: np.ndarray) -> None:
        self.indices, self.now, self.before = indices, start, before
        self.time = 0.0

    def move(self, places: np.ndarray, time: float) -> None:
        """Take the places of all points of the network at a later time [s]."""
        if time > self.time:
            self.before = self.now
        self.now, self.time = places[self.indices], time

    def __call__(self, t: float) -> np.ndarray:
        """Return the places [m], (points, 3)."""
        return self.now if t >= self.time - 1e-9 * max(1.0, self.time) else self.before


def follow_network(
    engraver: "Engraver", network: "Network | None", step: float
) -> "tuple[Engraver, LivePoints | None]":
    """Return an engraver with the points that it follows put in, and what moves them, in steps [s] of the screen."""
    from motiform.motion.matter.model.points import find_points

    if not isinstance(engraver.points, Follow):
        return engraver, None
    where = f"engraver {engraver.name!r}"
    if network is None:
        raise InputError("a network is needed, whose points it follows", where=where, remedy="Give network.")
    try:
        indices = find_points(network, engraver.points.points)
    except InputError as error:
        raise InputError(f"{where}: {error}") from error
    start, velocity = (np.concatenate([getattr(g, key) for g in network.groups]) for key in ("position", "velocity"))
    live = LivePoints(indices, start[indices], (start - step * velocity)[indices])
    return replace(engraver, points=live), live
