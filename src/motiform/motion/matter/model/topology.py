"""Topologies: pairs of points to be linked, and positions of grids, lines and rings."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError
from motiform.base.machine import check_memory
from motiform.motion.run.options import check_number
from motiform.spatial import across_axes
from motiform.spatial.checks import as_floats

__all__ = [
    "GridLinks", "agglomerate", "block_positions", "chain", "cross", "edges", "graph", "grid", "line_positions", "loop",
    "near", "plate", "ring_positions",
]  # fmt: skip


# What a network takes while it is built and run [byte], as measured
_LINK_BYTES = 400
_GRID_LINK_BYTES = 160  # of a link of a grid, whose ends are not listed
_POINT_BYTES = 600


def check_links(count: int, what: str, *, in_grids: int = 0, points: int = 0) -> None:
    """Refuse more links than fit into memory, before they are made; some of them in grids, and with their points."""
    remedy = "Take fewer points, or a reach: its links are those of points that are near at the time."
    needed = _LINK_BYTES * (count - in_grids) + _GRID_LINK_BYTES * in_grids + _POINT_BYTES * points
    check_memory(needed, f"the links of {what}", got=f"{count} links", remedy=remedy)


@dataclass(frozen=True)
class GridLinks:
    """The links of one or more directions of a regular grid of points, in C order (last axis fastest)."""

    points: np.ndarray
    """Indices of the points, (nx, ny, nz), consecutive."""
    offsets: tuple[tuple[int, int, int], ...]
    """Directions of the links, in steps of the grid."""

    def pairs(self) -> np.ndarray:
        """Return the links as pairs of indices (links, 2), direction after direction."""
        count = len(self.offsets) * self.points.size
        check_links(count, "a grid", in_grids=count, points=self.points.size)
        return np.concatenate([self.pairs_along(offset) for offset in self.offsets])

    def pairs_along(self, offset: Sequence[int]) -> np.ndarray:
        """Return the links of one direction, (links, 2)."""
        near, far = zip(
            *[_shifted(size, step) for size, step in zip(self.points.shape, offset, strict=True)], strict=True
        )
        return np.stack((self.points[near].ravel(), self.points[far].ravel()), -1)


def _shifted(size: int, step: int) -> tuple[slice, slice]:
    if step >= 0:
        return slice(0, max(size - step, 0)), slice(step, size)
    return slice(-step, size), slice(0, max(size + step, 0))


def chain(points: ArrayLike) -> np.ndarray:
    """Return links from each point to the next, (points − 1, 2)."""
    found = _indices(points)
    return np.stack((found[:-1], found[1:]), -1)


def loop(points: ArrayLike) -> np.ndarray:
    """Return links from each point to the next, and from the last to the first."""
    found = _indices(points)
    if len(found) < 3:
        raise InputError("a loop must have at least three points", got=len(found), allowed="3 or more")
    return np.stack((found, np.roll(found, -1)), -1)


def agglomerate(points: ArrayLike) -> np.ndarray:
    """Return links between all pairs of points, n (n − 1)/2."""
    found = _indices(points)
    check_links(len(found) * (len(found) - 1) // 2, "an agglomerate")
    return np.stack([found[k] for k in np.triu_indices(len(found), 1)], -1)


def cross(points: ArrayLike, others: ArrayLike) -> np.ndarray:
    """Return links from every point of one set to every point of another."""
    first, second = _indices(points), _indices(others)
    check_links(len(first) * len(second), "all points of one set with all of another")
    a, b = np.meshgrid(first, second, indexing="ij")
    return np.stack((a.ravel(), b.ravel()), -1)


def near(points: ArrayLike, positions: ArrayLike, distance: float) -> np.ndarray:
    """Return links between all points that lie within a distance [m] of one another."""
    from scipy.spatial import cKDTree

    found, places = _indices(points), as_floats(positions, where="positions")
    if not (isinstance(distance, int | float | np.number) and distance >= 0):
        raise InputError("distance must be a length", got=repr(distance)[:60], allowed="0 m or more")
    if places.shape != (len(found), 3):
        raise InputError(
            "positions must match the points",
            got=f"shape {places.shape}",
            allowed=f"({len(found)}, 3), one for each point",
        )
    tree = cKDTree(places)
    check_links((int(tree.count_neighbors(tree, distance)) - len(found)) // 2, "points that are near one another")
    pairs = tree.query_pairs(distance, output_type="ndarray")
    return (
        found[np.sort(pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))], axis=-1)] if len(pairs) else np.empty((0, 2), int)
    )


def graph(pairs: ArrayLike) -> np.ndarray:
    """Return links as given, each once: pairs of points in either order."""
    found = np.asarray(pairs)
    if found.ndim != 2 or found.shape[1] != 2 or found.dtype.kind not in "iu":
        raise InputError(
            "links must be pairs of points", got=f"shape {found.shape}", allowed="whole numbers (links, 2)"
        )
    return np.unique(np.sort(found, axis=1), axis=0)


def grid(points: ArrayLike, shape: Sequence[int], *, diagonals: bool = True, bends: bool = False) -> GridLinks:
    """Return the links of a regular grid of one to three dimensions: a cloth, a block.

    Along the axes; with `diagonals` also across faces (and, in three dimensions, not through the cells' middles,
    which faces hold already); with `bends` also to the second next along the axes, which resists bending.
    """
    found = _indices(points)
    size = _sizes(shape)
    if math.prod(size) != len(found):
        raise InputError(
            "the shape of a grid must match its points",
            got=size,
            allowed=f"1 to 3 numbers whose product is {len(found)}",
        )
    if len(found) > 1 and not (np.diff(found) == 1).all():
        raise InputError("the points of a grid must be consecutive", allowed="consecutive points of one group")
    full = found.reshape(size + (1,) * (3 - len(size)))
    steps = [
        o
        for o in product((0, 1), (-1, 0, 1), (-1, 0, 1))
        if o > (0, 0, 0) and sum(map(abs, o)) <= (2 if diagonals else 1)
    ]
    if bends:
        steps += [(2, 0, 0), (0, 2, 0), (0, 0, 2)]
    fits = [o for o in steps if all(abs(s) < n for s, n in zip(o, full.shape, strict=True))]
    return GridLinks(full, tuple(fits))


def plate(
    points: ArrayLike, shape: Sequence[int], *, poisson: float = 0.3, free: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Return links across a grid of points that make it a thin plate, (links, 2), and the stiffness of each in D/h².

    They act along the plate's normal (``axis=``). D is the bending stiffness [N m], h the spacing [m] of the square
    grid. The energy is that of Kirchhoff's plate with differences for derivatives,

        D/2h² Σ (δ_xx w + δ_yy w)² + 2 (1 − ν) (δ_xy w² − δ_xx w δ_yy w),

    whose matrix has rows that add up to zero: it is one of springs, some of them below zero. Edges are free, or, with
    ``free=False``, supported: their points must be fixed ones, about which the plate turns.
    """
    from scipy.sparse import coo_matrix, csr_matrix

    found, size = _indices(points), tuple(int(n) for n in shape)
    if len(size) != 2 or min(size) < 3 or size[0] * size[1] != len(found):
        allowed = f"two numbers above 2 whose product is {len(found)}"
        raise InputError("the shape of a plate must match its points", got=size, allowed=allowed)
    if not -1.0 < poisson <= 0.5:
        raise InputError("Poisson's ratio is out of range", where="plate", got=poisson, allowed="above −1, up to 0.5")
    check_links(6 * len(found), "a plate", points=len(found))
    at = np.arange(len(found)).reshape(size)

    def differences(parts: list[tuple[np.ndarray, float]]) -> csr_matrix:
        rows = np.arange(parts[0][0].size)
        entries = [(np.full(one.size, weight), rows, one.ravel()) for one, weight in parts]
        values, i, j = (np.concatenate([entry[k] for entry in entries]) for k in range(3))
        return coo_matrix((values, (i, j)), (rows.size, len(found))).tocsr()

    def second(lines: np.ndarray) -> csr_matrix:
        return differences([(lines[:-2], 1.0), (lines[1:-1], -2.0), (lines[2:], 1.0)])

    inner = at[:, 1:-1], at.T[:, 1:-1]
    xx, yy = second(inner[0]), second(inner[1])
    order = np.argsort(inner[1][1:-1].ravel(), kind="stable"), np.argsort(inner[0][1:-1].ravel(), kind="stable")
    xx, yy = xx[order[1]], yy[order[0]]  # both by the numbers of the points in the middle
    twist = differences([(at[1:, 1:], 1.0), (at[:-1, :-1], 1.0), (at[1:, :-1], -1.0), (at[:-1, 1:], -1.0)])
    bend = xx.T @ xx + yy.T @ yy + poisson * (xx.T @ yy + yy.T @ xx)
    matrix = bend + 2.0 * (1.0 - poisson) * twist.T @ twist
    if free:  # along an edge, half as wide, nothing holds the strip across
        for line in (at[0], at[-1], at[:, 0], at[:, -1]):
            along = second(line)
            matrix = matrix + 0.5 * (1.0 - poisson**2) * along.T @ along
    upper = coo_matrix(matrix)
    there = (upper.row < upper.col) & (np.abs(upper.data) > 1e-12)
    return np.stack((found[upper.row[there]], found[upper.col[there]]), -1), -upper.data[there]


def edges(points: ArrayLike, faces: ArrayLike) -> np.ndarray:
    """Return links along the edges of triangles (triangles, 3), each once; faces number the given points from 0."""
    found, corners = _indices(points), np.asarray(faces)
    if corners.ndim != 2 or corners.shape[1] != 3 or corners.dtype.kind not in "iu":
        raise InputError("faces must be triangles of points", got=f"shape {corners.shape}", allowed="(triangles, 3)")
    if corners.size and (corners.min() < 0 or corners.max() >= len(found)):
        raise InputError("the corners of a face must be points", got=int(corners.max()), allowed=f"below {len(found)}")
    return found[np.unique(np.sort(corners[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1), axis=0)]


def block_positions(
    shape: Sequence[int], spacing: float | Sequence[float], at: ArrayLike = (0.0, 0.0, 0.0), *, axes: str = "xyz"
) -> np.ndarray:
    """Return the places of a regular grid [m], (points, 3) in C order, its first corner at `at`.

    `axes` are the letters of the grid's directions: a grid of two directions with "zx" lies in the plane y = 0.
    """
    size = _sizes(shape)
    letters = axes[: len(size)] if isinstance(axes, str) else ""
    if len(letters) < len(size) or len(set(letters)) < len(letters) or set(letters) - set("xyz"):
        allowed = "letters of xyz, each once, one for each direction"
        raise InputError("the axes of a grid must be different", got=axes, allowed=allowed)
    size = (*size, 1, 1)[:3]
    _count(math.prod(size))
    given = as_floats(spacing, where="spacing")
    if given.ndim > 1 or (given.ndim == 1 and not len(letters) <= given.size <= 3):
        allowed = f"a number, or {len(letters)}"
        raise InputError("spacing must be one, or one for each direction", got=repr(spacing)[:60], allowed=allowed)
    steps = np.full(3, given) if given.ndim == 0 else np.append(given, [0.0, 0.0])[:3]
    rows = [np.arange(n) * step for n, step in zip(size, steps, strict=True)]
    flat = np.stack(np.meshgrid(*rows, indexing="ij"), -1).reshape(-1, 3)
    found = np.zeros_like(flat)
    for k, letter in enumerate(letters):
        found[:, "xyz".index(letter)] = flat[:, k]
    return found + as_floats(at, 3, where="at")


def _sizes(shape: Any) -> tuple[int, ...]:
    """Return one to three numbers of points."""
    fits = isinstance(shape, Sequence | np.ndarray) and 1 <= len(shape) <= 3
    if not fits or not all(isinstance(n, int | np.integer) and n > 0 for n in shape):
        raise InputError(
            "the shape of a grid must be 1 to 3 whole numbers", got=repr(shape)[:60], allowed="such as (3, 4)"
        )
    return tuple(int(n) for n in shape)


def line_positions(start: ArrayLike, end: ArrayLike, count: int) -> np.ndarray:
    """Return places evenly along a line [m], (count, 3), both ends among them."""
    return np.linspace(as_floats(start, 3, where="start"), as_floats(end, 3, where="end"), _count(count))


def ring_positions(
    radius: float,
    count: int,
    center: ArrayLike = (0.0, 0.0, 0.0),
    axis: ArrayLike = (0.0, 1.0, 0.0),
    inner: float | None = None,
) -> np.ndarray:
    """Return places evenly around a circle [m], (count, 3), about an axis of any length.

    With an `inner` radius, of 0 or more, they fill the ring between both evenly, by the golden angle [Vogel79], and are
    numbered by their angles.
    """
    radius = check_number(radius, "radius", "ring")
    number = np.arange(_count(count))[:, None]
    angle, reach = np.asarray(2 * np.pi * number / count), np.asarray(radius)
    first, second = across_axes(axis)
    if inner is not None:
        if not 0.0 <= check_number(inner, "inner", "ring") < radius:
            raise InputError("the inner radius of a ring must be below the outer", got=inner, allowed=f"0 to {radius}")
        turn = np.asarray(np.pi * (3 - 5**0.5) * number % (2 * np.pi))
        order = np.argsort(turn[:, 0], kind="stable")
        angle = turn[order]
        reach = np.sqrt(inner**2 + (number[order] + 0.5) / count * (radius**2 - inner**2))
    return np.asarray(as_floats(center, 3, where="center") + reach * (np.cos(angle) * first + np.sin(angle) * second))


def _count(count: int) -> int:
    if not isinstance(count, int | np.integer) or count < 1:
        raise InputError("a number of points must be 1 or more", got=count)
    remedy = "Take fewer points."
    check_memory(_POINT_BYTES * int(count), "the points of a network", got=f"{count} points", remedy=remedy)
    return int(count)


def _indices(points: Any) -> np.ndarray:
    try:
        found = np.asarray(getattr(points, "indices", points))
    except ValueError:  # rows of different lengths
        found = np.empty((0, 0))
    if found.ndim != 1 or found.dtype.kind not in "iu":
        raise InputError(
            "points must be a handle or indices",
            got=f"{type(points).__name__}",
            allowed="points of a network, or their indices",
        )
    return found.astype(np.int64)
