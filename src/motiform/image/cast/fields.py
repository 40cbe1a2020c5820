"""Implicit surfaces made ready for the ray caster: a piece for each block that a surface can pass."""

import numpy as np

from motiform.form.implicit.blocks import Blocks
from motiform.geometry.solids.columns import SIZES
from motiform.image.cast import field_kernels
from motiform.image.look import linear_from_srgb

__all__ = ["Fields"]


class Fields:
    """The blocks of all surfaces of a picture, one after the other, and their elements."""

    def __init__(self) -> None:
        self._blocks: list[np.ndarray] = []
        self._elements: list[np.ndarray] = []

    def add(self, number: int, blocks: Blocks, first: int) -> tuple[np.ndarray, ...]:
        """Add a surface; return frames, kinds, sizes, colors, bodies and boxes of its pieces, the first of a number."""
        n, known = len(blocks.boxes), sum(map(len, self._blocks))
        begun = sum(map(len, self._elements))
        rows = np.empty((n, field_kernels.WIDE))
        rows[:, :6], rows[:, field_kernels.LEVEL], rows[:, field_kernels.STEP] = blocks.boxes, blocks.level, blocks.step
        rows[:, field_kernels.FIRST], rows[:, field_kernels.LAST] = (
            begun + blocks.starts[:-1],
            begun + blocks.starts[1:],
        )
        rows[:, field_kernels.KIND], rows[:, field_kernels.OWNER] = blocks.kind, first
        elements = np.zeros((len(blocks.listed), max(field_kernels.WIDE, blocks.elements.shape[1])))
        elements[:, : blocks.elements.shape[1]] = blocks.elements[blocks.listed]
        elements[:, field_kernels.SKELETON] = blocks.skeleton[blocks.listed]
        self._blocks.append(rows)
        self._elements.append(elements)
        turn = np.eye(3) if blocks.turn is None else blocks.turn
        low, high = blocks.boxes[:, :3], blocks.boxes[:, 3:]
        middle, half = 0.5 * (low + high) @ turn.T, 0.5 * (high - low) @ np.abs(turn).T
        slack = 1e-12 * (1.0 + np.abs(middle) + half)
        return (
            np.tile(np.concatenate([turn.reshape(9), np.zeros(3)]), (n, 1)),
            np.stack([np.full(n, field_kernels.FIELD), known + np.arange(n)], axis=1).astype(np.int32),
            np.zeros((n, SIZES)),
            np.tile(linear_from_srgb(blocks.color), (n, 1)),
            np.tile([number, 0], (n, 1)),
            np.hstack([middle - half - slack, middle + half + slack]),
        )

    def joined(self) -> np.ndarray:
        """Return all rows for the kernels; one that nothing points to where there is no field."""
        if not self._blocks:
            return np.zeros((1, field_kernels.WIDE))
        wide = max(rows.shape[1] for rows in self._elements)
        found = np.concatenate([_padded(rows, wide) for rows in (*self._blocks, *self._elements)])
        count = sum(map(len, self._blocks))
        found[:count, [field_kernels.FIRST, field_kernels.LAST]] += count
        return found


def _padded(rows: np.ndarray, wide: int) -> np.ndarray:
    """Return rows with zeros behind them up to a width."""
    return rows if rows.shape[1] == wide else np.pad(rows, ((0, 0), (0, wide - rows.shape[1])))
