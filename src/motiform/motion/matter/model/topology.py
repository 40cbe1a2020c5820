"""Who is linked with whom: chains, loops, cloths, blocks, agglomerates and graphs, as pairs of points."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from motiform.base.errors import InputError

if TYPE_CHECKING:
    from motiform.geometry import Shape

__all__ = [
    "Grid",
    "agglomerate",
    "block_positions",
    "chain",
    "cross",
    "graph",
    "grid",
    "loop",
    "near",
    "volume_positions",
]


@dataclass(frozen=True)
class Grid:
    """The links of one or more directions of a regular grid of points, in C order (last axis fastest)."""

    points: np.ndarray
    """Indices of the points, (nx, ny, nz), consecutive."""
    offsets: tuple[tuple[int, int, int], ...]
    """Directions of the links, in steps of the grid."""

    def pairs(self) -> np.ndarray:
        """Return the links as pairs of indices (links, 2), direction after direction."""
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
        raise InputError("a loop of points", got=len(found), allowed="3 or more")
    return np.stack((found, np.roll(found, -1)), -1)


def agglomerate(points: ArrayLike) -> np.ndarray:
    """Return links between all pairs of points, n (n − 1)/2."""
    found = _indices(points)
    return np.stack([found[k] for k in np.triu_indices(len(found), 1)], -1)


def cross(points: ArrayLike, others: ArrayLike) -> np.ndarray:
    """Return links from every point of one set to every point of another."""
    a, b = np.meshgrid(_indices(points), _indices(others), indexing="ij")
    return np.stack((a.ravel(), b.ravel()), -1)


def near(points: ArrayLike, positions: ArrayLike, distance: float) -> np.ndarray:
    """Return links between all points that lie within a distance [m] of one another."""
    from scipy.spatial import cKDTree

    found, places = _indices(points), np.asarray(positions, float)
    if places.shape != (len(found), 3):
        raise InputError("positions", got=f"shape {places.shape}", allowed=f"({len(found)}, 3), one for each point")
    pairs = cKDTree(places).query_pairs(distance, output_type="ndarray")
    return (
        found[np.sort(pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))], axis=-1)] if len(pairs) else np.empty((0, 2), int)
    )


def graph(pairs: ArrayLike) -> np.ndarray:
    """Return links as given, each once: pairs of points in either order."""
    found = np.asarray(pairs)
    if found.ndim != 2 or found.shape[1] != 2 or found.dtype.kind not in "iu":
        raise InputError("pairs of points", got=f"shape {found.shape}", allowed="whole numbers (links, 2)")
    return np.unique(np.sort(found, axis=1), axis=0)


def grid(points: ArrayLike, shape: Sequence[int], *, diagonals: bool = True, bends: bool = False) -> Grid:
    """Return the links of a regular grid of one to three dimensions: a cloth, a block.

    Along the axes; with `diagonals` also across faces (and, in three dimensions, not through the cells' middles,
    which faces hold already); with `bends` also to the second next along the axes, which resists bending.
    """
    found = _indices(points)
    size = tuple(int(n) for n in shape)
    if not 1 <= len(size) <= 3 or min(size) < 1 or np.prod(size) != len(found):
        raise InputError("shape of a grid", got=size, allowed=f"1 to 3 numbers whose product is {len(found)}")
    if len(found) > 1 and not (np.diff(found) == 1).all():
        raise InputError("points of a grid", allowed="consecutive points of one group")
    full = found.reshape(size + (1,) * (3 - len(size)))
    steps = [
        o
        for o in product((0, 1), (-1, 0, 1), (-1, 0, 1))
        if o > (0, 0, 0) and sum(map(abs, o)) <= (2 if diagonals else 1)
    ]
    if bends:
        steps += [(2, 0, 0), (0, 2, 0), (0, 0, 2)]
    fits = [o for o in steps if all(abs(s) < n for s, n in zip(o, full.shape, strict=True))]
    return Grid(full, tuple(fits))


def block_positions(
    shape: Sequence[int], spacing: float | Sequence[float], at: ArrayLike = (0.0, 0.0, 0.0)
) -> np.ndarray:
    """Return the places of a regular grid [m], (points, 3) in C order, its first corner at `at`."""
    size = (*[int(n) for n in shape], 1, 1)[:3]
    given = np.asarray(spacing, float)
    steps = np.full(3, given) if given.ndim == 0 else np.append(given, [0.0, 0.0])[:3]
    axes = [np.arange(n) * step for n, step in zip(size, steps, strict=True)]
    return np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3) + np.asarray(at, float)


def volume_positions(shape: "Shape", spacing: float) -> np.ndarray:
    """Return places that fill a shape [m], (points, 3), on a grid of so wide a spacing [m]; link them by `near`."""
    from motiform.geometry import Mesh, particles_from_mesh

    mesh = shape if isinstance(shape, Mesh) else shape.to_mesh()
    return np.asarray(particles_from_mesh(mesh, density=1.0, spacing=spacing).points)


def _indices(points: Any) -> np.ndarray:
    found = np.asarray(getattr(points, "indices", points))
    if found.ndim != 1 or found.dtype.kind not in "iu":
        raise InputError("points", got=f"{type(points).__name__}", allowed="points of a network, or their indices")
    return found.astype(np.int64)
