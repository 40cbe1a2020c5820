"""Heads of volumes that are damaged are refused before ITK reads them: it writes past its memory."""

import struct

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


@pytest.mark.parametrize(
    ("at", "form", "value", "got"),
    [
        (0, "i", 349, "a head of 349 bytes"),
        (344, "4s", b"ni1", "ni1"),
        (40, "h", 9, "9 axes"),
        (44, "h", -4, "3 axes of"),
        (44, "h", 0, "3 axes of"),
        (70, "h", 77, "type 77"),
        (108, "f", np.inf, "the first voxel at inf"),
        (80, "f", 2.0**120, "1.329227995784916e+36"),
        (280, "f", -np.inf, "-inf"),
        (42, "h", 32767, "cut short"),
    ],
)
def test_damaged_heads_of_nifti_files_are_refused(tmp_path, at, form, value, got):
    path = tmp_path / "a.nii"
    write_volume(Volume(VALUES, Grid(VALUES.shape, np.full(3, 1e-3))), path)
    np.testing.assert_array_equal(read_volume(path).values, VALUES)
    data = bytearray(path.read_bytes())
    struct.pack_into(f"<{form}", data, at, value)
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_volume(path)
    assert got in str(caught.value)


def slice_of(path, height, rows=4):
    """Write a slice of 4 × 5 pixels by hand, explicit little endian."""

    def element(group, number, kind, value):
        value += b" " * (len(value) % 2)
        size = struct.pack("<HI", 0, len(value)) if kind in (b"OW", b"SQ") else struct.pack("<H", len(value))
        return struct.pack("<HH", group, number) + kind + size + value

    def short(value):
        return struct.pack("<H", value)

    meta = element(2, 0x10, b"UI", b"1.2.840.10008.1.2.1\0")
    elements = [
        (8, 0x16, b"UI", b"1.2.840.10008.5.1.4.1.1.2\0"), (8, 0x60, b"CS", b"CT"), (0x20, 0xE, b"UI", b"1.2\0"),
        (0x20, 0x32, b"DS", f"0\\0\\{height}".encode()), (0x20, 0x37, b"DS", b"1\\0\\0\\0\\1\\0"),
        (0x28, 2, b"US", short(1)), (0x28, 4, b"CS", b"MONOCHROME2"), (0x28, 0x10, b"US", short(rows)),
        (0x28, 0x11, b"US", short(5)), (0x28, 0x30, b"DS", b"1\\1"), (0x28, 0x100, b"US", short(16)),
        (0x28, 0x101, b"US", short(16)), (0x28, 0x102, b"US", short(15)), (0x28, 0x103, b"US", short(0)),
        (0x7FE0, 0x10, b"OW", np.arange(20, dtype="<u2").tobytes()),
    ]  # fmt: skip
    length = element(2, 0, b"UL", struct.pack("<I", len(meta)))
    path.write_bytes(bytes(128) + b"DICM" + length + meta + b"".join(element(*one) for one in elements))


@pytest.mark.parametrize(
    ("old", "new", "got"),
    [
        (b"DS\x06\x000\\0", b"DS\xff\xff0\\0", "an element of 65535 bytes"),
        (b"\x28\x00\x10\x00US\x02\x00\x04\x00", b"\x28\x00\x10\x00US\x02\x00\xff\xff", "40 bytes of pixels"),
        (b"\x28\x00\x10\x00US\x02\x00\x04\x00", b"\x28\x00\x10\x00US\x02\x00\x00\x00", "0 × 5 pixels"),
        (b"0\\0\\1 ", b"0\\0\\e ", "0020,0032: 0 0 e"),
        (b"1\\0\\0\\0\\1\\0", b"1\\0\\0\\00\\10", "6 finite numbers"),
        (b"CS\x02\x00CT", b"\0\0\x02\x00CT", "an element of kind"),
        (b"\x08\x00\x60\x00CS\x02\x00CT", b"\x20\x00\x37\x00CS\x02\x00CT", "0020,0037 twice"),
        (b"OW\0\0\x28\0\0\0", b"OW\0\0\xff\xff\xff\xff", "between items"),
        (b"1.2.840.10008.1.2.1\0", b"1.2.840.10008.1.2\0\0\0", "bytes at"),
    ],
)
def test_damaged_heads_of_slices_are_refused(tmp_path, old, new, got):
    for n in range(3):
        slice_of(tmp_path / f"{n}.dcm", n)
    layer = np.arange(20.0).reshape(4, 5).T
    np.testing.assert_array_equal(read_volume(tmp_path).values, np.stack([layer] * 3, axis=-1))
    data = (tmp_path / "1.dcm").read_bytes()
    assert data.count(old) == 1
    (tmp_path / "1.dcm").write_bytes(data.replace(old, new))
    with pytest.raises(InputError, match="the head of the slice is damaged") as caught:
        read_volume(tmp_path)
    assert got in str(caught.value)
