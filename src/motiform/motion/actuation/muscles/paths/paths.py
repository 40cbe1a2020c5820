"""Muscle paths: points on segments, and surfaces that the line between them wraps."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from motiform.base.errors import InputError, closest
from motiform.geometry.paths.wrap import METHODS, WrapSurface
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.functions import CoordinateFunction
from motiform.spatial import Transform
from motiform.spatial.checks import as_floats

if TYPE_CHECKING:
    from motiform.motion.actuation.muscles.paths.pack import PackedPaths, PathWorkspace

__all__ = ["MovingPoint", "MusclePath", "PathPoint", "PathWrap", "Paths", "WrapObject"]


@dataclass(frozen=True)
class PathPoint:
    """A point of a segment (None: the world) [m] that a path goes through; always, or while a coordinate is in a range.

    `active` is (coordinate, lowest, highest) [rad or m].
    """

    segment: str | None
    point: tuple[float, float, float]
    active: tuple[str, float, float] | None = None

    def __post_init__(self) -> None:
        found = as_floats(self.point, where=f"point of a path on {self.segment!r}")
        if found.shape != (3,):
            raise InputError("a point must have three numbers", where=f"path on {self.segment!r}", got=self.point)
        object.__setattr__(self, "point", tuple(found.tolist()))
        if self.active is not None and not self.active[1] <= self.active[2]:
            raise InputError("the range is empty", where=f"path point of {self.segment!r}", got=self.active)


@dataclass(frozen=True, eq=False)
class MovingPoint:
    """A point whose place in a segment is a function of coordinates, one along each axis [m].

    Attributes
    ----------
    functions : along x, y, z.
    coordinates : that they are functions of; None where the function is constant.
    ranges : of the coordinates; beyond it the point stays where it is at the end. (3, 2)

    """

    segment: str | None
    functions: tuple[CoordinateFunction, CoordinateFunction, CoordinateFunction]
    coordinates: tuple[str | None, str | None, str | None]
    ranges: tuple[tuple[float, float], ...] = ((-np.inf, np.inf),) * 3

    def __post_init__(self) -> None:
        where = f"moving point of {self.segment!r}"
        if not len(self.functions) == len(self.coordinates) == len(self.ranges) == 3:
            raise InputError("a moving point must have three functions, coordinates and ranges", where=where)
        for function in self.functions:
            if not isinstance(function, CoordinateFunction):
                raise InputError("a function of a coordinate must be of a known kind", where=where, got=repr(function))


AnyPoint = PathPoint | MovingPoint


@dataclass(frozen=True, eq=False)
class WrapObject:
    """A surface fixed to a segment (None: the world) by `placement`, that paths may wrap."""

    name: str
    segment: str | None
    surface: WrapSurface
    placement: Transform = field(default_factory=Transform.identity)


@dataclass(frozen=True)
class PathWrap:
    """That a path wraps an object between its points `first` and `last` (numbers; None: its ends)."""

    object: str
    first: int | None = None
    last: int | None = None
    method: str = "hybrid"


@dataclass(frozen=True, eq=False)
class MusclePath:
    """A line from point to point, over surfaces."""

    name: str
    points: tuple[AnyPoint, ...]
    wraps: tuple[PathWrap, ...] = ()

    def __post_init__(self) -> None:
        where = f"path {self.name!r}"
        object.__setattr__(self, "points", tuple(self.points))
        object.__setattr__(self, "wraps", tuple(self.wraps))
        always = [p for p in self.points if isinstance(p, MovingPoint) or p.active is None]
        if len(self.points) < 2 or not always:
            raise InputError(
                "a path must have two points or more",
                where=where,
                got=f"{len(self.points)} points",
                allowed="2 or more",
            )
        for wrap in self.wraps:
            if wrap.method not in METHODS:
                raise InputError("unknown method of wrapping", where=where, got=wrap.method, allowed=", ".join(METHODS))
            first, last = wrap_range(self, wrap)
            if not 0 <= first < last < len(self.points):
                raise InputError(
                    f"the range of wrap {wrap.object!r} must be of points of the path",
                    where=where,
                    got=f"{wrap.first} to {wrap.last}",
                    allowed=f"0 to {len(self.points) - 1}, first below last",
                )


def wrap_range(path: MusclePath, wrap: PathWrap) -> tuple[int, int]:
    """Return the numbers of the first and last point between which a path may wrap."""
    return wrap.first or 0, len(path.points) - 1 if wrap.last is None else wrap.last


@dataclass(frozen=True, eq=False)
class Paths:
    """The paths of a figure and the surfaces that they wrap."""

    figure: Figure
    paths: tuple[MusclePath, ...]
    objects: tuple[WrapObject, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "paths", tuple(self.paths))
        object.__setattr__(self, "objects", tuple(self.objects))
        for what, parts in (("path", self.paths), ("wrap object", self.objects)):
            names = [part.name for part in parts]
            twice = [name for name in names if names.count(name) > 1]
            if twice:
                raise InputError(f"every {what} must have a name of its own", got=twice[0], allowed="names once")
        known = [o.name for o in self.objects]
        for wrapped in self.objects:
            self._check_segment(wrapped.segment, f"wrap object {wrapped.name!r}")
        for path in self.paths:
            for point in path.points:
                self._check_point(point, f"path {path.name!r}")
            for wrap in path.wraps:
                if wrap.object not in known:
                    raise InputError(
                        "unknown wrap object",
                        where=f"path {path.name!r}",
                        got=wrap.object,
                        allowed=", ".join(known) or "none",
                        remedy=closest(wrap.object, known),
                    )

    def _check_segment(self, name: str | None, where: str) -> None:
        if name is not None and name not in self.figure.names:
            raise InputError(
                "unknown segment", where=where, got=name, allowed=", ".join(self.figure.names),
                remedy=closest(str(name), self.figure.names),
            )  # fmt: skip

    def _check_point(self, point: AnyPoint, where: str) -> None:
        self._check_segment(point.segment, where)
        named: Sequence[str | None] = (
            point.coordinates if isinstance(point, MovingPoint) else (point.active or (None,))[:1]
        )
        places = self.figure.layout.places_q
        for name in named:
            if name is not None and (name not in places or len(places[name]) != 1):
                raise InputError("no such plain coordinate", where=where, got=name, remedy=closest(name, places))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the paths."""
        return tuple(path.name for path in self.paths)

    @cached_property
    def packed(self) -> "PackedPaths":
        """The paths as arrays that kernels read."""
        from motiform.motion.actuation.muscles.paths.pack import pack_paths

        return pack_paths(self)

    @cached_property
    def workspace(self) -> "PathWorkspace":
        """Workspace of the compiled function of one posture."""
        from motiform.motion.actuation.muscles.paths.pack import path_workspace

        return path_workspace(self.figure)

    @cached_property
    def buried(self) -> tuple[str, ...]:
        """Path points that are always inside a surface which their path wraps: it does not wrap next to them."""
        found = []
        by_name = {o.name: o for o in self.objects}
        for path in self.paths:
            for wrap in path.wraps:
                wrapped = by_name[wrap.object]
                first, last = wrap_range(path, wrap)
                for k in range(first, last + 1):
                    point = path.points[k]
                    if isinstance(point, PathPoint) and point.segment == wrapped.segment:
                        at = wrapped.placement.inverse().point(np.array(point.point))
                        if wrapped.surface.contains(at):
                            found.append(f"point {k} of path {path.name!r} is inside wrap object {wrap.object!r}")
        return tuple(found)
