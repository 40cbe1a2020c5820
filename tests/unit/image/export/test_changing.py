"""Surfaces whose triangles change, read back by other libraries: those of each instant are in the files."""

from xml.etree import ElementTree

import numpy as np
import pygltflib
import pytest

from motiform.form import Form, MatterSurface
from motiform.image.export import export


@pytest.fixture(scope="module")
def form():
    """Two particles that part, so that the number of triangles changes, and a third instant without any."""
    gone = np.full((2, 3), np.nan)
    places = np.array([[[0.0, 0, 0], [0.1, 0, 0]], [[0.0, 0, 0], [0.9, 0, 0]], gone])
    water = MatterSurface("water", places, np.full(2, 0.2), 2.0, 0.1, np.array([0.1, 0.3, 0.8]))
    return Form((), np.array([0.0, 0.5, 1.0]), surfaces=(water,))


def test_gltf_shows_each_shape_in_its_turn(form, tmp_path):
    gltf = pygltflib.GLTF2().load(export(form, tmp_path / "a.glb"))
    shells = [form.surfaces[0].shell(k) for k in range(2)]
    nodes = {node.name: k for k, node in enumerate(gltf.nodes)}
    for k, shell in enumerate(shells):
        mesh = gltf.meshes[gltf.nodes[nodes[f"water {k + 1}"]].mesh]
        assert gltf.accessors[mesh.primitives[0].indices].count == 3 * len(shell.faces)
        assert gltf.accessors[mesh.primitives[0].attributes.POSITION].count == len(shell.vertices)
    assert len(shells[0].faces) != len(shells[1].faces)
    assert "water 3" not in nodes
    animation = gltf.animations[0]
    assert {(c.target.path, animation.samplers[c.sampler].interpolation) for c in animation.channels} == {
        ("scale", "STEP")
    }
    blob = gltf.binary_blob()

    def numbers(index, width):
        accessor = gltf.accessors[index]
        at = gltf.bufferViews[accessor.bufferView].byteOffset
        return np.frombuffer(blob, "<f4", accessor.count * width, at).reshape(-1, width)

    sizes = {}
    for channel in animation.channels:
        sampler = animation.samplers[channel.sampler]
        keys, size = numbers(sampler.input, 1)[:, 0], numbers(sampler.output, 3)[:, 0]
        sizes[channel.target.node] = [float(size[np.searchsorted(keys, t, "right") - 1]) for t in (0.0, 0.5, 1.0)]
    assert sizes == {nodes["water 1"]: [1.0, 0.0, 0.0], nodes["water 2"]: [0.0, 1.0, 0.0]}


def test_x3d_switches_between_shapes(form, tmp_path):
    scene = ElementTree.parse(export(form, tmp_path / "a.x3d")).find("Scene")
    switch = scene.find("Switch")
    index = [
        [one.attrib["index"].split() for one in group.iter("IndexedTriangleSet")] for group in switch.findall("Group")
    ]
    assert [sum(map(len, one)) for one in index] == [3 * len(form.surfaces[0].shell(k).faces) for k in range(3)]
    turn = scene.find("IntegerSequencer")
    assert (turn.attrib["keyValue"], turn.attrib["key"].split()) == ("0 1 2", ["0", "0.5", "1"])
    routes = [(one.attrib["toNode"], one.attrib["toField"]) for one in scene.findall("ROUTE")]
    assert (switch.attrib["DEF"], "set_whichChoice") in routes


def test_usd_has_the_triangles_of_each_instant(form, tmp_path):
    pxr = pytest.importorskip("pxr", reason="usd-core is not installed (optional extra usd)")
    from pxr import Usd, UsdGeom

    assert pxr
    stage = Usd.Stage.Open(str(export(form, tmp_path / "a.usda")))
    mesh = UsdGeom.Mesh(stage.GetPrimAtPath("/World/water"))
    for k in range(3):
        shell = form.surfaces[0].shell(k)
        assert len(mesh.GetFaceVertexCountsAttr().Get(k)) == len(shell.faces)
        np.testing.assert_allclose(np.array(mesh.GetPointsAttr().Get(k)).reshape(-1, 3), shell.vertices, atol=1e-6)
