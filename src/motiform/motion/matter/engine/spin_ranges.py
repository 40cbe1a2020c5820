"""Links by range between balls that rotate."""

from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.motion.matter.engine.columns import STICKING
from motiform.motion.matter.engine.ranges import ZoneRange, columns, fill
from motiform.motion.matter.model.network import Network, Reach

if TYPE_CHECKING:
    from motiform.base.kernels import Device
    from motiform.motion.matter.engine.spins import Spins

__all__ = ["SpinRange"]

_FEW = 2048  # balls below which one core is faster than two
_OVERLAP = 4  # times the balls that sums of chunks may be, before pairs write theirs one by one


class SpinRange(ZoneRange):
    """Pairs of balls that rotate: friction at their surfaces, rolling and torsional resistance.

    On a CPU chunks of balls, as they are sorted, add up what their pairs do; on a GPU, and where the pairs of a chunk
    reach too far ahead, every pair is written down and the balls gather theirs.
    """

    def __init__(self, device: "Device", network: Network, reach: Reach, pad: int, width: int, spins: "Spins") -> None:
        super().__init__(device, network, reach, pad, width)
        rub, self.spins, self.alone = reach.friction, spins, False
        assert rub is not None
        self.layout = columns
        self.rubs = STICKING  # by a spring of no stiffness where friction does not hold
        self.rub = device.array(np.array([rub.limit, rub.stiffness, rub.damping, rub.rolling, rub.torsion]))
        self.resists, self.rows = rub.resists, (1, 6, 7 if rub.resists else 3)
        self._balls = columns(device, 10, self.size)
        self._differ = rub.resists or bool(np.ptp(network.radius[reach.points]))
        self._chunks: Any = None
        self._bounds = _chunk_bounds(self.size)

    def _copy(self, x: Any, before: Any) -> bool:
        from motiform.motion.matter.engine.spin_kernels import line_up_balls

        self.mark += 1
        self.device.launch(
            line_up_balls, self.elements, self.width, self.order, x, before, self.spins.rates, self.radius,
            self.listed, 0.5 * self.skin, self.mark, self.moved, self._balls, least=self.least,
        )  # fmt: skip
        return bool(self.device.host(self.moved)[0] == self.mark)

    def write_pairs(self) -> bool:
        """Lay out the sums of chunks, and return whether there are none."""
        self._chunks = self._lay_chunks() if self.device.name == "cpu" else None
        return self._chunks is None

    def _lay_chunks(self) -> tuple[Any, ...] | None:
        """Return bounds, ends, first sums and room of the chunks of balls, or None where their sums overlap too far."""
        from motiform.motion.matter.engine.spin_block_kernels import DESK, NOTES, find_reaches

        bounds, tops = self._bounds, np.empty(len(self._bounds) - 1, np.int64)
        self.device.launch(find_reaches, len(tops), bounds, self.firsts, self.others, tops)
        bases = np.concatenate([[0], np.cumsum(6 * (tops - bounds[:-1]))])
        if bases[-1] > 6 * _OVERLAP * self.size:
            return None
        return (
            bounds,
            tops,
            bases,
            np.empty(len(tops) * DESK),
            np.empty(len(tops) * NOTES, np.int64),
            np.empty(bases[-1]),
        )

    def add_forces(self, forces: Any, torques: Any) -> None:
        """Work out the pairs and add them up, chunk by chunk or one by one."""
        if self._chunks is None:
            self._add_pairs(forces, torques)
        else:
            self._add_chunks(forces, torques)

    def _add_chunks(self, forces: Any, torques: Any) -> None:
        from motiform.motion.matter.engine.spin_block_kernels import add_sums, rub_chunks

        bounds, tops, bases, desk, notes, sums = self._chunks
        self.device.launch(
            rub_chunks, len(tops), bounds, tops, bases, self.firsts, self.ends, self.others, self.order, self._balls,
            self.table, self.rate, self.farthest, self.rub, self._differ, self.memory, desk, notes, sums,
            self.spins.lost, least=2 if self.size >= _FEW else 1 + len(tops),
        )  # fmt: skip
        self.device.launch(
            add_sums, self.elements, self.width, self.order, bounds, tops, bases, sums, forces, torques,
            least=self.least,
        )  # fmt: skip

    def _add_pairs(self, forces: Any, torques: Any) -> None:
        """Work out the pairs from their first ends, then let every ball gather what is for it as their second."""
        from motiform.motion.matter.engine import spin_kernels

        launch, spins = self.device.launch, self.spins
        launch(
            spin_kernels.rolling_pairs if self.resists else spin_kernels.spinning_pairs, self.elements, self.width,
            self.order, self.firsts, self.others, self._balls, self.table, self.rate, self.farthest, self.rub,
            self.memory, self.pulls, forces, torques, spins.lost, least=self.least // 4,
        )  # fmt: skip
        gathered = (self.order, self.found, self.firsts, self.backs, self.offsets, self.stride, self.pulls)
        launch(spin_kernels.gather_spins, self.elements, self.width, *gathered, forces, torques, least=self.least)

    def _laid(self, memory: np.ndarray) -> Any:
        laid = columns(self.device, *memory.shape)
        fill(laid, memory)
        return laid


def _chunk_bounds(size: int) -> np.ndarray:
    """Return where chunks of balls begin, and the end.

    Balls are sorted in layers of n^(2/3) and touch those of the next layer: a chunk of twice as many overlaps by half.
    """
    count = max(1, 4 * int(np.cbrt(size) / 8))
    return np.arange(count + 1) * size // count
