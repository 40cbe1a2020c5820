"""Channels, recordings and recorders in memory, and the same through the disk."""

import numpy as np
import pytest
import walker
from hypothesis import given, settings
from hypothesis import strategies as st
from walker import quick_folder

from motiform.base.errors import InputError, MotiformError, RecordingError
from motiform.record import Channel, Event, Recorder, Recording, compare, open_recording


@pytest.fixture
def rec():
    x = np.arange(11.0)
    return Recording.from_arrays(
        {
            "x": (Channel("x", unit="m", rate=10.0, start=1.0), x),
            "p": (Channel("p", unit="m", dims=("axis",), shape=(3,)), np.ones((3, 3))),
        },
        times=[1.0, 1.5, 1.5],
        events=[Event(1.2, "hit", {"body": "a", "name": "n"}), Event(1.9, "end")],
        manifest={"title": "two", "size": np.float32(2), "list": (1, 2)},
        statics={"mesh": np.eye(3)},
    )


def test_reading(rec):
    assert rec.names == ["x", "p"] == list(rec)
    assert "x" in rec
    assert "y" not in rec
    assert rec["x"].tolist() == list(range(11))
    assert rec.time("x").tolist() == [1.0 + k / 10 for k in range(11)]
    assert rec.time("p").tolist() == [1.0, 1.5, 1.5]
    assert rec.unit("x") == "m"
    assert rec.read("x", 3, 5).tolist() == [3, 4]
    assert rec.read("x", -2).tolist() == [9, 10]
    assert rec.read("x", 5, 3).shape == (0,)
    assert rec.read("p", 100, 200).shape == (0, 3)
    assert [(first, len(block)) for first, block in rec.blocks("x", 4)] == [(0, 4), (4, 4), (8, 3)]
    assert rec.duration == 1.0
    assert rec.span == (1.0, 2.0)
    assert rec.manifest == {"title": "two", "size": 2.0, "list": [1, 2]}
    assert rec.statics["mesh"].tolist() == np.eye(3).tolist()
    assert rec.statics.get("none") is None
    assert rec.complete
    assert rec.warning is None


def test_repr_explains(rec):
    text = repr(rec)
    for part in ("'two'", "2 channels", "1 s", "complete", "x  11 samples, 10 Hz, [m]", "axis 3", "mesh", "events: 2"):
        assert part in text


def test_arrays_cannot_be_written(rec):
    with pytest.raises(ValueError, match="read-only"):
        rec["x"][0] = 1
    with pytest.raises(ValueError, match="read-only"):
        rec.statics["mesh"][0] = 1


def test_given_arrays_are_copied():
    x = np.zeros(3)
    rec = Recording.from_arrays({"x": (Channel("x", rate=1.0), x)})
    x[:] = 1
    assert rec["x"].tolist() == [0, 0, 0]


@pytest.mark.parametrize("name", ["X", 3, None])
def test_unknown_channel_says_what_there_is(rec, name):
    with pytest.raises(RecordingError, match=r"no such channel .*allowed: x, p"):
        rec[name]


def test_unknown_static(rec):
    with pytest.raises(RecordingError, match=r"allowed: mesh"):
        rec.statics["hand"]


def test_slice_is_closed_and_keeps_what_lies_inside(rec):
    part = rec.slice(1.2, 1.5)
    assert part["x"].tolist() == [2, 3, 4, 5]
    assert np.allclose(part.time("x"), [1.2, 1.3, 1.4, 1.5], rtol=0, atol=4e-16)  # 2 ulp: a new start, then k / rate
    assert part.time("p").tolist() == [1.5, 1.5]
    assert [event.name for event in part.events] == ["hit"]
    assert part.slice(1.3, 1.3)["x"].tolist() == [3] or part.slice(1.29, 1.31)["x"].tolist() == [3]
    assert rec.slice(5, 6).count("x") == 0
    assert rec.slice(5, 6).duration == 0
    assert rec.slice()["x"].tolist() == rec["x"].tolist()
    with pytest.raises(RecordingError, match="t0 ≤ t1"):
        rec.slice(2, 1)


@settings(deadline=None)
@given(st.floats(-1, 3), st.floats(-1, 3), st.integers(0, 40), st.sampled_from([10.0, 3.0, 0.7]))
def test_slice_is_what_its_definition_says(a, b, count, rate):
    t0, t1 = min(a, b), max(a, b)
    channels = {"x": (Channel("x", rate=rate), np.arange(count)), "y": (Channel("y"), np.arange(count))}
    times = np.sort(np.random.default_rng(count).integers(0, 20, count) / 10)
    rec = Recording.from_arrays(channels, times=times)
    for name in rec:
        kept = (rec.time(name) >= t0) & (rec.time(name) <= t1)
        assert rec.slice(t0, t1)[name].tolist() == rec[name][kept].tolist()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"name": ""}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"name": " a"}, "space"),
        ({"name": "a" * 201}, "1 to 200"),
        ({"dims": ("a",)}, "dims and shape"),
        ({"dims": "a", "shape": (1,)}, "dims"),
        ({"shape": (0,), "dims": ("a",)}, "shape"),
        ({"shape": (1.5,), "dims": ("a",)}, "shape"),
        ({"shape": (2**30,), "dims": ("a",)}, "Split"),
        ({"rate": 0}, "above 0 Hz"),
        ({"rate": float("nan")}, "rate"),
        ({"rate": "10"}, "rate"),
        ({"start": float("inf")}, "start"),
        ({"dtype": "complex128"}, "dtype"),
        ({"dtype": "O"}, "dtype"),
        ({"unit": 3}, "unit"),
    ],
)
def test_impossible_channels(options, text):
    with pytest.raises(InputError, match=text):
        Channel(**({"name": "x"} | options))


def test_channel_describes_itself():
    channel = Channel("x", unit="m", dims=["a"], shape=[2], rate=3, dtype=np.float32, description="it")
    assert channel.dims == ("a",)
    assert channel.dtype == "float32"
    assert Channel.from_description(channel.describe()) == channel


@pytest.mark.parametrize(
    ("blocks", "times", "text"),
    [
        ({"y": [1]}, None, "no such channel"),
        ({"x": 1}, None, "shape"),
        ({"x": [[1]]}, None, r"shape.*allowed: \(k,\)"),
        ({"p": [[1, 2]]}, None, r"allowed: \(k, 3\)"),
        ({"x": ["a"]}, None, "type"),
        ({"x": [1j]}, None, "type"),
        ({"x": [[1], [1, 2]]}, None, "must be an array"),
        ({"n": [1.5]}, None, "type"),
        ({"n": [300]}, None, "too large"),
        ({"n": [-1]}, None, "too large"),
        ({"p": [[1, 2, 3]]}, None, "times are missing"),
        ({"p": [[1, 2, 3]]}, [1, 2], "times must have one entry for each sample"),
        ({"p": [[1, 2, 3]]}, [np.nan], r"not finite|must be finite"),
        ({"p": [[1, 2, 3]]}, ["a"], "times"),
        ({"p": [[1, 2, 3]] * 2}, [2, 1], "decrease"),
        ({"p": [[1, 2, 3]]}, [-1], "decrease"),
    ],
)
def test_wrong_samples_are_refused_whole(blocks, times, text):
    channels = [Channel("x", rate=1.0), Channel("n", rate=1.0, dtype="uint8"), Channel("p", dims=("axis",), shape=(3,))]
    recorder = Recorder(None, channels)
    recorder.append({"p": [[0, 0, 0]]}, [0.0])
    before = recorder.counts
    with pytest.raises(InputError, match=text):
        recorder.append({"x": [1.0, 2.0]} | blocks, times)
    assert recorder.counts == before


def test_wrong_manifest_statics_and_checkpoints():
    channels = [Channel("x", rate=1.0)]
    with pytest.raises(InputError, match=r"manifest\.a"):
        Recorder(None, channels, manifest={"a": object()})
    with pytest.raises(InputError, match="manifest"):
        Recorder(None, channels, statics={"names": ["a", "b"]})
    with pytest.raises(InputError, match="same name"):
        Recorder(None, channels * 2)
    with pytest.raises(InputError, match=r"checkpoint\.a\[0\]"):
        Recorder(None, channels).commit({"a": [object()]}, force=True)
    with pytest.raises(InputError, match="the time of an event must be finite"):
        Recorder(None, channels).event(float("nan"), "x")


def test_closed_recorder_takes_nothing():
    recorder = Recorder(None, [Channel("x", rate=1.0)])
    assert recorder.finish() is recorder.finish()
    for use in (lambda: recorder.append({"x": [1]}), recorder.commit, lambda: recorder.event(1, "a")):
        with pytest.raises(InputError, match="closed"):
            use()


def interrupted(recorder, x):
    with recorder:
        recorder.append({"x": x})
        raise KeyboardInterrupt


def test_exception_leaves_an_incomplete_recording(tmp_path):
    for path in (None, tmp_path / "x.mf"):
        recorder = Recorder(path, [Channel("x", rate=1.0)])
        with pytest.raises(KeyboardInterrupt):
            interrupted(recorder, [1.0, 2.0])
        assert recorder._result["x"].tolist() == [1, 2]
        assert not recorder._result.complete
        assert "t = 1 s" in recorder._result.warning


def test_checkpoint_comes_back_bit_by_bit(tmp_path):
    rng = np.random.default_rng(1)
    given_one = {
        "n": 2**100, "f": 0.1, "nan": float("nan"), "inf": -np.inf, "s": "é\ud800", "none": None, "yes": True,
        "b": b"\x00\xff", "tuple": (1, [2.0, (3,)]), "rng": rng.bit_generator.state,
        "array": np.array([[-0.0, np.nan]]), "f32": np.float32(0.1), "text": np.array(["a", "bc"]), "empty": {},
        "int": np.arange(3, dtype=np.int8), "flat": np.float64(1.5),
    }  # fmt: skip
    for path in (None, tmp_path / "x.mf"):
        recorder = Recorder(path, [Channel("x", rate=1.0)])
        recorder.commit(given_one, force=True)
        back = recorder.checkpoint
        if path:
            recorder._sink.release()
            back = Recorder.resume(path).checkpoint
        assert repr(back) == repr(given_one)
        assert back["array"].tobytes() == given_one["array"].tobytes()
        assert type(back["f32"]) is np.float32
        assert type(back["tuple"]) is tuple


def test_commit_is_cheap_until_it_is_time(tmp_path, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("motiform.record.recorder.monotonic", lambda: now[0])
    recorder = Recorder(tmp_path / "x.mf", [Channel("x", rate=1.0)], chunk_bytes=800)
    asked = []

    def checkpoint():
        asked.append(1)
        return {"k": 1}

    recorder.append({"x": np.zeros(10)})
    assert not recorder.commit(checkpoint)
    assert not recorder.path.exists()
    now[0] = 2.0
    assert recorder.commit(checkpoint)  # it is time
    assert open_recording(recorder.path).count("x") == 10
    recorder.append({"x": np.zeros(99)})
    assert not recorder.commit(checkpoint)
    recorder.append({"x": np.zeros(1)})
    assert recorder.commit(checkpoint)  # 800 bytes wait
    assert not recorder.commit(checkpoint)
    assert recorder.commit(checkpoint, force=True)
    assert len(asked) == 3
    recorder.append({"x": np.zeros(400)})  # so much waits for no one
    assert open_recording(recorder.path).count("x") == 510


def test_resume_without_checkpoints_goes_on_after_the_last_sample(tmp_path):
    path = tmp_path / "measured.mf"
    recorder = Recorder(path, [Channel("x", rate=1.0)], chunk_bytes=80)
    recorder.append({"x": [0.0]})
    recorder.commit(force=True)
    with pytest.raises(KeyboardInterrupt):
        interrupted(recorder, [1.0])
    with Recorder.resume(path) as again:
        assert again.counts == {"x": 2}
        assert again.checkpoint is None
        again.append({"x": [2.0]})
    assert again.finish()["x"].tolist() == [0, 1, 2]


def test_samples_before_the_first_commit_are_not_thrown_away_unasked(tmp_path):
    path = tmp_path / "x.mf"
    recorder = Recorder(path, [Channel("x", rate=1.0)])
    with pytest.raises(KeyboardInterrupt):
        interrupted(recorder, [1.0])
    with pytest.raises(RecordingError, match="no point to resume from"):
        Recorder.resume(path)
    assert open_recording(path)["x"].tolist() == [1]
    assert Recorder.resume(path, discard=True).counts == {"x": 0}


def test_resume_of_a_complete_recording(tmp_path):
    walker.go(walker.begin(tmp_path / "x.mf"), 5)
    with pytest.raises(RecordingError, match="is complete"):
        Recorder.resume(tmp_path / "x.mf")


_ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.integers(0, 30), st.integers(0, 30)),
        st.tuples(st.sampled_from(["commit", "data", "event", "resume", "die"])),
    ),
    max_size=25,
)


@settings(max_examples=40, deadline=None)
@given(_ACTIONS, st.sampled_from([8, 40, 1000]))
def test_any_course_of_a_run_gives_what_memory_gives(actions, chunk):
    """Append, commit, close and resume, die and resume, in any order: the disk holds what a list would."""
    channels = [Channel("a", rate=5.0), Channel("b", dims=("axis",), shape=(2,), dtype="float32")]
    with quick_folder() as folder:
        path = f"{folder}/x.mf"
        recorder, done, kept = Recorder(path, channels, chunk_bytes=chunk), [], []
        recorder.commit({"done": 0}, force=True)
        for action, *sizes in actions:
            if action == "append":
                done.append(sizes)
                _append(recorder, sizes)
            elif action == "commit":
                recorder.commit({"done": len(done)}, force=True)
                kept = list(done)
            elif action == "data":
                recorder.commit(force=True)
            elif action == "event":
                done.append("event")
                recorder.event(1.0, "e", k=len(done))
            else:
                recorder.close() if action == "resume" else recorder._sink.release()
                recorder = Recorder.resume(path, chunk_bytes=chunk)
                assert recorder.checkpoint == {"done": len(kept)}
                done = list(kept)
        rec = recorder.finish()
        plain = Recorder(None, channels)
        for k, sizes in enumerate(done):
            plain.event(1.0, "e", k=k + 1) if sizes == "event" else _append(plain, sizes)
        assert compare(rec, plain.finish()).identical
        assert compare(open_recording(path), rec).identical


def _append(recorder, sizes):
    """Samples that tell their own index."""
    a, b = (recorder.counts[name] + np.arange(size) for name, size in zip("ab", sizes, strict=True))
    recorder.append({"a": a * 0.1, "b": np.stack([b, -b], axis=1).astype(np.float32)}, b / 3)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda x: st.lists(x, max_size=3) | st.dictionaries(st.text(max_size=5), x, max_size=3),
    max_leaves=6,
)


@given(
    st.dictionaries(st.text(), _JSON), st.lists(st.tuples(st.floats(), st.text(), st.dictionaries(st.text(), _JSON)))
)
@settings(max_examples=50, deadline=None)
def test_any_manifest_and_events_come_back_or_are_refused(manifest, events):
    with quick_folder() as folder:
        try:
            rec = Recording.from_arrays([], events=[Event(*event) for event in events], manifest=manifest)
        except MotiformError:
            assert any(not np.isfinite(event[0]) for event in events)
            return
        back = rec.save(f"{folder}/x.mf")
        assert repr(back.manifest) == repr(manifest)
        assert repr(back.events) == repr([Event(*event) for event in events])


@given(st.lists(st.text(min_size=1), unique=True, max_size=8))
@settings(max_examples=50, deadline=None)
def test_any_name_has_a_folder_of_its_own(names):
    with quick_folder() as folder:
        try:
            channels = [Channel(name, rate=1.0) for name in names]
        except MotiformError:
            return
        rec = Recording.from_arrays(channels, {name: [float(k)] for k, name in enumerate(names)}).save(f"{folder}/x.mf")
        assert [rec[name].tolist() for name in names] == [[float(k)] for k in range(len(names))]
        folders = [series.folder.lower() for series in rec._source._layout.series.values()]
        assert len(set(folders)) == len(names)
