"""The folder on disk: what other readers see, and what is refused."""

import json
import shutil
import threading

import numpy as np
import pytest
import walker
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st

from motiform.base.errors import InputError, MotiformError, RecordingError
from motiform.record import Channel, Recorder, Recording, compare, open_recording, read_csv, write_csv
from motiform.record.layout import Commit, checksum
from motiform.record.plain import dump_plain


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "walk.mf"
    return walker.go(walker.begin(path), 30, every=10), path


@pytest.mark.filterwarnings("ignore:Object at")
@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "uint16", "float16", "float32", "float64"])
def test_zarr_reads_every_type(quick_path, dtype):
    """The independent reader: zarr itself, on chunks that it did not write."""
    values = (np.random.default_rng(0).normal(size=(100, 2, 3)) * 50).astype(dtype)
    channel = Channel("a.b", unit="m", dims=("part", "axis"), shape=(2, 3), dtype=dtype)
    with Recorder(quick_path / "x.mf", [channel], chunk_bytes=800, statics={"s": values, "n": 3}) as recorder:
        for k in range(0, 100, 7):
            recorder.append({"a.b": values[k : k + 7]}, np.arange(k, min(k + 7, 100)))
            recorder.commit(force=True)
    group = zarr.open_group(quick_path / "x.mf", mode="r")
    assert group["data/a.b"][:].tobytes() == values.tobytes()
    assert group["data/a.b"].dtype == values.dtype
    assert group["data/a.b"].metadata.dimension_names == ("time", "part", "axis")
    assert group["data/a.b"].attrs["unit"] == "m"
    assert group["times/a.b"][:].tolist() == list(range(100))
    assert group["statics/s"][:].tobytes() == values.tobytes()
    assert group.attrs["motiform"]["format"] == 1
    rec = recorder.finish()
    assert rec["a.b"].tobytes() == values.tobytes()
    assert rec.statics["n"].shape == ()


def test_chunk_bytes_are_those_of_zarr(tmp_path):
    """Our encoder and zarr's write the same bytes."""
    from motiform.record.layout import StoredSeries

    series = StoredSeries("x", (3,), "float64", 10)
    values = np.random.default_rng(0).normal(size=(10, 3))
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "zarr.json").write_text(json.dumps(series.metadata(10)))
    zarr.open_array(tmp_path / "x", mode="r+")[:] = values
    assert (tmp_path / "x" / "c.0.0").read_bytes() == series.encode(values)


def test_statics_of_every_shape(quick_path):
    statics = {"none": np.float32(2), "empty": np.zeros((0, 3)), "flat": np.zeros((3, 0)), "big": np.arange(2_000_000)}
    rec = Recording.from_arrays([], statics=statics).save(quick_path / "x.mf")
    for name, array in statics.items():
        assert rec.statics[name].shape == array.shape
        assert rec.statics[name].dtype == array.dtype
        assert np.array_equal(rec.statics[name], array)


def test_only_what_is_asked_is_read(quick_path):
    """Every chunk but one is made unreadable: parts, slices and blocks that lie inside it still work."""
    channels = [Channel("x", rate=10.0), Channel("y")]
    with Recorder(quick_path / "x.mf", channels, chunk_bytes=80) as recorder:
        recorder.append({"x": np.arange(100.0), "y": np.arange(100.0)}, np.arange(100) / 10)
    for file in (quick_path / "x.mf" / "data").rglob("c.*"):
        if file.name != "c.3":
            file.write_bytes(b"?")
    rec = open_recording(quick_path / "x.mf")
    for name in rec:
        assert rec.read(name, 32, 38).tolist() == [32, 33, 34, 35, 36, 37]
        part = rec.slice(3.1, 3.6)
        assert part[name].tolist() == [31, 32, 33, 34, 35, 36]
        assert [block.tolist() for _, block in part.blocks(name, 4)] == [[31, 32, 33, 34], [35, 36]]
        with pytest.raises(RecordingError, match=f"data/{name}.*cannot be read"):
            rec[name]


def test_missing_committed_chunk_is_an_error(whole, quick_path):
    for folder in ("data/walk", "times/turn", "statics/mesh"):
        path = quick_path / folder.replace("/", "_")
        shutil.copytree(whole[1], path)
        next((path / folder).glob("c.0*")).unlink()
        rec = open_recording(path)
        with pytest.raises(RecordingError, match="a committed chunk is missing"):
            rec["walk"], rec.time("turn"), rec.statics["mesh"]


def test_values_equal_to_the_fill_are_written(quick_path):
    """A chunk of nothing but fill values is there all the same, so a missing one can be told."""
    with Recorder(quick_path / "x.mf", [Channel("x", rate=1.0), Channel("n", rate=1.0, dtype="int8")]) as recorder:
        recorder.append({"x": [np.nan] * 3, "n": [0] * 3})
    assert (quick_path / "x.mf/data/x/c.0").exists()
    assert np.isnan(recorder.finish()["x"]).all()


def test_nothing_is_overwritten_unasked(quick_path):
    old = walker.go(walker.begin(quick_path / "x.mf"), 5)
    before = walker.content(quick_path / "x.mf")
    for again in (lambda: walker.begin(quick_path / "x.mf"), lambda: old.slice(0, 1).save(quick_path / "x.mf")):
        with pytest.raises(RecordingError, match=r"exists already|over itself"):
            again()
    assert walker.content(quick_path / "x.mf") == before
    new = walker.go(walker.begin(quick_path / "x.mf", overwrite=True), 8)
    assert new.count("walk") == 8
    assert [entry.name for entry in quick_path.iterdir()] == ["x.mf"]


def test_only_recordings_are_overwritten(quick_path):
    (quick_path / "home").mkdir()
    (quick_path / "home" / "letter").write_text("dear")
    (quick_path / "file").write_text("dear")
    (quick_path / "link").symlink_to(quick_path / "home")
    for name in ("home", "file", "link"):
        with pytest.raises(RecordingError, match="is not a recording"):
            walker.begin(quick_path / name, overwrite=True)
    with pytest.raises(MotiformError):
        walker.begin(quick_path / "file" / "x.mf")
    assert (quick_path / "home" / "letter").read_text() == "dear"
    (quick_path / "empty").mkdir()
    assert walker.go(walker.begin(quick_path / "empty"), 3).complete
    assert walker.go(walker.begin(quick_path / "new" / "deep" / "x.mf"), 3).complete


def test_save_keeps_everything(quick_path):
    rec = walker.go(walker.begin(None), 30)
    back = rec.save(quick_path / "a.mf")
    assert compare(rec, back).identical
    assert back.manifest == walker.MANIFEST
    assert [back.channel(name) for name in back] == walker.CHANNELS
    assert {name: array.tolist() for name, array in back.statics.items()} == {
        "mesh": walker.STATICS["mesh"].tolist(),
        "seed": 7,
    }
    part = back.slice(1.1, 1.2).save(quick_path / "b.mf")
    assert compare(part, rec.slice(1.1, 1.2)).identical
    assert part.save(quick_path / "a.mf", overwrite=True).count("walk") == part.count("walk")
    with pytest.raises(RecordingError, match="over itself"):
        part.save(quick_path / "b.mf", overwrite=True)
    assert sorted(entry.name for entry in quick_path.iterdir()) == ["a.mf", "b.mf"]


def test_save_that_fails_leaves_nothing(quick_path):
    rec = walker.go(walker.begin(quick_path / "a.mf"), 30)
    next((quick_path / "a.mf/data/turn").glob("c.1*")).unlink()
    with pytest.raises(RecordingError, match="missing"):
        open_recording(rec.path).save(quick_path / "b.mf")
    assert [entry.name for entry in quick_path.iterdir()] == ["a.mf"]


def test_incomplete_stays_incomplete_when_saved(quick_path):
    recorder = walker.begin(quick_path / "a.mf")
    recorder.append({"count": [1, 2]})
    assert not recorder.close().save(quick_path / "b.mf").complete


def test_reading_while_it_is_written(quick_path):
    """Another thread opens it again and again: always a beginning."""
    recorder = Recorder(quick_path / "x.mf", [Channel("x", rate=1.0)], chunk_bytes=80)
    recorder.commit(force=True)
    wrong, stop = [], threading.Event()

    def watch():
        while not stop.is_set():
            x = open_recording(quick_path / "x.mf")["x"]
            if x.tolist() != list(range(len(x))):
                wrong.append(x)

    thread = threading.Thread(target=watch)
    thread.start()
    for k in range(150):
        recorder.append({"x": [float(k)]})
        recorder.commit(force=True)
    stop.set()
    thread.join()
    assert not wrong
    assert recorder.finish().count("x") == 150


@pytest.mark.parametrize("make", ["nothing", "file", "folder", "zarr"])
def test_not_a_recording(tmp_path, make):
    path = tmp_path / "x.mf"
    if make == "file":
        path.write_text("hello")
    elif make == "folder":
        path.mkdir()
    elif make == "zarr":
        zarr.open_group(path, mode="w")
    for use in (open_recording, Recorder.resume):
        with pytest.raises(RecordingError, match=r"no such recording|not a recording"):
            use(path)


def test_near_names_are_offered(quick_path):
    walker.go(walker.begin(quick_path / "walk.mf"), 3)
    with pytest.raises(RecordingError, match=r"Did you mean 'walk\.mf'"):
        open_recording(quick_path / "wlak.mf")


def rewrite_commit(path, change):
    """Change the commit and make its checksum right again."""
    body = json.loads((path / "commit.json").read_text())["commit"]
    change(body)
    (path / "commit.json").write_text(dump_plain({"commit": body, "crc32": checksum(body)}))


@pytest.mark.parametrize(
    ("old", "new"), [('"walker"', '"talker"'), ('"unit": "m"', '"unit": "k"'), ('"seed": 7', '"seed": 8')]
)
def test_changed_header_is_noticed(whole, quick_path, old, new):
    path = shutil.copytree(whole[1], quick_path / "x.mf")
    text = (path / "zarr.json").read_text()
    assert old in text
    (path / "zarr.json").write_text(text.replace(old, new))
    with pytest.raises(RecordingError, match=r"zarr\.json: is damaged \(got 'its checksum is wrong'\)"):
        open_recording(path)


def test_newer_format(whole, quick_path):
    path = shutil.copytree(whole[1], quick_path / "x.mf")
    rewrite_commit(path, lambda body: body.update(format=2, unheard="of"))
    with pytest.raises(
        RecordingError,
        match=r"the format is newer than this version reads \(got 'format 2'; allowed: up to 1\)\. Update",
    ):
        open_recording(path)


def read_all(path):
    rec = open_recording(path)
    for name in rec:
        rec[name], rec.time(name)
    return rec, {name: rec.statics[name].tobytes() for name in rec.statics}


_FILES = st.sampled_from(
    ["zarr.json", "commit.json", "events.jsonl", "data/walk/zarr.json", "data/walk/c.1.0", "data/count/c.0",
     "times/turn/zarr.json", "times/turn/c.0", "statics/mesh/zarr.json", "statics/mesh/c.0.0"]
)  # fmt: skip
_DAMAGE = st.one_of(
    st.tuples(st.just("fill"), st.binary(max_size=200)),
    st.tuples(st.just("flip"), st.integers(0, 10**6), st.integers(1, 255)),
    st.tuples(st.just("cut"), st.floats(0, 1)),
    st.tuples(st.just("insert"), st.integers(0, 10**6), st.binary(min_size=1, max_size=9)),
    st.tuples(st.just("remove")),
)


@settings(max_examples=250, deadline=None)
@given(_FILES, _DAMAGE)
def test_any_damage_is_noticed(whole, file, damage):
    """Whatever happens to a file, what is read is what was written, or it is a motiform error. Never other numbers."""
    original = (whole[1] / file).read_bytes()
    kind, *how = damage
    k = how[0] % len(original) if kind in ("flip", "insert") else 0
    changed = {
        "fill": lambda: how[0],
        "flip": lambda: original[:k] + bytes([original[k] ^ how[1]]) + original[k + 1 :],
        "cut": lambda: original[: int(how[0] * len(original))],
        "insert": lambda: original[:k] + how[1] + original[k:],
        "remove": lambda: b"",
    }[kind]()
    try:
        (whole[1] / file).write_bytes(changed)
        if kind == "remove":
            (whole[1] / file).unlink()
        rec, statics = read_all(whole[1])
    except MotiformError as error:
        said = str(error)
    else:
        said = str(whole[1])
        assert compare(rec, walker.go(walker.begin(None), 30)).identical
        assert rec.manifest == walker.MANIFEST
        assert statics["mesh"] == walker.STATICS["mesh"].tobytes()
    finally:
        (whole[1] / file).write_bytes(original)
    assert str(whole[1]) in said  # an error tells where


_VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.integers(0, 100), st.floats(), st.text(max_size=5),
    st.just([]), st.just({}), st.just({"walk": 3}), st.just("../../x"),
)  # fmt: skip


def spots(value, path=()):
    """Every place in nested dicts and lists."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from spots(item, (*path, key))


@settings(max_examples=250, deadline=None)
@given(st.data())
def test_wrong_values_with_right_checksums(whole, data):
    """Files that no accident makes: every outcome is a result or a motiform error, and no file outside is read."""
    names = ("zarr.json", "commit.json")
    saved = {name: (whole[1] / name).read_bytes() for name in names}
    root, commit = (json.loads(saved[name]) for name in names)
    tree = {"header": root["attributes"]["motiform"], "commit": commit["commit"]}
    spot = data.draw(st.sampled_from(list(spots(tree))))
    place = tree
    for key in spot[:-1]:
        place = place[key]
    if data.draw(st.booleans()) and isinstance(place, dict):
        del place[spot[-1]]
    else:
        place[spot[-1]] = data.draw(_VALUES)
    try:
        if isinstance(tree.get("commit"), dict) and "header" in tree:
            root["attributes"]["motiform"] = tree["header"]
            tree["commit"]["header_crc32"] = checksum(json.loads(json.dumps(tree["header"])))
        body = tree.get("commit")
        (whole[1] / "zarr.json").write_text(json.dumps(root))
        (whole[1] / "commit.json").write_text(
            json.dumps({"commit": body, "crc32": checksum(json.loads(json.dumps(body)))})
        )
        read_all(whole[1])
    except (MotiformError, InputError):
        pass
    finally:
        for name in names:
            (whole[1] / name).write_bytes(saved[name])


def test_checkpoint_file_stays_inside(quick_path):
    """A commit that points elsewhere is not followed."""
    recorder = walker.begin(quick_path / "x.mf")
    recorder.commit({"k": 1}, force=True)
    recorder._sink.release()
    outside = quick_path / "checkpoint-1.npz"
    (quick_path / "x.mf" / "checkpoint-1.npz").rename(outside)
    rewrite_commit(quick_path / "x.mf", lambda body: body["checkpoint"].update(file="../checkpoint-1.npz"))
    with pytest.raises(RecordingError, match="its checkpoint has another name than a checkpoint"):
        open_recording(quick_path / "x.mf")
    outside.rename(quick_path / "x.mf" / "checkpoint-1.npz")
    rewrite_commit(quick_path / "x.mf", lambda body: body["checkpoint"].update(file="checkpoint-1.npz"))
    assert isinstance(Commit.load(json.loads((quick_path / "x.mf/commit.json").read_text())), Commit)
    assert open_recording(quick_path / "x.mf").checkpoint == {"k": 1}


@pytest.mark.parametrize("path", [None, 3, b"x.mf", "a\0b"])
def test_what_is_not_a_path(path):
    rec = walker.go(walker.begin(None), 3)
    for use in (
        open_recording,
        rec.save,
        Recorder.resume,
        read_csv,
        lambda place: write_csv(rec, place, names=["walk"]),
    ):
        with pytest.raises(RecordingError, match="the path must be text"):
            use(path)


def test_a_manifest_nested_too_deep_is_refused(quick_path):
    deep: list = []
    for _ in range(3000):
        deep = [deep]
    itself: dict = {}
    itself["again"] = itself
    for value in (deep, itself):
        with pytest.raises(InputError, match="too deep"):
            Recorder(quick_path / "x.mf", [Channel("x", rate=1.0)], manifest={"deep": value})
    assert not (quick_path / "x.mf").exists()
