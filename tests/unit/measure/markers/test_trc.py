import re

import numpy as np
import pytest
from marker_files import NAMES, motion, recording
from numpy.testing import assert_allclose, assert_array_equal

from motiform.base.errors import InputError
from motiform.measure import marker_names, read_markers, write_trc


def trc(points, names=NAMES, units="mm", rate=100.0, missing="", times=None, **changes):
    """A TRC file's text from points in its unit."""
    count = len(points)
    times = np.arange(count) / rate if times is None else times
    head = {"rate": rate, "frames": count, "markers": len(names), "units": units} | changes
    lines = [
        "PathFileType\t4\t(X/Y/Z)\ta.trc",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
        f"{head['rate']}\t{rate}\t{head['frames']}\t{head['markers']}\t{head['units']}\t{rate}\t1\t{count}",
        "Frame#\tTime\t" + "\t\t\t".join(names),
        "\t\t" + "\t".join(f"X{k}\tY{k}\tZ{k}" for k in range(1, len(names) + 1)),
        "",
    ]
    for k, (t, row) in enumerate(zip(times, points.reshape(count, -1), strict=True)):
        lines.append(f"{k + 1}\t{t:.4f}\t" + "\t".join(missing if np.isnan(x) else f"{x:.3f}" for x in row))
    return "\n".join(lines) + "\n"


def read(tmp_path, text, name="a.trc", **options):
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_markers(path, **options)


STEP = 0.501e-6  # m: half of the last of three decimals of a millimetre


@pytest.mark.parametrize("missing", ["", " ", "NaN", "       NaN", "nan", "0.000", "-3.6973E+028"])
def test_occlusions(missing, tmp_path):
    points = 1000 * motion()
    points[2:5, 1], points[9, 3] = np.nan, np.nan
    rec = read(tmp_path, trc(points, missing=missing))
    assert_array_equal(np.isnan(rec["markers"]), np.isnan(points))
    assert np.nanmax(np.abs(rec["markers"] - points / 1000)) <= STEP
    assert marker_names(rec) == list(NAMES)
    assert (rec.channel("markers").rate, rec.manifest["units"], rec.manifest["notes"]) == (100.0, "mm", [])


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: text.replace("\n", "\t\t\n"),
        lambda text: text.replace("\n", "\t \n"),
        lambda text: text.replace("LASI", "  LASI  ").replace("mm", " mm "),
        lambda text: text.replace("\t\t\t", "\t\t").replace("Time\t", "Time\t\t"),  # names two cells apart
        lambda text: text.replace("\n\n", "\n"),  # without the empty line
        lambda text: "\ufeff" + text,
        lambda text: text + "\n\n",
        lambda text: text.replace("\t", ","),
        lambda text: re.sub("(LASI|RASI|LTOE|C7)", r"Anna:\1", text),
    ],
)  # fmt: skip
def test_forms_of_the_same_file(change, tmp_path):
    points = 1000 * motion()
    points[0] = np.nan  # the first row is blank
    rec = read(tmp_path, change(trc(points)))
    assert marker_names(rec) == list(NAMES)
    assert np.nanmax(np.abs(rec["markers"] - points / 1000)) <= STEP
    assert_array_equal(np.isnan(rec["markers"]), np.isnan(points))


def test_rows_that_end_early_are_filled_with_gaps(tmp_path):
    lines = trc(1000 * motion()).split("\n")
    lines[8] = "\t".join(lines[8].split("\t")[:8])
    rec = read(tmp_path, "\n".join(lines))
    assert np.isnan(rec["markers"][2, 2:]).all()
    assert np.isfinite(rec["markers"][2, :2]).all()


def test_points_without_a_name_are_left_out(tmp_path):
    """Motion Analysis' programs write them after the named ones, in rows of different lengths."""
    lines = trc(1000 * motion()).split("\n")
    lines[8] += "\t1\t2\t3"
    lines[9] += "\t" * 3 + "\t4\t5\t6\t\t\t"
    rec = read(tmp_path, "\n".join(lines))
    assert np.abs(rec["markers"] - motion()).max() <= STEP
    assert rec.manifest["notes"] == ["up to 2 points without a name in 2 samples are left out"]


def test_times_and_rate(tmp_path):
    points = 1000 * motion()
    late = read(tmp_path, trc(points, times=2.5 + np.arange(30) / 100.0))
    assert (late.channel("markers").rate, late.time("markers")[0]) == (100.0, 2.5)
    rounded = read(tmp_path, trc(points, rate=120.0))  # 0.0083 and so on
    assert rounded.channel("markers").rate == 120.0
    other = read(tmp_path, trc(points, rate=50.0, times=np.arange(30) / 100.0))
    assert other.channel("markers").rate == 100.0
    assert "50 Hz" in other.manifest["notes"][0]
    uneven = np.cumsum(np.random.default_rng(0).uniform(0.005, 0.02, 30)).round(4)
    rec = read(tmp_path, trc(points, times=uneven))
    assert rec.channel("markers").rate is None
    assert_allclose(rec.time("markers"), uneven, atol=1e-12)


def test_tabs_may_be_doubled_in_the_header(tmp_path):
    lines = trc(1000 * motion(), units="mm", rate=250.0).split("\n")
    lines[2] = "  " + lines[2].replace("\t", "\t\t  ", 5)
    rec = read(tmp_path, "\n".join(lines))
    assert rec.manifest["units"] == "mm"
    assert rec.channel("markers").rate == 250.0
    assert_allclose(rec["markers"], motion(), atol=STEP)
    assert not rec.manifest["notes"]


def test_counts_that_disagree_are_noted(tmp_path):
    rec = read(tmp_path, trc(1000 * motion(), frames=99, markers=7))
    assert len(rec.manifest["notes"]) == 2


def test_format_is_known_by_content(tmp_path):
    assert read(tmp_path, trc(1000 * motion()), "a.txt").manifest["format"] == "trc"


def broken(change):
    lines = trc(1000 * motion()).split("\n")
    change(lines)
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("  \n \n", "header of a TRC|empty"),
        ("PathFileType\t4\n", "must be whole"),
        (broken(lambda lines: lines.__delitem__(slice(6, None))), "no sample"),
        (broken(lambda lines: lines.__setitem__(3, "Frame#\tTime\t\t")), "no marker"),
        (broken(lambda lines: lines.__setitem__(9, "4\tNaN\t1")), "time is missing"),
        (broken(lambda lines: lines.__setitem__(9, "4\tinf\t1")), "time is missing"),
        (broken(lambda lines: lines.__setitem__(9, "4\t0.01\t1")), "do not increase"),
        (
            broken(lambda lines: lines.__setitem__(9, lines[9].replace(".", "x", 2))),
            r"a\.trc:10: the cell must be a number",
        ),
        (
            broken(lambda lines: lines.__setitem__(9, lines[9] + "\t1\t2")),
            r"a\.trc:10: a row must have one cell for each column",
        ),
        (trc(1000 * motion(), units="parsec"), "the unit must be a length"),
        (trc(1e6 * motion()), "1.38 km"),
        (trc(np.full((5, 4, 3), np.nan)), "no marker is seen"),
        (b"PathFileType\0\0\0\0", "the file must be text"),
    ],
)
def test_broken_files(text, words, tmp_path):
    with pytest.raises(InputError, match=words) as caught:
        read(tmp_path, text)
    assert "a.trc" in str(caught.value)


def test_round_trip(tmp_path):
    points = motion()
    points[2:5, 1] = np.nan
    rec = recording(points, start=1.25, first_frame=126)
    write_trc(rec, tmp_path / "b.trc")
    again = read_markers(tmp_path / "b.trc")
    assert_allclose(again["markers"], points, rtol=0, atol=0.501e-9)  # six decimals of a millimetre
    assert marker_names(again) == list(NAMES)
    assert (again.manifest["first_frame"], again.time("markers")[0]) == (126, 1.25)
    with pytest.raises(InputError, match="exists already"):
        write_trc(rec, tmp_path / "b.trc")
    write_trc(rec, tmp_path / "b.trc", units="m", digits=12, overwrite=True)
    assert_allclose(read_markers(tmp_path / "b.trc")["markers"], points, rtol=0, atol=0.501e-12)
