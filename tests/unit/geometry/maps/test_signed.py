"""Signed maps of meshes against exact distances."""

import numpy as np
import pytest

from motiform.base.errors import ShapeError
from motiform.geometry import Ball, Box, Mesh
from motiform.geometry.maps import signed_map

RADIUS = 8e-3


def shell(count: int, low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    directions = rng.normal(size=(count, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    return directions, rng.uniform(low, high, count)


@pytest.fixture(scope="module")
def ball():
    return signed_map(Ball(RADIUS).to_mesh(256), 4e-4, margin=3e-3, band=1.6e-3)


def test_a_ball_has_its_distance_and_outward_gradient(ball):
    """A mesh of 256 sides is inscribed by R(1 − cos(π/256)) = 0.6 µm, and interpolation adds less than that.

    The normals of its faces are off by up to half the angle of a side, π/256 = 0.012.
    """
    directions, r = shell(2000, RADIUS - 1.5e-3, RADIUS + 1.5e-3)
    distance, gradient = ball.distance(directions * r[:, None])
    assert np.abs(distance - (r - RADIUS)).max() < 2e-6
    assert np.abs(gradient - directions).max() < 0.013


def test_the_gradient_is_that_of_the_interpolant(ball):
    """Central differences of a cubic with steps s err by s²/6 · f''' < s²/h² · 0.1; float32 adds 1e-7·f/s."""
    directions, r = shell(200, RADIUS - 3e-3, RADIUS + 2.5e-3)
    places, step = directions * r[:, None], 1e-5
    _, gradient = ball.distance(places)
    for axis in range(3):
        shift = step * np.eye(3)[axis]
        slope = (ball.distance(places + shift)[0] - ball.distance(places - shift)[0]) / (2.0 * step)
        np.testing.assert_allclose(slope, gradient[:, axis], atol=(step / ball.spacing) ** 2 + 1e-7)


def test_far_from_the_surface_it_is_interpolated_more_coarsely(ball):
    """Linear interpolation over a cell of size c errs by c²/8 · 2/r, with r in the cell: a diagonal nearer at most."""
    directions, r = shell(2000, RADIUS - 4e-3, RADIUS + 2.9e-3)
    distance, _ = ball.distance(directions * r[:, None])
    cell = 3 * ball.spacing
    assert np.abs(distance - (r - RADIUS)).max() < cell**2 / 8 * 2 / (4e-3 - np.sqrt(3) * cell)
    exact = signed_map(Ball(RADIUS).to_mesh(64), 8e-4, margin=3e-3)
    assert np.isinf(exact.band)


def test_flat_faces_are_exact_and_outside_of_the_map_there_is_nothing():
    """An edge eight nodes away is felt through the spline: its weights fall by 0.27 a node, 0.27⁸ h = 0.03 µm.

    Slopes feel it divided by the spacing."""
    box = signed_map(Box((0.02, 0.02, 0.02)).to_mesh(), 1e-3, margin=4e-3)
    places = np.array([[0.0, 0.0119, 0.001], [0.0, 0.0, 0.0085], [0.0, 0.0, 0.03]])
    distance, gradient = box.distance(places)
    np.testing.assert_allclose(distance[:2], [0.0019, -0.0015], atol=1e-6)
    np.testing.assert_allclose(gradient[:2], [[0, 1, 0], [0, 0, 1]], atol=1e-3)
    assert np.isinf(distance[2])
    assert np.isnan(gradient[2]).all()
    assert (np.abs(box.bounds) > 0.0138).all()


def test_a_part_of_a_mesh_keeps_the_distance_to_the_whole():
    part = signed_map(Box((0.1, 0.02, 0.02)).to_mesh(), 1e-3, bounds=[[0.0, -0.01, -0.01], [0.02, 0.01, 0.01]])
    assert part.coefficients.shape[0] < 60
    assert part.distance([[0.0, 0.0, 0.0]])[0] == pytest.approx(-0.01, abs=1e-5)


def test_open_meshes_and_maps_without_end_are_refused():
    mesh = Box((0.02, 0.02, 0.02)).to_mesh()
    with pytest.raises(ShapeError, match="too large"):
        signed_map(mesh, 1e-6)
    with pytest.raises(ShapeError, match="open"):
        signed_map(Mesh(mesh.vertices, mesh.faces[1:]), 1e-3)
