"""A trial written back as C3D with angles, moments, powers and events, read by another library."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from motiform import figures, read_markers
from motiform.measure import marker_names
from motiform.motion.postures import virtual_markers
from motiform.record import Channel, Event, Recording
from motiform.trials import reconstruct
from motiform.trials.c3d import write_back

RATE = 100.0


def stepping(figure, samples=250):
    """Legs that swing in turns under a pelvis that goes on, (samples, 42)."""
    q, t = np.tile(figure.neutral(), (samples, 1)), np.arange(samples) / RATE
    for side, late in (("right", 0.0), ("left", np.pi)):
        swing = 2 * np.pi * t + late
        q[:, figure.coordinates.index(f"{side}_hip_flexion")] = 0.4 * np.cos(swing)
        q[:, figure.coordinates.index(f"{side}_knee_extension")] = -0.5 + 0.4 * np.sin(swing)
    q[:, figure.coordinates.index("pelvis_forward")] = 1.2 * t
    return q


@pytest.fixture(scope="module")
def trial():
    """A reconstruction with efforts, and its markers with an analog channel and events of the file."""
    man = figures.human36(height=1.8, mass=70.0)
    q = stepping(man)
    plain = virtual_markers(man, q, rate=RATE)
    data = {name: (plain.channel(name), plain[name]) for name in plain.names}
    table = np.sin(np.arange(4 * len(q)) / 7.0)[:, None]
    data["analog"] = (Channel("analog", unit="V", dims=("analog",), shape=(1,), rate=4 * RATE), table)
    manifest = {**plain.manifest, "labels": {**plain.manifest["labels"], "analog": ["EMG"]}, "analog_units": ["V"]}
    events = [Event(0.3, "Foot Strike", {"context": "Right"}), Event(0.4, "General", {"context": "General"})]
    markers = Recording.from_arrays(data, manifest=manifest, events=events)
    return man, markers, reconstruct(man, markers, dynamics=True)


def test_angles_moments_powers_and_events_are_written_back(trial, tmp_path):
    c3d = pytest.importorskip("c3d")
    man, markers, rec = trial
    path = write_back(rec, man, markers, tmp_path / "walk.c3d")
    with path.open("rb") as stream:
        reader = c3d.Reader(stream)
        names = [name.strip() for name in reader.point_labels]
        frames = np.array([points for _, points, _ in reader.read_frames()])
        lists = {kind: [text.strip() for text in reader.get(f"POINT:{kind}").string_array]
                 for kind in ("ANGLES", "MOMENTS", "POWERS")}  # fmt: skip
        units = {kind: reader.get(f"POINT:{kind}_UNITS").string_value.strip() for kind in ("ANGLE", "MOMENT", "POWER")}
        labels = [text.strip() for text in reader.get("EVENT:LABELS").string_array]
        contexts = [text.strip() for text in reader.get("EVENT:CONTEXTS").string_array]
    assert {f"{side}{joint}Angles" for side in "LR" for joint in ("Pelvis", "Hip", "Knee", "Ankle")} <= set(
        lists["ANGLES"]
    )
    assert set(lists["MOMENTS"]) == {f"{side}{joint}Moment" for side in "LR" for joint in ("Hip", "Knee", "Ankle")}
    assert units == {"ANGLE": "deg", "MOMENT": "Nmm/kg", "POWER": "W/kg"}
    knee = frames[:, names.index("RKneeAngles"), :3]
    assert_allclose(knee[:, 0], rec["knee.flexion"][:, 1], rtol=1e-6, atol=1e-4)  # 32 bits
    moment = frames[:, names.index("LHipMoment"), :3]
    for k, name in enumerate(("flexion", "adduction", "internal_rotation")):
        assert_allclose(moment[:, k], 1e3 * rec[f"hip.{name}_moment"][:, 0], rtol=1e-5, atol=1e-2)
    power = frames[:, names.index("RKneePower"), :3]
    assert_allclose(power, np.stack([0 * power[:, 0], 0 * power[:, 0], rec["knee.power"][:, 1]], axis=1), atol=1e-4)
    steps = [event for event in rec.events if (event.detail or {}).get("kind")]
    assert labels.count("General") == 1
    assert labels.count("Foot Strike") == sum(event.detail["kind"] == "foot strike" for event in steps)
    assert set(contexts) == {"Left", "Right", "General"}


def test_markers_and_analog_channels_stay_as_they_are(trial, tmp_path):
    man, markers, rec = trial
    again = read_markers(write_back(rec, man, markers, tmp_path / "walk.c3d"))
    assert marker_names(again) == marker_names(markers)  # angles are no markers
    assert_allclose(again["markers"], markers["markers"], atol=1e-6)  # 32 bits of mm
    assert_allclose(again["analog"], markers["analog"], atol=1e-6)
    second = reconstruct(man, again)
    assert_allclose(second["knee.flexion"], rec["knee.flexion"], atol=1e-3)  # deg


def test_a_marker_may_have_the_name_of_an_angle(trial, tmp_path):
    man, markers, rec = trial
    names = list(marker_names(markers))
    names[0] = "RKneeAngles"
    manifest = {**markers.manifest, "labels": {**markers.manifest["labels"], "marker": names}}
    data = {name: (markers.channel(name), markers[name]) for name in markers.names}
    path = write_back(rec, man, Recording.from_arrays(data, manifest=manifest), tmp_path / "walk.c3d")
    assert list(marker_names(read_markers(path))) == names


def test_uneven_times_are_no_c3d(trial, tmp_path):
    man, markers, rec = trial
    own = replace(markers.channel("markers"), rate=None, start=0.0)
    uneven = Recording.from_arrays(
        {"markers": (own, markers["markers"])}, times=rec.time("q"), manifest=markers.manifest
    )
    assert write_back(rec, man, uneven, tmp_path / "walk.c3d") is None


def test_left_and_right_are_curves_of_one_channel(trial):
    """What the studio plots over time, with its cursor."""
    from motiform.image.report.gait import SIDES
    from motiform.image.style import colors_of
    from motiform.studio.curves import curves_of

    curves = curves_of(trial[2], "knee.flexion")
    assert curves.names == ("left", "right")
    assert [color for _, color in SIDES.values()] == colors_of(curves.names)  # as in the report
    assert curves.units == ("deg", "deg")
    assert trial[2].manifest["image"]["plot"] == ["hip.flexion", "knee.flexion", "ankle.dorsiflexion"]
