"""Octrees: cubes that are disjoint and maximal, and the balls around them."""

import numpy as np
import pytest

from motiform.base.errors import ShapeError
from motiform.geometry import Ellipsoid
from motiform.geometry.maps import Grid, cover_labels, grid_around, mesh_voxels, octree_cover, octree_cubes


def filled(firsts, edges, shape):
    """How many cubes each voxel is in."""
    times = np.zeros(shape, int)
    for (i, j, k), n in zip(firsts, edges, strict=True):
        times[i : i + n, j : j + n, k : k + n] += 1
    return times


@pytest.mark.parametrize("shape", [(5, 7, 9), (1, 1, 1), (8, 8, 8), (16, 3, 2)])
@pytest.mark.parametrize("share", [0.1, 0.9, 1.0])
def test_cubes_are_the_volume_once_and_as_large_as_can_be(shape, share):
    rng = np.random.default_rng(1)
    inside = np.kron(rng.random(shape) < share, np.ones((2, 2, 2), bool))
    firsts, edges = octree_cubes(inside)
    np.testing.assert_array_equal(filled(firsts, edges, inside.shape), inside)
    assert not (firsts % edges[:, None]).any()  # nodes of the tree
    for first, n in zip(firsts, edges, strict=True):
        parent = first // (2 * n) * 2 * n
        part = inside[tuple(slice(a, a + 2 * n) for a in parent)]
        assert part.size < (2 * n) ** 3 or not part.all()


def test_counts_of_whole_cubes():
    """2ⁿ voxels along the edge are one cube; with one less, each size fills the shell that the next one leaves."""
    whole = np.ones((16, 16, 16), bool)
    assert [a.tolist() for a in octree_cubes(whole)] == [[[0, 0, 0]], [16]]
    less = np.ones((15, 15, 15), bool)
    _, edges = octree_cubes(less)
    expected = {n: (15 // n) ** 3 - (2 * (15 // (2 * n))) ** 3 for n in (1, 2, 4, 8)}
    assert {n: int((edges == n).sum()) for n in (1, 2, 4, 8)} == expected


def test_balls_hold_every_voxel_and_pass_the_surface_by_what_they_say():
    """Those of the axis pass no centre outside: they are fewer, and touch nothing before the body does."""
    mesh = Ellipsoid((6e-3, 4e-3, 5e-3)).to_mesh(32)
    h = 4e-4
    grid = grid_around(*mesh.bounds, h, margin=4e-3)
    inside = mesh_voxels(mesh, grid)
    cover = octree_cover(inside, grid)
    held = cover.voxels(grid)
    assert (held & inside).sum() == inside.sum()
    assert cover.short == 0.0
    out = grid.points(np.argwhere(held & ~inside))
    past = np.max(cover.radii - np.linalg.norm(out[:, None] - cover.centers, axis=2), axis=1)
    assert 0.0 < past.max() <= cover.beyond
    n = round(2 * cover.radii.max() / np.sqrt(3) / h)
    assert cover.beyond == pytest.approx(((np.sqrt(3) - 1) * n - 1) / 2 * h)
    axis = cover_labels(inside, grid)
    assert not (axis.voxels(grid) & ~inside).any()
    assert len(cover) > len(axis)


def test_single_voxels_pass_nothing():
    """√3/2 of a voxel is less than the step to the next centre."""
    cover = octree_cover(np.eye(3, dtype=bool)[None], Grid((1, 3, 3), 1e-3))
    assert len(cover) == 3
    assert cover.beyond == 0.0


def test_wrong_input_is_refused():
    with pytest.raises(ShapeError, match="the volume is empty"):
        octree_cover(np.zeros((3, 3, 3), bool), Grid((3, 3, 3), 1e-3))
    with pytest.raises(ShapeError, match="must fit its grid"):
        octree_cover(np.ones((3, 3, 3), bool), Grid((3, 3, 2), 1e-3))
    with pytest.raises(ShapeError, match="voxels must be cubes"):
        octree_cover(np.ones((3, 3, 3), bool), Grid((3, 3, 3), [1e-3, 1e-3, 2e-3]))
    with pytest.raises(ShapeError, match="labels must be whole numbers on a grid"):
        octree_cubes(np.ones((3, 3)))
