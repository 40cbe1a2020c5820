"""Points of a channel as balls, and lines between the points of two channels."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from motiform.base.errors import RecordingError
from motiform.form.looks.checks import read_points, read_radius, spread_radius, take
from motiform.form.looks.color import Color, check_color, read_color, resolve_color
from motiform.form.looks.plain import PartLook
from motiform.form.parts import Part, Series
from motiform.geometry import Ball
from motiform.record.samples import by_samples

if TYPE_CHECKING:
    from motiform.record import Recording

__all__ = ["LinesLook", "PointsLook"]

_MOST_BEADS = 1000


@dataclass(frozen=True, eq=False, kw_only=True)
class PointsLook(PartLook):
    """The points of a channel as balls; none where the channel is nan."""

    points: str
    """Channel of places in the world [m], (3,) or (count, 3)."""
    matter: bool = False
    """Whether they are matter, which a camera takes into view; else they mark what was measured."""
    color: Color = field(metadata={"read": read_color})
    """Red, green, blue from 0 to 1, (3,), a row for each, (count, 3), or `ColorBy`."""
    radius: float | np.ndarray
    """One or (count,) [m]."""
    pick: np.ndarray | None = None
    """Numbers of the points that are drawn, (count,); None: all."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "color", check_color(self.color))
        object.__setattr__(self, "radius", read_radius(self.radius))

    def drawn(self, name: str, recording: "Recording", samples: int) -> Part:
        """Return the balls."""
        position = read_points(self.points, recording, samples, name)
        position = take(position, self.pick, name)
        return _balls(name, position, self.radius, self.color, recording, ghost=not self.matter)


@dataclass(frozen=True, eq=False, kw_only=True)
class LinesLook(PartLook):
    """Lines of balls from the points of a channel to those of another; none where one of the two is nan."""

    lines: tuple[str, str]
    """Channels of places in the world [m], both (3,) or (count, 3)."""
    radius: float | np.ndarray
    """Of a ball [m]."""
    color: Color = field(metadata={"read": read_color})
    """Red, green, blue from 0 to 1, (3,), a row for each ball, or `ColorBy`."""
    beads: int = 8
    """Balls in a line."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "lines", tuple(self.lines))
        object.__setattr__(self, "color", check_color(self.color))
        object.__setattr__(self, "radius", read_radius(self.radius))

    def drawn(self, name: str, recording: "Recording", samples: int) -> Part:
        """Return the balls of all lines."""
        first, second = (read_points(channel, recording, samples, name) for channel in self.lines)
        if first.shape != second.shape or not 0 < self.beads <= _MOST_BEADS:
            got = f"{first.shape[1]} and {second.shape[1]} points, {self.beads} beads"
            raise RecordingError("lines must have two ends and some beads", where=name, got=got)
        position = by_samples(self._beads, first, second)
        return _balls(name, position, self.radius, self.color, recording, ghost=True)

    def _beads(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        along = np.linspace(0, 1, int(self.beads))[:, None]
        return (first[:, :, None] * (1 - along) + second[:, :, None] * along).reshape(len(first), -1, 3)


def _balls(
    name: str, position: Series, given: float | np.ndarray, color: Color, recording: "Recording", *, ghost: bool
) -> Part:  # fmt: skip
    """Return balls at places, (samples, count, 3)."""
    samples, count = position.shape[:2]
    orientation = np.broadcast_to([1.0, 0.0, 0.0, 0.0], (samples, count, 4))
    radius = spread_radius(given, count, name)
    first, shades = resolve_color(color, recording, samples, count, name)
    largest = float(radius.max()) if count else 0.0
    scale = None if largest and (radius == largest).all() else radius / (largest or 1.0)
    return Part(
        name, Ball(largest or 1.0), np.zeros(3), first, position, orientation, points=True, scale=scale, shades=shades,
        ghost=ghost,
    )  # fmt: skip
