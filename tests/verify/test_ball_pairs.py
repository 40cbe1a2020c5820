"""Overlapping balls of two covers, against all pairs."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from motiform.base.errors import MotiformError
from motiform.geometry import Ball
from motiform.geometry.maps import Cover, ball_pairs, cover_labels, grid_around, mesh_voxels, signed_map
from motiform.spatial import Transform

BALL, SMALL = Ball(8e-3).to_mesh(96), Ball(5e-3).to_mesh(96)
ONE = Cover([[0, 0, 0]], [1e-3])


@pytest.mark.parametrize("margin", [0.0, 0.8e-3])
def test_pairs_of_balls_by_brute_force(margin):
    grids, covers, maps = [], [], []
    for mesh in (BALL, SMALL):
        grid = grid_around(*mesh.bounds, 0.8e-3, margin=2e-3)
        covers.append(cover_labels(mesh_voxels(mesh, grid), grid))
        maps.append(signed_map(mesh, 0.8e-3, margin=3e-3))
        grids.append(grid)
    R = Rotation.from_rotvec([0.3, 0.2, 0.9]).as_matrix()
    pose = Transform(R, (8e-3, 6e-3, 7e-3))
    one, other = covers
    far = np.linalg.norm(one.centers[:, None] - pose.point(other.centers), axis=-1)
    over = one.radii[:, None] + other.radii + margin - far
    expected = np.argwhere(over > 0)
    assert len(expected) > 5
    for given in ({}, {"map": maps[0], "other_map": maps[1]}):
        found, depth = ball_pairs(one, other, pose=pose, margin=margin, **given)
        # balls reach the surfaces of the meshes to within a voxel: with the maps' cull nothing is lost that overlaps
        assert np.array_equal(found, expected)
        np.testing.assert_allclose(depth, over[over > 0], rtol=1e-12, atol=1e-15)
    apart, _ = ball_pairs(one, other, pose=Transform(R, (1, 0, 0)))
    assert apart.shape == (0, 2)


def test_a_negative_margin_is_refused():
    with pytest.raises(MotiformError, match="must not be negative"):
        ball_pairs(ONE, ONE, margin=-1)
