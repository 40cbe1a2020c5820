"""A recording comes from anyone: nothing outside its folder is read or changed through it, and no read is endless."""

import io
import json
import os
import shutil
import sys
import zipfile

import google_crc32c
import numpy as np
import pytest
import walker

from motiform.base.errors import RecordingError
from motiform.record import Recorder, open_recording
from motiform.record.layout import checksum

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
    with pytest.raises(RecordingError, match="larger than it may be"):
        use(begun)


def committed(folder, change):
    """Change what a commit says, its checksum fitting."""
    body = json.loads((folder / "commit.json").read_bytes())["commit"]
    change(body)
    (folder / "commit.json").write_text(json.dumps({"commit": body, "crc32": checksum(body)}))


@pytest.mark.parametrize("stated", [10**12, 10**18])
def test_files_without_an_end_are_not_held_in_memory(begun, stated):
    point = place_of(begun, "checkpoint")
    whole = point.read_bytes()
    os.truncate(point, 10**12)
    committed(begun, lambda body: body["checkpoint"].update(bytes=None))
    with pytest.raises(RecordingError, match="half of the memory"):
        use(begun)
    point.write_bytes(whole)
    use(begun)  # as earlier versions wrote it
    os.truncate(begun / "events.jsonl", 10**12)
    committed(begun, lambda body: body["upto"].update(event_bytes=stated))
    with pytest.raises(RecordingError, match="half of the memory"):
        use(begun)
    committed(begun, lambda body: body["upto"].update(event_bytes=2**20))
    with pytest.raises(RecordingError, match="checksum"):
        use(begun)


def test_counts_without_an_end_are_refused(begun):
    for file in ("walk", "turn"):
        head = next(begun.glob(f"data/{file}*/zarr.json"))
        text = json.loads(head.read_bytes())
        head.write_text(json.dumps({**text, "shape": [10**18, *text["shape"][1:]]}))
    head = begun / "times/turn/zarr.json"
    head.write_text(json.dumps({**json.loads(head.read_bytes()), "shape": [10**18]}))
    committed(begun, lambda body: body["upto"]["counts"].update(walk=10**18, turn=10**18))
    rec = open_recording(begun)
    for name in ("walk", "turn"):
        with pytest.raises(RecordingError, match="half of the memory"):
            rec[name]
        with pytest.raises(RecordingError, match="half of the memory"):
            rec.time(name)


def test_files_that_share_content_with_others_stay_as_they_are(begun):
    outside = begun.parent / "outside"
    outside.mkdir()
    for place in [file for file in begun.rglob("*") if file.is_file()]:
        other = outside / str(place.relative_to(begun)).replace("/", "+")
        shutil.copy(place, other)
        place.unlink()
        os.link(other, place)
    before = tree(outside)
    recorder = Recorder.resume(begun)
    take(recorder, 20, 20)
    recorder.close()
    use(begun)
    assert tree(outside) == before


def test_a_chunk_that_says_other_sizes_than_its_own_is_refused(begun):
    chunk = begun / "data/walk/c.0.0"
    body = chunk.read_bytes()[:-4]
    for at, size in ((4, 10**9), (12, 10**9), (12, 17), (0, None)):  # the compressor read beyond its end
        wrong = body[:at] + (b"" if size is None else size.to_bytes(4, "little") + body[at + 4 :])
        chunk.write_bytes(wrong + google_crc32c.value(wrong).to_bytes(4, "little"))
        with pytest.raises(RecordingError, match="chunk"):
            use(begun)


def archive(write, **more):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", **more) as packed:
        write(packed)
    return file.getvalue()


@pytest.mark.parametrize("kind", ["compressed", "short", "twice", "odd"])
def test_a_checkpoint_takes_no_more_memory_than_its_file(begun, kind):
    def write(packed):
        tree = {"twice": b'{"a": [{"__array__": 0}, {"__array__": 0}]}'}.get(kind, b'{"a": {"__array__": 0}}')
        shape = (10**10,) if kind == "short" else (10,)
        for name, array in (("tree", np.frombuffer(tree, np.uint8)), ("a0", np.zeros(10))):
            file = io.BytesIO()
            says = {"descr": "<f8" if name == "a0" else "|u1", "fortran_order": False}
            np.lib.format.write_array_header_1_0(file, {**says, "shape": shape if name == "a0" else array.shape})
            odd = b"\x93NUMPY\x07\x07" if kind == "odd" and name == "a0" else b""
            packed.writestr(f"{name}.npy", odd + file.getvalue() + array.tobytes())

    data = archive(write, compression=zipfile.ZIP_DEFLATED if kind == "compressed" else zipfile.ZIP_STORED)
    place_of(begun, "checkpoint").write_bytes(data)
    committed(begun, lambda body: body["checkpoint"].update(crc32=checksum(data), bytes=len(data)))
    with pytest.raises(RecordingError, match="checkpoint cannot be read"):
        use(begun)
