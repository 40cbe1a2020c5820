"""Muscles of a figure whose segments were stretched: paths, surfaces, fibres and tendons follow."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.geometry.paths.wrap import WrapCylinder, WrapEllipsoid, WrapSphere, WrapSurface, WrapTorus
from motiform.motion.actuation.muscles.muscle_set import Muscles
from motiform.motion.actuation.muscles.paths.geometry import path_geometry
from motiform.motion.actuation.muscles.paths.paths import (
    AnyPoint,
    MovingPoint,
    MusclePath,
    PathPoint,
    Paths,
    WrapObject,
)
from motiform.motion.tree.model.figure import Figure
from motiform.motion.tree.model.functions import CoordinateFunction, Polynomial, Spline
from motiform.motion.tree.read.osim.functions import scaled
from motiform.spatial import Transform
from motiform.spatial.checks import Array

__all__ = ["scale_muscles"]


def scale_muscles(muscles: Muscles, figure: Figure, factors: Mapping[str, float | ArrayLike]) -> Muscles:
    """Return the muscles on a figure that was stretched by factors of its segments, as OpenSim's ScaleTool does.

    Points and surfaces follow their segments. Optimal fibre lengths, slack lengths of tendons and rest lengths of
    ligaments grow with the length of their path in the neutral posture; greatest forces stay.

    Parameters
    ----------
    figure : of `scale_figure` with the same factors, or of `calibrate`.
    factors : {segment: factor}, or three of them along x, y, z of the segment; the others keep their size.

    """
    if figure.names != muscles.figure.names:
        raise InputError(
            "the figure must have the segments of the muscles' own", got=", ".join(figure.names),
            allowed=", ".join(muscles.figure.names),
        )  # fmt: skip
    f = {name: np.broadcast_to(np.asarray(factor, float), (3,)) for name, factor in factors.items()}
    objects = tuple(_object(one, _factor(f, one.segment)) for one in muscles.objects)
    own = [_path(muscle.path, f) for muscle in muscles.muscles]
    bands = [_path(ligament.path, f) for ligament in muscles.ligaments]
    growth = _growth(muscles.paths, Paths(figure, tuple(own), objects))
    band_growth = _growth(muscles.bands, Paths(figure, tuple(bands), objects))
    return replace(
        muscles, figure=figure, objects=objects,
        muscles=tuple(
            replace(m, path=path, fibre_length=m.fibre_length * s, slack_length=m.slack_length * s)
            for m, path, s in zip(muscles.muscles, own, growth, strict=True)
        ),
        ligaments=tuple(
            replace(b, path=path, rest_length=b.rest_length * s)
            for b, path, s in zip(muscles.ligaments, bands, band_growth, strict=True)
        ),
    )  # fmt: skip


def _factor(factors: Mapping[str, Array], segment: str | None) -> Array:
    return np.ones(3) if segment is None or segment not in factors else factors[segment]


def _growth(before: Paths, after: Paths) -> list[float]:
    """Return the ratio of the lengths of each path in the neutral posture."""
    if not before.paths:
        return []
    lengths = [path_geometry(paths, paths.figure.neutral()).length for paths in (after, before)]
    return [float(x) for x in lengths[0] / lengths[1]]


def _path(path: MusclePath, factors: Mapping[str, Array]) -> MusclePath:
    return replace(path, points=tuple(_point(p, _factor(factors, p.segment)) for p in path.points))


def _point(point: AnyPoint, f: Array) -> AnyPoint:
    if isinstance(point, PathPoint):
        x, y, z = (f * point.point).tolist()
        return replace(point, point=(x, y, z))
    x, y, z = (_times(own, float(s)) for own, s in zip(point.functions, f, strict=True))
    return MovingPoint(point.segment, (x, y, z), point.coordinates, point.ranges)


def _times(function: CoordinateFunction, factor: float) -> CoordinateFunction:
    if not isinstance(function, Polynomial | Spline):
        raise InputError("the function cannot be scaled", got=type(function).__name__, allowed="Polynomial, Spline")
    return scaled(function, factor)


def _object(one: WrapObject, f: Array) -> WrapObject:
    R, p = one.placement.rotation, one.placement.translation
    along = np.linalg.norm(f[:, None] * R, axis=0)  # stretch of the surface's own axes
    return replace(one, surface=_surface(one.surface, along), placement=Transform(R, f * p))


def _surface(surface: WrapSurface, along: Array) -> WrapSurface:
    """Return a surface stretched along its axes; round ones by the mean of the axes across, as OpenSim does."""
    x, y, z = along.tolist()
    if isinstance(surface, WrapSphere):
        return replace(surface, radius=surface.radius * (x + y + z) / 3)
    if isinstance(surface, WrapCylinder):
        return replace(surface, radius=surface.radius * (x + y) / 2, length=surface.length * z)
    if isinstance(surface, WrapEllipsoid):
        a, b, c = surface.radii
        return replace(surface, radii=(a * x, b * y, c * z))
    if isinstance(surface, WrapTorus):
        return replace(surface, tube=surface.tube * (x + y) / 2, ring=surface.ring * (x + y) / 2)
    raise InputError("the surface cannot be scaled", got=type(surface).__name__)
