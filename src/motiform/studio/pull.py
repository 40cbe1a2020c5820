"""Where a hand is at each step of a live run: it follows what it is pulled to, and all that it did is kept."""

from pathlib import Path

import numpy as np

from motiform.motion.matter.model.network import Signal
from motiform.record import Channel, Recorder, Recording
from motiform.studio.spool import Spool

__all__ = ["Pull", "PullSignal", "record_pull"]

_ROWS = 65536  # steps that are written at once

LAG = 0.025  # [s] the hand follows where it is pulled to in about twice this: a mouse jumps, a hand does not


class Pull:
    """A hand behind its target by two low passes in a row, from rest.

    With q = exp(−1/(LAG rate)), a target T and m the state of the first: m − T falls by q a step, and
    x_n − T = qⁿ (x_0 − T + n (1 − q) (m_0 − T)).
    """

    def __init__(self, start: np.ndarray, rate: float) -> None:
        self.rate = rate
        self.target, self.middle = start[0].copy(), start[0].copy()
        self._kept = Spool(start)
        self._stays = np.exp(-1.0 / (LAG * rate))

    @property
    def kept(self) -> np.ndarray:
        """Where it was from the start on [m], (steps, 3)."""
        return self._kept.all()

    @property
    def place(self) -> np.ndarray:
        """Where it is [m], (3,)."""
        return self._kept.last

    def over(self, first: int, end: int) -> np.ndarray:
        """Return where it is from step `first` on, before `end`; steps that are new lead to the target as it is now."""
        new = end - len(self._kept)
        if new > 0:
            n = np.arange(1, new + 1)[:, None]
            falls, away = self._stays**n, self.middle - self.target
            last = self.place - self.target
            self._kept.append(self.target + falls * (last + n * (1 - self._stays) * away))
            self.middle = self.target + falls[-1] * away
        return self._kept.rows(first, end)

    def __call__(self, t: float) -> np.ndarray:
        """Return where it is at a time [s], (1, 3)."""
        n = round(t * self.rate)
        return self.over(n, n + 1)


class PullSignal(Signal):
    """The motion of a pulled hand: many steps at once."""

    values: Pull

    def over(self, first: int, steps: int, rate: float, count: int, *, spread: bool = True) -> np.ndarray:
        """Return where it is from step `first` on, (steps, 1, 3)."""
        return self.values.over(first, first + steps)[:, None]


def record_pull(
    pull: Pull, steps: int, name: str, path: str | Path | None, *, title: str, overwrite: bool
) -> Recording:
    """Return where a hand was in its first steps as a recording, in memory or on disk: NAME.position [m]."""
    places = pull.over(0, steps)[:, None]
    channel = Channel(
        f"{name}.position", unit="m", dims=("point", "axis"), shape=(1, 3), rate=pull.rate,
        description=f"where the {name} was, world axes",
    )  # fmt: skip
    with Recorder(path, [channel], manifest={"title": title}, overwrite=overwrite) as recorder:
        for first in range(0, steps, _ROWS):
            recorder.append({channel.name: places[first : first + _ROWS]})
            recorder.commit()
    return recorder.finish()
