"""The register of marker formats: how a file's format is found, and where the list of formats shows."""

from pathlib import Path

import numpy as np
import pytest
from marker_files import NAMES, motion, recording, simple_c3d
from typer.testing import CliRunner

from motiform.base.errors import InputError
from motiform.measure import marker_names, read_markers, write_markers
from motiform.measure.markers import FORMATS
from motiform.measure.markers.register import find_format, format_titles, is_marker_file, marker_endings


def put(path: Path, content: bytes | str) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


TRC = "PathFileType\t4\t(X/Y/Z)\ta.trc\n"
STO = "a\nnRows=2\nendheader\ntime\tA_tx\tA_ty\tA_tz\tB_tx\tB_ty\tB_tz\n0\t1\t2\t3\t4\t5\t6\n.1\t1\t2\t3\t4\t5\tnan\n"
COORDINATES = "a\nendheader\ntime\tpelvis_tilt\tpelvis_tx\tpelvis_ty\n0\t1\t2\t3\n"


@pytest.mark.parametrize(
    ("name", "content", "format"),
    [
        ("a.c3d", simple_c3d(motion()), "c3d"),
        ("a.csv", simple_c3d(motion()), "c3d"),  # content goes before the ending
        ("a.txt", TRC, "trc"),
        ("a.txt", "\ufeff" + TRC, "trc"),
        ("a.c3d", "P80", "c3d"),  # what nothing recognises goes by its ending
        ("a.trc", "1,2,3", "trc"),
        ("a.txt", STO, "sto"),
        ("a.mot", COORDINATES, "sto"),
        ("a.txt", "aP,1,2", "csv"),  # any other text is a table
        ("a.txt", "1,2,3".encode("utf-16"), "csv"),
    ],
)
def test_format_of_a_file(name, content, format, tmp_path):
    assert find_format(put(tmp_path / name, content)).name == format


def test_errors_list_the_register(tmp_path):
    with pytest.raises(InputError, match=f"the file must be of markers .*allowed: {format_titles()}"):
        find_format(put(tmp_path / "a.zip", b"PK\0\0"))
    with pytest.raises(InputError, match=f"empty .*{format_titles()}"):
        find_format(put(tmp_path / "a.c3d", b""))
    with pytest.raises(InputError, match=r"`format`.*allowed: c3d, trc, sto, openpose, csv.*Did you mean 'c3d'"):
        find_format(tmp_path, "c3")
    with pytest.raises(InputError, match=r"got '\.mot'; allowed: endings \.c3d, \.trc, \.csv, \.tsv"):
        write_markers(recording(motion()), tmp_path / "a.mot")
    with pytest.raises(InputError, match=r"allowed: c3d, trc, csv\)"):
        write_markers(recording(motion()), tmp_path / "a.c3d", format="sto")


@pytest.mark.parametrize("form", [form for form in FORMATS.values() if form.write], ids=lambda form: form.name)
def test_what_is_written_is_read(form, tmp_path):
    rec = recording(motion())
    for ending in form.endings:
        write_markers(rec, tmp_path / f"a{ending}")
        again = read_markers(tmp_path / f"a{ending}")
        assert marker_names(again) == list(NAMES)
        np.testing.assert_allclose(again["markers"], rec["markers"], rtol=0, atol=2e-7)  # C3D: 32 bits of 2 m
    write_markers(rec, tmp_path / "any.name", format=form.name, units="cm")
    assert read_markers(tmp_path / "any.name", format=form.name).manifest["units"] == "cm"
    with pytest.raises(InputError, match="exists already"):
        write_markers(rec, tmp_path / "any.name", format=form.name)


def test_markers_of_an_sto_file(tmp_path):
    rec = read_markers(put(tmp_path / "a.sto", STO))
    assert marker_names(rec) == ["A", "B"]
    assert (rec.manifest["units"], rec.manifest["up"], rec.channel("markers").rate) == ("m", "y", 10.0)
    np.testing.assert_array_equal(rec["markers"][0], [[1, 2, 3], [4, 5, 6]])
    assert np.isnan(rec["markers"][1, 1]).all()
    with pytest.raises(InputError, match=r"a\.mot: the file does not hold markers alone .*read_sto"):
        read_markers(put(tmp_path / "a.mot", COORDINATES))


def test_a_long_row_of_names_is_recognised(tmp_path):
    names = [f"marker_number_{k}" for k in range(400)]
    columns = "\t".join(name + axis for name in names for axis in ("_tx", "_ty", "_tz"))
    row = "\t".join(["1"] * 1200)
    path = put(tmp_path / "a.txt", f"a\nendheader\ntime\t{columns}\n0\t{row}\n0.1\t{row}\n")
    assert marker_names(read_markers(path, size=(0, 50), units="m")) == names


def test_a_folder_gives_files_of_markers(tmp_path):
    files = {"a.c3d": b"damaged", "a.csv": b"", "a.mot": COORDINATES.encode(), "b.STO": STO.encode(), "a.txt": b"1,2,3"}
    taken = {name for name, content in files.items() if is_marker_file(put(tmp_path / name, content))}
    assert taken == {"a.c3d", "a.csv", "b.STO"}


def test_help_lists_the_register():
    from motiform.cli.app import app

    shown = " ".join(CliRunner().invoke(app, ["reconstruct", "--help"], env={"COLUMNS": "200"}).output.split())
    assert f"({format_titles()})" in shown.replace("│ │ ", "")


def test_endings_are_of_one_format():
    assert len(set(marker_endings())) == len(marker_endings())
    assert all(ending == ending.lower() and ending.startswith(".") for ending in marker_endings())
