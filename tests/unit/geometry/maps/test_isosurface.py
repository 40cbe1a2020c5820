"""Surfaces of fields and labels: closed, outward, of the right size."""

import numpy as np
import pytest

from motiform.base.errors import ShapeError
from motiform.geometry import Ellipsoid, check_closed
from motiform.geometry.maps import Grid, grid_around, isosurface, label_surface, mesh_voxels

SIZES = np.array([4e-3, 5e-3, 6e-3])


def points_of(grid):
    return grid.points(np.moveaxis(np.indices(grid.shape), 0, -1))


def test_surface_of_a_ball_converges():
    errors = []
    for h in (1e-3, 0.5e-3):
        grid = grid_around([-5e-3] * 3, [5e-3] * 3, h, margin=2 * h)
        mesh = isosurface(np.linalg.norm(points_of(grid), axis=-1) - 5e-3, grid)
        volume = check_closed(mesh)
        errors.append(abs(volume / (4 / 3 * np.pi * 125e-9) - 1))
        assert np.abs(np.linalg.norm(mesh.vertices, axis=1) - 5e-3).max() < 0.1 * h
    assert errors[1] < 0.35 * errors[0]  # second order
    assert errors[1] < 0.015


def test_a_torus_and_turned_axes():
    axes = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    grid = Grid((60, 60, 30), 0.5e-3, (0.1, 0.2, 0.3), axes)
    p = np.moveaxis(np.indices(grid.shape), 0, -1) * 0.5e-3 - (15e-3, 15e-3, 7.5e-3)
    field = np.hypot(np.hypot(p[..., 0], p[..., 1]) - 9e-3, p[..., 2]) - 3e-3
    mesh = isosurface(field, grid)
    assert check_closed(mesh) == pytest.approx(2 * np.pi**2 * 9e-3 * 9e-6, rel=0.02)
    np.testing.assert_allclose(mesh.vertices.mean(0), grid.points((30, 30, 15)), atol=0.1e-3)


def test_bodies_that_reach_the_border_are_closed():
    grid = Grid((9, 8, 7), 1e-3)
    mesh = isosurface(np.full(grid.shape, -1.0), grid)
    assert check_closed(mesh) > 0.8 * 9 * 8 * 7e-9


def test_labels_keep_their_volume():
    shape = Ellipsoid(tuple(SIZES)).to_mesh(64)
    grid = grid_around(*shape.bounds, 0.5e-3, margin=0.2e-3)
    inside = mesh_voxels(shape, grid)
    assert np.array_equal(inside, ((points_of(grid) / SIZES) ** 2).sum(-1) < 1) or (
        (inside != (((points_of(grid) / SIZES) ** 2).sum(-1) < 1)).mean() < 0.002  # the mesh is inside the ellipsoid
    )
    mesh = label_surface(inside, grid)
    assert check_closed(mesh) == pytest.approx(inside.sum() * grid.voxel, rel=0.02)
    one = np.zeros((3, 3, 3), bool)
    one[1, 1, 1] = True
    assert check_closed(label_surface(one, Grid((3, 3, 3), 1e-3))) > 0


def test_wrong_input():
    grid = Grid((3, 3, 3), 1e-3)
    with pytest.raises(ShapeError, match="no surface"):
        isosurface(np.ones((3, 3, 3)), grid)
    with pytest.raises(ShapeError, match="fit their grid"):
        isosurface(np.ones((3, 3, 4)), grid)
    with pytest.raises(ShapeError, match="no voxel"):
        label_surface(np.zeros((3, 3, 3), bool), grid)
