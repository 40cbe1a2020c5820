"""A recording comes from anyone: nothing outside its folder is read or changed through it, and no read is endless."""

import os
import shutil
import sys

import numpy as np
import pytest
import walker

from motiform.base.errors import RecordingError
from motiform.record import Recorder, open_recording

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
PLACES = ("commit.json", "zarr.json", "events.jsonl", "checkpoint", "data", "data/walk", "data/walk/zarr.json",
          "data/walk/c.0.0", "times/turn", "times/turn/c.0", "statics/mesh/c.0.0")  # fmt: skip


def tree(folder):
    return {str(p.relative_to(folder)): p.read_bytes() if p.is_file() else None for p in sorted(folder.rglob("*"))}


def take(recorder, count, first=0):
    rng, x = np.random.default_rng(7), np.zeros(3)
    for k in range(first, first + count):
        walker.step(recorder, k, x, rng)


@pytest.fixture
def begun(quick_path):
    """A recording that can be resumed, with all that recordings have."""
    recorder = walker.begin(quick_path / "x.mf")
    take(recorder, 20)
    recorder.commit({"k": 20}, force=True)
    take(recorder, 5, 20)
    recorder.commit(force=True)
    recorder._sink.release()
    return quick_path / "x.mf"


def place_of(folder, name):
    return next(folder.glob("checkpoint-*")) if name == "checkpoint" else folder / name


def use(folder):
    """All that reads, and what resumes."""
    rec = open_recording(folder)
    for name in rec:
        rec[name], rec.time(name)
    assert all(rec.statics[name].size for name in rec.statics)


@pytest.mark.parametrize("name", PLACES)
def test_links_are_neither_read_nor_written_through(begun, tmp_path, name):
    use(begun)
    place, outside = place_of(begun, name), tmp_path / "outside"
    shutil.move(place, outside)
    os.symlink(outside, place)
    before = tree(tmp_path) if outside.is_dir() else outside.read_bytes()
    with pytest.raises(RecordingError, match="links"):
        use(begun)
    if "/c." not in name:  # of chunks a resumed run reads and writes the last
        with pytest.raises(RecordingError):
            take(Recorder.resume(begun), 20, 20)
    else:
        take(Recorder.resume(begun), 20, 20)
    assert (tree(tmp_path) if outside.is_dir() else outside.read_bytes()) == before


@pytest.mark.parametrize("kind", ["pipe", "device"])
@pytest.mark.parametrize("name", [place for place in PLACES if "." in place or place == "checkpoint"])
def test_pipes_and_devices_are_not_read(begun, name, kind):
    place = place_of(begun, name)
    place.unlink()
    os.mkfifo(place) if kind == "pipe" else os.symlink("/dev/zero", place)
    with pytest.raises(RecordingError):
        use(begun)


def test_no_file_is_written_through_a_link_that_stands_in_its_way(begun, tmp_path):
    outside = tmp_path / "outside"
    outside.write_text("mine")
    for name in ("commit.json.partial", "data/walk/zarr.json.partial"):
        os.symlink(outside, begun / name)
    recorder = Recorder.resume(begun)
    take(recorder, 20, 20)
    recorder.close()
    assert outside.read_text() == "mine"
    use(begun)


def test_events_that_are_a_link_are_not_cut(quick_path, tmp_path):
    from motiform.record import Channel

    recorder = Recorder(quick_path / "y.mf", [Channel("x", rate=1.0)])
    recorder.append({"x": [1.0]})
    recorder.commit({"k": 1}, force=True)
    recorder._sink.release()
    outside = tmp_path / "outside"
    outside.write_text("mine")
    os.symlink(outside, quick_path / "y.mf" / "events.jsonl")
    with pytest.raises(RecordingError, match="links"):
        Recorder.resume(quick_path / "y.mf")
    assert outside.read_text() == "mine"


def test_a_file_that_is_far_too_large_is_not_read(begun):
    chunk = begun / "data/walk/c.0.0"
    os.truncate(chunk, 10**12)  # a hole: it takes no room on the disk
    with pytest.raises(RecordingError, match="larger than it may be"):
        use(begun)
    os.truncate(place_of(begun, "checkpoint"), 10**12)
    with pytest.raises(RecordingError, match="half of the memory"):
        use(begun)
