"""A form at one instant: triangles and points in the world, with velocities."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.image.playback import Moment, moment_at_sample, moment_at_time
from motiform.spatial import rotate

if TYPE_CHECKING:
    from motiform.form import Form, MatterSurface, Part
    from motiform.form.parts import Series

__all__ = ["PointCloud", "Triangles", "points_at", "slopes", "triangles_at"]

_DETAIL = 16  # sides of round shapes
_ROD = 8  # sides of links


@dataclass(frozen=True)
class Triangles:
    """Triangles of one part of a form at an instant."""

    name: str
    vertices: np.ndarray
    """[m], (points, 3)."""
    faces: np.ndarray
    """Counter-clockwise seen from outside, (triangles, 3)."""
    color: np.ndarray
    """Red, green, blue from 0 to 1, of each triangle, (triangles, 3)."""
    velocity: np.ndarray | None
    """[m/s], (points, 3); None where it is not known."""


@dataclass(frozen=True)
class PointCloud:
    """Points of a form at an instant."""

    place: np.ndarray
    """[m], (points, 3)."""
    velocity: np.ndarray
    """[m/s], (points, 3)."""
    radius: np.ndarray
    """[m], (points,)."""
    color: np.ndarray
    """Red, green, blue from 0 to 1, (points, 3)."""


def weights(known: np.ndarray, time: float) -> list[tuple[int, float]]:
    """Return samples and factors whose sum is the rate of change at a time.

    At a sample it is that of the parabola through it and its neighbours, exact for constant acceleration; at the ends
    of the recording and between samples that of the line.
    """
    count = len(known)
    after = int(np.searchsorted(known, time, side="right"))
    k = min(max(after - 1, 0), count - 1)
    if count == 1:
        return []
    if k in (0, count - 1) or known[k] != time:
        i = min(k, count - 2)
        step = known[i + 1] - known[i]
        return [(i, -1.0 / step), (i + 1, 1.0 / step)] if step > 0 else []
    a, b = known[k] - known[k - 1], known[k + 1] - known[k]
    if a <= 0 or b <= 0:  # an event: what follows counts
        return [(k, -1.0 / b), (k + 1, 1.0 / b)] if b > 0 else []
    return [(k - 1, -b / (a * (a + b))), (k, (b - a) / (a * b)), (k + 1, a / (b * (a + b)))]


def slopes(known: np.ndarray, points: "Series", times: np.ndarray) -> np.ndarray:
    """Return velocities (keys, points, 3) of points (samples, points, 3) at times; 0 where a neighbour is not known."""
    found = np.zeros((len(times), *points.shape[1:]))
    for key, time in enumerate(times):
        for sample, factor in weights(known, float(time)):
            found[key] += factor * np.asarray(points[sample], float)
    return np.nan_to_num(found, nan=0.0, posinf=0.0, neginf=0.0)


def triangles_at(form: "Form", time: float) -> list[Triangles]:
    """Return all that a form shows at a time [s], as triangles; what is not there is left out."""
    kept = replace(form, surfaces=())
    now = list(_rigid(kept, moment_at_time(kept, time)))
    rates = [np.zeros_like(vertices) for _, vertices, _, _ in now]
    for sample, factor in weights(np.asarray(form.times, float), time):
        for rate, (_, vertices, _, _) in zip(rates, _rigid(kept, moment_at_sample(kept, sample)), strict=True):
            rate += factor * vertices
    found = [_finite(*one, np.nan_to_num(rate)) for one, rate in zip(now, rates, strict=True)]
    found += [_shell(form, surface, time) for surface in form.surfaces]
    return [one for one in found if len(one.faces)]


def _rigid(form: "Form", moment: Moment) -> Iterator[tuple[str, np.ndarray, np.ndarray, np.ndarray]]:
    """Give name, vertices, faces and colors of what keeps its triangles."""
    for part, (position, orientation) in zip(form.parts, moment.poses, strict=True):
        mesh = part.shape.to_mesh(_DETAIL)
        shape = part.scales[:, None, None] * np.asarray(mesh.vertices) + np.asarray(part.offset, float)
        placed = position[:, None] + rotate(np.nan_to_num(orientation)[:, None], shape)
        placed[~np.isfinite(orientation).all(axis=1)] = np.nan
        yield part.name, *_copies(placed, np.asarray(mesh.faces), _colors(part, moment.sample))
    for links, ends in zip(form.links, moment.links, strict=True):
        faces, colors = _rod_faces(), _colors(links, moment.sample)
        yield links.name, *_copies(_rods(ends, links.radius), faces, colors)
    for skin, vertices in zip(form.skins, moment.skins, strict=True):
        yield skin.name, vertices, skin.faces, np.broadcast_to(skin.color, (len(skin.faces), 3))


def _colors(part: "Part | Any", sample: int) -> np.ndarray:
    """Return the color of each body at a sample, (count, 3)."""
    color = part.color if part.shades is None else part.shades.at(sample)
    return np.broadcast_to(np.asarray(color, float), (part.count, 3))


def _copies(placed: np.ndarray, faces: np.ndarray, colors: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the vertices, faces and colors of one mesh at many places (count, points, 3)."""
    count, points = placed.shape[:2]
    numbered = (faces[None] + points * np.arange(count)[:, None, None]).reshape(-1, 3)
    return placed.reshape(-1, 3), numbered, np.repeat(colors, len(faces), axis=0)


def _rods(ends: np.ndarray, radius: np.ndarray) -> np.ndarray:
    """Return the corners of rods (links, 2 · sides, 3) between ends (links, 2, 3)."""
    along = ends[:, 1] - ends[:, 0]
    length = np.linalg.norm(along, axis=1, keepdims=True)
    z = along / np.where(length > 0, length, 1.0)
    x = np.cross(z, np.where(np.abs(z[:, :1]) < 0.7, (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    x = x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-300)
    angle = 2 * np.pi * np.arange(_ROD) / _ROD
    ring = np.cos(angle)[None, :, None] * x[:, None] + np.sin(angle)[None, :, None] * np.cross(z, x)[:, None]
    ring = ring * np.asarray(radius)[:, None, None]
    return np.concatenate([ends[:, :1] + ring, ends[:, 1:] + ring], axis=1)


def _rod_faces() -> np.ndarray:
    """Return the triangles of an open rod."""
    i, j = np.arange(_ROD), (np.arange(_ROD) + 1) % _ROD
    return np.concatenate([np.stack([i, j, j + _ROD], 1), np.stack([i, j + _ROD, i + _ROD], 1)])


def _finite(
    name: str, vertices: np.ndarray, faces: np.ndarray, color: np.ndarray, velocity: np.ndarray | None
) -> Triangles:
    """Return the triangles all of whose vertices are there."""
    there = np.isfinite(vertices).all(axis=1)
    if there.all():
        return Triangles(name, vertices, faces, color, velocity)
    kept = there[faces].all(axis=1)
    number = np.cumsum(there) - 1
    moved = None if velocity is None else velocity[there]
    return Triangles(name, vertices[there], number[faces[kept]], color[kept], moved)


def _shell(form: "Form", surface: Any, time: float) -> Triangles:
    """Return the triangles of a surface; vertices move as the nearest of the points that it is around."""
    from motiform.form import MatterSurface

    known = np.asarray(form.times, float)
    i, after, part = _place(known, time)
    shell = surface.shell(i, after, part)
    color = np.broadcast_to(shell.color, (len(shell.faces), 3))
    velocity = None
    if isinstance(surface, MatterSurface) and len(shell.vertices):
        from scipy.spatial import cKDTree

        place, rate = _particles(surface, known, time)
        there = np.isfinite(place).all(axis=1)
        velocity = rate[there][cKDTree(place[there]).query(shell.vertices)[1]]
    return Triangles(surface.name, shell.vertices, np.asarray(shell.faces), color, velocity)


def _place(known: np.ndarray, time: float) -> tuple[int, int | None, float]:
    """Return the sample before a time, the next one, and which part of the way to that it is."""
    i = min(max(int(np.searchsorted(known, time, side="right")) - 1, 0), len(known) - 1)
    if known[i] >= time or i == len(known) - 1:
        return i, None, 0.0
    return i, i + 1, float((time - known[i]) / (known[i + 1] - known[i]))


def _particles(surface: "MatterSurface", known: np.ndarray, time: float) -> tuple[np.ndarray, np.ndarray]:
    """Return places and velocities of the points of a surface."""
    i, after, part = _place(known, time)
    place = np.asarray(surface.points[i], float)
    if after is not None:
        place = (1.0 - part) * place + part * np.asarray(surface.points[after], float)
    return place, slopes(known, surface.points, np.array([time]))[0]


def points_at(form: "Form", time: float) -> PointCloud:
    """Return the points of a form at a time [s]: masses and markers, and those that surfaces are around."""
    from motiform.form import MatterSurface

    known, moment = np.asarray(form.times, float), moment_at_time(replace(form, surfaces=()), time)
    rows = []
    for part, (position, _) in zip(form.parts, moment.poses, strict=True):
        if part.points:
            size = part.shape.ball_around()[1] * part.scales
            rate = slopes(known, part.position, np.array([time]))[0]
            rows.append((position, rate, size, _colors(part, moment.sample)))
    for surface in form.surfaces:
        if isinstance(surface, MatterSurface):
            place, rate = _particles(surface, known, time)
            rows.append((place, rate, surface.radius, np.broadcast_to(surface.color, place.shape)))
    empty = (np.empty((0, 3)), np.empty((0, 3)), np.empty(0), np.empty((0, 3)))
    place, rate, size, color = (np.concatenate(column) for column in zip(empty, *rows, strict=False)) if rows else empty
    there = np.isfinite(place).all(axis=1)
    return PointCloud(place[there], rate[there], size[there], color[there])
