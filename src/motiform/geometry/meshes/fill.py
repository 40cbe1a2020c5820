"""Bodies as particles: the vertices of a mesh, or a grid of points that fills it. [Zara]"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from motiform.base.errors import ShapeError
from motiform.geometry.checks import check_amount, check_length, check_one_amount
from motiform.geometry.meshes.files import check_closed
from motiform.geometry.solids.mesh import Mesh
from motiform.geometry.solids.particles import Particles
from motiform.spatial.checks import Array, Words

__all__ = ["cells_inside", "particles_from_mesh", "particles_from_vertices", "winding_counts"]

MOST_CELLS = 20_000_000
_PAIRS_AT_ONCE = 2_000_000  # (triangle, column) pairs held in memory together

Indices = NDArray[np.int64]


def particles_from_vertices(mesh: Mesh, *, mass: float) -> Particles:
    """Return one particle at each vertex of a mesh, with equal fractions of the total mass [kg]."""
    return Particles(mesh.vertices, np.full(len(mesh.vertices), check_amount(mass, "mass", "kg") / len(mesh.vertices)))


def particles_from_mesh(
    mesh: Mesh, spacing: float, *, density: float | None = None, mass: float | None = None
) -> Particles:
    """Return equal particles at the centres of those cells of a cubic grid that have their centre inside a closed mesh.

    `spacing` [m] is the edge of the cells; the grid is centred on the mesh's box. A particle weighs density · spacing³,
    or an equal share of `mass`. The inertia tends to the exact one as spacing² for a box that fits the grid.
    """
    h = check_length(spacing, "spacing")
    rho, total = check_one_amount(density, mass, "particles_from_mesh")
    check_closed(mesh)
    centers = [_cell_centers(low, high, h) for low, high in mesh.bounds.T]
    inside = np.nonzero(cells_inside(mesh, centers))
    points = np.stack([c[i] for c, i in zip(centers, inside, strict=True)], axis=1)
    if len(points) == 0:
        raise ShapeError("no cell has its centre inside the mesh", where="spacing", got=h, remedy="Take it smaller.")
    each = rho * h**3 if rho is not None else (total or 0.0) / len(points)
    return Particles(points, np.full(len(points), each), 0.5 * h)


def _cell_centers(low: float, high: float, h: float) -> Array:
    cells = np.ceil((high - low) / h - 1e-9)  # an edge of 10.000000001 cells is one of 10
    if cells > MOST_CELLS:
        raise _too_many(cells)
    n = max(int(cells), 1)
    return 0.5 * (low + high) + h * (np.arange(n, dtype=np.float64) - 0.5 * (n - 1))


def _too_many(cells: float) -> ShapeError:
    allowed = f"at most {MOST_CELLS}"
    return ShapeError(
        "too many cells", where="spacing", got=Words(f"{cells:.3g}"), allowed=allowed, remedy="Take it larger."
    )


def winding_counts(mesh: Mesh, spacing: float) -> NDArray[np.int32]:
    """Return how often the surface encloses the centre of each cell of a cubic grid over the mesh, (nx, ny, nz).

    1 inside of a sound closed mesh, 0 outside; 2 where it overlaps itself, −1 where a part of it is inside out.
    """
    h = check_length(spacing, "spacing")
    return _windings(mesh, [_cell_centers(low, high, h) for low, high in mesh.bounds.T])


def cells_inside(mesh: Mesh, centers: list[Array]) -> NDArray[np.bool_]:
    """Return which cells (nx, ny, nz) with centres at x, y, z have them inside a closed mesh.

    The signed crossings above a centre, along y, sum to one or more there.
    """
    return _windings(mesh, centers) > 0


def _windings(mesh: Mesh, centers: list[Array]) -> NDArray[np.int32]:
    """Return the sum of the signed crossings above each cell, along y, (nx, ny, nz)."""
    xs, ys, zs = centers
    if len(xs) * len(ys) * len(zs) > MOST_CELLS:
        raise _too_many(len(xs) * len(ys) * len(zs))
    steps = np.zeros((len(xs), len(zs), len(ys) + 1), np.int32)
    for chunk, columns in _chunks(mesh, xs, zs):
        ix, iz, y, sign = _crossings(mesh, chunk, columns, xs, zs)
        np.add.at(steps, (ix, iz, np.searchsorted(ys, y)), sign)
    above = np.cumsum(steps[..., ::-1], axis=-1)[..., ::-1]  # those above cell j are at steps > j
    return np.swapaxes(above[..., 1:], 1, 2)


def _chunks(mesh: Mesh, xs: Array, zs: Array) -> Any:
    """Yield triangles with the ranges of columns (x0, x1, z0, z1) that their shadows along y may cover."""
    corners = mesh.vertices[mesh.faces]
    low, high = corners.min(axis=1), corners.max(axis=1)
    columns = np.stack(
        [
            np.searchsorted(xs, low[:, 0]),
            np.searchsorted(xs, high[:, 0], side="right"),
            np.searchsorted(zs, low[:, 2]),
            np.searchsorted(zs, high[:, 2], side="right"),
        ],
        axis=1,
    )
    pairs = (columns[:, 1] - columns[:, 0]) * (columns[:, 3] - columns[:, 2])
    group = np.cumsum(pairs) // _PAIRS_AT_ONCE
    for n in np.unique(group):
        chosen = np.nonzero((group == n) & (pairs > 0))[0]
        yield chosen, columns[chosen]


def _crossings(mesh: Mesh, chosen: Indices, columns: Indices, xs: Array, zs: Array) -> tuple[Any, ...]:
    """Return where columns pass through triangles: column (ix, iz), height y, +1 where it leaves the body, else −1."""
    wide, deep = columns[:, 1] - columns[:, 0], columns[:, 3] - columns[:, 2]
    owner = np.repeat(np.arange(len(chosen)), wide * deep)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(wide * deep) - wide * deep, wide * deep)
    ix = columns[owner, 0] + within // deep[owner]
    iz = columns[owner, 2] + within % deep[owner]
    faces = mesh.faces[chosen[owner]]
    sides = [_side(mesh.vertices, faces[:, a], faces[:, b], xs[ix], zs[iz]) for a, b in ((1, 2), (2, 0), (0, 1))]
    signs = [sign for _, sign in sides]
    hit = (signs[0] == signs[1]) & (signs[1] == signs[2])
    weights = np.stack([np.abs(area[hit]) for area, _ in sides], axis=1)
    whole = weights.sum(axis=1, keepdims=True)
    weights = np.where(whole > 0, weights / np.where(whole > 0, whole, 1.0), 1.0 / 3.0)
    y = (weights * mesh.vertices[faces[hit], 1]).sum(axis=1)
    # Seen from above x runs right and z toward the viewer, so an upward triangle turns clockwise in (x, z).
    return ix[hit], iz[hit], y, -signs[0][hit]


def _side(vertices: Array, start: Indices, end: Indices, x: Array, z: Array) -> tuple[Array, Indices]:
    """Return twice the area (x, z), start, end in the plane, and its sign, which is never zero.

    Both triangles at an edge compute it from the same end, so that they agree to the last bit. On the edge itself the
    point counts as moved by (ε, ε²): no column is lost between two triangles, none counted twice.
    """
    a, b = vertices[np.minimum(start, end)], vertices[np.maximum(start, end)]
    dx, dz = b[:, 0] - a[:, 0], b[:, 2] - a[:, 2]
    area = dx * (z - a[:, 2]) - dz * (x - a[:, 0])
    sign = np.sign(area)
    sign = np.where(sign != 0, sign, np.where(dz != 0, -np.sign(dz), np.sign(dx)))
    turned = np.where(start > end, -1.0, 1.0)
    return area * turned, (sign * turned).astype(np.int64)
