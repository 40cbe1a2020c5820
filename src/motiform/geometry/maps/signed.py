"""Signed distance of a closed mesh on a grid, with a smooth interpolant and its gradient."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from motiform.base.errors import ShapeError
from motiform.geometry.checks import check_length, read_only
from motiform.geometry.meshes.files import check_closed
from motiform.geometry.meshes.fill import MOST_CELLS, cells_inside
from motiform.geometry.meshes.pieces import small_triangles, thinned
from motiform.geometry.search.closest import PackedSolids, pack_solids, signed_distance
from motiform.geometry.solids.mesh import Mesh
from motiform.spatial import Transform
from motiform.spatial.checks import Array, Words, as_floats

__all__ = ["SignedMap", "signed_map"]

_SAMPLES = 1_000_000  # of a surface at most
_COARSE = 3  # nodes of the fine grid between those of the coarse one, which serves far from the surface


@dataclass(frozen=True, eq=False)
class SignedMap:
    """Signed distance [m] on a cubic grid, negative inside, interpolated by cubic B-splines.

    The interpolant has two continuous derivatives and equals the distance at the nodes. Its error falls as spacing²
    where the surface has edges and as spacing⁴ where it is smooth.
    """

    origin: Array
    """The first node [m], (3,)."""
    spacing: float
    """Distance between nodes [m]."""
    coefficients: Any
    """Coefficients of the B-splines [m], (nx, ny, nz) float32."""
    band: float
    """Within this distance [m] of the surface the nodes are exact; beyond it they are interpolated between nodes three
    times as far apart, from points of the surface that are two spacings apart."""

    @property
    def bounds(self) -> Array:
        """Two opposite corners of the box where it is defined [m], (2, 3)."""
        size = np.array(self.coefficients.shape) - 3
        return self.origin + self.spacing * np.stack([np.ones(3), 1.0 + size])

    def distance(self, points: Any) -> tuple[Array, Array]:
        """Return distance (n,) [m] and gradient (n, 3) at points (n, 3) [m]; inf and NaN outside of its bounds."""
        from motiform.base.kernels import get_device
        from motiform.geometry.maps.signed_kernels import write_samples

        places = np.ascontiguousarray(as_floats(points, 3, where="points").reshape(-1, 3))
        out = np.empty((len(places), 4))
        corner, size = np.array([*self.origin, self.spacing]), np.array(self.coefficients.shape)
        if len(places):
            flat = self.coefficients.reshape(-1)
            get_device("cpu").launch(write_samples, len(places), places, flat, size, corner, out)
        return out[:, 0], out[:, 1:]


def signed_map(
    mesh: Mesh,
    spacing: float = 4e-4,
    *,
    margin: float = 7e-3,
    band: float = np.inf,
    bounds: Any = None,
    solids: PackedSolids | None = None,
) -> SignedMap:
    """Return the signed map of a closed mesh.

    Parameters
    ----------
    spacing : distance between nodes [m].
    margin : how far the map reaches beyond the mesh [m].
    band : nodes nearer to the surface than this [m] are exact, others interpolated on a grid three times coarser.
        Infinite: all are exact, which takes several times as long.
    bounds : two corners (2, 3) [m]: the part of the mesh to be mapped, by default all of it.
    solids : the mesh as `pack_solids` gives it, where it is there already.
    """
    if solids is None:
        check_closed(mesh)
        solids = pack_solids([(mesh, Transform.identity())])
    h, pad = check_length(spacing, "spacing"), check_length(margin, "margin")
    box = mesh.bounds if bounds is None else as_floats(bounds, 2, 3, where="bounds")
    low = box[0] - pad - 2.0 * h
    cells = np.ceil((box[1] + pad + 2.0 * h - low) / (h * _COARSE)) + 1
    if not np.prod(cells * _COARSE) <= MOST_CELLS:
        got = Words(f"{np.prod(cells * _COARSE):.3g} nodes")
        raise ShapeError("the map is too large", where="spacing", got=got, allowed=f"up to {MOST_CELLS} nodes")
    shape = [(int(n) - 1) * _COARSE + 1 for n in cells]
    # The nearest face tells the side wrongly where a mesh is folded; how often it is crossed tells it everywhere.
    inside = cells_inside(mesh, [low[k] + h * np.arange(n) for k, n in enumerate(shape)])
    values = _distances(mesh, solids, low, h, inside, float(band))
    values = np.where(inside, -values, values)
    return SignedMap(read_only(low), h, read_only(_coefficients(values)), float(band))


def _distances(mesh: Mesh, solids: Any, low: Array, h: float, inside: Any, band: float) -> Array:
    """Return the distance at the nodes, never negative: from the mesh in the band, from points of it beyond."""
    values = np.zeros(inside.shape) if not np.isfinite(band) else _rough(mesh, low, h, inside.shape)
    index = np.nonzero(_near(inside, band / h) | (values <= band))
    points = low + h * np.stack(index, axis=1)
    values[index] = np.abs(signed_distance(solids, points)[0])
    return values


def _near(inside: Any, nodes: float) -> Any:
    """Return which nodes may be nearer to the surface than so many nodes."""
    from scipy.ndimage import distance_transform_edt

    rim = np.zeros(inside.shape, bool)
    for axis in range(3):
        a, b = (np.moveaxis(part, axis, 0) for part in (inside, rim))
        crossed = a[1:] != a[:-1]
        b[1:] |= crossed
        b[:-1] |= crossed
    if not np.isfinite(nodes) or not rim.any():
        return np.ones(inside.shape, bool)
    # The foot of a node lies in a cell that has a corner of the rim.
    return distance_transform_edt(~rim) <= nodes + 1.75


def _rough(mesh: Mesh, low: Array, h: float, shape: tuple[int, ...]) -> Array:
    """Return the distance from points of the surface some 2 h apart, linear between nodes three times as far apart.

    Far from a surface of many triangles most of them are about equally near, and a search for the nearest is long.
    """
    from scipy.spatial import cKDTree

    points, _ = small_triangles(mesh, max(2.0 * h, np.sqrt(mesh.area / _SAMPLES)))
    tree = cKDTree(thinned(points, 2.0 * h))
    axes = [np.arange(0, n, _COARSE) for n in shape]
    nodes = low + h * np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    values = np.asarray(tree.query(nodes)[0]).reshape([len(axis) for axis in axes])
    for axis, count in enumerate(shape):
        values = _spread(values, axis, np.arange(count) / _COARSE)
    return values


def _spread(values: Array, axis: int, places: Array) -> Array:
    """Return values along an axis at places between its nodes, linearly."""
    first = np.minimum(places.astype(np.int64), values.shape[axis] - 2)
    part = (places - first).reshape([-1 if k == axis else 1 for k in range(3)])
    return np.take(values, first, axis) * (1.0 - part) + np.take(values, first + 1, axis) * part


def _coefficients(values: Array) -> Any:
    from scipy.ndimage import spline_filter

    return np.ascontiguousarray(spline_filter(values, order=3, mode="mirror"), dtype=np.float32)
