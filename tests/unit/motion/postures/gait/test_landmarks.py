"""The pelvis has the axes of its landmarks, wherever a calibration has put these in its segment."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from motiform.motion.figures import human36
from motiform.motion.postures import joint_series
from motiform.motion.postures.gait.events import Walker
from motiform.motion.postures.gait.landmarks import landmark_frames
from motiform.motion.tree import tags
from motiform.record import Channel, Recording
from motiform.spatial import rotation_from_euler

SPINES = ("RASI", "LASI", "RPSI", "LPSI")
FORWARD = np.array([1.0, 0.0, 0.0])


def turned(body, angle):
    """The body with its iliac spines turned about its hips in the sagittal plane: a pelvis that is tilted by nature."""
    R = rotation_from_euler([-angle], "z")
    return body.replace(tags={t.name: tuple(R @ np.asarray(t.point)) for t in body.tags if t.name in SPINES})


def walking(body, q, marked):
    """A trial of these postures whose markers are those named."""
    arrays = {"q": q, "unseen": np.zeros_like(q), "status": np.zeros(len(q))}
    data = {n: (Channel(n, shape=v.shape[1:], dims=("k",) * (v.ndim - 1), rate=100.0), v) for n, v in arrays.items()}
    rows = {name: {"marker": name} for name in marked}
    points = {side: np.zeros((2, 3)) for side in "rl"}
    ends = {side: points[side] + 0.2 * FORWARD for side in "rl"}
    walker = Walker(np.arange(2.0), points, ends, np.zeros((2, 3)), np.array([0.0, 1.0, 0.0]))
    found = joint_series(Recording.from_arrays(data, manifest={"reconstruct": {"per_marker": rows}}), body, walker)
    return {(one.joint, one.name, one.side): one.values for one in found.series}


@pytest.mark.parametrize("angle", [-0.3, 0.0, 0.25])
def test_tilt_is_that_of_the_spines(angle):
    """The slope from the posterior to the anterior spines; flexion of the hip is that of the thigh against it."""
    body = turned(human36(1.75, 70.0, markers="plug-in-gait"), angle)
    q = np.tile(body.neutral(), (3, 1))
    q[:, body.coordinates.index("pelvis_backward_tilt")] = [0.0, 0.1, -0.2]
    q[:, body.coordinates.index("right_hip_flexion")] = [0.0, 0.3, -0.1]
    at = dict(zip(body.tag_names, np.moveaxis(tags(body, q), 1, 0), strict=True))
    way = (at["RASI"] + at["LASI"] - at["RPSI"] - at["LPSI"]) / 2
    slope = np.rad2deg(np.arctan2(-way[:, 1], way[:, 0]))
    found = walking(body, q, SPINES)
    assert_allclose(found["pelvis", "anterior_tilt", "r"], slope, atol=1e-9)
    assert_allclose(found["pelvis", "obliquity_up", "l"], 0.0, atol=1e-9)
    thigh = np.rad2deg(q[:, body.coordinates.index("pelvis_backward_tilt")]
                       + q[:, body.coordinates.index("right_hip_flexion")])  # fmt: skip
    assert_allclose(found["hip", "flexion", "r"], slope + thigh, atol=1e-9)  # of a pelvis whose tilt is the slope


def test_a_sacrum_takes_the_place_of_spines_without_markers():
    body = turned(human36(1.75, 70.0, markers="plug-in-gait"), 0.2)
    assert landmark_frames(body, ("RASI", "LASI")) == {}
    assert landmark_frames(human36(1.75, 70.0)) == {}
    low = body.replace(tags={"SACR": tuple(np.mean([t.point for t in body.tags if t.name[1:] == "PSI"], axis=0))})
    both = [landmark_frames(low, (*SPINES[:2], *more))["lower_trunk"] for more in (("RPSI", "LPSI"), ("SACR",))]
    assert_allclose(*both, atol=1e-12)
    assert_allclose(both[0].T @ both[0], np.eye(3), atol=1e-12)
    assert np.linalg.det(both[0]) == pytest.approx(1.0)
