"""Heads of volumes that are damaged are refused before ITK reads them: it writes past its memory."""

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.geometry.maps import Grid
from motiform.measure import Volume, read_volume, write_volume

VALUES = np.arange(60.0).reshape(3, 4, 5)


@pytest.mark.parametrize(
    ("name", "old", "new", "got"),
    [
        ("a.nrrd", b"encoding: gzip", b"encoding: %*?f$ origin: (" + b"9" * 5000, "a line of more than 1000 bytes"),
        ("a.nrrd", b"encoding: gzip", b"encoding: new", "encoding 'new'"),
        ("a.nrrd", b"dimension: 3", b"dimension: 99", "99 dimensions"),
        ("a.nrrd", b"sizes: 3 4 5", b"sizes: 3 4", "sizes 3 4"),
        ("a.nrrd", b"sizes: 3 4 5", b"sizes: 3 4 " + b"9" * 50, "sizes: 3 4 9"),
        ("a.mha", b"NDims = 3", b"NDims = 1e160", "ndims: 1e160"),
        ("a.mha", b"DimSize = 3 4 5", b"DimSize = 3 -4 5", "sizes 3 -4 5"),
        ("a.mha", b"Offset = 0 0 0", b"Offset = 0 a 0", "offset: 0 a 0"),
        ("a.mha", b"Offset = 0 0 0", b"NDims = 3", "ndims twice"),
        ("a.mha", b"Matrix = 1 0 0 0 1 0 0 0 1", b"Matrix = 1 0 0 0 1 0 0 -1e308 1", "transformmatrix: 1 0 0"),
    ],
)
def test_damaged_heads_are_refused(tmp_path, name, old, new, got):
    path = tmp_path / name
    write_volume(Volume(VALUES, Grid(VALUES.shape, np.full(3, 1e-3))), path)
    np.testing.assert_array_equal(read_volume(path).values, VALUES)
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new))
    with pytest.raises(InputError, match="the head of the volume is damaged") as caught:
        read_volume(path)
    assert got in str(caught.value)


def test_a_tiff_file_with_damaged_pages_is_read_or_refused(tmp_path):
    path = tmp_path / "a.tif"
    write_volume(Volume(VALUES, Grid(VALUES.shape, np.full(3, 1e-3))), path)
    np.testing.assert_array_equal(read_volume(path, spacing=1e-3).values, VALUES)
    data = path.read_bytes()
    rows = bytes.fromhex("0101030001000000") + (4).to_bytes(4, "little")  # ImageLength, one SHORT
    assert data.count(rows) == 5
    path.write_bytes(data.replace(rows, rows[:8] + (900).to_bytes(4, "little"), 1))  # the first page is larger
    with pytest.raises(InputError, match=r"TIFF file must be grey images|cannot be read as a volume"):
        read_volume(path, spacing=1e-3)
