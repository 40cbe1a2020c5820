"""Contours of bone in the slices of a volume, and which of them belong to one bone.

A contour is followed from slice to slice by the ellipse that fits it best, that of the same area moments, projected on
the next slice  [Perez94].
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from motiform.base.errors import InputError
from motiform.geometry.maps import Grid
from motiform.measure.segment.thresholds import choose_thresholds
from motiform.measure.volume.volume import Labels, Volume
from motiform.spatial.checks import Array

__all__ = ["Contour", "ContourTracks", "contour_labels", "contour_of", "match_contours", "slice_contours"]


@dataclass(frozen=True, eq=False)
class Contour:
    """The outer border of a piece of bone in one slice."""

    slice: int
    """Its number along the third axis of the grid."""
    points: Array
    """Corners [m] along the first two axes of the grid, from its origin, (n, 2); the last one is not the first."""
    area: float
    """[m²]"""
    center: Array
    """[m], (2,)"""
    spread: Array
    """Second moments of the area about the centre, per area [m²], (2, 2)."""

    def covers(self, points: Array) -> np.ndarray:
        """Return whether points (n, 2) [m] are inside the ellipse of the same moments, (n,) bool."""
        off = points - self.center
        return np.asarray(np.einsum("ij,ij->i", off @ np.linalg.inv(self.spread), off) <= 4.0)

    def ellipse(self, unit: Array) -> Array:
        """Return the places of points of the unit disc (n, 2) in its ellipse [m], (n, 2)."""
        values, axes = np.linalg.eigh(self.spread)
        return np.asarray(self.center + (2.0 * np.sqrt(values) * unit) @ axes.T)


def slice_contours(volume: Volume, *, level: float | None = None, smallest: float = 2e-6) -> list[Contour]:
    """Return the outer contours of bone in every slice, at sub-voxel places where the grey value is `level`.

    The slices are those of the third axis of the grid. Contours at the border of the volume are closed along it.
    `level` is by default the low threshold of `segment_bones`; contours around less than `smallest` [m²] are left out.
    """
    from contourpy import contour_generator

    at = choose_thresholds(volume, None, None)[0] if level is None else float(level)
    found, outside = [], min(float(volume.values.min()), at - 1.0)
    for k in range(volume.grid.shape[2]):
        padded = np.pad(volume.values[:, :, k].astype(float), 1, constant_values=outside)
        lines: Any = contour_generator(z=padded).lines(at)
        for line in lines:  # of points (column, row)
            made = contour_of(k, (line[:-1, ::-1] - 1.0) * volume.grid.spacing[:2])
            if made is not None and made.area >= smallest:
                found.append(made)
    return found


def contour_of(k: int, points: Array) -> Contour | None:
    """Return a contour with the area moments of its polygon; None for holes, which go round the other way."""
    start = points.mean(axis=0) if len(points) else np.zeros(2)
    x, y = (points - start).T
    nx, ny = np.roll(x, -1), np.roll(y, -1)
    cross = x * ny - nx * y
    area = -0.5 * float(cross.sum())  # what is bright is on the left of (column, row)
    if area <= 0.0 or len(points) < 3:
        return None
    center = -np.array([((x + nx) * cross).sum(), ((y + ny) * cross).sum()]) / (6.0 * area)
    xx = -((x * x + x * nx + nx * nx) * cross).sum() / 12.0
    yy = -((y * y + y * ny + ny * ny) * cross).sum() / 12.0
    xy = -((x * ny + 2.0 * x * y + 2.0 * nx * ny + nx * y) * cross).sum() / 24.0
    spread = np.array([[xx, xy], [xy, yy]]) / area - np.outer(center, center)
    return Contour(k, points, area, start + center, spread)


class ContourTracks(NamedTuple):
    """Contours that belong together."""

    tracks: list[list[Contour]]
    """Of one bone or a part of it each, from slice to slice, longest first."""
    branches: list[tuple[Contour, list[Contour]]]
    """Contours that fit several of the slice before or after: bones touch there, or one bone parts."""


_DISC = 6  # rings of points in an ellipse


def _unit_disc() -> Array:
    """Return points that fill the unit disc evenly, (n, 2)."""
    rings = [np.zeros((1, 2))]
    for ring in range(1, _DISC):
        turn = 2.0 * np.pi * (np.arange(6 * ring) + 0.5) / (6 * ring)
        rings.append((ring + 0.25) / _DISC * np.column_stack([np.cos(turn), np.sin(turn)]))
    return np.concatenate(rings)


def match_contours(contours: Sequence[Contour], *, overlap: float = 0.5) -> ContourTracks:
    """Return which contours of neighbouring slices belong to one bone.

    Two of them do where one ellipse, projected on the other slice, lies within the other by `overlap` of its area or
    more, and neither fits a second contour of that slice. Where bones touch, contours merge and tracks end: seeds
    (`segment_bones`) must tell such bones apart.
    """
    if not 0.0 < overlap <= 1.0:
        raise InputError("overlap must be a part of the area", got=overlap, allowed="above 0, at most 1")
    disc = _unit_disc()
    by_slice: dict[int, list[Contour]] = {}
    for contour in contours:
        by_slice.setdefault(contour.slice, []).append(contour)
    fits: dict[int, dict[int, list[Contour]]] = {-1: {}, 1: {}}
    for k, here in by_slice.items():
        for one in here:
            for other in by_slice.get(k + 1, []):
                shared = max(one.covers(other.ellipse(disc)).mean(), other.covers(one.ellipse(disc)).mean())
                if shared >= overlap:
                    fits[1].setdefault(id(one), []).append(other)
                    fits[-1].setdefault(id(other), []).append(one)
    branches = [(one, many) for way in (1, -1) for one in contours if len(many := fits[way].get(id(one), [])) > 1]
    tracks: dict[int, list[Contour]] = {}
    for k in sorted(by_slice):
        for one in by_slice[k]:
            before = fits[-1].get(id(one), [])
            alone = len(before) == 1 and len(fits[1][id(before[0])]) == 1
            track = tracks.pop(id(before[0])) if alone else []
            tracks[id(one)] = [*track, one]
    return ContourTracks(sorted(tracks.values(), key=lambda track: -sum(one.area for one in track)), branches)


def contour_labels(tracks: Sequence[Sequence[Contour]], grid: Grid) -> Labels:
    """Return the voxels whose centres are inside the contours of each track as labels 1, 2, …, holes filled."""
    from matplotlib.path import Path

    values = np.zeros(grid.shape, np.int32)
    for number, track in enumerate(tracks, 1):
        for contour in track:
            corners = contour.points / grid.spacing[:2]
            first, last = np.ceil(corners.min(axis=0)).astype(int), np.floor(corners.max(axis=0)).astype(int)
            index = np.stack(np.meshgrid(*map(np.arange, first, last + 1), indexing="ij"), axis=-1).reshape(-1, 2)
            inside = index[Path(corners).contains_points(index)]
            values[inside[:, 0], inside[:, 1], contour.slice] = number
    return Labels(values, grid, {})
