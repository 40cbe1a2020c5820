import re

import numpy as np
import pytest
from marker_files import NAMES, motion, recording
from numpy.testing import assert_allclose, assert_array_equal

from motiform.base.errors import InputError
from motiform.measure import marker_names, read_markers, write_markers_csv
from motiform.record import write_csv


def rows(points, mark=",", first=lambda k: [str(k + 1), f"{k / 100:.2f}"], missing="", form="{:.4f}"):
    flat = points.reshape(len(points), -1)
    cells = [[*first(k), *(missing if np.isnan(x) else form.format(x) for x in row)] for k, row in enumerate(flat)]
    return "\n".join(mark.join(row) for row in cells) + "\n"


def heads(pattern, mark=",", names=NAMES, axes="xyz"):
    return mark.join(pattern.format(name=name, axis=axis) for name in names for axis in axes)


def read(tmp_path, text, name="a.csv", **options):
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_markers(path, **options)


PLAIN = motion()
GAPS = motion()
GAPS[2:5, 1], GAPS[9, 3] = np.nan, np.nan
STEP = 0.501e-4  # m: half of the last of four decimals


@pytest.mark.parametrize(
    "pattern",
    ["{name}.{axis}", "{name}_{axis}", "{name} {axis}", "{name}:{axis}", "{name}.{axis} [m]", "{name}_{axis} (m)"],
)
@pytest.mark.parametrize("axes", ["xyz", "XYZ"])
def test_columns_with_names(pattern, axes, tmp_path):
    rec = read(tmp_path, "Frame,Time," + heads(pattern, axes=axes) + "\n" + rows(GAPS))
    assert marker_names(rec) == list(NAMES)
    assert_array_equal(np.isnan(rec["markers"]), np.isnan(GAPS))
    assert np.nanmax(np.abs(rec["markers"] - GAPS)) <= STEP
    assert rec.channel("markers").rate == 100.0
    assert rec.manifest["first_frame"] == 1


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_separators(mark, tmp_path):
    rec = read(tmp_path, f"Frame{mark}Time{mark}" + heads("{name}.{axis}", mark) + "\n" + rows(PLAIN, mark))
    assert np.abs(rec["markers"] - PLAIN).max() <= STEP


def test_decimal_commas(tmp_path):
    text = "Frame;Time;" + heads("{name}.{axis}", ";") + "\n" + rows(GAPS, ";").replace(".", ",")
    rec = read(tmp_path, text)
    assert np.nanmax(np.abs(rec["markers"] - GAPS)) <= STEP


def test_names_that_end_in_a_letter_of_an_axis(tmp_path):
    text = "time [s]," + heads("{name}{axis}", names=("vertex", "C7", "handy", "Z"), axes="XYZ") + "\n"
    rec = read(tmp_path, text + rows(PLAIN, first=lambda k: [f"{k / 100:.2f}"]))
    assert marker_names(rec) == ["vertex", "C7", "handy", "Z"]


def test_numbered_columns_of_the_seed(tmp_path):
    text = "Sample," + ",".join(f"{a}{k}" for k in range(1, 5) for a in "XYZ") + "\n"
    rec = read(tmp_path, text + rows(PLAIN, first=lambda k: [str(k + 1)]), rate=100)
    assert marker_names(rec) == ["1", "2", "3", "4"]
    assert np.abs(rec["markers"] - PLAIN).max() <= STEP


@pytest.mark.parametrize("preamble", ["", "Number of frames: 30\nNumber of columns: 12\nFrequency: 100.00\n"])
def test_optotrak(preamble, tmp_path):
    text = preamble + "Frame," + heads("{name} {axis}") + "\n"
    text += rows(1000 * GAPS, first=lambda k: [str(k + 1)], missing="-3.6973E+028")
    rec = read(tmp_path, text, rate=None if preamble else 100.0)
    assert rec.manifest["format"] == "optotrak"
    assert_array_equal(np.isnan(rec["markers"]), np.isnan(GAPS))
    assert np.nanmax(np.abs(rec["markers"] - GAPS)) <= STEP / 1000
    assert "mm is taken" in rec.manifest["notes"][0]


@pytest.mark.parametrize("counted", [True, False])
def test_numbers_alone(counted, tmp_path):
    text = rows(1000 * GAPS, first=lambda k: [str(k + 1)] if counted else [], missing="-3.6973E+028")
    rec = read(tmp_path, text, rate=100.0)
    assert marker_names(rec) == ["M1", "M2", "M3", "M4"]
    assert np.nanmax(np.abs(rec["markers"] - GAPS)) <= STEP / 1000
    with pytest.raises(InputError, match="rate="):
        read(tmp_path, text)


def test_first_row_that_ends_early(tmp_path):
    body = rows(PLAIN).split("\n")
    body[0] = ",".join(body[0].split(",")[:8])
    rec = read(tmp_path, "Frame,Time," + heads("{name}.{axis}") + "\n" + "\n".join(body))
    assert np.isnan(rec["markers"][0, 2:]).all()
    assert np.abs(rec["markers"][1:] - PLAIN[1:]).max() <= STEP


def test_vicon_table(tmp_path):
    text = "Trajectories\n100\n,," + ",,,".join(f"Anna:{name}" for name in NAMES) + ",,\n"
    text += "Frame,Sub Frame," + heads("{axis}", axes="XYZ") + "\n,," + ",".join(["mm"] * 12) + "\n"
    text += rows(1000 * GAPS, first=lambda k: [str(k + 11), "0"])
    rec = read(tmp_path, text)
    assert marker_names(rec) == list(NAMES)
    assert (rec.manifest["subject"], rec.manifest["units"], rec.manifest["first_frame"]) == ("Anna", "mm", 11)
    assert (rec.channel("markers").rate, rec.time("markers")[0]) == (100.0, 0.1)
    assert np.nanmax(np.abs(rec["markers"] - GAPS)) <= STEP / 1000


def test_motive_table(tmp_path):
    text = "Format Version,1.23,Take Name,a,Capture Frame Rate,100.000000,Length Units,Meters\n\n"
    each = lambda words: ",," + ",".join(word for word in words for _ in range(3)) + "\n"  # noqa: E731
    text += each(["Marker"] * 4) + each(NAMES) + each(["Position"] * 4)
    text += "Frame,Time (Seconds)," + heads("{axis}", axes="XYZ") + "\n" + rows(GAPS)
    rec = read(tmp_path, text)
    assert marker_names(rec) == list(NAMES)
    assert (rec.channel("markers").rate, rec.manifest["units"]) == (100.0, "meters")
    assert np.nanmax(np.abs(rec["markers"] - GAPS)) <= STEP


def test_qualisys_table(tmp_path):
    text = "NO_OF_FRAMES\t30\nNO_OF_MARKERS\t4\nFREQUENCY\t100\nMARKER_NAMES\t" + "\t".join(NAMES) + "\n"
    rec = read(tmp_path, text + rows(1000 * PLAIN, "\t", first=lambda k: []), "a.tsv")
    assert marker_names(rec) == list(NAMES)
    assert rec.channel("markers").rate == 100.0
    assert np.abs(rec["markers"] - PLAIN).max() <= STEP / 1000


def test_tables_of_our_own(tmp_path):
    rec = recording(GAPS, start=0.5)
    write_markers_csv(rec, tmp_path / "a.csv")
    write_csv(rec, tmp_path / "b.csv", names=["markers"])
    rec.manifest["labels"] = {}
    write_csv(rec, tmp_path / "c.csv", names=["markers"])
    text = (tmp_path / "c.csv").read_text()
    old = re.sub(r"markers\.(\d)\.([xyz])", lambda m: f'"markers[{m[1]},{"xyz".index(m[2])}]"', text)
    (tmp_path / "d.csv").write_text(old)
    unnamed = ["M1", "M2", "M3", "M4"]
    for name, markers in (("a.csv", list(NAMES)), ("b.csv", list(NAMES)), ("c.csv", unnamed), ("d.csv", unnamed)):
        again = read_markers(tmp_path / name)
        assert marker_names(again) == markers
        assert_array_equal(again["markers"], GAPS)
        assert (again.channel("markers").rate, again.time("markers")[0]) == (100.0, 0.5)
    write_markers_csv(rec, tmp_path / "a.csv", units="mm", overwrite=True)
    assert_allclose(read_markers(tmp_path / "a.csv")["markers"], GAPS, rtol=1e-15)


def test_units_that_cannot_be_guessed(tmp_path):
    text = "time," + heads("{name}.{axis}") + "\n" + rows(100 * PLAIN, first=lambda k: [f"{k / 100:.2f}"])
    with pytest.raises(InputError, match="units='cm'"):
        read(tmp_path, text)
    assert np.abs(read(tmp_path, text, units="cm")["markers"] - PLAIN).max() <= STEP / 100


def test_markers_chosen_and_renamed(tmp_path):
    text = "Frame,Time," + heads("{name}.{axis}") + "\n" + rows(PLAIN)
    assert marker_names(read(tmp_path, text, names=["c7", "LASI"])) == ["C7".lower(), "LASI"]
    rec = read(tmp_path, text, names={"neck": "C7"})
    assert marker_names(rec) == ["neck"]
    assert np.abs(rec["markers"][:, 0] - PLAIN[:, 3]).max() <= STEP
    with pytest.raises(InputError, match="no such marker"):
        read(tmp_path, text, names=["nose"])


TOP = "time," + heads("{name}.{axis}") + "\n"
TIMED = rows(PLAIN, first=lambda k: [f"{k / 100:.2f}"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("\n\n", "empty"),
        ("hello\nworld\n", "no row of numbers"),
        (TOP, "no row of numbers"),
        ("time,force,load\n0.0,1,2\n0.1,1,2\n", "no marker"),
        (TOP + TIMED.replace("0.05,", ",", 1), "a.csv:7: a time is missing"),
        (TOP + TIMED.replace("0.05,", "nan,", 1), "a.csv:7: a time is missing"),
        (TOP + TIMED.replace("0.05,", "0.01,", 1), "does not increase"),
        (TOP + TIMED.replace("0.05,", "0.05,x", 1), "a.csv:7: the cell must be a number"),
        (TOP + TIMED.replace("0.05,", "0.05,1,2,3,", 1), "a.csv:7: a row must have one cell for each column"),
        (b"\x00\x01\x02\x03" * 50, "the file must be of markers"),
    ],
)
def test_broken_tables(text, words, tmp_path):
    with pytest.raises(InputError, match=words) as caught:
        read(tmp_path, text)
    assert "a.csv" in str(caught.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [({"units": "mile"}, "unit"), ({"rate": -1}, "rate"), ({"format": "bvh"}, "format"), ({"up": "w"}, "up")],
)
def test_wrong_options(options, words, tmp_path):
    with pytest.raises(InputError, match=words):
        read(tmp_path, TOP + TIMED, **options)


MOTIVE = """Format Version,1.23,Take Name,a,Capture Frame Rate,120.000000,Export Frame Rate,100.000000,Rotation Type,Quaternion,Length Units,Meters
,
,Type,Bone,Bone,Bone,Bone,Bone,Bone,Bone,Bone Marker,Bone Marker,Bone Marker,Marker,Marker,Marker,Marker,Marker,Marker
,Name,S:Hip,S:Hip,S:Hip,S:Hip,S:Hip,S:Hip,S:Hip,S:LASI,S:LASI,S:LASI,S:LASI,S:LASI,S:LASI,S:RASI,S:RASI,S:RASI
,ID,1,1,1,1,1,1,1,2,2,2,3,3,3,4,4,4
,Parent,,,,,,,,,,,,,,,,
,,Rotation,Rotation,Rotation,Rotation,Position,Position,Position,Position,Position,Position,Position,Position,Position,Position,Position,Position
Frame,Time (Seconds),X,Y,Z,W,X,Y,Z,X,Y,Z,X,Y,Z,X,Y,Z
0,0.000000,0.1,0.2,0.3,0.9,1,1,1,9,9,9,0.1,1.0,0.3,0.2,1.1,0.4
1,0.010000,0.1,0.2,0.3,0.9,1,1,1,9,9,9,,,,0.2,1.2,0.4
"""  # noqa: E501


def test_motive_with_bones_and_rotations(tmp_path):
    """Markers that were measured alone: no pivots, no quaternions, no places that the skeleton expects."""
    path = tmp_path / "take.csv"
    path.write_text(MOTIVE, "utf-8")
    rec = read_markers(path)
    assert marker_names(rec) == ["LASI", "RASI"]
    assert rec.channel("markers").rate == 100.0
    assert_array_equal(rec["markers"][:, 1], [[0.2, 1.1, 0.4], [0.2, 1.2, 0.4]])
    assert np.isnan(rec["markers"][1, 0]).all()
    path.write_text(MOTIVE.replace(",Marker", ",Other"), "utf-8")
    assert marker_names(read_markers(path, size=(0.0, 100.0))) == ["LASI"]  # expected, where nothing else is told


@pytest.mark.parametrize("head", ["", "Frame\tTime\tLASI X\tLASI Y\tLASI Z\tRASI X\tRASI Y\tRASI Z\n"])
def test_qualisys_in_millimetres(head, tmp_path):
    """A small thing: its unit is that of the program, not by its size."""
    text = "NO_OF_FRAMES\t2\nNO_OF_CAMERAS\t8\nNO_OF_MARKERS\t2\nFREQUENCY\t200\nNO_OF_ANALOG\t0\n"
    text += "ANALOG_FREQUENCY\t0\nDESCRIPTION\t--\nTIME_STAMP\t2020-01-01, 12:00:00.000\t123.4\nDATA_INCLUDED\t3D\n"
    text += "MARKER_NAMES\tLASI\tRASI\nTRAJECTORY_TYPES\tMeasured\tMixed\n" + head
    text += "1\t0.00000\t10\t20\t30\t40\t50\t60\n2\t0.00500\t11\t21\t31\t0.000\t0.000\t0.000\n"
    (tmp_path / "a.tsv").write_text(text, "utf-8")
    rec = read_markers(tmp_path / "a.tsv")
    assert rec.channel("markers").rate == 200.0
    assert marker_names(rec) == ["LASI", "RASI"]
    assert_allclose(rec["markers"][0], [[0.01, 0.02, 0.03], [0.04, 0.05, 0.06]], rtol=1e-12)
    assert np.isnan(rec["markers"][1, 1]).all()
