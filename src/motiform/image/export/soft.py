"""Links and skins in animated files: rods that are moved and scaled, and vertex positions."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from motiform.base.errors import InputError
from motiform.image.export.keys import between, key_blocks
from motiform.record.samples import Samples, by_samples, in_blocks

if TYPE_CHECKING:
    from motiform.form import AnimatedSurface, Form, LinkParts, Skin
    from motiform.form.parts import Series
    from motiform.form.rig import Posed

__all__ = ["MOST_SHAPES", "rods", "shells", "skin_times", "skin_track"]

MOST_SHAPES = 240
"""Instants at which the shape of a skin is kept: viewers hold all of them in memory, and many take no more than 256."""
_SHORTEST = 1e-9  # [m] of a rod: viewers divide by its scale


def rods(form: "Form", links: "LinkParts", times: np.ndarray) -> Iterator[tuple[int, tuple[np.ndarray, ...]]]:
    """Give middles [m] (count, keys, 3), turns (w, x, y, z) (count, keys, 4) from y, sizes [m] (count, keys, 3).

    They come by blocks of keys, each with the number of its first key. Sizes are radius, length, radius. From key to
    key a rod turns by the least angle, so that it nowhere turns about itself.
    """
    turned, before = np.tile([1.0, 0.0, 0.0, 0.0], (links.count, 1)), np.tile([0.0, 1.0, 0.0], (links.count, 1))
    for first, some in key_blocks(times, max(links.count, links.first.shape[1], links.second.shape[1])):
        ends = (track(form, points, some, links.name)[:] for points in (links.first, links.second))
        a, b = (points[:, links.pairs[:, k]] for k, points in enumerate(ends))
        length = np.linalg.norm(b - a, axis=-1)
        along = (b - a) / np.maximum(length, _SHORTEST)[..., None]
        turn = np.empty((*length.shape, 4))
        for k, now in enumerate(along):
            there = length[k] > _SHORTEST  # one without length keeps its turn
            turned = np.where(there[:, None], _times(_least_turn(before, now), turned), turned)
            before = np.where(there[:, None], now, before)
            turn[k] = turned
        long = np.maximum(length.T, _SHORTEST)
        radius = np.broadcast_to(links.radius[:, None], long.shape)
        size = np.stack((radius, long, radius), axis=-1)
        yield first, (np.swapaxes(0.5 * (a + b), 0, 1), np.swapaxes(turn, 0, 1), size)


def _least_turn(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the quaternions (n, 4) of the least turns from unit vectors (n, 3) to others."""
    cosine = np.sum(one * other, axis=1, keepdims=True)
    turn = np.concatenate([1.0 + cosine, np.cross(one, other)], axis=1)
    side = np.cross(one, np.where(np.abs(one[:, :1]) < 0.7, (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    half = np.concatenate([np.zeros_like(cosine), side], axis=1)  # opposite: half a turn about any axis across
    turn = np.where(cosine < -1.0 + 1e-12, half, turn)
    return turn / np.linalg.norm(turn, axis=1, keepdims=True)


def _times(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the products of quaternions (n, 4), of length one."""
    w = a[:, :1] * b[:, :1] - np.sum(a[:, 1:] * b[:, 1:], axis=1, keepdims=True)
    v = a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:] + np.cross(a[:, 1:], b[:, 1:])
    found = np.concatenate([w, v], axis=1)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def skin_times(times: np.ndarray) -> np.ndarray:
    """Return the instants at which the shapes of skins are kept [s]: all keys, or `MOST_SHAPES` of them, evenly."""
    if len(times) <= MOST_SHAPES:
        return times
    return times[np.linspace(0, len(times) - 1, MOST_SHAPES).round().astype(int)]


def skin_track(form: "Form", skin: "Skin", times: np.ndarray, source: np.ndarray) -> "Series":
    """Return these vertices of a skin at the instants [m], (keys, points, 3); once where they stay."""
    places = track(form, skin.vertices, times, skin.name)
    first = places[:1]
    moving = any((block != first).any() for block in in_blocks(places))
    found: Series = by_samples(lambda block: block[:, source], places if moving else first)
    return found


def shells(form: "Form", surface: "AnimatedSurface", times: np.ndarray) -> "Iterator[tuple[Skin, np.ndarray]]":
    """Give the triangles of a surface at the instants, as a skin of one sample, and unit normals of its vertices."""
    from motiform.form import Skin
    from motiform.image.shading import vertex_normals

    known = np.asarray(form.times, float)
    places, parts = between(known, times) if len(known) > 1 else (np.zeros(len(times), int), np.zeros(len(times)))
    for i, u in zip(places.tolist(), parts.tolist(), strict=True):
        shell = surface.shell(i, i + 1, u) if u > 0.0 else surface.shell(i)
        normals = shell.normals if shell.normals is not None else vertex_normals(shell.vertices, shell.faces)
        yield Skin(surface.name, shell.vertices[None], shell.faces, shell.color, two_sided=False), normals


def track(form: "Form", points: "Series | Posed", times: np.ndarray, where: str) -> "Series":
    """Return points at the instants [m], (keys, points, 3): linear between samples."""
    if isinstance(points, np.ndarray) or len(form.times) == 1:
        return _track(form, points, times, where)
    keys, points_at = len(times), points
    shape = (keys, *points.shape[1:])
    return Samples(lambda a, b: _track(form, points_at, times[a:b], where), shape, np.float64)


def _track(form: "Form", points: "Series | Posed", times: np.ndarray, where: str) -> np.ndarray:
    if len(form.times) == 1:
        found = np.asarray(points[:1], float)
    else:
        i, u = between(np.asarray(form.times, float), times)
        if np.all((u == 0) | (u == 1)):  # all instants are samples
            return _finite(np.asarray(points[np.where(u == 0, i, i + 1)], float), times, where)
        u = u[:, None, None]
        found = np.where(u == 0, points[i], np.where(u == 1, points[i + 1], (1 - u) * points[i] + u * points[i + 1]))
    return _finite(found, times, where)


def _finite(found: np.ndarray, times: np.ndarray, where: str) -> np.ndarray:
    if not np.isfinite(found).all():
        at = times[np.argmin(np.isfinite(found).all(axis=(1, 2)))]
        raise InputError(
            "a place is not finite", where=where, got=f"first at {at:g} s", remedy="Export the part before it."
        )
    return found
