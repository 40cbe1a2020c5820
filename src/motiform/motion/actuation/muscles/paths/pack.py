"""Muscle paths as two arrays, of integers and of floats, that kernels read (see `columns`)."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from motiform.geometry.paths.wrap import METHODS
from motiform.motion.actuation.muscles.paths import columns as path_columns
from motiform.motion.actuation.muscles.paths.paths import (
    AnyPoint,
    MovingPoint,
    MusclePath,
    Paths,
    WrapObject,
    wrap_range,
)
from motiform.motion.tree.model import columns as tree
from motiform.motion.tree.model.actuation import PackedActuator
from motiform.motion.tree.model.figure import Figure
from motiform.spatial.checks import Array

__all__ = ["PackedPaths", "PathWorkspace", "pack_paths", "path_actuator", "path_workspace"]


@dataclass(frozen=True, eq=False)
class PackedPaths:
    """The arrays of muscle paths."""

    ints: np.ndarray
    floats: Array

    @property
    def rows(self) -> int:
        """Rows of the workspace of one path."""
        return int(self.ints[path_columns.ROWS])


class PathWorkspace(NamedTuple):
    """What the compiled function of one posture works in; it keeps Python's lock while it runs."""

    work: Array
    poses: Array
    twists: Array


def path_workspace(figure: Figure) -> PathWorkspace:
    """Return the room for one posture of a figure."""
    sizes = 12 * len(figure.segments), 6 * figure.layout.nv
    return PathWorkspace(np.zeros(figure.packed.rows), *(np.zeros((1, size)) for size in sizes))


def path_actuator(paths: Paths) -> PackedActuator | None:
    """Return the geometry of paths as compiled steps take it; None where Python must help with every posture."""
    from motiform.motion.actuation.muscles.paths.single_kernels import muscle_paths

    figure, packed, n = paths.figure, paths.packed, len(paths.paths)
    if not figure.packed.kernel_only or figure.coupled is not None:
        return None
    bodies, numbers, nq, nv = figure.packed.ints, figure.packed.floats, figure.nq, figure.nv
    sizes = (len(bodies), len(numbers), nq, len(figure.segments), nv, figure.packed.rows, packed.rows)
    room = nq + n * (1 + nv) + figure.packed.rows + 12 * len(figure.segments) + 6 * nv + n * (packed.rows + 1)
    ints = np.concatenate([sizes, bodies, packed.ints]).astype(np.int64)
    work = np.zeros(room)
    work[:nq] = np.nan
    return PackedActuator(muscle_paths, ints, np.concatenate([numbers, packed.floats]), work)


def pack_paths(paths: Paths) -> PackedPaths:
    """Return the paths of a figure as arrays."""
    figure = paths.figure
    objects = [o.name for o in paths.objects]
    points = [point for path in paths.paths for point in path.points]
    tables = [
        _path_rows(paths.paths),
        np.zeros((len(points), path_columns.POINT_INTS), np.int64),
        _wrap_rows(paths.paths, objects),
        np.array([_object_row(figure, o) for o in paths.objects], np.int64).reshape(-1, path_columns.OBJECT_INTS),
        np.array([_last_column(figure, n) for n in range(len(figure.segments))], np.int64).reshape(-1, 1),
        _columns(figure),
    ]
    numbers = [np.zeros((len(points), path_columns.POINT_FLOATS)), np.zeros((len(objects), path_columns.OBJECT_FLOATS))]
    for row, wrapped in zip(numbers[1], paths.objects, strict=True):
        row[: path_columns.OBJECT_R] = wrapped.surface.sizes
        row[path_columns.OBJECT_R : path_columns.OBJECT_P], row[path_columns.OBJECT_P :] = (
            wrapped.placement.rotation.ravel(),
            wrapped.placement.translation,
        )
    functions: list[float] = []
    start = sum(table.size for table in numbers)
    for ints, floats, point in zip(tables[1], numbers[0], points, strict=True):
        _put_point(figure, ints, floats, point, functions, start)
    header = np.zeros(path_columns.HEADER, np.int64)
    header[path_columns.PATHS] = len(paths.paths)
    at = path_columns.HEADER
    for slot, table in zip(range(path_columns.AT_PATHS, path_columns.AT_COLUMNS + 1), tables, strict=True):
        header[slot], at = at, at + table.size
    most = max((len(p.points) + 2 * len(p.wraps) for p in paths.paths), default=0)
    wraps = max((len(p.wraps) for p in paths.paths), default=0)
    header[[path_columns.ENTRIES, path_columns.WRAPS, path_columns.ROWS]] = most, wraps, 1 + 4 * most + 2 * wraps
    ints = np.concatenate([header, *(table.ravel() for table in tables)])
    return PackedPaths(ints, np.concatenate([*(table.ravel() for table in numbers), functions]))


def _path_rows(paths: tuple[MusclePath, ...]) -> np.ndarray:
    rows, point, wrap = [], 0, 0
    for path in paths:
        rows.append((point, len(path.points), wrap, len(path.wraps)))
        point, wrap = point + len(path.points), wrap + len(path.wraps)
    return np.array(rows, np.int64).reshape(-1, path_columns.PATH_INTS)


def _wrap_rows(paths: tuple[MusclePath, ...], objects: list[str]) -> np.ndarray:
    rows = [
        (objects.index(wrap.object), *wrap_range(path, wrap), METHODS.index(wrap.method))
        for path in paths
        for wrap in path.wraps
    ]
    return np.array(rows, np.int64).reshape(-1, path_columns.WRAP_INTS)


def _segment(figure: Figure, name: str | None) -> int:
    return -1 if name is None else figure.index(name)


def _object_row(figure: Figure, wrapped: WrapObject) -> tuple[int, int, int, int]:
    return (_segment(figure, wrapped.segment), wrapped.surface.kind, *wrapped.surface.axis_sign)


def _last_column(figure: Figure, n: int) -> int:
    """Return the last column between the world and a segment, −1 for none."""
    while n >= 0:
        at = tree.HEADER + n * tree.SEGMENT_INTS
        first, count = figure.packed.ints[at + tree.FIRST], figure.packed.ints[at + tree.COUNT]
        if count:
            return int(first + count - 1)
        n = figure.parent_index(n)
    return -1


def _columns(figure: Figure) -> np.ndarray:
    ints = figure.packed.ints
    at = ints[tree.AT_COLUMNS]
    rows = ints[at : at + ints[tree.COLUMNS] * tree.COLUMN_INTS].reshape(-1, tree.COLUMN_INTS)
    return rows[:, [tree.BEFORE, tree.COLUMN_V]]


def _put_point(
    figure: Figure, ints: np.ndarray, floats: Array, point: AnyPoint, functions: list[float], start: int
) -> None:
    layout = figure.layout
    ints[path_columns.POINT_SEGMENT], ints[path_columns.POINT_IF] = _segment(figure, point.segment), -1
    if not isinstance(point, MovingPoint):
        floats[:3] = point.point
        if point.active is not None:
            leader, floats[path_columns.POINT_LOW], floats[path_columns.POINT_HIGH] = point.active
            ints[path_columns.POINT_IF] = layout.places_q[leader][0]
        return
    ints[path_columns.POINT_MOVES] = 1
    for k, (function, name, limits) in enumerate(zip(point.functions, point.coordinates, point.ranges, strict=True)):
        ints[path_columns.POINT_Q + k] = -1 if name is None else layout.places_q[name][0]
        ints[path_columns.POINT_V + k] = -1 if name is None else layout.places_v[name][0]
        ints[path_columns.POINT_FUNCTION + k] = start + len(functions)
        floats[path_columns.POINT_CLAMP + 2 * k : path_columns.POINT_CLAMP + 2 * k + 2] = limits
        functions += function.numbers()
