import numpy as np
import pytest
from marker_files import motion, recording
from numpy.testing import assert_allclose, assert_array_equal

from motiform.base.errors import InputError
from motiform.measure import change_frame, move, read_markers, turn, write_markers_csv
from motiform.measure.detect import find_up
from motiform.spatial.up_axis import AXES, up_vector

LEGS = ("r_lateral_malleolus", "l_lateral_malleolus", "r_trochanterion", "l_trochanterion")
STAND = np.array([[0.02, 0.08, 0.10], [-0.02, 0.08, -0.10], [0.0, 0.9, 0.17], [0.0, 0.9, -0.17]])


@pytest.mark.parametrize("up", AXES)
def test_up_becomes_y_by_a_rotation(up):
    points = motion()
    rec = recording(points)
    turned = turn(rec, up=up)["markers"]
    assert_array_equal(turned[..., 1], points @ up_vector(up))  # to the last bit
    lengths = np.linalg.norm(points[:, 0] - points[:, 1], axis=-1)
    assert_allclose(np.linalg.norm(turned[:, 0] - turned[:, 1], axis=-1), lengths, rtol=1e-14)
    a, b, c = (points[0, k] for k in range(3))
    d, e, f = (turned[0, k] for k in range(3))
    assert np.linalg.det([a, b, c]) == pytest.approx(np.linalg.det([d, e, f]))  # no mirror
    assert turn(rec, up=up).manifest["gravity"] == [0.0, -9.81, 0.0]


def test_z_up_keeps_x():
    rec = turn(recording(np.array([[[1.0, 2.0, 3.0]]]), ["a"]), up="z")
    assert rec["markers"].tolist() == [[[1.0, 3.0, -2.0]]]


def test_forward_becomes_x():
    rec = turn(recording(np.array([[[1.0, 2.0, 3.0]]]), ["a"]), up="z", forward="-y")
    assert rec["markers"].tolist() == [[[-2.0, 3.0, -1.0]]]
    with pytest.raises(InputError, match="along up"):
        turn(recording(), up="z", forward="-z")
    with pytest.raises(InputError, match="up"):
        turn(recording(), up="up")


@pytest.mark.parametrize("up", AXES)
def test_up_is_found_by_names_and_by_shape(up):
    points = motion(50) + np.array([0, 0.05, 0])
    u = up_vector(up)
    f = np.roll(np.abs(u), 1)
    away = points @ np.stack([f, u, np.cross(f, u)])  # y of the motion goes to the axis up
    assert find_up(away, ["LTOE", "RASI", "LASI", "C7"], None)[0] == up
    assert find_up(away, ["a", "b", "c", "d"], None)[0] == up
    if up != "-x":
        assert find_up(away, ["a", "b", "c", "d"], "x") == ("x", "the file")
    overhead = up[1:] if up[0] == "-" else f"-{up}"  # all markers would hang below a floor at zero
    axis, reason = find_up(away + (0.05 - (away @ u).min()) * u, ["a", "b", "c", "d"], overhead)
    assert axis == up
    assert f"though the file states {overhead}" in reason
    axis, reason = find_up(away, ["LTOE", "RASI", "LASI", "C7"], "-x" if up == "x" else "x")
    assert axis == up
    assert "though the file states" in reason


def test_the_way_is_not_up():
    """A sprinter who leans forward: the head is farther ahead of the heels than above them, and runs on."""
    t = np.linspace(0, 1, 50)[:, None]
    heel, head = np.zeros((50, 3)), np.zeros((50, 3))
    heel[:, :1], head[:, :1], head[:, 2] = 5 * t, 5 * t + 0.9, 0.6
    names = ["R.Calca", "C7"]
    assert find_up(np.stack([heel, head], axis=1), names, None)[0] == "z"
    assert find_up(np.stack([heel, head], axis=1)[:2], names, None)[0] == "x"  # nobody can tell from two samples


def test_nothing_evident_is_said():
    rng = np.random.default_rng(0)
    assert find_up(rng.uniform(-1, 1, (20, 30, 3)), [f"m{k}" for k in range(30)], None)[0] is None


def test_auto_without_evidence_asks(tmp_path):
    points = np.random.default_rng(0).uniform(-1, 1, (20, 6, 3))
    write_markers_csv(recording(points), tmp_path / "a.csv")
    assert read_markers(tmp_path / "a.csv").manifest["gravity"] is None
    with pytest.raises(InputError, match="Say up="):
        read_markers(tmp_path / "a.csv", up="auto")


def standing(R, t, samples=40):
    sway = 0.01 * np.sin(np.arange(samples) / 3.0)[:, None, None] * (np.arange(samples) >= 20)[:, None, None]
    return recording((STAND + sway) @ np.asarray(R).T + t, LEGS)


def rotation(seed):
    q, r = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q * np.sign(np.linalg.det(q))


@pytest.mark.parametrize("seed", range(5))
def test_change_of_frame_of_the_seed(seed):
    rec = change_frame(standing(rotation(seed), (2.0, -1.0, 0.5)))
    still = rec["markers"][:20].mean(0)
    ankles, hips = still[:2].mean(0), still[2:].mean(0)
    assert_allclose(ankles[[0, 2]], 0, atol=1e-12)
    assert_allclose(hips[[0, 2]], 0, atol=1e-12)
    assert hips[1] - ankles[1] == pytest.approx(0.82)
    faced = change_frame(standing(rotation(seed), (2.0, -1.0, 0.5)), face=True)["markers"][0]
    assert_allclose(faced[2] - faced[3], (0, 0, 0.34), atol=1e-12)
    assert_allclose(faced - faced[:2].mean(0), STAND - STAND[:2].mean(0), atol=1e-12)


def test_an_upright_subject_is_only_shifted():
    rec = change_frame(standing(np.eye(3), (2.0, 0.3, 0.5)))
    assert_allclose(rec["markers"][0], STAND + np.array([0, 0.3, 0]), atol=1e-12)
    hanging = change_frame(standing(np.diag([1.0, -1, -1]), (0.0, 0, 0)))
    assert_allclose(hanging["markers"][0, 2:, 1] - hanging["markers"][0, :2, 1], 0.82, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_change_of_frame_by_a_pose(seed):
    rec = standing(rotation(seed), (2.0, -1.0, 0.5))
    pose = dict(zip(LEGS, STAND.tolist(), strict=True)) | {"vertex": [0.0, 1.7, 0.0]}
    moved = change_frame(rec, pose=pose)
    assert_allclose(moved["markers"][0], STAND, atol=1e-12)


def test_change_of_frame_that_cannot_be():
    points = np.tile(STAND, (5, 1, 1))
    with pytest.raises(InputError, match="both ankles"):
        change_frame(recording(points[:, :3], LEGS[:3]))
    hidden = points.copy()
    hidden[:, 1] = np.nan
    with pytest.raises(InputError, match="l_lateral_malleolus"):
        change_frame(recording(hidden, LEGS))
    line = {name: (0.0, float(k), 0.0) for k, name in enumerate(LEGS)}
    with pytest.raises(InputError, match="one line"):
        change_frame(recording(points, LEGS), pose=line)
    with pytest.raises(InputError, match="three markers"):
        change_frame(recording(points, LEGS), pose={LEGS[0]: (0, 0, 0)})
    with pytest.raises(InputError, match="must be a rotation"):
        move(recording(), np.diag([1.0, 1, -1]), np.zeros(3))


def test_one_ankle_seen_late_is_enough():
    points = np.tile(STAND, (40, 1, 1))
    points[:15, 0] = np.nan
    rec = change_frame(recording(points, LEGS))
    assert_allclose(rec["markers"][20], STAND, atol=1e-12)
