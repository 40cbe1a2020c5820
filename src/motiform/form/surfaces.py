"""Surfaces whose triangles are found anew at each instant: around particles, and levels of fields on grids."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from motiform.record.samples import Samples, by_samples, in_blocks
from motiform.spatial.checks import Array
from motiform.spatial.quaternion import quaternion_from_rotation, rotation_from_quaternion

if TYPE_CHECKING:
    from motiform.form.clouds import Puffs
    from motiform.form.implicit.blocks import Blocks

__all__ = ["AnimatedSurface", "LevelSurface", "MatterSurface", "Shell"]


@dataclass(frozen=True)
class Shell:
    """The triangles of a surface at one instant; none where it is not there."""

    vertices: Array
    """[m], (points, 3)."""
    faces: Any
    """Vertices of each triangle, counter-clockwise seen from outside, (triangles, 3)."""
    color: Array
    """Red, green, blue from 0 to 1, (3,) or (triangles, 3)."""
    normals: Array | None = None
    """Unit vectors outward at the vertices, (points, 3); None: by the triangles around each."""

    def turned(self, rotation: Array) -> "Shell":
        """Return it in axes to which a rotation (3, 3) leads from its own."""
        normals = None if self.normals is None else self.normals @ rotation.T
        return replace(self, vertices=self.vertices @ rotation.T, normals=normals)


def _empty(color: Array) -> Shell:
    tone = color if color.ndim == 1 else color[0]
    return Shell(np.empty((0, 3)), np.empty((0, 3), np.int64), tone, np.empty((0, 3)))


class AnimatedSurface(ABC):
    """A surface over time, with as many triangles at each instant as it takes."""

    name: str
    opacity: float | None = None
    """Of its triangles where they stand for what light comes through; None: no light does."""

    @abstractmethod
    def shell(self, before: int, after: int | None = None, part: float = 0.0) -> Shell:
        """Return its triangles at a sample, or at some part of the way from there to another."""

    def cast(self, before: int, after: int | None = None, part: float = 0.0) -> "Shell | Blocks | Puffs":
        """Return what rays meet at an instant."""
        return self.shell(before, after, part)

    @abstractmethod
    def around(self) -> Iterator[tuple[Array, float]]:
        """Give places (n, 3) and a radius [m] of balls that hold it, a block at a time."""

    @abstractmethod
    def turned(self, rotation: Array) -> "AnimatedSurface":
        """Return it in axes to which a rotation (3, 3) leads from its own."""

    @abstractmethod
    def content(self) -> tuple[Any, ...]:
        """Return all that its triangles depend on, arrays and numbers."""


@dataclass(frozen=True)
class MatterSurface(AnimatedSurface):
    """One surface around particles: each alone is a ball of its radius or an ellipsoid, near ones melt together.

    The field is Wyvill's, see `motiform.form.implicit`. Between samples the particles move on lines. Particles that are
    paired are the ends of a tube, those of a triangle the corners of a sheet; what hangs together is one skeleton.
    """

    name: str
    points: Array | Samples
    """Places [m], (samples, count, 3); one that is nan is not there."""
    radius: Array
    """[m], (count,)"""
    reach: float
    """Of the field, in radii, above 1."""
    cell: float
    """Edge of the cells that triangles are found in [m]."""
    color: Array
    """Red, green, blue from 0 to 1, (3,) or (count, 3): a triangle has the color of the nearest particle."""
    rays: bool = False
    """Whether pictures show the surface itself, which rays march to, and not its triangles; in one color."""
    tolerance: float | None = None
    """Largest distance of triangles from the surface [m], with cells of several sizes; None: all are of one size."""
    radii: Array | None = None
    """Radii of the ellipsoids that lone particles are [m], (count, 3); None: balls."""
    turn: Array | None = None
    """Axes of the ellipsoids in the world as quaternions (w, x, y, z), (count, 4); None: the world's."""
    exponent: Array | None = None
    """Of the ellipsoids, 2 or more, (count,); None: 2."""
    pairs: Any = None
    """Particles at the ends of tubes, (tubes, 2)."""
    faces: Any = None
    """Particles at the corners of triangles, (triangles, 3)."""

    def field(self, before: int, after: int | None = None, part: float = 0.0) -> Any:
        """Return the field (`Implicit`) at an instant and the numbers of its particles; None where there are none."""
        from motiform.form.implicit.field import Implicit, wyvill_level

        places = _mix(self.points, before, after, part)
        there = np.isfinite(places).all(axis=1) & (self.radius > 0.0)
        own = np.flatnonzero(there)
        if not len(own):
            return None
        given: dict[str, Any] = {"kind": "wyvill", "level": wyvill_level(1.0 / self.reach)}
        if self.pairs is not None or self.faces is not None:
            corners, radius, skeleton = self._linked(there)
            a, b, c = (places[corners[:, k]] for k in range(3))
            third = None if self.faces is None else c
            return Implicit(a, b, size=self.reach * radius, skeleton=skeleton, third=third, **given), own
        if self.radii is None and self.exponent is None:
            return Implicit(places[own], size=self.reach * self.radius[own], **given), own
        exponent = np.full(len(own), 2.0) if self.exponent is None else self.exponent[own]
        radii = np.repeat(self.radius[own, None], 3, axis=1) if self.radii is None else self.radii[own]
        if self.turn is not None:
            given["turn"] = self.turn[own]
        size = self.reach ** (2.0 / exponent)  # so that u = Q/R^e is 1/reach² on all ellipsoids, as on balls
        return Implicit(places[own], size=size, radii=radii, exponent=exponent, **given), own

    def _linked(self, there: Any) -> tuple[Any, Array, Any]:
        """Return the particles at the corners of elements, (n, 3), their radii [m], and their skeletons."""
        from scipy.sparse import coo_matrix
        from scipy.sparse.csgraph import connected_components

        faces = np.empty((0, 3), np.int64) if self.faces is None else self.faces[there[self.faces].all(axis=1)]
        pairs = np.empty((0, 2), np.int64) if self.pairs is None else self.pairs[there[self.pairs].all(axis=1)]
        held = np.zeros(len(there), bool)
        held[faces], held[pairs] = True, True
        lone = np.flatnonzero(there & ~held)
        corners = np.concatenate([faces, pairs[:, [0, 1, 1]], np.repeat(lone[:, None], 3, axis=1)])
        radius = np.concatenate([self.radius[faces].mean(axis=1), self.radius[pairs].mean(axis=1), self.radius[lone]])
        ends = np.concatenate([corners[:, :2], corners[:, 1:]])
        graph = coo_matrix((np.ones(len(ends), bool), (ends[:, 0], ends[:, 1])), shape=(len(there), len(there)))
        return corners, radius, connected_components(graph, directed=False)[1][corners[:, 0]]

    def cast(self, before: int, after: int | None = None, part: float = 0.0) -> "Shell | Blocks":
        """Return what rays meet at an instant: the surface itself, or its triangles."""
        from motiform.form.implicit.blocks import surface_blocks

        found = self.field(before, after, part) if self.rays else None
        if found is None:
            return self.shell(before, after, part)
        return surface_blocks(found[0], self.cell, self.color.reshape(-1, 3)[0])

    def shell(self, before: int, after: int | None = None, part: float = 0.0) -> Shell:
        """Return its triangles at an instant, with the normals of the field."""
        found = self.field(before, after, part)
        if found is None:
            return _empty(self.color)
        field, there = found
        mesh = field.to_mesh(self.cell, tolerance=self.tolerance)
        vertices = mesh.vertices
        slope = field.gradients(vertices)
        size = np.linalg.norm(slope, axis=1, keepdims=True)
        normals = -slope / np.where(size > 0.0, size, 1.0)
        places = _mix(self.points, before, after, part)[there]
        return Shell(vertices, mesh.faces, self._tones(vertices[mesh.faces].mean(axis=1), places, there), normals)

    def _tones(self, middles: Array, places: Array, there: Any) -> Array:
        """Return the colors of triangles by their middles: of the particle whose ball is nearest."""
        if self.color.ndim == 1 or (self.color == self.color[0]).all():
            return self.color.reshape(-1, 3)[0]
        from scipy.spatial import cKDTree

        nearest = cKDTree(places).query(middles)[1]
        return np.asarray(self.color[there[nearest]])

    def around(self) -> Iterator[tuple[Array, float]]:
        """Give the particles, at most a million rows at once; a lone one is within a ball of its largest radius."""
        far = float(self.radius.max(initial=0.0) if self.radii is None else self.radii.max(initial=0.0))
        if self.exponent is not None:  # to the corners of superellipsoids
            far *= 3.0 ** (0.5 - 1.0 / float(self.exponent.max(initial=2.0)))
        step = max(1, 1_000_000 // max(1, self.points.shape[1]))
        for first in range(0, len(self.points), step):
            places = np.asarray(self.points[first : first + step], float).reshape(-1, 3)
            yield places[np.isfinite(places).all(axis=1)], far

    def turned(self, rotation: Array) -> "MatterSurface":
        """Return it with its particles turned."""
        turn = self.turn
        if self.radii is not None or self.exponent is not None:
            now = np.tile([1.0, 0.0, 0.0, 0.0], (len(self.radius), 1)) if turn is None else turn
            turn = quaternion_from_rotation(rotation @ rotation_from_quaternion(now))
        points = by_samples(lambda block: np.asarray(block, float) @ rotation.T, self.points)
        return replace(self, points=points, turn=turn)

    def content(self) -> tuple[Any, ...]:
        """Return places, radii and settings."""
        more = tuple(
            np.zeros(0) if one is None else one
            for one in (self.radii, self.turn, self.exponent, self.pairs, self.faces)
        )
        return self.points, self.radius, self.color, self.reach, self.cell, self.rays, self.tolerance or 0.0, *more


@dataclass(frozen=True)
class LevelSurface(AnimatedSurface):
    """The surface of a level of a field on a grid of three axes; inside it the field is higher."""

    name: str
    values: np.ndarray | Samples
    """(samples, n, m, l), along x, y and z before it is turned."""
    origin: Array
    """Place of value (0, 0, 0) [m], (3,)."""
    spacing: float
    """[m]"""
    level: float
    color: Array
    """Red, green, blue from 0 to 1, (3,)."""
    turn: Array | None = None
    """Rotation that its triangles are turned by, (3, 3)."""

    def shell(self, before: int, after: int | None = None, part: float = 0.0) -> Shell:
        """Return its triangles at an instant; closed where it reaches the border of the grid."""
        from motiform.geometry.maps import Grid, isosurface

        field = _mix(self.values, before, after, part)
        if not (field > self.level).any():
            return _empty(self.color)
        n, m, depth = field.shape
        mesh = isosurface(-field, Grid((n, m, depth), np.full(3, self.spacing), self.origin), level=-self.level)
        shell = Shell(np.asarray(mesh.vertices), np.asarray(mesh.faces), self.color)
        return shell if self.turn is None else shell.turned(self.turn)

    def around(self) -> Iterator[tuple[Array, float]]:
        """Give the pins that are ever inside."""
        ever = np.zeros(self.values.shape[1:], bool)
        for block in in_blocks(self.values):
            ever |= (block > self.level).any(axis=0)
        places = self.origin + self.spacing * np.argwhere(ever)
        yield (places if self.turn is None else places @ self.turn.T), self.spacing

    def turned(self, rotation: Array) -> "LevelSurface":
        """Return it with its triangles turned."""
        return replace(self, turn=rotation if self.turn is None else rotation @ self.turn)

    def content(self) -> tuple[Any, ...]:
        """Return the field and its settings."""
        turn = np.eye(3) if self.turn is None else self.turn
        return self.values, self.origin, self.color, turn, self.spacing, self.level


def _mix(values: np.ndarray | Samples, before: int, after: int | None, part: float) -> Array:
    """Return (1 − part) of one sample and part of another."""
    first = np.asarray(values[before], float)
    return first if after is None or part == 0.0 else (1.0 - part) * first + part * np.asarray(values[after], float)
