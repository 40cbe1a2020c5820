"""Rigged meshes of other programs: read back, bound to a figure, and refused where they cannot be."""

import json

import numpy as np
import pygltflib
import pytest

import motiform as mf
from motiform.base.errors import InputError
from motiform.form import Looks, PointsLook, Rig, dress, read_rig
from motiform.image.export import export
from motiform.record import Channel, Recording
from motiform.spatial import exp_quaternion, rotate

CUFF = [(0, 0, 0), (0, 1, 0), (0, 2, 0), (0.1, 0, 0), (0.1, 1, 0), (0.1, 2, 0)]
FACES = [(0, 3, 1), (1, 3, 4), (1, 4, 2), (2, 4, 5)]
REST = {"upper": ((0, 0, 0), (1, 0, 0, 0)), "lower": ((0, 1, 0), (0.8, 0, 0.6, 0))}
WEIGHTS = {"upper": np.array([1, 0.5, 0, 1, 0.5, 0]), "lower": np.array([0, 0.5, 1, 0, 0.5, 1])}
TONES = np.array([(0.8, 0.2, 0.2), (0.8, 0.2, 0.2), (0.2, 0.6, 1.0), (0.2, 0.6, 1.0)])


@pytest.fixture(scope="module")
def rig():
    return Rig.bind(CUFF, FACES, REST, WEIGHTS, color=TONES)


@pytest.fixture(scope="module")
def bent():
    """An arm whose lower part turns about x."""
    turn = np.array([exp_quaternion(np.array([a, 0.0, 0.0])) for a in (0.0, 0.4, 0.9)])
    lower = mf.spatial.multiply_quaternions(turn, np.array(REST["lower"][1]))
    data = {
        "upper.position": np.zeros((3, 3)), "upper.orientation": np.tile([1.0, 0, 0, 0], (3, 1)),
        "lower.position": np.tile([0.0, 1, 0], (3, 1)), "lower.orientation": lower,
    }  # fmt: skip
    channels = {
        name: (Channel(name, unit="m" if "pos" in name else "", dims=("axis",), shape=v.shape[1:], rate=10.0), v)
        for name, v in data.items()
    }
    looks = Looks({"dot": PointsLook(points="upper.position", radius=0.01, color=(0.5, 0.5, 0.5))})
    return Recording.from_arrays(channels, manifest=looks.manifest(), statics=looks.statics())


@pytest.fixture(scope="module")
def file(rig, bent, tmp_path_factory):
    return export(dress(bent, skin=rig), tmp_path_factory.mktemp("rig") / "arm.glb")


def test_what_was_written_is_read_back(rig, bent, file):
    found = read_rig(file)
    assert set(found.segments) == {"upper", "lower"}
    assert np.allclose(found.color[np.lexsort(found.color.T)], TONES[np.lexsort(TONES.T)], atol=1 / 255)
    moved, own = (dress(bent, skin=one).skins[0] for one in (found, rig))
    assert np.abs(moved.vertices[2] - own.vertices[2]).max() < 1e-6  # 24 bits of numbers up to 2 m
    assert sorted(map(tuple, np.sort(found.faces, axis=1))) == sorted(map(tuple, np.sort(FACES, axis=1)))


def test_joints_by_other_names_and_a_rest_of_ones_own(rig, bent, file):
    gltf = pygltflib.GLTF2().load(file)
    joints = gltf.skins[0].joints
    for k, name in zip(joints, ("Bone.Arm", "Bone.Hand"), strict=True):
        gltf.nodes[k].name = name
    renamed = file.with_name("renamed.gltf")
    gltf.convert_buffers(pygltflib.BufferFormat.DATAURI)
    gltf.save_json(renamed)
    order = dict(zip(("Bone.Arm", "Bone.Hand"), read_order(file), strict=True))
    own = dress(bent, skin=rig).skins[0].vertices[1]
    assert np.abs(dress(bent, skin=read_rig(renamed, segments=order)).skins[0].vertices[1] - own).max() < 1e-6
    given = read_rig(renamed, segments=order, rest=REST)
    assert np.abs(dress(bent, skin=given).skins[0].vertices[1] - own).max() < 1e-6
    with pytest.raises(InputError, match="no such joint"):
        read_rig(renamed, segments={"Bone.Leg": "lower"})
    with pytest.raises(InputError, match="each vertex must move with a segment"):
        read_rig(renamed, segments={"Bone.Hand": order["Bone.Hand"]})


def read_order(file):
    gltf = pygltflib.GLTF2().load(file)
    return [gltf.nodes[k].name for k in gltf.skins[0].joints]


def test_joints_without_a_segment_go_with_the_one_above(file):
    gltf = pygltflib.GLTF2().load(file)
    arm, hand = (next(k for k in gltf.skins[0].joints if gltf.nodes[k].name == name) for name in ("upper", "lower"))
    for node in gltf.nodes:
        node.children = [k for k in node.children or () if k != hand]
    gltf.nodes[arm].children = [hand]
    chained = file.with_name("chained.glb")
    gltf.save(chained)
    found = read_rig(chained, segments={"upper": "trunk"})
    assert found.segments == ("trunk",)
    assert (found.weight[:, 0] == 1).all()


def test_another_up(file, rig):
    found = read_rig(file, up="z")
    k = found.segments.index("lower")
    assert found.position[k] == pytest.approx((0, 0, 1), abs=1e-7)
    # y of the file is z of the world, and z is −y.
    x, y, z = rotate(np.array(REST["lower"][1]), np.array([0.0, 0.0, 1.0]))
    assert rotate(found.orientation[k], np.array([0.0, 0.0, 1.0])) == pytest.approx((x, -z, y), abs=1e-6)


def test_files_that_are_refused(file, tmp_path):
    bad = tmp_path / "a.glb"
    for data, text in ((b"nonsense", "must be glTF"), (b'{"nodes": []}', "no skinned mesh"), (b"glTF", "must be glTF")):
        bad.write_bytes(data)
        with pytest.raises(InputError, match=text):
            read_rig(bad)
    with pytest.raises(InputError, match="cannot read the file"):
        read_rig(tmp_path / "absent.glb")
    data = file.read_bytes()
    size = int.from_bytes(data[12:16], "little")
    (tmp_path / "plain.gltf").write_bytes(data[20 : 20 + size])
    with pytest.raises(InputError, match="must be whole"):
        read_rig(tmp_path / "plain.gltf")
    text = json.loads(data[20 : 20 + size])
    text["accessors"][0].pop("bufferView")
    (tmp_path / "sparse.gltf").write_text(json.dumps(text))
    with pytest.raises(InputError, match=r"sparse and compressed|must be whole"):
        read_rig(tmp_path / "sparse.gltf")


def test_files_changed_at_random_are_read_or_refused(file, tmp_path):
    data, draw = file.read_bytes(), np.random.default_rng(7)
    size = int.from_bytes(data[12:16], "little")
    bad, read = tmp_path / "a.glb", 0
    for _ in range(150):
        text = bytearray(data[20 : 20 + size])
        for at in draw.integers(0, size, draw.integers(1, 4)):
            text[at] = draw.choice(list(b'0123456789-{}[],":aJTW '))
        bad.write_bytes(data[:20] + bytes(text) + data[20 + size :])
        try:
            read_rig(bad)
            read += 1
        except InputError:
            pass
    assert 0 < read < 150
