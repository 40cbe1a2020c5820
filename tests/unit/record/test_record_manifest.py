"""A recording whose manifest has entries of other types than stated is refused when it is opened, with the entry."""

import pytest

from motiform.base.errors import RecordingError
from motiform.record import Channel, Recording, open_recording, recorder
from motiform.record.manifest import ENTRIES

JUNK = (None, True, 3, -1.5, "x", [], [3], ["x"], [[]], {}, {"a": 3}, {"a": {"b": 1}})


def written(path, place, value):
    """Write a recording whose manifest has a value at a place."""
    *parents, key = place.split(".")
    manifest: dict = {}
    table = manifest
    for parent in parents:
        table = table.setdefault(parent, {})
    table[key] = value
    channel = Channel("x", unit="m", rate=10.0)
    rec = Recording.from_arrays({"x": (channel, [0.0, 1.0])}, manifest=manifest)
    with pytest.MonkeyPatch.context() as patch:  # by another program
        patch.setattr(recorder, "check_manifest", lambda *_: None)
        patch.setattr("motiform.record.store.check_manifest", lambda *_: None)
        rec.save(path)
    return open_recording(path)


@pytest.mark.parametrize("place", ENTRIES)
def test_entries_of_other_types_are_refused_when_it_is_opened(tmp_path, place):
    refused = []
    for n, value in enumerate(JUNK):
        try:
            written(tmp_path / f"{n}.mf", place, value)
        except RecordingError as error:
            refused.append(str(error))
    assert 0 < len(refused) < len(JUNK)
    assert all("manifest: " in text for text in refused)
    assert sum(f"manifest: {place}: " in text for text in refused) > 0


def test_what_could_not_be_opened_is_not_written(tmp_path):
    rec = Recording.from_arrays({"x": (Channel("x", rate=10.0), [0.0])}, manifest={"title": 3})
    with pytest.raises(RecordingError, match="manifest: title: a value must have its type"):
        rec.save(tmp_path / "a.mf")
    assert list(tmp_path.iterdir()) == []
