"""A screen of a million pins, and the thousand points that engrave it."""

from dataclasses import dataclass

import numpy as np

__all__ = ["Pins", "screen_tolerance"]


@dataclass(frozen=True)
class Pins:
    """A square screen with fixed edges in units of a pin's mass, its spacing and the step."""

    size: int = 1000
    """Pins along each side."""
    points: int = 1000
    """That engrave it; 0: a free screen, which starts with a bump."""
    ground: tuple[float, float] = (0.02, 0.1)
    """K and Z."""
    neighbour: tuple[float, float] = (0.2, 0.05)
    """K and Z."""
    contact: tuple[float, float] = (0.2, 0.02)
    """K and Z of a point."""
    reach: float = 6.0
    height: float = -3.0
    moves: int = 256
    """Steps in which points move; then they rest."""

    def start(self) -> np.ndarray:
        """Return the heights at the start, (size, size)."""
        if self.points:
            return np.zeros((self.size, self.size))
        i = np.arange(self.size) - 0.5 * self.size
        return np.asarray(np.exp(-(np.add.outer(i**2, i**2)) / (0.1 * self.size) ** 2))

    def places(self) -> np.ndarray:
        """Return the places of points, (moves, points, 2)."""
        rng = np.random.default_rng(0)
        first = rng.uniform(0.08 * self.size, 0.92 * self.size, (self.points, 2))
        speed = rng.normal(0.0, 0.3, (self.points, 2)) * min(1.0, self.size / 1000)
        moved = np.maximum(np.arange(self.moves) - 1, 0)  # at rest in the first step: no velocity is foreseen before it
        return np.asarray(first + speed * moved[:, None, None])

    def coefficients(self) -> tuple[float, float, float, float]:
        """Return a, b, c, d of q = a w + b p + c Σw + d Σp over four neighbours."""
        (ks, zs), (kv, zv) = self.ground, self.neighbour
        return 2 - ks - zs - 4 * kv - 4 * zv, zs + 4 * zv - 1, kv + zv, -zv


def screen_tolerance(heights: np.ndarray, steps: int) -> float:
    """Return how far sums in another order may take heights: 100 roundings a step, which a damped screen keeps."""
    return float(100 * steps * np.finfo(float).eps * np.abs(heights).max())
