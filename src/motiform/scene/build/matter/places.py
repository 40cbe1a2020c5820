"""Where the points of a network begin: lists, grids, lines, rings, fillings and meshes of a scene as positions."""

from dataclasses import dataclass, replace
from math import prod
from typing import Any
from zlib import crc32

import numpy as np

from motiform.base.errors import InputError
from motiform.geometry import Ball, Box, Cylinder, Shape, fill_points, merge_vertices, read_mesh
from motiform.geometry.checks import LONGEST
from motiform.geometry.solids.packing import MOST_POINTS
from motiform.motion.matter import topology
from motiform.scene.build.common import build_rotation
from motiform.scene.read.load import Scene
from motiform.scene.tables.common import PoseTable
from motiform.scene.tables.place import FillTable, GridTable, PlacesTable

__all__ = ["Places", "build_places", "moved"]


@dataclass(frozen=True, eq=False)
class Places:
    """Positions of a group and how they belong together."""

    position: np.ndarray
    """[m], (points, 3), in the network's frame."""
    shape: tuple[int, ...] | None = None
    """Of a grid."""
    faces: np.ndarray | None = None
    """Triangles of a mesh, (triangles, 3)."""

    def moved(self, pose: PoseTable) -> "Places":
        """Return them turned and shifted by a pose."""
        return replace(self, position=moved(pose, self.position))


def build_places(scene: Scene, table: PlacesTable, name: str) -> Places:
    """Return where the points of a table begin; `name` is the group's, from which its random numbers follow."""
    found = _source(scene, table, name).moved(table.pose)
    far = np.abs(found.position).max()
    if not far <= LONGEST:
        raise InputError("a point is too far away", got=far, allowed=f"coordinates up to {LONGEST:g} m")
    return found


def moved(pose: PoseTable, position: np.ndarray) -> np.ndarray:
    """Return positions [m], (points, 3), turned and shifted by a pose; the same bits where it is none."""
    if pose.turn is not None or pose.quaternion is not None:
        position = position @ build_rotation(pose).T
    return position + np.array(pose.at) if any(pose.at) else position


def _source(scene: Scene, table: PlacesTable, name: str) -> Places:
    if table.at is not None:
        return Places(np.array([table.at]))
    if table.points is not None:
        if not table.points:
            raise InputError("points must not be empty", allowed="one or more")
        return Places(np.array(table.points))
    if table.grid is not None:
        return _grid(table.grid)
    if table.line is not None:
        return Places(topology.line_positions(table.line.from_, table.line.to, table.line.count))
    if table.ring is not None:
        return Places(topology.ring_positions(**table.ring.model_dump()))
    if table.fill is not None:
        draw = np.random.default_rng([scene.document.scene.seed, crc32(name.encode())])
        fill = table.fill
        shape, widest = _filled(scene, fill), float(np.max(table.radius, initial=0.0))
        options: Any = {"spacing": fill.spacing, "count": fill.count, "jitter": fill.jitter}
        return Places(fill_points(shape, radius=widest, rng=draw, **options))
    mesh = merge_vertices(read_mesh(scene.file(table.mesh or ""), scale=table.scale or 1.0))
    return Places(np.array(mesh.vertices), faces=np.asarray(mesh.faces, np.int64))


def _grid(table: GridTable) -> Places:
    shape = tuple(table.shape)
    if prod(shape) > MOST_POINTS:
        raise InputError("too many points", got=prod(shape), allowed=f"at most {MOST_POINTS}")
    return Places(topology.block_positions(shape, table.spacing, table.at, axes=table.axes), shape)


def _filled(scene: Scene, table: FillTable) -> Shape:
    if table.box is not None:
        return Box(table.box)
    if table.ball is not None:
        return Ball(table.ball)
    if table.cylinder is not None:
        return Cylinder(table.cylinder.radius, table.cylinder.height)
    return read_mesh(scene.file(table.mesh or ""), scale=table.scale or 1.0)
