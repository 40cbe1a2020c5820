"""Links by range between balls that rotate."""

from dataclasses import dataclass
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
_THIN = 0.25  # of the skin: pairs with a smaller gap are picked from the list


@dataclass
class _Chunks:
    """Chunks of balls as they are sorted, what they sum up, and the pairs that are picked from the list for them."""

    bounds: np.ndarray
    """Where chunks begin, and the end."""
    tops: np.ndarray
    """Behind which ball the pairs of each end."""
    bases: np.ndarray
    """Where the sums of each begin, and their end."""
    desk: np.ndarray
    sums: np.ndarray
    starts: np.ndarray
    """Where the picked pairs of each begin; they have room for whole blocks."""
    counts: np.ndarray
    """How many pairs of each are picked."""
    first: np.ndarray
    """First ends of the picked pairs, and below their second ends, their numbers in the list and what they hold."""
    second: np.ndarray
    which: np.ndarray
    held: np.ndarray
    seen: np.ndarray | None = None
    """Where the balls were when pairs were picked, (3, balls)."""


class SpinRange(ZoneRange):
    """Pairs of balls that rotate: friction at their surfaces, rolling and torsional resistance.

    On a CPU chunks of balls, as they are sorted, add up what their pairs do, of which they pick those that may touch
    within the next steps; on a GPU, and where the pairs of a chunk reach too far ahead, every pair is written down and
    the balls gather theirs.
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
        self._chunks: _Chunks | None = None
        self._bounds = _chunk_bounds(self.size)
        self._few = 2 if self.size >= _FEW else 1 + len(self._bounds)  # chunks below which one core takes them all

    def _copy(self, x: Any, before: Any) -> bool:
        chunks = self._chunks
        if chunks is None:
            return self._line_up(x, before, self.listed, self.skin)
        if chunks.seen is not None and not self._line_up(x, before, chunks.seen, _THIN * self.skin):
            return False
        if chunks.seen is None:
            self._line_up(x, before, self.listed, self.skin)
        moved = self._balls[:3] - self.listed
        if not (moved * moved).sum(axis=0).max() < (0.5 * (1 - _THIN) * self.skin) ** 2:
            return True
        self._pick(self._balls[:3].copy())
        return False

    def _line_up(self, x: Any, before: Any, places: Any, skin: float) -> bool:
        """Copy the balls side by side, and return whether one is farther from its place than half a skin."""
        from motiform.motion.matter.engine.spin_kernels import line_up_balls

        self.mark += 1
        self.device.launch(
            line_up_balls, self.elements, self.width, self.order, x, before, self.spins.rates, 0.5 / self.rate,
            self.radius, places, 0.5 * skin, self.mark, self.moved, self._balls, least=self.least,
        )  # fmt: skip
        return bool(self.device.host(self.moved)[0] == self.mark)

    def _pick(self, places: np.ndarray) -> None:
        """Pick the pairs that may touch before a ball is farther from its place than half the thin skin."""
        from motiform.motion.matter.engine.spin_block_kernels import pick_pairs

        self._return_memory()
        chunks = self._chunks
        assert chunks is not None
        chunks.seen = places
        self.device.launch(
            pick_pairs, len(chunks.tops), chunks.bounds, self.firsts, self.ends, self.others, places, self.radius,
            self.cutoff + _THIN * self.skin, self.memory, chunks.starts, chunks.counts, chunks.first, chunks.second,
            chunks.which, chunks.held, least=self._few,
        )  # fmt: skip

    def _return_memory(self) -> None:
        """Write what the picked pairs hold where it is kept for all that are listed."""
        from motiform.motion.matter.engine.spin_block_kernels import store_memory

        chunks = self._chunks
        if chunks is not None and chunks.seen is not None:
            self.device.launch(
                store_memory, len(chunks.tops), chunks.starts, chunks.counts, chunks.which, chunks.held, self.memory,
                least=self._few,
            )  # fmt: skip

    def write_pairs(self) -> bool:
        """Lay out the chunks, and return whether there are none."""
        self._chunks = self._split_chunks() if self.device.name == "cpu" else None
        return self._chunks is None

    def _split_chunks(self) -> _Chunks | None:
        """Return the chunks of balls, or None where their sums overlap too far."""
        from motiform.motion.matter.engine.spin_block_kernels import BLOCK, DESK, find_reaches

        bounds, empty = self._bounds, self._kept.empty
        count = len(bounds) - 1
        tops = np.empty(count, np.int64)
        self.device.launch(find_reaches, count, bounds, self.firsts, self.others, tops)
        bases = np.concatenate([[0], np.cumsum(6 * (tops - bounds[:-1]))])
        if bases[-1] > 6 * _OVERLAP * self.size:
            return None
        room = len(self.ends) + count * BLOCK
        return _Chunks(
            bounds, tops, bases, np.zeros(count * DESK), np.empty(bases[-1]),
            starts=self.firsts[bounds[:-1]] + BLOCK * np.arange(count), counts=np.zeros(count, np.int64),
            first=empty(room, np.int32), second=empty(room, np.int32), which=empty(room, np.int32),
            held=empty((self.rows[2], room)),
        )  # fmt: skip

    def add_forces(self, forces: Any, torques: Any) -> None:
        """Work out the pairs and add them up, chunk by chunk or one by one."""
        if self._chunks is None:
            self._add_pairs(forces, torques)
        else:
            self._add_chunks(self._chunks, forces, torques)

    def _add_chunks(self, chunks: _Chunks, forces: Any, torques: Any) -> None:
        from motiform.motion.matter.engine.spin_block_kernels import add_sums, friction_chunks

        sums = chunks.bounds, chunks.tops, chunks.bases
        self.device.launch(
            friction_chunks, len(chunks.tops), *sums, chunks.starts, chunks.counts, chunks.first, chunks.second,
            self.order, self._balls, self.table, self.rate, self.cutoff, self.rub, self._differ, chunks.held,
            chunks.desk, chunks.sums, self.spins.lost, least=self._few,
        )  # fmt: skip
        self.device.launch(
            add_sums, self.elements, self.width, self.order, *sums, chunks.sums, forces, torques, least=self.least
        )

    def _add_pairs(self, forces: Any, torques: Any) -> None:
        """Work out the pairs from their first ends, then let every ball gather what is for it as their second."""
        from motiform.motion.matter.engine import spin_kernels

        launch, spins = self.device.launch, self.spins
        launch(
            spin_kernels.rolling_pairs if self.resists else spin_kernels.spinning_pairs, self.elements, self.width,
            self.order, self.firsts, self.others, self._balls, self.table, self.rate, self.cutoff, self.rub,
            self.memory, self.pulls, forces, torques, spins.lost, least=self.least // 4,
        )  # fmt: skip
        gathered = (self.order, self.found, self.firsts, self.backs, self.offsets, self.stride, self.pulls)
        launch(spin_kernels.gather_spins, self.elements, self.width, *gathered, forces, torques, least=self.least)

    def remembered(self) -> Any:
        """Return the list and its pairs."""
        self._return_memory()
        return super().remembered()

    def _known(self) -> np.ndarray:
        self._return_memory()
        return super()._known()

    def checkpoint(self) -> dict[str, Any]:
        """Return what the next steps depend on."""
        found, chunks = super().checkpoint(), self._chunks
        if chunks is not None and chunks.seen is not None:
            found["seen"] = np.empty_like(chunks.seen)
            found["seen"][:, self._places()] = chunks.seen
        return found

    def restore(self, kept: dict[str, Any]) -> None:
        """Go on from a checkpoint: the same list, and the same pairs of it."""
        super().restore(kept)
        if "seen" in kept and self._chunks is not None:
            self._pick(np.ascontiguousarray(np.array(kept["seen"])[:, self._places()]))

    def _places(self) -> np.ndarray:
        """Return which member each ball is."""
        return np.searchsorted(self.reach.points, self.device.host(self.order) - self.pad)

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
