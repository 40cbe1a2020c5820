"""A hand that is pressed towards the forearm: balance of forces, and the energy that the load gives."""

import numpy as np
import pytest

from motiform import wrist
from motiform.base.errors import InputError
from motiform.geometry import Ball, Box, Mesh
from motiform.motion.bones.bone import Bone, BoneResolution
from motiform.motion.bones.contact_kernels import FORCE
from motiform.motion.bones.pack import pack_wrist
from motiform.motion.bones.settle import settle_path
from motiform.spatial import Transform, rotation_from_quaternion
from wrists import COARSE, bones, carpus


def test_a_single_joint_bears_the_load():
    """A ball is pressed on a plane by F = ½ k π δ² (2R + t − δ): all of the load, and its depth."""
    R, t, stiffness = 8e-3, 1e-3, 1e10
    fine = BoneResolution(spacing=4e-4, margin=3e-3, band=2e-3, points=6e-4)
    ground, ball = Box((0.03, 0.004, 0.03)).to_mesh(), Ball(R).to_mesh(96)
    pair = {
        "radius": Bone("radius", Mesh(ground.vertices - [0, 2e-3, 0], ground.faces), fine),
        "lunate": Bone("lunate", Mesh(ball.vertices + np.array([0, R + t, 0]), ball.faces), fine),
    }
    for load in (2.0, 40.0):
        packed = pack_wrist(
            pair, (("radius",), ("lunate",)), (), {("radius", "lunate"): t}, np.zeros(3), stiffness, np.inf, 1e-9,
            led=True, load=(0.0, -load, 0.0),
        )  # fmt: skip
        rest = settle_path(packed, Transform(np.eye(3)[None], np.zeros((1, 3))))
        force = rest.sums[0, 1, FORCE : FORCE + 3] - rest.sums[0, 0, FORCE : FORCE + 3]
        # the search ends where a step moves the ball by less than 1 nm, on stiffness of up to k π R 2δ
        depth = -rest.poses[0, 1, 10]
        np.testing.assert_allclose(force, [0.0, load, 0.0], atol=1e-9 * stiffness * np.pi * R * 4 * depth)
        assert load == pytest.approx(0.5 * stiffness * np.pi * depth**2 * (2 * R + t - depth), rel=0.03)


def test_energy_falls_by_the_way_of_the_load():
    """dE/dF = −x at rest, whatever gives way: the theorem of the envelope, by Simpson's rule over the loads."""
    loads, whole = np.array([20.0, 21.0, 22.0]), carpus()
    runs = [whole.settle(flexion=[0.2], load=load, tolerance=1e-9) for load in loads]
    energy = np.array([rec["energy"][0] for rec in runs])
    way = []
    for rec in runs:  # of the middle of the driven bones, on which the load acts; they have the pose of the capitate
        bodies = whole.bodies()
        packed = whole.packed(bodies, led=True)
        center = packed.middles[1] + packed.shift
        q, p = (rec[f"capitate.{key}"][0] for key in ("orientation", "position"))
        way.append(-(rotation_from_quaternion(q) @ center + p - center) @ whole.axes.distal)
    mean = (way[0] + 4 * way[1] + way[2]) / 6
    # the way changes by curvature alone beyond Simpson's rule, and rest is found to 1 nm
    assert energy[2] - energy[0] == pytest.approx(-2.0 * mean, abs=2.0 * max(1e-8, 1e-2 * np.ptp(way)))


def test_a_load_needs_a_hand_that_can_give_way():
    with pytest.raises(InputError, match="must be free to move"):
        carpus().settle(flexion=[0.1], load=10.0, center="fixed")
    with pytest.raises(InputError, match="must be free to move"):
        carpus().settle(driver=np.eye(4), load=10.0)
    with pytest.raises(InputError, match="load"):
        carpus().settle(flexion=[0.1], load=-10.0)


@pytest.mark.slow
def test_a_cut_ligament_moves_the_load_to_the_scaphoid():
    """The scaphoid flexes away from the lunate, and the fossa of the lunate is relieved."""
    whole = wrist.from_meshes(bones())
    force, angle = [], []
    for model in (whole, whole.cut("scapholunate")):
        rec = model.settle(flexion=np.deg2rad([0.0, 30.0]), load=50.0)
        labels = rec.manifest["labels"]["pair"]
        force.append([rec["contact.force"][0, labels.index(f"radius_{bone}")] for bone in ("scaphoid", "lunate")])
        angle.append(np.rad2deg(wrist.carpal_angles(model, rec).scapholunate[1]))
        assert 45.0 < sum(force[-1]) < 70.0  # ligaments add to the load
    assert force[1][0] > 1.2 * force[0][0]
    assert force[1][1] < 0.7 * force[0][1]
    assert angle[1] > angle[0] + 2.0


def test_bones_that_are_far_apart_have_no_contacts():
    model = wrist.from_meshes({name: bones()[name] for name in ("radius", "capitate")}, fineness=COARSE)
    rec = model.settle(flexion=[0.1])
    assert "contact.force" not in rec.names
    assert rec["energy"][0] == 0.0
