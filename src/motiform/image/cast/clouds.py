"""Puffs made ready for the ray caster: which of them each square of the picture may show, from front to back."""

from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.form.clouds import REACH, Puffs
from motiform.image.look import linear_from_srgb

if TYPE_CHECKING:
    from motiform.base.kernels import Device

__all__ = ["lay_veil", "puff_tiles"]


def lay_veil(
    light: Any, puffs: list[Puffs], view: np.ndarray, size: tuple[int, int], plan: Any, seen: tuple[Any, ...],
    device: "Device",
) -> None:  # fmt: skip
    """Lay puffs over the light that pixels of a band of rows, which the plan tells, of a picture receive."""
    from motiform.image.cast.cloud_kernels import TILE, light_puffs, veil

    rows = np.concatenate([_rows(one) for one in puffs])
    starts, members = puff_tiles(rows, view, size, TILE)
    if not len(members):
        return
    put = device.array
    view, shown, colors = put(view), put(rows), device.empty((len(rows), 3), np.float64)
    device.launch(light_puffs, len(rows), shown, view, *seen, colors)
    device.launch(veil, light.shape[0], light, view, plan, *seen, shown, colors, put(starts), put(members))


def _rows(puffs: Puffs) -> np.ndarray:
    """Return place, width, depth and linear color of each puff, (count, 8)."""
    color = np.broadcast_to(linear_from_srgb(puffs.color), (len(puffs.place), 3))
    return np.hstack([puffs.place, puffs.width[:, None], puffs.depth[:, None], color])


def puff_tiles(rows: np.ndarray, view: np.ndarray, size: tuple[int, int], tile: int) -> tuple[np.ndarray, np.ndarray]:
    """Return where the list of each square begins, (squares + 1,), and the puffs in it, the nearest first.

    A puff is listed wherever the cube around what is seen of it may be shown; one that the eye is in, everywhere.
    """
    width, height = size
    across, down = -(-width // tile), -(-height // tile)
    to = rows[:, :3] - view[0]
    corners = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T * REACH
    around = to[:, None] + corners * rows[:, 3, None, None]
    right, up, ahead = np.moveaxis(around @ np.linalg.inv(view[[2, 3, 1]]), -1, 0)  # of x right + y up + forward
    front = ahead > 0.0
    safe = np.where(front, ahead, 1.0)
    whole = ~front.all(axis=1)
    spans = []
    for part, most, count in ((right / safe, width, across), (up / safe, height, down)):
        low = np.where(whole, 0, np.clip(part.min(axis=1), 0, most) // tile).astype(np.int64)
        high = np.where(whole, count, np.clip(part.max(axis=1), -1, most - 1) // tile + 1).astype(np.int64)
        spans += [low, high]
    left, right_end, top, bottom = spans
    left_out = ~front.any(axis=1) | (right_end <= left) | (bottom <= top)
    columns, lines = np.where(left_out, 0, right_end - left), np.where(left_out, 0, bottom - top)
    each = columns * lines
    puff = np.repeat(np.arange(len(rows)), each)
    number = np.arange(each.sum()) - np.repeat(np.cumsum(each) - each, each)
    square = (
        (top[puff] + number // np.maximum(columns[puff], 1)) * across
        + left[puff]
        + number % np.maximum(columns[puff], 1)
    )
    distance = np.linalg.norm(to, axis=1)[puff]
    order = np.lexsort((puff, distance, square))
    starts = np.concatenate([[0], np.cumsum(np.bincount(square, minlength=across * down))])
    return starts.astype(np.int64), puff[order].astype(np.int64)
