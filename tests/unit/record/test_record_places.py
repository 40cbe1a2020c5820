"""Taking the place of an old recording: one of that name is there, or comes back, whenever the process dies."""

import os

import pytest
import walker

from motiform.base.errors import MotiformError, RecordingError
from motiform.record import Recorder, compare, open_recording, places
from motiform.record.files import make_folder
from motiform.record.site import Site


class Killed(BaseException):
    pass


@pytest.fixture
def torn(quick_path, monkeypatch):
    """What a process leaves that was killed between the two renames."""
    path = quick_path / "r.mf"
    old = walker.go(walker.begin(quick_path / "same.mf"), 5)
    old.save(path)
    real = os.rename

    def rename(source, goal):
        if goal == path:
            raise Killed
        real(source, goal)

    with monkeypatch.context() as patch:
        patch.setattr(places, "_exchange", lambda one, other: False)
        patch.setattr(places.os, "rename", rename)
        patch.setattr("motiform.record.site.remove_folder", lambda folder: None)
        with pytest.raises(Killed):
            old.slice(0, 1).save(path, overwrite=True)
    assert not path.exists()
    assert sorted(entry.suffix for entry in quick_path.glob(".r.mf.*")) == [".old", ".partial"]
    return path, old


def left(path):
    return list(path.parent.glob(f".{path.name}.*"))


def test_opening_puts_the_old_one_back(torn):
    path, old = torn
    assert compare(open_recording(path), old).identical
    old.slice(0, 1).save(path, overwrite=True)
    assert left(path) == []


def test_writing_puts_it_back_and_refuses(torn):
    path, old = torn
    with pytest.raises(RecordingError, match="exists already"):
        walker.begin(path)
    with pytest.raises(RecordingError, match="complete"):
        Recorder.resume(path)
    assert compare(open_recording(path), old).identical


def test_another_name_does_not_take_it(torn):
    path, _ = torn
    with pytest.raises(RecordingError, match="no such recording"):
        open_recording(path.with_name("r"))
    assert len(left(path)) == 2


def test_one_that_is_being_replaced_is_left_alone(torn):
    path, _ = torn
    (old,) = path.parent.glob(".r.mf.*.old")
    handle = places.lock_folder(old)
    if handle is None:
        pytest.skip("no claims on this disk")
    try:
        with pytest.raises(RecordingError, match="no such recording"):
            open_recording(path)
    finally:
        os.close(handle)
    assert open_recording(path).complete


def test_an_old_one_goes_when_the_name_is_there(quick_path):
    path = quick_path / "r.mf"
    rec = walker.go(walker.begin(quick_path / "same.mf"), 5)
    rec.save(path)
    rec.save(quick_path / ".r.mf.01234567.old")
    rec.slice(0, 1).save(path, overwrite=True)
    assert left(path) == []


@pytest.mark.parametrize("able", [True, False])
def test_both_ways_replace(quick_path, monkeypatch, able):
    if not able:
        monkeypatch.setattr(places, "_exchange", lambda one, other: False)
    rec = walker.go(walker.begin(quick_path / "same.mf"), 5)
    rec.slice(0, 1).save(quick_path / "r.mf")
    assert compare(rec.save(quick_path / "r.mf", overwrite=True), rec).identical
    assert left(quick_path / "r.mf") == []


@pytest.mark.skipif(not os.path.exists("/proc/self"), reason="Linux only")
def test_exchange_swaps_or_says_that_it_cannot(quick_path):
    for name in "ab":
        (quick_path / name).mkdir()
        (quick_path / name / name).touch()
    swapped = places._exchange(quick_path / "a", quick_path / "b")
    assert (quick_path / "a" / ("b" if swapped else "a")).exists()
    assert not places._exchange(quick_path / "a", quick_path / "none")


@pytest.mark.parametrize("name", ["file", "file/x", "link", "loop", "n" * 300])
def test_folders_for_results_are_made_or_refused(tmp_path, name):
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(MotiformError, match=r"must be a folder|not there, or is a file|writing failed"):
        make_folder(tmp_path / name)
    assert make_folder(tmp_path / "new" / "one").is_dir()


def test_a_recording_below_a_file_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(RecordingError, match="file: the output must be a folder"):
        Site.begin(tmp_path / "file" / "a.mf", overwrite=False)
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("name", ["notes.txt", "data/plan.md", "c.1.bak", "deep/zarr.txt", ".hidden"])
def test_a_users_own_file_inside_is_not_overwritten(quick_path, name):
    path = quick_path / "r.mf"
    old = walker.go(walker.begin(quick_path / "same.mf"), 5)
    old.save(path)
    (path / ".DS_Store").write_text("")  # a system's, which counts for nothing
    old.slice(0, 1).save(path, overwrite=True)  # what motiform wrote
    (path / name).parent.mkdir(exist_ok=True)
    (path / name).write_text("mine")
    with pytest.raises(RecordingError, match=f"holds files of others .*{name}"):
        old.save(path, overwrite=True)
    assert (path / name).read_text() == "mine"
    assert open_recording(path).span == old.slice(0, 1).span
