"""USD: read back by usd-core where it is installed; a clear error where it is not."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from motiform.base.errors import InputError
from motiform.geometry import Box
from motiform.image.export import export
from motiform.spatial import rotation_from_quaternion, upright

SINGLE = float(np.finfo(np.float32).eps)


def test_without_the_library_the_remedy_is_reported(one, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pxr", None)
    with pytest.raises(InputError, match=r"usd-core is not installed.*pip install 'motiform\[usd\]'.*\.glb"):
        export(one(Box((1, 1, 1))), tmp_path / "a.usda")
    assert not list(tmp_path.iterdir())


@pytest.fixture
def pxr():
    return pytest.importorskip("pxr", reason="usd-core is not installed (optional extra usd)")


@pytest.mark.parametrize("suffix", ["usda", "usdc", "usd"])
def test_stage_is_in_metres_y_up_and_in_seconds(pxr, form, tmp_path, suffix):
    from pxr import Usd, UsdGeom

    stage = Usd.Stage.Open(str(export(form, tmp_path / f"a.{suffix}")))
    assert UsdGeom.GetStageMetersPerUnit(stage) == 1
    assert UsdGeom.GetStageUpAxis(stage) == "Y"
    assert stage.GetTimeCodesPerSecond() == pytest.approx(60)
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0, 89)
    assert stage.GetDefaultPrim().GetPath() == "/World"
    [part] = form.parts
    mesh = UsdGeom.Mesh.Get(stage, "/World/body/shape")
    own = part.shape.to_mesh()
    np.testing.assert_allclose(mesh.GetPointsAttr().Get(), own.vertices + part.offset, atol=SINGLE)
    np.testing.assert_array_equal(np.array(mesh.GetFaceVertexIndicesAttr().Get()).reshape(-1, 3), own.faces)
    body = UsdGeom.Xformable.Get(stage, "/World/body")
    for k in (0, 40, 89):
        matrix = np.array(body.GetLocalTransformation(k))  # rows of USD are our columns
        np.testing.assert_allclose(matrix[3, :3], part.position[k, 0], rtol=1e-12)
        np.testing.assert_allclose(matrix[:3, :3].T, rotation_from_quaternion(part.orientation[k, 0]), atol=1e-12)


def test_many_bodies_are_instances(one, pxr, tmp_path):
    from pxr import Usd, UsdGeom

    form = one(Box((1, 1, 1)), count=20, name="my flock", samples=5)
    stage = Usd.Stage.Open(str(export(form, tmp_path / "a.usdc")))
    flock = UsdGeom.PointInstancer.Get(stage, "/World/my_flock")
    transforms = flock.ComputeInstanceTransformsAtTime(3, 3)
    for i, matrix in enumerate(np.array(transforms)):
        np.testing.assert_allclose(matrix[3, :3], form.parts[0].position[3, i], rtol=SINGLE)
        turn = rotation_from_quaternion(form.parts[0].orientation[3, i])
        np.testing.assert_allclose(matrix[:3, :3].T, turn, atol=8 * SINGLE)
    speed = 60.0 * np.diff(form.parts[0].position[:2], axis=0)[0]  # steady, 60 samples a second
    for code in (0, 3):
        np.testing.assert_allclose(flock.GetVelocitiesAttr().Get(code), speed, rtol=SINGLE, atol=1e-12)


def test_few_bodies_of_a_part_are_prims_of_their_own(pxr, mixed, tmp_path):
    from pxr import Usd

    stage = Usd.Stage.Open(str(export(mixed, tmp_path / "a.usda")))
    for path in ("/World/turning", "/World/still", "/World/two_boxes/two_boxes_0", "/World/two_boxes/two_boxes_1"):
        assert stage.GetPrimAtPath(path).IsValid()


def test_skins_links_and_sizes(soft, pxr, tmp_path):
    from pxr import Usd, UsdGeom

    stage = Usd.Stage.Open(str(export(soft, tmp_path / "a.usda")))
    [skin], [links] = soft.skins, soft.links
    mesh = UsdGeom.Mesh.Get(stage, "/World/sheet")
    faces = np.array(mesh.GetFaceVertexIndicesAttr().Get()).reshape(-1, 3)
    for k in (0, 12, 30):
        points = np.array(mesh.GetPointsAttr().Get(k))
        np.testing.assert_allclose(points[faces], skin.vertices[k][skin.faces], atol=SINGLE)
    rope = UsdGeom.BasisCurves.Get(stage, "/World/rope")
    np.testing.assert_allclose(np.array(rope.GetPointsAttr().Get(12)).reshape(2, 2, 3), links.ends(12), atol=4 * SINGLE)
    np.testing.assert_allclose(rope.GetWidthsAttr().Get(), 2 * links.radius, rtol=SINGLE)
    ball = UsdGeom.Xformable.Get(stage, "/World/balls/balls_0").GetLocalTransformation(3)
    np.testing.assert_allclose(np.array(ball)[:3, :3], 0.25 * np.eye(3), atol=1e-12)


@pytest.mark.parametrize("up", ["y", "z", "-x", (0.3, -0.2, 0.8)])
def test_the_stage_names_its_up_axis(pxr, mixed, tmp_path, up):
    from pxr import Usd, UsdGeom

    form = replace(mixed, up=up)
    stage = Usd.Stage.Open(str(export(form, tmp_path / "a.usda")))
    assert UsdGeom.GetStageUpAxis(stage) == ("Z" if up == "z" else "Y")
    R = np.eye(3) if up == "z" else upright(up)  # z up is an axis of USD; others are turned to y
    matrix = np.array(UsdGeom.Xformable.Get(stage, "/World/turning").GetLocalTransformation(40))
    np.testing.assert_allclose(matrix[3, :3], R @ form.parts[0].position[40, 0], rtol=0, atol=1e-14)
