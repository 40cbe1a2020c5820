"""Where a motion takes place: balls around its shapes, over all samples."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.base.errors import InputError
from motiform.spatial.up_axis import upright

if TYPE_CHECKING:
    from motiform.form import Form, Part, Skin

__all__ = ["form_bounds", "lowest_height", "motion_balls"]

_ROWS = 200_000  # bodies looked at in one go; bounds the memory of long recordings


def _blocks(part: "Part") -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Give the finite positions (n, 3), orientations (n, 4) and sizes (n,) of all bodies at all samples, by blocks."""
    step = max(1, _ROWS // max(1, part.position.shape[1]))
    for i in range(0, part.position.shape[0], step):
        position = np.asarray(part.position[i : i + step], dtype=float).reshape(-1, 3)
        orientation = np.asarray(part.orientation[i : i + step], dtype=float).reshape(-1, 4)
        scale = np.tile(part.scales, len(position) // max(1, part.count))
        sound = np.isfinite(position).all(1) & np.isfinite(orientation).all(1) & orientation.any(1) & (scale > 0)
        if sound.any():
            yield position[sound], orientation[sound], scale[sound]


def _soft(form: "Form") -> Iterator[tuple[np.ndarray, float]]:
    """Give (places (n, 3), radius) [m] of all ends of links and vertices of skins, a block at a time."""
    drawn = [_vertices(skin) for skin in form.skins]
    for links in form.links:
        thick = float(links.radius.max())
        drawn += [(points, np.unique(links.pairs[:, k]), thick) for k, points in enumerate((links.first, links.second))]
    for points, used, radius in drawn:
        step = max(1, _ROWS // max(len(used), points.shape[1]))
        for i in range(0, len(points), step):
            place = np.asarray(points[i : i + step][:, used], float).reshape(-1, 3)
            sound = np.isfinite(place).all(1)
            if sound.any():
                yield place[sound], radius
    for surface in form.surfaces:
        yield from ((places, radius) for places, radius in surface.around() if len(places))


def _vertices(skin: "Skin") -> tuple[Any, np.ndarray, float]:
    """Return the vertices of a skin, those that count, and a radius of 0."""
    from motiform.form.rig import Posed

    if isinstance(skin.vertices, Posed):
        few = skin.vertices.outline()
        return few, np.arange(few.shape[1]), 0.0
    return skin.vertices, np.unique(skin.faces), 0.0


def _centers(part: "Part", center: np.ndarray, position: np.ndarray, orientation: np.ndarray) -> np.ndarray:
    """Return where a point of the shape is in the world [m], (n, 3)."""
    from motiform.spatial import rotate

    center = center + np.asarray(part.offset, dtype=float)
    return position + rotate(orientation, center) if center.any() else position


def _movers(form: "Form") -> "tuple[Part, ...]":
    """Return the parts that move; where nothing does, all: floors and stairs reach farther than what happens on them.

    Points of measurements count where there is nothing else: a ghost may be anywhere.
    """
    moving = tuple(part for part in form.parts if not part.fixed)
    seen = tuple(part for part in moving if not part.ghost)
    return seen if seen or form.links or form.skins or form.surfaces else moving or form.parts


def motion_balls(form: "Form") -> Iterator[tuple[np.ndarray, float]]:
    """Give (centres (n, 3), radius) [m] of balls around all bodies at all samples, a block at a time."""
    for part in _movers(form):
        center, radius = part.shape.ball_around()
        for position, orientation, _ in _blocks(part):
            yield _centers(part, center, position, orientation), radius
    yield from _soft(form)


def lowest_height(form: "Form") -> float:
    """Return the least height [m], along up, that any body reaches at any sample, or 0 if none goes below 0."""
    from motiform.spatial import rotation_from_quaternion

    lowest, above = 0.0, np.array(form.up)
    for part in _movers(form):
        center, radius = part.shape.ball_around()
        for position, orientation, scale in _blocks(part):
            low = _centers(part, center, position, orientation) @ above - radius < lowest
            if low.any():  # the balls may; ask the shapes themselves
                up = above @ rotation_from_quaternion(orientation[low])
                height = position[low] @ above + up @ np.asarray(part.offset, dtype=float)
                lowest = min(lowest, float((height - scale[low] * part.shape.reach(-up)).min()))
    for place, radius in _soft(form):
        lowest = min(lowest, float((place @ above).min()) - radius)
    return lowest


def form_bounds(form: "Form") -> np.ndarray:
    """Return the lower and upper corner of all that the motion passes through [m], (2, 3), in axes with y up."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    axes = upright(form.up)
    for places, radius in motion_balls(form):
        centers = places @ axes.T
        low, high = np.minimum(low, centers.min(0) - radius), np.maximum(high, centers.max(0) + radius)
    if not np.isfinite(low).all():
        parts = sum(map(len, (form.parts, form.links, form.skins, form.surfaces)))
        raise InputError(
            "the form has no body at a finite place",
            where=form.title or None,
            got=f"{parts} parts, {len(form.times)} samples",
            remedy="Look at the positions: an empty scene, or a run that diverged from its first sample on.",
        )
    return np.stack([low, high])
