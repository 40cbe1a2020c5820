import numpy as np
import pytest
from marker_files import NAMES, motion, recording
from numpy.testing import assert_allclose, assert_array_equal

from motiform.base.errors import InputError
from motiform.measure import marker_names, read_markers, write_c3d
from motiform.record import Channel, Event, Recording

FLOAT32 = 2.0**-24


def holed():
    points = motion()
    points[2:5, 1], points[9, 3] = np.nan, np.nan
    return points


def test_round_trip(tmp_path):
    rec = recording(holed(), start=0.5, up="y")
    rec.events.append(Event(61.25, "Foot Strike", {"context": "Left"}))
    write_c3d(rec, tmp_path / "a.c3d")
    again = read_markers(tmp_path / "a.c3d")
    assert marker_names(again) == list(NAMES)
    assert_array_equal(np.isnan(again["markers"]), np.isnan(holed()))
    assert_allclose(again["markers"], holed(), rtol=FLOAT32 + 1e-15)
    assert (again.manifest["first_frame"], again.time("markers")[0]) == (51, 0.5)
    assert [(e.time, e.name, e.detail) for e in again.events] == [(61.25, "Foot Strike", {"context": "Left"})]
    with pytest.raises(InputError, match="exists already"):
        write_c3d(rec, tmp_path / "a.c3d")
    assert [path.name for path in tmp_path.iterdir()] == ["a.c3d"]


@pytest.mark.filterwarnings("ignore:No analog data")
def test_another_library_reads_it(tmp_path):
    import c3d

    write_c3d(recording(holed()), tmp_path / "a.c3d")
    with open(tmp_path / "a.c3d", "rb") as file:
        reader = c3d.Reader(file)  # it warns of files without analog channels
        points = np.array([p.copy() for _, p, _ in reader.read_frames()])
        assert [label.strip() for label in reader.point_labels] == list(NAMES)
    seen = np.isfinite(holed()[..., 0])
    assert_array_equal(points[..., 3] >= 0, seen)
    assert_allclose(points[seen][:, :3] / 1000, holed()[seen], rtol=2 * FLOAT32)


def test_more_samples_than_the_header_can_count(tmp_path):
    points = np.tile(motion(1), (66000, 1, 1))[:, :2]
    points[:, 0, 0] = np.linspace(0, 1, 66000)
    write_c3d(recording(points, ["a", "b"]), tmp_path / "a.c3d")
    assert_allclose(read_markers(tmp_path / "a.c3d")["markers"], points, rtol=FLOAT32 + 1e-15, atol=1e-12)


def test_uneven_times_are_refused(tmp_path):
    channel = Channel("markers", unit="m", dims=("marker", "axis"), shape=(1, 3))
    rec = Recording.from_arrays([channel], {"markers": np.zeros((3, 1, 3))}, times=[0.0, 0.1, 0.3])
    with pytest.raises(InputError, match="resample"):
        write_c3d(rec, tmp_path / "a.c3d")
