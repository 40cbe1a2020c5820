"""Clouds of soft puffs: smoke, steam and dust, which spread, thin out and let light through."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from motiform.form.surfaces import AnimatedSurface, MatterSurface, Shell, _mix
from motiform.record.samples import Samples, by_samples
from motiform.spatial.checks import Array

__all__ = ["Cloud", "Puffs"]

_FAINT = 0.02  # optical depth through the middle below which a puff is not part of the surface in files
REACH = 3.0  # how far a puff is seen, in its widths


@dataclass(frozen=True)
class Puffs:
    """The puffs of a cloud at one instant: Gaussian densities."""

    place: Array
    """[m], (count, 3)"""
    width: Array
    """Standard deviation σ of the density along each axis [m], (count,)."""
    depth: Array
    """Optical depth along a line through the middle, (count,)."""
    color: Array
    """Red, green, blue from 0 to 1, (3,)."""

    def turned(self, rotation: Array) -> "Puffs":
        """Return them in axes to which a rotation (3, 3) leads from their own."""
        return replace(self, place=self.place @ rotation.T)


@dataclass(frozen=True)
class Cloud(AnimatedSurface):
    """Puffs that diffuse: σ² = radius² + 2 D age, at a constant amount, so that the depth falls as 1/σ².

    Pictures let light through it. The studio and files have one surface around the puffs that are not faint yet.
    """

    name: str
    points: Array | Samples
    """Places [m], (samples, count, 3); one that is nan is not there."""
    times: Array
    """Instants of the samples [s], (samples,)."""
    born: Array
    """When each begins to be seen [s], (count,); inf for never."""
    radius: float
    """Width σ of a puff at that time [m]."""
    depth: float
    """Optical depth through its middle at that time."""
    spread: float
    """Coefficient of diffusion D [m²/s]."""
    color: Array
    """Red, green, blue from 0 to 1, (3,)."""
    opacity = 0.4

    def cast(self, before: int, after: int | None = None, part: float = 0.0) -> Puffs:
        """Return the puffs at an instant."""
        places = _mix(self.points, before, after, part)
        time = float(_mix(self.times, before, after, part))
        there = np.flatnonzero(np.isfinite(places).all(axis=1) & (self.born <= time))
        grown = self.radius**2 + 2.0 * self.spread * (time - self.born[there])
        return Puffs(places[there], np.sqrt(grown), self.depth * self.radius**2 / grown, self.color)

    def shell(self, before: int, after: int | None = None, part: float = 0.0) -> Shell:
        """Return the triangles of one surface around puffs through which at least 2 % of the light is lost."""
        puffs = self.cast(before, after, part)
        seen = puffs.depth > _FAINT
        cell = self.radius
        matter = MatterSurface(self.name, puffs.place[None, seen], puffs.width[seen], 2.0, cell, self.color)
        return matter.shell(0)

    def around(self) -> Iterator[tuple[Array, float]]:
        """Give the places of puffs that are seen, with a width that they have in the middle of their time."""
        age = max(0.0, float(self.times[-1] - np.min(self.born, initial=np.inf)))
        width = math.sqrt(self.radius**2 + self.spread * age)
        for time, sample in zip(self.times, self.points, strict=True):
            places = np.asarray(sample, float)
            yield places[np.isfinite(places).all(axis=1) & (self.born <= time)], width

    def flashed(self, chosen: Array) -> "Cloud":
        """Return a cloud of one sample with the puffs of several at once, each as old as it was."""
        born = self.times[0] - (self.times[chosen][:, None] - self.born)
        born[~(self.born <= self.times[chosen][:, None])] = np.inf
        points = np.asarray(self.points[chosen], float).reshape(1, -1, 3)
        return replace(self, points=points, times=self.times[:1], born=born.reshape(-1))

    def turned(self, rotation: Array) -> "Cloud":
        """Return it with its puffs turned."""
        return replace(self, points=by_samples(lambda block: np.asarray(block, float) @ rotation.T, self.points))

    def content(self) -> tuple[Any, ...]:
        """Return places, times and settings."""
        return self.points, self.times, self.born, self.color, self.radius, self.depth, self.spread
