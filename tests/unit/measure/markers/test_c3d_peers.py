"""What other libraries read in our C3D files: the package c3d, and ezc3d where it is installed."""

import warnings
from itertools import islice

import c3d
import numpy as np
import pytest
from marker_files import in_float32, measured, motion, recording
from numpy.testing import assert_allclose, assert_array_equal

from motiform.measure import marker_names, read_markers, write_c3d
from motiform.record import Event

NAMES = ["LASI", "Zehe rechts", "méta-5", "左足先"]
UNITS = [1.0, 1.0, 0.001, 0.001]  # of V, N, N m and m in files in mm


@pytest.fixture
def ezc3d():
    return pytest.importorskip("ezc3d", reason="ezc3d is not installed: it has no wheels for Linux on ARM")


def written(rec, tmp_path):
    write_c3d(rec, tmp_path / "a.c3d", overwrite=True)
    return tmp_path / "a.c3d"


def in_mm(rec):
    """Return markers and analog numbers as 32-bit numbers of the file."""
    return rec["markers"] / 0.001, rec["analog"] / UNITS[: rec["analog"].shape[1]]


def peer(path, frames=None):
    """Return points (samples, markers, 5), analog numbers (samples, channels) and the reader of the package c3d."""
    with open(path, "rb") as file, warnings.catch_warnings():
        warnings.simplefilter("error")  # it warns of what is not consistent
        warnings.filterwarnings("ignore", "No analog data")
        reader = c3d.Reader(file)
        rows = [(points, analog) for _, points, analog in islice(reader.read_frames(), frames)]
    analog = np.concatenate([row[1] for row in rows], axis=1).T if rows[0][1].size else np.empty((0, 0))
    return np.array([row[0] for row in rows]), analog, reader


def test_numbers_and_names_in_c3d(tmp_path):
    rec = measured(40, names=NAMES, channels=4, start=0.5)
    points, analog, reader = peer(written(rec, tmp_path))
    coordinates, numbers = in_mm(rec)
    seen = np.isfinite(coordinates[..., 0])
    assert_array_equal(points[..., 3] >= 0, seen)
    assert_array_equal(points[seen][:, :3], coordinates[seen].astype(np.float32))
    assert_array_equal(points[~seen][:, :3], 0)
    # A count times the step, both in 32 bits.
    assert_allclose(points[seen][:, 3], rec["residuals"][seen] * 1000, rtol=2.0**-23)
    assert_array_equal(analog, numbers.astype(np.float32))
    assert [label.strip() for label in reader.point_labels] == NAMES
    assert [label.strip() for label in reader.analog_labels] == rec.manifest["labels"]["analog"]
    assert (reader.first_frame, reader.last_frame, reader.point_rate, reader.analog_rate) == (51, 90, 100.0, 500.0)
    assert [unit.strip() for unit in reader.get("ANALOG:UNITS").string_array] == ["V", "N", "Nmm", "mm"]
    assert reader.get_screen_axis() == ("+X", "+Y")


def test_more_labels_and_events_than_one_parameter_holds_in_c3d(tmp_path):
    rec = measured(2, 600, channels=0)
    rec.events[:] = [Event(61.0 + 0.5 * k, "Foot Strike", {"context": "Left"}) for k in range(300)]
    points, _, reader = peer(written(rec, tmp_path))
    assert points.shape[1] == reader.point_used == 600
    parts = [reader.get(f"POINT:LABELS{part}").string_array for part in ("", "2", "3")]
    assert [len(part) for part in parts] == [255, 255, 90]
    assert [label.strip() for part in parts for label in part] == marker_names(rec)
    times = np.concatenate([reader.get(f"EVENT:TIMES{part}").float_array for part in ("", "2")])
    assert reader.get_uint16("EVENT:USED") == 300
    assert_array_equal(times @ [60.0, 1.0], [event.time for event in rec.events])


@pytest.mark.parametrize("samples", [32768, 65535, 66000])
def test_long_trials_in_c3d(samples, tmp_path):
    rec = recording(np.tile(motion(1, 1), (samples, 1, 1)), ["a"])
    points, _, reader = peer(written(rec, tmp_path), frames=3)
    assert reader.frame_count == samples
    assert_array_equal(points[:, 0, :3], (rec["markers"][:3, 0] / 0.001).astype(np.float32))
    frames = reader.get("POINT:FRAMES")
    assert (frames.uint16_value if samples < 65535 else frames.float_value) == samples


@pytest.mark.parametrize("unit", ["mm", "m"])
def test_numbers_and_names_in_ezc3d(unit, ezc3d, tmp_path):
    rec = measured(40, names=NAMES, channels=4, start=0.5)
    write_c3d(rec, tmp_path / "a.c3d", units=unit)
    found = ezc3d.c3d(str(tmp_path / "a.c3d"))
    length = {"mm": 0.001, "m": 1.0}[unit]
    seen = np.isfinite(rec["markers"][..., 0])
    points = found["data"]["points"][:3].transpose(2, 1, 0)
    assert_array_equal(points, (rec["markers"] / length).astype(np.float32))
    # Residuals themselves are compared with c3d: ezc3d takes the byte of the cameras for that of the residual.
    assert_array_equal(found["data"]["meta_points"]["residuals"][0].T >= 0, seen)
    factors = [1.0, 1.0, length, length]
    assert_array_equal(found["data"]["analogs"][0].T, (rec["analog"] / factors).astype(np.float32))
    assert list(found["parameters"]["POINT"]["LABELS"]["value"]) == NAMES
    assert list(found["parameters"]["ANALOG"]["LABELS"]["value"]) == rec.manifest["labels"]["analog"]
    header = found["header"]["points"]
    assert (header["first_frame"], header["last_frame"], header["frame_rate"]) == (50, 89, 100.0)


@pytest.mark.parametrize("rate", [119.88, 23.976])
@pytest.mark.parametrize("subframes", [3, 7, 10])
def test_rates_that_are_not_whole_in_ezc3d(rate, subframes, ezc3d, tmp_path):
    """It divides the two rates and cuts off."""
    rec = measured(5, channels=2, rate=rate, subframes=subframes)
    found = ezc3d.c3d(str(written(rec, tmp_path)))["data"]
    assert_array_equal(found["analogs"][0].T, rec["analog"].astype(np.float32))
    assert_array_equal(found["points"][:3].transpose(2, 1, 0), (rec["markers"] / 0.001).astype(np.float32))


def test_more_than_one_parameter_holds_in_ezc3d(ezc3d, tmp_path):
    rec = measured(2, 600, channels=300, subframes=2)
    found = ezc3d.c3d(str(written(rec, tmp_path)))
    parameters = found["parameters"]
    labels = [label for part in ("", "2", "3") for label in parameters["POINT"][f"LABELS{part}"]["value"]]
    assert labels == marker_names(rec)
    assert [len(parameters["ANALOG"][f"SCALE{part}"]["value"]) for part in ("", "2")] == [255, 45]
    expected = in_float32(rec["analog"], np.array([1.0, 1.0, 0.001, 0.001] * 75)) / ([1.0, 1.0, 0.001, 0.001] * 75)
    assert_allclose(found["data"]["analogs"][0].T, expected, rtol=4e-16)


@pytest.mark.parametrize("samples", [65535, 66000])
def test_ezc3d_takes_no_more_samples_than_an_integer_counts(samples, ezc3d, tmp_path):
    """FRAMES is a real number from there on, as C3D has it; our own reader takes it."""
    rec = recording(np.tile(motion(1, 1), (samples, 1, 1)), ["a"])
    with pytest.raises(ValueError, match="FRAMES parameter is not an INT"):
        ezc3d.c3d(str(path := written(rec, tmp_path)))
    assert len(read_markers(path)["markers"]) == samples


@pytest.mark.parametrize("samples", [32767, 32768, 65534])
def test_long_trials_in_ezc3d(samples, ezc3d, tmp_path):
    rec = recording(np.tile(motion(1, 1), (samples, 1, 1)), ["a"])
    points = ezc3d.c3d(str(written(rec, tmp_path)))["data"]["points"]
    assert points.shape[2] == samples
    assert_array_equal(points[:3, 0].T, (rec["markers"][:, 0] / 0.001).astype(np.float32))
