"""A smooth surface through the contours of a bone: products of B-splines.  [Perez94 5.2.2 E1]"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from motiform.base.errors import ShapeError
from motiform.geometry.maps import Grid
from motiform.geometry.solids.mesh import Mesh
from motiform.measure.segment.contours import Contour
from motiform.spatial.checks import Array, Words

__all__ = ["spline_surface"]

_LEAST, _MOST = 3, 4096
_POLE = 0.5  # of the distance of slices: where a bone ends beyond its last contour


def spline_surface(contours: Sequence[Contour], grid: Grid, *, around: int = 64, between: int = 4) -> Mesh:
    """Return the closed surface through the contours of one bone, one in each of its slices, in the frame of the grid.

    x(u, v) = Σᵢⱼ Bᵢ(u) Bⱼ(v) cᵢⱼ, cubic B-splines, closed along u, which goes around each contour, and natural along v,
    which goes from slice to slice by the mean way of the points; the ends are points half a slice beyond the last
    contours, at their centres. It passes through `around` points of each contour, evenly spaced along it.

    Parameters
    ----------
    contours : of neighbouring slices in any order, such as a track of `match_contours`; at least three.
    around : points of each contour.
    between : steps from slice to slice, and from point to point of the contours, in which the surface is drawn.
    """
    track = _ordered(contours)
    for name, given in (("around", around), ("between", between)):
        if isinstance(given, bool) or not isinstance(given, int | np.integer) or not _LEAST - 2 <= given <= _MOST:
            raise ShapeError(f"{name} must be a whole number", where="spline_surface", got=given, allowed="1 or more")
    if around < 4:
        raise ShapeError("a contour must have four points", where="spline_surface", got=around, allowed="4 or more")
    rings = [_resampled(track[0].points, around)]
    for contour in track[1:]:
        rings.append(_turned(_resampled(contour.points, around), rings[-1]))
    step = float(grid.spacing[2])
    heights = np.array([contour.slice for contour in track]) * step
    net = np.concatenate([np.stack(rings), np.broadcast_to(heights[:, None, None], (len(rings), around, 1))], axis=2)
    ends = [np.append(c.center, h + side * _POLE * step) for c, h, side in
            ((track[0], heights[0], -1.0), (track[-1], heights[-1], 1.0))]  # fmt: skip
    net = np.concatenate([np.tile(ends[0], (1, around, 1)), net, np.tile(ends[1], (1, around, 1))])
    vertices, faces = _drawn(net, between)
    return Mesh(grid.origin + vertices @ grid.axes.T, faces)


def _ordered(contours: Sequence[Contour]) -> list[Contour]:
    """Return the contours by their slices, one in each."""
    track = sorted(contours, key=lambda contour: contour.slice)
    slices = [contour.slice for contour in track]
    if len(track) < _LEAST or slices != list(range(slices[0], slices[0] + len(slices))):
        raise ShapeError(
            "a surface must have one contour in each of three or more slices without a gap", where="spline_surface",
            got=Words(f"slices {slices[:12]}{' …' if len(slices) > 12 else ''}"),
            remedy="Take a track of match_contours, or infer the slices that are missing.",
        )  # fmt: skip
    return track


def _resampled(points: Array, count: int) -> Array:
    """Return points evenly spaced along a closed line, (count, 2)."""
    closed = np.concatenate([points, points[:1]])
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))])
    at = np.arange(count) / count * way[-1]
    return np.stack([np.interp(at, way, closed[:, k]) for k in range(2)], axis=1)


def _turned(ring: Array, before: Array) -> Array:
    """Return the points of a ring from that one on with which they are nearest to those of the ring before."""
    one, other = (np.fft.fft(points - points.mean(axis=0), axis=0) for points in (ring, before))
    alike = np.fft.ifft((one * other.conj()).sum(axis=1)).real  # Σ ring(i + s) · before(i)
    return np.roll(ring, -int(alike.argmax()), axis=0)


def _drawn(net: Array, between: int) -> tuple[Array, Array]:
    """Return vertices and faces of the spline surface through a net (rows, around, 3) whose end rows are points."""
    from scipy.interpolate import make_interp_spline

    around = net.shape[1]
    way = np.linalg.norm(np.diff(net, axis=0), axis=2).mean(axis=1)
    v = np.concatenate([[0.0], np.cumsum(way)])
    along = make_interp_spline(v, net, k=3, axis=0, bc_type="natural")
    fine = np.concatenate([np.linspace(a, b, between, endpoint=False) for a, b in pairwise(v)])
    drawn = along(np.append(fine, v[-1]))
    u = np.arange(around + 1)
    closed = make_interp_spline(u, np.concatenate([drawn, drawn[:, :1]], axis=1), k=3, axis=1, bc_type="periodic")
    drawn = closed(np.arange(around * between) / between)
    inner, n = drawn[1:-1], around * between
    index = 1 + np.arange(len(inner) * n).reshape(len(inner), n)
    ahead = np.roll(index, -1, axis=1)
    a, b, c, d = ahead[:-1], index[:-1], index[1:], ahead[1:]  # contours go clockwise, seen from the slices after
    sides = np.concatenate([np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)])
    top = 1 + inner.shape[0] * n
    caps = [np.stack([np.zeros(n, int), index[0], ahead[0]], -1), np.stack([np.full(n, top), ahead[-1], index[-1]], -1)]
    vertices = np.concatenate([drawn[0, :1], inner.reshape(-1, 3), drawn[-1, :1]])
    return vertices, np.concatenate([sides, *caps])
