"""C3D files written and read again: the same numbers in 32 bits, the same names, times and events."""

import errno
import os
import struct
import tracemalloc

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from marker_files import NAMES, in_float32, measured, motion, recording
from numpy.testing import assert_allclose, assert_array_equal

from motiform.base.errors import InputError, MotiformError, RunError
from motiform.measure import marker_names, read_markers, write_c3d
from motiform.measure.markers.c3d import write as c3d_writing
from motiform.measure.markers.c3d.parameters import read_parameters
from motiform.record import Channel, Event, Recording

LENGTHS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "um": 1e-6, "in": 0.0254, "ft": 0.3048}


def again(rec, tmp_path, **options):
    write_c3d(rec, tmp_path / "again.c3d", overwrite=True, **options)
    return read_markers(tmp_path / "again.c3d")


def check(rec, found, length=0.001):
    """Every number is that of 32 bits, in the file's unit; bit by bit."""
    assert_array_equal(found["markers"], in_float32(rec["markers"], length))
    assert found.channel("markers").rate == np.float32(rec.channel("markers").rate)
    assert marker_names(found) == marker_names(rec)
    if "residuals" in rec:
        # 1e-15: of the product in 64 bits; as 32-bit numbers they are the same.
        assert_allclose(found["residuals"], rec["residuals"], rtol=np.finfo(np.float32).eps / 2 + 1e-15)
    if "analog" in rec:
        units = [length if unit in ("m", "N m") else 1.0 for unit in rec.manifest["analog_units"]]
        assert_allclose(found["analog"], in_float32(rec["analog"], np.array(units)), rtol=4e-16)  # 1/unit and to SI
        assert found.manifest["analog_units"] == rec.manifest["analog_units"]
        assert found.manifest["labels"]["analog"] == rec.manifest["labels"]["analog"]
    assert [(e.name, e.detail) for e in found.events] == [(e.name, e.detail) for e in rec.events]
    # Seconds below 60 in 32 bits: half of 2^-18 s.
    assert_allclose([e.time for e in found.events], [e.time for e in rec.events], rtol=0, atol=2.0**-19)
    assert found.manifest["up"] == rec.manifest["up"]


@pytest.mark.parametrize("unit", LENGTHS)
def test_everything_in_every_unit(unit, tmp_path):
    rec = measured(channels=4)
    found = again(rec, tmp_path, units=unit)
    check(rec, found, LENGTHS[unit])
    assert found.manifest["units"] == unit


def test_units_by_a_longer_name(tmp_path):
    found = again(measured(), tmp_path, units="[Millimeters]")
    assert found.manifest["units"] == "mm"
    assert found.manifest["analog_units"] == ["V", "N", "N m"]


@pytest.mark.parametrize("units", [("V", "N m", "m"), ("N m", "N m", "N m"), ()])
def test_units_of_the_channel(units, tmp_path):
    rec = changed("analog", units=units)
    del rec.manifest["analog_units"]
    found = again(rec, tmp_path)
    assert found.manifest["analog_units"] == list(units or ("", "", ""))
    assert_allclose(found["analog"], rec["analog"], rtol=2.0**-23)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.integers(1, 200), st.integers(1, 12), st.integers(0, 12), st.integers(1, 9), st.integers(0, 10**6),
    st.sampled_from([50.0, 119.88, 1000.0]),
)  # fmt: skip
def test_any_sizes(tmp_path, samples, markers, channels, subframes, before, rate):
    rec = measured(samples, markers, channels, subframes, rate, start=before / rate, seed=samples)
    assume(np.isfinite(rec["markers"][..., 0]).any() and np.ptp(motion(samples, markers, samples)) > 0.01)
    found = again(rec, tmp_path)
    check(rec, found)
    assert found.manifest["first_frame"] == before + 1


@pytest.mark.parametrize("markers", [1, 2, 254, 255, 256, 510, 511, 1000])
def test_any_number_of_markers(markers, tmp_path):
    rec = measured(3, markers, channels=0)
    check(rec, again(rec, tmp_path))


@pytest.mark.parametrize("channels", [1, 255, 256, 300, 1300])
def test_any_number_of_channels(channels, tmp_path):
    rec = measured(3, 2, channels, subframes=7)
    check(rec, again(rec, tmp_path))


@pytest.mark.parametrize("rate", [100.0, 119.88, 23.976, 1000 / 3])
@pytest.mark.parametrize("subframes", [1, 7, 10, 33])
def test_rates_that_are_not_whole(rate, subframes, tmp_path):
    rec = measured(5, rate=rate, subframes=subframes)
    found = again(rec, tmp_path)
    check(rec, found)
    assert found.channel("analog").rate == float(np.float32(rate)) * subframes
    parameters, _ = read_parameters((tmp_path / "again.c3d").read_bytes(), 2, "again")
    ratio = parameters.number("ANALOG", "RATE") / parameters.number("POINT", "RATE")
    assert 0 <= ratio / subframes - 1 <= 2.0**-23  # some readers cut it off; rounded upwards to 32 bits


@pytest.mark.parametrize("samples", [1, 32767, 32768, 65534, 65535, 65536, 66000, 131073])
def test_any_number_of_samples(samples, tmp_path):
    points = np.tile(motion(1, 2), (samples, 1, 1))
    points[:, 0, 0] += np.linspace(0, 1, samples)
    rec = recording(points, ["a", "b"], up="y")
    check(rec, again(rec, tmp_path))


@pytest.mark.parametrize(("t0", "t1"), [(0.1, 0.5), (0.1234, 0.5031), (None, 0.333), (0.2, None)])
def test_slices_can_be_written(t0, t1, tmp_path):
    """A slice may begin and end between samples of the markers; a last sample without all of its analog ones goes."""
    rate, subframes = 100.0, 10
    x, table = np.random.default_rng(1).normal(size=(100, 2, 3)), np.random.default_rng(2).normal(size=(1000, 1))
    data = {
        "markers": (Channel("markers", unit="m", dims=("marker", "axis"), shape=(2, 3), rate=rate), x),
        "analog": (Channel("analog", unit="V", dims=("analog",), shape=(1,), rate=rate * subframes), table),
    }
    rec = Recording.from_arrays(data, manifest={"labels": {"marker": ["a", "b"], "analog": ["v"]}})
    part = rec.slice(t0, t1)
    write_c3d(part, tmp_path / "part.c3d")
    again = read_markers(tmp_path / "part.c3d")
    first, count = round(part.channel("markers").start * rate), again.count("markers")
    assert part.count("markers") - count in (0, 1)
    assert_allclose(again["markers"], x[first : first + count], atol=1e-6)
    assert_allclose(again["analog"], table[subframes * first : subframes * (first + count)], atol=1e-6)
    assert again.time("analog")[0] == pytest.approx(again.time("markers")[0])


@pytest.mark.parametrize("first", [1, 2, 51, 65500, 65535, 65536, 100001, 10**6])
def test_the_first_sample_keeps_its_number(first, tmp_path):
    rec = measured(50, start=(first - 1) / 100.0)
    found = again(rec, tmp_path)
    check(rec, found)
    assert (found.manifest["first_frame"], found.time("markers")[0]) == (first, (first - 1) / 100.0)


@pytest.mark.parametrize(("start", "first"), [(0.5037, 51), (0.50500001, 52), (-0.25, 1), (-0.0037, 1)])
def test_times_between_samples_are_shifted_with_the_events(start, first, tmp_path):
    rec = measured(start=start)
    found = again(rec, tmp_path)
    shift = (first - 1) / 100.0 - start
    assert found.manifest["first_frame"] == first
    assert_allclose(found.time("analog")[0], start + shift, atol=1e-12)
    assert_allclose([e.time for e in found.events], [e.time + shift for e in rec.events], rtol=0, atol=2.0**-19)


@pytest.mark.parametrize("count", [1, 255, 256, 1000])
def test_any_number_of_events(count, tmp_path):
    rec = measured()
    details = ({}, {"context": "Right"}, {"context": "General", "subject": "Änne"})
    rec.events[:] = [Event(0.37 * k, f"Foot Strike {k % 7}", dict(details[k % 3])) for k in range(count)]
    check(rec, again(rec, tmp_path))


def test_no_event_and_no_axis_up(tmp_path):
    rec = recording(motion(markers=2), ["a", "b"])
    found = again(rec, tmp_path)
    assert found.events == []
    assert "analog" not in found


# Names that reading changes are left out: subjects before a colon, no name, doubles; blanks around a name are padding.
PLAIN = st.characters(exclude_categories=["Cs", "Cc", "Z"], exclude_characters=":*")
LABELS = st.lists(st.text(PLAIN, min_size=1, max_size=60).map(lambda t: "L" + t), min_size=1, max_size=40, unique=True)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(LABELS)
def test_names_in_any_script(tmp_path, names):
    rec = measured(2, len(names), channels=0, names=names)
    assert marker_names(again(rec, tmp_path)) == names


@pytest.mark.parametrize("width", [4, 127, 128, 200, 255])
@pytest.mark.parametrize("markers", [10, 300])
def test_long_names(width, markers, tmp_path):
    fill = "ä" * ((width - 4) // 2) + "x" * (width % 2)
    names = [f"{k:04d}{fill}" for k in range(markers)]
    assert len(names[0].encode()) == width
    rec = measured(2, markers, channels=0, names=names)
    check(rec, again(rec, tmp_path))


def test_names_that_are_too_long(tmp_path):
    with pytest.raises(InputError, match=r"POINT:LABELS: .* too long .*255 bytes"):
        write_c3d(measured(2, 1, names=["a" * 256]), tmp_path / "a.c3d")
    rec = measured(2, 600, names=[f"{k:0250d}" for k in range(600)])
    with pytest.raises(InputError, match="255 blocks"):
        write_c3d(rec, tmp_path / "a.c3d")
    assert list(tmp_path.iterdir()) == []


def test_subject(tmp_path):
    assert again(measured(subject="Ängel"), tmp_path).manifest["subject"] == "Ängel"
    names = ["Anna:a", "Anna:b", "Bob:a", "Bob:b"]
    found = again(measured(names=names, subject=["Anna", "Bob"]), tmp_path)
    assert (found.manifest["subject"], marker_names(found)) == (["Anna", "Bob"], names)


def raw_words(path):
    """Return the fourth word and the coordinates of every point, straight from the bytes."""
    data = path.read_bytes()
    points, measurements, first, last = struct.unpack_from("<4H", data, 2)
    scale, start = struct.unpack_from("<fH", data, 12)
    size = 4 * points + measurements
    table = np.frombuffer(data, "<f4", offset=512 * (start - 1)).reshape(last - first + 1, size)
    return table[:, : 4 * points].reshape(-1, points, 4), scale


def test_occluded_markers_are_zero_and_minus_one(tmp_path):
    points = motion()
    points[2, 1, 0], points[3, 2, 2], points[4] = np.nan, np.inf, np.nan
    write_c3d(recording(points), tmp_path / "a.c3d")
    quads, scale = raw_words(tmp_path / "a.c3d")
    hidden = ~np.isfinite(points).all(-1)
    assert hidden.sum() == 6
    assert_array_equal(quads[hidden], np.tile([0, 0, 0, -1], (6, 1)))
    assert_array_equal(quads[~hidden, 3], 0)
    assert scale == -np.float32(np.abs(points[~hidden]).max() * 1000 / 32000)  # what suits 16-bit numbers


@pytest.mark.parametrize("step", [0.05, 0.01, 1 / 3, 7e-4, 1.0])
@pytest.mark.parametrize("counts", [[0, 1, 2, 255], [58, 64, 66, 70], [6, 9, 12, 255], [254, 255, 0, 0], [3, 3, 0, 0]])
def test_residuals_of_a_file_stay_as_they_are(step, counts, tmp_path):
    """Steps as a file tells them, in 32 bits and mm."""
    rec = measured(1)
    residuals = np.array([counts]) * float(np.float32(step)) * 0.001
    seen = np.nan_to_num(rec["markers"], nan=1.0)
    rec = Recording.from_arrays(
        {"markers": (rec.channel("markers"), seen), "residuals": (rec.channel("residuals"), residuals)},
        manifest=rec.manifest,
    )
    found = again(rec, tmp_path)["residuals"]
    # One step times a count, and mm to m: 2 roundings of 64 bits. In 32 bits they are the same.
    assert_allclose(found, residuals, rtol=0 if 1 in counts else 2.0**-24 + 4e-16)
    assert_array_equal((found / 0.001).astype(np.float32), (residuals / 0.001).astype(np.float32))


def test_other_residuals_are_rounded(tmp_path):
    rec = measured(300)
    residuals = np.random.default_rng(1).uniform(0, 2e-3, (300, 4))
    residuals[5, 1] = np.nan  # filled, not measured
    points = motion(300)
    both = {"markers": (rec.channel("markers"), points), "residuals": (rec.channel("residuals"), residuals)}
    found = again(Recording.from_arrays(both, manifest=rec.manifest), tmp_path)["residuals"]
    largest = np.nanmax(residuals)
    assert found[5, 1] == 0
    assert np.nanmax(np.abs(found - residuals)) <= largest / 510 * (1 + 1e-6)  # half a step; the step in 32 bits
    assert np.unique(found).size > 200


def test_written_again_it_is_the_same_file(tmp_path):
    rec = measured(200, 7, channels=6, start=1.5, subject="Anna")
    write_c3d(rec, tmp_path / "a.c3d")
    write_c3d(read_markers(tmp_path / "a.c3d"), tmp_path / "b.c3d")
    assert (tmp_path / "a.c3d").read_bytes() == (tmp_path / "b.c3d").read_bytes()


def test_it_is_written_in_parts(tmp_path, monkeypatch):
    """The memory taken is that of some parts, not that of the file: 10.4 MB of markers and analog numbers."""
    rec = measured(20000, 20, channels=10, subframes=5)
    whole = tmp_path / "whole.c3d"
    write_c3d(rec, whole)
    monkeypatch.setattr(c3d_writing, "_AT_ONCE", 2**14)
    monkeypatch.setattr("motiform.record.recording.BLOCK_BYTES", 2**14)
    write_c3d(rec, tmp_path / "parts.c3d")
    tracemalloc.start()
    try:
        write_c3d(rec, tmp_path / "traced.c3d")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert whole.stat().st_size > 10.4e6
    assert peak < 20 * 2**14 + 5 * 8 * 255**2  # copies of one part in 32 and 64 bits; the tables of 255 steps
    assert (tmp_path / "parts.c3d").read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_what_ends_the_writing_leaves_the_old_file(error, tmp_path, monkeypatch):
    path = tmp_path / "a.c3d"
    write_c3d(measured(), path)
    old = path.read_bytes()

    def fail(handle):
        raise error

    monkeypatch.setattr(os, "fsync", fail)
    expected = RunError if isinstance(error, OSError) else KeyboardInterrupt
    for place in (path, tmp_path / "b.c3d"):
        with pytest.raises(expected, match="disk is full" if expected is RunError else None):
            write_c3d(measured(60), place, overwrite=True)
    assert [file.name for file in tmp_path.iterdir()] == ["a.c3d"]
    assert path.read_bytes() == old


def test_a_file_that_the_disk_takes_only_in_part_does_not_appear(tmp_path):
    resource = pytest.importorskip("resource", reason="this system has no limits on the size of files")
    rec = measured(5000)  # 600 KB
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, old[1]))
    try:
        with pytest.raises(RunError, match="larger than allowed"):
            write_c3d(rec, tmp_path / "a.c3d")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
    assert list(tmp_path.iterdir()) == []


def test_an_error_between_two_parts_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(c3d_writing, "_AT_ONCE", 2**10)
    rec = measured(channels=1)
    analog = np.array(rec["analog"])
    analog[-1] = 1e300
    data = {name: (rec.channel(name), analog if name == "analog" else rec[name]) for name in rec}
    with pytest.raises(InputError, match="too large for a C3D file"):
        write_c3d(Recording.from_arrays(data, manifest=rec.manifest), tmp_path / "a.c3d")
    assert list(tmp_path.iterdir()) == []


def test_an_existing_file_stays(tmp_path):
    write_c3d(recording(), tmp_path / "a.c3d")
    with pytest.raises(InputError, match="exists already"):
        write_c3d(recording(), tmp_path / "a.c3d")
    with pytest.raises(MotiformError, match="folder is not there"):
        write_c3d(recording(), tmp_path / "none" / "a.c3d")
    assert marker_names(read_markers(tmp_path / "a.c3d")) == list(NAMES)


def test_uneven_times_are_refused(tmp_path):
    channel = Channel("markers", unit="m", dims=("marker", "axis"), shape=(1, 3))
    rec = Recording.from_arrays([channel], {"markers": np.zeros((3, 1, 3))}, times=[0.0, 0.1, 0.3])
    with pytest.raises(InputError, match="resample"):
        write_c3d(rec, tmp_path / "a.c3d")


def changed(name, value=None, **changes):
    """The full recording with one channel of another description or other numbers."""
    from dataclasses import replace

    rec = measured()
    data = {key: (rec.channel(key), np.array(rec[key])) for key in rec}
    channel, array = data[name]
    data[name] = (replace(channel, **changes), array if value is None else value)
    return Recording.from_arrays(data, manifest=rec.manifest)


@pytest.mark.parametrize(
    ("rec", "words"),
    [
        (lambda: changed("analog", rate=530.0), "whole number of samples"),
        (lambda: changed("analog", np.zeros((140, 3))), "140 samples for 30"),
        (lambda: changed("analog", start=0.1), "do not start together"),
        (lambda: changed("residuals", np.zeros((29, 4))), "residuals need"),
        (lambda: changed("markers", np.full((30, 4, 3), 1e36)), "too large for a C3D file"),
        (lambda: changed("markers", np.empty((0, 4, 3))), "no sample"),
        (lambda: recording(rate=1e-60), "rate is too low"),
        (lambda: recording(rate=1e60), "too large"),
        (lambda: recording(start=1.8e9), "samples, counted from time 0"),
        (lambda: measured(2, 2, 100, subframes=700), "got 70000; allowed: up to 65535"),
    ],
)
def test_what_a_file_cannot_hold(rec, words, tmp_path):
    with pytest.raises(InputError, match=words):
        write_c3d(rec(), tmp_path / "a.c3d")
    assert list(tmp_path.iterdir()) == []
