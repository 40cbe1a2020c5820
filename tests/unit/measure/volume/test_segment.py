"""Bones of a synthetic CT are found again: apart, touching, cut by the field of view, with seeds and corrections."""

from fractions import Fraction

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.geometry import Ball, Capsule, Ellipsoid
from motiform.geometry.maps import Grid
from motiform.measure import Disc, Labels, Seeds, Spot, Volume, label_meshes, read_seeds, segment_bones, synthetic_ct

pytest.importorskip("SimpleITK", reason="basins are flooded by SimpleITK")


def at(shape, *place):
    from motiform.spatial import Transform

    return shape.to_mesh(32).moved(Transform(np.eye(3), 1e-3 * np.array(place)))


# Two that touch (gap 0.2 mm, below half a voxel), one apart, one long with a narrow shaft.
BONES = {
    "scaphoid": at(Ellipsoid((6e-3, 5e-3, 7e-3)), 0, 0, 0),
    "lunate": at(Ellipsoid((5e-3, 5.5e-3, 5e-3)), 11.2, 0, 0),
    "pisiform": at(Ball(3.5e-3), 4, 11, 3),
}
CT, TRUTH = synthetic_ct(BONES, spacing=(0.5e-3, 0.5e-3, 1e-3), side="right")


def dice(found, name, truth=TRUTH, own=None):
    """Return 2 |A ∩ B| / (|A| + |B|) of a bone, on the finer grid of what was found."""
    places = np.moveaxis(np.indices(found.grid.shape), 0, -1)
    index = np.rint(truth.grid.index(found.grid.points(places))).astype(int)
    index = np.minimum(index, np.array(truth.grid.shape) - 1)
    a = truth.inside(name)[tuple(np.moveaxis(index, -1, 0))]
    if own is None:
        b = found.inside(name)
    else:
        inside = np.bincount(found.values[a], minlength=2)
        inside[0] = 0
        b = found.values == inside.argmax()
    return 2 * (a & b).sum() / (a.sum() + b.sum())


def test_synthetic_ct_shows_what_it_says():
    grid = CT.grid
    for name, mesh in BONES.items():
        volume = TRUTH.inside(name).sum() * grid.voxel
        # labels of voxels that are half full: the surface layer's rounding is random, a few of hundreds of voxels
        assert volume == pytest.approx(mesh.volume, rel=0.03)
    middle = tuple(np.rint(grid.index((0, 0, 0))).astype(int))
    assert CT.values[middle] == pytest.approx(350, abs=4 * 25)  # marrow, 4 standard deviations of noise
    assert CT.values[0, 0, 0] == pytest.approx(-1000, abs=4 * 25)
    again, _ = synthetic_ct(BONES, spacing=(0.5e-3, 0.5e-3, 1e-3))
    assert np.array_equal(again.values, CT.values)
    clean, _ = synthetic_ct({"one": BONES["pisiform"]}, spacing=0.5e-3, noise=0, blur=0, cortex=1050, marrow=1050)
    # Partial volume keeps the integral: (values − soft) sum to (bone − soft) × the volume. Samples are 1/8 voxel.
    body = clean.values[6:-6, 6:-6]
    assert (body - 50).sum() * clean.grid.voxel == pytest.approx(1000 * BONES["pisiform"].volume, rel=0.01)


def test_synthetic_ct_takes_plain_numbers():
    """NumPy compares fractions one by one, which took minutes."""
    with pytest.raises(InputError, match="thickness"):
        synthetic_ct(BONES, spacing=1e-3, thickness=Fraction(1, 1000))


def test_touching_bones_are_split_by_shape():
    found = segment_bones(CT)
    assert len(found.names) == 3
    assert found.grid.isotropic
    for name in BONES:
        assert dice(found, name, own=True) > 0.9  # half a voxel of 0.5 mm all around 5 mm is 0.86 of the volume
    assert any("Hounsfield" in note for note in found.notes)
    assert not any("cut by" in note for note in found.notes)


def test_meshes_of_labels():
    from motiform.geometry import check_closed

    meshes = label_meshes(TRUTH)
    assert set(meshes) == set(BONES)
    for name, mesh in meshes.items():
        # voxels of 0.5 × 0.5 × 1 mm: half a voxel on either side of a bone of 7 to 14 mm
        assert check_closed(mesh) == pytest.approx(BONES[name].volume, rel=0.1)
        np.testing.assert_allclose(mesh.bounds, BONES[name].bounds, atol=0.8e-3)
    with pytest.raises(InputError, match="hold no bone"):
        label_meshes(Labels(np.zeros((3, 3, 3), int), Grid((3, 3, 3), 1e-3)))


def test_long_bones_stay_whole():
    bone = {"metacarpal": at(Capsule(4e-3, 30e-3), 0, 0, 0)}
    volume, truth = synthetic_ct(bone, spacing=0.8e-3)
    found = segment_bones(volume)
    assert len(found.names) == 1
    assert dice(found, "metacarpal", truth, own=True) > 0.88


def test_seeds_name_bones(tmp_path):
    path = tmp_path / "seeds.toml"
    path.write_text(
        """
side = "left"
frame = "RAS"
[bones]
scaphoid = [[0, 0, 0], [0, 0, 30e0]]
lunate = [-11.2, 0, 0]
""".replace("[0, 0, 30e0]", "[0, 0, 6.9]")
    )
    found = segment_bones(CT, seeds=path)
    assert found.side == "left"
    assert set(found.names.values()) == {"scaphoid", "lunate"}
    assert dice(found, "scaphoid") > 0.9
    assert dice(found, "lunate") > 0.9
    assert "1 pieces without a seed were left out" in found.notes


def test_corrections():
    seeds = Seeds(
        {"scaphoid": np.zeros((1, 3)), "lunate": np.array([[11.2e-3, 0, 0]]), "none": np.array([[4e-3, 11e-3, 3e-3]])}
    )
    cut = Disc(np.array([-2e-3, 0, 0]), np.array([1.0, 0, 0]), 8e-3)
    filled = Spot(np.array([5e-3, -5e-3, 0]), 1.5e-3, "lunate")
    erased = Spot(np.array([14e-3, 0, 0]), 2e-3)
    plain = segment_bones(CT, seeds=seeds)
    found = segment_bones(CT, seeds=Seeds(seeds.bones, (cut,), (erased,), (filled,)))
    assert "none" not in plain.names.values()
    # a cut at x = −2 mm of an ellipsoid of half axis 6: the cap beyond it is (2 − 3/3 + 1/27)/4 = 0.259 of the volume
    share = found.inside("scaphoid").sum() / plain.inside("scaphoid").sum()
    assert share == pytest.approx(1 - (2 - 3 * (1 / 3) + (1 / 3) ** 3) / 4, abs=0.07)
    index = tuple(np.rint(found.grid.index([5e-3, -5e-3, 0])).astype(int))
    assert found.values[index] == found.number("lunate")


def test_bones_cut_by_the_field_of_view_are_reported():
    volume, _ = synthetic_ct(BONES, spacing=0.6e-3, bounds=((-9e-3, -9e-3, -9e-3), (12e-3, 16e-3, 9e-3)))
    found = segment_bones(volume)
    assert any(note.startswith("cut by the border of the volume: bone") for note in found.notes)
    assert len(found.names) == 3


def test_thresholds_without_hounsfield_units():
    raw = Volume(np.clip(CT.values + 1000, 0, None) * np.float32(1.7), CT.grid)
    found = segment_bones(Volume(np.where(raw.values < 2100, 0, raw.values), CT.grid))
    assert any("no Hounsfield units" in note for note in found.notes)
    assert len(found.names) == 3


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: segment_bones(CT, low=500, high=200), "must not be above"),
        (lambda: segment_bones(CT, low=1e4, high=2e4), "no voxel is above"),
        (lambda: segment_bones(CT, neck=0), "fraction above 0"),
        (lambda: segment_bones(CT.values), "needs a Volume"),
        (lambda: segment_bones(Volume(np.zeros((5, 5, 5)), Grid((5, 5, 5), 1e-3))), "one value only"),
        (lambda: segment_bones(CT, seeds=Seeds({"a": np.array([[1.0, 0, 0]])})), "must be in the volume"),
        (lambda: segment_bones(CT, seeds=Seeds({"a": np.array([[-9e-3, -8e-3, 0]])})), "no seed of this bone"),
        (lambda: synthetic_ct({}), "must show bones"),
        (lambda: Labels(np.ones((2, 2, 2), int), Grid((2, 2, 2), 1e-3), side="up"), "unknown side"),
    ],
)
def test_wrong_input(call, text):
    with pytest.raises(InputError, match=text):
        call()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("bone = 3", "unknown key"),
        ("unit = 'inch'", "unknown unit"),
        ("side = 'up'", "unknown side"),
        ("[bones]\na = [1, 2]", "wrong shape"),
        ("[bones]\na = []", "wrong shape"),
        ("bones = 3", "table of names"),
        ("[[cut]]\nradius = 3", "must have its place"),
        ("[[cut]]\ncenter = [1, 2, 3]\nnormal = [0, 0, 0]\nradius = 3", "must have a direction"),
        ("[[erase]]\ncenter = [1, 2, 3]\nradius = -3", "above 0"),
        ("[[fill]]\ncenter = [1, 2, 3]\nradius = 3\nbone = 'x'", "bone with seeds"),
        ("erase = 3", "lists of tables"),
        ("bones = ", "cannot be read"),
    ],
)
def test_wrong_seeds(tmp_path, text, problem):
    (tmp_path / "s.toml").write_text(text)
    with pytest.raises(InputError, match=problem):
        read_seeds(tmp_path / "s.toml")


@pytest.mark.parametrize("line", ["unit = [1]", "unit = {a = 1}", "frame = []", "side = [1]"])
def test_seeds_of_odd_types_are_refused(tmp_path, line):
    (tmp_path / "a.toml").write_text(f"{line}\n[bones]\nlunate = [[1, 2, 3]]\n")
    with pytest.raises(InputError, match="unknown"):
        read_seeds(tmp_path / "a.toml")
