"""Sampled control laws with delay."""

import numpy as np
from numpy.typing import ArrayLike

from motiform.motion.run import check_number
from motiform.motion.tree import Control, Figure, FigureState
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.model.state import asked

__all__ = ["CommandedControl"]


class CommandedControl:
    """A control law evaluated every `period` [s]; its command applies after `delay` [s] until the next one.

    law(t, state) gives generalised forces (nv,).  [HuMAnS 6.3]
    """

    def __init__(self, figure: Figure, law: Control, period: float, delay: float = 0.0) -> None:
        self.law, self.nv = law, figure.nv
        self.period = check_number(period, "period", "commanded control", above=0.0)
        self.delay = check_number(delay, "delay", "commanded control", least=0.0)
        self.calls = 0
        self.command = np.zeros(figure.nv)
        self.waiting: list[tuple[float, Array]] = []

    def __call__(self, t: float, state: FigureState) -> Array:
        """Return the command that holds."""
        if self.calls == 0:
            self.tick(t, state)
        return self.command

    def next_tick(self, t: float) -> float:
        """Return the next instant at which the law is evaluated or a command takes effect."""
        instants = [self.calls * self.period, *(when for when, _ in self.waiting)]
        return min((when for when in instants if when > t), default=np.inf)

    def tick(self, t: float, state: FigureState) -> None:
        """Ask the law if it is time to, and let commands take hold."""
        while self.calls * self.period <= t:
            asked_for = asked(self.law, t, state, (self.nv,), "control law")
            self.waiting.append((self.calls * self.period + self.delay, asked_for))
            self.calls += 1
        while self.waiting and self.waiting[0][0] <= t:
            self.command = self.waiting.pop(0)[1]

    def keep(self) -> Array:
        """Return the data that a resumed run needs."""
        waiting = [np.concatenate([[when], command]) for when, command in self.waiting]
        return np.concatenate([[self.calls], self.command, *waiting])

    def restore(self, kept: ArrayLike) -> None:
        """Continue from a checkpoint."""
        numbers = np.asarray(kept, float)
        self.calls, self.command = int(numbers[0]), numbers[1 : 1 + self.nv].copy()
        rest = numbers[1 + self.nv :].reshape(-1, 1 + self.nv)
        self.waiting = [(float(row[0]), row[1:].copy()) for row in rest]
