"""Blocks of space that an implicit surface can pass, with the elements that reach each: what rays march through."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.form.implicit.field import MOST, Implicit, reached_cells
from motiform.spatial.checks import Array

__all__ = ["Blocks", "surface_blocks"]

_SIDE = 4  # cells along an edge of a block
_MARGIN = 1  # cells around a block that are looked at too: a tip may reach into it between nodes


@dataclass(frozen=True, eq=False)
class Blocks:
    """What a ray needs to meet a surface: boxes, and for each the elements of the field in it."""

    boxes: Array
    """Lowest and highest corner [m], (blocks, 6)."""
    starts: Any
    """Where the elements of each begin in `listed`, (blocks + 1,)."""
    listed: Any
    """Numbers of elements, by skeleton in each block."""
    elements: Array
    skeleton: Any
    kind: int
    level: float
    step: float
    """Distance of samples along a ray [m]."""
    color: Array
    """Red, green, blue from 0 to 1, (3,)."""
    turn: Array | None = None
    """Rotation from the axes of all these to those of the picture, (3, 3)."""

    def turned(self, rotation: Array) -> "Blocks":
        """Return it in axes to which a rotation (3, 3) leads from its own."""
        return replace(self, turn=rotation if self.turn is None else rotation @ self.turn)


def surface_blocks(field: Implicit, spacing: float, color: Array) -> Blocks:
    """Return the blocks of 4 cells of an edge of `spacing` [m] that the surface of a field can pass.

    A block is left out where its nodes and those of one cell around it lie on one side of the surface.
    """
    if field.neighbours is not None:
        remedy = "Draw its mesh (to_mesh)."
        raise InputError("a field for rays must blend throughout", where="surface_blocks", remedy=remedy)
    elements, skeleton = field._packed[:2]
    order = np.argsort(field.skeleton, kind="stable")
    low, high = (corner[order] for corner in field._boxes)
    origin, side = low.min(axis=0), _SIDE * spacing
    if (high.max(axis=0) - origin).max() / side > MOST - 2:
        raise InputError("the surface holds too many blocks", where="surface_blocks", got=spacing)
    keys, starts, listed = reached_cells(low, high, origin, side)
    index = np.stack([keys // MOST**2, keys // MOST % MOST, keys % MOST], axis=1)
    passed = _passed(field, origin, spacing, index)
    length = np.diff(starts)
    kept = np.concatenate([np.zeros(1, np.int64), np.cumsum(length[passed])])
    corner = origin + side * index[passed]
    boxes = np.hstack([corner, corner + side])
    own = listed[np.repeat(passed, length)]
    step = 0.5 * spacing
    return Blocks(boxes, kept, own, elements, skeleton, field._kind, field.level, step, np.asarray(color, float))


def _passed(field: Implicit, origin: Array, spacing: float, index: Any) -> Any:
    """Return whether the surface can pass each block, (blocks,)."""
    ticks = np.arange(-_MARGIN, _SIDE + _MARGIN + 1)
    local = np.stack(np.meshgrid(ticks, ticks, ticks, indexing="ij"), axis=-1).reshape(-1, 3)
    found = np.zeros(len(index), bool)
    some = max(1, (1 << 21) // len(local))
    for n in range(0, len(index), some):
        nodes = (_SIDE * index[n : n + some])[:, None] + local
        inside = (field.values(origin + spacing * nodes.reshape(-1, 3)) >= field.level).reshape(len(nodes), -1)
        found[n : n + some] = inside.any(axis=1) & ~inside.all(axis=1)
    return found
