"""Rigged meshes of any size, posture and direction, brought to a figure; files as other programs write them."""

import io
import json
from copy import deepcopy

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.form import Looks, RestSegment, dress, looks_of, read_rig
from motiform.form.rig.fit import fit_mesh
from motiform.form.rig.rig import Rig
from motiform.image.export import export
from motiform.motion.figures import human36
from motiform.record import Channel, Recording
from motiform.spatial import rotation_about

STILL = (1.0, 0.0, 0.0, 0.0)
BONES = {  # a trunk that carries two arms of two segments, at rest
    "trunk": RestSegment(parts=(), at=(0, 1, 0), turn=STILL),
    "upper": RestSegment(parts=(), at=(0, 1.5, 0.2), turn=STILL, parent="trunk"),
    "lower": RestSegment(parts=(), at=(0, 1.2, 0.2), turn=STILL, parent="upper"),
    "tip": RestSegment(parts=(), at=(0.2, 1.0, 0.2), turn=STILL, parent="lower"),
    "other": RestSegment(parts=(), at=(0, 1.5, -0.2), turn=STILL, parent="trunk"),
}
SPREAD = {  # the same, the arm straight aside and with other lengths
    "trunk": (0, 1, 0), "upper": (0, 1.5, 0.2), "lower": (0, 1.5, 0.6), "tip": (0, 1.5, 0.8), "other": (0, 1.5, -0.2),
}  # fmt: skip


def test_bones_of_other_lengths_and_directions_end_at_the_figures_joints():
    joints = {name: np.array(at, float) for name, at in SPREAD.items()}
    on_bones = np.array([joints["upper"], joints["lower"], joints["tip"], 0.5 * (joints["lower"] + joints["tip"])])
    owner = ["upper", "upper", "lower", "lower"]
    weights = np.array([[float(one == name) for name in joints] for one in owner])
    moved, frames = fit_mesh(on_bones, weights, joints, Looks(bones=BONES), "here")
    ends = [np.array(BONES[name].at) for name in ("upper", "lower", "tip")]
    assert np.abs(moved - [*ends, 0.5 * (ends[1] + ends[2])]).max() < 1e-5  # rotations are held by 1e-6
    assert frames["tip"] == (BONES["tip"].at, BONES["tip"].turn)
    # Across the bone nothing is stretched but as the whole: by the ratio of all lengths.
    lengths = {"figure": 2 * np.hypot(0.5, 0.2) + 0.3 + np.hypot(0.2, 0.2), "mesh": 2 * np.hypot(0.5, 0.2) + 0.4 + 0.2}
    beside = fit_mesh(joints["upper"] + [[0.1, 0.0, 0.1]], weights[:1], joints, Looks(bones=BONES), "here")[0][0]
    across = np.linalg.norm(np.cross(beside - ends[0], [0.0, -1.0, 0.0]))
    assert across == pytest.approx(0.1 * lengths["figure"] / lengths["mesh"], rel=1e-5)


def test_a_fit_that_is_left_open_is_refused():
    line = {name: np.array(BONES[name].at, float) for name in ("trunk", "upper")}
    with pytest.raises(InputError, match="three joints that are not on a line"):
        fit_mesh(np.zeros((1, 3)), np.ones((1, 2)), line, Looks(bones=BONES), "here")
    with pytest.raises(InputError, match="no such segment"):
        fit_mesh(np.zeros((1, 3)), np.ones((1, 1)), {"leg": np.zeros(3)}, Looks(bones=BONES), "here")
    with pytest.raises(InputError, match="not both"):
        read_rig("a.glb", figure=Looks(bones=BONES), rest={})


@pytest.fixture(scope="module")
def man():
    return human36()


@pytest.fixture(scope="module")
def plain(man, tmp_path_factory):
    """A file of a few triangles on each segment of a human, the structure of it, and its rig."""
    bones = {name: bone for name, bone in looks_of(man).bones.items() if bone.parts}
    rest = {name: (bone.at, bone.turn) for name, bone in bones.items()}
    draw = np.random.default_rng(3)
    points = np.concatenate([np.array(bone.at) + draw.normal(0.0, 0.05, (6, 3)) for bone in bones.values()])
    weights = {name: np.repeat([float(name == one) for one in bones], 6) for name in bones}
    rig = Rig.bind(points, np.arange(len(points)).reshape(-1, 3), rest, weights)
    data = {}
    for name, (at, turn) in rest.items():
        for word, value in (("position", at), ("orientation", turn)):
            there = Channel(
                f"{name}.{word}", unit="m" if word == "position" else "", dims=("axis",), shape=(len(value),), rate=1.0
            )
            data[there.name] = there, np.array([value])
    looks = looks_of(man)
    rec = Recording.from_arrays(data, manifest=looks.manifest(), statics=looks.statics())
    path = export(dress(rec, skin=rig), tmp_path_factory.mktemp("fit") / "man.glb")
    raw = path.read_bytes()
    size = int.from_bytes(raw[12:16], "little")
    return rig, json.loads(raw[20 : 20 + size]), raw[20 + size + 8 :], rec


def write(path, text, binary):
    """Write a .glb file."""
    words = json.dumps(text).encode()
    words += b" " * (-len(words) % 4)
    binary += b"\0" * (-len(binary) % 4)
    whole = 28 + len(words) + len(binary)
    head = b"glTF" + (2).to_bytes(4, "little") + whole.to_bytes(4, "little")
    chunks = [len(words).to_bytes(4, "little") + b"JSON" + words, len(binary).to_bytes(4, "little") + b"BIN\0" + binary]
    path.write_bytes(head + b"".join(chunks))
    return path


def test_a_file_in_centimetres_turned_about_is_as_the_one_in_metres(man, plain, tmp_path):
    rig, text, binary, _ = plain
    changed = deepcopy(text)
    roots = changed["scenes"][0]["nodes"]
    turn = rotation_about("y", np.pi / 2) @ rotation_about("x", -np.pi / 2)
    matrix = np.eye(4)
    matrix[:3, :3] = 0.01 * turn
    changed["nodes"].append({"name": "Armature", "matrix": matrix.T.ravel().tolist(), "children": roots})
    changed["scenes"][0]["nodes"] = [len(changed["nodes"]) - 1]
    found = read_rig(write(tmp_path / "cm.glb", changed, binary), figure=man)
    assert set(found.segments) == set(rig.segments)
    for name in rig.segments:
        own, there = (one.vertices[one.joint[:, 0] == one.segments.index(name)] for one in (rig, found))
        assert np.linalg.norm(own[:, None] - there[None], axis=2).min(axis=1).max() < 1e-5  # rotations are held by 1e-6


def test_two_skins_and_a_mesh_that_hangs_from_a_joint(plain, tmp_path):
    _, text, binary, _ = plain
    first = read_rig(write(tmp_path / "one.glb", text, binary))
    changed = deepcopy(text)
    worn = next(k for k, node in enumerate(changed["nodes"]) if "skin" in node)
    changed["skins"].append(dict(changed["skins"][0]))
    changed["nodes"].append({"mesh": changed["nodes"][worn]["mesh"], "skin": 1})
    joint = changed["skins"][0]["joints"][0]
    bare = deepcopy(changed["meshes"][changed["nodes"][worn]["mesh"]])
    for one in bare["primitives"]:
        one["attributes"] = {"POSITION": one["attributes"]["POSITION"]}
    changed["meshes"].append(bare)
    changed["nodes"].append({"mesh": len(changed["meshes"]) - 1, "translation": [0, 2, 0]})
    changed["nodes"][joint].setdefault("children", []).append(len(changed["nodes"]) - 1)
    found = read_rig(write(tmp_path / "three.glb", changed, binary))
    count = len(first.vertices)
    assert len(found.vertices) == 3 * count
    assert np.abs(found.vertices[:count] - found.vertices[count : 2 * count]).max() < 1e-6
    k = found.segments.index(changed["nodes"][joint]["name"])
    assert (found.joint[2 * count :, 0] == k).all()
    assert (found.weight[2 * count :, 0] == 1.0).all()


def test_colors_of_a_picture(plain, tmp_path):
    from PIL import Image

    _, text, binary, _ = plain
    changed = deepcopy(text)
    picture = io.BytesIO()
    Image.fromarray(np.array([[[200, 40, 40], [40, 60, 220]]], np.uint8)).save(picture, "PNG")
    where = len(binary)
    [one, *_] = changed["meshes"][next(n["mesh"] for n in changed["nodes"] if "skin" in n)]["primitives"]
    count = changed["accessors"][one["attributes"]["POSITION"]]["count"]
    places = np.zeros((count, 2), "<f4")
    places[:, 0] = np.where(np.arange(count) < count // 6 * 3, 0.25, 1.75)  # left pixel, then right, wrapped around
    views = changed["bufferViews"]
    views += [
        {"buffer": 0, "byteOffset": where, "byteLength": places.nbytes},
        {"buffer": 0, "byteOffset": where + places.nbytes, "byteLength": len(picture.getvalue())},
    ]
    changed["accessors"].append({"bufferView": len(views) - 2, "componentType": 5126, "count": count, "type": "VEC2"})
    one["attributes"]["TEXCOORD_0"] = len(changed["accessors"]) - 1
    changed["images"] = [{"bufferView": len(views) - 1, "mimeType": "image/png"}]
    changed["textures"] = [{"source": 0}]
    changed["materials"] = [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]
    one["material"] = 0
    changed["meshes"][0]["primitives"] = [one]
    path = write(tmp_path / "painted.glb", changed, binary + places.tobytes() + picture.getvalue())
    tones = np.unique(np.round(255 * read_rig(path).color), axis=0)
    assert tones.tolist() == [[40, 60, 220], [200, 40, 40]]
    others = [io.BytesIO(), io.BytesIO()]
    for kind, file in zip(("BMP", "EPS"), others, strict=True):  # Pillow gives PostScript to another program
        Image.new("RGB", (2, 1)).save(file, kind)
    for data in (b"no picture" + bytes(200), *(file.getvalue() for file in others)):
        views[-1]["byteLength"] = len(data)
        write(tmp_path / "bad.glb", changed, binary + places.tobytes() + data)
        with pytest.raises(InputError, match="a picture of the file cannot be read"):
            read_rig(tmp_path / "bad.glb")


def test_segments_between_those_of_a_rig_are_covered(man, plain):
    *_, rec = plain
    few = {name: bone for name, bone in looks_of(man).bones.items() if "shoulder" not in name}
    rest = {name: (bone.at, bone.turn) for name, bone in few.items()}
    weights = {name: [float(k == 0)] * 3 for k, name in enumerate(few)}
    rig = Rig.bind([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)], rest, weights)
    assert not dress(rec, skin=rig).parts
    hat = Rig.bind([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)], rest, {"head": [1, 1, 1]})
    assert any("shoulder" in part.name for part in dress(rec, skin=hat).parts)


def test_a_compressed_file_is_refused(plain, tmp_path):
    _, text, binary, _ = plain
    packed = write(tmp_path / "a.glb", {**text, "extensionsRequired": ["KHR_draco_mesh_compression"]}, binary)
    with pytest.raises(InputError, match="compressed meshes are not read"):
        read_rig(packed)
