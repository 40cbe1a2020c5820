"""Keypoints of video: they are at the centres of Human36's joints, and what they do not tell is held."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from motiform.motion.figures import human36
from motiform.motion.figures.keypoint_sets import KEYPOINT_SD, are_keypoints, keypoint_tasks, loose_coordinates
from motiform.motion.figures.marker_sets import MARKER_SETS, find_marker_set, site_spreads
from motiform.motion.tree import forward_kinematics, tags

JOINTS = {
    "Shoulder": "upper_arm",
    "Elbow": "forearm",
    "Wrist": "hand",
    "Hip": "thigh",
    "Knee": "shank",
    "Ankle": "foot",
}


@pytest.mark.parametrize("name", ["halpe-26", "body-25"])
def test_keypoints_are_where_joints_are(name):
    """In any posture the keypoint of a joint is the origin of the segment below it."""
    body = human36(1.8, markers=name)
    q = body.neutral() + 0.3 * np.random.default_rng(1).normal(size=body.nq)
    _, origins = forward_kinematics(body, q[None])
    at = dict(zip(body.tag_names, tags(body, q[None])[0], strict=True))
    for letter, word in (("R", "right"), ("L", "left")):
        for joint, below in JOINTS.items():
            assert_allclose(at[letter + joint], origins[0, body.index(f"{word}_{below}")], atol=1e-12)


def test_the_neck_is_between_the_shoulders():
    body = human36(1.8, markers="body-25")
    at = dict(zip(body.tag_names, tags(body, body.neutral()), strict=True))
    assert_allclose(at["Neck"], (at["RShoulder"] + at["LShoulder"]) / 2, atol=1e-12)
    assert_allclose(at["MidHip"], (at["RHip"] + at["LHip"]) / 2, atol=1e-12)


def test_names_of_programs_are_told_from_skin_markers():
    pose2sim = ["RHip", "RKnee", "RAnkle", "RBigToe", "RSmallToe", "RHeel", "LHip", "LKnee", "LAnkle", "LBigToe",
                "LSmallToe", "LHeel", "Neck", "Head", "Nose", "RShoulder", "RElbow", "RWrist", "LShoulder", "LElbow",
                "LWrist"]  # fmt: skip
    assert find_marker_set(pose2sim) == ("halpe-26", 21)
    coco = [f"{side}_{name}" for side in ("left", "right") for name in ("hip", "knee", "ankle", "shoulder", "elbow")]
    assert find_marker_set(coco) == ("coco", 10)
    assert find_marker_set(["R.ASIS", "L.ASIS", "R.Knee", "L.Knee", "R.Ankle", "R.Heel"])[0] == "helen-hayes"
    assert {name for name in MARKER_SETS if are_keypoints(MARKER_SETS[name])} == {
        "halpe-26",
        "body-25",
        "skeleton",
        "coco",
    }


def test_what_keypoints_do_not_tell_is_held_as_hard_as_its_spread():
    body = human36()
    tasks, spreads = keypoint_tasks(body.coordinates), loose_coordinates(body.coordinates)
    assert tasks.keys() == spreads.keys()
    assert "right_hip_external_rotation" in tasks
    assert not any("knee" in name or "elbow" in name or "pelvis" in name for name in tasks)
    for name, (value, weight) in tasks.items():
        assert value == 0.0
        # a keypoint off by its deviation counts as a coordinate off by its spread
        assert weight * spreads[name] ** 2 == pytest.approx(KEYPOINT_SD**2)


def test_centres_of_joints_stray_less_than_faces():
    spreads = site_spreads(MARKER_SETS["halpe-26"])
    assert spreads["RKnee"] < spreads["RHip"] < spreads["Nose"] < spreads["Neck"]
