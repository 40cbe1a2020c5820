"""Postures from orientations of sensors and from poses of segments, in files as programs write them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from motiform.base.errors import InputError
from motiform.measure import read_poses
from motiform.measure.markers.c3d.encode import encode_parameters
from motiform.measure.poses.amass import _PARENTS, _SEGMENTS, _rest
from motiform.motion.figures import human36
from motiform.motion.postures.poses import pose_markers, segments_of_names
from motiform.motion.postures.skeletons import _keypoints, skeleton_markers
from motiform.motion.tree import forward_kinematics
from motiform.motion.tree.read import write_bvh
from motiform.spatial import log_rotation, quaternion_from_rotation, random_rotation
from motiform.trials import reconstruct
from motiform.trials.trial import MarkerTrial, TrialOptions, run_trial, trial_key

Z_UP = np.array([(1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)])  # from y up: x stays, y becomes z
IMUS = {"pelvis_imu": "lower_trunk", "torso_imu": "thorax"} | {
    f"{name}_{side[0]}_imu": f"{side}_{segment}"
    for side in ("right", "left")
    for name, segment in (("femur", "thigh"), ("tibia", "shank"), ("calcn", "foot"))
}
_AMASS_NAMES = {"pelvis": "lower_trunk"}
THEIA = {"pelvis": "lower_trunk", "torso": "thorax", "head": "head"} | {
    f"{side[0]}_{name}": f"{side}_{segment}"
    for side in ("right", "left")
    for name, segment in (("thigh", "thigh"), ("shank", "shank"), ("foot", "foot"), ("uarm", "upper_arm"),
                          ("larm", "forearm"), ("hand", "hand"))
}  # fmt: skip


def motion(body, count=40):
    """Somebody who stands for half a second (10 Hz), then bends hips, knees, trunk and turns."""
    t = np.maximum(np.arange(count) - 6, 0) / (count - 6)
    q = np.repeat(body.neutral()[None], count, axis=0)
    angles = {
        "right_hip_flexion": 0.6 * np.sin(3 * t), "left_hip_flexion": 0.4 * t, "right_hip_abduction": 0.2 * t,
        "right_knee_extension": -1.2 * np.sin(3 * t) ** 2, "left_knee_extension": -0.7 * t,
        "right_ankle_dorsiflexion": 0.2 * t, "thorax_extension": -0.3 * t, "thorax_left_rotation": 0.3 * np.sin(4 * t),
        "pelvis_left_turn": 0.8 * t, "pelvis_backward_tilt": -0.1 * t,
    }  # fmt: skip
    for name, values in angles.items():
        q[:, body.coordinates.index(name)] = values
    return q


def write_sto(path, names, R):
    quaternions = quaternion_from_rotation(R)
    lines = ["DataRate=10.0", "DataType=Quaternion", "version=3", "OpenSimVersion=4.4", "endheader",
             "time\t" + "\t".join(names)]  # fmt: skip
    for k, row in enumerate(quaternions):
        lines.append(f"{k / 10}\t" + "\t".join(",".join(repr(float(x)) for x in one) for one in row))
    path.write_text("\n".join(lines) + "\n", "utf-8")


def sensors(body, q, seed=1):
    """Orientations of sensors that lie anyhow on the segments, of a body that looks anywhere, z up."""
    rng = np.random.default_rng(seed)
    R, _ = forward_kinematics(body, q)
    at = [body.index(segment) for segment in IMUS.values()]
    c, s = np.cos(2.0), np.sin(2.0)
    yaw = np.array([(c, 0.0, s), (0.0, 1.0, 0.0), (-s, 0.0, c)])
    return Z_UP @ yaw @ R[:, at] @ random_rotation(rng, len(at)), yaw


def joints(body):
    """Coordinates of legs and trunk, which these sensors tell."""
    words = ("hip", "knee", "ankle", "thorax")
    return [k for k, name in enumerate(body.coordinates) if any(word in name for word in words)]


def test_sensors_that_lie_anyhow_tell_the_joints(tmp_path):
    """Without noise the joints are exact: forward is at right angles to the axis of the knees."""
    body = human36(1.8)
    q = motion(body)
    R, _ = sensors(body, q)
    write_sto(tmp_path / "a.sto", list(IMUS), R)
    rec = read_poses(tmp_path / "a.sto")
    assert rec.manifest["sensors"]
    found = reconstruct(body, rec)
    assert_allclose(
        found["q"][:, joints(body)], q[:, joints(body)], atol=1e-6
    )  # of a search to 1e-13 m, angles of 0.1 m
    assert found.manifest["reconstruct"]["doubts"] == []
    assert {"standing", "heading", "place"} <= found.manifest["taken"].keys()
    feet = [found[f"tags.{side}_{name}.y"] for side in "rl" for name in ("calcaneous_post", "digit2")]
    assert_allclose(
        np.min(feet, axis=0), 0.0, atol=0.03
    )  # the lower foot; its balls are lower than heel and toe by 3 cm


def test_a_heading_may_be_said_where_knees_do_not_bend(tmp_path):
    body = human36(1.8)
    q = motion(body)
    for side in ("right", "left"):
        q[:, body.coordinates.index(f"{side}_knee_extension")] = 0.0
    R, yaw = sensors(body, q)
    # the pelvis sensor as OpenSense's examples have it: its z axis points forward
    R[:, 0] = (
        Z_UP
        @ yaw
        @ forward_kinematics(body, q)[0][:, body.index("lower_trunk")]
        @ np.array([(0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)])
    )
    write_sto(tmp_path / "a.sto", list(IMUS), R)
    rec = read_poses(tmp_path / "a.sto")
    with pytest.raises(InputError, match=r"looks to must be known.*heading="):
        pose_markers(body, rec)
    figure, markers, _ = pose_markers(body, rec, heading="pelvis_imu:z")
    found = reconstruct(figure, markers)
    assert_allclose(found["q"][:, joints(body)], q[:, joints(body)], atol=1e-6)
    for wrong, words in (("torso:z", "must name a sensor"), ("pelvis_imu:x", "must be level")):
        with pytest.raises(InputError, match=words):
            pose_markers(body, rec, heading=wrong)


def test_a_static_trial_tells_how_sensors_lie(tmp_path):
    """The trial begins in the middle of the motion; a file of standing still is given."""
    body = human36(1.8)
    q = motion(body)
    R, _ = sensors(body, q)
    write_sto(tmp_path / "moving.sto", list(IMUS), R[12:])
    write_sto(tmp_path / "static.sto", list(IMUS), R[:6])
    moving, static = (read_poses(tmp_path / name) for name in ("moving.sto", "static.sto"))
    figure, markers, assumed = pose_markers(body, moving, static=static)
    assert assumed["standing"][1] == "static.sto"
    assert_allclose(reconstruct(figure, markers)["q"][:, joints(body)], q[12:, joints(body)], atol=1e-6)
    with pytest.raises(InputError, match=r"must stand still.*--static"):
        pose_markers(body, moving)


def test_messy_sensors(tmp_path):
    """A sensor that is lost for a while is not measured then; one of no segment is told; rounded numbers are taken."""
    body = human36(1.8)
    q = motion(body)
    R, _ = sensors(body, q)
    names = [*IMUS, "camera_imu"]
    write_sto(tmp_path / "a.sto", names, np.concatenate([R, R[:, :1]], axis=1))
    lines = (tmp_path / "a.sto").read_text("utf-8").splitlines()
    shank = names.index("tibia_l_imu") + 1
    for k in range(20, 24):
        cells = lines[6 + k].split("\t")
        cells[shank] = "0,0,0,0" if k % 2 else "nan,nan,nan,nan"
        lines[6 + k] = "\t".join(cells)
    (tmp_path / "a.sto").write_text("\n".join(lines), "utf-8")
    rec = read_poses(tmp_path / "a.sto")
    assert "4 orientations" in rec.manifest["notes"][0]
    found = reconstruct(body, rec)
    assert found.manifest["taken"]["left out"][0] == "camera_imu"
    k = body.coordinates.index("left_knee_extension")
    seen = np.r_[0:20, 24:40]
    assert_allclose(found["q"][seen, k], q[seen, k], atol=1e-6)
    (tmp_path / "b.sto").write_text("\n".join([*lines[:8], "0.3\t1,0,0"]), "utf-8")
    with pytest.raises(InputError, match=r"b.sto:9: a line must have a quaternion for each sensor"):
        read_poses(tmp_path / "b.sto")


def theia_file(path, body, q, hide=None):
    """Write a file as Theia3D does: no points, the group ROTATION, millimetres, z up; x right and y forward."""
    R, p = forward_kinematics(body, q)
    at = [body.index(segment) for segment in THEIA.values()]
    axes = np.array([(0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)])  # y forward, z up, x right → x, y, z
    M = np.zeros((len(q), len(at) + 1, 4, 4))
    M[:, 1:, :3, :3] = Z_UP @ R[:, at] @ axes
    M[:, 1:, :3, 3] = 1000.0 * p[:, at] @ Z_UP.T
    M[:, 0] = np.eye(4)
    M[..., 3, 3] = 1.0
    if hide is not None:
        M[hide] = np.nan
    block = np.zeros((*M.shape[:2], 17), "<f4")
    block[..., :16] = M.swapaxes(-1, -2).reshape(*M.shape[:2], 16)
    labels = [f"{name}_4X4" for name in ("worldbody", *THEIA)]

    def groups(start):
        return {
            "POINT": {"USED": 0, "RATE": 50.0, "FRAMES": len(q), "UNITS": "mm", "DATA_START": start},
            "ROTATION": {"USED": len(labels), "RATE": 50.0, "RATIO": 1, "DATA_START": start, "LABELS": labels},
        }

    start = 2 + len(encode_parameters(groups(0), "test")) // 512
    head = np.zeros(256, "<u2")
    head[:5], head[8] = (2 + 80 * 256, 0, 0, 1, len(q)), start
    path.write_bytes(head.tobytes() + encode_parameters(groups(start), "test") + block.tobytes())


def test_poses_of_theia_tell_postures_and_lengths(tmp_path):
    """Another body than the one that is fitted: its lengths are those between origins, to rounding in 32 bits."""
    body = human36(1.65, lengths={"L5": 0.36, "L15": 0.36})
    q = motion(body)
    theia_file(tmp_path / "t.c3d", body, q, hide=(slice(10, 12), slice(None)))
    rec = read_poses(tmp_path / "t.c3d")
    figure, markers, assumed = pose_markers(human36(), rec)
    for name in ("L3", "L5", "L6", "L13", "L24"):
        assert figure.lengths[name] == pytest.approx(body.lengths[name], abs=1e-6)
    assert "lengths" in assumed
    found = reconstruct(figure, markers)
    k = [
        body.coordinates.index(f"{side}_{name}")
        for side in ("right", "left")
        for name in ("hip_flexion", "knee_extension")
    ]
    seen = np.r_[0:10, 12:40]
    # 32 bits of a metre in mm are 1e-7 m; trunk and shoulders of another height bend no knee by more than their error
    bound = 2 * np.nanmax(found["error"]) / 0.1 + 1e-5
    assert np.abs(found["q"][seen][:, k] - q[seen][:, k]).max() < bound
    assert (np.asarray(found["status"])[10:12] == 2).all()  # nothing was measured


@pytest.mark.slow
def test_the_command_takes_files_of_poses(tmp_path):
    body = human36(1.8)
    R, _ = sensors(body, motion(body))
    write_sto(tmp_path / "imu.sto", list(IMUS), R)
    theia_file(tmp_path / "video.c3d", body, motion(body))
    for name in ("imu.sto", "video.c3d"):
        trial = MarkerTrial(str(tmp_path / name), str(tmp_path / "out" / name[:3]), "k", TrialOptions(report=False))
        found = run_trial(trial, lambda part: None)
        assert found["status"] == "done", found


@pytest.mark.parametrize(("name", "content", "words"), [
("a.npz", b"PK\x03\x04", "AMASS"),
    ("a.b3d", b"\x00\x01", "AddBiomechanics"), ("a.mvnx", b"<?xml?><mvnx>", "Export C3D"),
    ("a.csv", b"Test Name:,x\nSample Rate:,128\n", "OpenSense"),
])  # fmt: skip
def test_what_cannot_be_used_says_what_to_do(tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=f"must.*{words}"):
        read_poses(tmp_path / name)


def test_names_of_segments():
    body = human36()
    names = ("pelvis", "Pelvis_IMU", "RightUpperLeg", "l_larm_4X4", "humerus_r_imu", "right_thigh", "toes_r", "head")
    found = segments_of_names(names, body)
    assert found == {"pelvis": "lower_trunk", "RightUpperLeg": "right_thigh", "l_larm_4X4": "left_forearm",
                     "humerus_r_imu": "right_upper_arm", "head": "head"}  # fmt: skip


def amass_file(path, body, q):
    """Rotations of SMPL's joints of a motion of Human36, z up: each turns its segment from the posture at rest."""
    R, p = forward_kinematics(body, q)
    known = {k: Z_UP @ R[:, body.index(_AMASS_NAMES.get(name, name))] @ _rest(name).T for name, k in _SEGMENTS.items()}
    world = [known[0]]
    vectors = [log_rotation(known[0])]
    for k in range(1, len(_PARENTS)):
        world.append(known.get(k, world[_PARENTS[k]]))
        vectors.append(log_rotation(world[_PARENTS[k]].swapaxes(-1, -2) @ world[k]))
    poses = np.concatenate([*vectors, np.zeros((len(q), 90))], axis=1)
    trans = p[:, body.index("lower_trunk")] @ Z_UP.T + np.array([0.01, -0.02, 0.23])
    np.savez(path, poses=poses, trans=trans, mocap_framerate=60.0, betas=np.zeros(16))


def test_motions_of_amass(tmp_path):
    """Arms that hang from the T of SMPL's rest: all joints but the collars, which SMPL's segments do not tell apart."""
    body = human36(1.8)
    q = motion(body)
    for name, value in (("right_shoulder_flexion", 0.5), ("left_shoulder_abduction", 0.4), ("right_elbow_flexion", 0.7),
                        ("left_forearm_supination", -0.6), ("head_left_rotation", 0.3)):  # fmt: skip
        q[:, body.coordinates.index(name)] = value
    amass_file(tmp_path / "m.npz", body, q)
    found = reconstruct(body, read_poses(tmp_path / "m.npz"))
    words = ("hip", "knee", "ankle", "thorax", "head", "elbow", "forearm", "wrist")
    k = [n for n, name in enumerate(body.coordinates) if any(word in name for word in words)]
    assert_allclose(found["q"][:, k], q[:, k], atol=1e-6)
    assert found.manifest["reconstruct"]["rms"] < 1e-8
    np.savez(tmp_path / "n.npz", poses=np.zeros((3, 10)), trans=np.zeros((3, 3)), mocap_framerate=60.0)
    with pytest.raises(InputError, match="must be whole"):
        read_poses(tmp_path / "n.npz")
    np.savez(tmp_path / "o.npz", a=np.zeros(3))
    with pytest.raises(InputError, match=r"must be of AMASS.*mocap_framerate"):
        read_poses(tmp_path / "o.npz")


def test_joints_of_a_skeleton_are_keypoints(tmp_path):
    """BVH in centimetres of a body with its own lengths: each keypoint is the joint that it is named after."""
    body = human36(1.65)
    q = motion(body)
    write_bvh(body, q, tmp_path / "a.bvh", rate=10.0)
    rec = skeleton_markers(tmp_path / "a.bvh")
    names = rec.manifest["labels"]["marker"]
    _, p = forward_kinematics(body, q)
    pairs = {"RHip": "right_thigh", "LKnee": "left_shank", "RAnkle": "right_foot", "LShoulder": "left_upper_arm",
             "RElbow": "right_forearm", "LWrist": "left_hand"}  # fmt: skip
    for keypoint, segment in pairs.items():
        # a BVH file has six digits
        assert_allclose(rec["markers"][:, names.index(keypoint)], p[:, body.index(segment)], atol=1e-4)
    assert _keypoints(["Hips", "LHipJoint", "LeftUpLeg", "LeftShoulder", "LeftArm", "Spine1"]) == {
        "LHip": 2, "LShoulder": 4, "MidHip": 0,
    }  # fmt: skip
    assert _keypoints(["mixamorig:RightForeArm", "lfoot"]) == {"RElbow": 0, "LAnkle": 1}
    text = (tmp_path / "a.bvh").read_text("utf-8")
    (tmp_path / "b.bvh").write_text(text.replace("left_shank", "left_thing"), "utf-8")
    with pytest.raises(InputError, match="must have hips, knees and ankles"):
        skeleton_markers(tmp_path / "b.bvh")


@pytest.mark.parametrize("kind", ["matrix", "quaternion"])
def test_files_of_mtw(tmp_path, kind):
    """A file for each sensor, that of the pelvis with packets lost, the counter beginning again, one of no segment."""
    body = human36(1.8)
    q = motion(body)
    R, _ = sensors(body, q)
    ids = [f"00B4{k:04X}" for k in range(len(IMUS))]
    lost = [7, 21, 22]
    for k, name in enumerate(ids):
        if kind == "matrix":
            heads = [f"Mat[{r}][{c}]" for c in (1, 2, 3) for r in (1, 2, 3)]  # by columns, as MT Manager has them
            rows = R[:, k].swapaxes(-1, -2).reshape(len(q), 9)
        else:
            heads, rows = [f"Quat_q{n}" for n in range(4)], quaternion_from_rotation(R[:, k])
        lines = ["// Start Time: Unknown", "// Update Rate: 10.0Hz", "\t".join(["PacketCounter", "Acc_X", *heads])]
        for n, row in enumerate(rows):
            if k or n not in lost:
                lines.append("\t".join([f"{(65530 + n) % 65536:05d}", "", *map(repr, map(float, row))]))
        (tmp_path / f"MT_1-000_{name}.txt").write_text("\n".join(lines) + "\n", "utf-8")
    first = tmp_path / f"MT_1-000_{ids[0]}.txt"
    with pytest.raises(InputError, match=r"must be named after segments.*sensors.csv"):
        read_poses(first)
    pairs = zip(ids[:-1], IMUS, strict=False)
    (tmp_path / "sensors.csv").write_text("sensor,segment\n" + "\n".join(f"{a},{b}" for a, b in pairs), "utf-8")
    rec = read_poses(first)
    assert rec.manifest["labels"]["segment"] == list(IMUS)[:-1]
    assert ids[-1] in rec.manifest["notes"][0]
    gaps = np.flatnonzero(~np.isfinite(rec["segment.rotation"][:, 0, 0, 0]))
    assert gaps.tolist() == lost
    kept = np.setdiff1d(np.arange(len(q)), lost)
    turned = Z_UP.T @ R[:, :-1]  # y up
    assert_allclose(rec["segment.rotation"][kept], turned[kept], atol=1e-12)
    found = reconstruct(body, rec)
    k = body.coordinates.index("right_knee_extension")
    assert_allclose(found["q"][kept, k], q[kept, k], atol=1e-6)
    key = trial_key(first, TrialOptions())
    (tmp_path / "sensors.csv").write_text(f"{ids[0]},pelvis\n{ids[1]},head\n", "utf-8")
    assert trial_key(first, TrialOptions()) != key  # results depend on all files of the recording
