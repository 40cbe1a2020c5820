"""Trials of video: keypoints in files as programs write them become postures, and those of one camera are refused."""

import json

import numpy as np
import pytest

from motiform import open_recording, read_markers
from motiform.base.errors import InputError
from motiform.measure import turn, write_trc
from motiform.measure.markers.openpose import _NAMES
from motiform.measure.names import choose_markers
from motiform.motion.figures import human36
from motiform.motion.figures.marker_sets import MARKER_SETS
from motiform.motion.postures import virtual_markers
from motiform.record import Recording
from motiform.trials import reconstruct
from motiform.trials.defaults import settle_defaults
from motiform.trials.trial import MarkerTrial, TrialOptions, run_trial

POSE2SIM = [name for name in MARKER_SETS["halpe-26"] if not name.endswith(("Eye", "Ear")) and name != "Hip"]


def walk(count=60):
    """A body that walks in place: hips, knees, elbows and trunk bend."""
    body = human36(1.7, markers="halpe-26")
    t = np.arange(count) / count
    q = np.repeat(body.neutral()[None], count, axis=0)

    def put(name, values):
        q[:, body.coordinates.index(name)] = values

    for side, late in (("right", 0.0), ("left", np.pi)):
        swing = 2 * np.pi * t + late
        put(f"{side}_hip_flexion", 0.3 + 0.4 * np.cos(swing))
        put(f"{side}_knee_extension", -0.5 + 0.4 * np.cos(swing + 0.8))
        put(f"{side}_shoulder_flexion", -0.3 * np.cos(swing))
        put(f"{side}_elbow_flexion", 0.6 + 0.3 * np.cos(swing))
    put("pelvis_left_turn", 0.1 * np.sin(2 * np.pi * t))
    put("pelvis_forward", 1.2 * t)
    return body, q


def keypoints(names=POSE2SIM, change=None):
    body, q = walk()
    rec = choose_markers(virtual_markers(body, q, rate=60.0), list(names))
    if change is None:
        return rec, q
    points = np.array(rec["markers"])
    change(points)
    return Recording.from_arrays({"markers": (rec.channel("markers"), points)}, manifest=rec.manifest), q


def angle(rec, hip, knee, ankle):
    """Angle between the lines that join three markers [rad], (samples,)."""
    names = rec.manifest["labels"]["marker"]
    a, b, c = (np.asarray(rec["markers"])[:, names.index(name)] for name in (hip, knee, ankle))
    u, v = a - b, c - b
    return np.pi - np.arccos((u * v).sum(1) / np.linalg.norm(u, axis=1) / np.linalg.norm(v, axis=1))


def allowed(rec):
    """Error of a knee angle [rad]: e at three points of two bars of 0.35 m or more, by distances of tags and keypoints,
    and by tags that calibration moves from the joints: 2 cm at the hip, 1 cm at knee and ankle are their spreads.
    """
    e = np.nanmax(rec["error"], axis=1)
    return (4 * e + 0.02 + 2 * 0.01 + 0.01) / 0.35


@pytest.mark.slow
def test_a_knee_bends_as_its_three_keypoints_do(tmp_path):
    """From a file as Pose2Sim writes it (y up, metres), by the command's work: no posture is bent backwards."""
    rec, _ = keypoints()
    write_trc(rec, tmp_path / "walk.trc", units="m", digits=15)
    found = run_trial(
        MarkerTrial(str(tmp_path / "walk.trc"), str(tmp_path / "out"), "k", TrialOptions(report=False)), print
    )
    assert found["status"] == "done", found
    done = open_recording(tmp_path / "out" / "out.mf")
    assert done.manifest["taken"]["markers"][0] == "halpe-26"
    for side, letter in (("right", "R"), ("left", "L")):
        bent = angle(rec, f"{letter}Hip", f"{letter}Knee", f"{letter}Ankle")
        found_angle = -np.asarray(done[f"q.{side}_knee_extension"])
        assert (np.abs(found_angle - bent) <= allowed(done) + 1e-6).all()


@pytest.mark.slow
def test_messy_keypoints_are_as_good_where_they_are_seen(tmp_path):
    """No nose, a wrist hidden for a while, exchanged sides, z up, millimetres: knees are those of clean keypoints."""

    def spoil(points):
        names = POSE2SIM
        points[20:24, names.index("LWrist")] = np.nan
        points[:, names.index("Nose")] = np.nan
        pairs = [(names.index(n), names.index("L" + n[1:])) for n in names if n[0] == "R"]
        for right, left in pairs:
            points[40:42, [right, left]] = points[40:42, [left, right]]

    rec, q = keypoints(change=spoil)
    write_trc(turn(rec, up="-z"), tmp_path / "z.trc", units="mm", digits=12)  # what was y is z in it
    found = reconstruct(human36(), read_markers(tmp_path / "z.trc"))
    body, _ = walk()
    for side in ("right", "left"):
        k = body.coordinates.index(f"{side}_knee_extension")
        wrong = np.abs(found["q"][:, k] - q[:, k])
        assert (wrong[:38] <= allowed(found)[:38] + 1e-6).all()
    status = found.manifest["reconstruct"]
    assert sum(row["swapped"] + row["left_out"] for row in status["per_marker"].values()) > 0
    assert not any("knee" in words for words in status["doubts"])


def test_keypoints_of_one_camera_are_refused(tmp_path):
    def flatten(points):
        points[..., 2] = 0.0

    rec, _ = keypoints(change=flatten)
    with pytest.raises(InputError, match=r"keypoints must be in space .*one z for all.*two calibrated cameras"):
        settle_defaults(TrialOptions(), rec, None)
    plane = {"version": 1.3, "people": [{"person_id": [-1], "pose_keypoints_2d": [1.0] * 75, "pose_keypoints_3d": []}]}
    path = tmp_path / "cam1_000000000000_keypoints.json"
    path.write_text(json.dumps(plane), "utf-8")
    with pytest.raises(InputError, match=r"keypoints must be in space.*two calibrated cameras"):
        read_markers(path, rate=30)


def test_pictures_of_openpose_in_space(tmp_path):
    """Each keypoint where it is, its confidence as its weight; what is hardly seen is left out and told."""
    body, q = human36(1.7, markers="body-25"), walk()[1]
    whole = virtual_markers(body, q[:5], rate=30.0)
    names = whole.manifest["labels"]["marker"]
    assert {*_NAMES} == {*MARKER_SETS["body-25"]}
    at = np.asarray(whole["markers"])[:, [names.index(name) for name in _NAMES]]
    for k in range(5):
        sure = np.full((25, 1), 0.8)
        sure[_NAMES.index("LWrist")] = 0.1 if k == 2 else 0.5
        person = {"pose_keypoints_2d": [], "pose_keypoints_3d": np.hstack([at[k], sure]).ravel().tolist()}
        people = [] if k == 3 else [person]
        (tmp_path / f"v_{k:012d}_keypoints.json").write_text(json.dumps({"people": people}), "utf-8")
    first = tmp_path / "v_000000000000_keypoints.json"
    with pytest.raises(InputError, match="neither times nor a rate"):
        read_markers(first)
    found = read_markers(first, rate=30.0, units="m")
    kept = np.ones((5, 25), bool)
    kept[3] = kept[2, _NAMES.index("LWrist")] = False
    np.testing.assert_array_equal(np.isfinite(found["markers"][..., 0]), kept)
    np.testing.assert_array_equal(found["markers"][kept], at[kept])
    assert any("confidence below 0.3" in note for note in found.manifest["notes"])
    options, _ = settle_defaults(TrialOptions(), found, None)
    assert options.reconstruct["weights"]["LWrist"] == 0.5
    assert options.reconstruct["weights"]["RKnee"] == 0.8
