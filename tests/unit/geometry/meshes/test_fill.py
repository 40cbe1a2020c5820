"""A body discretised into particles, as in the course."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from motiform.base.errors import ShapeError
from motiform.geometry import Ball, Box, Compound, Mesh, particles_from_mesh, particles_from_vertices
from motiform.spatial import Transform, random_rotation

BOX = Box((1.0, 2.0, 3.0)).to_mesh()


@pytest.mark.parametrize("h", [0.5, 0.25, 0.1])
def test_a_box_that_fits_the_grid_misses_only_the_cells_own_inertia(h: float) -> None:
    """n equal points with step h along an edge a = n h have the mean square (a² − h²)/12 instead of a²/12."""
    body = particles_from_mesh(BOX, h, density=2.0).mass_properties()
    assert body.mass == pytest.approx(12.0, rel=1e-13)
    assert_allclose(body.com, 0, atol=1e-14)
    a, b, c = (1 - h**2) / 12, (4 - h**2) / 12, (9 - h**2) / 12
    assert_allclose(body.inertia, 12 * np.diag([b + c, a + c, a + b]), rtol=1e-12, atol=1e-12)


def test_no_column_is_lost_or_doubled_on_edges_and_diagonals() -> None:
    """Cell centres that lie on the diagonals of the faces, on edges between triangles and on the plane of symmetry."""
    for n in range(1, 8):
        cube = Box((n, n, n)).to_mesh()
        assert len(particles_from_mesh(cube, 1.0, density=1.0).points) == n**3
    octahedron = Ball(1.0).to_mesh(4)
    inside = particles_from_mesh(octahedron, 2 / 21, density=1.0).points
    grid = np.stack(np.meshgrid(*[np.arange(-10, 11)] * 3), axis=-1).reshape(-1, 3) * (2 / 21)
    assert len(inside) == (np.abs(grid).sum(axis=1) < 1 - 1e-9).sum()
    assert (np.abs(inside).sum(axis=1) < 1).all()


def test_points_lie_inside_a_turned_box_and_fill_it() -> None:
    T = Transform(random_rotation(np.random.default_rng(2)), [5.0, -2.0, 1.0])
    h = 0.1
    cloud = particles_from_mesh(BOX.moved(T), h, density=1.0)
    local = T.inverse().point(cloud.points)
    assert (np.abs(local) <= np.array([0.5, 1.0, 1.5]) + 1e-12).all()
    # cells cut by the surface are counted or not: at most half a cell's diagonal on each side of the 22 m² surface
    assert abs(cloud.masses.sum() - 6.0) <= 22 * h * np.sqrt(3) / 2
    brute = np.stack(np.meshgrid(*[_centers(*edges, h) for edges in BOX.moved(T).bounds.T], indexing="ij"), -1).reshape(
        -1, 3
    )
    within = (np.abs(T.inverse().point(brute)) < [0.5, 1.0, 1.5]).all(axis=1)
    assert len(cloud.points) == within.sum()


def _centers(low: float, high: float, h: float) -> np.ndarray:
    n = int(np.ceil((high - low) / h))
    return (low + high) / 2 + h * (np.arange(n) - (n - 1) / 2)


def test_a_hole_stays_empty() -> None:
    outer, inner = Box((3, 3, 3)).to_mesh(), Box((1, 1, 1)).to_mesh()
    hollow = Mesh(
        np.concatenate([outer.vertices, inner.vertices]), np.concatenate([outer.faces, inner.faces[:, ::-1] + 8])
    )
    assert len(particles_from_mesh(hollow, 1.0, density=1.0).points) == 26


def test_overlapping_parts_count_once_as_particles() -> None:
    part = (Box((2, 2, 2)), Transform.identity())
    assert len(particles_from_mesh(Compound((part, part)).to_mesh(), 1.0, density=1.0).points) == 8


def test_the_mass_is_shared() -> None:
    cloud = particles_from_mesh(BOX, 0.5, mass=3.0)
    assert_allclose(cloud.masses, 3.0 / 48)
    assert cloud.radius == 0.25
    corners = particles_from_vertices(BOX, mass=8.0)
    assert_allclose(corners.masses, 1.0)
    # eight corners of mass 1 at (±½, ±1, ±3/2): Σ m (y² + z²), …
    assert_allclose(corners.mass_properties().inertia, 8 * np.diag([3.25, 2.5, 1.25]), atol=1e-14)


def test_rejections_say_why() -> None:
    with pytest.raises(ShapeError, match="give either density= or mass="):
        particles_from_mesh(BOX, 0.1)
    with pytest.raises(ShapeError, match="spacing: a length must be positive"):
        particles_from_mesh(BOX, 0.0, density=1.0)
    with pytest.raises(ShapeError, match="too many cells"):
        particles_from_mesh(BOX, 1e-3, density=1.0)
    with pytest.raises(ShapeError, match="too many cells"):
        particles_from_mesh(BOX, 1e-29, density=1.0)
    with pytest.raises(ShapeError, match="the mesh is open"):
        particles_from_mesh(Mesh(BOX.vertices, BOX.faces[1:]), 0.1, density=1.0)
    ring_hole = Mesh(
        np.concatenate([BOX.vertices, BOX.vertices * 0.9]), np.concatenate([BOX.faces, BOX.faces[:, ::-1] + 8])
    )
    with pytest.raises(ShapeError, match=r"no cell has its centre inside.*smaller"):
        particles_from_mesh(ring_hole, 3.0, density=1.0)
