"""Bones of a CT are marked on a page: places of clicks, marks as seeds, segmentation from them."""

import numpy as np
import pytest

from motiform import geometry, measure
from motiform.base.errors import InputError
from motiform.geometry.maps import Grid
from motiform.measure import Volume
from motiform.spatial import Transform, rotation_from_quaternion
from motiform.studio.seeding import SeedPage, place_on_slice

CENTERS = {"scaphoid": (0.0, 0.0, 0.0), "lunate": (12.5e-3, 0.0, 0.0)}


@pytest.fixture(scope="module")
def ct():
    sizes = {"scaphoid": (6e-3, 5e-3, 7e-3), "lunate": (5e-3, 5.5e-3, 5e-3)}
    bones = {
        name: geometry.Ellipsoid(sizes[name]).to_mesh(24).moved(Transform(np.eye(3), place))
        for name, place in CENTERS.items()
    }
    return measure.synthetic_ct(bones, spacing=(0.7e-3, 0.7e-3, 1e-3))[0]


@pytest.fixture
def page(ct):
    page = SeedPage(ct, port=0)
    yield page
    page.close()


def test_a_ray_meets_the_slice_where_it_points():
    """In a turned grid a ray toward a voxel's centre gives that centre; one beside the slice, or along it, nothing."""
    grid = Grid(
        (20, 30, 9), (0.5e-3, 0.4e-3, 1e-3), (0.01, -0.02, 0.03), rotation_from_quaternion([0.8, 0.2, 0.4, 0.4])
    )
    volume = Volume(np.zeros(grid.shape), grid)
    goal, eye = grid.points([7.0, 21.0, 4.0]), np.array([0.3, 0.1, -0.2])
    np.testing.assert_allclose(place_on_slice(volume, 4, eye, goal - eye), goal, atol=1e-15)
    assert place_on_slice(volume, 4, eye, grid.points([25.0, 21.0, 4.0]) - eye) is None
    assert place_on_slice(volume, 4, eye, grid.axes[:, 0]) is None


def test_marks_become_seeds_and_bones(page, tmp_path):
    with pytest.raises(InputError, match="no bone is marked"):
        page.segment()
    for name, place in CENTERS.items():
        page.mark(np.array(place), "seed", name)
    with pytest.raises(InputError, match="must belong to a bone with seeds"):
        page.mark(np.zeros(3), "fill", "hamate")
    page.mark(np.array([6.5e-3, -4e-3, 0.0]), "cut")
    page.mark(np.array([6.5e-3, 4e-3, 0.0]), "cut")
    page.mark(np.array([0.0, 20e-3, 0.0]), "erase")
    page.take_back()
    seeds = page.seeds
    assert {name: points.tolist() for name, points in seeds.bones.items()} == {
        name: [list(place)] for name, place in CENTERS.items()
    }
    (disc,) = seeds.cuts
    assert disc.radius == pytest.approx(4e-3)
    assert np.abs(disc.normal) == pytest.approx([1.0, 0.0, 0.0])
    assert seeds.erased == ()
    again = measure.read_seeds(measure.write_seeds(seeds, tmp_path / "seeds.toml"))
    assert again.cuts[0].center == pytest.approx(disc.center, abs=1e-7)
    page.segment()
    page.runner.join(60)
    assert sorted(page.labels.names.values()) == ["lunate", "scaphoid"]
    page._slice.value = int(np.rint(page.volume.grid.index(CENTERS["lunate"]))[2])
    i, j, _ = np.rint(page.volume.grid.index(CENTERS["lunate"])).astype(int)
    red, _, blue = page._picture()[j, i].astype(int)
    assert blue > red + 30  # the lunate's color lies over its slice
    page.take_back()
    page.take_back()
    assert list(page.seeds.bones) == ["scaphoid"]
    assert not page.seeds.cuts
    page.segment()
    page.runner.join(60)
    assert list(page.labels.names.values()) == list(page._meshes) == ["scaphoid"]  # the lunate is no longer drawn


def test_seeds_are_written_and_read_again(tmp_path):
    seeds = measure.Seeds(
        {"lunate": np.array([[1e-3, 2e-3, -3.25e-3], [0, 0, 0]]), "none": np.array([[0.01, 0, 0]])},
        (measure.Disc(np.array([1e-3, 0, 0]), np.array([0.6, 0.8, 0.0]), 2e-3),),
        (measure.Spot(np.array([0, 1e-3, 0]), 1e-3),), (measure.Spot(np.zeros(3), 5e-4, "lunate"),), "left",
    )  # fmt: skip
    path = measure.write_seeds(seeds, tmp_path / "s.toml")
    found = measure.read_seeds(path)
    assert found.side == "left"
    assert list(found.bones) == ["lunate", "none"]
    np.testing.assert_allclose(found.bones["lunate"], seeds.bones["lunate"], atol=1e-9)
    np.testing.assert_allclose(found.cuts[0].normal, [0.6, 0.8, 0.0], atol=1e-6)
    assert (found.erased[0].radius, found.filled[0].bone) == (1e-3, "lunate")
    with pytest.raises(InputError, match="exists already"):
        measure.write_seeds(seeds, path)
