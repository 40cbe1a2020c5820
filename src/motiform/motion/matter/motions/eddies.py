"""Turbulent wind: a sum of waves without divergence, which differs from place to place and in time."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.motion.matter.motions.moves import as_vector
from motiform.motion.run import check_number

__all__ = ["Eddies"]

_SLOPE = -2 / 3  # energy in modes of evenly spaced log k: k E(k) with Kolmogorov's E ~ k^(−5/3) [Fung92]
_MOST = 1000


@dataclass(frozen=True)
class Eddies:
    """Wind [m/s] that swirls: w + Σ a cos(k·x − ω t) + b sin(k·x − ω t), with a and b across k [Kraichnan70].

    No air is gained or lost anywhere: the divergence of each wave is 0. Wave numbers go from 2π/size to `finest` times
    that, evenly in log k, in random directions; the energy falls as k^(−5/3), and eddies turn over at ω = k u_k, the
    velocity of their own size [Fung92]. The mean square of each component, over space, is speed² in the mean of all
    three. [Stam93] draws smoke in such winds. Called with a time it gives the mean wind.
    """

    speed: float
    """Root mean square of a component [m/s]."""
    size: float
    """Of the largest eddies, their wavelength [m]."""
    wind: ArrayLike = (0.0, 0.0, 0.0)
    """Mean wind w [m/s], (3,)."""
    waves: int = 32
    """How many; a step takes time in proportion."""
    finest: float = 12.0
    """Size of the largest eddies over that of the smallest, 1 or more."""
    seed: int = 0
    """Other waves for another number."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "wind", as_vector(self.wind, "Eddies.wind"))
        check_number(self.speed, "speed", "Eddies", above=0.0)
        check_number(self.size, "size", "Eddies", above=0.0)
        check_number(self.finest, "finest", "Eddies")
        if self.finest < 1.0:
            raise InputError("`finest` must be 1 or more", where="Eddies", got=self.finest)
        for key, least, most in (("waves", 1, _MOST), ("seed", 0, 2**32 - 1)):
            value = getattr(self, key)
            if int(value) != value or not least <= value <= most:
                raise InputError(
                    f"`{key}` must be a whole number", where="Eddies", got=value, allowed=f"{least} to {most}"
                )

    def __call__(self, t: float) -> np.ndarray:
        """Return the mean wind [m/s], (3,)."""
        return np.array(self.wind, float)

    @cached_property
    def table(self) -> np.ndarray:
        """Wave vector k [1/m], a, b [m/s] and ω [1/s] of each wave, (waves, 10)."""
        count, draw = int(self.waves), np.random.default_rng(int(self.seed))
        ratio = self.finest ** ((np.arange(count) + 0.5) / count)
        k = 2 * np.pi / self.size * ratio
        along = _unit(draw.standard_normal((count, 3)))
        share = ratio**_SLOPE
        energy = 3 * self.speed**2 * share / share.sum()  # |a|² = |b|² of a wave: its mean square
        a, b = (_unit(np.cross(along, draw.standard_normal((count, 3)))) for _ in range(2))
        turning = k * np.sqrt(energy)
        root = np.sqrt(energy)[:, None]
        return np.hstack([k[:, None] * along, root * a, root * b, turning[:, None]])

    def at(self, place: ArrayLike, t: float) -> np.ndarray:
        """Return the wind at places [m], (…, 3), and a time [s]."""
        k, a, b, turning = np.split(self.table, [3, 6, 9], axis=1)
        phase = np.asarray(place, float) @ k.T - t * turning[:, 0]
        return np.asarray(self.wind + np.cos(phase) @ a + np.sin(phase) @ b)


def _unit(rows: np.ndarray) -> np.ndarray:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))
