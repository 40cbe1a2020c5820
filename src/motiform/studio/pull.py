"""Where a hand is at each step of a live run: it follows what it is pulled to, and all that it did is kept."""

import numpy as np

from motiform.motion.matter.model.network import Signal

__all__ = ["Pull", "PullSignal"]

LAG = 0.025  # [s] the hand follows where it is pulled to in about twice this: a mouse jumps, a hand does not


class Pull:
    """A hand behind its target by two low passes in a row, from rest.

    With q = exp(−1/(LAG rate)), a target T and m the state of the first: m − T falls by q a step, and
    x_n − T = qⁿ (x_0 − T + n (1 − q) (m_0 − T)).
    """

    def __init__(self, start: np.ndarray, rate: float) -> None:
        self.rate, self.count = rate, 1
        self.target, self.middle = start[0].copy(), start[0].copy()
        self._kept = np.repeat(start, 1024, axis=0)
        self._stays = np.exp(-1.0 / (LAG * rate))

    @property
    def kept(self) -> np.ndarray:
        """Where it was from the start on [m], (steps, 3)."""
        return self._kept[: self.count]

    def until(self, count: int) -> np.ndarray:
        """Return where it is at the first so many steps; those that are new lead to the target as it is now."""
        new = count - self.count
        if new > 0:
            if count > len(self._kept):
                self._kept = np.concatenate([self._kept, np.zeros((max(count, len(self._kept)), 3))])
            n = np.arange(1, new + 1)[:, None]
            falls, away = self._stays**n, self.middle - self.target
            last = self._kept[self.count - 1] - self.target
            self._kept[self.count : count] = self.target + falls * (last + n * (1 - self._stays) * away)
            self.middle = self.target + falls[-1] * away
            self.count = count
        return self._kept[:count]

    def __call__(self, t: float) -> np.ndarray:
        """Return where it is at a time [s], (1, 3)."""
        n = round(t * self.rate)
        return self.until(n + 1)[n : n + 1].copy()


class PullSignal(Signal):
    """The motion of a pulled hand: many steps at once."""

    values: Pull

    def over(self, first: int, steps: int, rate: float, count: int, *, spread: bool = True) -> np.ndarray:
        """Return where it is from step `first` on, (steps, 1, 3)."""
        return self.values.until(first + steps)[first:, None].copy()
