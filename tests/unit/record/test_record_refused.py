"""A run that is refused leaves what was there; a recording without a sample stands in nobody's way."""

import numpy as np
import pytest
import walker

from motiform.base.errors import RecordingError
from motiform.record import Channel, Recorder, Recording, compare, open_recording


class Refused(Exception):
    pass


def tree(folder):
    """Every file and folder with its content, hidden ones too."""
    return {str(p.relative_to(folder)): p.read_bytes() if p.is_file() else None for p in sorted(folder.rglob("*"))}


def leftover(path):
    """What a process leaves that was killed after it had made a recording and before it had a sample to commit."""
    recorder = walker.begin(path)
    recorder.commit(force=True)
    recorder._sink.release()
    assert open_recording(path).span is None


MAKE = {
    "nothing": lambda path: None,
    "new folders": lambda path: None,
    "an empty folder": lambda path: path.mkdir(),
    "a recording": lambda path: walker.go(walker.begin(path), 5),
    "one without samples": leftover,
}


@pytest.mark.parametrize("error", [Refused, KeyboardInterrupt])
@pytest.mark.parametrize("there", MAKE)
def test_a_start_that_is_refused_changes_nothing(quick_path, there, error):
    path = quick_path / ("new/deep/x.mf" if there == "new folders" else "x.mf")
    MAKE[there](path)
    before = tree(quick_path)
    recorder = walker.begin(path, overwrite=there == "a recording")
    assert tree(quick_path) != before  # it has begun to write
    with pytest.raises(error), recorder:
        raise error
    assert tree(quick_path) == before
    assert walker.go(walker.begin(path, overwrite=there == "a recording"), 8).count("walk") == 8


def test_what_is_replaced_stays_until_the_first_commit(quick_path):
    path = quick_path / "x.mf"
    old = walker.go(walker.begin(path), 5)
    recorder = walker.begin(path, overwrite=True)
    recorder.append({"count": [1]})
    assert compare(open_recording(path), old).identical
    recorder.commit(force=True)
    assert open_recording(path)["count"].tolist() == [1]
    recorder.close()
    assert [entry.name for entry in quick_path.iterdir()] == ["x.mf"]


@pytest.mark.parametrize("kept", ["sample", "event", "end"])
def test_only_a_recording_without_anything_is_replaced_unasked(quick_path, kept):
    path = quick_path / "x.mf"
    recorder = walker.begin(path)
    if kept == "sample":
        recorder.append({"count": [1]})
    elif kept == "event":
        recorder.event(0.0, "it began")
    (recorder.finish if kept == "end" else recorder.close)()
    with pytest.raises(RecordingError, match="exists already"):
        walker.begin(path)


def test_one_without_samples_that_is_being_written_is_left_alone(quick_path):
    recorder = walker.begin(quick_path / "x.mf")
    recorder.commit(force=True)
    with pytest.raises(RecordingError, match="another process is writing"):
        walker.begin(quick_path / "x.mf")
    recorder.close()


def test_a_whole_one_appears_at_its_end_or_not_at_all(quick_path):
    def begin(name):
        return Recorder(quick_path / name, walker.CHANNELS, whole=True)

    with begin("x.mf") as recorder:
        recorder.append({"count": [1, 2]})
        recorder.commit(force=True)
        assert not (quick_path / "x.mf").exists()
    assert recorder.finish()["count"].tolist() == [1, 2]
    recorder = begin("y.mf")
    recorder.append({"count": [1, 2]})
    recorder.commit(force=True)
    with pytest.raises(Refused), recorder:
        raise Refused
    assert [entry.name for entry in quick_path.iterdir()] == ["x.mf"]


@pytest.mark.parametrize("name", ["sub.mf", "data/sub.mf", "new/deep/sub.mf"])
def test_no_recording_lies_in_another(quick_path, name):
    """Its files would be taken for those of the other one."""
    whole = quick_path / "x.mf"
    walker.go(walker.begin(whole), 5)
    before = tree(quick_path)
    with pytest.raises(RecordingError, match="a recording must not lie in another"):
        walker.begin(whole / name)
    assert tree(quick_path) == before


def test_a_folder_of_results_names_the_recording_inside(tmp_path):
    channel = Channel("x", rate=10.0)
    Recording.from_arrays({"x": (channel, np.zeros(3))}).save(tmp_path / "walk" / "walk.mf")
    with pytest.raises(RecordingError, match="this is not a recording") as caught:
        open_recording(tmp_path / "walk")
    assert caught.value.remedy == f"It holds walk.mf: give {tmp_path / 'walk' / 'walk.mf'}."
