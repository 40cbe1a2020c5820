"""Masses at sub-rates: gravity and drag at their own steps."""

from typing import Any

import numpy as np

from motiform.motion.matter.engine.layouts import Idle
from motiform.motion.matter.model.network import Network

__all__ = ["SlowMasses", "idle_masses", "slow_masses"]

_FEW = 8192  # masses below which one core is faster than two


class SlowMasses:
    """Masses at a sub-rate: gravity and drag work every so many steps, so much stronger, and not in between.

    All masses have gravity once in a step that they take: what sleeps takes none in between.
    """

    def __init__(self, device: Any, network: Network, mine: np.ndarray, every: int, asleep: bool, pad: int) -> None:
        self._device, self._network, self._every, self._asleep = device, network, every, asleep
        self._count, self._where = len(mine), device.array(mine + pad)
        self._mass, self._drag = device.array(network.mass[mine]), device.array(network._joined("drag")[mine])
        self._gravity = device.array(np.array(network.gravity))

    def works(self, sample: int) -> bool:
        """Return whether there is something to add in the step from a sample on."""
        return not self._asleep or sample % self._every == 0

    @property
    def idle(self) -> Idle:
        """The masses; none where they sleep."""
        count = 0 if self._asleep else self._count
        return Idle(self._where[:count], self._mass[:count], self._drag[:count], self._gravity)

    def act(self, sample: int, x: Any, before: Any, forces: Any) -> None:
        """Add what the step of all masses lacks, or has too much."""
        from motiform.motion.matter.engine.mass_kernels import slow_forces

        frequency = self._network.frequency
        gain = float(self._every) if sample % self._every == 0 else 0.0
        wind = self._device.array(self._network.wind.at(sample, frequency, 1)[0])
        self._device.launch(
            slow_forces, self._count, self._where, x, before, self._mass, self._drag, self._gravity, wind, gain,
            frequency, forces, least=_FEW,
        )  # fmt: skip


def slow_masses(device: Any, network: Network, sleeps: np.ndarray, pad: int) -> list[SlowMasses]:
    """Return the masses at sub-rates, those that sleep between their turns apart from those that do not."""
    every = np.repeat([g.every for g in network.groups], [g.count for g in network.groups])
    found = []
    for k in sorted({g.every for g in network.groups} - {1}):
        for asleep in (False, True):
            mine = np.flatnonzero((every == k) & network.movable & ((sleeps > 1) == asleep))
            if len(mine):
                found.append(SlowMasses(device, network, mine, k, asleep, pad))
    return found


def idle_masses(slow: list[SlowMasses]) -> Idle:
    """Return all those that take every step, on a CPU."""
    if not slow:
        none = np.zeros(0)
        return Idle(np.zeros(0, np.int64), none, none, np.zeros(3))
    parts = [one.idle for one in slow]
    where, mass, drag = (np.concatenate([getattr(part, key) for part in parts]) for key in ("where", "mass", "drag"))
    return Idle(where, mass, drag, parts[0].gravity)
