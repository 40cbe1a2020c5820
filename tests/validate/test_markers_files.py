"""The marker files of the validation data, read, and compared with two other libraries."""

import os
import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from motiform import measure
from motiform.record import Event

DATA = os.environ.get("MOTIFORM_DATA")
FOLDER = Path(DATA or ".") / "mocap"
pytestmark = pytest.mark.skipif(
    not DATA or not FOLDER.is_dir(), reason="validation data are absent: MOTIFORM_DATA names no folder with mocap/"
)
C3D = ("walking5.c3d", "cmu_02_05.c3d")
FILES = {  # samples, markers, rate [Hz], axis that is up
    "walking5.c3d": (1103, 40, 250.0, "z"),
    "cmu_02_05.c3d": (1854, 41, 120.0, "z"),
    "dataWithBlanksForMissingMarkers.trc": (464, 40, 250.0, "z"),
    "dataWithNaNsWithSpaces.trc": (427, 42, 100.0, "y"),
    "std_walking2_markers.trc": (126, 44, None, "z"),  # the last step is shorter
    "std_walking5_markers.trc": (112, 40, None, "z"),
}
FLOAT32 = 2.0**-24  # rounding of a number kept in 32 bits, relative


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_read(name):
    samples, markers, rate, up = FILES[name]
    rec = measure.read_markers(FOLDER / name)
    assert rec["markers"].shape == (samples, markers, 3)
    assert rec.channel("markers").rate == rate
    assert rec.manifest["up"] == up
    assert rec.manifest["units"] == "mm"
    turned = measure.read_markers(FOLDER / name, up="auto")
    tall = np.nanmax(turned["markers"][..., 1]) - np.nanmin(turned["markers"][..., 1])
    assert 1.0 < tall < 2.2  # m: somebody who stands
    assert turned.manifest["gravity"] == [0.0, -9.81, 0.0]


def read_by_c3d(path):
    import c3d

    with open(path, "rb") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reader = c3d.Reader(file)
        frames = [(points.copy(), analog.copy()) for _, points, analog in reader.read_frames(copy=False)]
        labels = [label.strip() for label in reader.point_labels]
    analog = np.concatenate([a for _, a in frames], axis=1).T if frames[0][1].ndim == 2 else np.empty((0, 0))
    return np.array([p for p, _ in frames]), analog, labels


@pytest.mark.parametrize("name", C3D)
def test_points_are_those_of_the_package_c3d(name):
    points, analog, labels = read_by_c3d(FOLDER / name)
    rec = measure.read_markers(FOLDER / name)
    seen = points[..., 3] >= 0
    assert_array_equal(np.isfinite(rec["markers"]).all(-1), seen)
    # Both hold the file's 32-bit numbers; ours are then multiplied by 0.001 in 64 bits.
    assert_array_equal(rec["markers"][seen], points[seen][:, :3].astype(np.float64) * 0.001)
    assert_allclose(rec["residuals"][seen], points[seen][:, 3] * 1e-3, rtol=4 * FLOAT32)
    assert [label.rsplit(":", 1)[-1] for label in labels] == measure.marker_names(rec)
    if analog.size:
        scale = [1e-3 if unit == "N m" else 1.0 for unit in rec.manifest["analog_units"]]
        assert_allclose(rec["analog"], analog * scale, rtol=4 * FLOAT32, atol=0)


@pytest.mark.parametrize("name", C3D)
def test_points_and_plates_are_those_of_ezc3d(name):
    ezc3d = pytest.importorskip("ezc3d", reason="ezc3d is not installed: it has no wheels for Linux on ARM")
    other = ezc3d.c3d(str(FOLDER / name), extract_forceplat_data=True)
    rec = measure.read_markers(FOLDER / name)
    assert_allclose(rec["markers"], other["data"]["points"][:3].transpose(2, 1, 0) * 1e-3, rtol=1e-15)
    # Residuals are compared with c3d: ezc3d 1.7 takes the byte of the cameras for that of the residual.
    assert_array_equal(np.isnan(rec["residuals"]), other["data"]["meta_points"]["residuals"][0].T < 0)
    for k, plate in enumerate(other["data"]["platform"]):
        loaded = np.isfinite(rec["plate.center_of_pressure"][:, k, 0])
        assert loaded.sum() > 500
        force, pressure = plate["force"].T, plate["center_of_pressure"].T * 1e-3
        moment = np.cross(pressure, force) + plate["Tz"].T * 1e-3
        # ezc3d keeps the level of the empty plate; ours takes it off, the same in all samples, and notes its force.
        level = (force - rec["plate.force"][:, k])[0]
        assert any(f"force plate {k + 1}: -{abs(level[2]):.3g} N" in note for note in rec.manifest["notes"])
        assert_allclose(rec["plate.force"][:, k] + level, force, atol=1e-9)  # N: of some 1000, in 64 bits
        turn = (moment - rec["plate.moment"][:, k])[loaded]
        assert_allclose(turn, np.broadcast_to(turn[0], turn.shape), atol=1e-9)  # N·m


def test_force_plates_carry_the_walker():
    rec = measure.read_markers(FOLDER / "walking5.c3d", up="z")
    loaded = np.isfinite(rec["plate.center_of_pressure"][..., 0])
    for k, plate in enumerate(rec.manifest["plates"]):
        corners = np.array(plate["corners"])
        pressed = rec["plate.center_of_pressure"][loaded[:, k], k]
        strong = rec["plate.force"][loaded[:, k], k, 1] > 200.0
        assert_allclose(pressed[:, 1], 0.0, atol=1e-9)  # m: the surface
        assert (pressed[strong] >= corners.min(0) - 1e-3).all()
        assert (pressed[strong] <= corners.max(0) + 1e-3).all()
    assert 500.0 < rec["plate.force"][..., 1].max() < 1500.0  # N
    # The moment about the world's origin is that of the force at the centre of pressure, and the free moment.
    force, free = rec["plate.force"][loaded], rec["plate.free_moment"][loaded]
    again = np.cross(rec["plate.center_of_pressure"][loaded], force) + free[:, None] * (0.0, 1.0, 0.0)
    assert_allclose(rec["plate.moment"][loaded], again, atol=1e-9)


def test_the_trc_file_made_from_the_c3d_file_agrees():
    # dataWithBlanks… was exported from walking5.c3d with three decimals of a millimetre, and fewer samples.
    table = measure.read_markers(FOLDER / "dataWithBlanksForMissingMarkers.trc")
    rec = measure.read_markers(FOLDER / "walking5.c3d")
    both = [name for name in measure.marker_names(table) if name in measure.marker_names(rec)]
    assert len(both) > 30
    a = measure.choose_markers(table, both)["markers"]
    b = measure.choose_markers(rec, both)["markers"][: len(a)]
    shared = np.isfinite(a[..., 0]) & np.isfinite(b[..., 0])
    assert shared.sum() > 1000
    assert np.abs(a - b)[shared].max() < 1e-5  # m


@pytest.mark.parametrize("name", FILES)
def test_round_trips(name, tmp_path):
    rec = measure.read_markers(FOLDER / name)
    seen = np.isfinite(rec["markers"][..., 0])
    measure.write_trc(rec, tmp_path / "a.trc")
    measure.write_markers_csv(rec, tmp_path / "a.csv")
    for file, atol in (("a.trc", 0.5e-9 * 1.001), ("a.csv", 0.0)):  # half of the last digit, 1e-6 mm
        again = measure.read_markers(tmp_path / file)
        assert measure.marker_names(again) == measure.marker_names(rec)
        assert_array_equal(np.isfinite(again["markers"][..., 0]), seen)
        assert_allclose(again["markers"], rec["markers"], rtol=1e-15, atol=atol)
        assert_allclose(again.time("markers"), rec.time("markers"), rtol=0, atol=1e-12)
    if rec.channel("markers").rate:
        measure.write_c3d(rec, tmp_path / "a.c3d")
        again = measure.read_markers(tmp_path / "a.c3d")
        assert_array_equal(np.isfinite(again["markers"][..., 0]), seen)
        assert_allclose(again["markers"], rec["markers"], rtol=FLOAT32 + 1e-15)
        assert again.manifest["up"] == rec.manifest["up"]


@pytest.mark.parametrize("name", C3D)
def test_c3d_files_written_again_are_the_same(name, tmp_path):
    """Their numbers have 32 bits already: every one comes back, and so does all that is told of them."""
    rec = measure.read_markers(FOLDER / name)
    rec.events.append(Event(0.52, "Foot Strike", {"context": "Left", "subject": "Anna"}))
    measure.write_c3d(rec, tmp_path / "a.c3d")
    again = measure.read_markers(tmp_path / "a.c3d")
    assert again.names == rec.names
    level = np.zeros(len(rec.manifest["labels"].get("analog", ())))
    for plate in rec.manifest.get("plates", ()):
        level[plate["channels"]] = plate.pop("baseline", 0.0)  # it is off the written channels, to their 32 bits
    for channel in rec:
        expected = rec[channel] - level if channel == "analog" else rec[channel]
        if level.any() and channel.startswith(("analog", "plate")):
            # of numbers up to 910 N and their moments; a pressure of 20 N and more errs by these over the force
            assert_allclose(again[channel], expected, rtol=0, atol=1e-5 if "pressure" in channel else 5e-4)
        else:
            assert_array_equal(again[channel], expected, err_msg=channel)
        assert again.channel(channel) == rec.channel(channel)
    own = {key: value for key, value in rec.manifest.items() if key != "notes"}
    assert {**again.manifest, "source": name, "notes": 0} == {**own, "notes": 0}
    (event,) = again.events
    assert (event.name, event.detail) == (rec.events[0].name, rec.events[0].detail)
    assert abs(event.time - 0.52) <= 0.52 * FLOAT32
    measure.write_c3d(again, tmp_path / "b.c3d")
    assert (tmp_path / "b.c3d").read_bytes() == (tmp_path / "a.c3d").read_bytes()


@pytest.mark.parametrize("name", FILES)
def test_cleaning_keeps_what_was_seen(name):
    rec = measure.read_markers(FOLDER / name)
    gaps = measure.find_gaps(rec)
    assert sum(gap.length for gap in gaps) == np.isnan(rec["markers"][..., 0]).sum()
    filled = measure.fill_gaps(rec, longest=0.1)
    seen = np.isfinite(rec["markers"])
    assert_array_equal(filled["markers"][seen], rec["markers"][seen])
    left = measure.find_gaps(filled)
    assert not [gap for gap in left if gap.inside and gap.duration <= 0.1]
    if rec.channel("markers").rate:
        smooth = measure.low_pass(filled)
        assert_array_equal(np.isnan(smooth["markers"]), np.isnan(filled["markers"]))
        # mean over markers and time of what the filter takes away: walking has little above 8 Hz
        assert np.nanmean(np.abs(smooth["markers"] - filled["markers"])) < 2e-3  # m
