"""The lattice of the matter bench: masses on a regular grid, linked along three axes and three face diagonals.

Law of a link: −(k (d − d0) + z (d − d_prev)/Te) along the line between its ends; gravity pulls, the plane y = 0 is
fixed. All links along one offset share k, z and d0, so that a table of six materials says all.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

__all__ = ["GRAVITY", "OFFSETS", "RATE", "SHAPE", "Lattice", "Neighbours", "lattice_tolerance"]

RATE = 1050.0  # [Hz] the language's own rate
GRAVITY = (0.0, -9.81, 0.0)  # [m/s²]
SHAPE = (47, 47, 46)  # masses along x, y, z: 101 614 masses, 590 225 links
OFFSETS = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, -1, 0), (0, 1, -1), (1, 0, -1))
_SPACING = 0.05  # [m]
_NOISE = 1e-3  # [m] of the masses about their places, so that links pull from the start
_MASS = 1.0  # [kg]


class Neighbours(NamedTuple):
    """Links seen from their ends: those of mass i are start[i]:start[i + 1]."""

    start: np.ndarray
    """(masses + 1,)"""
    other: np.ndarray
    """The mass at the other end, (2·links,)."""
    link: np.ndarray
    """(2·links,)"""
    material: np.ndarray
    """(2·links,)"""


@dataclass(frozen=True)
class Lattice:
    """A lattice at rest at its start: positions now and before are the same."""

    shape: tuple[int, int, int] = SHAPE

    @property
    def step(self) -> float:
        """Te [s]."""
        return 1 / RATE

    @cached_property
    def places(self) -> np.ndarray:
        """Places on the grid [m], (masses, 3), z the fastest."""
        return np.indices(self.shape).reshape(3, -1).T * _SPACING

    @cached_property
    def x(self) -> np.ndarray:
        """Positions at the start [m], (masses, 3)."""
        noise = np.random.default_rng(0).normal(0.0, _NOISE, self.places.shape)
        return self.places + noise * (self.free[:, None] > 0)

    @cached_property
    def free(self) -> np.ndarray:
        """1 for a mass that moves, 0 for one that is fixed, (masses,)."""
        return (self.places[:, 1] > 0).astype(float)

    @property
    def mass(self) -> float:
        """[kg] of each."""
        return _MASS

    @cached_property
    def stiffness(self) -> np.ndarray:
        """k of each material [N/m], (6,)."""
        return (0.05 + 0.004 * np.arange(6)) * _MASS * RATE**2

    @cached_property
    def viscosity(self) -> np.ndarray:
        """z of each material [N s/m], (6,)."""
        return (0.01 + 0.001 * np.arange(6)) * _MASS * RATE

    @cached_property
    def rest(self) -> np.ndarray:
        """d0 of each material [m], (6,)."""
        return _SPACING * np.linalg.norm(OFFSETS, axis=1)

    @cached_property
    def links(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """First masses, second masses and materials of the links, in the order of the first masses."""
        number = np.arange(np.prod(self.shape)).reshape(self.shape)
        ends = []
        for material, offset in enumerate(OFFSETS):
            first, second = number, number
            for axis, o in enumerate(offset):
                count = self.shape[axis] - abs(o)
                first = first.take(np.arange(count) + (o < 0), axis)
                second = second.take(np.arange(count) + (o > 0), axis)
            ends.append((first.ravel(), second.ravel(), np.full(first.size, material)))
        i, j, material_of = (np.concatenate(part).astype(np.int32) for part in zip(*ends, strict=True))
        order = np.lexsort((j, i))
        return i[order], j[order], material_of[order]

    def tables(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return k [N/m], z/Te [N/m] and d0 [m] of each material."""
        return self.stiffness, self.viscosity / self.step, self.rest

    def neighbours(self) -> Neighbours:
        """Return the links as each mass sees them."""
        i, j, material = self.links
        own, other = np.concatenate([i, j]), np.concatenate([j, i])
        order = np.lexsort((other, own))
        start = np.zeros(len(self.x) + 1, np.int32)
        start[1:] = np.cumsum(np.bincount(own, minlength=len(self.x)))
        link = np.tile(np.arange(len(i), dtype=np.int32), 2)[order]
        return Neighbours(start, other[order], link, material[link])


def lattice_tolerance(x: np.ndarray, steps: int) -> float:
    """Return how far roundings may drive two ways of computing the positions apart [m].

    A step rounds 2x − x_prev + (Te²/m) f about four times by eps |x|; the scheme sums such errors twice, steps²/2.
    """
    return 2 * steps**2 * float(np.finfo(float).eps * np.abs(x).max())
