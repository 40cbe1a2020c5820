import io
import zipfile

import pytest

from motiform.base.errors import InputError, RecordingError
from motiform.studio import export


@pytest.mark.parametrize(
    ("suffix", "magic"), [(".glb", b"glTF"), (".x3d", b"<?xml"), (".csv", b""), (".png", b"\x89PNG"), (".zip", b"PK")]
)
def test_every_format_is_written(recording, suffix, magic):
    name, content = export.make_file(recording, suffix, plotted=["energy"])
    assert name == f"two-bodies{suffix}"
    assert content.startswith(magic)
    assert len(content) > 500


def test_the_zip_holds_the_whole_recording(recording, tmp_path):
    from motiform.record import compare, open_recording

    _, content = export.make_file(recording, ".zip", plotted=[])
    zipfile.ZipFile(io.BytesIO(content)).extractall(tmp_path)
    again = open_recording(tmp_path / "two-bodies.mf")
    assert again.names == recording.names
    assert (again["energy"] == recording["energy"]).all()
    assert str(compare(again, recording))


def test_a_picture_needs_a_plot(recording):
    with pytest.raises(InputError, match="no plot"):
        export.make_file(recording, ".png", plotted=[])


def test_a_table_too_big_for_a_browser_is_refused(recording, monkeypatch):
    monkeypatch.setattr(export, "LARGEST_TABLE", 10)
    with pytest.raises(RecordingError, match="too big"):
        export.make_file(recording, ".csv", plotted=[])


def test_unknown_formats_are_refused(recording):
    with pytest.raises(InputError):
        export.make_file(recording, ".exe", plotted=[])
