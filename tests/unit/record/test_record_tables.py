"""Recordings as CSV, DataFrame and Dataset."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from walker import quick_folder

from motiform.base.errors import MotiformError, RecordingError
from motiform.record import Channel, Event, Recording, compare, read_csv, resample, write_csv


@pytest.fixture
def rec():
    rng = np.random.default_rng(0)
    hand = Channel("hand.position", unit="m", dims=("axis",), shape=(3,), rate=240.0)
    return Recording.from_arrays(
        {
            "hand.position": (hand, rng.normal(size=(9, 3))),
            "energy": (Channel("energy", unit="kg m²/s²", rate=240.0), rng.normal(size=9)),
            "R": (Channel("R", dims=("row", "axis"), shape=(2, 2), rate=240.0), rng.normal(size=(9, 2, 2))),
        },
        manifest={"title": "t"},
        events=[Event(0.1, "e", {"k": 1})],
        statics={"mesh": np.eye(3)},
    )  # fmt: skip


def test_csv_there_and_back(rec, tmp_path):
    write_csv(rec, tmp_path / "x.csv")
    first = (tmp_path / "x.csv").read_text().splitlines()[0]
    assert first.startswith("time [s],hand.position.x [m],hand.position.y [m],hand.position.z [m],energy [kg m²/s²]")
    assert "R.0.1" in first.split(",")
    back = read_csv(tmp_path / "x.csv")
    assert compare(rec, back).channels == compare(rec, rec).channels
    assert back.channel("R").shape == (2, 2)
    assert back.channel("energy").rate == 240.0
    write_csv(rec, tmp_path / "y.csv", names=["energy"])
    assert read_csv(tmp_path / "y.csv").names == ["energy"]


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.floats(-1e300, 1e300), st.floats(), st.integers(-(2**31), 2**31 - 1)), max_size=9),
    st.sampled_from(["m", "", "N m", "kg m²/s²", "px", "who knows"]),
)
def test_csv_keeps_every_bit(rows, unit):
    rows = sorted(rows, key=lambda row: row[0])
    times, x, n = ([row[k] for row in rows] for k in range(3))
    channels = [Channel("x y", unit=unit), Channel("n", dtype="int32")]
    rec = Recording.from_arrays(channels, {"x y": np.array(x, float), "n": np.array(n, np.int32)}, times=times)
    with quick_folder() as folder:
        write_csv(rec, f"{folder}/x.csv")
        back = read_csv(f"{folder}/x.csv")
    assert repr(back["x y"].tolist()) == repr(rec["x y"].tolist())
    assert back["n"].tolist() == rec["n"].tolist()
    assert back.time("n").tolist() == rec.time("n").tolist()
    assert back.unit("x y") == unit


def test_csv_of_others(tmp_path):
    """Semicolons, a byte order mark, Windows line ends, empty cells, single quotes of names."""
    (tmp_path / "x.csv").write_bytes(
        "\ufefftime;knee angle [rad];f[1] [N];f[0] [N]\r\n0;1;2;3\r\n\r\n0.5;;5;6\r\n".encode()
    )
    rec = read_csv(tmp_path / "x.csv")
    assert rec.names == ["knee angle", "f"]
    assert repr(rec["knee angle"].tolist()) == "[1.0, nan]"
    assert rec["f"].tolist() == [[3, 2], [6, 5]]
    assert rec.unit("f") == "N"
    assert rec.channel("f").rate == 2.0


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "first column"),
        ("a,b\n1,2", "first column is not the time"),
        ("time [ms],b\n1,2", "first column is not the time"),
        ("time [s],b\n1", r"x\.csv:2: a row must have one cell for each column \(got 1; allowed: 2\)"),
        ("time [s],b\n1,two", r"x\.csv:2: the cell must be a number \(got 'two'\)"),
        ("time [s],b\n1,2\n0,3", r"x\.csv:3: time is missing or decreases"),
        ("time [s],b\n,2", r"x\.csv:2: time is missing"),
        ("time [s],b[1]\n1,2", "none left out"),
        ("time [s],b[0],b[0]\n1,2,3", "each index once"),
        ("time [s],b,b[0]\n1,2,3", "the columns of a channel must fill its shape"),
        ("time [s],b [m],b [s]\n1,2,3", "must have one unit"),
        ("time [s],\n1,2", "name"),
        ("time [s],b[99999999999999999999]\n1,2", "the columns of a channel must fill its shape"),
    ],
)
def test_wrong_tables(tmp_path, text, problem):
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(MotiformError, match=problem):
        read_csv(tmp_path / "x.csv")


@settings(deadline=None, max_examples=200)
@given(
    st.one_of(
        st.binary(max_size=60),
        st.text("time [s],;b01\n\t\"nainf.-e'", max_size=60).map(str.encode),
        st.text('0123456789,\n.-e"[]', max_size=60).map(lambda text: b"time [s],b[0],b[1]\n" + text.encode()),
    )
)
def test_any_file_is_a_table_or_an_error(data):
    with quick_folder() as folder:
        with open(f"{folder}/x.csv", "wb") as file:
            file.write(data)
        try:
            assert isinstance(read_csv(f"{folder}/x.csv"), Recording)
        except MotiformError as error:
            text = str(error)
            assert text


def test_tables_are_not_overwritten_unasked(rec, tmp_path):
    write_csv(rec, tmp_path / "x.csv")
    before = (tmp_path / "x.csv").read_bytes()
    with pytest.raises(RecordingError, match="exists already"):
        write_csv(rec, tmp_path / "x.csv", names=["energy"])
    assert (tmp_path / "x.csv").read_bytes() == before
    write_csv(rec, tmp_path / "x.csv", names=["energy"], overwrite=True)
    assert [entry.name for entry in tmp_path.iterdir()] == ["x.csv"]
    with pytest.raises(RecordingError, match="not there"):
        write_csv(rec, tmp_path / "no" / "x.csv")
    with pytest.raises(RecordingError, match="cannot be read"):
        read_csv(tmp_path / "none.csv")


def test_tables_need_shared_times(tmp_path):
    rec = Recording.from_arrays({"a": (Channel("a", rate=1.0), [1, 2.0]), "b": (Channel("b", rate=2.0), [1, 2, 3.0])})
    for use in (lambda: write_csv(rec, tmp_path / "x.csv"), rec.to_pandas):
        with pytest.raises(RecordingError, match=r"share their times .*resample"):
            use()
    assert list(resample(rec, rate=2).to_pandas().columns) == ["a", "b"]
    assert list(tmp_path.iterdir()) == []


def test_pandas(rec):
    frame = rec.to_pandas()
    assert frame.index.name == "time"
    assert frame.index.tolist() == rec.time("R").tolist()
    assert frame["hand.position.z"].tolist() == rec["hand.position"][:, 2].tolist()
    assert frame["R.1.0"].tolist() == rec["R"][:, 1, 0].tolist()
    assert frame.attrs["units"]["hand.position.x"] == "m"
    assert rec.to_pandas(["energy"]).shape == (9, 1)


def test_xarray(rec):
    data = rec.to_xarray()
    assert data["hand.position"].dims == ("time", "axis")
    assert data["hand.position"].attrs["units"] == "m"
    assert data["time"].values.tolist() == rec.time("energy").tolist()
    assert data["R"].values.tolist() == rec["R"].tolist()
    assert data["R"].dims == ("time", "row", "axis 1 of R")  # "axis" has size 3 already
    assert data["static mesh"].shape == (3, 3)
    assert json.loads(data.attrs["manifest"]) == {"title": "t"}
    assert json.loads(data.attrs["events"]) == [{"time": 0.1, "name": "e", "detail": {"k": 1}}]


def test_xarray_with_several_times():
    rec = Recording.from_arrays(
        {
            "a": (Channel("a", rate=1.0), [1, 2.0]),
            "b": (Channel("b", rate=2.0), [1, 2, 3.0]),
            "c": (Channel("c", dims=("k", "k"), shape=(2, 2), rate=2.0), np.zeros((3, 2, 2))),
        }
    )
    data = rec.to_xarray()
    assert data["a"].dims == ("time",)
    assert data["b"].dims == ("time of b",)
    assert data["c"].dims == ("time of b", "k", "k 1 of c")


def test_units_become_si(tmp_path):
    heads = "time [s],x [mm],w [deg/s],T [°C],e [kJ],M [N mm],g [m/s^2],p [px],share [%]"
    (tmp_path / "x.csv").write_text(f"{heads}\n0,2,180,20,3,4,5,6,7\n")
    rec = read_csv(tmp_path / "x.csv")
    assert [rec.unit(name) for name in rec] == ["m", "rad/s", "K", "J", "N m", "m/s^2", "px", ""]
    # One rounding of the factor and one of the product.
    wanted = [0.002, np.pi, 293.15, 3000, 0.004, 5, 6, 0.07]
    np.testing.assert_allclose([rec[name][0] for name in rec], wanted, rtol=4 * np.finfo(float).eps)
    units = {"x": "mm", "w": "deg/s", "T": "°C", "e": "kJ", "M": "N mm", "share": "%"}
    assert rec.manifest["source_units"] == units
    (tmp_path / "y.csv").write_text("time [s],x [km]\n0,1e308\n")
    with pytest.raises(RecordingError, match="overflow in SI units"):
        read_csv(tmp_path / "y.csv")


def test_quaternions_come_back_as_such(tmp_path):
    half = np.sqrt(0.5)
    turns = np.array([[[1.0, 0, 0, 0]] * 2, [[half, half, 0, 0]] * 2])
    several = Channel("several", dims=("body", "quaternion"), shape=(2, 4), rate=1.0)
    one = Channel("one", dims=("quaternion",), shape=(4,), rate=1.0)
    rec = Recording.from_arrays({"several": (several, turns), "one": (one, turns[:, 0])})
    write_csv(rec, tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text().startswith("time [s],several.0.w,several.0.x")
    back = read_csv(tmp_path / "x.csv")
    assert back.channel("several").dims[-1] == back.channel("one").dims[-1] == "quaternion"
    assert compare(rec, back).identical
    middle = resample(back, times=[0.5])["one"][0]
    np.testing.assert_allclose(middle, [np.cos(np.pi / 8), np.sin(np.pi / 8), 0, 0], atol=1e-15)


def test_letters_that_are_no_quaternion_are_names(tmp_path):
    (tmp_path / "x.csv").write_text("time [s],f[x] [N],f[y] [N]\n0,1,2\n")
    assert read_csv(tmp_path / "x.csv").names == ["f[x]", "f[y]"]


def test_no_samples_make_an_empty_frame():
    rec = Recording.from_arrays(
        {"x": (Channel("x", unit="m", dims=("axis",), shape=(3,), rate=10.0), np.empty((0, 3)))}
    )
    frame = rec.to_pandas()
    assert frame.shape == (0, 3)
    assert set(frame.attrs["units"].values()) == {"m"}


@pytest.mark.parametrize("cell", ['"' + "1" * 131_073 + '"', "9" * 4301, "-" + "9" * 5000, '"' + "x" * 131_073 + '"'])
def test_cells_that_are_far_too_long(tmp_path, cell):
    path = tmp_path / "long.csv"
    path.write_text(f"time [s],x [m]\n0,1\n1,{cell}\n")
    if '"' in cell:
        with pytest.raises(RecordingError, match=r"long\.csv.{1,400}$"):
            read_csv(path)
    else:
        assert np.isinf(read_csv(path)["x"][1])  # a number, though no float holds it
