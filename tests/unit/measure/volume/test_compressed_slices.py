"""DICOM slices with compressed pixels: read as those of plain ones, in a process of its own that may die."""

import numpy as np
import pytest

import motiform as mf
from motiform.base.errors import InputError
from motiform.measure.volume import apart

pytestmark = pytest.mark.slow


def write_series(folder, kind=None):
    import SimpleITK

    folder.mkdir()
    writer = SimpleITK.ImageFileWriter()
    writer.KeepOriginalImageUIDOn()
    writer.SetImageIO("GDCMImageIO")
    if kind:
        writer.UseCompressionOn()
        writer.SetCompressor(kind)
    for n in range(3):
        image = SimpleITK.GetImageFromArray(((7 * np.arange(24 * 32) + n) % 300).astype(np.int16).reshape(1, 24, 32))
        tags = {"0008|0060": "CT", "0020|000e": "1.2.3", "0020|000d": "1.2", "0020|0032": f"0\\0\\{n}"}
        for key, value in tags.items():
            image.SetMetaData(key, value)
        image.SetOrigin((0.0, 0.0, float(n)))
        writer.SetFileName(str(folder / f"{n}.dcm"))
        writer.Execute(image)
    return folder


@pytest.mark.parametrize("kind", ["JPEG", "JPEG2000"])
def test_compressed_slices_are_those_of_plain_ones(tmp_path, kind):
    plain, found = (mf.read_volume(write_series(tmp_path / (one or "plain"), one)) for one in (None, kind))
    np.testing.assert_array_equal(found.values, plain.values)
    np.testing.assert_array_equal(found.grid.spacing, plain.grid.spacing)


def test_what_is_refused_is_reported_as_in_this_process(tmp_path):
    folder = write_series(tmp_path / "a", "JPEG2000")
    (folder / "2.dcm").unlink()
    (folder / "1.dcm").unlink()
    with pytest.raises(InputError, match="a series must have slices"):
        mf.read_volume(folder)


def test_a_decoder_that_dies_or_does_not_end_is_reported(tmp_path, monkeypatch):
    folder = write_series(tmp_path / "a", "JPEG")
    monkeypatch.setattr(apart, "_SECONDS", 0.01)
    with pytest.raises(InputError, match=r"compressed pixels cannot be read .*no end"):
        mf.read_volume(folder)
    monkeypatch.undo()
    (tmp_path / "sitecustomize.py").write_text("import os, sys\nif '-m' in sys.orig_argv: os.abort()\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InputError, match=r"compressed pixels cannot be read .*ended with"):
        mf.read_volume(folder)
