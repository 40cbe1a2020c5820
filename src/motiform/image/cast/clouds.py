"""Puffs made ready for the ray caster: which of them each square of the picture may show, from front to back."""

from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.form.clouds import REACH, Puffs
from motiform.image.look import linear_from_srgb

if TYPE_CHECKING:
    from motiform.base.kernels import Device

__all__ = ["composite_cloud", "puff_tiles", "sun_squares"]

_SQUARES = 96  # along the longer side of what is shaded


def composite_cloud(
    light: Any, puffs: list[Puffs], view: np.ndarray, size: tuple[int, int], plan: Any, seen: tuple[Any, ...],
    device: "Device",
) -> None:  # fmt: skip
    """Lay puffs and their shadows over the light of pixels of a band of rows, which the plan tells, of a picture."""
    from motiform.image.cast.cloud_kernels import TILE, composite_clouds, light_puffs, shadows

    rows = np.concatenate([_rows(one) for one in puffs])
    if not len(rows):
        return
    put = device.array
    starts, members = puff_tiles(rows, view, size, TILE)
    shade = [put(one) for one in sun_squares(rows, view[4])]
    view, shown, colors = put(view), put(rows), device.empty((len(rows), 3), np.float64)
    device.launch(shadows, light.shape[0], light, view, plan, *seen, shown, *shade)
    if not len(members):
        return
    device.launch(light_puffs, len(rows), shown, view, *seen, colors)
    device.launch(composite_clouds, light.shape[0], light, view, plan, *seen, shown, colors, put(starts), put(members))


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
    right_end = np.where(front.any(axis=1), right_end, left)
    return _lists((left, right_end, top, bottom), (across, down), np.linalg.norm(to, axis=1))


def sun_squares(rows: np.ndarray, sun: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return squares across the sun's rays with the puffs that shade them, as `cloud_kernels.shadows` takes them."""
    across = np.linalg.svd(sun[None])[2][1:]  # two unit vectors across the sun's
    places, reach = rows[:, :3] @ across.T, REACH * rows[:, 3:4]
    low, high = places - reach, places + reach
    corner, extent = low.min(axis=0), (high.max(axis=0) - low.min(axis=0))
    side = float(extent.max()) / _SQUARES
    along = np.maximum(np.ceil(extent / side).astype(np.int64), 1)
    first = np.clip(((low - corner) // side).astype(np.int64), 0, along - 1)
    last = np.clip(((high - corner) // side).astype(np.int64), 0, along - 1) + 1
    spans = first[:, 0], last[:, 0], first[:, 1], last[:, 1]
    starts, members = _lists(spans, (int(along[0]), int(along[1])), np.zeros(len(rows)))
    return np.concatenate([across, [[*corner, side]]]), along, starts, members


def _lists(spans: tuple[np.ndarray, ...], size: tuple[int, int], distance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where the list of each square begins, (squares + 1,), and what lies in it, the nearest first."""
    left, right, top, bottom = spans
    columns, lines = np.maximum(right - left, 0), np.maximum(bottom - top, 0)
    each = columns * lines
    puff = np.repeat(np.arange(len(left)), each)
    number = np.arange(each.sum()) - np.repeat(np.cumsum(each) - each, each)
    square = (top[puff] + number // columns[puff]) * size[0] + left[puff] + number % columns[puff]
    order = np.lexsort((puff, distance[puff], square))
    starts = np.concatenate([[0], np.cumsum(np.bincount(square, minlength=size[0] * size[1]))])
    return starts.astype(np.int64), puff[order].astype(np.int64)
