"""Cubic splines whose control points move, and tubes and laths along them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from motiform.base.errors import InputError
from motiform.spatial.checks import Array

__all__ = ["SPLINES", "Sweep", "spline_weights"]

#: Weights of four control points in a span, by kind: rows of 1, t, t², t³ (4, 4); the span is between the middle two.
SPLINES: dict[str, Array] = {
    "b-spline": np.array([[1, 4, 1, 0], [-3, 0, 3, 0], [3, -6, 3, 0], [-1, 3, -3, 1]]) / 6.0,  # [Boor78]
    "catmull-rom": np.array([[0, 2, 0, 0], [-1, 0, 1, 0], [2, -5, 4, -1], [-1, 3, -3, 1]]) / 2.0,  # [CatmullRom74]
}
_STILL = 1e-9  # of the way between control points: slopes below it have no direction
_CAP = np.deg2rad([22.5, 45.0, 67.5])  # rings of a round end


def spline_weights(count: int, *, closed: bool = False, kind: str = "b-spline", parts: int = 8) -> tuple[Array, Array]:
    """Return the weights of control points at places along a uniform cubic spline, and of its slope, (places, count).

    Curve and slope are ``weights @ points``; each row of the first has the sum 1, of the second 0.

    Parameters
    ----------
    count : control points, two at least, of a closed spline three.
    closed : whether the last is followed by the first. An open spline begins and ends at its end points, where it does
        not bend: beyond them there is a point as far as the next one is within.
    kind : "b-spline", which stays within the convex hull of its control points, or "catmull-rom", which passes them.
    parts : places in each span between two control points.
    """
    if kind not in SPLINES:
        raise InputError("the kind of a spline must be known", got=kind, allowed=", ".join(SPLINES))
    least = 3 if closed else 2
    if count < least:
        raise InputError("a spline must have points enough", got=count, allowed=f"{least} or more")
    if parts < 1:
        raise InputError("a span must have one part or more", got=parts)
    spans = count if closed else count - 1
    t = np.arange(parts) / parts
    powers = np.stack([np.ones_like(t), t, t * t, t**3], axis=1)
    slopes = np.stack([np.zeros_like(t), np.ones_like(t), 2.0 * t, 3.0 * t * t], axis=1)
    points = np.eye(count)
    if not closed:  # the points beyond the ends
        points = np.concatenate([2.0 * points[:1] - points[1:2], points, 2.0 * points[-1:] - points[-2:-1]])
    found = []
    for rows, end in ((powers, [1.0, 1.0, 1.0, 1.0]), (slopes, [0.0, 1.0, 2.0, 3.0])):
        four = (np.arange(spans)[:, None] + np.arange(-1 if closed else 0, 3 if closed else 4)) % len(points)
        weights = np.einsum("pk,kf,sfc->spc", rows, SPLINES[kind], points[four]).reshape(-1, count)
        last = [] if closed else [np.asarray(end) @ SPLINES[kind] @ points[four[-1]]]
        found.append(np.concatenate([weights, *[row[None] for row in last]]))
    return found[0], found[1]


@dataclass(frozen=True)
class Sweep:
    """The surface that a section sweeps along a spline; its triangles stay, its vertices follow control points.

    The section turns about the spline as little as it can [Wang08]; that of a closed one is turned evenly so that it
    meets itself.
    """

    curve: Array
    """Weights of control points, (places, count)."""
    slope: Array
    section: Array
    """Outline [m], counter-clockwise, (sides, 2): along `across`, and across both."""
    across: Array
    """Direction of the section's first axis at the beginning, as far as it is across the spline, (3,)."""
    closed: bool
    round_: bool
    """Whether an open end is half a ball, rather than flat."""

    @property
    def _rings(self) -> tuple[Any, Array, Array]:
        """The place of each ring, how far ahead of it the ring is [m], and its size in sections."""
        at = np.arange(len(self.curve))
        if self.closed or not self.round_:
            return at, np.zeros(len(at)), np.ones(len(at))
        radius, cap = float(np.linalg.norm(self.section, axis=1).max()), np.ones(len(_CAP), int)
        ahead = np.concatenate([-radius * np.sin(_CAP[::-1]), np.zeros(len(at)), radius * np.sin(_CAP)])
        size = np.concatenate([np.cos(_CAP[::-1]), np.ones(len(at)), np.cos(_CAP)])
        return np.concatenate([0 * cap, at, at[-1] * cap]), ahead, size

    @property
    def faces(self) -> Any:
        """Triangles, counter-clockwise seen from outside, (triangles, 3)."""
        rings, sides = len(self._rings[0]), len(self.section)
        here, there = np.arange(sides), (np.arange(sides) + 1) % sides
        first = sides * np.arange(rings if self.closed else rings - 1)[:, None]
        after = (first + sides) % (sides * rings)
        a, b, c, d = first + here, first + there, after + there, after + here
        quads = [np.stack([a, b, c], axis=-1).reshape(-1, 3), np.stack([a, c, d], axis=-1).reshape(-1, 3)]
        if not self.closed:
            low, top = np.full(sides, sides * rings), sides * (rings - 1)
            quads += [np.stack([low, there, here], axis=1), np.stack([low + 1, top + here, top + there], axis=1)]
        return np.concatenate(quads)

    def vertices(self, points: Array) -> Array:
        """Return the vertices [m], (samples, vertices, 3), for control points (samples, count, 3).

        Those of a sample in which a control point is nan are nan.
        """
        with np.errstate(invalid="ignore"):
            curve, slope = self.curve @ points, self.slope @ points
            ahead, side = self._frames(curve, slope, points)
            up = np.cross(ahead, side)
            at, way, size = self._rings
            middle = curve[:, at] + way[:, None] * ahead[:, at]
            u, v = self.section.T
            rings = size[:, None, None] * (u[:, None] * side[:, at, None] + v[:, None] * up[:, at, None])
            found = (middle[:, :, None] + rings).reshape(len(points), -1, 3)
            if self.closed:
                return np.asarray(found)
            reach = float(np.linalg.norm(self.section, axis=1).max()) if self.round_ else 0.0
            ends = np.stack([curve[:, 0] - reach * ahead[:, 0], curve[:, -1] + reach * ahead[:, -1]], axis=1)
            return np.concatenate([found, ends], axis=1)

    def _frames(self, curve: Array, slope: Array, points: Array) -> tuple[Array, Array]:
        """Return unit vectors along the spline and along the section's first axis, (samples, places, 3) each."""
        ahead = _directions(slope, points)
        side = np.empty_like(ahead)
        side[:, 0] = _across(ahead[:, 0], self.across)
        for k in range(1, curve.shape[1]):
            side[:, k] = _carried(side[:, k - 1], curve[:, k - 1 : k + 1], ahead[:, k - 1 : k + 1])
        if not self.closed:
            return ahead, side
        last = _carried(side[:, -1], curve[:, [-1, 0]], ahead[:, [-1, 0]])
        up = np.cross(ahead[:, 0], side[:, 0])
        angle = np.arctan2(np.sum(last * up, axis=1), np.sum(last * side[:, 0], axis=1))
        turn = -angle[:, None] * np.arange(curve.shape[1]) / curve.shape[1]
        return ahead, np.cos(turn)[..., None] * side + np.sin(turn)[..., None] * np.cross(ahead, side)


def _directions(slope: Array, points: Array) -> Array:
    """Return unit vectors along slopes; where there is none that of the place before, or the first that there is."""
    size = np.linalg.norm(slope, axis=2)
    scale = np.abs(points - points[:, :1]).max(axis=(1, 2))[:, None]
    sure = ~(size <= _STILL * scale)
    ahead = slope / np.where(sure, size, 1.0)[..., None]
    first = np.take_along_axis(ahead, sure.argmax(axis=1)[:, None, None], axis=1)[:, 0]
    first = np.where(sure.any(axis=1)[:, None], first, (1.0, 0.0, 0.0))
    ahead[:, 0] = np.where(sure[:, :1], ahead[:, 0], first)
    for k in range(1, ahead.shape[1]):
        ahead[:, k] = np.where(sure[:, k, None], ahead[:, k], ahead[:, k - 1])
    return np.asarray(ahead)


def _across(ahead: Array, wanted: Array) -> Array:
    """Return unit vectors across others (n, 3), as near to one that is wanted as can be; near to the next axis else."""
    chosen = np.broadcast_to(wanted, ahead.shape)
    along = np.abs(np.sum(ahead * chosen, axis=1, keepdims=True)) > 1.0 - 1e-6
    chosen = np.where(along, np.roll(wanted, 1) if np.ptp(np.abs(wanted)) else (1.0, 0.0, 0.0), chosen)
    side = chosen - np.sum(ahead * chosen, axis=1, keepdims=True) * ahead
    return np.asarray(side / np.linalg.norm(side, axis=1, keepdims=True))


def _carried(side: Array, places: Array, ahead: Array) -> Array:
    """Return vectors across a curve at the next place, by two reflections  [Wang08]."""
    way = places[:, 1] - places[:, 0]
    turned, looks = _reflected(side, way), _reflected(ahead[:, 0], way)
    found = _reflected(turned, ahead[:, 1] - looks)
    found = found - np.sum(found * ahead[:, 1], axis=1, keepdims=True) * ahead[:, 1]  # rounding, and where it stays
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True))


def _reflected(vector: Array, normal: Array) -> Array:
    """Return vectors (n, 3) reflected in planes across others; the same ones where there is none."""
    square = np.sum(normal * normal, axis=1, keepdims=True)
    share = 2.0 * np.sum(vector * normal, axis=1, keepdims=True) / np.where(square > 0.0, square, 1.0)
    return np.asarray(np.where(square > 0.0, vector - share * normal, vector))
