"""Real CT sub-volumes, masked: read, segmented, covered by balls; and bones of a wrist shown in a synthetic CT."""

import os
from pathlib import Path

import numpy as np
import pytest

from motiform.geometry import read_mesh
from motiform.geometry.maps import Cover, chamfer_axis, cover_labels, euclidean_axis, label_surface, reduce_cover
from motiform.measure import Seeds, edge_contours, read_volume, segment_bones, slice_contours, synthetic_ct

DATA = os.environ.get("MOTIFORM_DATA")
FOLDER = Path(DATA or ".")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not DATA or not (FOLDER / "ct_subvolumes").is_dir(),
        reason="validation data are absent: MOTIFORM_DATA names no folder with ct_subvolumes/",
    ),
]
H = 0.4e-3  # [m] the files do not keep the size of their voxels: a usual one for a wrist


@pytest.mark.parametrize(("name", "bones"), [("rad", 1), ("uln", 1), ("mc3", 1), ("mc2_mc3", 2)])
def test_bones_of_a_real_ct(name, bones):
    volume = read_volume(FOLDER / "ct_subvolumes" / f"{name}_dcm_cropped.tif", spacing=H)
    labels = segment_bones(volume)
    assert any("no Hounsfield units" in note for note in labels.notes)
    sizes = np.bincount(labels.values.ravel())[1:]
    assert (sizes > 0.1 * sizes.max()).sum() == bones
    found = labels.values == 1
    # The masked voxels of the file are the bone as a person drew it: what is found is in it, and most of it is found.
    drawn = volume.values > 0
    assert (found & ~drawn).sum() < 0.01 * found.sum()
    assert (labels.values > 0).sum() > 0.6 * drawn.sum()


@pytest.mark.parametrize("name", ["rad", "uln", "mc3"])
def test_edges_of_a_real_bone_close(name):
    """In every slice with a level line, which lies outside of the edge by a part of the blur: its threshold is low."""
    volume = read_volume(FOLDER / "ct_subvolumes" / f"{name}_dcm_cropped.tif", spacing=H)
    edges, levels = edge_contours(volume), slice_contours(volume)
    assert {one.slice for one in edges} == {one.slice for one in levels}
    assert 0.9 < sum(one.area for one in edges) / sum(one.area for one in levels) < 1.0


@pytest.mark.parametrize("name", ["rad", "uln", "mc3"])
def test_balls_of_a_real_bone_are_the_bone(name):
    volume = read_volume(FOLDER / "ct_subvolumes" / f"{name}_dcm_cropped.tif", spacing=H)
    labels = segment_bones(volume)
    body, grid = labels.values == 1, labels.grid
    centers, squares = euclidean_axis(body)
    balls = Cover(grid.points(centers), np.sqrt(squares - 0.5) * grid.edge)  # holds |q − p|² < D² and no other voxel
    assert np.array_equal(balls.voxels(grid), body)
    # [Perez94, figures 20 and 21] 60 % of the voxels are saved at 512³, where bones have 16 to 110 thousand; at 256³,
    # with 1 to 9 thousand, little is. Ours have 40 to 130 thousand.
    assert len(centers) < 0.45 * body.sum()
    assert len(chamfer_axis(body)[0]) < 0.75 * body.sum()
    whole, few = cover_labels(body, grid), reduce_cover(body, grid, error=0.5 * H)
    assert len(few) < 0.2 * len(whole)
    wider = Cover(few.centers, few.radii + few.short * (1 + 1e-9))
    assert not (body & ~wider.voxels(grid)).any()
    assert not (few.voxels(grid) & ~body).any()
    assert label_surface(body, grid).volume == pytest.approx(body.sum() * grid.voxel, rel=0.02)


def test_a_wrist_of_meshes_that_touch_is_split_from_seeds():
    """Display-grade meshes that touch or overlap by 0.2 mm, in a CT of 0.4 × 0.4 × 1 mm."""
    names = ["sca", "lun", "trq", "pis", "tpm", "tpd", "cap", "ham"]
    bones = {name: read_mesh(FOLDER / "wrist_bodyparts3d" / f"{name}.stl", scale=1e-3) for name in names}
    volume, truth = synthetic_ct(bones, spacing=(0.4e-3, 0.4e-3, 1e-3))
    centers = {name: mesh.mass_properties(density=1.0).com[None] for name, mesh in bones.items()}
    found = segment_bones(volume, seeds=Seeds(centers, side="right"))
    assert set(found.names.values()) == set(names)
    places = np.moveaxis(np.indices(found.grid.shape), 0, -1)
    index = np.minimum(np.rint(truth.grid.index(found.grid.points(places))).astype(int), np.array(truth.grid.shape) - 1)
    true = truth.values[tuple(np.moveaxis(index, -1, 0))]
    for name in names:
        a, b = true == truth.number(name), found.inside(name)
        # Half a slice of 1 mm at the ends of bones of 10 to 25 mm, and a voxel of 0.4 mm where they touch.
        assert 2 * (a & b).sum() / (a.sum() + b.sum()) > 0.88, name
