"""Wrists from meshes: names, units, repairs, sides, surgery, drivers, recordings."""

import numpy as np
import pytest

from motiform import wrist
from motiform.base.errors import InputError, MotiformError, ShapeError
from motiform.geometry import Mesh, write_mesh
from motiform.motion.bones.axes import find_axes
from motiform.motion.bones.bodies import carried_bones, group_bones
from motiform.motion.bones.drive import driver_poses
from motiform.motion.bones.mend import erode_mesh, mend_mesh
from motiform.motion.bones.names import BONES, bone_name
from motiform.motion.bones.read import read_bones
from motiform.spatial import exp_rotation
from wrists import COARSE, bones, carpus


@pytest.mark.parametrize(
    ("text", "bone"),
    [
        ("66582_sca_L", "scaphoid"), ("Lunate", "lunate"), ("mc3", "metacarpal3"), ("Metacarpal 3", "metacarpal3"),
        ("subject1-trapezoid-right", "trapezoid"), ("LunateLeft", "lunate"), ("tpm", "trapezium"), ("skull", None),
        ("radius_ulna", None), ("MC_5", "metacarpal5"),
    ],
)  # fmt: skip
def test_names_of_files_mean_bones(text, bone):
    assert bone_name(text) == bone


def scaled(factor):
    return {name: (mesh.vertices * factor, mesh.faces) for name, mesh in bones().items()}


@pytest.mark.parametrize(
    ("factor", "unit", "noted"), [(1.0, None, False), (1e3, None, True), (1e3, "mm", False), (1e2, None, True)]
)
def test_units_are_stated_or_found(factor, unit, noted):
    found, scale, notes = read_bones(scaled(factor), unit)
    np.testing.assert_allclose(found["lunate"].bounds, bones()["lunate"].bounds, atol=1e-9)
    assert scale == pytest.approx(1 / factor)
    assert any("taken to be in" in note for note in notes) == noted


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda m: m | {"skull": m["lunate"]}, "no such bone"),
        (lambda m: m | {"lun": m["lunate"]}, "two meshes are for one bone"),
        (lambda m: {k: v for k, v in m.items() if k != "radius"}, "the radius must be there"),
        (lambda m: {k: v for k, v in m.items() if k not in ("radius", "capitate")}, "the radius and the capitate"),
        (lambda m: m | {"lunate": 7}, "lunate: the bone must be a Mesh"),
        (lambda m: m | {"lunate": (np.full((4, 3), np.nan), [[0, 1, 2]])}, "lunate"),
        (lambda m: {k: (v.vertices * 20, v.faces) for k, v in m.items()}, "cannot be told from the capitate"),
        (lambda m: 3, "meshes must be a folder"),
        (lambda m: "nowhere", "there is no such folder"),
    ],
)  # fmt: skip
def test_impossible_meshes_are_refused(change, text):
    with pytest.raises(InputError, match=text):
        read_bones(change(dict(bones())), None)


def test_a_folder_of_files_is_read(tmp_path):
    for name, mesh in bones().items():
        write_mesh(mesh, tmp_path / f"subject_{name}_R.ply")
    write_mesh(bones()["lunate"], tmp_path / "skin.stl")
    found, _, notes = read_bones(tmp_path, "m")
    assert tuple(found) == BONES
    assert notes == ["skin.stl was left out: its name is not that of one bone."]


def test_meshes_are_mended_with_a_note():
    whole = bones()["lunate"]
    volume = whole.integrals()[0]
    holed, notes = mend_mesh(Mesh(whole.vertices, whole.faces[5:]), "lunate")
    assert holed.integrals()[0] == pytest.approx(volume, rel=0.01)
    assert "holes of the mesh" in notes[0]
    turned, notes = mend_mesh(Mesh(whole.vertices, whole.faces[:, ::-1]), "lunate")
    assert turned.integrals()[0] == pytest.approx(volume)
    assert "inside out" in notes[0]
    faces = whole.faces.copy()
    faces[::7] = faces[::7, ::-1]
    wound, notes = mend_mesh(Mesh(whole.vertices, faces), "lunate")
    assert wound.integrals()[0] == pytest.approx(volume)
    assert "wound against" in notes[0]
    speck = np.concatenate([whole.vertices, whole.vertices * 0.1 + 0.1])
    more = np.concatenate([whole.faces, whole.faces + len(whole.vertices)])
    alone, notes = mend_mesh(Mesh(speck, more), "lunate")
    assert len(alone.faces) == len(whole.faces)
    assert "loose pieces" in notes[0]


def test_meshes_that_cannot_be_mended_are_refused():
    whole = bones()["lunate"]
    half = whole.faces[whole.vertices[whole.faces].mean(axis=1)[:, 0] < np.median(whole.vertices[:, 0])]
    with pytest.raises(ShapeError, match=r"lunate: the mesh is open"):
        mend_mesh(Mesh(whole.vertices, half), "lunate")
    shifted = np.concatenate([whole.vertices, whole.vertices + np.array([3e-3, 0, 0])])
    twice = np.concatenate([whole.faces, whole.faces + len(whole.vertices)])
    with pytest.raises(ShapeError, match=r"lunate: the mesh must not cut itself"):
        mend_mesh(Mesh(shifted, twice), "lunate")


def test_eroded_meshes_lose_their_skin():
    """V(r − e) of a surface is V − A e + O(e²), less at the rims of facets, where normals are means."""
    mesh, e = bones()["lunate"], 1e-4
    lost = mesh.integrals()[0] - erode_mesh(mesh, e).integrals()[0]
    assert lost == pytest.approx(mesh.area * e, rel=0.05)


def test_overlapping_bones_are_refused():
    meshes = dict(bones())
    lunate = meshes["lunate"]
    meshes["lunate"] = Mesh(lunate.vertices + np.array([4e-3, 0, 0]), lunate.faces)
    with pytest.raises(ShapeError, match="two bones overlap in the neutral pose"):
        wrist.from_meshes(meshes, fineness=COARSE)


def test_the_bones_show_their_side():
    few = {name: bones("left")[name] for name in ("radius", "ulna", "lunate", "capitate", "pisiform", "trapezium")}
    model = wrist.from_meshes(few, side="right", fineness=COARSE)
    assert (model.side, model.axes.side) == ("left", "left")
    assert any("of a left wrist, not of a right one" in note for note in model.notes)
    whole = carpus()
    assert not whole.notes
    left, right = find_axes(bones("left"), "right"), carpus().axes
    np.testing.assert_allclose(left.forearm * [-1, 1, 1], right.forearm, atol=1e-6)
    np.testing.assert_allclose(left.hand * [-1, 1, 1], right.hand, atol=1e-6)
    np.testing.assert_allclose(np.diag(right.forearm[[1, 0, 2]]), 1.0, atol=0.02)  # the shapes lie along x, y, z


@pytest.mark.parametrize("shown", [0.012, 0.015, 0.018, 0.022, 0.03, 0.045])
def test_a_short_radius_still_shows_the_forearm(shown):
    """A piece too short to show its sides has the direction of the capitate, which here is 17° from the shaft."""
    whole, radius = carpus().axes, bones()["radius"]
    along = radius.vertices @ whole.distal
    faces = radius.faces[(along[radius.faces] > along.max() - shown).all(axis=1)]
    found = find_axes(bones() | {"radius": Mesh(radius.vertices, faces)}, "right")
    assert found.distal @ whole.distal > np.cos(np.radians(20.0))
    assert found.radial @ whole.radial > np.cos(np.radians(20.0))
    assert found.side == "right"
    assert found.shown < 1.5 * shown


def test_few_bones_make_a_wrist():
    few = {name: bones()[name] for name in ("radius", "scaphoid", "lunate", "capitate")}
    model = wrist.from_meshes(few, side="right", fineness=COARSE)
    assert any("which wrist this is" in note for note in model.notes)
    assert any("no ulna" in note for note in model.notes)
    rec = model.settle(flexion=[0.2])
    assert np.isfinite(rec["lunate.position"]).all()


def test_bodies_are_fixed_driven_and_free():
    names = list(BONES)
    assert carried_bones("capitate", names)[0] == "capitate"
    assert set(carried_bones("metacarpals", names)) == {f"metacarpal{n}" for n in range(1, 6)}
    groups = group_bones(names, ("capitate",), (("scaphoid", "lunate"), ("lunate", "capitate")))
    assert groups[0] == ("radius", "ulna")
    assert set(groups[1]) == {"capitate", "scaphoid", "lunate"}
    with pytest.raises(InputError, match="fused with the radius"):
        group_bones(names, ("capitate",), (("capitate", "radius"),))
    with pytest.raises(InputError, match="no such bone"):
        carried_bones("skull", names)


def test_surgery_gives_changed_wrists():
    model = carpus()
    assert {lig.name for lig in model.ligaments} - {lig.name for lig in model.cut("scapholunate").ligaments} == {
        "scapholunate_dorsal", "scapholunate_palmar", "scapholunate_proximal",
    }  # fmt: skip
    less = model.remove("trapezium")
    assert "trapezium" not in less.bones
    assert not any("trapezium" in lig.bones for lig in less.ligaments)
    tight = model.tighten("long_radiolunate", 0.9)
    slack = {lig.name: lig.slack for lig in model.ligaments}["long_radiolunate"]
    assert next(lig for lig in tight.ligaments if lig.name == "long_radiolunate").slack == pytest.approx(0.9 * slack)
    stiff = model.replace_ligament("scaphocapitate", stiffness=5e4)
    assert next(lig for lig in stiff.ligaments if lig.name == "scaphocapitate").stiffness == 5e4
    assert model.fuse("lunate", "triquetrum").fused == (("lunate", "triquetrum"),)
    graft = wrist.Ligament(
        "graft", "graft", ("scaphoid", "lunate"), model.ligaments[0].starts, model.ligaments[0].ends, 1e5
    )
    assert model.attach(graft).ligaments[-1] is graft


@pytest.mark.parametrize(
    ("act", "text"),
    [
        (lambda w: w.cut("scapholunat"), "Did you mean 'scapholunate'"),
        (lambda w: w.fuse("lunate"), "a fusion takes two bones"),
        (lambda w: w.fuse("lunate", "skull"), "no such bone"),
        (lambda w: w.remove("radius"), "no such bone"),
        (lambda w: w.tighten("scapholunate", -1.0), "ratio must be above 0"),
        (lambda w: w.replace_ligament("scapholunate", colour=1), "no such property"),
        (lambda w: w.settle(), "must be given"),
        (lambda w: w.settle(flexion=[40.0]), "that a wrist can reach"),
        (lambda w: w.settle(flexion=[np.nan]), r"not finite|must be finite"),
        (lambda w: w.settle(flexion=[0.1, 0.2], deviation=[0.1, 0.2, 0.3]), "as many"),
        (lambda w: w.settle(flexion=[0.1], center="loose"), "center must be a known rule"),
        (lambda w: w.settle(flexion=[0.1], driven="radius"), "no such bone"),
        (lambda w: w.settle(driver=np.eye(4), flexion=[0.1]), "either angles or driver"),
        (lambda w: w.settle(driver=np.eye(3)), "wrong shape"),
        (lambda w: w.settle(driver=np.diag([1.0, 1.0, -1.0, 1.0])), "a pose must be a rotation"),
        (lambda w: w.settle(driver=np.diag([1.0, 1.0, 1.1, 1.0])), "a pose must be a rotation"),
        (lambda w: w.settle(driver=np.eye(4) + np.eye(4, k=-3)), "last row"),
        (lambda w: w.settle(driver=np.eye(4) + 0.3 * np.eye(4, k=3)), "a pose is impossible"),
    ],
)  # fmt: skip
def test_wrong_requests_are_refused(act, text):
    with pytest.raises(MotiformError, match=text):
        act(carpus())


def test_translations_in_the_unit_of_the_meshes_are_converted_with_a_note():
    model, pose = carpus(), np.eye(4)
    pose[:3, 3] = [0.0, 5.0, 0.0]
    found, notes = driver_poses(model.axes, model.bones, None, None, pose, 1e-3)
    np.testing.assert_allclose(found.translation[0], [0, 5e-3, 0])
    assert "unit of the meshes" in notes[0]


def test_a_measured_pose_is_followed_and_angles_turn_the_driven_bone():
    model = carpus()
    R = exp_rotation([-0.2, 0.0, 0.05])
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = R, model.axes.center - R @ model.axes.center + [0, 5e-4, 0]
    rec = model.settle(driver=[pose])
    np.testing.assert_allclose(rec["capitate.position"][0], pose[:3, 3], atol=1e-12)
    np.testing.assert_allclose(rec["hamate.orientation"], rec["capitate.orientation"])
    bent = model.settle(flexion=0.2)
    e = np.cross(model.axes.distal, model.axes.palmar)
    np.testing.assert_allclose(2 * bent["capitate.orientation"][0, 1:], 2 * np.sin(0.1) * e, atol=1e-9)
    np.testing.assert_allclose(bent["radius.position"], 0.0)
    held = model.settle(flexion=0.2, center="fixed")
    center = model.axes.center
    from motiform.spatial import rotation_from_quaternion

    turned = rotation_from_quaternion(held["capitate.orientation"][0]) @ center + held["capitate.position"][0]
    np.testing.assert_allclose(turned, center, atol=1e-12)


def test_the_recording_names_its_numbers():
    rec = carpus().settle(flexion=[0.3])
    assert rec.unit("ligament.tension.scapholunate_dorsal") == "N"
    assert rec["contact.gap.lunate_capitate"].shape == (1,)
    assert rec.manifest["side"] == "right"
    assert rec.manifest["driven"][0] == "trapezium" or "capitate" in rec.manifest["driven"]
    assert (rec["ligament.tension"] >= 0).all()
    assert rec["contact.force"].max() > 0
