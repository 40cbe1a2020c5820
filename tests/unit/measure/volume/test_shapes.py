"""The bones of a synthetic wrist: closed, apart by the gap; their CT is split again."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

from motiform.base.errors import InputError
from motiform.geometry import check_closed
from motiform.measure import Seeds, segment_bones, synthetic_bones, synthetic_ct

CARPUS = ("scaphoid", "lunate", "triquetrum", "pisiform", "trapezium", "trapezoid", "capitate", "hamate")

pytest.importorskip("SimpleITK", reason="basins are flooded by SimpleITK")


@pytest.mark.parametrize("gap", [0.6e-3, pytest.param(1.2e-3, marks=pytest.mark.slow)])
def test_shapes_are_closed_and_apart(gap):
    bones = synthetic_bones(gap=gap, detail=4)
    assert len(bones) == 15
    trees = {name: cKDTree(mesh.vertices) for name, mesh in bones.items()}
    for name, mesh in bones.items():
        assert check_closed(mesh) > 300e-9
        near = min(trees[other].query(mesh.vertices)[0].min() for other in bones if other != name)
        # Fields are distances to first order: the gap is kept to a fifth; vertices are up to a triangle apart.
        assert near > 0.8 * gap, name
        if name in CARPUS:
            assert near < gap + 1e-3, name


@pytest.mark.slow
def test_fifteen_bones_are_found_again():
    bones = synthetic_bones(gap=0.8e-3, distal="z")
    volume, truth = synthetic_ct(bones, spacing=(0.5e-3, 0.5e-3, 1e-3))
    plain = segment_bones(volume)
    assert len(plain.names) == 15
    centers = {name: mesh.mass_properties(density=1.0).com[None] for name, mesh in bones.items()}
    found = segment_bones(volume, seeds=Seeds(centers))
    places = np.moveaxis(np.indices(found.grid.shape), 0, -1)
    index = np.minimum(np.rint(truth.grid.index(found.grid.points(places))).astype(int), np.array(truth.grid.shape) - 1)
    true = truth.values[tuple(np.moveaxis(index, -1, 0))]
    for name in bones:
        a, b = true == truth.number(name), found.inside(name)
        assert 2 * (a & b).sum() / (a.sum() + b.sum()) > 0.9, name


def test_distal_is_along_the_axis_that_is_asked_for():
    """The same wrist turned about x: what was distal is now along z, what was palmar against y."""
    one, other = synthetic_bones(detail=2), synthetic_bones(detail=2, distal="z")
    x, y, z = one["scaphoid"].vertices.T
    np.testing.assert_array_equal(other["scaphoid"].vertices, np.stack([x, -z, y], axis=1))
    assert check_closed(other["radius"]) > 0
    with pytest.raises(InputError, match="distal"):
        synthetic_bones(distal="x")


def test_a_wide_blur_is_refused():
    bones = synthetic_bones(gap=0.8e-3)
    with pytest.raises(InputError, match="blur of 0 to 50 voxels"):
        synthetic_ct(bones, spacing=5e-4, blur=0.03)


def test_no_noise_may_have_any_sign():
    bones = {"lunate": synthetic_bones(gap=0.8e-3)["lunate"]}
    plain, signed = (synthetic_ct(bones, spacing=1e-3, noise=noise)[0].values for noise in (0.0, -0.0))
    assert np.array_equal(plain, signed)
