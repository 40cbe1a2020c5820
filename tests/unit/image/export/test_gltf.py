"""glTF: read back by pygltflib and trimesh, and checked against the rules of the glTF 2.0 specification."""

import base64
import json
import struct
from dataclasses import replace

import numpy as np
import pygltflib
import pytest
import trimesh

from motiform.base.errors import InputError
from motiform.form import Form, Part, Skin, stand_upright
from motiform.geometry import Ball, Box, Mesh
from motiform.image.export import export
from motiform.image.path import camera_of
from motiform.spatial import exp_quaternion, multiply_quaternions, rotation_from_quaternion, upright

TYPES = {5120: np.int8, 5121: np.uint8, 5122: np.int16, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
WIDTH = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
SINGLE = float(np.finfo(np.float32).eps)


def written(form, tmp_path, suffix="glb", **options):
    path = export(form, tmp_path / f"a.{suffix}", **options)
    gltf = pygltflib.GLTF2().load(path)
    if suffix == "gltf":
        blob = base64.b64decode(gltf.buffers[0].uri.split(",", 1)[1])
    else:
        blob = gltf.binary_blob()
    return gltf, blob


def values(gltf, blob, index):
    accessor = gltf.accessors[index]
    view = gltf.bufferViews[accessor.bufferView]
    dtype, width = np.dtype(TYPES[accessor.componentType]), WIDTH[accessor.type]
    start = (view.byteOffset or 0) + (accessor.byteOffset or 0)
    flat = np.frombuffer(blob, dtype.newbyteorder("<"), accessor.count * width, start)
    return flat.reshape(accessor.count, width) if width > 1 else flat


def tracks(gltf, blob):
    """Return {(node name, path): (times, values)} of the only animation."""
    [animation] = gltf.animations
    found = {}
    for channel in animation.channels:
        sampler = animation.samplers[channel.sampler]
        assert sampler.interpolation == "LINEAR"
        times, track = values(gltf, blob, sampler.input), values(gltf, blob, sampler.output)
        found[gltf.nodes[channel.target.node].name, channel.target.path] = times, track
    assert len(found) == len(animation.channels)  # the specification: no property is animated twice
    return found


def check_rules(gltf, blob):
    """Check alignment, lengths, targets, bounds and indices as the glTF 2.0 specification (3.6 to 3.11) asks."""
    assert gltf.asset.version == "2.0"
    assert gltf.buffers[0].byteLength <= len(blob) <= gltf.buffers[0].byteLength + 3
    for view in gltf.bufferViews:
        assert view.byteLength >= 1
        assert view.byteOffset + view.byteLength <= gltf.buffers[0].byteLength
        assert view.byteStride is None
    for k, accessor in enumerate(gltf.accessors):
        view, size = gltf.bufferViews[accessor.bufferView], np.dtype(TYPES[accessor.componentType]).itemsize
        offset = accessor.byteOffset or 0
        assert ((view.byteOffset or 0) + offset) % size == 0
        assert offset % size == 0
        assert offset + accessor.count * size * WIDTH[accessor.type] <= view.byteLength
        data = values(gltf, blob, k).astype(float)
        assert np.isfinite(data).all()
        if accessor.min:
            np.testing.assert_array_equal(np.atleast_1d(data.min(axis=0)), accessor.min)
            np.testing.assert_array_equal(np.atleast_1d(data.max(axis=0)), accessor.max)
    for primitive in (primitive for mesh in gltf.meshes for primitive in mesh.primitives):
        position, normal = gltf.accessors[primitive.attributes.POSITION], gltf.accessors[primitive.attributes.NORMAL]
        corners = gltf.accessors[primitive.indices]
        assert (position.componentType, position.type, normal.componentType, normal.type) == (
            5126,
            "VEC3",
            5126,
            "VEC3",
        )
        assert position.min
        assert position.count == normal.count
        for target in primitive.targets or []:
            moved = [gltf.accessors[target[key]] for key in ("POSITION", "NORMAL")]
            assert [(one.componentType, one.type, one.count) for one in moved] == [(5126, "VEC3", position.count)] * 2
            assert moved[0].min
        assert (corners.componentType, corners.type) in [(5123, "SCALAR"), (5125, "SCALAR")]
        assert corners.count % 3 == 0
        assert gltf.bufferViews[position.bufferView].target == 34962
        assert gltf.bufferViews[corners.bufferView].target == 34963
        assert values(gltf, blob, primitive.indices).max() < min(
            position.count, {5123: 65535, 5125: 2**32 - 1}[corners.componentType]
        )
        length = np.linalg.norm(values(gltf, blob, primitive.attributes.NORMAL), axis=1)
        np.testing.assert_allclose(length, 1, atol=4 * SINGLE)
    children = [child for node in gltf.nodes for child in node.children or []] + gltf.scenes[0].nodes
    assert sorted(children) == list(range(len(gltf.nodes)))  # a forest: every node once
    for animation in gltf.animations or []:
        for channel in animation.channels:
            sampler, node = animation.samplers[channel.sampler], gltf.nodes[channel.target.node]
            each = len(gltf.meshes[node.mesh].weights) if channel.target.path == "weights" else 1
            times, out = gltf.accessors[sampler.input], gltf.accessors[sampler.output]
            assert (times.componentType, times.type, out.componentType) == (5126, "SCALAR", 5126)
            assert times.min
            assert times.count * each == out.count
            seconds = values(gltf, blob, sampler.input)
            assert seconds[0] == 0
            assert (np.diff(seconds) > 0).all()
            assert gltf.bufferViews[times.bufferView].target is None


@pytest.mark.parametrize("suffix", ["glb", "gltf"])
def test_every_shape_obeys_the_specification_and_keeps_its_triangles(form, tmp_path, suffix):
    gltf, blob = written(form, tmp_path, suffix)
    check_rules(gltf, blob)
    [part], [mesh] = form.parts, gltf.meshes
    vertices = values(gltf, blob, mesh.primitives[0].attributes.POSITION)
    faces = values(gltf, blob, mesh.primitives[0].indices).reshape(-1, 3)
    own = part.shape.to_mesh()
    np.testing.assert_array_equal(vertices[faces], (own.vertices + part.offset).astype(np.float32)[own.faces])
    # Normals look outward: along the triangle's own, within the crease and the spread of a coarse mesh.
    normals = values(gltf, blob, mesh.primitives[0].attributes.NORMAL)[faces]
    edges = np.diff(own.vertices[own.faces], axis=1)
    flat = np.cross(edges[:, 0], edges[:, 1])
    flat /= np.linalg.norm(flat, axis=1, keepdims=True)
    assert (np.einsum("fkd,fd->fk", normals, flat) > np.cos(np.deg2rad(45))).all()


def test_poses_are_those_of_the_form_in_the_order_of_gltf(form, tmp_path):
    gltf, blob = written(form, tmp_path)
    [part], found = form.parts, tracks(gltf, blob)
    times, position = found["body", "translation"]
    np.testing.assert_allclose(times, form.times, rtol=SINGLE)
    np.testing.assert_allclose(position, part.position[:, 0], rtol=SINGLE, atol=1e-30)
    _, xyzw = found["body", "rotation"]
    turn = rotation_from_quaternion(xyzw[:, [3, 0, 1, 2]].astype(float))
    # each entry of R is a sum of at most three products of rounded components: a few single-precision roundings
    np.testing.assert_allclose(turn, rotation_from_quaternion(part.orientation[:, 0]), atol=8 * SINGLE)
    assert (np.sum(xyzw[1:] * xyzw[:-1], axis=1) > 0).all()  # no reader turns the long way round


def test_trimesh_reads_the_first_sample(mixed, tmp_path):
    path = export(mixed, tmp_path / "a.glb")
    scene = trimesh.load_scene(path)
    names = {"turning": (0, 0), "still": (1, 0), "two boxes.0": (2, 0), "two boxes.1": (2, 1)}
    assert set(names) <= set(scene.graph.nodes)
    for name, (p, i) in names.items():
        matrix, geometry = scene.graph[name]
        part = mixed.parts[p]
        np.testing.assert_allclose(matrix[:3, 3], part.position[0, i], rtol=SINGLE)
        np.testing.assert_allclose(matrix[:3, :3], rotation_from_quaternion(part.orientation[0, i]), atol=8 * SINGLE)
        own, read = part.shape.to_mesh(), scene.geometry[geometry]
        np.testing.assert_allclose(read.triangles, own.vertices[own.faces], rtol=SINGLE, atol=1e-30)
        assert read.volume == pytest.approx(part.shape.to_mesh().volume, rel=1e-5)


def test_shapes_colours_and_times_are_shared_and_rest_is_not_animated(mixed, tmp_path):
    gltf, blob = written(mixed, tmp_path)
    check_rules(gltf, blob)
    assert len(gltf.materials) == 2  # red and green
    assert len(gltf.meshes) == 3  # red box, red ball, green box
    positions = {mesh.primitives[0].attributes.POSITION for mesh in gltf.meshes}
    assert len(positions) == 2  # box and ball
    assert len({sampler.input for sampler in gltf.animations[0].samplers}) == 1
    found = tracks(gltf, blob)
    assert {name for name, _ in found} == {"turning", "two boxes.0", "two boxes.1"}
    [group] = [node for node in gltf.nodes if node.name == "two boxes"]
    assert [gltf.nodes[child].name for child in group.children] == ["two boxes.0", "two boxes.1"]
    assert gltf.animations[0].extras == {"start": 5.0}
    colors = sorted(material.pbrMetallicRoughness.baseColorFactor for material in gltf.materials)
    assert colors == [[0, 1, 0, 1], [1, 0, 0, 1]]


def test_colours_become_linear(one, tmp_path):
    gltf, _ = written(one(Ball(1), color=(0.5, 0.0, 1.0)), tmp_path)
    # sRGB: 128/255 has the linear value 0.21586 [IEC 61966-2-1]
    factor = gltf.materials[0].pbrMetallicRoughness.baseColorFactor
    np.testing.assert_allclose(factor, [0.21586, 0, 1, 1], atol=1e-5)


def test_ball_is_smooth_and_box_is_sharp(one, tmp_path):
    ball, _ = written(one(Ball(1)), tmp_path)
    mesh = Ball(1).to_mesh()
    assert ball.accessors[ball.meshes[0].primitives[0].attributes.POSITION].count == len(mesh.vertices)
    box, blob = written(one(Box((1, 2, 3))), tmp_path, overwrite=True)
    normals = values(box, blob, box.meshes[0].primitives[0].attributes.NORMAL)
    assert len(normals) == 24
    np.testing.assert_array_equal(np.sort(np.abs(normals), axis=1), np.broadcast_to([0, 0, 1], (24, 3)))


def test_rate_reduces_the_keys_and_interpolates(one, tmp_path):
    form = one(Box((1, 1, 1)), samples=241, rate=240.0)
    gltf, blob = written(form, tmp_path, rate=25)
    times, position = tracks(gltf, blob)["body", "translation"]
    np.testing.assert_allclose(times, np.arange(26) / 25, rtol=SINGLE)
    # the bodies of `tumble` move straight at constant speed, which linear interpolation keeps
    line = (
        form.parts[0].position[0, 0] + (form.parts[0].position[-1, 0] - form.parts[0].position[0, 0]) * times[:, None]
    )
    np.testing.assert_allclose(position, line, atol=4 * SINGLE * np.abs(line).max())
    more, blob = written(form, tmp_path, rate=1e6, overwrite=True)
    assert len(tracks(more, blob)["body", "translation"][0]) == 241


def test_one_sample_is_a_still(one, tmp_path):
    gltf, blob = written(one(Box((1, 1, 1)), samples=1), tmp_path)
    check_rules(gltf, blob)
    assert not gltf.animations


def test_samples_at_one_instant_keep_the_later(tumble, tmp_path):
    _, position, orientation = tumble(4)
    part = Part("b", Ball(1), np.zeros(3), np.ones(3), position, orientation)
    gltf, blob = written(Form((part,), np.array([0.0, 1.0, 1.0, 2.0])), tmp_path)
    seconds, track = tracks(gltf, blob)["b", "translation"]
    assert seconds.tolist() == [0, 1, 2]
    np.testing.assert_allclose(track, position[[0, 2, 3], 0], rtol=SINGLE)


def test_ten_thousand_bodies_stay_small(one, tmp_path):
    samples, count = 20, 10_000
    path = export(one(Box((0.1, 0.1, 0.1)), samples=samples, count=count, name="flock"), tmp_path / "a.glb")
    data = samples * count * 7 * 4
    # 7 single-precision numbers per pose; per body two accessors, samplers and channels and a node: under 1 kB of JSON
    assert path.stat().st_size < data + 1000 * count
    raw = path.read_bytes()
    document = json.loads(raw[20 : 20 + struct.unpack("<I", raw[12:16])[0]])
    assert len(document["meshes"]) == 1
    assert len(document["bufferViews"]) == 3 + 1 + 2  # mesh, times, translations and rotations
    assert len(document["nodes"]) == count + 2  # bodies, their group, the camera


def test_header_counts_the_bytes_of_the_file(mixed, tmp_path):
    raw = export(mixed, tmp_path / "a.glb").read_bytes()
    magic, version, total = struct.unpack("<4sII", raw[:12])
    assert (magic, version, total) == (b"glTF", 2, len(raw))
    text, kind = struct.unpack("<I4s", raw[12:20])
    assert (text % 4, kind) == (0, b"JSON")
    size, kind = struct.unpack("<I4s", raw[20 + text : 28 + text])
    assert (size % 4, kind, 28 + text + size) == (0, b"BIN\0", len(raw))


def test_a_mesh_beyond_16_bits_takes_32(one, tmp_path):
    n = 300
    x, y = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    vertices = np.stack([x, np.zeros_like(x), y], axis=-1).reshape(-1, 3).astype(float)
    corner = (x[:-1, :-1] * n + y[:-1, :-1]).reshape(-1)
    faces = np.concatenate(
        [np.stack([corner, corner + 1, corner + n], 1), np.stack([corner + 1, corner + n + 1, corner + n], 1)]
    )
    gltf, blob = written(one(Mesh(vertices, faces)), tmp_path)
    check_rules(gltf, blob)
    assert gltf.accessors[gltf.meshes[0].primitives[0].indices].componentType == 5125


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_diverged_run_is_reported_and_leaves_nothing(one, tmp_path, value):
    form = one(Ball(1))
    position = form.parts[0].position.copy()
    position[30] = value
    part = Part("ball", Ball(1), np.zeros(3), np.ones(3), position, form.parts[0].orientation)
    with pytest.raises(InputError, match=r"ball.*first at 0\.5 s"):
        export(Form((part,), form.times), tmp_path / "a.glb")
    assert not list(tmp_path.iterdir())


def test_a_camera_that_moves_is_animated(one, tmp_path):
    keys = [{"time": 0, "from": [2, 1.5, 2]}, {"time": 0.5, "from": [-2, 1.5, 2]}, {"time": 1.2, "from": [-2, 1, -2]}]
    form = replace(one(Ball(1)), image={"camera": {"to": [0, 1, 0], "path": keys}})
    gltf, blob = written(form, tmp_path)
    check_rules(gltf, blob)
    found, path = tracks(gltf, blob), camera_of(form)
    times, places = found["camera", "translation"]
    turns = found["camera", "rotation"][1]
    for k in (0, 17, 40, len(times) - 1):
        camera = path.at(form.times[k])
        assert places[k] == pytest.approx(camera.position, abs=4 * SINGLE)
        axes = rotation_from_quaternion(turns[k][[3, 0, 1, 2]].astype(float))
        assert -axes[:, 2] == pytest.approx(camera.axes[2], abs=8 * SINGLE)
        assert axes[:, 0] == pytest.approx(camera.axes[0], abs=8 * SINGLE)
    assert (np.sum(turns[1:] * turns[:-1], axis=1) > 0.9).all()  # no reader turns the long way round


def test_the_camera_of_the_scene_looks_at_its_target(one, tmp_path):
    form = replace(one(Ball(1)), image={"camera": {"from": [2, 1.5, 2], "to": [0, 1, 0], "fov": 0.6}})
    gltf, _ = written(form, tmp_path)
    assert gltf.cameras[0].perspective.yfov == 0.6
    [node] = [node for node in gltf.nodes if node.camera is not None]
    assert node.translation == [2, 1.5, 2]
    x, y, z, w = node.rotation
    turn = rotation_from_quaternion(np.array([w, x, y, z]))
    forward = np.array([-2, -0.5, -2]) / np.linalg.norm([2, 0.5, 2])
    np.testing.assert_allclose(turn @ [0, 0, -1], forward, atol=1e-12)
    assert (turn @ [0, 1, 0])[1] > 0
    assert (turn @ [1, 0, 0])[1] == pytest.approx(0, abs=1e-12)


def test_a_skin_has_a_morph_target_for_each_shape(soft, tmp_path):
    gltf, blob = written(soft, tmp_path)
    check_rules(gltf, blob)
    [skin] = soft.skins
    mesh = next(mesh for mesh in gltf.meshes if mesh.name == "sheet")
    assert len(mesh.primitives) == 2  # its colours
    assert len(mesh.weights) == len(soft.times) - 1
    times, weights = tracks(gltf, blob)["sheet", "weights"]
    weights = weights.reshape(len(times), -1)
    np.testing.assert_allclose(times, soft.times, atol=SINGLE)
    base = values(gltf, blob, mesh.primitives[0].attributes.POSITION)
    moved = np.stack([values(gltf, blob, target["POSITION"]) for target in mesh.primitives[0].targets])
    for k in (0, 1, 17, 30):
        shape = base + np.tensordot(weights[k], moved, 1)
        corners = [values(gltf, blob, one.indices).reshape(-1, 3) for one in mesh.primitives]
        found = {tuple(np.round(shape[row], 5).ravel().tolist()) for part in corners for row in part}
        assert found == {
            tuple(np.round(row, 5).ravel().tolist()) for row in skin.vertices[k][skin.faces].astype(np.float32)
        }
    assert all(gltf.materials[one.material].doubleSided for one in mesh.primitives)


def test_a_long_film_of_a_skin_keeps_some_shapes(soft, tmp_path):
    [skin] = soft.skins
    many = np.concatenate([skin.vertices] * 10)
    form = Form((), np.arange(310) / 100.0, "long", {}, (), (replace(skin, vertices=many),))
    gltf, blob = written(form, tmp_path)
    times, weights = tracks(gltf, blob)["sheet", "weights"]
    assert len(times) == 240
    assert len(weights) == 240 * 239
    assert times[-1] == pytest.approx(3.09)


def test_links_are_rods_from_end_to_end(soft, tmp_path):
    gltf, blob = written(soft, tmp_path)
    found = tracks(gltf, blob)
    [links] = soft.links
    for i in range(2):
        name = f"rope.{i}"
        middle, turn, size = (found[name, path][1].astype(float) for path in ("translation", "rotation", "scale"))
        along = rotation_from_quaternion(turn[:, [3, 0, 1, 2]])[:, :, 1] * size[:, 1:2]
        ends = np.stack([links.ends(k)[i] for k in range(31)])
        np.testing.assert_allclose(middle - 0.5 * along, ends[:, 0], atol=8 * SINGLE)
        np.testing.assert_allclose(middle + 0.5 * along, ends[:, 1], atol=8 * SINGLE)
        np.testing.assert_allclose(size[:, 0], links.radius[i], rtol=SINGLE)
        # It hangs, opposite to the rod's own axis, and yet turns smoothly: as much as the pendulum does.
        step = 2 * np.arccos(np.clip(np.abs(np.sum(turn[1:] * turn[:-1], axis=1)), 0, 1))
        assert step.max() < 1.01 * 0.5 * 5.0 / 30.0  # largest rate of the angle, over a key


def test_balls_have_their_own_sizes(soft, tmp_path):
    gltf, _ = written(soft, tmp_path)
    nodes = {node.name: node for node in gltf.nodes}
    assert [nodes[f"balls.{i}"].scale for i in range(3)] == [[0.25] * 3, [0.5] * 3, [1.0] * 3]


def test_a_world_with_another_axis_up_is_turned_to_y_up(mixed, tmp_path, up):
    form, R = replace(mixed, up=up), upright(up)
    moves = tracks(*written(form, tmp_path))
    part = form.parts[0]
    # Single precision of numbers up to 4 m, and of quaternions.
    np.testing.assert_allclose(moves["turning", "translation"][1], part.position[:, 0] @ R.T, atol=4 * SINGLE)
    turns = rotation_from_quaternion(moves["turning", "rotation"][1].astype(float)[:, [3, 0, 1, 2]])
    np.testing.assert_allclose(turns, R @ rotation_from_quaternion(part.orientation[:, 0]), atol=8 * SINGLE)


def test_matter_in_a_world_with_another_axis_up_is_turned(soft, tmp_path, up):
    form, R = replace(soft, up=up), upright(up)
    gltf, blob = written(form, tmp_path)
    node = next(node for node in gltf.nodes if node.name == "sheet")
    found = values(gltf, blob, gltf.meshes[node.mesh].primitives[0].attributes.POSITION)
    first = form.skins[0].vertices[0] @ R.T
    assert np.abs(found[:, None] - first).max(-1).min(1).max() <= 4 * SINGLE  # each vertex is one of the sheet's
    middle = tracks(gltf, blob)["rope.0", "translation"][1]
    np.testing.assert_allclose(middle, 0.5 * form.links[0].second[:, 0] @ R.T, atol=4 * SINGLE)


@pytest.mark.parametrize("hints", [None, {"from": [3.0, 1.0, 2.0], "to": [0.0, 0.5, 0.0]}])
def test_the_camera_of_a_turned_world_has_a_level_horizon(mixed, tmp_path, up, hints):
    form = replace(mixed, up=up, image={"camera": hints} if hints else {})
    gltf, _ = written(form, tmp_path)
    camera = next(node for node in gltf.nodes if node.name == "camera")
    right, above, _ = rotation_from_quaternion(np.array(camera.rotation)[[3, 0, 1, 2]]).T
    assert abs(right[1]) <= 1e-12
    assert above[1] > 0.1
    if hints:
        assert camera.translation == pytest.approx(upright(up) @ hints["from"], abs=1e-12)


def test_a_world_turned_before_gives_the_same_file(soft, tmp_path, up):
    form = replace(soft, up=up)
    one, other = export(form, tmp_path / "a.glb"), export(stand_upright(form), tmp_path / "b.glb")
    assert one.read_bytes() == other.read_bytes()


def test_a_rigged_surface_is_a_skin(tmp_path):
    """Read by pygltflib and blended linearly, as viewers do, it is where the segments' own vertices are."""
    from motiform.form.rig import Posed, Rig

    points = np.array([[0, 0, 0], [0.1, 0.5, 0], [0, 1, 0.1], [0.1, 1.5, 0], [0, 2, 0.1]], float)
    turn = exp_quaternion(np.array([0.0, 0.3, 0.0]))
    upper = np.array([0.0, 0.0, 0.5, 1.0, 1.0])
    rest = {"lower": ((0, 0, 0), (1, 0, 0, 0)), "upper": ((0, 1, 0), turn)}
    faces = [(0, 1, 2), (1, 3, 2), (2, 3, 4)]
    rig = Rig.bind(points, faces, rest, {"lower": 1 - upper, "upper": upper})
    times = np.arange(5) / 10.0
    bend = exp_quaternion(np.stack([0.4 * np.arange(5), np.zeros(5), np.zeros(5)], axis=1))
    orientation = np.stack([np.tile([1.0, 0, 0, 0], (5, 1)), multiply_quaternions(bend, turn)], axis=1)
    position = np.tile(rig.position, (5, 1, 1)) + np.array([0.0, 0.0, 0.3])
    skin = Skin("body", Posed(rig, position, orientation), rig.faces, np.array([[1.0, 0, 0]] * 2 + [[0, 0, 1.0]]))
    export(Form((), times, "rig", {}, (), (skin,)), tmp_path / "rig.glb")
    file = pygltflib.GLTF2().load(str(tmp_path / "rig.glb"))
    blob = file.binary_blob()
    [read] = file.skins
    assert [file.nodes[n].name for n in read.joints] == ["lower", "upper"]
    first = file.meshes[0].primitives[0].attributes
    assert len(file.meshes[0].primitives) == 2
    joints, weights, places = (values(file, blob, n) for n in (first.JOINTS_0, first.WEIGHTS_0, first.POSITION))
    inverse = values(file, blob, read.inverseBindMatrices).reshape(-1, 4, 4).transpose(0, 2, 1)  # stored by columns
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=1e-6)
    frames = np.tile(np.eye(4), (5, 2, 1, 1))
    frames[:, :, :3, 3] = position[:1]
    for channel in file.animations[0].channels:
        n = read.joints.index(channel.target.node)
        sampled = values(file, blob, file.animations[0].samplers[channel.sampler].output)
        if channel.target.path == "rotation":
            frames[:, n, :3, :3] = rotation_from_quaternion(sampled[:, [3, 0, 1, 2]])
        else:
            frames[:, n, :3, 3] = sampled
    still = [n for n in (0, 1) if not any(c.target.node == read.joints[n] for c in file.animations[0].channels)]
    for n in still:
        frames[:, n, :3, :3] = rotation_from_quaternion(np.array(file.nodes[read.joints[n]].rotation)[[3, 0, 1, 2]])
    moved = np.einsum("tjab,jbc,vc->tjva", frames, inverse, np.c_[places, np.ones(5)])[..., :3]
    table = np.zeros((5, 2))
    np.add.at(table, (np.arange(5)[:, None], joints.astype(int)), weights)
    blended = np.einsum("vj,tjva->tva", table, moved)
    single = [0, 1, 3, 4]  # moved by one segment each: blends of all kinds agree
    np.testing.assert_allclose(blended[:, single], skin.vertices[:][:, single], atol=2e-6)
