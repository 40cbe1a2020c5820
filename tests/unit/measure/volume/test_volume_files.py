"""Volumes come back from files as they were written; messy series are mended as stated, or refused."""

import numpy as np
import pytest

from motiform.base.errors import InputError, MotiformError
from motiform.geometry.maps import Grid
from motiform.measure import Labels, Volume, read_labels, read_volume, write_volume

SimpleITK = pytest.importorskip("SimpleITK", reason="volumes are read by SimpleITK")
TURN = np.array([[0.8, -0.6, 0], [0.6, 0.8, 0], [0, 0, 1]])
RNG = np.random.default_rng(2)


def smooth(grid, slope=(300.0, -200.0, 500.0)):
    """Return a volume that is linear in space: any shift or swap of axes shows."""
    points = grid.points(np.moveaxis(np.indices(grid.shape), 0, -1))
    return Volume(np.float32(40) + (points * 1e3) @ np.array(slope) / 10, grid)


GRID = Grid((9, 7, 6), (0.5e-3, 0.4e-3, 1e-3), (0.01, -0.02, 0.03), TURN)


@pytest.mark.parametrize("suffix", [".nii", ".nii.gz", ".nrrd", ".mha"])
def test_formats_keep_values_and_frame(tmp_path, suffix):
    volume = smooth(GRID)
    found = read_volume(write_volume(volume, tmp_path / f"a{suffix}"))
    np.testing.assert_array_equal(found.values, volume.values)
    # NIfTI keeps its frame as float32 numbers of mm
    np.testing.assert_allclose(found.grid.spacing, GRID.spacing, rtol=1e-6)
    np.testing.assert_allclose(found.grid.origin, GRID.origin, atol=1e-8)
    np.testing.assert_allclose(found.grid.axes, TURN, atol=1e-6)
    assert found.notes == ()


def test_a_file_that_mirrors_shows_the_same_points(tmp_path):
    volume = smooth(GRID)
    image = SimpleITK.GetImageFromArray(np.ascontiguousarray(volume.values[:, :, ::-1].T))
    image.SetSpacing((1e3 * GRID.spacing).tolist())
    image.SetOrigin((1e3 * GRID.points((0, 0, 5))).tolist())
    image.SetDirection((TURN * (1, 1, -1)).ravel().tolist())
    SimpleITK.WriteImage(image, str(tmp_path / "a.nrrd"))
    found = read_volume(tmp_path / "a.nrrd")
    np.testing.assert_array_equal(found.values, volume.values)
    np.testing.assert_allclose(found.grid.origin, GRID.origin, atol=1e-12)


def test_labels_keep_names_and_side(tmp_path):
    values = np.zeros(GRID.shape, np.int32)
    values[2:4, 2:4, 1:3], values[5:8, 2:6, 2:5] = 3, 7
    labels = Labels(values, GRID, {3: "lunate", 7: "scaphoid"}, "right")
    found = read_labels(write_volume(labels, tmp_path / "a.nrrd"))
    assert dict(found.names) == {3: "lunate", 7: "scaphoid"}
    assert found.side == "right"
    np.testing.assert_array_equal(found.values, values)
    assert read_labels(write_volume(labels, tmp_path / "a.nii"), names={3: "L"}).names == {3: "L", 7: "bone 7"}
    with pytest.raises(InputError, match="exists already"):
        write_volume(labels, tmp_path / "a.nrrd")
    assert found.renamed({"lunate": "os lunatum", 7: "os scaphoideum"}).number("os lunatum") == 3
    with pytest.raises(InputError, match="Did you mean 'lunate'"):
        found.number("lunat")


def test_tiff_needs_its_spacing(tmp_path):
    volume = smooth(Grid((5, 6, 4), 1e-3))
    path = write_volume(volume, tmp_path / "a.tif")
    with pytest.raises(InputError, match=r"does not keep the size.*Pass spacing"):
        read_volume(path)
    with pytest.raises(InputError, match="in metres"):
        read_volume(path, spacing=1.0)
    found = read_volume(path, spacing=(1e-3, 2e-3, 3e-3))
    np.testing.assert_array_equal(found.values, volume.values)
    assert found.grid.spacing.tolist() == [1e-3, 2e-3, 3e-3]
    for k in range(4):
        image = SimpleITK.GetImageFromArray(np.ascontiguousarray(volume.values[:, :, k].T))
        (tmp_path / "stack").mkdir(exist_ok=True)
        SimpleITK.WriteImage(image, str(tmp_path / "stack" / f"s{k:02d}.tif"))
    np.testing.assert_array_equal(read_volume(tmp_path / "stack", spacing=1e-3).values, volume.values)


# ---- DICOM ----------------------------------------------------------------------------------------------------------


def write_series(folder, volume, *, leave=(), shear=(0.0, 0.0), uid="1.2.3", order=1, number="1"):
    """Write a volume as a DICOM series; `shear` [m per slice] moves slices in their planes, as a tilted gantry does."""
    folder.mkdir(exist_ok=True)
    writer = SimpleITK.ImageFileWriter()
    writer.KeepOriginalImageUIDOn()
    grid = volume.grid
    for k in range(grid.shape[2]):
        if k in leave:
            continue
        image = SimpleITK.GetImageFromArray(np.ascontiguousarray(np.rint(volume.values[:, :, k].T)).astype(np.int16))
        image.SetSpacing((1e3 * grid.spacing[:2]).tolist())
        place = 1e3 * (grid.points((0, 0, k)) + grid.axes[:, :2] @ (k * np.array(shear)))
        text = "\\".join(f"{x:.6f}" for x in place)
        tags = {
            "0008|0060": "CT", "0020|000e": uid, "0020|000d": "1.2", "0008|0018": f"{uid}.{k}", "0020|0011": number,
            "0020|0013": str(k), "0020|0032": text, "0008|0016": "1.2.840.10008.5.1.4.1.1.2",
            "0020|0037": "\\".join(f"{x:.6f}" for x in grid.axes[:, :2].T.ravel()), "0028|1052": "0", "0028|1053": "1",
        }  # fmt: skip
        for tag, value in tags.items():
            image.SetMetaData(tag, value)
        writer.SetFileName(str(folder / f"{uid}_{(order * k) % 97:03d}.dcm"))
        writer.Execute(image)


def test_a_series_is_sorted_by_position(tmp_path):
    volume = smooth(GRID)
    write_series(tmp_path / "s", volume, order=31)  # names in another order than positions
    (tmp_path / "s" / "notes.txt").write_text("hello")
    found = read_volume(tmp_path / "s")
    np.testing.assert_allclose(found.values, volume.values, atol=0.5)  # whole numbers in the file
    np.testing.assert_allclose(found.grid.origin, GRID.origin, atol=1e-8)
    np.testing.assert_allclose(found.grid.spacing, GRID.spacing, rtol=1e-5)
    np.testing.assert_allclose(found.grid.axes, TURN, atol=1e-5)
    assert found.notes == ()


def test_missing_slices_are_interpolated_and_reported(tmp_path):
    volume = smooth(Grid((8, 8, 9), (0.5e-3, 0.5e-3, 1e-3)))
    write_series(tmp_path / "s", volume, leave=(3, 6, 7))
    found = read_volume(tmp_path / "s")
    assert found.notes == ("3 missing slices were interpolated linearly",)
    np.testing.assert_allclose(found.values, volume.values, atol=1.0)  # linear values: two roundings to whole numbers
    write_series(tmp_path / "t", volume, leave=(3, 4, 5))
    with pytest.raises(InputError, match=r"3 slices are missing.*Copy the whole series"):
        read_volume(tmp_path / "t")


def test_a_tilted_gantry_is_straightened_and_reported(tmp_path):
    grid = Grid((30, 30, 12), (0.5e-3, 0.5e-3, 1e-3))
    points = grid.points(np.moveaxis(np.indices(grid.shape), 0, -1))
    slide = 0.25e-3 * points[..., 2:] / 1e-3 * np.array([0, 1, 0])  # 14°: what a slice at z shows is moved along y
    ball = lambda p: 1000 * np.exp(-(((p - (7e-3, 8e-3, 5e-3)) / 3e-3) ** 2).sum(-1))  # noqa: E731
    write_series(tmp_path / "s", Volume(ball(points + slide), grid), shear=(0, 0.25e-3))
    found = read_volume(tmp_path / "s")
    assert found.notes == ("the gantry was tilted by 14.0°: slices were shifted onto a straight grid",)
    where = found.grid.points(np.moveaxis(np.indices(found.grid.shape), 0, -1))
    near = np.linalg.norm(where - (7e-3, 8e-3, 5e-3), axis=-1) < 5e-3
    # Cubic interpolation at 0.5 mm of a Gaussian of 3/√2 mm: h⁴ f''''/100 below 0.1; values are whole numbers.
    assert np.abs(found.values - ball(where))[near].max() < 1.5


def test_wrong_series(tmp_path):
    volume = smooth(Grid((8, 8, 6), (0.5e-3, 0.5e-3, 1e-3)))
    write_series(tmp_path / "two", volume, uid="1.5", number="4")
    write_series(tmp_path / "two", volume, uid="1.6", number="9")
    with pytest.raises(InputError, match=r"several series.*4.*9.*Pass series="):
        read_volume(tmp_path / "two")
    assert read_volume(tmp_path / "two", series="9").values.shape == (8, 8, 6)
    with pytest.raises(InputError, match="exactly one series"):
        read_volume(tmp_path / "two", series="7")
    write_series(tmp_path / "uneven", volume)
    write_series(tmp_path / "uneven", smooth(Grid((8, 8, 2), (0.5e-3, 0.5e-3, 1e-3), (0, 0, 5.4e-3))), order=50)
    with pytest.raises(InputError, match="evenly spaced"):
        read_volume(tmp_path / "uneven")
    write_series(tmp_path / "size", volume, leave=(5,))
    write_series(tmp_path / "size", smooth(Grid((9, 8, 6), (0.5e-3, 0.5e-3, 1e-3))), leave=range(5), order=60)
    with pytest.raises(InputError, match="one size or pixel spacing"):
        read_volume(tmp_path / "size")
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "a.txt").write_text("x")
    with pytest.raises(InputError, match="no DICOM slice"):
        read_volume(tmp_path / "none")


@pytest.mark.parametrize("name", ["a.nrrd", "a.nii", "a.mha", "a.nii.gz", "a.dcm", "a.tif"])
@pytest.mark.parametrize("size", [0, 60, 400])
def test_damaged_files_are_refused(tmp_path, name, size):
    if name in ("a.dcm",):
        data = RNG.bytes(4000)
    else:
        data = write_volume(smooth(GRID), tmp_path / f"whole_{name}").read_bytes()
    (tmp_path / name).write_bytes(data[:size])
    with pytest.raises(MotiformError):
        read_volume(tmp_path / name, spacing=1e-3)


def test_wrong_files(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_volume(tmp_path / "a.nii")
    (tmp_path / "a.txt").write_text("x")
    with pytest.raises(InputError, match=r"of this kind cannot be read.*\.nii"):
        read_volume(tmp_path / "a.txt")
    with pytest.raises(InputError, match="the path must be text"):
        read_volume(3)
    with pytest.raises(InputError, match="whole numbers"):
        read_labels(write_volume(smooth(GRID), tmp_path / "grey.nrrd"))


def test_resampling_interpolates_a_smooth_field():
    grid = Grid((20, 21, 12), (0.5e-3, 0.5e-3, 1e-3), (1e-3, 2e-3, 3e-3))
    wave = lambda p: np.cos(500 * p[..., 0]) + np.sin(400 * p[..., 1]) * np.cos(300 * p[..., 2])  # noqa: E731
    volume = Volume(wave(grid.points(np.moveaxis(np.indices(grid.shape), 0, -1))), grid)
    found = volume.resampled()
    assert found.grid.isotropic
    assert found.grid.shape == (20, 21, 23)
    np.testing.assert_allclose(found.values[:, :, ::2], volume.values, atol=1e-5)  # interpolates
    inner = (slice(None), slice(None), slice(6, -6))  # mirrored ends bend a field that is not flat there
    # cubic splines on 1 mm: (kh)⁴/384 = 2e-5 for k = 300; float32 is 1e-7
    exact = wave(found.grid.points(np.moveaxis(np.indices(found.grid.shape), 0, -1)))
    assert np.abs(found.values - exact)[inner].max() < 2e-3
    from scipy.ndimage import map_coordinates

    fine = volume.resampled(0.3e-3)
    places = volume.grid.index(fine.grid.points(np.moveaxis(np.indices(fine.grid.shape), 0, -1)))
    expected = map_coordinates(volume.values.astype(float), np.moveaxis(places, -1, 0), order=3, mode="mirror")
    np.testing.assert_allclose(fine.values, expected, atol=1e-5)
    coarse = volume.resampled(2e-3)
    assert coarse.grid.shape == (5, 6, 6)
    with pytest.raises(InputError, match="four slices"):
        volume.cropped((0, 0, 0), (9, 9, 2)).resampled()
