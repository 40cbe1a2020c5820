"""Points that fill a shape: a cubic lattice, optionally jittered, whose balls neither overlap nor protrude."""

from math import prod

import numpy as np

from motiform.base.errors import InputError, ShapeError
from motiform.geometry.meshes.fill import particles_from_mesh
from motiform.geometry.solids.register import Ball, Box, Cylinder, Mesh
from motiform.geometry.solids.shape import Shape
from motiform.spatial.checks import Array, generator

__all__ = ["MOST_POINTS", "fill_points"]

MOST_POINTS = 10_000_000
_TRIES = 60  # halvings of the interval of spacings that give a number of points


def fill_points(
    shape: Shape,
    *,
    spacing: float | None = None,
    count: int | None = None,
    radius: float = 0.0,
    jitter: float = 0.0,
    rng: np.random.Generator | int = 0,
) -> Array:
    """Return points of a cubic lattice inside a shape [m], (points, 3), in its frame.

    Balls of a `radius` [m] about the points do not overlap, and do not stick out of a box, ball or cylinder; of other
    shapes the centres are inside. `spacing` [m] is that of the lattice. With `count` alone it is the widest that gives
    so many points; with both, `count` of them are drawn. `jitter`, from 0 to 1, is the share of the free room by which
    each point is moved at random. `rng` draws; the same seed gives the same points.

    >>> fill_points(Box((0.2, 0.1, 0.1)), spacing=0.1).shape
    (12, 3)
    """
    _check_numbers(spacing, count, radius, jitter)
    solid = shape if isinstance(shape, Box | Ball | Cylinder | Mesh) else shape.to_mesh()
    h = _widest(solid, count or 0, radius, jitter) if spacing is None else spacing
    room = 0.5 * h - radius  # what a ball may move along each axis without touching the next
    if room < -1e-12 * h:
        raise InputError(
            "points of these radii overlap", got=f"spacing {h:.6g} m, radius {radius:.6g} m",
            remedy="Lower count or radius, or raise spacing: two radii at least.",
        )  # fmt: skip
    shift = jitter * max(room, 0.0)
    found = _lattice(solid, h, radius, shift)
    draw = generator(rng)
    if count is not None:
        if len(found) < count:
            raise InputError("the shape holds fewer points", got=count, allowed=f"at most {len(found)}")
        found = found[np.sort(draw.permutation(len(found))[:count])]
    if not len(found):
        raise InputError("the shape holds no point", got=f"spacing {h:g} m", remedy="Take it smaller.")
    return found + shift * draw.uniform(-1.0, 1.0, found.shape) if shift else found


def _check_numbers(spacing: float | None, count: int | None, radius: float, jitter: float) -> None:
    if spacing is None and count is None:
        raise InputError("spacing or count must be given", where="fill_points")
    if (spacing is not None and not 0 < spacing < np.inf) or not 0 <= radius < np.inf:
        got = f"spacing {spacing}, radius {radius}"
        raise InputError("spacing must be above 0 m, radius at least 0 m", where="fill_points", got=got)
    if count is not None and not 1 <= count <= MOST_POINTS:
        raise InputError("too many points or none", where="count", got=count, allowed=f"1 to {MOST_POINTS}")
    if not 0 <= jitter <= 1:
        raise InputError("jitter is a share", where="fill_points", got=jitter, allowed="0 to 1")


def _widest(shape: Shape, count: int, radius: float, jitter: float) -> float:
    """Return the widest spacing, to a part in a billion, whose lattice has `count` points."""

    def holds(spacing: float) -> bool:
        shift = jitter * max(0.5 * spacing - radius, 0.0)
        try:
            return len(_lattice(shape, spacing, radius, shift)) >= count
        except ShapeError:
            return False  # a mesh that not one point fits into

    volume = _volume(shape)
    low = high = 1.5 * (volume / count) ** (1 / 3)
    while not holds(low):
        low, high = 0.7 * low, low
        if low < 2 * radius * 0.7 or volume / low**3 > 4 * MOST_POINTS:
            raise InputError("the shape does not hold so many points", got=count, remedy="Lower count or radius.")
    for _ in range(_TRIES):
        if high - low <= 1e-9 * high:
            break
        middle = 0.5 * (low + high)
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _volume(shape: Shape) -> float:
    if isinstance(shape, Box):
        return float(prod(shape.size))
    if isinstance(shape, Ball):
        return float(4 / 3 * np.pi * shape.radius**3)
    if isinstance(shape, Cylinder):
        return float(np.pi * shape.radius**2 * shape.height)
    assert isinstance(shape, Mesh)
    return float(shape.volume)


def _lattice(shape: Shape, spacing: float, radius: float, shift: float) -> Array:
    """Return the points of a lattice, centred, whose balls stay inside the shape when moved by `shift` [m] each way."""
    if isinstance(shape, Mesh):
        return np.array(particles_from_mesh(shape, spacing, mass=1.0).points)
    margin = radius + shift
    if isinstance(shape, Box):
        half = 0.5 * np.array(shape.size)
    elif isinstance(shape, Ball):
        half = np.full(3, shape.radius)
    else:
        assert isinstance(shape, Cylinder)
        half = np.array([shape.radius, 0.5 * shape.height, shape.radius])
    rows = [_row(float(h) - margin, spacing) for h in half]
    if prod(len(row) for row in rows) > 4 * MOST_POINTS:
        raise _too_many(spacing)
    places = np.stack(np.meshgrid(*rows, indexing="ij"), -1).reshape(-1, 3)
    if isinstance(shape, Ball):
        return np.asarray(places[np.linalg.norm(places, axis=1) <= shape.radius - radius - 3**0.5 * shift])
    if isinstance(shape, Cylinder):
        across = np.hypot(places[:, 0], places[:, 2])
        return np.asarray(places[across <= shape.radius - radius - 2**0.5 * shift])
    return np.asarray(places)


def _row(half: float, spacing: float) -> Array:
    """Return places a spacing apart within ± half, centred: as many as fit."""
    count = int(np.floor(min(2 * half / spacing, 1e9) * (1 + 1e-12) + 1e-12)) + 1 if half >= 0 else 0
    if count > MOST_POINTS:
        raise _too_many(spacing)
    return np.asarray(spacing * (np.arange(count) - 0.5 * (count - 1)))


def _too_many(spacing: float) -> InputError:
    return InputError("too many points", got=f"spacing {spacing:g} m", allowed=f"at most {MOST_POINTS}")
