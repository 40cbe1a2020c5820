"""Numbers of channels by name: what they are called, their units, how some are chosen, what is told of wrong names."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from walker import quick_folder

from motiform.base.errors import InputError, RecordingError
from motiform.record import Channel, Recording, compare, open_recording, read_csv, resample, write_csv
from motiform.record.labels import WRENCH, WRENCH_UNITS

LABELS = {"coordinate": ["right_knee", "left_knee", "base.x", "base"], "solid": ["right foot", "left foot"]}
COUNT = 5


def channels(rate=10.0):
    return [
        Channel("q", dims=("coordinate",), shape=(4,), rate=rate, units=("rad", "rad", "m", "")),
        Channel("wrench", dims=("solid", "component"), shape=(2, 6), rate=rate, units=WRENCH_UNITS),
        Channel("wrench.center_of_pressure", unit="m", dims=("solid", "axis"), shape=(2, 3), rate=rate),
        Channel("turn", dims=("body", "quaternion"), shape=(3, 4), rate=rate),
        Channel("energy", unit="J", rate=rate),
    ]


def recording(labels=LABELS, rate=10.0):
    rng = np.random.default_rng(3)
    arrays = {c.name: rng.normal(size=(COUNT, *c.shape)) for c in channels()}
    times = None if rate else np.arange(COUNT) / 7
    return Recording.from_arrays(channels(rate), arrays, times=times, manifest={"labels": labels})


@pytest.mark.parametrize(
    ("name", "whole", "index", "unit", "dims"),
    [
        ("q", "q", (), "", ("coordinate",)),
        ("q.right_knee", "q", (0,), "rad", ()),
        ("q.base.x", "q", (2,), "m", ()),
        ("q.base", "q", (3,), "", ()),
        ("q.1", "q", (1,), "rad", ()),
        ("q.*", "q", (slice(None),), "", ("coordinate",)),
        ("wrench.left foot", "wrench", (1,), "", ("component",)),
        ("wrench.left foot.force_y", "wrench", (1, 4), "N", ()),
        ("wrench.*.moment_z", "wrench", (slice(None), 2), "N m", ("solid",)),
        ("wrench.0.5", "wrench", (0, 5), "N", ()),
        ("wrench.center_of_pressure", "wrench.center_of_pressure", (), "m", ("solid", "axis")),
        ("wrench.center_of_pressure.right foot.y", "wrench.center_of_pressure", (0, 1), "m", ()),
        ("turn.2.w", "turn", (2, 0), "", ()),
        ("energy", "energy", (), "J", ()),
    ],
)
@pytest.mark.parametrize("rate", [10.0, None])
def test_what_a_name_stands_for(name, whole, index, unit, dims, rate):
    rec = recording(rate=rate)
    wanted = rec[whole][(slice(None), *index)]
    np.testing.assert_array_equal(rec[name], wanted)
    np.testing.assert_array_equal(rec.read(name, 1, 3), wanted[1:3])
    np.testing.assert_array_equal(np.concatenate([block for _, block in rec.blocks(name, 2)]), wanted)
    np.testing.assert_array_equal(rec.time(name), rec.time(whole))
    channel = rec.channel(name)
    assert (rec.unit(name), channel.dims, channel.shape) == (unit, dims, wanted.shape[1:])
    assert (channel.name, rec.count(name)) == (name, COUNT)


def test_a_part_keeps_the_units_of_its_axis():
    rec = recording()
    assert rec.channel("wrench.left foot").units == WRENCH_UNITS
    assert rec.channel("q").units == ("rad", "rad", "m", "")
    assert rec.labels("wrench.left foot") == (WRENCH,)
    assert rec.labels("turn") == (("0", "1", "2"), ("w", "x", "y", "z"))
    assert rec.labels("energy") == ()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("q.right_kne", r"no such component of 'q' \(got 'right_kne'; .*Did you mean 'right_knee'"),
        ("q.knee", "Did you mean 'right_knee' or 'left_knee'"),
        ("q.9", "no such component of 'q'"),
        ("q.-1", "no such component of 'q'"),
        ("q.right_knee.x", "'q.right_knee' is one number"),
        ("wrench.left foot.force_yy", "no such component of 'wrench.left foot' .*Did you mean 'force_y'"),
        ("wrench.left fot", "Did you mean 'left foot'"),
        ("wrench.center_of_pressure.w", "no such component of 'wrench.center_of_pressure' .*right foot, left foot"),
        ("energy.kinetic", r"'energy' is one number \(got 'energy\.kinetic'"),
        ("right_knee", r"no such channel .*Did you mean 'q\.right_knee'"),
        ("enrgy", r"no such channel .*Did you mean 'energy'"),
        ("q.", "no such component"),
        ("", "no such channel"),
    ],
)
def test_wrong_names_are_answered_with_near_ones(name, text):
    with pytest.raises(RecordingError, match=text):
        recording()[name]


def test_what_is_no_name_is_reported():
    for name in (3, None, ["q"], {}):
        with pytest.raises(RecordingError, match="no such channel"):
            recording()[name]


names = st.one_of(
    st.none(), st.integers(), st.text(max_size=8), st.sampled_from(["a", "a", "x", "*", "0", "1.2", "a.b"])
)


@settings(deadline=None, max_examples=200)
@given(st.one_of(st.lists(names, max_size=5), st.text(max_size=5), st.none(), st.dictionaries(st.text(), names)))
def test_any_labels_of_a_file_give_every_number_one_name(named):
    rec = Recording.from_arrays(
        {"q": (Channel("q", dims=("k", "axis"), shape=(4, 3), rate=1.0), np.arange(24.0).reshape(2, 4, 3))},
        manifest={"labels": {"k": named}},
    )
    frame = rec.to_pandas()
    assert len(set(frame.columns)) == 12
    for k, name in enumerate(frame.columns):
        assert frame[name].tolist() == [k, 12.0 + k]
        assert len(rec[name].shape) <= 2
    assert Recording.from_arrays([], manifest={"labels": named}).names == []


@settings(deadline=None, max_examples=100)
@given(st.lists(st.text("abx.0", min_size=1, max_size=4), min_size=3, max_size=3, unique=True))
def test_every_column_of_a_table_is_chosen_by_its_name(named):
    """Also where names have dots in them: the longest that fits is meant."""
    rec = Recording.from_arrays(
        {"q": (Channel("q", dims=("k",), shape=(3,), rate=1.0), np.arange(6.0).reshape(2, 3))},
        manifest={"labels": {"k": named}},
    )
    if any(label != label.strip() or label.startswith(".") or label.endswith(".") for label in named):
        return
    frame = rec.to_pandas()
    for name in frame.columns:
        assert rec[name].tolist() == frame[name].tolist()


def test_columns_of_tables_have_names_and_units():
    rec = recording()
    frame = rec.to_pandas(["q", "wrench", "energy"])
    assert list(frame.columns)[:5] == [
        "q.right_knee",
        "q.left_knee",
        "q.base.x",
        "q.base",
        "wrench.right foot.moment_x",
    ]
    assert frame["wrench.left foot.force_z"].tolist() == rec["wrench"][:, 1, 5].tolist()
    units = frame.attrs["units"]
    assert (units["q.right_knee"], units["q.base.x"], units["q.base"]) == ("rad", "m", "")
    assert (units["wrench.left foot.moment_x"], units["wrench.left foot.force_x"]) == ("N m", "N")
    assert list(rec.to_pandas(["wrench.left foot"]).columns) == [f"wrench.left foot.{name}" for name in WRENCH]


def test_a_table_read_back_has_the_same_names_units_and_numbers(tmp_path):
    rec = recording()
    write_csv(rec, tmp_path / "x.csv")
    head = (tmp_path / "x.csv").read_text().splitlines()[0].split(",")
    assert head[:5] == ["time [s]", "q.right_knee [rad]", "q.left_knee [rad]", "q.base.x [m]", "q.base"]
    back = read_csv(tmp_path / "x.csv")
    assert back["wrench.center_of_pressure.left foot"].shape == (COUNT, 3)
    assert back.channel("turn").dims[-1] == "quaternion"
    assert back["turn"].shape == (COUNT, 3, 4)
    before, after = rec.to_pandas(), back.to_pandas()
    assert set(after.columns) == set(before.columns)
    assert after.attrs["units"] == before.attrs["units"]
    for name in before.columns:
        assert after[name].tolist() == before[name].tolist()
        assert back[name].tolist() == rec[name].tolist()
    write_csv(rec, tmp_path / "one.csv", names=["q.right_knee"])
    assert read_csv(tmp_path / "one.csv")["q.right_knee"].tolist() == rec["q"][:, 0].tolist()


@pytest.mark.parametrize(
    ("heads", "shapes"),
    [
        ("a.x,a.y,a.z", {"a": (3,)}),
        ("a.z,a.x,a.y", {"a": (3,)}),
        ("a.x,a.y,a.z,a.speed", {"a": (3,), "a.speed": ()}),
        ("a.x,a.y", {"a.x": (), "a.y": ()}),
        ("a.x [m],a.y [m],a.z [s]", {"a.x": (), "a.y": (), "a.z": ()}),
        ("a.w,a.x,a.y,a.z", {"a": (4,)}),
        ("a,a.x,a.y,a.z", {"a": (), "a.x": (), "a.y": (), "a.z": ()}),
        ("a.0,a.1", {"a": (2,)}),
        ("a.1,a.2", {"a.1": (), "a.2": ()}),
        ("a.0.x,a.0.y,a.0.z,a.1.x,a.1.y,a.1.z", {"a": (2, 3)}),
        ("a.0.x,a.0.y,a.0.z,a.1.x,a.1.y", {"a": (1, 3), "a.1.x": (), "a.1.y": ()}),
        ("a.00,a.1", {"a.00": (), "a.1": ()}),
        ("x,y,z", {"x": (), "y": (), "z": ()}),
        (".x,.y,.z", {".x": (), ".y": (), ".z": ()}),
        ("f,f[x]", {"f": (), "f[x]": ()}),
    ],
)
def test_which_columns_make_a_channel(tmp_path, heads, shapes):
    cells = heads.split(",")
    (tmp_path / "x.csv").write_text(f"time,{heads}\n0,{','.join(map(str, range(len(cells))))}\n")
    rec = read_csv(tmp_path / "x.csv")
    assert {name: rec.channel(name).shape for name in rec} == shapes
    for k, cell in enumerate(cells):
        assert rec[cell.split(" [")[0]].tolist() == [k]


def test_two_columns_of_one_name_are_refused(tmp_path):
    data = {"a": (Channel("a", dims=("k",), shape=(1,), rate=1.0), [[1.0]]), "a.b": (Channel("a.b", rate=1.0), [2.0])}
    rec = Recording.from_arrays(data, manifest={"labels": {"k": ["b"]}})
    for use in (rec.to_pandas, lambda: write_csv(rec, tmp_path / "x.csv")):
        with pytest.raises(RecordingError, match=r"columns of a table must have different names .*a\.b"):
            use()
    assert rec["a.b"].tolist() == [2.0]  # a channel comes first


def test_xarray_has_names_as_coordinates():
    rec = recording()
    data = rec.to_xarray()
    one = data["q"].sel(coordinate="base.x")
    assert one.values.tolist() == rec["q"][:, 2].tolist()
    assert one.coords["unit of q"].item() == "m"
    force = data["wrench"].sel(solid="left foot", component="force_y")
    assert force.values.tolist() == rec["wrench"][:, 1, 4].tolist()
    assert data["wrench.center_of_pressure"].sel(axis="y").shape == (COUNT, 2)
    assert "body" not in data.coords


def test_names_and_units_are_kept(tmp_path):
    rec = recording()
    back = rec.save(tmp_path / "x.mf")
    assert compare(rec, open_recording(tmp_path / "x.mf")).identical
    assert back.channel("q").units == ("rad", "rad", "m", "")
    assert back.unit("wrench.left foot.force_y") == "N"
    assert back.slice(0.1, 0.3).labels("q") == (tuple(LABELS["coordinate"]),)
    assert resample(rec, rate=20.0).channel("q").units == ("rad", "rad", "m", "")
    assert resample(rec, rate=20.0, names=["q.base.x"]).unit("q.base.x") == "m"
    other = Recording.from_arrays([Channel("q", dims=("coordinate",), shape=(4,), rate=10.0)], {"q": rec["q"]})
    assert "units" in compare(rec, other, ["q"])["q"].remark


def test_a_recording_without_names_and_units_is_read_as_before(tmp_path):
    """What an earlier version wrote has no key for units, and no names."""
    quiet = Channel("q", dims=("coordinate",), shape=(4,), rate=10.0)
    assert "units" not in quiet.describe()
    Recording.from_arrays([quiet], {"q": np.ones((3, 4))}).save(tmp_path / "x.mf")
    assert '"units"' not in json.dumps(json.loads((tmp_path / "x.mf" / "zarr.json").read_text()))
    rec = open_recording(tmp_path / "x.mf")
    assert rec.labels("q") == (("0", "1", "2", "3"),)
    assert rec["q.3"].tolist() == [1.0, 1.0, 1.0]
    assert list(rec.to_pandas().columns) == ["q.0", "q.1", "q.2", "q.3"]


def test_units_of_a_channel():
    same = Channel("q", dims=("k",), shape=(2,), units=("rad", "rad"))
    assert (same.unit, same.units) == ("rad", ())
    assert Channel.from_description(channels()[0].describe()) == channels()[0]
    with quick_folder():
        for wrong in (("rad",), "ab", ("rad", 3), [None, None]):
            with pytest.raises(InputError, match="units"):
                Channel("q", dims=("k",), shape=(2,), units=wrong)
        with pytest.raises(InputError, match="units"):
            Channel("q", unit="m", dims=("k",), shape=(2,), units=("rad", "m"))
        with pytest.raises(InputError, match="units"):
            Channel("q", units=("rad",))
