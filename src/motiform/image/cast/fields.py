"""Implicit surfaces made ready for the ray caster: a piece for each block that a surface can pass."""

import numpy as np

from motiform.form.implicit.blocks import Blocks
from motiform.form.implicit.columns import WIDTH
from motiform.geometry.solids.columns import SIZES
from motiform.image.cast import field_kernels as c
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
        rows = np.empty((n, c.WIDE))
        rows[:, :6], rows[:, c.LEVEL], rows[:, c.STEP] = blocks.boxes, blocks.level, blocks.step
        rows[:, c.FIRST], rows[:, c.LAST] = begun + blocks.starts[:-1], begun + blocks.starts[1:]
        rows[:, c.KIND], rows[:, c.OWNER] = blocks.kind, first
        elements = np.zeros((len(blocks.listed), c.WIDE))
        elements[:, :WIDTH] = blocks.elements[blocks.listed]
        elements[:, c.SKELETON] = blocks.skeleton[blocks.listed]
        self._blocks.append(rows)
        self._elements.append(elements)
        turn = np.eye(3) if blocks.turn is None else blocks.turn
        low, high = blocks.boxes[:, :3], blocks.boxes[:, 3:]
        middle, half = 0.5 * (low + high) @ turn.T, 0.5 * (high - low) @ np.abs(turn).T
        slack = 1e-12 * (1.0 + np.abs(middle) + half)
        return (
            np.tile(np.concatenate([turn.reshape(9), np.zeros(3)]), (n, 1)),
            np.stack([np.full(n, c.FIELD), known + np.arange(n)], axis=1).astype(np.int32),
            np.zeros((n, SIZES)),
            np.tile(linear_from_srgb(blocks.color), (n, 1)),
            np.tile([number, 0], (n, 1)),
            np.hstack([middle - half - slack, middle + half + slack]),
        )

    def joined(self) -> np.ndarray:
        """Return all rows for the kernels; one that nothing points to where there is no field."""
        if not self._blocks:
            return np.zeros((1, c.WIDE))
        found = np.concatenate([*self._blocks, *self._elements])
        count = sum(map(len, self._blocks))
        found[:count, [c.FIRST, c.LAST]] += count
        return found
