"""Changed files of poses end in a recording or in an error of ours."""

import json
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motiform.base.errors import MotiformError
from motiform.measure import read_markers, read_poses
from motiform.measure.markers.c3d.encode import encode_parameters

STO = "DataRate=10\nDataType=Quaternion\nendheader\ntime\tpelvis_imu\ttorso_imu\n" + "".join(
    f"{k / 10}\t1,0,0,0\t0,1,0,0\n" for k in range(4)
)
PERSON = {"pose_keypoints_2d": [], "pose_keypoints_3d": np.linspace(0.1, 1.7, 100).round(3).tolist()}


def theia():
    labels = ["pelvis_4X4", "r_thigh_4X4"]
    groups = {
        "POINT": {"USED": 0, "RATE": 50.0, "FRAMES": 3, "UNITS": "mm", "DATA_START": 3},
        "ROTATION": {"USED": 2, "RATE": 50.0, "RATIO": 1, "DATA_START": 3, "LABELS": labels},
    }
    parameters = encode_parameters(groups, "test")
    head = np.zeros(256, "<u2")
    head[:5], head[8] = (2 + 80 * 256, 0, 0, 1, 3), 2 + len(parameters) // 512
    block = np.zeros((3, 2, 17), "<f4")
    block[..., :16] = np.eye(4).ravel()
    return head.tobytes() + parameters + block.tobytes()


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("poses")
    np.savez(folder / "m.npz", poses=np.zeros((3, 66)), trans=np.zeros((3, 3)), mocap_framerate=60.0)
    heads = "PacketCounter\tQuat_q0\tQuat_q1\tQuat_q2\tQuat_q3\n"
    mtw = f"// Update Rate: 10.0Hz\n{heads}00001\t1\t0\t0\t0\n00002\t1\t0\t0\t0\n"
    (folder / "sensors.csv").write_text("sensor,segment\n00B42279,pelvis\n", "utf-8")
    files = {
        "a.sto": STO.encode(), "t.c3d": theia(), "m.npz": (folder / "m.npz").read_bytes(),
        "MT_1_00B42279.txt": mtw.encode(), "v_000000000000_keypoints.json": json.dumps({"people": [PERSON]}).encode(),
    }  # fmt: skip
    for name, data in files.items():
        (folder / name).write_bytes(data)
        assert read(folder / name) is not None
    return folder, files


def read(path):
    if path.suffix == ".json":
        return read_markers(path, rate=30.0, format="openpose", units="m")
    return read_poses(path)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_changed_files(whole, data):
    folder, files = whole
    name = data.draw(st.sampled_from(sorted(files)))
    content = bytearray(files[name])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(content)))
    path = folder / "changed" / name
    path.parent.mkdir(exist_ok=True)
    (path.parent / "sensors.csv").write_bytes((folder / "sensors.csv").read_bytes())
    path.write_bytes(bytes(content[:cut] if data.draw(st.booleans()) else content))
    with suppress(MotiformError):
        read(path)
