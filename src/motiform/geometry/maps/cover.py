"""Covers: a volume as a union of balls."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from motiform.base.errors import InputError, ShapeError
from motiform.geometry.checks import check_length, check_points, read_only
from motiform.geometry.maps.axis import euclidean_axis
from motiform.geometry.maps.euclid import check_labels
from motiform.geometry.maps.grid import Grid, grid_around
from motiform.geometry.maps.mass import label_mass
from motiform.geometry.mass import MassProperties
from motiform.spatial.checks import Array, Words, as_floats

__all__ = ["Cover", "check_same_shape", "cover_labels", "reduce_cover"]

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Cover:
    """Balls whose union stands for a body, and how far the two may differ.

    Attributes
    ----------
    centers : (n, 3) [m].
    radii : (n,) [m], above zero.
    short : [m], no voxel centre of the body is further outside the balls than this.
    beyond : [m], no ball passes the centre of a voxel outside the body by more than this.
    """

    centers: Array
    radii: Array
    short: float = 0.0
    beyond: float = 0.0

    def __post_init__(self) -> None:
        centers = check_points(self.centers, "centres of a cover")
        radii = as_floats(self.radii, where="radii of a cover", error=ShapeError)
        if radii.shape != (len(centers),) or not (radii > 0).all():
            got = Words(f"{radii.shape}, the smallest {radii.min() if radii.size else 0:g} m")
            raise ShapeError("each ball must have a radius", where="cover", got=got, allowed="(n,), above zero")
        object.__setattr__(self, "centers", centers)
        object.__setattr__(self, "radii", read_only(radii.copy()))

    def __len__(self) -> int:
        return len(self.radii)

    @property
    def bounds(self) -> Array:
        """The lowest and highest corner [m], (2, 3)."""
        r = self.radii[:, None]
        return np.stack([(self.centers - r).min(axis=0), (self.centers + r).max(axis=0)])

    def contains(self, points: Any) -> Mask:
        """Return which points [m], (m, 3), are in the union, (m,)."""
        from scipy.spatial import cKDTree

        given = check_points(points, "points")
        inside = np.zeros(len(given), bool)
        tree = cKDTree(given)
        for start in range(0, len(self), 4096):
            part = slice(start, start + 4096)
            for found in tree.query_ball_point(self.centers[part], self.radii[part]):
                inside[found] = True
        return inside

    def voxels(self, grid: Grid, *, device: str = "cpu") -> Mask:
        """Return which voxels of an isotropic grid have their centres in the union, (nx, ny, nz)."""
        from motiform.base.kernels import get_device
        from motiform.geometry.maps.cover_kernels import paint_union

        h, target = grid.edge, get_device(device)
        centers, radii = grid.index(self.centers), self.radii / h
        low = np.clip(np.ceil(centers[:, 0] - radii), 0, grid.shape[0]).astype(np.int64)
        high = np.clip(np.floor(centers[:, 0] + radii) + 1, low, grid.shape[0]).astype(np.int64)
        ball = np.repeat(np.arange(len(radii)), high - low)
        layer = np.arange(len(ball)) - np.repeat(np.cumsum(high - low) - (high - low), high - low) + low[ball]
        order = ball[np.argsort(layer, kind="stable")]
        starts = np.concatenate([[0], np.cumsum(np.bincount(layer, minlength=grid.shape[0]))])
        inside = target.array(np.zeros(grid.shape, np.uint8))
        arrays = [target.array(one) for one in (centers, radii, starts, order)]
        target.launch(paint_union, grid.shape[0], *arrays, inside, least=2)
        return target.host(inside) != 0

    def mass_properties(self, *, density: float, spacing: float | None = None) -> MassProperties:
        """Return mass, centre of mass and inertia of the union at a density [kg/m³], by voxels of `spacing` [m].

        Without `spacing` the box around it has 128 voxels along its longest side. The volume converges with it.
        """
        low, high = self.bounds
        edge = check_length(spacing, "spacing") if spacing is not None else float((high - low).max()) / 128
        grid = grid_around(low, high, edge)
        return label_mass(self.voxels(grid), grid, density=density)


def cover_labels(inside: Any, grid: Grid, *, device: str = "cpu") -> Cover:
    """Return the cover of a volume by the balls of its Euclidean medial axis.

    A centre with distance D to the nearest voxel centre outside gets the radius D − h/2: half a voxel edge h is left to
    the surface between the two voxels. So no ball passes a centre outside (`beyond` 0), and every centre inside is
    within h/2 of a ball (`short`).
    """
    h = grid.edge
    centers, squares = euclidean_axis(check_same_shape(inside, grid), device=device)
    if len(centers) == 0:
        raise ShapeError("the volume is empty", where="cover", allowed="at least one voxel inside")
    return Cover(grid.points(centers), (np.sqrt(squares) - 0.5) * h, 0.5 * h, 0.0)


def reduce_cover(inside: Any, grid: Grid, *, error: float, side: Literal["inside", "outside"] = "inside") -> Cover:
    """Return few balls that cover a volume to a stated one-sided error [m]: a greedy choice from its medial axis.

    Balls D + error large are chosen until they hold every voxel of the volume: each time the ball that holds most of
    the voxels not yet held. With side "inside" they get the radius D − h/2 of `cover_labels`: no ball passes a voxel
    centre outside, and the union falls short by at most error + h/2. With "outside" they get error − h/2 more
    than D: the union falls short by at most h/2, and passes centres outside by at most error − h/2. Error 0 gives a
    cover of the same voxels as the whole axis.
    """
    from motiform.base.kernels import get_device
    from motiform.geometry.maps.cover_kernels import choose_greedily, count_balls

    if side not in ("inside", "outside"):
        raise InputError("unknown side of a cover", got=side, allowed="'inside', 'outside'")
    allowance = as_floats(error, where="error", error=ShapeError)
    if allowance.ndim or allowance < 0:
        raise ShapeError("the error of a cover must not be negative", got=error, allowed="zero or a length in m")
    h, mask = grid.edge, check_same_shape(inside, grid)
    centers, squares = euclidean_axis(mask)
    if len(centers) == 0:
        raise ShapeError("the volume is empty", where="cover", allowed="at least one voxel inside")
    reach = (np.sqrt(squares) + float(allowance) / h) ** 2 if allowance > 0 else squares.astype(float)
    left, counts, chosen = _bits(mask), np.empty(len(centers), np.int64), np.empty(len(centers), np.int64)
    get_device("cpu").launch(count_balls, len(centers), left, centers, reach, counts)
    few = np.sort(chosen[: choose_greedily(left, centers, reach, counts, chosen)])
    more = float(allowance) if side == "outside" else 0.0
    radii = (np.sqrt(squares[few]) - 0.5) * h + more
    short = 0.5 * h + float(allowance) - more
    return Cover(grid.points(centers[few]), radii, short, max(0.0, more - 0.5 * h))


def check_same_shape(inside: Any, grid: Grid) -> Mask:
    """Return which voxels are inside, as many as the grid has."""
    mask: Mask = check_labels(inside) != 0
    if mask.shape != grid.shape:
        raise ShapeError("a volume must fit its grid", got=Words(str(mask.shape)), allowed=str(grid.shape))
    return mask


def _bits(mask: Mask) -> NDArray[np.uint64]:
    """Return the voxels as bits of words along z, (nx, ny, words)."""
    nx, ny, nz = mask.shape
    wide = np.zeros((nx, ny, -(-nz // 64) * 64), bool)
    wide[..., :nz] = mask
    return np.packbits(wide, axis=-1, bitorder="little").view("<u8").astype(np.uint64)
