"""Clouds of puffs at the points of channels: smoke, steam, dust."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from motiform.base.errors import InputError, RecordingError
from motiform.form.clouds import Cloud
from motiform.form.looks.checks import read_points, side_by_side
from motiform.form.looks.color import ColorBy, check_color
from motiform.form.looks.plain import PartLook
from motiform.record.samples import by_samples

if TYPE_CHECKING:
    from motiform.record import Recording

__all__ = ["CloudLook"]


@dataclass(frozen=True, eq=False, kw_only=True)
class CloudLook(PartLook):
    """Soft puffs at the points of channels, which let light through, grow and fade."""

    cloud: tuple[str, ...]
    """Channels of places in the world [m], (3,) or (count, 3)."""
    radius: float
    """Width of a puff when it begins, the standard deviation of its density [m]."""
    color: tuple[float, float, float]
    """Red, green, blue from 0 to 1."""
    depth: float = 0.3
    """Optical depth through the middle of such a puff: exp(−depth) of the light comes through."""
    spread: float = 0.0
    """Coefficient of diffusion [m²/s]: the square of the width grows by twice it in a second."""
    born: str | None = None
    """Channel of states of links, (count,), one for each point: a puff begins when its state is above 0."""

    def __post_init__(self) -> None:
        names = (self.cloud,) if isinstance(self.cloud, str) else tuple(self.cloud)
        if not names or len(set(names)) != len(names):
            raise InputError("a cloud must have channels, each once", got=", ".join(names) or "none")
        for key, least in (("radius", True), ("depth", True), ("spread", False)):
            value = getattr(self, key)
            if not (np.isfinite(value) and (value > 0.0 if least else value >= 0.0)):
                raise InputError(f"`{key}` of a cloud must be {'above 0' if least else '0 or more'}", got=value)
        if isinstance(self.color, dict | ColorBy) or np.shape(self.color) != (3,):
            raise InputError("a cloud must have one color", got=repr(self.color)[:60], allowed="three numbers")
        object.__setattr__(self, "cloud", names)
        object.__setattr__(self, "color", check_color(self.color))

    def drawn(self, name: str, recording: "Recording", samples: int) -> Cloud:
        """Return the cloud."""
        places = [read_points(channel, recording, samples, name) for channel in self.cloud]
        points, times = by_samples(side_by_side, *places), recording.time(self.cloud[0])
        born = np.full(points.shape[1], times[0] if len(times) else 0.0)
        if self.born is not None:
            born = _birth_times(recording, self.born, times, points.shape[1], name)
        color = np.asarray(self.color, float)
        return Cloud(name, points, times, born, float(self.radius), float(self.depth), float(self.spread), color)


def _birth_times(recording: "Recording", channel: str, times: np.ndarray, count: int, where: str) -> np.ndarray:
    """Return when the state of each point first is above 0 [s], (count,); inf where it never is."""
    if channel not in recording.names:
        remedy = "Record the links (record = true), and keep their states."
        raise RecordingError("no such channel of states", where=where, got=channel, remedy=remedy)
    states = np.asarray(recording[channel])
    if states.shape != (len(times), count):
        got, allowed = f"{channel!r} of shape {states.shape}", f"({len(times)}, {count})"
        raise RecordingError("puffs must begin with the states of as many links", where=where, got=got, allowed=allowed)
    begun = states > 0
    return np.where(begun.any(axis=0), times[begun.argmax(axis=0)], np.inf)
