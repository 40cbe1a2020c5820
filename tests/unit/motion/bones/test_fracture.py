"""Bones that are broken by a plane."""

import numpy as np
import pytest

from motiform.base.errors import InputError, ShapeError
from motiform.geometry import Mesh
from motiform.geometry.mass import volume_integrals
from motiform.geometry.meshes.tessellate import box_surface
from motiform.geometry.meshes.topology import check_closed_surface
from motiform.motion.bones.bone import Bone
from motiform.motion.bones.fracture import break_bone
from wrists import carpus

PARTS = ("scaphoid_proximal", "scaphoid_distal")


def volume(mesh):
    return volume_integrals(mesh.vertices, mesh.faces)[0]


def test_a_box_is_broken_into_two_boxes():
    corners, faces = box_surface((2e-2, 1e-2, 4e-2))
    bone = Bone("lunate", Mesh(corners, faces))
    low, high = break_bone(bone, np.array([0, 0, 5e-3]), np.array([0, 0, 1.0]), 1e-3)
    for part, size in ((low, 24.5e-3), (high, 14.5e-3)):
        assert volume(part.mesh) == pytest.approx(2e-2 * 1e-2 * size, rel=1e-12)
        assert part.mesh.area == pytest.approx(2 * (2e-2 * 1e-2 + (2e-2 + 1e-2) * size), rel=1e-12)
    assert low.mesh.vertices[:, 2].max() == pytest.approx(4.5e-3)
    assert high.mesh.vertices[:, 2].min() == pytest.approx(5.5e-3)


def test_fragments_are_the_bone_without_its_gap():
    whole = carpus()
    thin, wide = (whole.fracture("scaphoid", 0.4, gap=gap) for gap in (1e-6, 1e-3))
    bone = whole.bones["scaphoid"].mesh
    for broken in (thin, wide):
        for name in PARTS:
            mesh = broken.bones[name].mesh
            check_closed_surface(mesh.vertices, mesh.faces, name)
    # sections are below 200 mm², and the gap of 1 µm takes that times its width away
    lost = volume(bone) - sum(volume(thin.bones[name].mesh) for name in PARTS)
    assert 0 < lost < 200e-6 * 1e-6
    more = volume(bone) - sum(volume(wide.bones[name].mesh) for name in PARTS)
    assert more == pytest.approx(1e3 * lost, rel=0.05)  # the section changes by less over half a millimetre
    assert list(whole.bones).index("scaphoid") == list(thin.bones).index(PARTS[0])


def test_fibres_stay_on_the_fragment_where_they_end():
    whole = carpus()
    broken = whole.fracture("scaphoid", 0.5)
    assert not any("scaphoid" in ligament.bones + ligament.over for ligament in broken.ligaments)
    assert sum(lig.stiffness for lig in broken.ligaments) == pytest.approx(
        sum(lig.stiffness for lig in whole.ligaments)
    )
    assert sum(len(lig.starts) for lig in broken.ligaments) == sum(len(lig.starts) for lig in whole.ligaments)
    names = [ligament.name for ligament in broken.ligaments]
    assert len(set(names)) == len(names)
    for ligament in broken.ligaments:
        for bone, ends in zip(ligament.bones, (ligament.starts, ligament.ends), strict=True):
            if bone in PARTS:
                near, far = (broken.bones[name].tree.query(ends)[0] for name in (bone, *set(PARTS) - {bone}))
                assert (near < far + 1e-3).all()  # candidates are some 0.5 mm apart


def test_fragments_are_bones_like_others():
    broken = carpus().fracture("scaphoid", 0.5)
    rec = broken.settle(flexion=np.deg2rad([15.0]))
    assert {f"{name}.orientation" for name in PARTS} <= set(rec.names)
    assert "scaphoid_proximal_lunate" in rec.manifest["labels"]["pair"]
    assert not [event for event in rec.events if event.name == "dislocated"]
    fused = broken.fuse(*PARTS).settle(flexion=np.deg2rad([15.0]))
    np.testing.assert_allclose(*(fused[f"{name}.orientation"] for name in PARTS))
    assert "scaphoid_distal" not in broken.remove("scaphoid_distal").bones


@pytest.mark.parametrize(
    ("name", "through", "options", "problem"),
    [
        ("scaphoid", 0.0, {}, "must go through the bone"), ("scaphoid", 1.2, {}, "must go through the bone"),
        ("scaphoid", [0, 0], {}, "must go through the bone"), ("radius", 0.5, {}, "no such bone"),
        ("femur", 0.5, {}, "no such bone"), ("lunate", 0.5, {"normal": [0, 0, 0]}, "normal must be a direction"),
        ("lunate", 0.5, {"gap": 0.0}, "gap"),
    ],
)  # fmt: skip
def test_what_breaks_nothing_is_refused(name, through, options, problem):
    with pytest.raises(InputError, match=problem):
        carpus().fracture(name, through, **options)


def test_a_plane_beside_the_bone_breaks_nothing():
    with pytest.raises(ShapeError, match="must be a part of the bone"):
        carpus().fracture("lunate", np.array([1.0, 0, 0]), normal=[1, 0, 0])
    with pytest.raises(InputError, match="broken before it is fused"):
        carpus().fuse("scaphoid", "lunate").fracture("lunate")
