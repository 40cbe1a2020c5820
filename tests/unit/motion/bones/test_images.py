"""Wrists from label maps and images have the bones that these show."""

from functools import cache

import numpy as np
import pytest

import motiform as mf
from motiform.base.errors import InputError
from motiform.geometry.maps import Grid
from motiform.measure import Labels, Seeds, synthetic_ct, write_volume
from wrists import COARSE, bones

pytest.importorskip("SimpleITK", reason="volumes are read by SimpleITK")


@cache
def image():
    """A CT of the synthetic wrist, the long bones cut, and its labels."""
    shapes = bones()
    carpus = [mesh.bounds for name, mesh in shapes.items() if name in mf.wrist.BONES[2:10]]
    low, high = np.min(carpus, axis=0)[0] - 12e-3, np.max(carpus, axis=0)[1] + 12e-3
    return synthetic_ct(shapes, spacing=0.6e-3, bounds=(low, high), side="right")


@pytest.mark.slow
def test_from_labels_keeps_bones_in_place(tmp_path):
    _, labels = image()
    wrist = mf.wrist.from_labels(write_volume(labels, tmp_path / "bones.nrrd"), fineness=COARSE)
    assert set(wrist.bones) == set(labels.names.values())
    assert wrist.side == "right"
    for name in ("scaphoid", "lunate", "capitate"):
        found, true = (mesh.mass_properties(density=1.0).com for mesh in (wrist.bones[name].mesh, bones()[name]))
        assert np.linalg.norm(found - true) < 0.3e-3  # half a voxel


@pytest.mark.slow
def test_from_volume_comes_to_rest():
    volume, labels = image()
    seeds = {name: labels.grid.points(_deepest(labels.inside(name)))[None] for name in labels.names.values()}
    wrist = mf.wrist.from_volume(volume, seeds=Seeds(seeds, side="right"), fineness=COARSE)
    assert set(wrist.bones) == set(labels.names.values())
    assert any("Hounsfield" in note for note in wrist.notes)
    rest = wrist.settle(flexion=[0.0, 0.1])
    assert np.abs(rest["scaphoid.position"]).max() < 0.03


def _deepest(inside):
    from motiform.geometry.maps import euclidean_map

    return np.array(np.unravel_index(euclidean_map(inside).argmax(), inside.shape))


def test_labels_must_be_bones(tmp_path):
    values = np.zeros((6, 6, 6), int)
    values[2:4, 2:4, 2:4] = 1
    labels = Labels(values, Grid((6, 6, 6), 1e-3))
    with pytest.raises(InputError, match=r"named after bones.*Pass names="):
        mf.wrist.from_labels(labels)
    with pytest.raises(InputError, match="radius"):  # named, but the radius is missing
        mf.wrist.from_labels(labels, {1: "capitate"})
    with pytest.raises(InputError, match="no voxel has this label"):
        mf.wrist.from_labels(labels, {2: "capitate"})
    with pytest.raises(InputError, match="must be a label map"):
        mf.wrist.from_labels(values)
    with pytest.raises(InputError, match=r"must be named.*seeds"):
        mf.wrist.from_volume(tmp_path / "a.nii")
