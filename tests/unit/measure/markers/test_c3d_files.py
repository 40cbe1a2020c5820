import numpy as np
import pytest
from marker_files import C3D, NAMES, motion, simple_c3d
from numpy.testing import assert_allclose, assert_array_equal

from motiform.base.errors import InputError
from motiform.measure import marker_names, read_markers


def written(tmp_path, data, name="a.c3d"):
    path = tmp_path / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("processor", [84, 85, 86])
def test_reals_of_every_processor(processor, tmp_path):
    points = 1000 * motion()
    rec = read_markers(written(tmp_path, simple_c3d(points, processor=processor)))
    assert_array_equal(rec["markers"], points.astype(np.float32).astype(float) * 0.001)
    assert marker_names(rec) == list(NAMES)
    assert rec.channel("markers").rate == 100.0


@pytest.mark.parametrize("processor", [84, 85, 86])
def test_integers_are_scaled(processor, tmp_path):
    points = 1000 * motion()
    rec = read_markers(written(tmp_path, simple_c3d(points, processor=processor, real=False, scale=0.1)))
    assert np.abs(rec["markers"] - points / 1000).max() <= 0.0501e-3  # half a step of 0.1 mm


def test_other_libraries_read_what_we_wrote_by_hand_alike(tmp_path):
    ezc3d = pytest.importorskip("ezc3d", reason="ezc3d is not installed: it has no wheels for Linux on ARM")
    points = 1000 * motion()
    parameters = [
        ("POINT", "USED", np.array([4])),
        ("POINT", "FRAMES", np.array([30])),
        ("POINT", "SCALE", np.array([-0.1])),
    ]
    path = written(tmp_path, simple_c3d(points, more=parameters))
    assert_allclose(ezc3d.c3d(str(path))["data"]["points"][:3].transpose(2, 1, 0), points, rtol=1e-7)


def test_occlusions(tmp_path):
    points = 1000 * motion()
    points[3, 0], points[4, 1], points[5, 2] = np.nan, 0.0, 77.0
    words = np.where(np.isnan(points).any(-1), -1, 0)
    words[5, 2] = -1  # seen by nothing, though it has numbers
    rec = read_markers(written(tmp_path, simple_c3d(points, words=words)))
    hidden = np.argwhere(np.isnan(rec["markers"][..., 0])).tolist()
    assert hidden == [[3, 0], [4, 1], [5, 2]]
    assert np.isnan(rec["residuals"][3, 0])


def test_residual_is_the_low_byte(tmp_path):
    words = np.full((30, 4), 0x0300 + 17)  # two cameras, 17 steps
    rec = read_markers(written(tmp_path, simple_c3d(1000 * motion(), words=words, scale=0.1)))
    assert_allclose(rec["residuals"], 17 * 0.1 * 1e-3, rtol=1e-7)


def test_first_sample_keeps_its_number_and_time(tmp_path):
    rec = read_markers(written(tmp_path, simple_c3d(1000 * motion(), first=51)))
    assert rec.manifest["first_frame"] == 51
    assert rec.time("markers")[0] == 0.5


def test_more_samples_than_the_header_can_count(tmp_path):
    points = 1000 * np.broadcast_to(motion(1), (70000, 4, 3)).copy()
    points[:, 0, 0] += np.arange(70000) * 1e-3
    fields = [
        ("TRIAL", "ACTUAL_START_FIELD", np.array([1, 0])),
        ("TRIAL", "ACTUAL_END_FIELD", np.array([70000 % 65536, 1])),
    ]
    by_fields = read_markers(written(tmp_path, simple_c3d(points, last=70000 % 65536, more=fields)))
    by_size = read_markers(written(tmp_path, simple_c3d(points, last=65535) + bytes(300), "b.c3d"))
    for rec in (by_fields, by_size):
        assert_allclose(rec["markers"], points / 1000, rtol=1e-7)


def test_analog_channels_and_their_scales(tmp_path):
    analog = np.arange(30 * 5 * 2, dtype=float).reshape(30, 5, 2)
    more = [
        ("ANALOG", "LABELS", ["emg", "force"]),
        ("ANALOG", "UNITS", ["mV", "N"]),
        ("ANALOG", "SCALE", np.array([2.0, 1.0])),
        ("ANALOG", "OFFSET", np.array([1, 0])),
        ("ANALOG", "GEN_SCALE", np.array([0.5])),
    ]
    rec = read_markers(written(tmp_path, simple_c3d(1000 * motion(), analog=analog, more=more)))
    assert rec.channel("analog").rate == 500.0
    raw = analog.reshape(-1, 2)
    assert_allclose(rec["analog"][:, 0], (raw[:, 0] - 1) * 2 * 0.5 * 1e-3)
    assert_allclose(rec["analog"][:, 1], raw[:, 1] * 0.5)
    assert rec.manifest["analog_units"] == ["V", "N"]
    assert rec.manifest["labels"]["analog"] == ["emg", "force"]


def unsigned_file(real, signed="UNSIGNED"):
    """Sixteen unsigned bits around 32768, whose offset is stored as the word 0x8000: −32768 where it has a sign."""
    analog = 32768.0 + np.arange(-150, 150).reshape(30, 5, 2)
    more = [
        ("ANALOG", "FORMAT", [signed]),
        ("ANALOG", "OFFSET", np.array([-32768, -32768])),
        ("ANALOG", "SCALE", np.array([2.0, -0.5])),
    ]
    scale = {} if real else {"real": False, "scale": 0.1}
    return simple_c3d(1000 * motion(), analog=analog, more=more, **scale), analog.reshape(-1, 2)


@pytest.mark.parametrize(("real", "stated"), [(False, "UNSIGNED"), (True, "UNSIGNED"), (True, "SIGNED")])
def test_offset_of_unsigned_analog_data_is_unsigned(real, stated, tmp_path):
    data, analog = unsigned_file(real, stated)
    rec = read_markers(written(tmp_path, data))
    assert_array_equal(rec["analog"], (analog - 32768) * (2.0, -0.5))


def test_offset_of_signed_analog_data_keeps_its_sign(tmp_path):
    analog = np.arange(-150.0, 150).reshape(30, 5, 2)
    more = [("ANALOG", "FORMAT", ["SIGNED"]), ("ANALOG", "OFFSET", np.array([-32768, -3]))]
    rec = read_markers(written(tmp_path, simple_c3d(1000 * motion(), analog=analog, more=more)))
    assert_array_equal(rec["analog"], analog.reshape(-1, 2) + np.array([32768, 3]))


def with_counts(data, measurements, subframes):
    """Return a file with other counts of analog numbers in its header."""
    data = bytearray(data)
    data[4:6], data[18:20] = np.array([measurements], "<u2").tobytes(), np.array([subframes], "<u2").tobytes()
    return bytes(data)


@pytest.mark.parametrize(("stated", "subframes"), [(3, 7), (21, 0), (21, 4)])
def test_counts_of_analog_numbers_that_do_not_agree(stated, subframes, tmp_path):
    # Seven samples of three channels with each of the markers, and headers that tell the number of channels, no
    # samples, or samples that do not divide the numbers: ANALOG:USED and the size of the file decide.
    analog = np.arange(30 * 7 * 3, dtype=float).reshape(30, 7, 3)
    data = simple_c3d(1000 * motion(), analog=analog, more=[("ANALOG", "USED", np.array([3]))])
    rec = read_markers(written(tmp_path, with_counts(data, stated, subframes)))
    assert_array_equal(rec["analog"], analog.reshape(-1, 3))
    assert_allclose(rec["markers"], motion(), rtol=1e-6)
    assert rec.channel("analog").rate == 700.0
    assert any("analog numbers" in note for note in rec.manifest["notes"])


def test_analog_numbers_that_are_left_over_are_dropped(tmp_path):
    analog = np.arange(30 * 7, dtype=float).reshape(30, 1, 7)
    rec = read_markers(written(tmp_path, with_counts(simple_c3d(1000 * motion(), analog=analog), 7, 2)))
    assert_array_equal(rec["analog"], analog[:, 0, :6].reshape(-1, 3))
    assert_allclose(rec["markers"], motion(), rtol=1e-6)


def test_analog_rate_that_is_no_multiple_is_that_of_the_samples(tmp_path):
    analog = np.zeros((30, 8, 2))
    rec = read_markers(written(tmp_path, simple_c3d(1000 * motion(), analog=analog, more=[("ANALOG", "RATE", 833.0)])))
    assert rec.channel("analog").rate == 800.0
    assert "833 Hz" in rec.manifest["notes"][0]


def test_residuals_of_minus_one_everywhere_are_overridden(tmp_path):
    points = 1000 * motion()
    points[4, 2] = 0.0
    path = written(tmp_path, simple_c3d(points, words=np.full((30, 4), -1)))
    with pytest.raises(InputError, match="residuals=False"):
        read_markers(path)
    rec = read_markers(path, residuals=False)
    assert np.argwhere(np.isnan(rec["markers"][..., 0])).tolist() == [[4, 2]]  # zeros are no place
    assert_allclose(rec["markers"][:4], motion()[:4], rtol=1e-6)


@pytest.mark.parametrize(("unit", "factor"), [("mete", 1.0), ("mill", 1e-3), ("cent", 0.01), ("MM.", 1e-3)])
def test_units_that_are_cut_short(unit, factor, tmp_path):
    rec = read_markers(written(tmp_path, simple_c3d(motion() / factor, units=unit)))
    assert_allclose(rec["markers"], motion(), rtol=1e-6)


def test_units_that_could_be_several_are_refused(tmp_path):
    with pytest.raises(InputError, match="unit"):
        read_markers(written(tmp_path, simple_c3d(motion(), units="mi")))


@pytest.mark.parametrize("processor", [84, 86])
def test_an_offset_in_the_other_byte_order_does_not_end_the_parameters(processor, tmp_path):
    # As in the SGI file of c3d.org: the last entry, long enough for its way to lead into the samples when swapped.
    more = [("ANALOG", "DESCRIPTIONS", ["x" * 40] * 8)]
    data = bytearray(simple_c3d(1000 * motion(), processor=processor, more=more))
    at = data.index(b"DESCRIPTIONS") + len("DESCRIPTIONS")
    data[at : at + 2] = data[at : at + 2][::-1]
    assert_allclose(read_markers(written(tmp_path, bytes(data)))["markers"], motion(), rtol=1e-6)


def test_events(tmp_path):
    more = [
        ("EVENT", "TIMES", np.array([[0.0, 1.0], [0.25, 2.5]])),
        ("EVENT", "LABELS", ["Foot Strike", "Foot Off"]),
        ("EVENT", "CONTEXTS", ["Left", "Right"]),
    ]
    rec = read_markers(written(tmp_path, simple_c3d(1000 * motion(), more=more)))
    assert [(e.time, e.name, e.detail["context"]) for e in rec.events] == [
        (0.25, "Foot Strike", "Left"),
        (62.5, "Foot Off", "Right"),
    ]


def test_subject_prefix_unlabeled_and_double_names(tmp_path):
    names = ("Anna:LASI", "Anna:LASI", "*12", "Anna:C7")
    rec = read_markers(written(tmp_path, simple_c3d(1000 * motion(), names)))
    assert marker_names(rec) == ["LASI", "LASI_2", "C7"]
    assert rec.manifest["subject"] == "Anna"
    assert len(rec.manifest["notes"]) == 2
    assert len(marker_names(read_markers(tmp_path / "a.c3d", unlabeled=True))) == 4


def test_angles_among_the_points_are_left_out(tmp_path):
    points = 1000 * motion()
    points[:, 1] = 1e5  # an angle or a moment, in another unit
    more = [("POINT", "ANGLES", ["LHipAngles"]), ("POINT", "POWERS", ["absent"])]
    rec = read_markers(written(tmp_path, simple_c3d(points, ("LASI", "LHipAngles", "LTOE", "C7"), more=more)))
    assert marker_names(rec) == ["LASI", "LTOE", "C7"]
    assert_allclose(rec["markers"], motion()[:, [0, 2, 3]], rtol=1e-6)
    assert "angles" in rec.manifest["notes"][0]


def test_axes_of_segments_among_the_points_are_left_out(tmp_path):
    """Four points PELO, PELA, PELL, PELP at right angles are axes; a cluster of markers with such names is none."""
    points = 1000 * motion()
    quad = points[:, :1] + 100 * np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    names = ("LASI", "RASI", "LTOE", "C7", *(f"PEL{letter}" for letter in "OALP"))
    rec = read_markers(written(tmp_path, simple_c3d(np.concatenate([points, quad], axis=1), names)))
    assert marker_names(rec) == ["LASI", "RASI", "LTOE", "C7"]
    assert "axes of segments" in rec.manifest["notes"][0]
    quad[:, 1] += 30 * quad[:, 2] / np.linalg.norm(quad[:, 2])
    rec = read_markers(written(tmp_path, simple_c3d(np.concatenate([points, quad], axis=1), names)))
    assert len(marker_names(rec)) == 8


def test_mass_and_height_of_the_subject(tmp_path):
    parameters = [("PROCESSING", "BODYMASS", np.array([61.5])), ("PROCESSING", "HEIGHT", np.array([1650.0]))]
    rec = read_markers(written(tmp_path, simple_c3d(1000 * motion(), more=parameters)))
    assert rec.manifest["body"] == {"mass": 61.5, "height": 1.65}
    parameters = [("PROCESSING", "BODYMASS", np.array([0.0])), ("PROCESSING", "HEIGHT", np.array([1.7]))]
    rec = read_markers(written(tmp_path, simple_c3d(1000 * motion(), more=parameters)))
    assert rec.manifest["body"] == {"height": pytest.approx(1.7)}  # nobody has no mass


def test_events_in_the_header_of_old_files(tmp_path):
    data = bytearray(simple_c3d(1000 * motion()))
    data[298:302] = np.array([12345, 2], "<u2").tobytes()
    data[304:312] = np.array([0.5, 1.25], "<f4").tobytes()
    data[396:404] = b"RHS LTO "
    rec = read_markers(written(tmp_path, bytes(data)))
    assert [(event.time, event.name) for event in rec.events] == [(0.5, "RHS"), (1.25, "LTO")]


def test_what_was_read_is_saved_and_opened(tmp_path):
    from motiform.record import compare, open_recording

    rec = read_markers(written(tmp_path, simple_c3d(1000 * motion())))
    rec.save(tmp_path / "a.mf")
    again = open_recording(tmp_path / "a.mf")
    assert compare(rec, again).identical
    assert again.manifest == rec.manifest


def test_one_of_two_subjects(tmp_path):
    names = ("Anna:LASI", "Bob:LASI", "Anna:C7", "Bob:C7")
    path = written(tmp_path, simple_c3d(1000 * motion(), names))
    assert marker_names(read_markers(path)) == list(names)
    rec = read_markers(path, subject="bob")
    assert marker_names(rec) == ["LASI", "C7"]
    assert_allclose(rec["markers"], motion()[:, [1, 3]], rtol=1e-6)
    with pytest.raises(InputError, match="Anna, Bob"):
        read_markers(path, subject="Carl")


def test_axis_up_stated_by_the_file(tmp_path):
    screen = [("POINT", "X_SCREEN", ["+X"]), ("POINT", "Y_SCREEN", ["+Z"])]
    names = ("A", "B", "C", "D")
    path = written(tmp_path, simple_c3d(1000 * motion()[..., [0, 2, 1]] * (1, -1, 1), names, more=screen))
    rec = read_markers(path)
    assert (rec.manifest["up"], rec.manifest["up_by"], rec.manifest["gravity"]) == ("z", "the file", [0.0, 0.0, -9.81])
    assert_allclose(read_markers(path, up="auto")["markers"], motion(), rtol=1e-6)


GOOD = simple_c3d(1000 * motion())


@pytest.mark.parametrize("size", [0, 1, 100, 511, 512, 513, 600, 700, 900, 1024, 1100, len(GOOD) - 1])
def test_cut_short_anywhere(size, tmp_path):
    with pytest.raises(InputError, match=r"cut\.c3d"):
        read_markers(written(tmp_path, GOOD[:size], "cut.c3d"))


def test_how_much_is_left_of_a_cut_file(tmp_path):
    with pytest.raises(InputError, match="29 whole samples of 30"):
        read_markers(written(tmp_path, GOOD[:-1]))
    rec = read_markers(tmp_path / "a.c3d", partial=True)
    assert_allclose(rec["markers"], motion()[:29], rtol=1e-6)
    assert "29 of 30" in rec.manifest["notes"][0]
    with pytest.raises(InputError, match="0 whole samples"):
        read_markers(written(tmp_path, GOOD[: -30 * 64 + 10]), partial=True)


@pytest.mark.parametrize("seed", range(6))
def test_damaged_files_never_end_the_process(seed, tmp_path):
    rng = np.random.default_rng(seed)
    refused = []
    for _ in range(60):
        data = bytearray(GOOD)
        for place in rng.integers(0, 1400, 8):
            data[place] = rng.integers(256)
        try:
            read_markers(written(tmp_path, bytes(data)))
        except InputError as error:
            refused.append(str(error))
    assert len(refused) > 5
    assert all("a.c3d" in text for text in refused)


def test_not_a_c3d_file(tmp_path):
    with pytest.raises(InputError, match="a C3D file must"):
        read_markers(written(tmp_path, b"hello world" * 100))
    with pytest.raises(InputError, match="empty"):
        read_markers(written(tmp_path, b""))
    with pytest.raises(InputError, match="cannot be read"):
        read_markers(tmp_path / "none.c3d")
    with pytest.raises(InputError, match="cannot be read"):
        read_markers(tmp_path)


def test_no_marker_and_no_rate(tmp_path):
    with pytest.raises(InputError, match="no marker"):
        read_markers(written(tmp_path, C3D().bytes(np.empty((3, 0, 3)))))
    with pytest.raises(InputError, match="rate"):
        read_markers(written(tmp_path, simple_c3d(1000 * motion(), rate=0.0)))


def test_nothing_seen(tmp_path):
    with pytest.raises(InputError, match="no marker is seen"):
        read_markers(written(tmp_path, simple_c3d(np.full((30, 4, 3), np.nan))))


def test_one_sample(tmp_path):
    rec = read_markers(written(tmp_path, simple_c3d(1000 * motion(1))))
    assert rec["markers"].shape == (1, 4, 3)


@pytest.mark.parametrize(
    ("factor", "units", "words"), [(1e6, "mm", "1.38 km"), (1.0, "mm", "1.38 mm"), (1000, "m", "1.38 km")]
)
def test_wrong_units_are_reported_with_a_remedy(factor, units, words, tmp_path):
    path = written(tmp_path, simple_c3d(factor * motion(), units=units))
    with pytest.raises(InputError, match=words) as caught:
        read_markers(path)
    right = {1e6: "um", 1.0: "m", 1000: "mm"}[factor]
    if right != "um":
        assert f"units='{right}'" in str(caught.value)
    assert_allclose(read_markers(path, units=right)["markers"], motion(), rtol=1e-6)


@pytest.mark.parametrize("shape", [(3,), (3, 2), (1,), (3, 1, 1), (0,), (2, 3), (3, 4, 2)])
@pytest.mark.parametrize("name", ["ORIGIN", "CORNERS", "CHANNEL", "TYPE", "USED"])
def test_parameters_of_plates_of_odd_shapes(name, shape, tmp_path):
    analog = np.zeros((30, 2, 6))
    more = [("ANALOG", "LABELS", [f"f{k}" for k in range(6)]), ("FORCE_PLATFORM", "USED", np.array([1])),
            ("FORCE_PLATFORM", "TYPE", np.array([2])), ("FORCE_PLATFORM", "CHANNEL", np.arange(1, 7).reshape(6, 1)),
            ("FORCE_PLATFORM", "CORNERS", np.ones((3, 4, 1))),
            ("FORCE_PLATFORM", "ORIGIN", np.ones((3, 1)))]  # fmt: skip
    odd = [(*one[:2], np.ones(shape)) if one[1] == name else one for one in more]
    rec = read_markers(written(tmp_path, simple_c3d(1000 * motion(), analog=analog, more=odd)))
    assert rec["markers"].shape == (30, 4, 3)  # markers are read, whatever is told of plates


@pytest.mark.parametrize("width", [127, 128, 255])
def test_names_as_long_as_a_file_can_hold(width, tmp_path):
    names = [letter * width for letter in "abcd"]
    rec = read_markers(written(tmp_path, simple_c3d(1000 * motion(), names=names)))
    assert marker_names(rec) == names
