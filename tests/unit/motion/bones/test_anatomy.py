"""Angles, heights and the canal against bones that were moved, and shapes that are known."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from motiform import wrist
from motiform.base.errors import InputError
from motiform.geometry import Mesh
from motiform.motion.bones.axes import Axes
from motiform.motion.bones.bone import Bone
from motiform.record import Channel, Recording
from motiform.spatial import exp_rotation, quaternion_from_rotation
from wrists import bones, carpus

DISTAL, RADIAL, PALMAR = np.eye(3)[[1, 0, 2]]


def recording(hand, **poses):
    """Return a recording of bones, each with rotations (n, 3, 3) and translations (n, 3)."""
    data = {}
    for bone, (R, p) in poses.items():
        data[f"{bone}.position"] = (Channel(f"{bone}.position", unit="m", dims=("axis",), shape=(3,)), np.asarray(p))
        q = quaternion_from_rotation(np.asarray(R))
        data[f"{bone}.orientation"] = (Channel(f"{bone}.orientation", dims=("quaternion",), shape=(4,)), q)
    axes = hand and {name: getattr(hand, name).tolist() for name in ("distal", "radial", "palmar", "center")}
    count = len(next(iter(poses.values()))[1])
    return Recording.from_arrays(data, times=np.arange(count, dtype=float), manifest={"axes": axes})


@pytest.mark.parametrize("side", ["right", "left"])
def test_angles_of_a_bone_are_those_it_was_turned_by(side):
    hand = carpus(side).axes
    e = np.cross(hand.distal, hand.palmar), np.cross(hand.radial, hand.distal), np.cross(hand.radial, hand.palmar)
    angles = np.random.default_rng(2).uniform(-1.2, 1.2, (20, 3))
    R = exp_rotation(angles[:, :1] * e[0]) @ exp_rotation(angles[:, 1:2] * e[1]) @ exp_rotation(angles[:, 2:] * e[2])
    found = wrist.bone_angles(recording(hand, lunate=(R, np.zeros((20, 3)))), "lunate")
    # cos of deviation is 0.36 or more, so that rounding of R is at most three times that of angles
    np.testing.assert_allclose(found, angles, atol=1e-14)
    turned = exp_rotation(0.1 * e[0]) @ hand.distal, exp_rotation(0.1 * e[1]) @ hand.distal
    assert turned[0] @ hand.palmar > 0.09
    assert turned[1] @ hand.radial < -0.09  # towards the ulna
    assert exp_rotation(0.1 * e[2]) @ hand.radial @ hand.palmar > 0.09


def test_angles_of_settled_hands_are_those_that_were_asked_for():
    flexion, deviation = np.deg2rad([20.0, -15.0]), np.deg2rad([-5.0, 10.0])
    rec = carpus().settle(flexion=flexion, deviation=deviation)
    found = wrist.bone_angles(rec, "capitate")
    np.testing.assert_allclose(found, np.stack([flexion, deviation, [0, 0]], axis=1), atol=1e-9)
    with pytest.raises(InputError, match="must be one of a wrist"):
        wrist.bone_angles(recording(None, capitate=(np.eye(3)[None], np.zeros((1, 3)))), "capitate")


def test_angles_of_the_lateral_view_follow_the_bones():
    whole = carpus()
    start, e = wrist.carpal_angles(whole), np.cross(whole.axes.distal, whole.axes.palmar)
    assert np.abs(np.rad2deg([start.radiolunate, start.capitolunate])).max() < 15  # in line
    assert 20 < np.rad2deg(start.scapholunate[0]) < 60
    turn = {"lunate": -0.3, "scaphoid": 0.2, "capitate": 0.1}
    poses = {name: (exp_rotation(angle * e)[None], np.zeros((1, 3))) for name, angle in turn.items()}
    found = wrist.carpal_angles(whole, recording(whole.axes, **poses))
    # directions lie in the plane of the view, but that of the hand, which is 2° out of it: its angle is a bit smaller
    np.testing.assert_allclose(found.radiolunate, start.radiolunate + 0.3, atol=1e-12)
    np.testing.assert_allclose(found.scapholunate, start.scapholunate + 0.5, atol=1e-12)
    np.testing.assert_allclose(found.capitolunate, start.capitolunate + 0.4, atol=1e-3)


@pytest.mark.slow
def test_measures_do_not_depend_on_frame_and_side():
    R, p = exp_rotation(np.array([0.4, -1.1, 0.7])), np.array([0.3, -0.2, 0.5])
    moved = {name: Mesh(mesh.vertices @ R.T + p, mesh.faces) for name, mesh in bones().items()}
    left = {name: Mesh(mesh.vertices * [-1, 1, 1], mesh.faces[:, ::-1]) for name, mesh in bones().items()}
    measures = []
    for meshes, side in ((bones(), "right"), (moved, "right"), (left, "left")):
        whole = wrist.from_meshes(meshes, side=side, fineness=carpus().bones["lunate"].fineness)
        angles, canal = wrist.carpal_angles(whole), wrist.carpal_canal(whole)["outlet"]
        height = wrist.carpal_height(whole)
        measures.append([
            angles.radiolunate[0], angles.scapholunate[0], angles.capitolunate[0], 100 * height.height[0],
            height.ratio[0], 100 * wrist.ulnar_variance(whole), 100 * canal.width[0], 1e4 * canal.area[0],
        ])  # fmt: skip
    # axes are found by sums over thousands of triangles and eigenvectors: 1e-9 of a radian is kept
    np.testing.assert_allclose(measures[1:], [measures[0]] * 2, atol=1e-7)


def test_height_and_variance_move_with_the_bones():
    whole = carpus()
    still, away = (np.eye(3)[None], np.zeros((1, 3))), (np.eye(3)[None], 1e-3 * whole.axes.hand[:1])
    start = wrist.carpal_height(whole)
    lifted = wrist.carpal_height(whole, recording(whole.axes, capitate=away, metacarpal3=away))
    assert lifted.height[0] == pytest.approx(start.height[0] + 1e-3, abs=1e-12)
    assert lifted.ratio[0] == pytest.approx(lifted.height[0] / start.capitate)
    beside = (np.eye(3)[None], 0.1 * whole.axes.radial[None])
    assert np.isnan(wrist.carpal_height(whole, recording(whole.axes, capitate=beside, metacarpal3=still)).height[0])
    mesh = whole.bones["ulna"].mesh
    longer = Bone("ulna", Mesh(mesh.vertices + 1e-3 * whole.axes.distal, mesh.faces))
    changed = replace(whole, bones={**whole.bones, "ulna": longer})
    # the notch is that part of the radius which is near the ulna: it may gain or lose a row of triangles
    assert wrist.ulnar_variance(changed) - wrist.ulnar_variance(whole) == pytest.approx(1e-3, abs=3e-4)


def block(size, at):
    """Return a box whose top has its one tip in the middle, by 1 nm."""
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * size + at
    tip = np.array([at[0], at[1], at[2] + 0.5 * size[2] + 1e-9])
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4)]
    faces = [f for a, b, c, d in sides for f in ((a, b, c), (a, c, d))] + [(1, 5, 8), (5, 7, 8), (7, 3, 8), (3, 1, 8)]
    return Mesh(np.vstack([corners, tip]), np.array(faces))


def trough(gap=0.0):
    """Return two walls of 10 mm, 20 mm apart, on a floor that has a gap."""
    half = 0.5 * (20e-3 - gap)
    walls = [block((2e-3, 10e-3, 12e-3), (x, 0, -6e-3)) for x in (-11e-3, 11e-3)]
    floor = [block((half, 10e-3, 2e-3), (side * 0.5 * (half + gap), 0, -11e-3)) for side in (-1, 1)]
    parts = dict(
        zip(("pisiform", "scaphoid", "hamate", "trapezium", "capitate", "lunate"), walls * 2 + floor, strict=True)
    )
    axes = Axes(DISTAL, RADIAL, PALMAR, np.zeros(3), np.stack([DISTAL, RADIAL, PALMAR]), 0.05, "right")
    return SimpleNamespace(bones={name: Bone(name, mesh) for name, mesh in parts.items()}, axes=axes)


@pytest.mark.parametrize("gap", [0.0, 2e-3])
def test_the_section_of_a_trough_is_its_own(gap):
    for canal in wrist.carpal_canal(trough(gap)).values():
        assert canal.width[0] == pytest.approx(22e-3, abs=1e-12)  # from the middle of one wall to that of the other
        assert canal.depth[0] == pytest.approx(10e-3, abs=2e-9)
        assert canal.area[0] == pytest.approx(200e-6, abs=2 * 10e-3 * 22e-3 / 400)  # a station at either wall


def test_an_open_canal_has_no_area():
    assert np.isnan(wrist.carpal_canal(trough(8e-3))["outlet"].area[0])


def test_bones_that_are_needed_must_be_there():
    whole = carpus()
    with pytest.raises(InputError, match="no such bone"):
        wrist.carpal_canal(whole.remove("pisiform"))
    with pytest.raises(InputError, match="no such bone"):
        wrist.carpal_angles(whole.remove("lunate"))
    points = np.random.default_rng(1).normal(size=(2000, 3))
    points *= 8e-3 / np.linalg.norm(points, axis=1)[:, None]
    ball = Bone("lunate", Mesh(points, ConvexHull(points).simplices))
    with pytest.raises(InputError, match="must have two tips"):
        wrist.carpal_angles(replace(whole, bones={**whole.bones, "lunate": ball}))
