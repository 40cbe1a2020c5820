"""Masses at a sub-rate that are worked out at their turn alone.

Between its turns a mass at a sub-rate that nothing else pulls coasts: it moves on evenly. So at a turn at sample n the
step to n + 1 is taken and the mass is put where it will be at its next turn, n + k, and at the sample before that:
x₀ + k δ and x₀ + (k − 1) δ with δ the move of the step. In between nobody reads it but an observer, for whom it lies on
the line between the two. Steps that take turns exchange the arrays of positions, so that which of the two is put where
depends on whether k is even.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.motion.matter.model.network import Network

if TYPE_CHECKING:
    from motiform.base.kernels import Device

__all__ = ["Sleepers", "sleeping_masses"]


def sleeping_masses(network: Network) -> np.ndarray:
    """Return after how many steps each point is worked out again, (points,): 1 for all that may not sleep.

    A mass sleeps where all that pulls it, links and pushes, works at its own turns alone.
    """
    every = np.repeat([g.every for g in network.groups], [g.count for g in network.groups])
    every[~network.movable | (network.inertia > 0)] = 1
    for bundle in network.bundles:
        ends = bundle.pairs.ravel()
        every[ends[bundle.every % every[ends] != 0]] = 1
    for pushed in network.inputs:
        every[pushed.points[pushed.every % every[pushed.points] != 0]] = 1
    for points in [reach.points for reach in network.reaches] + [solid.points for solid in network.solids]:
        every[points] = 1
    for piston in network.pistons:
        every[piston.pairs.ravel()] = 1
    return every


class Sleepers:
    """The masses of a network that sleep, and which runs of masses are awake in a step."""

    def __init__(self, device: "Device", every: np.ndarray, pad: int, width: int) -> None:
        self.device, self.every, self.pad = device, every, pad
        self.turns = sorted({int(k) for k in every} - {1})
        cuts = np.flatnonzero(np.diff(every)) + 1
        self._runs: list[tuple[int, int, int]] = []
        """First mass, end (with the pad) and sub-rate of runs of masses."""
        for low, high in zip([0, *cuts], [*cuts, len(every)], strict=True):
            for first in range(low, high, width):
                self._runs.append((pad + first, pad + min(first + width, high), int(every[low])))
        self._awake: dict[tuple[int, ...], Any] = {}

    def awake(self, sample: int) -> tuple[Any, tuple[Any, int] | None]:
        """Return the runs that take the step from a sample on, and those of them that then sleep, (runs, 3)."""
        now = tuple(k for k in self.turns if sample % k == 0)
        if now not in self._awake:
            rows = [run for run in self._runs if run[2] == 1 or run[2] in now]
            slow = [run for run in rows if run[2] > 1]
            put = self.device.array
            runs = put(np.array(rows or [(0, 0, 1)], np.int64))
            self._awake[now] = runs, (put(np.array(slow, np.int64)), len(slow)) if slow else None
        return self._awake[now]

    def advance_to_wake(self, sample: int, x: np.ndarray, before: np.ndarray) -> None:
        """Put sleepers, in arrays [axis, mass] of a sample between their turns, to where they will wake up."""
        for where, left, odd in self._between(sample):
            move = x[:, where] - before[:, where]
            last, far = x[:, where] + (left - 1) * move, x[:, where] + left * move
            x[:, where], before[:, where] = (last, far) if odd else (far, last)

    def restore_sleepers(self, sample: int, x: np.ndarray, before: np.ndarray) -> None:
        """Put sleepers, in arrays [axis, mass] of a sample, to where they are on their way."""
        for where, left, odd in self._between(sample):
            last, far = (x[:, where], before[:, where]) if odd else (before[:, where], x[:, where])
            move = far - last
            x[:, where], before[:, where] = far - left * move, far - (left + 1) * move

    def write_positions(
        self, sample: int, total: int, steps: int, since: int, points: np.ndarray, x: Any, before: Any, found: Any
    ) -> None:
        """Write where sleepers among some points were at the samples of steps from a sample on, (samples, points, 3).

        x and before are those after so many steps, `since` the steps from the last sample to the first of them.
        """
        at = np.arange(steps - since, total + 1, steps)
        for k in self.turns:
            mine = np.flatnonzero(self.every[points] == k)
            if len(mine):
                where, left = self.pad + points[mine], -(sample + at) % k
                odd = -(sample + total) % k % 2 == 1
                last, far = (x[:, where], before[:, where]) if odd else (before[:, where], x[:, where])
                found[((at + since) // steps - 1)[:, None], mine] = far.T - left[:, None, None] * (far - last).T

    def _between(self, sample: int) -> Any:
        """Yield sleepers between their turns, the steps that are left to the next, and whether these are odd."""
        for k in self.turns:
            if sample % k:
                left = k - sample % k
                yield self.pad + np.flatnonzero(self.every == k), left, left % 2 == 1
